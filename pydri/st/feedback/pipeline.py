# SPDX-License-Identifier: MIT
"""Drawing in selection and feedback: the vertex pipeline in Python, up to what would be rasterised.

In: the context and a DrawInfo, as a driver gets them. Out: hits (window depths) or feedback tokens,
given to pydri/main/feedback/writes.py. Stages: shaded vertices (feedback/vertices.py), primitive
assembly, clipping at the view volume and the user's planes, faces and culling, polygon modes.
Polygons stay whole: a quad is one GL_POLYGON_TOKEN. Correct rather than fast; numpy and nir come in
at the first such draw. GL 2.1, 2.11 to 2.14, 3.5 and 5.2 to 5.3; Mesa: draw_pipe.c and
st_cb_feedback.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import pydri.api.enums as gl
from pydri.main.feedback.layout import SELECT
from pydri.main.feedback.writes import feed_back, hit
from pydri.nir.enums import VERT_ATTRIB_EDGEFLAG
from pydri.pipe.native import PRIM_BEGIN, PRIM_END, SHADER_GEOMETRY, DrawInfo
from pydri.st.feedback.vertices import (
    BACK,
    CULL,
    DIST,
    FRONT,
    POS,
    TEX,
    WIDTH,
    Row,
    attribute,
    indices,
    program_rows,
    shade,
    shade_program,
)


class Vertex(NamedTuple):
    """A vertex, and whether the edge that begins at it is one of the polygon's boundary."""

    row: Row
    edge: bool = True


class Prim(NamedTuple):
    """An assembled point, line or polygon; `provoking` gives a flat-shaded one its colour."""

    vertices: list[Vertex]
    provoking: Row
    reset: bool = True  # of a line: the stipple begins anew


# -- primitives -----------------------------------------------------------------------------------


def _line(v: Sequence[Vertex], a: int, c: int, first: bool, reset: bool) -> Prim:
    return Prim([v[a], v[c]], v[a if first else c].row, reset)


def _polygon(v: Sequence[Vertex], order: Sequence[int], provoking: int, plain: bool) -> Prim:
    """`plain`: a piece of a strip or fan, all of whose edges are of the boundary."""
    vertices = [Vertex(v[i].row) if plain else v[i] for i in order]
    return Prim(vertices, v[provoking].row)


def without_adjacent(mode: int, v: list[Vertex]) -> tuple[int, list[Vertex]]:
    """The mode and the vertices of primitives without those beside them (OpenGL 3.2, 2.6.1)."""
    if mode == gl.GL_LINES_ADJACENCY:
        return gl.GL_LINES, [p for i, p in enumerate(v[: len(v) & ~3]) if i & 3 in (1, 2)]
    if mode == gl.GL_LINE_STRIP_ADJACENCY:
        return gl.GL_LINE_STRIP, v[1:-1]
    if mode == gl.GL_TRIANGLES_ADJACENCY:
        return gl.GL_TRIANGLES, v[: len(v) // 6 * 6 : 2]
    if mode == gl.GL_TRIANGLE_STRIP_ADJACENCY:
        # behind the last triangle's third corner lies a vertex, or none of it is there
        return gl.GL_TRIANGLE_STRIP, v[: (len(v) & ~1) - 1 : 2] if len(v) > 5 else []
    return mode, v


def assemble(mode: int, v: list[Vertex], flags: int, first: bool) -> Iterator[Prim]:
    """Points, lines and polygons of a draw; `first`: the first vertex provokes (GL 3.2, table 2.14;
    of polygons it always does, of quads never).
    """
    mode, v = without_adjacent(mode, v)
    n = len(v)
    if mode == gl.GL_POINTS:
        yield from (Prim([p], p.row) for p in v)
    elif mode == gl.GL_LINES:
        yield from (_line(v, i, i + 1, first, True) for i in range(0, n - 1, 2))
    elif mode in (gl.GL_LINE_STRIP, gl.GL_LINE_LOOP):
        begins = bool(flags & PRIM_BEGIN)
        yield from (_line(v, i, i + 1, first, begins and i == 0) for i in range(n - 1))
        if mode == gl.GL_LINE_LOOP and n > 1:
            yield _line(v, n - 1, 0, first, False)
    elif mode == gl.GL_TRIANGLES:
        for i in range(0, n - 2, 3):
            yield _polygon(v, (i, i + 1, i + 2), i if first else i + 2, False)
    elif mode == gl.GL_TRIANGLE_STRIP:
        for i in range(n - 2):
            order = (i + 1, i, i + 2) if i & 1 else (i, i + 1, i + 2)
            yield _polygon(v, order, i if first else i + 2, True)
    elif mode == gl.GL_TRIANGLE_FAN:
        for i in range(1, n - 1):
            yield _polygon(v, (0, i, i + 1), i if first else i + 1, True)
    elif mode == gl.GL_QUADS:
        for i in range(0, n - 3, 4):
            yield _polygon(v, range(i, i + 4), i + 3, False)
    elif mode == gl.GL_QUAD_STRIP:
        for i in range(0, n - 3, 2):
            yield _polygon(v, (i, i + 1, i + 3, i + 2), i + 3, True)
    elif n > 2:
        whole = list(v)
        if not flags & PRIM_BEGIN:  # a piece of a longer one: the cuts are no edges
            whole[0] = Vertex(v[0].row, False)
        if not flags & PRIM_END:
            whole[-1] = Vertex(v[-1].row, False)
        yield Prim(whole, v[0].row)


# -- clipping -------------------------------------------------------------------------------------


def planes(clip_planes: int, depth_clamp: bool, near: float = 1.0) -> list[list[float]]:
    """Coefficients over a row: what is inside gives 0 or more. `near`: where z = -w times it."""
    out = []
    for axis in range(2 if depth_clamp else 3):
        for sign in (1.0, -1.0):
            plane = [0.0] * WIDTH
            plane[POS + axis], plane[POS + 3] = sign, near if (axis, sign) == (2, 1.0) else 1.0
            out.append(plane)
    for k in range(8):
        if clip_planes >> k & 1:
            plane = [0.0] * WIDTH
            plane[DIST + k] = 1.0
            out.append(plane)
    return out


def _distance(plane: Sequence[float], row: Row) -> float:
    return sum(p * x for p, x in zip(plane, row, strict=True) if p)


def _is_culled(vertices: Sequence[Vertex]) -> bool:
    """Whether one of the distances to cull by is negative at all vertices."""
    return any(all(v.row[at] < 0.0 for v in vertices) for at in range(CULL, WIDTH))


def _between(a: Row, c: Row, da: float, dc: float) -> Row:
    t = da / (da - dc)
    return [x + t * (y - x) for x, y in zip(a, c, strict=True)]


def clip_line(a: Row, c: Row, bounds: Sequence[Sequence[float]]) -> tuple[Row, Row] | None:
    """The part of a line that is inside."""
    for plane in bounds:
        da, dc = _distance(plane, a), _distance(plane, c)
        if not (da >= 0.0 or dc >= 0.0):
            return None
        if da < 0.0:
            a = _between(a, c, da, dc)
        elif dc < 0.0:
            c = _between(a, c, da, dc)
    return a, c


def clip_polygon(v: list[Vertex], bounds: Sequence[Sequence[float]]) -> list[Vertex]:
    """The part of a convex polygon that is inside; edges along a plane are boundary edges."""
    for plane in bounds:
        out: list[Vertex] = []
        distances = [_distance(plane, p.row) for p in v]
        for i, p in enumerate(v):
            j = (i + 1) % len(v)
            da, dc = distances[i], distances[j]
            if da >= 0.0:
                out.append(p)
                if dc < 0.0:
                    out.append(Vertex(_between(p.row, v[j].row, da, dc)))
            elif dc >= 0.0:
                if dc > 0.0:
                    out.append(Vertex(_between(p.row, v[j].row, da, dc), p.edge))
        v = out
        if len(v) < 3:
            return []
    return v


# -- results --------------------------------------------------------------------------------------


def _near_plane(n: Any) -> float:
    """z there, as a multiple of -w (ARB_clip_control)."""
    return 0.0 if n.raw.clip_depth_mode == gl.GL_ZERO_TO_ONE else 1.0


class _Output:
    """Where primitives go: hits or tokens."""

    def __init__(self, n: Any) -> None:
        self.n = n
        self.selecting = n.key.render_mode == SELECT
        self.flat = n.key.shade_model == gl.GL_FLAT
        self.viewport = list(n.raw.viewport)
        self.depth = list(n.raw.depth_range)
        self.up = -1.0 if n.raw.clip_origin == gl.GL_UPPER_LEFT else 1.0
        self.near = _near_plane(n)
        self.type = n.feedback.type

    def window(self, row: Row) -> tuple[float, float, float]:
        """Window coordinates."""
        x, y, width, height = self.viewport
        near, far = self.depth
        w = row[POS + 3] or 1.0
        scale = (far - near) / (1 + self.near)
        z = scale * (row[POS + 2] / w) + near + scale * self.near
        low, high = min(near, far), max(near, far)
        return (
            (row[POS] / w + 1) * width / 2 + x,
            (row[POS + 1] / w * self.up + 1) * height / 2 + y,
            min(max(z, low), high),
        )

    def send(self, token: Sequence[float], rows: Sequence[Row], provoking: Row, face: int) -> None:
        """One primitive whose vertices are all inside."""
        if self.selecting:
            for row in rows:
                hit(self.n, self.window(row)[2])
            return
        out = [float(x) for x in token]
        for row in rows:
            x, y, z = self.window(row)
            out += [x, y] if self.type == gl.GL_2D else [x, y, z]
            if self.type == gl.GL_4D_COLOR_TEXTURE:
                out.append(row[POS + 3])
            if self.type not in (gl.GL_2D, gl.GL_3D):
                out += (provoking if self.flat else row)[face : face + 4]
            if self.type in (gl.GL_3D_COLOR_TEXTURE, gl.GL_4D_COLOR_TEXTURE):
                out += row[TEX:DIST]
        feed_back(self.n, out)

    def point(self, row: Row, provoking: Row, face: int = FRONT) -> None:
        self.send([gl.GL_POINT_TOKEN], [row], provoking, face)

    def line(self, a: Row, c: Row, provoking: Row, reset: bool, face: int = FRONT) -> None:
        token = gl.GL_LINE_RESET_TOKEN if reset else gl.GL_LINE_TOKEN
        self.send([token], [a, c], provoking, face)

    def polygon(self, v: list[Vertex], provoking: Row) -> None:
        """Face, culling, polygon mode (GL 2.1, 3.5.1 and 3.5.4)."""
        n = self.n
        places = [self.window(p.row) for p in v]
        area = sum(
            a[0] * c[1] - c[0] * a[1] for a, c in zip(places, places[1:] + places[:1], strict=True)
        )
        back = (area * self.up > 0.0) != (n.raw.front_face == gl.GL_CCW)
        if n.raw.cull_enabled:
            culled = n.raw.cull_face_mode
            if culled in (gl.GL_FRONT_AND_BACK, gl.GL_BACK if back else gl.GL_FRONT):
                return
        face = BACK if back else FRONT
        mode = n.key.polygon_back if back else n.key.polygon_front
        if mode == gl.GL_FILL:
            self.send([gl.GL_POLYGON_TOKEN, len(v)], [p.row for p in v], provoking, face)
        elif mode == gl.GL_POINT:
            for p in v:
                if p.edge:
                    self.point(p.row, provoking, face)
        else:
            reset = True
            for p, q in zip(v, v[1:] + v[:1], strict=True):
                if p.edge:
                    self.line(p.row, q.row, provoking, reset, face)
                    reset = False


def draw(ctx: Any, address: int) -> None:
    """A draw while the render mode is GL_SELECT or GL_FEEDBACK."""
    n = ctx.n
    info = DrawInfo.view(address)
    first = n.key.provoking == gl.GL_FIRST_VERTEX_CONVENTION
    unique, places = np.unique(indices(info), return_inverse=True)
    if n.key.stages[SHADER_GEOMETRY]:
        _send(n, _emitted(ctx, info, unique, places.reshape(-1), first))
        return
    rows = shade(ctx, info, unique).tolist()
    edges = attribute(n, info, VERT_ATTRIB_EDGEFLAG, unique)[:, 0] != 0
    vertices = [Vertex(rows[i], bool(edges[i])) for i in places.reshape(-1)]
    _send(n, assemble(info.mode, vertices, info.prim_flags, first))


def _numbers(mode: int, count: int, flags: int) -> list[list[int]]:
    """The vertices of each primitive of a mode, by number."""
    rows = [Vertex([float(number)]) for number in range(count)]
    prims = assemble(mode, rows, flags, False)
    return [[int(vertex.row[0]) for vertex in prim.vertices] for prim in prims]


def _emitted(ctx: Any, info: Any, unique: Any, places: Any, first: bool) -> Iterator[Prim]:
    """The primitives that the geometry shader makes; its last or `first` vertex provokes."""
    from pydri.st.feedback.geometry import emit

    _, done = shade_program(ctx, info, unique)
    made = emit(ctx, info, done, places, _numbers)
    if not made.total:
        return
    rows = program_rows(ctx.n, made.outputs, made.result, made.total).tolist()
    for numbers, leads, begins in made.primitives:
        vertices = [Vertex(rows[number]) for number in numbers]
        yield Prim(vertices, vertices[leads if first else -1].row, begins)


def _send(n: Any, prims: Iterable[Prim]) -> None:
    """Clip primitives, and hand over what is left of them."""
    bounds = planes(n.key.clip_planes, bool(n.key.depth_clamp), _near_plane(n))
    out = _Output(n)
    for prim in prims:
        v = prim.vertices
        if _is_culled(v):
            continue
        if len(v) == 1:
            if all(_distance(plane, v[0].row) >= 0.0 for plane in bounds):
                out.point(v[0].row, prim.provoking)
        elif len(v) == 2:
            part = clip_line(v[0].row, v[1].row, bounds)
            if part is not None:
                out.line(*part, prim.provoking, prim.reset)
        else:
            inside = clip_polygon(v, bounds)
            if inside:
                out.polygon(inside, prim.provoking)
