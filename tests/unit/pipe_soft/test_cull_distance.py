# SPDX-License-Identifier: MIT
"""Distances to cull by in both drivers: a primitive one of whose distances is negative at all of
its vertices is not there, and nothing else changes. Shaders come from GLSL 1.50.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.link.captures import Asked
from pydri.glsl.link.linker import link
from pydri.pipe.native import SHADER_VERTEX
from pydri.pipe.state import PipelineState, Rasterizer
from pydri.tgsi.translate.from_nir import from_nir
from pydri.tgsi.translate.to_nir import to_nir
from tests.unit.pipe_soft import test_geometry
from tests.unit.pipe_soft.bench import DRIVERS

GL_POINT, GL_LINE, GL_FILL = 0x1B00, 0x1B01, 0x1B02
COUNT = 6  # distances to cull by, of which a primitive has one or none in common; and two to clip
CULL = "gl_CullDistance"
WRITES = ("for (int k = 0; k < 4; k++) gl_CullDistance[k] = q[k] - 0.4;"
          "gl_CullDistance[4] = p.x; gl_CullDistance[5] = p.y;")  # fmt: skip
CLIPS = "gl_ClipDistance[0] = p.x + 0.5; gl_ClipDistance[1] = 0.7 - p.y;"
HEAD = "#version 150\n#extension GL_ARB_cull_distance : require\n"
VERTEX = ("in vec4 p; in vec4 q; KIND out vec4 NAME; out float gl_ClipDistance[2];"
          "out float gl_CullDistance[6]; void main() { gl_Position = p; NAME = q; CODE }")
GEOMETRY = ("layout(IN) in; layout(OUT, max_vertices = 6) out; in vec4 tint[]; out vec4 color;"
            "out float gl_ClipDistance[2]; out float gl_CullDistance[6]; in gl_PerVertex {"
            "vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[6]; } gl_in[];"
            "void main() { for (int i = 0; i < gl_in.length(); i++) { color = tint[i];"
            "gl_Position = gl_in[i].gl_Position; for (int k = 0; k < 2; k++) gl_ClipDistance[k] ="
            "gl_in[i].gl_ClipDistance[k]; COPY EmitVertex(); } EndPrimitive(); }")
COPY = "for (int k = 0; k < 6; k++) gl_CullDistance[k] = gl_in[i].gl_CullDistance[k];"
FRAGMENT = "in vec4 color; out vec4 result; void main() { result = color; }"
#: mode, corners, names of primitives that a geometry shader takes and makes
MODES = {"points": (0, 1, "points", "points"), "lines": (1, 2, "lines", "line_strip"),
         "triangles": (4, 3, "triangles", "triangle_strip")}  # fmt: skip


@pytest.fixture(autouse=True, params=list(DRIVERS))
def _driver(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test on each driver."""
    module = sys.modules[test_geometry.__name__]
    monkeypatch.setattr(module, "create", DRIVERS[request.param])




def state(mode: str, culls: bool, geometry: bool, rast: Rasterizer,
          fragment: str = FRAGMENT, asked: tuple[str, ...] = ()) -> PipelineState:  # fmt: skip
    """A pipeline whose last stage before rasterisation writes distances to cull by, or does not."""
    number, _, taken, made = MODES[mode]
    vertex = VERTEX.replace("NAME", "tint" if geometry else "color").replace("KIND", "")
    texts = {"vertex": vertex.replace("CODE", CLIPS + (WRITES if culls else ""))}
    if geometry:
        whole = GEOMETRY.replace("IN)", f"{taken})").replace("OUT", made)
        texts["geometry"] = whole.replace("COPY", COPY if culls else "")
    trees = []
    for stage, text in {**texts, "fragment": fragment}.items():
        done = compile_shader(HEAD + text, stage, Context(330, 0, ("GL_ARB_cull_distance",), {}))
        assert done.shader is not None, done.log
        trees.append(done.shader)
    found = link(trees, {"p": 0, "q": 1}, asked=Asked(asked))
    assert found.good, found.log
    return test_geometry.pipeline(found, number, False)._replace(rast=rast)


def kept(rows: Any, corners: int) -> Any:
    """The vertices of what is not culled."""
    place, tint = rows[:, 0], rows[:, 1]
    distances = np.concatenate([tint - np.float32(0.4), place[:, :2]], axis=1)
    outside = (distances < 0).reshape(-1, corners, COUNT).all(axis=1).any(axis=1)
    assert outside.any() and not outside.all()
    return rows.reshape(-1, corners, 2, 4)[~outside].reshape(-1, 2, 4)


@pytest.mark.parametrize("planes", [0, 3], ids=["whole", "clipped"])
@pytest.mark.parametrize("geometry", [False, True], ids=["vertex", "geometry"])
@pytest.mark.parametrize("mode", MODES)
def test_primitives(mode: str, geometry: bool, planes: int) -> None:
    number, corners, *_ = MODES[mode]
    rows = test_geometry.vertices(48 * corners)
    if mode == "points":
        rows[:, 1] = rows[:, 1] * 0.7 + 0.3
        rows[:, 0, :2] = rows[:, 0, :2] * 0.7 + 0.3
    rast = Rasterizer(clip_planes=planes)
    found = test_geometry.picture(state(mode, True, geometry, rast), number, rows)
    plain = state(mode, False, geometry, rast)
    assert found == test_geometry.picture(plain, number, kept(rows, corners))
    assert found != test_geometry.picture(plain, number, rows)


def test_tokens() -> None:
    """TGSI has registers for them."""
    rows = test_geometry.vertices(36)
    plain = state("triangles", True, False, Rasterizer())
    ref = plain.shader(SHADER_VERTEX)
    tokens = from_nir(ref.build(), ref.inputs)
    through = ref._replace(key=b"tokens", build=lambda: to_nir(tokens, ref.inputs))
    found = test_geometry.picture(plain.with_shader(SHADER_VERTEX, through), 4, rows)
    assert found == test_geometry.picture(plain, 4, rows)


@pytest.mark.parametrize("fill", [GL_POINT, GL_LINE])
@pytest.mark.parametrize("planes", [0, 3], ids=["whole", "clipped"])
def test_polygon_modes(fill: int, planes: int) -> None:
    """An edge is drawn, and a corner, that would be culled if it were a primitive of its own."""
    rows = test_geometry.vertices(36, seed=5)
    rast = Rasterizer(clip_planes=planes, fill_front=fill, fill_back=fill)
    found = test_geometry.picture(state("triangles", True, False, rast), 4, rows)
    plain = state("triangles", False, False, rast)
    assert found == test_geometry.picture(plain, 4, kept(rows, 3))


def test_all_and_nothing() -> None:
    """Vertices which are all outside of the same, or of different ones: those are drawn."""
    rows = test_geometry.vertices(96)
    rows[:, 0, :2] = np.abs(rows[:, 0, :2])
    apart, same = rows.copy(), rows.copy()
    apart[:, 1], same[:, 1] = 0.9, 0.9
    for n in range(3):
        apart[n::3, 1, n] = 0.1
    same[:, 1, 3] = 0.1
    culls, plain = (state("triangles", on, False, Rasterizer()) for on in (True, False))
    assert test_geometry.picture(culls, 4, apart) == test_geometry.picture(plain, 4, apart)
    assert not any(test_geometry.picture(culls, 4, same))


def test_fragments_read_them() -> None:
    """What fragments see is interpolated like anything else."""
    reads = ("in vec4 color; in float gl_CullDistance[6]; out vec4 result; void main() {"
             "result = vec4(gl_CullDistance[3] + 0.4, gl_CullDistance[4], gl_CullDistance[5], 1);}")
    rows = test_geometry.vertices(3)
    rows[:, 0, :2] = ((0.1, 0.1), (0.9, 0.2), (0.3, 0.9))
    rows[:, 1] = ((0.5, 0.1, 0.1, 0.5), (0.6, 0.9, 0.2, 1), (0.7, 0.3, 0.9, 1))
    found = test_geometry.picture(
        state("triangles", True, False, Rasterizer(), reads), 4, rows)
    image = np.frombuffer(found, np.uint8).reshape(-1, 4)
    shown = image[image[:, 3] != 0]
    assert len(shown) > 100
    assert shown[:, 1].max() > 200 and shown[:, 1].min() < 60
