# SPDX-License-Identifier: MIT
"""copy_var becomes loads and stores of the vectors inside.

In: a shader and, optionally, which modes of variables matter.  Out: True if a copy was split.
Counterpart of nir_lower_var_copies.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, IntrinsicInstr, Shader
from pydri.nir.types import ArrayType, StructType, Type

Path = tuple[int | str, ...]


def leaf_paths(type_: Type) -> list[Path]:
    """Paths to every scalar or vector inside a type, in memory order."""
    steps: list[tuple[int | str, Type]]
    if isinstance(type_, StructType):
        steps = list(type_.fields)
    elif isinstance(type_, ArrayType) or type_.is_matrix:
        steps = [(i, type_.element()) for i in range(type_.length)]
    else:
        return [()]
    return [(step, *rest) for step, inner in steps for rest in leaf_paths(inner)]


def split_copy(instr: IntrinsicInstr) -> None:
    """Replace one copy_var."""
    assert instr.block is not None
    function = instr.block.function
    b = Builder(function.shader, function)
    b.before(instr)
    target, source = instr.variables
    for path in leaf_paths(target.type):
        value = b.load_var(Deref(source.var, source.path + path))
        b.store_var(Deref(target.var, target.path + path), value)
    instr.remove()


def run(shader: Shader, modes: tuple[str, ...] = ()) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        for instr in function.instrs():
            if isinstance(instr, IntrinsicInstr) and instr.name == "copy_var":
                if not modes or any(d.var.mode in modes for d in instr.variables):
                    split_copy(instr)
                    progress = True
    return progress
