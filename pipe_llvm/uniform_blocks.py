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
from pipe_llvm.shader_memory import range_of
from pydri.jit import kernel, ptr, u8, u32, u64
from pydri.pipe.native import PipeNative
from pydri.pipe.resource_kernels import storage_data, storage_new, storage_reference
from pydri.pipe.shader_memory import BufferRange, ShaderMemory

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

_BYTES = ptr(u8)


def block_row(b: Builder, table: Any, n: Value) -> Any:
    """The row of a block; `table`: StageBindings.memory, not null."""
    given = b.int_to_ptr(b.ptr_to_int(table), ShaderMemory)
    return given.addr("blocks").cast(ptr(BufferRange)) + n


def block_range(b: Builder, table: Any, n: Value) -> tuple[Any, Any, Any]:
    """`range_of` a block. The table may be null."""
    null = b.const(ptr(BufferRange), None)
    return range_of(b, b.select(b.ptr_to_int(table) != 0, block_row(b, table, n), null))


def fill_block(b: Builder, into: Pointer, data: Pointer, given: Value, size: Value) -> None:
    """What there is of a range, and zeros behind it."""
    count = b.min(given, b.cast(size, u64))
    b.memcpy(into, data, count)
    b.memset(into + count, 0, b.cast(size, u64) - count)


@kernel(_BYTES, (ptr(LpContext), ptr(ShaderMemory), u32, u32), noinline=True,
        name="lp_scene_block")  # fmt: skip
def scene_block(b: Any, lp: Any, table: Any, n: Any, size: Any) -> None:
    """Where `size` bytes of block n lie until the scene that is being recorded, which has room, is
    done."""
    scene = lp.scene
    data, there, storage = block_range(b, table, n)
    with b.If(b.ptr_to_int(data) != 0):
        storage.reads = lp.cast(ptr(PipeNative)).submitted + 1
    given = b.min(there, b.cast(size, u64))
    number = (b.ptr_to_int(data) >> 4) ^ (b.ptr_to_int(data) >> 10)
    place = scene.addr("block_slots").cast(ptr(ptr(LpHold))) + (number & (BLOCK_SLOTS - 1))
    known = place.load(ptr(LpHold))
    with b.If(b.ptr_to_int(known) != 0):
        same = (known.source == b.ptr_to_int(data)) & (known.given == given)
        with b.If(same & (known.size >= size), likely=True):
            b.Return(known.data)
    hold = allocate(b, scene, LpHold.size).cast(ptr(LpHold))
    hold.source, hold.given, hold.size = b.ptr_to_int(data), given, size
    hold.data, hold.storage = data, storage
    with b.If((given == b.cast(size, u64)) & (b.ptr_to_int(data) != 0), likely=True):
        b.call(storage_reference, storage)
    with b.Else():
        hold.storage = b.call(storage_new, b.cast(size, u64))
        hold.data = lp.zeros
        with b.If(b.ptr_to_int(hold.storage) != 0, likely=True):
            hold.data = storage_data(b, hold.storage)
            fill_block(b, hold.data, data, given, size)
    hold.next = scene.holds
    scene.holds = hold
    place.store(hold)
    b.Return(hold.data)


__all__ = ["block_range", "block_row", "fill_block", "scene_block"]
