# SPDX-License-Identifier: MIT
"""Varyings share slots: components follow each other, whatever vectors they belong to.

In: a shader whose varyings are slots (`lower_io`), each vector beginning one of its own, and for
each of these slots the component, counted over all slots, at which the vector shall begin.  Out:
True if an access was moved.  The outputs of a stage and the inputs of the next are changed by one
table. A vector may begin
in one slot and end in the next. Counterpart of Mesa's lower_packed_varyings.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydri.nir.builder import Builder
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef, Variable
from pydri.nir.slots import covers, is_per_vertex
from pydri.nir.types import VEC4, array

_NAMES = {"load_input": "shader_in", "load_per_vertex_input": "shader_in",
          "store_output": "shader_out"}  # fmt: skip
_NONE: Mapping[int, int] = {}


def run(
    shader: Shader, inputs: Mapping[int, int] = _NONE, outputs: Mapping[int, int] = _NONE
) -> bool:
    """The pass. A slot that the tables do not name stays."""
    moved = _move(shader, "shader_in", inputs)
    return _move(shader, "shader_out", outputs) or moved


def _move(shader: Shader, mode: str, places: Mapping[int, int]) -> bool:
    progress = False
    for function in shader.functions:
        b = Builder(shader, function)
        replace: dict[SSADef, SSADef] = {}
        found = [i for i in function.instrs() if isinstance(i, IntrinsicInstr)
                 and _NAMES.get(i.name) == mode and i.indices["base"] in places]
        _declare(shader, mode, places, found)
        for instr in found:
            b.before(instr)
            first = places[instr.indices["base"]] + instr.indices["component"]
            if instr.dest is None:
                _store(b, instr, first)
            else:
                replace[instr.dest] = _load(b, instr, first)
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress


def _declare(
    shader: Shader, mode: str, places: Mapping[int, int], found: list[IntrinsicInstr]
) -> None:
    """Variables of four components in the place of those that share slots."""
    variables = shader.variables(mode)
    packed: dict[int, Variable] = {}
    for instr in found:
        base = instr.indices["base"]
        width = (instr.dest if instr.dest is not None else instr.srcs[0]).num_components
        first = places[base] + instr.indices["component"]
        old = next((v for v in variables if covers(shader, v, base)), None)
        for slot in range(first // 4, (first + width - 1) // 4 + 1):
            made = packed.setdefault(slot, Variable(f"packed{slot}", VEC4, mode, slot))
            if old is not None:
                if is_per_vertex(shader, old):
                    made.type = array(VEC4, old.type.length)
                made.interp = old.interp
                made.invariant |= old.invariant
    variables[:] = [v for v in variables if v.location not in places]
    variables += [packed[slot] for slot in sorted(packed)]


def _parts(first: int, width: int) -> list[tuple[int, int, int, int]]:
    """(slot, component there, components, of these the first) of a vector."""
    room = 4 - first % 4
    if width <= room:
        return [(first // 4, first % 4, width, 0)]
    return [(first // 4, first % 4, room, 0), (first // 4 + 1, 0, width - room, room)]


def _load(b: Builder, instr: IntrinsicInstr, first: int) -> SSADef:
    dest = instr.dest
    assert dest is not None
    found = []
    for slot, component, count, _ in _parts(first, dest.num_components):
        if instr.srcs:
            found.append(b.load_per_vertex_input(
                instr.srcs[0], slot, count, component=component, kind=dest.kind))  # fmt: skip
        else:
            found.append(b.load_input(slot, count, component=component, kind=dest.kind))
    return b.vec(*found) if len(found) > 1 else found[0]


def _store(b: Builder, instr: IntrinsicInstr, first: int) -> None:
    value, mask = instr.srcs[0], instr.indices["wrmask"]
    for slot, component, count, begin in _parts(first, value.num_components):
        part = mask >> begin & (1 << count) - 1
        if part:
            some = b.swizzle(value, tuple(range(begin, begin + count)))
            b.store_output(some, slot, part, component=component)
