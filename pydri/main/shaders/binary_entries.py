# SPDX-License-Identifier: MIT
"""Program binaries (OpenGL ES 3.0, 2.11.4; ARB_get_program_binary): there are no formats of them,
as the specification allows, so none is given out and none is taken. Mesa: main/shaderapi.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.pointers import I32, store
from pydri.main.shaders.objects import program_of

if TYPE_CHECKING:
    from pydri.main.context import GLContext


@entry(flush=False)
def glGetProgramBinary(
    ctx: GLContext, program: int, bufSize: int, length: Any, binaryFormat: Any, binary: Any
) -> None:
    if bufSize < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={bufSize}")
    with ctx.shared.lock:
        program_of(ctx, program)
    store(length, I32, [0])
    raise GLError(gl.GL_INVALID_OPERATION, "there are no formats of program binaries")


@entry(flush=False)
def glProgramBinary(
    ctx: GLContext, program: int, binaryFormat: int, binary: Any, length: int
) -> None:
    if length < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"length={length}")
    with ctx.shared.lock:
        found = program_of(ctx, program)
        # a program that could not be loaded is not linked, and what linked it before is lost; who
        # uses its executable keeps it
        found.validated, found.linked, found.n.linked = False, None, 0
        found.log = b"there are no formats of program binaries"
    raise GLError(gl.GL_INVALID_ENUM, f"binaryFormat={binaryFormat:#x}")


@entry(flush=False)
def glProgramParameteri(ctx: GLContext, program: int, pname: int, value: int) -> None:
    """A hint, which glGetProgram tells after the next link."""
    with ctx.shared.lock:
        found = program_of(ctx, program)
        if pname != gl.GL_PROGRAM_BINARY_RETRIEVABLE_HINT:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        if value not in (0, 1):
            raise GLError(gl.GL_INVALID_VALUE, f"value={value}")
        found.retrievable_next = bool(value)


__all__: list[str] = []
