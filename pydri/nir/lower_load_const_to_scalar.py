# SPDX-License-Identifier: MIT
"""Scalar arithmetic on a constant vector reads a constant number: equal ones are one.

In: a shader.  Out: True if a source changed.  Without it x * (2, 2) would be two different products
of one number to whoever looks for what is computed twice.
Counterpart of nir_lower_load_const_to_scalar.c.
"""

from __future__ import annotations

from pydri.nir.ir import AluInstr, Function, LoadConst, Shader, first_block


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        progress |= _function(function)
    return progress


def _function(function: Function) -> bool:
    made: dict[tuple[int, int], LoadConst] = {}
    for instr in function.instrs():
        if not isinstance(instr, AluInstr):
            continue
        for src in instr.srcs:
            vector = src.ssa.instr
            if not isinstance(vector, LoadConst) or len(vector.values) == 1:
                continue
            if len(src.swizzle) != 1:
                continue
            key = vector.values[src.swizzle[0]], src.ssa.bit_size
            found = made.get(key)
            if found is None:
                found = made[key] = LoadConst((key[0],), key[1], src.ssa.kind)
            src.ssa, src.swizzle = found.dest, (0,)
    for number in made.values():
        first_block(function.body).insert(0, number)
    return bool(made)
