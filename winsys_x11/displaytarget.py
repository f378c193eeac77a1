# SPDX-License-Identifier: MIT
"""Displaytargets and windows of the X winsys: the Python side of the kernels in present.py.

In: sizes and XIDs.  Out: objects whose `native` addresses the kernels take.  Everything the kernels
do can be asked for from here, too (`present`, `settle`), because a rare case has to go through
Python.  Counterpart of dri_sw_winsys.c.
"""

import ctypes
from typing import Any

from winsys_x11.base import BorrowedTarget, DisplayTarget, Fetched, WindowSurface, layout
from winsys_x11.connection import BAD_DRAWABLE, XConnection
from winsys_x11.present import MAX_PUT_BYTES, X11Target, X11Window, image
from winsys_x11.shm import Segment
from winsys_x11.xlib import ffi, libs


class X11DisplayTarget(DisplayTarget):
    """A segment of shared memory, or plain memory, with the layout of a Surface."""

    def __init__(self, connection: XConnection, width: int, height: int, cpp: int) -> None:
        self.width, self.height, self.cpp = width, height, cpp
        self.stride, self.rows = layout(width, height, cpp)
        self.segment = Segment(self.stride * self.rows, connection)
        self._struct = X11Target.ctype()()
        self._struct.data = self.segment.address
        self._struct.segment = self.segment.xid
        self._struct.stride = self.stride
        self._struct.width = width
        self._struct.height = height
        self.native = ctypes.addressof(self._struct)

    @property
    def pending(self) -> bool:
        """Whether a present of this target has not been settled."""
        return bool(self._struct.pending)

    def map(self) -> int:
        return self.segment.address

    def destroy(self) -> None:
        self.segment.free()

    def forget(self) -> None:
        self._struct.pending = 0

    def abandon(self) -> None:
        self.segment.free(tell_server=False)


class X11BorrowedTarget(BorrowedTarget):
    """Memory of a compiled driver.  The server is asked once to share a segment; where it refuses,
    the pixels go through the socket."""

    def __init__(self, connection: XConnection, cpp: int) -> None:
        super().__init__(cpp)
        self._connection = connection
        self._struct = X11Target.ctype()()
        self.native = ctypes.addressof(self._struct)

    def describe(self, address: int, stride: int, rows: int, segment: int = -1) -> None:
        if segment != self.segment:
            self._connection.detach_segment(self._struct.segment)
            shared = segment >= 0
            self._struct.segment = self._connection.attach_segment(segment) if shared else 0
        super().describe(address, stride, rows, segment)
        w = self._struct
        w.data, w.stride, w.width, w.height = address, stride, self.width, rows

    def destroy(self) -> None:
        self._connection.detach_segment(self._struct.segment)
        self._struct.segment = 0
        self.segment = -1

    def forget(self) -> None:
        self._struct.pending = 0

    def abandon(self) -> None:
        self._struct.segment = 0


_PRESENT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_PRESENT_BOX = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_uint32] * 4)
_SETTLE = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)


class X11WindowSurface(WindowSurface):
    """A window of the application, as a place to present to."""

    def __init__(self, connection: XConnection, window: int, depth: int, cpp: int) -> None:
        geometry = connection.geometry(window)
        if geometry is None:
            raise LookupError(f"there is no window {window:#x}")
        kernels = image()
        self._connection = connection
        self.window = window
        self.depth = geometry.depth
        self.gc = connection.create_gc(window)
        w = self._struct = X11Window.ctype()()
        w.connection = int(ffi.cast("uintptr_t", connection.xcb))
        w.window, w.gc, w.depth, w.cpp = window, self.gc, geometry.depth, cpp
        w.shm_opcode = connection.shm_opcode
        w.swap_bytes = not connection.lsb_first
        w.width = w.known_width = geometry.width
        w.height = w.known_height = geometry.height
        w.max_put = min(MAX_PUT_BYTES, connection.max_request - 24)
        w.gone = 0 if self.gc else 1
        self.native = ctypes.addressof(w)
        self.present_fn = kernels.address("x11_present")
        self.settle_fn = kernels.address("x11_settle")
        self.present_box_fn = kernels.address("x11_present_box")
        self.ask_fn = kernels.address("x11_ask")
        self.size_address = self.native + X11Window.offset("width")
        self._present: Any = _PRESENT(self.present_fn)
        self._present_box: Any = _PRESENT_BOX(self.present_box_fn)
        self._settle: Any = _SETTLE(self.settle_fn)
        self._cpp = cpp
        self._fetched: Segment | None = None  # what `fetch` brings

    def geometry(self) -> tuple[int, int] | None:
        if self._struct.gone:
            return None  # for good; and the connection may be closed
        found = self._connection.geometry(self.window)
        if found is None:
            self._struct.gone = 1
            return None
        self._struct.width, self._struct.height = found.width, found.height
        return found.width, found.height

    def known(self, width: int, height: int) -> None:
        self._struct.known_width, self._struct.known_height = width, height

    def size(self) -> tuple[int, int]:
        return self._struct.width, self._struct.height

    def present(self, target: Any, box: tuple[int, int, int, int] | None = None) -> None:
        if box is None:
            self._present(self.native, target.native)
            return
        x, y, width, height = box
        x0, y0 = max(x, 0), max(y, 0)
        x1, y1 = min(x + width, target.width), min(y + height, target.height)
        if x0 < x1 and y0 < y1:
            self._present_box(self.native, target.native, x0, y0, x1 - x0, y1 - y0)

    def settle(self, target: Any) -> bool:
        return bool(self._settle(self.native, target.native))

    def will_be_asked(self) -> None:
        self._struct.display, self._struct.asked = self._connection.key, 1

    def gone(self) -> bool:
        return bool(self._struct.gone)

    def refresh_rate(self) -> tuple[int, int] | None:
        if self._struct.gone:
            return None
        from winsys_x11.refresh import refresh_rate

        return refresh_rate(self._connection, self.window)

    def complaint(self) -> str | None:
        code = self._struct.error
        self._struct.error = 0
        if self._struct.reported or (not code and not self._struct.gone):
            return None
        self._struct.reported = 1
        if self._struct.gone or code == BAD_DRAWABLE:
            return (
                f"window {self.window:#x} was destroyed while it was drawn to; frames are dropped"
            )
        return f"the X server refuses to show window {self.window:#x} (X error {code})"

    def fetch(self) -> Fetched | None:
        """Through shared memory where the server has it; else in the reply of GetImage."""
        size = self.geometry()
        if size is None:
            return None
        return self._fetch(*size)

    def fetch_into(self, segment: int) -> bool:
        """Have the server write all pixels into a segment of SysV, rows padded to 32 bits."""
        size = self.geometry()
        xid = self._connection.attach_segment(segment) if size is not None else 0
        if size is None or not xid:
            return False
        done = self._connection.get_image_into(self.window, *size, xid)
        self._connection.detach_segment(xid)
        return done

    def _fetch(self, width: int, height: int) -> Fetched | None:
        stride = (width * self._cpp + 3) & ~3  # both protocols pad rows to 32 bits
        segment = self._room(stride * height)
        connection = self._connection
        if segment.xid and connection.get_image_into(self.window, width, height, segment.xid):
            return Fetched(segment.address, stride, width, height)
        pixels = connection.get_image(self.window, width, height, stride)
        if pixels is None:
            return None
        if not connection.lsb_first:
            from array import array

            turned = array("I" if self._cpp == 4 else "H", pixels)
            turned.byteswap()
            pixels = turned.tobytes()
        ctypes.memmove(segment.address, pixels, len(pixels))
        return Fetched(segment.address, stride, width, height)

    def _room(self, size: int) -> Segment:
        """Memory for `fetch`, the last one's if that is large enough."""
        if self._fetched is None or self._fetched.size < size:
            self._give_back(True)
            shared = self._connection if self._connection.lsb_first else None
            self._fetched = Segment(size, shared)
        return self._fetched

    def _give_back(self, tell_server: bool) -> None:
        if self._fetched is not None:
            self._fetched.free(tell_server)
            self._fetched = None

    @property
    def presents(self) -> int:
        """How many presents were sent."""
        return int(self._struct.puts)

    def abandon(self) -> None:
        self._give_back(False)
        if self._struct.staging:
            libs().c.free(ffi.cast("void *", self._struct.staging))
            self._struct.staging = self._struct.staging_size = 0
        self._struct.gone = 1

    def destroy(self) -> None:
        self._give_back(True)
        self._connection.free_gc(self.gc)
        self.gc = 0
        self.abandon()
