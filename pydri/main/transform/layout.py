# SPDX-License-Identifier: MIT
"""Transform feedback: native structs of pydri/main/layout.py. Counterpart of Mesa's
gl_transform_feedback_object (mtypes.h)."""

from pydri.jit.types import Struct, nested, ptr, u32, u64
from pydri.main.buffers.layout import MAX_FEEDBACK_POINTS, BindingPoint
from pydri.main.names.layout import Named
from pydri.main.shaders.layout import ProgramObject
from pydri.pipe.native import MAX_STREAM_TARGETS


class TransformState(Struct):
    """What transform feedback is about, between its glBegin and glEnd (`active`)."""

    active = u32
    paused = u32
    mode = u32  # GL_POINTS, GL_LINES, GL_TRIANGLES
    buffers = u32  # a bit for each that something goes to
    stride = u32  # bytes of a vertex in the first of these
    ended = u32  # whether there was a glEnd, so that glDrawTransformFeedback knows how much
    vertices = u64  # that the last glEnd found written
    left = u64  # primitives for which there is room (OpenGL ES refuses draws of more)
    program = ptr(ProgramObject)  # that was current when it began, with a reference


class TransformObject(Named):
    """A transform feedback object. That of the context is spread over the context as long as it is
    bound (object_kernels.py): here is what it was before."""

    state = nested(TransformState)
    points = BindingPoint[MAX_FEEDBACK_POINTS]
    used = u64[MAX_STREAM_TARGETS]  # bytes written


class TransformBlock(Struct):
    """The context's transform feedback."""

    now = nested(TransformState)
    # bit n: primitives of mode n are refused now, since they make no such primitives
    refused = u32
    elements_refused = u32  # the same for draws with indices: OpenGL ES captures none
    current = ptr(TransformObject)  # with a reference; null: the default one
    default = nested(TransformObject)


__all__ = ["TransformBlock", "TransformObject", "TransformState"]
