# SPDX-License-Identifier: MIT
"""EGLImages: of images of textures and of renderbuffers (EGL 1.5 section 3.9, EGL_KHR_image_base,
EGL_KHR_gl_texture_2D_image and its kin, EGL_KHR_gl_renderbuffer_image).

In: a context and what it calls the source. Out: a `SharedImage` of pydri/main/textures, which GL
finds by the handle (glEGLImageTargetTexture2DOES). Mesa: src/egl/main/eglimage.c.
"""

from typing import Any

from pydri.api import egl_enums as e
from pydri.api import enums as gl
from pydri.egl.attribs import ATTRIB, INT, read_pairs
from pydri.egl.display import live_display
from pydri.egl.errors import EglError, egl
from pydri.main.textures.layout import SHARE_MATCH, SHARE_MEMORY, SHARE_PARAMETER
from pydri.main.textures.shared_images import Refused, SharedImage, of_renderbuffer, of_texture
from winsys_x11.xlib import address

_TEXTURES = {
    e.EGL_GL_TEXTURE_2D: (gl.GL_TEXTURE_2D, 0), e.EGL_GL_TEXTURE_3D: (gl.GL_TEXTURE_3D, 0),
    **{e.EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_X + n: (gl.GL_TEXTURE_CUBE_MAP, n) for n in range(6)},
}  # fmt: skip
_ERRORS = {
    SHARE_PARAMETER: e.EGL_BAD_PARAMETER, SHARE_MATCH: e.EGL_BAD_MATCH,
    SHARE_MEMORY: e.EGL_BAD_ALLOC,
}  # fmt: skip


def _attributes(pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Level and slice; what the image held is there in any case (EGL_IMAGE_PRESERVED)."""
    known = e.EGL_GL_TEXTURE_LEVEL, e.EGL_GL_TEXTURE_ZOFFSET, e.EGL_IMAGE_PRESERVED
    for attribute, _ in pairs:
        if attribute not in known:
            raise EglError(e.EGL_BAD_PARAMETER, f"attribute {e.name_of(attribute)}")
    return dict(pairs)


def _made(context: Any, target: int, name: int, attribs: dict[int, int]) -> SharedImage:
    if "EGL_KHR_image_base" in context.dri.screen.lacks:
        raise EglError(e.EGL_BAD_PARAMETER, "the driver makes no images of its objects")
    state = context.dri.gl.gl
    if target == e.EGL_GL_RENDERBUFFER:
        return of_renderbuffer(state, name)
    kind, face = _TEXTURES[target]
    level = attribs.get(e.EGL_GL_TEXTURE_LEVEL, 0)
    layer = attribs.get(e.EGL_GL_TEXTURE_ZOFFSET, 0) if kind == gl.GL_TEXTURE_3D else 0
    return of_texture(state, name, kind, face, level, layer)


def _create(dpy: Any, ctx: Any, target: int, buffer: Any, pairs: list[tuple[int, int]]) -> int:
    display = live_display(dpy)
    context = display.context(ctx) if address(ctx) else None
    if target not in _TEXTURES and target != e.EGL_GL_RENDERBUFFER:
        raise EglError(e.EGL_BAD_PARAMETER, f"images of {e.name_of(target)}")
    attribs = _attributes(pairs)
    if context is None:
        raise EglError(e.EGL_BAD_MATCH, "no context, whose object it would be")
    name = address(buffer)
    if not 0 < name <= 0xFFFFFFFF:
        raise EglError(e.EGL_BAD_PARAMETER, f"object {name:#x}")
    try:
        image = _made(context, target, name, attribs)
    except Refused as problem:
        why = f"{e.name_of(target)} {name}"
        raise EglError(_ERRORS[problem.reason], why) from None
    display.images[image.handle] = image
    return image.handle


@egl
def eglCreateImage(dpy: Any, ctx: Any, target: int, buffer: Any, attrib_list: Any) -> int:
    """An image of a texture, or a renderbuffer."""
    return _create(dpy, ctx, target, buffer, read_pairs(attrib_list, ATTRIB))


@egl
def eglCreateImageKHR(dpy: Any, ctx: Any, target: int, buffer: Any, attrib_list: Any) -> int:
    """The same with EGLint attributes."""
    return _create(dpy, ctx, target, buffer, read_pairs(attrib_list, INT))


@egl
def eglDestroyImage(dpy: Any, image: Any) -> int:
    """The handle ends; what was made of the image stays."""
    found = live_display(dpy).images.pop(address(image), None)
    if found is None:
        raise EglError(e.EGL_BAD_PARAMETER, f"no image {address(image):#x}")
    found.destroy()
    return 1
