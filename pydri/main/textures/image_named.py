# SPDX-License-Identifier: MIT
"""Calls that name their texture and take a box of all its images, faces of cubes being slices:
glClearTex(Sub)Image (GL 4.6, 8.21), glInvalidateTex(Sub)Image (8.20), glGetTextureSubImage and
glGetCompressedTextureSubImage (8.11.4).

In: an ImageCall whose `object` and `target` are the named texture's. Out: a GL error or 0. Mesa:
main/teximage.c (glClearTexImage), main/texgetimage.c, main/texobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null, one_of
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    IMAGE,
    OPERATION,
    VALUE,
    bad,
    bad_pair,
    blocks_cut,
    check_get,
    exists,
    formats_part,
    image_of,
    integers_part,
    is_multisample,
    kind_of,
    level_beyond,
    negative,
    of_row,
    of_target,
)
from pydri.main.textures.image_compressed import copy_blocks_out
from pydri.main.textures.image_jobs import whole_job
from pydri.main.textures.image_store import first_image, image_level, texture_finalize
from pydri.main.textures.image_sync import settle
from pydri.main.textures.image_tables import TARGETS
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS
from pydri.main.textures.object_kernels import texture_changed
from pydri.pipe import resource as res
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import image_place as texels_at
from pydri.pipe.skirt import refresh_skirt, rows_are_images
from pydri.pipe.texel_table import Box

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.pixels.layout import TexTransfer
    from pydri.main.textures.layout import TextureImage

_SIDES = (("x", "width"), ("y", "height"), ("z", "depth"))


def images_of(b: Builder, call: Any, image: Any) -> Any:
    """How many slices a box of the call's texture can have: faces, layers or slices."""
    cube = kind_of(b, call) == res.TARGET_CUBE
    return b.select(cube, b.const(u32, MAX_FACES), image.depth)


def box_outside(b: Builder, call: Any, image: Any) -> Any:
    """Whether the call's box is not within all images of the level."""
    out = negative(call)
    whole = {"width": image.width, "height": image.height, "depth": images_of(b, call, image)}
    for at, size in _SIDES:
        start, count = b.cast(getattr(call, at), i64), b.cast(getattr(call, size), i64)
        out = out | (start < 0) | (start + count > b.cast(whole[size], i64))
    return out


def no_texels(b: Builder, call: Any) -> None:
    """Emit, in a kernel that returns an error: texels of several samples are not given out."""
    bad(b, is_multisample(b, call), OPERATION)


def take_all(b: Builder, call: Any, image: Any) -> None:
    """The call's box is the whole level."""
    call.x, call.y, call.z = 0, 0, 0
    call.width, call.height = b.cast(image.width, i32), b.cast(image.height, i32)
    call.depth = b.cast(images_of(b, call, image), i32)


def empty(call: Any) -> Any:
    return (call.width == 0) | (call.height == 0) | (call.depth == 0)


@kernel(u32, (CALL, u32), noinline=True)
def faces_missing(b: Builder, call: Any, level: Any) -> Value:
    """Whether the call's texture is a cube of which a face of a level is missing or another."""
    with b.If(kind_of(b, call) != res.TARGET_CUBE):
        b.Return(0)
    first = call.object.images + level
    for face in range(1, MAX_FACES):
        other = first + face * MAX_TEXTURE_LEVELS
        same = (first.width == other.width) & (first.height == other.height)
        with b.If(~(same & (first.format == other.format) & exists(other))):
            b.Return(1)
    return b.const(u32, 0)


# -- glClearTexImage -------------------------------------------------------------------------------


@kernel(u32, (CTX, CALL, ptr(u8)), noinline=True)
def texel_of(b: Builder, ctx: GLContext, call: Any, texel: Pointer) -> Any:
    """The call's pixel as a texel of the (present) level: it goes into the box's first texel by the
    way of glTexImage, without store parameters or a buffer object. Zeros if there is none."""
    with b.If(is_null(call.pixels)):
        b.memset(texel, 0, 16)
        b.Return(1)
    face = b.select(kind_of(b, call) == res.TARGET_CUBE, b.cast(call.z, u32), 0)
    image = image_of(b, call) + face * MAX_TEXTURE_LEVELS
    job = whole_job(b, call, image)
    with b.If(kind_of(b, call) == res.TARGET_CUBE):
        job.box.z = first_image(b, image, face)
    job.box.width, job.box.height, job.box.depth, job.dims = 1, 1, 1, 1
    # in stamps the first texel of an image is where rows have it, too; it need not be the box's
    resource, size = image.resource, b.cast(image.resource.block_bytes, u64)
    stamps = (resource.flags & res.FLAG_STAMPS) != 0
    with b.If(stamps):
        job.box.x = job.box.y = b.const(u32, 0)
    place, kept = _texel_place(b, job), b.array(u8, 16)
    b.memcpy(kept, place, size)
    store = b.array(i32, 8)
    b.memcpy(store, ctx.raw.unpack, 32)
    b.memset(ctx.raw.unpack.cast(ptr(u8)), 0, 32)
    ctx.raw.unpack[0] = 1
    buffer = ctx.pixel.unpack_buffer
    ctx.pixel.unpack_buffer = b.const(buffer.ty, None)
    done = b.call(ctx.pixel.tex_upload, ctx, job)
    ctx.pixel.unpack_buffer = buffer
    b.memcpy(ctx.raw.unpack, store, 32)
    with b.If(stamps):
        b.memcpy(texel, place, size)
        b.memcpy(place, kept, size)
    with b.Else():
        b.memcpy(texel, place, size)
    return done


def _texel_place(b: Builder, job: TexTransfer) -> Any:
    """Where the first texel of a job's box lies."""
    resource = job.resource
    level = level_of(resource, job.level)
    flat = rows_are_images(b, resource)
    place = texels_at(b, resource, level, b.select(flat, job.box.y, job.box.z))
    row = b.select(flat, b.const(u32, 0), job.box.y)
    at = b.cast(row, u64) * b.cast(level.row_stride, u64)
    at = at + b.cast(job.box.x * resource.block_bytes, u64)
    return b.bytes_from(place, at, u8)


@kernel(void, (IMAGE, u32, ptr(Box), ptr(u8)), noinline=True)
def fill_box(b: Builder, image: TextureImage, number: Value, box: Box, texel: Pointer) -> None:
    """All texels of a box of a level of an image's resource are others."""
    resource = image.resource
    level, size = level_of(resource, number), b.cast(resource.block_bytes, u64)
    flat = rows_are_images(b, resource)
    row, image_step = b.cast(level.row_stride, u64), b.cast(level.image_stride, u64)
    step = b.select(flat, image_step, row)
    wide = b.cast(box.width, u64) * size
    start = b.cast(box.x, u64) * size + b.cast(box.y, u64) * step
    first = b.bytes_from(texels_at(b, resource, level, box.z), start, u8)
    with b.For(b.const(u32, 0), box.width) as x:
        b.memcpy(b.bytes_from(first, b.cast(x, u64) * size, u8), texel, size)
    with b.For(b.const(u32, 0), box.depth) as z, b.For(b.const(u32, 0), box.height) as y:
        place = b.bytes_from(first, b.cast(z, u64) * image_step + b.cast(y, u64) * step, u8)
        with b.If((z | y) != 0):
            b.memcpy(place, first, wide)
    b.call(refresh_skirt, resource, number, box, 1)


@kernel(void, (IMAGE, ptr(Box), ptr(u8)), noinline=True)
def fill_samples(b: Builder, image: TextureImage, box: Box, texel: Pointer) -> None:
    """The same of all samples, which lie in stamps (pydri/pipe/native.py)."""
    resource, zero = image.resource, b.const(u32, 0)
    level, bytes_ = level_of(resource, zero), resource.block_bytes
    with b.For(zero, box.depth) as z, b.For(zero, box.height) as row:
        y = box.y + row
        first = texels_at(b, resource, level, box.z + z)
        stamps = b.cast((y >> 2) * 4, u64) * b.cast(level.row_stride, u64)
        with b.For(zero, box.width) as column:
            x = box.x + column
            at = (x >> 2) * resource.samples * 16 + (y & 3) * 4 + (x & 3)
            place = b.bytes_from(first, stamps + b.cast(at * bytes_, u64), u8)
            with b.For(zero, resource.samples) as n:
                sample = b.bytes_from(place, b.cast(n * bytes_ * 16, u64), u8)
                b.memcpy(sample, texel, b.cast(bytes_, u64))


@kernel(u32, (CTX, CALL), noinline=True)
def clear_box(b: Builder, ctx: GLContext, call: Any) -> Value:
    """The texels of the call's box, which is within the level and not empty."""
    cube = kind_of(b, call) == res.TARGET_CUBE
    first, level = image_of(b, call), b.cast(call.level, u32)
    faces = b.select(cube, b.cast(call.depth, u32), 1)
    from_face = b.select(cube, b.cast(call.z, u32), 0)
    with b.For(from_face, from_face + faces) as face:
        settle(b, ctx, (first + face * MAX_TEXTURE_LEVELS).resource)
    texel = b.array(u8, 16, align=16)
    with b.If(b.call(texel_of, ctx, call, texel) == 0):
        b.Return(0)
    box = b.array(Box)
    for name in ("x", "y", "width", "height"):
        setattr(box, name, b.cast(getattr(call, name), u32))
    with b.For(from_face, from_face + faces) as face:
        image = first + face * MAX_TEXTURE_LEVELS
        box.z = b.select(cube, first_image(b, image, face), b.cast(call.z, u32))
        box.depth = b.select(cube, b.const(u32, 1), b.cast(call.depth, u32))
        with b.If((image.resource.flags & res.FLAG_STAMPS) != 0):
            b.call(fill_samples, image, box, texel)
        with b.Else():
            b.call(fill_box, image, image_level(b, image, level), box, texel)
    texture_changed(b, ctx, call.object)
    return b.const(u32, 0)


def _check_clear(b: Builder, ctx: GLContext, call: Any) -> Any:
    """What both entry points check of the level, format and type."""
    bad(b, b.cast(call.level, u32) >= MAX_TEXTURE_LEVELS, OPERATION)
    image = image_of(b, call)
    bad(b, ~exists(image), OPERATION)
    with b.If(kind_of(b, call) == res.TARGET_CUBE):
        for face in range(1, MAX_FACES):
            bad(b, ~exists(image + face * MAX_TEXTURE_LEVELS), OPERATION)
    return image


def _check_pixel(b: Builder, call: Any, image: Any) -> None:
    bad(b, of_row(b, image.row, tables.COMPRESSED) != 0, OPERATION)
    bad_pair(b, call)
    bad(b, formats_part(b, call, image.row), OPERATION)
    bad(b, integers_part(b, call, image.row), OPERATION)


@kernel(u32, (CTX, CALL), noinline=True)
def do_clear(b: Builder, ctx: GLContext, call: Any) -> Any:
    """glClearTexImage."""
    image = _check_clear(b, ctx, call)
    _check_pixel(b, call, image)
    take_all(b, call, image)
    with b.If(empty(call)):
        b.Return(0)
    return b.call(clear_box, ctx, call)


@kernel(u32, (CTX, CALL), noinline=True)
def do_clear_sub(b: Builder, ctx: GLContext, call: Any) -> Any:
    """glClearTexSubImage."""
    image = _check_clear(b, ctx, call)
    bad(b, box_outside(b, call, image), OPERATION)
    _check_pixel(b, call, image)
    with b.If(empty(call)):
        b.Return(0)
    return b.call(clear_box, ctx, call)


# -- glInvalidateTexImage --------------------------------------------------------------------------


def _one_level(b: Builder, call: Any) -> Any:
    """Whether the call's texture has level 0 alone."""
    return (kind_of(b, call) == res.TARGET_RECT) | is_multisample(b, call)


@kernel(u32, (CTX, CALL), noinline=True)
def do_invalidate(b: Builder, ctx: GLContext, call: Any) -> Value:
    """glInvalidateTexImage: texels may be anything now, so they are what they were."""
    bad(b, (call.level < 0) | (call.level > call.object.params.max_level), VALUE)
    bad(b, _one_level(b, call) & (call.level != 0), VALUE)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def do_invalidate_sub(b: Builder, ctx: GLContext, call: Any) -> Value:
    """glInvalidateTexSubImage."""
    bad(b, (call.level < 0) | (call.level > call.object.params.max_level), VALUE)
    bad(b, _one_level(b, call) & (call.level != 0), VALUE)
    with b.If(b.cast(call.level, u32) < MAX_TEXTURE_LEVELS):
        image = image_of(b, call)
        with b.If(exists(image)):
            bad(b, box_outside(b, call, image), VALUE)
    return b.const(u32, 0)


# -- glGetTextureSubImage --------------------------------------------------------------------------


def _check_box(b: Builder, call: Any, image: Any) -> None:
    """What glGetTextureSubImage and its kin check of the box of an image that is there."""
    bad(b, negative(call) | (call.x < 0) | (call.y < 0) | (call.z < 0), VALUE)
    kind = kind_of(b, call)
    one = (call.y != 0) | (call.height != 1)
    bad(b, (kind == res.TARGET_1D) & one, VALUE)
    flat = (kind == res.TARGET_1D) | (kind == res.TARGET_2D) | (kind == res.TARGET_RECT)
    flat = flat | (kind == res.TARGET_1D_ARRAY)
    bad(b, flat & ((call.z != 0) | (call.depth != 1)), VALUE)
    bad(b, box_outside(b, call, image), VALUE)
    with b.If(of_row(b, image.row, tables.COMPRESSED) != 0):
        bad(b, blocks_cut(b, call, image), VALUE)


@kernel(u32, (CTX, CALL), noinline=True)
def gather_faces(b: Builder, ctx: GLContext, call: Any) -> Any:
    """The faces of a cube's level (which are all there) lie in one resource; 0: no memory."""
    with b.If(kind_of(b, call) != res.TARGET_CUBE):
        b.Return(1)
    level = b.cast(call.level, u32)
    return b.call(texture_finalize, ctx, call.object, level, level)


def _image_asked(b: Builder, ctx: GLContext, call: Any) -> Any:
    """The image whose texels are asked for, which may not be there."""
    no_texels(b, call)
    bad(b, level_beyond(b, ctx, call), VALUE)
    bad_pair(b, call)
    base = b.cast(b.min(call.object.params.base_level, MAX_TEXTURE_LEVELS - 1), u32)
    bad(b, b.call(faces_missing, call, base) != 0, OPERATION)
    return image_of(b, call)


@kernel(u32, (CTX, CALL), noinline=True)
def do_get_sub(b: Builder, ctx: GLContext, call: Any) -> Value:
    """glGetTextureSubImage: a box of texels."""
    image = _image_asked(b, ctx, call)
    bad(b, ~exists(image), VALUE)
    _check_box(b, call, image)
    with b.If(empty(call)):
        b.Return(0)
    error = b.call(check_get, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    bad(b, b.call(faces_missing, call, b.cast(call.level, u32)) != 0, OPERATION)
    call.dims = b.select(kind_of(b, call) == res.TARGET_CUBE, b.const(u32, 3),
                         of_target(b, call, [row.dims for row in TARGETS]))  # fmt: skip
    job = whole_job(b, call, image)
    error = b.call(ctx.pixel.tex_check, ctx, job, b.cast(call.size, u32) | 0x80000000)
    with b.If(error != 0):
        b.Return(error)
    with b.If(is_null(call.pixels) & is_null(ctx.pixel.pack_buffer)):
        b.Return(0)
    bad(b, b.call(gather_faces, ctx, call) == 0, gl.GL_OUT_OF_MEMORY)
    job = whole_job(b, call, image)
    settle(b, ctx, image.resource)
    b.call(ctx.pixel.tex_download, ctx, job)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def do_get_compressed_sub(b: Builder, ctx: GLContext, call: Any) -> Any:
    """glGetCompressedTextureSubImage: a box of blocks."""
    no_texels(b, call)
    bad(b, level_beyond(b, ctx, call), VALUE)
    face = b.select(kind_of(b, call) == res.TARGET_CUBE, b.cast(call.z, u32), 0)
    bad(b, face >= MAX_FACES, VALUE)
    first = image_of(b, call)
    image = first + face * MAX_TEXTURE_LEVELS
    bad(b, ~exists(image), VALUE)
    _check_box(b, call, image)
    with b.If(empty(call)):
        b.Return(0)
    bad(b, of_row(b, image.row, tables.COMPRESSED) == 0, OPERATION)
    return b.call(copy_blocks_out, ctx, call, first, image.row)


_DEEP = (res.TARGET_3D, res.TARGET_2D_ARRAY, res.TARGET_CUBE, res.TARGET_CUBE_ARRAY)


@kernel(u32, (CTX, CALL), noinline=True)
def do_get_named(b: Builder, ctx: GLContext, call: Any) -> Any:
    """glGetTextureImage: all texels of a level. One that is not there gives nothing."""
    image = _image_asked(b, ctx, call)
    with b.If(~exists(image)):
        b.Return(0)
    take_all(b, call, image)
    return b.call(do_get_sub, ctx, call)


@kernel(u32, (CTX, CALL), noinline=True)
def do_get_compressed_named(b: Builder, ctx: GLContext, call: Any) -> Any:
    """glGetCompressedTextureImage: all blocks of a level."""
    no_texels(b, call)
    bad(b, level_beyond(b, ctx, call), VALUE)
    image = image_of(b, call)
    with b.If(~exists(image)):  # as glGetCompressedTexImage
        b.Return(b.select(one_of(b, kind_of(b, call), _DEEP), b.const(u32, 0), VALUE))
    take_all(b, call, image)
    return b.call(do_get_compressed_sub, ctx, call)


DOES = {
    tables.OP_GET_NAMED: do_get_named, tables.OP_GET_COMPRESSED_NAMED: do_get_compressed_named,
    tables.OP_CLEAR: do_clear, tables.OP_CLEAR_SUB: do_clear_sub,
    tables.OP_INVALIDATE: do_invalidate, tables.OP_INVALIDATE_SUB: do_invalidate_sub,
    tables.OP_GET_SUB: do_get_sub, tables.OP_GET_COMPRESSED_SUB: do_get_compressed_sub,
}  # fmt: skip
__all__ = ["DOES"]
