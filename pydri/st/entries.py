# SPDX-License-Identifier: MIT
"""Python forms of this room's GL entry points: the way of the rare.

In: calls that the kernels did not take (formats of glReadPixels beyond copies). Out: the same
effect, by the definition in readpix.py.
"""

from __future__ import annotations

from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import entry


def address_of(pointer: Any) -> int:
    """A `void *` of cffi, or a plain number, as an address."""
    if isinstance(pointer, int):
        return pointer
    return int(dispatch.ffi.cast("unsigned long", pointer))


@entry
def glReadPixels(
    ctx: Any, x: int, y: int, width: int, height: int, format: int, type: int, pixels: Any
) -> None:
    """Read pixels of the read framebuffer in any format (GL 2.1, 4.3.2)."""
    from pydri.st.readpix import read_pixels

    st = ctx.st
    st.check_framebuffer()
    read_pixels(ctx.n, st.pipe, (x, y, width, height), format, type, address_of(pixels))
