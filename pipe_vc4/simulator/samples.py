# SPDX-License-Identifier: MIT
"""Four samples a pixel: where they lie, in a pixel and in memory, and what shaders do to them.

A tile has 32x32 pixels then, as many samples as a tile of 64x64 has pixels. Surfaces that hold all
samples ("full resolution") are tiles one after the other, row by row; in a tile quads row by row,
in a quad its first samples, then its second ones ... (vc4_nir_lower_txf_ms.c).
"""
from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from pipe_vc4.qpu.fields import QPU_R, QPU_W
from pipe_vc4.simulator.arrays import Bools, Ints, Words
from pipe_vc4.simulator.cl import State
from pipe_vc4.simulator.tlb import Fragments, FragmentUnit, Tile

SAMPLES = 4
SIZE = 32
TILE_BYTES = SIZE * SIZE * SAMPLES * 4
#: x and y of the samples in a pixel, in 1/16 pixel (chosen: no document says)
POSITIONS = ((6, 2), (14, 6), (2, 10), (10, 14))
#: the least of their places, and the greatest
REACH = (2, 14)
_BITS = np.array([1, 2, 4, 8], np.uint32)


def offsets(x: Ints, y: Ints, width: int) -> Ints:
    """The bytes from the start of a surface of all samples to those of pixels: one axis more."""
    tiles = (width + SIZE - 1) // SIZE
    first = (y // SIZE * tiles + x // SIZE) * TILE_BYTES
    quad = (y % SIZE // 2 * (SIZE // 2) + x % SIZE // 2) * (4 * SAMPLES * 4)
    pixel: Ints = first + quad + (y % 2) * 8 + (x % 2) * 4
    return pixel[..., None] + 16 * np.arange(SAMPLES)


def size_of(width: int, height: int) -> int:
    """The bytes of a surface of all samples."""
    return -(-width // SIZE) * -(-height // SIZE) * TILE_BYTES


def average(words: Words) -> Words:
    """The mean of the samples of the last axis, byte by byte, halves upwards (chosen)."""
    channels = np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 4)
    means = (channels.sum(axis=-2, dtype=np.uint32) + SAMPLES // 2) // SAMPLES
    found: Words = np.ascontiguousarray(means.astype(np.uint8)).view(np.uint32)[..., 0]
    return found


class SampledUnit(FragmentUnit):
    """The payload and the tile of fragments that have four samples: `passed` has them all."""

    def __init__(self, fragments: Fragments, tile: Tile, state: State) -> None:
        super().__init__(fragments, tile, state)
        #: which sample's colour the next load gives, the next write of one sample gets
        self.next_load = self.next_write = 0

    def select(self, groups: Ints) -> SampledUnit:
        """The unit of some of the groups."""
        part = SampledUnit(self.fragments.select(groups), self.tile, self.state_of_draw)
        part.continue_from(self)
        part.passed = self.passed[groups]
        return part

    def join(self, others: Sequence[FragmentUnit]) -> SampledUnit:
        """The unit of its groups and then those of others."""
        fragments = self.fragments.join([unit.fragments for unit in others])
        whole = SampledUnit(fragments, self.tile, self.state_of_draw)
        whole.continue_from(self)
        whole.passed = np.concatenate([unit.passed for unit in (self, *others)])
        return whole

    def continue_from(self, other: SampledUnit) -> None:
        """What is not the lanes' own, of a unit that this one is a part of."""
        self.at, self.stencils = other.at, list(other.stencils)
        self.next_load, self.next_write = other.next_load, other.next_write

    def state(self) -> Hashable:
        """What is not the lanes' own."""
        return super().state(), self.next_load, self.next_write

    def read(self, file: int, address: int) -> Words:
        """The mask of samples, or what fragments of one sample have, too."""
        if address == QPU_R.MS_REV_FLAGS and file == 0:
            found: Words = (self.passed * _BITS).sum(axis=-1, dtype=np.uint32)
            return found
        return super().read(file, address)

    def load_color(self) -> Words:
        """The colours of all lanes' pixels: those of the samples in turn."""
        sample, self.next_load = self.next_load, (self.next_load + 1) % SAMPLES
        y = np.clip(self.fragments.y - self.tile.y, 0, SIZE - 1)
        x = np.clip(self.fragments.x - self.tile.x, 0, SIZE - 1)
        found: Words = self.tile.color[y, x, sample]
        return found

    def keep_samples(self, value: Words, mask: Bools | None) -> None:
        """A write of the mask: samples whose bits are not set are no more drawn."""
        kept = (value[..., None] & _BITS) != 0
        self.passed = self.passed & (kept if mask is None else kept | ~mask[..., None])

    def write_color(self, address: int, value: Words, mask: Bools | None) -> None:
        """A colour for all samples, or for the next one."""
        lanes = self.passed if mask is None else self.passed & mask[..., None]
        if address == QPU_W.TLB_COLOR_MS:
            sample, self.next_write = self.next_write, (self.next_write + 1) % SAMPLES
            lanes = lanes & (np.arange(SAMPLES) == sample)
        self.tile.color[self.places(lanes)] = np.broadcast_to(value[..., None], lanes.shape)[lanes]

    def places(self, mask: Bools) -> tuple[Ints, ...]:
        """Row, column and sample in the tile of the samples of `mask`."""
        group, lane, sample = np.nonzero(mask)
        y, x = self.fragments.y[group, lane], self.fragments.x[group, lane]
        return y - self.tile.y, x - self.tile.x, sample

    def depths(self, z: Words) -> Words:
        """The depths of the samples: where the centre's is written as it came, their own."""
        own = (z == self.fragments.z)[..., None]
        return np.where(own, self.fragments.sample_z, z[..., None])

    def faces(self) -> Bools:
        """Which samples are of a back face."""
        return np.broadcast_to(self.fragments.back[..., None], self.passed.shape)


__all__ = ["POSITIONS", "REACH", "SAMPLES", "SIZE", "SampledUnit", "average", "offsets", "size_of"]
