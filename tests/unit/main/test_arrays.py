# SPDX-License-Identifier: MIT
"""Array pointers, interleaved arrays, buffer objects, sharing."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.where import where_of
from pydri.main.arrays.kernels import ARRAYS, INTERLEAVED
from pydri.main.arrays.tables import BGRA, CLIENT_ARRAYS, PACKED_10, TYPES
from pydri.main.buffers.layout import BufferObject
from pydri.main.context import GLContext
from pydri.main.names.objects import live
from pydri.main.names.tables import BUFFERS
from pydri.pipe.format import FORMATS
from tests.unit.main.conftest import VISUAL, Caller, having
from tests.unit.main.test_state import unchanged


def arguments(row: Any, size: int, kind: int, stride: int, pointer: int) -> list[int]:
    return [
        *([] if row.fixed_size else [size]),
        *([] if row.fixed_type else [kind]),
        stride,
        pointer,
    ]


@pytest.mark.parametrize("row", ARRAYS, ids=lambda r: r.name)
def test_pointers(row: Any) -> None:
    switch = next(switch for switch in CLIENT_ARRAYS.values() if switch.slot == row.slot)
    with having(switch.enum, switch.where) as caller:
        check_pointers(caller, row)


def check_pointers(gl: Any, row: Any) -> None:
    call = getattr(gl, row.name)
    gl.glClientActiveTexture(e.GL_TEXTURE3)
    slot = row.slot + 3 if row.slot == 6 else row.slot
    array = gl.ctx.vao.attribs[slot]
    for size in row.sizes:
        for bit, type_ in enumerate(TYPES):
            kind, packed = type_.enum, bool(PACKED_10 >> bit & 1)
            allowed = row.types >> bit & 1
            if row.fixed_type and kind != row.fixed_type:
                continue
            gl_size = e.GL_BGRA if size == BGRA else size
            fits = kind == e.GL_UNSIGNED_BYTE or packed if size == BGRA else not packed or size == 4
            if packed and row.fixed_size:
                fits = True
            if not allowed or not fits:
                error = e.GL_INVALID_OPERATION if allowed else e.GL_INVALID_ENUM
                unchanged(gl, error, row.name, *arguments(row, gl_size, kind, 0, 64))
                continue
            for stride in (0, 40):
                gl.ctx.vao.stale = 0
                call(*arguments(row, gl_size, kind, stride, 0x1000 + stride))
                assert gl.error() == 0 and gl.ctx.vao.stale
                count = 4 if size == BGRA else size
                bytes_ = type_.packed or count * type_.bytes
                fmt = FORMATS[array.format]
                binding = gl.ctx.vao.buffers[array.binding]
                assert array.pointer == 0x1000 + stride and array.given_stride == stride
                assert binding.offset == array.pointer and binding.stride == (stride or bytes_)
                assert (array.size, array.type, array.normalized) == (gl_size, kind, row.normalized)
                assert fmt.bits == 8 * bytes_ == 8 * array.bytes
                assert len(fmt.channels) == (4 if packed else count)
                letter = fmt.channels[0][0]
                if kind in (e.GL_FLOAT, e.GL_DOUBLE, e.GL_HALF_FLOAT):
                    assert letter == "f"
                else:
                    assert letter[0] == ("u" if "UNSIGNED" in e.name_of(kind) else "s")
                    assert (letter[1] == "n") == row.normalized
                assert (fmt.swizzle[:3] == "210") == (size == BGRA)
    if not row.fixed_size:
        for size in (0, 5, -1, 9):
            unchanged(gl, e.GL_INVALID_VALUE, row.name, *arguments(row, size, e.GL_FLOAT, 0, 64))
    if not row.fixed_type:
        unchanged(
            gl,
            e.GL_INVALID_ENUM,
            row.name,
            *arguments(row, row.sizes[-2 if len(row.sizes) > 1 else -1], 77, 0, 64),
        )
    good = row.fixed_type or e.GL_FLOAT
    unchanged(gl, e.GL_INVALID_VALUE, row.name, *arguments(row, row.sizes[0], good, -4, 64))


def test_counts(gl: Any) -> None:
    """EXT_vertex_array: glGet tells the count that was given; the forms of GL 1.1 give none."""
    gl.glVertexPointerEXT(3, e.GL_FLOAT, 0, 17, 64)
    gl.glEdgeFlagPointerEXT(0, 5, 64)
    assert gl.ints(e.GL_VERTEX_ARRAY_COUNT_EXT, 1) == [17]
    assert gl.ints(e.GL_EDGE_FLAG_ARRAY_COUNT_EXT, 1) == [5]
    unchanged(gl, e.GL_INVALID_VALUE, "glVertexPointerEXT", 3, e.GL_FLOAT, 0, -1, 64)
    gl.glVertexPointer(3, e.GL_FLOAT, 0, 64)
    assert gl.ints(e.GL_VERTEX_ARRAY_COUNT_EXT, 1) == [0]


def test_generic_arrays(gl: Any) -> None:
    gl.glVertexAttribPointer(3, 2, e.GL_SHORT, 1, 0, 0x40)
    array = gl.ctx.vao.attribs[15 + 3]
    assert FORMATS[array.format].name == "R16G16_SNORM" and array.bytes == 4
    gl.glVertexAttribPointer(3, 3, e.GL_UNSIGNED_BYTE, 0, 0, 0x40)
    assert FORMATS[array.format].name == "R8G8B8_USCALED"
    gl.glEnableVertexAttribArray(3)
    assert gl.ctx.vao.enabled == 1 << 18
    gl.glDisableVertexAttribArray(3)
    assert gl.ctx.vao.enabled == 0
    for name in ("glEnableVertexAttribArray", "glDisableVertexAttribArray"):
        unchanged(gl, e.GL_INVALID_VALUE, name, 16)
    unchanged(gl, e.GL_INVALID_VALUE, "glVertexAttribPointer", 16, 2, e.GL_FLOAT, 0, 0, 0)
    unchanged(gl, e.GL_INVALID_VALUE, "glVertexAttribPointer", 1, 5, e.GL_FLOAT, 0, 0, 0)


@pytest.mark.parametrize("row", INTERLEAVED, ids=lambda r: e.name_of(r.enum))
def test_interleaved(gl: Any, row: Any) -> None:
    name = e.name_of(row.enum).removeprefix("GL_")
    for enum, array in CLIENT_ARRAYS.items():
        if gl.ctx.has(where_of(enum, array.where)):
            gl.glEnableClientState(enum)
    gl.glInterleavedArrays(row.enum, 0, 0x1000)
    at = 0x1000
    n = gl.ctx.vao
    slots = {"T": 6, "C": 2, "N": 1, "V": 0}
    enabled = 0
    for part in name.split("_"):
        array = n.attribs[slots[part[0]]]
        size = int(part[1])
        enabled |= 1 << slots[part[0]]
        assert array.pointer == at and array.size == size
        assert gl.ctx.vao.buffers[array.binding].stride == row.stride
        assert array.type == (e.GL_UNSIGNED_BYTE if part.endswith("UB") else e.GL_FLOAT)
        at += 4 if part.endswith("UB") else 4 * size
    assert n.enabled == enabled and at - 0x1000 == row.stride
    gl.glInterleavedArrays(row.enum, 100, 0x1000)
    assert n.buffers[0].stride == 100
    unchanged(gl, e.GL_INVALID_VALUE, "glInterleavedArrays", row.enum, -1, 0)
    unchanged(gl, e.GL_INVALID_ENUM, "glInterleavedArrays", e.GL_RGBA, 0, 0)


def test_get_pointer(gl: Any) -> None:
    gl.glVertexPointer(3, e.GL_FLOAT, 0, 0x1230)
    out = np.zeros(1, np.uint64)
    gl.glGetPointerv(e.GL_VERTEX_ARRAY_POINTER, out)
    assert out[0] == 0x1230
    unchanged(gl, e.GL_INVALID_ENUM, "glGetPointerv", e.GL_BLEND, out)


# -- buffer objects -------------------------------------------------------------------------------


def gen(gl: Any, count: int = 1) -> list[int]:
    names = np.zeros(count, np.uint32)
    gl.glGenBuffers(count, names)
    return names.tolist()


def parameter(gl: Any, pname: int) -> int:
    out = np.zeros(1, np.int32)
    gl.glGetBufferParameteriv(e.GL_ARRAY_BUFFER, pname, out)
    return int(out[0])


def test_buffer_life(gl: Any) -> None:
    a, b = gen(gl, 2)
    assert a != b and not gl.glIsBuffer(a)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, a)
    assert gl.glIsBuffer(a) and gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [a]
    data = np.arange(100, dtype=np.uint8)
    gl.glBufferData(e.GL_ARRAY_BUFFER, 100, data, e.GL_DYNAMIC_DRAW)
    assert (
        parameter(gl, e.GL_BUFFER_SIZE) == 100
        and parameter(gl, e.GL_BUFFER_USAGE) == e.GL_DYNAMIC_DRAW
    )
    native = BufferObject.view(gl.n.buffers.array)
    assert native.data % 64 == 0
    gl.glBufferSubData(e.GL_ARRAY_BUFFER, 10, 5, data[50:].copy())
    out = np.zeros(20, np.uint8)
    gl.glGetBufferSubData(e.GL_ARRAY_BUFFER, 5, 20, out)
    assert out.tolist() == [5, 6, 7, 8, 9, 50, 51, 52, 53, 54, *range(15, 25)]
    address = gl.glMapBuffer(e.GL_ARRAY_BUFFER, e.GL_READ_WRITE)
    assert (
        ctypes.string_at(address, 3) == bytes([0, 1, 2]) and parameter(gl, e.GL_BUFFER_MAPPED) == 1
    )
    pointer = np.zeros(1, np.uint64)
    gl.glGetBufferPointerv(e.GL_ARRAY_BUFFER, e.GL_BUFFER_MAP_POINTER, pointer)
    assert pointer[0] == address
    unchanged(gl, e.GL_INVALID_OPERATION, "glMapBuffer", e.GL_ARRAY_BUFFER, e.GL_READ_WRITE)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBufferSubData", e.GL_ARRAY_BUFFER, 0, 1, data)
    assert gl.glUnmapBuffer(e.GL_ARRAY_BUFFER) == 1
    unchanged(gl, e.GL_INVALID_OPERATION, "glUnmapBuffer", e.GL_ARRAY_BUFFER)
    unchanged(gl, e.GL_INVALID_VALUE, "glBufferSubData", e.GL_ARRAY_BUFFER, 90, 11, data)
    unchanged(gl, e.GL_INVALID_VALUE, "glBufferSubData", e.GL_ARRAY_BUFFER, -1, 1, data)
    unchanged(gl, e.GL_INVALID_VALUE, "glBufferData", e.GL_ARRAY_BUFFER, -1, 0, e.GL_STATIC_DRAW)
    unchanged(gl, e.GL_INVALID_ENUM, "glBufferData", e.GL_ARRAY_BUFFER, 1, 0, e.GL_BLEND)
    unchanged(gl, e.GL_INVALID_ENUM, "glBufferData", e.GL_BLEND, 1, 0, e.GL_STATIC_DRAW)
    unchanged(gl, e.GL_INVALID_ENUM, "glBindBuffer", e.GL_BLEND, a)
    unchanged(
        gl,
        e.GL_INVALID_OPERATION,
        "glBufferData",
        e.GL_ELEMENT_ARRAY_BUFFER,
        1,
        0,
        e.GL_STATIC_DRAW,
    )


def test_binding_is_native_once_the_object_exists(gl: Any) -> None:
    from pydri.util import stats

    (a,) = gen(gl)
    gl.glBindBuffer(e.GL_ELEMENT_ARRAY_BUFFER, a)
    before = stats.ARRAY[stats.INDEX["python_entries"]]
    for _ in range(3):
        gl.glBindBuffer(e.GL_ELEMENT_ARRAY_BUFFER, 0)
        assert gl.ctx.vao.element_buffer == 0
        gl.glBindBuffer(e.GL_ELEMENT_ARRAY_BUFFER, a)
        gl.glBindBuffer(e.GL_ARRAY_BUFFER, a)
        assert gl.ctx.vao.element_buffer == gl.n.buffers.array != 0
    assert stats.ARRAY[stats.INDEX["python_entries"]] == before
    gl.glBindBuffer(
        e.GL_ARRAY_BUFFER, 3_000_000
    )  # a name of the program's own, beyond the native table
    assert gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [3_000_000]
    assert 3_000_000 not in gen(gl, 3)


def test_arrays_keep_their_buffer_and_deletion_unbinds(gl: Any) -> None:
    a, b = gen(gl, 2)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, a)
    gl.glVertexPointer(3, e.GL_FLOAT, 0, 16)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, b)
    gl.glNormalPointer(e.GL_FLOAT, 0, 32)
    assert gl.ints(e.GL_VERTEX_ARRAY_BUFFER_BINDING, 1) == [a] and gl.ints(
        e.GL_NORMAL_ARRAY_BUFFER_BINDING, 1
    ) == [b]
    gl.glDeleteBuffers(2, np.array([a, 0], np.uint32))
    assert gl.ints(e.GL_VERTEX_ARRAY_BUFFER_BINDING, 1) == [0] and gl.ctx.vao.buffers[0].buffer == 0
    assert not gl.glIsBuffer(a) and gl.glIsBuffer(b)
    gl.glDeleteBuffers(1, np.array([b], np.uint32))
    assert gl.ints(e.GL_ARRAY_BUFFER_BINDING, 1) == [0]
    assert live(gl.ctx, BUFFERS) == 0
    gl.glDeleteBuffers(-1, np.zeros(1, np.uint32))
    assert gl.error() == e.GL_INVALID_VALUE


def test_a_shared_buffer_outlives_its_name(gl: Any) -> None:
    other = GLContext(VISUAL, share=gl.ctx)
    two = Caller(other)
    (a,) = gen(gl)
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, a)
    gl.glBufferData(e.GL_ARRAY_BUFFER, 8, np.arange(8, dtype=np.uint8), e.GL_STATIC_DRAW)
    two.glBindBuffer(e.GL_ARRAY_BUFFER, a)
    gl.glDeleteBuffers(1, np.array([a], np.uint32))
    out = np.zeros(8, np.uint8)
    two.glGetBufferSubData(e.GL_ARRAY_BUFFER, 0, 8, out)
    assert out.tolist() == list(range(8)) and gl.n.buffers.array == 0
    two.glBindBuffer(e.GL_ARRAY_BUFFER, 0)
    assert live(gl.ctx, BUFFERS) == 0
    other.destroy()
    assert gl.ctx.shared.contexts == {gl.ctx}
