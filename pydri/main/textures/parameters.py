# SPDX-License-Identifier: MIT
"""Parameters of texture objects: ONE table, of what glTexParameter sets and glGetTexParameter
answers (GL 2.1, tables 3.18 and 6.20; the extensions of GL 1.x and 2.x).

In: nothing. Out: PARAMETERS, rows of `layout.TextureParams`, which the setters
(parameter_kernels.py) and the queries (parameter_entries.py) read. Mesa: main/texparam.c.
"""

from __future__ import annotations

from typing import NamedTuple

import pydri.api.enums as gl
from pydri.api.where import In

#: what a value is: an enum; a whole number; a switch; a float; four floats that are a colour; four
#: enums; a switch that is nothing but GL_TRUE or GL_FALSE; four whole numbers
ENUM, WHOLE, SWITCH, FLOAT, COLOR, ENUMS, TRUTH, BOX = range(8)


class Parameter(NamedTuple):
    """One parameter. `field` and `place`: where in TextureParams it lies; `values`: enums that it
    may be (else GL_INVALID_ENUM), `rectangle` those of them that rectangles may have (None: all);
    `low` and `high`: what floats are clamped to.
    """

    pname: int
    field: str
    kind: int
    place: int = 0
    values: tuple[int, ...] = ()
    rectangle: tuple[int, ...] | None = None
    low: float | None = None
    high: float | None = None
    fraction: bool = False  # glGetTexParameteriv maps [0, 1] onto the integers
    sampler: bool = False  # sampler objects have it, too
    initial: float = 0  # colours begin with zeros, ENUMS are other rows' fields
    #: an initial value that contexts have which have no such parameter
    elsewhere: tuple[In, int] | None = None
    where: In | None = None

    @property
    def enum(self) -> int:
        return self.pname


_FILTERS = (gl.GL_NEAREST, gl.GL_LINEAR)
_MIPMAP_FILTERS = (
    gl.GL_NEAREST_MIPMAP_NEAREST,
    gl.GL_LINEAR_MIPMAP_NEAREST,
    gl.GL_NEAREST_MIPMAP_LINEAR,
    gl.GL_LINEAR_MIPMAP_LINEAR,
)
_CLAMPS = (gl.GL_CLAMP, gl.GL_CLAMP_TO_EDGE, gl.GL_CLAMP_TO_BORDER)
_WRAPS = (
    *_CLAMPS,
    gl.GL_REPEAT,
    gl.GL_MIRRORED_REPEAT,
    gl.GL_MIRROR_CLAMP_EXT,
    gl.GL_MIRROR_CLAMP_TO_EDGE,
    gl.GL_MIRROR_CLAMP_TO_BORDER_EXT,
)
_FUNCTIONS = tuple(range(gl.GL_NEVER, gl.GL_ALWAYS + 1))
_SWIZZLES = (gl.GL_RED, gl.GL_GREEN, gl.GL_BLUE, gl.GL_ALPHA, gl.GL_ZERO, gl.GL_ONE)
_DEPTHS = (gl.GL_LUMINANCE, gl.GL_INTENSITY, gl.GL_ALPHA, gl.GL_RED)
#: of textures one by one, whichever versions have the switch for all
_SEAMLESS = In(
    0, 0, ext=("ARB_seamless_cubemap_per_texture", "AMD_seamless_cubemap_per_texture")
)
#: OpenGL ES 1 has it in environments alone
_OF_TEXTURES = In(14, 31, 0, 0, ("EXT_texture_lod_bias:1",))
#: GL_MAX_TEXTURE_MAX_ANISOTROPY
MAX_ANISOTROPY = 16.0

PARAMETERS: tuple[Parameter, ...] = (
    *(
        Parameter(
            enum, "wrap", ENUM, n, _WRAPS, _CLAMPS, sampler=True, initial=gl.GL_REPEAT,
        )
        for n, enum in enumerate(
            (gl.GL_TEXTURE_WRAP_S, gl.GL_TEXTURE_WRAP_T, gl.GL_TEXTURE_WRAP_R)
        )
    ),
    Parameter(
        gl.GL_TEXTURE_MIN_FILTER, "min_filter", ENUM, 0, _FILTERS + _MIPMAP_FILTERS, _FILTERS,
        sampler=True, initial=gl.GL_NEAREST_MIPMAP_LINEAR,
    ),
    Parameter(
        gl.GL_TEXTURE_MAG_FILTER, "mag_filter", ENUM, 0, _FILTERS,
        sampler=True, initial=gl.GL_LINEAR,
    ),
    Parameter(gl.GL_TEXTURE_MIN_LOD, "min_lod", FLOAT, sampler=True, initial=-1000.0),
    Parameter(gl.GL_TEXTURE_MAX_LOD, "max_lod", FLOAT, sampler=True, initial=1000.0),
    Parameter(gl.GL_TEXTURE_LOD_BIAS, "lod_bias", FLOAT, sampler=True, where=_OF_TEXTURES),
    Parameter(gl.GL_TEXTURE_BASE_LEVEL, "base_level", WHOLE),
    Parameter(gl.GL_TEXTURE_MAX_LEVEL, "max_level", WHOLE, initial=1000),
    Parameter(
        gl.GL_TEXTURE_MAX_ANISOTROPY, "max_anisotropy", FLOAT, low=1.0, high=MAX_ANISOTROPY,
        sampler=True, initial=1.0,
    ),
    Parameter(gl.GL_TEXTURE_BORDER_COLOR, "border", COLOR, fraction=True, sampler=True),
    Parameter(
        gl.GL_TEXTURE_COMPARE_MODE, "compare_mode", ENUM,
        values=(gl.GL_NONE, gl.GL_COMPARE_REF_TO_TEXTURE), sampler=True,
    ),
    Parameter(
        gl.GL_TEXTURE_COMPARE_FUNC, "compare_func", ENUM, values=_FUNCTIONS, sampler=True,
        initial=gl.GL_LEQUAL,
    ),
    Parameter(
        gl.GL_DEPTH_TEXTURE_MODE, "depth_mode", ENUM, values=_DEPTHS,
        initial=gl.GL_LUMINANCE, elsewhere=(In(0, 31, 0, 30), gl.GL_RED),
    ),
    Parameter(gl.GL_GENERATE_MIPMAP, "generate_mipmap", SWITCH),
    Parameter(
        gl.GL_TEXTURE_PRIORITY, "priority", FLOAT, low=0.0, high=1.0, fraction=True,
        initial=1.0,
    ),
    Parameter(
        gl.GL_TEXTURE_SRGB_DECODE_EXT, "srgb_decode", ENUM,
        values=(gl.GL_DECODE_EXT, gl.GL_SKIP_DECODE_EXT), sampler=True,
        initial=gl.GL_DECODE_EXT,
    ),
    *(
        Parameter(gl.GL_TEXTURE_SWIZZLE_R + n, "swizzle", ENUM, n, _SWIZZLES, initial=_SWIZZLES[n])
        for n in range(4)
    ),
    Parameter(gl.GL_TEXTURE_SWIZZLE_RGBA, "swizzle", ENUMS, values=_SWIZZLES),
    Parameter(gl.GL_TEXTURE_CROP_RECT_OES, "crop", BOX),
    Parameter(gl.GL_TEXTURE_CUBE_MAP_SEAMLESS, "seamless", TRUTH, sampler=True, where=_SEAMLESS),
    Parameter(
        gl.GL_DEPTH_STENCIL_TEXTURE_MODE, "stencil_mode", ENUM,
        values=(gl.GL_DEPTH_COMPONENT, gl.GL_STENCIL_INDEX), initial=gl.GL_DEPTH_COMPONENT,
    ),
)  # fmt: skip
