# SPDX-License-Identifier: MIT
"""The screen: what the driver can do, and memory of surfaces."""

from __future__ import annotations

import ctypes
from typing import Any

from pipe_soft.memory import SAMPLES, Image, allocate
from pydri.pipe.format import FORMATS
from pydri.pipe.interface import PipeContext, PipeScreen
from pydri.pipe.native import TILE, Surface

MAX_SIZE = 16384
MAX_BYTES = 1 << 30


class SoftScreen(PipeScreen):
    """pipe_soft on one winsys."""

    def __init__(self, winsys: Any) -> None:
        super().__init__(winsys)
        self._memory: dict[int, Any] = {}

    def get_name(self) -> str:
        return "softpipe (numpy)"

    def is_format_supported(self, format: int, samples: int, bind: str) -> bool:
        if not 0 < format < len(FORMATS) or (samples > 1 and samples not in SAMPLES):
            return False
        kind = {"render": "color", "depth": "zs", "vertex": "vertex"}.get(bind)
        return FORMATS[format].kind == kind

    def context_create(self) -> PipeContext:
        from pipe_soft.context import SoftContext

        return SoftContext(self)

    def surface_create(
        self, surface: Any, format: int, width: int, height: int, samples: int = 1
    ) -> None:
        fmt = FORMATS[format]
        stride = (width + TILE - 1) // TILE * TILE * fmt.bytes * samples
        rows = (height + TILE - 1) // TILE * TILE
        if not (0 < width <= MAX_SIZE and 0 < height <= MAX_SIZE) or stride * rows > MAX_BYTES:
            raise MemoryError(f"a surface of {width}x{height} pixels")
        memory, data = allocate(stride * rows)
        self.surface_attach(surface, data, stride, format, width, height)
        self._memory[ctypes.addressof(surface)] = memory
        surface.layout = 1 if fmt.kind == "zs" or samples > 1 else 0
        surface.samples = samples

    def surface_attach(
        self, surface: Any, data: int, stride: int, format: int, width: int, height: int
    ) -> None:
        self.surface_destroy(surface)
        surface.data, surface.stride, surface.format = data, stride, format
        surface.width, surface.height = width, height
        surface.rows = (height + TILE - 1) // TILE * TILE
        surface.tiles_x = (width + TILE - 1) // TILE
        surface.layout, surface.samples = 0, 1
        surface.stencil_known = surface.resolved = 0
        surface.serial += 1

    def surface_destroy(self, surface: Any) -> None:
        self._memory.pop(ctypes.addressof(surface), None)
        surface.data = surface.tile_state = 0

    def surface_spread(self, surface: Any) -> None:
        multi = Surface.view(surface.multi)
        one, many = Image(surface), Image(multi)
        box = (0, 0, surface.width, surface.height)
        many.flat[many.box(*box)] = one.flat[one.box(*box)]
        multi.resolved = surface.serial
