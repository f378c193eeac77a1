# SPDX-License-Identifier: MIT
"""Compressed blocks decoded in numpy: the definition and judge of the codecs' kernels.

In: a compressed format and blocks, uint8 of shape (n, bytes a block). Out: texels of the format it
is decoded to, uint8 of shape (n, texels a block, bytes a texel), row by row.

EXT_texture_compression_s3tc, ARB_texture_compression_rgtc (EXT_texture_compression_latc has the
same blocks), 3DFX_texture_compression_FXT1; ETC2 and EAC: codec_etc_numpy.py; ASTC:
codec_astc_numpy.py; BPTC: codec_bptc_numpy.py. Where a specification leaves rounding open we do as
Mesa: 5 and 6 bits become 8 by repeating bits (FXT1: by rounding), and interpolation cuts off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pydri.pipe import codec_astc_numpy, codec_bptc_numpy, codec_etc_numpy
from pydri.pipe.format import Format

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]


def _word(blocks: Bytes, first: int, count: int) -> Ints:
    """Bytes as little-endian numbers."""
    powers = 1 << 8 * np.arange(count, dtype=np.int64)
    out: Ints = (blocks[:, first : first + count].astype(np.int64) * powers).sum(axis=1)
    return out


def _codes(word: Ints, bits: int, count: int = 16) -> Ints:
    """`count` codes of each word, the lowest bits first."""
    return word[:, None] >> bits * np.arange(count) & (1 << bits) - 1


def _truncated(x: Ints, by: int) -> Ints:
    """A division that cuts off towards zero."""
    out: Ints = np.sign(x) * (np.abs(x) // by)
    return out


# -- S3TC, RGTC ------------------------------------------------------------------------------------


def _rgb565(word: Ints) -> Ints:
    """(n, 3) of 8 bits."""
    r, g, b = word >> 11 & 31, word >> 5 & 63, word & 31
    return np.stack([r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2], axis=1)


def _colors(blocks: Bytes, four: bool) -> Ints:
    """The colour part of an S3TC block as RGBA (n, 16, 4); `four`: it always has four colours."""
    c0, c1 = _word(blocks, 0, 2), _word(blocks, 2, 2)
    first, second = _rgb565(c0), _rgb565(c1)
    wide = ((c0 > c1) | four)[:, None]
    third = np.where(wide, (2 * first + second) // 3, (first + second) // 2)
    fourth = np.where(wide, (first + 2 * second) // 3, 0)
    palette = np.full((len(blocks), 4, 4), 255, np.int64)
    palette[:, :, :3] = np.stack([first, second, third, fourth], axis=1)
    palette[:, 3, 3] = np.where(wide[:, 0], 255, 0)
    codes = _codes(_word(blocks, 4, 4), 2)
    return np.take_along_axis(palette, codes[:, :, None], axis=1)


def _gradient(blocks: Bytes, signed: bool) -> Ints:
    """Eight numbers between two: the alpha of DXT5, a channel of RGTC (n, 16)."""
    ends = blocks[:, :2].view(np.int8) if signed else blocks[:, :2]
    a0, a1 = (ends[:, n].astype(np.int64)[:, None] for n in (0, 1))
    code = _codes(_word(blocks, 2, 6), 3)
    low, high = (-128, 127) if signed else (0, 255)
    eight = _truncated(a0 * (8 - code) + a1 * (code - 1), 7)
    six = _truncated(a0 * (6 - code) + a1 * (code - 1), 5)
    six = np.where(code == 6, low, np.where(code == 7, high, six))
    out = np.where(a0 > a1, eight, six)
    return np.where(code == 0, a0, np.where(code == 1, a1, out))


# -- FXT1 ------------------------------------------------------------------------------------------


def _up(value: Ints, bits: int) -> Ints:
    """Numbers of 5 or 6 bits as 8, rounded."""
    top = (1 << bits) - 1
    return ((value & top) * 510 + top) // (2 * top)


def _lerp(n: int, t: Ints, c0: Ints, c1: Ints) -> Ints:
    return ((n - t) * c0 + t * c1 + n // 2) // n


class _Fxt:
    """Fields of FXT1 blocks, for all texels of all blocks: everything has shape (n, 32)."""

    def __init__(self, blocks: Bytes) -> None:
        bits = np.unpackbits(blocks, axis=1, bitorder="little").astype(np.int64)
        self.bits = np.hstack([bits, np.zeros((len(blocks), 32), np.int64)])
        x, y = np.arange(32) % 8, np.arange(32) // 8
        # half of the block, and texel of that
        self.half = np.broadcast_to(x // 4, (len(blocks), 32))
        self.texel = y * 4 + x % 4

    def field(self, at: Ints | int, size: int) -> Ints:
        """Bits from `at` (one number, or one a texel) on."""
        first = np.broadcast_to(np.asarray(at, np.int64), self.half.shape)
        out = np.zeros(self.half.shape, np.int64)
        for n in range(size):
            out |= np.take_along_axis(self.bits, first + n, axis=1) << n
        return out

    def color(self, at: Ints | int) -> list[Ints]:
        """Red, green and blue of 5 bits each, blue lowest."""
        return [self.field(at + 5 * n, 5) for n in (2, 1, 0)]

    def code(self) -> Ints:
        """The two bits of each texel."""
        return self.field(32 * self.half + 2 * self.texel, 2)

    def high(self) -> list[Ints]:
        t = self.field(3 * (self.texel + 16 * self.half), 3)
        ends = zip(self.color(96), self.color(111), strict=True)
        out = [_lerp(6, np.minimum(t, 6), _up(c0, 5), _up(c1, 5)) for c0, c1 in ends]
        seen = t != 7
        return [*(np.where(seen, c, 0) for c in out), np.where(seen, 255, 0)]

    def chroma(self) -> list[Ints]:
        colors = self.color(64 + 15 * self.code())
        return [*(_up(c, 5) for c in colors), np.full_like(colors[0], 255)]

    def mixed(self) -> list[Ints]:
        t, low = self.code(), self.field(125 + self.half, 1)
        first, second = self.color(64 + 30 * self.half), self.color(79 + 30 * self.half)
        select = self.field(1 + 32 * self.half, 1)
        one = [_up(c, 5) for c in first]
        other = [_up(c, 5) for c in second]
        other[1] = _up(second[1] << 1 | low, 6)
        three = [np.choose(np.minimum(t, 2), (a, (a + b) // 2, b)) for a, b in zip(one, other)]
        seen = t != 3
        punched = [*(np.where(seen, c, 0) for c in three), np.where(seen, 255, 0)]
        one[1] = _up(first[1] << 1 | low ^ select, 6)
        plain = [_lerp(3, t, a, b) for a, b in zip(one, other)]
        plain.append(np.full_like(t, 255))
        flag = self.field(124, 1) != 0
        return [np.where(flag, a, b) for a, b in zip(punched, plain)]

    def alpha(self) -> list[Ints]:
        t = self.code()
        first = [*self.color(64 + 30 * self.half), self.field(109 + 10 * self.half, 5)]
        second = [*self.color(79), self.field(114, 5)]
        between = [_lerp(3, t, _up(a, 5), _up(b, 5)) for a, b in zip(first, second)]
        seen = t != 3
        given = [*self.color(64 + 15 * t), self.field(109 + 5 * t, 5)]
        one = [np.where(seen, _up(c, 5), 0) for c in given]
        flag = self.field(124, 1) != 0
        return [np.where(flag, a, b) for a, b in zip(between, one)]

    def rgba(self) -> Ints:
        mode = self.field(125, 3)
        forms = (self.high(), self.chroma(), self.alpha(), self.mixed())
        which = np.select([mode < 2, mode == 2, mode == 3], [0, 1, 2], 3)
        return np.stack([np.choose(which, [f[n] for f in forms]) for n in range(4)], axis=2)


def decode(fmt: Format, blocks: Bytes) -> Bytes:
    """Blocks as texels."""
    signed = fmt.name.endswith("_SNORM")
    if fmt.codec == "dxt1":
        out = _colors(blocks, False)
    elif fmt.codec == "dxt3":
        out = _colors(blocks[:, 8:], True)
        out[:, :, 3] = _codes(_word(blocks, 0, 8), 4) * 17
    elif fmt.codec == "dxt5":
        out = _colors(blocks[:, 8:], True)
        out[:, :, 3] = _gradient(blocks[:, :8], False)
    elif fmt.codec == "fxt1":
        out = _Fxt(blocks).rgba()
    elif fmt.codec == "astc":
        encoded = fmt.decoded.endswith("_SRGB")
        out = codec_astc_numpy.texels(blocks, fmt.width, fmt.height, encoded)
    elif fmt.codec.startswith("bptc"):
        out = codec_bptc_numpy.texels(blocks, fmt.codec, fmt.name.endswith("_FLOAT"))
        if fmt.codec == "bptc_float":
            return np.asarray(out, "<u2").view(np.uint8)
    elif fmt.codec.startswith("etc2"):
        out = codec_etc_numpy.colors(blocks[:, -8:], fmt.codec == "etc2_punched")
        if fmt.codec == "etc2_alpha":
            out[:, :, 3] = codec_etc_numpy.alpha(blocks[:, :8])
    elif fmt.codec.startswith("eac"):
        parts = [blocks[:, n : n + 8] for n in range(0, fmt.bytes, 8)]
        numbers = np.stack([codec_etc_numpy.eleven(part, signed) for part in parts], axis=2)
        return numbers.astype("<u2").view(np.uint8)
    else:
        parts = [blocks[:, n : n + 8] for n in range(0, fmt.bytes, 8)]
        out = np.stack([_gradient(part, signed) for part in parts], axis=2)
    if fmt.decoded.startswith("R8G8B8X8"):
        out[:, :, 3] = 255
    return (out & 255).astype(np.uint8)


__all__ = ["decode"]
