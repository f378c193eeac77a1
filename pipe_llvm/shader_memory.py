# SPDX-License-Identifier: MIT
"""Buffers, counters and images that shaders read and write, for the scenes of this driver.

A draw whose fragment shader has such accesses has a copy of what is bound in its state block
(LpMemory), and the scene keeps the memory until it is done, as it does with what it samples. All
that is bound counts as read and written by the scene; `settle_memory` of setup_scene.py ends scenes
where that matters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pipe_llvm.arena import allocate
from pipe_llvm.native import LpBuffer, LpContext, LpImage, LpMemory, LpScene, LpStored
from pipe_llvm.scene_views import LpViewCopy
from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.native import PipeNative
from pydri.pipe.resource import Level, Resource
from pydri.pipe.resource_kernels import storage_reference
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
ROOM = (MAX_BUFFERS + MAX_COUNTERS + MAX_IMAGES) * (LpViewCopy.size + 128)
_MOST = (1 << 31) - 4  # bytes of a buffer: places are signed numbers of 32 bits


def ranges(b: Builder, memory: Any) -> Iterator[tuple[Any, Any]]:
    """Emit a loop over each kind of binding: what is bound, and its resource."""
    for name, count, kind in (
        ("buffers", MAX_BUFFERS, BufferRange), ("counters", MAX_COUNTERS, BufferRange),
        ("images", MAX_IMAGES, ImageRange),
    ):  # fmt: skip
        rows = memory.addr(name).cast(ptr(kind))
        with b.For(b.const(u32, 0), count) as n:
            resource = (rows + n).addr("resource").cast(ptr(ptr(Resource))).load(ptr(Resource))
            with b.If(b.ptr_to_int(resource) != 0):
                yield rows + n, resource


@kernel(void, (ptr(LpContext), ptr(ShaderMemory)), noinline=True, name="lp_keep_memory")
def keep_memory(b: Any, lp: Any, table: Any) -> None:
    """The scene that is being recorded, which has room, accesses what is bound."""
    scene = lp.scene
    scene.counting = 1  # what is drawn over has effects nevertheless
    recording = lp.addr("pipe").cast(ptr(PipeNative)).submitted + 1
    for _, resource in ranges(b, table):
        storage = resource.storage
        with b.If((storage.writes != recording) | (storage.reads != recording)):
            copy = allocate(b, scene, LpViewCopy.size).cast(ptr(LpViewCopy))
            copy.source = 0
            copy.storage = storage
            b.call(storage_reference, storage)
            copy.next = scene.views
            scene.views = copy
            storage.reads = recording
            storage.writes = recording
    with b.For(b.const(u32, 0), MAX_IMAGES) as n:
        row = table.addr("images").cast(ptr(ImageRange)) + n
        with b.If(b.ptr_to_int(row.resource) != 0):
            b.call(_keep_image, scene, row)


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


@kernel(void, (ptr(ShaderMemory),), noinline=True, name="lp_refresh_table")
def refresh_table(b: Any, table: Any) -> None:
    """The same for all images of a table: behind a vertex shader, which runs at once."""
    with b.If(b.ptr_to_int(table) == 0):
        b.Return()
    made = b.array(LpStored)
    with b.For(b.const(u32, 0), MAX_IMAGES) as n:
        row = table.addr("images").cast(ptr(ImageRange)) + n
        with b.If(b.ptr_to_int(row.resource) != 0), b.If(has_skirt(b, row.resource)):
            _describe(b, made, row)
            b.call(refresh_stored, made)


def _channels(fmt: Format) -> int:
    """How many channels of 32 bits a texel is, in order; 0 if it is others."""
    plain = all(bits == 32 for _, bits in fmt.channels)
    swizzle = "0123"[: len(fmt.channels)] + "zzzo"[len(fmt.channels) :]
    return len(fmt.channels) if plain and fmt.swizzle == swizzle else 0


@kernel(void, (ptr(ShaderMemory), ptr(LpMemory)), noinline=True, name="lp_copy_memory")
def copy_memory(b: Any, table: Any, into: Any) -> None:
    """What is bound, as fragment kernels want it; the table may be null."""
    b.memset(into, 0, LpMemory.size)
    with b.If(b.ptr_to_int(table) == 0):
        b.Return()
    texel = b.table(u32, [fmt.bytes for fmt in FORMATS])
    channels = b.table(u32, [_channels(fmt) for fmt in FORMATS])
    one = b.table(u32, [1 if fmt.integer else 0x3F800000 for fmt in FORMATS])
    for name, count in (("buffers", MAX_BUFFERS), ("counters", MAX_COUNTERS)):
        rows, out = table.addr(name), into.addr(name)
        with b.For(b.const(u32, 0), count) as n:
            row, made = rows.cast(ptr(BufferRange)) + n, out.cast(ptr(LpBuffer)) + n
            resource = row.resource
            with b.If(b.ptr_to_int(resource) != 0):
                made.data = resource.data + row.offset
                made.size = b.cast(b.min(row.size, _MOST), u32) & ~3
    rows, out = table.addr("images"), into.addr("images")
    with b.For(b.const(u32, 0), MAX_IMAGES) as n:
        row, made = rows.cast(ptr(ImageRange)) + n, out.cast(ptr(LpImage)) + n
        resource = row.resource
        with b.If(b.ptr_to_int(resource) != 0):
            level = resource.addr("level").cast(ptr(Level)) + row.level
            first = b.cast(row.first_layer, u64) * level.image_stride
            made.data = resource.data + level.offset + first
            made.row_stride, made.image_stride = level.row_stride, level.image_stride
            made.width, made.height, made.layers = level.width, level.height, row.layers
            made.format, made.texel = row.format, texel[row.format]
            made.one, made.channels = one[row.format], channels[row.format]
