# SPDX-License-Identifier: MIT
"""Images with palettes (OES_compressed_paletted_texture): what glCompressedTexImage2D makes of it.

In: a palette and the levels of an image, as numbers of its colours of 4 or 8 bits; a level below 0
says how many levels follow. Out: plain images, each as glTexImage2D would have made it. Sizes and
errors are those of the extension. Mesa: main/texcompress_cpal.c, compressed_texture_error_check of
main/teximage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.jit import Kernel, i32, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.rows import row_finder
from pydri.main.textures.image_check import (
    CALL,
    VALUE,
    bad,
    bad_target,
    image_levels,
    image_numbers,
    negative,
    of_dims,
)
from pydri.main.textures.image_store import FREE, MALLOC
from pydri.main.textures.layout import ImageCall
from pydri.main.textures.tables import PALETTES

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

BYTES = ptr(u8)
palette_row = row_finder("palette", PALETTES)


class _Facts(NamedTuple):
    """Of a row of PALETTES, in a kernel."""

    format: Any
    type: Any
    colors: Any  # in the palette
    bytes: Any  # of a colour


def _facts(b: Builder, row: Operand) -> _Facts:
    columns = [[getattr(each, field) for each in PALETTES] for field in _Facts._fields]
    return _Facts(*(b.table(u32, column)[row] for column in columns))


def _level_size(b: Builder, call: Any, level: Operand) -> list[Any]:
    """Width and height (u32) of a level."""
    return [b.max(b.cast(size, u32) >> level, 1) for size in (call.width, call.height)]


def _index_bytes(b: Builder, size: list[Any], colors: Any) -> Any:
    """Bytes (u64) of a level's numbers of colours."""
    texels = b.cast(size[0], u64) * b.cast(size[1], u64)
    return b.select(colors == 16, (texels + 1) >> 1, texels)


@kernel(void, (BYTES, BYTES, BYTES, u64, u32, u32), noinline=True)
def image_unpalette(b: Builder, out: Pointer, palette: Pointer, numbers: Pointer, texels: Value,
                    colors: Value, bytes_: Value) -> None:  # fmt: skip
    """Colours for numbers, of which the first of two lies in the higher bits."""
    with b.For(b.const(u64, 0), texels) as n:
        pair = b.cast(numbers[n >> 1], u32)
        half = b.select((n & 1) == 0, pair >> 4, pair & 15)
        number = b.var(u32, half)
        with b.If(colors != 16):
            number.value = b.cast(numbers[n], u32)
        with b.For(b.const(u32, 0), bytes_) as k:
            out[n * b.cast(bytes_, u64) + b.cast(k, u64)] = palette[number.value * bytes_ + k]


def palette_kernel(do_image: Kernel) -> Kernel:
    """The kernel that does it, by the one of glTexImage."""

    @kernel(u32, (CTX, CALL, u32), noinline=True)
    def do_palette(b: Builder, ctx: GLContext, call: Any, row: Value) -> Value:
        """glCompressedTexImage2D of a palette."""
        bad_target(b, call, of_dims)
        top = b.cast(b.call(image_levels, ctx, call), i32)
        bad(b, (call.level > 0) | (call.level <= 0 - top), VALUE)
        bad(b, call.border != 0, VALUE)
        bad(b, negative(call), VALUE)
        facts = _facts(b, row)
        levels = b.cast(1 - call.level, u32)
        palette = b.cast(facts.colors * facts.bytes, u64)
        need = b.var(u64, palette)
        with b.For(b.const(u32, 0), levels) as level:
            need.value = need.value + _index_bytes(b, _level_size(b, call, level), facts.colors)
        size = b.cast(b.cast(call.size, u32), u64)
        bad(b, (call.size < 0) | (size != need.value), VALUE)
        part = b.array(ImageCall)
        b.memcpy(part.cast(BYTES), call.cast(BYTES), ImageCall.size)
        part.internal, part.format, part.type = facts.format, facts.format, facts.type
        numbers = b.var(BYTES, b.bytes_from(call.pixels, palette, u8))
        alignment, error = ctx.raw.unpack[0], b.var(u32, 0)
        ctx.raw.unpack[0] = 1
        with b.For(b.const(u32, 0), levels) as level:
            sizes = _level_size(b, call, level)
            texels = b.cast(sizes[0], u64) * b.cast(sizes[1], u64)
            part.level = b.cast(level, i32)
            part.width, part.height = (b.cast(size, i32) for size in sizes)
            part.pixels = b.const(BYTES, None)
            image = b.var(BYTES, b.const(BYTES, None))
            with b.If(~is_null(call.pixels)):
                image.value = b.call(MALLOC, texels * b.cast(facts.bytes, u64))
                with b.If(is_null(image.value), likely=False):
                    error.value = gl.GL_OUT_OF_MEMORY
                    b.Break()
                b.call(image_unpalette, image.value, call.pixels, numbers.value, texels,
                       facts.colors, facts.bytes)
                part.pixels = image.value
            b.call(image_numbers, ctx, part)
            error.value = b.call(do_image, ctx, part)
            b.call(FREE, image.value)
            with b.If(error.value != 0, likely=False):
                b.Break()
            step = _index_bytes(b, sizes, facts.colors)
            numbers.value = b.bytes_from(numbers.value, step, u8)
        ctx.raw.unpack[0] = alignment
        return error.value

    return do_palette


__all__ = ["palette_kernel", "palette_row"]
