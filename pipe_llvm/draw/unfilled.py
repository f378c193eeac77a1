# SPDX-License-Identifier: MIT
"""Polygons drawn as their edges or corners: glPolygonMode, for each face (GL 2.1, 3.5.4).

In: assembled triangles, the mode they come from, edge flags in the vertex rows. Out: triangles of
lines and points (or the polygons of a face that is filled), handed to setup with the number of the
primitive and the facing. A triangle is clipped as a polygon, culled by its face, given its offset
as a polygon (points and lines take their depth from it), and only then taken apart. Which edges are
the polygon's and which only cut it into triangles follows from the mode; edge flags count for
separate triangles, quads and polygons. Edges that clipping makes are drawn along user planes, not
along the view volume, as the peer has it. Used only by plans that ask for it. Counterpart of Mesa's
draw_pipe_unfilled.c, draw_pipe_offset.c and draw_pipe_cull.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.clip import (
    MAX_CORNERS,
    append_fan,
    begin_polygon,
    blend_rows,
    clip_place,
    clip_polygon,
    hand_over,
    made_all,
    makes,
    new_row,
    row_place,
)
from pipe_llvm.draw.lines import line_ends, volume_flags, wide_line
from pipe_llvm.draw.prim import POLYGON, QUAD_STRIP, QUADS, TRIANGLES, begins
from pipe_llvm.draw.prims import Made, Prims
from pipe_llvm.draw.space import clamp_offset
from pipe_llvm.draw.stipple import stippled_line
from pipe_llvm.draw.wide import copy_row, point_size, wide_point
from pipe_llvm.native import (
    CLIP_CULLS,
    PLAN_FLAT,
    PLAN_STIPPLED,
    PRIM_BACK,
    SUBPIXEL_BITS,
    LpContext,
    LpPlan,
)
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, i32, i64, ptr, u32, void
from pydri.pipe.native import PRIM_BEGIN, PRIM_END, PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Value

GL_POINT, GL_LINE, GL_FILL = 0x1B00, 0x1B01, 0x1B02
ROOM = 256  # rows and triangles that one polygon may need: all that make_room leaves for sure
FIRST, SECOND, THIRD = 1, 2, 4  # the edges v0 v1, v1 v2, v2 v0
_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
_MAKES = (*_STATE, ptr(Made))


def _area(b: Builder, lp: Any, plan: Any, corners: Any, count: Any) -> Value:
    """Twice the area of a polygon on setup's grid (i64): its sign is the winding."""

    def place(number: Any) -> list[Any]:
        row = row_place(b, lp, plan, number)
        grid = float(1 << SUBPIXEL_BITS)
        return [b.cast(b.cast_fast(b.round_even(row[n] * grid), i32), i64) for n in range(2)]

    total = b.var(i64, 0)
    x0, y0 = place(corners[0])
    with b.For(b.const(u32, 1), count - 1) as i:
        (x1, y1), (x2, y2) = place(corners[i]), place(corners[i + 1])
        total.value = total.value + (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    return total.value


def _offset(b: Builder, lp: Any, plan: Any, dyn: Any, corners: Any) -> Any:
    """Polygon offset of a plane through three corners (GL 2.1, 3.5.5); 0 if they lie on a line."""
    rows = [row_place(b, lp, plan, corners[n]) for n in range(3)]
    x0, y0, z0 = (rows[0][n] for n in range(3))
    (x1, y1, z1), (x2, y2, z2) = ((row[0] - x0, row[1] - y0, row[2] - z0) for row in rows[1:])
    area = x1 * y2 - x2 * y1
    recip = b.select(area == 0.0, b.const(f32, 0.0), 1.0 / area)
    slope = b.max(b.abs((z1 * y2 - z2 * y1) * recip), b.abs((z2 * x1 - z1 * x2) * recip))
    # of floating-point depth: the last bit of the greatest depth
    top = b.max(b.max(b.abs(z0), b.abs(rows[1][2])), b.abs(rows[2][2]))
    exponent = (b.bitcast(top, i32) & 0x7F800000) - (23 << 23)
    last_bit = b.bitcast(b.max(exponent, 0), f32)
    unit = b.select(plan.primitive.offset_unit < 0.0, last_bit, plan.primitive.offset_unit)
    return clamp_offset(b, dyn, slope * dyn.offset_factor + unit * dyn.offset_units)


def _shifted(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, number: Value,
             shift: Value) -> Value:  # fmt: skip
    """A copy of a vertex with another depth, in the window and in clip space."""
    copy = copy_row(b, lp, plan, made, number)
    row = row_place(b, lp, plan, copy)
    row[2] = row[2] + shift
    source, place = clip_place(b, lp, number), clip_place(b, lp, copy)
    for n in range(4):
        place[16 * n] = source[16 * n]
    scale = dyn.viewport_scale[2]
    factor = b.select(scale == 0.0, b.const(f32, 0.0), shift / scale)
    place[32] = place[32] + place[48] * factor
    return copy


def _set_prim(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
              prim: Value) -> None:  # fmt: skip
    """What is appended from here on is of this kind; what waits is handed over if it is not."""
    with b.If(made.prim != prim):
        taken = made.free  # corners that clipping made are still needed
        b.call(hand_over, lp, plan, dyn, made, taken, 0)
        made.prim = prim


@kernel(ret=void, args=(*_MAKES, u32, u32), name="lp_corner_point", noinline=True)
def corner_point(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
                 number: Value, provoking: Value) -> None:  # fmt: skip
    """A polygon's corner as a point; flat values are the polygon's. It is visible: clipping has
    seen to that (asking again would lose corners that cuts have put on a side, half of them)."""
    shown = b.var(u32, number)
    with b.If((plan.flags & PLAN_FLAT) != 0):
        shown.value = new_row(b, lp, made)
        factors = (b.const(f32, 0.0), b.const(f32, 0.0))
        blend_rows(b, lp, plan, (number, number), factors, provoking, [shown.value])
    b.call(wide_point, lp, plan, dyn, made, shown.value, point_size(b, lp, plan, dyn, number))


def _shared(b: Builder, corners: Any, count: Any, v0: Any, v1: Any) -> Value:
    """The corner that the triangles of a filled face share: one with the provoking vertex' flat
    values, that is this vertex or one that clipping made. A triangle that names a vertex twice has
    no area and may have no such corner."""
    at = b.var(u32, 0)
    last = count - 1
    with b.While(
        lambda: (at.value < last) & ((corners[at.value] == v0) | (corners[at.value] == v1))
    ):
        at.value = at.value + 1
    return at.value


def _turn(b: Builder, lines: Any, clipped: Any, turn: Any, count: Any) -> Value:
    """Which corner's point or edge comes as number `turn`: where they overlap, and where a line's
    pattern goes on, the peer's order shows (it cuts clipped polygons into triangles again)."""
    back = b.select(turn == 0, count - 1, turn - 1)
    swapped = b.select(turn < 2, 1 - turn, turn)
    ahead = b.select(turn + 1 == count, 0, turn + 1)
    points = b.select(clipped, b.select(count == 3, ahead, swapped), turn)
    return b.select(lines, b.select(clipped, turn, back), points)


@kernel(ret=void, args=(*_MAKES, u32, u32, u32, u32, u32), name="lp_unfilled", noinline=True)
def unfilled(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, v0: Value,
             v1: Value, v2: Value, edges: Value, planes: Value) -> None:  # fmt: skip
    """One triangle, of which `edges` are drawn; planes: OR of the corners' clip flags."""
    corners, bounds = (b.array(u32, MAX_CORNERS + 1) for _ in range(2))
    for n, (v, edge) in enumerate(((v0, FIRST), (v1, SECOND), (v2, THIRD))):
        corners[n] = v
        bounds[n] = b.cast((edges & edge) != 0, u32)
    corner_count = b.var(u32, 3)
    with b.If(planes != 0, likely=False):
        corner_count.value = clip_polygon(b, lp, plan, dyn, made, corners, planes, v2, bounds)
    count = corner_count.value
    negative = _area(b, lp, plan, corners, count) < 0
    front = negative ^ (dyn.front_negative == 0)
    with b.If((dyn.cull & b.select(front, b.const(u32, 1), 2)) != 0):
        b.Return()
    mode = b.select(front, plan.primitive.fill_front, plan.primitive.fill_back)
    with b.If(mode == GL_FILL):
        _set_prim(b, lp, plan, dyn, made, b.const(u32, 2))
        append_fan(b, made, corners, count, _shared(b, corners, count, v0, v1))
        b.Return()
    lines = b.cast(mode == GL_LINE, u32)
    _set_prim(b, lp, plan, dyn, made, lines | b.select(front, b.const(u32, 0), PRIM_BACK))
    with b.If((dyn.offset_flags & (lines + 1)) != 0):  # 1 points, 2 lines
        shift = _offset(b, lp, plan, dyn, corners)
        with b.For(b.const(u32, 0), count) as i:
            corners[i] = _shifted(b, lp, plan, dyn, made, corners[i], shift)
    ends = b.array(u32, 2)
    with b.For(b.const(u32, 0), count) as turn:
        i = _turn(b, lines != 0, planes != 0, turn, count)
        with b.If(bounds[i] == 0):
            b.Continue()
        here = corners[i]
        with b.If(lines == 0):
            b.call(corner_point, lp, plan, dyn, made, here, v2)
            b.Continue()
        there = corners[b.select(i + 1 == count, 0, i + 1)]
        with b.If(line_ends(b, lp, plan, dyn, made, ends, here, there, v2, edge=True)):
            with b.If((plan.flags & PLAN_STIPPLED) != 0):
                b.call(stippled_line, lp, plan, dyn, made, ends[0], ends[1], v2)
            with b.Else():
                b.call(wide_line, lp, plan, dyn, made, ends[0], ends[1], v2)


def _edges(b: Builder, lp: Any, plan: Any, mode: Any, i: Any, count: Any, prim_flags: Any,
           numbers: list[Any]) -> Value:  # fmt: skip
    """Which edges of triangle i of `count` are drawn."""
    edges = b.var(u32, FIRST | SECOND | THIRD)
    with b.Switch(mode) as s:
        with s.Case(QUADS, QUAD_STRIP):  # the two triangles share the second and the third edge
            even = (i & 1) == 0
            edges.value = b.select(even, b.const(u32, FIRST | THIRD), FIRST | SECOND)
        with s.Case(POLYGON):
            begins = (i == 0) & ((prim_flags & PRIM_BEGIN) != 0)
            ends = (i + 1 == count) & ((prim_flags & PRIM_END) != 0)
            closing = b.select(ends, b.const(u32, SECOND), 0)
            edges.value = b.select(begins, b.const(u32, THIRD), 0) | closing | FIRST
    flagged = (mode == TRIANGLES) | (mode == QUADS) | (mode == POLYGON)
    with b.If(flagged & (plan.primitive.edge != 0)):
        for number, edge in zip(numbers, (FIRST, SECOND, THIRD), strict=True):
            flag = row_place(b, lp, plan, number)[plan.primitive.edge]
            edges.value = b.select(flag == 0.0, edges.value & ~edge, edges.value)
    return edges.value


@kernel(ret=void, args=(*_STATE, ptr(Prims)), name="lp_unfilled_triangles", noinline=True)
def unfilled_triangles(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic,
                       prims: Prims) -> None:  # fmt: skip
    """Triangles v0, v1, v2 of a chunk -> lines, points, filled triangles -> setup, in order."""
    corners = [prims.v0, prims.v1, prims.v2]
    mode, count, prim_flags, first_free = prims.mode, prims.count, prims.flags, prims.free
    made = makes(b, lp, prims, 2)
    with b.For(b.const(u32, 0), count) as i:
        numbers = [place[i] for place in corners]
        begin_polygon(b, made, begins(mode, i, prim_flags))
        flags = [volume_flags(b, lp, n) for n in numbers]
        with b.If((flags[0] & flags[1] & flags[2]) != 0):
            b.Continue()
        with b.If(begins(mode, i, prim_flags)):
            made.stipple = 0.0
        edges = _edges(b, lp, plan, mode, i, count, prim_flags, numbers)
        planes = (flags[0] | flags[1] | flags[2]) & ~CLIP_CULLS
        b.call(unfilled, lp, plan, dyn, made, *numbers, edges, planes)
        b.call(hand_over, lp, plan, dyn, made, first_free, ROOM)
    made_all(b, lp, plan, dyn, made)
