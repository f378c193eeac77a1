# SPDX-License-Identifier: MIT
"""Vector arithmetic becomes one instruction per component, gathered by a vec.

In: a shader.  Out: True if an instruction was split.
A back end that keeps one SIMD register per component wants this: its lanes are pixels or vertices.
Dot products are expanded in the order that the opcode table defines; mov, vec and the packing
opcodes stay as they are.  Counterpart of nir_lower_alu_to_scalar.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import AluInstr, AluSrc, Block, Function, If, Shader, SSADef
from pydri.nir.opcodes import OPCODES

_KEPT = frozenset(("mov", "vec2", "vec3", "vec4"))
_DOTS = frozenset(("fdot2", "fdot3", "fdot4"))
_ONE = ((0,), (1,), (2,), (3,))
_X = _ONE[0]


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
        self.whole: set[SSADef] = set()

    def run(self) -> bool:
        blocks = list(self.function.blocks())
        if any(isinstance(i, AluInstr) and _is_split(i) for block in blocks for i in block.instrs):
            self.whole = self.read_whole()
            for block in blocks:
                self.block(block)
            self.function.rewrite(self.replace)
            return True
        return False

    def read_whole(self) -> set[SSADef]:
        """The values of which somebody reads more than components, so that a vec must gather
        them."""
        found: set[SSADef] = set()
        for node in self.function.nodes():
            if isinstance(node, If):
                found.add(node.condition)
            elif isinstance(node, Block):
                for instr in node.instrs:
                    if not isinstance(instr, AluInstr) or instr.op.name == "mov":
                        found.update(instr.sources())
                    elif instr.op.name not in _DOTS:
                        sizes = zip(instr.srcs, instr.op.in_sizes, strict=True)
                        found.update(src.ssa for src, size in sizes if size > 1)
        return found

    def block(self, block: Block) -> None:
        before, block.instrs = block.instrs, []
        self.b.at_end(block)
        for instr in before:
            if not isinstance(instr, AluInstr):
                block.instrs.append(instr)
            elif instr.op.name in _DOTS:
                self.replace[instr.dest] = self.dot(instr)
            elif _is_split(instr):
                parts = self.parts[instr.dest] = self.scalars(instr)
                if instr.dest in self.whole:
                    self.replace[instr.dest] = self.b.vec(*parts)
            else:
                if instr.op.name != "mov":
                    instr.srcs = [
                        self.source(src, 0) if len(src.swizzle) == 1 else src for src in instr.srcs
                    ]
                block.instrs.append(instr)

    def source(self, src: AluSrc, component: int) -> AluSrc:
        """One component of a source."""
        number = src.swizzle[component]
        parts = self.parts.get(src.ssa)
        return AluSrc(src.ssa, _ONE[number]) if parts is None else AluSrc(parts[number], _X)

    def scalars(self, instr: AluInstr) -> list[SSADef]:
        """The components of an instruction."""
        op, dest, append = instr.op, instr.dest, self.b.block.append
        read = [
            (src, self.parts.get(src.ssa), size)
            for src, size in zip(instr.srcs, op.in_sizes, strict=True)
        ]
        found = []
        for n in range(dest.num_components):
            srcs = [
                AluSrc(src.ssa, src.swizzle) if size
                else AluSrc(src.ssa, _ONE[src.swizzle[n]]) if parts is None
                else AluSrc(parts[src.swizzle[n]], _X)
                for src, parts, size in read
            ]  # fmt: skip
            one = AluInstr(op, srcs, 1, dest.bit_size, dest.kind, instr.saturate)
            append(one)
            found.append(one.dest)
        return found

    def dot(self, instr: AluInstr) -> SSADef:
        """A dot product from left to right."""
        x, y = instr.srcs
        total: SSADef | None = None
        for n in range(len(x.swizzle)):
            pair = [self.source(x, n), self.source(y, n)]
            product = AluInstr(OPCODES["fmul"], pair, 1, 32, "float")
            self.b.block.append(product)
            if total is None:
                total = product.dest
                continue
            both = [AluSrc(total, _X), AluSrc(product.dest, _X)]
            added = AluInstr(OPCODES["fadd"], both, 1, 32, "float")
            self.b.block.append(added)
            total = added.dest
        assert total is not None
        return self.b.fsat(total) if instr.saturate else total


def _is_split(instr: AluInstr) -> bool:
    if instr.op.name in _KEPT:
        return False
    wide = instr.dest.num_components > 1 and not instr.op.out_size
    return wide or instr.op.name in _DOTS
