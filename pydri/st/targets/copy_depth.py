# SPDX-License-Identifier: MIT
"""NV_copy_depth_to_color: glCopyPixels that shows depth and stencil as colours.

In: a rectangle of the read framebuffer, whose 24 bits of depth and 8 of stencil are one word. Out:
the same words drawn as four bytes of colour at the raster position, zoomed, with all operations on
fragments: read and drawn by the kernels of glReadPixels and glDrawPixels, with the program's pixel
store and transfer put aside, since none of them applies to words. Programs look at their depth
buffer this way now and then, so it is not a kernel. Mesa: st_cb_drawpixels.c (st_CopyPixels).
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.context import GLContext
from pydri.pipe.format import FORMATS
from pydri.pipe.native import Surface
from pydri.st.pixels.load import token

_ORDERS = {gl.GL_DEPTH_STENCIL_TO_RGBA_NV: gl.GL_RGBA, gl.GL_DEPTH_STENCIL_TO_BGRA_NV: gl.GL_BGRA}
_STORE = (1, 0, 0, 0, 0, 0, 0, 0)  # rows without gaps
_SAVED = ("pack", "unpack", "pixel_scale", "pixel_bias", "raster_position")
_TRANSFER = ("map_color", "map_stencil", "index_shift", "index_offset")


@contextlib.contextmanager
def _plain_words(n: Any) -> Iterator[None]:
    """Pixels move as they are, to and from memory."""
    raw, pixel = n.raw, n.pixel
    kept = {name: list(getattr(raw, name)) for name in _SAVED}
    transfer = {name: getattr(raw, name) for name in _TRANSFER}
    buffers = pixel.pack_buffer, pixel.unpack_buffer, pixel.pack_invert
    raw.pack[:], raw.unpack[:] = _STORE, _STORE
    raw.pixel_scale[:], raw.pixel_bias[:] = (1.0,) * 5, (0.0,) * 5
    for name in _TRANSFER:
        setattr(raw, name, 0)
    pixel.pack_buffer = pixel.unpack_buffer = 0
    pixel.pack_invert = 0
    try:
        yield
    finally:
        for name, values in kept.items():
            getattr(raw, name)[:] = values
        for name, value in transfer.items():
            setattr(raw, name, value)
        pixel.pack_buffer, pixel.unpack_buffer, pixel.pack_invert = buffers


def _has_both(n: Any) -> bool:
    """Whether the read framebuffer has words of depth and stencil."""
    zs = n.read.zsbuf
    return bool(zs) and FORMATS[Surface.view(zs).format].name == "Z24_UNORM_S8_UINT"


@entry
def glCopyPixels(ctx: GLContext, x: int, y: int, width: int, height: int, type: int) -> None:
    """What the kernel leaves over: types that are copied as words."""
    n = ctx.n
    if width < 0 or height < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"width={width}, height={height}")
    if type not in _ORDERS:
        raise GLError(gl.GL_INVALID_ENUM, f"type={gl.name_of(type)}")
    read, draw = ctx.kernel("glReadPixels"), ctx.kernel("glDrawPixels")
    read(ctx.address, 0, 0, 0, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, 0)  # follows the framebuffer
    if not _has_both(n):
        raise GLError(gl.GL_INVALID_OPERATION, "no depth and stencil to read")
    if not n.raw.raster_valid:
        return
    if n.key.render_mode:
        token(ctx, gl.GL_COPY_PIXEL_TOKEN)
        return
    left, bottom = max(x, 0), max(y, 0)
    columns = min(x + width, n.read.width) - left
    rows = min(y + height, n.read.height) - bottom
    if columns <= 0 or rows <= 0:
        return
    words = (ctypes.c_uint32 * (columns * rows))()
    with _plain_words(n):
        place = n.raw.raster_position
        place[0] += (left - x) * n.raw.pixel_zoom[0]
        place[1] += (bottom - y) * n.raw.pixel_zoom[1]
        both = (gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8)
        read(ctx.address, left, bottom, columns, rows, *both, ctypes.addressof(words))
        colors = (_ORDERS[type], gl.GL_UNSIGNED_INT_8_8_8_8)
        draw(ctx.address, columns, rows, *colors, ctypes.addressof(words))


__all__ = ["glCopyPixels"]
