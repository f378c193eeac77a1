# SPDX-License-Identifier: MIT
"""Which blocks dominate which: a block dominates another if every way to that one goes through it.

In: a function.  Out: `Dominance`, valid until the control flow changes.
Cooper, Harvey and Kennedy's iteration over blocks in listing order, which is already a reverse
postorder of the structured graph; unreachable blocks are dominated by nothing and by everything.
Counterpart of Mesa's nir_dominance.c.
"""

from __future__ import annotations

from pydri.nir.ir import Block, Function


class Dominance:
    """Immediate dominators of a function's blocks."""

    __slots__ = ("blocks", "idom")

    def __init__(self, function: Function) -> None:
        function.require_cfg()
        self.blocks: list[Block] = [*function.blocks(), function.end_block]
        start = self.blocks[0]
        #: block -> its immediate dominator; the first block is its own
        self.idom: dict[Block, Block] = {start: start}
        changed = True
        while changed:
            changed = False
            for block in self.blocks[1:]:
                best: Block | None = None
                for pred in block.predecessors:
                    if pred in self.idom:
                        best = pred if best is None else self._meet(pred, best)
                if best is not None and self.idom.get(block) is not best:
                    self.idom[block] = best
                    changed = True

    def _meet(self, a: Block, b: Block) -> Block:
        while a is not b:
            while a.index > b.index:
                a = self.idom[a]
            while b.index > a.index:
                b = self.idom[b]
        return a

    def dominates(self, a: Block, b: Block) -> bool:
        """Does every way to `b` go through `a`?"""
        if b not in self.idom:
            return True
        while b is not a:
            up = self.idom[b]
            if up is b:
                return False
            b = up
        return True

