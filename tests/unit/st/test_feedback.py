# SPDX-License-Identifier: MIT
"""Selection and feedback through the entry points: tokens, clipping, faces, modes, hits. Vertices
come from a driver's stages, or from nir's interpreter where a driver leaves none in memory."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import pipe_llvm
import pipe_soft
import pydri.main.entries  # noqa: F401 - registers the entries
from pydri.api import dispatch
from pydri.api import enums as e
from pydri.api.gl_table import TABLE
from pydri.st.context import create_context
from pydri.st.feedback import vertices
from pydri.st.feedback.vertices import products
from tests.unit import python_forms
from tests.unit.st.test_context import Config, Drawable, PythonPipe
from tests.unit.st.test_with_llvm import RealDrawable

TYPES: dict[str, Any] = {
    "v": None,
    "E": ctypes.c_uint32,
    "M": ctypes.c_uint32,
    "I": ctypes.c_uint32,
    "i": ctypes.c_int32,
    "f": ctypes.c_float,
    "d": ctypes.c_double,
    "b": ctypes.c_uint8,
    "C": ctypes.c_uint8,
}
WIDTH, HEIGHT = 50, 40
#: who makes the vertices; None: a driver that leaves none in memory
DRIVERS: dict[str, Any] = {
    "none": None, "soft": pipe_soft.create_screen, "llvm": pipe_llvm.create_screen,
}  # fmt: skip
python_forms.provide()
MAX = 0xFFFFFFFF


class Calls:
    """gl.Vertex3f(...) on a context over a driver."""

    def __init__(self, driver: str = "none") -> None:
        create = DRIVERS[driver]
        screen = create and create(None)
        self.st = create_context(
            PythonPipe() if screen is None else screen.context_create(), Config(), None, None)
        self.drawable: Any = Drawable(WIDTH, HEIGHT)
        if screen is not None:
            self.drawable = RealDrawable(screen, "Z24X8_UNORM")
        self.st.make_current(self.drawable, self.drawable)
        self.n = self.st.n
        self.Viewport(0, 0, WIDTH, HEIGHT)
        self.values = np.full(2048, -5, np.float32)
        self.records = np.full(512, 77, np.uint32)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        row = TABLE.row("gl" + name)

        def call(*args: Any) -> Any:
            passed = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
            address = (ctypes.c_uint64 * len(TABLE)).from_address(self.n.dispatch)[row.slot]
            if not address:
                return dispatch.gl_function(row)(self.st.address, *passed)
            types = [TYPES.get(code[0], ctypes.c_uint64) for _, code in row.params]
            function = ctypes.CFUNCTYPE(TYPES[row.ret[0]], ctypes.c_uint64, *types)(address)
            return function(self.st.address, *passed)

        return call

    def error(self) -> int:
        return int(self.GetError())

    def feedback(self, kind: int = e.GL_2D, size: int = 512) -> None:
        self.FeedbackBuffer(size, kind, self.values)
        self.RenderMode(e.GL_FEEDBACK)

    def tokens(self, vertex: int = 2, most: int = 512) -> list[Any]:
        """What was fed back: [token, vertices...]; a vertex has so many numbers."""
        count = self.RenderMode(e.GL_RENDER)
        assert 0 <= count <= most
        data = self.values[:count].tolist()
        out = []
        while data:
            token = int(data.pop(0))
            n = {e.GL_POINT_TOKEN: 1, e.GL_LINE_TOKEN: 2, e.GL_LINE_RESET_TOKEN: 2}.get(token)
            if token == e.GL_PASS_THROUGH_TOKEN:
                out.append((token, data.pop(0)))
                continue
            if n is None:
                assert token == e.GL_POLYGON_TOKEN
                n = int(data.pop(0))
            rows = [tuple(data[k * vertex : (k + 1) * vertex]) for k in range(n)]
            del data[: n * vertex]
            out.append((token, *rows))
        return out

    def prim(self, mode: int, *points: tuple[float, ...]) -> None:
        self.Begin(mode)
        for p in points:
            self.Vertex4f(*(*p, *(0.0, 0.0, 0.0, 1.0)[len(p) :]))
        self.End()

    def select(self, size: int = 512) -> None:
        self.SelectBuffer(size, self.records)
        self.RenderMode(e.GL_SELECT)
        self.InitNames()

    def hits(self) -> list[tuple[tuple[int, ...], int, int]]:
        count = self.RenderMode(e.GL_RENDER)
        data, out = self.records.tolist(), []
        for _ in range(count):
            n, near, far = data[:3]
            out.append((tuple(data[3 : 3 + n]), near, far))
            del data[: 3 + n]
        return out


    def destroy(self) -> None:
        self.st.destroy()
        self.st.pipe.destroy()


@pytest.fixture(params=list(DRIVERS))
def gl(request: pytest.FixtureRequest) -> Iterator[Calls]:
    made = Calls(request.param)
    yield made
    made.destroy()


def window(x: float, y: float) -> tuple[float, float]:
    return ((x + 1) * WIDTH / 2, (y + 1) * HEIGHT / 2)


# -- feedback -------------------------------------------------------------------------------------


def test_points_lines_and_pass_through(gl: Calls) -> None:
    gl.feedback()
    gl.prim(e.GL_POINTS, (0, 0), (2, 0), (0.5, 0.5))
    gl.PassThrough(7.5)
    gl.prim(e.GL_LINES, (0, 0), (0.5, 0), (0, 0.5), (0, -0.5))
    gl.prim(e.GL_LINE_LOOP, (0, 0), (0.5, 0), (0.5, 0.5))
    a, c, d = window(0, 0), window(0.5, 0), window(0.5, 0.5)
    assert gl.tokens() == [
        (e.GL_POINT_TOKEN, a),
        (e.GL_POINT_TOKEN, d),
        (e.GL_PASS_THROUGH_TOKEN, 7.5),
        (e.GL_LINE_RESET_TOKEN, a, c),
        (e.GL_LINE_RESET_TOKEN, window(0, 0.5), window(0, -0.5)),
        (e.GL_LINE_RESET_TOKEN, a, c),
        (e.GL_LINE_TOKEN, c, d),
        (e.GL_LINE_TOKEN, d, a),
    ]


def test_every_type_and_clipped_values(gl: Calls) -> None:
    """A line from w = 1 to w = 3, cut at x = w: attributes are linear in clip space."""
    sizes = (2, 3, 7, 11, 12)
    for kind, size in zip(range(e.GL_2D, e.GL_4D_COLOR_TEXTURE + 1), sizes, strict=True):
        gl.feedback(kind)
        gl.Begin(e.GL_LINES)
        gl.Color4f(0.0, 0.0, 0.0, 1.0)
        gl.TexCoord2f(0.0, 0.0)
        gl.Vertex4f(0.0, 0.0, 0.0, 1.0)
        gl.Color4f(1.0, 0.5, 0.0, 1.0)
        gl.TexCoord2f(2.0, 4.0)
        gl.Vertex4f(5.0, 0.0, 0.0, 3.0)  # x - w: -1 and 2: cut at a third of the way
        gl.End()
        ((token, first, second),) = gl.tokens(size)
        assert token == e.GL_LINE_RESET_TOKEN
        third = 1 / 3
        w = [1.0 + 2 * third] if size == 12 else []
        want = [*window(1, 0), 0.5, *w, third, third / 2, 0.0, 1.0, 2 * third, 4 * third, 0.0, 1.0]
        np.testing.assert_allclose(second, want[:size], rtol=1e-6, atol=1e-6)
        start = [*window(0, 0), 0.5, *([1.0] if w else []), 0, 0, 0, 1, 0, 0, 0, 1]
        np.testing.assert_allclose(first, start[:size], atol=1e-6)


def test_polygons_are_clipped_and_stay_whole(gl: Calls) -> None:
    gl.feedback()
    gl.prim(e.GL_QUADS, (-2, -0.5), (2, -0.5), (2, 0.5), (-2, 0.5))
    gl.prim(e.GL_TRIANGLES, (2, 2), (3, 2), (2, 3))  # outside
    ((token, *corners),) = gl.tokens()
    assert token == e.GL_POLYGON_TOKEN and len(corners) == 4
    assert set(corners) == {window(x, y) for x in (-1, 1) for y in (-0.5, 0.5)}


def test_user_clip_planes(gl: Calls) -> None:
    gl.ClipPlane(e.GL_CLIP_PLANE0 + 4, np.array([1.0, 0.0, 0.0, 0.0]))
    gl.Enable(e.GL_CLIP_PLANE0 + 4)
    gl.feedback()
    gl.prim(e.GL_LINES, (-0.5, 0), (0.5, 0))
    gl.prim(e.GL_POINTS, (-0.5, 0))
    assert gl.tokens() == [(e.GL_LINE_RESET_TOKEN, window(0, 0), window(0.5, 0))]


def generated(mode: int, plane: list[float], place: list[float], normal: list[float],
              turn: np.ndarray) -> list[float]:  # fmt: skip
    """s and t by GL 2.1, 2.11.4; `turn`: the modelview, a rotation."""
    if mode in (e.GL_OBJECT_LINEAR, e.GL_EYE_LINEAR):  # planes are given under this modelview
        return [float(np.dot(plane, [*place, 1]))] * 2
    seen, way = turn[:3, :3] @ normal, turn[:3, :3] @ place
    if mode == e.GL_NORMAL_MAP:
        return [float(v) for v in seen[:2]]
    way /= np.linalg.norm(way)
    way = way - 2 * seen * (seen @ way)
    if mode == e.GL_REFLECTION_MAP:
        return [float(v) for v in way[:2]]
    m = 2 * np.sqrt(way[0] ** 2 + way[1] ** 2 + (way[2] + 1) ** 2)
    return [float(way[n] / m + 0.5) for n in range(2)]


@pytest.mark.parametrize("mode", [e.GL_OBJECT_LINEAR, e.GL_EYE_LINEAR, e.GL_SPHERE_MAP,
                                  e.GL_REFLECTION_MAP, e.GL_NORMAL_MAP])  # fmt: skip
def test_generated_coordinates(gl: Calls, mode: int) -> None:
    """Texture coordinates that are generated go through the texture matrix, of vertices and of the
    raster position, whether a texture is on or not."""
    turn = np.eye(4)
    turn[:2, :2] = [[0.8, -0.6], [0.6, 0.8]]
    gl.LoadMatrixf(turn.T.astype(np.float32).reshape(-1).copy())
    gl.MatrixMode(e.GL_TEXTURE)
    gl.Scalef(2.0, 3.0, 4.0)
    plane, place, normal = [0.5, -1.0, 2.0, 0.25], [0.25, 0.5, -0.125], [0.6, 0.0, 0.8]
    for coord, switch in ((e.GL_S, e.GL_TEXTURE_GEN_S), (e.GL_T, e.GL_TEXTURE_GEN_T)):
        gl.TexGeni(coord, e.GL_TEXTURE_GEN_MODE, mode)
        gl.TexGenfv(coord, e.GL_OBJECT_PLANE, np.array(plane, np.float32))
        gl.TexGenfv(coord, e.GL_EYE_PLANE, np.array(plane, np.float32))
        gl.Enable(switch)
    gl.TexCoord4f(9.0, 9.0, 5.0, 1.0)
    gl.Normal3f(*normal)
    gl.RasterPos3f(*place)
    s, t = generated(mode, plane, place, normal, turn)
    wanted = pytest.approx([2 * s, 3 * t, 20, 1], abs=1e-5)
    raster = np.zeros(4, np.float32)
    gl.GetFloatv(e.GL_CURRENT_RASTER_TEXTURE_COORDS, raster)
    assert raster.tolist() == wanted
    gl.feedback(e.GL_4D_COLOR_TEXTURE)
    gl.Begin(e.GL_POINTS)
    gl.Vertex3f(*place)
    gl.End()
    assert gl.RenderMode(e.GL_RENDER) == 13
    assert gl.values[9:13].tolist() == wanted and gl.error() == 0


@pytest.mark.parametrize("front", [e.GL_CCW, e.GL_CW])
def test_culling(gl: Calls, front: int) -> None:
    gl.FrontFace(front)
    gl.Enable(e.GL_CULL_FACE)
    gl.feedback()
    gl.prim(e.GL_TRIANGLES, (0, 0), (0.5, 0), (0, 0.5))
    gl.prim(e.GL_TRIANGLES, (0, 0), (0, 0.5), (0.5, 0))
    ((_, a, second, _c),) = gl.tokens()
    assert a == window(0, 0)
    assert second == (window(0.5, 0) if front == e.GL_CCW else window(0, 0.5))


def test_polygon_mode_and_edge_flags(gl: Calls) -> None:
    gl.PolygonMode(e.GL_FRONT, e.GL_LINE)
    gl.PolygonMode(e.GL_BACK, e.GL_POINT)
    gl.feedback()
    for order in ((0, 1, 2), (0, 2, 1)):
        corners = [(0, 0), (0.5, 0), (0, 0.5)]
        gl.Begin(e.GL_TRIANGLES)
        for i in order:
            gl.EdgeFlag(int(i != 0))
            gl.Vertex2f(*corners[i])
        gl.End()
    o, x, y = window(0, 0), window(0.5, 0), window(0, 0.5)
    assert gl.tokens() == [
        (e.GL_LINE_RESET_TOKEN, x, y),
        (e.GL_LINE_TOKEN, y, o),
        (e.GL_POINT_TOKEN, y),
        (e.GL_POINT_TOKEN, x),
    ]


def test_flat_colour_and_lighting_of_both_faces(gl: Calls) -> None:
    gl.ShadeModel(e.GL_FLAT)
    gl.feedback(e.GL_3D_COLOR)
    gl.Begin(e.GL_TRIANGLES)
    for k, corner in enumerate(((0, 0), (0.5, 0), (0, 0.5))):
        gl.Color3f(k / 2, 0.0, 0.0)
        gl.Vertex2f(*corner)
    gl.End()
    ((_, *rows),) = gl.tokens(7)
    assert {r[3:] for r in rows} == {(1.0, 0.0, 0.0, 1.0)}
    gl.Enable(e.GL_LIGHTING)
    gl.LightModeli(e.GL_LIGHT_MODEL_TWO_SIDE, 1)
    gl.Materialfv(e.GL_FRONT, e.GL_EMISSION, np.array([0.25, 0, 0, 1], np.float32))
    gl.Materialfv(e.GL_BACK, e.GL_EMISSION, np.array([0, 0.75, 0, 1], np.float32))
    gl.LightModelfv(e.GL_LIGHT_MODEL_AMBIENT, np.zeros(4, np.float32))
    gl.feedback(e.GL_3D_COLOR)
    gl.prim(e.GL_TRIANGLES, (0, 0), (0.5, 0), (0, 0.5))
    gl.prim(e.GL_TRIANGLES, (0, 0), (0, 0.5), (0.5, 0))
    front, back = gl.tokens(7)
    assert front[1][3:6] == (0.25, 0.0, 0.0) and back[1][3:6] == (0.0, 0.75, 0.0)


def test_arrays_with_indices(gl: Calls) -> None:
    places = np.array([[0, 0], [9, 9], [1, 0], [0, 1]], np.int16)
    colors = np.array([[255, 0, 0], [9, 9, 9], [0, 255, 0], [51, 0, 0]], np.uint8)
    indices = np.array([3, 0, 2], np.uint16)
    gl.VertexPointer(2, e.GL_SHORT, 0, places)
    gl.ColorPointer(3, e.GL_UNSIGNED_BYTE, 0, colors)
    gl.EnableClientState(e.GL_VERTEX_ARRAY)
    gl.EnableClientState(e.GL_COLOR_ARRAY)
    gl.feedback(e.GL_3D_COLOR)
    gl.DrawElements(e.GL_TRIANGLES, 3, e.GL_UNSIGNED_SHORT, indices)
    ((_, *rows),) = gl.tokens(7)
    assert [r[:2] for r in rows] == [window(0, 1), window(0, 0), window(1, 0)]
    reds = [r[3] for r in rows]
    np.testing.assert_allclose(reds, [0.2, 1.0, 0.0], atol=1e-6)


def test_feedback_overflow_and_untouched_memory(gl: Calls) -> None:
    gl.feedback(e.GL_2D, 4)
    gl.prim(e.GL_POINTS, (0, 0), (0.5, 0))
    assert gl.RenderMode(e.GL_RENDER) == -1
    assert gl.values[4] == -5
    gl.prim(e.GL_POINTS, (0, 0))  # rendered again, not fed back
    assert gl.RenderMode(e.GL_RENDER) == 0


MODES = range(e.GL_POINTS, e.GL_POLYGON + 1)


def lit(gl: Calls, chance: random.Random) -> None:
    """Two lights, both sides, colours that materials follow, generated coordinates."""
    gl.Enable(e.GL_LIGHTING)
    gl.LightModeli(e.GL_LIGHT_MODEL_TWO_SIDE, chance.randrange(2))
    gl.LightModeli(e.GL_LIGHT_MODEL_LOCAL_VIEWER, chance.randrange(2))
    for light in (e.GL_LIGHT0, e.GL_LIGHT0 + 1):
        gl.Enable(light)
        place = [chance.uniform(-2, 2) for _ in range(3)] + [chance.choice((0.0, 1.0))]
        gl.Lightfv(light, e.GL_POSITION, np.array(place, np.float32))
        gl.Lightfv(light, e.GL_SPECULAR, np.array([chance.random()] * 4, np.float32))
    for face in (e.GL_FRONT, e.GL_BACK):
        gl.Materialfv(face, e.GL_SPECULAR, np.array([chance.random()] * 4, np.float32))
        gl.Materialf(face, e.GL_SHININESS, chance.uniform(1, 20))
    gl.Enable(e.GL_COLOR_MATERIAL) if chance.randrange(2) else gl.Disable(e.GL_COLOR_MATERIAL)
    gl.TexGeni(e.GL_S, e.GL_TEXTURE_GEN_MODE, e.GL_SPHERE_MAP)
    gl.Enable(e.GL_TEXTURE_GEN_S) if chance.randrange(2) else gl.Disable(e.GL_TEXTURE_GEN_S)


@pytest.mark.parametrize("kind", [e.GL_2D, e.GL_3D_COLOR, e.GL_4D_COLOR_TEXTURE])
@pytest.mark.parametrize("flat", [False, True])
def test_stages_say_what_the_interpreter_says(
    kind: int, flat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each mode in many states, with light and without, filled and not, with corners on planes,
    too. What a driver leaves in memory enters no Python."""
    in_python: list[int] = []
    draw = vertices.draw
    monkeypatch.setattr(vertices, "draw", lambda *args: (in_python.append(1), draw(*args)))
    sides = {name: Calls(name) for name in DRIVERS}
    found: dict[str, list[Any]] = {name: [] for name in sides}
    for name, gl in sides.items():
        in_python.clear()
        chance = random.Random(kind * 2 + flat)
        gl.ShadeModel(e.GL_FLAT if flat else e.GL_SMOOTH)
        gl.ClipPlane(e.GL_CLIP_PLANE0, np.array([1.0, 1.0, 0.0, 0.75]))
        gl.Scalef(0.25, 0.25, 0.25)
        gl.MatrixMode(e.GL_TEXTURE)
        gl.Scalef(2.0, 3.0, 4.0)
        for array in (e.GL_VERTEX_ARRAY, e.GL_COLOR_ARRAY, e.GL_TEXTURE_COORD_ARRAY,
                      e.GL_NORMAL_ARRAY, e.GL_EDGE_FLAG_ARRAY):  # fmt: skip
            gl.EnableClientState(array)
        for n, mode in enumerate([*MODES] * 6):
            gl.Enable(e.GL_CLIP_PLANE0) if n & 1 else gl.Disable(e.GL_CLIP_PLANE0)
            gl.Enable(e.GL_CULL_FACE) if n & 2 else gl.Disable(e.GL_CULL_FACE)
            gl.ProvokingVertex(chance.choice((0x8E4D, 0x8E4E)))
            modes = [chance.choice((e.GL_FILL, e.GL_FILL, e.GL_LINE, e.GL_POINT)) for _ in "fb"]
            gl.PolygonMode(e.GL_FRONT, modes[0])
            gl.PolygonMode(e.GL_BACK, modes[1])
            lit(gl, chance) if n >= 20 else gl.Disable(e.GL_LIGHTING)
            places = [[chance.randint(-5, 5) for _ in range(3)] for _ in range(8)]
            colors = np.array([[chance.random() * 1.5 for _ in range(4)] for _ in places], "f4")
            given = np.array(places, np.int16 if n & 4 else np.float32)
            edges = np.array([chance.randrange(2) for _ in places], np.uint8)
            gl.VertexPointer(3, e.GL_SHORT if n & 4 else e.GL_FLOAT, 0, given)
            gl.ColorPointer(4, e.GL_FLOAT, 0, colors)
            gl.NormalPointer(e.GL_FLOAT, 16, colors)
            gl.TexCoordPointer(2, e.GL_FLOAT, 16, colors)
            gl.EdgeFlagPointer(0, edges)
            gl.feedback(kind, len(gl.values))
            gl.DrawArrays(mode, 0, 8)
            count = gl.RenderMode(e.GL_RENDER)
            assert 0 <= count <= len(gl.values)
            found[name].append(gl.values[:count].copy())
        assert gl.error() == 0
        assert bool(in_python) == (name == "none")
        gl.destroy()
    for name in ("soft", "llvm"):
        for n, (one, other) in enumerate(zip(found["none"], found[name], strict=True)):
            np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-4, err_msg=f"{name}, {n}")


@pytest.mark.parametrize("mode", MODES)
def test_large_draws_come_in_parts(mode: int) -> None:
    """More vertices than a part has: tokens are those of the same draw in the interpreter, which
    has it whole; a polygon stays one."""
    count = 6150
    angles = np.arange(count) * (2 * np.pi / count)
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32) * 0.9
    if mode in (e.GL_TRIANGLE_STRIP, e.GL_QUAD_STRIP):
        places[1::2] *= 0.5
    told = []
    for name in ("none", "llvm"):
        gl = Calls(name)
        gl.values = np.zeros(1 << 17, np.float32)
        gl.VertexPointer(2, e.GL_FLOAT, 0, places)
        gl.EnableClientState(e.GL_VERTEX_ARRAY)
        gl.feedback(e.GL_2D, 1 << 17)
        gl.DrawArrays(mode, 0, count)
        fed = gl.RenderMode(e.GL_RENDER)
        assert fed > count
        told.append(gl.values[:fed].copy())
        gl.destroy()
    assert np.allclose(*told, atol=1e-3) and len(told[0]) == len(told[1])


def test_parts_of_a_loop_and_of_a_polygon(gl: Calls) -> None:
    """What glBegin collects is drawn in parts, too: a loop is closed once, and where a polygon was
    cut is no edge."""
    count, size = 4200, 1 << 16
    angles = np.arange(count) * (2 * np.pi / count)
    gl.values = np.zeros(size, np.float32)
    gl.PolygonMode(e.GL_FRONT_AND_BACK, e.GL_LINE)
    for mode in (e.GL_LINE_LOOP, e.GL_POLYGON):
        gl.feedback(e.GL_2D, size)
        gl.prim(mode, *((0.9 * np.cos(a), 0.9 * np.sin(a)) for a in angles))
        tokens = gl.tokens(most=size)
        assert len(tokens) == count
        assert [t[0] for t in tokens].count(e.GL_LINE_RESET_TOKEN) == (
            1 if mode == e.GL_LINE_LOOP else 2)
        assert tokens[-1][2] == tokens[0][1]


# -- selection ------------------------------------------------------------------------------------


def test_hits_with_names_and_depths(gl: Calls) -> None:
    gl.select()
    gl.PushName(11)
    gl.prim(e.GL_TRIANGLES, (0, 0, -0.5), (0.5, 0, 0), (0, 0.5, 0.5))
    gl.PushName(12)
    gl.prim(e.GL_POINTS, (5, 5, 0))  # outside
    gl.LoadName(13)
    gl.prim(e.GL_LINES, (0, 0, 0), (0, 0, 3))  # cut at the far plane
    gl.PopName()
    gl.PopName()
    gl.prim(e.GL_POINTS, (0, 0, -1))
    found = gl.hits()
    assert [f[0] for f in found] == [(11,), (11, 13), ()]
    depths = [(near / MAX, far / MAX) for _, near, far in found]
    np.testing.assert_allclose(depths, [(0.25, 0.75), (0.5, 1.0), (0.0, 0.0)], atol=1e-6)
    assert gl.error() == 0


def scene(gl: Calls, rng: random.Random) -> None:
    """Anything that can be hit, some of it cut by planes, some of it culled."""
    gl.MatrixMode(e.GL_PROJECTION)
    gl.LoadIdentity()
    if rng.random() < 0.5:
        gl.Frustum(-1.0, 1.0, -1.0, 1.0, 1.0, 4.0)
        gl.Translatef(0.0, 0.0, -2.0)
    gl.MatrixMode(e.GL_MODELVIEW)
    gl.LoadIdentity()
    gl.Rotatef(rng.uniform(0, 360), 1.0, rng.uniform(-1, 1), 0.5)
    gl.DepthRange(rng.choice((0.0, 0.25)), rng.choice((0.5, 1.0)))
    for plane in range(rng.randrange(3)):
        gl.Enable(e.GL_CLIP_PLANE0 + plane)
        gl.ClipPlane(e.GL_CLIP_PLANE0 + plane, np.array([rng.uniform(-1, 1) for _ in range(4)]))
    if rng.random() < 0.5:
        gl.Enable(e.GL_CULL_FACE)
        gl.CullFace(rng.choice((e.GL_FRONT, e.GL_BACK, e.GL_FRONT_AND_BACK)))
    if rng.random() < 0.2:
        gl.Enable(e.GL_DEPTH_CLAMP)
    origin, depth = (e.GL_LOWER_LEFT, e.GL_UPPER_LEFT), (e.GL_NEGATIVE_ONE_TO_ONE, e.GL_ZERO_TO_ONE)
    gl.ClipControl(rng.choice(origin), rng.choice(depth))
    gl.select()
    for name in range(40):
        gl.InitNames()
        gl.PushName(name)
        gl.Begin(rng.randrange(9))  # a random polygon need not be convex
        spread = rng.choice((0.5, 2.0))
        for _ in range(rng.randrange(1, 9)):
            place = [rng.uniform(-spread, spread) for _ in range(3)]
            gl.Vertex4f(*place, rng.choice((1.0, 1.0, 0.7, -0.5)))
        gl.End()


@pytest.mark.parametrize("driver", ["soft", "llvm"])
def test_selection_is_what_the_interpreter_finds(driver: str) -> None:
    """The same is hit, at the same depths."""
    for seed in range(30):
        results = []
        for name in ("none", driver):
            gl = Calls(name)
            scene(gl, random.Random(seed))
            results.append(gl.hits())
            gl.destroy()
        interpreted, captured = results
        assert [hit[0] for hit in captured] == [hit[0] for hit in interpreted]
        for one, other in zip(captured, interpreted, strict=True):
            np.testing.assert_allclose(one[1:], other[1:], atol=MAX * 2e-6)


def test_culled_polygons_and_the_scissor(gl: Calls) -> None:
    gl.Enable(e.GL_CULL_FACE)
    gl.Enable(e.GL_SCISSOR_TEST)
    gl.Scissor(0, 0, 0, 0)  # fragments do not count
    gl.select()
    gl.PushName(1)
    gl.prim(e.GL_TRIANGLES, (0, 0), (0, 0.5), (0.5, 0))
    gl.LoadName(2)
    gl.prim(e.GL_TRIANGLES, (0, 0), (0.5, 0), (0, 0.5))
    assert [f[0] for f in gl.hits()] == [(2,)]


def test_selection_overflow(gl: Calls) -> None:
    gl.select(6)
    gl.PushName(1)
    gl.prim(e.GL_POINTS, (0, 0))
    gl.LoadName(2)
    gl.prim(e.GL_POINTS, (0, 0))
    assert gl.RenderMode(e.GL_RENDER) == -1
    assert gl.records[6] == 77 and gl.records[0] == 1


def test_nothing_is_drawn_or_cleared() -> None:
    gl = Calls()
    pipe: Any = gl.st.pipe
    gl.select()
    gl.prim(e.GL_POINTS, (0, 0))
    gl.Clear(e.GL_COLOR_BUFFER_BIT)
    gl.hits()
    assert pipe.take() == []
    gl.prim(e.GL_POINTS, (0, 0))
    gl.Flush()
    assert "draw" in pipe.take()
    gl.destroy()


def test_state_and_errors(gl: Calls) -> None:
    operation, enum, value = e.GL_INVALID_OPERATION, e.GL_INVALID_ENUM, e.GL_INVALID_VALUE

    def fails(call: Callable[[], Any], error: int) -> None:
        assert not call()
        assert gl.error() == error

    fails(lambda: gl.RenderMode(e.GL_SELECT), operation)
    fails(lambda: gl.RenderMode(e.GL_FEEDBACK), operation)
    fails(lambda: gl.RenderMode(e.GL_FILL), enum)
    fails(lambda: gl.SelectBuffer(-1, gl.records), value)
    fails(lambda: gl.FeedbackBuffer(-1, e.GL_2D, gl.values), value)
    fails(lambda: gl.FeedbackBuffer(4, e.GL_FILL, gl.values), enum)
    gl.PushName(1)  # not in selection: ignored
    gl.PopName()
    gl.LoadName(1)
    gl.select(9)
    fails(lambda: gl.SelectBuffer(9, gl.records), operation)
    fails(lambda: gl.PopName(), e.GL_STACK_UNDERFLOW)
    fails(lambda: gl.LoadName(4), operation)
    for k in range(64):
        gl.PushName(k)
    assert gl.error() == 0
    fails(lambda: gl.PushName(64), e.GL_STACK_OVERFLOW)
    ints = {}
    for name in (e.GL_NAME_STACK_DEPTH, e.GL_RENDER_MODE, e.GL_SELECTION_BUFFER_SIZE):
        out = np.zeros(1, np.int32)
        dispatch.gl_function(TABLE.row("glGetIntegerv"))(gl.st.address, name, out.ctypes.data)
        ints[name] = int(out[0])
    assert list(ints.values()) == [64, e.GL_SELECT, 9]
    place = np.zeros(1, np.uint64)
    gl.GetPointerv(e.GL_SELECTION_BUFFER_POINTER, place)
    assert int(place[0]) == gl.records.ctypes.data
    gl.feedback(e.GL_3D_COLOR)
    fails(lambda: gl.FeedbackBuffer(4, e.GL_2D, gl.values), operation)


def _single(value: Fraction) -> Fraction:
    """Rounded to 24 bits, to nearest, halves to even: in whole numbers alone."""
    if not value:
        return value
    order = abs(value.numerator).bit_length() - value.denominator.bit_length()
    step = Fraction(2) ** (order - 24)
    if abs(value) / step >= 1 << 24:
        step *= 2
    return round(value / step) * step


def test_products_are_rounded_as_kernels_do() -> None:
    """Each product and each sum to nearest, from left to right: what a BLAS makes of them depends
    on the processor."""
    chance = np.random.default_rng(11)
    rows, columns = chance.standard_normal((64, 4)), chance.standard_normal((4, 8))
    rows, columns = rows.astype(np.float32), columns.astype(np.float32)
    found = products(rows, columns)
    assert found.dtype == np.float32 and found.shape == (64, 8)
    for y, x in np.ndindex(found.shape):
        parts = [
            _single(Fraction(float(a)) * Fraction(float(b)))
            for a, b in zip(rows[y], columns[:, x], strict=True)
        ]
        total = parts[0]
        for part in parts[1:]:
            total = _single(total + part)
        assert Fraction(float(found[y, x])) == total
