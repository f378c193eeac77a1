# SPDX-License-Identifier: MIT
"""Where pixels lie in memory (../tiling.py), for lanes or for one pixel."""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_vc4.simulator.tiling import LT, RASTER
from pydri.jit.types import i32

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value


class Micro(NamedTuple):
    """A microtile of `cpp` bytes a pixel: its sides and the pixel as powers of two."""

    w: Value
    h: Value
    cpp: Value


def micro(b: Builder, cpp: Value) -> Micro:
    """8x8 pixels of a byte, 8x4 of two, 4x4 of four; `cpp` is an i32."""
    two, three = b.const(i32, 2), b.const(i32, 3)
    return Micro(b.select(cpp == 4, two, three), b.select(cpp == 1, three, two),
                 b.select(cpp == 4, two, b.select(cpp == 2, b.const(i32, 1), b.const(i32, 0))))


def is_lt(size: Micro, width: Value, height: Value) -> Value:
    """Whether a level of this size is LT, not T."""
    b = width.b
    return (width <= (b.const(i32, 4) << size.w)) | (height <= (b.const(i32, 4) << size.h))


def _up(value: Value, power: Value) -> Value:
    """How many units of 2^power hold `value`."""
    return (value + ((value.b.const(i32, 1) << power) - 1)) >> power


def size_of(b: Builder, size: Micro, width: Value, height: Value, tiling: Value) -> Value:
    """The bytes a level takes."""
    t = _up(width, size.w + 3) * _up(height, size.h + 3) * 4096
    lt = _up(width, size.w) * _up(height, size.h) * 64
    raster = (_up(width, size.w) << size.w + size.cpp) * height
    return b.select(tiling == RASTER, raster, b.select(tiling == LT, lt, t))


def offsets(b: Builder, x: Value, y: Value, width: Value, size: Micro, tiling: Value) -> Value:
    """The bytes from a level's start to its pixels (x, y): i32, in lanes or not; the others are
    the same for all lanes."""
    found = b.var(x.ty, 0)
    w, h, cpp = size

    def spread(value: Value) -> Value:
        return b.coerce(value, x.ty)

    one = b.const(i32, 1)
    with b.If(tiling == RASTER):
        found.value = (y * spread(_up(width, w) << w) + x) << spread(cpp)
    with b.Else():
        inside = ((y & spread((one << h) - 1)) << spread(w)) + (x & spread((one << w) - 1))
        inside = inside << spread(cpp)
        mx, my = x >> spread(w), y >> spread(h)
        with b.If(tiling == LT):
            found.value = (my * spread(_up(width, w)) + mx) * 64 + inside
        with b.Else():
            tiles = spread(_up(width, w + 3))
            tx, ty = mx >> 3, my >> 3
            odd = ty & 1
            tx = b.select(odd == 1, tiles - 1 - tx, tx)
            sx, sy = (mx >> 2) & 1, (my >> 2) & 1
            # sub-tiles turn: 0 3 over 1 2 in even rows of tiles, half way on in odd ones
            sub = ((sx << 1) + (sx ^ sy) + (odd << 1)) & 3
            found.value = ((ty * tiles + tx) * 4096 + sub * 1024
                           + (((my & 3) << 2) + (mx & 3)) * 64 + inside)
    return found.value


__all__ = ["Micro", "is_lt", "micro", "offsets", "size_of"]
