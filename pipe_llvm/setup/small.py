# SPDX-License-Identifier: MIT
"""Which pixels small triangles cover, sixteen triangles at a time: a lane each, one pixel after the
other.

A triangle of two by two stamps has as much to do before its first pixel as for all of them, if it
is walked by itself (fragment/stamps.py). Here sixteen share that, nothing branches, and 16 bits are
enough for an edge function, whose every value is that of some pixel of the four stamps. The packet
of such a triangle holds entries of LpStamps in place of its edges; those that cover no pixel, which
of the smallest are many, are never binned. llvmpipe walks each triangle in its tile
(lp_rast_tri.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.packet import (
    BBOX,
    EDGE_A,
    EDGE_B,
    EDGE_C,
    STAMP_ENTRIES,
    PacketHeader,
    field_pointer,
)
from pipe_llvm.native import TILE_SHIFT
from pydri.jit import i16, i32, i64, kernel, ptr, u16, u32

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.jit.types import Vec

SIDE = 2  # stamps, in each direction
#: pixels of the box's sides less one, together: an edge changes by less than 256 times the other
#: extent from a pixel to the next, both extents are less than a pixel longer than that, so its
#: values eight pixels away still fit 16 bits
MOST = 12
FEWEST = 4  # triangles from which on this is less work
i16x16, i32x16, i64x16, u32x16 = i16.vec(16), i32.vec(16), i64.vec(16), u32.vec(16)


def _outside(b: Builder, steps: list[tuple[Value, Value, Value]]) -> list[Value]:
    """By stamp the pixels that lie outside of some edge, as 16 bits (u16x16). An edge: what it
    gains to the right and downwards, its value at the first pixel."""
    found: list[Value | None] = [None] * (SIDE * SIDE)
    sign = b.const(u16.vec(16), 0x8000)
    rows = [first for _, _, first in steps]
    for y in range(4 * SIDE):
        at = rows
        for x in range(4 * SIDE):
            n = y // 4 * SIDE + x // 4
            here = b.bitcast(at[0] | at[1] | at[2], u16) & sign
            before = found[n]
            found[n] = here if before is None else (before >> 1) | here
            at = [e + a for e, (a, _, _) in zip(at, steps, strict=True)]
        rows = [e + s for e, (_, s, _) in zip(rows, steps, strict=True)]
    return [value for value in found if value is not None]


@kernel(u32, (ptr(PacketHeader), u32), noinline=True, name="lp_small_triangles")
def small_triangles(b: Builder, packet: Pointer, lanes: Value) -> None:
    """Of the triangles `lanes` of a packet, whose boxes no scissor has made smaller than they are,
    the small ones get entries instead of edges. Returns their lanes, and from bit 16 on those of
    them that cover a pixel.
    """

    def load(number: int, ty: Vec = i32x16) -> Value:
        return field_pointer(b, packet, number, ty.elem).load(ty, align=64)

    minx, miny, maxx, maxy = (load(BBOX + k) for k in range(4))
    left, top = minx >> 2, miny >> 2
    fits = ((maxx >> 2) - left < SIDE) & ((maxy >> 2) - top < SIDE)
    fits = fits & (maxx - minx + maxy - miny <= MOST)
    fits = fits & (((minx ^ maxx) | (miny ^ maxy)) < 1 << TILE_SHIFT)
    chosen = fits & b.mask_of(b.cast(lanes, u16))
    small = b.cast(b.bits_of(chosen), u32)
    with b.If(b.popcount(small) < FEWEST):
        b.Return(0)
    steps = []
    for k in range(3):
        a, s = load(EDGE_A + k), load(EDGE_B + k)
        # of the sum, which fits 16 bits, no more than these are asked for
        first = b.cast(load(EDGE_C + 2 * k, i64x16), i32) + a * (left << 2) + s * (top << 2)
        steps.append((b.cast(a, i16), b.cast(s, i16), b.cast(first, i16)))
    place = (left & 15) | ((top & 15) << 4)
    covered = b.const(u32x16, 0)
    for n, (field, outside) in enumerate(zip(STAMP_ENTRIES, _outside(b, steps), strict=True)):
        inside = b.cast(~outside, u32)
        covered = covered | inside
        stamp = place + (n % SIDE + n // SIDE * 16)
        entry = (b.bitcast(stamp, u32) << 16) | inside
        where = field_pointer(b, packet, field, u32)
        kept = where.load(u32x16, align=64)
        where.store(b.select(chosen, entry, kept), align=64)
    b.Return(small | (b.cast(b.bits_of(covered != 0), u32) << 16))
