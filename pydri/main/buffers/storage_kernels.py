# SPDX-License-Identifier: MIT
"""Memory of buffer objects: made, replaced, waited for and given back by kernels, on any thread.

In: a size and perhaps data. Out: a `Storage` of pydri/pipe/resource.py, as that of textures is. A
buffer keeps its storage where the new size fits and no scene uses it, so a frame that orphans its
buffers allocates nothing.

**Vertices, indices and pixels** are read at once. Who reads brackets that with `read_begin` and
`read_end`. Storage that was replaced while the share group has several contexts waits in
`SharedBlock.retired` until each of them is not reading, or began to read after the replacement
(epochs, as in RCU): the exchange in `read_begin` and the addition in `storage_retire` are full
fences, so either the reader sees the new storage or the writer sees the reader. Mesa counts
references instead (main/bufferobj.c).

**What fragments read** is read later. A buffer that is bound for that gets a Resource
(`buffer_resource`), scenes hold references of its storage and note their numbers there. From then
on, whoever touches the content does so behind `access_begin`, which waits for the scenes that
conflict, and a whole replacement takes other storage while one is pending.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, ptr, u32, u64, void
from pydri.main.buffers.layout import BufferObject
from pydri.main.kernels import CTX, flush_vertices, is_null
from pydri.main.names.object_kernels import SHARED
from pydri.main.names.space_kernels import BYTES, lock, unlock
from pydri.pipe.native import MAP_WRITE
from pydri.pipe.resource_kernels import (
    RESOURCE,
    STORAGE,
    head_of,
    resource_follow,
    resource_forget,
    resource_of_buffer,
    storage_data,
    storage_new,
    storage_release,
    storage_used,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import SharedBlock
    from pydri.pipe.resource import Storage

BUFFER = ptr(BufferObject)
MAX_SIZE = 0xFFFFFFFF - 4096  # as the peer: a resource's width has 32 bits


def read_begin(b: Builder, ctx: GLContext) -> None:
    """From here to `read_end` no storage that this thread finds in a buffer is given back."""
    b.atomic_xchg(ctx.addr("reading"), ctx.shared.epoch)


def read_end(b: Builder, ctx: GLContext) -> None:
    b.store_atomic(ctx.addr("reading"), 0)


def access_begin(b: Builder, ctx: GLContext, buffer: Any, flags: Operand = MAP_WRITE) -> None:
    """`read_begin`, when the content may be touched (MAP_READ, MAP_WRITE): behind pending vertices
    and the scenes of this context that conflict. A buffer that nobody deferred ever read costs two
    comparisons.
    """
    deferred = ~is_null(buffer.resource)
    with b.If(deferred, likely=False):
        flush_vertices(b, ctx)
    read_begin(b, ctx)
    with b.If(deferred, likely=False):
        b.call(buffer_settle, ctx, buffer, flags)


@kernel(void, (CTX, BUFFER, u32), cold=True)
def buffer_settle(b: Builder, ctx: GLContext, buffer: BufferObject, flags: Value) -> None:
    """Wait for the scenes that conflict. Between read_begin and read_end."""
    pipe = ctx.pipe
    with b.If(is_null(pipe) | is_null(buffer.data)):
        b.Return()
    with b.If(is_null(pipe.transfer_map)):
        b.call(ctx.hook_flush, ctx, 1)
    with b.Else():
        b.call(pipe.transfer_map, pipe, buffer.resource, flags)


@gl_kernel
@kernel(void, (CTX, BUFFER, u32), cold=True)
def buffer_access(b: Builder, ctx: GLContext, buffer: BufferObject, flags: Value) -> None:
    """The same for Python, which touches the content behind this."""
    access_begin(b, ctx, buffer, flags)
    read_end(b, ctx)


def held_range(b: Builder, head: Any, offset: Any, size: Pointer) -> tuple[Any, Any]:
    """(start, bytes) of what there is of a range of a storage; size 0: to its end. A buffer may
    have become shorter since the range was bound."""
    start = b.min(offset, head.size)
    rest = head.size - start
    return start, b.min(b.select(size == 0, rest, size), rest)


def in_use(b: Builder, ctx: GLContext, head: Any) -> Value:
    """Whether a scene may still read or write a storage."""
    used = b.var(u32, 0)
    with b.If((head.reads | head.writes) != 0, likely=False):
        with b.If(~is_null(ctx.pipe)):
            used.value = b.cast(storage_used(b, ctx.pipe, head), u32)
    return used.value != 0


@gl_kernel
@kernel(RESOURCE, (CTX, BUFFER), cold=True)
def buffer_resource(b: Builder, ctx: GLContext, buffer: BufferObject) -> Value:
    """The resource of a buffer, made now if there was none; null: no memory. It lives as long as
    the buffer. Its storage is null where the buffer has none."""
    with b.If(~is_null(buffer.resource)):
        b.Return(buffer.resource)
    made = b.call(resource_of_buffer)
    with b.If(is_null(made)):
        b.Return(made)
    shared, spare = ctx.shared, b.var(RESOURCE, made)
    lock(b, shared)
    with b.If(is_null(buffer.resource)):
        with b.If(~is_null(buffer.data)):
            b.call(resource_follow, made, head_of(buffer.data))
        buffer.resource = made
        spare.value = b.const(RESOURCE, None)
    unlock(b, shared)
    b.call(resource_forget, spare.value)  # another thread was first
    return buffer.resource


def oldest_reader(b: Builder, shared: Any) -> Value:
    """The least epoch in which a context of the group began to read, of those that do. The lock is
    held.
    """
    oldest = b.var(u64, 0xFFFFFFFFFFFFFFFF)
    context = b.var(CTX, shared.contexts)
    with b.While(lambda: ~is_null(context.value)):
        since = b.load_atomic(context.value.addr("reading"))
        oldest.value = b.select(since != 0, b.min(oldest.value, since), oldest.value)
        context.value = context.value.next_shared
    return oldest.value


def _collect(b: Any, shared: Any) -> Any:
    """What no context can be reading any more leaves the list; a chain for `storages_release`. The
    lock is held.
    """
    oldest = oldest_reader(b, shared)
    link = b.var(ptr(STORAGE), shared.addr("retired"))
    gone = b.var(STORAGE, b.const(STORAGE, None))
    with b.While(lambda: ~is_null(link.value.load())):
        head = link.value.load()
        with b.If(head.epoch <= oldest):
            link.value.store(head.next)
            head.next = gone.value
            gone.value = head
        with b.Else():
            link.value = head.addr("next")
    return gone.value


@kernel(void, (STORAGE,), noinline=True)
def storages_release(b: Builder, first: Storage) -> None:
    """Give the buffers' references of a chain back. No lock is held: the allocator may take its
    time."""
    here = b.var(STORAGE, first)
    with b.While(lambda: ~is_null(here.value)):
        this = here.value
        here.value = this.next
        b.call(storage_release, this)


@kernel(void, (SHARED, BYTES), noinline=True)
def storage_retire(b: Builder, shared: SharedBlock, data: Pointer) -> None:
    """Give storage back (its data; null is ignored) that no buffer refers to any more. The calling
    thread is not reading.
    """
    with b.If(is_null(data)):
        b.Return()
    head = head_of(data)
    with b.If(shared.context_count <= 1):
        b.call(storage_release, head)
        b.Return()
    head.epoch = b.atomic_add(shared.addr("epoch"), 1) + 1
    lock(b, shared)
    head.next = shared.retired
    shared.retired = head
    gone = _collect(b, shared)
    unlock(b, shared)
    b.call(storages_release, gone)


def forget_mapping(b: Builder, buffer: BufferObject) -> None:
    """The buffer is not mapped any more."""
    buffer.mapped = 0
    buffer.map_pointer = b.const(BYTES, None)
    buffer.map_offset = 0
    buffer.map_length = 0
    buffer.access = 0


@gl_kernel
@kernel(u32, (CTX, BUFFER, u64, BYTES), noinline=True)
def buffer_store(b: Builder, ctx: GLContext, buffer: BufferObject, size: Value,
                 source: Pointer) -> None:  # fmt: skip
    """New content of `size` bytes, taken from `source` if that is not null; else it may be what it
    was. 0: no memory, and nothing changed.
    """
    with b.If(~is_null(buffer.resource), likely=False):
        flush_vertices(b, ctx)  # which read the old content
    read_begin(b, ctx)
    data = buffer.data
    fits = b.var(u32, 0)
    with b.If(~is_null(data)):
        head = head_of(data)
        capacity = head.capacity
        # far too much is given back
        with b.If((size <= capacity) & (capacity <= size * 2 + 4096)):
            fits.value = b.cast(~in_use(b, ctx, head), u32)
    with b.If(fits.value != 0):
        with b.If(~is_null(source)):
            b.memmove(data, source, size)
        head_of(data).size = size
        with b.If(buffer.size != size):
            buffer.size = size
            buffer.serial = buffer.serial + 1
            with b.If(~is_null(buffer.resource), likely=False):
                b.call(resource_follow, buffer.resource, head_of(data))
        read_end(b, ctx)
        b.Return(1)
    read_end(b, ctx)
    with b.If(size > MAX_SIZE):
        b.Return(0)
    fresh = b.call(storage_new, size)
    with b.If(is_null(fresh)):
        b.Return(0)
    with b.If(~is_null(source)):
        b.memcpy(storage_data(b, fresh), source, size)
    shared = ctx.shared
    lock(b, shared)
    old = buffer.data
    b.store_atomic(buffer.addr("data"), storage_data(b, fresh))
    buffer.size = size
    buffer.serial = buffer.serial + 1
    with b.If(~is_null(buffer.resource), likely=False):
        b.call(resource_follow, buffer.resource, fresh)
    unlock(b, shared)
    b.call(storage_retire, shared, old)
    b.Return(1)


@kernel(void, (CTX, BUFFER), noinline=True)
def buffer_discard(b: Builder, ctx: GLContext, buffer: BufferObject) -> None:
    """Nothing of the content is wanted any more: if a scene uses it, the buffer gets other memory
    (where there is some), so that nobody waits. It is not mapped."""
    with b.If(~is_null(buffer.data) & ~is_null(buffer.resource), likely=False):
        b.call(buffer_store, ctx, buffer, buffer.size, b.const(BYTES, None))


@kernel(void, (BUFFER,), noinline=True)
def buffer_give(b: Builder, buffer: BufferObject) -> None:
    """A buffer is gone: so are its memory, but for scenes that use it, and its resource."""
    b.call(resource_forget, buffer.resource)
    buffer.resource = b.const(RESOURCE, None)
    with b.If(~is_null(buffer.data)):
        b.call(storage_release, head_of(buffer.data))


# -- contexts of a share group --------------------------------------------------------------------


@gl_kernel
@kernel(void, (CTX,), noinline=True)
def share_join(b: Builder, ctx: GLContext) -> None:
    """The context becomes one that storage waits for."""
    shared = ctx.shared
    lock(b, shared)
    ctx.next_shared = shared.contexts
    shared.contexts = ctx
    shared.context_count = shared.context_count + 1
    unlock(b, shared)


@gl_kernel
@kernel(void, (CTX,), noinline=True)
def share_leave(b: Any, ctx: GLContext) -> None:
    """The context is current nowhere and about to go."""
    shared = ctx.shared
    lock(b, shared)
    link = b.var(ptr(CTX), shared.addr("contexts"))
    with b.While(lambda: ~is_null(link.value.load()) & (link.value.load() != ctx)):
        link.value = link.value.load().addr("next_shared")
    with b.If(~is_null(link.value.load())):
        link.value.store(ctx.next_shared)
        shared.context_count = shared.context_count - 1
    gone = _collect(b, shared)
    unlock(b, shared)
    b.call(storages_release, gone)
