# SPDX-License-Identifier: MIT
"""`switch` (GLSL 1.30, 6.2): what it computes, against Python; what is refused."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pydri.glsl.compiler import compile_shader
from pydri.nir.ir import If, JumpInstr, Loop
from tests.unit.glsl.shaders import CONTEXT
from tests.unit.glsl.translated import color, translate

HEAD = """#version 130
in vec4 a;
uniform int n;
"""
VALUES = np.arange(-2, 6)
LANES = len(VALUES)
#: what `execute` runs: a name and what belongs to it
Program = tuple[Any, ...]
INPUT = {"a": np.array([[v, 2 * v, 0, 1] for v in VALUES], np.float32)}


def run(text: str) -> list[float]:
    found = color(HEAD + text, LANES, INPUT, n=2)
    assert (found[:, 1:] == found[:, :1]).all()
    return [float(x) for x in found[:, 0]]


#: a body that makes x of v, and the same in Python: (labels, text, result) a section would say no
#: more than this
CASES = {
    "break": ("switch (v) { case 0: x = 5; break; case 1: x = 6; break; default: x = 7; }",
              lambda v: {0: 5, 1: 6}.get(v, 7)),
    "fallthrough": ("switch (v) { case 0: x += 1; case 1: x += 2; break; case 2: case 3: x += 4;"
                    "default: x += 8; }",
                    lambda v: {0: 3, 1: 2, 2: 12, 3: 12}.get(v, 8)),
    "default first": ("switch (v) { default: x += 1; case 2: x += 2; break; case 3: x += 4; }",
                      lambda v: {2: 2, 3: 4}.get(v, 3)),
    "default among labels": ("switch (v) { case 1: default: case -1: x = 1; break; case 3: x = 2;"
                             "break; }", lambda v: 2 if v == 3 else 1),
    "no default": ("switch (v) { case 3: x = 9; }", lambda v: 9 if v == 3 else 0),
    "nothing": ("switch (v) { }", lambda v: 0),
    "constant": ("switch (2) { case 1: x = v; break; case 2: x = 8; break; default: x = v; }",
                 lambda v: 8),
    "unsigned": ("switch (uint(v)) { case 4294967295u: x = 1; break; case 1u: x = 2; }",
                 lambda v: {-1: 1, 1: 2}.get(v, 0)),
    "break inside if": ("switch (v) { case 1: x += 1; if (n == v + 1) break; x += 9; default:"
                        "if (v > 3) { x += 20; break; } x += 40; case 2: x += 80; }",
                        lambda v: {1: 1, 2: 80}.get(v, 20 if v > 3 else 120)),
    "shared scope": ("switch (v) { case 0: int y; break; int z = 7; case 1: z = 3; y = 4;"
                     "x = z + y; break; default: y = v; x = y; }",
                     lambda v: {0: 0, 1: 7}.get(v, v)),
    "value is evaluated once": ("int i = v; switch (i++) { case 0: x = i; break; case 1: x = 10 *"
                                "i; default: x += i; }",
                                lambda v: {0: 1, 1: 22}.get(v, v + 1)),
    "nested": ("switch (v) { case 1: case 2: switch (v + 1) { case 2: x = 1; break; default:"
               "x = 2; } x += 10; break; default: switch (v) { case 3: break; default: x = 5; } }",
               lambda v: {1: 11, 2: 12, 3: 0}.get(v, 5)),
    "in a loop": ("for (int i = 0; i < 4; i++) { switch (i - v) { case 0: continue; case 1:"
                  "x += 10; break; default: x += 1; } x += 100; }",
                  lambda v: sum(0 if i == v else 110 if i == v + 1 else 101 for i in range(4))),
    "continue of a loop outside two": (
        "for (int i = 0; i < 4; i++) { switch (i) { case 2: switch (v) { case 1: continue; case 2:"
        "break; default: x += 5; } x += 10; default: x += 20; } x += 100; }",
        lambda v: 3 * 120 + {1: 0, 2: 130}.get(v, 135)),
    "around a loop": ("switch (v) { case 0: for (int i = 0; i < 9; i++) { if (i == 4) break;"
                      "if (i == 1) continue; x += i; } break; case 1: x = 50; }",
                      lambda v: {0: 5, 1: 50}.get(v, 0)),
    "endless": ("for (;;) { switch (x) { case 5: x += 100; break; default: x++; continue; } break;"
                "} x += v;", lambda v: 105 + v),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    body, function = CASES[name]
    text = f"void main() {{ int v = int(a.x), x = 0; {body} gl_FragColor = vec4(x); }}"
    assert run(text) == [function(v) for v in VALUES]


FUNCTIONS = {
    "return": ("switch (v) { case 0: return 5; case 1: x = 6; break; default: return 7; }"
               "return x;",
               lambda v: {0: 5, 1: 6}.get(v, 7)),
    "return from every section": ("switch (v) { case 0: return 5; default: return 7; }",
                                  lambda v: 5 if v == 0 else 7),
    "return in a loop": ("while (true) { switch (x++) { case 3: if (v > 1) return x; break; case 4:"
                         "return 50; } }", lambda v: 4 if v > 1 else 50),
    "return of a loop inside": ("switch (v) { case 2: case 3: for (int i = 0; i < 9; i++) { x += i;"
                                "if (i == v) return x; } case 4: x = 60; } x += 1; return x;",
                                lambda v: {2: 3, 3: 6, 4: 61}.get(v, 1)),
    "some return": ("switch (v) { case 1: if (n == 2) return 4; x = 3; case 2: x += 5; break;"
                    "default: x = 9; } x *= 2; return x;", lambda v: {1: 4, 2: 10}.get(v, 18)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    body, function = FUNCTIONS[name]
    text = f"int f(int v) {{ int x = 0; {body} }} void main() {{ gl_FragColor =" \
        "vec4(f(int(a.x))); }"
    assert run(text) == [function(v) for v in VALUES]


def section(rng: random.Random, depth: int) -> list[tuple[str, Program]]:
    """Statements as (text, program): the program is what `execute` below understands."""
    out: list[tuple[str, Program]] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        number = rng.randint(1, 99)
        if kind < 0.5:
            out.append((f"x = x * 3 + {number};", ("add", number)))
        elif kind < 0.65:
            out.append((f"if (x % 2 == {number % 2}) break;", ("break if", number % 2)))
        elif kind < 0.75:
            out.append((f"if (x % 3 == {number % 3}) return x;", ("return if", number % 3)))
        elif kind < 0.85:
            out.append(("break;", ("break",)))
        elif depth:
            out.append(switch(rng, depth - 1))
    return out


def switch(rng: random.Random, depth: int) -> tuple[str, Program]:
    labels: list[int | None] = [*range(-1, 5), None]
    rng.shuffle(labels)
    sections: list[Any] = []
    text = "switch ((v + x) % 6) {"
    while labels:
        taken = [labels.pop() for _ in range(min(rng.randint(1, 2), len(labels)))]
        body = section(rng, depth) or [("x += 1000;", ("plus", 1000))]
        text += "".join("default: " if n is None else f"case {n}: " for n in taken)
        text += " ".join(part for part, _ in body)
        sections.append((taken, [program for _, program in body]))
    return text + "}", ("switch", sections)


class Left(Exception):
    pass


def execute(program: Program, v: int, x: int) -> tuple[int, bool]:
    """x, and whether the switch is left."""
    name, *rest = program
    if name == "add":
        return x * 3 + rest[0], False
    if name == "plus":
        return x + rest[0], False
    if name == "break":
        return x, True
    if name == "break if":
        return x, x % 2 == rest[0]
    if name == "return if":
        if x % 3 == rest[0]:
            raise Left(x)
        return x, False
    value = (v + x) % 6
    known = any(value in labels for labels, _ in rest[0])
    running = False
    for labels, body in rest[0]:
        running = running or value in labels or not known and None in labels
        for part in body if running else ():
            x, left = execute(part, v, x)
            if left:
                return x, False
    return x, False


@pytest.mark.parametrize("seed", range(12))
def test_random(seed: int) -> None:
    rng = random.Random(seed)
    text, program = switch(rng, 2)
    wanted = []
    for v in range(LANES):
        try:
            x, _ = execute(program, v, 0)
        except Left as left:
            x = left.args[0]
        wanted.append(float(np.float32(x % 65536)))
    source = f"int f(int v) {{ int x = 0; {text} return x; }} void main() {{" \
        "gl_FragColor = vec4(f(int(a.x) + 2) & 65535); }"
    assert run(source) == wanted


def test_no_jumps() -> None:
    """A switch has no loop of its own, and one whose sections all end with break asks no flag."""
    shader, _ = translate(HEAD + "void main() { vec4 c; switch (n) { case 0: c = a; break; default:"
                          "c = a.yxzw; break; } gl_FragColor = c; }")
    body = shader.main.body
    assert sum(isinstance(node, If) for node in body) == 2
    assert not any(isinstance(node, Loop) for node in body)
    assert not any(isinstance(instr, JumpInstr) for instr in shader.main.instrs())
    assert not any(var.name == "left" for var in shader.main.locals)


WRONG = {
    "switch (1.0) { case 1: ; }": "switch-statement expression must be scalar integer",
    "switch (ivec2(1)) { case 1: ; }": "switch-statement expression must be scalar integer",
    "switch (true) { case 1: ; }": "switch-statement expression must be scalar integer",
    "switch (1) { case 1.0: ; }": "case label must be scalar integer",
    "switch (n) { case 1: ; case 1: ; }": "duplicate case value",
    "switch (n) { case 2: case 1 + 1: ; }": "duplicate case value",
    "switch (n) { default: ; default: ; }": "multiple default labels in one switch",
    "switch (n) { case 1u: ; }": "type mismatch",
    "switch (n) { case n: ; }": "case label must be a constant expression",
    "switch (n) { int x; case 1: ; }": "before its first label",
    "switch (n) { case 1: }": "must be followed by a statement",
    "switch (n) { case 1: if (true) { case 2: ; } }": "may only stand in a switch",
    "case 1: ;": "may only stand in a switch",
    "switch (n) { case 1: continue; }": "continue may only appear in a loop",
    "for (;;) { } break;": "break may only appear in a loop or a switch",
    "switch (n) { case 1: int x; } x = 1;": "`x' undeclared",
    "switch (n) { case 1: int x; case 2: int x; }": "`x' redeclared",
}


@pytest.mark.parametrize("body", WRONG)
def test_wrong(body: str) -> None:
    found = compile_shader(f"{HEAD}void main() {{ {body} }}", "fragment", CONTEXT)
    assert found.shader is None
    assert WRONG[body] in found.log


def test_unsigned_labels_of_4_00() -> None:
    """From GLSL 4.00 on an int is converted where a label is unsigned (4.00, 4.1.10)."""
    text = "#version 400\nuniform int n; void main() { switch (n) { case 1: case 7u: ; } }"
    assert compile_shader(text, "fragment", CONTEXT._replace(version=400)).shader is not None
