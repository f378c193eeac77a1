# SPDX-License-Identifier: MIT
"""Colours and depths as numbers of a format: conversions of GL 2.1, 2.14.9 and 4.2.

A packed pixel is an unsigned number whose channels begin at the lowest bit (pydri/pipe/format.py).
sRGB-encoded channels are decoded and encoded by the very formulas of GL 4.6, 8.24 and 17.3.7.
"""

from __future__ import annotations

import numpy as np

from pipe_soft.arrays import F32, Arr, clamp
from pydri.pipe.format import Format


def fields(fmt: Format) -> list[tuple[str, int, int]]:
    """(type, bits, first bit) of each channel."""
    out, at = [], 0
    for kind, bits in fmt.channels:
        out.append((kind, bits, at))
        at += bits
    return out


def decode_srgb(encoded: Arr) -> Arr:
    """Light of encoded numbers in [0, 1]."""
    c = encoded.astype(np.float64)
    light = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return light.astype(np.float32)


def encode_srgb(light: Arr) -> Arr:
    """Encoded numbers in [0, 1] of light, which is clamped."""
    c = clamp(light, 0, 1).astype(np.float64)
    curve = np.where(c < 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)
    return np.asarray(curve, np.float64)


def quantise(value: Arr, bits: int) -> Arr:
    """Floats clamped to [0, 1] as the nearest integers of so many bits; 0 for no number."""
    return np.rint(clamp(value, 0, 1) * F32((1 << bits) - 1)).astype(np.uint64)


def unpack(fmt: Format, packed: Arr) -> list[Arr]:
    """Red, green, blue, alpha as floats."""
    channels = fields(fmt)
    out = []
    for n, letter in enumerate(fmt.swizzle):
        if letter in "zo":
            out.append(np.full(packed.shape, float(letter == "o"), np.float32))
            continue
        _, bits, at = channels[int(letter)]
        top = (1 << bits) - 1
        number = (packed.astype(np.uint64) >> np.uint64(at)) & np.uint64(top)
        if fmt.srgb and n < 3:
            out.append(decode_srgb(number / top))
        else:
            out.append(number.astype(np.float32) * F32(1 / top))
    return out


def pack(fmt: Format, rgba: list[Arr]) -> Arr:
    """Packed pixels (64 bits each) of floats; bits of no channel are ones."""
    channels = fields(fmt)
    packed = np.full(rgba[0].shape, padding(fmt), np.uint64)
    for n, (letter, value) in enumerate(zip(fmt.swizzle, rgba)):
        if letter in "zo":
            continue
        _, bits, at = channels[int(letter)]
        if fmt.srgb and n < 3:
            number = np.rint(encode_srgb(value) * ((1 << bits) - 1)).astype(np.uint64)
        else:
            number = quantise(value, bits)
        packed |= number << np.uint64(at)
    return packed


def padding(fmt: Format) -> int:
    """Bits of a pixel that belong to no channel."""
    return sum(((1 << bits) - 1) << at for kind, bits, at in fields(fmt) if kind == "x")


def writable(fmt: Format, colormask: int) -> int:
    """Bits of a pixel that a colour mask (bit 0 red .. bit 3 alpha) lets through."""
    out, channels = padding(fmt), fields(fmt)
    for n, letter in enumerate(fmt.swizzle):
        if letter not in "zo" and colormask >> n & 1:
            _, bits, at = channels[int(letter)]
            out |= ((1 << bits) - 1) << at
    return out


def average(fmt: Format, packed: Arr) -> Arr:
    """Of samples (pixels, samples): each channel's mean as a stored number, halves upwards."""
    count = packed.shape[1]
    out = np.zeros(len(packed), np.uint64)
    for _, bits, at in fields(fmt):
        channel = (packed.astype(np.uint64) >> np.uint64(at)) & np.uint64((1 << bits) - 1)
        mean = (channel.sum(axis=1, dtype=np.uint64) + np.uint64(count // 2)) // np.uint64(count)
        out |= mean << np.uint64(at)
    return out


# -- depth and stencil -----------------------------------------------------------------------------


def has_stencil(fmt: Format) -> bool:
    """Whether pixels of a depth/stencil format hold a stencil value."""
    return any(kind == "us" for kind, _ in fmt.channels)


def depth_bits(fmt: Format) -> int:
    """Bits of the depth in a pixel, which are its lowest; 0 without depth."""
    kind, bits = fmt.channels[0]
    return 0 if kind == "us" else bits


def is_float(fmt: Format) -> bool:
    """Whether depth is a float."""
    return bool(fmt.channels) and fmt.channels[0][0] == "f"


def stencil_at(fmt: Format) -> int:
    """The first bit of the stencil value."""
    return next(at for kind, _, at in fields(fmt) if kind == "us")


def quantise_depth(fmt: Format, depth: Arr) -> Arr:
    """Depth, clamped to [0, 1], as it is stored (64 bits): a float's bits, or the nearest integer.

    A float has 24 bits: of 32 the top byte is repeated below, so that 1 becomes all ones.
    """
    bits, z = depth_bits(fmt), clamp(depth, 0, 1)
    if is_float(fmt):
        return np.ascontiguousarray(z).view(np.uint32).astype(np.uint64)
    if bits == 32:
        number = (z * F32(4294967040.0)).astype(np.uint64)
        return number | (number >> np.uint64(24))
    return np.rint(z * F32((1 << bits) - 1)).astype(np.uint64)


def step_of_depth(fmt: Format) -> float:
    """The least difference of depth that polygon offset counts in (r of GL 2.1, 3.5.5); 0 for
    floating point, where the polygon's greatest depth decides, and without depth.

    Two steps, since half of one rounds either way, but not less than what a float tells apart.
    """
    if not fmt.channels or is_float(fmt) or not depth_bits(fmt):
        return 0.0
    return max(2.0 / ((1 << depth_bits(fmt)) - 1), 2.0**-23)
