# SPDX-License-Identifier: MIT
"""Fragment kernels of surfaces with several samples a pixel whose shaders sample textures, or are
long: batches (fragment/batch.py), in which a stamp keeps what is each sample's own (samples.py)."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from pipe_llvm.fragment.batch import BatchFragmentBuilder
from pipe_llvm.fragment.samples import SampleFragmentBuilder
from pipe_llvm.gallivm import depth as zs
from pydri.jit import f32, u16

if TYPE_CHECKING:
    from pipe_llvm.fragment.primitive import Primitive, Stamp
    from pydri.jit import Builder, Pointer, Value

f32x16 = f32.vec(16)
_DEPTHS = 64  # bytes: in front of the depths of a stamp's samples lie the masks


class SampleBatchBuilder(BatchFragmentBuilder, SampleFragmentBuilder):
    """Generates such a kernel."""

    @property
    def kept_bytes(self) -> int:
        """Masks, and depths where they are tested late."""
        return _DEPTHS + (64 * self.samples if self.late_zs else 0)

    def _kept(self, b: Builder, m: Value, s: int) -> tuple[Pointer, Pointer]:
        """Where the mask and the depths of a sample of stamp m are kept."""
        first = b.bytes_from(self.kept, m * self.kept_bytes, u16)
        return first + s, b.bytes_from(first, _DEPTHS + 64 * s, f32)

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
        """See SampleFragmentBuilder; in the main kernel the stamp joins the batch."""
        if self.is_last:
            super().shade_samples(b, prim, at, masks, centre, depths, places)
            return
        z = None if centre is None else self.clamped_depth(b, prim.state, centre)
        m = self.join(b, prim, at, reduce(or_, masks), z)
        for s, mask in enumerate(masks):
            kept, depth = self._kept(b, m, s)
            kept.store(b.bits_of(mask))
            if self.late_zs:
                depth.store(depths[s], align=64)
        self.joined(b)

    def finish(self, b: Builder, prim: Primitive, at: Stamp, m: Value, mask: Value) -> None:
        """See BatchFragmentBuilder."""
        masks: list[Value] = []
        depths: list[Value] = []
        places: list[Pointer] = []
        for s in range(self.samples):
            kept, depth = self._kept(b, m, s)
            masks.append(b.mask_of(kept.load()) & mask)
            if self.late_zs:
                depths.append(depth.load(f32x16, align=64))
        if self.late_zs:
            tile, size = prim.tile, zs.layout_of(self.zs_fmt).stamp_bytes
            places = self.sample_places(b, tile.depth, tile.depth_stride, at, size)
        self.shade_samples(b, prim, at, masks, None, depths, places)
