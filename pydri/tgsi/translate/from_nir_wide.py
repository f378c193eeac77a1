# SPDX-License-Identifier: MIT
"""Values of 64 bits for from_nir.py: each component is x and y of a temporary of its own.

In: ALU instructions that read or make such values.  Out: instructions for a component at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydri.nir.ir import AluInstr, LoadConst, SSADef, Undef
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.translate.from_nir_memory import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

_HALVES: Final = 3  # the mask of x and y
#: one instruction of TGSI
SAME_WIDE: Final[dict[str, str]] = {
    "fadd64": "DADD", "fmul64": "DMUL", "fdiv64": "DDIV", "fsign64": "DSSG", "fmin64": "DMIN",
    "fmax64": "DMAX", "ffloor64": "DFLR", "fceil64": "DCEIL", "ftrunc64": "DTRUNC",
    "fround_even64": "DROUND", "ffract64": "DFRAC", "ffma64": "DFMA", "frcp64": "DRCP",
    "frsq64": "DRSQ", "fsqrt64": "DSQRT", "fneg64": "DNEG", "fabs64": "DABS",
    "fldexp64": "DLDEXP", "feq64": "DSEQ", "fneu64": "DSNE", "flt64": "DSLT", "fge64": "DSGE",
    "iadd64": "U64ADD", "imul64": "U64MUL", "ineg64": "I64NEG", "iabs64": "I64ABS",
    "isign64": "I64SSG", "imin64": "I64MIN", "imax64": "I64MAX", "umin64": "U64MIN",
    "umax64": "U64MAX", "ilt64": "I64SLT", "ige64": "I64SGE", "ult64": "U64SLT",
    "uge64": "U64SGE", "ishl64": "U64SHL", "ishr64": "I64SHR", "ushr64": "U64SHR",
    "idiv64": "I64DIV", "irem64": "I64MOD", "f2d": "F2D", "d2f": "D2F", "i2d": "I2D", "u2d": "U2D",
    "d2i": "D2I", "d2u": "D2U", "i2i64": "I2I64", "u2u64": "U2I64", "f2i64": "F2I64",
    "f2u64": "F2U64", "d2i64": "D2I64", "d2u64": "D2U64", "i642f": "I642F", "u642f": "U642F",
    "i642d": "I642D", "u642d": "U642D",
}  # fmt: skip
#: opcodes of nir for any width: what they are on 64 bits
_ANY: Final[dict[str, str]] = {
    "mov": "MOV", "bcsel": "UCMP", "iand": "AND", "ior": "OR", "ixor": "XOR", "inot": "NOT",
    "ieq": "U64SEQ", "ine": "U64SNE",
}  # fmt: skip
#: divisions whose result is 0 where the divisor is; TGSI gives all bits
_DIVIDED: Final[dict[str, str]] = {"udiv64": "U64DIV", "umod64": "U64MOD"}
_HALF: Final[dict[str, int]] = {"unpack_64_2x32_split_x": 0, "unpack_64_2x32_split_y": 1}
KNOWN_WIDE: Final = frozenset((*SAME_WIDE, *_DIVIDED, *_HALF, "pack_64_2x32_split"))


class Wide(Memory):
    """A base of from_nir's emitter."""

    #: the temporaries of a value of 64 bits, one for each component
    wides: dict[SSADef, tuple[Dst, ...]]
    #: (last use, value) of the temporaries that are in use
    alive: list[tuple[int, SSADef]]
    at: int

    def pair(self, value: SSADef, component: int) -> Src:
        """Both halves of a component, twice."""
        piece = self.values.piece(value, (component,))
        root, at = piece.root, piece.picks[0]
        instr = root.instr
        if isinstance(instr, LoadConst):
            bits = instr.values[at]
            return self.u.imm_uint(bits & 0xFFFFFFFF, bits >> 32).swizzle(0, 1, 0, 1)
        if isinstance(instr, Undef):
            return self.u.imm_uint(0)
        return self.registers(root)[at].src().swizzle(0, 1, 0, 1)

    def registers(self, value: SSADef) -> tuple[Dst, ...]:
        """The temporaries of a value that is computed."""
        found = self.wides.get(value)
        if found is None:
            made = tuple(self.u.decl_temporary() for _ in range(value.num_components))
            found = self.wides[value] = tuple(temp.writemask(_HALVES) for temp in made)
            self.alive.append((self.values.last.get(value, self.at), value))
        return found

    def scalar_operand(self, value: SSADef, component: int) -> Src:
        """A component, of whatever width."""
        if value.bit_size == 64:
            return self.pair(value, component)
        return self.operand(value, (component,))

    def wide_alu(self, instr: AluInstr) -> None:
        """An instruction with 64 bits on some side."""
        u, dest, name = self.u, instr.dest, instr.op.name
        if name in ("vec2", "vec3", "vec4"):
            for dst, src in zip(self.registers(dest), instr.srcs, strict=True):
                u.MOV(dst, self.pair(src.ssa, src.swizzle[0]))
            return
        for n in range(dest.num_components):
            if dest.bit_size == 64:
                dst = self.registers(dest)[n]
            else:
                dst = self.target(dest).writemask(1 << n)
            dst = dst.saturate() if instr.saturate else dst
            srcs = [self.scalar_operand(src.ssa, src.swizzle[n]) for src in instr.srcs]
            self.wide_component(name, dst, srcs)

    def wide_component(self, name: str, dst: Dst, srcs: Sequence[Src]) -> None:
        """One component of an instruction."""
        u = self.u
        opcode = SAME_WIDE.get(name) or _ANY.get(name)
        if opcode is not None:
            u.insn(opcode, [dst], list(srcs))
        elif name in _HALF:
            u.MOV(dst, srcs[0].scalar(_HALF[name]))
        elif name in _DIVIDED:
            work, zero = u.decl_temporary(), u.imm_uint(0)
            u.insn(_DIVIDED[name], [work.writemask(_HALVES)], list(srcs))
            u.U64SEQ(work.writemask(4), srcs[1], zero)
            u.UCMP(dst, work.src().scalar(2), zero, work.src().swizzle(0, 1, 0, 1))
            u.release_temporary(work)
        else:  # a number of two halves
            u.MOV(dst.writemask(1), srcs[0].scalar(0))
            u.MOV(dst.writemask(2), srcs[1].scalar(0))


__all__ = ["KNOWN_WIDE", "Wide"]
