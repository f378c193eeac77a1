# SPDX-License-Identifier: MIT
"""Native buffer objects: binding, storage, mapping, copies, queries (GL 4.5, chapter 6).

In: a target or (direct state access) a name. Out: the object behind it changed in place; memory is
buffers/storage_kernels.py's. ONE table, OPERATIONS, says for each operation its kernel, the entry
point with a target and the one with a name; every kernel checks in Mesa's order and gets the
entry's slot for the report. Names are names/kernels.py's, clears with formats Python's
(buffers/clear_entries.py). Nothing here flushes immediate mode: its vertices lie elsewhere. Mesa:
main/bufferobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import i64, kernel, ptr, u8, u32, u64, void
from pydri.main.arrays.layout import VERTEX_BUFFERS
from pydri.main.buffers.bindings import binding_place, buffer_binding, points_unbind, used_points
from pydri.main.buffers.storage_kernels import (
    BUFFER,
    access_begin,
    buffer_discard,
    buffer_give,
    buffer_store,
    forget_mapping,
    read_end,
    share_join,
    share_leave,
)
from pydri.main.buffers.tables import PARAMETERS, TARGETS, USAGES
from pydri.main.kernels import (
    CTX,
    error_if,
    fail,
    gl_record_error,
    is_null,
    native,
    native_as,
    nothing,
    record_error,
    where,
)
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import NAMED, put_reference, release
from pydri.main.names.space_kernels import BYTES
from pydri.main.names.tables import BUFFERS
from pydri.main.rows import row_finder, valid
from pydri.pipe.native import MAP_READ, MAP_WRITE
from pydri.pipe.resource_kernels import head_of

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

READ, WRITE = gl.GL_MAP_READ_BIT, gl.GL_MAP_WRITE_BIT
PERSISTENT, COHERENT = gl.GL_MAP_PERSISTENT_BIT, gl.GL_MAP_COHERENT_BIT
_INVALIDATES = gl.GL_MAP_INVALIDATE_RANGE_BIT | gl.GL_MAP_INVALIDATE_BUFFER_BIT
_NOT_FOR_READING = _INVALIDATES | gl.GL_MAP_UNSYNCHRONIZED_BIT
MAP_BITS = READ | WRITE | _NOT_FOR_READING | gl.GL_MAP_FLUSH_EXPLICIT_BIT | PERSISTENT | COHERENT
STORAGE_BITS = (
    READ | WRITE | PERSISTENT | COHERENT | gl.GL_DYNAMIC_STORAGE_BIT | gl.GL_CLIENT_STORAGE_BIT
)
#: what glBufferData allows afterwards
MUTABLE_BITS = READ | WRITE | gl.GL_DYNAMIC_STORAGE_BIT


# -- which object ---------------------------------------------------------------------------------


@kernel(void, (CTX, NAMED), noinline=True)
def buffer_born(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A buffer's initial state (GL 4.5, table 6.2)."""
    thing.cast(BUFFER).usage = gl.GL_STATIC_DRAW


@kernel(void, (CTX, NAMED), noinline=True)
def buffer_unbind(b: Builder, ctx: Any, thing: Named) -> None:
    """A buffer is deleted: it is unmapped, and bindings of this context are undone: targets,
    numbered points, and those of the bound vertex array object (GL 4.5, 5.1.2). Others keep the
    object.
    """
    buffer, null = thing.cast(BUFFER), b.const(BUFFER, None)
    with b.If(buffer.mapped != 0):
        forget_mapping(b, buffer)
    for target in TARGETS:
        place = binding_place(ctx, target)
        with b.If(place.load() == buffer):
            put_reference(b, ctx, place, null)
    points_unbind(b, ctx, buffer)
    vao = ctx.arrays.vao
    with b.For(b.const(u32, 0), VERTEX_BUFFERS, 1) as n:
        binding = vao.buffers + n
        with b.If(binding.buffer == buffer):
            put_reference(b, ctx, binding.addr("buffer"), null)
            binding.offset = 0  # an offset is no address
            vao.stale = 1


@kernel(void, (CTX, NAMED), noinline=True)
def buffer_dead(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Nobody refers to a buffer: its storage goes."""
    b.call(buffer_give, thing.cast(BUFFER))


names = install(BUFFERS, __name__, born=buffer_born, unbind=buffer_unbind, dead=buffer_dead)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_buffers(b: Builder, ctx: GLContext) -> None:
    """The context goes: no target and no point of it has a buffer any more."""
    for target in TARGETS:
        put_reference(b, ctx, binding_place(ctx, target), b.const(BUFFER, None))
    for point in used_points(b, ctx):
        put_reference(b, ctx, point.addr("buffer"), b.const(BUFFER, None))


@kernel(BUFFER, (CTX, u32, u32), noinline=True)
def buffer_of_target(b: Builder, ctx: GLContext, target: Value, slot: Value) -> Any:
    """The bound object; null after an error."""
    place = b.call(buffer_binding, ctx, target)
    with b.If(is_null(place), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
        b.Return(b.const(BUFFER, None))
    found = place.load()
    with b.If(is_null(found), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
    return found


@kernel(BUFFER, (CTX, u32, u32), noinline=True)
def buffer_of_name(b: Builder, ctx: GLContext, name: Value, slot: Value) -> Any:
    """The object of a direct call, which is to be released; null after an error."""
    found = names.acquire(b, ctx, name)
    with b.If(is_null(found), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
    return found


@kernel(BUFFER, (CTX, u32, u32), noinline=True)
def buffer_made(b: Builder, ctx: GLContext, name: Value, slot: Value) -> Any:
    """The same for EXT_direct_state_access, where a name gets its object by such a call, too."""
    with b.If(name == 0, likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
        b.Return(b.const(BUFFER, None))
    return b.call(names.obtain, ctx, name, slot)


@native
def glBindBuffer(b: Builder, ctx: GLContext, target: Value, name: Value) -> None:
    place = b.call(buffer_binding, ctx, target)
    error_if(b, ctx, is_null(place), gl.GL_INVALID_ENUM)
    found, old = b.var(BUFFER, b.const(BUFFER, None)), place.load()
    with b.If(name != 0):
        with b.If(~is_null(old)), b.If((old.name == name) & (old.deleted == 0)):
            b.Return()
        found.value = names.bind(b, ctx, name, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
    put_reference(b, ctx, place, found.value)


# -- helpers of the operations --------------------------------------------------------------------


def outside(b: Builder, offset: Value, size: Value, limit: Value) -> Any:
    """Whether a range (neither number negative) does not lie within `limit` bytes."""
    start, count = b.cast(offset, u64), b.cast(size, u64)
    return (start > limit) | (count > limit - start)


def check_range(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value, size: Value,
                slot: Value) -> None:  # fmt: skip
    """A range of a buffer object, as the program gives it."""
    fail(b, ctx, (size < 0) | (offset < 0), gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, outside(b, offset, size, buffer.size), gl.GL_INVALID_VALUE, slot)


def touches_mapping(b: Builder, buffer: BufferObject, offset: Value, size: Value) -> Any:
    """Whether a range overlaps what is mapped (and not persistently)."""
    start, end = b.cast(offset, u64), b.cast(offset + size, u64)
    overlaps = (start < buffer.map_offset + buffer.map_length) & (buffer.map_offset < end)
    return (buffer.mapped == 1) & overlaps


def bytes_of(b: Builder, buffer: BufferObject, offset: Value, size: Value) -> tuple[Any, Any]:
    """(address, bytes) of a range that was checked: fewer bytes where another thread has shrunk
    the storage since. Between read_begin and read_end.
    """
    data = b.var(BYTES, buffer.data)
    count = b.var(u64, 0)
    start = b.cast(offset, u64)
    with b.If(~is_null(data.value)):
        limit = head_of(data.value).size
        with b.If(start <= limit):
            count.value = b.min(b.cast(size, u64), limit - start)
            data.value = b.bytes_from(data.value, start, u8)
    return data.value, count.value


# -- operations -----------------------------------------------------------------------------------


@kernel(void, (CTX, BUFFER, i64, BYTES, u32, u32), noinline=True)
def buffer_data(b: Builder, ctx: GLContext, buffer: BufferObject, size: Value, data: Pointer,
                usage: Value, slot: Value) -> None:  # fmt: skip
    """glBufferData."""
    fail(b, ctx, size < 0, gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, ~valid(b, ctx, usage, USAGES, "glBufferData"), gl.GL_INVALID_ENUM, slot)
    fail(b, ctx, buffer.immutable != 0, gl.GL_INVALID_OPERATION, slot)
    with b.If(buffer.mapped != 0):
        forget_mapping(b, buffer)
        buffer.serial = buffer.serial + 1
    done = b.call(buffer_store, ctx, buffer, b.cast(size, u64), data)
    fail(b, ctx, done == 0, gl.GL_OUT_OF_MEMORY, slot)
    buffer.usage = usage
    buffer.storage_flags = MUTABLE_BITS


@kernel(void, (CTX, BUFFER, i64, BYTES, u32, u32), noinline=True)
def buffer_storage(b: Builder, ctx: GLContext, buffer: BufferObject, size: Value, data: Pointer,
                   flags: Value, slot: Value) -> None:  # fmt: skip
    """glBufferStorage."""
    fail(b, ctx, size <= 0, gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, (flags & ~STORAGE_BITS) != 0, gl.GL_INVALID_VALUE, slot)
    unreachable = ((flags & PERSISTENT) != 0) & ((flags & (READ | WRITE)) == 0)
    incoherent = ((flags & COHERENT) != 0) & ((flags & PERSISTENT) == 0)
    fail(b, ctx, unreachable | incoherent, gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, buffer.immutable != 0, gl.GL_INVALID_OPERATION, slot)
    with b.If(buffer.mapped != 0):
        forget_mapping(b, buffer)
        buffer.serial = buffer.serial + 1
    done = b.call(buffer_store, ctx, buffer, b.cast(size, u64), data)
    fail(b, ctx, done == 0, gl.GL_OUT_OF_MEMORY, slot)
    buffer.usage = gl.GL_DYNAMIC_DRAW
    buffer.storage_flags = flags
    buffer.immutable = 1


@kernel(void, (CTX, BUFFER, i64, i64, BYTES, u32), noinline=True)
def buffer_sub_data(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value, size: Value,
                    data: Pointer, slot: Value) -> None:  # fmt: skip
    """glBufferSubData."""
    check_range(b, ctx, buffer, offset, size, slot)
    fail(b, ctx, touches_mapping(b, buffer, offset, size), gl.GL_INVALID_OPERATION, slot)
    fixed = (buffer.immutable != 0) & ((buffer.storage_flags & gl.GL_DYNAMIC_STORAGE_BIT) == 0)
    fail(b, ctx, fixed, gl.GL_INVALID_OPERATION, slot)
    with b.If(is_null(data)):
        b.Return()
    access_begin(b, ctx, buffer, MAP_WRITE)
    place, count = bytes_of(b, buffer, offset, size)
    b.memmove(place, data, count)
    read_end(b, ctx)


@kernel(void, (CTX, BUFFER, i64, i64, BYTES, u32), noinline=True)
def get_buffer_sub_data(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value,
                        size: Value, data: Pointer, slot: Value) -> None:  # fmt: skip
    """glGetBufferSubData."""
    check_range(b, ctx, buffer, offset, size, slot)
    fail(b, ctx, buffer.mapped == 1, gl.GL_INVALID_OPERATION, slot)
    with b.If(is_null(data)):
        b.Return()
    access_begin(b, ctx, buffer, MAP_READ)
    place, count = bytes_of(b, buffer, offset, size)
    b.memmove(data, place, count)
    read_end(b, ctx)


@kernel(void, (CTX, BUFFER, BUFFER, i64, i64, i64, u32), noinline=True)
def copy_buffer_sub_data(b: Builder, ctx: GLContext, source: BufferObject, to: BufferObject,
                         read_offset: Value, write_offset: Value, size: Value,
                         slot: Value) -> None:  # fmt: skip
    """glCopyBufferSubData."""
    fail(b, ctx, (source.mapped == 1) | (to.mapped == 1), gl.GL_INVALID_OPERATION, slot)
    negative = (read_offset < 0) | (write_offset < 0) | (size < 0)
    fail(b, ctx, negative, gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, outside(b, read_offset, size, source.size), gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, outside(b, write_offset, size, to.size), gl.GL_INVALID_VALUE, slot)
    overlap = (read_offset < write_offset + size) & (write_offset < read_offset + size)
    fail(b, ctx, (source == to) & overlap, gl.GL_INVALID_VALUE, slot)
    access_begin(b, ctx, source, MAP_READ)
    access_begin(b, ctx, to, MAP_WRITE)
    out_of, available = bytes_of(b, source, read_offset, size)
    into, room = bytes_of(b, to, write_offset, size)
    b.memmove(into, out_of, b.min(available, room))
    read_end(b, ctx)


@kernel(BYTES, (CTX, BUFFER, i64, i64, u32, u32), noinline=True)
def map_buffer_range(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value, length: Value,
                     access: Value, slot: Value) -> Any:  # fmt: skip
    """glMapBufferRange: the memory itself, aligned as the offset is."""
    fail(b, ctx, (offset < 0) | (length < 0), gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, length == 0, gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, (access & ~MAP_BITS) != 0, gl.GL_INVALID_VALUE, slot)
    bad = (access & (READ | WRITE)) == 0
    bad = bad | (((access & READ) != 0) & ((access & _NOT_FOR_READING) != 0))
    explicit = (access & gl.GL_MAP_FLUSH_EXPLICIT_BIT) != 0
    bad = bad | (explicit & ((access & WRITE) == 0))
    missing = access & (READ | WRITE | PERSISTENT | COHERENT) & ~buffer.storage_flags
    fail(b, ctx, bad | (missing != 0), gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, outside(b, offset, length, buffer.size), gl.GL_INVALID_VALUE, slot)
    return _map(b, ctx, buffer, offset, length, access, slot)


def _map(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value, length: Value,
         access: Value, slot: Value) -> Value:  # fmt: skip
    fail(b, ctx, buffer.mapped != 0, gl.GL_INVALID_OPERATION, slot)
    whole = (offset == 0) & (b.cast(length, u64) == buffer.size)
    lost = (access & gl.GL_MAP_INVALIDATE_BUFFER_BIT) != 0
    lost = lost | (((access & gl.GL_MAP_INVALIDATE_RANGE_BIT) != 0) & whole)
    with b.If((access & gl.GL_MAP_UNSYNCHRONIZED_BIT) == 0):
        with b.If(lost):
            b.call(buffer_discard, ctx, buffer)
        flags = b.select((access & WRITE) != 0, b.const(u32, MAP_WRITE), MAP_READ)
        access_begin(b, ctx, buffer, flags)
        read_end(b, ctx)
    pointer = b.bytes_from(buffer.data, b.cast(offset, u64), u8)
    buffer.mapped = b.select((access & PERSISTENT) != 0, b.const(u32, 2), 1)
    buffer.access = access
    buffer.map_offset = b.cast(offset, u64)
    buffer.map_length = b.cast(length, u64)
    buffer.map_pointer = pointer
    return pointer


@kernel(BYTES, (CTX, BUFFER, u32, u32), noinline=True)
def map_buffer(b: Builder, ctx: GLContext, buffer: BufferObject, access: Value, slot: Value) -> Any:
    """glMapBuffer: `access` as bits, 0 for what is none."""
    fail(b, ctx, access == 0, gl.GL_INVALID_ENUM, slot)
    fail(b, ctx, buffer.mapped != 0, gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, buffer.size == 0, gl.GL_OUT_OF_MEMORY, slot)
    fail(b, ctx, (access & ~buffer.storage_flags) != 0, gl.GL_INVALID_OPERATION, slot)
    return _map(b, ctx, buffer, b.const(i64, 0), b.cast(buffer.size, i64), access, slot)


@kernel(u8, (CTX, BUFFER, u32), noinline=True)
def unmap_buffer(b: Builder, ctx: GLContext, buffer: BufferObject, slot: Value) -> Value:
    """glUnmapBuffer."""
    fail(b, ctx, buffer.mapped == 0, gl.GL_INVALID_OPERATION, slot)
    forget_mapping(b, buffer)
    return b.const(u8, 1)


@kernel(void, (CTX, BUFFER, i64, i64, u32), noinline=True)
def flush_mapped_range(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value,
                       length: Value, slot: Value) -> None:  # fmt: skip
    """glFlushMappedBufferRange: the memory is the buffer's own, so there is nothing to do."""
    fail(b, ctx, (offset < 0) | (length < 0), gl.GL_INVALID_VALUE, slot)
    implicit = (buffer.access & gl.GL_MAP_FLUSH_EXPLICIT_BIT) == 0
    fail(b, ctx, (buffer.mapped == 0) | implicit, gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, outside(b, offset, length, buffer.map_length), gl.GL_INVALID_VALUE, slot)


@gl_kernel
@kernel(void, (CTX, BUFFER, u64, u64, BYTES, u32), noinline=True)
def buffer_fill(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value, size: Value,
                value: Pointer, element: Value) -> None:  # fmt: skip
    """Repeat `element` bytes over a range that was checked; a null value is zeros."""
    access_begin(b, ctx, buffer, MAP_WRITE)
    place, count = bytes_of(b, buffer, offset, size)
    with b.If(is_null(value)):
        b.memset(place, 0, count)
    with b.Else():
        step = b.cast(element, u64)
        at = b.var(u64, 0)
        with b.While(lambda: at.value + step <= count):
            b.memcpy(b.bytes_from(place, at.value, u8), value, step)
            at.value = at.value + step
    read_end(b, ctx)


_parameter_row = row_finder("buffer_parameter", PARAMETERS)


def _told(b: Builder, value: Value, told: str) -> Value:
    """A field as queries tell it."""
    if told == "flag":
        return b.cast(value != 0, u32)
    if told == "way":
        reads, writes = (value & READ) != 0, (value & WRITE) != 0
        one_way = b.select(reads, b.const(u32, gl.GL_READ_ONLY), gl.GL_WRITE_ONLY)
        return b.select(reads == writes, b.const(u32, gl.GL_READ_WRITE), one_way)
    return value


def _parameter(b: Builder, ctx: GLContext, buffer: BufferObject, pname: Any, slot: Any) -> Value:
    value = b.var(i64, 0)
    with b.Switch(b.call(_parameter_row, ctx, pname)) as s:
        for n, row in enumerate(PARAMETERS):
            with s.Case(n):
                value.value = b.cast(_told(b, getattr(buffer, row.field), row.told), i64)
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
            b.Return()
    return value.value


@kernel(void, (CTX, BUFFER, u32, BYTES, u32), noinline=True)
def get_parameter_iv(b: Builder, ctx: GLContext, buffer: BufferObject, pname: Value,
                     params: Pointer, slot: Value) -> None:  # fmt: skip
    """glGetBufferParameteriv."""
    value = _parameter(b, ctx, buffer, pname, slot)
    params.cast(ptr(u32)).store(b.cast(b.min(value, 0x7FFFFFFF), u32))


@kernel(void, (CTX, BUFFER, u32, BYTES, u32), noinline=True)
def get_parameter_i64v(b: Builder, ctx: GLContext, buffer: BufferObject, pname: Value,
                       params: Pointer, slot: Value) -> None:  # fmt: skip
    """glGetBufferParameteri64v."""
    params.cast(ptr(i64)).store(_parameter(b, ctx, buffer, pname, slot))


@kernel(void, (CTX, BUFFER, u32, BYTES, u32), noinline=True)
def get_pointer(b: Builder, ctx: GLContext, buffer: BufferObject, pname: Value, params: Pointer,
                slot: Value) -> None:  # fmt: skip
    """glGetBufferPointerv."""
    fail(b, ctx, pname != gl.GL_BUFFER_MAP_POINTER, gl.GL_INVALID_ENUM, slot)
    params.cast(ptr(BYTES)).store(buffer.map_pointer)


class Operation(NamedTuple):
    """One operation on a buffer: its kernel, the entry with a target, those with a name."""

    kernel: Any
    by_target: str
    by_name: tuple[str, ...] = ()


OPERATIONS: tuple[Operation, ...] = (
    Operation(buffer_data, "glBufferData", ("glNamedBufferData", "glNamedBufferDataEXT")),
    Operation(buffer_storage, "glBufferStorage",
              ("glNamedBufferStorage", "glNamedBufferStorageEXT")),
    Operation(buffer_sub_data, "glBufferSubData",
              ("glNamedBufferSubData", "glNamedBufferSubDataEXT")),
    Operation(get_pointer, "glGetBufferPointerv",
              ("glGetNamedBufferPointerv", "glGetNamedBufferPointervEXT")),
    Operation(
        get_buffer_sub_data,
        "glGetBufferSubData",
        ("glGetNamedBufferSubData", "glGetNamedBufferSubDataEXT"),
    ),
    Operation(
        map_buffer_range,
        "glMapBufferRange",
        ("glMapNamedBufferRange", "glMapNamedBufferRangeEXT"),
    ),
    Operation(unmap_buffer, "glUnmapBuffer", ("glUnmapNamedBuffer", "glUnmapNamedBufferEXT")),
    Operation(
        flush_mapped_range,
        "glFlushMappedBufferRange",
        ("glFlushMappedNamedBufferRange", "glFlushMappedNamedBufferRangeEXT"),
    ),
    Operation(
        get_parameter_iv,
        "glGetBufferParameteriv",
        ("glGetNamedBufferParameteriv", "glGetNamedBufferParameterivEXT"),
    ),
    Operation(get_parameter_i64v, "glGetBufferParameteri64v", ("glGetNamedBufferParameteri64v",)),
)  # fmt: skip


def _returning(b: Builder, buffer: BufferObject) -> None:
    """Leave if the object was not found (the error is recorded)."""
    with b.If(is_null(buffer), likely=False):
        b.Return(nothing(b))


def _leave(b: Builder, ctx: GLContext, find: Any, *buffers: Any) -> None:
    """What `buffer_of_name` found is given back; a bound object stays bound."""
    for buffer in buffers if find is not buffer_of_target else ():
        release(b, ctx, buffer.cast(NAMED))


def by_name(entry: str) -> Any:
    """How a direct command finds its buffer; one cannot be mapped that is not there yet."""
    makes = entry.endswith("EXT") and entry != "glUnmapNamedBufferEXT"
    return buffer_made if makes else buffer_of_name


def _register(name: str, find: Any, operation: Any) -> None:
    def body(b: Builder, ctx: GLContext, which: Value, *args: Any) -> Any:
        buffer = b.call(find, ctx, which, where(b))
        _returning(b, buffer)
        passed = [a.cast(BYTES) if hasattr(a, "cast") else a for a in args]
        result = b.call(operation, ctx, buffer, *passed, where(b))
        _leave(b, ctx, find, buffer)
        return result

    native_as(name, body)


for _row in OPERATIONS:
    _register(_row.by_target, buffer_of_target, _row.kernel)
    for _name in _row.by_name:
        _register(_name, by_name(_name), _row.kernel)

_ACCESS = {
    gl.GL_READ_ONLY: READ,
    gl.GL_WRITE_ONLY: WRITE,
    gl.GL_READ_WRITE: READ | WRITE,
}
_access_row = row_finder("map_access", tuple(_ACCESS))


def _register_map(name: str, find: Any) -> None:
    """glMapBuffer: a wrong access comes before a wrong target, as with Mesa."""

    def body(b: Builder, ctx: GLContext, which: Value, access: Value) -> Any:
        row = b.call(_access_row, ctx, access)
        with b.If(row < 0, likely=False):
            record_error(b, ctx, gl.GL_INVALID_ENUM)
            b.Return(b.const(BYTES, None))
        bits = b.table(u32, list(_ACCESS.values()))[row]
        buffer = b.call(find, ctx, which, where(b))
        _returning(b, buffer)
        result = b.call(map_buffer, ctx, buffer, bits, where(b))
        _leave(b, ctx, find, buffer)
        return result

    native_as(name, body)


for _name, _find in (
    ("glMapBuffer", buffer_of_target),
    ("glMapNamedBuffer", buffer_of_name),
    ("glMapNamedBufferEXT", buffer_made),
):
    _register_map(_name, _find)


def _register_copy(name: str, find: Any) -> None:
    def body(b: Builder, ctx: GLContext, source: Pointer, to: BufferObject, *rest: Any) -> None:
        out_of = b.call(find, ctx, source, where(b))
        _returning(b, out_of)
        into = b.call(find, ctx, to, where(b))
        with b.If(~is_null(into), likely=True):
            b.call(copy_buffer_sub_data, ctx, out_of, into, *rest, where(b))
            _leave(b, ctx, find, into)
        _leave(b, ctx, find, out_of)

    native_as(name, body)


for _name, _find in (
    ("glCopyBufferSubData", buffer_of_target),
    ("glCopyNamedBufferSubData", buffer_of_name),
    ("glNamedCopyBufferSubDataEXT", buffer_made),
):
    _register_copy(_name, _find)


@native
def glInvalidateBufferData(b: Builder, ctx: GLContext, name: Value) -> None:
    """Nothing is lost unless a scene uses it: the content may be what it was
    (ARB_invalidate_subdata)."""
    buffer = names.acquire(b, ctx, name)
    error_if(b, ctx, is_null(buffer), gl.GL_INVALID_VALUE)
    with b.If(buffer.mapped == 1):
        record_error(b, ctx, gl.GL_INVALID_OPERATION)
    with b.If(buffer.mapped == 0):
        b.call(buffer_discard, ctx, buffer)
    release(b, ctx, buffer.cast(NAMED))


@native
def glInvalidateBufferSubData(b: Builder, ctx: GLContext, name: Value, offset: Value,
                              length: Value) -> None:  # fmt: skip
    buffer = names.peek(b, ctx, name)
    error_if(b, ctx, is_null(buffer), gl.GL_INVALID_VALUE)
    error_if(b, ctx, (offset < 0) | (length < 0), gl.GL_INVALID_VALUE)
    error_if(b, ctx, outside(b, offset, length, buffer.size), gl.GL_INVALID_VALUE)
    error_if(b, ctx, touches_mapping(b, buffer, offset, length), gl.GL_INVALID_OPERATION)


#: called by name from Python
EXPORTS = [share_join, share_leave]
