# SPDX-License-Identifier: MIT
"""Rectangles of pixels at the raster position, and glBitmap (GL 2.1, 3.6.4, 3.7).

In: the raster position with its colours and distance, bits of the program's memory. Out: calls of
the driver's draw_rect with the pipeline of the key block, in which `prim` says what rectangles
hold; all operations on fragments are the driver's, as ever. A bitmap becomes coverage bits, so a
character costs its rows and a command or two, and a page of text shares pipeline and state. Answers
to Mesa's st_cb_bitmap.c, which collects bitmaps in a texture until state changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_BITMAP_TOKEN, GL_INVALID_VALUE
from pydri.api.gl_table import SLOTS
from pydri.jit import f32, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.framebuffers.complete_kernels import refuse_draw
from pydri.main.kernels import CTX, error_if, flush_vertices, native
from pydri.main.layout import RECTANGLES
from pydri.main.queries.kernels import discarded
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.nir.enums import (
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_TEX0,
)
from pydri.pipe.native import RectInfo
from pydri.pipe.state import RECT_BITS
from pydri.st.draw.derived import st_scissor, synchronise
from pydri.st.pixels.memory import in_buffer, leave_buffer
from pydri.st.programs.blocks import draw_buffers

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

V4 = f32.vec(4)
NUDGE = 1e-4  # a raster position that is a whole number but for rounding means that number
PIECE = 32  # columns of a bitmap that are moved at a time
BAND = 1 << 20  # bytes of an image that one rectangle shows


@kernel(u32, (CTX, u32, ptr(RectInfo)), noinline=True)
def st_begin_rect(b: Builder, ctx: GLContext, prim: Value, rect: RectInfo) -> None:
    """Make framebuffer, derived state and pipeline those of rectangles, and the rectangle's values
    those of the raster position. 0: nothing can be drawn."""
    key, dyn, raw = ctx.key, ctx.dyn, ctx.raw
    synchronise(b, ctx, 0)
    with b.If(b.cast(key.prim, u32) != prim):
        key.prim = b.cast(prim, u8)
        ctx.key_dirty = 1
        b.call(st_scissor, ctx)
    empty = (dyn.scissor_x0 >= dyn.scissor_x1) | (dyn.scissor_y0 >= dyn.scissor_y1)
    draw = ctx.pipe.draw_rect
    with b.If(empty | discarded(ctx) | (draw == b.const(draw.ty, None))):
        b.Return(0)
    with b.If(prim == RECTANGLES):  # nothing is drawn by the driver
        b.Return(1)
    from pydri.st.draw.kernels import st_find_plan

    with b.If(ctx.key_dirty != 0), b.If(b.call(st_find_plan, ctx) == 0, likely=False):
        b.Return(0)
    rect.depth = raw.raster_position[2]
    values = rect.addr("values").cast(ptr(f32))
    (values + 4 * VARYING_SLOT_COL0).store(raw.raster_color.load(V4, align=4))
    (values + 4 * VARYING_SLOT_COL1).store(raw.raster_secondary_color.load(V4, align=4))
    values[4 * VARYING_SLOT_FOGC] = raw.raster_distance
    coords = raw.addr("raster_texcoords").cast(ptr(f32))
    b.memcpy(values + 4 * VARYING_SLOT_TEX0, coords, 16 * MAX_TEXTURE_UNITS)
    b.Return(1)


def window_to_surface(b: Builder, ctx: GLContext, y: Operand, height: Operand) -> Value:
    """The surface row at which `height` rows of the window that begin at `y` start (i64)."""
    fb = ctx.dyn.fb
    return b.select(fb.flip_y != 0, b.cast(fb.height, i64) - (y + height), y)


def _row_bits(b: Builder, row: Value, first: Value, last: Value, lsb_first: Value) -> Value:
    """Up to PIECE bits from number `first` (u32) to `last` of a row, the first one lowest."""
    acc = b.var(u64, 0)
    start = first >> 3
    with b.For(start, (last >> 3) + 1) as n:
        at = b.cast((n - start) * 8, u64)
        shift = b.select(lsb_first, at, 56 - at)
        acc.value = acc.value | (b.cast(row[n], u64) << shift)
    turned = b.intrinsic("llvm.bitreverse.i64", u64, acc.value)
    return b.select(lsb_first, acc.value, turned) >> b.cast(first & 7, u64)


@kernel(void, (ptr(u8), u32, ptr(u8), u32, u32, i32, i32, u32), noinline=True, noalias=(0,))
def px_stamp_bits(b: Builder, image: Pointer, shift: Value, row: Pointer, bit: Value, width: Value,
                  column: Value, end: Value, lsb_first: Value) -> None:  # fmt: skip
    """Put columns [column, end) of a bitmap's row into the stamps of a row: bit 4 * j + i of the
    stamps' words, `shift` being 4 * j. `column` may be down to -3: those have no bits."""
    stamps = image.cast(ptr(u16))
    with b.For(column, end, PIECE) as at:
        low = b.max(at, 0)
        high = b.min(b.min(at + PIECE, end), b.cast(width, i32)) - 1
        with b.If(low > high):
            b.Break()
        first, last = b.cast(low, u32) + bit, b.cast(high, u32) + bit
        bits = _row_bits(b, row, first, last, lsb_first != 0) << b.cast(low - at, u64)
        place = stamps + ((at - column) >> 2)
        count = (high - at + 4) >> 2
        with b.For(b.const(i32, 0), count) as n:
            nibble = b.cast(bits >> b.cast(n * 4, u64), u32) & 15
            place[n] = place[n] | b.cast(nibble << shift, u16)


def _tight(b: Builder, store: Any, width: Operand) -> tuple[Any, Any]:
    """Bytes from a row of a bitmap to the next, and of what is skipped before the first."""
    align, length = b.cast(store[0], i64), b.cast(store[1], i64)
    length = b.select(length > 0, length, b.cast(width, i64))
    step = (((length + 7) >> 3) + align - 1) & (0 - align)
    return step, b.cast(store[2], i64) * step + (b.cast(store[3], i64) >> 3)


@kernel(u32, (CTX, i32, i32, f32, f32, ptr(u8)), noinline=True)
def st_bitmap(b: Any, ctx: GLContext, width: Value, height: Value, xorig: Value, yorig: Value,
              pixels: Pointer) -> None:
    """Draw the ones of a bitmap; 0: an error was recorded."""
    b.gl_slot = SLOTS["glBitmap"]
    raw, store = ctx.raw, ctx.raw.unpack
    step, skipped = _tight(b, store, width)
    bit = b.cast(store[3] & 7, u32)
    used = (b.cast(width, i64) + b.cast(bit, i64) + 7) >> 3
    end = skipped + (b.cast(height, i64) - 1) * step + used
    memory = in_buffer(b, ctx, False, pixels, end, b.const(u32, 1), 0)
    with b.If(memory == b.const(ptr(u8), None)):
        b.Return(1)
    rect = b.array(RectInfo, 1, align=64)
    with b.If(b.call(st_begin_rect, ctx, RECTANGLES + RECT_BITS, rect) == 0):
        b.Return(1)
    dyn, fb = ctx.dyn, ctx.dyn.fb
    first = b.bytes_from(memory, skipped, u8)
    x, y = (
        b.cast(b.cast(b.floor(raw.raster_position[n] - origin + NUDGE), i32), i64)
        for n, origin in ((0, xorig), (1, yorig))
    )
    wide, tall = b.cast(width, i64), b.cast(height, i64)
    top = window_to_surface(b, ctx, y, tall)
    x0, x1 = b.max(x, b.cast(dyn.scissor_x0, i64)), b.min(x + wide, b.cast(dyn.scissor_x1, i64))
    y0, y1 = b.max(top, b.cast(dyn.scissor_y0, i64)), b.min(top + tall, b.cast(dyn.scissor_y1, i64))
    with b.If((x0 >= x1) | (y0 >= y1)):
        b.Return(1)
    left = x0 & -4
    stride = (((x1 + 3) >> 2) - (x0 >> 2)) * 2
    rows = b.max(b.const(i64, BAND) // stride * 4, 4)
    flip = fb.flip_y != 0
    pipe, pipeline = ctx.pipe, ctx.plan.pipeline
    lsb_first = b.cast(store[7], u32)
    rect.x0, rect.x1 = b.cast(x0, i32), b.cast(x1, i32)
    rect.stride = b.cast(stride, u32)
    with b.For(y0 & -4, y1, rows) as band:
        start, stop = b.max(band, y0), b.min(band + rows, y1)
        size = b.cast(((stop + 3 - band) >> 2) * stride, u32)
        image = b.call(pipe.upload, pipe, pipeline, dyn, size)
        with b.If(image == b.const(image.ty, None), likely=False):
            b.Return(1)
        b.memset(image, 0, b.cast(size, u64))
        with b.For(start, stop) as row:
            down = b.select(flip, tall - 1 - (row - top), row - top)
            source = b.bytes_from(first, down * step, u8)
            line = b.bytes_from(image, ((row - band) >> 2) * stride, u8)
            b.call(px_stamp_bits, line, b.cast((row & 3) * 4, u32), source, bit,
                   b.cast(width, u32), b.cast(left - x, i32), b.cast(x1 - x, i32), lsb_first)
        rect.y0, rect.y1 = b.cast(start, i32), b.cast(stop, i32)
        rect.image = image
        draw_buffers(b, ctx, lambda: b.call(pipe.draw_rect, pipe, pipeline, dyn, rect))
    b.Return(1)


@native
def glBitmap(b: Builder, ctx: GLContext, width: Value, height: Value, xorig: Value, yorig: Value,
             xmove: Value, ymove: Value, bitmap: Pointer) -> None:  # fmt: skip
    """Draw the ones of a bitmap in the raster colour, then move the raster position."""
    error_if(b, ctx, (width < 0) | (height < 0), GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    refuse_draw(b, ctx)
    raw = ctx.raw
    with b.If(raw.raster_valid == 0):
        b.Return()
    with b.If(ctx.key.render_mode != 0, likely=False):
        b.call(ctx.pixel.hook_token, ctx, GL_BITMAP_TOKEN)
    with b.Elif(lambda: (width != 0) & (height != 0)):
        drawn = b.call(st_bitmap, ctx, width, height, xorig, yorig, bitmap)
        leave_buffer(b, ctx, ctx.pixel.unpack_buffer)
        with b.If(drawn == 0):
            b.Return()
    raw.raster_position[0] = raw.raster_position[0] + xmove
    raw.raster_position[1] = raw.raster_position[1] + ymove


__all__ = ["BAND", "NUDGE", "glBitmap", "st_begin_rect", "window_to_surface"]
