# SPDX-License-Identifier: MIT
"""Clipping in homogeneous space: triangles and lines whose flags ask for it (GL 2.1, 2.12).

In: vertex numbers and the stream's rows, clip coordinates and flags. Out: vertex numbers, the new
vertices appended to the stream. An edge is always cut from its inner vertex to its outer one, so
both triangles that share it get the same new vertex, to the last bit. Smooth varyings are
interpolated in clip space, flat ones copied from the provoking vertex, noperspective ones
interpolated by the position in the window. A polygon with a vertex that is no number, or that has
no positive w after clipping, is dropped. One triangle at a time: clipping is rare, since x and y
of triangles are clipped at the guard band. Counterpart of Mesa's draw_pipe_clip.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.layout import CLIP_DISTANCES
from pipe_llvm.draw.prim import begins
from pipe_llvm.draw.prims import Made, Prims
from pipe_llvm.draw.space import View
from pipe_llvm.native import CLIP_W, PLAN_BOXES, PRIM_BACK, LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u16, u32, u64, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Operand, Pointer, Value

F32X16 = f32.vec(16)
MAX_CORNERS = 24  # 3 and one more for each of 14 planes, with room
SPARE = 64  # rows that must be free before a primitive is clipped or widened
_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
_MAKES = (*_STATE, ptr(Made))


def clip_index(number: Any) -> Any:
    """Where a vertex' clip x lies among a stream's, or those of several vertices."""
    return (number >> 4) * 64 + (number & 15)


def clip_of(clips: Any, number: Any) -> Any:
    """clip_place, of a stream's clip coordinates: for loops that have read them before."""
    return clips + clip_index(number)


def row_of(b: Builder, rows: Pointer, row_bytes: Any, number: Any) -> Pointer:
    """row_place, of a stream's rows and their size (u64), likewise."""
    return b.bytes_from(rows, b.cast(number, u64) * row_bytes, f32)


def clip_place(b: Builder, lp: LpContext, number: Operand) -> Pointer:
    """Where a vertex' clip x lies; y, z, w follow 16 floats apart each."""
    return clip_of(lp.stream.clip, number)


def clip_coordinates(b: Builder, lp: LpContext, number: Operand) -> list[Any]:
    place = clip_place(b, lp, number)
    return [place[16 * n] for n in range(4)]


def row_place(b: Builder, lp: LpContext, plan: LpPlan, number: Any) -> Any:
    """A vertex row."""
    return row_of(b, lp.stream.rows, b.cast(plan.row_bytes, u64), number)


def blend_rows(b: Builder, lp: LpContext, plan: LpPlan, ends: tuple[Any, Any],
               factors: tuple[Any, Any], provoking: Any, targets: Sequence[Any],
               plain: int = 0) -> None:  # fmt: skip
    """Rows `targets` = first + factor * (second - first), 16 floats at a time.

    factors: of smooth floats, and of those that are linear in the window (`plain`: bits of the
    first 16 floats that are so besides the plan's); flat floats come from `provoking`."""
    first, second, flat_row = (row_place(b, lp, plan, n) for n in (*ends, provoking))
    outs = [row_place(b, lp, plan, n) for n in targets]
    flat, linear = plan.primitive.flat.cast(ptr(u16)), plan.primitive.noperspective.cast(ptr(u16))
    with b.For(b.const(u32, 0), plan.row_bytes >> 6) as chunk:
        at = chunk * 16
        one, two = ((row + at).load(F32X16, align=64) for row in (first, second))
        step = two - one
        bits = linear[chunk]
        if plain:
            bits = b.select(chunk == 0, bits | plain, bits)
        factor = b.select(b.mask_of(bits), b.splat(factors[1], 16), b.splat(factors[0], 16))
        value = one + factor * step
        kept = (flat_row + at).load(F32X16, align=64)
        value = b.select(b.mask_of(flat[chunk]), kept, value)
        for out in outs:
            (out + at).store(value, align=64)


def new_row(b: Builder, lp: LpContext, made: Made) -> Value:
    """The number of a vertex that may be written, within all planes."""
    number = made.free
    made.free = number + 1
    lp.stream.flags[number] = 0
    return number


@kernel(ret=u32, args=(*_MAKES, u32, u32, f32, u32), name="lp_cut_edge", noinline=True)
def cut_edge(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, inner: Value,
             outer: Value, t: Value, provoking: Value) -> None:  # fmt: skip
    """A new vertex at inner + t * (outer - inner); its number."""
    number = new_row(b, lp, made)
    p, q = clip_coordinates(b, lp, inner), clip_coordinates(b, lp, outer)
    pos = [x + t * (y - x) for x, y in zip(p, q, strict=True)]
    place = clip_place(b, lp, number)
    for n in range(4):
        place[16 * n] = pos[n]
    # how far the new vertex is from inner to outer in the window, where outer has a place there
    share = b.select(q[3] > 0.0, t * q[3] / pos[3], t)
    blend_rows(b, lp, plan, (inner, outer), (t, share), provoking, [number])
    row = row_place(b, lp, plan, number)
    for n, value in enumerate(View(b, dyn).project(pos)):
        row[n] = value
    b.Return(number)


def _plane_table(b: Builder, dyn: PipeDynamic) -> Pointer:
    """The six frustum planes as x, y, z, w factors, in the order of their flag bits.

    The sums have the bits of View.distances: products with 0 change nothing."""
    view = View(b, dyn)
    sides: list[list[Any]] = [
        [view.scale[0], 0.0, 0.0, view.low[0]],
        [-view.scale[0], 0.0, 0.0, view.high[0]],
        [0.0, view.scale[1], 0.0, view.low[1]],
        [0.0, -view.scale[1], 0.0, view.high[1]],
    ]
    return _table(b, sides, view.near)


def _view_volume_table(b: Builder, dyn: PipeDynamic) -> Pointer:
    """The same with the sides of the view volume itself, where lines end."""
    near = View(b, dyn).near
    return _table(b, [[1.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 1.0],
                      [0.0, 1.0, 0.0, 1.0], [0.0, -1.0, 0.0, 1.0]], near)  # fmt: skip


def _table(b: Builder, sides: list[list[Any]], near: Value) -> Pointer:
    """Four sides, near and far as a table."""
    table = b.array(f32, 24)
    for n, plane in enumerate([*sides, [0.0, 0.0, 1.0, near], [0.0, 0.0, -1.0, 1.0]]):
        for c, factor in enumerate(plane):
            table[4 * n + c] = factor
    return table


def _distance(b: Builder, lp: LpContext, plan: LpPlan, table: Pointer, plane: Any,
              number: Operand) -> Value:  # fmt: skip
    """Of a vertex from plane `plane` (bit number of its flag); inside is >= 0."""
    out = b.var(f32)
    with b.If(plane < 6):
        x, y, z, w = clip_coordinates(b, lp, number)
        factors = table + plane * 4
        out.value = x * factors[0] + y * factors[1] + z * factors[2] + w * factors[3]
    with b.Else():
        out.value = row_place(b, lp, plan, number)[plane - 6 + CLIP_DISTANCES]
    return out.value


def _wild(b: Builder, x: Value) -> Value:
    """Not a finite number."""
    return ~(b.abs(x) < float("inf"))


def clip_polygon(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
                 corners: Any, planes: Any, provoking: Any,
                 bounds: Any = None) -> Value:  # fmt: skip
    """Clip the three `corners` (room for MAX_CORNERS) in place; their new number. Leaves the kernel
    that is traced if nothing is left.

    bounds: for each corner, whether the edge that begins there is drawn (polygon modes): then the
    view volume itself clips, not the guard band, because its cuts make corners. Edges along user
    planes are drawn, those along the view volume are not, as the peer has it."""
    table = _plane_table(b, dyn) if bounds is None else _view_volume_table(b, dyn)
    cut = b.array(u32, MAX_CORNERS + 1)
    cut_bounds = None if bounds is None else b.array(u32, MAX_CORNERS + 1)
    distance = b.array(f32, MAX_CORNERS + 1)
    count = b.var(u32, 3)
    rest = b.var(u32, planes & (CLIP_W - 1))
    with b.While(lambda: rest.value != 0):
        plane = b.ctz(rest.value)
        rest.value = rest.value & (rest.value - 1)
        with b.For(b.const(u32, 0), count.value) as i:
            d = _distance(b, lp, plan, table, plane, corners[i])
            with b.If(_wild(b, d)):
                b.Return()
            distance[i] = d
        kept = b.var(u32, 0)
        n = count.value
        with b.For(b.const(u32, 0), n) as i:
            j = b.select(i + 1 == n, 0, i + 1)
            here, there = distance[i], distance[j]
            with b.If(here >= 0.0):
                cut[kept.value] = corners[i]
                if cut_bounds is not None:
                    cut_bounds[kept.value] = bounds[i]
                kept.value = kept.value + 1
            with b.If((here >= 0.0) != (there >= 0.0)):
                leaving = here >= 0.0
                inner = b.select(leaving, corners[i], corners[j])
                outer = b.select(leaving, corners[j], corners[i])
                near, far = b.select(leaving, here, there), b.select(leaving, there, here)
                t = near / (near - far)
                cut[kept.value] = b.call(cut_edge, lp, plan, dyn, made, inner, outer, t, provoking)
                if cut_bounds is not None:
                    along = b.cast(plane >= 6, u32)
                    cut_bounds[kept.value] = b.select(leaving, along, bounds[i])
                kept.value = kept.value + 1
        count.value = kept.value
        with b.If((kept.value < 3) | (kept.value > MAX_CORNERS - 2)):
            b.Return()
        with b.For(b.const(u32, 0), kept.value) as i:
            corners[i] = cut[i]
            if cut_bounds is not None:
                bounds[i] = cut_bounds[i]
    n = count.value
    with b.For(b.const(u32, 0), n) as i:
        with b.If(~(clip_coordinates(b, lp, corners[i])[3] > 0.0)):
            b.Return()
    return n


@kernel(ret=void, args=(*_MAKES, u32, u32, u32, u32), name="lp_clip_triangle", noinline=True)
def clip_triangle(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, v0: Value,
                  v1: Value, v2: Value, planes: Value) -> None:  # fmt: skip
    """Clip one triangle against the planes of its flags; append what is left."""
    corners = b.array(u32, MAX_CORNERS + 1)
    for n, v in enumerate((v2, v0, v1)):  # the provoking vertex first: triangles will share it
        corners[n] = v
    count = clip_polygon(b, lp, plan, dyn, made, corners, planes, v2)
    append_fan(b, made, corners, count)


def append_fan(b: Builder, made: Made, corners: Any, count: Any, shared: Any = 0) -> None:
    """Append the triangles of a convex polygon that share one corner."""

    def corner(i: Value) -> Value:
        at = i + shared
        return corners[b.select(at >= count, at - count, at)]

    with b.For(b.const(u32, 1), count - 1) as i:
        append(b, made, corner(i), corner(i + 1), corners[shared])


def append(b: Builder, made: Made, *numbers: Any) -> None:
    """One more triangle."""
    at = made.count
    for name, number in zip(("w0", "w1", "w2"), numbers, strict=True):
        getattr(made, name)[at] = number
    made.polygons[at] = made.polygon
    made.count = at + 1


def append_two(b: Builder, made: Made, corners: list[Any]) -> None:
    """The triangles of a quadrilateral whose corners are given around."""
    append(b, made, corners[0], corners[1], corners[2])
    append(b, made, corners[0], corners[2], corners[3])


def makes(b: Builder, lp: LpContext, prims: Prims, prim: int) -> Made:
    """Emit: where a link begins to make `prim` of primitives; it ends with `made_all`."""
    made, stream = b.array(Made, 1), lp.stream
    made.w0, made.w1, made.w2, made.polygons = stream.w0, stream.w1, stream.w2, stream.polygons
    made.count, made.prim, made.free = 0, prim, prims.free
    made.polygon, made.stipple = lp.polygon, lp.stipple_count
    return made


def made_all(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made) -> None:
    """Emit: setup gets the rest, and the next chunk or draw goes on counting from here."""
    b.call(hand_over, lp, plan, dyn, made, made.free, 0)
    lp.polygon, lp.stipple_count = made.polygon, made.stipple


@kernel(ret=void, args=(*_MAKES, u32, u32), name="lp_hand_over", noinline=True)
def hand_over(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made,
              first_free: Value, room: Value) -> None:  # fmt: skip
    """Give w0, w1, w2 to setup (w0 to `points`), unless there is room for `room` more vertices.

    Afterwards the appended vertices are free again: setup has read what it needs."""
    stream, prim, count = lp.stream, made.prim, made.count
    full = (made.free + room > stream.capacity) | (count + room > stream.index_capacity)
    with b.If((room != 0) & ~full):
        b.Return()
    with b.If(count != 0):
        w0, w1, w2 = made.w0, made.w1, made.w2
        for place in (w0, w1, w2):
            (place + count).store(b.const(u32.vec(16), 0))
        boxes = ((prim & ~PRIM_BACK) == 0) & ((plan.flags & PLAN_BOXES) != 0)
        with b.If(boxes, likely=False):
            plan.points(lp, plan, dyn, w0, count, prim)
        with b.Else():
            plan.setup(lp, plan, dyn, w0, w1, w2, count, prim)
    made.count = 0
    made.free = first_free


def begin_polygon(b: Builder, made: Made, begins: Value) -> None:
    """Emit: what is appended from here on is another polygon's, if this triangle `begins` it."""
    made.polygon = b.select(begins, (made.polygon + 1) | 1 << 31, made.polygon)


@kernel(ret=void, args=(*_STATE, ptr(Prims)), name="lp_clip_triangles", noinline=True)
def clip_triangles(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """v0, v1, v2 -> w0, w1, w2 -> setup; in order, without what is wholly outside."""
    stream, corners = lp.stream, [prims.v0, prims.v1, prims.v2]
    mode, prim_flags, first_free = prims.mode, prims.flags, prims.free
    made = makes(b, lp, prims, 2)
    with b.For(b.const(u32, 0), prims.count) as i:
        numbers = [place[i] for place in corners]
        flags = [stream.flags[n] for n in numbers]
        either = flags[0] | flags[1] | flags[2]
        common = flags[0] & flags[1] & flags[2]
        begin_polygon(b, made, begins(mode, i, prim_flags))
        with b.If(common == 0):
            with b.If(either == 0, likely=True):
                append(b, made, *numbers)
            with b.Else():
                b.call(clip_triangle, lp, plan, dyn, made, *numbers, either)
            b.call(hand_over, lp, plan, dyn, made, first_free, SPARE)
    made_all(b, lp, plan, dyn, made)


@kernel(ret=u32, args=(*_MAKES, ptr(u32), u32, u32), name="lp_clip_line", noinline=True)
def clip_line(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, made: Made, ends: Pointer,
              provoking: Value, planes: Value) -> None:  # fmt: skip
    """Replace the ends of a line (two numbers at `ends`) by its visible part; 0: there is none.

    The sides are the view volume's, not the guard band's: a wide line reaches half its width
    beyond its ends, so it shows where it is clipped (and not at all where it lies outside)."""
    table = _view_volume_table(b, dyn)
    rest = b.var(u32, planes & (CLIP_W - 1))
    with b.While(lambda: rest.value != 0):
        plane = b.ctz(rest.value)
        rest.value = rest.value & (rest.value - 1)
        here = _distance(b, lp, plan, table, plane, ends[0])
        there = _distance(b, lp, plan, table, plane, ends[1])
        with b.If(_wild(b, here) | _wild(b, there) | ((here < 0.0) & (there < 0.0))):
            b.Return(0)
        with b.If(here < 0.0):
            t = there / (there - here)
            ends[0] = b.call(cut_edge, lp, plan, dyn, made, ends[1], ends[0], t, provoking)
        with b.If(there < 0.0):
            t = here / (here - there)
            ends[1] = b.call(cut_edge, lp, plan, dyn, made, ends[0], ends[1], t, provoking)
    w = [clip_coordinates(b, lp, ends[n])[3] for n in range(2)]
    b.Return(b.cast((w[0] > 0.0) & (w[1] > 0.0), u32))
