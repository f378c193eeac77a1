# SPDX-License-Identifier: MIT
"""Python's half of textures' images: the kernels of the image `st_textures` and those of formats
are loaded when the first call needs them.

In: a native context. Out: addresses in its PixelBlock; rows of the table of formats' kernels, with
the codes of how the program's formats and types go with them (textures/direct.py). All contexts of
a process share table and codes.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from pydri.main.pixels.tables import FORMATS, TYPES
from pydri.pipe import texel_loader
from pydri.pipe.format import BY_NAME
from pydri.pipe.format import FORMATS as TEXELS
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit.kernel import Kernel, Module

#: field of PixelBlock -> kernel
KERNELS = {
    "tex_upload": "st_tex_upload",
    "tex_download": "st_tex_download",
    "tex_mipmaps": "st_tex_mipmaps",
    "tex_copy": "st_tex_copy",
    "tex_validate": "st_tex_validate",
    "tex_check": "st_tex_check",
    "tex_bytes": "st_tex_bytes",
}
BLOCK_KERNELS = {
    "tex_blocks_in": "st_tex_blocks_in",
    "tex_blocks_out": "st_tex_blocks_out",
    "tex_encode": "st_tex_encode",
}
_PAIRS = len(FORMATS) * len(TYPES)
_codes: dict[int, Any] = {}  # format number -> uploads, downloads


def _kernels() -> list[Kernel]:
    from pydri.st.textures.copy import st_tex_bytes, st_tex_check, st_tex_copy, st_tex_validate
    from pydri.st.textures.images import st_tex_download, st_tex_mipmaps, st_tex_upload

    checks = [st_tex_check, st_tex_bytes]
    copies = [st_tex_copy, st_tex_validate, *checks]
    return [st_tex_upload, st_tex_download, st_tex_mipmaps, *copies]


def texture_module() -> Module:
    """The module of kernels for images of textures of all formats."""
    from pydri.jit.fpstate import FLUSHED
    from pydri.jit.kernel import Module

    return Module("st_textures", _kernels, floats=FLUSHED)


def _block_kernels() -> list[Kernel]:
    from pydri.st.textures.blocks import st_tex_blocks_in, st_tex_blocks_out, st_tex_encode

    return [st_tex_blocks_in, st_tex_blocks_out, st_tex_encode]


def block_module() -> Module:
    """The module of kernels for compressed textures."""
    from pydri.jit.fpstate import FLUSHED
    from pydri.jit.kernel import Module

    return Module("st_blocks", _block_kernels, floats=FLUSHED)


#: formats whose kernels are compiled with the driver: what programs of GL 1.x have, and of GL 3
COMMON = (
    "R8G8B8A8_UNORM", "R8G8B8X8_UNORM", "B8G8R8A8_UNORM", "L8_UNORM", "A8_UNORM", "I8_UNORM",
    "L8A8_UNORM", "B5G6R5_UNORM", "R8G8B8A8_SRGB", "R8_UNORM", "R8G8_UNORM", "R32_FLOAT",
    "R16G16B16A16_FLOAT", "R16G16B16X16_FLOAT", "R32G32B32A32_FLOAT", "R32G32B32X32_FLOAT",
)  # fmt: skip


def common_modules() -> list[Module]:
    """What is compiled in advance: the kernels for images of all formats, for compressed ones, and
    those of the formats that most programs use."""
    from pydri.pipe import mipmap, texels

    rows = [BY_NAME[name] for name in COMMON]
    modules = [texture_module(), block_module(), *map(texels.module, rows)]
    return [*modules, *map(mipmap.module, rows)]


@once
def _image() -> Any:
    return texture_module().compile()


@once
def _block_image() -> Any:
    return block_module().compile()


def load(ctx: Any) -> None:
    """hook_textures: give a native context (a ctypes view) the table and addresses."""
    image = _image()
    ctx.pixel.texels = texel_loader.table()
    for field, name in KERNELS.items():
        setattr(ctx.pixel, field, image.address(name))


def load_blocks(ctx: Any) -> None:
    """hook_blocks: the same for compressed textures."""
    image = _block_image()
    for field, name in BLOCK_KERNELS.items():
        setattr(ctx.pixel, field, image.address(name))


def mipmaps(number: int) -> None:
    """hook_mipmaps: compile the kernel that makes mipmaps of a format of texels."""
    texel_loader.load_mipmaps(number)


def ready(number: int, format: int, type_: int) -> None:
    """hook_texels: compile the kernels of a format of texels, and say how a format and a type of
    the program (places in main/pixels/tables.py) go with it."""
    from pydri.st.textures.direct import UNKNOWN, download_code, upload_code

    texel_loader.load(number)
    row = texel_loader.row_of(number)
    held = _codes.get(number)
    if held is None:
        unknown = [UNKNOWN] * _PAIRS
        made = tuple((ctypes.c_uint32 * _PAIRS)(*unknown) for _ in range(2))
        held = _codes.setdefault(number, made)
        row.uploads, row.downloads = map(ctypes.addressof, held)
    fmt, place = TEXELS[number], format * len(TYPES) + type_
    for codes, code_of in zip(held, (upload_code, download_code), strict=True):
        codes[place] = code_of(FORMATS[format], TYPES[type_], fmt)


__all__ = [
    "BLOCK_KERNELS", "COMMON", "KERNELS", "block_module", "common_modules", "load", "load_blocks",
    "mipmaps", "ready", "texture_module",
]  # fmt: skip
