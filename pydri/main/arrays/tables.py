# SPDX-License-Identifier: MIT
"""Types of vertex arrays: ONE table, and the PipeFormat of each type, size and meaning.

In: nothing. Out: TYPES (the place in it is the type's number and its bit in masks), FORMATS by
`format_index`. A further type is a row here, rows in pydri/pipe/format.py, and a case in vbo_fetch
(pydri/vbo/arrays.py). GL 4.5, table 10.2; Mesa: main/varray.c (legal types), main/glformats.c.
"""

from __future__ import annotations

from typing import NamedTuple

import pydri.api.enums as gl
from pydri.api.where import In
from pydri.pipe.format import BY_NAME


class ArrayType(NamedTuple):
    """A type: bytes of a component (0: `packed` bytes hold all), and its letters in format
    names.
    """

    enum: int
    bytes: int
    letters: str
    packed: int = 0
    where: In | None = None


#: where arrays have the type (others do, too)
_WIDE = In(10, 31, 0, 30)
_FLOATS_OF_11 = In(44, 44, ext=("ARB_vertex_type_10f_11f_11f_rev:3",))

TYPES: tuple[ArrayType, ...] = (
    ArrayType(gl.GL_BYTE, 1, "8_S"),
    ArrayType(gl.GL_UNSIGNED_BYTE, 1, "8_U"),
    ArrayType(gl.GL_SHORT, 2, "16_S"),
    ArrayType(gl.GL_UNSIGNED_SHORT, 2, "16_U"),
    ArrayType(gl.GL_INT, 4, "32_S", 0, _WIDE),
    ArrayType(gl.GL_UNSIGNED_INT, 4, "32_U", 0, _WIDE),
    ArrayType(gl.GL_FLOAT, 4, "32_FLOAT"),
    ArrayType(gl.GL_DOUBLE, 8, "64_FLOAT", 0, In()),
    ArrayType(gl.GL_HALF_FLOAT, 2, "16_FLOAT"),
    ArrayType(gl.GL_FIXED, 4, "32_FIXED"),
    ArrayType(gl.GL_INT_2_10_10_10_REV, 0, "_S", 4),
    ArrayType(gl.GL_UNSIGNED_INT_2_10_10_10_REV, 0, "_U", 4),
    ArrayType(gl.GL_UNSIGNED_INT_10F_11F_11F_REV, 0, "_FLOAT", 4, _FLOATS_OF_11),
)
#: a name of OpenGL ES for one of them
HALF_OF_ES = ArrayType(
    gl.GL_HALF_FLOAT_OES, 2, "16_FLOAT", 0, In(0, 0, ext=("OES_vertex_half_float:8",))
)
NUMBER: dict[int, int] = {row.enum: n for n, row in enumerate(TYPES)}
BGRA = 5  # the "size" GL_BGRA
SCALED, NORMALIZED, INTEGER = range(3)  # what numbers mean
MEANINGS = ("SCALED", "NORM", "INT")


def format_index(kind: int, meaning: int, size: int) -> int:
    """Place in FORMATS; numbers or kernel values."""
    return (kind * 3 + meaning) * 5 + size - 1


def _name(row: ArrayType, meaning: int, size: int) -> str:
    bits, _, rest = row.letters.partition("_")
    suffix = rest if len(rest) > 1 else rest + MEANINGS[meaning]
    if row.packed:
        if rest == "FLOAT":
            return "R11G11B10_FLOAT"
        return f"{'B10G10R10A2' if size == BGRA else 'R10G10B10A2'}_{suffix}"
    if size == BGRA:
        return "VB8G8R8A8_UNORM"
    return "".join(f"{c}{bits}" for c in "RGBA"[:size]) + "_" + suffix


def _formats() -> list[int]:
    """Numbers by format_index; 0 where there is none."""
    names = [
        _name(row, meaning, size) for row in TYPES for meaning in range(3) for size in range(1, 6)
    ]
    return [BY_NAME[name].number if name in BY_NAME else 0 for name in names]


FORMATS: list[int] = _formats()


def type_mask(*types: int) -> int:
    """Types as bits."""
    return sum(1 << NUMBER[t] for t in types)


def size_mask(*sizes: int) -> int:
    """Sizes 1 to 4 and BGRA as bits above those of the types."""
    return sum(1 << 16 + size for size in sizes)


PACKED_10 = type_mask(gl.GL_INT_2_10_10_10_REV, gl.GL_UNSIGNED_INT_2_10_10_10_REV)
FLOATS = type_mask(gl.GL_FLOAT, gl.GL_DOUBLE, gl.GL_HALF_FLOAT)
INTEGERS = type_mask(
    gl.GL_BYTE,
    gl.GL_UNSIGNED_BYTE,
    gl.GL_SHORT,
    gl.GL_UNSIGNED_SHORT,
    gl.GL_INT,
    gl.GL_UNSIGNED_INT,
)
EVERY = INTEGERS | FLOATS | PACKED_10
GENERIC = EVERY | type_mask(gl.GL_FIXED, gl.GL_UNSIGNED_INT_10F_11F_11F_REV)


class ClientArray(NamedTuple):
    """A name of glEnableClientState, and its attribute slot (VERT_ATTRIB_*); texture coordinates
    depend on the client's unit."""

    enum: int
    slot: int
    where: In | None = None


CLIENT_ARRAYS: dict[int, ClientArray] = {row.enum: row for row in (
    # later the name is one of glObjectLabel, too
    ClientArray(gl.GL_VERTEX_ARRAY, 0, In(11, 0, 10, 0, ("EXT_vertex_array:1",))),
    ClientArray(gl.GL_NORMAL_ARRAY, 1), ClientArray(gl.GL_COLOR_ARRAY, 2),
    ClientArray(gl.GL_SECONDARY_COLOR_ARRAY, 3), ClientArray(gl.GL_FOG_COORD_ARRAY, 4),
    ClientArray(gl.GL_INDEX_ARRAY, 5), ClientArray(gl.GL_TEXTURE_COORD_ARRAY, 6),
    ClientArray(gl.GL_EDGE_FLAG_ARRAY, 31),
    ClientArray(gl.GL_POINT_SIZE_ARRAY_OES, 14),
)}  # fmt: skip
