# SPDX-License-Identifier: MIT
"""Native glRenderbufferStorage and its kin (GL 4.6, 9.2.4).

In: an internal format, sizes, samples. Out: the renderbuffer's resource, zeroed; or a GL error, in
the order in which the peer finds them. The format follows from the row of textures/formats.py and
what the driver draws to; of numbers of samples the next one that it has is taken. Storage that is
asked for again as it is stays. Mesa: main/fbobject.c (renderbuffer_storage), st_cb_fbo.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i32, kernel, ptr, u8, u16, u32, void
from pydri.main.framebuffers.object_kernels import RENDERBUFFER, loaded, renderbuffers
from pydri.main.framebuffers.tables import renderbuffer_where
from pydri.main.kernels import (
    CTX,
    fail,
    flush_vertices,
    gl_record_error,
    is_es,
    is_null,
    native_as,
    where,
)
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.rows import row_finder
from pydri.main.textures.image_tables import ROWS
from pydri.main.textures.sample_count import supported_samples
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import resource_create, resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.framebuffers.layout import Renderbuffer
    from pydri.main.layout import GLContext

#: numbers of the internal formats that renderbuffers can have
_FORMATS = [n for n, row in enumerate(ROWS) if row.renderbuffer]
_format = row_finder(
    "renderbuffer_format",
    [ROWS[n]._replace(where=renderbuffer_where(ROWS[n])) for n in _FORMATS],
)


@kernel(ptr(Resource), (u32, u32, u32, u32), noinline=True)
def renderbuffer_memory(b: Builder, format: Value, width: Value, height: Value,
                        samples: Value) -> Any:  # fmt: skip
    """A resource that is drawn to alone; null: there is no memory."""
    made = b.array(Resource)
    b.memset(made.cast(ptr(u8)), 0, Resource.size)
    depth = b.table(u8, [int(f.kind == "zs") for f in FORMATS])[format] != 0
    made.target, made.format, made.samples = res.TARGET_2D, format, b.max(samples, 1)
    made.width, made.height, made.depth, made.layers = width, height, 1, 1
    made.bind = b.select(depth, b.const(u32, res.BIND_DEPTH), res.BIND_RENDER)
    stamps = depth | (samples > 1)
    made.flags = b.select(stamps, b.const(u32, res.FLAG_STAMPS), 0)
    made.block_bytes = b.cast(b.table(u16, [f.bytes for f in FORMATS])[format], u32)
    made.block_width, made.block_height = 1, 1
    return b.call(resource_create, made)


@kernel(u32, (CTX, i32), noinline=True)
def sample_count(b: Builder, ctx: GLContext, asked: Value) -> Value:
    """The smallest supported number of samples that is at least `asked`; 0 for 0, and 99 where the
    driver has no such number (ARB_framebuffer_object: GL_INVALID_VALUE).
    """
    with b.If(asked <= 0):
        b.Return(0)
    count = b.call(supported_samples, ctx, asked)
    return b.select(count == 0, b.const(u32, 99), count)


@kernel(void, (CTX, RENDERBUFFER, i32, u32, i32, i32, u32), noinline=True)
def renderbuffer_storage(b: Builder, ctx: GLContext, made: Renderbuffer, samples: Value,
                         internal: Value, width: Value, height: Value,
                         slot: Value) -> None:  # fmt: skip
    """All of glRenderbufferStorage*, for a renderbuffer."""
    loaded(b, ctx)
    at = b.call(_format, ctx, internal)
    fail(b, ctx, at < 0, gl.GL_INVALID_ENUM, slot)
    row = b.cast(b.table(u16, _FORMATS)[at], u32)
    most = b.cast(ctx.limits.texture_2d, i32)
    for size in (width, height):
        fail(b, ctx, (size < 0) | (size > most), gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, samples < 0, gl.GL_INVALID_VALUE, slot)
    count = b.call(sample_count, ctx, samples)
    # OpenGL ES 3.0, 4.4.2: it hangs on the format, so the error is another one
    fail(b, ctx, (count == 99) & is_es(ctx), gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, count == 99, gl.GL_INVALID_VALUE, slot)
    format = b.cast(ctx.framebuffers.formats[row], u32)
    same = (made.internal_format == internal) & (made.samples == count)
    same = same & (made.width == b.cast(width, u32)) & (made.height == b.cast(height, u32))
    with b.If(same & ~is_null(made.resource)):
        b.Return()
    flush_vertices(b, ctx)
    b.call(resource_release, made.resource)
    made.resource = b.const(ptr(Resource), None)
    made.internal_format, made.row, made.format = internal, row, format
    made.width, made.height, made.samples = b.cast(width, u32), b.cast(height, u32), count
    b.atomic_add(ctx.shared.addr("texture_serial"), 1)
    with b.If((width == 0) | (height == 0) | (format == 0)):
        b.Return()
    made.resource = b.call(renderbuffer_memory, format, made.width, made.height, count)
    with b.If(is_null(made.resource), likely=False):
        made.width = made.height = b.const(u32, 0)
        b.call(gl_record_error, ctx, gl.GL_OUT_OF_MEMORY, slot)


def _bound(b: Builder, ctx: GLContext, target: Value) -> Any:
    fail(b, ctx, target != gl.GL_RENDERBUFFER, gl.GL_INVALID_ENUM, where(b))
    made = ctx.framebuffers.renderbuffer
    fail(b, ctx, is_null(made), gl.GL_INVALID_OPERATION, where(b))
    return made


def _by_target(b: Builder, ctx: GLContext, target: Value, *args: Any) -> None:
    made = _bound(b, ctx, target)
    *samples, internal, width, height = args
    count = samples[0] if samples else b.const(i32, 0)
    b.call(renderbuffer_storage, ctx, made, count, internal, width, height, where(b))


def _by_name(invented: bool) -> Any:
    def body(b: Builder, ctx: GLContext, name: Value, *args: Any) -> None:
        if invented:
            fail(b, ctx, name == 0, gl.GL_INVALID_OPERATION, where(b))
            made = renderbuffers.bind(b, ctx, name, where(b))
            with b.If(is_null(made), likely=False):
                b.Return()
        else:
            made = renderbuffers.acquire(b, ctx, name)
            fail(b, ctx, is_null(made), gl.GL_INVALID_OPERATION, where(b))
        *samples, internal, width, height = args
        count = samples[0] if samples else b.const(i32, 0)
        b.call(renderbuffer_storage, ctx, made, count, internal, width, height, where(b))
        release(b, ctx, made.cast(NAMED))

    return body


for _name in ("Storage", "StorageMultisample"):
    native_as("glRenderbuffer" + _name, _by_target)
    native_as("glNamedRenderbuffer" + _name, _by_name(False))
    native_as(f"glNamedRenderbuffer{_name}EXT", _by_name(True))


__all__ = ["renderbuffer_memory", "renderbuffer_storage"]
