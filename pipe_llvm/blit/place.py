# SPDX-License-Identifier: MIT
"""Which texel each column, and each row, of a blit's dst gets: exactly, in whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import boolean, f32, i32, i64, kernel, ptr, u32, u64, void

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

FAR = 1 << 30  # pixels: coordinates beyond are cut off, so that products fit
PAD = 16  # entries behind a table that kernels may read


@kernel(
    u64, (ptr(u32), ptr(u32), ptr(f32), i32, u32, i32, i32, i32, i32, u32, boolean), noinline=True
)
def lay_out(
    b: Builder, near: Pointer, far: Pointer, weights: Pointer, first: Value, count: Value,
    d0: Value, d1: Value, s0: Value, s1: Value, size: Value, linear: Value,
) -> None:  # fmt: skip
    """The texels of pixels `first` ... of dst, for a blit of [s0, s1) of `size` texels to [d0, d1),
    and PAD entries more; if `linear` those left of (`near`) and right of the pixel's place, and the
    latter's weight, else `near` alone. Returns the entries whose place lies within src: the first,
    and shifted by 32 the end.
    """
    d0, d1, s0, s1 = (b.cast(b.max(b.min(v, FAR), -FAR), i64) for v in (d0, d1, s0, s1))
    back = d1 < d0
    begin, span = b.select(back, d1, d0), b.select(back, d0 - d1, d1 - d0)
    origin, step = b.select(back, s1, s0), b.select(back, s0 - s1, s1 - s0)
    start, end = b.var(u32, count), b.var(u32, 0)
    last = b.cast(size, i64) - 1
    with b.For(b.const(u32, 0), count + PAD) as i:
        odd = (b.cast(first, i64) + b.cast(i, i64) - begin) * 2 + 1
        double, product = span * 2, odd * step
        whole, rest = b.var(i64, product // double), b.var(i64, product % double)
        with b.If(rest.value < 0):
            whole.value, rest.value = whole.value - 1, rest.value + double
        place = origin + whole.value
        with b.If((place >= 0) & (place <= last) & (i < count)):
            start.value, end.value = b.min(start.value, i), i + 1
        with b.If(linear):
            fixed = place * 256 + rest.value * 256 // double - 128
            left = fixed >> 8
            near[i] = b.cast(b.max(b.min(left, last), 0), u32)
            far[i] = b.cast(b.max(b.min(left + 1, last), 0), u32)
            weights[i] = b.cast(b.cast(fixed & 255, i32), f32) * (1.0 / 256)
        with b.Else():
            near[i] = b.cast(b.max(b.min(place, last), 0), u32)
    b.Return(b.cast(start.value, u64) | (b.cast(end.value, u64) << 32))


@kernel(void, (ptr(u32), u32, u32, u32), noinline=True)
def to_bytes(b: Builder, table: Pointer, count: Value, size: Value, samples: Value) -> None:
    """Numbers of texels of a row as bytes from its beginning; `samples`: 0 in rows, else that of
    stamps."""
    with b.For(b.const(u32, 0), count) as i:
        x = table[i]
        stamps = (x >> 2) * (16 * size * samples) + (x & 3) * size
        table[i] = b.select(samples == 0, x * size, stamps)
