# SPDX-License-Identifier: MIT
"""Clipping in clip coordinates, plane by plane (GL 2.1, 2.12).

An edge is cut from its inner vertex to its outer one, so that polygons which share it get the same
new vertex. What is smooth is interpolated in clip coordinates, what is linear in the window by the
place there, flat values are the provoking vertex'. What has a vertex that is no number, or no
positive w after clipping, is dropped. Polygons are few where they are cut: one at a time.
"""

from __future__ import annotations

import numpy as np

from pipe_soft.arrays import Arr
from pipe_soft.layout import CLIP, FIRST, RECIP_W, X
from pipe_soft.vertices import CULLS, USER, Vertices, W

MOST_CORNERS = 22  # of a cut polygon; three and one more for each plane are fewer


def cut(vertices: Vertices, inner: Arr, outer: Arr, t: Arr, provoking: Arr) -> Arr:
    """New vertices at inner + t * (outer - inner); their numbers."""
    p, q = vertices.rows[inner, CLIP:FIRST], vertices.rows[outer, CLIP:FIRST]
    clip = p + t[:, None] * (q - p)
    # how far the new vertex is on its way in the window, where outer has a place there
    share = np.where(q[:, 3] > 0, t * q[:, 3] / clip[:, 3], t)
    rows = vertices.mix((inner, outer), (t, share), provoking)
    rows[:, CLIP:FIRST] = clip
    rows[:, X : RECIP_W + 1] = vertices.view.project(clip)
    return vertices.append(rows)


def _distances(vertices: Vertices, numbers: Arr, flag: int, guard: bool) -> Arr:
    """Of vertices from a plane; NaN of those that are no numbers."""
    rows = vertices.rows[numbers]
    distance = dict(vertices.planes(rows, guard))[flag]
    known = np.abs(distance) < np.inf
    if flag < USER:
        known &= (np.abs(rows[:, CLIP:FIRST]) < np.inf).all(axis=1)
    return np.where(known, distance, np.float32(np.nan))


def clip_lines(vertices: Vertices, ends: Arr, provoking: Arr,
               edges: bool = False) -> tuple[Arr, Arr]:  # fmt: skip
    """The visible parts of lines (lines, 2), and which lines have one. The sides are the view
    volume's. `edges` of polygons are not culled: the polygons are."""
    flags = vertices.of_volume(ends.ravel()).reshape(ends.shape) & (~CULLS if edges else ~0)
    visible = (flags[:, 0] & flags[:, 1]) == 0
    ends, either = ends.copy(), flags[:, 0] | flags[:, 1]
    for n in range(14):
        flag = 1 << n
        lines = np.nonzero(visible & (either & flag != 0))[0]
        if not len(lines):
            continue
        here, there = (_distances(vertices, v, flag, False) for v in ends[lines].T)
        wild = np.isnan(here) | np.isnan(there)
        visible[lines[wild | ((here < 0) & (there < 0))]] = False
        for end, outside, t in (
            (0, (here < 0) & (there >= 0), there / (there - here)),
            (1, (there < 0) & (here >= 0), here / (here - there)),
        ):
            some = outside & ~wild
            at = lines[some]
            ends[at, end] = cut(vertices, ends[at, 1 - end], ends[at, end], t[some], provoking[at])
    w = vertices.rows[ends, CLIP + 3]
    return ends, visible & ((either == 0) | ((w[:, 0] > 0) & (w[:, 1] > 0)))


def clip_polygon(vertices: Vertices, corners: list[int], bounds: list[bool], planes: int,
                 provoking: int, guard: bool) -> tuple[list[int], list[bool]]:  # fmt: skip
    """What is left of a convex polygon, and of the edges that begin at its corners which are drawn:
    cuts along user planes are, those along the view volume are not, as the peer has it."""
    for n in range(14):
        flag = 1 << n
        if not planes & flag:
            continue
        distance = _distances(vertices, np.array(corners), flag, guard)
        if np.isnan(distance).any():
            return [], []
        made: list[int] = []
        drawn: list[bool] = []
        for i, corner in enumerate(corners):
            j = (i + 1) % len(corners)
            here, there = distance[i], distance[j]
            if here >= 0:
                made.append(corner)
                drawn.append(bounds[i])
            if (here >= 0) != (there >= 0):
                leaving = bool(here >= 0)
                inner, outer = (corner, corners[j]) if leaving else (corners[j], corner)
                near, far = (here, there) if leaving else (there, here)
                t = np.atleast_1d(near / (near - far))
                new = cut(vertices, _one(inner), _one(outer), t, _one(provoking))
                made.append(int(new[0]))
                drawn.append(flag >= USER if leaving else bounds[i])
        corners, bounds = made, drawn
        if not 3 <= len(corners) <= MOST_CORNERS:
            return [], []
    if not np.all(vertices.rows[corners, CLIP + 3] > 0):
        return [], []
    return corners, bounds


def _one(number: int) -> Arr:
    return np.array([number])


def clip_triangles(vertices: Vertices, corners: Arr, polygons: Arr) -> tuple[Arr, Arr]:
    """Triangles in order, without what is outside; and the number of the polygon of each."""
    flags = vertices.flags[corners]
    either = flags[:, 0] | flags[:, 1] | flags[:, 2]
    common = flags[:, 0] & flags[:, 1] & flags[:, 2]
    kept = common == 0
    if not np.any(either[kept]):
        return corners[kept], polygons[kept]
    out: list[tuple[int, int, int]] = []
    numbers: list[int] = []
    for n in np.nonzero(kept)[0]:
        v0, v1, v2 = (int(v) for v in corners[n])
        if either[n] == 0:
            made = [(v0, v1, v2)]
        else:
            planes = int(either[n]) & (W - 1)
            left, _ = clip_polygon(vertices, [v2, v0, v1], [True] * 3, planes, v2, True)
            made = fan(left, 0)
        out += made
        numbers += [int(polygons[n])] * len(made)
    return np.array(out, np.int64).reshape(-1, 3), np.array(numbers, np.int64)


def fan(corners: list[int], shared: int) -> list[tuple[int, int, int]]:
    """The triangles of a convex polygon, all with the corner number `shared` as their last."""
    turned = corners[shared:] + corners[:shared]
    return [(turned[i], turned[i + 1], turned[0]) for i in range(1, len(turned) - 1)]
