# SPDX-License-Identifier: MIT
"""Drawables as images of textures: GLX_EXT_texture_from_pixmap and eglBindTexImage.

Stage: between the fronts and the state tracker. In: a context, a drawable, a target. Out: the
drawable's pixels are the image of the texture that is bound there. A pixmap's are fetched from the
server each time, since others draw to it, too; those of a pbuffer are its buffer. Counterpart of
dri_set_tex_buffer2 and drisw_update_tex_buffer in Mesa's gallium/frontends/dri.
"""

from typing import TYPE_CHECKING

from pydri.main.textures.image_loader import Picture
from pydri.main.textures.layout import TARGET_INDEX_1D, TARGET_INDEX_2D
from pydri.pipe.format import BY_NAME, Format, linear
from pydri.util import log

if TYPE_CHECKING:
    from pydri.dri.context import DriContext
    from pydri.dri.drawable import DriDrawable


def _texels(config_format: str, alpha: bool) -> Format:
    """The format that shows a drawable's pixels, their alpha hidden unless it is asked for."""
    row = linear(BY_NAME[config_format])
    hidden = row.name.replace("A8", "X8").replace("A2", "X2")
    return row if alpha else BY_NAME.get(hidden, row)


def bind_pixmap(
    context: "DriContext", drawable: "DriDrawable", index: int, alpha: bool
) -> None:
    """What the server has in a pixmap becomes the image of the texture that is bound to a target
    (TARGET_INDEX_*). A pixmap that is gone leaves the texture as it is."""
    if drawable.context is context:
        context.flush()
        drawable.flush_front()
    fetched = drawable.surface.fetch()
    if fetched is None:
        log.debug(f"pixmap {drawable.xid:#x} cannot be read")
        return
    name = drawable.config.color_format
    texels = _texels(name, alpha)
    address, stride, width, height = fetched
    height = 1 if index == TARGET_INDEX_1D else height
    alpha = _has_alpha(BY_NAME[name])
    picture = Picture(address, stride, width, height, texels.number, alpha)
    context.gl.bind_tex_image(index, picture)


def bind_pbuffer(context: "DriContext", drawable: "DriDrawable", alpha: bool) -> None:
    """What is drawn in a pbuffer becomes the image of the texture that is bound to GL_TEXTURE_2D,
    its lowest row first."""
    if drawable.context is not None:
        drawable.context.flush()
    found = drawable.pixels()
    if found is None:
        return
    name = drawable.config.color_format
    texels = _texels(name, alpha)
    alpha = alpha and _has_alpha(BY_NAME[name])
    picture = Picture(*found, drawable.width, drawable.height, texels.number, alpha)
    context.gl.bind_tex_image(TARGET_INDEX_2D, picture)


def _has_alpha(row: Format) -> bool:
    return row.swizzle[3:4].isdigit()


__all__ = ["bind_pbuffer", "bind_pixmap"]
