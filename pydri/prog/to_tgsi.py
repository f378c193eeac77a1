# SPDX-License-Identifier: MIT
"""From Mesa IR to TGSI, through ureg.

In: a Program that is prepared (passes.py). Out: tokens. Parameters are constants by their numbers,
which somebody fills as the list of parameters says; numbers of the text are immediates, unless an
address register chooses among them. What TGSI of today has no opcode for (SUB, ABS, DPH, XPD, SCS,
SWZ) is written with those that there are. Inputs and outputs are declared in the order of their
slots. Counterpart of Mesa's st_mesa_to_tgsi.c.
"""

from __future__ import annotations

from typing import Final

from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DEPTH,
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
    VARYING_SLOT_TEX0,
)
from pydri.nir.stages import ATTRIBUTES
from pydri.prog.instructions import (
    CONST,
    INPUT,
    NOOP,
    OUTPUT,
    STATE,
    TEMP,
    XYZW,
    ZERO,
    Instruction,
    Program,
    Src,
    Swizzle,
)
from pydri.tgsi.build.ureg import Ureg
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens import registers as tgsi

_TARGETS: Final = {
    ("1D", False): t.TEXTURE_1D, ("2D", False): t.TEXTURE_2D, ("3D", False): t.TEXTURE_3D,
    ("CUBE", False): t.TEXTURE_CUBE, ("RECT", False): t.TEXTURE_RECT,
    ("1D", True): t.TEXTURE_SHADOW1D, ("2D", True): t.TEXTURE_SHADOW2D,
    ("RECT", True): t.TEXTURE_SHADOWRECT,
}  # fmt: skip
_VARYINGS: Final = {
    VARYING_SLOT_POS: (t.SEMANTIC_POSITION, 0), VARYING_SLOT_COL0: (t.SEMANTIC_COLOR, 0),
    VARYING_SLOT_COL1: (t.SEMANTIC_COLOR, 1), VARYING_SLOT_FOGC: (t.SEMANTIC_FOG, 0),
    VARYING_SLOT_PSIZ: (t.SEMANTIC_PSIZE, 0), VARYING_SLOT_BFC0: (t.SEMANTIC_BCOLOR, 0),
    VARYING_SLOT_BFC1: (t.SEMANTIC_BCOLOR, 1),
    **{VARYING_SLOT_TEX0 + n: (t.SEMANTIC_TEXCOORD, n) for n in range(8)},
}  # fmt: skip
#: opcodes of one name and meaning
_SAME: Final = frozenset((
    "ADD", "ARL", "CMP", "COS", "DDX", "DDY", "DP3", "DP4", "DST", "EX2", "EXP", "FLR", "FRC",
    "LG2", "LIT", "LOG", "LRP", "MAD", "MAX", "MIN", "MOV", "MUL", "POW", "RCP", "SGE", "SIN",
    "SLT",
))  # fmt: skip
_XYZ, _X, _Y, _Z, _W = 7, 1, 2, 4, 8


def _bits(mask: int) -> list[int]:
    return [n for n in range(64) if mask >> n & 1]


class _Translation:
    """The translation of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.ureg = Ureg(program.row.number)
        self.inputs: dict[int, tgsi.Src] = {}
        self.outputs: dict[int, tgsi.Dst] = {}
        self.temps: dict[int, tgsi.Dst] = {}
        self.constants: list[tgsi.Src] = []
        self.samplers: dict[int, tgsi.Src] = {}
        if program.row.inputs.kind == ATTRIBUTES:
            self._vertex_interface()
        else:
            self._fragment_interface()
        self.address = self.ureg.decl_address() if program.address_registers else None
        self._parameters()
        for unit in sorted(program.textures):
            self.samplers[unit] = self.ureg.decl_sampler(unit)
            target = _TARGETS[program.textures[unit]]
            self.ureg.decl_sampler_view(unit, target, t.RETURN_FLOAT)

    # -- declarations ------------------------------------------------------------------------------

    def _vertex_interface(self) -> None:
        ureg = self.ureg
        for n, slot in enumerate(_bits(self.program.inputs_read)):
            self.inputs[slot] = ureg.decl_vs_input(n)
        for slot in _bits(self.program.outputs_written):
            out = self.outputs[slot] = ureg.decl_output(*_VARYINGS[slot])
            if slot == VARYING_SLOT_FOGC:
                # a fog coordinate is (f, 0, 0, 1)
                ureg.MOV(out.writemask(XYZW ^ _X), ureg.imm(0.0, 0.0, 0.0, 1.0))
                self.outputs[slot] = out.writemask(_X)

    def _fragment_interface(self) -> None:
        ureg, written = self.ureg, self.program.outputs_written
        for slot in _bits(self.program.inputs_read):
            color = slot in (VARYING_SLOT_COL0, VARYING_SLOT_COL1)
            mode = t.INTERPOLATE_COLOR if color else t.INTERPOLATE_PERSPECTIVE
            if slot == VARYING_SLOT_POS:
                mode = t.INTERPOLATE_LINEAR
            self.inputs[slot] = ureg.decl_fs_input(*_VARYINGS[slot], mode)
        if written >> FRAG_RESULT_COLOR & 1:
            ureg.property(t.PROPERTY_FS_COLOR0_WRITES_ALL_CBUFS, 1)
        for slot in _bits(written):
            if slot == FRAG_RESULT_DEPTH:
                out = ureg.decl_output(t.SEMANTIC_POSITION, 0).writemask(_Z)
            else:
                first = FRAG_RESULT_COLOR if slot == FRAG_RESULT_COLOR else FRAG_RESULT_DATA0
                out = ureg.decl_output(t.SEMANTIC_COLOR, slot - first)
            self.outputs[slot] = out

    def _parameters(self) -> None:
        indexed = any(s.relative for item in self.program.instructions for s in item.srcs)
        for n, item in enumerate(self.program.parameters.items):
            if item.state is not None or indexed:
                self.constants.append(self.ureg.decl_constant(n))
            else:
                self.constants.append(self.ureg.imm(*item.values))

    # -- operands ----------------------------------------------------------------------------------

    def temp(self, number: int) -> tgsi.Dst:
        """A temporary, declared when it is first met."""
        if number not in self.temps:
            self.temps[number] = self.ureg.decl_temporary()
        return self.temps[number]

    def register(self, src: Src) -> tgsi.Src:
        """The register of an operand."""
        if src.relative:
            assert self.address is not None
            base = tgsi.Src(t.FILE_CONSTANT, src.number, dim=tgsi.Dim(0))
            return base.indirect(self.address.src())
        if src.file in (CONST, STATE):
            return self.constants[src.number]
        if src.file == INPUT:
            return self.inputs[src.number]
        assert src.file == TEMP, "outputs are not read (remove_output_reads)"
        return self.temp(src.number).src()

    def src(self, src: Src) -> tgsi.Src:
        """An operand without constants in its swizzle, all of it negated or nothing."""
        found = self.register(src)
        if src.swizzle != NOOP:
            found = found.swizzle(*src.swizzle)
        return found.negate() if src.negate else found

    def dst(self, item: Instruction, mask: int = XYZW) -> tgsi.Dst:
        """What is written, of the components in `mask`."""
        dst = item.dst
        if dst.file == OUTPUT:
            found = self.outputs[dst.number]
        elif dst.file == TEMP:
            found = self.temp(dst.number)
        else:
            assert self.address is not None
            found = self.address
        found = found.writemask(found.mask & dst.mask & mask)
        return found.saturate() if item.saturate else found

    # -- instructions ------------------------------------------------------------------------------

    def instruction(self, item: Instruction) -> None:
        """Emit one instruction."""
        name, ureg = item.opcode, self.ureg
        if name == "END":
            ureg.END()
        elif name == "SWZ":
            self.swz(item)
        elif name == "KIL":
            ureg.KILL_IF(self.src(item.srcs[0]))
        elif item.target:
            operands = [self.src(src) for src in item.srcs]
            target = _TARGETS[item.target, item.shadow]
            sampler = self.samplers[item.unit]
            getattr(ureg, name)(self.dst(item), target, *operands, sampler)
        elif name in _SAME:
            getattr(ureg, name)(self.dst(item), *(self.src(src) for src in item.srcs))
        elif name != "NOP":
            self.composed(item, [self.src(src) for src in item.srcs])

    def composed(self, item: Instruction, srcs: list[tgsi.Src]) -> None:
        """What there is no opcode for."""
        ureg, name = self.ureg, item.opcode
        if name == "SUB":
            ureg.ADD(self.dst(item), srcs[0], srcs[1].negate())
        elif name == "ABS":
            ureg.MOV(self.dst(item), srcs[0].abs())
        elif name == "RSQ":
            ureg.RSQ(self.dst(item), srcs[0].abs())
        elif name == "DPH":
            sum_ = ureg.decl_temporary()
            ureg.DP3(sum_.writemask(_X), srcs[0], srcs[1])
            ureg.ADD(self.dst(item), sum_.src().scalar(0), srcs[1].scalar(3))
            ureg.release_temporary(sum_)
        elif name == "XPD":
            product = ureg.decl_temporary()
            x, y = srcs
            ureg.MUL(product.writemask(_XYZ), x.swizzle(2, 0, 1, 3), y.swizzle(1, 2, 0, 3))
            out = self.dst(item, _XYZ)
            ureg.MAD(out, x.swizzle(1, 2, 0, 3), y.swizzle(2, 0, 1, 3), product.src().negate())
            ureg.release_temporary(product)
        else:
            assert name == "SCS", name
            angle = srcs[0].scalar(0)
            if item.dst.mask & _X and item.dst.mask & _Y:
                kept = ureg.decl_temporary()  # the first result may be the angle's register
                ureg.COS(kept.writemask(_X), angle)
                ureg.SIN(kept.writemask(_Y), angle)
                ureg.MOV(self.dst(item, _X | _Y), kept.src())
                ureg.release_temporary(kept)
            elif item.dst.mask & _X:
                ureg.COS(self.dst(item, _X), angle)
            elif item.dst.mask & _Y:
                ureg.SIN(self.dst(item, _Y), angle)

    def swz(self, item: Instruction) -> None:
        """SWZ: components, zeros and ones, each of either sign: a product and a sum with numbers.
        """
        src = item.srcs[0]
        plain = all(part < ZERO for part in src.swizzle)
        if plain and src.negate in (0, XYZW):
            self.ureg.MOV(self.dst(item), self.src(src))
            return
        numbers = self.ureg.imm(0.0, 1.0, -1.0)
        factors, terms, picks = [0] * 4, [0] * 4, [0] * 4
        for n, part in enumerate(src.swizzle):
            sign = 2 if src.negate >> n & 1 else 1
            if part < ZERO:
                picks[n], factors[n] = part, sign
            elif part > ZERO:
                terms[n] = sign
        value = self.register(src).swizzle(*_four(picks))
        ureg, dst = self.ureg, self.dst(item)
        if not plain:
            ureg.MAD(dst, value, numbers.swizzle(*_four(factors)), numbers.swizzle(*_four(terms)))
        else:
            ureg.MUL(dst, value, numbers.swizzle(*_four(factors)))


def _four(parts: list[int]) -> Swizzle:
    return parts[0], parts[1], parts[2], parts[3]


def to_tgsi(program: Program) -> list[int]:
    """The tokens of a program."""
    translation = _Translation(program)
    for item in program.instructions:
        translation.instruction(item)
    tokens = translation.ureg.finalize()
    if tokens is None:
        raise MemoryError("the program has more tokens than a stream may have")
    return tokens


__all__ = ["to_tgsi"]
