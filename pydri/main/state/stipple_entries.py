# SPDX-License-Identifier: MIT
"""The pattern of stippled polygons: glPolygonStipple, glGetPolygonStipple (GL 2.1, 3.5.2).

In: 32 x 32 bits of client memory under pixel store state. Out: `raw.polygon_stipple`,
a word a row from the bottom up, whose highest bit is the leftmost pixel. Mesa: main/polygon.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import entry
from pydri.main.layout import DIRTY_VIEWPORT
from pydri.main.pixels.memory import pixel_memory
from pydri.main.pointers import check_room

if TYPE_CHECKING:
    from pydri.main.context import GLContext

SIDE = 32


def _place(store: Sequence[int]) -> tuple[int, int, int]:
    """Bytes from row to row, bytes to the first row's first pixel, and bits within that byte."""
    alignment, row_length, skip_rows, skip_pixels = store[:4]
    stride = ((row_length or SIDE) + 7) // 8
    stride = (stride + alignment - 1) // alignment * alignment
    byte, bit = divmod(skip_pixels, 8)
    return stride, skip_rows * stride + byte, bit


def _turned(data: bytes, store: Sequence[int]) -> int:
    """Bytes of a row as one number whose highest bit is the first pixel, or that number's bytes."""
    if store[7]:  # the lowest bit of a byte is its first pixel
        data = bytes(int(f"{v:08b}"[::-1], 2) for v in data)
    return int.from_bytes(data, "big")


@entry
def glPolygonStipple(ctx: GLContext, mask: Any) -> None:
    """Set the pattern."""
    store = list(ctx.n.raw.unpack)
    stride, start, bit = _place(store)
    size = (bit + SIDE + 7) // 8
    end = start + (SIDE - 1) * stride + size
    address = pixel_memory(ctx.n, "unpack_buffer", mask, end)
    if not address:
        return
    for y in range(SIDE):
        row = _turned(ctypes.string_at(address + start + y * stride, size), store)
        ctx.n.raw.polygon_stipple[y] = row >> (8 * size - bit - SIDE) & 0xFFFFFFFF
    ctx.n.dirty |= DIRTY_VIEWPORT


def _get(ctx: GLContext, mask: Any, room: int | None = None) -> None:
    """Read the pattern; bits beside it keep what they were."""
    store = list(ctx.n.raw.pack)
    stride, start, bit = _place(store)
    size = (bit + SIDE + 7) // 8
    end = start + (SIDE - 1) * stride + size
    if room is not None and not ctx.n.pixel.pack_buffer:
        check_room(end, room)
    address = pixel_memory(ctx.n, "pack_buffer", mask, end)
    if not address:
        return
    shift = 8 * size - bit - SIDE
    for y in range(SIDE):
        at = address + start + y * stride
        row = _turned(ctypes.string_at(at, size), store) & ~(0xFFFFFFFF << shift)
        row |= ctx.n.raw.polygon_stipple[y] << shift
        data = _turned(row.to_bytes(size, "big"), store).to_bytes(size, "big")
        ctypes.memmove(at, data, size)


@entry
def glGetPolygonStipple(ctx: GLContext, mask: Any) -> None:
    _get(ctx, mask)


@entry
def glGetnPolygonStipple(ctx: GLContext, bufSize: int, pattern: Any) -> None:
    _get(ctx, pattern, bufSize)


@entry
def glGetnPolygonStippleARB(ctx: GLContext, bufSize: int, pattern: Any) -> None:
    _get(ctx, pattern, bufSize)
