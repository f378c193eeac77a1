# SPDX-License-Identifier: MIT
"""First and best images of one pipeline: exchanged while it is drawn with, in the same bits."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from pipe_llvm.native import LpPlan
from pipe_llvm.setup import any_image as setup_any
from pydri.api import enums as gl
from pydri.jit import tiers
from tests.unit.st.test_glsl import Shaded
from tests.unit.st.test_with_llvm import BOTH

VERTEX = """varying vec3 v; uniform vec4 t;
void main() { v = gl_Vertex.xyz * 3.0 + t.xyz; gl_Position = gl_Vertex; }"""
#: long enough for several stamps a step (pipe_llvm/fragment/wide.py)
FRAGMENT = """varying vec3 v; uniform sampler2D s;
void main() {
  vec3 n = normalize(v + vec3(0.1, 0.2, 0.3)); vec4 c = vec4(0.0);
  for (int i = 0; i < 3; i++) {
    vec3 l = normalize(vec3(float(i) - 1.0, 0.5, 0.25));
    c.xyz += pow(max(dot(n, l), 0.01), 3.0 + float(i)) * sin(v * float(i + 1)) + exp(-abs(v)) * 0.1;
  }
  if (c.x > 0.4) c.y = fract(v.x * 7.0);
  gl_FragColor = c + 0.1 * texture2D(s, v.xy);
}"""


def drawn(tier: str, monkeypatch: pytest.MonkeyPatch, after: Callable[[Shaded], None]) -> bytes:
    """The picture of a tier, once `after` has done its part."""
    monkeypatch.setenv("PYDRI_TIERS", tier)
    g = Shaded()
    try:
        g.program(VERTEX, FRAGMENT)
        after(g)
        return picture(g)
    finally:
        g.st.destroy()
        g.pipe.destroy()


def picture(g: Shaded) -> bytes:
    """A frame."""
    g.Enable(gl.GL_DEPTH_TEST)
    g.Clear(BOTH)
    g.quad(0.5)
    return bytes(g.pixels().tobytes())


def test_both_images_have_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    first = drawn("first", monkeypatch, lambda _g: None)
    assert first == drawn("best", monkeypatch, lambda _g: None)
    assert len(set(first)) > 30


@pytest.mark.parametrize("shade", [gl.GL_FLAT, gl.GL_SMOOTH])
def test_setup_for_any_inputs(monkeypatch: pytest.MonkeyPatch, shade: int) -> None:
    """Colours of both faces, flat or not, other varyings, polygon offset: as with a kernel of
    one's own."""
    vertex = """varying vec3 v; void main() {
      v = gl_Vertex.yxz * 2.0; gl_FrontColor = vec4(abs(gl_Vertex.xyz), 1.0);
      gl_BackColor = vec4(1.0, abs(gl_Vertex.yx), 0.5); gl_FrontSecondaryColor = vec4(v.x);
      gl_BackSecondaryColor = vec4(v.y); gl_Position = gl_Vertex;
      gl_Position.w = 2.0 + gl_Vertex.x; }"""
    fragment = """varying vec3 v; void main() {
      gl_FragColor = gl_Color * 0.5 + gl_SecondaryColor * fract(v.xyzx); }"""
    found = set()
    for tier in ("first", "best"):
        monkeypatch.setenv("PYDRI_TIERS", tier)
        g = Shaded()
        g.program(vertex, fragment)
        for setting in (gl.GL_VERTEX_PROGRAM_TWO_SIDE, gl.GL_POLYGON_OFFSET_FILL, gl.GL_DEPTH_TEST):
            g.Enable(setting)
        g.ShadeModel(shade)
        g.PolygonOffset(1.5, 3.0)
        g.Clear(BOTH)
        for front in (gl.GL_CCW, gl.GL_CW):
            g.FrontFace(front)
            g.quad(0.5 if front == gl.GL_CCW else 0.5001)
            found.add((front, bytes(g.pixels().tobytes())))
        plan = LpPlan.view(next(iter(reversed(g.pipe._plans))))
        any_setup = setup_any.any_image().address(setup_any.NAME)
        assert (plan.setup == any_setup) == (tier == "first")
        g.st.destroy()
        g.pipe.destroy()
    assert len(found) == 2 and all(len(set(pixels)) > 30 for _, pixels in found)


def test_the_best_image_takes_the_place_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(module: object, first: bool = False) -> None:
        """As if nothing were in the cache."""

    monkeypatch.setattr("pydri.jit.compiler.load_module", load)
    pictures = set()

    def until_exchanged(g: Shaded) -> None:
        for _ in range(3):
            pictures.add(picture(g))
        plans = list(g.pipe._plans.values())
        assert plans and not any(plan.hurried for plan in plans[-1:])
        for _ in range(1000):
            if len(plans[-1].images) == 5:  # the setup kernel for any inputs is nobody's own
                return
            time.sleep(0.02)
        raise AssertionError("no better images came")

    pictures.add(drawn("", monkeypatch, until_exchanged))
    assert len(pictures) == 1


@pytest.fixture
def first_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No image is kept, and no better one comes."""
    monkeypatch.setattr("pydri.jit.compiler.load_module", lambda _module, first=False: None)
    monkeypatch.setenv("PYDRI_TIERS", "")
    monkeypatch.setattr("pipe_llvm.context.improve", lambda _module, _done: None)


@pytest.mark.parametrize("discarded", [True, False])
def test_vertices_that_no_scene_sees_get_better_code_too(
    first_alone: None, discarded: bool
) -> None:
    """Rasterisation is off (all of transform feedback may be like that), or all lies outside."""
    g = Shaded()
    try:
        g.program(VERTEX if discarded else VERTEX.replace("= gl_Vertex;", "= gl_Vertex + 9.0;"),
                  FRAGMENT)  # fmt: skip
        if discarded:
            g.Enable(gl.GL_RASTERIZER_DISCARD)
        for draws in range(3):
            g.quad(0.5)
            g.Flush()
            (plan,) = g.pipe._plans.values()
            assert bool(plan.hurried) == (draws < 1)
    finally:
        g.st.destroy()
        g.pipe.destroy()


@pytest.mark.parametrize("rounds", ["3", "int(t.w)"])
def test_shaders_with_loops_have_no_first_image(
    first_alone: None, rounds: str
) -> None:
    """One draw of theirs may take longer than LLVM; loops that are unrolled are none."""
    g = Shaded()
    try:
        g.program(VERTEX, "uniform vec4 t;" + FRAGMENT.replace("i < 3", f"i < {rounds}"))
        picture(g)
        (plan,) = g.pipe._plans.values()
        assert ("lp_fs" in [module.name for module, _ in plan.hurried]) == (rounds == "3")
        assert "lp_vs" in [module.name for module, _ in plan.hurried]
    finally:
        g.st.destroy()
        g.pipe.destroy()


def test_who_draws_for_a_moment_pays_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best images wait until a program has drawn for a while; then they come at once."""
    slept: list[float] = []
    monkeypatch.setattr(tiers.clock, "sleep", slept.append)
    monkeypatch.setattr(tiers.TURNS, "quiet", lambda: 1.0)
    monkeypatch.setattr(tiers, "_asked", tiers.clock.monotonic())
    tiers._await_a_good_time()
    assert len(slept) == 1 and tiers._YOUNG / 2 < slept[0] <= tiers._YOUNG
    monkeypatch.setattr(tiers, "_asked", tiers.clock.monotonic() - tiers._YOUNG)
    tiers._await_a_good_time()
    assert len(slept) == 1


def test_what_goes_wrong_beside_is_raised_where_it_is_awaited() -> None:
    def fail() -> bytes:
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        tiers.beside(fail).result()
    assert tiers.beside(lambda: b"done").result() == b"done"
