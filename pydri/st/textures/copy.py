# SPDX-License-Identifier: MIT
"""Pixels of the read framebuffer into levels of textures (GL 2.1, 3.8.2), and what calls with
images ask about the program's memory before they change anything.

In: a TexTransfer, whose `pixels`, `format` and `type` copies do not use; the context's read
framebuffer, transfer parameters and buffer objects. Out: texels of a level with their skirt, or GL
errors as results. A row goes through numbers a piece at a time: surface (pixels/ops.py), transfer
operations, texels (pydri/pipe/texels.py). What lies outside of the framebuffer stays as it is.
Counterpart of Mesa's st_CopyTexSubImage and main/pbo.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import f32, f64, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.buffers.storage_kernels import access_begin, read_end
from pydri.main.kernels import CTX, is_null
from pydri.main.pixels.layout import TexTransfer
from pydri.pipe.format import FORMATS as TEXELS
from pydri.pipe.resource_kernels import head_of
from pydri.pipe.skirt import refresh_skirt
from pydri.pipe.texel_table import (
    CHUNK,
    DEPTH_PART,
    DEPTHS,
    STENCIL_PART,
    STENCILS,
    VALUES,
)
from pydri.st.draw.derived import follow
from pydri.st.pixels.ops import (
    colors_stay,
    fb_load_colors,
    fb_load_zs,
    px_transfer,
    px_transfer_stencil,
    transfer_depths,
)
from pydri.st.pixels.read import resolve
from pydri.st.pixels.rows import element_bytes
from pydri.st.textures.images import _Images, _texels

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

TRANSFER = ptr(TexTransfer)
#: by format: of what kind whole numbers are
UNSIGNED, SIGNED = 1, 2
_WHOLE = [{"uint": UNSIGNED, "sint": SIGNED}.get(f.kind, 0) for f in TEXELS]
_ZS = (gl.GL_DEPTH_COMPONENT, gl.GL_STENCIL_INDEX, gl.GL_DEPTH_STENCIL)


@kernel(void, (CTX,), noinline=True)
def st_tex_validate(b: Builder, ctx: GLContext) -> None:
    """The read framebuffer is as it is now."""
    follow(b, ctx)


# -- the program's memory --------------------------------------------------------------------------


@kernel(u32, (CTX, ptr(u8), ptr(ptr(u8)), i64, u32), noinline=True)
def tx_bound(b: Builder, ctx: GLContext, buffer: Pointer, pixels: Pointer, end: Value,
             element: Value) -> Value:  # fmt: skip
    """Whether a (bound) buffer object has `end` bytes from an offset on: 0, or the GL error; the
    offset becomes an address."""
    held = buffer.cast(ctx.pixel.pack_buffer.ty)
    access_begin(b, ctx, held)
    data, size = held.data, b.var(i64, 0)
    with b.If(~is_null(data)):
        size.value = b.cast(head_of(data).size, i64)
    offset = b.cast(b.ptr_to_int(pixels.load()), i64)
    beyond = (offset < 0) | (offset > size.value) | (end > size.value - offset)
    odd = (b.cast(offset, u32) & (element - 1)) != 0
    wrong = (held.mapped == 1) | beyond | odd
    with b.If(~wrong):
        pixels.store(b.bytes_from(data, offset, u8))
    read_end(b, ctx)
    return b.select(wrong, b.const(u32, gl.GL_INVALID_OPERATION), 0)


@kernel(u32, (CTX, TRANSFER, u32), noinline=True)
def st_tex_check(b: Builder, ctx: GLContext, job: TexTransfer, room: Value) -> Value:
    """The error of reading the job's pixels from (`room` 0), or writing them to, the bound buffer
    object or memory of `room` & 0x7fffffff bytes; 0: none."""
    pack = room != 0
    with b.If((job.box.width == 0) | (job.box.height == 0) | (job.box.depth == 0)):
        b.Return(0)
    end, element = b.var(i64, 0), element_bytes(b, job.type)
    with b.If(pack):
        end.value = _Images(b, ctx.raw.pack, job).end(b, job)
    with b.Else():
        end.value = _Images(b, ctx.raw.unpack, job).end(b, job)
    buffer = b.select(pack, ctx.pixel.pack_buffer, ctx.pixel.unpack_buffer)
    with b.If(~is_null(buffer)):
        pixels = b.var(ptr(u8), job.pixels)
        b.Return(b.call(tx_bound, ctx, buffer.cast(ptr(u8)), pixels.address, end.value, element))
    short = pack & (end.value > b.cast(room & 0x7FFFFFFF, i64))
    limited = (room & 0x7FFFFFFF) != 0x7FFFFFFF
    return b.select(short & limited, b.const(u32, gl.GL_INVALID_OPERATION), 0)


@kernel(u32, (CTX, ptr(ptr(u8)), u64, u32), noinline=True)
def st_tex_bytes(b: Builder, ctx: GLContext, pixels: Pointer, size: Value, pack: Value) -> None:
    """The address that a pointer to `size` plain bytes means, in its place; or the GL error."""
    buffer = b.select(pack != 0, ctx.pixel.pack_buffer, ctx.pixel.unpack_buffer)
    with b.If(is_null(buffer)):
        b.Return(0)
    return b.call(tx_bound, ctx, buffer.cast(ptr(u8)), pixels, b.cast(size, i64), 1)


# -- copies ----------------------------------------------------------------------------------------


@kernel(void, (CTX, TRANSFER, i64, i64, u32, ptr(u8)), noinline=True)
def tx_load_surface(b: Builder, ctx: GLContext, job: TexTransfer, x: Value, y: Value, count: Value,
                    values: Pointer) -> None:  # fmt: skip
    """A piece of a row of the read framebuffer as numbers, transferred."""
    depths, stencils = b.bytes_from(values, DEPTHS, f64), b.bytes_from(values, STENCILS, i32)
    with b.If(is_zs(job.base)):
        b.call(fb_load_zs, depths, stencils, ctx.read.zsbuf, x, y, count)
        transfer_depths(b, ctx, depths, f64, count)
        b.call(px_transfer_stencil, ctx, stencils, count)
        b.Return()
    rgba, words = values.cast(ptr(f32)), values.cast(ptr(u32))
    b.call(fb_load_colors, ctx, rgba, ctx.read.cbuf, x, y, count)
    given, wanted = (b.table(u8, _WHOLE)[n] for n in (ctx.read.cbuf.format, job.resource.format))
    with b.If((given != 0) & (given != wanted)):
        # what the other kind of whole numbers has not: all these are above 0x7fffffff
        least = b.select(given == SIGNED, b.const(u32, 0), 0x7FFFFFFF)
        with b.For(b.const(u32, 0), count * 4) as i:
            words[i] = b.select(words[i] > 0x7FFFFFFF, least, words[i])
    with b.If((given == 0) & ~colors_stay(b, ctx)):
        b.call(px_transfer, ctx, rgba, count, 0)
    with b.If(job.base == gl.GL_RGB):
        one = b.select(given != 0, b.const(u32, 1), 0x3F800000)
        with b.For(b.const(u32, 0), count) as i:
            words[i * 4 + 3] = one


def is_zs(base: Any) -> Any:
    """Whether a base format is depth or stencil."""
    out = None
    for enum in _ZS:
        out = base == enum if out is None else out | (base == enum)
    return out


@kernel(void, (CTX, TRANSFER, i32, i32), noinline=True)
def st_tex_copy(b: Builder, ctx: GLContext, job: TexTransfer, x: Value, y: Value) -> None:
    """Pixels of the read framebuffer, from (x, y) on, into the job's box."""
    fb, box = ctx.read, job.box
    left, low = b.cast(x, i64), b.cast(y, i64)
    zero = b.const(i64, 0)
    x0, x1 = b.max(left, zero), b.min(left + b.cast(box.width, i64), b.cast(fb.width, i64))
    y0, y1 = b.max(low, zero), b.min(low + b.cast(box.height, i64), b.cast(fb.height, i64))
    with b.If((x0 >= x1) | (y0 >= y1)):
        b.Return()
    surface = b.select(is_zs(job.base), fb.zsbuf, fb.cbuf)
    resolve(b, ctx, surface)
    kernels = ctx.pixel.texels + job.resource.format
    with b.If(is_null(kernels.write), likely=False):
        b.call(ctx.pixel.hook_texels, ctx, job.resource.format, 0, 0)
    parts = b.select(job.base == gl.GL_STENCIL_INDEX, b.const(u32, STENCIL_PART), DEPTH_PART)
    both = b.const(u32, DEPTH_PART | STENCIL_PART)
    parts = b.select(job.base == gl.GL_DEPTH_STENCIL, both, parts)
    to, size = _texels(b, job), b.cast(job.resource.block_bytes, i64)
    values = b.array(u8, VALUES + 256, align=64)
    with b.For(y0, y1) as row:
        down = b.cast(fb.height, i64) - 1 - row
        line = b.select(fb.flip_y != 0, down, row)
        target = to.first + (row - low) * to.row
        with b.For(x0, x1, CHUNK) as column:
            count = b.cast(b.min(x1 - column, CHUNK), u32)
            b.call(tx_load_surface, ctx, job, column, line, count, values)
            b.call(kernels.write, values, target + (column - left) * size, count, parts)
    b.call(refresh_skirt, job.resource, job.level, job.box, 1)


__all__ = ["st_tex_bytes", "st_tex_check", "st_tex_copy", "st_tex_validate"]
