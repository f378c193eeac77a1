# SPDX-License-Identifier: MIT
"""Native fence sync objects (ARB_sync; GL 4.5, 4.1).

A GLsync is a number: place in the share group's table plus one, and how often the place was used,
so that any pointer a program makes up is recognised as none of ours. A fence is the number of the
scene that holds the last commands before it (PipeNative.submitted); its own context finishes that
scene when it is asked. Nobody may touch another context's scenes, so fences of a group with several
contexts are signaled when they are made: everything before them is finished then. The table is
small and its uses are rare, so all of them hold the group's lock. Mesa: main/syncobj.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.jit import extern_c, kernel, ptr, u8, u32, u64
from pydri.main.buffers.storage_kernels import BYTES, lock, unlock
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    native,
    record_error,
)
from pydri.main.queries.kernels import query_next_fence, query_wait
from pydri.main.queries.layout import SyncObject

REALLOC = extern_c("realloc", BYTES, BYTES, u64)
SYNC = ptr(SyncObject)
PLACE_BITS = 20
FIRST = 64


@kernel(u64, (CTX, u64), noinline=True)
def sync_new(b: Any, ctx: Any, fence: Any) -> Any:
    """The handle of a new object; 0 if there is no room."""
    shared = ctx.shared
    lock(b, shared)
    with b.If(shared.sync_free == 0):
        old = shared.sync_count
        count = b.select(old == 0, b.const(u32, FIRST), old * 2)
        with b.If(count >= 1 << PLACE_BITS):
            unlock(b, shared)
            b.Return(0)
        size = b.cast(count, u64) * SyncObject.size
        table = b.call(REALLOC, shared.syncs.cast(BYTES), size)
        with b.If(is_null(table)):
            unlock(b, shared)
            b.Return(0)
        shared.syncs = table.cast(SYNC)
        b.memset(table + b.cast(old, u64) * SyncObject.size, 0, size // 2)
        with b.If(old == 0):
            b.memset(table, 0, size)
        with b.For(old, count) as n:
            at = shared.syncs + n
            at.next_free = shared.sync_free
            shared.sync_free = n + 1
        shared.sync_count = count
    place = shared.sync_free
    at = shared.syncs + (place - 1)
    shared.sync_free = at.next_free
    at.uses = at.uses + 1
    at.live = 1
    at.context = ctx
    at.fence = fence
    handle = (b.cast(at.uses, u64) << PLACE_BITS) | b.cast(place, u64)
    unlock(b, shared)
    return handle


def _find(b: Any, shared: Any, handle: Any) -> Any:
    """The object of a handle, null if there is none; the lock is held."""
    found = b.var(SYNC, b.const(SYNC, None))
    place = b.cast(handle & ((1 << PLACE_BITS) - 1), u32)
    with b.If((place != 0) & (place <= shared.sync_count)):
        at = shared.syncs + (place - 1)
        with b.If((at.live != 0) & (b.cast(at.uses, u64) == handle >> PLACE_BITS)):
            found.value = at
    return found.value


UNKNOWN, DONE, PENDING = range(3)


@kernel(u32, (CTX, u64), noinline=True)
def sync_state(b: Any, ctx: Any, handle: Any) -> Any:
    """UNKNOWN, DONE, or PENDING: a scene of this context is not known to be finished."""
    shared = ctx.shared
    lock(b, shared)
    at = _find(b, shared, handle)
    out = b.var(u32, UNKNOWN)
    with b.If(~is_null(at)):
        out.value = DONE
        with b.If((at.context == ctx) & (at.fence != 0)), b.If(ctx.pipe.completed < at.fence):
            out.value = PENDING
    unlock(b, shared)
    return out.value


@native
def glFenceSync(b: Any, ctx: Any, condition: Any, flags: Any) -> Any:
    error_if(b, ctx, condition != gl.GL_SYNC_GPU_COMMANDS_COMPLETE, gl.GL_INVALID_ENUM)
    error_if(b, ctx, flags != 0, gl.GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    fence = b.call(query_next_fence, ctx)
    with b.If(ctx.shared.context_count > 1):
        b.call(query_wait, ctx, fence)
    handle = b.call(sync_new, ctx, fence)
    error_if(b, ctx, handle == 0, gl.GL_OUT_OF_MEMORY)
    return b.int_to_ptr(handle, u8)


def _wait(b: Any, ctx: Any) -> None:
    """Everything of this context is finished then, and so is every fence of it."""
    flush_vertices(b, ctx)
    b.call(query_wait, ctx, b.call(query_next_fence, ctx))


@native
def glClientWaitSync(b: Any, ctx: Any, sync: Any, flags: Any, timeout: Any) -> Any:
    """A wait always ends with the scene, so there are no timeouts; who only asks (timeout 0) gets
    an answer that is true.
    """
    state = b.call(sync_state, ctx, b.ptr_to_int(sync))
    bad = (state == UNKNOWN) | ((flags & ~gl.GL_SYNC_FLUSH_COMMANDS_BIT) != 0)
    with b.If(bad, likely=False):
        record_error(b, ctx, gl.GL_INVALID_VALUE)
        b.Return(gl.GL_WAIT_FAILED)
    with b.If(state == DONE):
        b.Return(gl.GL_ALREADY_SIGNALED)
    _wait(b, ctx)
    ready = b.const(u32, gl.GL_ALREADY_SIGNALED)
    return b.select(timeout == 0, ready, gl.GL_CONDITION_SATISFIED)


@native
def glWaitSync(b: Any, ctx: Any, sync: Any, flags: Any, timeout: Any) -> None:
    """Commands of one context are done in order, and fences of others are signaled already."""
    state = b.call(sync_state, ctx, b.ptr_to_int(sync))
    bad = (flags != 0) | (timeout != gl.GL_TIMEOUT_IGNORED)
    error_if(b, ctx, (state == UNKNOWN) | bad, gl.GL_INVALID_VALUE)


@native
def glIsSync(b: Any, ctx: Any, sync: Any) -> Any:
    return b.cast(b.call(sync_state, ctx, b.ptr_to_int(sync)) != UNKNOWN, u8)


@native
def glDeleteSync(b: Any, ctx: Any, sync: Any) -> None:
    handle = b.ptr_to_int(sync)
    with b.If(handle == 0):
        b.Return()
    shared = ctx.shared
    lock(b, shared)
    at = _find(b, shared, handle)
    with b.If(~is_null(at)):
        at.live = 0
        at.next_free = shared.sync_free
        shared.sync_free = b.cast(handle & ((1 << PLACE_BITS) - 1), u32)
    unlock(b, shared)
    error_if(b, ctx, is_null(at), gl.GL_INVALID_VALUE)


@native
def glGetSynciv(
    b: Any, ctx: Any, sync: Any, pname: Any, count: Any, length: Any, values: Any
) -> None:
    state = b.call(sync_state, ctx, b.ptr_to_int(sync))
    error_if(b, ctx, state == UNKNOWN, gl.GL_INVALID_VALUE)
    out = b.var(u32, 0)
    with b.Switch(pname) as s:
        with s.Case(gl.GL_OBJECT_TYPE):
            out.value = gl.GL_SYNC_FENCE
        with s.Case(gl.GL_SYNC_CONDITION):
            out.value = gl.GL_SYNC_GPU_COMMANDS_COMPLETE
        with s.Case(gl.GL_SYNC_FLAGS):
            out.value = 0
        with s.Case(gl.GL_SYNC_STATUS):
            with b.If(state == PENDING):
                _wait(b, ctx)
            out.value = gl.GL_SIGNALED
        with s.Default():
            record_error(b, ctx, gl.GL_INVALID_ENUM)
            b.Return()
    error_if(b, ctx, count < 0, gl.GL_INVALID_VALUE)
    with b.If((count > 0) & ~is_null(values)):
        values.cast(ptr(u32)).store(out.value)
    with b.If(~is_null(length)):
        length.cast(ptr(u32)).store(b.select(count > 0, b.const(u32, 1), 0))
