# SPDX-License-Identifier: MIT
"""GLX_EXT_texture_from_pixmap: the attributes of pixmaps that textures are made of, and binding.

In: the attribute list of glXCreatePixmap; a pixmap and a buffer of it. Out: `TextureAttribs` of a
GlxDrawable (queried with glXQueryDrawable); what the server has in the pixmap becomes the image of
the bound texture (pydri/dri/teximage.py). Errors as the extension asks.
"""

from typing import Any, NamedTuple

from pydri.api.dispatch import glx_entry
from pydri.glx import enums as e
from pydri.glx.current import current_context
from pydri.glx.display import find_display
from pydri.glx.drawable import PIXMAP, DrawableError, GlxDrawable
from pydri.main.textures.layout import TARGET_INDEX_1D, TARGET_INDEX_2D, TARGET_INDEX_RECT

_FORMATS = {
    e.GLX_TEXTURE_FORMAT_NONE_EXT: None,
    e.GLX_TEXTURE_FORMAT_RGB_EXT: e.GLX_BIND_TO_TEXTURE_RGB_EXT,
    e.GLX_TEXTURE_FORMAT_RGBA_EXT: e.GLX_BIND_TO_TEXTURE_RGBA_EXT,
}
_INDICES = {
    e.GLX_TEXTURE_1D_EXT: TARGET_INDEX_1D, e.GLX_TEXTURE_2D_EXT: TARGET_INDEX_2D,
    e.GLX_TEXTURE_RECTANGLE_EXT: TARGET_INDEX_RECT,
}  # fmt: skip
_BUFFERS = range(e.GLX_FRONT_LEFT_EXT, e.GLX_AUX9_EXT + 1)


class TextureAttribs(NamedTuple):
    """How a pixmap looks to GL as a texture."""

    format: int = e.GLX_TEXTURE_FORMAT_NONE_EXT
    target: int = e.GLX_TEXTURE_2D_EXT
    mipmap: int = 0


def texture_attribs(config: Any, asked: dict[int, int]) -> TextureAttribs | tuple[int, str]:
    """Read glXCreatePixmap's attributes; or the core error they deserve, and why."""
    format = asked.get(e.GLX_TEXTURE_FORMAT_EXT, e.GLX_TEXTURE_FORMAT_NONE_EXT)
    target = asked.get(e.GLX_TEXTURE_TARGET_EXT, e.GLX_TEXTURE_2D_EXT)
    mipmap = asked.get(e.GLX_MIPMAP_TEXTURE_EXT, 0)
    if format not in _FORMATS or target not in _INDICES or mipmap not in (0, 1):
        return e.BadValue, f"texture format {format:#x}, target {target:#x}, mipmap {mipmap}"
    needs = _FORMATS[format]
    if needs is not None and not config.value(needs):
        return e.BadMatch, "the config cannot be bound to textures of this format"
    if mipmap and not config.value(e.GLX_BIND_TO_MIPMAP_TEXTURE_EXT):
        mipmap = 0  # a hint: the level above is made, or not
    return TextureAttribs(format, target, mipmap)


def _pixmap(dpy: Any, xid: int, buffer: int) -> GlxDrawable | None:
    display = find_display(dpy)
    if display is None:
        return None
    found = display.drawables.get(xid)
    if found is None or found.kind != PIXMAP:
        display.error(e.GLXBadPixmap, xid, e.X_GLXVendorPrivate)
        return None
    if buffer not in _BUFFERS or buffer != e.GLX_FRONT_LEFT_EXT:
        display.error(e.BadValue, xid, e.X_GLXVendorPrivate, core=True, why=f"buffer {buffer:#x}")
        return None
    return found


@glx_entry
def glXBindTexImageEXT(dpy: Any, drawable: int, buffer: int, attrib_list: Any) -> None:
    """Make a pixmap's front buffer the image of the bound texture."""
    found = _pixmap(dpy, drawable, buffer)
    if found is None:
        return
    if found.texture.format == e.GLX_TEXTURE_FORMAT_NONE_EXT:
        found.display.error(e.BadMatch, drawable, e.X_GLXVendorPrivate, core=True,
                            why="a pixmap that was not made for textures")  # fmt: skip
        return
    context = current_context()
    if context is None or context.screen.dri is None:
        return
    try:
        pixmap = found.realise(context.screen.dri)
    except DrawableError as problem:
        found.display.error(problem.code, found.xid, e.X_GLXVendorPrivate, core=problem.core)
        return
    alpha = found.texture.format == e.GLX_TEXTURE_FORMAT_RGBA_EXT
    context.dri.bind_pixmap(pixmap, _INDICES[found.texture.target], alpha)


@glx_entry
def glXReleaseTexImageEXT(dpy: Any, drawable: int, buffer: int) -> None:
    """The texture keeps its image, which is a copy; what it looks like now is undefined."""
    _pixmap(dpy, drawable, buffer)
