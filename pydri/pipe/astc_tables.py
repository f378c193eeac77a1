# SPDX-License-Identifier: MIT
"""What the bits of ASTC blocks stand for, as tables (KHR_texture_compression_astc_ldr; Khronos Data
Format Specification, chapter 23).

In: nothing. Out: RANGES, of which numbers in blocks are; what digits in base three and five are
packed to; what each range's numbers become as weights (0 to 64) and as colours (0 to 255); what the
first eleven bits of a block say (`modes`); which range endpoints of colours have (`fitting`). All
are made when asked for: who decodes by machine code asks while that is made.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Final, NamedTuple


class Range(NamedTuple):
    """Numbers from 0 to `levels` - 1: bits below a digit in base three, five, or none."""

    levels: int
    base: int  # 3, 5, or 1: there is no digit
    bits: int

    def size(self, count: int) -> int:
        """Bits that so many numbers take: five digits in base three are eight bits, three in base
        five seven."""
        digits = {1: 0, 3: -(-8 * count // 5), 5: -(-7 * count // 3)}[self.base]
        return digits + count * self.bits


def _range(levels: int) -> Range:
    base = next(n for n in (3, 5, 1) if levels % n == 0)
    return Range(levels, base, (levels // base).bit_length() - 1)


RANGES: Final = tuple(_range(n) for n in (
    2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256,
))  # fmt: skip
#: ranges that weights may have, and from which one on colours have theirs
WEIGHT_RANGES, FIRST_COLOR_RANGE = 12, 4
#: the most numbers of colours' ends; weights; bits of weights
MOST_VALUES, MOST_WEIGHTS, WEIGHT_BITS = 18, 64, (24, 96)
#: numbers of lookups: a range's are so many entries
STEP = 256


def _field(word: int, high: int, low: int) -> int:
    return word >> low & (1 << high - low + 1) - 1


def _trits(t: int) -> tuple[int, ...]:
    """Five digits in base three from eight bits."""
    if _field(t, 4, 2) == 7:
        c, fourth, third = _field(t, 7, 5) << 2 | _field(t, 1, 0), 2, 2
    else:
        c = _field(t, 4, 0)
        fourth, third = (2, t >> 7) if _field(t, 6, 5) == 3 else (t >> 7, _field(t, 6, 5))
    if c & 3 == 3:
        top = c >> 3 & 1
        return top << 1 | c >> 2 & 1 & ~top, c >> 4, 2, third, fourth
    if c >> 2 & 3 == 3:
        return c & 3, 2, 2, third, fourth
    top = c >> 1 & 1
    return top << 1 | c & 1 & ~top, c >> 2 & 3, c >> 4, third, fourth


def _quints(q: int) -> tuple[int, ...]:
    """Three digits in base five from seven bits."""
    if _field(q, 2, 1) == 3 and _field(q, 6, 5) == 0:
        low = 0 if q & 1 else _field(q, 4, 3)
        return 4, 4, (q & 1) << 2 | low
    if _field(q, 2, 1) == 3:
        c, second = _field(q, 4, 3) << 3 | (~q >> 5 & 3) << 1 | q & 1, 4
    else:
        c, second = _field(q, 4, 0), _field(q, 6, 5)
    return (c >> 3, 4, second) if c & 7 == 5 else (c & 7, c >> 3, second)


@functools.cache
def digits() -> dict[int, list[tuple[int, ...]]]:
    """By base: the digits of each packed number."""
    return {3: [_trits(n) for n in range(256)], 5: [_quints(n) for n in range(128)]}


# -- what numbers become ---------------------------------------------------------------------------


def _spread(number: int, pattern: str) -> int:
    """Bits put together: letters from "b" on are the number's bits from its second on, "0" none."""
    out = 0
    for letter in pattern:
        out = out << 1 | (0 if letter == "0" else number >> ord(letter) - ord("a") & 1)
    return out


#: by base and bits: the factor of the digit, and where the bits above the lowest one go
_COLORS: Final = {
    (3, 1): (204, "0"), (3, 2): (93, "b000b0bb0"), (3, 3): (44, "cb000cbcb"),
    (3, 4): (22, "dcb000dcb"), (3, 5): (11, "edcb000ed"), (3, 6): (5, "fedcb000f"),
    (5, 1): (113, "0"), (5, 2): (54, "b0000bb00"), (5, 3): (26, "cb0000cbc"),
    (5, 4): (13, "dcb0000dc"), (5, 5): (6, "edcb0000e"),
}  # fmt: skip
_WEIGHTS: Final = {
    (3, 1): (50, "0"), (3, 2): (23, "b000b0b"), (3, 3): (11, "cb000cb"),
    (5, 1): (28, "0"), (5, 2): (13, "b0000b0"),
}  # fmt: skip


def _repeated(number: int, bits: int, wide: int) -> int:
    """A number of `bits` bits made one of `wide` by repeating it."""
    out = 0
    for low in range(wide - bits, -bits, -bits):
        out |= number << low if low >= 0 else number >> -low
    return out


def _mixed(number: int, kind: Range, wide: int, ways: dict[tuple[int, int], tuple[int, str]]
           ) -> int:  # fmt: skip
    factor, pattern = ways[kind.base, kind.bits]
    flip = (2 << wide) - 1 if number & 1 else 0
    low = number & (1 << kind.bits) - 1
    value = ((number >> kind.bits) * factor + _spread(low, pattern)) ^ flip
    top = 1 << wide - 1
    return flip & top | value >> 2


def _weight(number: int, kind: Range) -> int:
    if kind.base == 1:
        value = _repeated(number, kind.bits, 6)
    elif kind.bits == 0:
        value = {3: (0, 32, 63), 5: (0, 16, 32, 47, 63)}[kind.base][number]
    else:
        value = _mixed(number, kind, 6, _WEIGHTS)
    return value + (value > 32)


def _color(number: int, kind: Range) -> int:
    if kind.base == 1:
        return _repeated(number, kind.bits, 8)
    return _mixed(number, kind, 8, _COLORS)


def _lookups(kinds: tuple[Range, ...], of: Callable[[int, Range], int]) -> list[int]:
    out = []
    for kind in kinds:
        out += [of(n, kind) for n in range(kind.levels)] + [0] * (STEP - kind.levels)
    return out


@functools.cache
def lookups() -> list[int]:
    """STEP entries a range: first as weights have it (ranges below WEIGHT_RANGES), then as colours
    do (those from FIRST_COLOR_RANGE on)."""
    weights, colors = RANGES[:WEIGHT_RANGES], RANGES[FIRST_COLOR_RANGE:]
    return _lookups(weights, _weight) + _lookups(colors, _color)


#: at which entry of `lookups` colours' first range begins, less what is before it in RANGES
COLORS_AT = (WEIGHT_RANGES - FIRST_COLOR_RANGE) * STEP


# -- what blocks say -------------------------------------------------------------------------------


class Mode(NamedTuple):
    """The grid of weights. `planes`: one, or two, of which the second is a channel's own."""

    width: int
    height: int
    kind: int  # place in RANGES
    planes: int

    @property
    def weights(self) -> int:
        """How many weights there are."""
        return self.width * self.height * self.planes

    @property
    def size(self) -> int:
        """Bits of the weights."""
        return RANGES[self.kind].size(self.weights)


def _mode(word: int) -> Mode | None:
    """What eleven bits say; None: they are reserved."""
    two, a, b = word & 3, word >> 5 & 3, word >> 7 & 3
    precise, planes = word >> 9 & 1, (word >> 10 & 1) + 1
    if two:
        rank = two << 1 | word >> 4 & 1
        width, height = (
            (b + 4, a + 2), (b + 8, a + 2), (a + 2, b + 8),
            (a + 2, b + 6) if b < 2 else (b, a + 2),
        )[word >> 2 & 3]  # fmt: skip
    else:
        rank = (word >> 2 & 3) << 1 | word >> 4 & 1
        if word & 15 == 0 or word >> 6 & 7 == 7:
            return None
        if b == 2:
            width, height, precise, planes = a + 6, (word >> 9 & 3) + 6, 0, 1
        else:
            width, height = {0: (12, a + 2), 1: (a + 2, 12), 3: ((6, 10), (10, 6))[a & 1]}[b]
    mode = Mode(width, height, rank - 2 + 6 * precise, planes)
    sound = mode.weights <= MOST_WEIGHTS and WEIGHT_BITS[0] <= mode.size <= WEIGHT_BITS[1]
    return mode if sound else None


@functools.cache
def modes() -> list[Mode | None]:
    """By a block's first eleven bits; None: the block is an error (or a void extent)."""
    return [_mode(word) for word in range(1 << 11)]


@functools.cache
def fitting() -> list[int]:
    """By half the count of numbers and 128, and the bits that are left: the greatest range of
    colours' ends that fits; 0: none does."""
    out = []
    for pairs in range(MOST_VALUES // 2 + 1):
        for left in range(128):
            fit = [n for n in range(FIRST_COLOR_RANGE, len(RANGES))
                   if RANGES[n].size(2 * pairs) <= left]  # fmt: skip
            out.append(fit[-1] if fit and pairs else 0)
    return out


__all__ = [
    "COLORS_AT", "FIRST_COLOR_RANGE", "MOST_VALUES", "Mode", "RANGES", "Range", "STEP",
    "WEIGHT_RANGES", "digits", "fitting", "lookups", "modes",
]  # fmt: skip
