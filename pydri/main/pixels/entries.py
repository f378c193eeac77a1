# SPDX-License-Identifier: MIT
"""glPixelMap and glGet(n)PixelMap (GL 2.1, 3.6.3, 6.1.3).

In: tables, in the program's memory or in pixel buffer objects. Out: the maps' sizes in `raw`, and
the maps in the native PixelBlock, where the pixel paths' kernels look values up. Programs set these
a few times, so none of it is a kernel. Maps that are indexed by a colour index or a stencil value
have a power of two as size. Mesa: main/pixel.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.layout import GLContext as Native
from pydri.main.pixels.layout import MAX_PIXEL_MAP
from pydri.main.pixels.memory import pixel_memory
from pydri.main.pointers import F32, U16, U32, check_room, fetch, store

if TYPE_CHECKING:
    from pydri.main.context import GLContext

MAX_MAP = MAX_PIXEL_MAP
FIRST_MAP, LAST_MAP = gl.GL_PIXEL_MAP_I_TO_I, gl.GL_PIXEL_MAP_A_TO_A
LAST_INDEXED = gl.GL_PIXEL_MAP_I_TO_A
#: maps whose values are indices; the others hold colour components
INDEX_VALUED = (gl.GL_PIXEL_MAP_I_TO_I, gl.GL_PIXEL_MAP_S_TO_S)


# -- maps ---------------------------------------------------------------------------------------


def _table(ctx: GLContext, which: int) -> Any:
    """A map's values in native memory, all MAX_PIXEL_MAP of them."""
    first = (which - FIRST_MAP) * MAX_MAP * ctypes.sizeof(F32)
    return (F32 * MAX_MAP).from_address(ctx.address + Native.offset("pixel.maps") + first)


def pixel_map(ctx: GLContext, which: int) -> list[float]:
    """The values of a map; one zero until it is set."""
    return list(_table(ctx, which)[: ctx.n.raw.pixel_map_size[which - FIRST_MAP]])


def _memory(ctx: GLContext, target: str, pointer: Any, size: int, kind: Any) -> int:
    element = ctypes.sizeof(kind)
    return pixel_memory(ctx.n, target, pointer, size * element, element)


def _check_map(which: int) -> None:
    if not FIRST_MAP <= which <= LAST_MAP:
        raise GLError(gl.GL_INVALID_ENUM, f"map={gl.name_of(which)}")


def _set_map(ctx: GLContext, which: int, size: int, values: Any, kind: Any, top: float) -> None:
    """`top`: what stands for 1 in a component map."""
    _check_map(which)
    if not 1 <= size <= MAX_MAP or (which <= LAST_INDEXED and size & (size - 1)):
        raise GLError(gl.GL_INVALID_VALUE, f"mapsize={size}")
    address = _memory(ctx, "unpack_buffer", values, size, kind)
    if not address:
        return
    given = fetch(address, kind, size)
    if which in INDEX_VALUED:
        table = [float(v) for v in given]
    else:
        table = [min(max(v / top, 0.0), 1.0) for v in given]
    _table(ctx, which)[:size] = table
    ctx.n.raw.pixel_map_size[which - FIRST_MAP] = size


@entry
def glPixelMapfv(ctx: GLContext, map: int, mapsize: int, values: Any) -> None:
    _set_map(ctx, map, mapsize, values, F32, 1.0)


@entry
def glPixelMapuiv(ctx: GLContext, map: int, mapsize: int, values: Any) -> None:
    _set_map(ctx, map, mapsize, values, U32, 2.0**32 - 1.0)


@entry
def glPixelMapusv(ctx: GLContext, map: int, mapsize: int, values: Any) -> None:
    _set_map(ctx, map, mapsize, values, U16, 65535.0)


def _whole(ctx: GLContext, which: int, top: int) -> list[int]:
    scale = 1.0 if which in INDEX_VALUED else float(top)
    return [min(max(int(v * scale + 0.5), 0), top) for v in pixel_map(ctx, which)]


def _give(
    ctx: GLContext, values: Any, kind: Any, table: list[Any], room: int | None = None
) -> None:
    if room is not None and not ctx.n.pixel.pack_buffer:  # a buffer object knows its own size
        check_room(len(table) * ctypes.sizeof(kind), room)
    store(_memory(ctx, "pack_buffer", values, len(table), kind), kind, table)


def _get_floats(ctx: GLContext, map: int, values: Any, room: int | None = None) -> None:
    _check_map(map)
    _give(ctx, values, F32, pixel_map(ctx, map), room)


def _get_words(ctx: GLContext, map: int, values: Any, room: int | None = None) -> None:
    _check_map(map)
    _give(ctx, values, U32, _whole(ctx, map, 2**32 - 1), room)


def _get_shorts(ctx: GLContext, map: int, values: Any, room: int | None = None) -> None:
    _check_map(map)
    _give(ctx, values, U16, _whole(ctx, map, 65535), room)


@entry
def glGetPixelMapfv(ctx: GLContext, map: int, values: Any) -> None:
    _get_floats(ctx, map, values)


@entry
def glGetPixelMapuiv(ctx: GLContext, map: int, values: Any) -> None:
    _get_words(ctx, map, values)


@entry
def glGetPixelMapusv(ctx: GLContext, map: int, values: Any) -> None:
    _get_shorts(ctx, map, values)


@entry
def glGetnPixelMapfv(ctx: GLContext, map: int, bufSize: int, values: Any) -> None:
    _get_floats(ctx, map, values, bufSize)


@entry
def glGetnPixelMapuiv(ctx: GLContext, map: int, bufSize: int, values: Any) -> None:
    _get_words(ctx, map, values, bufSize)


@entry
def glGetnPixelMapusv(ctx: GLContext, map: int, bufSize: int, values: Any) -> None:
    _get_shorts(ctx, map, values, bufSize)


@entry
def glGetnPixelMapfvARB(ctx: GLContext, map: int, bufSize: int, values: Any) -> None:
    _get_floats(ctx, map, values, bufSize)


@entry
def glGetnPixelMapuivARB(ctx: GLContext, map: int, bufSize: int, values: Any) -> None:
    _get_words(ctx, map, values, bufSize)


@entry
def glGetnPixelMapusvARB(ctx: GLContext, map: int, bufSize: int, values: Any) -> None:
    _get_shorts(ctx, map, values, bufSize)


__all__ = ["pixel_map"]
