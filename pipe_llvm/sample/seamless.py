# SPDX-License-Identifier: MIT
"""Linear filters of cubes that reach into the neighbouring faces (ARB_seamless_cube_map).

A neighbour beyond an edge is the texel of the face that lies there; one beyond a corner, where
three faces meet and there is none, is the mean of the other three. Most stamps need neither: their
texels are fetched as those of other filters, and only where a lane leaves its face all four
neighbours are looked up one by one: by one kernel, which all filters of a sampler function call."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import HALF, Axis, Coords, Level, place
from pipe_llvm.sample.filters import Beyond, Edges, Linear, LinearBytes, LinearFloats
from pipe_llvm.sample.vectors import f32x16, i32x16, u32x16
from pydri.jit import Kernel, f32, i32, kernel, ptr, u32, void
from pydri.pipe.sampler import TEXEL_CLASSES, TextureView, ViewLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import SamplerKey

#: what a coordinate on the neighbouring face is: the first or last texel, or the place along the
#: edge, counted from either end
FIRST, LAST, ALONG, BACK = range(4)


def _direction(face: int, sc: float, tc: float) -> tuple[float, float, float]:
    """The point at (sc, tc) of a face of the cube from -1 to 1 (GL 2.1, table 3.19)."""
    return (
        (1, -tc, -sc), (-1, -tc, sc), (sc, 1, tc), (sc, -1, -tc), (sc, -tc, 1), (-sc, -tc, -1),
    )[face]  # fmt: skip


def _on_face(x: float, y: float, z: float) -> tuple[int, float, float]:
    """The face that a direction hits, and where."""
    sizes = abs(x), abs(y), abs(z)
    axis = sizes.index(max(sizes))
    face = 2 * axis + ((x, y, z)[axis] < 0)
    sc = (-z, z, x, x, x, -x)[face] / sizes[axis]
    tc = (-y, -y, z, -z, -y, -y)[face] / sizes[axis]
    return face, sc, tc


def _edge(face: int, edge: int) -> int:
    """What lies beyond an edge (left, right, above, below): face | how x follows << 3 | how y
    follows << 5."""
    size, along = 8, 2

    def centre(texel: int) -> float:
        return (2 * texel + 1) / size - 1

    x, y = ((-1, along), (size, along), (along, -1), (along, size))[edge]
    there, sc, tc = _on_face(*_direction(face, centre(x), centre(y)))
    kinds = {0: FIRST, size - 1: LAST, along: ALONG, size - 1 - along: BACK}
    of_x, of_y = (kinds[int((c + 1) / 2 * size)] for c in (sc, tc))
    return there | of_x << 3 | of_y << 5


EDGES = [_edge(face, edge) for face in range(6) for edge in range(4)]


class _SeamlessAxis(Axis):
    """A coordinate within a face, whose neighbours may be one texel outside."""

    def __init__(self, key: SamplerKey, number: int) -> None:
        super().__init__(key, number)
        self.clamp = self.border = True

    def _margin(self, b: Builder, view: TextureView) -> Value:
        return b.const(f32, float(HALF))


class Seamless(Linear):
    """What bytes and floats have in common."""

    def __init__(self, key: SamplerKey) -> None:
        super().__init__(key)
        self.axes = [_SeamlessAxis(key, n) for n in range(2)]
        #: what `beyond` is given and gives, in memory
        self.room: tuple[Pointer, Pointer] | None = None

    def coords(self, b: Builder, view: TextureView, level: Level, c: Coords) -> list[Value]:
        """The first texel's number, kept inside; fixed-point coordinates; column, row, image."""
        assert c.image is not None
        found = [axis.linear(b, view, level, s) for axis, s in zip(self.axes, c.axes)]
        texels = [x.texel for x in found]
        near = [b.min(b.max(x, 0), b.splat(level.sizes[0] - 2, 16)) for x in texels]
        near = [b.max(x, 0) for x in near]
        return [place(b, level, near, c.image), *(x.fixed for x in found), *texels, c.image]

    def fixed_of(self, kept: list[Value]) -> list[Value]:
        return kept[1:3]

    def edges_of(self, kept: list[Value], which: int) -> Edges:
        return Beyond(kept[3], kept[4], kept[5])

    @staticmethod
    def leaves(b: Builder, level: Level, at: Beyond) -> Value:
        """Whether some lane has a neighbour outside of its face."""
        last = b.splat(level.sizes[0] - 1, 16)
        inside = (at.column >= 0) & (at.row >= 0) & (at.column < last) & (at.row < last)
        return ~b.all(inside)

    def neighbour(
        self, b: Builder, level: Level, first: Beyond, n: Value
    ) -> tuple[Value, Value]:
        """The n-th of the four neighbours: texel numbers (u32x16), and which are beyond a corner.
        """
        column, row, image = first
        last = b.splat(level.sizes[0] - 1, 16)
        face = b.bitcast(b.bitcast(image, u32) % 6, image.ty)
        x, y = column + b.splat(n & 1, 16), row + b.splat(n >> 1, 16)
        beyond_x, beyond_y = (x < 0) | (x > last), (y < 0) | (y > last)
        edge = b.select(beyond_x, b.select(x < 0, b.const(i32x16, 0), 1),
                        b.select(y < 0, b.const(i32x16, 2), 3))  # fmt: skip
        beyond = beyond_x | beyond_y
        row_of = b.gather(b.table(u32, EDGES), face * 4 + edge)
        along = b.select(beyond_x, b.min(b.max(y, 0), last), b.min(b.max(x, 0), last))
        moved = [self._there(b, (row_of >> shift) & 3, along, last) for shift in (3, 5)]
        there = b.bitcast(row_of & 7, image.ty)
        texel = [b.select(beyond, to, at) for to, at in zip(moved, (x, y))]
        on = b.select(beyond, image - face + there, image)
        return place(b, level, texel, on), beyond_x & beyond_y

    @staticmethod
    def _there(b: Builder, how: Value, along: Value, last: Value) -> Value:
        ends = b.select(how == FIRST, b.const(i32x16, 0), last)
        return b.select(how < ALONG, ends, b.select(how == ALONG, along, last - along))

    def around(
        self, b: Builder, view: TextureView, level: Level, plain: list[Value], at: Beyond,
        reference: Value | None,
    ) -> list[Value]:  # fmt: skip
        """`plain`, but where some lane leaves its face what `beyond` makes."""
        held = [b.var(value.ty, value) for value in plain]
        if self.room is None:
            size = 16 * len(plain)
            self.room = b.array(u32, 64, align=64), b.array(u32, size, align=64)
        given, found = self.room
        with b.If(self.leaves(b, level, at), likely=False):
            for n, value in enumerate((*at, *(() if reference is None else (reference,)))):
                (given + 16 * n).store(b.bitcast(value, u32x16), align=64)
            b.call(_beyond(type(self), self.key), view, level.row, given, found)
            for n, var in enumerate(held):
                var.value = (found + 16 * n).load(var.ty, align=64)
        return [var.value for var in held]

    @abstractmethod
    def beyond(
        self, b: Builder, level: Level, first: Beyond, reference: Value | None
    ) -> list[Value]:
        """What the filter takes where a lane has neighbours on other faces: each is looked up."""

    def looked_up(
        self, b: Builder, level: Level, first: Beyond
    ) -> list[tuple[list[Value], Value]]:
        """The four neighbours' words, one by one, and which are beyond a corner."""
        count = self.texels.word_count
        numbers, words = b.array(u32, 16, align=64), b.array(u32, 64 * count, align=64)
        corners = b.array(u32, 64, align=64)
        with b.For(b.const(i32, 0), 4) as n:
            number, corner = self.neighbour(b, level, first, n)
            numbers.store(number, align=64)
            for k, word in enumerate(self.texels.words(b, level.data, numbers)):
                (words + (n * (16 * count) + 16 * k)).store(word, align=64)
            (corners + n * 16).store(b.select(corner, b.const(u32x16, 1), 0), align=64)
        found = []
        for at in range(4):
            own = [(words + 16 * (count * at + k)).load(u32x16, align=64) for k in range(count)]
            found.append((own, (corners + 16 * at).load(u32x16, align=64) != 0))
        return found


def _others(n: int) -> list[int]:
    return [k for k in range(4) if k != n]


class SeamlessBytes(Seamless, LinearBytes):
    """The integer rule; a mean is the nearest integer."""

    def _quads(
        self, b: Builder, view: TextureView, level: Level, at: Pointer, edges: Edges
    ) -> list[Value]:
        assert isinstance(edges, Beyond)
        quads = self.texels.quads(b, level.data, self.below(b, level), at)
        return self.around(b, view, level, quads, edges, None)

    def beyond(
        self, b: Builder, level: Level, first: Beyond, reference: Value | None
    ) -> list[Value]:
        return self.assembled(b, self.looked_up(b, level, first))

    def assembled(self, b: Builder, found: Sequence[tuple[list[Value], Value]]) -> list[Value]:
        """For each used channel the bytes of what was looked up."""
        quads = []
        for channel in self.used:
            parts = [(words[0] >> (8 * channel)) & 255 for words, _ in found]
            linear = [self.linear(b, channel, part) for part in parts]
            total: Value | None = None
            for n, (_, corner) in enumerate(found):
                mean = self.mean(b, channel, [linear[k] for k in _others(n)])
                part = b.select(corner, mean, parts[n]) << (8 * n)
                total = part if total is None else total | part
            assert total is not None
            quads.append(total)
        return quads

    def linear(self, b: Builder, channel: int, byte: Value) -> Value:
        """A texel's byte (u32x16) as it counts in a mean."""
        return byte

    def mean(self, b: Builder, channel: int, three: list[Value]) -> Value:
        """What stands for a neighbour that there is not: the mean of the others' `linear`s, as a
        byte (u32x16)."""
        x, y, z = three
        return (x + y + z + 1) // 3


class SeamlessFloats(Seamless, LinearFloats):
    """Decoded texels."""

    def _corner_channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        at: Pointer,
        edges: Edges,
        reference: Value | None,
    ) -> list[list[Value]]:
        assert isinstance(edges, Beyond)
        corners = super()._corner_channels(b, view, level, at, None, reference)
        plain = [value for corner in corners for value in corner]
        found = iter(self.around(b, view, level, plain, edges, reference))
        return [[next(found) for _ in corner] for corner in corners]

    def beyond(
        self, b: Builder, level: Level, first: Beyond, reference: Value | None
    ) -> list[Value]:
        corners = self.corners(b, self.looked_up(b, level, first), reference)
        return [value for corner in corners for value in corner]

    def corners(
        self, b: Builder, found: Sequence[tuple[list[Value], Value]], reference: Value | None
    ) -> list[list[Value]]:
        """The channels of what was looked up."""
        shown = [self.shown(b, words, reference) for words, _ in found]
        out = []
        for n, (_, corner) in enumerate(found):
            x, y, z = (shown[k] for k in _others(n))
            out.append([b.select(corner, (p + q + r) * (1.0 / 3), mine)
                        for mine, p, q, r in zip(shown[n], x, y, z)])  # fmt: skip
        return out


@lru_cache(maxsize=64)
def _beyond(kind: type[Seamless], key: SamplerKey) -> Kernel:
    """(view, level, first texels' columns, rows and images and what is compared with, out): the
    vectors of `beyond`, of any filter of the key."""

    @kernel(void, (ptr(TextureView), ptr(ViewLevel), ptr(u32), ptr(u32)), name="beyond_faces",
            noalias=(3,), cold=True)  # fmt: skip
    def emit(
        b: Builder, view: TextureView, row: ViewLevel, given: Pointer, out: Pointer
    ) -> None:
        first = Beyond(*((given + 16 * n).load(i32x16, align=64) for n in range(3)))
        reference = (given + 48).load(f32x16, align=64) if key.compare else None
        found = kind(key).beyond(b, Level(b, view, row), first, reference)
        for n, value in enumerate(found):
            (out + 16 * n).store(b.bitcast(value, u32x16), align=64)

    return emit


def seamless_filter(key: SamplerKey) -> Linear:
    """The linear filter of a seamless cube."""
    if TEXEL_CLASSES[key.texel].filtered_as_integers and not key.compare:
        return SeamlessBytes(key)
    return SeamlessFloats(key)
