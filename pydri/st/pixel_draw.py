# SPDX-License-Identifier: MIT
"""glDrawPixels and glCopyPixels for every format and type (GL 2.1, 3.6.4 and 4.3.3).

In: an image in the program's memory, or a rectangle of the read framebuffer. Out: rectangles of the
driver whose image holds the pixels as the fragments see them: unpacked, transferred, zoomed and in
the surface's order, so that a fragment finds its colour or depth at its own place and all
operations on fragments follow. Zoom is looked at from the destination: each pixel whose centre lies
in the zoomed rectangle finds the group it belongs to. Stencil values pass no test but ownership and
scissor (GL 2.1, 4.3.1): they are put into the buffer directly, with depths if they come together.
A copy reads everything before anything is drawn, so it may overlap itself. Answers to Mesa's
main/drawpix.c and st_cb_drawpixels.c.
"""

from __future__ import annotations

from typing import Any

from pydri.api.enums import (
    GL_COLOR,
    GL_DEPTH,
    GL_DEPTH_STENCIL,
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_STENCIL,
)
from pydri.api.gl_table import SLOTS
from pydri.jit import Struct, extern_c, f32, f64, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, flush_vertices, record_error
from pydri.main.layout import RECTANGLES
from pydri.main.pixel_formats import FORMATS, TYPES
from pydri.pipe.format import BY_NAME
from pydri.pipe.native import RectInfo, Surface
from pydri.pipe.state import RECT_NONE, RECT_RGBA8, RECT_RGBA32F, RECT_Z32F
from pydri.st.derived import framebuffer_stale, refresh
from pydri.st.pixel_memory import LSB_FIRST, SWAP_BYTES, Image, in_buffer
from pydri.st.pixel_ops import (
    colors_stay,
    fb_load_rgba,
    fb_load_zs,
    fb_store_zs,
    px_clamp,
    px_index_colors,
    px_shift,
    px_transfer,
    px_transfer_stencil,
    transfer_depth,
)
from pydri.st.pixel_read import (
    BOTH,
    COLOR,
    DEPTH,
    INDEX,
    INTEGER,
    STENCIL,
    kind_of,
    px_numbers,
    resolve,
    zs_missing,
)
from pydri.st.pixel_rect import st_begin_rect
from pydri.st.pixel_rows import CHUNK, element_bytes, px_load, px_load_depth, px_load_index
from pydri.st.read_kernels import swap_red_blue

MALLOC = extern_c("malloc", ptr(u8), u64)
FREE = extern_c("free", void, ptr(u8))
BAND = 4 << 20  # bytes of an image that one rectangle shows
RGBA, BGRA, RGB, BGR = 0x3210, 0x3012, 0x5210, 0x5012  # byte orders, see _ORDERS
GL_TOKENS = {"glDrawPixels": 0x0705, "glCopyPixels": 0x0706}


class PixelJob(Struct, align=64):
    """A drawing of pixels: where they come from and what becomes of them."""

    first = ptr(u8)  # the image's first pixel; step bytes a row
    step = i64
    surface = ptr(Surface)  # or: a surface, whose pixel (sx, sy) is the first; rows step by `down`
    sx = i64
    sy = i64
    down = i64
    copied = ptr(u8)  # or: pixels as the rectangle wants them, rows without gaps
    numbers = u32[2]  # format and type
    kind = u32  # COLOR .. BOTH
    rect = u32  # RECT_*
    order = u32  # RECT_RGBA8: byte order (_ORDERS)
    plain = u32  # transfer operations leave colours as they are
    swap = u32
    lsb_first = u32
    bit = u32
    bytes_a_pixel = u32
    columns = u32
    rows = u32
    skip_x = i32  # columns and rows that the rectangle has before the first pixel
    skip_y = i32


def _order_of(format: Any, type_: Any) -> int:
    """Byte orders of pixels that are bytes: four hexadecimal digits say from which byte R (lowest),
    G, B and A come, 4: it is 0, 5: it is 255; bytes a pixel << 16. 0: not bytes."""
    if format.kind != "color":
        return 0
    channels = format.channels
    if type_.kind == "packed" and type_.widths == (8, 8, 8, 8):
        channels = channels if type_.reverse else channels[::-1]
    elif (type_.kind, type_.bytes) != ("u", 1):
        return 0
    out = 0
    for n, c in enumerate("RGBA"):
        at = channels.find("L") if "L" in channels and c != "A" else channels.find(c)
        out |= (at if at >= 0 else 5 if c == "A" else 4) << 4 * n
    return out | len(channels) << 16


_ORDERS = [_order_of(f, t) for f in FORMATS for t in TYPES]
#: the same of surfaces
_SURFACE_ORDERS = {
    BY_NAME["B8G8R8A8_UNORM"].number: BGRA,
    BY_NAME["B8G8R8X8_UNORM"].number: BGR,
    BY_NAME["R8G8B8A8_UNORM"].number: RGBA,
    BY_NAME["R8G8B8X8_UNORM"].number: RGB,
}


# -- pieces of rows --------------------------------------------------------------------------------


@kernel(void, (ptr(u32), ptr(u8), u32, u32, u32), noinline=True, noalias=(0, 1))
def px_bytes(b: Any, out: Any, src: Any, count: Any, order: Any, size: Any) -> None:
    """Pixels that are bytes in some order as R8G8B8A8."""
    with b.If((order == RGBA) & (size == 4)):
        b.memcpy(out, src, b.cast(count, u64) * 4)
        b.Return()
    done = b.var(u32, 0)
    with b.If(((order == BGRA) | (order == BGR)) & (size == 4)):
        ones = b.select(order == BGR, b.const(u32, 0xFF000000), b.const(u32, 0))
        with b.While(lambda: done.value + 16 <= count):
            v = b.bytes_from(src, done.value * 4, u32).load(u32.vec(16), align=1)
            (out + done.value).store(swap_red_blue(b, v) | ones, align=4)
            done.value = done.value + 16
    with b.If(((order == RGB) | (order == BGR)) & (size == 3)):
        x64 = u8.vec(64)
        with b.While(lambda: done.value + 16 <= count):
            place = b.bytes_from(src, done.value * 3, u8)
            low, high = place.load(u8.vec(32), align=1), (place + 16).load(u8.vec(32), align=1)
            both = b.shuffle(low, high, [*range(32), *range(48, 64), *[-1] * 16])
            spread = b.shuffle(both, None, [3 * (n // 4) + min(n % 4, 2) for n in range(64)])
            v = b.bitcast(spread, u32.vec(16)) | 0xFF000000
            assert both.ty is x64
            with b.If(order == RGB):
                (out + done.value).store(v, align=4)
            with b.Else():
                (out + done.value).store(swap_red_blue(b, v), align=4)
            done.value = done.value + 16
    six = b.array(u8, 8, align=8)
    six[4], six[5] = 0, 0xFF
    shifts = [(order >> (4 * c)) & 15 for c in range(4)]
    with b.For(done.value, count) as i:
        place = b.bytes_from(src, i * size, u8)
        for n in range(4):
            six[n] = place[b.min(size - 1, n)]
        word = b.const(u32, 0)
        for c in range(4):
            word = word | (b.cast(six[shifts[c]], u32) << (8 * c))
        out[i] = word


def _source(b: Any, job: Any, row: Any, column: Any) -> tuple[Any, Any]:
    """Address of a pixel of the program's image, and the bit there."""
    bits = job.bytes_a_pixel == 0
    at = b.cast(column, i64) + b.cast(job.bit, i64)
    along = b.select(bits, at >> 3, b.cast(column, i64) * b.cast(job.bytes_a_pixel, i64))
    return b.bytes_from(job.first, row * job.step + along, u8), b.cast(at & 7, u32)


@kernel(void, (CTX, ptr(PixelJob), ptr(f32), i64, u32, u32), noinline=True)
def px_fetch_floats(b: Any, ctx: Any, job: Any, rgba: Any, row: Any, column: Any,
                    count: Any) -> None:
    """Up to CHUNK pixels as RGBA, transferred and clamped."""
    surface = job.surface
    with b.If(surface != b.const(surface.ty, None)):
        y = job.sy + row * job.down
        b.call(fb_load_rgba, rgba, surface, job.sx + b.cast(column, i64), y, count)
    with b.Else():
        place, bit = _source(b, job, row, column)
        with b.If(job.kind == INDEX):
            indices = b.array(i32, CHUNK, align=64)
            b.call(px_load_index, indices, place, count, job.numbers[1], job.swap, bit,
                   job.lsb_first)
            b.call(px_shift, ctx, indices, count)
            b.call(px_index_colors, ctx, indices, rgba, count)
            b.Return()
        b.call(px_load, rgba, place, count, job.numbers[0], job.numbers[1], job.swap)
    with b.If(job.plain != 0):
        b.call(px_clamp, rgba, count * 4)
    with b.Else():
        b.call(px_transfer, ctx, rgba, count)


@kernel(void, (CTX, ptr(PixelJob), ptr(f32), ptr(i32), i64, u32, u32), noinline=True)
def px_fetch_zs(b: Any, ctx: Any, job: Any, depths: Any, stencils: Any, row: Any, column: Any,
                count: Any) -> None:
    """Up to CHUNK depths and stencil values, transferred."""
    surface = job.surface
    with b.If(surface != b.const(surface.ty, None)):
        wide = b.array(f64, CHUNK, align=64)
        y = job.sy + row * job.down
        b.call(fb_load_zs, wide, stencils, surface, job.sx + b.cast(column, i64), y, count)
        with b.For(b.const(u32, 0), count) as i:
            depths[i] = b.cast(wide[i], f32)
    with b.Else():
        place, bit = _source(b, job, row, column)
        with b.If(job.kind != STENCIL):
            b.call(px_load_depth, depths, place, count, job.numbers[1], job.swap)
        with b.If(job.kind != DEPTH):
            b.call(px_load_index, stencils, place, count, job.numbers[1], job.swap, bit,
                   job.lsb_first)
    with b.If(job.kind != STENCIL), b.For(b.const(u32, 0), count) as i:
        depths[i] = transfer_depth(b, ctx, depths[i])
    with b.If(job.kind != DEPTH):
        b.call(px_transfer_stencil, ctx, stencils, count)


@kernel(void, (CTX, ptr(PixelJob), ptr(u8), i64, u32, u32), noinline=True)
def px_fetch(b: Any, ctx: Any, job: Any, out: Any, row: Any, column: Any, count: Any) -> None:
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
            place.value = _source(b, job, row, column)[0]
        b.call(px_bytes, out.cast(ptr(u32)), place.value, count, job.order, job.bytes_a_pixel)
        b.Return()
    stencils = b.array(i32, CHUNK, align=64)
    with b.For(b.const(u32, 0), count, CHUNK) as at:
        some = b.min(count - at, CHUNK)
        to = b.bytes_from(out, at * size, f32)
        with b.If(job.rect == RECT_RGBA32F):
            b.call(px_fetch_floats, ctx, job, to, row, column + at, some)
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
def px_axis(b: Any, axis: Any, low: Any, high: Any) -> None:
    """Find the pixels of an axis whose centres lie in the zoomed rectangle, within [low, high)."""
    ends = [
        axis.start + axis.zoom * b.cast(axis.first + n, f64) for n in (b.const(i64, 0), axis.count)
    ]
    least, most = b.min(ends[0], ends[1]), b.max(ends[0], ends[1])
    axis.low = b.min(b.max(b.cast(b.ceil(least - 0.5), i64), low), high)
    axis.high = b.max(b.min(b.cast(b.ceil(most - 0.5), i64), high), axis.low)


def _group(b: Any, axis: Any, pixel: Any) -> Any:
    """The group (column or row of the image, i64) that a pixel belongs to."""
    at = (b.cast(pixel, f64) + 0.5 - axis.start) / axis.zoom
    group = b.select(axis.zoom > 0.0, b.floor(at), b.ceil(at) - 1.0)
    out = b.cast(group, i64) - axis.first
    return b.min(b.max(out, 0), axis.count - 1)


def _axes(b: Any, ctx: Any, job: Any) -> tuple[Any, Any]:
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


def _window_row(b: Any, ctx: Any, row: Any) -> Any:
    """From a row of the surface to one of the window, or back."""
    fb = ctx.dyn.fb
    return b.select(fb.flip_y != 0, b.cast(fb.height, i64) - 1 - row, row)


@kernel(void, (ptr(u8), ptr(u8), ptr(u32), u32, u32), noinline=True, noalias=(0,))
def px_spread(b: Any, out: Any, source: Any, columns: Any, count: Any, size: Any) -> None:
    """out[i] = source[columns[i]], pixels of 4 or 16 bytes."""
    for bytes_, ty in ((4, u32), (16, u32.vec(4))):
        with b.If(size == bytes_), b.For(b.const(u32, 0), count) as i:
            v = b.bytes_from(source, columns[i] * bytes_, u32).load(ty, align=4)
            b.bytes_from(out, i * bytes_, u32).store(v, align=4)


# -- drawing ---------------------------------------------------------------------------------------


def _columns(b: Any, axis: Any) -> tuple[Any, Any]:
    """The least column that is seen, and how many from there on."""
    ends = [_group(b, axis, p) for p in (axis.low, axis.high - 1)]
    least = b.min(ends[0], ends[1])
    return b.cast(least, u32), b.cast(b.max(ends[0], ends[1]) - least + 1, u32)


def _column_table(b: Any, axis: Any, least: Any, table: Any) -> None:
    """Write each pixel's column, counted from the least."""
    with b.For(axis.low, axis.high) as x:
        table[x - axis.low] = b.cast(_group(b, axis, x) - b.cast(least, i64), u32)


@kernel(void, (CTX, ptr(PixelJob)), noinline=True)
def px_draw_job(b: Any, ctx: Any, job: Any) -> None:
    """Draw colours or depths: rectangles of rows, as many as their images may take memory."""
    rect = b.array(RectInfo, 1, align=64)
    with b.If(b.call(st_begin_rect, ctx, RECTANGLES + job.rect, rect) == 0):
        b.Return()
    across, up = _axes(b, ctx, job)
    x0, x1 = across.low, across.high
    ends = [_window_row(b, ctx, n) for n in (up.low, up.high - 1)]
    y0, y1 = b.min(ends[0], ends[1]), b.max(ends[0], ends[1]) + 1
    with b.If((x0 >= x1) | (up.low >= up.high)):
        b.Return()
    size = b.select(job.rect == RECT_RGBA32F, b.const(u32, 16), b.const(u32, 4))
    wide = b.cast(size, i64)
    width = b.cast(x1 - x0, u32)
    least, columns = _columns(b, across)
    memory = b.call(MALLOC, b.cast(width * 4 + 64, u64) + b.cast(columns, u64) * b.cast(size, u64))
    with b.If(memory == b.const(memory.ty, None), likely=False):
        b.Return()
    table, line = memory.cast(ptr(u32)), b.bytes_from(memory, width * 4, u8)
    _column_table(b, across, least, table)
    same = across.zoom == 1.0
    left = x0 & -4
    stride = (((x1 + 3) & -4) - left) * wide
    rows = b.max(b.const(i64, BAND) // (stride * 4) * 4, 4)
    pipe, pipeline, dyn = ctx.pipe, ctx.plan.pipeline, ctx.dyn
    rect.x0, rect.x1 = b.cast(x0, i32), b.cast(x1, i32)
    rect.stride = b.cast(stride, u32)
    with b.For(y0 & -4, y1, rows) as band:
        start, stop = b.max(band, y0), b.min(band + rows, y1)
        image = b.call(pipe.upload, pipe, pipeline, dyn,
                       b.cast(((stop + 3 - band) & -4) * stride, u32))
        with b.If(image == b.const(image.ty, None), likely=False):
            b.Break()
        last, before = b.var(i64, -1), b.var(ptr(u8), image)
        with b.For(start, stop) as y:
            row = _group(b, up, _window_row(b, ctx, y))
            to = b.bytes_from(image, (y - band) * stride + (x0 - left) * wide, u8)
            with b.If(row == last.value):
                b.memcpy(to, before.value, b.cast(width * size, u64))
                b.Continue()
            last.value, before.value = row, to
            with b.If(same):
                b.call(px_fetch, ctx, job, to, row, least, width)
            with b.Else():
                b.call(px_fetch, ctx, job, line, row, least, columns)
                b.call(px_spread, to, line, table, width, size)
        rect.y0, rect.y1 = b.cast(start, i32), b.cast(stop, i32)
        rect.image = image
        b.call(pipe.draw_rect, pipe, pipeline, dyn, rect)
    b.call(FREE, memory)


@kernel(void, (CTX, ptr(PixelJob)), noinline=True)
def px_put_job(b: Any, ctx: Any, job: Any) -> None:
    """Put stencil values, or both, into the buffer: under their masks and the scissor alone."""
    rect = b.array(RectInfo, 1, align=64)
    with b.If(b.call(st_begin_rect, ctx, RECTANGLES + RECT_NONE, rect) == 0):
        b.Return()
    zsbuf, raw = ctx.dyn.fb.zsbuf, ctx.raw
    resolve(b, ctx, zsbuf)
    across, up = _axes(b, ctx, job)
    width = b.cast(across.high - across.low, u32)
    with b.If((across.low >= across.high) | (up.low >= up.high)):
        b.Return()
    least, used = _columns(b, across)
    columns = b.cast(used, u64) + CHUNK
    memory = b.call(MALLOC, b.cast(width * 12 + 64, u64) + columns * 8).cast(ptr(u32))
    with b.If(memory == b.const(memory.ty, None), likely=False):
        b.Return()
    table, wide_z, wide_s = memory, memory + width, memory + width * 2
    depths = memory + width * 3
    stencils = depths + columns
    _column_table(b, across, least, table)
    depth_on = (job.kind == BOTH) & (ctx.key.depth_mask != 0)
    mask = b.cast(raw.stencil_writemask[0], u32) & 0xFF
    mask = mask | b.select(depth_on, b.const(u32, 0x100), b.const(u32, 0))
    last = b.var(i64, -1)
    with b.For(up.low, up.high) as y:
        row = _group(b, up, y)
        with b.If(row != last.value):
            last.value = row
            with b.For(b.const(u32, 0), used, CHUNK) as at:
                b.call(px_fetch_zs, ctx, job, (depths + at).cast(ptr(f32)),
                       (stencils + at).cast(ptr(i32)), row, least + at, b.min(used - at, CHUNK))
            b.call(px_spread, wide_z.cast(ptr(u8)), depths.cast(ptr(u8)), table, width, 4)
            b.call(px_spread, wide_s.cast(ptr(u8)), stencils.cast(ptr(u8)), table, width, 4)
        b.call(fb_store_zs, wide_z.cast(ptr(f32)), wide_s.cast(ptr(i32)), zsbuf, across.low,
               _window_row(b, ctx, y), width, mask)
    b.call(FREE, memory.cast(ptr(u8)))


def _token(b: Any, ctx: Any, name: str) -> None:
    """In feedback and selection nothing is drawn."""
    with b.If(ctx.key.render_mode != 0, likely=False):
        b.call(ctx.pixel.hook_token, ctx, GL_TOKENS[name])
        b.Return()


@kernel(void, (CTX, i32, i32, u32, u32, ptr(u8)))
def st_draw_pixels(b: Any, ctx: Any, width: Any, height: Any, format: Any, type_: Any,
                   pixels: Any) -> None:
    """glDrawPixels."""
    b.gl_slot = SLOTS["glDrawPixels"]
    with b.If((width < 0) | (height < 0)):
        record_error(b, ctx, GL_INVALID_VALUE)
        b.Return()
    _follow(b, ctx, ctx.dyn.fb)
    numbers = b.array(u32, 2)
    error = b.call(px_numbers, format, type_, numbers)
    with b.If(error != 0):
        record_error(b, ctx, error)
        b.Return()
    f, t = numbers[0], numbers[1]
    kind, raw = kind_of(b, f), ctx.raw
    with b.If((kind == INTEGER) | zs_missing(b, kind, ctx.dyn.fb.zsbuf)):
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If(raw.raster_valid == 0):
        b.Return()
    _token(b, ctx, "glDrawPixels")
    with b.If((width == 0) | (height == 0)):
        b.Return()
    store = raw.unpack
    image = Image(b, store, pixels, width, f, t)
    end, element = image.end(b, height), element_bytes(b, t)
    start = in_buffer(b, ctx, ctx.pixel.unpack_buffer, pixels, end, element)
    with b.If(start == b.const(start.ty, None)):
        b.Return()
    job = b.array(PixelJob, 1, align=64)
    b.memset(job, 0, PixelJob.size)
    job.first, job.step = b.bytes_from(start, image.offset, u8), image.step
    job.numbers[0], job.numbers[1] = f, t
    job.kind, job.bit, job.bytes_a_pixel = kind, image.bit, b.cast(image.size, u32)
    job.swap, job.lsb_first = b.cast(store[SWAP_BYTES], u32), b.cast(store[LSB_FIRST], u32)
    job.columns, job.rows = b.cast(width, u32), b.cast(height, u32)
    plain = colors_stay(b, ctx)
    job.plain = b.cast(plain, u32)
    with b.If((kind == STENCIL) | (kind == BOTH)):
        b.call(px_put_job, ctx, job)
        b.Return()
    order = b.table(u32, _ORDERS)[f * len(TYPES) + t]
    swapped = (job.swap != 0) & (element_bytes(b, t) > 1)
    bytes_ = (order != 0) & plain & ~swapped
    job.order, job.rect = order & 0xFFFF, b.select(bytes_, b.const(u32, RECT_RGBA8), RECT_RGBA32F)
    with b.If(kind == DEPTH):
        job.rect = RECT_Z32F
    b.call(px_draw_job, ctx, job)


def _follow(b: Any, ctx: Any, fb: Any) -> None:
    """Draw what is pending, and follow a drawable that changed."""
    flush_vertices(b, ctx)
    with b.If(framebuffer_stale(b, ctx, fb), likely=False):
        b.call(ctx.hook_fb, ctx)
        refresh(b, ctx)


_COPY_KINDS = {GL_COLOR: COLOR, GL_DEPTH: DEPTH, GL_STENCIL: STENCIL, GL_DEPTH_STENCIL: BOTH}


@kernel(void, (CTX, i32, i32, i32, i32, u32))
def st_copy_pixels(b: Any, ctx: Any, x: Any, y: Any, width: Any, height: Any, type_: Any) -> None:
    """glCopyPixels."""
    b.gl_slot = SLOTS["glCopyPixels"]
    with b.If((width < 0) | (height < 0)):
        record_error(b, ctx, GL_INVALID_VALUE)
        b.Return()
    kind = b.var(u32, INTEGER)
    with b.Switch(type_) as s:
        for enum, value in _COPY_KINDS.items():
            with s.Case(enum):
                kind.value = value
    with b.If(kind.value == INTEGER):
        record_error(b, ctx, GL_INVALID_ENUM)
        b.Return()
    _follow(b, ctx, ctx.dyn.fb)
    _follow(b, ctx, ctx.read)
    fb, what = ctx.read, kind.value
    cbuf, zsbuf = fb.cbuf, fb.zsbuf
    missing = zs_missing(b, what, zsbuf) | zs_missing(b, what, ctx.dyn.fb.zsbuf)
    with b.If(missing | ((what == COLOR) & (cbuf == b.const(cbuf.ty, None)))):
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If((ctx.raw.raster_valid == 0) | (width == 0) | (height == 0)):
        b.Return()
    _token(b, ctx, "glCopyPixels")
    x0, y0 = b.max(x, 0), b.max(y, 0)
    ends = [
        b.cast(b.min(b.cast(at, i64) + b.cast(size, i64), b.cast(limit, i64)), i32)
        for at, size, limit in ((x, width, fb.width), (y, height, fb.height))
    ]
    with b.If((x0 >= ends[0]) | (y0 >= ends[1])):
        b.Return()
    surface = b.select(what == COLOR, cbuf, zsbuf)
    resolve(b, ctx, surface)
    job = b.array(PixelJob, 1, align=64)
    b.memset(job, 0, PixelJob.size)
    flip = fb.flip_y != 0
    job.surface, job.sx = surface, b.cast(x0, i64)
    job.sy = b.select(flip, b.cast(fb.height, i64) - 1 - b.cast(y0, i64), b.cast(y0, i64))
    job.down = b.select(flip, b.const(i64, -1), b.const(i64, 1))
    job.kind = what
    job.skip_x, job.skip_y = x0 - x, y0 - y
    job.columns, job.rows = b.cast(ends[0] - x0, u32), b.cast(ends[1] - y0, u32)
    plain = colors_stay(b, ctx)
    job.plain = b.cast(plain, u32)
    job.rect = b.select(what == DEPTH, b.const(u32, RECT_Z32F), RECT_RGBA32F)
    with b.If(plain & (what == COLOR)), b.Switch(surface.format) as s:
        for number, order in _SURFACE_ORDERS.items():
            with s.Case(number):
                job.rect, job.order, job.bytes_a_pixel = RECT_RGBA8, order, 4
    b.call(_copy_all, ctx, job)


@kernel(void, (CTX, ptr(PixelJob)), name="px_copy_job", noinline=True)
def _copy_all(b: Any, ctx: Any, job: Any) -> None:
    """Read everything, then draw it: what is drawn may lie over what is read."""
    size = b.select(job.rect == RECT_RGBA32F, b.const(u32, 16), b.const(u32, 4))
    direct = (job.kind == STENCIL) | (job.kind == BOTH)
    with b.If(direct):
        b.call(px_copy_zs, ctx, job)
        b.Return()
    columns = job.columns
    step = b.cast(columns * size, u64)
    memory = b.call(MALLOC, step * b.cast(job.rows, u64) + 64)
    with b.If(memory == b.const(memory.ty, None), likely=False):
        b.Return()
    with b.For(b.const(u32, 0), job.rows) as row:
        to = b.bytes_from(memory, b.cast(row, u64) * step, u8)
        b.call(px_fetch, ctx, job, to, b.cast(row, i64), 0, columns)
    job.copied = memory
    b.call(px_draw_job, ctx, job)
    b.call(FREE, memory)


@kernel(void, (CTX, ptr(PixelJob)), noinline=True)
def px_copy_zs(b: Any, ctx: Any, job: Any) -> None:
    """Stencil values, or both, as an image of GL_FLOAT_32_UNSIGNED_INT_24_8_REV in memory."""
    number = next(n for n, row in enumerate(TYPES) if row.kind == "z32fs8")
    columns, rows = job.columns, job.rows
    memory = b.call(MALLOC, b.cast(columns, u64) * b.cast(rows, u64) * 8 + 64)
    with b.If(memory == b.const(memory.ty, None), likely=False):
        b.Return()
    depths, stencils = b.array(f32, CHUNK, align=64), b.array(i32, CHUNK, align=64)
    words = memory.cast(ptr(u32))
    with b.For(b.const(u32, 0), rows) as row, b.For(b.const(u32, 0), columns, CHUNK) as at:
        count = b.min(columns - at, CHUNK)
        y = job.sy + b.cast(row, i64) * job.down
        wide = b.array(f64, CHUNK, align=64)
        b.call(fb_load_zs, wide, stencils, job.surface, job.sx + b.cast(at, i64), y, count)
        base = b.cast(row, u64) * b.cast(columns, u64) + b.cast(at, u64)
        with b.For(b.const(u32, 0), count) as i:
            depths[i] = b.cast(wide[i], f32)
            word = (base + b.cast(i, u64)) * 2
            words[word] = b.bitcast(depths[i], u32)
            words[word + 1] = b.cast(stencils[i], u32)
    job.surface = None
    job.first, job.step, job.bytes_a_pixel = memory, b.cast(columns, i64) * 8, 8
    job.numbers[1] = number
    b.call(px_put_job, ctx, job)
    b.call(FREE, memory)


__all__ = ["PixelJob", "st_copy_pixels", "st_draw_pixels"]
