# SPDX-License-Identifier: MIT
"""Colours and depths as texels of a format: conversions of GL 2.1, 2.14.9 and 4.2, and of 4.6 for
what is not fractions of one.

A texel is bytes, whose channels begin at the lowest bit (pydri/pipe/format.py). What texels mean
is what pydri/pipe/format_numpy.py says, sRGB by its exact curves; windows' formats are multiplied
by the reciprocal where others are divided, and their padding is ones.
"""

from __future__ import annotations

import numpy as np

from pipe_soft.arrays import F32, Arr, clamp
from pydri.pipe import format_numpy
from pydri.pipe.format import DISPLAY, Format


def fields(fmt: Format) -> list[tuple[str, int, int]]:
    """(type, bits, first bit) of each channel."""
    out, at = [], 0
    for kind, bits in fmt.channels:
        out.append((kind, bits, at))
        at += bits
    return out


def encode_srgb(light: Arr) -> Arr:
    """Encoded numbers in [0, 1] of light, which is clamped."""
    return np.asarray(format_numpy.linear_to_srgb(clamp(light, 0, 1).astype(np.float64)))


def quantise(value: Arr, bits: int) -> Arr:
    """Floats clamped to [0, 1] as the nearest integers of so many bits; 0 for no number."""
    return np.rint(clamp(value, 0, 1) * F32((1 << bits) - 1)).astype(np.uint64)


def _words(texels: Arr) -> Arr:
    """Texels of up to 8 bytes (..., bytes) as numbers."""
    wide = np.zeros((*texels.shape[:-1], 8), np.uint8)
    wide[..., : texels.shape[-1]] = texels
    return np.asarray(wide.view(np.uint64)[..., 0])


def _bytes(fmt: Format, words: Arr) -> Arr:
    """The inverse."""
    wide = np.ascontiguousarray(words).astype(np.uint64)[..., None].view(np.uint8)
    return np.ascontiguousarray(wide[..., : fmt.bytes])


def unpack(fmt: Format, texels: Arr) -> list[Arr]:
    """Red, green, blue, alpha of texels (n, bytes): floats, or whole numbers."""
    if not fmt.uses & DISPLAY:
        return [channel.copy() for channel in format_numpy.unpack(fmt, texels).T]
    packed, channels, out = _words(texels), fields(fmt), []
    for n, letter in enumerate(fmt.swizzle):
        if letter in "zo":
            out.append(np.full(packed.shape, float(letter == "o"), np.float32))
            continue
        _, bits, at = channels[int(letter)]
        top = (1 << bits) - 1
        number = (packed >> np.uint64(at)) & np.uint64(top)
        if fmt.srgb and n < 3:
            out.append(format_numpy.srgb_to_linear(number / top).astype(np.float32))
        else:
            out.append(number.astype(np.float32) * F32(1 / top))
    return out


def pack(fmt: Format, rgba: list[Arr]) -> Arr:
    """Texels (n, bytes) of floats; of formats of whole numbers the floats' bits are these."""
    if not fmt.uses & DISPLAY:
        colors = np.ascontiguousarray(np.stack(rgba, axis=1))
        if fmt.integer:
            colors = colors.view(format_numpy.number_dtype(fmt))
        return format_numpy.pack(fmt, colors)
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
    return _bytes(fmt, packed)


def padding(fmt: Format) -> int:
    """Bits of a pixel that belong to no channel."""
    return sum(((1 << bits) - 1) << at for kind, bits, at in fields(fmt) if kind == "x")


def writable(fmt: Format, colormask: int) -> Arr:
    """Bits of a texel (its bytes) that a colour mask (bit 0 red .. bit 3 alpha) lets through: a
    channel is the first of red, green, blue, alpha that reads it."""
    out = 0
    for n, (_, bits, at) in enumerate(fields(fmt)):
        source = fmt.swizzle.find(str(n))
        if source < 0 or colormask >> source & 1:
            out |= ((1 << bits) - 1) << at
    return np.frombuffer(out.to_bytes(fmt.bytes, "little"), np.uint8)


def average(fmt: Format, texels: Arr) -> Arr:
    """The mean of samples (n, samples, bytes): of windows' formats each channel's as it is stored,
    halves upwards; of others that of the numbers; of whole numbers the first sample (GL 4.6,
    18.3.1)."""
    count = texels.shape[1]
    if fmt.integer:
        return texels[:, 0]
    if not fmt.uses & DISPLAY:
        samples = [unpack(fmt, texels[:, n]) for n in range(count)]
        totals = samples[0]
        for sample in samples[1:]:
            totals = [x + y for x, y in zip(totals, sample)]
        return pack(fmt, [total * F32(1 / count) for total in totals])
    packed = _words(texels)
    out = np.zeros(len(packed), np.uint64)
    for _, bits, at in fields(fmt):
        channel = (packed >> np.uint64(at)) & np.uint64((1 << bits) - 1)
        mean = (channel.sum(axis=1, dtype=np.uint64) + np.uint64(count // 2)) // np.uint64(count)
        out |= mean << np.uint64(at)
    return _bytes(fmt, out)


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
