# SPDX-License-Identifier: MIT
"""Make-current, the bound API, and what ends with a thread.

In: a context and the surfaces to draw to and read from.  Out: the calling thread's block (which
stubs, kernels and eglGetCurrent* read) and the bindings of DRI.  The native form in native.py
answers what changes nothing.  EGL 1.5 section 3.7.3 and 3.12; Mesa: src/egl/main/eglcurrent.c.
"""

from typing import Any

from pydri.api import dispatch
from pydri.api import egl_enums as e
from pydri.dri.current import leave_others, register_front
from pydri.dri.request import offered_es
from pydri.egl import native
from pydri.egl.context import EglContext
from pydri.egl.display import EglDisplay, find_display, live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.registry import current_context
from pydri.egl.surface import PIXMAP, WINDOW, EglSurface
from winsys_x11.xlib import address


def _me() -> int:
    return int(dispatch.ffi.cast("uintptr_t", dispatch.thread()))


def _leave() -> None:
    """Nothing of EGL is current in this thread any more; what was doomed ends here."""
    context = current_context()
    if context is None:
        return
    context.display.check_alive()
    left = context.draw, context.read
    context.dri.unbind()
    dispatch.make_current_egl(0, 0, 0, 0, 0, 0)
    context.thread = 0
    _let_go(left)
    if context.doomed:
        context.destroy()


def _let_go(surfaces: tuple[EglSurface | None, ...]) -> None:
    """Free those that were destroyed while they were current, if they no longer are."""
    for surface in {*surfaces}:
        if surface is not None and surface.doomed and not surface.threads():
            surface.free()


register_front("egl", _leave)


def _find(
    display: EglDisplay, draw: int, read: int, ctx: int
) -> tuple[EglSurface | None, EglSurface | None, EglContext]:
    """Check the arguments in the order of the specification."""
    context = display.context(ctx)
    draw_to = display.surface(draw) if draw else None
    read_from = display.surface(read) if read else None
    if (draw_to is None) != (read_from is None):
        raise EglError(e.EGL_BAD_MATCH, "only one of two surfaces")
    me = _me()
    if context.thread not in (0, me):
        raise EglError(e.EGL_BAD_ACCESS, "the context is current in another thread")
    for surface in (draw_to, read_from):
        if surface is None:
            continue
        if set(surface.threads()) - {me}:
            raise EglError(e.EGL_BAD_ACCESS, "a surface is current in another thread")
        if context.config is not None and not context.config.fits(surface.config):
            raise EglError(e.EGL_BAD_MATCH, f"{surface.config!r} for a {context.config!r} context")
    return draw_to, read_from, context


def _bind(
    draw: EglSurface | None, read: EglSurface | None, context: EglContext, display: EglDisplay
) -> None:
    for surface in (draw, read):
        if (
            surface is not None
            and surface.kind == WINDOW
            and surface.dri.surface.geometry() is None
        ):
            raise EglError(e.EGL_BAD_NATIVE_WINDOW, "the window was destroyed")
    old = current_context()
    if old is not context:
        leave_others("egl")
        _leave()
    left = context.draw, context.read
    context.dri.bind(draw.dri if draw else None, read.dri if read else None)
    context.thread = _me()
    _let_go(left)
    drawable = draw.dri.address if draw is not None and draw.kind == WINDOW else 0
    dispatch.make_current_egl(
        context.dri.address, context.handle, draw.handle if draw else 0,
        read.handle if read else 0, display.handle, drawable,
    )  # fmt: skip
    if draw is None or read is None:
        native.remember(display.handle, 0, 0, context.handle, 0, 0)
    elif PIXMAP not in (draw.kind, read.kind):
        native.remember(
            display.handle, draw.handle, read.handle, context.handle,
            draw.dri.address, read.dri.address,
        )  # fmt: skip


@egl
def eglMakeCurrent(dpy: Any, draw: Any, read: Any, ctx: Any) -> int:
    """Draw to and read from surfaces, or nothing at all."""
    surfaces = address(draw), address(read)
    if not address(ctx):
        if not any(surfaces):  # may be said of a display that is terminated
            find_display(dpy)
            _leave()
            return 1
        display = live_display(dpy)
        for handle in surfaces:
            if handle:
                display.surface(handle)
        raise EglError(e.EGL_BAD_MATCH, "surfaces without a context")
    display = live_display(dpy)
    draw_to, read_from, context = _find(display, *surfaces, address(ctx))
    _bind(draw_to, read_from, context, display)
    return 1


@egl
def eglBindAPI(api: int) -> int:
    """OpenGL or OpenGL ES, whose contexts take each other's place (EGL 1.5, 3.7.3)."""
    offered = api == e.EGL_OPENGL_API or (api == e.EGL_OPENGL_ES_API and offered_es(None))
    if not offered:
        raise EglError(e.EGL_BAD_PARAMETER, f"{e.name_of(api)} is not offered")
    dispatch.thread().egl_api = api
    return 1


@egl
def eglReleaseThread() -> int:
    """As if the thread had never called EGL."""
    _leave()
    dispatch.thread().egl_api = 0
    return 1


def _waited() -> EglContext | None:
    """The context whose commands are to be waited for; EGL_BAD_CURRENT_SURFACE."""
    context = current_context()
    if context is not None and context.draw is not None and context.draw.gone:
        raise EglError(e.EGL_BAD_CURRENT_SURFACE, "the window was destroyed")
    return context


def _wait_client() -> int:
    context = _waited()
    if context is not None:
        context.dri.flush()
        if context.dri.draw is not None:
            context.dri.draw.flush_front()
    return 1


@egl
def eglWaitClient() -> int:
    """What GL has drawn is in the surface before the program's next native request."""
    return _wait_client()


@egl
def eglWaitGL() -> int:
    """The same."""
    return _wait_client()


@egl
def eglWaitNative(engine: int) -> int:
    """What the window system has drawn is there before the next GL command."""
    if engine != e.EGL_CORE_NATIVE_ENGINE:
        raise EglError(e.EGL_BAD_PARAMETER, f"engine {e.name_of(engine)}")
    context = _waited()
    if context is not None and context.display.platform.alive():
        context.display.platform.wait()
    return 1
