# SPDX-License-Identifier: MIT
"""Batches of long shaders hold quads, not stamps: what is shaded has few lanes that nobody wants.

A triangle of a fine mesh touches a pixel or two, so one quad of a stamp, and a long shader would do
three times too much for it. Its inputs are the same numbers wherever they lie: phase 0 leaves them
in a spare stamp, and each quad with a live pixel moves to the batch's next free place, beside quads
of other stamps and triangles. Quads stay whole, for derivatives. Behind the last phase the outputs
of a stamp's quads move back to where their pixels are. A stamp that is live in all of its quads
neither moves nor is moved: it begins at the next place that a stamp may begin at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.fragment.quad_inputs import PIXELS, QUADS, QuadRecords, records
from pipe_llvm.gallivm.phases import SPARE_STAMPS
from pydri.jit import Var, u8, u16, u32, u64
from pydri.pipe.sampler import SAMPLE_STAMPS

if TYPE_CHECKING:
    from pipe_llvm.fragment.primitive import Primitive
    from pydri.jit import Builder, Pointer, Value

#: stamps of which a batch may hold quads
MOST_STAMPS = QUADS * SAMPLE_STAMPS
_LOWEST = 0x0505  # the lowest pixel of each quad of a stamp
#: of a batch: by stamp a word (u64: x | y << 8 | front << 16, from FIRST_BIT on the place of its
#: first quad, from bit 32 on its live pixels); by four places the live pixels (u16) and those that
#: face the viewer, if somebody asks; by place what its inputs are computed from (quad_inputs.py)
FIRST_BIT = 24
PACKED = 8 * MOST_STAMPS
FRONT = PACKED + 2 * SAMPLE_STAMPS
_WORDS = FRONT + 2 * SAMPLE_STAMPS
_ROOM = QUADS * SAMPLE_STAMPS + QUADS
_BASES = _WORDS + 4 * _ROOM
HEAD = (_BASES + 8 * _ROOM + 63) & ~63


def _lowest_pixels(live: Value) -> Value:
    """Of each quad that has a live pixel the lowest bit."""
    pairs = live | (live >> 1)
    return (pairs | (pairs >> 4)) & _LOWEST


def _lane_of(place: Value) -> Value:
    """The lowest lane of the quad at a place."""
    return ((place >> 2) << 4) | ((place & 2) << 2) | ((place & 1) << 1)


def stamp_words(b: Builder, batch: Pointer) -> Pointer:
    """The words of stamps (u64)."""
    return b.bytes_from(batch, 0, u64)


def live_of(b: Builder, word: Value) -> Value:
    """The live pixels of a stamp's word, as u32."""
    return b.cast(word >> 32, u32)


class Entry(NamedTuple):
    """A stamp that joins the batch."""

    live: Value  # its pixels, u32
    quads: Value  # the lowest pixel of each quad that has one
    whole: Value  # boolean: all four have
    first: Value  # the place of its first quad
    slot: Value  # the stamp in whose lanes phase 0 is


class Packing:
    """The places of a batch while a kernel is emitted: `used` of them are taken."""

    def __init__(
        self, b: Builder, batch: Pointer, stamps: int, used: Var[Value], faces: bool
    ) -> None:
        #: `_spare`: the first of the stamps that quads come from and, in turns, go to; `_faces`:
        #: the shader asks which way its primitive faces
        self._b, self._batch, self._spare, self.used = b, batch, stamps, used
        self._faces = faces
        self.records: QuadRecords = records(b, batch, _WORDS, _BASES)

    def clear(self) -> None:
        """No place is taken."""
        b = self._b
        for at in (PACKED, FRONT):
            b.bytes_from(self._batch, at, u16).store(b.const(u16.vec(SAMPLE_STAMPS), 0), align=32)
        self.used.value = b.const(u32, 0)

    @property
    def stamps(self) -> Value:
        """How many stamps the places that are taken are."""
        return (self.used.value + (QUADS - 1)) >> 2

    @property
    def is_full(self) -> Value:
        """Whether no further stamp may join."""
        return self.used.value > QUADS * (self._spare - 1)

    def _masks(self, at: int, stamp: Value) -> Pointer:
        return self._b.bytes_from(self._batch, at, u16) + stamp

    def _move(self, planes: Iterable[int], source: Value, to: Value) -> None:
        """Copy a quad's values from one lane on to another lane on; `planes`: where lane 0 is."""
        b = self._b
        first, last = (b.bytes_from(self._batch, b.cast(n, u64) * 4, u8) for n in (source, to))
        for plane in planes:
            for row in (0, 16):
                value = b.bytes_from(first, plane + row, u64).load()
                b.bytes_from(last, plane + row, u64).store(value)

    def begin(self, live: Value) -> Entry:
        """A stamp with these live pixels (u16) joins."""
        b, used = self._b, self.used.value
        pixels = b.cast(live, u32)
        quads = _lowest_pixels(pixels)
        whole = quads == _LOWEST
        first = b.select(whole, (used + (QUADS - 1)) & ~(QUADS - 1), used)
        slot = b.select(whole, first >> 2, b.const(u32, self._spare))
        return Entry(pixels, quads, whole, first, slot)

    def defer(self, entry: Entry, prim: Primitive, where: Value) -> None:
        """The quads of a stamp get their places; their inputs are computed there, later. `where`:
        its place in the tile, as quad_inputs.py has it."""
        with self._b.If(entry.first != self.used.value, likely=False):
            self.records.add_nothing(self.used.value, prim)
        self.records.add(entry.first, prim, where, entry.live, entry.quads)
        self.used.value = entry.first + self._b.popcount(entry.quads)

    def take_computed(self, entry: Entry, prim: Primitive) -> None:
        """A whole stamp whose phase 0 lies in the planes joins others that `defer` takes."""
        with self._b.If(entry.first != self.used.value, likely=False):
            self.records.add_nothing(self.used.value, prim)
        self.records.add_computed(entry.first)
        self.join_whole(entry, prim.front)

    def join_whole(self, entry: Entry, front: Value) -> None:
        """A whole stamp whose phase 0 lies in the planes."""
        b = self._b
        self._note_stamp(entry.slot, b.cast(entry.live, u16),
                         b.select(front, b.const(u16, 0xFFFF), b.const(u16, 0)))  # fmt: skip
        self.used.value = entry.first + QUADS

    def _note_stamp(self, slot: Value, live: Value, faces: Value) -> None:
        """The live pixels of a stamp of the batch, and those that face the viewer (u16)."""
        self._masks(PACKED, slot).store(live)
        if self._faces:
            self._masks(FRONT, slot).store(faces)

    def note_computed(self, slot: Value, live: Value, front: Value) -> None:
        """The masks of a stamp whose quads `defer` took."""
        b = self._b
        self._note_stamp(slot, b.bits_of(live), b.bits_of(front))

    def join(self, entry: Entry, front: Value, planes: list[int]) -> None:
        """Phase 0 of a stamp lies in the planes: its quads get their places."""
        b = self._b
        with b.If(entry.whole):
            self.join_whole(entry, front)
        with b.Else():
            place, left = b.var(u32, entry.first), b.var(u32, entry.quads)
            with b.While(lambda: left.value != 0):
                lowest = b.ctz(left.value)
                left.value = left.value & (left.value - 1)
                lane = _lane_of(place.value)
                stamp, to = place.value >> 2, lane & 15
                noted = [(PACKED, (entry.live >> lowest) & PIXELS)]
                if self._faces:
                    faces = b.select(front, b.const(u32, PIXELS), b.const(u32, 0))
                    noted.append((FRONT, faces))
                for at, pixels in noted:
                    masks = self._masks(at, stamp)
                    masks.store(masks.load() | b.cast(pixels << to, u16))
                self._move(planes, lowest + 16 * self._spare, lane)
                place.value = place.value + 1
            self.used.value = place.value

    def leave(self, m: Value, discards: bool, planes: list[int]) -> tuple[Value, Value]:
        """The slot whose lanes have the outputs of the batch's stamp m, once they are there, and
        its live pixels (u32) without what was discarded."""
        b = self._b
        word = stamp_words(b, self._batch)[m]
        live, first = live_of(b, word), b.cast(word, u32) >> FIRST_BIT
        quads = _lowest_pixels(live)
        slot, pixels = b.var(u32, first >> 2), b.var(u32, live)
        spare = (m & (SPARE_STAMPS - 1)) + self._spare
        with b.If(quads == _LOWEST):
            if discards:
                pixels.value = b.cast(self._masks(PACKED, slot.value).load(), u32)
        with b.Else():
            slot.value = spare
            if discards:
                pixels.value = b.const(u32, 0)
            place, left = b.var(u32, first), b.var(u32, quads)
            with b.While(lambda: left.value != 0):
                lowest = b.ctz(left.value)
                left.value = left.value & (left.value - 1)
                lane = _lane_of(place.value)
                if discards:
                    packed = b.cast(self._masks(PACKED, place.value >> 2).load(), u32)
                    pixels.value = pixels.value | (((packed >> (lane & 15)) & PIXELS) << lowest)
                self._move(planes, lane, lowest + spare * 16)
                place.value = place.value + 1
        return slot.value, pixels.value
