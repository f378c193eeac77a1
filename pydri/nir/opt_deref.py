# SPDX-License-Identifier: MIT
"""Indices that have become constants are part of the path: then variables can be SSA values.

In: a shader.  Out: True if an access changed.
The one rule of indices holds here, too (interp.py): read as unsigned, a load outside gives the last
element, a store outside vanishes.  Counterpart of what nir_opt_deref.c does for array derefs.
"""

from __future__ import annotations

from pydri.nir.ir import Deref, IntrinsicInstr, LoadConst, Shader, SSADef


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        if not function.locals and not shader.globals:
            continue
        for instr in function.instrs():
            if not isinstance(instr, IntrinsicInstr):
                continue
            if not any(_has_constant(deref) for deref in instr.variables):
                continue
            settled = [_settle(deref) for deref in instr.variables]
            # the variable that is written comes first, and all but loads write
            if instr.dest is None and not settled[0][1]:
                instr.remove()
            else:
                instr.variables = [deref for deref, _ in settled]
            progress = True
    return progress


def _has_constant(deref: Deref) -> bool:
    return any(isinstance(s, SSADef) and isinstance(s.instr, LoadConst) for s in deref.path)


def _settle(deref: Deref) -> tuple[Deref, bool]:
    """The path with constants in it, and whether they lie inside of their arrays."""
    path: list[int | str | SSADef] = []
    inside = True
    for step in deref.path:
        if isinstance(step, SSADef) and isinstance(step.instr, LoadConst):
            length = Deref(deref.var, tuple(path)).type.length
            number = step.instr.values[0]
            inside = inside and number < length
            path.append(min(number, length - 1))
        else:
            path.append(step)
    return Deref(deref.var, tuple(path)), inside
