# SPDX-License-Identifier: MIT
"""Blocks of ETC2 and EAC decoded in numpy (OpenGL ES 3.0, appendix C): the definition of what
pydri/pipe/codec_etc.py does in registers.

In: blocks, uint8 of shape (n, 8). Out: (n, 16, 4) of 8 bits, or (n, 16) numbers, row by row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pydri.pipe.codec_etc import DISTANCES, GREAT, SMALL, STEPS

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
#: where texels of rows stand in an order down the columns
_ORDER = np.arange(16).reshape(4, 4).T.ravel()


class _Bits:
    """Bits of blocks, 63 the highest of the first byte."""

    def __init__(self, blocks: Bytes) -> None:
        self.bits = np.unpackbits(blocks, axis=1).astype(np.int64)

    def __call__(self, *places: int) -> Ints:
        """The number (n,) whose bits are these, the highest first."""
        out = np.zeros(len(self.bits), np.int64)
        for place in places:
            out = out << 1 | self.bits[:, 63 - place]
        return out

    def span(self, top: int, last: int) -> Ints:
        """Bits in a row."""
        return self(*range(top, last - 1, -1))

    def texels(self, top: int, count: int) -> Ints:
        """(n, 16) numbers of `count` bits, which lie in a row from bit `top` on."""
        each = [self.span(top - count * n, top - count * (n + 1) + 1) for n in range(16)]
        return np.stack(each, axis=1)[:, _ORDER]

    def codes(self) -> Ints:
        """(n, 16) of two bits, from two rows of bits that begin with the last texel."""
        high, low = (
            np.stack([self(first + n) for n in range(16)], axis=1) for first in (16, 0)
        )
        return (high << 1 | low)[:, _ORDER]


def _up(value: Ints, bits: int) -> Ints:
    """Eight bits, by repeating the highest."""
    return value << (8 - bits) | value >> (2 * bits - 8)


def _signed3(value: Ints) -> Ints:
    return (value ^ 4) - 4


def _rgba(colors: Ints) -> Ints:
    """(..., 3) made bytes, and opaque."""
    out = np.full((*colors.shape[:-1], 4), 255, np.int64)
    out[..., :3] = np.clip(colors, 0, 255)
    return out


def _picked(palette: Ints, codes: Ints) -> Ints:
    """(n, 4, 4) colours by (n, 16) codes."""
    return np.take_along_axis(palette, codes[:, :, None], axis=1)


def _halves(f: _Bits, differs: Ints, opaque: Ints) -> Ints:
    five = np.stack([f.span(top, top - 4) for top in (63, 55, 47)], axis=1)
    step = np.stack([_signed3(f.span(top - 5, top - 7)) for top in (63, 55, 47)], axis=1)
    four = [np.stack([f.span(t - 4 * k, t - 4 * k - 3) for t in (63, 55, 47)], axis=1)
            for k in (0, 1)]  # fmt: skip
    alike = differs[:, None] != 0
    bases = [np.where(alike, _up((five + k * step) & 31, 5), four[k] * 17) for k in (0, 1)]
    x, y = np.arange(16) % 4, np.arange(16) // 4
    second = np.where(f(32)[:, None] != 0, y >= 2, x >= 2)
    out = []
    for base, top in zip(bases, (39, 36), strict=True):
        table = f.span(top, top - 2)
        small, great = np.array(SMALL)[table], np.array(GREAT)[table]
        steps = np.stack([np.where(opaque != 0, small, 0), great, -small, -great], axis=1)
        palette = _rgba(base[:, None] + steps[:, :, None])
        palette[opaque == 0, 2] = 0
        out.append(_picked(palette, f.codes()))
    return np.where(second[:, :, None], out[1], out[0])


def _line(f: _Bits, opaque: Ints) -> Ints:
    """Kind T."""
    one = np.stack([f(60, 59, 57, 56), f.span(55, 52), f.span(51, 48)], axis=1) * 17
    other = np.stack([f.span(47, 44), f.span(43, 40), f.span(39, 36)], axis=1) * 17
    by = np.array(DISTANCES)[f(35, 34, 32)][:, None]
    palette = _rgba(np.stack([one, other + by, other, other - by], axis=1))
    palette[opaque == 0, 2] = 0
    return _picked(palette, f.codes())


def _pairs(f: _Bits, opaque: Ints) -> Ints:
    """Kind H."""
    one = np.stack([f.span(62, 59), f(58, 57, 56, 52), f(51, 49, 48, 47)], axis=1)
    other = np.stack([f.span(46, 43), f.span(42, 39), f.span(38, 35)], axis=1)
    weights = np.array([256, 16, 1])
    greater = (one * weights).sum(axis=1) >= (other * weights).sum(axis=1)
    by = np.array(DISTANCES)[f(34, 32) << 1 | greater][:, None]
    one, other = one * 17, other * 17
    palette = _rgba(np.stack([one + by, one - by, other + by, other - by], axis=1))
    palette[opaque == 0, 2] = 0
    return _picked(palette, f.codes())


def _planar(f: _Bits) -> Ints:
    red, blue = range(57, 63), (48, 44, 43, 41, 40, 39)
    origin = [_up(f(*reversed(red)), 6), _up(f(56, *range(54, 48, -1)), 7), _up(f(*blue), 6)]
    across = [_up(f(*range(38, 33, -1), 32), 6), _up(f.span(31, 25), 7), _up(f.span(24, 19), 6)]
    down = [_up(f.span(18, 13), 6), _up(f.span(12, 6), 7), _up(f.span(5, 0), 6)]
    o, h, v = (np.stack(part, axis=1)[:, None] for part in (origin, across, down))
    x, y = (np.arange(16) % 4)[:, None], (np.arange(16) // 4)[:, None]
    return _rgba((x * (h - o) + y * (v - o) + 4 * o + 2) >> 2)


def colors(blocks: Bytes, punched: bool) -> Ints:
    """Blocks of RGB8; `punched`: with one bit of alpha."""
    f = _Bits(blocks)
    ones = np.ones(len(blocks), np.int64)
    differs, opaque = (ones, f(33)) if punched else (f(33), ones)
    sums = [f.span(top, top - 4) + _signed3(f.span(top - 5, top - 7)) for top in (63, 55, 47)]
    beyond = [((s < 0) | (s > 31)) & (differs != 0) for s in sums]
    kind = np.select(beyond, [1, 2, 3], 0)[:, None, None]
    forms = (_halves(f, differs, opaque), _line(f, opaque), _pairs(f, opaque), _planar(f))
    return np.select([kind == n for n in range(4)], forms)


def _channel(blocks: Bytes) -> tuple[Ints, Ints, Ints]:
    """First bytes, factors and the texels' steps."""
    f = _Bits(blocks)
    up = np.array(STEPS)[f.span(51, 48)]
    table = np.concatenate([-up - 1, up], axis=1)
    return f.span(63, 56), f.span(55, 52), np.take_along_axis(table, f.texels(47, 3), axis=1)


def alpha(blocks: Bytes) -> Ints:
    """Eight bits a texel."""
    base, factor, steps = _channel(blocks)
    return np.clip(base[:, None] + steps * factor[:, None], 0, 255)


def eleven(blocks: Bytes, signed: bool) -> Ints:
    """11 bits a texel, as 16."""
    base, factor, steps = _channel(blocks)
    times = np.where(factor == 0, 1, factor * 8)[:, None]
    if not signed:
        value = np.clip(base[:, None] * 8 + 4 + steps * times, 0, 2047)
        return value << 5 | value >> 6
    start = np.maximum((base ^ 128) - 128, -127)[:, None] * 8
    value = np.clip(start + steps * times, -1023, 1023)
    size = np.abs(value)
    return np.sign(value) * (size << 5 | size >> 5)


__all__ = ["alpha", "colors", "eleven"]
