# SPDX-License-Identifier: MIT
"""Images of window systems that become images of textures (GLX_EXT_texture_from_pixmap,
eglBindTexImage).

In: rows of texels in a format, uppermost first. Out: level 0 of the texture that is bound to a
target; it has no other images then. The texels are copied when they are bound: that is what both
extensions promise of later drawing (it may be seen, or not). Binding the same size again needs no
memory. Counterpart of st_context_teximage in Mesa's state_tracker/st_manager.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import Struct, i64, kernel, ptr, u8, u32, u64
from pydri.main.kernels import CTX, is_null
from pydri.main.textures.image_check import IMAGE, OBJECT
from pydri.main.textures.image_store import image_clear, image_level, image_place
from pydri.main.textures.image_sync import settle
from pydri.main.textures.image_tables import ROW_NUMBERS
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS, MAX_TEXTURE_TARGETS
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import image_place as texels_at
from pydri.pipe.skirt import refresh_level

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import TextureObject


class Imported(Struct):
    """An image to be bound."""

    index = u32  # TARGET_INDEX_* it is bound to, of the active unit
    alpha = u32  # what it comes from has an alpha channel, even where `format` hides it
    format = u32  # PipeFormat of the texels
    width = u32
    height = u32
    stride = i64  # bytes from row to row
    texels = ptr(u8)


def _describe(b: Builder, image: Any, what: Any) -> None:
    """An image of the import's size and format."""
    image.width, image.height, image.depth, image.border = what.width, what.height, 1, 0
    image.internal_format = b.select(what.alpha != 0, b.const(u32, gl.GL_RGBA), gl.GL_RGB)
    rows = (ROW_NUMBERS[gl.GL_RGBA], ROW_NUMBERS[gl.GL_RGB])
    image.row = b.select(what.alpha != 0, b.const(u32, rows[0]), rows[1])
    image.format, image.compressed_size = what.format, 0


@kernel(u32, (CTX, OBJECT, ptr(Imported)), noinline=True)
def take_image(b: Builder, ctx: GLContext, object: TextureObject, what: Imported) -> Value:
    """The work of texture_import; GL_OUT_OF_MEMORY, or 0."""
    first: Any = object.addr("images").cast(IMAGE)
    with b.For(b.const(u32, 0), MAX_FACES * MAX_TEXTURE_LEVELS) as n:
        with b.If((n > 0) | ~is_null(first.compressed)), b.If((first + n).internal_format != 0):
            b.call(image_clear, first + n)
    _describe(b, first, what)
    room = b.call(image_place, ctx, object, 0, 0)
    texture_changed(b, ctx, object)
    with b.If(object.immutable != 0):
        object.immutable_levels = 1
    with b.If(room == 0):
        b.call(image_clear, first)
        b.Return(gl.GL_OUT_OF_MEMORY)
    resource = first.resource
    settle(b, ctx, resource)
    number = image_level(b, first, b.const(u32, 0))
    level = level_of(resource, number)
    target = texels_at(b, resource, level, b.const(u32, 0))
    row = b.cast(what.width * resource.block_bytes, u64)
    with b.For(b.const(u32, 0), what.height) as y:
        line = b.cast(y, u64)
        b.memcpy(b.bytes_from(target, line * b.cast(level.row_stride, u64), u8),
                 b.bytes_from(what.texels, b.cast(line, i64) * what.stride, u8), row)
    b.call(refresh_level, resource, number)
    return b.const(u32, 0)


@kernel(u32, (CTX, ptr(Imported)))
def texture_import(b: Builder, ctx: GLContext, what: Imported) -> Any:
    """Make an image that of the texture which is bound to a target; GL_OUT_OF_MEMORY, or 0. No
    vertices are pending."""
    place = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + what.index
    lock_textures(b, ctx)
    error = b.call(take_image, ctx, (ctx.textures.bound + place).load(), what)
    unlock_textures(b, ctx)
    return error


EXPORTS = (texture_import,)
__all__ = ["EXPORTS", "Imported", "texture_import"]
