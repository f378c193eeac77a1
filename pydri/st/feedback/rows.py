# SPDX-License-Identifier: MIT
"""Rows: what a vertex is in selection and feedback, and where it lies.

In: rows of floats (RowLayout) with clip coordinates and whatever else the last stage before
rasterisation wrote. Out: the same rows with window coordinates (GL 2.1, 2.11.1), and with a bit for
each plane of the view volume, each of the user's planes and each distance to cull by that a vertex
is outside of. Each vertex is looked at once, however many primitives it is a corner of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import extern_c, f32, f64, kernel, ptr, u8, u32, u64, void
from pydri.main.feedback.layout import ROW_OUTSIDE, ROW_WINDOW, RowLayout
from pydri.main.kernels import CTX, is_null, record_error
from pydri.main.matrix.layout import MAX_CLIP_PLANES

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

BYTES, FLOATS, LAYOUT = ptr(u8), ptr(f32), ptr(RowLayout)
V4 = f32.vec(4)
MALLOC = extern_c("malloc", BYTES, u64)
FREE = extern_c("free", void, BYTES)

#: planes of the view volume: left, right, bottom, top, near, far; behind them the user's, and the
#: distances to cull by
VOLUME, NEAR = 6, 4
PLANES = VOLUME + MAX_CLIP_PLANES
CULLS = 8
CUT_BITS = (1 << PLANES) - 1


def near_plane(b: Builder, ctx: GLContext) -> Any:
    """z there, as a multiple of -w (ARB_clip_control)."""
    whole = ctx.raw.clip_depth_mode == gl.GL_ZERO_TO_ONE
    return b.select(whole, b.const(f64, 0.0), 1.0)


def planes_on(b: Builder, ctx: GLContext) -> Any:
    """The planes that cut, as bits; depth clamping switches near and far off."""
    volume = b.select(ctx.key.depth_clamp != 0, b.const(u32, (1 << NEAR) - 1), (1 << VOLUME) - 1)
    return volume | b.cast(ctx.key.clip_planes, u32) << VOLUME


def distances(clip: list[Any], near: Any) -> list[Any]:
    """How far inside of each plane of the view volume clip coordinates are."""
    return [
        clip[3] * (near if 2 * axis + side == NEAR else 1.0) + clip[axis] * sign
        for axis in range(3) for side, sign in enumerate((1.0, -1.0))
    ]  # fmt: skip


def outside_of(row: Pointer) -> Any:
    """The bits of a row that was placed."""
    return (row + ROW_OUTSIDE).cast(ptr(u32)).load()


class _Window:
    """The viewport and the depth range, read once for many vertices: what x, y and z by w are
    multiplied by, and what is added, before and behind the addition of the middle."""

    def __init__(self, b: Builder, ctx: GLContext) -> None:
        raw = ctx.raw
        near_of_w = near_plane(b, ctx)
        x, y, width, height = (b.cast(raw.viewport[k], f64) for k in range(4))
        upper = raw.clip_origin == gl.GL_UPPER_LEFT
        near, far = raw.depth_range[0], raw.depth_range[1]
        scale = (far - near) * b.select(near_of_w == 0.0, b.const(f64, 1.0), 0.5)
        one, none = b.const(f64, 1.0), b.const(f64, 0.0)
        self.b = b
        self.low, self.high = b.min(near, far), b.max(near, far)
        self.turn = b.vector([one, b.select(upper, b.const(f64, -1.0), 1.0), scale, one])
        self.middle = b.vector([one, one, near + scale * near_of_w, none])
        self.size = b.vector([width * 0.5, height * 0.5, one, one])
        self.corner = b.vector([x, y, none, none])
        self.of_w = b.vector([one, one, near_of_w, one])

    def place(self, clip: Value) -> tuple[Value, Value]:
        """Window coordinates of clip coordinates (f64x4), where a w of 0 counts as 1, as floats
        whose last is none; and the planes of the view volume that they are outside of, as bits."""
        b, w = self.b, clip[3]
        divided = clip / b.splat(b.select(w == 0.0, b.const(f64, 1.0), w), 4)
        found = (divided * self.turn + self.middle) * self.size + self.corner
        window = found.insert(2, b.min(b.max(found[2], self.low), self.high))
        wide = b.splat(w, 4)
        pairs = b.shuffle(wide * self.of_w + clip, wide - clip, [0, 4, 1, 5, 2, 6, 3, 7])
        inside = b.cast(b.bits_of(pairs >= b.const(pairs.ty, 0.0)), u32)
        return b.cast(window, f32), ~inside & (1 << VOLUME) - 1


@kernel(void, (CTX, LAYOUT, FLOATS, u32), noinline=True)
def feed_place(b: Builder, ctx: GLContext, layout: RowLayout, rows: Pointer, count: Value) -> None:
    """Place rows, which follow each other."""
    window, on = _Window(b, ctx), planes_on(b, ctx)
    size, dist, cull = layout.floats, layout.dist, layout.cull
    users = on >> VOLUME
    with b.For(b.const(u32, 0), count, 1) as n:
        row = rows + n * size
        place, planes = window.place(b.cast(row.load(V4, align=4), f64))
        outside = b.var(u32, planes)
        with b.If(users != 0, likely=False), b.For(b.const(u32, 0), MAX_CLIP_PLANES, 1) as k:
            with b.If(((users >> k) & 1) != 0):
                bit = b.select(row[dist + k] >= 0.0, b.const(u32, 0), 1)
                outside.value = outside.value | bit << (k + VOLUME)
        outside.value = outside.value & on
        with b.If(cull != 0, likely=False), b.For(b.const(u32, 0), CULLS, 1) as k:
            bit = b.select(row[cull + k] < 0.0, b.const(u32, 1), 0)
            outside.value = outside.value | bit << (k + PLANES)
        whole = place.insert(ROW_OUTSIDE - ROW_WINDOW, b.bitcast(outside.value, f32))
        (row + ROW_WINDOW).store(whole, align=4)


# -- memory ---------------------------------------------------------------------------------------


def _room(b: Builder, ctx: GLContext, name: str, wanted: Operand) -> None:
    """Emit: the memory of this name has so many bytes; returns 0 from the kernel where there is not
    so much, with the error. What it held is lost if it grows."""
    block = ctx.feedback
    with b.If(getattr(block, f"{name}_size") < wanted, likely=False):
        b.call(FREE, getattr(block, name))
        memory = b.call(MALLOC, wanted)
        setattr(block, name, memory)
        size = b.select(is_null(memory), b.const(u64, 0), wanted)
        setattr(block, f"{name}_size", size)
        with b.If(is_null(memory), likely=False):
            record_error(b, ctx, gl.GL_OUT_OF_MEMORY)
            b.Return(0)


@kernel(u32, (CTX, u64), noinline=True)
def feed_rows_room(b: Builder, ctx: GLContext, wanted: Value) -> Value:
    """Room for the vertices of a draw; 0: there is none."""
    _room(b, ctx, "rows", wanted)
    return b.const(u32, 1)


@kernel(u32, (CTX, u64), noinline=True)
def feed_work_room(b: Builder, ctx: GLContext, wanted: Value) -> Value:
    """Room for what is cut; 0: there is none."""
    _room(b, ctx, "work", wanted)
    return b.const(u32, 1)


__all__ = [
    "CUT_BITS", "FLOATS", "LAYOUT", "NEAR", "PLANES", "V4", "VOLUME", "distances", "feed_place",
    "feed_rows_room", "feed_work_room", "near_plane", "outside_of", "planes_on",
]  # fmt: skip
