# SPDX-License-Identifier: MIT
"""What the driver can draw to, for framebuffers and renderbuffers: asked once, when the first
storage or the first check of completeness needs it.

In: a context. Out: `ctx.framebuffers.formats`, `drawable` and `samples`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.main.textures.formats import INTERNAL, InternalFormat, choose, choose_any
from pydri.main.textures.image_tables import ROWS
from pydri.pipe.format import BY_NAME, DEPTH, FORMATS, TARGET, Format, linear
from pydri.pipe.resource import BIND_DEPTH, BIND_RENDER, TARGET_2D
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.main.context import GLContext
    from pydri.pipe.interface import PipeScreen

_COUNTS = (2, 4, 8)


def supported(screen: PipeScreen | None, number: int, samples: int = 1) -> bool:
    """Whether surfaces of a format can be drawn to."""
    fmt = FORMATS[number]
    if not fmt.uses & (TARGET | DEPTH):
        return False
    bind = BIND_DEPTH if fmt.kind == "zs" else BIND_RENDER
    if screen is None:
        return True
    return screen.is_format_supported(linear(fmt).number, TARGET_2D, samples, bind)


def _renderbuffer(row: InternalFormat, offered: Callable[[int], bool]) -> Format | None:
    """The format of a row's renderbuffers. A driver without stencil alone keeps it beside a depth
    that nobody sees (st_format.c has the same second choice)."""
    found = choose_any(row, offered)
    if found is None and row.base == gl.GL_STENCIL_INDEX:
        return choose(INTERNAL[gl.GL_DEPTH24_STENCIL8], offered)
    return found


@once
def _tables(screen: PipeScreen | None) -> tuple[Any, Any, int]:
    formats = (ctypes.c_uint16 * len(ROWS))()
    drawable = (ctypes.c_uint8 * len(FORMATS))()
    for n in range(len(FORMATS)):
        drawable[n] = supported(screen, n)
    for n, row in enumerate(ROWS):
        fmt = _renderbuffer(row, partial(supported, screen)) if row.renderbuffer else None
        formats[n] = fmt.number if fmt is not None else 0
    four = BY_NAME["R8G8B8A8_UNORM"].number
    counts = sum(1 << count for count in _COUNTS if supported(screen, four, count))
    return formats, drawable, counts


def load(ctx: GLContext) -> None:
    """hook_load: fill in a context's tables."""
    block = ctx.n.framebuffers
    formats, drawable, counts = _tables(ctx.screen)
    block.formats, block.drawable = ctypes.addressof(formats), ctypes.addressof(drawable)
    block.samples = counts


__all__ = ["load", "supported"]
