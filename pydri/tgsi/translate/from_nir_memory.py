# SPDX-License-Identifier: MIT
"""Variables and constant blocks for from_nir.py: what is addressed at run time.

In: derefs, byte offsets.  Out: temporaries that are indexed through an address register, CONST
where an offset is a whole vector's, LOAD of CONSTBUF where it may be any.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from pydri.nir.interp import vec4_leaves
from pydri.nir.ir import AluInstr, Deref, IntrinsicInstr, LoadConst, Shader, SSADef, Variable
from pydri.nir.types import StructType, Type
from pydri.tgsi.build.decl import MAX_CONSTANT_BUFFERS
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.translate.liveness import Values, constant_place
from pydri.tgsi.translate.to_nir import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.tgsi.build.ureg import Ureg

#: vectors of a block whose size is not known: 64 KiB
WHOLE_BLOCK = 4096


def alignment(value: SSADef) -> tuple[int, int]:
    """(m, c): the value is a multiple of m, plus c; m = 0: it is c."""
    instr = value.instr
    if isinstance(instr, LoadConst):
        return 0, instr.values[0]
    if isinstance(instr, AluInstr) and instr.op.name in ("iadd", "imul", "ishl", "mov"):
        parts = [
            (0, src.ssa.instr.values[src.swizzle[0]])
            if isinstance(src.ssa.instr, LoadConst)
            else alignment(src.ssa)
            if src.ssa.num_components == 1
            else (1, 0)
            for src in instr.srcs
        ]
        (m, c), (n, d) = parts[0], parts[-1]
        if instr.op.name == "mov":
            return m, c
        if instr.op.name == "iadd":
            return gcd(m, n), c + d
        if instr.op.name == "ishl" and n == 0:
            return m << (d & 31), c << (d & 31)
        if instr.op.name == "imul" and 0 in (m, n):
            factor, (k, e) = (d, (m, c)) if n == 0 else (c, (n, d))
            return k * factor, e * factor
    return 1, 0


class Memory:
    """The base of from_nir's emitter."""

    if TYPE_CHECKING:

        def operand(self, value: SSADef, picks: Sequence[int]) -> Src: ...
        def target(self, value: SSADef) -> Dst: ...

    def __init__(self, u: Ureg, values: Values) -> None:
        self.u = u
        self.values = values
        self.variables: dict[Variable, Dst] = {}
        self.steps: list[tuple[SSADef, int]] = []
        self._address: Dst | None = None

    def address(self, index: Src) -> Src:
        """The address register, with a value in it."""
        if self._address is None:
            self._address = self.u.decl_address()
        self.u.UARL(self._address.writemask(1), index)
        return self._address.src().scalar(0)

    # ---- variables
    def declare_variables(self, shader: Shader) -> None:
        for var in (*shader.main.locals, *shader.globals):
            count = len(vec4_leaves(var.type))
            make = self.u.decl_array_temporary
            self.variables[var] = make(count) if count > 1 else self.u.decl_temporary()
        for var in self.variables:
            for n in range(len(vec4_leaves(var.type))):  # variables begin as zero
                self.u.MOV(self.variables[var].offset(n), self.u.imm_uint(0))

    def place(self, deref: Deref) -> tuple[Dst, int | SSADef | None]:
        """The register of a vector, or the one that `steps` (index, registers an element) are
        added to; and which component is meant, if not all.
        """
        at, type_ = 0, deref.var.type
        steps: list[tuple[SSADef, int]] = []
        component: int | SSADef | None = None
        for step in deref.path:
            if isinstance(step, str):
                assert isinstance(type_, StructType)
                for name, field in type_.fields:
                    if name == step:
                        break
                    at += len(vec4_leaves(field))
                type_ = type_.element(step)
                continue
            if type_.is_vector_or_scalar:
                component = step
                break
            inner: Type = type_.element()
            stride = len(vec4_leaves(inner))
            if isinstance(step, SSADef):
                steps.append((step, stride))
            else:
                at += min(step, type_.length - 1) * stride
            type_ = inner
        self.steps = steps
        return self.variables[deref.var].offset(at), component

    def indexed(self, deref: Deref) -> tuple[Dst, Src | None, int | SSADef | None]:
        """A register, with its address where it is found at run time. (Each index is clamped to
        the last of its own array; stores outside come to `inside`.)
        """
        register, component = self.place(deref)
        if not self.steps:
            return register, None, component
        u = self.u
        work = u.decl_temporary()
        part = work.writemask(1)
        first = True
        for (index, stride), length in zip(self.steps, self.lengths(deref), strict=True):
            one = self.operand(index, (0,))
            more = u.decl_temporary() if not first else work
            u.UMIN(more.writemask(1), one, u.imm_uint(length - 1))
            if stride > 1:
                u.UMUL(more.writemask(1), more.src(), u.imm_uint(stride))
            if not first:
                u.UADD(part, work.src(), more.src())
                u.release_temporary(more)
            first = False
        address = self.address(work.src().scalar(0))
        u.release_temporary(work)
        return register, address, component

    @staticmethod
    def lengths(deref: Deref) -> list[int]:
        """Of each array that is indexed at run time, how many elements it has."""
        found, type_ = [], deref.var.type
        for step in deref.path:
            if type_.is_vector_or_scalar:
                break
            if isinstance(step, SSADef):
                found.append(type_.length)
            type_ = type_.element(step if isinstance(step, str) else 0)
        return found

    def load_var(self, deref: Deref, dst: Dst) -> None:
        """A vector, or a component of one, into `dst`."""
        register, address, component = self.indexed(deref)
        src = register.src() if address is None else register.src().indirect(address)
        if component is None:
            self.u.MOV(dst, src)
        elif isinstance(component, int):
            self.u.MOV(dst, src.scalar(component))
        else:
            width = self.vector(deref).rows
            work = self.u.decl_temporary()
            self.u.MOV(work, src)
            self.u.MOV(dst, work.src().scalar(width - 1))
            hit = self.u.decl_temporary()
            for n in range(width - 1):
                index = self.operand(component, (0,))
                self.u.USEQ(hit.writemask(1), index, self.u.imm_uint(n))
                self.u.UCMP(dst, hit.src().scalar(0), work.src().scalar(n), dst.src().scalar(0))
            self.u.release_temporary(hit)
            self.u.release_temporary(work)

    @staticmethod
    def vector(deref: Deref) -> Type:
        """The vector that the last step of a path picks a component of."""
        return Deref(deref.var, deref.path[:-1]).type

    def store_var(self, deref: Deref, value: Src, mask: int) -> None:
        """Write components of a vector; outside of an array nothing is written."""
        u = self.u
        register, address, component = self.indexed(deref)
        dst = register if address is None else register.indirect(address)
        depth = 0
        for index, length in zip([s for s, _ in self.steps], self.lengths(deref), strict=True):
            hit = u.decl_temporary()
            u.USLT(hit.writemask(1), self.operand(index, (0,)), u.imm_uint(length))
            u.UIF(hit.src().scalar(0))
            u.release_temporary(hit)
            depth += 1
        if component is None:
            u.MOV(dst.writemask(mask), value)
        elif isinstance(component, int):
            u.MOV(dst.writemask(1 << component), value.scalar(0))
        else:
            for n in range(self.vector(deref).rows):
                hit = u.decl_temporary()
                u.USEQ(hit.writemask(1), self.operand(component, (0,)), u.imm_uint(n))
                old = dst.src().scalar(n)
                u.UCMP(dst.writemask(1 << n), hit.src().scalar(0), value.scalar(0), old)
                u.release_temporary(hit)
        for _ in range(depth):
            u.ENDIF()

    # ---- constant blocks
    def declare_constants(self, loads: list[IntrinsicInstr]) -> None:
        """The vectors of each block that are read; all of it where that is not known."""
        ranges: dict[int, tuple[int, int]] = {}
        for instr in loads:
            block, offset = instr.indices["block"], instr.srcs[0].instr
            low, high = ranges.get(block, (1 << 15, 0))
            place = constant_place(instr)
            if place is not None:
                low, high = min(low, place[1]), max(high, place[1])
            elif isinstance(offset, LoadConst) and offset.values[0] < 1 << 19:
                assert instr.dest is not None
                end = offset.values[0] + 4 * instr.dest.num_components - 1
                low, high = min(low, offset.values[0] // 16), max(high, end // 16)
            else:
                low, high = 0, max(high, WHOLE_BLOCK - 1)
            ranges[block] = low, min(high, 32767)
        for block, (low, high) in sorted(ranges.items()):
            if block >= MAX_CONSTANT_BUFFERS:
                raise Unsupported(f"constant block {block}")
            self.u.decl_constant2d(low, high, block)

    def load_ubo(self, instr: IntrinsicInstr, dest: SSADef) -> None:
        """Words at an offset that is not a constant one within one vector."""
        u, block = self.u, instr.indices["block"]
        offset = instr.srcs[0]
        multiple, rest = alignment(offset)
        first = rest % 16 // 4
        whole = multiple and multiple % 16 == 0 and rest % 4 == 0
        if whole and first + dest.num_components <= 4:
            work = u.decl_temporary()
            u.USHR(work.writemask(1), self.operand(offset, (0,)), u.imm_uint(4))
            address = self.address(work.src().scalar(0))
            u.release_temporary(work)
            src = Src(t.FILE_CONSTANT, 0).dimension(block).indirect(address)
            u.MOV(self.target(dest), src.swizzle(*(min(first + n, 3) for n in range(4))))
            return
        u.LOAD(self.target(dest), Src(t.FILE_CONSTBUF, block), self.operand(offset, (0,)))


__all__ = ["Memory", "alignment"]
