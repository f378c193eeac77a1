# SPDX-License-Identifier: MIT
"""Images that are given, changed and read as blocks: glCompressedTexImage and its kin.

Blocks are kept, for glGetCompressedTexImage; what is sampled are texels beside them. Blocks are
decoded when they are given, and made when texels are (`compress`), both by the kernels that
`ctx.pixel` points to (pydri/st/textures/blocks.py). Mesa: main/teximage.c, main/texgetimage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.pixels.blocks import client_blocks, misplaced
from pydri.main.pixels.layout import BlockTransfer
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    IMAGE,
    OBJECT,
    OPERATION,
    VALUE,
    bad,
    bad_target,
    block_bytes,
    check_compressed,
    check_compressed_sub,
    exists,
    image_of,
    kind_of,
    level_beyond,
    of_dims,
    of_row,
    of_target,
    sizes_beyond,
    too_much,
)
from pydri.main.textures.image_store import (
    FRESH,
    drop_blocks,
    first_image,
    image_clear,
    image_level,
    image_place,
    image_zero,
)
from pydri.main.textures.image_sync import bound_texture, settle
from pydri.main.textures.image_tables import SIZE_CUBE, TARGETS
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS
from pydri.main.textures.object_kernels import texture_changed
from pydri.pipe import resource as res
from pydri.pipe.format import BY_NAME
from pydri.pipe.resource import Storage
from pydri.pipe.resource_kernels import (
    storage_data,
    storage_new,
    storage_reference,
    storage_release,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import ImageCall, TextureImage, TextureObject

_BLOCKS = [BY_NAME[row.formats[0]] for row in tables.ROWS]
_WIDTHS = [fmt.width for fmt in _BLOCKS]
_HEIGHTS = [fmt.height for fmt in _BLOCKS]
_BYTES = [fmt.bytes for fmt in _BLOCKS]


def block_bytes_of(b: Builder, image: Any) -> Any:
    """Bytes (u64) of the blocks of an image of a level (one slice, one layer)."""
    wide, high = of_row(b, image.row, _WIDTHS), of_row(b, image.row, _HEIGHTS)
    size = b.cast(of_row(b, image.row, _BYTES), u64)
    across = b.cast((image.width + wide - 1) // wide, u64) * size
    return across * b.cast((image.height + high - 1) // high, u64)


def block_job(b: Builder, ctx: GLContext, call: Any, image: Any, face: Operand,
              level: Operand) -> Any:  # fmt: skip
    """A BlockTransfer for the call's box of an image."""
    with b.If(is_null(ctx.pixel.tex_blocks_in), likely=False):
        b.call(ctx.pixel.hook_blocks, ctx)
    job, first = b.array(BlockTransfer), first_image(b, image, face)
    job.pixels, job.before, job.dims = call.pixels, 0, call.dims
    job.resource, job.level = image.resource, image_level(b, image, level)
    # kept blocks are counted by images of the level, of which this is a later face
    before = b.const(u64, 0) - b.cast(first, u64) * block_bytes_of(b, image)
    job.blocks = b.bytes_from(image.compressed, before, u8)
    job.format, job.slot = b.cast(ctx.images.blocks[image.row], u32), call.slot
    for name in ("x", "y", "width", "height", "depth"):
        setattr(job.box, name, b.cast(getattr(call, name), u32))
    job.box.z = b.cast(call.z, u32) + first
    return job


@kernel(u32, (IMAGE,), noinline=True)
def keep_blocks(b: Builder, image: TextureImage) -> Value:
    """Memory for the blocks of an image, zeros if it had none; 0: there is none."""
    size = b.max(block_bytes_of(b, image) * b.cast(image.depth, u64), 1)
    with b.If(~is_null(image.compressed)), b.If(b.cast(image.compressed_size, u64) == size):
        b.Return(1)
    b.call(drop_blocks, image)
    kept = b.call(storage_new, size + b.const(u64, 0))
    with b.If(is_null(kept)):
        b.Return(0)
    image.kept, image.compressed = kept, storage_data(b, kept)
    image.compressed_size = b.cast(size, u32)
    return b.const(u32, 1)


@kernel(u32, (CTX, OBJECT, u32), noinline=True)
def gather_blocks(b: Builder, ctx: GLContext, object: TextureObject, level: Value) -> Value:
    """Blocks of a level of a texture, of all faces one behind the other, so that they can be
    shared; of what has none nothing. 0: there is no memory."""
    first: Any = (object.images + level).cast(IMAGE)
    with b.If(of_row(b, first.row, tables.COMPRESSED) == 0):
        b.Return(1)
    with b.If(b.cast(ctx.images.blocks[first.row], u32) == first.format):
        b.Return(1)
    with b.If(object.target != gl.GL_TEXTURE_CUBE_MAP):
        b.Return(b.call(keep_blocks, first))
    size = b.max(block_bytes_of(b, first), 1)
    last = first + (MAX_FACES - 1) * MAX_TEXTURE_LEVELS
    with b.If(~is_null(first.kept)), b.If(first.kept == last.kept):
        b.Return(1)
    kept = b.call(storage_new, size * MAX_FACES)
    with b.If(is_null(kept)):
        b.Return(0)
    with b.For(b.const(u32, 0), MAX_FACES) as face:
        image = first + face * MAX_TEXTURE_LEVELS
        place = b.bytes_from(storage_data(b, kept), b.cast(face, u64) * size, u8)
        with b.If(~is_null(image.compressed)):
            b.memcpy(place, image.compressed, size)
        b.call(share_blocks, image, kept, place)
        image.compressed_size = b.cast(size, u32)
    b.call(storage_release, kept)
    return b.const(u32, 1)


@kernel(void, (IMAGE, ptr(Storage), ptr(u8)), noinline=True)
def share_blocks(b: Builder, image: TextureImage, kept: Storage, place: Pointer) -> None:
    """An image's blocks are some of another's."""
    with b.If(~is_null(kept)):
        b.call(storage_reference, kept)
    b.call(drop_blocks, image)
    image.kept, image.compressed = kept, place
    with b.If(~is_null(kept)):
        size = b.max(block_bytes_of(b, image) * b.cast(image.depth, u64), 1)
        image.compressed_size = b.cast(size, u32)


@kernel(u32, (CTX, CALL, IMAGE, u32, u32), noinline=True)
def compress(b: Builder, ctx: GLContext, call: ImageCall, image: TextureImage, face: Value,
             level: Value) -> Value:  # fmt: skip
    """If an image is a compressed one: blocks of the texels of the call's box; GL_OUT_OF_MEMORY,
    or 0."""
    with b.If(is_null(image.resource)):
        b.Return(0)
    with b.If(of_row(b, image.row, tables.COMPRESSED) == 0):
        b.Return(0)
    with b.If(b.cast(ctx.images.blocks[image.row], u32) == image.format):
        b.Return(0)  # a generic format that is kept as texels
    bad(b, b.call(keep_blocks, image) == 0, gl.GL_OUT_OF_MEMORY)
    b.call(_encoder(b, ctx), ctx, block_job(b, ctx, call, image, face, level))
    return b.const(u32, 0)


def _encoder(b: Builder, ctx: GLContext) -> Any:
    with b.If(is_null(ctx.pixel.tex_encode), likely=False):
        b.call(ctx.pixel.hook_blocks, ctx)
    return ctx.pixel.tex_encode


@kernel(u32, (CTX, CALL), noinline=True)
def do_compressed(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
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
    source = b.var(ptr(u8), call.pixels)
    end = _client_end(b, call, call.row, ctx.raw.unpack, ctx.raw.unpack_blocks)
    error = b.call(ctx.pixel.tex_bytes, ctx, source.address, end, 0)
    with b.If(error != 0):
        b.Return(error)
    image = image_of(b, call)
    b.call(drop_blocks, image)
    _describe(b, call, image, format)
    face, level = of_target(b, call, [row.face for row in TARGETS]), b.cast(call.level, u32)
    room = b.call(image_place, ctx, call.object, face, level)
    texture_changed(b, ctx, call.object)
    with b.If((room == 0) | (b.call(keep_blocks, image) == 0)):
        b.call(image_clear, image)
        b.Return(gl.GL_OUT_OF_MEMORY)
    with b.If(~is_null(image.resource)):
        settle(b, ctx, image.resource)
        with b.If(is_null(source.value)):
            with b.If(room != FRESH):
                b.call(image_zero, image, face, level)
        with b.Else():
            job = block_job(b, ctx, call, image, face, level)
            b.call(ctx.pixel.tex_blocks_in, ctx, job)
    return b.const(u32, 0)


def _describe(b: Builder, call: Any, image: Any, format: Operand) -> None:
    image.width, image.height = b.cast(call.width, u32), b.cast(call.height, u32)
    image.depth, image.border = b.cast(call.depth, u32), 0
    image.internal_format, image.row = call.internal, call.row
    image.format = format


@kernel(u32, (CTX, CALL), noinline=True)
def do_compressed_sub(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCompressedTexSubImage."""
    bad_target(b, call, of_dims)
    call.object = bound_texture(b, ctx, call)
    error = b.call(check_compressed_sub, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    image = image_of(b, call)
    source = b.var(ptr(u8), call.pixels)
    end = _client_end(b, call, image.row, ctx.raw.unpack, ctx.raw.unpack_blocks)
    error = b.call(ctx.pixel.tex_bytes, ctx, source.address, end, 0)
    with b.If(error != 0):
        b.Return(error)
    some = (call.size > 0) & ~is_null(source.value) & ~is_null(image.resource)
    with b.If(some & (b.cast(ctx.images.blocks[image.row], u32) != image.format)):
        bad(b, b.call(keep_blocks, image) == 0, gl.GL_OUT_OF_MEMORY)
        settle(b, ctx, image.resource)
        face = of_target(b, call, [row.face for row in TARGETS])
        job = block_job(b, ctx, call, image, face, b.cast(call.level, u32))
        b.call(ctx.pixel.tex_blocks_in, ctx, job)
        texture_changed(b, ctx, call.object)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def do_get_compressed(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glGetCompressedTexImage: the blocks of a whole image."""
    masks = [int(not (row.proxy or row.whole or row.multisample)) for row in TARGETS]
    bad(b, call.at >= len(TARGETS), gl.GL_INVALID_ENUM)
    bad(b, of_target(b, call, masks) == 0, gl.GL_INVALID_ENUM)
    bad(b, level_beyond(b, ctx, call), VALUE)
    call.object = bound_texture(b, ctx, call)
    image = image_of(b, call)
    with b.If(~exists(image)):  # as the peer: an image without depth is no error
        deep = of_target(b, call, [int(r.dims == 3 or r.size == SIZE_CUBE) for r in TARGETS]) != 0
        b.Return(b.select(deep, b.const(u32, 0), VALUE))
    bad(b, of_row(b, image.row, tables.COMPRESSED) == 0, OPERATION)
    call.width, call.height, call.depth = (
        b.cast(getattr(image, n), call.width.ty) for n in ("width", "height", "depth")
    )
    call.dims = of_target(b, call, [row.dims for row in TARGETS])
    call.x, call.y, call.z = 0, 0, 0
    error = b.call(_room_for, ctx, call, image.row)
    with b.If(error != 0):
        b.Return(error)
    some = ~is_null(call.pixels) | ~is_null(ctx.pixel.pack_buffer)
    some = some & ~is_null(image.compressed) & ~is_null(image.resource)
    with b.If(some & (block_bytes(b, call, image.row) != 0)):
        face = of_target(b, call, [row.face for row in TARGETS])
        job = block_job(b, ctx, call, image, face, b.cast(call.level, u32))
        b.call(ctx.pixel.tex_blocks_out, ctx, job)
    return b.const(u32, 0)


def _client_end(b: Builder, call: Any, row: Any, store: Any, sizes: Any) -> Any:
    """Bytes (u64) from where the program's blocks of the call's box are to their end."""
    wide, high = of_row(b, row, _WIDTHS), of_row(b, row, _HEIGHTS)
    size = b.cast(of_row(b, row, _BYTES), u64)
    across = (b.cast(call.width, u32) + wide - 1) // wide
    used, rows = b.cast(across, u64) * size, (b.cast(call.height, u32) + high - 1) // high
    box = used, rows, b.cast(call.depth, u32)
    end = b.cast(client_blocks(b, store, sizes, call.dims, box).end, u64)
    none = (used == 0) | (rows == 0) | (call.depth == 0)
    return b.select(none, b.const(u64, 0), end)


@kernel(u32, (CTX, CALL, u32), noinline=True)
def _room_for(b: Builder, ctx: GLContext, call: ImageCall, row: Value) -> Any:
    """The error of writing blocks of the call's box to the program's memory, or 0."""
    bad(b, misplaced(b, ctx.raw.pack, ctx.raw.pack_blocks, call.dims), OPERATION)
    end = _client_end(b, call, row, ctx.raw.pack, ctx.raw.pack_blocks)
    bad(b, (call.size < 0) | (end > b.cast(call.size, u64)), OPERATION)
    to = b.var(ptr(u8), call.pixels)
    return b.call(ctx.pixel.tex_bytes, ctx, to.address, end, 1)


@kernel(u32, (CTX, CALL, IMAGE, u32), noinline=True)
def copy_blocks_out(b: Builder, ctx: GLContext, call: ImageCall, image: TextureImage,
                    row: Value) -> Value:  # fmt: skip
    """glGetCompressedTextureSubImage, its box being checked: the box's blocks, one slice (or face)
    behind the other. `image`: of the first face; `row`: of the internal format."""
    call.dims = b.select(kind_of(b, call) == res.TARGET_CUBE, b.const(u32, 3),
                         of_target(b, call, [each.dims for each in TARGETS]))  # fmt: skip
    error = b.call(_room_for, ctx, call, row)
    with b.If(error != 0):
        b.Return(error)
    size = block_bytes(b, call, row)
    with b.If(is_null(call.pixels) & is_null(ctx.pixel.pack_buffer)):
        b.Return(0)
    cube, level = kind_of(b, call) == res.TARGET_CUBE, b.cast(call.level, u32)
    first, count = b.cast(call.z, u32), b.cast(call.depth, u32)
    with b.If((count == 0) | (size == 0)):
        b.Return(0)
    call.depth = 1
    with b.For(b.const(u32, 0), count) as n:
        at = first + n
        face = b.select(cube, at, b.const(u32, 0))
        held = image + face * MAX_TEXTURE_LEVELS
        call.z = b.cast(b.select(cube, b.const(u32, 0), at), call.z.ty)
        with b.If(~is_null(held.compressed)):
            job = block_job(b, ctx, call, held, face, level)
            job.before = b.cast(n, u64)
            b.call(ctx.pixel.tex_blocks_out, ctx, job)
    return b.const(u32, 0)


__all__ = [
    "block_bytes_of", "block_job", "compress", "copy_blocks_out", "do_compressed",
    "do_compressed_sub", "do_get_compressed", "gather_blocks", "keep_blocks", "share_blocks",
]  # fmt: skip
