# SPDX-License-Identifier: MIT
"""Buffer textures, whose texels are what a buffer object holds: glTexBuffer, glTexBufferRange
(ARB_texture_buffer_object, EXT_texture_buffer_object, ARB_texture_buffer_range; GL 4.6, 8.9).

In: an internal format of FORMATS, a buffer's name, a range. Out: a texture that holds the buffer
and has an image (the texture's first) that says which format and how many texels. When it is drawn
with, `texels_follow` makes the resource: a part of the storage that the buffer has then, so a
buffer that got other storage or another size (`BufferObject.serial`) is looked at again. From the
moment when it is attached a buffer has a Resource, so whoever touches its content waits for scenes
that read it, and a replacement takes other storage. Mesa: main/teximage.c (texture_buffer_range).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i64, kernel, ptr, u32, u64, void
from pydri.main.buffers.kernels import names
from pydri.main.buffers.storage_kernels import (
    BUFFER,
    buffer_resource,
    held_range,
    read_begin,
    read_end,
)
from pydri.main.kernels import (
    CTX,
    fail,
    flush_vertices,
    is_null,
    native,
    where,
)
from pydri.main.names.object_kernels import NAMED, drop, hold, release
from pydri.main.rows import row_finder
from pydri.main.textures.formats import INTERNAL, TEXEL_BUFFERS
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS, TARGET_INDEX_BUFFER, TextureObject
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.tables import REASONS
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.pipe.format import BY_NAME, FORMATS
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import head_of, resource_of_texels, resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

OBJECT = ptr(TextureObject)
_PLACES = list(INTERNAL)
_ROWS = [_PLACES.index(enum) for enum in TEXEL_BUFFERS]
_FORMATS = [BY_NAME[INTERNAL[enum].formats[0]] for enum in TEXEL_BUFFERS]
_format_row = row_finder("texel_buffer_format", TEXEL_BUFFERS)


@kernel(void, (CTX, OBJECT, u32, BUFFER, u64, u64), noinline=True)
def texels_put(b: Builder, ctx: GLContext, texture: Any, row: Any, buffer: Any, offset: Any,
               size: Any) -> None:  # fmt: skip
    """A buffer texture is of a range of a buffer (or null) now; `row`: of TEXEL_BUFFERS."""
    flush_vertices(b, ctx)
    with b.If(~is_null(buffer)):
        b.call(buffer_resource, ctx, buffer)
        hold(b, buffer.cast(NAMED))
    lock_textures(b, ctx)
    old, image = texture.buffer, texture.images
    texture.buffer, texture.buffer_offset, texture.buffer_size = buffer, offset, size
    image.internal_format = b.table(u32, TEXEL_BUFFERS)[row]
    image.row = b.table(u32, _ROWS)[row]
    image.format = b.table(u32, [each.number for each in _FORMATS])[row]
    texture_changed(b, ctx, texture)
    unlock_textures(b, ctx)
    with b.If(~is_null(old)):
        drop(b, ctx, old.cast(NAMED))


@kernel(u32, (CTX, OBJECT), noinline=True)
def texels_follow(b: Builder, ctx: GLContext, texture: Any) -> Value:
    """Bring a buffer texture's image and resource up to date: REASONS. The textures' lock is
    held."""
    buffer, image = texture.buffer, texture.images
    b.call(resource_release, texture.resource)
    texture.resource = b.const(ptr(Resource), None)
    image.width, image.height, image.depth = 0, 1, 1
    with b.If(is_null(buffer)):
        b.Return(REASONS["buffer"])
    outside = ctx.reading == 0
    with b.If(outside):
        read_begin(b, ctx)
    texture.buffer_serial = buffer.serial
    data = buffer.data
    with b.If(~is_null(data)):
        head = head_of(data)
        bytes_ = b.table(u32, [each.bytes for each in FORMATS])[image.format]
        start, given = held_range(b, head, texture.buffer_offset, texture.buffer_size)
        count = b.min(given // b.cast(bytes_, u64), b.cast(ctx.limits.texel_buffer, u64))
        image.width = b.cast(count, u32)
        with b.If(count != 0):
            texture.resource = b.call(resource_of_texels, head, start,
                                      image.format, bytes_, image.width)  # fmt: skip
    with b.If(outside):
        read_end(b, ctx)
    reason = b.select(image.width == 0, b.const(u32, REASONS["buffer"]), 0)
    lost = (image.width != 0) & is_null(texture.resource)
    return b.select(lost, b.const(u32, REASONS["memory"]), reason)


def texels_moved(texture: Any) -> Any:
    """Whether a buffer texture's buffer (not null) got other storage, or another size."""
    return texture.buffer.serial != texture.buffer_serial


@kernel(void, (CTX, u32, u32, u32, i64, i64, u32, u32), noinline=True)
def tex_buffer(b: Any, ctx: GLContext, target: Value, internal: Value, name: Value, offset: Value,
               size: Value, ranged: Value, slot: Value) -> None:  # fmt: skip
    """glTexBuffer and (`ranged`) glTexBufferRange."""
    there = ctx.limits.texel_buffer != 0
    fail(b, ctx, (target != gl.GL_TEXTURE_BUFFER) | ~there, gl.GL_INVALID_ENUM, slot)
    buffer = b.var(BUFFER, b.const(BUFFER, None))
    start, length = b.var(u64, 0), b.var(u64, 0)
    with b.If(name != 0):
        buffer.value = names.acquire(b, ctx, name)
        fail(b, ctx, is_null(buffer.value), gl.GL_INVALID_OPERATION, slot)
        with b.If(ranged != 0):
            start.value, length.value = b.cast(offset, u64), b.cast(size, u64)
    given, error = buffer.value, b.var(u32, 0)
    row = b.call(_format_row, ctx, internal)
    with b.If(row < 0):
        error.value = gl.GL_INVALID_ENUM
    with b.If((ranged != 0) & ~is_null(given)):
        mask = b.cast(ctx.limits.texel_alignment - 1, u64)
        wrong = (offset < 0) | (size <= 0) | ((start.value & mask) != 0)
        wrong = wrong | (start.value > given.size) | (length.value > given.size - start.value)
        with b.If(wrong):
            error.value = gl.GL_INVALID_VALUE
    with b.If(error.value == 0):
        at = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + TARGET_INDEX_BUFFER
        texture = ctx.textures.bound[at]
        b.call(texels_put, ctx, texture, b.cast(row, u32), given, start.value, length.value)
    with b.If(~is_null(given)):
        release(b, ctx, given.cast(NAMED))
    fail(b, ctx, error.value != 0, error.value, slot)


@native
def glTexBuffer(b: Builder, ctx: GLContext, target: Value, internal: Value, buffer: Any) -> None:
    zero = b.const(i64, 0)
    b.call(tex_buffer, ctx, target, internal, buffer, zero, zero, 0, where(b))


@native
def glTexBufferRange(b: Builder, ctx: GLContext, target: Value, internal: Value, buffer: Any,
                     offset: Value, size: Value) -> None:  # fmt: skip
    b.call(tex_buffer, ctx, target, internal, buffer, offset, size, 1, where(b))


__all__ = ["glTexBuffer", "glTexBufferRange", "texels_follow", "texels_moved"]
