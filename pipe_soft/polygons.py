# SPDX-License-Identifier: MIT
"""Polygons drawn as their edges or corners: glPolygonMode of each face (GL 2.1, 3.5.4), and
polygon offset (3.5.5).

A triangle is clipped as a polygon, culled by its face, given its offset (points and lines take
their depth from it) and only then taken apart. Edges that clipping makes are drawn along user
planes, not along the view volume. Where points or edges overlap, and where a line's pattern goes
on, their order shows: it is the peer's. One triangle at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipe_soft import lines, points
from pipe_soft.arrays import F32, Arr, f32, least, most, whole
from pipe_soft.assemble import FIRST as FIRST_EDGE
from pipe_soft.assemble import POLYGON, QUADS, SECOND, THIRD, TRIANGLES, Primitives
from pipe_soft.clip import clip_lines, clip_polygon, fan
from pipe_soft.layout import CLIP, DEPTH, FIRST, X, Y, are_squares
from pipe_soft.pixels import is_float, step_of_depth
from pipe_soft.vertices import CULLS, Vertices, W
from pydri.nir.enums import VARYING_SLOT_EDGE
from pydri.pipe.format import FORMATS

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline

GL_LINE, GL_FILL = 0x1B01, 0x1B02
_EDGES = (FIRST_EDGE, SECOND, THIRD)


class Shapes(NamedTuple):
    """What is to be rasterised: triangles (corners), or square points with their boxes."""

    corners: Arr  # vertex numbers (shapes, 3), the provoking one last; of points (shapes, 1)
    kind: str  # "point", "line", "fill": what the triangles are of
    back: bool = False  # of points and lines: they are a back face's
    boxes: Arr | None = None  # of square points
    sizes: Arr | None = None  # of square points
    polygons: Arr | None = None  # of filled triangles: the number of the polygon of each


def offset(dyn: Any, state: Any, slope: Arr, top: Arr) -> Arr:
    """Polygon offset (GL 2.1, 3.5.5, ARB_polygon_offset_clamp) of planes with these greatest
    slopes and greatest depths. Of floating-point depth the unit is the last bit of the greatest
    depth."""
    fmt = FORMATS[state.zs_format]
    unit: Any = F32(step_of_depth(fmt))
    if is_float(fmt):
        exponent = (f32(top).view(np.int32) & 0x7F800000) - (23 << 23)
        unit = np.maximum(exponent, 0).astype(np.int32).view(np.float32)
    shift = slope * F32(dyn.offset_factor) + unit * F32(dyn.offset_units)
    limit = dyn.offset_clamp
    low, high = (limit if limit < 0 else -np.inf), (limit if limit > 0 else np.inf)
    return least(most(shift, low), high)


class Unfilled:
    """Takes the triangles of a draw apart."""

    def __init__(self, pipeline: Pipeline, dyn: Any, vertices: Vertices,
                 stipple: lines.Stipple) -> None:  # fmt: skip
        self.pipeline, self.dyn, self.vertices = pipeline, dyn, vertices
        self.stipple = stipple
        self.shapes: list[Shapes] = []

    def draw(self, mode: int, primitives: Primitives, polygons: Arr) -> list[Shapes]:
        """The shapes of triangles, in order; `polygons`: the number of the polygon of each."""
        flags = self.vertices.of_volume(primitives.corners.ravel()).reshape(-1, 3)
        edges = self._edges(mode, primitives)
        for corners, flag, edge, begins, polygon in zip(
            primitives.corners, flags, edges, primitives.begins, polygons
        ):
            if flag[0] & flag[1] & flag[2]:
                continue
            if begins:
                self.stipple.count = F32(0)
            planes = int(flag[0] | flag[1] | flag[2]) & ~CULLS
            self._triangle([int(v) for v in corners], int(edge), planes, int(polygon))
        return self.shapes

    def _edges(self, mode: int, primitives: Primitives) -> Arr:
        """Which edges are drawn: the polygon's own that have their flag."""
        edges = primitives.edges.copy()
        column = self.vertices.layout.columns[VARYING_SLOT_EDGE]
        if mode in (TRIANGLES, QUADS, POLYGON):
            for n, edge in enumerate(_EDGES):
                flag = self.vertices.rows[primitives.corners[:, n], column]
                edges &= np.where(flag == 0, ~edge, -1)
        return edges

    def _triangle(self, v: list[int], edges: int, planes: int, polygon: int) -> None:
        rast, provoking = self.pipeline.state.rast, v[2]
        corners, bounds = v, [bool(edges & edge) for edge in _EDGES]
        if planes:
            corners, bounds = clip_polygon(
                self.vertices, v, bounds, planes & (W - 1), provoking, guard=False
            )
            if not corners:
                return
        negative = self._area(corners) < 0
        front = negative == bool(self.dyn.front_negative)
        if self.dyn.cull & (1 if front else 2):
            return
        mode = rast.fill_front if front else rast.fill_back
        if mode == GL_FILL:
            shared = next((n for n, c in enumerate(corners[:-1]) if c not in v[:2]),
                          len(corners) - 1)  # fmt: skip
            triangles = np.array(fan(corners, shared))
            numbers = np.full(len(triangles), polygon)
            self.shapes.append(Shapes(triangles, "fill", polygons=numbers))
            return
        if self.dyn.offset_flags & (2 if mode == GL_LINE else 1):
            corners = self._shifted(corners)
        for i in _order(mode == GL_LINE, bool(planes), len(corners)):
            if not bounds[i]:
                continue
            if mode == GL_LINE:
                self._edge(corners[i], corners[(i + 1) % len(corners)], provoking, not front)
            else:
                self._corner(corners[i], provoking, not front)

    def _area(self, corners: list[int]) -> int:
        """Twice the area on the grid of 1/256 pixels; its sign is the winding."""
        x, y = whole(self.vertices.rows[corners, X : Y + 1] * F32(256)).T
        x, y = x - x[0], y - y[0]
        return int((x[1:-1] * y[2:] - x[2:] * y[1:-1]).sum())

    def _shifted(self, corners: list[int]) -> list[int]:
        """Copies of the corners with the polygon's offset, in the window and in clip space."""
        rows = self.vertices.rows[corners]
        (x0, y0, z0), (x1, y1, z1), (x2, y2, z2) = rows[:3, X : DEPTH + 1]
        x1, y1, z1, x2, y2, z2 = x1 - x0, y1 - y0, z1 - z0, x2 - x0, y2 - y0, z2 - z0
        area = x1 * y2 - x2 * y1
        recip = F32(0) if area == 0 else F32(1) / area
        slope = most(np.abs((z1 * y2 - z2 * y1) * recip), np.abs((z2 * x1 - z1 * x2) * recip))
        depths = np.abs(rows[:3, DEPTH])
        top = most(most(depths[0], depths[1]), depths[2])
        shift = F32(offset(self.dyn, self.pipeline.state, slope, top))
        rows[:, DEPTH] += shift
        scale = F32(self.dyn.viewport_scale[2])
        factor = F32(0) if scale == 0 else shift / scale
        rows[:, CLIP + 2] += rows[:, FIRST - 1] * factor
        return [int(n) for n in self.vertices.append(rows)]

    def _edge(self, here: int, there: int, provoking: int, back: bool) -> None:
        flat = np.array([provoking])
        ends, seen = clip_lines(self.vertices, np.array([[here, there]]), flat, edges=True)
        ends = ends[seen]
        if len(ends) and self.pipeline.state.rast.line_stipple:
            ends = self.stipple.pieces(self.pipeline, self.dyn, self.vertices, ends[0], provoking)
        flat = np.full(len(ends), provoking)
        made = lines.wide_lines(self.pipeline, self.dyn, self.vertices, ends, flat)
        if len(made):
            self.shapes.append(Shapes(made, "line", back))

    def _corner(self, number: int, provoking: int, back: bool) -> None:
        """A corner as a point. It is visible: clipping has seen to that."""
        shown, vertices = np.array([number]), self.vertices
        size = points.sizes(self.dyn, vertices, shown)
        none = np.zeros(1, np.float32)
        shown = vertices.append(vertices.mix((shown, shown), (none, none), np.array([provoking])))
        if are_squares(self.pipeline.state):
            boxes = points.boxes(self.pipeline, self.dyn, vertices, shown, size)
            self.shapes.append(Shapes(shown[:, None], "point", back, boxes, size))
        else:
            made = points.triangles(self.pipeline, self.dyn, vertices, shown, size)
            self.shapes.append(Shapes(made, "point", back))


def _order(of_lines: bool, clipped: bool, count: int) -> list[int]:
    """In which order the points or edges of a polygon come: the peer's, which cuts clipped polygons
    into triangles again."""
    turns = list(range(count))
    if of_lines:
        return turns if clipped else [count - 1, *turns[:-1]]
    if not clipped:
        return turns
    return [1, 2, 0] if count == 3 else [1, 0, *turns[2:]]
