# SPDX-License-Identifier: MIT
"""Points: clipped, and made the triangles of their shape; plans with smooth ones leave them to
smooth.py, those with several samples a pixel to exact.py, all others to setup/point.py.

In: vertex numbers of points. Out: numbers of visible points for setup, or two triangles a point,
handed to setup with prim 0. Lines are lines.py's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.clip import (
    SPARE,
    clip_coordinates,
    clip_index,
    clip_place,
    hand_over,
    made_all,
    makes,
    new_row,
    row_place,
)
from pipe_llvm.draw.exact import exact_point
from pipe_llvm.draw.prims import Made, Prims
from pipe_llvm.draw.smooth import smooth_point
from pipe_llvm.native import (
    PLAN_BOXES,
    PLAN_MULTISAMPLE,
    LpContext,
    LpPlan,
)
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, i32, ptr, u32, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
_MAKES = (*_STATE, ptr(Made))


def copy_row(b: Builder, lp: LpContext, plan: LpPlan, made: Made, source: Value) -> Value:
    """A new row that equals another."""
    number = new_row(b, lp, made)
    b.memcpy(row_place(b, lp, plan, number), row_place(b, lp, plan, source), plan.row_bytes)
    return number


@kernel(ret=void, args=(*_MAKES, u32, f32), name="lp_wide_point", noinline=True)
def wide_point(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, number: Value,
               size: Value) -> None:  # fmt: skip
    """Append a point: the triangles of its shape, or its number with PLAN_BOXES."""
    with b.If((plan.flags & PLAN_MULTISAMPLE) != 0, likely=False):
        b.call(exact_point, lp, plan, dyn, made, number, size)
        b.Return()
    with b.If(plan.primitive.point_coverage != 0, likely=False):
        b.call(smooth_point, lp, plan, dyn, made, number, size)
        b.Return()
    # others are whole pixels: setup/point.py makes them
    at = made.count
    made.w0[at] = number
    made.count = at + 1


def _between_sides(b: Builder, dyn: Any, x: Any, y: Any, w: Any) -> Value:
    """Whether centres of points lie between the sides of the view volume, which bound points in
    OpenGL alone."""
    edge = w * b.select(dyn.points_unbounded != 0, b.const(f32, math.inf), 1.0)
    return (b.abs(x) <= edge) & (b.abs(y) <= edge)


def point_visible(b: Builder, lp: Any, dyn: Any, number: Any) -> Value:
    """Whether a point's centre is in the view volume."""
    x, y, _, w = clip_coordinates(b, lp, number)
    return _between_sides(b, dyn, x, y, w) & (lp.stream.flags[number] == 0)


def point_size(b: Builder, lp: Any, plan: Any, dyn: Any, number: Any) -> Value:
    """The size of a point, its own or that of all."""
    size = b.var(f32, dyn.point_size)
    with b.If(plan.primitive.psiz != 0):
        size.value = row_place(b, lp, plan, number)[plan.primitive.psiz]
    return size.value


@kernel(ret=void, args=(*_STATE, ptr(Prims)), name="lp_wide_points", noinline=True)
def wide_points(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Points v0 -> triangles -> setup. A point is clipped by its centre (GL 2.1, 2.12)."""
    numbers, count, first_free = prims.v0, prims.count, prims.free
    with b.If((plan.flags & PLAN_BOXES) != 0, likely=True):
        b.call(box_points, lp, plan, dyn, numbers, count)
        b.Return()
    made = makes(b, lp, prims, 0)
    with b.For(b.const(u32, 0), count) as i:
        number = numbers[i]
        with b.If(point_visible(b, lp, dyn, number)):
            b.call(wide_point, lp, plan, dyn, made, number, point_size(b, lp, plan, dyn, number))
            b.call(hand_over, lp, plan, dyn, made, first_free, SPARE)
    made_all(b, lp, plan, dyn, made)


def points_visible(b: Builder, lp: Any, dyn: Any, numbers: Any) -> Value:
    """point_visible of sixteen points."""
    stream = lp.stream
    clip, flags = stream.clip, stream.flags
    coordinates = [b.var(f32.vec(16)) for _ in range(3)]
    flagged = b.var(u32.vec(16))
    first = numbers[0]
    group = ((first & 15) == 0) & b.all(numbers == b.splat(first, 16) + b.iota(u32.vec(16)))
    with b.If(group, likely=True):
        place = clip_place(b, lp, first)
        for var, n in zip(coordinates, (0, 1, 3), strict=True):
            var.value = (place + 16 * n).load(f32.vec(16), align=64)
        flagged.value = (flags + first).load(u32.vec(16), align=4)
    with b.Else():
        at = b.bitcast(clip_index(numbers), i32)
        for var, n in zip(coordinates, (0, 1, 3), strict=True):
            var.value = b.gather(clip + 16 * n, at)
        flagged.value = b.gather(flags, b.bitcast(numbers, i32))
    x, y, w = (var.value for var in coordinates)
    return _between_sides(b, dyn, x, y, w) & (flagged.value == 0)


@kernel(ret=void, args=(*_STATE, ptr(u32), u32), name="lp_box_points", noinline=True)
def box_points(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, source: Pointer,
               count: Value) -> None:  # fmt: skip
    """Points -> the visible ones in w0 -> plan.points."""
    target = lp.stream.w0
    made = b.var(u32, 0)
    with b.For(b.const(u32, 0), count, 16) as i:
        active = b.iota(u32.vec(16)) + i < b.splat(count, 16)
        numbers = b.select(active, (source + i).load(u32.vec(16)), 0)
        visible = b.cast(b.bits_of(active & points_visible(b, lp, dyn, numbers)), u32)
        with b.If(visible == 0xFFFF, likely=True):
            (target + made.value).store(numbers, align=4)
            made.value = made.value + 16
        with b.Else():
            left = b.var(u32, visible)
            with b.While(lambda: left.value != 0):
                target[made.value] = source[i + b.ctz(left.value)]
                made.value = made.value + 1
                left.value = left.value & (left.value - 1)
    with b.If(made.value != 0):
        plan.points(lp, plan, dyn, target, made.value, 0)
