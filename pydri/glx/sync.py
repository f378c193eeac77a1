# SPDX-License-Identifier: MIT
"""The display's clock: OML_sync_control and SGI_video_sync without an interrupt of the display.

The refresh is a clock on CLOCK_MONOTONIC (clock.py) at the rate that the display names, or 60 Hz:
MSC is the number of its ticks, UST the time of the last one in microseconds. Every drawable of a
display has the same MSC; SBC counts its own swaps. A swap that waits for an MSC sleeps here and is
done when the call returns, so nothing is ever outstanding. Counterpart of glXGetSyncValuesOML and
its kin in Mesa's src/glx/glxcmds.c and to loader_dri3_helper.c.
"""

from typing import Any

from pydri.api.dispatch import glx_entry
from pydri.dri.base import REFRESH_RATE, BaseDrawable
from pydri.glx import enums as e
from pydri.glx.clock import Rate, msc_now, next_msc, sleep_until, ust_of
from pydri.glx.context import GlxContext
from pydri.glx.current import current_context
from pydri.glx.display import find_display
from pydri.glx.drawable import WINDOW, GlxDrawable
from pydri.glx.events import swap_complete
from pydri.util import clock
from winsys_x11.xlib import address, pointer

_MASK = 0xFFFFFFFF


def _well_formed(target: int, divisor: int, remainder: int) -> bool:
    return target >= 0 and divisor >= 0 and remainder >= 0 and not 0 < divisor <= remainder


def _window(dpy: Any, xid: int) -> GlxDrawable | None:
    """Only what is shown has a refresh: a window that was current."""
    display = find_display(dpy)
    found = display.drawables.get(xid) if display else None
    return found if found is not None and found.dri is not None and found.kind == WINDOW else None


def _rate_of(context: GlxContext) -> Rate:
    """The clock of what a context draws to."""
    return context.dri.draw.clock_rate() if context.dri.draw is not None else REFRESH_RATE


def _wait(dri: BaseDrawable, target: int, divisor: int, remainder: int) -> None:
    rate = dri.clock_rate()
    sleep_until(next_msc(msc_now(rate), target, divisor, remainder), rate)


def _tell(drawable: GlxDrawable, ust: Any, msc: Any, sbc: Any) -> int:
    assert drawable.dri is not None
    rate = drawable.dri.clock_rate()
    now = msc_now(rate)
    for out, value in ((ust, ust_of(now, rate)), (msc, now), (sbc, drawable.dri.native.sbc)):
        if address(out):
            pointer("int64_t *", out)[0] = value
    return 1


@glx_entry
def glXGetSyncValuesOML(dpy: Any, drawable: int, ust: Any, msc: Any, sbc: Any) -> int:
    """Time, refreshes and swaps now; false for what has none."""
    found = _window(dpy, drawable)
    return _tell(found, ust, msc, sbc) if found else 0


@glx_entry
def glXGetMscRateOML(dpy: Any, drawable: int, numerator: Any, denominator: Any) -> int:
    """Refreshes a second, as a fraction."""
    found = _window(dpy, drawable)
    if found is None or found.dri is None:
        return 0
    for out, value in zip((numerator, denominator), found.dri.clock_rate()):
        pointer("int32_t *", out)[0] = value
    return 1


@glx_entry
def glXSwapBuffersMscOML(
    dpy: Any, drawable: int, target_msc: int, divisor: int, remainder: int
) -> int:
    """Swap at a refresh; return the SBC of that swap, -1 if the arguments make no sense."""
    found = _window(dpy, drawable)
    if found is None or found.dri is None or not _well_formed(target_msc, divisor, remainder):
        return -1
    context = current_context()
    current = context.dri if context else None
    native = found.dri.native
    if target_msc or divisor:
        if current is not None:
            current.flush_commands()  # the server gets the frame at the refresh, drawn before
        _wait(found.dri, target_msc, divisor, remainder)
        interval, native.interval = native.interval, 0
        found.dri.swap(current)
        native.interval = interval
    else:
        found.dri.swap(current)  # as glXSwapBuffers, swap interval included
    if found.reported:
        swap_complete(found)
    return int(native.sbc)


@glx_entry
def glXWaitForMscOML(
    dpy: Any, drawable: int, target_msc: int, divisor: int, remainder: int,
    ust: Any, msc: Any, sbc: Any,
) -> int:  # fmt: skip
    """Return at a refresh."""
    found = _window(dpy, drawable)
    if found is None or found.dri is None or not _well_formed(target_msc, divisor, remainder):
        return 0
    _wait(found.dri, target_msc, divisor, remainder)
    return _tell(found, ust, msc, sbc)


@glx_entry
def glXWaitForSbcOML(
    dpy: Any, drawable: int, target_sbc: int, ust: Any, msc: Any, sbc: Any
) -> int:
    """Return when so many swaps are done (0: all that were asked for); another thread may have to
    do them.
    """
    found = _window(dpy, drawable)
    if found is None or target_sbc < 0:
        return 0
    while found.dri is not None and found.dri.native.sbc < target_sbc:
        if found.dri.surface.gone():
            return 0
        clock.sleep(0.001)
    return _tell(found, ust, msc, sbc) if found.dri is not None else 0


@glx_entry
def glXGetVideoSyncSGI(count: Any) -> int:
    """The refresh counter."""
    context = current_context()
    if context is None:
        return e.GLX_BAD_CONTEXT
    pointer("unsigned int *", count)[0] = msc_now(_rate_of(context)) & _MASK
    return 0


@glx_entry
def glXWaitVideoSyncSGI(divisor: int, remainder: int, count: Any) -> int:
    """Return at the next refresh whose number leaves a remainder."""
    if divisor <= 0 or not 0 <= remainder < divisor:
        return e.GLX_BAD_VALUE
    context = current_context()
    if context is None:
        return e.GLX_BAD_CONTEXT
    rate = _rate_of(context)
    sleep_until(next_msc(msc_now(rate), 0, divisor, remainder), rate)
    pointer("unsigned int *", count)[0] = msc_now(rate) & _MASK
    return 0
