# SPDX-License-Identifier: MIT
"""EGLSurfaces: windows, pixmaps and pbuffers, and what may be asked of them.

In: native drawables and configs.  Out: `EglSurface`, which owns a DriDrawable.  A surface that is
destroyed while current lives on until it is not.  EGL 1.5 sections 3.5 and 3.9; Mesa: src/egl/main/
eglsurface.c.
"""

from typing import Any

from pydri.api import egl_enums as e
from pydri.dri.base import LOOKING, BaseDrawable, allowed_interval
from pydri.egl import native
from pydri.egl.attribs import ATTRIB, INT, read_pairs, store
from pydri.egl.config import MAX_SWAP_INTERVAL, EglConfig
from pydri.egl.display import EglDisplay, live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.registry import CONTEXTS, SURFACES, current_context
from winsys_x11.base import MAX_SIDE
from winsys_x11.null import OffscreenSurface
from winsys_x11.xlib import address, ffi

WINDOW, PIXMAP, PBUFFER = e.EGL_WINDOW_BIT, e.EGL_PIXMAP_BIT, e.EGL_PBUFFER_BIT
_NAMES = {WINDOW: "windows", PIXMAP: "pixmaps", PBUFFER: "pbuffers"}


class EglSurface:
    """A surface; `native` is the window or pixmap, 0 for a pbuffer."""

    def __init__(
        self,
        display: EglDisplay,
        config: EglConfig,
        kind: int,
        native: int,
        attribs: dict[int, int],
    ) -> None:
        self.display = display
        self.config = config
        self.kind = kind
        self.native = native
        self.attribs = attribs
        self.colorspace = attribs.get(e.EGL_GL_COLORSPACE, e.EGL_GL_COLORSPACE_LINEAR)
        self.label = 0
        self.doomed = False
        self.abandoned = False  # its native display is closed
        # Without windows nobody sees two buffers, but a desktop GL context draws to GL_BACK first.
        asked = attribs.get(e.EGL_RENDER_BUFFER, e.EGL_BACK_BUFFER)
        double = kind == PBUFFER or (kind == WINDOW and asked == e.EGL_BACK_BUFFER)
        self.render_buffer = (
            e.EGL_SINGLE_BUFFER if kind == PIXMAP or not double else e.EGL_BACK_BUFFER
        )
        self.swap_behavior = e.EGL_BUFFER_DESTROYED if kind == WINDOW else e.EGL_BUFFER_PRESERVED
        self.multisample_resolve = e.EGL_MULTISAMPLE_RESOLVE_DEFAULT
        self._block = ffi.new("uint64_t[2]", [0x65676C53757266, native])
        self.handle = int(ffi.cast("uintptr_t", self._block))
        assert display.dri is not None
        buffers = config.buffers[double]
        encoded = self.colorspace == e.EGL_GL_COLORSPACE_SRGB
        target = self._target(buffers.layout.cpp)
        self.dri: BaseDrawable = display.dri.create_drawable(buffers, target, native, encoded)
        self.dri.native.offscreen = int(kind == PBUFFER)
        SURFACES[self.dri.address] = self

    def _target(self, cpp: int) -> Any:
        """The winsys' side of it."""
        if self.kind == PBUFFER:
            return OffscreenSurface(*_pbuffer_size(self.attribs))
        assert self.display.dri is not None
        surface = self.display.dri.winsys.window_surface(self.native, self.config.depth, cpp)
        if surface is None:
            raise EglError(_BAD_NATIVE[self.kind], f"no X drawable {self.native:#x}")
        return surface

    @property
    def gone(self) -> bool:
        """Whether the window or pixmap has vanished."""
        return bool(self.dri.surface.gone())

    def size(self) -> tuple[int, int]:
        """The size now; of a vanished window the last one."""
        if self.kind == PBUFFER:
            return tuple(self.dri.surface.size())
        found = self.dri.surface.geometry()
        return found if found is not None else tuple(self.dri.surface.size())

    def threads(self) -> list[int]:
        """Where it is current: addresses of the threads' blocks."""
        with LOOKING:
            users = [c for c in list(CONTEXTS.values()) if c.thread and self in (c.draw, c.read)]
            return [context.thread for context in users]

    def doom(self) -> None:
        """End it, at once or when it is no longer current."""
        self.display.surfaces.pop(self.handle, None)
        native.forget(self.handle)
        self.doomed = True
        if not self.threads():
            self.free()
        elif not self.abandoned:
            self.dri.doomed = True  # released by Python alone

    def free(self) -> None:
        """Give everything back; nobody draws to it or reads from it."""
        SURFACES.pop(self.dri.address, None)
        if self.abandoned:
            self.dri.abandon()
        else:
            self.dri.destroy()

    def abandon(self) -> None:
        """The connection is closed: frames are dropped, and the server never hears of us again."""
        self.abandoned = True
        self.dri.doomed = False
        self.dri.cut_off()


_BAD_NATIVE = {WINDOW: e.EGL_BAD_NATIVE_WINDOW, PIXMAP: e.EGL_BAD_NATIVE_PIXMAP}


def _pbuffer_size(attribs: dict[int, int]) -> tuple[int, int]:
    """The buffers' size: EGL allows 0, which nobody can draw to, so 1 is there."""
    width, height = attribs.get(e.EGL_WIDTH, 0), attribs.get(e.EGL_HEIGHT, 0)
    return max(min(width, MAX_SIDE), 1), max(min(height, MAX_SIDE), 1)


_FORMATS = (e.EGL_NO_TEXTURE, e.EGL_TEXTURE_RGB, e.EGL_TEXTURE_RGBA)
_TARGETS = (e.EGL_NO_TEXTURE, e.EGL_TEXTURE_2D)
# What may stand in the list of each kind of surface, and the values it may have (None: see below).
_COMMON: dict[int, tuple[int, ...] | None] = {
    e.EGL_VG_COLORSPACE: (e.EGL_VG_COLORSPACE_sRGB, e.EGL_VG_COLORSPACE_LINEAR),
    e.EGL_VG_ALPHA_FORMAT: (e.EGL_VG_ALPHA_FORMAT_NONPRE, e.EGL_VG_ALPHA_FORMAT_PRE),
    e.EGL_GL_COLORSPACE: (e.EGL_GL_COLORSPACE_LINEAR, e.EGL_GL_COLORSPACE_SRGB),
}
_ALLOWED: dict[int, dict[int, tuple[int, ...] | None]] = {
    WINDOW: {**_COMMON, e.EGL_RENDER_BUFFER: (e.EGL_BACK_BUFFER, e.EGL_SINGLE_BUFFER)},
    PIXMAP: _COMMON,
    PBUFFER: {
        **_COMMON,
        e.EGL_WIDTH: None,
        e.EGL_HEIGHT: None,
        e.EGL_LARGEST_PBUFFER: (0, 1),
        e.EGL_TEXTURE_FORMAT: _FORMATS,
        e.EGL_TEXTURE_TARGET: _TARGETS,
        e.EGL_MIPMAP_TEXTURE: (0, 1),
    },
}


def _parse(kind: int, pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Check an attribute list; EGL_BAD_ATTRIBUTE, EGL_BAD_PARAMETER, EGL_BAD_MATCH."""
    attribs: dict[int, int] = {}
    for attribute, value in pairs:
        allowed = _ALLOWED[kind]
        if attribute not in allowed:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
        values = allowed[attribute]
        if values is None:
            if value < 0:
                raise EglError(e.EGL_BAD_PARAMETER, f"{e.name_of(attribute)} {value}")
        elif value not in values:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"{e.name_of(attribute)} {value:#x}")
        attribs[attribute] = value
    no_texture = e.EGL_NO_TEXTURE
    formats = attribs.get(e.EGL_TEXTURE_FORMAT, no_texture)
    targets = attribs.get(e.EGL_TEXTURE_TARGET, no_texture)
    if (formats == no_texture) != (targets == no_texture):
        raise EglError(e.EGL_BAD_MATCH, "a texture format without a target, or a target without")
    return attribs


def _create(
    display: EglDisplay, config: Any, kind: int, native: int, pairs: list[tuple[int, int]]
) -> int:
    found = display.config(config)
    attribs = _parse(kind, pairs)
    if kind != PBUFFER and display.platform.screen_attribute is None:
        raise EglError(_BAD_NATIVE[kind], f"the platform has no {_NAMES[kind]}")
    if not found.surface_type & kind:
        raise EglError(e.EGL_BAD_MATCH, f"the config is not for {_NAMES[kind]}")
    if attribs.get(e.EGL_GL_COLORSPACE) == e.EGL_GL_COLORSPACE_SRGB and not found.srgb:
        raise EglError(e.EGL_BAD_MATCH, "the config's colours cannot be sRGB-encoded")
    if kind != PBUFFER:
        geometry = display.platform.geometry(native)
        if geometry is None:
            raise EglError(_BAD_NATIVE[kind], f"no X drawable {native:#x}")
        if geometry.depth != found.depth:
            why = f"the drawable has depth {geometry.depth}, the config {found.depth}"
            raise EglError(e.EGL_BAD_MATCH, why)
        if any(s.native == native and not s.gone for s in display.surfaces.values()):
            raise EglError(e.EGL_BAD_ALLOC, "the drawable has a surface already")
    else:
        size = attribs.get(e.EGL_WIDTH, 0), attribs.get(e.EGL_HEIGHT, 0)
        if max(size) > MAX_SIDE and not attribs.get(e.EGL_LARGEST_PBUFFER):
            raise EglError(e.EGL_BAD_ALLOC, f"a pbuffer of {size[0]}x{size[1]} pixels")
    surface = EglSurface(display, found, kind, native, attribs)
    display.surfaces[surface.handle] = surface
    return surface.handle


@egl
def eglCreateWindowSurface(dpy: Any, config: Any, win: int, attrib_list: Any) -> int:
    """A window to draw to."""
    return _create(live_display(dpy), config, WINDOW, win, read_pairs(attrib_list))


@egl
def eglCreatePixmapSurface(dpy: Any, config: Any, pixmap: int, attrib_list: Any) -> int:
    """A pixmap to draw to."""
    return _create(live_display(dpy), config, PIXMAP, pixmap, read_pairs(attrib_list))


def _platform_surface(dpy: Any, config: Any, kind: int, native: Any, pairs: Any) -> int:
    display = live_display(dpy)
    if not address(native):
        raise EglError(_BAD_NATIVE[kind], "a null pointer")
    return _create(display, config, kind, display.platform.native_id(address(native)), pairs)


@egl
def eglCreatePlatformWindowSurface(
    dpy: Any, config: Any, native_window: Any, attrib_list: Any
) -> int:
    """A window, given by a pointer to what the platform calls one."""
    return _platform_surface(dpy, config, WINDOW, native_window, read_pairs(attrib_list, ATTRIB))


@egl
def eglCreatePlatformWindowSurfaceEXT(
    dpy: Any, config: Any, native_window: Any, attrib_list: Any
) -> int:
    """The same with EGLint attributes."""
    return _platform_surface(dpy, config, WINDOW, native_window, read_pairs(attrib_list, INT))


@egl
def eglCreatePlatformPixmapSurface(
    dpy: Any, config: Any, native_pixmap: Any, attrib_list: Any
) -> int:
    """A pixmap, given by a pointer to what the platform calls one."""
    return _platform_surface(dpy, config, PIXMAP, native_pixmap, read_pairs(attrib_list, ATTRIB))


@egl
def eglCreatePlatformPixmapSurfaceEXT(
    dpy: Any, config: Any, native_pixmap: Any, attrib_list: Any
) -> int:
    """The same with EGLint attributes."""
    return _platform_surface(dpy, config, PIXMAP, native_pixmap, read_pairs(attrib_list, INT))


@egl
def eglCreatePbufferSurface(dpy: Any, config: Any, attrib_list: Any) -> int:
    """A surface that nobody sees."""
    return _create(live_display(dpy), config, PBUFFER, 0, read_pairs(attrib_list))


@egl
def eglCreatePbufferFromClientBuffer(
    dpy: Any, buftype: int, buffer: Any, config: Any, attrib_list: Any
) -> int:
    """Only OpenVG images can be such buffers, and there is no OpenVG."""
    live_display(dpy)
    raise EglError(e.EGL_BAD_PARAMETER, f"client buffers of type {e.name_of(buftype)}")


@egl
def eglDestroySurface(dpy: Any, surface: Any) -> int:
    """End a surface."""
    live_display(dpy).surface(surface).doom()
    return 1


def _answer(surface: EglSurface, attribute: int) -> int | None:
    attribs = surface.attribs
    if attribute in (e.EGL_WIDTH, e.EGL_HEIGHT):
        return surface.size()[attribute == e.EGL_HEIGHT]
    if attribute == e.EGL_BUFFER_AGE_EXT:
        context = current_context()
        if context is None or context.draw is not surface:
            raise EglError(e.EGL_BAD_SURFACE, "the age of a surface that is not current")
        return surface.dri.buffer_age if surface.kind == WINDOW else 0
    unknown = e.EGL_UNKNOWN
    answers = {
        e.EGL_CONFIG_ID: surface.config.id,
        e.EGL_VG_ALPHA_FORMAT: attribs.get(e.EGL_VG_ALPHA_FORMAT, e.EGL_VG_ALPHA_FORMAT_NONPRE),
        e.EGL_VG_COLORSPACE: attribs.get(e.EGL_VG_COLORSPACE, e.EGL_VG_COLORSPACE_sRGB),
        e.EGL_GL_COLORSPACE: surface.colorspace,
        e.EGL_HORIZONTAL_RESOLUTION: unknown,
        e.EGL_VERTICAL_RESOLUTION: unknown,
        e.EGL_PIXEL_ASPECT_RATIO: unknown,
        e.EGL_MULTISAMPLE_RESOLVE: surface.multisample_resolve,
        e.EGL_RENDER_BUFFER: surface.render_buffer,
        e.EGL_SWAP_BEHAVIOR: surface.swap_behavior,
        e.EGL_POST_SUB_BUFFER_SUPPORTED_NV: int(surface.kind == WINDOW),
    }
    return answers.get(attribute)


# Questions about pbuffers: the answer for other surfaces is that nothing is written.
_OF_PBUFFERS = {
    e.EGL_LARGEST_PBUFFER: 0,
    e.EGL_TEXTURE_FORMAT: e.EGL_NO_TEXTURE,
    e.EGL_TEXTURE_TARGET: e.EGL_NO_TEXTURE,
    e.EGL_MIPMAP_TEXTURE: 0,
    e.EGL_MIPMAP_LEVEL: 0,
}


@egl
def eglQuerySurface(dpy: Any, surface: Any, attribute: int, value: Any) -> int:
    """One attribute of a surface."""
    found = live_display(dpy).surface(surface)
    if attribute in _OF_PBUFFERS:
        if found.kind == PBUFFER:
            store(value, found.attribs.get(attribute, _OF_PBUFFERS[attribute]))
        return 1
    answer = _answer(found, attribute)
    if answer is None:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    store(value, answer)
    return 1


@egl
def eglSurfaceAttrib(dpy: Any, surface: Any, attribute: int, value: int) -> int:
    """Set one of the few attributes that can change."""
    found = live_display(dpy).surface(surface)
    if attribute == e.EGL_MIPMAP_LEVEL:
        return 1  # pbuffers have one level
    if attribute == e.EGL_MULTISAMPLE_RESOLVE:
        if value == e.EGL_MULTISAMPLE_RESOLVE_BOX:
            raise EglError(e.EGL_BAD_MATCH, "no config resolves with a box filter on demand")
        if value != e.EGL_MULTISAMPLE_RESOLVE_DEFAULT:
            raise EglError(e.EGL_BAD_PARAMETER, f"value {value:#x}")
        found.multisample_resolve = value
    elif attribute == e.EGL_SWAP_BEHAVIOR:
        if value not in (e.EGL_BUFFER_DESTROYED, e.EGL_BUFFER_PRESERVED):
            raise EglError(e.EGL_BAD_PARAMETER, f"value {value:#x}")
        if (
            value == e.EGL_BUFFER_PRESERVED
            and not found.config.surface_type & e.EGL_SWAP_BEHAVIOR_PRESERVED_BIT
        ):
            raise EglError(e.EGL_BAD_MATCH, "the config does not preserve buffers")
        found.swap_behavior = value
        if found.kind == WINDOW:
            found.dri.native.swap_copy = int(value == e.EGL_BUFFER_PRESERVED)
    else:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    return 1


def set_interval(surface: EglSurface, interval: int) -> None:
    """Swap at most once in so many refreshes; silently within what the config says."""
    limit = MAX_SWAP_INTERVAL if surface.kind == WINDOW else 0
    surface.dri.set_interval(allowed_interval(max(0, min(interval, limit))), interval)


def _of_textures(dpy: Any, surface: Any, buffer: int) -> EglSurface:
    """The pbuffer that is to be bound, or released."""
    found = live_display(dpy).surface(surface)
    if buffer != e.EGL_BACK_BUFFER:
        raise EglError(e.EGL_BAD_PARAMETER, f"buffer {e.name_of(buffer)}")
    if found.attribs.get(e.EGL_TEXTURE_FORMAT, e.EGL_NO_TEXTURE) == e.EGL_NO_TEXTURE:
        raise EglError(e.EGL_BAD_MATCH, "no pbuffer that was made for textures")
    return found


@egl
def eglBindTexImage(dpy: Any, surface: Any, buffer: int) -> int:
    """What is drawn in a pbuffer becomes the image of the texture that is bound in the current
    context: a copy, since drawing to the pbuffer meanwhile has no defined result."""
    found = _of_textures(dpy, surface, buffer)
    context = current_context()
    if context is None:
        raise EglError(e.EGL_BAD_MATCH, "no context is current")
    alpha = found.attribs[e.EGL_TEXTURE_FORMAT] == e.EGL_TEXTURE_RGBA
    if not context.dri.bind_pbuffer(found.dri, alpha):
        raise EglError(e.EGL_BAD_MATCH, "the driver makes no textures of pbuffers")
    return 1


@egl
def eglReleaseTexImage(dpy: Any, surface: Any, buffer: int) -> int:
    """The texture keeps its image, which is a copy; what it looks like now is undefined."""
    _of_textures(dpy, surface, buffer)
    return 1
