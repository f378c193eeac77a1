# SPDX-License-Identifier: MIT
"""Native clear values, glDrawBuffer and glReadBuffer (GL 2.1, 4.2.3, 4.2.1, 4.3.2).

In: arguments as the program gave them. Out: state in place. Nothing that is pending reads the clear
values, so setting them flushes nothing. Mesa: main/clear.c, main/buffers.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.where import In
from pydri.jit import f64, i32, kernel, ptr, u8, u32, void
from pydri.main import layout as la
from pydri.main.framebuffers.attach_kernels import bound, fbo_made, fbo_of_name, is_window
from pydri.main.framebuffers.object_kernels import FBO, changed
from pydri.main.framebuffers.tables import BUFFERS, SEVERAL
from pydri.main.kernels import (
    CTX,
    clamp01,
    fail,
    flush_vertices,
    gl_record_error,
    is_es,
    is_null,
    mark,
    native,
    native_as,
    one_of,
    place,
    update,
    where,
)
from pydri.main.rows import row_finder
from pydri.pipe.native import MAX_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.framebuffers.layout import FramebufferObject
    from pydri.main.layout import GLContext


@native
def glClearColor(b: Builder, ctx: GLContext, red: Value, green: Value, blue: Value,
                 alpha: Value) -> None:  # fmt: skip
    place(b, ctx, "raw.clear_color").store(b.vector([red, green, blue, alpha]))


def _clear_integers(b: Builder, ctx: GLContext, red: Value, green: Value, blue: Value,
                    alpha: Value) -> None:  # fmt: skip
    """The colour's bits: what kind of numbers they are says the buffer that is cleared."""
    words = b.bitcast(b.vector([red, green, blue, alpha]), u32.vec(4))
    place(b, ctx, "raw.clear_color").cast(ptr(u32)).store(words, align=4)


native_as("glClearColorIiEXT", _clear_integers)
native_as("glClearColorIuiEXT", _clear_integers)


def _clear_depth(b: Builder, ctx: GLContext, depth: Value) -> None:
    ctx.raw.clear_depth = clamp01(b, b.cast(depth, f64))


native_as("glClearDepth", _clear_depth)
native_as("glClearDepthf", _clear_depth)


@native
def glClearStencil(b: Builder, ctx: GLContext, s: Value) -> None:
    ctx.raw.clear_stencil = s


@native
def glClearIndex(b: Builder, ctx: GLContext, c: Value) -> None:
    ctx.raw.clear_index = c


@native
def glClearAccum(b: Builder, ctx: GLContext, red: Value, green: Value, blue: Value,
                 alpha: Value) -> None:  # fmt: skip
    place(b, ctx, "raw.clear_accum").store(
        b.min(b.max(b.vector([red, green, blue, alpha]), -1.0), 1.0)
    )


# -- draw and read buffers -------------------------------------------------------------------------

def _has(b: Builder, ctx: GLContext) -> Any:
    """What the window's framebuffer has: bits of BUFFERS."""
    visual = ctx.framebuffers.window_visual
    return b.select(visual.stereo != 0, b.const(u32, 2), b.const(u32, 0))


_buffer = row_finder("draw_buffer", BUFFERS)
#: OpenGL 3.1 (4.2.1) takes no GL_BACK for glDrawBuffers, 4.0 as the only buffer; what is older was
#: never strict
_FROM_31, _FROM_40 = In(31, 31).steps, In(40, 40).steps


@kernel(u32, (CTX, FBO, u32), noinline=True)
def buffer_error(b: Builder, ctx: GLContext, fbo: FramebufferObject, mode: Value) -> Value:
    """The error of a draw or read buffer of a framebuffer (or the window's); 0: none."""
    row = b.call(_buffer, ctx, mode)
    with b.If(row < 0):
        b.Return(gl.GL_INVALID_ENUM)
    needs = b.cast(b.table(u8, [buffer.needs for buffer in BUFFERS])[row], u32)
    zero = b.const(u32, 0)
    with b.If(mode == gl.GL_NONE):
        b.Return(0)
    with b.If(is_window(b, fbo)):
        beyond = (needs & ~_has(b, ctx)) != 0
        b.Return(b.select(beyond, b.const(u32, gl.GL_INVALID_OPERATION), zero))
    attached = (mode - gl.GL_COLOR_ATTACHMENT0) < MAX_TARGETS
    return b.select(attached, zero, b.const(u32, gl.GL_INVALID_OPERATION))


@kernel(void, (CTX, FBO, u32, ptr(u32), u32), noinline=True)
def put_draw_buffers(b: Any, ctx: GLContext, fbo: FramebufferObject, count: Value, modes: Pointer,
                     slot: Value) -> None:  # fmt: skip
    """`count` good draw buffers (at most MAX_TARGETS); the others are GL_NONE."""
    chosen, differs = b.array(u32, MAX_TARGETS), b.var(u32, 0)
    with b.For(b.const(u32, 0), MAX_TARGETS, 1) as n:
        chosen[n] = gl.GL_NONE
        with b.If(n < count):
            chosen[n] = modes[n]
    with b.If(is_window(b, fbo)):
        raw = ctx.raw
        differs.value = raw.draw_buffer ^ chosen[0]
        for n in range(1, MAX_TARGETS):
            differs.value = differs.value | (raw.more_draw_buffers[n - 1] ^ chosen[n])
        with b.If(differs.value != 0):
            flush_vertices(b, ctx)
            raw.draw_buffer = chosen[0]
            for n in range(1, MAX_TARGETS):
                raw.more_draw_buffers[n - 1] = chosen[n]
            mark(b, ctx, la.DIRTY_FB)
        b.Return()
    for n in range(MAX_TARGETS):
        differs.value = differs.value | (fbo.draw_buffers[n] ^ chosen[n])
    with b.If(differs.value != 0):
        flush_vertices(b, ctx)
        for n in range(MAX_TARGETS):
            fbo.draw_buffers[n] = chosen[n]
        changed(b, ctx, fbo)


@kernel(void, (CTX, FBO, u32, u32), noinline=True)
def set_draw_buffer(b: Builder, ctx: GLContext, fbo: FramebufferObject, mode: Value,
                    slot: Value) -> None:  # fmt: skip
    """glDrawBuffer."""
    error = b.call(buffer_error, ctx, fbo, mode)
    with b.If(error != 0, likely=False):
        b.call(gl_record_error, ctx, error, slot)
        b.Return()
    place = b.array(u32, 1)
    place.store(mode)
    b.call(put_draw_buffers, ctx, fbo, 1, place, slot)


@kernel(void, (CTX, FBO, i32, ptr(u32), u32), noinline=True)
def set_draw_buffers(b: Builder, ctx: GLContext, fbo: FramebufferObject, count: Value,
                     modes: Pointer, slot: Value) -> None:  # fmt: skip
    """glDrawBuffers: each buffer once, none that stands for several."""
    most = b.cast(ctx.limits.draw_buffers, i32)
    fail(b, ctx, (count < 0) | (count > most), gl.GL_INVALID_VALUE, slot)
    # OpenGL ES: each at its own place, and a window's alone (EXT_draw_buffers)
    alone = is_es(ctx) & is_window(b, fbo)
    fail(b, ctx, alone & (count != 1), gl.GL_INVALID_OPERATION, slot)
    only_single = ((ctx.steps & _FROM_31) != 0) & ((ctx.steps & _FROM_40) == 0)
    with b.For(b.const(i32, 0), count, 1) as n:
        mode = modes[n]
        several = one_of(b, mode, SEVERAL) | ((mode == gl.GL_BACK) & ((count > 1) | only_single))
        known = b.call(buffer_error, ctx, fbo, mode)
        fail(b, ctx, known == gl.GL_INVALID_ENUM, gl.GL_INVALID_ENUM, slot)
        wanted = b.select(alone, b.const(u32, gl.GL_BACK), gl.GL_COLOR_ATTACHMENT0 + b.cast(n, u32))
        misplaced = is_es(ctx) & (mode != wanted) & (mode != gl.GL_NONE)
        fail(b, ctx, misplaced, gl.GL_INVALID_OPERATION, slot)
        fail(b, ctx, several, gl.GL_INVALID_ENUM, slot)
        fail(b, ctx, known != 0, gl.GL_INVALID_OPERATION, slot)
        with b.For(b.const(i32, 0), n, 1) as k:
            twice = (mode != gl.GL_NONE) & (modes[k] == mode)
            fail(b, ctx, twice, gl.GL_INVALID_OPERATION, slot)
    b.call(put_draw_buffers, ctx, fbo, b.cast(count, u32), modes, slot)


@kernel(void, (CTX, FBO, u32, u32), noinline=True)
def set_read_buffer(b: Builder, ctx: GLContext, fbo: FramebufferObject, mode: Value,
                    slot: Value) -> None:  # fmt: skip
    """glReadBuffer."""
    error = b.call(buffer_error, ctx, fbo, mode)
    with b.If(error != 0, likely=False):
        b.call(gl_record_error, ctx, error, slot)
        b.Return()
    with b.If(is_window(b, fbo)):
        update(b, ctx, [("raw.read_buffer", mode)], la.DIRTY_FB)
        b.Return()
    with b.If(fbo.read_buffer != mode):
        fbo.read_buffer = mode
        changed(b, ctx, fbo)


def _bound(reads: bool, does: Any) -> Any:
    def body(b: Builder, ctx: GLContext, *args: Any) -> None:
        fbo = bound(b, ctx, "read" if reads else "draw")
        b.call(does, ctx, fbo, *args, where(b))

    return body


def _named(find: Any, does: Any) -> Any:
    def body(b: Builder, ctx: GLContext, name: Value, *args: Any) -> None:
        fbo = b.call(find, ctx, name, where(b))
        with b.If(is_null(fbo), likely=False):
            b.Return()
        b.call(does, ctx, fbo, *args, where(b))

    return body


for _does, _name, _reads in ((set_draw_buffer, "DrawBuffer", False),
                             (set_draw_buffers, "DrawBuffers", False),
                             (set_read_buffer, "ReadBuffer", True)):  # fmt: skip
    native_as("gl" + _name, _bound(_reads, _does))
    native_as("glNamedFramebuffer" + _name, _named(fbo_of_name, _does))
    native_as(f"glFramebuffer{_name}EXT", _named(fbo_made, _does))
