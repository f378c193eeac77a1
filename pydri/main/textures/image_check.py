# SPDX-License-Identifier: MIT
"""What is wrong with a call that puts texels in or takes them out: ONE checker, of the tables of
image_tables.py, for all entry points.

In: an ImageCall as the program gave it. Out: a GL error or 0, in the order in which the peer finds
them, and the numbers that the tables have for target, internal format, format and type. Nothing
that a program can see is changed here. Counterpart of the *_error_check functions of Mesa's
main/teximage.c and main/texgetimage.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.api.apis import COMPAT
from pydri.api.enum_names import constants_of
from pydri.jit import boolean, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, is_es, one_of
from pydri.main.pixels.blocks import misplaced
from pydri.main.pixels.tables import FORMATS, TYPE_NUMBERS, TYPES, error_of
from pydri.main.rows import Enum, row_finder
from pydri.main.textures.es_formats import COMBINATIONS, HALVES_OF_ES, key
from pydri.main.textures.image_tables import (
    BLOCK_HEIGHTS,
    BLOCK_WIDTHS,
    CLASS_BOTH,
    CLASS_COLOR,
    CLASS_DEPTH,
    CLASS_STENCIL,
    CLASSES,
    COMPRESSED,
    GENERIC,
    GIVEN,
    INTEGER,
    ROW_NUMBERS,
    ROWS,
    SIZE_2D,
    SIZE_3D,
    SIZE_CUBE,
    SIZE_RECT,
    SIZED,
    TARGETS,
    VOLUMES,
)
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS, ImageCall, TextureImage, TextureObject
from pydri.pipe import resource as res

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

CALL, OBJECT, IMAGE = ptr(ImageCall), ptr(TextureObject), ptr(TextureImage)
ENUM, VALUE, OPERATION = gl.GL_INVALID_ENUM, gl.GL_INVALID_VALUE, gl.GL_INVALID_OPERATION
NOT_KNOWN = 0xFFFF

_target = row_finder("tex_target", TARGETS)
_internal = row_finder("tex_internal", ROWS)
_format = row_finder("tex_format", FORMATS)
#: behind the types a name of OpenGL ES for one of them
_type = row_finder("tex_type", (*TYPES, Enum(gl.GL_HALF_FLOAT_OES)))
_combination = row_finder("tex_combination", COMBINATIONS, keys=True)


_ERRORS = [
    error_of(f, t)
    for f in (*(row.enum for row in FORMATS), 0)
    for t in (*(row.enum for row in TYPES), 0)
]
_FORMAT_CLASSES = {
    "color": CLASS_COLOR, "integer": CLASS_COLOR, "index": CLASS_COLOR, "depth": CLASS_DEPTH,
    "stencil": CLASS_STENCIL, "both": CLASS_BOTH,
}  # fmt: skip


def bad(b: Builder, cond: Value, error: int) -> None:
    """If `cond`: the checker's answer is `error`."""
    with b.If(cond, likely=False):
        b.Return(error)


def of_target(b: Builder, call: Any, values: Sequence[int]) -> Any:
    """What a list by target says of the call's (which is known)."""
    return b.cast(b.table(u8, values)[call.at], u32)


def of_row(b: Builder, row: Operand, values: Sequence[int]) -> Any:
    """What a list by internal format says."""
    return b.cast(b.table(u32, values)[row], u32)


def is_multisample(b: Builder, call: Any) -> Any:
    """Whether the call's target is one of textures with several samples."""
    return of_target(b, call, [int(row.multisample) for row in TARGETS]) != 0


def kind_of(b: Builder, call: Any) -> Any:
    """TARGET_* of the call's target."""
    return of_target(b, call, [row.kind for row in TARGETS])


@kernel(void, (CTX, CALL), noinline=True)
def image_numbers(b: Builder, ctx: GLContext, call: ImageCall) -> None:
    """Find target, internal format, format and type in their tables."""
    call.at = b.cast(b.call(_target, ctx, call.target), u32)
    row = b.cast(b.call(_internal, ctx, call.internal), u32)
    call.row, call.chosen = row, row
    format, type_ = b.call(_format, ctx, call.format), b.call(_type, ctx, call.type)
    call.format_number = b.select(format < 0, b.const(u32, NOT_KNOWN), b.cast(format, u32))
    call.type_number = b.select(type_ < 0, b.const(u32, NOT_KNOWN), b.cast(type_, u32))
    with b.If(type_ == HALVES_OF_ES, likely=False):
        call.type_number = TYPE_NUMBERS[gl.GL_HALF_FLOAT]
    with b.If(is_es(ctx), likely=False):
        call.combination = b.call(combination_of, ctx, call, row)
        with b.If(call.combination != NOT_KNOWN):
            stored = b.table(u16, [ROW_NUMBERS[each.stored] for each in COMBINATIONS])
            call.chosen = b.cast(stored[call.combination], u32)
        b.Return()
    table = b.table(u32, [n for row in SIZED for n in row])
    with b.For(b.const(u32, 0), len(SIZED)) as i:
        entry = table + i * 4
        same = (entry[0] == call.internal) & (entry[1] == call.format) & (entry[2] == call.type)
        with b.If(same):
            call.chosen = entry[3]


@kernel(u32, (CTX, CALL, u32), noinline=True)
def combination_of(b: Builder, ctx: GLContext, call: Any, row: Value) -> Value:
    """Place in COMBINATIONS of an internal format with the call's format and type; NOT_KNOWN."""
    with b.If((row >= len(ROWS)) | unnamed(call)):
        b.Return(NOT_KNOWN)
    halves = call.type == gl.GL_HALF_FLOAT_OES
    type_ = b.select(halves, b.const(u32, HALVES_OF_ES), call.type_number)
    found = b.call(_combination, ctx, key(row, call.format_number, type_))
    return b.select(found < 0, b.const(u32, NOT_KNOWN), b.cast(found, u32))


@kernel(u32, (CTX, u32, u32, ptr(u32)), noinline=True)
def es_combination(b: Builder, ctx: GLContext, format: Value, type_: Value,
                   known: Pointer) -> Value:  # fmt: skip
    """Whether texels of a texture without a size could be given in a format and a type. At `known`:
    whether the context has the two at all."""
    asked = b.array(ImageCall)
    b.memset(asked.cast(ptr(u8)), 0, ImageCall.size)
    asked.internal, asked.format, asked.type = format, format, type_
    b.call(image_numbers, ctx, asked)
    known[0] = b.cast(~unnamed(asked), u32)
    return b.cast(asked.combination != NOT_KNOWN, u32)


def unnamed(call: Any) -> Any:
    """Whether the context has not the format, or not the type."""
    return (call.format_number == NOT_KNOWN) | (call.type_number == NOT_KNOWN)


def known(call: Any) -> Any:
    """Whether there is a row for the internal format."""
    return call.row < len(ROWS)


#: internal formats that are none but where blocks are given (OES_compressed_ETC1_RGB8_texture)
BLOCKS_ALONE = [int(row.enum == gl.GL_ETC1_RGB8_OES) for row in ROWS]


# -- levels and sizes ------------------------------------------------------------------------------


def greatest(b: Builder, ctx: GLContext, size: Pointer) -> Any:
    """The limit of sizes (u32) of a kind, SIZE_2D ..."""
    limits = ctx.limits
    out = b.select(size == SIZE_3D, limits.texture_3d, limits.texture_2d)
    return b.select(size == SIZE_CUBE, limits.texture_cube, out)


@kernel(u32, (CTX, CALL), noinline=True)
def image_levels(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """How many levels textures of the target may have."""
    size = of_target(b, call, [row.size for row in TARGETS])
    top = b.const(u32, 32) - b.clz(greatest(b, ctx, size))
    one = (size == SIZE_RECT) | is_multisample(b, call)
    return b.select(one, b.const(u32, 1), b.min(top, MAX_TEXTURE_LEVELS))


def level_beyond(b: Builder, ctx: GLContext, call: Any) -> Any:
    """Whether the target has no such level."""
    return b.cast(call.level, u32) >= b.call(image_levels, ctx, call)


@kernel(boolean, (CTX, CALL), noinline=True)
def sizes_beyond(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """Whether a level cannot have these sizes (none is negative)."""
    kind = kind_of(b, call)
    size = of_target(b, call, [row.size for row in TARGETS])
    top = b.cast(greatest(b, ctx, size) >> b.cast(call.level, u32), i32)
    edge = call.border * 2
    rect = size == SIZE_RECT
    layers = b.cast(ctx.limits.array_layers, i32)
    out = (call.width < edge) | (call.width - edge > top) | (rect & (call.level != 0))
    tall, deep = call.height - edge, call.depth - edge
    one = kind == res.TARGET_1D
    flat = kind == res.TARGET_1D_ARRAY
    plain = ~one & ~flat & ((tall < 0) | (tall > top))
    out = out | plain | (flat & (call.height > layers))
    out = out | ((kind == res.TARGET_3D) & ((deep < 0) | (deep > top)))
    cubes = kind == res.TARGET_CUBE_ARRAY
    deep = one_of(b, kind, (res.TARGET_2D_ARRAY, res.TARGET_2D_MS_ARRAY))
    out = out | ((deep | cubes) & (call.depth > layers))
    out = out | (cubes & (b.cast(call.depth, u32) % 6 != 0))
    return out | ((cubes | (kind == res.TARGET_CUBE)) & (call.width != call.height))


@kernel(boolean, (CALL, u32), noinline=True)
def too_much(b: Builder, call: ImageCall, bytes_: Value) -> Value:
    """Whether an image of so many bytes a texel is more than any resource can hold."""
    pixels = b.cast(b.cast(call.width, u32), u64) * b.cast(b.cast(call.height, u32), u64)
    # each size is at most 16384 here, so the product of three and 16 fits
    total = pixels * b.cast(b.cast(call.depth, u32), u64) * b.cast(bytes_, u64)
    return total > res.MAX_BYTES // 2


def negative(call: Any) -> Any:
    return (call.width < 0) | (call.height < 0) | (call.depth < 0)


# -- formats ---------------------------------------------------------------------------------------


def pair_error(b: Builder, call: Any) -> Value:
    """The error of format and type; 0: they go together."""
    f, t = b.min(call.format_number, len(FORMATS)), b.min(call.type_number, len(TYPES))
    return b.cast(b.table(u16, _ERRORS)[f * (len(TYPES) + 1) + t], u32)


def bad_pair(b: Builder, call: Any) -> None:
    error = pair_error(b, call)
    with b.If(error != 0, likely=False):
        b.Return(error)


def format_class(b: Builder, call: Any) -> Any:
    """CLASS_* of the (known) format."""
    table = b.table(u8, [_FORMAT_CLASSES[row.kind] for row in FORMATS])
    return b.cast(table[call.format_number], u32)


def format_is_integer(b: Builder, call: Any) -> Any:
    return b.table(u8, [int(row.kind == "integer") for row in FORMATS])[call.format_number] != 0


def formats_part(b: Builder, call: Any, row: Operand) -> Any:
    """Whether one is colour and the other is not, or one has depths. The peer takes colours for
    stencil values."""
    have, given = of_row(b, row, CLASSES), format_class(b, call)
    deep = (have == CLASS_DEPTH) | (have == CLASS_BOTH)
    given_deep = (given == CLASS_DEPTH) | (given == CLASS_BOTH)
    return ((have == CLASS_COLOR) & (given != CLASS_COLOR)) | (deep != given_deep)


def integers_part(b: Builder, call: Any, row: Operand) -> Any:
    """Whether one has whole numbers and the other has not."""
    return (of_row(b, row, INTEGER) != 0) != format_is_integer(b, call)


def depth_in_volume(b: Builder, call: Any) -> Any:
    """Whether depths or stencil values would be in a 3D texture."""
    volume = kind_of(b, call) == res.TARGET_3D
    return volume & (of_row(b, call.row, CLASSES) != CLASS_COLOR)


def uncompressible(b: Builder, call: Any, row: Operand) -> Any:
    """The error of blocks in the call's target; 0: it can have them."""
    kind = kind_of(b, call)
    no = one_of(b, kind, (res.TARGET_1D, res.TARGET_RECT, res.TARGET_1D_ARRAY))
    no = no | ((kind == res.TARGET_3D) & (of_row(b, row, VOLUMES) == 0))
    no = no & (of_row(b, row, GENERIC) == 0)
    return b.select(no, b.const(u32, ENUM), 0)


# -- targets and objects ---------------------------------------------------------------------------


def bad_target(b: Builder, call: Any, allowed: Any, multisample: bool = False) -> None:
    """GL_INVALID_ENUM for a target that the entry point has not. `allowed(row, dims)` says which it
    has, of those with several samples or of the others."""
    bad(b, call.at >= len(TARGETS), ENUM)
    masks = [
        sum(1 << dims for dims in (1, 2, 3) if allowed(row, dims))
        * (row.multisample == multisample)
        for row in TARGETS
    ]
    out = (of_target(b, call, masks) >> call.dims) & 1
    bad(b, out == 0, ENUM)


def of_dims(row: Any, dims: int) -> bool:
    """Targets of glTexSubImage."""
    return row.dims == dims and not row.whole and not row.proxy


def image_of(b: Builder, call: Any) -> Any:
    """The object's image of the call's face and level."""
    face = of_target(b, call, [row.face for row in TARGETS])
    at = face * MAX_TEXTURE_LEVELS + b.cast(call.level, u32)
    return call.object.images + at


def exists(image: Any) -> Any:
    """Whether there is an image (of whatever size)."""
    return image.internal_format != 0


@kernel(boolean, (CALL, IMAGE), noinline=True)
def box_beyond(b: Builder, call: ImageCall, image: TextureImage) -> Value:
    """Whether a box is not within an image."""
    out = b.const(boolean, 0)
    for at, size, whole in (("x", "width", "width"), ("y", "height", "height"),
                            ("z", "depth", "depth")):  # fmt: skip
        start, count = b.cast(getattr(call, at), i64), b.cast(getattr(call, size), i64)
        out = out | (start < 0) | (start + count > b.cast(getattr(image, whole), i64))
    return out


@kernel(boolean, (CALL, IMAGE), noinline=True)
def blocks_cut(b: Builder, call: ImageCall, image: TextureImage) -> Value:
    """Whether a box begins or ends within blocks of a compressed image."""
    out = b.const(boolean, 0)
    for at, size, whole, blocks in (
        (call.x, call.width, image.width, BLOCK_WIDTHS),
        (call.y, call.height, image.height, BLOCK_HEIGHTS),
    ):
        block = b.cast(of_row(b, image.row, blocks), i32)
        out = out | (at % block != 0) | ((size % block != 0) & (at + size != b.cast(whole, i32)))
    return out


# -- what the calls check --------------------------------------------------------------------------


def bad_border(b: Builder, ctx: GLContext, call: Any) -> None:
    """Borders are of the compatibility profile alone (OpenGL 3.1, E.2)."""
    bad(b, (call.border != 0) & (ctx.api != COMPAT), VALUE)
    rect = of_target(b, call, [row.size for row in TARGETS]) == SIZE_RECT
    bad(b, (call.border < 0) | (call.border > 1) | (rect & (call.border != 0)), VALUE)


def bad_blocks(b: Builder, call: Any) -> None:
    """Of what makes an image of texels: where that is of blocks, whether it can be."""
    with b.If(of_row(b, call.row, COMPRESSED) != 0):
        error = uncompressible(b, call, call.row)
        with b.If(error != 0):
            b.Return(error)
        bad(b, of_row(b, call.row, GIVEN) != 0, OPERATION)
        bad(b, call.border != 0, OPERATION)


def bad_part_of_blocks(b: Builder, call: Any, image: Any) -> None:
    """The same of what makes a part of an image."""
    with b.If(of_row(b, image.row, COMPRESSED) != 0):
        bad(b, of_row(b, image.row, GIVEN) != 0, OPERATION)
        bad(b, blocks_cut(b, call, image), OPERATION)


@kernel(u32, (CTX, CALL), noinline=True)
def check_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glTexImage, but for its object and the sizes."""
    bad_target(b, call, lambda row, dims: row.dims == dims and (row.proxy or not row.whole))
    bad(b, level_beyond(b, ctx, call), VALUE)
    bad_border(b, ctx, call)
    bad(b, negative(call), VALUE)
    with b.If(is_es(ctx), likely=False):
        bad(b, ~known(call), VALUE)
        bad(b, of_row(b, call.row, BLOCKS_ALONE) != 0, VALUE)
        bad(b, unnamed(call), ENUM)
        bad(b, call.combination == NOT_KNOWN, OPERATION)
    with b.Else():
        bad_pair(b, call)
        bad(b, ~known(call), VALUE)
    bad(b, formats_part(b, call, call.row), OPERATION)
    bad(b, depth_in_volume(b, call), OPERATION)
    bad_blocks(b, call)
    bad(b, integers_part(b, call, call.row), OPERATION)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def check_sub_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glTexSubImage; the object is known."""
    bad(b, level_beyond(b, ctx, call), VALUE)
    bad(b, negative(call), VALUE)
    image = image_of(b, call)
    bad(b, ~exists(image), OPERATION)
    with b.If(is_es(ctx), likely=False):
        bad(b, unnamed(call), ENUM)
        bad(b, b.call(combination_of, ctx, call, image.row) == NOT_KNOWN, OPERATION)
    with b.Else():
        bad_pair(b, call)
    bad(b, formats_part(b, call, image.row), OPERATION)
    bad(b, box_beyond(b, call, image), VALUE)
    bad_part_of_blocks(b, call, image)
    bad(b, integers_part(b, call, image.row), OPERATION)
    return b.const(u32, 0)


def block_bytes(b: Builder, call: Any, row: Operand) -> Any:
    """Bytes (u64) of the blocks of a box."""
    from pydri.pipe.format import BY_NAME

    sizes = [BY_NAME[r.formats[0]].bytes if r.compressed else 0 for r in ROWS]
    wide, high = of_row(b, row, BLOCK_WIDTHS), of_row(b, row, BLOCK_HEIGHTS)
    across = (b.cast(call.width, u32) + wide - 1) // wide
    down = (b.cast(call.height, u32) + high - 1) // high
    blocks = b.cast(across, u64) * b.cast(down, u64) * b.cast(b.cast(call.depth, u32), u64)
    return blocks * b.cast(of_row(b, row, sizes), u64)


@kernel(u32, (CTX, CALL), noinline=True)
def check_compressed(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCompressedTexImage, but for its object and the sizes."""
    bad_target(b, call, lambda row, dims: row.dims == dims and (row.proxy or not row.whole))
    bad(b, ~known(call), ENUM)
    blocks = (of_row(b, call.row, COMPRESSED) != 0) & (of_row(b, call.row, GENERIC) == 0)
    bad(b, ~blocks, ENUM)
    error = uncompressible(b, call, call.row)
    with b.If(error != 0):
        b.Return(error)
    bad(b, level_beyond(b, ctx, call), VALUE)
    bad(b, (call.border != 0) & is_es(ctx), VALUE)
    bad(b, call.border != 0, OPERATION)
    bad(b, negative(call), VALUE)
    size = b.cast(b.cast(call.size, u32), u64)
    bad(b, (call.size < 0) | (block_bytes(b, call, call.row) != size), VALUE)
    bad(b, misplaced(b, ctx.raw.unpack, ctx.raw.unpack_blocks, call.dims), OPERATION)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def check_compressed_sub(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCompressedTexSubImage; the object is known. Its `format` is an internal format."""
    row = b.cast(b.call(_internal, ctx, call.format), u32)
    bad(b, row >= len(ROWS), ENUM)
    blocks = (of_row(b, row, COMPRESSED) != 0) & (of_row(b, row, GENERIC) == 0)
    bad(b, ~blocks, ENUM)
    kind = kind_of(b, call)
    bad(b, one_of(b, kind, (res.TARGET_1D, res.TARGET_RECT, res.TARGET_1D_ARRAY)), ENUM)
    bad(b, (kind == res.TARGET_3D) & (of_row(b, row, VOLUMES) == 0), OPERATION)
    bad(b, level_beyond(b, ctx, call), VALUE)
    image = image_of(b, call)
    bad(b, ~exists(image), OPERATION)
    bad(b, negative(call), VALUE)
    bad(b, of_row(b, image.row, [r.answer for r in ROWS]) != call.format, OPERATION)
    bad(b, (call.size < 0) | (block_bytes(b, call, row) != b.cast(b.cast(call.size, u32), u64)),
        VALUE)  # fmt: skip
    bad(b, misplaced(b, ctx.raw.unpack, ctx.raw.unpack_blocks, call.dims), OPERATION)
    bad(b, box_beyond(b, call, image), VALUE)
    bad(b, blocks_cut(b, call, image), OPERATION)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def check_get(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glGetTexImage; the object is known. `call.image` becomes null where there is nothing to get,
    which is no error."""
    bad(b, level_beyond(b, ctx, call), VALUE)
    bad_pair(b, call)
    image = image_of(b, call)
    call.image = image
    with b.If(~exists(image) | (image.width == 0) | (image.height == 0) | (image.depth == 0)):
        call.image = b.const(IMAGE, None)
        b.Return(0)
    index = b.table(u8, [int(row.kind == "index") for row in FORMATS])[call.format_number] != 0
    bad(b, index, ENUM)
    need, have = format_class(b, call), of_row(b, image.row, CLASSES)
    both = have == CLASS_BOTH
    good = (need == have) | (both & ((need == CLASS_DEPTH) | (need == CLASS_STENCIL)))
    bad(b, ~good, OPERATION)
    bad(b, integers_part(b, call, image.row), OPERATION)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def check_storage(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glTexStorage, but for its object and the sizes; `call.level` is how many levels."""
    bad_target(b, call, lambda row, dims: row.dims == dims and (row.whole or row.enum == row.object
                                                                or bool(row.proxy)))
    sized = [int(is_sized(row)) for row in ROWS]
    bad(b, ~known(call), ENUM)
    bad(b, of_row(b, call.row, sized) == 0, ENUM)
    bad(b, (call.width < 1) | (call.height < 1) | (call.depth < 1), VALUE)
    with b.If(of_row(b, call.row, COMPRESSED) != 0):
        error = uncompressible(b, call, call.row)
        with b.If(error != 0):
            b.Return(error)
    bad(b, call.level < 1, VALUE)
    bad(b, b.cast(call.level, u32) > b.call(image_levels, ctx, call), OPERATION)
    bad(b, b.cast(call.level, u32) > b.call(levels_of_size, call), OPERATION)
    bad(b, depth_in_volume(b, call), OPERATION)
    return b.const(u32, 0)


def is_sized(row: Any) -> bool:
    """Whether an internal format says how many bits it has (glTexStorage takes those alone)."""
    if row.enum <= 4:
        return True
    words = [name for name in sorted(constants_of(vars(gl))) if name.startswith("GL_")]
    names = [name for name in words if getattr(gl, name) == row.enum]
    if row.compressed:
        return bool(row.answer == row.enum)
    return any(any(c.isdigit() for c in name) for name in names)


@kernel(u32, (CALL,), noinline=True)
def levels_of_size(b: Builder, call: ImageCall) -> Value:
    """How many levels a whole chain from the call's sizes has; layers do not count."""
    kind = kind_of(b, call)
    most = b.var(i32, call.width)
    flat = (kind == res.TARGET_1D) | (kind == res.TARGET_1D_ARRAY) | (kind == res.TARGET_CUBE)
    with b.If(~flat):
        most.value = b.max(most.value, call.height)
    with b.If(kind == res.TARGET_3D):
        most.value = b.max(most.value, call.depth)
    levels = b.const(u32, 32) - b.clz(b.cast(most.value, u32))
    return b.select(kind == res.TARGET_RECT, b.const(u32, 1), levels)


__all__ = [
    "CALL", "CLASSES", "CLASS_COLOR", "CLASS_DEPTH", "ENUM", "IMAGE", "OBJECT", "OPERATION",
    "SIZE_2D", "VALUE", "bad", "bad_target", "block_bytes", "check_compressed",
    "check_compressed_sub", "check_get",
    "check_image", "check_storage", "check_sub_image", "exists", "format_class", "image_levels",
    "image_numbers", "image_of", "is_multisample", "is_sized", "kind_of", "level_beyond",
    "levels_of_size", "of_dims", "of_row", "of_target", "sizes_beyond", "too_much",
]  # fmt: skip
