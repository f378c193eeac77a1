# SPDX-License-Identifier: MIT
"""Geometry shaders in both drivers: they draw what a draw of the same primitives draws, and their
vertices are captured. Shaders come from GLSL 1.50 through the linker.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
import pytest

import pipe_soft
from pipe_soft.assemble import assemble, with_adjacent
from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.link.captures import Asked
from pydri.glsl.link.linked import Linked
from pydri.glsl.link.linker import link
from pydri.glsl.translate.to_nir import to_nir
from pydri.nir.enums import VERT_ATTRIB_GENERIC0
from pydri.nir.gather_info import gather
from pydri.nir.passes import lower_for_backend, lower_glsl, run_pass
from pydri.nir.printer import print_shader
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_GEOMETRY, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_LINES,
    PRIM_POINTS,
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    ShaderRef,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_soft.bench import DRIVERS, SIZE, Bench, Call, Target

#: the vertex shader passes `tint` to a geometry shader, or `color` to the fragment shader
VERTEX = "in vec4 p; in vec4 q; KIND out vec4 NAME; void main() { gl_Position = p; NAME = q; }"
FRAGMENT = "KIND in vec4 color; out vec4 result; void main() { result = color; }"
POINTS, LINES, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP = 0, 1, 3, 4, 5
PRIMS = {POINTS: PRIM_POINTS, LINES: PRIM_LINES, LINE_STRIP: PRIM_LINES,
         TRIANGLES: PRIM_TRIANGLES, TRIANGLE_STRIP: PRIM_TRIANGLES}  # fmt: skip
NUMBERS = {"vertex": SHADER_VERTEX, "geometry": SHADER_GEOMETRY, "fragment": SHADER_FRAGMENT}


def program(geometry: str = "", kind: str = "", asked: tuple[str, ...] = ()) -> Linked:
    """`kind`: the interpolation of what fragments get."""
    name, of_vertex = ("tint", "") if geometry else ("color", kind)
    texts = {"vertex": VERTEX.replace("NAME", name).replace("KIND", of_vertex),
             "geometry": geometry.replace("KIND", kind), "fragment": FRAGMENT.replace("KIND", kind)}
    trees = []
    for stage, text in texts.items():
        if text:
            done = compile_shader(f"#version 150\n{text}", stage, Context(330, 0, (), {}))
            assert done.shader is not None, done.log
            trees.append(done.shader)
    found = link(trees, {"p": 0, "q": 1}, asked=Asked(asked))
    assert found.good, found.log
    return found


def pipeline(found: Linked, mode: int, first: bool) -> PipelineState:
    """A state whose shaders are a program's; `mode`: of what reaches rasterisation."""
    shaders = {}
    for name, stage in found.stages.items():
        shader = to_nir(stage.shader(), stage.layout)
        lower_glsl(shader)
        run_pass(shader, "lower_packed_varyings", inputs=stage.packing.get("shader_in", {}),
                 outputs=stage.packing.get("shader_out", {}))
        lower_for_backend(shader)
        info = gather(shader)
        shaders[NUMBERS[name]] = ShaderRef(
            print_shader(shader).encode(), lambda shader=shader: shader, info.inputs, info.outputs,  # type: ignore[misc]
            emits=info.emits)
    floats = number("R32G32B32A32_FLOAT")
    return PipelineState(
        stages_of(shaders),
        tuple(VertexElement(VERT_ATTRIB_GENERIC0 + n, floats) for n in (0, 1)),
        (ColorTarget(number("R8G8B8A8_UNORM")),), DepthStencilAlpha(),
        Rasterizer(provoking_first=first), 0, PRIMS[mode], stream_output=found.stream_output,
    )  # fmt: skip


DYNAMIC: dict[str, Any] = {
    "viewport_scale": (32.0, 32.0, 0.5, 1.0), "viewport_translate": (32.0, 32.0, 0.5, 0.0),
    "scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE,
    "point_size": 3.0, "line_width": 1.0,
}  # fmt: skip


@pytest.fixture(autouse=True, params=list(DRIVERS))
def _driver(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test on each driver."""
    monkeypatch.setattr(sys.modules[__name__], "create", DRIVERS[request.param])


create = pipe_soft.create_screen


def picture(state: PipelineState, mode: int, rows: Any) -> bytes:
    """What a draw of positions and colours, (vertices, 2, 4), leaves in the target."""
    bench = Bench(create, Target(number("R8G8B8A8_UNORM"), 0, 1, False))
    bench.clear((0.0,) * 4, 1.0, 0)
    arrays = {VERT_ATTRIB_GENERIC0 + n: np.ascontiguousarray(rows[:, n]) for n in (0, 1)}
    bench.draw(Call(state, DYNAMIC, arrays, mode, None, len(rows)))
    found = bench.memory(bench.color).tobytes()
    bench.close()
    return found


def vertices(count: int, seed: int = 3) -> Any:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (count, 2, 4)).astype(np.float32)
    rows[:, 0, 2:] = (0, 1)
    rows[:, 1] = np.abs(rows[:, 1])
    return rows


def shader(taken: str, made: str, body: str, most: int = 12) -> str:
    """Its `v(i)` passes vertex i on."""
    return (f"layout({taken}) in; layout({made}, max_vertices = {most}) out; in vec4 tint[];"
            "KIND out vec4 color; void v(int i) { gl_Position = gl_in[i].gl_Position;"
            f"color = tint[i]; EmitVertex(); }} void main() {{ {body} }}")


ALL = "for (int i = 0; i < gl_in.length(); i++) v(i);"


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize("kind", ["", "flat"])
@pytest.mark.parametrize(
    ("taken", "made", "mode", "out"),
    [
        ("points", "points", POINTS, POINTS), ("lines", "line_strip", LINES, LINE_STRIP),
        ("lines", "line_strip", LINE_STRIP, LINE_STRIP),
        ("triangles", "triangle_strip", TRIANGLES, TRIANGLE_STRIP),
    ],
)  # fmt: skip
def test_nothing_is_changed(
    taken: str, made: str, mode: int, out: int, kind: str, first: bool
) -> None:
    """A shader that passes all on draws what is drawn without one."""
    rows = vertices(12)
    plain = picture(pipeline(program("", kind), mode, first), mode, rows)
    ours = picture(pipeline(program(shader(taken, made, ALL), kind), out, first), mode, rows)
    assert any(plain) and ours == plain


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
def test_a_strip_provokes_as_a_strip_does(first: bool) -> None:
    """Six vertices with adjacency come out as one strip of six; either vertex provokes."""
    rows = vertices(6)
    plain = picture(pipeline(program("", "flat"), TRIANGLE_STRIP, first), TRIANGLE_STRIP, rows)
    text = shader("triangles_adjacency", "triangle_strip", ALL)
    assert picture(pipeline(program(text, "flat"), TRIANGLE_STRIP, first), 12, rows) == plain


@pytest.mark.parametrize("first", [False, True], ids=["last", "first"])
@pytest.mark.parametrize(("mode", "plain"), [(10, LINES), (11, LINE_STRIP), (12, TRIANGLES),
                                             (13, TRIANGLE_STRIP)])  # fmt: skip
def test_adjacency(mode: int, plain: int, first: bool) -> None:
    """What the shader picks of a primitive is what is drawn without it; the vertices beside edges
    are those of OpenGL 3.2, table 2.4.
    """
    rows = vertices(12)
    without = picture(pipeline(program("", "flat"), plain, first), mode, rows)
    taken, made, out, body = ("lines_adjacency", "line_strip", LINE_STRIP, "v(1); v(2);") if (
        mode < 12) else ("triangles_adjacency", "triangle_strip", TRIANGLE_STRIP,
                         "v(0); v(2); v(4);")
    if mode != 13 or not first:  # a strip's odd triangles have another first vertex
        text = shader(taken, made, body)
        assert picture(pipeline(program(text, "flat"), out, first), mode, rows) == without
    picked = rows[1:11] if mode == 11 else rows[::2] if mode > 11 else np.concatenate(
        [rows[n + 1 : n + 3] for n in (0, 4, 8)])
    assert picture(pipeline(program("", "flat"), plain, first), plain, picked) == without


def test_the_vertices_of_a_strip_with_adjacency() -> None:
    """Three triangles: the first, one between, the last."""
    assert with_adjacent(13, 10).tolist() == [
        [0, 1, 2, 6, 4, 3], [4, 0, 2, 5, 6, 8], [4, 2, 6, 9, 8, 7]]
    # The drawing of OpenGL 4.4, 10.1.13: each triangle sees the same pattern.
    v = np.array([(-2, -1), (-4, 1), (-2, 1), (0, -3), (0, -1), (-2, 3), (0, 1), (2, -3), (2, -1),
                  (0, 3), (2, 1), (4, -1)])[with_adjacent(13, 12)].swapaxes(0, 1)  # fmt: skip
    for one, other, third in (((2, 1), (3, 2), (4, 0)), ((0, 1), (4, 2), (5, 0)),
                              ((0, 2), (4, 3), (5, 4))):  # fmt: skip
        step = v[one[0]] - v[one[1]]
        assert (step == v[other[0]] - v[other[1]]).all()
        assert (step == v[third[0]] - v[third[1]]).all()
    assert with_adjacent(13, 6).tolist() == [[0, 1, 2, 5, 4, 3]]
    assert len(with_adjacent(13, 5)) == len(assemble(13, 5, 3, False).corners) == 0


def test_primitives_are_made_and_dropped() -> None:
    """A point becomes two triangles, every other one nothing."""
    body = ("if (gl_PrimitiveIDIn % 2 == 1) return; for (int i = 0; i < 4; i++) {"
            "gl_Position = gl_in[0].gl_Position + vec4(i & 1, i >> 1, 0, 0) * 0.25;"
            "color = tint[0] + 0.1 * float(i); EmitVertex(); }")
    rows = vertices(9)
    corners = []
    for row in rows[::2]:
        quad = np.repeat(row[None], 4, axis=0)
        for n in range(4):
            quad[n, 0, :2] += np.float32([n & 1, n >> 1]) * np.float32(0.25)
            quad[n, 1] += np.float32(0.1) * np.float32(n)
        corners += [quad[n] for n in (0, 1, 2, 2, 1, 3)]
    plain = picture(pipeline(program(), TRIANGLES, False), TRIANGLES, np.stack(corners))
    text = shader("points", "triangle_strip", body)
    assert picture(pipeline(program(text), TRIANGLE_STRIP, False), POINTS, rows) == plain


def test_what_is_emitted_is_captured() -> None:
    """Strips are cut into whole primitives, in order, and counted."""
    text = shader("points", "line_strip", "v(0); gl_Position.x += 1.0; v(0); color = vec4(7.0);"
                  "EmitVertex(); EndPrimitive(); v(0);")
    found = program(text, asked=("color", "gl_Position"))
    rows = vertices(3)
    memory, counters = np.zeros(64 * 4, np.float32), (ctypes.c_uint64 * 2)()

    bench = Bench(create, Target(number("R8G8B8A8_UNORM"), 0, 1, False))
    target = bench.dyn.stream_targets[0]
    target.data, target.size = memory.ctypes.data, memory.nbytes
    bench.dyn.primitives_generated = ctypes.addressof(counters)
    bench.dyn.primitives_written = ctypes.addressof(counters) + 8
    arrays = {VERT_ATTRIB_GENERIC0 + n: np.ascontiguousarray(rows[:, n]) for n in (0, 1)}
    bench.draw(Call(pipeline(found, LINE_STRIP, True), DYNAMIC, arrays, POINTS, None, 3))
    bench.close()
    assert list(counters) == [6, 6]
    written = memory[: 12 * 8].reshape(3, 4, 2, 4)
    for n, row in enumerate(rows):
        tints = [row[1], row[1], row[1], [7, 7, 7, 7]]
        np.testing.assert_array_equal(written[n, :, 0], np.float32(tints))
        np.testing.assert_array_equal(written[n, :, 1], np.stack([row[0]] * 4))
