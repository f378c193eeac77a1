# SPDX-License-Identifier: MIT
"""What happens to fragments: shader, tests, blending (GL 2.1, chapters 3.11 to 4.2).

All fragments of a batch are shaded at once, at the pixel's centre. Then they go through the tests
and to the buffers in rounds: in the first of each pixel the first fragment, in the second the
second, so that no place is there twice in a round and the order in each pixel is kept. Everything
behind the shader is done for each sample.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.area import Covered
from pipe_soft.arrays import F32, Arr, clamp, f32, number_of
from pipe_soft.blend import new_pixels
from pipe_soft.layout import LINE_COVERAGE, POINT_COVERAGE, fading
from pipe_soft.memory import Image, image_at
from pipe_soft.pixels import unpack
from pipe_soft.raster import Shape
from pipe_soft.shader_memory import memory_of
from pipe_soft.tests import GL_ALWAYS, alpha_test, depth_stencil_test
from pipe_soft.textures import Textures
from pipe_soft.vertices import constants
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DEPTH,
    FRAG_RESULT_DUAL_SRC,
)
from pydri.nir.interp import Result
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import ColorTarget

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline

LANES = 1 << 15  # fragments that are shaded at once: the interpreter keeps all their values


class FragmentStage:
    """The fragment side of one draw."""

    def __init__(self, pipeline: Pipeline, dyn: Any) -> None:
        self.pipeline, self.state, self.dyn = pipeline, pipeline.state, dyn
        state = self.state
        bound = dyn.stages[SHADER_FRAGMENT]
        self.constants = constants(dyn, SHADER_FRAGMENT)
        self.textures = Textures(bound.views)
        self.memory = memory_of(bound.memory)
        self.color_format = FORMATS[state.color_format]
        surfaces = (dyn.fb.cbuf, *dyn.fb.others)
        #: the colour targets that are written: number, image, format and blending
        self.targets: list[tuple[int, Image, ColorTarget]] = []
        for n, target in enumerate(state.targets):
            image = image_at(surfaces[n]) if target.format and target.blend.colormask else None
            if image is not None:
                self.targets.append((n, image, target))
        tested = state.dsa.depth_func or state.dsa.stencil_front is not None
        self.zs = image_at(dyn.fb.zsbuf) if state.zs_format and tested else None
        self.passed = self.shaded = 0

    def draw(self, shape: Shape) -> None:
        """Everything that a shape covers."""
        with np.errstate(all="ignore"):
            for batch in shape.fragments():
                for at in _split(batch):
                    self._draw(shape, at)

    def report(self) -> None:
        """Add the samples that passed, and the fragments that were shaded, to the counters of the
        active queries (GL 2.1, 4.1.7; ARB_pipeline_statistics_query)."""
        if self.dyn.occlusion_counter:
            ctypes.c_uint64.from_address(self.dyn.occlusion_counter).value += self.passed
        if self.state.counts_fragments and self.dyn.fragments_counter:
            ctypes.c_uint64.from_address(self.dyn.fragments_counter).value += self.shaded

    def _draw(self, shape: Shape, at: Covered) -> None:
        depth = shape.depth(at)
        done, lanes = self._shade(shape, at)
        self.shaded += len(at.x)
        kept, parts = self._covered(shape, at)
        samples = at.samples & kept & ~done.discarded[lanes][:, None]
        rgba = self._color(0, self.color_format, done, lanes, parts)
        how = self.state.multisample
        if how.alpha_to_coverage and not self.color_format.integer:
            numbers = np.arange(self.state.samples)
            samples &= rgba[3][:, None] > f32(numbers / self.state.samples)
        if how.alpha_to_one and not self.color_format.integer:
            rgba[3] = np.ones_like(rgba[3])
        if FRAG_RESULT_DEPTH in done.outputs:
            written = done.output(FRAG_RESULT_DEPTH)[lanes, 0]
            depth = shape.clamped(np.broadcast_to(written[:, None], depth.shape))
        func = self.state.dsa.alpha_func
        if func not in (0, GL_ALWAYS) and not self.color_format.integer:
            alpha = alpha_test(func, self.color_format, rgba[3], self.dyn.alpha_ref)
            samples &= alpha[:, None]
        colors = []
        for number, _, target in self.targets:
            fmt = FORMATS[target.format]
            color = self._color(number, fmt, done, lanes, parts)
            if target.blend.dual:
                color += _faded(_output(done, FRAG_RESULT_DUAL_SRC, lanes), parts)
            if how.alpha_to_one and not fmt.integer:
                for place in range(3, len(color), 4):
                    color[place] = np.ones_like(color[place])
            colors.append(color)
        left = np.nonzero(samples.any(axis=1))[0]
        layer = np.broadcast_to(shape.layer(at), at.x.shape)[left]
        for n in _rounds(layer << 40 | at.y[left] << 20 | at.x[left]):
            some = left[n]
            each = [[channel[some] for channel in color] for color in colors]
            self._write(shape, at, some, each, depth[some], samples[some])

    @staticmethod
    def _color(number: int, fmt: Format, done: Result, lanes: Arr, parts: list[Arr]) -> list[Arr]:
        """What the shader wrote for a target, alpha times coverage but for whole numbers."""
        slot = FRAG_RESULT_COLOR  # which is for all
        if slot not in done.outputs:
            slot = FRAG_RESULT_DATA0 + number
        out = _output(done, slot, lanes)
        return out if fmt.integer else _faded(out, parts)

    # -- the shader --------------------------------------------------------------------------------

    def _shade(self, shape: Shape, at: Covered) -> tuple[Result, Arr]:
        """Everything that the shader left, and the lane of each fragment."""
        lanes = np.arange(len(at.x))
        if self.pipeline.in_quads:
            at, lanes = _quads(at)
        inputs, recip_w = shape.values(at)
        half = F32(0.5)
        place = [at.x + half, at.y + half, shape.centre_depth(at), recip_w]
        system: dict[str, Any] = {
            "frag_coord": np.stack(place, axis=1),
            "front_face": shape.front[at.shape],
        }
        system["frag_coord"] = f32(system["frag_coord"])
        helpers = np.ones(len(at.x), np.bool_)
        helpers[lanes] = False
        system |= self._state_values(shape, at)
        image = shape.pixels(at)
        if image is not None:
            system["pixel"] = image
        done = self.pipeline.fragment(
            len(at.x), inputs=inputs, ubos=self.constants, system=system,
            texture=self.textures, helpers=helpers, memory=self.memory,
        )  # fmt: skip
        return done, lanes

    def _state_values(self, shape: Shape, at: Covered) -> dict[str, Any]:
        """What shaders read that do behind the shader's back what this driver does."""
        wanted = self.pipeline.state_reads
        found: dict[str, Any] = {}
        if "alpha_ref" in wanted:
            found["alpha_ref"] = F32(self.dyn.alpha_ref)
        if "blend_color" in wanted:
            found["blend_color"] = f32(self.dyn.blend_color[:])[None]
        if "tile_color" in wanted:
            _, image, target = self.targets[0]
            texels = image.texels[image.places(at.x, at.y, shape.layer(at))[:, 0]]
            found["tile_color"] = np.stack(unpack(FORMATS[target.format], texels), axis=1)
        return found

    def _covered(self, shape: Shape, at: Covered) -> tuple[Arr, list[Arr]]:
        """Which samples are left of discs and masks, and what alpha is multiplied by (GL 2.1,
        3.12)."""
        state, how = self.state, self.state.multisample
        kept, parts = np.ones(at.samples.shape, np.bool_), []
        if how.enabled and state.rast.point_smooth:
            kept &= shape.discs(at)
        point, line = shape.own(POINT_COVERAGE, at), shape.own(LINE_COVERAGE, at)
        if point is not None:
            inside, part = _disc(point)
            if fading(state):
                part = point[:, 3]
            else:
                kept &= inside[:, None]
            parts.append(part)
        if line is not None and state.rast.line_smooth:
            across, wide, along, long = line.T
            ends = np.minimum(clamp(long - np.abs(along), 0, 1), long * F32(2) - F32(1))
            parts.append(clamp(wide + F32(1) - np.abs(across), 0, 1) * ends)
        if at.coverage is not None:
            parts.append(at.coverage)
        if how.mask:
            kept &= (self.dyn.sample_mask >> np.arange(state.samples) & 1) != 0
        return kept, parts

    # -- the buffers -------------------------------------------------------------------------------

    def _write(self, shape: Shape, at: Covered, some: Arr, colors: list[list[Arr]], depth: Arr,
               samples: Arr) -> None:  # fmt: skip
        """Fragments of different pixels, with a colour for each target: depth and stencil,
        blending, the stores."""
        x, y = at.x[some], at.y[some]
        layer = np.broadcast_to(shape.layer(at), at.x.shape)[some]
        if self.zs is not None:
            front = shape.front[at.shape[some]]
            places = self.zs.places(x, y, layer)
            samples = depth_stencil_test(
                self.dyn, self.state.dsa, self.zs, places, depth, samples, front
            )
        self.passed += int(samples.sum())
        if not samples.any():
            return
        for (_, image, target), rgba in zip(self.targets, colors):
            places = image.places(x, y, layer)[samples]
            each = [np.broadcast_to(c[:, None], samples.shape)[samples] for c in rgba]
            new = new_pixels(target.blend, FORMATS[target.format], each, image.texels[places],
                             self.dyn.blend_color)  # fmt: skip
            image.texels[places] = new


def _output(done: Result, slot: int, lanes: Arr) -> list[Arr]:
    """What the shader wrote to a slot; 0, 0, 0, 1 if it did not."""
    if slot in done.outputs:
        return [done.output(slot)[lanes, n] for n in range(4)]
    return [np.full(len(lanes), n == 3, np.float32) for n in range(4)]


def _faded(color: list[Arr], parts: list[Arr]) -> list[Arr]:
    """A colour whose alpha is multiplied by parts of what is covered (GL 3.3, 3.13: each fragment
    colour's)."""
    for part in parts:
        color[3] = color[3] * part
    return color


def _disc(place: Arr) -> tuple[Arr, Arr]:
    """Which fragments lie in a smooth point's disc, and how much of them: all within the radius
    whose square is the third float, none at its rim."""
    x, y, inner, _ = place.T
    square = x * x + y * y
    falling = (F32(1) - square) * (F32(1) / (F32(1) - inner))
    return ~(square > 1), np.where(inner >= square, F32(1), falling)


def _part(at: Covered, some: Any) -> Covered:
    """Some of the fragments."""
    coverage = None if at.coverage is None else at.coverage[some]
    shift = None if at.shift is None else (at.shift[0][some], at.shift[1][some])
    return Covered(at.shape[some], at.x[some], at.y[some], at.samples[some], coverage, shift)


def _split(at: Covered) -> Iterator[Covered]:
    """Parts that the interpreter takes at once."""
    for first in range(0, len(at.x), LANES):
        yield _part(at, slice(first, first + LANES))


def _quads(at: Covered) -> tuple[Covered, Arr]:
    """The 2x2 quads of fragments as lanes (those without a fragment are helpers), and the lane of
    each fragment."""
    keys, quad = number_of(at.shape, at.y >> 1, at.x >> 1)
    lane = quad * 4 + (at.y & 1) * 2 + (at.x & 1)
    shape, four = np.repeat(keys >> 32, 4), np.arange(4)
    x = ((keys[:, None] & 0xFFFF) * 2 + (four & 1)).ravel()
    y = ((keys[:, None] >> 16 & 0xFFFF) * 2 + (four >> 1)).ravel()
    samples = np.zeros((len(x), at.samples.shape[1]), np.bool_)
    if at.shift is None:
        return Covered(shape, x, y, samples), lane
    shift = tuple(np.zeros(len(x), np.float32) for _ in range(2))
    for full, own in zip(shift, at.shift):
        full[lane] = own
    return Covered(shape, x, y, samples, shift=(shift[0], shift[1])), lane


def _rounds(pixel: Arr) -> Iterator[Arr]:
    """Which fragments come first on their pixels, which second ..., in the order of fragments."""
    if not len(pixel):
        return
    order = np.argsort(pixel, kind="stable")
    ranked = pixel[order]
    starts = np.nonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))[0]
    lengths = np.diff(np.append(starts, len(pixel)))
    rank = np.arange(len(pixel)) - np.repeat(starts, lengths)
    by_rank = order[np.argsort(rank, kind="stable")]
    yield from np.split(by_rank, np.cumsum(np.bincount(rank))[:-1])
