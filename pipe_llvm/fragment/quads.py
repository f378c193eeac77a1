# SPDX-License-Identifier: MIT
"""Which pixels of a stamp execute its shader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import Vec, u16, u32, u64

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


def whole_quads(b: Builder, pixels: Value) -> Value:
    """The pixels of all 2x2 quads that have one of `pixels` (a mask of one stamp, two or four):
    those that execute a shader. What is not in `pixels` is a helper: it has values, for
    derivatives, and no effects."""
    assert isinstance(pixels.ty, Vec)
    stamps = pixels.ty.lanes // 16
    ty, narrow = (u64, u64) if stamps == 4 else (u32, u32 if stamps == 2 else u16)
    each = sum(1 << 16 * n for n in range(stamps))
    bits = b.cast(b.bits_of(pixels), ty)
    pairs = (bits | (bits >> 1)) & (0x5555 * each)
    pairs = pairs | (pairs << 1)
    quads = (pairs | (pairs >> 4)) & (0x0F0F * each)
    quads = quads | (quads << 4)
    return b.mask_of(b.cast(quads, narrow))
