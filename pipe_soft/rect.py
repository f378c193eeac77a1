# SPDX-License-Identifier: MIT
"""Rectangles of pixels: glBitmap, glDrawPixels, glCopyPixels (GL 2.1, 3.6.4, 3.7).

All fragments have the same depth and values; the image says which pixels there are (bits: a 16-bit
word for each 4x4 stamp), or what `load_pixel` gives (rows of pixels from the first stamp on).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pipe_soft.area import Covered
from pipe_soft.arrays import F32, Arr, f32
from pipe_soft.pipeline import Pipeline
from pipe_soft.raster import Shape, box_pixels
from pydri.pipe.memory_numpy import memory
from pydri.pipe.native import RectInfo
from pydri.pipe.state import RECT_BITS, RECT_L32F, RECT_NONE, RECT_PIXEL_BYTES, RECT_RGBA8


class Rectangle(Shape):
    """A RectInfo as a shape."""

    def __init__(self, pipeline: Pipeline, dyn: Any, address: int) -> None:
        super().__init__(pipeline, dyn)
        self.rect: Any = RectInfo.view(address)
        self.front = np.ones(1, np.bool_)

    def fragments(self) -> Iterator[Covered]:
        """The pixels of the box, of a bitmap those that are set."""
        rect = self.rect
        low = np.array([[rect.x0, rect.y0]])
        size = np.maximum(np.array([[rect.x1, rect.y1]]) - low, 0)
        if not size.all():
            return
        for shape, x, y in box_pixels(np.zeros(1, np.int64), low, size):
            if self.pipeline.state.rect == RECT_BITS:
                stamp = ((y >> 2) - (rect.y0 >> 2)) * (rect.stride // 2) + (x >> 2) - (rect.x0 >> 2)
                words = self._image(np.uint16, int(stamp.max()) + 1)[stamp]
                some = words >> ((y & 3) * 4 + (x & 3)) & 1 != 0
                shape, x, y = shape[some], x[some], y[some]
            yield Covered(shape, x, y, np.ones((len(x), self.samples), np.bool_))

    def _image(self, kind: Any, count: int) -> Arr:
        return memory(self.rect.image, count * np.dtype(kind).itemsize, kind)

    def pixels(self, at: Covered) -> Arr | None:
        """What `load_pixel` gives (fragments, 4); None where there are no pixels."""
        kind, rect = self.pipeline.state.rect, self.rect
        if kind in (RECT_NONE, RECT_BITS):
            return None
        size = RECT_PIXEL_BYTES[kind]
        row, column = at.y - (rect.y0 & ~3), at.x - (rect.x0 & ~3)
        # helpers of quads may lie outside of the image
        row = np.clip(row, 0, rect.y1 - 1 - (rect.y0 & ~3))
        column = np.clip(column, 0, rect.x1 - 1 - (rect.x0 & ~3))
        if kind == RECT_RGBA8:
            place = (row * rect.stride + column * size)[:, None] + np.arange(4)
            return self._image(np.uint8, int(place.max()) + 1)[place] * F32(1 / 255)
        place = row * (rect.stride // 4) + column * (size // 4)
        floats = self._image(np.float32, int(place.max()) + size // 4)
        if size == 16:
            return np.asarray(floats[place[:, None] + np.arange(4)])
        first = floats[place]
        others = first if kind == RECT_L32F else np.zeros_like(first)
        return np.stack([first, others, others, np.ones_like(first)], axis=1)

    def depth(self, at: Covered) -> Arr:
        """The rectangle's."""
        return self.clamped(np.full((len(at.x), self.samples), self.rect.depth, np.float32))

    def values(self, at: Covered) -> tuple[dict[int, Arr], Arr]:
        """Those of the rectangle, by slot."""
        out = {}
        for item in self.pipeline.layout.inputs:
            value = f32([0, 0, 0, 1])
            value[: item.components] = self.rect.values[item.slot][: item.components]
            out[item.slot] = np.tile(value, (len(at.x), 1))
        return out, np.ones(len(at.x), np.float32)
