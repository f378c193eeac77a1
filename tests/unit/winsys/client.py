# SPDX-License-Identifier: MIT
"""An X client for the tests of the winsys: looks at windows and moves them about.

In: the name of a display.  Out: `Client`: screenshots (through MIT-SHM where the server has it),
windows made, resized, moved and destroyed, events, windows of other programs found by name.  It is
a connection of its own (python-xlib), so it sees what a user would see.
"""

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from Xlib import X, error
from Xlib.xobject.drawable import Window

from pydri.tools.png import Image, encode
from pydri.tools.screenshot import open_display
from tests.unit.winsys import ext_shm

_IPC_RMID = 0
_IPC_CREAT = 0o1000


class _Segment:
    """Shared memory that the server writes a screenshot to."""

    def __init__(self, connection: Any, size: int) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.shmat.restype = ctypes.c_void_p
        self._libc.shmdt.argtypes = [ctypes.c_void_p]
        self._connection = connection
        self.size = size
        shmid = self._libc.shmget(0, ctypes.c_size_t(size), _IPC_CREAT | 0o600)
        if shmid < 0:
            raise OSError(ctypes.get_errno(), "shmget")
        self.address = self._libc.shmat(shmid, None, 0)
        refused = error.CatchError(error.BadAccess)
        self.xid = connection.shm_attach(shmid, onerror=refused)
        connection.sync()
        self._libc.shmctl(shmid, _IPC_RMID, None)
        if refused.get_error():
            self._libc.shmdt(self.address)
            raise OSError("the server cannot attach shared memory")

    def free(self) -> None:
        """Let go on both sides."""
        self._connection.shm_detach(self.xid)
        self._connection.sync()
        self._libc.shmdt(self.address)


class Client:
    """A second pair of eyes on an X server."""

    def __init__(self, name: str | None = None) -> None:
        self.display = open_display(name)
        self.screen = self.display.screen()
        self.root = self.screen.root
        self.has_shm = ext_shm.install(self.display)
        self._visuals = {
            visual.visual_id: visual
            for depth in self.screen.allowed_depths
            for visual in depth.visuals
        }

    def close(self) -> None:
        """End the connection; windows made by it go, too."""
        self.display.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextmanager
    def refreshing(self) -> Iterator[tuple[int, int]]:
        """While this lasts the screen is shown by a mode with a refresh rate (75 Hz, given as a
        fraction), which Xvfb's own has not."""
        import Xlib.ext.randr  # noqa: F401  it gives windows and displays RandR's requests

        width, height = self.screen.width_in_pixels, self.screen.height_in_pixels
        across, down, name = width + 100, height + 100, f"test {time.monotonic_ns()}"
        size = {"id": 0, "width": width, "height": height, "dot_clock": 75 * across * down}
        rows = {"h_sync_start": width, "h_sync_end": width, "h_total": across, "h_skew": 0}
        columns = {"v_sync_start": height, "v_sync_end": height, "v_total": down}
        mode = {**size, **rows, **columns, "name_length": len(name), "flags": 0}
        found = self.root.xrandr_get_screen_resources()
        crtc, output = found.crtcs[0], found.outputs[0]
        before = self.display.xrandr_get_crtc_info(crtc, found.config_timestamp).mode
        made = self.root.xrandr_create_mode(mode, name).mode
        self.display.xrandr_add_output_mode(output, made)

        def show(mode: int) -> None:
            self.display.xrandr_set_crtc_config(
                crtc, found.config_timestamp, 0, 0, mode, 1, [output]
            )

        show(made)
        try:
            yield 75 * across * down, across * down
        finally:
            show(before)
            self.display.xrandr_delete_output_mode(output, made)
            self.display.xrandr_destroy_mode(made)
            self.display.sync()

    # -- windows ----------------------------------------------------------------------------------

    def window(self, xid: int) -> Any:
        """Return the python-xlib object of a window."""
        return self.display.create_resource_object("window", xid)

    def create_window(
        self, width: int, height: int, x: int = 0, y: int = 0, color: int = 0, name: str = ""
    ) -> int:
        """Make and show a window; return its XID."""
        window = self.root.create_window(
            x, y, width, height, 0, self.screen.root_depth, X.InputOutput, X.CopyFromParent,
            background_pixel=color, event_mask=X.StructureNotifyMask | X.ExposureMask,
            override_redirect=True,
        )  # fmt: skip
        if name:
            window.set_wm_name(name)
        window.map()
        self.display.sync()
        return int(window.id)

    def resize(self, xid: int, width: int, height: int) -> None:
        """Give a window another size."""
        self.window(xid).configure(width=width, height=height)
        self.display.sync()

    def move(self, xid: int, x: int, y: int) -> None:
        """Put a window elsewhere."""
        self.window(xid).configure(x=x, y=y)
        self.display.sync()

    def destroy(self, xid: int) -> None:
        """Destroy a window, anybody's."""
        self.window(xid).destroy()
        self.display.sync()

    def geometry(self, xid: int) -> tuple[int, int, int, int] | None:
        """Return x, y, width, height; None if there is no such window."""
        try:
            found = self.window(xid).get_geometry()
        except error.BadDrawable:
            return None
        return found.x, found.y, found.width, found.height

    def windows(self, start: Any = None) -> Iterator[Window]:
        """Yield all windows below the root, or below `start`."""
        try:
            children = (start or self.root).query_tree().children
        except error.BadWindow:
            return
        for child in children:
            yield child
            yield from self.windows(child)

    def find(self, matches: Callable[[str], bool], seconds: float = 5.0) -> int | None:
        """Wait for a viewable window whose name matches; return its XID, None if none comes."""
        end = time.monotonic() + seconds
        while True:
            for window in self.windows():
                try:
                    name = window.get_wm_name()
                    if name and matches(str(name)):
                        if window.get_attributes().map_state == X.IsViewable:
                            return int(window.id)
                except (error.BadWindow, error.BadDrawable):
                    continue
            if time.monotonic() > end:
                return None
            time.sleep(0.02)

    def events(self, seconds: float = 0.0) -> list[Any]:
        """Return the events that have come, or that come within some seconds."""
        found = []
        end = time.monotonic() + seconds
        while True:
            while self.display.pending_events():
                found.append(self.display.next_event())
            if found or time.monotonic() >= end:
                return found
            time.sleep(0.005)

    # -- pictures ---------------------------------------------------------------------------------

    def screenshot(
        self, xid: int | None = None, box: tuple[int, int, int, int] | None = None
    ) -> Image:
        """Return what a window (default: the root) shows, or the box x, y, width, height of it.

        Parts of a window that lie outside of the screen cannot be read (BadMatch); move it first.
        """
        drawable = self.root if xid is None else self.window(xid)
        geometry = drawable.get_geometry()
        x, y, width, height = box or (0, 0, geometry.width, geometry.height)
        depth = geometry.depth
        bits = next(
            f.bits_per_pixel for f in self.display.display.info.pixmap_formats if f.depth == depth
        )
        stride = (width * bits + 31) // 32 * 4
        data, visual_id = self._read(drawable, (x, y, width, height), stride * height)
        masks = self._masks(visual_id, drawable)
        return Image(width, height, _to_rgb(data, width, height, stride, bits // 8, masks))

    def png(self, xid: int | None = None) -> bytes:
        """Return a screenshot as a PNG file."""
        return encode(self.screenshot(xid))

    def _read(self, drawable: Any, box: tuple[int, int, int, int], size: int) -> tuple[bytes, int]:
        if self.has_shm:
            try:
                segment = _Segment(self.display, size)
            except OSError:
                self.has_shm = False  # remote, or another IPC namespace
            else:
                try:
                    reply = self.display.shm_get_image(drawable, box, segment.xid)
                    return ctypes.string_at(segment.address, reply.size), reply.visual
                finally:
                    segment.free()
        x, y, width, height = box
        reply = drawable.get_image(x, y, width, height, X.ZPixmap, 0xFFFFFFFF)
        data = reply.data if isinstance(reply.data, bytes) else reply.data.encode("latin-1")
        return data, reply.visual

    def _masks(self, visual_id: int, drawable: Any) -> tuple[int, int, int]:
        visual = self._visuals.get(visual_id)
        if visual is None:  # a pixmap has no visual: assume the root's
            visual = self._visuals[self.screen.root_visual]
        return visual.red_mask, visual.green_mask, visual.blue_mask


def _to_rgb(
    data: bytes, width: int, height: int, stride: int, cpp: int, masks: tuple[int, int, int]
) -> bytes:
    """Unpack little-endian pixels to RGB bytes."""
    if cpp == 4 and masks == (0xFF0000, 0xFF00, 0xFF):
        out = bytearray(3 * width * height)
        for y in range(height):
            row = data[y * stride : y * stride + 4 * width]
            line = bytearray(3 * width)
            line[0::3], line[1::3], line[2::3] = row[2::4], row[1::4], row[0::4]
            out[3 * y * width : 3 * (y + 1) * width] = line
        return bytes(out)
    shifts = [(mask & -mask).bit_length() - 1 for mask in masks]
    tops = [mask >> shift for mask, shift in zip(masks, shifts)]
    out = bytearray()
    for y in range(height):
        for x in range(width):
            at = y * stride + x * cpp
            pixel = int.from_bytes(data[at : at + cpp], "little")
            out += bytes(
                ((pixel & mask) >> shift) * 255 // top
                for mask, shift, top in zip(masks, shifts, tops)
            )
    return bytes(out)
