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
