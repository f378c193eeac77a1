# SPDX-License-Identifier: MIT
"""Indices that only say where memory is read are not clamped: the read's address is.

In: nir, scalar. Out: True if a clamp went. Front ends clamp an index to its array; every read of
memory is clamped to its buffer (memory.py), which the kernel insists on. So an index outside finds
another word of the same buffer, as GL allows (GLSL 1.20, 4.1.9).
"""

from __future__ import annotations

from typing import Final

from pydri.nir.ir import (
    AluInstr,
    Block,
    Function,
    If,
    IntrinsicInstr,
    LoadConst,
    Shader,
    SSADef,
)

#: what addresses are computed with
_STEPS: Final = frozenset({"iadd", "imul", "ishl", "mov"})


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        addresses = _addresses(function)
        for instr in function.instrs():
            if isinstance(instr, AluInstr) and instr.dest in addresses:
                for src in instr.srcs:
                    index = _clamped(src.ssa)
                    if index is not None:
                        src.ssa, src.swizzle = index
                        progress = True
            elif isinstance(instr, IntrinsicInstr) and instr.name == "load_ubo":
                index = _clamped(instr.srcs[0])
                if index is not None and index[0].num_components == 1:
                    instr.srcs[0] = index[0]
                    progress = True
    return progress


def _addresses(function: Function) -> set[SSADef]:
    """Values of which nothing is made but places in memory."""
    found: set[SSADef] = set()
    other: set[SSADef] = set()
    for node in function.nodes():
        if isinstance(node, If):
            other.add(node.condition)
        elif isinstance(node, Block):
            for phi in node.phis:  # of loops, which come before what they read
                other.update(phi.sources())
    for instr in reversed(list(function.instrs())):
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_ubo":
            found.add(instr.srcs[0])
            continue
        steps = isinstance(instr, AluInstr) and instr.op.name in _STEPS
        is_address = steps and instr.dest in found and instr.dest not in other
        for value in instr.sources():
            (found if is_address else other).add(value)
    return found - other


def _clamped(value: SSADef) -> tuple[SSADef, tuple[int, ...]] | None:
    """What a value is the least of, beside a constant."""
    made = value.instr
    if not isinstance(made, AluInstr) or made.op.name != "umin" or made.dest.num_components != 1:
        return None
    a, b = made.srcs
    if not isinstance(b.ssa.instr, LoadConst):
        a, b = b, a
    if not isinstance(b.ssa.instr, LoadConst) or isinstance(a.ssa.instr, LoadConst):
        return None
    return a.ssa, tuple(a.swizzle)


__all__ = ["run"]
