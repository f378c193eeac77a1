# SPDX-License-Identifier: MIT
"""Which buffers glDrawBuffer and glReadBuffer know (GL 2.1, 4.2.1, 4.3.2). Mesa: main/buffers.c."""

from __future__ import annotations

from typing import NamedTuple

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP
from pydri.api.where import In, where_of
from pydri.main.textures.formats import InternalFormat
from pydri.pipe.format import FORMATS, Format

#: what glDrawBuffers takes none of: they stand for several buffers
SEVERAL = (gl.GL_FRONT, gl.GL_LEFT, gl.GL_RIGHT, gl.GL_FRONT_AND_BACK)


class Buffer(NamedTuple):
    """A buffer that can be drawn to or read from; `needs`: what a window must have,
    bits: 1 double buffering, 2 stereo, 4 what no window has."""

    enum: int
    needs: int
    where: In | None = None


#: extensions that give OpenGL ES 2.0 more than one colour
SEVERAL_IN_ES = ("EXT_draw_buffers:8", "NV_draw_buffers:8", "NV_fbo_color_attachments:8")
_ATTACHED = In(
    30, 31, 0, 30, ("ARB_framebuffer_object", "EXT_framebuffer_object", *SEVERAL_IN_ES)
)
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

# -- renderbuffers and targets in OpenGL ES --------------------------------------------------------

_HALF_TARGETS = ("EXT_color_buffer_half_float:8", "EXT_color_buffer_float:8")
#: internal formats of renderbuffers (OpenGL ES 2.0, table 4.5; 3.0, table 3.13): first version of
#: OpenGL ES 2 and later, and the extensions that bring them before
_RENDERBUFFERS: dict[int, tuple[int, tuple[str, ...]]] = {
    gl.GL_RGBA4: (20, ()), gl.GL_RGB5_A1: (20, ()), gl.GL_RGB565: (20, ()),
    gl.GL_DEPTH_COMPONENT16: (20, ()), gl.GL_STENCIL_INDEX8: (20, ()),
    gl.GL_RGB8: (30, ("OES_rgb8_rgba8:8",)), gl.GL_RGBA8: (30, ("OES_rgb8_rgba8:8",)),
    gl.GL_DEPTH_COMPONENT24: (30, ("OES_depth24:8",)),
    gl.GL_DEPTH24_STENCIL8: (30, ("OES_packed_depth_stencil:8",)),
    gl.GL_R8: (30, ("EXT_texture_rg:8",)), gl.GL_RG8: (30, ("EXT_texture_rg:8",)),
    gl.GL_DEPTH_COMPONENT32F: (30, ()), gl.GL_DEPTH32F_STENCIL8: (30, ()),
    gl.GL_SRGB8_ALPHA8: (30, ()), gl.GL_RGB10_A2: (30, ()), gl.GL_RGB10_A2UI: (30, ()),
    **{getattr(gl, f"GL_{name}{bits}{kind}"): (30, ())
       for name in ("R", "RG", "RGBA") for bits in (8, 16, 32) for kind in ("I", "UI")},
    **dict.fromkeys((gl.GL_R16F, gl.GL_RG16F, gl.GL_RGBA16F), (0, _HALF_TARGETS)),
    gl.GL_RGB16F: (0, _HALF_TARGETS[:1]),
    **dict.fromkeys((gl.GL_R32F, gl.GL_RG32F, gl.GL_RGBA32F, gl.GL_R11F_G11F_B10F),
                    (0, _HALF_TARGETS[1:])),
}  # fmt: skip


def renderbuffer_where(row: InternalFormat) -> In:
    """Where renderbuffers have an internal format: in OpenGL as textures do."""
    where = where_of(row.enum, row.where)
    first, extensions = _RENDERBUFFERS.get(row.enum, (0, ()))
    desktop = ((name, bits & DESKTOP) for name, bits in where.brought_by.items())
    kept = (f"{name}:{bits:x}" for name, bits in desktop if bits)
    return In(where.compat, where.core, 0, first, (*kept, *extensions))


def es_target(fmt: Format) -> In:
    """Where OpenGL ES draws to textures of a format, if they hold red, green and blue as the
    internal format says: bytes and less everywhere."""
    if fmt.kind != "float":
        wide = fmt.integer or fmt.kind == "srgb" or any(bits > 8 for _, bits in fmt.channels)
        return In(0, 0, 0, 30) if wide else In(0, 0, 10, 20)
    halves = all(bits == 16 for _, bits in fmt.channels)
    return In(0, 0, ext=_HALF_TARGETS if halves else _HALF_TARGETS[1:])


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
