# SPDX-License-Identifier: MIT
"""Texture units: native structs. Counterparts of Mesa's gl_texture_unit and
gl_fixedfunc_texture_unit (mtypes.h)."""

from pydri.jit.types import Struct, f32, u8, u16, u32

MAX_TEXTURE_UNITS = 8


class TexUnitKey(Struct):
    """One texture unit (used from the texture issue on; all zero = disabled)."""

    target = u16  # effective target, 0 = off
    texgen = u16
    sampler = u32  # index of a sampler/format key that Python derives
    combine = u32
    matrix = u8  # texture matrix is not the identity
    pad = u8[3]


# bits of RawState.texture_enabled[unit], in rising order of priority
TEX_1D, TEX_2D, TEX_RECT, TEX_3D, TEX_CUBE = 1, 2, 4, 8, 16
# bits of RawState.texgen_enabled[unit]
TEXGEN_S, TEXGEN_T, TEXGEN_R, TEXGEN_Q = 1, 2, 4, 8


class TexEnv(Struct):
    """The environment of one texture unit (main/textures/tables.py); its colour is FragBlock's."""

    mode = u32
    combine_rgb = u32
    combine_alpha = u32
    source_rgb = u32[3]
    source_alpha = u32[3]
    operand_rgb = u32[3]
    operand_alpha = u32[3]
    scale_rgb = f32
    scale_alpha = f32
    lod_bias = f32
    coord_replace = u32
