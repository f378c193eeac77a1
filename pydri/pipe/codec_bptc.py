# SPDX-License-Identifier: MIT
"""Blocks of BPTC in registers (ARB_texture_compression_bptc).

In: the address of a block of 4x4 texels, 16 bytes. Out: 16 R8G8B8A8 words, or 16 R16G16B16X16 words
of floats. Where a mode's numbers lie is known when its code is made (pydri/pipe/bptc_tables.py);
what follows from the numbers is computed once for all modes, in 16 lanes. Mesa:
main/texcompress_bptc_tmp.h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pydri.jit.types import i32, u8, u32, u64
from pydri.pipe import bptc_tables as tables
from pydri.pipe.codec_parts import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Pointer, Value, Var

U32X16, I32X16, U64X16 = u32.vec(16), i32.vec(16), u64.vec(16)
_LANES: Final = range(16)
#: 1 as a half
_ONE: Final = 0x3C00


class _Bits(NamedTuple):
    """A block: its 64 lower and higher bits."""

    b: Builder
    low: Value
    high: Value

    def long(self, first: int, count: int) -> Value:
        """Up to 63 bits from a known place (u64)."""
        if first >= 64:
            word = self.high >> (first - 64)
        elif first + count <= 64:
            word = self.low >> first
        else:
            word = (self.low >> first) | (self.high << (64 - first))
        return word & ((1 << count) - 1)

    def field(self, first: int, count: int) -> Value:
        """The same, of a word (u32)."""
        if not count:
            return self.b.const(u32, 0)
        return self.b.cast(self.long(first, count), u32)


def _bits(b: Builder, block: Pointer) -> _Bits:
    low, high = (b.bytes_from(block, at, u64).load(align=1) for at in (0, 8))
    return _Bits(b, low, high)


# -- indices ---------------------------------------------------------------------------------------


def _opened(b: Builder, word: Value, at: Value) -> Value:
    """A word (u64) with a zero put in at bit `at`."""
    below = (b.const(u64, 1) << b.cast(at, u64)) - 1
    return (word & below) | ((word & ~below) << 1)


def _codes(b: Builder, word: Value, bits: Value) -> Value:
    """16 codes (u32) of some bits each."""
    shifts = b.const(U32X16, list(_LANES)) * b.splat(bits, 16)
    wide = b.splat(word, 16) >> b.cast(shifts, u64.vec(16))
    return b.cast(wide, U32X16) & b.splat((b.const(u32, 1) << bits) - 1, 16)


def _shares(b: Builder, codes: Value, bits: Value) -> Value:
    """How many 64th of the second end codes stand for: the nearest number."""
    values = []
    for most, by in ((3, 21846), (7, 9363), (15, 4370)):  # 65536 by `most`, and a little more
        values.append(((codes * 64 + most // 2) * by) >> 16)
    two, three = b.splat(bits == 2, 16), b.splat(bits == 3, 16)
    return b.select(two, values[0], b.select(three, values[1], values[2]))


def _indices(b: Builder, word: Value, bits: Value, anchors: Sequence[Value]) -> Value:
    """Codes of a block of several subsets: the texels `anchors` lack a bit, as the first one does
    (0: there is no such texel)."""
    word = _opened(b, word, bits - 1)
    for anchor in (b.min(*anchors), b.max(*anchors)):
        word = b.select(anchor > 0, _opened(b, word, (anchor + 1) * bits - 1), word)
    return _codes(b, word, bits)


# -- fractions -------------------------------------------------------------------------------------


class _Unorm(NamedTuple):
    """What a mode's bits say. `pairs`: by channel and subset, both ends; `words`: indices."""

    pairs: Pointer
    subsets: Var[Value]  # two bits a texel
    anchors: list[Var[Value]]
    words: list[Var[Value]]
    bits: list[Var[Value]]  # of an index: of colours, of alpha
    rotation: Var[Value]


def _expanded(value: Value, bits: int) -> Value:
    """A number of some bits as one of eight."""
    if bits == 8:
        return value
    return ((value << (8 - bits)) | (value >> (2 * bits - 8))) & 0xFF


def _ends(bits: _Bits, mode: tables.UnormMode, at: int) -> tuple[list[list[Value]], int]:
    """Numbers of channels' ends, and where indices begin."""
    count, channels = 2 * mode.subsets, []
    for size in (mode.color, mode.color, mode.color, mode.alpha):
        channels.append([bits.field(at + n * size, size) for n in range(count)] if size else [])
        at += count * size
    if mode.own or mode.shared:
        lows = [bits.field(at + n // (1 + mode.shared), 1) for n in range(count)]
        at += count // (1 + mode.shared)
        channels = [[(v << 1) | p for v, p in zip(row, lows, strict=False)] for row in channels]
    return channels, at


def _unorm_mode(b: Builder, bits: _Bits, number: int, out: _Unorm) -> None:
    """Reads a block of a mode."""
    mode = tables.UNORM_MODES[number]
    at = number + 1
    partition = bits.field(at, mode.partition)
    rotation = bits.field(at + mode.partition, mode.rotation)
    at += mode.partition + mode.rotation
    other = bits.field(at, mode.selection) != 0
    channels, at = _ends(bits, mode, at + mode.selection)
    opaque = b.const(u32, 255)
    for c, row in enumerate(channels):
        size = (mode.alpha if c == 3 else mode.color) + (mode.own | mode.shared)
        for n in range(mode.subsets):
            one, two = (_expanded(v, size) for v in row[2 * n : 2 * n + 2]) if row else [opaque] * 2
            out.pairs[c * 3 + n] = one | (two << 16)
    out.subsets.value = b.table(u32, tables.SUBSETS[mode.subsets])[partition]
    for anchor, places in zip(out.anchors, tables.ANCHORS[mode.subsets], strict=True):
        anchor.value = b.cast(b.table(u8, places)[partition], u32) if any(places) else 0
    out.rotation.value = rotation
    size = 16 * mode.first - mode.subsets
    words, counts = [bits.long(at, size)] * 2, [b.const(u32, mode.first)] * 2
    if mode.second:
        words[1] = bits.long(at + size, 16 * mode.second - 1)
        counts[1] = b.const(u32, mode.second)
    for n in (0, 1):
        out.words[n].value = b.select(other, words[1 - n], words[n])
        out.bits[n].value = b.select(other, counts[1 - n], counts[n])


def unorm(b: Builder, block: Pointer) -> Value:
    """A block of BPTC_UNORM (u32x16); one of no mode is transparent black."""
    bits = _bits(b, block)
    zero, none = b.const(u32, 0), b.const(u64, 0)
    pairs = b.array(u32, 12)
    read = _Unorm(
        pairs, b.var(u32, zero), [b.var(u32, zero), b.var(u32, zero)],
        [b.var(u64, none), b.var(u64, none)], [b.var(u32, b.const(u32, 2)) for _ in range(2)],
        b.var(u32, zero),
    )  # fmt: skip
    with b.Switch(b.ctz(b.cast(bits.low, u32) | 256)) as s:
        for number in range(len(tables.UNORM_MODES)):
            with s.Case(number):
                _unorm_mode(b, bits, number, read)
        with s.Default():
            for n in range(12):
                pairs[n] = zero
    subsets = (b.splat(read.subsets.value, 16) >> b.const(U32X16, [2 * n for n in _LANES])) & 3
    anchors = [v.value for v in read.anchors]
    values = []
    shares = [
        _shares(b, _indices(b, word.value, size.value, anchors), size.value)
        for word, size in zip(read.words, read.bits, strict=True)
    ]
    for c in range(4):
        pair = pick(b, subsets, [pairs[c * 3 + n] for n in range(3)])
        share = shares[c == 3]
        values.append(((pair & 0xFFFF) * (64 - share) + (pair >> 16) * share + 32) >> 6)
    out = b.const(U32X16, 0)
    alpha = values[3]
    for c in range(3):
        turned = b.splat(read.rotation.value == c + 1, 16)
        out = out | (b.select(turned, values[3], values[c]) << (8 * c))
        alpha = b.select(turned, values[c], alpha)
    return out | (alpha << 24)


# -- floats ----------------------------------------------------------------------------------------


class _Float(NamedTuple):
    """What a mode's bits say. `ends`: numbers, four lanes an end: three channels, and one more."""

    ends: Pointer
    bits: Var[Value]  # of a number
    beyond: Var[Value]  # bits that a difference lacks to 32
    differs: Var[Value]
    parted: Var[Value]


def _float_mode(b: Builder, bits: _Bits, word: int, mode: tables.FloatMode, out: _Float) -> None:
    """Reads the ends of a block of a mode."""
    at = 5 if word & 2 else 2
    found = dict.fromkeys(_LANES, b.const(u32, 0))
    for field in mode.fields:
        value = bits.field(at, field.size)
        if field.turned:
            value = b.intrinsic("llvm.bitreverse.i32", u32, value) >> (32 - field.size)
        lane = 4 * field.end + field.channel
        found[lane] = found[lane] | (value << field.first)
        at += field.size
    for lane, value in found.items():
        out.ends[lane] = b.bitcast(value, i32)
    out.bits.value = b.const(u32, mode.bits)
    out.beyond.value = b.const(I32X16, [*(32 - size for size in mode.others), 0] * 4)
    out.differs.value = b.const(u32, int(mode.differs))
    out.parted.value = b.const(u32, int(mode.parted))


def _widened(b: Builder, value: Value, bits: Value, signed: Value) -> Value:
    """Numbers (i32x16) of some bits as such of 16, or of 15 and a sign."""
    above, below = b.splat(32 - bits, 16), b.splat(bits - 1, 16)
    most = (b.const(I32X16, 1) << below) - 1
    given = b.select(signed, (value << above) >> above, value)
    size = b.abs(given)
    scaled = ((size << 15) + 0x4000) >> below
    top = b.select(signed, most, most * 2 + 1)
    scaled = b.select(size >= top, b.select(signed, b.const(I32X16, 0x7FFF), 0xFFFF), scaled)
    scaled = b.select(size == 0, 0, b.select(given < 0, -scaled, scaled))
    return b.select(b.splat(bits, 16) >= b.select(signed, b.const(I32X16, 16), 15), given, scaled)


def _ends_of(b: Builder, read: _Float, signed: Value) -> Value:
    """Channels of four ends (i32x16), four lanes each."""
    raw, bits = read.ends.load(I32X16, align=64), b.bitcast(read.bits.value, i32)
    first = b.shuffle(raw, None, [n % 4 for n in _LANES])
    beyond = read.beyond.value
    moved = first + ((raw << beyond) >> beyond)
    moved = moved & b.splat((b.const(i32, 1) << bits) - 1, 16)
    later = b.const(I32X16, [n >= 4 for n in _LANES]) != 0
    raw = b.select(later & b.splat(read.differs.value != 0, 16), moved, raw)
    return _widened(b, raw, bits, signed)


def _half(b: Builder, value: Value, signed: Value) -> Value:
    """What lies between ends as a half (u32x16)."""
    size = b.abs(value) * 31
    minus = b.select(value < 0, b.const(I32X16, 0x8000), 0)
    return b.bitcast(b.select(signed, (size >> 5) | minus, size >> 6), U32X16)


def floats(b: Builder, block: Pointer, signed: Value) -> Value:
    """A block of floats (u64x16, four halves each); one of no mode is black."""
    bits, zero = _bits(b, block), b.const(u32, 0)
    read = _Float(b.array(i32, 16, align=64), b.var(u32, b.const(u32, 10)),
                  b.var(I32X16, b.const(I32X16, 0)), b.var(u32, zero),
                  b.var(u32, zero))  # fmt: skip
    low = b.cast(bits.low, u32)
    with b.Switch(b.select((low & 2) != 0, low & 31, low & 3)) as s:
        for word, mode in tables.FLOAT_MODES.items():
            with s.Case(word):
                _float_mode(b, bits, word, mode, read)
        with s.Default():
            read.ends.store(b.const(I32X16, 0), align=64)
    signs = b.splat(signed, 16)
    ends = b.array(i32, 16, align=64)
    ends.store(_ends_of(b, read, signs), align=64)
    parted = read.parted.value != 0
    partition = b.select(parted, bits.field(tables.FLOAT_PARTITION, 5), 0)
    words = (bits.long(at, 16 * size - 1 - two) for at, size, two in (
        (tables.FLOAT_PARTED, 3, 1), (tables.FLOAT_WHOLE, 4, 0)))  # fmt: skip
    anchor = b.cast(b.table(u8, tables.ANCHORS[2][0])[partition], u32)
    anchor = b.select(parted, anchor, 0)
    size = b.select(parted, b.const(u32, 3), 4)
    codes = _indices(b, b.select(parted, *words), size, [anchor, zero])
    share = b.bitcast(_shares(b, codes, size), I32X16)
    subsets = b.select(parted, b.table(u32, tables.SUBSETS[2])[partition], 0)
    second = ((b.splat(subsets, 16) >> b.const(U32X16, [2 * n for n in _LANES])) & 1) != 0
    out = b.const(U64X16, _ONE << 48)
    for c in range(3):
        one, two = (
            b.select(second, b.splat(ends[8 + n + c], 16), b.splat(ends[n + c], 16)) for n in (0, 4)
        )
        value = (one * (64 - share) + two * share + 32) >> 6
        out = out | (b.cast(_half(b, value, signs), U64X16) << (16 * c))
    return out


__all__ = ["floats", "unorm"]
