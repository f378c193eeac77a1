# SPDX-License-Identifier: MIT
"""Colour formats in registers: 4x4 stamps of a linear surface to and from 16-lane channels.

A stamp is 16 pixels: lanes 0-3 are its top row. Its packed pixels are *words*: one u32 vector for
pixels of up to 32 bits, two or four for wider ones. `load_stamp` gathers the four rows into words,
`unpack` makes four vectors of numbers of them, `pack` goes back with round-to-nearest. Everything
is generated from the format's row in pydri/pipe/format.py. Windows' formats have their own, short
forms here; all others are those of pydri/pipe/format_emit.py. What is sRGB-encoded is decoded and
encoded on the way (srgb.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import x86
from pydri.jit.types import Scalar, f32, i32, u8, u16, u32
from pydri.pipe import format_emit, srgb
from pydri.pipe.format import COLOR_FORMATS, DISPLAY, ZS_FORMATS, Format

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

f32x16 = f32.vec(16)
i32x16 = i32.vec(16)
u32x16 = u32.vec(16)


def pixel_type(fmt: Format) -> Scalar:
    """The unsigned scalar type of one packed pixel, or of a word of a wider one."""
    return {8: u8, 16: u16}.get(fmt.bits, u32)


def word_count(fmt: Format) -> int:
    """Words of a packed pixel."""
    return max(1, fmt.bits // 32)


def _apart(b: Builder, pixels: Value, count: int) -> list[Value]:
    """16 pixels of `count` words side by side as one vector a word."""
    if count == 1:
        return [b.cast(pixels, u32)]
    return [b.shuffle(pixels, None, list(range(n, 16 * count, count))) for n in range(count)]


def _together(b: Builder, fmt: Format, words: list[Value]) -> list[Value]:
    """The inverse of _apart: one vector a row of four pixels."""
    if len(words) == 1:
        narrow = b.cast(words[0], pixel_type(fmt))
        return [b.shuffle(narrow, None, list(range(4 * n, 4 * n + 4))) for n in range(4)]
    count = len(words)
    parts = format_emit.interleave(b, words)
    if count == 4:
        return parts
    # two vectors, of eight pixels each
    halves = list(range(8)), list(range(8, 16))
    return [b.shuffle(parts[n // 2], None, halves[n % 2]) for n in range(4)]


def load_stamp(b: Builder, row0: Pointer, stride: Operand, fmt: Format) -> list[Value]:
    """16 packed pixels of the 4x4 stamp whose first pixel is at `row0`, as words."""
    ty, count = pixel_type(fmt), word_count(fmt)
    lanes = 4 * count
    align = min(64, fmt.bytes * 4)
    rows = [b.bytes_from(row0, stride * n, ty).load(ty.vec(lanes), align=align) for n in range(4)]
    top = b.shuffle(rows[0], rows[1], list(range(2 * lanes)))
    bottom = b.shuffle(rows[2], rows[3], list(range(2 * lanes)))
    return _apart(b, b.shuffle(top, bottom, list(range(4 * lanes))), count)


def store_stamp(
    b: Builder, row0: Pointer, stride: Operand, fmt: Format, words: list[Value]
) -> None:
    """Write all 16 pixels of a stamp."""
    ty = pixel_type(fmt)
    for n, row in enumerate(_together(b, fmt, words)):
        b.bytes_from(row0, stride * n, ty).store(row, align=min(64, fmt.bytes * 4))


def load_samples(b: Builder, place: Pointer, fmt: Format) -> list[Value]:
    """One sample of the 16 pixels of a stamp in stamp order, as words."""
    ty, count = pixel_type(fmt), word_count(fmt)
    pixels = b.bytes_from(place, 0, ty).load(ty.vec(16 * count), align=min(64, fmt.bytes * 16))
    return _apart(b, pixels, count)


def store_samples(b: Builder, place: Pointer, fmt: Format, words: list[Value]) -> None:
    """Write one sample of the 16 pixels of a stamp."""
    ty = pixel_type(fmt)
    align = min(64, fmt.bytes * 16)
    if len(words) == 1:
        b.bytes_from(place, 0, ty).store(b.cast(words[0], ty), align=align)
        return
    for n, part in enumerate(format_emit.interleave(b, words)):
        (b.bytes_from(place, 0, ty) + 16 * n).store(part, align=64)


def choose(b: Builder, mask: Value, new: list[Value], old: list[Value]) -> list[Value]:
    """The new words of the pixels in `mask`, the old ones of the others."""
    return [b.select(mask, n, o) for n, o in zip(new, old)]


def _fields(fmt: Format) -> list[tuple[str, int, int]]:
    """(type, bits, shift) of each channel of a packed pixel."""
    out, shift = [], 0
    for kind, bits in fmt.channels:
        out.append((kind, bits, shift))
        shift += bits
    return out


def _channels(b: Builder, fmt: Format, words: list[Value]) -> list[Value]:
    """The bits of each channel (u32x16)."""
    out = []
    for _, bits, shift in _fields(fmt):
        raw, at = words[shift // 32], shift % 32
        raw = raw >> at if at else raw
        # pixels of less than 32 bits have zeros above
        whole = at + bits == min(32, fmt.bits - shift // 32 * 32)
        out.append(raw if whole else raw & ((1 << bits) - 1))
    return out


def _words(b: Builder, fmt: Format, raw: list[Value | None]) -> list[Value]:
    """Channels as words; None is padding, which is zero or ones."""
    out: list[Value | None] = [None] * word_count(fmt)
    for (_, _, shift), value in zip(_fields(fmt), raw, strict=True):
        if value is not None:
            n, at = divmod(shift, 32)
            part = value << at if at else value
            old = out[n]
            out[n] = part if old is None else old | part
    words = [b.const(u32x16, 0) if v is None else v for v in out]
    ones = format_emit.padding(fmt)
    return [words[0] | ones, *words[1:]] if ones else words


def unpack(b: Builder, fmt: Format, words: list[Value]) -> list[Value]:
    """r, g, b, a (f32x16; u32x16 or i32x16 for whole numbers) from packed pixels."""
    if not fmt.uses & DISPLAY:
        return format_emit.decode(b, fmt, _channels(b, fmt, words))
    (packed,) = words
    fields = _fields(fmt)
    out = []
    for n, c in enumerate(fmt.swizzle):
        if c in "zo":
            out.append(b.const(f32x16, 1.0 if c == "o" else 0.0))
            continue
        _, bits, shift = fields[int(c)]
        raw = packed
        if shift:
            raw = raw >> shift
        if shift + bits < fmt.bits or fmt.bits < 32:
            raw = raw & ((1 << bits) - 1)
        if fmt.srgb and n < 3:
            out.append(srgb.decode(b, b.bitcast(raw, i32)))
            continue
        out.append(b.cast(b.bitcast(raw, i32), f32) * (1.0 / ((1 << bits) - 1)))
    return out


def quantise(b: Builder, value: Value, bits: int) -> Value:
    """Clamp to [0, 1] and scale to an integer of `bits` bits, nearest; NaN gives 0. Result
    i32x16.
    """
    top = float((1 << bits) - 1)
    return b.round_to_int(b.clamp(value, 0.0, 1.0) * top)


def _saturating(b: Builder, value: Value) -> Value:
    """i32x16 that, cut down to a byte, is `quantise` of a value to eight bits."""
    known = b.clamped.get(value.ref)
    if known is not None and known[0] >= 0.0 and known[1] <= 1.0:
        return b.round_to_int(value * 255.0)
    # in this order NaN stays, and becomes a number below all bytes, as what is negative does
    return x86.to_nearest(b, b.min(1.0, value) * 255.0)


def _pack_bytes(b: Builder, fmt: Format, rgba: list[Value]) -> Value:
    """`pack` for windows' formats of four bytes."""
    numbers: list[Value] = []
    for source, (kind, _) in zip(format_emit.sources(fmt), fmt.channels, strict=True):
        if source is None:
            numbers.append(b.const(i32x16, 255 if kind == "x" else 0))
        elif fmt.srgb and source < 3:
            numbers.append(srgb.encode(b, rgba[source]))
        else:
            numbers.append(_saturating(b, rgba[source]))
    return x86.join_bytes(b, numbers)


def pack(b: Builder, fmt: Format, rgba: list[Value]) -> list[Value]:
    """Packed pixels from r, g, b, a, as `unpack` gives them; padding bits are 0 but for alpha-like
    bytes, which are ones. Whole numbers may come in any vector of 32 bits.
    """
    if not fmt.uses & DISPLAY:
        if fmt.integer:
            rgba = [b.bitcast(v, format_emit.number_type(fmt)) for v in rgba]
        return _words(b, fmt, format_emit.encode(b, fmt, rgba))
    fields = _fields(fmt)
    if [bits for _, bits, _ in fields] == [8] * 4:
        return [_pack_bytes(b, fmt, rgba)]
    out: Value | None = None
    for n, (c, value) in enumerate(zip(fmt.swizzle, rgba, strict=True)):
        if c in "zo":
            continue
        _, bits, shift = fields[int(c)]
        encoded = fmt.srgb and n < 3
        number = srgb.encode(b, value) if encoded else quantise(b, value, bits)
        raw = b.bitcast(number, u32)
        raw = raw << shift if shift else raw
        out = raw if out is None else out | raw
    assert out is not None, "a colour format has channels"
    return [out | padding(fmt) if padding(fmt) else out]


def padding(fmt: Format) -> int:
    """Bits of a pixel that belong to no channel: written as ones, so that X sees opaque pixels."""
    out = 0
    for kind, bits, shift in _fields(fmt):
        if kind == "x":
            out |= ((1 << bits) - 1) << shift
    return out


def average(b: Builder, fmt: Format, samples: list[list[Value]]) -> list[Value]:
    """The mean of packed pixels (2, 4 ... of them): of unsigned fractions in a word each channel
    rounded to nearest, halves up; of others that of the numbers, in order; of whole numbers the
    first sample (GL 4.6, 18.3.1).
    """
    if fmt.integer:
        return samples[0]
    if fmt.uses & DISPLAY:
        return [_average_word(fmt, [words[0] for words in samples])]
    totals = unpack(b, fmt, samples[0])
    for words in samples[1:]:
        totals = [x + y for x, y in zip(totals, unpack(b, fmt, words))]
    return pack(b, fmt, [v * (1.0 / len(samples)) for v in totals])


def _average_word(fmt: Format, samples: list[Value]) -> Value:
    """The mean of pixels of one word.

    Every second channel is summed at once: its neighbours' bits are room enough for the sum.
    """
    shift = len(samples).bit_length() - 1
    fields = _fields(fmt)
    out: Value | None = None
    for group in (fields[0::2], fields[1::2]):
        if not group:
            continue
        first = group[0][2]
        mask = sum(((1 << bits) - 1) << (at - first) for _, bits, at in group)
        half = sum((1 << shift - 1) << (at - first) for _, _, at in group)
        total: Value | None = None
        for packed in samples:
            part = (packed >> first if first else packed) & mask
            total = part if total is None else total + part
        assert total is not None, "there are samples"
        mean = ((total + half) >> shift) & mask
        mean = mean << first if first else mean
        out = mean if out is None else out | mean
    assert out is not None, "a colour format has channels"
    return out


def channel_mask(fmt: Format, colormask: int) -> int:
    """Bits of a packed pixel that a colour mask (bit 0 red .. bit 3 alpha) allows to be written."""
    out = 0
    for source, (_, bits, shift) in zip(format_emit.sources(fmt), _fields(fmt), strict=True):
        if source is None or colormask >> source & 1:
            out |= ((1 << bits) - 1) << shift
    return out


__all__ = [
    "COLOR_FORMATS", "ZS_FORMATS", "average", "channel_mask", "choose", "load_samples",
    "load_stamp", "pack", "padding", "pixel_type", "quantise", "store_samples",
    "store_stamp", "unpack", "word_count",
]  # fmt: skip
