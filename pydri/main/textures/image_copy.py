# SPDX-License-Identifier: MIT
"""glCopyImageSubData (GL 4.6, 18.3.3): what it checks of two images that were found, and the copy.

In: an ImageCopy whose sides were found (main/framebuffers/copy_kernels.py). Out: texels or blocks
of the source, bit for bit, in the destination; or a GL error, in the order in which the peer finds
them. Kept blocks and texels of compressed images stay one thing: what is copied into blocks is
decoded, what is copied out of them are the blocks. Mesa: main/copyimage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import Struct, boolean, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null, one_of
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import OPERATION, VALUE, bad, of_row
from pydri.main.textures.image_compressed import block_bytes_of, block_job, keep_blocks
from pydri.main.textures.image_store import FREE, MALLOC, first_image, image_level
from pydri.main.textures.image_sync import settle
from pydri.main.textures.layout import (
    MAX_TEXTURE_LEVELS,
    CopySide,
    ImageCall,
    ImageCopy,
    TextureImage,
    TextureObject,
)
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.view_classes import BLOCK_CLASSES, TEXEL_CLASSES, VIEW_CLASSES
from pydri.pipe.format import BY_NAME
from pydri.pipe.native import CopyInfo
from pydri.pipe.resource import FLAG_STAMPS, Resource
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import image_place as texels_at
from pydri.pipe.skirt import refresh_skirt
from pydri.pipe.texel_table import CHUNK, DEPTH_PART, STENCIL_PART, VALUES, Box

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

SIDE, COPY = ptr(CopySide), ptr(ImageCopy)
_FORMATS = [BY_NAME[row.formats[0]] for row in tables.ROWS]
_ACROSS = [f.width if row.compressed else 1 for f, row in zip(_FORMATS, tables.ROWS)]
_DOWN = [f.height if row.compressed else 1 for f, row in zip(_FORMATS, tables.ROWS)]
_BYTES = [f.bytes for f in _FORMATS]


class Part(Struct):
    """One image of a side: where its texels lie."""

    image = ptr(TextureImage)  # null: a renderbuffer
    resource = ptr(Resource)
    level = u32  # of the resource
    index = u32  # image of that level
    place = ptr(u8)  # the box's first texel, or block
    row = u64  # bytes from row to row of these
    size = u32  # bytes of one


PART = ptr(Part)


# -- checks ----------------------------------------------------------------------------------------


def _blocks(b: Builder, side: CopySide) -> tuple[Any, Any]:
    """Texels of a block across and down; 1 without blocks."""
    return of_row(b, side.row, _ACROSS), of_row(b, side.row, _DOWN)


def _reach(b: Builder, call: Any) -> list[Any]:
    """Texels (i64) that the box has in the destination, across and down: a block for a texel, or a
    texel for a block."""
    out = []
    for size, come, go in zip((call.width, call.height), _blocks(b, call.src),
                              _blocks(b, call.dst)):  # fmt: skip
        blocks = (b.cast(size, i64) + b.cast(come, i64) - 1) // b.cast(come, i64)
        out.append(b.select(come == go, b.cast(size, i64), blocks * b.cast(go, i64)))
    return out


@kernel(boolean, (SIDE, i64, i64, i64), noinline=True)
def box_exceeds_image(b: Builder, side: CopySide, width: Value, height: Value,
                      depth: Value) -> Value:  # fmt: skip
    """Whether a box is not within a side's image."""
    out = b.const(boolean, 0)
    for at, size, whole in ((side.x, width, side.width), (side.y, height, side.height),
                            (side.z, depth, side.depth)):  # fmt: skip
        start = b.cast(at, i64)
        out = out | (size < 0) | (start < 0) | (start + size > b.cast(whole, i64))
    return out


def _cut(b: Builder, at: Any, block: Operand) -> Any:
    return (b.cast(at, u32) & (block - 1)) != 0


def _ends_within(b: Builder, at: Any, size: Operand, whole: Operand, block: Value) -> Any:
    return _cut(b, size, block) & (b.cast(at + size, u32) != whole)


@kernel(boolean, (COPY,), noinline=True)
def compatible(b: Builder, call: ImageCopy) -> Any:
    """Whether the internal formats have the same bits."""
    one, other = call.src, call.dst
    view, other_view = (of_row(b, side.row, VIEW_CLASSES) for side in (one, other))
    good = (one.internal == other.internal) | ((view == other_view) & (view != 0))
    for come, go in ((one, other), (other, one)):
        blocks, texels = of_row(b, come.row, BLOCK_CLASSES), of_row(b, go.row, TEXEL_CLASSES)
        good = good | ((blocks == texels) & (blocks != 0))
    return good


@kernel(u32, (COPY,), noinline=True)
def check_copy(b: Builder, call: ImageCopy) -> Value:
    """What is wrong with a copy between two sides that were found; 0: nothing."""
    src, dst = call.src, call.dst
    bad(b, (call.same != 0) & (src.internal != dst.internal), OPERATION)
    across, down = _blocks(b, src)
    bad(b, _cut(b, src.x, across) | _cut(b, src.y, down), VALUE)
    bad(b, _ends_within(b, src.x, call.width, src.width, across), VALUE)
    bad(b, _ends_within(b, src.y, call.height, src.height, down), VALUE)
    across, down = _blocks(b, dst)
    bad(b, _cut(b, dst.x, across) | _cut(b, dst.y, down), VALUE)
    depth = b.cast(call.depth, i64)
    width, height = b.cast(call.width, i64), b.cast(call.height, i64)
    bad(b, b.call(box_exceeds_image, src, width, height, depth), VALUE)
    bad(b, b.call(box_exceeds_image, dst, *_reach(b, call), depth), VALUE)
    bad(b, ~b.call(compatible, call), OPERATION)
    bad(b, src.samples != dst.samples, OPERATION)
    return b.const(u32, 0)


# -- where -----------------------------------------------------------------------------------------


@kernel(void, (SIDE, u32, PART), noinline=True)
def find_part(b: Builder, side: CopySide, n: Value, part: Part) -> None:
    """The n-th image of a side's box."""
    zero = b.const(u32, 0)
    part.image, part.resource = side.images, side.resource
    part.level, part.index = zero, zero
    with b.If(~is_null(side.images)):
        z = b.cast(side.z, u32) + n
        cube = side.target == gl.GL_TEXTURE_CUBE_MAP
        face = b.select(cube, z, zero)
        image = side.images + face * MAX_TEXTURE_LEVELS
        part.image, part.resource = image, image.resource
        part.level = image_level(b, image, b.cast(side.level, u32))
        part.index = b.select(cube, first_image(b, image, face), z)


def find_rows(b: Builder, side: CopySide, part: Part) -> None:
    """Where the box's texels, or kept blocks, lie; 0 is returned where there is no memory."""
    resource = part.resource
    x, y = b.cast(side.x, u64), b.cast(side.y, u64)
    with b.If(of_row(b, side.row, tables.COMPRESSED) != 0):
        image = part.image
        bad(b, b.call(keep_blocks, image) == 0, gl.GL_OUT_OF_MEMORY)
        across, down = (b.cast(n, u64) for n in _blocks(b, side))
        part.size = of_row(b, side.row, _BYTES)
        size = b.cast(part.size, u64)
        part.row = (b.cast(image.width, u64) + across - 1) // across * size
        cube = side.target == gl.GL_TEXTURE_CUBE_MAP
        before = b.select(cube, b.const(u32, 0), part.index)
        start = b.cast(before, u64) * block_bytes_of(b, image) + y // down * part.row
        part.place = b.bytes_from(image.compressed, start + x // across * size, u8)
    with b.Else():
        level = level_of(resource, part.level)
        part.size, part.row = resource.block_bytes, b.cast(level.row_stride, u64)
        start = y * part.row + x * b.cast(part.size, u64)
        part.place = b.bytes_from(texels_at(b, resource, level, part.index), start, u8)


# -- copies ----------------------------------------------------------------------------------------


@kernel(void, (ptr(u8), u64, ptr(u8), u64, u64, u64), noinline=True)
def move_box(b: Builder, to: Pointer, to_row: Value, come: Pointer, come_row: Value, size: Value,
             rows: Value) -> None:  # fmt: skip
    with b.For(b.const(u64, 0), rows) as y:
        b.memcpy(b.bytes_from(to, y * to_row, u8), b.bytes_from(come, y * come_row, u8), size)


@kernel(u32, (CTX, COPY, PART, PART, u32, u64, u64), noinline=True)
def into_blocks(b: Builder, ctx: GLContext, call: ImageCopy, come: Part, go: Part, n: Value,
                size: Value, rows: Value) -> Value:  # fmt: skip
    """Rows of `size` bytes become blocks of an image, which are decoded; GL_OUT_OF_MEMORY, or 0."""
    memory = b.call(MALLOC, b.max(size * rows, 1))
    bad(b, is_null(memory), gl.GL_OUT_OF_MEMORY)
    b.call(move_box, memory, size, come.place, come.row, size, rows)
    given = b.array(ImageCall)
    b.memset(given.cast(ptr(u8)), 0, ImageCall.size)
    dst, image = call.dst, go.image
    given.pixels, given.size = memory, b.cast(size * rows, given.size.ty)
    given.x, given.y = dst.x, dst.y
    width, height = _reach(b, call)
    whole = b.cast(image.width, i64), b.cast(image.height, i64)
    given.width = b.cast(b.min(width, whole[0] - b.cast(dst.x, i64)), given.width.ty)
    given.height = b.cast(b.min(height, whole[1] - b.cast(dst.y, i64)), given.height.ty)
    given.depth, given.slot = 1, call.slot
    cube = dst.target == gl.GL_TEXTURE_CUBE_MAP
    z = b.cast(dst.z, u32) + n
    given.z = b.cast(b.select(cube, b.const(u32, 0), z), given.z.ty)
    face = b.select(cube, z, b.const(u32, 0))
    job = block_job(b, ctx, given, image, face, b.cast(dst.level, u32))
    buffer = ctx.pixel.unpack_buffer
    ctx.pixel.unpack_buffer = b.const(buffer.ty, None)
    b.call(ctx.pixel.tex_blocks_in, ctx, job)
    ctx.pixel.unpack_buffer = buffer
    b.call(FREE, memory)
    return b.const(u32, 0)


@kernel(void, (CTX, COPY, PART, PART), noinline=True)
def convert_rows(b: Builder, ctx: GLContext, call: ImageCopy, come: Part, go: Part) -> None:
    """Texels of one internal format that are stored in two ways."""
    base = of_row(b, call.dst.row, tables.BASES)
    depths = one_of(b, base, (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL))
    stencils = one_of(b, base, (gl.GL_STENCIL_INDEX, gl.GL_DEPTH_STENCIL))
    zero = b.const(u32, 0)
    parts = b.select(depths, b.const(u32, DEPTH_PART), zero)
    parts = parts | b.select(stencils, b.const(u32, STENCIL_PART), zero)
    kernels = [ctx.pixel.texels + part.resource.format for part in (come, go)]
    for part, row in zip((come, go), kernels):
        with b.If(is_null(row.write) | is_null(row.read), likely=False):
            b.call(ctx.pixel.hook_texels, ctx, part.resource.format, 0, 0)
    values = b.array(u8, VALUES + 256, align=64)
    with b.For(zero, b.cast(call.height, u32)) as y:
        with b.For(zero, b.cast(call.width, u32), CHUNK) as x:
            count = b.min(b.cast(call.width, u32) - x, CHUNK)
            source, target = (
                b.bytes_from(part.place, b.cast(y, u64) * part.row + b.cast(x * part.size, u64), u8)
                for part in (come, go)
            )
            b.call(kernels[0].read, values, source, count, parts)
            b.call(kernels[1].write, values, target, count, parts)


@kernel(u32, (CTX, COPY, PART, PART, u32), noinline=True)
def copy_part(b: Builder, ctx: GLContext, call: ImageCopy, come: Part, go: Part, n: Value) -> Value:
    """One image of the box, by rows; GL_OUT_OF_MEMORY, or 0."""
    src, dst = call.src, call.dst
    find_rows(b, src, come)
    find_rows(b, dst, go)
    across, down = _blocks(b, src)
    columns = (b.cast(call.width, u32) + across - 1) // across
    rows = b.cast((b.cast(call.height, u32) + down - 1) // down, u64)
    size = b.cast(columns * come.size, u64)
    with b.If(of_row(b, dst.row, tables.COMPRESSED) != 0):
        b.Return(b.call(into_blocks, ctx, call, come, go, n, size, rows))
    apart = come.resource.format != go.resource.format
    with b.If(apart & (src.internal == dst.internal), likely=False):
        b.call(convert_rows, ctx, call, come, go)
    with b.Else():
        bad(b, come.size != go.size, OPERATION)
        b.call(move_box, go.place, go.row, come.place, come.row, size, rows)
    box = b.array(Box)
    flat = dst.target == gl.GL_TEXTURE_1D_ARRAY
    box.x, box.width, box.height = b.cast(dst.x, u32), columns, b.cast(rows, u32)
    box.y = b.select(flat, go.index, b.cast(dst.y, u32))
    box.z, box.depth = b.select(flat, b.const(u32, 0), go.index), 1
    b.call(refresh_skirt, go.resource, go.level, box, 1)
    return b.const(u32, 0)


@kernel(void, (CTX, COPY, PART, PART), noinline=True)
def copy_stamps(b: Builder, ctx: GLContext, call: ImageCopy, come: Part, go: Part) -> None:
    """One image of the box, by the driver, whose own affair it is where its pixels lie."""
    info = b.array(CopyInfo, 1, align=64)
    info.src, info.dst = come.resource, go.resource
    info.src_level, info.dst_level = come.level, go.level
    src, dst = call.src, call.dst
    info.x, info.y, info.z = b.cast(src.x, u32), b.cast(src.y, u32), come.index
    info.dst_x, info.dst_y, info.dst_z = b.cast(dst.x, u32), b.cast(dst.y, u32), go.index
    info.width, info.height, info.depth = b.cast(call.width, u32), b.cast(call.height, u32), 1
    copy = ctx.pipe.copy_region
    with b.If(is_null(copy), likely=False):
        b.call(ctx.framebuffers.hook_copy, ctx, info)
    with b.Else():
        b.call(copy, ctx.pipe, info)


@kernel(u32, (CTX, COPY))
def image_copy(b: Builder, ctx: GLContext, call: ImageCopy) -> Value:
    """glCopyImageSubData between sides that were found: the GL error, or 0. The lock of textures is
    held, vertices were flushed."""
    error = b.var(u32, b.call(check_copy, call))
    with b.If((error.value != 0) | (call.width == 0) | (call.height == 0) | (call.depth == 0)):
        b.Return(error.value)
    come, go = b.array(Part), b.array(Part)
    with b.For(b.const(u32, 0), b.cast(call.depth, u32)) as n:
        for side, part in ((call.src, come), (call.dst, go)):
            b.call(find_part, side, n, part)
            settle(b, ctx, part.resource)
        stamps = ((come.resource.flags | go.resource.flags) & FLAG_STAMPS) != 0
        with b.If(stamps & ~is_null(ctx.pipe)):
            bad(b, come.resource.block_bytes != go.resource.block_bytes, OPERATION)
            b.call(copy_stamps, ctx, call, come, go)
        with b.Else():
            error.value = b.call(copy_part, ctx, call, come, go, n)
            with b.If(error.value != 0, likely=False):
                b.Break()
    with b.If(~is_null(call.dst.images)):
        texture_changed(b, ctx, call.dst.object.cast(ptr(TextureObject)))
    return error.value


EXPORTS = (image_copy,)
__all__ = ["EXPORTS", "image_copy"]
