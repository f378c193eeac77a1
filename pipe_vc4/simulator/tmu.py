# SPDX-License-Identifier: MIT
"""The texture units: coordinates in, a FIFO of results out; and plain reads of memory.

Set-up words p0 to p3 as the guide's "Texture Config Parameters"; levels lie before level 0, each
stored with the halved next power of two of the size.
"""
from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from pipe_vc4.simulator import sfu, tiling
from pipe_vc4.simulator.alu import as_floats
from pipe_vc4.simulator.arrays import Bools, Doubles, Ints, Words
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.memory import Memory

S, T, R, B = range(4)
REPEAT, CLAMP, MIRROR, BORDER = range(4)
RGBA8888, RGBX8888, RGBA4444, RGBA5551, RGB565, LUMINANCE, ALPHA, LUM_ALPHA = range(8)
RGBA32R = 16
BYTES = {RGBA8888: 4, RGBX8888: 4, RGBA4444: 2, RGBA5551: 2, RGB565: 2, LUMINANCE: 1, ALPHA: 1,
          LUM_ALPHA: 2, RGBA32R: 4}
#: By the minifier's code: (texels are filtered, between two levels, at a level beside 0).
MINIFIERS = ((True, False, False), (False, False, False), (False, False, True),
              (False, True, True), (True, False, True), (True, True, True))
FIFO = 8
#: By major axis (x, y, z) the axes that s and t are, with their signs on the + and the - face.
FACES = (((2, -1, 1), (1, -1, -1)), ((0, 1, 1), (2, 1, -1)), ((0, 1, -1), (1, -1, -1)))


@dataclass(frozen=True)
class Level:
    """One level: its address, its size, how it is tiled, the size its memory was laid out for."""

    address: int
    width: int
    height: int
    stored_width: int
    tiling: int


class Texture:
    """What the set-up words say."""

    def __init__(self, words: list[int]) -> None:
        p0, p1, p2, p3 = (words + [0, 0, 0])[:4]
        self.type = p0 >> 4 & 15 | (p1 >> 31) << 4
        if self.type not in BYTES:
            raise JobError(f"texture type {self.type} is not simulated")
        self.cpp = BYTES[self.type]
        self.base = p0 & ~0xFFF
        self.is_cube = bool(p0 >> 9 & 1)
        self.levels_count = (p0 & 15) + 1
        self.width, self.height = p1 >> 8 & 0x7FF or 2048, p1 >> 20 & 0x7FF or 2048
        self.magnify_linear = not p1 >> 7 & 1
        if p1 >> 4 & 7 > 5:
            raise JobError("a minifier that there is not")
        self.minify_linear, self.between, self.mipmaps = MINIFIERS[p1 >> 4 & 7]
        self.wrap_s, self.wrap_t = p1 & 3, p1 >> 2 & 3
        self.face_stride = self.explicit = 0
        for word in (p2, p3):
            if word >> 30 == 1:
                self.face_stride = word & 0x3FFFF000
                self.explicit = word & 1
            elif word >> 30 > 1:
                raise JobError("texture children are not simulated")
            elif word & 1:
                self.explicit = 1
        self.levels = self._levels()

    def _levels(self) -> list[Level]:
        levels: list[Level] = []
        address = self.base
        for i in range(self.levels_count):
            width, height = max(self.width >> i, 1), max(self.height >> i, 1)
            stored = (width, height)
            if i:
                stored = (max((1 << (self.width - 1).bit_length()) >> i, 1),
                          max((1 << (self.height - 1).bit_length()) >> i, 1))
            kind = tiling.LT if tiling.is_lt(*stored, self.cpp) else tiling.T
            if self.type == RGBA32R:
                kind = tiling.RASTER
            if i:
                address -= tiling.size_of(*stored, self.cpp, kind)
            levels.append(Level(address, width, height, stored[0], kind))
        return levels


def _texel_colours(texture: Texture, raw: Words) -> Doubles:
    """Bytes R, G, B, A of texels, as numbers: ... x 4."""
    def part(shift: int, bits: int) -> Words:
        value = raw >> np.uint32(shift) & np.uint32((1 << bits) - 1)
        if bits == 1:
            return value * np.uint32(255)
        if bits == 8:
            return value
        spread = value << np.uint32(8 - bits)
        return spread | spread >> np.uint32(bits)

    full, none = np.full_like(raw, 255), np.zeros_like(raw)
    parts: tuple[Words, Words, Words, Words]
    if texture.type in (RGBA8888, RGBA32R):
        parts = part(0, 8), part(8, 8), part(16, 8), part(24, 8)
    elif texture.type == RGBX8888:
        parts = part(0, 8), part(8, 8), part(16, 8), full
    elif texture.type == RGBA4444:
        parts = part(12, 4), part(8, 4), part(4, 4), part(0, 4)
    elif texture.type == RGBA5551:
        parts = part(11, 5), part(6, 5), part(1, 5), part(0, 1)
    elif texture.type == RGB565:
        parts = part(11, 5), part(5, 6), part(0, 5), full
    elif texture.type == LUMINANCE:
        parts = raw, raw, raw, full
    elif texture.type == ALPHA:
        parts = none, none, none, raw
    else:
        parts = part(0, 8), part(0, 8), part(0, 8), part(8, 8)
    return np.stack(parts, axis=-1).astype(np.float64)


def _wrap(i: Ints, size: int, mode: int) -> tuple[Ints, Bools]:
    """Texel indices inside of the level, and where the border stands instead."""
    outside = np.zeros(i.shape, bool)
    if mode == REPEAT:
        i = i % size
    elif mode == MIRROR:
        i = i % (2 * size)
        i = np.where(i >= size, 2 * size - 1 - i, i)
    elif mode == BORDER:
        outside = (i < 0) | (i >= size)
    return np.clip(i, 0, size - 1), outside


class Sampler:
    """One sample of all lanes."""

    def __init__(self, memory: Memory, words: list[int], coordinates: dict[int, Words]) -> None:
        self.memory, self.texture = memory, Texture(words)
        numbers = {name: as_floats(np.ascontiguousarray(value)).astype(np.float64)
                   for name, value in coordinates.items()}
        self.s = np.nan_to_num(numbers[S])
        self.t = np.nan_to_num(numbers.get(T, np.zeros_like(self.s)))
        self.bias = np.nan_to_num(numbers.get(B, np.zeros_like(self.s)))
        border = coordinates.get(R, np.zeros(self.s.shape, np.uint32))
        shifts = np.array([0, 8, 16, 24], np.uint32)
        self.border = (border[..., None] >> shifts & np.uint32(255)).astype(np.float64)
        self.face: Ints = np.zeros(self.s.shape, np.int64)
        #: s and t of the first three pixels of a lane's quad
        self.quad = [(_of_quad(self.s, k), _of_quad(self.t, k)) for k in range(3)]
        if self.texture.is_cube:
            if R not in numbers:
                raise JobError("a cube is sampled without its third coordinate")
            self.to_faces(np.stack([self.s, self.t, np.nan_to_num(numbers[R])]))

    def to_faces(self, direction: Doubles) -> None:
        """A face and its s and t for every lane; for its level the others of the quad, on that face
        as if it had no end."""
        size = np.abs(direction)
        axis = np.where((size[0] >= size[1]) & (size[0] >= size[2]), 0,
                        np.where(size[1] >= size[2], 1, 2))
        negative = np.take_along_axis(direction, axis[None], 0)[0] < 0
        self.face = 2 * axis + negative
        self.s, self.t = self.on_face(direction, self.face)
        self.quad = [self.on_face(_of_quad(direction, k), self.face) for k in range(3)]

    def on_face(self, direction: Doubles, face: Ints) -> tuple[Doubles, Doubles]:
        """s and t, 0 to 1, of directions on given faces."""
        axis, negative = face // 2, face % 2
        table = np.array(FACES)
        major = np.abs(np.take_along_axis(direction, axis[None], 0)[0])
        major = np.where(major == 0, 1.0, major)
        found = []
        for which in (0, 1):
            row = table[axis, which]
            of = np.take_along_axis(direction, row[..., 0][None], 0)[0]
            sign = np.where(negative == 1, row[..., 2], row[..., 1])
            found.append((of * sign / major + 1) / 2)
        return found[0], found[1]

    def level_of_detail(self) -> Doubles:
        """log2 of the texels between neighbours of a quad (the longer way), and the bias."""
        if self.texture.explicit:
            return self.bias
        (u, v), *others = ((s * self.texture.width, t * self.texture.height) for s, t in self.quad)
        right, below = ((x - u) ** 2 + (y - v) ** 2 for x, y in others)
        rho = np.sqrt(np.maximum(right, below))
        # Coordinates so large that their difference is no number: the texture is magnified.
        level = sfu.log2(np.fmax(rho, 1e-30).astype(np.float32)).astype(np.float64)
        return level + self.bias

    def texel(self, level: Level, x: Ints, y: Ints, where: Bools) -> Doubles:
        """Colours of texels of one level in the lanes of `where`: lanes x 4, in bytes."""
        texture = self.texture
        x, out_x = _wrap(x, level.width, texture.wrap_s)
        y, out_y = _wrap(y, level.height, texture.wrap_t)
        at = level.address + self.face[where] * texture.face_stride + tiling.offsets(
            x, y, level.stored_width, texture.cpp, level.tiling)
        raw = self.memory.elements(at, texture.cpp, "a texel is read")
        outside = (out_x | out_y)[..., None]
        return np.where(outside, self.border[where], _texel_colours(texture, raw))

    def from_level(self, number: int, where: Bools, linear: bool) -> Doubles:
        """Colours of the lanes of `where` from one level: lanes x 4, in bytes."""
        level = self.texture.levels[number]
        u, v = self.s[where] * level.width, self.t[where] * level.height
        limit = 2.0 ** 40
        u, v = np.clip(u, -limit, limit), np.clip(v, -limit, limit)
        if not linear:
            return self.texel(level, np.floor(u).astype(np.int64), np.floor(v).astype(np.int64),
                              where)
        u, v = u - 0.5, v - 0.5
        x, y = np.floor(u), np.floor(v)
        fx, fy = (u - x)[..., None], (v - y)[..., None]
        ix, iy = x.astype(np.int64), y.astype(np.int64)
        low = self.texel(level, ix, iy, where) * (1 - fx) + self.texel(
            level, ix + 1, iy, where) * fx
        high = self.texel(level, ix, iy + 1, where) * (1 - fx) + self.texel(
            level, ix + 1, iy + 1, where) * fx
        return low * (1 - fy) + high * fy

    def from_levels(self, numbers: Ints, where: Bools, linear: bool) -> Doubles:
        """Colours of the lanes of `where`, each from its own level: all lanes x 4."""
        colours = np.zeros((*where.shape, 4))
        for number in np.unique(numbers[where]):
            here = where & (numbers == number)
            colours[here] = self.from_level(int(number), here, linear)
        return colours

    def colours(self) -> Words:
        """The sample of every lane, R in the lowest byte."""
        texture = self.texture
        lod = self.level_of_detail()
        last = len(texture.levels) - 1
        magnified = lod <= 0
        none: Ints = np.zeros(lod.shape, np.int64)
        result = self.from_levels(none, magnified, texture.magnify_linear)
        rest = ~magnified
        if texture.between:
            clamped = np.clip(lod, 0, last)
            low = np.floor(clamped).astype(np.int64)
            part = (clamped - low)[..., None]
            high = np.minimum(low + 1, last)
            result += (self.from_levels(low, rest, texture.minify_linear) * (1 - part)
                       + self.from_levels(high, rest, texture.minify_linear) * part)
        else:
            at = np.clip(np.ceil(lod - 0.5), 0, last).astype(np.int64) if texture.mipmaps else none
            result += self.from_levels(at, rest, texture.minify_linear)
        whole = np.floor(result + 0.5).astype(np.uint32)
        shifts = np.array([0, 8, 16, 24], np.uint32)
        return np.sum(whole << shifts, axis=-1, dtype=np.uint32)


def _of_quad(values: Doubles, number: int) -> Doubles:
    """What a pixel of each lane's quad has."""
    return np.repeat(values[..., number::4], 4, axis=-1)


class Tmu:
    """One unit: the coordinates and set-up words given so far, and the results not yet fetched."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.coordinates: dict[int, Words] = {}
        self.words: list[int] = []
        self.results: list[Words] = []

    def select(self, groups: Ints) -> Tmu:
        """The unit of some of the groups."""
        part = Tmu(self.memory)
        part.coordinates = {name: value[groups] for name, value in self.coordinates.items()}
        part.words = list(self.words)
        part.results = [result[groups] for result in self.results]
        return part

    def join(self, others: Sequence[Tmu]) -> Tmu:
        """The unit of its groups and then those of others in the same state."""
        every = (self, *others)
        whole = Tmu(self.memory)
        whole.coordinates = {name: np.concatenate([unit.coordinates[name] for unit in every])
                             for name in self.coordinates}
        whole.words = list(self.words)
        whole.results = [np.concatenate(results)
                         for results in zip(*(unit.results for unit in every), strict=True)]
        return whole

    def state(self) -> Hashable:
        """What is not the lanes' own."""
        return tuple(self.coordinates), tuple(self.words), len(self.results)

    def wants_uniform(self, coordinate: int) -> bool:
        """Whether a write of this coordinate takes a set-up word: not when it reads memory."""
        return coordinate != S or bool(self.coordinates)

    def write(self, coordinate: int, value: Words, word: Words | None) -> None:
        """A coordinate; s is the last, and begins the sample."""
        self.coordinates[coordinate] = value.copy()
        if word is not None:
            self.words.append(int(word[0, 0]))
        if coordinate != S:
            return
        if len(self.results) >= FIFO:
            raise JobError("more samples wait in a TMU than it holds")
        if word is None:
            addresses = value.astype(np.int64) & ~3
            self.results.append(self.memory.words(addresses, "memory is read"))
        else:
            self.results.append(Sampler(self.memory, self.words, self.coordinates).colours())
        self.coordinates, self.words = {}, []

    def pop(self) -> Words:
        """The oldest result."""
        if not self.results:
            raise JobError("a TMU's result is read, and none was asked for")
        return self.results.pop(0)
