# SPDX-License-Identifier: MIT
"""The X11 winsys: displaytargets in shared memory, presented on the application's own connection.

In: a `Display*`.  Out: `create_winsys(display)`.  `null.py` is the same interface without an X
server.
"""

from typing import Any

from pydri.util.options import options
from winsys_x11.base import SwWinsys

__all__ = ["X11Winsys", "create_winsys"]


class X11Winsys(SwWinsys):
    """Displaytargets and windows of one X connection."""

    name = "x11"

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def displaytarget_create(self, width: int, height: int, cpp: int) -> Any:
        from winsys_x11.displaytarget import X11DisplayTarget

        return X11DisplayTarget(self.connection, width, height, cpp)

    @property
    def shares_memory(self) -> bool:
        return bool(self.connection.shm_opcode) and not options.PYDRI_NO_SHM

    def borrow_target(self, cpp: int) -> Any:
        from winsys_x11.displaytarget import X11BorrowedTarget

        return X11BorrowedTarget(self.connection, cpp)

    def window_surface(self, window: int, depth: int, cpp: int) -> Any:
        from winsys_x11.displaytarget import X11WindowSurface

        try:
            return X11WindowSurface(self.connection, window, depth, cpp)
        except LookupError:
            return None


def create_winsys(display: Any) -> X11Winsys:
    """Return the winsys of an application's `Display*`."""
    from winsys_x11.connection import XConnection

    return X11Winsys(XConnection(display))
