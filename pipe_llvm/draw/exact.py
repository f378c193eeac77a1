# SPDX-License-Identifier: MIT
"""Points and lines with several samples a pixel: their shapes are what is drawn, samples decide.

In: a point or the visible part of a line. Out: two triangles, appended. A line is the rectangle
around it that ends where the line does (GL 2.1, 3.4.4); no rounding of width or place, no rule for
ends. A smooth point is a disc (3.3.3), whose samples the fragment kernel picks
(fragment/samples.py). Others are squares, though 3.3.3 makes no difference: a program that does not
ask for round points expects none, and gets none from llvmpipe. Sprites are squares in any case,
whose corners have their coordinates. Points below the threshold get its size and lose alpha instead
(3.3, 3.13). Whether lines are smooth makes no difference. Counterpart of the rectangular lines of
Mesa's lp_setup_line.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.clip import append_two, row_place
from pipe_llvm.draw.prims import Made
from pipe_llvm.draw.smooth import AROUND, MAX_SIZE, MIN_SIZE, Corner, corners_like
from pipe_llvm.native import LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u32, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value

_MAKES = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(Made))


@kernel(ret=void, args=(*_MAKES, u32, u32, u32), name="lp_exact_line", noinline=True)
def exact_line(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, v0: Value,
               v1: Value, provoking: Value) -> None:  # fmt: skip
    """Append the rectangle of a line; one without a length has no area."""
    rows = [row_place(b, lp, plan, v) for v in (v0, v1)]
    x, y = [row[0] for row in rows], [row[1] for row in rows]
    dx, dy = x[1] - x[0], y[1] - y[0]
    length = b.sqrt(dx * dx + dy * dy)
    with b.If(~((length > 0.0) & (length < float("inf")))):
        b.Return()
    half = b.clamp(dyn.line_width, MIN_SIZE, MAX_SIZE) * 0.5
    across_x, across_y = dy / length * half, dx / length * half
    around = []
    for end, source, sides in ((0, v0, (-1.0, 1.0)), (1, v1, (1.0, -1.0))):
        pair = [Corner(x[end] - across_x * side, y[end] + across_y * side) for side in sides]
        around += corners_like(b, lp, plan, made, source, provoking, pair)
    append_two(b, made, around)


@kernel(ret=void, args=(*_MAKES, u32, f32), name="lp_exact_point", noinline=True)
def exact_point(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
                number: Value, size: Value) -> None:  # fmt: skip
    """Append the square of a point, or the one around its disc."""
    size = b.min(MAX_SIZE, size)  # in this order what is no number stays so
    size = b.select(size > 0.0, size, 1.0)  # no number: 1
    threshold = dyn.point_fade
    share = b.select(size < threshold, size / threshold, 1.0)
    half = b.max(size, b.min(threshold, MAX_SIZE)) * 0.5
    row = row_place(b, lp, plan, number)
    top = b.select(dyn.sprite_down != 0, b.const(f32, 0.0), b.const(f32, 1.0))
    square = [
        Corner(
            row[0] + half * sx,
            row[1] + half * sy,
            (b.const(f32, sx), b.const(f32, sy), b.const(f32, 0.0), share * share),
        )
        for sx, sy in AROUND
    ]
    where = plan.primitive.point_coverage
    corners = corners_like(b, lp, plan, made, number, number, square, where)
    for new, (sx, sy) in zip(corners, AROUND, strict=True):
        _sprite(b, lp, plan, new, b.const(f32, max(sx, 0.0)), top if sy < 0.0 else 1.0 - top)
    append_two(b, made, corners)


def _sprite(b: Builder, lp: Any, plan: Any, number: Any, s: Any, t: Operand) -> None:
    """Give a corner of a sprite its coordinates s, t, 0, 1 (GL 2.1, 3.3.1)."""
    row = row_place(b, lp, plan, number)
    with b.For(b.const(u32, 0), plan.primitive.sprites) as n:
        word = plan.primitive.sprite_map[n]
        component = word >> 8
        rest = b.select(component == 3, b.const(f32, 1.0), 0.0)
        value = b.select(component == 0, s, b.select(component == 1, t, rest))
        row[word & 255] = value
