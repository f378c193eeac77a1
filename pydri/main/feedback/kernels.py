# SPDX-License-Identifier: MIT
"""Render modes: glRenderMode, selection's name stack and hit records, feedback's buffer.

GL 2.1, 5.2 and 5.3.
In: the name stack's calls, and from whoever draws `select_hit(window depth)` or `feedback_value`.
Out: the program's buffers, written at once; the counts go on beyond their ends, so that overflow is
seen when the mode is left. `key.render_mode` tells the kernels that nothing is rasterised.
Mesa: main/feedback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import f32, f64, i32, kernel, ptr, u32, u64, void
from pydri.main.feedback.layout import FEEDBACK, MAX_NAME_STACK, RENDER, SELECT
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    native,
)
from pydri.main.layout import DIRTY_TEXTURE
from pydri.main.rows import enum_check

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

# -- hits -----------------------------------------------------------------------------------------


@kernel(void, (CTX, f64), noinline=True)
def select_hit(b: Builder, ctx: GLContext, z: Value) -> None:
    """Something at window depth z is within the view volume."""
    s = ctx.select
    first = s.hit == 0
    s.near = b.min(z, b.select(first, b.const(f64, 1.0), s.near))
    s.far = b.max(z, b.select(first, b.const(f64, 0.0), s.far))
    s.hit = 1


def _depth(b: Builder, z: Value) -> Value:
    """A window depth as hit records have it."""
    return b.cast(b.cast(b.min(b.max(z, 0.0), 1.0) * 4294967295.0, u64), u32)


@kernel(void, (CTX,), noinline=True)
def select_record(b: Builder, ctx: GLContext) -> None:
    """A hit record, if anything was hit since the names last changed."""
    s = ctx.select
    with b.If(s.hit == 0):
        b.Return()
    room = b.select(is_null(s.buffer), b.const(u64, 0), b.cast(s.size, u64))

    def put(value: Value) -> None:
        with b.If(s.count < room):
            s.buffer[s.count] = value
        s.count = s.count + 1

    put(s.depth)
    put(_depth(b, s.near))
    put(_depth(b, s.far))
    with b.For(b.const(u32, 0), s.depth, 1) as n:
        put(s.names[n])
    s.hits = s.hits + 1
    s.hit = 0


@gl_kernel
@kernel(i32, (CTX,), noinline=True)
def select_leave(b: Builder, ctx: GLContext) -> Value:
    """Selection ends: what glRenderMode returns."""
    s = ctx.select
    b.call(select_record, ctx)
    over = s.count > b.cast(s.size, u64)
    result = b.select(over, b.const(i32, -1), b.cast(s.hits, i32))
    s.count, s.hits, s.depth = 0, 0, 0
    return result


@native
def glSelectBuffer(b: Builder, ctx: GLContext, size: Value, buffer: Pointer) -> None:
    error_if(b, ctx, ctx.key.render_mode == SELECT, gl.GL_INVALID_OPERATION)
    error_if(b, ctx, size < 0, gl.GL_INVALID_VALUE)
    s = ctx.select
    s.buffer, s.size, s.count, s.given = buffer.cast(ptr(u32)), b.cast(size, u32), 0, 1


# -- feedback's buffer --------------------------------------------------------------------------

#: what a vertex in the buffer has; `type` of FeedbackBlock
FEEDBACK_TYPES = (
    gl.GL_2D,
    gl.GL_3D,
    gl.GL_3D_COLOR,
    gl.GL_3D_COLOR_TEXTURE,
    gl.GL_4D_COLOR_TEXTURE,
)


@kernel(void, (CTX, f32))
def feedback_value(b: Builder, ctx: GLContext, value: Value) -> None:
    """Append a number; one that has no room is only counted."""
    f = ctx.feedback
    with b.If((f.count < b.cast(f.size, u64)) & ~is_null(f.buffer)):
        f.buffer[f.count] = value
    f.count = f.count + 1


def _feedback_leave(b: Builder, ctx: GLContext) -> Value:
    """Feedback ends: what glRenderMode returns."""
    f = ctx.feedback
    result = b.select(f.count > b.cast(f.size, u64), b.const(i32, -1), b.cast(f.count, i32))
    f.count = 0
    return result


@native
def glFeedbackBuffer(b: Builder, ctx: GLContext, size: Value, type_: Value,
                     buffer: Pointer) -> None:  # fmt: skip
    error_if(b, ctx, ctx.key.render_mode == FEEDBACK, gl.GL_INVALID_OPERATION)
    error_if(b, ctx, size < 0, gl.GL_INVALID_VALUE)
    enum_check(b, ctx, type_, list(FEEDBACK_TYPES))
    f = ctx.feedback
    f.buffer, f.size, f.count, f.given = buffer.cast(ptr(f32)), b.cast(size, u32), 0, 1
    f.type = type_


@native
def glPassThrough(b: Builder, ctx: GLContext, token: Value) -> None:
    with b.If(ctx.key.render_mode == FEEDBACK, likely=False):
        flush_vertices(b, ctx)
        b.call(feedback_value, ctx, float(gl.GL_PASS_THROUGH_TOKEN))
        b.call(feedback_value, ctx, token)


# -- modes ----------------------------------------------------------------------------------------


@native
def glRenderMode(b: Builder, ctx: GLContext, mode: Value) -> Value:
    enum_check(b, ctx, mode, [gl.GL_RENDER, gl.GL_SELECT, gl.GL_FEEDBACK])
    now = ctx.key.render_mode
    with b.If((now == RENDER) & (mode == gl.GL_RENDER), likely=True):
        b.Return(0)
    missing = (mode == gl.GL_SELECT) & (ctx.select.given == 0)
    missing = missing | ((mode == gl.GL_FEEDBACK) & (ctx.feedback.given == 0))
    error_if(b, ctx, missing, gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    result = b.var(i32, 0)
    with b.If(now == SELECT):
        result.value = b.call(select_leave, ctx)
    with b.Elif(lambda: now == FEEDBACK):
        result.value = _feedback_leave(b, ctx)
    new = b.select(mode == gl.GL_SELECT, b.const(u32, SELECT), b.const(u32, FEEDBACK))
    new = b.select(mode == gl.GL_RENDER, b.const(u32, RENDER), new)
    ctx.key.render_mode = b.cast(new, ctx.key.render_mode.ty)
    ctx.key_dirty = 1
    ctx.dirty = ctx.dirty | DIRTY_TEXTURE  # feedback has texture coordinates where nothing else has
    return result.value


# -- names: outside of selection they are ignored --------------------------------------------------


def _changed(b: Builder, ctx: GLContext) -> None:
    """What was hit so far has the names that there were."""
    flush_vertices(b, ctx)
    b.call(select_record, ctx)


def _return_unless_selecting(b: Builder, ctx: GLContext) -> None:
    with b.If(ctx.key.render_mode != SELECT, likely=True):
        b.Return()


@native
def glInitNames(b: Builder, ctx: GLContext) -> None:
    _return_unless_selecting(b, ctx)
    _changed(b, ctx)
    ctx.select.depth = 0


@native
def glLoadName(b: Builder, ctx: GLContext, name: Value) -> None:
    _return_unless_selecting(b, ctx)
    s = ctx.select
    error_if(b, ctx, s.depth == 0, gl.GL_INVALID_OPERATION)
    _changed(b, ctx)
    s.names[s.depth - 1] = name


@native
def glPushName(b: Builder, ctx: GLContext, name: Value) -> None:
    _return_unless_selecting(b, ctx)
    s = ctx.select
    error_if(b, ctx, s.depth >= MAX_NAME_STACK, gl.GL_STACK_OVERFLOW)
    _changed(b, ctx)
    s.names[s.depth] = name
    s.depth = s.depth + 1


@native
def glPopName(b: Builder, ctx: GLContext) -> None:
    _return_unless_selecting(b, ctx)
    s = ctx.select
    error_if(b, ctx, s.depth == 0, gl.GL_STACK_UNDERFLOW)
    _changed(b, ctx)
    s.depth = s.depth - 1
