# SPDX-License-Identifier: MIT
"""ONE table of all attribute entry points: glVertex3f, glColor4ubv, glVertexAttrib4Nub ... (some
250 names).

In: families (name, slot, sizes, types). Out: `ROWS`, and `value_of`, which emits the four floats
of a call. exec.py and save.py turn each row into a kernel for immediate mode and one for lists.
Missing components are 0, 0, 1 (z, w: y, z, w). Integer colours and normals become [-1, 1] by (2c +
1) / (2^b - 1), unsigned ones [0, 1] by c / (2^b - 1) (GL 2.1, table 2.9). Answers to Mesa's
vbo_attrib_tmp.h and api_loopback.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydri.jit.types import f32, f64, u32
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

# how the slot is found
FIXED, VERTEX, TEXTURE, GENERIC = "fixed", "vertex", "texture", "generic"


class AttribRow(NamedTuple):
    """One entry point. `type` is the suffix: b s i f d ub us ui, or "flag" (a GLboolean)."""

    name: str
    kind: str
    slot: int
    size: int
    type: str
    normalized: bool
    vector: bool


class Family(NamedTuple):
    """Entry points of one name: `digit` says whether the size is part of the name."""

    name: str
    kind: str
    slot: int
    sizes: tuple[int, ...]
    types: tuple[str, ...]
    normalized: bool = False
    digit: bool = True


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
)


def _rows() -> list[AttribRow]:
    out = []
    for f in FAMILIES:
        for size in f.sizes:
            for type_ in f.types:
                name = f"{f.name}{size if f.digit else ''}{type_}"
                out.append(AttribRow(name, f.kind, f.slot, size, type_, f.normalized, False))
                out.append(AttribRow(name + "v", f.kind, f.slot, size, type_, f.normalized, True))
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


def to_float4(b: Any, values: list[Any], normalized: bool) -> Any:
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
        v = (v * 2.0 + 1.0) / limit if elem.kind == "i" else v / limit
        v = b.cast(v, f32)
    return b.vector([*(v[n] for n in range(size)), *FILL[size:]])


def value_of(b: Any, row: AttribRow, args: tuple[Any, ...]) -> Any:
    """The four floats of a call: its arguments are numbers or a pointer to them."""
    values = [args[0][n] for n in range(row.size)] if row.vector else list(args)
    if row.type == "flag":
        # any value that is not 0 is GL_TRUE
        values = [b.cast(b.cast(values[0] != 0, u32), f32)]
    if row.vector and row.type == "f" and row.size == 4:
        return args[0].load(f32.vec(4))
    return to_float4(b, values, row.normalized)
