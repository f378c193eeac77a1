# SPDX-License-Identifier: MIT
"""Which of a driver's formats renderbuffers have, by internal format, and which can be drawn to: a
table for pydri/main/driver_tables.py, found out where the cache has none.

In: a screen. Out: a byte of bits, numbers of samples that there are; a byte a format, whether it
can be drawn to; a 16-bit number for each internal format's row (textures/image_tables.py), its
format; 0: none.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.main.framebuffers.loader import supported
from pydri.main.textures.formats import INTERNAL, InternalFormat, choose, choose_any
from pydri.main.textures.image_tables import ROWS
from pydri.pipe.format import BY_NAME, FORMATS, Format

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen

_COUNTS = (2, 4, 8)


def _renderbuffer(row: InternalFormat, offered: Callable[[int], bool]) -> Format | None:
    """The format of a row's renderbuffers. A driver without stencil alone keeps it beside a depth
    that nobody sees (st_format.c has the same second choice)."""
    found = choose_any(row, offered)
    if found is None and row.base == gl.GL_STENCIL_INDEX:
        return choose(INTERNAL[gl.GL_DEPTH24_STENCIL8], offered)
    return found


def find(screen: PipeScreen | None) -> bytes:
    """The table (None: of a driver that can do everything)."""
    formats = array("H", bytes(2 * len(ROWS)))
    for n, row in enumerate(ROWS):
        fmt = _renderbuffer(row, partial(supported, screen)) if row.renderbuffer else None
        formats[n] = fmt.number if fmt is not None else 0
    drawable = bytes(supported(screen, n) for n in range(len(FORMATS)))
    four = BY_NAME["R8G8B8A8_UNORM"].number
    counts = sum(1 << count for count in _COUNTS if supported(screen, four, count))
    return counts.to_bytes(2, "little") + drawable + formats.tobytes()


__all__ = ["find"]
