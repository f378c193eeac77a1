# SPDX-License-Identifier: MIT
"""Native framebuffer objects and renderbuffers: names, binding, deletion, storage of renderbuffers
(GL 4.6, 9.2; EXT_framebuffer_object).

In: names and targets. Out: `ctx.framebuffers.draw` and `read` (null: the window's framebuffer),
`renderbuffer`, and attachments, each with a reference. Whoever changes what the next draw goes to
sets DIRTY_TARGET; storage that is another one is announced by `texture_serial` of the share group,
as changed textures are, since framebuffers of any context may have it attached. Mesa:
main/fbobject.c, main/renderbuffer.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, ptr, u32, void
from pydri.main.framebuffers.layout import (
    ATTACHED_NONE,
    ATTACHED_RENDERBUFFER,
    MAX_ATTACHMENTS,
    Attachment,
    FramebufferObject,
    Renderbuffer,
    TargetSurface,
)
from pydri.main.framebuffers.tables import TARGETS
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_es,
    is_null,
    mark,
    native_as,
    one_of,
    record_error,
    where,
)
from pydri.main.layout import DIRTY_TARGET
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import ALIGNED_ALLOC, NAMED, put_reference, rebind
from pydri.main.names.space_kernels import BYTES, FREE_MEMORY
from pydri.main.names.tables import FRAMEBUFFERS, RENDERBUFFERS
from pydri.main.rows import row_finder
from pydri.pipe.native import MAX_TARGETS
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import resource_reference, resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

FBO, RENDERBUFFER, ATTACHMENT = ptr(FramebufferObject), ptr(Renderbuffer), ptr(Attachment)
NODE = ptr(TargetSurface)


# -- surfaces of attachments -----------------------------------------------------------------------


def _let_go(b: Builder, node: Any) -> None:
    """Emit: nobody draws to a surface any more: its resource, and what was known of its tiles."""
    b.call(resource_release, node.image)
    node.image = b.const(ptr(Resource), None)
    states = node.surface.addr("tile_state")
    b.call(FREE_MEMORY, states.load().cast(BYTES))
    states.store(b.const(ptr(u32), None))


@kernel(void, (CTX,), noinline=True)
def targets_settle(b: Builder, ctx: GLContext) -> None:
    """Surfaces whose scenes are done can be used again; they let go of their resources."""
    block = ctx.framebuffers
    with b.Loop():
        node = block.waiting
        with b.If(is_null(node)):
            b.Break()
        with b.If(node.fence > ctx.pipe.completed):
            b.Break()
        block.waiting = node.next
        _let_go(b, node)
        node.next = block.spare
        block.spare = node


@kernel(NODE, (CTX, ptr(Resource)), noinline=True)
def target_take(b: Builder, ctx: GLContext, resource: Resource) -> Value:
    """A zeroed surface for an image of a resource, of which it has a reference; null: no memory."""
    b.call(targets_settle, ctx)
    block = ctx.framebuffers
    node = b.var(NODE, block.spare)
    with b.If(is_null(node.value), likely=False):
        node.value = b.call(ALIGNED_ALLOC, 64, TargetSurface.size).cast(NODE)
        with b.If(is_null(node.value)):
            b.Return(node.value)
    with b.Else():
        block.spare = node.value.next
    b.memset(node.value.cast(NAMED), 0, TargetSurface.size)
    b.call(resource_reference, resource)
    node.value.image, node.value.serial = resource, resource.serial
    return node.value


@kernel(void, (CTX, ptr(NODE)), noinline=True)
def target_give(b: Builder, ctx: GLContext, place: Any) -> None:
    """An attachment's surface is not wanted any more; scenes may use it still."""
    node, block = place.load(), ctx.framebuffers
    with b.If(is_null(node)):
        b.Return()
    none = b.const(NODE, None)
    place.store(none)
    node.fence, node.next = ctx.pipe.submitted + 1, none
    with b.If(is_null(block.waiting)):
        block.waiting = node
    with b.Else():
        block.waiting_last.next = node
    block.waiting_last = node
    b.call(targets_settle, ctx)


# -- objects ---------------------------------------------------------------------------------------


@kernel(void, (CTX, FBO, u32), noinline=True)
def attachment_clear(b: Builder, ctx: GLContext, fbo: Any, n: Any) -> None:
    """Nothing is attached at a place any more."""
    at = fbo.attachments + n
    b.call(target_give, ctx, at.addr("target"))
    put_reference(b, ctx, at.addr("object"), b.const(NAMED, None))
    at.kind = ATTACHED_NONE
    at.level = at.face = at.layer = at.layered = at.format = at.samples = b.const(u32, 0)
    fbo.stale = 1
    changed(b, ctx, fbo)


def changed(b: Builder, ctx: GLContext, fbo: FramebufferObject) -> None:
    """Attachments or buffers of a framebuffer are others now."""
    fbo.stale = 1
    block = ctx.framebuffers
    with b.If((block.draw == fbo) | (block.read == fbo)):
        mark(b, ctx, DIRTY_TARGET)


@kernel(void, (CTX, NAMED), noinline=True)
def renderbuffer_born(b: Builder, ctx: GLContext, thing: Named) -> None:
    first = b.select(is_es(ctx), b.const(u32, gl.GL_RGBA4), gl.GL_RGBA)
    thing.cast(RENDERBUFFER).internal_format = first


@kernel(void, (CTX, NAMED), noinline=True)
def renderbuffer_unbind(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A renderbuffer is deleted: it is bound no more, and attached to no bound framebuffer."""
    block = ctx.framebuffers
    with b.If(block.renderbuffer == thing.cast(RENDERBUFFER)):
        put_reference(b, ctx, block.addr("renderbuffer"), b.const(RENDERBUFFER, None))
    b.call(fbo_detach, ctx, thing)


@kernel(void, (CTX, NAMED), noinline=True)
def renderbuffer_dead(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Nobody refers to a renderbuffer: its memory goes when no scene uses it."""
    made = thing.cast(RENDERBUFFER)
    b.call(resource_release, made.resource)
    made.resource = b.const(ptr(Resource), None)


@gl_kernel
@kernel(void, (CTX, NAMED), noinline=True)
def fbo_detach(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A texture or renderbuffer is deleted: framebuffers that are bound lose it (GL 4.6, 9.2.8);
    others keep it.
    """
    for name in ("draw", "read"):
        fbo = getattr(ctx.framebuffers, name)
        with b.If(~is_null(fbo)), b.For(b.const(u32, 0), MAX_ATTACHMENTS, 1) as n:
            with b.If((fbo.attachments + n).object == thing):
                flush_vertices(b, ctx)
                b.call(attachment_clear, ctx, fbo, n)


@kernel(void, (CTX, NAMED), noinline=True)
def framebuffer_born(b: Builder, ctx: GLContext, thing: Named) -> None:
    fbo = thing.cast(FBO)
    fbo.draw_buffers[0] = fbo.read_buffer = b.const(u32, gl.GL_COLOR_ATTACHMENT0)
    fbo.stale = 1


@kernel(void, (CTX, NAMED), noinline=True)
def framebuffer_unbind(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A framebuffer is deleted: the window's is bound in its place."""
    for name in ("draw", "read"):
        place = ctx.framebuffers.addr(name)
        with b.If(place.load() == thing.cast(FBO)):
            flush_vertices(b, ctx)
            put_reference(b, ctx, place, b.const(FBO, None))
            mark(b, ctx, DIRTY_TARGET)


@kernel(void, (CTX, NAMED), noinline=True)
def framebuffer_dead(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Nobody refers to a framebuffer: its attachments go."""
    with b.For(b.const(u32, 0), MAX_ATTACHMENTS, 1) as n:
        b.call(attachment_clear, ctx, thing.cast(FBO), n)


renderbuffers = install(
    RENDERBUFFERS, __name__, born=renderbuffer_born, unbind=renderbuffer_unbind,
    dead=renderbuffer_dead,
)  # fmt: skip
framebuffers = install(
    FRAMEBUFFERS, __name__, born=framebuffer_born, unbind=framebuffer_unbind,
    dead=framebuffer_dead,
)  # fmt: skip


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_framebuffers(b: Builder, ctx: GLContext) -> None:
    """The context goes: its bindings; and the surfaces, since no scene is pending."""
    block = ctx.framebuffers
    put_reference(b, ctx, block.addr("renderbuffer"), b.const(RENDERBUFFER, None))
    for name in ("draw", "read"):
        put_reference(b, ctx, block.addr(name), b.const(FBO, None))


@gl_kernel
@kernel(void, (CTX,), cold=True)
def framebuffers_end(b: Builder, ctx: GLContext) -> None:
    """Behind `names_leave`: the memory of surfaces."""
    block = ctx.framebuffers
    for name in ("waiting", "spare"):
        node = b.var(NODE, getattr(block, name))
        with b.While(lambda: ~is_null(node.value)):  # noqa: B023
            here = node.value
            node.value = here.next
            _let_go(b, here)
            b.call(FREE_MEMORY, here.cast(BYTES))
        setattr(block, name, b.const(NODE, None))


# -- binding ---------------------------------------------------------------------------------------

framebuffer_target = row_finder("framebuffer_target", TARGETS.values())


def _bind_framebuffer(b: Builder, ctx: GLContext, target: Value, name: Value) -> None:
    # OpenGL ES 2.0 has the first alone; the peer binds to all, and programs with draw buffers ask
    known = one_of(b, target, tuple(TARGETS))
    error_if(b, ctx, ~known, gl.GL_INVALID_ENUM)
    found = b.var(FBO, b.const(FBO, None))
    with b.If(name != 0):
        found.value = framebuffers.bind(b, ctx, name, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
    block = ctx.framebuffers
    for place in ("draw", "read"):
        wanted = one_of(b, target, [row.enum for row in TARGETS.values() if place in row.bound])
        with b.If(wanted & (getattr(block, place) != found.value)):
            flush_vertices(b, ctx)
            rebind(b, ctx, block.addr(place), found.value)
            mark(b, ctx, DIRTY_TARGET)
    with b.If(~is_null(found.value)):
        found.value.own = found.value.own - 1  # kinds of one context have one owner


def _bind_renderbuffer(b: Builder, ctx: GLContext, target: Value, name: Value) -> None:
    error_if(b, ctx, target != gl.GL_RENDERBUFFER, gl.GL_INVALID_ENUM)
    found = b.var(RENDERBUFFER, b.const(RENDERBUFFER, None))
    with b.If(name != 0):
        found.value = renderbuffers.bind(b, ctx, name, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
    put_reference(b, ctx, ctx.framebuffers.addr("renderbuffer"), found.value)


# Names that no glGen command made are taken: outside of the core profile the peer takes them from
# both names of a command, and programs rely on it (ARB_framebuffer_object would have an error).
for _suffix in ("", "EXT"):
    native_as("glBindFramebuffer" + _suffix, _bind_framebuffer)
    native_as("glBindRenderbuffer" + _suffix, _bind_renderbuffer)


def loaded(b: Builder, ctx: GLContext) -> None:
    """What the driver can draw to is known after this."""
    with b.If(is_null(ctx.framebuffers.formats), likely=False):
        b.call(ctx.framebuffers.hook_load, ctx)


__all__ = [
    "ATTACHED_RENDERBUFFER", "ATTACHMENT", "FBO", "MAX_TARGETS", "NODE", "RENDERBUFFER",
    "attachment_clear", "changed", "framebuffer_target", "framebuffers", "loaded", "record_error",
    "renderbuffers", "target_give", "target_take",
]  # fmt: skip
