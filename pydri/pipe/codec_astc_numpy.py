# SPDX-License-Identifier: MIT
"""What blocks of ASTC mean (KHR_texture_compression_astc_ldr), in numpy: one block at a time, bit
by bit, so that it can be held beside the specification. The numbers of blocks are looked up in the
tables of pydri/pipe/astc_tables.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pydri.pipe import astc_tables as tables
from pydri.pipe.astc_tables import COLORS_AT, MOST_VALUES, RANGES, STEP, Mode

Ints = Any
MAGENTA = (255, 0, 255, 255)


def _bits(word: int, at: int, count: int) -> int:
    return word >> at & (1 << count) - 1


def _numbers(word: int, count: int, place: int, lookup: int) -> list[int]:
    """Numbers of a range, of the lowest bits of a word, as an entry of `lookups` says."""
    kind = RANGES[place]
    left = word & (1 << kind.size(count)) - 1
    found: list[int] = []
    while len(found) < count:
        follow = {1: (0,), 3: (2, 2, 1, 2, 1), 5: (3, 2, 2)}[kind.base]
        lows, packed, at = [], 0, 0
        for size in follow:
            lows.append(left & (1 << kind.bits) - 1)
            packed |= (left >> kind.bits & (1 << size) - 1) << at
            left >>= kind.bits + size
            at += size
        digits = (0,) if kind.base == 1 else tables.digits()[kind.base][packed]
        found += [d << kind.bits | low for d, low in zip(digits, lows, strict=True)]
    return [tables.lookups()[lookup + n] for n in found[:count]]


def _transferred(first: int, second: int) -> tuple[int, int]:
    """A base and a signed difference of a number and the one behind it."""
    offset = second >> 1 & 63
    return first >> 1 | second & 128, offset - (offset & 32) * 2


def _contracted(color: list[int]) -> list[int]:
    r, g, b, a = color
    return [r + b >> 1, g + b >> 1, b, a]


def _ends(kind: int, v: list[int]) -> list[list[int]]:
    """Two colours of numbers, by the kind of ends."""
    if kind == 1:
        low = v[0] >> 2 | v[1] & 0xC0
        out = [[low] * 3 + [255], [low + (v[1] & 63)] * 3 + [255]]
    elif kind in (0, 4):
        out = [[v[n]] * 3 + [v[2 + n] if kind else 255] for n in (0, 1)]
    elif kind == 5:
        (l0, l1), (a0, a1) = _transferred(*v[:2]), _transferred(*v[2:4])
        out = [[l0] * 3 + [a0], [l0 + l1] * 3 + [a0 + a1]]
    elif kind in (6, 10):
        alpha = v[4:6] if kind == 10 else [255, 255]
        out = [[c * v[3] >> 8 for c in v[:3]] + alpha[:1], v[:3] + alpha[1:]]
    elif kind in (8, 9, 12, 13):
        pairs = [(v[n], v[n + 1]) for n in range(0, len(v), 2)]
        moved = [_transferred(*p) for p in pairs] if kind % 2 else [(p, q - p) for p, q in pairs]
        one, other = [p for p, _ in moved], [p + d for p, d in moved]
        turned = sum(d for _, d in moved[:3]) < 0
        full = [255] * (4 - len(pairs))
        out = [one + full, other + full]
        if turned:
            out = [_contracted(other + full), _contracted(one + full)]
    else:
        out = [list(MAGENTA)] * 2
    return [[min(max(c, 0), 255) for c in end] for end in out]


def _hash(p: int) -> int:
    for word in "^>15 -<17 +<7 +<4 ^>5 +<16 ^>7 ^>3 ^<6 ^>17".split():
        other = p << int(word[2:]) if word[1] == "<" else p >> int(word[2:])
        p = {"^": p ^ other, "-": p - other, "+": p + other}[word[0]] & 0xFFFFFFFF
    return p


def _parts(seed: int, parts: int, x: Ints, y: Ints, small: bool) -> Ints:
    """The part that each texel belongs to."""
    seed += (parts - 1) * 1024
    mixed = _hash(seed)
    shifts = [4 if seed & 2 else 5, 6 if parts == 3 else 5]
    if not seed & 1:
        shifts.reverse()
    slopes = [((mixed >> 4 * n & 15) ** 2 >> shifts[n % 2]) << small for n in range(8)]
    values = [
        slopes[2 * n] * x + slopes[2 * n + 1] * y + (mixed >> 14 - 4 * n) & 63 for n in range(parts)
    ]
    return np.argmax(values, axis=0)


class _Block:
    """A block; `sound` is False where it means an error."""

    def __init__(self, word: int, width: int, height: int) -> None:
        self.word, self.width, self.height = word, width, height
        found = tables.modes()[word & 0x7FF]
        self.sound = found is not None and found.width <= width and found.height <= height
        if not self.sound:
            return
        assert found is not None
        self.mode: Mode = found
        self.parts = _bits(word, 11, 2) + 1
        at = 128 - self.mode.size
        self.kinds, extra = self._kinds(at)
        at -= extra + 2 * (self.mode.planes - 1)
        self.plane = _bits(word, at, 2) if self.mode.planes > 1 else 4
        self.first = 17 if self.parts == 1 else 29
        pairs = sum((kind >> 2) + 1 for kind in self.kinds)
        self.sound = 2 * pairs <= MOST_VALUES and at >= self.first
        self.sound = self.sound and self.mode.planes + self.parts < 6
        if self.sound:
            self.range = tables.fitting()[pairs * 128 + at - self.first]
            self.sound = self.range > 0

    def _kinds(self, below: int) -> tuple[list[int], int]:
        """How ends are kept, by part, and how many bits below the weights say so, too."""
        if self.parts == 1:
            return [_bits(self.word, 13, 4)], 0
        six, extra = _bits(self.word, 23, 6), 3 * self.parts - 4
        if not six & 3:
            return [six >> 2] * self.parts, 0
        word = six >> 2 | _bits(self.word, below - extra, extra) << 4
        kinds = []
        for n in range(self.parts):
            group = (six & 3) - 1 + (word >> n & 1)
            kinds.append(group << 2 | _bits(word, self.parts + 2 * n, 2))
        return kinds, extra

    def ends(self) -> Ints:
        """(part, end, channel)."""
        count = sum(2 * (kind >> 2) + 2 for kind in self.kinds)
        lookup = self.range * STEP + COLORS_AT
        values = _numbers(self.word >> self.first, count, self.range, lookup)
        out = []
        for kind in self.kinds:
            size = 2 * (kind >> 2) + 2
            out.append(_ends(kind, values[:size]))
            values = values[size:]
        return np.array(out)

    def weights(self, x: Ints, y: Ints) -> Ints:
        """(plane, texel)."""
        mode = self.mode
        turned = int(f"{self.word:0128b}"[::-1], 2)
        numbers = _numbers(turned, mode.weights, mode.kind, mode.kind * STEP)
        grid = np.array(numbers).reshape(mode.height, mode.width, mode.planes)
        grid = np.pad(grid, ((0, 1), (0, 1), (0, 0)))
        at = [
            ((1024 + size // 2) // (size - 1) * place * (number - 1) + 32) >> 6
            for size, place, number in ((self.width, x, mode.width), (self.height, y, mode.height))
        ]
        (s, fs), (t, ft) = ((n >> 4, n & 15) for n in at)
        both = fs * ft + 8 >> 4
        shares = (16 - fs - ft + both, fs - both, ft - both, both)
        corners = (grid[t, s], grid[t, s + 1], grid[t + 1, s], grid[t + 1, s + 1])
        total = sum(c * share[:, None] for c, share in zip(corners, shares, strict=True))
        return (total + 8 >> 4).T

    def texels(self, encoded: bool) -> Ints:
        number = np.arange(self.width * self.height)
        x, y = number % self.width, number // self.width
        if self.word & 0x1FF == 0x1FC:
            return self._plain(len(number))
        if not self.sound:
            return np.tile(MAGENTA, (len(number), 1))
        seed, small = _bits(self.word, 13, 10), len(number) < 31
        part = _parts(seed, self.parts, x, y, small) if self.parts > 1 else 0 * x
        ends = self.ends()
        wide = ends << 8 | (0x80 if encoded else ends)
        weights = self.weights(x, y)
        out = []
        for c in range(4):
            w = weights[int(c == self.plane)]
            out.append(wide[part, 0, c] * (64 - w) + wide[part, 1, c] * w + 32 >> 14)
        return np.stack(out, axis=1)

    def _plain(self, count: int) -> Ints:
        ends = [_bits(self.word, at, 13) for at in (12, 25, 38, 51)]
        everywhere = all(end == 0x1FFF for end in ends)
        sound = everywhere or (ends[0] < ends[1] and ends[2] < ends[3])
        color = [_bits(self.word, at + 8, 8) for at in range(64, 128, 16)]
        return np.tile(color if sound and not _bits(self.word, 9, 1) else MAGENTA, (count, 1))


def texels(blocks: Ints, width: int, height: int, encoded: bool) -> Ints:
    """Blocks (n, 16) as (n, texels, 4); `encoded`: red, green and blue are sRGB."""
    words = [int.from_bytes(bytes(block), "little") for block in blocks]
    return np.stack([_Block(word, width, height).texels(encoded) for word in words])


__all__ = ["texels"]
