# SPDX-License-Identifier: MIT
"""Lines become triangles, as GL draws them without antialiasing (GL 2.1, 3.4.2); plans with smooth
ones leave them to smooth.py, those with several samples a pixel to exact.py.

In: vertex numbers of lines. Out: two triangles a line, handed to setup with prim 1.
A line is a parallelogram whose ends lie between pixel columns (rows, if it is steep), so that
setup's fill rule picks one pixel a column and unit of width; which columns belong to the line is
the diamond-exit rule, decided at each end by itself: the first pixel is drawn if the line starts
before the column's centre or in the pixel's diamond, the last one if it ends behind the centre and
out of the diamond. So joined segments share no pixel and leave none out. Varyings follow the major
axis, in perspective, as the peer has it. Counterpart of Mesa's lp_setup_line.c; pixels agree with
it but for a few ties.

The arithmetic is done for sixteen lines at a time; their vertices are written line by line, in
order with the lines that have to be clipped first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.draw.clip import (
    SPARE,
    append_two,
    blend_rows,
    clip_coordinates,
    clip_index,
    clip_line,
    hand_over,
    made_all,
    makes,
    row_place,
)
from pipe_llvm.draw.exact import exact_line
from pipe_llvm.draw.prims import Made, Prims
from pipe_llvm.draw.smooth import smooth_line
from pipe_llvm.native import (
    CLIP_BOTTOM,
    CLIP_CULLS,
    CLIP_LEFT,
    CLIP_RIGHT,
    CLIP_TOP,
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
GROUP = 16  # lines whose arithmetic is done at once
SIDES = CLIP_LEFT | CLIP_RIGHT | CLIP_BOTTOM | CLIP_TOP
_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
_MAKES = (*_STATE, ptr(Made))
_DEPTH_AND_W = 0b1100  # floats 2 and 3 of a row are linear in the window
_F32S, _I32S, _U32S = f32.vec(GROUP), i32.vec(GROUP), u32.vec(GROUP)


class Shape(NamedTuple):
    """A line's parallelogram, or those of a group's lines in vectors."""

    drawn: Value  # whether it has any pixel
    factors: list[Value]  # of the varyings where it starts and where it stops: smooth and linear
    corners: list[Value]  # x and y of both sides where it starts, and where it stops

    @property
    def parts(self) -> list[Value]:
        """All numbers of it."""
        return self.factors + self.corners


_PARTS = 12  # of a Shape


def _whole_pixels(b: Builder, size: Value) -> Value:
    """Rounded to whole pixels, at least 1; NaN gives 1."""
    return b.min(b.max(b.floor(size + 0.5), 1.0), MAX_SIZE)


def _in_diamond(b: Builder, x: Any, y: Any) -> Value:
    """Whether a place lies in the diamond of its pixel."""
    across, along = x - b.floor(x) - 0.5, y - b.floor(y) - 0.5
    return b.abs(across) + b.abs(along) < 0.5


def _span(b: Builder, u: list[Any], v: list[Any], ahead: Value) -> list[Any]:
    """Where a line's columns begin and end, along u."""
    whole = [b.floor(n) for n in u]
    diamond = [_in_diamond(b, u[n], v[n]) for n in range(2)]
    # along the direction of travel: is the end's place before the centre of its column?
    middle = [p + 0.5 for p in whole]
    before = [(b.select(ahead, u[n], middle[n]) < b.select(ahead, middle[n], u[n])) for n in (0, 1)]
    centre = [u[n] == middle[n] for n in range(2)]
    first = before[0] | centre[0] | diamond[0]  # the first column is drawn
    last = ~(before[1] | centre[1] | diamond[1])  # the last column is drawn
    one, none = b.const(u[0].ty, 1.0), b.const(u[0].ty, 0.0)
    start = b.select(
        ahead,
        whole[0] + b.select(first, none, one),
        whole[0] + b.select(first, one, none),
    )
    stop = b.select(
        ahead, whole[1] + b.select(last, one, none), whole[1] + b.select(last, none, one)
    )
    return [start, stop]


def shape(b: Builder, width: Any, x: list[Any], y: list[Any], recip: list[Any]) -> Shape:
    """Of lines from x[0], y[0] to x[1], y[1] in the window, with the ends' 1 / w."""
    steep = b.abs(y[1] - y[0]) > b.abs(x[1] - x[0])
    # u runs along the major axis, v across; the line is walked towards growing u
    u = [b.select(steep, y[n], x[n]) for n in range(2)]
    v = [b.select(steep, x[n], y[n]) for n in range(2)]
    du, dv = u[1] - u[0], v[1] - v[0]
    ahead = du > 0.0
    ends = _span(b, u, v, ahead)
    length = b.select(ahead, ends[1] - ends[0], ends[0] - ends[1])
    half = _whole_pixels(b, width) * 0.5
    slope = dv / du
    factors, corners = [], []
    for edge in ends:
        # a short line may be drawn far longer than it is: the bound keeps numbers within reason
        t = b.clamp((edge - u[0]) / du, -MAX_OVERSHOOT, MAX_OVERSHOOT)
        weight = recip[0] * (1.0 - t) + recip[1] * t
        factors += [b.select(weight > 0.0, recip[1] * t / weight, t), t]
        at = v[0] + (edge - u[0]) * slope
        for side in (at - half, at + half):
            corners += [b.select(steep, side, edge), b.select(steep, edge, side)]
    # without a length, or where there is no number, nothing is drawn
    return Shape((b.abs(du) > 0.0) & (length > 0.0), factors, corners)


def _append_line(b: Builder, lp: LpContext, plan: LpPlan, made: Made, v0: Any, v1: Any,
                 provoking: Any, parts: list[Any]) -> None:  # fmt: skip
    """Append a parallelogram, whose numbers are those of Shape.parts."""
    first = made.free
    made.free = first + 4
    (lp.stream.flags + first).store(b.const(u32.vec(4), 0), align=4)
    numbers = [first, first + 1, first + 2, first + 3]
    for n in (0, 1):
        factors = parts[2 * n], parts[2 * n + 1]
        pair = numbers[2 * n : 2 * n + 2]
        blend_rows(b, lp, plan, (v0, v1), factors, provoking, pair, _DEPTH_AND_W)
    for n, number in enumerate(numbers):
        row = row_place(b, lp, plan, number)
        row[0], row[1] = parts[4 + 2 * n], parts[5 + 2 * n]
    append_two(b, made, [numbers[n] for n in (0, 1, 3, 2)])


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
    x, y, recip = ([row[n] for row in rows] for n in (0, 1, 3))
    found = shape(b, dyn.line_width, x, y, recip)
    with b.If(found.drawn):
        _append_line(b, lp, plan, made, v0, v1, provoking, found.parts)


def volume_flags(b: Builder, lp: Any, number: Any) -> Value:
    """A vertex' clip flags, for x and y against the view volume instead of the guard band."""
    x, y, _, w = clip_coordinates(b, lp, number)
    flags = lp.stream.flags[number] & ~SIDES
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


def _whole(b: Builder, lp: LpContext, numbers: Value) -> Value:
    """Which of a group's vertices lie in the view volume."""
    at = b.bitcast(clip_index(numbers), i32)
    x, y, w = (b.gather(lp.stream.clip + 16 * n, at) for n in (0, 1, 3))
    beyond = (x < -w) | (x > w) | (y < -w) | (y > w)
    flags = b.gather(lp.stream.flags, b.bitcast(numbers, i32)) & ~SIDES
    return (flags == 0) & ~beyond


def _group(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, ends: list[Value],
           shapes: Pointer) -> tuple[Value, Value]:  # fmt: skip
    """Put the parts of sixteen lines at `shapes`, a vector each; which of them (bits) lie in the
    view volume wholly, so that this is all of them, and which have pixels then."""
    whole = _whole(b, lp, ends[0]) & _whole(b, lp, ends[1])
    floats = b.splat(plan.row_bytes >> 2, GROUP)
    places = [b.bitcast(numbers * floats, i32) for numbers in ends]
    rows = lp.stream.rows.cast(ptr(f32))
    x, y, recip = ([b.gather(rows + n, at) for at in places] for n in (0, 1, 3))
    found = shape(b, b.splat(dyn.line_width, GROUP), x, y, recip)
    for n, part in enumerate(found.parts):
        (shapes + n * GROUP).store(part, align=64)
    return b.cast(b.bits_of(whole), u32), b.cast(b.bits_of(found.drawn), u32)


@kernel(ret=void, args=(*_STATE, ptr(Prims)), name="lp_wide_lines", noinline=True)
def wide_lines(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Lines v0, v1 -> clipped -> triangles -> setup, in order."""
    first_free, starts, stops, count = prims.free, prims.v0, prims.v1, prims.count
    made = makes(b, lp, prims, 1)
    ends, shapes = b.array(u32, 2), b.array(f32, _PARTS * GROUP, align=64)
    first_provokes = (plan.flags & PLAN_PROVOKING_FIRST) != 0
    one_sample = (plan.flags & PLAN_MULTISAMPLE) == 0
    grouped = (plan.primitive.line_coverage == 0) & one_sample
    whole, drawn = b.var(u32, 0), b.var(u32, 0)
    with b.For(b.const(u32, 0), count, GROUP) as i:
        with b.If(grouped, likely=True):
            # SPARE is also what a group appends
            b.call(hand_over, lp, plan, dyn, made, first_free, SPARE)
            active = b.iota(_U32S) + i < b.splat(count, GROUP)
            pair = [b.select(active, (p + i).load(_U32S, align=4), 0) for p in (starts, stops)]
            whole.value, drawn.value = _group(b, lp, plan, dyn, pair, shapes)
        with b.For(i, b.min(count, i + GROUP)) as k:
            v0, v1 = starts[k], stops[k]
            lane = k - i
            provoking = b.select(first_provokes, v0, v1)
            with b.If(((whole.value >> lane) & 1) != 0, likely=True):
                with b.If(((drawn.value >> lane) & 1) != 0, likely=True):
                    parts = [shapes[lane + n * GROUP] for n in range(_PARTS)]
                    _append_line(b, lp, plan, made, v0, v1, provoking, parts)
            with b.Else():
                with b.If(line_ends(b, lp, plan, dyn, made, ends, v0, v1, provoking)):
                    b.call(wide_line, lp, plan, dyn, made, ends[0], ends[1], provoking)
                b.call(hand_over, lp, plan, dyn, made, first_free, SPARE)
    made_all(b, lp, plan, dyn, made)
