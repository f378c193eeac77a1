# SPDX-License-Identifier: MIT
"""Calls that name the framebuffers they work on (ARB_direct_state_access): these are what is bound
while the call lasts.

In: names. Out: whatever the call of bound framebuffers does. References stay where they are: who
named a framebuffer cannot delete it meanwhile, since framebuffers belong to one context.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydri.main.framebuffers.attach_kernels import fbo_of_name, is_window
from pydri.main.framebuffers.object_kernels import FBO
from pydri.main.kernels import flush_vertices, is_null, mark, where
from pydri.main.layout import DIRTY_TARGET

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext


def named_framebuffer(b: Builder, ctx: GLContext, name: Value) -> Pointer:
    """The framebuffer of a name, as fbo_of_name gives it; returns from the entry point after the
    error that there is none."""
    fbo = b.call(fbo_of_name, ctx, name, where(b))
    with b.If(is_null(fbo), likely=False):
        b.Return()
    return fbo


@contextmanager
def on_framebuffers(b: Builder, ctx: GLContext, draw: Value, read: Operand) -> Iterator[None]:
    """Emit what is traced within with framebuffers (of fbo_of_name) bound; it may not return."""
    flush_vertices(b, ctx)
    block, none = ctx.framebuffers, b.const(FBO, None)
    kept = block.draw, block.read
    block.draw = b.select(is_window(b, draw), none, draw)
    block.read = b.select(is_window(b, read), none, read)
    mark(b, ctx, DIRTY_TARGET)
    yield
    block.draw, block.read = kept
    mark(b, ctx, DIRTY_TARGET)


__all__ = ["named_framebuffer", "on_framebuffers"]
