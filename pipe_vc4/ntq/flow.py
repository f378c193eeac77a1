# SPDX-License-Identifier: MIT
"""Control flow with execution masks (ntq_emit_if, ntq_emit_loop, ntq_emit_jump).

In: an `Ntq` and nir's nodes. Out: blocks with branches. A branch is only a short way: it is taken
where no lane wants what it jumps over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_vc4.ntq.alu import COMPARISONS, NtqError, compare
from pipe_vc4.qir.qir import NULL, BranchCond, Cond, QBlock, QReg
from pydri.nir.ir import AluInstr, Block, CFNode, If, IntrinsicInstr, JumpInstr, Loop

if TYPE_CHECKING:
    from pipe_vc4.ntq.compile import Ntq


def _empty(nodes: list[CFNode]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], Block) and not nodes[0].instrs


def _begin(n: Ntq) -> bool:
    """A mask in which all lanes run, if there is none yet; whether there was none."""
    if not n.running:
        return False
    n.execute = n.c.q.MOV(n.c.uniform_ui(0))
    n.c.defs[n.execute.index] = None
    return True


def _set(n: Ntq, cond: Cond, value: int) -> None:
    n.c.to.MOV(n.execute, n.c.uniform_ui(value)).cond = cond


def _activate(n: Ntq) -> None:
    """Lanes that wait for this block run again (ntq_activate_execute_for_block)."""
    c = n.c
    c.SF(c.q.SUB(n.execute, c.uniform_ui(c.cur_block.index)))
    _set(n, Cond.ZS, 0)


def _end(n: Ntq, was_top: bool) -> None:
    if was_top:
        n.execute = NULL
    else:
        _activate(n)


def emit_if(n: Ntq, node: If) -> None:
    """Lanes that are not for `then` wait for `otherwise`, or for what follows."""
    c = n.c
    plain = _empty(node.otherwise)
    then, after = c.new_block(), c.new_block()
    otherwise = after if plain else c.new_block()
    was_top = n.running
    if was_top:
        _enter_top(n, node, otherwise)
    else:
        c.SF(c.q.OR(n.execute, n.get(node.condition)))
        _set(n, Cond.ZS, otherwise.index)
        c.SF(n.execute)
        c.BRANCH(BranchCond.ALL_ZC)
    c.link_blocks(c.cur_block, otherwise)
    c.link_blocks(c.cur_block, then)
    c.set_emit_block(then)
    n.nodes(node.then)
    if not plain:
        c.SF(n.execute)
        _set(n, Cond.ZS, after.index)
        c.SF(c.q.SUB(n.execute, c.uniform_ui(after.index)))
        c.BRANCH(BranchCond.ALL_ZS)
        c.link_blocks(c.cur_block, after)
        c.link_blocks(c.cur_block, otherwise)
        c.set_emit_block(otherwise)
        _activate(n)
        n.nodes(node.otherwise)
    c.link_blocks(c.cur_block, after)
    c.set_emit_block(after)
    _end(n, was_top)


def _enter_top(n: Ntq, node: If, otherwise: QBlock) -> None:
    """All lanes ran: the mask is made by the condition alone."""
    c = n.c
    condition = node.condition.instr
    mask = c.get_temp()
    c.to.MOV(mask, c.uniform_ui(0))
    if isinstance(condition, AluInstr) and condition.op.name in COMPARISONS:
        a, b = (n.source(src) for src in condition.srcs)
        holds = compare(c, condition.op.name, a, b)
    else:
        c.SF(n.get(node.condition))
        holds = Cond.ZC
    n.execute = mask
    _set(n, holds.inverse, otherwise.index)
    inverse = {
        Cond.ZS: BranchCond.ALL_ZC, Cond.ZC: BranchCond.ALL_ZS, Cond.NS: BranchCond.ALL_NC,
        Cond.NC: BranchCond.ALL_NS, Cond.CS: BranchCond.ALL_CC, Cond.CC: BranchCond.ALL_CS,
    }  # fmt: skip
    c.BRANCH(inverse[holds])


def emit_loop(n: Ntq, node: Loop) -> None:
    """Again, until no lane is in it."""
    c = n.c
    was_top = _begin(n)
    outer = n.loop_cont, n.loop_break
    n.loop_cont, n.loop_break = begin, end = c.new_block(), c.new_block()
    c.link_blocks(c.cur_block, begin)
    c.set_emit_block(begin)
    _activate(n)
    n.nodes(node.body)
    # A lane that came here or asked for the next round makes one: the second comparison changes the
    # flags of the other lanes only.
    c.SF(n.execute)
    again = c.to.SUB(NULL, n.execute, c.uniform_ui(begin.index))
    again.cond, again.sf = Cond.ZC, True
    c.BRANCH(BranchCond.ANY_ZS)
    c.link_blocks(c.cur_block, begin)
    c.link_blocks(c.cur_block, end)
    c.set_emit_block(end)
    _end(n, was_top)
    n.loop_cont, n.loop_break = outer


def emit_jump(n: Ntq, jump: JumpInstr) -> None:
    """Lanes that run wait for the target, which is branched to if all do."""
    targets = {"break": n.loop_break, "continue": n.loop_cont, "return": n.returned}
    target = targets[jump.kind]
    if target is None:
        raise NtqError(f"a {jump.kind} outside of what it leaves")
    _wait(n, target)


def _wait(n: Ntq, target: QBlock) -> None:
    c = n.c
    c.SF(n.execute)
    _set(n, Cond.ZS, target.index)
    c.SF(c.q.SUB(n.execute, c.uniform_ui(target.index)))
    c.BRANCH(BranchCond.ALL_ZS)
    follow = c.new_block()
    c.link_blocks(c.cur_block, target)
    c.link_blocks(c.cur_block, follow)
    c.set_emit_block(follow)


def emit_discard(n: Ntq, instr: IntrinsicInstr) -> None:
    """Note the lanes whose fragments go: ~0 in `discard`. They run on, for derivatives."""
    c = n.c
    all_ones = c.uniform_ui(~0)
    if instr.name == "terminate":
        raise NtqError("VC4 has nothing that ends an invocation early")
    if instr.name == "discard":
        write = c.inst("MOV", n.discard, all_ones)
        if not n.running:
            c.SF(n.execute)
            write.cond = Cond.ZS
        c.emit_nondef(write)
        return
    condition: QReg = n.get(instr.srcs[0])
    made = instr.srcs[0].instr
    if n.running and isinstance(made, AluInstr) and made.op.name in COMPARISONS:
        a, b = (n.source(src) for src in made.srcs)
        cond = compare(c, made.op.name, a, b)
        c.to.MOV(n.discard, all_ones).cond = cond
    elif n.running:
        c.to.OR(n.discard, n.discard, condition)
    else:
        c.SF(c.q.OR(n.execute, c.q.NOT(condition)))
        c.to.MOV(n.discard, all_ones).cond = Cond.ZS
