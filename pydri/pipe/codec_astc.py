# SPDX-License-Identifier: MIT
"""Blocks of ASTC as texels (KHR_texture_compression_astc_ldr: two dimensions, no high range).

In: rows of blocks of 16 bytes, each of 4x4 to 12x12 texels. Out: rows of R8G8B8A8 texels. Numbers
are read one by one, by the tables of pydri/pipe/astc_tables.py; texels are made of them 16 at a
time, whatever the block's size is: lanes count the texels of a block row by row. An error, and what
only the high range has, is opaque magenta. Mesa: main/texcompress_astc.cpp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydri.jit import Struct
from pydri.jit.kernel import kernel
from pydri.jit.types import i32, ptr, u8, u16, u32, u64, void
from pydri.pipe import astc_tables as tables
from pydri.pipe.codec_parts import pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Pointer, Value

U32X16, I32X16 = u32.vec(16), i32.vec(16)
BLOCK_BYTES: Final = 16
#: flags: the encoding of colours, and where the block's width and height are
ENCODED, WIDTH_AT, HEIGHT_AT = 4, 8, 16
MAGENTA: Final = 0xFFFF00FF
#: texels of the greatest block, and of the lanes behind it
_ROOM: Final = 144 + 16
PARTS: Final = 4


class Layout(Struct):
    """What is the same for all blocks of an image."""

    width = u32
    height = u32
    encoded = u32
    x = u32[_ROOM]  # by number of the texel: its place, and that in 1024 parts of the block
    y = u32[_ROOM]
    s = u32[_ROOM]
    t = u32[_ROOM]


class Grid(Struct):
    """What a block's first bits say, and its numbers."""

    width = u32  # of the grid of weights
    height = u32
    planes = u32
    plane = u32  # the channel that the second plane is for
    parts = u32
    seed = u32
    bits = u8[48]  # the block, and zeros
    turned = u8[48]  # the same from the last bit to the first
    values = u8[64]
    weights = u8[160]  # and what is beside the last row and column
    ends = u32[4 * PARTS]  # by channel and part: 16 bits of each end


GRID, LAYOUT = ptr(Grid), ptr(Layout)


# -- numbers ---------------------------------------------------------------------------------------


def _get(b: Builder, bits: Pointer, at: Value, count: Value | int) -> Value:
    """Up to 57 bits from a place on (u64)."""
    word = b.bytes_from(bits, at >> 3, u64).load(align=1) >> b.cast(at & 7, u64)
    return word & ((b.const(u64, 1) << b.cast(count, u64)) - 1)


def _ends(base: int) -> tuple[int, list[tuple[int, int]]]:
    """Of a group of numbers with digits: how many bits of digits it has, and of each number how
    many of them lie in front of its bits, and how many follow these."""
    follow = {3: (2, 2, 1, 2, 1), 5: (3, 2, 2)}[base]
    return sum(follow), [(sum(follow[:n]), size) for n, size in enumerate(follow)]


def _group(b: Builder, word: Value, bits: Value, base: int) -> list[Value]:
    """The numbers of a group (u32 each)."""
    packed, parts = b.const(u32, 0), _ends(base)[1]
    kept, lows = (b.const(u64, 1) << bits) - 1, []
    for n, (before, size) in enumerate(parts):
        lows.append(b.cast((word >> (bits * n + before)) & kept, u32))
        digits = (word >> (bits * (n + 1) + before)) & ((1 << size) - 1)
        packed = packed | (b.cast(digits, u32) << before)
    packs = [sum(d << 4 * n for n, d in enumerate(row)) for row in tables.digits()[base]]
    row = b.table(u32, packs)[packed]
    return [(((row >> (4 * n)) & 15) << b.cast(bits, u32)) | low for n, low in enumerate(lows)]


@kernel(void, (ptr(u8), u32, u32, u32, u32, ptr(u8)), noinline=True)
def astc_numbers(b: Builder, bits: Pointer, first: Value, count: Value, range: Value,
                 lookup: Value, out: Pointer) -> None:  # fmt: skip
    """`count` numbers of a range, from bit `first` on, as what entries from `lookup` on say; up to
    four bytes behind the last of them are overwritten."""
    found = b.table(u8, tables.lookups()) + lookup
    kinds = tables.RANGES
    low = b.cast(b.table(u8, [kind.bits for kind in kinds])[range], u64)
    low32 = b.cast(low, u32)
    digits = b.table(u8, [{3: 8, 5: 7, 1: 0}[kind.base] for kind in kinds])[range]
    with b.If(digits == 0):
        with b.For(b.const(u32, 0), count) as n:
            out[n] = found[b.cast(_get(b, bits, first + n * low32, low), u32)]
        b.Return()
    for base, each in ((3, 5), (5, 3)):
        width = _ends(base)[0]
        # the bits of all numbers: those of the last group behind them are zeros
        total = ((count * width + (each - 1)) // each) + count * low32
        size = low32 * each + width
        at = b.var(u32, b.const(u32, 0))
        with b.If(digits == width), b.For(b.const(u32, 0), count, each) as n:
            word = _get(b, bits, first + at.value, b.min(size, total - at.value))
            for k, number in enumerate(_group(b, word, low, base)):
                out[n + k] = found[number]
            at.value = at.value + size


# -- colours' ends ---------------------------------------------------------------------------------


def _transfer(to: Value, number: Value) -> tuple[Value, Value]:
    """A signed difference of six bits, and a number that gets the bit which that has too much
    (i32)."""
    base = (number >> 1) | (to & 0x80)
    return (((to >> 1) & 0x3F) << 26) >> 26, base


def _contracted(color: Sequence[Value]) -> list[Value]:
    """Red and green half way to blue."""
    r, g, bl, a = color
    return [(r + bl) >> 1, (g + bl) >> 1, bl, a]


def _luminance(b: Builder, v: list[Value], mode: int) -> list[list[Value]]:
    full = b.const(i32, 255)
    if mode == 1:
        low = (v[0] >> 2) | (v[1] & 0xC0)
        high = b.min(low + (v[1] & 0x3F), 255)
        return [[low, low, low, full], [high, high, high, full]]
    if mode == 5:
        (d0, v0), (d1, v2) = _transfer(v[1], v[0]), _transfer(v[3], v[2])
        return [[v0, v0, v0, v2], [v0 + d0, v0 + d0, v0 + d0, v2 + d1]]
    a0, a1 = (v[2], v[3]) if mode == 4 else (full, full)
    return [[v[0], v[0], v[0], a0], [v[1], v[1], v[1], a1]]


def _scaled(b: Builder, v: list[Value], alpha: bool) -> list[list[Value]]:
    a = (v[4], v[5]) if alpha else (b.const(i32, 255),) * 2
    return [[*((c * v[3]) >> 8 for c in v[:3]), a[0]], [*v[:3], a[1]]]


def _direct(b: Builder, v: list[Value], alpha: bool, offset: bool) -> list[list[Value]]:
    """Both ends, or the first and differences; in the other order they are contracted."""
    full = b.const(i32, 255)
    pairs = [(v[n], v[n + 1]) for n in range(0, 8 if alpha else 6, 2)]
    if offset:
        moved = [_transfer(second, first) for first, second in pairs]
        turned = sum((d for d, _ in moved[1:3]), moved[0][0]) < 0
        pairs = [(base, base + d) for d, base in moved]
    else:
        one, other = ([p[k] for p in pairs[:3]] for k in (0, 1))
        turned = sum(other[1:], other[0]) < sum(one[1:], one[0])
    one, other = ([p[k] for p in pairs] + [full] * (4 - len(pairs)) for k in (0, 1))
    swapped = _contracted(other), _contracted(one)
    return [
        [b.select(turned, y, x) for x, y in zip(plain, swap, strict=True)]
        for plain, swap in zip((one, other), swapped, strict=True)
    ]


@kernel(void, (GRID, u32, u32, u32, u32), noinline=True)
def astc_ends(b: Builder, grid: Grid, first: Value, mode: Value, part: Value,
              encoded: Value) -> None:  # fmt: skip
    """Ends of a part's colours, of the numbers from `first` on."""
    place = b.bytes_from(grid.values, first, u8)
    v = [b.cast(place[n], i32) for n in range(8)]
    ends = b.array(i32, 8)
    with b.Switch(mode) as s:
        for modes, made in (
            ((0, 1, 4, 5), lambda n: _luminance(b, v, n)),
            ((6, 10), lambda n: _scaled(b, v, n == 10)),
            ((8, 9, 12, 13), lambda n: _direct(b, v, n >= 12, n % 4 == 1)),
        ):
            for n in modes:
                with s.Case(n):
                    for k, value in enumerate(sum(made(n), [])):
                        ends[k] = b.clamp(value, 0, 255)
        with s.Default():  # of the high range
            for k in range(8):
                ends[k] = b.const(i32, 0 if k % 4 == 1 else 255)
    for n in range(4):
        wide = []
        for k in (n, 4 + n):
            value = b.bitcast(ends[k], u32)
            # alpha, too, as the extension has it; later specifications repeat alpha's bits
            wide.append((value << 8) | b.select(encoded != 0, b.const(u32, 0x80), value))
        grid.ends[part + n * PARTS] = wide[0] | (wide[1] << 16)


# -- texels ----------------------------------------------------------------------------------------


def _hash(p: Value) -> Value:
    """Bits mixed (the specification's hash52)."""
    p = p ^ (p >> 15)
    p = p - (p << 17)
    p = p + (p << 7)
    p = p + (p << 4)
    p = p ^ (p >> 5)
    p = p + (p << 16)
    p = p ^ (p >> 7)
    p = p ^ (p >> 3)
    p = p ^ (p << 6)
    return p ^ (p >> 17)


class _Planes(NamedTuple):
    """Slopes in x and y and starts, one each part, by which a texel's part is chosen."""

    slopes: list[tuple[Value, Value]]
    starts: list[Value]


def _planes(b: Builder, grid: Any, layout: Any) -> _Planes:
    seed = grid.seed + ((grid.parts - 1) << 10)
    mixed = _hash(seed)
    seeds = [(mixed >> (4 * n)) & 15 for n in range(8)]
    wide = b.select(grid.parts == 3, b.const(u32, 6), 5)
    narrow = b.select((seed & 2) != 0, b.const(u32, 4), 5)
    odd = (seed & 1) != 0
    shifts = b.select(odd, narrow, wide), b.select(odd, wide, narrow)
    small = b.select(layout.width * layout.height < 31, b.const(u32, 1), 0)
    slopes = [((v * v) >> shifts[n & 1]) << small for n, v in enumerate(seeds)]
    pairs = list(zip(slopes[::2], slopes[1::2], strict=True))
    return _Planes(pairs, [mixed >> n for n in (14, 10, 6, 2)])


def _parts(b: Builder, planes: _Planes, grid: Any, x: Value, y: Value) -> Value:
    """The part that each texel belongs to: that of the greatest number, the first of equal ones."""
    best, part = b.const(U32X16, 0), b.const(U32X16, 0)
    for n, ((across, down), start) in enumerate(zip(*planes, strict=True)):
        value = (x * b.splat(across, 16) + y * b.splat(down, 16) + b.splat(start, 16)) & 63
        if n:
            more = (value > best) & b.splat(grid.parts > n, 16)
            part = b.select(more, b.const(U32X16, n), part)
            value = b.select(more, value, best)
        best = value
    return part


def _quads(b: Builder, grid: Any, plane: int) -> Pointer:
    """By weight: it, those to the right, below, and below to the right, in one word."""
    out = b.array(u32, 80, align=64)
    kept = grid.weights.cast(ptr(u8)) if not plane else b.bytes_from(grid.weights, 64, u8)
    with b.For(b.const(u32, 0), grid.width * grid.height, 16) as n:
        four = []
        for below in (b.const(u32, 0), grid.width):
            for beside in (0, 1):
                place = b.bytes_from(kept, n + below + beside, u8)
                four.append(b.cast(place.load(u8.vec(16), align=1), u32))
        word = four[0] | (four[1] << 8) | (four[2] << 16) | (four[3] << 24)
        (out + n).store(word, align=64)
    return out


class _Between(NamedTuple):
    """Where texels lie between weights: the first one's number, and the shares of four."""

    at: Value
    shares: list[Value]


def _between(b: Builder, grid: Any, s: Value, t: Value) -> _Between:
    across = (s * b.splat(grid.width - 1, 16) + 32) >> 6
    down = (t * b.splat(grid.height - 1, 16) + 32) >> 6
    fs, ft = across & 15, down & 15
    both = (fs * ft + 8) >> 4
    shares = [16 - fs - ft + both, fs - both, ft - both, both]
    return _Between((across >> 4) + (down >> 4) * b.splat(grid.width, 16), shares)


def _weights(b: Builder, quads: Pointer, place: _Between) -> Value:
    four = b.gather(quads, b.bitcast(place.at, I32X16))
    out = b.const(U32X16, 8)
    for n, share in enumerate(place.shares):
        out = out + ((four >> (8 * n)) & 0xFF) * share
    return out >> 4


@kernel(void, (GRID, LAYOUT, ptr(u32)), noinline=True)
def astc_texels(b: Builder, grid: Grid, layout: Layout, out: Pointer) -> None:
    """A block's texels, row by row, of its weights and ends."""
    planes = _planes(b, grid, layout)
    several, two = grid.parts > 1, grid.planes > 1
    quads = [_quads(b, grid, 0), _quads(b, grid, 1)]
    with b.For(b.const(u32, 0), layout.width * layout.height, 16) as n:
        x, y, s, t = (
            b.bytes_from(field, n * 4, u32).load(U32X16, align=4)
            for field in (layout.x, layout.y, layout.s, layout.t)
        )
        place = _between(b, grid, s, t)
        first = _weights(b, quads[0], place)
        second, part = b.var(U32X16, first), b.var(U32X16, b.const(U32X16, 0))
        with b.If(two):
            second.value = _weights(b, quads[1], place)
        with b.If(several):
            part.value = _parts(b, planes, grid, x, y)
        word = b.const(U32X16, 0)
        for c in range(4):
            pair = pick(b, part.value, [grid.ends[c * PARTS + k] for k in range(PARTS)])
            weight = b.select(b.splat(grid.plane == c, 16), second.value, first)
            value = (pair & 0xFFFF) * (64 - weight) + (pair >> 16) * weight + 32
            word = word | (((value >> 14) & 0xFF) << (8 * c))
        (out + n).store(word, align=4)


# -- blocks ----------------------------------------------------------------------------------------


def _fill(b: Builder, layout: Any, out: Pointer, word: Value) -> None:
    with b.For(b.const(u32, 0), layout.width * layout.height, 16) as n:
        (out + n).store(b.splat(word, 16), align=4)


def _plain(b: Builder, layout: Any, low: Value, high: Value, out: Pointer) -> None:
    """A block of one colour (a void extent); its colour is of 16 bits."""
    word = b.const(u32, 0)
    for n in range(4):
        word = word | b.cast(((high >> (16 * n + 8)) & 0xFF) << (8 * n), u32)
    ends = [(low >> at) & 0x1FFF for at in (12, 25, 38, 51)]
    everywhere = (low >> 12) == (1 << 52) - 1
    sound = everywhere | ((ends[0] < ends[1]) & (ends[2] < ends[3]))
    sound = sound & ((low & (1 << 9)) == 0)
    _fill(b, layout, out, b.select(sound, word, b.const(u32, MAGENTA)))


def _mode_words() -> list[int]:
    """`modes` of astc_tables.py as words; 0: the block is an error."""
    return [
        mode.width | mode.height << 4 | mode.kind << 8 | mode.planes << 12 | mode.size << 16
        if mode else 0
        for mode in tables.modes()
    ]


def _kinds(b: Builder, low: Value, above: Value, parts: Value, several: Value
           ) -> tuple[list[Value], Value]:  # fmt: skip
    """By part: how its colours' ends are kept; and how many pairs of numbers that takes. `above`:
    the bits of this which lie below the weights."""
    one = b.cast(low >> 13, u32) & 15
    six = b.cast(low >> 23, u32) & 63
    word = (six >> 2) | (above << 4)
    kinds, pairs = [], b.const(u32, 0)
    for n in range(PARTS):
        own = (((six & 3) - 1 + ((word >> n) & 1)) << 2) | ((word >> (parts + 2 * n)) & 3)
        kind = b.select(several, own, b.select(parts == 1, one, six >> 2))
        kinds.append(kind)
        pairs = pairs + b.select(parts > n, (kind >> 2) + 1, 0)
    return kinds, pairs


@kernel(void, (LAYOUT, ptr(u8), ptr(u32)), noinline=True)
def astc_block(b: Builder, layout: Layout, block: Pointer, out: Pointer) -> None:
    """The texels of a block, row by row; up to 15 more are overwritten."""
    low, high = (b.bytes_from(block, at, u64).load(align=1) for at in (0, 8))
    with b.If((low & 0x1FF) == 0x1FC):
        _plain(b, layout, low, high, out)
        b.Return()
    mode = b.table(u32, _mode_words())[b.cast(low, u32) & 0x7FF]
    grid = b.array(Grid)
    grid.width, grid.height, grid.planes = mode & 15, (mode >> 4) & 15, (mode >> 12) & 3
    size, parts = mode >> 16, (b.cast(low >> 11, u32) & 3) + 1
    two = grid.planes > 1
    grid.parts, grid.seed = parts, b.cast(low >> 13, u32) & 0x3FF
    bad = (mode == 0) | (grid.width > layout.width) | (grid.height > layout.height)
    bad = bad | (two & (parts == PARTS))
    _turn(b, grid, low, high)
    several = (parts > 1) & ((low & (3 << 23)) != 0)
    more = b.select(several, parts * 3 - 4, 0)
    below = 128 - size - more
    above = b.cast(_get(b, grid.bits, below, more), u32)
    kinds, pairs = _kinds(b, low, above, parts, several)
    first = b.select(parts == 1, b.const(u32, 17), 29)
    plane_at = below - b.select(two, b.const(u32, 2), 0)
    plane = b.cast(_get(b, grid.bits, plane_at, 2), u32)
    grid.plane = b.select(two, plane, PARTS)
    most = tables.MOST_VALUES // 2
    bad = bad | (pairs > most) | (plane_at < first)
    place = b.min(pairs, most) * 128 + b.min(plane_at - first, 127)
    range = b.cast(b.table(u8, tables.fitting())[place], u32)
    with b.If(bad | (range == 0)):
        _fill(b, layout, out, b.const(u32, MAGENTA))
        b.Return()
    lookup = range * tables.STEP + tables.COLORS_AT
    b.call(astc_numbers, grid.bits, first, pairs * 2, range, lookup, grid.values)
    at = b.const(u32, 0)
    for n, kind in enumerate(kinds):
        with b.If(parts > n):
            b.call(astc_ends, grid, at, kind, n, layout.encoded)
        at = at + ((kind >> 2) + 1) * 2
    _read_weights(b, grid, (mode >> 8) & 15)
    b.call(astc_texels, grid, layout, out)


def _turn(b: Builder, grid: Any, low: Value, high: Value) -> None:
    """The block's bits, forwards and backwards."""
    back = [b.intrinsic("llvm.bitreverse.i64", u64, v) for v in (high, low)]
    zero = b.const(u64, 0)
    for field, words in ((grid.bits, (low, high)), (grid.turned, back)):
        for n, word in enumerate((*words, zero, zero, zero)):
            b.bytes_from(field, 8 * n, u64).store(word, align=1)


def _read_weights(b: Builder, grid: Any, range: Value) -> None:
    """Weights of both planes, one behind the other: in the block they take turns."""
    count = grid.width * grid.height
    two = grid.planes > 1
    lookup = range * tables.STEP
    zero = b.const(u32, 0)
    with b.If(two):
        mixed = b.array(u8, 80)
        b.call(astc_numbers, grid.turned, zero, count * 2, range, lookup, mixed)
        with b.For(zero, count, 16) as n:
            pairs = b.bytes_from(mixed, n * 2, u16).load(u16.vec(16), align=1)
            b.bytes_from(grid.weights, n, u8).store(b.cast(pairs & 0xFF, u8), align=1)
            b.bytes_from(grid.weights, n + 64, u8).store(b.cast(pairs >> 8, u8), align=1)
    with b.Else():
        b.call(astc_numbers, grid.turned, zero, count, range, lookup, grid.weights)


# -- images ----------------------------------------------------------------------------------------


def _lay_out(b: Builder, layout: Any, flags: Value) -> None:
    """What follows of the block's size."""
    width, height = (flags >> WIDTH_AT) & 0xFF, (flags >> HEIGHT_AT) & 0xFF
    layout.width, layout.height, layout.encoded = width, height, flags & ENCODED
    across, down = ((v // 2 + 1024) // (v - 1) for v in (width, height))
    with b.For(b.const(u32, 0), _ROOM, 16) as n:
        texel = b.const(U32X16, list(range(16))) + b.splat(n, 16)
        texel = b.min(texel, b.splat(width * height - 1, 16))
        y = texel // b.splat(width, 16)
        x = texel - y * b.splat(width, 16)
        numbers = (x, y, x * b.splat(across, 16), y * b.splat(down, 16))
        for field, value in zip((layout.x, layout.y, layout.s, layout.t), numbers, strict=True):
            b.bytes_from(field, n * 4, u32).store(value, align=4)


@kernel(void, (ptr(u8), u64, ptr(u8), u64, u32, u32, u32), name="decode_astc", noinline=True,
        noalias=(0, 2))  # fmt: skip
def decode(b: Builder, dst: Pointer, stride: Value, src: Pointer, src_stride: Value,
           across: Value, down: Value, flags: Value) -> None:  # fmt: skip
    """Rows of blocks as texels."""
    layout = b.array(Layout)
    _lay_out(b, layout, flags)
    texels = b.array(u32, _ROOM, align=64)
    width, height = layout.width, layout.height
    columns = b.const(U32X16, list(range(16)))
    with b.For(b.const(u32, 0), (down + height - 1) // height) as row:
        y = row * height
        line = b.bytes_from(dst, b.cast(y, u64) * stride, u8)
        blocks = b.bytes_from(src, b.cast(row, u64) * src_stride, u8)
        with b.For(b.const(u32, 0), (across + width - 1) // width) as column:
            place = b.bytes_from(blocks, b.cast(column, u64) * BLOCK_BYTES, u8)
            b.call(astc_block, layout, place, texels)
            x = column * width
            kept = columns < b.splat(b.min(width, across - x), 16)
            to = b.bytes_from(line, b.cast(x, u64) * 4, u8)
            with b.For(b.const(u32, 0), b.min(height, down - y)) as n:
                given = (texels + n * width).load(U32X16, align=4)
                out = b.bytes_from(to, b.cast(n, u64) * stride, u32)
                b.masked_store(out, given, kept)


__all__ = ["BLOCK_BYTES", "ENCODED", "HEIGHT_AT", "WIDTH_AT", "decode"]
