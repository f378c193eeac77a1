# SPDX-License-Identifier: MIT
"""Images of textures that are shared with other textures and with renderbuffers
(shared_images.py): found, and taken over.

In: names, levels, slices; an ImageShare. Out: a resource that is a part of the source's; a texture
whose one image it is. The source gets room for being drawn to first, so that nobody needs to lay
its storage out anew because of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import kernel, ptr, u8, u32, u64
from pydri.main.kernels import CTX, is_null, one_of
from pydri.main.names.object_kernels import NAMED, reference, release
from pydri.main.textures.complete_kernels import mipmaps_reason
from pydri.main.textures.image_check import IMAGE, OBJECT, OPERATION, bad
from pydri.main.textures.image_compressed import block_bytes_of, gather_blocks, share_blocks
from pydri.main.textures.image_store import (
    first_image,
    image_clear,
    image_level,
    put_resource,
    texture_finalize,
    texture_widened,
)
from pydri.main.textures.layout import (
    MAX_FACES,
    MAX_TEXTURE_LEVELS,
    MAX_TEXTURE_TARGETS,
    SHARE_MATCH,
    SHARE_MEMORY,
    SHARE_PARAMETER,
    TARGET_INDEX_2D,
    ImageShare,
)
from pydri.main.textures.object_kernels import names as textures
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.tables import REASONS
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.resource_kernels import resource_part, storage_reference

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import TextureObject

SHARE = ptr(ImageShare)


@kernel(u32, (CTX, OBJECT, SHARE, u32, u32, u32), noinline=True)
def share_image(b: Builder, ctx: GLContext, object: TextureObject, out: ImageShare, face: Value,
                level: Value, layer: Value) -> Value:  # fmt: skip
    """One image of a texture; SHARE_*, or 0."""
    reason = b.call(mipmaps_reason, object, level)
    base = [REASONS[name] for name in ("base", "none", "cube")]
    bad(b, one_of(b, reason, base), SHARE_PARAMETER)
    bad(b, reason == REASONS["range"], SHARE_MATCH)
    bad(b, (level != 0) & (reason != 0), SHARE_PARAMETER)
    image: Any = (object.images + (face * MAX_TEXTURE_LEVELS + level)).cast(IMAGE)
    bad(b, is_null(image.resource), SHARE_PARAMETER)
    bad(b, layer >= image.depth, SHARE_PARAMETER)
    # where the whole texture lies, if it is whole
    with b.If(reason == 0):
        bad(b, b.call(texture_finalize, ctx, object, level, level) == 0, SHARE_MEMORY)
    deep = b.table(u8, [int(f.kind == "zs") for f in FORMATS])[image.format] != 0
    bind = b.select(deep, b.const(u32, res.BIND_DEPTH), res.BIND_RENDER)
    bad(b, b.call(texture_widened, ctx, object, image.resource, bind) == 0, SHARE_MEMORY)
    texture_changed(b, ctx, object)
    bad(b, b.call(gather_blocks, ctx, object, level) == 0, SHARE_MEMORY)
    out.internal, out.row, out.format = image.internal_format, image.row, image.format
    out.width, out.height = image.width, image.height
    first = first_image(b, image, face) + layer
    part = b.call(resource_part, image.resource, res.TARGET_2D, image.format,
                  image_level(b, image, level), 1, first, 1)  # fmt: skip
    bad(b, is_null(part), SHARE_MEMORY)
    out.resource = part
    with b.If(~is_null(image.kept)):
        before = b.cast(layer, u64) * block_bytes_of(b, image)
        out.compressed = b.bytes_from(image.compressed, before, u8)
        out.kept = image.kept
        b.call(storage_reference, out.kept)
    return b.const(u32, 0)


@kernel(u32, (CTX, SHARE, u32, u32, u32, u32, u32))
def texture_share(b: Builder, ctx: GLContext, out: ImageShare, name: Value, target: Value,
                  face: Value, level: Value, layer: Value) -> Value:  # fmt: skip
    """An image of the texture of a name, which must be of a target; SHARE_*, or 0."""
    bad(b, name == 0, SHARE_PARAMETER)
    object = textures.acquire(b, ctx, name)
    bad(b, is_null(object), SHARE_PARAMETER)
    refused = b.var(u32, SHARE_PARAMETER)
    with b.If(object.target == target):
        refused.value = SHARE_MATCH
        with b.If(level < MAX_TEXTURE_LEVELS):
            lock_textures(b, ctx)
            refused.value = b.call(share_image, ctx, object, out, face, level, layer)
            unlock_textures(b, ctx)
    release(b, ctx, object.cast(NAMED))
    return refused.value


@kernel(u32, (CTX, OBJECT, SHARE, u32), noinline=True)
def adopt_image(b: Builder, ctx: GLContext, object: TextureObject, what: ImageShare,
                for_ever: Value) -> Value:  # fmt: skip
    """A shared image is the one image of a 2D texture; the GL error, or 0."""
    bad(b, object.immutable != 0, OPERATION)
    first: Any = object.addr("images").cast(IMAGE)
    with b.For(b.const(u32, 0), MAX_FACES * MAX_TEXTURE_LEVELS) as n:
        with b.If((first + n).internal_format != 0):
            b.call(image_clear, first + n)
    first.width, first.height, first.depth, first.border = what.width, what.height, 1, 0
    first.internal_format, first.row, first.format = what.internal, what.row, what.format
    first.compressed_size = 0
    b.call(share_blocks, first, what.kept, what.compressed)
    b.call(put_resource, first.addr("resource"), what.resource)
    b.call(put_resource, object.addr("resource"), what.resource)
    object.unfinished = 0
    with b.If(for_ever != 0):
        object.immutable, object.immutable_levels, object.told_levels = 1, 1, 1
        object.min_level, object.num_levels = 0, 1
        object.min_layer, object.num_layers = 0, 1
    texture_changed(b, ctx, object)
    return b.const(u32, 0)


@kernel(u32, (CTX, SHARE, u32, u32))
def texture_adopt(b: Builder, ctx: GLContext, what: ImageShare, name: Value,
                  for_ever: Value) -> Value:  # fmt: skip
    """A shared image becomes that of the texture of a name, or (0) of what is bound to
    GL_TEXTURE_2D; the GL error, or 0. No vertices are pending."""
    place = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + TARGET_INDEX_2D
    object = b.var(OBJECT, (ctx.textures.bound + place).load())
    with b.If(name != 0):
        object.value = textures.acquire(b, ctx, name)
        bad(b, is_null(object.value), OPERATION)
    with b.Else():
        reference(b, ctx, object.value.cast(NAMED))
    error = b.var(u32, OPERATION)
    with b.If(object.value.target == gl.GL_TEXTURE_2D):
        lock_textures(b, ctx)
        error.value = b.call(adopt_image, ctx, object.value, what, for_ever)
        unlock_textures(b, ctx)
    release(b, ctx, object.value.cast(NAMED))
    return error.value


EXPORTS = (texture_share, texture_adopt)
__all__ = ["EXPORTS", "texture_adopt", "texture_share"]
