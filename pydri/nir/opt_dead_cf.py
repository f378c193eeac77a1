# SPDX-License-Identifier: MIT
"""Dead control flow: decided Ifs, Ifs that do nothing, loops that run once.

In: a shader.  Out: True if a node was removed.
An If on a constant is replaced by the side it takes; an If with empty sides goes away; a loop whose
body is one block that ends with break is that block.  Counterpart of nir_opt_dead_cf.c.
"""

from __future__ import annotations

from pydri.nir.cf_edit import inline_nodes, remove_node
from pydri.nir.ir import Block, CFNode, Function, If, LoadConst, Loop, Shader


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        while _one_step(function):
            progress = True
    return progress


def _one_step(function: Function) -> bool:
    """Do the first edit that can be done; the walk starts anew after each."""
    for node in function.nodes():
        if isinstance(node, If):
            condition = node.condition.instr
            if isinstance(condition, LoadConst):
                side = node.then if condition.values[0] else node.otherwise
                _forget_other_side(node, side)
                inline_nodes(node, side)
                return True
            if _empty(node.then) and _empty(node.otherwise) and not node.next_block.phis:
                remove_node(node)
                return True
        elif isinstance(node, Loop) and _runs_once(node):
            block = node.body[0]
            assert isinstance(block, Block)
            jump = block.jump
            assert jump is not None
            jump.remove()
            _drop_phis(node.next_block, block)
            _drop_phis(block, node.previous_block)
            inline_nodes(node, node.body)
            return True
    return False


def _empty(nodes: list[CFNode]) -> bool:
    return len(nodes) == 1 and isinstance(nodes[0], Block) and not nodes[0].instrs


def _runs_once(loop: Loop) -> bool:
    if len(loop.body) != 1 or not isinstance(loop.body[0], Block):
        return False
    jump = loop.body[0].jump
    return jump is not None and jump.kind == "break"


def _forget_other_side(node: If, side: list[CFNode]) -> None:
    last = side[-1]
    assert isinstance(last, Block)
    if last.jump is None:
        _drop_phis(node.next_block, last)


def _drop_phis(block: Block, source: Block) -> None:
    """Control now always comes from `source`: phis are the values they have from there."""
    replace = {}
    for phi in block.phis:
        replace[phi.dest] = next(value for b, value in phi.srcs if b is source)
        phi.remove()
    block.function.rewrite(replace)
