# SPDX-License-Identifier: MIT
"""Numbers of primitives (gl_PrimitiveID): each gets vertices of its own, which carry its number.

Vertices are shared, so the one that provokes (of lines both, since either may) is copied behind all
others, and the number stands in the copy as what any flat input is: what clips, widens or cuts
primitives needs to know nothing of it. Only for plans whose fragment shader asks for the number. A
quadrilateral is one primitive, a polygon too. Counterpart of Mesa's draw_prim_assembler.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.prim import POLYGON, QUAD_STRIP, QUADS, mode_field
from pipe_llvm.draw.prims import Prims
from pipe_llvm.native import LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u32, void

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


def _copy_vertex(b: Any, lp: Any, plan: Any, source: Value, to: Any) -> None:
    """Row, clip coordinates and clip flags of a vertex."""
    stream = lp.stream
    size = plan.row_bytes
    rows = [b.bytes_from(stream.rows, n * size, u8) for n in (to, source)]
    b.memcpy(*rows, size)
    for c in range(4):
        places = [(n >> 4) * 64 + 16 * c + (n & 15) for n in (to, source)]
        stream.clip[places[0]] = stream.clip[places[1]]
    stream.flags[to] = stream.flags[source]


@kernel(
    ret=void,
    args=(ptr(LpContext), ptr(LpPlan), ptr(Prims)),
    name="lp_number_primitives",
    cold=True,
)
def number_primitives(b: Builder, lp: LpContext, plan: LpPlan, prims: Prims) -> None:
    """Give each primitive a vertex with its number."""
    stream, mode = lp.stream, prims.mode
    v0, v1, v2 = prims.v0, prims.v1, prims.v2
    at = b.var(u32, prims.free)
    with b.For(b.const(u32, 0), prims.count) as i:
        number = b.var(u32, prims.first + i)
        with b.If((mode == QUADS) | (mode == QUAD_STRIP)):
            number.value = number.value >> 1
        with b.If(mode == POLYGON):
            number.value = 0

        def own(place: Any, i: Any = i, number: Any = number) -> Any:
            to = at.value
            _copy_vertex(b, lp, plan, place[i], to)
            row = b.bytes_from(stream.rows, to * plan.row_bytes, u32)
            row[plan.primitive.number] = number.value
            place[i] = to
            at.value = to + 1
            return to

        with b.Switch(mode_field(b, mode, "reduced")) as s:
            with s.Case(0):
                only = own(v0)
                v1[i], v2[i] = only, only
            with s.Case(1):
                v2[i] = own(v1)
                own(v0)
            with s.Default():
                own(v2)
    prims.free = (at.value + 15) & 0xFFFFFFF0


__all__ = ["number_primitives"]
