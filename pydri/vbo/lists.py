# SPDX-License-Identifier: MIT
"""Display lists by name: glGenLists, glDeleteLists, glIsList, glNewList; and their memory when
nobody needs it any more.

In: names. Out: the share group's table of lists (`SharedBlock.list_table`), in which glCallList
looks without a lock: it is reserved whole, so it never moves, and the system gives pages only for
names that are used. Names beyond it, which only a program that invents its names has, are in
buckets, under the group's lock.

A list that is replaced or deleted may be playing in another context: it waits in
`SharedBlock.retired_lists` until no context plays one that began before the replacement
(`GLContext.playing`; the epochs of main/buffers/storage_kernels.py). Counterpart of the first half
of Mesa's main/dlist.c, and main/hash.c.
"""

from __future__ import annotations

from typing import Any

from pydri.api.dispatch import gl_kernel
from pydri.api.enums import (
    GL_COMPILE,
    GL_COMPILE_AND_EXECUTE,
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_OUT_OF_MEMORY,
)
from pydri.jit import extern_c, kernel, ptr, u8, u32, u64, void
from pydri.main.buffers.storage_kernels import (
    FREE,
    MMAP,
    MUNMAP,
    SHARED,
    lock,
    oldest_reader,
    unlock,
)
from pydri.main.kernels import CTX, error_if, flush_vertices, is_null, native, record_error
from pydri.vbo.core import empty_store, measure, reset_layout
from pydri.vbo.native import (
    EMPTY_LIST,
    HOOK_SAVE_PREPARE,
    DisplayList,
    FarList,
    VboSave,
)

TABLE_NAMES = 1 << 20  # names of the table
MOST_NAMES = 1 << 24  # glGenLists gives no more at once
_FIRST_BUCKETS = 64
_READ_WRITE, _PRIVATE_ANONYMOUS_NORESERVE = 3, 0x4022
_FAILED = 0xFFFFFFFFFFFFFFFF

LIST, FAR = ptr(DisplayList), ptr(FarList)
CALLOC = extern_c("calloc", ptr(u8), u64, u64)
MALLOC = extern_c("malloc", ptr(u8), u64)


# -- memory of lists that have no name ------------------------------------------------------------


@kernel(void, (SHARED,), noinline=True)
def lists_collect(b: Any, shared: Any) -> None:
    """Free what no context can be playing any more. The lock is held."""
    oldest = oldest_reader(b, shared, "playing")
    link = b.var(ptr(LIST), shared.addr("retired_lists"))
    with b.While(lambda: ~is_null(link.value.load())):
        here = link.value.load()
        with b.If(here.epoch <= oldest):
            link.value.store(here.next)
            b.call(FREE, here.cast(ptr(u8)))
        with b.Else():
            link.value = here.addr("next")


@kernel(void, (CTX, LIST), noinline=True)
def lists_retire(b: Any, ctx: Any, first: Any) -> None:
    """Give a chain of lists back that have no name any more."""
    with b.If(is_null(first)):
        b.Return()
    shared = ctx.shared
    alone = (shared.context_count <= 1) & (ctx.playing == 0)
    epoch = b.var(u64, 0)
    with b.If(~alone, likely=False):
        epoch.value = b.atomic_add(shared.addr("epoch"), 1) + 1
        lock(b, shared)
    here = b.var(LIST, first)
    with b.While(lambda: ~is_null(here.value)):
        this = here.value
        here.value = this.next
        with b.If(alone, likely=True):
            b.call(FREE, this.cast(ptr(u8)))
        with b.Else():
            this.epoch = epoch.value
            this.next = shared.retired_lists
            shared.retired_lists = this
    with b.If(~alone, likely=False):
        b.call(lists_collect, shared)
        unlock(b, shared)


# -- the table ------------------------------------------------------------------------------------


@kernel(u32, (SHARED,), cold=True)
def lists_table(b: Any, shared: Any) -> Any:
    """Reserve the table. The lock is held; 0: no memory."""
    with b.If(is_null(shared.list_table)):
        size = TABLE_NAMES * 8
        null = b.const(ptr(u8), None)
        place = b.call(MMAP, null, size, _READ_WRITE, _PRIVATE_ANONYMOUS_NORESERVE, -1, 0)
        with b.If(b.ptr_to_int(place) == _FAILED):
            b.Return(0)
        b.store_atomic(shared.addr("list_table"), place.cast(ptr(u64)))
    return b.const(u32, 1)


def _bucket(shared: Any, name: Any) -> Any:
    """Where the chain of a name beyond the table begins; there are buckets."""
    return shared.far_lists + ((name * 0x9E3779B1) & (shared.far_buckets - 1))


@kernel(FAR, (SHARED, u32), noinline=True)
def far_find(b: Any, shared: Any, name: Any) -> Any:
    """A name beyond the table, null if there is none. The lock is held."""
    with b.If(shared.far_count == 0):
        b.Return(b.const(FAR, None))
    here = b.var(FAR, _bucket(shared, name).load())
    with b.While(lambda: ~is_null(here.value)):
        with b.If(here.value.name == name):
            b.Break()
        here.value = here.value.next
    return here.value


@kernel(u32, (SHARED,), cold=True)
def far_grow(b: Any, shared: Any) -> Any:
    """Twice as many buckets. The lock is held; 0: no memory, and there are none."""
    old, count = shared.far_lists, shared.far_buckets
    buckets = b.max(count * 2, _FIRST_BUCKETS)
    fresh = b.call(CALLOC, b.cast(buckets, u64), 8)
    with b.If(is_null(fresh)):
        b.Return(b.cast(count != 0, u32))
    shared.far_lists = fresh.cast(ptr(FAR))
    shared.far_buckets = buckets
    with b.For(b.const(u32, 0), count, 1) as n:
        here = b.var(FAR, old[n])
        with b.While(lambda: ~is_null(here.value)):
            this = here.value
            here.value = this.next
            head = _bucket(shared, this.name)
            this.next = head.load()
            head.store(this)
    b.call(FREE, old.cast(ptr(u8)))
    return b.const(u32, 1)


@kernel(u32, (SHARED, u32, u64), noinline=True)
def far_add(b: Any, shared: Any, name: Any, head: Any) -> Any:
    """Enter a name beyond the table that is not there. The lock is held; 0: no memory."""
    with b.If(shared.far_count >= shared.far_buckets), b.If(b.call(far_grow, shared) == 0):
        b.Return(0)
    fresh = b.call(MALLOC, FarList.size).cast(FAR)
    with b.If(is_null(fresh)):
        b.Return(0)
    bucket = _bucket(shared, name)
    fresh.name, fresh.list, fresh.next = name, head, bucket.load()
    bucket.store(fresh)
    shared.far_count = shared.far_count + 1
    shared.far_top = b.max(shared.far_top, name)
    return b.const(u32, 1)


@kernel(u64, (SHARED, u32), noinline=True)
def list_far(b: Any, shared: Any, name: Any) -> Any:
    """What `list_of` answers for names that are not in the table."""
    with b.If((name < TABLE_NAMES) | (shared.far_count == 0), likely=True):
        b.Return(0)
    lock(b, shared)
    found = b.call(far_find, shared, name)
    head = b.var(u64, 0)
    with b.If(~is_null(found)):
        head.value = found.list
    unlock(b, shared)
    return head.value


def list_of(b: Any, ctx: Any, name: Any) -> Any:
    """Address of the list of a name, EMPTY_LIST, or 0 if there is none. The list's memory stays
    until the context's playback ends: call this between `play_begin` and `play_end`.
    """
    shared = ctx.shared
    head = b.var(u64, 0)
    with b.If((name - 1) < shared.list_top, likely=True):  # 0 is no name
        head.value = b.load_atomic(shared.list_table + name)
    with b.Else():
        head.value = b.call(list_far, shared, name)
    return head.value


@kernel(u32, (CTX, u32, u64), noinline=True)
def list_enter(b: Any, ctx: Any, name: Any, head: Any) -> Any:
    """Give a name (not 0) its list; the one that it had is given back. 0: no memory, and nothing
    changed.
    """
    shared = ctx.shared
    old = b.var(u64, 0)
    done = b.var(u32, 1)
    lock(b, shared)
    with b.If(name < TABLE_NAMES, likely=True):
        done.value = b.call(lists_table, shared)
        with b.If(done.value != 0, likely=True):
            place = shared.list_table + name
            old.value = place.load()
            b.store_atomic(place, head)
            with b.If(name > shared.list_top):
                b.store_atomic(shared.addr("list_top"), name)
    with b.Else():
        found = b.call(far_find, shared, name)
        with b.If(is_null(found)):
            done.value = b.call(far_add, shared, name, head)
        with b.Else():
            old.value = found.list
            found.list = head
    unlock(b, shared)
    with b.If(old.value > EMPTY_LIST):
        before = b.int_to_ptr(old.value, DisplayList)
        before.next = b.const(LIST, None)
        b.call(lists_retire, ctx, before)
    return done.value


# -- entry points ----------------------------------------------------------------------------------


@kernel(u32, (SHARED, u32), noinline=True)
def lists_gap(b: Any, shared: Any, count: Any) -> Any:
    """The first of `count` free names in a row when those above all others run out, 0 if there are
    none. The lock is held.
    """
    run = b.var(u32, 0)
    name = b.var(u64, 1)
    with b.While(lambda: name.value <= 0xFFFFFFFF):
        this = b.cast(name.value, u32)
        free = b.var(u32, 1)
        with b.If(this < TABLE_NAMES):
            free.value = b.cast(shared.list_table[this] == 0, u32)
        with b.Else():
            free.value = b.cast(is_null(b.call(far_find, shared, this)), u32)
        run.value = b.select(free.value != 0, run.value + 1, 0)
        with b.If(run.value == count):
            b.Return(this - count + 1)
        name.value = name.value + 1
    b.Return(0)


@kernel(u32, (SHARED, u32), noinline=True)
def lists_reserve(b: Any, shared: Any, count: Any) -> Any:
    """The first of `count` names in a row that no list bears; they become empty lists. The lock is
    held; 0: there is no memory.
    """
    with b.If((count > MOST_NAMES) | (b.call(lists_table, shared) == 0), likely=False):
        b.Return(0)
    first = b.var(u32, shared.list_top + 1)
    with b.If(first.value + count > TABLE_NAMES, likely=False):
        beyond = b.cast(b.max(shared.far_top, TABLE_NAMES - 1), u64) + 1
        with b.If(beyond + b.cast(count, u64) > 0xFFFFFFFF):
            first.value = b.call(lists_gap, shared, count)
        with b.Else():
            first.value = b.cast(beyond, u32)
    with b.If(first.value == 0):
        b.Return(0)
    with b.For(b.const(u32, 0), count, 1) as n:
        name = first.value + n
        with b.If(name < TABLE_NAMES, likely=True):
            shared.list_table[name] = EMPTY_LIST
            shared.list_top = b.max(shared.list_top, name)
        with b.Elif(lambda: b.call(far_add, shared, name, EMPTY_LIST) == 0):
            b.Return(0)
    b.Return(first.value)


@native
def glGenLists(b: Any, ctx: Any, range_: Any) -> Any:
    error_if(b, ctx, range_ < 0, GL_INVALID_VALUE)
    with b.If(range_ == 0):
        b.Return(0)
    shared = ctx.shared
    lock(b, shared)
    first = b.call(lists_reserve, shared, b.cast(range_, u32))
    unlock(b, shared)
    error_if(b, ctx, first == 0, GL_OUT_OF_MEMORY)
    b.Return(first)


@native
def glIsList(b: Any, ctx: Any, name: Any) -> Any:
    b.Return(b.cast(list_of(b, ctx, name) != 0, u8))


@kernel(LIST, (SHARED, u64, u64), noinline=True)
def far_delete(b: Any, shared: Any, first: Any, end: Any) -> Any:
    """Take names beyond the table out; the chain of their lists. The lock is held."""
    gone = b.var(LIST, b.const(LIST, None))
    few = end - first < b.cast(shared.far_buckets, u64)
    steps = b.select(few, b.cast(end - first, u32), shared.far_buckets)
    with b.For(b.const(u32, 0), steps, 1) as n:
        link = b.var(ptr(FAR), shared.far_lists + n)
        with b.If(few):
            link.value = _bucket(shared, b.cast(first, u32) + n)
        with b.While(lambda: ~is_null(link.value.load())):
            here = link.value.load()
            name = b.cast(here.name, u64)
            with b.If((name >= first) & (name < end)):
                with b.If(here.list > EMPTY_LIST):
                    taken = b.int_to_ptr(here.list, DisplayList)
                    taken.next = gone.value
                    gone.value = taken
                link.value.store(here.next)
                b.call(FREE, here.cast(ptr(u8)))
                shared.far_count = shared.far_count - 1
            with b.Else():
                link.value = here.addr("next")
    with b.If(shared.far_count == 0):
        shared.far_top = 0
    return gone.value


@kernel(LIST, (SHARED, u64, u64), noinline=True)
def lists_delete(b: Any, shared: Any, first: Any, end: Any) -> Any:
    """Make names in [first, end) free again; the chain of their lists. The lock is held."""
    gone = b.var(LIST, b.const(LIST, None))
    with b.If((shared.far_count != 0) & (end > TABLE_NAMES), likely=False):
        gone.value = b.call(far_delete, shared, b.max(first, TABLE_NAMES), end)
    top = b.cast(shared.list_top, u64)
    with b.For(b.max(first, 1), b.min(end, top + 1), 1) as name:
        place = shared.list_table + name
        head = place.load()
        with b.If(head != 0):
            b.store_atomic(place, 0)
            with b.If(head > EMPTY_LIST):
                taken = b.int_to_ptr(head, DisplayList)
                taken.next = gone.value
                gone.value = taken
    greatest = b.var(u32, shared.list_top)
    with b.While(lambda: greatest.value != 0):
        with b.If(shared.list_table[greatest.value] != 0):
            b.Break()
        greatest.value = greatest.value - 1
    b.store_atomic(shared.addr("list_top"), greatest.value)
    return gone.value


@native
def glDeleteLists(b: Any, ctx: Any, first: Any, range_: Any) -> None:
    error_if(b, ctx, range_ < 0, GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    shared = ctx.shared
    start = b.cast(first, u64)
    end = b.min(start + b.cast(b.cast(range_, u32), u64), 1 << 32)
    lock(b, shared)
    gone = b.call(lists_delete, shared, start, end)
    unlock(b, shared)
    b.call(lists_retire, ctx, gone)


@gl_kernel
@kernel(void, (SHARED,), noinline=True)
def lists_drop(b: Any, shared: Any) -> None:
    """The share group goes: all memory of its lists."""
    b.call(lists_collect, shared)
    here = b.var(LIST, b.call(lists_delete, shared, 0, 1 << 32))
    with b.While(lambda: ~is_null(here.value)):
        this = here.value
        here.value = this.next
        b.call(FREE, this.cast(ptr(u8)))
    b.call(FREE, shared.far_lists.cast(ptr(u8)))
    table = shared.list_table.cast(ptr(u8))
    with b.If(~is_null(table)):
        b.call(MUNMAP, table, TABLE_NAMES * 8)


@native
def glNewList(b: Any, ctx: Any, name: Any, mode: Any) -> None:
    error_if(b, ctx, name == 0, GL_INVALID_VALUE)
    error_if(b, ctx, (mode != GL_COMPILE) & (mode != GL_COMPILE_AND_EXECUTE), GL_INVALID_ENUM)
    dlist = ctx.dlist
    error_if(b, ctx, dlist.name != 0, GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    with b.If(is_null(dlist.save), likely=False):
        b.call(ctx.hook_upload, ctx, HOOK_SAVE_PREPARE)
        error_if(b, ctx, is_null(dlist.save), GL_OUT_OF_MEMORY)
    s = dlist.save.cast(ptr(VboSave))
    for field in ("begin_mode", "touched", "known", "loopback", "has_first", "failed"):
        setattr(s, field, 0)
    s.execute = b.cast(mode == GL_COMPILE_AND_EXECUTE, u32)
    s.nodes_used = DisplayList.size
    empty_store(s)
    reset_layout(b, s)
    measure(b, s)
    dlist.name = name
    dlist.mode = mode
    ctx.dispatch = ctx.save_table


@native
def glEndList(b: Any, ctx: Any) -> None:
    """No list is being compiled: while one is, save.py's stands here."""
    record_error(b, ctx, GL_INVALID_OPERATION)


__all__ = ["LIST", "MALLOC", "list_enter", "list_of"]
