# SPDX-License-Identifier: MIT
"""The native side of a drawable: what the swap kernel, the state tracker and a driver read.

Declared once; Python sees it through `Drawable.view(address)`.  The Surfaces are embedded, so their
addresses are stable for the life of the drawable while their `data` pointers change at each swap.
Counterpart of Mesa's dri_drawable and pipe_frontend_drawable.
"""

from pydri.jit.types import Struct, fn, i32, nested, ptr, u8, u32, u64, void
from pydri.main.layout import GLContext
from pydri.pipe.native import Surface


class Drawable(Struct, align=64):
    """A window, pixmap or pbuffer that GL draws to."""

    back = nested(Surface)  # double-buffered drawables draw here
    front = nested(Surface)  # what was presented last; single-buffered drawables draw here
    zs = nested(Surface)  # depth and stencil
    # with several samples a pixel: what is drawn to in the place of back and front
    back_multi = nested(Surface)
    front_multi = nested(Surface)
    accum = nested(Surface)  # the accumulation buffer; has memory from the first use on
    stamp = u32  # bumped when size or memory changed, or may have: the next draw goes up to Python
    buffers_stamp = u32  # the `stamp` for which the buffers were made
    width = u32
    height = u32
    double_buffer = u32
    has_zs = u32
    has_accum = u32
    current = u32  # which of the two targets is the back buffer
    frames = u32  # presents since the buffers were made: their age
    interval = u32  # swap interval, 0: not paced
    asked = i32  # the interval that the program asked for last, as it said it
    targets = ptr(void)[2]  # the winsys' own structs of the displaytargets
    target_data = ptr(u8)[2]
    next_swap = u64  # CLOCK_MONOTONIC in ns before which a paced swap does not present
    period = u64  # ns between two refreshes, 0: the display names no rate
    context = ptr(GLContext)  # whose draw buffer this is, null if nobody's
    present = fn(void, ptr(void), ptr(void))  # (surface, target); null: go through Python
    settle = fn(u32, ptr(void), ptr(void))  # (surface, target) -> 1: the size is another one
    surface = ptr(void)  # the winsys' own struct of the window
    sbc = u64  # swaps of its whole life (OML_sync_control)
    frame_bytes = u64
    xid = u64
    display = u64
    through_python = u32  # 1: every swap goes through Python (LIBGL_SHOW_FPS, no native present)
    reported = u32  # 1: the program wants to hear of each swap: through Python, too
    swap_copy = u32  # 1: a swap leaves the frame in the back buffer, too (GLX_SWAP_COPY_OML)
    offscreen = u32  # 1: nothing is shown (pbuffers)
    doomed = u32  # 1: destroyed by the program while current; goes with its context
    screen = u64  # which screen of which display it belongs to: the serial of pydri.dri.screen
    front_used = u32  # set by whoever draws to the front buffer of a double-buffered drawable
    # of a compiled driver: its own drawable, its swapBuffers and glFlush; else null
    driver_drawable = ptr(void)
    driver_swap = fn(void, ptr(void))
    driver_flush = fn(void)


class ThreadBlock(Struct):
    """struct pydri_thread of libgl_shim/shim.h: what is current, of GLX, of EGL, of OSMesa."""

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
    osmesa_context = ptr(void)
