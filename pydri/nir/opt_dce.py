# SPDX-License-Identifier: MIT
"""Dead code: removes instructions whose values nobody needs.

In: a shader.  Out: True if something was removed.
Marks from what has an effect (stores, discards, jumps, conditions) backwards, so that values which
only feed each other around a loop go too.  Counterpart of nir_opt_dce.c.
"""

from __future__ import annotations

from pydri.nir.ir import AluInstr, Block, Function, If, Instr, IntrinsicInstr, JumpInstr, Shader


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        progress |= _function(function)
    return progress


def _has_effect(instr: Instr) -> bool:
    if isinstance(instr, IntrinsicInstr):
        return not instr.row.can_eliminate
    return isinstance(instr, JumpInstr)


def _function(function: Function) -> bool:
    live: set[Instr] = set()
    work: list[Instr] = []
    for node in function.nodes():
        if isinstance(node, Block):
            work += [instr for instr in node.instrs if _has_effect(instr)]
        elif isinstance(node, If):
            work.append(node.condition.instr)
    while work:
        instr = work.pop()
        if instr not in live:
            live.add(instr)
            if isinstance(instr, AluInstr):  # nearly all are
                work += [src.ssa.instr for src in instr.srcs]
            else:
                work += [value.instr for value in instr.sources()]
    progress = False
    for block in function.blocks():
        kept = [instr for instr in block.instrs if instr in live]
        if len(kept) != len(block.instrs):
            progress = True
            block.instrs = kept
    return progress
