# SPDX-License-Identifier: MIT
"""Pixel paths: the native struct of pydri/main/layout.py for what they need beside `raw`. Answers
to Mesa's gl_pixel_attrib and gl_pixelmaps (mtypes.h)."""

from pydri.jit.types import Struct, f32, fn, i32, ptr, u8, u32, void
from pydri.main.buffers.layout import BufferObject
from pydri.pipe.native import Surface

MAX_PIXEL_MAP = 256


class PixelBlock(Struct, align=64):
    """What the pixel paths need beside `raw` (pydri/st/pixel_*.py)."""

    # kernels of the image st_pixels, null until the first call that needs them
    read = fn(void, ptr("GLContext"), i32, i32, i32, i32, u32, u32, ptr(u8))
    draw = fn(void, ptr("GLContext"), i32, i32, u32, u32, ptr(u8))
    copy = fn(void, ptr("GLContext"), i32, i32, i32, i32, u32)
    accum = fn(void, ptr("GLContext"), u32, f32)
    hook_load = fn(void, ptr("GLContext"))  # fill in the addresses above
    # into Python: a token for the feedback buffer; a driver without a native
    # resolve
    hook_token = fn(void, ptr("GLContext"), u32)
    hook_resolve = fn(void, ptr("GLContext"), ptr(Surface))
    hook_accum = fn(void, ptr("GLContext"))  # memory for the draw framebuffer's `accum`
    pack_invert = u8  # GL_PACK_INVERT_MESA
    pad = u8[7]
    pack_buffer = ptr(BufferObject)  # GL_PIXEL_PACK_BUFFER, GL_PIXEL_UNPACK_BUFFER
    unpack_buffer = ptr(BufferObject)
    maps = f32[MAX_PIXEL_MAP * 10]  # by map - GL_PIXEL_MAP_I_TO_I; sizes in raw.pixel_map_size
