# SPDX-License-Identifier: MIT
"""Render modes: glRenderMode, and selection's name stack and hit records (GL 2.1, 5.2).

In: the name stack's calls, and from whoever draws `select_hit(window depth)`. Out: the program's
buffer, written at once; the count goes on beyond its end, so that overflow is seen when the mode is
left. `key.render_mode` tells the kernels that nothing is rasterised. Feedback is Python's
(feedback/entries.py): modes go on there where it is begun or left. Mesa: main/feedback.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.api.gl_table import TABLE
from pydri.jit import f64, i32, kernel, ptr, u32, u64, void
from pydri.jit.types import Fn
from pydri.main.feedback.layout import MAX_NAME_STACK
from pydri.main.kernels import (
    CTX,
    enum_check,
    error_if,
    flush_vertices,
    is_null,
    native,
    native_as,
    python_form,
    type_of,
)

RENDER, SELECT, FEEDBACK = range(3)  # key.render_mode


def _in_python(b: Any, ctx: Any, name: str, args: tuple[Any, ...]) -> Any:
    row = TABLE.row(name)
    kind = Fn(type_of(row.ret), (CTX, *(type_of(code) for _, code in row.params)))
    return python_form(b, ctx, row.slot, kind, *args)


# -- hits -----------------------------------------------------------------------------------------


@kernel(void, (CTX, f64), noinline=True)
def select_hit(b: Any, ctx: Any, z: Any) -> None:
    """Something at window depth z is within the view volume."""
    s = ctx.select
    first = s.hit == 0
    s.near = b.min(z, b.select(first, b.const(f64, 1.0), s.near))
    s.far = b.max(z, b.select(first, b.const(f64, 0.0), s.far))
    s.hit = 1


def _depth(b: Any, z: Any) -> Any:
    """A window depth as hit records have it."""
    return b.cast(b.cast(b.min(b.max(z, 0.0), 1.0) * 4294967295.0, u64), u32)


@kernel(void, (CTX,), noinline=True)
def select_record(b: Any, ctx: Any) -> None:
    """A hit record, if anything was hit since the names last changed."""
    s = ctx.select
    with b.If(s.hit == 0):
        b.Return()
    room = b.select(is_null(s.buffer), b.const(u64, 0), b.cast(s.size, u64))

    def put(value: Any) -> None:
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
def select_leave(b: Any, ctx: Any) -> Any:
    """Selection ends: what glRenderMode returns."""
    s = ctx.select
    b.call(select_record, ctx)
    over = s.count > b.cast(s.size, u64)
    result = b.select(over, b.const(i32, -1), b.cast(s.hits, i32))
    s.count, s.hits, s.depth = 0, 0, 0
    return result


@native
def glSelectBuffer(b: Any, ctx: Any, size: Any, buffer: Any) -> None:
    error_if(b, ctx, ctx.key.render_mode == SELECT, gl.GL_INVALID_OPERATION)
    error_if(b, ctx, size < 0, gl.GL_INVALID_VALUE)
    s = ctx.select
    s.buffer, s.size, s.count, s.given = buffer.cast(ptr(u32)), b.cast(size, u32), 0, 1


@native
def glRenderMode(b: Any, ctx: Any, mode: Any) -> Any:
    enum_check(b, ctx, mode, [gl.GL_RENDER, gl.GL_SELECT, gl.GL_FEEDBACK])
    now = ctx.key.render_mode
    with b.If((now == RENDER) & (mode == gl.GL_RENDER), likely=True):
        b.Return(0)
    with b.If((now == FEEDBACK) | (mode == gl.GL_FEEDBACK), likely=False):
        b.Return(_in_python(b, ctx, "glRenderMode", (mode,)))
    missing = (mode == gl.GL_SELECT) & (ctx.select.given == 0)
    error_if(b, ctx, missing, gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    result = b.var(i32, 0)
    with b.If(now == SELECT):
        result.value = b.call(select_leave, ctx)
    ctx.key.render_mode = b.cast(mode == gl.GL_SELECT, ctx.key.render_mode.ty)
    ctx.key_dirty = 1
    return result.value


# -- names: outside of selection they are ignored --------------------------------------------------


def _changed(b: Any, ctx: Any) -> None:
    """What was hit so far has the names that there were."""
    flush_vertices(b, ctx)
    b.call(select_record, ctx)


def _return_unless_selecting(b: Any, ctx: Any) -> None:
    with b.If(ctx.key.render_mode != SELECT, likely=True):
        b.Return()


@native
def glInitNames(b: Any, ctx: Any) -> None:
    _return_unless_selecting(b, ctx)
    _changed(b, ctx)
    ctx.select.depth = 0


@native
def glLoadName(b: Any, ctx: Any, name: Any) -> None:
    _return_unless_selecting(b, ctx)
    s = ctx.select
    error_if(b, ctx, s.depth == 0, gl.GL_INVALID_OPERATION)
    _changed(b, ctx)
    s.names[s.depth - 1] = name


@native
def glPushName(b: Any, ctx: Any, name: Any) -> None:
    _return_unless_selecting(b, ctx)
    s = ctx.select
    error_if(b, ctx, s.depth >= MAX_NAME_STACK, gl.GL_STACK_OVERFLOW)
    _changed(b, ctx)
    s.names[s.depth] = name
    s.depth = s.depth + 1


@native
def glPopName(b: Any, ctx: Any) -> None:
    _return_unless_selecting(b, ctx)
    s = ctx.select
    error_if(b, ctx, s.depth == 0, gl.GL_STACK_UNDERFLOW)
    _changed(b, ctx)
    s.depth = s.depth - 1


def _pass_through(b: Any, ctx: Any, token: Any) -> None:
    with b.If(ctx.key.render_mode == FEEDBACK, likely=False):
        _in_python(b, ctx, "glPassThrough", (token,))


native_as("glPassThrough", _pass_through)
