# SPDX-License-Identifier: MIT
"""What passes the vertex side of the pipeline is counted, while somebody asks
(ARB_pipeline_statistics_query; OpenGL 4.6, 4.3).

In: draws, chunks of shaded vertices, assembled primitives. Out: `dyn.statistics`. Numbers are the
peer's where it leaves no choice to a driver: incomplete primitives do not count, nor do their
vertices; a quadrilateral and a polygon are one primitive when they are submitted or come to be
clipped, and the triangles that are left of them afterwards. A primitive is clipped away when all of
its vertices lie beyond one plane of the view volume, or one of the program's. Mesa:
draw_pt_fetch_shade_pipeline_llvm.c (collect_statistics), lp_setup_tri.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.clip import clip_coordinates
from pipe_llvm.draw.prim import (
    LINE_LOOP,
    POLYGON,
    QUAD_STRIP,
    QUADS,
    STRIP_ADJACENCY,
    mode_field,
)
from pipe_llvm.draw.prims import Prims
from pipe_llvm.native import CLIP_BOTTOM, CLIP_LEFT, CLIP_RIGHT, CLIP_TOP, LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u32, u64, void
from pydri.pipe.native import DISCARD_ASKED, PRIM_BEGIN, PRIM_END, DrawInfo, PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value

_SIDES = CLIP_LEFT | CLIP_RIGHT | CLIP_BOTTOM | CLIP_TOP


def asked(b: Builder, dyn: Any) -> Any:
    """Whether somebody asks."""
    return b.ptr_to_int(dyn.statistics) != 0


def count(b: Builder, dyn: Any, **numbers: Operand) -> None:
    """Emit: add to fields of the statistics, if somebody asks."""
    with b.If(asked(b, dyn), likely=False):
        add(b, dyn, **numbers)


def add(b: Builder, dyn: Any, **numbers: Operand) -> None:
    """Emit: the same where it is known that somebody asks."""
    for field, number in numbers.items():
        setattr(dyn.statistics, field, getattr(dyn.statistics, field) + b.cast(number, u64))


@kernel(
    ret=void, args=(ptr(PipeDynamic), ptr(DrawInfo), u32), name="lp_count_submitted", cold=True
)
def count_submitted(b: Builder, dyn: PipeDynamic, info: DrawInfo, vertices: Value) -> None:
    """Vertices and primitives of a draw that has so many vertices, as the program gave them."""
    mode, flags = info.mode, info.prim_flags
    least, step = mode_field(b, mode, "least"), mode_field(b, mode, "step")
    with b.If(vertices < least):
        b.Return()
    steps = (vertices - least) // step
    # a part that is not the first one repeats vertices, and of a loop lacks the line that closes it
    begins, ends = (flags & PRIM_BEGIN) != 0, (flags & PRIM_END) != 0
    one, none = b.const(u32, 1), b.const(u32, 0)
    lost = b.select(begins, none, one)
    again = b.select(begins, 0, mode_field(b, mode, "overlap") + mode_field(b, mode, "pinned"))
    made = b.var(u32, steps + 1)
    with b.If(mode == LINE_LOOP):
        made.value = made.value - lost + b.select(ends, one, none)
    with b.If(mode == POLYGON):
        made.value = one - lost
    with b.If(mode == STRIP_ADJACENCY):
        beyond = lost + b.select(ends, none, one)
        made.value = b.select(made.value > beyond, made.value - beyond, 0)
    instances = b.cast(b.max(info.instances, 1), u64)
    add(
        b, dyn,
        vertices_submitted=b.cast(least + steps * step - again, u64) * instances,
        primitives_submitted=b.cast(made.value, u64) * instances,
    )  # fmt: skip


def _beyond(b: Builder, lp: Any, number: Value) -> Value:
    """The planes that a vertex lies beyond: of its flags those that are no sides of the guard band,
    and the sides of the view volume."""
    x, y, _, w = clip_coordinates(b, lp, number)
    out = b.cast(lp.stream.flags[number], u32) & ~_SIDES
    for bit, inside in ((CLIP_LEFT, x >= -w), (CLIP_RIGHT, x <= w), (CLIP_BOTTOM, y >= -w),
                        (CLIP_TOP, y <= w)):  # fmt: skip
        out = out | b.select(inside, b.const(u32, 0), bit)
    return out


@kernel(
    ret=void, args=(ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(Prims)),
    name="lp_count_clipped", cold=True,
)  # fmt: skip
def count_clipped(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Primitives that come to be clipped, and those that are left."""
    with b.If(dyn.discard == DISCARD_ASKED):
        b.Return()
    mode = prims.mode
    came = b.var(u32, prims.count)
    with b.If((mode == QUADS) | (mode == QUAD_STRIP)):
        came.value = came.value >> 1
    with b.If(mode == POLYGON):
        came.value = prims.flags & PRIM_BEGIN
    left, corners = b.var(u32, 0), mode_field(b, mode, "reduced") + 1
    with b.For(b.const(u32, 0), prims.count) as i:
        beyond = b.var(u32, _beyond(b, lp, prims.v0[i]))
        for n, place in ((1, prims.v1), (2, prims.v2)):
            with b.If(corners > n):
                beyond.value = beyond.value & _beyond(b, lp, place[i])
        left.value = left.value + b.select(beyond.value == 0, b.const(u32, 1), 0)
    add(b, dyn, clipping_input=came.value, clipping_output=left.value)


__all__ = ["add", "asked", "count", "count_clipped", "count_submitted"]
