# SPDX-License-Identifier: MIT
"""Queries of generic arrays and of vertex array objects by name; everything else is native
(arrays/kernels.py). Mesa: main/varray.c (glGetVertexAttrib), main/arrayobj.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.api.where import COMPAT_ONLY, In
from pydri.main.arrays.layout import VertexArray
from pydri.main.names.objects import name_at, object_by_name
from pydri.main.names.tables import ARRAYS
from pydri.main.pointers import F32, F64, I32, I64, bounded, store

if TYPE_CHECKING:
    from pydri.main.context import GLContext

MAX_GENERIC = 16
GENERIC0 = 15  # VERT_ATTRIB_GENERIC0
# -- queries --------------------------------------------------------------------------------------


class AttribQuery(NamedTuple):
    """A parameter of a generic array, and what it is of an attribute and its vertex array."""

    enum: int
    value: Callable[[Any, Any], int]
    where: In | None = None


#: as Mesa's, each compatibility context answers
_LONG = In(20, 43)
QUERIES: dict[int, AttribQuery] = {row.enum: row for row in (
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_ENABLED, lambda a, v: a.enabled),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_SIZE, lambda a, v: a.size),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_STRIDE, lambda a, v: a.given_stride),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_TYPE, lambda a, v: a.type),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_NORMALIZED, lambda a, v: a.normalized),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_INTEGER, lambda a, v: a.integer),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_LONG, lambda a, v: 0, _LONG),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_DIVISOR, lambda a, v: v.buffers[a.binding].divisor),
    AttribQuery(gl.GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING,
                lambda a, v: name_at(v.buffers[a.binding].buffer)),
    AttribQuery(gl.GL_VERTEX_ATTRIB_BINDING, lambda a, v: a.binding - GENERIC0),
    AttribQuery(gl.GL_VERTEX_ATTRIB_RELATIVE_OFFSET, lambda a, v: a.relative_offset),
)}  # fmt: skip


#: where generic attribute 0 is the vertex, and has no current value
VERTEX = COMPAT_ONLY


def generic(index: int) -> int:
    if index >= MAX_GENERIC:
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    return GENERIC0 + index


def attribute(ctx: GLContext, vao: Any, index: int, pname: int) -> int:
    slot = generic(index)
    row = ctx.row(QUERIES, pname)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    return int(row.value(vao.attribs[slot], vao))


def _values(ctx: GLContext, index: int, pname: int) -> list[Any]:
    if pname == gl.GL_CURRENT_VERTEX_ATTRIB:
        if not index and ctx.has(VERTEX):
            raise GLError(gl.GL_INVALID_OPERATION, "index=0")
        ctx.flush_vertices()
        return list(ctx.n.val.current[generic(index)])
    return [attribute(ctx, ctx.vao, index, pname)]


@entry(flush=False)
def glGetVertexAttribfv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, F32, [float(v) for v in _values(ctx, index, pname)])


@entry(flush=False)
def glGetVertexAttribdv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, F64, [float(v) for v in _values(ctx, index, pname)])


@entry(flush=False)
def glGetVertexAttribiv(ctx: GLContext, index: int, pname: int, params: Any) -> None:
    store(params, I32, [int(bounded(v)) for v in _values(ctx, index, pname)])


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
    slot = generic(index)
    if pname != gl.GL_VERTEX_ATTRIB_ARRAY_POINTER:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(pointer, I64, [ctx.vao.attribs[slot].pointer])


def _named(ctx: GLContext, name: int) -> Any:
    if not name:
        return VertexArray.view(ctx.default_vao)
    with object_by_name(ctx, ARRAYS, name) as vao:  # it is this context's: nobody else deletes it
        if vao is None:
            raise GLError(gl.GL_INVALID_OPERATION, f"vaobj={name}")
        return vao


@entry(flush=False)
def glGetVertexArrayiv(ctx: GLContext, vaobj: int, pname: int, param: Any) -> None:
    vao = _named(ctx, vaobj)
    if pname != gl.GL_ELEMENT_ARRAY_BUFFER_BINDING:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I32, [name_at(vao.element_buffer)])


@entry(flush=False)
def glGetVertexArrayIndexediv(
    ctx: GLContext, vaobj: int, index: int, pname: int, param: Any
) -> None:
    vao = _named(ctx, vaobj)
    if pname == gl.GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I32, [attribute(ctx, vao, index, pname)])


@entry(flush=False)
def glGetVertexArrayIndexed64iv(
    ctx: GLContext, vaobj: int, index: int, pname: int, param: Any
) -> None:
    vao = _named(ctx, vaobj)
    if pname != gl.GL_VERTEX_BINDING_OFFSET:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I64, [vao.buffers[generic(index)].offset])
