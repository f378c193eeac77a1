# SPDX-License-Identifier: MIT
"""Tiles out of surfaces and back: loads, clears, stores (../player.py, `load` and `store`)."""
from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from pipe_vc4.simulator.kernels import tiling
from pipe_vc4.simulator.kernels.errors import DONE, error_code
from pipe_vc4.simulator.kernels.lanes import U, one_allowed
from pipe_vc4.simulator.kernels.layout import LANES, PIXELS, SIDES, Vc4Job, Vc4Surface
from pipe_vc4.simulator.samples import TILE_BYTES
from pipe_vc4.simulator.tiling import RASTER
from pydri.jit.kernel import Kernel
from pydri.jit.types import i32, i64, ptr, u16, u32, u64, void

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Pointer, Value

    #: what is done at an address of memory and a pixel's number in the tile
    Step = Callable[[Value, Value], None]

#: rows of a block of 4x4 pixels: where each lies in the tile's order, quad by quad; a quad to the
#: right is 4 pixels on, a row of quads two sides of the tile
_LOW, _HIGH = (0, 1, 4, 5), (2, 3, 6, 7)
_BLOCK, _QUAD = u32.vec(8), u32.vec(4)
_LOAD, _STORE = (f"a tile is {done} outside of every buffer" for done in ("loaded", "stored"))


def _blocks(b: Builder, job: Vc4Job, surface: Vc4Surface, corner: tuple[Value, Value, int],
            error: str, whole: Step, single: Step) -> None:
    """Goes through a tile's blocks of 4x4 pixels: `whole(address, first pixel's number)` where the
    block is a microtile that lies in the picture, else `single` for each of its pixels there.
    `corner`: the tile's first pixel, and its side."""
    side = corner[2]
    size = tiling.micro(b, b.cast(surface.cpp, i32))
    width, height = b.cast(job.width, i32), b.cast(job.height, i32)
    tiled = b.cast(surface.tiling, i32)
    plain = (surface.cpp == 4) & (tiled != RASTER)
    with b.For(b.const(i32, 0), b.const(i32, side // 4)) as row, \
            b.For(b.const(i32, 0), b.const(i32, side // 4)) as column:
        x, y = corner[0] + column * 4, corner[1] + row * 4
        first = b.cast(row * (4 * side) + column * 8, u64)
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
                    pixel = (n & 7) + (n >> 3) * (2 * side)
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


def _means(words: list[Value]) -> Value:
    """The means of four words, byte by byte, halves upwards."""
    halves = []
    for shift in (0, 8):
        total = functools.reduce(operator.add, [word >> shift & 0x00FF00FF for word in words])
        halves.append(((total + 0x00020002) >> 2 & 0x00FF00FF) << shift)
    found: Value = halves[0] | halves[1]
    return found


class Surfaces:
    """The kernels for tiles of some samples a pixel. Surfaces of one sample give it to all, and get
    the first one, or the mean; others have tiles as they are: quads with sample after sample."""

    def __init__(self, samples: int) -> None:
        self.samples, self.side = samples, SIDES[samples]
        #: words of a sample's array
        self.plane = PIXELS // samples
        self.clear = Kernel(self._clear, self._name("clear"), void, (ptr(Vc4Job),), noinline=True)
        self.load_color = self._kernel("load_color", self._load_color)
        self.load_zs = self._kernel("load_zs", self._load_zs)
        self.store_color = self._kernel("store_color", self._store_color)
        self.store_zs = self._kernel("store_zs", self._store_zs)
        self.store_colors = self._kernel("store_colors", self._store_colors)
        self.store_depths = self._kernel("store_depths", self._store_depths)

    def _name(self, name: str) -> str:
        return name if self.samples == 1 else f"{name}_{self.samples}x"

    def _kernel(self, name: str, trace: Callable[..., None]) -> Kernel:
        return Kernel(trace, self._name(name), u32, (ptr(Vc4Job), i32, i32), noinline=True)

    def stores(self, job: Vc4Job) -> list[tuple[Vc4Surface, Kernel]]:
        """What a tile is stored to, in turn, and how."""
        of_samples = [(job.msaa_color_write, self.store_colors),
                      (job.msaa_zs_write, self.store_depths)]
        return [*(of_samples if self.samples > 1 else []), (job.zs_write, self.store_zs),
                (job.color_write, self.store_color)]

    # ---- surfaces of all samples
    def _every(self, b: Builder, job: Vc4Job, surface: Vc4Surface, corner: tuple[Value, Value],
               error: str, quad: Step) -> None:
        """Goes through a tile's quads: `quad(address, first pixel's number)`, of a sample."""
        tiles = (b.cast(job.width, i32) + (self.side - 1)) // self.side
        number = corner[1] // self.side * tiles + corner[0] // self.side
        begin = surface.address + b.cast(number, i64) * TILE_BYTES
        with b.For(b.const(u32, 0), b.const(u32, self.plane // 4)) as n:
            at = begin + b.cast(n, i64) * (16 * self.samples)
            good = one_allowed(b, job.memory, at) & one_allowed(
                b, job.memory, at + (16 * self.samples - 1))
            with b.If(~good, likely=False):
                b.Return(error_code(error))
            for sample in range(self.samples):
                quad(at + 16 * sample, b.cast(n * 4, u64) + self.plane * sample)

    def _store_colors(self, b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
        """All samples' colours to memory."""
        color, memory = job.tile.color, job.memory.bytes

        def quad(at: Value, first: Value) -> None:
            b.bytes_from(memory, at, u32).store((color + first).load(_QUAD))

        self._every(b, job, job.msaa_color_write, (x, y), _STORE, quad)
        b.Return(DONE)

    def _store_depths(self, b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
        """All samples' depths and stencils to memory."""
        tile, memory = job.tile, job.memory.bytes

        def quad(at: Value, first: Value) -> None:
            depth, stencil = ((of + first).load(_QUAD) for of in (tile.depth, tile.stencil))
            b.bytes_from(memory, at, u32).store((depth << 8) | stencil)

        self._every(b, job, job.msaa_zs_write, (x, y), _STORE, quad)
        b.Return(DONE)

    # ---- loads
    def _loaded_every(self, b: Builder, job: Vc4Job, surface: Vc4Surface,
                      corner: tuple[Value, Value], put: Callable[[Value, Value], None]) -> None:
        """Of a surface of all samples: the tile, and that is all; `put(quad, its number)`."""
        if self.samples == 1:
            return
        with b.If(surface.every != 0):
            self._every(b, job, surface, corner, _LOAD, lambda at, first: put(
                b.bytes_from(job.memory.bytes, at, u32).load(_QUAD), first))
            b.Return(DONE)

    def _spread(self, b: Builder, *arrays: Pointer) -> None:
        """The first sample's for all."""
        with b.For(b.const(u32, 0), b.const(u32, self.plane), LANES) as n:
            for array in arrays:
                words = (array + b.cast(n, u64)).load(U)
                for sample in range(1, self.samples):
                    (array + b.cast(n, u64) + self.plane * sample).store(words)

    def _load_color(self, b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
        """The colours of the tile at pixel (x, y)."""
        surface, color, memory = job.color_read, job.tile.color, job.memory.bytes
        self._loaded_every(b, job, surface, (x, y),
                           lambda words, first: (color + first).store(words))

        def whole(at: Value, first: Value) -> None:
            block = b.bytes_from(memory, at, u32).load(U)
            for n, half in enumerate(_quads(b, block)):
                (color + first + 2 * self.side * n).store(half)

        def single(at: Value, pixel: Value) -> None:
            with b.If(surface.cpp == 2):
                half = b.bytes_from(memory, at, u16).load(align=1)
                color[pixel] = _from_565(b, b.cast(half, u32))
            with b.Else():
                color[pixel] = b.bytes_from(memory, at, u32).load(align=1)

        _blocks(b, job, surface, (x, y, self.side), _LOAD, whole, single)
        self._spread(b, color)
        b.Return(DONE)

    def _load_zs(self, b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
        """The depths and stencils of the tile at pixel (x, y)."""
        tile, memory = job.tile, job.memory.bytes

        def put(words: Value, first: Value) -> None:
            (tile.depth + first).store(words >> 8)
            (tile.stencil + first).store(words & 255)

        self._loaded_every(b, job, job.zs_read, (x, y), put)

        def whole(at: Value, first: Value) -> None:
            block = b.bytes_from(memory, at, u32).load(U)
            for n, half in enumerate(_quads(b, block)):
                put(half, first + 2 * self.side * n)

        def single(at: Value, pixel: Value) -> None:
            word = b.bytes_from(memory, at, u32).load(align=1)
            tile.depth[pixel], tile.stencil[pixel] = word >> 8, word & 255

        _blocks(b, job, job.zs_read, (x, y, self.side), _LOAD, whole, single)
        self._spread(b, tile.depth, tile.stencil)
        b.Return(DONE)

    # ---- stores
    def _mean(self, b: Builder, job: Vc4Job) -> None:
        """The means of the samples in the place of the first ones, if they are wanted."""
        color = job.tile.color
        with b.If(job.color_write.mean != 0), b.For(
            b.const(u32, 0), b.const(u32, self.plane), LANES
        ) as n:
            place = color + b.cast(n, u64)
            place.store(_means([(place + self.plane * sample).load(U)
                                for sample in range(self.samples)]))

    def _store_color(self, b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
        """The colours of the tile at pixel (x, y) to memory."""
        surface, color, memory = job.color_write, job.tile.color, job.memory.bytes
        if self.samples > 1:
            self._mean(b, job)

        def whole(at: Value, first: Value) -> None:
            halves = [(color + first + 2 * self.side * n).load(_BLOCK) for n in (0, 1)]
            b.bytes_from(memory, at, u32).store(_rows(b, halves))

        def single(at: Value, pixel: Value) -> None:
            word = color[pixel]
            with b.If(surface.cpp == 2):
                b.bytes_from(memory, at, u16).store(b.cast(_to_565(word), u16), align=1)
            with b.Else():
                b.bytes_from(memory, at, u32).store(word, align=1)

        _blocks(b, job, surface, (x, y, self.side), _STORE, whole, single)
        b.Return(DONE)

    def _store_zs(self, b: Builder, job: Vc4Job, x: Value, y: Value) -> None:
        """The depths and stencils of the tile at pixel (x, y) to memory."""
        tile, memory = job.tile, job.memory.bytes

        def whole(at: Value, first: Value) -> None:
            halves = []
            for n in (0, 1):
                place = first + 2 * self.side * n
                depth, stencil = (
                    (of + place).load(_BLOCK) for of in (tile.depth, tile.stencil))
                halves.append((depth << 8) | stencil)
            b.bytes_from(memory, at, u32).store(_rows(b, halves))

        def single(at: Value, pixel: Value) -> None:
            word = (tile.depth[pixel] << 8) | tile.stencil[pixel]
            b.bytes_from(memory, at, u32).store(word, align=1)

        _blocks(b, job, job.zs_write, (x, y, self.side), _STORE, whole, single)
        b.Return(DONE)

    @staticmethod
    def _clear(b: Builder, job: Vc4Job) -> None:
        """A tile of the clear values."""
        tile = job.tile
        for place, value in ((tile.color, job.clear_color), (tile.depth, job.clear_z),
                             (tile.stencil, job.clear_s)):
            lanes = b.splat(value, LANES)
            with b.For(b.const(u32, 0), b.const(u32, PIXELS), LANES) as n:
                (place + b.cast(n, u64)).store(lanes)
        b.Return()


__all__ = ["Surfaces"]
