# SPDX-License-Identifier: MIT
"""What nests deep or is long, all the way to what drivers get."""

from __future__ import annotations

import sys
import time

import pytest

from pydri.glsl.translate.to_nir import TooComplex, to_nir
from pydri.nir.passes import lower_for_backend, lower_glsl
from tests.unit.glsl.shaders import CONTEXT
from tests.unit.glsl.translated import OneStage, checked

MAIN = "#version 120\nvarying vec4 v; {}void main() {{ float x = v.x; {} gl_FragColor = vec4(x); }}"


def whole(body: str, functions: str = "") -> None:
    """Translate and lower it, in less than a few seconds."""
    limit = sys.getrecursionlimit()
    start = time.process_time()
    tree = checked(MAIN.format(functions, body), "fragment", CONTEXT)
    shader = to_nir(tree, OneStage(tree))
    lower_glsl(shader)
    lower_for_backend(shader)
    assert time.process_time() - start < 20
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize("text", [
    "if (x > {n}.0) {{ x += 1.0; ", "for (int i{n} = 0; i{n} < 2; i{n}++) {{ x += v.y; ", "{{ ",
    "while (x < v.w) {{ if (v.x > x) break; x += 1.0; ",
], ids=lambda t: t[:12])  # fmt: skip
def test_nested_statements(text: str) -> None:
    whole("".join(text.format(n=n) for n in range(150)) + "}" * 150)


@pytest.mark.parametrize("text", [
    ("(", ")"), ("sin(", ")"), ("vec2(", ").x"), ("x = ", ""), ("x > 1.0 ? sin(x) : ", ""),
    ("- ", ""),
], ids=lambda t: t[0])  # fmt: skip
def test_nested_expressions(text: tuple[str, str]) -> None:
    whole(f"x = {text[0] * 300}x{text[1] * 300};")


@pytest.mark.parametrize("text", [
    "x = v.y" + " + x" * 3000 + ";", "bool b = x > 0.0" + " && (x += 1.0) > 0.0" * 300 + ";",
    "if (x < 1.0) x = 2.0;" + " else if (x > 3.0) x = 4.0;" * 300, "x += v.y;" * 3000,
    "if (x > v.y) discard;" * 1000, "x = " + ", ".join(["x"] * 5000) + ";",
    "float t[2000]; t[int(v.y)] = x; x = t[int(v.x)];",
], ids=lambda t: t[:20])  # fmt: skip
def test_long_ones(text: str) -> None:
    whole(text)


def test_many_returns() -> None:
    whole("x = f(x);", "float f(float x) { " + "if (x > v.z) return x; x += 1.0;" * 300
          + "return 0.0; }")  # fmt: skip


def test_functions_that_double() -> None:
    functions = "float f0(float x) { return sin(x); }" + "".join(
        f"float f{n}(float x) {{ return f{n - 1}(x) + f{n - 1}(x + 1.0); }}" for n in range(1, 40))
    with pytest.raises(TooComplex):
        whole("x = f39(x);", functions)


def test_structs_that_double() -> None:
    """Types alone cost nothing; a variable of such a type is refused."""
    types = "struct S0 { float a, b; };" + "".join(
        f"struct S{n} {{ S{n - 1} a, b; }};" for n in range(1, 60))
    whole("S3 s; s.a.b.a.b = x; x = s.a.b.a.b;", types)
    tree = checked(MAIN.format(types + "uniform S59 u; ", ""))
    (type_,) = [var.type for var in tree.globals if var.name == "u"]
    assert type_.slots == type_.components == 1 << 60
    with pytest.raises(TooComplex):
        whole("S59 s; x = s" + ".a" * 60 + ";", types)
