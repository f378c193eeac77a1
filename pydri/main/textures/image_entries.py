# SPDX-License-Identifier: MIT
"""glGetTexLevelParameter (GL 4.6, 8.11): what a level is, from its row of textures/formats.py.

In: a target, a level, a parameter. Out: a number. Mesa: main/texparam.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import COMPAT
from pydri.api.dispatch import GLError, entry
from pydri.api.where import registered
from pydri.main.buffers.layout import BufferObject
from pydri.main.names.objects import name_at
from pydri.main.pointers import F32, I32, store
from pydri.main.textures import formats
from pydri.main.textures.image_loader import load
from pydri.main.textures.image_tables import (
    ROWS,
    SIZE_3D,
    SIZE_CUBE,
    SIZE_RECT,
    TARGET_NUMBERS,
    TARGETS,
    Target,
)
from pydri.main.textures.layout import (
    MAX_TEXTURE_LEVELS,
    MAX_TEXTURE_TARGETS,
    TARGET_INDEX_BUFFER,
    TextureImage,
    TextureObject,
)
from pydri.main.textures.tables import BIND_TARGETS
from pydri.pipe.format import FORMATS, Format

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_SIZES = {getattr(gl, f"GL_TEXTURE_{name}_SIZE"): name for name in formats.COMPONENTS}
_SIZES[gl.GL_TEXTURE_STENCIL_SIZE] = "STENCIL"
_TYPES = {
    getattr(gl, f"GL_TEXTURE_{name}_TYPE"): name
    for name in formats.COMPONENTS
    if name != "STENCIL"
}
_PLAIN = {
    gl.GL_TEXTURE_WIDTH: "width", gl.GL_TEXTURE_HEIGHT: "height", gl.GL_TEXTURE_DEPTH: "depth",
    gl.GL_TEXTURE_BORDER: "border",
}  # fmt: skip


#: borders and what is shown as luminance or intensity were removed (OpenGL 3.1, E.2)
_REMOVABLE = _PLAIN.keys() | _SIZES.keys() | _TYPES.keys()


def _levels(ctx: GLContext, row: Target) -> int:
    limits = ctx.n.limits
    top = {SIZE_3D: limits.texture_3d, SIZE_CUBE: limits.texture_cube}.get(
        row.size, limits.texture_2d
    )
    one = row.size == SIZE_RECT or row.multisample
    return 1 if one else min(int(top).bit_length(), MAX_TEXTURE_LEVELS)


def image_at(ctx: GLContext, target: int, level: int) -> tuple[Target, Any]:
    """The row of a target of single images, and the image (a view) of the bound texture or proxy.

    Raises GL_INVALID_ENUM, GL_INVALID_VALUE.
    """
    number = TARGET_NUMBERS.get(target)
    row = TARGETS[number] if number is not None else None
    if row is None or row.whole:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    if not 0 <= level < _levels(ctx, row):
        raise GLError(gl.GL_INVALID_VALUE, f"level={level}")
    n = ctx.n
    if row.proxy:
        return row, n.images.proxies[(row.proxy - 1) * MAX_TEXTURE_LEVELS + level]
    index = BIND_TARGETS.index(row.object)
    texture = n.textures.bound[n.raw.active_texture * MAX_TEXTURE_TARGETS + index]
    at = row.face * MAX_TEXTURE_LEVELS + level
    return row, TextureImage.view(
        texture + TextureObject.offset("images") + at * TextureImage.size
    )


def _blocks(ctx: GLContext, image: Any) -> Format:
    """The format that is told of an image: of its blocks, or its texels."""
    if not ctx.n.images.run:
        load(ctx)
    import ctypes

    row = ROWS[image.row]
    held = (ctypes.c_uint16 * len(ROWS)).from_address(ctx.n.images.blocks)[image.row]
    fmt: Format = FORMATS[held if row.compressed else image.format]
    return fmt


def _internal_format(image: Any) -> int:
    """GL_TEXTURE_INTERNAL_FORMAT: the base of a generic compressed one that isn't in blocks."""
    row = ROWS[image.row]
    plain = image.internal_format in formats.UNCOMPRESSED and not row.compressed
    return int(row.base if plain else row.answer)


def _of_texels(ctx: GLContext, level: int, pname: int) -> int:
    """What is told of the buffer texture of the active unit (GL 4.6, 8.11.3)."""
    if level:
        raise GLError(gl.GL_INVALID_VALUE, f"level={level}")
    place = ctx.n.raw.active_texture * MAX_TEXTURE_TARGETS + TARGET_INDEX_BUFFER
    texture = TextureObject.view(ctx.n.textures.bound[place])
    image = texture.images[0]
    if pname == gl.GL_TEXTURE_INTERNAL_FORMAT:
        return int(image.internal_format) or gl.GL_LUMINANCE8
    there = bool(texture.buffer)
    whole = BufferObject.view(texture.buffer).size if there else 0
    size = texture.buffer_size or whole
    fmt: Format = FORMATS[image.format]
    plain = {
        gl.GL_TEXTURE_WIDTH: size // fmt.bytes if there else 0,
        gl.GL_TEXTURE_HEIGHT: there, gl.GL_TEXTURE_DEPTH: there,
        gl.GL_TEXTURE_BUFFER_DATA_STORE_BINDING: name_at(texture.buffer),
        gl.GL_TEXTURE_BUFFER_OFFSET: texture.buffer_offset, gl.GL_TEXTURE_BUFFER_SIZE: size,
        gl.GL_TEXTURE_FIXED_SAMPLE_LOCATIONS: 1,
        **dict.fromkeys((gl.GL_TEXTURE_BORDER, gl.GL_TEXTURE_SHARED_SIZE, gl.GL_TEXTURE_COMPRESSED,
                         gl.GL_TEXTURE_SAMPLES), 0),
    }  # fmt: skip
    if pname in plain:
        return int(plain[pname])
    if pname not in _SIZES and pname not in _TYPES:
        blocks = pname == gl.GL_TEXTURE_COMPRESSED_IMAGE_SIZE
        error = gl.GL_INVALID_OPERATION if blocks else gl.GL_INVALID_ENUM
        raise GLError(error, f"pname={gl.name_of(pname)}")
    found = formats.components(ROWS[image.row], fmt).get(_SIZES.get(pname) or _TYPES[pname])
    if found is None or not there:
        return 0
    return found.size if pname in _SIZES else found.type


def _parameter(ctx: GLContext, target: int, level: int, pname: int) -> int:
    if target == gl.GL_TEXTURE_BUFFER and ctx.n.limits.texel_buffer:
        return min(_of_texels(ctx, level, pname), 0x7FFFFFFF)
    row, image = image_at(ctx, target, level)
    if ctx.api != COMPAT and pname in _REMOVABLE and not ctx.has(registered(pname)):
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    there = bool(image.internal_format)
    if pname in _PLAIN:
        return int(getattr(image, _PLAIN[pname]))
    if pname == gl.GL_TEXTURE_INTERNAL_FORMAT:
        return _internal_format(image) if there else gl.GL_RGBA
    if pname == gl.GL_TEXTURE_SAMPLES:
        return int(image.samples)
    if pname in (gl.GL_TEXTURE_BUFFER_OFFSET, gl.GL_TEXTURE_BUFFER_SIZE,
                 gl.GL_TEXTURE_BUFFER_DATA_STORE_BINDING):  # fmt: skip
        return 0
    if pname == gl.GL_TEXTURE_FIXED_SAMPLE_LOCATIONS:
        # without an image there are no samples whose places could vary
        return int(image.fixed if image.samples else there or row.multisample)
    known = pname in _SIZES or pname in _TYPES or pname in (
        gl.GL_TEXTURE_SHARED_SIZE, gl.GL_TEXTURE_COMPRESSED, gl.GL_TEXTURE_COMPRESSED_IMAGE_SIZE
    )  # fmt: skip
    if not known:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    if not there:
        if pname == gl.GL_TEXTURE_COMPRESSED_IMAGE_SIZE:
            raise GLError(gl.GL_INVALID_OPERATION, "there is no image")
        return 0
    what, fmt = ROWS[image.row], _blocks(ctx, image)
    if pname == gl.GL_TEXTURE_COMPRESSED:
        return int(what.compressed)
    if pname == gl.GL_TEXTURE_SHARED_SIZE:
        return formats.shared_size(fmt)
    if pname == gl.GL_TEXTURE_COMPRESSED_IMAGE_SIZE:
        if row.proxy or not what.compressed:
            raise GLError(gl.GL_INVALID_OPERATION, "the image is not compressed")
        return formats.image_size(fmt, image.width, image.height, image.depth)
    found = formats.components(what, fmt).get(_SIZES.get(pname) or _TYPES[pname])
    if found is None:
        return 0
    return found.size if pname in _SIZES else found.type


@entry(flush=False)
def glGetTexLevelParameteriv(
    ctx: GLContext, target: int, level: int, pname: int, params: Any
) -> None:
    store(params, I32, [_parameter(ctx, target, level, pname)])


@entry(flush=False)
def glGetTexLevelParameterfv(
    ctx: GLContext, target: int, level: int, pname: int, params: Any
) -> None:
    store(params, F32, [float(_parameter(ctx, target, level, pname))])


__all__ = ["image_at"]
