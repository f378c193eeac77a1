# SPDX-License-Identifier: MIT
"""GLX pixmaps: making and ending them, with what GLX_EXT_texture_from_pixmap adds to it."""

from typing import Any

from pydri.api.dispatch import glx_entry
from pydri.glx import enums as e
from pydri.glx.display import find_display
from pydri.glx.drawable import PIXMAP, create_drawable, destroy_drawable
from pydri.glx.texture import TextureAttribs, texture_attribs
from pydri.glx.visual import find_config, read_pairs
from winsys_x11.xlib import ffi, pointer


@glx_entry
def glXCreatePixmap(dpy: Any, config: Any, pixmap: int, attrib_list: Any) -> int:
    """A pixmap to draw to, perhaps to make textures of."""
    found, display = find_config(config), find_display(dpy)
    texture: Any = TextureAttribs()
    if found is not None and display is not None:
        texture = texture_attribs(found, dict(read_pairs(attrib_list)))
        if not isinstance(texture, TextureAttribs):
            code, why = texture
            display.error(code, pixmap, e.X_GLXCreatePixmap, core=True, why=why)
            return 0
    drawable = create_drawable(dpy, config, pixmap, PIXMAP, e.X_GLXCreatePixmap, e.BadPixmap)
    if drawable is None:
        return 0
    drawable.texture = texture
    return drawable.xid


@glx_entry
def glXDestroyPixmap(dpy: Any, pixmap: int) -> None:
    """End a GLX pixmap."""
    destroy_drawable(dpy, pixmap, PIXMAP, e.X_GLXDestroyPixmap, e.GLXBadPixmap)


@glx_entry
def glXCreateGLXPixmap(dpy: Any, visual: Any, pixmap: int) -> int:
    """A pixmap to draw to, described by a visual (GLX 1.2)."""
    display = find_display(dpy)
    if display is None:
        return 0
    info = pointer("XVisualInfo *", visual)
    screen = display.screen(info.screen)
    config = screen.config_of_visual(info.visualid) if screen else None
    if config is None:
        display.error(e.BadValue, info.visualid, e.X_GLXCreateGLXPixmap, core=True)
        return 0
    drawable = create_drawable(
        dpy, config.handle, pixmap, PIXMAP, e.X_GLXCreateGLXPixmap, e.BadPixmap
    )
    if drawable is None:
        return 0
    drawable.texture = TextureAttribs()
    return drawable.xid


@glx_entry
def glXCreateGLXPixmapMESA(dpy: Any, visual: Any, pixmap: int, cmap: int) -> int:
    """As glXCreateGLXPixmap: the colormap matters only for visuals that nobody has any more."""
    return glXCreateGLXPixmap(dpy, visual, pixmap)


@glx_entry
def glXCreateGLXPixmapWithConfigSGIX(dpy: Any, config: Any, pixmap: int) -> int:
    """As glXCreatePixmap."""
    return glXCreatePixmap(dpy, config, pixmap, ffi.NULL)


@glx_entry
def glXDestroyGLXPixmap(dpy: Any, pixmap: int) -> None:
    """End a GLX pixmap."""
    destroy_drawable(dpy, pixmap, PIXMAP, e.X_GLXDestroyGLXPixmap, e.GLXBadPixmap)
