# SPDX-License-Identifier: MIT
"""Numbered binding points of buffers: bound, asked for, undone; where a context has none."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import COMPAT
from pydri.api.where import In
from pydri.main.buffers.layout import BuffersBlock
from pydri.main.buffers.tables import INDEXED, Indexed
from pydri.main.context import GLContext
from pydri.main.get.layout import Limits
from pydri.main.names.objects import live
from pydri.main.names.tables import BUFFERS
from pydri.main.version import GLVersion
from pydri.util.options import options
from tests.unit.main.conftest import VISUAL, Caller
from tests.unit.main.test_state import unchanged

ROWS = pytest.mark.parametrize("row", INDEXED, ids=lambda row: row.name)


@pytest.fixture
def gl() -> Iterator[Caller]:
    """Of a version that has all of these targets."""
    ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 4, 3))
    yield Caller(ctx)
    ctx.destroy()


def made(gl: Any, count: int) -> list[int]:
    names = np.zeros(count, np.uint32)
    gl.glCreateBuffers(count, names)
    for name in names:
        gl.glNamedBufferData(int(name), 256, 0, e.GL_STATIC_DRAW)
    return names.tolist()


def of_point(gl: Any, row: Indexed, index: int) -> list[int]:
    """What glGetInteger64i_v tells of a point: its buffer, where it starts, its size."""
    out = np.full(3, -1, np.int64)
    for n, pname in enumerate((row.binding, row.start, row.size)):
        gl.glGetInteger64i_v(pname, index, out[n:])
        narrow = np.full(1, -1, np.int32)
        gl.glGetIntegeri_v(pname, index, narrow)
        assert narrow[0] == min(out[n], 0x7FFFFFFF)
    return out.tolist()


def points(gl: Any, row: Indexed) -> int:
    return int(getattr(gl.n.limits, row.limit))


def test_rows_fit_the_structs() -> None:
    fields, limits = BuffersBlock.ctype()(), Limits.ctype()()
    for row in INDEXED:
        assert len(getattr(fields, f"{row.name}_points")) == row.most
        assert hasattr(limits, row.limit)
        assert isinstance(row.alignment, int) or hasattr(limits, row.alignment)
    assert len(fields.used) == len(INDEXED)


@ROWS
def test_ranges(gl: Any, row: Indexed) -> None:
    a, b = made(gl, 2)
    last = points(gl, row) - 1
    assert of_point(gl, row, last) == [0, 0, 0] == [*gl.ints(row.binding, 1), 0, 0]
    gl.glBindBufferRange(row.enum, last, a, 64, 32)
    gl.glBindBufferBase(row.enum, 1, b)
    assert gl.ints(row.binding, 1) == [b]  # the target itself is bound, too
    assert [of_point(gl, row, n) for n in (last, 1, 0)] == [[a, 64, 32], [b, 0, 0], [0, 0, 0]]
    serial = gl.n.buffers.serial
    gl.glBindBufferBase(row.enum, 1, b)
    assert gl.n.buffers.serial == serial  # nothing was changed
    gl.glBindBufferRange(row.enum, 1, b, 0, 4)
    gl.glBindBufferRange(row.enum, last, a, 1 << 40, 1 << 40)  # beyond its end: a draw's business
    assert gl.n.buffers.serial == serial + 2
    assert of_point(gl, row, last) == [a, 1 << 40, 1 << 40]
    gl.glBindBufferRange(row.enum, last, 0, 3, -7)  # neither number counts
    assert of_point(gl, row, last) == [0, 0, 0] and gl.ints(row.binding, 1) == [0]
    assert of_point(gl, row, 1) == [b, 0, 4] and gl.error() == 0


@ROWS
def test_errors(gl: Any, row: Indexed) -> None:
    (a,) = made(gl, 1)
    beyond = points(gl, row)
    gl.glBindBufferRange(row.enum, 0, a, 16, 16)
    for index, offset, size in ((beyond, 0, 4), (0xFFFFFFFF, 0, 4), (0, -16, 4), (0, 0, 0),
                                (0, 0, -4), (0, 3, 4)):  # fmt: skip
        unchanged(gl, e.GL_INVALID_VALUE, "glBindBufferRange", row.enum, index, a, offset, size)
    unchanged(gl, e.GL_INVALID_VALUE, "glBindBufferBase", row.enum, beyond, a)
    unchanged(gl, e.GL_INVALID_VALUE, "glBindBufferBase", row.enum, beyond, 0)
    unchanged(gl, e.GL_INVALID_ENUM, "glBindBufferBase", e.GL_ARRAY_BUFFER, 0, a)
    gl.glBindBufferRange(row.enum, 0, a, 16, 5)
    assert gl.error() == (e.GL_INVALID_VALUE if row.whole else 0)
    out = np.zeros(1, np.int32)
    for pname in (row.binding, row.start, row.size):
        gl.glGetIntegeri_v(pname, beyond, out)
        assert gl.error() == e.GL_INVALID_VALUE
    # a name that a program invents gets its object before the rest is looked at (Mesa)
    gl.glBindBufferBase(row.enum, beyond, 77)
    assert gl.error() == e.GL_INVALID_VALUE and gl.glIsBuffer(77)
    gl.glDeleteBuffers(1, np.array([77], np.uint32))
    assert live(gl.ctx, BUFFERS) == 1  # and nobody has it


@ROWS
def test_several(gl: Any, row: Indexed) -> None:
    names = made(gl, 3)
    given = np.array(names, np.uint32)
    gl.glBindBuffersBase(row.enum, 1, 3, given)
    assert [of_point(gl, row, n)[0] for n in range(4)] == [0, *names]
    assert gl.ints(row.binding, 1) == [0]  # the target itself stays
    starts, sizes = np.array([16, 32, 48], np.int64), np.array([4, 0, 12], np.int64)
    gl.glBindBuffersRange(row.enum, 0, 3, given, starts, sizes)
    assert gl.error() == e.GL_INVALID_VALUE  # of one of them
    assert [of_point(gl, row, n) for n in range(3)] == [
        [names[0], 16, 4], [names[0], 0, 0], [names[2], 48, 12],
    ]  # fmt: skip
    gl.glBindBuffersBase(row.enum, 0, 3, np.array([0, 999, names[0]], np.uint32))
    assert gl.error() == e.GL_INVALID_OPERATION and not gl.glIsBuffer(999)
    assert [of_point(gl, row, n)[0] for n in range(3)] == [0, names[0], names[0]]
    for first, count, error in ((0, -1, e.GL_INVALID_VALUE),
                                (points(gl, row) - 2, 3, e.GL_INVALID_OPERATION),
                                (0xFFFFFFFF, 2, e.GL_INVALID_OPERATION)):  # fmt: skip
        unchanged(gl, error, "glBindBuffersBase", row.enum, first, count, given)
        unchanged(gl, error, "glBindBuffersRange", row.enum, first, count, given, starts, sizes)
    unchanged(gl, e.GL_INVALID_ENUM, "glBindBuffersBase", e.GL_ARRAY_BUFFER, 0, 1, given)
    gl.glBindBuffersRange(row.enum, 0, 4, 0, 0, 0)
    assert not any(of_point(gl, row, n)[0] for n in range(4)) and gl.error() == 0


@ROWS
def test_deleted_buffers(gl: Any, row: Indexed) -> None:
    a, b = made(gl, 2)
    other = GLContext(VISUAL, share=gl.ctx, version=gl.ctx.version)
    two: Any = Caller(other)
    for caller in (gl, two):
        caller.glBindBufferRange(row.enum, 2, a, 16, 16)
        caller.glBindBufferBase(row.enum, 3, b)
        caller.glBindBufferBase(row.enum, 0, a)
    serial = gl.n.buffers.serial
    gl.glDeleteBuffers(1, np.array([a], np.uint32))
    assert gl.n.buffers.serial == serial + 2 and gl.ints(row.binding, 1) == [0]
    assert [of_point(gl, row, n) for n in (0, 2, 3)] == [[0, 0, 0], [0, 0, 0], [b, 0, 0]]
    # bindings of other contexts stay, and keep it (GL 4.6, 5.1.2)
    assert [of_point(two, row, n) for n in (0, 2)] == [[a, 0, 0], [a, 16, 16]]
    assert live(gl.ctx, BUFFERS) == 2 and not gl.glIsBuffer(a)
    other.destroy()
    assert live(gl.ctx, BUFFERS) == 1
    gl.glPushClientAttrib(e.GL_CLIENT_ALL_ATTRIB_BITS)
    gl.glBindBufferBase(row.enum, 3, 0)
    gl.glPopClientAttrib()  # points are no attributes
    assert of_point(gl, row, 3) == [0, 0, 0] and gl.error() == 0


def test_a_context_goes_with_its_points() -> None:
    ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 4, 3))
    keeper = GLContext(VISUAL, share=ctx)
    gl: Any = Caller(ctx)
    (a,) = made(gl, 1)
    for row in INDEXED:
        gl.glBindBufferBase(row.enum, row.most - 1, a)
    gl.glDeleteBuffers(1, np.array([a], np.uint32))
    (b,) = made(Caller(keeper), 1)
    for row in INDEXED:
        gl.glBindBufferBase(row.enum, row.most - 1, b)
    Caller(keeper).glDeleteBuffers(1, np.array([b], np.uint32))
    assert live(keeper, BUFFERS) == 1
    ctx.destroy()
    assert live(keeper, BUFFERS) == 0
    keeper.destroy()


@ROWS
def test_a_context_without(row: Indexed) -> None:
    """Of an older version, with none of the extensions that bring the target."""
    with options(
        MESA_EXTENSION_OVERRIDE="-GL_ARB_uniform_buffer_object -GL_EXT_transform_feedback"
    ):
        ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 2, 1))
        gl = Caller(ctx)
        ctx.has(In(0, 0))  # which extensions there are is looked up once
    (a,) = made(gl, 1)
    calls: tuple[tuple[Any, ...], ...] = (
        ("glBindBuffer", row.enum, a), ("glBindBufferBase", row.enum, 0, a),
        ("glBindBufferRange", row.enum, 0, a, 0, 4),
        ("glBufferData", row.enum, 4, 0, e.GL_STATIC_DRAW),
        ("glClearBufferData", row.enum, e.GL_R8, e.GL_RED, e.GL_UNSIGNED_BYTE, 0),
        ("glBindBuffersBase", row.enum, 0, 1, np.array([a], np.uint32)),
        ("glGetIntegerv", row.binding, np.zeros(1, np.int32)),
        *(("glGetIntegeri_v", p, 0, np.zeros(1, np.int32))
          for p in (row.binding, row.start, row.size)),
    )  # fmt: skip
    for name, *arguments in calls:
        unchanged(gl, e.GL_INVALID_ENUM, name, *arguments)
    ctx.destroy()


def test_pending_vertices_see_the_old_points(gl: Any) -> None:
    (a,) = made(gl, 1)
    flushed = []
    hook = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(
        lambda _: flushed.append(int(gl.n.buffers.uniform_points[0].buffer or 0))
    )
    before = gl.n.flush_vertices
    gl.n.flush_vertices = ctypes.cast(hook, ctypes.c_void_p).value
    gl.n.vbo.count = 3
    gl.glBindBufferBase(e.GL_UNIFORM_BUFFER, 0, a)
    assert flushed == [0]
    gl.glBindBufferBase(e.GL_UNIFORM_BUFFER, 0, a)
    assert flushed == [0]
    gl.glDeleteBuffers(1, np.array([a], np.uint32))
    assert len(flushed) == 2 and flushed[1] != 0
    gl.n.vbo.count = 0
    gl.n.flush_vertices = before

