# SPDX-License-Identifier: MIT
"""The linker beside the peer: what it refuses and how it says so, what is active, where it lies."""

from __future__ import annotations

import json
import pathlib
import re
import struct
import subprocess
import sys
from typing import Any

import pytest

import pydri.api.enums as gl
from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.language.keywords import WORDS
from pydri.glsl.link.linker import Linked, link
from pydri.glsl.tree import Shader
from pydri.main.shaders.link import GLSL_EXTENSIONS
from pydri.main.shaders.query_entries import uniform_location
from pydri.main.shaders.resources import full_name
from pydri.main.shaders.types import type_enum
from pydri.nir.enums import FRAG_RESULT_DATA0, VARYING_SLOT_VAR0
from tests import host
from tests.unit.glsl import shaders as shaders_of_piglit

LOCATIONS = "#version 120\n#extension GL_ARB_explicit_attrib_location : require\n"
COORD = "#extension GL_ARB_fragment_coord_conventions : require\n"
V = "void main() { gl_Position = gl_Vertex; }"
F = "void main() { gl_FragColor = vec4(1.0); }"
V120, F120 = "#version 120\n" + V, "#version 120\n" + F


def v(text: str) -> tuple[str, str]:
    return "vertex", text


def f(text: str) -> tuple[str, str]:
    return "fragment", text


#: programs, by what they try
PROGRAMS: dict[str, Any] = {
    "nothing": [],
    "plain": [v(V), f(F)],
    "vertex alone": [v(V)],
    "fragment alone": [f("varying vec2 a; void main() { gl_FragColor = a.xyxy; }")],
    "no main": [v("void f() { gl_Position = vec4(0.0); }"), f(F)],
    "no main in the fragment shader": [v(V), f("float x() { return 1.0; }")],
    "no position": [v("varying vec4 a; void main() { a = vec4(1.0); }"), f(F)],
    "two mains": [v(V), v(V), f(F)],
    "a function in another object": [
        v("vec4 g(int x); void main() { gl_Position = g(2); }"),
        v("uniform vec4 u; vec4 g(int x) { return u * float(x); }"), f(F)],
    "a function that is nowhere": [v("vec4 g(); void main() { gl_Position = g(); }"), f(F)],
    "one that nobody calls": [v("vec4 g(); " + V), f(F)],
    "recursion over objects": [
        v("void a(); void b() { a(); } void main() { b(); gl_Position = vec4(0.0); }"),
        v("void b(); void a() { b(); }"), f(F)],
    "globals of different types": [
        v("vec4 x; void g(); void main() { g(); gl_Position = x; }"),
        v("vec3 x; void g() { x = vec3(1.0); }"), f(F)],
    "uniforms of different types": [
        v("uniform vec4 u; void main() { gl_Position = u; }"),
        f("uniform vec3 u; void main() { gl_FragColor = u.xyzz; }")],
    "a varying that is declared, and not written": [
        v("varying vec4 a; " + V), f("varying vec4 a; void main() { gl_FragColor = a; }")],
    "a varying that is written sometimes": [
        v("varying vec4 a; void main() { gl_Position = gl_Vertex; if (gl_Vertex.x > 0.0) "
          "a = gl_Color; }"), f("varying vec4 a; void main() { gl_FragColor = a; }")],
    "all is invariant by pragma": [
        v("#version 120\n#pragma STDGL invariant(all)\nvarying vec4 a; void main() "
          "{ gl_Position = a = gl_Vertex; }"),
        f("#version 120\nvarying vec4 a; void main() { gl_FragColor = a; }")],
    "all is invariant in both": [
        v("#version 120\n#pragma STDGL invariant(all)\nvarying vec4 a; void main() "
          "{ gl_Position = a = gl_Vertex; }"),
        f("#version 120\ninvariant varying vec4 a; void main() { gl_FragColor = a; }")],
    "a uniform of both": [
        v("uniform vec4 u; void main() { gl_Position = u; }"),
        f("uniform vec4 u; void main() { gl_FragColor = u; }")],
    "initializers that differ": [
        v("#version 120\nuniform float u = 1.0; void main() { gl_Position = vec4(u); }"),
        f("#version 120\nuniform float u = 2.0; void main() { gl_FragColor = vec4(u); }")],
    "a varying that nobody writes": [
        v(V), f("varying vec4 a; void main() { gl_FragColor = a; }")],
    "a varying that nobody reads": [
        v("varying vec4 a; void main() { gl_Position = a = gl_Vertex; }"), f(F)],
    "one that is declared alone": [v(V), f("varying vec4 a; " + F)],
    "varyings of different types": [
        v("varying vec4 a; void main() { gl_Position = a = gl_Vertex; }"),
        f("varying vec3 a; void main() { gl_FragColor = a.xyzz; }")],
    "invariance differs": [
        v("#version 120\ninvariant varying vec4 a; void main() { gl_Position = a = gl_Vertex; }"),
        f("#version 120\nvarying vec4 a; void main() { gl_FragColor = a; }")],
    "built-in varyings": [
        v("void main() { gl_Position = gl_Vertex; gl_TexCoord[1] = gl_MultiTexCoord2; }"),
        f("void main() { gl_FragColor = gl_TexCoord[0] + gl_Color; }")],
    "varyings as many as there are components": [
        v("varying float a[64]; varying vec3 b[21]; void main() { gl_Position = gl_Vertex; "
          "for (int i = 0; i < 64; i++) a[i] = 1.0; for (int i = 0; i < 21; i++) b[i] = vec3(1.0); "
          "}"),
        f("varying float a[64]; varying vec3 b[21]; void main() { gl_FragColor = vec4(a[1]); "
          "for (int i = 0; i < 21; i++) gl_FragColor.xyz += b[i] + a[3 * i]; }")],
    "more varyings than there are components": [
        v("varying float a[64]; varying vec3 b[22]; void main() { gl_Position = gl_Vertex; "
          "for (int i = 0; i < 64; i++) a[i] = 1.0; for (int i = 0; i < 22; i++) b[i] = vec3(1.0); "
          "}"),
        f("varying float a[64]; varying vec3 b[22]; void main() { gl_FragColor = vec4(a[1]); "
          "for (int i = 0; i < 22; i++) gl_FragColor.xyz += b[i] + a[2 * i]; }")],
    "a location in layout()": [
        v(f"{LOCATIONS}layout(location = 3) in vec4 a; in vec4 b; "
          f"void main() {{ gl_Position = a + b; }}"),
        f(f"{LOCATIONS}layout(location = 1) out vec4 c; out vec4 d; "
          f"void main() {{ c = d = vec4(1.0); }}")],
    "a location of both objects": [
        v(f"{LOCATIONS}layout(location = 3) in vec4 a; in vec4 b; vec4 g(); "
          f"void main() {{ gl_Position = g() + b; }}"),
        v(f"{LOCATIONS}layout(location = 3) in vec4 a; vec4 g() {{ return a; }}"), f(F)],
    "two locations": [
        v(f"{LOCATIONS}layout(location = 3) in vec4 a; vec4 g(); "
          f"void main() {{ gl_Position = g() + a; }}"),
        v(f"{LOCATIONS}layout(location = 2) in vec4 a; vec4 g() {{ return a; }}"), f(F)],
    "conventions that differ": [
        v(V), f(f"{COORD}layout(origin_upper_left) in vec4 gl_FragCoord; vec4 g(); void main() {{ "
                "gl_FragColor = gl_FragCoord + g(); }"),
        f(f"{COORD}layout(pixel_center_integer) in vec4 gl_FragCoord; vec4 g() {{ "
          "return gl_FragCoord; }")],
    "conventions that differ from none": [
        v(V), f(f"{COORD}layout(origin_upper_left) in vec4 gl_FragCoord; vec4 g(); void main() {{ "
                "gl_FragColor = gl_FragCoord + g(); }"),
        f("vec4 g() { return gl_FragCoord; }")],
    "a location beyond the last": [
        v(f"{LOCATIONS}layout(location = 16) in vec4 a; void main() {{ gl_Position = a; }}"), f(F)],
    "a target beyond the last": [
        v(V), f(f"{LOCATIONS}layout(location = 8) out vec4 a; void main() {{ a = vec4(1.0); }}")],
    "both outputs over objects": [
        v(V), f("void g(); void main() { g(); gl_FragColor = vec4(1.0); }"),
        f("void g() { gl_FragData[0] = vec4(1.0); }")],
    "unsized arrays": [
        v("uniform vec4 u[]; vec4 g(); void main() { gl_Position = u[1] + g(); }"),
        v("uniform vec4 u[]; vec4 g() { return u[3]; }"), f(F)],
    "arrays of two sizes": [
        v("uniform vec4 u[4]; vec4 g(); void main() { gl_Position = u[1] + g(); }"),
        v("uniform vec4 u[]; vec4 g() { return u[5]; }"), f(F)],
    "an array used in part": [
        v("uniform vec4 u[9]; void main() { gl_Position = u[1] + u[4]; }"), f(F)],
    "an array used by a variable": [
        v("uniform vec4 u[9]; uniform int n; void main() { gl_Position = u[1] + u[n]; }"), f(F)],
    "structs": [
        v("struct S { vec3 a; float b[3]; mat2 m; }; uniform S s[2]; uniform S t; "
          "void main() { gl_Position = vec4(s[1].b[1]) + vec4(t.a, t.m[0].x); }"), f(F)],
    "samplers": [v(V), f(
        "uniform sampler2D a; uniform samplerCube b[3]; uniform sampler2DShadow c; "
        "void main() { gl_FragColor = texture2D(a, vec2(0.0)) + textureCube(b[1], vec3(1.0)) "
        "+ shadow2D(c, vec3(1.0)); }")],
    "unused things": [
        v("uniform vec4 u, w; attribute vec4 a, b; void main() { gl_Position = a + u; }"), f(F)],
    "things behind a false condition": [
        v("uniform vec4 u, w; attribute vec4 a, b; void main() { gl_Position = a + u; "
          "if (false) gl_Position += w * b; }"), f(F)],
    "attributes": [
        v("attribute float one; attribute mat3 three; attribute vec2 two; void main() { "
          "gl_Position = vec4(one) + vec4(three[1], 1.0) + two.xyxy + vec4(gl_Normal, 1.0); }"),
        f(F)],
    "attributes beside the vertex": [
        v("attribute vec4 a; void main() { gl_Position = gl_Vertex + a; }"), f(F)],
    "state": [
        v("void main() { gl_Position = ftransform() + gl_LightSource[1].position; }"),
        f("void main() { gl_FragColor = gl_Fog.color; }")],
    "versions beside each other": [v(V120), f(F)],
}  # fmt: skip
BOUND: dict[str, tuple[Any, dict[str, int]]] = {
    "bound": ([v("attribute vec4 a, b; void main() { gl_Position = a + b; }"), f(F)],
              {"b": 5, "nothing": 2}),
    "bound to one place": ([v("attribute vec4 a, b; void main() { gl_Position = a + b; }"), f(F)],
                           {"a": 3, "b": 3}),
    "bound beyond the last": (
        [v("attribute mat4 a; void main() { gl_Position = a * vec4(1.0); }"), f(F)], {"a": 14}),
    "no gap is wide enough": (
        [v("attribute mat4 a; attribute vec4 b, c, d; void main() { "
           "gl_Position = a * b + c + d; }"), f(F)], {"b": 3, "c": 7, "d": 11}),
}  # fmt: skip


def linked(shaders: Any, bindings: dict[str, int] | None = None) -> Linked:
    trees: list[Shader] = []
    for stage, text in shaders:
        made = compile_shader(text, stage, shaders_of_piglit.CONTEXT)
        assert made.shader is not None, made.log
        trees.append(made.shader)
    return link(trees, bindings)


def _lines(log: str) -> set[str]:
    """The lines of a log; functions come in the order of a hash table, and one message of the
    peer's begins the next line with its full stop. Whether it warns of attributes that are bound to
    one place hangs on memory that it has not set (numbers of which stand in the warning).
    """
    lines = {line.lstrip(".") for line in log.split("\n")} - {""}
    return {line for line in lines if not line.startswith("warning: overlapping location")}


@pytest.fixture(scope="module")
def peers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    path: pathlib.Path = tmp_path_factory.mktemp("link")
    asked, answered = path / "programs.json", path / "answers.json"
    programs = [{"shaders": shaders} for shaders in PROGRAMS.values()]
    programs += [{"shaders": s, "bindings": b} for s, b in BOUND.values()]
    asked.write_text(json.dumps(programs))
    program = pathlib.Path(__file__).with_name("link_peer.py")
    command = [sys.executable, str(program), str(asked), str(answered)]
    env = host.side("peer", EGL_PLATFORM="surfaceless")
    subprocess.run(command, env=env, check=True, timeout=60)
    return dict(zip([*PROGRAMS, *BOUND], json.loads(answered.read_text()), strict=True))


@pytest.mark.needs("libegl1", "libgl1-mesa-dri")
@pytest.mark.parametrize("name", [*PROGRAMS, *BOUND])
def test_beside_the_peer(peers: dict[str, Any], name: str) -> None:
    host.only_reference_peer()
    shaders, bindings = BOUND[name] if name in BOUND else (PROGRAMS[name], {})
    ours, theirs = linked(shaders, bindings), peers[name]
    assert ours.good == bool(theirs["good"]), f"{ours.log}\n{theirs['log']}"
    assert _lines(ours.log) == _lines(theirs["log"])
    if ours.good:
        rows = [
            [full_name(row), type_enum(row.type), row.elements, row.location]
            for row in ours.uniforms
        ]
        assert sorted(r[:3] for r in rows) == sorted(r[:3] for r in theirs["uniforms"])
        attributes = [[a.name, type_enum(a.type), 1, a.location] for a in ours.attributes]
        assert sorted(attributes) == sorted(theirs["attributes"])


def test_a_shader_may_be_linked_twice() -> None:
    """Nothing of a program is written into the trees it is made of."""
    one = compile_shader("uniform vec4 u[]; varying vec4 a; void main() { gl_Position = a = u[1]; "
                         "}", "vertex", Context()).shader  # fmt: skip
    two = compile_shader("uniform vec4 u[]; vec4 g() { return u[7]; }", "vertex", Context()).shader
    assert one is not None and two is not None
    first = link([one])
    both = link([one, two])
    again = link([one])
    assert [u.size for u in first.uniforms] == [u.size for u in again.uniforms] == [2]
    assert both.good and {v.name: str(v.type) for v in both.stages["vertex"].roots.values()}[
        "u"] == "vec4[2]"  # fmt: skip


def test_varyings_share_slots() -> None:
    """Vectors of four first, then those of two, of one, of three, each kind of its own."""
    names = "varying vec3 a; varying float b[5]; centroid varying vec2 c; varying vec4 d;"
    found = linked([
        v(f"#version 120\n{names} void main() {{ gl_Position = d = gl_Vertex; a = d.xyz; c = d.xy; "
          "b[0] = b[1] = b[2] = 1.0; }"),
        f(f"#version 120\n{names} void main() {{ gl_FragColor = d + vec4(a, b[2]) + c.xyxy; }}"),
    ])  # fmt: skip
    assert found.good
    vertex, fragment = found.stages["vertex"], found.stages["fragment"]
    packing = vertex.packing["shader_out"]
    assert packing is fragment.packing["shader_in"]
    first = 4 * VARYING_SLOT_VAR0
    assert {name: packing[fragment.roots[name].slot] - first for name in "abcd"} == {
        "d": 0, "b": 4, "a": 4 + 5, "c": 12}  # type: ignore[index]  # fmt: skip


def chain(vertex: str, geometry: str, fragment: str) -> Linked:
    """What the linker says of three stages."""
    context, trees = Context(150, 0, (), {}), []
    for stage, text in (("fragment", fragment), ("geometry", geometry), ("vertex", vertex)):
        done = compile_shader("#version 150\n" + text, stage, context)
        assert done.shader is not None, done.log
        trees.append(done.shader)
    return link(trees)


FIRST = "in vec4 p; out vec3 a; out vec2 b; void main() { gl_Position = p; a = p.xyz; b = p.xy; }"
MIDDLE = ("layout(triangles) in; layout(points, max_vertices = 3) out; in vec2 b[3]; in vec3 a[3]; "
          "out vec2 c; out vec2 a1; out vec3 d; "
          "void main() { c = b[0]; a1 = b[2]; d = a[1]; }")  # fmt: skip
LAST = "in vec3 d; in vec2 c; out vec4 e; void main() { e = vec4(d, c.x); }"


def test_a_chain_of_three_stages() -> None:
    """Each interface has slots of its own; what the next stage does not read is not passed."""
    found = chain(FIRST, MIDDLE, LAST)
    assert found.good and list(found.stages) == ["vertex", "geometry", "fragment"]
    first, middle, last = found.stages.values()
    for producer, consumer, names in ((first, middle, "ba"), (middle, last, "dc")):
        packing = producer.packing["shader_out"]
        assert packing is consumer.packing["shader_in"]
        slots = {name: consumer.roots[name].slot for name in names}
        assert slots == {name: producer.roots[name].slot for name in names}
        assert set(packing) == set(slots.values())
    assert middle.packing["shader_in"] is not middle.packing["shader_out"]
    assert middle.roots["a1"].mode == "global" and last.roots["e"].slot == FRAG_RESULT_DATA0


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((FIRST.replace("out vec2 b", "out vec3 b").replace("p.xy;", "p.xyz;"), MIDDLE, LAST),
         "vertex shader output `b' declared as type `vec3', but geometry shader input declared as "
         "type `vec2'"),
        ((FIRST, MIDDLE.replace("out vec3 d", "flat out vec3 d"), LAST),
         "geometry shader output `d' specifies flat interpolation qualifier, but fragment shader "
         "input specifies no interpolation qualifier"),
        ((FIRST, MIDDLE, LAST.replace("in vec2 c", "in vec2 b").replace("c.x", "b.x")),
         "fragment shader varying b not written by geometry shader"),
        ((FIRST.replace("a = p.xyz;", "").replace("out vec3 a;", ""), MIDDLE, LAST),
         "geometry shader varying a not written by vertex shader"),
    ],
    ids=["type", "interpolation", "passed by", "not passed"],
)  # fmt: skip
def test_neighbours_must_agree(texts: tuple[str, str, str], said: str) -> None:
    found = chain(*texts)
    assert not found.good and found.log == f"error: {said}\n"


def test_an_invocation_emits_so_much() -> None:
    """Components of all vertices that max_vertices allows (GL 3.2, 2.12.5)."""
    outputs = MIDDLE.replace("c = b[0]", "gl_Position = vec4(1.0); c = b[0]")
    for vertices, good in ((113, True), (114, False)):  # of 4 + 2 + 3
        text = outputs.replace("max_vertices = 3", f"max_vertices = {vertices}")
        found = chain(FIRST, text, LAST)
        assert found.good is good
        assert good or found.log == (
            "error: geometry shader emits too many components (1026 > 1024)\n")


def test_initial_values() -> None:
    found = linked([
        v("#version 120\nuniform mat2 m = mat2(1.0, 2.0, 3.0, 4.0); uniform bvec2 b = bvec2(true, "
          "false); uniform int n[2] = int[2](5, 6); void main() { gl_Position = vec4(m[0], m[1]) + "
          "vec4(b, n[0], n[1]); }")])  # fmt: skip
    at = {row.name: row.storage for row in found.uniforms}
    assert struct.unpack_from("<6f", found.storage, at["m"]) == (1, 2, 0, 0, 3, 4)
    assert struct.unpack_from("<2i", found.storage, at["b"]) == (1, 0)
    assert struct.unpack_from("<5i", found.storage, at["n"])[::4] == (5, 6)


_EVERYTHING = "#version 120\n" + "".join(
    f"#extension {name} : enable\n" for name in sorted(GLSL_EXTENSIONS))


@pytest.mark.parametrize("word", sorted(w for w, row in WORDS.items() if row.kind == "type"))
def test_each_type_of_a_uniform_has_an_enum(word: str) -> None:
    """All words for types that some context of ours takes; a type that comes later comes here by
    itself. Its enum is named like it."""
    context = Context(extensions=GLSL_EXTENSIONS)
    made = compile_shader(
        f"{_EVERYTHING}uniform {word} u; void f({word} u); void main() {{ f(u); }} "
        f"void f({word} u) {{ gl_FragColor = vec4(0.0); }}", "fragment", context)
    if made.shader is None:
        none = "void|double|unsigned|atomic|d(vec|mat)|[iu]?(image|sampler(2DMS|External|Buffer))"
        assert re.match(none, word), made.log
        return
    found = link([made.shader])
    assert found.good, found.log
    (row,) = found.uniforms
    name = gl.name_of(type_enum(row.type)).removeprefix("GL_").replace("_", "").lower()
    plain = re.sub("^usampler", "unsignedintsampler", re.sub("^isampler", "intsampler", word))
    plain = re.sub("^([biu]?)vec", lambda m: {"": "float", "b": "bool", "i": "int",
                                              "u": "unsignedint"}[m[1]] + "vec", plain)
    plain = re.sub("^mat([234])(x\\1)?", r"floatmat\1", plain).replace("uint", "unsignedint")
    plain = plain.replace("CubeArray", "CubeMapArray").replace("2DMS", "2DMultisample").lower()
    assert name in (plain, plain + "ext", plain + "arb")


def test_the_names_of_elements() -> None:
    """a[3], with no more digits than a number has."""
    found = linked([v("uniform vec4 a[4]; uniform int n; void main() { gl_Position = a[n]; }")])
    wanted = {"a": 0, "a[0]": 0, "a[3]": 3, "a[4]": -1, "a[03]": -1, "a[\u00b2]": -1}
    wanted["a[" + "9" * 5000 + "]"] = -1
    first = uniform_location(found, "a")
    told = {name: uniform_location(found, name) for name in wanted}
    assert told == {name: at if at < 0 else first + at for name, at in wanted.items()}


def test_absurd_sizes_are_errors() -> None:
    for text in ("uniform vec4 u[100000]; uniform int n; void main() { gl_Position = u[n]; }",
                 "struct S { float a, b; }; uniform S s[1000000]; uniform int n; void main() { "
                 "gl_Position = vec4(s[n].a); }"):  # fmt: skip
        found = linked([v(text)])
        assert not found.good
        assert found.log == "error: Too many vertex shader default uniform block components\n"
    # packed vector by vector these would take all memory
    text = "varying float a[2147483647]; void main() { gl_FragColor = vec4(a[0]); }"
    vertex = "varying float a[2147483647]; void main() { a[0] = 1.0; gl_Position = gl_Vertex; }"
    found = linked([v(vertex), f(text)])
    assert not found.good and "too many input components (2147483647 > " in found.log
    outputs = "#extension GL_EXT_gpu_shader4 : enable\nvarying out vec4 c[2147483647]; "
    found = linked([v(V), f(outputs + "void main() { c[0] = vec4(1.0); }")])
    assert not found.good and "insufficient contiguous locations" in found.log


_POINT = "void main() { gl_Position = vec4(0.0); gl_PointSize = 1.0; }"


@pytest.mark.parametrize(
    ("vertex", "fragment", "good"),
    [
        # a varying that is not written is undefined; it must be declared (GLSL ES 1.00, 4.3.5)
        ("varying highp vec4 a; " + _POINT, "varying highp vec4 a; gl_FragColor = a;", True),
        (_POINT, "varying highp vec4 a; gl_FragColor = a;", False),
        # built-in inputs are invariant with outputs (4.6.4)
        (_POINT, "invariant gl_PointCoord; gl_FragColor = gl_PointCoord.xyxy;", False),
        ("invariant gl_PointSize; " + _POINT,
         "invariant gl_PointCoord; gl_FragColor = gl_PointCoord.xyxy;", True),
        ("invariant gl_Position; " + _POINT,
         "invariant gl_FragCoord; gl_FragColor = gl_FragCoord;", True),
        (_POINT, "invariant gl_FragCoord; gl_FragColor = gl_FragCoord;", False),
    ],
)  # fmt: skip
def test_rules_of_es(vertex: str, fragment: str, good: bool) -> None:
    declared, _, body = fragment.rpartition("; gl_FragColor")
    context = Context(0, 100, es=True)
    texts = (vertex, f"{declared}; void main() {{ gl_FragColor{body} }}")
    shaders = [compile_shader(text, stage, context).shader
               for text, stage in zip(texts, ("vertex", "fragment"), strict=True)]  # fmt: skip
    assert all(shaders)
    found = link([shader for shader in shaders if shader])
    assert found.good is good, found.log
