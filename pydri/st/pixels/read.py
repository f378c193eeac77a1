# SPDX-License-Identifier: MIT
"""glReadPixels for every format and type (GL 2.1, 4.3.2), and what all pixel paths share: errors of
formats and types, images in the program's memory or in a bound buffer object.

In: a rectangle of the read framebuffer. Out: pixels laid out as GL_PACK_* says, or a GL error, in
the order in which the peer finds them. A row goes through floats a piece at a time: surface,
transfer operations, clamp (the buffers are fixed-point, so GL_CLAMP_READ_COLOR's GL_FIXED_ONLY
clamps), type. Memory of pixels outside of the framebuffer is not touched. What is only a copy is
done by read_kernels.py, before anything here. Counterpart of Mesa's main/readpix.c and main/pbo.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_FIXED_ONLY, GL_INVALID_OPERATION, GL_TRUE
from pydri.api.gl_table import SLOTS
from pydri.jit import boolean, f32, f64, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, is_null, record_error
from pydri.main.pixels.tables import FORMATS, TYPES, error_of
from pydri.pipe.format import FORMATS as SURFACES
from pydri.pipe.native import CLEAR_DEPTH, CLEAR_STENCIL
from pydri.st.pixels.bytes import px_read_direct
from pydri.st.pixels.integers import px_pack_integers, px_sum_integers
from pydri.st.pixels.memory import BITS, LSB_FIRST, SWAP_BYTES, Image, in_buffer
from pydri.st.pixels.ops import (
    colors_stay,
    depth_stays,
    fb_load_zs,
    fb_read_colors,
    px_clamp,
    px_transfer,
    px_transfer_stencil,
    transfer_depths,
)
from pydri.st.pixels.rows import (
    CHUNK,
    bytes_a_pixel,
    element_bytes,
    px_pack,
    px_pack_depth,
    px_pack_index,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.pipe.native import PipeFramebuffer, Surface

KINDS = ("color", "integer", "index", "depth", "stencil", "both")
COLOR, INTEGER, INDEX, DEPTH, STENCIL, BOTH = range(6)
#: bit n: surface format n has depth (stencil)
WITH_DEPTH = sum(1 << f.number for f in SURFACES if f.kind == "zs" and f.swizzle[0] == "0")
WITH_STENCIL = sum(
    1 << f.number for f in SURFACES if f.kind == "zs" and any(k == "us" for k, _ in f.channels)
)
UNKNOWN = 0xFF
#: by surface format: whether it holds whole numbers
_INTEGER = [int(f.integer) for f in SURFACES]
#: by format of the program's pixels: whether it has luminance
_LUMINANCE = [int("L" in row.channels) for row in FORMATS]


def _number(b: Builder, value: Value, rows: tuple[Any, ...]) -> Value:
    """The place of an enum in a table; UNKNOWN."""
    out = b.var(u32, UNKNOWN)
    with b.Switch(value) as s:
        for n, row in enumerate(rows):
            with s.Case(row.enum):
                out.value = n
    return out.value


@kernel(u32, (u32, u32, ptr(u32)), noinline=True)
def px_numbers(b: Builder, format: Value, type_: Value, out: Pointer) -> None:
    """The numbers of a format and a type, at `out`; or the GL error of the two."""
    f, t = _number(b, format, FORMATS), _number(b, type_, TYPES)
    out[0] = f
    out[1] = t
    # the last row and column stand for what is not known
    table = [
        error_of(row, kind)
        for row in (*(r.enum for r in FORMATS), 0)
        for kind in (*(r.enum for r in TYPES), 0)
    ]
    at = b.min(f, len(FORMATS)) * (len(TYPES) + 1) + b.min(t, len(TYPES))
    b.Return(b.cast(b.table(u16, table)[at], u32))


def kind_of(b: Builder, format: Operand) -> Any:
    """COLOR .. BOTH of a format by number."""
    return b.cast(b.table(u8, [KINDS.index(row.kind) for row in FORMATS])[format], u32)


def holds(b: Builder, formats: int, surface: Surface) -> Value:
    """Whether there is a surface, with a format of the set."""
    out = b.var(boolean, b.const(boolean, 0))
    with b.If(surface != b.const(surface.ty, None)):
        out.value = ((b.const(u64, formats) >> b.cast(surface.format, u64)) & 1) != 0
    return out.value


def zs_missing(b: Builder, kind: Value, fb: PipeFramebuffer) -> Any:
    """Whether a framebuffer lacks the depth or stencil that a kind of pixels needs."""
    depth = holds(b, WITH_DEPTH, fb.zsbuf) & ((fb.zs_hidden & CLEAR_DEPTH) == 0)
    stencil = holds(b, WITH_STENCIL, fb.zsbuf) & ((fb.zs_hidden & CLEAR_STENCIL) == 0)
    no_depth = ((kind == DEPTH) | (kind == BOTH)) & ~depth
    return no_depth | (((kind == STENCIL) | (kind == BOTH)) & ~stencil)


def resolve(b: Builder, ctx: GLContext, surface: Any) -> None:
    """Finish drawing, and make a surface's memory true."""
    native = ctx.pipe.resolve
    with b.If(native == b.const(native.ty, None), likely=False):
        b.call(ctx.pixel.hook_resolve, ctx, surface)
    with b.Else():
        b.call(native, ctx.pipe, surface)


@kernel(void, (CTX, i32, i32, i32, i32, u32, u32, ptr(u8)))
def st_read_pixels(b: Any, ctx: Any, x: Value, y: Value, width: Any, height: Value, format: Value,
                   type_: Value, pixels: Any) -> None:
    """glReadPixels behind its first checks (sizes, a current framebuffer)."""
    b.gl_slot = SLOTS["glReadPixels"]
    numbers = b.array(u32, 2)
    error = b.call(px_numbers, format, type_, numbers)
    with b.If(error != 0):
        record_error(b, ctx, error)
        b.Return()
    f, t = numbers[0], numbers[1]
    kind = kind_of(b, f)
    fb = ctx.read
    missing = (kind == INDEX) | zs_missing(b, kind, fb)
    # fractions are read as such, and whole numbers too (EXT_texture_integer)
    whole = b.var(boolean, kind == INTEGER)
    with b.If(~is_null(fb.cbuf)):
        whole.value = whole.value ^ (b.table(u8, _INTEGER)[fb.cbuf.format] != 0)
    colors = (kind == COLOR) | (kind == INTEGER)
    missing = missing | (colors & (is_null(fb.cbuf) | whole.value))
    with b.If(missing):
        record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return()
    with b.If((width == 0) | (height == 0)):
        b.Return()
    store = ctx.raw.pack
    image = Image(b, store, pixels, width, f, t)
    element = element_bytes(b, t)
    start = in_buffer(b, ctx, True, pixels, image.end(b, height), element)
    image.first = b.bytes_from(start, image.offset, u8)
    with b.If(ctx.pixel.pack_invert != 0, likely=False):
        b.call(_read, ctx, x, y, width, height, numbers, image.first, image.step, b.const(u32, 1))
        b.Return()
    b.call(_read, ctx, x, y, width, height, numbers, image.first, image.step, b.const(u32, 0))


def _pack_zs(b: Builder, ctx: GLContext, pixels: tuple[Any, Any, Any],
             form: tuple[Any, Any, Any, Any], same_depths: Value, to: Pointer,
             bits: Value) -> None:  # fmt: skip
    """Emit: transfer depths and stencil values (arrays, how many) and write them at `to` as client
    memory has them (`form`: kind, type by number, swapped bytes?, lowest bit first?).
    `bits`: how many bits of the row come before them."""
    depths, stencils, count = pixels
    kind, t, swap, lsb = form
    with b.If(kind != DEPTH):
        b.call(px_transfer_stencil, ctx, stencils, count)
    with b.If(kind == STENCIL):
        first_bit = b.cast(bits & 7, u32)
        b.call(px_pack_index, stencils, to, count, t, swap, first_bit, lsb)
        b.Continue()
    with b.If(~same_depths):
        transfer_depths(b, ctx, depths, f64, count)
    b.call(px_pack_depth, depths, stencils, to, count, t, swap)


def window_line(b: Builder, fb: PipeFramebuffer, row: Value) -> Any:
    """The surface row (i64) of a row of the window."""
    return b.select(fb.flip_y != 0, b.cast(fb.height, i64) - 1 - row, row)


def _pack_integers(b: Builder, surface: Surface, words: Pointer, to: Pointer, count: Operand,
                   form: tuple[Any, Any, Any]) -> None:  # fmt: skip
    """Emit: write whole numbers of a surface at `to` as client memory has them (`form`: format,
    type, swapped bytes?)."""
    f, t, swap = form
    table = b.table(u32, [int(row.kind == "sint") for row in SURFACES])
    signed = b.var(u32, table[surface.format])
    with b.If(b.table(u8, _LUMINANCE)[f] != 0, likely=False):
        signed.value = b.call(px_sum_integers, words, count, t, signed.value)
    b.call(px_pack_integers, words, to, count, f, t, swap, signed.value)


def _clamping(b: Builder, ctx: GLContext) -> tuple[Any, Any]:
    """Whether colours that are read are clamped to [0, 1] (GL 4.6, 18.2.6), and whether there may
    be others in what is read."""
    floats, wide = b.var(boolean, b.const(boolean, 0)), b.var(boolean, b.const(boolean, 0))
    kinds = [{"float": 1, "shared": 1, "snorm": 2}.get(f.kind, 0) for f in SURFACES]
    with b.If(~is_null(ctx.read.cbuf)):
        kind = b.table(u8, kinds)[ctx.read.cbuf.format]
        floats.value, wide.value = kind == 1, kind != 0
    mode = ctx.raw.clamp_read
    clamps = (mode == GL_TRUE) | ((mode == GL_FIXED_ONLY) & ~floats.value)
    return clamps, wide.value


@kernel(void, (CTX, i32, i32, i32, i32, ptr(u32), ptr(u8), i64, u32), name="px_read_rows",
        noinline=True)
def _read(b: Builder, ctx: GLContext, x: Value, y: Value, width: Value, height: Value,
          numbers: Pointer, first: Pointer, step: Value, invert: Value) -> None:  # fmt: skip
    """Rows of the part that lies in the framebuffer; `first` is where the rectangle begins."""
    f, t = numbers[0], numbers[1]
    kind, fb = kind_of(b, f), ctx.read
    x0, y0 = b.max(x, 0), b.max(y, 0)
    x1, y1 = (
        b.cast(b.min(b.cast(at, i64) + b.cast(size, i64), b.cast(limit, i64)), i32)
        for at, size, limit in ((x, width, fb.width), (y, height, fb.height))
    )
    with b.If((x0 >= x1) | (y0 >= y1)):
        b.Return()
    cbuf, zsbuf = fb.cbuf, fb.zsbuf
    surface = b.select((kind == COLOR) | (kind == INTEGER), cbuf, zsbuf)
    resolve(b, ctx, surface)
    store = ctx.raw.pack
    swap, lsb = b.cast(store[SWAP_BYTES], u32), b.cast(store[LSB_FIRST], u32)
    size = b.cast(bytes_a_pixel(b, f, t), i64)
    bit = b.select(t == BITS, b.cast(store[3] & 7, u32), 0)
    plain, same_depths = colors_stay(b, ctx), depth_stays(b, ctx)
    ordered = (swap == 0) | (element_bytes(b, t) == 1)
    with b.If(ordered & (plain | (kind != COLOR))):
        skipped, along = b.cast(y0, i64) - b.cast(y, i64), b.cast(x0, i64) - b.cast(x, i64)
        skipped = b.select(invert != 0, b.cast(height, i64) - 1 - skipped, skipped)
        to = b.bytes_from(first, skipped * step + along * size, u8)
        turn = b.select(invert != 0, 0 - step, step)
        line = window_line(b, fb, b.cast(y0, i64))
        down = b.select(fb.flip_y != 0, b.const(i64, -1), b.const(i64, 1))
        done = b.call(px_read_direct, ctx, surface, numbers, to, b.cast(x0, i64), b.cast(x1, i64),
                      line, b.cast(y1 - y0, i64), turn, down)
        with b.If(done != 0):
            b.Return()
    rgba = b.array(f32, CHUNK * 4, align=64)
    depths, stencils = b.array(f64, CHUNK, align=64), b.array(i32, CHUNK, align=64)
    clamps, wide = _clamping(b, ctx)
    with b.For(y0, y1) as row:
        at_row = b.cast(row, i64) - b.cast(y, i64)
        at_row = b.select(invert != 0, b.cast(height, i64) - 1 - at_row, at_row)
        line = b.bytes_from(first, at_row * step, u8)
        sy = window_line(b, fb, b.cast(row, i64))
        with b.For(x0, x1, CHUNK) as column:
            count = b.cast(b.min(x1 - column, CHUNK), u32)
            sx, at = b.cast(column, i64), b.cast(column, i64) - b.cast(x, i64)
            bits = b.cast(at, i64) + b.cast(bit, i64)
            along = b.select(t == BITS, bits >> 3, at * size)
            to = b.bytes_from(line, along, u8)
            with b.If(kind == COLOR):
                b.call(fb_read_colors, ctx, rgba, cbuf, sx, sy, count)
                with b.If(~plain):
                    b.call(px_transfer, ctx, rgba, count, b.cast(clamps, u32))
                with b.Elif(lambda: clamps & wide):
                    b.call(px_clamp, rgba, count * 4)
                b.call(px_pack, rgba, to, count, f, t, swap, b.cast(clamps, u32))
                b.Continue()
            with b.If(kind == INTEGER):
                b.call(fb_read_colors, ctx, rgba, cbuf, sx, sy, count)
                _pack_integers(b, cbuf, rgba.cast(ptr(u32)), to, count, (f, t, swap))
                b.Continue()
            b.call(fb_load_zs, depths, stencils, zsbuf, sx, sy, count)
            _pack_zs(b, ctx, (depths, stencils, count), (kind, t, swap, lsb), same_depths, to, bits)


__all__ = [
    "BOTH", "COLOR", "DEPTH", "INDEX", "INTEGER", "STENCIL", "kind_of", "px_numbers",
    "resolve", "st_read_pixels", "zs_missing",
]
