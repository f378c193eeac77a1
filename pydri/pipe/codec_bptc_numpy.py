# SPDX-License-Identifier: MIT
"""What blocks of BPTC mean (ARB_texture_compression_bptc), in numpy: one block at a time, bit by
bit, so that it can be held beside the specification.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pydri.pipe import bptc_tables as tables

Ints = Any
_SHARES: Final = {
    2: (0, 21, 43, 64), 3: (0, 9, 18, 27, 37, 46, 55, 64),
    4: (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64),
}  # fmt: skip


class _Reader:
    """Bits of a block from the lowest one on."""

    def __init__(self, block: Ints) -> None:
        self.word = int.from_bytes(bytes(block), "little")

    def take(self, count: int) -> int:
        out = self.word & (1 << count) - 1
        self.word >>= count
        return out

    def shares(self, bits: int, anchors: set[int]) -> Ints:
        """Of 16 indices, how many 64th of the second end they stand for."""
        codes = [self.take(bits - (n in anchors)) for n in range(16)]
        return np.array([_SHARES[bits][code] for code in codes])


def _subsets(count: int, partition: int) -> tuple[Ints, set[int]]:
    """The subset that each texel is of, and the texels whose index lacks a bit."""
    word = tables.SUBSETS[count][partition]
    anchors = {0} | {places[partition] for places in tables.ANCHORS[count]}
    return np.array([word >> 2 * n & 3 for n in range(16)]), anchors


def _unorm(block: Ints) -> Ints:
    number = next((n for n in range(8) if block[0] >> n & 1), None)
    if number is None:
        return np.zeros((16, 4), int)
    mode, bits = tables.UNORM_MODES[number], _Reader(block)
    bits.take(number + 1)
    subsets, anchors = _subsets(mode.subsets, bits.take(mode.partition))
    rotation, other = bits.take(mode.rotation), bits.take(mode.selection)
    count = 2 * mode.subsets
    ends = np.full((count, 4), 255)
    for c, size in enumerate([mode.color] * 3 + [mode.alpha]):
        for n in range(count if size else 0):
            ends[n, c] = bits.take(size)
    lows = [bits.take(1) for _ in range(count * mode.own + mode.subsets * mode.shared)]
    for c, size in enumerate([mode.color] * 3 + [mode.alpha]):
        for n in range(count if size else 0):
            value = int(ends[n, c])
            if lows:
                value = value << 1 | lows[n // (1 + mode.shared)]
            wide = size + bool(lows)
            ends[n, c] = value << 8 - wide | value >> 2 * wide - 8
    shares = [bits.shares(mode.first, anchors)] * 2
    if mode.second:
        shares[1] = bits.shares(mode.second, anchors)
    if other:
        shares.reverse()
    weight = np.stack([shares[0]] * 3 + [shares[1]], axis=1)
    out = ends[2 * subsets] * (64 - weight) + ends[2 * subsets + 1] * weight + 32 >> 6
    if rotation:
        out[:, [rotation - 1, 3]] = out[:, [3, rotation - 1]]
    return out


def _signed(value: int, bits: int) -> int:
    return value - (value >> bits - 1 << bits)


def _widened(value: int, bits: int, signed: bool) -> int:
    """A number of some bits as one of 16, or of 15 and a sign."""
    if signed:
        value = _signed(value, bits)
    if value == 0 or bits >= 15 + signed:
        return value
    if abs(value) >= (1 << bits - signed) - 1:
        size = 0x7FFF if signed else 0xFFFF
    else:
        size = (abs(value) << 15) + 0x4000 >> bits - 1
    return -size if value < 0 else size


def _float(block: Ints, signed: bool) -> Ints:
    bits, word = _Reader(block), int(block[0])
    word &= 31 if word & 2 else 3
    out = np.zeros((16, 4), np.uint16)
    out[:, 3] = 0x3C00
    mode = tables.FLOAT_MODES.get(word)
    if mode is None:
        return out
    bits.take(5 if word & 2 else 2)
    ends = [[0] * 3 for _ in range(4)]
    for field in mode.fields:
        value = bits.take(field.size)
        if field.turned:
            value = int(f"{value:0{field.size}b}"[::-1], 2)
        ends[field.end][field.channel] |= value << field.first
    for c in range(3):
        for end in ends[1:] if mode.differs else ():
            moved = ends[0][c] + _signed(end[c], mode.others[c])
            end[c] = moved & (1 << mode.bits) - 1
    wide = np.array([[_widened(v, mode.bits, signed) for v in end] for end in ends])
    subsets, anchors = _subsets(1 + mode.parted, bits.take(5 * mode.parted))
    share = bits.shares(3 if mode.parted else 4, anchors)[:, None]
    value = wide[2 * subsets] * (64 - share) + wide[2 * subsets + 1] * share + 32 >> 6
    size = np.abs(value) * 31
    out[:, :3] = np.where(value < 0, 0x8000, 0) | size >> 5 if signed else size >> 6
    return out


def texels(blocks: Ints, kind: str, signed: bool) -> Ints:
    """Blocks (n, 16) as (n, 16, 4): numbers of eight bits, or halves."""
    if kind == "bptc":
        return np.stack([_unorm(block) for block in blocks])
    return np.stack([_float(block, signed) for block in blocks])


__all__ = ["texels"]
