# SPDX-License-Identifier: MIT
"""What the driver can draw to, for framebuffers and renderbuffers: asked once, when the first
storage or the first check of completeness needs it.

In: a context. Out: `ctx.framebuffers.formats`, `drawable` and `samples`.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from pydri.main.driver_tables import driver_table
from pydri.pipe.format import DEPTH, FORMATS, TARGET, linear
from pydri.pipe.resource import BIND_DEPTH, BIND_RENDER, TARGET_2D
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.main.context import GLContext
    from pydri.pipe.interface import PipeScreen


def supported(screen: PipeScreen | None, number: int, samples: int = 1) -> bool:
    """Whether surfaces of a format can be drawn to."""
    fmt = FORMATS[number]
    if not fmt.uses & (TARGET | DEPTH):
        return False
    bind = BIND_DEPTH if fmt.kind == "zs" else BIND_RENDER
    if screen is None:
        return True
    return screen.is_format_supported(linear(fmt).number, TARGET_2D, samples, bind)


@once
def _tables(screen: PipeScreen | None) -> tuple[Any, Any, int]:
    """By internal format's row: formats of renderbuffers; by format: whether it can be drawn to;
    numbers of samples that there are, as bits."""
    data = driver_table(screen, "pydri.main.framebuffers.target_formats")
    drawable = (ctypes.c_uint8 * len(FORMATS)).from_buffer_copy(data, 2)
    rest = 2 + len(FORMATS)
    formats = (ctypes.c_uint16 * ((len(data) - rest) // 2)).from_buffer_copy(data, rest)
    return formats, drawable, int.from_bytes(data[:2], "little")


def load(ctx: GLContext) -> None:
    """hook_load: fill in a context's tables."""
    block = ctx.n.framebuffers
    formats, drawable, counts = _tables(ctx.screen)
    block.formats, block.drawable = ctypes.addressof(formats), ctypes.addressof(drawable)
    block.samples = counts


__all__ = ["load", "supported"]
