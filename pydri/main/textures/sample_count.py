# SPDX-License-Identifier: MIT
"""How many samples a pixel gets: the next number that the driver has, of renderbuffers and of
textures. Mesa: st_renderbuffer_alloc_storage, st_AllocTextureStorage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import i32, kernel, u32
from pydri.main.kernels import CTX, is_null

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext


@kernel(u32, (CTX, i32), noinline=True)
def supported_samples(b: Builder, ctx: GLContext, asked: Value) -> Value:
    """The least number of samples, more than one, that the driver has and that is at least `asked`;
    0: none."""
    with b.If(is_null(ctx.framebuffers.formats), likely=False):
        b.call(ctx.framebuffers.hook_load, ctx)
    for count in (2, 4, 8):
        has = ((ctx.framebuffers.samples >> count) & 1) != 0
        with b.If(has & (asked <= count)):
            b.Return(count)
    return b.const(u32, 0)


__all__ = ["supported_samples"]
