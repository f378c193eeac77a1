# SPDX-License-Identifier: MIT
"""Which uniforms and attributes are active: those that the stages' nir still reads.

In: what the linker says of a program, and the facts of its stages' nir once that is optimised. Out:
the same rows without those that no code reads, and locations without gaps. A variable may be named
in a shader and yet be read by nothing: where its value goes to a local variable that nobody looks
at, or to an output that another statement writes again. Mesa decides it in the same place
(gl_nir_link_uniforms.c, after the stages are optimised).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from pydri.glsl.link.linked import UNIFORM, UNIFORM_BLOCK
from pydri.nir.enums import VERT_ATTRIB_GENERIC0
from pydri.nir.stages import ATTRIBUTES

if TYPE_CHECKING:
    from pydri.glsl.link.linked import Attribute, Linked, Resource
    from pydri.glsl.link.stage import Stage
    from pydri.nir.info import Info

_SLOT = 16


def keep_active(linked: Linked, infos: Mapping[str, Info]) -> None:
    """Leave out what no stage reads. The trees of the stages must still be there."""
    for stage in linked.stages.values():
        if stage.row.inputs.kind == ATTRIBUTES:
            read_slots = set(infos[stage.name].inputs)
            linked.attributes = [
                row for row in linked.attributes if _attribute(row, stage, read_slots)
            ]
    kept: list[tuple[int, Resource]] = []
    read = _places_read(linked, infos)
    for name, rows in groupby(enumerate(linked.uniforms), key=_root):
        variable = list(rows)
        if not name or _initialized(linked, name) or _read(
            [row for _, row in variable], read, infos
        ):  # fmt: skip
            kept += variable
    linked.locations = 0
    uniforms: list[Resource] = []
    for _, row in kept:
        if row.storage >= 0:
            row = row._replace(location=linked.locations)
            linked.locations += row.elements
        uniforms.append(row)
    index = {old: new for new, (old, _) in enumerate(kept)}
    linked.resources[UNIFORM] = uniforms
    linked.resources[UNIFORM_BLOCK] = [
        block._replace(members=tuple(index[n] for n in block.members))
        for block in linked.resources[UNIFORM_BLOCK]
    ]


def _root(item: tuple[int, Resource]) -> str:
    """The name of the variable that a row is of; "": one that is active in any case, since it is
    built-in or lies in a block."""
    row = item[1]
    return row.name.partition(".")[0].partition("[")[0] if row.storage >= 0 else ""


def _initialized(linked: Linked, name: str) -> bool:
    """Whether a uniform has a value of its own: it is active whoever reads it, as with the peer."""
    roots = (stage.roots.get(name) for stage in linked.stages.values())
    return any(root is not None and root.initializer is not None for root in roots)


def _places_read(linked: Linked, infos: Mapping[str, Info]) -> list[tuple[int, int]]:
    """Ranges of bytes of the program's block that are read, and where units of samplers stand. The
    samplers that nobody looks through are marked."""
    found: list[tuple[int, int]] = []
    for name, info in infos.items():
        found += info.uniforms
        rows = linked.samplers.get(name, [])
        used = [n in info.samplers for n in range(len(rows))]
        linked.samplers[name] = [
            row._replace(active=is_used) for row, is_used in zip(rows, used, strict=True)
        ]
        found += ((row.offset, row.offset + _SLOT) for row in linked.samplers[name] if row.active)
    return found


def _read(rows: list[Resource], read: list[tuple[int, int]], infos: Mapping[str, Info]) -> bool:
    """Whether some code reads a byte of a variable."""
    if any(info.indexed for info in infos.values()) and any(map(_has_index, rows)):
        return True  # an index that is known when it runs may lead to any array or matrix
    last = rows[-1]
    low, high = rows[0].storage, last.storage + _SLOT * max(last.type.slots, 1) * last.elements
    return any(start < high and end > low for start, end in read)


def _has_index(row: Resource) -> bool:
    """Whether parts of a variable can be chosen by an index."""
    matrix = row.type.kind != "sampler" and row.type.columns > 1
    return matrix or "[" in row.name or bool(row.size)


def _attribute(row: Attribute, stage: Stage, inputs: set[int]) -> bool:
    """Whether a stage reads an attribute."""
    root = stage.roots[row.name]
    first = root.slot if row.location < 0 else VERT_ATTRIB_GENERIC0 + row.location
    if not isinstance(first, int):
        return True  # gl_VertexID and its like, which the linker saw read
    return any(slot in inputs for slot in range(first, first + row.type.slots))


__all__ = ["keep_active"]
