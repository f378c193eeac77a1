# SPDX-License-Identifier: MIT
"""Compiles display lists: turns what the entry points of save.py collect into nodes. All of it is
kernels (of the module `vbo_save`): programs make lists anew every frame.

In: the store (native.VboSave). Out: one block of memory with the nodes of the list. Vertices stay
in the store until something else must happen between them (a call, the end of the list): then they
become one DRAW node with all primitives of one layout, followed by the values that are current
afterwards. Separate and strip primitives of a node are joined into few indexed draws. A node is
replayed call by call ("loopback") only where it has to be: a primitive that begins or ends in
another list, or an attribute that appears in the middle of one, so that earlier vertices get
whatever is current at playback. Counterpart of Mesa's vbo_save_api.c and main/dlist.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_INVALID_ENUM, GL_INVALID_OPERATION, GL_OUT_OF_MEMORY
from pydri.api.gl_table import TABLE
from pydri.jit import extern_c
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, gl_record_error, is_null, wrong_mode
from pydri.main.layout import VboPrim
from pydri.main.names.space_kernels import BYTES, FREE_MEMORY, MALLOC
from pydri.nir.enums import VERT_ATTRIB_EDGEFLAG, VERT_ATTRIB_MAT0
from pydri.pipe.native import MAX_ATTRIBS, PRIM_END
from pydri.vbo.core import V4, begin_prim, empty_store, measure, reset_layout
from pydri.vbo.join import group_end, index_count, join, list_prim
from pydri.vbo.lists import list_enter
from pydri.vbo.native import (
    LOOPBACK,
    NODE_ATTRS,
    NODE_CALL_POINTER,
    NODE_DRAW,
    NODE_END,
    NODE_ERROR,
    OUTSIDE,
    SLACK,
    SLOT_BYTES,
    SLOT_FORMATS,
    AttrsNode,
    AttrValue,
    CallNode,
    DrawNode,
    ErrorNode,
    ListNode,
    ListPrim,
    VboSave,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

SAVE = ptr(VboSave)
NODE = ptr(ListNode)
REALLOC = extern_c("realloc", BYTES, BYTES, u64)

_TAIL = ListNode.size + 64  # the last node, and what vector loads may reach beyond the last byte
_FIRST_NODES = 4096  # bytes
_KEPT = 1 << 18  # bytes of the store and of the nodes that are kept from list to list
_ALIGN = 15  # of what lies in nodes
_VERTEX_ATTRIBS = (1 << VERT_ATTRIB_MAT0) - 1
_CURRENT = VboSave.offset("current")
_CURRENT_BYTES = MAX_ATTRIBS * SLOT_BYTES

# what a command does to a list (the argument `flags` of save_call)
INSIDE = 1  # may stand between glBegin and glEnd
CALLS_LISTS = 2  # which may end the primitive, and begin another
CHANGES_CURRENT = 4  # current values are not known afterwards


def save_of(ctx: Any) -> Any:
    """The store of the list being compiled."""
    return ctx.dlist.save.cast(SAVE)


def aligned(size: Any) -> Any:
    """A size rounded up to what nodes are aligned to."""
    return (size + _ALIGN) & ~_ALIGN


def bit_of(b: Builder, slot: Value) -> Value:
    """The bit of an attribute slot."""
    return b.const(u64, 1) << b.cast(slot, u64)


# -- memory ----------------------------------------------------------------------------------------


@kernel(u32, (SAVE, u64), noinline=True)
def save_room(b: Builder, s: VboSave, size: Value) -> None:
    """Room for a node of `size` bytes. 0: no memory, and the list has failed."""
    wanted = s.nodes_used + size + _TAIL
    with b.If(wanted > s.nodes_size, likely=False):
        total = b.max(b.max(wanted, s.nodes_size * 2), _FIRST_NODES)
        fresh = b.call(REALLOC, s.nodes, total)
        with b.If(is_null(fresh)):
            s.failed = 1
            s.nodes_used = 0
            b.Return(0)
        s.nodes = fresh
        s.nodes_size = total
    b.Return(1)


@kernel(NODE, (SAVE, u64, u32, u32), noinline=True)
def save_node(b: Builder, s: VboSave, size: Value, kind: Value, slot: Value) -> Value:
    """A new node at the end of the list, null if there is no memory; `size` is a multiple of 16."""
    with b.If(b.call(save_room, s, size) == 0, likely=False):
        b.Return(b.const(NODE, None))
    node = b.bytes_from(s.nodes, s.nodes_used, ListNode)
    s.nodes_used = s.nodes_used + size
    node.size, node.kind, node.slot = size, kind, slot
    return node


@kernel(void, (SAVE,), noinline=True)
def save_grow(b: Builder, s: VboSave) -> None:
    """Room for twice as many vertices. If there is no memory, those there are are dropped."""
    used = b.ptr_to_int(s.cursor) - b.ptr_to_int(s.buffer)
    size = s.buffer_size * 2
    fresh = b.call(REALLOC, s.buffer, size)
    with b.If(is_null(fresh)):
        s.failed = 1
        mode, flags = (s.prims + s.prim_count).mode, (s.prims + s.prim_count).flags
        empty_store(s)
        s.prims.mode, s.prims.flags, s.prims.start = mode, flags, 0
        b.Return()
    s.buffer = fresh
    s.buffer_size = size
    s.cursor = b.bytes_from(fresh, used, u8)
    measure(b, s)


@kernel(u32, (SAVE,), noinline=True)
def save_grow_prims(b: Builder, s: VboSave) -> Value:
    """Room for twice as many primitives. 0: no memory, and the closed ones are dropped."""
    size = b.cast(s.max_prims, u64) * (2 * VboPrim.size)
    fresh = b.call(REALLOC, s.prims.cast(BYTES), size)
    with b.If(is_null(fresh)):
        s.failed = 1
        empty_store(s)
        b.Return(0)
    s.prims = fresh.cast(ptr(VboPrim))
    s.max_prims = s.max_prims * 2
    return b.const(u32, 1)


# -- nodes -----------------------------------------------------------------------------------------


@kernel(void, (SAVE, ptr(VboPrim), u32, BYTES, u32, u32), noinline=True)
def save_draw_node(b: Builder, s: VboSave, prims: VboPrim, count: Value, vertices: Pointer,
                   vertex_count: Value, flags: Value) -> None:  # fmt: skip
    """Vertices in the store's layout and their primitives (which count from the first of them)."""
    joined, indices = b.var(u32, count), b.var(u64, 0)
    edges = (s.layout >> VERT_ATTRIB_EDGEFLAG) & 1
    with b.If((flags == 0) & (edges == 0) & (count > 1)):
        at = b.var(u32, 0)
        joined.value = 0
        with b.While(lambda: at.value < count):
            end = group_end(b, prims, at.value, count)
            with b.If(end - at.value > 1), b.For(at.value, end, 1) as k:
                indices.value = indices.value + b.cast(b.call(index_count, prims + k), u64)
            joined.value = joined.value + 1
            at.value = end
    size = b.select(vertex_count <= 0x10000, b.const(u32, 2), 4)
    same = indices.value == 0
    no_firsts = (flags == 0) | (s.has_first == 0)
    # what the node holds, one after the other
    prim_bytes = b.cast(joined.value, u64) * ListPrim.size
    plain = b.const(u64, DrawNode.size) + prim_bytes
    first = plain + b.select(same, b.const(u64, 0), b.cast(count, u64) * ListPrim.size)
    index_place = first + b.select(
        no_firsts, b.const(u64, 0), aligned(b.const(u64, MAX_ATTRIBS * 4))
    )
    vertex_place = aligned(index_place + indices.value * b.cast(size, u64))
    vertex_bytes = b.cast(vertex_count, u64) * b.cast(s.vertex_size, u64)
    head = b.call(save_node, s, vertex_place + vertex_bytes, NODE_DRAW, 0)
    with b.If(is_null(head), likely=False):
        b.Return()
    node = head.cast(ptr(DrawNode))

    def inside(place: Any, to: Any) -> Pointer:
        return b.bytes_from(head, place, to)

    def offset(field: str, place: Any) -> None:
        b.store(node.addr(field).cast(ptr(u64)), place)

    offset("prims", b.const(u64, DrawNode.size))
    offset("plain", b.select(same, b.const(u64, DrawNode.size), plain))
    offset("indices", b.select(same, b.const(u64, 0), index_place))
    offset("first", b.select(no_firsts, b.const(u64, 0), first))
    offset("vertices", vertex_place)
    node.flags = flags
    node.prim_count = joined.value
    node.plain_count = count
    node.vertex_size, node.vertex_count = s.vertex_size, vertex_count
    node.attr_count = s.attr_count
    b.memcpy(node.slots, s.slots, 48)
    b.memcpy(node.formats, s.formats, 48)
    with b.For(b.const(u32, 0), count, 1) as n:
        list_prim(
            b, inside(b.select(same, b.const(u64, DrawNode.size), plain), ListPrim) + n, prims + n
        )
    with b.If(~same):
        b.call(join, prims, count, inside(DrawNode.size, ListPrim), inside(index_place, u8), size)
    with b.If(~no_firsts):
        b.memcpy(inside(first, u8), s.first, MAX_ATTRIBS * 4)
    b.memcpy(inside(vertex_place, u8), vertices, vertex_bytes)


@kernel(void, (SAVE, u64), noinline=True)
def save_attrs_node(b: Builder, s: VboSave, slots: Value) -> None:
    """The values of some slots become current."""
    count = b.cast(b.popcount(slots), u32)
    size = b.cast(count, u64) * AttrValue.size + AttrsNode.offset("values")
    head = b.call(save_node, s, size, NODE_ATTRS, 0)
    with b.If(is_null(head), likely=False):
        b.Return()
    node = head.cast(ptr(AttrsNode))
    node.count = count
    left, value = b.var(u64, slots), b.var(ptr(AttrValue), node.values)
    with b.While(lambda: left.value != 0):
        slot = b.cast(b.ctz(left.value), u32)
        left.value = left.value & (left.value - 1)
        value.value.slot = slot
        b.store(value.value.value, (s.current.cast(ptr(f32)) + slot * 4).load(V4), 4)
        value.value = value.value + 1


@kernel(void, (CTX, u32, u32), noinline=True)
def save_error(b: Builder, ctx: GLContext, error: Value, slot: Value) -> None:
    """A mistake: it happens at playback, and its place among the vertices does not matter. In
    GL_COMPILE_AND_EXECUTE mode the command is run as well and complains on its own.
    """
    node = b.call(save_node, save_of(ctx), ErrorNode.size, NODE_ERROR, slot)
    with b.If(~is_null(node)):
        node.cast(ptr(ErrorNode)).error = error


# -- the store -------------------------------------------------------------------------------------


def open_prim(b: Builder, s: Any, mode: Any, flags: Any, begin_mode: Any) -> None:
    """A primitive begins, or goes on."""
    prim = s.prims + s.prim_count
    prim.mode, prim.start, prim.count, prim.flags = mode, s.count, 0, flags
    s.begin_mode = begin_mode


@kernel(void, (SAVE, u32), noinline=True)
def save_close_store(b: Builder, s: VboSave, ended: Value) -> None:
    """Make nodes of what the store holds. An open primitive goes on in the next node, unless glEnd
    `ended` it.
    """
    begin_mode = s.begin_mode
    is_open = begin_mode != 0
    last = s.prims + s.prim_count
    rest, mode, flags = b.var(u32, 0), b.var(u32, 0), b.var(u32, 0)
    with b.If(is_open):
        rest.value, mode.value, flags.value = s.count - last.start, last.mode, last.flags
    closed = s.count - rest.value
    with b.If(s.prim_count != 0):
        b.call(save_draw_node, s, s.prims, s.prim_count, s.buffer, closed, 0)
    with b.If(is_open):
        piece = flags.value | b.select(ended != 0, b.const(u32, PRIM_END), 0)
        with b.If((rest.value | piece) != 0):
            last.start, last.count, last.flags = 0, rest.value, piece
            place = b.bytes_from(s.buffer, b.cast(closed, u64) * b.cast(s.vertex_size, u64), u8)
            b.call(save_draw_node, s, last, 1, place, rest.value, LOOPBACK)
    with b.If(s.touched != 0):
        b.call(save_attrs_node, s, s.touched)
    s.known = s.known | s.touched
    s.touched = 0
    s.has_first, s.loopback = 0, 0
    empty_store(s)
    reset_layout(b, s)
    measure(b, s)
    with b.If(is_open & (ended == 0) & (begin_mode != OUTSIDE)):
        open_prim(b, s, mode.value, 0, begin_mode)
        s.loopback = 1
    with b.Else():
        s.begin_mode = 0


def close(b: Builder, s: Any, ended: int = 0) -> None:
    """The same, if the store holds something."""
    holds = (s.count | s.prim_count | s.begin_mode) != 0
    with b.If(holds | (s.touched != 0) | (s.layout != 1)):
        b.call(save_close_store, s, ended)


@kernel(void, (SAVE,), noinline=True)
def save_split_closed(b: Builder, s: VboSave) -> None:
    """Closed primitives become a node; the open one moves to the front. The layout stays."""
    last = s.prims + s.prim_count
    kept = b.select(s.begin_mode != 0, s.count - last.start, 0)
    with b.If(s.prim_count != 0):
        b.call(save_draw_node, s, s.prims, s.prim_count, s.buffer, s.count - kept, 0)
    size = b.cast(kept, u64) * b.cast(s.vertex_size, u64)
    b.memmove(s.buffer, b.bytes_from(s.cursor, -size, u8), size)
    mode, flags = last.mode, last.flags
    empty_store(s)
    with b.If(s.begin_mode != 0):
        open_prim(b, s, mode, flags, s.begin_mode)
    s.count = kept
    s.cursor = b.bytes_from(s.buffer, size, u8)


@kernel(void, (SAVE, V4), noinline=True)
def save_widen(b: Builder, s: VboSave, value: Value) -> None:
    """Add a column with one value to the stored vertices."""
    need = (b.cast(s.count, u64) + SLACK) * b.cast(s.vertex_size + SLOT_BYTES, u64)
    with b.While(lambda: need > s.buffer_size):
        b.call(save_grow, s)
        with b.If(s.count == 0):
            b.Return()
    old = s.attr_count
    old_size = b.cast(s.vertex_size, u64)
    # from the last vertex and its last attribute down: what is written has been read
    left = b.var(u64, b.cast(s.count, u64))
    with b.While(lambda: left.value != 0):
        left.value = left.value - 1
        source = b.bytes_from(s.buffer, left.value * old_size, f32)
        to = b.bytes_from(s.buffer, left.value * (old_size + SLOT_BYTES), f32)
        b.store(to + old * 4, value, 4)
        chunk = b.var(u32, old)
        with b.While(lambda: chunk.value != 0):
            chunk.value = chunk.value - 1
            b.store(to + chunk.value * 4, (source + chunk.value * 4).load(V4), 4)


@kernel(void, (SAVE, u32), noinline=True)
def save_add_attribute(b: Builder, s: VboSave, slot: Value) -> None:
    """A slot is set that is not in the layout; its new value is not written yet."""
    bit = bit_of(b, slot)
    known = (s.known & bit) != 0
    with b.If((s.count != 0) & ~known):
        # stored vertices get what is current at playback: they may not share a node with those
        # that follow
        b.call(save_split_closed, s)
    n = s.attr_count
    with b.If(s.count != 0):
        b.call(save_widen, s, (s.current.cast(ptr(f32)) + slot * 4).load(V4))
        with b.If(~known):
            # in the middle of a primitive
            with b.If(s.has_first == 0), b.For(b.const(u32, 0), n, 1) as k:
                s.first[k] = 0
            s.first[n] = s.count
            s.has_first, s.loopback = 1, 1
        with b.Elif(lambda: s.has_first != 0):
            s.first[n] = 0
    with b.Elif(lambda: s.has_first != 0):
        s.first[n] = 0
    s.slots[n] = b.cast(slot, u8)
    s.sources[n] = slot * SLOT_BYTES + _CURRENT
    s.formats[slot] = b.table(u8, SLOT_FORMATS)[slot]
    s.attr_count = n + 1
    s.vertex_size = (n + 1) * SLOT_BYTES
    s.layout = s.layout | bit
    s.cursor = b.bytes_from(s.buffer, b.cast(s.count, u64) * b.cast(s.vertex_size, u64), u8)
    measure(b, s)
    with b.If(s.count >= s.capacity):
        b.call(save_grow, s)


@kernel(void, (CTX, u32), noinline=True)
def save_begin_rare(b: Builder, ctx: GLContext, mode: Value) -> None:
    """glBegin that is a mistake, or follows on vertices without one."""
    s = save_of(ctx)
    slot = TABLE.slots["glBegin"]
    with b.If((s.begin_mode != 0) & (s.begin_mode != OUTSIDE)):
        b.call(save_error, ctx, GL_INVALID_OPERATION, slot)
    with b.Elif(lambda: wrong_mode(b, ctx, mode)):
        b.call(save_error, ctx, GL_INVALID_ENUM, slot)
    with b.Else():
        close(b, s)
        s.loopback = 0
        begin_prim(b, s, mode)


@kernel(void, (SAVE,), noinline=True)
def save_end_rare(b: Builder, s: VboSave) -> None:
    """glEnd of a primitive that did not begin, or does not wholly lie, in one node of this list."""
    with b.If(s.begin_mode == 0):
        close(b, s)
        open_prim(b, s, 0, 0, OUTSIDE)
    b.call(save_close_store, s, 1)


@kernel(void, (SAVE,), noinline=True)
def save_empty(b: Builder, s: VboSave) -> None:
    """A primitive without vertices: it draws nothing, but may not be played inside another."""
    node = b.call(save_node, s, DrawNode.size, NODE_DRAW, 0)
    with b.If(~is_null(node)):
        place = b.bytes_from(node, ListNode.size, u8)
        b.memset(place, 0, DrawNode.size - ListNode.size)
        node.cast(ptr(DrawNode)).attr_count = 1


@kernel(void, (SAVE,), noinline=True)
def save_outside(b: Builder, s: VboSave) -> None:
    """A vertex without glBegin."""
    with b.If(s.count != 0):
        b.call(save_close_store, s, 0)
    open_prim(b, s, 0, 0, OUTSIDE)
    s.loopback = 1


@kernel(void, (SAVE, u32), noinline=True)
def save_arrays(b: Builder, s: VboSave, begin: Value) -> None:
    """Arrays are unrolled like elements, but leave what is current as it was (GL 2.1, 2.8: it
    becomes indeterminate; programs count on Mesa's answer): so they have a node of their own.
    """
    with b.If(begin != 0):
        close(b, s)
        b.memcpy(s.before, s.current, _CURRENT_BYTES)
        s.before_known = s.known
    with b.Else():
        s.touched = 0
        close(b, s)
        s.known = s.before_known
        b.memcpy(s.current, s.before, _CURRENT_BYTES)


# -- commands --------------------------------------------------------------------------------------


@kernel(ptr(CallNode), (CTX, u32, u32, u64, u32), noinline=True)
def save_call(b: Builder, ctx: GLContext, slot: Value, flags: Value, size: Value,
              kind: Value) -> None:  # fmt: skip
    """The node of a command, to be filled in; null if it is an error here, or there is no memory.
    `size` is a multiple of 16.
    """
    s = save_of(ctx)
    none = b.const(ptr(CallNode), None)
    between = (s.begin_mode != 0) & (s.begin_mode != OUTSIDE)
    with b.If(between & ((flags & INSIDE) == 0), likely=False):
        b.call(save_error, ctx, GL_INVALID_OPERATION, slot)
        b.Return(none)
    close(b, s)
    with b.If((flags & CALLS_LISTS) != 0):
        s.begin_mode, s.loopback = 0, 0
    # materials change by many commands: glMaterial, glEnable(GL_COLOR_MATERIAL) ...
    changes = (flags & CHANGES_CURRENT) != 0
    s.known = b.select(changes, b.const(u64, 0), s.known & _VERTEX_ATTRIBS)
    return b.call(save_node, s, size, kind, slot).cast(ptr(CallNode))


# -- the end ---------------------------------------------------------------------------------------


@kernel(void, (NODE,), noinline=True)
def list_finish(b: Builder, first: ListNode) -> None:
    """Offsets within nodes become addresses: the list is where it stays."""
    node = b.var(NODE, first)
    with b.While(lambda: node.value.kind != NODE_END):
        here = node.value
        with b.If(here.kind == NODE_DRAW):
            for field in ("prims", "vertices", "indices", "plain", "first"):
                place = here.cast(ptr(DrawNode)).addr(field).cast(ptr(u64))
                offset = place.load()
                b.store(place, b.select(offset != 0, b.ptr_to_int(here) + offset, offset))
        with b.Elif(lambda: here.kind >= NODE_CALL_POINTER):
            call = here.cast(ptr(CallNode))
            for n in range(2):
                with b.If(call.pointers[n] != 0):
                    cell = b.bytes_from(here, call.pointers[n], u64)
                    cell.store(b.ptr_to_int(here) + cell.load())
        node.value = b.bytes_from(here, here.size, ListNode)


@kernel(u32, (SAVE, ptr(BYTES)), noinline=True)
def list_done(b: Builder, s: VboSave, out: Pointer) -> Value:
    """The finished list's nodes, or null if it has no commands. 0: no memory."""
    close(b, s)
    used = s.nodes_used
    out.store(b.const(BYTES, None))
    with b.If((s.failed == 0) & (used == 0)):
        b.Return(1)
    with b.If((s.failed != 0) | (b.call(save_room, s, ListNode.size) == 0), likely=False):
        b.Return(0)
    end = b.bytes_from(s.nodes, used, ListNode)
    end.size, end.kind, end.slot = ListNode.size, NODE_END, 0
    total = used + _TAIL
    block = b.var(BYTES, b.const(BYTES, None))
    with b.If(total > _KEPT):
        # it is not copied: what follows begins in new memory
        block.value = b.call(REALLOC, s.nodes, total)
        with b.If(is_null(block.value)):
            b.Return(0)
        s.nodes = b.const(BYTES, None)
        s.nodes_size = 0
    with b.Else():
        block.value = b.call(MALLOC, total)
        with b.If(is_null(block.value)):
            b.Return(0)
        b.memcpy(block.value, s.nodes, used + ListNode.size)
    b.call(list_finish, block.value.cast(NODE))
    out.store(block.value)
    return b.const(u32, 1)


def _give_back(b: Builder, s: Any) -> None:
    """Memory that only a big list needed."""
    with b.If(s.buffer_size > _KEPT, likely=False):
        fresh = b.call(REALLOC, s.buffer, _KEPT)
        with b.If(~is_null(fresh)):
            s.buffer = fresh
            s.buffer_size = _KEPT
    most = _KEPT // VboPrim.size
    with b.If(s.max_prims > most, likely=False):
        fresh = b.call(REALLOC, s.prims.cast(BYTES), _KEPT)
        with b.If(~is_null(fresh)):
            s.prims = fresh.cast(ptr(VboPrim))
            s.max_prims = most


@kernel(void, (CTX, u32), noinline=True)
def save_end_list(b: Builder, ctx: GLContext, where: Value) -> None:
    """glEndList. Behind a glBegin that the list has executed it is an error, and yet ends the list,
    as it does on the peer: a program would not know that all it calls later is compiled.
    """
    begun = ctx.vbo.begin_mode != 0
    with b.If(begun, likely=False):
        b.call(gl_record_error, ctx, GL_INVALID_OPERATION, where)
    s = save_of(ctx)
    dlist = ctx.dlist
    nodes = b.array(BYTES, 1)
    entered = b.var(u32, 0)
    with b.If(b.call(list_done, s, nodes) != 0, likely=True):
        entered.value = b.call(list_enter, ctx, dlist.name, nodes.load())
        with b.If((entered.value == 0) & ~is_null(nodes.load()), likely=False):
            b.call(FREE_MEMORY, nodes.load())
    with b.If(entered.value == 0, likely=False):
        b.call(gl_record_error, ctx, GL_OUT_OF_MEMORY, where)
    _give_back(b, s)
    dlist.name, dlist.mode = 0, 0
    ctx.dispatch = b.select(begun, ctx.begin_end_table, ctx.exec_table)
