# SPDX-License-Identifier: MIT
"""Locals indexed at run time become selections over all elements, if these are few.

In: a shader whose locals or globals are indexed by SSA values, `limit` = how many selections the
accesses of one variable may take.  Out: True if an access was lowered.
A load reads every element and chooses; a store rewrites every element with itself or the new value.
After it lower_vars_to_ssa can promote the variable; one that would take more stays, for a back end
to keep it in memory.  An index is read as unsigned: outside the array a load gives the last element
and a store vanishes.  Counterpart of nir_lower_indirect_derefs.c, which builds a ladder of Ifs.
"""

from __future__ import annotations

from pydri.nir import lower_var_copies
from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, IntrinsicInstr, Shader, SSADef, Variable

_MODES = ("local", "global")


def run(shader: Shader, limit: int = 64) -> bool:
    """The pass."""
    progress = lower_var_copies.run(shader, _MODES)
    large = {var for var, cost in _costs(shader).items() if cost > limit}
    for function in shader.functions:
        b = Builder(shader, function)
        replace: dict[SSADef, SSADef] = {}
        for instr in function.instrs():
            if not isinstance(instr, IntrinsicInstr) or not instr.variables:
                continue
            deref = instr.variables[0]
            if deref.var.mode not in _MODES or not deref.is_indirect or deref.var in large:
                continue
            b.before(instr)
            if instr.dest is not None:
                replace[instr.dest] = _load(b, deref)
            else:
                _store(b, deref, instr.srcs[0], instr.indices["wrmask"], None)
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress


def _costs(shader: Shader) -> dict[Variable, int]:
    """By variable: the selections of components that all accesses with run-time indices take."""
    costs: dict[Variable, int] = {}
    for function in shader.functions:
        for instr in function.instrs():
            if not isinstance(instr, IntrinsicInstr) or not instr.variables:
                continue
            deref = instr.variables[0]
            if deref.var.mode in _MODES and deref.is_indirect:
                cost = deref.type.rows
                for at, step in enumerate(deref.path):
                    if isinstance(step, SSADef):
                        cost *= Deref(deref.var, deref.path[:at]).type.length
                costs[deref.var] = costs.get(deref.var, 0) + cost
    return costs


def _first_indirect(deref: Deref) -> tuple[int, SSADef] | None:
    for at, step in enumerate(deref.path):
        if isinstance(step, SSADef):
            return at, step
    return None


def _with_step(deref: Deref, at: int, step: int) -> Deref:
    return Deref(deref.var, (*deref.path[:at], step, *deref.path[at + 1 :]))


def _load(b: Builder, deref: Deref) -> SSADef:
    found = _first_indirect(deref)
    if found is None:
        return b.load_var(deref)
    at, index = found
    count = Deref(deref.var, deref.path[:at]).type.length
    result = _load(b, _with_step(deref, at, count - 1))
    for i in reversed(range(count - 1)):  # what equals the elements behind it is no choice
        result = b.bcsel(b.ieq(index, i), _load(b, _with_step(deref, at, i)), result)
    return result


def _store(b: Builder, deref: Deref, value: SSADef, mask: int, guard: SSADef | None) -> None:
    found = _first_indirect(deref)
    if found is None:
        assert guard is not None
        b.store_var(deref, b.bcsel(guard, value, b.load_var(deref)), mask)
        return
    at, index = found
    count = Deref(deref.var, deref.path[:at]).type.length
    for i in range(count):
        here = b.ieq(index, i)
        inner = here if guard is None else b.iand(guard, here)
        _store(b, _with_step(deref, at, i), value, mask, inner)
