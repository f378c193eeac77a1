# SPDX-License-Identifier: MIT
"""glBlitFramebuffer (GL 4.6, 18.3.1; EXT_framebuffer_blit, EXT_framebuffer_multisample).

In: boxes in GL's window space of what is read from and drawn to. Out: a BlitInfo for each draw
buffer and one for depth and stencil, in surface space; or a GL error, in the order in which the
peer finds them. The scissor bounds what is written, nothing else of the state. Mesa: main/blit.c,
state_tracker/st_cb_blit.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import boolean, i32, kernel, ptr, u8, u32, void
from pydri.main.kernels import CTX, error_if, flush_vertices, is_es, is_null, native, one_of, where
from pydri.pipe.format import FORMATS
from pydri.pipe.native import (
    BLIT_LINEAR,
    BLIT_NEAREST,
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    MAX_TARGETS,
    BlitInfo,
    Surface,
)
from pydri.st.draw.derived import follow, incomplete, scissor_box, unreadable
from pydri.st.draw.kernels import DEPTH_FORMATS, STENCIL_FORMATS
from pydri.st.targets.named import named_framebuffer, on_framebuffers

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

_ALL = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
#: filters of EXT_framebuffer_multisample_blit_scaled: averages of samples, then linear
_RESOLVES = (gl.GL_SCALED_RESOLVE_FASTEST_EXT, gl.GL_SCALED_RESOLVE_NICEST_EXT)
#: by format: 0 fractions and floats, 1 unsigned and 2 signed whole numbers
_NUMBERS = [{"uint": 1, "sint": 2}.get(f.kind, 0) for f in FORMATS]
#: by format: type and bits of depth, so that equal numbers are equal depths
_DEPTHS = [
    {"un16": 1, "un24": 2, "un32": 3, "f32": 4}.get(f"{f.channels[0][0]}{f.channels[0][1]}", 0)
    if f.kind == "zs" else 0
    for f in FORMATS
]  # fmt: skip


def _holds(b: Builder, fb: Any, part: int, formats: int) -> Value:
    """Whether a framebuffer has depth (stencil)."""
    out = b.var(u32, 0)
    with b.If(~is_null(fb.zsbuf)):
        table = b.table(u8, [formats >> f.number & 1 for f in FORMATS])
        held = (table[fb.zsbuf.format] != 0) & ((fb.zs_hidden & part) == 0)
        out.value = b.cast(held, u32)
    return out.value != 0


def _samples(b: Builder, fb: Any) -> Any:
    """Samples of what is bound, of windows as they are drawn to; 0: one."""
    several = b.var(u32, fb.samples)
    for surface in (fb.cbuf, fb.zsbuf):
        with b.If(~is_null(surface)):
            several.value = b.max(several.value, surface.samples)
            with b.If(~is_null(surface.multi)):
                several.value = b.max(several.value, surface.multi.samples)
    return b.select(several.value > 1, several.value, b.const(u32, 0))


@kernel(void, (CTX, ptr(BlitInfo), ptr(Surface), ptr(Surface), u32), noinline=True)
def blit_one(b: Builder, ctx: GLContext, info: BlitInfo, source: Surface, target: Surface,
             mask: Value) -> None:  # fmt: skip
    """Hand a blit to the driver."""
    info.src, info.dst, info.mask = source, target, mask
    blit = ctx.pipe.blit
    with b.If(is_null(blit), likely=False):
        b.call(ctx.framebuffers.hook_blit, ctx, info)
    with b.Else():
        b.call(blit, ctx.pipe, info)


def _box(b: Builder, fb: Any, place: Any, given: Any) -> None:
    """A box of GL's window space in surface space."""
    x0, y0, x1, y1 = given
    flip, height = fb.flip_y != 0, b.cast(fb.height, i32)
    for n, value in enumerate((x0, y0, x1, y1)):
        place[n] = b.select(flip, height - value, value) if n & 1 else value


def _describe(b: Builder, ctx: GLContext, info: Any, linear: Any) -> None:
    """Scissor, filter and encoding of a blit."""
    for n, bound in enumerate(scissor_box(b, ctx)):
        info.scissor[n] = b.cast(bound, i32)
    info.filter = b.select(linear, b.const(u32, BLIT_LINEAR), BLIT_NEAREST)
    info.srgb = b.cast(ctx.key.framebuffer_srgb, u32)


def _check_arguments(b: Builder, ctx: GLContext, mask: Value, filter_: Value,
                     unresolved: Value) -> None:  # fmt: skip
    """What is refused whatever the buffers hold. `unresolved`: a resolving filter, no resolve."""
    unfit = unreadable(ctx) | incomplete(ctx)
    error_if(b, ctx, unfit, gl.GL_INVALID_FRAMEBUFFER_OPERATION)
    known = one_of(b, filter_, (gl.GL_NEAREST, gl.GL_LINEAR, *_RESOLVES))
    error_if(b, ctx, ~known, gl.GL_INVALID_ENUM)
    error_if(b, ctx, (mask & ~b.const(u32, _ALL)) != 0, gl.GL_INVALID_VALUE)
    zs_bits = gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
    smoothed = (filter_ != gl.GL_NEAREST) & ((mask & zs_bits) != 0)
    error_if(b, ctx, unresolved | smoothed, gl.GL_INVALID_OPERATION)


def _depths_part(b: Builder, read: Any, draw: Any) -> Value:
    """Whether the depths of two surfaces are of two formats; what has none is of any."""
    sizes = b.table(u8, _DEPTHS)
    here, there = sizes[read.zsbuf.format], sizes[draw.zsbuf.format]
    return (here != there) & (here != 0) & (there != 0)


def _refused_in_es(b: Builder, read: Any, draw: Any, several: Sequence[Any],
                   color: Value, parts: Value) -> Value:  # fmt: skip
    """What OpenGL ES alone refuses of surfaces (3.0, 4.3.2): resolving to another format, and
    blits from a surface to itself."""
    out = b.var(boolean, 0)
    targets = draw.addr("cbuf").cast(ptr(ptr(Surface)))
    with b.If(color), b.For(b.const(u32, 0), MAX_TARGETS, 1) as n:
        target = (targets + n).load()
        with b.If(~is_null(target)):
            other = (several[0] != 0) & (target.format != read.cbuf.format)
            out.value = out.value | other | (target.data == read.cbuf.data)
    with b.If(parts):
        out.value = out.value | (read.zsbuf.data == draw.zsbuf.data)
    return out.value


@kernel(void, (CTX, *[i32] * 8, u32, u32, u32), noinline=True)
def st_blit_framebuffer(b: Any, ctx: GLContext, sx0: Value, sy0: Value, sx1: Value, sy1: Value,
                        dx0: Value, dy0: Value, dx1: Value, dy1: Value, mask: Value, filter_: Value,
                        slot: Value) -> None:  # fmt: skip
    """glBlitFramebuffer, of what is bound."""
    b.gl_slot = slot
    flush_vertices(b, ctx)
    follow(b, ctx)
    several = [_samples(b, fb) for fb in (ctx.read, ctx.dyn.fb)]
    resolves, linear = one_of(b, filter_, _RESOLVES), filter_ != gl.GL_NEAREST
    _check_arguments(b, ctx, mask, filter_, resolves & ((several[0] == 0) | (several[1] != 0)))
    read, draw = ctx.read, ctx.dyn.fb
    zero = b.const(u32, 0)
    targets = draw.addr("cbuf").cast(ptr(ptr(Surface)))
    color = ((mask & gl.GL_COLOR_BUFFER_BIT) != 0) & ~is_null(read.cbuf)
    with b.If(color):
        numbers = b.table(u8, _NUMBERS)
        kind = numbers[read.cbuf.format]
        error_if(b, ctx, linear & (kind != 0), gl.GL_INVALID_OPERATION)
        with b.For(zero, MAX_TARGETS, 1) as n:
            target = (targets + n).load()
            with b.If(~is_null(target)):
                error_if(b, ctx, numbers[target.format] != kind, gl.GL_INVALID_OPERATION)
    depth, stencil = (
        ((mask & bit) != 0) & _holds(b, read, part, formats) & _holds(b, draw, part, formats)
        for bit, part, formats in (
            (gl.GL_DEPTH_BUFFER_BIT, CLEAR_DEPTH, DEPTH_FORMATS),
            (gl.GL_STENCIL_BUFFER_BIT, CLEAR_STENCIL, STENCIL_FORMATS),
        )
    )
    with b.If(depth | stencil):
        # stencil values are of 8 bits all; the depths beside them count, as with the peer
        error_if(b, ctx, _depths_part(b, read, draw), gl.GL_INVALID_OPERATION)
    apart = (several[0] != 0) & (several[1] != 0) & (several[0] != several[1])
    error_if(b, ctx, apart, gl.GL_INVALID_OPERATION)
    scales = (b.abs(sx1 - sx0) != b.abs(dx1 - dx0)) | (b.abs(sy1 - sy0) != b.abs(dy1 - dy0))
    some = (several[0] | several[1]) != 0
    error_if(b, ctx, some & scales & ~resolves, gl.GL_INVALID_OPERATION)
    with b.If(is_es(ctx), likely=False):
        same = (sx0 == dx0) & (sy0 == dy0) & (sx1 == dx1) & (sy1 == dy1)
        refused = (several[1] != 0) | (several[0] != 0) & ~same
        error_if(b, ctx, refused, gl.GL_INVALID_OPERATION)
        refused = _refused_in_es(b, read, draw, several, color, depth | stencil)
        error_if(b, ctx, refused, gl.GL_INVALID_OPERATION)
    empty = (sx0 == sx1) | (sy0 == sy1) | (dx0 == dx1) | (dy0 == dy1)
    with b.If(empty | (ctx.query.skip != 0)):
        b.Return()
    info = b.array(BlitInfo, 1, align=64)
    b.memset(info.cast(ptr(u8)), 0, BlitInfo.size)
    _box(b, read, info.src_box, (sx0, sy0, sx1, sy1))
    _box(b, draw, info.dst_box, (dx0, dy0, dx1, dy1))
    _describe(b, ctx, info, linear)
    with b.If(color), b.For(zero, MAX_TARGETS, 1) as n:
        target = (targets + n).load()
        with b.If(~is_null(target)):
            b.call(blit_one, ctx, info, read.cbuf, target, CLEAR_COLOR0)
    parts = b.select(depth, b.const(u32, CLEAR_DEPTH), zero) | b.select(
        stencil, b.const(u32, CLEAR_STENCIL), zero
    )
    with b.If(parts != 0):
        b.call(blit_one, ctx, info, read.zsbuf, draw.zsbuf, parts)


@native
def glBlitFramebuffer(b: Builder, ctx: GLContext, *args: Any) -> None:
    b.call(st_blit_framebuffer, ctx, *args, where(b))


@native
def glBlitNamedFramebuffer(b: Builder, ctx: GLContext, readFramebuffer: Value,
                           drawFramebuffer: Value, *args: Any) -> None:  # fmt: skip
    read, draw = (named_framebuffer(b, ctx, name) for name in (readFramebuffer, drawFramebuffer))
    with on_framebuffers(b, ctx, draw, read):
        b.call(st_blit_framebuffer, ctx, *args, where(b))


__all__ = ["glBlitFramebuffer", "glBlitNamedFramebuffer"]
