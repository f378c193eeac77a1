# SPDX-License-Identifier: MIT
"""Lines as triangles: aliased (GL 2.1, 3.4.2), smooth (3.4.3), with several samples (3.4.4),
stippled.

In: ends of lines that are clipped already. Out: two triangles each.

An aliased line is a parallelogram whose ends lie between pixel columns (rows, if it is steep), so
that the fill rule picks one pixel a column and unit of width. Which columns belong to the line is
the diamond-exit rule at each end by itself: the first pixel is drawn if the line starts before the
column's centre or in the pixel's diamond, the last one if it ends behind the centre and out of the
diamond. A smooth line is half a pixel longer at each end and wider at each side than it is, and
loses its alpha within the last pixel. With several samples a line is the rectangle around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.arrays import F32, Arr, clamp, f32, least, most
from pipe_soft.layout import DEPTH, LINE_COVERAGE, RECIP_W, X, Y
from pipe_soft.vertices import Vertices

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline

MOST = 255.0  # the greatest width
OVERSHOOT = 64.0  # lengths of a line by which its varyings are extrapolated
LONGEST = 32768.0  # pixels of a pattern


def wide_lines(pipeline: Pipeline, dyn: Any, vertices: Vertices, ends: Arr,
               provoking: Arr) -> Arr:  # fmt: skip
    """The triangles of lines (lines, 2)."""
    if not len(ends):
        return np.zeros((0, 3), np.int64)
    if LINE_COVERAGE in vertices.layout.columns:
        quads = _smooth(dyn, vertices, ends, provoking)
    elif pipeline.state.multisample.enabled:
        quads = _exact(dyn, vertices, ends, provoking)
    else:
        quads = _aliased(dyn, vertices, ends, provoking)
    return two_triangles(quads)


def two_triangles(quads: Arr) -> Arr:
    """Of quadrilaterals whose corners are given around."""
    return quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)


def on_the_way(vertices: Vertices, ends: Arr, t: Arr) -> Arr:
    """The factor in clip coordinates of what is at `t` of a line in the window."""
    first, second = (vertices.rows[ends[:, n], RECIP_W] for n in (0, 1))
    weight = first * (1 - t) + second * t
    return np.where(weight > 0, second * t / weight, t)


def _in_diamond(x: Arr, y: Arr) -> Arr:
    return np.abs(x - np.floor(x) - F32(0.5)) + np.abs(y - np.floor(y) - F32(0.5)) < 0.5


def _aliased(dyn: Any, vertices: Vertices, ends: Arr, provoking: Arr) -> Arr:
    x, y = (vertices.rows[ends, c] for c in (X, Y))
    steep = (np.abs(y[:, 1] - y[:, 0]) > np.abs(x[:, 1] - x[:, 0]))[:, None]
    u, v = np.where(steep, y, x), np.where(steep, x, y)  # along the major axis, and across
    du, dv = u[:, 1] - u[:, 0], v[:, 1] - v[:, 0]
    ahead = du > 0
    column = np.floor(u)
    middle = column + F32(0.5)
    before = np.where(ahead[:, None], u < middle, middle < u)
    early = before | (u == middle) | _in_diamond(u, v)
    first, last = early[:, 0], ~early[:, 1]
    one = F32(1)
    start = column[:, 0] + np.where(first == ahead, F32(0), one)
    stop = column[:, 1] + np.where(last == ahead, one, F32(0))
    length = np.where(ahead, stop - start, start - stop)
    drawn = (np.abs(du) > 0) & (length > 0)
    ends, provoking, steep = ends[drawn], provoking[drawn], steep[drawn, 0]
    u, v, du, dv = u[drawn], v[drawn], du[drawn], dv[drawn]
    half = least(most(np.floor(F32(dyn.line_width) + F32(0.5)), 1), MOST) * F32(0.5)
    corners = []
    for edge, sides in ((start[drawn], (-half, half)), (stop[drawn], (half, -half))):
        # a short line may be drawn far longer than it is: the bound keeps numbers within reason
        t = clamp((edge - u[:, 0]) / du, -OVERSHOOT, OVERSHOOT)
        factors = on_the_way(vertices, ends, t), t
        at = v[:, 0] + (edge - u[:, 0]) * (dv / du)
        for side in sides:
            rows = vertices.mix((ends[:, 0], ends[:, 1]), factors, provoking,
                                slice(DEPTH, RECIP_W + 1))  # fmt: skip
            rows[:, X] = np.where(steep, at + side, edge)
            rows[:, Y] = np.where(steep, edge, at + side)
            corners.append(vertices.append(rows))
    return np.stack(corners, axis=1)


def moved(vertices: Vertices, numbers: Arr, provoking: Arr, x: Arr, y: Arr, slot: int = 0,
          coverage: Arr | None = None) -> Arr:  # fmt: skip
    """Copies of vertices at other places, with other values of a varying; their numbers."""
    none = np.zeros(len(numbers), np.float32)
    rows = vertices.mix((numbers, numbers), (none, none), provoking)
    rows[:, X], rows[:, Y] = x, y
    if coverage is not None:
        at = vertices.layout.columns[slot]
        rows[:, at : at + 4] = coverage
    return vertices.append(rows)


def _extent(vertices: Vertices, ends: Arr) -> tuple[Arr, Arr, Arr, Arr, Arr]:
    """x and y of both ends, and dx, dy and length of each line."""
    x, y = (vertices.rows[ends, c] for c in (X, Y))
    dx, dy = x[:, 1] - x[:, 0], y[:, 1] - y[:, 0]
    return x, y, dx, dy, np.sqrt(dx * dx + dy * dy)


def _exact(dyn: Any, vertices: Vertices, ends: Arr, provoking: Arr) -> Arr:
    x, y, dx, dy, length = _extent(vertices, ends)
    drawn = (length > 0) & (length < np.inf)
    ends, provoking, x, y = ends[drawn], provoking[drawn], x[drawn], y[drawn]
    half = clamp(dyn.line_width, 1, MOST) * F32(0.5)
    across_x, across_y = (dy / length * half)[drawn], (dx / length * half)[drawn]
    corners = []
    for end, side in ((0, F32(-1)), (0, F32(1)), (1, F32(1)), (1, F32(-1))):
        place = x[:, end] - across_x * side, y[:, end] + across_y * side
        corners.append(moved(vertices, ends[:, end], provoking, *place))
    return np.stack(corners, axis=1)


def _smooth(dyn: Any, vertices: Vertices, ends: Arr, provoking: Arr) -> Arr:
    """Rectangles that know where they are: across the line and half of its widened width less 1,
    along it and half of its lengthened length. A line without a length covers nothing."""
    x, y, dx, dy, length = _extent(vertices, ends)
    drawn = length < np.inf
    ends, provoking, x, y = ends[drawn], provoking[drawn], x[drawn], y[drawn]
    dx, dy, length = dx[drawn], dy[drawn], length[drawn]
    some = length > 0
    along_x, along_y = np.where(some, dx / length, F32(1)), np.where(some, dy / length, F32(0))
    width = clamp(dyn.line_width, 1, MOST)
    half = np.where(width <= 1, F32(1), width * F32(0.5) + F32(0.5))
    reach = length * F32(0.5) + F32(0.5)
    corners = []
    for end, side in ((0, F32(-1)), (0, F32(1)), (1, F32(1)), (1, F32(-1))):
        out = F32(0.5 if end else -0.5)
        place_x = x[:, end] + along_x * out - along_y * (half * side)
        place_y = y[:, end] + along_y * out + along_x * (half * side)
        across = np.broadcast_to(f32([half * side, half - F32(1)]), (len(ends), 2))
        coverage = np.column_stack([across, reach if end else -reach, reach])
        corners.append(moved(vertices, ends[:, end], provoking, place_x, place_y, LINE_COVERAGE,
                             coverage))  # fmt: skip
    return np.stack(corners, axis=1)


class Stipple:
    """The counter of stippled lines (GL 2.1, 3.4.2): it walks with a line's longer extent in
    pixels, of smooth lines with their length, and begins again with every separate line, strip,
    loop and polygon."""

    def __init__(self) -> None:
        self.count = F32(0)

    def pieces(self, pipeline: Pipeline, dyn: Any, vertices: Vertices, line: Arr,
               provoking: int) -> Arr:  # fmt: skip
        """The ends (pieces, 2) of what the pattern lets through of a line (two numbers)."""
        (x0, y0), (x1, y1) = vertices.rows[line, X : Y + 1]
        dx, dy = abs(x1 - x0), abs(y1 - y0)
        smooth = LINE_COVERAGE in vertices.layout.columns or pipeline.state.multisample.enabled
        length = F32(np.sqrt(dx * dx + dy * dy)) if smooth else max(dx, dy)
        if not length > 0:
            return np.zeros((0, 2), np.int64)
        length = min(length, F32(LONGEST))
        steps = np.arange(int(np.ceil(length)))
        place = (self.count + f32(steps)).astype(np.int64) // max(1, dyn.line_stipple_factor)
        self.count = self.count + np.ceil(length)
        on = dyn.line_stipple_pattern >> (place & 15) & 1
        change = np.diff(np.concatenate([[0], on, [0]]))
        starts, stops = np.nonzero(change > 0)[0], np.nonzero(change < 0)[0]
        limits = f32(np.stack([starts, stops], axis=1)) / length
        if len(stops) and stops[-1] == len(steps):
            limits[-1, 1] = 1
        each = np.tile(line, (len(limits), 1))
        flat = np.full(len(limits), provoking)
        numbers = []
        for t in limits.T:
            rows = vertices.mix((each[:, 0], each[:, 1]), (on_the_way(vertices, each, t), t),
                                flat, slice(X, RECIP_W + 1))  # fmt: skip
            numbers.append(vertices.append(rows))
        return np.stack(numbers, axis=1)
