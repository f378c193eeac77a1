# SPDX-License-Identifier: MIT
"""Questions about uniforms and uniform blocks by index (ARB_uniform_buffer_object; OpenGL 3.1,
2.11.4).

In: programs, names, indices. Out: what resources.py finds in the linker's table, and the binding
points of blocks, which the executable has. Nothing is stored where there is an error. Mesa:
main/uniforms.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.glsl.link.linked import UNIFORM_BLOCK
from pydri.main.pointers import I32, U32, address_of, fetch, store
from pydri.main.shaders.entries import name_text
from pydri.main.shaders.layout import Executable
from pydri.main.shaders.objects import ProgramData, program_of
from pydri.main.shaders.query_entries import put_text
from pydri.main.shaders.resources import (
    BLOCK_PROPERTIES,
    UNIFORM_PROPERTIES,
    block_index,
    full_name,
    uniform_indices,
)

if TYPE_CHECKING:
    from pydri.glsl.link.linked import Resource
    from pydri.main.context import GLContext


def _rows(program: ProgramData, interface: str = "") -> list[Resource]:
    """A program's uniforms, or blocks; one that is not linked has none."""
    linked = program.linked
    if linked is None:
        return []
    return linked.resources[interface] if interface else linked.uniforms


def _row(rows: list[Resource], index: int) -> Resource:
    if index >= len(rows):
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    return rows[index]


@entry(flush=False)
def glGetUniformIndices(
    ctx: GLContext, program: int, count: int, names: Any, indices: Any
) -> None:
    with ctx.shared.lock:
        linked = program_of(ctx, program).linked
        if count < 0:
            raise GLError(gl.GL_INVALID_VALUE, f"uniformCount={count}")
        at = address_of(names)
        pointers = list((ctypes.c_void_p * count).from_address(at)) if count else []
        texts = [ctypes.string_at(p).decode("latin-1") if p else "" for p in pointers]
        store(indices, U32, uniform_indices(linked, texts))


@entry(flush=False)
def glGetActiveUniformsiv(
    ctx: GLContext, program: int, count: int, indices: Any, pname: int, params: Any
) -> None:
    with ctx.shared.lock:
        rows = _rows(program_of(ctx, program))
        if count < 0:
            raise GLError(gl.GL_INVALID_VALUE, f"uniformCount={count}")
        wanted = fetch(indices, U32, count) if count else []
        found = [_row(rows, index) for index in wanted]
        value = UNIFORM_PROPERTIES.get(pname)
        if value is None:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        store(params, I32, [value(row) for row in found])


@entry(flush=False)
def glGetActiveUniformName(
    ctx: GLContext, program: int, index: int, room: int, length: Any, name: Any
) -> None:
    with ctx.shared.lock:
        row = _row(_rows(program_of(ctx, program)), index)
        put_text(full_name(row).encode("latin-1"), room, length, name)


@entry(flush=False)
def glGetUniformBlockIndex(ctx: GLContext, program: int, name: Any) -> int:
    with ctx.shared.lock:
        try:
            linked = program_of(ctx, program).linked
        except GLError as error:
            ctx.record_error(error.enum, f"glGetUniformBlockIndex({error})")
            return gl.GL_INVALID_INDEX
        text = name_text(name)
        if linked is None or text is None:
            return gl.GL_INVALID_INDEX
        return block_index(linked, text)


def _block(ctx: GLContext, program: int, index: int) -> tuple[ProgramData, Resource]:
    found = program_of(ctx, program)
    return found, _row(_rows(found, UNIFORM_BLOCK), index)


@entry(flush=False)
def glGetActiveUniformBlockiv(
    ctx: GLContext, program: int, index: int, pname: int, params: Any
) -> None:
    with ctx.shared.lock:
        found, row = _block(ctx, program, index)
        value = BLOCK_PROPERTIES.get(pname)
        if pname == gl.GL_UNIFORM_BLOCK_BINDING:
            values = [int(Executable.view(found.n.exec).bindings[index])]
        elif pname == gl.GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES:
            values = list(row.members)
        elif value is None:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        else:
            values = [value(row)]
        store(params, I32, values)


@entry(flush=False)
def glGetActiveUniformBlockName(
    ctx: GLContext, program: int, index: int, room: int, length: Any, name: Any
) -> None:
    with ctx.shared.lock:
        _, row = _block(ctx, program, index)
        put_text(row.name.encode("latin-1"), room, length, name)


__all__: list[str] = []
