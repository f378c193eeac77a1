# SPDX-License-Identifier: MIT
"""Geometry shaders of GLSL 1.50: what they emit, from text through linker and interpreter.

Each shader is run as translated, as lowered, as back ends get it, and with its varyings packed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.link.captures import Asked
from pydri.glsl.link.linked import Linked
from pydri.glsl.link.linker import Bounds, link
from pydri.glsl.link.stage import Stage
from pydri.glsl.translate.to_nir import to_nir
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_LAYER,
    VARYING_SLOT_POS,
    VARYING_SLOT_PRIMITIVE_ID,
)
from pydri.nir.interp import run_geometry
from pydri.nir.interp_emit import Emitted
from pydri.nir.ir import Shader
from pydri.nir.parser import parse_shader
from pydri.nir.passes import lower_for_backend, lower_glsl, run_pass
from pydri.nir.printer import print_shader
from pydri.nir.validate import ValidationError, validate

CONTEXT = Context(330, 0, ("GL_ARB_gpu_shader5",), {})
POINTS, LINE_STRIP, TRIANGLE_STRIP = 0, 3, 5
VERTEX = """in vec4 p; out vec4 a; out float b; out blk { vec2 t; float u[2]; } o;
void main() { gl_Position = p; gl_ClipDistance[0] = p.x; gl_ClipDistance[5] = p.y; a = p; b = p.x;
o.t = p.xy; o.u[0] = p.z; o.u[1] = p.w; }"""


def tree(stage: str, text: str) -> Any:
    done = compile_shader(f"#version 150\n{text}", stage, CONTEXT)
    assert done.shader is not None, done.log
    return done.shader


def linked(geometry: str | list[str], asked: tuple[str, ...] = (), vertex: str = VERTEX,
           bounds: Bounds | None = None) -> Linked:  # fmt: skip
    """A program without fragment shader; what is asked for is kept."""
    texts = [geometry] if isinstance(geometry, str) else geometry
    trees = [tree("vertex", vertex), *(tree("geometry", text) for text in texts)]
    return link(trees, bounds=bounds or Bounds(), asked=Asked(asked))


class Run(NamedTuple):
    """What came of it, and where outputs are."""

    emitted: Emitted
    stage: Stage
    packed: bool

    def output(self, lane: int, name: str, width: int = 4) -> Any:
        root = self.stage.roots[name]
        return self.slot(lane, cast("int", root.slot), width)

    def slot(self, lane: int, slot: int, width: int = 4) -> Any:
        """The components of a vector that was assigned a slot of its own."""
        places = self.stage.packing.get("shader_out", {}) if self.packed else {}
        at = places.get(slot, 4 * slot)
        columns = [self.emitted.output(lane, n // 4)[:, n % 4] for n in range(at, at + width)]
        return np.stack(columns, axis=1)


def given(stage: Stage, values: Mapping[str, Any], packed: bool) -> dict[int, Any]:
    """Inputs by name, (primitives, vertices, n) each, as slots."""
    places = stage.packing.get("shader_in", {}) if packed else {}
    slots: dict[int, Any] = {}
    for name, value in values.items():
        if name not in stage.roots:
            continue  # the shader does not name it
        array = np.asarray(value, np.float32)
        first = 4 * cast("int", stage.roots[name].slot)
        at = places.get(first // 4, first)
        for n in range(array.shape[2]):
            table = slots.setdefault((at + n) // 4, np.zeros((*array.shape[:2], 4), np.float32))
            table[:, :, (at + n) % 4] = array[:, :, n]
    return slots


def forms(program: Linked) -> Iterator[tuple[Shader, bool]]:
    """The shader at each step of its way, and whether its varyings are packed."""
    stage = program.stages["geometry"]
    for steps in range(4):
        shader = to_nir(stage.shader(), stage.layout)
        validate(shader, "to_nir")
        if steps:
            lower_glsl(shader)
        if steps == 2:
            run_pass(shader, "lower_packed_varyings", inputs=stage.packing.get("shader_in", {}),
                     outputs=stage.packing.get("shader_out", {}))
        if steps > 1:
            lower_for_backend(shader)
        validate(shader, f"step {steps}")
        yield shader, steps == 2


def ran(
    text: str, values: Mapping[str, Any], asked: tuple[str, ...] = (), **system: Any
) -> Iterator[Run]:
    """Run a shader in all its forms."""
    program = linked(text, asked)
    assert program.good, program.log
    stage = program.stages["geometry"]
    for shader, packed in forms(program):
        slots = given(stage, values, packed)
        count = len(next(iter(values.values())))
        yield Run(run_geometry(shader, count, inputs=slots, system=system), stage, packed)


def corners(primitives: int, vertices: int) -> Any:
    """Different numbers, small and whole."""
    count = primitives * vertices
    table = np.arange(count * 4, dtype=np.float32).reshape(primitives, vertices, 4)
    return table % 17 + 1


TRIANGLES = "layout(triangles) in; layout(triangle_strip, max_vertices = 6) out;\n"
POSITION = "gl_PerVertex.gl_Position"


def test_pass_through() -> None:
    p = corners(5, 3)
    text = TRIANGLES + ("in vec4 a[]; in float b[3]; out vec4 c; out vec3 d; void main() { "
                        "for (int i = 0; i < gl_in.length(); i++) { gl_Position = "
                        "gl_in[i].gl_Position; c = a[i] + b[i]; d = a[i].zyx; EmitVertex(); } }")
    for run in ran(text, {POSITION: p, "a": p, "b": p[:, :, :1]}, ("c", "d")):
        assert list(run.emitted.counts) == [3] * 5
        rows = run.emitted.primitives(TRIANGLE_STRIP).tolist()
        assert rows == [[n, 0, 1, 2] for n in range(5)]
        for lane in range(5):
            np.testing.assert_array_equal(run.slot(lane, VARYING_SLOT_POS), p[lane])
            np.testing.assert_array_equal(run.output(lane, "c"), p[lane] + p[lane][:, :1])
            np.testing.assert_array_equal(run.output(lane, "d", 3), p[lane][:, 2::-1])


def test_strips_are_cut() -> None:
    """Two strips a primitive; the second triangle of a strip turns two of its corners."""
    p = corners(2, 1)
    text = ("layout(points) in; layout(max_vertices = 9, triangle_strip) out; out float n;"
            "void main() { for (int i = 0; i < 7; i++) { n = float(i) + gl_in[0].gl_Position.x;"
            "EmitVertex(); if (i == 3) { EndPrimitive(); EndPrimitive(); } } }")
    for run in ran(text, {POSITION: p}, ("n",)):
        assert run.emitted.primitives(TRIANGLE_STRIP).tolist() == [
            [lane, *rest] for lane in (0, 1) for rest in ([0, 1, 2], [2, 1, 3], [4, 5, 6])]
        assert run.emitted.primitives(POINTS).tolist() == [
            [lane, n] for lane in (0, 1) for n in range(7)]
        assert [row[1:] for row in run.emitted.primitives(LINE_STRIP).tolist()][:5] == [
            [0, 1], [1, 2], [2, 3], [4, 5], [5, 6]]
        for lane in (0, 1):
            np.testing.assert_array_equal(
                run.output(lane, "n", 1)[:, 0], np.arange(7) + p[lane, 0, 0])


def test_strips_without_enough_vertices_are_nothing() -> None:
    text = ("layout(points) in; layout(line_strip, max_vertices = 3) out;"
            "void main() { EmitVertex(); EndPrimitive(); EmitVertex(); EmitVertex(); }")
    for run in ran(text, {POSITION: corners(1, 1)}):
        assert run.emitted.primitives(LINE_STRIP).tolist() == [[0, 1, 2]]


def test_emitting_in_branches_and_loops() -> None:
    """Lanes go different ways: some emit nothing, some as often as an input says."""
    p = corners(8, 2)
    text = ("layout(lines) in; layout(points, max_vertices = 20) out; in vec4 a[2]; out vec2 c;"
            "void more(inout float x) { x += 1.0; c = vec2(x, a[1].y); EmitVertex(); }"
            "void main() { float x = 0.0; if (a[0].x > 9.0) return; if (a[1].y > 5.0) more(x);"
            "else { for (int i = 0; i < int(a[0].x); i++) { if (i == 2) continue; more(x); } }"
            "c = vec2(-1.0); EmitVertex(); }")
    for run in ran(text, {"a": p}, ("c",)):
        for lane in range(8):
            first, second = p[lane, 0], p[lane, 1]
            times = 1 if second[1] > 5 else int(first[0]) - (first[0] > 2)
            want = [[n + 1, second[1]] for n in range(int(times))] + [[-1, -1]]
            want = [] if first[0] > 9 else want
            np.testing.assert_array_equal(run.output(lane, "c", 2), np.reshape(want, (-1, 2)))


def test_no_more_than_declared() -> None:
    text = ("layout(points) in; layout(points, max_vertices = 3) out; out float n;"
            "void main() { for (int i = 0; i < 9; i++) { n = float(i); EmitVertex(); } }")
    for run in ran(text, {POSITION: corners(2, 1)}, ("n",)):
        assert list(run.emitted.counts) == [3, 3]
        assert run.output(1, "n", 1)[:, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("word", "count"),
    [("points", 1), ("lines", 2), ("lines_adjacency", 4), ("triangles", 3),
     ("triangles_adjacency", 6)],
)  # fmt: skip
def test_every_input_primitive(word: str, count: int) -> None:
    """Its length is a constant, and all vertices can be read."""
    p = corners(3, count)
    text = (f"layout({word}) in; layout(points, max_vertices = 1) out; in vec4 a[]; out vec4 s;"
            "const int n = 2; float f[a.length()]; void main() { s = vec4(f.length());"
            "for (int i = 0; i < a.length(); i++) s += a[i]; EmitVertex(); }")
    for run in ran(text, {"a": p}, ("s",)):
        for lane in range(3):
            np.testing.assert_array_equal(run.output(lane, "s")[0], p[lane].sum(axis=0) + count)


def test_a_vertex_chosen_at_run_time() -> None:
    """Of vectors, of arrays and blocks among the inputs, and inside of these; outside: the last."""
    p, t = corners(6, 3), corners(6, 3)[:, :, :2] * 3
    u0, u1 = p[:, :, 2:3], p[:, :, 3:4]
    index = np.array([0, 1, 2, 2, 7, 1], np.float32)
    p[:, 0, 0] = index
    text = TRIANGLES + ("in vec4 a[]; in blk { vec2 t; float u[2]; } i[]; out vec4 c; out vec2 d;"
                        "void main() { int k = int(a[0].x); c = a[k]; d = vec2(i[k].t.y, "
                        "i[k].u[k & 1]); EmitVertex(); }")
    values = {"a": p, "blk.t": t}
    program = linked(text, ("c", "d"))
    stage = program.stages["geometry"]
    base = cast("int", stage.roots["blk.u"].slot)
    for shader, packed in forms(program):
        slots = given(stage, values, packed)
        places = stage.packing["shader_in"] if packed else {}
        for n, part in enumerate((u0, u1)):
            at = places.get(base + n, 4 * (base + n))
            table = slots.setdefault(at // 4, np.zeros((6, 3, 4), np.float32))
            table[:, :, at % 4 : at % 4 + 1] = part
        run = Run(run_geometry(shader, 6, inputs=slots), stage, packed)
        for lane in range(6):
            k, odd = min(int(index[lane]), 2), int(index[lane]) & 1
            np.testing.assert_array_equal(run.output(lane, "c")[0], p[lane, k])
            want = [t[lane, k, 1], (u0, u1)[odd][lane, k, 0]]
            np.testing.assert_array_equal(run.output(lane, "d", 2)[0], want)


def test_built_in_names() -> None:
    """The primitive's number, what goes to rasterisation, and clip distances, four in a slot."""
    text = ("layout(lines) in; layout(points, max_vertices = 2) out;"
            "out float gl_ClipDistance[6]; in gl_PerVertex { vec4 gl_Position; float "
            "gl_ClipDistance[6]; } gl_in[];"
            "void main() { for (int i = 1; i >= 0; i--) { gl_PrimitiveID = gl_PrimitiveIDIn + 7;"
            "gl_Layer = i; for (int k = 0; k < 6; k++) gl_ClipDistance[k] = "
            "gl_in[i].gl_ClipDistance[5 - k]; gl_Position = vec4(gl_in[i].gl_ClipDistance[4]);"
            "EmitVertex(); } }")
    clip = corners(4, 2), corners(4, 2) * 2
    program = linked(text)
    assert program.good, program.log
    slots = {VARYING_SLOT_CLIP_DIST0: clip[0], VARYING_SLOT_CLIP_DIST0 + 1: clip[1]}
    for shader, _ in forms(program):
        found = run_geometry(shader, 4, inputs=slots, system={"primitive_id": [3, 1, 4, 1]})
        for lane, number in enumerate((3, 1, 4, 1)):
            for slot, want in ((VARYING_SLOT_PRIMITIVE_ID, [number + 7] * 2),
                               (VARYING_SLOT_LAYER, [1, 0])):
                assert found.outputs[slot][:2, 0, lane].tolist() == want
            both = np.concatenate([clip[0][lane], clip[1][lane]], axis=1)[::-1]
            out = np.concatenate([found.output(lane, VARYING_SLOT_CLIP_DIST0),
                                  found.output(lane, VARYING_SLOT_CLIP_DIST0 + 1)], axis=1)
            np.testing.assert_array_equal(out[:, :6], both[:, 5::-1])
            np.testing.assert_array_equal(found.output(lane, VARYING_SLOT_POS)[:, 0], both[:, 4])


def test_invocations() -> None:
    """A primitive's invocations follow each other."""
    text = ("#extension GL_ARB_gpu_shader5 : enable\nlayout(points, invocations = 3) in;"
            "layout(points, max_vertices = 1) out; out vec2 c; void main() { "
            "c = vec2(gl_InvocationID, gl_PrimitiveIDIn); EmitVertex(); }")
    for run in ran(text, {POSITION: corners(2, 1)}, ("c",)):
        seen = [run.output(lane, "c", 2)[0].tolist() for lane in range(6)]
        assert seen == [[i, n] for n in (0, 1) for i in (0, 1, 2)]


def test_whole_values() -> None:
    """Arrays over vertices are copied and handed on; outputs are arrays, matrices and structs."""
    p = corners(3, 3)
    text = TRIANGLES + ("in vec4 a[]; out mat2 m; out struct { float f; vec2 g[2]; } s;"
                        "vec4 last(vec4 v[3]) { return v[2]; } void main() { vec4 c[3] = a;"
                        "for (int i = 0; i < 2; i++) { vec4 l = last(c); m = mat2(l); m[i] += 1.0;"
                        "s.f = l.x; s.g[i] = c[i].xy; EmitVertex(); } }")
    for run in ran(text, {"a": p}, ("m", "s.f", "s.g")):
        for lane in range(3):
            first = cast("int", run.stage.roots["s"].slot)
            np.testing.assert_array_equal(run.slot(lane, first, 1)[:, 0], [p[lane, 2, 0]] * 2)
            np.testing.assert_array_equal(run.slot(lane, first + 2, 2)[1], p[lane, 1, :2])
            column = run.slot(lane, cast("int", run.stage.roots["m"].slot), 2)
            np.testing.assert_array_equal(column, p[lane, 2, :2] + [[1, 1], [0, 0]])


def test_the_text_of_nir_is_read_back() -> None:
    text = TRIANGLES + ("in vec4 a[]; out vec4 c; void main() { c = a[gl_PrimitiveIDIn]; "
                        "EmitVertex(); EndPrimitive(); }")
    for shader, _ in forms(linked(text, ("c",))):
        listing = print_shader(shader)
        assert "gs_vertices_in=3 gs_vertices_out=6" in listing
        again = parse_shader(listing)
        assert print_shader(again) == listing and again.info == shader.info
        validate(again, "parser")


def test_other_stages_emit_nothing() -> None:
    b = Builder(Shader("vertex"))
    b.load_per_vertex_input(0, VARYING_SLOT_POS)
    b.intrinsic("emit_vertex", indices={"stream": 0})
    with pytest.raises(ValidationError, match="inputs have no vertex(.|\n)*shader emits no vert"):
        validate(b.shader)
    b = Builder(Shader("geometry"))
    b.load_input(VARYING_SLOT_POS)
    with pytest.raises(ValidationError, match="inputs have one vertex"):
        validate(b.shader)


# ---- what the linker says ---------------------------------------------------------------------
BODY = "void main() { EmitVertex(); }"
IN, OUT = "layout(lines) in;", "layout(points, max_vertices = 2) out;"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([OUT + BODY], "geometry shader didn't declare primitive input type"),
        ([IN + "layout(max_vertices = 2) out;" + BODY],
         "geometry shader didn't declare primitive output type"),
        ([IN + "layout(points) out;" + BODY], "geometry shader didn't declare max_vertices"),
        ([IN + OUT + BODY, "layout(points) in;"],
         "geometry shader defined with conflicting input types"),
        ([IN + OUT + BODY, "layout(line_strip) out;"],
         "geometry shader defined with conflicting output types"),
        ([IN + OUT + BODY, "layout(max_vertices = 3) out;"],
         "geometry shader defined with conflicting output vertex count (2 and 3)"),
        ([IN + OUT + BODY, "in vec4 a[3];"],
         "size of array a declared as 3, but number of input vertices is 2"),
        ([IN + OUT + BODY, "in vec4 a[]; vec4 f() { return a[4]; }"],
         "geometry shader accesses element 4 of a, but only 2 input vertices"),
        ([IN + OUT + "in blk { vec2 t; } i[]; " + BODY],
         "definitions of interface block `blk' do not match"),
    ],
)  # fmt: skip
def test_layouts_of_a_program(texts: list[str], said: str) -> None:
    found = linked(texts)
    assert not found.good and found.log == f"error: {said}\n"


def test_layouts_are_merged() -> None:
    """One object says what comes in, another what goes out, a third has the code."""
    found = linked(["in vec4 a[]; out vec4 c; " + "void main() { c = a[1]; EmitVertex(); }", IN,
                    OUT], ("c",))  # fmt: skip
    assert found.good, found.log
    assert str(found.stages["geometry"].roots["a"].type) == "vec4[2]"


def test_it_needs_a_vertex_shader() -> None:
    found = link([tree("geometry", IN + OUT + BODY)])
    assert found.log == "error: Geometry shader must be linked with vertex shader\n"


def test_captures_of_blocks_and_clip_distances() -> None:
    """The last stage before rasterisation is captured; members are named by their block."""
    text = IN + OUT + ("out blk2 { vec2 t; float u[2]; } o; out plain { vec3 v; }; void main() { "
                       "o.t = vec2(1.0); o.u[1] = 2.0; v = vec3(3.0); gl_ClipDistance[5] = 1.0;"
                       "EmitVertex(); }")
    names = ("blk2.u[1]", "v", "gl_ClipDistance[5]", "blk2.t")
    found = linked(text, names)
    assert found.good, found.log
    assert [row.name for row in found.resources["transform feedback varying"]] == list(names)
    captures = found.stream_output.captures
    assert found.stream_output.strides == (7,)
    clip = [c for c in captures if c.slot == VARYING_SLOT_CLIP_DIST0 + 1]
    assert len(clip) == 1 and clip[0].component == 1
    missing = linked(text, ("blk2.w",))
    assert missing.log == "error: Transform feedback varying blk2.w undeclared.\n"


@pytest.mark.parametrize(("sizes", "index", "good"), [
    ("[2][3]", "[1][2]", True), ("[2][2]", "[1][1]", False), ("[3]", "[2]", False),
])  # fmt: skip
def test_arrays_of_arrays_of_blocks_are_passed(sizes: str, index: str, good: bool) -> None:
    """The dimension of vertices stands before them."""
    head = "#version 150\n#extension GL_ARB_arrays_of_arrays : require\n"
    context = CONTEXT._replace(extensions=("GL_ARB_arrays_of_arrays",))
    trees = []
    for stage, text in (
        ("vertex", "in vec4 p; out blk { vec4 t; } o[2][3]; void main() { gl_Position = p; "
                   "o[1][2].t = o[0][1].t = p; }"),
        ("geometry", f"{IN}{OUT} in blk {{ vec4 t; }} i[]{sizes}; out vec4 c; void main() "
                     f"{{ c = i[1]{index}.t; EmitVertex(); }}"),
    ):  # fmt: skip
        done = compile_shader(head + text, stage, context)
        assert done.shader is not None, done.log
        trees.append(done.shader)
    found = link(trees, asked=Asked(("c",)))
    assert found.good == good and ("`blk' do not match" in found.log) != good
    if good:
        root = found.stages["geometry"].roots["blk.t"]
        assert str(root.type) == "vec4[2][2][3]"  # of two vertices
