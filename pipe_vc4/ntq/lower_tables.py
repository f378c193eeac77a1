# SPDX-License-Identifier: MIT
"""Arrays of constants that are indexed at run time are read from memory.

In: nir whose variables are those that it indexes at run time. Out: the words of its tables
(pydri/nir/constant_tables.py), one behind the other, which lie in a buffer of the job; reads are
`load_ubo` of block TABLES. An index outside finds the nearest word of them all.
Counterpart of nir_opt_large_constants.c, in its place in the driver.
"""

from __future__ import annotations

from typing import Final

from pydri.nir.builder import Builder
from pydri.nir.constant_tables import component_of, constant_tables, field_offset
from pydri.nir.ir import Deref, IntrinsicInstr, Shader, SSADef
from pydri.nir.types import StructType

#: the number of the "uniform block" that the tables are
TABLES: Final = 2


def lower_tables(shader: Shader) -> list[int]:
    """The pass."""
    tables = constant_tables(shader)
    words: list[int] = []
    if not tables:
        return words
    begins = {}
    for var, table in tables.items():
        begins[var] = len(words)
        words += table
    function = shader.main
    b = Builder(shader, function)
    replace: dict[SSADef, SSADef] = {}
    for instr in function.instrs():
        if not isinstance(instr, IntrinsicInstr) or not instr.variables:
            continue
        instr.map_sources(lambda value: replace.get(value, value))
        deref = instr.variables[0]
        if deref.var not in tables:
            continue
        if instr.dest is not None:
            b.before(instr)
            replace[instr.dest] = _read(b, deref, instr.dest, words, begins[deref.var])
        instr.remove()
    function.rewrite(replace)
    function.locals = [var for var in function.locals if var not in tables]
    shader.globals = [var for var in shader.globals if var not in tables]
    return words


def _read(b: Builder, deref: Deref, dest: SSADef, words: list[int], begin: int) -> SSADef:
    """What a read finds."""
    count, kind = dest.num_components, dest.kind
    raw = "int" if kind == "bool" else kind
    known = component_of(deref)
    if known is not None:
        found = b.imm_uint(*words[begin + known : begin + known + count])
    else:
        found = b.load_ubo(TABLES, _offset(b, deref, begin), count, kind=raw)
    return b.ine(found, 0) if kind == "bool" else found


def _offset(b: Builder, deref: Deref, begin: int) -> SSADef:
    """Bytes before what a path leads to, the sum of what is constant last."""
    static, type_ = begin, deref.var.type
    moving: SSADef | None = None
    for step in deref.path:
        if isinstance(step, str):
            assert isinstance(type_, StructType)
            static += field_offset(type_, step)
            type_ = type_.element(step)
            continue
        type_ = type_.element(0 if isinstance(step, SSADef) else step)
        if isinstance(step, SSADef):
            part = b.imul(step, 4 * type_.components)
            moving = part if moving is None else b.iadd(moving, part)
        else:
            static += step * type_.components
    return b.imm_int(4 * static) if moving is None else b.iadd(moving, 4 * static)
