# SPDX-License-Identifier: MIT
"""Texels in registers: from memory to four vectors of numbers and back, emitted from a format's
row (pydri/pipe/format.py).

In memory a texel lies as its row says. In registers it is first one u32 vector a channel (the
bits as they are: `load`, `split`), then r, g, b, a (`decode`): f32 for formats with fractions and
floats, u32 and i32 for whole numbers; of depth and stencil [f32 depth, u32 stencil]. `encode`,
`join` and `store` go back. Vectors have any number of lanes that is a power of two; all lanes of a
value are texels that lie side by side, but `split` and `decode` do not mind where they came from.

Rounding (GL 4.6, 2.3.5): what is stored is the nearest number, of two as near the greater one (of
signed fractions the even one), as the peer has it; out of range is clamped, NaN is the least.
Floats of 16 bits round to nearest even, those of 10 and 11 bits are cut off as the peer's are, a
shared exponent rounds halves up (EXT_texture_shared_exponent). sRGB: pydri/pipe/srgb.py. Only exact
arithmetic: the same bits for every vector width.

What pydri/pipe/format_numpy.py says is the definition. Mesa: util/format, gallivm's
lp_bld_format_soa.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.types import Scalar, f16, f32, f64, i32, i64, u8, u16, u32
from pydri.pipe import srgb

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.format import Format

F9_MAX = 65408.0
F11_MAX, F10_MAX = 65024.0, 64512.0
#: by bits
UNSIGNED = {8: u8, 16: u16, 32: u32}


def lanes_of(v: Value) -> int:
    """How many lanes a value has."""
    return int(getattr(v.ty, "lanes", 1))


# -- numbers ---------------------------------------------------------------------------------------


def fraction(b: Builder, number: Value, bits: int) -> Value:
    """Integers (i32) divided by 2^bits - 1, in f32, without a division: x / 2^n is exact, and what
    is missing is that times 1 / (2^n - 1). The same bits as the division for all integers of up to
    16, and of 24 bits (tests/unit/st/test_pixel_rows.py)."""
    assert bits <= 16 or bits == 24
    part = b.cast(number, f32) * 2.0**-bits
    missing = 1.0 / ((1 << bits) - 1)
    if b.module.width > 128:  # one instruction, and its one rounding gives the same bits
        return b.fma(part, missing, part)
    return part + part * missing


def small_float(b: Builder, bits: Value, mantissa: int) -> Value:
    """An unsigned float of 5 bits of exponent (u32) as f32."""
    exponent = bits >> mantissa
    rest = bits & ((1 << mantissa) - 1)
    normal = (bits << (23 - mantissa)) + (112 << 23)
    special = (rest << (23 - mantissa)) | 0x7F800000
    tiny = b.cast(b.cast(rest, i32), f32) * (2.0 ** -(14 + mantissa))
    out = b.bitcast(b.select(exponent == 31, special, normal), f32)
    return b.select(exponent == 0, tiny, out)


def to_small_float(b: Builder, v: Value, mantissa: int) -> Value:
    """f32 to an unsigned float of 5 bits of exponent: negative is 0, too large the largest; the
    rest is cut off."""
    top = {6: F11_MAX, 5: F10_MAX}[mantissa]
    bits = b.bitcast(v, u32)
    low = b.max(v, 0.0)  # NaN gives 0 here and is put back below
    normal = (b.bitcast(b.min(low, top), u32) - (112 << 23)) >> (23 - mantissa)
    tiny = b.cast(b.cast(low * 2.0 ** (14 + mantissa), i32), u32)
    out = b.select(low < 2.0**-14, tiny, normal)
    out = b.select(bits == 0x7F800000, 31 << mantissa, out)
    return b.select(v != v, 31 << mantissa | 1, out)


def shared_exponent(b: Builder, channels: list[Value]) -> list[Value]:
    """Three mantissas of 9 bits and an exponent of 5 (u32) as three f32."""
    # 2^(exponent - 15 - 9): its bits
    scale = b.bitcast((channels[3] + (127 - 24)) << 23, f32)
    return [b.cast(b.cast(v, i32), f32) * scale for v in channels[:3]]


def to_shared_exponent(b: Builder, rgb: list[Value]) -> list[Value]:
    """Three f32 as mantissas and exponent (EXT_texture_shared_exponent, 3.8.1)."""
    rgb = [b.min(b.max(v, 0.0), F9_MAX) for v in rgb[:3]]
    most = b.max(b.max(rgb[0], rgb[1]), rgb[2])
    power = b.cast(b.bitcast(most, u32) >> 23, i32) - 127
    exponent = b.max(power, -16) + 16

    def scale(shared: Value) -> Value:
        # 1 / 2^(shared - 24): its bits
        return b.bitcast(b.cast((127 + 24) - shared, u32) << 23, f32)

    carried = b.floor(most * scale(exponent) + 0.5) == 512.0
    exponent = b.select(carried, exponent + 1, exponent)
    down = scale(exponent)
    mantissas = [b.cast(b.cast_fast(b.floor(v * down + 0.5), i32), u32) for v in rgb]
    return [*mantissas, b.cast(exponent, u32)]


def unorm(b: Builder, v: Value, bits: int) -> Value:
    """Floats (f32, f64) clamped to [0, 1] as whole numbers (u32) of `bits` bits, nearest."""
    top = float((1 << bits) - 1)
    if bits <= 16:
        return b.bitcast(b.cast_fast(b.clamp(v, 0.0, 1.0) * top + 0.5, i32), u32)
    wide = b.clamp(b.cast(v, f64), 0.0, 1.0) * top + 0.5
    return b.cast(b.cast_fast(wide, i32 if bits < 32 else i64), u32)


def snorm(b: Builder, v: Value, bits: int) -> Value:
    """Floats clamped to [-1, 1] as whole numbers (u32, two's complement) of `bits` bits."""
    top = float((1 << bits - 1) - 1)
    if bits <= 16:
        out = b.bitcast(b.round_to_int(b.clamp(v, -1.0, 1.0) * top), u32)
        return out & ((1 << bits) - 1)
    wide = b.round_even(b.clamp(b.cast(v, f64), -1.0, 1.0) * top)
    return b.bitcast(b.cast_fast(wide, i32), u32)


def _signed(b: Builder, raw: Value, bits: int) -> Value:
    value = b.bitcast(raw, i32)
    return value if bits == 32 else (value << (32 - bits)) >> (32 - bits)


def _to_integer(b: Builder, v: Value, kind: str, bits: int) -> Value:
    """Whole numbers (u32, i32) clamped to what a channel holds."""
    given_signed = v.elem.kind == "i"
    top = (1 << bits - (kind == "si")) - 1
    if kind == "ui":
        v = b.bitcast(b.max(v, 0), u32) if given_signed else v
        return v if bits == 32 else b.min(v, top)
    if given_signed:
        v = v if bits == 32 else b.max(b.min(v, top), -top - 1)
        return b.bitcast(v, u32) if bits == 32 else b.bitcast(v, u32) & ((1 << bits) - 1)
    return b.min(v, top)


def channel_to_number(b: Builder, raw: Value, kind: str, bits: int) -> Value:
    """The bits of a channel (u32) as the number that they mean."""
    if kind == "un":
        if bits <= 16 or bits == 24:
            return fraction(b, b.bitcast(raw, i32), bits)
        return b.cast(b.cast(raw, f64) * (1.0 / ((1 << bits) - 1)), f32)
    if kind == "sn":
        value = _signed(b, raw, bits)
        if bits == 32:  # in f64 a product is near enough to round to the same f32
            out = b.cast(b.cast(value, f64) * (1.0 / ((1 << 31) - 1)), f32)
        else:
            out = fraction(b, value, bits - 1)
        return b.max(out, -1.0)
    if kind == "f" and bits == 32:
        return b.bitcast(raw, f32)
    if kind == "f" and bits == 16:
        return b.cast(b.bitcast(b.cast(raw, u16), f16), f32)
    if kind == "f":
        return small_float(b, raw, bits - 5)
    if kind == "si":
        return _signed(b, raw, bits)
    assert kind in ("ui", "us"), kind
    return raw


def number_to_channel(b: Builder, v: Value, kind: str, bits: int) -> Value:
    """A number as the bits of a channel (u32, none above)."""
    if kind == "un":
        return unorm(b, v, bits)
    if kind == "sn":
        return snorm(b, v, bits)
    if kind == "f" and bits == 32:
        return b.bitcast(b.cast(v, f32), u32)
    if kind == "f" and bits == 16:
        return b.cast(b.bitcast(b.cast(b.cast(v, f32), f16), u16), u32)
    if kind == "f":
        return to_small_float(b, v, bits - 5)
    if kind == "us":  # the stencil value of a depth and stencil format
        return v & ((1 << bits) - 1)
    return _to_integer(b, v, kind, bits)


# -- channels --------------------------------------------------------------------------------------


def places(fmt: Format) -> list[tuple[str, int, int]]:
    """(type, bits, first bit) of each channel of a texel."""
    out, shift = [], 0
    for kind, bits in fmt.channels:
        out.append((kind, bits, shift))
        shift += bits
    return out


def padding(fmt: Format) -> int:
    """Bits of a texel that belong to no channel and are written as ones, so that X sees opaque
    pixels; those of formats that are no windows' are zero."""
    if fmt.kind not in ("unorm", "srgb") or fmt.bits > 32:
        return 0
    return sum(((1 << bits) - 1) << shift for kind, bits, shift in places(fmt) if kind == "x")


def split(b: Builder, fmt: Format, word: Value) -> list[Value]:
    """Channels (u32) of texels of at most 32 bits (u32)."""
    out = []
    for _, bits, shift in places(fmt):
        raw = word >> shift if shift else word
        # bits above the texel are zero, so the last channel needs no mask
        out.append(raw if shift + bits == fmt.bits else raw & ((1 << bits) - 1))
    return out


def join(b: Builder, fmt: Format, raw: list[Value | None]) -> Value:
    """Texels of at most 32 bits (u32) of their channels; None: padding."""
    out: Value | None = None
    for (_, _, shift), value in zip(places(fmt), raw, strict=True):
        if value is not None:
            part = value << shift if shift else value
            out = part if out is None else out | part
    assert out is not None, "a format has channels"
    return out | padding(fmt) if padding(fmt) else out


def is_word(fmt: Format) -> bool:
    """Whether a texel is one word of 8, 16 or 32 bits."""
    return fmt.bits in UNSIGNED


def load(b: Builder, fmt: Format, place: Pointer, lanes: int) -> list[Value]:
    """Channels (u32) of `lanes` texels that lie side by side, at any alignment."""
    if is_word(fmt):
        ty = UNSIGNED[fmt.bits]
        word = b.bytes_from(place, 0, ty).load(ty.vec(lanes), align=1)
        return split(b, fmt, b.cast(word, u32))
    element, count = _elements(fmt)
    base = b.bytes_from(place, 0, element)
    size = 1 << (count - 1).bit_length()  # LLVM likes vectors of a power of two
    parts = [(base + lanes * n).load(element.vec(lanes), align=1) for n in range(count)]
    parts += [parts[-1]] * (size - count)
    while len(parts) > 1:
        parts = [
            b.shuffle(parts[n], parts[n + 1], list(range(2 * lanes_of(parts[n]))))
            for n in range(0, len(parts), 2)
        ]
    planes = [
        b.cast(b.shuffle(parts[0], None, [n * count + c for n in range(lanes)]), u32)
        for c in range(count)
    ]
    return _channels_of(fmt, element, planes)


def _elements(fmt: Format) -> tuple[Scalar, int]:
    """The element of a texel that is no word, and how many there are."""
    if any(bits not in UNSIGNED for _, bits in fmt.channels):
        return u32, fmt.bits // 32
    element = UNSIGNED[fmt.channels[0][1]]
    return element, fmt.bits // element.bits


def _channels_of(fmt: Format, element: Scalar, planes: list[Value]) -> list[Value]:
    out = []
    for _, bits, shift in places(fmt):
        word = planes[shift // element.bits]
        at = shift % element.bits
        word = word >> at if at else word
        whole = bits + at == element.bits
        out.append(word if whole else word & ((1 << bits) - 1))
    return out


def store(b: Builder, fmt: Format, place: Pointer, raw: list[Value | None]) -> None:
    """Put texels side by side, of channels (u32; None: padding), at any alignment."""
    some = next(v for v in raw if v is not None)
    lanes = lanes_of(some)
    if is_word(fmt):
        ty = UNSIGNED[fmt.bits]
        b.bytes_from(place, 0, ty).store(b.cast(join(b, fmt, raw), ty), align=1)
        return
    element, narrow = _planes_of(b, fmt, raw, lanes)
    for n, part in enumerate(interleave(b, narrow)):
        (b.bytes_from(place, 0, element) + lanes * n).store(part, align=1)


def _planes_of(
    b: Builder, fmt: Format, raw: list[Value | None], lanes: int
) -> tuple[Scalar, list[Value]]:
    """The elements of texels that are no words, one vector each."""
    element, count = _elements(fmt)
    planes: list[Value | None] = [None] * count
    for (_, _, shift), value in zip(places(fmt), raw, strict=True):
        if value is not None:
            n, at = divmod(shift, element.bits)
            part = value << at if at else value
            old = planes[n]
            planes[n] = part if old is None else old | part
    zero = b.splat(b.const(u32, 0), lanes)
    return element, [b.cast(zero if v is None else v, element) for v in planes]


def gather(b: Builder, fmt: Format, base: Pointer, place: Value, mask: Value) -> list[Value]:
    """r, g, b, a of texels at places in bytes (i32), of the lanes of the mask; those of others are
    what zeros mean."""
    if is_word(fmt):
        word = b.gather(base, place, mask, UNSIGNED[fmt.bits], scale=1)
        return decode(b, fmt, split(b, fmt, b.cast(word, u32)))
    element, count = _elements(fmt)
    planes = [
        b.cast(b.gather(base, place + n * element.size, mask, element, scale=1), u32)
        for n in range(count)
    ]
    return decode(b, fmt, _channels_of(fmt, element, planes))


def scatter(
    b: Builder, fmt: Format, base: Pointer, place: Value, rgba: list[Value], mask: Value
) -> None:
    """Write r, g, b, a at places in bytes (i32), of the lanes of the mask."""
    raw = encode(b, fmt, rgba)
    if is_word(fmt):
        word = b.cast(join(b, fmt, raw), UNSIGNED[fmt.bits])
        b.scatter(base, place, word, mask, scale=1)
        return
    element, planes = _planes_of(b, fmt, raw, lanes_of(place))
    for n, part in enumerate(planes):
        b.scatter(base, place + n * element.size, part, mask, scale=1)


def interleave(b: Builder, planes: list[Value]) -> list[Value]:
    """One to four planes as as many vectors in texel order: the first elements of all planes, then
    the second ones, ..."""
    n, lanes = len(planes), lanes_of(planes[0])
    if n == 1:
        return planes
    out = []
    for first in range(0, n * lanes, lanes):
        at = [divmod(first + i, n) for i in range(lanes)]  # (texel, plane)
        halves = [
            b.shuffle(
                planes[k],
                planes[min(k + 1, n - 1)],
                [p + lanes * (c > k) if k <= c < k + 2 else 0 for p, c in at],
            )
            for k in range(0, n, 2)
        ]
        blend = [i + lanes * (c > 1) for i, (_, c) in enumerate(at)]
        out.append(halves[0] if n == 2 else b.shuffle(halves[0], halves[1], blend))
    return out


# -- r, g, b, a ------------------------------------------------------------------------------------


def zs_channels(fmt: Format) -> tuple[int | None, int | None]:
    """Which channels depth and stencil are."""
    depth, stencil = fmt.swizzle[0], fmt.swizzle[1:2]
    return (int(depth) if depth != "z" else None, int(stencil) if stencil else None)


def number_type(fmt: Format) -> Scalar:
    """The type of r, g, b, a: f32, u32 or i32."""
    return {"uint": u32, "sint": i32}.get(fmt.kind, f32)


def decode(b: Builder, fmt: Format, raw: list[Value]) -> list[Value]:
    """r, g, b, a of channels; of depth and stencil formats depth (f32) and stencil (u32), 0 where
    there is none."""
    lanes = lanes_of(raw[0])
    if fmt.kind == "zs":
        return _decode_zs(b, fmt, raw, lanes)
    ty = number_type(fmt)
    numbers: dict[str, Value] = {}
    if fmt.kind == "shared":
        numbers = {str(n): v for n, v in enumerate(shared_exponent(b, raw))}
    out = []
    for n, c in enumerate(fmt.swizzle):
        if c in "zo":
            out.append(_constant(b, ty, int(c == "o"), lanes))
            continue
        kind, bits = fmt.channels[int(c)]
        if fmt.srgb and n < 3:
            key = c + "s"
            if key not in numbers:
                numbers[key] = srgb.decode(b, b.bitcast(raw[int(c)], i32))
            out.append(numbers[key])
            continue
        if c not in numbers:
            numbers[c] = channel_to_number(b, raw[int(c)], kind, bits)
        out.append(numbers[c])
    return out


def _decode_zs(b: Builder, fmt: Format, raw: list[Value], lanes: int) -> list[Value]:
    depth, stencil = zs_channels(fmt)
    zero, none = _constant(b, f32, 0, lanes), _constant(b, u32, 0, lanes)
    return [
        zero if depth is None else channel_to_number(b, raw[depth], *fmt.channels[depth]),
        none if stencil is None else raw[stencil],
    ]


def _constant(b: Builder, ty: Scalar, number: int, lanes: int) -> Value:
    value = b.const(ty, number)
    return value if lanes == 1 else b.splat(value, lanes)


def sources(fmt: Format) -> list[int | None]:
    """Which of r, g, b, a (0..3) each channel holds: the first that reads it; None: padding."""
    return [
        fmt.swizzle.index(str(n)) if str(n) in fmt.swizzle else None
        for n in range(len(fmt.channels))
    ]


def encode(b: Builder, fmt: Format, rgba: list[Value]) -> list[Value | None]:
    """Channels of r, g, b, a (f32; u32 or i32 for formats of whole numbers); of depth and stencil
    formats of [depth (f32, f64), stencil (u32)]."""
    out: list[Value | None] = [None] * len(fmt.channels)
    if fmt.kind == "zs":
        for which, value in zip(zs_channels(fmt), rgba, strict=True):
            if which is not None:
                out[which] = number_to_channel(b, value, *fmt.channels[which])
        return out
    if fmt.kind == "shared":
        return list(to_shared_exponent(b, rgba))
    for n, (source, (kind, bits)) in enumerate(zip(sources(fmt), fmt.channels, strict=True)):
        if source is None:
            continue
        if fmt.srgb and source < 3:
            out[n] = b.bitcast(srgb.encode(b, rgba[source]), u32)
        else:
            out[n] = number_to_channel(b, rgba[source], kind, bits)
    return out


def fetch(b: Builder, fmt: Format, place: Pointer, lanes: int) -> list[Value]:
    """r, g, b, a (or depth and stencil) of `lanes` texels that lie side by side."""
    return decode(b, fmt, load(b, fmt, place, lanes))


def put(b: Builder, fmt: Format, place: Pointer, rgba: list[Value]) -> None:
    """Store r, g, b, a (or depth and stencil) as texels side by side."""
    store(b, fmt, place, encode(b, fmt, rgba))


__all__ = [
    "F10_MAX", "F11_MAX", "F9_MAX", "channel_to_number", "decode", "encode", "fetch", "fraction",
    "interleave", "is_word", "join", "lanes_of", "load", "number_to_channel",
    "number_type", "padding", "places", "put", "shared_exponent", "small_float", "snorm", "sources",
    "split", "store", "to_shared_exponent", "to_small_float", "unorm", "zs_channels",
]  # fmt: skip
