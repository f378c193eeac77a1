# SPDX-License-Identifier: MIT
"""The geometry shader, a link between assembly and stream output (OpenGL 3.2, 2.12).

In: primitives by the numbers of their vertices (v0, v1, v2 of `Prims`, and a3 to a5 of the stream),
the rows that the vertex stage left of these. Out: `Prims` of the strips that were emitted, as many
invocations at once as the stream has room for. The plan's kernel (geometry_kernel.py) runs 16
invocations, those of a primitive one behind the other, and leaves rows of their vertices in the
stream: the k-th ones of all 16 together, so vertex k of lane n is number 16 * k + n of the group's;
rows of lanes with fewer vertices have no meaning. Here strips are cut into primitives, lane after
lane, as the next links get them. What a lane emits is bounded by what its shader declares.
Counterpart of Mesa's draw_gs.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.chain import STATE, draw_prims
from pipe_llvm.draw.layout import COUNTS
from pipe_llvm.draw.prim import LANES, LINE_STRIP, STRIP
from pipe_llvm.draw.prims import EMITTED, Prims
from pipe_llvm.draw.statistics import count
from pipe_llvm.draw.stream_output import tapped
from pipe_llvm.native import VERTEX_BATCH, LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u32, void
from pydri.pipe.native import PRIM_BEGIN, PRIM_END, PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

U32X16 = u32.vec(LANES)


def rows_wanted(b: Builder, plan: Any) -> Any:
    """Rows of the stream for what invocations emit: as many as a chunk has, or one group's."""
    return b.max(plan.emits.most * LANES, VERTEX_BATCH)


@kernel(ret=void, args=(ptr(u32), u32, u32), name="lp_number_taken", noinline=True)
def number_taken(b: Builder, numbers: Pointer, first: Value, count: Value) -> None:
    """Numbers of primitives for gl_PrimitiveIDIn, and up to 16 more."""
    with b.For(b.const(u32, 0), count, LANES) as i:
        (numbers + i).store(b.splat(first + i, LANES) + b.iota(U32X16))


@kernel(
    ret=u32, args=(ptr(LpContext), ptr(LpPlan), u32, u32, u32), name="lp_cut_strips", noinline=True
)
def cut_strips(b: Builder, lp: LpContext, plan: LpPlan, lanes: Value, row: Value,
               made: Value) -> None:  # fmt: skip
    """The primitives of what a group of so many lanes emitted, whose vertices are numbered from
    `row` on, behind the `made` ones that there are in v0, v1, v2; how many there are then. Of a
    strip's odd triangles the first two change places (2.6.1)."""
    stream, emits = lp.stream, plan.emits
    v0, v1, v2 = stream.v0, stream.v1, stream.v2
    words, cells = stream.emitted.cast(ptr(u32)), emits.cells
    strips, lines = emits.mode == STRIP, emits.mode == LINE_STRIP
    least = b.select(strips, b.const(u32, 2), b.select(lines, b.const(u32, 1), 0))
    at = b.var(u32, made)
    with b.For(b.const(u32, 0), lanes, 1) as lane:
        place = b.var(u32, 0)
        # whether a strip begins is the last word of a vertex
        begins = words + (COUNTS + (cells - 1) * LANES + lane)
        with b.For(b.const(u32, 0), words[lane], 1) as k:
            new = begins[k * cells * LANES] != 0
            place.value = b.select(new, b.const(u32, 0), place.value + 1)
            with b.If(place.value >= least):
                number = row + k * LANES + lane
                before, first = number - LANES, number - 2 * LANES
                odd = (place.value & 1) != 0
                v0[at.value] = b.select(strips, b.select(odd, before, first),
                                        b.select(lines, before, number))
                v1[at.value] = b.select(strips & ~odd, before, b.select(strips, first, number))
                v2[at.value] = number
                at.value = at.value + 1
    b.Return(at.value)


def _most_of(b: Builder, counts: Any) -> Value:
    """The greatest of what the lanes of a group emitted."""
    return b.reduce("max", counts.load(U32X16))


@kernel(ret=void, args=(*STATE, ptr(Prims)), name="lp_geometry", noinline=True)
def geometry(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Run the geometry shader over primitives and draw what it makes of them."""
    stream, emits = lp.stream, plan.emits
    total, group = prims.count * emits.invocations, emits.most * LANES
    rows, numbers = rows_wanted(b, plan), stream.index_capacity - LANES
    counts = stream.emitted.cast(ptr(u32))
    out = b.array(Prims, 1)
    at = b.var(u32, 0)
    count(b, dyn, geometry_invocations=total)
    with b.While(lambda: at.value < total):
        row, made, flags = b.var(u32, 0), b.var(u32, 0), b.var(u32, 0xFFFF0000)
        with b.Loop():
            found = plan.gs(lp, plan, dyn, prims, at.value, row.value)
            # OR of the lower half, AND of the upper one
            flags.value = ((flags.value | found) & 0xFFFF) | (flags.value & found & 0xFFFF0000)
            lanes = b.min(total - at.value, LANES)
            made.value = b.call(cut_strips, lp, plan, lanes, row.value, made.value)
            row.value = row.value + _most_of(b, counts) * LANES
            at.value = at.value + LANES
            full = (row.value + group > rows) | (made.value + group > numbers)
            with b.If((at.value >= total) | full):
                b.Break()
        count(b, dyn, geometry_primitives=made.value)
        unseen = ((flags.value >> 16) != 0) & ~tapped(dyn, plan)
        with b.If((made.value != 0) & ~unseen):
            for name in ("v0", "v1", "v2"):
                place = getattr(stream, name)
                (place + made.value).store(b.const(U32X16, 0))
                setattr(out, name, place)
            out.count, out.mode, out.parity = made.value, emits.mode, EMITTED
            out.flags, out.first, out.free = PRIM_BEGIN | PRIM_END, 0, row.value
            out.clip, out.outside = flags.value & 0xFFFF, flags.value >> 16
            b.call(draw_prims, lp, plan, dyn, out)


__all__ = ["geometry", "number_taken", "rows_wanted"]
