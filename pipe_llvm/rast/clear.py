# SPDX-License-Identifier: MIT
"""Clears of a tile while a scene is executed: those of a part (OP_CLEAR), and the pending fast
clears of surfaces in stamp order (the clears of lp_rast.c)."""

from __future__ import annotations

from typing import Any, NamedTuple

from pipe_llvm.command import address_of
from pipe_llvm.native import TILE_SHIFT, LpScene, LpTask
from pipe_llvm.rast.fill import fill_stamp_tile, format_bytes, pattern_vector
from pipe_llvm.rast.samples import clear_samples
from pipe_llvm.scene import ClearBlock
from pydri.jit import boolean, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe.native import MAX_TARGETS, Surface
from pydri.pipe.resource_kernels import storage_changed


@kernel(void, (ptr(LpTask), u64), noinline=True)
def rast_clear(b: Any, task: Any, command: Any) -> None:
    """OP_CLEAR: some rows, columns or bits of the tile."""
    scene = task.scene
    block = b.int_to_ptr(address_of(command), ClearBlock)
    x0, y0 = b.max(block.rect[0] - task.x0, 0), b.max(block.rect[1] - task.y0, 0)
    x1, y1 = b.min(block.rect[2] - task.x0, 64), b.min(block.rect[3] - task.y0, 64)
    area = (x0, y0, x1, y1)
    with b.For(b.const(u32, 0), scene.targets) as n:
        there = b.ptr_to_int(task.color[n]) != 0  # it has this layer
        with b.If(((block.targets & (b.const(u32, 1) << n)) != 0) & there):
            value, mask = block.values + n * 4, block.masks + n * 4
            size, stride = scene.color_bytes[n], task.color_stride[n]
            with b.If(scene.samples > 1, likely=False):
                b.call(clear_samples, task.color[n], stride, size, scene.samples, *area,
                       value, mask)  # fmt: skip
            with b.Else():
                b.call(clear_pixels, task.color[n], stride, size, *area, value, mask)
    with b.If(((block.targets & (1 << MAX_TARGETS)) != 0) & (b.ptr_to_int(task.depth) != 0)):
        value, mask = (v + 4 * MAX_TARGETS for v in (block.values, block.masks))
        b.call(clear_samples, task.depth, task.depth_stride, scene.depth_bytes,
               b.max(scene.samples, 1), *area, value, mask)  # fmt: skip


@kernel(void, (ptr(u8), u32, u32, i32, i32, i32, i32, ptr(u32), ptr(u32)), noinline=True)
def clear_pixels(
    b: Any, tile: Any, stride: Any, size: Any, x0: Any, y0: Any, x1: Any, y1: Any,
    value: Any, mask: Any,
) -> None:  # fmt: skip
    """Set the bits `mask` of a rectangle of a tile in rows, 64 bytes at a time; `size`: bytes a
    pixel; value and mask are repeated to 128 bits."""
    bits = pattern_vector(b, mask)
    new, keep = pattern_vector(b, value) & bits, ~bits
    first, end = (b.splat(x * b.cast(size, i32), 64) for x in (x0, x1))
    with b.For(y0, y1) as y:
        row = b.bytes_from(tile, b.cast(y, u64) * b.cast(stride, u64), u8)
        begin, stop = x0 * b.cast(size, i32), x1 * b.cast(size, i32)
        with b.For(begin & ~63, stop, 64) as x:
            at = b.splat(x, 64) + b.iota(i32.vec(64))
            place = b.bytes_from(row, b.cast(x, u64), u32)
            there = place.load(u32.vec(16), align=64)
            done = (there & keep) | new
            inside = (at >= first) & (at < end)
            old8, new8 = (b.bitcast(v, u8.vec(64)) for v in (there, done))
            place.cast(ptr(u8)).store(b.select(inside, new8, old8), align=64)


@kernel(void, (ptr(Surface),), noinline=True)
def forget_tiles(b: Any, surface: Any) -> None:
    """Nothing is known of a surface's tiles and stencil values any more, but what its memory
    says."""
    surface.stencil_known = 0
    with b.If(b.ptr_to_int(surface.tile_state) != 0):
        tiles = surface.tiles_x * (surface.rows >> TILE_SHIFT) * b.max(surface.layers, 1)
        b.memset(surface.tile_state, 0, b.cast(tiles, u64) * 4)


@kernel(boolean, (ptr(LpScene), ptr(Surface), u32), noinline=True)
def _alone(b: Any, scene: Any, surface: Any, n: Any) -> Any:
    """Before a scene is executed: whether nobody else has written to the memory of its target n
    since the last scene that drew to this surface, nor will while this one is executed. If not, its
    tiles are forgotten."""
    storage, own = scene.storages[n], b.var(boolean, True)
    with b.If(b.ptr_to_int(storage) == 0):  # a window's: whoever writes there forgets its tiles
        b.Return(own.value)
    with b.If(storage.writes != scene.number):  # another context draws there
        storage_changed(b, storage)
    apart = (scene.entwined == 0) & (b.ptr_to_int(scene.stored) == 0)
    with b.If((storage.changes != surface.changes) | ~apart):
        b.call(forget_tiles, surface)
        surface.changes = storage.changes
    b.Return(apart)


def _same(b: Any, first: Any, second: Any) -> Any:
    """Whether two pixels of 128 bits are the same."""
    four = u32.vec(4)
    return ~b.any(first.load(four, align=4) != second.load(four, align=4))


@kernel(void, (ptr(LpScene), ptr(Surface), u32, boolean, ptr(u32)), noinline=True)
def begin_clear(b: Any, scene: Any, surface: Any, n: Any, cleared: Any, value: Any) -> None:
    """Target n of a scene that will be executed: whether its tiles are tracked, and it takes over
    the value of the clear that the scene begins with."""
    bit = b.const(u32, 1) << n
    with b.If(b.ptr_to_int(surface.tile_state) != 0):
        with b.If(b.call(_alone, scene, surface, n)):
            scene.tracked = scene.tracked | bit
    with b.If(cleared):
        with b.If(_same(b, surface.clear_value, value)):
            scene.same_clear = scene.same_clear | bit
        surface.clear_value.store(value.load(u32.vec(4), align=4), align=4)


def tile_state(b: Any, task: Any, surface: Any, tile: Any) -> Any:
    """Emit: the word of a tile of the task's layer of a surface that is tracked."""
    scene = task.scene
    row = tile // scene.tiles_x + task.layer * (surface.rows >> TILE_SHIFT)
    return surface.tile_state + (row * surface.tiles_x + tile % scene.tiles_x)


class TileWord(NamedTuple):
    """What is remembered of a tile while its scene is executed."""

    tracked: Any  # boolean: whether anything is
    place: Any  # of the word
    clear: Any  # boolean: its pixels are the surface's clear value, those of a clear of this scene
    known: Any  # boolean: they were already, and that value is this scene's, too

    def keep(self, b: Any, needed: Any) -> None:
        """Emit: the tile is clear after the scene if it was and nothing `needed` its pixels."""
        with b.If(self.tracked):
            self.place[0] = b.cast(self.clear & ~needed, u32)


def tile_word(b: Any, task: Any, surface: Any, n: Any, tile: Any, cleared: Any) -> TileWord:
    """Emit: what is remembered of a tile of target n; `cleared`: the scene begins with a clear."""
    scene = task.scene
    tracked = ((scene.tracked >> n) & 1) != 0
    place = tile_state(b, task, surface, tile)
    clear = b.var(boolean, False)
    with b.If(tracked):
        clear.value = place[0] != 0
    known = clear.value & (((scene.same_clear >> n) & 1) != 0)
    return TileWord(tracked, place, clear.value | cleared, known)


@kernel(ptr(u8), (ptr(LpTask), ptr(Surface), ptr(u8), u32, u32, boolean, boolean))
def begin_stamp_tile(
    b: Any, task: Any, surface: Any, data: Any, n: Any, tile: Any, needed: Any, cleared: Any
) -> None:
    """The address of a tile of target n in stamp order, with its pixels at `data`. A pending clear
    is written if the tile is `needed`, of a resource, whose memory others see, at once; `cleared`:
    if the scene begins with one of everything.
    """
    scene = task.scene
    tx, ty = tile % scene.tiles_x, tile // scene.tiles_x
    samples, size = scene.samples, b.call(format_bytes, surface.format)
    # a tile begins 16 stamps (of 16 pixels) after the one to its left
    at = b.cast(ty << TILE_SHIFT, u64) * b.cast(surface.stride, u64) + b.cast(
        tx * 256 * size * samples, u64
    )
    place = data + at
    word = tile_word(b, task, surface, n, tile, cleared)
    waits = word.tracked & ~needed
    own = b.ptr_to_int(surface.resource) == 0
    fill = b.select(own, word.clear & ~waits, cleared & ~word.known)
    with b.If(fill):
        b.call(fill_stamp_tile, place, surface.stride, size, surface.clear_value, samples)
    word.keep(b, needed)
    b.Return(place)
