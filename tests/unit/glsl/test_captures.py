# SPDX-License-Identifier: MIT
"""What transform feedback captures of a program: where it lies, and what the linker says of names
(messages are Mesa's)."""

from __future__ import annotations

import pytest

from pydri.glsl.compiler import Context, compile_shader
from pydri.glsl.link import linker
from pydri.glsl.link.captures import Asked
from pydri.glsl.link.linked import CAPTURE, Linked
from pydri.nir.enums import VARYING_SLOT_DRIVER0, VARYING_SLOT_VAR0
from pydri.tgsi.tokens.slots import varying_semantic

VERTEX = """#version 120
varying vec2 a; varying float b[3]; varying mat3 m; varying vec4 only; varying vec3 r;
varying vec4 w[17];
void main() { gl_Position = gl_Vertex; a = vec2(1); b[0] = b[1] = b[2] = 2.0; m = mat3(1);
only = gl_Color; r = vec3(1); w[16] = gl_Color; gl_TexCoord[1] = gl_Color; gl_PointSize = 3.0; }
"""
FRAGMENT = """#version 120
varying vec2 a; varying float b[3]; varying mat3 m;
void main() { gl_FragColor = vec4(a, b[0] + b[1] + b[2], m[0].x); }
"""


MANY = """#version 120
varying float x[64], y[64]; varying vec2 a;
void main() { gl_Position = gl_Vertex; a = vec2(1); for (int i = 0; i < 64; i++) x[i] = y[i] = a.x;
}"""
NOTHING = "void main() { gl_FragColor = vec4(1); }"


def link(
    *names: str, separate: bool = False, vertex: str = VERTEX, fragment: str = FRAGMENT
) -> Linked:
    trees = []
    for text, stage in ((vertex, "vertex"), (fragment, "fragment")):
        if text:
            made = compile_shader(text, stage, Context(330, 0, frozenset(), {}))
            assert made.shader is not None, made.log
            trees.append(made.shader)
    return linker.link(trees, asked=Asked(names, separate))


def test_interleaved() -> None:
    """One behind the other; a varying that is packed lies where the fragment shader finds it."""
    linked = link("gl_Position", "a", "b[1]", "only")
    output = linked.stream_output
    assert output.strides == (11,)
    assert [item.offset for item in output.captures] == [0, 4, 6, 7]
    assert [item.components for item in output.captures] == [4, 2, 1, 4]
    assert output.captures[0].slot == 0 and output.captures[3].slot >= 64
    stage = linked.stages["vertex"]
    packing = stage.packing["shader_out"]
    first = stage.roots["b"].slot
    assert isinstance(first, int)
    place = packing[first + 1]
    assert (output.captures[2].slot, output.captures[2].component) == (place // 4, place % 4)


def test_separate() -> None:
    linked = link("b", "gl_TexCoord[1]", "gl_PointSize", separate=True)
    assert linked.stream_output.strides == (3, 4, 1)
    assert [item.buffer for item in linked.stream_output.captures] == [0, 0, 0, 1, 2]
    rows = [(row.name, str(row.type), row.size) for row in linked.resources[CAPTURE]]
    assert rows == [("b", "float", 3), ("gl_TexCoord[1]", "vec4", 0), ("gl_PointSize", "float", 0)]


def test_several_buffers_and_gaps() -> None:
    """ARB_transform_feedback3: what follows gl_NextBuffer goes to the next one, and what is skipped
    has a place that nothing is written to. Questions know these names, too."""
    names = ("a", "gl_SkipComponents3", "only", "gl_NextBuffer", "gl_NextBuffer",
             "gl_SkipComponents1", "r", "gl_SkipComponents1")  # fmt: skip
    linked = link(*names)
    assert linked.good, linked.log
    output = linked.stream_output
    assert output.strides == (9, 0, 5)
    assert [(item.buffer, item.offset, item.components) for item in output.captures] == [
        (0, 0, 2), (0, 5, 4), (2, 1, 3)]  # fmt: skip
    rows = [(row.name, str(row.type), row.size) for row in linked.resources[CAPTURE]]
    assert tuple(name for name, *_ in rows) == names
    assert rows[1] == ("gl_SkipComponents3", "void", 3) and rows[3] == ("gl_NextBuffer", "void", 0)


def test_each_buffer_has_its_limit() -> None:
    half = [f"x[{n}]" for n in range(64)], [f"y[{n}]" for n in range(64)]
    fits = link(*half[0], "gl_NextBuffer", *half[1], vertex=MANY, fragment=NOTHING)
    assert fits.good and fits.stream_output.strides == (64, 64)
    beyond = link(*half[0], "gl_SkipComponents1", "gl_NextBuffer", "a", vertex=MANY,
                  fragment=NOTHING)  # fmt: skip
    assert not beyond.good and "INTERLEAVED_COMPONENTS limit has been exceeded" in beyond.log


def test_without_fragment_shader() -> None:
    """What nobody reads has slots all the same."""
    output = link("m", "r", fragment="").stream_output
    assert sum(item.components for item in output.captures) == 12
    places = {(item.slot, item.component + n) for item in output.captures
              for n in range(item.components)}  # fmt: skip
    assert len(places) == 12


def test_of_no_shaders_nothing_is_asked() -> None:
    """A compatibility context links them, as fixed function (the peer's judgement, too)."""
    assert linker.link([], asked=Asked(("gl_Position",), False)).good
    assert not link("gl_Position", vertex="").good


@pytest.mark.parametrize("fragment", ["", NOTHING])
def test_what_nobody_reads_is_packed(fragment: str) -> None:
    """As much as may be captured has slots below the driver's own."""
    linked = link("x", "y", separate=True, vertex=MANY, fragment=fragment)
    assert linked.good, linked.log
    captures = linked.stream_output.captures
    places = {(item.slot, item.component + n) for item in captures for n in range(item.components)}
    assert len(places) == 128
    slots = {slot for slot, _ in places}
    assert VARYING_SLOT_VAR0 + 32 <= min(slots) and max(slots) < VARYING_SLOT_DRIVER0
    assert all(varying_semantic(slot) for slot in slots)  # as TGSI, too


@pytest.mark.parametrize(
    ("names", "separate", "said"),
    [
        (("nope",), False, "Transform feedback varying nope undeclared."),
        (("a.x",), False, "Transform feedback varying a.x undeclared."),
        (("gl_Vertex",), False, "Transform feedback varying gl_Vertex undeclared."),
        (("a", "a"), False, "Transform feedback varying a specified more than once."),
        (("b[3]",), False, "Transform feedback varying b[3] has index 3, but the array size is 3."),
        (("a[0]",), False, "Transform feedback varying a[0] requested, but a is not an array."),
        (("w",), True, "Transform feedback varying w exceeds "
         "MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS."),
        (("w",), False, "The MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS limit has been "
         "exceeded."),
    ],
)  # fmt: skip
def test_mistakes(names: tuple[str, ...], separate: bool, said: str) -> None:
    linked = link(*names, separate=separate)
    assert not linked.good and linked.log.strip() == f"error: {said}"


BLOCKS = """#version 150
out Several { vec4 a; float b[2]; } several[3]; out One { vec4 a; } one; out Bare { vec2 bare; };
void main() { gl_Position = several[2].a = several[1].a = several[0].a = one.a = vec4(1);
several[2].b[1] = several[2].b[0] = 1.0; bare = vec2(2); }"""


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("Several[1].a", ("vec4", 0)), ("Several[2].b", ("float", 2)),
        ("Several[2].b[1]", ("float", 0)), ("One.a", ("vec4", 0)), ("bare", ("vec2", 0)),
        ("Several.a", None), ("Several[3].a", None), ("several[1].a", None), ("One[0].a", None),
        ("a", None), ("Bare.bare", None),
    ],
)  # fmt: skip
def test_members_of_blocks(name: str, row: tuple[str, int] | None) -> None:
    """They are named by their block, and its index where there are several (OpenGL 4.6, 7.3.1)."""
    linked = link(name, vertex=BLOCKS, fragment="")
    told = [(str(found.type), found.size) for found in linked.resources[CAPTURE]]
    assert (linked.good, told) == (row is not None, [row] if row else [])
