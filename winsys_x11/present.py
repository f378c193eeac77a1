# SPDX-License-Identifier: MIT
"""The present kernels: a displaytarget goes to its window without Python, and nobody waits for the
server.

Stage: the last one.  In: `X11Window` (one a drawable) and `X11Target` (one a displaytarget).  Out:
requests on the application's own X connection.  `x11_present` sends ShmPutImage (or PutImage in
pieces, where there is no shared memory) as a checked request and a GetGeometry behind it, flushes,
and remembers both sequence numbers in the target. `x11_settle` awaits them before the target is
drawn to again.  Those two replies are fence, resize notice and error sink in one: when the geometry
arrives the server has read the pixels; a vanished window is an error to us alone.

With two targets in turn the replies awaited are those of the frame before last, so the round trip
is hidden behind a whole frame (measured once: 38,400 swaps a second against 28,700
with XSync).  Counterpart of swrastXPutImage in Mesa's src/glx/drisw_glx.c.
"""

from typing import Any

from pydri.jit import (
    Module,
    Struct,
    extern_c,
    i32,
    kernel,
    ptr,
    u8,
    u16,
    u32,
    u64,
    void,
)
from winsys_x11.connection import (
    SHM_PUT_IMAGE,
    X_GET_GEOMETRY,
    X_PUT_IMAGE,
    XCB_REQUEST_CHECKED,
    XCB_REQUEST_RAW,
    Z_PIXMAP,
)
from winsys_x11.xlib import function_address, libs

CHECKED_RAW = XCB_REQUEST_CHECKED | XCB_REQUEST_RAW
PUT_IMAGE_HEADER = 24
# A request's length field counts 4-byte units in 16 bits; what is longer goes in several requests.
MAX_PUT_BYTES = 4 * 65535 - PUT_IMAGE_HEADER


class X11Target(Struct):
    """A displaytarget as the kernels see it."""

    data = ptr(u8)
    segment = u32  # XID of the MIT-SHM segment, 0: plain memory
    stride = u32
    width = u32
    height = u32
    put_sequence = u32
    geometry_sequence = u32
    pending = u32  # 1: the two replies are still to be awaited


class X11Window(Struct):
    """A window as the kernels see it."""

    connection = ptr(void)
    window = u32
    gc = u32
    depth = u8
    shm_opcode = u8
    swap_bytes = u8  # the server counts bytes the other way round
    pad = u8
    cpp = u32
    width = u32  # as the server said last
    height = u32
    known_width = u32  # what the drawable was allocated for; a difference is a resize
    known_height = u32
    gone = u32  # 1: there is no such drawable any more
    error = u32  # code of the last X error of a put, 0: none
    reported = u32  # 1: a log line names the trouble above; until then it passes for a resize
    puts = u32  # presents sent
    max_put = u32  # bytes of pixels in one PutImage
    staging = ptr(u8)  # rows without padding, for PutImage
    staging_size = u64
    display = ptr(void)  # null: the program has none (xcb)
    asked = u32  # 1: the driver asks for the size (x11_ask)
    requests = u64  # and then: the number of the next request when something was presented last


class _IoVec(Struct):
    base = ptr(void)
    length = u64


class _Protocol(Struct):
    """xcb_protocol_request_t."""

    count = u64
    ext = ptr(void)
    opcode = u8
    isvoid = u8


class _Geometry(Struct):
    """xcb_get_geometry_reply_t."""

    response_type = u8
    depth = u8
    sequence = u16
    length = u32
    root = u32
    x = u16
    y = u16
    width = u16
    height = u16


class _Error(Struct):
    """xcb_generic_error_t, as far as it is read."""

    response_type = u8
    error_code = u8
    sequence = u16


xcb_send_request = extern_c("xcb_send_request", u32, ptr(void), i32, ptr(_IoVec), ptr(_Protocol))
xcb_flush = extern_c("xcb_flush", i32, ptr(void))
xcb_wait_for_reply = extern_c("xcb_wait_for_reply", ptr(void), ptr(void), u32, ptr(u64))
xcb_request_check = extern_c("xcb_request_check", ptr(void), ptr(void), u32)
xcb_discard_reply = extern_c("xcb_discard_reply", void, ptr(void), u32)
x_next_request = extern_c("XNextRequest", u64, ptr(void))
free = extern_c("free", void, ptr(void))
malloc = extern_c("malloc", ptr(void), u64)

_XCB_FUNCTIONS = (
    "xcb_send_request",
    "xcb_flush",
    "xcb_wait_for_reply",
    "xcb_request_check",
    "xcb_discard_reply",
)


@kernel(u32, (ptr(void), ptr(u8), u64, ptr(void), u64, u32))
def x11_send(
    b: Any, connection: Any, header: Any, header_size: Any, data: Any, data_size: Any, isvoid: Any
) -> None:
    """Send one checked request, `data` behind the header if its size is not 0."""
    vector = b.array(_IoVec, 5)  # xcb wants two free places in front of ours
    vector[2].base = header.cast(ptr(void))
    vector[2].length = header_size
    vector[3].base = data
    vector[3].length = data_size
    vector[4].base = data + data_size  # padding: a request is a multiple of 4 bytes long
    vector[4].length = b.const(u64, 0)
    protocol = b.array(_Protocol, 1)
    protocol.count = b.select(data_size == 0, b.const(u64, 1), b.const(u64, 2))
    protocol.ext = b.const(ptr(void), 0)
    protocol.opcode = 0
    protocol.isvoid = b.cast(isvoid, u8)
    b.Return(b.call(xcb_send_request, connection, CHECKED_RAW, vector + 2, protocol))


@kernel(u32, (ptr(X11Window),))
def x11_send_geometry(b: Any, w: Any) -> None:
    """Ask for the window's geometry."""
    request = b.array(u32, 2)
    request[0] = X_GET_GEOMETRY | 2 << 16
    request[1] = w.window
    b.Return(b.call(x11_send, w.connection, request.cast(ptr(u8)), 8, b.const(ptr(void), 0), 0, 0))


@kernel(void, (ptr(X11Window), ptr(X11Target), u32, u32, u32, u32))
def x11_put_shm(b: Any, w: Any, t: Any, x: Any, y: Any, width: Any, height: Any) -> None:
    """ShmPutImage of a rectangle of the target to the same place of the window."""
    r = b.array(u32, 10)
    r[0] = b.cast(w.shm_opcode, u32) | (SHM_PUT_IMAGE << 8 | 10 << 16)
    r[1] = w.window
    r[2] = w.gc
    r[3] = (t.stride // w.cpp) | t.height << 16  # total size of the image in memory
    r[4] = x | y << 16
    r[5] = width | height << 16
    r[6] = x | y << 16
    r[7] = b.cast(w.depth, u32) | Z_PIXMAP << 8  # send_event: 0
    r[8] = t.segment
    r[9] = 0
    t.put_sequence = b.call(
        x11_send, w.connection, r.cast(ptr(u8)), 40, b.const(ptr(void), 0), 0, 1
    )


@kernel(void, (ptr(u8), ptr(u8), u32, u32, u32))
def x11_copy_row(b: Any, to: Any, source: Any, size: Any, swap_bytes: Any, cpp: Any) -> None:
    """Copy one row of pixels, byte order reversed within each pixel if the server wants that."""
    with b.If(swap_bytes == 0):
        b.memcpy(to, source, b.cast(size, u64))
        b.Return()
    with b.If(cpp == 4):
        words, target = source.cast(ptr(u32)), to.cast(ptr(u32))
        with b.For(b.const(u32, 0), size >> 2) as i:
            target[i] = b.bswap(words[i])
        b.Return()
    shorts, target16 = source.cast(ptr(u16)), to.cast(ptr(u16))
    with b.For(b.const(u32, 0), size >> 1) as i:
        target16[i] = b.bswap(shorts[i])


@kernel(void, (ptr(X11Window), ptr(X11Target), u32, u32, u32, u32))
def x11_put_image(b: Any, w: Any, t: Any, x: Any, y: Any, width: Any, height: Any) -> None:
    """PutImage of a rectangle, in as many requests as its size needs.

    Rows are first packed: PutImage has no source rectangle, and the padding of our rows must not
    show.
    """
    row = (width * w.cpp + 3) & b.const(u32, 0xFFFFFFFC)
    with b.If(row > w.max_put):
        b.Return()  # wider than any request (65,000 pixels): the drawable was refused before
    size = b.cast(row, u64) * b.cast(height, u64)
    with b.If(size > w.staging_size):
        b.call(free, w.staging.cast(ptr(void)))
        w.staging = b.call(malloc, size).cast(ptr(u8))
        w.staging_size = size
        with b.If(w.staging == b.const(ptr(u8), 0)):
            w.staging_size = 0
            b.Return()
    staging = w.staging
    first = t.data + (b.cast(y, u64) * b.cast(t.stride, u64) + b.cast(x * w.cpp, u64))
    with b.For(b.const(u32, 0), height) as line:
        b.call(
            x11_copy_row,
            staging + b.cast(line, u64) * b.cast(row, u64),
            first + b.cast(line, u64) * b.cast(t.stride, u64),
            width * w.cpp,
            b.cast(w.swap_bytes, u32),
            w.cpp,
        )
    step = w.max_put // row
    done = b.var(u32, 0)
    with b.While(lambda: done.value < height):
        rows = b.min(step, height - done.value)
        bytes_ = rows * row
        with b.If(t.put_sequence != 0):
            b.call(xcb_discard_reply, w.connection, t.put_sequence)
        r = b.array(u32, 6)
        r[0] = ((bytes_ + PUT_IMAGE_HEADER) >> 2) << 16 | (X_PUT_IMAGE | Z_PIXMAP << 8)
        r[1] = w.window
        r[2] = w.gc
        r[3] = width | rows << 16
        r[4] = x | (y + done.value) << 16
        r[5] = b.cast(w.depth, u32) << 8  # left pad 0
        t.put_sequence = b.call(
            x11_send,
            w.connection,
            r.cast(ptr(u8)),
            PUT_IMAGE_HEADER,
            (staging + b.cast(done.value, u64) * b.cast(row, u64)).cast(ptr(void)),
            b.cast(bytes_, u64),
            1,
        )
        done.value = done.value + rows


@kernel(void, (ptr(X11Window),))
def x11_tell(b: Any, w: Any) -> None:
    """Send the next draw to Python, which will ask what is wrong; once."""
    with b.If(w.reported == 0):
        w.known_width = 0


@kernel(u32, (ptr(X11Window), ptr(X11Target)))
def x11_settle(b: Any, w: Any, t: Any) -> None:
    """Await what x11_present left pending; 1 if the window's size is not the known one."""
    with b.If(t.pending == 0):
        b.Return(b.cast((w.width != w.known_width) | (w.height != w.known_height), u32))
    t.pending = 0
    error = b.array(u64, 1)
    error[0] = 0
    reply = b.call(xcb_wait_for_reply, w.connection, t.geometry_sequence, error).cast(
        ptr(_Geometry)
    )
    with b.If(reply == b.const(ptr(void), 0)):
        w.gone = 1
        b.call(x11_tell, w)
        b.call(free, error.cast(ptr(ptr(void)))[0])
    with b.Else():
        w.width = b.cast(reply.width, u32)
        w.height = b.cast(reply.height, u32)
        b.call(free, reply.cast(ptr(void)))
    # No round trip: the reply above has brought every error of earlier requests with it.
    with b.If(t.put_sequence != 0):
        refused = b.call(xcb_request_check, w.connection, t.put_sequence).cast(ptr(_Error))
        t.put_sequence = 0
        with b.If(refused != b.const(ptr(void), 0)):
            w.error = b.cast(refused.error_code, u32)
            b.call(x11_tell, w)
            b.call(free, refused.cast(ptr(void)))
    b.Return(b.cast((w.width != w.known_width) | (w.height != w.known_height), u32))


@kernel(u64, (ptr(X11Window),))
def x11_next_request(b: Any, w: Any) -> None:
    """The number of the program's next request, another one at each call if it has no Display."""
    with b.If(b.ptr_to_int(w.display) == 0):
        b.Return(w.requests + 1)
    b.Return(b.call(x_next_request, w.display))


@kernel(void, (ptr(X11Window), ptr(X11Target), u32, u32, u32, u32))
def x11_present_box(b: Any, w: Any, t: Any, x: Any, y: Any, width: Any, height: Any) -> None:
    """Show a rectangle of the target at the same place of the window."""
    with b.If((w.gone != 0) | (width == 0) | (height == 0)):
        b.Return()
    b.call(x11_settle, w, t)  # a target has one pair of replies at a time
    t.put_sequence = 0
    with b.If(t.segment != 0):
        b.call(x11_put_shm, w, t, x, y, width, height)
    with b.Else():
        b.call(x11_put_image, w, t, x, y, width, height)
    t.geometry_sequence = b.call(x11_send_geometry, w)
    t.pending = 1
    with b.If(w.asked != 0):
        w.requests = b.call(x11_next_request, w)
    w.puts = w.puts + 1
    b.call(xcb_flush, w.connection)


@kernel(u32, (ptr(X11Window), ptr(X11Target)))
def x11_ask(b: Any, w: Any, t: Any) -> None:
    """As x11_settle, but the size is that of now: the server is asked unless it has been since the
    program said something to it, which may have changed the window."""
    with b.If(w.gone != 0):
        b.Return(0)
    with b.If((t.pending != 0) & (b.call(x11_next_request, w) != w.requests)):
        b.call(x11_settle, w, t)
    with b.If(t.pending == 0):
        t.put_sequence = 0
        t.geometry_sequence = b.call(x11_send_geometry, w)
        t.pending = 1
    b.Return(b.call(x11_settle, w, t))


@kernel(void, (ptr(X11Window), ptr(X11Target)))
def x11_present(b: Any, w: Any, t: Any) -> None:
    """Show the whole target."""
    b.call(x11_present_box, w, t, 0, 0, t.width, t.height)


MODULE = Module("winsys_x11.present", [x11_present, x11_present_box, x11_settle, x11_ask])
_image: list[Any] = []


def image() -> Any:
    """Return the compiled kernels, connected to the application's libxcb."""
    if not _image:
        from pydri.jit.image import register_extern

        for name in _XCB_FUNCTIONS:
            register_extern(name, function_address(libs().xcb, name))
        register_extern("XNextRequest", function_address(libs().x11, "XNextRequest"))
        _image.append(MODULE.compile())
    return _image[0]


__all__ = ["MODULE", "X11Target", "X11Window", "image"]
