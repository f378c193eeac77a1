# SPDX-License-Identifier: MIT
"""Transform feedback: what is an error, and what queries are told (EXT_transform_feedback)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from tests.unit.main.test_state import unchanged


def program(gl: Any) -> int:
    return int(gl.glCreateProgram())


def text(*names: bytes) -> Any:
    return (ctypes.c_char_p * len(names))(*names)


def test_nothing_to_begin_with(gl: Any) -> None:
    """Without a program, and without a beginning."""
    for name, args in (
        ("glBeginTransformFeedback", (e.GL_TRIANGLES,)),
        ("glBeginTransformFeedback", (77,)),
        ("glEndTransformFeedback", ()),
    ):
        unchanged(gl, e.GL_INVALID_OPERATION, name, *args)


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ((e.GL_UNIFORM_BUFFER, 0, 0, 0), e.GL_INVALID_ENUM),
        ((e.GL_TRANSFORM_FEEDBACK_BUFFER, 99, 0, 0), e.GL_INVALID_VALUE),
        ((e.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0, 2), e.GL_INVALID_VALUE),
        ((e.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0, -4), e.GL_INVALID_VALUE),
        ((e.GL_TRANSFORM_FEEDBACK_BUFFER, 0, 12345, 0), e.GL_INVALID_OPERATION),
    ],
)
def test_offsets(gl: Any, args: tuple[int, ...], error: int) -> None:
    unchanged(gl, error, "glBindBufferOffsetEXT", *args)


def test_names(gl: Any) -> None:
    """They count at the next link; queries tell what was asked for."""
    made, out = program(gl), np.zeros(1, np.int32)
    names = text(b"gl_Position", b"tint")
    for args, error in (
        ((made, 1, names, e.GL_POINTS), e.GL_INVALID_ENUM),
        ((made, -1, names, e.GL_INTERLEAVED_ATTRIBS), e.GL_INVALID_VALUE),
        ((made, 5, names, e.GL_SEPARATE_ATTRIBS), e.GL_INVALID_VALUE),
        ((999, 1, names, e.GL_SEPARATE_ATTRIBS), e.GL_INVALID_VALUE),
        ((made, 2, names, e.GL_SEPARATE_ATTRIBS), e.GL_NO_ERROR),
    ):
        gl.glTransformFeedbackVaryings(*args[:2], ctypes.addressof(args[2]), args[3])
        assert gl.error() == error
    for pname, value in (
        (e.GL_TRANSFORM_FEEDBACK_BUFFER_MODE, e.GL_SEPARATE_ATTRIBS),
        (e.GL_TRANSFORM_FEEDBACK_VARYINGS, 2),
        (e.GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH, 12),
    ):
        gl.glGetProgramiv(made, pname, out)
        assert out[0] == value
    gl.glGetTransformFeedbackVarying(made, 0, 0, 0, 0, 0, 0)
    assert gl.error() == e.GL_INVALID_VALUE  # it was not linked


def test_special_names(gl: Any) -> None:
    """Only interleaved, and not more of them than there are buffers (ARB_transform_feedback3)."""
    made = program(gl)
    most = (b"gl_NextBuffer",) * 3
    for names, mode, error in (
        ((b"gl_NextBuffer",), e.GL_SEPARATE_ATTRIBS, e.GL_INVALID_OPERATION),
        ((b"a", b"gl_SkipComponents4"), e.GL_SEPARATE_ATTRIBS, e.GL_INVALID_OPERATION),
        ((b"a", b"gl_SkipComponents5"), e.GL_SEPARATE_ATTRIBS, e.GL_NO_ERROR),
        ((*most, b"gl_NextBuffer"), e.GL_INTERLEAVED_ATTRIBS, e.GL_INVALID_OPERATION),
        (most, e.GL_INTERLEAVED_ATTRIBS, e.GL_NO_ERROR),
    ):
        given = text(*names)
        gl.glTransformFeedbackVaryings(made, len(names), ctypes.addressof(given), mode)
        assert gl.error() == error, names


@pytest.mark.parametrize(("target", "streams"), [
    (e.GL_PRIMITIVES_GENERATED, 4), (e.GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW, 4),
    (e.GL_TRANSFORM_FEEDBACK_OVERFLOW, 1), (e.GL_SAMPLES_PASSED, 1), (e.GL_VERTICES_SUBMITTED, 1),
])  # fmt: skip
def test_indexed_queries(gl: Any, target: int, streams: int) -> None:
    """Of some targets each vertex stream has one (ARB_transform_feedback3), beside each other."""
    names, out = np.zeros(4, np.uint32), np.zeros(1, np.int32)
    gl.glGetIntegerv(e.GL_MAX_VERTEX_STREAMS, out)
    assert out[0] == 4
    gl.glGenQueries(4, names)
    unchanged(gl, e.GL_INVALID_VALUE, "glBeginQueryIndexed", target, streams, int(names[0]))
    unchanged(
        gl, e.GL_INVALID_VALUE, "glGetQueryIndexediv", target, streams, e.GL_CURRENT_QUERY, out
    )
    for n in range(streams):
        unchanged(gl, e.GL_INVALID_OPERATION, "glEndQueryIndexed", target, n)
        gl.glBeginQueryIndexed(target, n, int(names[n]))
        assert gl.error() == e.GL_NO_ERROR
        unchanged(gl, e.GL_INVALID_OPERATION, "glBeginQueryIndexed", target, n, int(names[3]))
    for n in range(streams):
        gl.glGetQueryIndexediv(target, n, e.GL_CURRENT_QUERY, out)
        assert out[0] == names[n]
    gl.glGetQueryiv(target, e.GL_CURRENT_QUERY, out)
    assert out[0] == names[0]
    unchanged(gl, e.GL_INVALID_VALUE, "glEndQueryIndexed", target, streams)
    gl.glDeleteQueries(1, names[-1:])  # the last stream's, if it is one
    for n in range(min(streams, 3)):
        gl.glEndQueryIndexed(target, n)
        gl.glGetQueryObjectiv(int(names[n]), e.GL_QUERY_RESULT, out)
        assert gl.error() == e.GL_NO_ERROR and out[0] == 0
    for n in range(streams):
        gl.glGetQueryIndexediv(target, n, e.GL_CURRENT_QUERY, out)
        assert out[0] == 0
    gl.glDeleteQueries(3, names)


def test_statistics_are_differences(gl: Any) -> None:
    """What the driver counts only grows; it does so while somebody asks, and no longer. Queries of
    other kinds are active beside each other."""
    names, out = np.zeros(2, np.uint32), np.zeros(1, np.uint32)
    gl.glGenQueries(2, names)
    counts, dyn = gl.n.query.counts, gl.n.dyn
    counts.vertices_submitted, counts.primitives_lost = 100, 50
    assert not dyn.statistics
    gl.glBeginQuery(e.GL_VERTICES_SUBMITTED, int(names[0]))
    gl.glBeginQuery(e.GL_TRANSFORM_FEEDBACK_OVERFLOW, int(names[1]))
    assert dyn.statistics == ctypes.addressof(counts)
    counts.vertices_submitted, counts.primitives_lost = 107, 53
    gl.glEndQuery(e.GL_VERTICES_SUBMITTED)
    assert dyn.statistics
    gl.glEndQuery(e.GL_TRANSFORM_FEEDBACK_OVERFLOW)
    assert not dyn.statistics
    counts.vertices_submitted = 1000
    for name, result in zip(names, (7, 1)):  # whether some were lost, not how many
        gl.glGetQueryObjectuiv(int(name), e.GL_QUERY_RESULT, out)
        assert out[0] == result
    gl.glBeginConditionalRender(int(names[0]), e.GL_QUERY_WAIT)
    assert gl.error() == e.GL_INVALID_OPERATION
    gl.glBeginConditionalRender(int(names[1]), e.GL_QUERY_WAIT)
    assert gl.error() == e.GL_NO_ERROR and not gl.n.query.skip
    gl.glEndConditionalRender()
    gl.glBeginQuery(e.GL_FRAGMENT_SHADER_INVOCATIONS, int(names[0]))
    assert gl.error() == e.GL_INVALID_OPERATION  # it is one of vertices
    gl.glDeleteQueries(2, names)


def test_no_targets(gl: Any) -> None:
    """No program has such stages."""
    for target in (e.GL_TESS_CONTROL_SHADER_PATCHES, e.GL_TESS_EVALUATION_SHADER_INVOCATIONS,
                   e.GL_COMPUTE_SHADER_INVOCATIONS):  # fmt: skip
        unchanged(gl, e.GL_INVALID_ENUM, "glBeginQuery", target, 1)


@pytest.mark.parametrize(
    ("target", "counter"),
    [
        (e.GL_PRIMITIVES_GENERATED, "primitives_generated"),
        (e.GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, "primitives_written"),
    ],
)
def test_queries(gl: Any, target: int, counter: str) -> None:
    """The driver counts while one is active."""
    names, out = np.zeros(2, np.uint32), np.zeros(1, np.uint32)
    gl.glGenQueries(2, names)
    gl.glBeginQuery(target, int(names[0]))
    place = getattr(gl.n.dyn, counter)
    assert place
    gl.glBeginQuery(target, int(names[1]))
    assert gl.error() == e.GL_INVALID_OPERATION
    ctypes.c_uint64.from_address(place).value += 7
    gl.glEndQuery(target)
    assert not getattr(gl.n.dyn, counter)
    gl.glGetQueryObjectuiv(int(names[0]), e.GL_QUERY_RESULT, out)
    assert gl.error() == e.GL_NO_ERROR and out[0] == 7
    gl.glDeleteQueries(2, names)
