# SPDX-License-Identifier: MIT
"""Texture units: native structs. Counterparts of Mesa's gl_texture_unit and
gl_fixedfunc_texture_unit (mtypes.h)."""

from pydri.jit.types import Struct, f32, u8, u16, u32, u64

MAX_TEXTURE_UNITS = 8


class TexUnitKey(Struct):
    """What of one texture unit selects code. Samplers are called by pointer, so nothing of texture
    formats and filters is here but the environment's view of them.
    """

    env = u64  # `TexEnv.packed` with the base format (ENV_BASE); 0 with `target` 0
    target = u8  # number in TARGETS of tables.py, plus 1; 0: the unit is off
    flags = u8  # UNIT_* bits
    texgen = u16  # three bits a coordinate: number in GEN_MODES of tables.py, plus 1; 0: not
    pad = u32


# bits of TexUnitKey.flags: the texture matrix is not the identity; the texture compares depths
# (ARB_shadow); points replace the coordinates (ARB_point_sprite)
UNIT_MATRIX, UNIT_SHADOW, UNIT_SPRITE = 1, 2, 4

# bits of RawState.texture_enabled[unit], in rising order of priority
TEX_1D, TEX_2D, TEX_RECT, TEX_3D, TEX_CUBE = 1, 2, 4, 8, 16
# bits of RawState.texgen_enabled[unit]
TEXGEN_S, TEXGEN_T, TEXGEN_R, TEXGEN_Q = 1, 2, 4, 8


class TexEnv(Struct):
    """The environment of one texture unit (main/textures/tables.py); its colour is FragBlock's.

    `packed` says the same as the enums in a form that keys can hold; setters keep it.
    """

    packed = u64
    mode = u32
    combine_rgb = u32
    combine_alpha = u32
    source_rgb = u32[4]
    source_alpha = u32[4]
    operand_rgb = u32[4]
    operand_alpha = u32[4]
    scale_rgb = f32
    scale_alpha = f32
    lod_bias = f32
    coord_replace = u32


#: `TexEnv.packed` of a new unit: all modes modulate (tests/unit/main/test_textures.py compares).
FIRST_ENV = 0x0860413041301100
