# SPDX-License-Identifier: MIT
"""Clipping against a plain Sutherland-Hodgman in double precision; shared edges; odd numbers."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_llvm.native import GUARD_BAND

from .fake import Drawing, pipeline

TRIANGLES, LINES = 4, 1
SIZE = 256.0


def varied(b) -> None:
    """Position, a smooth, a flat and a noperspective colour."""
    b.store_output(b.load_input(0, 4), 0)
    for slot in (1, 2, 3):
        b.store_output(b.load_input(slot, 2), 31 + slot)


def planes(b) -> None:
    """The same, and two distances to user planes."""
    varied(b)
    b.store_output(b.load_input(0, 2), 17)


def drawing(pos: np.ndarray, width: int = 0, clip_planes: int = 0, **more: bool) -> Drawing:
    elements = ((0, "R32G32B32A32_FLOAT"), *((s, "R32G32_FLOAT") for s in (1, 2, 3)))
    inputs = ((32, 2), (33, 2, "flat"), (34, 2, "noperspective"))

    build = planes if clip_planes else varied
    state = pipeline(build, elements, inputs, (0, 17, 32, 33, 34), clip_planes=clip_planes, **more)
    d = Drawing(state, width)
    at = [d.layout.offset_of(s) for s in (32, 33, 34)]
    for n in range(2):
        d.plan.primitive.flat[(at[1] + n) // 32] |= 1 << (at[1] + n) % 32
        d.plan.primitive.noperspective[(at[2] + n) // 32] |= 1 << (at[2] + n) % 32
    d.varying = at
    rng = np.random.default_rng(9)
    d.colors = [rng.uniform(0, 1, (len(pos), 2)).astype(np.float32) for _ in range(3)]
    d.attribute(0, pos.astype(np.float32))
    for slot in (1, 2, 3):
        d.attribute(slot, d.colors[slot - 1])
    d.viewport(0, 0, SIZE, SIZE)
    return d


def planes_of(user: int = 0, depth: bool = True) -> list[np.ndarray]:
    g, h = GUARD_BAND, SIZE / 2
    out = [[h, 0, 0, h + g], [-h, 0, 0, g - h], [0, -h, 0, h + g], [0, h, 0, g - h]]
    if depth:
        out += [[0, 0, 1, 1], [0, 0, -1, 1]]
    out += [[float(n == c) for c in range(4)] for n in range(8) if user >> n & 1]
    return [np.array(p, np.float64) for p in out]


def clip_polygon(corners: list[np.ndarray], planes: list[np.ndarray]) -> list[np.ndarray]:
    """Corners are homogeneous positions with barycentric weights behind them."""
    for plane in planes:
        out = []
        for i, here in enumerate(corners):
            there = corners[(i + 1) % len(corners)]
            a, b = here[:4] @ plane, there[:4] @ plane
            if a >= 0:
                out.append(here)
            if (a >= 0) != (b >= 0):
                out.append(here + a / (a - b) * (there - here))
        corners = out
        if len(corners) < 3:
            return []
    return corners


def window(p: np.ndarray) -> np.ndarray:
    return np.array([p[0] / p[3] * SIZE / 2 + SIZE / 2, -p[1] / p[3] * SIZE / 2 + SIZE / 2])


def area(points: np.ndarray) -> float:
    x, y = points[:, 0], points[:, 1]
    return float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2)


def random_triangles(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pos = rng.normal(size=(3 * n, 4)) * [2, 2, 2, 1] + [0, 0, 0, 1]
    pos[: n // 2, :2] *= 200  # some beyond the guard band
    return pos.astype(np.float32)


@pytest.mark.parametrize("user,width", [(0, 128), (0, 512), (0b11, 256)])
def test_triangles(user: int, width: int) -> None:
    """Area, places and varyings of what is left of random triangles."""
    pos = random_triangles(300, user)
    d = drawing(pos, width, user)
    seen = 0
    for t in range(300):
        drawn = d.draw(TRIANGLES, 3, 3 * t).drawn
        corners = [np.concatenate([pos[3 * t + i].astype(float), np.eye(3)[i]]) for i in range(3)]
        polygon = clip_polygon(corners, planes_of(user))
        if len(polygon) < 3:
            wanted = 0.0
        else:
            places = np.array([window(p) for p in polygon])
            wanted = area(places)
        got = sum(area(tri[:, :2].astype(float)) for tri in drawn)
        extent = max(1.0, np.abs(drawn[:, :, :2]).max() if len(drawn) else 1.0)
        assert got == pytest.approx(wanted, abs=float(1e-5 * extent**2)), t
        for tri in drawn:
            seen += 1
            # flat varyings are those of the last vertex, at the provoking corner
            at = d.varying[1]
            np.testing.assert_array_equal(tri[2, at : at + 2], d.colors[1][3 * t + 2])
            for corner in tri:
                near = min(polygon, key=lambda p: float(np.abs(window(p) - corner[:2]).sum()))
                smooth = near[4:] @ d.colors[0][3 * t : 3 * t + 3].astype(float)
                at = d.varying[0]
                if np.linalg.norm(window(near) - corner[:2]) < 1e-3 * extent:
                    apart = [np.linalg.norm(window(p) - window(near)) for p in polygon]
                    close = [a for a in apart if a < 4e-3 * extent]
                    if len(close) == 1:
                        np.testing.assert_allclose(corner[at : at + 2], smooth, atol=2e-3)
                        np.testing.assert_allclose(corner[3], 1 / near[3], rtol=2e-3)
    assert seen > 150


def test_noperspective_is_linear_in_the_window() -> None:
    """A triangle cut by the far plane: the new corners' values follow their window position."""
    pos = np.array([[-1, -1, 0, 1], [4, -4, 8, 4], [0, 4, 0, 4]], np.float32)
    d = drawing(pos)
    drawn = d.draw(TRIANGLES, 3).drawn
    assert len(drawn) == 2
    corners = np.array([window(p.astype(float)) for p in pos])
    at = d.varying[2]
    for corner in drawn.reshape(-1, drawn.shape[2]):
        system = np.vstack([corners.T, np.ones(3)])
        weights = np.linalg.solve(system, [corner[0], corner[1], 1.0])
        np.testing.assert_allclose(corner[at : at + 2], weights @ d.colors[2], atol=1e-4)


def test_shared_edges_meet_to_the_bit() -> None:
    """Both triangles of an edge get the same new vertex, whichever way they run along it."""
    pos = random_triangles(200, 4)
    d = drawing(pos)
    checked = 0
    for t in range(200):
        a, b, c = 3 * t, 3 * t + 1, 3 * t + 2
        other = (c + 1) % len(pos)
        one = d.draw(TRIANGLES, 3, indices=np.array([a, b, c], np.uint16)).drawn[..., :4]
        two = d.draw(TRIANGLES, 3, indices=np.array([b, a, other], np.uint16)).drawn[..., :4]
        planes = planes_of()
        ends = [pos[v].astype(float) for v in (a, b)]
        cuts = [p for p in planes if (ends[0] @ p >= 0) != (ends[1] @ p >= 0)]
        if len(cuts) != 1 or not len(one) or not len(two):
            continue
        x, y = (e @ cuts[0] for e in ends)
        place = ends[0] + x / (x - y) * (ends[1] - ends[0])
        if any(place @ p < -1e-3 for p in planes):
            continue
        rows = [{tuple(r) for r in z.reshape(-1, 4).tolist()} for z in (one, two)]
        target = window(place)
        near = [r for r in rows[0] if np.linalg.norm(np.array(r[:2]) - target) < 0.05]
        assert near, "a vertex where the edge is cut"
        assert any(r in rows[1] for r in near)
        checked += 1
    assert checked >= 50


def test_order_and_rejection() -> None:
    """Whole, clipped and invisible triangles: the order stays, what lies outside is dropped."""
    inside = [[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, 0, 1]]
    cut = [[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, -3, 1]]
    outside = [[-0.5, -0.5, -2, 1], [0.5, -0.5, -3, 1], [0, 0.5, -2, 1]]
    pos = np.array(inside + cut + outside + inside, np.float32)
    d = drawing(pos)
    numbers = d.draw(TRIANGLES, 12).triangles
    assert numbers[0].tolist() == [0, 1, 2] and numbers[-1].tolist() == [9, 10, 11]
    assert len(numbers) == 4
    at = d.varying[1]
    flat = [row[2, at] for row in d.drawn]
    assert flat == [d.colors[1][n, 0] for n in (2, 5, 5, 11)]


def test_many_clipped_triangles_go_in_portions() -> None:
    """More new vertices than the stream has room for: same result, in several calls."""
    cut = np.array([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, -3, 1]], np.float32)
    d = drawing(np.tile(cut, (2700, 1)))
    drawn = d.draw(TRIANGLES, 8100).drawn
    assert len(drawn) == 5400 and len(d.calls) > 1
    assert (drawn[::2, :, :4] == drawn[0, :, :4]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e38, -1e38])
def test_wild_numbers(bad: float) -> None:
    base = np.array([[-0.5, -0.5, 0, 1], [0.5, -0.5, 0, 1], [0, 0.5, -3, 1]], np.float32)
    for vertex in range(3):
        for component in range(4):
            pos = base.copy()
            pos[vertex, component] = bad
            drawn = drawing(pos).draw(TRIANGLES, 3).drawn
            assert np.isfinite(drawn[:, :, :4]).all()
            assert (np.abs(drawn[:, :, :2]) < GUARD_BAND * 1.01).all()


def test_degenerate_w() -> None:
    for pos in ([[0, 0, 0, 0]] * 3, [[0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 0, 1]]):
        drawn = drawing(np.array(pos, np.float32)).draw(TRIANGLES, 3).drawn
        assert np.isfinite(drawn[:, :, :4]).all()


def test_depth_clamp_cuts_at_the_eye_only() -> None:
    """Without near and far planes z may be anything, but w stays positive."""
    pos = np.array([[-0.5, -0.5, -9, 1], [0.5, -0.5, 9, 1], [0, 0.8, 0, -1]], np.float32)
    drawn = drawing(pos, depth_clamp=True).draw(TRIANGLES, 3).drawn
    assert len(drawn) >= 1 and (drawn[:, :, 3] > 0).all()
    assert np.isin([-9 * 0.5 + 0.5], drawn[:, :, 2]).all()
