# SPDX-License-Identifier: MIT
"""What codecs of all kinds of blocks are made of, in registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Value


def pick(b: Builder, codes: Value, palette: Sequence[Value]) -> Value:
    """palette[code] (u32) in 16 lanes."""
    out = b.splat(palette[0], 16)
    for n, color in enumerate(palette[1:], 1):
        out = b.select(codes == n, b.splat(color, 16), out)
    return out


__all__ = ["pick"]
