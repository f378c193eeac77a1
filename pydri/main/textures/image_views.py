# SPDX-License-Identifier: MIT
"""glTextureView (GL 4.6, 8.18; ARB_texture_view): textures whose images are another one's.

In: a texture with storage for ever, and which part of it is wanted as what target and internal
format. Out: a texture whose resource is a part of the other's, in the same storage; or a GL error,
in the order in which the peer finds them. The other's storage gets room for being drawn to first:
it must not be laid out anew when one of the two is attached to a framebuffer. Mesa:
main/textureview.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import boolean, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null, one_of
from pydri.main.names.layout import FREE, RESERVED
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    OBJECT,
    OPERATION,
    VALUE,
    bad,
    image_numbers,
    of_row,
    sizes_beyond,
)
from pydri.main.textures.image_compressed import block_bytes_of, gather_blocks, share_blocks
from pydri.main.textures.image_store import put_resource, resource_target, texture_widened
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS, ImageCall
from pydri.main.textures.object_kernels import names as textures
from pydri.main.textures.object_kernels import set_target, target_index, texture_changed
from pydri.main.textures.view_classes import VIEW_CLASSES
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.resource_kernels import level_of, resource_part, resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import TextureObject

_T = ("1D 2D 3D CUBE_MAP RECTANGLE 1D_ARRAY 2D_ARRAY CUBE_MAP_ARRAY "
      "2D_MULTISAMPLE 2D_MULTISAMPLE_ARRAY").split()  # fmt: skip
_ENUMS = {name: getattr(gl, "GL_TEXTURE_" + name) for name in _T}
_FLAT = "2D 2D_ARRAY CUBE_MAP CUBE_MAP_ARRAY"
#: what may be seen as what (GL 4.6, table 8.21)
TARGETS = {
    "1D": "1D 1D_ARRAY", "1D_ARRAY": "1D 1D_ARRAY", "2D": "2D 2D_ARRAY", "3D": "3D",
    "RECTANGLE": "RECTANGLE", "CUBE_MAP": _FLAT, "CUBE_MAP_ARRAY": _FLAT, "2D_ARRAY": _FLAT,
    **dict.fromkeys(_T[-2:], " ".join(_T[-2:])),
}  # fmt: skip
#: by row: blocks of numbers that may be negative
_SIGNED = [int(row.compressed and "snorm" in row.formats[0].lower()) for row in tables.ROWS]
#: targets that have one layer
_ONE = ("1D", "2D", "3D", "RECTANGLE", "2D_MULTISAMPLE")
_SINGLE = tuple(_ENUMS[name] for name in _ONE)
_CUBES = (gl.GL_TEXTURE_CUBE_MAP, gl.GL_TEXTURE_CUBE_MAP_ARRAY)


def set_storage(b: Builder, object: TextureObject, call: ImageCall) -> None:
    """A texture has the call's levels (`call.level` of them) for ever, all its own."""
    kind, levels = resource_target(b, object), b.cast(call.level, u32)
    object.immutable, object.immutable_levels, object.told_levels = 1, levels, levels
    object.min_level, object.num_levels, object.min_layer = 0, levels, 0
    layers = b.select(kind == res.TARGET_1D_ARRAY, b.cast(call.height, u32), 1)
    deep = one_of(b, kind, (res.TARGET_2D_ARRAY, res.TARGET_CUBE_ARRAY, res.TARGET_2D_MS_ARRAY))
    layers = b.select(deep, b.cast(call.depth, u32), layers)
    object.num_layers = b.select(kind == res.TARGET_CUBE, b.const(u32, MAX_FACES), layers)


@kernel(boolean, (u32, u32), noinline=True)
def may_be(b: Builder, origin: Any, target: Any) -> Value:
    """Whether textures of one target may be seen as another."""
    out = b.const(boolean, 0)
    for name, seen in TARGETS.items():
        fits = one_of(b, target, tuple(_ENUMS[each] for each in seen.split()))
        out = out | ((origin == _ENUMS[name]) & fits)
    return out


def _check_layers(b: Builder, call: ImageCall, layers: Value) -> None:
    """How many layers the target has; `layers`: those that there are of the wanted ones."""
    bad(b, one_of(b, call.target, _SINGLE) & (b.cast(call.depth, u32) != 1), VALUE)
    bad(b, (call.target == gl.GL_TEXTURE_CUBE_MAP) & (layers != MAX_FACES), VALUE)
    bad(b, (call.target == gl.GL_TEXTURE_CUBE_MAP_ARRAY) & (layers % MAX_FACES != 0), VALUE)


@kernel(boolean, (CTX, CALL, u32, u32, u32, u32), noinline=True)
def sizes_refused(b: Builder, ctx: GLContext, call: Any, width: Any, height: Any, depth: Any,
                  layers: Value) -> Any:  # fmt: skip
    """Whether textures of the call's target cannot have an image of these sizes."""
    asked = b.array(ImageCall)
    b.memset(asked.cast(ptr(u8)), 0, ImageCall.size)
    asked.target = call.target
    b.call(image_numbers, ctx, asked)
    rows = call.target == gl.GL_TEXTURE_1D_ARRAY
    deep = one_of(b, call.target, (gl.GL_TEXTURE_2D_ARRAY, gl.GL_TEXTURE_CUBE_MAP_ARRAY,
                                   gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY))  # fmt: skip
    volume = call.target == gl.GL_TEXTURE_3D
    tall = b.select(rows, layers, height)
    images = b.select(deep, layers, b.select(volume, depth, b.const(u32, 1)))
    for name, size in (("width", width), ("height", tall), ("depth", images)):
        setattr(asked, name, b.cast(size, asked.width.ty))
    return b.call(sizes_beyond, ctx, asked)


@kernel(u32, (CTX, CALL, OBJECT, OBJECT), noinline=True)
def make_view(b: Builder, ctx: GLContext, call: Any, origin: Any, view: Any) -> Value:
    """Check against the origin, which has storage for ever, and make the view, which is new."""
    bad(b, ~b.call(may_be, origin.target, call.target), OPERATION)
    level, layer = b.cast(call.level, u32), b.cast(call.z, u32)
    bad(b, (level >= origin.num_levels) | (layer >= origin.num_layers), VALUE)
    image = origin.images + level
    old, new = (of_row(b, row, VIEW_CLASSES) for row in (image.row, call.row))
    alike = (image.internal_format == call.internal) | ((old == new) & (old != 0))
    bad(b, (call.row >= len(tables.ROWS)) | ~alike, OPERATION)
    levels = b.min(b.cast(call.width, u32), origin.num_levels - level)
    layers = b.min(b.cast(call.depth, u32), origin.num_layers - layer)
    sizes = image.width, image.height, image.depth
    _check_layers(b, call, layers)
    bad(b, b.call(sizes_refused, ctx, call, *sizes, layers), OPERATION)
    bad(b, (levels == 0) | (layers == 0), VALUE)
    # the texels beside the blocks are shared, too: of one block both must make the same
    bad(b, of_row(b, image.row, _SIGNED) != of_row(b, call.row, _SIGNED), OPERATION)
    with b.For(level, level + levels) as n:
        bad(b, b.call(gather_blocks, ctx, origin, n) == 0, gl.GL_OUT_OF_MEMORY)
    depths = [int(f.kind == "zs") for f in FORMATS]
    deep = b.table(u8, depths)[image.format] != 0
    bind = b.select(deep, b.const(u32, res.BIND_DEPTH), res.BIND_RENDER)
    bad(b, b.call(texture_widened, ctx, origin, origin.resource, bind) == 0, gl.GL_OUT_OF_MEMORY)
    texture_changed(b, ctx, origin)
    set_target(b, view, b.cast(b.call(target_index, ctx, call.target), u32))
    format = b.cast(ctx.images.formats[call.row], u32)
    part = b.call(resource_part, origin.resource, resource_target(b, view), format, level, levels,
                  layer, layers)  # fmt: skip
    with b.If(is_null(part)):
        view.target = 0
        b.Return(gl.GL_OUT_OF_MEMORY)
    b.call(put_resource, view.addr("resource"), part)
    b.call(resource_release, part)
    view.immutable, view.immutable_levels, view.told_levels = 1, levels, origin.told_levels
    view.min_level, view.num_levels = origin.min_level + level, levels
    view.min_layer, view.num_layers = origin.min_layer + layer, layers
    b.call(describe_view, call, view, format, origin)
    texture_changed(b, ctx, view)
    return b.const(u32, 0)


@kernel(void, (CALL, OBJECT, u32, OBJECT), noinline=True)
def describe_view(b: Builder, call: Any, view: Any, format: Any, origin: Any) -> None:
    """The images of a view whose resource is there."""
    resource = view.resource
    cube = resource.target == res.TARGET_CUBE
    faces = b.select(cube, b.const(u32, MAX_FACES), 1)
    with b.For(b.const(u32, 0), faces) as face, b.For(b.const(u32, 0), view.num_levels) as n:
        image, level = view.images + (face * MAX_TEXTURE_LEVELS + n), level_of(resource, n)
        rows = resource.target == res.TARGET_1D_ARRAY
        image.width = level.width
        image.height = b.select(rows, level.depth, level.height)
        image.depth = b.select(cube | rows, b.const(u32, 1), level.depth)
        image.border, image.compressed_size = 0, 0
        image.internal_format, image.row, image.format = call.internal, call.row, format
        b.call(put_resource, image.addr("resource"), resource)
        source = origin.images + (b.cast(call.level, u32) + n)
        image.samples, image.fixed = source.samples, source.fixed
        with b.If(~is_null(source.kept)):
            before = b.cast(b.cast(call.z, u32) + face, u64) * block_bytes_of(b, image)
            b.call(share_blocks, image, source.kept, b.bytes_from(source.compressed, before, u8))


@kernel(u32, (CTX, CALL, OBJECT), noinline=True)
def view_of(b: Builder, ctx: GLContext, call: Any, origin: Any) -> Value:
    """glTextureView of a texture that was found."""
    bad(b, origin.immutable == 0, OPERATION)
    bad(b, call.name == 0, VALUE)
    bad(b, textures.entry(b, ctx, call.name) == FREE, OPERATION)
    view = b.call(textures.obtain, ctx, call.name, call.slot)
    bad(b, is_null(view), 0)  # the error is recorded
    error = b.var(u32, OPERATION)
    with b.If(view.target == 0):
        error.value = b.call(make_view, ctx, call, origin, view)
    release(b, ctx, view.cast(NAMED))
    return error.value


@kernel(u32, (CTX, CALL), noinline=True)
def do_view(b: Builder, ctx: GLContext, call: Any) -> Any:
    """glTextureView."""
    bad(b, call.other == 0, VALUE)
    entry = textures.entry(b, ctx, call.other)
    bad(b, entry == FREE, VALUE)
    bad(b, entry == RESERVED, OPERATION)
    origin = textures.acquire(b, ctx, call.other)
    bad(b, is_null(origin), VALUE)
    error = b.call(view_of, ctx, call, origin)
    release(b, ctx, origin.cast(NAMED))
    return error


__all__ = ["do_view", "set_storage"]
