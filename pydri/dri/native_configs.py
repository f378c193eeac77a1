# SPDX-License-Identifier: MIT
"""Attributes of configs for kernels: programs ask for each attribute of each config, tens of
thousands of times before they draw anything.

In: configs with their values, attribute by attribute, by a front (GLX, EGL). Out: a table that
`dri_config_value` reads natively: a hash of the handles that are known, each with the display that
it is of and the place of its values. What is not in there (another handle, another attribute) is a
case for the front's Python form, which remains the definition. A table is made when a program has
asked `_PATIENCE` times: most look at a few configs, or at none.

The table is replaced, never edited, but for the values that a key has; old ones stay allocated for
a while, since nobody knows who still reads them.
"""

import ctypes
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit import Struct, i32, kernel, ptr, u32, u64

if TYPE_CHECKING:
    from array import array

_HASH = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_KEEP_TABLES = 8
_PATIENCE = 80  # calls of Python's form


class ConfigEntry(Struct):
    """What a display calls a config; key 0: free, and the end of a chain."""

    key = u64
    display = u64
    values = ptr(i32)  # of the first attribute; that of the next one lies `step` further
    step = u64
    alive = ptr(u64)  # not 0 as long as the display is there


_WORDS = ConfigEntry.size // 8
_VALUES = ConfigEntry.offset("values") // 8


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
                    out[0] = values[b.cast(n, u64) * entry.step]
                    b.Return(1)
            b.Return(0)
        place.value = (place.value + 1) & b.cast(table.mask, u64)
    b.Return(0)


class Configs(NamedTuple):
    """What there is to know of an owner's configs. All of a front have the same attributes."""

    columns: Mapping[int, Sequence[int]]  # attribute -> the values of all configs
    #: key, display (0: whichever), which config
    keys: Iterable[tuple[int, int, int]]
    alive: int  # the address of a word that is not 0 while they are there


class NativeConfigs:
    """A front's table; `publish` tells its kernels the address."""

    def __init__(self, publish: Callable[[int], None]) -> None:
        self._publish = publish
        self._lock = threading.RLock()
        #: (key, display): values, step, alive
        self._rows: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._attributes: Any = None
        self._values: dict[object, array[int]] = {}  # of an owner's configs, column by column
        self._owners: dict[object, list[tuple[int, int]]] = {}
        self._asked: dict[object, int] = {}
        self._tables: list[Any] = []

    def asked(self, owner: object, configs: Callable[[], Configs]) -> None:
        """Python's form was called for a config of an owner (a screen, a display), whose configs
        become known natively when that has happened often enough."""
        count = self._asked.get(owner, 0) + 1
        self._asked[owner] = count
        if count == _PATIENCE:
            with self._lock:
                self._add(owner, configs())

    def _add(self, owner: object, configs: Configs) -> None:
        from array import array  # which imports collections: a start does without

        if self._attributes is None:
            self._attributes = (ctypes.c_uint32 * len(configs.columns))(*configs.columns)
        words = array("i")
        for column in configs.columns.values():
            try:
                words.extend(column)
            except OverflowError:  # what is -1 to C is not to Python
                del words[len(words) // len(column) * len(column) :]
                words.extend(number - (number >> 31 << 32) for number in column)
        step, begin = len(words) // len(configs.columns), words.buffer_info()[0]
        keys = self._owners[owner] = []
        for key, display, number in configs.keys:
            self._rows[key, display] = begin + words.itemsize * number, step, configs.alive
            keys.append((key, display))
        self._values[owner] = words
        self._make()

    def change(self, key: int, display: int, other: int) -> None:
        """A key that is known natively stands from now on for the config of the same owner that
        has another key, under which it is known to whichever display."""
        with self._lock:
            if (key, display) in self._rows:
                row = self._rows[key, display] = self._rows[other, 0]
                entries = self._tables[-1][1]
                entries[self._place(entries, key, display) + _VALUES] = row[0]

    def remove(self, owner: object) -> None:
        """The configs of an owner are no more."""
        with self._lock:
            self._asked.pop(owner, None)
            keys = self._owners.pop(owner, ())
            for key in keys:
                self._rows.pop(key, None)
            self._values.pop(owner, None)
            if keys:
                self._make()

    def _place(self, entries: Sequence[int], key: int, display: int) -> int:
        """Where an entry begins that a key has, or gets, in the words of a table."""
        count = len(entries) // _WORDS
        at = ((display ^ key) * _HASH & _MASK) >> 65 - count.bit_length()
        wanted = key, display
        while (found := entries[_WORDS * at]) and (found, entries[_WORDS * at + 1]) != wanted:
            at = (at + 1) & count - 1
        return _WORDS * at

    def _make(self) -> None:
        """A table of what is known; chains are short, since it is half empty."""
        from array import array

        bits = max(len(self._rows), 4).bit_length() + 1
        words = [0] * (_WORDS << bits)
        for (key, display), row in self._rows.items():
            at = self._place(words, key, display)
            words[at : at + _WORDS] = key, display, *row
        entries = array("Q", words)
        table = ConfigTable.ctype()(
            shift=64 - bits, mask=(1 << bits) - 1, count=len(self._attributes or ()),
            attributes=ctypes.addressof(self._attributes), entries=entries.buffer_info()[0],
        )  # fmt: skip
        self._tables.append((table, entries, list(self._values.values())))
        self._publish(ctypes.addressof(table))
        del self._tables[:-_KEEP_TABLES]


__all__ = ["ConfigTable", "Configs", "NativeConfigs", "dri_config_value"]
