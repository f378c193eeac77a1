# SPDX-License-Identifier: MIT
"""Points and lines: the pixels they cover, against GL's rules."""

from __future__ import annotations

import ctypes
import functools
import math
from typing import Any

import numpy as np
import pytest

from pipe_llvm.native import PLAN_BOXES
from pipe_llvm.setup.point import point_box
from pydri.jit import Module, f32, i32, kernel, ptr, u32, void

from .fake import Drawing, pipeline

POINTS, LINES, LINE_LOOP, LINE_STRIP = range(4)
SIZE = 64


def drawing(window: np.ndarray, width: float = 1.0, w: np.ndarray | None = None,
            **more: bool) -> Drawing:  # fmt: skip
    """Vertices at places of the window (surface space); vertex n has the colour n."""
    d = Drawing(pipeline(prim=1, **more))
    d.plan.flags |= PLAN_BOXES
    pos = np.zeros((len(window), 4), np.float32)
    pos[:, 0] = window[:, 0] / (SIZE / 2) - 1
    pos[:, 1] = 1 - window[:, 1] / (SIZE / 2)
    pos[:, 3] = 1
    if w is not None:
        pos *= w[:, None]
    color = np.zeros((len(window), 4), np.float32)
    color[:, 0] = np.arange(len(window))
    d.attribute(0, pos)
    d.attribute(2, color)
    d.viewport(0, 0, SIZE, SIZE)
    d.dyn.line_width = d.dyn.point_size = width
    return d


def pixels(drawn: np.ndarray) -> dict[tuple[int, int], float]:
    """Pixel -> colour of the triangles; a pixel hit twice is an error (but for edges)."""
    out: dict[tuple[int, int], float] = {}
    centre = np.arange(SIZE) + 0.5
    x, y = np.meshgrid(centre, centre)
    for tri in drawn.astype(np.float64):
        p = tri[:, :2]
        det = (p[1, 0] - p[0, 0]) * (p[2, 1] - p[0, 1]) - (p[2, 0] - p[0, 0]) * (p[1, 1] - p[0, 1])
        if not det:
            continue
        weights = []
        for i in range(3):
            a, c = p[(i + 1) % 3], p[(i + 2) % 3]
            weights.append(((c[0] - a[0]) * (y - a[1]) - (c[1] - a[1]) * (x - a[0])) / det)
        inside = np.all([wt >= -1e-9 for wt in weights], axis=0)
        value = sum(wt * tri[i, 4] for i, wt in enumerate(weights))
        for row, column in np.argwhere(inside):
            out[int(column), int(row)] = float(value[row, column])
    return out


def in_diamond(x: float, y: float) -> bool:
    return abs(x - math.floor(x) - 0.5) + abs(y - math.floor(y) - 0.5) < 0.5


def line_columns(a: np.ndarray, b: np.ndarray) -> set[int]:
    """Columns of an x-major line, by walking it in small steps through the diamonds."""
    steps = 20000
    t = np.linspace(0, 1, steps)
    x, y = a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
    px, py = np.floor(x), np.floor(y)
    inside = np.abs(x - px - 0.5) + np.abs(y - py - 0.5) < 0.5
    left = {(int(px[i]), int(py[i])) for i in range(steps) if inside[i]}
    end = (int(px[-1]), int(py[-1])) if inside[-1] else None
    return {p[0] for p in left if p != end}


@pytest.mark.parametrize("seed", range(60))
def test_lines_follow_the_diamonds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.uniform(5, 59, 2)
    b = a + rng.uniform(-1, 1, 2) * rng.choice([1.3, 5, 40])
    b = np.clip(b, 2, 62)
    hit = set(pixels(drawing(np.array([a, b])).draw(LINES, 2).drawn))
    major = int(abs(b[1] - a[1]) > abs(b[0] - a[0]))
    wanted = line_columns(a[::-1], b[::-1]) if major else line_columns(a, b)
    assert {p[major] for p in hit} == wanted
    assert len(hit) == len(wanted)  # one pixel a column
    for column in hit:
        along = column[major] + 0.5
        across = a[1 - major] + (along - a[major]) * (b - a)[1 - major] / (b - a)[major]
        assert abs(column[1 - major] + 0.5 - across) <= 0.5001


def test_joined_segments_share_no_pixel() -> None:
    rng = np.random.default_rng(1)
    corners = np.cumsum(rng.uniform(-1, 1, (400, 2)) * 3, axis=0) % 40 + 10
    for a, b, c in zip(corners, corners[1:], corners[2:], strict=False):
        if (b - a)[0] * (c - b)[0] <= 0 or any(abs(s[1]) > abs(s[0]) for s in (b - a, c - b)):
            continue  # only x-major pairs that go on in one direction
        d = drawing(np.array([a, b, b, c]))
        drawn = d.draw(LINES, 4).drawn
        one = set(pixels(d.draw(LINES, 2).drawn))
        two = set(pixels(d.draw(LINES, 2, 2).drawn))
        assert not {p[0] for p in one} & {p[0] for p in two}
        columns = {p[0] for p in pixels(drawn)}
        assert columns == set(range(min(columns), max(columns) + 1)) if columns else True


@pytest.mark.parametrize(
    "width,pixels_across", [(0.2, 1), (1, 1), (1.4, 1), (2, 2), (3.4, 3), (5, 5)]
)
def test_line_width(width: float, pixels_across: int) -> None:
    d = drawing(np.array([[10.25, 20.3], [30.25, 20.3], [10.3, 10.2], [10.3, 40.2]]), width)
    assert len(pixels(d.draw(LINES, 2).drawn)) == 20 * pixels_across
    assert len(pixels(d.draw(LINES, 2, 2).drawn)) == 30 * pixels_across


@pytest.mark.parametrize("count", [1, 15, 16, 17, 70])
def test_lines_of_a_group_are_as_each_alone(count: int) -> None:
    """Some are clipped, some have no pixel, and their order is that of the draw."""
    rng = np.random.default_rng(count)
    ends = rng.uniform(-20, 84, (count, 1, 2)) + rng.uniform(-1, 1, (count, 2, 2)) * 12
    ends[::7, 1] = ends[::7, 0]
    d = drawing(ends.reshape(-1, 2), 3.0, w=rng.uniform(0.5, 3, 2 * count).astype(np.float32))
    together = d.draw(LINES, 2 * count).drawn
    alone = [d.draw(LINES, 2, 2 * n).drawn for n in range(count)]
    assert np.array_equal(together, np.concatenate(alone))


def test_line_colours_and_perspective() -> None:
    """Colour along a line: linear in 2D, hyperbolic where w differs."""
    ends = np.array([[4.5, 8.2], [54.5, 8.2]])
    for (x, _), value in pixels(drawing(ends).draw(LINES, 2).drawn).items():
        assert value == pytest.approx((x + 0.5 - 4.5) / 50, abs=1e-5)
    d = drawing(ends, w=np.array([1.0, 4.0]))
    for corner in d.draw(LINES, 2).drawn.reshape(-1, 16):
        t = (corner[0] - 4.5) / 50
        assert corner[3] == pytest.approx(1 + t * (0.25 - 1), abs=1e-5)
        assert corner[4] == pytest.approx(t * 0.25 / (1 - t + t * 0.25), abs=1e-4)


def test_loops_and_strips() -> None:
    corners = np.array([[10.2, 10.2], [40.2, 10.2], [40.2, 40.2], [10.2, 40.2]])
    d = drawing(corners)
    assert len(d.draw(LINE_STRIP, 4).drawn) == 6
    loop = d.draw(LINE_LOOP, 4).drawn
    assert len(loop) == 8
    assert {3.0, 0.0} == {round(v) for v in loop[6:, :, 4].ravel().tolist()}
    # the parts of a loop that was cut: no closing line, no line from the carried first vertex
    assert len(d.draw(LINE_LOOP, 4, flags=1).drawn) == 6
    assert len(d.draw(LINE_LOOP, 4, flags=0).drawn) == 4
    assert len(d.draw(LINE_LOOP, 4, flags=2).drawn) == 6
    indices = np.array([0, 1, 2, 3], np.uint8)
    np.testing.assert_array_equal(d.draw(LINE_LOOP, 4, indices=indices).drawn, loop)
    assert [prim for _, prim in d.calls] == [1]


@pytest.mark.parametrize("count", [9000, 50000])
def test_long_loops(count: int) -> None:
    """A loop of more vertices than a chunk has one line for each vertex."""
    angle = np.arange(count) * 2 * np.pi / count
    ring = np.stack([32 + 30 * np.cos(angle), 32 + 30 * np.sin(angle)], 1)
    ring[::2] += 1.0
    d = drawing(ring)
    ends = np.concatenate([np.zeros((0, 16)), d.draw(LINE_LOOP, count).drawn[:, 0]])
    assert len(ends) >= 1.8 * count  # two triangles for nearly each line
    d.draw(LINE_LOOP, count)
    from pydri.util.stats import INDEX

    assert int(d.stats[INDEX["primitives"]]) == 2 * count


def test_flat_lines_take_the_provoking_end() -> None:
    ends = np.array([[10.0, 10.0], [40.0, 12.0]])
    for first in (False, True):
        d = drawing(ends, provoking_first=first)
        d.plan.primitive.flat[0] = 0xF0
        assert set(d.draw(LINES, 2).drawn[:, :, 4].ravel().tolist()) == {0.0 if first else 1.0}


def test_lines_are_clipped() -> None:
    d = drawing(np.array([[10.0, 10.0], [50.0, 10.0]]))
    pos = np.frombuffer(d.keep[0].data, np.float32).reshape(-1, 4).copy()
    pos[1, 2] = -3  # from z 0 to -3: a third is in front of the near plane
    d.attribute(0, pos)
    columns = sorted(p[0] for p in pixels(d.draw(LINES, 2).drawn))
    assert columns[0] == 10 and columns[-1] in (22, 23)
    pos[0, 2] = -2
    d.attribute(0, pos)
    assert d.draw(LINES, 2).calls == []


@kernel(void, (ptr(f32), ptr(f32), ptr(f32), u32, ptr(i32)))
def boxes_of(b: Any, x: Any, y: Any, size: Any, flip: Any, out: Any) -> None:
    """point_box of sixteen points: four vectors."""
    vectors = [p.load(f32.vec(16), align=4) for p in (x, y, size)]
    for n, v in enumerate(point_box(b, *vectors, flip != 0)):
        (out + 16 * n).store(v, align=4)


@functools.cache
def box_kernel() -> Any:
    address = Module("boxes_of", [boxes_of]).compile().address("boxes_of")
    return ctypes.CFUNCTYPE(
        None, *[ctypes.c_void_p] * 3, ctypes.c_uint32, ctypes.c_void_p
    )(address)  # fmt: skip


@pytest.mark.parametrize("size,side", [
    (0.3, 1), (1, 1), (1.5, 1), (1.6, 2), (2.5, 2), (2.51, 3), (3, 3), (8.2, 8), (math.nan, 1),
    (1e9, 255),
])  # fmt: skip
@pytest.mark.parametrize("flip", [0, 1])
def test_point_boxes(size: float, side: int, flip: int) -> None:
    places = [(20.3, 30.7), (20.5, 30.5), (20.0, 30.0), (-3.2, 5.999), (20.499, 30.999)]
    x, y = (np.array([p[n] for p in places] + [0] * 11, np.float32) for n in range(2))
    sizes, out = np.full(16, size, np.float32), np.zeros((4, 16), np.int32)
    where = (a.ctypes.data for a in (x, y, sizes))
    box_kernel()(*where, flip, out.ctypes.data)
    for place, box in zip(places, out.T.tolist(), strict=False):
        assert box[2] - box[0] == box[3] - box[1] == side - 1
        # GL 2.1, 3.3.1, in the window's y, which grows upwards if flipped; on a grid of 1/256
        at = [round(v * 256) / 256 for v in place]
        at[1] = SIZE - at[1] if flip else at[1]
        centre = [math.floor(v) + 0.5 if side % 2 else math.floor(v + 0.5) for v in at]
        centre[1] = SIZE - centre[1] if flip else centre[1]
        assert [(box[n] + box[n + 2] + 1) / 2 for n in range(2)] == centre


def points_of(d: Drawing) -> list[float]:
    """The colours of the points that are drawn, in order."""
    assert d.calls == [] and {prim for _, prim in d.points} <= {0}
    return [float(row[4]) for rows, _ in d.points for row in rows]


def test_points_are_clipped_by_their_centre() -> None:
    places = np.array([[1.0, 1.0], [-1.0, 5.0], [5.0, 70.0], [63.0, 63.0]])
    assert points_of(drawing(places, 9.0).draw(POINTS, 4)) == [0, 3]
    many = np.tile(places, (20, 1))
    kept = [n for n in range(80) if n % 4 in (0, 3)]
    assert points_of(drawing(many).draw(POINTS, 80)) == kept
    order = np.array(kept[::-1] + [1, 2], np.uint16)
    assert points_of(drawing(many).draw(POINTS, len(order), indices=order)) == kept[::-1]


def test_many_points_go_in_portions() -> None:
    d = drawing(np.tile([[20.5, 20.5]], (20000, 1)))
    assert points_of(d.draw(POINTS, 20000)) == list(range(20000))
