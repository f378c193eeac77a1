# SPDX-License-Identifier: MIT
"""Linear filters of sRGB-encoded bytes: decoded and mixed as words, which a register holds twice as
many of as floats.

A byte becomes a word of 15 bits (255 is 32767), and that minus 32768 times its light by products
that keep their upper halves: below 11 of 255 the straight piece of the curve, above it a polynomial
of the fourth degree, fitted as whole numbers so that no byte is more than 0.08 of a step off, 255
is exactly 1, and nothing on the way leaves a word. Rows are mixed in dwords by
the weights of the integer rule (filters.py), columns as floats. Only whole numbers are multiplied
and added until then: the same bits for every vector width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import ONE
from pipe_llvm.sample.filters import LinearBytes, Part
from pipe_llvm.sample.seamless import SeamlessBytes
from pipe_llvm.sample.vectors import (
    i16x32,
    multiply_add_words,
    multiply_high,
    u8x64,
    u16x32,
    u32x16,
)
from pydri.jit import f32, i32, u32
from pydri.pipe import srgb

if TYPE_CHECKING:
    from pydri.jit import Builder, Value

_STRAIGHT = 10 * 257 >> 1  # the last one of the straight piece
_SLOPE = -2537  # in 32768ths
_CURVE = (-34, -935, -18380, -17143, 3722)  # by rising power, likewise
_LIGHT_BITS = 15
_ACROSS_BITS = 7  # of the weights that floats have


def light(b: Builder, number: Value) -> Value:
    """Minus 32768 times the light of encoded numbers of 15 bits: i16x32, both."""
    value = multiply_high(b, number, b.const(i16x32, _CURVE[-1])) + _CURVE[-2]
    for coefficient in _CURVE[-3::-1]:
        value = multiply_high(b, value, number) + coefficient
    straight = multiply_high(b, number, b.const(i16x32, _SLOPE))
    return b.select(number > _STRAIGHT, value, straight)


class LinearEncoded(LinearBytes):
    """See above; alpha is not encoded. Borders are not, either: those have LinearFloats."""

    def without_neighbours(self) -> None:
        """One texel is decoded in another way."""

    def channel_sum(self, b: Builder, parts: list[Part], n: int, bits: int) -> Value:
        """See LinearBytes."""
        if self.used[n] >= self.kind.encoded:
            return super().channel_sum(b, parts, n, bits)
        total: Value | None = None
        for part in parts:
            quad = part.quads[n]
            left, right = (
                b.cast(multiply_add_words(b, light(b, column), part.rows), f32)
                for column in (_column(b, quad, 0), _column(b, quad, 1))
            )
            share = b.cast(b.bitcast(b.bitcast(part.across, u32) & (ONE - 1), i32), f32)
            found = left + (right - left) * (share * (1.0 / ONE))
            total = found if total is None else total + found
        assert total is not None
        return total * (1.0 / (1 << bits - _ACROSS_BITS + _LIGHT_BITS))


def _column(b: Builder, quad: Value, right: int) -> Value:
    """The left or right neighbours of lanes as words of 15 bits (i16x32): of each byte two, less
    the last bit."""
    order = [4 * lane + right + row for lane in range(16) for row in (0, 0, 2, 2)]
    twice = b.shuffle(b.bitcast(quad, u8x64), None, order)
    return b.bitcast(b.bitcast(twice, u16x32) >> 1, i16x32)


class SeamlessEncoded(LinearEncoded, SeamlessBytes):
    """Of cubes; a mean is the byte that is nearest to the mean of the light."""

    def linear(self, b: Builder, channel: int, byte: Value) -> Value:
        """See SeamlessBytes."""
        return byte if channel >= self.kind.encoded else srgb.decode(b, b.bitcast(byte, i32))

    def mean(self, b: Builder, channel: int, three: list[Value]) -> Value:
        """See SeamlessBytes."""
        if channel >= self.kind.encoded:
            return super().mean(b, channel, three)
        x, y, z = three
        return b.bitcast(srgb.encode(b, (x + y + z) * (1.0 / 3)), u32x16)


__all__ = ["LinearEncoded", "SeamlessEncoded"]
