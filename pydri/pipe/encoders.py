# SPDX-License-Identifier: MIT
"""Kernels that compress: texels to blocks of S3TC, RGTC (LATC), FXT1 and BPTC.

In: rows of texels of what the format is decoded to (one to eight bytes), any size; blocks at
the edge repeat the last column and row. Out: rows of blocks. Colours are fitted in two steps: the
diagonal of the box in which the block's colours lie (its corners chosen by the sign of covariance),
then twice the ends for which the chosen codes have the least squared error; the best of the three
stays. Numbers of one channel take eight steps from the greatest to the least. Everything is whole
numbers, or f32 in one order: the same blocks for every vector width. A block decoded is what
pydri/pipe/codec_numpy.py says. Mesa: main/texcompress_s3tc_tmp.h, texcompress_fxt1.c do the same
job in other ways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import boolean, f32, i32, ptr, u8, u16, u32, u64, void
from pydri.pipe.codecs import CODECS, OPAQUE, SIGNED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydri.jit import Builder, Pointer, Value, Var

U32X16, I32X16, U64X16 = u32.vec(16), i32.vec(16), u64.vec(16)
#: blocks, bytes a row of them; texels, bytes a row; texels across and down; flags (codecs.py)
ENCODE = (ptr(u8), u64, ptr(u8), u64, u32, u32, u32)


class _Fit(NamedTuple):
    """Two colours of 5, 6 and 5 bits, codes, and the squared error of all texels."""

    ends: list[Var[Value]]
    codes: Var[Value]
    error: Var[Value]


def _channels(b: Builder, words: Value) -> list[Value]:
    """Red, green, blue of R8G8B8A8 words (i32x16)."""
    return [b.bitcast((words >> n) & 0xFF, i32) for n in (0, 8, 16)]


def _box(b: Builder, channels: list[Value], mask: Value) -> list[list[Value]]:
    """Two corners of the box of the texels of `mask`: along which its colours lie."""
    low = [b.reduce("min", b.select(mask, c, 255)) for c in channels]
    high = [b.reduce("max", b.select(mask, c, 0)) for c in channels]
    twice = [c * 2 - b.splat(x + h, 16) for c, x, h in zip(channels, low, high, strict=True)]
    main, widest = twice[0], high[0] - low[0]
    for c, x, h in zip(twice[1:], low[1:], high[1:], strict=True):
        main = b.select(b.splat(h - x > widest, 16), c, main)
        widest = b.max(widest, h - x)
    first, second = [], []
    for c, x, h in zip(twice, low, high, strict=True):
        falls = b.reduce("add", b.select(mask, c * main, 0)) < 0
        first.append(b.select(falls, x, h))
        second.append(b.select(falls, h, x))
    return [first, second]


def _to_565(b: Builder, rgb: list[Value]) -> Value:
    """Colours of 8 bits (i32 from 0 to 255) as 5, 6 and 5 bits, nearest."""
    r, g, bl = ((c * top + 127) // 255 for c, top in zip(rgb, (31, 63, 31), strict=True))
    return b.bitcast((r << 11) | (g << 5) | bl, u32)


def _repeat(word: Value) -> list[Value]:
    """Colours of 5, 6 and 5 bits as S3TC has them in 8."""
    r, g, bl = word >> 11, (word >> 5) & 63, word & 31
    return [(r << 3) | (r >> 2), (g << 2) | (g >> 4), (bl << 3) | (bl >> 2)]


def _round(word: Value) -> list[Value]:
    """The same as FXT1 has them."""
    five = [((word >> n) & 31) * 510 + 31 for n in (11, 0)]
    return [five[0] // 62, (((word >> 5) & 63) * 510 + 63) // 126, five[1] // 62]


def _s3tc_palette(b: Builder, ends: list[Value], parts: int) -> list[list[Value]]:
    """Colours by code: the ends, then what lies between them (`parts` 3: two, 2: one)."""
    x, y = (_repeat(e) for e in ends)
    pairs = list(zip(x, y, strict=True))
    if parts == 2:
        return [x, y, [(p + q) >> 1 for p, q in pairs]]
    return [x, y, [(p * 2 + q) // 3 for p, q in pairs], [(p + q * 2) // 3 for p, q in pairs]]


def _fxt1_palette(b: Builder, ends: list[Value], parts: int) -> list[list[Value]]:
    x, y = (_round(e) for e in ends)
    pairs = list(zip(x, y, strict=True))
    if parts == 2:
        return [x, [(p + q) >> 1 for p, q in pairs], y]
    return [[(p * (3 - t) + q * t + 1) // 3 for p, q in pairs] for t in range(4)]


#: how many parts of the first end each code has, by palette and parts
_SHARES = {
    (_s3tc_palette, 3): (3, 0, 2, 1), (_s3tc_palette, 2): (2, 0, 1),
    (_fxt1_palette, 3): (3, 2, 1, 0), (_fxt1_palette, 2): (2, 1, 0),
}  # fmt: skip


def _nearest(b: Builder, rgb: list[Value], palette: list[list[Value]], mask: Value
             ) -> tuple[Value, Value]:  # fmt: skip
    """The code of each texel (u32x16), and the squared error of all."""
    best, codes = b.const(I32X16, 1 << 28), b.const(U32X16, 0)
    for n, color in enumerate(palette):
        error = b.const(I32X16, 0)
        for c, end in zip(rgb, color, strict=True):
            difference = c - b.splat(b.bitcast(end, i32), 16)
            error = error + difference * difference
        closer = error < best
        codes = b.select(closer, b.const(U32X16, n), codes)
        best = b.select(closer, error, best)
    return codes, b.reduce("add", b.select(mask, best, 0))


def _refined(b: Builder, rgb: list[Value], codes: Value, mask: Value, shares: tuple[int, ...],
             limits: tuple[float, float] = (0.0, 255.0)
             ) -> tuple[list[list[Value]], Value]:  # fmt: skip
    """The ends of least squared error for given codes; false where all codes are the same."""
    parts = max(shares)
    a = b.const(I32X16, 0)
    for n, share in enumerate(shares):
        a = b.select(codes == n, b.const(I32X16, share), a)
    a, c = b.select(mask, a, 0), b.select(mask, parts - a, 0)
    sums = [b.reduce("add", v) for v in (a * a, a * c, c * c)]
    det = sums[0] * sums[2] - sums[1] * sums[1]
    aa, ac, cc = (b.cast(v, f32) for v in sums)
    scale = float(parts) / b.cast(b.max(det, 1), f32)
    ends: list[list[Value]] = [[], []]
    for channel in rgb:
        ax, cx = (b.cast(b.reduce("add", v * channel), f32) for v in (a, c))
        for end, value in zip(ends, (cc * ax - ac * cx, aa * cx - ac * ax), strict=True):
            end.append(b.cast(b.clamp(value * scale, *limits) + 0.5, i32))
    return ends, det > 0


def _fit(b: Builder, words: Value, mask: Value, palette: Callable[..., list[list[Value]]],
         parts: int) -> _Fit:  # fmt: skip
    """Two colours and codes for texels; those outside of `mask` do not count."""
    rgb = _channels(b, words)
    fit = _Fit([b.var(u32), b.var(u32)], b.var(U32X16), b.var(i32, 0x7FFFFFFF))

    def tried(ends: list[list[Value]], sound: Value | None) -> None:
        packed = [_to_565(b, e) for e in ends]
        codes, error = _nearest(b, rgb, palette(b, packed, parts), mask)
        better = error < fit.error.value
        with b.If(better if sound is None else better & sound):
            fit.ends[0].value, fit.ends[1].value = packed
            fit.codes.value, fit.error.value = codes, error

    tried(_box(b, rgb, mask), None)
    for _ in range(2):
        with b.If(fit.error.value != 0):
            ends, sound = _refined(b, rgb, fit.codes.value, mask, _SHARES[palette, parts])
            tried(ends, sound)
    return fit


def _packed(b: Builder, codes: Value, bits: int) -> Value:
    """16 codes as a number (u64), the first lowest."""
    shifts = b.const(U64X16, [bits * n for n in range(16)])
    return b.reduce("or", b.cast(codes, u64) << shifts)


# -- S3TC, RGTC ------------------------------------------------------------------------------------

_BLOCK = (ptr(u8), ptr(u32))  # where it goes; 16 texels


def _store_colors(b: Builder, out: Pointer, c0: Value, c1: Value, codes: Value) -> None:
    words = out.cast(ptr(u32))
    words.store(c0 | (c1 << 16), align=1)
    (words + 1).store(b.cast(_packed(b, codes, 2), u32), align=1)


@kernel(void, _BLOCK, noinline=True)
def block_four(b: Builder, out: Pointer, texels: Pointer) -> None:
    """The colours of a block with four of them: the first end is the greater one."""
    words = texels.load(U32X16, align=4)
    fit = _fit(b, words, b.const(boolean.vec(16), 1), _s3tc_palette, 3)
    c0, c1 = (e.value for e in fit.ends)
    turned = b.select(c0 < c1, b.const(u32, 1), 0)
    codes = fit.codes.value ^ b.splat(turned, 16)
    codes = b.select(b.splat(c0 == c1, 16), 0, codes)
    _store_colors(b, out, b.max(c0, c1), b.min(c0, c1), codes)


@kernel(void, _BLOCK, noinline=True)
def block_three(b: Builder, out: Pointer, texels: Pointer) -> None:
    """The same with three, and transparent black for texels of less than half alpha."""
    words = texels.load(U32X16, align=4)
    seen = (words >> 24) >= 128
    fit = _fit(b, words, seen, _s3tc_palette, 2)
    c0, c1 = (e.value for e in fit.ends)
    codes = fit.codes.value
    turned = b.splat(c0 > c1, 16) & (codes < 2)
    codes = b.select(turned, codes ^ 1, codes)
    codes = b.select(seen, codes, 3)
    _store_colors(b, out, b.min(c0, c1), b.max(c0, c1), codes)


@kernel(void, (ptr(u8), ptr(u32), u32), noinline=True)
def block_gradient(b: Builder, out: Pointer, numbers: Pointer, signed: Value) -> None:
    """Eight steps from the greatest of 16 numbers (8 bits of a word each) to the least."""
    words = numbers.load(U32X16, align=4)
    plain = b.bitcast(words & 0xFF, i32)
    v = b.select(b.splat(signed != 0, 16), b.max((plain << 24) >> 24, -127), plain)
    high, low = b.reduce("max", v), b.reduce("min", v)
    span = b.max(high - low, 1)
    part = b.cast((b.splat(high, 16) - v) * 7, f32) / b.splat(b.cast(span, f32), 16)
    rank = b.cast(part + 0.5, u32)
    codes = b.select(rank == 0, 0, b.select(rank == 7, 1, rank + 1))
    ends = b.bitcast(high & 0xFF, u32) | (b.bitcast(low & 0xFF, u32) << 8)
    word = b.cast(ends, u64) | (_packed(b, codes, 3) << 16)
    b.bytes_from(out, 0, u64).store(word, align=1)


def _shifted(b: Builder, texels: Pointer, shift: int) -> Pointer:
    """The texels' upper bytes, as numbers of their own."""
    kept = b.array(u32, 16, align=64)
    kept.store(texels.load(U32X16, align=4) >> shift, align=4)
    return kept


def _dxt1(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    alpha = texels.load(U32X16, align=4) >> 24
    with b.If(((flags & OPAQUE) == 0) & b.any(alpha < 128)):
        b.call(block_three, out, texels)
    with b.Else():
        b.call(block_four, out, texels)


def _dxt3(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    alpha = texels.load(U32X16, align=4) >> 24
    b.bytes_from(out, 0, u64).store(_packed(b, (alpha + 8) // 17, 4), align=1)
    b.call(block_four, out + 8, texels)


def _dxt5(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    b.call(block_gradient, out, _shifted(b, texels, 24), 0)
    b.call(block_four, out + 8, texels)


def _rgtc1(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    b.call(block_gradient, out, texels, flags & SIGNED)


def _rgtc2(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    b.call(block_gradient, out, texels, flags & SIGNED)
    b.call(block_gradient, out + 8, _shifted(b, texels, 8), flags & SIGNED)


# -- FXT1 ------------------------------------------------------------------------------------------


def _bgr555(b: Builder, word: Value) -> Value:
    """A colour of 5, 6 and 5 bits as FXT1 keeps it, without the lowest bit of green (u64)."""
    out = (word & 31) | (((word >> 6) & 31) << 5) | ((word >> 11) << 10)
    return b.cast(out, u64)


@kernel(void, _BLOCK, noinline=True)
def block_mixed(b: Builder, out: Pointer, texels: Pointer) -> None:
    """32 texels (each half's 16 side by side) without alpha: CC_MIXED, four colours a half. What
    the lowest bit of the first green is follows from the first texel's code, so the ends change
    places where that does not fit."""
    words = out.cast(ptr(u64))
    low, high = b.const(u64, 0), b.const(u64, 1 << 63)
    for half in (0, 1):
        given = (texels + 16 * half).load(U32X16, align=4)
        fit = _fit(b, given, b.const(boolean.vec(16), 1), _fxt1_palette, 3)
        c0, c1, codes = fit.ends[0].value, fit.ends[1].value, fit.codes.value
        bits = ((c0 ^ c1) >> 5) & 1
        wrong = bits != (b.extract(codes, 0) >> 1)
        c0, c1 = b.select(wrong, c1, c0), b.select(wrong, c0, c1)
        codes = b.select(b.splat(wrong, 16), 3 - codes, codes)
        low = low | (_packed(b, codes, 2) << (32 * half))
        high = high | (_bgr555(b, c0) << (30 * half)) | (_bgr555(b, c1) << (30 * half + 15))
        high = high | (b.cast((c1 >> 5) & 1, u64) << (61 + half))
    words.store(low, align=1)
    (words + 1).store(high, align=1)


@kernel(void, _BLOCK, noinline=True)
def block_punched(b: Builder, out: Pointer, texels: Pointer) -> None:
    """The same with alpha that is one or nothing: three colours a half, and transparent black."""
    words = out.cast(ptr(u64))
    low, high = b.const(u64, 0), b.const(u64, (1 << 63) | (1 << 60))
    for half in (0, 1):
        given = (texels + 16 * half).load(U32X16, align=4)
        seen = (given >> 24) >= 128
        fit = _fit(b, given, seen, _fxt1_palette, 2)
        c0, c1 = (e.value for e in fit.ends)
        codes = b.select(seen, fit.codes.value, 3)
        low = low | (_packed(b, codes, 2) << (32 * half))
        high = high | (_bgr555(b, c0) << (30 * half)) | (_bgr555(b, c1) << (30 * half + 15))
        high = high | (b.cast((c1 >> 5) & 1, u64) << (61 + half))
    words.store(low, align=1)
    (words + 1).store(high, align=1)


def _shared_end(b: Builder, halves: list[list[list[Value]]]) -> list[list[Value]]:
    """Of two corners of each half: the left half's own end, the one that both share (the mean of
    the two that are nearest), and the right half's own."""
    far, swaps = b.const(i32, 1 << 28), [b.const(boolean, 0)] * 2
    for n in range(4):
        pair = [half[n >> k & 1] for k, half in enumerate(halves)]
        apart = b.const(i32, 0)
        for x, y in zip(*pair, strict=True):
            apart = apart + (x - y) * (x - y)
        nearer = apart < far
        far = b.select(nearer, apart, far)
        swaps = [b.select(nearer, b.const(boolean, n >> k & 1), v) for k, v in enumerate(swaps)]
    ends = []
    for swap, (one, other) in zip(swaps, halves, strict=True):
        pairs = list(zip(one, other, strict=True))
        shared = [b.select(swap, y, x) for x, y in pairs]
        ends.append([shared, [b.select(swap, x, y) for x, y in pairs]])
    shared = [(x + y + 1) >> 1 for x, y in zip(ends[0][0], ends[1][0], strict=True)]
    return [ends[0][1], shared, ends[1][1]]


@kernel(void, _BLOCK, noinline=True)
def block_alpha(b: Builder, out: Pointer, texels: Pointer) -> None:
    """The same with any alpha: CC_ALPHA, between a colour of each half and one that both share."""
    words = out.cast(ptr(u64))
    given = [(texels + 16 * h).load(U32X16, align=4) for h in (0, 1)]
    parts = [[b.bitcast((v >> n) & 0xFF, i32) for n in (0, 8, 16, 24)] for v in given]
    every = b.const(boolean.vec(16), 1)
    wanted = _shared_end(b, [_box(b, half, every) for half in parts])
    ends = [[b.bitcast((v * 31 + 127) // 255, u32) for v in end] for end in wanted]
    low, high = b.const(u64, 0), b.const(u64, (1 << 60) | (3 << 61))
    for n, (r, g, bl, a) in enumerate(ends):
        color = b.cast(bl | (g << 5) | (r << 10), u64)
        high = high | (color << (15 * n)) | (b.cast(a, u64) << (45 + 5 * n))
    wide = [[(v * 510 + 31) // 62 for v in end] for end in ends]
    for half, channels in enumerate(parts):
        palette = [
            [(x * (3 - t) + y * t + 1) // 3 for x, y in zip(wide[2 * half], wide[1], strict=True)]
            for t in range(4)
        ]
        codes, _ = _nearest(b, channels, palette, every)
        low = low | (_packed(b, codes, 2) << (32 * half))
    words.store(low, align=1)
    (words + 1).store(high, align=1)


def _fxt1(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    given = [(texels + 16 * n).load(U32X16, align=4) for n in (0, 1)]
    clear = b.any((given[0] >> 24) != 255) | b.any((given[1] >> 24) != 255)
    # what is neither opaque nor transparent black; a transparent colour is kept, as Mesa does
    partly = [((v >> 24) != 255) & (v != 0) for v in given]
    with b.If(((flags & OPAQUE) != 0) | ~clear):
        b.call(block_mixed, out, texels)
    with b.Elif(lambda: b.any(partly[0]) | b.any(partly[1])):
        b.call(block_alpha, out, texels)
    with b.Else():
        b.call(block_punched, out, texels)


# -- BPTC ------------------------------------------------------------------------------------------


class _Line(NamedTuple):
    """Two ends, codes of the nearest texels between them, and the squared error."""

    ends: list[list[Value]]
    codes: Value
    error: Value


def _line(b: Builder, channels: list[Value], ends: list[list[Value]], most: int) -> _Line:
    """Codes from 0 to `most` between ends of as many bits as the channels have; the first texel's
    is in the lower half, whose highest bit is not kept."""
    one, two = ends
    steps = [y - x for x, y in zip(one, two, strict=True)]
    dot, length = b.const(I32X16, 0), b.const(i32, 0)
    for c, x, step in zip(channels, one, steps, strict=True):
        dot = dot + (c - b.splat(x, 16)) * b.splat(step, 16)
        length = length + step * step
    part = b.cast(dot, f32) * float(most) / b.splat(b.cast(b.max(length, 1), f32), 16)
    codes = b.cast(b.clamp(part + 0.5, 0.0, float(most)), i32)
    swapped = b.extract(codes, 0) > most // 2
    codes = b.select(b.splat(swapped, 16), most - codes, codes)
    one, two = ([b.select(swapped, y, x) for x, y in zip(p, q, strict=True)]
                for p, q in ((one, two), (two, one)))  # fmt: skip
    share, error = (codes * 64 + most // 2) // most, b.const(I32X16, 0)
    for c, x, y in zip(channels, one, two, strict=True):
        value = (b.splat(x, 16) * (64 - share) + b.splat(y, 16) * share + 32) >> 6
        error = error + (value - c) * (value - c)
    return _Line([one, two], b.bitcast(codes, u32), b.reduce("add", error))


def _best_line(b: Builder, channels: list[Value], most: int,
               kept: Callable[[list[Value]], list[Value]],
               limits: tuple[float, float] = (0.0, 255.0)) -> _Line:  # fmt: skip
    """The best of three lines: between corners of the box, and those of least squares. `kept`: an
    end as the block has it."""
    every = b.const(boolean.vec(16), 1)
    shares = tuple(most - n for n in range(most + 1))
    best = _line(b, channels, [kept(e) for e in _box(b, channels, every)], most)
    for _ in range(2):
        ends, sound = _refined(b, channels, best.codes, every, shares, limits)
        line = _line(b, channels, [kept(e) for e in ends], most)
        better = sound & (line.error < best.error)
        pairs = zip(line.ends, best.ends, strict=True)
        ends = [[b.select(better, x, y) for x, y in zip(*p, strict=True)] for p in pairs]
        codes = b.select(b.splat(better, 16), line.codes, best.codes)
        best = _Line(ends, codes, b.select(better, line.error, best.error))
    return best


def _without_top(codes: Value, bits: int) -> Value:
    """Packed codes (u64) without the first one's highest bit."""
    return (codes & ((1 << (bits - 1)) - 1)) | ((codes >> bits) << (bits - 1))


def _with_lows(b: Builder, end: list[Value]) -> list[Value]:
    """The nearest end of seven bits a channel and a lowest one that all share."""
    best, least = end, b.const(i32, 1 << 28)
    for low in (0, 1):
        near = [(b.clamp((c - low + 1) >> 1, 0, 127) << 1) | low for c in end]
        error = b.const(i32, 0)
        for c, v in zip(end, near, strict=True):
            error = error + (c - v) * (c - v)
        better = error < least
        best = [b.select(better, v, old) for v, old in zip(near, best, strict=True)]
        least = b.select(better, error, least)
    return best


def _seven(v: Value) -> Value:
    """A number of eight bits as seven bits, repeated, say it best."""
    near = (v * 127 + 127) // 255
    return (near << 1) | (near >> 6)


def _placed(b: Builder, low: Value, at: int, fields: list[tuple[Value, int]]) -> tuple[Value, int]:
    """A word (u64) with fields (i32) of some bits from a bit on."""
    for value, size in fields:
        low = low | (b.cast(b.bitcast(value, u32) & ((1 << size) - 1), u64) << at)
        at += size
    return low, at


@kernel(void, _BLOCK, noinline=True)
def block_bptc(b: Builder, out: Pointer, texels: Pointer) -> None:
    """Mode 6 (16 steps between ends of four channels) or 5 (four steps, alpha by itself), whichever
    is nearer."""
    words = texels.load(U32X16, align=4)
    channels = [b.bitcast((words >> n) & 0xFF, i32) for n in (0, 8, 16, 24)]
    six = _best_line(b, channels, 15, lambda end: _with_lows(b, end))
    color = _best_line(b, channels[:3], 3, lambda end: [_seven(v) for v in end])
    alpha = _best_line(b, channels[3:], 3, lambda end: end)
    to = out.cast(ptr(u64))
    with b.If(six.error <= color.error + alpha.error):
        fields = [(e[c] >> 1, 7) for c in range(4) for e in six.ends]
        low, at = _placed(b, b.const(u64, 1 << 6), 7, fields)
        lows = [b.cast(b.bitcast(e[0] & 1, u32), u64) for e in six.ends]
        to.store(low | (lows[0] << at), align=1)
        codes = _without_top(_packed(b, six.codes, 4), 4)
        (to + 1).store(lows[1] | (codes << 1), align=1)
    with b.Else():
        fields = [(e[c] >> 1, 7) for c in range(3) for e in color.ends]
        low, at = _placed(b, b.const(u64, 1 << 5), 8, [*fields, (alpha.ends[0][0], 8)])
        second = b.cast(b.bitcast(alpha.ends[1][0], u32), u64)
        to.store(low | (second << at), align=1)
        own, other = (_without_top(_packed(b, line.codes, 2), 2) for line in (color, alpha))
        (to + 1).store((second >> (64 - at)) | (own << 2) | (other << 33), align=1)


@kernel(void, (ptr(u8), ptr(u64), u32), noinline=True)
def block_bptc_float(b: Builder, out: Pointer, texels: Pointer, signed: Value) -> None:
    """Mode 3 (16 steps between ends of ten bits) of halves, four a texel. Numbers are those of the
    ends: near to the halves' bits, so that steps are relative."""
    given, channels = texels.load(U64X16, align=8), []
    signs = b.splat(signed != 0, 16)
    for n in range(3):
        half = b.bitcast(b.cast((given >> (16 * n)) & 0xFFFF, u32), i32)
        size = b.min(half & 0x7FFF, 0x7BFF)  # the greatest that is finite
        minus = half >= 0x8000
        plain = b.select(minus, 0, (size * 64) // 31 >> 6)
        mirrored = (size * 32) // 31 >> 6
        channels.append(b.select(signs, b.select(minus, -mirrored, mirrored), plain))
    # beyond the block's own numbers a step is too great a part of them
    limits = [(b.reduce("min", c), b.reduce("max", c)) for c in channels]

    def kept(end: list[Value]) -> list[Value]:
        return [b.clamp(v, *limit) for v, limit in zip(end, limits, strict=True)]

    line = _best_line(b, channels, 15, kept, (-512.0, 1023.0))
    fields = [(e[c], 10) for e in line.ends for c in range(3)]
    low, _ = _placed(b, b.const(u64, 3), 5, fields)
    to = out.cast(ptr(u64))
    to.store(low, align=1)
    top = b.cast((b.bitcast(line.ends[1][2], u32) >> 9) & 1, u64)
    (to + 1).store(top | (_without_top(_packed(b, line.codes, 4), 4) << 1), align=1)


def _bptc(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    b.call(block_bptc, out, texels)


def _bptc_float(b: Builder, out: Pointer, texels: Pointer, flags: Value) -> None:
    b.call(block_bptc_float, out, texels, flags & SIGNED)


# -- images ----------------------------------------------------------------------------------------


def _take(b: Builder, texels: Pointer, place: Pointer, stride: Value, size: int, columns: Value,
          rows: Value) -> None:  # fmt: skip
    """4x4 texels of `size` bytes as 16 words; beyond the image the last column and row again."""
    ty, word = {1: u8, 2: u16, 4: u32, 8: u64}[size], u64 if size == 8 else u32
    with b.For(b.const(u32, 0), 4) as y:
        line = b.bytes_from(place, stride * b.cast(b.min(y, rows - 1), u64), ty)
        with b.If(columns >= 4):
            (texels + y * 4).store(b.cast(line.load(ty.vec(4), align=1), word), align=4)
        with b.Else(), b.For(b.const(u32, 0), 4) as x:
            texels[y * 4 + x] = b.cast(line[b.min(x, columns - 1)], word)


def _encoder(name: str, block: Callable[[Builder, Pointer, Pointer, Value], None]) -> Kernel:
    codec = CODECS[name]

    @kernel(void, ENCODE, name=f"encode_{name}", noinline=True, noalias=(0, 2))
    def encode(b: Builder, blocks: Pointer, block_stride: Value, src: Pointer, stride: Value,
               across: Value, down: Value, flags: Value) -> None:  # fmt: skip
        texels = b.array(u64 if codec.texel == 8 else u32, 4 * codec.width, align=64)
        with b.For(b.const(u32, 0), down, 4) as y:
            line = b.bytes_from(src, b.cast(y, u64) * stride, u8)
            out = b.bytes_from(blocks, b.cast(y >> 2, u64) * block_stride, u8)
            with b.For(b.const(u32, 0), across, codec.width) as x:
                for n in range(0, codec.width, 4):
                    # a half beyond the image is the last columns again
                    first = b.min(x + n, ((across - 1) >> 2) << 2) if n else x
                    place = b.bytes_from(line, b.cast(first * codec.texel, u64), u8)
                    _take(b, texels + 4 * n, place, stride, codec.texel, across - first, down - y)
                at = b.cast(x // codec.width, u64) * codec.bytes
                block(b, b.bytes_from(out, at, u8), texels, flags)

    return encode


ENCODERS: dict[str, Kernel] = {
    "dxt1": _encoder("dxt1", _dxt1),
    "dxt3": _encoder("dxt3", _dxt3),
    "dxt5": _encoder("dxt5", _dxt5),
    "rgtc1": _encoder("rgtc1", _rgtc1),
    "rgtc2": _encoder("rgtc2", _rgtc2),
    "fxt1": _encoder("fxt1", _fxt1),
    "bptc": _encoder("bptc", _bptc),
    "bptc_float": _encoder("bptc_float", _bptc_float),
}

__all__ = ["ENCODE", "ENCODERS"]
