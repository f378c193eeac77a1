# SPDX-License-Identifier: MIT
"""Kernels that decode compressed blocks to the texels that are sampled (Format.decoded).

In: rows of blocks of S3TC, RGTC (and LATC, whose blocks are the same), FXT1, ETC2, EAC, ASTC or
BPTC. Out: rows of texels of one, two, four or eight bytes; of blocks at the right and lower edge
only what lies within the image. What they mean is pydri/pipe/codec_numpy.py's affair. A block of
4x4 texels is 16 lanes; a block of FXT1 is two of those. Mesa: util/format/u_format_s3tc.c,
u_format_rgtc.c; main/texcompress_fxt1.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import i32, ptr, u8, u16, u32, u64, void
from pydri.pipe import codec_astc, codec_bptc, codec_etc, codec_fxt1
from pydri.pipe.codec_parts import pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.format import Format

U32X16, I32X16 = u32.vec(16), i32.vec(16)
OPAQUE, SIGNED = 1, 2  # flags
#: destination, bytes a row; source, bytes a row of blocks; texels across and down; flags
DECODE = (ptr(u8), u64, ptr(u8), u64, u32, u32, u32)


class Codec(NamedTuple):
    """How blocks of a kind are decoded."""

    kernel: Kernel
    bytes: int  # a block
    width: int  # texels a block; 0: the flags say its width and height
    texel: int  # bytes a texel


# -- parts of blocks -------------------------------------------------------------------------------


def _codes(b: Builder, word: Value, bits: int) -> Value:
    """16 codes of a word (u32): one or two bits each."""
    shifts = b.const(U32X16, [bits * n for n in range(16)])
    return (b.splat(word, 16) >> shifts) & ((1 << bits) - 1)


def _wide_codes(b: Builder, low: Value, high: Value, bits: int) -> Value:
    """16 codes of three or four bits: eight in each of two words (u32)."""
    first = b.const(u32.vec(16), [0] * 8 + [1] * 8) != 0
    words = b.select(first, b.splat(high, 16), b.splat(low, 16))
    shifts = b.const(U32X16, [bits * (n % 8) for n in range(16)])
    return (words >> shifts) & ((1 << bits) - 1)


def _expand(b: Builder, color: Value) -> list[Value]:
    """Red, green and blue (u32, 8 bits) of 5, 6 and 5 bits."""
    r, g, bl = color >> 11, (color >> 5) & 63, color & 31
    return [(r << 3) | (r >> 2), (g << 2) | (g >> 4), (bl << 3) | (bl >> 2)]


def _rgba(parts: list[Value]) -> Value:
    return parts[0] | (parts[1] << 8) | (parts[2] << 16) | (parts[3] << 24)


def _colors(b: Builder, block: Pointer, four: bool) -> Value:
    """The colour part of an S3TC block as 16 R8G8B8A8 words; `four`: it always has four colours."""
    ends = block.cast(ptr(u32)).load(align=1)
    c0, c1 = ends & 0xFFFF, ends >> 16
    codes = _codes(b, b.bytes_from(block, 4, u32).load(align=1), 2)
    first, second = _expand(b, c0), _expand(b, c1)
    opaque = b.const(u32, 255)
    pairs = list(zip(first, second, strict=True))
    third = [(x * 2 + y) // 3 for x, y in pairs]
    fourth = [(x + y * 2) // 3 for x, y in pairs]
    palette = [_rgba([*c, opaque]) for c in (first, second, third, fourth)]
    if not four:
        wide = c0 > c1
        half = _rgba([*((x + y) >> 1 for x, y in pairs), opaque])
        palette[2] = b.select(wide, palette[2], half)
        palette[3] = b.select(wide, palette[3], 0)
    return pick(b, codes, palette)


def _gradient(b: Builder, block: Pointer, signed: Value | None) -> Value:
    """Eight numbers between two (u32x16, 8 bits): the alpha of DXT5, a channel of RGTC. `signed`:
    whether they are two's complements (None: they are not)."""
    ends = b.cast(block.cast(ptr(u16)).load(align=1), u32)
    a = [b.bitcast(ends & 0xFF, i32), b.bitcast(ends >> 8, i32)]
    low, high = b.const(i32, 0), b.const(i32, 255)
    if signed is not None:
        a = [b.select(signed, (v << 24) >> 24, v) for v in a]
        low, high = b.select(signed, b.const(i32, -128), low), b.select(signed, 127, high)
    words = [b.bytes_from(block, at, u32).load(align=1) & 0xFFFFFF for at in (2,)]
    # the last three bytes, without the one that follows the block
    words.append(b.bytes_from(block, 4, u32).load(align=1) >> 8)
    code = b.bitcast(_wide_codes(b, words[0], words[1], 3), i32)
    a0, a1 = b.splat(a[0], 16), b.splat(a[1], 16)
    eight = (a0 * (8 - code) + a1 * (code - 1)) // 7
    six = (a0 * (6 - code) + a1 * (code - 1)) // 5
    six = b.select(code == 6, b.splat(low, 16), b.select(code == 7, b.splat(high, 16), six))
    out = b.select(b.splat(a[0] > a[1], 16), eight, six)
    out = b.select(code == 0, a0, b.select(code == 1, a1, out))
    return b.bitcast(out, u32) & 0xFF


def _nibbles(b: Builder, block: Pointer) -> Value:
    """16 numbers of four bits as eight: the alpha of DXT3."""
    low, high = (b.bytes_from(block, at, u32).load(align=1) for at in (0, 4))
    return _wide_codes(b, low, high, 4) * 17


def _dxt1(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    opaque = b.select((flags & OPAQUE) != 0, b.const(u32, 0xFF000000), 0)
    return [_colors(b, block, False) | b.splat(opaque, 16)]


def _dxt3(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    rgb = _colors(b, block + 8, True) & 0xFFFFFF
    return [rgb | (_nibbles(b, block) << 24)]


def _dxt5(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    rgb = _colors(b, block + 8, True) & 0xFFFFFF
    return [rgb | (_gradient(b, block, None) << 24)]


def _rgtc1(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    return [_gradient(b, block, (flags & SIGNED) != 0)]


def _rgtc2(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    signed = (flags & SIGNED) != 0
    return [_gradient(b, block, signed) | (_gradient(b, block + 8, signed) << 8)]


# -- images ----------------------------------------------------------------------------------------


def _put(b: Builder, to: Pointer, stride: Value, texels: Value, size: int, columns: Value,
         rows: Value) -> None:  # fmt: skip
    """Store 4x4 texels (u32x16 or u64x16) of `size` bytes, as many columns and rows as the image
    has."""
    ty = {1: u8, 2: u16, 4: u32, 8: u64}[size]
    narrow = b.cast(texels, ty)
    parts = [b.shuffle(narrow, None, list(range(4 * n, 4 * n + 4))) for n in range(4)]
    with b.If((columns >= 4) & (rows >= 4)):
        for n, part in enumerate(parts):
            b.bytes_from(to, stride * n, ty).store(part, align=1)
    with b.Else():
        kept = b.array(ty, 16, align=64)
        kept.store(narrow, align=min(16 * size, 64))
        with b.For(b.const(u32, 0), b.min(rows, 4)) as y:
            line = b.bytes_from(to, stride * b.cast(y, u64), ty)
            with b.For(b.const(u32, 0), b.min(columns, 4)) as x:
                line[x] = kept[y * 4 + x]


def _decoder(name: str, bytes_: int, width: int, texel: int,
             block: Callable[[Builder, Pointer, Value], list[Value]]) -> Codec:  # fmt: skip
    """The codec of blocks of `width` texels, four of them high; `block` gives a u32x16 for each
    four columns."""

    @kernel(void, DECODE, name=f"decode_{name}", noinline=True, noalias=(0, 2))
    def decode(b: Builder, dst: Pointer, stride: Value, src: Pointer, src_stride: Value,
               across: Value, down: Value, flags: Value) -> None:  # fmt: skip
        with b.For(b.const(u32, 0), down, 4) as y:
            line = b.bytes_from(dst, b.cast(y, u64) * stride, u8)
            blocks = b.bytes_from(src, b.cast(y >> 2, u64) * src_stride, u8)
            with b.For(b.const(u32, 0), across, width) as x:
                at = b.cast(x // width, u64) * bytes_
                for n, texels in enumerate(block(b, b.bytes_from(blocks, at, u8), flags)):
                    left = x + 4 * n
                    with b.If(left < across):
                        to = b.bytes_from(line, b.cast(left, u64) * texel, u8)
                        _put(b, to, stride, texels, texel, across - left, down - y)

    return Codec(decode, bytes_, width, texel)


def _fxt1(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    opaque = b.splat(b.select((flags & OPAQUE) != 0, b.const(u32, 0xFF000000), 0), 16)
    return [half | opaque for half in codec_fxt1.halves(b, block)]


def _etc2(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    return [codec_etc.colors(b, block, False)]


def _etc2_punched(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    return [codec_etc.colors(b, block, True)]


def _etc2_alpha(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    rgb = codec_etc.colors(b, block + 8, False) & 0xFFFFFF
    return [rgb | (codec_etc.alpha(b, block) << 24)]


def _eac1(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    return [codec_etc.eleven(b, block, (flags & SIGNED) != 0)]


def _eac2(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    signed = (flags & SIGNED) != 0
    red, green = (codec_etc.eleven(b, block + at, signed) for at in (0, 8))
    return [red | (green << 16)]


def _bptc(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    return [codec_bptc.unorm(b, block)]


def _bptc_float(b: Builder, block: Pointer, flags: Value) -> list[Value]:
    return [codec_bptc.floats(b, block, (flags & SIGNED) != 0)]


CODECS: dict[str, Codec] = {
    "dxt1": _decoder("dxt1", 8, 4, 4, _dxt1),
    "dxt3": _decoder("dxt3", 16, 4, 4, _dxt3),
    "dxt5": _decoder("dxt5", 16, 4, 4, _dxt5),
    "rgtc1": _decoder("rgtc1", 8, 4, 1, _rgtc1),
    "rgtc2": _decoder("rgtc2", 16, 4, 2, _rgtc2),
    "fxt1": _decoder("fxt1", 16, 8, 4, _fxt1),
    "etc2": _decoder("etc2", 8, 4, 4, _etc2),
    "etc2_punched": _decoder("etc2_punched", 8, 4, 4, _etc2_punched),
    "etc2_alpha": _decoder("etc2_alpha", 16, 4, 4, _etc2_alpha),
    "eac1": _decoder("eac1", 8, 4, 2, _eac1),
    "eac2": _decoder("eac2", 16, 4, 4, _eac2),
    "bptc": _decoder("bptc", 16, 4, 4, _bptc),
    "bptc_float": _decoder("bptc_float", 16, 4, 8, _bptc_float),
    "astc": Codec(codec_astc.decode, codec_astc.BLOCK_BYTES, 0, 4),
}


def flags_of(fmt: Format) -> int:
    """What a codec's kernel must know of a format."""
    opaque = OPAQUE if fmt.decoded.startswith("R8G8B8X8") else 0
    signed = SIGNED if fmt.name.endswith(("_SNORM", "_FLOAT")) else 0
    encoded = codec_astc.ENCODED if fmt.decoded.endswith("_SRGB") else 0
    size = fmt.width << codec_astc.WIDTH_AT | fmt.height << codec_astc.HEIGHT_AT
    return opaque | signed | encoded | size


__all__ = ["CODECS", "Codec", "DECODE", "OPAQUE", "SIGNED", "flags_of"]
