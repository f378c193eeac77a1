# SPDX-License-Identifier: MIT
"""Names of vertex array objects and the queries of generic arrays; state and binding are native
(arrays/kernels.py).

In: names. Out: `layout.VertexArray` blocks, one an object, and the table of their addresses that
glBindVertexArray looks names up in. They belong to one context (GL 4.5, 5.1.3). Mesa:
main/arrayobj.c, main/varray.c (glGetVertexAttrib).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main import defaults, memory
from pydri.main.arrays.layout import VertexArray
from pydri.main.pointers import F32, F64, I32, I64, U32, fetch, store

if TYPE_CHECKING:
    from pydri.main.context import GLContext

MAX_GENERIC = 16
GENERIC0 = 15  # VERT_ATTRIB_GENERIC0
_FIRST_TABLE = 64


def _enter(ctx: GLContext, name: int) -> None:
    """Make the object of a reserved name."""
    arrays = ctx.n.arrays
    if name >= arrays.name_count:
        arrays.names, arrays.name_count = memory.grow_table(
            arrays.names or 0, arrays.name_count, name, _FIRST_TABLE
        )
    address = memory.allocate(VertexArray.size)
    vao = VertexArray.view(address)
    defaults.vertex_array(vao)
    vao.name = name
    ctx.vaos[name] = address
    ctypes.c_uint64.from_address(arrays.names + 8 * name).value = address


def _reserve(ctx: GLContext, n: int) -> list[int]:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    names: list[int] = []
    candidate = 1
    while len(names) < n:  # the smallest free ones: the table stays small
        if candidate not in ctx.vaos:
            names.append(candidate)
        candidate += 1
    for name in names:
        ctx.vaos[name] = 0
    return names


@entry(flush=False)
def glGenVertexArrays(ctx: GLContext, n: int, arrays: Any) -> None:
    store(arrays, U32, _reserve(ctx, n))


@entry(flush=False)
def glCreateVertexArrays(ctx: GLContext, n: int, arrays: Any) -> None:
    names = _reserve(ctx, n)
    for name in names:
        _enter(ctx, name)
    store(arrays, U32, names)


@entry(flush=False)
def glBindVertexArray(ctx: GLContext, array: int) -> None:
    """What the kernel leaves over: the first binding of a name makes the object."""
    if array not in ctx.vaos:
        raise GLError(gl.GL_INVALID_OPERATION, f"array={array} is no name of glGenVertexArrays")
    if not ctx.vaos[array]:
        _enter(ctx, array)
    ctx.n.arrays.vao = ctx.vaos[array]


@entry(flush=False)
def glDeleteVertexArrays(ctx: GLContext, n: int, arrays: Any) -> None:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    for name in fetch(arrays, U32, n) if n else ():
        address = ctx.vaos.pop(name, 0)
        if not address:
            continue
        block = ctx.n.arrays
        if block.vao == address:
            block.vao = ctx.default_vao
        ctypes.c_uint64.from_address(block.names + 8 * name).value = 0
        memory.free(address)


# -- queries --------------------------------------------------------------------------------------

_ATTRIB: dict[int, Callable[[Any, Any], int]] = {
    gl.GL_VERTEX_ATTRIB_ARRAY_ENABLED: lambda a, v: a.enabled,
    gl.GL_VERTEX_ATTRIB_ARRAY_SIZE: lambda a, v: a.size,
    gl.GL_VERTEX_ATTRIB_ARRAY_STRIDE: lambda a, v: a.given_stride,
    gl.GL_VERTEX_ATTRIB_ARRAY_TYPE: lambda a, v: a.type,
    gl.GL_VERTEX_ATTRIB_ARRAY_NORMALIZED: lambda a, v: a.normalized,
    gl.GL_VERTEX_ATTRIB_ARRAY_INTEGER: lambda a, v: a.integer,
    gl.GL_VERTEX_ATTRIB_ARRAY_LONG: lambda a, v: 0,
    gl.GL_VERTEX_ATTRIB_ARRAY_DIVISOR: lambda a, v: v.buffers[a.binding].divisor,
    gl.GL_VERTEX_ATTRIB_BINDING: lambda a, v: a.binding - GENERIC0,
    gl.GL_VERTEX_ATTRIB_RELATIVE_OFFSET: lambda a, v: a.relative_offset,
}


def _generic(index: int) -> int:
    if index >= MAX_GENERIC:
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    return GENERIC0 + index


def _attrib(ctx: GLContext, vao: Any, index: int, pname: int) -> int:
    slot = _generic(index)
    array = vao.attribs[slot]
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING:
        buffer = ctx.bound_buffer(vao.buffers[array.binding].buffer)
        return buffer.name if buffer is not None else 0
    if pname not in _ATTRIB:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    return int(_ATTRIB[pname](array, vao))


def _values(ctx: GLContext, index: int, pname: int) -> list[Any]:
    if pname == gl.GL_CURRENT_VERTEX_ATTRIB:
        if not index and not ctx.core_profile:  # it is the vertex and has no current value
            raise GLError(gl.GL_INVALID_OPERATION, "index=0")
        ctx.flush_vertices()
        return list(ctx.n.val.current[_generic(index)])
    return [_attrib(ctx, ctx.vao, index, pname)]


@entry(flush=False)
def glGetVertexAttribfv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, F32, [float(v) for v in _values(ctx, index, pname)])


@entry(flush=False)
def glGetVertexAttribdv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, F64, [float(v) for v in _values(ctx, index, pname)])


@entry(flush=False)
def glGetVertexAttribiv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, I32, [int(v) for v in _values(ctx, index, pname)])


def _bits(ctx: GLContext, index: int, pname: int) -> list[int]:
    values = _values(ctx, index, pname)
    if pname == gl.GL_CURRENT_VERTEX_ATTRIB:
        return list((ctypes.c_int32 * 4).from_buffer_copy((ctypes.c_float * 4)(*values)))
    return [int(v) for v in values]


@entry(flush=False)
def glGetVertexAttribIiv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    """The current value's bits as they were given to glVertexAttribI."""
    store(params, I32, _bits(ctx, index, pname))


@entry(flush=False)
def glGetVertexAttribIuiv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, I32, _bits(ctx, index, pname))


@entry(flush=False)
def glGetVertexAttribPointerv(ctx: GLContext, index: int, pname: int, pointer: Any) -> None:
    slot = _generic(index)
    if pname != gl.GL_VERTEX_ATTRIB_ARRAY_POINTER:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(pointer, I64, [ctx.vao.attribs[slot].pointer])


def _named(ctx: GLContext, name: int) -> Any:
    address = ctx.vaos.get(name, 0) if name else ctx.default_vao
    if not address:
        raise GLError(gl.GL_INVALID_OPERATION, f"vaobj={name}")
    return VertexArray.view(address)


@entry(flush=False)
def glGetVertexArrayiv(ctx: GLContext, vaobj: int, pname: int, param: Any) -> None:
    vao = _named(ctx, vaobj)
    if pname != gl.GL_ELEMENT_ARRAY_BUFFER_BINDING:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    buffer = ctx.bound_buffer(vao.element_buffer)
    store(param, I32, [buffer.name if buffer is not None else 0])


@entry(flush=False)
def glGetVertexArrayIndexediv(
    ctx: GLContext, vaobj: int, index: int, pname: int, param: Any
) -> None:
    vao = _named(ctx, vaobj)
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I32, [_attrib(ctx, vao, index, pname)])


@entry(flush=False)
def glGetVertexArrayIndexed64iv(
    ctx: GLContext, vaobj: int, index: int, pname: int, param: Any
) -> None:
    vao = _named(ctx, vaobj)
    if pname != gl.GL_VERTEX_BINDING_OFFSET:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I64, [vao.buffers[_generic(index)].offset])
