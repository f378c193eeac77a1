# SPDX-License-Identifier: MIT
"""Queries of vertex array objects by name (EXT_direct_state_access): what glGet, glIsEnabled,
glGetPointerv and glGetVertexAttrib say of the bound one. Mesa: main/varray.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.arrays.entries import attribute, generic
from pydri.main.get.entries import values
from pydri.main.get.tables import POINTERS
from pydri.main.names.objects import NOWHERE
from pydri.main.pointers import I32, I64, U32, store
from pydri.main.textures.layout import MAX_TEXTURE_UNITS

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_OF_ARRAY = ("", "_SIZE", "_TYPE", "_STRIDE", "_BUFFER_BINDING")
_COORDINATES = {getattr(gl, "GL_TEXTURE_COORD_ARRAY" + what) for what in _OF_ARRAY}
_INTEGERS = {
    gl.GL_CLIENT_ACTIVE_TEXTURE, gl.GL_ARRAY_BUFFER_BINDING, gl.GL_ELEMENT_ARRAY_BUFFER_BINDING,
    *_COORDINATES,
    *(
        getattr(gl, f"GL_{array}_ARRAY{what}")
        for array in ("VERTEX", "NORMAL", "COLOR", "INDEX", "EDGE_FLAG", "FOG_COORD",
                      "SECONDARY_COLOR")
        for what in _OF_ARRAY
        if hasattr(gl, f"GL_{array}_ARRAY{what}")
    ),
}  # fmt: skip


@contextmanager
def _selected(ctx: GLContext, vaobj: int, unit: int | None = None) -> Iterator[bool]:
    """An object is the bound one, and a unit the client's; False: there is no such object, which
    the kernel that looks for it has recorded."""
    if not vaobj:
        raise GLError(gl.GL_INVALID_OPERATION, "vaobj=0")
    address = int(ctx.kernel("vao_obtain")(ctx.address, vaobj, NOWHERE))
    arrays = ctx.n.arrays
    before = arrays.vao, arrays.client_active_texture
    try:
        if address:
            arrays.vao = address
        if unit is not None:
            arrays.client_active_texture = unit
        yield bool(address)
    finally:
        arrays.vao, arrays.client_active_texture = before
        if address:
            ctx.kernel("object_release")(ctx.address, address)


def _unit(index: int) -> int:
    if index >= MAX_TEXTURE_UNITS:
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    return index


@entry(flush=False)
def glGetVertexArrayIntegervEXT(ctx: GLContext, vaobj: int, pname: int, param: Any) -> None:
    with _selected(ctx, vaobj) as there:
        if there and pname in POINTERS:  # what of a pointer fits
            store(param, U32, [_pointer(ctx, pname) & 0xFFFFFFFF])
        elif there and pname in _INTEGERS:
            store(param, I32, values(ctx, pname)[1])
        elif there:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")


def _pointer(ctx: GLContext, pname: int) -> int:
    """What glGetPointerv says of an array."""
    of_unit = pname == gl.GL_TEXTURE_COORD_ARRAY_POINTER
    unit = ctx.n.arrays.client_active_texture if of_unit else 0
    return int(ctx.vao.attribs[POINTERS[pname] + unit].pointer or 0)


@entry(flush=False)
def glGetVertexArrayIntegeri_vEXT(
    ctx: GLContext, vaobj: int, index: int, pname: int, param: Any
) -> None:
    of_unit = pname in _COORDINATES
    with _selected(ctx, vaobj, _unit(index) if of_unit else None) as there:
        if there and of_unit:
            store(param, I32, values(ctx, pname)[1])
        elif there:
            store(param, I32, [attribute(ctx, ctx.vao, index, pname)])


@entry(flush=False)
def glGetVertexArrayPointervEXT(ctx: GLContext, vaobj: int, pname: int, param: Any) -> None:
    with _selected(ctx, vaobj) as there:
        if there and pname not in POINTERS:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        if there:
            store(param, I64, [_pointer(ctx, pname)])


@entry(flush=False)
def glGetVertexArrayPointeri_vEXT(
    ctx: GLContext, vaobj: int, index: int, pname: int, param: Any
) -> None:
    with _selected(ctx, vaobj) as there:
        if there and pname == gl.GL_VERTEX_ATTRIB_ARRAY_POINTER:
            store(param, I64, [ctx.vao.attribs[generic(index)].pointer])
        elif there and pname == gl.GL_TEXTURE_COORD_ARRAY_POINTER:
            slot = POINTERS[pname] + _unit(index)
            store(param, I64, [ctx.vao.attribs[slot].pointer])
        elif there:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
