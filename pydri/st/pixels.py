# SPDX-License-Identifier: MIT
"""glBitmap, glDrawPixels and glCopyPixels (GL 2.1, 3.6.4, 3.7, 4.3.3).

In: an image in the program's memory (under GL_UNPACK_*) or a rectangle of the read framebuffer.
Out: fragments at the raster position, through transfer operations (pixel_transfer.py), zoom, and
all operations on fragments (fragments.py). Zoom is looked at from the destination: each pixel whose
centre lies in the zoomed rectangle finds the group it belongs to. Stencil values are not colours:
they are written by points with GL_REPLACE, one draw for each value there is. Answers to Mesa's
st_cb_bitmap.c and st_cb_drawpixels.c.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.api.dispatch import GLError
from pydri.pipe.format import FORMATS
from pydri.pipe.native import Surface
from pydri.st import pixel_transfer as transfer
from pydri.st.fragments import draw_fragments
from pydri.st.readpix import (
    DEPTH_FORMATS,
    STENCIL_FORMATS,
    Pack,
    check,
    colors_of,
    depth_of,
    load_words,
    stencil_of,
)

if TYPE_CHECKING:
    import numpy as np

    Arr = np.ndarray[Any, Any]

NUDGE = 1e-4  # a raster position that is a whole number but for rounding means that number
COPY_TYPES = {
    gl.GL_COLOR: gl.GL_RGBA,
    gl.GL_DEPTH: gl.GL_DEPTH_COMPONENT,
    gl.GL_STENCIL: gl.GL_STENCIL_INDEX,
    gl.GL_DEPTH_STENCIL: gl.GL_DEPTH_STENCIL,
}


def _format_at(surface: int) -> Any:
    return FORMATS[Surface.view(surface).format] if surface else None


def _not_negative(width: int, height: int) -> None:
    if width < 0 or height < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"{width} x {height}")


# -- glBitmap --------------------------------------------------------------------------------------


def bitmap(ctx: Any, size: tuple[int, int], origin: tuple[float, float],
           move: tuple[float, float], pixels: int) -> None:
    """Draw the ones of a bitmap in the raster colour, then move the raster position."""
    import numpy as np

    width, height = size
    _not_negative(width, height)
    raw = ctx.n.raw
    if not raw.raster_valid:
        return
    place = raw.raster_position
    if width and height and pixels:
        rows, columns = np.nonzero(transfer.load_bits(pixels, Pack(*raw.unpack), width, height))
        x = columns + math.floor(place[0] - origin[0] + NUDGE)
        y = rows + math.floor(place[1] - origin[1] + NUDGE)
        draw_fragments(ctx, x, y, place[2])
    place[0] += move[0]
    place[1] += move[1]


# -- glDrawPixels ----------------------------------------------------------------------------------


def draw_pixels(ctx: Any, size: tuple[int, int], format: int, type_: int, pixels: int) -> None:
    """Draw an image of the program's memory at the raster position."""
    width, height = size
    _not_negative(width, height)
    n = ctx.n
    zs = _format_at(n.dyn.fb.zsbuf)
    if format == gl.GL_COLOR_INDEX:
        transfer.check_index_type(type_)
    else:
        check(format, type_, zs, True)
    if not n.raw.raster_valid or not (width and height and pixels):
        return
    image = transfer.load_image(pixels, Pack(*n.raw.unpack), (width, height), format, type_)
    depth = transfer.depth(n, image, type_) if format in DEPTH_FORMATS else None
    stencil = transfer.stencil(ctx, image, type_) if format in STENCIL_FORMATS else None
    if depth is None and stencil is None:
        _place(ctx, transfer.colors(ctx, image, format, type_), None, None)
    else:
        _place(ctx, None, depth, stencil)


# -- glCopyPixels ----------------------------------------------------------------------------------


def copy_pixels(ctx: Any, box: tuple[int, int, int, int], type_: int) -> None:
    """Draw a rectangle of the read framebuffer at the raster position."""
    import numpy as np

    x, y, width, height = box
    format = COPY_TYPES.get(type_)
    if format is None:
        raise GLError(gl.GL_INVALID_ENUM, f"type={gl.name_of(type_)}")
    _not_negative(width, height)
    n = ctx.n
    fb = n.read
    plain = gl.GL_UNSIGNED_INT_24_8 if format == gl.GL_DEPTH_STENCIL else gl.GL_UNSIGNED_BYTE
    for zs in (_format_at(fb.zsbuf), _format_at(n.dyn.fb.zsbuf)):
        check(format, plain, zs, bool(fb.cbuf))
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + width, fb.width), min(y + height, fb.height)
    if not n.raw.raster_valid or x0 >= x1 or y0 >= y1:
        return
    address = int(fb.cbuf if type_ == gl.GL_COLOR else fb.zsbuf)
    ctx.st.pipe.resolve(address)
    surface = Surface.view(address)
    words = load_words(surface, bool(fb.flip_y), fb.height, (x0, y0, x1, y1))
    skip = (x0 - x, y0 - y)
    if type_ == gl.GL_COLOR:
        rgba = colors_of(words, FORMATS[surface.format])
        _place(ctx, transfer.transfer_colors(ctx, rgba), None, None, skip)
        return
    depth = stencil = None
    if format in DEPTH_FORMATS:
        depth = transfer.transfer_depth(n, depth_of(words, surface.format))
    if format in STENCIL_FORMATS:
        values = stencil_of(words, surface.format).astype(np.int64)
        stencil = transfer.transfer_stencil(ctx, values)
    _place(ctx, None, depth, stencil, skip)


# -- zoom and fragments ----------------------------------------------------------------------------


def zoomed(start: float, zoom: float, first: int, count: int, limit: int) -> tuple[Arr, Arr]:
    """Pixels of one axis within [0, limit), and the group (from 0 at `first`) each belongs to.

    Group n covers the pixels whose centres lie between start + zoom * n and start + zoom * (n + 1),
    the lower end included (GL 2.1, 3.6.4)."""
    import numpy as np

    ends = sorted((start + zoom * first, start + zoom * (first + count)))
    low = int(min(max(math.ceil(ends[0] - 0.5), 0), limit))
    high = int(min(max(math.ceil(ends[1] - 0.5), low), limit))
    pixels = np.arange(low, high)
    if not len(pixels):
        return pixels, pixels
    at = (pixels + 0.5 - start) / zoom
    groups = np.floor(at) if zoom > 0 else np.ceil(at) - 1
    return pixels, (groups.astype(np.int64) - first).clip(0, count - 1)


def _place(ctx: Any, colors: Arr | None, depth: Arr | None, stencil: Arr | None,
           skip: tuple[int, int] = (0, 0)) -> None:
    """Groups, (rows, columns), become fragments; `skip`: the first one's place in the image."""
    import numpy as np

    n = ctx.n
    raw, fb = n.raw, n.dyn.fb
    given = next(a for a in (colors, depth, stencil) if a is not None)
    axes = [
        zoomed(raw.raster_position[axis], raw.pixel_zoom[axis], skip[axis], given.shape[1 - axis],
               limit)
        for axis, limit in ((0, fb.width), (1, fb.height))
    ]
    (px, columns), (py, rows) = axes
    x, y = (grid.ravel() for grid in np.meshgrid(px, py))
    at = np.ix_(rows, columns)
    z = raw.raster_position[2]
    if colors is not None:
        draw_fragments(ctx, x, y, z, colors[at].reshape(-1, 4))
    if stencil is not None:
        values = stencil[at].ravel()
        for value in np.unique(values).tolist():
            chosen = values == value
            _write_stencil(ctx, x[chosen], y[chosen], value)
    if depth is not None:
        draw_fragments(ctx, x, y, depth[at].ravel(), None,
                       _only_depth if stencil is not None else None)


def _write_stencil(ctx: Any, x: Arr, y: Arr, value: int) -> None:
    def replace(n: Any) -> None:
        _no_color(n)
        n.key.depth_test, n.key.stencil_test, n.key.stencil_two_side = 0, 1, 0
        for side in n.key.stencil:
            side.func = gl.GL_ALWAYS
            side.fail = side.zfail = side.zpass = gl.GL_REPLACE
        n.raw.stencil_ref[:] = (value,) * 3

    draw_fragments(ctx, x, y, 0.0, None, replace)


def _no_color(n: Any) -> None:
    n.key.color_mask = n.key.alpha_test = n.key.blend = n.key.color_logic_op = n.key.fog = 0


def _only_depth(n: Any) -> None:
    """GL_DEPTH_STENCIL writes both through their masks, with no test but the scissor's."""
    _no_color(n)
    n.key.depth_test, n.key.depth_func, n.key.stencil_test = 1, gl.GL_ALWAYS, 0


__all__ = ["bitmap", "copy_pixels", "draw_pixels", "zoomed"]
