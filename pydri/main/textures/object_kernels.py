# SPDX-License-Identifier: MIT
"""Native texture objects: names, binding, priorities, what attribute stacks save of them (GL 2.1,
3.8.12, 3.8.11, 6.1.14).

In: targets and names. Out: `TextureBlock.bound`, where each unit has an object for each target: a
named one, or the share group's default (name 0). Who changes an object flushes vertices first and
calls `texture_changed` behind: `serial` then differs from `checked`, and all contexts of the group
look at their units again when they next draw (SharedBlock.texture_serial). Mesa: main/texobj.c,
main/attrib.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import extern_c, f32, i32, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import (
    CTX,
    call_entry,
    clamp01,
    error_if,
    errors_of_several,
    fail,
    flush_vertices,
    gl_record_error,
    is_null,
    mark,
    native,
    native_as,
    record_error,
    where,
)
from pydri.main.layout import DIRTY_TEXTURE
from pydri.main.names.kernels import install
from pydri.main.names.layout import RESERVED
from pydri.main.names.object_kernels import (
    ALIGNED_ALLOC,
    NAMED,
    drop,
    object_new,
    put_reference,
    rebind,
    reference,
    release,
)
from pydri.main.names.tables import TEXTURES
from pydri.main.rows import available, row_finder
from pydri.main.textures.layout import (
    MAX_FACES,
    MAX_IMAGE_UNITS,
    MAX_TEXTURE_TARGETS,
    MAX_VIEWS,
    TARGET_INDEX_2D_MS,
    TARGET_INDEX_2D_MS_ARRAY,
    TARGET_INDEX_RECT,
    SampledView,
    SavedTextures,
    TextureImage,
    TextureObject,
    TextureParams,
)
from pydri.main.textures.parameters import FLOAT, PARAMETERS
from pydri.main.textures.tables import BIND_TARGETS, IMAGE_TARGETS
from pydri.main.textures.view_kernels import make_textures_lock, view_release
from pydri.pipe.resource import MAX_LEVELS, Resource, Storage
from pydri.pipe.resource_kernels import resource_release, storage_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

OBJECT, PARAMS, SAVED, BYTES = ptr(TextureObject), ptr(TextureParams), ptr(SavedTextures), ptr(u8)
MEMCMP = extern_c("memcmp", i32, BYTES, BYTES, u64)
PLACES = MAX_IMAGE_UNITS * MAX_TEXTURE_TARGETS
MAX_SAVED = 16  # levels of the attribute stack

#: the place of a target in BIND_TARGETS, -1 for what textures are not bound to
target_index = row_finder("texture_target_index", BIND_TARGETS)
#: the same of those whose textures have images and parameters
image_target_index = row_finder("texture_image_target_index", IMAGE_TARGETS)


# -- objects --------------------------------------------------------------------------------------


def texture_changed(b: Builder, ctx: GLContext, texture: Any) -> None:
    """Images, the resource or parameters of a texture are others now."""
    texture.serial = texture.serial + 1
    b.atomic_add(ctx.shared.addr("texture_serial"), 1)


@kernel(void, (CTX, NAMED), noinline=True)
def texture_born(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A texture's initial state (GL 2.1, 3.8.11)."""
    texture = thing.cast(OBJECT)
    initial_params(b, ctx, texture.params)
    texture.serial = 1


def initial_params(b: Builder, ctx: GLContext, params: Pointer) -> None:
    """Parameters of a new texture or sampler, whose memory is zeroed."""
    for row in PARAMETERS:
        ty = f32 if row.kind == FLOAT else u32
        place = params.addr(row.field).cast(ptr(ty)) + row.place
        if row.initial:
            place.store(row.initial)
        if row.elsewhere is not None:
            contexts, value = row.elsewhere
            with b.If(available(b, ctx, contexts)):
                place.store(value)


def set_target(b: Builder, texture: Any, index: Any) -> None:
    """A texture gets its target for ever."""
    texture.target_index = index
    texture.target = b.table(u32, BIND_TARGETS)[index]
    with b.If(index == TARGET_INDEX_RECT):
        _has_one_level(texture.params, gl.GL_LINEAR)


def _has_one_level(params: Any, filter_: int) -> None:
    """What a texture begins with that has one level and does not repeat."""
    for n in range(3):
        params.wrap[n] = gl.GL_CLAMP_TO_EDGE
    params.min_filter = params.mag_filter = filter_


def bind_first(b: Builder, texture: Any, index: Any) -> None:
    """A texture is bound for the first time, or used by its name as if it were: its target, and, as
    with the peer, parameters that tell that nothing is filtered where there are several samples."""
    set_target(b, texture, index)
    with b.If((index == TARGET_INDEX_2D_MS) | (index == TARGET_INDEX_2D_MS_ARRAY)):
        _has_one_level(texture.params, gl.GL_NEAREST)


@kernel(void, (CTX, NAMED), noinline=True)
def texture_unbind(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A texture is deleted: units of this context that have it get the default again, framebuffers
    that are bound lose it.
    """
    texture = thing.cast(OBJECT)
    index = texture.target_index
    with b.For(b.const(u32, 0), ctx.textures.used, 1) as unit:
        place = ctx.textures.bound + (unit * MAX_TEXTURE_TARGETS + index)
        with b.If(place.load() == texture):
            flush_vertices(b, ctx)
            rebind(b, ctx, place, ctx.shared.textures[index])
            mark(b, ctx, DIRTY_TEXTURE)
    detach = ctx.framebuffers.detach
    with b.If(~is_null(detach)):
        b.call(detach, ctx, thing)


@kernel(void, (CTX, NAMED), noinline=True)
def texture_dead(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Nobody refers to a texture: its memory goes; scenes that read it keep what they need."""
    texture = thing.cast(OBJECT)
    b.call(view_release, texture.sampled)
    texture.sampled = b.const(texture.sampled.ty, None)
    null = b.const(ptr(Resource), None)
    with b.If(~is_null(texture.buffer)):
        drop(b, ctx, texture.buffer.cast(NAMED))
        texture.buffer = b.const(texture.buffer.ty, None)
    with b.If(~is_null(texture.resource)):
        b.call(resource_release, texture.resource)
        texture.resource = null
    images = texture.addr("images").cast(ptr(TextureImage))
    with b.For(b.const(u32, 0), MAX_FACES * MAX_LEVELS, 1) as n:
        image = images + n
        with b.If(~is_null(image.resource)):
            b.call(resource_release, image.resource)
            image.resource = null
        with b.If(~is_null(image.kept)):
            b.call(storage_release, image.kept)
            image.kept = b.const(ptr(Storage), None)
            image.compressed = b.const(BYTES, None)


names = install(
    TEXTURES, __name__, born=texture_born, unbind=texture_unbind, dead=texture_dead,
    exists=lambda texture: texture.target != 0,
)  # fmt: skip


@gl_kernel
@kernel(u64, (CTX,), cold=True)
def textures_join(b: Builder, ctx: GLContext) -> Value:
    """A new context: all its units have the share group's defaults, which the first one makes. The
    group's lock is held. 0: no memory.
    """
    shared, block = ctx.shared, ctx.textures
    with b.If(is_null(shared.textures[0])):
        make_textures_lock(b, shared)
    with b.For(b.const(u32, 0), MAX_TEXTURE_TARGETS, 1) as index:
        with b.If(is_null(shared.textures[index])):
            space = names.space(b, ctx)
            with b.If(space.limit == 0), b.If(is_null(b.call(names.open, ctx))):
                b.Return(0)
            made = b.call(object_new, ctx, space, 0)
            with b.If(is_null(made)):
                b.Return(0)
            set_target(b, made.cast(OBJECT), index)
            shared.textures[index] = made.cast(OBJECT)
        with b.For(b.const(u32, 0), MAX_IMAGE_UNITS, 1) as unit:
            place = block.bound + (unit * MAX_TEXTURE_TARGETS + index)
            rebind(b, ctx, place, shared.textures[index])
    block.used = 1
    return b.const(u64, 1)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_textures(b: Builder, ctx: GLContext) -> None:
    """The context goes: what its units refer to."""
    with b.For(b.const(u32, 0), MAX_VIEWS, 1) as n:
        place = ctx.textures.held + n
        b.call(view_release, place.load())
        place.store(b.const(ptr(SampledView), None))
    with b.For(b.const(u32, 0), PLACES, 1) as n:
        put_reference(b, ctx, ctx.textures.bound + n, b.const(OBJECT, None))


# -- binding --------------------------------------------------------------------------------------


@native
def glBindTexture(b: Builder, ctx: Any, target: Value, name: Value) -> None:
    row = b.call(target_index, ctx, target)
    error_if(b, ctx, row < 0, gl.GL_INVALID_ENUM)
    index, unit = b.cast(row, u32), ctx.raw.active_texture
    place = ctx.textures.bound + (unit * MAX_TEXTURE_TARGETS + index)
    old = place.load()
    with b.If((old.name == name) & (old.deleted == 0)):
        b.Return()
    default = ctx.shared.textures[index]
    found = b.var(OBJECT, default)
    with b.If(name != 0, likely=True):
        found.value = b.call(names.obtain, ctx, name, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
        texture = found.value
        with b.If(texture.target == 0):
            bind_first(b, texture, index)
        with b.If(texture.target != target, likely=False):
            release(b, ctx, texture.cast(NAMED))
            record_error(b, ctx, gl.GL_INVALID_OPERATION)
            b.Return()
    with b.Else():
        reference(b, ctx, default.cast(NAMED))
    flush_vertices(b, ctx)
    put_reference(b, ctx, place, found.value)
    ctx.textures.used = b.max(ctx.textures.used, unit + 1)
    mark(b, ctx, DIRTY_TEXTURE)


@kernel(void, (CTX, u32, OBJECT), noinline=True)
def put_in_unit(b: Builder, ctx: GLContext, unit: Value, texture: TextureObject) -> None:
    """Bind a texture that has a target (with a reference, which is the unit's now) to a unit; null:
    the defaults to all of its targets."""
    first = ctx.textures.bound + unit * MAX_TEXTURE_TARGETS
    flush_vertices(b, ctx)
    with b.If(is_null(texture)):
        with b.For(b.const(u32, 0), MAX_TEXTURE_TARGETS, 1) as index:
            rebind(b, ctx, first + index, ctx.shared.textures[index])
    with b.Else():
        put_reference(b, ctx, first + texture.target_index, texture)
    ctx.textures.used = b.max(ctx.textures.used, unit + 1)
    mark(b, ctx, DIRTY_TEXTURE)


@kernel(u32, (CTX, u32, u32), noinline=True)
def bind_in_unit(b: Builder, ctx: GLContext, unit: Value, name: Value) -> Value:
    """Bind what a name means to a unit, 0 the defaults: the GL error, or 0."""
    found = b.var(OBJECT, b.const(OBJECT, None))
    with b.If(name != 0):
        found.value = names.acquire(b, ctx, name)
        with b.If(is_null(found.value)):
            b.Return(gl.GL_INVALID_OPERATION)
        with b.If(found.value.target == 0):
            release(b, ctx, found.value.cast(NAMED))
            b.Return(gl.GL_INVALID_OPERATION)
    b.call(put_in_unit, ctx, unit, found.value)
    return b.const(u32, 0)


@native
def glBindTextureUnit(b: Builder, ctx: GLContext, unit: Value, name: Value) -> None:
    error_if(b, ctx, unit >= MAX_IMAGE_UNITS, gl.GL_INVALID_VALUE)
    error = b.call(bind_in_unit, ctx, unit, name)
    error_if(b, ctx, error != 0, error)


@native
def glBindTextures(b: Builder, ctx: GLContext, first: Value, count: Value, given: Pointer) -> None:
    """ARB_multi_bind: names that are none leave their unit as it was."""
    errors_of_several(b, ctx, first, count, MAX_IMAGE_UNITS)
    with b.For(b.const(i32, 0), b.min(count, MAX_IMAGE_UNITS), 1) as n:
        name = b.var(u32, 0)
        with b.If(~is_null(given)):
            name.value = given[n]
        unit = first + b.cast(n, u32)
        error = b.call(bind_in_unit, ctx, unit, name.value)
        with b.If(error != 0, likely=False):
            b.call(gl_record_error, ctx, error, where(b))


@native
def glBindImageTextures(b: Builder, ctx: GLContext, first: Value, count: Value,
                        given: Pointer) -> None:  # fmt: skip
    """Image units belong to shaders (ARB_shader_image_load_store), which is not there."""
    record_error(b, ctx, gl.GL_INVALID_OPERATION)


def put_bound(b: Builder, ctx: GLContext, place: Any, texture: Any) -> None:
    """Bind a texture whose reference the caller has; vertices were flushed."""
    with b.If(place.load() != texture):
        mark(b, ctx, DIRTY_TEXTURE)
    put_reference(b, ctx, place, texture)


def texture_of_target(b: Builder, ctx: GLContext, target: Value, slot: Value) -> Any:
    """The texture with parameters that is bound to a target of the active unit; GL_INVALID_ENUM,
    and the kernel returns, for what is no target of such.
    """
    row = b.call(image_target_index, ctx, target)
    fail(b, ctx, row < 0, gl.GL_INVALID_ENUM, slot)
    return ctx.textures.bound[ctx.raw.active_texture * MAX_TEXTURE_TARGETS + b.cast(row, u32)]


@native
def glPrioritizeTextures(b: Builder, ctx: GLContext, n: Value, given: Pointer,
                         priorities: Pointer) -> None:  # fmt: skip
    error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
    with b.If(is_null(given) | is_null(priorities)):
        b.Return()
    with b.For(b.const(n.ty, 0), n, 1) as i:
        found = names.acquire(b, ctx, given[i])
        with b.If(~is_null(found)):
            found.params.priority = clamp01(b, b.cast(priorities[i], f32))
            release(b, ctx, found.cast(NAMED))


def _resident(b: Builder, ctx: GLContext, n: Value, given: Pointer, residences: Value) -> Value:
    error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
    with b.If(is_null(given) | is_null(residences)):
        b.Return(0)
    with b.For(b.const(n.ty, 0), n, 1) as i:
        entry = names.entry(b, ctx, given[i])
        error_if(b, ctx, (given[i] == 0) | (entry <= RESERVED), gl.GL_INVALID_VALUE)
    return b.const(u8, 1)


native_as("glAreTexturesResident", _resident)
native_as("glAreTexturesResidentEXT", _resident)


def _as(name: str, other: str) -> None:
    """An entry point of EXT_texture_object, whose GLX protocol alone is another."""
    native_as(name, lambda b, ctx, *args: call_entry(b, ctx, other, *args))


_as("glGenTexturesEXT", "glGenTextures")
_as("glDeleteTexturesEXT", "glDeleteTextures")
_as("glIsTextureEXT", "glIsTexture")


# -- attribute stacks -----------------------------------------------------------------------------


def _params_of(texture: Any) -> Any:
    return texture.addr("params").cast(BYTES)


def _save_params(b: Builder, place: Any, texture: Any) -> None:
    b.memcpy(place.cast(BYTES), _params_of(texture), TextureParams.size)


def _restore_params(b: Builder, ctx: GLContext, place: Any, texture: Any) -> None:
    size = b.const(u64, TextureParams.size)
    with b.If(b.call(MEMCMP, place.cast(BYTES), _params_of(texture), size) != 0):
        b.memcpy(_params_of(texture), place.cast(BYTES), TextureParams.size)
        texture_changed(b, ctx, texture)


@kernel(u32, (CTX, u32), noinline=True)
def textures_save(b: Builder, ctx: Any, depth: Value) -> Value:
    """glPushAttrib(GL_TEXTURE_BIT): bindings by reference, and the parameters of what is bound.
    0: no memory.
    """
    block = ctx.textures
    with b.If(is_null(block.saved), likely=False):
        block.saved = b.call(ALIGNED_ALLOC, 64, (SavedTextures.size * MAX_SAVED + 63) & ~63)
        with b.If(is_null(block.saved)):
            b.Return(0)
    saved = b.bytes_from(block.saved, depth * SavedTextures.size, SavedTextures)
    saved.used = block.used
    defaults = saved.addr("defaults").cast(PARAMS)
    with b.For(b.const(u32, 0), MAX_TEXTURE_TARGETS, 1) as index:
        _save_params(b, defaults + index, ctx.shared.textures[index])
    params = saved.addr("params").cast(PARAMS)
    with b.For(b.const(u32, 0), block.used * MAX_TEXTURE_TARGETS, 1) as n:
        texture = block.bound[n]
        reference(b, ctx, texture.cast(NAMED))
        (saved.bound + n).store(texture)
        with b.If(texture.name != 0):
            _save_params(b, params + n, texture)
    return b.const(u32, 1)


@kernel(void, (CTX, u32), noinline=True)
def textures_restore(b: Any, ctx: Any, depth: Value) -> None:
    """glPopAttrib: what was bound is bound again, unless it was deleted since, with the parameters
    that it had. Vertices were flushed.
    """
    block = ctx.textures
    saved = b.bytes_from(block.saved, depth * SavedTextures.size, SavedTextures)
    params = saved.addr("params").cast(PARAMS)
    with b.For(b.const(u32, 0), saved.used * MAX_TEXTURE_TARGETS, 1) as n:
        texture = (saved.bound + n).load()
        with b.If(texture.deleted != 0, likely=False):
            release(b, ctx, texture.cast(NAMED))
        with b.Else():
            put_bound(b, ctx, block.bound + n, texture)
            with b.If(texture.name != 0):
                _restore_params(b, ctx, params + n, texture)
    with b.For(saved.used * MAX_TEXTURE_TARGETS, block.used * MAX_TEXTURE_TARGETS, 1) as n:
        default = ctx.shared.textures[n % MAX_TEXTURE_TARGETS]
        reference(b, ctx, default.cast(NAMED))
        put_bound(b, ctx, block.bound + n, default)
    defaults = saved.addr("defaults").cast(PARAMS)
    with b.For(b.const(u32, 0), MAX_TEXTURE_TARGETS, 1) as index:
        _restore_params(b, ctx, defaults + index, ctx.shared.textures[index])


@kernel(void, (CTX, u32), noinline=True)
def textures_forget(b: Any, ctx: GLContext, depth: Value) -> None:
    """What a level of the attribute stack refers to is not wanted."""
    saved = b.bytes_from(ctx.textures.saved, depth * SavedTextures.size, SavedTextures)
    with b.For(b.const(u32, 0), saved.used * MAX_TEXTURE_TARGETS, 1) as n:
        release(b, ctx, (saved.bound + n).load().cast(NAMED))
