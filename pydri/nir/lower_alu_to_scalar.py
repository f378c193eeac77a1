# SPDX-License-Identifier: MIT
"""Vector arithmetic becomes one instruction per component, gathered by a vec.

In: a shader.  Out: True if an instruction was split.
A back end that keeps one SIMD register per component wants this: its lanes are pixels or vertices.
Dot products are expanded in the order that the opcode table defines; mov, vec and the packing
opcodes stay as they are.  Counterpart of nir_lower_alu_to_scalar.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import AluInstr, AluSrc, Block, Function, Shader, SSADef
from pydri.nir.opcodes import OPCODES

_KEPT = frozenset(("mov", "vec2", "vec3", "vec4"))
_DOTS = frozenset(("fdot2", "fdot3", "fdot4"))


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        progress |= _Splitter(shader, function).run()
    return progress


class _Splitter:
    """One function. A block's list is made anew: an insertion for each component would move all
    that comes behind it each time."""

    def __init__(self, shader: Shader, function: Function) -> None:
        self.function = function
        self.b = Builder(shader, function)
        self.replace: dict[SSADef, SSADef] = {}
        #: of what was split: its components, so that nothing reads them through the vec
        self.parts: dict[SSADef, list[SSADef]] = {}

    def run(self) -> bool:
        for block in self.function.blocks():
            if any(isinstance(i, AluInstr) and _is_split(i) for i in block.instrs):
                self.block(block)
        self.function.rewrite(self.replace)
        return bool(self.replace)

    def block(self, block: Block) -> None:
        before, block.instrs = block.instrs, []
        self.b.at_end(block)
        for instr in before:
            if not isinstance(instr, AluInstr) or not _is_split(instr):
                block.instrs.append(instr)
                continue
            if instr.op.name in _DOTS:
                self.replace[instr.dest] = self.dot(instr)
            else:
                width = instr.dest.num_components
                parts = self.parts[instr.dest] = [self.scalar(instr, n) for n in range(width)]
                self.replace[instr.dest] = self.b.vec(*parts)
            instr.block = None

    def source(self, src: AluSrc, component: int) -> AluSrc:
        """One component of a source."""
        number = src.swizzle[component]
        parts = self.parts.get(src.ssa)
        return AluSrc(src.ssa, (number,)) if parts is None else AluSrc(parts[number], (0,))

    def scalar(self, instr: AluInstr, component: int) -> SSADef:
        """One component of an instruction."""
        srcs = [
            AluSrc(src.ssa, src.swizzle) if size else self.source(src, component)
            for src, size in zip(instr.srcs, instr.op.in_sizes, strict=True)
        ]
        dest = instr.dest
        one = AluInstr(instr.op, srcs, 1, dest.bit_size, dest.kind, instr.saturate)
        self.b.insert(one)
        return one.dest

    def dot(self, instr: AluInstr) -> SSADef:
        """A dot product from left to right."""
        x, y = instr.srcs
        total: SSADef | None = None
        for n in range(len(x.swizzle)):
            pair = [self.source(x, n), self.source(y, n)]
            product = AluInstr(OPCODES["fmul"], pair, 1, 32, "float")
            self.b.insert(product)
            total = product.dest if total is None else self.b.fadd(total, product.dest)
        assert total is not None
        return self.b.fsat(total) if instr.saturate else total


def _is_split(instr: AluInstr) -> bool:
    if instr.op.name in _KEPT:
        return False
    wide = instr.dest.num_components > 1 and not instr.op.out_size
    return wide or instr.op.name in _DOTS
