# SPDX-License-Identifier: MIT
"""Names of buffer objects, and the first binding of one; everything that happens to an object is
native (buffers/kernels.py), clears with formats are in buffers/clear_entries.py.

In: names. Out: `share.Buffer`s whose native half kernels read. Mesa: main/bufferobj.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.arrays.layout import VertexArray
from pydri.main.buffers.tables import TARGETS, owner_of
from pydri.main.pointers import U32, fetch, store

if TYPE_CHECKING:
    from pydri.main.context import GLContext


def _new_names(ctx: GLContext, n: int) -> list[int]:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    names = ctx.shared.new_names(ctx.shared.buffers, n)
    for name in names:
        ctx.shared.buffers[name] = None
    return names


@entry(flush=False)
def glGenBuffers(ctx: GLContext, n: int, buffers: Any) -> None:
    with ctx.shared.lock:
        names = _new_names(ctx, n)
    store(buffers, U32, names)


@entry(flush=False)
def glCreateBuffers(ctx: GLContext, n: int, buffers: Any) -> None:
    with ctx.shared.lock:
        names = _new_names(ctx, n)
        for name in names:
            ctx.shared.make_buffer(name)
    store(buffers, U32, names)


@entry(flush=False)
def glBindBuffer(ctx: GLContext, target: int, buffer: int) -> None:
    """What the kernel leaves over: the first binding of a name makes the object."""
    if target not in TARGETS:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    if buffer and ctx.core_profile and buffer not in ctx.shared.buffers:
        raise GLError(gl.GL_INVALID_OPERATION, f"buffer={buffer} is no name")
    owner, field = owner_of(ctx, target)
    setattr(owner, field, ctx.shared.make_buffer(buffer).address if buffer else 0)


def _unbind(ctx: GLContext, address: int) -> None:
    """Bindings of this context are undone: targets, and those of the bound vertex array object
    (GL 4.5, 5.1.2). Others keep the object.
    """
    for target in TARGETS:
        owner, field = owner_of(ctx, target)
        if getattr(owner, field) == address:
            setattr(owner, field, 0)
    vao = ctx.vao
    if address.to_bytes(8, "little") in ctypes.string_at(ctx.n.arrays.vao, VertexArray.size):
        for binding in vao.buffers:
            if binding.buffer == address:
                binding.buffer = binding.offset = 0  # an offset is no address
        vao.stale = 1


@entry(flush=False)
def glDeleteBuffers(ctx: GLContext, n: int, buffers: Any) -> None:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    for name in fetch(buffers, U32, n) if n else ():
        found = ctx.shared.buffers.get(name)
        if found is None:
            ctx.shared.buffers.pop(name, None)
            continue
        if found.n.mapped:
            ctx.kernel("buffer_unmap")(ctx.address, found.address)
        _unbind(ctx, found.address)
        ctx.shared.forget_buffer(name)
