# SPDX-License-Identifier: MIT
"""Images of textures: native structs of the calls that put texels in or take them out."""

from pydri.jit.types import Struct, fn, i32, ptr, u8, u16, u32, void
from pydri.main.textures.layout import TextureImage, TextureObject

MAX_TEXTURE_LEVELS = 15
PROXY_TARGETS = 7  # targets that have a proxy


class ImageCall(Struct):
    """What an entry point was given (pydri/main/textures/image_kernels.py fills it), and what the
    checks found out about it. What an entry point has no parameter for is that of a smaller image:
    offsets 0, sizes 1."""

    operation = u32  # OP_* of image_tables.py
    dims = u32  # of the entry point
    slot = u32  # of the entry point, for errors
    name = u32  # of calls with a name instead of a target
    target = u32
    level = i32  # glTexStorage*: how many levels
    internal = u32
    x = i32
    y = i32
    z = i32
    width = i32
    height = i32
    depth = i32
    border = i32
    read_x = i32  # of copies: in the framebuffer
    read_y = i32
    format = u32
    type = u32
    size = i32  # imageSize or bufSize
    # found by the checks
    at = u32  # number of the target's row
    row = u32  # number of the internal format's row
    chosen = u32  # number of the row whose formats are taken
    format_number = u32  # places in pixels/tables.py
    type_number = u32
    pixels = ptr(u8)
    object = ptr(TextureObject)
    image = ptr(TextureImage)


class ImageBlock(Struct, align=64):
    """What calls with images need of a context."""

    # the kernel that does all of them; null until hook_load has compiled it
    run = fn(void, ptr("GLContext"), ptr(ImageCall))
    hook_load = fn(void, ptr("GLContext"))
    # by internal format's row, of the driver: PipeFormat of the texels (0: it has none), and of the
    # blocks of compressed ones
    formats = ptr(u16)
    blocks = ptr(u16)
    array_layers = u32  # limit
    proxies = TextureImage[PROXY_TARGETS * MAX_TEXTURE_LEVELS]


__all__ = ["MAX_TEXTURE_LEVELS", "PROXY_TARGETS", "ImageBlock", "ImageCall"]
