# SPDX-License-Identifier: MIT
"""Making other drawables current as a kernel: what a program with two windows does every frame.

Stage: between the glXMakeCurrent kernel and the state tracker's framebuffers. In: the context and
drawables that are current, and those that shall be. Out: 1 if they are, 0 if it is a case for
Python (DriContext.bind and unbind, which are the definition), nothing changed. Native is the plain
case: every drawable has its buffers, the back buffer (or all of a pbuffer) is drawn to, and no
other context draws there; or there is no drawable (EGL_KHR_surfaceless_context).
Framebuffer objects may be bound meanwhile, as toolkits do whose widgets are images of one context
that another one puts together. A drawable's size is not
asked for: it comes with each present. Counterpart of dri_make_current and st_framebuffers of Mesa.
"""

from typing import Any

from pydri.api import enums as gl
from pydri.api.gl_table import TABLE as GL_TABLE
from pydri.dri.native import Drawable
from pydri.jit import boolean, fn, kernel, ptr, u32, void
from pydri.main.layout import DIRTY_FB, GLContext
from pydri.pipe.native import MAX_TARGETS, PipeFramebuffer, Surface
from pydri.st.drawables import FRONT_BUFFERS

GL_FLUSH_SLOT = GL_TABLE.slots["glFlush"]
_FLUSH = fn(void, ptr(GLContext))


def _is_null(b: Any, pointer: Any) -> Any:
    return b.ptr_to_int(pointer) == 0


def _front(b: Any, buffer: Any) -> Any:
    found = buffer == FRONT_BUFFERS[0]
    for value in FRONT_BUFFERS[1:]:
        found = found | (buffer == value)
    return found


def drawable_of(ctx: Any, name: str) -> Any:
    """The Drawable that a context draws to or reads from; null if there is none."""
    return getattr(ctx, name).cast(ptr(Drawable))


@kernel(boolean, (ptr(Drawable), u32))
def dri_plain(b: Any, d: Any, buffer: Any) -> None:
    """Whether a colour buffer of a drawable can be bound without Python; none (null) can."""
    with b.If(_is_null(b, d)):
        b.Return(1)
    ready = (d.width != 0) & (d.doomed == 0) & (d.front_used == 0)
    ready = ready & (d.buffers_stamp == d.stamp)  # else its new size would be taken for known
    shown = (d.double_buffer != 0) & ~_front(b, buffer)
    hidden = (d.double_buffer == 0) & (d.offscreen != 0)
    b.Return(ready & (shown | hidden))


@kernel(void, (ptr(PipeFramebuffer), ptr(Drawable), u32, boolean))
def dri_bind_buffers(b: Any, fb: Any, d: Any, buffer: Any, drawn: Any) -> None:
    """Point a native framebuffer at a plain drawable's buffers; null is one of size 0. `drawn`: it
    is drawn to, in the surface that has the samples; what is read has one a pixel."""
    none = b.const(ptr(Surface), 0)
    fb.cbuf = fb.zsbuf = fb.front = fb.accum = none
    for n in range(MAX_TARGETS - 1):  # plain drawables have one draw buffer
        fb.others[n] = none
    fb.flip_y = 1
    with b.If(_is_null(b, d)):
        fb.width = fb.height = fb.stamp = b.const(u32, 0)
        fb.stamp_source = b.const(ptr(u32), 0)
        b.Return()
    front = (d.double_buffer == 0) | _front(b, buffer)
    several = b.select(front, d.addr("front_multi"), d.addr("back_multi"))
    color = b.select(front, d.addr("front"), d.addr("back"))
    color = b.select(drawn & ~_is_null(b, several.data), several, color)
    fb.cbuf = b.select(buffer == gl.GL_NONE, none, color)
    fb.front = b.select(front, fb.cbuf, none)
    fb.zsbuf = b.select(d.has_zs != 0, d.addr("zs"), none)
    fb.accum = b.select(d.has_accum != 0, d.addr("accum"), none)
    fb.width, fb.height, fb.stamp = d.width, d.height, d.stamp
    fb.stamp_source = d.addr("stamp")


@kernel(void, (ptr(GLContext), ptr(Drawable), ptr(Drawable)))
def dri_bind(b: Any, ctx: Any, draw: Any, read: Any) -> None:
    """Make plain drawables a context's default framebuffers (null: none)."""
    ctx.draw_drawable, ctx.read_drawable = draw.cast(ptr(void)), read.cast(ptr(void))
    block = ctx.framebuffers
    b.call(dri_bind_buffers, block.window_draw, draw, ctx.raw.draw_buffer, b.const(boolean, 1))
    b.call(dri_bind_buffers, block.window_read, read, ctx.raw.read_buffer, b.const(boolean, 0))
    with b.If(~_is_null(b, draw)):
        block.window_visual.srgb = b.cast(draw.front.srgb != 0, u32)
        block.window_visual.encoded = draw.front.encoded
    ctx.dirty = ctx.dirty & (0xFFFFFFFF ^ DIRTY_FB)
    b.call(block.follow, ctx)


@kernel(void, (ptr(GLContext), ptr(Drawable)))
def dri_let_go(b: Any, ctx: Any, d: Any) -> None:
    """Bring what a context has pending into the buffers' memory; it draws there no more. Of no
    drawable there is nothing to do."""
    with b.If(_is_null(b, d)):
        b.Return()
    resolve = ctx.pipe.resolve
    with b.If(d.double_buffer != 0):
        b.call(resolve, ctx.pipe, d.addr("back"))
    b.call(resolve, ctx.pipe, d.addr("front"))
    d.context = b.const(ptr(GLContext), 0)


@kernel(boolean, (ptr(GLContext), ptr(GLContext), ptr(Drawable)))
def dri_free(b: Any, old: Any, new: Any, d: Any) -> None:
    """Whether no context but these draws to a drawable; to none (null) nobody does."""
    with b.If(_is_null(b, d)):
        b.Return(1)
    b.Return(_is_null(b, d.context) | (d.context == old) | (d.context == new))


@kernel(boolean, (ptr(Drawable),))
def dri_stays(b: Any, d: Any) -> None:
    """Whether a drawable stays when nobody reads from it any more."""
    with b.If(_is_null(b, d)):
        b.Return(1)
    b.Return(d.doomed == 0)


@kernel(u32, (ptr(GLContext), ptr(GLContext), ptr(Drawable), ptr(Drawable)))
def dri_switch(b: Any, old: Any, new: Any, draw: Any, read: Any) -> None:
    """From what `old` draws to, to `new` (it may be `old`) on these drawables (both null: none):
    1 if done."""
    before = drawable_of(old, "draw_drawable")
    plain = b.call(dri_plain, before, old.raw.draw_buffer)
    plain = plain & b.call(dri_stays, drawable_of(old, "read_drawable"))
    plain = plain & b.call(dri_plain, draw, new.raw.draw_buffer)
    plain = plain & b.call(dri_plain, read, new.raw.read_buffer)
    free = b.call(dri_free, old, new, draw)
    native = ~_is_null(b, old.pipe.resolve) & ~_is_null(b, new.pipe.resolve)
    # A draw buffer that was chosen but not looked at yet may change which driver calls are made.
    settled = ((old.dirty | new.dirty) & DIRTY_FB) == 0
    for context in (old, new):
        plain = plain & (context.raw.more_draw_buffers[0] == gl.GL_NONE)
    with b.If(~(plain & free & native & settled), likely=False):
        b.Return(0)
    with b.If(old.vbo.count != 0):
        b.call(old.flush_vertices, old)
    with b.If(old != new):
        flush = b.load(old.dispatch.cast(ptr(ptr(void))) + GL_FLUSH_SLOT, _FLUSH)
        b.call(flush, old)
    with b.If((old != new) | (before != draw)):
        b.call(dri_let_go, old, before)
    with b.If(old != new):
        none = b.const(ptr(Drawable), 0)
        b.call(dri_bind, old, none, none)
    with b.If(~_is_null(b, draw)):
        draw.context = new
    b.call(dri_bind, new, draw, read)
    b.Return(1)


__all__ = ["dri_switch"]
