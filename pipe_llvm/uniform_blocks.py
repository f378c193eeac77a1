# SPDX-License-Identifier: MIT
"""Uniform blocks in buffers, for draws of this driver: where the bytes of each block lie.

In: the ranges that are bound (ShaderMemory.blocks), and how much of each block a shader may read.
Out: addresses behind which so much can be read, so no kernel checks a range. The vertex stage runs
at once and reads buffers where they are (draw/vertex_blocks.py). Fragments are deferred: the scene
holds the memory (LpHold), which therefore stays as it is: whoever writes to it meanwhile waits for
the scene, or the buffer gets other memory (`lp_transfer_map`). What is too short, or not bound, is
a copy with zeros behind it, made once a scene, or for each draw's vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.arena import allocate
from pipe_llvm.native import BLOCK_SLOTS, LpContext, LpHold
from pydri.jit import kernel, ptr, u8, u32, u64
from pydri.pipe.native import PipeNative
from pydri.pipe.resource import Storage
from pydri.pipe.resource_kernels import storage_data, storage_new, storage_reference
from pydri.pipe.shader_memory import BufferRange, ShaderMemory

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

_BYTES = ptr(u8)


def block_row(b: Builder, table: Any, n: Value) -> Any:
    """The range of a block; `table`: dyn.vs_memory or fs_memory, which may be null."""
    given = b.int_to_ptr(b.ptr_to_int(table), ShaderMemory)
    return given.addr("blocks").cast(ptr(BufferRange)) + n


def is_whole(b: Builder, row: Any, size: Value) -> Value:
    """Whether `size` bytes of a range can be read."""
    return (b.ptr_to_int(row.resource) != 0) & (row.size >= b.cast(size, u64))


def fill_block(b: Builder, into: Pointer, row: Any, size: Value) -> None:
    """What there is of a range, and zeros behind it."""
    given = b.var(u64, 0)
    with b.If(b.ptr_to_int(row.resource) != 0):
        given.value = b.min(row.size, b.cast(size, u64))
        b.memcpy(into, row.resource.data + row.offset, given.value)
    b.memset(into + given.value, 0, b.cast(size, u64) - given.value)


@kernel(_BYTES, (ptr(LpContext), ptr(BufferRange), u32), noinline=True, name="lp_scene_block")
def scene_block(b: Any, lp: Any, row: Any, size: Any) -> None:
    """Where `size` bytes of a range lie until the scene that is being recorded, which has room, is
    done."""
    scene, resource = lp.scene, row.resource
    source = b.var(ptr(Storage), b.const(ptr(Storage), None))
    data = b.var(_BYTES, b.const(_BYTES, None))
    with b.If(b.ptr_to_int(resource) != 0):
        source.value = resource.storage
        data.value = resource.data + row.offset
        resource.storage.reads = lp.cast(ptr(PipeNative)).submitted + 1
    given = b.min(row.size, b.cast(size, u64))
    number = (b.ptr_to_int(data.value) >> 4) ^ (b.ptr_to_int(data.value) >> 10)
    place = scene.addr("block_slots").cast(ptr(ptr(LpHold))) + (number & (BLOCK_SLOTS - 1))
    known = place.load(ptr(LpHold))
    with b.If(b.ptr_to_int(known) != 0):
        same = (known.source == b.ptr_to_int(data.value)) & (known.given == given)
        with b.If(same & (known.size >= size), likely=True):
            b.Return(known.data)
    hold = allocate(b, scene, LpHold.size).cast(ptr(LpHold))
    hold.source, hold.given, hold.size = b.ptr_to_int(data.value), given, size
    hold.data, hold.storage = data.value, source.value
    with b.If(is_whole(b, row, size), likely=True):
        b.call(storage_reference, source.value)
    with b.Else():
        hold.storage = b.call(storage_new, b.cast(size, u64))
        hold.data = lp.zeros
        with b.If(b.ptr_to_int(hold.storage) != 0, likely=True):
            hold.data = storage_data(b, hold.storage)
            fill_block(b, hold.data, row, size)
    hold.next = scene.holds
    scene.holds = hold
    place.store(hold)
    b.Return(hold.data)


__all__ = ["block_row", "fill_block", "is_whole", "scene_block"]
