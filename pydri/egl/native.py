# SPDX-License-Identifier: MIT
"""Native forms of the egl calls that a frame makes: swap, and make-current of what is current.

Stage: the exported egl entry points.  In: the calling thread's block (of the shim), which names
what is current and its native Drawable.  Out: the answer, or a jump to the Python form of the same
entry point (pydri.egl.swap, pydri.egl.current), which remains the definition.  A surface can only
be swapped by the thread where it is current, so no table is needed to find it.  Also the function
that Xlib calls when a Display is closed.
"""

import ctypes
from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import EGL
from pydri.dri.native import Drawable
from pydri.dri.swap import GL_FLUSH_SLOT, dri_swap
from pydri.dri.swap import register as register_swap
from pydri.jit import Module, Struct, extern_c, fn, i32, kernel, ptr, u32, u64, void
from pydri.jit.image import register_extern
from pydri.main.layout import GLContext
from winsys_x11.xlib import ffi, libs

_TOKEN = 0x7079656C  # "pyel": the number of our entry in a display's extension data


class ThreadBlock(Struct):
    """struct pydri_thread of libgl_shim/shim.h."""

    ctx = ptr(GLContext)
    glx_context = ptr(void)
    draw = u64
    read = u64
    dpy = ptr(void)
    egl_context = ptr(void)
    egl_draw = ptr(void)
    egl_read = ptr(void)
    egl_display = ptr(void)
    egl_drawable = ptr(Drawable)
    egl_api = u32
    egl_error = i32


class EglGlobals(Struct):
    """What the kernels cannot get as arguments, since C fixes their signatures."""

    thread = fn(ptr(ThreadBlock))
    swap = fn(u32, ptr(void), ptr(void))
    swap_damage = fn(u32, ptr(void), ptr(void), ptr(i32), i32)
    make_current = fn(u32, ptr(void), ptr(void), ptr(void), ptr(void))


class _ExtData(Struct):
    """XExtData of Xlib.h."""

    number = i32
    next = ptr(void)
    free_private = ptr(void)
    private_data = ptr(u64)


globals_extern = extern_c("pydri_egl_globals", void)


def _globals(b: Any) -> Any:
    return b.int_to_ptr(b.ptr_to_int(b.address_of(globals_extern)), EglGlobals)


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
    g = _globals(b)
    with b.If(b.call(egl_swap, g, dpy, surface) != 0, likely=True):
        b.Return(1)
    b.Return(b.call(g.swap, dpy, surface))


def _swap_with_damage(b: Any, dpy: Any, surface: Any, rects: Any, n_rects: Any) -> None:
    """The same; what is damaged is a hint, but a list must be one."""
    g = _globals(b)
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


@kernel(u32, (ptr(void), ptr(void), ptr(void), ptr(void)))
def eglMakeCurrent(b: Any, dpy: Any, draw: Any, read: Any, context: Any) -> None:
    """True at once where nothing changes (many programs do this each frame)."""
    g = _globals(b)
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
    b.Return(b.call(g.make_current, dpy, draw, read, context))


@kernel(i32, (ptr(_ExtData),))
def egl_display_closed(b: Any, entry: Any) -> None:
    """XExtData.free_private: note that the Display is no more."""
    entry.private_data[0] = 0
    b.Return(0)


_KERNELS = [
    eglSwapBuffers,
    eglSwapBuffersWithDamageKHR,
    eglSwapBuffersWithDamageEXT,
    eglMakeCurrent,
]
MODULE = Module("pydri.egl", [*_KERNELS, egl_display_closed])

_block = ctypes.create_string_buffer(EglGlobals.size + 64)
GLOBALS: Any = EglGlobals.view(ctypes.addressof(_block))
_image: list[Any] = []


def image() -> Any:
    """Return the compiled kernels."""
    if not _image:
        register_extern("pydri_egl_globals", ctypes.addressof(GLOBALS))
        register_swap()
        _image.append(MODULE.compile())
    return _image[0]


def install() -> None:
    """Put the kernels into the shim's table; once."""
    if GLOBALS.thread or dispatch.shim is None:
        return
    GLOBALS.swap = dispatch.python_form(EGL, "eglSwapBuffers")
    GLOBALS.swap_damage = dispatch.python_form(EGL, "eglSwapBuffersWithDamageKHR")
    GLOBALS.make_current = dispatch.python_form(EGL, "eglMakeCurrent")
    GLOBALS.thread = int(dispatch.ffi.cast("uintptr_t", dispatch.shim.thread))
    for native in _KERNELS:
        dispatch.set_egl_native(native.name, image().address(native.name))


_watched: list[Any] = []  # what Xlib still knows the address of


def watch_display(display: Any) -> Any:
    """Return memory (uint64_t *) that is not 0 until Xlib closes the Display."""
    heads = libs().x11.XEHeadOfExtensionList(display)
    entry = libs().x11.XFindOnExtensionList(heads, _TOKEN)
    if entry != ffi.NULL:
        return ffi.cast("uint64_t *", entry.private_data)
    libc = libs().c
    entry = ffi.cast("XExtData *", libc.calloc(1, ffi.sizeof("XExtData")))
    alive = ffi.new("uint64_t *", 1)
    _watched.append(alive)
    entry.number = _TOKEN
    entry.private_data = alive
    closed = image().address("egl_display_closed")
    entry.free_private = ffi.cast("int (*)(XExtData *)", closed)
    libs().x11.XAddToExtensionList(heads, entry)
    return alive
