# SPDX-License-Identifier: MIT
"""Texture environment and generation: ONE table a subject, of what may be set and where it lies.

In: nothing. Out: ENV, rows (target, pname) of `layout.TexEnv`, and GENERATION, the modes that each
coordinate allows. Setters (textures/kernels.py), queries (textures/entries.py) and the texture
stages read them. GL 2.1, 3.8.13, 2.11.4; Mesa: main/texenv.c, main/texgen.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.where import COMPAT_ONLY, In
from pydri.main.textures.layout import (
    MAX_TEXTURE_UNITS,
    TARGET_INDEX_1D,
    TARGET_INDEX_1D_ARRAY,
    TARGET_INDEX_2D,
    TARGET_INDEX_2D_ARRAY,
    TARGET_INDEX_2D_MS,
    TARGET_INDEX_2D_MS_ARRAY,
    TARGET_INDEX_3D,
    TARGET_INDEX_BUFFER,
    TARGET_INDEX_CUBE,
    TARGET_INDEX_CUBE_ARRAY,
    TARGET_INDEX_RECT,
)


class EnvRow(NamedTuple):
    """One parameter: field of TexEnv, its place in it, and what it may be: `values` (enums), or
    numbers (GL_INVALID_VALUE for others); nothing there: any float. `bit` and `width`: where
    `TexEnv.packed` holds the number of the chosen value; width 0: not there.
    """

    target: int
    pname: int
    field: str
    place: int = 0
    values: tuple[int, ...] = ()
    numbers: tuple[float, ...] = ()
    bit: int = 0
    width: int = 0
    where: In | None = None

    @property
    def enum(self) -> int:
        return self.pname

    @property
    def allowed(self) -> tuple[Any, ...]:
        """The values, for `valid`: sources that are no colours came with later extensions."""
        constant = (gl.GL_ZERO, gl.GL_ONE)
        return tuple(
            (value, COMPAT_ONLY) if value in constant else value for value in self.values
        )

    @property
    def is_float(self) -> bool:
        return not self.values and self.field != "coord_replace"


#: Effective targets of a unit. `TexUnitKey.target` is the place here, plus 1.
TARGETS = (
    gl.GL_TEXTURE_1D,
    gl.GL_TEXTURE_2D,
    gl.GL_TEXTURE_RECTANGLE,
    gl.GL_TEXTURE_3D,
    gl.GL_TEXTURE_CUBE_MAP,
)
#: What textures are bound to, by TARGET_INDEX_*; the first ones are those of fixed function.
BIND_TARGETS = (
    *TARGETS, gl.GL_TEXTURE_1D_ARRAY, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY,
    gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY, gl.GL_TEXTURE_BUFFER,
)  # fmt: skip
#: Those whose textures have images and parameters: buffer textures have none of either.
IMAGE_TARGETS = BIND_TARGETS[:-1]
#: What samplers of shaders read, by the dimension that nir names and whether it is an array.
SAMPLER_TARGETS = {
    ("1D", False): TARGET_INDEX_1D, ("2D", False): TARGET_INDEX_2D,
    ("3D", False): TARGET_INDEX_3D, ("Cube", False): TARGET_INDEX_CUBE,
    ("Rect", False): TARGET_INDEX_RECT, ("1D", True): TARGET_INDEX_1D_ARRAY,
    ("2D", True): TARGET_INDEX_2D_ARRAY, ("Cube", True): TARGET_INDEX_CUBE_ARRAY,
    ("MS", False): TARGET_INDEX_2D_MS, ("MS", True): TARGET_INDEX_2D_MS_ARRAY,
    ("Buf", False): TARGET_INDEX_BUFFER,
}  # fmt: skip
#: What glGet calls their names.
BIND_QUERIES = (
    gl.GL_TEXTURE_BINDING_1D,
    gl.GL_TEXTURE_BINDING_2D,
    gl.GL_TEXTURE_BINDING_RECTANGLE,
    gl.GL_TEXTURE_BINDING_3D,
    gl.GL_TEXTURE_BINDING_CUBE_MAP,
    gl.GL_TEXTURE_BINDING_1D_ARRAY,
    gl.GL_TEXTURE_BINDING_2D_ARRAY,
    gl.GL_TEXTURE_BINDING_CUBE_MAP_ARRAY,
    gl.GL_TEXTURE_BINDING_2D_MULTISAMPLE,
    gl.GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY,
    gl.GL_TEXTURE_BINDING_BUFFER,
)


class Palette(NamedTuple):
    """A format of images with palettes: format and type of the colours, how many there are, bytes
    of each (OES_compressed_paletted_texture, table 1)."""

    enum: int
    format: int
    type: int
    colors: int
    bytes: int
    where: In | None = None


PALETTES: tuple[Palette, ...] = tuple(
    Palette(getattr(gl, f"GL_PALETTE{bits}_{name}_OES"), format_, type_, 1 << bits, size)
    for bits in (4, 8)
    for name, format_, type_, size in (
        ("RGB8", gl.GL_RGB, gl.GL_UNSIGNED_BYTE, 3), ("RGBA8", gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, 4),
        ("R5_G6_B5", gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5, 2),
        ("RGBA4", gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4, 2),
        ("RGB5_A1", gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_5_5_5_1, 2),
    )
)  # fmt: skip
#: Base formats as the environment tells them apart (GL 2.1, table 3.20); at ENV_BASE of a packed
#: environment.
BASE_FORMATS = (
    gl.GL_RGBA,
    gl.GL_RGB,
    gl.GL_ALPHA,
    gl.GL_LUMINANCE,
    gl.GL_LUMINANCE_ALPHA,
    gl.GL_INTENSITY,
)
ENV_BASE, ENV_BASE_WIDTH = 3, 3
#: Why a texture is not complete, by TextureObject.reason.
REASON_TEXTS = {
    "complete": "it is complete",
    "base": "GL_TEXTURE_BASE_LEVEL is no level",
    "none": "the base level has no image",
    "range": "GL_TEXTURE_MAX_LEVEL is below GL_TEXTURE_BASE_LEVEL",
    "cube": "the faces of the base level are not squares of one size and format",
    "missing": "a level that the minification filter reads has no image",
    "formats": "levels differ in their format",
    "sizes": "a level is not half as large as the one before",
    "integers": "whole numbers can't be filtered",
    "memory": "there was no memory for its images",
    "buffer": "it has no buffer that holds a texel",
}
REASONS = {name: place for place, name in enumerate(REASON_TEXTS)}
#: Where a combination may take its arguments from; the number of argument n lies in the packed
#: environment at 16 + 4n (colour) or 32 + 4n (alpha).
SOURCES = (
    gl.GL_TEXTURE,
    gl.GL_CONSTANT,
    gl.GL_PRIMARY_COLOR,
    gl.GL_PREVIOUS,
    gl.GL_ZERO,
    gl.GL_ONE,
    *(gl.GL_TEXTURE0 + unit for unit in range(MAX_TEXTURE_UNITS)),
)
_ALPHA_OPERANDS = (gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
_COLOR_OPERANDS = (gl.GL_SRC_COLOR, gl.GL_ONE_MINUS_SRC_COLOR, *_ALPHA_OPERANDS)
_COMBINE_ALPHA = (
    gl.GL_REPLACE,
    gl.GL_MODULATE,
    gl.GL_ADD,
    gl.GL_ADD_SIGNED,
    gl.GL_INTERPOLATE,
    gl.GL_SUBTRACT,
    gl.GL_MODULATE_ADD_ATI,
    gl.GL_MODULATE_SIGNED_ADD_ATI,
    gl.GL_MODULATE_SUBTRACT_ATI,
)
_COMBINE_RGB = (
    *_COMBINE_ALPHA,
    gl.GL_DOT3_RGB,
    gl.GL_DOT3_RGBA,
    gl.GL_DOT3_RGB_EXT,
    gl.GL_DOT3_RGBA_EXT,
)
_MODES = (
    gl.GL_MODULATE,
    gl.GL_BLEND,
    gl.GL_DECAL,
    gl.GL_REPLACE,
    gl.GL_ADD,
    gl.GL_COMBINE,
    gl.GL_COMBINE4_NV,
)
_E = gl.GL_TEXTURE_ENV
_SCALES = (1.0, 2.0, 4.0)


def _arguments(name: str, first: int, values: tuple[int, ...], bit: int, width: int) -> Any:
    return (
        EnvRow(_E, first + n, name, n, values, bit=bit + width * n, width=width) for n in range(4)
    )


ENV: tuple[EnvRow, ...] = (
    EnvRow(_E, gl.GL_TEXTURE_ENV_MODE, "mode", values=_MODES, bit=0, width=3),
    EnvRow(_E, gl.GL_COMBINE_RGB, "combine_rgb", values=_COMBINE_RGB, bit=8, width=4),
    EnvRow(_E, gl.GL_COMBINE_ALPHA, "combine_alpha", values=_COMBINE_ALPHA, bit=12, width=4),
    *_arguments("source_rgb", gl.GL_SRC0_RGB, SOURCES, 16, 4),
    *_arguments("source_alpha", gl.GL_SRC0_ALPHA, SOURCES, 32, 4),
    *_arguments("operand_rgb", gl.GL_OPERAND0_RGB, _COLOR_OPERANDS, 48, 2),
    *_arguments("operand_alpha", gl.GL_OPERAND0_ALPHA, _ALPHA_OPERANDS, 56, 1),
    EnvRow(_E, gl.GL_RGB_SCALE, "scale_rgb", numbers=_SCALES, bit=60, width=2),
    EnvRow(_E, gl.GL_ALPHA_SCALE, "scale_alpha", numbers=_SCALES, bit=62, width=2),
    EnvRow(gl.GL_TEXTURE_FILTER_CONTROL, gl.GL_TEXTURE_LOD_BIAS, "lod_bias"),
    EnvRow(gl.GL_POINT_SPRITE, gl.GL_COORD_REPLACE, "coord_replace", numbers=(0.0, 1.0)),
)
ENV_TARGETS = tuple(dict.fromkeys(row.target for row in ENV))
PACKED = tuple(row for row in ENV if row.width)


def pack(env: Any) -> int:
    """What `TexEnv.packed` is for the enums of a TexEnv (a ctypes view)."""
    total = 0
    for row in PACKED:
        value = getattr(env, row.field)
        value = value[row.place] if row.field.startswith(("source", "operand")) else value
        total |= (row.values or row.numbers).index(value) << row.bit
    return total


def unpack(packed: int, base: int) -> dict[str, list[float]]:
    """The enums and scales of a packed environment by field, of arguments a list each."""
    found: dict[str, list[float]] = {"base": [base]}
    for row in PACKED:
        number = packed >> row.bit & (1 << row.width) - 1
        found.setdefault(row.field, []).append((row.values or row.numbers)[number])
    return found


COORDS = (gl.GL_S, gl.GL_T, gl.GL_R, gl.GL_Q)
_LINEAR = (gl.GL_OBJECT_LINEAR, gl.GL_EYE_LINEAR)
_MAPS = (gl.GL_REFLECTION_MAP, gl.GL_NORMAL_MAP)
#: modes by coordinate
GENERATION: tuple[tuple[int, ...], ...] = (
    (*_LINEAR, gl.GL_SPHERE_MAP, *_MAPS),
    (*_LINEAR, gl.GL_SPHERE_MAP, *_MAPS),
    (*_LINEAR, *_MAPS),
    _LINEAR,
)
#: All modes. `TexUnitKey.texgen` holds, three bits a coordinate, the place here, plus 1.
GEN_MODES = tuple(dict.fromkeys(mode for modes in GENERATION for mode in modes))
