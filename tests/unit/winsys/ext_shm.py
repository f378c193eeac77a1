# SPDX-License-Identifier: MIT
"""MIT-SHM for python-xlib, which has no such module: the protocol as declarations.

In: a python-xlib Display.  Out: `install(display)` gives it `shm_*` methods.  It makes a
screenshot of a whole screen ten times faster; the driver encodes its requests itself
(winsys_x11/present.py). Form: Xlib/ext/composite.py.  Protocol: "MIT-SHM -- The MIT Shared
Memory Extension", X.Org, version 1.1.
"""

from typing import Any

from Xlib.protocol import rq

EXTENSION = "MIT-SHM"


class QueryVersion(rq.ReplyRequest):  # type: ignore[misc]
    """Version and abilities."""

    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(0), rq.RequestLength())
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Bool("shared_pixmaps"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card16("major_version"),
        rq.Card16("minor_version"),
        rq.Card16("uid"),
        rq.Card16("gid"),
        rq.Card8("pixmap_format"),
        rq.Pad(15),
    )


class Attach(rq.Request):  # type: ignore[misc]
    """The server maps a segment."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(1),
        rq.RequestLength(),
        rq.Card32("shmseg"),
        rq.Card32("shmid"),
        rq.Bool("read_only"),
        rq.Pad(3),
    )


class Detach(rq.Request):  # type: ignore[misc]
    """The server forgets a segment."""

    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(2), rq.RequestLength(), rq.Card32("shmseg"))


class PutImage(rq.Request):  # type: ignore[misc]
    """A rectangle of a segment goes to a drawable."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(3),
        rq.RequestLength(),
        rq.Drawable("drawable"),
        rq.GC("gc"),
        rq.Card16("total_width"),
        rq.Card16("total_height"),
        rq.Card16("src_x"),
        rq.Card16("src_y"),
        rq.Card16("src_width"),
        rq.Card16("src_height"),
        rq.Int16("dst_x"),
        rq.Int16("dst_y"),
        rq.Card8("depth"),
        rq.Card8("format"),
        rq.Bool("send_event"),
        rq.Pad(1),
        rq.Card32("shmseg"),
        rq.Card32("offset"),
    )


class GetImage(rq.ReplyRequest):  # type: ignore[misc]
    """A rectangle of a drawable goes to a segment."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(4),
        rq.RequestLength(),
        rq.Drawable("drawable"),
        rq.Int16("x"),
        rq.Int16("y"),
        rq.Card16("width"),
        rq.Card16("height"),
        rq.Card32("plane_mask"),
        rq.Card8("format"),
        rq.Pad(3),
        rq.Card32("shmseg"),
        rq.Card32("offset"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("depth"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card32("visual"),
        rq.Card32("size"),
        rq.Pad(16),
    )


class Completion(rq.Event):  # type: ignore[misc]
    """The server has read what PutImage with send_event asked for."""

    _code = None
    _fields = rq.Struct(
        rq.Card8("type"),
        rq.Pad(1),
        rq.Card16("sequence_number"),
        rq.Drawable("drawable"),
        rq.Card16("minor_event"),
        rq.Card8("major_event"),
        rq.Pad(1),
        rq.Card32("shmseg"),
        rq.Card32("offset"),
        rq.Pad(12),
    )


def _opcode(display: Any) -> int:
    return int(display.display.get_extension_major(EXTENSION))


def shm_query_version(self: Any) -> Any:
    """Return the reply of QueryVersion."""
    return QueryVersion(display=self.display, opcode=_opcode(self))


def shm_attach(self: Any, shmid: int, read_only: bool = False, onerror: Any = None) -> int:
    """Let the server map a SysV segment; return its XID."""
    shmseg = int(self.display.allocate_resource_id())
    Attach(
        display=self.display, onerror=onerror, opcode=_opcode(self),
        shmseg=shmseg, shmid=shmid, read_only=read_only,
    )  # fmt: skip
    return shmseg


def shm_detach(self: Any, shmseg: int, onerror: Any = None) -> None:
    """Let the server forget a segment."""
    Detach(display=self.display, onerror=onerror, opcode=_opcode(self), shmseg=shmseg)


def shm_put_image(
    self: Any, drawable: Any, gc: Any, total: tuple[int, int], box: tuple[int, int, int, int],
    dst: tuple[int, int], depth: int, shmseg: int, offset: int = 0, send_event: bool = False,
    onerror: Any = None,
) -> None:  # fmt: skip
    """Draw the box (x, y, width, height) of an image of `total` size."""
    PutImage(
        display=self.display, onerror=onerror, opcode=_opcode(self), drawable=drawable, gc=gc,
        total_width=total[0], total_height=total[1], src_x=box[0], src_y=box[1],
        src_width=box[2], src_height=box[3], dst_x=dst[0], dst_y=dst[1], depth=depth, format=2,
        send_event=send_event, shmseg=shmseg, offset=offset,
    )  # fmt: skip


def shm_get_image(
    self: Any, drawable: Any, box: tuple[int, int, int, int], shmseg: int, offset: int = 0
) -> Any:
    """Read a box of a drawable into a segment; the reply says depth, visual and size."""
    return GetImage(
        display=self.display, opcode=_opcode(self), drawable=drawable, x=box[0], y=box[1],
        width=box[2], height=box[3], plane_mask=0xFFFFFFFF, format=2, shmseg=shmseg, offset=offset,
    )  # fmt: skip


def install(display: Any) -> bool:
    """Add the methods to a Display; False if the server has no MIT-SHM."""
    info = display.query_extension(EXTENSION)
    if info is None or not info.present:
        return False
    display.display.set_extension_major(EXTENSION, info.major_opcode)
    for method in (shm_query_version, shm_attach, shm_detach, shm_put_image, shm_get_image):
        if not hasattr(display, method.__name__):
            display.extension_add_method("display", method.__name__, method)
    display.extension_add_event(info.first_event, Completion, "ShmCompletion")
    return True
