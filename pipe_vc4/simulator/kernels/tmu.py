# SPDX-License-Identifier: MIT
"""The sampler of ../tmu.py in lanes: doubles all the way, as there.

`sample` is one function for all textures: set-up words come with the uniforms. Lanes of one level
are done together; the others wait for their turn.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipe_vc4.simulator import tiling as plain_tiling
from pipe_vc4.simulator import tmu as plain
from pipe_vc4.simulator.kernels import sfu, tiling
from pipe_vc4.simulator.kernels.errors import DONE, error_code
from pipe_vc4.simulator.kernels.lanes import (
    SIGNED,
    WORD,
    D,
    I,
    U,
    as_floats,
    nan_to_num,
)
from pipe_vc4.simulator.kernels.layout import LANES, Vc4Memory, Vc4Sample
from pydri.jit.kernel import kernel
from pydri.jit.types import Array, Struct, f32, f64, i32, i64, ptr, u16, u32

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value, Var

_LEVELS: Final = 16
_LIMIT: Final = 2.0**40
_BITS: Final = u16


class Vc4Level(Struct):
    """A level of a texture."""

    address = i64
    width = i32
    height = i32
    stored_width = i32
    tiling = i32


class Vc4Texture(Struct, align=64):
    """What the set-up words say, and what is being sampled."""

    memory = ptr(Vc4Memory)
    type = i32
    cpp = i32
    wrap_s = i32
    wrap_t = i32
    last = i32
    face_stride = i64
    levels = Array(Vc4Level, _LEVELS)
    s = f64[LANES]
    t = f64[LANES]
    faces = i32[LANES]
    border = u32[LANES]
    colours = f64[4 * LANES]  # out of one level, by channel
    outside = u32  # some texel lay outside of every buffer


def _fail(b: Builder, condition: Value, text: str) -> None:
    with b.If(condition, likely=False):
        b.Return(error_code(text))


def _bytes_of_type(b: Builder, kind: Value) -> Value:
    """Bytes a texel; 0 of types that are not simulated."""
    found = b.var(i32, 0)
    with b.Switch(kind) as switch:
        for size in (1, 2, 4):
            with switch.Case(*(int(k) for k, v in plain.BYTES.items() if v == size)):
                found.value = size
    return found.value


def _levels(b: Builder, texture: Vc4Texture, p0: Value, width: Value, height: Value) -> None:
    """The levels, from the largest: each lies before the one that is larger."""
    size = tiling.micro(b, texture.cpp)
    address = b.var(i64, b.cast(p0 & 0xFFFFF000, i64))
    powers = []
    for side in (width, height):
        powers.append(b.const(i32, 1) << (32 - b.clz(side - 1)))
    with b.For(b.const(i32, 0), texture.last + 1) as n:
        level = texture.levels.cast(ptr(Vc4Level))[n]
        stored = [b.select(n == 0, side, b.max(power >> n, 1))
                  for side, power in zip((width, height), powers, strict=True)]
        small = tiling.is_lt(size, *stored)
        kind = b.select(small, b.const(i32, plain_tiling.LT), plain_tiling.T)
        kind = b.select(texture.type == plain.RGBA32R, plain_tiling.RASTER, kind)
        with b.If(n > 0):
            taken = tiling.size_of(b, size, stored[0], stored[1], kind)
            address.value = address.value - b.cast(taken, i64)
        level.address = address.value
        level.width, level.height = b.max(width >> n, 1), b.max(height >> n, 1)
        level.stored_width, level.tiling = stored[0], kind


def _wrap(b: Builder, i: Value, size: Value, mode: Value) -> tuple[Value, Value]:
    """Texel numbers (doubles) inside of the level, as i32, and where the border stands (0, ~0)."""
    place, out = b.var(D, i), b.var(U, 0)
    wide = b.splat(b.cast(size, f64), LANES)
    with b.Switch(mode) as switch:
        with switch.Case(plain.REPEAT):
            place.value = i - b.floor(i / wide) * wide
        with switch.Case(plain.MIRROR):
            twice = wide * 2.0
            turned = i - b.floor(i / twice) * twice
            place.value = b.select(turned >= wide, twice - 1.0 - turned, turned)
        with switch.Case(plain.BORDER):
            beyond = (i < 0.0) | (i >= wide)
            out.value = b.select(beyond, b.const(U, 0xFFFFFFFF), b.const(U, 0))
    found = b.max(b.min(place.value, wide - 1.0), 0.0)
    return b.cast_fast(found, i32), out.value


def _spread(raw: Value, shift: int, bits: int) -> Value:
    """A channel's bits as a byte."""
    value = (raw >> shift) & ((1 << bits) - 1)
    if bits == 1:
        return value * 255
    if bits == 8:
        return value
    wide = value << 8 - bits
    return wide | (wide >> bits)


def _channels(b: Builder, kind: Value, raw: Value) -> list[Var[Value]]:
    """Bytes R, G, B, A of texels."""
    found = [b.var(U, 0) for _ in range(4)]
    layouts: dict[tuple[int, ...], tuple[int | tuple[int, int], ...]] = {
        (plain.RGBA8888, plain.RGBA32R): ((0, 8), (8, 8), (16, 8), (24, 8)),
        (plain.RGBX8888,): ((0, 8), (8, 8), (16, 8), 255),
        (plain.RGBA4444,): ((12, 4), (8, 4), (4, 4), (0, 4)),
        (plain.RGBA5551,): ((11, 5), (6, 5), (1, 5), (0, 1)),
        (plain.RGB565,): ((11, 5), (5, 6), (0, 5), 255),
        (plain.LUMINANCE,): ((0, 8), (0, 8), (0, 8), 255),
        (plain.ALPHA,): (0, 0, 0, (0, 8)),
        (plain.LUM_ALPHA,): ((0, 8), (0, 8), (0, 8), (8, 8)),
    }
    with b.Switch(kind) as switch:
        for kinds, parts in layouts.items():
            with switch.Case(*kinds):
                for place, part in zip(found, parts, strict=True):
                    place.value = part if isinstance(part, int) else _spread(raw, *part)
    return found


def _texel(b: Builder, texture: Vc4Texture, level: Vc4Level, x: Value, y: Value,
           mask: Value) -> list[Value]:
    """Colours of texels (doubles) of one level in the lanes of `mask`, as bytes."""
    x, out_x = _wrap(b, x, level.width, texture.wrap_s)
    y, out_y = _wrap(b, y, level.height, texture.wrap_t)
    size = tiling.micro(b, texture.cpp)
    at = b.cast(tiling.offsets(b, x, y, level.stored_width, size, level.tiling), i64)
    face = b.cast(texture.faces.load(I), i64)
    at = at + level.address + face * texture.face_stride
    memory = texture.memory
    inside = (at >= 0) & (at < b.cast(memory.pages, i64) * 4096)
    address = b.cast(at, u32)
    limits = b.gather(memory.limits, b.cast(address >> 12, i32), inside & mask)
    good = (address & 4095) < limits
    with b.If(b.any(mask & ~good), likely=False):
        texture.outside = 1
    raw = b.gather(memory.bytes.cast(WORD), b.cast(address >> 2, i32), good)
    cpp = texture.cpp
    raw = raw >> ((address & 3 & b.splat(b.cast(4 - cpp, u32), LANES)) << 3)
    raw = raw & b.splat(b.select(cpp == 4, b.const(u32, 0xFFFFFFFF),
                                 (b.const(u32, 1) << b.cast(cpp << 3, u32)) - 1), LANES)
    outside, border = (out_x | out_y) != 0, texture.border.load(U)
    found = []
    for n, place in enumerate(_channels(b, texture.type, raw)):
        byte = b.select(outside, (border >> 8 * n) & 255, place.value)
        found.append(b.cast(b.bitcast(byte, i32), f64))
    return found


@kernel(ret=u32, args=(ptr(Vc4Texture), i32, u32, u32), noinline=True)
def from_level(b: Builder, texture: Vc4Texture, number: Value, lanes: Value,
               linear: Value) -> None:
    """Colours of `lanes` (bits) from one level, into those of `colours`."""
    level = texture.levels.cast(ptr(Vc4Level))[number]
    mask = b.mask_of(b.cast(lanes, _BITS))
    places = []
    for given, size in ((texture.s, level.width), (texture.t, level.height)):
        place = given.load(D) * b.splat(b.cast(size, f64), LANES)
        # NaN is none: s and t are numbers, and no level is infinite
        places.append(b.max(b.min(place, _LIMIT), -_LIMIT))
    u, v = places
    found = [b.var(D, 0.0) for _ in range(4)]
    with b.If(linear == 0):
        texels = _texel(b, texture, level, b.floor(u), b.floor(v), mask)
        for to, value in zip(found, texels, strict=True):
            to.value = value
    with b.Else():
        u, v = u - 0.5, v - 0.5
        x, y = b.floor(u), b.floor(v)
        fx, fy = u - x, v - y
        rows = []
        for row in (y, y + 1.0):
            left, right = (_texel(b, texture, level, column, row, mask) for column in (x, x + 1.0))
            rows.append([a * (1.0 - fx) + c * fx for a, c in zip(left, right, strict=True)])
        for to, low, high in zip(found, *rows, strict=True):
            to.value = low * (1.0 - fy) + high * fy
    for n, to in enumerate(found):
        colours = texture.colours + LANES * n
        colours.store(b.select(mask, to.value, colours.load(D)))
    b.Return(DONE)


def _from_levels(b: Builder, texture: Vc4Texture, numbers: Value, lanes: Value,
                 linear: Value) -> list[Value]:
    """Colours of `lanes` (a mask), each from its own level; the others are 0."""
    for n in range(4):
        (texture.colours + LANES * n).store(b.const(D, 0.0))
    rest = b.var(_BITS, b.bits_of(lanes))
    with b.While(lambda: rest.value != 0):
        first = b.cast(b.ctz(rest.value), i32)
        number = numbers[first]
        here = b.bits_of(numbers == b.splat(number, LANES)) & rest.value
        b.call(from_level, texture, number, b.cast(here, u32), linear)
        rest.value = rest.value & ~here
    return [(texture.colours + LANES * n).load(D) for n in range(4)]


# ---- cubes
def _on_face(b: Builder, direction: list[Value], face: Value) -> list[Value]:
    """s and t, 0 to 1, of directions on given faces."""
    axis, negative = face >> 1, (face & 1) == 1

    def of(number: Value) -> Value:
        last = b.select(number == 1, direction[1], direction[2])
        return b.select(number == 0, direction[0], last)

    major = b.abs(of(axis))
    major = b.select(major == 0.0, 1.0, major)
    found = []
    for which in (0, 1):
        def row(part: int, which: int = which) -> Value:
            first, second, third = (plain.FACES[n][which][part] for n in range(3))
            last = b.select(axis == 1, b.const(I, second), third)
            return b.select(axis == 0, b.const(I, first), last)

        sign = b.cast(b.select(negative, row(2), row(1)), f64)
        found.append((of(row(0)) * sign / major + 1.0) / 2.0)
    return found


def _to_faces(b: Builder, texture: Vc4Texture, direction: list[Value]) -> list[Value]:
    """Faces, s and t of the lanes; what comes back is s and t of the first three pixels of a lane's
    quad, on its face as if that had no end."""
    x, y, z = (b.abs(value) for value in direction)
    axis = b.select((x >= y) & (x >= z), b.const(I, 0),
                    b.select(y >= z, b.const(I, 1), b.const(I, 2)))
    last = b.select(axis == 1, direction[1], direction[2])
    major = b.select(axis == 0, direction[0], last)
    face = axis * 2 + b.select(major < 0.0, b.const(I, 1), b.const(I, 0))
    texture.faces.cast(SIGNED).store(face)
    s, t = _on_face(b, direction, face)
    texture.s.store(s)
    texture.t.store(t)
    return [value for k in range(3)
            for value in _on_face(b, [_of_quad(b, part, k) for part in direction], face)]


def _of_quad(b: Builder, value: Value, number: int) -> Value:
    """What a pixel of each lane's quad has."""
    return b.shuffle(value, None, [n // 4 * 4 + number for n in range(LANES)])


# ---- the level of detail
def _maximum(b: Builder, x: Value, y: Value) -> Value:
    """The larger; no number where one of them is none."""
    return b.select(x != x, x, b.select(y != y, y, b.select(x > y, x, y)))


def _level_of_detail(b: Builder, quad: list[Value], width: Value, height: Value) -> Value:
    """log2 of the texels between neighbours of a quad (the longer way)."""
    sizes = [b.splat(b.cast(size, f64), LANES) for size in (width, height)]
    here, right, below = ([quad[2 * k + n] * sizes[n] for n in (0, 1)] for k in range(3))
    edges = []
    for away in (right, below):
        squares = [(away[n] - here[n]) * (away[n] - here[n]) for n in (0, 1)]
        edges.append(squares[0] + squares[1])
    rho = b.sqrt(_maximum(b, *edges))
    rho = b.select(rho > 1e-30, rho, 1e-30)
    return b.cast(sfu.log2(b, b.cast(rho, f32)), f64)


@kernel(ret=u32, args=(ptr(Vc4Sample),))
def sample(b: Builder, given: Vc4Sample) -> None:
    """A sample of every lane, R in the lowest byte; DONE or an error's code."""
    texture = b.array(Vc4Texture, align=64)
    p0, p1 = given.words[0], given.words[1]
    _describe(b, texture, given, p0, p1)
    explicit, stride = b.var(u32, 0), b.var(u32, 0)
    for word in (given.words[2], given.words[3]):
        _fail(b, word >> 31 != 0, "texture children are not simulated")
        with b.If(word >> 30 == 1):
            stride.value, explicit.value = word & 0x3FFFF000, word & 1
        with b.If((word >> 30 == 0) & (word & 1 != 0)):
            explicit.value = 1
    texture.face_stride = b.cast(stride.value, i64)
    size = [b.cast(b.select(word & 0x7FF == 0, b.const(u32, 2048), word & 0x7FF), i32)
            for word in (p1 >> 8, p1 >> 20)]
    _levels(b, texture, p0, *size)
    lod = _prepared(b, texture, given, p0, size, explicit.value)
    result = _filtered(b, texture, lod, p1)
    _fail(b, texture.outside != 0, "a texel is read outside of every buffer")
    whole = b.const(U, 0)
    for n, value in enumerate(result):
        byte = b.bitcast(b.cast_fast(b.floor(value + 0.5), i32), u32)
        whole = whole | (byte << 8 * n)
    given.result.cast(WORD).store(whole)
    b.Return(DONE)


def _describe(b: Builder, texture: Vc4Texture, given: Vc4Sample, p0: Value, p1: Value) -> None:
    """What the first two words say, but for sizes."""
    texture.memory, texture.outside = given.memory, 0
    kind = b.cast((p0 >> 4 & 15) | (p1 >> 31 << 4), i32)
    texture.type, texture.cpp = kind, _bytes_of_type(b, kind)
    _fail(b, texture.cpp == 0, "a texture type that is not simulated")
    _fail(b, p1 >> 4 & 7 > 5, "a minifier that there is not")
    texture.wrap_s, texture.wrap_t = b.cast(p1 & 3, i32), b.cast(p1 >> 2 & 3, i32)
    texture.last = b.cast(p0 & 15, i32)
    texture.border.cast(WORD).store(b.const(U, 0))
    texture.faces.cast(SIGNED).store(b.const(I, 0))


def _coordinate(b: Builder, given: Vc4Sample, number: int) -> Value:
    """A coordinate as numbers; 0 where it was not given."""
    words = (given.coordinates + LANES * number).load(U)
    there = b.splat(b.cast(given.given >> number & 1, u32) != 0, LANES)
    return nan_to_num(b, b.cast(as_floats(b, b.select(there, words, b.const(U, 0))), f64))


def _prepared(b: Builder, texture: Vc4Texture, given: Vc4Sample, p0: Value, size: list[Value],
              explicit: Value) -> Value:
    """Coordinates, faces and the border; the level of detail of the lanes."""
    s, t, bias = (_coordinate(b, given, n) for n in (plain.S, plain.T, plain.B))
    texture.s.store(s)
    texture.t.store(t)
    third = (given.given >> plain.R & 1) != 0
    with b.If(third):
        texture.border.cast(WORD).store((given.coordinates + LANES * plain.R).load(U))
    quad = [b.var(D, _of_quad(b, value, k)) for k in range(3) for value in (s, t)]
    with b.If(p0 >> 9 & 1 != 0):
        _fail(b, ~third, "a cube is sampled without its third coordinate")
        found = _to_faces(b, texture, [s, t, _coordinate(b, given, plain.R)])
        for var, value in zip(quad, found, strict=True):
            var.value = value
    lod = b.var(D, bias)
    with b.If(explicit == 0):
        lod.value = _level_of_detail(b, [var.value for var in quad], *size) + bias
    return lod.value


def _filtered(b: Builder, texture: Vc4Texture, lod: Value, p1: Value) -> list[Value]:
    """The colours of all lanes: 0 to 255."""
    last = b.splat(b.cast(texture.last, f64), LANES)
    magnified = lod <= 0.0
    linear = b.cast(p1 >> 7 & 1 == 0, u32)
    none = b.const(I, 0)
    found = [b.var(D, value) for value in _from_levels(b, texture, none, magnified, linear)]
    code = p1 >> 4 & 7
    linear, between, mipmaps = (
        sum((b.cast(code == n, u32) for n, row in enumerate(plain.MINIFIERS) if row[part]),
            b.const(u32, 0)) for part in range(3))
    with b.If(between != 0):
        clamped = b.max(b.min(lod, last), 0.0)
        low = b.floor(clamped)
        part = clamped - low
        numbers = b.cast_fast(low, i32)
        more = b.min(numbers + 1, b.splat(texture.last, LANES))
        near = _from_levels(b, texture, numbers, ~magnified, linear)
        far = _from_levels(b, texture, more, ~magnified, linear)
        for place, a, c in zip(found, near, far, strict=True):
            place.value = place.value + (a * (1.0 - part) + c * part)
    with b.Else():
        at = b.max(b.min(b.ceil(lod - 0.5), last), 0.0)
        numbers = b.select(b.splat(mipmaps != 0, LANES), b.cast_fast(at, i32), none)
        for place, a in zip(found, _from_levels(b, texture, numbers, ~magnified, linear),
                            strict=True):
            place.value = place.value + a
    return [place.value for place in found]


__all__ = ["sample"]
