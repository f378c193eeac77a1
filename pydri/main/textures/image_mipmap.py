# SPDX-License-Identifier: MIT
"""glGenerateMipmap and GL_GENERATE_MIPMAP (GL 2.1, 3.8.8): levels below the base level.

Sizes, formats and room are given here; texels are made by the kernels of formats
(pydri/pipe/mipmap.py). Mesa: main/genmipmap.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.api.where import In
from pydri.jit import i32, kernel, ptr, u8, u32, void
from pydri.main.kernels import CTX, is_null
from pydri.main.rows import available
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    CLASS_COLOR,
    CLASS_DEPTH,
    CLASSES,
    IMAGE,
    OBJECT,
    OPERATION,
    bad,
    exists,
    of_row,
    of_target,
)
from pydri.main.textures.image_compressed import compress
from pydri.main.textures.image_store import (
    drop_blocks,
    image_clear,
    image_place,
    resource_target,
    texture_finalize,
)
from pydri.main.textures.image_sync import bound_texture, settle
from pydri.main.textures.image_tables import SIZE_RECT, TARGETS
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS, ImageCall
from pydri.main.textures.object_kernels import texture_changed
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.mipmap import can_generate

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

#: where blocks have mipmaps that the driver makes (OpenGL ES 2.0, 3.7.11)
_OF_BLOCKS = In(10, 31, 0, 30)
#: OpenGL ES 3.0, 3.8.10.5 makes them of images without a size, and of what can be drawn to and
#: filtered both; EXT_color_buffer_float and OES_texture_float_linear add floats (Mesa:
#: _mesa_is_valid_generate_texture_mipmap_internalformat of main/genmipmap.c)
_ES3 = In(0, 0, 0, 30)
_NAMED_IN_ES = frozenset(getattr(gl, f"GL_{name}") for name in (
    "RGBA", "RGB", "LUMINANCE_ALPHA", "LUMINANCE", "ALPHA", "BGRA", "R8", "RG8", "RGB8", "RGBA8",
    "RGB565", "RGBA4", "RGB5_A1", "RGB10_A2", "SRGB8_ALPHA8", "R11F_G11F_B10F",
    *(f"{channels}{bits}F" for channels in ("R", "RG", "RGBA") for bits in (16, 32)),
))  # fmt: skip
_IN_ES = [int(row.enum in _NAMED_IN_ES) for row in tables.ROWS]
_CAN = [int(bool(f.channels) and not f.codec and can_generate(f)) for f in FORMATS]


@kernel(u32, (OBJECT, u32), noinline=True)
def last_generated(b: Builder, object: Any, base: Any) -> Value:
    """The last level that is made from a base level."""
    image, kind = object.images + base, resource_target(b, object)
    most = b.var(u32, image.width)
    with b.If(kind != res.TARGET_1D_ARRAY):
        most.value = b.max(most.value, image.height)
    with b.If(kind == res.TARGET_3D):
        most.value = b.max(most.value, image.depth)
    last = b.min(base + (b.const(u32, 31) - b.clz(b.max(most.value, 1))), MAX_TEXTURE_LEVELS - 1)
    last = b.min(last, b.cast(b.max(object.params.max_level, 0), u32))
    with b.If(object.immutable != 0):
        b.Return(b.min(last, object.immutable_levels - 1))
    return last


@kernel(u32, (CTX, OBJECT, u32, u32, u32), noinline=True)
def make_levels(b: Builder, ctx: GLContext, object: Any, face: Any, base: Any, last: Any) -> Value:
    """Describe the levels of a face and give them room; 0: there is no memory."""
    kind = resource_target(b, object)
    source = object.images + (face * MAX_TEXTURE_LEVELS + base)
    with b.For(base + 1, last + 1) as level:
        image = object.images + (face * MAX_TEXTURE_LEVELS + level)
        by = level - base
        b.call(drop_blocks, image)
        image.width = b.max(source.width >> by, 1)
        rows, volume = kind == res.TARGET_1D_ARRAY, kind == res.TARGET_3D
        image.height = b.select(rows, source.height, b.max(source.height >> by, 1))
        image.depth = b.select(volume, b.max(source.depth >> by, 1), source.depth)
        image.border, image.compressed_size = 0, 0
        image.internal_format, image.row = source.internal_format, source.row
        image.format = source.format
        with b.If(b.call(image_place, ctx, object, face, level) == 0):
            b.call(image_clear, image)
            b.Return(0)
    return b.const(u32, 1)


@kernel(u32, (CTX, OBJECT, u32), noinline=True)
def generate(b: Builder, ctx: GLContext, object: Any, slot: Value) -> Value:
    """Make all levels below the base level, whose images are there; GL_OUT_OF_MEMORY, or 0."""
    base = b.cast(object.params.base_level, u32)
    last = b.call(last_generated, object, base)
    with b.If((last <= base) | is_null((object.images + base).resource)):
        b.Return(0)
    faces = b.select(resource_target(b, object) == res.TARGET_CUBE, b.const(u32, MAX_FACES), 1)
    with b.For(b.const(u32, 0), faces) as face:
        bad(b, b.call(make_levels, ctx, object, face, base, last) == 0, gl.GL_OUT_OF_MEMORY)
    bad(b, b.call(texture_finalize, ctx, object, base, last) == 0, gl.GL_OUT_OF_MEMORY)
    resource = object.resource
    settle(b, ctx, resource)
    b.call(ctx.pixel.tex_mipmaps, ctx, resource, base + 1, last)
    whole = b.array(ImageCall)
    b.memset(whole.cast(ptr(u8)), 0, ImageCall.size)
    with b.For(b.const(u32, 0), faces) as face, b.For(base + 1, last + 1) as level:
        image = object.images + (face * MAX_TEXTURE_LEVELS + level)
        for name in ("width", "height", "depth"):
            setattr(whole, name, b.cast(getattr(image, name), i32))
        error = b.call(compress, ctx, whole, image, face, level)
        with b.If(error != 0, likely=False):
            b.Return(error)
    texture_changed(b, ctx, object)
    return b.const(u32, 0)


def _same(first: Any, second: Any) -> Any:
    same = (first.width == second.width) & (first.height == second.height)
    return same & (first.format == second.format) & exists(second)


@kernel(u32, (CTX, CALL), noinline=True)
def do_mipmap(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """glGenerateMipmap."""
    masks = [
        int(row.enum == row.object and row.size != SIZE_RECT and not row.multisample)
        for row in TARGETS
    ]
    bad(b, call.at >= len(TARGETS), gl.GL_INVALID_ENUM)
    bad(b, of_target(b, call, masks) == 0, gl.GL_INVALID_ENUM)
    object = bound_texture(b, ctx, call)
    params = object.params
    with b.If(params.base_level >= params.max_level):
        b.Return(0)
    bad(b, b.cast(params.base_level, u32) >= MAX_TEXTURE_LEVELS, OPERATION)
    base = object.images + b.cast(params.base_level, u32)
    bad(b, ~exists(base), OPERATION)
    with b.If(resource_target(b, object) == res.TARGET_CUBE):
        for face in range(1, MAX_FACES):
            bad(b, ~_same(base, base + face * MAX_TEXTURE_LEVELS), OPERATION)
    bad(b, ~can_make(b, base), OPERATION)
    with b.If(available(b, ctx, _ES3), likely=False):
        bad(b, of_row(b, base.row, _IN_ES) == 0, OPERATION)
    with b.If(of_row(b, base.row, tables.COMPRESSED) != 0, likely=False):
        bad(b, ~available(b, ctx, _OF_BLOCKS), OPERATION)
    return b.call(generate, ctx, object, call.slot)


def can_make(b: Builder, image: Any) -> Any:
    """Whether the format of an image has mipmaps."""
    row = image.row
    kind = of_row(b, row, CLASSES)
    plain = (kind == CLASS_COLOR) | (kind == CLASS_DEPTH)
    whole = of_row(b, row, tables.INTEGER) != 0
    given = of_row(b, row, tables.GIVEN) != 0
    return plain & ~whole & ~given & (b.table(u8, _CAN)[image.format] != 0)


@kernel(void, (CTX, CALL), noinline=True)
def mipmaps_follow(b: Builder, ctx: GLContext, call: ImageCall) -> None:
    """After a level has changed: where the texture wants it (GL_GENERATE_MIPMAP), and the level is
    its base, the others follow."""
    object = call.object
    params = object.params
    wanted = (params.generate_mipmap != 0) & (call.level == params.base_level)
    with b.If(wanted & (params.base_level < params.max_level), likely=False):
        base = object.images + b.cast(params.base_level, u32)
        with b.If(resource_target(b, object) == res.TARGET_CUBE):
            for face in range(1, MAX_FACES):
                with b.If(~_same(base, base + face * MAX_TEXTURE_LEVELS)):
                    b.Return()
        with b.If(can_make(b, base)):
            b.call(generate, ctx, object, call.slot)


__all__ = ["IMAGE", "do_mipmap", "generate", "mipmaps_follow"]
