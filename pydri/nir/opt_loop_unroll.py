# SPDX-License-Identifier: MIT
"""Loops whose number of rounds is known become that many copies of their body.

In: a shader whose variables are SSA values, `limit` = how many instructions the copies may have
together. Out: True if a loop went.
A loop is understood if its only jumps are breaks in Ifs directly in its body, and if these depend
on nothing but constants and on phis that begin as constants and go on as functions of such phis:
they are computed round by round until a break is taken, whatever the step is.
Counterpart of nir_loop_analyze.c and nir_opt_loop_unroll.c.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.nir.cf_edit import inline_nodes
from pydri.nir.clone import Cloner
from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
    Function,
    If,
    Instr,
    JumpInstr,
    LoadConst,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    first_block,
    last_block,
)
from pydri.nir.opt_constant_folding import fold

#: rounds that are looked at
MOST_ROUNDS = 128


class _Exit(NamedTuple):
    """An If of a loop's body, one side of which does nothing but leave the loop."""

    node: If
    leaves: list[CFNode]  # the side that does
    stays: list[CFNode]
    when: bool  # the condition that leaves


def run(shader: Shader, limit: int = 600) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        while any(_unroll(loop, limit) for loop in _loops(function)):
            progress = True
    return progress


def _loops(function: Function) -> list[Loop]:
    # inner loops first: an outer one may become understood by that
    return [node for node in function.nodes() if isinstance(node, Loop)][::-1]


def _unroll(loop: Loop, limit: int) -> bool:
    exits = _exits_of(loop)
    if not exits:
        return False
    cost = max(_cost(loop.body), 1)
    way = _rounds(loop, exits, min(MOST_ROUNDS, limit // cost))
    if way is None:
        return False
    _replace(loop, exits, *way)
    return True


# ---- understanding ----------------------------------------------------------------------------
def _exits_of(loop: Loop) -> list[_Exit]:
    """The ways out of a loop, in order; none if it has others or is restarted early."""
    found: list[_Exit] = []
    for node in loop.body:
        if isinstance(node, If):
            for leaves, stays, when in (
                (node.then, node.otherwise, True),
                (node.otherwise, node.then, False),
            ):
                if _only_breaks(leaves) and not _jumps(stays):
                    found.append(_Exit(node, leaves, stays, when))
                    break
            else:
                if _jumps([node]):
                    return []
        elif _jumps([node]):
            return []
    return found


def _only_breaks(nodes: list[CFNode]) -> bool:
    (block, *more) = nodes
    assert isinstance(block, Block)
    return not more and block.jump is not None and block.jump.kind == "break"


def _jumps(nodes: list[CFNode], inner: bool = False) -> bool:
    """Whether a jump within leaves or restarts the loop around, or ends the shader."""
    for node in nodes:
        if isinstance(node, Block):
            jump = node.jump
            if jump is not None and (jump.kind == "return" or not inner):
                return True
        elif isinstance(node, If):
            if _jumps(node.then, inner) or _jumps(node.otherwise, inner):
                return True
        elif isinstance(node, Loop) and _jumps(node.body, True):
            return True
    return False


def _cost(nodes: list[CFNode]) -> int:
    """Scalar instructions, roughly."""
    total = 0
    for node in nodes:
        if isinstance(node, Block):
            for instr in node.instrs:
                if isinstance(instr, AluInstr):
                    total += instr.dest.num_components
                elif not isinstance(instr, LoadConst | PhiInstr | JumpInstr):
                    total += 2
        elif isinstance(node, If):
            total += 1 + _cost(node.then) + _cost(node.otherwise)
        elif isinstance(node, Loop):
            total += 4 + _cost(node.body)
    return total


class _Round:
    """What is known in a round of a loop: the constants that its phis are."""

    def __init__(self, loop: Loop, phis: dict[SSADef, tuple[int, ...]]) -> None:
        self._loop = loop
        self._known: dict[SSADef, tuple[int, ...] | None] = dict(phis)

    def constant(self, ssa: SSADef) -> tuple[int, ...] | None:
        """What a value is; None if that is not known."""
        if ssa in self._known:
            return self._known[ssa]
        instr: Instr = ssa.instr
        found: tuple[int, ...] | None = None
        if isinstance(instr, LoadConst):
            found = instr.values
        elif isinstance(instr, AluInstr) and not instr.op.cross_lane:
            self._known[ssa] = None
            consts = [self.constant(src.ssa) for src in instr.srcs]
            if all(values is not None for values in consts):
                found = fold(instr, [values or () for values in consts])
        self._known[ssa] = found
        return found


def _rounds(loop: Loop, exits: list[_Exit], most: int) -> tuple[int, _Exit] | None:
    """How many rounds go past all exits, and by which the next one leaves; None if that is not
    known, or more than `most`."""
    header, before = first_block(loop.body), loop.previous_block
    phis: dict[SSADef, tuple[int, ...]] = {}
    following: dict[SSADef, SSADef] = {}
    for phi in header.phis:
        for source, value in phi.srcs:
            if source is before:
                if isinstance(value.instr, LoadConst):
                    phis[phi.dest] = value.instr.values
            else:
                following[phi.dest] = value
    for count in range(most + 1):
        now = _Round(loop, phis)
        for found in exits:
            taken = now.constant(found.node.condition)
            if taken is None:
                return None
            if bool(taken[0]) is found.when:
                return count, found
        after = {dest: now.constant(following[dest]) for dest in phis}
        phis = {dest: values for dest, values in after.items() if values is not None}
    return None


# ---- the copies -------------------------------------------------------------------------------
def _replace(loop: Loop, exits: list[_Exit], rounds: int, found: _Exit) -> None:
    function = loop.function
    header, before, after = first_block(loop.body), loop.previous_block, loop.next_block
    carried = {phi.dest: dict(phi.srcs)[before] for phi in header.phis}
    out: list[CFNode] = [Block(function, loop)]
    for _ in range(rounds):
        cloner = _round(loop, out, exits, carried, None)
        end = last_block(loop.body)
        carried = {phi.dest: cloner.value(dict(phi.srcs)[end]) for phi in header.phis}
    cloner = _round(loop, out, exits, carried, found)
    replace = dict(cloner.values)
    exit_block = last_block(found.leaves)
    for phi in after.phis:
        replace[phi.dest] = cloner.value(dict(phi.srcs)[exit_block])
        phi.remove()
    loop.body = out  # so that phis within are found
    inline_nodes(loop, out)
    function.rewrite(replace)


def _round(
    loop: Loop,
    out: list[CFNode],
    exits: list[_Exit],
    carried: dict[SSADef, SSADef],
    last: _Exit | None,
) -> Cloner:
    """Append a round past all exits; the last one up to its exit and through it."""
    ways: dict[CFNode, _Exit] = {found.node: found for found in exits}
    cloner = Cloner(loop.function, loop)
    cloner.values.update(carried)
    for node in loop.body:
        found = ways.get(node)
        if found is None:
            cloner.nodes(out, [node])
            continue
        if found is last:
            _leave(cloner, out, found)
            break
        cloner.nodes(out, found.stays)
        # control comes from one side alone
        for phi in found.node.next_block.phis:
            cloner.values[phi.dest] = cloner.value(phi.srcs[0][1])
    cloner.close()
    return cloner


def _leave(cloner: Cloner, out: list[CFNode], found: _Exit) -> None:
    """What the exit's side does before it leaves."""
    block = last_block(found.leaves)
    jump = block.instrs.pop()
    cloner.block(out, block)
    block.instrs.append(jump)
