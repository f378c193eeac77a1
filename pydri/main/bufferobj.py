# SPDX-License-Identifier: MIT
"""Buffer objects (GL 2.1, 2.9): creation, storage, mapping, queries. Binding an object that exists
is native (buffer_kernels.py).

In: names and client memory. Out: `share.Buffer`s whose native half kernels read. The storage is
malloc'ed, aligned, with slack behind it, and mapping hands it out as it is: vertices are fetched
when a draw is called, so nothing that is drawn later reads a buffer. Mesa: main/bufferobj.c.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.context import GLContext
from pydri.main.layout import DIRTY_ARRAYS
from pydri.main.pointers import I32, I64, U32, address_of, fetch, store
from pydri.main.share import Buffer

USAGES = (
    gl.GL_STREAM_DRAW,
    gl.GL_STREAM_READ,
    gl.GL_STREAM_COPY,
    gl.GL_STATIC_DRAW,
    gl.GL_STATIC_READ,
    gl.GL_STATIC_COPY,
    gl.GL_DYNAMIC_DRAW,
    gl.GL_DYNAMIC_READ,
    gl.GL_DYNAMIC_COPY,
)
TARGETS = {gl.GL_ARRAY_BUFFER: "array_buffer", gl.GL_ELEMENT_ARRAY_BUFFER: "element_buffer"}


def _field(target: int) -> str:
    found = TARGETS.get(target)
    if found is None:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    return found


def _bound(ctx: GLContext, target: int) -> Buffer:
    found = ctx.bound_buffer(getattr(ctx.n.arrays, _field(target)))
    if found is None:
        raise GLError(gl.GL_INVALID_OPERATION, f"target={gl.name_of(target)}: no buffer is bound")
    return found


@entry
def glGenBuffers(ctx: GLContext, n: int, buffers: Any) -> None:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    with ctx.shared.lock:
        names = ctx.shared.new_names(ctx.shared.buffers, n)
        for name in names:
            ctx.shared.buffers[name] = None
    store(buffers, U32, names)


@entry(flush=False)
def glIsBuffer(ctx: GLContext, buffer: int) -> int:
    return int(ctx.shared.buffers.get(buffer) is not None)


@entry
def glBindBuffer(ctx: GLContext, target: int, buffer: int) -> None:
    """What the kernel leaves over: the first binding of a name makes the object."""
    field = _field(target)
    address = 0
    if buffer:
        found = ctx.shared.buffers.get(buffer) or ctx.shared.make_buffer(buffer)
        address = found.address
    setattr(ctx.n.arrays, field, address)
    ctx.n.dirty |= DIRTY_ARRAYS


@entry
def glDeleteBuffers(ctx: GLContext, n: int, buffers: Any) -> None:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    arrays = ctx.n.arrays
    for name in fetch(buffers, U32, n) if n else ():
        found = ctx.shared.buffers.get(name)
        if found is None:
            ctx.shared.buffers.pop(name, None)
            continue
        found.n.mapped = 0
        # bindings of this context are undone, those of others keep the object (GL 2.1, appendix
        # D.1)
        for field in TARGETS.values():
            if getattr(arrays, field) == found.address:
                setattr(arrays, field, 0)
        for array in arrays.attribs:
            if array.buffer == found.address:
                array.buffer = array.pointer = 0
        ctx.n.dirty |= DIRTY_ARRAYS
        ctx.shared.forget_buffer(name)


@entry
def glBufferData(ctx: GLContext, target: int, size: int, data: Any, usage: int) -> None:
    _field(target)
    if usage not in USAGES:
        raise GLError(gl.GL_INVALID_ENUM, f"usage={gl.name_of(usage)}")
    if size < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"size={size}")
    buffer = _bound(ctx, target)
    try:
        ctx.shared.set_buffer_data(ctx, buffer, size, address_of(data))
    except MemoryError:
        raise GLError(gl.GL_OUT_OF_MEMORY, f"size={size}") from None
    buffer.n.mapped = 0  # a mapped buffer is unmapped by this
    buffer.map_address = 0
    buffer.usage = usage
    ctx.n.dirty |= DIRTY_ARRAYS


def _range(ctx: GLContext, target: int, offset: int, size: int) -> Buffer:
    """The bound buffer, if a range lies within it and it is not mapped."""
    buffer = _bound(ctx, target)
    if offset < 0 or size < 0 or offset + size > buffer.n.size:
        raise GLError(gl.GL_INVALID_VALUE, f"offset={offset}, size={size} of {buffer.n.size}")
    if buffer.n.mapped:
        raise GLError(gl.GL_INVALID_OPERATION, "the buffer is mapped")
    return buffer


@entry
def glBufferSubData(ctx: GLContext, target: int, offset: int, size: int, data: Any) -> None:
    buffer = _range(ctx, target, offset, size)
    if size:
        ctypes.memmove(buffer.n.data + offset, address_of(data), size)
        buffer.changed()


@entry
def glGetBufferSubData(ctx: GLContext, target: int, offset: int, size: int, data: Any) -> None:
    buffer = _range(ctx, target, offset, size)
    if size:
        ctypes.memmove(address_of(data), buffer.n.data + offset, size)


@entry
def glMapBuffer(ctx: GLContext, target: int, access: int) -> int:
    field = _field(target)
    if access not in (gl.GL_READ_ONLY, gl.GL_WRITE_ONLY, gl.GL_READ_WRITE):
        raise GLError(gl.GL_INVALID_ENUM, f"access={gl.name_of(access)}")
    buffer = _bound(ctx, target)
    if buffer.n.mapped:
        raise GLError(gl.GL_INVALID_OPERATION, f"{field}: mapped already")
    if not buffer.n.size:
        raise GLError(gl.GL_OUT_OF_MEMORY, f"{field}: the buffer has no storage")
    buffer.n.mapped = 1
    buffer.access = access
    buffer.map_address = int(buffer.n.data)
    return buffer.map_address


@entry
def glUnmapBuffer(ctx: GLContext, target: int) -> int:
    buffer = _bound(ctx, target)
    if not buffer.n.mapped:
        raise GLError(gl.GL_INVALID_OPERATION, "the buffer is not mapped")
    buffer.n.mapped = 0
    buffer.map_address = 0
    if buffer.access != gl.GL_READ_ONLY:
        buffer.changed()
    return 1


def _parameter(ctx: GLContext, target: int, pname: int) -> int:
    _field(target)
    values = {
        gl.GL_BUFFER_SIZE: lambda b: b.n.size,
        gl.GL_BUFFER_USAGE: lambda b: b.usage,
        gl.GL_BUFFER_ACCESS: lambda b: b.access,
        gl.GL_BUFFER_MAPPED: lambda b: b.n.mapped,
    }
    if pname not in values:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    return int(values[pname](_bound(ctx, target)))


@entry
def glGetBufferParameteriv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    store(params, I32, [min(_parameter(ctx, target, pname), 0x7FFFFFFF)])


@entry
def glGetBufferParameteri64v(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    store(params, I64, [_parameter(ctx, target, pname)])


@entry
def glGetBufferPointerv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    _field(target)
    if pname != gl.GL_BUFFER_MAP_POINTER:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(params, I64, [_bound(ctx, target).map_address])
