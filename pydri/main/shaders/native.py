# SPDX-License-Identifier: MIT
"""The native form of a linked program, as it can be kept: `Executable` and its table of uniforms.

In: `Linked`, and what the stages read and write. Out: `Native`, the bytes of both. Numbers of
stages and addresses, which are a process's own, are 0 in it; pydri/main/shaders/link.py fills them
in. Apart from it, since a program that comes from the cache needs none of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydri.main.shaders.layout import (
    BOOL,
    FLOAT,
    INT,
    MAX_STAGE_SAMPLERS,
    READS_FLAT,
    SAMPLER,
    UINT,
    WRITES_CLIP_VERTEX,
    WRITES_POINT_SIZE,
    Executable,
    UniformSlot,
)
from pydri.main.shaders.records import Native
from pydri.main.textures.tables import SAMPLER_TARGETS
from pydri.nir import enums

if TYPE_CHECKING:
    from pydri.glsl.linked import Linked, Sampler
    from pydri.nir.gather_info import Info

_KINDS = {"float": FLOAT, "int": INT, "uint": UINT, "bool": BOOL, "sampler": SAMPLER}


def _slots(linked: Linked) -> bytes:
    """UniformSlots by location."""
    table = bytearray(linked.locations * UniformSlot.size)
    for number, row in enumerate(linked.uniforms):
        if row.storage < 0:
            continue
        kind = _KINDS[row.type.kind]
        rows, columns = (1, 1) if kind == SAMPLER else (row.type.rows, row.type.columns)
        for n in range(row.elements):
            slot = UniformSlot.ctype()()
            slot.offset = row.storage + row.array_stride * n
            slot.left, slot.is_array = row.elements - n, int(row.size > 0)
            slot.kind, slot.rows, slot.columns, slot.number = kind, rows, columns, number
            at = (row.location + n) * UniformSlot.size
            table[at : at + UniformSlot.size] = bytes(slot)
    return bytes(table)


def described(linked: Linked, infos: Mapping[str, Info]) -> Native:
    """The native form of what linking made, of stages that read and write what `infos` say."""
    out: Any = Executable.ctype()()
    vertex, fragment = infos.get("vertex"), infos.get("fragment")
    if vertex is not None:
        for slot in vertex.inputs:
            # attribute 0 is the vertex, by both of its names (GL 2.1, 2.7)
            out.vs_attribs |= 1 << (0 if slot == enums.VERT_ATTRIB_GENERIC0 else slot)
        if enums.VARYING_SLOT_CLIP_VERTEX in vertex.outputs:
            out.flags |= WRITES_CLIP_VERTEX
        if enums.VARYING_SLOT_PSIZ in vertex.outputs:
            out.flags |= WRITES_POINT_SIZE
    out.flags |= _reads(linked)
    if fragment is not None:
        for item in fragment.inputs:
            out.fs_varyings |= 1 << item.slot if item.slot < 32 else 0
            out.fs_varyings |= READS_FLAT if item.interp == "flat" else 0
    out.locations = linked.locations
    out.storage_bytes = len(linked.storage)
    for n in range(2):
        out.block_bytes[n] = out.storage_bytes
    for n, name in enumerate(("vertex", "fragment")):
        samplers = linked.samplers.get(name, [])
        out.sampler_count[n] = len(samplers)
        for k, sampler in enumerate(samplers):
            _put_sampler(out.samplers[n * MAX_STAGE_SAMPLERS + k], sampler)
    return Native(bytes(out), _slots(linked))


def _reads(linked: Linked) -> int:
    """READS_* bits of the built-in uniforms."""
    from pydri.main.shaders.state import reads

    flags = 0
    for row in linked.uniforms:
        if row.builtin:
            flags |= reads(row.name.partition(".")[0].partition("[")[0])
    return flags


def _put_sampler(out: Any, sampler: Sampler) -> None:
    out.offset, out.dead = sampler.offset, int(not sampler.active)
    out.target = SAMPLER_TARGETS[sampler.type.dim, sampler.type.arrayed]


__all__ = ["described"]
