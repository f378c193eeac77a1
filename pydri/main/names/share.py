# SPDX-License-Identifier: MIT
"""Share groups: objects that several contexts see (display lists, buffer objects, later textures
and programs).

In: contexts that join and leave. Out: dicts from names to objects, and the native table of buffer
objects that kernels look names up in (`SharedBlock`; that of lists is pydri/vbo/lists.py's). Names
below TABLE_LIMIT are in the table; larger ones, which only a program that invents its names has,
are in a list. Mesa: main/shared.c, main/hash.c.

Kernels read without locks, and GL allows a thread to replace an object while another one uses it
(what is seen then is undefined, but nothing may break). The storage of buffers waits for its
readers (buffers/storage_kernels.py); the native halves of buffers are used again, never given back
while the group lives, so a stale pointer to one is harmless. Lists wait for their players
(vbo/lists.py). Python's side has one lock.
"""

from __future__ import annotations

import ctypes
from _thread import RLock
from typing import Any

from pydri.main import core, memory
from pydri.main.buffers.layout import BufferObject
from pydri.main.names.layout import SharedBlock

TABLE_LIMIT = 1 << 20
_FIRST_TABLE = 256
_SWEEP_FROM = 16
_SWEEP_BYTES = 1 << 20  # a nameless buffer of this size is searched for at once

_DROP = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_DROP_LISTS = ctypes.CFUNCTYPE(None, ctypes.c_uint64)


class Buffer:
    """A buffer object: Python's half is its names; `n` is the native half."""

    __slots__ = ("address", "label", "n", "name")

    def __init__(self, name: int, address: int) -> None:
        from pydri.api.enums import GL_STATIC_DRAW

        self.name = name
        self.label = ""
        self.address = address
        self.n: Any = BufferObject.view(address)
        serial = self.n.serial  # goes on counting: who remembers a former buffer here must notice
        ctypes.memset(address, 0, BufferObject.size)
        self.n.name, self.n.serial = name, serial
        self.n.usage = GL_STATIC_DRAW


class ShareGroup:
    """Objects by name. `buffers` belongs to buffers/entries.py; further rooms add
    dicts in `others`.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.contexts: set[Any] = set()
        self.buffers: dict[int, Buffer | None] = {}  # None: a reserved name
        self.others: dict[str, Any] = {}
        self.by_address: dict[
            int, Buffer
        ] = {}  # native address -> object, also of deleted ones still in use
        self.address = memory.allocate(SharedBlock.size)
        self.n: Any = SharedBlock.view(self.address)
        self.n.epoch = 1
        self._next: dict[int, int] = {}  # of each table, by id
        self._old_tables: list[int] = []
        self._zombies: list[Buffer] = []
        self._patience = _SWEEP_FROM  # nameless buffers before bindings are searched again
        self._spare: list[int] = []  # native halves that no buffer has

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
                self._make_room(name)
                address = self._spare.pop() if self._spare else memory.allocate(BufferObject.size)
                found = self.buffers[name] = Buffer(name, address)
                self.by_address[found.address] = found
                self._enter(name, found)
            return found

    def _make_room(self, name: int) -> None:
        """The kernels' table is long enough for a name; MemoryError leaves all as it was."""
        if self.n.buffer_count <= name < TABLE_LIMIT:
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

    def _enter(self, name: int, buffer: Buffer) -> None:
        if name >= TABLE_LIMIT:
            buffer.n.next_far = self.n.far_buffers
            self.n.far_buffers = buffer.address
            return
        ctypes.c_uint64.from_address(self.n.buffers + 8 * name).value = buffer.address

    def _unlink(self, name: int, buffer: Buffer) -> None:
        """Kernels find the name no longer."""
        if name < min(self.n.buffer_count, TABLE_LIMIT):
            ctypes.c_uint64.from_address(self.n.buffers + 8 * name).value = 0
            return
        here, field = self.n, "far_buffers"
        while getattr(here, field) not in (0, buffer.address):
            here, field = BufferObject.view(getattr(here, field)), "next_far"
        setattr(here, field, buffer.n.next_far)

    def forget_buffer(self, name: int) -> None:
        """The name is free again; the object lives on as long as some context refers to it."""
        with self.lock:
            found = self.buffers.pop(name, None)
            if found is None:
                return
            self._unlink(name, found)
            found.n.deleted = 1
            self._zombies.append(found)
            if len(self._zombies) >= self._patience or found.n.size >= _SWEEP_BYTES:
                self.sweep()

    def sweep(self) -> None:
        """Free nameless buffers that nobody refers to: kernels bind buffers without counting, so
        we look at all bindings, once the nameless have doubled.
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
                    self._free(buffer)
            self._zombies = kept
            self._patience = max(_SWEEP_FROM, 2 * len(kept))

    def _free(self, buffer: Buffer) -> None:
        self.by_address.pop(buffer.address, None)
        _DROP(core.core_image().address("buffer_drop"))(self.address, buffer.address)
        self._spare.append(buffer.address)

    def destroy(self) -> None:
        """The last context is gone."""
        drop_lists = core.core_image().symbols.get("lists_drop")  # pydri.vbo's
        if drop_lists:
            _DROP_LISTS(drop_lists)(self.address)
        for buffer in list(self.by_address.values()):
            self._free(buffer)
        self.buffers.clear()
        for block in (*self._spare, *self._old_tables, self.n.buffers, self.n.syncs):
            memory.free(block)
        memory.free(self.address)
