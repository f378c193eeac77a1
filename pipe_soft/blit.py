# SPDX-License-Identifier: MIT
"""Blits (PipeNative.blit), a whole box at a time.

A texel's place is exact: whole numbers, in 1/256 for linear filters. Numbers are those of
pydri/pipe/format_numpy.py; averages and filters are singles, summed in the order written here.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pipe_soft.arrays import F32, Arr
from pipe_soft.memory import Image
from pipe_soft.pixels import average
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.format_numpy import pack, pack_zs, unpack, unpack_zs
from pydri.pipe.native import BLIT_LINEAR, CLEAR_COLOR0, CLEAR_DEPTH, CLEAR_STENCIL, Surface

FAR = 1 << 30


class Places(NamedTuple):
    """Of the pixels of dst along an axis that are written: which they are, the texel that each lies
    in, those that it lies between, and the weight of the second."""

    pixels: Arr
    texels: Arr
    low: Arr
    high: Arr
    weight: Arr


def _places(first: int, end: int, target: tuple[int, int], source: tuple[int, int], size: int,
            ) -> Places:  # fmt: skip
    d0, d1, s0, s1 = (max(-FAR, min(FAR, v)) for v in (*target, *source))
    x = np.arange(first, end, dtype=np.int64)
    if d1 < d0:
        d0, d1, s0, s1 = d1, d0, s1, s0
    odd = 2 * (x - d0) + 1
    whole, rest = np.divmod(odd * (s1 - s0), 2 * (d1 - d0))
    place = s0 + whole
    fixed = place * 256 + rest * 256 // (2 * (d1 - d0)) - 128
    low = fixed >> 8
    inside = (place >= 0) & (place < size)
    found = [x, place, *(np.clip(v, 0, size - 1) for v in (low, low + 1)), fixed & 255]
    return Places(*(v[inside] for v in found))


def _texels(image: Image, x: Arr, y: Arr) -> Arr:
    """Texels of columns and rows, (pixels, samples, bytes)."""
    rows, columns = np.meshgrid(y, x, indexing="ij")
    return np.asarray(image.texels[image.places(columns.ravel(), rows.ravel())])


def _numbers(fmt: Format, texels: Arr) -> Arr:
    """The mean of the samples' numbers; of whole numbers the first sample's."""
    samples = [unpack(fmt, texels[:, n]) for n in range(texels.shape[1])]
    if fmt.integer or len(samples) == 1:
        return samples[0]
    total = samples[0].astype(np.float32)
    for sample in samples[1:]:
        total = total + sample.astype(np.float32)
    return np.asarray(total * F32(1 / len(samples)))


def _filtered(fmt: Format, image: Image, x: Places, y: Places) -> Arr:
    """Linear: columns first, then rows."""
    shape = (len(y.pixels), len(x.pixels), 4)
    wx = (x.weight.astype(np.float32) / F32(256))[None, :, None]
    wy = (y.weight.astype(np.float32) / F32(256))[:, None, None]
    rows = []
    for row in (y.low, y.high):
        left, right = (
            _numbers(fmt, _texels(image, column, row)).reshape(shape)
            for column in (x.low, x.high)
        )
        rows.append(left * (F32(1) - wx) + right * wx)
    mixed = rows[0] * (F32(1) - wy) + rows[1] * wy
    return np.asarray(mixed).reshape(-1, 4)


def _colors(come: Format, go: Format, source: Image, texels: Arr, stored: bool) -> Arr:
    """Texels of dst, (pixels, bytes), of those of src."""
    averaged = texels.shape[1] > 1 and not come.integer
    if averaged and stored and texels.shape[1] == 4:
        mean = average(source.format, texels)
        return mean if come == go else pack(go, unpack(come, mean))
    if come == go and not averaged:
        return texels[:, 0]
    return pack(go, _numbers(come, texels))


def _put_depths(target: Image, places: Arr, source: Image, texels: Arr, mask: int) -> None:
    """Depth, stencil or both of (pixels, samples) of dst; the other keeps its bits."""
    old = target.texels[places.ravel()]
    flat = np.broadcast_to(texels, (*places.shape, texels.shape[2])).reshape(-1, texels.shape[2])
    new = flat
    if source.format != target.format:
        new = pack_zs(target.format, *unpack_zs(source.format, flat))
    keep = np.zeros(target.format.bits, np.uint8)
    at = 0
    for kind, bits in target.format.channels:
        # what lies in no channel goes with depth
        wanted = mask & (CLEAR_STENCIL if kind == "us" else CLEAR_DEPTH)
        keep[at : at + bits] = not wanted
        at += bits
    kept = np.packbits(keep, bitorder="little")
    target.texels[places.ravel()] = (old & kept) | (new & ~kept)


def _is_bytes(fmt: Format) -> bool:
    """Whether pixels are four bytes of fractions: what is averaged as it is stored."""
    return fmt.bits == 32 and fmt.kind == "unorm" and all(bits == 8 for _, bits in fmt.channels)


def _drawn(address: int) -> Any:
    """The surface that is drawn to in the place of one."""
    surface = Surface.view(address)
    return Surface.view(surface.multi) if surface.multi else surface


def blit(info: Any) -> None:
    """What a BlitInfo says."""
    one, other = _drawn(info.src), _drawn(info.dst)
    axes = []
    for n, (size, limit) in enumerate(((one.width, other.width), (one.height, other.height))):
        ends = (info.dst_box[n], info.dst_box[n + 2])
        begin = (info.src_box[n], info.src_box[n + 2])
        first = max(min(ends), info.scissor[n], 0)
        last = min(max(ends), info.scissor[n + 2], limit)
        if first >= last or ends[0] == ends[1] or begin[0] == begin[1]:
            return
        axes.append(_places(first, last, ends, begin, size))
    x, y = axes
    if not len(x.pixels) or not len(y.pixels):
        return
    source, target = Image(one), Image(other)
    rows, columns = np.meshgrid(y.pixels, x.pixels, indexing="ij")
    places = target.places(columns.ravel(), rows.ravel())
    own = source.samples == target.samples
    texels = _texels(source, x.texels, y.texels).copy()
    if not info.mask & CLEAR_COLOR0:
        _put_depths(target, places, source, texels if own else texels[:, :1], info.mask)
        return
    other.resolved = 0
    come, go = (
        FORMATS[v.srgb] if info.srgb and v.srgb else FORMATS[v.format] for v in (one, other)
    )
    alike = one.format == other.format or (_is_bytes(source.format) and _is_bytes(target.format))
    stored = alike and not (info.srgb and (one.srgb or other.srgb))
    scaled = any(abs(info.src_box[n + 2] - info.src_box[n]) != abs(
        info.dst_box[n + 2] - info.dst_box[n]) for n in range(2))  # fmt: skip
    if info.filter == BLIT_LINEAR and scaled and not come.integer:
        mixed = pack(go, _filtered(come, source, x, y).astype(np.float32))
        target.texels[places] = mixed[:, None]
    elif own:
        for n in range(source.samples):
            new = _colors(come, go, source, texels[:, n : n + 1], stored)
            target.texels[places[:, n]] = new
    else:
        target.texels[places] = _colors(come, go, source, texels, stored)[:, None]
