# SPDX-License-Identifier: MIT
"""Images in OpenGL ES: which internal format, format and type go together, ONE table (OpenGL ES
2.0, table 3.4; 3.0, table 3.2; the extensions that the rows name).

In: nothing. Out: COMBINATIONS, each with the internal format as whose row its texels are stored.
Where OpenGL converts, OpenGL ES has only what stands here. A further combination is a row; where it
is there says its column `where`. Mesa: _mesa_gles_error_check_format_and_type of main/glformats.c,
which lets formats pass that OpenGL ES has not (GL_GREEN, GL_ABGR_EXT).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pydri.api import enums as gl
from pydri.api.where import In
from pydri.main.pixels.tables import FORMAT_NUMBERS, TYPE_NUMBERS, TYPES
from pydri.main.textures.image_tables import ROW_NUMBERS

if TYPE_CHECKING:
    from pydri.jit import Value


#: of Python, or of a kernel
Number = TypeVar("Number", int, "Value")


class Combination(NamedTuple):
    """`enum`: the three as one number (`key`), for row_finder; `stored`: an internal format."""

    enum: int
    stored: int
    where: In


def key(row: Number, format: Number, type_: Number) -> Number:
    """Numbers of an internal format (ROWS), a format and a type (pixels/tables.py) as one."""
    return row << 16 | format << 8 | type_


#: GL_HALF_FLOAT_OES, which formats without a size have, those with one GL_HALF_FLOAT: as a number
#: behind those of the other types
HALVES_OF_ES = len(TYPES)
_TYPES = {**TYPE_NUMBERS, gl.GL_HALF_FLOAT_OES: HALVES_OF_ES}
_ES = In(0, 0, 10, 20)
_ES3 = In(0, 0, 0, 30)


def _by(*names: str) -> In:
    return In(0, 0, 0, 0, names)


_FLOATS = _by("OES_texture_float")
_HALVES = _by("OES_texture_half_float")
_SIZED = In(0, 0, 0, 30, ("OES_required_internalformat",))
#: depths, which textures of OpenGL ES 1 never hold
_SIZED_DEPTHS = In(0, 0, 0, 30, ("OES_required_internalformat:8",))
_TENS = _by("EXT_texture_type_2_10_10_10_REV")
_RG = In(0, 0, 0, 30, ("EXT_texture_rg",))
_DEPTH = In(0, 0, 0, 30, ("OES_depth_texture",))
_BOTH = In(0, 0, 0, 30, ("OES_packed_depth_stencil:8",))
_BGRA = _by("EXT_texture_format_BGRA8888")

#: without a size: internal format and format are one name. (name, type, stored as, where)
_PLAIN: tuple[tuple[str, str, str, In], ...] = (
    *((name, "UNSIGNED_BYTE", name, _ES) for name in (
        "ALPHA", "LUMINANCE", "LUMINANCE_ALPHA", "RGB", "RGBA")),
    ("RGB", "UNSIGNED_SHORT_5_6_5", "RGB565", _ES),
    ("RGBA", "UNSIGNED_SHORT_4_4_4_4", "RGBA4", _ES),
    ("RGBA", "UNSIGNED_SHORT_5_5_5_1", "RGB5_A1", _ES),
    ("RGB", "UNSIGNED_INT_2_10_10_10_REV", "RGB10", _TENS),
    ("RGBA", "UNSIGNED_INT_2_10_10_10_REV", "RGB10_A2", _TENS),
    *((name, type_, f"{name}{bits}F{'_ARB' if name[0] in 'AL' else ''}", where)
      for name in ("ALPHA", "LUMINANCE", "LUMINANCE_ALPHA", "RGB", "RGBA")
      for type_, bits, where in (("FLOAT", 32, _FLOATS), ("HALF_FLOAT_OES", 16, _HALVES))),
    *((name, "UNSIGNED_BYTE", name, _by("EXT_texture_rg")) for name in ("RED", "RG")),
    *((name, type_, f"{name[:2].rstrip('E')}{bits}F", _by("EXT_texture_rg"))
      for name in ("RED", "RG")
      for type_, bits in (("FLOAT", 32), ("HALF_FLOAT_OES", 16), ("HALF_FLOAT", 16))),
    ("DEPTH_COMPONENT", "UNSIGNED_SHORT", "DEPTH_COMPONENT16", _DEPTH),
    ("DEPTH_COMPONENT", "UNSIGNED_INT", "DEPTH_COMPONENT24", _DEPTH),
    ("DEPTH_STENCIL", "UNSIGNED_INT_24_8", "DEPTH24_STENCIL8", _BOTH),
    ("BGRA", "UNSIGNED_BYTE", "BGRA", _BGRA),
)  # fmt: skip

#: with a size, or of another name than the format. (internal formats, format, types, where)
_SIZES: tuple[tuple[str, str, str, In], ...] = (
    ("ALPHA8", "ALPHA", "UNSIGNED_BYTE", _SIZED),
    ("LUMINANCE8", "LUMINANCE", "UNSIGNED_BYTE", _SIZED),
    ("LUMINANCE4_ALPHA4 LUMINANCE8_ALPHA8", "LUMINANCE_ALPHA", "UNSIGNED_BYTE", _SIZED),
    ("RGB8 RGB565", "RGB", "UNSIGNED_BYTE", _SIZED),
    ("RGB565", "RGB", "UNSIGNED_SHORT_5_6_5", _SIZED),
    ("RGB8 RGB10 RGB565", "RGB", "UNSIGNED_INT_2_10_10_10_REV",
     _by("OES_required_internalformat")),
    ("RGBA8 RGB5_A1 RGBA4", "RGBA", "UNSIGNED_BYTE", _SIZED),
    ("RGBA4", "RGBA", "UNSIGNED_SHORT_4_4_4_4", _SIZED),
    ("RGB5_A1", "RGBA", "UNSIGNED_SHORT_5_5_5_1", _SIZED),
    ("RGB10_A2 RGB5_A1", "RGBA", "UNSIGNED_INT_2_10_10_10_REV", _SIZED),
    ("RGBA RGBA8", "BGRA", "UNSIGNED_BYTE", _BGRA),
    ("DEPTH_COMPONENT16", "DEPTH_COMPONENT", "UNSIGNED_SHORT UNSIGNED_INT", _SIZED_DEPTHS),
    ("DEPTH_COMPONENT24", "DEPTH_COMPONENT", "UNSIGNED_INT", _SIZED_DEPTHS),
    ("DEPTH24_STENCIL8", "DEPTH_STENCIL", "UNSIGNED_INT_24_8", _SIZED_DEPTHS),
    ("R8", "RED", "UNSIGNED_BYTE", _RG),
    ("RG8", "RG", "UNSIGNED_BYTE", _RG),
    ("SR8_EXT", "RED", "UNSIGNED_BYTE", _by("EXT_texture_sRGB_R8")),
    ("SRG8_EXT", "RG", "UNSIGNED_BYTE", _by("EXT_texture_sRGB_RG8")),
    # OpenGL ES 3.0
    ("SRGB8_ALPHA8", "RGBA", "UNSIGNED_BYTE", _ES3),
    ("SRGB8", "RGB", "UNSIGNED_BYTE", _ES3),
    *((f"{name}8_SNORM", format_, "BYTE", _ES3) for name, format_ in (
        ("R", "RED"), ("RG", "RG"), ("RGB", "RGB"), ("RGBA", "RGBA"))),
    *((f"{name}16F", format_, "HALF_FLOAT FLOAT", _ES3) for name, format_ in (
        ("R", "RED"), ("RG", "RG"), ("RGB", "RGB"), ("RGBA", "RGBA"))),
    *((f"{name}32F", format_, "FLOAT", _ES3) for name, format_ in (
        ("R", "RED"), ("RG", "RG"), ("RGB", "RGB"), ("RGBA", "RGBA"))),
    ("R11F_G11F_B10F", "RGB", "UNSIGNED_INT_10F_11F_11F_REV HALF_FLOAT FLOAT", _ES3),
    ("RGB9_E5", "RGB", "UNSIGNED_INT_5_9_9_9_REV HALF_FLOAT FLOAT", _ES3),
    *((f"{name}{bits}{letters}", f"{format_}_INTEGER", type_, _ES3)
      for name, format_ in (("R", "RED"), ("RG", "RG"), ("RGB", "RGB"), ("RGBA", "RGBA"))
      for bits, word in ((8, "BYTE"), (16, "SHORT"), (32, "INT"))
      for letters, type_ in (("I", word), ("UI", f"UNSIGNED_{word}"))),
    ("RGB10_A2UI", "RGBA_INTEGER", "UNSIGNED_INT_2_10_10_10_REV", _ES3),
    ("DEPTH_COMPONENT32F", "DEPTH_COMPONENT", "FLOAT", _ES3),
    ("DEPTH32F_STENCIL8", "DEPTH_STENCIL", "FLOAT_32_UNSIGNED_INT_24_8_REV", _ES3),
    # blocks that the driver makes of texels
    *((f"COMPRESSED_{name}_EXT", format_, "UNSIGNED_BYTE FLOAT",
       _by("EXT_texture_compression_s3tc"))
      for name in ("RGB_S3TC_DXT1", "RGBA_S3TC_DXT1", "RGBA_S3TC_DXT3", "RGBA_S3TC_DXT5")
      for format_ in ("RGB", "RGBA")),
)  # fmt: skip


def _number(word: str) -> int:
    enum: int = getattr(gl, f"GL_{word}")
    return enum


def _row(internal: str, format_: str, type_: str, stored: str, where: In) -> Combination:
    numbers = ROW_NUMBERS[_number(internal)], FORMAT_NUMBERS[_number(format_)]
    return Combination(key(*numbers, _TYPES[_number(type_)]), _number(stored), where)


def _combinations() -> Iterator[Combination]:
    for name, type_, stored, where in _PLAIN:
        yield _row(name, name, type_, stored, where)
    for internals, format_, types, where in _SIZES:
        for internal in internals.split():
            for type_ in types.split():
                yield _row(internal, format_, type_, internal, where)


COMBINATIONS: tuple[Combination, ...] = tuple(_combinations())


__all__ = ["COMBINATIONS", "Combination", "key"]
