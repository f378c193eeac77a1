# SPDX-License-Identifier: MIT
"""What is drawn to and read from: the window's buffers or a framebuffer object's, through one
struct, PipeFramebuffer, so that nothing above (clear, draw, read, copy) knows which it is.

In: `ctx.framebuffers`: the window's two framebuffers, which Python (StContext) and the kernels of
DRI write, and the framebuffer objects that are bound. Out: `dyn.fb`, `read`, the formats in the key
block, and `visual`, for glGet. `st_targets` runs when DIRTY_TARGET says that something else is
bound or attached, or when a texture of the share group changed while a framebuffer object is bound;
never in between. Windows are upside down against surfaces (`flip_y`), framebuffer objects are not.
Counterpart of st_atom_framebuffer.c and of st_update_renderbuffer_surface of Mesa.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import COMPAT
from pydri.jit import boolean, kernel, ptr, u8, u32, u64, void
from pydri.main.framebuffers.complete_kernels import COMPLETE, fbo_status, window_status
from pydri.main.framebuffers.layout import (
    ATTACHED_NONE,
    ATTACHED_TEXTURE,
    DEPTH_PLACE,
    STENCIL_PLACE,
    Renderbuffer,
    VisualBlock,
)
from pydri.main.framebuffers.object_kernels import (
    ATTACHMENT,
    FBO,
    target_give,
    target_take,
)
from pydri.main.kernels import CTX, is_es, is_null
from pydri.main.layout import DIRTY_TARGET, DIRTY_VIEWPORT
from pydri.main.state.kernels import reclamp
from pydri.main.state.layout import FRAGMENT_CLAMPED, FRAGMENT_FREE, VERTEX_FREE
from pydri.main.textures.image_store import first_image, image_level, texture_widened
from pydri.main.textures.image_tables import BASES
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS, TextureObject
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.pipe.format import FORMATS, TARGET, linear
from pydri.pipe.native import (
    CLEAR_DEPTH,
    CLEAR_STENCIL,
    MAX_TARGETS,
    TILE,
    PipeFramebuffer,
    Surface,
)
from pydri.pipe.resource import (
    BIND_DEPTH,
    BIND_RENDER,
    CUBE_FACES,
    FLAG_STAMPS,
    TARGET_CUBE,
    Resource,
)
from pydri.pipe.resource_kernels import CALLOC, level_of

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

SURFACE, RESOURCE, FB = ptr(Surface), ptr(Resource), ptr(PipeFramebuffer)
_PLAIN = [linear(f).number if f.uses & TARGET else f.number for f in FORMATS]


_BITS = [bits for f in FORMATS for bits in f.component_bits]
#: which of red, green, blue, alpha (bits) base formats have
_HAS = {
    gl.GL_RED: 1, gl.GL_RG: 3, gl.GL_RGB: 7, gl.GL_RGBA: 15, gl.GL_ALPHA: 8,
    gl.GL_LUMINANCE_ALPHA: 8,
}  # fmt: skip
_SHOWN = [_HAS.get(base, 0) for base in BASES]


def _zs_bits(kind: str) -> list[int]:
    out = []
    for f in FORMATS:
        wanted = ("un", "f") if kind == "depth" else ("us",)
        found = [bits for name, bits in f.channels if name in wanted]
        out.append(found[0] if f.kind == "zs" and found else 0)
    return out


# -- surfaces --------------------------------------------------------------------------------------


@kernel(void, (SURFACE, RESOURCE, u32, u32, u32), noinline=True)
def st_surface_view(b: Builder, surface: Any, resource: Any, level: Any, layer: Any,
                    layers: Value) -> None:  # fmt: skip
    """PipeScreen.surface_view, natively, of a zeroed Surface; views (_SRGB) are `srgb`. Words of
    tiles come with it (null: no memory), which `target_give` sees to."""
    place = resource.level + level
    surface.resource = resource
    surface.offset = place.offset + b.cast(layer, place.offset.ty) * place.image_stride
    surface.layers, surface.layer_stride = layers, place.image_stride
    surface.data = resource.data + surface.offset
    plain = b.cast(b.table(u8, _PLAIN)[resource.format], u32)
    surface.format = plain
    surface.srgb = b.select(plain != resource.format, resource.format, b.const(u32, 0))
    surface.stride, surface.width, surface.height = place.row_stride, place.width, place.height
    surface.rows = (place.height + (TILE - 1)) & ~(TILE - 1)
    surface.tiles_x = (place.width + (TILE - 1)) // TILE
    stamps = (resource.flags & FLAG_STAMPS) != 0
    surface.layout = b.select(stamps, b.const(u32, 1), 0)
    surface.samples = resource.samples
    surface.serial = 1
    tiles = b.cast(surface.tiles_x * (surface.rows // TILE), u64) * b.cast(layers, u64)
    surface.tile_state = b.call(CALLOC, tiles, 4).cast(ptr(u32))


@kernel(u32, (CTX, RESOURCE, u32, ptr(TextureObject)), noinline=True)
def st_make_room(b: Builder, ctx: GLContext, resource: Any, bind: Value,
                 texture: TextureObject) -> Value:  # fmt: skip
    """A texture's resource can be drawn to after this; 0: there is no memory."""
    with b.If((resource.bind & bind) != 0):
        b.Return(1)
    with b.If(b.call(texture_widened, ctx, texture, resource, bind) == 0):
        b.Return(0)
    texture_changed(b, ctx, texture)
    return b.const(u32, 1)


@kernel(u32, (CTX, ptr(TextureObject), u32), noinline=True)
def st_join_faces(b: Builder, ctx: GLContext, texture: Any, level: Any) -> Value:
    """The faces of a level of a complete cube lie in one resource after this; 0: there is no
    memory."""
    first = (texture.images + level).resource
    apart = b.var(boolean, first.target != TARGET_CUBE)
    with b.For(b.const(u32, 1), CUBE_FACES, 1) as face:
        image = texture.images + (face * MAX_TEXTURE_LEVELS + level)
        apart.value = apart.value | (image.resource != first)
    with b.If(~apart.value):
        b.Return(1)
    finalize = ctx.shared.texture_finalize
    with b.If(b.call(finalize, ctx, texture, level, level) == 0):
        b.Return(0)
    texture.unfinished = 1  # other levels may lie elsewhere
    texture_changed(b, ctx, texture)
    return b.const(u32, 1)


@kernel(RESOURCE, (CTX, ATTACHMENT, u32, ptr(u32)), noinline=True)
def st_attached_image(b: Builder, ctx: GLContext, at: Any, bind: Any, out: Pointer) -> None:
    """The resource of an attachment (null: there is no memory), with room to be drawn to; at `out`
    the level of the resource, the first image, and how many are attached."""
    out[0] = out[1] = b.const(u32, 0)
    out[2] = b.const(u32, 1)
    with b.If(at.kind != ATTACHED_TEXTURE):
        b.Return(at.object.cast(ptr(Renderbuffer)).resource)
    texture = at.object.cast(ptr(TextureObject))
    none = b.const(RESOURCE, None)
    with b.If((at.layered != 0) & (texture.target == gl.GL_TEXTURE_CUBE_MAP), likely=False):
        with b.If(b.call(st_join_faces, ctx, texture, at.level) == 0):
            b.Return(none)
    image = texture.images + (at.face * MAX_TEXTURE_LEVELS + at.level)
    with b.If(b.call(st_make_room, ctx, image.resource, bind, texture) == 0):
        b.Return(none)
    out[0] = image_level(b, image, at.level)
    out[1] = first_image(b, image, at.face) + at.layer
    with b.If(at.layered != 0):
        out[2] = level_of(image.resource, out[0]).depth
    return image.resource


@kernel(SURFACE, (CTX, ATTACHMENT, u32), noinline=True)
def st_attachment(b: Any, ctx: GLContext, at: Any, bind: Value) -> Value:
    """The Surface of a complete attachment (null: none is attached, or there is no memory)."""
    none, place = b.const(SURFACE, None), b.array(u32, 3)
    with b.If(at.kind == ATTACHED_NONE):
        b.call(target_give, ctx, at.addr("target"))
        b.Return(none)
    resource = b.call(st_attached_image, ctx, at, bind, place)
    with b.If(is_null(resource)):
        b.Return(none)
    node = b.var(at.target.ty, at.target)
    with b.If(~is_null(node.value)):
        same = (node.value.image == resource) & (node.value.serial == resource.serial)
        with b.If(same):
            b.Return(node.value.cast(SURFACE))
        b.call(target_give, ctx, at.addr("target"))
    node.value = b.call(target_take, ctx, resource)
    with b.If(is_null(node.value)):
        b.Return(none)
    at.target = node.value
    b.call(st_surface_view, node.value.cast(SURFACE), resource, *(place[n] for n in range(3)))
    return node.value.cast(SURFACE)


# -- framebuffers ----------------------------------------------------------------------------------


@kernel(void, (CTX, FB, FBO), noinline=True)
def st_bind_object(b: Builder, ctx: GLContext, fb: PipeFramebuffer, fbo: Any) -> None:
    """Point a native framebuffer at a complete framebuffer object; draw buffers are the caller's.
    """
    b.memset(fb.cast(ptr(u8)), 0, PipeFramebuffer.size)
    fb.width, fb.height, fb.samples = fbo.width, fbo.height, fbo.samples
    fb.layers = fbo.layers
    with b.For(b.const(u32, 0), MAX_TARGETS, 1) as n:
        b.call(st_attachment, ctx, fbo.attachments + n, BIND_RENDER)
    depth = b.call(st_attachment, ctx, fbo.attachments + DEPTH_PLACE, BIND_DEPTH)
    stencil = b.call(st_attachment, ctx, fbo.attachments + STENCIL_PLACE, BIND_DEPTH)
    fb.zsbuf = b.select(is_null(depth), stencil, depth)
    zero = b.const(u32, 0)
    fb.zs_hidden = b.select(is_null(depth), b.const(u32, CLEAR_DEPTH), zero) | b.select(
        is_null(stencil), b.const(u32, CLEAR_STENCIL), zero
    )


def _color(b: Builder, fbo: Any, buffer: Any) -> Value:
    """The surface of a buffer, GL_NONE or GL_COLOR_ATTACHMENTn, of a framebuffer object."""
    out = b.var(SURFACE, b.const(SURFACE, None))
    n = buffer - gl.GL_COLOR_ATTACHMENT0
    with b.If(n < MAX_TARGETS):
        out.value = (fbo.attachments + n).target.cast(SURFACE)
    return out.value


@kernel(void, (ptr(VisualBlock), FBO), noinline=True)
def st_visual(b: Builder, visual: Any, fbo: Any) -> None:
    """What glGet tells of a complete framebuffer object: bits of its first colour attachment."""
    b.memset(visual.cast(ptr(u8)), 0, VisualBlock.size)
    visual.samples, visual.integers = fbo.samples, fbo.integers
    bits, shown = b.table(u8, _BITS), b.table(u8, _SHOWN)
    with b.For(b.const(u32, 0), MAX_TARGETS, 1) as n:
        at = fbo.attachments + n
        with b.If(at.kind != ATTACHED_NONE):
            has = b.cast(shown[at.row], u32)
            for k, name in enumerate(("red", "green", "blue", "alpha")):
                some = b.cast(bits[at.format * 4 + k], u32)
                setattr(visual, name, b.select((has & (1 << k)) != 0, some, b.const(u32, 0)))
            visual.floats = b.cast(b.table(u8, _WIDE)[at.format] == 1, u32)
            with b.If(~is_null(at.target)):
                visual.srgb = b.cast(at.target.surface.srgb != 0, u32)
            b.Break()
    for name, place in (("depth", DEPTH_PLACE), ("stencil", STENCIL_PLACE)):
        at = fbo.attachments + place
        with b.If(at.kind != ATTACHED_NONE):
            setattr(visual, name, b.cast(b.table(u8, _zs_bits(name))[at.format], u32))


def _view_of(b: Builder, surface: Surface) -> Value:
    """The format that a surface is drawn through (u8); 0: there is none."""
    out = b.var(u32, 0)
    with b.If(~is_null(surface)):
        out.value = b.select(surface.srgb != 0, surface.srgb, surface.format)
    return b.cast(out.value, u8)


def _put_key(b: Builder, ctx: GLContext, place: Pointer, value: Value) -> None:
    with b.If(place.load() != value):
        place.store(value)
        ctx.key_dirty = 1


#: by format: 1 floats, 2 signed fractions, 4 whole numbers: glClampColor's modes mean something
_WIDE = [
    {"float": 1, "shared": 1, "snorm": 2, "uint": 4, "sint": 4}.get(f.kind, 0) for f in FORMATS
]


def _clamping(b: Builder, ctx: Any) -> None:
    """Whether colours of vertices and fragments are clamped (ARB_color_buffer_float)."""
    fb, key, raw = ctx.dyn.fb, ctx.key, ctx.raw
    wide = b.var(u32, 0)
    for n in range(-1, MAX_TARGETS - 1):
        surface = fb.cbuf if n < 0 else fb.others[n]
        with b.If(~is_null(surface)):
            wide.value = wide.value | b.cast(b.table(u8, _WIDE)[surface.format], u32)
    whole = ((wide.value & 4) | ctx.visual.integers) != 0
    # GL_FIXED_ONLY clamps signed fractions, too; but where glClampColor has no say over fragments,
    # which is everywhere else, they are as the target holds them (GL 3.3 core, 4.1.8)
    compat = (ctx.api & COMPAT) != 0
    beyond = ((wide.value & 1) != 0) | whole | (~compat & (wide.value != 0))

    def free(mode: Value) -> Any:
        return (mode == gl.GL_FALSE) | ((mode == gl.GL_FIXED_ONLY) & beyond)

    zero, old = b.const(u8, 0), key.clamping
    # fragments of whole numbers are what they are, and so are those beside them
    clamped = b.select((wide.value != 0) & ~whole, b.const(u8, FRAGMENT_CLAMPED), zero)
    new = b.select(free(raw.clamp_vertex), b.const(u8, VERTEX_FREE), zero)
    new = new | b.select(free(raw.clamp_fragment), b.const(u8, FRAGMENT_FREE), clamped)
    _put_key(b, ctx, key.addr("clamping"), new)
    with b.If(((old ^ new) & FRAGMENT_FREE) != 0):
        raw.ever_free = 1
        b.call(reclamp, ctx)


@kernel(void, (CTX,), noinline=True)
def st_target_keys(b: Builder, ctx: Any) -> None:
    """Formats and samples of what is drawn to become part of the key block."""
    fb, key = ctx.dyn.fb, ctx.key
    with b.If(is_es(ctx), likely=False):  # 3.0, 4.1.8: there is no switch
        window = is_null(ctx.framebuffers.draw)
        encodes = ~window | (ctx.framebuffers.window_visual.encoded != 0)
        _put_key(b, ctx, key.addr("framebuffer_srgb"), b.cast(encodes, u8))
    _put_key(b, ctx, key.addr("color_format"), _view_of(b, fb.cbuf))
    _put_key(b, ctx, key.addr("zs_format"), _view_of(b, fb.zsbuf))
    _put_key(b, ctx, key.addr("zs_hidden"), b.cast(fb.zs_hidden, u8))
    samples = b.var(u32, 0)
    for n in range(MAX_TARGETS - 1):
        _put_key(b, ctx, key.other_formats + n, _view_of(b, fb.others[n]))
    for n in range(-2, MAX_TARGETS - 1):
        surface = fb.cbuf if n == -2 else fb.zsbuf if n == -1 else fb.others[n]
        with b.If(~is_null(surface)):
            samples.value = b.max(samples.value, surface.samples)
    with b.If((samples.value == 0) & ~is_null(ctx.framebuffers.draw)):
        samples.value = b.max(fb.samples, 1)  # nothing is attached
    _clamping(b, ctx)
    with b.If(samples.value != 0):  # with no buffer at all it stays
        several = b.select(samples.value > 1, samples.value, b.const(u32, 0))
        _put_key(b, ctx, key.addr("samples"), b.cast(several, u8))
        with b.If(is_null(ctx.framebuffers.draw)):
            ctx.visual.samples = several


@kernel(u32, (CTX,), noinline=True)
def st_targets(b: Builder, ctx: GLContext) -> Value:
    """Make `dyn.fb` and `read` those of what is bound; 0: what is drawn to is not complete."""
    block = ctx.framebuffers
    block.seen = b.load_atomic(ctx.shared.addr("texture_serial"))
    lock_textures(b, ctx)
    ctx.dirty = (ctx.dirty & ~b.const(u32, DIRTY_TARGET)) | DIRTY_VIEWPORT
    for fbo, fb, window, status, drawable in (
        (block.draw, ctx.dyn.fb, block.window_draw, "draw_status", ctx.draw_drawable),
        (block.read, ctx.read, block.window_read, "read_status", ctx.read_drawable),
    ):
        draws = status == "draw_status"
        whole = fb.cast(ptr(u8))
        with b.If(is_null(fbo)):
            b.memcpy(whole, window.cast(ptr(u8)), PipeFramebuffer.size)
            setattr(block, status, window_status(b, drawable))
            if draws:
                seen, own = ctx.visual.cast(ptr(u8)), block.window_visual.cast(ptr(u8))
                b.memcpy(seen, own, VisualBlock.size)
        with b.Else():
            found = b.call(fbo_status, ctx, fbo)
            setattr(block, status, found)
            with b.If(found == COMPLETE):
                b.call(st_bind_object, ctx, fb, fbo)
                if draws:
                    fb.cbuf = _color(b, fbo, fbo.draw_buffers[0])
                    for n in range(1, MAX_TARGETS):
                        (fb.others + (n - 1)).store(_color(b, fbo, fbo.draw_buffers[n]))
                    b.call(st_visual, ctx.visual, fbo)
                else:
                    fb.cbuf = _color(b, fbo, fbo.read_buffer)
            with b.Else():
                b.memset(whole, 0, PipeFramebuffer.size)
                if draws:
                    b.memset(ctx.visual.cast(ptr(u8)), 0, VisualBlock.size)
    unlock_textures(b, ctx)
    b.call(st_target_keys, ctx)
    complete = block.draw_status == COMPLETE
    with b.If(~complete | (block.read_status != COMPLETE)):
        ctx.dirty = ctx.dirty | DIRTY_TARGET  # looked at again each time
    return b.cast(complete, u32)


EXPORTS = (st_surface_view, st_targets)

__all__ = ["EXPORTS", "st_surface_view", "st_targets"]
