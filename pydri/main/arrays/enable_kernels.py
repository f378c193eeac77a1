# SPDX-License-Identifier: MIT
"""Native glEnableClientState, glDisableClientState, glClientActiveTexture: which vertex arrays are
read (GL 2.1, 2.8). Mesa: main/enable.c, main/varray.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i32, kernel, ptr, u8, u32, void
from pydri.main.arrays.layout import VertexArray
from pydri.main.arrays.tables import CLIENT_ARRAYS
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    native,
)
from pydri.main.rows import enum_check, row_finder
from pydri.main.textures.layout import MAX_TEXTURE_UNITS

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

VAO = ptr(VertexArray)


_row = row_finder("client_array", CLIENT_ARRAYS.values())


@kernel(i32, (CTX, u32), noinline=True)
def client_array_slot(b: Builder, ctx: GLContext, array: Value) -> Value:
    """Attribute slot of a client array's name, -1 for what is none."""
    row = b.call(_row, ctx, array)
    with b.If(row < 0):
        b.Return(-1)
    slot = b.cast(b.table(u8, [each.slot for each in CLIENT_ARRAYS.values()])[row], i32)
    unit = b.cast(ctx.arrays.client_active_texture, i32)
    return slot + b.select(array == gl.GL_TEXTURE_COORD_ARRAY, unit, 0)


@kernel(void, (CTX, VAO, i32, u32), noinline=True)
def set_array_enabled(b: Builder, ctx: GLContext, vao: Any, slot: Any, on: Any) -> None:
    """Switch one vertex array on or off; the key sees its format only while it is on."""
    bit = b.const(u32, 1) << b.cast(slot, u32)
    old = vao.enabled
    new = b.select(on != 0, old | bit, old & ~bit)
    with b.If(new == old):
        b.Return()
    flush_vertices(b, ctx)
    vao.enabled = new
    attrib = vao.attribs + slot
    attrib.enabled = b.cast(on, u8)
    vao.stale = 1


def _client_state(b: Builder, ctx: GLContext, array: Value, on: int) -> None:
    with b.If(array == gl.GL_PRIMITIVE_RESTART_NV, likely=False):
        enum_check(b, ctx, array, (gl.GL_PRIMITIVE_RESTART_NV,))
        ctx.raw.restart = on
        b.Return()
    slot = b.call(client_array_slot, ctx, array)
    error_if(b, ctx, slot < 0, gl.GL_INVALID_ENUM)
    b.call(set_array_enabled, ctx, ctx.arrays.vao, slot, on)


@native
def glEnableClientState(b: Builder, ctx: GLContext, array: Value) -> None:
    _client_state(b, ctx, array, 1)


@native
def glDisableClientState(b: Builder, ctx: GLContext, array: Value) -> None:
    _client_state(b, ctx, array, 0)


@native
def glClientActiveTexture(b: Builder, ctx: GLContext, texture: Value) -> None:
    unit = texture - gl.GL_TEXTURE0
    error_if(b, ctx, unit >= MAX_TEXTURE_UNITS, gl.GL_INVALID_ENUM)
    ctx.arrays.client_active_texture = unit
