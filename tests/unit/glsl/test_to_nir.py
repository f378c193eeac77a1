# SPDX-License-Identifier: MIT
"""The translation to nir: what translated shaders compute, against values found by hand.

Each case is a shader's text and a Python function of the lane's inputs, `a` and `b` (varyings of
four whole numbers, so that arithmetic is exact), which says what gl_FragColor is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pydri.nir.ir import If, JumpInstr, Loop
from tests.unit.glsl.translated import color, outcomes, translate

LANES = 8
HEAD = """#version 120
varying vec4 a, b;
uniform int n;
uniform float table[5];
uniform mat3 m3;
uniform struct { float f; vec2 v[3]; mat2 m; bool ok; } s;
"""
RNG = np.random.default_rng(5)
A = RNG.integers(-4, 5, (LANES, 4)).astype(np.float32)
B = RNG.integers(1, 4, (LANES, 4)).astype(np.float32)
TABLE = [3.0, 1.0, 4.0, 1.0, 5.0]
M3 = np.arange(9, dtype=float).reshape(3, 3)  # M3[c] is a column
STRUCT = [7.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 1]

Case = tuple[str, Callable[[Any, Any], Any]]


def four(*numbers: float) -> list[float]:
    return [*numbers, 0, 0, 0, 0][:4]


def loop_sum(a: Any, limit: int, step: int = 1) -> float:
    return float(sum(a[0] * i for i in range(0, limit, step)))


CASES: dict[str, Case] = {
    # ---- vectors and what is assigned to
    "swizzles": ("gl_FragColor = a.wzyx.yyxx + b.rgba.zw.xyxy;",
                 lambda a, b: [a[2] + b[2], a[2] + b[3], a[3] + b[2], a[3] + b[3]]),
    "masked writes": ("vec4 v = a; v.yx = b.zw; v.zyx.y += 10.0; v.wz.x = 5.0; gl_FragColor = v;",
                      lambda a, b: [b[3], b[2] + 10, a[2], 5]),
    "scalar spread": ("vec4 v = a; v.xz *= 2.0; gl_FragColor = 1.0 - v;",
                      lambda a, b: [1 - 2 * a[0], 1 - a[1], 1 - 2 * a[2], 1 - a[3]]),
    "component read at run time": ("gl_FragColor = vec4(a[int(b.x)], a[n], vec2(0.0));",
                                   lambda a, b: four(a[int(b[0])], a[2])),
    "component written at run time": ("vec4 v = a; v[int(b.x)] = 9.0; v.zw[n - 2] += 1.0;"
                                      "gl_FragColor = v;",
                                      lambda a, b: [9 if i == b[0] else a[i] if i != 2 else
                                                    a[2] + 1 for i in range(4)]
                                      if b[0] != 2 else [a[0], a[1], 10, a[3]]),
    "component outside": ("vec4 v = a; v[n + 5] = 9.0; v[-n] = 9.0;"
                          "gl_FragColor = v + vec4(a[n + 9], a[-n], 0.0, 0.0);",
                          lambda a, b: [a[0] + a[3], a[1] + a[3], a[2], a[3]]),
    "steps": ("float x = a.x; float y = x++ * 10.0 + ++x; int i = n; int j = i-- - --i;"
              "gl_FragColor = vec4(x, y, i, j);",
              lambda a, b: [a[0] + 2, a[0] * 10 + a[0] + 2, 0, 2]),
    "steps of vectors": ("vec4 v = a; v.xy++; --v.w; gl_FragColor = v;",
                         lambda a, b: [a[0] + 1, a[1] + 1, a[2], a[3] - 1]),
    "assignment is a value": ("float x, y; x = y = a.x; x += y *= 2.0; gl_FragColor.x = x;"
                              "gl_FragColor.yzw = vec3(y, (x, y), 0.0);",
                              lambda a, b: [3 * a[0], 2 * a[0], 2 * a[0], 0]),
    "uninitialised is zero": ("vec4 v; int i; bool c; float f[3];"
                              "gl_FragColor = v + float(i) + f[n] + (c ? 1.0 : a.x);",
                              lambda a, b: [a[0]] * 4),
    # ---- operators
    "integers": ("int i = int(a.x), k = int(b.x); gl_FragColor = vec4(i / k, i * k - n, -i, i);",
                 lambda a, b: [int(a[0] / b[0]), a[0] * b[0] - 2, -a[0], a[0]]),
    "relations": ("gl_FragColor = vec4(a.x < b.x, a.x > b.x, a.x <= b.x, a.x >= b.x);",
                  lambda a, b: [a[0] < b[0], a[0] > b[0], a[0] <= b[0], a[0] >= b[0]]),
    "equality": ("gl_FragColor = vec4(a == b, a.xy == a.xy, ivec2(a.xy) != ivec2(b.xy),"
                 "mat2(a) == mat2(a));",
                 lambda a, b: [all(a == b), 1, any(a[:2] != b[:2]), 1]),
    "logic": ("bool p = a.x > 0.0, q = a.y > 0.0;"
              "gl_FragColor = vec4(p && q, p || q, p ^^ q, !p);",
              lambda a, b: [a[0] > 0 and a[1] > 0, a[0] > 0 or a[1] > 0,
                            (a[0] > 0) != (a[1] > 0), not a[0] > 0]),
    "short circuit": ("float e = 0.0; bool p = a.x > 0.0 && e++ == 0.0;"
                      "bool q = a.x > 0.0 || ++e > 5.0; gl_FragColor = vec4(e, p, q, 0.0);",
                      lambda a, b: [1, a[0] > 0, a[0] > 0, 0]),
    "choice": ("float e = 0.0; float f = a.x > 0.0 ? e++ + 5.0 : a.y > 0.0 ? (e += 3.0) : -1.0;"
               "gl_FragColor = vec4(e, f, a.x > 1.0 ? 1.0 : 2.0, 0.0);",
               lambda a, b: [*((1, 5) if a[0] > 0 else (3, 3) if a[1] > 0 else (0, -1)),
                             1 if a[0] > 1 else 2, 0]),
    "conversions": ("gl_FragColor = vec4(int(a.x * 0.5), bool(a.x), float(a.x > 0.0), int(true));",
                    lambda a, b: [int(a[0] / 2), a[0] != 0, a[0] > 0, 1]),
    # ---- matrices
    "matrix times vector": ("gl_FragColor = vec4(m3 * a.xyz, 0.0);",
                            lambda a, b: four(*(M3.T @ a[:3]))),
    "vector times matrix": ("gl_FragColor = vec4(a.xyz * m3, 0.0);",
                            lambda a, b: four(*(a[:3] @ M3.T))),
    "matrix times matrix": ("mat2x3 x = mat2x3(a, b); mat2 p = transpose(x) * x;"
                            "gl_FragColor = vec4(p[0], p[1]);",
                            lambda a, b: (lambda x: (x @ x.T).T.ravel())(
                                np.concatenate([a, b[:2]]).reshape(2, 3))),
    "matrix arithmetic": ("mat2 m = mat2(a) * 2.0 + mat2(b) - 1.0; m /= mat2(1.0, 2.0, 4.0, 8.0);"
                          "m++; gl_FragColor = vec4(m[0], m[1]);",
                          lambda a, b: (2 * a + b - 1) / [1, 2, 4, 8] + 1),
    "assigning a product": ("mat2 m = mat2(a); m *= mat2(b); vec2 v = a.xy; v *= m;"
                            "gl_FragColor = vec4(v, m[1]);",
                            lambda a, b: (lambda m: [*(m @ a[:2]), *m[1]])(
                                b.reshape(2, 2) @ a.reshape(2, 2))),
    "matrix constructors": ("mat3 d = mat3(a.x); mat2 part = mat2(m3); mat4 big = mat4(part);"
                            "gl_FragColor = vec4(d[1][1] + d[0][1], part[1][0], big[3][3],"
                            "big[1][1]);",
                            lambda a, b: [a[0], M3[1][0], 1, M3[1][1]]),
    "whole numbers of a matrix": ("ivec4 i = ivec4(mat2(a) * 1.5); bvec4 c = bvec4(mat2(a));"
                                  "gl_FragColor = vec4(i.xy, c.zw);",
                                  lambda a, b: [int(1.5 * a[0]), int(1.5 * a[1]), a[2] != 0,
                                                a[3] != 0]),
    "array sized by its use": ("float t[]; t[2] = a.x; t[0] = 1.0; gl_FragColor = vec4(t[0], t[1],"
                               "t[2], 0.0);", lambda a, b: [1, 0, a[0], 0]),
    "column at run time": ("mat3 m = m3; m[n] = a.xyz; m[n - 1][int(b.x)] += 100.0;"
                           "vec3 r = m[int(b.x) - 1] + m3[n - 2]; gl_FragColor = vec4(r, m[1][2]);",
                           lambda a, b: matrix_case(a, b)),
    "matrix functions": ("mat2 m = matrixCompMult(mat2(a), mat2(b));"
                         "mat2 o = outerProduct(a.xy, b.xy); gl_FragColor = vec4(m[1], o[1]);",
                         lambda a, b: [a[2] * b[2], a[3] * b[3], a[0] * b[1], a[1] * b[1]]),
    # ---- arrays and structs
    "uniform array at run time": ("gl_FragColor = vec4(table[n], table[int(b.x)], table[n + 50],"
                                  "table[4]);",
                                  lambda a, b: [4, TABLE[int(b[0])], 5, 5]),
    "uniform struct": ("gl_FragColor = vec4(s.f, s.v[n], s.ok ? s.m[1][0] : 0.0);",
                       lambda a, b: [7, 5, 6, 3]),
    "uniform struct at run time": ("gl_FragColor = vec4(s.v[int(b.x) - 1].y, s.m[n - 1], 0.0);",
                                   lambda a, b: [2 * b[0], 3, 4, 0]),
    "array at run time": ("float t[4]; for (int i = 0; i < 4; i++) t[i] = a[i] * 2.0;"
                          "t[int(b.x)] = 50.0; gl_FragColor = vec4(t[0], t[1], t[2], t[n + 1]);",
                          lambda a, b: [50 if i == b[0] else 2 * a[i] for i in range(4)]),
    "array outside": ("float t[3]; t[0] = 1.0; t[1] = 2.0; t[2] = a.x; t[n + 1] = 9.0;"
                      "gl_FragColor = vec4(t[0], t[1], t[2], t[n * 9]);",
                      lambda a, b: [1, 2, a[0], a[0]]),
    "constant array at run time": ("const float t[3] = float[3](1.0, 10.0, 100.0);"
                                   "gl_FragColor = vec4(t[int(b.x) - 1], t[n], t.length(), 0.0);",
                                   lambda a, b: [10 ** (b[0] - 1), 100, 3, 0]),
    "array values": ("vec2 x[2] = vec2[2](a.xy, a.zw), y[2]; y = x; x[0] = vec2(0.0);"
                     "gl_FragColor = vec4(y[0], x == y, y == vec2[](a.xy, a.zw));",
                     lambda a, b: [a[0], a[1], not a[:2].any(), 1]),
    "choice of arrays": ("float x[2] = float[2](a.x, 1.0), y[2] = float[2](a.y, 2.0);"
                         "float z[2] = a.x > 0.0 ? x : y; x[0] = 0.0;"
                         "gl_FragColor = vec4(z[0], z[1], 0.0, 0.0);",
                         lambda a, b: four(a[0], 1) if a[0] > 0 else four(a[1], 2)),
    "struct values": ("struct P { vec2 v; float w[2]; }; P p = P(a.xy, float[2](a.z, a.w)), q = p;"
                      "q.w[n - 1] = 3.0; q.v.x++; bool same = p == q;"
                      "gl_FragColor = vec4(p.v.x, q.v.x, q.w[1], same);",
                      lambda a, b: [a[0], a[0] + 1, 3, 0]),
    "array of structs": ("struct P { float x; vec3 v; }; P p[3];"
                         "for (int i = 0; i < 3; i++) { p[i].v = a.xyz * float(i); p[i].x = b.x; }"
                         "P q = p[n]; gl_FragColor = vec4(q.v, p[1].v.y + q.x);",
                         lambda a, b: [2 * a[0], 2 * a[1], 2 * a[2], a[1] + b[0]]),
    # ---- control flow
    "if": ("float x = a.x; if (x > 0.0) x = 10.0; else if (x < -2.0) { x = 20.0; } else x += 0.5;"
           "gl_FragColor = vec4(x);",
           lambda a, b: [10 if a[0] > 0 else 20 if a[0] < -2 else a[0] + 0.5] * 4),
    "for": ("float t = 0.0; for (int i = 0; i < n + 3; ++i) t += a.x * float(i);"
            "gl_FragColor = vec4(t);", lambda a, b: [loop_sum(a, 5)] * 4),
    "while": ("float t = 0.0; int i = 0; while (i < int(b.x)) { i++; t += a.y; }"
              "gl_FragColor = vec4(t, i, 0.0, 0.0);", lambda a, b: four(a[1] * b[0], b[0])),
    "while declares": ("float t = 0.0, c = b.x; while (bool go = c-- > 0.5) t += go ? a.y : 100.0;"
                       "gl_FragColor = vec4(t);", lambda a, b: [a[1] * b[0]] * 4),
    "do": ("int i = 0; do { i++; if (i == 7) continue; } while (i < int(a.x));"
           "gl_FragColor = vec4(i);", lambda a, b: [max(1, a[0])] * 4),
    "break and continue": ("float t = 0.0; for (int i = 0; i < 9; i++) { if (i == 1) continue;"
                           "if (i > int(b.x)) break; t += float(i) + 0.5; }"
                           "gl_FragColor = vec4(t);",
                           lambda a, b: [sum(i + 0.5 for i in range(int(b[0]) + 1) if i != 1)] * 4),
    "nested loops": ("float t = 0.0; for (int i = 0; i < 4; i++) { for (int j = 0; j < 5; j++) {"
                     "if (j == i) continue; if (j > int(b.x)) break; t += float(i * 10 + j);"
                     "if (t > 80.0) { t += 1000.0; break; } } if (t > 1000.0) break; }"
                     "gl_FragColor = vec4(t);", lambda a, b: [nested_loops(b)] * 4),
    "continue in many places": ("float t = 0.0; for (int i = 0; i < 8; i++) {"
                                "if (i < 3) { if (a.x > 0.0) continue; t += 1.0; }"
                                "else { if (a.y > 0.0) { t += 2.0; continue; } t += 3.0; }"
                                "t += 100.0; } gl_FragColor = vec4(t);",
                                lambda a, b: [3 * (0 if a[0] > 0 else 101)
                                              + 5 * (2 if a[1] > 0 else 103)] * 4),
    "early return of main": ("gl_FragColor = a; if (a.x > 0.0) return; gl_FragColor.x = 5.0;"
                             "if (a.y > 0.0) { gl_FragColor.y = 6.0; return; }"
                             "else if (a.z > 0.0) return; gl_FragColor.z = 7.0;",
                             lambda a, b: early(a)),
    "return from loops": ("for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {"
                          "gl_FragColor = vec4(i, j, 0.0, 0.0); if (float(i + j) >= b.x) return; }"
                          "gl_FragColor = vec4(99.0);",
                          lambda a, b: next(four(i, j) for i in range(3) for j in range(3)
                                            if i + j >= b[0])),
    "endless loop": ("float t = 0.0; for (;;) { t += 1.0; if (t > b.x) break; }"
                     "gl_FragColor = vec4(t);", lambda a, b: [b[0] + 1] * 4),
    "shadowed names": ("float x = a.x; { float x = a.y; x++; gl_FragColor.x = x; }"
                       "for (int x = 0; x < 2; x++) gl_FragColor.z = float(x);"
                       "gl_FragColor.yw = vec2(x);", lambda a, b: [a[1] + 1, a[0], 1, a[0]]),
}  # fmt: skip


def matrix_case(a: Any, b: Any) -> Any:
    m = M3.copy()
    m[2] = a[:3]
    if b[0] < 3:
        m[1][int(b[0])] += 100
    return [*(m[int(b[0]) - 1] + M3[0]), m[1][2]]


def nested_loops(b: Any) -> float:
    t = 0.0
    for i in range(4):
        for j in range(5):
            if j == i:
                continue
            if j > int(b[0]):
                break
            t += i * 10 + j
            if t > 80:
                t += 1000
                break
        if t > 1000:
            break
    return t


def early(a: Any) -> Any:
    if a[0] > 0:
        return a
    if a[1] > 0:
        return [5, 6, a[2], a[3]]
    return [5, a[1], a[2] if a[2] > 0 else 7, a[3]]


def expected(function: Callable[[Any, Any], Any]) -> Any:
    return np.array([[float(x) for x in function(x, y)] for x, y in zip(A, B, strict=True)])


def run(text: str) -> Any:
    mentioned = {"a": A, "b": B}
    return color(text, LANES, mentioned, n=2, table=TABLE, m3=M3, s=STRUCT)


@pytest.mark.parametrize("name", CASES)
def test_main(name: str) -> None:
    body, function = CASES[name]
    np.testing.assert_allclose(run(HEAD + f"void main() {{ {body} }}"), expected(function))


FUNCTIONS: dict[str, Case] = {
    "out and inout": (
        "void f(in float x, out float y, inout float z) { y = x + 1.0; x = 50.0; z += y; }"
        "void main() { float p = a.x, q, r = a.y; f(p, q, r); gl_FragColor = vec4(p, q, r, 0.0); }",
        lambda a, b: [a[0], a[0] + 1, a[1] + a[0] + 1, 0]),
    "one variable for all": (
        "void f(float x, inout float y, out float z) { y += x; z = y * 2.0; y += 100.0; }"
        "void main() { float v = a.x; f(v, v, v); gl_FragColor = vec4(v); }",
        lambda a, b: [4 * a[0]] * 4),
    "components as targets": (
        "void f(out vec2 p, inout float q) { p = vec2(1.0, 2.0); q *= 3.0; }"
        "void main() { vec4 v = a; f(v.wx, v[1]); gl_FragColor = v; }",
        lambda a, b: [2, 3 * a[1], a[2], 1]),
    "a target is found once": (
        "void f(inout float x) { x += 10.0; }"
        "void main() { float t[3]; int i = 0; f(t[i++]); f(t[i++]);"
        "gl_FragColor = vec4(t[0], t[1], t[2], i); }",
        lambda a, b: [10, 10, 0, 2]),
    "converted out": (
        "void f(out int i) { i = n + 5; }"
        "void main() { float x; f(x); gl_FragColor = vec4(x / 2.0); }",
        lambda a, b: [3.5] * 4),
    "the parameter is its own": (
        "float g = 1.0; float f(float x, float t[2]) { g = 7.0; return x + t[0]; }"
        "float u[2]; void main() { u[0] = a.x; u[1] = 0.0;"
        "gl_FragColor = vec4(f(g, u), g, f(u[0] = 5.0, u), u[0]); }",
        lambda a, b: [1 + a[0], 7, 10, 5]),
    "returns": (
        "float f(float x) { if (x > 0.0) return 1.0; if (x < -2.0) { x *= 2.0; return x; }"
        "return x + 0.25; } void main() { gl_FragColor = vec4(f(a.x), f(a.y), f(f(a.z)), 0.0); }",
        lambda a, b: (lambda f: [f(a[0]), f(a[1]), f(f(a[2])), 0])(
            lambda x: 1 if x > 0 else 2 * x if x < -2 else x + 0.25)),
    "return from a loop": (
        "int f(float x) { for (int i = 0; i < 4; i++) { if (a[i] == x) return i;"
        "if (i == 3) break; if (a[i] == 77.0) continue; } return -1; }"
        "void main() { gl_FragColor = vec4(f(a.z), f(9.0), f(a.x), 0.0); }",
        lambda a, b: [list(a).index(a[2]), -1, 0, 0]),
    "return in every arm": (
        "float f(float x) { if (x > 0.0) return 1.0; else if (x < 0.0) return -1.0;"
        "else return 0.0; } void main() { gl_FragColor = vec4(f(a.x)); }",
        lambda a, b: [np.sign(a[0])] * 4),
    "many returns": (
        "float f(float x) { " + "".join(f"if (x == {i}.0) return {i * i}.0; x += 0.0;"
                                       for i in range(-4, 40)) + " return -1.0; }"
        "void main() { float t = 0.0; for (int i = 0; i < 2; i++) t += f(a[i]);"
        "gl_FragColor = vec4(t); }",
        lambda a, b: [a[0] ** 2 + a[1] ** 2] * 4),
    "many arms": (
        "float f(float x) { float r = -5.0; " + " else ".join(
            f"if (x == {i}.0) r = {i * i}.0;" for i in range(-4, 40)) + " return r; }"
        "void main() { gl_FragColor = vec4(f(a.x), f(a.y), f(-9.0), 0.0); }",
        lambda a, b: [a[0] ** 2, a[1] ** 2, -5, 0]),
    "arrays in and out": (
        "float[3] f(float x[3], out float y[3]) { y = x; y[n - 1] = 9.0; x[0] += 1.0; return x; }"
        "void main() { float p[3] = float[3](a.x, a.y, a.z), q[3], r[3] = f(p, q);"
        "gl_FragColor = vec4(p[0], q[1], r[0], r[2]); }",
        lambda a, b: [a[0], 9, a[0] + 1, a[2]]),
    "structs in and out": (
        "struct S { float x; vec2 v[2]; }; S f(S p) { p.v[1] = vec2(p.x); return p; }"
        "S g() { return S(b.x, vec2[2](a.xy, a.zw)); }"
        "void main() { S q = f(f(g())); gl_FragColor = vec4(q.v[0], q.v[1]); }",
        lambda a, b: [a[0], a[1], b[0], b[0]]),
    "globals": (
        "const float k = 2.0; float g = a.x * k; vec2 h[2] = vec2[2](vec2(g), vec2(g + 1.0));"
        "void f() { g++; } void main() { f(); f(); gl_FragColor = vec4(g, h[1], k); }",
        lambda a, b: [2 * a[0] + 2, 2 * a[0] + 1, 2 * a[0] + 1, 2]),
    "discards go on as helpers": (
        "float f() { if (a.x > 0.0) discard; return 3.0; }"
        "void main() { gl_FragColor = vec4(f()); }",
        lambda a, b: [3] * 4),
    "function without return": (
        "float f(float x) { if (x > 0.0) return x; } void main() { gl_FragColor = vec4(f(a.x)); }",
        lambda a, b: [max(a[0], 0)] * 4),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    text, function = FUNCTIONS[name]
    np.testing.assert_allclose(run(HEAD + text), expected(function))


def test_discard() -> None:
    text = HEAD + "void main() { if (a.x > 0.0) discard; for (;;) { if (a.y > 0.0) discard; " \
        "else break; } gl_FragColor = a; }"
    for result in outcomes(text, LANES, {"a": A, "b": B}, {"n": 0}):
        np.testing.assert_array_equal(result.discarded, (A[:, 0] > 0) | (A[:, 1] > 0))


def test_no_jump_but_break_at_the_end_of_an_arm() -> None:
    """Lowered returns and continues: one way back for each loop."""
    text = HEAD + "float f() { for (int i = 0; i < 4; i++) { if (i == n) continue; " \
        "if (a[i] > 2.0) return 1.0; } return 2.0; } void main() { gl_FragColor = vec4(f()); " \
        "if (a.x > 0.0) return; gl_FragColor.x = 5.0; }"
    shader, _ = translate(text)
    kinds = {i.kind for i in shader.main.instrs() if isinstance(i, JumpInstr)}
    assert kinds == {"break"}
    assert any(isinstance(node, Loop) for node in shader.main.nodes())


def test_cheap_operands_do_not_branch() -> None:
    text = HEAD + "void main() { gl_FragColor = vec4(a.x > 0.0 && a.y > 0.0 ? a.z : b.x); }"
    shader, _ = translate(text)
    assert not any(isinstance(node, If) for node in shader.main.nodes())
