# SPDX-License-Identifier: MIT
"""Textures with several samples: glTexImage2DMultisample and its kin (GL 4.6, 8.8), and the same
with storage for ever (8.19; ARB_texture_storage_multisample).

In: an ImageCall with `samples` and `fixed`. Out: the one image of the bound texture (or a proxy),
whose resource can be drawn to and sampled, with the next number of samples that the driver has; or
a GL error, in the order in which the peer finds them. No texels are given: they are zeros. Mesa:
texture_image_multisample of main/teximage.c, st_AllocTextureStorage of st_cb_texture.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import i32, kernel, ptr, u8, u16, u32, void
from pydri.main.kernels import CTX, is_null
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    ENUM,
    IMAGE,
    OPERATION,
    VALUE,
    bad,
    bad_target,
    is_sized,
    known,
    negative,
    of_row,
    of_target,
    sizes_beyond,
    too_much,
)
from pydri.main.textures.image_store import image_clear, put_resource, resource_target
from pydri.main.textures.image_sync import bound_texture
from pydri.main.textures.image_tables import ROWS, TARGETS
from pydri.main.textures.image_views import set_storage
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.sample_count import supported_samples
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import resource_create, resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import ImageCall

#: by row: framebuffers are complete with it
_RENDERABLE = [int(row.renderbuffer) for row in ROWS]
_SIZED = [int(is_sized(row)) for row in ROWS]
_DEPTHS = [int(f.kind == "zs") for f in FORMATS]


def format_of(b: Builder, ctx: GLContext, call: Any) -> Any:
    """The driver's format for the call's internal format with several samples; 0: none."""
    return b.cast(ctx.images.several[call.row], u32)


@kernel(ptr(Resource), (CTX, u32, u32, CALL, u32), noinline=True)
def samples_resource(b: Builder, ctx: GLContext, kind: Value, format: Value, call: ImageCall,
                     count: Value) -> Any:  # fmt: skip
    """A resource of the call's sizes; null if there is no memory."""
    made = b.array(Resource)
    b.memset(made.cast(ptr(u8)), 0, Resource.size)
    deep = b.table(u8, _DEPTHS)[format] != 0
    bind = b.select(deep, b.const(u32, res.BIND_DEPTH), res.BIND_RENDER)
    drawn = ctx.framebuffers.drawable[format] != 0
    bind = b.select(drawn, bind, b.const(u32, 0))
    made.target, made.format, made.samples = kind, format, count
    made.width, made.height = b.cast(call.width, u32), b.cast(call.height, u32)
    made.depth, made.layers = 1, b.cast(call.depth, u32)
    made.bind, made.flags = bind | res.BIND_SAMPLED, res.FLAG_STAMPS
    made.block_bytes = b.cast(b.table(u16, [f.bytes for f in FORMATS])[format], u32)
    made.block_width, made.block_height = 1, 1
    return b.call(resource_create, made)


@kernel(void, (CTX, CALL, IMAGE, u32), noinline=True)
def describe_samples(b: Builder, ctx: GLContext, call: ImageCall, image: Any,
                     count: Value) -> None:  # fmt: skip
    """Make a (cleared) image what the call says."""
    image.width, image.height = b.cast(call.width, u32), b.cast(call.height, u32)
    image.depth, image.internal_format = b.cast(call.depth, u32), call.internal
    image.row, image.format = call.row, format_of(b, ctx, call)
    image.samples, image.fixed = count, b.cast(call.fixed != 0, u32)


def _check(b: Builder, ctx: GLContext, call: Any, for_ever: bool) -> None:
    """What is refused whatever the texture is."""
    if for_ever:
        bad(b, (call.width < 1) | (call.height < 1) | (call.depth < 1), VALUE)
    bad(b, call.samples < 1, VALUE)
    bad_target(b, call, lambda row, dims: row.dims == dims, multisample=True)
    bad(b, ~known(call), ENUM)
    if for_ever:
        bad(b, of_row(b, call.row, _SIZED) == 0, ENUM)
    bad(b, of_row(b, call.row, _RENDERABLE) == 0, ENUM)


@kernel(u32, (CTX, CALL, u32), noinline=True)
def give_samples(b: Builder, ctx: GLContext, call: Any, count: Value) -> Value:
    """The call's texture gets the image, whose sizes are good; GL_OUT_OF_MEMORY, or 0."""
    object = call.object
    image = object.images
    b.call(image_clear, image)
    none = b.const(ptr(Resource), None)
    b.call(put_resource, object.addr("resource"), none)
    texture_changed(b, ctx, object)
    with b.If((call.width != 0) & (call.height != 0) & (call.depth != 0)):
        kind, format = resource_target(b, object), format_of(b, ctx, call)
        made = b.call(samples_resource, ctx, kind, format, call, count)
        bad(b, is_null(made), gl.GL_OUT_OF_MEMORY)
        b.call(put_resource, object.addr("resource"), made)
        b.call(put_resource, image.addr("resource"), made)
        b.call(resource_release, made)
    b.call(describe_samples, ctx, call, image, count)
    object.unfinished = 0
    return b.const(u32, 0)


def _do(b: Builder, ctx: GLContext, call: Any, for_ever: bool) -> Any:
    """Both entry points."""
    _check(b, ctx, call, for_ever)
    count = b.call(supported_samples, ctx, call.samples)
    proxy = of_target(b, call, [row.proxy for row in TARGETS])
    bad(b, (count == 0) & (proxy == 0), OPERATION)
    with b.If(proxy == 0):
        call.object = bound_texture(b, ctx, call)
    if for_ever:
        bad(b, proxy != 0, OPERATION)
        bad(b, call.object.name == 0, OPERATION)
    call.level = call.border = b.const(i32, 0)
    format = format_of(b, ctx, call)
    beyond = negative(call) | b.call(sizes_beyond, ctx, call)
    size = b.cast(b.table(u32, [f.bytes for f in FORMATS])[format], u32) * b.max(count, 1)
    huge = b.call(too_much, call, size) | (format == 0)
    with b.If(proxy != 0):
        image = ctx.images.proxies + (proxy - 1) * MAX_TEXTURE_LEVELS
        b.call(image_clear, image)
        with b.If((count != 0) & ~beyond & ~huge):
            # the peer's proxies tell what was asked for
            b.call(describe_samples, ctx, call, image, b.cast(call.samples, u32))
        b.Return(0)
    bad(b, beyond, VALUE)
    bad(b, huge, gl.GL_OUT_OF_MEMORY)
    bad(b, call.object.immutable != 0, OPERATION)
    error = b.call(give_samples, ctx, call, count)
    bad(b, error != 0, gl.GL_OUT_OF_MEMORY)
    if for_ever:
        call.level = 1
        set_storage(b, call.object, call)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def do_image_samples(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """glTexImage2DMultisample, glTexImage3DMultisample."""
    return _do(b, ctx, call, False)


@kernel(u32, (CTX, CALL), noinline=True)
def do_storage_samples(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """glTexStorage2DMultisample, glTexStorage3DMultisample."""
    return _do(b, ctx, call, True)


DOES = {
    tables.OP_IMAGE_SAMPLES: do_image_samples, tables.OP_STORAGE_SAMPLES: do_storage_samples,
}  # fmt: skip
__all__ = ["DOES"]
