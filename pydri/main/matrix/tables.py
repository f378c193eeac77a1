# SPDX-License-Identifier: MIT
"""The matrix stacks: ONE table of what each is called, where it lies and how far it goes (GL 2.1,
2.11.2). Setters (kernels.py), queries (pydri/main/get) and the state tracker read it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.main.layout import (
    DIRTY_MODELVIEW,
    DIRTY_PROGRAM_MATRIX,
    DIRTY_PROJECTION,
    DIRTY_TEXMAT,
)
from pydri.main.matrix.layout import (
    MAX_MODELVIEW_STACK,
    MAX_PROGRAM_STACK,
    MAX_PROJECTION_STACK,
    MAX_TEXTURE_STACK,
)
from pydri.main.textures.layout import MAX_IMAGE_UNITS


class Stack(NamedTuple):
    """A matrix stack; of the texture matrices there is one for each unit, one behind the other."""

    mode: int  # MatrixStacks.mode, and the place of the depth in MatrixStacks.depth (of unit 0)
    enum: int  # what glMatrixMode calls it
    field: str  # of MatrixStacks: the matrices
    limit: int  # matrices
    dirty: int  # DIRTY_* bit
    per_unit: bool = False


MODELVIEW = Stack(0, gl.GL_MODELVIEW, "modelview", MAX_MODELVIEW_STACK, DIRTY_MODELVIEW)
PROJECTION = Stack(1, gl.GL_PROJECTION, "projection", MAX_PROJECTION_STACK, DIRTY_PROJECTION)
TEXTURE = Stack(2, gl.GL_TEXTURE, "texture", MAX_TEXTURE_STACK, DIRTY_TEXMAT, per_unit=True)
STACKS = (MODELVIEW, PROJECTION, TEXTURE)
#: the matrices of programs (ARB_vertex_program 2.10.2), whose modes follow each other
PROGRAM = Stack(2 + MAX_IMAGE_UNITS, gl.GL_MATRIX0_ARB, "program", MAX_PROGRAM_STACK,
                DIRTY_PROGRAM_MATRIX)  # fmt: skip


def top_of(n: Any, stack: Stack, unit: int = 0) -> list[float]:
    """The 16 floats of a stack's top, column by column, from a ctypes view of the context."""
    at = 16 * (n.matrix.depth[stack.mode + unit] + unit * stack.limit)
    return list(getattr(n.matrix, stack.field)[at : at + 16])
