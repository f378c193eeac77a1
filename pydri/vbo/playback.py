# SPDX-License-Identifier: MIT
"""Playback of display lists: native, a switch over the nodes of native.py. glCallList,
glCallLists, glListBase.

In: lists of the share group, by name (lists.py). Out: draws, new current values, calls
through `ctx.dispatch`.

Any command with any C signature is called by one piece of code. The C ABI of this machine (System
V x86-64) passes integers and pointers in registers of one file and floating point in another, each
in the order of the arguments whatever stands between, and a callee does not look at registers (or
stack cells) that it has no parameter for. So a recorded call is five integer cells, eight
floating-point cells and, in a second form, eight stack cells. `CALL_ABI` is that function type; a
test checks every listable row against it. Counterpart of Mesa's execute_list and vbo_save_draw.c,
vbo_save_loopback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import gl_kernel
from pydri.api.enums import (
    GL_FIRST_VERTEX_CONVENTION,
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
)
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, f64, fn, i8, i16, i32, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, error_if, gl_record_error, is_null, native, one_of
from pydri.main.layout import MAX_LIST_NESTING
from pydri.main.names.object_kernels import NAMED, release
from pydri.nir.enums import VERT_ATTRIB_EDGEFLAG, VERT_ATTRIB_MAT0
from pydri.pipe.native import PRIM_BEGIN, PRIM_END
from pydri.vbo.core import (
    SLOT_BYTES,
    V4,
    bind_attributes,
    set_formats,
    value_place,
    vbo_attr,
    vbo_begin,
    vbo_end,
    vbo_flush,
    vbo_vertex,
)
from pydri.vbo.exec import vbo_set_material
from pydri.vbo.lists import LIST, names
from pydri.vbo.native import (
    FLOAT_REGISTERS,
    INT_REGISTERS,
    LOOPBACK,
    NODE_ATTRS,
    NODE_CALL,
    NODE_CALL_INTS,
    NODE_CALL_POINTER,
    NODE_CALL_STACK,
    NODE_DRAW,
    NODE_END,
    NODE_ERROR,
    NODE_PIXELS,
    STACK_CELLS,
    AttrsNode,
    AttrValue,
    CallNode,
    DrawNode,
    ErrorNode,
    ListNode,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import DisplayList

_REGISTERS = (*(u64,) * INT_REGISTERS, *(f64,) * FLOAT_REGISTERS)
CALL_ABI = fn(void, CTX, *_REGISTERS)
CALL_INTS_ABI = fn(void, CTX, *(u64,) * INT_REGISTERS)
CALL_STACK_ABI = fn(void, CTX, *_REGISTERS, *(u64,) * STACK_CELLS)


@kernel(void, (CTX, u32, V4), noinline=True)
def vbo_set_any(b: Builder, ctx: GLContext, slot: Value, value: Value) -> None:
    """A new value of an attribute or a material."""
    with b.If(slot >= VERT_ATTRIB_MAT0):
        b.call(vbo_set_material, ctx, slot, value)
    with b.Else():
        b.call(vbo_attr, ctx, slot, value)


@kernel(void, (CTX, ptr(DrawNode)), noinline=True)
def vbo_loopback(b: Builder, ctx: GLContext, node: Any) -> None:
    """Replay a node call by call: primitives that are not whole, or attributes of which the first
    vertices know nothing.
    """
    slots = node.slots
    first = node.first
    with b.For(b.const(u32, 0), node.prim_count, 1) as n:
        p = node.prims + n
        with b.If((p.flags & PRIM_BEGIN) != 0):
            with b.If(ctx.vbo.begin_mode != 0):
                b.call(gl_record_error, ctx, GL_INVALID_OPERATION, 0xFFFFFFFF)
            with b.Else():
                b.call(vbo_begin, ctx, p.mode)
        with b.For(p.start, p.start + p.count, 1) as v:
            row = b.bytes_from(node.vertices, b.cast(v, u64) * b.cast(node.vertex_size, u64), f32)
            with b.For(b.const(u32, 1), node.attr_count, 1) as a:
                since = b.var(u32, 0)
                with b.If(~is_null(first)):
                    since.value = first[a]
                with b.If(v >= since.value):
                    value = b.bytes_from(row, b.cast(a, u64) * SLOT_BYTES, f32).load(V4)
                    b.call(vbo_set_any, ctx, b.cast(slots[a], u32), value)
            b.call(vbo_vertex, ctx, row.load(V4))
        with b.If((p.flags & PRIM_END) != 0):
            with b.If(ctx.vbo.begin_mode == 0):
                b.call(gl_record_error, ctx, GL_INVALID_OPERATION, 0xFFFFFFFF)
            with b.Else():
                b.call(vbo_end, ctx)


@kernel(void, (CTX, ptr(DrawNode)), noinline=True)
def vbo_play_draw(b: Builder, ctx: Any, node: Any) -> None:
    """Draw a node's primitives straight from the list's memory."""
    with b.If((node.flags & LOOPBACK) != 0, likely=False):
        b.call(vbo_loopback, ctx, node)
        b.Return()
    with b.If(ctx.vbo.begin_mode != 0, likely=False):
        b.call(gl_record_error, ctx, GL_INVALID_OPERATION, 0xFFFFFFFF)
        b.Return()
    with b.If(node.prim_count == 0, likely=False):
        b.Return()
    with b.If(ctx.vbo.count != 0, likely=False):
        b.call(vbo_flush, ctx)
    set_formats(b, ctx, node.formats)
    bind_attributes(
        b, ctx, node.attr_count, node.slots, node.vertices, node.vertex_size, node.vertex_count
    )
    info = ctx.vbo.info
    info.attribs = ctx.vbo.bindings
    info.index_bias = 0
    info.bounds_known = 1
    info.indices = node.indices
    # joined primitives look different where the first vertex provokes, and where edges can be
    # hidden
    edge = value_place(b, ctx, VERT_ATTRIB_EDGEFLAG)[0]
    plain = (b.cast(ctx.key.provoking, u32) == GL_FIRST_VERTEX_CONVENTION) | (edge == 0.0)
    prims = b.select(plain, node.plain, node.prims)
    with b.For(b.const(u32, 0), b.select(plain, node.plain_count, node.prim_count), 1) as n:
        p = prims + n
        info.mode = p.mode
        info.index_size = p.index_size
        info.start = p.start
        info.count = p.count
        info.min_index = p.min_index
        info.max_index = p.max_index
        info.prim_flags = p.flags
        b.call(ctx.draw, ctx, info)


def _function(b: Builder, ctx: GLContext, slot: Any, abi: Any) -> Any:
    """What stands in the current dispatch table for a slot."""
    return ctx.dispatch.cast(ptr(abi))[slot]


@kernel(void, (CTX, ptr(CallNode)), inline=True)
def vbo_play_ints(b: Builder, ctx: GLContext, node: Any) -> None:
    """A command without floats: the node ends before theirs."""
    args = [node.ints[n] for n in range(INT_REGISTERS)]
    b.call(_function(b, ctx, node.slot, CALL_INTS_ABI), ctx, *args)


def _call(b: Builder, ctx: GLContext, node: Any, stack: bool) -> None:
    args = [node.ints[n] for n in range(INT_REGISTERS)]
    floats = node.floats.cast(ptr(f64))
    args += [floats[n] for n in range(FLOAT_REGISTERS)]
    if stack:
        args += [node.stack[n] for n in range(STACK_CELLS)]
    b.call(_function(b, ctx, node.slot, CALL_STACK_ABI if stack else CALL_ABI), ctx, *args)


#: pixel store as list images are kept: rows without gaps (alignment 1, everything else 0)
TIGHT = (1, 0, 0, 0, 0, 0, 0, 0)


@kernel(void, (CTX, ptr(CallNode)), noinline=True)
def vbo_play_pixels(b: Builder, ctx: GLContext, node: Any) -> None:
    """A command with an image that was unpacked when it was compiled: the pixel store of today
    does not apply.
    """
    ty = i32.vec(8)
    saved, buffer = ctx.raw.unpack.load(ty), ctx.pixel.unpack_buffer
    ctx.raw.unpack.store(b.const(ty, list(TIGHT)))
    ctx.pixel.unpack_buffer = None
    _call(b, ctx, node, True)
    ctx.raw.unpack.store(saved)
    ctx.pixel.unpack_buffer = buffer


def _collected(b: Builder, ctx: GLContext) -> None:
    """What immediate mode has collected goes first: the list may begin with state that concerns it
    not.
    """
    with b.If((ctx.vbo.count != 0) & (ctx.vbo.begin_mode == 0), likely=False):
        b.call(vbo_flush, ctx)


@kernel(void, (CTX, LIST), noinline=True)
def vbo_play(b: Any, ctx: GLContext, played: DisplayList) -> None:
    """Play a list and give the caller's reference to it back; too deep a nesting and a list without
    commands do nothing.
    """
    dlist = ctx.dlist
    with b.If((dlist.nesting >= MAX_LIST_NESTING) | is_null(played.nodes), likely=False):
        release(b, ctx, played.cast(NAMED))
        b.Return()
    _collected(b, ctx)
    dlist.nesting = dlist.nesting + 1
    node = b.var(ptr(ListNode), played.nodes.cast(ptr(ListNode)))
    with b.Loop():
        here = node.value
        with b.If(here.kind == NODE_END):
            b.Break()
        with b.Switch(here.kind) as s:
            with s.Case(NODE_DRAW):
                b.call(vbo_play_draw, ctx, here.cast(ptr(DrawNode)))
            with s.Case(NODE_ATTRS):
                attrs = here.cast(ptr(AttrsNode))
                values = attrs.values.cast(ptr(AttrValue))
                with b.For(b.const(u32, 0), attrs.count, 1) as n:
                    entry = values + n
                    b.call(vbo_set_any, ctx, entry.slot, entry.value.load(V4))
            with s.Case(NODE_CALL_INTS, NODE_CALL_POINTER):
                b.call(vbo_play_ints, ctx, here.cast(ptr(CallNode)))
            with s.Case(NODE_CALL):
                _call(b, ctx, here.cast(ptr(CallNode)), False)
            with s.Case(NODE_CALL_STACK):
                _call(b, ctx, here.cast(ptr(CallNode)), True)
            with s.Case(NODE_PIXELS):
                b.call(vbo_play_pixels, ctx, here.cast(ptr(CallNode)))
            with s.Case(NODE_ERROR):
                mistake = here.cast(ptr(ErrorNode))
                b.call(gl_record_error, ctx, mistake.error, mistake.slot)
        node.value = b.bytes_from(here, here.size, ListNode)
    dlist.nesting = dlist.nesting - 1
    release(b, ctx, played.cast(NAMED))


@gl_kernel
@kernel(void, (CTX, u32), noinline=True)
def vbo_call_list(b: Builder, ctx: GLContext, name: Value) -> None:
    """glCallList; names of no list do nothing."""
    played = names.acquire(b, ctx, name)
    with b.If(~is_null(played), likely=True):
        b.call(vbo_play, ctx, played)


@native
def glCallList(b: Builder, ctx: GLContext, name: Value) -> None:
    b.call(vbo_call_list, ctx, name)


# glCallLists types, in order from GL_BYTE
_LIST_TYPES = {
    0x1400: i8,
    0x1401: u8,
    0x1402: i16,
    0x1403: u16,
    0x1404: i32,
    0x1405: u32,
    0x1406: f32,
}
_BYTE_TYPES = {0x1407: 2, 0x1408: 3, 0x1409: 4}


@kernel(u32, (u32, ptr(u8), i32), noinline=True)
def vbo_list_offset(b: Builder, type_: Value, lists: Pointer, n: Any) -> None:
    """The n-th number of a glCallLists array."""
    with b.Switch(type_) as s:
        for code, ty in _LIST_TYPES.items():
            with s.Case(code):
                x = lists.cast(ptr(ty))[n]
                b.Return(b.cast(b.cast(x, i32), u32))
        for code, size in _BYTE_TYPES.items():
            with s.Case(code):
                p = b.bytes_from(lists, b.cast(n, u64) * size, u8)
                out = b.cast(p[0], u32)
                for k in range(1, size):
                    out = (out << 8) | b.cast(p[k], u32)
                b.Return(out)
    b.Return(0)


@native
def glCallLists(b: Builder, ctx: GLContext, n: Any, type_: Value, lists: Pointer) -> None:
    error_if(b, ctx, ~one_of(b, type_, [*_LIST_TYPES, *_BYTE_TYPES]), GL_INVALID_ENUM)
    error_if(b, ctx, n < 0, GL_INVALID_VALUE)
    with b.If(is_null(lists)):
        b.Return()
    with b.For(b.const(i32, 0), n, 1) as i:
        # a list may change the base for those after it
        name = ctx.raw.list_base + b.call(vbo_list_offset, type_, lists, i)
        played = names.acquire(b, ctx, name)
        with b.If(~is_null(played), likely=True):
            b.call(vbo_play, ctx, played)


@native
def glListBase(b: Builder, ctx: GLContext, base: Value) -> None:
    ctx.raw.list_base = base


__all__ = ["CALL_ABI", "CALL_STACK_ABI", "TIGHT", "vbo_call_list", "vbo_play"]
