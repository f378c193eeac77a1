# SPDX-License-Identifier: MIT
"""Swaps, swap intervals, and waiting: the Python form of what ends a frame.

In: a drawable's XID.  Out: the frame in its window.  The usual case never comes here (native.py);
what does is a swap without a current context, of a single-buffered drawable, under LIBGL_SHOW_FPS,
or the first one. Counterpart of glXSwapBuffers, glXSwapInterval*, glXWaitGL/X in Mesa's
src/glx/glxcmds.c.
"""

from typing import Any

from pydri.api.dispatch import glx_entry
from pydri.dri.base import allowed_interval
from pydri.glx import enums as e
from pydri.glx.current import current_context
from pydri.glx.display import find_display
from pydri.glx.drawable import MAX_SWAP_INTERVAL, PIXMAP, GlxDrawable
from pydri.glx.events import swap_complete
from winsys_x11.xlib import libs


def _drawable(dpy: Any, xid: int, minor: int) -> GlxDrawable | None:
    """Return a drawable with buffers.  An X drawable that never was current has nothing to show."""
    display = find_display(dpy)
    if display is None:
        return None
    found = display.drawables.get(xid)
    if found is None and display.connection.geometry(xid) is None:
        display.error(e.GLXBadDrawable, xid, minor)
    return found


@glx_entry
def glXSwapBuffers(dpy: Any, drawable: int) -> None:
    """Show the back buffer."""
    found = _drawable(dpy, drawable, e.X_GLXSwapBuffers)
    if found is not None and found.dri is not None:
        context = current_context()
        if found.kind == PIXMAP:  # GLX 1.4, 3.3.10: nothing but the flush
            if context is not None and context.dri.draw is found.dri:
                context.dri.flush_commands()
            return
        found.dri.swap(context.dri if context else None)
        if found.reported:
            swap_complete(found)


@glx_entry
def glXCopySubBufferMESA(dpy: Any, drawable: int, x: int, y: int, width: int, height: int) -> None:
    """Show a rectangle of the back buffer."""
    found = _drawable(dpy, drawable, e.X_GLXVendorPrivate)
    if found is not None and found.dri is not None and width > 0 and height > 0:
        found.dri.copy_sub_buffer(x, y, width, height)


@glx_entry
def glXWaitGL() -> None:
    """What GL has drawn is in the drawable before the program's next X request."""
    context = current_context()
    if context is not None:
        context.dri.flush()
        if context.dri.draw is not None:
            context.dri.draw.flush_front()


@glx_entry
def glXWaitX() -> None:
    """What X has drawn is there before the next GL command."""
    context = current_context()
    if context is not None:
        libs().x11.XSync(context.display.connection.display, 0)


def _current_drawable() -> GlxDrawable | None:
    context = current_context()
    if context is None or context.dri.draw is None:
        return None
    return context.display.drawables.get(context.dri.draw.xid)


@glx_entry
def glXSwapIntervalSGI(interval: int) -> int:
    """GLX_SGI_swap_control: zero is not an interval."""
    drawable = _current_drawable()
    if drawable is None:
        return e.GLX_BAD_CONTEXT
    if interval <= 0 or allowed_interval(interval) != interval:
        return e.GLX_BAD_VALUE
    drawable.set_interval(min(interval, MAX_SWAP_INTERVAL))
    return 0


@glx_entry
def glXSwapIntervalMESA(interval: int) -> int:
    """GLX_MESA_swap_control: zero means as fast as it goes."""
    drawable = _current_drawable()
    if drawable is None:
        return e.GLX_BAD_CONTEXT
    if interval >> 31 or allowed_interval(interval) != interval:
        return e.GLX_BAD_VALUE
    drawable.set_interval(min(interval, MAX_SWAP_INTERVAL))
    return 0


@glx_entry
def glXGetSwapIntervalMESA() -> int:
    """What was set."""
    drawable = _current_drawable()
    return drawable.interval if drawable else 0
