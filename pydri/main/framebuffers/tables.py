# SPDX-License-Identifier: MIT
"""What framebuffers are bound to, what of them and of textures can be attached, what queries know
of attachments, and which buffers glDrawBuffer and glReadBuffer know (GL 4.6, 9.2; GL 2.1, 4.2.1,
4.3.2): rows, for kernels and for Python. Mesa: main/fbobject.c, main/buffers.c.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP
from pydri.api.where import In, where_of
from pydri.main.framebuffers.layout import DEPTH_PLACE, STENCIL_PLACE
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.native import MAX_TARGETS

if TYPE_CHECKING:
    from pydri.main.textures.formats import InternalFormat

# -- what is bound and attached --------------------------------------------------------------------


class Target(NamedTuple):
    """A target, and what is bound by it: fields of the block of framebuffers, of which queries and
    attachments mean the first."""

    enum: int
    bound: tuple[str, ...]
    where: In | None = None


TARGETS: dict[int, Target] = {row.enum: row for row in (
    Target(gl.GL_FRAMEBUFFER, ("draw", "read")),
    Target(gl.GL_DRAW_FRAMEBUFFER, ("draw",)),
    Target(gl.GL_READ_FRAMEBUFFER, ("read",)),
)}  # fmt: skip

NO_PLACE, BAD_COLOR = 100, 101
BOTH_PLACES = 102  # GL_DEPTH_STENCIL_ATTACHMENT


class Attachment(NamedTuple):
    """An attachment point, and its place; BOTH_PLACES, BAD_COLOR."""

    enum: int
    place: int
    where: In | None = None


#: extensions that give OpenGL ES 2.0 more than one colour
SEVERAL_IN_ES = ("EXT_draw_buffers:8", "NV_draw_buffers:8", "NV_fbo_color_attachments:8")
_COLORS = In(
    30, 31, 0, 30, ("ARB_framebuffer_object", "EXT_framebuffer_object", *SEVERAL_IN_ES)
)
_BOTH = In(30, 31, 0, 30, ("ARB_framebuffer_object",))
ATTACHMENTS: dict[int, Attachment] = {row.enum: row for row in (
    Attachment(gl.GL_COLOR_ATTACHMENT0, 0),  # OpenGL ES 2.0 has this one alone
    *(
        Attachment(gl.GL_COLOR_ATTACHMENT0 + n, n if n < MAX_TARGETS else BAD_COLOR, _COLORS)
        for n in range(1, 32)
    ),
    Attachment(gl.GL_DEPTH_ATTACHMENT, DEPTH_PLACE),
    Attachment(gl.GL_STENCIL_ATTACHMENT, STENCIL_PLACE),
    Attachment(gl.GL_DEPTH_STENCIL_ATTACHMENT, BOTH_PLACES, _BOTH),
)}  # fmt: skip
CUBE_FACES = tuple(gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + n for n in range(6))


class TexTarget(NamedTuple):
    """A textarget: what textures it means, and the entry points of how many dimensions take it."""

    enum: int
    means: int
    dims: int
    where: In | None = None


TEXTARGETS: tuple[TexTarget, ...] = (
    *(
        TexTarget(enum, enum, dims)
        for enum, dims in (
            (gl.GL_TEXTURE_1D, 1), (gl.GL_TEXTURE_1D_ARRAY, 1), (gl.GL_TEXTURE_2D, 2),
            (gl.GL_TEXTURE_2D_ARRAY, 2), (gl.GL_TEXTURE_RECTANGLE, 2), (gl.GL_TEXTURE_3D, 3),
            (gl.GL_TEXTURE_CUBE_MAP, 0), (gl.GL_TEXTURE_CUBE_MAP_ARRAY, 0),
            (gl.GL_TEXTURE_2D_MULTISAMPLE, 2), (gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 2),
        )
    ),
    *(TexTarget(face, gl.GL_TEXTURE_CUBE_MAP, 2) for face in CUBE_FACES),
)  # fmt: skip


class AttachmentQuery(NamedTuple):
    """A parameter of an attachment: what it is about ("type", "name", "texture", "size" of a
    `component`, "encoding", "numbers")."""

    enum: int
    about: str
    component: str = ""
    where: In | None = None


COMPONENTS = ("RED", "GREEN", "BLUE", "ALPHA", "DEPTH", "STENCIL")
#: also where glNamedFramebufferTexture attaches layers
_LAYERED = In(
    32, 32, 0, 32, ("ARB_direct_state_access:3", "EXT_geometry_shader:8", "OES_geometry_shader:8")
)
ATTACHMENT_QUERIES: dict[int, AttachmentQuery] = {row.enum: row for row in (
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, "type"),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, "name"),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LEVEL, "texture"),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_CUBE_MAP_FACE, "texture"),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_TEXTURE_LAYER, "texture"),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_LAYERED, "texture", where=_LAYERED),
    *(
        AttachmentQuery(getattr(gl, f"GL_FRAMEBUFFER_ATTACHMENT_{name}_SIZE"), "size", name)
        for name in COMPONENTS
    ),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, "encoding"),
    AttachmentQuery(gl.GL_FRAMEBUFFER_ATTACHMENT_COMPONENT_TYPE, "numbers"),
)}  # fmt: skip

# -- what is drawn to and read ---------------------------------------------------------------------

#: what glDrawBuffers takes none of: they stand for several buffers
SEVERAL = (gl.GL_FRONT, gl.GL_LEFT, gl.GL_RIGHT, gl.GL_FRONT_AND_BACK)


class Buffer(NamedTuple):
    """A buffer that can be drawn to or read from; `needs`: what a window must have,
    bits: 2 stereo, 4 what no window has."""

    enum: int
    needs: int
    where: In | None = None


_ATTACHED = In(
    30, 31, 0, 30, ("ARB_framebuffer_object", "EXT_framebuffer_object", *SEVERAL_IN_ES)
)
#: names that OpenGL ES has for sides of polygons alone
_SIDES = In(10, 31)
BUFFERS = (
    Buffer(gl.GL_NONE, 0),
    Buffer(gl.GL_FRONT, 0, _SIDES),
    Buffer(gl.GL_LEFT, 0),
    Buffer(gl.GL_FRONT_LEFT, 0),
    Buffer(gl.GL_FRONT_AND_BACK, 0, _SIDES),  # as a read buffer too, as with Mesa
    # of a window with one buffer these are that one, as with Mesa: programs count on it
    Buffer(gl.GL_BACK, 0),
    Buffer(gl.GL_BACK_LEFT, 0),
    Buffer(gl.GL_RIGHT, 2),
    Buffer(gl.GL_FRONT_RIGHT, 2),
    Buffer(gl.GL_BACK_RIGHT, 2),
    *(Buffer(gl.GL_AUX0 + n, 4) for n in range(4)),
    *(Buffer(gl.GL_COLOR_ATTACHMENT0 + n, 4, _ATTACHED) for n in range(32)),
)

# -- renderbuffers and targets in OpenGL ES --------------------------------------------------------

_HALF_TARGETS = ("EXT_color_buffer_half_float:8", "EXT_color_buffer_float:8")
_FIRST = ("OES_framebuffer_object:4",)
#: internal formats of renderbuffers (OpenGL ES 2.0, table 4.5; 3.0, table 3.13; in OpenGL ES 1
#: those of OES_framebuffer_object and its kin): first version of OpenGL ES 2 and later, and the
#: extensions that bring them before
_RENDERBUFFERS: dict[int, tuple[int, tuple[str, ...]]] = {
    gl.GL_RGBA4: (20, _FIRST), gl.GL_RGB5_A1: (20, _FIRST), gl.GL_RGB565: (20, _FIRST),
    gl.GL_DEPTH_COMPONENT16: (20, _FIRST), gl.GL_STENCIL_INDEX8: (20, ("OES_stencil8:4",)),
    gl.GL_RGB8: (30, ("OES_rgb8_rgba8:c",)), gl.GL_RGBA8: (30, ("OES_rgb8_rgba8:c",)),
    gl.GL_DEPTH_COMPONENT24: (30, ("OES_depth24:c",)),
    gl.GL_DEPTH24_STENCIL8: (30, ("OES_packed_depth_stencil:c",)),
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


#: what OpenGL ES never draws to, whatever the driver could (3.0, table 3.13; Mesa:
#: is_format_color_renderable of main/fbobject.c)
NO_ES_TARGETS = frozenset(
    getattr(gl, f"GL_{name}")
    for name in ("SRGB", "SRGB8", "SR8_EXT", "SRG8_EXT", "RGB9_E5", "RGB32F", "RGB10", *(
        f"{channels}{bits}_SNORM" for channels in ("R", "RG", "RGB", "RGBA") for bits in (8, 16)
    ), *(f"RGB{bits}{kind}" for bits in (8, 16, 32) for kind in ("I", "UI")))
)

#: without a size: singles of these (OES_texture_float) are never drawn to, sized ones may be
UNSIZED = frozenset((gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA))


def holds_singles(fmt: Format) -> bool:
    """Whether a format's channels are floats of 32 bits."""
    return fmt.kind == "float" and fmt.channels[0][1] == 32


def es_target(fmt: Format) -> In:
    """Where OpenGL ES draws to textures of a format, if they hold red, green and blue as the
    internal format says: bytes and less everywhere."""
    if "10X2" in fmt.name:  # OES_required_internalformat: RGB10, asked for without a size or with
        return In(0, 0)
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


@cache
def read_as_of(number: int) -> tuple[int, int]:
    """Format and type (GL_IMPLEMENTATION_COLOR_READ_*) in which the pixels of a surface of a
    PipeFormat are asked for at least cost, as the peer tells them but for windows' order of
    bytes."""
    fmt = FORMATS[number]
    if fmt.name.startswith("B8G8R8") or not fmt.channels or fmt.kind == "zs":
        return gl.GL_BGRA, gl.GL_UNSIGNED_BYTE
    bits = tuple(size for _, size in fmt.channels)
    if bits in _PACKED:
        format_, type_ = _PACKED[bits]
    else:
        format_ = {"0zzo": gl.GL_RED, "01zo": gl.GL_RG}.get(fmt.swizzle, gl.GL_RGBA)
        type_ = _TYPES.get(fmt.channels[0], gl.GL_UNSIGNED_BYTE)
    return _INTEGER[format_] if fmt.integer else format_, type_


@cache
def signed_of(number: int) -> tuple[int, ...]:
    """Which of red, green, blue, alpha of a surface of a PipeFormat can be negative
    (GL_RGBA_SIGNED_COMPONENTS_EXT; EXT_packed_float: its own floats cannot)."""
    fmt = FORMATS[number]
    wide = fmt.kind in ("snorm", "sint") or (fmt.kind == "float" and fmt.channels[0][1] >= 16)
    return tuple(int(wide and pick.isdigit()) for pick in fmt.swizzle[:4].ljust(4, "z"))
