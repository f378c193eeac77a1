# SPDX-License-Identifier: MIT
"""Tiles out of surfaces and back: loads, clears, stores (../play.py, `load` and `store`)."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pipe_vc4.simulator.kernels import tiling
from pipe_vc4.simulator.kernels.errors import DONE, error_code
from pipe_vc4.simulator.kernels.lanes import U, one_allowed
from pipe_vc4.simulator.kernels.layout import LANES, PIXELS, TILE, Vc4Job, Vc4Surface
from pipe_vc4.simulator.tiling import RASTER
from pydri.jit.kernel import kernel
from pydri.jit.types import i32, i64, ptr, u16, u32, u64, void

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value

    #: what is done at an address of memory and a pixel's number in the tile
    Step = Callable[[Value, Value], None]

#: rows of a block of 4x4 pixels: where each lies in the tile's order, quad by quad; a quad to the
#: right is 4 pixels on, a row of quads 2 * TILE
_LOW, _HIGH = (0, 1, 4, 5), (2, 3, 6, 7)
_BLOCK = u32.vec(8)


def _blocks(b: Builder, job: Vc4Job, surface: Vc4Surface, corner: tuple[Value, Value], error: str,
            whole: Step, single: Step) -> None:
    """Goes through a tile's blocks of 4x4 pixels: `whole(address, first pixel's number)` where the
    block is a microtile that lies in the picture, else `single` for each of its pixels there."""
    size = tiling.micro(b, b.cast(surface.cpp, i32))
    width, height = b.cast(job.width, i32), b.cast(job.height, i32)
    tiled = b.cast(surface.tiling, i32)
    plain = (surface.cpp == 4) & (tiled != RASTER)
    with b.For(b.const(i32, 0), b.const(i32, TILE // 4)) as row, \
            b.For(b.const(i32, 0), b.const(i32, TILE // 4)) as column:
        x, y = corner[0] + column * 4, corner[1] + row * 4
        first = b.cast(row * (4 * TILE) + column * 8, u64)
        with b.If(plain & (x + 4 <= width) & (y + 4 <= height)):
            at = surface.address + b.cast(tiling.offsets(b, x, y, width, size, tiled), i64)
            good = one_allowed(b, job.memory, at) & one_allowed(b, job.memory, at + 63)
            with b.If(~good, likely=False):
                b.Return(error_code(error))
            whole(at, first)
        with b.Else():
            with b.For(b.const(i32, 0), b.const(i32, LANES)) as n:
                right = x + (n & 1) + ((n >> 1) & 2)
                above = y + ((n >> 1) & 1) + ((n >> 3) << 1)
                with b.If((right < width) & (above < height)):
                    away = tiling.offsets(b, right, above, width, size, tiled)
                    at = surface.address + b.cast(away, i64)
                    with b.If(~one_allowed(b, job.memory, at), likely=False):
                        b.Return(error_code(error))
                    pixel = (n & 7) + (n >> 3) * (2 * TILE)
                    single(at, first + b.cast(pixel, u64))


def _rows(b: Builder, halves: list[Value]) -> Value:
    """Two rows of quads as four rows of pixels."""
    rows = [n + 8 * half for half in (0, 1) for part in (_LOW, _HIGH) for n in part]
    return b.shuffle(halves[0], halves[1], rows)


def _quads(b: Builder, block: Value) -> list[Value]:
    """Four rows of pixels as two rows of quads."""
    return [b.shuffle(block, None, [8 * half + n for n in (0, 1, 4, 5, 2, 3, 6, 7)])
            for half in (0, 1)]


def _from_565(b: Builder, word: Value) -> Value:
    red, blue, green = word >> 11, word & 31, word >> 5 & 63
    red, blue = ((part << 3) | (part >> 2) for part in (red, blue))
    green = (green << 2) | (green >> 4)
    return red | (green << 8) | (blue << 16) | 0xFF000000


def _to_565(word: Value) -> Value:
    red, green, blue = (word >> shift & 255 for shift in (0, 8, 16))
    return ((red >> 3) << 11) | ((green >> 2) << 5) | (blue >> 3)


@kernel(ret=u32, args=(ptr(Vc4Job), i32, i32), noinline=True)
def load_color(b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
    """The colours of the tile at pixel (x, y)."""
    surface, color, memory = job.color_read, job.tile.color, job.memory.bytes

    def whole(at: Value, first: Value) -> None:
        block = b.bytes_from(memory, at, u32).load(U)
        for n, half in enumerate(_quads(b, block)):
            (color + first + 2 * TILE * n).store(half)

    def single(at: Value, pixel: Value) -> None:
        with b.If(surface.cpp == 2):
            color[pixel] = _from_565(b, b.cast(b.bytes_from(memory, at, u16).load(align=1), u32))
        with b.Else():
            color[pixel] = b.bytes_from(memory, at, u32).load(align=1)

    _blocks(b, job, surface, (x, y), "a tile is loaded outside of every buffer", whole, single)
    b.Return(DONE)


@kernel(ret=u32, args=(ptr(Vc4Job), i32, i32), noinline=True)
def load_zs(b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
    """The depths and stencils of the tile at pixel (x, y)."""
    tile, memory = job.tile, job.memory.bytes

    def whole(at: Value, first: Value) -> None:
        block = b.bytes_from(memory, at, u32).load(U)
        for n, half in enumerate(_quads(b, block)):
            (tile.depth + first + 2 * TILE * n).store(half >> 8)
            (tile.stencil + first + 2 * TILE * n).store(half & 255)

    def single(at: Value, pixel: Value) -> None:
        word = b.bytes_from(memory, at, u32).load(align=1)
        tile.depth[pixel], tile.stencil[pixel] = word >> 8, word & 255

    _blocks(b, job, job.zs_read, (x, y), "a tile is loaded outside of every buffer", whole, single)
    b.Return(DONE)


@kernel(ret=u32, args=(ptr(Vc4Job), i32, i32), noinline=True)
def store_color(b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
    """The colours of the tile at pixel (x, y) to memory."""
    surface, color, memory = job.color_write, job.tile.color, job.memory.bytes

    def whole(at: Value, first: Value) -> None:
        halves = [(color + first + 2 * TILE * n).load(_BLOCK) for n in (0, 1)]
        b.bytes_from(memory, at, u32).store(_rows(b, halves))

    def single(at: Value, pixel: Value) -> None:
        word = color[pixel]
        with b.If(surface.cpp == 2):
            b.bytes_from(memory, at, u16).store(b.cast(_to_565(word), u16), align=1)
        with b.Else():
            b.bytes_from(memory, at, u32).store(word, align=1)

    _blocks(b, job, surface, (x, y), "a tile is stored outside of every buffer", whole, single)
    b.Return(DONE)


@kernel(ret=u32, args=(ptr(Vc4Job), i32, i32), noinline=True)
def store_zs(b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
    """The depths and stencils of the tile at pixel (x, y) to memory."""
    tile, memory = job.tile, job.memory.bytes

    def whole(at: Value, first: Value) -> None:
        halves = []
        for n in (0, 1):
            depth = (tile.depth + first + 2 * TILE * n).load(_BLOCK)
            stencil = (tile.stencil + first + 2 * TILE * n).load(_BLOCK)
            halves.append((depth << 8) | stencil)
        b.bytes_from(memory, at, u32).store(_rows(b, halves))

    def single(at: Value, pixel: Value) -> None:
        word = (tile.depth[pixel] << 8) | tile.stencil[pixel]
        b.bytes_from(memory, at, u32).store(word, align=1)

    _blocks(b, job, job.zs_write, (x, y), "a tile is stored outside of every buffer", whole, single)
    b.Return(DONE)


@kernel(ret=void, args=(ptr(Vc4Job),), noinline=True)
def clear(b: Builder, job: Vc4Job) -> None:
    """A tile of the clear values."""
    tile = job.tile
    for place, value in ((tile.color, job.clear_color), (tile.depth, job.clear_z),
                         (tile.stencil, job.clear_s)):
        lanes = b.splat(value, LANES)
        with b.For(b.const(u32, 0), b.const(u32, PIXELS), LANES) as n:
            (place + b.cast(n, u64)).store(lanes)


__all__ = ["clear", "load_color", "load_zs", "store_color", "store_zs"]
