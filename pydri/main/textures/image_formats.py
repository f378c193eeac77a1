# SPDX-License-Identifier: MIT
"""Which of a driver's formats images of textures have, by internal format: a table for
pydri/main/driver_tables.py, found out where the cache has none.

In: a screen. Out: three rows of 16-bit numbers by the internal format's row (image_tables.py):
formats of texels, of blocks, and of texels with several samples; 0: none.
"""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING

from pydri.main.textures.formats import choose, choose_any
from pydri.main.textures.image_tables import ROWS
from pydri.pipe.format import BY_NAME, DEPTH, FORMATS, TARGET, linear
from pydri.pipe.resource import BIND_DEPTH, BIND_RENDER, BIND_SAMPLED, TARGET_2D, TARGET_2D_MS

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen


def find(screen: PipeScreen | None) -> bytes:
    """The table (None: of a driver that can do everything)."""

    @cache  # rows have formats in common
    def supported(number: int) -> bool:
        if screen is None:
            return True
        return screen.is_format_supported(number, TARGET_2D, 1, BIND_SAMPLED)

    @cache
    def held(number: int) -> bool:
        """Sampled and drawn to: a texture may be attached to a framebuffer."""
        fmt = FORMATS[number]
        bind = BIND_DEPTH if fmt.kind == "zs" else BIND_RENDER
        return supported(number) and (
            screen is None or screen.is_format_supported(linear(fmt).number, TARGET_2D, 1, bind))

    @cache
    def drawn(number: int) -> bool:
        fmt = FORMATS[number]
        if not fmt.uses & (TARGET | DEPTH):
            return False
        return several(number, BIND_DEPTH if fmt.kind == "zs" else BIND_RENDER)

    @cache
    def several(number: int, further: int = 0) -> bool:
        bind = BIND_SAMPLED | further
        return screen is None or any(
            screen.is_format_supported(number, TARGET_2D_MS, count, bind) for count in (2, 4, 8)
        )

    texels, blocks, samples = (array("H", bytes(2 * len(ROWS))) for _ in range(3))
    for n, row in enumerate(ROWS):
        fmt = choose_any(row, held) or choose_any(row, supported)
        if fmt is not None:
            texels[n] = BY_NAME[fmt.decoded].number if fmt.codec else fmt.number
            blocks[n] = fmt.number
        fmt = (choose(row, drawn) or choose(row, several)) if row.renderbuffer else None
        samples[n] = fmt.number if fmt is not None else 0
    return (texels + blocks + samples).tobytes()


__all__ = ["find"]
