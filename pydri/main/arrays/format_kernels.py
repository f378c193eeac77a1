# SPDX-License-Identifier: MIT
"""Whether an array's size and type are allowed, and go together (GL 4.5, 10.3.1), in the order of
the specification. Mesa: validate_array_format of main/varray.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.where import In
from pydri.jit import i32, kernel, u32
from pydri.main.arrays.tables import (
    BGRA,
    HALF_OF_ES,
    NUMBER,
    PACKED_10,
    TYPES,
    size_mask,
)
from pydri.main.kernels import CTX, gl_record_error
from pydri.main.rows import available, row_finder

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

NORMALIZED = 1  # a flag of an array
_array_type = row_finder("array_type", (*TYPES, HALF_OF_ES))
_HALF = NUMBER[gl.GL_HALF_FLOAT]
_BGRA_ARRAYS = In(32, 32, ext=("ARB_vertex_array_bgra", "EXT_vertex_array_bgra"))
_UNSIGNED_BYTE = NUMBER[gl.GL_UNSIGNED_BYTE]


@kernel(u32, (CTX, u32, i32, u32, u32, u32), noinline=True)
def check_format(
    b: Builder, ctx: GLContext, allowed: Value, size: Any, type_: Value, flags: Any, slot: Any
) -> Any:
    """Size (0 to 5, BGRA) * 16 + number of the type; all ones after an error. `allowed`: bits of
    array_formats.
    """
    bgra = b.cast(size, u32) == gl.GL_BGRA
    n = b.select(bgra, b.const(i32, BGRA), b.select(size == BGRA, b.const(i32, 0), size))

    def fail(cond: Value, error: int) -> None:
        with b.If(cond, likely=False):
            b.call(gl_record_error, ctx, error, slot)
            b.Return(0xFFFFFFFF)

    in_range = (b.cast(n, u32) - 1) < 5
    bit = b.select(in_range, b.const(u32, 1 << 16) << (b.cast(n, u32) & 7), 0)
    fail((bit & allowed) == 0, gl.GL_INVALID_VALUE)
    with b.If(bgra, likely=False):
        fail(~available(b, ctx, _BGRA_ARRAYS), gl.GL_INVALID_VALUE)
    found = b.call(_array_type, ctx, type_)
    known = found >= 0
    kind = b.select(found == len(TYPES), b.const(u32, _HALF), b.cast(found, u32))
    type_bit = b.select(known, b.const(u32, 1) << (kind & 31), 0)
    fail((type_bit & allowed) == 0, gl.GL_INVALID_ENUM)
    packed = (type_bit & PACKED_10) != 0
    # GL_BGRA goes with normalized unsigned bytes and 2_10_10_10 alone
    not_bgra = ~(packed | (kind == _UNSIGNED_BYTE)) | ((flags & NORMALIZED) == 0)
    several = (allowed & size_mask(1, 2, 3, 4, BGRA)) != size_mask(3)
    fail(bgra & not_bgra, gl.GL_INVALID_OPERATION)
    fail(packed & several & (n != 4) & ~bgra, gl.GL_INVALID_OPERATION)
    eleven = kind == NUMBER[gl.GL_UNSIGNED_INT_10F_11F_11F_REV]
    fail(eleven & (n != 3), gl.GL_INVALID_OPERATION)
    return b.cast(n, u32) * 16 + kind


__all__ = ["NORMALIZED", "check_format"]
