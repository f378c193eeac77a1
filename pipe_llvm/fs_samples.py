# SPDX-License-Identifier: MIT
"""Fragment kernels of surfaces with several samples a pixel (GL 2.1, 3.2.1 and 4.1.3).

A fragment is shaded once, at the pixel's centre. Coverage, depth, stencil, blending and the store
are each sample's own; depth is that of the sample's place, as in llvmpipe. Without
Multisample.enabled coverage and depth are those of the centre, for all samples. The samples of a
stamp lie one after the other, so each is one vector of memory, of colour as of depth. Order:
coverage, sample mask; early stencil and depth; shader; alpha to coverage, alpha to one; alpha test;
late stencil and depth; blending. Samples, not pixels, are counted."""

from __future__ import annotations

from functools import reduce
from operator import add, and_, or_
from typing import Any

from pipe_llvm.fs import FRAG_RESULT_DEPTH, FragmentBuilder
from pipe_llvm.gallivm import blend as blending
from pipe_llvm.gallivm import depth as zs
from pipe_llvm.gallivm import format as color
from pipe_llvm.native import SAMPLE_POSITIONS
from pipe_llvm.packet import PacketLayout
from pydri.jit import boolean, f32, u8, u32, u64
from pydri.nir.enums import VARYING_SLOT_POINT_COVERAGE
from pydri.pipe.state import PipelineState

f32x16, mask16 = f32.vec(16), boolean.vec(16)
GL_ALWAYS = 0x207
CENTRE = 128  # in the units of SAMPLE_POSITIONS


class SampleFragmentBuilder(FragmentBuilder):
    """Generates the fragment kernel of a pipeline state with several samples."""

    def __init__(self, state: PipelineState, layout: PacketLayout) -> None:
        super().__init__(state, layout)
        self.samples = state.samples
        self.late_zs = self.late_zs or (self.has_zs and state.multisample.alpha_to_coverage)

    def places(self, b: Any, base: Any, stride: Any, x: Any, y: Any, size: int) -> list[Any]:
        """Where the samples of the stamp at (x, y) lie, `size` bytes a stamp."""
        at = b.cast(b.cast(y, u32), u64) * stride
        first = base + (at + b.cast(b.cast(x >> 2, u32) * (size * self.samples), u64))
        return [b.bytes_from(first, size * s, u8) for s in range(self.samples)]

    def depths(self, b: Any, tri: dict[str, Any], centre: Any) -> list[Any]:
        """Depth at each sample, from that at the pixel's centre."""
        out = [centre] * self.samples
        if self.state.multisample.enabled:
            _, dzdx, dzdy, _ = tri["depth"]
            for s, (x, y) in enumerate(SAMPLE_POSITIONS[self.samples]):
                shift = dzdx * ((x - CENTRE) / 256) + dzdy * ((y - CENTRE) / 256)
                out[s] = centre + b.splat(shift, 16)
        if self.state.rast.depth_clamp:  # to the range of the viewport, not 0..1
            low, high = (b.splat(tri["state"].depth_range[n], 16) for n in range(2))
            out = [b.clamp(z, low, high) for z in out]
        return out

    def discs(self, b: Any, tri: dict[str, Any], evaluate: Any) -> list[Any]:
        """Which samples lie in the disc of a smooth point (GL 2.1, 3.3.3); of others all."""
        place = {
            item.component: tri["planes"][item.field]
            for item in self.layout.inputs
            if item.slot == VARYING_SLOT_POINT_COVERAGE
        }
        out = []
        for sample in SAMPLE_POSITIONS[self.samples]:
            square = b.const(f32x16, 0.0)
            for plane in (place[0], place[1]):
                _, *steps, _ = plane
                shift = reduce(add, [s * ((n - CENTRE) / 256) for s, n in zip(steps, sample)])
                at = evaluate(plane) + b.splat(shift, 16)
                square = square + at * at
            out.append(square <= 1.0)
        return out

    def test(
        self, b: Any, tri: dict[str, Any], places: list[Any], depths: list[Any], masks: list[Any]
    ) -> list[Any]:
        """Stencil and depth test of each sample: the masks of those that survive."""
        dsa, state, front = self.state.dsa, tri["state"], tri["front"]
        return [
            zs.test(b, dsa, self.zs_fmt, b.bytes_from(place, 0, u32), z, mask, state, front)
            for place, z, mask in zip(places, depths, masks)
        ]

    def shade(
        self, b: Any, tri: dict[str, Any], x: Any, y: Any, coverage: list[Any], whole: Any
    ) -> None:
        """Everything for the samples of 16 pixels of a stamp at (x, y) in the tile."""
        state, task = tri["state"], tri["task"]
        masks = [coverage[s % len(coverage)] for s in range(self.samples)]
        if self.state.multisample.mask:
            allowed = [((state.sample_mask >> s) & 1) != 0 for s in range(self.samples)]
            masks = [mask & b.splat(bit, 16) for mask, bit in zip(masks, allowed)]
        evaluate = self.planes(b, tri, x, y)
        if self.state.rast.point_smooth and self.state.multisample.enabled:
            discs = self.discs(b, tri, evaluate)
            masks = [mask & disc for mask, disc in zip(masks, discs)]
        centre = evaluate(tri["depth"]) if self.has_zs or self.state.fs.writes_depth else None
        depths, places = [], []
        if self.has_zs:
            size = zs.layout_of(self.zs_fmt).stamp_bytes
            depths = self.depths(b, tri, centre)
            places = self.places(b, task.depth, task.depth_stride, x, y, size)
        if self.has_zs and not self.late_zs:
            masks = self.test(b, tri, places, depths, masks)
            if not self.has_color:
                self.count_samples(b, tri, masks)
                return
        with b.If(b.any(reduce(or_, masks)), likely=True):
            self.shade_samples(b, tri, x, y, masks, whole, centre, depths, places, evaluate)

    def count_samples(self, b: Any, tri: dict[str, Any], masks: list[Any]) -> None:
        """Count the samples that passed."""
        for mask in masks:
            self.count(b, tri, mask)

    def alpha_operations(self, b: Any, rgba: list[Any], masks: list[Any]) -> list[Any]:
        """What alpha does to coverage, and coverage to alpha (GL 2.1, 4.1.3). A fragment covers
        sample s if its alpha is more than s / samples, as in llvmpipe."""
        how = self.state.multisample
        if how.alpha_to_coverage:
            masks = [
                mask & (rgba[3] > b.const(f32x16, s / self.samples)) for s, mask in enumerate(masks)
            ]
        if how.alpha_to_one:
            rgba[3] = b.const(f32x16, 1.0)
        return masks

    def shade_samples(
        self,
        b: Any,
        tri: dict[str, Any],
        x: Any,
        y: Any,
        masks: list[Any],
        whole: Any,
        centre: Any,
        depths: list[Any],
        places: list[Any],
        evaluate: Any,
    ) -> None:
        """Shader, operations on alpha, late depth, blending and the store of each sample."""
        state, task = tri["state"], tri["task"]
        some = reduce(or_, masks)
        env, rgba = self.run_shader(b, tri, x, y, some, centre, evaluate)
        dropping = self.state.fs.uses_discard
        if dropping:
            masks = [mask & env.mask.value for mask in masks]
        masks = self.alpha_operations(b, rgba, masks)
        if self.state.dsa.alpha_func not in (0, GL_ALWAYS):
            ref = b.splat(state.alpha_ref, 16)
            passed = zs.compare(b, self.state.dsa.alpha_func, rgba[3], ref)
            masks = [mask & passed for mask in masks]
        if self.late_zs:
            written = env.output(FRAG_RESULT_DEPTH, 0)
            if written is not None:
                depths = [b.splat(written, 16)] * self.samples
            masks = self.test(b, tri, places, depths, masks)
        self.count_samples(b, tri, masks)
        if self.has_color:
            self.store_samples(b, state, task, x, y, rgba, masks)

    def store_samples(
        self, b: Any, state: Any, task: Any, x: Any, y: Any, rgba: list[Any], masks: list[Any]
    ) -> None:
        """Blend a stamp's colours with each sample and write it."""
        fmt = self.fmt
        pixels = self.places(b, task.color, task.color_stride, x, y, fmt.bytes * 16)

        def constant(n: int) -> Any:
            return state.blend_color[n]

        if not self.opaque:
            for place, mask in zip(pixels, masks):
                old = color.load_samples(b, place, fmt)
                new = blending.blend_stamp(
                    b, self.state.blend, fmt, rgba, old, constant, lambda: state.plan.blend
                )
                color.store_samples(b, place, fmt, b.select(mask, new, old))
            return
        new = blending.blend_stamp(b, self.state.blend, fmt, rgba, None, constant)
        with b.If(b.all(reduce(and_, masks))):
            for place in pixels:
                color.store_samples(b, place, fmt, new)
        with b.Else():
            for place, mask in zip(pixels, masks):
                old = color.load_samples(b, place, fmt)
                color.store_samples(b, place, fmt, b.select(mask, new, old))


def fragment_builder(state: PipelineState, layout: PacketLayout) -> FragmentBuilder:
    """The builder for a state's number of samples."""
    return (SampleFragmentBuilder if state.samples > 1 else FragmentBuilder)(state, layout)
