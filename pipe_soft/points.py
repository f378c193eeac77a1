# SPDX-License-Identifier: MIT
"""Points: squares of whole pixels (GL 2.1, 3.3.1), smooth ones (3.3.2), with several samples
(3.3.3).

A point is clipped by its centre (2.12). Aliased points are squares around a pixel's centre if the
rounded size is odd, else around a corner of pixels; sizes half-way between are taken as the lesser
one, which GL leaves open. Sprites are squares of their very size around their place, in which their
fragments may have coordinates. Smooth points are squares of triangles whose fragments know where in
the disc they lie. With several samples points are squares of their very size, smooth ones discs by
sample, and those below the threshold get its size and lose alpha instead (3.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.arrays import F32, Arr, f32, least, most, whole
from pipe_soft.layout import CLIP, FIRST, POINT_COVERAGE, X, Y
from pipe_soft.lines import moved, two_triangles
from pipe_soft.vertices import Vertices
from pydri.nir.enums import VARYING_SLOT_PNTC, VARYING_SLOT_PSIZ, VARYING_SLOT_TEX0

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline

MOST = 255.0  # the greatest size
_AROUND = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def visible(dyn: Any, vertices: Vertices, numbers: Arr) -> Arr:
    """Which points have their centre in the view volume."""
    x, y, _, w = vertices.rows[numbers, CLIP:FIRST].T
    inside = vertices.flags[numbers] == 0
    edge = np.full_like(w, np.inf) if dyn.points_unbounded else w
    return (np.abs(x) <= edge) & (np.abs(y) <= edge) & inside


def sizes(dyn: Any, vertices: Vertices, numbers: Arr) -> Arr:
    """The size of each point."""
    column = vertices.layout.columns.get(VARYING_SLOT_PSIZ)
    if column is None:
        return np.full(len(numbers), dyn.point_size, np.float32)
    return vertices.rows[numbers, column]


def boxes(pipeline: Pipeline, dyn: Any, vertices: Vertices, numbers: Arr, size: Arr) -> Arr:
    """First column and row, last column and row of square points, (points, 4)."""
    if pipeline.state.rast.point_sprite:
        return _sprites(dyn, vertices, numbers, size)
    side = (whole(least(most(size, 1), MOST) * F32(256)) + 127) >> 8
    shift = np.where(side & 1, 0, 128)
    first = []
    for column in (X, Y):
        place = whole(vertices.rows[numbers, column] * F32(256))
        if column == Y and dyn.fb.flip_y:
            place = place - 1  # rows count downwards: a tie goes the other way
        first.append(((place + shift) >> 8) - (side >> 1))
    return np.stack([*first, *(start + side - 1 for start in first)], axis=1)


def _sprites(dyn: Any, vertices: Vertices, numbers: Arr, size: Arr) -> Arr:
    """The same of sprites: the pixels whose centres lie within, one on the left edge, too, or on
    the edge that is the lower one in the window."""
    side = sprite_side(size)
    ends = []
    for column in (X, Y):
        start = whole(vertices.rows[numbers, column] * F32(256)) - (side >> 1) + 127
        if column == Y and dyn.fb.flip_y:
            start = start + 1
        ends.append((start >> 8, ((start + side) >> 8) - 1))
    return np.stack([ends[0][0], ends[1][0], ends[0][1], ends[1][1]], axis=1)


def sprite_side(size: Arr) -> Arr:
    """The sides of sprites in 1/256 pixels."""
    return whole(least(most(size, 1), MOST) * F32(256))


def is_sprite(pipeline: Pipeline, slot: int) -> bool:
    """Whether the fragments of points get their place in the point as this input (GL 2.1,
    3.3.1)."""
    if slot == VARYING_SLOT_PNTC:
        return pipeline.state.rast.point_sprite
    return bool(pipeline.state.rast.sprite_coords << VARYING_SLOT_TEX0 >> slot & 1)


def triangles(pipeline: Pipeline, dyn: Any, vertices: Vertices, numbers: Arr, size: Arr) -> Arr:
    """The triangles of points that are no squares of whole pixels."""
    size = least(MOST, size)  # in this order what is no number stays so
    size = np.where(size > 0, size, F32(1))  # no number: 1
    if pipeline.state.multisample.enabled:
        threshold = F32(dyn.point_fade)
        share = np.where(size < threshold, size / threshold, F32(1))
        half = most(size, least(threshold, MOST)) * F32(0.5)
        more = np.stack([np.zeros_like(half), share * share], axis=1)
    else:
        # sizes up to 2 are drawn as 2, unless each vertex has its own
        per_vertex = VARYING_SLOT_PSIZ in vertices.layout.columns
        half = most(size, 0 if per_vertex else 2) * F32(0.5)
        inner = F32(1) - F32(1) / half
        more = np.stack([inner * inner, np.ones_like(half)], axis=1)
    corners = []
    for sx, sy in _AROUND:
        x = vertices.rows[numbers, X] + half * F32(sx)
        y = vertices.rows[numbers, Y] + half * F32(sy)
        disc = np.tile(f32([sx, sy]), (len(numbers), 1))
        coverage = np.concatenate([disc, more], axis=1)
        made = moved(vertices, numbers, numbers, x, y, POINT_COVERAGE, coverage)
        t = sy > 0 if dyn.sprite_down else sy < 0
        for slot, column in vertices.layout.columns.items():
            if is_sprite(pipeline, slot):
                vertices.rows[made, column : column + 4] = sx > 0, t, 0, 1
        corners.append(made)
    return two_triangles(np.stack(corners, axis=1))
