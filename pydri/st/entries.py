# SPDX-License-Identifier: MIT
"""Python forms of this room's GL entry points: the way of the rare.

In: calls that the kernels did not take (formats of glReadPixels beyond copies). Out: the same
effect, by the definition in readpix.py.
"""

from __future__ import annotations

from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import entry


def address_of(pointer: Any) -> int:
    """A `void *` of cffi, or a plain number, as an address."""
    if isinstance(pointer, int):
        return pointer
    return int(dispatch.ffi.cast("unsigned long", pointer))


@entry
def glReadPixels(
    ctx: Any, x: int, y: int, width: int, height: int, format: int, type: int, pixels: Any
) -> None:
    """Read pixels of the read framebuffer in any format (GL 2.1, 4.3.2)."""
    from pydri.st.readpix import read_pixels

    st = ctx.st
    st.check_framebuffer()
    read_pixels(ctx.n, st.pipe, (x, y, width, height), format, type, address_of(pixels))


@entry
def glBitmap(
    ctx: Any, width: int, height: int, xorig: float, yorig: float, xmove: float, ymove: float,
    bitmap: Any,
) -> None:  # fmt: skip
    """Draw a bitmap in the raster colour (GL 2.1, 3.7)."""
    from pydri.st import pixels

    ctx.st.check_framebuffer()
    pixels.bitmap(ctx, (width, height), (xorig, yorig), (xmove, ymove), address_of(bitmap))


@entry
def glDrawPixels(
    ctx: Any, width: int, height: int, format: int, type: int, pixels: Any
) -> None:
    """Draw an image at the raster position (GL 2.1, 3.6.4)."""
    from pydri.st.pixels import draw_pixels

    ctx.st.check_framebuffer()
    draw_pixels(ctx, (width, height), format, type, address_of(pixels))


@entry
def glCopyPixels(ctx: Any, x: int, y: int, width: int, height: int, type: int) -> None:
    """Draw a rectangle of the framebuffer at the raster position (GL 2.1, 4.3.3)."""
    from pydri.st.pixels import copy_pixels

    ctx.st.check_framebuffer()
    copy_pixels(ctx, (x, y, width, height), type)
