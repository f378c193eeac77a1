# SPDX-License-Identifier: MIT
"""ONE table of all attribute entry points: glVertex3f, glColor4ubv, glVertexAttrib4Nub, glColorP4ui
... (some 340 names).

In: families (name, slot, sizes, types). Out: `ROWS`, and `value_of`, which emits the four floats
of a call. exec.py and save.py turn each row into a kernel for immediate mode and one for lists.
Missing components are 0, 0, 1 (z, w: y, z, w). Integer colours and normals become [-1, 1] by (2c +
1) / (2^b - 1), unsigned ones [0, 1] by c / (2^b - 1) (GL 2.1, table 2.9). Counterpart of Mesa's
vbo_attrib_tmp.h and api_loopback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.jit.types import f16, f32, f64, i32, u16, u32
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_COLOR_INDEX,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Value

# how the slot is found
FIXED, VERTEX, TEXTURE, GENERIC = "fixed", "vertex", "texture", "generic"


class AttribRow(NamedTuple):
    """One entry point. `type` is the suffix: b s i f d h ub us ui, "flag" (a GLboolean), or
    "packed" (a type and a word of it). `normalized` is an argument of packed generic ones (None).
    `pure`: whole numbers stay what they are (GL 3.0: glVertexAttribI).
    """

    name: str
    kind: str
    slot: int
    size: int
    type: str
    normalized: bool | None
    vector: bool
    pure: bool = False


class Family(NamedTuple):
    """Entry points of one name: `digit` says whether the size is part of the name."""

    name: str
    kind: str
    slot: int
    sizes: tuple[int, ...]
    types: tuple[str, ...]
    normalized: bool = False
    digit: bool = True
    pure: bool = False


_PLAIN = ("s", "i", "f", "d")
_COLOR = ("b", "s", "i", "ub", "us", "ui")

FAMILIES = (
    Family("glVertex", VERTEX, VERT_ATTRIB_POS, (2, 3, 4), _PLAIN),
    Family("glColor", FIXED, VERT_ATTRIB_COLOR0, (3, 4), ("f", "d")),
    Family("glColor", FIXED, VERT_ATTRIB_COLOR0, (3, 4), _COLOR, True),
    Family("glSecondaryColor", FIXED, VERT_ATTRIB_COLOR1, (3,), ("f", "d")),
    Family("glSecondaryColor", FIXED, VERT_ATTRIB_COLOR1, (3,), _COLOR, True),
    Family("glNormal", FIXED, VERT_ATTRIB_NORMAL, (3,), ("f", "d")),
    Family("glNormal", FIXED, VERT_ATTRIB_NORMAL, (3,), ("b", "s", "i"), True),
    Family("glTexCoord", FIXED, VERT_ATTRIB_TEX0, (1, 2, 3, 4), _PLAIN),
    Family("glMultiTexCoord", TEXTURE, VERT_ATTRIB_TEX0, (1, 2, 3, 4), _PLAIN),
    Family("glFogCoord", FIXED, VERT_ATTRIB_FOG, (1,), ("f", "d"), False, False),
    Family("glIndex", FIXED, VERT_ATTRIB_COLOR_INDEX, (1,), (*_PLAIN, "ub"), False, False),
    Family("glVertexAttrib", GENERIC, -1, (1, 2, 3, 4), ("s", "f", "d")),
    Family("glVertexAttribI", GENERIC, -1, (1, 2, 3, 4), ("i", "ui"), pure=True),
)
#: families with a packed form (ARB_vertex_type_2_10_10_10_rev): sizes and normalisation
PACKED_FAMILIES = (
    Family("glVertexP", VERTEX, VERT_ATTRIB_POS, (2, 3, 4), ()),
    Family("glColorP", FIXED, VERT_ATTRIB_COLOR0, (3, 4), (), True),
    Family("glSecondaryColorP", FIXED, VERT_ATTRIB_COLOR1, (3,), (), True),
    Family("glNormalP", FIXED, VERT_ATTRIB_NORMAL, (3,), (), True),
    Family("glTexCoordP", FIXED, VERT_ATTRIB_TEX0, (1, 2, 3, 4), ()),
    Family("glMultiTexCoordP", TEXTURE, VERT_ATTRIB_TEX0, (1, 2, 3, 4), ()),
    Family("glVertexAttribP", GENERIC, -1, (1, 2, 3, 4), ()),
)
#: NV_half_float
HALF_FAMILIES = (
    Family("glVertex", VERTEX, VERT_ATTRIB_POS, (2, 3, 4), ()),
    Family("glColor", FIXED, VERT_ATTRIB_COLOR0, (3, 4), ()),
    Family("glSecondaryColor", FIXED, VERT_ATTRIB_COLOR1, (3,), ()),
    Family("glNormal", FIXED, VERT_ATTRIB_NORMAL, (3,), ()),
    Family("glTexCoord", FIXED, VERT_ATTRIB_TEX0, (1, 2, 3, 4), ()),
    Family("glMultiTexCoord", TEXTURE, VERT_ATTRIB_TEX0, (1, 2, 3, 4), ()),
    Family("glFogCoord", FIXED, VERT_ATTRIB_FOG, (1,), (), False, False),
    Family("glVertexAttrib", GENERIC, -1, (1, 2, 3, 4), ()),
)
PACKED_TYPES = (
    gl.GL_INT_2_10_10_10_REV,
    gl.GL_UNSIGNED_INT_2_10_10_10_REV,
    gl.GL_UNSIGNED_INT_10F_11F_11F_REV,
)


def _rows() -> list[AttribRow]:
    out = []
    for f in FAMILIES:
        for size in f.sizes:
            for type_ in f.types:
                name = f"{f.name}{size if f.digit else ''}{type_}"
                row = AttribRow(name, f.kind, f.slot, size, type_, f.normalized, False, f.pure)
                out += [row, row._replace(name=name + "v", vector=True)]
    for f in PACKED_FAMILIES:
        for size in f.sizes:
            normalized = None if f.kind == GENERIC else f.normalized
            name = f"{f.name}{size}ui"
            row = AttribRow(name, f.kind, f.slot, size, "packed", normalized, False)
            out += [row, row._replace(name=name + "v", vector=True)]
    for f in HALF_FAMILIES:
        for size in f.sizes:
            name = f"{f.name}{size if f.digit else ''}h"
            row = AttribRow(name + "NV", f.kind, f.slot, size, "h", False, False)
            out += [row, row._replace(name=name + "vNV", vector=True)]
    for type_ in ("b", "s", "ub", "us"):
        name = f"glVertexAttribI4{type_}v"
        out.append(AttribRow(name, GENERIC, -1, 4, type_, False, True, True))
    for type_ in ("b", "i", "ub", "us", "ui"):
        out.append(AttribRow(f"glVertexAttrib4{type_}v", GENERIC, -1, 4, type_, False, True))
    for type_ in _COLOR:
        out.append(AttribRow(f"glVertexAttrib4N{type_}v", GENERIC, -1, 4, type_, True, True))
    out.append(AttribRow("glVertexAttrib4Nub", GENERIC, -1, 4, "ub", True, False))
    out.append(AttribRow("glEdgeFlag", FIXED, VERT_ATTRIB_EDGEFLAG, 1, "flag", False, False))
    out.append(AttribRow("glEdgeFlagv", FIXED, VERT_ATTRIB_EDGEFLAG, 1, "flag", False, True))
    return out


ROWS = _rows()
FILL = (0.0, 0.0, 0.0, 1.0)


def signed_unit(v: Any, bits: int) -> Any:
    """A signed number of a call as a fraction of 1 (GL 2.1, table 2.9; ours is no context of 4.2 or
    later, where 0 is 0.0 and arrays and calls have one rule)."""
    return (v * 2.0 + 1.0) / float((1 << bits) - 1)


def to_float4(b: Builder, values: list[Any], normalized: bool) -> Any:
    """One to four numbers of any type as four floats."""
    elem = values[0].ty
    size = len(values)
    if elem is f32:
        return b.vector([*values, *FILL[size:]])
    v = b.vector(values)
    if elem is f64 or not normalized:
        v = b.cast(v, f32)
    else:
        limit = float((1 << elem.bits) - 1)
        wide = f64 if elem.bits == 32 else f32
        v = b.cast(v, wide)
        v = signed_unit(v, elem.bits) if elem.kind == "i" else v / limit
        v = b.cast(v, f32)
    return b.vector([*(v[n] for n in range(size)), *FILL[size:]])


def packed_float4(
    b: Builder, word: Any, code: int, normalized: Value, size: int = 4, fetched: bool = False
) -> Value:
    """A packed word of a type of PACKED_TYPES as four floats; `normalized` is a boolean value or
    Python's. Signed ones are those of calls, or, `fetched`, max(c / 511, -1), as those of arrays.
    """
    if code == gl.GL_UNSIGNED_INT_10F_11F_11F_REV:
        parts = []
        for shift, bits in ((0, 11), (11, 11), (22, 10))[:size]:
            half = ((word >> shift) & ((1 << bits) - 1)) << (15 - bits)
            parts.append(b.cast(b.bitcast(b.cast(half, u16), f16), f32))
        return b.vector([*parts, *FILL[len(parts) :]])
    signed = code == gl.GL_INT_2_10_10_10_REV
    parts = []
    for shift, bits in ((0, 10), (10, 10), (20, 10), (30, 2))[:size]:
        if signed:
            plain = b.cast(b.bitcast(word << (32 - bits - shift), i32) >> (32 - bits), f32)
            highest = float((1 << (bits - 1)) - 1)
            unit = b.max(plain / highest, -1.0) if fetched else signed_unit(plain, bits)
        else:
            plain = b.cast((word >> shift) & ((1 << bits) - 1), f32)
            unit = plain / float((1 << bits) - 1)
        if isinstance(normalized, bool):
            parts.append(unit if normalized else plain)
        else:
            parts.append(b.select(normalized, unit, plain))
    return b.vector([*parts, *FILL[len(parts) :]])


def packed_known(row: AttribRow, type_: Any) -> Any:
    """Whether a packed call's type is one that it takes."""
    known = (type_ == PACKED_TYPES[0]) | (type_ == PACKED_TYPES[1])
    # ARB_vertex_type_10f_11f_11f_rev: VertexAttribP{123}ui take it, which has three parts
    return known | (type_ == PACKED_TYPES[2]) if row.kind == GENERIC and row.size < 4 else known


def _packed_value(b: Builder, row: AttribRow, args: tuple[Any, ...]) -> Any:
    """type, (normalized,) value: a type that `packed_known` refuses gives what it may."""
    type_, value = args[0], args[-1]
    word = value[0] if row.vector else value
    normalized: Any = row.normalized if row.normalized is not None else args[1] != 0
    signed, unsigned, small = (
        packed_float4(b, word, code, normalized, row.size) for code in PACKED_TYPES
    )
    out = b.select(type_ == PACKED_TYPES[0], signed, unsigned)
    return b.select(type_ == PACKED_TYPES[2], small, out)


def value_of(b: Builder, row: AttribRow, args: tuple[Any, ...]) -> Any:
    """The four floats of a call: its arguments are numbers or a pointer to them."""
    if row.type == "packed":
        return _packed_value(b, row, args)
    values = [args[0][n] for n in range(row.size)] if row.vector else list(args)
    if row.type == "h":
        values = [b.cast(b.bitcast(v, f16), f32) for v in values]
    if row.pure:
        one = b.const(u32, 1)
        bits = [b.cast(v, i32 if v.ty.kind == "i" else u32) for v in values]
        return b.vector(
            [b.bitcast(v, f32) for v in bits]
            + [b.bitcast(one if n == 3 else b.const(u32, 0), f32) for n in range(row.size, 4)]
        )
    if row.type == "flag":
        # any value that is not 0 is GL_TRUE
        values = [b.cast(b.cast(values[0] != 0, u32), f32)]
    if row.vector and row.type == "f" and row.size == 4:
        return args[0].load(f32.vec(4))
    return to_float4(b, values, bool(row.normalized))
