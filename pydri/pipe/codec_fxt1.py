# SPDX-License-Identifier: MIT
"""Blocks of FXT1 in registers (3DFX_texture_compression_FXT1): 8x4 texels in 16 bytes.

In: the address of a block. Out: its left and right half, 16 R8G8B8A8 words each. The three highest
bits choose one of four ways to read the rest; what they mean is said by pydri/pipe/codec_numpy.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.types import ptr, u32, u64
from pydri.pipe.codec_parts import pick

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

U32X16 = u32.vec(16)


class Block:
    """The bits of a block: two words of 64 bits."""

    def __init__(self, b: Builder, place: Pointer) -> None:
        self.b = b
        words = place.cast(ptr(u64))
        self.low, self.high = words.load(align=1), (words + 1).load(align=1)

    def field(self, at: int, size: int) -> Value:
        """Bits (u32) from `at` on; no field lies in both words."""
        word = self.low if at < 64 else self.high
        return self.b.cast(word >> (at & 63), u32) & ((1 << size) - 1)

    def color(self, at: int) -> list[Value]:
        """Red, green and blue of 5 bits each, blue lowest."""
        return [self.field(at + 5 * n, 5) for n in (2, 1, 0)]


def _up5(value: Value) -> Value:
    """5 bits as 8, rounded: (v * 510 + 31) / 62."""
    return (value * 510 + 31) // 62


def _up6(value: Value) -> Value:
    return (value * 510 + 63) // 126


def _word(parts: list[Value], alpha: Value | int) -> Value:
    out = parts[0] | (parts[1] << 8) | (parts[2] << 16)
    return out | (alpha << 24)


def _mix(n: int, t: int, c0: Value, c1: Value) -> Value:
    return (c0 * (n - t) + c1 * t + n // 2) // n


def _codes(b: Builder, block: Block, half: int) -> Value:
    """The two bits of each texel of a half."""
    word = block.field(32 * half, 32)
    return (b.splat(word, 16) >> b.const(U32X16, [2 * n for n in range(16)])) & 3


def _high(b: Builder, block: Block, half: int) -> Value:
    """Two colours and five between them; the eighth is transparent black."""
    ends = [[_up5(v) for v in block.color(at)] for at in (96, 111)]
    opaque = b.const(u32, 255)
    palette = [
        _word([_mix(6, t, x, y) for x, y in zip(*ends, strict=True)], opaque) for t in range(7)
    ]
    palette.append(b.const(u32, 0))
    # 48 bits a half: those of the right one begin at bit 48 of the block
    word = block.low if half == 0 else (block.low >> 48) | (block.high << 16)
    shifts = b.const(U32X16, [3 * (n % 8) for n in range(16)])
    first = b.const(U32X16, [0] * 8 + [1] * 8) != 0
    words = b.select(first, b.splat(b.cast(word >> 24, u32), 16), b.splat(b.cast(word, u32), 16))
    return pick(b, (words >> shifts) & 7, palette)


def _chroma(b: Builder, block: Block, half: int) -> Value:
    """Four colours."""
    opaque = b.const(u32, 255)
    palette = [_word([_up5(v) for v in block.color(64 + 15 * n)], opaque) for n in range(4)]
    return pick(b, _codes(b, block, half), palette)


def _mixed(b: Builder, block: Block, half: int) -> Value:
    """Each half has two colours and what lies between them."""
    first, second = block.color(64 + 30 * half), block.color(79 + 30 * half)
    low, select = block.field(125 + half, 1), block.field(1 + 32 * half, 1)
    one, other = [_up5(v) for v in first], [_up5(v) for v in second]
    other[1] = _up6((second[1] << 1) | low)
    opaque = b.const(u32, 255)
    punched = [
        _word(one, opaque),
        _word([(x + y) >> 1 for x, y in zip(one, other, strict=True)], opaque),
        _word(other, opaque),
        b.const(u32, 0),
    ]
    one[1] = _up6((first[1] << 1) | (low ^ select))
    plain = [
        _word([_mix(3, t, x, y) for x, y in zip(one, other, strict=True)], opaque)
        for t in range(4)
    ]
    flag = block.field(124, 1) != 0
    palette = [b.select(flag, x, y) for x, y in zip(punched, plain, strict=True)]
    return pick(b, _codes(b, block, half), palette)


def _alpha(b: Builder, block: Block, half: int) -> Value:
    """Three colours with alpha, or in each half a colour and one that both share."""
    first = [*block.color(64 + 30 * half), block.field(109 + 10 * half, 5)]
    second = [*block.color(79), block.field(114, 5)]
    one, other = [_up5(v) for v in first], [_up5(v) for v in second]
    between = []
    for t in range(4):
        parts = [_mix(3, t, x, y) for x, y in zip(one, other, strict=True)]
        between.append(_word(parts[:3], parts[3]))
    given = [
        _word([_up5(v) for v in block.color(64 + 15 * n)], _up5(block.field(109 + 5 * n, 5)))
        for n in range(3)
    ]
    given.append(b.const(u32, 0))
    flag = block.field(124, 1) != 0
    palette = [b.select(flag, x, y) for x, y in zip(between, given, strict=True)]
    return pick(b, _codes(b, block, half), palette)


def halves(b: Builder, place: Pointer) -> list[Value]:
    """The left and the right half of a block."""
    block = Block(b, place)
    mode = block.field(125, 3)
    out = [b.var(U32X16), b.var(U32X16)]
    with b.Switch(mode) as s:
        for numbers, form in (((0, 1), _high), ((2,), _chroma), ((3,), _alpha)):
            with s.Case(*numbers):
                for n in (0, 1):
                    out[n].value = form(b, block, n)
        with s.Default():
            for n in (0, 1):
                out[n].value = _mixed(b, block, n)
    return [v.value for v in out]


__all__ = ["halves"]
