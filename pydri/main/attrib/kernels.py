# SPDX-License-Identifier: MIT
"""Native glPushAttrib, glPopAttrib, glPushClientAttrib, glPopClientAttrib: loops over the rows of
attrib/tables.py.

A pop compares each run of bytes and touches only what differs, so push/pop around code that
changes nothing breaks no batch and dirties nothing. Lights keep derived bits in the key and the
matrix stacks a derived pointer: both are refreshed after a pop. Mesa: main/attrib.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import extern_c, i32, kernel, ptr, u8, u32, u64, void
from pydri.main.arrays.enable_kernels import VAO
from pydri.main.arrays.kernels import names as array_names
from pydri.main.arrays.layout import VertexArray
from pydri.main.attrib.layout import MAX_ATTRIB_STACK, MAX_CLIENT_ATTRIB_STACK
from pydri.main.attrib.tables import (
    CLIENT_BYTES,
    CLIENT_SAVED,
    REFERENCES,
    SAVED,
    SAVED_BYTES,
    Row,
)
from pydri.main.buffers.storage_kernels import BUFFER
from pydri.main.kernels import CTX, error_if, flush_vertices, is_null, mark, native
from pydri.main.layout import GLContext
from pydri.main.light.kernels import sync_color_material, update_light_flags
from pydri.main.light.layout import MAX_LIGHTS
from pydri.main.matrix.kernels import select_stack
from pydri.main.names.object_kernels import (
    ALIGNED_ALLOC,
    NAMED,
    rebind,
    reference,
    release,
)
from pydri.main.state.kernels import reclamp
from pydri.main.textures.object_kernels import (
    MAX_SAVED,
    textures_forget,
    textures_restore,
    textures_save,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.names.layout import Named

assert MAX_SAVED == MAX_ATTRIB_STACK
MEMCMP = extern_c("memcmp", i32, ptr(u8), ptr(u8), u64)
BYTES = ptr(u8)


def _columns(b: Builder, rows: list[Row]) -> tuple[Any, ...]:
    """The rows as constant tables, a column each."""
    return (
        b.table(u32, [r.bit for r in rows]),
        b.table(u32, [r.offset for r in rows]),
        b.table(u32, [r.size for r in rows]),
        b.table(u32, [r.place for r in rows]),
        b.table(u32, [r.dirty for r in rows]),
        b.table(u32, [int(r.in_key) for r in rows]),
    )


def _places(b: Builder, ctx: GLContext, rows: list[Row], offsets: Pointer) -> Any:
    """Row number -> address of the bytes in the context, or in the bound vertex array object."""
    if not any(r.in_vao for r in rows):
        return lambda n: b.bytes_from(ctx, offsets[n], u8)
    in_vao = b.table(u8, [int(r.in_vao) for r in rows])
    owners = (ctx.arrays.vao.cast(BYTES), ctx.cast(BYTES))
    return lambda n: b.bytes_from(b.select(in_vao[n] != 0, *owners), offsets[n], u8)


def _save(b: Builder, ctx: GLContext, rows: list[Row], mask: Value, image: Pointer) -> None:
    bits, offsets, sizes, places, _, _ = _columns(b, rows)
    at = _places(b, ctx, rows, offsets)
    with b.For(0, len(rows)) as n, b.If((bits[n] & mask) != 0):
        b.memcpy(image + places[n], at(n), sizes[n])


def _restore(b: Builder, ctx: GLContext, rows: list[Row], mask: Value, image: Pointer) -> None:
    bits, offsets, sizes, places, dirty, keys = _columns(b, rows)
    address = _places(b, ctx, rows, offsets)
    with b.For(0, len(rows)) as n, b.If((bits[n] & mask) != 0):
        at = address(n)
        saved = image + places[n]
        size = sizes[n]
        with b.If(b.call(MEMCMP, at, saved, b.cast(size, u64)) != 0):
            flush_vertices(b, ctx)
            b.memcpy(at, saved, size)
            mark(b, ctx, dirty[n])
            ctx.key_dirty = ctx.key_dirty | keys[n]


def _follow_color(b: Builder, ctx: GLContext, mask: Value) -> None:
    """The material that follows the current colour is written down before it is saved or its
    switch changes.
    """
    follows = ctx.key.light.color_material != 0
    with b.If(follows & ((mask & (gl.GL_LIGHTING_BIT | gl.GL_ENABLE_BIT)) != 0)):
        b.call(sync_color_material, ctx)


@kernel(void, (CTX, u32, BYTES), noinline=True)
def attrib_save(b: Builder, ctx: GLContext, mask: Value, image: Pointer) -> None:
    """Save what some bits name."""
    flush_vertices(b, ctx)  # pending vertices may still change the current values
    _follow_color(b, ctx, mask)
    _save(b, ctx, SAVED, mask, image)


@kernel(void, (CTX, u32, BYTES), noinline=True)
def attrib_restore(b: Builder, ctx: GLContext, mask: Value, image: Pointer) -> None:
    """Restore what some bits name."""
    flush_vertices(b, ctx)
    _follow_color(b, ctx, mask)
    _restore(b, ctx, SAVED, mask, image)
    clamped = gl.GL_COLOR_BUFFER_BIT | gl.GL_FOG_BIT | gl.GL_TEXTURE_BIT
    with b.If(((mask & clamped) != 0) & (ctx.raw.ever_free != 0), likely=False):
        b.call(reclamp, ctx)
    with (
        b.If((mask & (gl.GL_LIGHTING_BIT | gl.GL_ENABLE_BIT)) != 0),
        b.For(0, b.const(u32, MAX_LIGHTS)) as light,
    ):
        b.call(update_light_flags, ctx, light)
    with b.If((mask & (gl.GL_TRANSFORM_BIT | gl.GL_TEXTURE_BIT)) != 0):
        b.call(select_stack, ctx)


def _room(b: Builder, ctx: GLContext, stacks: Value, field: str, size: int) -> Any:
    """The memory for a stack's images, made at the first push; GL_OUT_OF_MEMORY without any."""
    with b.If(is_null(getattr(stacks, field)), likely=False):
        made = b.call(ALIGNED_ALLOC, 64, size)
        error_if(b, ctx, is_null(made), gl.GL_OUT_OF_MEMORY)
        setattr(stacks, field, made)
    return getattr(stacks, field)


@native
def glPushAttrib(b: Builder, ctx: GLContext, mask: Value) -> None:
    stacks = ctx.attrib
    depth = stacks.depth
    error_if(b, ctx, depth >= MAX_ATTRIB_STACK, gl.GL_STACK_OVERFLOW)
    room = _room(b, ctx, stacks, "save", SAVED_BYTES * MAX_ATTRIB_STACK)
    b.call(attrib_save, ctx, mask, room + depth * SAVED_BYTES)
    with b.If((mask & gl.GL_TEXTURE_BIT) != 0):
        error_if(b, ctx, b.call(textures_save, ctx, depth) == 0, gl.GL_OUT_OF_MEMORY)
    stacks.masks[depth] = mask
    stacks.depth = depth + 1


@native
def glPopAttrib(b: Builder, ctx: GLContext) -> None:
    stacks = ctx.attrib
    error_if(b, ctx, stacks.depth == 0, gl.GL_STACK_UNDERFLOW)
    depth = stacks.depth - 1
    stacks.depth = depth
    mask = stacks.masks[depth]
    b.call(attrib_restore, ctx, mask, stacks.save + depth * SAVED_BYTES)
    with b.If((mask & gl.GL_TEXTURE_BIT) != 0):
        b.call(textures_restore, ctx, depth)


@native
def glPushClientAttrib(b: Builder, ctx: GLContext, mask: Value) -> None:
    stacks = ctx.attrib
    depth = stacks.client_depth
    error_if(b, ctx, depth >= MAX_CLIENT_ATTRIB_STACK, gl.GL_STACK_OVERFLOW)
    room = _room(b, ctx, stacks, "client_save", CLIENT_BYTES * MAX_CLIENT_ATTRIB_STACK)
    stacks.client_masks[depth] = mask
    stacks.client_depth = depth + 1
    image = room + depth * CLIENT_BYTES
    _save(b, ctx, CLIENT_SAVED, mask, image)

    for saved, _ in _references(b, ctx, mask, image):
        with b.If(~is_null(saved.load()), likely=False):
            b.call(keep_reference, ctx, saved.load())


@kernel(void, (CTX, NAMED), noinline=True)
def keep_reference(b: Builder, ctx: GLContext, thing: Named) -> None:
    """The stack refers to an object, too."""
    reference(b, ctx, thing)


@kernel(void, (CTX, NAMED), noinline=True)
def give_reference(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Something refers to an object no more."""
    release(b, ctx, thing)


def _references(b: Builder, ctx: GLContext, mask: Value,
                image: Pointer) -> Iterator[tuple[Any, Any]]:  # fmt: skip
    """The references of an image's bits, one after the other, none of them in a loop: where the
    image has it, and where the context.
    """
    owners = (ctx.cast(BYTES), ctx.arrays.vao.cast(BYTES))
    for bit in dict.fromkeys(r.bit for r in REFERENCES):
        with b.If((mask & bit) != 0):
            for r in REFERENCES:
                if r.bit == bit:
                    saved = b.bytes_from(image, r.place, u8).cast(ptr(NAMED))
                    place = b.bytes_from(owners[r.in_vao], r.offset, u8).cast(ptr(NAMED))
                    yield saved, place


@kernel(void, (CTX, u32, BYTES), noinline=True)
def references_drop(b: Builder, ctx: GLContext, mask: Value, image: Pointer) -> None:
    """What an image refers to is not wanted."""
    for saved, _ in _references(b, ctx, mask, image):
        with b.If(~is_null(saved.load()), likely=False):
            b.call(give_reference, ctx, saved.load())


@kernel(u32, (CTX, u32, BYTES), noinline=True)
def rebind_arrays(b: Builder, ctx: GLContext, mask: Value, image: Any) -> Value:
    """The vertex array object that was bound is bound again. Returns the bits to restore: one that
    was deleted since is not made again.
    """
    out = b.var(u32, mask)
    with b.If((mask & gl.GL_CLIENT_VERTEX_ARRAY_BIT) != 0):
        arrays = ctx.arrays
        name = (image + VAO_NAME).cast(ptr(u32)).load()
        found = b.var(VAO, arrays.addr("default"))
        with b.If(name != 0):
            found.value = array_names.peek(b, ctx, name)
        with b.If(is_null(found.value)):
            b.call(references_drop, ctx, gl.GL_CLIENT_VERTEX_ARRAY_BIT, image)
            out.value = mask & ~gl.GL_CLIENT_VERTEX_ARRAY_BIT
        with b.Else():
            rebind(b, ctx, arrays.addr("vao"), found.value)
            found.value.stale = 1
            # buffers that were deleted since are not bound again; their targets stay as they are
            for place, at in (
                (ARRAY_PLACE, ctx.buffers.addr("array")),
                (ELEMENT_PLACE, found.value.addr("element_buffer")),
            ):
                saved = (image + place).cast(ptr(BUFFER))
                with b.If(~is_null(saved.load())), b.If(saved.load().deleted != 0):
                    rebind(b, ctx, saved, at.load())
    return out.value


@native
def glPopClientAttrib(b: Builder, ctx: GLContext) -> None:
    stacks = ctx.attrib
    error_if(b, ctx, stacks.client_depth == 0, gl.GL_STACK_UNDERFLOW)
    depth = stacks.client_depth - 1
    stacks.client_depth = depth
    image = stacks.client_save + depth * CLIENT_BYTES
    mask = b.call(rebind_arrays, ctx, stacks.client_masks[depth], image)
    # the image's references become the context's; then the rest is copied
    for saved, place in _references(b, ctx, mask, image):
        old = place.load()
        place.store(saved.load())
        with b.If(~is_null(old), likely=False):
            b.call(give_reference, ctx, old)
    _restore(b, ctx, CLIENT_SAVED, mask, image)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_attrib(b: Builder, ctx: GLContext) -> None:
    """The context goes: what its stacks refer to."""
    stacks = ctx.attrib
    with b.While(lambda: stacks.depth != 0):
        depth = stacks.depth - 1
        stacks.depth = depth
        with b.If((stacks.masks[depth] & gl.GL_TEXTURE_BIT) != 0):
            b.call(textures_forget, ctx, depth)
    with b.While(lambda: stacks.client_depth != 0):
        depth = stacks.client_depth - 1
        stacks.client_depth = depth
        image = stacks.client_save + depth * CLIENT_BYTES
        b.call(references_drop, ctx, stacks.client_masks[depth], image)


ARRAY_PLACE, ELEMENT_PLACE = (
    next(r.place for r in REFERENCES if (r.in_vao, r.offset) == field)
    for field in (
        (False, GLContext.offset("buffers.array")),
        (True, VertexArray.offset("element_buffer")),
    )
)
#: where a saved image of the client's state has the name of the vertex array object
VAO_NAME = next(
    row.place + VertexArray.offset("name") - row.offset
    for row in CLIENT_SAVED
    if row.in_vao and row.offset <= VertexArray.offset("name") < row.offset + row.size
)
