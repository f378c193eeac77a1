# SPDX-License-Identifier: MIT
"""Fragment kernels of surfaces with several samples a pixel (GL 2.1, 3.2.1 and 4.1.3).

A fragment is shaded once, at the pixel's centre. Coverage, depth, stencil, blending and the store
are each sample's own; depth is that of the sample's place, as in llvmpipe. Without
Multisample.enabled coverage and depth are those of the centre, for all samples. The samples of a
stamp lie one after the other, so each is one vector of memory, of colour as of depth. Order:
coverage, sample mask; early stencil and depth; shader; alpha to coverage, alpha to one; alpha test;
late stencil and depth; blending. Samples, not pixels, are counted."""

from __future__ import annotations

from functools import partial, reduce
from operator import add, and_, or_
from typing import TYPE_CHECKING

from pipe_llvm.fragment.kernel import FragmentBuilder
from pipe_llvm.fragment.primitive import Plane
from pipe_llvm.fragment.walk import walk_triangle
from pipe_llvm.gallivm import depth as zs
from pipe_llvm.gallivm import format as color
from pipe_llvm.native import SAMPLE_POSITIONS, VARYING_SLOT_POINT_COVERAGE
from pydri.jit import boolean, f32, u8, u32, u64
from pydri.nir.enums import FRAG_RESULT_DEPTH

if TYPE_CHECKING:
    from pipe_llvm.fragment.kernel import Target
    from pipe_llvm.fragment.primitive import Primitive, Stamp
    from pipe_llvm.recipe import FragmentPart
    from pydri.jit import Builder, Pointer, Value

f32x16, mask16 = f32.vec(16), boolean.vec(16)
CENTRE = 128  # in the units of SAMPLE_POSITIONS


class SampleFragmentBuilder(FragmentBuilder):
    """Generates a fragment kernel of surfaces with several samples."""

    def __init__(self, part: FragmentPart, hurried: bool = False) -> None:
        super().__init__(part, hurried)
        self.samples = part.samples
        self.late_zs = self.late_zs or (self.has_zs and part.multisample.alpha_to_coverage)
        self.untested = False  # a list of pixels, where there is one, says nothing of samples

    def walk(self, b: Builder, prim: Primitive, cut: Value) -> None:
        """Shade the stamps of a triangle; see FragmentBuilder.walk."""
        walk_triangle(b, self.layout.samples, prim, cut, partial(self.shade, b, prim))

    def sample_places(
        self, b: Builder, base: Pointer, stride: Value, at: Stamp, size: int
    ) -> list[Pointer]:
        """Where the samples of a stamp lie in the tile at `base`, `size` bytes each."""
        row = b.cast(b.cast(at.y, u32), u64) * stride
        first = base + (row + b.cast(b.cast(at.x >> 2, u32) * (size * self.samples), u64))
        return [b.bytes_from(first, size * s, u8) for s in range(self.samples)]

    def depths(self, b: Builder, prim: Primitive, centre: Value) -> list[Value]:
        """Depth at each sample, from that at the pixel's centre."""
        out = [centre] * self.samples
        if self.part.multisample.enabled:
            assert isinstance(prim.depth, Plane)
            dzdx, dzdy = prim.depth.dx, prim.depth.dy
            for s, (x, y) in enumerate(SAMPLE_POSITIONS[self.samples]):
                shift = dzdx * ((x - CENTRE) / 256) + dzdy * ((y - CENTRE) / 256)
                out[s] = centre + b.splat(shift, 16)
        return [self.clamped_depth(b, prim.state, z) for z in out]

    def discs(self, b: Builder, prim: Primitive, at: Stamp) -> list[Value]:
        """Which samples lie in the disc of a smooth point (GL 2.1, 3.3.3); of others all."""
        place = {
            item.component: prim.planes[item.field]
            for item in self.layout.inputs
            if item.slot == VARYING_SLOT_POINT_COVERAGE
        }
        out = []
        for sample in SAMPLE_POSITIONS[self.samples]:
            square = b.const(f32x16, 0.0)
            for plane in (place[0], place[1]):
                assert isinstance(plane, Plane)
                steps = plane.dx, plane.dy
                shift = reduce(add, [s * ((n - CENTRE) / 256) for s, n in zip(steps, sample)])
                distance = at.evaluate(plane) + b.splat(shift, 16)
                square = square + distance * distance
            out.append(square <= 1.0)
        return out

    def test(
        self,
        b: Builder,
        prim: Primitive,
        places: list[Pointer],
        depths: list[Value],
        masks: list[Value],
    ) -> list[Value]:
        """Stencil and depth test of each sample: the masks of those that survive."""
        dsa, state, front = self.part.dsa, prim.state, prim.front
        return [
            zs.test(b, dsa, self.zs_fmt, b.bytes_from(place, 0, u32), z, mask, state, front)
            for place, z, mask in zip(places, depths, masks)
        ]

    def covered(
        self, b: Builder, prim: Primitive, at: Stamp, coverage: list[Value]
    ) -> list[Value]:
        """Which pixels are covered at each sample. `coverage` has a mask for each sample, or one
        for all."""
        if self.part.discs:
            return [mask & disc for mask, disc in zip(coverage, self.discs(b, prim, at))]
        return coverage

    def shade(
        self, b: Builder, prim: Primitive, x: Value, y: Value, coverage: list[Value], whole: Value
    ) -> None:
        """Everything for the samples of 16 pixels of a stamp at (x, y) in the tile."""
        state, tile = prim.state, prim.tile
        masks = [coverage[s % len(coverage)] for s in range(self.samples)]
        if self.part.multisample.mask:
            allowed = [((state.sample_mask >> s) & 1) != 0 for s in range(self.samples)]
            masks = [mask & b.splat(bit, 16) for mask, bit in zip(masks, allowed)]
        at = self.stamp(b, prim, x, y, whole)
        masks = self.covered(b, prim, at, masks)
        centre = self.depth_of(prim, at)
        depths: list[Value] = []
        places: list[Pointer] = []
        if self.has_zs:
            assert centre is not None
            size = zs.layout_of(self.zs_fmt).stamp_bytes
            depths = self.depths(b, prim, centre)
            places = self.sample_places(b, tile.depth, tile.depth_stride, at, size)
        if self.has_zs and not self.late_zs:
            masks = self.test(b, prim, places, depths, masks)
            if not self.has_color:
                prim.passed.count(masks)
                return
        elif self.has_zs and self.rejects_early:
            masks = [
                mask & self.may_pass(b, state, b.bytes_from(place, 0, u32), z)
                for mask, place, z in zip(masks, places, depths)
            ]
        with b.If(b.any(reduce(or_, masks)), likely=True):
            self.shade_samples(b, prim, at, masks, centre, depths, places)

    def alpha_operations(
        self, b: Builder, rgba: list[Value], masks: list[Value]
    ) -> list[Value]:
        """What alpha does to coverage, and coverage to alpha (GL 2.1, 4.1.3). A fragment covers
        sample s if its alpha is more than s / samples, as in llvmpipe."""
        how = self.part.multisample
        if how.alpha_to_coverage and not self.fmt.integer:
            masks = [
                mask & (rgba[3] > b.const(f32x16, s / self.samples)) for s, mask in enumerate(masks)
            ]
        if how.alpha_to_one and not self.fmt.integer:
            rgba[3] = b.const(f32x16, 1.0)
        return masks

    def shade_samples(
        self,
        b: Builder,
        prim: Primitive,
        at: Stamp,
        masks: list[Value],
        centre: Value | None,
        depths: list[Value],
        places: list[Pointer],
    ) -> None:
        """Shader, operations on alpha, late depth, blending and the store of each sample."""
        z = None if centre is None else self.clamped_depth(b, prim.state, centre)
        env, rgba = self.run_shader(b, prim, at, reduce(or_, masks), z)
        if self.fs.uses_discard:
            masks = [mask & env.mask.value for mask in masks]
        masks = self.alpha_operations(b, rgba, masks)
        if self.alpha_test:
            passed = self.passes_alpha(b, prim, rgba[3])
            masks = [mask & passed for mask in masks]
        if self.late_zs:
            written = env.output(FRAG_RESULT_DEPTH, 0)
            if written is not None:
                depth = self.clamped_depth(b, prim.state, b.splat(written, 16))
                depths = [depth] * self.samples
            masks = self.test(b, prim, places, depths, masks)
        for target in self.targets:
            colors = self.color_of(b, prim, env, target, rgba)
            self.store_samples(b, prim, at, target, colors, masks)
        prim.passed.count(masks)

    def store_samples(
        self,
        b: Builder,
        prim: Primitive,
        at: Stamp,
        target: Target,
        rgba: list[Value],
        masks: list[Value],
    ) -> None:
        """Blend a stamp's colours with each sample of a target and write it."""
        fmt, state = target.fmt, prim.state
        pixels = self.sample_places(b, *prim.tile.target(target.number), at, fmt.bytes * 16)
        if not target.opaque:
            for place, mask in zip(pixels, masks):
                old = color.load_samples(b, place, fmt)
                new = self.blend(b, state, target, rgba, old)
                color.store_samples(b, place, fmt, color.choose(b, mask, new, old))
            return
        new = self.blend(b, state, target, rgba, None)
        with b.If(b.all(reduce(and_, masks))):
            for place in pixels:
                color.store_samples(b, place, fmt, new)
        with b.Else():
            for place, mask in zip(pixels, masks):
                old = color.load_samples(b, place, fmt)
                color.store_samples(b, place, fmt, color.choose(b, mask, new, old))
