# SPDX-License-Identifier: MIT
"""Make-current, and what is current.

In: a context and the drawables to draw to and read from.  Out: the calling thread's block (which
stubs and kernels read) and the bindings of DRI.  The native forms in native.py answer what changes
nothing. Counterpart of MakeContextCurrent in Mesa's src/glx/glxcurrent.c; rules: GLX 1.4 section
3.3.7.
"""

import threading
from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import glx_entry
from pydri.dri.current import leave_others, register_front
from pydri.glx import enums as e
from pydri.glx.context import CONTEXTS, GlxContext
from pydri.glx.display import GlxDisplay, find_display
from pydri.glx.drawable import DrawableError, GlxDrawable, fetch_drawable
from winsys_x11.xlib import address, ffi

BAD_ACCESS = 10
_alone = threading.local()  # the thread's block where there is no shim: tests and Python hosts


class _Block:
    """Stands in for struct pydri_thread."""

    def __init__(self) -> None:
        self.glx_context: Any = ffi.NULL
        self.dpy: Any = ffi.NULL
        self.draw = self.read = 0


def thread_block() -> tuple[Any, int]:
    """Return the calling thread's block and a number that tells threads apart."""
    if dispatch.shim is not None:
        block = dispatch.thread()
        return block, int(dispatch.ffi.cast("uintptr_t", block))
    block = getattr(_alone, "block", None)
    if block is None:
        block = _alone.block = _Block()
    return block, id(block)


def _set_block(context: GlxContext | None, draw: int, read: int, dpy: int) -> None:
    handle = context.handle if context else 0
    if dispatch.shim is not None:
        gl = context.dri.address if context else 0
        dispatch.make_current(gl, handle, draw, read, dpy)
        return
    block, _ = thread_block()
    block.glx_context = ffi.cast("void *", handle)
    block.dpy = ffi.cast("void *", dpy)
    block.draw, block.read = draw, read


def current_context() -> GlxContext | None:
    """Return the calling thread's context, a doomed one included."""
    block, _ = thread_block()
    return CONTEXTS.get(address(block.glx_context))


def _leave(context: GlxContext) -> None:
    """Take a context off this thread; a doomed one ends here."""
    context.display.check_alive()  # a closed connection is asked nothing
    context.dri.unbind()
    context.thread = 0
    if context.doomed:
        context.destroy()


def leave_current() -> None:
    """Nothing of GLX is current in this thread any more."""
    old = current_context()
    if old is not None:
        _leave(old)
        _set_block(None, 0, 0, 0)


register_front("glx", leave_current)


def _find_drawable(context: GlxContext, xid: int) -> GlxDrawable:
    drawable = fetch_drawable(context.screen, xid, context.config)
    assert context.screen.dri is not None
    drawable.realise(context.screen.dri)
    return drawable


def _refuse(
    display: GlxDisplay, draw: int, read: int, handle: int, context: GlxContext | None
) -> tuple[int, bool, str] | None:
    """Return the error that the arguments deserve: code, of the core?, why."""
    if not handle:
        if draw or read:
            return e.BadMatch, True, "drawables without a context"
        return None
    if context is None:
        return e.GLXBadContext, False, "no such context"
    if bool(draw) != bool(read):
        return e.BadMatch, True, "only one of two drawables"
    if not draw and context.dri.attribs.major < 3:
        return e.BadMatch, True, "no drawables, and a context older than OpenGL 3.0"
    _, me = thread_block()
    if context.thread not in (0, me):
        return BAD_ACCESS, True, "the context is current in another thread"
    if context.display is not display:
        return e.BadMatch, True, "the context belongs to another display"
    return None


def make_current(dpy: Any, draw: int, read: int, ctx: Any, minor: int) -> bool:
    """The one way to change what is current in this thread."""
    old = current_context()
    handle = address(ctx)
    if not handle and not draw and not read:
        leave_current()
        return True
    display = find_display(dpy)
    if display is None:
        return False
    context = CONTEXTS.get(handle)
    if context is not None and context.doomed and context is not old:
        context = None  # ended; but what is current stays good until it is released
    refused = _refuse(display, draw, read, handle, context)
    if refused is not None or context is None:
        code, core, why = refused or (e.GLXBadContext, False, "")
        display.error(code, draw, minor, core=core, why=why)
        return False
    try:
        draw_to = _find_drawable(context, draw) if draw else None
        read_from = _find_drawable(context, read) if read and read != draw else draw_to
        if old is not context:
            leave_others("glx")
            leave_current()
        context.dri.bind(draw_to.dri if draw_to else None, read_from.dri if read_from else None)
    except DrawableError as problem:
        display.error(problem.code, draw, minor, core=problem.core, why=str(problem))
        return False
    except MemoryError as problem:
        display.error(e.BadAlloc, draw, minor, core=True, why=str(problem))
        return False
    _, me = thread_block()
    context.thread = me
    if draw_to is not None:
        context.allow_kernels()
    _set_block(context, draw, read, address(dpy))
    return True


@glx_entry
def glXMakeCurrent(dpy: Any, drawable: int, ctx: Any) -> int:
    """Draw to and read from one drawable."""
    return int(make_current(dpy, drawable, drawable, ctx, e.X_GLXMakeCurrent))


@glx_entry
def glXMakeContextCurrent(dpy: Any, draw: int, read: int, ctx: Any) -> int:
    """Draw to one drawable and read from another."""
    return int(make_current(dpy, draw, read, ctx, e.X_GLXMakeContextCurrent))


@glx_entry
def glXMakeCurrentReadSGI(dpy: Any, draw: int, read: int, ctx: Any) -> int:
    """The name of GLX_SGI_make_current_read."""
    return int(make_current(dpy, draw, read, ctx, e.X_GLXMakeContextCurrent))


@glx_entry
def glXGetCurrentContext() -> Any:
    """The calling thread's context."""
    return address(thread_block()[0].glx_context)


@glx_entry
def glXGetCurrentDisplay() -> Any:
    """Its display."""
    return address(thread_block()[0].dpy)


@glx_entry
def glXGetCurrentDisplayEXT() -> Any:
    """The name of GLX_EXT_import_context."""
    return address(thread_block()[0].dpy)


@glx_entry
def glXGetCurrentDrawable() -> int:
    """What it draws to."""
    return int(thread_block()[0].draw)


@glx_entry
def glXGetCurrentReadDrawable() -> int:
    """What it reads from."""
    return int(thread_block()[0].read)


@glx_entry
def glXGetCurrentReadDrawableSGI() -> int:
    """The name of GLX_SGI_make_current_read."""
    return int(thread_block()[0].read)
