# SPDX-License-Identifier: MIT
"""glReadPixels natively, where it is a copy with at most a reordering of bytes.

In: a rectangle of the read framebuffer, with 32-bit colour, or 16/24-bit depth in stamp order. Out:
the program's memory, laid out as GL_PACK_* says (GL 2.1, 4.3.2), 16 pixels a step. What the
rectangle has outside of the framebuffer is undefined by the specification; its memory stays
untouched here. Every other format and type, every error beyond a negative size, transfer operations
and buffer objects are pixels/read.py's, whose image is loaded by the first such call. The peer:
st_cb_readpixels.c, which maps the surface and runs _mesa_format_convert.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import (
    GL_BGR,
    GL_BGRA,
    GL_DEPTH_COMPONENT,
    GL_DEPTH_STENCIL_TO_BGRA_NV,
    GL_DEPTH_STENCIL_TO_RGBA_NV,
    GL_FLOAT,
    GL_HALF_FLOAT,
    GL_HALF_FLOAT_OES,
    GL_INVALID_ENUM,
    GL_INVALID_FRAMEBUFFER_OPERATION,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_RGB,
    GL_RGBA,
    GL_UNSIGNED_BYTE,
    GL_UNSIGNED_INT,
    GL_UNSIGNED_INT_8_8_8_8_REV,
    GL_UNSIGNED_INT_24_8,
)
from pydri.api.gl_table import SLOTS
from pydri.jit import fn, i32, i64, kernel, u8, u32, void
from pydri.main.kernels import (
    CTX,
    call_entry,
    error_if,
    flush_vertices,
    is_es,
    native,
    one_of,
    python_form,
)
from pydri.main.textures.image_copy_check import samples_read
from pydri.pipe.format import BY_NAME
from pydri.pipe.format_emit import fraction
from pydri.st.draw.derived import follow, unreadable
from pydri.st.pixels.copy import (
    ROWS,
    U32X16,
    RowsJob,
    copy_rows,
    rows_in_parts,
    stamp_kernel,
)
from pydri.st.pixels.memory import Image, leave_buffer
from pydri.st.pixels.ops import colors_stay, depth_stays
from pydri.st.pixels.read import px_numbers
from pydri.st.pixels.read_es import st_read_refused
from pydri.st.pixels.rows import LANES

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.pipe.native import PipeNative, Surface

COPY = fn(void, CTX, i32, i32, i32, i32, u32)
BGRA8, BGRX8, RGBA8, RGBX8 = (
    BY_NAME[name].number
    for name in ("B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R8G8B8A8_UNORM", "R8G8B8X8_UNORM")
)
Z16 = BY_NAME["Z16_UNORM"].number
Z24 = (BY_NAME["Z24X8_UNORM"].number, BY_NAME["Z24_UNORM_S8_UINT"].number)
DEPTH_BYTES = {16: 2, 24: 4}


def swap_red_blue(b: Builder, v: Value) -> Value:
    order = [n ^ 2 if n & 1 == 0 else n for n in range(4)]
    lanes = [4 * pixel + order[n] for pixel in range(LANES) for n in range(4)]
    return b.bitcast(b.shuffle(b.bitcast(v, u8.vec(64)), None, lanes), U32X16)


def _drop_fourth(b: Builder, v: Value) -> Any:
    lanes = [4 * pixel + n for pixel in range(LANES) for n in range(3)]
    return b.shuffle(b.bitcast(v, u8.vec(64)), None, lanes)


def _color_kernel(name: str, swap: bool, channels: int) -> Any:
    @kernel(ret=void, args=ROWS, name=name, noinline=True, noalias=(0, 1))
    def copy(b: Builder, dst: Pointer, src: Pointer, count: Value, rows: Value, dst_step: Value,
             src_step: Value, ones: Value) -> None:  # fmt: skip
        def convert(p: Pointer) -> Any:
            v = p.load(U32X16, align=4) | ones
            v = swap_red_blue(b, v) if swap else v
            return v if channels == 4 else _drop_fourth(b, v)

        if not swap and channels == 4:
            # upwards in the surface: what a processor fetches ahead is what comes next
            with b.If(ones == 0), b.For(0, rows) as n:
                row = b.select(src_step < 0, rows - 1 - n, n)
                b.memcpy(dst + row * dst_step, src + row * src_step, count * 4)
            with b.If(ones == 0):
                b.Return()
        copy_rows(b, dst, src, count, rows, dst_step, src_step, 4, channels, convert)

    return copy


#: by (red and blue change places, bytes a pixel in memory)
COLOR_KERNELS = {
    (swap, n): _color_kernel(f"st_read_{'swap' if swap else 'same'}{n}", swap, n)
    for swap in (False, True)
    for n in (3, 4)
}


def _depth_kernel(bits: int, as_float: bool) -> Any:
    def convert(b: Builder, v: Value) -> Any:
        z = v if bits == 16 else v & 0xFFFFFF
        if as_float:
            return fraction(b, b.cast(z, i32), bits)
        # z * (2^32 - 1) / (2^bits - 1): its bits repeated
        return z * 0x10001 if bits == 16 else (z << 8) | (z >> 16)

    name = f"st_read_z{bits}{'f' if as_float else 'u'}"
    return stamp_kernel(name, DEPTH_BYTES[bits], 4, convert)


DEPTH_KERNELS = {
    (bits, as_float): _depth_kernel(bits, as_float)
    for bits in (16, 24)
    for as_float in (False, True)
}


class _Box:
    """The rectangle within the framebuffer and its place in the program's memory.

    In 64 bits, so that no sum overflows; nothing here is touched if `some` is false."""

    def __init__(self, b: Builder, ctx: GLContext, box: tuple[Any, ...], pixels: Pointer,
                 size: Value) -> None:  # fmt: skip
        fb, pack = ctx.read, ctx.raw.pack
        x, y, width, height = (b.cast(v, i64) for v in box)
        zero = b.const(i64, 0)
        self.x0, y0 = b.max(x, zero), b.max(y, zero)
        self.x1 = b.min(x + width, b.cast(fb.width, i64))
        self.rows = b.min(y + height, b.cast(fb.height, i64)) - y0
        self.some = (self.x1 > self.x0) & (self.rows > 0)
        length = b.cast(pack[1], i64)
        length = b.select(length > 0, length, width)
        align = b.cast(pack[0], i64)
        self.step = (length * size + align - 1) & -align
        skip_rows, skip_pixels = b.cast(pack[2], i64), b.cast(pack[3], i64)
        at = (skip_rows + y0 - y) * self.step + (skip_pixels + self.x0 - x) * size
        self.to = b.bytes_from(pixels, at, u8)
        flip = fb.flip_y != 0
        self.first = b.select(flip, b.cast(fb.height, i64) - 1 - y0, y0)
        self.down = b.select(flip, b.const(i64, -1), b.const(i64, 1))


def _read_color(b: Builder, pipe: PipeNative, box: _Box, surface: Surface, format: Value,
                three: Value) -> None:  # fmt: skip
    """Four kernels cover all orders; formats without alpha read 1."""
    source = surface.format
    source_bgr = (source == BGRA8) | (source == BGRX8)
    no_alpha = (source == BGRX8) | (source == RGBX8)
    ones = b.select(no_alpha, b.const(u32, 0xFF000000), b.const(u32, 0))
    swap = source_bgr ^ ((format == GL_BGRA) | (format == GL_BGR))
    copies = {key: b.address_of(copy) for key, copy in COLOR_KERNELS.items()}
    copy = b.select(
        three,
        b.select(swap, copies[True, 3], copies[False, 3]),
        b.select(swap, copies[True, 4], copies[False, 4]),
    )
    pitch = b.cast(surface.stride, i64)
    job = b.array(RowsJob)
    job.copy, job.dst, job.dst_step = copy, box.to, box.step
    job.src = b.bytes_from(surface.data, box.first * pitch + box.x0 * 4, u8)
    job.src_step, job.number = box.down * pitch, ones
    job.count, job.rows = box.x1 - box.x0, box.rows
    rows_in_parts(b, pipe, job, 4, b.select(three, b.const(i64, 3), b.const(i64, 4)))


def _read_depth(b: Any, box: _Box, surface: Surface, type_: Value) -> None:
    copies = {key: b.address_of(copy) for key, copy in DEPTH_KERNELS.items()}
    as_float = type_ == GL_FLOAT
    copy = b.select(
        surface.format == Z16,
        b.select(as_float, copies[16, True], copies[16, False]),
        b.select(as_float, copies[24, True], copies[24, False]),
    )
    pitch = b.cast(surface.stride, i64)
    b.call(copy, box.to, surface.data, box.x0, box.x1, box.first, box.rows, box.step, pitch,
           box.down, b.cast(b.max(surface.samples, 1), i64))


def _in_memory(b: Builder, ctx: GLContext, surface: Surface) -> None:
    """Finish drawing, and write pending fast clears out."""
    b.call(ctx.pipe.resolve, ctx.pipe, surface)


@native
def glReadPixels(b: Builder, ctx: GLContext, x: Value, y: Value, width: Value, height: Value,
                 format: Value, type: Value, pixels: Pointer) -> None:  # fmt: skip
    """Read pixels of the read framebuffer (GL 2.1, 4.3.2)."""
    error_if(b, ctx, (width < 0) | (height < 0), GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    follow(b, ctx)
    error_if(b, ctx, unreadable(ctx), GL_INVALID_FRAMEBUFFER_OPERATION)
    error_if(b, ctx, samples_read(ctx), GL_INVALID_OPERATION)
    kind = b.var(u32, type)
    with b.If(is_es(ctx), likely=False):
        error = b.call(st_read_refused, ctx, format, type)
        kind.value = b.select(type == GL_HALF_FLOAT_OES, b.const(u32, GL_HALF_FLOAT), type)
        for each in (GL_INVALID_ENUM, GL_INVALID_OPERATION):
            error_if(b, ctx, error == each, each)
        # NV_read_depth: the 24 bits above, and below them any
        depths = (format == GL_DEPTH_COMPONENT) & (type == GL_UNSIGNED_INT_24_8)
        kind.value = b.select(depths, b.const(u32, GL_UNSIGNED_INT), kind.value)
    type = kind.value
    three = (format == GL_RGB) | (format == GL_BGR)
    size = b.select(three, b.const(i64, 3), b.const(i64, 4))
    box = _Box(b, ctx, (x, y, width, height), pixels, size)
    native_form = ctx.pipe.resolve
    buffer = ctx.pixel.pack_buffer
    memory = (buffer == b.const(buffer.ty, None)) & (ctx.pixel.pack_invert == 0)
    plain = memory & (ctx.raw.pack[6] == 0) & (native_form != b.const(native_form.ty, None))
    color, zs = ctx.read.cbuf, ctx.read.zsbuf
    bytes_ = (type == GL_UNSIGNED_BYTE) & one_of(b, format, (GL_RGB, GL_RGBA, GL_BGR, GL_BGRA))
    words = (type == GL_UNSIGNED_INT_8_8_8_8_REV) & one_of(b, format, (GL_RGBA, GL_BGRA))
    same = colors_stay(b, ctx)
    with b.If(plain & same & (bytes_ | words) & (color != b.const(color.ty, None))), \
            b.If(one_of(b, color.format, (BGRA8, BGRX8, RGBA8, RGBX8)) & (color.layout == 0)):
        _in_memory(b, ctx, color)
        with b.If(box.some):
            _read_color(b, ctx.pipe, box, color, format, three)
        b.Return()
    depth = (format == GL_DEPTH_COMPONENT) & one_of(b, type, (GL_FLOAT, GL_UNSIGNED_INT))
    with b.If(plain & depth & depth_stays(b, ctx) & (zs != b.const(zs.ty, None))), \
            b.If(one_of(b, zs.format, (Z16, *Z24)) & (zs.layout == 1)):
        _in_memory(b, ctx, zs)
        with b.If(box.some):
            _read_depth(b, box, zs, type)
        b.Return()
    loaded_pixels(b, ctx)
    b.call(ctx.pixel.read, ctx, x, y, width, height, format, type, pixels)
    leave_buffer(b, ctx, buffer)


@native
def glReadnPixels(b: Any, ctx: Any, x: Value, y: Value, width: Any, height: Value, format: Value,
                  type: Value, room: Value, data: Any) -> None:  # fmt: skip
    """glReadPixels, but nothing is written unless all of it fits into `room` bytes
    (ARB_robustness, KHR_robustness); a pixel buffer object knows its own size.
    """
    numbers = b.array(u32, 2)
    buffer = ctx.pixel.pack_buffer
    empty = (width <= 0) | (height <= 0)
    known = b.call(px_numbers, format, type, numbers) == 0
    with b.If(known & ~empty & (buffer == b.const(buffer.ty, None))):
        image = Image(b, ctx.raw.pack, data, width, numbers[0], numbers[1])
        error_if(b, ctx, image.end(b, height) > b.cast(room, i64), GL_INVALID_OPERATION)
    call_entry(b, ctx, "glReadPixels", x, y, width, height, format, type, data)


def loaded_pixels(b: Builder, ctx: GLContext) -> None:
    """The kernels for all formats and types are there after this (load.py)."""
    read = ctx.pixel.read
    with b.If(read == b.const(read.ty, None), likely=False):
        b.call(ctx.pixel.hook_load, ctx)


@native
def glDrawPixels(b: Builder, ctx: GLContext, width: Value, height: Value, format: Value,
                 type: Value, pixels: Pointer) -> None:  # fmt: skip
    """Draw an image at the raster position (GL 2.1, 3.6.4)."""
    loaded_pixels(b, ctx)
    b.call(ctx.pixel.draw, ctx, width, height, format, type, pixels)
    leave_buffer(b, ctx, ctx.pixel.unpack_buffer)


@native
def glAccum(b: Builder, ctx: GLContext, op: Value, value: Value) -> None:
    """Operate on the accumulation buffer (GL 2.1, 4.2.4)."""
    loaded_pixels(b, ctx)
    b.call(ctx.pixel.accum, ctx, op, value)


@native
def glCopyPixels(b: Builder, ctx: GLContext, x: Value, y: Value, width: Value, height: Value,
                 type: Value) -> None:  # fmt: skip
    """Draw a rectangle of the framebuffer at the raster position (GL 2.1, 4.3.3)."""
    words = one_of(b, type, (GL_DEPTH_STENCIL_TO_RGBA_NV, GL_DEPTH_STENCIL_TO_BGRA_NV))
    with b.If(words, likely=False):  # copy_depth.py
        python_form(b, ctx, SLOTS["glCopyPixels"], COPY, x, y, width, height, type)
        b.Return()
    loaded_pixels(b, ctx)
    b.call(ctx.pixel.copy, ctx, x, y, width, height, type)
