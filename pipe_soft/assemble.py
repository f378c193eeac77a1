# SPDX-License-Identifier: MIT
"""Primitive assembly: which vertices make which points, lines and triangles (GL 2.1, 2.6.1).

The last vertex of a triangle is the provoking one (GL 2.1, table 2.12; of polygons it is the
first), and its order keeps the winding. A quadrilateral is two triangles that share its fourth
vertex. With "first vertex provokes" quadrilaterals keep their last one
(GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION is false, as the peer has it) and polygons their first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipe_soft.arrays import Arr
from pydri.pipe.native import PRIM_BEGIN, PRIM_END

(POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN, QUADS, QUAD_STRIP,
 POLYGON, LINES_ADJACENCY, LINE_STRIP_ADJACENCY, TRIANGLES_ADJACENCY,
 TRIANGLE_STRIP_ADJACENCY) = range(14)  # fmt: skip
#: the mode of what is left without the adjacent vertices
_WITHOUT = {
    LINES_ADJACENCY: LINES, LINE_STRIP_ADJACENCY: LINE_STRIP, TRIANGLES_ADJACENCY: TRIANGLES,
    TRIANGLE_STRIP_ADJACENCY: TRIANGLE_STRIP,
}  # fmt: skip
#: the edges of a triangle: from its first to its second corner, second to third, third to first
FIRST, SECOND, THIRD = 1, 2, 4
ALL = FIRST | SECOND | THIRD


class Primitives(NamedTuple):
    """Vertex numbers (primitives, corners), and of triangles what makes them polygons."""

    corners: Arr
    edges: Arr  # which edges are the polygon's
    begins: Arr  # whether a polygon begins with this triangle, or a line's pattern with this line


def _grid(count: int, steps: int, offsets: list[int]) -> Arr:
    return np.arange(count)[:, None] * steps + np.array(offsets)


def assemble(mode: int, count: int, flags: int, first_provokes: bool) -> Primitives:
    """Primitives of `count` vertices, as numbers 0 .. count-1; flags: PRIM_BEGIN, PRIM_END."""
    if mode == POINTS:
        return _plain(_grid(count, 1, [0]))
    if mode <= LINE_STRIP:
        return _lines(mode, count, flags)
    if mode in (QUADS, QUAD_STRIP):
        return _quads(mode, count)
    if mode == POLYGON:
        return _polygon(count, flags)
    if mode in _WITHOUT:
        return _without_adjacent(mode, count, flags, first_provokes)
    return _triangles(mode, count, first_provokes)


def plain_mode(mode: int) -> int:
    """The mode, of primitives with adjacent vertices that of those without."""
    return _WITHOUT.get(mode, mode)


def with_adjacent(mode: int, count: int, flags: int = PRIM_BEGIN | PRIM_END) -> Arr:
    """All vertices of each primitive, as a geometry shader gets them (OpenGL 3.2, 2.6.1). Of a
    strip of triangles that was cut the triangle at the cut is not there: its neighbours are not."""
    if mode == LINES_ADJACENCY:
        return _grid(count // 4, 4, [0, 1, 2, 3])
    if mode == LINE_STRIP_ADJACENCY:
        return _grid(max(0, count - 3), 1, [0, 1, 2, 3])
    if mode == TRIANGLES_ADJACENCY:
        return _grid(count // 6, 6, [0, 1, 2, 3, 4, 5])
    if mode != TRIANGLE_STRIP_ADJACENCY:
        return assemble(mode, count, flags, False).corners
    number = max(0, count // 2 - 2)
    # Triangle n has the vertices 2n, 2n + 2, 2n + 4; what lies beside its three edges (table 2.4):
    at = 2 * np.arange(number)
    before, beside, behind = at - 2, at + 3, at + 6
    before[:1] = 1  # of the first triangle
    behind[-1:] = at[-1:] + 5  # of the last one
    odd = (np.arange(number) & 1 == 1)[:, None]
    even_rows = np.stack([at, before, at + 2, behind, at + 4, beside], axis=1)
    odd_rows = np.stack([at + 2, before, at, beside, at + 4, behind], axis=1)
    whole = np.where(odd, odd_rows, even_rows)
    return whole[not flags & PRIM_BEGIN : number - (not flags & PRIM_END)]


def _without_adjacent(mode: int, count: int, flags: int, first_provokes: bool) -> Primitives:
    """Without a geometry shader nobody looks at the vertices beside a primitive."""
    whole = with_adjacent(mode, count, flags)
    if whole.shape[1] == 4:
        found = _plain(whole[:, 1:3], 0)
        if mode == LINE_STRIP_ADJACENCY:
            found.begins[1:] = False
            found.begins[:1] = bool(flags & PRIM_BEGIN)
        return found
    corners = whole[:, ::2]
    odd = corners[:, 0] > corners[:, 1]
    return _plain(provoked_first(corners, odd) if first_provokes else corners)


def provoked_first(corners: Arr, odd: Arr) -> Arr:
    """Triangles whose first vertex provokes, which is the last in the rows that come out; of `odd`
    ones in a strip, whose first two corners changed places, it is the second."""
    return np.where(odd[:, None], corners[:, [2, 0, 1]], corners[:, [1, 2, 0]])


def _plain(corners: Arr, edges: int = ALL) -> Primitives:
    count = len(corners)
    return Primitives(corners, np.full(count, edges), np.ones(count, np.bool_))


def _lines(mode: int, count: int, flags: int) -> Primitives:
    if mode == LINES:
        return _plain(_grid(count // 2, 2, [0, 1]))
    lines = _grid(max(0, count - 1), 1, [0, 1])
    if mode == LINE_LOOP and count > 1:
        # a part of a loop that does not begin it starts with the loop's first vertex, to close it
        lines = lines if flags & PRIM_BEGIN else lines[1:]
        if flags & PRIM_END:
            lines = np.concatenate([lines, [[count - 1, 0]]])
    begins = np.zeros(len(lines), np.bool_)
    begins[:1] = bool(flags & PRIM_BEGIN)
    return Primitives(lines, np.zeros(len(lines), np.int64), begins)


def _triangles(mode: int, count: int, first_provokes: bool) -> Primitives:
    if mode == TRIANGLES:
        first = [1, 2, 0] if first_provokes else [0, 1, 2]
        return _plain(_grid(count // 3, 3, first))
    number = max(0, count - 2)
    if mode == TRIANGLE_FAN:
        v = _grid(number, 1, [0, 1, 2])
        v[:, 0] = 0
        return _plain(v[:, [2, 0, 1]] if first_provokes else v)
    v = _grid(number, 1, [0, 1, 2])
    odd = (np.arange(number) & 1 == 1)[:, None]
    if first_provokes:
        return _plain(np.where(odd, v[:, [2, 1, 0]], v[:, [1, 2, 0]]))
    return _plain(np.where(odd, v[:, [1, 0, 2]], v))


def _quads(mode: int, count: int) -> Primitives:
    """Each is two triangles; the edge between them is nobody's."""
    if mode == QUADS:
        number, step, order = count // 4, 4, [0, 1, 3, 1, 2, 3]
    else:
        number, step, order = max(0, count // 2 - 1), 2, [2, 0, 3, 0, 1, 3]
    corners = _grid(number, step, order).reshape(-1, 3)
    edges = np.tile([FIRST | THIRD, FIRST | SECOND], number)
    return Primitives(corners, edges, np.tile([True, False], number))


def _polygon(count: int, flags: int) -> Primitives:
    number = max(0, count - 2)
    corners = _grid(number, 1, [1, 2, 0])
    corners[:, 2] = 0
    edges = np.full(number, FIRST)
    begins = np.zeros(number, np.bool_)
    if number:
        begins[0] = bool(flags & PRIM_BEGIN)
        edges[0] |= THIRD if flags & PRIM_BEGIN else 0
        edges[-1] |= SECOND if flags & PRIM_END else 0
    return Primitives(corners, edges, begins)
