# SPDX-License-Identifier: MIT
"""Where images of textures lie: levels given one by one, and made whole.

GL gives a texture level by level, in any order and of any sizes; a Resource has all levels at once.
`image_place` gives an image room: in the object's resource where it fits, which the first image
guesses from its size and level; else in a resource of its own, until `texture_finalize` brings all
levels that are drawn with together. An image that is given again with the same size and format
keeps its room. Every image holds a reference to the resource that has its texels: `image_level`
says which level of it. Counterpart of guess_and_alloc_texture and st_finalize_texture of Mesa's
state_tracker/st_cb_texture.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import extern_c, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.textures.image_sync import await_scenes, settle
from pydri.main.textures.image_tables import TARGETS
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS, TextureImage, TextureObject
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import (
    level_of,
    resource_create,
    resource_reference,
    resource_release,
    resource_widened,
    storage_changed,
    storage_release,
)
from pydri.pipe.skirt import image_place as texels_at
from pydri.pipe.skirt import refresh_level
from pydri.pipe.texel_table import Box

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

OBJECT, IMAGE, RESOURCE, BYTES = ptr(TextureObject), ptr(TextureImage), ptr(Resource), ptr(u8)
FRESH = 2
MALLOC = extern_c("malloc", BYTES, u64)
FREE = extern_c("free", void, BYTES)
_KINDS = {row.object: row.kind for row in TARGETS}


def resource_target(b: Builder, object: TextureObject) -> Any:
    """TARGET_* of a texture."""
    out = b.var(u32, res.TARGET_2D)
    with b.Switch(object.target) as s:
        for enum, kind in _KINDS.items():
            with s.Case(enum):
                out.value = kind
    return out.value


def image_level(b: Builder, image: Any, level: Operand) -> Any:
    """The level of an image's resource that it is."""
    return b.select(image.resource.last_level == 0, b.const(u32, 0), level)


def first_image(b: Builder, image: Any, face: Operand) -> Any:
    """Which image of the level is the image's first: its face, where all faces are there."""
    return b.select(image.resource.target == res.TARGET_CUBE, face, b.const(u32, 0))


@kernel(void, (ptr(RESOURCE), RESOURCE), noinline=True)
def put_resource(b: Builder, place: Pointer, resource: Any) -> None:
    """Store a resource (or null), with a reference of its own; the old one loses its."""
    old = place.load()
    with b.If(~is_null(resource)):
        b.call(resource_reference, resource)
    place.store(resource)
    b.call(resource_release, old)


@kernel(void, (OBJECT, RESOURCE, RESOURCE), noinline=True)
def texture_exchange(b: Builder, object: Any, old: Resource, new: Resource) -> None:
    """All that lies in a resource lies in another one from now on."""
    with b.For(b.const(u32, 0), MAX_FACES * MAX_TEXTURE_LEVELS) as n:
        place = (object.images + n).addr("resource")
        with b.If(place.load() == old):
            b.call(put_resource, place, new)
    with b.If(object.resource == old):
        b.call(put_resource, object.addr("resource"), new)


@kernel(u32, (CTX, OBJECT, RESOURCE, u32), noinline=True)
def texture_widened(b: Builder, ctx: GLContext, object: Any, resource: Any, bind: Value) -> Value:
    """A resource of an object may be used as `bind`, too, maybe another one; 0: there is no
    memory."""
    with b.If((resource.bind & bind) != 0):
        b.Return(1)
    await_scenes(b, ctx, resource)
    made = b.call(resource_widened, resource, bind)
    with b.If(is_null(made)):
        b.Return(0)
    b.call(texture_exchange, object, resource, made)
    b.call(resource_release, made)
    return b.const(u32, 1)


@kernel(void, (IMAGE,), noinline=True)
def drop_blocks(b: Builder, image: Any) -> None:
    """An image's kept blocks are no more; who shares them has them still."""
    b.call(storage_release, image.kept)
    image.kept = b.const(image.kept.ty, None)
    image.compressed = b.const(image.compressed.ty, None)
    image.compressed_size = 0


@kernel(void, (IMAGE,), noinline=True)
def image_clear(b: Builder, image: Any) -> None:
    """There is no image (any more)."""
    b.call(put_resource, image.addr("resource"), b.const(RESOURCE, None))
    b.call(storage_release, image.kept)
    b.memset(image.cast(BYTES), 0, TextureImage.size)


def exists(image: Any) -> Any:
    """Whether there is an image (of whatever size)."""
    return image.internal_format != 0


# -- resources -------------------------------------------------------------------------------------


@kernel(RESOURCE, (u32, u32, u32, u32, u32, u32), noinline=True)
def make_resource(b: Builder, kind: Any, format: Value, width: Any, height: Any, depth: Any,
                  last: Any) -> Any:  # fmt: skip
    """A resource for images of these sizes (as GL counts them); null if there is no memory."""
    made = b.array(Resource)
    b.memset(made.cast(BYTES), 0, Resource.size)
    made.target, made.format, made.samples = kind, format, 1
    made.width, made.height, made.depth, made.layers = width, height, 1, 1
    with b.Switch(kind) as s:
        with s.Case(res.TARGET_1D_ARRAY):
            made.height, made.layers = 1, height
        with s.Case(res.TARGET_2D_ARRAY, res.TARGET_CUBE_ARRAY):
            made.layers = depth
        with s.Case(res.TARGET_3D):
            made.depth = depth
        with s.Case(res.TARGET_CUBE):
            made.layers = 6
    made.last_level, made.bind = last, res.BIND_SAMPLED
    made.block_bytes = b.cast(b.table(u16, [f.bytes for f in FORMATS])[format], u32)
    made.block_width, made.block_height = 1, 1
    return b.call(resource_create, made)


def _fits(b: Builder, resource: Resource, level: Value, kind: Value, image: TextureImage) -> Any:
    """Whether an image is what a (present) level of a resource is."""
    held = level_of(resource, level)
    rows = kind == res.TARGET_1D_ARRAY
    images = b.select(rows, image.height, image.depth)
    images = b.select(kind == res.TARGET_CUBE, b.const(u32, 6), images)
    same = (resource.target == kind) & (resource.format == image.format)
    same = same & (held.width == image.width) & (held.depth == images)
    return same & (held.height == b.select(rows, b.const(u32, 1), image.height))


@kernel(u32, (RESOURCE, u32, u32, IMAGE), noinline=True)
def has_room(b: Builder, resource: Any, level: Any, kind: Any, image: Any) -> Value:
    """Whether an image fits a level of a resource; null fits nothing."""
    with b.If(is_null(resource)):
        b.Return(0)
    with b.If(level > resource.last_level):
        b.Return(0)
    return b.cast(_fits(b, resource, level, kind, image), u32)


def _whole_size(b: Builder, size: Value, level: Value) -> Any:
    """The size of level 0, as far as that of a level says."""
    return b.select(size == 1, b.const(u32, 1), size << level)


@kernel(RESOURCE, (CTX, OBJECT, u32, IMAGE), noinline=True)
def guess_resource(b: Builder, ctx: GLContext, object: Any, level: Any, image: Any) -> Any:
    """A resource for the whole chain that an image probably is of; null: there is no guess, or no
    memory."""
    kind = resource_target(b, object)
    layered = (kind == res.TARGET_1D_ARRAY, kind == res.TARGET_2D_ARRAY)
    width = _whole_size(b, image.width, level)
    height = b.select(layered[0], image.height, _whole_size(b, image.height, level))
    volume = kind == res.TARGET_3D
    depth = b.select(volume, _whole_size(b, image.depth, level), image.depth)
    most = b.max(width, b.select(layered[0], b.const(u32, 1), height))
    most = b.max(most, b.select(volume, depth, b.const(u32, 1)))
    none = b.const(RESOURCE, None)
    with b.If((most > res.MAX_SIZE) | ((level > 0) & (most == 1))):
        b.Return(none)
    last = b.var(u32, b.const(u32, 31) - b.clz(most))
    params = object.params
    one = (params.min_filter == gl.GL_NEAREST) | (params.min_filter == gl.GL_LINEAR)
    with b.If((kind == res.TARGET_RECT) | (one & (level == 0) & (params.generate_mipmap == 0))):
        last.value = 0
    with b.If(level > last.value):
        b.Return(none)
    return b.call(make_resource, kind, image.format, width, height, depth, last.value)


@kernel(u32, (CTX, OBJECT, u32, u32), noinline=True)
def image_place(b: Builder, ctx: GLContext, object: Any, face: Any, level: Any) -> Value:
    """Room for the texels of an image, whose sizes and format say what it is; 1: its texels are
    what they were, FRESH: zeros, of memory that nobody has touched. 0: there is no memory, and the
    image has no room."""
    image = object.images + (face * MAX_TEXTURE_LEVELS + level)
    none = b.const(RESOURCE, None)
    place = image.addr("resource")
    with b.If((image.width == 0) | (image.height == 0) | (image.depth == 0)):
        b.call(put_resource, place, none)
        b.Return(1)
    kind = resource_target(b, object)
    with b.If((b.call(has_room, object.resource, level, kind, image) != 0) & ~orphans(b, object)):
        b.call(put_resource, place, object.resource)
        b.Return(1)
    first = (level == 0) & (face == 0)
    with b.If(first | is_null(object.resource)):
        guess = b.call(guess_resource, ctx, object, level, image)
        with b.If(~is_null(guess)):
            b.call(put_resource, object.addr("resource"), guess)
            b.call(put_resource, place, guess)
            b.call(resource_release, guess)
            object.unfinished = 1
            b.Return(FRESH)
    with b.If(~is_null(image.resource)):
        own = (image.resource != object.resource) & (image.resource.last_level == 0)
        own = own & (image.resource.storage.shared == 0)
        with b.If(own & (b.call(has_room, image.resource, 0, single_kind(b, kind), image) != 0)):
            b.Return(1)
    made = b.call(make_resource, single_kind(b, kind), image.format, image.width, image.height,
                  image.depth, 0)
    b.call(put_resource, place, made)
    b.call(resource_release, made)
    object.unfinished = 1
    return b.select(is_null(made), b.const(u32, 0), FRESH)


def orphans(b: Builder, object: TextureObject) -> Any:
    """Whether images that are given anew must leave the object's storage to others who have it (an
    EGLImage's siblings). What has storage for ever is never given anew."""
    shared = b.var(u32, 0)
    with b.If(~is_null(object.resource) & (object.immutable == 0)):
        shared.value = object.resource.storage.shared
    return shared.value != 0


def single_kind(b: Builder, kind: Value) -> Any:
    """The target of a resource of one image of a texture."""
    return b.select(kind == res.TARGET_CUBE, b.const(u32, res.TARGET_2D), kind)


# -- made whole ------------------------------------------------------------------------------------


@kernel(void, (RESOURCE, u32, u32, RESOURCE, u32, u32), noinline=True)
def copy_images(b: Builder, to: Any, level: Any, first: Any, come: Resource, from_level: Value,
                from_first: Value) -> None:
    """All texels of a level (of one face, of cubes) to another resource of the format."""
    wide, narrow = level_of(to, level), level_of(come, from_level)
    cube = (to.target == res.TARGET_CUBE) | (come.target == res.TARGET_CUBE)
    count = b.select(cube, b.const(u32, 1), b.min(wide.depth, narrow.depth))
    size = b.cast(b.min(wide.width, narrow.width) * to.block_bytes, u64)
    with b.For(b.const(u32, 0), count) as n:
        target = texels_at(b, to, wide, first + n)
        source = texels_at(b, come, narrow, from_first + n)
        with b.For(b.const(u32, 0), b.min(wide.height, narrow.height)) as y:
            row = b.cast(y, u64)
            b.memcpy(b.bytes_from(target, row * b.cast(wide.row_stride, u64), u8),
                     b.bytes_from(source, row * b.cast(narrow.row_stride, u64), u8), size)
    b.call(refresh_level, to, level)


@kernel(u32, (CTX, OBJECT, u32, u32), noinline=True)
def texture_finalize(b: Builder, ctx: GLContext, object: Any, first: Any, last: Any) -> Value:
    """Bring levels `first` to `last` of all faces, which make a complete texture, together in the
    object's resource. 0: there is no memory (nothing has changed). What is pending may read old
    resources meanwhile: scenes hold their storage."""
    kind = resource_target(b, object)
    base = object.images + first
    with b.If(is_null(base.resource)):
        b.Return(0)
    held = object.resource
    good = b.var(u32, b.call(has_room, held, first, kind, base))
    with b.If(~is_null(held)):
        with b.If(held.last_level < last):
            good.value = 0
    target = b.var(RESOURCE, held)
    with b.If(good.value == 0):
        rows = kind == res.TARGET_1D_ARRAY
        flat = kind == res.TARGET_2D_ARRAY
        height = b.select(rows, base.height, _whole_size(b, base.height, first))
        depth = b.select(flat, base.depth, _whole_size(b, base.depth, first))
        depth = b.select(kind == res.TARGET_3D, depth, base.depth)
        target.value = b.call(make_resource, kind, base.format, _whole_size(b, base.width, first),
                              height, depth, last)
        with b.If(is_null(target.value)):
            b.Return(0)
    faces = b.select(kind == res.TARGET_CUBE, b.const(u32, MAX_FACES), 1)
    with b.For(b.const(u32, 0), faces) as face, b.For(first, last + 1) as level:
        image = object.images + (face * MAX_TEXTURE_LEVELS + level)
        with b.If(~is_null(image.resource)), b.If(image.resource != target.value):
            zero = b.const(u32, 0)
            settle(b, ctx, image.resource)  # it may be drawn to
            storage_changed(b, target.value.storage)
            b.call(copy_images, target.value, level, b.select(faces > 1, face, zero),
                   image.resource, image_level(b, image, level), first_image(b, image, face))
            b.call(put_resource, image.addr("resource"), target.value)
    with b.If(good.value == 0):
        b.call(put_resource, object.addr("resource"), target.value)
        b.call(resource_release, target.value)
    object.unfinished = 0
    return b.const(u32, 1)


@kernel(void, (IMAGE, u32, u32), noinline=True)
def image_zero(b: Builder, image: Any, face: Any, level: Any) -> None:
    """All texels of an image become zeros."""
    resource, number = image.resource, image_level(b, image, level)
    held = level_of(resource, number)
    cube = resource.target == res.TARGET_CUBE
    count = b.select(cube, b.const(u32, 1), held.depth)
    with b.For(b.const(u32, 0), count) as n:
        place = texels_at(b, resource, held, first_image(b, image, face) + n)
        b.memset(place, 0, b.cast(held.row_stride, u64) * b.cast(held.height, u64))
    b.call(refresh_level, resource, number)


EXPORTS = (texture_finalize,)

__all__ = [
    "Box", "EXPORTS", "FREE", "FRESH", "MALLOC", "copy_images", "drop_blocks", "first_image",
    "image_clear", "image_level", "image_place", "image_zero", "make_resource", "put_resource",
    "texture_exchange", "texture_finalize", "texture_widened",
]  # fmt: skip
