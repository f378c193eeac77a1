# SPDX-License-Identifier: MIT
"""Which values are the same in all lanes that run together, and which jumps lanes take together.

In: a function whose variables are SSA values, as back ends get it. Out: `Divergence`, valid until
the function changes. What is uniform a back end of vectors keeps in a scalar; a condition that is
uniform is a branch. A phi is uniform if all its values are and all lanes that arrive come the same
way; what a loop computes is uniform within, but not behind it where lanes leave in different
rounds. Counterpart of Mesa's nir_divergence_analysis.c.

The analysis begins with the belief that nothing diverges and takes back what does not hold, until
nothing changes; so loop counters, which depend on themselves, stay uniform.
"""

from __future__ import annotations

from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConst,
    Loop,
    PhiInstr,
    SSADef,
    TexInstr,
)

#: how deep two expressions are compared
_DEPTH = 4
#: texture instructions that ask about the texture and not about a place in it
_QUERIES = frozenset({"txs", "query_levels"})


def same_value(x: SSADef, y: SSADef, depth: int = _DEPTH) -> bool:
    """Whether two values are known to be equal in each lane: the same computation."""
    if x is y:
        return True
    a, b = x.instr, y.instr
    if isinstance(a, LoadConst) and isinstance(b, LoadConst):
        return a.values == b.values and x.bit_size == y.bit_size
    if not isinstance(a, AluInstr) or not isinstance(b, AluInstr) or not depth:
        return False
    if a.op is not b.op or a.saturate != b.saturate or x.num_components != y.num_components:
        return False
    return all(
        p.swizzle == q.swizzle and same_value(p.ssa, q.ssa, depth - 1)
        for p, q in zip(a.srcs, b.srcs, strict=True)
    )


class LoopLanes:
    """How lanes leave and repeat a loop."""

    __slots__ = ("divergent_breaks", "divergent_continues", "ends", "splits")

    def __init__(self) -> None:
        #: some lanes may break while others stay, or repeat while others do not
        self.divergent_breaks = False
        self.divergent_continues = False
        #: lanes may end in it: there is a return or terminate
        self.ends = False
        #: lanes may leave in different rounds
        self.splits = False

    @property
    def masked(self) -> bool:
        """Whether the lanes that run may be others than those of the round before."""
        return self.divergent_breaks or self.divergent_continues or self.ends


class Divergence:
    """The analysis of one function."""

    def __init__(self, function: Function, differing: frozenset[str] = frozenset()) -> None:
        """`differing`: intrinsics that are not uniform here, whatever their rows say."""
        function.require_cfg()
        self.function = function
        self._differing = differing
        self.divergent: set[SSADef] = set()
        #: by loop
        self.loops: dict[Loop, LoopLanes] = {}
        #: the blocks whose jump all lanes of the loop's round take that get to it together
        self.direct: set[Block] = set()
        #: whether some jump, return or terminate may leave a part of the lanes behind
        self.drops_lanes = False
        #: loops around the definition of values of loops
        self._home: dict[SSADef, tuple[Loop, ...]] = {}
        self._blocks = list(function.blocks())
        has_flow = len(function.body) > 1
        if has_flow:
            self._find_homes()
        #: loops in whose round, as far as it was walked, some lanes may have gone to the next
        self._repeated: set[Loop] = set()
        self._changed = True
        while self._changed:
            self._changed = False
            self.direct.clear()
            self._repeated.clear()
            self._walk(function.body, [], False)
            if not has_flow:
                break

    # ---- answers
    def is_uniform(self, ssa: SSADef, where: CFNode | None = None) -> bool:
        """Whether a value is the same in all lanes that run; `where`: as seen from that node."""
        if ssa in self.divergent:
            return False
        return where is None or not self._left(ssa, where)

    def outlives(self, ssa: SSADef, where: CFNode) -> bool:
        """Whether lanes may have left the loop that defines a value in different rounds before
        they come to a node that reads it."""
        return self._left(ssa, where)

    # ---- the walk
    def _find_homes(self) -> None:
        for node in self.function.nodes():
            if isinstance(node, Loop):
                self.loops[node] = LoopLanes()
        if not self.loops:
            return
        for block in self._blocks:
            around = _loops_around(block)
            if around:
                for instr in block.instrs:
                    if instr.dest is not None:
                        self._home[instr.dest] = around

    def _left(self, ssa: SSADef, where: CFNode) -> bool:
        home = self._home.get(ssa)
        if home is None:
            return False
        around = _loops_around(where)
        return any(self.loops[loop].splits for loop in home if loop not in around)

    def _mark(self, ssa: SSADef) -> None:
        if ssa not in self.divergent:
            self.divergent.add(ssa)
            self._changed = True

    def _note(self, loop: Loop, *flags: str) -> None:
        lanes = self.loops[loop]
        for flag in flags:
            if not getattr(lanes, flag):
                setattr(lanes, flag, True)
                self._changed = True

    def _walk(self, nodes: list[CFNode], around: list[Loop], apart: bool) -> None:
        """Nodes in order; `apart`: some lanes of the innermost loop's round may not come here."""
        for node in nodes:
            if isinstance(node, Block):
                self._block(node, around, apart)
            elif isinstance(node, If):
                inner = apart or not self.is_uniform(node.condition, node)
                self._walk(node.then, around, inner)
                self._walk(node.otherwise, around, inner)
            elif isinstance(node, Loop):
                # whether lanes are together is asked of the inner loop's own rounds
                self._walk(node.body, [*around, node], False)

    def _block(self, block: Block, around: list[Loop], apart: bool) -> None:
        for instr in block.instrs:
            if isinstance(instr, JumpInstr):
                self._jump(block, instr, around, apart)
            elif isinstance(instr, PhiInstr):
                if instr.dest not in self.divergent and self._phi_diverges(instr, block):
                    self._mark(instr.dest)
            elif instr.dest is None:
                if isinstance(instr, IntrinsicInstr) and instr.name == "terminate":
                    self._ends(around)
            elif instr.dest not in self.divergent and self._diverges(instr, block):
                self._mark(instr.dest)

    def _ends(self, around: list[Loop]) -> None:
        self.drops_lanes = True
        for loop in around:
            self._note(loop, "ends")

    def _jump(self, block: Block, instr: JumpInstr, around: list[Loop], apart: bool) -> None:
        if instr.kind == "return":
            self._ends(around)
            return
        if not around:
            return  # the validator's to report
        loop = around[-1]
        if not apart:
            self.direct.add(block)
            if instr.kind == "break" and loop in self._repeated:
                self._note(loop, "splits")
            return
        self.drops_lanes = True
        if instr.kind == "break":
            self._note(loop, "divergent_breaks", "splits")
        else:
            self._note(loop, "divergent_continues")
            self._repeated.add(loop)

    def _diverges(self, instr: Instr, block: Block) -> bool:
        if isinstance(instr, TexInstr) and instr.op not in _QUERIES:
            return True
        if isinstance(instr, IntrinsicInstr):
            if not instr.row.uniform or instr.name in self._differing:
                return True
        return any(not self.is_uniform(ssa, block) for ssa in instr.sources())

    def _phi_diverges(self, phi: PhiInstr, block: Block) -> bool:
        values = [ssa for _, ssa in phi.srcs]
        if any(not self.is_uniform(ssa, block) for ssa in values):
            return True
        if not values or all(same_value(ssa, values[0]) for ssa in values[1:]):
            return False
        node = self._decides(block)
        if isinstance(node, If):
            return not self.is_uniform(node.condition, node)
        if node is block.parent:  # the phi is at the loop's head
            assert isinstance(node, Loop)
            if not self.loops[node].divergent_continues:
                return False
            back = [ssa for source, ssa in phi.srcs if _is_inside(source, node)]
            return not all(same_value(ssa, back[0]) for ssa in back[1:])
        assert isinstance(node, Loop)
        return self.loops[node].splits

    def _decides(self, block: Block) -> If | Loop:
        """The node whose condition or jumps decide what a phi of a block is."""
        nodes = block.siblings
        at = nodes.index(block)
        if at:
            before = nodes[at - 1]
            assert isinstance(before, If | Loop)
            return before
        assert isinstance(block.parent, Loop)
        return block.parent


def _loops_around(node: CFNode) -> tuple[Loop, ...]:
    """The loops that a node lies in."""
    out = []
    parent = node.parent
    while parent is not None:
        if isinstance(parent, Loop):
            out.append(parent)
        parent = parent.parent
    return tuple(out)


def _is_inside(node: CFNode, loop: Loop) -> bool:
    return loop in _loops_around(node)


__all__ = ["Divergence", "LoopLanes", "same_value"]
