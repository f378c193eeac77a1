# SPDX-License-Identifier: MIT
"""Whole programs from source to pixels: random ones, changed ones, and those that ask for too much.

fuzz_shaders.py makes the first two; `python tests/robust/fuzz_shaders.py 1 10000 400` draws more.
"""

from __future__ import annotations

import pytest

from tests import host
from tests.robust import fuzz_shaders
from tests.robust.shader_player import KNOWN

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
PLAIN_V, PLAIN_F = KNOWN
DEEP = 400


def fragment(body: str, head: str = "") -> tuple[str, str]:
    return PLAIN_V, f"#version 120\n{head}\nvoid main() {{ {body} }}"


def vertex(body: str, head: str = "") -> tuple[str, str]:
    return f"#version 120\n{head}\nvoid main() {{ gl_Position = gl_Vertex; {body} }}", PLAIN_F


def _calls(count: int) -> str:
    """Functions that each call the one before twice."""
    text = "float f0(float x) { return x + 1.0; }\n"
    for n in range(1, count):
        text += f"float f{n}(float x) {{ return f{n - 1}(x) + f{n - 1}(x * 0.5); }}\n"
    return text


_SUM = "float s = 0.0; "
#: what may be refused, and must not break anything
EXTREMES = {
    "an endless loop": fragment("while (true) { gl_FragColor += vec4(0.001); }"),
    "an endless loop in the vertex stage": vertex("for (;;) { gl_FrontColor += vec4(1.0); }"),
    "an endless loop that discards": fragment("for (;;) { if (gl_FragCoord.x > 3.0) discard; }"),
    "an endless loop in an endless loop": fragment(
        "for (;;) { for (;;) { gl_FragColor += vec4(0.1); } }"),
    "a loop of a thousand million rounds": fragment(
        _SUM + "for (int i = 0; i < 1000000000; i++) s += 1.0; gl_FragColor = vec4(s);"),
    "sixteen loops of sixteen rounds": fragment(
        _SUM + "".join(f"for (int i{n} = 0; i{n} < 16; i{n}++) " for n in range(16)) +
        "s = exp(s); gl_FragColor = vec4(s);"),
    "parentheses": fragment(f"gl_FragColor = vec4({'(' * 3000}1.0{')' * 3000});"),
    "blocks": fragment("{" * 3000 + "}" * 3000),
    "ifs in ifs": fragment("if (gl_FragCoord.x > 1.0) { " * DEEP + "gl_FragColor = vec4(1.0);" +
                           "}" * DEEP),
    "loops in loops": fragment(
        "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) {{ " for n in range(DEEP)) +
        "gl_FragColor += vec4(1.0);" + "}" * DEEP),
    "sixty loops in loops": fragment(
        "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) {{ " for n in range(60)) +
        "gl_FragColor += vec4(1.0);" + "}" * 60),
    "a chain of else": fragment(" else ".join(
        f"if (gl_FragCoord.x < {n}.0) gl_FragColor = vec4({n}.0)" + ";" for n in range(DEEP))),
    "functions of functions": fragment("gl_FragColor = vec4(f59(1.0));", _calls(60)),
    "fourteen levels of functions": fragment("gl_FragColor = vec4(f13(1.0));", _calls(14)),
    "a local array of a million": fragment(
        "float a[1000000]; a[int(gl_FragCoord.x)] = 1.0; gl_FragColor = vec4(a[7]);"),
    "a local array of a thousand million": fragment(
        "float a[1000000000]; a[int(gl_FragCoord.x)] = 1.0; gl_FragColor = vec4(a[7]);"),
    "a local array of some thousands": fragment(
        "float a[3000]; for (int i = 0; i < 3000; i++) a[i] = float(i); "
        "gl_FragColor = vec4(a[int(gl_FragCoord.x) * 100]);"),
    "a struct of structs": fragment(
        "S9 s; s.a[1].a[1].a[1].a[0].a[1].a[0].a[0].a[0].a[1].x = 1.0; gl_FragColor = vec4(1.0);",
        "struct S0 { float x; };\n" + "".join(
            f"struct S{n} {{ S{n - 1} a[4]; }};\n" for n in range(1, 10))),
    "uniforms beyond bounds": fragment("gl_FragColor = u[int(gl_FragCoord.x)];",
                                       "uniform vec4 u[100000];"),
    "varyings beyond bounds": (
        "varying vec4 a[200]; void main() { gl_Position = gl_Vertex; a[3] = vec4(1.0); }",
        "varying vec4 a[200]; void main() { gl_FragColor = a[int(gl_FragCoord.x)]; }"),
    "a sum of many": fragment(f"gl_FragColor = vec4({' + '.join(['1.0'] * 20000)});"),
    "a megabyte of statements": fragment(
        "gl_FragColor = vec4(0.0);" + "gl_FragColor.x += gl_FragCoord.y;\n" * 4000),
    "a megabyte of comments": fragment("gl_FragColor = vec4(1.0); /*" + "*" * 2000000 + "*/"),
    "a megabyte of names": fragment(f"float {'a' * 1000000} = 1.0; "
                                    f"gl_FragColor = vec4({'a' * 1000000});"),
    "many variables": fragment(
        "".join(f"float v{n} = gl_FragCoord.x + {n}.0;" for n in range(4000)) +
        f"gl_FragColor = vec4({' + '.join(f'v{n}' for n in range(4000))});"),
    "macros of macros": fragment("gl_FragColor = vec4(M30);", "#define M0 1.0 + 1.0\n" + "".join(
        f"#define M{n} M{n - 1} + M{n - 1}\n" for n in range(1, 31))),
    "division by zero, and shifts of nothing": fragment(
        "int z = int(gl_FragCoord.x) / int(gl_FragCoord.y * 0.0); "
        "gl_FragColor = vec4(z, 1.0 / (gl_FragCoord.x * 0.0), inversesqrt(0.0 * gl_FragCoord.x), "
        "mod(1.0, 0.0 * gl_FragCoord.y));"),
    "no numbers": fragment(
        "float n = sqrt(-gl_FragCoord.x); gl_FragColor = vec4(int(n), int(1e30 * gl_FragCoord.x), "
        "n < 1.0 ? 1.0 : 0.0, max(n, 1.0));"),
    "nothing": ("", ""),
    "bytes": ("".join(map(chr, range(1, 256))), PLAIN_F),
}  # fmt: skip
#: of these a driver must make something
POSSIBLE = (
    "an endless loop", "an endless loop in the vertex stage", "an endless loop that discards",
    "an endless loop in an endless loop", "a loop of a thousand million rounds",
    "sixteen loops of sixteen rounds", "ifs in ifs", "sixty loops in loops",
    "a chain of else", "a sum of many",
    "fourteen levels of functions", "a local array of some thousands", "a megabyte of statements",
    "a megabyte of comments", "division by zero, and shifts of nothing", "no numbers",
)  # fmt: skip


#: fragment shaders that name uniforms; what is behind the bar nobody looks at in the end
USES = (
    "uniform vec4 a; | uniform vec4 c; uniform float k; float g(float x) { return x * k; } "
    "void main() { vec4 e = c * g(c.x); e.x = 1.0; gl_FragColor = a; }",
    "uniform vec4 a; | uniform vec4 c; uniform sampler2D s; uniform bool b; void main() { "
    "vec4 d = texture2D(s, c.xy); if (b) d.x = 1.0; gl_FragColor = a; }",
    "uniform vec4 a; | uniform vec4 c; uniform vec4 e; "
    "void main() { gl_FragColor = c; gl_FragColor = a + e * 0.0; }",
    "uniform float a; | uniform vec4 c; "
    "void main() { vec4 q[3]; q[1] = c; q[2] = vec4(a); gl_FragColor = q[2]; }",
    "uniform vec4 a; | uniform vec4 c; vec4 glob; void f(out vec4 x) { x = c; } "
    "void main() { glob = c; vec4 q; f(q); gl_FragColor = a; }",
    "uniform vec4 a; | uniform vec4 c; void main() { gl_FragColor = a; return; gl_FragColor = c; }",
    "struct S { vec4 a; vec4 b; }; uniform S s; uniform S t[3]; uniform float z; | uniform S no; "
    "void main() { S l = no; l.b = s.a; gl_FragColor = l.b + t[1].b.x * z; }",
    "uniform vec4 u[5]; uniform int n; uniform sampler2D two[3]; | uniform samplerCube cube; "
    "void main() { vec4 l = textureCube(cube, vec3(u[1])); l = u[n]; "
    "gl_FragColor = l * gl_Fog.color + texture2D(two[1], l.xy) * gl_TextureMatrix[0][0]; }",
)


@pytest.mark.needs("libegl1", "libgl1-mesa-dri")
def test_active_variables_are_the_peers() -> None:
    """In its order, too: what is read in vain has no number and no location."""
    host.only_reference_peer()
    shader = """#version 120
        uniform mat3 m; uniform vec2 first; uniform vec2 dead; attribute vec4 va, vb;
        void main() { vec4 l = vb; l.xy = dead; l = va * first.x;
        gl_Position = ftransform() + l + vec4(gl_NormalMatrix * m[1], 1.0); }"""
    todo = [(shader, f"#version 120\n{text.replace('|', '')}") for text in USES]
    ours, peer = (fuzz_shaders.play(side, todo) for side in ("ours", "peer"))
    assert not ours.faults
    for text, mine, wanted in zip(USES, ours.rows, peer.rows, strict=True):
        assert mine is not None and wanted is not None
        assert mine["good"] and mine["active"] == wanted["active"], text


def test_samplers_that_nobody_looks_through_conflict_with_none() -> None:
    """Both are of unit 0, which only one of them uses."""
    text = """uniform sampler2D s; uniform samplerCube c;
        void main() { vec4 l = textureCube(c, vec3(1.0)); l = vec4(0.5); gl_FragColor = l; %s }"""
    dead, alive = text % "", text % "gl_FragColor += texture2D(s, l.xy);"
    rows = fuzz_shaders.play("ours", [(PLAIN_V, dead), (PLAIN_V, alive)]).rows
    names = [[entry[0] for entry in row["active"]] for row in rows if row is not None]
    assert names == [["gl_Vertex"], ["s", "gl_Vertex"]] or names == [[], ["s"]], names
    drawn = fuzz_shaders.play("ours", [(PLAIN_V, alive)]).pixels(0)
    assert drawn.any()


def test_what_asks_for_too_much() -> None:
    """A log or a picture, in bounded time; what comes behind it is drawn right."""
    names = list(EXTREMES)
    answers = fuzz_shaders.play("ours", [EXTREMES[name] for name in names])
    assert not answers.faults, "\n".join(f"{f[:2000]}" for f in answers.faults)
    for name, row in zip(names, answers.rows, strict=True):
        assert row is not None
        assert row["good"] or name not in POSSIBLE, f"{name}: {row['log'][:500]}"
        assert row["good"] or row["log"], name


@pytest.mark.needs("piglit")
def test_changed_programs() -> None:
    """Real programs of which something was changed: no crash, hang or traceback."""
    mutations = fuzz_shaders.Mutations()
    for seed in host.seeds([1], 1):
        todo = [mutations.program(1000 * seed + n) for n in range(150)]
        answers = fuzz_shaders.play("ours", todo)
        assert not answers.faults, "\n".join(answers.faults)
        linked = sum(row is not None and row["good"] for row in answers.rows)
        assert 5 < linked < 100


@pytest.mark.parametrize("env", [{}, {"LP_NATIVE_VECTOR_WIDTH": "256", "LP_NUM_THREADS": "0"}],
                         ids=["512", "256"])  # fmt: skip
def test_valid_programs(env: dict[str, str]) -> None:
    """Kernels and nir's interpreter draw the same bits, at any width, with any threads."""
    seed = 1 if not env else 50
    todo = [fuzz_shaders.valid(n) for n in range(seed, seed + 8)]
    count, faults = fuzz_shaders.compared(todo, env)
    assert not faults, "\n".join(faults)
    assert count > 4
