# SPDX-License-Identifier: MIT
"""Program strings, and what is asked of programs (ARB_vertex_program 2.14.1 and 6.1.12).

In: the text of a program for the target's current one. Out: its code, or an error with position and
text, and the program as it was. Errors are the peer's.
Mesa: main/arbprogram.c.
"""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.layout import DIRTY_PROGRAM
from pydri.main.pointers import address_of
from pydri.main.programs.layout import FRAGMENT, PLACE_STAGES, VERTEX, ArbProgram
from pydri.main.programs.limits import limits_of, program_number
from pydri.main.shaders import held
from pydri.nir.stages import STAGES
from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.main.context import GLContext
    from pydri.prog.instructions import Program

_TARGETS = {gl.GL_VERTEX_PROGRAM_ARB: VERTEX, gl.GL_FRAGMENT_PROGRAM_ARB: FRAGMENT}


class ProgramData:
    """What is known of a program beside its native form."""

    def __init__(self) -> None:
        self.text = b""
        self.program: Program | None = None


def bound(ctx: GLContext, target: int) -> Any:
    """The native program that a target has."""
    if target not in _TARGETS:
        raise GLError(gl.GL_INVALID_ENUM, f"target=0x{target:X}")
    return ArbProgram.view(ctx.n.arb.bound[_TARGETS[target]])


def data_of(ctx: GLContext, native: Any) -> ProgramData:
    """What is known of a program. An address serves one object after the other: what is known is
    of the name and of the string that made the code."""
    table = ctx.shared.assembly
    key = ctypes.addressof(native)
    known = table.get(key)
    if known is None or known[0] != (native.name, native.serial):
        known = table[key] = ((native.name, native.serial), ProgramData())
    data: ProgramData = known[1]
    return data


@entry
def glProgramStringARB(ctx: GLContext, target: int, format: int, len: int, string: Any) -> None:
    native = bound(ctx, target)
    if format != gl.GL_PROGRAM_FORMAT_ASCII_ARB:
        raise GLError(gl.GL_INVALID_ENUM, f"format=0x{format:X}")
    text = ctypes.string_at(address_of(string), len) if len > 0 and address_of(string) else b""
    set_string(ctx, native, target, text)


def set_string(ctx: GLContext, native: Any, target: int, text: bytes) -> None:
    """A program, which the caller refers to, gets another text. The group's lock is not held while
    it is read and translated."""
    from pydri.main.programs.code import made_code
    from pydri.prog.faults import ProgramFault
    from pydri.prog.parser import parse
    from pydri.prog.passes import prepare

    stage = STAGES[PLACE_STAGES[_TARGETS[target]]].name
    ctx.n.dirty |= DIRTY_PROGRAM
    try:
        program = parse(text.decode("latin-1"), stage, limits_of(ctx, stage))
    except ProgramFault as fault:
        ctx.n.arb.error_position = fault.position
        _say(ctx, fault.text)
        _dump(stage, native.name, text, None)
        raise GLError(gl.GL_INVALID_OPERATION, fault.text.strip()) from None
    ctx.n.arb.error_position = -1
    _say(ctx, "")
    _dump(stage, native.name, text, program)
    code, address = made_code(prepare(program), native.name)
    with ctx.shared.lock:
        held.hold(ctx, address, (code,))
        native.serial += 1
        data = data_of(ctx, native)
        data.text, data.program = text, program
        ctx.kernel("codes_put")(ctx.address, ctypes.addressof(native), address)
        held.bury(ctx)


def _say(ctx: GLContext, text: str) -> None:
    """GL_PROGRAM_ERROR_STRING_ARB."""
    ctx.strings[gl.GL_PROGRAM_ERROR_STRING_ARB] = ctypes.c_char_p(text.encode("latin-1", "replace"))


def _dump(stage: str, name: int, text: bytes, program: Program | None) -> None:
    """MESA_GLSL=dump, as the peer prints it."""
    if "dump" not in options.MESA_GLSL:
        return
    from pydri.prog.printer import print_program

    said = f"ARB_{stage}_program source for program {name}:\n{text.decode('latin-1')}\n"
    if program is None:
        said += f"ARB_{stage}_program {name} failed to compile.\n"
    else:
        said += f"Mesa IR for ARB_{stage}_program {name}:\n{print_program(program, name)}\n"
    sys.stderr.write(said)


@entry(flush=False)
def glGetProgramivARB(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    native = bound(ctx, target)
    stage = STAGES[PLACE_STAGES[_TARGETS[target]]].name
    value = program_number(ctx, native, data_of(ctx, native), stage, pname)
    ctypes.c_int.from_address(address_of(params)).value = value


@entry(flush=False)
def glGetProgramStringARB(ctx: GLContext, target: int, pname: int, string: Any) -> None:
    native = bound(ctx, target)
    if pname != gl.GL_PROGRAM_STRING_ARB:
        raise GLError(gl.GL_INVALID_ENUM, f"pname=0x{pname:X}")
    text = data_of(ctx, native).text.split(b"\0")[0]
    ctypes.memmove(address_of(string), text or b"\0", len(text) or 1)


__all__ = ["ProgramData", "bound", "data_of", "set_string"]
