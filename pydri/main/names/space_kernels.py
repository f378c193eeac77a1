# SPDX-License-Identifier: MIT
"""Names: which are taken, and what each stands for. Everything here works on one `NameSpace`
(names/layout.py) and knows nothing of objects.

In: a name space whose table is there (`names_table`). Out: names, and the entries of names. Who
writes holds the lock for a few instructions; memory is allocated before and given back behind.
Mesa: main/hash.c, util/u_idalloc.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import extern_c, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import is_null
from pydri.main.names.layout import (
    FREE,
    LEVELS,
    RESERVED,
    TABLE_BYTES,
    TABLE_NAMES,
    FarName,
    NameSpace,
)

if TYPE_CHECKING:
    from typing import Any

    from pydri.jit.builder import Builder
    from pydri.jit.values import Pointer, Value

SPACE, FAR, BYTES = ptr(NameSpace), ptr(FarName), ptr(u8)
MALLOC = extern_c("malloc", BYTES, u64)
CALLOC = extern_c("calloc", BYTES, u64, u64)
FREE_MEMORY = extern_c("free", void, BYTES)
MMAP = extern_c("mmap", BYTES, BYTES, u64, i32, i32, i32, i64)
MUNMAP = extern_c("munmap", i32, BYTES, u64)
SCHED_YIELD = extern_c("sched_yield", i32)

NO_MEMORY = 0xFFFFFFFFFFFFFFFF  # an entry that there is none for
MOST_NAMES = 1 << 24  # a program gets no more names in a row
_FULL = 0xFFFFFFFFFFFFFFFF
_SPINS = 200
_STEPS = 1 << 12  # gaps that are looked at for names in a row
_FIRST_BUCKETS = 64
_READ_WRITE, _PRIVATE_ANONYMOUS_NORESERVE = 3, 0x4022


# -- the lock -------------------------------------------------------------------------------------


@kernel(void, (ptr(u32),), cold=True)
def lock_wait(b: Builder, word: Pointer) -> None:
    """The lock is another thread's: it is not held long, unless that thread has to wait for us."""
    spins = b.var(u32, 0)
    with b.While(lambda: b.cmpxchg(word, 0, 1) != 0):
        b.pause()
        spins.value = spins.value + 1
        with b.If(spins.value > _SPINS):
            spins.value = 0
            b.call(SCHED_YIELD)


def lock(b: Builder, owner: Any) -> None:
    """Take the lock of a name space or a share group, for a few instructions."""
    with b.If(b.cmpxchg(owner.addr("lock"), 0, 1) != 0, likely=False):
        b.call(lock_wait, owner.addr("lock"))


def unlock(b: Builder, owner: Any) -> None:
    b.store_atomic(owner.addr("lock"), 0)


# -- the table ------------------------------------------------------------------------------------


def _level(space: NameSpace, level: int) -> Pointer:
    """The words of one level of bits, behind the table."""
    return space.table + (TABLE_NAMES + sum(LEVELS[:level]))


@kernel(u32, (SPACE,), cold=True)
def names_table(b: Builder, space: NameSpace) -> Value:
    """Reserve the table. 0: no memory."""
    with b.If(is_null(space.table)):
        null = b.const(BYTES, None)
        flags = _PRIVATE_ANONYMOUS_NORESERVE
        place = b.call(MMAP, null, TABLE_BYTES, _READ_WRITE, flags, -1, 0)
        with b.If(b.ptr_to_int(place) == NO_MEMORY):
            b.Return(0)
        fresh = place.cast(ptr(u64))
        fresh[TABLE_NAMES] = 1  # 0 is no name
        other = b.cmpxchg(space.addr("table"), b.const(ptr(u64), None), fresh)
        with b.If(~is_null(other)):  # another thread was quicker
            b.call(MUNMAP, place, TABLE_BYTES)
    b.store_atomic(space.addr("limit"), TABLE_NAMES)
    return b.const(u32, 1)


def _take(b: Builder, space: NameSpace, name: Value) -> None:
    """A name of the table is taken. The lock is held."""
    at, full = b.var(u32, name), b.var(u32, 1)
    for level in range(3):
        with b.If(full.value != 0):
            word = _level(space, level) + (at.value >> 6)
            word.store(word.load() | (b.const(u64, 1) << b.cast(at.value & 63, u64)))
            full.value = b.cast(word.load() == _FULL, u32)
            at.value = at.value >> 6
    space.top = b.max(space.top, name)


def _give(b: Builder, space: NameSpace, name: Value) -> None:
    """A name of the table is free. The lock is held."""
    for level in range(3):
        at = name >> (6 * level)
        word = _level(space, level) + (at >> 6)
        word.store(word.load() & ~(b.const(u64, 1) << b.cast(at & 63, u64)))


@kernel(u32, (SPACE,), noinline=True)
def names_lowest(b: Builder, space: NameSpace) -> Value:
    """The lowest free name of the table, 0 if there is none. The lock is held."""
    with b.For(b.const(u32, 0), LEVELS[2], 1) as n:
        gaps = ~(_level(space, 2) + n).load()
        with b.If(gaps != 0):
            at = b.var(u32, n * 64 + b.cast(b.ctz(gaps), u32))
            for level in (1, 0):
                free = ~(_level(space, level) + at.value).load()
                at.value = at.value * 64 + b.cast(b.ctz(free), u32)
            b.Return(at.value)
    return b.const(u32, 0)


@kernel(u32, (SPACE, u32, u32, u32), noinline=True)
def names_next(b: Builder, space: NameSpace, first: Value, end: Value, taken: Value) -> Value:
    """The first name in [first, end) that is taken (or, with `taken` 0, free), else `end`."""
    flip = b.select(taken != 0, b.const(u64, 0), _FULL)
    at = b.var(u32, first)
    with b.While(lambda: at.value < end):
        word = ((space.table + TABLE_NAMES) + (at.value >> 6)).load() ^ flip
        left = word >> b.cast(at.value & 63, u64)
        with b.If(left != 0):
            found = at.value + b.cast(b.ctz(left), u32)
            b.Return(b.min(found, end))
        at.value = (at.value | 63) + 1
    return end


@kernel(u32, (SPACE, u32), noinline=True)
def names_gap(b: Builder, space: NameSpace, count: Value) -> Value:
    """The first of `count` free names in a row in the table, 0 if there are none. The lock is
    held. Where there are very many gaps, the names above all others are taken.
    """
    at = b.var(u32, b.call(names_lowest, space))
    with b.If((count == 1) | (at.value == 0)):
        b.Return(at.value)
    steps = b.var(u32, 0)
    with b.While(lambda: (at.value + count <= TABLE_NAMES) & (steps.value < _STEPS)):
        end = b.call(names_next, space, at.value, at.value + count, 1)
        with b.If(end == at.value + count):
            b.Return(at.value)
        at.value = b.call(names_next, space, end, TABLE_NAMES, 0)
        steps.value = steps.value + 1
    above = b.var(u32, 0)
    with b.If(space.top + 1 + count <= TABLE_NAMES):
        above.value = space.top + 1
    return above.value


# -- names beyond the table -----------------------------------------------------------------------


def _bucket(space: NameSpace, name: Value) -> Any:
    """Where the chain of a name beyond the table begins; there are buckets."""
    return space.far + ((name * 0x9E3779B1) & (space.far_buckets - 1))


@kernel(ptr(FAR), (SPACE, u32), noinline=True)
def far_link(b: Builder, space: NameSpace, name: Value) -> Value:
    """What points to a name beyond the table; null if there is no such name. The lock is held."""
    link: Any = b.var(ptr(FAR), b.const(ptr(FAR), None))
    with b.If(space.far_count != 0):
        link.value = _bucket(space, name)
        with b.While(lambda: ~is_null(link.value.load())):
            with b.If(link.value.load().name == name):
                b.Return(link.value)
            link.value = link.value.load().addr("next")
    return b.const(ptr(FAR), None)


@kernel(u32, (SPACE, u32), cold=True)
def far_room(b: Builder, space: NameSpace, count: Value) -> Value:
    """Buckets for `count` names more. 0: no memory, and there are none."""
    with b.Loop():
        wanted = space.far_count + count
        with b.If((space.far_buckets >= wanted) & (space.far_buckets != 0)):
            b.Break()
        size = b.var(u32, b.max(space.far_buckets, _FIRST_BUCKETS))
        with b.While(lambda: size.value < wanted):
            size.value = size.value * 2
        place = b.call(CALLOC, b.cast(size.value, u64), 8)
        with b.If(is_null(place)):
            b.Return(b.cast(space.far_buckets != 0, u32))
        fresh = place.cast(ptr(FAR))
        lock(b, space)
        old, buckets = space.far, space.far_buckets
        with b.If(buckets < size.value):
            space.far = fresh
            space.far_buckets = size.value
            _rehash(b, space, old, buckets)
        unlock(b, space)
        with b.If(buckets < size.value):
            b.call(FREE_MEMORY, old.cast(BYTES))
        with b.Else():
            b.call(FREE_MEMORY, place)
    return b.const(u32, 1)


def _rehash(b: Builder, space: NameSpace, old: Any, buckets: Value) -> None:
    with b.For(b.const(u32, 0), buckets, 1) as n:
        here = b.var(FAR, old[n])
        with b.While(lambda: ~is_null(here.value)):
            this = here.value
            here.value = this.next
            head = _bucket(space, this.name)
            this.next = head.load()
            head.store(this)


def _far_add(space: NameSpace, node: Any, name: Value, entry: Value) -> None:
    """Enter a name beyond the table; there are buckets, and the lock is held."""
    bucket = _bucket(space, name)
    node.name, node.entry, node.next = name, entry, bucket.load()
    bucket.store(node)
    space.far_count = space.far_count + 1


@kernel(u64, (SPACE, u32, u64, u64), cold=True)
def far_in_bucket(b: Builder, space: NameSpace, n: Value, first: Value, end: Value) -> Value:
    """A name beyond the table in [first, end) that lies in the n-th bucket, else `end`."""
    out = b.var(u64, end)
    lock(b, space)
    with b.If(n < space.far_buckets):
        here = b.var(FAR, space.far[n])
        with b.While(lambda: ~is_null(here.value)):
            name = b.cast(here.value.name, u64)
            out.value = b.select(name >= first, b.min(name, out.value), out.value)
            here.value = here.value.next
    unlock(b, space)
    return out.value


@kernel(FAR, (FAR,), cold=True)
def far_free(b: Builder, first: FarName) -> Value:
    """Give a chain of places back."""
    here = b.var(FAR, first)
    with b.While(lambda: ~is_null(here.value)):
        this = here.value
        here.value = this.next
        b.call(FREE_MEMORY, this.cast(BYTES))
    return b.const(FAR, None)


@kernel(FAR, (u32,), cold=True)
def far_places(b: Builder, count: Value) -> Value:
    """A chain of places for names; null: no memory."""
    chain = b.var(FAR, b.const(FAR, None))
    with b.For(b.const(u32, 0), count, 1):
        place = b.call(MALLOC, FarName.size)
        with b.If(is_null(place)):
            b.Return(b.call(far_free, chain.value))
        node = place.cast(FAR)
        node.next = chain.value
        chain.value = node
    return chain.value


@kernel(u32, (SPACE, u32), cold=True)
def far_gap(b: Builder, space: NameSpace, count: Value) -> Value:
    """The first of `count` free names in a row beyond the table, 0 if there are none. The search
    goes on where the last one ended, and once around. The lock is held.
    """
    first = b.var(u64, b.max(b.cast(space.far_next, u64), TABLE_NAMES))
    run, around = b.var(u32, 0), b.var(u32, 0)
    with b.Loop():
        with b.If(first.value + b.cast(count, u64) > 1 << 32):
            with b.If(around.value != 0):
                b.Return(0)
            around.value, run.value = 1, 0
            first.value = TABLE_NAMES
        with b.If(run.value == count):
            b.Break()
        name = b.cast(first.value, u32) + run.value
        run.value = run.value + 1
        with b.If(~is_null(b.call(far_link, space, name))):
            first.value = b.cast(name, u64) + 1
            run.value = 0
    space.far_next = b.cast(first.value, u32) + count
    return b.cast(first.value, u32)


@kernel(u32, (SPACE, u32), cold=True)
def far_take(b: Builder, space: NameSpace, count: Value) -> Any:
    """`count` names in a row beyond the table become reserved; the first, 0: no memory."""
    with b.If(b.call(far_room, space, count) == 0):
        b.Return(0)
    places = b.var(FAR, b.call(far_places, count))
    with b.If(is_null(places.value)):
        b.Return(0)
    lock(b, space)
    first = b.call(far_gap, space, count)
    with b.If(first != 0), b.For(b.const(u32, 0), count, 1) as n:
        node = places.value
        places.value = node.next
        _far_add(space, node, first + n, b.const(u64, RESERVED))
    unlock(b, space)
    b.call(far_free, places.value)
    return first


def limit_of(b: Builder, space: Any) -> Any:
    """NameSpace.limit; if it is not 0, what is read behind this finds the table."""
    return b.load_atomic(space.addr("limit"))


# -- what a name stands for -----------------------------------------------------------------------


@kernel(u64, (SPACE, u32), noinline=True)
def names_find(b: Builder, space: NameSpace, name: Value) -> Value:
    """The entry of a name: FREE, RESERVED, or an object, which may be gone the next moment."""
    with b.If(name < limit_of(b, space), likely=True):
        b.Return(b.load_atomic(space.table + name))
    found = b.var(u64, FREE)
    with b.If((name >= TABLE_NAMES) & (space.far_count != 0)):
        lock(b, space)
        link = b.call(far_link, space, name)
        with b.If(~is_null(link)):
            found.value = link.load().entry
        unlock(b, space)
    return found.value


@kernel(u32, (SPACE, u32), noinline=True)
def names_take(b: Builder, space: NameSpace, count: Value) -> Any:
    """`count` free names in a row become reserved, as low as there are; the first, 0: no memory.
    There is a table.
    """
    with b.If(count > MOST_NAMES, likely=False):
        b.Return(0)
    lock(b, space)
    first = b.call(names_gap, space, count)
    with b.If(first != 0, likely=True), b.For(b.const(u32, 0), count, 1) as n:
        _take(b, space, first + n)
        b.store_atomic(space.table + (first + n), RESERVED)
    unlock(b, space)
    with b.If(first == 0, likely=False):
        b.Return(b.call(far_take, space, count))
    return first


@kernel(u32, (SPACE, u32, ptr(FAR)), noinline=True)
def names_prepare(b: Builder, space: NameSpace, name: Value, place: Pointer) -> Value:
    """What `names_write` needs for a name: `place` gets memory for one beyond the table, or null.
    The lock is not held. 0: no memory.
    """
    place.store(b.const(FAR, None))
    with b.If(name < TABLE_NAMES, likely=True):
        b.Return(1)
    with b.If(b.call(far_room, space, 1) == 0):
        b.Return(0)
    place.store(b.call(far_places, 1))
    return b.cast(~is_null(place.load()), u32)


@kernel(u64, (SPACE, u32, u64, u32, ptr(FAR)), noinline=True)
def names_write(
    b: Builder, space: NameSpace, name: Value, entry: Value, replace: Value, place: Pointer
) -> Value:
    """Write the entry of a name (not 0); with `replace` 0 only if no object stands there. What
    stood there before. The lock is held, and `place` filled by `names_prepare`; what is left of it
    is for `far_free` afterwards.
    """
    old = b.var(u64, FREE)
    with b.If(name < TABLE_NAMES, likely=True):
        at = space.table + name
        old.value = at.load()
        with b.If(old.value == FREE):
            _take(b, space, name)
        with b.If((old.value <= RESERVED) | (replace != 0)):
            b.store_atomic(at, entry)
        b.Return(old.value)
    link = b.call(far_link, space, name)
    with b.If(is_null(link)):
        _far_add(space, place.load(), name, entry)
        place.store(b.const(FAR, None))
    with b.Else():
        node = link.load()
        old.value = node.entry
        with b.If((old.value <= RESERVED) | (replace != 0)):
            node.entry = entry
    return old.value


@kernel(u64, (SPACE, u32, u64), noinline=True)
def names_enter(b: Builder, space: NameSpace, name: Value, entry: Value) -> Any:
    """A name (not 0) gets an object, unless it has one. What stood there before; NO_MEMORY:
    nothing happened. There is a table.
    """
    place = b.array(FAR, 1)
    with b.If(b.call(names_prepare, space, name, place) == 0, likely=False):
        b.Return(NO_MEMORY)
    lock(b, space)
    old = b.call(names_write, space, name, entry, 0, place)
    unlock(b, space)
    with b.If(~is_null(place.load()), likely=False):
        b.call(far_free, place.load())
    return old


@kernel(u64, (SPACE, u32, ptr(FAR)), noinline=True)
def names_clear(b: Builder, space: NameSpace, name: Value, gone: Pointer) -> Any:
    """A name becomes free; its entry. The lock is held; `gone` gets a place that is to be freed
    behind it, or null.
    """
    gone.store(b.const(FAR, None))
    with b.If(name < limit_of(b, space), likely=True):
        at = space.table + name
        old = at.load()
        with b.If(old != FREE):
            b.store_atomic(at, FREE)
            _give(b, space, name)
        b.Return(old)
    link = b.call(far_link, space, name)
    with b.If(is_null(link)):
        b.Return(FREE)
    node = link.load()
    link.store(node.next)
    space.far_count = space.far_count - 1
    gone.store(node)
    node.next = b.const(FAR, None)
    return node.entry


@kernel(void, (SPACE,), cold=True)
def names_close(b: Builder, space: NameSpace) -> None:
    """Nobody uses the name space any more: the memory of its names goes."""
    with b.For(b.const(u32, 0), space.far_buckets, 1) as n:
        b.call(far_free, space.far[n])
    b.call(FREE_MEMORY, space.far.cast(BYTES))
    with b.If(~is_null(space.table)):
        b.call(MUNMAP, space.table.cast(BYTES), TABLE_BYTES)
