# SPDX-License-Identifier: MIT
"""Buffers, counters and images that shaders read and write, for the scenes of this driver.

A draw whose fragment shader has such accesses refers to a table of what is bound (LpMemory), which
the scene owns and nobody changes: as long as the same is bound, draws have the same table. The
scene keeps the memory until it is done. What a shader reads counts as read by the scene, what it
writes as written; `settle_memory` of setup/recording.py ends scenes where that matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pipe_llvm.arena import allocate, same_bytes
from pipe_llvm.native import (
    VIEW_SLOTS,
    LpAccess,
    LpBuffer,
    LpContext,
    LpHold,
    LpImage,
    LpMemory,
    LpScene,
    LpStored,
)
from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.native import PipeNative
from pydri.pipe.resource import Level, Resource, Storage
from pydri.pipe.resource_kernels import head_of, storage_reference
from pydri.pipe.shader_memory import (
    MAX_BUFFERS,
    MAX_COUNTERS,
    MAX_IMAGES,
    BufferRange,
    ImageRange,
    ShaderMemory,
)
from pydri.pipe.skirt import has_skirt, refresh_image

if TYPE_CHECKING:
    from pydri.jit import Builder

#: the bytes of scene memory that a draw with accesses may take besides its state block
ROOM = LpMemory.size + (MAX_BUFFERS + MAX_COUNTERS + MAX_IMAGES) * 128
_MOST = (1 << 31) - 4  # bytes of a buffer: places are signed numbers of 32 bits
_BYTES = ptr(u8)
_KINDS = (("buffers", BufferRange), ("counters", BufferRange), ("images", ImageRange))


def bound(b: Builder, dyn: Any, stage: int) -> Any:
    """What is bound for a stage (a pointer to ShaderMemory), or null."""
    return b.int_to_ptr(b.ptr_to_int(dyn.stages[stage].memory), ShaderMemory)


def _null(b: Builder, pointer: Any) -> Any:
    return b.ptr_to_int(pointer) == 0


def range_of(b: Builder, row: Any) -> tuple[Any, Any, Any]:
    """(address, bytes, storage) of what there is of a range that is bound (a pointer to
    BufferRange, or null): whole dwords of its buffer, as that is now (its storage and size belong
    together, whatever another thread does); null, 0 and null of what is not bound, or not there.
    """
    data, given = b.var(_BYTES, b.const(_BYTES, None)), b.var(u64, 0)
    storage = b.var(ptr(Storage), b.const(ptr(Storage), None))
    with b.If(~_null(b, row)), b.If(~_null(b, row.resource)):
        base = row.resource.data  # once: another thread may give a buffer other storage
        with b.If(~_null(b, base)):
            there = head_of(base).size
            with b.If(row.offset < there):
                data.value, storage.value = base + row.offset, head_of(base)
                given.value = b.min(row.size, there - row.offset) & ~3
    return data.value, given.value, storage.value


def _rows(b: Builder, mask: Any) -> Iterator[Any]:
    """Emit a loop over the numbers of a mask's bits."""
    left = b.var(u32, mask)
    with b.While(lambda: left.value != 0):
        n = b.cast(b.ctz(left.value), u32)
        left.value = left.value & (left.value - 1)
        yield n


def ranges(b: Builder, table: Any, access: Any) -> Iterator[tuple[Any, Any]]:
    """Emit a loop over each kind of what a shader uses of a table (or null), where something is
    bound: its resource, and whether that is written."""
    with b.If(~_null(b, table)):
        for name, kind in _KINDS:
            read, written = getattr(access, f"{name}_read"), getattr(access, f"{name}_written")
            rows = table.addr(name).cast(ptr(kind))
            for n in _rows(b, read | written):
                resource = (rows + n).addr("resource").cast(ptr(ptr(Resource))).load(ptr(Resource))
                with b.If(~_null(b, resource)), b.If(~_null(b, resource.data)):
                    yield resource, ((written >> n) & 1) != 0


@kernel(void, (ptr(LpScene), ptr(Storage)), noinline=True, name="lp_hold_storage")
def _hold(b: Any, scene: Any, storage: Any) -> None:
    """A scene, which has room, keeps a storage."""
    slots = scene.addr("hold_slots").cast(ptr(ptr(LpHold)))
    slot = (b.ptr_to_int(storage) >> 6) & (VIEW_SLOTS - 1)
    known = (slots + slot).load(ptr(LpHold))
    with b.If(~_null(b, known)), b.If(known.storage == storage):
        b.Return()
    made = allocate(b, scene, LpHold.size).cast(ptr(LpHold))
    made.storage, made.next = storage, scene.holds
    b.call(storage_reference, storage)
    scene.holds = made
    (slots + slot).store(made)


@kernel(void, (ptr(LpContext), ptr(ShaderMemory), ptr(LpAccess)), noinline=True,
        name="lp_keep_memory")  # fmt: skip
def _keep(b: Any, lp: Any, table: Any, access: Any) -> None:
    """The scene that is being recorded, which has room, uses what is bound."""
    scene = lp.scene
    recording = lp.addr("pipe").cast(ptr(PipeNative)).submitted + 1
    with b.If(access.writes != 0):
        scene.counting = 1  # what is drawn over has effects nevertheless
    for resource, written in ranges(b, table, access):
        storage = resource.storage
        b.call(_hold, scene, storage)
        storage.reads = recording
        with b.If(written):
            storage.writes = recording
    with b.If(~_null(b, table)):
        for n in _rows(b, access.images_written):
            row = table.addr("images").cast(ptr(ImageRange)) + n
            with b.If(~_null(b, row.resource)):
                b.call(_keep_image, scene, row)


@kernel(ptr(LpMemory), (ptr(LpContext), ptr(ShaderMemory), ptr(LpAccess)),
        name="lp_scene_memory", noinline=True)  # fmt: skip
def scene_memory(b: Any, lp: Any, table: Any, access: Any) -> Any:
    """The table of what is bound (`table` may be null) in the scene that is being recorded, which
    has room: the last one if nothing changed, else a new one."""
    b.call(_keep, lp, table, access)
    scene, made = lp.scene, b.array(LpMemory)
    b.call(copy_memory, table, made, access)
    with b.If(~same_bytes(b, scene.memory, made, LpMemory.size, 8)):
        fresh = allocate(b, scene, LpMemory.size)
        b.memcpy(fresh, made, LpMemory.size)
        scene.memory = fresh.cast(ptr(LpMemory))
    return scene.memory


@kernel(void, (ptr(LpScene), ptr(ImageRange)), noinline=True)
def _keep_image(b: Any, scene: Any, row: Any) -> None:
    """A further image of a scene, unless it is there or has no skirt."""
    with b.If(~has_skirt(b, row.resource)):
        b.Return()
    made = b.array(LpStored)
    _describe(b, made, row)
    at = b.var(ptr(LpStored), scene.stored)
    with b.While(lambda: b.ptr_to_int(at.value) != 0):
        same = (at.value.data == made.data) & (at.value.layers == made.layers)
        with b.If(same):
            b.Return()
        at.value = at.value.next
    made.next = scene.stored
    kept = allocate(b, scene, LpStored.size).cast(ptr(LpStored))
    b.memcpy(kept, made, LpStored.size)
    scene.stored = kept


def _describe(b: Builder, made: Any, row: Any) -> None:
    """Emit: what a binding of an image means."""
    resource = row.resource
    level = resource.addr("level").cast(ptr(Level)) + row.level
    first = b.cast(row.first_layer, u64) * level.image_stride
    made.data = resource.data + level.offset + first
    made.image_stride, made.row_stride = level.image_stride, level.row_stride
    made.texel = resource.block_bytes
    made.width, made.height, made.layers = level.width, level.height, row.layers
    made.next = None


@kernel(void, (ptr(LpStored),), noinline=True, name="lp_refresh_stored")
def refresh_stored(b: Any, stored: Any) -> None:
    """Make the skirts of images true."""
    at = b.var(ptr(LpStored), stored)
    with b.While(lambda: b.ptr_to_int(at.value) != 0):
        made = at.value
        with b.For(b.const(u32, 0), made.layers) as n:
            image = b.bytes_from(made.data, b.cast(n, u64) * made.image_stride, u8)
            b.call(refresh_image, image, made.row_stride, made.width, made.height, made.texel)
        at.value = made.next


@kernel(void, (ptr(ShaderMemory), u32), noinline=True, name="lp_refresh_table")
def refresh_table(b: Any, table: Any, images: Any) -> None:
    """The same for images of a table: behind a vertex shader that wrote them, at once."""
    with b.If(_null(b, table)):
        b.Return()
    made = b.array(LpStored)
    for n in _rows(b, images):
        row = table.addr("images").cast(ptr(ImageRange)) + n
        with b.If(~_null(b, row.resource)), b.If(has_skirt(b, row.resource)):
            _describe(b, made, row)
            b.call(refresh_stored, made)


def _channels(fmt: Format) -> int:
    """How many channels of 32 bits a texel is, in order; 0 if it is others."""
    plain = all(bits == 32 for _, bits in fmt.channels)
    swizzle = "0123"[: len(fmt.channels)] + "zzzo"[len(fmt.channels) :]
    return len(fmt.channels) if plain and fmt.swizzle == swizzle else 0


@kernel(void, (ptr(ShaderMemory), ptr(LpMemory), ptr(LpAccess)), noinline=True,
        name="lp_copy_memory")  # fmt: skip
def copy_memory(b: Any, table: Any, into: Any, access: Any) -> None:
    """What is bound of what a shader uses, as kernels want it; the table may be null."""
    b.memset(into, 0, LpMemory.size)
    texel = b.table(u32, [fmt.bytes for fmt in FORMATS])
    channels = b.table(u32, [_channels(fmt) for fmt in FORMATS])
    one = b.table(u32, [1 if fmt.integer else 0x3F800000 for fmt in FORMATS])
    with b.If(_null(b, table)):
        b.Return()
    for name in ("buffers", "counters"):
        rows, out = table.addr(name), into.addr(name)
        used = getattr(access, f"{name}_read") | getattr(access, f"{name}_written")
        for n in _rows(b, used):
            data, size, _ = range_of(b, rows.cast(ptr(BufferRange)) + n)
            made = out.cast(ptr(LpBuffer)) + n
            made.data, made.size = data, b.cast(b.min(size, _MOST), u32)
    for n in _rows(b, access.images_read | access.images_written):
        row = table.addr("images").cast(ptr(ImageRange)) + n
        made = into.addr("images").cast(ptr(LpImage)) + n
        resource = row.resource
        with b.If(~_null(b, resource)):
            level = resource.addr("level").cast(ptr(Level)) + row.level
            first = b.cast(row.first_layer, u64) * level.image_stride
            made.data = resource.data + level.offset + first
            made.row_stride, made.image_stride = level.row_stride, level.image_stride
            made.width, made.height, made.layers = level.width, level.height, row.layers
            made.format, made.texel = row.format, texel[row.format]
            made.one, made.channels = one[row.format], channels[row.format]
