# SPDX-License-Identifier: MIT
"""Buffer objects: maps, ranges, copies, clears, immutable storage, names, other threads; syncs."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import COMPAT
from pydri.main.buffers.layout import BufferObject
from pydri.main.buffers.tables import BINDINGS, TARGETS
from pydri.main.context import GLContext
from pydri.main.version import GLVersion
from tests.unit.main.conftest import VISUAL, Caller
from tests.unit.main.test_state import unchanged

ARRAY, COPY = e.GL_ARRAY_BUFFER, e.GL_COPY_WRITE_BUFFER


def new(gl: Any, target: int, data: Any, size: int | None = None) -> int:
    names = np.zeros(1, np.uint32)
    gl.glGenBuffers(1, names)
    gl.glBindBuffer(target, int(names[0]))
    if size is None:
        size = data.nbytes
    gl.glBufferData(target, size, data if data is not None else 0, e.GL_STATIC_DRAW)
    return int(names[0])


def content(gl: Any, target: int, size: int) -> list[int]:
    out = np.zeros(size, np.uint8)
    gl.glGetBufferSubData(target, 0, size, out)
    return out.tolist()


def parameter(gl: Any, target: int, pname: int) -> int:
    out = np.zeros(1, np.int64)
    gl.glGetBufferParameteri64v(target, pname, out)
    return int(out[0])


def counting(n: int) -> Any:
    return np.arange(n, dtype=np.uint8)


def test_targets() -> None:
    ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 4, 3))  # which has all of them
    gl = Caller(ctx)
    for binding, target in BINDINGS.items():
        name = new(gl, target, counting(4))
        assert gl.ints(binding, 1) == [name]
    for binding, target in BINDINGS.items():
        gl.glBindBuffer(target, 0)
        assert gl.ints(binding, 1) == [0]
    assert set(BINDINGS.values()) == set(TARGETS) and gl.error() == 0
    ctx.destroy()


def test_names(gl: Any) -> None:
    far = (1 << 20) + 5
    for name in (far, far + 1, far + 2):
        gl.glBindBuffer(ARRAY, name)
    assert all(gl.glIsBuffer(far + n) for n in range(3)) and not gl.glIsBuffer(far + 3)
    gl.glDeleteBuffers(1, np.array([far + 1], np.uint32))
    assert [gl.glIsBuffer(far + n) for n in range(3)] == [1, 0, 1]
    names = np.zeros(2, np.uint32)
    gl.glCreateBuffers(2, names)
    assert all(gl.glIsBuffer(int(n)) for n in names)
    gl.glNamedBufferData(int(names[0]), 4, counting(4), e.GL_STATIC_DRAW)
    gl.glNamedBufferStorage(int(names[1]), 4, counting(4)[::-1].copy(), 0)
    gl.glCopyNamedBufferSubData(int(names[1]), int(names[0]), 0, 2, 2)
    out = np.zeros(4, np.uint8)
    gl.glGetNamedBufferSubData(int(names[0]), 0, 4, out)
    assert out.tolist() == [0, 1, 3, 2]
    unchanged(gl, e.GL_INVALID_OPERATION, "glNamedBufferData", 77, 4, 0, e.GL_STATIC_DRAW)
    assert gl.error() == 0


def test_absurd_sizes(gl: Any) -> None:
    new(gl, ARRAY, counting(8))
    for size in (1 << 33, 1 << 48, (1 << 63) - 1):
        gl.glBufferData(ARRAY, size, 0, e.GL_STATIC_DRAW)
        assert gl.error() == e.GL_OUT_OF_MEMORY
    assert content(gl, ARRAY, 8) == list(range(8))
    gl.glBufferData(ARRAY, 1 << 31, 0, e.GL_STATIC_DRAW)  # pages come when they are touched
    assert gl.error() == 0 and parameter(gl, ARRAY, e.GL_BUFFER_SIZE) == 1 << 31
    gl.glBufferData(ARRAY, 0, 0, e.GL_STATIC_DRAW)
    assert gl.error() == 0 and parameter(gl, ARRAY, e.GL_BUFFER_SIZE) == 0


def test_ranges_never_wrap(gl: Any) -> None:
    new(gl, ARRAY, counting(8))
    out = np.zeros(8, np.uint8)
    for offset, size in ((0, 9), (8, 1), (9, 0), (1, (1 << 63) - 1), ((1 << 63) - 1, 2), (-1, 1)):
        for name in ("glBufferSubData", "glGetBufferSubData"):
            unchanged(gl, e.GL_INVALID_VALUE, name, ARRAY, offset, size, out)
    gl.glBufferSubData(ARRAY, 8, 0, out)
    assert gl.error() == 0


def test_storage_is_kept_where_it_fits(gl: Any) -> None:
    new(gl, ARRAY, counting(100))
    native = BufferObject.view(gl.n.buffers.array)
    data, serial = native.data, native.serial
    gl.glBufferData(ARRAY, 100, counting(100)[::-1].copy(), e.GL_STREAM_DRAW)
    assert (native.data, native.serial) == (data, serial) and data % 64 == 0
    gl.glBufferData(ARRAY, 60, counting(60), e.GL_STREAM_DRAW)
    assert native.data == data and native.serial != serial  # draws must look again
    gl.glBufferData(ARRAY, 1 << 20, 0, e.GL_STREAM_DRAW)
    assert native.data != data and native.data % 64 == 0
    assert ctypes.string_at(native.data, 64) == bytes(64)


def test_mapping(gl: Any) -> None:
    new(gl, ARRAY, counting(100))
    access = e.GL_MAP_WRITE_BIT | e.GL_MAP_FLUSH_EXPLICIT_BIT
    address = gl.glMapBufferRange(ARRAY, 20, 30, access)
    assert (address - 20) % 64 == 0
    ctypes.memset(address, 7, 30)
    assert parameter(gl, ARRAY, e.GL_BUFFER_MAPPED) == 1
    assert parameter(gl, ARRAY, e.GL_BUFFER_MAP_OFFSET) == 20
    assert parameter(gl, ARRAY, e.GL_BUFFER_MAP_LENGTH) == 30
    assert parameter(gl, ARRAY, e.GL_BUFFER_ACCESS_FLAGS) == access
    assert parameter(gl, ARRAY, e.GL_BUFFER_ACCESS) == e.GL_WRITE_ONLY
    gl.glFlushMappedBufferRange(ARRAY, 0, 30)
    unchanged(gl, e.GL_INVALID_VALUE, "glFlushMappedBufferRange", ARRAY, 1, 30)
    unchanged(gl, e.GL_INVALID_VALUE, "glFlushMappedBufferRange", ARRAY, -1, 3)
    # what is not mapped may be written (GL 4.5, 6.2), but nothing may be read or copied
    gl.glBufferSubData(ARRAY, 50, 10, counting(10))
    assert gl.error() == 0
    unchanged(gl, e.GL_INVALID_OPERATION, "glBufferSubData", ARRAY, 49, 2, counting(2))
    unchanged(gl, e.GL_INVALID_OPERATION, "glGetBufferSubData", ARRAY, 90, 2, counting(2))
    unchanged(gl, e.GL_INVALID_OPERATION, "glCopyBufferSubData", ARRAY, ARRAY, 60, 80, 2)
    assert gl.glUnmapBuffer(ARRAY) == 1
    assert content(gl, ARRAY, 51)[18:] == [18, 19, *[7] * 30, 0]
    unchanged(gl, e.GL_INVALID_OPERATION, "glFlushMappedBufferRange", ARRAY, 0, 1)
    gl.glMapBuffer(ARRAY, e.GL_READ_ONLY)
    gl.glBufferData(ARRAY, 10, 0, e.GL_STATIC_DRAW)  # unmaps
    assert parameter(gl, ARRAY, e.GL_BUFFER_MAPPED) == 0
    unchanged(gl, e.GL_INVALID_OPERATION, "glUnmapBuffer", ARRAY)


@pytest.mark.parametrize(
    "offset, length, access, error",
    [
        (-1, 4, e.GL_MAP_READ_BIT, e.GL_INVALID_VALUE),
        (0, -4, e.GL_MAP_READ_BIT, e.GL_INVALID_VALUE),
        (0, 0, e.GL_MAP_READ_BIT, e.GL_INVALID_OPERATION),
        (0, 101, e.GL_MAP_READ_BIT, e.GL_INVALID_VALUE),
        (101, 1, e.GL_MAP_READ_BIT, e.GL_INVALID_VALUE),
        (0, 4, 0, e.GL_INVALID_OPERATION),
        (0, 4, 0x100000 | e.GL_MAP_READ_BIT, e.GL_INVALID_VALUE),
        (0, 4, e.GL_MAP_READ_BIT | e.GL_MAP_UNSYNCHRONIZED_BIT, e.GL_INVALID_OPERATION),
        (0, 4, e.GL_MAP_READ_BIT | e.GL_MAP_INVALIDATE_RANGE_BIT, e.GL_INVALID_OPERATION),
        (0, 4, e.GL_MAP_READ_BIT | e.GL_MAP_FLUSH_EXPLICIT_BIT, e.GL_INVALID_OPERATION),
        (0, 4, e.GL_MAP_WRITE_BIT | e.GL_MAP_PERSISTENT_BIT, e.GL_INVALID_OPERATION),
    ],
)
def test_map_errors(gl: Any, offset: int, length: int, access: int, error: int) -> None:
    new(gl, ARRAY, counting(100))
    unchanged(gl, error, "glMapBufferRange", ARRAY, offset, length, access)
    assert parameter(gl, ARRAY, e.GL_BUFFER_MAPPED) == 0


def test_immutable_storage(gl: Any) -> None:
    new(gl, ARRAY, counting(4))
    flags = e.GL_MAP_WRITE_BIT | e.GL_MAP_PERSISTENT_BIT | e.GL_MAP_COHERENT_BIT
    for bad in (
        (0, e.GL_MAP_READ_BIT),
        (16, 0x8000),
        (16, e.GL_MAP_PERSISTENT_BIT),
        (16, e.GL_MAP_COHERENT_BIT | e.GL_MAP_WRITE_BIT),
    ):
        unchanged(gl, e.GL_INVALID_VALUE, "glBufferStorage", ARRAY, bad[0], 0, bad[1])
    gl.glBufferStorage(ARRAY, 16, counting(16), flags)
    assert gl.error() == 0 and parameter(gl, ARRAY, e.GL_BUFFER_IMMUTABLE_STORAGE) == 1
    assert parameter(gl, ARRAY, e.GL_BUFFER_STORAGE_FLAGS) == flags
    unchanged(gl, e.GL_INVALID_OPERATION, "glBufferData", ARRAY, 4, 0, e.GL_STATIC_DRAW)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBufferStorage", ARRAY, 4, 0, flags)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBufferSubData", ARRAY, 0, 4, counting(4))
    unchanged(gl, e.GL_INVALID_OPERATION, "glMapBuffer", ARRAY, e.GL_READ_ONLY)
    address = gl.glMapBufferRange(ARRAY, 4, 8, flags)
    ctypes.memset(address, 9, 8)
    new(gl, COPY, counting(16))
    gl.glCopyBufferSubData(ARRAY, COPY, 0, 0, 16)  # persistent mappings forbid nothing
    assert gl.error() == 0 and content(gl, COPY, 16) == [0, 1, 2, 3, *[9] * 8, 12, 13, 14, 15]


def test_copies(gl: Any) -> None:
    new(gl, ARRAY, counting(32))
    gl.glCopyBufferSubData(ARRAY, ARRAY, 0, 16, 16)
    assert content(gl, ARRAY, 32) == [*range(16), *range(16)]
    for args in ((0, 15, 16), (16, 1, 16), (0, 0, 1)):
        unchanged(gl, e.GL_INVALID_VALUE, "glCopyBufferSubData", ARRAY, ARRAY, *args)
    new(gl, COPY, counting(8))
    for args in ((0, 0, 9), (30, 0, 3), (-1, 0, 1), (0, -1, 1), (0, 0, -1)):
        unchanged(gl, e.GL_INVALID_VALUE, "glCopyBufferSubData", ARRAY, COPY, *args)
    unchanged(
        gl, e.GL_INVALID_OPERATION, "glCopyBufferSubData", ARRAY, e.GL_COPY_READ_BUFFER, 0, 0, 1
    )


def test_clears(gl: Any) -> None:
    new(gl, ARRAY, counting(16))
    value = np.array([1.0, 0.5, 0.0, 1.0], np.float32)
    rg = (e.GL_RG8, e.GL_RG, e.GL_FLOAT)
    gl.glClearBufferSubData(ARRAY, rg[0], 4, 6, rg[1], rg[2], value)
    assert content(gl, ARRAY, 12) == [0, 1, 2, 3, *[255, 128] * 3, 10, 11]
    gl.glClearBufferData(ARRAY, e.GL_R32UI, e.GL_RED_INTEGER, e.GL_UNSIGNED_BYTE, counting(9)[7:])
    assert content(gl, ARRAY, 8) == [7, 0, 0, 0] * 2
    gl.glClearBufferData(ARRAY, e.GL_RGBA32F, e.GL_RGBA, e.GL_FLOAT, 0)
    assert content(gl, ARRAY, 16) == [0] * 16
    for error, internal, offset, size, format_, type_ in (
        (e.GL_INVALID_ENUM, e.GL_RGBA, 0, 4, e.GL_RGBA, e.GL_FLOAT),
        (e.GL_INVALID_VALUE, e.GL_RG8, 1, 4, e.GL_RG, e.GL_FLOAT),
        (e.GL_INVALID_VALUE, e.GL_RG8, 0, 18, e.GL_RG, e.GL_FLOAT),
        (e.GL_INVALID_OPERATION, e.GL_R8, 0, 4, e.GL_RED_INTEGER, e.GL_INT),
        (e.GL_INVALID_VALUE, e.GL_R8, 0, 4, e.GL_DEPTH_COMPONENT, e.GL_INT),
    ):
        args = (ARRAY, internal, offset, size, format_, type_, value)
        unchanged(gl, error, "glClearBufferSubData", *args)


def test_a_buffer_goes_while_others_read_it(gl: Any) -> None:
    """Two threads with contexts of one group: storage is replaced, deleted and read at once."""
    other = GLContext(VISUAL, share=gl.ctx)
    two = Caller(other)
    names = [new(gl, ARRAY, counting(64)) for _ in range(4)]
    stop = threading.Event()

    def reads() -> None:
        out = np.zeros(1 << 16, np.uint8)
        n = 0
        while not stop.is_set():
            n += 1
            two.glBindBuffer(e.GL_COPY_READ_BUFFER, names[n % 4])
            two.glGetBufferSubData(e.GL_COPY_READ_BUFFER, 0, 64 << (n % 10), out)
            two.n.error = 0

    thread = threading.Thread(target=reads)
    thread.start()
    try:
        for n in range(3000):
            gl.glBindBuffer(ARRAY, names[n % 4])
            gl.glBufferData(ARRAY, 64 << (n * 7 % 13), 0, e.GL_STREAM_DRAW)
            if n % 50 == 0:
                gl.glDeleteBuffers(1, np.array([names[n % 4]], np.uint32))
                names[n % 4] = new(gl, ARRAY, counting(64))
    finally:
        stop.set()
        thread.join()
    assert gl.error() == 0
    gl.glBufferData(ARRAY, 1 << 21, 0, e.GL_STREAM_DRAW)
    gl.glBufferData(ARRAY, 1, 0, e.GL_STREAM_DRAW)
    assert gl.ctx.shared.n.retired == 0  # nobody reads: all is given back
    two.n.reading = gl.ctx.shared.n.epoch
    gl.glBufferData(ARRAY, 1 << 21, 0, e.GL_STREAM_DRAW)
    assert gl.ctx.shared.n.retired  # a reader that began before is waited for
    two.n.reading = 0
    gl.glBufferData(ARRAY, 1, 0, e.GL_STREAM_DRAW)
    assert gl.ctx.shared.n.retired == 0
    other.destroy()


def test_syncs(gl: Any) -> None:
    a = gl.glFenceSync(e.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    b = gl.glFenceSync(e.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    assert a and b and a != b and gl.glIsSync(a) and gl.glIsSync(b) and not gl.glIsSync(12345)
    assert gl.glClientWaitSync(a, 0, 0) in (e.GL_ALREADY_SIGNALED, e.GL_CONDITION_SATISFIED)
    out, length = np.zeros(1, np.int32), np.zeros(1, np.int32)
    for pname, value in (
        (e.GL_OBJECT_TYPE, e.GL_SYNC_FENCE),
        (e.GL_SYNC_CONDITION, e.GL_SYNC_GPU_COMMANDS_COMPLETE),
        (e.GL_SYNC_FLAGS, 0),
        (e.GL_SYNC_STATUS, e.GL_SIGNALED),
    ):
        gl.glGetSynciv(a, pname, 1, length, out)
        assert (length[0], out[0]) == (1, value)
    gl.glWaitSync(a, 0, e.GL_TIMEOUT_IGNORED)
    gl.glDeleteSync(a)
    gl.glDeleteSync(0)
    assert gl.error() == 0 and not gl.glIsSync(a)
    again = gl.glFenceSync(e.GL_SYNC_GPU_COMMANDS_COMPLETE, 0)
    assert again != a and not gl.glIsSync(a)  # its place is used again, its name is not
    for name, args, error in (
        ("glFenceSync", (0, 0), e.GL_INVALID_ENUM),
        ("glFenceSync", (e.GL_SYNC_GPU_COMMANDS_COMPLETE, 1), e.GL_INVALID_VALUE),
        ("glClientWaitSync", (a, 0, 0), e.GL_INVALID_VALUE),
        ("glClientWaitSync", (b, 2, 0), e.GL_INVALID_VALUE),
        ("glWaitSync", (b, 0, 5), e.GL_INVALID_VALUE),
        ("glDeleteSync", (a,), e.GL_INVALID_VALUE),
        ("glGetSynciv", (a, e.GL_SYNC_FLAGS, 1, length, out), e.GL_INVALID_VALUE),
        ("glGetSynciv", (b, e.GL_RED, 1, length, out), e.GL_INVALID_ENUM),
    ):
        unchanged(gl, error, name, *args)
    many = [gl.glFenceSync(e.GL_SYNC_GPU_COMMANDS_COMPLETE, 0) for _ in range(500)]
    assert len(set(many)) == 500 and all(gl.glIsSync(s) for s in (b, again, *many))
