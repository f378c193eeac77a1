# SPDX-License-Identifier: MIT
"""pipe.copy_region: texels of one resource to another, as they are, by the caller's thread.

It waits for the scenes that write src, or use dst, and for no others; skirts are made true.
Counterpart of lp_resource_copy_region."""

from __future__ import annotations

from typing import Any

from pipe_llvm.transfer import lp_transfer_map
from pydri.jit import Struct, kernel, ptr, u8, u16, u32, u64, void
from pydri.pipe.native import MAP_READ, MAP_WRITE, CopyInfo, PipeNative
from pydri.pipe.resource import FLAG_STAMPS, TARGET_1D_ARRAY, Resource
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import refresh_level

_ELEMENTS = {1: u8, 2: u16, 4: u32, 8: u64, 16: u64.vec(2)}


class Line(Struct):
    """A row of pixels (or blocks) of an image."""

    place = ptr(u8)  # of the row
    x = u32
    stamps = u32  # samples of each, in stamp order; 0: the row lies side by side


@kernel(void, (ptr(Line), ptr(Resource), ptr(u8), u32, u32, u32, u32), noinline=True)
def find_line(
    b: Any, line: Any, res: Any, data: Any, number: Any, x: Any, y: Any, z: Any
) -> None:
    """Where pixel (x, y, z) of a level lies; rows of 1D arrays are images."""
    level, flat = level_of(res, number), res.target == TARGET_1D_ARRAY
    row = b.select(flat, 0, y // res.block_height)
    image = data + (level.offset + level.image_stride * b.cast(b.select(flat, y, z), u64))
    stride = b.cast(level.row_stride, u64)
    stamps = (res.flags & FLAG_STAMPS) != 0
    within = b.cast(row >> 2, u64) * 4 * stride + b.cast((row & 3) * 4 * res.block_bytes, u64)
    line.place = image + b.select(stamps, within, b.cast(row, u64) * stride)
    line.x = x // res.block_width
    line.stamps = b.select(stamps, b.max(res.samples, 1), 0)


def _pixel(b: Any, line: Any, n: Any, sample: Any, size: Any) -> Any:
    """Emit: where sample `sample` of the line's pixel n lies."""
    x = line.x + n
    stamps = ((x >> 2) * line.stamps + sample) * (16 * size) + (x & 3) * size
    return b.bytes_from(line.place, b.select(line.stamps != 0, stamps, x * size), u8)


@kernel(void, (ptr(Line), ptr(Line), u32, u32, u32), noinline=True)
def copy_line(b: Any, to: Any, come: Any, count: Any, size: Any, samples: Any) -> None:
    """`count` pixels of `size` bytes, and their samples."""
    with b.If((to.stamps | come.stamps) == 0, likely=True):
        first, source = (_pixel(b, line, 0, 0, size) for line in (to, come))
        b.memcpy(first, source, b.cast(count * size, u64))
        b.Return()
    with b.Switch(size) as which:
        for bytes_, ty in _ELEMENTS.items():
            element = getattr(ty, "elem", ty)
            with which.Case(bytes_):
                with b.For(b.const(u32, 0), count) as n, b.For(b.const(u32, 0), samples) as s:
                    source = _pixel(b, come, n, s, bytes_).cast(ptr(element))
                    target = _pixel(b, to, n, s, bytes_).cast(ptr(element))
                    target.store(source.load(ty, align=1), align=1)


@kernel(void, (ptr(PipeNative), ptr(CopyInfo)), noinline=True)
def lp_copy_region(b: Any, pipe: Any, info: Any) -> None:
    """pipe.copy_region; see PipeNative.copy_region."""
    src, dst = info.src, info.dst
    source = b.call(lp_transfer_map, pipe, src, MAP_READ)
    target = b.call(lp_transfer_map, pipe, dst, MAP_WRITE)
    to, come = b.array(Line), b.array(Line)
    width = (info.width + src.block_width - 1) // src.block_width
    with b.For(b.const(u32, 0), info.depth) as z:
        with b.For(b.const(u32, 0), info.height, src.block_height) as y:
            line = y // src.block_height * dst.block_height
            b.call(find_line, come, src, source, info.src_level, info.x, info.y + y, info.z + z)
            b.call(
                find_line, to, dst, target, info.dst_level, info.dst_x, info.dst_y + line,
                info.dst_z + z,
            )  # fmt: skip
            b.call(copy_line, to, come, width, src.block_bytes, src.samples)
    b.call(refresh_level, dst, info.dst_level)
