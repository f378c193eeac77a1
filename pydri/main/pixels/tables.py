# SPDX-License-Identifier: MIT
"""Formats and types of pixels in the program's memory, and which go together (GL 2.1, 3.6.4;
EXT_packed_float, EXT_texture_shared_exponent, ARB_depth_buffer_float, ARB_half_float_pixel).

In: nothing. Out: `FORMATS` and `TYPES`, one row each, whose place in the tuple is the number that
kernels work with; and `error_of(format, type)`, the GL error of a pair. Everything that reads or
writes pixels (glReadPixels, glDrawPixels, display lists, later textures) is made from these rows.
Counterpart of Mesa's main/glformats.c; the order of its errors is kept.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.api import enums as gl
from pydri.api.where import In


class PixelFormat(NamedTuple):
    """`channels`: letters of R, G, B, A, L in memory order; kind: color, integer, index, depth,
    stencil or both."""

    enum: int
    kind: str
    channels: str
    where: In | None = None

    @property
    def components(self) -> int:
        return len(self.channels) or 1


class PixelType(NamedTuple):
    """kind: u, i, f (one element a component), packed, r11g11b10, rgb9e5, bits, z24s8, z32fs8."""

    enum: int
    kind: str
    bytes: int  # of an element
    #: packed: bits of the components from the highest bit down, and whether they are reversed
    widths: tuple[int, ...] = ()
    reverse: bool = False
    where: In | None = None


FORMATS: tuple[PixelFormat, ...] = (
    *(
        PixelFormat(getattr(gl, f"GL_{name}"), "color", channels)
        for name, channels in (
            ("RED", "R"), ("GREEN", "G"), ("BLUE", "B"), ("ALPHA", "A"), ("RG", "RG"),
            ("RGB", "RGB"), ("BGR", "BGR"), ("RGBA", "RGBA"), ("BGRA", "BGRA"),
            ("ABGR_EXT", "ABGR"), ("LUMINANCE", "L"), ("LUMINANCE_ALPHA", "LA"),
        )
    ),
    PixelFormat(gl.GL_COLOR_INDEX, "index", ""),
    PixelFormat(gl.GL_DEPTH_COMPONENT, "depth", ""),
    PixelFormat(gl.GL_STENCIL_INDEX, "stencil", ""),
    PixelFormat(gl.GL_DEPTH_STENCIL, "both", ""),
    *(
        PixelFormat(getattr(gl, f"GL_{name}"), "integer", channels)
        for name, channels in (
            ("RED_INTEGER", "R"), ("GREEN_INTEGER", "G"), ("BLUE_INTEGER", "B"),
            ("RG_INTEGER", "RG"), ("RGB_INTEGER", "RGB"), ("BGR_INTEGER", "BGR"),
            ("RGBA_INTEGER", "RGBA"), ("BGRA_INTEGER", "BGRA"), ("ALPHA_INTEGER", "A"),
            ("LUMINANCE_INTEGER_EXT", "L"), ("LUMINANCE_ALPHA_INTEGER_EXT", "LA"),
        )
    ),
)  # fmt: skip

TYPES: tuple[PixelType, ...] = (
    PixelType(gl.GL_UNSIGNED_BYTE, "u", 1),
    PixelType(gl.GL_BYTE, "i", 1),
    PixelType(gl.GL_UNSIGNED_SHORT, "u", 2),
    PixelType(gl.GL_SHORT, "i", 2),
    PixelType(gl.GL_UNSIGNED_INT, "u", 4),
    PixelType(gl.GL_INT, "i", 4),
    PixelType(gl.GL_FLOAT, "f", 4),
    PixelType(gl.GL_HALF_FLOAT, "f", 2),
    PixelType(gl.GL_BITMAP, "bits", 1),
    PixelType(gl.GL_UNSIGNED_BYTE_3_3_2, "packed", 1, (3, 3, 2)),
    PixelType(gl.GL_UNSIGNED_BYTE_2_3_3_REV, "packed", 1, (3, 3, 2), True),
    PixelType(gl.GL_UNSIGNED_SHORT_5_6_5, "packed", 2, (5, 6, 5)),
    PixelType(gl.GL_UNSIGNED_SHORT_5_6_5_REV, "packed", 2, (5, 6, 5), True),
    PixelType(gl.GL_UNSIGNED_SHORT_4_4_4_4, "packed", 2, (4, 4, 4, 4)),
    PixelType(gl.GL_UNSIGNED_SHORT_4_4_4_4_REV, "packed", 2, (4, 4, 4, 4), True),
    PixelType(gl.GL_UNSIGNED_SHORT_5_5_5_1, "packed", 2, (5, 5, 5, 1)),
    PixelType(gl.GL_UNSIGNED_SHORT_1_5_5_5_REV, "packed", 2, (5, 5, 5, 1), True),
    PixelType(gl.GL_UNSIGNED_INT_8_8_8_8, "packed", 4, (8, 8, 8, 8)),
    PixelType(gl.GL_UNSIGNED_INT_8_8_8_8_REV, "packed", 4, (8, 8, 8, 8), True),
    PixelType(gl.GL_UNSIGNED_INT_10_10_10_2, "packed", 4, (10, 10, 10, 2)),
    PixelType(gl.GL_UNSIGNED_INT_2_10_10_10_REV, "packed", 4, (10, 10, 10, 2), True),
    PixelType(gl.GL_UNSIGNED_INT_10F_11F_11F_REV, "r11g11b10", 4),
    PixelType(gl.GL_UNSIGNED_INT_5_9_9_9_REV, "rgb9e5", 4),
    PixelType(gl.GL_UNSIGNED_INT_24_8, "z24s8", 4),
    PixelType(gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV, "z32fs8", 4),
)

FORMAT_NUMBERS = {row.enum: n for n, row in enumerate(FORMATS)}
TYPE_NUMBERS = {row.enum: n for n, row in enumerate(TYPES)}
_THREE = ("packed", "r11g11b10", "rgb9e5")
#: bits of the packed types that GL_ABGR_EXT goes with
_OF_ABGR = ((4, 4, 4, 4), (8, 8, 8, 8))


def pixel_bytes(format: PixelFormat, type_: PixelType) -> int:
    """Bytes a pixel (of bitmaps: 0)."""
    if type_.kind == "bits":
        return 0
    if type_.kind == "z32fs8":
        return 8
    return type_.bytes * (format.components if type_.kind in "uif" else 1)


def error_of(format: int, type_: int) -> int:
    """The GL error of a format and a type; 0: they go together."""
    row = FORMATS[FORMAT_NUMBERS[format]] if format in FORMAT_NUMBERS else None
    kind = TYPES[TYPE_NUMBERS[type_]] if type_ in TYPE_NUMBERS else None
    if kind is not None:  # first what a type says of formats
        if kind.kind == "bits":
            return 0 if row and row.kind in ("index", "stencil") else gl.GL_INVALID_ENUM
        if kind.kind in ("z24s8", "z32fs8"):
            return 0 if row and row.kind == "both" else gl.GL_INVALID_OPERATION
        if kind.kind in _THREE:
            return 0 if row and _packs(row, kind) else _unpacked_error(row, kind)
    if row is None or kind is None or row.kind == "both":
        return gl.GL_INVALID_ENUM
    return gl.GL_INVALID_ENUM if row.kind == "integer" and kind.kind == "f" else 0


def _unpacked_error(row: PixelFormat | None, kind: PixelType) -> int:
    """The error of a packed type and a format whose components it has not."""
    if row and row.kind == "both" and kind.kind != "rgb9e5":
        return gl.GL_INVALID_ENUM
    rgb = row is not None and row.enum == gl.GL_RGB
    return gl.GL_INVALID_ENUM if kind.kind == "rgb9e5" and not rgb else gl.GL_INVALID_OPERATION


def _packs(row: PixelFormat, kind: PixelType) -> bool:
    """Whether a packed type has a format's components; whole numbers come in fields, too
    (ARB_texture_rgb10_a2ui)."""
    if row.kind not in ("color", "integer"):
        return False
    if len(kind.widths) == 4:
        odd = row.enum == gl.GL_ABGR_EXT and kind.widths not in _OF_ABGR
        return row.components == 4 and not odd
    return row.enum == gl.GL_RGB or (row.enum == gl.GL_RGB_INTEGER and kind.kind == "packed")


__all__ = [
    "FORMATS", "FORMAT_NUMBERS", "PixelFormat", "PixelType", "TYPES", "TYPE_NUMBERS", "error_of",
    "pixel_bytes",
]
