# SPDX-License-Identifier: MIT
"""What drivers whose calls are Python have in common: their contexts are called back by kernels,
and their surfaces lie in numpy's memory.

In: the methods of a PipeContext. Out: its PipeNative, whose functions call them. A driver of this
kind is a definition or a model (pipe_soft, pipe_vc4), not one for speed.
"""

from __future__ import annotations

import ctypes
import itertools
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from pydri.jit.image import function_address
from pydri.pipe.format import FORMATS
from pydri.pipe.interface import PipeContext, PipeScreen
from pydri.pipe.memory_numpy import copy_region
from pydri.pipe.native import CALLS, TILE, CopyInfo, PipeNative
from pydri.pipe.sampler import SamplerTable
from pydri.pipe.state import PipelineState
from pydri.util import log, stats

MAX_BYTES = 1 << 30  # of a surface
Pipeline = TypeVar("Pipeline")


def allocate(size: int) -> tuple[Any, int]:
    """Zeroed memory (to be kept) and the address of its first whole cache line. MemoryError."""
    block = np.zeros(size + 64, np.uint8)
    return block, (block.ctypes.data + 63) & ~63


class PlainScreen(PipeScreen):
    """A screen that gives surfaces memory, and forgets it with them."""

    def __init__(self, winsys: Any) -> None:
        super().__init__(winsys)
        self._memory: dict[int, Any] = {}

    def surface_create(
        self, surface: Any, format: int, width: int, height: int, samples: int = 1
    ) -> None:
        fmt, most = FORMATS[format], self.get_caps().max_viewport_size
        stride = (width + TILE - 1) // TILE * TILE * fmt.bytes * samples
        rows = (height + TILE - 1) // TILE * TILE
        if not (0 < width <= most and 0 < height <= most) or stride * rows > MAX_BYTES:
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


class PlainContext(PipeContext, Generic[Pipeline]):
    """A context whose native functions are its methods. Kernels know no exceptions: what a method
    raises is told, and the call gives nothing."""

    driver: ClassVar[str]  # as messages name it

    def __init__(self, screen: PipeScreen) -> None:
        self.screen = screen
        self._struct: Any = PipeNative.ctype()()
        self.native = ctypes.addressof(self._struct)
        self._callbacks = {
            name: PipeNative.prototype(name)(self._guarded(name)) for name in CALLS
        }
        for name, callback in self._callbacks.items():
            setattr(self._struct, name, function_address(callback))
        self._struct.stats = stats.BASE
        self._handles = itertools.count(1)
        self._names: dict[PipelineState, int] = {}
        self.pipelines: dict[int, Pipeline] = {}  # by handle
        self._image: Any = None
        # textures are sampled by what a view says: no key has a function
        self._samplers: Any = SamplerTable.ctype()()
        self._no_function = SamplerTable.prototype("hook")(lambda *_: 0)
        self._samplers.hook = function_address(self._no_function)

    def _guarded(self, name: str) -> Callable[..., Any]:
        method = getattr(self, name)

        def call(_: int, *args: Any) -> Any:
            try:
                return method(*args)
            except Exception as error:
                log.error(f"{self.driver}: {name}: {type(error).__name__}: {error}")
                return 0

        return call

    @abstractmethod
    def pipeline(self, state: PipelineState) -> Pipeline:
        """What is drawn with, made of a state that no pipeline was made of before."""

    def create_pipeline(self, state: PipelineState) -> int:
        handle = self._names.get(state)
        if handle is None:
            found = self.pipeline(state)
            handle = self._names[state] = 64 * next(self._handles)
            self.pipelines[handle] = found
            stats.add("pipelines_compiled")
        return handle

    def delete_pipelines(self, handles: Iterable[int]) -> None:
        gone = set(handles)
        self._names = {s: p for s, p in self._names.items() if p not in gone}
        self.pipelines = {p: found for p, found in self.pipelines.items() if p not in gone}

    def sampler_table(self) -> int:
        return ctypes.addressof(self._samplers)

    def upload(self, pipeline: int, dyn: int, size: int) -> int:
        """PipeNative.upload: memory for the image of the next draw_rect, which frees it."""
        self._image, address = allocate(size)
        return address

    @staticmethod
    def counted(vertices: int, primitives: int) -> None:
        """A draw is counted."""
        for name, number in zip(("draws", "vertices", "primitives"), (1, vertices, primitives)):
            stats.add(name, number)

    def copy_region(self, info: int) -> None:
        self.flush()
        copy_region(CopyInfo.view(info))

    def flush(self) -> None:
        """Nothing is deferred, so that every fence has passed when it is asked for."""
        self._struct.submitted += 1
        self._struct.completed = self._struct.submitted

    def finish(self) -> None:
        self.flush()

    def destroy(self) -> None:
        self.delete_pipelines(list(self.pipelines))
        self.native = 0
        self._callbacks.clear()


__all__ = ["CALLS", "MAX_BYTES", "PlainContext", "PlainScreen", "allocate"]
