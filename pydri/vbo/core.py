# SPDX-License-Identifier: MIT
"""The vertex store, shared by immediate mode and by lists being compiled: append a vertex, close a
primitive, draw.

In: a pointer to a `VboBlock` (or the `VboSave` of a list). Out: vertices in its buffer, primitives
in its list, and for immediate mode draws through `ctx.draw`. Current values live in the context; a
vertex copies those of the layout's attributes. So an attribute call is one store, and an attribute
costs a vertex something only if it was set while vertices were pending.

Deterministic on purpose: a flush forgets the layout, so the same calls after the same state change
give the same layout and the same pipeline, frame after frame (Mesa keeps the layout and lets
history choose). The price is one cheap repacking per attribute and flush.

Counterpart of Mesa's vbo_exec_api.c, vbo_exec_draw.c and vbo_split/copy of open primitives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import gl_kernel
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX
from pydri.main.layout import VboBlock
from pydri.main.light.kernels import set_materials
from pydri.nir.enums import VERT_ATTRIB_GENERIC0, VERT_ATTRIB_POS
from pydri.pipe.native import MAX_ATTRIBS, PRIM_BEGIN, PRIM_END
from pydri.vbo.native import (
    LINE_LOOP,
    LINE_STRIP,
    LINE_STRIP_ADJACENCY,
    LINES,
    LINES_ADJACENCY,
    MERGEABLE,
    MIN_VERTICES,
    POLYGON,
    QUAD_STRIP,
    QUADS,
    RGB32F,
    RGBA32F,
    SLACK,
    SLOT_BYTES,
    SLOT_FORMATS,
    SOURCE_OFFSETS,
    TRIANGLE_FAN,
    TRIANGLE_STRIP,
    TRIANGLE_STRIP_ADJACENCY,
    TRIANGLES,
    TRIANGLES_ADJACENCY,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.vbo.native import VboSave

V4 = f32.vec(4)


def value_place(b: Builder, ctx: GLContext, slot: Operand) -> Any:
    """Pointer to the four floats of a slot's current value; the slot may be a Python number or a
    value.
    """
    if isinstance(slot, int):
        return b.offset_pointer(ctx, SOURCE_OFFSETS[slot], ptr(f32))
    offset = b.table(u32, SOURCE_OFFSETS)[slot]
    return b.bytes_from(ctx, b.cast(offset, u64), f32)


def append_vertex(b: Builder, store: Any, base: Any, position: Value) -> Value:
    """Write a vertex at the cursor: position, then each attribute of the layout. Returns the new
    count.
    """
    at = store.cursor
    size = store.vertex_size
    b.store(at.cast(ptr(f32)), position, 4)
    sources = store.sources
    with b.For(b.const(u32, SLOT_BYTES), size, SLOT_BYTES) as i:
        source = b.bytes_from(sources, b.cast(i >> 2, u64), u32).load(u32)
        b.store((at + i).cast(ptr(f32)), b.bytes_from(base, b.cast(source, u64), f32).load(V4), 4)
    store.cursor = at + size
    count = store.count + 1
    store.count = count
    return count


def four_components(store: Any) -> None:
    """A vertex gives w: from here on positions are fetched with it (in others it is 1)."""
    store.formats[VERT_ATTRIB_POS] = RGBA32F
    store.formats[VERT_ATTRIB_GENERIC0] = RGBA32F


def vertex_at(b: Builder, store: Any, n: Any) -> Value:
    """Address of vertex `n`."""
    return b.bytes_from(store.buffer, b.cast(n, u64) * b.cast(store.vertex_size, u64), u8)


def leftover(b: Builder, mode: Any, n: Any) -> Value:
    """How many of `n` vertices at the end make no whole primitive (of separate ones)."""
    rest = b.var(u32, 0)
    with b.Switch(mode) as s:
        with s.Case(LINES, QUAD_STRIP, TRIANGLE_STRIP_ADJACENCY):
            rest.value = n & 1
        with s.Case(TRIANGLES):
            rest.value = n % 3
        with s.Case(QUADS, LINES_ADJACENCY):
            rest.value = n & 3
        with s.Case(TRIANGLES_ADJACENCY):
            rest.value = n % 6
    return rest.value


def begin_prim(b: Builder, store: Any, mode: Any) -> None:
    """Open a primitive; there is room for it in the list."""
    p = store.prims + store.prim_count
    p.mode = mode
    p.start = store.count
    p.count = 0
    p.flags = PRIM_BEGIN
    store.begin_mode = mode + 1


def end_prim(b: Builder, store: Any) -> None:
    """Close the open primitive: drop vertices that make nothing, join it to the one before where
    both are of separate pieces.
    """
    p = store.prims + store.prim_count
    start = p.start
    mode = p.mode
    n = b.var(u32, store.count - start)
    rest = leftover(b, mode, n.value)
    short = n.value < b.table(u32, MIN_VERTICES)[mode]
    with b.If(short | (rest != 0), likely=False):
        n.value = b.select(short, b.const(u32, 0), n.value - rest)
        store.count = start + n.value
        store.cursor = vertex_at(b, store, store.count)
    with b.If((mode == LINE_LOOP) & ((p.flags & PRIM_BEGIN) == 0), likely=False):
        # cut in two before: its first vertex was carried over, and closes the loop
        _close_loop(b, store, p, n)
    with b.If(n.value != 0):
        p.count = n.value
        p.flags = p.flags | PRIM_END
        last = store.prims + (b.cast(store.prim_count, u64) - 1)
        merged = b.var(u32, 0)
        with b.If(
            ((b.const(u32, MERGEABLE) >> mode) & 1) & b.cast(store.prim_count != 0, u32) != 0
        ):
            # the open primitive has no BEGIN if it is the rest of a cut one: then nothing lies
            # before it
            with b.If((last.mode == mode) & (last.flags == (PRIM_BEGIN | PRIM_END))):
                last.count = last.count + n.value
                merged.value = 1
        with b.If(merged.value == 0):
            store.prim_count = store.prim_count + 1
    store.begin_mode = 0


def _close_loop(b: Builder, store: Any, p: Any, n: Any) -> None:
    with b.If(n.value != 0):
        size = store.vertex_size
        b.memcpy(store.cursor, vertex_at(b, store, p.start), size)
        store.cursor = store.cursor + size
        store.count = store.count + 1
        p.mode = LINE_STRIP
        p.start = (
            p.start + 1
        )  # the carried one is not the neighbour of what follows; n stays: one less, one more


@kernel(void, (ptr(VboBlock), u32), noinline=True)
def vbo_add_attribute(b: Builder, store: VboBlock, slot: Value) -> None:
    """Put a slot into the layout (of vertices that there may be, `vbo_upgrade` takes care)."""
    n = store.attr_count
    store.slots[n] = b.cast(slot, u8)
    store.sources[n] = b.table(u32, SOURCE_OFFSETS)[slot]
    store.offsets[slot] = n * SLOT_BYTES
    store.formats[slot] = b.table(u8, SLOT_FORMATS)[slot]
    store.attr_count = n + 1
    store.vertex_size = (n + 1) * SLOT_BYTES
    store.layout = store.layout | (b.const(u64, 1) << b.cast(slot, u64))


@kernel(void, (CTX, u32), noinline=True)
def vbo_upgrade(b: Builder, ctx: GLContext, slot: Value) -> None:
    """An attribute changes while vertices are pending: they all get the value that was current
    until now.
    """
    store = ctx.vbo
    old = store.attr_count
    value = value_place(b, ctx, slot).load(V4)
    count = b.cast(store.count, u64)
    old_size = b.cast(store.vertex_size, u64)
    b.call(vbo_add_attribute, store, slot)
    new_size = b.cast(store.vertex_size, u64)
    buffer = store.buffer
    # from the last vertex and its last attribute down: what is written has been read
    left = b.var(u64, count)
    with b.While(lambda: left.value != 0):
        left.value = left.value - 1
        source = b.bytes_from(buffer, left.value * old_size, f32)
        to = b.bytes_from(buffer, left.value * new_size, f32)
        b.store(to + old * 4, value, 4)
        chunk = b.var(u32, old)
        with b.While(lambda: chunk.value != 0):
            chunk.value = chunk.value - 1
            b.store(to + chunk.value * 4, (source + chunk.value * 4).load(V4), 4)
    store.cursor = b.bytes_from(buffer, count * new_size, u8)


def set_formats(b: Any, ctx: GLContext, formats: Any) -> None:
    """Make key.attrib_format, and attrib_divided behind it, equal to the 48 bytes at `formats`."""
    key = ctx.key.attrib_format
    ty = u8.vec(16)
    differs = None
    values = []
    for at in (0, 16, 32):
        new = (formats + at).load(ty)
        values.append((at, new))
        test = ~b.all((key + at).load(ty) == new)
        differs = test if differs is None else differs | test
    with b.If(differs, likely=False):
        for at, new in values:
            (key + at).store(new)
        ctx.key_dirty = 1


def bind_attributes(b: Builder, ctx: Any, count: Operand, slots: Value, vertices: Value,
                    size: Operand, vertex_count: Value) -> None:  # fmt: skip
    """Point the bindings of the layout's slots into rows of vertices; generic attribute 0 is the
    position.
    """
    bindings = ctx.vbo.bindings
    with b.For(b.const(u32, 0), count, 1) as n:
        binding = bindings + b.cast(slots[n], u32)
        binding.base = vertices + n * SLOT_BYTES
        binding.stride = size
        binding.count = vertex_count
    alias = bindings + VERT_ATTRIB_GENERIC0
    alias.base = vertices
    alias.stride = size
    alias.count = vertex_count


def empty_store(store: Any) -> None:
    """No vertices; the layout stays."""
    store.count = 0
    store.prim_count = 0
    store.cursor = store.buffer


def measure(b: Builder, s: VboSave) -> None:
    """How many vertices of its layout a list's store holds before it must grow."""
    size = b.cast(b.max(s.vertex_size, SLOT_BYTES), u64)
    s.capacity = b.cast(b.min(s.buffer_size // size, 0x7FFFFFFF), u32) - SLACK


@kernel(void, (CTX,), noinline=True)
def vbo_draw(b: Builder, ctx: Any) -> None:
    """Draw the closed primitives and empty the store; the layout stays."""
    store = ctx.vbo
    prims = store.prims
    prim_count = store.prim_count
    count = store.count
    empty_store(store)  # before drawing: a hook in Python that flushes finds nothing to do
    with b.If(prim_count != 0):
        set_formats(b, ctx, store.formats)
        bind_attributes(
            b, ctx, store.attr_count, store.slots, store.buffer, store.vertex_size, count
        )
        info = store.info
        info.index_size = 0
        info.index_bias = 0
        info.bounds_known = 1
        info.attribs = store.bindings
        with b.For(b.const(u32, 0), prim_count, 1) as n:
            p = prims + n
            info.mode = p.mode
            info.start = p.start
            info.count = p.count
            info.min_index = p.start
            info.max_index = p.start + p.count - 1
            info.prim_flags = p.flags
            b.call(ctx.draw, ctx, info)


def reset_layout(b: Builder, store: Any) -> None:
    """Only the position is per vertex from here on."""
    with b.For(b.const(u32, 1), store.attr_count, 1) as n:
        store.formats[b.cast(store.slots[n], u32)] = 0
    store.formats[VERT_ATTRIB_POS] = RGB32F
    store.formats[VERT_ATTRIB_GENERIC0] = RGB32F
    store.attr_count = 1
    store.vertex_size = SLOT_BYTES
    store.layout = 1


def _vbo_flush(b: Builder, ctx: GLContext) -> None:
    store = ctx.vbo
    with b.If(store.begin_mode == 0):
        b.call(vbo_draw, ctx)
        reset_layout(b, store)


#: what `ctx.flush_vertices` points to
vbo_flush = gl_kernel(kernel(void, (CTX,), name="vbo_flush", noinline=True)(_vbo_flush))


@kernel(void, (CTX,), noinline=True)
def vbo_wrap(b: Builder, ctx: GLContext) -> None:
    """The buffer is full inside a primitive: draw what is there, and go on with the vertices that
    the rest needs.
    """
    store = ctx.vbo
    p = store.prims + store.prim_count
    start = p.start
    mode = p.mode
    n = store.count - start
    size = store.vertex_size
    drawn = b.var(u32, n)
    carry = b.var(u32, 0)
    from_first = b.var(u32, 0)
    with b.Switch(mode) as s:
        with s.Case(LINES, TRIANGLES, QUADS, LINES_ADJACENCY, TRIANGLES_ADJACENCY):
            carry.value = leftover(b, mode, n)
            drawn.value = n - carry.value
        with s.Case(LINE_STRIP):
            carry.value = 1
        with s.Case(LINE_STRIP_ADJACENCY):
            carry.value = b.min(n, 3)
        with s.Case(LINE_LOOP, TRIANGLE_FAN, POLYGON):
            from_first.value = 1
            carry.value = b.min(n, 2)
        with s.Case(TRIANGLE_STRIP, QUAD_STRIP):
            # an even number is drawn, so that the rest begins with the same winding
            carry.value = b.min(n, 2 + (n & 1))
            drawn.value = n - (n & 1)
        with s.Case(TRIANGLE_STRIP_ADJACENCY):
            # as many triangles; those at a cut, whose neighbours are on both of its sides, come
            # with the rest
            carry.value = b.min(n, 8 + (n & 3))
            drawn.value = n - (n & 3)
    keep = b.array(u8, 11 * SLOT_BYTES * MAX_ATTRIBS)
    bytes_ = b.cast(carry.value, u64) * b.cast(size, u64)
    b.memcpy(keep, vertex_at(b, store, store.count - carry.value), bytes_)
    with b.If(from_first.value != 0):
        b.memcpy(keep, vertex_at(b, store, start), size)
    flags = b.var(u32, p.flags)
    with b.If(mode == LINE_LOOP):
        p.mode = LINE_STRIP
        with b.If((flags.value & PRIM_BEGIN) == 0):
            p.start = start + 1
            drawn.value = drawn.value - 1
    with b.If(drawn.value >= b.table(u32, MIN_VERTICES)[mode]):
        p.count = drawn.value
        store.prim_count = store.prim_count + 1
        flags.value = 0
    b.call(vbo_draw, ctx)
    first = store.prims
    first.mode = mode
    first.start = 0
    first.count = 0
    first.flags = flags.value
    b.memcpy(store.buffer, keep, bytes_)
    store.count = carry.value
    store.cursor = store.buffer + bytes_


# -- what entry points call ------------------------------------------------------------------------


def set_attr(b: Builder, ctx: GLContext, slot: int, value: Pointer) -> None:
    """A new current value of a slot that is known when the kernel is traced."""
    store = ctx.vbo
    with b.If(((store.layout & (1 << slot)) == 0) & (store.count != 0), likely=False):
        b.call(vbo_upgrade, ctx, slot)
    b.store(value_place(b, ctx, slot), value, 4)


@kernel(void, (CTX, u32, V4), noinline=True)
def vbo_attr(b: Builder, ctx: GLContext, slot: Value, value: Value) -> None:
    """A new current value of any slot."""
    store = ctx.vbo
    has = (store.layout >> b.cast(slot, u64)) & 1
    with b.If((has == 0) & (store.count != 0), likely=False):
        b.call(vbo_upgrade, ctx, slot)
    b.store(value_place(b, ctx, slot), value, 4)


def emit_vertex(b: Builder, ctx: GLContext, position: Value, size: int = 4) -> None:
    """glVertex between glBegin and glEnd; `size` components were given."""
    store = ctx.vbo
    if size == 4:
        four_components(store)
    count = append_vertex(b, store, ctx, position)
    with b.If(count >= store.capacity, likely=False):
        b.call(vbo_wrap, ctx)


@kernel(void, (CTX, V4), noinline=True)
def vbo_vertex(b: Builder, ctx: GLContext, position: Value) -> None:
    """The same as a function of its own; ignored outside of glBegin and glEnd."""
    with b.If(ctx.vbo.begin_mode != 0):
        with b.If(position[3] != 1.0):
            four_components(ctx.vbo)
        emit_vertex(b, ctx, position, 3)


@kernel(void, (CTX, u32), noinline=True)
def vbo_begin(b: Builder, ctx: GLContext, mode: Value) -> None:
    """glBegin with a valid mode, outside of glBegin and glEnd."""
    store = ctx.vbo
    with b.If(store.prim_count + 1 >= store.max_prims, likely=False):
        b.call(vbo_flush, ctx)
    begin_prim(b, store, mode)
    ctx.dispatch = ctx.begin_end_table


@kernel(void, (CTX,), noinline=True)
def set_late_materials(b: Builder, ctx: GLContext) -> None:
    """What glMaterial said since glBegin, while a vertex program is in use."""
    left = b.var(u32, ctx.vbo.late_bits)
    ctx.vbo.late_bits = 0
    with b.While(lambda: left.value != 0):
        n = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        value = (ctx.vbo.late.cast(ptr(f32)) + n * 4).load(V4, align=4)
        b.call(set_materials, ctx, b.const(u32, 1) << n, value)


@kernel(void, (CTX,), noinline=True)
def vbo_end(b: Builder, ctx: GLContext) -> None:
    """glEnd after a glBegin."""
    end_prim(b, ctx.vbo)
    ctx.dispatch = ctx.exec_table
    with b.If(ctx.vbo.late_bits != 0, likely=False):
        b.call(set_late_materials, ctx)
