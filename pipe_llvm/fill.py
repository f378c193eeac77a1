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


@kernel(void, (ptr(u8), u32, u32))
def fill_color_tile(b: Any, place: Any, stride: Any, value: Any) -> None:
    """Fill 64 rows of 64 32-bit pixels (or 64 rows of 32 words)."""
    v = b.splat(value, 16)
    with b.For(b.const(u32, 0), 64) as y:
        row = b.bytes_from(place, b.cast(y, u64) * b.cast(stride, u64), u32)
        for n in range(4):
            (row + 16 * n).store(v, align=64)


@kernel(void, (ptr(u8), u32, u32, u32))
def fill_rows(b: Any, place: Any, stride: Any, value: Any, bytes_per_row: Any) -> None:
    """Fill 64 rows of `bytes_per_row` (a multiple of 64) bytes with a 32-bit pattern."""
    v = b.splat(value, 16)
    with b.For(b.const(u32, 0), 64) as y:
        row = b.bytes_from(place, b.cast(y, u64) * b.cast(stride, u64), u8)
        with b.For(b.const(u32, 0), bytes_per_row, 64) as x:
            b.bytes_from(row, x, u32).store(v, align=64)


def zs_pattern(b: Any, value: Any, size: Any) -> Any:
    """A packed depth/stencil pixel repeated to 64 bits."""
    v16 = value & 0xFFFF
    v16 = v16 | (v16 << 16)
    v32 = b.select(size == 2, v16, value & 0xFFFFFFFF)
    v32 = b.select(size == 1, (value & 0xFF) * 0x01010101, v32)
    return b.select(size == 8, value, v32 | (v32 << 32))


@kernel(void, (ptr(u8), u32, u32, u64, u32))
def fill_stamp_tile(b: Any, place: Any, stride: Any, size: Any, value: Any, samples: Any) -> None:
    """Fill a 64x64 tile in stamp order: 16 rows of 16 stamps of `samples` times 16 values."""
    v = b.splat(zs_pattern(b, value, size), 8)
    with b.For(b.const(u32, 0), 16) as y:
        row = b.bytes_from(place, b.cast(y * 4, u64) * b.cast(stride, u64), u8)
        with b.For(b.const(u32, 0), size * samples * 256, 64) as x:
            b.bytes_from(row, x, u64).store(v, align=64)
