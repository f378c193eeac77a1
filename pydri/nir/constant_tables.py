# SPDX-License-Identifier: MIT
"""Variables that never change: tables of constants, which need not be made anew by each invocation.

In: a shader whose variables in memory are those that it indexes at run time. Out: what the dwords
of each table are. A variable is one if all stores to it are of constants, at constant places, in
the first block and before it is read. Counterpart of Mesa's nir_opt_large_constants.c.
"""

from __future__ import annotations

from pydri.nir.instr import Deref, IntrinsicInstr, LoadConst, SSADef, Variable
from pydri.nir.ir import Shader
from pydri.nir.types import StructType


def component_of(deref: Deref) -> int | None:
    """Which component of the variable a path begins at; None if that is known at run time alone, or
    lies outside."""
    at, type_ = 0, deref.var.type
    for step in deref.path:
        if isinstance(step, SSADef):
            return None
        if isinstance(step, str):
            assert isinstance(type_, StructType)
            at += field_offset(type_, step)
            type_ = type_.element(step)
            continue
        if step >= type_.length:
            return None
        type_ = type_.element()
        at += step * type_.components
    return at


def field_offset(type_: StructType, name: str) -> int:
    """Components before a field."""
    at = 0
    for field, inner in type_.fields:
        if field == name:
            break
        at += inner.components
    return at


def constant_tables(shader: Shader) -> dict[Variable, list[int]]:
    """The dwords of the variables that are tables; bools are 0 and 1."""
    if not shader.main.locals and not shader.globals:
        return {}
    tables = {var: [0] * var.type.components for var in (*shader.main.locals, *shader.globals)}
    read: set[Variable] = set()
    start = shader.main.body[0]
    for block in shader.main.blocks():
        for instr in block.instrs:
            if isinstance(instr, IntrinsicInstr) and instr.variables:
                _access(instr, block is start, tables, read)
    return {var: table for var, table in tables.items() if var in read}


def _access(
    instr: IntrinsicInstr, early: bool, tables: dict[Variable, list[int]], read: set[Variable]
) -> None:
    deref = instr.variables[0]
    if instr.name == "load_var":
        read.add(deref.var)
        return
    place = component_of(deref)
    source = instr.srcs[0].instr if instr.name == "store_var" else None
    settled = early and place is not None and deref.var not in read
    if not settled or not isinstance(source, LoadConst):
        for other in instr.variables:
            tables.pop(other.var, None)
        return
    table = tables.get(deref.var)
    if table is None:
        return
    assert place is not None
    for n, bits in enumerate(source.values):
        if instr.indices["wrmask"] >> n & 1:
            table[place + n] = int(bits)


__all__ = ["component_of", "constant_tables", "field_offset"]
