# SPDX-License-Identifier: MIT
"""Native glPolygonStipple: the pattern of stippled polygons (GL 2.1, 3.5.2).

In: 32 x 32 bits of client memory under pixel store state. Out: `raw.polygon_stipple`, a word a row
from the bottom up, whose highest bit is the leftmost pixel. A pattern in a buffer object goes on in
Python (stipple_entries.py). Mesa: main/polygon.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.api.gl_table import TABLE
from pydri.jit import fn, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import (
    CTX,
    flush_vertices,
    is_null,
    mark,
    native_as,
    python_form,
)
from pydri.main.layout import DIRTY_VIEWPORT

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer
    from pydri.main.layout import GLContext

SIDE = 32


def _turned(byte: int) -> int:
    return int(f"{byte:08b}"[::-1], 2)


@kernel(void, (CTX, ptr(u8)), noinline=True)
def set_stipple(b: Builder, ctx: GLContext, mask: Pointer) -> None:
    """The pattern in client memory, which is not null."""
    alignment, row_length, skip_rows, skip_pixels = (ctx.raw.unpack[n] for n in range(4))
    length = b.select(row_length != 0, row_length, SIDE)
    stride = ((length + 7) >> 3) + alignment - 1
    stride = b.cast(stride // alignment * alignment, u64)
    at = b.var(u64, b.cast(skip_rows, u64) * stride + b.cast(skip_pixels >> 3, u64))
    bit = b.cast(skip_pixels & 7, u64)
    count = b.select(bit != 0, b.const(u32, SIDE // 8 + 1), SIDE // 8)
    lowest_first = ctx.raw.unpack[7] != 0
    turned = b.table(u8, [_turned(n) for n in range(256)])
    rows = b.array(u32, SIDE)
    differs = b.var(u32, 0)
    with b.For(b.const(u32, 0), SIDE, 1) as y:
        bits = b.var(u64, 0)
        with b.For(b.const(u32, 0), count, 1) as n:
            byte = b.bytes_from(mask, at.value, u8)[n]
            bits.value = bits.value << 8 | b.cast(b.select(lowest_first, turned[byte], byte), u64)
        unused = b.cast(count, u64) * 8 - bit - SIDE
        rows[y] = b.cast(bits.value >> unused, u32)
        differs.value = differs.value | (rows[y] ^ ctx.raw.polygon_stipple[y])
        at.value = at.value + stride
    with b.If(differs.value != 0):
        flush_vertices(b, ctx)
        b.memcpy(ctx.raw.polygon_stipple, rows, 4 * SIDE)
        mark(b, ctx, DIRTY_VIEWPORT)


def _stipple(b: Builder, ctx: GLContext, mask: Pointer) -> None:
    with b.If(~is_null(ctx.pixel.unpack_buffer), likely=False):
        slot = TABLE.slots["glPolygonStipple"]
        python_form(b, ctx, slot, fn(void, CTX, ptr(u8)), mask.cast(ptr(u8)))
    with b.Elif(lambda: ~is_null(mask)):
        b.call(set_stipple, ctx, mask.cast(ptr(u8)))


native_as("glPolygonStipple", _stipple)
