# SPDX-License-Identifier: MIT
"""Declarations that shaders have in common are read once, and nothing else comes of it: the trees
and messages are those of a compiler that has seen nothing before.
"""

import random
import re
from collections.abc import Iterator

import pytest

from pydri.glsl import known
from pydri.glsl.compiler import Compiled, compile_shader
from pydri.glsl.printer import print_shader
from pydri.glsl.source import pieces
from pydri.glsl.tree import Shader
from tests.unit.glsl import shaders

HEAD = "#version 330\n"
LIBRARY = """
uniform vec4 tint; uniform Lights { vec4 position[4]; mat4 turn; } lights;
struct Ray { vec3 at, to; };
const int COUNT = 3;
float square(float x) { return x * x; }
vec3 along(Ray ray, float t) { return ray.at + t * ray.to; }
vec4 tinted(vec4 color) { return color * tint * square(lights.position[1].x); }
float many(float x[COUNT]) { float sum = 0.0; for (int i = 0; i < COUNT; i++) sum += x[i];
    return sum; }
"""
MAIN = "out vec4 color; void main() { color = tinted(vec4(square(2.0))); }"


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    known.forget()
    pieces.forget()


def compiled(text: str, stage: str = "fragment") -> Compiled:
    return compile_shader(text, stage, shaders.CONTEXT)


def alone(text: str, stage: str = "fragment") -> Compiled:
    """As a compiler does it that has seen nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "may_share", lambda *_: False)
        pieces.forget()
        return compiled(text, stage)


def shown(found: Compiled) -> tuple[str, str]:
    return found.log, print_shader(found.shader) if found.shader is not None else ""


def tree(text: str) -> Shader:
    found = compiled(text)
    assert found.shader is not None, found.log
    return found.shader


def functions(text: str) -> dict[str, object]:
    return {function.name: function for function in tree(text).functions}


def test_what_is_in_common_is_the_same() -> None:
    first, second = tree(HEAD + LIBRARY + MAIN), tree(HEAD + "\n\n" + LIBRARY + MAIN + "\n")
    ours, theirs = ({f.name: f for f in each.functions} for each in (first, second))
    assert ours == theirs
    assert first.globals == second.globals
    assert first.blocks == second.blocks


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ("uniform vec4 tint", "uniform mediump vec4 tint"),
        ("float square(float x) {", "float square(float x) { if (x > 1.0) return x;"),
        ("const int COUNT = 3", "const int COUNT = 4"),
        ("struct Ray { vec3 at, to; }", "struct Ray { vec3 at, to; int n; }"),
        ("vec4 position[4]", "vec4 position[5]"),
        ("uniform Lights {", "layout(row_major) uniform; uniform Lights {"),
        ("struct Ray", "float square(int x) { return 1.0; } struct Ray"),
        ("struct Ray", "#define square(x) (x)\nstruct Ray"),
        ("struct Ray", "#define x y\nstruct Ray"),
        ("uniform Lights {", "float square(float); uniform Lights {"),
    ],
)
def test_another_meaning_is_another_declaration(change: str, other: str) -> None:
    text = HEAD + LIBRARY + MAIN
    changed = text.replace(change, other)
    assert changed != text
    compiled(text)
    for each in (changed, text, changed):
        assert shown(compiled(each)) == shown(alone(each))


def test_only_what_depends_on_it_is_read_again() -> None:
    before = functions(HEAD + LIBRARY + MAIN)
    after = functions(HEAD + LIBRARY.replace("tint;", "tint = vec4(1);", 1) + MAIN)
    same = {name for name in before if before[name] is after[name]}
    assert same == {"square", "along", "many"}


def test_what_a_parameter_is_called_elsewhere_does_not_matter() -> None:
    text = "float twice(float x) { return x + x; } void main() { gl_FragColor.x = twice(1.0); }"
    before = functions("#version 130\n" + text)
    after = functions("#version 130\nuniform float x;\n" + text)
    assert before["twice"] is after["twice"]
    sized = "float f(float a[n], float n) { return a[0] + n; } void main() { }"
    texts = [f"{HEAD}const int n = {n}; {sized}" for n in (2, 3)]
    assert [shown(compiled(text)) for text in texts] == [shown(alone(text)) for text in texts]


@pytest.mark.parametrize(
    "wrong",
    [
        "void main() { color = tinted(1.0); }", "float square(float x) { return x; }",
        "void f() { f(); } out vec4 color; void main() { }", "uniform vec3 tint;",
        "out vec4 color; void main() { tint = vec4(1.0); }", "void main( {",
        "struct Ray { int n; };", "out vec4 c; void main() { c = vec4(square(1.0).y); gl_FragColor "
        "= c; }", "int square;", "int tinted() { return 1; } uniform Lights { int n; };",
        "@", "out vec4 c; void main() { c = vec4(1.0) }", "invariant tint;",
    ],
)  # fmt: skip
def test_mistakes_are_told_as_ever(wrong: str) -> None:
    compiled(HEAD + LIBRARY + MAIN)
    text = HEAD + "// another place\n" + LIBRARY + wrong
    found = compiled(text)
    assert found.shader is None
    assert shown(found) == shown(alone(text))


DIRECTIVES = """
#define ONE 1
#define TWICE(x) ((x) + (x))
#define NOTHING
#if TWICE(ONE) == 2 && defined(NOTHING)
const int CHOSEN = TWICE(ONE);
#elif defined(OTHER)
const int CHOSEN = OTHER;
#else
const float CHOSEN = 3.0;
#endif
#ifdef OTHER
#ifndef ONE
#error never
#endif
#endif
"""


@pytest.mark.parametrize(
    "before",
    ["", "// moved\n", "#define ONE 1\n", "#define ONE 2\n", "#define OTHER 7\n",
     "#define NOTHING \n", "#define TWICE(x) (2 * (x))\n#undef TWICE\n", "#define TWICE 1\n"],
)  # fmt: skip
@pytest.mark.parametrize("head", [HEAD, "#version 300 es\n", "#version 110\n"])
def test_directives_that_were_met_before(head: str, before: str) -> None:
    """What #define, #if and #elif come to is kept with their text, and what decides it."""
    main = "void main() { gl_FragColor = vec4(CHOSEN); }"
    for text in (HEAD + DIRECTIVES + main, head + before + DIRECTIVES + main) * 2:
        assert shown(compiled(text)) == shown(alone(text))


@pytest.mark.parametrize(
    "wrong",
    ["#if TOO_MANY", "#if ONE / NONE", "#if 0\n#elif TOO_MANY", "#line WORD", "#line ONE ONE ONE",
     "#if CALL(", "#define ONE 2"],
)  # fmt: skip
def test_places_of_mistakes_in_known_macros(wrong: str) -> None:
    """A mistake in what a macro stands for is told where the macro is defined."""
    library = "#define ONE 1\n#define TOO_MANY 1 1\n#define NONE 0\n#define WORD word\n"
    library += "#define CALL(x) x\n"
    main = "\n#endif\nvoid main() { }" if "#if" in wrong else "\nvoid main() { }"
    compiled(HEAD + library + main)
    for before in ("", "// another\n\n"):
        text = f"{HEAD}{before}{library}{wrong}{main}"
        found = compiled(text)
        assert found.shader is None
        assert shown(found) == shown(alone(text))


def test_warnings_are_told_each_time() -> None:
    for each in (HEAD, "#version 120\n"):
        text = each + "float a__b() { return 1.0; } int c() { return 1.0f > 1 ? 1 : 2; }"
        text += "void main() { }"
        assert "a__b" in compiled(text).log
        assert shown(compiled(text)) == shown(alone(text))


def test_what_a_shader_does_with_its_variables_is_its_own() -> None:
    """`invariant` after a use is an error; of another shader's variables it means nothing."""
    passed = "#version 330 compatibility\nout vec3 normal; float a[];\n"
    used = passed + "void set() { normal = vec3(a[3]); } void main() { set(); }"
    marked = passed + "invariant normal; void main() { a[1] = 2.0; }"
    for _ in range(2):
        for text in (used, marked):
            assert shown(compiled(text, "vertex")) == shown(alone(text, "vertex"))


def test_kinds_of_shaders_are_kept_apart() -> None:
    texts = [f"{head}float f(float x) {{ return x * 2; }} void main() {{ }}" for head in (
        "#version 120\n", "#version 110\n", "#version 330\n", "#version 300 es\n")]
    for text in texts * 2:
        for stage in ("vertex", "fragment"):
            assert shown(compiled(text, stage)) == shown(alone(text, stage))


@pytest.mark.needs("piglit")
def test_real_shaders_with_parts_of_each_other(seed: int = 7) -> None:
    """Declarations of several shaders in one, over and over."""
    rng = random.Random(seed)
    corpus = [s.text for s in shaders.embedded()[::9] if s.stage == "fragment" and s.good]
    parts = [re.split(r"(?<=[;}])\n", re.sub(r"#(version|extension).*", "", t)) for t in corpus]
    good = 0
    for _ in range(150):
        mine, other = rng.sample(parts, 2)
        borrowed = [part for part in other if "main" not in part and rng.random() < 0.5]
        text = rng.choice(("", "#version 120\n")) + "\n".join(
            borrowed + [part for part in mine if rng.random() < 0.99])
        found = compiled(text)
        good += found.shader is not None
        assert shown(found) == shown(alone(text)), text
    assert good > 20
