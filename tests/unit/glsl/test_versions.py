# SPDX-License-Identifier: MIT
"""What each version of the language has, and has no longer: GLSL 1.30, 1.40, 3.30, ES 3.00."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pydri.glsl.compiler import Compiled, compile_shader
from pydri.glsl.language.versions import supported_versions
from pydri.glsl.link.linker import link
from pydri.glsl.translate.to_nir import to_nir
from pydri.nir.enums import FRAG_RESULT_COLOR, VARYING_SLOT_CLIP_DIST0
from pydri.nir.ir import IntrinsicInstr, Shader
from pydri.nir.passes import lower_glsl, run_pass
from tests.unit.glsl.shaders import CONTEXT
from tests.unit.glsl.translated import OneStage, checked, color, execute

BARE = CONTEXT._replace(extensions=())
ES = "precision highp float;\n"


def compiled(version: str, text: str, stage: str = "fragment", **more: Any) -> Compiled:
    head = f"#version {version}\n{ES if 'es' in version or version == '100' else ''}"
    return compile_shader(head + text, stage, BARE._replace(**more))


#: text, stage: the versions that take it, of all of VERSIONS
VERSIONS = ("110", "120", "130", "140", "150", "330", "100", "300 es")
DESKTOP = ("110", "120", "130", "140", "150", "330")
FROM_130 = ("130", "140", "150", "330", "300 es")
OLD = ("110", "120", "130")
TAKEN = {
    ("uint x = 3u;", ""): FROM_130,
    ("void f(int x) { switch (x) { case 1: ; } }", ""): FROM_130,
    ("void f(float x) { x = sinh(x) + acosh(x) + roundEven(x); modf(x, x); }", ""): FROM_130,
    ("float f(vec2 x, bvec2 b) { return mix(x, x, b).x; }", ""): FROM_130,
    ("bool f(float x) { return isnan(x) || isinf(x); }", ""): FROM_130,
    ("mat3 f(mat2 m) { return mat3(m); }", ""): VERSIONS[1:],
    ("mat2 f(mat2 m) { return inverse(m); }", ""): ("140", "150", "330", "300 es"),
    ("float f(mat2 m) { return determinant(m); }", ""): ("120", *FROM_130),
    ("int f(float x) { return floatBitsToInt(x); }", ""): ("330", "300 es"),
    ("uniform sampler2D s; vec4 f() { return texture(s, vec2(0)); }", ""): FROM_130,
    ("uniform sampler2D s; vec4 f() { return texture2D(s, vec2(0.)); }", ""):
        (*DESKTOP, "100"),
    ("uniform sampler2D s; ivec2 f() { return textureSize(s, 0); }", ""): FROM_130,
    ("uniform sampler2DRect s; ivec2 f() { return textureSize(s); }", ""): ("140", "150", "330"),
    ("uniform samplerBuffer s; vec4 f() { return texelFetch(s, textureSize(s)); }", ""):
        ("140", "150", "330"),
    ("uniform sampler1D s; vec4 f() { return texture(s, 0.); }", ""): FROM_130[:-1],
    ("uniform U { vec4 a; }; vec4 f() { return a; }", ""): ("140", "150", "330", "300 es"),
    ("uniform U { vec4 a; } u; vec4 f() { return u.a; }", ""): ("150", "330", "300 es"),
    ("layout(location = 1) out vec4 c;", "fragment"): ("330", "300 es"),
    ("layout(location = 1, index = 1) out vec4 c;", "fragment"): ("330",),
    ("layout(location = 1) in vec4 c;", "vertex"): ("330", "300 es"),
    ("out vec4 c; void f() { c = vec4(1); }", "fragment"): FROM_130,
    ("void f() { gl_FragColor = vec4(1.); }", "fragment"): (*DESKTOP, "100"),
    ("attribute vec4 v; varying vec4 w;", "vertex"): (*DESKTOP, "100"),
    ("vec4 f() { return gl_Vertex + gl_Color; }", "vertex"): OLD,
    ("vec4 f() { return ftransform() * gl_ModelViewMatrix; }", "vertex"): OLD,
    ("vec4 f() { return gl_Color + gl_TexCoord[0]; }", "fragment"): OLD,
    ("gl_FogParameters f; int n = gl_MaxLights;", ""): OLD,
    ("gl_DepthRangeParameters r;", ""): VERSIONS,
    ("int f() { return gl_VertexID; }", "vertex"): FROM_130,
    ("int f() { return gl_InstanceID; }", "vertex"): ("140", "150", "330", "300 es"),
    ("void f() { gl_ClipDistance[1] = 1.; }", "vertex"): FROM_130[:-1],
    ("smooth in vec4 gl_Color;", "fragment"): ("130",),
    ("in vec4 gl_SecondaryColor;", "fragment"): ("130",),
    ("int f() { return gl_MaxProgramTexelOffset; }", ""): ("300 es",),
    ("int f() { return gl_MaxVaryingVectors; }", ""): ("100",),
    ("int f() { return gl_MaxFragmentInputVectors; }", ""): ("300 es",),
    ("uniform sampler2D s[2]; void g(sampler2D x) { } void f(int n) { g(s[n]); }", ""):
        ("110", "120", "100"),
    ("struct S { sampler2D s; }; uniform S u[2]; void g(sampler2D x) { }"
     "void f(int n) { g(u[n].s); }", ""): VERSIONS,
    ("const int n = (1, 2);", ""): (*DESKTOP, "100"),
    ("float a[]; void f() { a[2] = 1.; }", ""): DESKTOP,
    ("float f(int n) { return n; }", ""): (),
    ("float f(int n) { float x = n; return x; }", ""): DESKTOP[1:],
    ("invariant in vec4 v;", "fragment"): FROM_130[:-1],
    ("flat out ivec2 v;", "vertex"): FROM_130,
    ("out ivec2 v;", "vertex"): FROM_130,  # where it is read it must be flat
    ("flat in ivec2 v;", "fragment"): FROM_130,
    ("in ivec2 v;", "fragment"): (),
    ("struct S { float a; }; in S s;", "fragment"): ("150", "330", "300 es"),
    ("struct S { float a; }; in S s[2];", "fragment"): ("150", "330"),
    ("struct S { float a[2]; }; in S s;", "fragment"): ("150", "330"),
    ("layout(LOCATION = 1) in vec4 c;", "vertex"): ("330",),
    ("layout(location = 1, location = 1) in vec4 c;", "vertex"): (),
    ("void f(layout(location = 1) vec4 c) { }", ""): (),
    (f"int {'x' * 1025};", ""): DESKTOP,
    (f"int {'x' * 1024};", ""): VERSIONS,
    ("uniform uniform U { vec4 a; };", ""): (),
    ("int packed;", ""): (),
    ("int[];", ""): DESKTOP,
    ("int image2DShadow;", ""): ("110", "120", "100", "300 es"),
    ("int row_major;", ""): ("110", "120", "100", "300 es"),
    ("int layout;", ""): (*OLD, "100"),
    ("out vec4 c = vec4(1);", "fragment"): (),
    ("smooth out vec4 c;", "fragment"): (),
    ("centroid out vec4 c;", "fragment"): (),
    ("centroid in vec4 c;", "vertex"): (),
    ("flat varying vec4 c;", "fragment"): (),
    ("float gl_ClipDistance[9];", "vertex"): (),
}


@pytest.mark.parametrize(("text", "stage"), TAKEN, ids=lambda value: value[:60])
def test_versions(text: str, stage: str) -> None:
    for each in (stage,) if stage else ("vertex", "fragment"):
        found = {v: compiled(v, text, each) for v in VERSIONS}
        taken = tuple(v for v in VERSIONS if found[v].shader is not None)
        assert taken == TAKEN[text, stage], {v: found[v].log for v in VERSIONS}


#: an extension of ES (without GL_), a fragment shader: the versions that take it
OF_ES = {
    ("EXT_texture_query_lod", "uniform sampler2D s; in vec2 v; out vec4 c;"
     "void main() { c = textureQueryLod(s, v).xyxy; }"): ("300 es",),
    ("EXT_shader_integer_mix", "in vec4 v; int f() { return mix(1, 2, v.x > 0.); }"): ("300 es",),
    ("EXT_texture_shadow_lod", "uniform highp sampler2DArrayShadow s; in vec4 v;"
     "float f() { return textureLod(s, v, 1.); }"): ("300 es",),
    ("NV_shader_noperspective_interpolation", "noperspective in vec4 v;"): ("300 es",),
    ("EXT_blend_func_extended", "layout(location = 0, index = 1) out vec4 c;"): ("300 es",),
    ("EXT_blend_func_extended", "void f() { gl_SecondaryFragColorEXT = gl_FragColor = vec4(1.); }"):
        ("100",),
    ("EXT_blend_func_extended",
     "void f() { gl_SecondaryFragDataEXT[gl_MaxDualSourceDrawBuffersEXT - 1] = vec4(1.); }"):
        ("100",),
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), OF_ES)
def test_extensions_of_es(name: str, text: str) -> None:
    asked = f"#extension GL_{name} : require\n{ES}{text}"
    for version in ("100", "300 es"):
        plain = compile_shader(f"#version {version}\n{ES}{text}", "fragment", BARE)
        assert plain.shader is None, plain.log
        has = BARE._replace(extensions=(f"GL_{name}",))
        found = compile_shader(f"#version {version}\n{asked}", "fragment", has)
        assert (found.shader is not None) == (version in OF_ES[name, text]), found.log


def test_every_version_is_there() -> None:
    numbers = supported_versions(330, 300)
    assert {f"{n}{' es' if es and n > 100 else ''}" for n, es in numbers} == set(VERSIONS)


def test_compatibility() -> None:
    """In a context that is compatible itself, 1.40 and the profile have what core profiles lack."""
    text = "void main() { gl_Position = ftransform() + gl_Color; gl_ClipVertex = gl_Position; }"
    extensions = ("GL_ARB_compatibility",)
    for version in ("140", "150 compatibility", "330 compatibility"):
        assert compiled(version, text, "vertex", extensions=extensions).shader is not None
        assert compiled(version, text, "vertex").shader is None
    for version in ("150", "330 core"):
        assert compiled(version, text, "vertex", extensions=extensions).shader is None
    named = "150\n#extension GL_ARB_compatibility : enable\n#ifndef GL_core_profile\nx\n#endif\n"
    assert compiled(named, text, "vertex", extensions=extensions).shader is not None
    assert compiled(named, text, "vertex").shader is None


def test_the_geometry_stage_brings_its_names_to_any_version() -> None:
    text = "void main() { gl_Position = gl_in[0].gl_Position; EmitVertex(); EndPrimitive(); }"
    assert [compiled(v, text, "geometry").log for v in DESKTOP] == [""] * len(DESKTOP)


@pytest.mark.parametrize("version", ["130 core", "140 compatibility", "330 es", "300", "330 x",
                                     "330 core core", "300 core"])
def test_wrong_profiles(version: str) -> None:
    assert compiled(version, "void main() { }", extensions=("GL_ARB_compatibility",)).shader is None


# ---- what is computed ---------------------------------------------------------------------------
A = np.array([[1.75, -2.5, 0.0, 3.0], [-0.25, 8.0, 1.0, -7.5]], np.float32)


def test_modf() -> None:
    text = "#version 130\nin vec4 a; void main() { vec4 w; float f[2]; vec2 r = modf(a, w).xy;" \
        "int i = 0; r.y += modf(a.w, f[i++]); gl_FragColor = vec4(r, w.x + float(i), f[0]); }"
    fraction = A - np.trunc(A)
    wanted = np.stack([fraction[:, 0], fraction[:, 1] + fraction[:, 3], np.trunc(A[:, 0]) + 1,
                       np.trunc(A[:, 3])], 1)
    np.testing.assert_array_equal(color(text, 2, {"a": A}), wanted)


@pytest.mark.parametrize("call", ["modf(1.0, 2.0)", "modf(1.0, n)", "modf(v, v.x)", "modf(x, c)",
                                  "modf(v, v.xxyy)"])
def test_wrong_modf(call: str) -> None:
    text = f"uniform int n; void f(float x, vec4 v) {{ const float c = 1.0; {call}; }}"
    assert compiled("130", text).shader is None


def test_constant_matrices() -> None:
    text = "mat3 m = inverse(mat3(2, 0, 1, 0, 4, 0, 1, 0, 1)); const float d = determinant(mat4(" \
        "2, 0, 1, 0,  0, 4, 0, 0,  1, 0, 1, 0,  5, 6, 7, 2)); uniform float s[int(d)]; out vec4 c;"
    found = compiled("150", text)
    assert found.shader is not None, found.log
    by_name = {var.name: var for var in found.shader.globals}
    value = by_name["m"].initializer
    assert value is not None and value.constant == (1, 0, -1, 0, 0.25, 0, -1, 0, 2)
    assert by_name["s"].type.length == 8


def test_numbers_are_compared_as_what_they_are_seen_as() -> None:
    """-0.0 is 0.0, and no number is itself, of whatever kind the bits were."""
    text = "#version 330\nin vec4 a; struct S { float f; }; void main() { uint u = 1u << 31;" \
        "u *= uint(a.w != 9.0); float z = uintBitsToFloat(u), n = uintBitsToFloat(~u);" \
        "gl_FragColor = vec4(z == 0.0, n != n, S(z) == S(0.0), floatBitsToUint(-z) == 0u); }"
    np.testing.assert_array_equal(color(text, 2, {"a": A}), [[1, 1, 1, 1]] * 2)


def test_lookups_of_1_30() -> None:
    """The number of what is compared, and whole numbers."""
    for text, kind in (("sampler2DShadow s; out float c; void main() { c = textureProj(s, a); }",
                        "float"),
                       ("usampler2DArray s; out uvec4 c; void main() { c = texelFetchOffset(s,"
                        "ivec3(a), 1, ivec2(2)); }", "uint")):
        tree = checked(f"#version 130\nin vec4 a; uniform {text}", "fragment")
        shader = to_nir(tree, OneStage(tree))
        (store,) = [i for i in shader.main.instrs() if isinstance(i, IntrinsicInstr)
                    and i.name == "store_var"]
        assert store.srcs[0].kind == kind


# ---- linking ------------------------------------------------------------------------------------
def linked(version: str, vertex: str, fragment: str) -> tuple[str, dict[str, Shader]]:
    head = f"#version {version}\n{ES if 'es' in version or version == '100' else ''}"
    trees = [checked(head + text, stage, BARE)
             for stage, text in (("vertex", vertex), ("fragment", fragment))]
    found = link(trees)
    shaders = {}
    for name, stage in found.stages.items() if found.good else ():
        shader = shaders[name] = to_nir(stage.shader(), stage.layout)
        lower_glsl(shader)
        inputs, outputs = (stage.packing.get(mode, {}) for mode in ("shader_in", "shader_out"))
        run_pass(shader, "lower_packed_varyings", inputs=inputs, outputs=outputs)
    return found.log, shaders


def test_clip_distances_share_slots() -> None:
    vertex = "in vec4 a; out vec4 v; out float gl_ClipDistance[6]; void main() { v = a;" \
        "gl_Position = a; for (int i = 0; i < 6; i++) gl_ClipDistance[i] = a.x + float(i); }"
    fragment = "in vec4 v; in float gl_ClipDistance[6]; uniform int n; void main() {" \
        "gl_FragColor = v + vec4(gl_ClipDistance[4], gl_ClipDistance[n], 0, 0); }"
    log, shaders = linked("130", vertex, fragment)
    assert not log
    found = {i.indices["base"] for i in shaders["vertex"].main.instrs()
             if isinstance(i, IntrinsicInstr) and i.name == "store_output"}
    first = VARYING_SLOT_CLIP_DIST0
    assert {s for s in found if 16 <= s < 32 or s > 99} == {first, first + 1}
    read = {(i.indices["base"], i.indices["component"]) for i in shaders["fragment"].main.instrs()
            if isinstance(i, IntrinsicInstr) and i.name == "load_input"}
    assert (first + 1, 0) in read and max(base for base, _ in read) < 64


MISMATCHES = [
    ("300 es", "out vec4 v; void main() { v = vec4(1); gl_Position = v; }",
     "smooth in vec4 v; out vec4 c; void main() { c = v; }", ""),
    ("300 es", "invariant out vec4 v; void main() { v = vec4(1); gl_Position = v; }",
     "in vec4 v; out vec4 c; void main() { c = v; }", ""),
    ("300 es", "flat out vec4 v; void main() { v = vec4(1); gl_Position = v; }",
     "in vec4 v; out vec4 c; void main() { c = v; }", "interpolation qualifier"),
    ("330", "smooth out vec4 v; void main() { v = vec4(1); gl_Position = v; }",
     "in vec4 v; out vec4 c; void main() { c = v; }", "interpolation qualifier"),
    ("300 es", "void main() { gl_Position = vec4(1); }",
     "layout(location = 0) out vec4 c; out vec4 d; void main() { c = d = vec4(1); }", ""),
    ("300 es", "uniform float f; void main() { gl_Position = vec4(1); }",
     "uniform mediump float f; out vec4 c; void main() { c = vec4(f); }", "mismatching precision"),
    ("100", "uniform float f; void main() { gl_Position = vec4(f); }",
     "uniform mediump float f; void main() { gl_FragColor = vec4(f); }", "mismatching precision"),
    ("100", "uniform float f; void main() { gl_Position = vec4(1); }",
     "uniform mediump float f; void main() { gl_FragColor = vec4(f); }", ""),
    *(("300 es", "struct S { lowp float a; }; uniform S s; void main() { gl_Position.x = s.a; }",
       f"struct S {{ {word} float a; }}; uniform S s; out vec4 c; void main() {{ c.x = s.a; }}",
       message) for word, message in (("lowp", ""), ("mediump", "mismatching precision"))),
    ("130", "void main() { gl_Position = gl_ClipVertex = vec4(1); gl_ClipDistance[0] = 1.0; }",
     "void main() { }", "both `gl_ClipVertex' and `gl_ClipDistance'"),
]


@pytest.mark.parametrize(("version", "vertex", "fragment", "message"), MISMATCHES)
def test_neighbours(version: str, vertex: str, fragment: str, message: str) -> None:
    log, _ = linked(version, vertex, fragment)
    assert message in log
    assert bool(log) == bool(message)


def test_own_outputs() -> None:
    text = "#version 330\nin vec4 a; layout(location = 2) out vec4 c; void main() { c = a + 1; }"
    tree = checked(text, "fragment")
    layout = OneStage(tree)
    shader = to_nir(tree, layout)
    lower_glsl(shader)
    slot = layout.names["c"].slot
    assert isinstance(slot, int) and slot != FRAG_RESULT_COLOR
    found = execute(shader, layout, 2, {"a": A}, {}).output(slot)
    np.testing.assert_array_equal(found, A + 1)


# ---- distances to clip by and to cull by --------------------------------------------------------
CULLS = "GL_ARB_cull_distance", "GL_EXT_clip_cull_distance"
OUT = "void main() {{ gl_Position = vec4(1); {} }}".format
#: head, declarations and code of a vertex shader, and what is wrong with it
DISTANCES = [
    ("130\n#extension GL_ARB_cull_distance : enable", "", "gl_CullDistance[7] = 1.0;", ""),
    ("130", "", "gl_CullDistance[7] = 1.0;", "undeclared"),
    ("130\n#extension GL_ARB_cull_distance : enable", "", "gl_CullDistance[8] = 1.0;",
     "`gl_CullDistance' array size cannot be larger than gl_MaxCullDistances (8)"),
    ("150\n#extension GL_ARB_cull_distance : enable",
     "out float gl_ClipDistance[4]; out float gl_CullDistance[4];", "", ""),
    ("150\n#extension GL_ARB_cull_distance : enable",
     "out float gl_ClipDistance[5]; out float gl_CullDistance[4];", "", "cannot be larger"),
    ("150\n#extension GL_ARB_cull_distance : enable", "out float gl_CullDistance[4];",
     "gl_ClipDistance[3] = gl_ClipDistance[0] = 1.0;", ""),
    ("150\n#extension GL_ARB_cull_distance : enable", "out float gl_CullDistance[4];",
     "gl_ClipDistance[4] = 1.0;", "cannot be larger"),
    ("150\n#extension GL_ARB_cull_distance : enable",
     "out gl_PerVertex { vec4 gl_Position; float gl_CullDistance[8]; float gl_ClipDistance[1]; };",
     "", "cannot be larger"),
    ("300 es", "", "gl_ClipDistance[1] = 1.0;", "undeclared"),
    ("300 es\n#extension GL_EXT_clip_cull_distance : enable", "out highp float gl_CullDistance[3];",
     "gl_ClipDistance[4] = 1.0; gl_CullDistance[2] = 1.0;", ""),
    ("130\n#extension GL_ARB_cull_distance : enable",
     "int a[gl_MaxCullDistances + gl_MaxCombinedClipAndCullDistances]; int b[16] = a;", "", ""),
]


@pytest.mark.parametrize(("head", "before", "code", "message"), DISTANCES)
def test_distances(head: str, before: str, code: str, message: str) -> None:
    found = compiled(head, before + OUT(code), "vertex", extensions=CULLS)
    assert message in found.log
    assert (found.shader is None) == bool(message), found.log


@pytest.mark.parametrize(("one", "other", "message"), [
    ("gl_CullDistance[3]", "gl_ClipDistance[3]", ""),
    ("gl_CullDistance[3]", "gl_ClipVertex[3]", "both `gl_ClipVertex' and `gl_CullDistance'"),
    ("gl_CullDistance[3]", "gl_ClipDistance[4]", "the combined size of"),
])
def test_distances_of_a_program(one: str, other: str, message: str) -> None:
    """The objects of a stage have no more of them together than one has."""
    head = "#version 130\n#extension GL_ARB_cull_distance : enable\n"
    texts = (OUT(f"{one} = 1.0; f();").replace("void main", "void f(); void main"),
             f"void f() {{ {other} = 1.0; }}")
    found = link([checked(head + text, "vertex", BARE._replace(extensions=CULLS))
                  for text in texts])
    assert message in found.log and found.good != bool(message)
