# SPDX-License-Identifier: MIT
"""Clears of a tile while a scene is executed: those of a part (OP_CLEAR), and the pending fast
clears of surfaces in stamp order (the clears of lp_rast.c)."""

from __future__ import annotations

from typing import Any

from pipe_llvm.fill import fill_stamp_tile, format_bytes
from pipe_llvm.native import TILE_SHIFT, LpScene, LpTask
from pipe_llvm.samples import clear_samples
from pipe_llvm.scene import ClearBlock
from pydri.jit import boolean, i32, kernel, ptr, u8, u16, u32, u64, void
from pydri.pipe.native import Surface


@kernel(void, (ptr(LpTask), u64), noinline=True)
def rast_clear(b: Any, task: Any, command: Any) -> None:
    """OP_CLEAR: some rows, columns or bits of the tile."""
    scene = task.scene
    block = b.int_to_ptr(command & 0xFFFFFFFFFFFF, ClearBlock)
    x0, y0 = b.max(block.rect[0] - task.x0, 0), b.max(block.rect[1] - task.y0, 0)
    x1, y1 = b.min(block.rect[2] - task.x0, 64), b.min(block.rect[3] - task.y0, 64)
    area = (b.max(scene.samples, 1), x0, y0, x1, y1)
    mask = block.color_mask
    with b.If(mask != 0):
        with b.If(scene.samples > 1, likely=False):
            b.call(clear_samples, task.color, task.color_stride, scene.color_bytes, *area,
                   b.cast(block.color, u64), b.cast(mask, u64))  # fmt: skip
        with b.Else():
            with b.If(scene.color_bytes == 4):
                clear_pixels(b, task, u32, (x0, y0, x1, y1), block.color, mask)
            with b.Else():
                clear_pixels(b, task, u16, (x0, y0, x1, y1), block.color, mask)
    with b.If(block.zs_mask != 0):
        b.call(clear_samples, task.depth, task.depth_stride, scene.depth_bytes, *area, block.zs,
               block.zs_mask)  # fmt: skip


def clear_pixels(b: Any, task: Any, ty: Any, area: Any, value: Any, mask: Any) -> None:
    """Emit: set the bits `mask` of a rectangle of the tile's colours, sixteen pixels at a time."""
    x0, y0, x1, y1 = area
    new = b.splat(b.cast(value & mask, ty), 16)
    keep = b.splat(b.cast(~mask, ty), 16)
    with b.For(y0, y1) as y:
        row = b.bytes_from(task.color, b.cast(y, u64) * b.cast(task.color_stride, u64), ty)
        with b.For(x0 & ~15, x1, 16) as x:
            at = b.splat(x, 16) + b.iota(i32.vec(16))
            place = row + x
            there = place.load(ty.vec(16), align=16 * ty.size)
            inside = (at >= x0) & (at < x1)
            place.store(b.select(inside, (there & keep) | new, there), align=16 * ty.size)


@kernel(ptr(u8), (ptr(LpScene), ptr(Surface), u32, boolean, u32))
def begin_stamp_tile(
    b: Any, scene: Any, surface: Any, tile: Any, needed: Any, cleared: Any
) -> None:
    """The address of a tile of a surface in stamp order, whose pending clear is written if the
    tile is `needed`. `cleared`: not 0 if the scene begins with a clear of everything.
    """
    tx, ty = tile % scene.tiles_x, tile // scene.tiles_x
    samples, size = scene.samples, b.call(format_bytes, surface.format)
    # a tile begins 16 stamps (of 16 pixels) after the one to its left
    at = b.cast(ty << TILE_SHIFT, u64) * b.cast(surface.stride, u64) + b.cast(
        tx * 256 * size * samples, u64
    )
    place = surface.data + at
    states = surface.tile_state
    pending = b.var(u32, 0)
    tracked = b.ptr_to_int(states) != 0
    with b.If(tracked):
        pending.value = states[tile]
    with b.If(cleared != 0):
        pending.value = 1
    with b.If((pending.value != 0) & (needed | ~tracked)):
        b.call(fill_stamp_tile, place, surface.stride, size, surface.clear_value, samples)
        pending.value = 0
    with b.If(tracked):
        states[tile] = pending.value
    b.Return(place)
