# SPDX-License-Identifier: MIT
"""What glGet answers natively that is no field of the context but is made of some: ONE table.

In: rows of get/tables.py whose place is a function of Python. Out: for each of them the same in the
kernel language: `emit(b, ctx)` -> the values, or a kernel that writes a list, however long it is,
and tells its length. A test compares every row with Python's. What is missing here (messages, names
of selection) Python answers. Mesa: the location "custom" of
main/get.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f64, kernel, ptr, u32
from pydri.jit.kernel import Kernel
from pydri.main.buffers.tables import BINDINGS, TARGETS
from pydri.main.get.compressed import COMPRESSED_TOLD
from pydri.main.kernels import CTX, clamp01, is_null, place, unclamped
from pydri.main.matrix.kernels import stack_top
from pydri.main.matrix.tables import MODELVIEW, PROJECTION, TEXTURE, Stack
from pydri.main.rows import row_finder
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS
from pydri.main.textures.tables import BIND_QUERIES
from pydri.nir.enums import VERT_ATTRIB_EDGEFLAG, VERT_ATTRIB_POINT_SIZE, VERT_ATTRIB_TEX0
from pydri.pipe.native import MAX_TARGETS as DRAW_BUFFERS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext

Emit = Callable[[Any, Any], list[Any]]


def _flag(b: Builder, cond: Any) -> list[Any]:
    return [b.select(cond, b.const(u32, 1), 0)]


def _transposed(stack: Stack) -> Emit:
    """The top of a matrix stack, rows for columns."""

    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        top = stack_top(b, ctx, stack, ctx.raw.active_texture if stack.per_unit else 0)
        return [top[4 * (k % 4) + k // 4] for k in range(16)]

    return emit


def _depth(stack: Stack) -> Emit:
    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        unit = ctx.raw.active_texture if stack.per_unit else 0
        return [ctx.matrix.depth[unit + stack.mode] + 1]

    return emit


def _sided(path: str) -> Emit:
    """A stencil field of the front, or of EXT_stencil_two_side's active back face."""

    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        back = ctx.raw.stencil_active_face == gl.GL_BACK
        front, active = place(b, ctx, path % 0), place(b, ctx, path % 2)
        return [b.select(back, active.load(), front.load())]

    return emit


def _stencil_ref(back: bool) -> Emit:
    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        active = ctx.raw.stencil_active_face == gl.GL_BACK
        side = 1 if back else b.select(active, b.const(u32, 2), 0)
        top = b.cast((b.const(u32, 1) << ctx.visual.stencil) - 1, f64)
        return [b.max(b.min(b.cast(ctx.raw.stencil_ref[side], f64), top), 0.0)]

    return emit


def _name(b: Builder, buffer: BufferObject) -> list[Any]:
    """Name of an object; 0 for none."""
    out = b.var(u32, 0)
    with b.If(~is_null(buffer)):
        out.value = buffer.name
    return [out.value]


def _target(target: int) -> Emit:
    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        block, _, field = TARGETS[target].partition(".")
        owner = ctx.arrays.vao if block == "vao" else getattr(ctx, block)
        return _name(b, getattr(owner, field))

    return emit


def _array(ctx: Any, slot: int) -> Any:
    """An array of the bound object; of texture coordinates the client's active unit's."""
    unit = ctx.arrays.client_active_texture if slot == VERT_ATTRIB_TEX0 else 0
    return ctx.arrays.vao.attribs + (unit + slot)


def _binding(slot: int) -> Emit:
    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        return _name(b, (ctx.arrays.vao.buffers + _array(ctx, slot).binding).buffer)

    return emit


def _texture(index: int) -> Emit:
    def emit(b: Builder, ctx: Any) -> list[Any]:
        bound = ctx.textures.bound[ctx.raw.active_texture * MAX_TEXTURE_TARGETS + index]
        return [bound.name]

    return emit


def _texcoord(field: str) -> Emit:
    return lambda b, ctx: [getattr(_array(ctx, VERT_ATTRIB_TEX0), field)]


def _store_flag(side: str, index: int) -> Emit:
    return lambda b, ctx: [getattr(ctx.raw, side)[index]]


def _draw_buffer(n: int) -> Emit:
    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        fbo, raw = ctx.framebuffers.draw, ctx.raw
        out = b.var(u32, raw.more_draw_buffers[n - 1] if n else raw.draw_buffer)
        with b.If(~is_null(fbo)):
            out.value = fbo.draw_buffers[n]
        return [out.value]

    return emit


def _read_buffer(b: Builder, ctx: GLContext) -> list[Any]:
    out = b.var(u32, ctx.raw.read_buffer)
    with b.If(~is_null(ctx.framebuffers.read)):
        out.value = ctx.framebuffers.read.read_buffer
    return [out.value]


def _clamped(path: str) -> Emit:
    def emit(b: Builder, ctx: GLContext) -> list[Any]:
        values = [place(b, ctx, path)[n] for n in range(4)]
        return [b.select(unclamped(ctx), v, clamp01(b, v)) for v in values]

    return emit


def _extension_count(b: Builder, ctx: GLContext) -> list[Any]:
    with b.If(ctx.extension_count == 0):
        b.call(ctx.hook_extensions, ctx)
    return [ctx.extension_count]


compressed_row = row_finder("compressed_told", COMPRESSED_TOLD)


@kernel(u32, (CTX, ptr(f64)), cold=True)
def compressed_formats(b: Builder, ctx: GLContext, out: Pointer) -> Value:
    """The compressed formats that a context tells; with null only how many these are."""
    enums = b.table(u32, [row.enum for row in COMPRESSED_TOLD])
    count = b.var(u32, 0)
    with b.For(b.const(u32, 0), len(COMPRESSED_TOLD)) as n:
        enum = enums[n]
        with b.If(b.call(compressed_row, ctx, enum) >= 0):
            with b.If(~is_null(out)):
                out[count.value] = b.cast(enum, f64)
            count.value = count.value + 1
    return count.value


def _compressed_count(b: Builder, ctx: GLContext) -> list[Any]:
    return [b.call(compressed_formats, ctx, b.const(ptr(f64), None))]


#: values that a row may have at most
MOST_VALUES = max(16, len(COMPRESSED_TOLD))

DERIVED: dict[int, Emit | Kernel] = {
    gl.GL_NUM_COMPRESSED_TEXTURE_FORMATS: _compressed_count,
    gl.GL_COMPRESSED_TEXTURE_FORMATS: compressed_formats,
    gl.GL_CONTEXT_ROBUST_ACCESS: lambda b, ctx: _flag(
        b, (ctx.context_flags & gl.GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT) != 0
    ),
    gl.GL_NUM_EXTENSIONS: _extension_count,
    gl.GL_CURRENT_PROGRAM: lambda b, ctx: _name(b, ctx.program.current),
    gl.GL_TRANSFORM_FEEDBACK_BINDING: lambda b, ctx: _name(b, ctx.transform.current),
    gl.GL_BLEND_COLOR: _clamped("dyn.blend_color"),
    gl.GL_COLOR_CLEAR_VALUE: _clamped("raw.clear_color"),
    gl.GL_DRAW_BUFFER: _draw_buffer(0),
    **{gl.GL_DRAW_BUFFER0 + n: _draw_buffer(n) for n in range(DRAW_BUFFERS)},
    gl.GL_READ_BUFFER: _read_buffer,
    gl.GL_DRAW_FRAMEBUFFER_BINDING: lambda b, ctx: _name(b, ctx.framebuffers.draw),
    gl.GL_READ_FRAMEBUFFER_BINDING: lambda b, ctx: _name(b, ctx.framebuffers.read),
    gl.GL_RENDERBUFFER_BINDING: lambda b, ctx: _name(b, ctx.framebuffers.renderbuffer),
    gl.GL_ACTIVE_TEXTURE: lambda b, ctx: [ctx.raw.active_texture + gl.GL_TEXTURE0],
    gl.GL_CLIENT_ACTIVE_TEXTURE: lambda b, ctx: [
        ctx.arrays.client_active_texture + gl.GL_TEXTURE0
    ],
    **{enum: _texture(index) for index, enum in enumerate(BIND_QUERIES)},
    gl.GL_SAMPLER_BINDING: lambda b, ctx: _name(
        b, (ctx.textures.sampler + ctx.raw.active_texture).load()
    ),
    gl.GL_RENDER_MODE: lambda b, ctx: [
        b.table(u32, [gl.GL_RENDER, gl.GL_SELECT, gl.GL_FEEDBACK])[ctx.key.render_mode]
    ],
    gl.GL_EDGE_FLAG: lambda b, ctx: _flag(
        b, place(b, ctx, f"val.current[{VERT_ATTRIB_EDGEFLAG}]").load() != 0.0
    ),
    gl.GL_TRANSPOSE_MODELVIEW_MATRIX: _transposed(MODELVIEW),
    gl.GL_TRANSPOSE_PROJECTION_MATRIX: _transposed(PROJECTION),
    gl.GL_TRANSPOSE_TEXTURE_MATRIX: _transposed(TEXTURE),
    gl.GL_MODELVIEW_STACK_DEPTH: _depth(MODELVIEW),
    gl.GL_PROJECTION_STACK_DEPTH: _depth(PROJECTION),
    gl.GL_TEXTURE_STACK_DEPTH: _depth(TEXTURE),
    gl.GL_STENCIL_FUNC: _sided("key.stencil[%d].func"),
    gl.GL_STENCIL_FAIL: _sided("key.stencil[%d].fail"),
    gl.GL_STENCIL_PASS_DEPTH_FAIL: _sided("key.stencil[%d].zfail"),
    gl.GL_STENCIL_PASS_DEPTH_PASS: _sided("key.stencil[%d].zpass"),
    gl.GL_STENCIL_VALUE_MASK: _sided("raw.stencil_mask[%d]"),
    gl.GL_STENCIL_WRITEMASK: _sided("raw.stencil_writemask[%d]"),
    gl.GL_STENCIL_REF: _stencil_ref(False),
    gl.GL_STENCIL_BACK_REF: _stencil_ref(True),
    gl.GL_COLOR_WRITEMASK: lambda b, ctx: [(ctx.key.color_mask >> k) & 1 for k in range(4)],
    gl.GL_SAMPLE_BUFFERS: lambda b, ctx: _flag(b, ctx.visual.samples > 1),
    **{name: _target(target) for name, target in BINDINGS.items()},
    gl.GL_VERTEX_ARRAY_BUFFER_BINDING: _binding(0),
    gl.GL_NORMAL_ARRAY_BUFFER_BINDING: _binding(1),
    gl.GL_COLOR_ARRAY_BUFFER_BINDING: _binding(2),
    gl.GL_SECONDARY_COLOR_ARRAY_BUFFER_BINDING: _binding(3),
    gl.GL_FOG_COORD_ARRAY_BUFFER_BINDING: _binding(4),
    gl.GL_INDEX_ARRAY_BUFFER_BINDING: _binding(5),
    gl.GL_TEXTURE_COORD_ARRAY_BUFFER_BINDING: _binding(VERT_ATTRIB_TEX0),
    gl.GL_EDGE_FLAG_ARRAY_BUFFER_BINDING: _binding(VERT_ATTRIB_EDGEFLAG),
    gl.GL_POINT_SIZE_ARRAY_BUFFER_BINDING_OES: _binding(VERT_ATTRIB_POINT_SIZE),
    gl.GL_TEXTURE_COORD_ARRAY_SIZE: _texcoord("size"),
    gl.GL_TEXTURE_COORD_ARRAY_TYPE: _texcoord("type"),
    gl.GL_TEXTURE_COORD_ARRAY_STRIDE: _texcoord("given_stride"),
    **{
        getattr(gl, f"GL_{side}_{flag}"): _store_flag(side.lower(), index)
        for side in ("PACK", "UNPACK")
        for flag, index in (("SWAP_BYTES", 6), ("LSB_FIRST", 7))
    },
}

__all__ = ["DERIVED", "MOST_VALUES", "Emit"]
