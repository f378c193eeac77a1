# SPDX-License-Identifier: MIT
"""Python's half of images: `gl_images`, the image of the kernels that put texels in and take them
out, is loaded by the first call that needs it, and the driver's formats are chosen.

In: a context. Out: `ctx.images` filled in.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.main.driver_tables import driver_table
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit.kernel import Kernel, Module
    from pydri.main.context import GLContext
    from pydri.pipe.interface import PipeScreen


def _kernels() -> list[Kernel]:
    from pydri.main.textures import (
        image_copy,
        image_import,
        image_run,
        image_share,
        image_store,
    )

    parts = image_run, image_store, image_import, image_copy, image_share
    return [kernel for part in parts for kernel in part.EXPORTS]


def images_module() -> Module:
    """The module of what calls with images do."""
    from pydri.jit.kernel import Module

    return Module("gl_images", _kernels)


@once
def _image() -> Any:
    return images_module().compile()


@once
def _formats(screen: PipeScreen | None) -> Any:
    """By internal format's row: formats of texels, of blocks, and of texels with several samples;
    a native table."""
    data = driver_table(screen, "pydri.main.textures.image_formats")
    return (ctypes.c_uint16 * (len(data) // 6) * 3).from_buffer_copy(data)


_HOOK = ctypes.CFUNCTYPE(None, ctypes.c_uint64)


def load(ctx: GLContext) -> None:
    """hook_load: fill in a context's ImageBlock; texels are moved by kernels that are there then,
    too, whoever was first to ask."""
    images, pixel = ctx.n.images, ctx.n.pixel
    if not pixel.tex_upload and pixel.hook_textures:
        _HOOK(pixel.hook_textures)(ctx.address)
    formats, blocks, several = _formats(ctx.screen)
    images.formats, images.blocks = ctypes.addressof(formats), ctypes.addressof(blocks)
    images.several = ctypes.addressof(several)
    images.run = _image().address("image_run")
    images.copy = _image().address("image_copy")
    ctx.shared.n.texture_finalize = _image().address("texture_finalize")


def image_kernel(ctx: GLContext, name: str) -> int:
    """The address of a kernel of `gl_images`, for a context that may call it at once."""
    if not ctx.n.images.run:
        load(ctx)
    ctx.flush_vertices()
    return int(_image().address(name))


_IMPORT = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64)


def import_image(ctx: GLContext, index: int, picture: Picture) -> int:
    """Make a picture the image of the texture that is bound to a target (TARGET_INDEX_*) of the
    active unit; a GL error or 0."""
    from pydri.main.textures.image_import import Imported

    if not ctx.n.images.run:
        load(ctx)
    ctx.flush_vertices()
    what = Imported.ctype()()
    what.index, what.alpha, what.format = index, picture.alpha, picture.format
    what.width, what.height, what.stride = picture.width, picture.height, picture.stride
    what.texels = picture.address
    call = _IMPORT(_image().address("texture_import"))
    return int(call(ctx.address, ctypes.addressof(what)))


class Picture(NamedTuple):
    """Texels of a window system: rows of a PipeFormat (its number), t = 0 first. `alpha`:
    what they are of has alpha, even where the format hides it."""

    address: int
    stride: int
    width: int
    height: int
    format: int
    alpha: bool


__all__ = ["Picture", "image_kernel", "images_module", "import_image", "load"]
