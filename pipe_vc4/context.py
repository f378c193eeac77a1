# SPDX-License-Identifier: MIT
"""The context: the calls of the pipe interface (vc4_context.c).

In: addresses of the structs of pydri/pipe/native.py. Out: pixels in surfaces. Kernels reach the
methods through PipeNative, whose functions are callbacks. Draws are recorded into a job; whatever
looks at pixels, or changes them behind the job's back, plays it first. Clears of a whole surface
are the job's own; others, and copies, are done by the CPU in mapped memory.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from pipe_vc4 import debug
from pipe_vc4.batch import addresses_of, resolve
from pipe_vc4.blit import blit
from pipe_vc4.draw import Drawing
from pipe_vc4.resource import COLOR_FORMATS, Image, image_at
from pydri.pipe.interface import PipeScreen
from pydri.pipe.memory_numpy import memory
from pydri.pipe.native import (
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    BlitInfo,
    DrawInfo,
    PipeDynamic,
    RectInfo,
    Surface,
)
from pydri.pipe.plain import PlainContext
from pydri.pipe.state import PipelineState

_DEPTH_MASK, _STENCIL_SHIFT = 0xFFFFFF, 24


class _Wanted(NamedTuple):
    """What a clear does to a surface: a colour target's number or None, the word, which bits."""

    number: int | None
    image: Image
    value: int
    mask: int


class Vc4Context(PlainContext[PipelineState]):
    """A context of pipe_vc4 (struct vc4_context)."""

    driver = "vc4"

    def __init__(self, screen: PipeScreen) -> None:
        super().__init__(screen)
        self.drawing = Drawing()

    # ---- pipelines
    def pipeline(self, state: PipelineState) -> PipelineState:
        return state

    def delete_pipelines(self, handles: Iterable[int]) -> None:
        super().delete_pipelines(handles)
        shaders = (ref for state in self.pipelines.values() for ref in state.stages)
        self.drawing.forget({ref.key for ref in shaders if ref is not None})

    # ---- drawing
    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        view: Any = PipeDynamic.view(dyn)
        state, what = self.pipelines[pipeline], DrawInfo.view(info)
        count = self.drawing.draw(state, view, what, self._struct.submitted)
        if view.occlusion_counter and count[0]:  # the hardware counts none: it may have been seen
            ctypes.c_uint64.from_address(view.occlusion_counter).value += 1
        self.counted(*count)

    def draw_rect(self, pipeline: int, dyn: int, rect: int) -> None:
        state, view = self.pipelines[pipeline], PipeDynamic.view(dyn)
        self.drawing.draw_rect(state, view, RectInfo.view(rect), self._struct.submitted)
        self.counted(0, 1)

    # ---- clears
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
        view: Any = PipeDynamic.view(dyn)
        box = view.scissor_x0, view.scissor_y0, view.scissor_x1, view.scissor_y1
        batch = self.drawing.batch_for(view, self._struct.submitted)
        if batch is None or box[0] >= box[2] or box[1] >= box[3]:
            return
        rgba = memory(color, 16, np.float32).tolist()
        zs_value = round(min(max(depth, 0.0), 1.0) * _DEPTH_MASK), stencil & 255
        zs_mask = (_DEPTH_MASK if buffers & CLEAR_DEPTH else 0) | (
            (stencil_mask & 255) << _STENCIL_SHIFT if buffers & CLEAR_STENCIL else 0
        )
        wanted: list[_Wanted] = []
        for job in batch.jobs:
            mask = colormask >> 4 * job.number & 15
            if buffers & CLEAR_COLOR0 << job.number and job.color is not None and mask:
                wanted.append(
                    _Wanted(job.number, job.color, *_color_bits(job.color, rgba, mask)))
        if zs_mask and batch.zs is not None:
            value = zs_value[0] | zs_value[1] << _STENCIL_SHIFT
            if batch.zs.format.name == "Z24X8_UNORM" and buffers & CLEAR_DEPTH:
                zs_mask |= 255 << _STENCIL_SHIFT
            wanted.append(_Wanted(None, batch.zs, value, zs_mask))
        if view.fb.layers:
            self._clear_further_layers(view, box, wanted)
        for number, image, value, mask in wanted:
            whole = (1 << 8 * image.cpp) - 1
            if box != (0, 0, image.width, image.height) or mask & whole != whole:
                debug.perf("a clear of a part, or under a mask, is the CPU's and ends the job")
                self.drawing.flush()
                image.fill(box, value, mask)
                continue
            batch = self.drawing.batch_for(view, self._struct.submitted)
            if batch is not None and not batch.is_whole:
                debug.perf("a clear behind draws ends the job")
                self.drawing.flush()
                batch = self.drawing.batch_for(view, self._struct.submitted)
            assert batch is not None
            if number is None:
                batch.clear_zs(*zs_value)
            else:
                batch.clear_color(number, _tile_color(image, rgba))

    @staticmethod
    def _clear_further_layers(view: Any, box: tuple[int, int, int, int],
                              wanted: list[_Wanted]) -> None:  # fmt: skip
        """Layers that nothing is drawn to but by a geometry shader, which there is none of."""
        addresses = addresses_of(view.fb)
        for number, _, value, mask in wanted:
            surface = Surface.view(addresses[-1 if number is None else number])
            for layer in range(1, surface.layers):
                Image(surface, layer).fill(box, value, mask)

    # ---- what looks at pixels
    def flush(self) -> None:
        self.drawing.flush()
        super().flush()

    def resolve(self, surface: int) -> None:
        self.flush()
        one: Any = Surface.view(surface)
        multi: Any = Surface.view(one.multi) if one.multi and one.data else None
        if multi is None or not multi.data or multi.resolved == one.serial:
            return
        size = min(one.width, multi.width), min(one.height, multi.height)
        resolve(Image(multi, 0, size), Image(one, 0, size))
        multi.resolved = one.serial

    def blit(self, info: int) -> None:
        debug.perf("a blit is the CPU's and ends the job")
        self.flush()
        blit(BlitInfo.view(info))

    def destroy(self) -> None:
        self.drawing.flush()
        super().destroy()


def _channel_bits(image: Image) -> list[tuple[int, int]]:
    """Of red, green, blue, alpha: lowest bit and bits; 0 bits: there is none."""
    ends = list(itertools.accumulate((bits for _, bits in image.format.channels), initial=0))
    sizes = [bits for _, bits in image.format.channels]
    return [(ends[int(letter)], sizes[int(letter)]) if letter.isdigit() else (0, 0)
            for letter in image.format.swizzle.ljust(4, "o")]  # fmt: skip


def _color_bits(image: Image, rgba: list[float], colormask: int) -> tuple[int, int]:
    """A colour as the surface stores it, and the bits that a mask lets through."""
    value, hidden = 0, 0
    for n, (at, bits) in enumerate(_channel_bits(image)):
        top = (1 << bits) - 1
        value |= round(min(max(rgba[n], 0.0), 1.0) * top) << at
        if not colormask >> n & 1:
            hidden |= top << at
    return value, ~hidden & (1 << 8 * image.cpp) - 1


def _tile_color(image: Image, rgba: list[float]) -> int:
    """A colour as the tile buffer has it: in the target's order, of 565 red lowest."""
    order = COLOR_FORMATS[image.format.name]
    letters = "bgra" if order.startswith("BGR") and image.cpp == 4 else "rgba"
    return sum(
        round(min(max(rgba["rgba".index(letter)], 0.0), 1.0) * 255) << 8 * n
        for n, letter in enumerate(letters)
    )


__all__ = ["Vc4Context", "image_at"]
