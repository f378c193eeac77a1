# SPDX-License-Identifier: MIT
"""Blits: pixels of a box of one surface to a box of another, by the CPU in mapped memory.

In: a BlitInfo whose surfaces are in memory. Out: pixels. Colours go through floats where formats
differ or a filter mixes them (vc4_blit.c leaves the same to u_blitter).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_vc4.resource import Bytes, Image, Ints, Words, image_at
from pydri.pipe.format_numpy import pack, unpack
from pydri.pipe.native import (
    BLIT_LINEAR,
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    Surface,
)

_FAR = 1 << 30
_DEPTH, _STENCIL = 0x00FFFFFF, 0xFF000000


def _places(limits: tuple[int, int], target: tuple[int, int], source: tuple[int, int], size: int
            ) -> tuple[Ints, Ints]:  # fmt: skip
    """Pixels of dst along an axis within limits, and their places in src in 1/256 texels."""
    d0, d1, s0, s1 = (max(-_FAR, min(_FAR, value)) for value in (*target, *source))
    if d1 < d0:
        d0, d1, s0, s1 = d1, d0, s1, s0
    low, high = max(limits[0], d0), min(limits[1], d1)
    x = np.arange(low, max(low, high), dtype=np.int64)
    if not len(x):
        return x, x
    place = s0 * 256 + (2 * (x - d0) + 1) * (s1 - s0) * 128 // (d1 - d0)
    inside = (place >= 0) & (place < size * 256)
    return x[inside], place[inside]


def _colors(image: Image, x: Ints, y: Ints) -> Any:
    """Four floats of each of rows y by columns x."""
    words = np.ascontiguousarray(image.pixels(x, y))
    data: Bytes = words.reshape(-1).view(np.uint8).reshape(-1, image.cpp)
    each = np.asarray(unpack(image.format, data), np.float32).reshape(len(y), len(x), -1, 4)
    return each.mean(axis=2, dtype=np.float32)


def _filtered(image: Image, x: Ints, y: Ints) -> Any:
    """Linear: of the four texels around each place."""
    sides = []
    for place, size in ((x - 128, image.width), (y - 128, image.height)):
        low, last = place >> 8, size - 1
        sides.append((np.clip(low, 0, last), np.clip(low + 1, 0, last), (place & 255) / 256))
    (x0, x1, wx), (y0, y1, wy) = sides
    rows = [_colors(image, x0, row) * (1 - wx)[None, :, None]
            + _colors(image, x1, row) * wx[None, :, None] for row in (y0, y1)]  # fmt: skip
    return rows[0] * (1 - wy)[:, None, None] + rows[1] * wy[:, None, None]


def _drawn(address: int) -> Image | None:
    """The image that is drawn to in the place of a surface."""
    surface: Any = Surface.view(address)
    return image_at(surface.multi or address)


def _note_samples(address: int) -> None:
    """What is shown of a surface's samples is no more true."""
    surface: Any = Surface.view(address)
    if surface.multi:
        Surface.view(surface.multi).resolved = 0


def _spread(words: Words, target: Image) -> Words:
    """Pixels of one sample for all samples of a target."""
    return words if target.samples == 1 else words[..., None]


def blit(info: Any) -> None:
    """The blit of a BlitInfo."""
    source, target = _drawn(info.src), _drawn(info.dst)
    if source is None or target is None:
        return
    clip, to, come = info.scissor[:], info.dst_box[:], info.src_box[:]
    x, sx = _places((max(clip[0], 0), min(clip[2], target.width)), (to[0], to[2]),
                    (come[0], come[2]), source.width)  # fmt: skip
    y, sy = _places((max(clip[1], 0), min(clip[3], target.height)), (to[1], to[3]),
                    (come[1], come[3]), source.height)  # fmt: skip
    if not len(x) or not len(y):
        return
    if info.mask & CLEAR_COLOR0:
        _note_samples(info.dst)
        linear = info.filter == BLIT_LINEAR
        if not linear and source.format == target.format and source.samples == 1:
            target.put(x, y, _spread(source.pixels(sx >> 8, sy >> 8), target))
            return
        if source.samples == target.samples > 1:  # the boxes are of one size
            target.put(x, y, source.pixels(sx >> 8, sy >> 8))
            return
        found = _filtered(source, sx, sy) if linear else _colors(source, sx >> 8, sy >> 8)
        data = np.ascontiguousarray(pack(target.format, found.reshape(-1, 4).astype(np.float32)))
        words = data.view(target.words.dtype).reshape(len(y), len(x))
        target.put(x, y, _spread(words, target))
        return
    mask = np.uint32((_DEPTH if info.mask & CLEAR_DEPTH else 0)
                     | (_STENCIL if info.mask & CLEAR_STENCIL else 0))  # fmt: skip
    new = source.pixels(sx >> 8, sy >> 8)
    if source.samples != target.samples:  # of several samples the first
        new = _spread(new if source.samples == 1 else new[..., 0], target)
    target.put(x, y, target.pixels(x, y) & ~mask | new & mask)
