# SPDX-License-Identifier: MIT
"""Lines become triangles, as GL draws them without antialiasing (GL 2.1, 3.4.2), points are
clipped; plans with smooth ones leave them to smooth.py, those with several samples a pixel to
exact.py.

In: vertex numbers of points or lines. Out: two triangles a line, handed to setup with prim 1;
numbers of visible points for setup/point.py.
A line is a parallelogram whose ends lie between pixel columns (rows, if it is steep), so that
setup's fill rule picks one pixel a column and unit of width; which columns belong to the line is
the diamond-exit rule, decided at each end by itself: the first pixel is drawn if the line starts
before the column's centre or in the pixel's diamond, the last one if it ends behind the centre and
out of the diamond. So joined segments share no pixel and leave none out. Varyings follow the major
axis, in perspective, as the peer has it. Counterpart of Mesa's lp_setup_line.c; pixels agree with
it but for a few ties.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.clip import (
    SPARE,
    append_two,
    blend_rows,
    clip_coordinates,
    clip_line,
    clip_place,
    hand_over,
    made_all,
    makes,
    new_row,
    row_place,
)
from pipe_llvm.draw.exact import exact_line, exact_point
from pipe_llvm.draw.prims import Made, Prims
from pipe_llvm.draw.smooth import smooth_line, smooth_point
from pipe_llvm.native import (
    CLIP_BOTTOM,
    CLIP_CULLS,
    CLIP_LEFT,
    CLIP_RIGHT,
    CLIP_TOP,
    PLAN_BOXES,
    PLAN_MULTISAMPLE,
    PLAN_PROVOKING_FIRST,
    LpContext,
    LpPlan,
)
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, i32, ptr, u32, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

MAX_SIZE = 255.0  # pixels: GL_ALIASED_LINE_WIDTH_RANGE
MAX_OVERSHOOT = 64.0  # lengths of a line by which its varyings are extrapolated
_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
_MAKES = (*_STATE, ptr(Made))
_DEPTH_AND_W = 0b1100  # floats 2 and 3 of a row are linear in the window


def _whole_pixels(b: Builder, size: Value) -> Value:
    """Rounded to whole pixels, at least 1; NaN gives 1."""
    return b.min(b.max(b.floor(size + 0.5), 1.0), MAX_SIZE)


def _move(b: Builder, lp: Any, plan: Any, number: Any, x: Any, y: Any) -> None:
    row = row_place(b, lp, plan, number)
    row[0] = x
    row[1] = y


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
        at = b.bitcast((numbers >> 4) * 64 + (numbers & 15), i32)
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


def _in_diamond(b: Builder, x: Any, y: Any) -> Value:
    """Whether a place lies in the diamond of its pixel."""
    across, along = x - b.floor(x) - 0.5, y - b.floor(y) - 0.5
    return b.abs(across) + b.abs(along) < 0.5


@kernel(ret=void, args=(*_MAKES, u32, u32, u32), name="lp_wide_line", noinline=True)
def wide_line(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, v0: Value,
              v1: Value, provoking: Value) -> None:  # fmt: skip
    """Append the parallelogram of a line."""
    with b.If(plan.primitive.line_coverage != 0, likely=False):
        b.call(smooth_line, lp, plan, dyn, made, v0, v1, provoking)
        b.Return()
    with b.If((plan.flags & PLAN_MULTISAMPLE) != 0, likely=False):
        b.call(exact_line, lp, plan, dyn, made, v0, v1, provoking)
        b.Return()
    rows = [row_place(b, lp, plan, v) for v in (v0, v1)]
    x, y = [row[0] for row in rows], [row[1] for row in rows]
    steep = b.abs(y[1] - y[0]) > b.abs(x[1] - x[0])
    # u runs along the major axis, v across; the line is walked towards growing u
    u = [b.select(steep, y[n], x[n]) for n in range(2)]
    v = [b.select(steep, x[n], y[n]) for n in range(2)]
    du, dv = u[1] - u[0], v[1] - v[0]
    with b.If(~(b.abs(du) > 0.0)):
        b.Return()  # no length, or no number
    ahead = du > 0.0
    whole = [b.floor(n) for n in u]
    diamond = [_in_diamond(b, u[n], v[n]) for n in range(2)]
    # along the direction of travel: is the end's place before the centre of its column?
    middle = [p + 0.5 for p in whole]
    before = [(b.select(ahead, u[n], middle[n]) < b.select(ahead, middle[n], u[n])) for n in (0, 1)]
    centre = [u[n] == middle[n] for n in range(2)]
    first = before[0] | centre[0] | diamond[0]  # the first column is drawn
    last = ~(before[1] | centre[1] | diamond[1])  # the last column is drawn
    one, none = b.const(f32, 1.0), b.const(f32, 0.0)
    start = b.select(
        ahead,
        whole[0] + b.select(first, none, one),
        whole[0] + b.select(first, one, none),
    )
    stop = b.select(
        ahead, whole[1] + b.select(last, one, none), whole[1] + b.select(last, none, one)
    )
    length = b.select(ahead, stop - start, start - stop)
    with b.If(~(length > 0.0)):
        b.Return()
    half = _whole_pixels(b, dyn.line_width) * 0.5
    slope = dv / du
    recip = [row[3] for row in rows]
    corners: list[Any] = []
    for edge, upper in ((start, False), (stop, True)):
        # a short line may be drawn far longer than it is: the bound keeps numbers within reason
        t = b.clamp((edge - u[0]) / du, -MAX_OVERSHOOT, MAX_OVERSHOOT)
        weight = recip[0] * (1.0 - t) + recip[1] * t
        smooth = b.select(weight > 0.0, recip[1] * t / weight, t)
        at = v[0] + (edge - u[0]) * slope
        pair = []
        for side in (at - half, at + half):
            number = new_row(b, lp, made)
            blend_rows(b, lp, plan, (v0, v1), (smooth, t), provoking, number, _DEPTH_AND_W)
            _move(b, lp, plan, number, b.select(steep, side, edge), b.select(steep, edge, side))
            pair.append(number)
        corners += reversed(pair) if upper else pair
    append_two(b, made, corners)


def volume_flags(b: Builder, lp: Any, number: Any) -> Value:
    """A vertex' clip flags, for x and y against the view volume instead of the guard band."""
    x, y, _, w = clip_coordinates(b, lp, number)
    flags = lp.stream.flags[number] & ~(CLIP_LEFT | CLIP_RIGHT | CLIP_BOTTOM | CLIP_TOP)
    for beyond, bit in (
        (x < -w, CLIP_LEFT), (x > w, CLIP_RIGHT), (y < -w, CLIP_BOTTOM), (y > w, CLIP_TOP),
    ):  # fmt: skip
        flags = flags | b.select(beyond, b.const(u32, bit), 0)
    return flags


def line_ends(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, ends: Any,
              v0: Value, v1: Value, provoking: Value, edge: bool = False) -> Value:  # fmt: skip
    """Put the ends of the visible part of a line at `ends`; whether there is one. An `edge` of a
    polygon is not culled: the polygon is."""
    flags = [volume_flags(b, lp, v) for v in (v0, v1)]
    if edge:
        flags = [bits & ~CLIP_CULLS for bits in flags]
    ends[0] = v0
    ends[1] = v1
    visible = b.var(u32, b.cast((flags[0] & flags[1]) == 0, u32))
    either = flags[0] | flags[1]
    with b.If((visible.value != 0) & (either != 0)):
        visible.value = b.call(clip_line, lp, plan, dyn, made, ends, provoking, either)
    return visible.value != 0


@kernel(ret=void, args=(*_STATE, ptr(Prims)), name="lp_wide_lines", noinline=True)
def wide_lines(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Lines v0, v1 -> clipped -> triangles -> setup, in order."""
    first_free, starts, stops = prims.free, prims.v0, prims.v1
    made = makes(b, lp, prims, 1)
    ends = b.array(u32, 2)
    first_provokes = (plan.flags & PLAN_PROVOKING_FIRST) != 0
    with b.For(b.const(u32, 0), prims.count) as i:
        v0, v1 = starts[i], stops[i]
        provoking = b.select(first_provokes, v0, v1)
        with b.If(line_ends(b, lp, plan, dyn, made, ends, v0, v1, provoking)):
            b.call(wide_line, lp, plan, dyn, made, ends[0], ends[1], provoking)
            b.call(hand_over, lp, plan, dyn, made, first_free, SPARE)
    made_all(b, lp, plan, dyn, made)
