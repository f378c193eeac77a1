# SPDX-License-Identifier: MIT
"""Records of the cache as bytes: whole numbers, texts and byte strings, in the order in which they
are written.

In: numbers and strings, one after the other (`Writer`). Out: a flat file, and the same in the same
order again (`decode`, with a `Reader`); what they mean is known to who writes and reads. Reading
makes numbers, strings and nothing else: bytes of a file are never taken for code or for the names
of classes. A file that is damaged, or that somebody made up, raises Damaged.

    bytes a number has, counts of numbers and byte strings | numbers | lengths | byte strings

The first byte string is all texts, a zero behind each. So numbers come back by one call of struct,
texts by one split, and the columns of a table (`Reader.table`) by slices: who reads makes rows of
columns by `map`, and runs no Python for a number.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import accumulate, islice
from typing import TypeVar

T = TypeVar("T")
_HEAD = struct.Struct("<BII")
_FORMS = {4: "i", 8: "q"}  # of numbers, by their bytes


class Damaged(Exception):
    """The bytes are not what a Writer made."""


class Writer:
    """Collects a record."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._texts: list[str] = []
        self._data: list[bytes] = []

    def number(self, *values: int) -> None:
        """Whole numbers of 64 bits with a sign; truth values are 0 and 1."""
        self._numbers += values

    def numbers(self, values: Iterable[int]) -> None:
        """Any count of numbers, which is written before them."""
        values = tuple(values)
        self._numbers.append(len(values))
        self._numbers += values

    def table(self, rows: Iterable[Iterable[int]]) -> None:
        """Any count of rows of numbers, each of so many as the reader knows."""
        rows = tuple(rows)
        self._numbers.append(len(rows))
        for row in rows:
            self._numbers += row

    def data(self, *values: bytes) -> None:
        """Byte strings."""
        self._data += values

    def text(self, *values: str) -> None:
        """Texts, without zeros."""
        if any("\0" in value for value in values):
            raise ValueError("a zero ends a text")
        self._texts += values

    def add(self, other: Writer) -> None:
        """All that another one has collected."""
        self._numbers += other._numbers
        self._texts += other._texts
        self._data += other._data

    def finish(self) -> bytes:
        """The record."""
        numbers = self._numbers
        strings = ["".join(f"{text}\0" for text in self._texts).encode(), *self._data]
        size = 4 if all(-(1 << 31) <= number < 1 << 31 for number in numbers) else 8
        form = f"<{len(numbers)}{_FORMS[size]}{len(strings)}I"
        body = struct.pack(form, *numbers, *map(len, strings))
        return b"".join((_HEAD.pack(size, len(numbers), len(strings)), body, *strings))


class Reader:
    """Gives back what a Writer was given, in `decode`."""

    def __init__(self, data: bytes) -> None:
        try:
            size, count, strings = _HEAD.unpack_from(data)
            form = f"<{count}{_FORMS[size]}{strings}I"
            numbers = struct.unpack_from(form, data, _HEAD.size)
        except (struct.error, KeyError, MemoryError, OverflowError):
            raise Damaged("shorter than it says") from None
        begin = _HEAD.size + size * count + 4 * strings
        ends = (*accumulate(numbers[count:], initial=begin),)
        if ends[-1] != len(data):
            raise Damaged("strings of another length than it says")
        self._numbers = iter(numbers[:count])
        self._data = map(data.__getitem__, map(slice, ends, ends[1:]))
        *texts, rest = next(self._data, b"").decode().split("\0")
        if rest:
            raise Damaged("a text without an end")
        self._texts = iter(texts)
        #: one number; one byte string; one text. Where there is none: StopIteration
        self.number: Callable[[], int] = self._numbers.__next__
        self.data: Callable[[], bytes] = self._data.__next__
        self.text: Callable[[], str] = self._texts.__next__

    def some(self, count: int) -> tuple[int, ...]:
        """So many numbers."""
        return _taken(self._numbers, count)

    def texts(self, count: int) -> tuple[str, ...]:
        """So many texts."""
        return _taken(self._texts, count)

    def table(self, columns: int) -> list[tuple[int, ...]]:
        """The columns of a table."""
        rows = self.number()
        if not rows:
            return [()] * columns
        numbers = _taken(self._numbers, rows * columns)
        return [numbers[n::columns] for n in range(columns)]

    def two(self) -> tuple[int, int]:
        """Two numbers."""
        return self.number(), self.number()

    def numbers(self) -> tuple[int, ...]:
        """Numbers that were written with their count."""
        return _taken(self._numbers, self.number())

    def flag(self) -> bool:
        """A truth value."""
        value = self.number()
        if value not in (0, 1):
            raise Damaged("no truth value")
        return value == 1

    def finish(self) -> None:
        """Everything must have been read."""
        for rest in (self._numbers, self._texts, self._data):
            for _ in rest:
                raise Damaged("longer than what it says")


def _taken(values: Iterable[T], count: int) -> tuple[T, ...]:
    """The next ones, `count` of them."""
    found = (*islice(values, count),)  # a count below zero or of no machine's size: ValueError
    if len(found) != count:
        raise Damaged("fewer than it says")
    return found


def decode(data: bytes, parse: Callable[[Reader], T]) -> T:
    """What `parse` makes of a record, all of which it reads. Damaged, where it meets the end or
    raises ValueError or LookupError."""
    try:
        read = Reader(data)
        found = parse(read)
    except (StopIteration, RuntimeError, ValueError, LookupError) as error:
        raise Damaged(repr(error)) from None  # RuntimeError: the end, within a generator
    read.finish()
    return found


__all__ = ["Damaged", "Reader", "Writer", "decode"]
