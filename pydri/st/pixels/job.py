# SPDX-License-Identifier: MIT
"""What glDrawPixels and glCopyPixels draw: where pixels come from, and where zoom puts them
(GL 2.1, 3.6.4 and 3.6.5).

In: a PixelJob: an image in the program's memory, or a rectangle of a surface. Out: pieces of its
rows, unpacked and transferred; and, seen from the window, which columns and rows of the image its
pixels show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import Struct, f32, f64, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, unclamped
from pydri.main.pixels.tables import TYPES
from pydri.pipe.native import Surface
from pydri.pipe.state import RECT_L32F, RECT_R32F, RECT_RGBA8, RECT_RGBA32F
from pydri.st.pixels.bytes import px_bytes
from pydri.st.pixels.ops import (
    fb_load_colors,
    fb_load_zs,
    px_clamp,
    px_index_colors,
    px_shift,
    px_transfer,
    px_transfer_stencil,
    transfer_depths,
)
from pydri.st.pixels.read import DEPTH, INDEX, STENCIL
from pydri.st.pixels.rows import CHUNK, px_load, px_load_depth, px_load_index, sweep, wide_type

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.pipe.sampler import SamplerTable

#: types that can say less than 0 or more than 1
_BEYOND = [int(row.kind not in ("u", "packed")) for row in TYPES]


class PixelJob(Struct, align=64):
    """A drawing of pixels: where they come from and what becomes of them."""

    first = ptr(u8)  # the image's first pixel; step bytes a row
    step = i64
    surface = ptr(Surface)  # or: a surface, whose pixel (sx, sy) is the first; rows step by `down`
    sx = i64
    sy = i64
    down = i64
    copied = ptr(u8)  # or: pixels as the rectangle wants them (or words of the depth/stencil
    # surface), rows without gaps
    numbers = u32[2]  # format and type
    kind = u32  # COLOR .. BOTH
    rect = u32  # RECT_*
    order = u32  # RECT_RGBA8: byte order (pixel_bytes.ORDERS)
    plain = u32  # transfer operations leave colours as they are
    swap = u32
    lsb_first = u32
    bit = u32
    bytes_a_pixel = u32
    columns = u32
    rows = u32
    skip_x = i32  # columns and rows that the rectangle has before the first pixel
    skip_y = i32


# -- pieces of rows --------------------------------------------------------------------------------


def source_of(b: Builder, job: PixelJob, row: Operand, column: Operand) -> tuple[Any, Any]:
    """Address of a pixel of the program's image, and the bit there."""
    bits = job.bytes_a_pixel == 0
    at = b.cast(column, i64) + b.cast(job.bit, i64)
    along = b.select(bits, at >> 3, b.cast(column, i64) * b.cast(job.bytes_a_pixel, i64))
    return b.bytes_from(job.first, row * job.step + along, u8), b.cast(at & 7, u32)


@kernel(void, (CTX, ptr(PixelJob), ptr(f32), i64, u32, u32), noinline=True)
def px_fetch_floats(b: Builder, ctx: GLContext, job: PixelJob, rgba: Pointer, row: Value,
                    column: Value, count: Value) -> None:  # fmt: skip
    """Up to CHUNK pixels as RGBA, transferred and clamped."""
    surface = job.surface
    with b.If(surface != b.const(surface.ty, None)):
        y = job.sy + row * job.down
        b.call(fb_load_colors, ctx, rgba, surface, job.sx + b.cast(column, i64), y, count)
    with b.Else():
        place, bit = source_of(b, job, row, column)
        with b.If(job.kind == INDEX):
            indices = b.array(i32, CHUNK, align=64)
            b.call(px_load_index, indices, place, count, job.numbers[1], job.swap, bit,
                   job.lsb_first)
            b.call(px_shift, ctx, indices, count)
            b.call(px_index_colors, ctx, indices, rgba, count)
            b.Return()
        b.call(px_load, rgba, place, count, job.numbers[0], job.numbers[1], job.swap)
    clamps = ~unclamped(ctx)
    with b.If(job.plain == 0):
        b.call(px_transfer, ctx, rgba, count, b.cast(clamps, u32))
    with b.Elif(lambda: clamps & (b.table(u8, _BEYOND)[job.numbers[1]] != 0)):
        b.call(px_clamp, rgba, count * 4)


@kernel(void, (CTX, ptr(PixelJob), ptr(f32), ptr(i32), i64, u32, u32), noinline=True)
def px_fetch_zs(b: Builder, ctx: GLContext, job: PixelJob, depths: Pointer, stencils: Pointer,
                row: Value, column: Value, count: Value) -> None:  # fmt: skip
    """Up to CHUNK depths and stencil values, transferred."""
    surface = job.surface
    with b.If(surface != b.const(surface.ty, None)):
        wide = b.array(f64, CHUNK, align=64)
        y = job.sy + row * job.down
        b.call(fb_load_zs, wide, stencils, surface, job.sx + b.cast(column, i64), y, count)

        def narrow(i: Value, lanes: int) -> None:
            z = (wide + i).load(wide_type(f64, lanes), align=8)
            (depths + i).store(b.cast(z, f32), align=4)

        sweep(b, count, narrow)
    with b.Else():
        place, bit = source_of(b, job, row, column)
        with b.If(job.kind != STENCIL):
            b.call(px_load_depth, depths, place, count, job.numbers[1], job.swap)
        with b.If(job.kind != DEPTH):
            b.call(px_load_index, stencils, place, count, job.numbers[1], job.swap, bit,
                   job.lsb_first)
    with b.If(job.kind != STENCIL):
        transfer_depths(b, ctx, depths, f32, count)
    with b.If(job.kind != DEPTH):
        b.call(px_transfer_stencil, ctx, stencils, count)


@kernel(void, (CTX, ptr(PixelJob), ptr(u8), i64, u32, u32), noinline=True)
def px_fetch(b: Builder, ctx: GLContext, job: PixelJob, out: Pointer, row: Value, column: Value,
             count: Value) -> None:  # fmt: skip
    """`count` pixels of a row as the rectangle's image has them."""
    size = b.select(job.rect == RECT_RGBA32F, b.const(u32, 16), b.const(u32, 4))
    with b.If(job.copied != b.const(ptr(u8), None)):
        at = (row * b.cast(job.columns, i64) + b.cast(column, i64)) * b.cast(size, i64)
        b.memcpy(out, b.bytes_from(job.copied, at, u8), b.cast(count * size, u64))
        b.Return()
    with b.If(job.rect == RECT_RGBA8):
        surface = job.surface
        place = b.var(ptr(u8))
        with b.If(surface != b.const(surface.ty, None)):
            y, x = job.sy + row * job.down, job.sx + b.cast(column, i64)
            place.value = b.bytes_from(surface.data, y * b.cast(surface.stride, i64) + x * 4, u8)
        with b.Else():
            place.value = source_of(b, job, row, column)[0]
        b.call(px_bytes, out.cast(ptr(u32)), place.value, count, job.order, job.bytes_a_pixel)
        b.Return()
    stencils = b.array(i32, CHUNK, align=64)
    with b.For(b.const(u32, 0), count, CHUNK) as at:
        some = b.min(count - at, CHUNK)
        to = b.bytes_from(out, at * size, f32)
        with b.If(job.rect == RECT_RGBA32F):
            b.call(px_fetch_floats, ctx, job, to, row, column + at, some)
        with b.Elif(lambda: (job.rect == RECT_R32F) | (job.rect == RECT_L32F)):
            place, _ = source_of(b, job, row, column + at)
            b.call(px_load_depth, to, place, some, job.numbers[1], job.swap)
            with b.If(~unclamped(ctx) & (b.table(u8, _BEYOND)[job.numbers[1]] != 0)):
                b.call(px_clamp, to, some)
        with b.Else():
            b.call(px_fetch_zs, ctx, job, to, stencils, row, column + at, some)


# -- zoom ------------------------------------------------------------------------------------------


class Axis(Struct):
    """One axis of a zoomed rectangle: pixels [low, high) of the window within the bounds."""

    start = f64
    zoom = f64
    low = i64
    high = i64
    first = i64
    count = i64


@kernel(void, (ptr(Axis), i64, i64), noinline=True)
def px_axis(b: Builder, axis: Axis, low: Value, high: Value) -> None:
    """Find the pixels of an axis whose centres lie in the zoomed rectangle, within [low, high)."""
    ends = [
        axis.start + axis.zoom * b.cast(axis.first + n, f64) for n in (b.const(i64, 0), axis.count)
    ]
    least, most = b.min(ends[0], ends[1]), b.max(ends[0], ends[1])
    axis.low = b.min(b.max(b.cast(b.ceil(least - 0.5), i64), low), high)
    axis.high = b.max(b.min(b.cast(b.ceil(most - 0.5), i64), high), axis.low)


def group_of(b: Builder, axis: Axis, pixel: Value) -> Value:
    """The group (column or row of the image, i64) that a pixel belongs to."""
    at = (b.cast(pixel, f64) + 0.5 - axis.start) / axis.zoom
    group = b.select(axis.zoom > 0.0, b.floor(at), b.ceil(at) - 1.0)
    out = b.cast(group, i64) - axis.first
    return b.min(b.max(out, 0), axis.count - 1)


def axes_of(b: Builder, ctx: GLContext, job: PixelJob) -> tuple[Any, Any]:
    """Both axes within the scissor; y counts as the window does."""
    raw, dyn, fb = ctx.raw, ctx.dyn, ctx.dyn.fb
    axes = b.array(Axis, 2, align=64)
    height = b.cast(fb.height, i64)
    x0, y0, x1, y1 = (b.cast(getattr(dyn, f"scissor_{n}"), i64) for n in ("x0", "y0", "x1", "y1"))
    flip = fb.flip_y != 0
    bounds = ((x0, x1), (b.select(flip, height - y1, y0), b.select(flip, height - y0, y1)))
    for n, (skip, count) in enumerate(((job.skip_x, job.columns), (job.skip_y, job.rows))):
        axis = axes + n
        axis.start = b.cast(raw.raster_position[n], f64)
        axis.zoom = b.cast(raw.pixel_zoom[n], f64)
        axis.first, axis.count = b.cast(skip, i64), b.cast(count, i64)
        b.call(px_axis, axis, *bounds[n])
    return axes, axes + 1


def window_row(b: Builder, ctx: GLContext, row: Value) -> Value:
    """From a row of the surface to one of the window, or back."""
    fb = ctx.dyn.fb
    return b.select(fb.flip_y != 0, b.cast(fb.height, i64) - 1 - row, row)


@kernel(void, (ptr(u8), ptr(u8), ptr(u32), u32, u32), noinline=True, noalias=(0,))
def px_spread(b: Builder, out: Pointer, source: Pointer, columns: Pointer, count: Value,
              size: Value) -> None:  # fmt: skip
    """out[i] = source[columns[i]], pixels of 4 or 16 bytes."""
    for bytes_, ty in ((4, u32), (16, u32.vec(4))):
        with b.If(size == bytes_), b.For(b.const(u32, 0), count) as i:
            v = b.bytes_from(source, columns[i] * bytes_, u32).load(ty, align=4)
            b.bytes_from(out, i * bytes_, u32).store(v, align=4)


def columns_seen(b: Builder, axis: Axis) -> tuple[Any, Any]:
    """The least column that is seen, and how many from there on."""
    ends = [group_of(b, axis, p) for p in (axis.low, axis.high - 1)]
    least = b.min(ends[0], ends[1])
    return b.cast(least, u32), b.cast(b.max(ends[0], ends[1]) - least + 1, u32)


def fill_column_table(b: Builder, axis: Axis, least: Value, table: SamplerTable) -> None:
    """Write each pixel's column, counted from the least."""
    with b.For(axis.low, axis.high) as x:
        table[x - axis.low] = b.cast(group_of(b, axis, x) - b.cast(least, i64), u32)


__all__ = [
    "Axis", "PixelJob", "axes_of", "columns_seen", "fill_column_table", "group_of", "px_fetch",
    "px_fetch_zs", "px_spread", "window_row",
]
