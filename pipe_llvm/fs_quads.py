# SPDX-License-Identifier: MIT
"""Which pixels of a stamp execute its shader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import u16, u32

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


def whole_quads(b: Builder, pixels: Value) -> Value:
    """The pixels of all 2x2 quads that have one of `pixels` (masks of 16 lanes): those that execute
    a shader. What is not in `pixels` is a helper: it has values, for derivatives, and no effects.
    """
    bits = b.cast(b.bits_of(pixels), u32)
    pairs = (bits | (bits >> 1)) & 0x5555
    pairs = pairs | (pairs << 1)
    quads = (pairs | (pairs >> 4)) & 0x0F0F
    quads = quads | (quads << 4)
    return b.mask_of(b.cast(quads, u16))


