# SPDX-License-Identifier: MIT
"""Whether a framebuffer object is complete, and why not; glCheckFramebufferStatus (GL 4.6, 9.4.2).

In: a framebuffer object whose attachments, or an object that is attached, changed. Out: `status`,
sizes and samples of what is drawn to, and of each attachment the internal format's row, format and
samples. Found once for each change: `checked` is the share group's `texture_serial`, which every
change of a texture or renderbuffer moves. Mesa: _mesa_test_framebuffer_completeness of
main/fbobject.c, st_validate_framebuffer of state_tracker/st_cb_fbo.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import COMPAT
from pydri.jit import boolean, i32, kernel, ptr, u8, u32
from pydri.main.framebuffers.attach_kernels import fbo_made, fbo_of_name, fbo_of_target, is_window
from pydri.main.framebuffers.layout import (
    ATTACHED_NONE,
    ATTACHED_TEXTURE,
    DEPTH_PLACE,
    MAX_ATTACHMENTS,
    STENCIL_PLACE,
    Renderbuffer,
)
from pydri.main.framebuffers.object_kernels import ATTACHMENT, FBO, framebuffer_target, loaded
from pydri.main.framebuffers.storage_kernels import sample_count
from pydri.main.framebuffers.tables import NO_ES_TARGETS, UNSIZED, es_target, holds_singles
from pydri.main.kernels import (
    CTX,
    error_if,
    gl_record_error,
    is_es,
    is_null,
    native_as,
    one_of,
    where,
)
from pydri.main.layout import DIRTY_PROGRAM
from pydri.main.rows import available
from pydri.main.textures.complete_kernels import cube_reason, mipmaps_reason
from pydri.main.textures.image_tables import BASES, COMPRESSED, INTEGER, ROWS
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS, TextureImage, TextureObject
from pydri.pipe.format import FORMATS
from pydri.pipe.native import MAX_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.framebuffers.layout import Attachment, FramebufferObject
    from pydri.main.layout import GLContext

COMPLETE = gl.GL_FRAMEBUFFER_COMPLETE
INCOMPLETE = gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT
#: base formats that an attachment point takes: colour, depth, stencil
COLORS = (
    gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA, gl.GL_ALPHA, gl.GL_LUMINANCE,
    gl.GL_LUMINANCE_ALPHA, gl.GL_INTENSITY,
)  # fmt: skip
DEPTHS = (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL)
_DEEP = (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY,
         gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)  # fmt: skip
STENCILS = (gl.GL_STENCIL_INDEX, gl.GL_DEPTH_STENCIL)
IMAGE = ptr(TextureImage)
_NO_ES_TARGETS = [int(row.enum in NO_ES_TARGETS) for row in ROWS]
_UNSIZED = [int(row.enum in UNSIZED) for row in ROWS]
_SINGLES = [int(holds_singles(fmt)) for fmt in FORMATS]


def image_of(at: Any) -> Any:
    """The image that a texture's attachment means."""
    texture = at.object.cast(ptr(TextureObject))
    return texture.images + (at.face * MAX_TEXTURE_LEVELS + at.level)


def _layers(b: Builder, texture: TextureObject, image: TextureImage) -> Any:
    """How many layers an image has."""
    rows = texture.target == gl.GL_TEXTURE_1D_ARRAY
    deep = one_of(b, texture.target, _DEEP)
    return b.select(rows, image.height, b.select(deep, image.depth, b.const(u32, 1)))


@kernel(u32, (ATTACHMENT, u32, ptr(u32)), noinline=True)
def layers_check(b: Builder, at: Attachment, place: Value, seen: Pointer) -> Value:
    """Whether an attachment goes with those before it (GL 4.6, 9.4.2): all are layered or none is,
    colours are of one target. At `seen`: how many were looked at, the least number of layers, the
    target of colours (0: none yet)."""
    count, target = b.var(u32, 0), b.var(u32, 0)
    with b.If(at.layered != 0):
        texture = at.object.cast(ptr(TextureObject))
        cube = texture.target == gl.GL_TEXTURE_CUBE_MAP
        count.value = b.select(cube, b.const(u32, 6), _layers(b, texture, image_of(at)))
        target.value = texture.target
    first, color = seen[0] == 0, place < MAX_TARGETS
    other = ~first & ((seen[1] == 0) != (count.value == 0))
    other = other | (color & (seen[2] != 0) & (target.value != seen[2]))
    with b.If(other):
        b.Return(0)
    seen[0] = seen[0] + 1
    seen[1] = b.select(first, count.value, b.min(seen[1], count.value))
    seen[2] = b.select(color, target.value, seen[2])
    return b.const(u32, 1)


@kernel(boolean, (CTX, u32), noinline=True)
def es_draws_to(b: Builder, ctx: GLContext, format: Value) -> Value:
    """Whether OpenGL ES draws to colours of a format of the driver."""
    wheres = [es_target(fmt) for fmt in FORMATS]
    groups = list(dict.fromkeys(wheres))
    out = b.var(boolean, 0)
    with b.Switch(b.table(u8, [groups.index(each) for each in wheres])[format]) as s:
        for n, where_ in enumerate(groups):
            with s.Case(n):
                out.value = available(b, ctx, where_)
    return out.value


@kernel(u32, (CTX, ATTACHMENT, u32, ptr(u32)), noinline=True)
def attachment_check(b: Builder, ctx: GLContext, at: Attachment, place: Value,
                     size: Pointer) -> Value:  # fmt: skip
    """Whether an attachment (that is not empty) is complete; what it is, with width and height at
    `size`.
    """
    with b.If(at.kind == ATTACHED_TEXTURE):
        texture = at.object.cast(ptr(TextureObject))
        image = image_of(at)
        with b.If(is_null(image.resource)):
            b.Return(0)
        with b.If(~(at.layer < _layers(b, texture, image))):
            b.Return(0)
        with b.If(b.table(u8, COMPRESSED)[image.row] != 0):
            b.Return(0)
        # ARB_geometry_shader4: a cube whose faces are layers is complete
        cube = (at.layered != 0) & (texture.target == gl.GL_TEXTURE_CUBE_MAP)
        with b.If(cube, likely=False):
            with b.If(b.call(cube_reason, texture, at.level) != 0):
                b.Return(0)
        # GL 4.5, 9.4.1: a level of mipmaps that may still change is one of a whole set
        other = b.bitcast(at.level, i32) != texture.params.base_level
        with b.If((texture.immutable == 0) & other):
            with b.If(b.call(mipmaps_reason, texture, at.level) != 0):
                b.Return(0)
        rows = texture.target == gl.GL_TEXTURE_1D_ARRAY
        size[0], size[1] = image.width, b.select(rows, b.const(u32, 1), image.height)
        at.row, at.format, at.samples = image.row, image.format, image.samples
        one = b.const(u32, 1)
        at.fixed = b.select(image.samples != 0, image.fixed, one)
    with b.Else():
        made = at.object.cast(ptr(Renderbuffer))
        with b.If(is_null(made.resource)):
            b.Return(0)
        size[0], size[1] = made.width, made.height
        at.row, at.format, at.samples = made.row, made.format, made.samples
        at.fixed = 1
    base = b.table(u32, BASES)[at.row]
    good = b.select(place == DEPTH_PLACE, one_of(b, base, DEPTHS), one_of(b, base, COLORS))
    good = b.var(boolean, b.select(place == STENCIL_PLACE, one_of(b, base, STENCILS), good))
    with b.If(is_es(ctx) & (place < MAX_TARGETS), likely=False):
        bright = one_of(b, base, (gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA))
        never = b.table(u8, _NO_ES_TARGETS)[at.row] != 0
        unsized = b.table(u8, _UNSIZED)[at.row] & b.table(u8, _SINGLES)[at.format]
        never = never | (unsized != 0)
        good.value = good.value & bright & ~never & b.call(es_draws_to, ctx, at.format)
    return b.cast(good.value, u32)


def _depth_and_stencil(b: Builder, fbo: Any) -> Any:
    """Whether depth and stencil are two images: no driver of ours draws to these."""
    depth, stencil = fbo.attachments + DEPTH_PLACE, fbo.attachments + STENCIL_PLACE
    both = (depth.kind != ATTACHED_NONE) & (stencil.kind != ATTACHED_NONE)
    same = (depth.object == stencil.object) & (depth.level == stencil.level)
    same = same & (depth.face == stencil.face) & (depth.layer == stencil.layer)
    return both & ~same


@kernel(u32, (CTX, FBO), noinline=True)
def find_status(b: Any, ctx: GLContext, fbo: FramebufferObject) -> Any:
    """GL_FRAMEBUFFER_COMPLETE, or why not; sizes and samples."""
    loaded(b, ctx)
    count, supported = b.var(u32, 0), b.var(u32, 1)
    width, height = b.var(u32, 0xFFFFFFFF), b.var(u32, 0xFFFFFFFF)
    samples, fixed = b.var(u32, 0), b.var(u32, 0)
    fbo.integers = fbo.layers = b.const(u32, 0)
    size, seen = b.array(u32, 2), b.array(u32, 3)
    for n in range(3):
        seen[n] = 0
    with b.For(b.const(u32, 0), MAX_ATTACHMENTS, 1) as k:
        # depth and stencil are looked at first, as the peer does
        n = b.select(k < 2, k + DEPTH_PLACE, k - 2)
        at = fbo.attachments + n
        with b.If(at.kind == ATTACHED_NONE):
            b.Continue()
        with b.If(b.call(attachment_check, ctx, at, n, size) == 0):
            b.Return(INCOMPLETE)
        first = count.value == 0
        apart = (samples.value != at.samples) | (fixed.value != at.fixed)
        with b.If(~first & apart):
            b.Return(gl.GL_FRAMEBUFFER_INCOMPLETE_MULTISAMPLE)
        with b.If(b.call(layers_check, at, n, seen) == 0):
            b.Return(gl.GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS)
        count.value = count.value + 1
        samples.value, fixed.value = at.samples, at.fixed
        width.value = b.min(width.value, size[0])
        height.value = b.min(height.value, size[1])
        with b.If(ctx.framebuffers.drawable[at.format] == 0):
            supported.value = 0
        with b.If(b.table(u8, INTEGER)[at.row] != 0):
            fbo.integers = 1
    fbo.samples, fbo.layers = samples.value, seen[1]
    with b.If(count.value == 0):
        fbo.width, fbo.height = fbo.default_width, fbo.default_height
        fbo.samples = b.call(sample_count, ctx, b.cast(fbo.default_samples, i32))
        some = (fbo.default_width != 0) & (fbo.default_height != 0)
        missing = b.const(u32, gl.GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT)
        b.Return(b.select(some, b.const(u32, COMPLETE), missing))
    fbo.width, fbo.height = width.value, height.value
    with b.If((supported.value == 0) | _depth_and_stencil(b, fbo)):
        b.Return(gl.GL_FRAMEBUFFER_UNSUPPORTED)
    return b.const(u32, COMPLETE)


@kernel(u32, (CTX, FBO), noinline=True)
def fbo_status(b: Builder, ctx: GLContext, fbo: FramebufferObject) -> Value:
    """`status`, brought up to date."""
    serial = b.load_atomic(ctx.shared.addr("texture_serial"))
    with b.If((fbo.stale != 0) | (fbo.checked != serial)):
        fbo.status = b.call(find_status, ctx, fbo)
        fbo.checked, fbo.stale = serial, 0
    return fbo.status


def window_status(b: Builder, drawable: Value) -> Any:
    """The status of the default framebuffer: without a drawable (EGL_KHR_surfaceless_context,
    GLX_ARB_create_context) there is none (GL 3.0, 4.4.4.2)."""
    there = drawable != b.const(drawable.ty, None)
    return b.select(there, b.const(u32, COMPLETE), gl.GL_FRAMEBUFFER_UNDEFINED)


def refuse_draw(b: Builder, ctx: GLContext) -> None:
    """The error of drawing to a framebuffer that is not complete (EXT_framebuffer_object,
    4.4.4.2), or that holds whole numbers, which fixed function has none of (EXT_texture_integer),
    where nothing is drawn that would come upon it; returns from the kernel."""
    fbo = ctx.framebuffers.draw
    with b.If(is_null(fbo)):
        missing = window_status(b, ctx.draw_drawable) != COMPLETE
        error_if(b, ctx, missing, gl.GL_INVALID_FRAMEBUFFER_OPERATION)
    with b.If(~is_null(fbo), likely=False):
        unfit = b.call(fbo_status, ctx, fbo) != COMPLETE
        error_if(b, ctx, unfit, gl.GL_INVALID_FRAMEBUFFER_OPERATION)
        # of a program that was not looked at since it was made current a draw decides
        fixed = is_null(ctx.program.exec) & ((ctx.dirty & DIRTY_PROGRAM) == 0)
        fixed = fixed & (ctx.api == COMPAT)
        error_if(b, ctx, fixed & (fbo.integers != 0), gl.GL_INVALID_OPERATION)


def _check(b: Builder, ctx: GLContext, fbo: Any) -> Any:
    """The status of a framebuffer or the window's; 0 for null (the error is recorded)."""
    out = b.var(u32, 0)
    with b.If(is_window(b, fbo)):
        out.value = window_status(b, ctx.draw_drawable)
    with b.Elif(lambda: ~is_null(fbo)):
        out.value = b.call(fbo_status, ctx, fbo)
    return out.value


def _by_target(b: Builder, ctx: GLContext, target: Value) -> Any:
    return _check(b, ctx, b.call(fbo_of_target, ctx, target, where(b)))


def _by_name(find: Any) -> Any:
    def body(b: Builder, ctx: GLContext, name: Value, target: Value) -> Any:
        with b.If(b.call(framebuffer_target, ctx, target) < 0):
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, where(b))
            b.Return(0)
        return _check(b, ctx, b.call(find, ctx, name, where(b)))

    return body


native_as("glCheckFramebufferStatus", _by_target)
native_as("glCheckNamedFramebufferStatus", _by_name(fbo_of_name))
native_as("glCheckNamedFramebufferStatusEXT", _by_name(fbo_made))

__all__ = ["COMPLETE", "fbo_status", "image_of", "refuse_draw", "window_status"]
