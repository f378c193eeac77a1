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

from pipe_llvm.gallivm import format as color_format
from pipe_llvm.native import SAMPLE_POSITIONS, TILE_SHIFT, LpScene
from pipe_llvm.rast.fill import fill_rows, format_bytes, pattern_vector
from pydri.jit import i32, kernel, ptr, u8, u16, u32, u64, void
from pydri.jit.types import Scalar
from pydri.pipe.format import DISPLAY, FORMATS, TARGET, Format
from pydri.pipe.native import Surface

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

(SAMPLES,) = SAMPLE_POSITIONS  # the copies here are unrolled for the one number that there is


@kernel(void, (ptr(u8), u32, u32, u32, i32, i32, i32, i32, ptr(u32), ptr(u32)), noinline=True)
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
    value: Pointer,
    mask: Pointer,
) -> None:
    """Set the bits `mask` of every sample of a rectangle in a tile of stamps to those of `value`
    (both repeated to 128 bits); `size`: bytes a value; `samples`: 1 where a pixel has one.
    """
    bits = pattern_vector(b, mask)
    pattern, keep = pattern_vector(b, value) & bits, ~bits
    px, py = (b.const(i32.vec(16), [f(n, 4) for n in range(16)]) for f in (mod, floordiv))

    def clear(ty: Scalar, parts: int = 1) -> None:
        """`parts` elements a pixel, which lie side by side."""
        new, old = (_first_lanes(b, v, ty, 16) for v in (pattern, keep))
        with b.For(y0 >> 2, (y1 + 3) >> 2) as y:
            row = b.bytes_from(tile, b.cast(b.cast(y * 4, u32), u64) * b.cast(stride, u64), u8)
            gy = b.splat(y * 4, 16) + py
            inside_y = (gy >= y0) & (gy < y1)
            with b.For(x0 >> 2, (x1 + 3) >> 2) as x:
                gx = b.splat(x * 4, 16) + px
                inside = inside_y & (gx >= x0) & (gx < x1)
                with b.For(b.const(u32, 0), samples) as s:
                    stamp = (b.cast(x, u32) * samples + s) * (16 * ty.size * parts)
                    for part in range(parts):
                        pixels = [(16 * part + n) // parts for n in range(16)]
                        chosen = b.shuffle(inside, None, pixels) if parts > 1 else inside
                        place = b.bytes_from(row, b.cast(stamp, u64), ty) + 16 * part
                        there = place.load(ty.vec(16), align=min(64, 16 * ty.size))
                        done = b.select(chosen, (there & old) | new, there)
                        place.store(done, align=min(64, 16 * ty.size))

    with b.Switch(size) as which:
        for ty in (u8, u16, u32, u64):
            with which.Case(ty.size):
                clear(ty)
        with which.Case(16):
            clear(u64, 2)


def _first_lanes(b: Builder, pattern: Value, ty: Scalar, count: int) -> Value:
    """A pattern that repeats every 128 bits (u32x16) as `count` elements of another size."""
    have = 64 // ty.size
    lanes = b.bitcast(pattern, ty.vec(have))
    return b.shuffle(lanes, None, [n % have for n in range(count)])


def _surface(b: Builder, place: Pointer) -> Surface:
    """The surface whose address lies at a place."""
    surface: Surface = b.load(place, ptr(Surface))
    return surface


@kernel(void, (ptr(LpScene),), noinline=True)
def begin_samples(b: Builder, scene: LpScene) -> None:
    """Before a scene is executed: note what its pixels mean for its surfaces."""
    four = u32.vec(4)
    with b.For(b.const(u32, 0), scene.targets) as n:
        cbuf, target = (_surface(b, place + n) for place in (scene.cbufs, scene.averaged))
        with b.If((b.ptr_to_int(cbuf) != 0) & ((scene.clear_flags | scene.commands) != 0)):
            cbuf.resolved = 0
        with b.If(b.ptr_to_int(target) != 0):
            ours = cbuf.clear_value.load(four, align=4)
            with b.If(b.any(target.clear_value.load(four, align=4) != ours)):
                target.clear_value.store(ours, align=4)
                states = target.tile_state
                with b.If(b.ptr_to_int(states) != 0):
                    tiles = target.tiles_x * (target.rows >> TILE_SHIFT)
                    b.memset(states, 0, b.cast(tiles, u64) * 4)


@kernel(void, (ptr(Surface), ptr(Surface), u32), noinline=True)
def resolve_tile(b: Builder, surface: Surface, target: Surface, tile: Value) -> None:
    """The averages of a tile's samples go to the same tile of `target`."""
    tx, ty = tile % surface.tiles_x, tile // surface.tiles_x
    size = b.call(format_bytes, surface.format)
    row = b.cast(ty << TILE_SHIFT, u64)
    pitch, stride = b.cast(target.stride, u64), b.cast(surface.stride, u64)
    to = target.data + (row * pitch + b.cast((tx << TILE_SHIFT) * size, u64))
    states = target.tile_state
    pending = b.var(u32, 0)
    with b.If(b.ptr_to_int(surface.tile_state) != 0):
        pending.value = surface.tile_state[tile]
    with b.If(pending.value != 0):  # a clear: all samples are alike
        known = b.var(u32, 0)
        with b.If(b.ptr_to_int(states) != 0):
            known.value = states[tile]
            states[tile] = 1
        with b.If(known.value == 0):
            b.call(fill_rows, to, target.stride, surface.clear_value, size * 64)
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
                mean = color_format.average(b, fmt, samples)
                place = to_row + b.cast(x * (4 * fmt.bytes), u64)
                color_format.store_stamp(b, place, pitch, fmt, mean)

    by_fields(b, surface.format, copy)


def by_fields(b: Builder, number: Value, copy: Callable[[Format], None]) -> None:
    """Emit copy(format) once for all formats whose channels have the same bits."""
    kinds: dict[tuple[tuple[str, int], ...], list[Format]] = {}
    for fmt in FORMATS:
        if fmt.uses & TARGET and not fmt.srgb:
            plain = fmt.uses & DISPLAY  # whose padding is averaged like a channel
            alike = tuple(("" if plain else kind, bits) for kind, bits in fmt.channels)
            kinds.setdefault(alike, []).append(fmt)
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
    with b.If(b.ptr_to_int(states) != 0):
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

    with b.Switch(b.call(format_bytes, surface.format)) as s:
        for size, fmt in {f.bytes: f for f in FORMATS if f.uses & TARGET}.items():
            with s.Case(size):
                copy(fmt)
    multi.resolved = surface.serial
