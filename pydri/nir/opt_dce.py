# SPDX-License-Identifier: MIT
"""Dead code: removes instructions whose values nobody needs.

In: a shader.  Out: True if something was removed.
Marks from what has an effect (stores, discards, jumps, conditions) backwards, so that values which
only feed each other around a loop go too.  Counterpart of nir_opt_dce.c.
"""

from __future__ import annotations

from pydri.nir.ir import (
    AluInstr,
    Block,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    Loop,
    Shader,
    SSADef,
)


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        progress |= _function(function)
    return progress


def has_effect(instr: Instr) -> bool:
    """Whether it does more than make a value."""
    if isinstance(instr, IntrinsicInstr):
        return not instr.row.can_eliminate
    return isinstance(instr, JumpInstr)


def _needed(function: Function) -> set[SSADef]:
    """The values that something with an effect reads, or what they are made of. Against the order
    of the listing a value's readers come first, but for what phis of a Loop read."""
    needed: set[SSADef] = set()
    nodes = list(function.nodes())
    nodes.reverse()
    again = any(isinstance(node, Loop) for node in nodes)
    while True:
        before = len(needed)
        for node in nodes:
            if isinstance(node, Block):
                for instr in reversed(node.instrs):
                    if instr.dest not in needed and not has_effect(instr):
                        continue
                    if isinstance(instr, AluInstr):  # nearly all are
                        for src in instr.srcs:
                            needed.add(src.ssa)
                    else:
                        needed.update(instr.sources())
            elif isinstance(node, If):
                needed.add(node.condition)
        if not again or len(needed) == before:
            return needed


def _function(function: Function) -> bool:
    needed = _needed(function)
    progress = False
    for block in function.blocks():
        kept = [instr for instr in block.instrs if instr.dest in needed or has_effect(instr)]
        if len(kept) != len(block.instrs):
            progress = True
            block.instrs = kept
    return progress
