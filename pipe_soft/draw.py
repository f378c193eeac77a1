# SPDX-License-Identifier: MIT
"""A draw call from its vertices to its shapes (GL 2.1, 2.6 to 3.5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_soft import points
from pipe_soft.arrays import F32, Arr
from pipe_soft.assemble import (
    LINES,
    POINTS,
    POLYGON,
    QUAD_STRIP,
    QUADS,
    TRIANGLE_STRIP_ADJACENCY,
    Primitives,
    assemble,
    plain_mode,
    with_adjacent,
)
from pipe_soft.clip import clip_lines, clip_triangles
from pipe_soft.fragments import FragmentStage
from pipe_soft.geometry import emit
from pipe_soft.layout import are_squares
from pipe_soft.lines import Stipple, wide_lines
from pipe_soft.pipeline import Pipeline
from pipe_soft.polygons import Shapes, Unfilled
from pipe_soft.raster import rasterise
from pipe_soft.statistics import count, count_clipped, count_submitted
from pipe_soft.stream_output import tapped, write
from pipe_soft.vertices import Vertices, bindings, placed, shade
from pydri.nir.enums import VARYING_SLOT_PRIMITIVE_ID
from pydri.pipe.memory_numpy import drawn_count, index_list
from pydri.pipe.native import PRIM_NUMBERED_ON


class Drawing:
    """What lasts from draw to draw."""

    def __init__(self) -> None:
        self.stipple = Stipple()
        self.numbered = 0  # primitives of the draw that is drawn in parts

    def draw(self, pipeline: Pipeline, dyn: Any, info: Any) -> tuple[int, int]:
        """One draw call, instance by instance. The numbers of vertices and primitives."""
        parts = [
            self._instance(pipeline, dyn, info, info.instance + n)
            for n in range(max(info.instances, 1))
        ]
        return sum(vertices for vertices, _ in parts), sum(count for _, count in parts)

    def _instance(self, pipeline: Pipeline, dyn: Any, info: Any, number: int) -> tuple[int, int]:
        indices = index_list(info)[: drawn_count(info, bindings(pipeline, info), info.count)]
        if info.mode > TRIANGLE_STRIP_ADJACENCY:
            return 0, 0
        every = with_adjacent(info.mode, len(indices), info.prim_flags)
        if not len(every):
            return 0, 0
        before = self.numbered if info.prim_flags & PRIM_NUMBERED_ON else 0
        self.numbered = before + len(every)
        numbers, rows = np.unique(indices, return_inverse=True)
        count_submitted(dyn, info, len(indices), len(every))
        count(dyn, vertex_invocations=len(numbers))
        done = shade(pipeline, dyn, info, numbers, number)
        if pipeline.geometry is not None:
            made = emit(pipeline, dyn, done, rows.reshape(-1)[every], before)
            vertices = placed(pipeline, dyn, made.result, made.total)
            mode, primitives = made.mode, made.primitives(pipeline.state.rast.provoking_first)
            plain = made.corners
            invocations = len(every) * max(1, pipeline.geometry.info.get("gs_invocations", 1))
            count(dyn, geometry_invocations=invocations, geometry_primitives=len(plain))
        else:
            vertices = placed(pipeline, dyn, done, len(numbers))
            mode = plain_mode(info.mode)
            primitives, plain = _assembled(pipeline, info, rows.reshape(-1))
        if tapped(pipeline, dyn):
            write(pipeline, dyn, vertices, plain)
        given = info.mode if pipeline.geometry is None else POINTS
        count_clipped(dyn, vertices, given, info.prim_flags, plain)
        if dyn.discard:
            return len(numbers), len(primitives.corners)
        if VARYING_SLOT_PRIMITIVE_ID in pipeline.layout.columns and pipeline.geometry is None:
            primitives = _numbered(vertices, mode, primitives, before)
        stage = FragmentStage(pipeline, dyn)
        with np.errstate(all="ignore"):
            for shapes in self._shapes(pipeline, dyn, vertices, mode, primitives):
                if len(shapes.corners):
                    stage.draw(rasterise(pipeline, dyn, vertices, shapes))
        stage.report()
        return len(numbers), len(primitives.corners)

    def _shapes(self, pipeline: Pipeline, dyn: Any, vertices: Vertices, mode: int,
                primitives: Primitives) -> list[Shapes]:  # fmt: skip
        if mode == POINTS:
            return [_points(pipeline, dyn, vertices, primitives.corners[:, 0])]
        if primitives.corners.shape[1] == 2:
            return [self._lines(pipeline, dyn, vertices, mode, primitives)]
        polygons = np.cumsum(primitives.begins)
        if pipeline.state.rast.unfilled:
            unfilled = Unfilled(pipeline, dyn, vertices, self.stipple)
            return unfilled.draw(mode, primitives, polygons)
        corners, polygons = clip_triangles(vertices, primitives.corners, polygons)
        return [Shapes(corners, "fill", polygons=polygons)]

    def _lines(self, pipeline: Pipeline, dyn: Any, vertices: Vertices, mode: int,
               primitives: Primitives) -> Shapes:  # fmt: skip
        rast = pipeline.state.rast
        provoking = primitives.corners[:, 0 if rast.provoking_first else 1]
        ends, seen = clip_lines(vertices, primitives.corners, provoking)
        if rast.line_stipple:
            pieces, flat = [np.zeros((0, 2), np.int64)], [np.zeros(0, np.int64)]
            for line, shown, vertex, begins in zip(ends, seen, provoking, primitives.begins):
                if begins or mode == LINES:
                    self.stipple.count = F32(0)
                if shown:
                    pieces.append(self.stipple.pieces(pipeline, dyn, vertices, line, int(vertex)))
                    flat.append(np.full(len(pieces[-1]), vertex))
            ends, provoking = np.concatenate(pieces), np.concatenate(flat)
        else:
            ends, provoking = ends[seen], provoking[seen]
        return Shapes(wide_lines(pipeline, dyn, vertices, ends, provoking), "line")


def _assembled(pipeline: Pipeline, info: Any, rows: Arr) -> tuple[Primitives, Arr]:
    """Primitives for rasterisation, and their corners in order, by numbers of vertices."""
    first = pipeline.state.rast.provoking_first
    primitives = assemble(info.mode, len(rows), info.prim_flags, first)
    plain = assemble(info.mode, len(rows), info.prim_flags, False).corners
    return primitives._replace(corners=rows[primitives.corners]), rows[plain]


def _numbered(vertices: Vertices, mode: int, primitives: Primitives, before: int) -> Primitives:
    """Each primitive gets vertices of its own, which carry its number (gl_PrimitiveID), counted
    from `before` on; all parts of a quadrilateral or polygon have one."""
    corners = primitives.corners
    numbers = np.arange(before, before + len(corners), dtype=np.uint32)
    if mode in (QUADS, QUAD_STRIP):
        numbers >>= 1
    elif mode == POLYGON:
        numbers[:] = 0
    flags = vertices.flags[corners.reshape(-1)]
    rows = vertices.rows[corners.reshape(-1)]
    column = vertices.layout.columns[VARYING_SLOT_PRIMITIVE_ID]
    rows[:, column] = np.repeat(numbers, corners.shape[1]).view(np.float32)
    made = vertices.append(rows)
    vertices.flags[made] = flags
    return primitives._replace(corners=made.reshape(corners.shape))


def _points(pipeline: Pipeline, dyn: Any, vertices: Vertices, numbers: Arr) -> Shapes:
    numbers = numbers[points.visible(dyn, vertices, numbers)]
    size = points.sizes(dyn, vertices, numbers)
    if are_squares(pipeline.state):
        boxes = points.boxes(pipeline, dyn, vertices, numbers, size)
        return Shapes(numbers[:, None], "point", boxes=boxes, sizes=size)
    return Shapes(points.triangles(pipeline, dyn, vertices, numbers, size), "point")
