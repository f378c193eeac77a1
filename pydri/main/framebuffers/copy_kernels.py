# SPDX-License-Identifier: MIT
"""glCopyImageSubData (GL 4.6, 18.3.3; ARB_copy_image, NV_copy_image): which textures and
renderbuffers it names.

In: names, targets, levels. Out: an ImageCopy for textures/image_copy.py, whose sides were found; or
a GL error, in the order in which the peer finds them. Mesa: main/copyimage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import kernel, ptr, u8, u32
from pydri.main.framebuffers.object_kernels import renderbuffers
from pydri.main.kernels import (
    CTX,
    flush_vertices,
    gl_record_error,
    is_null,
    native_as,
    one_of,
    where,
)
from pydri.main.names.layout import FREE, RESERVED, Named
from pydri.main.names.object_kernels import release
from pydri.main.textures.complete_kernels import find_reason
from pydri.main.textures.image_check import bad
from pydri.main.textures.layout import (
    MAX_FACES,
    MAX_TEXTURE_LEVELS,
    CopySide,
    ImageCopy,
    TextureImage,
    TextureParams,
)
from pydri.main.textures.object_kernels import names as textures
from pydri.main.textures.tables import IMAGE_TARGETS
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.pipe.resource import Resource

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

SIDE, COPY = ptr(CopySide), ptr(ImageCopy)
ENUM, VALUE, OPERATION = gl.GL_INVALID_ENUM, gl.GL_INVALID_VALUE, gl.GL_INVALID_OPERATION
#: what may be named, whether there are such textures or not
TARGETS = dict.fromkeys(
    (*IMAGE_TARGETS, gl.GL_RENDERBUFFER)
)  # fmt: skip


def _acquire(b: Builder, ctx: GLContext, side: Any, space: Any) -> Any:
    """The object of a side's name, which the side keeps; a kernel that asks ends with the error."""
    entry = space.entry(b, ctx, side.name)
    bad(b, entry == FREE, VALUE)
    bad(b, entry == RESERVED, OPERATION)
    made = space.acquire(b, ctx, side.name)
    bad(b, is_null(made), VALUE)
    side.object = made.cast(ptr(Named))
    return made


@kernel(u32, (CTX, SIDE), noinline=True)
def find_renderbuffer(b: Builder, ctx: GLContext, side: CopySide) -> Value:
    """A side that is a renderbuffer: the GL error, or 0."""
    made = _acquire(b, ctx, side, renderbuffers)
    bad(b, made.format == 0, OPERATION)
    bad(b, side.level != 0, VALUE)
    side.resource, side.internal, side.row = made.resource, made.internal_format, made.row
    side.width, side.height, side.depth = made.width, made.height, 1
    side.samples = made.samples
    return b.const(u32, 0)


def _looked_at(b: Builder, texture: Any) -> Any:
    """Parameters by which a texture must be complete: its own, but that whole numbers are never
    filtered, as the peer has it."""
    params = b.array(TextureParams)
    b.memcpy(params.cast(ptr(u8)), texture.addr("params").cast(ptr(u8)), TextureParams.size)
    single = one_of(b, params.min_filter, (gl.GL_NEAREST, gl.GL_LINEAR))
    chain = b.const(u32, gl.GL_NEAREST_MIPMAP_NEAREST)
    params.min_filter = b.select(single, b.const(u32, gl.GL_NEAREST), chain)
    params.mag_filter = gl.GL_NEAREST
    return params


@kernel(u32, (CTX, SIDE), noinline=True)
def find_texture(b: Builder, ctx: GLContext, side: CopySide) -> Value:
    """A side that is a level of a texture, which must be complete as it would be sampled."""
    texture = _acquire(b, ctx, side, textures)
    bad(b, texture.target == 0, OPERATION)
    bad(b, b.call(find_reason, ctx, texture, _looked_at(b, texture)) != 0, OPERATION)
    bad(b, texture.target != side.target, ENUM)
    bad(b, b.cast(side.level, u32) >= MAX_TEXTURE_LEVELS, VALUE)
    image = (texture.images + b.cast(side.level, u32)).cast(ptr(TextureImage))
    bad(b, image.internal_format == 0, VALUE)
    side.images, side.internal, side.row = image, image.internal_format, image.row
    side.width, side.height, side.depth = image.width, image.height, image.depth
    side.samples = image.samples
    with b.If(side.target == gl.GL_TEXTURE_1D_ARRAY):
        side.height, side.depth = 1, image.height
    with b.If(side.target == gl.GL_TEXTURE_CUBE_MAP):
        side.depth = MAX_FACES
        for face in range(1, MAX_FACES):
            bad(b, (image + face * MAX_TEXTURE_LEVELS).internal_format == 0, VALUE)
    return b.const(u32, 0)


@kernel(u32, (CTX, SIDE), noinline=True)
def find_side(b: Builder, ctx: GLContext, side: CopySide) -> Any:
    """What a side names, with a reference in `object` (null: none): the GL error, or 0."""
    side.object, side.samples = b.const(ptr(Named), None), 0
    side.images, side.resource = b.const(ptr(TextureImage), None), b.const(ptr(Resource), None)
    bad(b, side.name == 0, VALUE)
    bad(b, ~one_of(b, side.target, tuple(TARGETS)), ENUM)
    with b.If(side.target == gl.GL_RENDERBUFFER):
        b.Return(b.call(find_renderbuffer, ctx, side))
    return b.call(find_texture, ctx, side)


@kernel(u32, (CTX, COPY), noinline=True)
def copy_images(b: Builder, ctx: GLContext, call: ImageCopy) -> Any:
    """Find both sides and copy: the GL error, or 0."""
    with b.If(is_null(ctx.images.copy), likely=False):
        b.call(ctx.pixel.hook_textures, ctx)
        b.call(ctx.images.hook_load, ctx)
    for side in (call.src, call.dst):
        error = b.call(find_side, ctx, side)
        with b.If(error != 0, likely=False):
            b.Return(error)
    return b.call(ctx.images.copy, ctx, call)


def _copy(b: Builder, ctx: GLContext, same: int, *args: Any) -> None:
    call = b.array(ImageCopy)
    call.same = same
    for side, given in ((call.src, args[:6]), (call.dst, args[6:12])):
        side.object = b.const(ptr(Named), None)
        for field, value in zip(("name", "target", "level", "x", "y", "z"), given, strict=True):
            setattr(side, field, value)
    call.width, call.height, call.depth = args[12:]
    call.slot = where(b)
    flush_vertices(b, ctx)
    lock_textures(b, ctx)
    error = b.call(copy_images, ctx, call)
    for side in (call.src, call.dst):
        with b.If(~is_null(side.object)):
            release(b, ctx, side.object)
    unlock_textures(b, ctx)
    with b.If(error != 0, likely=False):
        b.call(gl_record_error, ctx, error, where(b))


native_as("glCopyImageSubData", lambda b, ctx, *args: _copy(b, ctx, 0, *args))
native_as("glCopyImageSubDataNV", lambda b, ctx, *args: _copy(b, ctx, 1, *args))
