# SPDX-License-Identifier: MIT
"""Share groups: objects that several contexts see (display lists, buffer objects, later textures
and programs).

In: contexts that join and leave. Out: dicts from names to objects, and the native table of buffer
objects that kernels look names up in (`SharedBlock`). Names below TABLE_LIMIT are in the table;
larger ones, which only a program that invents its names has, go through Python. Mesa:
main/shared.c, main/hash.c.

Kernels read without locks, and GL allows a thread to replace an object while another one uses it
(what is seen then is undefined, but nothing may break). So memory that another context may be
reading is let go of with a delay (`let_go`), not freed on the spot. Python's side has one lock.
"""

from __future__ import annotations

import ctypes
import time
from _thread import RLock
from collections import deque
from typing import Any

from pydri.main import memory
from pydri.main.layout import BufferObject, SharedBlock

TABLE_LIMIT = 1 << 20
_FIRST_TABLE = 256
_DELAY = 0.5  # seconds: longer than a draw, and a list that is still playing is waited for


class _Storage:
    """Memory of a buffer object that got other memory."""

    __slots__ = ("address",)

    def __init__(self, address: int) -> None:
        self.address = address

    def __del__(self) -> None:
        memory.free(self.address)


class Buffer:
    """A buffer object: Python's half; `n` is the native half."""

    __slots__ = ("access", "address", "map_address", "n", "name", "usage")

    def __init__(self, name: int) -> None:
        from pydri.api.enums import GL_READ_WRITE, GL_STATIC_DRAW

        self.name = name
        self.address = memory.allocate(BufferObject.size)
        self.n: Any = BufferObject.view(self.address)
        self.n.name = name
        self.usage = GL_STATIC_DRAW
        self.access = GL_READ_WRITE
        self.map_address = 0

    def set_data(self, size: int, source: int) -> _Storage:
        """New storage of `size` bytes, filled from the address `source` if that is not 0. Returns
        the old one. MemoryError leaves all as it was.
        """
        fresh = memory.allocate(size, zero=not source)
        if source:
            ctypes.memmove(fresh, source, size)
        old = _Storage(self.n.data)
        self.n.size = min(size, self.n.size)  # at no time more than either has
        self.n.data = fresh
        self.n.size = size
        self.changed()
        return old

    def changed(self) -> None:
        """The content is another: what was remembered about it (index bounds) no longer holds."""
        self.n.serial = (self.n.serial + 1) & 0xFFFFFFFF

    def free(self) -> None:
        """Give the storage back; nothing refers to the object any more."""
        memory.free(self.n.data)
        self.n.data = 0
        memory.free(self.address)


class ShareGroup:
    """Objects by name. `lists` belongs to pydri.vbo; `buffers` to bufferobj.py; further rooms add
    dicts in `others`.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.contexts: set[Any] = set()
        self.lists: dict[int, Any] = {}
        self.buffers: dict[int, Buffer | None] = {}  # None: a reserved name
        self.others: dict[str, Any] = {}
        self.by_address: dict[
            int, Buffer
        ] = {}  # native address -> object, also of deleted ones still in use
        self.address = memory.allocate(SharedBlock.size)
        self.n: Any = SharedBlock.view(self.address)
        self._next: dict[int, int] = {}  # of each table, by id
        self._old_tables: list[int] = []
        self._zombies: list[Buffer] = []
        self._leaving: deque[tuple[float, Any]] = deque()

    def let_go(self, thing: Any) -> None:
        """Keep `thing`, which owns memory, for as long as a kernel of another context, on another
        thread, may be reading it.
        """
        with self.lock:
            now = time.monotonic()
            if len(self.contexts) > 1:
                self._leaving.append((now + _DELAY, thing))
            if self._leaving and not any(c.n.dlist.nesting for c in tuple(self.contexts)):
                while self._leaving and self._leaving[0][0] < now:
                    self._leaving.popleft()

    def set_buffer_data(self, ctx: Any, buffer: Buffer, size: int, source: int) -> None:
        """glBufferData: other storage, while other contexts may draw from the old one."""
        old = buffer.set_data(size, source)
        others = [context for context in tuple(self.contexts) if context is not ctx]
        name = buffer.address.to_bytes(8, "little")
        if any(name in context.binding_bytes() for context in others):
            self.let_go(old)

    def new_names(self, table: dict[int, Any], count: int) -> list[int]:
        """`count` unused names in a row, or any unused ones when the numbers run out; none if
        `count` is 0. The caller holds the lock until they are in the table.
        """
        start = self._next.get(id(table), 1)
        if any(start + k in table for k in range(count)):  # the program invented names of its own
            start = max(table) + 1
        if start + count > 1 << 32:
            free = (name for name in range(1, 1 << 32) if name not in table)
            return [next(free) for _ in range(count)]
        self._next[id(table)] = start + count
        return list(range(start, start + count))

    def make_buffer(self, name: int) -> Buffer:
        """The object behind a name that was never bound before."""
        with self.lock:
            found = self.buffers.get(name)  # another thread may have been quicker
            if found is None:
                found = self.buffers[name] = Buffer(name)
                self.by_address[found.address] = found
                self._enter(name, found.address)
            return found

    def _enter(self, name: int, address: int) -> None:
        if name >= TABLE_LIMIT:
            return
        if name >= self.n.buffer_count:
            count = max(_FIRST_TABLE, self.n.buffer_count)
            while count <= name:
                count *= 2
            table = memory.allocate(8 * count)
            if self.n.buffers:
                ctypes.memmove(table, self.n.buffers, 8 * self.n.buffer_count)
                # another thread may be reading the old one: it is kept (their sizes add up to less
                # than the new one)
                self._old_tables.append(self.n.buffers)
            self.n.buffers = table
            self.n.buffer_count = count
        ctypes.c_uint64.from_address(self.n.buffers + 8 * name).value = address

    def forget_buffer(self, name: int) -> None:
        """The name is free again; the object lives on as long as some context refers to it."""
        with self.lock:
            found = self.buffers.pop(name, None)
            if found is None:
                return
            if name < self.n.buffer_count:
                ctypes.c_uint64.from_address(self.n.buffers + 8 * name).value = 0
            self._zombies.append(found)
            self.sweep()

    def sweep(self) -> None:
        """Free nameless buffers that nobody refers to: kernels bind buffers without counting, so
        we look at all bindings.
        """
        with self.lock:
            if not self._zombies:
                return
            bindings = b"".join(context.binding_bytes() for context in tuple(self.contexts))
            kept = []
            for buffer in self._zombies:
                if buffer.address.to_bytes(8, "little") in bindings:
                    kept.append(buffer)
                else:
                    self.by_address.pop(buffer.address, None)
                    buffer.free()
            self._zombies = kept

    def destroy(self) -> None:
        """The last context is gone."""
        self._leaving.clear()
        for buffer in list(self.by_address.values()):
            buffer.free()
        self.by_address.clear()
        self.buffers.clear()
        for table in (*self._old_tables, self.n.buffers):
            memory.free(table)
        memory.free(self.address)
