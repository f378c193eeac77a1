# SPDX-License-Identifier: MIT
"""Transform feedback: native structs of pydri/main/layout.py. Counterpart of Mesa's
gl_transform_feedback_object (mtypes.h)."""

from pydri.jit.types import Struct, ptr, u32
from pydri.main.shaders.layout import ProgramObject


class TransformBlock(Struct):
    """The context's transform feedback, which is active between its glBegin and glEnd."""

    active = u32
    mode = u32  # GL_POINTS, GL_LINES, GL_TRIANGLES
    # bit n: primitives of mode n are refused now, since they make no such primitives
    refused = u32
    buffers = u32  # a bit for each that something goes to
    program = ptr(ProgramObject)  # that was current when it began (no reference: it stays current)
