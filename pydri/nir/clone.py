# SPDX-License-Identifier: MIT
"""Copies of parts of a function's control-flow tree.

In: nodes, and values that stand for others. Out: the same nodes again, in another list. Counterpart
of Mesa's nir_clone.c (nir_cf_list_clone).
"""

from __future__ import annotations

from pydri.nir.ir import (
    AluInstr,
    AluSrc,
    Block,
    CFNode,
    Deref,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    IRError,
    JumpInstr,
    LoadConst,
    Loop,
    PhiInstr,
    SSADef,
    TexInstr,
    Undef,
)


class Cloner:
    """Copies nodes to the end of lists; what was copied is found in `values` and `blocks`."""

    def __init__(self, function: Function, parent: If | Loop | None) -> None:
        self.function = function
        self.parent = parent
        self.values: dict[SSADef, SSADef] = {}
        self.blocks: dict[Block, Block] = {}
        self._phis: list[tuple[PhiInstr, PhiInstr]] = []

    def value(self, ssa: SSADef) -> SSADef:
        """What stands for a value."""
        return self.values.get(ssa, ssa)

    def nodes(self, out: list[CFNode], nodes: list[CFNode]) -> None:
        """Append copies to `out`, whose last node is a Block that goes on."""
        for node in nodes:
            if isinstance(node, Block):
                self.block(out, node)
            elif isinstance(node, If):
                self._if(out, node)
            elif isinstance(node, Loop):
                self._loop(out, node)

    def block(self, out: list[CFNode], block: Block) -> None:
        """Append the instructions of a block to the last block of `out`."""
        into = out[-1]
        assert isinstance(into, Block)
        self.blocks[block] = into
        for instr in block.instrs:
            if instr.dest is not None and instr.dest in self.values:
                continue  # something else stands for it
            copy = clone_instr(instr)
            copy.map_sources(self.value)
            if isinstance(instr, PhiInstr) and isinstance(copy, PhiInstr):
                self._phis.append((instr, copy))
            if instr.dest is not None and copy.dest is not None:
                self.values[instr.dest] = copy.dest
            into.append(copy)

    def _if(self, out: list[CFNode], node: If) -> None:
        parent = out[-1].parent
        copy = If(self.function, self.value(node.condition), parent)
        self.nodes(copy.then, node.then)
        self.nodes(copy.otherwise, node.otherwise)
        out += [copy, Block(self.function, parent)]

    def _loop(self, out: list[CFNode], node: Loop) -> None:
        parent = out[-1].parent
        copy = Loop(self.function, parent)
        self.nodes(copy.body, node.body)
        out += [copy, Block(self.function, parent)]

    def close(self) -> None:
        """All is copied: phis get their sources."""
        for old, new in self._phis:
            new.srcs = [(self.blocks[block], self.value(ssa)) for block, ssa in old.srcs]
        self._phis.clear()


def clone_instr(instr: Instr) -> Instr:
    """The same instruction with the same sources; of a phi, without them."""
    dest = instr.dest
    if isinstance(instr, AluInstr):
        srcs = [AluSrc(src.ssa, src.swizzle) for src in instr.srcs]
        to = instr.dest
        return AluInstr(
            instr.op, srcs, to.num_components, to.bit_size, to.kind, instr.saturate
        )
    if isinstance(instr, LoadConst):
        return LoadConst(instr.values, instr.dest.bit_size, instr.dest.kind)
    if isinstance(instr, Undef):
        return Undef(instr.dest.num_components, instr.dest.bit_size, instr.dest.kind)
    if isinstance(instr, IntrinsicInstr):
        shape = (0, 32, "") if dest is None else (dest.num_components, dest.bit_size, dest.kind)
        variables = [Deref(deref.var, deref.path) for deref in instr.variables]
        return IntrinsicInstr(instr.name, list(instr.srcs), variables, instr.indices, *shape)
    if isinstance(instr, TexInstr):
        return _clone_tex(instr)
    if isinstance(instr, PhiInstr):
        assert dest is not None
        return PhiInstr(dest.num_components, dest.bit_size, dest.kind)
    if isinstance(instr, JumpInstr):
        return JumpInstr(instr.kind)
    raise IRError(f"{instr!r} cannot be copied")


def _clone_tex(instr: TexInstr) -> TexInstr:
    return TexInstr(
        instr.op,
        list(instr.srcs),
        sampler_dim=instr.sampler_dim,
        component=instr.component,
        is_array=instr.is_array,
        is_shadow=instr.is_shadow,
        texture_index=instr.texture_index,
        sampler_index=instr.sampler_index,
        num_components=instr.dest.num_components,
        kind=instr.dest.kind,
    )
