# SPDX-License-Identifier: MIT
"""Python's half of the pixel paths: their kernels are loaded when the first call needs them, and
feedback hears of what is drawn (GL 2.1, 5.3).

In: a context. Out: addresses of the image `st_pixels` in its PixelBlock. The kernels that text and
screenshots need are in the core image (pixels/rect.py, read_kernels.py); these here know every
format and type, which programs that draw no pixels need not wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.main.feedback.layout import FEEDBACK
from pydri.main.feedback.writes import feed_back
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit.kernel import Kernel, Module

#: field of PixelBlock -> kernel
KERNELS = {
    "read": "st_read_pixels",
    "draw": "st_draw_pixels",
    "copy": "st_copy_pixels",
    "accum": "st_accum",
}


def _kernels() -> list[Kernel]:
    from pydri.st.pixels.draw import st_copy_pixels, st_draw_pixels
    from pydri.st.pixels.read import st_read_pixels
    from pydri.st.targets.accum import st_accum

    return [st_read_pixels, st_draw_pixels, st_copy_pixels, st_accum]


def pixel_module() -> Module:
    """The module of kernels for all formats and types."""
    from pydri.jit.fpstate import FLUSHED
    from pydri.jit.kernel import Module

    return Module("st_pixels", _kernels, floats=FLUSHED)


@once
def _image() -> Any:
    return pixel_module().compile()


def load(ctx: Any) -> None:
    """hook_load: give a native context (a ctypes view) the addresses of the kernels."""
    image = _image()
    for field, name in KERNELS.items():
        setattr(ctx.pixel, field, image.address(name))


def token(ctx: Any, number: int) -> None:
    """hook_token: pixels drawn in feedback: a token and the raster position as a vertex. In
    selection pixels are no hit (GL 2.1, 5.2)."""
    n = ctx.n
    raw = n.raw
    if n.key.render_mode != FEEDBACK:
        return
    kind = n.feedback.type
    out = [float(number), *raw.raster_position[: 2 if kind == gl.GL_2D else 3]]
    if kind == gl.GL_4D_COLOR_TEXTURE:
        out.append(raw.raster_position[3])
    if kind not in (gl.GL_2D, gl.GL_3D):
        out += list(raw.raster_color)
    if kind in (gl.GL_3D_COLOR_TEXTURE, gl.GL_4D_COLOR_TEXTURE):
        out += list(raw.raster_texcoords[0])
    feed_back(n, out)


__all__ = ["KERNELS", "load", "pixel_module", "token"]
