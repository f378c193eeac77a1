# SPDX-License-Identifier: MIT
"""Inputs and outputs that are indexed at run time get a shadow: a local copy that may be.

In: a shader with variables.  Out: True if a variable was shadowed.
An input is copied to `shadow_NAME` at the start; an output is copied from it wherever the shader
ends.  After this every access to an input or output names its element.  `shadow_outputs` does the
same for outputs that the shader reads back.
Counterpart of Rob Clark's nir_lower_indirect_io.c (RFC of March 2016), whose listing is a golden
test.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, Function, IntrinsicInstr, Shader, Variable, first_block


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        wanted: set[Variable] = set()
        for instr in _accesses(function):
            wanted.update(deref.var for deref in instr.variables if deref.is_indirect)
        progress |= shadow(shader, function, wanted)
    return progress


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
    """Each moves a builder to where the shader ends: before a return, or to the end of a block."""
    ends: list[Callable[[Builder], None]] = []
    for block in function.end_block.predecessors:
        if block.jump is None:
            ends.append(partial(Builder.at_end, block=block))
        else:
            ends.append(partial(Builder.before, instr=block.jump))
    return ends
