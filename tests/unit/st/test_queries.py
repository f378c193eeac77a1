# SPDX-License-Identifier: MIT
"""Occlusion and timer queries on the real driver: exact counts, no split scenes, errors."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest

from pydri.api import enums as gl
from pydri.main.names.objects import live, object_by_name
from pydri.main.names.tables import QUERIES
from pydri.pipe.native import PipeNative
from tests.unit.st.test_with_llvm import BOTH, HEIGHT, WIDTH, Gl

ALL = WIDTH * HEIGHT
SAMPLES = gl.GL_SAMPLES_PASSED


class Queries(Gl):
    """Results by name."""

    def generate(self, count: int) -> list[int]:
        out = (ctypes.c_uint32 * count)()
        self.GenQueries(count, ctypes.addressof(out))
        return list(out)

    def delete(self, *names: int) -> None:
        given = (ctypes.c_uint32 * len(names))(*names)
        self.DeleteQueries(len(names), ctypes.addressof(given))

    def is_query(self, name: int) -> bool:
        return bool(self.st.gl.kernel("glIsQuery")(self.st.address, name) & 0xFF)

    def result(self, name: int, pname: int = gl.GL_QUERY_RESULT) -> int:
        out = ctypes.c_uint64(77)
        self.GetQueryObjectui64v(name, pname, ctypes.addressof(out))
        return out.value

    def error(self) -> int:
        found, self.st.n.error = self.st.n.error, 0
        return int(found)

    def submitted(self) -> int:
        return int(PipeNative.view(self.st.n.pipe).submitted)


@pytest.fixture
def q() -> Iterator[Queries]:
    made = Queries()
    assert made.generate(3) == [1, 2, 3]
    made.ClearColor(0.0, 0.0, 0.0, 0.0)
    made.Clear(BOTH)
    yield made
    made.st.destroy()
    made.pipe.destroy()


def test_counts_are_exact_and_begin_and_end_split_nothing(q: Queries) -> None:
    before = q.submitted()
    q.BeginQuery(SAMPLES, 1)
    q.quad()
    q.EndQuery(SAMPLES)
    q.quad()  # counted by none
    q.Enable(gl.GL_SCISSOR_TEST)
    q.Scissor(3, 5, 17, 11)
    q.BeginQuery(SAMPLES, 2)
    q.quad()
    q.quad()
    q.EndQuery(SAMPLES)
    assert q.submitted() == before
    assert q.result(1) == ALL
    assert q.result(2) == 2 * 17 * 11
    asked = q.submitted()
    assert q.result(1, gl.GL_QUERY_RESULT_AVAILABLE) == 1
    assert q.submitted() == asked, "a result that is there waits for nothing"
    assert q.error() == 0


def test_only_what_passes_every_test_counts(q: Queries) -> None:
    q.Enable(gl.GL_DEPTH_TEST)
    q.Enable(gl.GL_SCISSOR_TEST)
    q.Scissor(0, 0, 40, 30)
    q.quad(z=-0.5)  # near, in a part of the window
    q.Disable(gl.GL_SCISSOR_TEST)
    q.BeginQuery(SAMPLES, 1)
    q.quad(z=0.5)
    q.EndQuery(SAMPLES)
    assert q.result(1) == ALL - 40 * 30
    q.Enable(gl.GL_ALPHA_TEST)
    q.AlphaFunc(gl.GL_GREATER, 0.5)
    for alpha, counted in ((0.25, 0), (0.75, ALL)):
        q.Clear(BOTH)
        q.Color4f(1.0, 1.0, 1.0, alpha)
        q.BeginQuery(SAMPLES, 2)
        q.quad()
        q.EndQuery(SAMPLES)
        assert q.result(2) == counted
    q.Disable(gl.GL_ALPHA_TEST)
    q.ColorMask(0, 0, 0, 0)  # nothing is written, all passes
    q.Disable(gl.GL_DEPTH_TEST)
    q.BeginQuery(SAMPLES, 3)
    q.quad()
    q.EndQuery(SAMPLES)
    assert q.result(3) == ALL


def test_a_clear_of_everything_keeps_what_was_counted(q: Queries) -> None:
    q.BeginQuery(SAMPLES, 1)
    q.quad()
    q.EndQuery(SAMPLES)
    q.Clear(BOTH)
    q.Finish()
    assert q.result(1) == ALL


def test_a_query_begun_again_starts_at_zero(q: Queries) -> None:
    for _ in range(3):
        q.BeginQuery(SAMPLES, 1)
        q.quad()
        q.EndQuery(SAMPLES)
        q.Flush()
    assert q.result(1) == ALL
    q.BeginQuery(gl.GL_ANY_SAMPLES_PASSED, 9)
    q.quad()
    q.EndQuery(gl.GL_ANY_SAMPLES_PASSED)
    assert q.result(9) == 1


def test_deleting_a_query_that_a_scene_counts_for(q: Queries) -> None:
    q.BeginQuery(SAMPLES, 1)
    q.quad()
    q.delete(1)
    assert not q.st.n.query.occlusion
    assert not q.st.n.dyn.occlusion_counter
    q.Finish()


def test_conditional_rendering(q: Queries) -> None:
    q.BeginQuery(SAMPLES, 1)
    q.EndQuery(SAMPLES)
    q.BeginConditionalRender(1, gl.GL_QUERY_WAIT)
    q.Color3f(1.0, 0.0, 0.0)
    q.quad()
    q.EndConditionalRender()
    assert not q.pixels()[..., 0].any()
    q.BeginQuery(SAMPLES, 1)
    q.quad()
    q.EndQuery(SAMPLES)
    q.BeginConditionalRender(1, gl.GL_QUERY_BY_REGION_NO_WAIT)
    q.Color3f(0.0, 1.0, 0.0)
    q.quad()
    q.EndConditionalRender()
    assert (q.pixels()[..., 1] == 255).all()


def test_statistics_of_fragments(q: Queries) -> None:
    """Those whose shader runs, in the scene in which they are drawn: a fragment that fails the
    early depth test has none. Without a query other kernels draw, and the same."""
    counted = gl.GL_FRAGMENT_SHADER_INVOCATIONS
    before = q.submitted()
    q.Enable(gl.GL_DEPTH_TEST)
    q.Enable(gl.GL_SCISSOR_TEST)
    q.Scissor(0, 0, 40, 30)
    q.quad(z=-0.5)
    q.Disable(gl.GL_SCISSOR_TEST)
    q.BeginQuery(counted, 1)
    q.BeginQuery(SAMPLES, 2)
    q.quad(z=0.5)
    q.EndQuery(counted)
    q.EndQuery(SAMPLES)
    q.BeginQuery(counted, 3)
    q.Enable(gl.GL_ALPHA_TEST)
    q.AlphaFunc(gl.GL_NEVER, 0.5)  # behind the shader, and depth is tested behind that
    q.quad(z=0.5)
    q.EndQuery(counted)
    q.quad(z=0.5)  # counted by none
    assert q.submitted() == before
    assert q.result(1) == q.result(2) == ALL - 40 * 30
    assert q.result(3) == ALL
    assert q.error() == 0


def test_statistics_of_the_vertex_side(q: Queries) -> None:
    """Several kinds at a time; what the scissor leaves nothing of is counted up to there."""
    wanted = {
        gl.GL_VERTICES_SUBMITTED: 6, gl.GL_PRIMITIVES_SUBMITTED: 2,
        gl.GL_VERTEX_SHADER_INVOCATIONS: 6, gl.GL_GEOMETRY_SHADER_INVOCATIONS: 0,
        gl.GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED: 0, gl.GL_CLIPPING_INPUT_PRIMITIVES: 2,
        gl.GL_CLIPPING_OUTPUT_PRIMITIVES: 1,
    }  # fmt: skip
    for scissor in (False, True):
        if scissor:
            q.Enable(gl.GL_SCISSOR_TEST)
            q.Scissor(0, 0, 0, 0)
        names = q.generate(len(wanted))
        for target, name in zip(wanted, names):
            q.BeginQuery(target, name)
        q.Begin(gl.GL_TRIANGLES)
        for x in (0.0, 5.0):  # the second lies beside the view volume
            for corner in ((x, 0.0), (x + 0.5, 0.0), (x, 0.5)):
                q.Vertex2f(*corner)
        q.Vertex2f(0.0, 0.0)  # of no whole primitive
        q.End()
        for target in wanted:
            q.EndQuery(target)
        assert dict(zip(wanted, map(q.result, names))) == wanted
    assert q.error() == 0


def test_errors(q: Queries) -> None:
    wrong = gl.GL_INVALID_OPERATION

    def told(expected: int, name: str, *args: int) -> None:
        getattr(q, name)(*args)
        assert q.error() == expected, (name, args)

    told(gl.GL_INVALID_ENUM, "BeginQuery", gl.GL_TIMESTAMP, 1)
    told(gl.GL_INVALID_ENUM, "EndQuery", gl.GL_TEXTURE_2D)
    told(wrong, "BeginQuery", SAMPLES, 0)
    told(wrong, "EndQuery", SAMPLES)
    told(0, "BeginQuery", SAMPLES, 1)
    told(wrong, "BeginQuery", gl.GL_ANY_SAMPLES_PASSED, 2)  # one occlusion query at a time
    told(wrong, "EndQuery", gl.GL_ANY_SAMPLES_PASSED)
    told(wrong, "BeginQuery", gl.GL_TIME_ELAPSED, 1)  # active elsewhere
    told(0, "BeginQuery", gl.GL_TIME_ELAPSED, 2)
    q.result(1)
    assert q.error() == wrong  # not while it is active
    told(0, "EndQuery", SAMPLES)
    told(0, "EndQuery", gl.GL_TIME_ELAPSED)
    q.result(1, gl.GL_QUERY_COUNTER_BITS)
    assert q.error() == gl.GL_INVALID_ENUM
    told(wrong, "BeginQuery", gl.GL_TIME_ELAPSED, 1)  # another kind than before
    told(wrong, "QueryCounter", 1, gl.GL_TIMESTAMP)
    told(wrong, "BeginConditionalRender", 2, gl.GL_QUERY_WAIT)
    told(gl.GL_INVALID_ENUM, "BeginConditionalRender", 1, 1)
    told(gl.GL_INVALID_VALUE, "BeginConditionalRender", 0, gl.GL_QUERY_WAIT)
    told(wrong, "EndConditionalRender")
    q.result(3)
    assert q.error() == wrong  # never begun


def test_names(q: Queries) -> None:
    assert q.generate(3) == [4, 5, 6]
    assert not q.is_query(5)  # it was never begun
    q.delete(5, 0, 77)
    assert q.generate(2) == [5, 7]
    for name in (1 << 20, 0xFFFFFFFF):  # beyond the table
        q.BeginQuery(SAMPLES, name)
        q.EndQuery(SAMPLES)
        assert q.is_query(name)
    assert q.generate(1) == [8]
    with object_by_name(q.st.gl, QUERIES, 1 << 20) as query:
        assert (query.name, query.target) == (1 << 20, SAMPLES)
    before = live(q.st.gl, QUERIES)
    q.Finish()
    q.delete(1 << 20, 0xFFFFFFFF)
    assert not q.is_query(1 << 20) and live(q.st.gl, QUERIES) == before - 2


def test_the_memory_of_deleted_queries_waits_for_their_scenes(q: Queries) -> None:
    for _ in range(50):  # one scene, which nobody waits for
        (name,) = q.generate(1)
        q.BeginQuery(SAMPLES, name)
        q.quad()
        q.EndQuery(SAMPLES)
        q.delete(name)
    assert live(q.st.gl, QUERIES) == 50
    asked = q.submitted()
    q.Finish()
    assert q.submitted() == asked + 1
    q.BeginQuery(SAMPLES, 1)
    q.EndQuery(SAMPLES)
    assert live(q.st.gl, QUERIES) == 1
    assert q.error() == 0
