# SPDX-License-Identifier: MIT
"""The context: the calls of the pipe interface, each done at once.

In: addresses of the structs of pydri/pipe/native.py. Out: pixels in surfaces. Kernels reach the
methods through PipeNative, whose functions are callbacks. Nothing is deferred, so every fence has
passed when it is asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from pipe_soft import blit
from pipe_soft.arrays import F32, Arr
from pipe_soft.draw import Drawing
from pipe_soft.fragments import FragmentStage
from pipe_soft.memory import Image, image_at
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
from pydri.pipe.interface import PipeScreen
from pydri.pipe.memory_numpy import memory
from pydri.pipe.native import (
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_SRGB,
    CLEAR_STENCIL,
    BlitInfo,
    Surface,
)
from pydri.pipe.plain import CALLS, PlainContext
from pydri.pipe.state import PipelineState


def _flushing(method: Callable[..., Any]) -> Callable[..., Any]:
    """A call of a driver with the word in MXCSR that pictures are computed with."""

    @functools.wraps(method)
    def call(*args: Any) -> Any:
        with computing(FLUSH):
            return method(*args)

    return call


class SoftContext(PlainContext[Pipeline]):
    """A context of pipe_soft."""

    driver = "softpipe"

    def __init__(self, screen: PipeScreen) -> None:
        super().__init__(screen)
        self._drawing = Drawing()

    # -- pipelines ---------------------------------------------------------------------------------

    def pipeline(self, state: PipelineState) -> Pipeline:
        return Pipeline(state)

    def texture_function(self, views: int) -> Any:
        return Textures(views, vertex=True)

    # -- drawing -----------------------------------------------------------------------------------

    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        view = dynamics(dyn)
        self._written(view)
        count = self._drawing.draw(self.pipelines[pipeline], view, draw_info(info))
        self.counted(*count)

    def draw_rect(self, pipeline: int, dyn: int, rect: int) -> None:
        view = dynamics(dyn)
        self._written(view)
        stage = FragmentStage(self.pipelines[pipeline], view)
        stage.draw(Rectangle(self.pipelines[pipeline], view, rect))
        stage.report()
        self.counted(0, 1)

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


# whoever calls them, kernels or Python: what they compute is what kernels compute
for _name in CALLS:
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
