# SPDX-License-Identifier: MIT
"""Selection: native struct. Counterpart of Mesa's gl_selection (mtypes.h)."""

from pydri.jit.types import Struct, f64, ptr, u32, u64

MAX_NAME_STACK = 64


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
