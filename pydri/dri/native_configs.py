# SPDX-License-Identifier: MIT
"""Attributes of configs for kernels: programs ask for each attribute of each config, tens of
thousands of times before they draw anything.

In: configs with their values, by a front (GLX, EGL). Out: a table that `dri_config_value` reads
natively: a hash of the handles that are known, each with the display that it is of and its row of
values. What is not in there (another handle, another attribute) is a case for the front's Python
form, which remains the definition. A table is made when a program has asked `_PATIENCE` times:
most never ask.

The table is replaced, never edited, but for the row that a key has; old ones stay allocated for a
while, since nobody knows who still reads them.
"""

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit import Struct, i32, kernel, ptr, u32, u64

if TYPE_CHECKING:
    from array import array

_HASH = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_KEEP_TABLES = 8
_PATIENCE = 24  # calls of Python's form


class ConfigEntry(Struct):
    """What a display calls a config; key 0: free, and the end of a chain."""

    key = u64
    display = u64
    values = ptr(i32)
    alive = ptr(u64)  # not 0 as long as the display is there


class ConfigTable(Struct):
    """All that kernels know of a front's configs."""

    shift = u32  # a hash has 64 - shift bits
    mask = u32
    count = u32
    unused = u32
    attributes = ptr(u32)
    entries = ptr(ConfigEntry)


@kernel(u32, (ptr(ConfigTable), u64, u64, u32, ptr(i32)))
def dri_config_value(b: Any, table: Any, display: Any, key: Any, attribute: Any, out: Any) -> None:
    """Store an attribute of a config: 1 if done, 0 if it is a case for Python."""
    with b.If((b.ptr_to_int(table) == 0) | (b.ptr_to_int(out) == 0) | (key == 0)):
        b.Return(0)
    place = b.var(u64, ((display ^ key) * _HASH) >> b.cast(table.shift, u64))
    with b.Loop():
        entry = table.entries + place.value
        with b.If(entry.key == 0):
            b.Return(0)
        with b.If((entry.key == key) & (entry.display == display)):
            with b.If(entry.alive[0] == 0):
                b.Return(0)
            values = entry.values
            with b.For(b.const(u32, 0), table.count) as n:
                with b.If(table.attributes[n] == attribute):
                    out[0] = values[n]
                    b.Return(1)
            b.Return(0)
        place.value = (place.value + 1) & b.cast(table.mask, u64)
    b.Return(0)


class ConfigRow(NamedTuple):
    """A config as a table has it: under a key, of a display (0: whichever), alive while the word at
    an address is not 0."""

    key: int
    display: int
    alive: int
    values: Mapping[int, int]


class NativeConfigs:
    """A front's table; `publish` tells its kernels the address."""

    def __init__(self, publish: Callable[[int], None]) -> None:
        self._publish = publish
        self._lock = threading.RLock()
        self._rows: dict[tuple[int, int], tuple[int, int]] = {}  # (key, display): row, alive
        self._attributes: Any = None
        self._pick: Any = None  # mapping of values -> those of the attributes
        self._values: dict[int, tuple[Mapping[int, int], array[int]]] = {}  # by its id
        self._owners: dict[object, list[tuple[int, int]]] = {}
        self._asked: dict[object, int] = {}
        self._tables: list[Any] = []

    def asked(self, owner: object, rows: Callable[[], Iterable[ConfigRow]]) -> None:
        """Python's form was called for a config of an owner (a screen, a display), whose configs
        become known natively when that has happened often enough."""
        count = self._asked.get(owner, 0) + 1
        self._asked[owner] = count
        if count == _PATIENCE:
            with self._lock:
                self._add(owner, rows())

    def _add(self, owner: object, rows: Iterable[ConfigRow]) -> None:
        from operator import itemgetter  # a start does without

        keys = self._owners.setdefault(owner, [])
        for row in rows:
            if self._attributes is None:
                self._attributes = (ctypes.c_uint32 * len(row.values))(*row.values)
                self._pick = itemgetter(*row.values)
            key = row.key, row.display
            self._rows[key] = self._row(row.values), row.alive
            keys.append(key)
        self._make()

    def _row(self, values: Mapping[int, int]) -> int:
        """The address of a config's values."""
        found = self._values.get(id(values))
        if found is None:  # what is -1 to C is not to Python
            from array import array  # which imports collections

            numbers = self._pick(values)
            try:
                words = array("i", numbers)
            except OverflowError:
                words = array("i", (number - (number >> 31 << 32) for number in numbers))
            found = self._values[id(values)] = values, words
        return found[1].buffer_info()[0]

    def change(self, key: int, display: int, values: Mapping[int, int]) -> None:
        """A key that is known natively stands for another config from now on."""
        with self._lock:
            known = self._rows.get((key, display))
            if known is not None:
                self._rows[key, display] = self._row(values), known[1]
                self._tables[-1][2].append(self._values[id(values)])
                self._place(key, display).values = self._rows[key, display][0]

    def remove(self, owner: object) -> None:
        """The configs of an owner are no more."""
        with self._lock:
            self._asked.pop(owner, None)
            keys = self._owners.pop(owner, ())
            for key in keys:
                self._rows.pop(key, None)
            if keys:
                used = {address for address, _ in self._rows.values()}
                self._values = {
                    name: row for name, row in self._values.items()
                    if row[1].buffer_info()[0] in used
                }  # fmt: skip
                self._make()

    def _place(self, key: int, display: int) -> Any:
        table, entries, _ = self._tables[-1]
        at = ((display ^ key) * _HASH & _MASK) >> table.shift
        while entries[at].key and (entries[at].key, entries[at].display) != (key, display):
            at = (at + 1) & table.mask
        return entries[at]

    def _make(self) -> None:
        """A table of what is known; chains are short, since it is half empty."""
        bits = max(len(self._rows), 4).bit_length() + 1
        entries = (ConfigEntry.ctype() * (1 << bits))()
        table = ConfigTable.ctype()(
            shift=64 - bits, mask=(1 << bits) - 1, count=len(self._attributes or ()),
            attributes=ctypes.addressof(self._attributes), entries=ctypes.addressof(entries),
        )  # fmt: skip
        self._tables.append((table, entries, list(self._values.values())))
        for (key, display), (values, alive) in self._rows.items():
            entry = self._place(key, display)
            entry.display, entry.values, entry.alive = display, values, alive
            entry.key = key
        self._publish(ctypes.addressof(table))
        del self._tables[:-_KEEP_TABLES]


__all__ = ["ConfigRow", "ConfigTable", "NativeConfigs", "dri_config_value"]
