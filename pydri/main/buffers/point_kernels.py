# SPDX-License-Identifier: MIT
"""Numbered binding points of buffer objects: glBindBufferBase, glBindBufferRange, and several at
once (GL 4.6, 6.1.1; ARB_uniform_buffer_object, ARB_multi_bind).

In: a target of INDEXED (buffers/tables.py), a number, a buffer's name, a range. Out: the point
refers to the buffer, and `BuffersBlock.serial` tells that points were changed; the first two bind
to the target itself, too. Ranges are kept as they are given: what lies within the buffer is known
when a draw uses the point. Mesa: main/bufferobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.jit import i64, kernel, ptr, u32, u64, void
from pydri.main.buffers.bindings import binding_place
from pydri.main.buffers.kernels import names
from pydri.main.buffers.layout import BindingPoint
from pydri.main.buffers.storage_kernels import BUFFER, buffer_resource
from pydri.main.buffers.tables import INDEXED
from pydri.main.kernels import (
    CTX,
    error_if,
    errors_of_several,
    flush_vertices,
    gl_record_error,
    is_null,
    native,
    where,
)
from pydri.main.names.object_kernels import NAMED, put_reference, rebind, release
from pydri.main.rows import row_finder

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext

POINT = ptr(BindingPoint)
_target = row_finder("indexed_buffer_target", [row.enum for row in INDEXED])


@kernel(u32, (CTX, u32), noinline=True)
def points_of(b: Builder, ctx: GLContext, target: Value) -> Value:
    """How many numbered points a target has; 0 for what is no such target of the context."""
    count = b.var(u32, 0)
    with b.Switch(b.call(_target, ctx, target)) as s:
        for n, row in enumerate(INDEXED):
            with s.Case(n):
                count.value = getattr(ctx.limits, row.limit)
    return count.value


@kernel(u32, (CTX, u32, u64, u64), noinline=True)
def range_fits(b: Builder, ctx: GLContext, target: Value, offset: Value, size: Value) -> Value:
    """Whether a range is aligned as a target of INDEXED wants it."""
    fits = b.var(u32, 1)
    with b.Switch(target) as s:
        for row in INDEXED:
            with s.Case(row.enum):
                step = row.alignment
                mask = b.cast(getattr(ctx.limits, step) if isinstance(step, str) else step, u64) - 1
                bits = offset | size if row.whole else offset
                fits.value = b.cast((bits & mask) == 0, u32)
    return fits.value


@kernel(void, (CTX, u32, u32, BUFFER, u64, u64), noinline=True)
def point_put(b: Builder, ctx: GLContext, target: Value, index: Value, buffer: BufferObject,
              offset: Value, size: Value) -> None:  # fmt: skip
    """A point that there is gets a buffer (or null), which is alive, and a range of it."""
    point, noted = b.var(POINT, b.const(POINT, None)), b.var(ptr(u32), b.const(ptr(u32), None))
    with b.Switch(target) as s:
        for n, row in enumerate(INDEXED):
            with s.Case(row.enum):
                point.value = getattr(ctx.buffers, f"{row.name}_points") + index
                noted.value = ctx.buffers.used + n
    here = point.value
    same = (here.buffer == buffer) & (here.offset == offset) & (here.size == size)
    with b.If(same):
        b.Return()
    flush_vertices(b, ctx)
    # From here on vertices that are collected may read the buffer, so whoever touches its content
    # draws them first (`access_begin`): for that it has a resource before the first draw.
    with b.If(~is_null(buffer)):
        b.call(buffer_resource, ctx, buffer)
    rebind(b, ctx, here.addr("buffer"), buffer)
    here.offset, here.size = offset, size
    noted.value[0] = b.max(noted.value[0], index + 1)
    ctx.buffers.serial = ctx.buffers.serial + 1


@kernel(void, (CTX, u32, u32, u32, i64, i64, u32, u32), noinline=True)
def bind_point(b: Builder, ctx: GLContext, target: Value, index: Value, name: Value, offset: Value,
               size: Value, least: Value, slot: Value) -> None:  # fmt: skip
    """glBindBufferRange, whose `least` size is 1; of glBindBufferBase all three are 0. The name
    gets its object before anything else is looked at, as with Mesa."""
    found, error = b.var(BUFFER, b.const(BUFFER, None)), b.var(u32, 0)
    with b.If(name != 0):
        found.value = names.bind(b, ctx, name, slot)
        with b.If(is_null(found.value), likely=False):
            b.Return()
    start = b.select(name != 0, b.cast(offset, u64), b.const(u64, 0))
    length = b.select(name != 0, b.cast(size, u64), b.const(u64, 0))
    count = b.call(points_of, ctx, target)
    short = (name != 0) & ((offset < 0) | (size < b.cast(least, i64)))
    fits = b.call(range_fits, ctx, target, start, length) != 0
    with b.If(short | ~fits | (index >= count)):
        error.value = gl.GL_INVALID_VALUE
    capturing = (target == gl.GL_TRANSFORM_FEEDBACK_BUFFER) & (ctx.transform.now.active != 0)
    with b.If(capturing, likely=False):
        error.value = gl.GL_INVALID_OPERATION
    with b.If((count == 0) & ~short):
        error.value = gl.GL_INVALID_ENUM
    with b.If(error.value != 0, likely=False):
        with b.If(~is_null(found.value)):
            release(b, ctx, found.value.cast(NAMED))
        b.call(gl_record_error, ctx, error.value, slot)
        b.Return()
    b.call(point_put, ctx, target, index, found.value, start, length)
    with b.Switch(target) as s:
        for row in INDEXED:
            with s.Case(row.enum):
                put_reference(b, ctx, binding_place(ctx, row.enum), found.value)


@native
def glBindBufferBase(b: Builder, ctx: GLContext, target: Value, index: Value,
                     buffer: Value) -> None:  # fmt: skip
    zero = b.const(i64, 0)
    b.call(bind_point, ctx, target, index, buffer, zero, zero, 0, where(b))


@native
def glBindBufferRange(b: Builder, ctx: GLContext, target: Value, index: Value, buffer: Value,
                      offset: Value, size: Value) -> None:  # fmt: skip
    b.call(bind_point, ctx, target, index, buffer, offset, size, 1, where(b))


# -- several at once ------------------------------------------------------------------------------


@kernel(void, (CTX, u32, u32, u32, ptr(u32), ptr(i64), ptr(i64), u32), noinline=True)
def bind_points(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value,
                given: Pointer, offsets: Pointer, sizes: Pointer, slot: Value) -> None:  # fmt: skip
    """Bind the buffers of names to points that there are; null: to none. Null offsets: all of each
    buffer. What is wrong with one is told and leaves that point as it is. Targets themselves stay
    as they are.
    """
    with b.For(b.const(u32, 0), count, 1) as n:
        name, error = b.var(u32, 0), b.var(u32, 0)
        start, length = b.var(u64, 0), b.var(u64, 0)
        found = b.var(BUFFER, b.const(BUFFER, None))
        with b.If(~is_null(given)):
            name.value = given[n]
        with b.If(name.value != 0):
            with b.If(~is_null(offsets)):
                start.value, length.value = b.cast(offsets[n], u64), b.cast(sizes[n], u64)
                wrong = (offsets[n] < 0) | (sizes[n] <= 0)
                fits = b.call(range_fits, ctx, target, start.value, length.value) != 0
                error.value = b.select(wrong | ~fits, b.const(u32, gl.GL_INVALID_VALUE), 0)
            with b.If(error.value == 0):
                found.value = names.acquire(b, ctx, name.value)
                with b.If(is_null(found.value)):
                    error.value = gl.GL_INVALID_OPERATION
        with b.If(error.value != 0, likely=False):
            b.call(gl_record_error, ctx, error.value, slot)
            b.Continue()
        b.call(point_put, ctx, target, first + n, found.value, start.value, length.value)
        with b.If(~is_null(found.value)):
            release(b, ctx, found.value.cast(NAMED))


def _several(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value, given: Pointer,
             offsets: Pointer, sizes: Pointer) -> None:  # fmt: skip
    limit = b.call(points_of, ctx, target)
    error_if(b, ctx, limit == 0, gl.GL_INVALID_ENUM)
    capturing = (target == gl.GL_TRANSFORM_FEEDBACK_BUFFER) & (ctx.transform.now.active != 0)
    error_if(b, ctx, capturing, gl.GL_INVALID_OPERATION)
    errors_of_several(b, ctx, first, count, limit)
    number = b.cast(count, u32)
    b.call(bind_points, ctx, target, first, number, given, offsets, sizes, where(b))


@native
def glBindBuffersBase(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value,
                      given: Pointer) -> None:  # fmt: skip
    none = b.const(ptr(i64), None)
    _several(b, ctx, target, first, count, given, none, none)


@native
def glBindBuffersRange(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value,
                       given: Pointer, offsets: Pointer, sizes: Pointer) -> None:  # fmt: skip
    _several(b, ctx, target, first, count, given, offsets, sizes)
