# SPDX-License-Identifier: MIT
"""Transform feedback objects (ARB_transform_feedback2): each goes on where it was; what was
captured is drawn without being counted by the program."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from tests.unit.st.test_geometry import COLOR, DRIVERS, PASS, Versioned
from tests.unit.st.test_glsl import FRAGMENT, VERTEX
from tests.unit.st.test_with_llvm import BOTH, HEIGHT, WIDTH

FEEDBACK, BUFFER = gl.GL_TRANSFORM_FEEDBACK, gl.GL_TRANSFORM_FEEDBACK_BUFFER


class Objects(Versioned):
    """A context with a program that captures places, two objects, and a buffer for each."""

    def __init__(self, driver: str) -> None:
        super().__init__(driver)
        self.program = self.linked((VERTEX, PASS), (FRAGMENT, COLOR), captures=("gl_Position",))
        self.objects, self.buffers = self.names("GenTransformFeedbacks"), self.names("GenBuffers")
        for object_, buffer in zip(self.objects, self.buffers, strict=True):
            self.BindTransformFeedback(FEEDBACK, object_)
            self.BindBuffer(BUFFER, buffer)
            self.BufferData(BUFFER, 4096, 0, gl.GL_DYNAMIC_READ)
            self.BindBufferBase(BUFFER, 0, buffer)
        assert not self.error()

    def names(self, call: str) -> list[int]:
        out = (ctypes.c_uint32 * 2)()
        getattr(self, call)(2, ctypes.addressof(out))
        return list(out)

    def points(self, *xs: float) -> None:
        self.vertices(gl.GL_POINTS, [(x, 0.5, 0, 1) for x in xs])

    def captured(self, which: int, count: int) -> list[float]:
        """The x of the first vertices in a buffer."""
        found = np.zeros((count, 4), np.float32)
        self.BindBuffer(gl.GL_COPY_READ_BUFFER, self.buffers[which])
        self.GetBufferSubData(gl.GL_COPY_READ_BUFFER, 0, found.nbytes, found.ctypes.data)
        return [float(x) for x in found[:, 0]]


@pytest.fixture(params=list(DRIVERS))
def g(request: Any) -> Iterator[Objects]:
    made = Objects(request.param)
    yield made
    made.destroy()


def test_objects_go_on_where_they_were(g: Objects) -> None:
    first, second = g.objects
    g.BindTransformFeedback(FEEDBACK, first)
    g.BeginTransformFeedback(gl.GL_POINTS)
    g.points(0.25)
    g.BindTransformFeedback(FEEDBACK, second)
    assert g.error() == gl.GL_INVALID_OPERATION  # it is not paused
    g.PauseTransformFeedback()
    g.vertices(gl.GL_LINES, [(0, 0, 0, 1), (1, 1, 0, 1)])  # no mode is refused meanwhile
    g.UseProgram(0)
    assert not g.error()
    g.BindTransformFeedback(FEEDBACK, second)
    g.ResumeTransformFeedback()
    assert g.error() == gl.GL_INVALID_OPERATION  # it is not active
    g.UseProgram(g.program)
    g.BeginTransformFeedback(gl.GL_POINTS)
    g.points(0.5, 0.625)
    g.EndTransformFeedback()
    g.BindTransformFeedback(FEEDBACK, first)
    g.UseProgram(0)
    g.ResumeTransformFeedback()
    assert g.error() == gl.GL_INVALID_OPERATION  # of another program
    g.UseProgram(g.program)
    g.ResumeTransformFeedback()
    g.points(0.75)
    g.EndTransformFeedback()
    assert not g.error()
    assert g.captured(0, 3) == [0.25, 0.75, 0.0] and g.captured(1, 3) == [0.5, 0.625, 0.0]


def test_several_buffers_and_what_is_lost(g: Objects) -> None:
    """ARB_transform_feedback3: outputs go to two buffers, and what is skipped stays as it was.
    ARB_transform_feedback_overflow_query: whether there was no room, and only that; it decides what
    is drawn, too."""
    names = ("gl_SkipComponents1", "gl_Position", "gl_NextBuffer", "gl_FrontColor")
    g.linked((VERTEX, PASS), (FRAGMENT, COLOR), captures=names)
    old = np.full(64, 7.0, np.float32)
    for point, buffer in enumerate(g.buffers):
        g.BindBuffer(BUFFER, buffer)
        g.BufferData(BUFFER, 2 * 20, old.ctypes.data, gl.GL_DYNAMIC_READ)
        g.BindBufferBase(BUFFER, point, buffer)
    queries = g.names("GenQueries")
    targets = gl.GL_TRANSFORM_FEEDBACK_OVERFLOW, gl.GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW
    out = ctypes.c_uint64()
    for count, lost in ((2, 0), (3, 1)):
        for target, query in zip(targets, queries):
            g.BeginQueryIndexed(target, 0, query)
        g.points(0.125, 0.25)  # not captured: nothing is lost
        g.BeginTransformFeedback(gl.GL_POINTS)
        g.Color4f(1.0, 0.5, 0.25, 1.0)
        g.points(*(0.5, 0.625, 0.75)[:count])
        g.EndTransformFeedback()
        for target, query in zip(targets, queries):
            g.EndQueryIndexed(target, 0)
            g.GetQueryObjectui64v(query, gl.GL_QUERY_RESULT, ctypes.addressof(out))
            assert out.value == lost
        g.BeginConditionalRender(queries[0], gl.GL_QUERY_WAIT)
        assert not g.error() and g.st.n.query.skip == 1 - lost
        g.EndConditionalRender()
    found = [np.zeros(10, np.float32) for _ in g.buffers]
    for buffer, room in zip(g.buffers, found):
        g.BindBuffer(gl.GL_COPY_READ_BUFFER, buffer)
        g.GetBufferSubData(gl.GL_COPY_READ_BUFFER, 0, room.nbytes, room.ctypes.data)
    assert found[0].tolist() == [7, 0.5, 0.5, 0, 1, 7, 0.625, 0.5, 0, 1]
    assert found[1].tolist() == [1, 0.5, 0.25, 1] * 2 + [7, 7]


FOUR = """varying vec4 a, b, c, d;
void main() { a = gl_Vertex + 1.0; b = gl_Vertex + 2.0; c = gl_Vertex + 3.0; d = gl_Vertex + 4.0;
    gl_Position = gl_Vertex; }"""


@pytest.mark.parametrize("order", ["ab", "ba", "abcd", "abdc", "a_bc", "abc", "dcba"])
def test_vectors_side_by_side(g: Objects, order: str) -> None:
    """Captures that lie side by side in a vertex and in the buffer are written together; others
    are not, and what is skipped (_) stays."""
    names = tuple("gl_SkipComponents1" if name == "_" else name for name in order)
    g.linked((VERTEX, FOUR), (FRAGMENT, COLOR), captures=names)
    stride = sum(1 if name == "_" else 4 for name in order)
    found = np.full((3, stride), -1.0, np.float32)
    g.BindBuffer(BUFFER, g.buffers[0])
    g.BufferData(BUFFER, found.nbytes, found.ctypes.data, gl.GL_DYNAMIC_READ)
    g.BindBufferBase(BUFFER, 0, g.buffers[0])
    g.BeginTransformFeedback(gl.GL_POINTS)
    g.points(0.25, 0.5, 0.75)
    g.EndTransformFeedback()
    assert not g.error()
    g.BindBuffer(gl.GL_COPY_READ_BUFFER, g.buffers[0])
    g.GetBufferSubData(gl.GL_COPY_READ_BUFFER, 0, found.nbytes, found.ctypes.data)
    wanted: list[list[float]] = []
    for x in (0.25, 0.5, 0.75):
        wanted.append([])
        for name in order:
            step = "abcd".find(name) + 1
            wanted[-1] += [x + step, 0.5 + step, step, 1.0 + step] if step else [-1.0]
    assert found.tolist() == wanted


def test_what_is_active_stays(g: Objects) -> None:
    """It is not deleted, nor is its program linked anew, bound or not."""
    first, second = g.objects
    given = (ctypes.c_uint32 * 1)(first)
    g.BindTransformFeedback(FEEDBACK, first)
    g.BeginTransformFeedback(gl.GL_POINTS)
    g.PauseTransformFeedback()
    for bound in (first, second):
        g.BindTransformFeedback(FEEDBACK, bound)
        g.DeleteTransformFeedbacks(1, ctypes.addressof(given))
        assert g.error() == gl.GL_INVALID_OPERATION
        with pytest.raises(Exception, match="active"):
            g.python("LinkProgram", g.program)
        g.BindBufferBase(BUFFER, 0, g.buffers[1])
        assert g.error() == (gl.GL_INVALID_OPERATION if bound == first else 0)
    g.BindTransformFeedback(FEEDBACK, first)
    g.EndTransformFeedback()
    g.python("LinkProgram", g.program)
    g.DeleteTransformFeedbacks(1, ctypes.addressof(given))
    assert not g.error() and not g.call("IsTransformFeedback", first)
    assert g.st.n.transform.current is None or not bool(g.st.n.transform.current)
    assert g.call("IsTransformFeedback", second)


def test_what_was_captured_is_drawn(g: Objects) -> None:
    """As many vertices as the object has, by all instances."""
    g.BindTransformFeedback(FEEDBACK, g.objects[0])
    g.DrawTransformFeedback(gl.GL_TRIANGLES, g.objects[0])
    assert g.error() == gl.GL_INVALID_OPERATION  # it never came to an end
    g.DrawTransformFeedback(gl.GL_TRIANGLES, 12345)
    assert g.error() == gl.GL_INVALID_VALUE
    g.Enable(gl.GL_RASTERIZER_DISCARD)
    g.BeginTransformFeedback(gl.GL_TRIANGLES)
    g.vertices(gl.GL_TRIANGLES, [(-1, -1, 0, 1), (3, -1, 0, 1), (-1, 3, 0, 1)])
    g.EndTransformFeedback()
    g.Disable(gl.GL_RASTERIZER_DISCARD)
    g.BindTransformFeedback(FEEDBACK, 0)
    g.BindBuffer(gl.GL_ARRAY_BUFFER, g.buffers[0])
    g.VertexPointer(4, gl.GL_FLOAT, 0, 0)
    g.EnableClientState(gl.GL_VERTEX_ARRAY)
    for draw, more in ((g.DrawTransformFeedback, ()), (g.DrawTransformFeedbackInstanced, (2,))):
        g.Clear(BOTH)
        draw(gl.GL_TRIANGLES, g.objects[0], *more)
        assert not g.error()
        assert (g.pixels()[..., :3] == 255).sum() == WIDTH * HEIGHT * 3


def test_by_name(g: Objects) -> None:
    """ARB_direct_state_access: of what is bound, of another object, and of the default one."""
    bound, other = g.objects[1], g.objects[0]

    def told(name: int, pname: int) -> int:
        out = ctypes.c_int64(-7)
        wide = pname != gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING
        g.python(f"GetTransformFeedback{'i64' if wide else 'i'}_v", name, pname, 2,
                 ctypes.addressof(out))  # fmt: skip
        return out.value if wide else out.value & 0xFFFFFFFF

    for name in (bound, other, 0):
        g.TransformFeedbackBufferRange(name, 2, g.buffers[1], 8, 64)
        assert not g.error()
        assert told(name, gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING) == g.buffers[1]
        assert told(name, gl.GL_TRANSFORM_FEEDBACK_BUFFER_START) == 8
        assert told(name, gl.GL_TRANSFORM_FEEDBACK_BUFFER_SIZE) == 64
    g.BindTransformFeedback(FEEDBACK, other)
    assert told(bound, gl.GL_TRANSFORM_FEEDBACK_BUFFER_START) == 8
    g.TransformFeedbackBufferBase(bound, 2, 0)
    assert told(bound, gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING) == 0
    for args, error in (
        ((12345, 0, g.buffers[0], 0, 4), gl.GL_INVALID_OPERATION),
        ((0, 0, 12345, 0, 4), gl.GL_INVALID_VALUE),
        ((0, 4, g.buffers[0], 0, 4), gl.GL_INVALID_VALUE),
        ((0, 0, g.buffers[0], 2, 4), gl.GL_INVALID_VALUE),
        ((0, 0, g.buffers[0], 0, 0), gl.GL_INVALID_VALUE),
    ):
        g.TransformFeedbackBufferRange(*args)
        assert g.error() == error, args
    g.BeginTransformFeedback(gl.GL_POINTS)
    state = ctypes.c_int32(-7)
    for pname, want in ((gl.GL_TRANSFORM_FEEDBACK_ACTIVE, 1), (gl.GL_TRANSFORM_FEEDBACK_PAUSED, 0)):
        g.python("GetTransformFeedbackiv", other, pname, ctypes.addressof(state))
        assert state.value == want
    g.TransformFeedbackBufferBase(other, 0, 0)
    assert g.error() == gl.GL_INVALID_OPERATION
    g.EndTransformFeedback()
