# SPDX-License-Identifier: MIT
"""Shaders of ATI_fragment_shader as Mesa IR.

In: a `Shader`: one or two passes, each with what is put into registers first (`Setup`) and pairs of
operations on colours and alphas (`Operation`); and what of the state decides the code: the targets
of the units that are sampled, fog. Out: a Program of the fragment stage. Operations are computed in
the order in which they were given. A register that its pass has not written is 0. Global constants
are references ("ati", n). Counterpart of Mesa's st_atifs_to_nir.c.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pydri.api.enums as gl
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_TEX0,
)
from pydri.prog.instructions import (
    CONST,
    INPUT,
    OUTPUT,
    STATE,
    TEMP,
    XYZW,
    Dst,
    Instruction,
    Program,
    Src,
    Swizzle,
    combine,
)
from pydri.prog.parameters import Parameter

REGISTERS: Final = 6
_ARGUMENTS, _RESULT = REGISTERS, REGISTERS + 3
_XYZ, _W = 7, 8
_REPEATED: Final = {gl.GL_RED: 0, gl.GL_GREEN: 1, gl.GL_BLUE: 2, gl.GL_ALPHA: 3}
_SCALES: Final = {
    gl.GL_2X_BIT_ATI: 2.0, gl.GL_4X_BIT_ATI: 4.0, gl.GL_8X_BIT_ATI: 8.0, gl.GL_HALF_BIT_ATI: 0.5,
    gl.GL_QUARTER_BIT_ATI: 0.25, gl.GL_EIGHTH_BIT_ATI: 0.125,
}  # fmt: skip
_PLAIN: Final = {
    gl.GL_MOV_ATI: "MOV", gl.GL_ADD_ATI: "ADD", gl.GL_SUB_ATI: "SUB", gl.GL_MUL_ATI: "MUL",
    gl.GL_MAD_ATI: "MAD", gl.GL_LERP_ATI: "LRP", gl.GL_DOT3_ATI: "DP3", gl.GL_DOT4_ATI: "DP4",
}  # fmt: skip


class Setup(NamedTuple):
    """What a register is before the operations: coordinates, or a texel."""

    register: int
    samples: bool
    source: int  # GL_TEXTURE0_ARB + n, GL_REG_0_ATI + n
    swizzle: int


class Argument(NamedTuple):
    """An operand as it was given."""

    source: int
    repeated: int
    modifier: int


class Operation(NamedTuple):
    """An operation on colours (`mask` of red, green and blue) or on alphas."""

    op: int
    register: int
    mask: int
    modifier: int
    arguments: tuple[Argument, ...]


class Pass(NamedTuple):
    """A pass: what is set up, in the order of registers; operations."""

    setups: tuple[Setup, ...]
    operations: tuple[Operation, ...]


class Shader(NamedTuple):
    """All of it, with the constants that were set while it was defined."""

    passes: tuple[Pass, ...]
    constants: tuple[tuple[int, tuple[float, float, float, float]], ...]

    @property
    def units(self) -> int:
        """Bits of the units that are sampled."""
        return sum(1 << n for n in {s.register for p in self.passes for s in p.setups if s.samples})


class _Translation:
    def __init__(self, shader: Shader, targets: dict[int, str]) -> None:
        self.program = Program("fragment")
        self.program.temporaries = _RESULT + 1
        self.constants = dict(shader.constants)
        self.targets = targets
        self.written: set[int] = set()

    def emit(self, opcode: str, dst: Dst, *srcs: Src, saturate: bool = False) -> None:
        self.program.instructions.append(Instruction(opcode, dst, srcs, saturate))

    def number(self, *values: float) -> Src:
        """A constant."""
        at, swizzle = self.program.parameters.add_constant(values)
        return Src(CONST, at, swizzle)

    def input(self, slot: int) -> Src:
        self.program.inputs_read |= 1 << slot
        return Src(INPUT, slot)

    def source(self, source: int) -> Src:
        """What an operand is taken from."""
        if gl.GL_REG_0_ATI <= source < gl.GL_REG_0_ATI + REGISTERS:
            register = source - gl.GL_REG_0_ATI
            return Src(TEMP, register) if register in self.written else self.number(0.0)
        if gl.GL_CON_0_ATI <= source < gl.GL_CON_0_ATI + 8:
            number = source - gl.GL_CON_0_ATI
            if number in self.constants:
                return self.number(*self.constants[number])
            parameters = self.program.parameters
            state = ("ati", number)
            known = parameters.has(state)
            at = parameters.add_state(state) if known else parameters.append(Parameter(state))
            return Src(STATE, at)
        if source == gl.GL_PRIMARY_COLOR_ARB:
            return self.input(VARYING_SLOT_COL0)
        if source == gl.GL_SECONDARY_INTERPOLATOR_ATI:
            return self.input(VARYING_SLOT_COL1)
        return self.number(1.0 if source == gl.GL_ONE else 0.0)

    def argument(self, n: int, given: Argument) -> Src:
        """An operand with its modifiers, in a temporary of its own if it has some."""
        src = self.source(given.source)
        if given.repeated in _REPEATED:
            part = _REPEATED[given.repeated]
            src = src._replace(swizzle=combine(src.swizzle, (part,) * 4))
        kept = Dst(TEMP, _ARGUMENTS + n)
        value = Src(TEMP, _ARGUMENTS + n)
        if given.modifier & gl.GL_COMP_BIT_ATI:
            self.emit("SUB", kept, self.number(1.0), src)
            src = value
        if given.modifier & gl.GL_BIAS_BIT_ATI:
            self.emit("SUB", kept, src, self.number(0.5))
            src = value
        if given.modifier & gl.GL_2X_BIT_ATI:
            self.emit("ADD", kept, src, src)
            src = value
        if given.modifier & gl.GL_NEGATE_BIT_ATI:
            src = src._replace(negate=src.negate ^ XYZW)
        return src

    def operation(self, item: Operation) -> None:
        """One operation."""
        srcs = [self.argument(n, given) for n, given in enumerate(item.arguments)]
        scale = _SCALES.get(item.modifier & ~gl.GL_SATURATE_BIT_ATI)
        saturate = bool(item.modifier & gl.GL_SATURATE_BIT_ATI)
        out = Dst(TEMP, item.register, item.mask)
        dst = out if scale is None else Dst(TEMP, _RESULT, item.mask)
        clamped = saturate and scale is None
        if item.op in _PLAIN:
            self.emit(_PLAIN[item.op], dst, *srcs, saturate=clamped)
        elif item.op == gl.GL_DOT2_ADD_ATI:
            # the third operand's blue is added: (x, y, 1) times (x, y, blue)
            pair, last = Dst(TEMP, _RESULT, 3), Dst(TEMP, _RESULT, 1)
            value = Src(TEMP, _RESULT)
            self.emit("MUL", pair, srcs[0], srcs[1])
            self.emit("ADD", last, value, value._replace(swizzle=(1,) * 4))
            blue = srcs[2]._replace(swizzle=combine(srcs[2].swizzle, (2,) * 4))
            self.emit("ADD", dst, value._replace(swizzle=(0,) * 4), blue, saturate=clamped)
        else:
            first, second, test = srcs
            if item.op == gl.GL_CND_ATI:  # the first where the third is greater than a half
                kept = Dst(TEMP, _RESULT)
                self.emit("SUB", kept, self.number(0.5), test)
                self.emit("CMP", dst, Src(TEMP, _RESULT), first, second, saturate=clamped)
            else:
                self.emit("CMP", dst, test, second, first, saturate=clamped)
        if scale is not None:
            self.emit("MUL", out, Src(TEMP, _RESULT), self.number(scale), saturate=saturate)
        self.written.add(item.register)

    def setup(self, item: Setup) -> None:
        """Coordinates or a texel for a register."""
        if item.source >= gl.GL_TEXTURE0_ARB:
            coord = self.input(VARYING_SLOT_TEX0 + item.source - gl.GL_TEXTURE0_ARB)
        else:
            coord = Src(TEMP, item.source - gl.GL_REG_0_ATI)
        if item.swizzle == gl.GL_SWIZZLE_STQ_ATI:
            coord = coord._replace(swizzle=(0, 1, 3, 2))
        elif item.swizzle != gl.GL_SWIZZLE_STR_ATI:
            last = 2 if item.swizzle == gl.GL_SWIZZLE_STR_DR_ATI else 3
            divisor: Swizzle = (last,) * 4
            self.emit("RCP", Dst(TEMP, _RESULT, 12), coord._replace(swizzle=divisor))
            reciprocal = Src(TEMP, _RESULT, (2, 2, 2, 2))
            self.emit("MUL", Dst(TEMP, _RESULT, 3), coord, reciprocal)
            coord = Src(TEMP, _RESULT)
        dst = Dst(TEMP, item.register)
        if not item.samples:
            self.emit("MOV", dst, coord)
            return
        target = self.targets[item.register]
        if not target:  # nothing is switched on there
            self.emit("MOV", dst, self.number(0.0, 0.0, 0.0, 1.0))
            return
        self.program.textures[item.register] = (target, False)
        self.program.instructions.append(
            Instruction("TEX", dst, (coord,), unit=item.register, target=target))


def program_of(shader: Shader, targets: dict[int, str], fog: str) -> Program:
    """The program; `fog` is "" or a mode of ARB_fragment_program's options."""
    translation = _Translation(shader, targets)
    before: set[int] = set()
    for number, part in enumerate(shader.passes):
        for setup in part.setups:
            if number and setup.source < gl.GL_TEXTURE0_ARB and (
                setup.source - gl.GL_REG_0_ATI not in before | translation.written
            ):
                register = Dst(TEMP, setup.source - gl.GL_REG_0_ATI)
                translation.emit("MOV", register, translation.number(0.0))
            translation.setup(setup)
        before = set(translation.written)
        translation.written = {setup.register for setup in part.setups}
        for operation in part.operations:
            translation.operation(operation)
    program = translation.program
    if 0 in translation.written:
        translation.emit("MOV", Dst(OUTPUT, FRAG_RESULT_COLOR), Src(TEMP, 0))
        program.outputs_written |= 1 << FRAG_RESULT_COLOR
    program.instructions.append(Instruction("END"))
    program.fog = fog
    return program


__all__ = ["Argument", "Operation", "Pass", "Setup", "Shader", "program_of"]
