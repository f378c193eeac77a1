# SPDX-License-Identifier: MIT
"""Surfaces as arrays: where each pixel and sample lies (pydri/pipe/native.py, Surface)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_soft.arrays import Arr
from pydri.pipe.format import FORMATS
from pydri.pipe.memory_numpy import memory
from pydri.pipe.native import Surface

#: Where the samples lie in a pixel of n, in 1/256 pixels from its upper left corner: as OpenGL
#: leaves to us (GL 2.1, 3.2.1) and D3D has it. One sample is the centre.
SAMPLES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((128, 128),),
    4: ((96, 32), (224, 96), (32, 160), (160, 224)),
}
_WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Image:
    """The memory of a surface: `texels` has the bytes of each pixel and sample, `words` the same of
    up to 8 bytes as unsigned numbers. There are `layers` images."""

    def __init__(self, surface: Any) -> None:
        self.format = FORMATS[surface.format]
        self.samples = max(1, surface.samples)
        self.width, self.height = surface.width, surface.height
        self._stamps = surface.layout != 0
        self._pitch = surface.stride // self.format.bytes
        self.layers = max(1, surface.layers)
        self._layer = surface.layer_stride // self.format.bytes
        size = (self.layers - 1) * surface.layer_stride + surface.stride * surface.rows
        self.texels = memory(surface.data, size, np.uint8).reshape(-1, self.format.bytes)
        if self.format.bytes in _WORDS:
            self.words = self.texels.view(_WORDS[self.format.bytes])[:, 0]

    def places(self, x: Arr, y: Arr, layer: Arr | int = 0) -> Arr:
        """Where the samples of pixels lie in `texels` and `words`, (pixels, samples)."""
        first = layer * self._layer
        if not self._stamps:
            return (first + y * self._pitch + x)[:, None]
        stamp = first + (y >> 2) * (4 * self._pitch) + (x >> 2) * (16 * self.samples)
        inside = (y & 3) * 4 + (x & 3)
        return (stamp + inside)[:, None] + 16 * np.arange(self.samples)

    def box(self, x0: int, y0: int, x1: int, y1: int, layers: int = 1) -> Arr:
        """places() of all pixels of [x0, x1) x [y0, y1) of the first layers."""
        layer, y, x = np.mgrid[0:layers, y0:y1, x0:x1]
        return self.places(x.ravel(), y.ravel(), layer.ravel())


def image_at(address: int) -> Image | None:
    """The image of the Surface at an address; None of 0 and of one without memory."""
    if not address:
        return None
    surface = Surface.view(address)
    return Image(surface) if surface.data else None
