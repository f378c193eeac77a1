# SPDX-License-Identifier: MIT
"""The headless winsys: frames are kept in memory, no X server is needed.

In: nothing.  Out: `NullWinsys`, whose windows have the size that `resize` gives them and remember
the last frame shown. For tests, tools and pbuffers.  Counterpart of
gallium/winsys/sw/null/null_sw_winsys.c.
"""

import ctypes
from typing import Any

from winsys_x11.base import DisplayTarget, SwWinsys, WindowSurface, layout


class NullDisplayTarget(DisplayTarget):
    """Plain memory."""

    def __init__(self, width: int, height: int, cpp: int) -> None:
        self.width, self.height, self.cpp = width, height, cpp
        self.stride, self.rows = layout(width, height, cpp)
        self._memory: Any = ctypes.create_string_buffer(self.stride * self.rows + 64)
        self.address = (ctypes.addressof(self._memory) + 63) & ~63

    def map(self) -> int:
        return self.address

    def destroy(self) -> None:
        self._memory = None


class NullWindow(WindowSurface):
    """A window that nobody sees.  `frames` counts presents, `last` holds the pixels of the last
    one, row by row.
    """

    def __init__(self, width: int, height: int, cpp: int) -> None:
        self.cpp = cpp
        self._size: tuple[int, int] | None = (width, height)
        self._last_size = (width, height)
        self._known = (width, height)
        self.frames = 0
        self.last = b""

    def resize(self, width: int, height: int) -> None:
        """As a window manager would."""
        self._size = self._last_size = (width, height)

    def vanish(self) -> None:
        """As if the program destroyed its window."""
        self._size = None

    def geometry(self) -> tuple[int, int] | None:
        return self._size

    def known(self, width: int, height: int) -> None:
        self._known = (width, height)

    def size(self) -> tuple[int, int]:
        return self._last_size

    def present(self, target: Any, box: tuple[int, int, int, int] | None = None) -> None:
        if self._size is None:
            return
        row = target.width * target.cpp
        self.last = b"".join(
            ctypes.string_at(target.map() + y * target.stride, row) for y in range(target.height)
        )
        self.frames += 1

    def settle(self, target: Any) -> bool:
        return self._last_size != self._known

    def gone(self) -> bool:
        return self._size is None

    def destroy(self) -> None:
        self._size = None


class OffscreenSurface(WindowSurface):
    """What a pbuffer presents to: nothing."""

    def __init__(self, width: int, height: int) -> None:
        self._size = (width, height)

    def geometry(self) -> tuple[int, int]:
        return self._size

    def known(self, width: int, height: int) -> None:
        pass

    def size(self) -> tuple[int, int]:
        return self._size

    def present(self, target: Any, box: tuple[int, int, int, int] | None = None) -> None:
        pass

    def settle(self, target: Any) -> bool:
        return False

    def destroy(self) -> None:
        pass


class NullWinsys(SwWinsys):
    """Windows are numbers; `windows[number]` is made with 256x256 pixels at first use."""

    name = "null"

    def __init__(self) -> None:
        self.windows: dict[int, NullWindow] = {}

    def displaytarget_create(self, width: int, height: int, cpp: int) -> NullDisplayTarget:
        return NullDisplayTarget(width, height, cpp)

    def window_surface(self, window: int, depth: int, cpp: int) -> NullWindow:
        if window not in self.windows:
            self.windows[window] = NullWindow(256, 256, cpp)
        return self.windows[window]


def create_winsys() -> NullWinsys:
    """Return a headless winsys."""
    return NullWinsys()
