# SPDX-License-Identifier: MIT
"""Stippled lines: a line becomes the pieces that its pattern lets through (GL 2.1, 3.4.2).

In: vertex numbers of lines that are clipped already. Out: shorter lines, widened and appended. The
counter (Made.stipple) walks with the line's longer extent in pixels, of smooth lines
with their length (3.4.3); it begins again with every separate line, every strip, loop and polygon,
and goes on through their segments, also across the chunks of a draw. A piece takes its values from
its line, linear in the window where the line's are. Used only by plans that ask for it. Counterpart
of Mesa's draw_pipe_stipple.c, whose pieces these are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.draw.clip import (
    SPARE,
    blend_rows,
    hand_over,
    made_all,
    makes,
    new_row,
    row_place,
)
from pipe_llvm.draw.lines import line_ends, wide_line
from pipe_llvm.draw.prim import LINES
from pipe_llvm.draw.prims import EMITTED, Made, Prims
from pipe_llvm.native import PLAN_MULTISAMPLE, PLAN_PROVOKING_FIRST, LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u32, void
from pydri.pipe.native import PRIM_BEGIN, PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Value

MAX_LENGTH = 32768.0  # pixels: more than the guard band is wide
_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
_PLACE = 0b1111  # floats of a row that are linear in the window


def _piece(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
           ends: tuple[Value, Value], limits: list[Value],
           provoking: Value) -> None:  # fmt: skip
    """Append the part of a line between two fractions of it."""
    recip = [row_place(b, lp, plan, v)[3] for v in ends]
    numbers = []
    for t in limits:
        weight = recip[0] * (1.0 - t) + recip[1] * t
        smooth = b.select(weight > 0.0, recip[1] * t / weight, t)
        number = new_row(b, lp, made)
        blend_rows(b, lp, plan, ends, (smooth, t), provoking, [number], _PLACE)
        numbers.append(number)
    b.call(wide_line, lp, plan, dyn, made, *numbers, provoking)


@kernel(ret=void, args=(*_STATE, ptr(Made), u32, u32, u32), name="lp_stippled_line", noinline=True)
def stippled_line(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, v0: Value,
                  v1: Value, provoking: Value) -> None:  # fmt: skip
    """Append what the pattern lets through of a line, and move the counter on."""
    rows = [row_place(b, lp, plan, v) for v in (v0, v1)]
    dx, dy = b.abs(rows[1][0] - rows[0][0]), b.abs(rows[1][1] - rows[0][1])
    smooth = (plan.primitive.line_coverage != 0) | ((plan.flags & PLAN_MULTISAMPLE) != 0)
    length = b.select(smooth, b.sqrt(dx * dx + dy * dy), b.max(dx, dy))
    with b.If(~(length > 0.0)):
        b.Return()
    length = b.min(length, MAX_LENGTH)
    count = made.stipple
    made.stipple = count + b.ceil(length)
    steps = b.cast(b.ceil(length), u32)
    factor, pattern = b.max(dyn.line_stipple_factor, 1), dyn.line_stipple_pattern
    start, on = b.var(u32, 0), b.var(u32, 0)
    base = made.free  # rows from here on are free once they have been handed over
    with b.For(b.const(u32, 0), steps) as i:
        place = b.cast(count + b.cast(i, f32), u32) // factor
        bit = (pattern >> (place & 15)) & 1
        with b.If(bit != on.value):
            on.value = bit
            with b.If(bit != 0):
                start.value = i
            with b.Else():
                limits = [b.cast(n, f32) / length for n in (start.value, i)]
                _piece(b, lp, plan, dyn, made, (v0, v1), limits, provoking)
                b.call(hand_over, lp, plan, dyn, made, base, SPARE)
    with b.If((on.value != 0) & (b.cast(start.value, f32) < length)):
        limits = [b.cast(start.value, f32) / length, b.const(f32, 1.0)]
        _piece(b, lp, plan, dyn, made, (v0, v1), limits, provoking)
        b.call(hand_over, lp, plan, dyn, made, base, SPARE)


@kernel(ret=void, args=(*_STATE, ptr(Prims)), name="lp_stippled_lines", noinline=True)
def stippled_lines(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Lines v0, v1 -> clipped -> pieces -> triangles -> setup, in order."""
    mode, prim_flags, first_free = prims.mode, prims.flags, prims.free
    starts, stops = prims.v0, prims.v1
    made = makes(b, lp, prims, 1)
    ends = b.array(u32, 2)
    first_provokes = (plan.flags & PLAN_PROVOKING_FIRST) != 0
    with b.For(b.const(u32, 0), prims.count) as i:
        v0, v1 = starts[i], stops[i]
        begins = (i == 0) & ((prim_flags & PRIM_BEGIN) != 0)
        # segments of a strip share a vertex, different strips never do
        apart = (prims.parity == EMITTED) & (v0 != stops[b.select(i == 0, i, i - 1)])
        with b.If(begins | (mode == LINES) | apart):
            made.stipple = 0.0
        provoking = b.select(first_provokes, v0, v1)
        with b.If(line_ends(b, lp, plan, dyn, made, ends, v0, v1, provoking)):
            b.call(stippled_line, lp, plan, dyn, made, ends[0], ends[1], provoking)
            b.call(hand_over, lp, plan, dyn, made, first_free, SPARE)
    made_all(b, lp, plan, dyn, made)
