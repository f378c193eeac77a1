# SPDX-License-Identifier: MIT
"""Surfaces with several samples a pixel: clears, and how they become pixels that can be shown.

What a window, pixmap or pbuffer shows has one sample; the surface that is drawn to in its place
(`Surface.multi`) is the driver's own, in stamp order. pipe.resolve of the shown one averages. If
the scene that is being recorded draws to the multisampled surface, it is told to resolve each of
its tiles as soon as the tile is done (`LpScene.target`): by the thread that drew it, in cache.
Tiles that only were cleared are never written: their colour goes straight to the target, and not
even that if the target's tile holds it already. Counterpart of the resolve that llvmpipe does as a
blit after the scene (lp_surface.c, util_blitter)."""

from __future__ import annotations

from collections.abc import Callable
from operator import floordiv, mod
from typing import TYPE_CHECKING

from pipe_llvm.fill import fill_rows, format_bytes
from pipe_llvm.gallivm import format as color_format
from pipe_llvm.native import SAMPLE_POSITIONS, TILE_SHIFT, LpScene
from pydri.jit import i32, kernel, ptr, u8, u16, u32, u64, void
from pydri.jit.types import Scalar
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.native import Surface

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

(SAMPLES,) = SAMPLE_POSITIONS  # the copies here are unrolled for the one number that there is


@kernel(void, (ptr(u8), u32, u32, u32, i32, i32, i32, i32, u64, u64), noinline=True)
def clear_samples(
    b: Builder,
    tile: Pointer,
    stride: Value,
    size: Value,
    samples: Value,
    x0: Value,
    y0: Value,
    x1: Value,
    y1: Value,
    value: Value,
    mask: Value,
) -> None:
    """Set the bits `mask` of every sample of a rectangle in a tile of stamps to those of `value`;
    `size`: bytes a value; `samples`: 1 where a pixel has one.
    """
    value, keep = value & mask, ~mask
    px, py = (b.const(i32.vec(16), [f(n, 4) for n in range(16)]) for f in (mod, floordiv))

    def clear(ty: Scalar) -> None:
        new, old = b.splat(b.cast(value, ty), 16), b.splat(b.cast(keep, ty), 16)
        with b.For(y0 >> 2, (y1 + 3) >> 2) as y:
            row = b.bytes_from(tile, b.cast(b.cast(y * 4, u32), u64) * b.cast(stride, u64), u8)
            gy = b.splat(y * 4, 16) + py
            inside_y = (gy >= y0) & (gy < y1)
            with b.For(x0 >> 2, (x1 + 3) >> 2) as x:
                gx = b.splat(x * 4, 16) + px
                inside = inside_y & (gx >= x0) & (gx < x1)
                with b.For(b.const(u32, 0), samples) as s:
                    stamp = (b.cast(x, u32) * samples + s) * (16 * ty.size)
                    place = b.bytes_from(row, b.cast(stamp, u64), ty)
                    there = place.load(ty.vec(16), align=min(64, 16 * ty.size))
                    done = b.select(inside, (there & old) | new, there)
                    place.store(done, align=min(64, 16 * ty.size))

    with b.Switch(size) as which:
        for ty in (u8, u16, u32, u64):
            with which.Case(ty.size):
                clear(ty)


@kernel(void, (ptr(LpScene),), noinline=True)
def begin_samples(b: Builder, scene: LpScene) -> None:
    """Before a scene is executed: note what its pixels mean for its surfaces."""
    cbuf, target = scene.cbuf, scene.target
    with b.If((b.ptr_to_int(cbuf) != 0) & ((scene.clear_flags | scene.commands) != 0)):
        cbuf.resolved = 0
    with b.If(b.ptr_to_int(target) == 0):
        b.Return()
    with b.If(target.clear_value != cbuf.clear_value):
        target.clear_value = cbuf.clear_value
        states = target.tile_state
        with b.If(b.ptr_to_int(states) != 0):
            b.memset(states, 0, b.cast(target.tiles_x * (target.rows >> TILE_SHIFT), u64) * 4)


@kernel(void, (ptr(Surface), ptr(Surface), u32), noinline=True)
def resolve_tile(b: Builder, surface: Surface, target: Surface, tile: Value) -> None:
    """The averages of a tile's samples go to the same tile of `target`."""
    tx, ty = tile % surface.tiles_x, tile // surface.tiles_x
    size = b.call(format_bytes, surface.format)
    row = b.cast(ty << TILE_SHIFT, u64)
    pitch, stride = b.cast(target.stride, u64), b.cast(surface.stride, u64)
    to = target.data + (row * pitch + b.cast((tx << TILE_SHIFT) * size, u64))
    states = target.tile_state
    with b.If(surface.tile_state[tile] != 0):  # a clear is pending: all samples are alike
        known = b.var(u32, 0)
        with b.If(b.ptr_to_int(states) != 0):
            known.value = states[tile]
            states[tile] = 1
        with b.If(known.value == 0):
            value = b.cast(surface.clear_value, u32)
            b.call(fill_rows, to, target.stride, value, size * 64)
        b.Return()
    with b.If(b.ptr_to_int(states) != 0):
        states[tile] = 0
    source = surface.data + (row * stride + b.cast(tx * 256 * size * SAMPLES, u64))

    def copy(fmt: Format) -> None:
        stamp = 16 * fmt.bytes
        with b.For(b.const(u32, 0), 16) as y:
            from_row = source + b.cast(y * 4, u64) * stride
            to_row = to + b.cast(y * 4, u64) * pitch
            with b.For(b.const(u32, 0), 16) as x:
                first = from_row + b.cast(x * (stamp * SAMPLES), u64)
                samples = [
                    color_format.load_samples(b, b.bytes_from(first, stamp * s, u8), fmt)
                    for s in range(SAMPLES)
                ]
                mean = color_format.average(fmt, samples)
                place = to_row + b.cast(x * (4 * fmt.bytes), u64)
                color_format.store_stamp(b, place, pitch, fmt, mean)

    _by_fields(b, surface.format, copy)


def _by_fields(b: Builder, number: Value, copy: Callable[[Format], None]) -> None:
    """Emit copy(format) once for all formats whose channels have the same bits."""
    kinds: dict[tuple[int, ...], list[Format]] = {}
    for fmt in color_format.COLOR_FORMATS:
        kinds.setdefault(tuple(bits for _, bits in fmt.channels), []).append(fmt)
    which = b.var(u32, 0)
    table = [0] * len(FORMATS)
    for n, formats in enumerate(kinds.values()):
        for fmt in formats:
            table[fmt.number] = n
    which.value = b.cast(b.table(u8, table)[number], u32)
    with b.Switch(which.value) as s:
        for n, formats in enumerate(kinds.values()):
            with s.Case(n):
                copy(formats[0])


@kernel(void, (ptr(Surface),))
def lp_spread(b: Builder, surface: Surface) -> None:
    """The reverse of a resolve: all samples of the multisampled surface get the pixels of this one.
    Nothing that draws to either may be pending.
    """
    multi = surface.multi
    states = multi.tile_state
    tiles = multi.tiles_x * (multi.rows >> TILE_SHIFT)
    b.memset(states, 0, b.cast(tiles, u64) * 4)
    pitch, stride = b.cast(surface.stride, u64), b.cast(multi.stride, u64)

    def copy(fmt: Format) -> None:
        stamp = 16 * fmt.bytes
        with b.For(b.const(u32, 0), multi.rows >> 2) as y:
            from_row = surface.data + b.cast(y * 4, u64) * pitch
            to_row = multi.data + b.cast(y * 4, u64) * stride
            with b.For(b.const(u32, 0), multi.tiles_x * 16) as x:
                place = from_row + b.cast(x * (4 * fmt.bytes), u64)
                packed = color_format.load_stamp(b, place, pitch, fmt)
                first = to_row + b.cast(x * (stamp * SAMPLES), u64)
                for s in range(SAMPLES):
                    color_format.store_samples(b, b.bytes_from(first, stamp * s, u8), fmt, packed)

    _by_fields(b, surface.format, copy)
    multi.resolved = surface.serial
