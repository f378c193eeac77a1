# SPDX-License-Identifier: MIT
"""The application's X connection as this driver uses it: raw requests on its own socket, errors
kept to ourselves.

Stage: winsys.  In: a `Display*` of the application.  Out: `XConnection`, with the facts of the
server that decide how frames travel (image byte order, pixmap formats, request limit, MIT-SHM) and
checked requests.

Requests are encoded here by hand (protocol document, appendix B) and sent with `xcb_send_request`
and XCB_REQUEST_CHECKED, so that a vanished window yields an error *to us*; Xlib's handler, whose
default ends the program, never hears of it.  They share the socket with Xlib, so they stay in order
with what the application itself sends. The peer (Mesa's drisw_glx.c) calls XShmPutImage and XSync
instead and lets the error handler end the program.
"""

import struct
from typing import Any, NamedTuple

from winsys_x11.xlib import address, ffi, libs, pointer

XCB_REQUEST_CHECKED = 1
XCB_REQUEST_RAW = 2

X_CREATE_GC = 55
X_FREE_GC = 60
X_PUT_IMAGE = 72
X_GET_IMAGE = 73
X_GET_GEOMETRY = 14
GC_GRAPHICS_EXPOSURES = 1 << 16
Z_PIXMAP = 2

SHM_QUERY_VERSION = 0
SHM_ATTACH = 1
SHM_DETACH = 2
SHM_PUT_IMAGE = 3
SHM_GET_IMAGE = 4
ALL_PLANES = 0xFFFFFFFF

BAD_DRAWABLE = 9


class XError(RuntimeError):
    """The server refused one of our own requests."""

    def __init__(self, code: int, resource: int, what: str) -> None:
        super().__init__(f"{what}: X error {code} (resource {resource:#x})")
        self.code = code
        self.resource = resource


class Geometry(NamedTuple):
    """What GetGeometry tells about a drawable."""

    root: int
    width: int
    height: int
    depth: int


class XConnection:
    """One connection, found through the application's `Display*`."""

    def __init__(self, display: Any) -> None:
        self.libs = libs()
        self.display = pointer("Display *", display)
        self.xcb = self.libs.x11_xcb.XGetXCBConnection(self.display)
        self.lsb_first = self.libs.x11.XImageByteOrder(self.display) == 0
        self.bits_per_pixel = self._pixmap_formats()
        self.shm_opcode = self._find_shm()
        # In bytes, of one request, BIG-REQUESTS included.
        self.max_request = 4 * self.libs.xcb.xcb_get_maximum_request_length(self.xcb)

    def _pixmap_formats(self) -> dict[int, int]:
        count = ffi.new("int *")
        formats = self.libs.x11.XListPixmapFormats(self.display, count)
        if formats == ffi.NULL:
            return {}
        table = {formats[i].depth: formats[i].bits_per_pixel for i in range(count[0])}
        self.libs.x11.XFree(formats)
        return table

    def query_extension(self, name: str) -> tuple[int, int, int] | None:
        """Return (major opcode, first event, first error) of a server extension, or None."""
        out = ffi.new("int[3]")
        found = self.libs.x11.XQueryExtension(self.display, name.encode(), out, out + 1, out + 2)
        return (out[0], out[1], out[2]) if found else None

    def _find_shm(self) -> int:
        found = self.query_extension("MIT-SHM")
        if found is None:
            return 0
        # A server may list MIT-SHM and refuse QueryVersion (a SECURITY policy).
        reply = self.request_reply(struct.pack("<BBH", found[0], SHM_QUERY_VERSION, 1), 32)
        return found[0] if reply is not None else 0

    @property
    def alive(self) -> bool:
        """False once the connection has broken."""
        return not self.libs.xcb.xcb_connection_has_error(self.xcb)

    def send(self, request: bytes, *, reply: bool, data: Any = None, size: int = 0) -> int:
        """Send one checked request, `data` (an address of `size` bytes) after it; return its
        sequence number.

        The caller has filled in the length field; a request of more than 65535 units of four bytes
        has the form of BIG-REQUESTS.
        """
        header = ffi.new("char[]", request)
        vector = ffi.new("struct iovec[4]")
        vector[2].iov_base = header
        vector[2].iov_len = len(request)
        count = 1
        if data is not None:
            vector[3].iov_base = pointer("void *", data)
            vector[3].iov_len = size
            count = 2
        protocol = ffi.new(
            "xcb_protocol_request_t *", {"count": count, "isvoid": 0 if reply else 1}
        )
        sequence = self.libs.xcb.xcb_send_request(
            self.xcb, XCB_REQUEST_CHECKED | XCB_REQUEST_RAW, vector + 2, protocol
        )
        return int(sequence)

    def _consume_error(self, error: Any, what: str) -> XError | None:
        if error == ffi.NULL:
            return None
        result = XError(error.error_code, error.resource_id, what)
        self.libs.c.free(error)
        return result

    def check(self, sequence: int, what: str = "request") -> XError | None:
        """Wait until a request without reply is done; return its error, if any."""
        error = self.libs.xcb.xcb_request_check(self.xcb, {"sequence": sequence})
        return self._consume_error(error, what)

    def request(self, request: bytes, what: str = "request") -> XError | None:
        """Send a request without reply and wait for its outcome."""
        return self.check(self.send(request, reply=False), what)

    def request_reply(self, request: bytes, size: int = 0) -> bytes | None:
        """Send a request and return the first `size` bytes of its reply (0: all); None if it
        failed."""
        sequence = self.send(request, reply=True)
        error = ffi.new("xcb_generic_error_t **")
        reply = self.libs.xcb.xcb_wait_for_reply(self.xcb, sequence, error)
        if reply == ffi.NULL:
            self._consume_error(error[0], "reply")
            return None
        if not size:
            size = 32 + 4 * pointer("uint32_t *", reply)[1]
        result = bytes(ffi.buffer(reply, size))
        self.libs.c.free(reply)
        return result

    def geometry(self, drawable: int) -> Geometry | None:
        """Ask the server for a drawable's size and depth; None if there is no such drawable."""
        reply = self.request_reply(struct.pack("<BBHI", X_GET_GEOMETRY, 0, 2, drawable), 32)
        if reply is None:
            return None
        _, depth, _, _, root, _, _, width, height = struct.unpack_from("<BBHIIhhHH", reply)
        return Geometry(root, width, height, depth)

    def get_image(self, drawable: int, width: int, height: int, stride: int) -> bytes | None:
        """Return a drawable's pixels, in rows of `stride` bytes; None if there is no such
        drawable, or it is smaller.
        """
        asked = struct.pack(
            "<BBHIhhHHI", X_GET_IMAGE, Z_PIXMAP, 5, drawable, 0, 0, width, height, ALL_PLANES
        )
        size = 32 + stride * height
        reply = self.request_reply(asked, size)
        return None if reply is None else reply[32:]

    def get_image_into(self, drawable: int, width: int, height: int, segment: int) -> bool:
        """Let the server write a drawable's pixels into a segment; False if it refuses."""
        asked = struct.pack(
            "<BBHIhhHHIBxxxII", self.shm_opcode, SHM_GET_IMAGE, 8, drawable, 0, 0, width, height,
            ALL_PLANES, Z_PIXMAP, segment, 0,
        )  # fmt: skip
        return self.request_reply(asked, 32) is not None

    def create_gc(self, drawable: int) -> int:
        """Make a graphics context for a drawable; 0 if the drawable is gone."""
        gc = int(self.libs.xcb.xcb_generate_id(self.xcb))
        request = struct.pack("<BBHIIII", X_CREATE_GC, 0, 5, gc, drawable, GC_GRAPHICS_EXPOSURES, 0)
        return 0 if self.request(request, "CreateGC") else gc

    def free_gc(self, gc: int) -> None:
        """Give a graphics context back."""
        if gc and self.alive:
            self.discard(self.send(struct.pack("<BBHI", X_FREE_GC, 0, 2, gc), reply=False))

    def attach_segment(self, shmid: int) -> int:
        """Let the server map a shared-memory segment; return its XID, or 0 where the server
        refuses.

        A refusal is ordinary: the server may run on another machine, in another IPC namespace or as
        another user.
        """
        if not self.shm_opcode:
            return 0
        segment = int(self.libs.xcb.xcb_generate_id(self.xcb))
        request = struct.pack(
            "<BBHIIBxxx", self.shm_opcode, SHM_ATTACH, 4, segment, shmid & 0xFFFFFFFF, 1
        )
        return 0 if self.request(request, "ShmAttach") else segment

    def detach_segment(self, segment: int) -> None:
        """Let the server forget a segment; the order of requests keeps pending puts correct."""
        if segment and self.alive:
            request = struct.pack("<BBHI", self.shm_opcode, SHM_DETACH, 2, segment)
            self.discard(self.send(request, reply=False))

    def discard(self, sequence: int) -> None:
        """Let whatever comes of a request fall on the floor."""
        self.libs.xcb.xcb_discard_reply(self.xcb, sequence)

    def flush(self) -> None:
        """Push our requests out."""
        self.libs.xcb.xcb_flush(self.xcb)

    @property
    def key(self) -> int:
        """The address of the Display."""
        return address(self.display)
