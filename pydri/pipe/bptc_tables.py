# SPDX-License-Identifier: MIT
"""What the bits of BPTC blocks stand for, as tables (ARB_texture_compression_bptc, appendix).

In: nothing. Out: UNORM_MODES and FLOAT_MODES, where numbers lie in blocks; SUBSETS, which texels
belong together; ANCHORS, those whose index lacks its highest bit.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class UnormMode(NamedTuple):
    """A mode of BPTC_UNORM; its number is that of the lowest bit that is set."""

    subsets: int
    partition: int  # bits
    rotation: int
    selection: int
    color: int  # bits of a channel of an end
    alpha: int
    own: int  # each end has a lowest bit for all channels
    shared: int  # both ends of a subset have one
    first: int  # bits of an index
    second: int  # of the other index, 0: there is none


UNORM_MODES: Final = (
    UnormMode(3, 4, 0, 0, 4, 0, 1, 0, 3, 0),
    UnormMode(2, 6, 0, 0, 6, 0, 0, 1, 3, 0),
    UnormMode(3, 6, 0, 0, 5, 0, 0, 0, 2, 0),
    UnormMode(2, 6, 0, 0, 7, 0, 1, 0, 2, 0),
    UnormMode(1, 0, 2, 1, 5, 6, 0, 0, 2, 3),
    UnormMode(1, 0, 2, 0, 7, 8, 0, 0, 2, 2),
    UnormMode(1, 0, 0, 0, 7, 7, 1, 0, 4, 0),
    UnormMode(2, 6, 0, 0, 5, 5, 1, 0, 2, 0),
)


class Field(NamedTuple):
    """Bits of an end's channel."""

    end: int
    channel: int
    first: int  # of the number that they are part of
    size: int
    turned: bool  # the highest one comes first


class FloatMode(NamedTuple):
    """A mode of the formats with floats. Ends behind the first are differences of some bits each,
    if these are fewer than the first has."""

    bits: int  # of a channel of the first end
    others: tuple[int, int, int]
    parted: bool  # two subsets, with indices of three bits; else one, with four
    differs: bool
    fields: tuple[Field, ...]


def _fields(text: str) -> tuple[Field, ...]:
    """Fields `channel end first[:count][~]` from the lowest bit on: channels r, g and b, ends w, x,
    y and z."""
    out = []
    for word in text.split():
        first, _, count = word[2:].rstrip("~").partition(":")
        end, channel = "wxyz".index(word[1]), "rgb".index(word[0])
        out.append(Field(end, channel, int(first), int(count or 1), word.endswith("~")))
    return tuple(out)


_WIDE: Final = "rw0:10 gw0:10 bw0:10"
#: by the lowest two bits where the second of them is 0, else by five: bits of the first end, of the
#: others, fields
_FLOAT_MODES: Final[dict[int, tuple[int, tuple[int, int, int], str]]] = {
    0b00: (10, (5, 5, 5), f"gy4 by4 bz4 {_WIDE} rx0:5 gz4 gy0:4 gx0:5 bz0 gz0:4 bx0:5 bz1 by0:4"
           " ry0:5 bz2 rz0:5 bz3"),
    0b01: (7, (6, 6, 6), "gy5 gz4 gz5 rw0:7 bz0 bz1 by4 gw0:7 by5 bz2 gy4 bw0:7 bz3 bz5 bz4 rx0:6"
           " gy0:4 gx0:6 gz0:4 bx0:6 by0:4 ry0:6 rz0:6"),
    0b00010: (11, (5, 4, 4), f"{_WIDE} rx0:5 rw10 gy0:4 gx0:4 gw10 bz0 gz0:4 bx0:4 bw10 bz1 by0:4"
              " ry0:5 bz2 rz0:5 bz3"),
    0b00110: (11, (4, 5, 4), f"{_WIDE} rx0:4 rw10 gz4 gy0:4 gx0:5 gw10 gz0:4 bx0:4 bw10 bz1 by0:4"
              " ry0:4 bz0 bz2 rz0:4 gy4 bz3"),
    0b01010: (11, (4, 4, 5), f"{_WIDE} rx0:4 rw10 by4 gy0:4 gx0:4 gw10 bz0 gz0:4 bx0:5 bw10 by0:4"
              " ry0:4 bz1 bz2 rz0:4 bz4 bz3"),
    0b01110: (9, (5, 5, 5), "rw0:9 by4 gw0:9 gy4 bw0:9 bz4 rx0:5 gz4 gy0:4 gx0:5 bz0 gz0:4 bx0:5"
              " bz1 by0:4 ry0:5 bz2 rz0:5 bz3"),
    0b10010: (8, (6, 5, 5), "rw0:8 gz4 by4 gw0:8 bz2 gy4 bw0:8 bz3 bz4 rx0:6 gy0:4 gx0:5 bz0 gz0:4"
              " bx0:5 bz1 by0:4 ry0:6 rz0:6"),
    0b10110: (8, (5, 6, 5), "rw0:8 bz0 by4 gw0:8 gy5 gy4 bw0:8 gz5 bz4 rx0:5 gz4 gy0:4 gx0:6 gz0:4"
              " bx0:5 bz1 by0:4 ry0:5 bz2 rz0:5 bz3"),
    0b11010: (8, (5, 5, 6), "rw0:8 bz1 by4 gw0:8 by5 gy4 bw0:8 bz5 bz4 rx0:5 gz4 gy0:4 gx0:5 bz0"
              " gz0:4 bx0:6 by0:4 ry0:5 bz2 rz0:5 bz3"),
    0b11110: (6, (6, 6, 6), "rw0:6 gz4 bz0 bz1 by4 gw0:6 gy5 by5 bz2 gy4 bw0:6 gz5 bz3 bz5 bz4"
              " rx0:6 gy0:4 gx0:6 gz0:4 bx0:6 by0:4 ry0:6 rz0:6"),
    0b00011: (10, (10, 10, 10), f"{_WIDE} rx0:10 gx0:10 bx0:10"),
    0b00111: (11, (9, 9, 9), f"{_WIDE} rx0:9 rw10 gx0:9 gw10 bx0:9 bw10"),
    0b01011: (12, (8, 8, 8), f"{_WIDE} rx0:8 rw10:2~ gx0:8 gw10:2~ bx0:8 bw10:2~"),
    0b01111: (16, (4, 4, 4), f"{_WIDE} rx0:4 rw10:6~ gx0:4 gw10:6~ bx0:4 bw10:6~"),
}
FLOAT_MODES: Final = {
    word: FloatMode(bits, others, word & 3 != 3, bits != others[0], _fields(text))
    for word, (bits, others, text) in _FLOAT_MODES.items()
}
#: where the partition, and where the indices of two subsets and of one begin
FLOAT_PARTITION, FLOAT_PARTED, FLOAT_WHOLE = 77, 82, 65

#: by partition: of each texel, a bit whether it is of the second of two subsets
_TWO: Final = """
cccc 8888 eeee ecc8 c880 feec fec8 ec80 c800 ffec fe80 e800 ffe8 ff00 fff0 f000
f710 008e 7100 08ce 008c 7310 3100 8cce 088c 3110 6666 366c 17e8 0ff0 718e 399c
aaaa f0f0 5a5a 33cc 3c3c 55aa 9696 a55a 73ce 13c8 324c 3bdc 6996 c33c 9966 0660
0272 04e4 4e40 2720 c936 936c 39c6 639c 9336 9cc6 817e e718 ccf0 0fcc 7744 ee22
"""
#: of each texel, two bits that say of which of three subsets it is
_THREE: Final = """
aa685050 6a5a5040 5a5a4200 5450a0a8 a5a50000 a0a05050 5555a0a0 5a5a5050
aa550000 aa555500 aaaa5500 90909090 94949494 a4a4a4a4 a9a59450 2a0a4250
a5945040 0a425054 a5a5a500 55a0a0a0 a8a85454 6a6a4040 a4a45000 1a1a0500
0050a4a4 aaa59090 14696914 69691400 a08585a0 aa821414 50a4a450 6a5a0200
a9a58000 5090a0a8 a8a09050 24242424 00aa5500 24924924 24499224 50a50a50
500aa550 aaaa4444 66660000 a5a0a5a0 50a050a0 69286928 44aaaa44 66666600
aa444444 54a854a8 95809580 96969600 a85454a8 80959580 aa141414 96960000
aaaa1414 a05050a0 a0a5a5a0 96000000 40804080 a9a8a9a8 aaaaaa44 2a4a5254
"""


def _spread(mask: int) -> int:
    """Sixteen bits, two apart."""
    return sum((mask >> n & 1) << 2 * n for n in range(16))


#: by how many subsets there are: two bits a texel, by partition
SUBSETS: Final = {
    1: [0] * 64,
    2: [_spread(int(word, 16)) for word in _TWO.split()],
    3: [int(word, 16) for word in _THREE.split()],
}


def _hex(text: str) -> list[int]:
    return [int(digit, 16) for digit in text]


#: by how many subsets there are: a texel of the second and of the third one, by partition
ANCHORS: Final = {
    1: ([0] * 64, [0] * 64),
    2: (_hex("fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f"), [0] * 64),
    3: (_hex("33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33"),
        _hex("f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8")),
}

__all__ = [
    "ANCHORS", "FLOAT_MODES", "FLOAT_PARTED", "FLOAT_PARTITION", "FLOAT_WHOLE", "Field",
    "FloatMode", "SUBSETS", "UNORM_MODES", "UnormMode",
]  # fmt: skip
