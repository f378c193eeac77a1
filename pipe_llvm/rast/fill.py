# SPDX-License-Identifier: MIT
"""Filling one tile of a surface with one value: what a fast clear of the tile has left to do."""

from __future__ import annotations

from typing import Any

from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS


@kernel(u32, (u32,))
def format_bytes(b: Any, number: Any) -> Any:
    """Bytes a pixel of a format."""
    b.Return(b.cast(b.table(u8, [f.bytes for f in FORMATS])[number], u32))


def pattern_vector(b: Any, pattern: Any) -> Any:
    """A pattern of 128 bits (ptr(u32)) as u32x16."""
    return b.shuffle(pattern.load(u32.vec(4), align=4), None, [n % 4 for n in range(16)])


@kernel(void, (ptr(u32), ptr(u32), u32))
def repeat_pixel(b: Any, out: Any, pixel: Any, size: Any) -> None:
    """A packed pixel of `size` bytes (four words, those above it zero) repeated to 128 bits."""
    w = [pixel[n] for n in range(4)]
    low = w[0]
    low = b.select(size == 1, (low & 0xFF) * 0x01010101, low)
    low = b.select(size == 2, (low & 0xFFFF) | (low << 16), low)
    out[0] = low
    out[1] = b.select(size >= 8, w[1], low)
    out[2] = b.select(size == 16, w[2], low)
    out[3] = b.select(size == 16, w[3], b.select(size == 8, w[1], low))


@kernel(void, (ptr(u8), u32, ptr(u32)))
def fill_color_tile(b: Any, place: Any, stride: Any, pattern: Any) -> None:
    """Fill 64 rows of 64 32-bit pixels."""
    v = pattern_vector(b, pattern)
    with b.For(b.const(u32, 0), 64) as y:
        row = b.bytes_from(place, b.cast(y, u64) * b.cast(stride, u64), u32)
        for n in range(4):
            (row + 16 * n).store(v, align=64)


@kernel(void, (ptr(u8), u32, ptr(u32), u32))
def fill_rows(b: Any, place: Any, stride: Any, pattern: Any, bytes_per_row: Any) -> None:
    """Fill 64 rows of `bytes_per_row` (a multiple of 64) bytes with a 128-bit pattern."""
    v = pattern_vector(b, pattern)
    with b.For(b.const(u32, 0), 64) as y:
        row = b.bytes_from(place, b.cast(y, u64) * b.cast(stride, u64), u8)
        with b.For(b.const(u32, 0), bytes_per_row, 64) as x:
            b.bytes_from(row, x, u32).store(v, align=64)


@kernel(void, (ptr(u8), u32, u32, ptr(u32), u32))
def fill_stamp_tile(b: Any, place: Any, stride: Any, size: Any, pattern: Any, samples: Any) -> None:
    """Fill a 64x64 tile in stamp order: 16 rows of 16 stamps of `samples` times 16 values."""
    v = pattern_vector(b, pattern)
    with b.For(b.const(u32, 0), 16) as y:
        row = b.bytes_from(place, b.cast(y * 4, u64) * b.cast(stride, u64), u8)
        with b.For(b.const(u32, 0), size * samples * 256, 64) as x:
            b.bytes_from(row, x, u32).store(v, align=64)
