# SPDX-License-Identifier: MIT
"""Primitive restart: an index that begins the primitive again (NV_primitive_restart; GL 3.1, 2.8.1;
ARB_ES3_compatibility's fixed index).

In: an indexed draw while `raw.restart` or `raw.restart_fixed` is on. Out: a draw for each run of
indices between two restarts. Indices are compared as they stand in the array, before a base vertex
is added; an index that the type cannot hold never restarts. Counterpart of Mesa's
draw_pt.c (draw_pt_arrays_restart) and api_arrayelt.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_INVALID_OPERATION
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u16, u32, void
from pydri.main.kernels import CTX, native, native_as, record_error
from pydri.pipe.native import PRIM_NUMBERED_ON, DrawInfo
from pydri.vbo.core import vbo_begin, vbo_end

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

LANES = 16


def restart_on(ctx: Any) -> Any:
    """Whether some index restarts primitives."""
    return (ctx.raw.restart | ctx.raw.restart_fixed) != 0


def restarts(b: Builder, ctx: GLContext, index: Value, size: Value) -> Pointer:
    """Whether an index (u32) of a type of `size` bytes restarts."""
    return restart_on(ctx) & (index == restart_index(b, ctx, size))


def restart_index(b: Builder, ctx: GLContext, size: Value) -> Value:
    """The index that restarts; the fixed one goes first (ARB_ES3_compatibility)."""
    wide = b.select(size == 2, b.const(u32, 0xFFFF), 0xFFFFFFFF)
    greatest = b.select(size == 1, b.const(u32, 0xFF), wide)
    return b.select(ctx.raw.restart_fixed != 0, greatest, ctx.raw.restart_index)


@kernel(u32, (ptr(u8), u32, u32, u32, u32), noinline=True)
def vbo_find_index(b: Builder, indices: Pointer, size: Value, first: Value, count: Value,
                   wanted: Value) -> None:  # fmt: skip
    """Where in [first, count) an index first equals `wanted`; count if nowhere."""
    for bytes_, ty in ((1, u8), (2, u16), (4, u32)):
        with b.If(size == bytes_):
            with b.If(wanted > (1 << ty.bits) - 1):
                b.Return(count)
            p, value = indices.cast(ptr(ty)), b.cast(wanted, ty)
            at = b.var(u32, first)
            with b.While(lambda: at.value + LANES <= count):  # noqa: B023
                found = (p + at.value).load(ty.vec(LANES), align=1) == b.splat(value, LANES)
                bits = b.cast(b.bits_of(found), u32)
                with b.If(bits != 0):
                    b.Return(at.value + b.ctz(bits))
                at.value = at.value + LANES
            with b.While(lambda: at.value < count):  # noqa: B023
                with b.If((p + at.value).load(ty, align=1) == value):
                    b.Return(at.value)
                at.value = at.value + 1
    b.Return(count)


@kernel(u32, (CTX, ptr(DrawInfo)), noinline=True)
def vbo_draw_restarted(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """Draw the runs of indices [0, count) between restarts; 0: there are none."""
    indices, size, count = info.indices, info.index_size, info.count
    wanted = restart_index(b, ctx, size)
    info.bounds_known = 0  # what is known of the whole counts the restarts as vertices
    at, drawn = b.var(u32, 0), b.var(u32, 0)
    with b.While(lambda: at.value < count):
        end = b.call(vbo_find_index, indices, size, at.value, count, wanted)
        info.start = at.value
        info.count = end - at.value
        with b.If(end != at.value):
            b.call(ctx.draw, ctx, info)
            info.prim_flags = info.prim_flags | PRIM_NUMBERED_ON
            drawn.value = 1
        with b.If(end == count):
            b.Break()
        at.value = end + 1
    info.start = 0
    info.count = count
    info.prim_flags = info.prim_flags & ~b.const(u32, PRIM_NUMBERED_ON)
    b.Return(drawn.value)


@kernel(void, (CTX,), noinline=True)
def vbo_restart(b: Builder, ctx: GLContext) -> None:
    """Between glBegin and glEnd: end the primitive and begin another of its kind."""
    mode = ctx.vbo.begin_mode - 1
    b.call(vbo_end, ctx)
    b.call(vbo_begin, ctx, mode)


# -- entry points ----------------------------------------------------------------------------------


def _restart(b: Builder, ctx: GLContext) -> None:
    b.call(vbo_restart, ctx)


native_as("glPrimitiveRestartNV", _restart, "be_")


@native
def glPrimitiveRestartNV(b: Builder, ctx: GLContext) -> None:
    record_error(b, ctx, GL_INVALID_OPERATION)


def _set_index(b: Builder, ctx: GLContext, index: Value) -> None:
    """Client state: vertices that are pending were assembled before."""
    ctx.raw.restart_index = index


for _name in ("glPrimitiveRestartIndex", "glPrimitiveRestartIndexNV"):
    native_as(_name, _set_index)

__all__ = ["restart_on", "restarts", "vbo_draw_restarted", "vbo_restart"]
