# SPDX-License-Identifier: MIT
"""GLX_INTEL_swap_event: a GLXBufferSwapComplete event after each swap, for those who ask for it.

In: glXSelectEvent's mask and the swaps of a drawable. Out: events in the program's X queue. The
event is sent through the server (SendEvent to the window), so that a program which sleeps on its
connection wakes up and events keep their order; Xlib learns from us how to read it. It names the X
window, as Mesa's does. That needs the event code of the server's GLX extension: without one the
extension is not named. Events of pbuffers (nothing is ever clobbered here) and of drawables without
a window are never sent. Counterpart of __glXWireToEvent in Mesa's src/glx/glxext.c.
"""

import ctypes
import struct
import weakref
from typing import Any

from pydri.api.dispatch import glx_entry
from pydri.glx import enums as e
from pydri.glx.clock import msc_now, ust_of
from pydri.glx.display import GlxDisplay
from pydri.glx.drawable import WINDOW, GlxDrawable, known_drawable
from winsys_x11.xlib import pointer

GLX_BUFFER_SWAP_COMPLETE = 1  # after the extension's first event
_X_SEND_EVENT = 25
_SENT = 0x80  # of the type of an event that a client has sent
_WIRE = struct.Struct("<BxHHxxIIIIII")  # xGLXBufferSwapComplete2


class _SwapComplete(ctypes.Structure):
    """GLXBufferSwapComplete of glxext.h."""

    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p), ("drawable", ctypes.c_ulong), ("event_type", ctypes.c_int),
        ("ust", ctypes.c_int64), ("msc", ctypes.c_int64), ("sbc", ctypes.c_int64),
    ]  # fmt: skip


_READER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_told: "weakref.WeakSet[GlxDisplay]" = weakref.WeakSet()


def _x11() -> Any:
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XESetWireToEvent.argtypes = [ctypes.c_void_p, ctypes.c_int, _READER]
    x11._XSetLastRequestRead.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    x11._XSetLastRequestRead.restype = ctypes.c_ulong
    return x11


def _read(display: int, event: int, wire: int) -> int:
    """Xlib asks what the 32 bytes mean: fill in the event, 1: the program gets it."""
    data = ctypes.string_at(wire, _WIRE.size)
    type_, _, kind, drawable, ust_high, ust, msc_high, msc, sbc = _WIRE.unpack(data)
    out = _SwapComplete.from_address(event)
    out.type, out.send_event = type_ & ~_SENT, int(bool(type_ & _SENT))
    out.serial = _x11()._XSetLastRequestRead(display, wire)
    out.display, out.drawable, out.event_type = display, drawable, kind
    out.ust, out.msc, out.sbc = ust_high << 32 | ust, msc_high << 32 | msc, sbc
    return 1


_reader = _READER(_read)


def supported(display: GlxDisplay) -> bool:
    """Whether the server has a code for the event."""
    return display.extension is not None


def select(drawable: GlxDrawable, mask: int) -> None:
    """glXSelectEvent: from now on swaps are reported, or not."""
    display = drawable.display
    swaps = mask & e.GLX_BUFFER_SWAP_COMPLETE_INTEL_MASK
    drawable.event_mask = mask & e.GLX_PBUFFER_CLOBBER_MASK | swaps
    wanted = bool(swaps) and drawable.kind == WINDOW
    if wanted and supported(display) and display not in _told:
        assert display.extension is not None
        code = display.extension[1] + GLX_BUFFER_SWAP_COMPLETE
        _x11().XESetWireToEvent(display.address, code, _reader)
        _told.add(display)
    drawable.set_reported(wanted and supported(display))


def swap_complete(drawable: GlxDrawable) -> None:
    """A swap of a drawable is done: report it if that was asked for."""
    if not drawable.reported or drawable.dri is None or drawable.display.extension is None:
        return
    native, connection = drawable.dri.native, drawable.display.connection
    rate = drawable.dri.clock_rate()
    msc = msc_now(rate)
    ust, sbc = ust_of(msc, rate), native.sbc & 0xFFFFFFFF
    copied = native.swap_copy or not native.double_buffer
    kind = e.GLX_COPY_COMPLETE_INTEL if copied else e.GLX_EXCHANGE_COMPLETE_INTEL
    event = _WIRE.pack(
        drawable.display.extension[1] + GLX_BUFFER_SWAP_COMPLETE, 0, kind, drawable.x_drawable,
        ust >> 32, ust & 0xFFFFFFFF, msc >> 32, msc & 0xFFFFFFFF, sbc,
    )  # fmt: skip
    request = struct.pack("<BBHII", _X_SEND_EVENT, 0, 11, drawable.x_drawable, 0) + event
    connection.discard(connection.send(request, reply=False))
    connection.flush()


@glx_entry
def glXSelectEvent(dpy: Any, draw: int, event_mask: int) -> None:
    """Which events the program wants: pbuffers never lose their contents, swaps are told."""
    drawable = known_drawable(dpy, draw, e.X_GLXChangeDrawableAttributes)
    if drawable is not None:
        select(drawable, event_mask)


@glx_entry
def glXGetSelectedEvent(dpy: Any, draw: int, event_mask: Any) -> None:
    """What glXSelectEvent has set."""
    drawable = known_drawable(dpy, draw, e.X_GLXGetDrawableAttributes)
    if drawable is not None:
        pointer("unsigned long *", event_mask)[0] = drawable.event_mask


@glx_entry
def glXSelectEventSGIX(dpy: Any, drawable: int, mask: int) -> None:
    """The name of GLX_SGIX_pbuffer."""
    glXSelectEvent(dpy, drawable, mask)


@glx_entry
def glXGetSelectedEventSGIX(dpy: Any, drawable: int, mask: Any) -> None:
    """The name of GLX_SGIX_pbuffer."""
    glXGetSelectedEvent(dpy, drawable, mask)
