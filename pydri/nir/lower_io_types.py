# SPDX-License-Identifier: MIT
"""Inputs and outputs that are arrays, matrices or structs are split into vectors.

In: a shader whose inputs and outputs are never indexed at run time (after lower_indirect_io).
Out: True if a variable was split; `a1` of type vec4[4] becomes `a1_0` ... `a1_3`, each with its own
location, so that an element nobody reads takes no vertex fetch and no varying. Of arrays over
vertices that dimension stays.
Counterpart of Rob Clark's nir_lower_io_types.c (RFC of March 2016), whose listing is a golden test.
"""

from __future__ import annotations

from pydri.nir import types
from pydri.nir.ir import Deref, Function, IntrinsicInstr, IRError, Shader, Variable
from pydri.nir.lower_var_copies import Path, split_copy
from pydri.nir.slots import is_per_vertex, leaves, vertex_type

Parts = dict[Path, Variable]


def run(shader: Shader) -> bool:
    """The pass."""
    split: dict[Variable, Parts] = {}
    for mode in ("shader_in", "shader_out"):
        variables = shader.variables(mode)
        whole = list(variables)
        variables.clear()
        for var in whole:
            if vertex_type(shader, var).is_vector_or_scalar:
                variables.append(var)
            else:
                split[var] = _parts(shader, var)
                variables.extend(split[var].values())
    for function in shader.functions:
        _rename(function, split)
    return bool(split)


def _parts(shader: Shader, var: Variable) -> Parts:
    parts: Parts = {}
    for leaf in leaves(shader, var):
        name = "_".join((var.name, *map(str, leaf.path)))
        type_ = leaf.type
        if is_per_vertex(shader, var):
            type_ = types.array(type_, var.type.length)
        part = Variable(name, type_, var.mode, leaf.slot, interp=var.interp)
        part.component = leaf.component
        part.invariant = var.invariant
        if var.driver_location:
            part.driver_location = var.driver_location + leaf.slot - var.location
        parts[leaf.path] = part
    return parts


def _rename(function: Function, split: dict[Variable, Parts]) -> None:
    for instr in function.instrs():
        if isinstance(instr, IntrinsicInstr) and instr.name == "copy_var":
            if any(deref.var in split for deref in instr.variables):
                split_copy(instr)
    for instr in function.instrs():
        if isinstance(instr, IntrinsicInstr):
            instr.variables = [_part(function.shader, deref, split) for deref in instr.variables]


def _part(shader: Shader, deref: Deref, split: dict[Variable, Parts]) -> Deref:
    parts = split.get(deref.var)
    if parts is None:
        return deref
    vertex = deref.path[:1] if is_per_vertex(shader, deref.var) else ()
    if Deref(deref.var, deref.path[len(vertex) :]).is_indirect:
        raise IRError(f"{deref.var.name} is indexed at run time; run lower_indirect_io first")
    # The path leads to a vector, or one step further to a component of it.
    path = tuple(step for step in deref.path[len(vertex) :] if isinstance(step, int | str))
    for length in (len(path), len(path) - 1):
        if path[:length] in parts:
            return Deref(parts[path[:length]], (*vertex, *path[length:]))
    raise IRError(f"{deref.var.name} is used whole, and not by copy_var")
