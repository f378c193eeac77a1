# SPDX-License-Identifier: MIT
"""Depth and stencil of surfaces in rows: textures that are drawn to, and sampled.

Fragment kernels test and write stamps of 16 pixels that lie side by side. What is sampled lies in
rows, so a tile's depths are brought into stamp order, in memory of the thread that fits its cache,
when the tile is begun, and back when it is done: two copies of a tile for each that draws with
depth. So the memory of such a resource is rows whenever a scene is not being executed, and nobody
else has to know of stamps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.native import TILE_SHIFT, LpScene, LpTask
from pipe_llvm.rast.clear import tile_word
from pipe_llvm.rast.fill import fill_rows, fill_stamp_tile
from pydri.jit import boolean, kernel, ptr, u8, u16, u32, u64, void
from pydri.pipe.native import CLEAR_DEPTH, MAX_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value


@kernel(void, (ptr(u8), ptr(u8), u32, u32, boolean), noinline=True)
def copy_tile(
    b: Builder, stamps: Pointer, rows: Pointer, stride: Value, size: Value, back: Value
) -> None:
    """64x64 pixels of `size` (1, 2, 4, 8) bytes from rows to stamps, or `back`."""
    with b.Switch(size) as which:
        for ty in (u8, u16, u32, u64):
            with which.Case(ty.size):
                four, quad = ty.vec(4), 4 * ty.size
                with b.For(b.const(u32, 0), 64) as y:
                    row = b.bytes_from(rows, b.cast(y, u64) * b.cast(stride, u64), ty)
                    within = (y & 3) * quad
                    first = b.bytes_from(stamps, (y >> 2) * (256 * ty.size) + within, ty)
                    for back_now in (False, True):
                        with b.If(back if back_now else ~back):
                            for x in range(16):
                                pair = (row + 4 * x, first + 16 * x)
                                source, to = reversed(pair) if back_now else pair
                                to.store(source.load(four, align=quad), align=quad)


def _rows_of(b: Builder, scene: LpScene, image: Any, tile: Value) -> Pointer:
    """Where a tile's first pixel lies in an image of the surface."""
    tx, ty = tile % scene.tiles_x, tile // scene.tiles_x
    row = b.cast(ty << TILE_SHIFT, u64) * b.cast(scene.depth_stride, u64)
    place: Pointer = image + (row + b.cast((tx << TILE_SHIFT) * scene.depth_bytes, u64))
    return place


@kernel(void, (ptr(LpScene), ptr(LpTask), ptr(u8), u32, boolean), noinline=True)
def begin_linear_tile(
    b: Builder, scene: LpScene, task: LpTask, image: Pointer, tile: Value, needed: Value
) -> None:
    """The task's depths in stamp order, if the tile `needed` them; a clear that the scene begins
    with is done, there or in the rows, if these don't hold it anyway."""
    size, stride = scene.depth_bytes, scene.depth_stride
    rows = _rows_of(b, scene, image, tile)
    task.depth, task.depth_stride = task.thread.depths, size * 64
    cleared, surface = (scene.clear_flags & CLEAR_DEPTH) != 0, scene.zsbuf
    pattern = surface.clear_value
    word = tile_word(b, task, surface, b.const(u32, MAX_TARGETS), tile, cleared)
    with b.If(needed):
        with b.If(word.clear):
            b.call(fill_stamp_tile, task.thread.depths, size * 64, size, pattern, 1)
        with b.Else():
            b.call(copy_tile, task.thread.depths, rows, stride, size, False)
    with b.Elif(lambda: cleared & ~word.known):
        b.call(fill_rows, rows, stride, pattern, size * 64)
    word.keep(b, needed)


@kernel(void, (ptr(LpScene), ptr(LpTask), ptr(u8), u32), noinline=True)
def end_linear_tile(
    b: Builder, scene: LpScene, task: LpTask, image: Pointer, tile: Value
) -> None:
    """What was drawn goes back."""
    rows = _rows_of(b, scene, image, tile)
    b.call(copy_tile, task.thread.depths, rows, scene.depth_stride, scene.depth_bytes, True)
