# SPDX-License-Identifier: MIT
"""Edits of the control-flow tree that passes share.

In: nodes of a function.  Out: the same function, its rules kept: lists begin and end with blocks,
phis name exactly the predecessors.  A pass that makes many edits hands `Edits` to them, in which is
noted what else has to change in the function, and does that once. Counterpart of Mesa's
nir_control_flow.c.
"""

from __future__ import annotations

from pydri.nir.ir import Block, CFNode, Function, If, Loop, PhiInstr, SSADef, Undef


class Edits:
    """Edits of a function that are not finished: values and blocks that others stand for now."""

    __slots__ = ("function", "renamed", "replace")

    def __init__(self, function: Function) -> None:
        self.function = function
        self.replace: dict[SSADef, SSADef] = {}
        self.renamed: dict[Block, Block] = {}

    def now(self, block: Block) -> Block:
        """What a block that phis name has become."""
        while block in self.renamed:
            block = self.renamed[block]
        return block

    def came_from(self, phi: PhiInstr) -> dict[Block, SSADef]:
        """A phi's values by the blocks that there are now."""
        return {self.now(block): value for block, value in phi.srcs}

    def finish(self) -> None:
        """Make everything right."""
        for block in self.function.blocks():
            for phi in block.phis:
                phi.srcs = [(self.now(source), value) for source, value in phi.srcs]
        repair_phis(self.function)
        self.function.rewrite(self.replace)


def remove_node(node: If | Loop, edits: Edits | None = None) -> None:
    """Take an If or Loop out; the block after it is merged into the one before it."""
    before, after = node.previous_block, node.next_block
    nodes = node.siblings
    at = nodes.index(node)
    del nodes[at : at + 2]
    merge_blocks(before, after, edits)


def merge_blocks(before: Block, after: Block, edits: Edits | None = None) -> None:
    """Append what `after` holds to `before`, in its lists of instructions and in others' phis."""
    for instr in after.instrs:
        instr.block = before
    before.instrs.extend(after.instrs)
    after.instrs = []
    if edits is None:
        rename_predecessor(before.function, after, before)
    else:
        edits.renamed[after] = before
    before.function.cfg_changed()


def rename_predecessor(function: Function, old: Block, new: Block) -> None:
    """Phis that said "from old" say "from new"."""
    for block in function.blocks():
        for phi in block.phis:
            phi.srcs = [(new if source is old else source, value) for source, value in phi.srcs]


def inline_nodes(node: If | Loop, body: list[CFNode], edits: Edits | None = None) -> None:
    """Put the node's own `body` in the node's place.

    If the body ends with a jump, what stood behind the node cannot be reached and goes away; a
    phi-free start of the body is the caller's business.
    """
    before, after = node.previous_block, node.next_block
    nodes = node.siblings
    at = nodes.index(node)
    first, last = body[0], body[-1]
    assert isinstance(first, Block) and isinstance(last, Block)
    for inner in body:
        inner.parent = node.parent
    behind = nodes[at + 2 :]
    rest = [*body[1:]]
    merge_blocks(before, first, edits)
    end = before if last is first else last
    if end.jump is not None:
        behind = []
    else:
        merge_blocks(end, after, edits)
    nodes[at:] = [*rest, *behind]
    if edits is None:
        repair_phis(before.function)


def repair_phis(function: Function) -> None:
    """After edges have gone: phis forget predecessors that no longer are."""
    function.cfg_changed()
    replace: dict[SSADef, SSADef] = {}
    for block in function.blocks():
        preds = block.predecessors
        for phi in block.phis:
            phi.srcs = [(source, value) for source, value in phi.srcs if source in preds]
            if not phi.srcs:
                replace[phi.dest] = _undef_like(function, phi)
                phi.remove()
    function.rewrite(replace)


def _undef_like(function: Function, phi: PhiInstr) -> SSADef:
    undef = Undef(phi.dest.num_components, phi.dest.bit_size, phi.dest.kind)
    next(function.blocks()).insert(0, undef)
    return undef.dest
