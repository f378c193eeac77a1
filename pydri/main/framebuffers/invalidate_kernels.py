# SPDX-License-Identifier: MIT
"""Native glInvalidateFramebuffer and its kin: contents that the program needs no longer
(ARB_invalidate_subdata; GL 4.6, 17.4.4), and glTextureBarrier.

In: attachments and rectangles. Out: errors alone: what is undefined from now on may as well stay
what it is. Programs call them in each frame. Mesa: main/fbobject.c
(invalidate_framebuffer_storage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i32, kernel, ptr, u32, void
from pydri.main.framebuffers.attach_kernels import (
    attachment_place,
    fbo_of_name,
    fbo_of_target,
    is_window,
    place_error,
)
from pydri.main.framebuffers.object_kernels import FBO
from pydri.main.kernels import CTX, fail, is_null, native_as, where
from pydri.main.rows import valid

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.framebuffers.layout import FramebufferObject
    from pydri.main.layout import GLContext

#: attachments of the window system's framebuffer, those of the compatibility profile, too
WINDOWS = (
    gl.GL_COLOR, gl.GL_DEPTH, gl.GL_STENCIL, gl.GL_FRONT_LEFT, gl.GL_FRONT_RIGHT, gl.GL_BACK_LEFT,
    gl.GL_BACK_RIGHT, gl.GL_ACCUM, gl.GL_AUX0, gl.GL_AUX1, gl.GL_AUX2, gl.GL_AUX3,
)  # fmt: skip


@kernel(void, (CTX, FBO, i32, ptr(u32), i32, i32, u32), noinline=True)
def invalidate(b: Builder, ctx: GLContext, fbo: FramebufferObject, count: Value, names: Pointer,
               width: Value, height: Value, slot: Value) -> None:  # fmt: skip
    """Find what is wrong with `count` attachments of a framebuffer (or the window's)."""
    fail(b, ctx, (count < 0) | (width < 0) | (height < 0), gl.GL_INVALID_VALUE, slot)
    with b.For(b.const(i32, 0), count, 1) as n:
        name = names[n]
        with b.If(is_window(b, fbo)):
            fail(b, ctx, ~valid(b, ctx, name, WINDOWS), gl.GL_INVALID_ENUM, slot)
            b.Continue()
        error = b.call(place_error, fbo, b.call(attachment_place, ctx, name))
        fail(b, ctx, error == gl.GL_INVALID_ENUM, gl.GL_INVALID_ENUM, slot)
        fail(b, ctx, error != 0, gl.GL_INVALID_OPERATION, slot)


def _entry(find: Any) -> Any:
    def body(b: Builder, ctx: GLContext, given: Pointer, count: Value, names: Pointer,
             *box: Any) -> None:  # fmt: skip
        fbo = b.call(find, ctx, given, where(b))
        with b.If(is_null(fbo), likely=False):
            b.Return()
        size = box[2:] or (b.const(i32, 0),) * 2
        b.call(invalidate, ctx, fbo, count, names, *size, where(b))

    return body


for _name, _find in (
    ("Framebuffer", fbo_of_target), ("SubFramebuffer", fbo_of_target),
    ("NamedFramebufferData", fbo_of_name), ("NamedFramebufferSubData", fbo_of_name),
):  # fmt: skip
    native_as(f"glInvalidate{_name}", _entry(_find))


def _barrier(b: Builder, ctx: GLContext) -> None:
    """ARB_texture_barrier: lookups of later draws see what was drawn without it, since a draw waits
    for the scene that writes what it reads (settle_views of pipe_llvm/setup/recording.py)."""


for _name in ("glTextureBarrier", "glTextureBarrierNV"):
    native_as(_name, _barrier)

__all__ = ["invalidate"]
