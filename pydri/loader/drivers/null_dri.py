# SPDX-License-Identifier: MIT
"""The driver `null`: accepts everything and draws nothing.

Stage: driver.  In: all of the pipe interface.  Out: surfaces that keep whatever was in them.  For
testing what lies above a driver (state, errors, GLX) and for measuring what it costs: under this
driver a frame is the price of everything but the pixels.  Surfaces have real, zeroed memory, so
that glReadPixels has something to read.  Counterpart of Mesa's driver_noop.
"""

import ctypes
from typing import Any

from pydri.jit import Module, f32, f64, kernel, ptr, u32, void
from pydri.loader.extensions import DriExtension, swrast_extensions
from pydri.pipe.caps import EVERYTHING, Caps
from pydri.pipe.format import DEPTH, DISPLAY, FORMATS, VERTEX
from pydri.pipe.interface import PipeContext, PipeScreen
from pydri.pipe.native import TILE, DrawInfo, PipeDynamic, PipeNative, Surface
from pydri.pipe.resource import (
    BIND_DEPTH,
    BIND_DISPLAY,
    BIND_RENDER,
    BIND_SAMPLED,
    BIND_VERTEX,
    MULTISAMPLE,
)

_PIPE = ptr(PipeNative)


@kernel(void, (_PIPE, ptr(void), ptr(PipeDynamic), ptr(DrawInfo)))
def null_draw_vbo(b: Any, pipe: Any, pipeline: Any, dyn: Any, info: Any) -> None:
    """Draw nothing."""


@kernel(void, (_PIPE, ptr(PipeDynamic), u32, ptr(f32), f64, u32, u32, u32))
def null_clear(b: Any, pipe: Any, dyn: Any, buffers: Any, color: Any, depth: Any, stencil: Any,
               colormask: Any, stencil_mask: Any) -> None:  # fmt: skip
    """Clear nothing."""


@kernel(void, (_PIPE,))
def null_flush(b: Any, pipe: Any) -> None:
    """There is never anything to flush or to wait for."""


@kernel(void, (_PIPE, ptr(Surface)))
def null_resolve(b: Any, pipe: Any, surface: Any) -> None:
    """Memory is always what it is."""


MODULE = Module("null_dri", [null_draw_vbo, null_clear, null_flush, null_resolve])


class NullContext(PipeContext):
    """Commands go nowhere."""

    draws = False

    def __init__(self) -> None:
        kernels = MODULE.compile()
        self._struct = PipeNative.ctype()()
        self.native = ctypes.addressof(self._struct)
        self._struct.draw_vbo = kernels.address("null_draw_vbo")
        self._struct.clear = kernels.address("null_clear")
        self._struct.flush = self._struct.finish = kernels.address("null_flush")
        self._struct.resolve = kernels.address("null_resolve")
        self._pipelines = 0

    def create_pipeline(self, state: Any) -> int:
        self._pipelines += 1
        return 64 * self._pipelines  # never dereferenced, never 0

    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        pass

    def clear(self, dyn: int, buffers: int, color: int, depth: float, stencil: int, colormask: int,
              stencil_mask: int) -> None:  # fmt: skip
        pass

    def flush(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def resolve(self, surface: int) -> None:
        pass

    def destroy(self) -> None:
        pass


class NullScreen(PipeScreen):
    """Every format is fine."""

    def __init__(self, winsys: Any) -> None:
        super().__init__(winsys)
        self._memory: dict[int, Any] = {}

    def get_name(self) -> str:
        return "null"

    def get_caps(self) -> Caps:
        return EVERYTHING

    def is_format_supported(self, format: int, target: int, samples: int, bind: int) -> bool:
        uses = ((DISPLAY, BIND_RENDER | BIND_DISPLAY), (DEPTH, BIND_DEPTH), (VERTEX, BIND_VERTEX))
        may = BIND_SAMPLED | sum(flag for use, flag in uses if FORMATS[format].uses & use)
        several = target in MULTISAMPLE  # nothing else has more than one
        return samples in ((2, 4, 8) if several else (0, 1)) and not bind & ~may

    def context_create(self) -> PipeContext:
        return NullContext()

    def surface_create(
        self, surface: Any, format: int, width: int, height: int, samples: int = 1
    ) -> None:
        stride = (width + TILE - 1) // TILE * TILE * FORMATS[format].bytes * samples
        rows = (height + TILE - 1) // TILE * TILE
        memory = (ctypes.c_uint8 * (stride * rows + 64))()
        self._memory[ctypes.addressof(surface)] = memory
        data = (ctypes.addressof(memory) + 63) & ~63
        self.surface_attach(surface, data, stride, format, width, height)

    def surface_attach(
        self, surface: Any, data: int, stride: int, format: int, width: int, height: int
    ) -> None:
        surface.data, surface.stride, surface.format = data, stride, format
        surface.width, surface.height = width, height
        surface.rows = (height + TILE - 1) // TILE * TILE
        surface.tiles_x = (width + TILE - 1) // TILE
        surface.tile_state = 0
        surface.serial += 1

    def surface_destroy(self, surface: Any) -> None:
        self._memory.pop(ctypes.addressof(surface), None)
        surface.data = surface.width = surface.height = 0
        surface.serial += 1


def create_screen(winsys: Any) -> PipeScreen:
    """Return the null screen."""
    return NullScreen(winsys)


def __driDriverGetExtensions_null() -> list[DriExtension]:
    """Return what the loader binds."""
    return swrast_extensions("null", create_screen)
