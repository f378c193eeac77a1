# SPDX-License-Identifier: MIT
"""Native query objects: begin, end, results, conditional rendering (GL 2.1, 4.1.7; ARB_timer_query;
NV_conditional_render).

In: names. Out: a counter (`QueryObject.value`) whose address lies in `dyn.occlusion_counter` while
an occlusion query is active. Fragment kernels add to the counter they found when their draw was
recorded, so beginning and ending a query is two writes: it neither flushes a scene nor waits. Who
asks for a result waits for the scene that held the last of the query's draws (`fence`, counted by
PipeNative), and for no later one; the memory of a query that was deleted does, too. Timer queries
measure finished work, so they do wait. Counterpart of main/queryobj.c, main/condrender.c and
st_cb_queryobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import COMPAT
from pydri.api.dispatch import gl_kernel
from pydri.jit import Struct, extern_c, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.buffers.storage_kernels import BUFFER, access_begin, read_end
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    native,
    native_as,
    one_of,
    record_error,
    where,
)
from pydri.main.names.kernels import install
from pydri.main.names.layout import FREE
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.names.tables import QUERIES
from pydri.main.queries.layout import QueryObject
from pydri.main.queries.tables import (
    ANY,
    COUNTER_BITS,
    ELAPSED,
    OCCLUSION,
    PRIMITIVES,
    RESULT_NAMES,
)
from pydri.main.rows import enum_check
from pydri.pipe.native import MAP_WRITE
from pydri.pipe.resource_kernels import head_of

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

QUERY = ptr(QueryObject)
CLOCK_MONOTONIC, NS = 1, 1_000_000_000
# modes of conditional rendering; from the fifth on what passed no sample is drawn
# (ARB_conditional_render_inverted)
INHERIT_MODES = (gl.GL_QUERY_WAIT, gl.GL_QUERY_NO_WAIT, gl.GL_QUERY_BY_REGION_WAIT,
                 gl.GL_QUERY_BY_REGION_NO_WAIT, gl.GL_QUERY_WAIT_INVERTED,
                 gl.GL_QUERY_NO_WAIT_INVERTED, gl.GL_QUERY_BY_REGION_WAIT_INVERTED,
                 gl.GL_QUERY_BY_REGION_NO_WAIT_INVERTED)  # fmt: skip


class _TimeSpec(Struct):
    seconds = i64
    nanoseconds = i64


clock_gettime = extern_c("clock_gettime", i32, i32, ptr(_TimeSpec))


def _null(b: Builder, p: Any) -> Any:
    return p == b.const(p.ty, None)


@kernel(void, (CTX, u64), noinline=True)
def query_wait(b: Builder, ctx: GLContext, fence: Value) -> None:
    """Wait until the scene with that number, and all before it, is in memory."""
    pipe = ctx.pipe
    with b.If(_null(b, pipe)):
        b.Return()
    with b.If(pipe.completed < fence):
        finish = pipe.finish
        with b.If(_null(b, finish), likely=False):
            b.call(ctx.hook_flush, ctx, 1)
        with b.Else():
            b.call(finish, pipe)


@kernel(u64, (CTX,), noinline=True)
def query_next_fence(b: Builder, ctx: GLContext) -> None:
    """The number of the scene that is being recorded."""
    pipe = ctx.pipe
    with b.If(_null(b, pipe)):
        b.Return(0)
    b.Return(pipe.submitted + 1)


@kernel(u64, (CTX,), noinline=True)
def query_finished_now(b: Builder, ctx: GLContext) -> None:
    """The time, in nanoseconds, once everything drawn so far is in memory."""
    flush_vertices(b, ctx)
    b.call(query_wait, ctx, b.call(query_next_fence, ctx))
    time = b.array(_TimeSpec, 1)
    b.call(clock_gettime, CLOCK_MONOTONIC, time)
    b.Return(b.cast(time.seconds * NS + time.nanoseconds, u64))


@kernel(void, (CTX, u32, QUERY), noinline=True)
def query_begin(b: Builder, ctx: GLContext, target: Value, query: QueryObject) -> None:
    """Start counting; all errors were looked for."""
    flush_vertices(b, ctx)
    b.call(query_wait, ctx, query.fence)  # draws of its last use may still be adding
    query.target = target
    query.active = 1
    with b.If(target == gl.GL_TIME_ELAPSED):
        query.value = b.call(query_finished_now, ctx)
        ctx.query.elapsed = query
        b.Return()
    query.value = 0
    for enum, (field, counter) in PRIMITIVES.items():
        with b.If(target == enum, likely=False):
            setattr(ctx.query, field, query)
            setattr(ctx.dyn, counter, query.addr("value"))
    with b.If(one_of(b, target, OCCLUSION)):
        ctx.query.occlusion = query
        ctx.dyn.occlusion_counter = query.addr("value")


@kernel(void, (CTX, QUERY), noinline=True)
def query_end(b: Builder, ctx: GLContext, query: QueryObject) -> None:
    """Stop counting."""
    flush_vertices(b, ctx)
    with b.If(query.target == gl.GL_TIME_ELAPSED):
        query.value = b.call(query_finished_now, ctx) - query.value
        ctx.query.elapsed = None
    for enum, (field, counter) in PRIMITIVES.items():
        with b.If(query.target == enum, likely=False):
            setattr(ctx.query, field, None)
            setattr(ctx.dyn, counter, None)
    with b.If(one_of(b, query.target, OCCLUSION)):
        ctx.query.occlusion = None
        ctx.dyn.occlusion_counter = None
        query.fence = b.call(query_next_fence, ctx)
    query.active = 0


@kernel(u64, (CTX, QUERY, u32), noinline=True)
def query_result(b: Builder, ctx: GLContext, query: QueryObject, pname: Value) -> None:
    """A parameter of a query that has ended. Waiting for the result when asked whether it is there
    is what makes the answer true in finite time.
    """
    b.call(query_wait, ctx, query.fence)
    with b.If(pname == gl.GL_QUERY_RESULT_AVAILABLE):
        b.Return(1)
    some = b.select(query.value != 0, b.const(u64, 1), 0)
    b.Return(b.select(one_of(b, query.target, ANY), some, query.value))


@kernel(void, (CTX, u32, QUERY, u32), noinline=True)
def query_start(b: Any, ctx: GLContext, target: Value, query: QueryObject, slot: Value) -> None:
    """glBeginQuery of an object that exists."""
    b.gl_slot = slot
    error_if(b, ctx, query.active != 0, gl.GL_INVALID_OPERATION)
    error_if(
        b, ctx, (query.target != 0) & (query.target != target), gl.GL_INVALID_OPERATION
    )
    b.call(query_begin, ctx, target, query)


@kernel(void, (CTX, NAMED), noinline=True)
def query_unbind(b: Builder, ctx: GLContext, thing: Named) -> None:
    """An active query that is deleted is ended first (GL 4.6, 4.2.2)."""
    query = thing.cast(QUERY)
    with b.If(query.active != 0):
        b.call(query_end, ctx, query)


# a query is what was begun once (GL 2.1, 4.1.7)
names = install(QUERIES, __name__, unbind=query_unbind, exists=lambda query: query.target != 0)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_queries(b: Builder, ctx: GLContext) -> None:
    """The context goes: no scene counts into a query of it any more."""
    with b.If(names.space(b, ctx).live != 0):
        b.call(query_wait, ctx, b.call(query_next_fence, ctx))


def _bound(b: Builder, ctx: GLContext, target: Value) -> Any:
    block = ctx.query
    found = b.select(target == gl.GL_TIME_ELAPSED, block.elapsed, block.occlusion)
    for enum, (field, _) in PRIMITIVES.items():
        found = b.select(target == enum, getattr(block, field), found)
    return found


def _check_target(b: Builder, ctx: GLContext, target: Value, known: tuple[int, ...]) -> None:
    """GL_INVALID_ENUM for what is no target of the context."""
    enum_check(b, ctx, target, (*known, *PRIMITIVES))
    uncounted = one_of(b, target, list(PRIMITIVES)) & (ctx.limits.feedback_points == 0)
    error_if(b, ctx, uncounted, gl.GL_INVALID_ENUM)


def discarded(ctx: Any) -> Any:
    """Whether nothing is drawn now: conditional rendering, or GL_RASTERIZER_DISCARD, says so."""
    return (ctx.query.skip != 0) | (ctx.dyn.discard != 0)


@native
def glBeginQuery(b: Builder, ctx: GLContext, target: Value, id: Value) -> None:
    _check_target(b, ctx, target, (*OCCLUSION, *ELAPSED))
    error_if(b, ctx, ~_null(b, _bound(b, ctx, target)), gl.GL_INVALID_OPERATION)
    error_if(b, ctx, id == 0, gl.GL_INVALID_OPERATION)
    # only in the compatibility profile may a program choose names (GL 4.6, 4.2; ES 3.0, 2.14)
    chosen = (ctx.api != COMPAT) & (names.entry(b, ctx, id) == FREE)
    error_if(b, ctx, chosen, gl.GL_INVALID_OPERATION)
    query = b.call(names.obtain, ctx, id, where(b))
    with b.If(~_null(b, query), likely=True):
        b.call(query_start, ctx, target, query, where(b))
        release(b, ctx, query.cast(NAMED))


@native
def glEndQuery(b: Builder, ctx: GLContext, target: Value) -> None:
    _check_target(b, ctx, target, (*OCCLUSION, *ELAPSED))
    query = _bound(b, ctx, target)
    error_if(b, ctx, _null(b, query), gl.GL_INVALID_OPERATION)
    error_if(b, ctx, query.target != target, gl.GL_INVALID_OPERATION)
    b.call(query_end, ctx, query)


@kernel(void, (CTX, QUERY), noinline=True)
def query_stamp(b: Builder, ctx: GLContext, query: QueryObject) -> None:
    """glQueryCounter: the time at which what was drawn so far is finished."""
    query.target = gl.GL_TIMESTAMP
    query.value = b.call(query_finished_now, ctx)


@native
def glQueryCounter(b: Builder, ctx: GLContext, id: Value, target: Value) -> None:
    enum_check(b, ctx, target, (gl.GL_TIMESTAMP,))
    error_if(b, ctx, id == 0, gl.GL_INVALID_OPERATION)
    error_if(b, ctx, names.entry(b, ctx, id) == FREE, gl.GL_INVALID_OPERATION)
    query = b.call(names.obtain, ctx, id, where(b))
    with b.If(~_null(b, query), likely=True):
        release(b, ctx, query.cast(NAMED))  # it has its name
        other = (query.target != 0) & (query.target != gl.GL_TIMESTAMP)
        error_if(b, ctx, other | (query.active != 0), gl.GL_INVALID_OPERATION)
        b.call(query_stamp, ctx, query)


@native
def glGetQueryiv(b: Builder, ctx: GLContext, target: Value, pname: Value, params: Pointer) -> None:
    _check_target(b, ctx, target, tuple(COUNTER_BITS))
    enum_check(b, ctx, pname, (gl.GL_QUERY_COUNTER_BITS, gl.GL_CURRENT_QUERY))
    out = b.var(u32, 0)
    with b.If(pname == gl.GL_QUERY_COUNTER_BITS):
        for enum, bits in COUNTER_BITS.items():
            out.value = b.select(target == enum, b.const(u32, bits), out.value)
    with b.Else(), b.If(target != gl.GL_TIMESTAMP):
        query = _bound(b, ctx, target)
        with b.If(~_null(b, query)), b.If(query.target == target):
            out.value = query.name
    params.cast(ptr(u32))[0] = out.value


@kernel(ptr(u8), (CTX, BUFFER, ptr(u8), u32), noinline=True)
def query_place(b: Builder, ctx: GLContext, buffer: BufferObject, params: Pointer,
                size: Value) -> Value:  # fmt: skip
    """ARB_query_buffer_object: where an offset into the buffer is; null: mapped, or beyond it.
    Between read_begin and read_end.
    """
    out = b.var(ptr(u8), b.const(ptr(u8), None))
    data = buffer.data
    with b.If(~_null(b, data) & (buffer.mapped != 1)):
        offset, held = b.ptr_to_int(params), head_of(data).size
        with b.If((offset <= held) & (b.cast(size, u64) <= held - offset)):
            out.value = b.bytes_from(data, offset, u8)
    return out.value


RESULTS: tuple[tuple[str, Any, int | None], ...] = (
    ("glGetQueryObjectiv", u32, 0x7FFFFFFF),
    ("glGetQueryObjectuiv", u32, 0xFFFFFFFF),
    ("glGetQueryObjecti64v", u64, None),
    ("glGetQueryObjectui64v", u64, None),
)


def _make_result(name: str, ty: Any, most: int | None) -> None:
    def body(b: Builder, ctx: GLContext, id: Value, pname: Value, params: Pointer) -> None:
        query = names.peek(b, ctx, id)
        error_if(b, ctx, _null(b, query), gl.GL_INVALID_OPERATION)
        error_if(b, ctx, (query.active != 0) | (query.target == 0), gl.GL_INVALID_OPERATION)
        enum_check(b, ctx, pname, RESULT_NAMES)
        value = b.call(query_result, ctx, query, pname)
        if most is not None:  # counts that do not fit are the largest that does
            value = b.min(value, b.const(u64, most))
        out = b.var(ptr(u8), params.cast(ptr(u8)))
        buffer = ctx.buffers.query
        with b.If(~_null(b, buffer), likely=False):
            access_begin(b, ctx, buffer, MAP_WRITE)
            out.value = b.call(query_place, ctx, buffer, params.cast(ptr(u8)), ty.size)
            with b.If(_null(b, out.value)):
                read_end(b, ctx)
                record_error(b, ctx, gl.GL_INVALID_OPERATION)
                b.Return()
        out.value.cast(ptr(ty)).store(b.cast(value, ty), align=1)
        with b.If(~_null(b, buffer), likely=False):
            read_end(b, ctx)

    native_as(name, body)


for _name, _type, _most in RESULTS:
    _make_result(_name, _type, _most)


# -- conditional rendering ------------------------------------------------------------------------


@kernel(void, (CTX, QUERY, u32, u32), noinline=True)
def query_condition(b: Any, ctx: GLContext, query: QueryObject, mode: Value, slot: Value) -> None:
    """glBeginConditionalRender with an object that exists: the result decides once, and it is
    always waited for (a mode without waiting allows that, too).
    """
    b.gl_slot = slot
    counts = one_of(b, query.target, OCCLUSION)
    error_if(b, ctx, ~counts | (query.active != 0), gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    passed = b.call(query_result, ctx, query, gl.GL_QUERY_RESULT)
    ctx.query.conditional = 1
    inverted = mode >= gl.GL_QUERY_WAIT_INVERTED
    ctx.query.skip = b.select((passed == 0) ^ inverted, b.const(u32, 1), 0)


@native
def glBeginConditionalRender(b: Builder, ctx: GLContext, id: Value, mode: Value) -> None:
    error_if(b, ctx, ctx.query.conditional != 0, gl.GL_INVALID_OPERATION)
    enum_check(b, ctx, mode, INHERIT_MODES)
    error_if(b, ctx, id == 0, gl.GL_INVALID_VALUE)
    error_if(b, ctx, names.entry(b, ctx, id) == FREE, gl.GL_INVALID_VALUE)
    query = names.peek(b, ctx, id)
    error_if(b, ctx, _null(b, query), gl.GL_INVALID_OPERATION)
    b.call(query_condition, ctx, query, mode, where(b))


@native
def glEndConditionalRender(b: Builder, ctx: GLContext) -> None:
    error_if(b, ctx, ctx.query.conditional == 0, gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    ctx.query.conditional = 0
    ctx.query.skip = 0

