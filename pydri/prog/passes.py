# SPDX-License-Identifier: MIT
"""What is done to a program before it is translated: one function a change, in place.

In: a Program as it was written. Out: the same with the code that its options ask for, or in a form
that a translation can take. Counterparts of Mesa's programopt.c: _mesa_insert_mvp_code,
_mesa_append_fog_code, _mesa_remove_output_reads.
"""

from __future__ import annotations

from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_POS,
    VERT_ATTRIB_POS,
)
from pydri.prog.instructions import (
    INPUT,
    NOOP,
    OUTPUT,
    STATE,
    TEMP,
    XYZW,
    Dst,
    Instruction,
    Program,
    Src,
    Swizzle,
)

_XYZ, _W = 7, 8
#: log2(e), and the root of it
_LOG2_E, _ROOT_LOG2_E = 1.4426950408889634, 1.2011224087864498


def prepare(program: Program) -> Program:
    """A program with the code that its options ask for; the other one stays as it was written."""
    program = program.copy()
    if program.position_invariant:
        insert_mvp_code(program)
    if program.fog:
        append_fog_code(program)
    remove_output_reads(program)
    return program


def _all(component: int) -> Swizzle:
    return (component,) * 4


def _temp(program: Program) -> int:
    program.temporaries += 1
    return program.temporaries - 1


def insert_mvp_code(program: Program) -> None:
    """ARB_position_invariant: the position is what fixed function makes of it, column by column in
    the same order, so that it is the same bit for bit."""
    if program.outputs_written >> VARYING_SLOT_POS & 1:
        return
    columns = [
        Src(STATE, program.parameters.add_state(("matrix", "mvp", 0, "transpose", n)))
        for n in range(4)
    ]
    position, sum_ = Src(INPUT, VERT_ATTRIB_POS), _temp(program)
    code = [Instruction("MUL", Dst(TEMP, sum_), (columns[0], position._replace(swizzle=_all(0))))]
    for n in (1, 2, 3):
        dst = Dst(OUTPUT, VARYING_SLOT_POS) if n == 3 else Dst(TEMP, sum_)
        srcs = columns[n], position._replace(swizzle=_all(n)), Src(TEMP, sum_)
        code.append(Instruction("MAD", dst, srcs))
    program.instructions[:0] = code
    program.inputs_read |= 1 << VERT_ATTRIB_POS
    program.outputs_written |= 1 << VARYING_SLOT_POS


def append_fog_code(program: Program) -> None:
    """ARB_fog_linear, ARB_fog_exp, ARB_fog_exp2: the colour that the program makes is mixed with
    the fog's (ARB_fragment_program, 3.11.4.5.1)."""
    wanted = FRAG_RESULT_COLOR
    if not program.outputs_written >> wanted & 1:
        wanted = FRAG_RESULT_DATA0
        if not program.outputs_written >> wanted & 1:
            return
    color, factor = _temp(program), _temp(program)
    _rename_output(program, wanted, color, saturated=True)
    parameters = program.parameters
    numbers = Src(STATE, parameters.add_state(("fog", "params")))
    fog = Src(STATE, parameters.add_state(("fog", "color")))
    coord = Src(INPUT, VARYING_SLOT_FOGC, _all(0))
    x = Dst(TEMP, factor, 1)
    value = Src(TEMP, factor, _all(0))
    # density, start, end, 1 / (end - start)
    density, end, scale = (numbers._replace(swizzle=_all(n)) for n in (0, 2, 3))
    if program.fog == "linear":
        code = [Instruction("SUB", x, (end, coord)),
                Instruction("MUL", x, (value, scale), True)]  # fmt: skip
    else:
        root = program.fog == "exp2"
        number, swizzle = parameters.add_constant((_ROOT_LOG2_E if root else _LOG2_E,))
        code = [Instruction("MUL", x, (density, Src("CONST", number, swizzle))),
                Instruction("MUL", x, (value, coord))]  # fmt: skip
        if root:
            code.append(Instruction("MUL", x, (value, value)))
        code.append(Instruction("EX2", x, (value._replace(negate=XYZW),), True))
    own, out = Src(TEMP, color), OUTPUT
    code.append(Instruction("LRP", Dst(out, wanted, _XYZ), (value, own, fog)))
    code.append(Instruction("MOV", Dst(out, wanted, _W), (own,)))
    _append(program, code)
    program.inputs_read |= 1 << VARYING_SLOT_FOGC


def _append(program: Program, code: list[Instruction]) -> None:
    """Put code before the END."""
    at = len(program.instructions)
    while at and program.instructions[at - 1].opcode == "END":
        at -= 1
    program.instructions[at:at] = code


def _rename_output(program: Program, slot: int, temp: int, saturated: bool = False) -> None:
    """An output is a temporary from now on, for those who write it and those who read it."""
    for n, item in enumerate(program.instructions):
        srcs = tuple(
            Src(TEMP, temp, *src[2:]) if (src.file, src.number) == (OUTPUT, slot) else src
            for src in item.srcs
        )
        item = item._replace(srcs=srcs)
        if (item.dst.file, item.dst.number) == (OUTPUT, slot):
            dst = item.dst._replace(file=TEMP, number=temp)
            item = item._replace(dst=dst, saturate=item.saturate or saturated)
        program.instructions[n] = item


def remove_output_reads(program: Program) -> None:
    """Outputs that are read are temporaries, which are moved to the outputs in the end."""
    read = {src.number for item in program.instructions for src in item.srcs if src.file == OUTPUT}
    for slot in sorted(read):
        temp = _temp(program)
        _rename_output(program, slot, temp)
        _append(program, [Instruction("MOV", Dst(OUTPUT, slot), (Src(TEMP, temp, NOOP),))])


__all__ = ["append_fog_code", "insert_mvp_code", "prepare", "remove_output_reads"]
