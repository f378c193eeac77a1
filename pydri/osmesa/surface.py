# SPDX-License-Identifier: MIT
"""The program's buffer as what a drawable is shown on.

In: its size. Out: a WindowSurface that shows nothing by itself: `osmesa_show` of native.py does, at
the moments that are OSMesa's. `native` is the context's block, where that kernel finds the buffer.
"""

from winsys_x11.null import OffscreenSurface


class BufferSurface(OffscreenSurface):
    """A buffer of a context."""

    def __init__(self, width: int, height: int, block: int) -> None:
        super().__init__(width, height)
        self.native = block
