# SPDX-License-Identifier: MIT
"""Selection and feedback: native structs. Counterpart of Mesa's gl_selection and gl_feedback
(mtypes.h).
"""

from pydri.jit.types import Struct, f32, f64, ptr, u32, u64

MAX_NAME_STACK = 64
RENDER, SELECT, FEEDBACK = range(3)  # key.render_mode


class SelectBlock(Struct, align=64):
    """Selection: the name stack, what was hit since it changed, and the program's buffer
    (pydri/main/feedback/kernels.py).
    """

    names = u32[MAX_NAME_STACK]
    depth = u32
    hit = u32  # something was, between the window depths `near` and `far`
    near = f64
    far = f64
    buffer = ptr(u32)
    count = u64  # values written, or that would have been
    size = u32
    hits = u32
    given = u32  # there was a glSelectBuffer
    pad = u32


class FeedbackBlock(Struct, align=64):
    """Feedback: the program's buffer, and what a vertex in it has (feedback/kernels.py)."""

    buffer = ptr(f32)
    count = u64  # values written, or that would have been
    size = u32
    type = u32  # GL_2D and its like
    given = u32  # there was a glFeedbackBuffer
    pad = u32
