# SPDX-License-Identifier: MIT
"""Shader and program objects, Python's half: sources, trees, logs, what is attached.

In: names (found in the share group's space of names, which both kinds share). Out: `ShaderData` and
`ProgramData`, made when they are first asked for, gone with the object. A name that is deleted
stays until nobody uses it: contexts use programs, programs the shaders that are attached to them.
All of it is under the share group's lock. Mesa: main/shaderobj.c, main/shaderapi.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError
from pydri.main import memory
from pydri.main.names.layout import RESERVED
from pydri.main.names.objects import space_address
from pydri.main.names.tables import SHADERS
from pydri.main.shaders.layout import Executable, ProgramObject

if TYPE_CHECKING:
    from pydri.glsl.linked import Linked
    from pydri.glsl.tree import Shader
    from pydri.main.context import GLContext
    from pydri.main.shaders.cache import Source
    from pydri.main.shaders.code import StageCode

#: executables of a program that were replaced and whose memory stays: a context of another thread
#: may be drawing with the last one
_KEPT = 2


class ShaderData:
    """A shader object."""

    def __init__(self, native: Any) -> None:
        self.n = native
        self.source: bytes | None = None
        #: what is to be compiled; the other fields are true when it has been (link.settle)
        self.asked: Source | None = None
        self.compiled = False  # GL_COMPILE_STATUS
        #: what was compiled, which may be another source than the present one
        self.compiled_source: Source | None = None
        self.tree: Shader | None = None  # if it was made for this object
        self.text = ""
        self.log = b""

    def destroy(self) -> None:
        """The object is gone: it has nothing outside of Python."""

    @property
    def stage(self) -> str:
        return "vertex" if self.n.kind == gl.GL_VERTEX_SHADER else "fragment"


class ProgramData:
    """A program object."""

    def __init__(self, native: Any) -> None:
        self.n = native
        self.shaders: list[int] = []
        self.bindings: dict[str, int] = {}
        self.colors: dict[str, int] = {}  # the same of fragment shaders' outputs
        self.log = b""
        self.validated = False
        #: of the last link, if that succeeded
        self.linked: Linked | None = None
        #: the stages of the executable, which live as long
        self.codes: dict[str, StageCode] = {}
        self._replaced: list[int] = []

    def install(self, executable: int) -> None:
        """A link made this; the program has it from now on."""
        if self.n.exec:
            self._replaced.append(self.n.exec)
        self.n.exec = executable
        while len(self._replaced) > _KEPT:
            free_executable(self._replaced.pop(0))

    def destroy(self) -> None:
        """The object is gone."""
        for address in (*self._replaced, self.n.exec):
            free_executable(address)
        self.n.exec = 0


def free_executable(address: int) -> None:
    """Give an executable's memory back; 0: nothing."""
    if address:
        view: Any = Executable.view(address)
        for part in (view.uniforms, view.storage, address):
            memory.free(part)


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
    found = find(ctx, name)
    if found is None:
        raise GLError(gl.GL_INVALID_VALUE, f"shader={name}")
    if not isinstance(found, ShaderData):
        raise GLError(gl.GL_INVALID_OPERATION, f"{name} is a program")
    return found


def program_of(ctx: GLContext, name: int) -> ProgramData:
    """A program by name."""
    found = find(ctx, name)
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


def delete(ctx: GLContext, name: int, found: ShaderData | ProgramData) -> None:
    """glDeleteShader, glDeleteProgram: the object goes when nobody uses it any more."""
    found.n.pending = 1
    if not found.n.uses:
        destroy(ctx, name)


def unused(ctx: GLContext, name: int) -> None:
    """A use of an object ended: a deleted one that has no other goes."""
    found = ctx.shared.programs.get(name) or find(ctx, name)
    if found is not None and found.n.pending and not found.n.uses:
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
        found.destroy()
    ctx.kernel("object_delete")(ctx.address, space_address(ctx, SHADERS), name)


def detached(ctx: GLContext, name: int) -> None:
    """A shader is attached to one program less."""
    shader = shader_of(ctx, name)
    shader.n.uses -= 1
    unused(ctx, name)


__all__ = [
    "ProgramData", "ShaderData", "delete", "detached", "find", "free_executable", "linked_of",
    "program_of", "shader_of", "unused",
]  # fmt: skip
