# SPDX-License-Identifier: MIT
"""Native vertex array pointers: glVertexPointer and its sisters, glVertexAttribPointer,
glInterleavedArrays.

ONE table, ARRAYS, says what each call allows; `array_pointer` checks in the order of the
specification (size, type, stride), finds the PipeFormat in a constant table and writes one
ArrayState. DIRTY_ARRAYS tells the draw kernels to look again; `key.attrib_format` is theirs to
write, since immediate mode has formats of its own. Mesa: main/varray.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.jit import i32, kernel, ptr, u8, u32, void
from pydri.main import layout as la
from pydri.main.enable_kernels import set_array_enabled
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    gl_record_error,
    mark,
    native,
    native_as,
    where,
)
from pydri.main.light_kernels import lookup
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR_INDEX,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import number

TYPES = (
    gl.GL_BYTE,
    gl.GL_UNSIGNED_BYTE,
    gl.GL_SHORT,
    gl.GL_UNSIGNED_SHORT,
    gl.GL_INT,
    gl.GL_UNSIGNED_INT,
    gl.GL_FLOAT,
    gl.GL_DOUBLE,
)  # place = type number, bit in masks
BYTES_OF = (1, 1, 2, 2, 4, 4, 4, 8)
_NAMES = ("8_S", "8_U", "16_S", "16_U", "32_S", "32_U", "32_FLOAT", "64_FLOAT")
BGRA = 5  # "size" of glColorPointer(GL_BGRA, ...)


def _format(kind: int, size: int, normalized: bool) -> int:
    bits, _, rest = _NAMES[kind].partition("_")
    suffix = rest if rest == "FLOAT" else rest + ("NORM" if normalized else "SCALED")
    return number("".join(f"{c}{bits}" for c in "RGBA"[:size]) + "_" + suffix)


#: PipeFormat by (type * 2 + normalized) * 4 + size - 1
FORMATS = [
    _format(kind, size, bool(norm))
    for kind in range(8)
    for norm in range(2)
    for size in range(1, 5)
]


def type_mask(*types: int) -> int:
    """Types as bits of TYPES."""
    return sum(1 << TYPES.index(t) for t in types)


_SIGNED = type_mask(gl.GL_SHORT, gl.GL_INT, gl.GL_FLOAT, gl.GL_DOUBLE)
_ALL = 255


@kernel(void, (CTX, u32, i32, u32, i32, u32, u32, ptr(u8)), noinline=True)
def set_array(
    b: Any,
    ctx: Any,
    slot: Any,
    size: Any,
    kind: Any,
    stride: Any,
    normalized: Any,
    integer: Any,
    pointer: Any,
) -> None:
    """Write one array; everything is checked. `kind` is a number of TYPES."""
    flush_vertices(b, ctx)
    arrays = ctx.arrays
    array = arrays.attribs + slot
    types = b.table(u32, list(TYPES))
    widths = b.table(u8, list(BYTES_OF))
    formats = b.table(u8, FORMATS)
    bgra = size == BGRA
    count = b.cast(b.select(bgra, b.const(i32, 4), size), u32)
    array.pointer = pointer
    array.buffer = arrays.array_buffer
    array.given_stride = b.cast(stride, u32)
    array.stride = b.select(stride == 0, count * b.cast(widths[kind], u32), b.cast(stride, u32))
    array.size = b.select(bgra, b.const(u32, gl.GL_BGRA), count)
    array.type = b.cast(types[kind], array.addr("type").ty.to)
    plain = formats[(kind * 2 + normalized) * 4 + count - 1]
    array.format = b.select(bgra, b.const(u8, number("VB8G8R8A8_UNORM")), plain)
    array.normalized = b.cast(normalized, u8)
    array.integer = b.cast(integer, u8)
    mark(b, ctx, la.DIRTY_ARRAYS)


@kernel(void, (CTX, u32, u32, i32, u32, i32, u32, ptr(u8), u32), noinline=True)
def array_pointer(
    b: Any,
    ctx: Any,
    slot: Any,
    allowed: Any,
    size: Any,
    type_: Any,
    stride: Any,
    flags: Any,
    pointer: Any,
    where_: Any,
) -> None:
    """Check and set. `allowed`: bits 0-7 types, bits 8-12 sizes 1..4 and BGRA; `flags`: 1
    normalized, 2 integer.
    """
    bgra = b.cast(size, u32) == gl.GL_BGRA
    n = b.select(bgra, b.const(i32, BGRA), b.select(size == BGRA, b.const(i32, 0), size))

    def fail(cond: Any, error: int) -> None:
        with b.If(cond, likely=False):
            b.call(gl_record_error, ctx, error, where_)
            b.Return()

    in_range = (b.cast(n, u32) - 1) < 5
    bit = b.select(in_range, b.const(u32, 128) << b.cast(n, u32), 0)
    fail((bit & allowed) == 0, gl.GL_INVALID_VALUE)
    kind = lookup(b, type_, {t: i + 1 for i, t in enumerate(TYPES)}) - 1
    known = kind < 8
    fail(
        ~known | ((b.select(known, b.const(u32, 1) << (kind & 31), 0) & allowed & 255) == 0),
        gl.GL_INVALID_ENUM,
    )
    fail(stride < 0, gl.GL_INVALID_VALUE)
    # GL_BGRA goes with normalized unsigned bytes alone (ARB_vertex_array_bgra)
    fail(bgra & ((kind != 1) | ((flags & 1) == 0)), gl.GL_INVALID_OPERATION)
    b.call(set_array, ctx, slot, n, kind, stride, flags & 1, flags >> 1, pointer)


class ArrayCall(NamedTuple):
    """One gl*Pointer: slot, sizes it allows (0: has no size argument, the one given), types,
    normalized?, fixed type.
    """

    name: str
    slot: int
    sizes: tuple[int, ...]
    types: int
    normalized: bool = False
    fixed_size: int = 0
    fixed_type: int = 0


ARRAYS: tuple[ArrayCall, ...] = (
    ArrayCall("glVertexPointer", VERT_ATTRIB_POS, (2, 3, 4), _SIGNED),
    ArrayCall(
        "glNormalPointer", VERT_ATTRIB_NORMAL, (3,), _SIGNED | type_mask(gl.GL_BYTE), True, 3
    ),
    ArrayCall("glColorPointer", VERT_ATTRIB_COLOR0, (3, 4, BGRA), _ALL, True),
    ArrayCall("glSecondaryColorPointer", VERT_ATTRIB_COLOR0 + 1, (3, BGRA), _ALL, True),
    ArrayCall(
        "glFogCoordPointer", VERT_ATTRIB_FOG, (1,), type_mask(gl.GL_FLOAT, gl.GL_DOUBLE), False, 1
    ),
    ArrayCall(
        "glIndexPointer",
        VERT_ATTRIB_COLOR_INDEX,
        (1,),
        _SIGNED | type_mask(gl.GL_UNSIGNED_BYTE),
        False,
        1,
    ),
    ArrayCall("glTexCoordPointer", VERT_ATTRIB_TEX0, (1, 2, 3, 4), _SIGNED),
    ArrayCall("glEdgeFlagPointer", VERT_ATTRIB_EDGEFLAG, (1,), _ALL, False, 1, gl.GL_UNSIGNED_BYTE),
)


def _allowed(row: ArrayCall) -> int:
    return row.types | sum(128 << size for size in row.sizes)


def _make_pointer(row: ArrayCall) -> None:
    def body(b: Any, ctx: Any, *args: Any) -> None:
        rest = list(args)
        size = row.fixed_size or rest.pop(0)
        type_ = row.fixed_type or rest.pop(0)
        stride, pointer = rest
        slot: Any = row.slot
        if row.slot == VERT_ATTRIB_TEX0:
            slot = ctx.arrays.client_active_texture + slot
        b.call(
            array_pointer,
            ctx,
            slot,
            _allowed(row),
            size,
            type_,
            stride,
            int(row.normalized),
            pointer,
            where(b),
        )

    native_as(row.name, body)


for _row in ARRAYS:
    _make_pointer(_row)

MAX_GENERIC = 16


@native
def glVertexAttribPointer(
    b: Any, ctx: Any, index: Any, size: Any, type_: Any, normalized: Any, stride: Any, pointer: Any
) -> None:
    error_if(b, ctx, index >= MAX_GENERIC, gl.GL_INVALID_VALUE)
    flags = b.cast(normalized != 0, u32)
    allowed = _ALL | sum(128 << n for n in (1, 2, 3, 4, BGRA))
    b.call(
        array_pointer,
        ctx,
        index + VERT_ATTRIB_GENERIC0,
        allowed,
        size,
        type_,
        stride,
        flags,
        pointer,
        where(b),
    )


def _generic_enable(b: Any, ctx: Any, index: Any, on: int) -> None:
    error_if(b, ctx, index >= MAX_GENERIC, gl.GL_INVALID_VALUE)
    b.call(set_array_enabled, ctx, b.cast(index + VERT_ATTRIB_GENERIC0, i32), on)


@native
def glEnableVertexAttribArray(b: Any, ctx: Any, index: Any) -> None:
    _generic_enable(b, ctx, index, 1)


@native
def glDisableVertexAttribArray(b: Any, ctx: Any, index: Any) -> None:
    _generic_enable(b, ctx, index, 0)


class Interleaved(NamedTuple):
    """A row of GL 2.1, table 2.5; sizes 0 mean "not there", offsets and stride in bytes."""

    enum: int
    texcoord: int
    color: int
    normal: int
    vertex: int
    color_bytes: bool
    color_at: int
    normal_at: int
    vertex_at: int
    stride: int


INTERLEAVED: tuple[Interleaved, ...] = (
    Interleaved(gl.GL_V2F, 0, 0, 0, 2, False, 0, 0, 0, 8),
    Interleaved(gl.GL_V3F, 0, 0, 0, 3, False, 0, 0, 0, 12),
    Interleaved(gl.GL_C4UB_V2F, 0, 4, 0, 2, True, 0, 0, 4, 12),
    Interleaved(gl.GL_C4UB_V3F, 0, 4, 0, 3, True, 0, 0, 4, 16),
    Interleaved(gl.GL_C3F_V3F, 0, 3, 0, 3, False, 0, 0, 12, 24),
    Interleaved(gl.GL_N3F_V3F, 0, 0, 3, 3, False, 0, 0, 12, 24),
    Interleaved(gl.GL_C4F_N3F_V3F, 0, 4, 3, 3, False, 0, 16, 28, 40),
    Interleaved(gl.GL_T2F_V3F, 2, 0, 0, 3, False, 0, 0, 8, 20),
    Interleaved(gl.GL_T4F_V4F, 4, 0, 0, 4, False, 0, 0, 16, 32),
    Interleaved(gl.GL_T2F_C4UB_V3F, 2, 4, 0, 3, True, 8, 0, 12, 24),
    Interleaved(gl.GL_T2F_C3F_V3F, 2, 3, 0, 3, False, 8, 0, 20, 32),
    Interleaved(gl.GL_T2F_N3F_V3F, 2, 0, 3, 3, False, 0, 8, 20, 32),
    Interleaved(gl.GL_T2F_C4F_N3F_V3F, 2, 4, 3, 3, False, 8, 24, 36, 48),
    Interleaved(gl.GL_T4F_C4F_N3F_V4F, 4, 4, 3, 4, False, 16, 32, 44, 60),
)
_FLOAT_KIND, _UBYTE_KIND = TYPES.index(gl.GL_FLOAT), TYPES.index(gl.GL_UNSIGNED_BYTE)


@native
def glInterleavedArrays(b: Any, ctx: Any, format_: Any, stride: Any, pointer: Any) -> None:
    # Mesa's order of checks: stride, then format
    error_if(b, ctx, stride < 0, gl.GL_INVALID_VALUE)
    row = lookup(b, format_, {r.enum: n + 1 for n, r in enumerate(INTERLEAVED)})
    error_if(b, ctx, row == 0, gl.GL_INVALID_ENUM)
    n = row - 1

    def column(values: list[int]) -> Any:
        return b.cast(b.table(u8, values)[n], i32)

    real = b.select(stride == 0, column([r.stride for r in INTERLEAVED]), stride)
    off = {
        VERT_ATTRIB_COLOR_INDEX: 0,
        VERT_ATTRIB_EDGEFLAG: 0,
        VERT_ATTRIB_COLOR0 + 1: 0,
        VERT_ATTRIB_FOG: 0,
    }
    for slot in off:
        b.call(set_array_enabled, ctx, slot, 0)
    color_kind = b.select(
        column([int(r.color_bytes) for r in INTERLEAVED]) != 0,
        b.const(u32, _UBYTE_KIND),
        _FLOAT_KIND,
    )
    texture = b.cast(ctx.arrays.client_active_texture + VERT_ATTRIB_TEX0, i32)
    parts: list[tuple[Any, list[int], Any, int, list[int]]] = [
        (texture, [r.texcoord for r in INTERLEAVED], _FLOAT_KIND, 0, [0 for r in INTERLEAVED]),
        (
            b.const(i32, VERT_ATTRIB_COLOR0),
            [r.color for r in INTERLEAVED],
            color_kind,
            1,
            [r.color_at for r in INTERLEAVED],
        ),
        (
            b.const(i32, VERT_ATTRIB_NORMAL),
            [r.normal for r in INTERLEAVED],
            _FLOAT_KIND,
            1,
            [r.normal_at for r in INTERLEAVED],
        ),
        (
            b.const(i32, VERT_ATTRIB_POS),
            [r.vertex for r in INTERLEAVED],
            _FLOAT_KIND,
            0,
            [r.vertex_at for r in INTERLEAVED],
        ),
    ]
    for slot_value, sizes, kind, normalized, offsets in parts:
        size = column(sizes)
        with b.If(size != 0):
            b.call(
                set_array,
                ctx,
                b.cast(slot_value, u32),
                size,
                kind,
                real,
                normalized,
                0,
                pointer + column(offsets),
            )
            b.call(set_array_enabled, ctx, slot_value, 1)
        with b.Else():
            b.call(set_array_enabled, ctx, slot_value, 0)
