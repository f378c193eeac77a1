# SPDX-License-Identifier: MIT
"""Pixel paths: the native struct of pydri/main/layout.py for what they need beside `raw`. Answers
to Mesa's gl_pixel_attrib and gl_pixelmaps (mtypes.h)."""

from pydri.jit.types import Struct, f32, fn, hook, i32, nested, ptr, u8, u32, u64, void
from pydri.main.buffers.layout import BufferObject
from pydri.pipe.native import Surface
from pydri.pipe.resource import Resource
from pydri.pipe.texel_table import Box, TexelKernels

MAX_PIXEL_MAP = 256


class TexTransfer(Struct):
    """Texels between the program's memory and a level of a resource: what `ctx.pixel.tex_upload`
    and `ctx.pixel.tex_download` take (pydri/st/textures/images.py). Store and transfer parameters
    are the context's; format, type and box have been checked, and no scene that is pending uses the
    level."""

    pixels = ptr(u8)  # as the program gave it: an address, or an offset in the bound buffer object
    resource = ptr(Resource)
    level = u32
    format = u32  # place in pixels/tables.py: FORMATS, TYPES
    type = u32
    dims = u32  # of the entry point, 1 to 3: which of the store parameters count
    base = u32  # the internal format's base format (GL_RGBA ...)
    slot = u32  # of the entry point, for errors
    box = nested(Box)  # y of 1D arrays counts layers, z faces, layers and slices


class BlockTransfer(Struct):
    """Blocks of a compressed level: what `ctx.pixel.tex_blocks_in`, `tex_blocks_out` and
    `tex_encode` take (pydri/st/textures/blocks.py). The resource holds what is sampled, texels of
    the format that blocks are decoded to; blocks are kept beside it."""

    pixels = ptr(u8)  # the program's blocks: an address, or an offset in the bound buffer
    before = u64  # images of the program's that come before those of the box
    resource = ptr(Resource)
    blocks = ptr(u8)  # kept blocks of the whole level, tight: rows, then images
    format = u32  # PipeFormat number of the compressed format
    level = u32
    slot = u32  # of the entry point, for errors
    dims = u32  # of the entry point: which of the store parameters count
    box = nested(Box)  # x and y lie on blocks; it ends on one or at the level's end


class PixelBlock(Struct, align=64):
    """What the pixel paths need beside `raw` (pydri/st/pixel_*.py)."""

    # kernels of the image st_pixels, null until the first call that needs them
    read = fn(void, ptr("GLContext"), i32, i32, i32, i32, u32, u32, ptr(u8))
    draw = fn(void, ptr("GLContext"), i32, i32, u32, u32, ptr(u8))
    copy = fn(void, ptr("GLContext"), i32, i32, i32, i32, u32)
    accum = fn(void, ptr("GLContext"), u32, f32)
    hook_load = hook(void, ptr("GLContext"))  # fill in the addresses above
    # into Python: a token for the feedback buffer; a driver without a native
    # resolve
    hook_token = hook(void, ptr("GLContext"), u32)
    hook_resolve = hook(void, ptr("GLContext"), ptr(Surface))
    hook_accum = hook(void, ptr("GLContext"))  # memory for the draw framebuffer's `accum`
    # kernels of the image st_textures, null until hook_textures fills them in; 0: an error was
    # recorded
    tex_upload = fn(u32, ptr("GLContext"), ptr(TexTransfer))
    tex_download = fn(u32, ptr("GLContext"), ptr(TexTransfer))
    # the job's box from the read framebuffer, from a pixel on; that framebuffer brought up to date
    tex_copy = fn(void, ptr("GLContext"), ptr(TexTransfer), i32, i32)
    tex_validate = fn(void, ptr("GLContext"))
    # the GL error of a job's memory (0: source; else 0x80000000 + bytes of the destination), and of
    # plain bytes, whose pointer becomes an address (1: destination)
    tex_check = fn(u32, ptr("GLContext"), ptr(TexTransfer), u32)
    tex_bytes = fn(u32, ptr("GLContext"), ptr(ptr(u8)), u64, u32)
    hook_textures = hook(void, ptr("GLContext"))
    # resource, first and last level to be made of the ones above
    tex_mipmaps = fn(void, ptr("GLContext"), ptr(Resource), u32, u32)
    hook_mipmaps = hook(void, ptr("GLContext"), u32)  # into Python: compile a format's (number)
    # of the image st_blocks, null until hook_blocks fills them in
    tex_blocks_in = fn(u32, ptr("GLContext"), ptr(BlockTransfer))
    tex_blocks_out = fn(u32, ptr("GLContext"), ptr(BlockTransfer))
    tex_encode = fn(void, ptr("GLContext"), ptr(BlockTransfer))
    hook_blocks = hook(void, ptr("GLContext"))
    # into Python: compile the kernels of a format (number), and say how images of a format and type
    # (their numbers) are moved to and from it
    hook_texels = hook(void, ptr("GLContext"), u32, u32, u32)
    texels = ptr(TexelKernels)  # by format number
    pack_invert = u8  # GL_PACK_INVERT_MESA
    pad = u8[7]
    pack_buffer = ptr(BufferObject)  # GL_PIXEL_PACK_BUFFER, GL_PIXEL_UNPACK_BUFFER
    unpack_buffer = ptr(BufferObject)
    maps = f32[MAX_PIXEL_MAP * 10]  # by map - GL_PIXEL_MAP_I_TO_I; sizes in raw.pixel_map_size
