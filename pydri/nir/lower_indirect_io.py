# SPDX-License-Identifier: MIT
"""Inputs and outputs that are indexed at run time get a shadow: a local copy that may be.

In: a shader with variables.  Out: True if a variable was shadowed.
An input is copied to `shadow_NAME` at the start; an output is copied from it wherever the shader
ends, or emits a vertex.  After this every access to an input or output names its element (the
vertex may stay open).  `shadow_outputs` does the same for outputs that the shader reads back.
Counterpart of Rob Clark's nir_lower_indirect_io.c (RFC of March 2016), whose listing is a golden
test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, Function, IntrinsicInstr, Shader, Variable, first_block
from pydri.nir.slots import is_per_vertex
from pydri.nir.stages import BY_NAME


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        wanted: set[Variable] = set()
        for instr in _accesses(function):
            wanted.update(d.var for d in instr.variables if _is_indirect(shader, d))
        progress |= shadow(shader, function, wanted)
    return progress


def _is_indirect(shader: Shader, deref: Deref) -> bool:
    """Is an element chosen at run time? The vertex may be: that is what slots are read with."""
    if not deref.is_indirect:
        return False
    return not is_per_vertex(shader, deref.var) or Deref(deref.var, deref.path[1:]).is_indirect


def shadow_outputs(shader: Shader) -> bool:
    """Shadow the outputs that the shader reads."""
    progress = False
    for function in shader.functions:
        wanted: set[Variable] = set()
        for instr in _accesses(function):
            read = {"load_var": instr.variables[:1], "copy_var": instr.variables[1:]}
            wanted.update(d.var for d in read.get(instr.name, ()) if d.var.mode == "shader_out")
        progress |= shadow(shader, function, wanted)
    return progress


def _accesses(function: Function) -> list[IntrinsicInstr]:
    return [i for i in function.instrs() if isinstance(i, IntrinsicInstr) and i.variables]


def shadow(shader: Shader, function: Function, wanted: set[Variable]) -> bool:
    """Shadow the wanted inputs and outputs."""
    inputs = [var for var in shader.inputs if var in wanted]
    outputs = [var for var in shader.outputs if var in wanted]
    copies: dict[Variable, Variable] = {}
    for var in (*inputs, *outputs):
        copy = copies[var] = Variable(f"shadow_{var.name}", var.type, "local")
        function.locals.append(copy)
    for instr in _accesses(function):
        instr.variables = [Deref(copies.get(d.var, d.var), d.path) for d in instr.variables]
    b = Builder(shader, function)
    b.at_start(first_block(function.body))
    for var in inputs:
        b.copy_var(copies[var], var)
    for go in shader_ends(function) if outputs else ():
        go(b)
        for var in outputs:
            b.copy_var(var, copies[var])
    return bool(copies)


def shader_ends(function: Function) -> list[Callable[[Builder], None]]:
    """Each moves a builder to where outputs are passed on. That is where the shader ends: before a
    return, or to the end of a block; or it is where a vertex is emitted.
    """
    ends: list[Callable[[Builder], None]] = []
    if BY_NAME[function.shader.stage].emits:
        return [partial(Builder.before, instr=i) for i in function.instrs()
                if isinstance(i, IntrinsicInstr) and i.name == "emit_vertex"]
    for block in function.end_block.predecessors:
        if block.jump is None:
            ends.append(partial(Builder.at_end, block=block))
        else:
            ends.append(partial(Builder.before, instr=block.jump))
    return ends
