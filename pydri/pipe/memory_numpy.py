# SPDX-License-Identifier: MIT
"""Native memory as drivers that compute with numpy see it: arrays, the vertices that draws name,
copies of regions.

In: addresses, views of the structs of pydri/pipe/native.py. Out: numpy arrays, which are that
memory, and not copies of it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np

from pydri.pipe.resource import FLAG_STAMPS, TARGET_1D_ARRAY, Resource

Arr = np.ndarray[Any, Any]


def memory(address: int, size: int, kind: Any) -> Arr:
    """Native memory as an array: `size` bytes as numbers of a kind."""
    found: Any = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(found, kind)


# -- draws -----------------------------------------------------------------------------------------


def index_list(info: Any) -> Arr:
    """The vertex numbers that a draw (DrawInfo) names, one after the other."""
    if not info.index_size:
        return np.arange(info.start, info.start + info.count, dtype=np.int64)
    size = info.index_size * (info.start + info.count)
    array = memory(info.indices, size, f"<u{info.index_size}")
    indices = array[info.start :].astype(np.int64)
    return (indices + info.index_bias) & 0xFFFFFFFF


def drawn_count(info: Any, bindings: Iterable[Any], count: int) -> int:
    """The vertices of an array draw, less those that none of its arrays (VertexBinding) holds."""
    limits = [b.count or 1 << 32 for b in bindings if b.stride and not b.divisor]
    if info.index_size or not limits:
        return count
    return max(0, min(count, max(limits) - info.start))


# -- copies ----------------------------------------------------------------------------------------


def _image_texels(resource: Any, level: int, z: int, y: int) -> tuple[Arr, int, int]:
    """Memory of an image of a level from its first byte on, bytes a row, and the row that y is
    there: rows of 1D arrays are images."""
    place = resource.level[level]
    flat = resource.target == TARGET_1D_ARRAY
    image = y if flat else z
    at = resource.data + place.offset + image * place.image_stride
    return memory(at, place.image_stride, np.uint8), place.row_stride, 0 if flat else y


def _bytes_of(resource: Any, x: int, y: int, width: int, stride: int) -> Arr:
    """Where the bytes of a row of pixels (or blocks) and their samples lie in an image."""
    size, samples = resource.block_bytes, resource.samples
    columns = x + np.arange(width)
    if resource.flags & FLAG_STAMPS:
        row = (y >> 2) * 4 * stride + (y & 3) * 4 * size
        at = row + (columns >> 2) * (16 * size * samples) + (columns & 3) * size
    else:
        at = y * stride + columns * size
    each = at[:, None] + 16 * size * np.arange(samples)
    return np.asarray((each[:, :, None] + np.arange(size)).reshape(width, -1))


def copy_region(info: Any) -> None:
    """What a CopyInfo says."""
    src, dst = Resource.view(info.src), Resource.view(info.dst)
    block_x, block_y = src.block_width, src.block_height
    width = -(-info.width // block_x)
    for z in range(info.depth):
        for line in range(-(-info.height // block_y)):
            come, stride, row = _image_texels(
                src, info.src_level, info.z + z, info.y // block_y + line
            )
            new = come[_bytes_of(src, info.x // block_x, row, width, stride)].copy()
            go, stride, row = _image_texels(
                dst, info.dst_level, info.dst_z + z, info.dst_y // dst.block_height + line
            )
            go[_bytes_of(dst, info.dst_x // dst.block_width, row, width, stride)] = new


__all__ = ["copy_region", "drawn_count", "index_list", "memory"]
