# SPDX-License-Identifier: MIT
"""Shader and program objects, Python's half: sources, trees, logs, what is attached.

In: names (found in the share group's space of names, which both kinds share). Out: `ShaderData` and
`ProgramData`, made when they are first asked for, gone with the object. A name that is deleted
stays until nobody uses it: contexts use programs, programs the shaders that are attached to them.
The share group's lock is held for a short time only, never while something is compiled or linked: a
thread that loads must not keep others from asking for a location. For that there is `at_work`: each
object has a lock of its own, which is taken without the group's. Mesa: main/shaderobj.c,
main/shaderapi.c.
"""

from __future__ import annotations

import ctypes
from _thread import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pydri.api.enums as gl
from pydri.api.dispatch import GLError
from pydri.main.names.layout import RESERVED
from pydri.main.names.objects import space_address
from pydri.main.names.tables import SHADERS
from pydri.main.shaders import held
from pydri.main.shaders.layout import ProgramObject
from pydri.nir.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydri.glsl.link.linked import Linked
    from pydri.glsl.tree import Shader
    from pydri.main.context import GLContext
    from pydri.main.shaders.cache import Source
    from pydri.main.shaders.code import StageCode


#: of stages, by what glCreateShader was given
_NAMES = {row.shader_type: row.name for row in STAGES}


class ShaderData:
    """A shader object."""

    def __init__(self, native: Any) -> None:
        self.n = native
        self.stage = _NAMES[native.kind]
        self.lock = RLock()  # while it is compiled, and for all below but the source
        self.busy = 0  # threads that are at work on it
        self.source: bytes | None = None
        #: what is to be compiled; the other fields are true when it has been (link.settle)
        self.asked: Source | None = None
        self.compiled = False  # GL_COMPILE_STATUS
        #: what was compiled, which may be another source than the present one
        self.compiled_source: Source | None = None
        self.tree: Shader | None = None  # if it was made for this object
        self.text = ""
        self.log = b""

    def destroy(self, ctx: GLContext) -> None:
        """The object is gone: it has nothing outside of Python."""


class ProgramData:
    """A program object."""

    def __init__(self, native: Any) -> None:
        self.n = native
        self.lock = RLock()  # while it is linked; all below is under the group's
        self.busy = 0
        self.shaders: list[int] = []
        self.bindings: dict[str, int] = {}
        #: the same of fragment shaders' outputs: number and index
        self.colors: dict[str, tuple[int, int]] = {}
        #: what glTransformFeedbackVaryings asked for: names, and whether each has a buffer of its
        #: own; it counts at the next link
        self.captures: tuple[tuple[str, ...], bool] = ((), False)
        #: GL_PROGRAM_BINARY_RETRIEVABLE_HINT, and what it is after the next link
        self.retrievable = self.retrievable_next = False
        self.log = b""
        self.validated = False
        #: of the last link, if that succeeded
        self.linked: Linked | None = None

    def install(self, ctx: GLContext, executable: int, codes: Iterable[StageCode]) -> None:
        """A link made this, with these stages; the program has it from now on."""
        held.hold(ctx, executable, codes)
        self._put(ctx, executable)

    def destroy(self, ctx: GLContext) -> None:
        """The object is gone."""
        self._put(ctx, 0)

    def _put(self, ctx: GLContext, executable: int) -> None:
        address = ctypes.addressof(self.n)
        place = address + ProgramObject.offset("exec")
        ctx.kernel("counted_put")(ctx.address, address, place, executable)
        held.bury(ctx)


def find(ctx: GLContext, name: int) -> ShaderData | ProgramData | None:
    """The object of a name."""
    table = ctx.shared.programs
    known: ShaderData | ProgramData | None = table.get(name)
    if known is None and name:
        entry = int(ctx.kernel("name_entry")(space_address(ctx, SHADERS), name))
        if entry > RESERVED:
            native: Any = ProgramObject.view(entry)
            known = ProgramData(native) if native.is_program else ShaderData(native)
            table[name] = known
    return known


def shader_of(ctx: GLContext, name: int) -> ShaderData:
    """A shader by name; the errors of GL 2.1, 2.15.1."""
    found = ctx.shared.programs.get(name) or find(ctx, name)
    if found is None:
        raise GLError(gl.GL_INVALID_VALUE, f"shader={name}")
    if not isinstance(found, ShaderData):
        raise GLError(gl.GL_INVALID_OPERATION, f"{name} is a program")
    return found


def program_of(ctx: GLContext, name: int) -> ProgramData:
    """A program by name."""
    found = ctx.shared.programs.get(name) or find(ctx, name)
    if found is None:
        raise GLError(gl.GL_INVALID_VALUE, f"program={name}")
    if not isinstance(found, ProgramData):
        raise GLError(gl.GL_INVALID_OPERATION, f"{name} is a shader")
    return found


def linked_of(ctx: GLContext, name: int) -> tuple[ProgramData, Linked]:
    """A program that was linked successfully; else GL_INVALID_OPERATION."""
    program = program_of(ctx, name)
    if program.linked is None:
        raise GLError(gl.GL_INVALID_OPERATION, f"program {name} is not linked")
    return program, program.linked


# -- use and deletion ------------------------------------------------------------------------------

_Data = TypeVar("_Data", ShaderData, ProgramData)


class at_work(Generic[_Data]):
    """`with` it: the object of a name (as shader_of or program_of find it) for what may take long.
    Its own lock is held, not the group's, and who deletes it meanwhile only says so."""

    def __init__(
        self, ctx: GLContext, name: int, find_it: Callable[[GLContext, int], _Data]
    ) -> None:
        self._ctx, self._name = ctx, name
        with ctx.shared.lock:
            self._found: _Data = find_it(ctx, name)
            self._found.busy += 1

    def __enter__(self) -> _Data:
        self._found.lock.acquire()
        return self._found

    def __exit__(self, *problem: object) -> None:
        found = self._found
        found.lock.release()
        with self._ctx.shared.lock:
            found.busy -= 1
            _destroy_unused(self._ctx, self._name, found)


def delete(ctx: GLContext, name: int, found: ShaderData | ProgramData) -> None:
    """glDeleteShader, glDeleteProgram: the object goes when nobody uses it any more."""
    found.n.pending = 1
    _destroy_unused(ctx, name, found)


def unused(ctx: GLContext, name: int) -> None:
    """A use of an object ended: a deleted one that has no other goes."""
    found = ctx.shared.programs.get(name) or find(ctx, name)
    if found is not None:
        _destroy_unused(ctx, name, found)


def _destroy_unused(ctx: GLContext, name: int, found: ShaderData | ProgramData) -> None:
    if found.n.pending and not found.n.uses and not found.busy:
        destroy(ctx, name)


def destroy(ctx: GLContext, name: int) -> None:
    """The object and its name are gone; shaders that were attached to it are so no more."""
    found = find(ctx, name)
    ctx.shared.programs.pop(name, None)
    if isinstance(found, ProgramData):
        for shader in found.shaders:
            detached(ctx, shader)
        found.shaders.clear()
    if found is not None:
        found.destroy(ctx)
    ctx.kernel("object_delete")(ctx.address, space_address(ctx, SHADERS), name)


def detached(ctx: GLContext, name: int) -> None:
    """A shader is attached to one program less."""
    shader = shader_of(ctx, name)
    shader.n.uses -= 1
    unused(ctx, name)


__all__ = [
    "ProgramData", "ShaderData", "at_work", "delete", "detached", "find", "linked_of", "program_of",
    "shader_of", "unused",
]  # fmt: skip
