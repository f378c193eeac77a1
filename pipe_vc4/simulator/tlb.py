# SPDX-License-Identifier: MIT
"""A tile: its colours, depths and stencils, and what a fragment shader does to them."""
from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from pipe_vc4.qpu.fields import QPU_R, QPU_W
from pipe_vc4.simulator.arrays import Bools, Floats, Ints, Words
from pipe_vc4.simulator.cl import State
from pipe_vc4.simulator.errors import JobError

SIZE = 64
_COMPARE = (lambda a, b: np.zeros(a.shape, bool), np.less, np.equal, np.less_equal, np.greater,
            np.not_equal, np.greater_equal, lambda a, b: np.ones(a.shape, bool))
ONE_SAMPLE = "a fragment shader writes one sample's colour, where there is but one"
_WRITE_MASKS = (1, 3, 15, 255)


@dataclass
class Tile:
    """64x64 pixels from (x, y) on: colours (R in the lowest byte), depths of 24 bits, stencils. Of
    four samples a pixel 32x32, with an axis more.
    """

    x: int
    y: int
    color: Words
    z: Words
    stencil: Words


@dataclass
class Fragments:
    """What the pipeline gives to the lanes: arrays of groups x 16, varyings with one axis more
    before, what each of several samples has with one axis more behind: `covered`, `sample_z`.
    """

    x: Ints
    y: Ints
    covered: Bools
    back: Bools
    w: Floats
    z: Words
    sample_z: Words
    varyings: Floats
    constants: Floats

    def select(self, groups: Ints) -> Fragments:
        """Some of the groups."""
        return Fragments(
            self.x[groups], self.y[groups], self.covered[groups], self.back[groups],
            self.w[groups], self.z[groups], self.sample_z[groups], self.varyings[:, groups],
            self.constants[:, groups])

    def join(self, others: Sequence[Fragments]) -> Fragments:
        """Its groups and then those of others."""
        every = (self, *others)
        return Fragments(
            np.concatenate([part.x for part in every]), np.concatenate([part.y for part in every]),
            np.concatenate([part.covered for part in every]),
            np.concatenate([part.back for part in every]),
            np.concatenate([part.w for part in every]), np.concatenate([part.z for part in every]),
            np.concatenate([part.sample_z for part in every]),
            np.concatenate([part.varyings for part in every], axis=1),
            np.concatenate([part.constants for part in every], axis=1))


def _stencil_operations(stencil: Words, reference: int) -> list[Words]:
    """What each of the eight operations makes of stencils."""
    old = stencil.astype(np.int64)
    results = (np.zeros_like(old), old, np.full_like(old, reference), np.minimum(old + 1, 255),
               np.maximum(old - 1, 0), old ^ 255, old + 1 & 255, old - 1 & 255)
    return [result.astype(np.uint32) for result in results]


class FragmentUnit:
    """The varyings, the payload and the tile of some groups of fragments."""

    def __init__(self, fragments: Fragments, tile: Tile, state: State) -> None:
        self.fragments, self.tile, self.state_of_draw = fragments, tile, state
        self.at = 0
        self.stencils: list[int] = []
        self.passed = fragments.covered.copy()

    def select(self, groups: Ints) -> FragmentUnit:
        """The unit of some of the groups."""
        part = FragmentUnit(self.fragments.select(groups), self.tile, self.state_of_draw)
        part.at, part.stencils, part.passed = self.at, list(self.stencils), self.passed[groups]
        return part

    def join(self, others: Sequence[FragmentUnit]) -> FragmentUnit:
        """The unit of its groups and then those of others."""
        every = (self, *others)
        fragments = self.fragments.join([unit.fragments for unit in others])
        whole = FragmentUnit(fragments, self.tile, self.state_of_draw)
        whole.at, whole.stencils = self.at, list(self.stencils)
        whole.passed = np.concatenate([unit.passed for unit in every])
        return whole

    def state(self) -> Hashable:
        """The varyings read and the set-ups of the stencil."""
        return self.at, tuple(self.stencils)

    def read(self, file: int, address: int) -> Words:
        """A varying or a part of the payload."""
        if address == QPU_R.VARY:
            if self.at >= len(self.fragments.varyings):
                raise JobError("more varyings are read than the vertices have")
            self.at += 1
            return np.ascontiguousarray(self.fragments.varyings[self.at - 1]).view(np.uint32)
        if address == QPU_R.XY_PIXEL_COORD:
            place = self.fragments.y if file else self.fragments.x
            return place.astype(np.uint32)
        if address == QPU_R.MS_REV_FLAGS:
            return (self.fragments.back if file else self.passed).astype(np.uint32)
        if address == QPU_R.MUTEX_ACQUIRE:
            return np.zeros((1, 1), np.uint32)
        raise JobError(f"a fragment shader reads address {address}")

    def constant(self) -> Words:
        """The constant term of the varying last read."""
        return np.ascontiguousarray(self.fragments.constants[self.at - 1]).view(np.uint32)

    def places(self, mask: Bools) -> tuple[Ints, ...]:
        """Row and column in the tile of the lanes of `mask`."""
        return self.fragments.y[mask] - self.tile.y, self.fragments.x[mask] - self.tile.x

    def load_color(self) -> Words:
        """The colours of all lanes' pixels."""
        y = np.clip(self.fragments.y - self.tile.y, 0, SIZE - 1)
        x = np.clip(self.fragments.x - self.tile.x, 0, SIZE - 1)
        found: Words = self.tile.color[y, x]
        return found

    def write(self, file: int, address: int, value: Words, mask: Bools | None) -> None:
        """A write to the tile, or to what governs it."""
        if address in (QPU_W.TLB_COLOR_ALL, QPU_W.TLB_COLOR_MS):
            self.write_color(address, value, mask)
        elif address == QPU_W.TLB_Z:
            self.test(value & np.uint32(0xFFFFFF), mask)
        elif address == QPU_W.TLB_STENCIL_SETUP:
            self.stencils.append(int(value[0, 0]))
        elif address == QPU_W.MS_FLAGS and file == 0:
            self.keep_samples(value, mask)
        else:
            raise JobError(f"a fragment shader writes address {address}, which is not simulated")

    def keep_samples(self, value: Words, mask: Bools | None) -> None:
        """A write of the mask of samples: of the one that there is."""
        off = value == 0 if mask is None else (value == 0) & mask
        self.passed = self.passed & ~off

    def write_color(self, address: int, value: Words, mask: Bools | None) -> None:
        """A colour for the lanes of `mask`."""
        if address == QPU_W.TLB_COLOR_MS:
            raise JobError(ONE_SAMPLE)
        lanes = self.passed if mask is None else self.passed & mask
        self.tile.color[self.places(lanes)] = value[lanes]

    def depths(self, z: Words) -> Words:
        """The depths of what is tested, where the shader writes `z`."""
        return z

    def faces(self) -> Bools:
        """What is tested is of a back face."""
        return self.fragments.back

    def test(self, z: Words, mask: Bools | None) -> None:
        """Depth and stencil tests of the lanes of `mask`; what fails writes no colour after."""
        shape = (..., *(None,) * (self.passed.ndim - 2))
        lanes = self.passed if mask is None else self.passed & mask[shape]
        at = self.places(lanes)
        new, old = self.depths(z)[lanes], self.tile.z[at]
        depth = _COMPARE[self.state_of_draw.depth_function](new, old)
        passed = depth
        if self.stencils:
            stencil, passed = self.stencil(self.tile.stencil[at], depth,
                                           self.faces()[lanes])
            self.tile.stencil[at] = stencil
        if self.state_of_draw.writes_depth:
            self.tile.z[at] = np.where(passed, new, old)
        self.passed = self.passed.copy()
        self.passed[lanes] = passed

    def stencil(self, old: Words, depth: Bools, back: Bools) -> tuple[Words, Bools]:
        """The new stencils, and where both tests pass."""
        new, passed = old.copy(), depth.copy()
        masks = next((word for word in self.stencils if not word >> 30), None)
        for face in (0, 1):
            setup = next((w for w in self.stencils if w >> 30 & (2 if face else 1)), None)
            here = back == bool(face)
            if setup is None or not here.any():
                continue
            mask, reference = setup & 255, setup >> 8 & 255
            write = _WRITE_MASKS[setup >> 28 & 3]
            if masks is not None:
                write = masks >> 8 & 255 if face else masks & 255
            compared = (np.full_like(old, reference & mask), old & np.uint32(mask))
            stencil = _COMPARE[setup >> 16 & 7](*compared)
            operations = _stencil_operations(old, reference)
            done = np.where(~stencil, operations[setup >> 19 & 7],
                            np.where(depth, operations[setup >> 22 & 7],
                                     operations[setup >> 25 & 7]))
            kept = old & np.uint32(255 & ~write)
            new = np.where(here, done & np.uint32(write) | kept, new)
            passed = np.where(here, stencil & depth, passed)
        return new, passed
