# SPDX-License-Identifier: MIT
"""The inputs of quads that lie side by side, computed where they lie.

A triangle of a fine mesh covers a quad or two. To load all of its planes, to evaluate them at the
sixteen pixels of a stamp and to move what one quad has of it takes longer than the shader. So a
quad joins a batch (fragment/packing.py) as two numbers: its triangle's place in a packet, and a
word that says where the quad is. When the batch is shaded, the planes of four quads, which may be
of four triangles, are put into the lanes of one vector: the same sums and products there, so the
same bits. Where all four are of one triangle, as in most stamps of larger ones, each number is
loaded once, for all lanes: with 256 bits that is one instruction in the place of eight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.packet import ANCHOR, DEPTH, RECIP_W, PacketHeader
from pipe_llvm.fragment.stamps import STAMP_X, STAMP_Y
from pydri.jit import f32, i32, u8, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.fragment.kernel import FragmentBuilder
    from pipe_llvm.fragment.primitive import Primitive, Tile
    from pipe_llvm.native import LpFragState
    from pydri.jit import Builder, Pointer, Value
    from pydri.jit.types import Scalar

f32x16, i32x16 = f32.vec(16), i32.vec(16)
u32x4, u64x4 = u32.vec(4), u64.vec(4)
QUADS = 4  # of a stamp
#: the lowest pixel of each quad of a stamp, and the pixels of a quad from its lowest on
FIRST_PIXELS, PIXELS = (0, 2, 8, 10), 0x33
#: by lane of a stamp its quad, and its pixel counted from the quad's lowest
_QUAD = [(y >> 1) * 2 + (x >> 1) for x, y in zip(STAMP_X, STAMP_Y, strict=True)]
_PIXEL = [(x & 1) + 4 * (y & 1) for x, y in zip(STAMP_X, STAMP_Y, strict=True)]
#: a quad's word: its stamp's place in the tile (x from bit 0, y from bit 8), its lowest pixel in
#: the stamp, its live pixels, and what is one bit of its primitive
Y_BIT, FIRST_BIT, LIVE_BIT, LINEAR_BIT, FRONT_BIT = 8, 16, 24, 30, 31


def _first_pixels() -> list[int]:
    """By a number of four bits, what `_number_of` makes of a stamp's quads: the lowest pixels of
    those that there are, in order, and then anything."""
    rows = []
    for number in range(16):
        there = [p for p in FIRST_PIXELS if number >> (p - 7 if p > 7 else p) & 1]
        rows += [*there, *[0] * (QUADS - len(there))]
    return rows


def _number_of(quads: Value) -> Value:
    return (quads | quads >> 7) & 15


class QuadRecords:
    """Words (u32) and triangles (the address of a lane of a packet's fields) by place of a batch.
    What is written for a stamp goes beyond the places that it takes, and is written again by who
    comes next."""

    def __init__(self, b: Builder, words: Pointer, bases: Pointer) -> None:
        self._b, self._words, self._bases = b, words, bases

    def _store(self, place: Value, words: Value, base: Value) -> None:
        (self._words + place).store(words, align=4)
        (self._bases + place).store(self._b.splat(base, QUADS), align=8)

    def add(self, place: Value, prim: Primitive, where: Value, live: Value, quads: Value) -> None:
        """The quads of a stamp, from a place on. `where`: x | y << Y_BIT."""
        b = self._b
        number = b.cast(_number_of(quads), u64)
        first = (b.table(u32, _first_pixels()) + number * QUADS).load(u32x4, align=4)
        linear, front = (b.cast(bit, u32) for bit in (prim.linear, prim.front))
        word = where | (linear << LINEAR_BIT) | (front << FRONT_BIT)
        pixels = (b.splat(live, QUADS) >> first) & PIXELS
        words = b.splat(word, QUADS) | (first << FIRST_BIT) | (pixels << LIVE_BIT)
        self._store(place, words, b.ptr_to_int(prim.base))

    def add_nothing(self, place: Value, prim: Primitive) -> None:
        """Places that stay without a quad; their lanes compute something nevertheless."""
        self._store(place, self._b.const(u32x4, 0), self._b.ptr_to_int(prim.base))

    def add_computed(self, place: Value) -> None:
        """Four places, a whole stamp, whose inputs are there already."""
        (self._bases + place).store(self._b.const(u64x4, 0), align=8)

    def close(self, used: Value) -> None:
        """No quad comes behind the last one: what its stamp has left has no pixels."""
        b = self._b
        last = b.load(self._bases + (used - 1), u64)
        self._store(used, b.const(u32x4, 0), last)

    def stamp(self, m: Value) -> tuple[Value, list[Pointer]]:
        """The words of four places that are a stamp, and its quads' triangles."""
        b, place = self._b, m * QUADS
        words = (self._words + place).load(u32x4, align=16)
        return words, [b.int_to_ptr((self._bases + (place + q)).load(), u8) for q in range(QUADS)]


class QuadInputs:
    """What a shader reads of the quads of one stamp, as the kernel's functions for a stamp of one
    triangle compute it (FragmentBuilder.interpolate and run_shader). `bases`: the triangles of the
    four quads, or the one that all of them are of."""

    def __init__(
        self, b: Builder, frag: FragmentBuilder, tile: Tile, words: Value, bases: list[Pointer]
    ) -> None:
        self._b, self._frag, self._bases = b, frag, bases
        self._word = b.shuffle(words, None, _QUAD)
        anchor = self._field(ANCHOR, i32)
        x, y = (self._part(shift, 63) for shift in (0, Y_BIT))
        # a quad's lowest pixel: bits 1 and 3 of its number are its column and row
        within = [self._part(FIRST_BIT + shift, 2) for shift in (0, 2)]
        pixels = [b.const(i32x16, [n & 1 for n in lanes]) for lanes in (STAMP_X, STAMP_Y)]
        self._within = [b.cast(n + k, f32) for n, k in zip(within, pixels, strict=True)]
        self._at = [b.cast(n + o, f32) for n, o in ((x, tile.x0), (y, tile.y0))]
        start = tile.x0 - (anchor & 0xFFFF), tile.y0 - (anchor >> 16)
        self._corner = [b.cast(n + o, f32) for n, o in zip((x, y), start, strict=True)]

    def _part(self, shift: int, bits: int) -> Value:
        return self._b.cast((self._word >> shift) & bits, i32)

    def _bit(self, bit: int) -> Value:
        return (self._word & (1 << bit)) != 0

    @property
    def live(self) -> Value:
        """The pixels that are live."""
        bits = [1 << (LIVE_BIT + pixel) for pixel in _PIXEL]
        return (self._word & self._b.const(u32.vec(16), bits)) != 0

    @property
    def front(self) -> Value:
        """Those whose primitive faces the viewer."""
        return self._bit(FRONT_BIT)

    def _field(self, number: int, ty: Scalar) -> Value:
        """A field of each pixel's packet."""
        b, at = self._b, PacketHeader.size + 64 * number
        each = [b.bytes_from(base, at, ty).load(ty, invariant=True) for base in self._bases]
        return b.splat(each[0], 16) if len(each) == 1 else b.shuffle(b.vector(each), None, _QUAD)

    def _plane(self, number: int) -> Value:
        """A plane's values, in the order of sums that Planes and Plane.within have."""
        origin, dx, dy = (self._field(number + n, f32) for n in range(3))
        (x, y), (ix, iy) = self._corner, self._within
        return (dx * x + dy * y) + (dx * ix + dy * iy + origin)

    def inputs(self, state: LpFragState) -> tuple[dict[tuple[int, int], Value], list[Value]]:
        """The inputs by slot and component, and the pixels' coordinates."""
        b, layout = self._b, self._frag.layout
        found: dict[tuple[int, int], Value] = {}
        recip_w, w = b.const(f32x16, 1.0), b.const(f32x16, 1.0)
        if layout.perspective:
            recip_w = self._plane(RECIP_W)
            # who multiplies by one has what he had
            w = b.select(self._bit(LINEAR_BIT), w, b.const(f32x16, 1.0) / recip_w)
        for item in layout.inputs:
            flat = item.interp == "flat"
            value = self._field(item.field, f32) if flat else self._plane(item.field)
            if item.divided:
                value = value / self._field(layout.sprite_size, f32)
            perspective = item.interp == "perspective"
            found[item.slot, item.component] = value * w if perspective else value
        coords = [at + 0.5 + n for at, n in zip(self._at, self._within, strict=True)]
        return found, [*coords, self._depth(state), recip_w]

    def _depth(self, state: LpFragState) -> Value:
        frag = self._frag
        if not frag.fs.uses_position:
            return self._b.const(f32x16, 0.0)
        z = self._field(DEPTH, f32) if frag.layout.constant else self._plane(DEPTH)
        return frag.clamped_depth(self._b, state, z)


def records(b: Builder, batch: Pointer, words: int, bases: int) -> QuadRecords:
    """The records of a batch, so many bytes from its begin."""
    return QuadRecords(b, b.bytes_from(batch, words, u32), b.bytes_from(batch, bases, u64))


__all__ = ["QUADS", "QuadInputs", "QuadRecords", "records"]
