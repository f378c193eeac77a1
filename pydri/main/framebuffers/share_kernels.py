# SPDX-License-Identifier: MIT
"""Renderbuffers that share their image with textures and with each other
(main/textures/shared_images.py).

In: a name; an ImageShare. Out: a resource that samplers may read, too, which is the renderbuffer's
from now on. What a renderbuffer has of its own lies as nobody samples it: pixels without a skirt,
depth and stencil in stamps. Mesa: egl_dri2.c, main/fbobject.c (egl_image_target_renderbuffer).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, ptr, u8, u32, u64
from pydri.main.framebuffers.object_kernels import RENDERBUFFER, loaded, renderbuffers
from pydri.main.kernels import CTX, flush_vertices, is_null
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.textures.image_check import bad
from pydri.main.textures.image_store import put_resource
from pydri.main.textures.image_sync import settle
from pydri.main.textures.image_tables import BASES
from pydri.main.textures.layout import SHARE_MEMORY, SHARE_PARAMETER, ImageShare
from pydri.pipe.native import CopyInfo
from pydri.pipe.resource import BIND_SAMPLED, TARGET_2D, Resource
from pydri.pipe.resource_kernels import resource_create, resource_part, resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.framebuffers.layout import Renderbuffer
    from pydri.main.layout import GLContext

SHARE, RESOURCE = ptr(ImageShare), ptr(Resource)


@kernel(u32, (CTX, RENDERBUFFER), noinline=True)
def make_sampled(b: Builder, ctx: GLContext, made: Renderbuffer) -> Value:
    """Samplers may read a renderbuffer's image after this; 0: there is no memory."""
    old = made.resource
    with b.If((old.bind & BIND_SAMPLED) != 0):
        b.Return(1)
    template = b.array(Resource)
    b.memcpy(template.cast(ptr(u8)), old.cast(ptr(u8)), Resource.size)
    template.bind, template.flags = old.bind | BIND_SAMPLED, 0
    new = b.call(resource_create, template)
    with b.If(is_null(new)):
        b.Return(0)
    settle(b, ctx, old)
    info = b.array(CopyInfo, 1, align=64)
    b.memset(info.cast(ptr(u8)), 0, CopyInfo.size)
    info.src, info.dst = old, new
    info.width, info.height, info.depth = old.width, old.height, 1
    copy = ctx.pipe.copy_region
    with b.If(is_null(copy), likely=False):
        b.call(ctx.framebuffers.hook_copy, ctx, info)
    with b.Else():
        b.call(copy, ctx.pipe, info)
    b.call(put_resource, made.addr("resource"), new)
    b.call(resource_release, new)
    b.atomic_add(ctx.shared.addr("texture_serial"), 1)
    return b.const(u32, 1)


@kernel(u32, (CTX, SHARE, RENDERBUFFER), noinline=True)
def share_renderbuffer(b: Builder, ctx: GLContext, out: ImageShare, made: Renderbuffer) -> Value:
    """SHARE_*, or 0: a renderbuffer's image can be shared."""
    bad(b, is_null(made.resource) | (made.samples != 0) | is_null(ctx.pipe), SHARE_PARAMETER)
    bad(b, b.call(make_sampled, ctx, made) == 0, SHARE_MEMORY)
    out.internal, out.row, out.format = made.internal_format, made.row, made.format
    out.width, out.height = made.width, made.height
    part = b.call(resource_part, made.resource, TARGET_2D, made.format, 0, 1, 0, 1)
    bad(b, is_null(part), SHARE_MEMORY)
    out.resource = part
    return b.const(u32, 0)


@gl_kernel
@kernel(u64, (CTX, SHARE, u64), cold=True)
def renderbuffer_share(b: Builder, ctx: GLContext, out: ImageShare, name: Value) -> Value:
    """The image of the renderbuffer of a name: SHARE_*, or 0."""
    made = renderbuffers.acquire(b, ctx, b.cast(name, u32))
    with b.If(is_null(made)):
        b.Return(SHARE_PARAMETER)
    refused = b.call(share_renderbuffer, ctx, out, made)
    release(b, ctx, made.cast(NAMED))
    return b.cast(refused, u64)


@gl_kernel
@kernel(u64, (CTX, SHARE), cold=True)
def renderbuffer_adopt(b: Builder, ctx: GLContext, what: ImageShare) -> Value:
    """A shared image becomes that of the renderbuffer that is bound: the GL error, or 0."""
    made = ctx.framebuffers.renderbuffer
    loaded(b, ctx)
    with b.If(is_null(made)):
        b.Return(gl.GL_INVALID_OPERATION)
    with b.If(ctx.framebuffers.drawable[what.format] == 0):
        b.Return(gl.GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    b.call(put_resource, made.addr("resource"), what.resource)
    made.internal_format = b.table(u32, BASES)[what.row]
    made.row, made.format = what.row, what.format
    made.width, made.height, made.samples = what.width, what.height, 0
    b.atomic_add(ctx.shared.addr("texture_serial"), 1)
    return b.const(u64, 0)
