# SPDX-License-Identifier: MIT
"""Buffers that scenes use, which may be pending: who waits, who takes other memory, what lives on.

The driver is one that notes what it is asked to wait for; scene 5 is pending, 4 was the last that
is done.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.main.buffers.layout import BufferObject
from pydri.main.context import GLContext
from pydri.main.names.objects import live
from pydri.main.names.tables import BUFFERS
from pydri.pipe.native import MAP_READ, MAP_WRITE, SCENE_BITS, PipeNative
from pydri.pipe.resource import Resource, Storage
from tests.unit.main.conftest import VISUAL, Caller
from tests.unit.main.test_buffers import content, counting, new

ARRAY, COPY = e.GL_ARRAY_BUFFER, e.GL_COPY_WRITE_BUFFER
MINE = 1 << SCENE_BITS
DONE, PENDING = MINE | 4, MINE | 5


class Scene:
    """A driver's context with a pending scene, and a GL context that draws with it."""

    def __init__(self, gl: Any) -> None:
        self.gl = gl
        self.waits: list[int] = []
        self.pipe: Any = PipeNative.ctype()()
        self.pipe.submitted, self.pipe.completed = PENDING, DONE
        prototype = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64,
                                     ctypes.c_uint32)  # fmt: skip
        self.map = prototype(self._map)
        self.pipe.transfer_map = ctypes.cast(self.map, ctypes.c_void_p).value
        gl.n.pipe = ctypes.addressof(self.pipe)

    def _map(self, _: int, resource: int, flags: int) -> int:
        self.waits.append(flags)
        return int(Resource.view(resource).data or 0)

    def asked(self) -> list[int]:
        """What was waited for since the last call."""
        waits, self.waits = self.waits, []
        return waits

    def uses(self, target_field: str, reads: int = PENDING, writes: int = 0) -> Storage:
        """The buffer bound to a target is read and written by scenes, of which one keeps it."""
        buffer = getattr(self.gl.n.buffers, target_field)
        address = self.gl.ctx.kernel("buffer_resource")(self.gl.ctx.address, buffer)
        storage = Storage.view(Resource.view(address).storage)
        storage.reads, storage.writes = reads, writes
        storage.references += 1
        return storage


@pytest.fixture
def scene(gl: Any) -> Iterator[Scene]:
    made = Scene(gl)
    yield made
    gl.n.pipe = 0


def of(gl: Any, field: str = "array") -> Any:
    return BufferObject.view(getattr(gl.n.buffers, field))


def address(struct: Any) -> int:
    return ctypes.addressof(struct)


def test_nobody_waits_for_what_no_scene_ever_used(gl: Any, scene: Scene) -> None:
    new(gl, ARRAY, counting(64))
    data = of(gl).data
    gl.glBufferSubData(ARRAY, 0, 64, counting(64))
    gl.glBufferData(ARRAY, 64, counting(64), e.GL_STREAM_DRAW)
    gl.glMapBufferRange(ARRAY, 0, 64, e.GL_MAP_WRITE_BIT)
    assert scene.asked() == [] and of(gl).data == data and not of(gl).resource


def test_a_resource_is_made_once_and_follows(gl: Any, scene: Scene) -> None:
    new(gl, ARRAY, counting(64))
    make = gl.ctx.kernel("buffer_resource")
    resource = Resource.view(make(gl.ctx.address, gl.n.buffers.array))
    assert make(gl.ctx.address, gl.n.buffers.array) == address(resource) == of(gl).resource
    assert (resource.data, resource.width, resource.size) == (of(gl).data, 64, 64)
    serial = resource.serial
    gl.glBufferData(ARRAY, 40, 0, e.GL_STREAM_DRAW)  # the same memory
    assert (resource.data, resource.width, resource.level[0].width) == (of(gl).data, 40, 40)
    gl.glBufferData(ARRAY, 1 << 16, 0, e.GL_STREAM_DRAW)
    assert (resource.data, resource.width) == (of(gl).data, 1 << 16)
    assert resource.storage + Storage.size == resource.data and resource.serial > serial
    gl.glDeleteBuffers(1, np.array([of(gl).name], np.uint32))
    assert live(gl.ctx, BUFFERS) == 0
    gl.glBindBuffer(ARRAY, 5)  # without memory
    empty = Resource.view(make(gl.ctx.address, gl.n.buffers.array))
    assert not empty.data and not empty.storage and empty.width == 0
    gl.glBufferData(ARRAY, 8, counting(8), e.GL_STREAM_DRAW)
    assert empty.data == of(gl).data and empty.width == 8


def test_whole_replacements_take_other_memory(gl: Any, scene: Scene) -> None:
    name = new(gl, ARRAY, counting(64))
    for replace in (
        lambda: gl.glBufferData(ARRAY, 64, counting(64), e.GL_STREAM_DRAW),
        lambda: gl.glInvalidateBufferData(name),
        lambda: gl.glMapBufferRange(
            ARRAY, 8, 8, e.GL_MAP_WRITE_BIT | e.GL_MAP_INVALIDATE_BUFFER_BIT
        ),
        lambda: gl.glMapBufferRange(
            ARRAY, 0, 64, e.GL_MAP_WRITE_BIT | e.GL_MAP_INVALIDATE_RANGE_BIT
        ),
    ):
        old = scene.uses("array")
        serial, scene.waits = of(gl).serial, []
        replace()
        fresh = Storage.view(Resource.view(of(gl).resource).storage)
        assert address(fresh) != address(old) and address(fresh) + Storage.size == of(gl).data
        assert (fresh.references, fresh.reads, fresh.writes, fresh.size) == (1, 0, 0, 64)
        assert old.references == 1 and of(gl).serial > serial  # the scene's; draws look again
        if of(gl).mapped:
            gl.glUnmapBuffer(ARRAY)
    # a scene that is done uses nothing any more
    old = scene.uses("array", reads=DONE)
    gl.glBufferData(ARRAY, 64, counting(64), e.GL_STREAM_DRAW)
    assert of(gl).data == address(old) + Storage.size
    # and whose scene it was that is not this context's cannot be known
    old = scene.uses("array", reads=2 * MINE | 1)
    gl.glBufferData(ARRAY, 64, counting(64), e.GL_STREAM_DRAW)
    assert of(gl).data != address(old) + Storage.size and gl.error() == 0


def test_partial_accesses_wait(gl: Any, scene: Scene) -> None:
    new(gl, ARRAY, counting(64))
    new(gl, COPY, counting(64))
    scene.uses("array")
    scene.uses("copy_write")
    out = np.zeros(1, np.uint32)
    w, r = MAP_WRITE, MAP_READ
    write, read = e.GL_MAP_WRITE_BIT, e.GL_MAP_READ_BIT
    part = e.GL_MAP_INVALIDATE_RANGE_BIT
    for wait, name, *arguments in (
        ([w], "glBufferSubData", ARRAY, 0, 4, counting(4)),
        ([r], "glGetBufferSubData", ARRAY, 0, 4, out),
        ([r, w], "glCopyBufferSubData", ARRAY, COPY, 0, 4, 4),
        ([w], "glClearBufferData", ARRAY, e.GL_R8, e.GL_RED, e.GL_UNSIGNED_BYTE, 0),
        ([w], "glMapBufferRange", ARRAY, 0, 4, write),
        ([w], "glMapBufferRange", ARRAY, 0, 4, write | read),
        ([w], "glMapBufferRange", ARRAY, 0, 4, write | part),
        ([r], "glMapBufferRange", ARRAY, 0, 4, read),
        ([r], "glMapBuffer", ARRAY, e.GL_READ_ONLY),
        ([], "glMapBufferRange", ARRAY, 0, 4, write | e.GL_MAP_UNSYNCHRONIZED_BIT),
        ([], "glBufferSubData", ARRAY, 60, 8, counting(8)),  # an error touches nothing
    ):
        data = of(gl).data
        getattr(gl, name)(*arguments)
        assert scene.asked() == wait, name
        assert of(gl).data == data
        if of(gl).mapped:
            gl.glUnmapBuffer(ARRAY)
    assert gl.error() == e.GL_INVALID_VALUE
    assert content(gl, COPY, 8) == [0, 1, 2, 3, 0, 1, 2, 3]


def test_queries_and_pixel_maps_wait(gl: Any, scene: Scene) -> None:
    name = new(gl, e.GL_QUERY_BUFFER, counting(64))
    scene.uses("query")
    ids = np.zeros(1, np.uint32)
    gl.glCreateQueries(e.GL_TIMESTAMP, 1, ids)
    gl.glGetQueryObjectui64v(int(ids[0]), e.GL_QUERY_RESULT_AVAILABLE, 8)
    assert scene.asked() == [MAP_WRITE] and gl.error() == 0
    gl.glBindBuffer(e.GL_PIXEL_PACK_BUFFER, name)
    gl.glGetPixelMapfv(e.GL_PIXEL_MAP_I_TO_R, 0)
    assert scene.asked() == [MAP_WRITE] and gl.error() == 0


def test_vertices_that_wait_see_the_old_content(gl: Any, scene: Scene) -> None:
    new(gl, ARRAY, counting(4))
    scene.uses("array")
    seen: list[list[int]] = []

    def flush(_: int) -> None:
        seen.append(list(ctypes.string_at(of(gl).data, 4)))
        gl.n.vbo.count = 0

    hook = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(flush)
    before, gl.n.flush_vertices = gl.n.flush_vertices, ctypes.cast(hook, ctypes.c_void_p).value
    other = np.full(4, 9, np.uint8)
    for call in (("glBufferSubData", ARRAY, 0, 4, other),
                 ("glBufferData", ARRAY, 4, counting(4), e.GL_STREAM_DRAW)):  # fmt: skip
        gl.n.vbo.count = 3
        getattr(gl, call[0])(*call[1:])
    assert seen == [[0, 1, 2, 3], [9, 9, 9, 9]]
    gl.n.flush_vertices = before


def test_deleted_buffers_leave_their_memory_to_scenes(gl: Any, scene: Scene) -> None:
    name = new(gl, ARRAY, counting(64))
    storage = scene.uses("array")
    gl.glDeleteBuffers(1, np.array([name], np.uint32))
    assert live(gl.ctx, BUFFERS) == 0 and storage.references == 1
    assert ctypes.string_at(address(storage) + Storage.size, 64) == bytes(range(64))


def test_replaced_memory_waits_for_readers_and_scenes(gl: Any, scene: Scene) -> None:
    other = GLContext(VISUAL, share=gl.ctx)
    two: Any = Caller(other)
    new(gl, ARRAY, counting(64))
    storage = scene.uses("array")
    other.n.reading = gl.ctx.shared.n.epoch or 1  # it began before
    gl.glBufferData(ARRAY, 64, counting(64), e.GL_STREAM_DRAW)
    assert gl.ctx.shared.n.retired == address(storage) and storage.references == 2
    other.n.reading = 0
    scene.uses("array")
    gl.glBufferData(ARRAY, 64, counting(64), e.GL_STREAM_DRAW)
    assert gl.ctx.shared.n.retired == 0 and storage.references == 1
    assert two.error() == gl.error() == 0
    other.destroy()
