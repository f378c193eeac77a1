# SPDX-License-Identifier: MIT
"""The skirt of sampled resources: one texel right of and below each image (resource.py).

It repeats column 0 and row 0, as a wrap would (samplers that clamp give it no weight), so a pair of
horizontal neighbours and the row below may be loaded wherever a texel may. Whoever writes texels of
a level calls `refresh_skirt` afterwards; a box that touches neither column 0 nor row 0 costs a
comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u16, u32, u64, void
from pydri.pipe.resource import BIND_SAMPLED, FLAG_STAMPS, TARGET_1D_ARRAY, Level, Resource
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.texel_table import Box

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value


def rows_are_images(b: Builder, res: Resource) -> Value:
    """Whether what GL calls rows of the resource are images (arrays of 1D textures)."""
    return res.target == TARGET_1D_ARRAY


def image_place(b: Builder, res: Resource, level: Level, image: Value) -> Pointer:
    """Where texel (0, 0) of an image of a level is."""
    return b.bytes_from(res.data, level.offset + level.image_stride * b.cast(image, u64), u8)


@kernel(void, (ptr(u8), u64, u32), noinline=True)
def repeat_texel(b: Builder, place: Pointer, width: Value, size: Value) -> None:
    """The first texel of a row (of `size` bytes) again `width` bytes further on."""
    to = b.bytes_from(place, width, u8)
    with b.Switch(size) as s:
        for n, ty in ((1, u8), (2, u16), (4, u32), (8, u64)):
            with s.Case(n):
                to.cast(ptr(ty)).store(place.cast(ptr(ty)).load(align=1), align=1)
        with s.Case(16):
            to.cast(ptr(u64)).store(place.cast(ptr(u64)).load(u64.vec(2), align=1), align=1)
        with s.Default():
            b.memcpy(to, place, b.cast(size, u64))


def has_skirt(b: Builder, res: Resource) -> Value:
    """Whether the resource's images have one."""
    whole = (res.block_width == 1) & (res.block_height == 1)
    sampled = (res.bind & BIND_SAMPLED) != 0
    return whole & sampled & ((res.flags & FLAG_STAMPS) == 0)


@kernel(void, (ptr(Resource), u32, ptr(Box), u32), noinline=True)
def refresh_skirt(b: Builder, res: Resource, number: Value, box: Box, columns: Value) -> None:
    """Make the skirt of a level true again after the texels of a box changed. `columns` 0: what is
    right of the box's rows is true already.
    """
    with b.If(~has_skirt(b, res)):
        b.Return()
    level = level_of(res, number)
    flat = rows_are_images(b, res)
    first, count = b.select(flat, box.y, box.z), b.select(flat, box.height, box.depth)
    y, rows = b.select(flat, 0, box.y), b.select(flat, 1, box.height)
    size = res.block_bytes
    width = b.cast(level.width * size, u64)
    stride = b.cast(level.row_stride, u64)
    with b.For(b.const(u32, 0), count) as n:
        image = image_place(b, res, level, first + n)
        with b.If((box.x == 0) & (columns != 0)), b.For(y, y + rows) as row:
            b.call(repeat_texel, b.bytes_from(image, stride * b.cast(row, u64), u8), width, size)
        with b.If(y == 0):
            below = b.bytes_from(image, stride * b.cast(level.height, u64), u8)
            at = b.cast(box.x * size, u64)
            b.memcpy(
                b.bytes_from(below, at, u8),
                b.bytes_from(image, at, u8),
                b.cast(box.width * size, u64),
            )
            with b.If(box.x == 0):
                b.call(repeat_texel, below, width, size)


@kernel(void, (ptr(Resource), u32), noinline=True)
def refresh_level(b: Builder, res: Resource, number: Value) -> None:
    """The same after anything in a level may have changed."""
    level = level_of(res, number)
    box = b.array(Box)
    flat = rows_are_images(b, res)
    box.x, box.y, box.z = 0, 0, 0
    box.width = level.width
    box.height = b.select(flat, level.depth, level.height)
    box.depth = b.select(flat, 1, level.depth)
    b.call(refresh_skirt, res, number, box, 1)


@kernel(void, (ptr(u8), u32, u32, u32, u32), noinline=True)
def refresh_image(
    b: Builder, image: Pointer, stride: Value, width: Value, height: Value, size: Value
) -> None:
    """The skirt of one image of width x height texels of `size` bytes, all of which may have
    changed; `stride`: bytes a row."""
    right, row = b.cast(width * size, u64), b.var(ptr(u8), image)
    with b.For(b.const(u32, 0), height):
        b.call(repeat_texel, row.value, right, size)
        row.value = b.bytes_from(row.value, b.cast(stride, u64), u8)
    b.memcpy(row.value, image, right)
    b.call(repeat_texel, row.value, right, size)


__all__ = [
    "Box", "has_skirt", "image_place", "refresh_image", "refresh_level", "refresh_skirt",
    "repeat_texel", "rows_are_images",
]  # fmt: skip
