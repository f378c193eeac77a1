# SPDX-License-Identifier: MIT
"""Native forms of the glX calls that a frame makes: swap, make-current, getters; and of those that
a program makes for each config.

Stage: the exported glX entry points.  In: the calling thread's block (of the shim) and a small hash
table from (display, XID) to the native drawable.  Out: the answer, or a jump to the Python form of
the same entry point (pydri.glx.swap, pydri.glx.current), which remains the definition.

The table is replaced, never edited in place: a thread that is reading an old one finds old but
whole entries.  Old tables stay allocated for a while (`_RETIRED`), since nobody knows who still
reads them.
"""

import ctypes
import threading
from typing import Any

from pydri.api.dispatch import GLX
from pydri.dri.front import FrontKernels
from pydri.dri.native import Drawable, ThreadBlock
from pydri.dri.native_configs import ConfigTable, NativeConfigs, dri_config_value
from pydri.dri.swap import dri_swap
from pydri.dri.switch import dri_switch
from pydri.jit import Struct, fn, i32, kernel, ptr, u32, u64, void
from pydri.main.layout import GLContext

SLOTS = 1024  # drawables that swap natively; more than that go through Python
_HASH = 0x9E3779B97F4A7C15
_KEEP_TABLES = 16


class SwapEntry(Struct):
    """One drawable, or (display 0, xid its handle) one context; null: free, and the end of a
    chain.
    """

    display = u64
    xid = u64
    drawable = ptr(Drawable)  # or ptr(ContextBlock)


class ContextBlock(Struct):
    """What a GLXContext points to: what kernels know of a context."""

    mark = u64
    xid = u64
    gl = ptr(GLContext)
    thread = u64  # address of the block of the thread where it is current, 0: nowhere
    display = u64
    screen = u64  # as in Drawable
    # 1: may be made current and released by a kernel: it was current before (so it has a viewport),
    # flushes when released, and was not destroyed
    ready = u32


class GlxGlobals(Struct):
    """What the kernels cannot get as arguments, since C fixes their signatures."""

    thread = fn(ptr(ThreadBlock))
    swap = fn(void, ptr(void), u64)
    make_current = fn(i32, ptr(void), u64, ptr(void))
    make_context_current = fn(i32, ptr(void), u64, u64, ptr(void))
    table = ptr(SwapEntry)
    configs = ptr(ConfigTable)
    swap_interval = fn(void, ptr(void), u64, i32)
    get_config = fn(i32, ptr(void), ptr(void), i32, ptr(i32))
    fbconfig_attrib = fn(i32, ptr(void), ptr(void), i32, ptr(i32))


FRONT = FrontKernels(GLX, GlxGlobals)


def _thread(b: Any, g: Any) -> Any:
    return b.call(g.thread)


@kernel(ptr(Drawable), (ptr(SwapEntry), u64, u64))
def glx_find(b: Any, table: Any, display: Any, xid: Any) -> None:
    """The entry of the table under (display, XID); null if there is none."""
    place = b.var(u64, _hash(b, display, xid))
    with b.Loop():
        entry = table + place.value
        drawable = entry.drawable
        missing = b.ptr_to_int(drawable) == 0
        with b.If(missing | ((entry.xid == xid) & (entry.display == display))):
            b.Return(drawable)
        place.value = (place.value + 1) & (SLOTS - 1)
    b.Return(b.const(ptr(Drawable), 0))


@kernel(void, (ptr(void), u64))
def glXSwapBuffers(b: Any, dpy: Any, xid: Any) -> None:
    """Swap a known drawable of the thread's context; everything else is Python's."""
    g = FRONT.kernel_globals(b)
    drawable = b.call(glx_find, g.table, b.ptr_to_int(dpy), xid)
    with b.If(b.ptr_to_int(drawable) != 0, likely=True):
        with b.If(b.call(dri_swap, drawable, _thread(b, g).ctx) != 0, likely=True):
            b.Return()
    b.call(g.swap, dpy, xid)


@kernel(void, (ptr(void), u64, i32))
def glXSwapIntervalEXT(b: Any, dpy: Any, xid: Any, interval: Any) -> None:
    """Nothing where a known drawable was asked for that last (toolkits say it before each frame);
    everything else is Python's."""
    g = FRONT.kernel_globals(b)
    display = b.ptr_to_int(dpy)  # under 0 there are contexts
    drawable = b.call(glx_find, g.table, display, xid)
    with b.If((display != 0) & (b.ptr_to_int(drawable) != 0), likely=True):
        with b.If(drawable.asked == interval, likely=True):
            b.Return()
    b.call(g.swap_interval, dpy, xid, interval)


@kernel(u32, (ptr(ThreadBlock), ptr(SwapEntry), ptr(void), u64, u64, ptr(void)), noinline=True)
def glx_switch(b: Any, t: Any, table: Any, dpy: Any, draw: Any, read: Any, context: Any) -> None:
    """Make known drawables current with a context that was current before: 1 if done, 0 if it is a
    case for Python.
    """
    display, handle = b.ptr_to_int(dpy), b.ptr_to_int(context)
    old = t.glx_context.cast(ptr(ContextBlock))
    with b.If((b.ptr_to_int(old) == 0) | (handle == 0)):
        b.Return(0)
    new = b.call(glx_find, table, 0, handle).cast(ptr(ContextBlock))
    to = b.call(glx_find, table, display, draw)
    source = b.call(glx_find, table, display, read)
    known = (b.ptr_to_int(new) != 0) & (b.ptr_to_int(to) != 0) & (b.ptr_to_int(source) != 0)
    with b.If(~known):
        b.Return(0)
    fits = (new.display == display) & (to.screen == new.screen) & (source.screen == new.screen)
    with b.If(~fits | (new.ready == 0) | (old.ready == 0)):
        b.Return(0)
    me = b.ptr_to_int(t)
    other = b.ptr_to_int(new) != b.ptr_to_int(old)
    with b.If(other), b.If(b.cmpxchg(new.addr("thread"), 0, me) != 0):
        b.Return(0)  # current in another thread
    with b.If(b.call(dri_switch, t.ctx, new.gl, to, source) == 0):
        with b.If(other):
            new.thread = 0
        b.Return(0)
    with b.If(other):
        old.thread = 0
    t.ctx, t.glx_context, t.dpy = new.gl, context, dpy
    t.draw, t.read = draw, read
    b.Return(1)


def _hash(b: Any, display: Any, xid: Any) -> Any:
    return ((display ^ xid) * _HASH) >> 54


def _python_hash(display: int, xid: int) -> int:
    return (((display ^ xid) * _HASH) & 0xFFFFFFFFFFFFFFFF) >> 54


def _is_current(b: Any, t: Any, dpy: Any, draw: Any, read: Any, context: Any) -> Any:
    return (
        (t.glx_context == context)
        & (t.draw == draw)
        & (t.read == read)
        & (t.dpy == dpy)
        & (b.ptr_to_int(context) != 0)
    )


@kernel(i32, (ptr(void), u64, ptr(void)))
def glXMakeCurrent(b: Any, dpy: Any, drawable: Any, context: Any) -> None:
    """True at once where nothing changes (many programs do this each frame)."""
    g = FRONT.kernel_globals(b)
    t = _thread(b, g)
    with b.If(_is_current(b, t, dpy, drawable, drawable, context)):
        b.Return(1)
    with b.If(b.call(glx_switch, t, g.table, dpy, drawable, drawable, context) != 0):
        b.Return(1)
    b.Return(b.call(g.make_current, dpy, drawable, context))


@kernel(i32, (ptr(void), u64, u64, ptr(void)))
def glXMakeContextCurrent(b: Any, dpy: Any, draw: Any, read: Any, context: Any) -> None:
    """As glXMakeCurrent, with a drawable of its own to read from."""
    g = FRONT.kernel_globals(b)
    t = _thread(b, g)
    with b.If(_is_current(b, t, dpy, draw, read, context)):
        b.Return(1)
    with b.If(b.call(glx_switch, t, g.table, dpy, draw, read, context) != 0):
        b.Return(1)
    b.Return(b.call(g.make_context_current, dpy, draw, read, context))


@kernel(ptr(void), ())
def glXGetCurrentContext(b: Any) -> None:
    """The calling thread's context."""
    b.Return(_thread(b, FRONT.kernel_globals(b)).glx_context)


@kernel(ptr(void), ())
def glXGetCurrentDisplay(b: Any) -> None:
    """The display of the calling thread's context."""
    b.Return(_thread(b, FRONT.kernel_globals(b)).dpy)


@kernel(u64, ())
def glXGetCurrentDrawable(b: Any) -> None:
    """What the calling thread draws to."""
    b.Return(_thread(b, FRONT.kernel_globals(b)).draw)


@kernel(u64, ())
def glXGetCurrentReadDrawable(b: Any) -> None:
    """What the calling thread reads from."""
    b.Return(_thread(b, FRONT.kernel_globals(b)).read)


class _VisualInfo(Struct):
    """What an XVisualInfo begins with."""

    visual = u64
    id = u64
    screen = u32


def visual_key(visual_id: int, screen: int) -> int:
    """What `CONFIGS` has the config under that a visual stands for."""
    return visual_id | screen << 32


_OF_A_CONFIG = (ptr(void), ptr(void), i32, ptr(i32))


@kernel(i32, _OF_A_CONFIG)
def glXGetFBConfigAttrib(b: Any, dpy: Any, config: Any, attribute: Any, value: Any) -> None:
    """An attribute of a config that is known; everything else is Python's."""
    g = FRONT.kernel_globals(b)
    handle, name = b.ptr_to_int(config), b.cast(attribute, u32)
    done = b.call(dri_config_value, g.configs, b.const(u64, 0), handle, name, value)
    with b.If(done != 0, likely=True):
        b.Return(0)
    b.Return(b.call(g.fbconfig_attrib, dpy, config, attribute, value))


@kernel(i32, _OF_A_CONFIG)
def glXGetConfig(b: Any, dpy: Any, visual: Any, attribute: Any, value: Any) -> None:
    """The same of the config that a visual stands for."""
    g = FRONT.kernel_globals(b)
    with b.If(b.ptr_to_int(visual) != 0):
        info = visual.cast(ptr(_VisualInfo))
        key = info.id | (b.cast(info.screen, u64) << 32)
        name, display = b.cast(attribute, u32), b.ptr_to_int(dpy)
        with b.If(b.call(dri_config_value, g.configs, display, key, name, value) != 0):
            b.Return(0)
    b.Return(b.call(g.get_config, dpy, visual, attribute, value))


CONFIGS = NativeConfigs(FRONT.publish_configs)
_RETIRED: list[Any] = []
_known: dict[tuple[int, int], int] = {}
_lock = threading.RLock()  # of _known and the table in use: threads make and end drawables


def publish() -> None:
    """Make a new table of what is in `_known` and let the kernels see it."""
    with _lock:
        table = (SwapEntry.ctype() * SLOTS)()
        for n, ((display, xid), drawable) in enumerate(list(_known.items())):
            if n >= SLOTS // 2:
                break  # the rest goes through Python; chains stay short
            place = _python_hash(display, xid)
            while table[place].drawable:
                place = (place + 1) % SLOTS
            table[place].display, table[place].xid = display, xid
            table[place].drawable = drawable
        _RETIRED.append(table)
        FRONT.globals.table = ctypes.addressof(table)
        del _RETIRED[:-_KEEP_TABLES]


def add_drawable(display: int, xid: int, drawable: int) -> None:
    """From now on (display, xid) swaps natively."""
    with _lock:
        if _known.get((display, xid)) != drawable:
            _known[display, xid] = drawable
            publish()


def remove_drawable(display: int, xid: int) -> None:
    """(display, xid) is unknown to the kernels again."""
    with _lock:
        if _known.pop((display, xid), None) is not None:
            publish()


def add_context(handle: int) -> None:
    """From now on the context with this handle, the address of its block, is known to kernels."""
    add_drawable(0, handle, handle)


def remove_context(handle: int) -> None:
    """The handle means nothing any more."""
    remove_drawable(0, handle)


FRONT.define(
    [
        glXSwapBuffers,
        glXSwapIntervalEXT,
        glXMakeCurrent,
        glXMakeContextCurrent,
        glXGetCurrentContext,
        glXGetCurrentDisplay,
        glXGetCurrentDrawable,
        glXGetCurrentReadDrawable,
        glXGetFBConfigAttrib,
        glXGetConfig,
    ],
    {
        "get_config": "glXGetConfig",
        "fbconfig_attrib": "glXGetFBConfigAttrib",
        "swap": "glXSwapBuffers",
        "swap_interval": "glXSwapIntervalEXT",
        "make_current": "glXMakeCurrent",
        "make_context_current": "glXMakeContextCurrent",
    },
    publish,
)
