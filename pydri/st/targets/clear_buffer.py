# SPDX-License-Identifier: MIT
"""glClearBuffer*: one buffer of what is drawn to gets a value that is an argument.

In: a buffer and a value. Out: st_clear with the context's clear values put aside meanwhile. Values
for targets of whole numbers are their bits. Masks and the scissor hold as for glClear. Mesa:
main/clear.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, f64, i32, kernel, ptr, u32, u64, void
from pydri.main.kernels import CTX, fail, flush_vertices, is_null, native_as, one_of, where
from pydri.main.queries.kernels import discarded
from pydri.pipe.native import (
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_SRGB,
    CLEAR_STENCIL,
    MAX_TARGETS,
    Surface,
)
from pydri.st.draw.derived import synchronise
from pydri.st.draw.kernels import DEPTH_FORMATS, STENCIL_FORMATS, st_clear
from pydri.st.drawables import BOTH_BUFFERS
from pydri.st.targets.named import named_framebuffer, on_framebuffers

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext, KeyBlock
    from pydri.pipe.native import PipeFramebuffer

V4 = u32.vec(4)


def _there(b: Builder, fb: PipeFramebuffer, key: KeyBlock, part: int, formats: int) -> Value:
    """Whether there is a depth (stencil) buffer."""
    held = ((b.const(u64, formats) >> b.cast(key.zs_format, u64)) & 1) != 0
    return held & ~is_null(fb.zsbuf) & ((fb.zs_hidden & part) == 0)


@kernel(void, (CTX, u32, i32, ptr(u32), f32, i32), noinline=True)
def clear_buffer(b: Builder, ctx: GLContext, parts: Value, target: Value, color: Pointer,
                 depth: Value, stencil: Value) -> None:  # fmt: skip
    """Clear colour target `target` (`parts` 0), or depth and stencil (CLEAR_* in `parts`)."""
    flush_vertices(b, ctx)
    synchronise(b, ctx)
    key, raw, fb = ctx.key, ctx.raw, ctx.dyn.fb
    with b.If((key.render_mode != 0) | discarded(ctx)):
        b.Return()
    zero, buffers = b.const(u32, 0), b.var(u32, 0)
    with b.If(parts == 0):
        places = fb.addr("cbuf").cast(ptr(ptr(Surface)))
        there = ~is_null((places + b.cast(target, u32)).load())
        there = there & (((key.color_mask >> (b.cast(target, u32) * 4)) & 15) != 0)
        wanted = (b.const(u32, CLEAR_COLOR0) << b.cast(target, u32)) | b.select(
            key.framebuffer_srgb != 0, b.const(u32, CLEAR_SRGB), zero
        )
        buffers.value = b.select(there, wanted, zero)
        # a draw buffer of a window may stand for two of what is drawn to
        both = is_null(ctx.framebuffers.draw) & (target == 0) & one_of(
            b, raw.draw_buffer, BOTH_BUFFERS)
        both = both & there & ~is_null((places + 1).load())
        buffers.value = buffers.value | b.select(both, b.const(u32, CLEAR_COLOR0 << 1), zero)
    with b.Else():
        some = _there(b, fb, key, CLEAR_DEPTH, DEPTH_FORMATS) & (key.depth_mask != 0)
        buffers.value = b.select(some, parts & CLEAR_DEPTH, zero)
        some = _there(b, fb, key, CLEAR_STENCIL, STENCIL_FORMATS)
        some = some & ((raw.stencil_writemask[0] & 0xFF) != 0)
        buffers.value = buffers.value | b.select(some, parts & CLEAR_STENCIL, zero)
    with b.If(buffers.value == 0):
        b.Return()
    place = raw.clear_color.cast(ptr(u32))
    kept, kept_depth, kept_stencil = place.load(V4, align=4), raw.clear_depth, raw.clear_stencil
    with b.If(parts == 0):
        place.store(color.load(V4, align=4), align=4)
    raw.clear_depth = b.cast(b.min(b.max(depth, 0.0), 1.0), f64)
    raw.clear_stencil = stencil
    b.call(st_clear, ctx, buffers.value)
    place.store(kept, align=4)
    raw.clear_depth, raw.clear_stencil = kept_depth, kept_stencil


@kernel(void, (CTX, u32, i32, ptr(u32), u32, u32), noinline=True)
def clear_values(b: Builder, ctx: GLContext, buffer: Value, target: Value, value: Pointer,
                 beside: Value, slot: Value) -> None:  # fmt: skip
    """glClearBufferfv, iv, uiv; `beside`: the buffer that the form has beside colour, 0."""
    known = (buffer == gl.GL_COLOR) | ((buffer == beside) & (beside != 0))
    fail(b, ctx, ~known, gl.GL_INVALID_ENUM, slot)
    with b.If(buffer == gl.GL_COLOR):
        beyond = (target < 0) | (target >= MAX_TARGETS)
        fail(b, ctx, beyond, gl.GL_INVALID_VALUE, slot)
        b.call(clear_buffer, ctx, 0, target, value, 0.0, 0)
        b.Return()
    fail(b, ctx, target != 0, gl.GL_INVALID_VALUE, slot)
    with b.If(buffer == gl.GL_DEPTH):
        depth = value.cast(ptr(f32))[0]
        b.call(clear_buffer, ctx, CLEAR_DEPTH, 0, value, depth, 0)
    with b.Else():
        stencil = value.cast(ptr(i32))[0]
        b.call(clear_buffer, ctx, CLEAR_STENCIL, 0, value, 0.0, stencil)


@kernel(void, (CTX, u32, i32, f32, i32, u32), noinline=True)
def clear_both(b: Builder, ctx: GLContext, buffer: Value, target: Value, depth: Value,
               stencil: Value, slot: Value) -> None:  # fmt: skip
    """glClearBufferfi."""
    fail(b, ctx, buffer != gl.GL_DEPTH_STENCIL, gl.GL_INVALID_ENUM, slot)
    fail(b, ctx, target != 0, gl.GL_INVALID_VALUE, slot)
    none = b.array(u32, 4)
    b.call(clear_buffer, ctx, CLEAR_DEPTH | CLEAR_STENCIL, 0, none, depth, stencil)


def _values(beside: int) -> Any:
    def body(b: Builder, ctx: GLContext, buffer: Any, target: Value, value: Pointer) -> None:
        b.call(clear_values, ctx, buffer, target, value.cast(ptr(u32)), beside, where(b))

    return body


def _both(b: Builder, ctx: GLContext, *args: Any) -> None:
    b.call(clear_both, ctx, *args, where(b))


def _named(does: Any) -> Any:
    """The same of a framebuffer that is named."""

    def body(b: Builder, ctx: GLContext, framebuffer: Value, *args: Any) -> None:
        fbo = named_framebuffer(b, ctx, framebuffer)
        with on_framebuffers(b, ctx, fbo, fbo):
            does(b, ctx, *args)

    return body


for _form, _does in (
    ("fv", _values(gl.GL_DEPTH)), ("iv", _values(gl.GL_STENCIL)), ("uiv", _values(0)),
    ("fi", _both),
):  # fmt: skip
    native_as(f"glClearBuffer{_form}", _does)
    native_as(f"glClearNamedFramebuffer{_form}", _named(_does))

__all__ = ["clear_buffer"]
