# SPDX-License-Identifier: MIT
"""Transform feedback objects (ARB_transform_feedback2; OpenGL 4.0, 13.3.1): what is captured, where
to, and how far it has come, under a name.

In: names. Out: the object that is bound is spread over the context, where draws look for it:
`ctx.transform.now`, the numbered points of GL_TRANSFORM_FEEDBACK_BUFFER, the counts of
`dyn.stream_targets`. Binding another one puts all that away and takes out the other's. Mesa:
main/transformfeedback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import i64, kernel, ptr, u8, u32, u64, void
from pydri.main.buffers.kernels import names as buffers
from pydri.main.buffers.layout import MAX_FEEDBACK_POINTS, BindingPoint
from pydri.main.buffers.point_kernels import point_put
from pydri.main.buffers.storage_kernels import BUFFER
from pydri.main.buffers.tables import INDEXED
from pydri.main.kernels import (
    CTX,
    error_if,
    fail,
    flush_vertices,
    is_es,
    is_null,
    native,
    set_key,
    where,
)
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import (
    NAMED,
    put_reference,
    rebind,
    release,
)
from pydri.main.names.tables import TRANSFORMS
from pydri.main.rows import enum_check
from pydri.main.shaders.kernels import capturing, executable
from pydri.main.shaders.layout import ProgramObject
from pydri.main.transform.layout import TransformObject, TransformState
from pydri.pipe.native import MAX_STREAM_TARGETS, SHADER_GEOMETRY, StreamTarget

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

OBJECT, PROGRAM = ptr(TransformObject), ptr(ProgramObject)
#: the place of GL_TRANSFORM_FEEDBACK_BUFFER in `BuffersBlock.used`
_PLACE = [row.enum for row in INDEXED].index(gl.GL_TRANSFORM_FEEDBACK_BUFFER)


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


def refused_beside(mode: int, exact: bool = False) -> int:
    """TransformBlock.refused of a mode; `exact`: of OpenGL ES, where primitives are of the very
    mode (3.0, 2.15.2)."""
    taken = 1 << mode if exact else sum(1 << one for one in MODES[mode])
    return sum(1 << one for modes in MODES.values() for one in modes) & ~taken


def refuse_beside(b: Builder, ctx: GLContext) -> None:
    """Emit: TransformBlock.refused, of what is active now. What a geometry shader makes counts, not
    what is drawn."""
    mode, out, elements = ctx.transform.now.mode, b.var(u32, 0), b.var(u32, 0)
    with b.If(capturing(ctx)):
        exec_, beside = executable(b, ctx), b.const(u32, 0)
        embedded = is_es(ctx)
        for one in MODES:
            bits = (b.const(u32, refused_beside(one, exact)) for exact in (True, False))
            beside = b.select(mode == one, b.select(embedded, *bits), beside)
        elements.value = b.select(embedded, b.const(u32, 0xFFFFFFFF), 0)
        made = (beside >> exec_.geometry_output) & 1
        of_shader = b.select(made != 0, b.const(u32, 0xFFFFFFFF), 0)
        out.value = b.select(exec_.stages[SHADER_GEOMETRY].number == 0, beside, of_shader)
    ctx.transform.refused = out.value
    ctx.transform.elements_refused = elements.value


def _kept(b: Builder, ctx: Any, object: Any) -> Any:
    """Where an object (null: the default one) is kept while it is not bound."""
    return b.select(is_null(object), ctx.transform.addr("default"), object)


def state_of(b: Builder, ctx: Any, object: Any) -> Any:
    """Where the state of an object (null: the default one) is now."""
    block = ctx.transform
    kept = _kept(b, ctx, object).addr("state")
    return b.select(block.current == object, block.addr("now"), kept)


def capture_program(b: Builder, ctx: Any, program: Any, state: Any) -> None:
    """A state's program is another one (alive, or null); each counts the states that it is in."""
    old = state.program
    with b.If(~is_null(old)):
        b.atomic_add(old.addr("captured"), b.const(u32, 0xFFFFFFFF))
    with b.If(~is_null(program)):
        b.atomic_add(program.addr("captured"), 1)
    rebind(b, ctx, state.addr("program"), program)


def _copy(b: Builder, to: Any, source: Any, size: int) -> None:
    b.memcpy(to.cast(ptr(u8)), source.cast(ptr(u8)), size)


@kernel(void, (CTX, OBJECT), noinline=True)
def transform_bind(b: Builder, ctx: GLContext, object: TransformObject) -> None:
    """An object (with a reference, which is the context's now), or null, takes the place of the
    one that is bound."""
    block: Any = ctx.transform
    flush_vertices(b, ctx)
    points = ctx.buffers.addr("feedback_points")
    targets = ctx.dyn.addr("stream_targets").cast(ptr(StreamTarget))
    size = MAX_FEEDBACK_POINTS * BindingPoint.size
    old, new = _kept(b, ctx, block.current), _kept(b, ctx, object)
    _copy(b, old.addr("state"), block.addr("now"), TransformState.size)
    _copy(b, old.addr("points"), points, size)
    _copy(b, block.addr("now"), new.addr("state"), TransformState.size)
    _copy(b, points, new.addr("points"), size)
    ctx.buffers.used[_PLACE] = MAX_FEEDBACK_POINTS  # any of them may have had a buffer
    for n in range(MAX_STREAM_TARGETS):
        old.used[n] = (targets + n).used
        (targets + n).used = new.used[n]
    ctx.buffers.serial = ctx.buffers.serial + 1
    # what it refers to is the context's as long as it is bound
    b.memset(new.addr("points").cast(ptr(u8)), 0, size)
    new.state.program = b.const(PROGRAM, None)
    put_reference(b, ctx, block.addr("current"), object)
    refuse_beside(b, ctx)
    set_key(b, ctx, "capturing", b.select(capturing(ctx), b.const(u8, 1), 0))


@kernel(void, (CTX, NAMED), noinline=True)
def transform_unbind(b: Builder, ctx: GLContext, thing: Any) -> None:
    """The object is deleted: if it is bound, the default one is."""
    with b.If(ctx.transform.current == thing.cast(OBJECT)):
        b.call(transform_bind, ctx, b.const(OBJECT, None))


@kernel(void, (CTX, NAMED), noinline=True)
def transform_dead(b: Builder, ctx: GLContext, thing: Any) -> None:
    """What an object refers to."""
    object = thing.cast(OBJECT)
    for n in range(MAX_FEEDBACK_POINTS):
        point = object.addr("points").cast(ptr(BindingPoint)) + n
        put_reference(b, ctx, point.addr("buffer"), b.const(BUFFER, None))
    capture_program(b, ctx, b.const(PROGRAM, None), object.addr("state"))


names = install(
    TRANSFORMS, __name__, unbind=transform_unbind, dead=transform_dead,
    stays=lambda b, ctx, object: state_of(b, ctx, object).active != 0,
)  # fmt: skip


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_transform(b: Builder, ctx: GLContext) -> None:
    """The context goes: the default object is bound, and no program is captured."""
    with b.If(~is_null(ctx.transform.current)):
        b.call(transform_bind, ctx, b.const(OBJECT, None))
    capture_program(b, ctx, b.const(PROGRAM, None), ctx.transform.addr("now"))


@native
def glBindTransformFeedback(b: Builder, ctx: Any, target: Value, id: Value) -> None:
    enum_check(b, ctx, target, (gl.GL_TRANSFORM_FEEDBACK,))
    error_if(b, ctx, capturing(ctx), gl.GL_INVALID_OPERATION)
    found = b.var(OBJECT, b.const(OBJECT, None))
    with b.If(id != 0):
        found.value = names.bind(b, ctx, id, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
    with b.If(found.value == ctx.transform.current):
        with b.If(~is_null(found.value)):
            release(b, ctx, found.value.cast(NAMED))
        b.Return()
    b.call(transform_bind, ctx, found.value)


# -- by name (ARB_direct_state_access) ------------------------------------------------------------


@kernel(void, (CTX, u32, u32, u32, i64, i64, u32, u32), noinline=True)
def transform_point(b: Builder, ctx: Any, xfb: Value, index: Value, name: Value, offset: Value,
                    size: Value, least: Value, slot: Value) -> None:  # fmt: skip
    """A point of an object gets a range of a buffer; `least`: of what size."""
    object = b.var(OBJECT, b.const(OBJECT, None))
    with b.If(xfb != 0):
        object.value = names.peek(b, ctx, xfb)
        fail(b, ctx, is_null(object.value), gl.GL_INVALID_OPERATION, slot)
    known = b.var(BUFFER, b.const(BUFFER, None))
    with b.If(name != 0):
        known.value = buffers.peek(b, ctx, name)
        fail(b, ctx, is_null(known.value), gl.GL_INVALID_VALUE, slot)
    active = state_of(b, ctx, object.value).active != 0
    fail(b, ctx, active, gl.GL_INVALID_OPERATION, slot)
    wrong = (offset < 0) | (size < b.cast(least, i64)) | (((offset | size) & 3) != 0)
    fail(b, ctx, wrong | (index >= ctx.limits.feedback_points), gl.GL_INVALID_VALUE, slot)
    start, length = b.cast(offset, u64), b.cast(size, u64)
    target = b.const(u32, gl.GL_TRANSFORM_FEEDBACK_BUFFER)
    with b.If(ctx.transform.current == object.value):
        b.call(point_put, ctx, target, index, known.value, start, length)
        b.Return()
    point = _kept(b, ctx, object.value).addr("points").cast(ptr(BindingPoint)) + index
    rebind(b, ctx, point.addr("buffer"), known.value)
    point.offset, point.size = start, length


@native
def glTransformFeedbackBufferBase(b: Builder, ctx: GLContext, xfb: Value, index: Value,
                                  buffer: Value) -> None:  # fmt: skip
    zero = b.const(i64, 0)
    b.call(transform_point, ctx, xfb, index, buffer, zero, zero, 0, where(b))


@native
def glTransformFeedbackBufferRange(b: Builder, ctx: GLContext, xfb: Value, index: Value,
                                   buffer: Value, offset: Value, size: Value) -> None:  # fmt: skip
    b.call(transform_point, ctx, xfb, index, buffer, offset, size, 1, where(b))


__all__ = [
    "MODES", "OBJECT", "PROGRAM", "capture_program", "names", "refuse_beside", "refused_beside",
    "state_of",
]  # fmt: skip
