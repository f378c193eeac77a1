# SPDX-License-Identifier: MIT
"""Many draws in one call, and draws whose numbers lie in memory: glMultiDraw*, the modes of
IBM_multimode_draw_arrays, ARB_draw_indirect, ARB_multi_draw_indirect, ARB_indirect_parameters.

In: arrays of counts, or records in the buffer bound to GL_DRAW_INDIRECT_BUFFER (in the
compatibility profile also in the program's memory). Out: draws of arrays.py, one after the other.
A record's offset beyond the buffer, or one that is mapped, is GL_INVALID_OPERATION before anything
is drawn. Mesa: vbo/vbo_exec_array.c, main/draw_validate.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.api.apis import COMPAT
from pydri.jit import i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.buffers.storage_kernels import read_begin, read_end
from pydri.main.kernels import (
    CTX,
    call_entry,
    error_if,
    gl_record_error,
    is_null,
    native,
    native_as,
    record_error,
    wrong_mode,
)
from pydri.main.transform.kernels import refuse_primitives
from pydri.pipe.resource_kernels import head_of
from pydri.vbo.arrays import vbo_draw_arrays, vbo_draw_elements, vbo_refuse

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext

U32S, PLACES = ptr(u32), ptr(ptr(u8))


def refuse_mode(b: Builder, ctx: GLContext, mode: Any, type_: Any = None) -> None:
    """gl.GL_INVALID_ENUM for a mode or a type of indices that is none, also where nothing is drawn
    (GL 4.6, 2.3.1: an enum that the command does not take is an error, whatever the others say);
    gl.GL_INVALID_OPERATION for primitives that a geometry shader or a capture does not take.
    """
    wrong = wrong_mode(b, ctx, mode)
    if type_ is not None:
        code = type_ - gl.GL_UNSIGNED_BYTE
        wrong = wrong | (code > 4) | ((code & 1) != 0)
    error_if(b, ctx, wrong, gl.GL_INVALID_ENUM)
    refuse_primitives(b, ctx, mode, elements=type_ is not None)


def refuse_negative(b: Builder, ctx: GLContext, counts: Any, n: Operand) -> None:
    """gl.GL_INVALID_VALUE for a negative count among many, before anything is drawn."""
    error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
    with b.For(b.const(i32, 0), n, 1) as i:
        error_if(b, ctx, counts[i] < 0, gl.GL_INVALID_VALUE)


@native
def glMultiDrawArrays(b: Any, ctx: GLContext, mode: Value, first: Pointer, count: Pointer,
                      n: Value) -> None:  # fmt: skip
    refuse_mode(b, ctx, mode)
    refuse_negative(b, ctx, count, n)
    with b.For(b.const(i32, 0), n, 1) as i:
        b.call(vbo_draw_arrays, ctx, mode, first[i], count[i], 1, 0, b.gl_slot)


def _multi_elements(b: Any, ctx: GLContext, mode: Pointer, count: Pointer, type_: Any, indices: Any,
                    n: Any, bias: Any = None) -> None:  # fmt: skip
    refuse_mode(b, ctx, mode, type_)
    refuse_negative(b, ctx, count, n)
    with b.For(b.const(i32, 0), n, 1) as i:
        add = 0 if bias is None else bias[i]
        place = indices.cast(PLACES)[i]
        b.call(vbo_draw_elements, ctx, mode, count[i], type_, place, add, 1, 0, b.gl_slot)


native_as("glMultiDrawElements", _multi_elements)
native_as("glMultiDrawElementsBaseVertex", _multi_elements)


# -- IBM_multimode_draw_arrays: a mode for each draw, `stride` bytes apart -------------------------


def _mode(b: Builder, modes: Pointer, i: Operand, stride: Value) -> Value:
    at = b.cast(i, i64) * b.cast(stride, i64)
    return b.bytes_from(modes, at, u32).load(u32, align=1)


@native
def glMultiModeDrawArraysIBM(b: Builder, ctx: GLContext, mode: Pointer, first: Pointer,
                             count: Pointer, n: Value, stride: Value) -> None:  # fmt: skip
    error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
    with b.For(b.const(i32, 0), n, 1) as i, b.If(count[i] > 0):
        call_entry(b, ctx, "glDrawArrays", _mode(b, mode, i, stride), first[i], count[i])


@native
def glMultiModeDrawElementsIBM(b: Builder, ctx: GLContext, mode: Pointer, count: Pointer,
                               type_: Value, indices: Pointer, n: Value,
                               stride: Value) -> None:  # fmt: skip
    error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
    with b.For(b.const(i32, 0), n, 1) as i, b.If(count[i] > 0):
        each, place = _mode(b, mode, i, stride), indices.cast(PLACES)[i]
        call_entry(b, ctx, "glDrawElements", each, count[i], type_, place)


# -- records in memory -----------------------------------------------------------------------------


@kernel(ptr(u8), (CTX, ptr(u8), u64, u32), noinline=True)
def vbo_indirect(b: Any, ctx: GLContext, indirect: Pointer, size: Value, where: Value) -> None:
    """Where `size` bytes of records lie: the address, null after an error. Between read_begin and
    read_end.
    """
    b.gl_slot = where
    offset = b.ptr_to_int(indirect)
    error_if(b, ctx, (offset & 3) != 0, gl.GL_INVALID_VALUE)
    buffer = ctx.buffers.draw_indirect
    with b.If(is_null(buffer)):
        # without a buffer it is the program's memory (ARB_draw_indirect, compatibility profile)
        with b.If(is_null(indirect)):
            record_error(b, ctx, gl.GL_INVALID_OPERATION)
        b.Return(indirect)
    return _in_buffer(b, ctx, buffer, offset, size)


def _in_buffer(b: Builder, ctx: GLContext, buffer: BufferObject, offset: Value, size: Value) -> Any:
    """The address of a range of a buffer that draws may read."""
    held = b.var(u64, 0)
    data = buffer.data
    with b.If(~is_null(data)):
        held.value = head_of(data).size
    beyond = (offset > held.value) | (size > held.value - offset)
    error_if(b, ctx, (buffer.mapped == 1) | beyond, gl.GL_INVALID_OPERATION)
    return b.bytes_from(data, offset, u8)


@kernel(i32, (CTX, i64, i32, u32), noinline=True)
def vbo_parameter(b: Builder, ctx: GLContext, offset: Value, most: Value, where: Value) -> Value:
    """ARB_indirect_parameters: the number of draws, at most `most`; -1 after an error."""
    bad = ((offset & 3) != 0) | (offset < 0) | (most < 0)
    with b.If(bad):
        b.call(gl_record_error, ctx, gl.GL_INVALID_VALUE, where)
        b.Return(-1)
    n = b.var(i32, -1)
    read_begin(b, ctx)
    buffer = ctx.buffers.parameter
    with b.If(~is_null(buffer)), b.If((buffer.mapped != 1) & ~is_null(buffer.data)):
        held, place = head_of(buffer.data).size, b.cast(offset, u64)
        with b.If((place < held) & (held - place >= 4)):
            given = b.bytes_from(buffer.data, place, u32).load(u32, align=4)
            n.value = b.cast(b.min(given, b.cast(most, u32)), i32)
    read_end(b, ctx)
    with b.If(n.value < 0):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, where)
    return n.value


class Indirect(NamedTuple):
    """One gl*Draw*Indirect*: whether there are indices, many draws, their number in a buffer."""

    name: str
    elements: bool
    multi: bool = False
    counted: bool = False

    @property
    def bytes(self) -> int:
        """Of a record: count, instances, first (index), (base vertex,) base instance."""
        return 20 if self.elements else 16


INDIRECT: tuple[Indirect, ...] = (
    Indirect("glDrawArraysIndirect", False),
    Indirect("glDrawElementsIndirect", True),
    Indirect("glMultiDrawArraysIndirect", False, True),
    Indirect("glMultiDrawElementsIndirect", True, True),
    Indirect("glMultiDrawArraysIndirectCount", False, True, True),
    Indirect("glMultiDrawElementsIndirectCount", True, True, True),
)


@kernel(ptr(u8), (CTX, ptr(u8), u32, U32S, u32), noinline=True)
def vbo_record(b: Builder, ctx: GLContext, indirect: Pointer, size: Value, out: Pointer,
               where: Value) -> None:  # fmt: skip
    """Copy one record; null after an error. Draws bracket their own reading, so it is done here."""
    read_begin(b, ctx)
    place = b.call(vbo_indirect, ctx, indirect, b.cast(size, u64), where)
    with b.If(~is_null(place)):
        b.memcpy(out.cast(ptr(u8)), place, b.cast(size, u64))
    read_end(b, ctx)
    return place


@kernel(void, (CTX, u32, u32, ptr(u8), i32, i32, u32, u32), noinline=True)
def vbo_draw_indirect(b: Any, ctx: GLContext, mode: Value, type_: Value, indirect: Pointer,
                      n: Value, stride: Value, size: Value, where: Value) -> None:  # fmt: skip
    """Draw `n` records of `size` bytes (20: with indices of `type_`). Numbers of a record that are
    no draw's (negative as an int) draw nothing: nobody can check them before.
    """
    b.gl_slot = where
    code = type_ - gl.GL_UNSIGNED_BYTE
    elements = size == 20
    wrong = wrong_mode(b, ctx, mode) | (elements & ((code > 4) | ((code & 1) != 0)))
    error_if(b, ctx, wrong, gl.GL_INVALID_ENUM)
    refuse_primitives(b, ctx, mode)
    error_if(b, ctx, (n < 0) | (stride < 0) | ((stride & 3) != 0), gl.GL_INVALID_VALUE)
    no_indices = elements & is_null(ctx.arrays.vao.element_buffer)
    error_if(b, ctx, no_indices, gl.GL_INVALID_OPERATION)
    # the core profile has records in buffers alone (ARB_draw_indirect), for no draws as well
    own = is_null(ctx.buffers.draw_indirect)
    error_if(b, ctx, own & (ctx.api != COMPAT), gl.GL_INVALID_OPERATION)
    with b.If(n == 0):
        b.Return()
    step = b.select(stride == 0, b.cast(size, u64), b.cast(stride, u64))
    read_begin(b, ctx)
    whole = b.cast(n - 1, u64) * step + b.cast(size, u64)
    good = b.call(vbo_indirect, ctx, indirect, whole, where)
    read_end(b, ctx)
    with b.If(is_null(good)):
        b.Return()
    record = b.array(u32, 5)
    numbers = record.cast(ptr(i32))
    with b.For(b.const(i32, 0), n, 1) as i:
        at = b.bytes_from(indirect, b.cast(i, u64) * step, u8)
        with b.If(is_null(b.call(vbo_record, ctx, at, size, record, where))):
            b.Return()
        count, instances, first = numbers[0], numbers[1], numbers[2]
        with b.If((count >= 0) & (instances >= 0) & (first >= 0)):
            with b.If(elements):
                offset = b.cast(record[2], u64) << b.cast(code >> 1, u64)
                b.call(
                    vbo_draw_elements, ctx, mode, count, type_, b.int_to_ptr(offset, u8),
                    numbers[3], instances, record[4], where,
                )  # fmt: skip
            with b.Else():
                b.call(vbo_draw_arrays, ctx, mode, first, count, instances, record[3], where)
        with b.Else():
            b.call(vbo_refuse, ctx, where)


def _indirect(row: Indirect) -> None:
    def body(b: Any, ctx: GLContext, mode: Value, *args: Any) -> None:
        rest = list(args)
        type_ = rest.pop(0) if row.elements else 0
        indirect = rest.pop(0)
        n, stride = (1, 0) if not row.multi else rest[-2:]
        if row.counted:
            n = b.call(vbo_parameter, ctx, rest[0], rest[1], b.gl_slot)
            with b.If(n < 0):
                b.Return()
        b.call(vbo_draw_indirect, ctx, mode, type_, indirect, n, stride, row.bytes, b.gl_slot)

    native_as(row.name, body)


for _row in INDIRECT:
    _indirect(_row)
