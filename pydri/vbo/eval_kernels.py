# SPDX-License-Identifier: MIT
"""Evaluators as kernels: maps, grids, points and meshes (GL 2.1, 5.1).

In: control points (glMap), a grid (glMapGrid, which lies in `raw` for glGet and the attribute
stacks), domain coordinates. Out: attributes and vertices of immediate mode; afterwards current
values are what they were, because a vertex alone gets what was evaluated for it. Control points lie
in the context's EvalBlock, four floats each. A surface is evaluated in two steps: `eval_row` folds
the control points of every map that is on over v, once for a row of a mesh; `eval_point` sums over
u. Bernstein weights and sums are in double precision and rounded once, in a fixed order.
Counterpart of Mesa's main/eval.c, math/m_eval.c and vbo_exec_eval.c.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit.kernel import kernel
from pydri.jit.types import boolean, f32, f64, i32, i64, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, error_if, native, native_as
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR_INDEX,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_TEX0,
)
from pydri.vbo.core import V4, value_place, vbo_attr, vbo_begin, vbo_end, vbo_vertex
from pydri.vbo.native import (
    LINE_STRIP,
    MAP_SIZES,
    MAX_ORDER,
    POINTS,
    QUAD_STRIP,
    TRIANGLE_STRIP,
    EvalBlock,
    EvalMap,
    EvalPlan,
    EvalRole,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

D4 = f64.vec(4)
COLOR, INDEX, NORMAL, TEXTURE_1, VERTEX_3, VERTEX_4 = 0, 1, 2, 3, 7, 8
MAP_COUNT = len(MAP_SIZES)
MAX_POINTS = 1 << 24  # of a mesh; who asks for more made a mistake, and would wait for minutes
POSITION = 0xFFFFFFFF  # EvalRole.slot of what becomes the vertex
_SAVED = (VERT_ATTRIB_COLOR0, VERT_ATTRIB_COLOR_INDEX, VERT_ATTRIB_NORMAL, VERT_ATTRIB_TEX0)
_PLAN = ptr(EvalPlan)


def _maps(ctx: Any, two: int) -> Any:
    """The maps of curves, or of surfaces."""
    block = ctx.evaluators.cast(ptr(EvalBlock))
    return block.addr("maps").cast(ptr(EvalMap)) + two * MAP_COUNT


# -- polynomials -----------------------------------------------------------------------------------


@kernel(void, (u32, f64, ptr(f64)), noinline=True)
def eval_weights(b: Any, order: Value, t: Value, out: Pointer) -> None:
    """The weights of `order` control points at t."""
    binomials = [comb(n, k) for n in range(MAX_ORDER) for k in range(n + 1)]
    row = b.table(u32, binomials) + ((order - 1) * order >> 1)
    power = b.var(f64, 1.0)
    with b.For(b.const(u32, 0), order) as k:
        out[k] = b.cast(row[k], f64) * power.value
        power.value = power.value * t
    rest = 1.0 - t
    power.value = b.const(f64, 1.0)
    k = b.var(u32, order)
    with b.While(lambda: k.value != 0):
        k.value = k.value - 1
        out[k.value] = out[k.value] * power.value
        power.value = power.value * rest


@kernel(void, (u32, f64, ptr(f64)), noinline=True)
def eval_slopes(b: Builder, order: Value, t: Value, out: Pointer) -> None:
    """The derivatives of the weights at t, from those of the order below (order + 1 cells)."""
    out[0] = b.const(f64, 0.0)
    with b.If(order == 1):
        b.Return()
    b.call(eval_weights, order - 1, t, out + 1)
    degree = b.cast(order - 1, f64)
    out[order] = b.const(f64, 0.0)
    with b.For(b.const(u32, 0), order) as k:
        out[k] = (out[k] - out[k + 1]) * degree


@kernel(void, (ptr(EvalMap), ptr(f64), ptr(f64)), noinline=True)
def eval_fold(b: Builder, map_: EvalMap, weights: Pointer, out: Pointer) -> None:
    """Sum a map's control points over v: `uorder` points of four doubles."""
    points, uorder, vorder = map_.points, map_.uorder, map_.vorder
    with b.For(b.const(u32, 0), uorder) as u:
        total = b.var(D4, b.const(D4, 0.0))
        with b.For(b.const(u32, 0), vorder) as v:
            point = (points + (v * uorder + u) * 4).load(V4)
            total.value = total.value + b.splat(weights[v], 4) * b.cast(point, D4)
        (out + u * 4).store(total.value)


def _sum(b: Builder, row: Any, order: Any, weights: Any) -> Any:
    """The sum over u of a folded row."""
    total = b.var(D4, b.const(D4, 0.0))
    with b.For(b.const(u32, 0), order) as u:
        total.value = total.value + b.splat(weights[u], 4) * (row + u * 4).load(D4)
    return total.value


def _inner(b: Builder, map_: Any, first: int, x: Value) -> Any:
    """A coordinate within a map's domain: 0 at one end, 1 at the other."""
    low, high = (b.cast(map_.domain[first + n], f64) for n in range(2))
    return (x - low) / (high - low)


# -- what is evaluated -----------------------------------------------------------------------------


@kernel(boolean, (CTX, _PLAN, u32), noinline=True)
def eval_plan(b: Builder, ctx: GLContext, plan: EvalPlan, two: Value) -> None:
    """Which maps are on and whose attributes they give; whether there is a position. Of texture
    maps the one with most components counts, of positions the one with w."""
    raw = ctx.raw
    maps = _maps(ctx, 0) + b.select(two != 0, b.const(u32, MAP_COUNT), 0)
    count = b.var(u32, 0)

    def on(number: int) -> Any:
        return b.select(two != 0, raw.map2_enabled[number], raw.map1_enabled[number]) != 0

    def role(slot: int, number: int) -> None:
        at = plan.addr("roles").cast(ptr(EvalRole)) + count.value
        at.map, at.slot, at.number = maps + number, slot, number
        count.value = count.value + 1

    for slot, number in ((VERT_ATTRIB_COLOR0, COLOR), (VERT_ATTRIB_COLOR_INDEX, INDEX),
                         (VERT_ATTRIB_NORMAL, NORMAL)):  # fmt: skip
        with b.If(on(number)):
            role(slot, number)
    taken = b.var(u32, 0)
    for slot, numbers in ((VERT_ATTRIB_TEX0, range(TEXTURE_1 + 3, TEXTURE_1 - 1, -1)),
                          (POSITION, (VERTEX_4, VERTEX_3))):  # fmt: skip
        taken.value = b.const(u32, 0)
        for number in numbers:
            with b.If((taken.value == 0) & on(number)):
                role(slot, number)
                taken.value = b.const(u32, 1)
    plan.count = count.value
    plan.normals = b.cast((taken.value != 0) & (two != 0) & (raw.auto_normal != 0), u32)
    for n, slot in enumerate(_SAVED):
        (plan.before + 4 * n).store(value_place(b, ctx, slot).load(V4))
    b.Return(taken.value != 0)


@kernel(void, (_PLAN, f64), noinline=True)
def eval_row(b: Builder, plan: EvalPlan, v: Value) -> None:
    """Fold every map at v."""
    weights = b.array(f64, MAX_ORDER + 2)
    roles = plan.addr("roles").cast(ptr(EvalRole))
    with b.For(b.const(u32, 0), plan.count) as n:
        role = roles + n
        map_ = role.map
        t = _inner(b, map_, 2, v)
        b.call(eval_weights, map_.vorder, t, weights)
        b.call(eval_fold, map_, weights, role.row)
        with b.If((role.slot == POSITION) & (plan.normals != 0)):
            b.call(eval_slopes, map_.vorder, t, weights)
            b.call(eval_fold, map_, weights, plan.slope_row)


def _normal(b: Builder, plan: Any, role: Any, t: Any, weights: Any, point: Any) -> Pointer:
    """The unit normal of a surface of positions: the product of its two slopes. With w, the slopes
    of x / w are wanted; a positive factor (w squared twice) goes with the length."""
    map_ = role.map
    order = map_.uorder
    slopes = b.array(f64, MAX_ORDER + 2)
    b.call(eval_slopes, order, t, slopes)
    du = b.var(D4, _sum(b, role.row, order, slopes))
    dv = b.var(D4, _sum(b, plan.slope_row, order, weights))
    with b.If(role.number == VERTEX_4):
        w = b.splat(point[3], 4)
        for slope in (du, dv):
            slope.value = slope.value * w - point * b.splat(slope.value[3], 4)
    domain = map_.domain
    same = (domain[1] > domain[0]) == (domain[3] > domain[2])
    sign = b.select(same, b.const(f64, 1.0), -1.0)

    def turn(x: Any, lanes: list[int]) -> Any:
        return b.shuffle(x, None, lanes)

    left = turn(du.value, [1, 2, 0, 3]) * turn(dv.value, [2, 0, 1, 3])
    across = (left - turn(du.value, [2, 0, 1, 3]) * turn(dv.value, [1, 2, 0, 3])) * b.splat(sign, 4)
    square = across * across
    length = b.sqrt(square[0] + square[1] + square[2])
    return across / b.splat(b.select(length > 0.0, length, 1.0), 4)


@kernel(void, (CTX, _PLAN, f64), noinline=True)
def eval_point(b: Builder, ctx: GLContext, plan: EvalPlan, u: Value) -> None:
    """Set what the maps give at u of the folded row; the position makes the vertex."""
    weights = b.array(f64, MAX_ORDER + 2)
    roles = plan.addr("roles").cast(ptr(EvalRole))
    known_order, known_t = b.var(u32, 0), b.var(f64, 0.0)
    lanes, ends = b.iota(u32.vec(4)), b.const(V4, [0.0, 0.0, 0.0, 1.0])
    with b.For(b.const(u32, 0), plan.count) as n:
        role = roles + n
        map_ = role.map
        t, order = _inner(b, map_, 0, u), map_.uorder
        with b.If((order != known_order.value) | (t != known_t.value)):
            b.call(eval_weights, order, t, weights)
            known_order.value, known_t.value = order, t
        point = _sum(b, role.row, order, weights)
        size = b.table(u32, list(MAP_SIZES))[role.number]
        value = b.select(lanes < b.splat(size, 4), b.cast(point, V4), ends)
        with b.If(role.slot != POSITION):
            b.call(vbo_attr, ctx, role.slot, value)
        with b.Else():
            with b.If(plan.normals != 0):
                normal = b.cast(_normal(b, plan, role, t, weights, point), V4)
                xyz = b.shuffle(normal, ends, [0, 1, 2, 7])
                b.call(vbo_attr, ctx, VERT_ATTRIB_NORMAL, xyz)
            b.call(vbo_vertex, ctx, value)


@kernel(void, (CTX, _PLAN), noinline=True)
def eval_restore(b: Any, ctx: GLContext, plan: EvalPlan) -> None:
    """Current values as they were when the plan was made."""
    roles = plan.addr("roles").cast(ptr(EvalRole))
    changed = b.var(u32, b.select(plan.normals != 0, b.const(u32, 1 << VERT_ATTRIB_NORMAL), 0))
    with b.For(b.const(u32, 0), plan.count) as n:
        with b.If((roles + n).slot != POSITION):
            changed.value = changed.value | (b.const(u32, 1) << (roles + n).slot)
    for n, slot in enumerate(_SAVED):
        with b.If((changed.value & (1 << slot)) != 0):
            b.call(vbo_attr, ctx, slot, (plan.before + 4 * n).load(V4))


# -- points ----------------------------------------------------------------------------------------


@kernel(void, (CTX, f64, f64, u32), noinline=True)
def eval_coord(b: Builder, ctx: GLContext, u: Value, v: Value, two: Value) -> None:
    """glEvalCoord."""
    plan = b.array(EvalPlan, 1, align=64)
    b.call(eval_plan, ctx, plan, two)
    b.call(eval_row, plan, v)
    b.call(eval_point, ctx, plan, u)
    b.call(eval_restore, ctx, plan)


def _grid(b: Builder, domain: Value, first: int, segments: Operand, i: Any) -> Value:
    """Coordinate of a grid point; both ends are met exactly (GL 2.1, 5.1)."""
    low, high = (b.cast(domain[first + n], f64) for n in range(2))
    step = (high - low) / b.cast(segments, f64)
    return b.select(i == b.cast(segments, i64), high, low + b.cast(i, f64) * step)


def _grid_u(b: Builder, raw: Any, i: Any) -> Value:
    return _grid(b, raw.map2_domain, 0, raw.map2_segments[0], i)


def _grid_v(b: Builder, raw: Any, j: Any) -> Value:
    return _grid(b, raw.map2_domain, 2, raw.map2_segments[1], j)


def _coords(two: bool, vector: bool) -> Any:
    def body(b: Builder, ctx: GLContext, *args: Any) -> None:
        numbers = [args[0][n] for n in range(2 if two else 1)] if vector else list(args)
        u, v = (b.cast(numbers[n], f64) if n < len(numbers) else b.const(f64, 0.0) for n in (0, 1))
        b.call(eval_coord, ctx, u, v, int(two))

    return body


for _two in (False, True):
    for _type in "fd":
        for _v in ("", "v"):
            native_as(f"glEvalCoord{1 + _two}{_type}{_v}", _coords(_two, bool(_v)))


@native
def glEvalPoint1(b: Builder, ctx: GLContext, i: Value) -> None:
    raw = ctx.raw
    u = _grid(b, raw.map1_domain, 0, raw.map1_segments, b.cast(i, i64))
    b.call(eval_coord, ctx, u, 0.0, 0)


@native
def glEvalPoint2(b: Builder, ctx: GLContext, i: Value, j: Value) -> None:
    u, v = _grid_u(b, ctx.raw, b.cast(i, i64)), _grid_v(b, ctx.raw, b.cast(j, i64))
    b.call(eval_coord, ctx, u, v, 1)


# -- meshes ----------------------------------------------------------------------------------------


@kernel(void, (CTX, u32, i32, i32), noinline=True)
def eval_mesh1(b: Builder, ctx: GLContext, mode: Value, i1: Value, i2: Value) -> None:
    """glEvalMesh1 with a primitive of points or a strip."""
    plan, raw = b.array(EvalPlan, 1, align=64), ctx.raw
    with b.If(~b.call(eval_plan, ctx, plan, 0)):
        b.Return()  # without positions there are no vertices
    b.call(eval_row, plan, 0.0)
    b.call(vbo_begin, ctx, mode)
    with b.For(b.cast(i1, i64), b.cast(i2, i64) + 1) as i:
        b.call(eval_point, ctx, plan, _grid(b, raw.map1_domain, 0, raw.map1_segments, i))
    b.call(vbo_end, ctx)
    b.call(eval_restore, ctx, plan)


@kernel(u32, (CTX,), noinline=True)
def eval_strip(b: Builder, ctx: GLContext) -> None:
    """A mesh consists of quadrilaterals (GL 2.1, 5.1). Where nobody can tell, that is if they are
    filled and smooth, they are cut into triangles as the peer cuts them."""
    key = ctx.key
    filled = (key.polygon_front == gl.GL_FILL) & (key.polygon_back == gl.GL_FILL)
    plain = filled & (key.shade_model == gl.GL_SMOOTH) & (key.render_mode == 0)
    b.Return(b.select(plain, b.const(u32, TRIANGLE_STRIP), QUAD_STRIP))


@kernel(void, (CTX, u32, i32, i32, i32, i32), noinline=True)
def eval_mesh2(b: Builder, ctx: GLContext, mode: Value, i1: Value, i2: Value, j1: Value,
               j2: Value) -> None:  # fmt: skip
    """glEvalMesh2 with a valid mode."""
    plans, raw = b.array(EvalPlan, 2, align=64), ctx.raw
    with b.If(~b.call(eval_plan, ctx, plans, 1)):
        b.Return()
    begin, end = b.cast(i1, i64), b.cast(i2, i64) + 1
    first, last = b.cast(j1, i64), b.cast(j2, i64) + 1

    def point(plan: Any, i: Any) -> None:
        b.call(eval_point, ctx, plan, _grid_u(b, raw, i))

    with b.If(mode == gl.GL_FILL):
        strip = b.call(eval_strip, ctx)
        b.call(eval_plan, ctx, plans + 1, 1)
        below, above = b.var(_PLAN, plans), b.var(_PLAN, plans + 1)
        b.call(eval_row, below.value, _grid_v(b, raw, first))
        with b.For(first + 1, last) as j:
            b.call(eval_row, above.value, _grid_v(b, raw, j))
            b.call(vbo_begin, ctx, strip)
            with b.For(begin, end) as i:
                point(below.value, i)
                point(above.value, i)
            b.call(vbo_end, ctx)
            below.value, above.value = above.value, below.value
    with b.Else():
        lines = mode == gl.GL_LINE
        with b.If(~lines):
            b.call(vbo_begin, ctx, POINTS)
        with b.For(first, last) as j:
            b.call(eval_row, plans, _grid_v(b, raw, j))
            with b.If(lines):
                b.call(vbo_begin, ctx, LINE_STRIP)
            with b.For(begin, end) as i:
                point(plans, i)
            with b.If(lines):
                b.call(vbo_end, ctx)
        with b.If(~lines):
            b.call(vbo_end, ctx)
        with b.If(lines), b.For(begin, end) as i:
            b.call(vbo_begin, ctx, LINE_STRIP)
            with b.For(first, last) as j:
                b.call(eval_row, plans, _grid_v(b, raw, j))
                point(plans, i)
            b.call(vbo_end, ctx)
    b.call(eval_restore, ctx, plans)


def _extent(b: Builder, low: Value, high: Value) -> Value:
    """Grid points from one to the other (below 2^32, so that products fit u64)."""
    count = b.cast(high, i64) - b.cast(low, i64) + 1
    return b.cast(b.max(count, 0), u64)


@native
def glEvalMesh1(b: Builder, ctx: GLContext, mode: Value, i1: Value, i2: Value) -> None:
    error_if(b, ctx, (mode != gl.GL_POINT) & (mode != gl.GL_LINE), gl.GL_INVALID_ENUM)
    error_if(b, ctx, _extent(b, i1, i2) > MAX_POINTS, gl.GL_OUT_OF_MEMORY)
    kind = b.select(mode == gl.GL_POINT, b.const(u32, POINTS), LINE_STRIP)
    b.call(eval_mesh1, ctx, kind, i1, i2)


@native
def glEvalMesh2(b: Builder, ctx: GLContext, mode: Value, i1: Value, i2: Value, j1: Value,
                j2: Value) -> None:  # fmt: skip
    error_if(b, ctx, mode - gl.GL_POINT > 2, gl.GL_INVALID_ENUM)
    points = _extent(b, i1, i2) * _extent(b, j1, j2)
    error_if(b, ctx, points > MAX_POINTS, gl.GL_OUT_OF_MEMORY)
    b.call(eval_mesh2, ctx, mode, i1, i2, j1, j2)


# -- grids and maps --------------------------------------------------------------------------------


def _map_grid1(b: Builder, ctx: GLContext, un: Value, u1: Value, u2: Value) -> None:
    error_if(b, ctx, un < 1, gl.GL_INVALID_VALUE)
    raw = ctx.raw
    raw.map1_segments = un
    for n, x in enumerate((u1, u2)):
        raw.map1_domain[n] = b.cast(x, f32)


def _map_grid2(b: Builder, ctx: GLContext, un: Value, u1: Value, u2: Value, vn: Value, v1: Value,
               v2: Value) -> None:  # fmt: skip
    error_if(b, ctx, (un < 1) | (vn < 1), gl.GL_INVALID_VALUE)
    raw = ctx.raw
    raw.map2_segments[0], raw.map2_segments[1] = un, vn
    for n, x in enumerate((u1, u2, v1, v2)):
        raw.map2_domain[n] = b.cast(x, f32)


@kernel(
    void,
    (CTX, u32, u32, f32, f32, i32, i32, f32, f32, i32, i32, ptr(u8), u32, u32),
    noinline=True,
)
def eval_map(b: Any, ctx: GLContext, target: Value, first: Value, u1: Value, u2: Value,
             ustride: Value, uorder: Value, v1: Value, v2: Value, vstride: Value, vorder: Value,
             points: Pointer, doubles: Value, where: Value) -> None:  # fmt: skip
    """glMap1 and glMap2: keep the control points. Strides count numbers."""
    b.gl_slot = where
    number = target - first
    empty = (u1 == u2) | (v1 == v2)
    orders = (uorder < 1) | (uorder > MAX_ORDER) | (vorder < 1) | (vorder > MAX_ORDER)
    nothing = b.ptr_to_int(points) == 0
    error_if(b, ctx, empty | orders | nothing, gl.GL_INVALID_VALUE)
    error_if(b, ctx, number >= MAP_COUNT, gl.GL_INVALID_ENUM)
    size = b.table(u32, list(MAP_SIZES))[number]
    short = b.cast(size, i32)
    error_if(b, ctx, (ustride < short) | (vstride < short), gl.GL_INVALID_VALUE)
    error_if(b, ctx, ctx.raw.active_texture != 0, gl.GL_INVALID_OPERATION)
    two = b.select(first == gl.GL_MAP2_COLOR_4, b.const(u32, MAP_COUNT), 0)
    map_ = _maps(ctx, 0) + (two + number)
    map_.uorder, map_.vorder = b.cast(uorder, u32), b.cast(vorder, u32)
    for n, x in enumerate((u1, u2, v1, v2)):
        map_.domain[n] = x
    out = b.var(ptr(f32), map_.points)
    with b.For(b.const(i32, 0), vorder) as v:
        with b.For(b.const(i32, 0), uorder) as u:
            at = b.cast(v, i64) * b.cast(vstride, i64) + b.cast(u, i64) * b.cast(ustride, i64)
            out.value.store(b.const(V4, [0.0, 0.0, 0.0, 1.0]))
            with b.For(b.const(u32, 0), size) as c:
                place = at + b.cast(c, i64)
                with b.If(doubles != 0):
                    number64 = (points.cast(ptr(f64)) + place).load(f64, align=4)
                    out.value[c] = b.cast(number64, f32)
                with b.Else():
                    out.value[c] = (points.cast(ptr(f32)) + place).load(f32, align=4)
            out.value = out.value + 4


def _map1(b: Any, ctx: GLContext, target: Value, u1: Value, u2: Value, stride: Value, order: Any,
          points: Pointer) -> None:  # fmt: skip
    doubles = int(u1.ty is f64)
    ends = [b.cast(x, f32) for x in (u1, u2)]
    b.call(eval_map, ctx, target, gl.GL_MAP1_COLOR_4, *ends, stride, order, 0.0, 1.0, 4, 1,
           points.cast(ptr(u8)), doubles, b.gl_slot)  # fmt: skip


def _map2(b: Any, ctx: GLContext, target: Value, u1: Value, u2: Value, ustride: Value, uorder: Any,
          v1: Value, v2: Value, vstride: Value, vorder: Value,
          points: Pointer) -> None:  # fmt: skip
    doubles = int(u1.ty is f64)
    u, v = [b.cast(x, f32) for x in (u1, u2)], [b.cast(x, f32) for x in (v1, v2)]
    b.call(eval_map, ctx, target, gl.GL_MAP2_COLOR_4, *u, ustride, uorder, *v, vstride, vorder,
           points.cast(ptr(u8)), doubles, b.gl_slot)  # fmt: skip


for _type in "fd":
    native_as(f"glMapGrid1{_type}", _map_grid1)
    native_as(f"glMapGrid2{_type}", _map_grid2)
    native_as(f"glMap1{_type}", _map1)
    native_as(f"glMap2{_type}", _map2)

__all__ = ["eval_coord", "eval_map", "eval_mesh1", "eval_mesh2", "eval_plan", "eval_point"]
