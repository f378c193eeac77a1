# SPDX-License-Identifier: MIT
"""Smooth polygons against areas in numpy: coverage, what shares an edge, one fragment a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.pipe.state import DepthStencilAlpha, Multisample, Rasterizer, RtBlend, StencilSide
from tests.unit.pipe_llvm.harness import Bench
from tests.unit.pipe_llvm.test_raster import random_triangles

SMOOTH = Rasterizer(poly_smooth=True)
ADD = RtBlend(True, rgb_src=0x0302, rgb_dst=1, alpha_src=1, alpha_dst=1)  # SRC_ALPHA, ONE
OVER = RtBlend(True, rgb_src=0x0302, rgb_dst=0x0303, alpha_src=1, alpha_dst=0x0303)
Places = NDArray[np.float64]


def clipped(polygon: Places, axis: int, limit: float, sign: int) -> Places:
    """What of a polygon has sign * coordinate <= sign * limit."""
    if not len(polygon):
        return polygon
    out = []
    far = sign * (polygon[:, axis] - limit)
    for here, there, d, e in zip(polygon, np.roll(polygon, -1, 0), far, np.roll(far, -1)):
        if d <= 0:
            out.append(here)
        if (d < 0 < e) or (e < 0 < d):
            out.append(here + (there - here) * d / (d - e))
    return np.array(out).reshape(-1, 2)


def left_of(polygon: Places, limits: Places) -> Places:
    """The area of a polygon's part with x <= limit, for each limit: Green's integral of
    min(x, limit) dy around it, which is the same for any place to begin; its sign is the
    winding's."""
    begin, end = polygon[None, :, 0], np.roll(polygon[:, 0], -1)[None]
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    limit = limits[:, None]
    cut = np.clip(limit, low, high)
    # Along an edge: the mean of x up to the cut, then the limit itself.
    length = np.where(high > low, high - low, 1.0)
    mean = ((cut - low) * (low + cut) / 2 + (high - cut) * cut) / length
    mean = np.where(high > low, mean, low) + np.minimum(limit - low, 0.0)
    return np.asarray((mean * (np.roll(polygon[:, 1], -1) - polygon[:, 1])).sum(axis=1))


def areas(polygon: Places, width: int, height: int) -> Places:
    """The part of each pixel that a convex polygon covers."""
    out = np.zeros((height, width))
    grid = np.rint(polygon * 256) / 256
    for y in range(height):
        row = clipped(clipped(grid, 1, y, -1), 1, y + 1, 1)
        if len(row):
            out[y] = np.abs(np.diff(left_of(row, np.arange(width + 1.0))))
    return out


def colored(places: Places, color: tuple[float, ...] = (1, 1, 1, 1)) -> NDArray[np.float32]:
    """Vertices of triangles, (n, 3, 8), from (n, 3, 2)."""
    n = len(places)
    rest = np.broadcast_to(np.array([0.5, 1, *color], np.float32), (n, 3, 6))
    return np.concatenate([places.astype(np.float32), rest], 2)


def fan(corners: Places) -> NDArray[np.float32]:
    """The triangles of a convex polygon."""
    triangles = [[corners[0], a, b] for a, b in zip(corners[1:], corners[2:])]
    return colored(np.array(triangles))


def ring(x: float, y: float, size: float, count: int) -> Places:
    """Corners around a place."""
    turn = 2 * np.pi * np.arange(count) / count + 0.1
    return np.stack([x + size * np.cos(turn), y + size * np.sin(turn)], 1)


@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("spread", [0.7, 3.0, 20.0, 5000.0])
def test_alpha_is_the_area(spread: float, samples: int) -> None:
    bench = Bench(50, 40, samples=samples)
    plan = bench.plan(rast=SMOOTH, multisample=Multisample())
    for tri in random_triangles(12, 40, int(spread * 10), spread):
        tri[:, 4:] = 1
        bench.clear()
        bench.triangles(plan, tri[None])
        wanted = areas(tri[:, :2].astype(float), 50, 40)
        assert np.abs(bench.pixels()[..., 3] - 255 * wanted).max() < 1.2, tri


def test_what_shares_an_edge_adds_up() -> None:
    bench = Bench(40, 40)
    plan = bench.plan(rast=SMOOTH, blend=ADD)
    lots = np.random.default_rng(1)
    for reach in (30.0, 400.0, 9000.0):
        for _ in range(25):
            middle = lots.uniform(10, 30, 2)
            turns = lots.uniform(0.1, 1.0) + np.arange(5) * (2 * np.pi / 5)
            turns = turns + lots.uniform(-0.4, 0.4, 5)
            outer = middle + reach * np.stack([np.cos(turns), np.sin(turns)], 1)
            triangles = [[middle, one, two] for one, two in zip(outer, np.roll(outer, -1, 0))]
            bench.clear()
            bench.triangles(plan, colored(np.array(triangles)))
            wanted = sum(areas(np.array(triangle), 40, 40) for triangle in triangles)
            # each of the five parts of a pixel is rounded to a whole number of alpha
            got = bench.pixels()[..., 3].astype(int)
            assert np.abs(got - 255 * wanted).max() <= 2.5, middle


@pytest.mark.parametrize("count", [4, 9, 300])
def test_a_polygon_is_one_fragment_a_pixel(count: int) -> None:
    """300: more triangles than a chunk of a bin holds commands, many within one pixel."""
    size = 3.0 if count == 300 else 28.0
    bench = Bench(70, 70)
    stencil = StencilSide(zpass=0x1E02)  # INCR
    dsa = DepthStencilAlpha(stencil_front=stencil, stencil_back=stencil)
    plan = bench.plan(rast=SMOOTH, blend=OVER, dsa=dsa)
    corners = ring(33.3, 34.6, size, count)
    triangles = fan(corners)
    bench.clear(stencil=0)
    for part in np.array_split(np.arange(len(triangles)), 3):  # of several packets
        bench.triangles(plan, triangles[part], polygons=7)
    wanted = areas(corners, 70, 70)
    got = bench.pixels()[..., 3]
    assert np.abs(got - 255 * wanted).max() < 1.5
    assert (got[wanted > 0.9999] == 255).all()
    fragments = bench.depth_words() >> 24
    assert fragments.max() == 1
    assert (fragments[wanted > 0.001] == 1).all()
    assert (fragments[wanted == 0] == 0).all()


def test_colour_is_that_of_what_is_covered() -> None:
    """A ramp of colour: the mean over the covered part, not the colour of the pixel's centre."""
    bench = Bench(16, 16)
    places = np.array([[[2.75, 2.0], [12.0, 2.0], [2.75, 14.0]]])
    triangles = colored(places)
    triangles[0, :, 4] = triangles[0, :, 0] / 16
    bench.clear()
    bench.triangles(bench.plan(rast=SMOOTH), triangles)
    red = bench.pixels()[..., 0]
    assert red[6, 2] == pytest.approx(255 * 2.875 / 16, abs=1)
    assert red[6, 4] == pytest.approx(255 * 4.5 / 16, abs=1)


def test_lines_and_points_of_polygons_stay_as_they_are() -> None:
    plain, smooth = Bench(64, 64), Bench(64, 64)
    triangles = random_triangles(200, 64, 5, 9.0)
    for bench, rast in ((plain, Rasterizer()), (smooth, SMOOTH)):
        bench.clear()
        bench.triangles(bench.plan(rast=rast), triangles, prim=1)
    assert np.array_equal(plain.raw(), smooth.raw())


def test_the_scissor_cuts_whole_pixels() -> None:
    bench = Bench(64, 64)
    bench.dyn.scissor_x0, bench.dyn.scissor_y0 = 5, 6
    bench.dyn.scissor_x1, bench.dyn.scissor_y1 = 30, 31
    bench.clear(buffers=0)
    bench.triangles(bench.plan(rast=SMOOTH), fan(ring(20, 20, 200, 5)), polygons=1)
    alpha = bench.pixels()[..., 3]
    assert (alpha[6:31, 5:30] == 255).all()
    alpha[6:31, 5:30] = 0
    assert not alpha.any()
