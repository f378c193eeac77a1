# SPDX-License-Identifier: MIT
"""glBeginTransformFeedback and its end; glBindBufferOffset (EXT_transform_feedback).

In: a mode, the current program, what is bound to the numbered points. Out: `ctx.transform`,
`key.capturing`, the counts of what was written in `dyn.stream_targets`, which begin anew. Pending
vertices are drawn before anything changes. Mesa: main/transformfeedback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i64, ptr, u32, u64
from pydri.main.buffers.kernels import names as buffers
from pydri.main.buffers.layout import BindingPoint
from pydri.main.buffers.point_kernels import bind_point, points_of
from pydri.main.kernels import (
    error_if,
    flush_vertices,
    is_null,
    native,
    set_key,
    where,
)
from pydri.main.rows import enum_check
from pydri.main.shaders.kernels import executable
from pydri.main.transform.object_kernels import PROGRAM, capture_program, capturing
from pydri.pipe.native import MAX_STREAM_TARGETS, SHADER_GEOMETRY, StreamTarget

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value
    from pydri.main.layout import GLContext

#: modes of primitives by what they become
MODES: dict[int, tuple[int, ...]] = {
    gl.GL_POINTS: (gl.GL_POINTS,),
    gl.GL_LINES: (
        gl.GL_LINES, gl.GL_LINE_LOOP, gl.GL_LINE_STRIP, gl.GL_LINES_ADJACENCY,
        gl.GL_LINE_STRIP_ADJACENCY,
    ),
    gl.GL_TRIANGLES: (
        gl.GL_TRIANGLES, gl.GL_TRIANGLE_STRIP, gl.GL_TRIANGLE_FAN, gl.GL_QUADS, gl.GL_QUAD_STRIP,
        gl.GL_POLYGON, gl.GL_TRIANGLES_ADJACENCY, gl.GL_TRIANGLE_STRIP_ADJACENCY,
    ),
}  # fmt: skip


def refused_beside(mode: int) -> int:
    """TransformBlock.refused of a mode."""
    taken = sum(1 << one for one in MODES[mode])
    return sum(1 << one for modes in MODES.values() for one in modes) & ~taken


def refused(ctx: Any, mode: Operand) -> Any:
    """Whether primitives make none of those that are captured, or are none that the current
    program's geometry shader takes (OpenGL 3.2, 2.12.1)."""
    return (((ctx.transform.refused | ctx.program.refused) >> mode) & 1) != 0


def refuse_primitives(b: Builder, ctx: GLContext, mode: Operand) -> None:
    """GL_INVALID_OPERATION for such primitives."""
    error_if(b, ctx, refused(ctx, mode), gl.GL_INVALID_OPERATION)


def refuse_beside(b: Builder, ctx: GLContext) -> None:
    """Emit: TransformBlock.refused, of what is active now. What a geometry shader makes counts, not
    what is drawn."""
    mode, out = ctx.transform.now.mode, b.var(u32, 0)
    with b.If(capturing(ctx)):
        exec_, beside = executable(b, ctx), b.const(u32, 0)
        for one in MODES:
            beside = b.select(mode == one, b.const(u32, refused_beside(one)), beside)
        made = (beside >> exec_.geometry_output) & 1
        of_shader = b.select(made != 0, b.const(u32, 0xFFFFFFFF), 0)
        out.value = b.select(exec_.stages[SHADER_GEOMETRY].number == 0, beside, of_shader)
    ctx.transform.refused = out.value


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
    block.stride = exec_.capture_stride
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


__all__ = ["MODES", "refuse_primitives", "refuse_beside", "refused", "refused_beside"]
