# SPDX-License-Identifier: MIT
"""glGetInternalformativ and glGetInternalformati64v: what can be done with an internal format in a
target (ARB_internalformat_query, ARB_internalformat_query2; GL 4.6, 22.3).

In: a target, an internal format, a parameter. Out: numbers, which follow from the format's row in
textures/formats.py, from the driver's format, and from limits. What is not supported answers 0,
GL_NONE or GL_FALSE, whatever is asked. There are no shaders that write images, so that is not
supported, nor are buffer textures. Mesa: main/formatquery.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP
from pydri.api.dispatch import GLError, entry
from pydri.api.where import registered
from pydri.main.framebuffers.loader import load as load_targets
from pydri.main.framebuffers.loader import supported
from pydri.main.framebuffers.tables import renderbuffer_where
from pydri.main.pointers import I32, I64, store
from pydri.main.textures import formats
from pydri.main.textures.image_loader import load as load_images
from pydri.main.textures.image_tables import GENERIC, ROWS
from pydri.main.textures.tables import BIND_TARGETS
from pydri.main.textures.view_classes import VIEW_CLASSES
from pydri.pipe.format import FORMATS, Format

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_NUMBERS = {row.enum: n for n, row in enumerate(ROWS)}
#: (dimensions that have a maximum, layers are the last of them)
_SHAPES = {
    gl.GL_TEXTURE_1D: (1, False), gl.GL_TEXTURE_1D_ARRAY: (2, True), gl.GL_TEXTURE_2D: (2, False),
    gl.GL_TEXTURE_2D_ARRAY: (3, True), gl.GL_TEXTURE_3D: (3, False),
    gl.GL_TEXTURE_CUBE_MAP: (2, False), gl.GL_TEXTURE_CUBE_MAP_ARRAY: (3, True),
    gl.GL_TEXTURE_RECTANGLE: (2, False), gl.GL_RENDERBUFFER: (2, False),
    gl.GL_TEXTURE_2D_MULTISAMPLE: (2, False), gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY: (3, True),
}  # fmt: skip
_OTHER_TARGETS = (gl.GL_TEXTURE_BUFFER,)
#: targets that OpenGL ES asks about (3.0, 6.1.15)
_OF_ES = (gl.GL_RENDERBUFFER,)
_SAMPLES = (gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
_LINES = (gl.GL_TEXTURE_1D, gl.GL_TEXTURE_1D_ARRAY, gl.GL_TEXTURE_RECTANGLE)
#: targets of ARB_texture_gather
_GATHERED = (
    gl.GL_TEXTURE_2D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_CUBE_MAP_ARRAY,
)  # fmt: skip
_LAYERED = (
    gl.GL_TEXTURE_1D_ARRAY, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_3D, gl.GL_TEXTURE_CUBE_MAP,
    gl.GL_TEXTURE_CUBE_MAP_ARRAY,
)  # fmt: skip
_COUNTS = (8, 4, 2)
_DEPTHS = (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL)
_STENCILS = (gl.GL_STENCIL_INDEX, gl.GL_DEPTH_STENCIL)
_MOST = 0x7FFFFFFF


class Use(NamedTuple):
    """An internal format in a target, both supported."""

    ctx: GLContext
    target: int
    number: int  # of the internal format's row
    row: formats.InternalFormat
    held: Format  # what the driver has for it: of blocks, or of texels

    @property
    def texture(self) -> bool:
        return self.target != gl.GL_RENDERBUFFER

    @property
    def color(self) -> bool:
        return self.row.base not in (*_DEPTHS, *_STENCILS)

    @property
    def integer(self) -> bool:
        return self.held.channels[0][0] in ("ui", "si") and self.color

    @property
    def drawable(self) -> bool:
        """Whether framebuffers are complete with it."""
        blocks = bool(self.held.codec)
        return self.row.renderable and not blocks and supported(self.ctx.screen, self.held.number)

    @property
    def srgb(self) -> bool:
        return self.held.name.endswith(("_SRGB", "_SRGBA"))

    def component(self, name: str) -> formats.Component | None:
        return formats.components(self.row, self.held).get(name)


def _use(ctx: GLContext, target: int, internal: int) -> Use | None:
    """None: not supported."""
    number = _NUMBERS.get(internal)
    if number is None or target not in _SHAPES:
        return None
    row = ROWS[number]
    if target == gl.GL_RENDERBUFFER:
        if not ctx.n.framebuffers.formats:
            load_targets(ctx)
        held = _table(ctx.n.framebuffers.formats)[number]
        return Use(ctx, target, number, row, FORMATS[held]) if held and row.renderable else None
    if not ctx.n.images.run:
        load_images(ctx)
    if target in _SAMPLES:
        held = _table(ctx.n.images.several)[number]
        return Use(ctx, target, number, row, FORMATS[held]) if held and row.renderable else None
    plain = formats.UNCOMPRESSED.get(internal) if target in _LINES[:2] else None
    held = _table(ctx.n.images.blocks)[_NUMBERS[plain] if plain else number]
    use = Use(ctx, target, number, row, FORMATS[held])
    volume, blocks = target == gl.GL_TEXTURE_3D, row.compressed and not GENERIC[number]
    refused = (volume and not use.color) or (blocks and (volume or target in _LINES))
    return use if held and target in BIND_TARGETS and not refused else None


def _table(address: int) -> ctypes.Array[ctypes.c_uint16]:
    return (ctypes.c_uint16 * len(ROWS)).from_address(address)


# -- sizes -----------------------------------------------------------------------------------------


def _sizes(use: Use) -> list[int]:
    """The greatest width, height and depth, as far as the target has them."""
    limits, target = use.ctx.n.limits, use.target
    count, layered = _SHAPES[target]
    side = {gl.GL_TEXTURE_3D: limits.texture_3d, gl.GL_TEXTURE_CUBE_MAP: limits.texture_cube,
            gl.GL_TEXTURE_CUBE_MAP_ARRAY: limits.texture_cube}.get(target, limits.texture_2d)
    sizes = [int(side)] * count
    if layered:
        sizes[-1] = int(limits.array_layers)
    return sizes


def _size(n: int) -> Callable[[Use], int]:
    return lambda use: dict(enumerate(_sizes(use))).get(n, 0)


def _layers(use: Use) -> int:
    return int(use.ctx.n.limits.array_layers) if _SHAPES[use.target][1] else 0


def _texels(use: Use) -> int:
    total = 6 if use.target in (gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_CUBE_MAP_ARRAY) else 1
    for size in (*_sizes(use), *(_counts(use)[:1] if use.target in _SAMPLES else ())):
        total *= size
    return total


# -- formats of images -----------------------------------------------------------------------------

_INTEGERS = {
    gl.GL_RED: gl.GL_RED_INTEGER, gl.GL_RG: gl.GL_RG_INTEGER, gl.GL_RGB: gl.GL_RGB_INTEGER,
    gl.GL_RGBA: gl.GL_RGBA_INTEGER, gl.GL_ALPHA: gl.GL_ALPHA_INTEGER,
    gl.GL_LUMINANCE: gl.GL_LUMINANCE_INTEGER_EXT,
    gl.GL_LUMINANCE_ALPHA: gl.GL_LUMINANCE_ALPHA_INTEGER_EXT,
    gl.GL_INTENSITY: gl.GL_RED_INTEGER,
}  # fmt: skip


def _format(use: Use) -> int:
    """The format in which images are given without a loss."""
    if use.integer:
        return _INTEGERS[use.row.base]
    return gl.GL_RED if use.row.base == gl.GL_INTENSITY else use.row.base


def _type(use: Use) -> int:
    """The type in which they are."""
    if use.row.base == gl.GL_DEPTH_STENCIL:
        whole = use.held.channels[0][0] == "un"
        return gl.GL_UNSIGNED_INT_24_8 if whole else gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV
    if use.row.base == gl.GL_STENCIL_INDEX:
        return gl.GL_UNSIGNED_BYTE
    kind, bits = use.held.channels[0]
    wide = max(size for _, size in use.held.channels) if not use.held.codec else 8
    if kind in ("f", "m"):
        return gl.GL_FLOAT
    signed = kind in ("si", "sn")
    for most, types in ((8, (gl.GL_UNSIGNED_BYTE, gl.GL_BYTE)),
                        (16, (gl.GL_UNSIGNED_SHORT, gl.GL_SHORT))):  # fmt: skip
        if max(bits, wide) <= most:
            return types[signed]
    return (gl.GL_UNSIGNED_INT, gl.GL_INT)[signed]


# -- support ---------------------------------------------------------------------------------------


def _full(test: Callable[[Use], bool]) -> Callable[[Use], int]:
    return lambda use: gl.GL_FULL_SUPPORT if test(use) else gl.GL_NONE


def _mipmaps(use: Use) -> bool:
    return use.texture and use.target not in (gl.GL_TEXTURE_RECTANGLE, *_SAMPLES)


def _generates(use: Use) -> bool:
    """Whether glGenerateMipmap makes levels of it (GL 4.6, 8.14.4)."""
    return _mipmaps(use) and not use.integer and use.row.base not in _STENCILS


def _shadows(use: Use) -> bool:
    return use.texture and use.row.base in _DEPTHS


def _compares(use: Use) -> bool:
    """Whether there are samplers that compare its depths."""
    return _shadows(use) and use.target not in _SAMPLES


def _reads(use: Use) -> bool:
    """Whether glReadPixels reads it: one sample a pixel."""
    return use.drawable and use.target not in _SAMPLES


def _gathers(use: Use) -> bool:
    """Whether textureGather has a form for it (ARB_texture_gather)."""
    return use.target in _GATHERED


def _counts(use: Use) -> list[int]:
    """How many samples a pixel may have, the most first."""
    if use.texture and use.target not in _SAMPLES:
        return []
    screen = use.ctx.screen
    return [count for count in _COUNTS if supported(screen, use.held.number, count)]


def _component(kind: str, name: str) -> Callable[[Use], int]:
    def told(use: Use) -> int:
        found = use.component(name)
        if found is None:
            return 0
        if kind == "type" and name == "STENCIL":
            return gl.GL_UNSIGNED_INT
        return found.size if kind == "size" else found.type

    return told


def _block(field: str) -> Callable[[Use], int]:
    return lambda use: int(getattr(use.held, field)) if use.held.codec else 0


_CLASSES = {
    name: getattr(gl, f"GL_VIEW_CLASS_{word}")
    for name, word in (
        ("128", "128_BITS"), ("96", "96_BITS"), ("64", "64_BITS"), ("48", "48_BITS"),
        ("32", "32_BITS"), ("24", "24_BITS"), ("16", "16_BITS"), ("8", "8_BITS"),
        ("RGTC1", "RGTC1_RED"), ("RGTC2", "RGTC2_RG"), ("DXT1", "S3TC_DXT1_RGB"),
        ("DXT1A", "S3TC_DXT1_RGBA"), ("DXT3", "S3TC_DXT3_RGBA"), ("DXT5", "S3TC_DXT5_RGBA"),
    )
}  # fmt: skip


def _view_class(use: Use) -> int:
    from pydri.main.textures.view_classes import NAMES

    return int(_CLASSES.get(NAMES[VIEW_CLASSES[use.number]], 0)) if use.texture else 0


def _layered(use: Use) -> bool:
    """Whether a geometry shader can choose the layer that is drawn to."""
    stage = registered(gl.GL_GEOMETRY_SHADER).steps & use.ctx.n.steps
    return bool(stage) and use.drawable and use.target in _LAYERED


def _nothing(_: Use) -> int:
    return 0


_ANSWERS: dict[int, Callable[[Use], int]] = {
    gl.GL_NUM_SAMPLE_COUNTS: lambda use: len(_counts(use)),
    gl.GL_INTERNALFORMAT_SUPPORTED: lambda use: gl.GL_TRUE,
    gl.GL_INTERNALFORMAT_PREFERRED: lambda use: use.row.enum,
    gl.GL_INTERNALFORMAT_SHARED_SIZE: lambda use: 5 if use.row.enum == gl.GL_RGB9_E5 else 0,
    gl.GL_MAX_WIDTH: _size(0), gl.GL_MAX_HEIGHT: _size(1), gl.GL_MAX_DEPTH: _size(2),
    gl.GL_MAX_LAYERS: _layers, gl.GL_MAX_COMBINED_DIMENSIONS: _texels,
    gl.GL_COLOR_COMPONENTS: lambda use: int(use.color),
    gl.GL_DEPTH_COMPONENTS: lambda use: int(use.row.base in _DEPTHS),
    gl.GL_STENCIL_COMPONENTS: lambda use: int(use.row.base in _STENCILS),
    gl.GL_COLOR_RENDERABLE: lambda use: int(use.color and use.drawable),
    gl.GL_DEPTH_RENDERABLE: lambda use: int(use.row.base in _DEPTHS and use.drawable),
    gl.GL_STENCIL_RENDERABLE: lambda use: int(use.row.base in _STENCILS and use.drawable),
    gl.GL_FRAMEBUFFER_RENDERABLE: _full(lambda use: use.drawable),
    gl.GL_FRAMEBUFFER_RENDERABLE_LAYERED: _full(_layered),
    gl.GL_FRAMEBUFFER_BLEND: _full(lambda use: use.drawable and use.color and not use.integer),
    gl.GL_READ_PIXELS: _full(_reads),
    gl.GL_READ_PIXELS_FORMAT: lambda use: _format(use) if _reads(use) else 0,
    gl.GL_READ_PIXELS_TYPE: lambda use: _type(use) if _reads(use) else 0,
    gl.GL_TEXTURE_IMAGE_FORMAT: lambda use: _format(use) if use.texture else 0,
    gl.GL_TEXTURE_IMAGE_TYPE: lambda use: _type(use) if use.texture else 0,
    gl.GL_GET_TEXTURE_IMAGE_FORMAT: lambda use: _format(use) if use.texture else 0,
    gl.GL_GET_TEXTURE_IMAGE_TYPE: lambda use: _type(use) if use.texture else 0,
    gl.GL_MIPMAP: lambda use: int(_mipmaps(use)),
    gl.GL_MANUAL_GENERATE_MIPMAP: _full(_generates),
    gl.GL_AUTO_GENERATE_MIPMAP: _full(_generates),
    gl.GL_COLOR_ENCODING: lambda use: (
        (gl.GL_SRGB if use.srgb else gl.GL_LINEAR) if use.color else 0
    ),
    gl.GL_SRGB_READ: _full(lambda use: use.srgb),
    gl.GL_SRGB_WRITE: _full(lambda use: use.srgb and use.drawable),
    gl.GL_SRGB_DECODE_ARB: _full(lambda use: use.texture and use.srgb),
    gl.GL_FILTER: _full(lambda use: use.texture and not use.integer
                        and use.target not in _SAMPLES and use.row.base != gl.GL_STENCIL_INDEX),
    gl.GL_VERTEX_TEXTURE: _full(lambda use: use.texture),
    gl.GL_FRAGMENT_TEXTURE: _full(lambda use: use.texture),
    gl.GL_TEXTURE_SHADOW: _full(_compares),
    gl.GL_TEXTURE_GATHER: _full(_gathers),
    gl.GL_TEXTURE_GATHER_SHADOW: _full(lambda use: _gathers(use) and _shadows(use)),
    gl.GL_SIMULTANEOUS_TEXTURE_AND_DEPTH_TEST: _full(_shadows),
    gl.GL_SIMULTANEOUS_TEXTURE_AND_DEPTH_WRITE: _full(_shadows),
    **dict.fromkeys(
        (gl.GL_SIMULTANEOUS_TEXTURE_AND_STENCIL_TEST,
         gl.GL_SIMULTANEOUS_TEXTURE_AND_STENCIL_WRITE),
        _full(lambda use: use.texture and use.row.base in _STENCILS),
    ),
    gl.GL_TEXTURE_COMPRESSED: lambda use: int(bool(use.held.codec)),
    gl.GL_TEXTURE_COMPRESSED_BLOCK_WIDTH: _block("width"),
    gl.GL_TEXTURE_COMPRESSED_BLOCK_HEIGHT: _block("height"),
    gl.GL_TEXTURE_COMPRESSED_BLOCK_SIZE: _block("bytes"),
    gl.GL_CLEAR_TEXTURE: _full(lambda use: use.texture and not use.held.codec),
    gl.GL_TEXTURE_VIEW: _full(lambda use: use.texture and bool(_view_class(use))),
    gl.GL_VIEW_COMPATIBILITY_CLASS: _view_class,
    **{
        getattr(gl, f"GL_INTERNALFORMAT_{name}_{kind.upper()}"): _component(kind, name)
        for name in ("RED", "GREEN", "BLUE", "ALPHA", "DEPTH", "STENCIL")
        for kind in ("size", "type")
    },
    # of stages and images that there are not
    **dict.fromkeys(
        (getattr(gl, f"GL_{name}") for name in (
            "TESS_CONTROL_TEXTURE TESS_EVALUATION_TEXTURE GEOMETRY_TEXTURE COMPUTE_TEXTURE "
            "SHADER_IMAGE_LOAD SHADER_IMAGE_STORE SHADER_IMAGE_ATOMIC "
            " IMAGE_TEXEL_SIZE IMAGE_COMPATIBILITY_CLASS IMAGE_PIXEL_FORMAT "
            "IMAGE_PIXEL_TYPE IMAGE_FORMAT_COMPATIBILITY_TYPE CLEAR_BUFFER").split()),
        _nothing,
    ),
}  # fmt: skip


def _told(ctx: GLContext, target: int, internal: int, pname: int, count: int) -> list[int]:
    """The answer; GL_INVALID_ENUM, GL_INVALID_VALUE."""
    known = target in _SHAPES or target in _OTHER_TARGETS
    if not known or (not ctx.api & DESKTOP and target not in _OF_ES):
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    row = _NUMBERS.get(internal)
    if not ctx.api & DESKTOP and (row is None or not ctx.has(renderbuffer_where(ROWS[row]))):
        raise GLError(gl.GL_INVALID_ENUM, f"internalformat={gl.name_of(internal)}")
    if pname != gl.GL_SAMPLES and pname not in _ANSWERS:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    if count < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={count}")
    use = _use(ctx, target, internal)
    if pname == gl.GL_SAMPLES:
        return _counts(use)[:count] if use else []
    return [_ANSWERS[pname](use) if use else 0][:count]


@entry
def glGetInternalformativ(
    ctx: GLContext, target: int, internalformat: int, pname: int, bufSize: int, params: int
) -> None:
    values = _told(ctx, target, internalformat, pname, bufSize)
    store(params, I32, [min(value, _MOST) for value in values])


@entry
def glGetInternalformati64v(
    ctx: GLContext, target: int, internalformat: int, pname: int, bufSize: int, params: int
) -> None:
    store(params, I64, _told(ctx, target, internalformat, pname, bufSize))


__all__: list[str] = []
