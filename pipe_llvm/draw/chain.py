# SPDX-License-Identifier: MIT
"""The links of the vertex side behind the vertex shader: shaded vertices -> primitives -> setup.

In: vertices in the stream, an index list or a range of them. Out: `Prims` that each link hands to
the next: assemble -> repeat for further instances -> stream output -> provoke -> number -> points |
lines | unfilled or clipped triangles -> setup. The plan says which links there are. What a link
does by the place of a primitive in its strip or polygon it does for each instance by itself.
Counterpart of Mesa's draw_pipe.h, whose stages these are, for whole lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.draw.clip import clip_triangles
from pipe_llvm.draw.number import number_primitives
from pipe_llvm.draw.prim import (
    FAN,
    LINE_LOOP,
    POLYGON,
    STRIP,
    assemble,
    mode_field,
    provoke_first,
    repeat,
)
from pipe_llvm.draw.prims import Prims
from pipe_llvm.draw.stipple import stippled_lines
from pipe_llvm.draw.stream_output import stream_output, tapped
from pipe_llvm.draw.unfilled import unfilled_triangles
from pipe_llvm.draw.wide import wide_lines, wide_points
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
from pydri.jit.types import ptr, u32, u64, void
from pydri.pipe.native import PRIM_BEGIN, PRIM_END, PipeDynamic
from pydri.util.stats import INDEX

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

LANES = 16
STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
#: plans whose links look at the place of a primitive among its instance's
_BY_PLACE = PLAN_STIPPLED | PLAN_UNFILLED | PLAN_POLY_SMOOTH


def count_of(b: Builder, mode: Value, vertices: Value) -> Value:
    """Primitives that `vertices` vertices make."""
    least, step = mode_field(b, mode, "least"), mode_field(b, mode, "step")
    steps = (vertices - least) // step + 1
    return b.select(vertices < least, 0, steps * mode_field(b, mode, "per_step"))


@kernel(ret=void, args=(*STATE, ptr(Prims)), name="lp_draw_prims", noinline=True)
def draw_prims(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Everything behind assembly."""
    mode = prims.mode
    with b.If(tapped(dyn, plan), likely=False):
        b.call(stream_output, lp, plan, dyn, prims)
        with b.If((dyn.discard != 0) | (prims.outside != 0)):
            plan_used(b, lp, plan)  # no scene hears of it, which would count
            b.Return()
    reduced = mode_field(b, mode, "reduced")
    with b.If(((plan.flags & PLAN_PROVOKING_FIRST) != 0) & (reduced == 2), likely=False):
        b.call(provoke_first, mode, prims.count, prims.v0, prims.v1, prims.v2)
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


def _instance_by_instance(b: Builder, plan: LpPlan, mode: Value) -> Value:
    """Whether some link asks for the place of a primitive."""
    turned = (mode == STRIP) & ((plan.flags & PLAN_PROVOKING_FIRST) != 0)
    numbered = plan.primitive.number != 0
    return ((plan.flags & _BY_PLACE) != 0) | numbered | turned | (mode == POLYGON)


@kernel(
    ret=void, args=(*STATE, ptr(Prims), u32, u32), name="lp_draw_repeated", noinline=True
)
def draw_repeated(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims,
                  rows: Value, instances: Value) -> None:  # fmt: skip
    """The primitives of the first of `instances` instances, and of the others, whose vertices are
    `rows` rows further on each."""
    count, free = prims.count, prims.free
    corners = (prims.v0, prims.v1, prims.v2)
    for place in corners:
        b.call(repeat, place, count, instances, rows)
    with b.If(_instance_by_instance(b, plan, prims.mode), likely=False):
        with b.For(b.const(u32, 0), instances) as n:
            for name, place in zip(("v0", "v1", "v2"), corners, strict=True):
                setattr(prims, name, place + n * count)
            prims.free = free
            b.call(draw_prims, lp, plan, dyn, prims)
        b.Return()
    prims.count = count * instances
    b.call(draw_prims, lp, plan, dyn, prims)


@kernel(
    ret=void,
    args=(*STATE, u32, ptr(u32), u32, u32, u32, u32, u32, u32),
    name="lp_draw_chunk",
    noinline=True,
)
def draw_chunk(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, mode: Value,
               elts: Pointer, vertices: Value, flags: Value, prim_flags: Value, free: Value,
               rows: Value, instances: Value) -> None:  # fmt: skip
    """Primitives of shaded vertices: numbers in `elts`, or 0 .. vertices-1 if that is null.

    flags: OR and AND << 16 of the vertices' clip flags; prim_flags: PRIM_BEGIN, PRIM_END; free:
    first row of the stream that is not taken; instances: how many have their vertices here, each
    `rows` rows behind the one before."""
    stream = lp.stream
    count = b.var(u32, count_of(b, mode, vertices))
    before = lp.primitive
    lp.primitive = before + count.value
    unseen = ((flags >> 16) != 0) & ~tapped(dyn, plan)
    with b.If((count.value == 0) | unseen):
        plan_used(b, lp, plan)  # as what is only captured
        b.Return()
    pin, base, source = b.var(u32, 0), b.var(u32, 0), b.var(ptr(u32), elts)
    indexed = elts != 0
    with b.If(indexed):
        pin.value = elts[0]
    cut_loop = (mode == LINE_LOOP) & ((prim_flags & PRIM_BEGIN) == 0)
    with b.If((mode == FAN) | (mode == POLYGON) | cut_loop):
        # these begin at the second vertex
        base.value = 1
        with b.If(indexed):
            source.value = elts + 1
        with b.If(cut_loop):
            count.value = count.value - 1
    v0, v1, v2 = stream.v0, stream.v1, stream.v2
    b.call(assemble, mode, source.value, base.value, pin.value, count.value, v0, v1, v2)
    with b.If((mode == LINE_LOOP) & ((prim_flags & PRIM_END) != 0)):
        last = b.var(u32, vertices - 1)
        with b.If(indexed):
            last.value = elts[last.value]
        v0[count.value] = last.value
        v1[count.value] = pin.value
        count.value = count.value + 1
    prims = b.array(Prims, 1)
    prims.v0, prims.v1, prims.v2 = v0, v1, v2
    prims.count, prims.mode, prims.flags = count.value, mode, prim_flags
    prims.first, prims.free = before, free
    prims.clip, prims.outside = flags & 0xFFFF, flags >> 16
    with b.If(instances > 1, likely=False):
        b.call(draw_repeated, lp, plan, dyn, prims, rows, instances)
    with b.Else():
        b.call(draw_prims, lp, plan, dyn, prims)


__all__ = ["LANES", "STATE", "count_of", "draw_chunk"]
