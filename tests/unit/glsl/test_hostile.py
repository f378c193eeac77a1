# SPDX-License-Identifier: MIT
"""Sources that no honest program has: mutated shaders, deep nesting, megabytes.

Whatever comes in, a log or a tree comes out: no Python traceback, no hang.
"""

import random
import re
import sys
import time

import pytest

from pydri.glsl.compiler import Compiled, compile_shader
from tests import host
from tests.unit.glsl import shaders

WORDS = (
    "( ) { } [ ] ; , . = == != < > + - * / % ++ -- && || ^^ ! ~ ? : << >>= & | # ## \\ \" @ $ ` 0 "
    "1 2147483648 0x 09 1e99 1.0f .5 vec4 mat3 ivec2 float int bool void struct S sampler2D x main "
    "gl_Position gl_FragData gl_TexCoord gl_Foo if else for while do return break discard const "
    "uniform varying attribute in out inout centroid invariant precision highp layout switch case "
    "true false length xyzw /* */ // \n #define #if #else #endif #version #extension #line #undef "
    "defined __LINE__ float[2] vec2(1) main() {} (1,2) a[3] \x00 \xff \t \r"
).split(" ")


def mutated(
    corpus: list[shaders.Shader], rng: random.Random, changes: tuple[int, ...] = (1, 1, 2, 3, 8, 40)
) -> tuple[str, str]:
    """(source, stage) of one shader with some pieces changed."""
    shader = rng.choice(corpus)
    pieces = re.findall(r"\w+|\s+|.", shader.text)
    for _ in range(rng.choice(changes)):
        at = rng.randrange(len(pieces) + 1)
        what = rng.randrange(7)
        if what == 0:
            del pieces[at : at + rng.choice((1, 1, 1, 5, 50))]
        elif what == 1:
            pieces.insert(at, rng.choice(WORDS))
        elif what == 2 and pieces:
            pieces[at % len(pieces)] = rng.choice(WORDS)
        elif what == 3 and pieces:
            pieces.insert(at, rng.choice(pieces))
        elif what == 4:
            other = re.findall(r"\w+|\s+|.", rng.choice(corpus).text)
            start = rng.randrange(len(other) + 1)
            pieces[at:at] = other[start : start + rng.randrange(30)]
        elif what == 5:
            pieces[at : at + 10] = pieces[at : at + 10] * 3
        elif what == 6 and pieces:
            i, j = rng.randrange(len(pieces)), rng.randrange(len(pieces))
            pieces[i], pieces[j] = pieces[j], pieces[i]
    stage = shader.stage if rng.random() < 0.9 else "vertex"
    return "".join(pieces), stage


def fuzz(count: int, seed: int) -> None:
    corpus = [s for s in shaders.embedded()[::15] if len(s.text) < 20000]
    corpus += shaders.parser_tests()[::7]
    rng = random.Random(seed)
    for number in range(count):
        text, stage = mutated(corpus, rng)
        start = time.process_time()
        try:
            compiled = compile_shader(text, stage, shaders.CONTEXT)
        except Exception as error:
            raise AssertionError(f"seed {seed}, number {number}:\n{text}") from error
        assert time.process_time() - start < 10, f"seed {seed}, number {number}:\n{text}"
        assert (compiled.shader is None) == (" error: " in compiled.log)


@pytest.mark.needs("piglit")
def test_mutated_shaders() -> None:
    for seed in host.seeds([1], 1):
        fuzz(150, seed)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.needs("piglit")
def test_many_mutated_shaders() -> None:
    fuzz(10000, 2)


def run(text: str) -> Compiled:
    limit = sys.getrecursionlimit()
    start = time.process_time()
    compiled = compile_shader(text, "fragment", shaders.CONTEXT)
    assert time.process_time() - start < 15
    assert sys.getrecursionlimit() == limit
    return compiled


MAIN = "void main() {{ float x = 1.0; {} gl_FragColor = vec4(x); }}"


@pytest.mark.parametrize("depth", [200, 20000])
@pytest.mark.parametrize(
    "text",
    [
        ("x = {}1.0{};", "(", ")"),
        ("x = {}1.0{};", "- ", ""),
        ("x = {}1.0{};", "vec2(", ").x"),
        ("x = {}1.0{};", "x = ", ""),
        ("x = {}1.0{};", "x > 1.0 ? 2.0 : ", ""),
        ("x = {}1.0{};", "true ? ", " : 2.0"),
        ("x = {}1.0{};", "sin(", ")"),
        ("{}{}", "{", "}"),
        ("{};{}", "if (x > 1.0) ", ""),
        ("{};{}", "for (;;) ", ""),
        ("vec4 v; v = v{}{};", ".xyzw", ""),
        ("float a[2]; x = a[{}1{}];", "int(a[", "])"),
        ("{}x{} = 1.0;", "(", ")"),
    ],
    ids=lambda t: " ".join(t),
)
def test_deep_nesting(text: tuple[str, str, str], depth: int) -> None:
    """A sane depth compiles, an insane one gives an error: what nests, not how long chains are."""
    form, before, after = text
    compiled = run(MAIN.format(form.replace("{}", "\x01").replace("\x01", before * depth, 1)
                               .replace("\x01", after * depth, 1)))  # fmt: skip
    if depth == 200:
        assert compiled.shader is not None, compiled.log[:300]
    elif compiled.shader is None:
        assert "nested deeper" in compiled.log


@pytest.mark.parametrize(
    "text",
    [
        "x = 1.0" + " + x" * 50000 + ";",
        "if (x < 1.0) x = 2.0;" + " else if (x > 3.0) x = 4.0;" * 5000,
        "x += 1.0;" * 20000,
        "float " + ", ".join(f"v{i}" for i in range(20000)) + ";",
        "x = " + ", ".join(["x"] * 50000) + ";",
        "/*" + "*" * 200000 + "*/",
        "//" + "\\\n" * 100000 + "\n",
        "\n" * 200000,
        "float a[2147483647]; x = a[5];",
        "x = 1e38 * 1e38 + 1e39 - 0.0 / 0.0;",
    ],
    ids=lambda text: text[:20],
)
def test_long_sources_compile(text: str) -> None:
    compiled = run(MAIN.format(text.replace("{", "{{").replace("}", "}}")))
    assert compiled.shader is not None, compiled.log[:300]


def test_structs_that_double() -> None:
    """Each struct holds the one before twice: what is asked of types must not count members."""
    structs = "".join(f"struct S{i + 1} {{ S{i} a; S{i} b; }};\n" for i in range(60))
    text = f"#version 120\nstruct S0 {{ float x; }};\n{structs}uniform S60 u;\n"
    path = ".a.b" * 30
    body = f"S60 v = u; v{path}.x = 1.0; bool same = v == u;"
    assert run(f"{text}void main() {{ {body} gl_FragColor = vec4(v{path}.x); }}").shader
    constants = "".join(
        f"const S{i + 1} c{i + 1} = S{i + 1}(c{i}, c{i});\n" for i in range(40))  # fmt: skip
    log = run(f"{text}const S0 c0 = S0(1.0);\n{constants}void main() {{}}").log
    assert "initializer of const variable `c21' must be a constant expression" in log


def test_many_overloads_and_members() -> None:
    """Neither a function's overloads nor a struct's members are searched one by one."""
    count = 1000
    text = "#version 120\n" + "".join(
        f"struct T{i} {{ float x; }}; float f(T{i} t) {{ return t.x; }}\n" for i in range(count))
    text += f"struct W {{ float {', '.join(f'm{i}' for i in range(count))}; }};\n"
    calls = "".join(f"T{i} t{i}; x += f(t{i}) + w.m{i};\n" for i in range(count))
    text += f"void main() {{ W w; float x = 0.0; {calls} gl_FragColor = vec4(x); }}"
    assert run(text).shader


@pytest.mark.parametrize(
    "text",
    [
        "(" * 200000, "{" * 200000, ")" * 200000, "#if 1\n" * 100000, "@" * 200000,
        "#" * 200000, "void main() { " + "x; " * 100000 + "}", "struct S { S s; };",
        "#define f(x) x\n" + "f(" * 100000, "#if " + "(" * 100000 + "\n#endif\n",
        "#define f(x) f(x)\n" + "f(" * 3000 + ")" * 3000, "int a = " + "9" * 200000 + ";",
        "int x[" * 10000, "float a = 1" + "0" * 100000 + ".0;", "#line 99999999999999999999 7\nx",
    ],
    ids=lambda text: text[:20],
)  # fmt: skip
def test_absurd_sources_end(text: str) -> None:
    compiled = run(text)
    assert compiled.log or compiled.shader is not None
    assert len(compiled.log) < 100000
