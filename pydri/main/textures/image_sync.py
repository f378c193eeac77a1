# SPDX-License-Identifier: MIT
"""Which texture a call means, and what must be waited for before its texels are touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import u32
from pydri.main.kernels import is_null
from pydri.main.textures.image_tables import TARGETS
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS
from pydri.main.textures.tables import IMAGE_TARGETS
from pydri.pipe.resource_kernels import storage_changed, unfinished

if TYPE_CHECKING:
    from pydri.jit import Builder
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import ImageCall
    from pydri.pipe.resource import Resource


def target_index(b: Builder, call: ImageCall) -> Any:
    """TARGET_INDEX_* of the call's target."""
    order = [IMAGE_TARGETS.index(row.object) for row in TARGETS]
    return b.cast(b.table(u32, order)[call.at], u32)


def bound_texture(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """The texture that is bound to the call's target."""
    place = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + target_index(b, call)
    return (ctx.textures.bound + place).load()


def settle(b: Builder, ctx: GLContext, resource: Resource) -> None:
    """No scene of this context that is pending reads or writes a (present) resource after this,
    so that its texels can be touched. That counts behind those scenes: what they leave is known by
    the count as they found it."""
    await_scenes(b, ctx, resource)
    storage_changed(b, resource.storage)


def await_scenes(b: Builder, ctx: GLContext, resource: Resource) -> None:
    """The same for who only reads texels."""
    with b.If(~is_null(ctx.pipe)):
        storage, pipe = resource.storage, ctx.pipe
        used = unfinished(b, pipe, storage.reads) | unfinished(b, pipe, storage.writes)
        with b.If(used, likely=False):
            finish = ctx.pipe.finish
            with b.If(is_null(finish)):
                b.call(ctx.hook_flush, ctx, 1)
            with b.Else():
                b.call(finish, ctx.pipe)


__all__ = ["await_scenes", "bound_texture", "settle", "target_index"]
