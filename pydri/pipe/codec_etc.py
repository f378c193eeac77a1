# SPDX-License-Identifier: MIT
"""Blocks of ETC2 and EAC in registers (OpenGL ES 3.0, appendix C), and so of ETC1.

In: the address of a block of 4x4 texels, eight bytes, the highest first. Out: 16 R8G8B8A8 words, or
16 numbers of one channel. Texels are numbered down the columns. What the bits mean is said by
pydri/pipe/codec_etc_numpy.py. A block of colours is one of five kinds; what would overflow in the
oldest kind says that it is a newer one. Mesa: main/texcompress_etc.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydri.jit.types import i32, ptr, u32
from pydri.pipe.codec_parts import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Pointer, Value

U32X16, I32X16 = u32.vec(16), i32.vec(16)
#: lane by lane: the number of the texel in the block
_PLACES: Final = [x * 4 + y for y in range(4) for x in range(4)]
#: by code word: the smaller and the greater step from the base colour
SMALL: Final = (2, 5, 9, 13, 18, 24, 33, 47)
GREAT: Final = (8, 17, 29, 42, 60, 80, 106, 183)
#: by number: how far colours of the kinds T and H lie from each other
DISTANCES: Final = (3, 6, 11, 16, 23, 32, 41, 64)
#: by number of a table of EAC: its four steps upwards; one downwards is that by one more
STEPS: Final = (
    (2, 5, 8, 14), (2, 6, 9, 12), (1, 4, 7, 12), (1, 3, 5, 12), (2, 5, 7, 11), (2, 6, 8, 10),
    (3, 6, 7, 10), (2, 4, 7, 10), (1, 5, 7, 9), (1, 4, 7, 9), (1, 3, 7, 9), (1, 4, 6, 9),
    (2, 3, 6, 9), (0, 1, 2, 9), (3, 5, 7, 8), (2, 4, 6, 8),
)  # fmt: skip


class Block:
    """The bits of a block, numbered as in the specification: 63 is the highest of its first byte.
    """

    def __init__(self, b: Builder, place: Pointer) -> None:
        self.b = b
        words = place.cast(ptr(u32))
        self.high, self.low = (b.bswap((words + n).load(align=1)) for n in (0, 1))

    def field(self, top: int, last: int) -> Value:
        """Bits from `top` down to `last` (u32); none lies in both words."""
        word = self.high if last >= 32 else self.low
        return (word >> (last & 31)) & ((2 << (top - last)) - 1)

    def joined(self, *fields: tuple[int, int]) -> Value:
        """A number whose bits stand apart, the highest first."""
        out = self.field(*fields[0])
        for top, last in fields[1:]:
            out = (out << (top - last + 1)) | self.field(top, last)
        return out

    def codes(self) -> Value:
        """Two bits a texel (u32x16): those of the upper half count twice."""
        word, places = self.b.splat(self.low, 16), self.b.const(U32X16, _PLACES)
        return (((word >> (places + 16)) & 1) << 1) | ((word >> places) & 1)


def _chosen(b: Builder, number: Value, values: Sequence[int]) -> Value:
    """values[number] of eight bytes (u32)."""
    low, high = (
        sum(v << 8 * n for n, v in enumerate(values[at : at + 4])) for at in (0, 4)
    )
    word = b.select(number >= 4, b.const(u32, high), b.const(u32, low))
    return (word >> ((number & 3) * 8)) & 0xFF


def _byte(b: Builder, x: Value) -> Value:
    """An i32, made one of 0 to 255 (u32)."""
    return b.bitcast(b.min(b.max(x, 0), 255), u32)


def _word(b: Builder, channels: Sequence[Value], by: Value | None = None) -> Value:
    """Red, green and blue (u32, 8 bits), all of them `by` (i32) more, as an opaque word."""
    if by is not None:
        channels = [_byte(b, b.bitcast(c, i32) + by) for c in channels]
    return channels[0] | (channels[1] << 8) | (channels[2] << 16) | 0xFF000000


def _up4(value: Value) -> Value:
    return value * 17


def _up5(value: Value) -> Value:
    return (value << 3) | (value >> 2)


def _halves(b: Builder, block: Block, differs: Value, opaque: Value) -> Value:
    """Two colours, of a half of the block each, and four steps from each of them."""
    bases: list[list[Value]] = [[], []]
    for top in (63, 55, 47):
        five, step = block.field(top, top - 4), block.field(top - 5, top - 7)
        step = b.bitcast(b.bitcast(step << 29, i32) >> 29, u32)
        four = block.field(top, top - 3), block.field(top - 4, top - 7)
        for base, near, far in zip(bases, (five, five + step), four, strict=True):
            base.append(b.select(differs, _up5(near & 31), _up4(far)))
    words = []
    for base, table in zip(bases, (block.field(39, 37), block.field(36, 34)), strict=True):
        small, great = (b.bitcast(_chosen(b, table, of), i32) for of in (SMALL, GREAT))
        zero = b.const(i32, 0)
        steps = (b.select(opaque, small, zero), great, -small, -great)
        palette = [_word(b, base, step) for step in steps]
        palette[2] = b.select(opaque, palette[2], 0)
        words.append(pick(b, block.codes(), palette))
    lanes = range(16)
    beside = b.const(U32X16, [n % 4 >= 2 for n in lanes]) != 0
    below = b.const(U32X16, [n >= 8 for n in lanes]) != 0
    second = b.select(b.splat(block.field(32, 32) != 0, 16), below, beside)
    return b.select(second, words[1], words[0])


def _t(b: Builder, block: Block, opaque: Value) -> Value:
    """A colour, and three in a line."""
    one = [_up4(block.joined((60, 59), (57, 56))), _up4(block.field(55, 52)),
           _up4(block.field(51, 48))]  # fmt: skip
    other = [_up4(block.field(top, top - 3)) for top in (47, 43, 39)]
    by = b.bitcast(_chosen(b, block.joined((35, 34), (32, 32)), DISTANCES), i32)
    palette = [_word(b, one), _word(b, other, by), _word(b, other), _word(b, other, -by)]
    palette[2] = b.select(opaque, palette[2], 0)
    return pick(b, block.codes(), palette)


def _h(b: Builder, block: Block, opaque: Value) -> Value:
    """Two pairs of colours; which of the two is the greater is the last bit of the distance."""
    one = [block.field(62, 59), block.joined((58, 56), (52, 52)), block.joined((51, 51), (49, 47))]
    other = [block.field(top, top - 3) for top in (46, 42, 38)]
    values = [(c[0] << 8) | (c[1] << 4) | c[2] for c in (one, other)]
    number = (block.joined((34, 34), (32, 32)) << 1) | b.cast(values[0] >= values[1], u32)
    by = b.bitcast(_chosen(b, number, DISTANCES), i32)
    palette = [_word(b, [_up4(c) for c in color], step)
               for color in (one, other) for step in (by, -by)]  # fmt: skip
    palette[2] = b.select(opaque, palette[2], 0)
    return pick(b, block.codes(), palette)


def _planar(b: Builder, block: Block) -> Value:
    """A plane: the colours of the first texel, of the one behind its row and below its column."""
    fields = (
        (((62, 57),), ((38, 34), (32, 32)), ((18, 13),), 6),
        (((56, 56), (54, 49)), ((31, 25),), ((12, 6),), 7),
        (((48, 48), (44, 43), (41, 39)), ((24, 19),), ((5, 0),), 6),
    )
    x = b.const(I32X16, [n % 4 for n in range(16)])
    y = b.const(I32X16, [n // 4 for n in range(16)])
    out = b.const(U32X16, 0xFF000000)
    for n, (*places, bits) in enumerate(fields):
        origin, across, down = (
            b.bitcast((v << (8 - bits)) | (v >> (2 * bits - 8)), i32)
            for v in (block.joined(*place) for place in places)
        )
        sums = x * b.splat(across - origin, 16) + y * b.splat(down - origin, 16)
        value = b.min(b.max((sums + b.splat(origin * 4 + 2, 16)) >> 2, 0), 255)
        out = out | (b.bitcast(value, u32) << (8 * n))
    return out


def colors(b: Builder, place: Pointer, punched: bool) -> Value:
    """A block of RGB8 (and ETC1), or of RGB8 with one bit of alpha (`punched`), whose bit 33 says
    that nothing is transparent instead of which of the two oldest kinds it is."""
    block = Block(b, place)
    bit = block.field(33, 33) != 0
    always = b.const(u32, 1) != 0
    differs, opaque = (always, bit) if punched else (bit, always)
    beyond = []
    for top in (63, 55, 47):
        step = b.bitcast(block.field(top - 5, top - 7) << 29, i32) >> 29
        total = b.bitcast(block.field(top, top - 4), i32) + step
        beyond.append(differs & (b.bitcast(total, u32) > 31))
    out = b.var(U32X16)
    with b.If(beyond[0]):
        out.value = _t(b, block, opaque)
    with b.Elif(lambda: beyond[1]):
        out.value = _h(b, block, opaque)
    with b.Elif(lambda: beyond[2]):
        out.value = _planar(b, block)
    with b.Else():
        out.value = _halves(b, block, differs, opaque)
    return out.value


def _channel(b: Builder, place: Pointer) -> tuple[Value, Value, Value]:
    """A block of EAC: its first byte and its factor (u32), and the steps of the texels (i32x16)."""
    block = Block(b, place)
    table = block.field(51, 48)
    packed = [sum(v << 4 * n for n, v in enumerate(row)) for row in STEPS]
    word = b.const(u32, packed[0])
    for n, row in enumerate(packed[1:], 1):
        word = b.select(table == n, b.const(u32, row), word)
    # 48 bits: eight texels in each of two words
    halves = (block.high << 8) | (block.low >> 24), block.low
    first = b.const(U32X16, [int(n < 8) for n in _PLACES]) != 0
    bits = b.select(first, b.splat(halves[0], 16), b.splat(halves[1], 16))
    code = (bits >> b.const(U32X16, [21 - 3 * (n % 8) for n in _PLACES])) & 7
    step = b.bitcast((b.splat(word, 16) >> ((code & 3) * 4)) & 15, i32)
    return block.field(63, 56), block.field(55, 52), b.select(code >= 4, step, ~step)


def alpha(b: Builder, place: Pointer) -> Value:
    """Eight bits a texel (u32x16)."""
    base, factor, steps = _channel(b, place)
    value = steps * b.splat(b.bitcast(factor, i32), 16) + b.splat(b.bitcast(base, i32), 16)
    return b.bitcast(b.min(b.max(value, 0), 255), u32)


def eleven(b: Builder, place: Pointer, signed: Value) -> Value:
    """11 bits a texel, as 16 (u32x16); `signed`: whether they are two's complements."""
    base, factor, steps = _channel(b, place)
    times = b.bitcast(b.select(factor == 0, b.const(u32, 1), factor << 3), i32)
    start = b.bitcast(base, i32)
    start = b.select(signed, b.max((start << 24) >> 24, -127) << 3, (start << 3) + 4)
    low, high = b.select(signed, b.const(i32, -1023), 0), b.select(signed, b.const(i32, 1023), 2047)
    value = steps * b.splat(times, 16) + b.splat(start, 16)
    value = b.min(b.max(value, b.splat(low, 16)), b.splat(high, 16))
    size = b.select(value < 0, -value, value)
    wide = (size << 5) | b.select(b.splat(signed, 16), size >> 5, size >> 6)
    return b.bitcast(b.select(value < 0, -wide, wide), u32) & 0xFFFF


__all__ = ["DISTANCES", "GREAT", "SMALL", "STEPS", "alpha", "colors", "eleven"]
