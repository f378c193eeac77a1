# SPDX-License-Identifier: MIT
"""Memory of buffer objects: made, replaced and given back by kernels, on any thread.

In: a size and perhaps data. Out: `BufferStorage` heads with the data behind them (64-byte aligned,
with slack for vector loads, zeroed; big ones straight from the system, which gives pages only when
they are touched). A buffer keeps its storage where the new size fits: draws fetch their vertices at
once, so nothing that is pending reads it, and a frame that orphans its buffers allocates nothing.

Who reads storage brackets that with `read_begin` and `read_end`. Storage that was replaced while
the share group has several contexts waits in `SharedBlock.retired` until each of them is not
reading, or began to read after the replacement (epochs, as in RCU): the exchange in `read_begin`
and the addition in `storage_retire` are full fences, so either the reader sees the new storage or
the writer sees the reader. Mesa counts references instead (main/bufferobj.c).
"""

from __future__ import annotations

from typing import Any

from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, ptr, u32, u64, void
from pydri.main.buffers.layout import BufferObject, BufferStorage
from pydri.main.kernels import CTX, is_null
from pydri.main.names.object_kernels import ALIGNED_ALLOC, SHARED
from pydri.main.names.space_kernels import BYTES, FREE_MEMORY, MMAP, MUNMAP, lock, unlock

BUFFER, STORAGE = ptr(BufferObject), ptr(BufferStorage)
HEAD = BufferStorage.size
SLACK = 64
MAX_SIZE = 0xFFFFFFFF - 4096  # as the peer: a resource's width has 32 bits
MAPPED_FROM = 1 << 18  # bytes: from here on memory comes from the system

_READ_WRITE, _PRIVATE_ANONYMOUS = 3, 0x22


def head_of(data: Any) -> Any:
    """The head of the storage whose data begin here (not null)."""
    return (data - HEAD).cast(STORAGE)


def read_begin(b: Any, ctx: Any) -> None:
    """From here to `read_end` no storage that this thread finds in a buffer is given back."""
    b.atomic_xchg(ctx.addr("reading"), ctx.shared.epoch)


def read_end(b: Any, ctx: Any) -> None:
    b.store_atomic(ctx.addr("reading"), 0)


@kernel(BYTES, (u64,), noinline=True)
def storage_new(b: Any, size: Any) -> Any:
    """Zeroed storage; the address of its data, null if there is no memory."""
    with b.If(size > MAX_SIZE):
        b.Return(b.const(BYTES, None))
    total = (size + (HEAD + SLACK + 63)) & ~63
    big = total >= MAPPED_FROM
    place = b.var(BYTES, b.const(BYTES, None))
    with b.If(big):
        place.value = b.call(
            MMAP, b.const(BYTES, None), total, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0
        )
        with b.If(b.ptr_to_int(place.value) == 0xFFFFFFFFFFFFFFFF):
            b.Return(b.const(BYTES, None))
    with b.Else():
        place.value = b.call(ALIGNED_ALLOC, 64, total)
        with b.If(is_null(place.value)):
            b.Return(b.const(BYTES, None))
        b.memset(place.value, 0, total)
    head = place.value.cast(STORAGE)
    head.size = size
    head.capacity = total - (HEAD + SLACK)
    head.mapped_bytes = b.select(big, total, b.const(u64, 0))
    return place.value + HEAD


@kernel(void, (STORAGE,), noinline=True)
def storage_free(b: Any, head: Any) -> None:
    place = head.cast(BYTES)
    with b.If(head.mapped_bytes != 0):
        b.call(MUNMAP, place, head.mapped_bytes)
    with b.Else():
        b.call(FREE_MEMORY, place)


def oldest_reader(b: Any, shared: Any) -> Any:
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
    """What no context can be reading any more leaves the list; a chain for `storage_free_all`. The
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
def storage_free_all(b: Any, first: Any) -> None:
    """Free a chain. No lock is held: the allocator may take its time."""
    here = b.var(STORAGE, first)
    with b.While(lambda: ~is_null(here.value)):
        this = here.value
        here.value = this.next
        b.call(storage_free, this)


@kernel(void, (SHARED, BYTES), noinline=True)
def storage_retire(b: Any, shared: Any, data: Any) -> None:
    """Give storage back (its data; null is ignored) that no buffer refers to any more. The calling
    thread is not reading.
    """
    with b.If(is_null(data)):
        b.Return()
    head = head_of(data)
    with b.If(shared.context_count <= 1):
        b.call(storage_free, head)
        b.Return()
    head.epoch = b.atomic_add(shared.addr("epoch"), 1) + 1
    lock(b, shared)
    head.next = shared.retired
    shared.retired = head
    gone = _collect(b, shared)
    unlock(b, shared)
    b.call(storage_free_all, gone)


def forget_mapping(b: Any, buffer: Any) -> None:
    """The buffer is not mapped any more."""
    buffer.mapped = 0
    buffer.map_pointer = b.const(BYTES, None)
    buffer.map_offset = 0
    buffer.map_length = 0
    buffer.access = 0


@gl_kernel
@kernel(u32, (CTX, BUFFER, u64, BYTES), noinline=True)
def buffer_store(b: Any, ctx: Any, buffer: Any, size: Any, source: Any) -> Any:
    """New content of `size` bytes, taken from `source` if that is not null. 0: no memory, and
    nothing changed.
    """
    read_begin(b, ctx)
    data = buffer.data
    fits = b.var(u32, 0)
    with b.If(~is_null(data)):
        capacity = head_of(data).capacity
        # far too much is given back
        with b.If((size <= capacity) & (capacity <= size * 2 + 4096)):
            fits.value = 1
    with b.If(fits.value != 0):
        with b.If(~is_null(source)):
            b.memmove(data, source, size)
        head_of(data).size = size
        with b.If(buffer.size != size):
            buffer.size = size
            buffer.serial = buffer.serial + 1
        read_end(b, ctx)
        b.Return(1)
    read_end(b, ctx)
    fresh = b.call(storage_new, size)
    with b.If(is_null(fresh)):
        b.Return(0)
    with b.If(~is_null(source)):
        b.memcpy(fresh, source, size)
    shared = ctx.shared
    lock(b, shared)
    old = buffer.data
    b.store_atomic(buffer.addr("data"), fresh)
    buffer.size = size
    buffer.serial = buffer.serial + 1
    unlock(b, shared)
    b.call(storage_retire, shared, old)
    b.Return(1)


# -- contexts of a share group --------------------------------------------------------------------


@gl_kernel
@kernel(void, (CTX,), noinline=True)
def share_join(b: Any, ctx: Any) -> None:
    """The context becomes one that storage waits for."""
    shared = ctx.shared
    lock(b, shared)
    ctx.next_shared = shared.contexts
    shared.contexts = ctx
    shared.context_count = shared.context_count + 1
    unlock(b, shared)


@gl_kernel
@kernel(void, (CTX,), noinline=True)
def share_leave(b: Any, ctx: Any) -> None:
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
    b.call(storage_free_all, gone)
