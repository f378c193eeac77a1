# SPDX-License-Identifier: MIT
"""Names and numbers of QIR: files, conditions, packs, stages, contents of uniforms.

In: nothing. Out: enumerations. Where the hardware has a number (conditions, pack and unpack
modes) it is the hardware's, and the enumeration that of words (qpu/fields.py) where its names
serve: Broadcom, VideoCore IV 3D Architecture Reference Guide, sections
"ALU Instructions" and "QPU Pack/Unpack". Contents of uniforms are numbered as Mesa's
listings name them.
"""

from __future__ import annotations

from enum import IntEnum

from pipe_vc4.qpu.fields import QPU_COND as Cond
from pipe_vc4.qpu.fields import QPU_COND_BRANCH as BranchCond
from pipe_vc4.qpu.fields import QPU_UNPACK_ as Unpack


class QFile(IntEnum):
    """What a register of an instruction is (Mesa: enum qfile)."""

    NULL = 0
    TEMP = 1  #: a value of the program, of any number
    VARY = 2  #: read: the next varying, times 1/w and without its constant term
    UNIF = 3  #: read: entry `index` of the uniform contents
    VPM = 4  #: read: attribute index // 4, word index % 4; written: the next word
    TLB_COLOR_WRITE = 5
    TLB_COLOR_WRITE_MS = 6  #: the next sample's colour
    TLB_Z_WRITE = 7
    TLB_STENCIL_SETUP = 8
    TEX_S_DIRECT = 9  #: the address of a plain memory read: no uniform comes with it
    TEX_S = 10  #: written last: the sample starts; it takes a uniform, as T, R and B do
    TEX_T = 11
    TEX_R = 12
    TEX_B = 13
    FRAG_X = 14
    FRAG_Y = 15
    FRAG_REV_FLAG = 16  #: 1 on back faces
    QPU_ELEMENT = 17  #: number of the lane
    LOAD_IMM = 18  #: `index` is the value of a load_imm
    SMALL_IMM = 19  #: `index` is the value of a small immediate


class Pack(IntEnum):
    """What a result goes through on its way into file A (QPU_PACK_A_*); parts leave the rest of
    the register as it was. Of the multiplier (QPU_PACK_MUL_*) only NOP, P8888 and P8A to P8D,
    which turn floats into unorm bytes.
    """

    NOP = 0
    P16A = 1
    P16B = 2
    P8888 = 3
    P8A = 4
    P8B = 5
    P8C = 6
    P8D = 7
    SAT32 = 8
    P16A_SAT = 9
    P16B_SAT = 10
    P8888_SAT = 11
    P8A_SAT = 12
    P8B_SAT = 13
    P8C_SAT = 14
    P8D_SAT = 15


#: bytes of a register that a pack mode writes, as a mask (either pipe: the numbers agree)
PACK_CHANNELS = (15, 3, 12, 15, 1, 2, 4, 8, 15, 3, 12, 15, 1, 2, 4, 8)


class QStage(IntEnum):
    """Which of the three programs (Mesa: enum qstage)."""

    COORD = 0  #: the vertex shader of the binner: only the position
    VERT = 1
    FRAG = 2


#: as in shaderdb.tsv
STAGE_NAMES = ("CS", "VS", "FS")


class QUniform(IntEnum):
    """What the driver puts where the program reads a uniform (Mesa: enum quniform_contents)."""

    CONSTANT = 0  #: the data
    UNIFORM = 1  #: word `data` of GL's uniforms
    VIEWPORT_X_SCALE = 2  #: half the width in 1/16 pixels, as Y's, floats
    VIEWPORT_Y_SCALE = 3
    VIEWPORT_Z_OFFSET = 4
    VIEWPORT_Z_SCALE = 5
    USER_CLIP_PLANE = 6  #: plane data // 4, component data % 4
    TEXTURE_CONFIG_P0 = 7  #: of texture unit `data`, as P1 and P2
    TEXTURE_CONFIG_P1 = 8
    TEXTURE_CONFIG_P2 = 9  #: unit in bits 0 to 15; bit 16: the b operand is a level
    TEXTURE_FIRST_LEVEL = 10
    TEXTURE_MSAA_ADDR = 11
    UBO0_ADDR = 12  #: where GL's uniforms lie in memory, plus `data` bytes
    UBO1_ADDR = 13
    TEXRECT_SCALE_X = 14  #: 1 / width, as Y's, of texture unit `data`
    TEXRECT_SCALE_Y = 15
    TEXTURE_BORDER_COLOR = 16
    BLEND_CONST_COLOR_X = 17
    BLEND_CONST_COLOR_Y = 18
    BLEND_CONST_COLOR_Z = 19
    BLEND_CONST_COLOR_W = 20
    BLEND_CONST_COLOR_RGBA = 21
    BLEND_CONST_COLOR_AAAA = 22
    STENCIL = 23  #: set-up word 0 (front or both), 1 (back), 2 (write masks)
    SAMPLE_MASK = 24
    UNIFORMS_ADDRESS = 25
    ALPHA_REF = 26
    UBO0_LAST = 27  #: where the last word of the block begins, less `data`, in bytes
    UBO1_LAST = 28
    TABLES_ADDR = 29  #: the same of the program's own constants
    TABLES_LAST = 30
    TEXTURE_WIDTH = 31  #: of level 0 of texture unit `data`, floats
    TEXTURE_HEIGHT = 32
    TEXTURE_LOD_BIAS = 33  #: of the sampler of texture unit `data`, a float

__all__ = [
    "PACK_CHANNELS", "STAGE_NAMES", "BranchCond", "Cond", "Pack", "QFile", "QStage", "QUniform",
    "Unpack",
]  # fmt: skip
