# SPDX-License-Identifier: MIT
"""Texture environment and generation: ONE table a subject, of what may be set and where it lies.

In: nothing. Out: ENV, rows (target, pname) of `layout.TexEnv`, and GENERATION, the modes that each
coordinate allows. Setters (textures/kernels.py), queries (textures/entries.py) and the texture
stages read them. GL 2.1, 3.8.13, 2.11.4; Mesa: main/texenv.c, main/texgen.c.
"""

from __future__ import annotations

from typing import NamedTuple

import pydri.api.enums as gl
from pydri.main.textures.layout import MAX_TEXTURE_UNITS


class EnvRow(NamedTuple):
    """One parameter: field of TexEnv, its place in it, and what it may be: `values` (enums), or
    numbers (GL_INVALID_VALUE for others); nothing there: any float.
    """

    target: int
    pname: int
    field: str
    place: int = 0
    values: tuple[int, ...] = ()
    numbers: tuple[float, ...] = ()

    @property
    def is_float(self) -> bool:
        return not self.values and self.field != "coord_replace"


_SOURCES = (
    gl.GL_TEXTURE,
    gl.GL_CONSTANT,
    gl.GL_PRIMARY_COLOR,
    gl.GL_PREVIOUS,
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
)
_COMBINE_RGB = (*_COMBINE_ALPHA, gl.GL_DOT3_RGB, gl.GL_DOT3_RGBA)
_MODES = (
    gl.GL_MODULATE,
    gl.GL_BLEND,
    gl.GL_DECAL,
    gl.GL_REPLACE,
    gl.GL_ADD,
    gl.GL_COMBINE,
)
_E = gl.GL_TEXTURE_ENV
_SCALES = (1.0, 2.0, 4.0)
ENV: tuple[EnvRow, ...] = (
    EnvRow(_E, gl.GL_TEXTURE_ENV_MODE, "mode", values=_MODES),
    EnvRow(_E, gl.GL_COMBINE_RGB, "combine_rgb", values=_COMBINE_RGB),
    EnvRow(_E, gl.GL_COMBINE_ALPHA, "combine_alpha", values=_COMBINE_ALPHA),
    *(EnvRow(_E, gl.GL_SRC0_RGB + n, "source_rgb", n, _SOURCES) for n in range(3)),
    *(EnvRow(_E, gl.GL_SRC0_ALPHA + n, "source_alpha", n, _SOURCES) for n in range(3)),
    *(EnvRow(_E, gl.GL_OPERAND0_RGB + n, "operand_rgb", n, _COLOR_OPERANDS) for n in range(3)),
    *(EnvRow(_E, gl.GL_OPERAND0_ALPHA + n, "operand_alpha", n, _ALPHA_OPERANDS) for n in range(3)),
    EnvRow(_E, gl.GL_RGB_SCALE, "scale_rgb", numbers=_SCALES),
    EnvRow(_E, gl.GL_ALPHA_SCALE, "scale_alpha", numbers=_SCALES),
    EnvRow(gl.GL_TEXTURE_FILTER_CONTROL, gl.GL_TEXTURE_LOD_BIAS, "lod_bias"),
    EnvRow(gl.GL_POINT_SPRITE, gl.GL_COORD_REPLACE, "coord_replace", numbers=(0.0, 1.0)),
)
ENV_TARGETS = tuple(dict.fromkeys(row.target for row in ENV))

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
