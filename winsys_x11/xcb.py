# SPDX-License-Identifier: MIT
"""A connection of a program that uses libxcb without Xlib (EGL_EXT_platform_xcb).

Stage: winsys.  In: an `xcb_connection_t *`.  Out: `XcbConnection`, which is an XConnection that
learns the facts of the server from the connection's setup block instead of from Xlib's functions,
and its visuals.  The block is that of the protocol (X11 document, section 8, connection setup).
"""

import struct
from typing import Any

from winsys_x11.connection import XConnection
from winsys_x11.visuals import Visual, sort_visuals
from winsys_x11.xlib import ffi, libs, pointer

X_QUERY_EXTENSION = 98
_SETUP = struct.Struct("<BxHHHIIIIHHBBBBBxBB4x")
_FORMAT = struct.Struct("<BBB5x")
_SCREEN = struct.Struct("<IIIIIHHHHHHIBBBB")
_DEPTH = struct.Struct("<BxH4x")
_VISUAL = struct.Struct("<IBBHIII4x")


class XcbConnection(XConnection):
    """A connection without a `Display*`."""

    def __init__(self, connection: Any) -> None:
        self.libs = libs()
        self.display: Any = ffi.NULL
        self.xcb = pointer("xcb_connection_t *", connection)
        self.bits_per_pixel: dict[int, int] = {}
        self.visuals_of_screen: list[list[Visual]] = []
        self._read_setup()
        self.shm_opcode = self._find_shm()
        self.max_request = 4 * self.libs.xcb.xcb_get_maximum_request_length(self.xcb)

    def _read_setup(self) -> None:
        setup = self.libs.xcb.xcb_get_setup(self.xcb)
        size = 8 + 4 * pointer("uint16_t *", setup)[3]
        block = bytes(ffi.buffer(pointer("char *", setup), size))
        fields = _SETUP.unpack_from(block)
        vendor_length, n_screens, n_formats = fields[8], fields[10], fields[11]
        self.lsb_first = fields[12] == 0
        at = _SETUP.size + (vendor_length + 3 & ~3)
        for _ in range(n_formats):
            depth, bits, _ = _FORMAT.unpack_from(block, at)
            self.bits_per_pixel[depth] = bits
            at += _FORMAT.size
        for number in range(n_screens):
            at = self._read_screen(block, at, number)

    def _read_screen(self, block: bytes, at: int, number: int) -> int:
        screen = _SCREEN.unpack_from(block, at)
        root_visual, root_depth, n_depths = screen[11], screen[14], screen[15]
        at += _SCREEN.size
        visuals: list[Visual] = []
        for _ in range(n_depths):
            depth, n_visuals = _DEPTH.unpack_from(block, at)
            at += _DEPTH.size
            bits = self.bits_per_pixel.get(depth, 0)
            for _ in range(n_visuals):
                visual, kind, _, _, red, green, blue = _VISUAL.unpack_from(block, at)
                visuals.append(Visual(visual, number, depth, bits, kind, red, green, blue))
                at += _VISUAL.size
        self.visuals_of_screen.append(sort_visuals(visuals, root_visual, root_depth))
        return at

    def query_extension(self, name: str) -> tuple[int, int, int] | None:
        """Return (major opcode, first event, first error) of a server extension, or None."""
        text = name.encode()
        padded = text + bytes(-len(text) % 4)
        header = struct.pack("<BBHHxx", X_QUERY_EXTENSION, 0, 2 + len(padded) // 4, len(text))
        reply = self.request_reply(header + padded, 32)
        if reply is None or not reply[8]:
            return None
        return reply[9], reply[10], reply[11]


def connect() -> tuple[Any, int] | None:
    """Open a connection of our own: (xcb_connection_t *, screen number), None without a server."""
    screen = ffi.new("int *")
    xcb = libs().xcb
    connection = xcb.xcb_connect(ffi.NULL, screen)
    if xcb.xcb_connection_has_error(connection):
        xcb.xcb_disconnect(connection)
        return None
    return connection, int(screen[0])


__all__ = ["XcbConnection", "connect"]
