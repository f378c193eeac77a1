# SPDX-License-Identifier: MIT
"""Records of the cache as bytes: whole numbers and texts, in the order in which they are written.

In: numbers and byte strings, one after the other (`Writer`). Out: a flat file, and the same in the
same order again (`decode`, with a `Reader`); what they mean is known to who writes and reads.
Reading makes numbers, strings and nothing else: bytes of a file are never taken for code or for the
names of classes. A file that is damaged, or that somebody made up, raises Damaged.

    counts of numbers and texts | numbers, 8 bytes each | lengths of texts | texts

All numbers come back by one call of struct, which is what makes it quick.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
_COUNTS = struct.Struct("<II")


class Damaged(Exception):
    """The bytes are not what a Writer made."""


class Writer:
    """Collects a record."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._texts: list[bytes] = []

    def number(self, *values: int) -> None:
        """Whole numbers of 64 bits with a sign; truth values are 0 and 1."""
        self._numbers += values

    def numbers(self, values: Iterable[int]) -> None:
        """Any count of numbers, which is written before them."""
        values = tuple(values)
        self._numbers.append(len(values))
        self._numbers += values

    def data(self, *values: bytes) -> None:
        """Byte strings."""
        self._texts += values

    def text(self, *values: str) -> None:
        """Texts."""
        self._texts += [value.encode() for value in values]

    def add(self, other: Writer) -> None:
        """All that another one has collected."""
        self._numbers += other._numbers
        self._texts += other._texts

    def finish(self) -> bytes:
        """The record."""
        numbers, lengths = self._numbers, [len(text) for text in self._texts]
        form = f"<{len(numbers)}q{len(lengths)}I"
        head = _COUNTS.pack(len(numbers), len(lengths))
        return b"".join((head, struct.pack(form, *numbers, *lengths), *self._texts))


class Reader:
    """Gives back what a Writer was given, in `decode`."""

    def __init__(self, data: bytes) -> None:
        try:
            count, texts = _COUNTS.unpack_from(data)
            numbers = struct.unpack_from(f"<{count}q{texts}I", data, _COUNTS.size)
        except (struct.error, MemoryError, OverflowError):
            raise Damaged("shorter than it says") from None
        end = _COUNTS.size + 8 * count + 4 * texts
        strings = []
        for length in numbers[count:]:
            strings.append(data[end : end + length])
            end += length
        if end != len(data):
            raise Damaged("texts of another length than it says")
        self._most = count + texts
        self._numbers = iter(numbers[:count])
        self._strings = iter(strings)
        #: one number; one byte string. Where there is none: StopIteration
        self.number: Callable[[], int] = self._numbers.__next__
        self.data: Callable[[], bytes] = self._strings.__next__

    def some(self, count: int) -> tuple[int, ...]:
        """So many numbers."""
        if not 0 <= count <= self._most:
            raise Damaged("more numbers than it holds")
        found = tuple(islice(self._numbers, count))
        if len(found) != count:
            raise Damaged("no further numbers")
        return found

    def two(self) -> tuple[int, int]:
        """Two numbers."""
        return self.number(), self.number()

    def three(self) -> tuple[int, int, int]:
        """Three numbers."""
        return self.number(), self.number(), self.number()

    def numbers(self) -> tuple[int, ...]:
        """Numbers that were written with their count."""
        return self.some(self.number())

    def flag(self) -> bool:
        """A truth value."""
        value = self.number()
        if value not in (0, 1):
            raise Damaged("no truth value")
        return value == 1

    def count(self) -> int:
        """How many rows follow: no more than there can be, at a number or a text each."""
        value = self.number()
        if not 0 <= value <= self._most:
            raise Damaged("more rows than it holds")
        return value

    def text(self) -> str:
        """A text."""
        return self.data().decode()

    def finish(self) -> None:
        """Everything must have been read."""
        if next(self._numbers, None) is not None or next(self._strings, None) is not None:
            raise Damaged("longer than what it says")


def decode(data: bytes, parse: Callable[[Reader], T]) -> T:
    """What `parse` makes of a record, all of which it reads. Damaged, where it meets the end or
    raises ValueError."""
    read = Reader(data)
    try:
        found = parse(read)
    except (StopIteration, RuntimeError, ValueError) as error:  # RuntimeError: within a generator
        raise Damaged(repr(error)) from None
    read.finish()
    return found


__all__ = ["Damaged", "Reader", "Writer", "decode"]
