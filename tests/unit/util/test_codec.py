# SPDX-License-Identifier: MIT
"""Records of the cache: what is written is read, and damage is found or harmless, but never run."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pydri.util.codec import Damaged, Reader, Writer, decode

ROOT = Path(__file__).parents[3]


def damaged(data: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """Files that another one became: cut off, longer, with other bytes, other numbers, parts of it
    twice or elsewhere."""
    choice = random.Random(seed)
    yield from (data[:length] for length in range(0, len(data), 1 + len(data) // 200))
    for _ in range(count):
        bad = bytearray(data)
        for _ in range(choice.choice((1, 1, 2, 8))):
            at = choice.randrange(len(bad))
            kind = choice.randrange(5)
            if kind == 0:
                bad[at] ^= 1 << choice.randrange(8)
            elif kind == 1:  # a count or a length
                number = choice.choice((-1, 0, 1, 7, 255, 1 << 31, (1 << 63) - 1, -(1 << 63)))
                bad[at & ~3 : (at & ~3) + 8] = struct.pack("<q", number)
            elif kind == 2:
                bad[at:at] = bytes(choice.randrange(256) for _ in range(choice.randrange(9)))
            elif kind == 3:
                del bad[at : at + choice.randrange(9)]
            else:
                to = choice.randrange(len(bad) or 1)
                bad[at : at + 8] = bad[to : to + 8]
            if not bad:
                break
        yield bytes(bad)


def written() -> bytes:
    """A record of everything there is."""
    out = Writer()
    out.number(1, -1, 1 << 62, True)
    out.numbers(range(5))
    out.text("a", "", "Ünï")
    out.table([(1, 2, 3), (4, 5, 6)])
    out.table([])
    out.data(b"\0\xff")
    return out.finish()


def everything(read: Reader) -> list[object]:
    """What `written` wrote."""
    found: list[object] = [read.some(3), read.flag(), read.numbers(), read.text(), read.texts(2)]
    return [*found, read.table(3), read.table(2), read.data()]


def test_what_is_written_is_read() -> None:
    assert decode(written(), everything) == [
        (1, -1, 1 << 62), True, (0, 1, 2, 3, 4), "a", ("", "Ünï"),
        [(1, 4), (2, 5), (3, 6)], [(), ()], b"\0\xff",
    ]  # fmt: skip
    assert decode(Writer().finish(), lambda read: None) is None


@pytest.mark.parametrize("more", [
    Reader.numbers, Reader.two, Reader.flag, lambda read: read.text(), lambda read: read.data(),
    lambda read: read.table(2), lambda read: read.texts(1), lambda read: read.some(1),
    lambda read: read.some(-1), lambda read: read.some(1 << 62), lambda read: read.some(1 << 70),
])  # fmt: skip
def test_the_end_is_the_end(more: Callable[[Reader], object]) -> None:
    """Who reads on is told so."""
    with pytest.raises(Damaged):
        decode(written(), lambda read: (everything(read), more(read)))


@pytest.mark.parametrize("number", [0, 1, -1, (1 << 31) - 1, 1 << 31, -(1 << 31), -(1 << 63)])
def test_numbers_take_the_bytes_that_they_need(number: int) -> None:
    data = written_pair(number)
    assert decode(data, Reader.two) == (number, 5)
    assert (len(data) == len(written_pair(0))) == (-(1 << 31) <= number < 1 << 31)


def written_pair(number: int) -> bytes:
    """A record of two numbers."""
    out = Writer()
    out.number(number, 5)
    return out.finish()


def test_a_text_has_no_zeros() -> None:
    with pytest.raises(ValueError, match="zero"):
        Writer().text("a", "b\0c")


def test_all_must_be_read() -> None:
    with pytest.raises(Damaged):
        decode(written(), Reader.two)


def test_damage_is_told_as_such() -> None:
    told = 0
    for bad in damaged(written(), 5000):
        try:
            decode(bad, everything)
        except Damaged:
            told += 1
    assert told > 1000


def test_the_driver_runs_nothing_that_it_reads() -> None:
    """No file of the product has pickle or marshal, or evaluates a text; but for the start image,
    which is code, and lies where the libraries do, as much theirs as _core.so
    (libgl_shim/core_image.c says who may have written it), and for `pydri exec`, whose user names
    the program that it runs."""
    wrong = re.compile(r"\b(pickle|marshal|shelve|cPickle)\b|(?<![.\w])(eval|exec)\(")
    for package in ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11", "libgl_shim"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name in ("start_image.py", "execute.py"):
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                assert not wrong.search(line) or line.lstrip().startswith("#"), (path, number, line)
