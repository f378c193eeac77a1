# SPDX-License-Identifier: MIT
"""Evaluators against de Casteljau in numpy: values, normals, meshes, current values, errors."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import pydri.vbo.evaluators  # noqa: F401  registers glGetMap*
from pydri.api import enums as e
from pydri.vbo.context import MAP_DEFAULTS
from tests.unit.vbo.harness import GL

COLOR, NORMAL, TEX = 2, 1, 6


def casteljau(points: Any, t: float) -> Any:
    """The value of a Bezier curve by repeated interpolation over the first axis."""
    p = np.asarray(points, np.float64)
    while len(p) > 1:
        p = p[:-1] * (1 - t) + p[1:] * t
    return p[0]


def surface(points: Any, u: float, v: float) -> Any:
    return casteljau(casteljau(points, v), u)


def vertices(gl: GL) -> list[Any]:
    return [v for d in gl.take() for v in d.vertices]


def floats(gl: GL, kind: Any, name: str, *args: Any, count: int) -> list[float]:
    out = (kind * count)(*[-77] * count)
    gl.call(name, *args, ctypes.addressof(out))
    return list(out)


@pytest.mark.parametrize("order", [1, 2, 4, 9, 30])
@pytest.mark.parametrize("domain", [(0.0, 1.0), (2.0, -3.0)])
def test_curves(gl: GL, order: int, domain: tuple[float, float]) -> None:
    rng = np.random.default_rng(order)
    points = rng.uniform(-2, 2, (order, 5)).astype(np.float32)  # stride 5, 4 components
    gl.Map1f(e.GL_MAP1_VERTEX_4, *domain, 5, order, points.ravel().tolist())
    gl.Enable(e.GL_MAP1_VERTEX_4)
    gl.Begin(e.GL_POINTS)
    at = (0.0, 0.3, 0.75, 1.0)
    for t in at:
        gl.EvalCoord1f(domain[0] + t * (domain[1] - domain[0]))
    gl.End()
    found = vertices(gl)
    assert len(found) == 4
    for t, v in zip(at, found, strict=True):
        np.testing.assert_allclose(v[0], casteljau(points[:, :4], t), rtol=2e-6, atol=2e-6)


def test_every_form_of_coordinate(gl: GL) -> None:
    line = [0.0, 0.0, 0.0, 4.0, 8.0, 16.0]
    gl.Map1d(e.GL_MAP1_VERTEX_3, 0.0, 1.0, 3, 2, line)
    gl.Map2d(e.GL_MAP2_VERTEX_3, 0.0, 1.0, 3, 2, 0.0, 1.0, 6, 2, line + [0.0, 1.0, 0.0] * 2)
    gl.Enable(e.GL_MAP1_VERTEX_3)
    gl.Enable(e.GL_MAP2_VERTEX_3)
    gl.Begin(e.GL_POINTS)
    gl.EvalCoord1f(0.5)
    gl.EvalCoord1d(0.5)
    gl.EvalCoord1fv([0.5])
    gl.EvalCoord1dv([0.5])
    gl.EvalCoord2f(0.5, 0.0)
    gl.EvalCoord2d(0.5, 0.0)
    gl.EvalCoord2fv([0.5, 0.0])
    gl.EvalCoord2dv([0.5, 0.0])
    gl.EvalPoint1(1)
    gl.EvalPoint2(1, 0)
    gl.End()
    found = [v[0] for v in vertices(gl)]
    assert found == [(2.0, 4.0, 8.0, 1.0)] * 8 + [(4.0, 8.0, 16.0, 1.0)] * 2


def test_attributes_belong_to_the_vertex_and_current_values_stay(gl: GL) -> None:
    gl.Color4f(0.25, 0.5, 0.75, 1.0)
    gl.TexCoord4f(9.0, 8.0, 7.0, 6.0)
    gl.Map1f(e.GL_MAP1_VERTEX_3, 0.0, 1.0, 3, 2, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    gl.Map1f(e.GL_MAP1_COLOR_4, 0.0, 1.0, 4, 2, [0.0] * 4 + [1.0] * 4)
    gl.Map1f(e.GL_MAP1_TEXTURE_COORD_1, 0.0, 1.0, 1, 1, [5.0])
    gl.Map1f(e.GL_MAP1_TEXTURE_COORD_2, 0.0, 1.0, 2, 2, [0.0, 0.0, 1.0, 2.0])
    for cap in (
        e.GL_MAP1_VERTEX_3,
        e.GL_MAP1_COLOR_4,
        e.GL_MAP1_TEXTURE_COORD_1,
        e.GL_MAP1_TEXTURE_COORD_2,
    ):
        gl.Enable(cap)
    before = gl.state()
    gl.Begin(e.GL_POINTS)
    gl.Vertex2f(7.0, 7.0)
    gl.EvalCoord1f(0.5)
    gl.EvalCoord1f(1.0)
    gl.Vertex2f(8.0, 8.0)
    gl.End()
    plain, half, end, last = vertices(gl)
    assert plain[COLOR] == last[COLOR] == (0.25, 0.5, 0.75, 1.0)
    assert plain[TEX] == last[TEX] == (9.0, 8.0, 7.0, 6.0)
    assert half[COLOR] == (0.5,) * 4 and end[COLOR] == (1.0,) * 4
    assert half[TEX] == (0.5, 1.0, 0.0, 1.0) and end[TEX] == (1.0, 2.0, 0.0, 1.0)
    assert gl.state() == before
    gl.EvalCoord1f(0.5)  # outside of glBegin and glEnd there is no vertex, and nothing changes
    assert gl.state() == before and not gl.take()


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("flip", [False, True])
def test_surface_and_automatic_normal(gl: GL, size: int, flip: bool) -> None:
    rng = np.random.default_rng(7)
    points = rng.uniform(-1, 1, (3, 4, size))
    points[..., 2:] += 2.0
    u1, u2 = (3.0, 1.0) if flip else (1.0, 3.0)
    target = e.GL_MAP2_VERTEX_3 if size == 3 else e.GL_MAP2_VERTEX_4
    numbers = points.ravel().tolist()
    gl.Map2d(target, u1, u2, size, 4, -1.0, 1.0, 4 * size, 3, numbers)
    gl.Enable(target)
    gl.Enable(e.GL_AUTO_NORMAL)
    gl.Begin(e.GL_POINTS)
    gl.EvalCoord2d(1.5, 0.5)
    gl.End()
    (v,) = vertices(gl)

    def position(u: float, w: float) -> Any:
        p = surface(points, (u - u1) / (u2 - u1), (w + 1) / 2)
        return p[:3] / (p[3] if size == 4 else 1.0)

    h = 1e-5
    normal = np.cross(
        position(1.5 + h, 0.5) - position(1.5 - h, 0.5),
        position(1.5, 0.5 + h) - position(1.5, 0.5 - h),
    )
    np.testing.assert_allclose(v[NORMAL][:3], normal / np.linalg.norm(normal), atol=1e-5)
    np.testing.assert_allclose(
        np.array(v[0][:3]) / v[0][3], position(1.5, 0.5), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(
    ("mode", "shade", "prims"),
    [
        (e.GL_POINT, e.GL_SMOOTH, (0, 1)),
        (e.GL_LINE, e.GL_SMOOTH, (3, 7)),
        (e.GL_FILL, e.GL_SMOOTH, (5, 3)),  # nobody can tell them from quads
        (e.GL_FILL, e.GL_FLAT, (8, 3)),
    ],
)
def test_mesh_is_its_points(gl: GL, mode: int, shade: int, prims: tuple[int, int]) -> None:
    gl.n.key.shade_model = shade
    rng = np.random.default_rng(3)
    points = rng.uniform(-1, 1, (2, 3, 3)).astype(np.float32)
    gl.Map2f(e.GL_MAP2_VERTEX_3, 0.0, 1.0, 3, 3, 0.0, 1.0, 9, 2, points.ravel().tolist())
    gl.Enable(e.GL_MAP2_VERTEX_3)
    gl.MapGrid2f(2, 0.0, 1.0, 3, 0.0, 1.0)
    gl.EvalMesh2(mode, 0, 2, 0, 3)
    draws = gl.take()
    assert {d.mode for d in draws} == {prims[0]} and len(draws) == prims[1]
    found = [v[0][:3] for d in draws for v in d.vertices]

    def at(i: int, j: int) -> Any:
        return surface(points, i / 2, j / 3)

    if mode == e.GL_POINT:
        want = [at(i, j) for j in range(4) for i in range(3)]
    elif mode == e.GL_LINE:
        want = [at(i, j) for j in range(4) for i in range(3)]
        want += [at(i, j) for i in range(3) for j in range(4)]
    else:
        want = [at(i, k) for j in range(3) for i in range(3) for k in (j, j + 1)]
    np.testing.assert_allclose(found, want, atol=1e-6)
    assert gl.n.dispatch == gl.n.exec_table
    gl.MapGrid2f(2, 0.0, 0.5, 3, 0.0, 1.0)  # each of the two changes what it is
    gl.EvalMesh2(mode, 0, 2, 0, 3)
    half = [v[0][:3] for v in vertices(gl)]
    assert half != found and len(half) == len(found)
    gl.Map2f(e.GL_MAP2_VERTEX_3, 0.0, 1.0, 3, 3, 0.0, 1.0, 9, 2, (2 * points).ravel().tolist())
    gl.EvalMesh2(mode, 0, 2, 0, 3)
    np.testing.assert_allclose([v[0][:3] for v in vertices(gl)], 2 * np.array(half), atol=1e-6)


def test_mesh1(gl: GL) -> None:
    gl.Map1f(e.GL_MAP1_VERTEX_3, 0.0, 10.0, 3, 2, [0.0, 0.0, 0.0, 10.0, 0.0, 0.0])
    gl.Enable(e.GL_MAP1_VERTEX_3)
    gl.MapGrid1d(5, 0.0, 10.0)
    gl.EvalMesh1(e.GL_LINE, 1, 4)
    (draw,) = gl.take()
    assert draw.mode == e.GL_LINE_STRIP
    assert [v[0][0] for v in draw.vertices] == [2.0, 4.0, 6.0, 8.0]


@pytest.mark.parametrize("mode", [e.GL_COMPILE, e.GL_COMPILE_AND_EXECUTE])
def test_lists(gl: GL, mode: int) -> None:
    """A list keeps the commands: a map that is changed later changes what it draws."""
    gl.Map1f(e.GL_MAP1_VERTEX_3, 0.0, 1.0, 3, 1, [1.0, 2.0, 3.0])
    gl.Enable(e.GL_MAP1_VERTEX_3)
    gl.NewList(1, mode)
    gl.Begin(e.GL_POINTS)
    gl.EvalCoord1f(0.5)
    gl.Vertex3f(4.0, 4.0, 4.0)
    gl.End()
    gl.EvalMesh1(e.GL_POINT, 0, 0)
    gl.EndList()
    want = [(1.0, 2.0, 3.0, 1.0), (4.0, 4.0, 4.0, 1.0), (1.0, 2.0, 3.0, 1.0)]
    assert [v[0] for v in vertices(gl)] == (want if mode == e.GL_COMPILE_AND_EXECUTE else [])
    gl.Map1f(e.GL_MAP1_VERTEX_3, 0.0, 1.0, 3, 1, [5.0, 6.0, 7.0])
    gl.CallList(1)
    new = (5.0, 6.0, 7.0, 1.0)
    assert [v[0] for v in vertices(gl)] == [new, want[1], new]
    assert gl.error() == 0


def test_queries_and_defaults(gl: GL) -> None:
    for k, value in enumerate(MAP_DEFAULTS):
        for first, orders, domain in (
            (e.GL_MAP1_COLOR_4, [1], [0.0, 1.0]),
            (e.GL_MAP2_COLOR_4, [1, 1], [0.0, 1.0, 0.0, 1.0]),
        ):
            ask = ("glGetMapfv", first + k)
            f = ctypes.c_float
            assert floats(gl, f, *ask, e.GL_COEFF, count=len(value)) == list(value)
            assert floats(gl, f, *ask, e.GL_ORDER, count=len(orders)) == orders
            assert floats(gl, f, *ask, e.GL_DOMAIN, count=len(domain)) == domain
    numbers = [float(k) for k in range(12)]
    gl.Map2f(e.GL_MAP2_TEXTURE_COORD_2, 0.0, 2.5, 2, 2, 0.0, 1.0, 4, 3, numbers)
    ask = ("glGetMapiv", e.GL_MAP2_TEXTURE_COORD_2)
    found = floats(gl, ctypes.c_int32, *ask, e.GL_COEFF, count=12)
    assert found == [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11]  # v runs fastest
    assert floats(gl, ctypes.c_int32, *ask, e.GL_ORDER, count=2) == [2, 3]
    assert floats(gl, ctypes.c_int32, *ask, e.GL_DOMAIN, count=4) == [0, 2, 0, 1]


def test_grid_is_saved_by_the_attribute_stack(gl: GL) -> None:
    gl.MapGrid2d(4, -1.0, 1.0, 5, 2.0, 3.0)
    gl.PushAttrib(e.GL_EVAL_BIT)
    gl.MapGrid2f(6, 0.0, 9.0, 7, 0.0, 9.0)
    gl.MapGrid1f(8, 1.0, 2.0)
    gl.Enable(e.GL_MAP2_NORMAL)
    gl.PopAttrib()
    domain = floats(gl, ctypes.c_float, "glGetFloatv", e.GL_MAP2_GRID_DOMAIN, count=4)
    assert domain == [-1.0, 1.0, 2.0, 3.0]
    segments = floats(gl, ctypes.c_int32, "glGetIntegerv", e.GL_MAP2_GRID_SEGMENTS, count=2)
    assert segments == [4, 5]
    assert floats(gl, ctypes.c_int32, "glGetIntegerv", e.GL_MAP1_GRID_SEGMENTS, count=1) == [1]
    assert not gl.IsEnabled(e.GL_MAP2_NORMAL)


def test_errors(gl: GL) -> None:
    p = [0.0] * 64
    value, enum = e.GL_INVALID_VALUE, e.GL_INVALID_ENUM
    target = e.GL_MAP1_VERTEX_3
    for call, want in (
        (lambda: gl.Map1f(e.GL_MAP2_VERTEX_3, 0.0, 1.0, 3, 2, p), enum),
        (lambda: gl.Map1f(target, 1.0, 1.0, 3, 2, p), value),
        (lambda: gl.Map1f(target, 0.0, 1.0, 2, 2, p), value),
        (lambda: gl.Map1f(target, 0.0, 1.0, 3, 0, p), value),
        (lambda: gl.Map1f(target, 0.0, 1.0, 3, 31, p), value),
        (lambda: gl.Map2d(e.GL_MAP2_INDEX, 0.0, 1.0, 1, 1, 2.0, 2.0, 1, 1, p), value),
        (lambda: gl.MapGrid1f(0, 0.0, 1.0), value),
        (lambda: gl.MapGrid2f(1, 0.0, 1.0, -1, 0.0, 1.0), value),
        (lambda: gl.EvalMesh1(e.GL_FILL, 0, 1), enum),
        (lambda: gl.EvalMesh2(e.GL_LINES, 0, 1, 0, 1), enum),
        (lambda: gl.EvalMesh1(e.GL_LINE, -(2**31), 2**31 - 1), e.GL_OUT_OF_MEMORY),
        (lambda: gl.EvalMesh2(e.GL_FILL, -(2**31), 2**31 - 1, 0, 2**31 - 1), e.GL_OUT_OF_MEMORY),
        (lambda: gl.GetMapfv(e.GL_MAP1_INDEX, e.GL_COLOR, p), enum),
        (lambda: gl.GetMapfv(e.GL_COLOR, e.GL_COEFF, p), enum),
    ):
        call()
        assert gl.error() == want
    gl.ActiveTexture(e.GL_TEXTURE0 + 1)
    gl.Map1f(target, 0.0, 1.0, 3, 2, p)
    assert gl.error() == e.GL_INVALID_OPERATION
    assert not gl.take()
