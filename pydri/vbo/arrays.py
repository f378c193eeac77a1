# SPDX-License-Identifier: MIT
"""Native array draws: glDrawArrays, glDrawElements and their kin, glArrayElement.

In: `ctx.arrays`, which pydri/main writes (array state, buffer bindings; DIRTY_ARRAYS). Out:
bindings and a DrawInfo for `ctx.draw`. What a draw needs of the arrays is derived once after they
change: where each enabled array begins, how many vertices its buffer holds (a draw never reads
beyond), the formats that go into the key. Index ranges of buffer objects are scanned once and
remembered with the buffer's serial; ranges in client memory are left to the driver, which touches
the indices anyway. The range that glDrawRangeElements promises is not believed: a program that
lies would read foreign memory. Answers to Mesa's vbo_exec_array.c, vbo_minmax_index.c and
main/api_validate.c.
"""

from __future__ import annotations

from typing import Any

from pydri.api.dispatch import gl_kernel
from pydri.api.enums import GL_INVALID_ENUM, GL_INVALID_OPERATION, GL_INVALID_VALUE
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, f64, i8, i16, i32, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, error_if, flush_vertices, native, record_error
from pydri.main.layout import DIRTY_ARRAYS
from pydri.nir.enums import VERT_ATTRIB_GENERIC0, VERT_ATTRIB_POS
from pydri.pipe.format import FORMATS, number
from pydri.pipe.native import PRIM_BEGIN, PRIM_END
from pydri.vbo.core import V4, set_formats, value_place, vbo_attr, vbo_vertex
from pydri.vbo.native import POLYGON
from pydri.vbo.restart import restart_on, restarts, vbo_draw_restarted, vbo_restart

# arrays.state
ARRAYS_POSITION = 1  # there is something to draw
ARRAYS_MAPPED = 2  # an enabled array's buffer is mapped
ARRAYS_BUFFERS = 4  # an enabled array lies in a buffer object

GENERIC0_BIT = 1 << VERT_ATTRIB_GENERIC0
GL_UNSIGNED_BYTE = 0x1401
_TYPES = {
    0x1400: i8,
    0x1401: u8,
    0x1402: i16,
    0x1403: u16,
    0x1404: i32,
    0x1405: u32,
    0x1406: f32,
    0x140A: f64,
}
BGRA = number("VB8G8R8A8_UNORM")


def null(p: Any) -> Any:
    """Whether a pointer is null."""
    return p == p.b.const(p.ty, None)


@kernel(u32, (CTX,), noinline=True)
def vbo_arrays_stamp(b: Any, ctx: Any) -> Any:
    """A number that changes when a buffer of an enabled array gets other storage or is mapped.

    Another context, on another thread, may do that: it cannot set our DIRTY_ARRAYS in time.
    """
    arrays = ctx.arrays
    stamp = b.var(u32, 0)
    left = b.var(u32, b.cast(arrays.enabled, u32))
    with b.While(lambda: left.value != 0):
        array = arrays.attribs + b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        buffer = array.buffer
        with b.If(~null(buffer)):
            mapped = b.select(buffer.mapped != 0, b.const(u32, 1), b.const(u32, 0))
            stamp.value = stamp.value * 0x9E3779B1 + buffer.serial * 2 + mapped
    return stamp.value


@kernel(void, (CTX,), noinline=True)
def vbo_refresh_arrays(b: Any, ctx: Any) -> None:
    """Derive bindings and formats from the arrays (DIRTY_ARRAYS)."""
    arrays = ctx.arrays
    for at in (0, 16, 32):
        (arrays.formats + at).store(b.const(u8.vec(16), 0))
    state = b.var(u32, 0)
    enabled = b.cast(arrays.enabled, u32)
    generic0 = (enabled & GENERIC0_BIT) != 0
    left = b.var(u32, b.select(generic0, enabled & ~1, enabled))
    with b.If((enabled & (GENERIC0_BIT | 1)) != 0):
        state.value = ARRAYS_POSITION
    with b.While(lambda: left.value != 0):
        slot = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        array = arrays.attribs + slot
        binding = arrays.bindings + slot
        binding.stride = array.stride
        buffer = array.buffer
        with b.If(null(buffer)):
            binding.base = array.pointer
            binding.count = 0
        with b.Else():
            state.value = state.value | ARRAYS_BUFFERS
            offset = b.ptr_to_int(array.pointer)
            size = buffer.size
            need = b.cast(
                b.table(u32, [f.bits // 8 for f in FORMATS])[b.cast(array.format, u32)], u64
            )
            with b.If(buffer.mapped != 0):
                state.value = state.value | ARRAYS_MAPPED
            with b.If((offset <= size) & (need <= size) & (offset <= size - need) & (need != 0)):
                stride = b.max(b.cast(array.stride, u64), 1)
                count = b.min((size - offset - need) // stride + 1, b.const(u64, 0xFFFFFFFF))
                binding.base = b.bytes_from(buffer.data, offset, u8)
                binding.count = b.cast(count, u32)
            with b.Else():
                # not one vertex fits: every index reads the same harmless memory
                binding.base = value_place(b, ctx, slot).cast(ptr(u8))
                binding.stride = 0
                binding.count = 1
        arrays.formats[slot] = array.format
    # generic attribute 0 and the position are one: whichever is enabled feeds both, generic 0 first
    for cond, source, to in (
        (generic0, VERT_ATTRIB_GENERIC0, VERT_ATTRIB_POS),
        (~generic0, VERT_ATTRIB_POS, VERT_ATTRIB_GENERIC0),
    ):
        with b.If(cond):
            arrays.formats[to] = arrays.formats[source]
            there, here = arrays.bindings + to, arrays.bindings + source
            there.base = here.base
            there.stride = here.stride
            there.count = here.count
    arrays.state = state.value
    arrays.stamp = b.call(vbo_arrays_stamp, ctx)
    ctx.dirty = ctx.dirty & ~DIRTY_ARRAYS


def refresh_arrays(b: Any, ctx: Any) -> None:
    """Derive bindings and formats again, if something changed."""
    arrays = ctx.arrays
    stale = b.var(u32, ctx.dirty & DIRTY_ARRAYS)
    with b.If((arrays.state & ARRAYS_BUFFERS) != 0):
        stale.value = stale.value | (b.call(vbo_arrays_stamp, ctx) ^ arrays.stamp)
    with b.If(stale.value != 0, likely=False):
        b.call(vbo_refresh_arrays, ctx)


@kernel(u32, (CTX, u32), noinline=True)
def vbo_prepare_arrays(b: Any, ctx: Any, where: Any) -> None:
    """Before a draw: flush, derive, check. 0: nothing to draw, or an error that is recorded."""
    b.gl_slot = where
    flush_vertices(b, ctx)
    refresh_arrays(b, ctx)
    state = ctx.arrays.state
    with b.If((state & (ARRAYS_POSITION | ARRAYS_MAPPED)) != ARRAYS_POSITION, likely=False):
        with b.If((state & ARRAYS_MAPPED) != 0):
            record_error(b, ctx, GL_INVALID_OPERATION)
        b.Return(0)
    set_formats(b, ctx, ctx.arrays.formats)
    b.Return(1)


def start_info(b: Any, ctx: Any, mode: Any, count: Any) -> Any:
    """The DrawInfo of an array draw, without what differs."""
    info = ctx.arrays.info
    info.mode = mode
    info.count = count
    info.attribs = ctx.arrays.bindings
    info.prim_flags = PRIM_BEGIN | PRIM_END
    return info


@kernel(void, (CTX, u32, i32, i32, u32), noinline=True)
def vbo_draw_arrays(b: Any, ctx: Any, mode: Any, first: Any, count: Any, where: Any) -> None:
    """glDrawArrays."""
    b.gl_slot = where
    error_if(b, ctx, mode > POLYGON, GL_INVALID_ENUM)
    error_if(b, ctx, (first < 0) | (count < 0), GL_INVALID_VALUE)
    with b.If(count != 0), b.If(b.call(vbo_prepare_arrays, ctx, where) != 0):
        n, start = b.cast(count, u32), b.cast(first, u32)
        info = start_info(b, ctx, mode, n)
        info.index_size = 0
        info.index_bias = 0
        info.start = start
        info.bounds_known = 1
        info.min_index = start
        info.max_index = start + n - 1
        b.call(ctx.draw, ctx, info)


@gl_kernel
@kernel(void, (ptr(u8), u32, u32, ptr(u32)), noinline=True)
def vbo_index_bounds(b: Any, indices: Any, size: Any, count: Any, out: Any) -> None:
    """Least and greatest of `count` indices of `size` bytes: out[0], out[1]."""
    lanes = 16
    for bytes_, ty in ((1, u8), (2, u16), (4, u32)):
        with b.If(size == bytes_):
            p = indices.cast(ptr(ty))
            low = b.var(ty.vec(lanes), b.const(ty.vec(lanes), -1))
            high = b.var(ty.vec(lanes), b.const(ty.vec(lanes), 0))
            whole = count & ~(lanes - 1)
            with b.For(b.const(u32, 0), whole, lanes) as i:
                v = (p + i).load(ty.vec(lanes))
                low.value = b.min(low.value, v)
                high.value = b.max(high.value, v)
            least = b.var(ty, b.reduce("min", low.value))
            most = b.var(ty, b.reduce("max", high.value))
            with b.For(whole, count, 1) as i:
                v = p[i]
                least.value = b.min(least.value, v)
                most.value = b.max(most.value, v)
            out[0] = b.cast(least.value, u32)
            out[1] = b.cast(most.value, u32)


@kernel(void, (CTX, u32, i32, u32, ptr(u8), i32, u32), noinline=True)
def vbo_draw_elements(
    b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any, bias: Any, where: Any
) -> None:
    """glDrawElements, glDrawElementsBaseVertex."""
    b.gl_slot = where
    code = type_ - GL_UNSIGNED_BYTE
    error_if(b, ctx, (mode > POLYGON) | (code > 4) | ((code & 1) != 0), GL_INVALID_ENUM)
    error_if(b, ctx, count < 0, GL_INVALID_VALUE)
    shift = code >> 1
    size = b.const(u32, 1) << shift
    with b.If(count == 0):
        b.Return()
    buffer = ctx.arrays.element_buffer
    with b.If(~null(buffer)):
        error_if(b, ctx, buffer.mapped != 0, GL_INVALID_OPERATION)
    with b.If(b.call(vbo_prepare_arrays, ctx, where) == 0):
        b.Return()
    info = start_info(b, ctx, mode, b.cast(count, u32))
    info.index_size = size
    info.index_bias = bias
    info.start = 0
    with b.If(null(buffer)):
        with b.If(null(indices)):
            b.Return()
        info.indices = indices
        info.bounds_known = 0
        with b.If(restart_on(ctx), likely=False):
            b.call(vbo_draw_restarted, ctx, info)
            b.Return()
        b.call(ctx.draw, ctx, info)
    with b.Else():
        offset = b.ptr_to_int(indices)
        room = b.select(
            offset < buffer.size, (buffer.size - offset) >> b.cast(shift, u64), b.const(u64, 0)
        )
        n = b.cast(b.min(room, b.cast(info.count, u64)), u32)
        with b.If(n == 0):
            b.Return()
        start = b.cast(offset, u32)
        known = (
            (buffer.bounds_serial == buffer.serial)
            & (buffer.bounds_type == type_)
            & (buffer.bounds_start == start)
            & (buffer.bounds_count == n)
        )
        info.indices = b.bytes_from(buffer.data, offset, u8)
        with b.If(restart_on(ctx), likely=False):
            info.count = n
            b.call(vbo_draw_restarted, ctx, info)
            b.Return()
        with b.If(~known, likely=False):
            b.call(vbo_index_bounds, info.indices, size, n, buffer.addr("bounds_min"))
            buffer.bounds_serial = buffer.serial
            buffer.bounds_type = type_
            buffer.bounds_start = start
            buffer.bounds_count = n
        info.count = n
        info.bounds_known = 1
        info.min_index = buffer.bounds_min
        info.max_index = buffer.bounds_max
        b.call(ctx.draw, ctx, info)


# -- entry points ----------------------------------------------------------------------------------


@native
def glDrawArrays(b: Any, ctx: Any, mode: Any, first: Any, count: Any) -> None:
    b.call(vbo_draw_arrays, ctx, mode, first, count, b.gl_slot)


@native
def glDrawElements(b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any) -> None:
    b.call(vbo_draw_elements, ctx, mode, count, type_, indices, 0, b.gl_slot)


@native
def glDrawElementsBaseVertex(
    b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any, bias: Any
) -> None:
    b.call(vbo_draw_elements, ctx, mode, count, type_, indices, bias, b.gl_slot)


@native
def glDrawRangeElements(
    b: Any, ctx: Any, mode: Any, start: Any, end: Any, count: Any, type_: Any, indices: Any
) -> None:
    error_if(b, ctx, end < start, GL_INVALID_VALUE)
    b.call(vbo_draw_elements, ctx, mode, count, type_, indices, 0, b.gl_slot)


@native
def glDrawRangeElementsBaseVertex(
    b: Any,
    ctx: Any,
    mode: Any,
    start: Any,
    end: Any,
    count: Any,
    type_: Any,
    indices: Any,
    bias: Any,
) -> None:
    error_if(b, ctx, end < start, GL_INVALID_VALUE)
    b.call(vbo_draw_elements, ctx, mode, count, type_, indices, bias, b.gl_slot)


def refuse_negative(b: Any, ctx: Any, counts: Any, n: Any) -> None:
    """GL_INVALID_VALUE for a negative count among many, before anything is drawn."""
    error_if(b, ctx, n < 0, GL_INVALID_VALUE)
    with b.For(b.const(i32, 0), n, 1) as i:
        error_if(b, ctx, counts[i] < 0, GL_INVALID_VALUE)


@native
def glMultiDrawArrays(b: Any, ctx: Any, mode: Any, first: Any, count: Any, n: Any) -> None:
    refuse_negative(b, ctx, count, n)
    with b.For(b.const(i32, 0), n, 1) as i:
        b.call(vbo_draw_arrays, ctx, mode, first[i], count[i], b.gl_slot)


@native
def glMultiDrawElements(
    b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any, n: Any
) -> None:
    refuse_negative(b, ctx, count, n)
    with b.For(b.const(i32, 0), n, 1) as i:
        b.call(
            vbo_draw_elements,
            ctx,
            mode,
            count[i],
            type_,
            indices.cast(ptr(ptr(u8)))[i],
            0,
            b.gl_slot,
        )


@native
def glMultiDrawElementsBaseVertex(
    b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any, n: Any, bias: Any
) -> None:
    refuse_negative(b, ctx, count, n)
    with b.For(b.const(i32, 0), n, 1) as i:
        b.call(
            vbo_draw_elements,
            ctx,
            mode,
            count[i],
            type_,
            indices.cast(ptr(ptr(u8)))[i],
            bias[i],
            b.gl_slot,
        )


# -- glArrayElement --------------------------------------------------------------------------------


@kernel(V4, (CTX, u32, u32), noinline=True)
def vbo_fetch(b: Any, ctx: Any, slot: Any, index: Any) -> Any:
    """The four floats of an enabled array's element (bindings are fresh)."""
    array = ctx.arrays.attribs + slot
    binding = ctx.arrays.bindings + slot
    limit = binding.count
    at = b.select((limit != 0) & (index >= limit), limit - 1, index)
    p = b.bytes_from(binding.base, b.cast(at, u64) * b.cast(binding.stride, u64), u8)
    out = b.array(f32, 4)
    out.store(b.const(V4, [0.0, 0.0, 0.0, 1.0]))
    size = b.min(array.size, 4)
    with b.Switch(b.cast(array.type, u32)) as s:
        for code, ty in _TYPES.items():
            with s.Case(code), b.For(b.const(u32, 0), size, 1) as n:
                x = p.cast(ptr(ty))[n]
                if ty in (f32, f64):
                    out[n] = b.cast(x, f32)
                else:
                    wide = b.cast(x, f64)
                    limit_ = float((1 << ty.bits) - 1)
                    unit = (wide * 2.0 + 1.0) / limit_ if ty.kind == "i" else wide / limit_
                    out[n] = b.cast(b.select(array.normalized != 0, unit, wide), f32)
    v = out.load(V4)
    return b.select(b.cast(array.format, u32) == BGRA, b.shuffle(v, None, [2, 1, 0, 3]), v)


@kernel(void, (CTX, u32), noinline=True)
def vbo_array_element(b: Any, ctx: Any, index: Any) -> None:
    """Set the current values from element `index`; the position comes last and makes the vertex."""
    arrays = ctx.arrays
    refresh_arrays(b, ctx)
    enabled = b.cast(arrays.enabled, u32)
    left = b.var(u32, enabled & ~(GENERIC0_BIT | 1))
    with b.While(lambda: left.value != 0):
        slot = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        b.call(vbo_attr, ctx, slot, b.call(vbo_fetch, ctx, slot, index))
    slot = b.select(
        (enabled & GENERIC0_BIT) != 0,
        b.const(u32, VERT_ATTRIB_GENERIC0),
        b.const(u32, VERT_ATTRIB_POS),
    )
    with b.If((enabled & (GENERIC0_BIT | 1)) != 0):
        b.call(vbo_vertex, ctx, b.call(vbo_fetch, ctx, slot, index))


@native
def glArrayElement(b: Any, ctx: Any, i: Any) -> None:
    error_if(b, ctx, i < 0, GL_INVALID_VALUE)
    index = b.cast(i, u32)
    with b.If(restarts(b, ctx, index, b.const(u32, 4)) & (ctx.vbo.begin_mode != 0), likely=False):
        b.call(vbo_restart, ctx)
        b.Return()
    b.call(vbo_array_element, ctx, index)
