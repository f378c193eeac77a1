# SPDX-License-Identifier: MIT
"""Whether a texture is complete, and why not (GL 2.1, 3.8.10).

In: a texture whose images or parameters changed since it was last looked at (`serial`). Out:
`reason` (place in REASONS), the base format and comparison as fixed function sees them, the last
level that is sampled; and its levels in one resource. Done when something changed, not by draw.
Mesa: _mesa_test_texobj_completeness of main/texobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import kernel, u8, u32, void
from pydri.main.kernels import CTX, is_null, one_of
from pydri.main.textures.formats import INTERNAL
from pydri.main.textures.layout import MAX_FACES, TARGET_INDEX_CUBE, TARGET_INDEX_RECT
from pydri.main.textures.object_kernels import OBJECT, PARAMS
from pydri.main.textures.tables import BASE_FORMATS, REASONS
from pydri.pipe.format import FORMATS
from pydri.pipe.resource import MAX_LEVELS
from pydri.pipe.sampler import TEXEL_CLASSES, TEXEL_OF_FORMAT

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import TextureImage, TextureObject, TextureParams

#: base formats of depths, which glTexParameter(GL_DEPTH_TEXTURE_MODE) shows as others
DEPTHS = (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL)
#: targets whose depth counts layers
_LAYERS = (gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY)
#: place in BASE_FORMATS of what a base format is to the environment
_ENVIRONMENT = {gl.GL_RED: gl.GL_RGB, gl.GL_RG: gl.GL_RGB}
#: base formats of images, by `TextureImage.row`
BASES = tuple(row.base for row in INTERNAL.values())


def environment_base(base: int) -> int:
    """Place in BASE_FORMATS."""
    base = _ENVIRONMENT.get(base, base)
    return BASE_FORMATS.index(base) if base in BASE_FORMATS else 0


def base_format(b: Builder, image: TextureImage) -> Value:
    """The base format of an image, an enum."""
    return b.table(u32, BASES)[image.row]


def _faces(b: Builder, texture: TextureObject) -> Any:
    cube = texture.target_index == TARGET_INDEX_CUBE
    return b.select(cube, b.const(u32, MAX_FACES), 1)


def _sizes(image: Any) -> tuple[Any, Any, Any]:
    return image.width, image.height, image.depth


@kernel(u32, (OBJECT, u32), noinline=True)
def cube_reason(b: Builder, texture: Any, base: Any) -> Value:
    """Whether the faces of the base level make a cube."""
    first = texture.images + base
    with b.If(first.width != first.height):
        b.Return(REASONS["cube"])
    with b.For(b.const(u32, 1), MAX_FACES, 1) as face:
        image = texture.images + (face * MAX_LEVELS + base)
        same = (image.width == first.width) & (image.height == first.height)
        same = same & (image.format == first.format)
        with b.If(~same):
            b.Return(REASONS["cube"])
    return b.const(u32, 0)


@kernel(u32, (OBJECT, u32, u32), noinline=True)
def levels_reason(b: Builder, texture: Any, base: Any, last: Any) -> Value:
    """Whether the levels behind the base level are halves, and of its format."""
    first = texture.images + base
    # of arrays the layers stay: a height of 1D arrays, a depth of 2D arrays
    rows = texture.target == gl.GL_TEXTURE_1D_ARRAY
    layers = one_of(b, texture.target, _LAYERS)
    faces = _faces(b, texture)
    with b.For(base + 1, last + 1, 1) as level:
        by = level - base
        wanted = [b.max(size >> by, 1) for size in _sizes(first)]
        wanted[1] = b.select(rows, first.height, wanted[1])
        wanted[2] = b.select(layers, first.depth, wanted[2])
        with b.For(b.const(u32, 0), faces, 1) as face:
            image = texture.images + (face * MAX_LEVELS + level)
            with b.If(image.width == 0):
                b.Return(REASONS["missing"])
            with b.If(image.format != first.format):
                b.Return(REASONS["formats"])
            same = None
            for size, right in zip(_sizes(image), wanted):
                test = size == right
                same = test if same is None else same & test
            with b.If(~same):  # type: ignore[operator]
                b.Return(REASONS["sizes"])
    return b.const(u32, 0)


@kernel(u32, (OBJECT, u32), noinline=True)
def chain_end(b: Builder, texture: Any, base: Any) -> Value:
    """The last level of a whole set of mipmaps: q of GL 2.1, 3.8.10."""
    first = texture.images + base
    rows = texture.target == gl.GL_TEXTURE_1D_ARRAY
    layers = one_of(b, texture.target, _LAYERS)
    one = b.const(u32, 1)
    most = b.max(first.width, b.select(rows, one, first.height))
    most = b.max(most, b.select(layers, one, first.depth))
    chain = base + (b.const(u32, 31) - b.clz(most))
    chain = b.min(b.min(chain, b.cast(texture.params.max_level, u32)), MAX_LEVELS - 1)
    stored = b.max(texture.immutable_levels, 1) - 1
    return b.select(texture.immutable != 0, b.min(chain, stored), chain)


@kernel(u32, (OBJECT, u32), noinline=True)
def mipmaps_reason(b: Builder, texture: Any, level: Any) -> Any:
    """REASONS why a texture has no whole set of mipmaps that a level is part of."""
    params = texture.params
    with b.If((params.base_level < 0) | (params.base_level >= MAX_LEVELS)):
        b.Return(REASONS["base"])
    base = b.cast(params.base_level, u32)
    with b.If((texture.images + base).width == 0):
        b.Return(REASONS["none"])
    last = b.call(chain_end, texture, base)
    with b.If((level < base) | (level > last)):
        b.Return(REASONS["range"])
    with b.If(texture.target_index == TARGET_INDEX_CUBE):
        reason = b.call(cube_reason, texture, base)
        with b.If(reason != 0):
            b.Return(reason)
    return b.call(levels_reason, texture, base, last)


@kernel(u32, (CTX, OBJECT, PARAMS), noinline=True)
def find_reason(b: Builder, ctx: GLContext, texture: Any, how: TextureParams) -> Value:
    """REASONS of a texture; sets `last_level`. `how`: filters that count."""
    params = texture.params
    with b.If((params.base_level < 0) | (params.base_level >= MAX_LEVELS)):
        b.Return(REASONS["base"])
    base = b.cast(params.base_level, u32)
    first = texture.images + base
    with b.If((first.width == 0) | (first.height == 0) | (first.depth == 0)):
        b.Return(REASONS["none"])
    with b.If(params.max_level < params.base_level):
        b.Return(REASONS["range"])
    with b.If(first.samples != 0):  # one level, and no filter
        texture.last_level = base
        b.Return(b.select(is_null(first.resource), b.const(u32, REASONS["memory"]), 0))
    with b.If(texture.target_index == TARGET_INDEX_CUBE):
        reason = b.call(cube_reason, texture, base)
        with b.If(reason != 0):
            b.Return(reason)
    linear = (how.mag_filter == gl.GL_LINEAR) | (
        (how.min_filter != gl.GL_NEAREST)
        & (how.min_filter != gl.GL_NEAREST_MIPMAP_NEAREST)
    )
    whole = b.table(u8, [int(_is_integer(n)) for n in range(len(FORMATS))])[first.format]
    with b.If(((whole != 0) | stencil_shown(b, texture, first)) & linear):
        b.Return(REASONS["integers"])
    last = b.var(u32, base)
    mipmaps = (how.min_filter != gl.GL_NEAREST) & (how.min_filter != gl.GL_LINEAR)
    with b.If(texture.target_index != TARGET_INDEX_RECT):
        end = b.call(chain_end, texture, base)
        reason = b.call(levels_reason, texture, base, end)
        with b.If(mipmaps & (reason != 0)):
            b.Return(reason)
        # whole sets are there for texelFetch and textureSize, whatever the filter is
        last.value = b.select(reason == 0, end, last.value)
    texture.last_level = last.value
    finalize = ctx.shared.texture_finalize
    with b.If(is_null(finalize), likely=False):
        b.Return(REASONS["none"])
    with b.If(b.call(finalize, ctx, texture, base, last.value) == 0):
        b.Return(REASONS["memory"])
    return b.const(u32, 0)


def stencil_shown(b: Builder, texture: TextureObject, image: TextureImage) -> Value:
    """Whether the stencil values of depths and stencil values are sampled (GL 4.6, 8.16)."""
    both = base_format(b, image) == gl.GL_DEPTH_STENCIL
    return both & (texture.params.stencil_mode == gl.GL_STENCIL_INDEX)


def _is_integer(number: int) -> bool:
    texel = TEXEL_OF_FORMAT[number]
    return bool(texel) and TEXEL_CLASSES[texel].pure_integer


@kernel(void, (CTX, OBJECT, PARAMS), noinline=True)
def texture_check(b: Builder, ctx: GLContext, texture: Any, how: TextureParams) -> None:
    """Bring what is derived of a texture's images and parameters up to date; `how` is what counts
    of filters and comparison: its own parameters, or a sampler object's.
    """
    texture.reason = b.call(find_reason, ctx, texture, how)
    texture.checked = texture.serial
    with b.If(texture.reason != 0):
        hook = ctx.textures.hook_incomplete
        with b.If(~is_null(hook)):
            b.call(hook, ctx, texture)
        b.Return()
    first = texture.images + b.cast(texture.params.base_level, u32)
    found = base_format(b, first)
    depth = b.const(u32, 0) != 0
    for enum in DEPTHS:
        depth = depth | (found == enum)
    compares = depth & ~stencil_shown(b, texture, first)
    compares = compares & (how.compare_mode == gl.GL_COMPARE_REF_TO_TEXTURE)
    texture.compares = b.cast(compares, u32)
    shown = b.select(depth, texture.params.depth_mode, found)
    number = b.var(u32, environment_base(gl.GL_RGBA))
    with b.Switch(shown) as s:
        for enum in sorted({*BASES, gl.GL_RED}):
            with s.Case(enum):
                number.value = environment_base(enum)
    texture.base = number.value


__all__ = [
    "BASES", "DEPTHS", "base_format", "find_reason", "mipmaps_reason", "stencil_shown",
    "texture_check",
]  # fmt: skip
