# SPDX-License-Identifier: MIT
"""Where the parts of an input or output variable are passed: a slot for each vector.

In: a variable, and the shader that it belongs to.  Out: its `Leaf`s. A variable of a stage whose
interface is by vertex is an array over vertices, all of which are passed in the same slots.
Distances to clip by and to cull by are floats that share slots, four in each (Mesa's `compact`
variables).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.nir.enums import VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CULL_DIST0
from pydri.nir.ir import Shader, Variable
from pydri.nir.lower_var_copies import Path, leaf_paths
from pydri.nir.stages import BY_NAME, VARYINGS
from pydri.nir.types import FLOAT, ArrayType, Type

_DISTANCES: Final = (VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CULL_DIST0)


class Leaf(NamedTuple):
    """A vector in a variable: the way to it (behind the number of the vertex), and its place."""

    path: Path
    type: Type
    slot: int
    component: int


def is_per_vertex(shader: Shader, var: Variable) -> bool:
    """An array over vertices?"""
    return BY_NAME[shader.stage].interface(var.mode).per_vertex and isinstance(var.type, ArrayType)


def vertex_type(shader: Shader, var: Variable) -> Type:
    """What of a variable belongs to one vertex."""
    return var.type.element(0) if is_per_vertex(shader, var) else var.type


def covers(shader: Shader, var: Variable, slot: int) -> bool:
    """Is something of a variable passed in this slot?"""
    return var.location <= slot < var.location + slot_count(vertex_type(shader, var), var.location)


def is_compact(type_: Type, slot: int) -> bool:
    """Floats that share slots?"""
    return slot in _DISTANCES and isinstance(type_, ArrayType) and type_.item is FLOAT


def slot_count(type_: Type, slot: int) -> int:
    """How many slots a type takes there."""
    return -(-type_.slots // 4) if is_compact(type_, slot) else type_.slots


def leaves(shader: Shader, var: Variable) -> list[Leaf]:
    """The vectors of a variable, in memory order."""
    whole = vertex_type(shader, var)
    varying = BY_NAME[shader.stage].interface(var.mode).kind == VARYINGS
    compact = varying and is_compact(whole, var.location)
    found: list[Leaf] = []
    for n, path in enumerate(leaf_paths(whole)):
        type_ = whole
        for step in path:
            type_ = type_.element(step)
        slot, component = divmod(n, 4) if compact else (n, 0)
        found.append(Leaf(path, type_, var.location + slot, var.component + component))
    return found


__all__ = ["Leaf", "covers", "is_compact", "is_per_vertex", "leaves", "slot_count", "vertex_type"]
