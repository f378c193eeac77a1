# SPDX-License-Identifier: MIT
"""glBeginTransformFeedback and its end; glBindBufferOffset (EXT_transform_feedback).

In: a mode, the current program, what is bound to the numbered points. Out: `ctx.transform`,
`key.capturing`, the counts of what was written in `dyn.stream_targets`, which begin anew. Pending
vertices are drawn before anything changes. Mesa: main/transformfeedback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i32, i64, kernel, ptr, u32, u64
from pydri.main.buffers.kernels import names as buffers
from pydri.main.buffers.layout import BindingPoint
from pydri.main.buffers.point_kernels import bind_point, points_of
from pydri.main.buffers.storage_kernels import held_range, read_begin, read_end
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    native,
    set_key,
    where,
)
from pydri.main.rows import enum_check
from pydri.main.shaders.kernels import capturing, executable
from pydri.main.transform.object_kernels import (
    MODES,
    PROGRAM,
    capture_program,
    refuse_beside,
    refused_beside,
)
from pydri.pipe.native import MAX_STREAM_TARGETS, StreamTarget
from pydri.pipe.resource_kernels import head_of

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value
    from pydri.main.layout import GLContext

def refused(ctx: Any, mode: Operand) -> Any:
    """Whether primitives make none of those that are captured, or are none that the current
    program's geometry shader takes (OpenGL 3.2, 2.12.1)."""
    return (((ctx.transform.refused | ctx.program.refused) >> mode) & 1) != 0


def refuse_primitives(
    b: Builder, ctx: GLContext, mode: Operand, elements: bool = False
) -> None:
    """GL_INVALID_OPERATION for such primitives. `elements`: drawn by indices."""
    wrong = refused(ctx, mode)
    if elements:
        wrong = wrong | (ctx.transform.elements_refused != 0)
    error_if(b, ctx, wrong, gl.GL_INVALID_OPERATION)


def _corners(b: Builder, mode: Value) -> Any:
    """How many vertices a point, a line or a triangle has."""
    return b.select(mode == gl.GL_TRIANGLES, b.const(u32, 3), mode + 1)


def _room(b: Builder, ctx: Any, exec_: Any, mask: Value, mode: Value) -> Any:
    """How many primitives fit into all of the buffers that are written."""
    points = ctx.buffers.feedback_points.cast(ptr(BindingPoint))
    vertices = b.var(u64, b.const(u64, 0xFFFFFFFFFFFFFFFF))
    read_begin(b, ctx)
    for n in range(MAX_STREAM_TARGETS):
        point = points + n
        with b.If((mask >> n) & 1 != 0):
            held, data = b.var(u64, 0), point.buffer.data
            with b.If(~is_null(data)):
                held.value = held_range(b, head_of(data), point.offset, point.size)[1]
            stride = b.cast(exec_.capture_strides[n], u64)
            vertices.value = b.min(vertices.value, held.value // stride)
    read_end(b, ctx)
    return vertices.value // b.cast(_corners(b, mode), u64)


@kernel(u32, (CTX, i32, i32), cold=True)
def refuse_capture(b: Builder, ctx: Any, count: Value, instances: Value) -> Value:
    """Whether a draw would capture more than there is room for: then OpenGL ES has an error and
    draws nothing (3.0, 2.15.2). One that fits takes its room. Primitives are of the mode that is
    captured."""
    now = ctx.transform.now
    made = b.cast(b.cast(count, u32) // _corners(b, now.mode), u64) * b.cast(instances, u64)
    with b.If(made > now.left):
        b.Return(1)
    now.left = now.left - made
    return b.const(u32, 0)


@native
def glBeginTransformFeedback(b: Builder, ctx: Any, mode: Value) -> None:
    block = ctx.transform.now
    error_if(b, ctx, is_null(ctx.program.current), gl.GL_INVALID_OPERATION)
    exec_ = executable(b, ctx)
    mask = exec_.capture_buffers
    error_if(b, ctx, mask == 0, gl.GL_INVALID_OPERATION)
    enum_check(b, ctx, mode, tuple(MODES))
    error_if(b, ctx, block.active != 0, gl.GL_INVALID_OPERATION)
    points = ctx.buffers.feedback_points.cast(ptr(BindingPoint))
    for n in range(MAX_STREAM_TARGETS):
        missing = ((mask >> n) & 1 != 0) & is_null((points + n).buffer)
        error_if(b, ctx, missing, gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    targets = ctx.dyn.addr("stream_targets").cast(ptr(StreamTarget))
    for n in range(MAX_STREAM_TARGETS):
        (targets + n).used = 0
    block.active, block.paused, block.mode, block.buffers = 1, 0, mode, mask
    block.stride = exec_.capture_strides[b.ctz(mask)]
    block.left = _room(b, ctx, exec_, mask, mode)
    capture_program(b, ctx, ctx.program.current, block)
    refuse_beside(b, ctx)
    set_key(b, ctx, "capturing", 1)


@native
def glEndTransformFeedback(b: Builder, ctx: GLContext) -> None:
    block: Any = ctx.transform.now
    error_if(b, ctx, block.active == 0, gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    targets = ctx.dyn.addr("stream_targets").cast(ptr(StreamTarget))
    first = targets + b.ctz(block.buffers)
    block.vertices = first.used // b.cast(block.stride, u64)
    block.active, block.paused, block.buffers, block.ended = 0, 0, 0, 1
    capture_program(b, ctx, b.const(PROGRAM, None), block)
    refuse_beside(b, ctx)
    set_key(b, ctx, "capturing", 0)


@native
def glPauseTransformFeedback(b: Builder, ctx: Any) -> None:
    error_if(b, ctx, ~capturing(ctx), gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    ctx.transform.now.paused = 1
    refuse_beside(b, ctx)
    set_key(b, ctx, "capturing", 0)


@native
def glResumeTransformFeedback(b: Builder, ctx: Any) -> None:
    block = ctx.transform.now
    error_if(b, ctx, (block.active == 0) | (block.paused == 0), gl.GL_INVALID_OPERATION)
    error_if(b, ctx, block.program != ctx.program.current, gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    block.paused = 0
    refuse_beside(b, ctx)
    set_key(b, ctx, "capturing", 1)


@native
def glBindBufferOffsetEXT(
    b: Builder, ctx: GLContext, target: Value, index: Value, name: Value, offset: Value
) -> None:
    enum_check(b, ctx, target, (gl.GL_TRANSFORM_FEEDBACK_BUFFER,))
    count = b.call(points_of, ctx, target)
    error_if(b, ctx, count == 0, gl.GL_INVALID_ENUM)
    error_if(b, ctx, ctx.transform.now.active != 0, gl.GL_INVALID_OPERATION)
    error_if(b, ctx, (index >= count) | ((offset & 3) != 0), gl.GL_INVALID_VALUE)
    with b.If(name != 0):
        known = buffers.peek(b, ctx, name)
        error_if(b, ctx, is_null(known), gl.GL_INVALID_OPERATION)
    error_if(b, ctx, offset < 0, gl.GL_INVALID_VALUE)
    size = b.const(i64, 0)  # to its end
    b.call(bind_point, ctx, target, index, name, b.cast(offset, i64), size, 0, where(b))


__all__ = [
    "MODES", "refuse_capture", "refuse_primitives", "refuse_beside", "refused", "refused_beside",
]  # fmt: skip
