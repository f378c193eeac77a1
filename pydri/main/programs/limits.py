# SPDX-License-Identifier: MIT
"""TABLE: glGetProgramivARB (ARB_vertex_program, tables X.5 and X.7; ARB_fragment_program likewise).

In: a program and a name. Out: a number: a limit, or a count of the program as it was written. There
are no other native counts than those: everything is native.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError
from pydri.main.shaders.layout import MAX_STAGE_SAMPLERS
from pydri.main.textures.layout import MAX_TEXTURE_UNITS

if TYPE_CHECKING:
    from pydri.main.context import GLContext
    from pydri.prog.instructions import Program
    from pydri.prog.limits import Limits

#: what is counted: name -> (of the program, its limit)
_COUNTS = {
    "INSTRUCTIONS": "instructions", "TEMPORARIES": "temporaries", "PARAMETERS": "parameters",
    "ATTRIBS": "attributes", "ADDRESS_REGISTERS": "address_registers",
}  # fmt: skip
_FRAGMENT_COUNTS = {
    "ALU_INSTRUCTIONS": "alu_instructions", "TEX_INSTRUCTIONS": "tex_instructions",
    "TEX_INDIRECTIONS": "tex_indirections",
}  # fmt: skip


def limits_of(ctx: GLContext, stage: str) -> Limits:
    """What programs of a stage may have."""
    from pydri.prog.languages import LANGUAGES

    found = LANGUAGES[stage].limits
    buffers = int(ctx.n.limits.draw_buffers)
    return found._replace(coord_units=MAX_TEXTURE_UNITS, image_units=MAX_STAGE_SAMPLERS,
                          units=MAX_TEXTURE_UNITS, draw_buffers=buffers)  # fmt: skip


def _enum(name: str) -> int:
    return int(getattr(gl, f"GL_{name}_ARB"))


def _table(counts: dict[str, str]) -> dict[int, tuple[str, bool, bool]]:
    """enum -> (what, whether the limit is meant, whether native)."""
    rows = {}
    for name, what in counts.items():
        for most in ("", "MAX_"):
            for native in ("", "NATIVE_"):
                rows[_enum(f"{most}PROGRAM_{native}{name}")] = what, bool(most), bool(native)
    return rows


_BOTH, _FRAGMENTS = _table(_COUNTS), _table(_FRAGMENT_COUNTS)


def _count(program: Program | None, what: str) -> int:
    if program is None or what == "tex_indirections":
        return 0
    if what == "attributes":
        return program.inputs_read.bit_count()
    found = getattr(program, what)
    return found if isinstance(found, int) else len(found)


def program_number(ctx: GLContext, native: Any, data: Any, stage: str, pname: int) -> int:
    """glGetProgramivARB."""
    from pydri.prog.languages import LANGUAGES

    limits, program = limits_of(ctx, stage), data.program
    plain = {
        gl.GL_PROGRAM_LENGTH_ARB: len(data.text.split(b"\0")[0]),
        gl.GL_PROGRAM_FORMAT_ARB: gl.GL_PROGRAM_FORMAT_ASCII_ARB,
        gl.GL_PROGRAM_BINDING_ARB: native.name,
        gl.GL_MAX_PROGRAM_LOCAL_PARAMETERS_ARB: limits.local_parameters,
        gl.GL_MAX_PROGRAM_ENV_PARAMETERS_ARB: limits.env_parameters,
        gl.GL_PROGRAM_UNDER_NATIVE_LIMITS_ARB: 1,
    }
    if pname in plain:
        return int(plain[pname])
    row = _BOTH.get(pname) or (_FRAGMENTS.get(pname) if LANGUAGES[stage].textures else None)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname=0x{pname:X}")
    what, most, _ = row
    if not most:
        return _count(program, what)
    return limits.instructions if pname in _FRAGMENTS else int(getattr(limits, what))


__all__ = ["limits_of", "program_number"]
