# SPDX-License-Identifier: MIT
"""Colour formats in registers: 4x4 stamps of a linear surface to and from 16-lane channels.

A stamp is 16 pixels: lanes 0-3 are its top row. `load_stamp` gathers the four rows into one
integer vector of packed pixels, `unpack` makes four float vectors of it, `pack` goes back with
round-to-nearest. Everything is generated from the format's row in pydri/pipe/format.py; what is
sRGB-encoded is decoded and encoded on the way (srgb.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.types import Scalar, f32, i32, u16, u32
from pydri.pipe import srgb
from pydri.pipe.format import COLOR_FORMATS, ZS_FORMATS, Format

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

f32x16 = f32.vec(16)
i32x16 = i32.vec(16)
u32x16 = u32.vec(16)


def pixel_type(fmt: Format) -> Scalar:
    """The unsigned scalar type of one packed pixel."""
    return {16: u16, 32: u32}[fmt.bits]


def load_stamp(b: Builder, row0: Pointer, stride: Operand, fmt: Format) -> Value:
    """16 packed pixels of the 4x4 stamp whose first pixel is at `row0`, as u32x16."""
    ty = pixel_type(fmt)
    rows = [
        b.bytes_from(row0, stride * n, ty).load(ty.vec(4), align=fmt.bytes * 4) for n in range(4)
    ]
    top = b.shuffle(rows[0], rows[1], list(range(8)))
    bottom = b.shuffle(rows[2], rows[3], list(range(8)))
    return b.cast(b.shuffle(top, bottom, list(range(16))), u32)


def store_stamp(b: Builder, row0: Pointer, stride: Operand, fmt: Format, packed: Value) -> None:
    """Write all 16 pixels of a stamp."""
    ty = pixel_type(fmt)
    narrow = b.cast(packed, ty)
    for n in range(4):
        row = b.shuffle(narrow, None, list(range(4 * n, 4 * n + 4)))
        b.bytes_from(row0, stride * n, ty).store(row, align=fmt.bytes * 4)


def load_samples(b: Builder, place: Pointer, fmt: Format) -> Value:
    """One sample of the 16 pixels of a stamp in stamp order, packed, as u32x16."""
    ty = pixel_type(fmt)
    return b.cast(b.bytes_from(place, 0, ty).load(ty.vec(16), align=fmt.bytes * 16), u32)


def store_samples(b: Builder, place: Pointer, fmt: Format, packed: Value) -> None:
    """Write one sample of the 16 pixels of a stamp."""
    ty = pixel_type(fmt)
    b.bytes_from(place, 0, ty).store(b.cast(packed, ty), align=fmt.bytes * 16)


def _fields(fmt: Format) -> list[tuple[str, int, int]]:
    """(type, bits, shift) of each channel of a packed pixel."""
    out, shift = [], 0
    for kind, bits in fmt.channels:
        out.append((kind, bits, shift))
        shift += bits
    return out


def unpack(b: Builder, fmt: Format, packed: Value) -> list[Value]:
    """r, g, b, a in [0, 1] as f32x16 from packed pixels (u32x16)."""
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


def pack(b: Builder, fmt: Format, rgba: list[Value]) -> Value:
    """Packed pixels (u32x16) from r, g, b, a floats; padding bits are 0 but for alpha-like bytes,
    which are ones.
    """
    fields = _fields(fmt)
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
    return out | padding(fmt) if padding(fmt) else out


def padding(fmt: Format) -> int:
    """Bits of a pixel that belong to no channel: written as ones, so that X sees opaque pixels."""
    out = 0
    for kind, bits, shift in _fields(fmt):
        if kind == "x":
            out |= ((1 << bits) - 1) << shift
    return out


def average(fmt: Format, samples: list[Value]) -> Value:
    """The mean of packed pixels (2, 4 ... of them), each channel rounded to nearest, halves up.

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
    fields = _fields(fmt)
    out = padding(fmt)
    for n, c in enumerate(fmt.swizzle):
        if c not in "zo" and colormask >> n & 1:
            _, bits, shift = fields[int(c)]
            out |= ((1 << bits) - 1) << shift
    return out


def pack_scalar(b: Builder, fmt: Format, color: Pointer) -> Value:
    """One packed pixel (u32) from a pointer to four floats, for clears: rounded like a draw. Not
    for sRGB formats, whose clear colours are encoded before (srgb.encode_color).
    """
    fields = _fields(fmt)
    out = b.const(u32, padding(fmt))
    for n, c in enumerate(fmt.swizzle):
        if c in "zo":
            continue
        _, bits, shift = fields[int(c)]
        out = out | (b.bitcast(quantise(b, color[n], bits), u32) << shift)
    return out


__all__ = [
    "COLOR_FORMATS", "ZS_FORMATS", "average", "channel_mask", "load_samples",
    "load_stamp", "pack", "pack_scalar", "padding", "pixel_type", "quantise", "store_samples",
    "store_stamp", "unpack",
]  # fmt: skip
