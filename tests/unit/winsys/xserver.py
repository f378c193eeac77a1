# SPDX-License-Identifier: MIT
"""An Xvfb of one's own, a client that looks at it, and an application's Xlib connection to it."""

import ctypes
from typing import Any

from tests import host
from tests.unit.winsys.client import Client
from winsys_x11.xlib import ffi, libs

SERVERS: dict[str, tuple[int, tuple[str, ...]]] = {
    "plain": (24, ()),
    "no-glx": (24, ("GLX",)),
    "no-shm": (24, ("MIT-SHM",)),
    "depth-16": (16, ()),
}


class Server(host.XServer):
    """`display` is the application's Display*, `client` the onlooker."""

    def __init__(self, depth: int = 24, without: tuple[str, ...] = ()) -> None:
        super().__init__("500x400", depth, without)
        self.depth = depth
        self.without = without

    def __enter__(self) -> "Server":
        self.start()
        self.client = Client(self.name)
        self.x11 = libs().x11
        self.display = self.x11.XOpenDisplay(self.name.encode())
        assert self.display != ffi.NULL
        return self

    def __exit__(self, *exc: object) -> None:
        self.x11.XCloseDisplay(self.display)
        self.client.close()
        self.stop()

    def open_display(self) -> Any:
        """Another connection, for the caller to close."""
        return self.x11.XOpenDisplay(self.name.encode())

    def window(self, width: int = 120, height: int = 80, display: Any = None) -> int:
        """Make and show a window of the application."""
        display = display or self.display
        window = int(
            self.x11.XCreateSimpleWindow(
                display, self.x11.XRootWindow(display, 0), 0, 0, width, height, 0, 0, 0
            )
        )
        self.x11.XMapWindow(display, window)
        self.x11.XSync(display, 0)
        return window

    @property
    def cpp(self) -> int:
        """Bytes of a pixel of a window."""
        return 2 if self.depth == 16 else 4

    def pixel(self, red: int, green: int, blue: int) -> bytes:
        """A pixel of a window as bytes in memory."""
        if self.depth == 16:
            return (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).to_bytes(2, "little")
        return bytes((blue, green, red, 0xFF))

    def fill(self, target: Any, color: tuple[int, int, int], rows: range | None = None) -> None:
        """Paint rows of a displaytarget."""
        pixel = self.pixel(*color)
        for y in rows or range(target.height):
            line = pixel * target.width
            ctypes.memmove(target.map() + y * target.stride, line, len(line))
