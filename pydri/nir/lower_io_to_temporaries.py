# SPDX-License-Identifier: MIT
"""Outputs become locals that are copied to the outputs where the shader ends, or emits a vertex.

In: a shader with output variables.  Out: True if there was one that is accessed.
What is written twice is stored once, what is read back is a local. Only vectors that the shader
writes somewhere are copied, so that an array of which it writes one element takes one slot.
Counterpart of nir_lower_io_to_temporaries.c, for outputs.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, Function, IntrinsicInstr, Shader, SSADef, Variable
from pydri.nir.lower_indirect_io import shader_ends
from pydri.nir.lower_var_copies import Path, leaf_paths


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        progress |= _function(shader, function)
    return progress


def _function(shader: Shader, function: Function) -> bool:
    locals_: dict[Variable, Variable] = {}
    written: dict[Variable, list[Deref]] = {}
    for instr in function.instrs():
        if not isinstance(instr, IntrinsicInstr) or not instr.variables:
            continue
        if instr.dest is None and instr.variables[0].var.mode == "shader_out":
            deref = instr.variables[0]
            written.setdefault(deref.var, []).append(deref)
        for deref in instr.variables:
            if deref.var.mode == "shader_out" and deref.var not in locals_:
                locals_[deref.var] = Variable(deref.var.name, deref.var.type, "local")
        instr.variables = [Deref(locals_.get(d.var, d.var), d.path) for d in instr.variables]
    function.locals += locals_.values()
    outputs = sorted(written, key=lambda var: var.location)
    leaves = {var: _written_leaves(var, written[var]) for var in outputs}
    b = Builder(shader, function)
    for end in shader_ends(function) if outputs else ():
        end(b)
        for var in outputs:
            for path in leaves[var]:
                b.store_var(Deref(var, path), b.load_var(Deref(locals_[var], path)))
    return bool(locals_)


def _written_leaves(var: Variable, derefs: list[Deref]) -> list[Path]:
    """The paths to vectors that one of the writes may reach."""
    paths = {deref.path for deref in derefs}
    return [leaf for leaf in leaf_paths(var.type) if any(_reaches(p, leaf) for p in paths)]


def _reaches(path: tuple[int | str | SSADef, ...], leaf: Path) -> bool:
    """A write may go further than the leaf (one component), or not as far (the whole array)."""
    return all(isinstance(a, SSADef) or a == b for a, b in zip(path, leaf))
