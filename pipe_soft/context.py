# SPDX-License-Identifier: MIT
"""The context: the calls of the pipe interface, each done at once.

In: addresses of the structs of pydri/pipe/native.py. Out: pixels in surfaces. Kernels reach the
methods through PipeNative, whose functions are callbacks. Nothing is deferred, so every fence has
passed when it is asked for.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from pipe_soft import blit
from pipe_soft.arrays import F32, Arr, memory
from pipe_soft.draw import Drawing
from pipe_soft.fragments import FragmentStage
from pipe_soft.memory import Image, allocate, image_at
from pipe_soft.pipeline import Pipeline
from pipe_soft.pixels import (
    average,
    depth_bits,
    encode_srgb,
    has_stencil,
    is_float,
    pack,
    stencil_at,
    writable,
)
from pipe_soft.rect import Rectangle
from pipe_soft.textures import Textures
from pipe_soft.vertices import draw_info, dynamics
from pydri.jit.fpstate import FLUSH
from pydri.jit.mxcsr import computing
from pydri.pipe.format import Format
from pydri.pipe.interface import PipeContext, PipeScreen
from pydri.pipe.native import (
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_SRGB,
    CLEAR_STENCIL,
    BlitInfo,
    CopyInfo,
    PipeNative,
    Surface,
)
from pydri.pipe.sampler import SamplerTable
from pydri.pipe.state import PipelineState
from pydri.util import log, stats

_ADDRESS, _U32 = ctypes.c_void_p, ctypes.c_uint32
#: what PipeNative's functions give and get behind the context
_CALLS: dict[str, tuple[Any, ...]] = {
    "draw_vbo": (None, _ADDRESS, _ADDRESS, _ADDRESS),
    "draw_rect": (None, _ADDRESS, _ADDRESS, _ADDRESS),
    "clear": (None, _ADDRESS, _U32, _ADDRESS, ctypes.c_double, _U32, _U32, _U32),
    "flush": (None,),
    "finish": (None,),
    "resolve": (None, _ADDRESS),
    "blit": (None, _ADDRESS),
    "copy_region": (None, _ADDRESS),
    "upload": (_ADDRESS, _ADDRESS, _ADDRESS, _U32),
    "transfer_map": (_ADDRESS, _ADDRESS, _U32),
}


def _flushing(method: Callable[..., Any]) -> Callable[..., Any]:
    """A call of a driver with the word in MXCSR that pictures are computed with."""

    @functools.wraps(method)
    def call(*args: Any) -> Any:
        with computing(FLUSH):
            return method(*args)

    return call


class SoftContext(PipeContext):
    """A context of pipe_soft."""

    def __init__(self, screen: PipeScreen) -> None:
        self.screen = screen
        self._struct: Any = PipeNative.ctype()()
        self.native = ctypes.addressof(self._struct)
        self._callbacks = {
            name: ctypes.CFUNCTYPE(types[0], _ADDRESS, *types[1:])(self._guarded(name))
            for name, types in _CALLS.items()
        }
        for name, callback in self._callbacks.items():
            setattr(self._struct, name, ctypes.cast(callback, _ADDRESS).value)
        self._struct.stats = stats.BASE
        self._pipelines: dict[PipelineState, int] = {}
        self._by_handle: dict[int, Pipeline] = {}
        self._handles = itertools.count(1)
        self._drawing = Drawing()
        self._image: Any = None
        # textures.py samples by what a view says: no key has a function
        self._samplers: Any = SamplerTable.ctype()()
        self._no_function = ctypes.CFUNCTYPE(ctypes.c_uint64, _ADDRESS, _U32)(lambda *_: 0)
        self._samplers.hook = ctypes.cast(self._no_function, _ADDRESS).value

    def _guarded(self, name: str) -> Callable[..., Any]:
        """A method as kernels call it: they know no exceptions."""
        method = getattr(self, name)

        def call(_: int, *args: Any) -> Any:
            try:
                return method(*(0 if arg is None else arg for arg in args))
            except Exception as error:
                log.error(f"softpipe: {name}: {type(error).__name__}: {error}")
                return None

        return call

    # -- pipelines ---------------------------------------------------------------------------------

    def create_pipeline(self, state: PipelineState) -> int:
        handle = self._pipelines.get(state)
        if handle is None:
            handle = self._pipelines[state] = 64 * next(self._handles)
            self._by_handle[handle] = Pipeline(state)
            stats.add("pipelines_compiled")
        return handle

    def sampler_table(self) -> int:
        return ctypes.addressof(self._samplers)

    def texture_function(self, views: int) -> Any:
        return Textures(views, vertex=True)

    def delete_pipelines(self, handles: Iterable[int]) -> None:
        gone = set(handles)
        self._pipelines = {s: p for s, p in self._pipelines.items() if p not in gone}
        self._by_handle = {p: found for p, found in self._by_handle.items() if p not in gone}

    # -- drawing -----------------------------------------------------------------------------------

    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        view = dynamics(dyn)
        self._written(view)
        count = self._drawing.draw(self._by_handle[pipeline], view, draw_info(info))
        for name, number in zip(("draws", "vertices", "primitives"), (1, *count)):
            stats.add(name, number)

    def draw_rect(self, pipeline: int, dyn: int, rect: int) -> None:
        view = dynamics(dyn)
        self._written(view)
        stage = FragmentStage(self._by_handle[pipeline], view)
        stage.draw(Rectangle(self._by_handle[pipeline], view, rect))
        stage.report()
        for name in ("draws", "primitives"):
            stats.add(name)

    def upload(self, pipeline: int, dyn: int, size: int) -> int:
        """PipeNative.upload: memory for the image of the next draw_rect, which frees it."""
        self._image, address = allocate(size)
        return address

    @staticmethod
    def _written(dyn: Any) -> None:
        """Before pixels change: what is shown of samples is no more true."""
        for surface in (dyn.fb.cbuf, *dyn.fb.others):
            if surface:
                Surface.view(surface).resolved = 0

    # -- clears and resolves -----------------------------------------------------------------------

    def clear(
        self,
        dyn: int,
        buffers: int,
        color: int,
        depth: float,
        stencil: int,
        colormask: int,
        stencil_mask: int,
    ) -> None:
        view = dynamics(dyn)
        box = view.scissor_x0, view.scissor_y0, view.scissor_x1, view.scissor_y1
        if box[0] >= box[2] or box[1] >= box[3]:
            return
        for n, surface in enumerate((view.fb.cbuf, *view.fb.others)):
            target = image_at(surface) if buffers & CLEAR_COLOR0 << n else None
            mask = colormask >> 4 * n & 15
            if target is not None and mask:
                self._written(view)
                encode = bool(buffers & CLEAR_SRGB and Surface.view(surface).srgb)
                new, written = _clear_color(target, color, encode), writable(target.format, mask)
                places = target.box(*box, target.layers if view.fb.layers else 1)
                old = target.texels[places]
                target.texels[places] = (new & written) | (old & ~written)
        target = image_at(view.fb.zsbuf) if buffers & (CLEAR_DEPTH | CLEAR_STENCIL) else None
        if target is not None:
            value, mask = _clear_depth_stencil(
                target.format, buffers, depth, stencil, stencil_mask)  # fmt: skip
            _store(target, target.box(*box, target.layers if view.fb.layers else 1), value, mask)

    def flush(self) -> None:
        self._struct.submitted += 1
        self._struct.completed = self._struct.submitted

    def finish(self) -> None:
        self.flush()

    def resolve(self, surface: int) -> None:
        self.flush()
        one = Surface.view(surface)
        if not one.multi or not one.data:
            return
        multi = Surface.view(one.multi)
        if multi.resolved == one.serial:
            return
        target, source = Image(one), Image(multi)
        box = (0, 0, one.width, one.height)
        mean = average(source.format, source.texels[source.box(*box)])
        target.texels[target.box(*box)[:, 0]] = mean
        multi.resolved = one.serial

    def blit(self, info: int) -> None:
        self.flush()
        blit.blit(BlitInfo.view(info))

    def copy_region(self, info: int) -> None:
        self.flush()
        blit.copy_region(CopyInfo.view(info))

    def destroy(self) -> None:
        self.delete_pipelines(list(self._by_handle))
        self.native = 0
        self._callbacks.clear()


# whoever calls them, kernels or Python: what they compute is what kernels compute
for _name in _CALLS:
    setattr(SoftContext, _name, _flushing(getattr(SoftContext, _name)))


def _clear_color(target: Image, color: int, encode: bool) -> Arr:
    """Four numbers at an address as a texel, encoded for the sRGB view if that is cleared."""
    rgba = memory(color, 16, np.float32).copy()
    if encode:
        rgba[:3] = np.rint(encode_srgb(rgba[:3]) * 255).astype(np.float32) / F32(255)
    return pack(target.format, [np.atleast_1d(c) for c in rgba])


def _clear_depth_stencil(fmt: Format, buffers: int, depth: float, stencil: int,
                         stencil_mask: int) -> tuple[int, int]:  # fmt: skip
    """GL 2.1, 4.2.3: what is cleared as a texel, and the bits of it that change. Depth is rounded
    as doubles have it; stencil bits of the mask are set."""
    mask, value = 0, 0
    bits = depth_bits(fmt)
    if buffers & CLEAR_DEPTH and bits:
        # what lies in no channel counts as depth
        mask = (1 << fmt.bits) - 1
        mask &= ~(255 << stencil_at(fmt)) if has_stencil(fmt) else -1
        depth = min(max(depth, 0.0), 1.0)
        if is_float(fmt):
            value = int(F32(depth).view(np.uint32))
        else:
            value = int(depth * ((1 << bits) - 1) + 0.5)
    if buffers & CLEAR_STENCIL and has_stencil(fmt):
        mask |= (stencil_mask & 255) << stencil_at(fmt)
        value |= (stencil & 255) << stencil_at(fmt)
    return value, mask


def _store(target: Image, places: Arr, value: int, mask: int) -> None:
    """Set the bits `mask` of texels to those of `value`."""
    kind = target.words.dtype.type
    whole = (1 << target.format.bits) - 1
    old = target.words[places] & kind(~mask & whole)
    target.words[places] = old | kind(value & mask & whole)
