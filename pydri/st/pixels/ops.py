# SPDX-License-Identifier: MIT
"""Transfer operations on pixels, and surfaces as rows of numbers (GL 2.1, 3.6.5; 4.3.1 to 4.3.3).

In: RGBA floats, depths or indices of a piece of a row (pixels/rows.py), the transfer state of a
context, surfaces that were resolved. Out: the numbers after scale, bias, maps, shift and offset;
pixels of surfaces as numbers, and stencil and depth values put into them. Counterpart of Mesa's
main/pixeltransfer.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import f32, f64, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.pixels.layout import MAX_PIXEL_MAP
from pydri.pipe.format import COLOR_FORMATS as COLOR
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.format_emit import fraction, interleave
from pydri.pipe.native import Surface
from pydri.st.pixels.rows import sweep, wide_type

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

V4 = f32.vec(4)
ZS = tuple(f for f in FORMATS if f.kind == "zs")
_FIRST_MAP = gl.GL_PIXEL_MAP_I_TO_I


def map_table(b: Builder, ctx: GLContext, which: int) -> tuple[Any, Any]:
    """A pixel map: its values and its size."""
    n = which - _FIRST_MAP
    return ctx.pixel.maps + n * MAX_PIXEL_MAP, ctx.raw.pixel_map_size[n]


def colors_stay(b: Builder, ctx: GLContext) -> Any:
    """Whether transfer operations leave colours as they are."""
    raw = ctx.raw
    scale, bias = raw.pixel_scale.load(V4, align=4), raw.pixel_bias.load(V4, align=4)
    changed = (scale != b.const(V4, 1.0)) | (bias != b.const(V4, 0.0))
    return (raw.map_color == 0) & ((b.bits_of(changed) & 15) == 0)


def depth_stays(b: Builder, ctx: GLContext) -> Any:
    """Whether transfer operations leave depths as they are."""
    return (ctx.raw.pixel_scale[4] == 1.0) & (ctx.raw.pixel_bias[4] == 0.0)


def stencil_stays(b: Builder, ctx: GLContext) -> Any:
    """Whether transfer operations leave stencil values as they are."""
    raw = ctx.raw
    return (raw.index_shift == 0) & (raw.index_offset == 0) & (raw.map_stencil == 0)


@kernel(void, (ptr(f32), u32), noinline=True)
def px_clamp(b: Builder, values: Pointer, count: Value) -> None:
    """`count` floats to [0, 1]; NaN becomes 0."""

    def clamp(i: Any, lanes: int) -> None:
        v = (values + i).load(wide_type(f32, lanes), align=4)
        (values + i).store(b.min(b.max(v, 0.0), 1.0), align=4)

    sweep(b, count, clamp)


@kernel(void, (CTX, ptr(f32), u32, u32), noinline=True)
def px_transfer(b: Builder, ctx: GLContext, rgba: Pointer, count: Value, clamp: Value) -> None:
    """Scale, bias and maps, then clamped to [0, 1] (as maps want it in any case)."""
    raw = ctx.raw
    scale, bias = raw.pixel_scale.load(V4, align=4), raw.pixel_bias.load(V4, align=4)
    with b.For(b.const(u32, 0), count) as i:
        place = rgba + i * 4
        place.store(place.load(V4, align=4) * scale + bias, align=4)
    with b.If((clamp != 0) | (raw.map_color != 0)):
        b.call(px_clamp, rgba, count * 4)
    with b.If(raw.map_color != 0, likely=False):
        for c, which in enumerate("RGBA"):
            values, size = map_table(b, ctx, getattr(gl, f"GL_PIXEL_MAP_{which}_TO_{which}"))
            top = b.cast(b.cast(size, i32) - 1, f32)
            with b.For(b.const(u32, 0), count) as i:
                at = b.cast(b.round_even(rgba[i * 4 + c] * top), i32)
                rgba[i * 4 + c] = values[at]


def transfer_depths(b: Builder, ctx: GLContext, depths: Any, ty: Any, count: Any) -> None:
    """Scale and bias of numbers (f32 or f64), then clamped to [0, 1]."""
    scale, bias = b.cast(ctx.raw.pixel_scale[4], ty), b.cast(ctx.raw.pixel_bias[4], ty)

    def move(i: Any, lanes: int) -> None:
        z = (depths + i).load(wide_type(ty, lanes), align=ty.size)
        (depths + i).store(b.min(b.max(z * scale + bias, 0.0), 1.0), align=ty.size)

    sweep(b, count, move)


@kernel(void, (CTX, ptr(i32), u32), noinline=True)
def px_shift(b: Builder, ctx: GLContext, values: Pointer, count: Value) -> None:
    """GL_INDEX_SHIFT and GL_INDEX_OFFSET."""
    shift, offset = ctx.raw.index_shift, ctx.raw.index_offset
    left, right = b.min(b.max(shift, 0), 31), b.min(b.max(0 - shift, 0), 31)
    keep = b.select(shift > 31, b.const(i32, 0), -1)

    def move(i: Any, lanes: int) -> None:
        v = (values + i).load(wide_type(i32, lanes), align=4)
        moved = (v << b.coerce(left, v.ty)) >> b.coerce(right, v.ty)
        (values + i).store((moved & keep) + offset, align=4)

    sweep(b, count, move)


@kernel(void, (CTX, ptr(i32), u32), noinline=True)
def px_transfer_stencil(b: Builder, ctx: GLContext, values: Pointer, count: Value) -> None:
    """Shift, offset and the map."""
    with b.If(stencil_stays(b, ctx)):
        b.Return()
    b.call(px_shift, ctx, values, count)
    with b.If(ctx.raw.map_stencil != 0, likely=False):
        table, size = map_table(b, ctx, gl.GL_PIXEL_MAP_S_TO_S)
        with b.For(b.const(u32, 0), count) as i:
            at = b.cast(values[i], u32) & (size - 1)
            values[i] = b.cast(table[at], i32)


@kernel(void, (CTX, ptr(i32), ptr(f32), u32), noinline=True)
def px_index_colors(b: Builder, ctx: GLContext, values: Pointer, rgba: Pointer,
                    count: Value) -> None:  # fmt: skip
    """Colour indices, shifted already, as RGBA."""
    for c, which in enumerate("RGBA"):
        table, size = map_table(b, ctx, getattr(gl, f"GL_PIXEL_MAP_I_TO_{which}"))
        with b.For(b.const(u32, 0), count) as i:
            at = b.cast(values[i], u32) & (size - 1)
            rgba[i * 4 + c] = table[at]


# -- surfaces --------------------------------------------------------------------------------------


def _fields(row: Format) -> list[tuple[str, int, int]]:
    out, shift = [], 0
    for kind, bits in row.channels:
        out.append((kind, bits, shift))
        shift += bits
    return out


def pixel_place(b: Builder, surface: Any, size: int, x: Any, y: Any) -> Pointer:
    """The address of a pixel (of its first sample) of `size` bytes; x, y: i64 in surface space."""
    pitch, samples = b.cast(surface.stride, i64), b.cast(b.max(surface.samples, 1), i64)
    stamp = (y >> 2) * (pitch * 4) + (x >> 2) * (samples * (16 * size))
    stamps = stamp + (((y & 3) * 4 + (x & 3)) * size)
    return b.bytes_from(
        surface.data, b.select(surface.layout != 0, stamps, y * pitch + x * size), u8
    )


@kernel(void, (ptr(f32), ptr(Surface), i64, i64, u32), noinline=True, noalias=(0,))
def fb_load_rgba(b: Builder, rgba: Pointer, surface: Surface, x: Value, y: Value,
                 count: Value) -> None:  # fmt: skip
    """`count` pixels of a row of a colour surface as RGBA."""
    with b.Switch(surface.format) as s:
        for row in COLOR:
            ty = {16: u16, 32: u32}.get(row.bits)
            if ty is None:
                continue
            with s.Case(row.number):
                place = b.bytes_from(
                    surface.data, y * b.cast(surface.stride, i64) + x * row.bytes, ty
                )
                _unpack_row(b, row, ty, place, rgba, count)


def _unpack_row(b: Builder, row: Format, ty: Any, place: Any, rgba: Any, count: Any) -> None:
    """Words of a colour format as RGBA, 16 pixels a step, then one by one."""
    fields = _fields(row)

    def channels(word: Any, lanes: int) -> list[Any]:
        out = []
        for pick in row.swizzle:
            if pick in "zo":
                one = b.const(f32, 1.0 if pick == "o" else 0.0)
                out.append(one if lanes == 1 else b.splat(one, lanes))
                continue
            _, bits, shift = fields[int(pick)]
            out.append(fraction(b, b.cast((word >> shift) & ((1 << bits) - 1), i32), bits))
        return out

    whole = count & ~15
    with b.For(b.const(u32, 0), whole, 16) as i:
        planes = channels(b.cast((place + i).load(ty.vec(16), align=row.bytes), u32), 16)
        for n, part in enumerate(interleave(b, planes)):
            (rgba + (i * 4 + n * 16)).store(part, align=4)
    with b.For(whole, count) as i:
        for c, v in enumerate(channels(b.cast(place[i], u32), 1)):
            rgba[i * 4 + c] = v


#: by format number: whether fb_load_rgba reads it, as it does what windows have; and its bytes
_OF_WINDOWS = [int(row in COLOR and row.bits in (16, 32)) for row in FORMATS]
_BYTES = [row.bytes for row in FORMATS]


@kernel(void, (CTX, ptr(f32), ptr(Surface), i64, i64, u32), noinline=True)
def fb_load_colors(
    b: Builder, ctx: GLContext, rgba: Pointer, surface: Surface, x: Value, y: Value, count: Value
) -> None:
    """The same of a surface of any format: framebuffer objects have many. Whole numbers are the
    bits of 32-bit integers."""
    format = surface.format
    with b.If(b.table(u8, _OF_WINDOWS)[format] != 0, likely=True):
        b.call(fb_load_rgba, rgba, surface, x, y, count)
        b.Return()
    with b.If(is_null(ctx.pixel.texels)):
        b.call(ctx.pixel.hook_textures, ctx)
    kernels = ctx.pixel.texels + format
    with b.If(is_null(kernels.read), likely=False):
        b.call(ctx.pixel.hook_texels, ctx, format, 0, 0)
    size = b.cast(b.table(u8, _BYTES)[format], i64)
    place = b.bytes_from(surface.data, y * b.cast(surface.stride, i64) + x * size, u8)
    # what is read comes in whole steps: the rest of a row goes through a step of its own
    whole = count & ~15
    with b.If(whole != 0):
        kernels.read(rgba.cast(ptr(u8)), place, whole, 0)
    with b.If(whole != count):
        rest = b.array(f32, 16 * 4, align=64)
        last = b.bytes_from(place, b.cast(whole, i64) * size, u8)
        kernels.read(rest.cast(ptr(u8)), last, count - whole, 0)
        b.memcpy((rgba + whole * 4).cast(ptr(u8)), rest.cast(ptr(u8)),
                 b.cast((count - whole) * 16, u64))


def _read_as(fmt: Format) -> int:
    """Which of red, green, blue, alpha (bits) of a luminance or intensity format is not what is
    sampled: green and blue are 0, and an intensity's alpha is 1."""
    grey = fmt.swizzle[:3] == "000"
    return (6 | 8 * (fmt.swizzle[3] == "0")) if grey else 0


_READ_AS = [_read_as(f) for f in FORMATS]


@kernel(void, (CTX, ptr(f32), ptr(Surface), i64, i64, u32), noinline=True)
def fb_read_colors(
    b: Builder, ctx: GLContext, rgba: Pointer, surface: Surface, x: Value, y: Value, count: Value
) -> None:
    """fb_load_colors as glReadPixels sees it: luminance and intensity are red alone (GL 4.6,
    table 18.2 of the compatibility profile)."""
    b.call(fb_load_colors, ctx, rgba, surface, x, y, count)
    others = b.table(u8, _READ_AS)[surface.format]
    whole = b.table(u8, [int(f.integer) for f in FORMATS])[surface.format] != 0
    one = b.select(whole, b.const(u32, 1), 0x3F800000)
    words = rgba.cast(ptr(u32))
    with b.If(others != 0, likely=False), b.For(b.const(u32, 0), count) as i:
        words[i * 4 + 1] = 0
        words[i * 4 + 2] = 0
        with b.If((others & 8) != 0):
            words[i * 4 + 3] = one


_WORD = {1: u8, 2: u16, 4: u32, 8: u64}


@kernel(void, (ptr(f64), ptr(i32), ptr(Surface), i64, i64, u32), noinline=True, noalias=(0, 1))
def fb_load_zs(b: Builder, depths: Pointer, stencils: Pointer, surface: Surface, x: Value, y: Value,
               count: Value) -> None:
    """Depths and stencil values of a row; what the surface does not have is 0."""
    with b.Switch(surface.format) as s:
        for row in ZS:
            with s.Case(row.number):
                whole = b.var(u32, 0)
                if row.bytes == 4:
                    whole.value = count & ~15
                    _gather_zs(b, row, depths, stencils, surface, x, y, whole.value)
                with b.For(whole.value, count) as i:
                    place = pixel_place(b, surface, row.bytes, x + b.cast(i, i64), y)
                    word = place.cast(ptr(_WORD[row.bytes])).load()
                    depth, stencil = _split(b, row, b.cast(word, u64), 1)
                    depths[i] = depth
                    stencils[i] = stencil


def _split(b: Builder, row: Format, word: Any, lanes: int) -> tuple[Any, Any]:
    """Depth (f64) and stencil value (i32) of words."""

    def wide(v: Value) -> Any:
        return v if lanes == 1 else b.splat(v, lanes)

    depth, stencil = wide(b.const(f64, 0.0)), wide(b.const(i32, 0))
    for kind, bits, shift in _fields(row):
        part = word >> shift if shift else word
        if kind == "f":
            depth = b.cast(b.bitcast(b.cast(part, u32), f32), f64)
        elif kind == "un" and bits < 32:
            depth = b.cast(b.cast(part & ((1 << bits) - 1), i32), f64) * (1.0 / ((1 << bits) - 1))
        elif kind == "un":
            depth = b.cast(part & 0xFFFFFFFF, f64) * (1.0 / ((1 << bits) - 1))
        elif kind == "us":
            stencil = b.cast(part & 0xFF, i32)
    return depth, stencil


def _gather_zs(b: Builder, row: Format, depths: Any, stencils: Pointer, surface: Any, x: Any,
               y: Any, count: Any) -> None:  # fmt: skip
    """Words of four bytes, 16 a step (`count` is a multiple), wherever their stamps lie."""
    v = i32.vec(16)
    stamps = surface.layout != 0
    line = pixel_place(b, surface, row.bytes, b.const(i64, 0), y).cast(ptr(u32))
    step = b.cast(b.max(surface.samples, 1), i32) * 16
    with b.For(b.const(u32, 0), count, 16) as i:
        column = b.splat(b.cast(x, i32) + b.cast(i, i32), 16) + b.iota(v)
        in_stamps = (column >> 2) * b.splat(step, 16) + (column & 3)
        at = b.select(b.splat(stamps, 16), in_stamps, column)
        depth, stencil = _split(b, row, b.gather(line, at), 16)
        (depths + i).store(depth, align=8)
        (stencils + i).store(stencil, align=4)


@kernel(void, (ptr(u32), ptr(f32), ptr(i32), u32, u32), noinline=True)
def px_zs_compose(b: Builder, words: Pointer, depths: Pointer, stencils: Pointer, count: Value,
                  with_depth: Value) -> None:
    """Depths and stencil values as words of Z24_UNORM_S8_UINT; depths only if there is one."""

    def stencil(i: Any, lanes: int) -> Any:
        return b.cast((stencils + i).load(wide_type(i32, lanes), align=4), u32) << 24

    def both(i: Any, lanes: int) -> None:
        z = b.cast((depths + i).load(wide_type(f32, lanes), align=4), f64)
        depth = b.floor(z * float((1 << 24) - 1) + 0.5)
        (words + i).store(stencil(i, lanes) | b.cast(b.cast_fast(depth, i32), u32), align=4)

    with b.If(with_depth == 0):
        sweep(b, count, lambda i, lanes: (words + i).store(stencil(i, lanes), align=4))
        b.Return()
    sweep(b, count, both)


@kernel(void, (ptr(u32), ptr(Surface), i64, i64, u32, u32), noinline=True, noalias=(0,))
def fb_merge_words(b: Builder, words: Pointer, surface: Surface, x: Value, y: Value, count: Value,
                   mask: Value) -> None:  # fmt: skip
    """Put the bits of `mask` of words of four bytes into a row in stamp order, all samples."""
    samples = b.cast(b.max(surface.samples, 1), i64)
    end = x + b.cast(count, i64)
    line = pixel_place(b, surface, 4, b.const(i64, 0), y).cast(ptr(u32))

    def merge(at: Any, lanes: int) -> None:
        ty = wide_type(u32, lanes)
        new = (words + (at - x)).load(ty, align=4) & mask
        first = line + ((at >> 2) * (samples * 16) + (at & 3))
        with b.For(b.const(i64, 0), samples) as sample:
            cell = first + sample * 16
            cell.store((cell.load(ty, align=4 * lanes) & ~mask) | new, align=4 * lanes)

    low = b.min((x + 3) & -4, end)
    high = b.max(end & -4, low)
    with b.For(x, low) as at:
        merge(at, 1)
    with b.For(low, high, 4) as at:
        merge(at, 4)
    with b.For(high, end) as at:
        merge(at, 1)


@kernel(void, (ptr(f32), ptr(i32), ptr(Surface), i64, i64, u32, u32), noinline=True)
def fb_store_zs(b: Builder, depths: Pointer, stencils: Pointer, surface: Surface, x: Value,
                y: Value, count: Value, mask: Value) -> None:  # fmt: skip
    """Put values into a row, all samples of its pixels; mask: bits of the stencil that may change,
    bit 8: depths do."""
    samples = b.max(surface.samples, 1)
    with b.Switch(surface.format) as s:
        for row in ZS:
            ty = _WORD[row.bytes]
            with s.Case(row.number), b.For(b.const(u32, 0), count) as i, \
                    b.For(b.const(u32, 0), samples) as sample:
                place = pixel_place(b, surface, row.bytes, x + b.cast(i, i64), y)
                cell = b.bytes_from(place, sample * (16 * row.bytes), ty)
                word = b.var(u64, b.cast(cell.load(), u64))
                for kind, bits, shift in _fields(row):
                    keep = ~(((1 << bits) - 1) << shift) & ((1 << 64) - 1)
                    if kind in ("f", "un"):
                        z = depths[i]
                        if kind == "f":
                            part = b.cast(b.bitcast(z, u32), u64)
                        else:
                            scaled = b.cast(z, f64) * float((1 << bits) - 1) + 0.5
                            part = b.cast(b.floor(scaled), u64)
                        with b.If((mask & 0x100) != 0):
                            word.value = (word.value & keep) | (part << shift)
                    elif kind == "us":
                        bits_on = b.cast(mask & 0xFF, u64)
                        part = b.cast(b.cast(stencils[i], u32), u64) & bits_on
                        old = word.value & ~(bits_on << shift)
                        word.value = old | (part << shift)
                cell.store(b.cast(word.value, ty))


__all__ = [
    "colors_stay", "depth_stays", "fb_load_colors", "fb_load_rgba", "fb_load_zs", "fb_merge_words",
    "fb_read_colors", "fb_store_zs", "map_table", "px_clamp", "px_index_colors", "px_shift",
    "px_transfer", "px_transfer_stencil", "px_zs_compose", "stencil_stays", "transfer_depths",
]
