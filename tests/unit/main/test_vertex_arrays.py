# SPDX-License-Identifier: MIT
"""Vertex array objects: binding, names, deletion, stacks, formats and bindings, named forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import pydri.api.enums as e
from pydri.main.buffers.layout import BufferObject
from pydri.main.names.objects import live
from pydri.main.names.tables import BUFFERS
from pydri.nir.enums import VERT_ATTRIB_GENERIC0
from pydri.pipe.format import FORMATS
from pydri.util import stats
from tests.unit.main.test_buffers import counting, new
from tests.unit.main.test_state import unchanged


def vaos(gl: Any, count: int, call: str = "glGenVertexArrays") -> list[int]:
    names = np.zeros(count, np.uint32)
    getattr(gl, call)(count, names)
    return names.tolist()


def attrib(gl: Any, index: int, pname: int) -> int:
    out = np.zeros(1, np.int32)
    gl.glGetVertexAttribiv(index, pname, out)
    return int(out[0])


def test_objects_hold_arrays(gl: Any) -> None:
    a, b = vaos(gl, 2)
    assert not gl.glIsVertexArray(a) and not gl.glIsVertexArray(0)
    gl.glEnableClientState(e.GL_NORMAL_ARRAY)
    buffer = new(gl, e.GL_ARRAY_BUFFER, counting(64))
    gl.glBindVertexArray(a)
    assert gl.glIsVertexArray(a) and gl.ints(e.GL_VERTEX_ARRAY_BINDING, 1) == [a]
    assert not gl.glIsEnabled(e.GL_NORMAL_ARRAY)
    gl.glEnableClientState(e.GL_VERTEX_ARRAY)
    gl.glVertexPointer(2, e.GL_SHORT, 8, 16)
    index = new(gl, e.GL_ELEMENT_ARRAY_BUFFER, counting(8))
    gl.glBindVertexArray(b)
    assert gl.ints(e.GL_ELEMENT_ARRAY_BUFFER_BINDING, 1) == [0]
    assert gl.ints(e.GL_VERTEX_ARRAY_SIZE, 1) == [4]
    before = stats.ARRAY[stats.INDEX["python_entries"]]
    for name in (0, a, b, a):
        gl.glBindVertexArray(name)
    assert stats.ARRAY[stats.INDEX["python_entries"]] == before
    assert gl.ints(e.GL_VERTEX_ARRAY_SIZE, 1) == [2]
    assert gl.ints(e.GL_VERTEX_ARRAY_STRIDE, 1) == [8]
    assert gl.ints(e.GL_VERTEX_ARRAY_BUFFER_BINDING, 1) == [buffer]
    assert gl.ints(e.GL_ELEMENT_ARRAY_BUFFER_BINDING, 1) == [index]
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, 0)
    unchanged(gl, e.GL_INVALID_OPERATION, "glVertexPointer", 2, e.GL_SHORT, 8, 16)  # no buffer
    gl.glVertexPointer(2, e.GL_SHORT, 8, 0)
    assert gl.error() == 0
    gl.glDeleteVertexArrays(2, np.array([a, 0], np.uint32))
    assert gl.ints(e.GL_VERTEX_ARRAY_BINDING, 1) == [0] and gl.glIsEnabled(e.GL_NORMAL_ARRAY)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBindVertexArray", a)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBindVertexArray", 1000)
    unchanged(gl, e.GL_INVALID_VALUE, "glGenVertexArrays", -1, np.zeros(1, np.uint32))
    assert vaos(gl, 200)[-1] and gl.error() == 0


def test_deleted_buffers_live_in_objects_that_are_not_bound(gl: Any) -> None:
    (a,) = vaos(gl, 1)
    gl.glBindVertexArray(a)
    name = new(gl, e.GL_ARRAY_BUFFER, counting(64))
    gl.glVertexPointer(2, e.GL_SHORT, 0, 0)
    gl.glBindVertexArray(0)
    gl.glDeleteBuffers(1, np.array([name], np.uint32))
    gl.glBindVertexArray(a)
    assert BufferObject.view(gl.ctx.vao.buffers[0].buffer).size == 64
    gl.glVertexPointer(2, e.GL_SHORT, 0, 0)
    assert live(gl.ctx, BUFFERS) == 0


def test_client_stack(gl: Any) -> None:
    a, b = vaos(gl, 2)
    gl.glBindVertexArray(a)
    name = new(gl, e.GL_ARRAY_BUFFER, counting(64))
    gl.glVertexPointer(3, e.GL_FLOAT, 0, 4)
    gl.glPushClientAttrib(e.GL_CLIENT_VERTEX_ARRAY_BIT)
    gl.glVertexPointer(2, e.GL_SHORT, 0, 8)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, 0)
    gl.glBindVertexArray(b)
    gl.glPopClientAttrib()
    assert gl.ints(e.GL_VERTEX_ARRAY_BINDING, 1) == [a]
    assert gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [name]
    assert gl.ints(e.GL_VERTEX_ARRAY_SIZE, 1) == [3]
    gl.glPushClientAttrib(e.GL_CLIENT_VERTEX_ARRAY_BIT)
    gl.glBindVertexArray(b)
    gl.glDeleteVertexArrays(1, np.array([a], np.uint32))
    gl.glDeleteBuffers(1, np.array([name], np.uint32))
    gl.glPopClientAttrib()  # neither comes back
    assert gl.ints(e.GL_VERTEX_ARRAY_BINDING, 1) == [b]
    assert gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [0] and gl.error() == 0


def test_formats_and_bindings(gl: Any) -> None:
    name = new(gl, e.GL_ARRAY_BUFFER, counting(64))
    gl.glVertexAttribFormat(2, 3, e.GL_HALF_FLOAT, 0, 6)
    gl.glVertexAttribBinding(2, 5)
    gl.glBindVertexBuffer(5, name, 16, 20)
    gl.glVertexBindingDivisor(5, 3)
    array = gl.ctx.vao.attribs[15 + 2]
    assert FORMATS[array.format].name == "R16G16B16_FLOAT" and array.bytes == 6
    assert attrib(gl, 2, e.GL_VERTEX_ATTRIB_BINDING) == 5
    assert attrib(gl, 2, e.GL_VERTEX_ATTRIB_RELATIVE_OFFSET) == 6
    assert attrib(gl, 2, e.GL_VERTEX_ATTRIB_ARRAY_DIVISOR) == 3
    assert attrib(gl, 2, e.GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING) == name
    gl.glVertexAttribDivisor(2, 1)  # binds attribute 2 to binding 2 again
    assert attrib(gl, 2, e.GL_VERTEX_ATTRIB_BINDING) == 2
    gl.glVertexAttribIPointer(3, 4, e.GL_UNSIGNED_SHORT, 0, 8)
    assert FORMATS[gl.ctx.vao.attribs[18].format].name == "R16G16B16A16_UINT"
    assert attrib(gl, 3, e.GL_VERTEX_ATTRIB_ARRAY_INTEGER) == 1
    for error, call, args in (
        (e.GL_INVALID_VALUE, "glVertexAttribFormat", (16, 3, e.GL_FLOAT, 0, 0)),
        (e.GL_INVALID_VALUE, "glVertexAttribFormat", (1, 3, e.GL_FLOAT, 0, 5000)),
        (e.GL_INVALID_ENUM, "glVertexAttribFormat", (1, 3, 77, 0, 0)),
        (e.GL_INVALID_ENUM, "glVertexAttribIFormat", (1, 3, e.GL_FLOAT, 0)),
        (e.GL_INVALID_VALUE, "glVertexAttribBinding", (1, 16)),
        (e.GL_INVALID_VALUE, "glBindVertexBuffer", (16, name, 0, 4)),
        (e.GL_INVALID_VALUE, "glBindVertexBuffer", (1, name, -1, 4)),
        (e.GL_INVALID_VALUE, "glBindVertexBuffer", (1, name, 0, -4)),
        (e.GL_INVALID_VALUE, "glVertexBindingDivisor", (16, 1)),
        (e.GL_INVALID_OPERATION, "glVertexAttribPointer", (1, 3, 0x8D9F, 0, 0, 0)),
        (e.GL_INVALID_OPERATION, "glVertexAttribPointer", (1, 4, 0x8C3B, 0, 0, 0)),
        (e.GL_INVALID_OPERATION, "glVertexAttribPointer", (1, e.GL_BGRA, e.GL_FLOAT, 1, 0, 0)),
        (e.GL_INVALID_OPERATION, "glVertexAttribPointer", (1, e.GL_BGRA, 0x1401, 0, 0, 0)),
    ):
        unchanged(gl, error, call, *args)


def test_named_forms(gl: Any) -> None:
    (a,) = vaos(gl, 1, "glCreateVertexArrays")
    name = new(gl, e.GL_ARRAY_BUFFER, counting(64))
    gl.glVertexArrayVertexBuffer(a, 4, name, 8, 12)
    gl.glVertexArrayAttribFormat(a, 1, 2, e.GL_SHORT, 1, 4)
    gl.glVertexArrayAttribBinding(a, 1, 4)
    gl.glEnableVertexArrayAttrib(a, 1)
    gl.glVertexArrayElementBuffer(a, name)
    assert not attrib(gl, 1, e.GL_VERTEX_ATTRIB_ARRAY_ENABLED)
    out = np.zeros(1, np.int32)
    gl.glGetVertexArrayiv(a, e.GL_ELEMENT_ARRAY_BUFFER_BINDING, out)
    assert out[0] == name
    gl.glBindVertexArray(a)
    assert attrib(gl, 1, e.GL_VERTEX_ATTRIB_ARRAY_ENABLED)
    assert attrib(gl, 1, e.GL_VERTEX_ATTRIB_ARRAY_NORMALIZED)
    wide = np.zeros(1, np.int64)
    gl.glGetVertexArrayIndexed64iv(a, 4, e.GL_VERTEX_BINDING_OFFSET, wide)
    assert wide[0] == 8 and gl.error() == 0
    unchanged(gl, e.GL_INVALID_OPERATION, "glEnableVertexArrayAttrib", 99, 1)


def test_an_offset_of_64_bits(gl: Any) -> None:
    """What 32 bits cannot hold is the greatest number that they can (GL 4.6, 2.2.2)."""
    gl.glBindVertexBuffer(3, new(gl, e.GL_ARRAY_BUFFER, counting(64)), (5 << 32) + 4, 8)
    narrow, wide, single = np.zeros(1, np.int32), np.zeros(1, np.int64), np.zeros(1, np.float32)
    gl.glGetIntegeri_v(e.GL_VERTEX_BINDING_OFFSET, 3, narrow)
    gl.glGetInteger64i_v(e.GL_VERTEX_BINDING_OFFSET, 3, wide)
    gl.glGetFloati_v(e.GL_VERTEX_BINDING_OFFSET, 3, single)
    assert (narrow[0], wide[0], single[0]) == (2**31 - 1, (5 << 32) + 4, 5 * 2.0**32)
    assert gl.error() == 0


def test_current_values_as_integers(gl: Any) -> None:
    """What no integer is, is told all the same (found by random calls)."""
    gl.n.val.current[VERT_ATTRIB_GENERIC0 + 1][:] = (math.nan, math.inf, -math.inf, -2.75)
    out = np.zeros(4, np.int32)
    gl.glGetVertexAttribiv(1, e.GL_CURRENT_VERTEX_ATTRIB, out)
    assert out.tolist() == [0, 2**31 - 1, -(2**31), -2]
