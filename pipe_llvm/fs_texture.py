# SPDX-License-Identifier: MIT
"""The texture views of a draw: where fragment kernels find them, and which pixels execute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.native import LpFragState
from pydri.jit import ptr, u16, u32
from pydri.pipe.sampler import TextureView

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


def views_offset(const_range: tuple[int, int]) -> int:
    """Where a draw's table of views lies in its LpFragState: behind the copied constants."""
    low, high = const_range
    return LpFragState.offset("consts") + ((high - low + 15) & ~15)


def view_of(
    b: Builder, state: LpFragState, const_range: tuple[int, int], number: int
) -> TextureView:
    """The draw's view of a texture."""
    place = b.bytes_from(state, views_offset(const_range) + 8 * number, ptr(TextureView))
    return place.load(ptr(TextureView), invariant=True)


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


