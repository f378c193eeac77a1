# SPDX-License-Identifier: MIT
"""The matrix stacks: native structs. Counterpart of Mesa's gl_matrix_stack (mtypes.h)."""

from pydri.jit.types import Struct, f32, ptr, u32
from pydri.main.textures.layout import MAX_IMAGE_UNITS

MAX_CLIP_PLANES = 8
MAX_MODELVIEW_STACK = 32
MAX_PROJECTION_STACK = 32
MAX_TEXTURE_STACK = 10
MAX_PROGRAM_STACK = 4
MAX_PROGRAM_MATRICES = 8


class MatrixStacks(Struct, align=64):
    """Stack memory. What the numbers of the stacks are says tables.py."""

    mode = u32  # Stack.mode
    mode_enum = u32
    # 0-based top: modelview, projection, texture units, programs' matrices
    depth = u32[2 + MAX_IMAGE_UNITS + MAX_PROGRAM_MATRICES]
    top = ptr(f32)  # current matrix (16 floats)
    modelview = f32[16 * MAX_MODELVIEW_STACK]
    projection = f32[16 * MAX_PROJECTION_STACK]
    texture = f32[16 * MAX_TEXTURE_STACK * MAX_IMAGE_UNITS]
    program = f32[16 * MAX_PROGRAM_STACK * MAX_PROGRAM_MATRICES]
    # of the stack that `mode` (and, for textures, the active unit) chose: index into `depth`, its
    # size, its DIRTY_* bit
    stack = u32
    limit = u32
    dirty_bit = u32
