# SPDX-License-Identifier: MIT
"""Selection and feedback: native structs. Counterpart of Mesa's gl_selection and gl_feedback
(mtypes.h).
"""

from pydri.jit.types import Struct, f32, f64, ptr, u8, u32, u64

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
    # the driver leaves vertices in memory (StreamOutput); else nir's interpreter makes them
    captures = u32
    # memory of st for the vertices of a draw, and for what is cut; it grows
    rows = ptr(u8)
    rows_size = u64
    work = ptr(u8)
    work_size = u64


class RowLayout(Struct):
    """What a vertex is in selection and feedback: a row of floats (pydri/st/feedback). Clip
    coordinates, window coordinates, and as bits the planes that it is outside of come first; the
    others say from which float on something lies. 0: rows have it not."""

    floats = u32  # of a row
    color = u32
    back = u32  # colour of back faces
    tex = u32  # coordinates of unit 0
    dist = u32  # distances to the user's planes
    cull = u32  # distances to cull by
    edge = u32  # edge flag
    pad = u32


#: floats of a row that every vertex has
ROW_CLIP, ROW_WINDOW, ROW_OUTSIDE, ROW_FIRST = 0, 4, 7, 8
