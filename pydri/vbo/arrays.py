# SPDX-License-Identifier: MIT
"""Native array draws: glDrawArrays, glDrawElements and their kin, glArrayElement.

In: the bound vertex array object, which pydri/main writes (formats, bindings; `stale`). Out:
bindings and a DrawInfo for `ctx.draw`. What a draw needs of the arrays is derived once after they
change, and kept with the object: where each enabled array begins, how many vertices its buffer
holds (a draw never reads beyond), the formats that go into the key. The range of the indices is
left to the driver, which touches them anyway; what glDrawRangeElements promises is not believed: a
program that lies would read foreign memory. Instances are the driver's, all in one draw, unless an
index restarts primitives: then each is drawn by itself, run by run. Counterpart of Mesa's
vbo_exec_array.c, main/draw.c and main/api_validate.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.apis import COMPAT, ES1
from pydri.jit.kernel import kernel
from pydri.jit.types import f16, f32, f64, i8, i16, i32, ptr, u8, u16, u32, u64, void
from pydri.main.arrays.enable_kernels import VAO
from pydri.main.arrays.kernels import no_object
from pydri.main.buffers.storage_kernels import read_begin, read_end
from pydri.main.framebuffers.complete_kernels import refuse_draw
from pydri.main.kernels import (
    CTX,
    NOWHERE,
    error_if,
    flush_vertices,
    is_null,
    native,
    native_as,
    record_error,
    wrong_mode,
)
from pydri.main.programs.kernels import refuse_missing
from pydri.main.programs.layout import VERTEX
from pydri.main.shaders.kernels import executable, refuse_conflict
from pydri.main.transform.kernels import refuse_capture, refuse_primitives
from pydri.main.transform.object_kernels import OBJECT as TRANSFORM
from pydri.main.transform.object_kernels import names as transforms
from pydri.main.transform.object_kernels import state_of
from pydri.nir.enums import VERT_ATTRIB_GENERIC0, VERT_ATTRIB_POS
from pydri.pipe.native import (
    MAX_ATTRIBS,
    MAX_VERTEX_STREAMS,
    PRIM_BEGIN,
    PRIM_END,
    SHADER_VERTEX,
)
from pydri.pipe.resource_kernels import head_of
from pydri.vbo.attribs import PACKED_TYPES, packed_float4
from pydri.vbo.core import V4, set_formats, vbo_attr, vbo_vertex
from pydri.vbo.restart import restart_on, restarts, vbo_draw_restarted, vbo_restart

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

# arrays.state
ARRAYS_POSITION = 1  # there is something to draw, whatever makes the vertices
ARRAYS_REFUSED = 2  # an enabled array's buffer is mapped, or there is no object (`no_object`)
ARRAYS_BUFFERS = 4  # an enabled array lies in a buffer object

# no program's memory begins below (vm.mmap_min_addr): null, or the array of a buffer that is gone
NO_MEMORY = 65536
GENERIC0_BIT = 1 << VERT_ATTRIB_GENERIC0
_TYPES: dict[int, Any] = {
    gl.GL_BYTE: i8,
    gl.GL_UNSIGNED_BYTE: u8,
    gl.GL_SHORT: i16,
    gl.GL_UNSIGNED_SHORT: u16,
    gl.GL_INT: i32,
    gl.GL_UNSIGNED_INT: u32,
    gl.GL_FLOAT: f32,
    gl.GL_DOUBLE: f64,
    gl.GL_HALF_FLOAT: f16,
    gl.GL_FIXED: i32,
}


@kernel(u32, (VAO,), noinline=True)
def vbo_arrays_stamp(b: Builder, vao: Any) -> Value:
    """A number that changes when a buffer of an enabled array gets other storage or is mapped.

    Another context, on another thread, may do that: it cannot mark our arrays in time.
    """
    stamp = b.var(u32, 0)
    left = b.var(u32, vao.enabled)
    with b.While(lambda: left.value != 0):
        array = vao.attribs + b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        buffer = (vao.buffers + array.binding).buffer
        with b.If(~is_null(buffer)):
            mapped = b.select(buffer.mapped == 1, b.const(u32, 1), b.const(u32, 0))
            stamp.value = stamp.value * 0x9E3779B1 + buffer.serial * 2 + mapped
    return stamp.value


@kernel(void, (CTX, VAO), noinline=True)
def vbo_refresh_arrays(b: Builder, ctx: GLContext, vao: Any) -> None:
    """Derive bindings and formats from the arrays."""
    for at in (0, 16, 32):
        (vao.formats + at).store(b.const(u8.vec(16), 0))
    vao.stale = 0
    vao.stamp = b.call(vbo_arrays_stamp, vao)  # before the storage is looked at
    state = b.var(u32, 0)
    divided = b.var(u32, 0)
    enabled = vao.enabled
    generic0 = (enabled & GENERIC0_BIT) != 0
    left = b.var(u32, b.select(generic0, enabled & ~1, enabled))
    # where there is no fixed function only a program's vertices are drawn (vbo_prepare_arrays asks)
    fixed = (ctx.api & (COMPAT | ES1)) != 0
    with b.If(fixed & ((enabled & (GENERIC0_BIT | 1)) != 0)):
        state.value = ARRAYS_POSITION
    with b.While(lambda: left.value != 0):
        slot = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        array = vao.attribs + slot
        source = vao.buffers + array.binding
        binding = vao.bindings + slot
        binding.stride = source.stride
        binding.divisor = source.divisor
        buffer = source.buffer
        with b.If(is_null(buffer)):
            address = source.offset + b.cast(array.relative_offset, u64)
            binding.base = b.int_to_ptr(address, u8)
            binding.count = 0
            with b.If(address < NO_MEMORY, likely=False):
                read_zeros(b, binding)
        with b.Else():
            state.value = state.value | ARRAYS_BUFFERS
            with b.If(buffer.mapped == 1):
                state.value = state.value | ARRAYS_REFUSED
            _bind_buffer(b, ctx, slot, array, source, binding, buffer.data)
        with b.If(source.divisor != 0):
            divided.value = divided.value | (b.const(u32, 1) << slot)
        vao.formats[slot] = array.format
    # generic attribute 0 and the position are one: whichever is enabled feeds both, generic 0 first
    for cond, source_slot, to in (
        (generic0, VERT_ATTRIB_GENERIC0, VERT_ATTRIB_POS),
        (~generic0, VERT_ATTRIB_POS, VERT_ATTRIB_GENERIC0),
    ):
        with b.If(cond):
            vao.formats[to] = vao.formats[source_slot]
            there, here = vao.bindings + to, vao.bindings + source_slot
            there.base = here.base
            there.stride = here.stride
            there.count = here.count
            there.divisor = here.divisor
            moved = (divided.value >> source_slot) & 1
            others = divided.value & ~b.const(u32, 1 << to)
            divided.value = others | (moved << to)
    with b.If(no_object(ctx), likely=False):
        state.value = state.value | ARRAYS_REFUSED
    vao.state = state.value
    (vao.formats + MAX_ATTRIBS).cast(ptr(u32)).store(divided.value)


def _bind_buffer(
    b: Builder, ctx: GLContext, slot: Operand, array: Any, source: Any, binding: Any, data: Any
) -> None:
    """An array in a buffer: where it begins, and how many elements the storage holds (`data` was
    loaded once, its head says the size).
    """
    size = b.var(u64, 0)
    with b.If(~is_null(data)):
        size.value = head_of(data).size
    offset = source.offset + b.cast(array.relative_offset, u64)
    need = b.cast(array.bytes, u64)
    inside = (source.offset <= size.value) & (offset <= size.value) & (need <= size.value)
    with b.If(inside & (offset <= size.value - need) & (need != 0)):
        stride = b.max(b.cast(source.stride, u64), 1)
        count = b.min((size.value - offset - need) // stride + 1, b.const(u64, 0xFFFFFFFF))
        binding.base = b.bytes_from(data, offset, u8)
        binding.count = b.cast(count, u32)
    with b.Else():
        read_zeros(b, binding)  # not one element fits


def read_zeros(b: Builder, binding: Any) -> None:
    """Every index reads the same zeros."""
    binding.base = b.table(u8, [0] * 64)
    binding.stride = 0
    binding.count = 1


def refresh_arrays(b: Builder, ctx: GLContext) -> Any:
    """Derive bindings and formats again, if something changed. Returns the vertex array object."""
    vao = ctx.arrays.vao
    stale = b.var(u32, vao.stale)
    with b.If((vao.state & ARRAYS_BUFFERS) != 0):
        stale.value = stale.value | (b.call(vbo_arrays_stamp, vao) ^ vao.stamp)
    with b.If(stale.value != 0, likely=False):
        b.call(vbo_refresh_arrays, ctx, vao)
    return vao


def _fixed_vertices(b: Builder, ctx: GLContext) -> Any:
    """Whether fixed function makes the vertices, which it does not of nothing, and not in contexts
    that have none. A program's vertex shader gets the current value of attribute 0 where no array
    has it, as with Mesa.
    """
    number = b.var(u32, 0)
    with b.If(~is_null(ctx.program.current)):
        exec_ = executable(b, ctx)
        with b.If(~is_null(exec_)):
            number.value = exec_.stages[SHADER_VERTEX].number
    return (number.value == 0) & (ctx.arb.enabled[VERTEX] == 0)


@kernel(void, (CTX, u32), cold=True)
def vbo_refuse(b: Any, ctx: GLContext, where: Value) -> None:
    """The errors of a draw of no vertices: those that the driver comes upon where there are some.
    """
    b.gl_slot = where
    refuse_draw(b, ctx)
    error_if(b, ctx, no_object(ctx), gl.GL_INVALID_OPERATION)
    refuse_conflict(b, ctx)
    refuse_missing(b, ctx)


@kernel(u32, (CTX, u32), noinline=True)
def vbo_prepare_arrays(b: Any, ctx: GLContext, where: Value) -> None:
    """Before a draw: flush, derive, check. 0: nothing to draw, or an error that is recorded."""
    b.gl_slot = where
    flush_vertices(b, ctx)
    vao = refresh_arrays(b, ctx)
    state = vao.state
    with b.If((state & (ARRAYS_POSITION | ARRAYS_REFUSED)) != ARRAYS_POSITION, likely=False):
        with b.If((state & ARRAYS_REFUSED) != 0):
            with b.If(no_object(ctx)):
                b.call(vbo_refuse, ctx, where)
                b.Return(0)
            record_error(b, ctx, gl.GL_INVALID_OPERATION)
            b.Return(0)
        with b.If(_fixed_vertices(b, ctx)):
            b.call(vbo_refuse, ctx, where)
            b.Return(0)
    set_formats(b, ctx, vao.formats)
    b.Return(1)


def start_info(b: Builder, ctx: Any, mode: Value, count: Operand) -> Any:
    """The DrawInfo of an array draw, without what differs."""
    info = ctx.arrays.info
    info.mode = mode
    info.count = count
    info.attribs = ctx.arrays.vao.bindings
    info.prim_flags = PRIM_BEGIN | PRIM_END
    return info


@kernel(void, (CTX, u32), noinline=True)
def vbo_draw_restarting(b: Builder, ctx: GLContext, instances: Value) -> None:
    """Draw ctx.arrays.info in runs where an index restarts primitives, each instance by itself:
    all of one comes before the next.
    """
    info = ctx.arrays.info
    info.instances = 1
    with b.For(b.const(u32, 0), instances, 1) as instance:
        info.instance = instance
        with b.If(b.call(vbo_draw_restarted, ctx, info) == 0):
            b.call(vbo_refuse, ctx, NOWHERE)
            b.Break()
    info.instance = 0


def draw_instances(b: Builder, ctx: GLContext, instances: Value, base: Operand) -> None:
    """Draw ctx.arrays.info so many times."""
    info = ctx.arrays.info
    info.base_instance = base
    with b.If(restart_on(ctx) & (info.index_size != 0), likely=False):
        b.call(vbo_draw_restarting, ctx, b.cast(instances, u32))
    with b.Else():
        info.instances = b.cast(instances, u32)
        b.call(ctx.draw, ctx, info)


@kernel(void, (CTX, u32, i32, i32, i32, u32, u32), noinline=True)
def vbo_draw_arrays(b: Any, ctx: GLContext, mode: Value, first: Any, count: Any, instances: Value,
                    base: Any, where: Value) -> None:  # fmt: skip
    """glDrawArrays and its instanced forms."""
    b.gl_slot = where
    error_if(b, ctx, wrong_mode(b, ctx, mode), gl.GL_INVALID_ENUM)
    error_if(b, ctx, (first < 0) | (count < 0) | (instances < 0), gl.GL_INVALID_VALUE)
    refuse_primitives(b, ctx, mode)
    with b.If(ctx.transform.elements_refused != 0, likely=False):  # OpenGL ES captures
        full = b.call(refuse_capture, ctx, count, instances) != 0
        error_if(b, ctx, full, gl.GL_INVALID_OPERATION)
    with b.If((count == 0) | (instances == 0)):
        b.call(vbo_refuse, ctx, where)
        b.Return()
    read_begin(b, ctx)
    with b.If(b.call(vbo_prepare_arrays, ctx, where) != 0):
        n, start = b.cast(count, u32), b.cast(first, u32)
        info = start_info(b, ctx, mode, n)
        info.index_size = 0
        info.index_bias = 0
        info.start = start
        info.bounds_known = 1
        info.min_index = start
        info.max_index = start + n - 1
        draw_instances(b, ctx, instances, base)
    read_end(b, ctx)


def indices_of(b: Builder, ctx: GLContext, count: Operand, code: Any,
               indices: Pointer) -> tuple[Any, Any]:  # fmt: skip
    """(address, number) of the indices that a draw may read: of a buffer's, those that its storage
    holds. `code`: type - GL_UNSIGNED_BYTE. Between read_begin and read_end.
    """
    base = b.var(ptr(u8), indices)
    n = b.var(u32, b.cast(count, u32))
    buffer = ctx.arrays.vao.element_buffer
    with b.If(~is_null(buffer)):
        data = buffer.data
        size = b.var(u64, 0)
        with b.If(~is_null(data)):
            size.value = head_of(data).size
        offset = b.ptr_to_int(indices)
        left = (size.value - offset) >> b.cast(code >> 1, u64)
        room = b.select(offset < size.value, left, b.const(u64, 0))
        n.value = b.cast(b.min(room, b.cast(n.value, u64)), u32)
        base.value = b.bytes_from(data, offset, u8)
    with b.Else(), b.If(b.ptr_to_int(indices) < NO_MEMORY):
        n.value = 0  # null, or an offset into a buffer that isn't bound
    return base.value, n.value


@kernel(void, (CTX, u32, i32, u32, ptr(u8), i32, i32, u32, u32), noinline=True)
def vbo_draw_elements(
    b: Any, ctx: GLContext, mode: Value, count: Any, type_: Any, indices: Pointer, bias: Value,
    instances: Value, base: Any, where: Value,
) -> None:  # fmt: skip
    """glDrawElements and its base-vertex and instanced forms."""
    b.gl_slot = where
    code = type_ - gl.GL_UNSIGNED_BYTE
    error_if(b, ctx, wrong_mode(b, ctx, mode) | (code > 4) | ((code & 1) != 0), gl.GL_INVALID_ENUM)
    error_if(b, ctx, (count < 0) | (instances < 0), gl.GL_INVALID_VALUE)
    refuse_primitives(b, ctx, mode, elements=True)
    with b.If((count == 0) | (instances == 0)):
        b.call(vbo_refuse, ctx, where)
        b.Return()
    buffer = ctx.arrays.vao.element_buffer
    with b.If(~is_null(buffer)):
        error_if(b, ctx, buffer.mapped == 1, gl.GL_INVALID_OPERATION)
    read_begin(b, ctx)
    with b.If(b.call(vbo_prepare_arrays, ctx, where) != 0):
        address, n = indices_of(b, ctx, count, code, indices)
        with b.If(n != 0):
            info = start_info(b, ctx, mode, n)
            info.index_size = b.const(u32, 1) << (code >> 1)
            info.index_bias = bias
            info.start = 0
            info.indices = address
            info.bounds_known = 0
            draw_instances(b, ctx, instances, base)
        with b.Else():
            b.call(vbo_refuse, ctx, where)
    read_end(b, ctx)


# -- entry points ----------------------------------------------------------------------------------


@native
def glDrawArrays(b: Any, ctx: GLContext, mode: Value, first: Any, count: Any) -> None:
    b.call(vbo_draw_arrays, ctx, mode, first, count, 1, 0, b.gl_slot)


@native
def glDrawArraysInstanced(
    b: Any, ctx: GLContext, mode: Value, first: Any, count: Any, instances: Value
) -> None:
    b.call(vbo_draw_arrays, ctx, mode, first, count, instances, 0, b.gl_slot)


@native
def glDrawArraysInstancedBaseInstance(
    b: Any, ctx: GLContext, mode: Value, first: Any, count: Any, instances: Value, base: Any
) -> None:
    b.call(vbo_draw_arrays, ctx, mode, first, count, instances, base, b.gl_slot)


def _captured(b: Builder, ctx: Any, id: Value) -> Any:
    """How many vertices an object captured (i32); GL errors for what is no object, and for one that
    never came to its end."""
    object = b.var(TRANSFORM, b.const(TRANSFORM, None))
    with b.If(id != 0):
        object.value = transforms.peek(b, ctx, id)
        error_if(b, ctx, is_null(object.value), gl.GL_INVALID_VALUE)
    state = state_of(b, ctx, object.value)
    error_if(b, ctx, state.ended == 0, gl.GL_INVALID_OPERATION)
    return b.cast(b.min(state.vertices, 0x7FFFFFFF), i32)


def _draw_captured(name: str, streams: bool, instanced: bool) -> None:
    def body(b: Any, ctx: GLContext, mode: Value, id: Value, *rest: Value) -> None:
        if streams:
            error_if(b, ctx, rest[0] >= MAX_VERTEX_STREAMS, gl.GL_INVALID_VALUE)
        count, first = _captured(b, ctx, id), b.const(i32, 0)
        if streams:  # nothing was emitted to the others
            count = b.select(rest[0] == 0, count, 0)
        instances = rest[-1] if instanced else 1
        b.call(vbo_draw_arrays, ctx, mode, first, count, instances, 0, b.gl_slot)

    native_as(name, body)


for _streams in (False, True):
    for _instanced in (False, True):
        _words = "Stream" * _streams + "Instanced" * _instanced
        _draw_captured(f"glDrawTransformFeedback{_words}", _streams, _instanced)


class ElementsCall(NamedTuple):
    """One glDrawElements*: which of the optional arguments it has, in the registry's order."""

    name: str
    range: bool = False
    instances: bool = False
    bias: bool = False
    base: bool = False


ELEMENTS_CALLS: tuple[ElementsCall, ...] = (
    ElementsCall("glDrawElements"),
    ElementsCall("glDrawElementsBaseVertex", bias=True),
    ElementsCall("glDrawRangeElements", range=True),
    ElementsCall("glDrawRangeElementsBaseVertex", range=True, bias=True),
    ElementsCall("glDrawElementsInstanced", instances=True),
    ElementsCall("glDrawElementsInstancedBaseVertex", instances=True, bias=True),
    ElementsCall("glDrawElementsInstancedBaseInstance", instances=True, base=True),
    ElementsCall(
        "glDrawElementsInstancedBaseVertexBaseInstance", instances=True, bias=True, base=True
    ),
)


def elements_arguments(row: ElementsCall, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """(mode, start, end, count, type, indices, bias, instances, base) of a call."""
    rest = list(args)
    mode = rest.pop(0)
    start, end = (rest.pop(0), rest.pop(0)) if row.range else (None, None)
    count, type_, indices = rest.pop(0), rest.pop(0), rest.pop(0)
    instances = rest.pop(0) if row.instances else 1
    bias = rest.pop(0) if row.bias else 0
    base = rest.pop(0) if row.base else 0
    return mode, start, end, count, type_, indices, bias, instances, base


def _elements(row: ElementsCall) -> None:
    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        mode, start, end, *rest = elements_arguments(row, args)
        if row.range:
            error_if(b, ctx, end < start, gl.GL_INVALID_VALUE)
        b.call(vbo_draw_elements, ctx, mode, *rest, b.gl_slot)

    native_as(row.name, body)


for _row in ELEMENTS_CALLS:
    _elements(_row)


# -- glArrayElement --------------------------------------------------------------------------------


def _number(b: Builder, x: Any, normalized: Any) -> Value:
    """One whole number as a float; doubles carry them exactly."""
    ty = x.ty
    wide = b.cast(x, f64)
    limit = float((1 << ty.bits) - 1)
    unit = (wide * 2.0 + 1.0) / limit if ty.kind == "i" else wide / limit
    return b.cast(b.select(normalized, unit, wide), f32)


@kernel(V4, (CTX, u32, u32), noinline=True)
def vbo_fetch(b: Builder, ctx: GLContext, slot: Any, index: Any) -> Value:
    """The four floats of an enabled array's element (bindings are fresh)."""
    vao = ctx.arrays.vao
    array = vao.attribs + slot
    binding = vao.bindings + slot
    limit = binding.count
    first = b.select(binding.divisor == 0, index, 0)  # as the peer, which has no instance here
    at = b.select((limit != 0) & (first >= limit), limit - 1, first)
    p = b.bytes_from(binding.base, b.cast(at, u64) * b.cast(binding.stride, u64), u8)
    out = b.array(f32, 4)
    out.store(b.const(V4, [0.0, 0.0, 0.0, 1.0]))
    bgra = array.size == gl.GL_BGRA
    size = b.select(bgra, b.const(u32, 4), array.size)
    normalized = array.normalized != 0
    type_ = b.cast(array.type, u32)
    with b.Switch(type_) as s:
        for code, ty in _TYPES.items():
            with s.Case(code), b.For(b.const(u32, 0), size, 1) as n:
                x = (p.cast(ptr(ty)) + n).load(ty, align=1)
                if code == gl.GL_FIXED:
                    out[n] = b.cast(x, f32) * (1.0 / 65536.0)
                elif ty.kind == "f":
                    out[n] = b.cast(x, f32)
                else:
                    pure = b.bitcast(b.cast(x, u32 if ty.kind == "u" else i32), f32)
                    out[n] = b.select(array.integer != 0, pure, _number(b, x, normalized))
        for code in PACKED_TYPES:
            with s.Case(code):
                word = p.cast(ptr(u32)).load(u32, align=1)
                out.store(packed_float4(b, word, code, normalized, fetched=True))
    v = out.load(V4)
    return b.select(bgra, b.shuffle(v, None, [2, 1, 0, 3]), v)


def array_element(b: Builder, ctx: GLContext, index: Any, attribute: Any, vertex: Any) -> None:
    """Take the values of element `index`: `attribute(slot, value)` of each enabled array, and at
    last `vertex(value, components)` of the position, if there is one. Between read_begin and
    read_end.
    """
    vao = refresh_arrays(b, ctx)
    enabled = vao.enabled
    left = b.var(u32, enabled & ~(GENERIC0_BIT | 1))
    with b.While(lambda: left.value != 0):
        slot = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        attribute(slot, b.call(vbo_fetch, ctx, slot, index))
    slot = b.select(
        (enabled & GENERIC0_BIT) != 0,
        b.const(u32, VERT_ATTRIB_GENERIC0),
        b.const(u32, VERT_ATTRIB_POS),
    )
    with b.If((enabled & (GENERIC0_BIT | 1)) != 0):
        vertex(b.call(vbo_fetch, ctx, slot, index), (vao.attribs + slot).size)


@kernel(void, (CTX, u32), noinline=True)
def vbo_array_element(b: Builder, ctx: GLContext, index: Any) -> None:
    """Set the current values from element `index`; the position comes last and makes the vertex."""
    read_begin(b, ctx)
    array_element(
        b,
        ctx,
        index,
        lambda slot, value: b.call(vbo_attr, ctx, slot, value),
        lambda value, _size: b.call(vbo_vertex, ctx, value),
    )
    read_end(b, ctx)


@native
def glArrayElement(b: Builder, ctx: GLContext, i: Value) -> None:
    error_if(b, ctx, i < 0, gl.GL_INVALID_VALUE)
    index = b.cast(i, u32)
    with b.If(restarts(b, ctx, index, b.const(u32, 4)) & (ctx.vbo.begin_mode != 0), likely=False):
        b.call(vbo_restart, ctx)
        b.Return()
    b.call(vbo_array_element, ctx, index)
