# SPDX-License-Identifier: MIT
"""Smooth points and lines: quadrilaterals whose fragments know how far inside they lie.

In: a point or the visible part of a line; plans with room in their rows for coverage. Out: two
triangles, appended. GL 2.1, 3.3.1 and 3.4.3 leave coverage to the implementation: a line is half a
pixel longer at each end and wider at each side than it is, and loses its alpha within the last
pixel, so that it has its area, however short it is; a point's disc loses it in its outermost pixel.
The fragment half is coverage.py. Values of the ends hold to the end of the lengthened line, as the
peer has it. Counterpart of Mesa's draw_pipe_aaline.c and draw_pipe_aapoint.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.draw.clip import append_two, blend_rows, new_row, row_place
from pipe_llvm.draw.prims import Made
from pipe_llvm.native import LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u32, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value

MIN_SIZE, MAX_SIZE = 1.0, 255.0  # GL_SMOOTH_LINE_WIDTH_RANGE, GL_SMOOTH_POINT_SIZE_RANGE
#: the corners of a square, in order
AROUND = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
_MAKES = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(Made))


class Corner(NamedTuple):
    """Where a vertex of a shape lies, and its coverage inputs."""

    x: Any
    y: Any
    coverage: Sequence[Any] = ()


def corners_like(b: Builder, lp: LpContext, plan: LpPlan, made: Made, source: Any,
                 provoking: Operand, corners: Sequence[Corner],
                 at: Any = 0) -> list[Value]:  # fmt: skip
    """Vertices like `source` at other places, with coverage inputs at float `at` of their rows."""
    numbers = [new_row(b, lp, made) for _ in corners]
    none = b.const(f32, 0.0)
    blend_rows(b, lp, plan, (source, source), (none, none), provoking, numbers)
    for number, corner in zip(numbers, corners, strict=True):
        row = row_place(b, lp, plan, number)
        row[0], row[1] = corner.x, corner.y
        for n, value in enumerate(corner.coverage):
            row[at + n] = value
    return numbers


@kernel(ret=void, args=(*_MAKES, u32, u32, u32), name="lp_smooth_line", noinline=True)
def smooth_line(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, v0: Value,
                v1: Value, provoking: Value) -> None:  # fmt: skip
    """Append the rectangle of a smooth line; one without a length covers nothing."""
    rows = [row_place(b, lp, plan, v) for v in (v0, v1)]
    x, y = [row[0] for row in rows], [row[1] for row in rows]
    dx, dy = x[1] - x[0], y[1] - y[0]
    length = b.sqrt(dx * dx + dy * dy)
    with b.If(~(length < float("inf"))):
        b.Return()
    some = length > 0.0
    along = [b.select(some, dx / length, 1.0), b.select(some, dy / length, 0.0)]
    width = b.clamp(dyn.line_width, MIN_SIZE, MAX_SIZE)
    half = b.select(width <= MIN_SIZE, b.const(f32, 1.0), width * 0.5 + 0.5)
    half_length = length * 0.5 + 0.5
    around = []
    for end, source, sides in ((0, v0, (-1.0, 1.0)), (1, v1, (1.0, -1.0))):
        out, reach = (0.5, half_length) if end else (-0.5, -half_length)
        pair = [
            Corner(
                x[end] + along[0] * out - along[1] * (half * side),
                y[end] + along[1] * out + along[0] * (half * side),
                (half * side, half - 1.0, reach, half_length),
            )
            for side in sides
        ]
        at = plan.primitive.line_coverage
        around += corners_like(b, lp, plan, made, source, provoking, pair, at)
    append_two(b, made, around)


@kernel(ret=void, args=(*_MAKES, u32, f32), name="lp_smooth_point", noinline=True)
def smooth_point(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
                 number: Value, size: Value) -> None:  # fmt: skip
    """Append the square around a smooth point's disc. Sizes up to 2 are drawn as 2, unless each
    vertex has its own."""
    size = b.min(MAX_SIZE, size)  # in this order what is no number stays so
    size = b.select(size > 0.0, size, 1.0)  # no number: the smallest
    least = b.select(plan.primitive.psiz != 0, b.const(f32, 0.0), b.const(f32, 2.0))
    radius = b.max(size, least) * 0.5
    inner = 1.0 - 1.0 / radius
    row = row_place(b, lp, plan, number)
    square = [
        Corner(
            row[0] + radius * sx,
            row[1] + radius * sy,
            (b.const(f32, sx), b.const(f32, sy), inner * inner, b.const(f32, 1.0)),
        )
        for sx, sy in AROUND
    ]
    at = plan.primitive.point_coverage
    append_two(b, made, corners_like(b, lp, plan, made, number, number, square, at))

