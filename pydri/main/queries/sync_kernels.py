# SPDX-License-Identifier: MIT
"""Native fence sync objects (ARB_sync; GL 4.5, 4.1).

A GLsync is a number: the object's name, and how many fences were made before it, so that any
pointer a program makes up is recognised as none of ours. A fence is the number of the scene that
holds the last commands before it (PipeNative.submitted); its own context finishes that scene when
it is asked. Nobody may touch another context's scenes, so fences of a group with several contexts
are signaled when they are made: everything before them is finished then. Mesa: main/syncobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import kernel, ptr, u8, u32, u64
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    native,
    record_error,
    where,
)
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import NAMED, object_delete, release
from pydri.main.names.tables import SYNCS
from pydri.main.queries.kernels import query_next_fence, query_wait
from pydri.main.queries.layout import SyncObject

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

SYNC = ptr(SyncObject)
names = install(SYNCS, __name__)


@kernel(u64, (CTX, u64, u32), noinline=True)
def sync_new(b: Builder, ctx: GLContext, scene: Value, slot: Value) -> Value:
    """The handle of a new object; 0 after GL_OUT_OF_MEMORY."""
    sync = b.call(names.make, ctx, slot)
    with b.If(is_null(sync), likely=False):
        b.Return(0)
    stamp = b.atomic_add(ctx.shared.addr("sync_stamp"), 1) + 1
    sync.context, sync.scene, sync.stamp = ctx, scene, stamp
    return (b.cast(stamp, u64) << 32) | b.cast(sync.name, u64)


@kernel(SYNC, (CTX, u64), noinline=True)
def sync_find(b: Builder, ctx: GLContext, handle: Value) -> Any:
    """The object of a handle, which is to be released; null if there is none."""
    sync = names.acquire(b, ctx, b.cast(handle & 0xFFFFFFFF, u32))
    with b.If(~is_null(sync)), b.If(sync.stamp != b.cast(handle >> 32, u32)):
        release(b, ctx, sync.cast(NAMED))
        b.Return(b.const(SYNC, None))
    return sync


UNKNOWN, DONE, PENDING = range(3)


@kernel(u32, (CTX, u64), noinline=True)
def sync_state(b: Builder, ctx: GLContext, handle: Value) -> Value:
    """UNKNOWN, DONE, or PENDING: a scene of this context is not known to be finished."""
    sync = b.call(sync_find, ctx, handle)
    out = b.var(u32, UNKNOWN)
    with b.If(~is_null(sync)):
        out.value = DONE
        with b.If((sync.context == ctx) & (sync.scene != 0)):
            with b.If(ctx.pipe.completed < sync.scene):
                out.value = PENDING
        release(b, ctx, sync.cast(NAMED))
    return out.value


@native
def glFenceSync(b: Builder, ctx: GLContext, condition: Value, flags: Value) -> Value:
    error_if(b, ctx, condition != gl.GL_SYNC_GPU_COMMANDS_COMPLETE, gl.GL_INVALID_ENUM)
    error_if(b, ctx, flags != 0, gl.GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    fence = b.call(query_next_fence, ctx)
    with b.If(ctx.shared.context_count > 1):
        b.call(query_wait, ctx, fence)
    return b.int_to_ptr(b.call(sync_new, ctx, fence, where(b)), u8)


def _wait(b: Builder, ctx: GLContext) -> None:
    """Everything of this context is finished then, and so is every fence of it."""
    flush_vertices(b, ctx)
    b.call(query_wait, ctx, b.call(query_next_fence, ctx))


@native
def glClientWaitSync(b: Builder, ctx: GLContext, sync: Pointer, flags: Value,
                     timeout: Value) -> Value:  # fmt: skip
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
def glWaitSync(b: Builder, ctx: GLContext, sync: Pointer, flags: Value, timeout: Value) -> None:
    """Commands of one context are done in order, and fences of others are signaled already."""
    state = b.call(sync_state, ctx, b.ptr_to_int(sync))
    bad = (flags != 0) | (timeout != gl.GL_TIMEOUT_IGNORED)
    error_if(b, ctx, (state == UNKNOWN) | bad, gl.GL_INVALID_VALUE)


@native
def glIsSync(b: Builder, ctx: GLContext, sync: Pointer) -> Value:
    return b.cast(b.call(sync_state, ctx, b.ptr_to_int(sync)) != UNKNOWN, u8)


@native
def glDeleteSync(b: Builder, ctx: GLContext, sync: Any) -> None:
    handle = b.ptr_to_int(sync)
    with b.If(handle == 0):
        b.Return()
    sync = b.call(sync_find, ctx, handle)
    error_if(b, ctx, is_null(sync), gl.GL_INVALID_VALUE)
    stamp = b.cast(handle >> 32, u32)
    with b.If(b.cmpxchg(sync.addr("stamp"), stamp, 0) == stamp):  # not deleted by two threads
        b.call(object_delete, ctx, names.space(b, ctx), sync.name)
    release(b, ctx, sync.cast(NAMED))


@native
def glGetSynciv(b: Builder, ctx: GLContext, sync: Pointer, pname: Value, count: Value,
                length: Pointer, values: Pointer) -> None:  # fmt: skip
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
