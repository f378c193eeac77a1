# SPDX-License-Identifier: MIT
"""Reads of a uniform block: the one rule of bounds for all stages (nir's load_ubo).

An offset counts in bytes from the block's own start and is cut down to a multiple of four; dwords
that lie outside of what is there, which the caller names, are 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.gallivm.soa_env import LANES
from pydri.jit.types import Vec, f32, i32, u32

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value


def load_dwords(
    b: Builder,
    base: Pointer,
    low: int,
    high: int | Value,
    offset: int | Value,
    count: int,
    lanes: int = LANES,
) -> list[Value]:
    """`count` dwords of a block whose bytes [low, high) are known; byte `low`, a multiple of four,
    lies at `base`, and a part of a dword at the end counts for nothing. A number as offset is
    checked only where `high` is a number, too."""
    if isinstance(offset, int):
        return [_fixed(b, base, low, high, (offset & ~3) + 4 * n) for n in range(count)]
    if isinstance(high, int) and high <= low:
        return [b.const(f32, 0.0)] * count
    at = b.bitcast(offset, u32) & ~3
    wide = isinstance(at.ty, Vec)
    end = high & ~3
    if wide and not isinstance(end, int):
        end = b.splat(end, lanes)
    out = []
    for n in range(count):
        word = at + 4 * n
        inside = (word >= low) & (word < end) if low else word < end
        if n:
            inside = inside & (word >= at)  # it may have wrapped around
        place = word - low if low else word
        if wide:
            # masked-off lanes give 0 and read nothing
            out.append(b.gather(base, b.bitcast(place, i32), inside, f32, scale=1))
            continue
        nothing = b.table(f32, [0.0])
        where = b.select(inside, b.bytes_from(base, place, f32), nothing)
        out.append(where.load(f32))
    return out


def _fixed(b: Builder, base: Pointer, low: int, high: int | Value, at: int) -> Value:
    if at < low or (isinstance(high, int) and at + 4 > high):
        return b.const(f32, 0.0)
    return b.bytes_from(base, at - low, f32).load(f32, invariant=True)
