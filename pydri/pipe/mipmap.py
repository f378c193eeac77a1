# SPDX-License-Identifier: MIT
"""Kernels that make a mipmap level of the one above it (GL 2.1, 3.8.8): a box filter.

Each texel is the mean of the texels that it covers. Where a size is odd it covers two and parts of
a third: of W = 2w + 1 columns, column i has (w - i) / W of column 2i, w / W of the next and
(i + 1) / W of the one after that, so nothing is left out and nothing moves. sRGB is averaged as
light. Means are f32 (f64 of depths), summed in one order; textures of plain bytes with even sizes
take whole numbers: (a + b + c + d + 2) / 4. Of 3D textures slices are averaged, too; layers and
faces are images of their own. Formats of whole numbers, of stencil values, and compressed ones have
no mipmaps of this kind. Mesa: main/mipmap.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydri.jit.fpstate import FLUSHED
from pydri.jit.kernel import Kernel, Module, kernel
from pydri.jit.types import Scalar, boolean, f32, f64, i64, ptr, u8, u16, u32, u64, void
from pydri.pipe.format import Format
from pydri.pipe.resource import TARGET_3D, Level, Resource
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import image_place, refresh_level
from pydri.pipe.texel_table import DEPTH_PART, VALUES
from pydri.pipe.texels import LANES, fetch_kernel, store_kernel

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

SPAN = 64  # texels that are made at a time
#: Floats of these sizes are cut off where they are stored, so a mean whose last bit is lost would
#: be a step of theirs too low: a flat area would get darker from level to level.
CUT_OFF, LIFT = (10, 11), 1.0 + 2.0**-21
_ELEMENTS = {1: u8, 2: u16, 4: u32}


class _Taps(NamedTuple):
    """What a texel covers along one axis: the first, how many (1 to 3), and their weights."""

    first: Value
    number: Value
    weights: Pointer


def _taps(b: Builder, place: Pointer, i: Value, made: Value, given: Value, ty: Scalar) -> _Taps:
    """Taps of texel i of `made`, of `given` texels above; weights are written at `place`."""
    odd, single = (given & 1) == 1, given == made
    size = b.cast(given, ty)
    thirds = [b.cast(made - i, ty) / size, b.cast(made, ty) / size, b.cast(i + 1, ty) / size]
    plain = [b.select(single, b.const(ty, 1.0), 0.5), b.const(ty, 0.5), b.const(ty, 0.0)]
    for n, (x, y) in enumerate(zip(thirds, plain, strict=True)):
        place[n] = b.select(odd & ~single, x, y)
    count = b.select(single, b.const(u32, 1), b.select(odd, b.const(u32, 3), 2))
    return _Taps(b.select(single, i, i * 2), count, place)


def _span_of(b: Builder, x: Value, count: Value, made: Value, given: Value) -> tuple[Value, Value]:
    """First column above, and how many, of `count` texels from x on."""
    single, odd = given == made, given & 1
    return b.select(single, x, x * 2), b.select(single, count, count * 2 + odd)


def _add_row(b: Builder, total: Pointer, row: Pointer, weight: Value, count: Value,
             ty: Scalar) -> None:  # fmt: skip
    """total += weight * row, in whole vectors."""
    with b.For(b.const(u32, 0), count, LANES) as i:
        v = (row + i).load(ty.vec(LANES), align=ty.size) * b.splat(weight, LANES)
        place = total + i
        place.store(place.load(ty.vec(LANES), align=ty.size) + v, align=ty.size)


def _halve(b: Builder, out: Pointer, total: Pointer, count: Value, ty: Scalar, lanes: int) -> None:
    """The means of pairs, in whole vectors."""
    texels = LANES // lanes
    first = [2 * t * lanes + c for t in range(texels) for c in range(lanes)]
    places = [first, [n + lanes for n in first]]
    with b.For(b.const(u32, 0), count, texels) as i:
        low, high = (
            (total + i * (2 * lanes) + LANES * n).load(ty.vec(LANES), align=ty.size) for n in (0, 1)
        )
        one, other = (b.shuffle(low, high, at) for at in places)
        (out + i * lanes).store(one * 0.5 + other * 0.5, align=ty.size)


def _across_kernel(name: str, ty: Scalar, lanes: int) -> Kernel:
    """Texels from totals along a row: out, totals, first, how many, made and given sizes."""

    @kernel(void, (ptr(ty), ptr(ty), u32, u32, u32, u32), name=name, noinline=True)
    def across(b: Builder, out: Pointer, total: Pointer, x: Value, count: Value, made: Value,
               given: Value) -> None:  # fmt: skip
        with b.If(made * 2 == given):
            _halve(b, out, total, count, ty, lanes)
            b.Return()
        kept = b.array(ty, 4, align=64)
        start, _ = _span_of(b, x, count, made, given)
        number = ty.vec(lanes) if lanes > 1 else ty
        with b.For(b.const(u32, 0), count) as i:
            taps = _taps(b, kept, x + i, made, given, ty)
            mean = b.var(number, b.const(number, 0.0))
            with b.For(b.const(u32, 0), taps.number) as n:
                v = (total + (taps.first - start + n) * lanes).load(number, align=ty.size)
                weight = taps.weights[n]
                mean.value = mean.value + v * (b.splat(weight, lanes) if lanes > 1 else weight)
            (out + i * lanes).store(mean.value, align=ty.size)

    return across


_ACROSS = {
    "zs": _across_kernel("mean_of_depths", f64, 1),
    "": _across_kernel("mean_of_colors", f32, 4),
}


def _row_kernel(fmt: Format) -> Kernel:
    """Make a row of a level: of any size, through numbers."""
    depth = fmt.kind == "zs"
    ty, lanes = (f64, 1) if depth else (f32, 4)
    across = _ACROSS["zs" if depth else ""]
    lift = LIFT if any(kind == "f" and bits in CUT_OFF for kind, bits in fmt.channels) else 1.0
    fetch, store = fetch_kernel(fmt, decoded=True), store_kernel(fmt, encoded=True)

    @kernel(void, (ptr(Resource), u32, u32, u32), name=f"mean_{fmt.name}", noinline=True)
    def row(b: Builder, res: Resource, number: Value, z: Value, y: Value) -> None:
        to, come = level_of(res, number), level_of(res, number - 1)
        weights = [b.array(ty, 4, align=64) for _ in range(2)]
        slices = _taps(b, weights[0], z, to.depth, come.depth, ty)
        rows = _taps(b, weights[1], y, to.height, come.height, ty)
        values = b.array(u8, VALUES + 256, align=64)
        total = b.array(ty, lanes * (2 * SPAN + 1) + 2 * LANES, align=64)
        with b.For(b.const(u32, 0), to.width, SPAN) as x:
            count = b.min(to.width - x, SPAN)
            first, taken = _span_of(b, x, count, to.width, come.width)
            b.memset(total, 0, (lanes * (2 * SPAN + 1) + LANES) * ty.size)
            taken_rows, none = rows.number, b.const(u32, 0)
            with b.For(none, slices.number) as k, b.For(none, taken_rows) as n:
                image = image_place(b, res, come, slices.first + k)
                line = b.cast(rows.first + n, u64) * b.cast(come.row_stride, u64)
                place = b.bytes_from(image, line + b.cast(first * fmt.bytes, u64), u8)
                b.call(fetch, values, place, taken, DEPTH_PART)
                weight = slices.weights[k] * rows.weights[n] * lift
                _add_row(b, total, values.cast(ptr(ty)), weight, taken * lanes, ty)
            b.call(across, values.cast(ptr(ty)), total, x, count, to.width, come.width)
            image = image_place(b, res, to, z)
            line = b.cast(y, u64) * b.cast(to.row_stride, u64) + b.cast(x * fmt.bytes, u64)
            b.call(store, values, b.bytes_from(image, line, u8), count, DEPTH_PART)

    return row


def _bytes_row(b: Builder, fmt: Format, to: Pointer, come: Pointer, stride: Value,
               count: Value) -> None:  # fmt: skip
    """Make a row of texels of bytes of two rows above it, both sizes even."""
    ty = _ELEMENTS[fmt.bytes]
    mask = 0x00FF00FF

    def step(place: Pointer, source: Pointer, below: Pointer) -> None:
        parts = []
        for line in (source, below):
            v = line.cast(ptr(ty)).load(ty.vec(2 * LANES), align=1)
            parts += [b.cast(b.shuffle(v, None, list(range(n, 2 * LANES, 2))), u32) for n in (0, 1)]
        low, high = parts[0] & mask, (parts[0] >> 8) & mask
        for v in parts[1:]:
            low, high = low + (v & mask), high + ((v >> 8) & mask)
        low, high = ((low + 0x00020002) >> 2) & mask, ((high + 0x00020002) >> 2) & mask
        place.cast(ptr(ty)).store(b.cast(low | (high << 8), ty), align=1)

    rest = b.array(u8, 5 * LANES * fmt.bytes, align=64)
    whole = count & -LANES
    with b.For(b.const(i64, 0), whole, LANES) as x:
        source = come + x * (2 * fmt.bytes)
        step(to + x * fmt.bytes, source, source + stride)
    with b.If(whole != count):
        left = (count - whole) * fmt.bytes
        source = come + whole * (2 * fmt.bytes)
        second = rest + 2 * LANES * fmt.bytes
        b.memcpy(rest, source, left * 2)
        b.memcpy(second, source + stride, left * 2)
        out = second + 2 * LANES * fmt.bytes
        step(out, rest, second)
        b.memcpy(to + whole * fmt.bytes, out, left)


def is_bytes(fmt: Format) -> bool:
    """Whether means of a format may be those of its bytes."""
    plain = all(bits == 8 and kind in ("un", "x") for kind, bits in fmt.channels)
    return plain and fmt.kind == "unorm" and fmt.bytes in _ELEMENTS


def can_generate(fmt: Format) -> bool:
    """Whether a format has mipmaps of this kind."""
    if fmt.kind == "zs":
        return fmt.swizzle == "0"
    return fmt.kind in ("unorm", "snorm", "float", "srgb", "shared")


def mipmap_kernel(fmt: Format) -> Kernel:
    """`mipmap_NAME(resource, level)`: all images of a level, of the level above it; with skirts."""
    means = _row_kernel(fmt)

    @kernel(void, (ptr(Resource), u32), name=f"mipmap_{fmt.name}", noinline=True)
    def generate(b: Builder, res: Resource, number: Value) -> None:
        to, come = level_of(res, number), level_of(res, number - 1)
        halved = (res.target == TARGET_3D) & (come.depth > 1)
        even = b.const(boolean, 0)
        if is_bytes(fmt):
            even = ((come.width & 1) == 0) & ((come.height & 1) == 0) & ~halved
        with b.For(b.const(u32, 0), to.depth) as z:
            with b.For(b.const(u32, 0), to.height) as y:
                with b.If(~even):
                    b.call(means, res, number, z, y)
                if is_bytes(fmt):
                    with b.Else():
                        place = _row_place(b, res, to, z, y)
                        source = _row_place(b, res, come, z, y * 2)
                        stride = b.cast(come.row_stride, i64)
                        _bytes_row(b, fmt, place, source, stride, b.cast(to.width, i64))
        b.call(refresh_level, res, number)

    return generate


def _row_place(b: Builder, res: Resource, level: Level, z: Value, y: Value) -> Pointer:
    line = b.cast(y, u64) * b.cast(level.row_stride, u64)
    return b.bytes_from(image_place(b, res, level, z), line, u8)


def module(fmt: Format) -> Module:
    """The module of a format's kernel."""
    assert can_generate(fmt), f"{fmt.name} has no mipmaps"
    return Module(f"mipmap_{fmt.name}", lambda: [mipmap_kernel(fmt)], variant=True, floats=FLUSHED)


__all__ = ["can_generate", "is_bytes", "mipmap_kernel", "module"]
