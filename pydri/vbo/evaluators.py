# SPDX-License-Identifier: MIT
"""Evaluators: polynomial maps, grids, points and meshes (GL 2.1, 5.1).

In: control points (glMap), a grid (glMapGrid, which lies in the native context for glGet and the
attribute stacks), domain coordinates. Out: calls of the attribute and vertex kernels of immediate
mode, after which the attributes are set back to what they were, by the same kernels, because a
vertex must keep what was evaluated for it. The calls go through the context's own tables, never
through `dispatch`: a list that is being compiled and executed records the evaluation alone.

Bernstein sums are taken in double precision and rounded once. Python for each point: complete and
exact, but not what a frame should consist of; a mesh evaluates each grid point once, not once a
strip. Answers to Mesa's main/eval.c and vbo_exec_eval.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.api.gl_table import TABLE
from pydri.main.pointers import F32, F64, I32, address_of, store

MAX_ORDER = 30
_KEPT_MESHES, _KEPT_POINTS = 64, 10000
COLOR, INDEX, NORMAL, TEXTURE_1, VERTEX_3, VERTEX_4 = 0, 1, 2, 3, 7, 8
_TEXTURES = range(6, 2, -1)  # of the texture maps that are on, the one with most components counts

#: components and first value of each map, by target minus the first target of its kind
DEFAULTS: tuple[tuple[float, ...], ...] = (
    (1.0, 1.0, 1.0, 1.0),
    (1.0,),
    (0.0, 0.0, 1.0),
    (0.0,),
    (0.0, 0.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 1.0),
)
_SLOT_NORMAL, _SLOT_COLOR, _SLOT_INDEX, _SLOT_TEX0 = 1, 2, 5, 6
_SETTERS = {
    _SLOT_NORMAL: "glNormal3fv",
    _SLOT_COLOR: "glColor4fv",
    _SLOT_INDEX: "glIndexfv",
    _SLOT_TEX0: "glTexCoord4fv",
}
_BINOMIALS: dict[int, tuple[float, ...]] = {1: (1.0,)}

Vector = tuple[float, ...]


class Map(NamedTuple):
    """One map. A curve is a surface of order 1 in v. `points[v * uorder + u]`."""

    uorder: int
    vorder: int
    domain: tuple[float, float, float, float]
    points: tuple[Vector, ...]


class Evaluators:
    """The maps of a context, and the native functions that take what they yield."""

    def __init__(self, ctx: Any) -> None:
        self.curves = [Map(1, 1, (0.0, 1.0, 0.0, 1.0), (v,)) for v in DEFAULTS]
        self.surfaces = list(self.curves)
        #: points of meshes drawn before, by all they depend on but the maps; glMap2 empties it
        self.meshes: dict[Any, list[list[dict[int, Vector]]]] = {}
        n = ctx.n
        inside = (ctypes.c_uint64 * len(TABLE)).from_address(n.begin_end_table)
        outside = (ctypes.c_uint64 * len(TABLE)).from_address(n.exec_table)
        vector = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_void_p)
        slots = TABLE.slots
        self._set: dict[int, Any] = {
            slot: vector(inside[slots[name]]) for slot, name in _SETTERS.items()
        }
        self._vertex = {k: vector(inside[slots[f"glVertex{k}fv"]]) for k in (3, 4)}
        self._begin = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32)(
            outside[slots["glBegin"]]
        )
        self._end = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(inside[slots["glEnd"]])
        self._ctx = ctx.address
        self._four = (ctypes.c_float * 4)()

    def send(self, n: Any, points: Iterable[dict[int, Vector]]) -> None:
        """Points as vertices (-1 is the position), current values unchanged."""
        before = {slot: tuple(n.val.current[slot]) for slot in _SETTERS}
        four, ctx, changed = self._four, self._ctx, set()
        for point in points:
            for slot, value in point.items():
                if slot >= 0:
                    four[: len(value)] = list(value)
                    self._set[slot](ctx, four)
                    changed.add(slot)
            position = point.get(-1)
            if position is not None and n.vbo.begin_mode:
                four[: len(position)] = list(position)
                self._vertex[len(position)](ctx, four)
        for slot in sorted(changed):
            four[:] = list(before[slot])
            self._set[slot](ctx, four)

    def primitive(self, n: Any, mode: int, points: Iterable[dict[int, Vector]]) -> None:
        """glBegin, the points, glEnd; the table in use (a list may be compiling) stays."""
        table = n.dispatch
        self._begin(self._ctx, mode)
        self.send(n, points)
        self._end(self._ctx)
        n.dispatch = table


def evaluators(ctx: Any) -> Evaluators:
    """The evaluators of a context, made at first use."""
    found = ctx.evaluators
    if found is None:
        found = ctx.evaluators = Evaluators(ctx)
    return found  # type: ignore[no-any-return]


# -- polynomials -----------------------------------------------------------------------------------


def _binomials(order: int) -> tuple[float, ...]:
    row = _BINOMIALS.get(order)
    if row is None:
        last = _binomials(order - 1)
        row = tuple(a + b for a, b in zip((0.0, *last), (*last, 0.0), strict=True))
        _BINOMIALS[order] = row
    return row


def bernstein(order: int, t: float) -> list[float]:
    """The weights of the `order` control points at t."""
    rest = 1.0 - t
    out = list(_binomials(order))
    power = 1.0
    for k in range(order):
        out[k] *= power
        power *= t
    power = 1.0
    for k in range(order - 1, -1, -1):
        out[k] *= power
        power *= rest
    return out


def slopes(order: int, t: float) -> list[float]:
    """The derivatives of the weights at t."""
    if order == 1:
        return [0.0]
    lower = [0.0, *bernstein(order - 1, t), 0.0]
    return [(order - 1) * (lower[k] - lower[k + 1]) for k in range(order)]


def _weighted(m: Map, wu: Sequence[float], wv: Sequence[float]) -> Vector:
    weights = [a * b for b in wv for a in wu]
    return tuple(
        sum(w * x for w, x in zip(weights, column, strict=True))
        for column in zip(*m.points, strict=True)
    )


def _inner(m: Map, u: float, v: float) -> tuple[float, float]:
    u1, u2, v1, v2 = m.domain
    return (u - u1) / (u2 - u1), (v - v1) / (v2 - v1)


def value_at(m: Map, u: float, v: float = 0.0) -> Vector:
    """The map's value at domain coordinates."""
    s, t = _inner(m, u, v)
    return _weighted(m, bernstein(m.uorder, s), bernstein(m.vorder, t))


def normal_at(m: Map, u: float, v: float) -> Vector:
    """The unit normal of a surface of positions: the product of its two slopes. With w, the slopes
    of x / w are wanted; a positive factor (w squared twice) goes with the length.
    """
    s, t = _inner(m, u, v)
    wu, wv = bernstein(m.uorder, s), bernstein(m.vorder, t)
    du = _weighted(m, slopes(m.uorder, s), wv)
    dv = _weighted(m, wu, slopes(m.vorder, t))
    if len(du) == 4:
        p = _weighted(m, wu, wv)
        du = tuple(du[k] * p[3] - p[k] * du[3] for k in range(3))
        dv = tuple(dv[k] * p[3] - p[k] * dv[3] for k in range(3))
    u1, u2, v1, v2 = m.domain
    sign = 1.0 if (u2 - u1) * (v2 - v1) > 0.0 else -1.0
    x = sign * (du[1] * dv[2] - du[2] * dv[1])
    y = sign * (du[2] * dv[0] - du[0] * dv[2])
    z = sign * (du[0] * dv[1] - du[1] * dv[0])
    length = sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length) if length > 0.0 else (x, y, z)


# -- points ----------------------------------------------------------------------------------------


def _pad(value: Vector) -> Vector:
    return value + (0.0, 0.0, 0.0, 1.0)[len(value) :]


def _plan(enabled: Sequence[int]) -> list[tuple[int, int]]:
    """(slot, map) of what is evaluated with these maps on; -1 is the position."""
    out = [
        (slot, number)
        for slot, number in ((_SLOT_COLOR, COLOR), (_SLOT_INDEX, INDEX), (_SLOT_NORMAL, NORMAL))
        if enabled[number]
    ]
    texture = next((k for k in _TEXTURES if enabled[k]), None)
    if texture is not None:
        out.append((_SLOT_TEX0, texture))
    vertex = next((k for k in (VERTEX_4, VERTEX_3) if enabled[k]), None)
    if vertex is not None:
        out.append((-1, vertex))
    return out


def _curve_points(ctx: Any) -> Callable[[float], dict[int, Vector]]:
    """The function from u to what glEvalCoord1 issues."""
    maps = evaluators(ctx).curves
    plan = [(slot, maps[k]) for slot, k in _plan(ctx.n.raw.map1_enabled)]

    def at(u: float) -> dict[int, Vector]:
        return {
            slot: _pad(value_at(m, u)) if slot == _SLOT_TEX0 else value_at(m, u) for slot, m in plan
        }

    return at


def _surface_points(ctx: Any) -> Callable[[float, float], dict[int, Vector]]:
    """The function from (u, v) to what glEvalCoord2 issues."""
    raw = ctx.n.raw
    maps = evaluators(ctx).surfaces
    plan = [(slot, maps[k]) for slot, k in _plan(raw.map2_enabled)]
    auto = dict(plan).get(-1) if raw.auto_normal else None

    def at(u: float, v: float) -> dict[int, Vector]:
        point = {
            slot: _pad(value_at(m, u, v)) if slot == _SLOT_TEX0 else value_at(m, u, v)
            for slot, m in plan
        }
        if auto is not None:
            point[_SLOT_NORMAL] = normal_at(auto, u, v)
        return point

    return at


def _eval1(ctx: Any, u: float) -> None:
    evaluators(ctx).send(ctx.n, [_curve_points(ctx)(u)])


def _eval2(ctx: Any, u: float, v: float) -> None:
    evaluators(ctx).send(ctx.n, [_surface_points(ctx)(u, v)])


def _doubles(pointer: Any, count: int) -> list[float]:
    return list((F64 * count).from_address(address_of(pointer)))


def _floats(pointer: Any, count: int) -> list[float]:
    return list((F32 * count).from_address(address_of(pointer)))


@entry(flush=False)
def glEvalCoord1f(ctx: Any, u: float) -> None:
    _eval1(ctx, u)


@entry(flush=False)
def glEvalCoord1d(ctx: Any, u: float) -> None:
    _eval1(ctx, u)


@entry(flush=False)
def glEvalCoord1fv(ctx: Any, u: Any) -> None:
    _eval1(ctx, *_floats(u, 1))


@entry(flush=False)
def glEvalCoord1dv(ctx: Any, u: Any) -> None:
    _eval1(ctx, *_doubles(u, 1))


@entry(flush=False)
def glEvalCoord2f(ctx: Any, u: float, v: float) -> None:
    _eval2(ctx, u, v)


@entry(flush=False)
def glEvalCoord2d(ctx: Any, u: float, v: float) -> None:
    _eval2(ctx, u, v)


@entry(flush=False)
def glEvalCoord2fv(ctx: Any, u: Any) -> None:
    _eval2(ctx, *_floats(u, 2))


@entry(flush=False)
def glEvalCoord2dv(ctx: Any, u: Any) -> None:
    _eval2(ctx, *_doubles(u, 2))


# -- grids -----------------------------------------------------------------------------------------


def _grid(first: float, last: float, segments: int) -> Callable[[int], float]:
    """Coordinate of a grid point; both ends are met exactly (GL 2.1, 5.1)."""
    step = (last - first) / segments

    def at(i: int) -> float:
        return last if i == segments else first + i * step

    return at


def _grid1(n: Any) -> Callable[[int], float]:
    u1, u2 = n.raw.map1_domain
    return _grid(u1, u2, n.raw.map1_segments)


def _grid2(n: Any) -> tuple[Callable[[int], float], Callable[[int], float]]:
    u1, u2, v1, v2 = n.raw.map2_domain
    return _grid(u1, u2, n.raw.map2_segments[0]), _grid(v1, v2, n.raw.map2_segments[1])


@entry(flush=False)
def glEvalPoint1(ctx: Any, i: int) -> None:
    _eval1(ctx, _grid1(ctx.n)(i))


@entry(flush=False)
def glEvalPoint2(ctx: Any, i: int, j: int) -> None:
    u, v = _grid2(ctx.n)
    _eval2(ctx, u(i), v(j))


def _segments(name: str, number: int) -> int:
    if number < 1:
        raise GLError(gl.GL_INVALID_VALUE, f"{name}={number}")
    return number


def _map_grid1(ctx: Any, un: int, u1: float, u2: float) -> None:
    ctx.n.raw.map1_segments = _segments("un", un)
    ctx.n.raw.map1_domain[:] = (u1, u2)


def _map_grid2(ctx: Any, un: int, u: Sequence[float], vn: int, v: Sequence[float]) -> None:
    ctx.n.raw.map2_segments[:] = (_segments("un", un), _segments("vn", vn))
    ctx.n.raw.map2_domain[:] = (*u, *v)


@entry
def glMapGrid1f(ctx: Any, un: int, u1: float, u2: float) -> None:
    _map_grid1(ctx, un, u1, u2)


@entry
def glMapGrid1d(ctx: Any, un: int, u1: float, u2: float) -> None:
    _map_grid1(ctx, un, u1, u2)


@entry
def glMapGrid2f(ctx: Any, un: int, u1: float, u2: float, vn: int, v1: float, v2: float) -> None:
    _map_grid2(ctx, un, (u1, u2), vn, (v1, v2))


@entry
def glMapGrid2d(ctx: Any, un: int, u1: float, u2: float, vn: int, v1: float, v2: float) -> None:
    _map_grid2(ctx, un, (u1, u2), vn, (v1, v2))


@entry(flush=False)
def glEvalMesh1(ctx: Any, mode: int, i1: int, i2: int) -> None:
    modes = {gl.GL_POINT: gl.GL_POINTS, gl.GL_LINE: gl.GL_LINE_STRIP}
    if mode not in modes:
        raise GLError(gl.GL_INVALID_ENUM, f"mode={gl.name_of(mode)}")
    enabled = ctx.n.raw.map1_enabled
    if not (enabled[VERTEX_3] or enabled[VERTEX_4]):
        return  # without positions there are no vertices
    at, u = _curve_points(ctx), _grid1(ctx.n)
    points = (at(u(i)) for i in range(i1, i2 + 1))
    evaluators(ctx).primitive(ctx.n, modes[mode], points)


def _mesh(ctx: Any, columns: range, lines: range) -> list[list[dict[int, Vector]]]:
    """Rows of a mesh's points. Most meshes are drawn again in the next frame: small ones stay."""
    raw = ctx.n.raw
    grid = (*raw.map2_domain, *raw.map2_segments)
    key = (tuple(raw.map2_enabled), raw.auto_normal, grid, columns, lines)
    meshes = evaluators(ctx).meshes
    rows = meshes.get(key)
    if rows is None:
        at = _surface_points(ctx)
        u, v = _grid2(ctx.n)
        across = [u(i) for i in columns]
        rows = [[at(x, y) for x in across] for y in map(v, lines)]
        if len(columns) * len(lines) <= _KEPT_POINTS:
            if len(meshes) >= _KEPT_MESHES:
                meshes.clear()
            meshes[key] = rows
    return rows


@entry(flush=False)
def glEvalMesh2(ctx: Any, mode: int, i1: int, i2: int, j1: int, j2: int) -> None:
    if mode not in (gl.GL_POINT, gl.GL_LINE, gl.GL_FILL):
        raise GLError(gl.GL_INVALID_ENUM, f"mode={gl.name_of(mode)}")
    n = ctx.n
    enabled = n.raw.map2_enabled
    if not (enabled[VERTEX_3] or enabled[VERTEX_4]):
        return
    draw = evaluators(ctx).primitive
    rows = _mesh(ctx, range(i1, i2 + 1), range(j1, j2 + 1))
    if mode == gl.GL_FILL:
        for below, above in zip(rows, rows[1:], strict=False):
            pairs = (p for pair in zip(below, above, strict=True) for p in pair)
            draw(n, gl.GL_QUAD_STRIP, pairs)
        return
    if mode == gl.GL_POINT:
        draw(n, gl.GL_POINTS, (p for line in rows for p in line))
        return
    for line in (*rows, *zip(*rows, strict=True)):
        draw(n, gl.GL_LINE_STRIP, line)


# -- maps ------------------------------------------------------------------------------------------


def _number(target: int, first: int) -> int:
    if not 0 <= target - first < len(DEFAULTS):
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    return target - first


def _check(ctx: Any, ends: Sequence[float], stride: int, order: int, size: int) -> None:
    if ends[0] == ends[1]:
        raise GLError(gl.GL_INVALID_VALUE, f"an empty domain, {ends[0]:g} to {ends[1]:g}")
    if stride < size:
        raise GLError(gl.GL_INVALID_VALUE, f"stride={stride}")
    if not 1 <= order <= MAX_ORDER:
        raise GLError(gl.GL_INVALID_VALUE, f"order={order}")
    if ctx.n.raw.active_texture != 0:
        raise GLError(gl.GL_INVALID_OPERATION, "the active texture unit is not 0")


Side = tuple[float, float, int, int]  # first, last, stride, order


def _read(pointer: Any, kind: Any, size: int, sides: Sequence[Side]) -> tuple[Vector, ...]:
    """Control points, u fastest; strides count numbers."""
    (_, _, ustride, uorder), (_, _, vstride, vorder) = sides
    base, step = address_of(pointer), ctypes.sizeof(kind)
    points = (kind * size,)[0]
    return tuple(
        tuple(map(float, points.from_address(base + step * (v * vstride + u * ustride))))
        for v in range(vorder)
        for u in range(uorder)
    )


def _define1(ctx: Any, target: int, u: Side, pointer: Any, kind: Any) -> None:
    number = _number(target, gl.GL_MAP1_COLOR_4)
    size = len(DEFAULTS[number])
    _check(ctx, u[:2], u[2], u[3], size)
    if address_of(pointer):
        points = _read(pointer, kind, size, (u, (0.0, 1.0, 0, 1)))
        evaluators(ctx).curves[number] = Map(u[3], 1, (u[0], u[1], 0.0, 1.0), points)


def _define2(ctx: Any, target: int, u: Side, v: Side, pointer: Any, kind: Any) -> None:
    number = _number(target, gl.GL_MAP2_COLOR_4)
    size = len(DEFAULTS[number])
    for side in (u, v):
        _check(ctx, side[:2], side[2], side[3], size)
    if address_of(pointer):
        points = _read(pointer, kind, size, (u, v))
        evaluators(ctx).meshes.clear()
        evaluators(ctx).surfaces[number] = Map(u[3], v[3], (u[0], u[1], v[0], v[1]), points)


@entry
def glMap1f(
    ctx: Any, target: int, u1: float, u2: float, stride: int, order: int, points: Any
) -> None:
    _define1(ctx, target, (u1, u2, stride, order), points, F32)


@entry
def glMap1d(
    ctx: Any, target: int, u1: float, u2: float, stride: int, order: int, points: Any
) -> None:
    _define1(ctx, target, (u1, u2, stride, order), points, F64)


@entry
def glMap2f(
    ctx: Any, target: int, u1: float, u2: float, ustride: int, uorder: int,
    v1: float, v2: float, vstride: int, vorder: int, points: Any,
) -> None:  # fmt: skip
    _define2(ctx, target, (u1, u2, ustride, uorder), (v1, v2, vstride, vorder), points, F32)


@entry
def glMap2d(
    ctx: Any, target: int, u1: float, u2: float, ustride: int, uorder: int,
    v1: float, v2: float, vstride: int, vorder: int, points: Any,
) -> None:  # fmt: skip
    _define2(ctx, target, (u1, u2, ustride, uorder), (v1, v2, vstride, vorder), points, F64)


def _query(ctx: Any, target: int, query: int) -> list[float]:
    """What glGetMap answers; of a surface v runs fastest (GL 2.1, 6.1.3)."""
    two = target >= gl.GL_MAP2_COLOR_4
    number = _number(target, gl.GL_MAP2_COLOR_4 if two else gl.GL_MAP1_COLOR_4)
    every = evaluators(ctx)
    m = (every.surfaces if two else every.curves)[number]
    if query == gl.GL_ORDER:
        return [m.uorder, m.vorder] if two else [m.uorder]
    if query == gl.GL_DOMAIN:
        return list(m.domain if two else m.domain[:2])
    if query == gl.GL_COEFF:
        return [
            x for u in range(m.uorder) for v in range(m.vorder) for x in m.points[v * m.uorder + u]
        ]
    raise GLError(gl.GL_INVALID_ENUM, f"query={gl.name_of(query)}")


@entry
def glGetMapfv(ctx: Any, target: int, query: int, v: Any) -> None:
    store(v, F32, _query(ctx, target, query))


@entry
def glGetMapdv(ctx: Any, target: int, query: int, v: Any) -> None:
    store(v, F64, _query(ctx, target, query))


@entry
def glGetMapiv(ctx: Any, target: int, query: int, v: Any) -> None:
    store(v, I32, [round(x) for x in _query(ctx, target, query)])
