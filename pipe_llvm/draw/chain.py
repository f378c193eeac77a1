# SPDX-License-Identifier: MIT
"""The links of the vertex side behind assembly: primitives -> setup.

In: `Prims`, by the numbers of their vertices in the stream. Each link hands them to the next:
stream output -> provoke -> number -> points | lines | unfilled or clipped triangles -> setup. The
plan says which links there are. Counterpart of Mesa's draw_pipe.h, whose stages these are, for
whole lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.draw.clip import clip_triangles
from pipe_llvm.draw.lines import wide_lines
from pipe_llvm.draw.number import number_primitives
from pipe_llvm.draw.prim import mode_field, provoke_first
from pipe_llvm.draw.prims import Prims
from pipe_llvm.draw.statistics import asked, count_clipped
from pipe_llvm.draw.stipple import stippled_lines
from pipe_llvm.draw.stream_output import stream_output, tapped
from pipe_llvm.draw.unfilled import unfilled_triangles
from pipe_llvm.draw.wide import wide_points
from pipe_llvm.native import (
    PLAN_POLY_SMOOTH,
    PLAN_PROVOKING_FIRST,
    PLAN_STIPPLED,
    PLAN_UNFILLED,
    LpContext,
    LpPlan,
)
from pipe_llvm.scene import plan_used
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u64, void
from pydri.pipe.native import PipeDynamic
from pydri.util.stats import INDEX

if TYPE_CHECKING:
    from pydri.jit import Builder

STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))


@kernel(ret=void, args=(*STATE, ptr(Prims)), name="lp_draw_prims", noinline=True)
def draw_prims(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Everything behind assembly."""
    mode = prims.mode
    with b.If(tapped(dyn, plan), likely=False):
        b.call(stream_output, lp, plan, dyn, prims)
        with b.If(asked(b, dyn)):
            b.call(count_clipped, lp, plan, dyn, prims)
        with b.If((dyn.discard != 0) | (prims.outside != 0)):
            plan_used(b, lp, plan)  # no scene hears of it, which would count
            b.Return()
    reduced = mode_field(b, mode, "reduced")
    with b.If(((plan.flags & PLAN_PROVOKING_FIRST) != 0) & (reduced == 2), likely=False):
        corners = prims.v0, prims.v1, prims.v2
        b.call(provoke_first, mode, prims.count, prims.parity, *corners)
    with b.If(plan.primitive.number != 0, likely=False):
        b.call(number_primitives, lp, plan, prims)
    stats = lp.stats
    with b.If(stats != 0):
        at = INDEX["primitives"]
        stats[at] = stats[at] + b.cast(prims.count, u64)
    with b.Switch(reduced) as s:
        with s.Case(0):
            b.call(wide_points, lp, plan, dyn, prims)
        with s.Case(1):
            with b.If((plan.flags & PLAN_STIPPLED) != 0, likely=False):
                b.call(stippled_lines, lp, plan, dyn, prims)
                b.Return()
            b.call(wide_lines, lp, plan, dyn, prims)
        with s.Default():
            with b.If((plan.flags & PLAN_UNFILLED) != 0, likely=False):
                b.call(unfilled_triangles, lp, plan, dyn, prims)
                b.Return()
            smooth = (plan.flags & PLAN_POLY_SMOOTH) != 0
            with b.If((prims.clip != 0) | smooth, likely=False):
                b.call(clip_triangles, lp, plan, dyn, prims)
            with b.Else():
                corners = (prims.v0, prims.v1, prims.v2)
                plan.setup(lp, plan, dyn, *corners, prims.count, 2)


__all__ = ["STATE", "draw_prims"]
