# SPDX-License-Identifier: MIT
"""Small Ifs become selections: both sides are computed, bcsel chooses.

In: a shader, `limit` = how many instructions both sides may have together.
Out: True if an If went.
Both sides must be single blocks of instructions that do no harm where they were not meant to run.
Under a mask machine, which is what SIMD code is, branches cost both sides anyway and the mask on
top.  Counterpart of nir_opt_peephole_select.c.
"""

from __future__ import annotations

from pydri.nir.cf_edit import Edits, remove_node
from pydri.nir.ir import (
    AluInstr,
    AluSrc,
    Block,
    CFNode,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    LoadConst,
    Shader,
    Undef,
)
from pydri.nir.opcodes import OPCODES


def run(shader: Shader, limit: int = 16) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        edits = Edits(function)
        done = [_select(node, limit, edits) for node in _ifs(function)]
        if any(done):
            edits.finish()
            progress = True
    return progress


def _ifs(function: Function) -> list[If]:
    # Inner Ifs first: an outer one may become a candidate by that.
    return [node for node in function.nodes() if isinstance(node, If)][::-1]


def _harmless(instr: Instr) -> bool:
    if isinstance(instr, AluInstr):
        return not instr.op.cross_lane
    if isinstance(instr, IntrinsicInstr):
        return instr.row.can_reorder
    return isinstance(instr, LoadConst | Undef)


def _movable(nodes: list[CFNode]) -> Block | None:
    if len(nodes) != 1 or not isinstance(nodes[0], Block):
        return None
    return nodes[0] if all(map(_harmless, nodes[0].instrs)) else None


def _select(node: If, limit: int, edits: Edits) -> bool:
    then, otherwise = _movable(node.then), _movable(node.otherwise)
    if then is None or otherwise is None:
        return False
    costly = [i for i in (*then.instrs, *otherwise.instrs) if not isinstance(i, LoadConst)]
    if len(costly) > limit:
        return False
    before, after = node.previous_block, node.next_block
    for side in (then, otherwise):
        for instr in side.instrs:
            instr.block = before
        before.instrs.extend(side.instrs)
    for phi in after.phis:
        values = edits.came_from(phi)
        width = phi.dest.num_components
        srcs = [AluSrc(node.condition, (0,) * width)]
        srcs += [AluSrc(values[side], tuple(range(width))) for side in (then, otherwise)]
        chosen = AluInstr(OPCODES["bcsel"], srcs, width, phi.dest.bit_size, phi.dest.kind)
        before.append(chosen)
        edits.replace[phi.dest] = chosen.dest
        phi.remove()
    remove_node(node, edits)
    return True
