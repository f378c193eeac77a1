# SPDX-License-Identifier: MIT
"""glDrawPixels and glCopyPixels for every format and type (GL 2.1, 3.6.4 and 4.3.3).

In: an image in the program's memory, or a rectangle of the read framebuffer. Out: rectangles of the
driver whose image holds the pixels as the fragments see them: unpacked, transferred, zoomed and in
the surface's order, so that a fragment finds its colour or depth at its own place and all
operations on fragments follow. Zoom is looked at from the destination: each pixel whose centre lies
in the zoomed rectangle finds the group it belongs to. Stencil values pass no test but ownership and
scissor (GL 2.1, 4.3.1): they are put into the buffer directly, with depths if they come together.
A copy reads everything before anything is drawn, so it may overlap itself. Counterpart of Mesa's
main/drawpix.c and st_cb_drawpixels.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api.enums import (
    GL_COLOR,
    GL_DEPTH,
    GL_DEPTH_STENCIL,
    GL_INVALID_ENUM,
    GL_INVALID_FRAMEBUFFER_OPERATION,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_OUT_OF_MEMORY,
    GL_STENCIL,
)
from pydri.api.gl_table import SLOTS
from pydri.jit import extern_c, f32, f64, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, flush_vertices, record_error
from pydri.main.layout import RECTANGLES
from pydri.main.pixels.tables import FORMATS, TYPES
from pydri.main.textures.image_copy_check import samples_read
from pydri.pipe.native import RectInfo
from pydri.pipe.state import (
    RECT_L32F,
    RECT_NONE,
    RECT_R32F,
    RECT_RGBA8,
    RECT_RGBA32F,
    RECT_Z32F,
)
from pydri.st.draw.derived import follow, incomplete, unreadable
from pydri.st.pixels.bytes import (
    ORDERS,
    SURFACE_ORDERS,
    Z24S8,
    px_zs_words,
    same_words,
)
from pydri.st.pixels.job import (
    PixelJob,
    axes_of,
    columns_seen,
    fill_column_table,
    group_of,
    px_fetch,
    px_fetch_zs,
    px_spread,
    window_row,
)
from pydri.st.pixels.memory import LSB_FIRST, SWAP_BYTES, Image, in_buffer
from pydri.st.pixels.ops import (
    colors_stay,
    fb_load_zs,
    fb_merge_words,
    fb_store_zs,
    px_zs_compose,
)
from pydri.st.pixels.read import (
    BOTH,
    COLOR,
    DEPTH,
    INTEGER,
    STENCIL,
    kind_of,
    px_numbers,
    resolve,
    zs_missing,
)
from pydri.st.pixels.rect import st_begin_rect
from pydri.st.pixels.rows import (
    CHUNK,
    element_bytes,
)
from pydri.st.programs.blocks import draw_buffers

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

MALLOC = extern_c("malloc", ptr(u8), u64)
FREE = extern_c("free", void, ptr(u8))
BAND = 4 << 20  # bytes of an image that one rectangle shows
#: images of formats with one component that is R, or L
_ONE_FLOAT = {
    rect: next(n for n, row in enumerate(FORMATS) if (row.kind, row.channels) == ("color", c))
    for rect, c in ((RECT_R32F, "R"), (RECT_L32F, "L"))
}
GL_TOKENS = {"glDrawPixels": 0x0705, "glCopyPixels": 0x0706}


@kernel(void, (CTX, ptr(PixelJob)), noinline=True)
def px_draw_job(b: Builder, ctx: GLContext, job: PixelJob) -> None:
    """Draw colours or depths: rectangles of rows, as many as their images may take memory."""
    rect = b.array(RectInfo, 1, align=64)
    with b.If(b.call(st_begin_rect, ctx, RECTANGLES + job.rect, rect) == 0):
        b.Return()
    across, up = axes_of(b, ctx, job)
    x0, x1 = across.low, across.high
    ends = [window_row(b, ctx, n) for n in (up.low, up.high - 1)]
    y0, y1 = b.min(ends[0], ends[1]), b.max(ends[0], ends[1]) + 1
    with b.If((x0 >= x1) | (up.low >= up.high)):
        b.Return()
    size = b.select(job.rect == RECT_RGBA32F, b.const(u32, 16), b.const(u32, 4))
    wide = b.cast(size, i64)
    width = b.cast(x1 - x0, u32)
    least, columns = columns_seen(b, across)
    memory = b.call(MALLOC, b.cast(width * 4 + 64, u64) + b.cast(columns, u64) * b.cast(size, u64))
    with b.If(memory == b.const(memory.ty, None), likely=False):
        record_error(b, ctx, GL_OUT_OF_MEMORY)
        b.Return()
    table, line = memory.cast(ptr(u32)), b.bytes_from(memory, width * 4, u8)
    same = across.zoom == 1.0
    with b.If(~same):
        fill_column_table(b, across, least, table)
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
            row = group_of(b, up, window_row(b, ctx, y))
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
        draw_buffers(b, ctx, lambda: b.call(pipe.draw_rect, pipe, pipeline, dyn, rect))
    b.call(FREE, memory)


class _ZsWrites(NamedTuple):
    """What of depth and stencil is written, as values of the kernel."""

    depth: Any  # depths, too?
    mask: Any  # of fb_store_zs: of stencil, and 0x100 for depth
    as_words: Any  # is a pixel a word of 24 bits of depth and 8 of stencil?
    bits: Any  # of that word


def _zs_writes(b: Builder, ctx: GLContext, job: Any, zsbuf: Any) -> _ZsWrites:
    """Emit: what the write masks let through."""
    depth = (job.kind == BOTH) & (ctx.key.depth_mask != 0)
    stencil = b.cast(ctx.raw.stencil_writemask[0], u32) & 0xFF
    as_words = (zsbuf.format == Z24S8) & (zsbuf.layout != 0)
    bits = (stencil << 24) | b.select(depth, b.const(u32, 0xFFFFFF), b.const(u32, 0))
    mask = stencil | b.select(depth, b.const(u32, 0x100), b.const(u32, 0))
    return _ZsWrites(depth, mask, as_words, bits)


def _fetch_zs_row(b: Builder, ctx: GLContext, job: Any, to: tuple[Any, Any], row: Operand,
                  columns: tuple[Any, Any], writes: _ZsWrites) -> None:
    """Emit: fetch the columns (first, how many) of a row of the image, depths and stencil values to
    an array each; words go where the depths were."""
    depths, stencils = to
    first, count = columns
    with b.For(b.const(u32, 0), count, CHUNK) as at:
        some = b.min(count - at, CHUNK)
        z, s = (depths + at).cast(ptr(f32)), (stencils + at).cast(ptr(i32))
        b.call(px_fetch_zs, ctx, job, z, s, row, first + at, some)
        with b.If(writes.as_words):
            b.call(px_zs_compose, depths + at, z, s, some, b.cast(writes.depth, u32))


@kernel(void, (CTX, ptr(PixelJob)), noinline=True)
def px_put_job(b: Builder, ctx: GLContext, job: PixelJob) -> None:
    """Put stencil values, or both, into the buffer: under their masks and the scissor alone."""
    rect = b.array(RectInfo, 1, align=64)
    with b.If(b.call(st_begin_rect, ctx, RECTANGLES + RECT_NONE, rect) == 0):
        b.Return()
    zsbuf = ctx.dyn.fb.zsbuf
    resolve(b, ctx, zsbuf)
    zsbuf.stencil_known = 0
    across, up = axes_of(b, ctx, job)
    width = b.cast(across.high - across.low, u32)
    with b.If((across.low >= across.high) | (up.low >= up.high)):
        b.Return()
    least, used = columns_seen(b, across)
    columns = b.cast(used, u64) + CHUNK
    memory = b.call(MALLOC, b.cast(width * 12 + 64, u64) + columns * 8).cast(ptr(u32))
    with b.If(memory == b.const(memory.ty, None), likely=False):
        record_error(b, ctx, GL_OUT_OF_MEMORY)
        b.Return()
    table, wide_z, wide_s = memory, memory + width, memory + width * 2
    depths = memory + width * 3
    stencils = depths + columns
    same = across.zoom == 1.0
    with b.If(~same):
        fill_column_table(b, across, least, table)
    writes = _zs_writes(b, ctx, job, zsbuf)
    as_words = writes.as_words
    copied = job.copied.cast(ptr(u32))
    last, line = b.var(i64, -1), b.var(ptr(u32), depths)

    def spread(out: Pointer, values: Pointer) -> Pointer:
        """A row's values where its pixels are."""
        place = b.var(ptr(u32), values)
        with b.If(~same):
            b.call(px_spread, out.cast(ptr(u8)), values.cast(ptr(u8)), table, width, 4)
            place.value = out
        return place.value

    with b.For(up.low, up.high) as y:
        row = group_of(b, up, y)
        fresh = row != last.value
        last.value = row
        with b.If(fresh & (b.ptr_to_int(copied) != 0)):
            start = copied + (row * b.cast(job.columns, i64) + b.cast(least, i64))
            line.value = spread(wide_z, start)
        with b.Elif(lambda: fresh):
            _fetch_zs_row(b, ctx, job, (depths, stencils), row, (least, used), writes)
            line.value = spread(wide_z, depths)
            with b.If(~as_words):
                with b.If(~same):
                    b.call(px_spread, wide_s.cast(ptr(u8)), stencils.cast(ptr(u8)), table, width, 4)
                with b.Else():
                    b.memcpy(wide_s, stencils, b.cast(width, u64) * 4)
        to = window_row(b, ctx, y)
        with b.If(as_words):
            b.call(fb_merge_words, line.value, zsbuf, across.low, to, width, writes.bits)
        with b.Else():
            b.call(fb_store_zs, line.value.cast(ptr(f32)), wide_s.cast(ptr(i32)), zsbuf,
                   across.low, to, width, writes.mask)
    b.call(FREE, memory.cast(ptr(u8)))


def _token(b: Builder, ctx: GLContext, name: str) -> None:
    """In feedback and selection nothing is drawn."""
    with b.If(ctx.key.render_mode != 0, likely=False):
        b.call(ctx.pixel.hook_token, ctx, GL_TOKENS[name])
        b.Return()


@kernel(void, (CTX, i32, i32, u32, u32, ptr(u8)))
def st_draw_pixels(b: Any, ctx: Any, width: Any, height: Value, format: Value, type_: Value,
                   pixels: Any) -> None:
    """glDrawPixels."""
    b.gl_slot = SLOTS["glDrawPixels"]
    with b.If((width < 0) | (height < 0)):
        record_error(b, ctx, GL_INVALID_VALUE)
        b.Return()
    _follow(b, ctx)
    numbers = b.array(u32, 2)
    error = b.var(u32, b.call(px_numbers, format, type_, numbers))
    whole = b.table(u8, [*(int(row.kind == "integer") for row in FORMATS), 0])
    with b.If(whole[b.min(numbers[0], len(FORMATS))] != 0):
        error.value = GL_INVALID_OPERATION  # whatever type it is
    with b.If(error.value != 0):
        record_error(b, ctx, error.value)
        b.Return()
    f, t = numbers[0], numbers[1]
    kind, raw = kind_of(b, f), ctx.raw
    with b.If((ctx.visual.integers != 0) | zs_missing(b, kind, ctx.dyn.fb)):
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If(incomplete(ctx)):
        record_error(b, ctx, GL_INVALID_FRAMEBUFFER_OPERATION)
        b.Return()
    with b.If(raw.raster_valid == 0):
        b.Return()
    _token(b, ctx, "glDrawPixels")
    with b.If((width == 0) | (height == 0)):
        b.Return()
    store = raw.unpack
    image = Image(b, store, pixels, width, f, t)
    end, element = image.end(b, height), element_bytes(b, t)
    start = in_buffer(b, ctx, False, pixels, end, element)
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
    order = b.table(u32, ORDERS)[f * len(TYPES) + t]
    swapped = (job.swap != 0) & (element_bytes(b, t) > 1)
    bytes_ = (order != 0) & plain & ~swapped
    job.order, job.rect = order & 0xFFFF, b.select(bytes_, b.const(u32, RECT_RGBA8), RECT_RGBA32F)
    with b.If(kind == DEPTH):
        job.rect = RECT_Z32F
    with b.Elif(lambda: plain & ~bytes_):
        for one, number in _ONE_FLOAT.items():
            with b.If(f == number):
                job.rect = one
    b.call(px_draw_job, ctx, job)


def _follow(b: Builder, ctx: GLContext) -> None:
    """Draw what is pending, and follow a framebuffer that changed."""
    flush_vertices(b, ctx)
    follow(b, ctx)


_COPY_KINDS = {GL_COLOR: COLOR, GL_DEPTH: DEPTH, GL_STENCIL: STENCIL, GL_DEPTH_STENCIL: BOTH}


@kernel(void, (CTX, i32, i32, i32, i32, u32))
def st_copy_pixels(b: Any, ctx: GLContext, x: Value, y: Value, width: Value, height: Value,
                   type_: Value) -> None:  # fmt: skip
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
    _follow(b, ctx)
    fb, what = ctx.read, kind.value
    cbuf, zsbuf = fb.cbuf, fb.zsbuf
    missing = zs_missing(b, what, fb) | zs_missing(b, what, ctx.dyn.fb) | samples_read(ctx)
    with b.If(ctx.visual.integers != 0):
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If(unreadable(ctx) & ~incomplete(ctx)):
        record_error(b, ctx, GL_INVALID_FRAMEBUFFER_OPERATION)
        b.Return()
    with b.If(missing | ((what == COLOR) & (cbuf == b.const(cbuf.ty, None)))):
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If(incomplete(ctx)):
        record_error(b, ctx, GL_INVALID_FRAMEBUFFER_OPERATION)
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
        for number, order in SURFACE_ORDERS.items():
            with s.Case(number):
                job.rect, job.order, job.bytes_a_pixel = RECT_RGBA8, order, 4
    b.call(_copy_all, ctx, job)


@kernel(void, (CTX, ptr(PixelJob)), name="px_copy_job", noinline=True)
def _copy_all(b: Builder, ctx: GLContext, job: PixelJob) -> None:
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
        record_error(b, ctx, GL_OUT_OF_MEMORY)
        b.Return()
    with b.For(b.const(u32, 0), job.rows) as row:
        to = b.bytes_from(memory, b.cast(row, u64) * step, u8)
        b.call(px_fetch, ctx, job, to, b.cast(row, i64), 0, columns)
    job.copied = memory
    b.call(px_draw_job, ctx, job)
    b.call(FREE, memory)


@kernel(void, (CTX, ptr(PixelJob)), noinline=True)
def px_copy_zs(b: Builder, ctx: GLContext, job: PixelJob) -> None:
    """Stencil values, or both, in memory: as they lie in the surface, if they may stay so, else as
    an image of GL_FLOAT_32_UNSIGNED_INT_24_8_REV."""
    number = next(n for n, row in enumerate(TYPES) if row.kind == "z32fs8")
    columns, rows = job.columns, job.rows
    surface, target = job.surface, ctx.dyn.fb.zsbuf
    words = same_words(b, ctx, surface, job.kind == STENCIL, job.kind == BOTH)
    with b.If(words & (target.format == Z24S8) & (target.layout != 0)):
        step = b.cast(columns, i64) * 4
        copied = b.call(MALLOC, b.cast(rows, u64) * b.cast(step, u64) + 64)
        with b.If(copied == b.const(copied.ty, None), likely=False):
            record_error(b, ctx, GL_OUT_OF_MEMORY)
            b.Return()
        b.call(px_zs_words, copied, surface.data, job.sx, job.sx + b.cast(columns, i64), job.sy,
               b.cast(rows, i64), step, b.cast(surface.stride, i64), job.down,
               b.cast(b.max(surface.samples, 1), i64))
        job.copied = copied
        b.call(px_put_job, ctx, job)
        b.call(FREE, copied)
        b.Return()
    memory = b.call(MALLOC, b.cast(columns, u64) * b.cast(rows, u64) * 8 + 64)
    with b.If(memory == b.const(memory.ty, None), likely=False):
        record_error(b, ctx, GL_OUT_OF_MEMORY)
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
