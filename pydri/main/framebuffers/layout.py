# SPDX-License-Identifier: MIT
"""What a framebuffer configuration has: native struct. Counterpart of Mesa's gl_config."""

from pydri.jit.types import Struct, u32


class VisualBlock(Struct):
    """What the context's framebuffer configuration has (bits), for glGet and glDrawBuffer."""

    red = u32
    green = u32
    blue = u32
    alpha = u32
    depth = u32
    stencil = u32
    double_buffer = u32
    stereo = u32
    samples = u32
    accum = u32[4]
    aux = u32
    srgb = u32  # whether GL_FRAMEBUFFER_SRGB does something in the drawable
