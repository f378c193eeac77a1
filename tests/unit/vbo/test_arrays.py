# SPDX-License-Identifier: MIT
"""Array draws against glArrayElement and against plain vertices; bounds, buffers, errors."""

from __future__ import annotations

import ctypes
import random
import struct
from typing import Any

import pytest

from pydri.api import enums as e
from pydri.main.buffers.layout import BufferObject
from pydri.main.transform import kernels as transform
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import FORMATS, number
from tests.unit.vbo.harness import GL, assemble

BGRA = number("VB8G8R8A8_UNORM")

INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION = 0x0500, 0x0501, 0x0502
COUNT = 24


def set_array(
    gl: GL,
    slot: int,
    data: ctypes.Array[Any] | int,
    size: int,
    type_: int,
    format_: str,
    stride: int,
    normalized: bool = False,
    buffer: Any = None,
) -> None:
    """As the gl*Pointer calls do (their own tests are pydri/main's)."""
    vao = gl.ctx.vao
    a = vao.attribs[slot]
    if isinstance(data, int):
        a.pointer = data
    else:
        gl.keep.append(data)
        a.pointer = ctypes.addressof(data)
    binding = vao.buffers[slot]
    binding.buffer = 0
    if buffer is not None:
        bind(gl, binding, "buffer", buffer)
    binding.offset, binding.stride = a.pointer, stride
    a.given_stride, a.bytes = stride, FORMATS[number(format_)].bytes
    a.size, a.type, a.format, a.normalized, a.enabled = size, type_, number(format_), normalized, 1
    vao.enabled |= 1 << slot
    vao.stale = 1


def new_buffer(gl: GL) -> Any:
    """Buffer 1, bound to GL_COPY_WRITE_BUFFER."""
    gl.ctx.kernel("glBindBuffer")(gl.ctx.address, e.GL_COPY_WRITE_BUFFER, 1)
    return BufferObject.view(gl.n.buffers.copy_write)


def bind(gl: GL, owner: Any, field: str, buffer: Any) -> None:
    """A field refers to a buffer."""
    buffer.own += 1
    setattr(owner, field, ctypes.addressof(buffer))


def new_data(gl: GL, buffer: Any, size: int, data: ctypes.Array[Any] | int) -> None:
    """What glBufferData does to an object."""
    address = data if isinstance(data, int) else ctypes.addressof(data)
    assert gl.ctx.kernel("buffer_store")(
        gl.ctx.address, ctypes.addressof(buffer), size, address
    )


def floats(values: list[float]) -> ctypes.Array[Any]:
    return (ctypes.c_float * len(values))(*values)


def some_arrays(gl: GL) -> list[tuple[float, float, float]]:
    rng = random.Random(3)
    positions = [(float(i), rng.randrange(8) / 4, 1.0) for i in range(COUNT)]
    set_array(
        gl,
        VERT_ATTRIB_POS,
        floats([x for p in positions for x in p]),
        3,
        e.GL_FLOAT,
        "R32G32B32_FLOAT",
        12,
    )
    colors = (ctypes.c_uint8 * (4 * COUNT))(*[rng.randrange(256) for _ in range(4 * COUNT)])
    set_array(gl, VERT_ATTRIB_COLOR0, colors, 4, e.GL_UNSIGNED_BYTE, "R8G8B8A8_UNORM", 4, True)
    normals = (ctypes.c_int16 * (4 * COUNT))(
        *[rng.randrange(-32768, 32768) for _ in range(4 * COUNT)]
    )
    set_array(gl, VERT_ATTRIB_NORMAL, normals, 3, e.GL_SHORT, "R16G16B16_SNORM", 8, True)
    coords = (ctypes.c_double * (2 * COUNT))(*[i / 8 for i in range(2 * COUNT)])
    set_array(gl, VERT_ATTRIB_TEX0 + 1, coords, 2, e.GL_DOUBLE, "R64G64_FLOAT", 16)
    return positions


def primitives(gl: GL) -> Any:
    """Rounded, because a driver and glArrayElement may divide in another width."""
    return [
        tuple(
            tuple(tuple(round(c, 5) for c in slot) for slot in v) if isinstance(v, tuple) else v
            for v in prim
        )
        for prim in assemble(gl.take())
    ]


@pytest.mark.parametrize("mode", range(10))
def test_four_ways_to_say_it(gl: GL, mode: int) -> None:
    some_arrays(gl)
    indices = [random.Random(mode).randrange(COUNT) for _ in range(17)]
    gl.DrawElements(mode, len(indices), e.GL_UNSIGNED_SHORT, struct_bytes("H", indices))
    want = primitives(gl)
    assert want
    gl.Begin(mode)
    for i in indices:
        gl.ArrayElement(i)
    gl.End()
    assert primitives(gl) == want
    # in a list, after which the arrays change
    gl.NewList(1, e.GL_COMPILE)
    gl.DrawElements(mode, len(indices), e.GL_UNSIGNED_INT, struct_bytes("I", indices))
    gl.EndList()
    assert not gl.draws
    ctypes.memset(gl.keep[0], 0, ctypes.sizeof(gl.keep[0]))
    gl.CallList(1)
    assert primitives(gl) == want


def struct_bytes(code: str, values: list[int]) -> Any:
    data = struct.pack(f"{len(values)}{code}", *values)
    return (ctypes.c_uint8 * len(data))(*data)


def test_draw_arrays(gl: GL) -> None:
    positions = some_arrays(gl)
    gl.Color3f(0.5, 0.5, 0.5)
    gl.DrawArrays(4, 3, 6)
    (draw,) = gl.take()
    assert [v[0][:3] for v in draw.vertices] == positions[3:9]
    assert draw.varying == {
        0,
        VERT_ATTRIB_NORMAL,
        VERT_ATTRIB_COLOR0,
        VERT_ATTRIB_TEX0 + 1,
        VERT_ATTRIB_GENERIC0,
    }
    for name, args in (
        ("DrawArrays", (0, 3, 6)),
        ("MultiDrawArrays", (0, [3, 0, 7], [4, 0, 2], 3)),
    ):
        gl.call("gl" + name, *args)
        whole = [v[0][0] for d in gl.take() for v in d.vertices]
        assert whole == ([3, 4, 5, 6, 7, 8] if name == "DrawArrays" else [3, 4, 5, 6, 7, 8])


def test_immediate_mode_and_arrays_take_turns(gl: GL) -> None:
    some_arrays(gl)
    for _ in range(3):
        gl.DrawArrays(0, 0, 2)
        gl.Begin(0)
        gl.Vertex2f(7, 7)
        gl.End()
    draws = gl.take()
    assert [len(d.vertices) for d in draws] == [2, 1, 2, 1, 2, 1]
    assert [len(d.varying) for d in draws] == [5, 2, 5, 2, 5, 2]


def test_indices(gl: GL) -> None:
    some_arrays(gl)
    for code, type_ in (
        ("B", e.GL_UNSIGNED_BYTE),
        ("H", e.GL_UNSIGNED_SHORT),
        ("I", e.GL_UNSIGNED_INT),
    ):
        gl.DrawElements(0, 3, type_, struct_bytes(code, [5, 1, 9]))
        gl.DrawElementsBaseVertex(0, 3, type_, struct_bytes(code, [5, 1, 9]), 2)
        gl.DrawRangeElements(0, 1, 9, 3, type_, struct_bytes(code, [5, 1, 9]))
        a, b = struct_bytes(code, [2, 3]), struct_bytes(code, [4])
        gl.MultiDrawElements(0, [2, 1], type_, [ctypes.addressof(a), ctypes.addressof(b)], 2)
        got = [[v[0][0] for v in d.vertices] for d in gl.take()]
        assert got == [[5, 1, 9], [7, 3, 11], [5, 1, 9], [2, 3], [4]]


def test_buffers_are_never_read_beyond_their_end(gl: GL) -> None:
    buffer = new_buffer(gl)
    data = floats([float(i) for i in range(20)])  # ten vertices of two floats
    new_data(gl, buffer, 80, data)
    set_array(gl, VERT_ATTRIB_POS, 8, 2, e.GL_FLOAT, "R32G32_FLOAT", 8, buffer=buffer)
    gl.DrawArrays(0, 7, 4)
    (draw,) = gl.take()
    assert [v[0][0] for v in draw.vertices] == [16, 18, 18, 18]
    gl.Begin(0)
    gl.ArrayElement(100)
    gl.End()
    assert gl.take()[0].vertices[0][0][0] == 18
    for offset in (76, 80, 1 << 40, (1 << 64) - 8):
        set_array(gl, VERT_ATTRIB_POS, offset, 2, e.GL_FLOAT, "R32G32_FLOAT", 8, buffer=buffer)
        gl.DrawArrays(0, 0, 4)
        assert gl.ctx.vao.bindings[0].count == 1 and gl.ctx.vao.bindings[0].stride == 0
        gl.take()
    buffer.mapped = 1
    gl.DrawArrays(0, 0, 1)
    assert gl.error() == INVALID_OPERATION and not gl.draws


def test_other_contexts_may_replace_storage(gl: GL) -> None:
    """Nobody marks our arrays then: the buffer's serial tells."""
    buffer = new_buffer(gl)
    for n in (8, 2, 3, 8):
        data = floats([float(n)] * 2 * n)
        new_data(gl, buffer, 8 * n, data)
        if n == 8:
            set_array(gl, VERT_ATTRIB_POS, 0, 2, e.GL_FLOAT, "R32G32_FLOAT", 8, buffer=buffer)
        gl.DrawArrays(0, 0, 4)
        assert gl.ctx.vao.bindings[0].base == buffer.data
        assert gl.ctx.vao.bindings[0].count == n
        assert [v[0][0] for v in gl.take()[0].vertices] == [n] * 4
        gl.Begin(0)
        gl.ArrayElement(1)
        gl.End()
        assert gl.take()[0].vertices[0][0][0] == n


def test_index_buffers(gl: GL) -> None:
    some_arrays(gl)
    rng = random.Random(5)
    for code, type_, size in (
        ("B", e.GL_UNSIGNED_BYTE, 1),
        ("H", e.GL_UNSIGNED_SHORT, 2),
        ("I", e.GL_UNSIGNED_INT, 4),
    ):
        for count in (1, 15, 16, 17, 50):
            indices = [rng.randrange(COUNT) for _ in range(count)]
            raw = struct_bytes(code, indices)
            buffer = new_buffer(gl)
            new_data(gl, buffer, len(raw), raw)
            bind(gl, gl.ctx.vao, "element_buffer", buffer)
            gl.DrawElements(0, 100, type_, 0)  # more than there are
            n = gl.n.arrays.info
            assert (n.bounds_known, n.count) == (0, count)
            assert [v[0][0] for v in gl.take()[0].vertices] == indices
            gl.DrawElements(0, 1, type_, (count - 1) * size)
            assert [v[0][0] for v in gl.take()[0].vertices] == indices[-1:]
            gl.DrawElements(0, 1, type_, len(raw))
            assert not gl.take()
    buffer.mapped = 1
    gl.DrawElements(0, 1, e.GL_UNSIGNED_BYTE, 0)
    assert gl.error() == INVALID_OPERATION


def test_an_offset_without_a_buffer_is_no_memory(gl: GL) -> None:
    some_arrays(gl)
    for offset in (0, 64, 4096):
        gl.DrawElements(0, 3, e.GL_UNSIGNED_INT, offset)
        assert not gl.take() and not gl.error()


def test_generic_zero_feeds_the_position(gl: GL) -> None:
    set_array(gl, VERT_ATTRIB_POS, floats([9.0] * 4), 2, e.GL_FLOAT, "R32G32_FLOAT", 8)
    gl.DrawArrays(0, 0, 2)
    assert [v[VERT_ATTRIB_GENERIC0][:2] for v in gl.take()[0].vertices] == [(9, 9), (9, 9)]
    set_array(gl, VERT_ATTRIB_GENERIC0, floats([1.0, 2, 3, 4]), 2, e.GL_FLOAT, "R32G32_FLOAT", 8)
    gl.DrawArrays(0, 0, 2)
    assert [v[0][:2] for v in gl.take()[0].vertices] == [(1, 2), (3, 4)]


def test_arrays_in_a_list_leave_what_is_current(gl: GL) -> None:
    some_arrays(gl)
    gl.NewList(1, e.GL_COMPILE)
    gl.Normal3f(0, 1, 0)
    gl.DrawArrays(0, 0, 3)
    gl.DrawElements(0, 3, e.GL_UNSIGNED_SHORT, struct_bytes("H", [4, 5, 1]))
    gl.Begin(0)
    gl.Vertex2f(7, 7)  # no normal of its own: not that of the last element
    gl.End()
    gl.EndList()
    gl.Normal3f(1, 0, 0)
    gl.Color3f(0.5, 0.5, 0.5)
    gl.CallList(1)
    vertices = [v for draw in gl.take() for v in draw.vertices]
    assert [v[0][0] for v in vertices] == [0, 1, 2, 4, 5, 1, 7]
    assert vertices[-1][VERT_ATTRIB_NORMAL][:3] == (0, 1, 0)
    assert vertices[-1][VERT_ATTRIB_COLOR0][:3] == (0.5, 0.5, 0.5)
    assert gl.current(VERT_ATTRIB_NORMAL)[:3] == (0, 1, 0)
    assert gl.current(VERT_ATTRIB_COLOR0)[:3] == (0.5, 0.5, 0.5)


def test_bgra_elements(gl: GL) -> None:
    set_array(gl, VERT_ATTRIB_POS, floats([0.0] * 8), 2, e.GL_FLOAT, "R32G32_FLOAT", 8)
    data = (ctypes.c_uint8 * 4)(0, 51, 255, 102)
    set_array(
        gl, VERT_ATTRIB_COLOR0, data, e.GL_BGRA, e.GL_UNSIGNED_BYTE, "VB8G8R8A8_UNORM", 4, True
    )
    assert gl.ctx.vao.attribs[VERT_ATTRIB_COLOR0].format == BGRA
    gl.ArrayElement(0)
    assert gl.current(VERT_ATTRIB_COLOR0) == pytest.approx((1.0, 0.2, 0.0, 0.4))


def test_nothing_without_positions(gl: GL) -> None:
    set_array(gl, VERT_ATTRIB_COLOR0, floats([0.0] * 12), 4, e.GL_FLOAT, "R32G32B32A32_FLOAT", 16)
    gl.DrawArrays(4, 0, 3)
    assert not gl.take() and gl.error() == 0


def test_errors(gl: GL) -> None:
    some_arrays(gl)
    nothing = struct_bytes("B", [0, 1, 2])
    for name, args, error in (
        ("DrawArrays", (14, 0, 3), INVALID_ENUM),
        ("DrawArrays", (4, -1, 3), INVALID_VALUE),
        ("DrawArrays", (4, 0, -1), INVALID_VALUE),
        ("DrawElements", (14, 3, e.GL_UNSIGNED_BYTE, nothing), INVALID_ENUM),
        ("DrawElements", (4, 3, e.GL_BYTE, nothing), INVALID_ENUM),
        ("DrawElements", (4, 3, e.GL_SHORT, nothing), INVALID_ENUM),
        ("DrawElements", (4, 3, e.GL_FLOAT, nothing), INVALID_ENUM),
        ("DrawElements", (4, -3, e.GL_UNSIGNED_BYTE, nothing), INVALID_VALUE),
        ("DrawRangeElements", (4, 3, 2, 3, e.GL_UNSIGNED_BYTE, nothing), INVALID_VALUE),
        ("MultiDrawArrays", (4, [0, 0], [3, -1], 2), INVALID_VALUE),
        ("MultiDrawArrays", (4, [0, 0], [3, 3], -2), INVALID_VALUE),
        ("MultiDrawArrays", (14, [0], [3], 0), INVALID_ENUM),
        ("MultiDrawElements", (14, [3], e.GL_UNSIGNED_BYTE, [0], 0), INVALID_ENUM),
        ("MultiDrawElements", (4, [3], e.GL_SHORT, [0], 0), INVALID_ENUM),
        ("ArrayElement", (-1,), INVALID_VALUE),
        ("DrawArrays", (4, 0, 0), 0),
        ("DrawElements", (4, 3, e.GL_UNSIGNED_BYTE, 0), 0),
    ):
        gl.call("gl" + name, *args)
        assert gl.error() == error, (name, args)
        assert not gl.take(), (name, args)
    gl.Begin(4)
    gl.DrawArrays(4, 0, 3)
    assert gl.error() == INVALID_OPERATION
    gl.End()


@pytest.mark.parametrize(
    "type_, format_, normalized, data, want",
    [
        (e.GL_HALF_FLOAT, "R16G16B16A16_FLOAT", False, "<4e", (0.5, -2.0, 1e4, 1.0)),
        (e.GL_FIXED, "R32G32B32A32_FIXED", False, "<4i", (0.5, -2.0, 3.0, 1.0)),
        (e.GL_INT_2_10_10_10_REV, "R10G10B10A2_SNORM", True, "<I", (1.0, -1.0, 0.0, 1.0)),
        (e.GL_INT_2_10_10_10_REV, "R10G10B10A2_SSCALED", False, "<I", (511.0, -511.0, 0.0, 1.0)),
        (e.GL_UNSIGNED_INT_10F_11F_11F_REV, "R11G11B10_FLOAT", False, "<I", (1.0, 2.0, 0.5, 1.0)),
        (e.GL_DOUBLE, "R64G64B64A64_FLOAT", False, "<4d", (0.5, -2.0, 3.0, 1.0)),
    ],
)
def test_elements_of_every_kind(
    gl: GL, type_: int, format_: str, normalized: bool, data: str, want: tuple[float, ...]
) -> None:
    words = {
        e.GL_INT_2_10_10_10_REV: 511 | 513 << 10 | 1 << 30,
        e.GL_UNSIGNED_INT_10F_11F_11F_REV: 15 << 6 | 16 << 17 | 14 << 27,
    }
    values: list[Any] = [words[type_]] if type_ in words else list(want)
    if type_ == e.GL_FIXED:
        values = [int(v * 65536) for v in values]
    raw = struct.pack(data, *values)
    memory = (ctypes.c_uint8 * len(raw)).from_buffer_copy(raw)
    size = 3 if type_ == e.GL_UNSIGNED_INT_10F_11F_11F_REV else 4
    set_array(gl, VERT_ATTRIB_TEX0, memory, size, type_, format_, len(raw), normalized)
    gl.ArrayElement(0)
    assert gl.current(VERT_ATTRIB_TEX0) == want


def test_instances(gl: GL) -> None:
    """An array with a divisor steps with the instances; the others are drawn whole each time."""
    some_arrays(gl)
    set_array(gl, VERT_ATTRIB_TEX0, floats([1.0, 2, 3]), 1, e.GL_FLOAT, "R32_FLOAT", 4)
    gl.ctx.vao.buffers[VERT_ATTRIB_TEX0].divisor = 2
    gl.ctx.vao.stale = 1
    for call, args in (
        ("DrawArraysInstanced", (0, 1, 3, 5)),
        ("DrawElementsInstanced", (0, 3, e.GL_UNSIGNED_BYTE, struct_bytes("B", [1, 2, 3]), 5)),
    ):
        before = gl.calls
        getattr(gl, call)(*args)
        draws = gl.take()
        assert gl.calls == before + 1
        assert [d.vertices[0][VERT_ATTRIB_TEX0][0] for d in draws] == [1, 1, 2, 2, 3]
        assert all([v[0][0] for v in d.vertices] == [1, 2, 3] for d in draws)
        assert all(
            v[VERT_ATTRIB_TEX0] == d.vertices[0][VERT_ATTRIB_TEX0]
            for d in draws
            for v in d.vertices
        )
    gl.DrawArraysInstancedBaseInstance(0, 0, 1, 1, 2)
    assert gl.take()[0].vertices[0][VERT_ATTRIB_TEX0][0] == 3
    gl.DrawArrays(0, 0, 2)
    assert [v[VERT_ATTRIB_TEX0][0] for v in gl.take()[0].vertices] == [1, 1]
    gl.DrawArraysInstanced(0, 0, 1, -1)
    assert gl.error() == INVALID_VALUE and not gl.take()


def test_transform_feedback_refuses_other_primitives(gl: GL) -> None:
    """Where nothing would be drawn, too, and where vertices begin, not where they end."""
    for mode, modes in transform.MODES.items():
        gl.n.transform.refused = transform.refused_beside(mode)
        for other in range(10):
            wanted = 0 if other in modes else INVALID_OPERATION
            gl.DrawArrays(other, 0, 0)
            assert gl.error() == wanted
            gl.DrawElements(other, 0, 0x1401, [0, 1])
            assert gl.error() == wanted
            gl.Begin(other)
            assert gl.error() == wanted
            gl.End()
            assert gl.error() == wanted
    gl.n.transform.refused = 0
