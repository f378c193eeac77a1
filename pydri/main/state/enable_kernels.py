# SPDX-License-Identifier: MIT
"""Native glEnable, glDisable, glIsEnabled from the table in state/enable_tables.py.

The switch over the enum yields a row number (LLVM makes a tree of comparisons of it), the rest is
data: so sixty capabilities are one small function. Mesa: main/enable.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, ptr, u8, u32, void
from pydri.main.arrays.enable_kernels import client_array_slot, set_array_enabled
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    gl_record_error,
    mark,
    native,
    native_as,
    update,
    where,
)
from pydri.main.light.kernels import sync_color_material
from pydri.main.rows import available, row_finder
from pydri.main.state.enable_tables import CAPS, offset_of
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

_KEY, _UNIT, _CLIENT, _COORDS = 1, 2, 4, 8  # flags of a row

cap_row = row_finder("cap_row", CAPS)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def switches_begin(b: Builder, ctx: GLContext) -> None:
    """What is on in a new context, and has no switch there."""
    for cap in CAPS:
        if cap.always is not None:
            with b.If(available(b, ctx, cap.always)):
                at = b.offset_pointer(ctx, offset_of(cap), ptr(u8))
                at.store(at.load() | cap.mask)


def _flags(b: Builder, row: Value) -> Any:
    """The flags of a row (a valid one)."""
    flags = [
        _KEY * c.in_key + _UNIT * c.per_unit + _CLIENT * c.client + _COORDS * c.of_coordinates
        for c in CAPS
    ]
    return b.table(u8, flags)[row]


def cap_byte(b: Builder, ctx: GLContext, row: Value) -> Any:
    """Pointer to the byte of a row (a valid one), in the active texture unit's turn."""
    offsets = b.table(u32, [offset_of(c) for c in CAPS])
    unit = b.select((_flags(b, row) & _UNIT) != 0, ctx.raw.active_texture, 0)
    return b.bytes_from(ctx, offsets[row] + unit, u8)


def _tells(b: Builder, ctx: GLContext, row: Value) -> Any:
    """What glIsEnabled answers for a row (a valid one), in the active texture unit's turn."""
    masks = b.table(u8, [c.tells for c in CAPS])
    return b.cast((cap_byte(b, ctx, row).load() & masks[row]) != 0, u8)


@kernel(void, (CTX, u32, u32, u32), noinline=True)
def set_cap(b: Builder, ctx: GLContext, cap: Value, on: Value, slot: Value) -> None:
    """Switch a capability on (1) or off (0). Client arrays count as such, as with Mesa."""
    row = b.call(cap_row, ctx, cap)
    with b.If(row < 0, likely=False):
        array = b.call(client_array_slot, ctx, cap)
        with b.If(array < 0):
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
        with b.Else():
            b.call(set_array_enabled, ctx, ctx.arrays.vao, array, on)
        b.Return()
    flags = _flags(b, row)
    with b.If((flags & _CLIENT) != 0, likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
        b.Return()
    beyond = ctx.raw.active_texture >= MAX_TEXTURE_UNITS
    with b.If(((flags & _UNIT) != 0) & beyond, likely=False):
        # as the peer: a unit without coordinates has no switches, and nothing to be generated
        with b.If((flags & _COORDS) != 0):
            b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
        b.Return()
    masks = b.table(u8, [c.mask for c in CAPS])
    at = cap_byte(b, ctx, row)
    mask = masks[row]
    old = at.load()
    new = b.select(on != 0, old | mask, old & ~mask)
    with b.If(new == old):
        b.Return()
    flush_vertices(b, ctx)
    with b.If(cap == gl.GL_COLOR_MATERIAL):
        # from here on the material stands for itself: it keeps what it followed (GL 2.1, 2.14.3)
        b.call(sync_color_material, ctx)
    at.store(new)
    with b.If((flags & _KEY) != 0):
        ctx.key_dirty = 1
    dirty = b.table(u32, [c.dirty for c in CAPS])
    mark(b, ctx, dirty[row])


@native
def glEnable(b: Builder, ctx: GLContext, cap: Value) -> None:
    b.call(set_cap, ctx, cap, 1, where(b))


@native
def glDisable(b: Builder, ctx: GLContext, cap: Value) -> None:
    b.call(set_cap, ctx, cap, 0, where(b))


def _row_of_unit(b: Builder, ctx: GLContext, cap: Value, index: Value) -> Any:
    """The row of a capability that texture units have one by one (EXT_direct_state_access), or
    -1: it is blending's. The kernel returns after an error. Textures there are for all image
    units, coordinates for some."""
    row = b.call(cap_row, ctx, cap)
    flags = _flags(b, b.max(row, 0))
    of_unit = (row >= 0) & ((flags & _UNIT) != 0)
    coords = (flags & _COORDS) != 0
    limit = b.select(coords, b.const(u32, MAX_TEXTURE_UNITS), MAX_IMAGE_UNITS)
    error_if(b, ctx, of_unit & (index >= limit), gl.GL_INVALID_VALUE)
    error_if(b, ctx, ~of_unit & (cap != gl.GL_BLEND), gl.GL_INVALID_ENUM)
    error_if(b, ctx, ~of_unit & ~(index < ctx.limits.draw_buffers), gl.GL_INVALID_VALUE)
    return b.select(of_unit, row, -1)


def _switch(on: bool) -> Any:
    """glEnablei, glDisablei: blending is what colour targets have one by one
    (EXT_draw_buffers2)."""

    def body(b: Builder, ctx: GLContext, cap: Value, index: Value) -> None:
        with b.If(_row_of_unit(b, ctx, cap, index) >= 0):
            active = ctx.raw.active_texture
            ctx.raw.active_texture = index
            b.call(set_cap, ctx, cap, int(on), where(b))
            ctx.raw.active_texture = active
            b.Return()
        bit = b.const(u32, 1) << index
        old = b.cast(ctx.key.blend, u32)
        update(b, ctx, [("key.blend", old | bit if on else old & ~bit)])

    return body


native_as("glEnablei", _switch(True))
native_as("glDisablei", _switch(False))


@native
def glIsEnabledi(b: Builder, ctx: GLContext, cap: Value, index: Value) -> Value:
    row = _row_of_unit(b, ctx, cap, index)
    with b.If(row >= 0):
        active = ctx.raw.active_texture
        ctx.raw.active_texture = index
        on = _tells(b, ctx, row)
        ctx.raw.active_texture = active
        b.Return(on)
    return b.cast((b.cast(ctx.key.blend, u32) >> index) & 1, u8)


@native
def glIsEnabled(b: Builder, ctx: GLContext, cap: Value) -> Value:
    row = b.call(cap_row, ctx, cap)
    with b.If(row >= 0):
        beyond = ctx.raw.active_texture >= MAX_TEXTURE_UNITS
        of_coords = (_flags(b, row) & _COORDS) != 0
        error_if(b, ctx, of_coords & beyond, gl.GL_INVALID_OPERATION)
        b.Return(_tells(b, ctx, row))
    slot = b.call(client_array_slot, ctx, cap)
    error_if(b, ctx, slot < 0, gl.GL_INVALID_ENUM)
    return b.cast((ctx.arrays.vao.enabled >> b.cast(slot, u32)) & 1, u8)
