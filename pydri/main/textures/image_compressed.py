# SPDX-License-Identifier: MIT
"""Images that are given, changed and read as blocks: glCompressedTexImage and its kin.

Blocks are kept as they were given, for glGetCompressedTexImage; what is sampled is decoded when
they come (pydri/pipe/codecs.py). Mesa: main/teximage.c, main/texgetimage.c.
"""

from __future__ import annotations

from typing import Any

from pydri.api import enums as gl
from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    IMAGE,
    OPERATION,
    VALUE,
    bad,
    bad_target,
    block_bytes,
    check_compressed,
    check_compressed_sub,
    exists,
    image_of,
    level_beyond,
    of_dims,
    of_row,
    of_target,
    sizes_beyond,
    too_much,
)
from pydri.main.textures.image_layout import MAX_TEXTURE_LEVELS
from pydri.main.textures.image_store import (
    FREE,
    MALLOC,
    first_image,
    image_clear,
    image_level,
    image_place,
)
from pydri.main.textures.image_sync import bound_texture, settle
from pydri.main.textures.image_tables import TARGETS
from pydri.main.textures.object_kernels import texture_changed
from pydri.pipe.codecs import CODECS, flags_of
from pydri.pipe.format import BY_NAME, FORMATS
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import image_place as texels_at
from pydri.pipe.skirt import refresh_level

_BLOCKS = [BY_NAME[row.formats[0]] for row in tables.ROWS]
_WIDTHS = [fmt.width for fmt in _BLOCKS]
_BYTES = [fmt.bytes for fmt in _BLOCKS]
_FLAGS = [flags_of(fmt) if fmt.codec else 0 for fmt in _BLOCKS]


def _rows_of(b: Any, row: Any, width: Any, height: Any) -> tuple[Any, Any]:
    """Bytes (u64) of a row of blocks, and how many rows."""
    wide = of_row(b, row, _WIDTHS)
    across = b.cast((width + wide - 1) // wide, u64) * b.cast(of_row(b, row, _BYTES), u64)
    return across, b.cast((height + 3) >> 2, u64)


@kernel(void, (IMAGE, u32, u32), noinline=True)
def decode_image(b: Any, image: Any, face: Any, level: Any) -> None:
    """An image's kept blocks become its texels."""
    resource, number = image.resource, image_level(b, image, level)
    held = level_of(resource, number)
    stride, rows = _rows_of(b, image.row, image.width, image.height)
    first, flags = first_image(b, image, face), of_row(b, image.row, _FLAGS)
    codec = of_row(b, image.row, tables.CODEC_NUMBERS)
    with b.For(b.const(u32, 0), image.depth) as n:
        to = texels_at(b, resource, held, first + n)
        source = b.bytes_from(image.compressed, b.cast(n, u64) * stride * rows, u8)
        with b.Switch(codec) as s:
            for number_, name in enumerate(tables.CODECS):
                if name:
                    with s.Case(number_):
                        b.call(CODECS[name].kernel, to, b.cast(held.row_stride, u64), source,
                               stride, image.width, image.height, flags)
    b.call(refresh_level, resource, number)


@kernel(u32, (CTX, CALL), noinline=True)
def do_compressed(b: Any, ctx: Any, call: Any) -> Any:
    """glCompressedTexImage."""
    error = b.call(check_compressed, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    proxy = of_target(b, call, [row.proxy for row in TARGETS])
    beyond = b.call(sizes_beyond, ctx, call)
    format = b.cast(ctx.images.formats[call.row], u32)
    huge = b.call(too_much, call, 4) | (format == 0)
    with b.If(proxy != 0):
        image = ctx.images.proxies + ((proxy - 1) * MAX_TEXTURE_LEVELS + b.cast(call.level, u32))
        b.call(image_clear, image)
        with b.If(~(beyond | huge)):
            _describe(b, call, image, format)
        b.Return(0)
    call.object = bound_texture(b, ctx, call)
    bad(b, call.object.immutable != 0, OPERATION)
    bad(b, beyond, VALUE)
    bad(b, huge, gl.GL_OUT_OF_MEMORY)
    size = b.cast(call.size, u64)
    source = b.var(ptr(u8), call.pixels)
    error = b.call(ctx.pixel.tex_bytes, ctx, source.address, size, 0)
    with b.If(error != 0):
        b.Return(error)
    blocks = b.call(MALLOC, b.max(size, 1))
    bad(b, is_null(blocks), gl.GL_OUT_OF_MEMORY)
    with b.If(is_null(source.value)):
        b.memset(blocks, 0, size)
    with b.Else():
        b.memcpy(blocks, source.value, size)
    image = image_of(b, call)
    b.call(FREE, image.compressed)
    _describe(b, call, image, format)
    image.compressed, image.compressed_size = blocks, b.cast(size, u32)
    face, level = of_target(b, call, [row.face for row in TARGETS]), b.cast(call.level, u32)
    room = b.call(image_place, ctx, call.object, face, level)
    texture_changed(b, ctx, call.object)
    with b.If(room == 0):
        b.call(image_clear, image)
        b.Return(gl.GL_OUT_OF_MEMORY)
    with b.If(~is_null(image.resource)):
        settle(b, ctx, image.resource)
        b.call(decode_image, image, face, level)
    return b.const(u32, 0)


def _describe(b: Any, call: Any, image: Any, format: Any) -> None:
    image.width, image.height = b.cast(call.width, u32), b.cast(call.height, u32)
    image.depth, image.border = b.cast(call.depth, u32), 0
    image.internal_format, image.row = call.internal, call.row
    image.format = format
    image.compressed, image.compressed_size = b.const(image.compressed.ty, None), 0


@kernel(void, (IMAGE, CALL, ptr(u8)), noinline=True)
def put_blocks(b: Any, image: Any, call: Any, source: Any) -> None:
    """Blocks of a box into those of an image."""
    width, height = b.cast(call.width, u32), b.cast(call.height, u32)
    stride, rows = _rows_of(b, image.row, image.width, image.height)
    given, lines = _rows_of(b, image.row, width, height)
    wide = of_row(b, image.row, _WIDTHS)
    along = b.cast(b.cast(call.x, u32) // wide * of_row(b, image.row, _BYTES), u64)
    with b.For(b.const(u32, 0), b.cast(call.depth, u32)) as n:
        z = b.cast(b.cast(call.z, u32) + n, u64)
        with b.For(b.const(u64, 0), lines) as y:
            at = (z * rows + b.cast(b.cast(call.y, u32) >> 2, u64) + y) * stride + along
            place = b.bytes_from(image.compressed, at, u8)
            b.memcpy(place, b.bytes_from(source, (b.cast(n, u64) * lines + y) * given, u8), given)


@kernel(u32, (CTX, CALL), noinline=True)
def do_compressed_sub(b: Any, ctx: Any, call: Any) -> Any:
    """glCompressedTexSubImage."""
    bad_target(b, call, of_dims)
    call.object = bound_texture(b, ctx, call)
    error = b.call(check_compressed_sub, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    image = image_of(b, call)
    size = b.cast(call.size, u64)
    source = b.var(ptr(u8), call.pixels)
    error = b.call(ctx.pixel.tex_bytes, ctx, source.address, size, 0)
    with b.If(error != 0):
        b.Return(error)
    some = (call.size > 0) & ~is_null(source.value) & ~is_null(image.resource)
    with b.If(some & ~is_null(image.compressed)):
        settle(b, ctx, image.resource)
        b.call(put_blocks, image, call, source.value)
        face = of_target(b, call, [row.face for row in TARGETS])
        b.call(decode_image, image, face, b.cast(call.level, u32))
        texture_changed(b, ctx, call.object)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def do_get_compressed(b: Any, ctx: Any, call: Any) -> Any:
    """glGetCompressedTexImage: the blocks of a whole image."""
    masks = [int(not row.proxy and not row.whole) for row in TARGETS]
    bad(b, call.at >= len(TARGETS), gl.GL_INVALID_ENUM)
    bad(b, of_target(b, call, masks) == 0, gl.GL_INVALID_ENUM)
    bad(b, level_beyond(b, ctx, call), VALUE)
    call.object = bound_texture(b, ctx, call)
    image = image_of(b, call)
    bad(b, ~exists(image), OPERATION)
    bad(b, of_row(b, image.row, tables.COMPRESSED) == 0, OPERATION)
    call.width, call.height, call.depth = (
        b.cast(getattr(image, n), call.width.ty) for n in ("width", "height", "depth")
    )
    size = block_bytes(b, call, image.row)
    bad(b, (call.size < 0) | (size > b.cast(call.size, u64)), OPERATION)
    to = b.var(ptr(u8), call.pixels)
    error = b.call(ctx.pixel.tex_bytes, ctx, to.address, size, 1)
    with b.If(error != 0):
        b.Return(error)
    with b.If(~is_null(to.value) & ~is_null(image.compressed)):
        b.memcpy(to.value, image.compressed, size)
    return b.const(u32, 0)


__all__ = ["FORMATS", "do_compressed", "do_compressed_sub", "do_get_compressed"]
