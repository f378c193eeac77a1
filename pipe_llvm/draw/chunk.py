# SPDX-License-Identifier: MIT
"""Shaded vertices of a chunk of a draw -> primitives, for the links of chain.py.

In: vertices in the stream, an index list or a range of them. Out: `Prims`: assemble (with the
vertices beside primitives, if they have such) -> repeat for further instances -> geometry shader,
if there is one. What a link does by the place of a primitive in its strip or polygon it does for
each instance by itself. Counterpart of Mesa's draw_pt_emit.c and draw_prim_assembler.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.chain import STATE, draw_prims
from pipe_llvm.draw.geometry import geometry, number_taken
from pipe_llvm.draw.prim import (
    FAN,
    LANES,
    LINE_LOOP,
    LINE_STRIP,
    LINE_STRIP_ADJACENCY,
    LINES,
    LINES_ADJACENCY,
    POLYGON,
    STRIP,
    STRIP_ADJACENCY,
    TRIANGLES,
    TRIANGLES_ADJACENCY,
    assemble,
    assemble_adjacent,
    mode_field,
    repeat,
)
from pipe_llvm.draw.prims import Prims
from pipe_llvm.draw.stream_output import tapped
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
from pydri.jit.types import ptr, u32, void
from pydri.pipe.native import PRIM_BEGIN, PRIM_END, PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

#: plans whose links look at the place of a primitive among its instance's
_BY_PLACE = PLAN_STIPPLED | PLAN_UNFILLED | PLAN_POLY_SMOOTH
#: what is left of a mode without the vertices beside primitives
_PLAIN = {
    LINES_ADJACENCY: LINES, LINE_STRIP_ADJACENCY: LINE_STRIP, TRIANGLES_ADJACENCY: TRIANGLES,
    STRIP_ADJACENCY: STRIP,
}  # fmt: skip


def count_of(b: Builder, mode: Value, vertices: Value) -> Value:
    """Primitives that `vertices` vertices make."""
    least, step = mode_field(b, mode, "least"), mode_field(b, mode, "step")
    steps = (vertices - least) // step + 1
    return b.select(vertices < least, 0, steps * mode_field(b, mode, "per_step"))


def _of_loop(mode: Value, prim_flags: Value) -> tuple[Value, Value]:
    """Whether vertices are of a loop that goes on: a line less, since the first of them is the
    loop's; and whether it ends: a line more."""
    loop = mode == LINE_LOOP
    return loop & ((prim_flags & PRIM_BEGIN) == 0), loop & ((prim_flags & PRIM_END) != 0)


def has_geometry(b: Builder, plan: Any) -> Value:
    """Whether a plan has a geometry shader."""
    return b.ptr_to_int(plan.gs) != 0


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
    with b.If(has_geometry(b, plan), likely=False):
        stream = lp.stream
        for place in (stream.a3, stream.a4, stream.a5):
            b.call(repeat, place, count, instances, rows)
        b.call(repeat, stream.numbers, count, instances, 0)
        prims.count = count * instances
        b.call(geometry, lp, plan, dyn, prims)
        b.Return()
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
    ret=void, args=(*STATE, ptr(Prims), ptr(u32), u32), name="lp_adjacent", noinline=True
)
def _adjacent(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims,
              elts: Pointer, total: Value) -> None:  # fmt: skip
    """Assemble primitives with adjacent vertices, of which the chunk's vertices make `total`: for
    a geometry shader with all of them, else without."""
    stream, mode = lp.stream, prims.mode
    cut = mode == STRIP_ADJACENCY
    # what lies beyond a cut of a strip is not known: the chunk on its other side knows it
    first = b.select(cut & ((prims.flags & PRIM_BEGIN) == 0), b.const(u32, 1), 0)
    last = b.select(cut & ((prims.flags & PRIM_END) == 0), b.const(u32, 1), 0)
    count = b.select(total > first + last, total - first - last, 0)
    prims.count, prims.parity = count, first
    lp.primitive = prims.first + count
    with b.If(count == 0):
        b.Return()

    def fill(*places: Any) -> None:
        b.call(assemble_adjacent, mode, elts, first, count, total, *places)

    v0, v1, v2, (w0, w1, w2) = prims.v0, prims.v1, prims.v2, (stream.w0, stream.w1, stream.w2)
    with b.If(has_geometry(b, plan)):
        fill(v0, v1, v2, stream.a3, stream.a4, stream.a5)
        b.Return()
    with b.If(mode_field(b, mode, "reduced") == 1):
        fill(w0, v0, v1, w1, v2, w2)
    with b.Else():
        fill(v0, w0, v1, w1, v2, w2)
    for adjacent, plain in _PLAIN.items():
        prims.mode = b.select(mode == adjacent, b.const(u32, plain), prims.mode)


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
    before, cut_loop, closed_loop = lp.primitive, *_of_loop(mode, prim_flags)
    made = count.value - b.cast(cut_loop, u32) + b.cast(closed_loop, u32)
    lp.primitive = before + b.select(count.value == 0, 0, made)
    unseen = ((flags >> 16) != 0) & ~tapped(dyn, plan)
    with b.If((count.value == 0) | unseen):
        plan_used(b, lp, plan)  # as what is only captured
        b.Return()
    shaded = has_geometry(b, plan)
    v0, v1, v2 = (
        b.select(shaded, getattr(stream, f"a{n}"), getattr(stream, f"v{n}")) for n in range(3)
    )
    prims = b.array(Prims, 1)
    prims.v0, prims.v1, prims.v2 = v0, v1, v2
    prims.mode, prims.flags, prims.parity = mode, prim_flags, 0
    prims.first, prims.free = before, free
    prims.clip, prims.outside = flags & 0xFFFF, flags >> 16
    with b.If(mode > POLYGON, likely=False):
        b.call(_adjacent, lp, plan, dyn, prims, elts, count.value)
        with b.If(prims.count == 0):
            b.Return()
    with b.Else():
        pin, base, source = b.var(u32, 0), b.var(u32, 0), b.var(ptr(u32), elts)
        indexed = elts != 0
        with b.If(indexed):
            pin.value = elts[0]
        with b.If((mode == FAN) | (mode == POLYGON) | cut_loop):
            # these begin at the second vertex
            base.value = 1
            with b.If(indexed):
                source.value = elts + 1
            with b.If(cut_loop):
                count.value = count.value - 1
        b.call(assemble, mode, source.value, base.value, pin.value, count.value, v0, v1, v2)
        with b.If(closed_loop):
            last = b.var(u32, vertices - 1)
            with b.If(indexed):
                last.value = elts[last.value]
            v0[count.value] = last.value
            v1[count.value] = pin.value
            count.value = count.value + 1
        prims.count = count.value
    with b.If(shaded, likely=False):
        b.call(number_taken, stream.numbers, before, prims.count)
    with b.If(instances > 1, likely=False):
        b.call(draw_repeated, lp, plan, dyn, prims, rows, instances)
    with b.Elif(lambda: shaded):
        b.call(geometry, lp, plan, dyn, prims)
    with b.Else():
        b.call(draw_prims, lp, plan, dyn, prims)


__all__ = ["LANES", "count_of", "draw_chunk", "has_geometry"]
