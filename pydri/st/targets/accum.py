# SPDX-License-Identifier: MIT
"""The accumulation buffer: glAccum, and its part of glClear (GL 2.1, 4.2.4 and 4.2.3).

In: an operation and a value; the read buffer, the draw buffer's drawable with its accumulation
surface (four signed 16-bit numbers a pixel, 1.0 is 32767; memory comes with the first use). Out:
the accumulation surface, or colours in the draw buffer. Bounded by the scissor; colours that return
obey the colour mask and nothing else. Sums saturate. Numbers are cut off and rounded where the peer
does so, hence the same pictures. Rows are moved 16 numbers a step. Counterpart of Mesa's
main/accum.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import (
    GL_ACCUM,
    GL_ADD,
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_LOAD,
    GL_MULT,
    GL_OUT_OF_MEMORY,
    GL_RETURN,
)
from pydri.api.gl_table import SLOTS
from pydri.jit import boolean, f32, i16, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, flush_vertices, one_of, record_error
from pydri.main.queries.kernels import discarded
from pydri.pipe.format import BY_NAME
from pydri.pipe.native import TILE, Surface
from pydri.st.draw.derived import follow, scissor_box
from pydri.st.pixels.bytes import px_bytes
from pydri.st.pixels.ops import COLOR, fb_load_rgba
from pydri.st.pixels.read import resolve
from pydri.st.pixels.read_kernels import swap_red_blue
from pydri.st.pixels.rows import CHUNK

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

CLEAR = 0  # an operation of ours: glClear
ONE = 32767.0
LANES = 16
F32X16, I32X16, I16X16, U8X16 = f32.vec(LANES), i32.vec(LANES), i16.vec(LANES), u8.vec(LANES)
PLACE = (ptr(Surface), ptr(Surface), i64, i64, u32, f32)
#: surfaces whose pixels are four bytes: byte orders of pixels/draw.py
BYTES = {
    BY_NAME["B8G8R8A8_UNORM"].number: 0x3012,
    BY_NAME["B8G8R8X8_UNORM"].number: 0x5012,
    BY_NAME["R8G8B8A8_UNORM"].number: 0x3210,
    BY_NAME["R8G8B8X8_UNORM"].number: 0x5210,
}


def _row(b: Builder, accum: Surface, x: Value, y: Value) -> Any:
    return b.bytes_from(accum.data, y * b.cast(accum.stride, i64) + x * 8, i16)


def _sweep(b: Builder, count: Any, body: Any) -> None:
    """body(first, vector types or scalars): 16 numbers a step, then one by one."""
    whole = count & ~(LANES - 1)
    with b.For(b.const(u32, 0), whole, LANES) as i:
        body(i, LANES)
    with b.For(whole, count) as i:
        body(i, 1)


def _of(ty: Any, lanes: int) -> Any:
    return ty if lanes == 1 else ty.vec(lanes)


def _saturate(b: Builder, v: Value) -> Any:
    """i32 to i16."""
    return b.cast(b.min(b.max(v, -32768), 32767), i16)


def _cut(b: Builder, v: Any) -> Any:
    """Floats cut off to i32; beyond all that a sum can take, and for NaN, the limit."""
    return b.cast_fast(b.min(b.max(v, -65536.0), 65536.0), i32)


def _add(b: Builder, place: Pointer, values: Any, lanes: int, load: Value) -> None:
    """Floats to the accumulation buffer: added, or in the place of what was there."""
    whole = _cut(b, values)
    old = b.cast(place.load(_of(i16, lanes), align=2), i32)
    kept = b.select(load, b.const(i32, 0), old if lanes == 1 else b.const(i32, -1))
    if lanes > 1:
        kept = old & b.splat(kept, lanes)
    place.store(_saturate(b, whole + kept), align=2)


@kernel(void, (*PLACE, u32), noinline=True)
def accum_add(b: Builder, accum: Surface, color: Surface, x: Value, y: Value, count: Value,
              value: Value, load: Value) -> None:  # fmt: skip
    """GL_ACCUM and GL_LOAD of up to CHUNK pixels of a row."""
    numbers = count * 4
    out, scale = _row(b, accum, x, y), value * ONE
    order = b.var(u32, 0)
    with b.Switch(color.format) as s:
        for number, given in BYTES.items():
            with s.Case(number):
                order.value = given
    with b.If(order.value != 0):
        bytes_ = b.array(u8, CHUNK * 4, align=64)
        source = b.bytes_from(color.data, y * b.cast(color.stride, i64) + x * 4, u8)
        b.call(px_bytes, bytes_.cast(ptr(u32)), source, count, order.value, 4)

        def from_bytes(i: Value, lanes: int) -> None:
            v = b.cast(b.cast((bytes_ + i).load(_of(u8, lanes), align=1), i32), f32) / 255.0
            _add(b, out + i, v * scale, lanes, load != 0)

        _sweep(b, numbers, from_bytes)
        b.Return()
    rgba = b.array(f32, CHUNK * 4, align=64)
    b.call(fb_load_rgba, rgba, color, x, y, count)

    def from_floats(i: Value, lanes: int) -> None:
        _add(b, out + i, (rgba + i).load(_of(f32, lanes), align=4) * scale, lanes, load != 0)

    _sweep(b, numbers, from_floats)


@kernel(void, (*PLACE, u32), noinline=True)
def accum_scale(b: Builder, accum: Surface, _color: Surface, x: Value, y: Value, count: Value,
                value: Value, add: Value) -> None:  # fmt: skip
    """GL_ADD and GL_MULT of a row's pixels."""
    out = _row(b, accum, x, y)
    shift = _cut(b, value * ONE)

    def one(i: Value, lanes: int) -> None:
        old = b.cast((out + i).load(_of(i16, lanes), align=2), i32)
        product = _cut(b, b.cast(old, f32) * value)
        new = b.select(add != 0, old + shift, product) if lanes == 1 else b.select(
            b.splat(add != 0, lanes), old + b.splat(shift, lanes), product
        )
        (out + i).store(_saturate(b, new), align=2)

    _sweep(b, count * 4, one)


@kernel(void, (ptr(f32), ptr(Surface), i64, i64, u32, u32), noinline=True, noalias=(0,))
def fb_store_rgba(b: Builder, rgba: Pointer, surface: Surface, x: Value, y: Value, count: Value,
                  mask: Value) -> None:  # fmt: skip
    """Floats in [0, 1] into a row of a colour surface; mask: bits of the channels that change."""
    with b.Switch(surface.format) as s:
        for row in COLOR:
            ty = {16: u16, 32: u32}.get(row.bits)
            if ty is None:
                continue
            with s.Case(row.number):
                place = b.bytes_from(
                    surface.data, y * b.cast(surface.stride, i64) + x * row.bytes, ty
                )
                shifts = [sum(n for _, n in row.channels[:k]) for k in range(len(row.channels))]
                with b.For(b.const(u32, 0), count) as i:
                    word = b.var(u32, b.cast(place[i], u32))
                    for c, pick in enumerate(row.swizzle):
                        if pick in "zo":
                            continue
                        bits, shift = row.channels[int(pick)][1], shifts[int(pick)]
                        top = (1 << bits) - 1
                        scaled = b.round_even(b.clamp(rgba[i * 4 + c], 0.0, 1.0) * float(top))
                        part = b.cast(b.cast_fast(scaled, i32), u32) << shift
                        new = (word.value & (~(top << shift) & 0xFFFFFFFF)) | part
                        word.value = b.select((mask & (1 << c)) != 0, new, word.value)
                    place[i] = b.cast(word.value, ty)


@kernel(void, (*PLACE, u32), noinline=True)
def accum_return(b: Builder, accum: Surface, color: Surface, x: Value, y: Value, count: Value,
                 value: Value, mask: Value) -> None:  # fmt: skip
    """GL_RETURN of up to CHUNK pixels of a row."""
    source, scale = _row(b, accum, x, y), value / ONE
    swapped, bytes_like = b.var(boolean, b.const(boolean, 0)), b.var(boolean, b.const(boolean, 0))
    with b.Switch(color.format) as s:
        for number, order in BYTES.items():
            with s.Case(number):
                bytes_like.value = b.const(boolean, 1)
                swapped.value = b.const(boolean, order & 0xF == 2)
    with b.If(~bytes_like.value):
        rgba = b.array(f32, CHUNK * 4, align=64)

        def to_floats(i: Value, lanes: int) -> None:
            v = b.cast(b.cast((source + i).load(_of(i16, lanes), align=2), i32), f32)
            (rgba + i).store(v * scale, align=4)

        _sweep(b, count * 4, to_floats)
        b.call(fb_store_rgba, rgba, color, x, y, count, mask)
        b.Return()
    bytes_ = b.array(u8, CHUNK * 4 + 64, align=64)

    def to_bytes(i: Value, lanes: int) -> None:
        v = b.cast(b.cast((source + i).load(_of(i16, lanes), align=2), i32), f32) * scale
        whole = b.cast_fast(b.round_even(b.clamp(v, 0.0, 1.0) * 255.0), i32)
        (bytes_ + i).store(b.cast(whole, u8), align=1)

    _sweep(b, count * 4, to_bytes)
    # bytes of R, G, B, A that change; then all in the surface's order
    write = b.var(u32, 0)
    for c in range(4):
        part = b.select((mask & (1 << c)) != 0, b.const(u32, 0xFF << 8 * c), b.const(u32, 0))
        write.value = write.value | part
    turned = (write.value & 0xFF00FF00) | ((write.value >> 16) & 0xFF)
    turned = turned | ((write.value & 0xFF) << 16)
    write.value = b.select(swapped.value, turned, write.value)
    words = bytes_.cast(ptr(u32))
    with b.If(swapped.value), b.For(b.const(u32, 0), count, LANES) as i:
        v = (words + i).load(u32.vec(LANES), align=64)
        (words + i).store(swap_red_blue(b, v), align=64)
    place = b.bytes_from(color.data, y * b.cast(color.stride, i64) + x * 4, u32)
    with b.For(b.const(u32, 0), count) as i:
        place[i] = (place[i] & ~write.value) | (words[i] & write.value)


@kernel(void, (*PLACE, ptr(f32)), noinline=True)
def accum_fill(b: Builder, accum: Surface, _color: Surface, x: Value, y: Value, count: Value,
               _value: Value, values: Pointer) -> None:  # fmt: skip
    """The clear value into a row's pixels."""
    out = _row(b, accum, x, y).cast(ptr(u64))
    word = b.var(u64, 0)
    for c in range(4):
        # towards zero twice, as the peer has it
        short = b.cast(b.cast(values[c] * 65535.0, i32) // 2, i16)
        word.value = word.value | (b.cast(b.bitcast(short, u16), u64) << (16 * c))
    with b.For(b.const(u32, 0), count) as i:
        (out + i).store(word.value, align=8)


@kernel(void, (CTX, u32, f32))
def st_accum(b: Any, ctx: GLContext, op: Value, value: Value) -> None:
    """glAccum; CLEAR is glClear's part."""
    b.gl_slot = SLOTS["glAccum"]
    with b.If((op != CLEAR) & ~one_of(b, op, (GL_ACCUM, GL_LOAD, GL_RETURN, GL_MULT, GL_ADD))):
        record_error(b, ctx, GL_INVALID_ENUM)
        b.Return()
    flush_vertices(b, ctx)
    follow(b, ctx)
    fb = ctx.dyn.fb
    accum, read, draw = fb.accum, ctx.read.cbuf, fb.cbuf
    with b.If(accum == b.const(accum.ty, None)):
        with b.If(op != CLEAR):
            record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If((op != CLEAR) & (ctx.read.accum != accum)):  # drawn to and read from differ
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If((ctx.key.render_mode != 0) | discarded(ctx)):
        b.Return()
    adds = (op == GL_ACCUM) | (op == GL_LOAD)
    no_read, no_draw = read == b.const(read.ty, None), draw == b.const(draw.ty, None)
    masked = (ctx.key.color_mask & 15) == 0
    with b.If((adds & no_read) | ((op == GL_RETURN) & (no_draw | masked))):
        b.Return()
    with b.If(accum.data == b.const(accum.data.ty, None), likely=False):
        b.call(ctx.pixel.hook_accum, ctx)
        with b.If(accum.data == b.const(accum.data.ty, None)):
            record_error(b, ctx, GL_OUT_OF_MEMORY)
            b.Return()
    with b.If(adds):
        resolve(b, ctx, read)
    with b.If(op == GL_RETURN):
        resolve(b, ctx, draw)
        states = draw.tile_state
        with b.If(states != b.const(states.ty, None)):  # what the driver knew of its tiles
            b.memset(states, 0, b.cast(draw.tiles_x * (draw.rows // TILE) * 4, u64))
    x0, y0, x1, y1 = scissor_box(b, ctx)
    x1 = b.min(x1, b.cast(accum.width, i64))
    y1 = b.min(y1, b.cast(accum.height, i64))
    mask = ctx.key.color_mask & 15
    with b.For(y0, y1) as y, b.For(x0, x1, CHUNK) as x:
        count = b.cast(b.min(x1 - x, CHUNK), u32)
        place = (x, y, count, value)
        with b.Switch(op) as s:
            with s.Case(GL_ACCUM):
                b.call(accum_add, accum, read, *place, 0)
            with s.Case(GL_LOAD):
                b.call(accum_add, accum, read, *place, 1)
            with s.Case(GL_ADD):
                b.call(accum_scale, accum, draw, *place, 1)
            with s.Case(GL_MULT):
                b.call(accum_scale, accum, draw, *place, 0)
            with s.Case(GL_RETURN):
                b.call(accum_return, accum, draw, *place, mask)
            with s.Case(CLEAR):
                b.call(accum_fill, accum, draw, *place, ctx.raw.clear_accum)


__all__ = ["CLEAR", "fb_store_rgba", "st_accum"]
