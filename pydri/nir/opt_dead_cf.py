# SPDX-License-Identifier: MIT
"""Dead control flow: decided Ifs, Ifs and loops that do nothing, loops that run once.

In: a shader.  Out: True if a node was removed.
An If on a constant is replaced by the side it takes; an If with empty sides goes away, and so does
a loop without effects whose values nobody reads behind it, since every loop ends; a loop whose body
is one block that ends with break is that block.  Counterpart of nir_opt_dead_cf.c.
"""

from __future__ import annotations

from pydri.nir.cf_edit import Edits, inline_nodes, remove_node
from pydri.nir.ir import (
    Block,
    CFNode,
    Function,
    If,
    JumpInstr,
    LoadConst,
    Loop,
    Shader,
    SSADef,
    walk_nodes,
)
from pydri.nir.opt_dce import has_effect


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        edits = Edits(function)
        # What stands inside comes first: an If may become empty by that.
        nodes = [node for node in function.nodes() if not isinstance(node, Block)]
        done = [_edit(node, edits) for node in reversed(nodes)]
        if any(done):
            edits.finish()
            progress = True
    return progress


def _edit(node: CFNode, edits: Edits) -> bool:
    """Do away with an If or Loop if that can be done."""
    if isinstance(node, If):
        condition = node.condition.instr
        if isinstance(condition, LoadConst):
            side = node.then if condition.values[0] else node.otherwise
            _forget_other_side(node, side, edits)
            inline_nodes(node, side, edits)
            return True
        if _empty(node.then) and _empty(node.otherwise) and not node.next_block.phis:
            remove_node(node, edits)
            return True
    elif isinstance(node, Loop) and _runs_once(node):
        block = node.body[0]
        assert isinstance(block, Block)
        jump = block.jump
        assert jump is not None
        jump.remove()
        _drop_phis(node.next_block, block, edits)
        _drop_phis(block, node.previous_block, edits)
        inline_nodes(node, node.body, edits)
        return True
    elif isinstance(node, Loop) and not edits.replace and _does_nothing(node, edits.function):
        remove_node(node, edits)
        return True
    return False


def _does_nothing(loop: Loop, function: Function) -> bool:
    """No effects, and no values that are read behind it."""
    if loop.next_block.phis:
        return False
    inside = set(walk_nodes(loop.body))
    made: set[SSADef | None] = {None}
    for node in inside:
        for instr in node.instrs if isinstance(node, Block) else ():
            if isinstance(instr, JumpInstr):
                if instr.kind not in ("break", "continue"):
                    return False
            elif has_effect(instr):
                return False
            made.add(instr.dest)
    for node in function.nodes():
        if node in inside:
            continue
        if isinstance(node, Block):
            if any(not made.isdisjoint(instr.sources()) for instr in node.instrs):
                return False
        elif isinstance(node, If) and node.condition in made:
            return False
    return True


def _empty(nodes: list[CFNode]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], Block) and not nodes[0].instrs


def _runs_once(loop: Loop) -> bool:
    if len(loop.body) != 1 or not isinstance(loop.body[0], Block):
        return False
    jump = loop.body[0].jump
    return jump is not None and jump.kind == "break"


def _forget_other_side(node: If, side: list[CFNode], edits: Edits) -> None:
    last = side[-1]
    assert isinstance(last, Block)
    if last.jump is None:
        _drop_phis(node.next_block, last, edits)


def _drop_phis(block: Block, source: Block, edits: Edits) -> None:
    """Control now always comes from `source`: phis are the values they have from there."""
    for phi in block.phis:
        edits.replace[phi.dest] = edits.came_from(phi)[source]
        phi.remove()
