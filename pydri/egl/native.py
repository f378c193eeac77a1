# SPDX-License-Identifier: MIT
"""Native forms of the egl calls that a frame makes, swap and make-current, and of the one that a
program makes for each config.

Stage: the exported egl entry points.  In: the calling thread's block (of the shim), which names
what is current and its native Drawable.  Out: the answer, or a jump to the Python form of the same
entry point (pydri.egl.swap, pydri.egl.current), which remains the definition.  A surface can only
be swapped by the thread where it is current, so no table is needed to find it.  Make-current knows
the last few bindings that Python has checked (`remember`); a program that takes turns with a few
windows finds them there.  The list of them is replaced, never edited: a thread that is reading an
old one finds whole entries.
"""

import ctypes
from typing import Any

from pydri.api.dispatch import EGL
from pydri.dri.front import FrontKernels
from pydri.dri.native import Drawable, ThreadBlock
from pydri.dri.native_configs import ConfigTable, NativeConfigs, dri_config_value
from pydri.dri.swap import GL_FLUSH_SLOT, dri_swap
from pydri.dri.switch import dri_switch
from pydri.jit import Struct, fn, i32, kernel, ptr, u32, u64, void
from pydri.main.layout import GLContext


class ContextBlock(Struct):
    """What an EGLContext points to: what kernels know of a context."""

    mark = u64
    gl = ptr(GLContext)
    thread = u64  # address of the block of the thread where it is current, 0: nowhere
    ready = u32  # 1: may be made current and released by a kernel (not destroyed, flushes then)


class Binding(Struct):
    """Arguments of eglMakeCurrent that were found good, and what they mean."""

    display = ptr(void)
    draw = ptr(void)
    read = ptr(void)
    context = ptr(ContextBlock)  # null: the end of the list
    draw_to = ptr(Drawable)  # null: nothing
    read_from = ptr(Drawable)


class EglGlobals(Struct):
    """What the kernels cannot get as arguments, since C fixes their signatures."""

    bindings = ptr(Binding)
    thread = fn(ptr(ThreadBlock))
    swap = fn(u32, ptr(void), ptr(void))
    swap_damage = fn(u32, ptr(void), ptr(void), ptr(i32), i32)
    bind_api = fn(u32, u32)
    swap_interval = fn(u32, ptr(void), i32)
    make_current = fn(u32, ptr(void), ptr(void), ptr(void), ptr(void))
    configs = ptr(ConfigTable)
    config_attrib = fn(u32, ptr(void), ptr(void), i32, ptr(i32))


FRONT = FrontKernels(EGL, EglGlobals)


class _Display(Struct):
    """What an EGLDisplay points to (display.py)."""

    initialized = u64
    alive = ptr(u64)


@kernel(u32, (ptr(void),))
def egl_is_live(b: Any, dpy: Any) -> None:
    """Whether a display that was initialised once still is, and its native display open."""
    display = dpy.cast(ptr(_Display))
    with b.If(display.initialized == 0, likely=False):
        b.Return(0)
    b.Return(b.cast(display.alive[0] != 0, u32))


@kernel(u32, (ptr(EglGlobals), ptr(void), ptr(void)))
def egl_swap(b: Any, g: Any, dpy: Any, surface: Any) -> None:
    """Swap the thread's draw surface on a display that is initialised: 1 if done."""
    t = b.call(g.thread)
    with b.If((t.egl_draw != surface) | (t.egl_display != dpy), likely=False):
        b.Return(0)
    with b.If(b.ptr_to_int(surface) == 0, likely=False):
        b.Return(0)
    with b.If(b.call(egl_is_live, dpy) == 0, likely=False):
        b.Return(0)
    drawable, ctx = t.egl_drawable, t.ctx
    with b.If(b.ptr_to_int(drawable) == 0, likely=False):  # no window: nothing to show
        flush = b.load(ctx.dispatch.cast(ptr(ptr(void))) + GL_FLUSH_SLOT, fn(void, ptr(GLContext)))
        b.call(flush, ctx)
    with b.Else():
        with b.If(b.call(dri_swap, drawable, ctx) == 0, likely=False):
            b.Return(0)
    t.egl_error = 0
    b.Return(1)


@kernel(u32, (ptr(void), ptr(void)))
def eglSwapBuffers(b: Any, dpy: Any, surface: Any) -> None:
    """Show the back buffer of the thread's draw surface; everything else is Python's."""
    g = FRONT.kernel_globals(b)
    with b.If(b.call(egl_swap, g, dpy, surface) != 0, likely=True):
        b.Return(1)
    b.Return(b.call(g.swap, dpy, surface))


def _swap_with_damage(b: Any, dpy: Any, surface: Any, rects: Any, n_rects: Any) -> None:
    """The same; what is damaged is a hint, but a list must be one."""
    g = FRONT.kernel_globals(b)
    fine = (n_rects == 0) | ((n_rects > 0) & (b.ptr_to_int(rects) != 0))
    with b.If(fine, likely=True):
        with b.If(b.call(egl_swap, g, dpy, surface) != 0, likely=True):
            b.Return(1)
    b.Return(b.call(g.swap_damage, dpy, surface, rects, n_rects))


_DAMAGE = (ptr(void), ptr(void), ptr(i32), i32)


@kernel(u32, _DAMAGE)
def eglSwapBuffersWithDamageKHR(b: Any, dpy: Any, surface: Any, rects: Any, n_rects: Any) -> None:
    """EGL_KHR_swap_buffers_with_damage."""
    _swap_with_damage(b, dpy, surface, rects, n_rects)


@kernel(u32, _DAMAGE)
def eglSwapBuffersWithDamageEXT(b: Any, dpy: Any, surface: Any, rects: Any, n_rects: Any) -> None:
    """EGL_EXT_swap_buffers_with_damage."""
    _swap_with_damage(b, dpy, surface, rects, n_rects)


@kernel(u32, (u32,))
def eglBindAPI(b: Any, api: Any) -> None:
    """True at once where that is bound (toolkits say it before they ask what is current);
    everything else is Python's."""
    g = FRONT.kernel_globals(b)
    t = b.call(g.thread)
    with b.If((t.egl_api == api) & (api != 0), likely=True):
        t.egl_error = 0
        b.Return(1)
    b.Return(b.call(g.bind_api, api))


@kernel(u32, (ptr(void), i32))
def eglSwapInterval(b: Any, dpy: Any, interval: Any) -> None:
    """True at once where the thread's window was asked for that last; everything else is
    Python's."""
    g = FRONT.kernel_globals(b)
    t = b.call(g.thread)
    known = (t.egl_display == dpy) & (b.ptr_to_int(dpy) != 0)
    with b.If(known & (b.ptr_to_int(t.egl_drawable) != 0), likely=True):
        with b.If(t.egl_drawable.asked == interval, likely=True):
            with b.If(b.call(egl_is_live, dpy) != 0, likely=True):
                t.egl_error = 0
                b.Return(1)
    b.Return(b.call(g.swap_interval, dpy, interval))


@kernel(u32, (ptr(ThreadBlock), ptr(Binding)), noinline=True)
def egl_switch(b: Any, t: Any, to: Any) -> None:
    """Make a known binding current instead of what is: 1 if done, 0 if it is a case for Python."""
    old, new = t.egl_context.cast(ptr(ContextBlock)), to.context
    with b.If(b.ptr_to_int(old) == 0):
        b.Return(0)
    drawable, none = to.draw_to, b.const(ptr(Drawable), 0)
    window = b.var(ptr(Drawable), none)
    with b.If(b.ptr_to_int(drawable) != 0):
        window.value = b.select(drawable.offscreen != 0, none, drawable)
    with b.If((new.ready == 0) | (old.ready == 0)):
        b.Return(0)
    with b.If(b.ptr_to_int(window.value) != 0):
        with b.If(window.value.through_python != 0):  # one that is gone
            b.Return(0)
    other = b.ptr_to_int(new) != b.ptr_to_int(old)
    with b.If(other), b.If(b.cmpxchg(new.addr("thread"), 0, b.ptr_to_int(t)) != 0):
        b.Return(0)  # current in another thread
    with b.If(b.call(dri_switch, t.ctx, new.gl, drawable, to.read_from) == 0):
        with b.If(other):
            new.thread = 0
        b.Return(0)
    with b.If(other):
        old.thread = 0
    t.ctx, t.egl_context = new.gl, new.cast(ptr(void))
    t.egl_draw, t.egl_read, t.egl_display = to.draw, to.read, to.display
    t.egl_drawable = window.value
    t.egl_error = 0
    b.Return(1)


@kernel(u32, (ptr(void), ptr(void), ptr(void), ptr(void)))
def eglMakeCurrent(b: Any, dpy: Any, draw: Any, read: Any, context: Any) -> None:
    """True at once where nothing changes (many programs do this each frame); between bindings that
    were there before.
    """
    g = FRONT.kernel_globals(b)
    t = b.call(g.thread)
    same = (
        (t.egl_context == context)
        & (t.egl_draw == draw)
        & (t.egl_read == read)
        & (t.egl_display == dpy)
        & (b.ptr_to_int(context) != 0)
    )
    with b.If(same):
        with b.If(b.call(egl_is_live, dpy) != 0, likely=True):
            t.egl_error = 0
            b.Return(1)
    at = b.var(ptr(Binding), g.bindings)
    with b.While(lambda: b.ptr_to_int(at.value.context) != 0):
        known = at.value
        same = (
            (known.context.cast(ptr(void)) == context)
            & (known.draw == draw)
            & (known.read == read)
            & (known.display == dpy)
        )
        with b.If(same):
            with b.If(b.call(egl_is_live, dpy) != 0, likely=True):
                with b.If(b.call(egl_switch, t, known) != 0, likely=True):
                    b.Return(1)
            b.Break()
        at.value = known + 1
    b.Return(b.call(g.make_current, dpy, draw, read, context))


@kernel(u32, (ptr(void), ptr(void), i32, ptr(i32)))
def eglGetConfigAttrib(b: Any, dpy: Any, config: Any, attribute: Any, value: Any) -> None:
    """An attribute of a config that is known; everything else is Python's."""
    g = FRONT.kernel_globals(b)
    display, handle, name = b.ptr_to_int(dpy), b.ptr_to_int(config), b.cast(attribute, u32)
    with b.If(b.call(dri_config_value, g.configs, display, handle, name, value) != 0, likely=True):
        b.call(g.thread).egl_error = 0
        b.Return(1)
    b.Return(b.call(g.config_attrib, dpy, config, attribute, value))


CONFIGS = NativeConfigs(FRONT.publish_configs)
_MAX_BINDINGS = 16
_KEEP = 16  # lists that are replaced stay allocated for a while: nobody knows who still reads them
_bindings: list[tuple[int, ...]] = []
_published: list[Any] = []


def _publish() -> None:
    table = (Binding.ctype() * (_MAX_BINDINGS + 1))()
    for entry, row in zip(table, _bindings):
        (
            entry.display, entry.draw, entry.read, entry.context,
            entry.draw_to, entry.read_from,
        ) = row  # fmt: skip
    _published.append(table)
    FRONT.globals.bindings = ctypes.addressof(table)
    del _published[:-_KEEP]


def remember(*row: int) -> None:
    """From now on kernels may make this binding current: display, draw, read, context, and the
    addresses of the two native Drawables.
    """
    if row not in _bindings:
        _bindings.insert(0, row)
        del _bindings[_MAX_BINDINGS:]
        _publish()


def forget(handle: int) -> None:
    """A surface or context ends: no kernel makes it current any more."""
    kept = [row for row in _bindings if handle not in row[1:4]]
    if len(kept) != len(_bindings):
        _bindings[:] = kept
        _publish()


FRONT.define(
    [
        eglBindAPI, eglSwapBuffers, eglSwapBuffersWithDamageKHR, eglSwapBuffersWithDamageEXT,
        eglSwapInterval, eglMakeCurrent, eglGetConfigAttrib,
    ],
    {
        "bind_api": "eglBindAPI",
        "config_attrib": "eglGetConfigAttrib",
        "swap": "eglSwapBuffers",
        "swap_damage": "eglSwapBuffersWithDamageKHR",
        "swap_interval": "eglSwapInterval",
        "make_current": "eglMakeCurrent",
    },
    _publish,
)
