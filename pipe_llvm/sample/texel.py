# SPDX-License-Identifier: MIT
"""Texels: loaded one by one, or with their right neighbours, and decoded to floats by channel.

Loads are scalar: 16 lanes' addresses are read back from memory where the batch's first stage wrote
them, which is 1.4 to 4 times as fast as gathers (docs: next.md of the project, section 8). A pair
of horizontal neighbours is one load where it fits 128 bits; the image's skirt makes that safe.

Texels as bytes (TexelClass.filtered_as_integers) are not decoded but filtered as they are: `quads`
has for each channel a dword a lane, with the bytes of the four neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.vectors import (
    in_lanes,
    transpose,
    u8x64,
    u16x32,
    u32x16,
)
from pydri.jit.types import f32, f64, i32, ptr, u8, u16, u32, u64
from pydri.jit.x86 import join
from pydri.pipe import format_emit, srgb

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import TexelClass

_UNIT = {8: u8, 16: u16, 32: u32, 64: u64, 128: u64.vec(2)}


def apart(b: Builder, places: Value) -> Value:
    """Zero where a stamp's texel numbers (u32x16) are neighbours in each row of four lanes."""
    first = b.shuffle(places, None, [n & ~3 for n in range(16)])
    return (places - first) ^ b.const(u32x16, [n & 3 for n in range(16)])


class Texels:
    """Fetching and decoding of one class of texels."""

    def __init__(self, kind: TexelClass) -> None:
        self.kind = kind
        self.bits = kind.bits
        self.size = kind.bits // 8
        self.count = len(kind.channels)
        self.word_count = max(kind.bits // 32, 1)
        #: channels that hold something
        self.used = [n for n, (k, _) in enumerate(kind.channels) if k not in "xe"]
        self.has_floats = any(k == "f" for k, _ in kind.channels)

    # -- loads -----------------------------------------------------------------------------------

    def _each(
        self, b: Builder, base: Pointer, places: Pointer, load: Callable[[Pointer], Value]
    ) -> list[Value]:
        """load(address) for each of 16 lanes; `places`: their texel numbers from `base`, u32."""
        shift = self.size.bit_length() - 1
        out = []
        for n in range(16):
            at = b.cast((places + n).load(u32), u64)
            out.append(load(base + (at << shift if shift else at)))
        return out

    def words(self, b: Builder, base: Pointer, places: Pointer) -> list[Value]:
        """The texels as dwords (u32x16 each); shorter ones in the low bits."""
        if self.bits <= 32:
            unit = _UNIT[self.bits]
            each = self._each(b, base, places, lambda p: p.cast(ptr(unit)).load(unit))
            return [b.cast(b.vector(each), u32)]
        if self.bits == 64:
            return self._halves(b, self._each(b, base, places, _load_8))
        return self._fours(b, self._each(b, base, places, _load_16))

    def pairs(self, b: Builder, base: Pointer, places: Pointer) -> tuple[list[Value], list[Value]]:
        """The same of the texels and of their right neighbours."""
        if self.bits <= 16:
            wide = _UNIT[2 * self.bits]
            each = self._each(
                b, base, places, lambda p: p.cast(ptr(wide)).load(wide, align=self.size)
            )
            both = b.cast(b.vector(each), u32)
            return [both & ((1 << self.bits) - 1)], [both >> self.bits]
        if self.bits == 32:
            left, right = self._halves(b, self._each(b, base, places, _load_8))
            return [left], [right]
        if self.bits == 64:
            four = self._fours(b, self._each(b, base, places, _load_16))
            return four[:2], four[2:]
        return self.words(b, base, places), self.words(b, base + self.size, places)

    @staticmethod
    def _halves(b: Builder, each: list[Value]) -> list[Value]:
        """Low and high dwords of 16 values of 64 bits. Those of four lanes lie in the same 128 bits
        of two vectors, so that one shuffle within them puts all dwords in their places."""
        first, second = (
            b.bitcast(b.vector([each[4 * part + n] for part in range(4) for n in pair]), u32x16)
            for pair in ((0, 1), (2, 3))
        )
        return [in_lanes(b, first, second, [k, 2 + k, 4 + k, 6 + k]) for k in (0, 1)]

    @staticmethod
    def _fours(b: Builder, each: list[Value]) -> list[Value]:
        """The four dwords of 16 vectors of 128 bits."""
        return transpose(b, [join(b, [each[4 * part + j] for part in range(4)]) for j in range(4)])

    # -- bytes of four neighbours ----------------------------------------------------------------

    def quads(self, b: Builder, base: Pointer, below: Pointer, places: Pointer) -> list[Value]:
        """For each used channel the bytes of a lane's four neighbours: the texel, its right
        neighbour, and in `below` (the next row) the same two."""
        if self.bits < 32:
            return self._short_quads(b, base, below, places)
        z = []
        for j in range(4):
            pairs = []
            for part in range(4):
                at = b.cast((places + (4 * part + j)).load(u32), u64) << 2
                for row in (base, below):
                    pairs.append(_load_8(row + at))
            z.append(b.vector(pairs))
        order = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]
        bytes_ = [16 * part + n for part in range(4) for n in order]
        v = [b.bitcast(b.shuffle(b.bitcast(x, u8x64), None, bytes_), u32x16) for x in z]
        channels = transpose(b, v)
        return [channels[n] for n in self.used]

    def _short_quads(
        self, b: Builder, base: Pointer, below: Pointer, places: Pointer
    ) -> list[Value]:
        wide = _UNIT[2 * self.bits]

        def row(start: Pointer) -> Value:
            each = self._each(
                b, start, places, lambda p: p.cast(ptr(wide)).load(wide, align=self.size)
            )
            return b.cast(b.vector(each), u32)

        top, bottom = row(base), row(below)
        if self.bits == 8:
            return [top | (bottom << 16)]
        out = []
        for n in self.used:
            halves = []
            for pair in (top, bottom):
                even = (pair >> 8 if n else pair) & 0x00FF00FF
                halves.append((even | (even >> 8)) & 0xFFFF)
            out.append(halves[0] | (halves[1] << 16))
        return out

    # -- decoding --------------------------------------------------------------------------------

    def decode(self, b: Builder, words: list[Value]) -> list[Value]:
        """The used channels as f32x16; integers as they are, in a float's bits."""
        raws, at = [], 0
        for n, (kind, bits) in enumerate(self.kind.channels):
            field = words[at // 32]
            if kind != "x":
                raw = unsigned(field, at % 32, bits)
                raws.append((n, raw, n < self.kind.encoded))
            at += bits
        if self.kind.channels[0][0] == "m":
            return format_emit.shared_exponent(b, [raw for _, raw, _ in raws])
        out = []
        for n, raw, encoded in raws:
            if encoded:
                out.append(srgb.decode(b, b.bitcast(raw, i32)))
                continue
            number = format_emit.channel_to_number(b, raw, *self.kind.channels[n])
            out.append(number if number.elem is f32 else b.bitcast(number, f32))
        return out


class RowTexels(Texels):
    """Texels of 32 bits and more of stamps whose rows are neighbours in the image, too (images
    shown at their own size, passes over a whole framebuffer): one load for four lanes."""

    def _rows(self, b: Builder, base: Pointer, places: Pointer) -> list[Value]:
        """Each row's texels as they lie in memory (u32)."""
        ty, shift = u32.vec(self.bits // 8), self.size.bit_length() - 1
        rows = []
        for n in range(0, 16, 4):
            at = b.cast((places + n).load(u32), u64) << shift
            rows.append((base + at).cast(ptr(u32)).load(ty, align=4))
        return rows

    def words(self, b: Builder, base: Pointer, places: Pointer) -> list[Value]:
        """See Texels."""
        if self.bits == 128 and b.module.width < 512:  # as many loads, and fewer shuffles
            return self._fours(b, self._each_of_rows(b, base, places))
        rows = self._rows(b, base, places)
        if self.bits == 32:
            return [join(b, rows)]
        if self.bits == 64:
            low, high = join(b, rows[:2]), join(b, rows[2:])
            return [b.shuffle(low, high, [2 * n + k for n in range(16)]) for k in (0, 1)]
        pairs = []  # of rows: one dword of eight texels, then another one
        for k in (0, 2):
            order = [4 * n + k + more for more in (0, 1) for n in range(8)]
            pairs.append([b.shuffle(x, y, order) for x, y in (rows[:2], rows[2:])])
        halves = list(range(8)), list(range(8, 16))
        return [
            b.shuffle(top, bottom, [*half, *(16 + n for n in half)])
            for top, bottom in pairs for half in halves
        ]  # fmt: skip

    def _each_of_rows(self, b: Builder, base: Pointer, places: Pointer) -> list[Value]:
        """16 vectors of 128 bits, whose addresses are those of their rows."""
        each = []
        for n in range(0, 16, 4):
            first = base + (b.cast((places + n).load(u32), u64) << 4)
            each += [_load_16(first + 16 * k) for k in range(4)]
        return each

    def quads(self, b: Builder, base: Pointer, below: Pointer, places: Pointer) -> list[Value]:
        """See Texels: rows of texels and of right neighbours are interleaved byte by byte, then
        with those below word by word."""
        left_right = [
            [b.bitcast(join(b, self._rows(b, row + 4 * n, places)), u8x64) for n in (0, 1)]
            for row in (base, below)
        ]
        z = []
        for half in (0, 8):
            order = [16 * part + half + n for part in range(4) for n in range(8)]
            both = [64 * side + n for n in order for side in (0, 1)]
            top, bottom = (b.bitcast(b.shuffle(x, y, both), u16x32) for x, y in left_right)
            for first in (0, 4):
                order = [8 * part + first + n for part in range(4) for n in range(4)]
                both = [32 * row + n for n in order for row in (0, 1)]
                z.append(b.bitcast(b.shuffle(top, bottom, both), u32x16))
        channels = transpose(b, z)
        return [channels[n] for n in self.used]


def _load_8(place: Pointer) -> Value:
    """As a double: only of these LLVM loads the second straight into a register's upper half."""
    return place.cast(ptr(f64)).load(f64, align=4)


def _load_16(place: Pointer) -> Value:
    return place.cast(ptr(u32)).load(u32.vec(4), align=4)


def unsigned(field: Value, at: int, bits: int) -> Value:
    """Bits of a dword, in the low end."""
    value = field >> at if at else field
    return value if at + bits == 32 else value & ((1 << bits) - 1)
