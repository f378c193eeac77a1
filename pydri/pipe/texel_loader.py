# SPDX-License-Identifier: MIT
"""The native table of the kernels of formats (texel_table.py), and what fills it.

One row a format by number, null until somebody needs it: `table()` is its address; `load(number)`
and `load_mipmaps(number)` compile (or take from the object cache) and fill in. A compressed format
has the kernels of what it is decoded to. One table serves all contexts and threads of a process.
"""

from __future__ import annotations

import ctypes
from typing import Any

from pydri.pipe import mipmap, texels
from pydri.pipe.format import BY_NAME, FORMATS, Format
from pydri.pipe.texel_table import TexelKernels
from pydri.util.once import once


@once
def _table() -> Any:
    return (TexelKernels.ctype() * len(FORMATS))()


def table() -> int:
    """The address of the native table, one row a format."""
    return ctypes.addressof(_table())


def row_of(number: int) -> Any:
    """A ctypes view of a row."""
    return _table()[number]


def _held(number: int) -> Format:
    fmt = FORMATS[number]
    return BY_NAME[fmt.decoded] if fmt.codec else fmt


def load(number: int) -> None:
    """Fill in a row's `read` and `write`; what is there stays."""
    fmt, row = _held(number), row_of(number)
    if row.read:
        return
    image = texels.module(fmt).compile()
    row.write = image.address(f"store_{fmt.name}")
    row.bytes = fmt.bytes
    row.read = image.address(f"fetch_{fmt.name}")


def load_mipmaps(number: int) -> None:
    """Fill in a row's `mipmap`, of a format that `mipmap.can_generate`."""
    fmt, row = _held(number), row_of(number)
    if not row.mipmap:
        row.mipmap = mipmap.module(fmt).compile().address(f"mipmap_{fmt.name}")


__all__ = ["load", "load_mipmaps", "row_of", "table"]
