# SPDX-License-Identifier: MIT
"""What stands around a QPU: varyings and the tile (../tlb.py), or the VPM (../vertices.py)."""
from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Final

from pipe_vc4.qpu.fields import QPU_R, QPU_W
from pipe_vc4.simulator.kernels.lanes import WORD, U, uniform
from pipe_vc4.simulator.kernels.layout import (
    LANES,
    MOST_STENCILS,
    PIXELS,
    ROWS,
    Vc4Group,
    Vc4Rows,
    Vc4Stencil,
)
from pipe_vc4.simulator.kernels.state import Untranslatable
from pipe_vc4.simulator.tlb import ONE_SAMPLE
from pipe_vc4.simulator.vertices import rows_of_setup
from pydri.jit.types import boolean, u32, u64

if TYPE_CHECKING:
    from pipe_vc4.simulator.kernels.program import Shape
    from pipe_vc4.simulator.kernels.words import Words
    from pydri.jit.values import Pointer, Value

_QUAD: Final = u32.vec(4)
_ALL: Final = 0xFFFFFFFF


class FragmentSide:
    """The varyings, the payload and the tile of a group of fragments."""

    def __init__(self, words: Words, group: Vc4Group, shape: Shape) -> None:
        self.words, self.group, self.varyings = words, group, shape.varyings
        self.function, self.writes_depth = shape.depth_function, shape.writes_depth
        b = words.b
        self.at = self.stencils = self.next_load = self.next_write = 0
        #: of each sample of a pixel, which lanes are still drawn
        self.passed = [b.var(U, (group.covered + LANES * sample).load(U))
                       for sample in range(shape.samples)]
        #: words of a sample's array in the tile
        self.plane = PIXELS // shape.samples
        self.setups = [b.var(u32, 0) for _ in range(MOST_STENCILS)]
        self.test_of = b.array(Vc4Stencil, align=64)
        self.tile = group.tile
        words.files[0][15].value = group.w.load(U)
        words.files[1][15].value = group.z.load(U)

    def state(self) -> tuple[object, ...]:
        """The varyings read, the set-ups of the stencil, whose turn it is of the samples."""
        return self.at, self.stencils, self.next_load, self.next_write

    def enter(self, state: tuple[object, ...]) -> None:
        """Take such a state over."""
        self.at, self.stencils, self.next_load, self.next_write = state  # type: ignore[assignment]

    def read(self, file: int, address: int) -> Value:
        """A varying or a part of the payload."""
        b, group = self.words.b, self.group
        if address == QPU_R.VARY:
            if self.at >= self.varyings:
                self.words.fail("more varyings are read than the vertices have")
            self.at += 1
            return (group.varyings + LANES * (self.at - 1)).load(U)
        if address == QPU_R.XY_PIXEL_COORD:
            return (group.y if file else group.x).load(U)
        if address == QPU_R.MS_REV_FLAGS:
            return group.back.load(U) & 1 if file else self.mask()
        if address != QPU_R.MUTEX_ACQUIRE:
            self.words.fail("a fragment shader reads address {}", address)
        return uniform(b, 0)

    def constant(self) -> Value:
        """The constant term of the varying last read."""
        return (self.group.constants + LANES * (self.at - 1)).load(U)

    def mask(self) -> Value:
        """A bit for each sample that is still drawn."""
        bits = [passed.value & 1 << sample for sample, passed in enumerate(self.passed)]
        return functools.reduce(operator.or_, bits)

    def pixels(self, of: Pointer, sample: int = 0) -> Value:
        """What an array of the tile holds for a sample of the lanes."""
        b = self.words.b
        parts = [self.quad(of + self.plane * sample, n).load(_QUAD) for n in range(4)]
        halves = [b.shuffle(parts[n], parts[n + 1], list(range(8))) for n in (0, 2)]
        return b.shuffle(halves[0], halves[1], list(range(LANES)))

    def quad(self, of: Pointer, n: int) -> Pointer:
        """The four words of a quad in an array of the tile."""
        return of + self.words.b.cast(self.group.place[n], u64)

    def put(self, of: Pointer, value: Value, lanes: Value, sample: int = 0) -> None:
        """Words of the lanes of a mask (0 or ~0) to a sample's array of the tile. The quads of a
        group lie apart, but for those that fill it up, of which no lane is in the mask."""
        b = self.words.b
        for n in range(4):
            part = list(range(4 * n, 4 * n + 4))
            place = self.quad(of + self.plane * sample, n)
            new, mask = b.shuffle(value, None, part), b.shuffle(lanes, None, part)
            place.store(b.select(mask != 0, new, place.load(_QUAD)))

    def load_color(self) -> Value:
        """The colours of all lanes' pixels: those of the samples in turn."""
        sample, self.next_load = self.next_load, (self.next_load + 1) % len(self.passed)
        return self.pixels(self.tile.color, sample)

    def lanes(self, mask: Value | None, sample: int) -> Value:
        """The lanes of a mask of which nothing has thrown a sample away: 0 or ~0."""
        b, passed = self.words.b, self.passed[sample].value
        return passed if mask is None else b.select(mask, passed, b.const(U, 0))

    def write(self, file: int, address: int, value: Value, mask: Value | None,
              known: int | None) -> None:
        """A write to the tile, or to what governs it."""
        b = self.words.b
        if address == QPU_W.TLB_COLOR_ALL:
            for sample in range(len(self.passed)):
                self.put(self.tile.color, value, self.lanes(mask, sample), sample)
        elif address == QPU_W.TLB_COLOR_MS:
            if len(self.passed) == 1:
                self.words.fail(ONE_SAMPLE)
            sample, self.next_write = self.next_write, (self.next_write + 1) % len(self.passed)
            self.put(self.tile.color, value, self.lanes(mask, sample), sample)
        elif address == QPU_W.TLB_Z:
            for sample in range(len(self.passed)):
                self.test(self.depth(value & 0xFFFFFF, sample), mask, sample)
        elif address == QPU_W.TLB_STENCIL_SETUP:
            if self.stencils >= MOST_STENCILS:
                raise Untranslatable("more set-ups of the stencil than anybody makes")
            self.setups[self.stencils].value = value[0]
            self.stencils += 1
        elif address == QPU_W.MS_FLAGS and file == 0:
            for sample, passed in enumerate(self.passed):
                gone = value & 1 << sample if len(self.passed) > 1 else value
                off = gone == 0 if mask is None else (gone == 0) & mask
                passed.value = b.select(off, b.const(U, 0), passed.value)
        else:
            self.words.fail("a fragment shader writes address {}, which is not simulated",
                            address)

    def depth(self, z: Value, sample: int) -> Value:
        """A sample's depth: its own where the centre's is written as it came."""
        if len(self.passed) == 1:
            return z
        own = (self.group.sample_z + LANES * sample).load(U)
        return self.words.b.select(z == self.group.z.load(U), own, z)

    def test(self, z: Value, mask: Value | None, sample: int) -> None:
        """Depth and stencil tests of a sample in the lanes of `mask`; what fails writes no colour
        after."""
        b = self.words.b
        lanes, old = self.lanes(mask, sample), self.pixels(self.tile.depth, sample)
        depth = compared(self.function, z, old)
        passed = b.select(depth, b.const(U, _ALL), b.const(U, 0))
        if self.stencils:
            test = self.test_of
            for n in range(self.stencils):
                test.setups[n] = self.setups[n].value
            test.count = self.stencils
            for place, words in ((test.passed, lanes), (test.back, self.group.back.load(U)),
                                 (test.depth, passed),
                                 (test.old, self.pixels(self.tile.stencil, sample))):
                place.store(words)
            b.call(self.words.units.stencil, test)
            passed = test.passed.cast(WORD).load(U)
            self.put(self.tile.stencil, test.old.cast(WORD).load(U), lanes, sample)
        if self.writes_depth:
            self.put(self.tile.depth, z, lanes & passed, sample)
        others = self.passed[sample].value & ~lanes
        self.passed[sample].value = others | (lanes & passed)


def compared(function: int, new: Value, old: Value) -> Value:
    """Where a test (never, less, equal, lequal, greater, notequal, gequal, always) passes."""
    if function in (0, 7):
        return new.b.const(boolean.vec(LANES), function == 7)
    return {1: new < old, 2: new == old, 3: new <= old, 4: new > old, 5: new != old,
            6: new >= old}[function]


class VertexSide:
    """The VPM as a shader of vertices sees it: a row of 16 words is one value of 16 vertices."""

    def __init__(self, words: Words, group: Vc4Rows) -> None:
        self.words, self.group = words, group
        self.reads: tuple[int, ...] = ()
        self.next = self.step = 0

    def state(self) -> tuple[object, ...]:
        """The set-ups of reads and writes."""
        return self.reads, self.next, self.step

    def enter(self, state: tuple[object, ...]) -> None:
        """Take such a state over."""
        self.reads, self.next, self.step = state  # type: ignore[assignment]

    def read(self, file: int, address: int) -> Value:
        """The next row of the reads that were set up."""
        words = self.words
        if address in (QPU_R.VPM_LD_BUSY, QPU_R.VPM_LD_WAIT, QPU_R.MUTEX_ACQUIRE):
            return uniform(words.b, 0)
        if address != QPU_R.VPM:
            words.fail("a shader of vertices reads address {}", address)
        if not self.reads:
            words.fail("a read of the VPM that was not set up")
        row, self.reads = self.reads[0], self.reads[1:]
        words.fail_if(self.group.filled <= row,
                      "row {} of the VPM is read, and attributes fill less", row)
        return (self.group.rows + LANES * min(row, ROWS - 1)).load(U)

    def constant(self) -> Value:
        """There are no varyings here."""
        self.words.fail("a shader of vertices reads a varying")
        raise AssertionError

    def write(self, file: int, address: int, value: Value, mask: Value | None,
              known: int | None) -> None:
        """A set-up, or the next row written."""
        words = self.words
        if address == QPU_W.VPMVCD_SETUP:
            if known is None:
                raise Untranslatable("a set-up of the VPM that is computed")
            self.set_up(file, known)
        elif address == QPU_W.VPM:
            if not self.step:
                words.fail("a write of the VPM that was not set up")
            if self.next >= ROWS:
                words.fail("more rows of the VPM are written than there are")
            place = self.group.written + LANES * self.next
            place.store(value if mask is None else words.b.select(mask, value, place.load(U)))
            self.next += self.step
        else:
            words.fail("a shader of vertices writes address {}", address)

    def set_up(self, file: int, setup: int) -> None:
        """Rows to be read, or where writes go."""
        rows = rows_of_setup(setup, file == 1)
        if rows is None:
            self.words.fail("a VPM set-up that is not of rows of 32-bit words")
            return
        if file == 1:
            self.next, self.step = rows.start, rows.step
        else:
            self.reads += tuple(rows)

    def load_color(self) -> Value:
        """There is no tile buffer here."""
        self.words.fail("a shader of vertices loads a colour")
        raise AssertionError


__all__ = ["FragmentSide", "VertexSide", "compared"]
