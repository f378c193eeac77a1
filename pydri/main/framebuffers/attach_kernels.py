# SPDX-License-Identifier: MIT
"""What is attached to framebuffer objects: glFramebufferTexture*, glFramebufferRenderbuffer and
their forms with names (GL 4.6, 9.2.7, 9.2.8).

In: a framebuffer, an attachment point, an image. Out: the Attachment, with a reference; or a GL
error, in the order in which the peer finds them. Mesa: main/fbobject.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import i32, kernel, ptr, u8, u32, u64, void
from pydri.main.framebuffers.layout import (
    ATTACHED_RENDERBUFFER,
    ATTACHED_TEXTURE,
    DEPTH_PLACE,
    STENCIL_PLACE,
    FramebufferObject,
)
from pydri.main.framebuffers.object_kernels import (
    FBO,
    RENDERBUFFER,
    attachment_clear,
    framebuffer_target,
    framebuffers,
    renderbuffers,
)
from pydri.main.framebuffers.tables import (
    ATTACHMENTS,
    BAD_COLOR,
    BOTH_PLACES,
    CUBE_FACES,
    NO_PLACE,
    TARGETS,
    TEXTARGETS,
)
from pydri.main.kernels import (
    CTX,
    fail,
    flush_vertices,
    gl_record_error,
    is_null,
    native_as,
    one_of,
    where,
)
from pydri.main.names.object_kernels import NAMED, reference, release
from pydri.main.rows import row_finder
from pydri.main.textures.image_tables import BASES
from pydri.main.textures.layout import (
    TARGET_INDEX_3D,
    TARGET_INDEX_CUBE,
    TARGET_INDEX_CUBE_ARRAY,
    TextureObject,
)
from pydri.main.textures.object_kernels import names as textures
from pydri.pipe.resource import MAX_LEVELS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

TEXTURE = ptr(TextureObject)
#: which of their textures have layers
LAYERED = (gl.GL_TEXTURE_3D, gl.GL_TEXTURE_1D_ARRAY, gl.GL_TEXTURE_2D_ARRAY,
           gl.GL_TEXTURE_CUBE_MAP_ARRAY, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)  # fmt: skip


#: which have no levels
_ONE_LEVEL = (gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_2D_MULTISAMPLE,
              gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)  # fmt: skip
#: which have one layer
_FLAT = (gl.GL_TEXTURE_2D, gl.GL_TEXTURE_RECTANGLE, gl.GL_TEXTURE_2D_MULTISAMPLE)


# -- which framebuffer -----------------------------------------------------------------------------

_SOME = 1  # of the pointer that stands for the window's framebuffer


def window(b: Builder) -> Pointer:
    """Stands for the window's framebuffer where a pointer to an object is wanted."""
    return b.int_to_ptr(b.const(u64, _SOME), FramebufferObject)


def is_window(b: Builder, fbo: Any) -> Any:
    return b.ptr_to_int(fbo) == _SOME


def bound(b: Builder, ctx: GLContext, place: str) -> Any:
    """What is drawn to or read from ("draw", "read"; `window` for the window's framebuffer)."""
    fbo = getattr(ctx.framebuffers, place)
    return b.select(is_null(fbo), window(b), fbo)


@kernel(FBO, (CTX, u32, u32), noinline=True)
def fbo_of_target(b: Builder, ctx: GLContext, target: Value, slot: Value) -> Any:
    """What is bound to a target (`window` for the window's framebuffer); null after an error."""
    out = b.var(FBO, b.const(FBO, None))
    with b.Switch(b.call(framebuffer_target, ctx, target)) as s:
        for n, row in enumerate(TARGETS.values()):
            with s.Case(n):
                out.value = bound(b, ctx, row.bound[0])
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
    return out.value


@kernel(FBO, (CTX, u32, u32), noinline=True)
def fbo_of_name(b: Builder, ctx: GLContext, name: Value, slot: Value) -> Any:
    """The framebuffer of a name (0: the window's); null after an error."""
    with b.If(name == 0):
        b.Return(window(b))
    found = framebuffers.peek(b, ctx, name)
    with b.If(is_null(found), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
    return found


@kernel(FBO, (CTX, u32, u32), noinline=True)
def fbo_made(b: Builder, ctx: GLContext, name: Value, slot: Value) -> Any:
    """The same of EXT_direct_state_access, which makes objects of names that are unused."""
    with b.If(name == 0):
        b.Return(window(b))
    found = framebuffers.bind(b, ctx, name, slot)
    with b.If(~is_null(found)):
        found.own = found.own - 1
    return found


# -- where -----------------------------------------------------------------------------------------


_attachment = row_finder("attachment", ATTACHMENTS.values())


@kernel(u32, (CTX, u32), noinline=True)
def attachment_place(b: Builder, ctx: GLContext, enum: Value) -> Value:
    """The place of an attachment point; BOTH_PLACES, BAD_COLOR, NO_PLACE."""
    row = b.call(_attachment, ctx, enum)
    with b.If(row < 0):
        b.Return(NO_PLACE)
    return b.cast(b.table(u8, [each.place for each in ATTACHMENTS.values()])[row], u32)


@kernel(u32, (FBO, u32), noinline=True)
def place_error(b: Builder, fbo: Any, place: Value) -> Value:
    """The error of attaching something there; 0: none."""
    with b.If(is_window(b, fbo) | (place == BAD_COLOR)):
        b.Return(gl.GL_INVALID_OPERATION)
    return b.select(place == NO_PLACE, b.const(u32, gl.GL_INVALID_ENUM), 0)


# -- what ------------------------------------------------------------------------------------------


@kernel(u32, (CTX, TEXTURE, u32), noinline=True)
def levels_of(b: Builder, ctx: GLContext, texture: Any, target: Value) -> Value:
    """How many levels a texture may have."""
    with b.If(texture.immutable != 0):
        b.Return(texture.immutable_levels)
    with b.If(one_of(b, target, _ONE_LEVEL)):
        b.Return(1)
    limits = ctx.limits
    size = b.select(texture.target_index == TARGET_INDEX_3D, limits.texture_3d, limits.texture_2d)
    cubes = one_of(b, texture.target_index, (TARGET_INDEX_CUBE, TARGET_INDEX_CUBE_ARRAY))
    size = b.select(cubes, limits.texture_cube, size)
    return b.min(b.const(u32, 32) - b.clz(size), MAX_LEVELS)


_textarget = row_finder("textarget", TEXTARGETS)


@kernel(u32, (CTX, u32, u32, u32), noinline=True)
def textarget_error(b: Builder, ctx: GLContext, dims: Value, target: Value,
                    textarget: Value) -> Value:  # fmt: skip
    """The error of a textarget for a texture of a target; 0: none."""
    row = b.call(_textarget, ctx, textarget)
    with b.If(row < 0):
        b.Return(gl.GL_INVALID_ENUM)
    takes = b.cast(b.table(u8, [each.dims for each in TEXTARGETS])[row], u32)
    wrong = (takes != dims) | (b.table(u32, [each.means for each in TEXTARGETS])[row] != target)
    return b.select(wrong, b.const(u32, gl.GL_INVALID_OPERATION), 0)


@kernel(u32, (CTX, u32, i32), noinline=True)
def layer_error(b: Builder, ctx: GLContext, target: Value, layer: Any) -> Value:
    """GL_INVALID_VALUE for a layer that no texture of the target has, or 0."""
    most = b.select(target == gl.GL_TEXTURE_3D, ctx.limits.texture_3d, ctx.limits.array_layers)
    most = b.select(target == gl.GL_TEXTURE_CUBE_MAP, b.const(u32, 6), most)
    flat = one_of(b, target, _FLAT)
    beyond = (layer < 0) | (~flat & (b.cast(layer, u32) >= most))
    return b.select(beyond, b.const(u32, gl.GL_INVALID_VALUE), 0)


@kernel(void, (CTX, FBO, u32, TEXTURE, u32, u32, u32, u32), noinline=True)
def put_texture(b: Builder, ctx: GLContext, fbo: Any, n: Any, texture: Any, level: Any, face: Any,
                layer: Any, layered: Any) -> None:  # fmt: skip
    """Attach an image of a texture (alive meanwhile; null: nothing) at a place."""
    at = fbo.attachments + n
    same = (at.object == texture.cast(NAMED)) & (at.level == level) & (at.face == face)
    with b.If(same & (at.layer == layer) & (at.layered == layered)):
        b.Return()
    flush_vertices(b, ctx)
    b.call(attachment_clear, ctx, fbo, n)
    with b.If(is_null(texture)):
        b.Return()
    hold_attached(b, ctx, at, texture.cast(NAMED))
    at.kind = ATTACHED_TEXTURE
    at.level, at.face, at.layer, at.layered = level, face, layer, layered


def hold_attached(b: Builder, ctx: GLContext, at: Any, thing: Any) -> None:
    """An (empty) attachment refers to an object."""
    reference(b, ctx, thing)
    at.object = thing


@kernel(void, (CTX, FBO, u32, TEXTURE, u32, u32, u32, u32), noinline=True)
def put_textures(b: Builder, ctx: GLContext, fbo: Any, place: Value, *image: Any) -> None:
    """The same, of depth and stencil both, too."""
    with b.If(place == BOTH_PLACES):
        b.call(put_texture, ctx, fbo, DEPTH_PLACE, *image)
        b.call(put_texture, ctx, fbo, STENCIL_PLACE, *image)
    with b.Else():
        b.call(put_texture, ctx, fbo, place, *image)


@kernel(void, (CTX, FBO, u32, TEXTURE, u32, u32, i32, i32, u32), noinline=True)
def attach_dims(b: Builder, ctx: GLContext, fbo: Any, attachment: Value, texture: Any, dims: Value,
                textarget: Value, level: Any, layer: Any, slot: Value) -> None:  # fmt: skip
    """glFramebufferTexture1D, 2D, 3D, of a texture that was found (null: nothing)."""
    zero, face = b.const(u32, 0), b.var(u32, 0)
    with b.If(~is_null(texture)):
        error = b.var(u32, b.call(textarget_error, ctx, dims, texture.target, textarget))
        with b.If((error.value == 0) & (dims == 3)):
            error.value = b.call(layer_error, ctx, texture.target, layer)
        with b.If(error.value == 0):
            beyond = b.cast(level, u32) >= b.call(levels_of, ctx, texture, textarget)
            error.value = b.select(beyond, b.const(u32, gl.GL_INVALID_VALUE), 0)
        with b.If(error.value != 0):
            b.call(gl_record_error, ctx, error.value, slot)
            b.Return()
        cube = texture.target == gl.GL_TEXTURE_CUBE_MAP
        face.value = b.select(cube, textarget - CUBE_FACES[0], zero)
    place = b.call(attachment_place, ctx, attachment)
    error = b.call(place_error, fbo, place)
    with b.If(error != 0):
        b.call(gl_record_error, ctx, error, slot)
        b.Return()
    b.call(put_textures, ctx, fbo, place, texture, b.cast(level, u32), face.value,
           b.cast(layer, u32), 0)


@kernel(void, (CTX, FBO, u32, TEXTURE, i32, i32, u32), noinline=True)
def attach_layer(b: Builder, ctx: GLContext, fbo: Any, attachment: Value, texture: Any, level: Any,
                 layer: Any, slot: Value) -> None:  # fmt: skip
    """glFramebufferTextureLayer."""
    place = b.call(attachment_place, ctx, attachment)
    error = b.var(u32, b.call(place_error, fbo, place))
    zero = b.const(u32, 0)
    cube = b.var(u32, 0)
    with b.If(~is_null(texture) & (error.value == 0)):
        target = texture.target
        cube.value = b.cast(target == gl.GL_TEXTURE_CUBE_MAP, u32)
        layers = cube.value != 0
        for enum in LAYERED:
            layers = layers | (target == enum)
        error.value = b.select(layers, zero, b.const(u32, gl.GL_INVALID_OPERATION))
        with b.If(error.value == 0):
            error.value = b.call(layer_error, ctx, target, layer)
        with b.If(error.value == 0):
            beyond = b.cast(level, u32) >= b.call(levels_of, ctx, texture, target)
            error.value = b.select(beyond, b.const(u32, gl.GL_INVALID_VALUE), 0)
    with b.If(error.value != 0):
        b.call(gl_record_error, ctx, error.value, slot)
        b.Return()
    at = b.cast(layer, u32)
    is_cube = cube.value != 0
    b.call(put_textures, ctx, fbo, place, texture, b.cast(level, u32), b.select(is_cube, at, zero),
           b.select(is_cube, zero, at), 0)


@kernel(void, (CTX, FBO, u32, TEXTURE, i32, u32), noinline=True)
def attach_whole(b: Builder, ctx: GLContext, fbo: Any, attachment: Value, texture: Any, level: Any,
                 slot: Value) -> None:  # fmt: skip
    """glFramebufferTexture: all layers of a level, where the texture has some."""
    place = b.call(attachment_place, ctx, attachment)
    error = b.var(u32, b.call(place_error, fbo, place))
    layered = b.var(u32, 0)
    with b.If(~is_null(texture) & (error.value == 0)):
        target, zero = texture.target, b.const(u32, 0)
        layered.value = b.cast(one_of(b, target, (*LAYERED, gl.GL_TEXTURE_CUBE_MAP)), u32)
        images = one_of(b, target, sorted({row.means for row in TEXTARGETS}))
        error.value = b.select(images, zero, b.const(u32, gl.GL_INVALID_OPERATION))
        with b.If(error.value == 0):
            beyond = b.cast(level, u32) >= b.call(levels_of, ctx, texture, target)
            error.value = b.select(beyond, b.const(u32, gl.GL_INVALID_VALUE), 0)
    with b.If(error.value != 0):
        b.call(gl_record_error, ctx, error.value, slot)
        b.Return()
    zero = b.const(u32, 0)
    b.call(put_textures, ctx, fbo, place, texture, b.cast(level, u32), zero, zero, layered.value)


@kernel(void, (CTX, FBO, u32, RENDERBUFFER), noinline=True)
def put_renderbuffer(b: Builder, ctx: GLContext, fbo: Any, n: Any, made: Any) -> None:
    at = fbo.attachments + n
    with b.If(at.object == made.cast(NAMED)):
        b.Return()
    flush_vertices(b, ctx)
    b.call(attachment_clear, ctx, fbo, n)
    with b.If(is_null(made)):
        b.Return()
    hold_attached(b, ctx, at, made.cast(NAMED))
    at.kind = ATTACHED_RENDERBUFFER


@kernel(void, (CTX, FBO, u32, u32, u32, u32), noinline=True)
def attach_renderbuffer(b: Builder, ctx: GLContext, fbo: Any, attachment: Value, target: Value,
                        name: Value, slot: Value) -> None:  # fmt: skip
    """glFramebufferRenderbuffer."""
    fail(b, ctx, target != gl.GL_RENDERBUFFER, gl.GL_INVALID_ENUM, slot)
    made = b.var(RENDERBUFFER, b.const(RENDERBUFFER, None))
    with b.If(name != 0):
        made.value = renderbuffers.acquire(b, ctx, name)
        fail(b, ctx, is_null(made.value), gl.GL_INVALID_OPERATION, slot)
    place = b.call(attachment_place, ctx, attachment)
    error = b.var(u32, b.call(place_error, fbo, place))
    both = (place == BOTH_PLACES) & (error.value == 0)
    with b.If(both & ~is_null(made.value)), b.If(~is_null(made.value.resource)):
        whole = b.table(u32, BASES)[made.value.row] == gl.GL_DEPTH_STENCIL
        error.value = b.select(whole, b.const(u32, 0), gl.GL_INVALID_OPERATION)
    with b.If(error.value == 0):
        with b.If(place == BOTH_PLACES):
            b.call(put_renderbuffer, ctx, fbo, DEPTH_PLACE, made.value)
            b.call(put_renderbuffer, ctx, fbo, STENCIL_PLACE, made.value)
        with b.Else():
            b.call(put_renderbuffer, ctx, fbo, place, made.value)
    with b.Else():
        b.call(gl_record_error, ctx, error.value, slot)
    with b.If(~is_null(made.value)):
        release(b, ctx, made.value.cast(NAMED))


# -- entry points ----------------------------------------------------------------------------------


def _texture(b: Builder, ctx: GLContext, name: Value, error: int) -> Any:
    """The texture of a name (null: 0), with a reference, in an entry point; returns after an error.
    """
    found = b.var(TEXTURE, b.const(TEXTURE, None))
    with b.If(name != 0):
        found.value = textures.acquire(b, ctx, name)
        missing = b.var(u32, 1)
        with b.If(~is_null(found.value)):
            missing.value = b.cast(found.value.target == 0, u32)
            with b.If(missing.value != 0):
                release(b, ctx, found.value.cast(NAMED))
        with b.If(missing.value != 0, likely=False):
            b.call(gl_record_error, ctx, error, where(b))
            b.Return()
    return found.value


def _done(b: Builder, ctx: GLContext, texture: TextureObject) -> None:
    with b.If(~is_null(texture)):
        release(b, ctx, texture.cast(NAMED))


def _found(b: Builder, ctx: GLContext, find: Any, given: Any) -> Any:
    fbo = b.call(find, ctx, given, where(b))
    with b.If(is_null(fbo), likely=False):
        b.Return()
    return fbo


def _dims_entry(dims: int, find: Any) -> Any:
    def body(b: Builder, ctx: GLContext, given: Value, attachment: Value, textarget: Value,
             name: Value, level: Value, layer: Any = None) -> None:  # fmt: skip
        fbo = _found(b, ctx, find, given)
        texture = _texture(b, ctx, name, gl.GL_INVALID_OPERATION)
        at = b.const(i32, 0) if layer is None else layer
        b.call(attach_dims, ctx, fbo, attachment, texture, dims, textarget, level, at, where(b))
        _done(b, ctx, texture)

    return body


def _layer_entry(find: Any) -> Any:
    def body(b: Builder, ctx: GLContext, given: Value, attachment: Value, name: Value,
             level: Value, layer: Value) -> None:  # fmt: skip
        fbo = _found(b, ctx, find, given)
        texture = _texture(b, ctx, name, gl.GL_INVALID_OPERATION)
        b.call(attach_layer, ctx, fbo, attachment, texture, level, layer, where(b))
        _done(b, ctx, texture)

    return body


def _whole_entry(find: Any) -> Any:
    def body(b: Builder, ctx: GLContext, given: Value, attachment: Value, name: Value,
             level: Value) -> None:  # fmt: skip
        fbo = _found(b, ctx, find, given)
        texture = _texture(b, ctx, name, gl.GL_INVALID_VALUE)
        b.call(attach_whole, ctx, fbo, attachment, texture, level, where(b))
        _done(b, ctx, texture)

    return body


def _renderbuffer_entry(find: Any) -> Any:
    def body(b: Builder, ctx: GLContext, given: Value, attachment: Value, target: Value,
             name: Value) -> None:  # fmt: skip
        fbo = _found(b, ctx, find, given)
        b.call(attach_renderbuffer, ctx, fbo, attachment, target, name, where(b))

    return body


for _dims in (1, 2, 3):
    native_as(f"glFramebufferTexture{_dims}D", _dims_entry(_dims, fbo_of_target))
    native_as(f"glNamedFramebufferTexture{_dims}DEXT", _dims_entry(_dims, fbo_made))
for _prefix, _suffix, _find in (("gl", "", fbo_of_target), ("glNamed", "", fbo_of_name),
                                ("glNamed", "EXT", fbo_made)):  # fmt: skip
    native_as(f"{_prefix}FramebufferTextureLayer{_suffix}", _layer_entry(_find))
    native_as(f"{_prefix}FramebufferTexture{_suffix}", _whole_entry(_find))
    native_as(f"{_prefix}FramebufferRenderbuffer{_suffix}", _renderbuffer_entry(_find))

__all__ = [
    "BOTH_PLACES", "attachment_place", "bound", "fbo_made", "fbo_of_name",
    "fbo_of_target", "is_window", "window",
]  # fmt: skip
