# SPDX-License-Identifier: MIT
"""The native form of a linked program, as it can be kept: `Executable` and its table of uniforms.

In: `Linked`, and what the stages read and write. Out: `Native`, the bytes of both. Numbers of
stages and addresses, which are a process's own, are 0 in it; pydri/main/shaders/link.py fills them
in. Apart from it, since a program that comes from the cache needs none of this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydri.glsl.link.linked import UNIFORM_BLOCK
from pydri.main.shaders import primitives
from pydri.main.shaders.code import reads, writes
from pydri.main.shaders.layout import (
    BOOL,
    FLOAT,
    INT,
    SAMPLER,
    UINT,
    Executable,
    UniformSlot,
)
from pydri.main.shaders.records import Native
from pydri.main.textures.tables import SAMPLER_TARGETS
from pydri.nir.stages import BY_NAME, INPUT_PRIMITIVES, NUMBERS, OUTPUT_PRIMITIVES, VARYINGS

if TYPE_CHECKING:
    from pydri.glsl.link.linked import Linked, Sampler
    from pydri.nir.info import Info

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
    out.flags = _reads(linked)
    _put_blocks(out, linked, infos)
    strides = linked.stream_output.strides
    out.capture_buffers = sum(1 << n for n, stride in enumerate(strides) if stride)
    for n, stride in enumerate(strides):
        out.capture_strides[n] = 4 * stride
    out.locations = linked.locations
    out.storage_bytes = len(linked.storage)
    last = _last_before_fragments(infos)
    out.flags |= writes(last, infos[last]) if last else 0
    _put_geometry(out, linked)
    for name, info in infos.items():
        stage = out.stages[NUMBERS[name]]
        stage.reads, stage.block_bytes = reads(name, info), out.storage_bytes
        samplers = linked.samplers.get(name, [])
        stage.sampler_count = len(samplers)
        out.sampler_count += len(samplers)
        for place, sampler in zip(stage.samplers, samplers, strict=False):
            _put_sampler(place, sampler)
    return Native(bytes(out), _slots(linked))


def _last_before_fragments(stages: Iterable[str]) -> str:
    """The stage whose vertices reach rasterisation; empty if a program has none."""
    rows = sorted((BY_NAME[name] for name in stages), key=lambda row: row.number)
    return next((row.name for row in reversed(rows) if row.outputs.kind == VARYINGS), "")


def _put_geometry(out: Any, linked: Linked) -> None:
    """What the geometry shader takes and makes, if there is one."""
    out.reduced = primitives.REDUCED
    stage = linked.stages.get("geometry")
    if stage is None:
        return
    layouts = stage.layouts
    out.geometry_vertices = int(layouts["max_vertices"])
    out.geometry_input = INPUT_PRIMITIVES[str(layouts["in"])].mode
    out.geometry_output = OUTPUT_PRIMITIVES[str(layouts["out"])].mode
    out.reduced = primitives.reduced(out.geometry_output)


def _put_blocks(out: Any, linked: Linked, infos: Mapping[str, Info]) -> None:
    """The uniform blocks in buffers, all of them bound to point 0 at first."""
    out.block_count = len(linked.resources[UNIFORM_BLOCK])
    for name, info in infos.items():
        indices = linked.stage_blocks.get(name, [])[: len(info.blocks)]
        stage = out.stages[NUMBERS[name]]
        stage.block_count = len(indices)
        stage.blocks[: len(indices)] = indices


def _reads(linked: Linked) -> int:
    """READS_* bits of the built-in uniforms."""
    from pydri.main.shaders.state import reads as state_reads

    flags = 0
    for row in linked.uniforms:
        if row.builtin:
            flags |= state_reads(row.name.partition(".")[0].partition("[")[0])
    return flags


def _put_sampler(out: Any, sampler: Sampler) -> None:
    out.offset, out.dead = sampler.offset, int(not sampler.active)
    out.single = int(sampler.single)
    out.target = SAMPLER_TARGETS[sampler.type.dim, sampler.type.arrayed]


__all__ = ["described"]
