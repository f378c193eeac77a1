# SPDX-License-Identifier: MIT
"""Reads of a uniform block: the one rule of bounds for all stages (nir's load_ubo).

An offset counts in bytes from the block's own start and is cut down to a multiple of four; dwords
that lie outside of what is there, which the caller names, are 0.

Vectors whose places differ by lane (elements of an array) are loaded lane by lane, 16 bytes at a
time, and turned over, which takes a third of the time of gathers, if those bytes are there for all
lanes; else dwords are gathered. One function in a module does it (`block_vectors`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.gallivm.soa_env import LANES
from pipe_llvm.sample.vectors import transpose, u32x16
from pydri.jit import kernel
from pydri.jit.types import Vec, f32, i32, ptr, u8, u32, u64, void
from pydri.jit.x86 import join

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
    if wide and count > 1:
        return _vectors(b, base, low, end, at, count, lanes)
    if wide and not isinstance(end, int):
        end = b.splat(end, lanes)
    out = []
    for n in range(count):
        place, inside = _dword(at, low, end, n)
        if wide:
            out.append(_gathered(b, base, place, inside))
            continue
        nothing = b.table(f32, [0.0])
        where = b.select(inside, b.bytes_from(base, place, f32), nothing)
        out.append(where.load(f32))
    return out


def _dword(
    at: Value, low: int | Value, end: int | Value, n: int
) -> tuple[Value, Value]:
    """Where dword n behind a place lies behind byte `low`, and whether it is there."""
    word = at + 4 * n
    known = isinstance(low, int) and not low
    inside = word < end if known else (word >= low) & (word < end)
    if n:
        inside = inside & (word >= at)  # it may have wrapped around
    return (word if known else word - low), inside


def _gathered(b: Builder, base: Pointer, place: Value, inside: Value) -> Value:
    # masked-off lanes give 0 and read nothing
    return b.gather(base, b.bitcast(place, i32), inside, f32, scale=1)


def _vectors(
    b: Builder, base: Pointer, low: int, end: int | Value, at: Value, count: int, lanes: int
) -> list[Value]:
    """`count` dwords, 2 to 4, for each of some lanes."""
    found = b.array(f32, 64, align=64)
    parts: list[list[Value]] = [[] for _ in range(count)]
    for first in range(0, lanes, LANES):
        some = at if lanes == LANES else b.shuffle(at, None, list(range(first, first + LANES)))
        b.call(block_vectors, base.cast(ptr(u8)), low, end, some, found)
        for n, part in enumerate(parts):
            part.append((found + LANES * n).load(f32.vec(LANES), align=64))
    return [join(b, part) for part in parts]


@kernel(void, (ptr(u8), u32, u32, u32x16, ptr(f32)), noinline=True)
def block_vectors(
    b: Builder, base: Pointer, low: Value, end: Value, at: Value, out: Pointer
) -> None:
    """The four dwords behind each of 16 places in a block whose bytes [low, end) lie at `base`."""
    whole = (at >= b.splat(low, LANES)) & (at <= b.splat(end - 16, LANES))
    with b.If((end >= 16) & b.all(whole), likely=True):
        places = b.array(u32, LANES, align=64)
        places.store(at - b.splat(low, LANES), align=64)
        each = []
        for n in range(LANES):
            four = b.bytes_from(base, b.cast((places + n).load(u32), u64), f32)
            each.append(four.load(f32.vec(4), align=4))
        rows = [join(b, [each[4 * part + j] for part in range(4)]) for j in range(4)]
        for n, value in enumerate(transpose(b, rows)):
            (out + LANES * n).store(value, align=64)
    with b.Else():
        for n in range(4):
            place, inside = _dword(at, b.splat(low, LANES), b.splat(end, LANES), n)
            (out + LANES * n).store(_gathered(b, base, place, inside), align=64)


def _fixed(b: Builder, base: Pointer, low: int, high: int | Value, at: int) -> Value:
    if at < low or (isinstance(high, int) and at + 4 > high):
        return b.const(f32, 0.0)
    return b.bytes_from(base, at - low, f32).load(f32, invariant=True)
