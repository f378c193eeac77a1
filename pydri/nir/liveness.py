# SPDX-License-Identifier: MIT
"""Which values are needed where.

In: a function.  Out: `Liveness`, valid until an instruction or the control flow changes.
A phi reads each source at the end of the block that it comes from, and is defined at the beginning
of its own; places in a block are counted so that instruction i of `block.instrs` reads at i and
writes at i, `end(block)` is where phis behind it read, and what lies beyond is `BEYOND`.
Counterpart of Mesa's nir_liveness.c (nir_live_ssa_defs_impl).
"""

from __future__ import annotations

from typing import Final

from pydri.nir.ir import Block, Function, If, PhiInstr, SSADef

#: a place behind all of a block: the value is needed by what comes after it
BEYOND: Final = 1 << 30
#: the place where phis, and what comes from before, are there already
BEGIN: Final = -1

#: block -> from where to where a value is kept: half open, so that ranges that only touch may share
Range = dict[Block, tuple[int, int]]


def end(block: Block) -> int:
    """Where phis that follow read: before a jump."""
    return len(block.instrs) - (block.jump is not None)


class Liveness:
    """Live values of a function's blocks."""

    __slots__ = ("function", "live_in", "live_out")

    def __init__(self, function: Function) -> None:
        function.require_cfg()
        self.function = function
        blocks = list(function.blocks())
        #: values that come into a block, without its own phis
        self.live_in: dict[Block, set[SSADef]] = {block: set() for block in blocks}
        #: values that a block passes on to all that follow, without what only phis read
        self.live_out: dict[Block, set[SSADef]] = {block: set() for block in blocks}
        conditions = {
            node.previous_block: node.condition
            for node in function.nodes()
            if isinstance(node, If)
        }
        changed = True
        while changed:
            changed = False
            for block in reversed(blocks):
                out: set[SSADef] = set()
                for successor in block.successors:
                    out |= self.live_in.get(successor, set())
                needed = set(out)
                if block in conditions:
                    needed.add(conditions[block])
                for successor in block.successors:
                    for phi in successor.phis:
                        needed |= {value for source, value in phi.srcs if source is block}
                for instr in reversed(block.instrs):
                    if instr.dest is not None:
                        needed.discard(instr.dest)
                    if not isinstance(instr, PhiInstr):
                        needed.update(instr.sources())
                changed |= needed != self.live_in[block] or out != self.live_out[block]
                self.live_in[block], self.live_out[block] = needed, out

    def ranges(self) -> dict[SSADef, Range]:
        """Of every value, in which part of which blocks it is kept."""
        found: dict[SSADef, Range] = {}
        conditions = {
            node.previous_block: node.condition
            for node in self.function.nodes()
            if isinstance(node, If)
        }
        for block in self.function.blocks():
            last: dict[SSADef, int] = {}
            first = dict.fromkeys(self.live_in[block], BEGIN)
            for place, instr in enumerate(block.instrs):
                is_phi = isinstance(instr, PhiInstr)
                if not is_phi:
                    last.update(dict.fromkeys(instr.sources(), place))
                if instr.dest is not None:
                    first[instr.dest] = BEGIN if is_phi else place
                    last.setdefault(instr.dest, first[instr.dest] + 1)
            if block in conditions:
                last[conditions[block]] = len(block.instrs)
            for successor in block.successors:
                for phi in successor.phis:
                    for source, value in phi.srcs:
                        if source is block:
                            last[value] = max(last.get(value, BEGIN), end(block))
            last.update(dict.fromkeys(self.live_out[block], BEYOND))
            for ssa, start in first.items():
                found.setdefault(ssa, {})[block] = (start, last.get(ssa, start + 1))
        return found


def overlap(a: Range, b: Range) -> bool:
    """Whether two are kept at one time."""
    if len(b) < len(a):
        a, b = b, a
    return any(
        start < b[block][1] and b[block][0] < stop
        for block, (start, stop) in a.items()
        if block in b
    )
