# SPDX-License-Identifier: MIT
"""Objects that have names: their memory, references and deletion. How references are counted, and
why a lookup needs no lock, is said in names/layout.py.

For the other rooms: `acquire`, `release`, `rebind`, `put_reference` for what belongs to a context
(bindings, vertex array objects, attribute stacks, a list that is being played); `hold` and `drop`
for what several contexts may give back (objects that refer to others and are shared, scenes).
Counterpart of Mesa's _mesa_reference_buffer_object_ and its kin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.api.dispatch import gl_kernel
from pydri.jit import extern_c, kernel, ptr, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.names.layout import (
    FREE,
    MAX_KINDS,
    RESERVED,
    NameChunk,
    Named,
    NameSpace,
    SharedBlock,
)
from pydri.main.names.space_kernels import (
    BYTES,
    FAR,
    FREE_MEMORY,
    SPACE,
    far_free,
    limit_of,
    lock,
    names_clear,
    names_close,
    names_find,
    names_prepare,
    names_write,
    unlock,
)

if TYPE_CHECKING:
    from typing import Any

    from pydri.jit.builder import Builder
    from pydri.jit.values import Value
    from pydri.main.layout import GLContext

NAMED, CHUNK, SHARED = ptr(Named), ptr(NameChunk), ptr(SharedBlock)
ALIGNED_ALLOC = extern_c("aligned_alloc", BYTES, u64, u64)
_CHUNK_BYTES = 1 << 14
_ALIGN = 64


def no_object(b: Builder) -> Named:
    """The null pointer to an object."""
    return b.const(NAMED, None)


# -- memory ---------------------------------------------------------------------------------------


def _stride(space: NameSpace) -> Any:
    return (space.object_bytes + (_ALIGN - 1)) & ~(_ALIGN - 1)


def _object_at(b: Builder, chunk: NameChunk, n: Value, stride: Value) -> Named:
    offset = b.cast(n * stride, u64) + NameChunk.size
    return b.bytes_from(chunk, offset, Named)


@kernel(u32, (SPACE,), cold=True)
def objects_chunk(b: Builder, space: NameSpace) -> Value:
    """Memory for some objects more. 0: the system has none."""
    stride = _stride(space)
    count = b.max(b.const(u32, _CHUNK_BYTES) // stride, 1)
    size = b.cast(count * stride, u64) + NameChunk.size
    place = b.call(ALIGNED_ALLOC, _ALIGN, size)
    with b.If(is_null(place)):
        b.Return(0)
    b.memset(place, 0, size)
    chunk = place.cast(CHUNK)
    chunk.count = count
    with b.For(b.const(u32, 1), count, 1) as n:
        _object_at(b, chunk, n - 1, stride).next = _object_at(b, chunk, n, stride)
    lock(b, space)
    chunk.next = space.chunks
    space.chunks = chunk
    _object_at(b, chunk, count - 1, stride).next = space.spare
    space.spare = _object_at(b, chunk, b.const(u32, 0), stride)
    unlock(b, space)
    return b.const(u32, 1)


@kernel(void, (CTX, NAMED), noinline=True)
def object_end(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Nobody refers to an object, no scene uses it: its memory is for others."""
    space = thing.space
    with b.If(~is_null(space.dead)):
        b.call(space.dead, ctx, thing)
    with b.If(~is_null(thing.label), likely=False):
        b.call(FREE_MEMORY, thing.label)
        thing.label = b.const(BYTES, None)
    lock(b, space)
    thing.next = space.spare
    space.spare = thing
    space.live = space.live - 1
    unlock(b, space)


def _completed(b: Builder, ctx: GLContext) -> Value:
    """The number of the last scene of the context that is known to be finished."""
    out = b.var(u64, 0xFFFFFFFFFFFFFFFF)
    with b.If(~is_null(ctx.pipe)):
        out.value = ctx.pipe.completed
    return out.value


@kernel(void, (CTX, SPACE), noinline=True)
def objects_waiting(b: Builder, ctx: GLContext, space: NameSpace) -> None:
    """End those that waited for a scene that is finished now."""
    done = _completed(b, ctx)
    with b.While(lambda: ~is_null(space.waiting)):
        thing = space.waiting
        with b.If(thing.fence > done):
            b.Break()
        space.waiting = thing.next
        b.call(object_end, ctx, thing)


@kernel(void, (CTX, NAMED), noinline=True)
def object_die(b: Builder, ctx: GLContext, thing: Named) -> None:
    """The last reference of an object is gone."""
    space = thing.space
    with b.If(thing.fence == 0, likely=True):
        b.call(object_end, ctx, thing)
        b.Return()
    b.call(objects_waiting, ctx, space)
    with b.If(thing.fence <= _completed(b, ctx)):
        b.call(object_end, ctx, thing)
        b.Return()
    thing.next = no_object(b)
    with b.If(is_null(space.waiting)):
        space.waiting = thing
    with b.Else():
        space.waiting_last.next = thing
    space.waiting_last = thing


# -- references -----------------------------------------------------------------------------------


def hold(b: Builder, thing: Named) -> None:
    """One reference more of an object that cannot die meanwhile, whoever gives it back."""
    b.atomic_add(thing.addr("references"), 1)


@kernel(void, (CTX, NAMED, u32), noinline=True)
def object_drop(b: Builder, ctx: GLContext, thing: Named, count: Value) -> None:
    """Give `count` references back that are counted in `references`."""
    before = b.atomic_add(thing.addr("references"), 0 - count)
    with b.If(before == count):
        b.call(object_die, ctx, thing)


def drop(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Give a reference of `hold` back; `ctx` is current in this thread."""
    b.call(object_drop, ctx, thing, 1)


def release(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Give a reference back that belongs to the context; the object is not null."""
    with b.If(thing.owner == ctx, likely=True):
        thing.own = thing.own - 1
    with b.Else():
        b.call(object_drop, ctx, thing, 1)


def reference(b: Builder, ctx: GLContext, thing: Named) -> None:
    """One reference more for the context, of an object that it (or its name, or what it refers to)
    keeps alive meanwhile; not null.
    """
    with b.If(thing.owner == ctx, likely=True):
        thing.own = thing.own + 1
    with b.Else():
        hold(b, thing)


def put_reference(b: Builder, ctx: GLContext, place: Any, thing: Any) -> None:
    """Store an object (or null) whose reference the caller has; what was there loses its own."""
    old = place.load()
    place.store(thing)
    with b.If(~is_null(old)):
        release(b, ctx, old.cast(NAMED))


def rebind(b: Builder, ctx: GLContext, place: Any, thing: Any) -> None:
    """Store an object (or null) that is alive, with a reference of its own."""
    with b.If(place.load() != thing):
        with b.If(~is_null(thing)):
            reference(b, ctx, thing.cast(NAMED))
        put_reference(b, ctx, place, thing)


# -- lookup ---------------------------------------------------------------------------------------


@kernel(NAMED, (CTX, SPACE, u32), noinline=True)
def object_acquire(b: Builder, ctx: GLContext, space: NameSpace, name: Value) -> Named:
    """The object of a name with a reference for the context, null if there is none."""
    found = b.var(NAMED, no_object(b))
    with b.Loop():
        entry = b.call(names_find, space, name)
        with b.If(entry <= RESERVED):
            b.Return(no_object(b))
        thing = b.int_to_ptr(entry, Named)
        with b.If(thing.owner == ctx):
            thing.own = thing.own + 1
            b.Return(thing)
        count = b.load_atomic(thing.addr("references"))
        with b.If(count == 0):
            b.Continue()  # it died since
        with b.If(b.cmpxchg(thing.addr("references"), count, count + 1) != count):
            b.Continue()
        with b.If(b.call(names_find, space, name) == entry, likely=True):
            found.value = thing
            b.Break()
        b.call(object_drop, ctx, thing, 1)  # the memory may be another object's by now
    return found.value


def acquire(b: Builder, ctx: GLContext, space: NameSpace, name: Value) -> Named:
    """The same, in place for a context's own objects."""
    found = b.var(NAMED, no_object(b))
    with b.If(name < limit_of(b, space), likely=True):
        entry = b.load_atomic(space.table + name)
        with b.If(entry > RESERVED):
            thing = b.int_to_ptr(entry, Named)
            with b.If(thing.owner == ctx, likely=True):
                thing.own = thing.own + 1
                found.value = thing
            with b.Else():
                found.value = b.call(object_acquire, ctx, space, name)
    with b.Else():
        found.value = b.call(object_acquire, ctx, space, name)
    return found.value


# -- making and deleting --------------------------------------------------------------------------


def _disown(b: Builder, ctx: GLContext, thing: Named, count: int) -> None:
    """The context is the owner no longer: what it holds becomes references; it gives `count` of
    them back.
    """
    own = thing.own
    thing.own = 0
    b.store_atomic(thing.addr("owner"), b.const(CTX, None))
    with b.If(own != 0):
        b.atomic_add(thing.addr("references"), own)
    b.call(object_drop, ctx, thing, count)


@kernel(void, (CTX,), cold=True)
def objects_orphaned(b: Builder, ctx: GLContext) -> None:
    """What others deleted of this context's objects: it is the owner no longer."""
    here = b.var(NAMED, b.atomic_xchg(ctx.addr("orphans"), no_object(b)))
    with b.While(lambda: ~is_null(here.value)):
        thing = here.value
        here.value = thing.next
        _disown(b, ctx, thing, 2)


def _settle(b: Builder, ctx: GLContext, space: NameSpace) -> None:
    """What is done now and then: memory that can be used again is."""
    with b.If(~is_null(b.load_atomic(ctx.addr("orphans"))), likely=False):
        b.call(objects_orphaned, ctx)
    with b.If(~is_null(space.waiting)):
        b.call(objects_waiting, ctx, space)


@kernel(NAMED, (CTX, SPACE, u32), noinline=True)
def object_new(b: Builder, ctx: GLContext, space: NameSpace, name: Value) -> Named:
    """An object of the context with initial values, which no name leads to yet; null: no memory.
    Two references: the name's and the owner's.
    """
    _settle(b, ctx, space)
    found = b.var(NAMED, no_object(b))
    with b.Loop():
        lock(b, space)
        found.value = space.spare
        with b.If(~is_null(found.value), likely=True):
            space.spare = found.value.next
            space.live = space.live + 1
        unlock(b, space)
        with b.If(~is_null(found.value), likely=True):
            b.Break()
        with b.If(b.call(objects_chunk, space) == 0):
            b.Return(no_object(b))
    thing = found.value
    b.memset(thing.cast(BYTES), 0, b.cast(space.object_bytes, u64))
    thing.space = space
    thing.name = name
    with b.If(~is_null(space.born)):
        b.call(space.born, ctx, thing)
    thing.owner = ctx
    b.store_atomic(thing.addr("references"), 2)
    return thing


@kernel(void, (CTX, NAMED), cold=True)
def object_abandon(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A new object gets no name."""
    _disown(b, ctx, thing, 2)


def _unname(b: Builder, ctx: GLContext, thing: Named) -> Any:
    """The name leads to the object no longer; the lock is held. Returns 0 if another context, its
    owner, will give up the name's reference with its own; then this thread has a further one.
    """
    ours = b.var(u32, 1)
    thing.deleted = 1
    owner = thing.owner
    with b.If(~is_null(owner) & (owner != ctx), likely=False):
        ours.value = 0
        hold(b, thing)
        head = owner.addr("orphans")
        done = b.var(u32, 0)
        with b.While(lambda: done.value == 0):
            first = b.load_atomic(head)
            thing.next = first
            done.value = b.cast(b.cmpxchg(head, first, thing) == first, u32)
    return ours.value


def _forget(b: Builder, ctx: GLContext, thing: Named, ours: Value) -> None:
    """Behind `_unname`, without the lock: the name's reference goes."""
    with b.If((ours != 0) & (thing.owner == ctx)):
        _disown(b, ctx, thing, 2)
    with b.Else():
        b.call(object_drop, ctx, thing, 1)


@kernel(u64, (CTX, SPACE, u32), noinline=True)
def object_delete(b: Builder, ctx: GLContext, space: NameSpace, name: Value) -> Any:
    """A name becomes free; bindings of the context to its object are undone, and it lives as long
    as others refer to it. Returns what stood behind the name.
    """
    with b.If((name >= limit_of(b, space)) & (space.far_count == 0)):
        b.Return(FREE)
    gone = b.array(FAR, 1)
    ours = b.var(u32, 0)
    lock(b, space)
    entry = b.call(names_clear, space, name, gone)
    thing = b.int_to_ptr(entry, Named)
    with b.If(entry > RESERVED):
        ours.value = _unname(b, ctx, thing)
    unlock(b, space)
    with b.If(~is_null(gone.load()), likely=False):
        b.call(far_free, gone.load())
    with b.If(entry > RESERVED):
        with b.If(~is_null(space.unbind)):
            b.call(space.unbind, ctx, thing)
        _forget(b, ctx, thing, ours.value)
        _settle(b, ctx, space)
    return entry


@kernel(u32, (CTX, SPACE, u32, u64), noinline=True)
def object_replace(
    b: Builder, ctx: GLContext, space: NameSpace, name: Value, entry: Value
) -> Value:
    """A name (not 0) gets another entry; the object that it had is deleted. 0: no memory, and
    nothing happened. There is a table.
    """
    place = b.array(FAR, 1)
    with b.If(b.call(names_prepare, space, name, place) == 0, likely=False):
        b.Return(0)
    ours = b.var(u32, 0)
    lock(b, space)
    old = b.call(names_write, space, name, entry, 1, place)
    thing = b.int_to_ptr(old, Named)
    with b.If(old > RESERVED):
        ours.value = _unname(b, ctx, thing)
    unlock(b, space)
    with b.If(~is_null(place.load()), likely=False):
        b.call(far_free, place.load())
    with b.If(old > RESERVED):
        _forget(b, ctx, thing, ours.value)
    return b.const(u32, 1)


# -- contexts and share groups that go ------------------------------------------------------------


@kernel(NAMED, (CTX, SPACE), cold=True)
def objects_leave(b: Builder, ctx: GLContext, space: NameSpace) -> Named:
    """The context is no object's owner any more; the chain of those that die of it."""
    dying = b.var(NAMED, no_object(b))
    stride = _stride(space)
    lock(b, space)
    chunk = b.var(CHUNK, space.chunks)
    with b.While(lambda: ~is_null(chunk.value)):
        here = chunk.value
        with b.For(b.const(u32, 0), here.count, 1) as n:
            thing = _object_at(b, here, n, stride)
            with b.If(thing.owner == ctx):
                # the owner's reference goes, and with it the name's of an orphan
                less = b.select(thing.deleted != 0, b.const(u32, 2), 1) - thing.own
                thing.own = 0
                thing.owner = b.const(CTX, None)
                before = b.atomic_add(thing.addr("references"), 0 - less)
                with b.If(before == less):
                    thing.next = dying.value
                    dying.value = thing
        chunk.value = here.next
    unlock(b, space)
    return dying.value


@kernel(void, (CTX, SPACE), cold=True)
def objects_finish(b: Builder, ctx: GLContext, space: NameSpace) -> None:
    """Nobody uses the name space any more, and no scene is pending: all objects end. Their memory
    stays, as those of other kinds may refer to them.
    """
    stride = _stride(space)
    waiting = b.var(NAMED, space.waiting)
    with b.While(lambda: ~is_null(waiting.value)):
        thing = waiting.value
        waiting.value = thing.next
        thing.references = 1
    chunk = b.var(CHUNK, space.chunks)
    with b.While(lambda: ~is_null(chunk.value)):
        here = chunk.value
        with b.For(b.const(u32, 0), here.count, 1) as n:
            thing = _object_at(b, here, n, stride)
            with b.If(thing.references != 0):
                thing.references = 0
                b.call(object_end, ctx, thing)
        chunk.value = here.next


@kernel(void, (SPACE,), cold=True)
def objects_close(b: Builder, space: NameSpace) -> None:
    """The memory of a name space goes."""
    chunk = b.var(CHUNK, space.chunks)
    with b.While(lambda: ~is_null(chunk.value)):
        here = chunk.value
        chunk.value = here.next
        b.call(FREE_MEMORY, here.cast(BYTES))
    b.call(names_close, space)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def names_leave(b: Builder, ctx: Any) -> None:
    """The context goes: it is current nowhere, its bindings are undone and its scenes done."""
    kinds = b.const(u32, MAX_KINDS)
    with b.For(b.const(u32, 0), kinds, 1) as n:
        b.call(objects_finish, ctx, ctx.spaces + n)
    with b.For(b.const(u32, 0), kinds, 1) as n:
        b.call(objects_close, ctx.spaces + n)
        dying = b.var(NAMED, b.call(objects_leave, ctx, ctx.shared.spaces + n))
        with b.While(lambda: ~is_null(dying.value)):
            thing = dying.value
            dying.value = thing.next
            b.call(object_die, ctx, thing)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def names_end(b: Builder, ctx: Any) -> None:
    """The share group's last context goes."""
    kinds = b.const(u32, MAX_KINDS)
    with b.For(b.const(u32, 0), kinds, 1) as n:
        b.call(objects_finish, ctx, ctx.shared.spaces + n)
    with b.For(b.const(u32, 0), kinds, 1) as n:
        b.call(objects_close, ctx.shared.spaces + n)


# -- for Python -----------------------------------------------------------------------------------


@kernel(u64, (CTX, SPACE, u32), cold=True)
def object_find(b: Builder, ctx: GLContext, space: NameSpace, name: Value) -> Value:
    """The address of a name's object, with a reference for the context; 0: none."""
    return b.ptr_to_int(b.call(object_acquire, ctx, space, name))


@kernel(void, (CTX, NAMED), cold=True)
def object_release(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Give it back."""
    release(b, ctx, thing)


@kernel(u64, (SPACE, u32), cold=True)
def name_entry(b: Builder, space: NameSpace, name: Value) -> Any:
    """FREE, RESERVED, or more: there is an object."""
    return b.call(names_find, space, name)


#: called by name from names/objects.py
EXPORTS = [object_find, object_release, name_entry]
