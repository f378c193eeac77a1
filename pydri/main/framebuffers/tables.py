# SPDX-License-Identifier: MIT
"""Which buffers glDrawBuffer and glReadBuffer know (GL 2.1, 4.2.1, 4.3.2). Mesa: main/buffers.c."""

from __future__ import annotations

from typing import NamedTuple

import pydri.api.enums as gl
from pydri.api.where import In
from pydri.pipe.format import FORMATS, Format

#: what glDrawBuffers takes none of: they stand for several buffers
SEVERAL = (gl.GL_FRONT, gl.GL_LEFT, gl.GL_RIGHT, gl.GL_FRONT_AND_BACK)


class Buffer(NamedTuple):
    """A buffer that can be drawn to or read from; `needs`: what a window must have,
    bits: 1 double buffering, 2 stereo, 4 what no window has."""

    enum: int
    needs: int
    where: In | None = None


_ATTACHED = In(30, 31, 0, 30, ("ARB_framebuffer_object", "EXT_framebuffer_object"))
BUFFERS = (
    Buffer(gl.GL_NONE, 0),
    Buffer(gl.GL_FRONT, 0),
    Buffer(gl.GL_LEFT, 0),
    Buffer(gl.GL_FRONT_LEFT, 0),
    Buffer(gl.GL_FRONT_AND_BACK, 0),  # as a read buffer too, as with Mesa
    Buffer(gl.GL_BACK, 1),
    Buffer(gl.GL_BACK_LEFT, 1),
    Buffer(gl.GL_RIGHT, 2),
    Buffer(gl.GL_FRONT_RIGHT, 2),
    Buffer(gl.GL_BACK_RIGHT, 3),
    *(Buffer(gl.GL_AUX0 + n, 4) for n in range(4)),
    *(Buffer(gl.GL_COLOR_ATTACHMENT0 + n, 4, _ATTACHED) for n in range(32)),
)

# -- what glReadPixels need not convert ------------------------------------------------------------

_TYPES = {
    ("un", 8): gl.GL_UNSIGNED_BYTE, ("sn", 8): gl.GL_BYTE, ("un", 16): gl.GL_UNSIGNED_SHORT,
    ("sn", 16): gl.GL_SHORT, ("f", 16): gl.GL_HALF_FLOAT, ("f", 32): gl.GL_FLOAT,
    ("ui", 8): gl.GL_UNSIGNED_BYTE, ("si", 8): gl.GL_BYTE, ("ui", 16): gl.GL_UNSIGNED_SHORT,
    ("si", 16): gl.GL_SHORT, ("ui", 32): gl.GL_UNSIGNED_INT, ("si", 32): gl.GL_INT,
}  # fmt: skip
#: packed formats by the bits of their channels
_PACKED = {
    (5, 6, 5): (gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5),
    (4, 4, 4, 4): (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_4_4_4_4),
    (5, 5, 5, 1): (gl.GL_RGBA, gl.GL_UNSIGNED_SHORT_1_5_5_5_REV),
    (10, 10, 10, 2): (gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV),
    (11, 11, 10): (gl.GL_RGB, gl.GL_UNSIGNED_INT_10F_11F_11F_REV),
}
_INTEGER = {
    gl.GL_RED: gl.GL_RED_INTEGER, gl.GL_RG: gl.GL_RG_INTEGER, gl.GL_RGBA: gl.GL_RGBA_INTEGER,
}  # fmt: skip


def _read_as(fmt: Format) -> tuple[int, int]:
    """Format and type (GL_IMPLEMENTATION_COLOR_READ_*) in which a surface's pixels are asked for at
    least cost, as the peer tells them but for windows' order of bytes."""
    if fmt.name.startswith("B8G8R8") or not fmt.channels or fmt.kind == "zs":
        return gl.GL_BGRA, gl.GL_UNSIGNED_BYTE
    bits = tuple(size for _, size in fmt.channels)
    if bits in _PACKED:
        format_, type_ = _PACKED[bits]
    else:
        format_ = {"0zzo": gl.GL_RED, "01zo": gl.GL_RG}.get(fmt.swizzle, gl.GL_RGBA)
        type_ = _TYPES.get(fmt.channels[0], gl.GL_UNSIGNED_BYTE)
    return _INTEGER[format_] if fmt.integer else format_, type_


READ_AS = tuple(_read_as(fmt) for fmt in FORMATS)


def _signed(fmt: Format) -> tuple[int, ...]:
    """Which of red, green, blue, alpha of a surface can be negative (GL_RGBA_SIGNED_COMPONENTS_EXT;
    EXT_packed_float: its own floats cannot)."""
    wide = fmt.kind in ("snorm", "sint") or (fmt.kind == "float" and fmt.channels[0][1] >= 16)
    return tuple(int(wide and pick.isdigit()) for pick in fmt.swizzle[:4].ljust(4, "z"))


SIGNED = tuple(_signed(fmt) for fmt in FORMATS)
