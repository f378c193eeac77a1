# SPDX-License-Identifier: MIT
"""Swaps, swap intervals, copies: the Python form of what ends a frame.

In: a surface.  Out: the frame in its window.  The usual case never comes here (native.py).  EGL 1.5
section 3.10, EGL_KHR_swap_buffers_with_damage, EGL_NV_post_sub_buffer; Mesa: eglSwapBuffers in
src/egl/main/eglapi.c. EGL_ANGLE_sync_control_rate is here, too.
"""

from typing import Any

from pydri.api import egl_enums as e
from pydri.egl.attribs import store
from pydri.egl.display import live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.registry import current_context
from pydri.egl.surface import PIXMAP, WINDOW, EglSurface, set_interval
from winsys_x11.xlib import address


def _current_surface(dpy: Any, surface: Any) -> EglSurface:
    """The surface, which must be what the calling thread draws to; EGL_BAD_SURFACE,
    EGL_BAD_NATIVE_WINDOW.
    """
    found = live_display(dpy).surface(surface)
    context = current_context()
    if context is None or context.draw is not found:
        raise EglError(e.EGL_BAD_SURFACE, "the surface is not current")
    if found.kind == WINDOW and found.gone:
        raise EglError(e.EGL_BAD_NATIVE_WINDOW, "the window was destroyed")
    return found


def _swap(surface: EglSurface) -> int:
    context = current_context()
    assert context is not None
    if surface.kind == WINDOW:
        surface.dri.swap(context.dri)
        if surface.gone:
            raise EglError(e.EGL_BAD_NATIVE_WINDOW, "the window was destroyed")
    else:
        context.dri.flush_commands()
    return 1


@egl
def eglSwapBuffers(dpy: Any, surface: Any) -> int:
    """Show the back buffer of a window; other surfaces have nothing to show."""
    return _swap(_current_surface(dpy, surface))


def _swap_with_damage(dpy: Any, surface: Any, rects: Any, n_rects: int) -> int:
    found = _current_surface(dpy, surface)
    if n_rects < 0 or (n_rects and not address(rects)):
        raise EglError(e.EGL_BAD_PARAMETER, f"{n_rects} rectangles")
    return _swap(found)


@egl
def eglSwapBuffersWithDamageKHR(dpy: Any, surface: Any, rects: Any, n_rects: int) -> int:
    """The same; what has changed is a hint that saves us nothing."""
    return _swap_with_damage(dpy, surface, rects, n_rects)


@egl
def eglSwapBuffersWithDamageEXT(dpy: Any, surface: Any, rects: Any, n_rects: int) -> int:
    """The older name."""
    return _swap_with_damage(dpy, surface, rects, n_rects)


@egl
def eglGetMscRateANGLE(dpy: Any, surface: Any, numerator: Any, denominator: Any) -> int:
    """How often the surface's window is shown anew a second: the clock that swaps are paced by."""
    found = live_display(dpy).surface(surface)
    if found.kind != WINDOW:
        raise EglError(e.EGL_BAD_SURFACE, "no window")
    if not address(numerator) or not address(denominator):
        raise EglError(e.EGL_BAD_PARAMETER, "a null pointer")
    for out, value in zip((numerator, denominator), found.dri.clock_rate()):
        store(out, value)
    return 1


@egl
def eglPostSubBufferNV(dpy: Any, surface: Any, x: int, y: int, width: int, height: int) -> int:
    """Show a rectangle of the back buffer, counted from the lower left."""
    found = _current_surface(dpy, surface)
    if min(x, y, width, height) < 0:
        raise EglError(e.EGL_BAD_PARAMETER, f"rectangle {x}, {y}, {width}, {height}")
    if found.kind == WINDOW and width and height:
        found.dri.copy_sub_buffer(x, y, width, height)
    return 1


@egl
def eglSwapInterval(dpy: Any, interval: int) -> int:
    """Pace the swaps of the current draw surface."""
    live_display(dpy)
    context = current_context()
    if context is None:
        raise EglError(e.EGL_BAD_CONTEXT, "no context is current")
    if context.draw is None:
        raise EglError(e.EGL_BAD_SURFACE, "nothing is drawn to")
    set_interval(context.draw, interval)
    return 1


@egl
def eglCopyBuffers(dpy: Any, surface: Any, target: int) -> int:
    """Copy the colour buffer to a native pixmap."""
    display = live_display(dpy)
    found = display.surface(surface)
    geometry = display.platform.geometry(target)
    if geometry is None:
        raise EglError(e.EGL_BAD_NATIVE_PIXMAP, f"no pixmap {target:#x}")
    config = found.config
    if geometry.depth != config.depth:
        why = f"the pixmap has depth {geometry.depth}, the surface {config.depth}"
        raise EglError(e.EGL_BAD_MATCH, why)
    assert display.dri is not None
    cpp = config.buffers[True].layout.cpp
    pixmap = display.dri.winsys.window_surface(target, geometry.depth, cpp)
    if pixmap is None:
        raise EglError(e.EGL_BAD_NATIVE_PIXMAP, f"no pixmap {target:#x}")
    try:
        found.dri.copy_to(pixmap)
    finally:
        pixmap.destroy()
    if found.kind == PIXMAP:
        found.dri.flush_front()
    return 1
