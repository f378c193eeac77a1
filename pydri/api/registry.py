# SPDX-License-Identifier: MIT
"""What the registry says of an entry point and of an enum: the first versions, and the extensions
that bring it.

In: the lines that scripts/gen_api.py makes (availability.py, enum_availability.py). Out: `row` and
`enum_row`.
"""

from functools import cache
from typing import NamedTuple

from pydri.api.availability import LINES
from pydri.api.enum_availability import LINES as ENUM_LINES


class Availability(NamedTuple):
    """The first versions (33: 3.3; 0: none) by API, and extension (without GL_) -> its APIs."""

    compat: int
    core: int
    es1: int
    es2: int
    extensions: dict[str, int]


_enums = "\n" + ENUM_LINES
_FEW = 32  # a start asks for a dozen: to look for a line is cheaper than to parse all
_asked: list[int] = []


@cache
def _lines() -> list[str]:
    return LINES.splitlines()


@cache
def _enum_lines() -> dict[int, str]:
    pairs = (line.split(" ", 1) for line in ENUM_LINES.splitlines())
    return {int(number, 16): rest for number, rest in pairs}


def row(slot: int) -> Availability:
    """Everything the registry says of an entry point."""
    return _parsed(_lines()[slot])


def enum_row(enum: int) -> Availability:
    """Everything the registry says of an enum, whatever its name; KeyError: it has none."""
    if len(_asked) < _FEW:
        _asked.append(enum)
        line = _found(enum)
    else:
        line = _enum_lines().get(enum)
    if line is None:
        raise KeyError(f"{enum:#x} is no enum of the registry")
    return _parsed(line)


def _found(enum: int) -> str | None:
    """The line of an enum, without all of them being taken apart."""
    head = f"\n{enum:x} "
    at = _enums.find(head)
    start = at + len(head)
    return _enums[start : _enums.index("\n", start)] if at >= 0 else None


def _parsed(line: str) -> Availability:
    compat, core, es1, es2, *words = line.split(" ")
    pairs = (word.split(":") for word in words)
    extensions = {name: int(bits, 16) for name, bits in pairs}
    return Availability(int(compat), int(core), int(es1), int(es2), extensions)
