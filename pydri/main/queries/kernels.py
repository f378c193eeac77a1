# SPDX-License-Identifier: MIT
"""Native query objects: begin, end, results, conditional rendering (GL 2.1, 4.1.7; ARB_timer_query;
NV_conditional_render).

In: names. Out: a counter (`QueryObject.value`) whose address lies in `dyn.occlusion_counter` while
an occlusion query is active. Fragment kernels add to the counter they found when their draw was
recorded, so beginning and ending a query is two writes: it neither flushes a scene nor waits. Who
asks for a result waits for the scene that held the last of the query's draws (`fence`, counted by
PipeNative), and for no later one; the memory of a query that was deleted does, too. Timer queries
measure finished work, so they do wait. What the driver counts on the program's thread
(`STATISTICS`) only grows: a query is the difference (ARB_pipeline_statistics_query,
ARB_transform_feedback_overflow_query). Queries of the vertex streams behind the first, to which no
program here can emit (ARB_transform_feedback3), are bound and count nothing. Counterpart of
main/queryobj.c, main/condrender.c and st_cb_queryobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import COMPAT
from pydri.api.dispatch import gl_kernel
from pydri.api.where import registered
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
    set_key,
    where,
)
from pydri.main.names.kernels import install
from pydri.main.names.layout import FREE
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.names.tables import QUERIES
from pydri.main.queries.layout import QueryObject
from pydri.main.queries.tables import (
    ANY,
    BY_STREAM,
    COUNTED,
    COUNTER_BITS,
    ELAPSED,
    FRAGMENTS,
    OCCLUSION,
    OF_GEOMETRY,
    OVERFLOWS,
    PRIMITIVES,
    RESULT_NAMES,
    STATISTICS,
)
from pydri.main.rows import available, enum_check, row_finder
from pydri.pipe.native import MAP_WRITE, MAX_VERTEX_STREAMS, PipelineStatistics
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


#: the place of a target in STATISTICS, -1: it has none
query_statistic = row_finder("query_statistic", COUNTED[: len(STATISTICS)])
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


def _counted(b: Builder, ctx: Any, row: Value) -> Any:
    """How much of one of STATISTICS was counted so far."""
    places = [PipelineStatistics.offset(field) for field in STATISTICS.values()]
    return b.bytes_from(ctx.query.addr("counts"), b.table(u32, places)[row], u64)[0]


def _ask(b: Builder, ctx: Any, row: Value, query: Any, more: int) -> None:
    """A query (or null) is that of one of STATISTICS: the driver counts while there are some."""
    ctx.query.statistics[row] = query
    asking = ctx.query.asking + more
    ctx.query.asking = asking
    counts = ctx.query.addr("counts")
    ctx.dyn.statistics = b.select(asking != 0, counts, b.const(counts.ty, None))


def _of_stream(b: Builder, ctx: Any, target: Value, index: Value) -> Any:
    """Where a query of a vertex stream behind the first is bound."""
    place = b.var(u32, 0)
    for n, enum in enumerate(BY_STREAM):
        place.value = b.select(target == enum, b.const(u32, n), place.value)
    # of the first stream (there it is bound elsewhere) a place that there is
    behind = b.max(b.min(index, MAX_VERTEX_STREAMS - 1), 1) - 1
    return ctx.query.addr("streams").cast(ptr(QUERY)) + (behind * len(BY_STREAM) + place.value)


@kernel(void, (CTX, u32, u32, QUERY), noinline=True)
def query_begin(b: Builder, ctx: GLContext, target: Value, index: Value,
                query: QueryObject) -> None:  # fmt: skip
    """Start counting; all errors were looked for."""
    flush_vertices(b, ctx)
    b.call(query_wait, ctx, query.fence)  # draws of its last use may still be adding
    query.target = target
    query.active, query.stream = 1, index
    with b.If(index != 0, likely=False):
        query.value = 0
        _of_stream(b, ctx, target, index).store(query)
        b.Return()
    with b.If(target == gl.GL_TIME_ELAPSED):
        query.value = b.call(query_finished_now, ctx)
        ctx.query.elapsed = query
        b.Return()
    row = b.call(query_statistic, ctx, target)
    with b.If(row >= 0):
        query.value = _counted(b, ctx, row)
        _ask(b, ctx, row, query, 1)
        b.Return()
    query.value = 0
    with b.If(one_of(b, target, FRAGMENTS)):
        ctx.query.fragments = query
        ctx.dyn.fragments_counter = query.addr("value")
        set_key(b, ctx, "counting", 1)
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
    with b.If(query.stream != 0, likely=False):
        _of_stream(b, ctx, query.target, query.stream).store(b.const(QUERY, None))
        query.active = 0
        b.Return()
    with b.If(query.target == gl.GL_TIME_ELAPSED):
        query.value = b.call(query_finished_now, ctx) - query.value
        ctx.query.elapsed = None
    row = b.call(query_statistic, ctx, query.target)
    with b.If(row >= 0):
        query.value = _counted(b, ctx, row) - query.value
        _ask(b, ctx, row, b.const(QUERY, None), -1)
    with b.If(one_of(b, query.target, FRAGMENTS)):
        ctx.query.fragments = None
        ctx.dyn.fragments_counter = None
        set_key(b, ctx, "counting", 0)
        query.fence = b.call(query_next_fence, ctx)
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
    b.Return(b.select(one_of(b, query.target, (*ANY, *OVERFLOWS)), some, query.value))


@kernel(void, (CTX, u32, u32, QUERY, u32), noinline=True)
def query_start(b: Any, ctx: GLContext, target: Value, index: Value, query: QueryObject,
                slot: Value) -> None:  # fmt: skip
    """glBeginQuery of an object that exists."""
    b.gl_slot = slot
    error_if(b, ctx, query.active != 0, gl.GL_INVALID_OPERATION)
    error_if(
        b, ctx, (query.target != 0) & (query.target != target), gl.GL_INVALID_OPERATION
    )
    b.call(query_begin, ctx, target, index, query)


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


def _bound(b: Builder, ctx: GLContext, target: Value, index: Value | None) -> Any:
    """The query of a target that is active (with an index; None: of the first stream)."""
    block = ctx.query
    found: Any = b.select(target == gl.GL_TIME_ELAPSED, block.elapsed, block.occlusion)
    for enum, (field, _) in PRIMITIVES.items():
        found = b.select(target == enum, getattr(block, field), found)
    found = b.select(one_of(b, target, FRAGMENTS), block.fragments, found)
    row = b.call(query_statistic, ctx, target)
    found = b.select(row >= 0, block.statistics[b.max(row, 0)], found)
    if index is None:
        return found
    return b.select(index == 0, found, _of_stream(b, ctx, target, index)[0])


def _check_target(b: Builder, ctx: GLContext, target: Value, *others: int) -> None:
    """GL_INVALID_ENUM for what is no target of the context."""
    enum_check(b, ctx, target, (*OCCLUSION, *ELAPSED, *PRIMITIVES, *COUNTED, *others))
    uncounted = one_of(b, target, list(PRIMITIVES)) & (ctx.limits.feedback_points == 0)
    error_if(b, ctx, uncounted, gl.GL_INVALID_ENUM)
    with b.If(one_of(b, target, OF_GEOMETRY)):
        shaders = available(b, ctx, registered(gl.GL_GEOMETRY_SHADER))
        error_if(b, ctx, ~shaders, gl.GL_INVALID_ENUM)


def _check_index(b: Builder, ctx: GLContext, target: Value, index: Value) -> None:
    """Most targets have one index."""
    count = b.select(one_of(b, target, BY_STREAM), b.const(u32, MAX_VERTEX_STREAMS), 1)
    error_if(b, ctx, index >= count, gl.GL_INVALID_VALUE)


def discarded(ctx: Any) -> Any:
    """Whether nothing is drawn now: conditional rendering, or GL_RASTERIZER_DISCARD, says so."""
    return (ctx.query.skip != 0) | (ctx.dyn.discard != 0)


@native
def glBeginQueryIndexed(
    b: Builder, ctx: GLContext, target: Value, index: Value, id: Value
) -> None:
    _check_index(b, ctx, target, index)
    _begin(b, ctx, target, index, id)


@native
def glEndQueryIndexed(b: Builder, ctx: GLContext, target: Value, index: Value) -> None:
    _check_index(b, ctx, target, index)
    _end(b, ctx, target, index)


@native
def glBeginQuery(b: Builder, ctx: GLContext, target: Value, id: Value) -> None:
    _begin(b, ctx, target, None, id)


@native
def glEndQuery(b: Builder, ctx: GLContext, target: Value) -> None:
    _end(b, ctx, target, None)


def _begin(b: Builder, ctx: GLContext, target: Value, index: Value | None, id: Value) -> None:
    _check_target(b, ctx, target)
    error_if(b, ctx, ~_null(b, _bound(b, ctx, target, index)), gl.GL_INVALID_OPERATION)
    error_if(b, ctx, id == 0, gl.GL_INVALID_OPERATION)
    # only in the compatibility profile may a program choose names (GL 4.6, 4.2; ES 3.0, 2.14)
    chosen = (ctx.api != COMPAT) & (names.entry(b, ctx, id) == FREE)
    error_if(b, ctx, chosen, gl.GL_INVALID_OPERATION)
    query = b.call(names.obtain, ctx, id, where(b))
    with b.If(~_null(b, query), likely=True):
        b.call(query_start, ctx, target, 0 if index is None else index, query, where(b))
        release(b, ctx, query.cast(NAMED))


def _end(b: Builder, ctx: GLContext, target: Value, index: Value | None) -> None:
    _check_target(b, ctx, target)
    query = _bound(b, ctx, target, index)
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
    _get_query(b, ctx, target, None, pname, params)


@native
def glGetQueryIndexediv(b: Builder, ctx: GLContext, target: Value, index: Value, pname: Value,
                        params: Pointer) -> None:  # fmt: skip
    _check_index(b, ctx, target, index)
    _get_query(b, ctx, target, index, pname, params)


def _get_query(b: Builder, ctx: GLContext, target: Value, index: Value | None, pname: Value,
               params: Pointer) -> None:  # fmt: skip
    _check_target(b, ctx, target, gl.GL_TIMESTAMP)
    enum_check(b, ctx, pname, (gl.GL_QUERY_COUNTER_BITS, gl.GL_CURRENT_QUERY))
    out = b.var(u32, 0)
    with b.If(pname == gl.GL_QUERY_COUNTER_BITS):
        for enum, bits in COUNTER_BITS.items():
            out.value = b.select(target == enum, b.const(u32, bits), out.value)
    with b.Else(), b.If(target != gl.GL_TIMESTAMP):
        query = _bound(b, ctx, target, index)
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
    counts = one_of(b, query.target, (*OCCLUSION, *OVERFLOWS))
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

