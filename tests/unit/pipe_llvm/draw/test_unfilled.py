# SPDX-License-Identifier: MIT
"""Polygon modes: which edges and corners of which primitive are drawn, for which face."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_llvm.native import PLAN_BOXES, PLAN_FLAT, PLAN_UNFILLED, PRIM_BACK

from .fake import Drawing, pipeline

TRIANGLES, STRIP, FAN, QUADS, QUAD_STRIP, POLYGON = range(4, 10)
POINT, LINE, FILL = 0x1B00, 0x1B01, 0x1B02
SIZE = 64
BEGIN, END = 1, 2
EDGE = 15


def with_edge(b: object) -> None:
    """Position, colour and the edge flag (attribute 31)."""
    b.store_output(b.load_input(0, 4), 0)  # type: ignore[attr-defined]
    b.store_output(b.load_input(2, 4), 1)  # type: ignore[attr-defined]
    b.store_output(b.load_input(31, 1), EDGE)  # type: ignore[attr-defined]


def drawing(places: list[tuple[float, float]], front: int = LINE, back: int = LINE,
            edge: list[float] | None = None, **more: bool) -> Drawing:  # fmt: skip
    """Vertices at pixels of the window, y down; counter-clockwise (y up) is the front."""
    wide = "R32G32B32A32_FLOAT"
    state = pipeline(with_edge, ((0, wide), (2, wide), (31, "R32_FLOAT")), ((1, 4),), (0, 1, EDGE),
                     fill_front=front, fill_back=back, **more)  # fmt: skip
    d = Drawing(state)
    pos = np.zeros((len(places), 4), np.float32)
    pos[:, :2] = np.array(places, np.float32) / (SIZE / 2) - 1
    pos[:, 1] *= -1
    pos[:, 3] = 1
    color = np.zeros((len(places), 4), np.float32)
    color[:, 0] = np.arange(len(places))
    d.attribute(0, pos)
    d.attribute(2, color)
    d.attribute(31, np.array([1.0] * len(places) if edge is None else edge, np.float32))
    d.viewport(0, 0, SIZE, SIZE)
    d.dyn.line_width = d.dyn.point_size = 1
    d.dyn.front_negative = 1
    d.plan.flags |= PLAN_UNFILLED
    d.plan.primitive.fill_front, d.plan.primitive.fill_back = front, back
    d.plan.primitive.edge = d.layout.offset_of(EDGE)
    d.plan.primitive.offset_unit = 2.0**-24
    return d


# around a circle, counter-clockwise for GL
CIRCLE = [(32 + 24 * np.cos(a), 32 - 24 * np.sin(a)) for a in np.arange(8) * 0.77 + 0.1]
ZIGZAG = [(6 + 14 * (i // 2) + i % 2, 50 if i % 2 == 0 else 12) for i in range(8)]


def lines(d: Drawing) -> list[tuple[int, int]]:
    """Each parallelogram as (vertex, vertex), by the colours nearest to its ends' places."""
    out = []
    drawn = d.drawn
    for n in range(0, len(drawn), 2):
        ends = sorted({round(float(v)) for v in drawn[n : n + 2, :, 4].ravel()})
        out.append((ends[0], ends[-1]))
    return sorted(out)


def edges_of(pairs: str) -> list[tuple[int, int]]:
    return sorted((int(p[0]), int(p[1])) for p in pairs.split())


@pytest.mark.parametrize("mode, count, pairs", [
    (TRIANGLES, 6, "01 12 02 34 45 35"),
    (STRIP, 5, "01 12 02 12 23 13 23 34 24"),
    (FAN, 5, "01 12 02 02 23 03 03 34 04"),
    (QUADS, 8, "01 12 23 03 45 56 67 47"),
    (QUAD_STRIP, 6, "02 23 13 01 24 45 35 23"),
    (POLYGON, 6, "01 12 23 34 45 05"),
])  # fmt: skip
@pytest.mark.parametrize("first", [False, True])
def test_edges(mode: int, count: int, pairs: str, first: bool) -> None:
    d = drawing(ZIGZAG if mode in (STRIP, QUAD_STRIP) else CIRCLE, provoking_first=first)
    d.draw(mode, count)
    assert lines(d) == edges_of(pairs)
    assert {prim & 3 for _, prim in d.calls} == {1}


@pytest.mark.parametrize("mode, count, pairs", [
    (TRIANGLES, 6, "01 02 34 45"),
    (QUADS, 8, "01 23 03 45 67"),
    (POLYGON, 6, "01 23 34 05"),
    (FAN, 5, "01 12 02 02 23 03 03 34 04"),
])  # fmt: skip
def test_edge_flags(mode: int, count: int, pairs: str) -> None:
    flags = {1: 0.0, 5: 0.0, 7: 0.0} if mode == QUADS else {1: 0.0, 4: 0.0, 5: 1.0}
    if mode == TRIANGLES:
        flags = {1: 0.0, 5: 0.0}
    edge = [flags.get(n, 1.0) for n in range(8)]
    assert lines(drawing(CIRCLE, edge=edge).draw(mode, count)) == edges_of(pairs)


@pytest.mark.parametrize("flags, pairs", [
    (BEGIN, "01 12 23"), (END, "12 23 03"), (0, "12 23"), (BEGIN | END, "01 12 23 03"),
])  # fmt: skip
def test_cut_polygon(flags: int, pairs: str) -> None:
    assert lines(drawing(CIRCLE).draw(POLYGON, 4, flags=flags)) == edges_of(pairs)


def test_points_carry_the_polygons_colour() -> None:
    d = drawing(CIRCLE, POINT, POINT, flatshade=True)
    d.plan.flags |= PLAN_FLAT | PLAN_BOXES
    d.plan.primitive.flat[0] = 0xF0
    d.draw(TRIANGLES, 3)
    ((rows, prim),) = d.points
    assert (prim, d.calls) == (0, [])
    assert rows[:, 4].tolist() == [2.0] * 3
    assert np.allclose(rows[:, :2], CIRCLE[:3], atol=1e-3)


def test_faces() -> None:
    """Front faces filled, back faces as lines that say so; culling looks at the face first."""
    places = CIRCLE[:3] + CIRCLE[:3][::-1]
    d = drawing(places, FILL, LINE).draw(TRIANGLES, 6)
    assert [prim for _, prim in d.calls] == [2, 1 | PRIM_BACK]
    assert d.calls[0][0].tolist() == [[0, 1, 2]]
    assert len(d.calls[1][0]) == 6
    for cull, left in ((1, [1 | PRIM_BACK]), (2, [2]), (3, [])):
        d = drawing(places, FILL, LINE)
        d.dyn.cull = cull
        assert [prim for _, prim in d.draw(TRIANGLES, 6).calls] == left


def test_offset_is_the_polygons() -> None:
    """Lines are moved by the slope of the polygon, though along them depth does not change."""
    d = drawing([(10, 10), (10, 50), (50, 50)], LINE, LINE)
    d.attribute(0, np.array([[-0.7, 0.7, 0, 1], [-0.7, -0.6, 0, 1], [0.6, -0.6, 0.8, 1]],
                            np.float32))  # fmt: skip
    plain = d.draw(TRIANGLES, 3).drawn.copy()
    d.dyn.offset_flags, d.dyn.offset_factor, d.dyn.offset_units = 2, 3.0, 1024.0
    moved = d.draw(TRIANGLES, 3).drawn
    slope = 0.4 / (1.3 * SIZE / 2)
    assert np.allclose(moved[:, :, 2] - plain[:, :, 2], 3 * slope + 1024 * 2.0**-24, rtol=1e-4)
    d.dyn.offset_flags = 5  # of points and filled polygons
    assert np.array_equal(d.draw(TRIANGLES, 3).drawn, plain)


def test_clipped_edges_are_not_drawn() -> None:
    """A corner behind the far plane: two whole or shortened edges, none along the plane."""
    d = drawing(CIRCLE)
    pos = np.array([[-0.8, -0.8, 0, 1], [0.8, -0.8, 0, 1], [0, 0.8, 2, 1]], np.float32)
    d.attribute(0, pos)
    assert len(d.draw(TRIANGLES, 3).drawn) == 6
    assert d.drawn[:, :, 2].max() <= 1.0001
