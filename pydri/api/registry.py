# SPDX-License-Identifier: MIT
"""What the registry says of an entry point: its first versions, and the extensions that bring it.

In: the lines that scripts/gen_api.py makes (availability.py). Out: `row`.
"""

from typing import NamedTuple

from pydri.api.availability import LINES


class Availability(NamedTuple):
    """The first versions (33: 3.3; 0: none) by API, and extension (without GL_) -> its APIs."""

    compat: int
    core: int
    es1: int
    es2: int
    extensions: dict[str, int]


_lines = LINES.splitlines()


def row(slot: int) -> Availability:
    """Everything the registry says of an entry point."""
    compat, core, es1, es2, *words = _lines[slot].split(" ")
    pairs = (word.split(":") for word in words)
    extensions = {name: int(bits, 16) for name, bits in pairs}
    return Availability(int(compat), int(core), int(es1), int(es2), extensions)
