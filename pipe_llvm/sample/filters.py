# SPDX-License-Identifier: MIT
"""Filters within one level: nearest, linear of bytes (the integer rule), linear of floats.

A filter has two stages, between which a batch goes through memory: `coords` gives the vectors that
are to be kept, the first of them texel numbers; `channels` fetches and filters. The integer rule:
texel times x weight (7 bits) by unsigned-signed byte products, times y weight (7 bits) by word
products, exact in 32 bits, and one conversion to float at the end, so that 255 is exactly 1. A
second level's, or slice's, weight goes into the same sum; with weight 0 the result is that of one
level alone, so it cannot be seen which way was taken."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pipe_llvm.gallivm.depth import compare
from pipe_llvm.sample.coords import (
    ONE,
    Axis,
    Coords,
    Inside,
    Level,
    dimensions,
    inside,
    limited,
    place,
)
from pipe_llvm.sample.texel import RowTexels, Texels, unsigned
from pipe_llvm.sample.vectors import (
    byte_everywhere,
    byte_pattern,
    f32x16,
    i16x32,
    i32x16,
    multiply_add_bytes,
    multiply_add_words,
    u32x16,
)
from pydri.jit import f32, i32, u8, u32, u64
from pydri.pipe.format_emit import fraction
from pydri.pipe.resource import TARGET_2D, TARGET_RECT
from pydri.pipe.sampler import GL_NEVER, TEXEL_CLASSES

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import SamplerKey, TextureView

_LAST = ONE - 1
_FLAT = (TARGET_2D, TARGET_RECT)  # targets whose images are shown at their own size


class Beyond(NamedTuple):
    """Of seamless cubes: column and row of a filter's first texel, which may be -1 or the last, and
    its image (i32x16)."""

    column: Value
    row: Value
    image: Value


#: which of a filter's neighbours are not simply the next texels; None: all are
Edges: TypeAlias = "Inside | Beyond | None"


class Filter(ABC):
    """What all filters have in common. `reference`, where there is a comparison: f32x16."""

    ROW_BITS: tuple[int, ...] = (32,)  # of texels that `in_rows` is there for

    def __init__(self, key: SamplerKey) -> None:
        self.key = key
        self.kind = TEXEL_CLASSES[key.texel]
        self.texels = Texels(self.kind)
        self.dims = dimensions(key.target)
        self.axes = [Axis(key, n) for n in range(self.dims)]
        #: channels that come out
        self.used = [0] if key.compare else self.texels.used

    @property
    def has_rows(self) -> bool:
        """Whether rows of stamps can be rows of texels that one load reads."""
        return self.kind.bits in self.ROW_BITS and self.key.target in _FLAT

    def in_rows(self) -> Filter | None:
        """This filter for stamps whose rows are rows of texels; None where that gains nothing."""
        if not self.has_rows:
            return None
        found = copy(self)
        found.texels = RowTexels(self.kind)
        return found

    def without_neighbours(self) -> Linear | None:
        """Of a linear filter, for stamps in rows: one for those of which the first of four texels
        has all the weight, as wherever an image is shown at its own size. None: there is none."""
        return None

    @abstractmethod
    def coords(self, b: Builder, view: TextureView, level: Level, c: Coords) -> list[Value]:
        """First stage: the vectors that `channels` needs (16 lanes of 32 bits each)."""

    @abstractmethod
    def channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        kept: list[Value],
        places: list[Pointer],
        reference: Value | None,
    ) -> list[Value]:
        """Second stage: the used channels as f32x16. `places`: where `kept` lies in memory."""

    def shown(self, b: Builder, words: list[Value], reference: Value | None) -> list[Value]:
        """Channels of fetched texels: decoded, and compared if that is asked for."""
        return self._compared(b, self.texels.decode(b, words), reference)

    def _compared(
        self, b: Builder, channels: list[Value], reference: Value | None
    ) -> list[Value]:
        """1 or 0 where there is a comparison, else the channels as they are."""
        if reference is None:
            return channels
        function = self.key.compare - 1 + GL_NEVER
        passed = compare(function, reference, channels[0])
        return [b.select(passed, b.const(f32x16, 1.0), b.const(f32x16, 0.0))]

    def border_channels(
        self, b: Builder, view: TextureView, reference: Value | None
    ) -> list[Value]:
        """The border colour as `shown` gives texels."""
        if self.kind.filtered_as_integers:
            numbers = [(view.border_bytes + n).load(u32, invariant=True) & 255 for n in self.used]
            return [b.splat(fraction(b, b.bitcast(n, i32), 8), 16) for n in numbers]
        colors = [b.splat((view.border + n).load(f32, invariant=True), 16) for n in self.used]
        return self._compared(b, colors, reference)


class Nearest(Filter):
    """One texel."""

    ROW_BITS = (32, 64, 128)

    def coords(self, b: Builder, view: TextureView, level: Level, c: Coords) -> list[Value]:
        texels = [axis.nearest(b, view, level, s) for axis, s in zip(self.axes, c.axes)]
        image = texels[2] if self.dims == 3 else c.image
        if not self.key.border:
            return [place(b, level, texels[:2], image)]
        outside = b.const(i32x16, 0)
        held = []
        for axis, texel in zip(self.axes, texels):
            near = limited(b, axis, level, texel)
            held.append(near)
            outside = outside | (near ^ texel)
        image = held[2] if self.dims == 3 else c.image
        return [place(b, level, held[:2], image), outside]

    def channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        kept: list[Value],
        places: list[Pointer],
        reference: Value | None,
    ) -> list[Value]:
        found = self.shown(b, self.texels.words(b, level.data, places[0]), reference)
        if not self.key.border:
            return found
        border = self.border_channels(b, view, reference)
        return [b.select(kept[1] != 0, y, x) for x, y in zip(found, border)]


class Linear(Filter):
    """Two texels in each direction: what bytes and floats have in common."""

    def alone(self, kind: type[Linear]) -> Linear | None:
        """A filter of that kind, which reads the first texels of stamps in rows; None where it
        would need more: what lies at a border is mixed with it, and depths are compared first."""
        if not self.has_rows or self.key.border or self.key.compare:
            return None
        found = kind(self.key)
        found.texels = RowTexels(self.kind)
        return found

    def coords(self, b: Builder, view: TextureView, level: Level, c: Coords) -> list[Value]:
        """Texel numbers (of both slices of 3D), fixed-point coordinates, and with a border Inside
        (of both slices)."""
        found = [axis.linear(b, view, level, s) for axis, s in zip(self.axes, c.axes)]
        texels = [limited(b, axis, level, x.texel) for axis, x in zip(self.axes, found)]
        fixed = [x.fixed for x in found]
        edges: list[Value] = []
        if self.key.border:
            edges = list(inside(b, self.axes, level, [x.texel for x in found]))
        if self.dims < 3:
            return [place(b, level, texels, c.image), *fixed, *edges]
        images, keeps = self._slices(b, level, found[2].texel)
        at = place(b, level, texels[:2], None)
        stride = b.splat(level.image_stride, 16)
        numbers = [at + b.bitcast(image, u32) * stride for image in images]
        if edges:
            edges = [edges[0], edges[1] & keeps[0], edges[1] & keeps[1]]
        return [*numbers, *fixed, *edges]

    def _slices(self, b: Builder, level: Level, first: Value) -> tuple[list[Value], list[Value]]:
        """The two slices, inside of the image, and ones where they are no border."""
        axis, size = self.axes[2], b.splat(level.sizes[2], 16)
        second = first + 1
        ones, none = b.const(u32x16, 0xFFFFFFFF), b.const(u32x16, 0)
        if not axis.clamp:
            return [first, b.select(second >= size, b.const(i32x16, 0), second)], [ones, ones]
        keeps = [b.select((z >= 0) & (z < size), ones, none) for z in (first, second)]
        return [b.min(b.max(z, 0), size - 1) for z in (first, second)], keeps

    @property
    def fixed_at(self) -> int:
        """Where the fixed-point coordinates begin among what is kept."""
        return 2 if self.dims == 3 else 1

    def fixed_of(self, kept: list[Value]) -> list[Value]:
        """The fixed-point coordinates among what was kept."""
        return kept[self.fixed_at : self.fixed_at + self.dims]

    def edges_of(self, kept: list[Value], which: int) -> Edges:
        """What lies inside, of slice `which`; None: all."""
        if not self.key.border:
            return None
        shift = kept[2 * self.dims - 1 if self.dims == 3 else 1 + self.dims]
        return Inside(shift, kept[-2 + which] if self.dims == 3 else kept[-1])

    def below(self, b: Builder, level: Level) -> Pointer:
        """The level's second row; of 1D the first again, which has no weight."""
        if self.dims == 1:
            return level.data
        return b.bytes_from(level.data, b.cast(level.stride, u64) * self.texels.size, u8)


class Part(NamedTuple):
    """What one image adds to a sum of bytes: for each used channel a lane's four neighbours, the
    fixed-point coordinate across, and the rows' weights (i16x32) times the image's share."""

    quads: list[Value]
    across: Value
    rows: Value


class LinearBytes(Linear):
    """The integer rule."""

    #: bits of all weights together: of one level, of two (8 of the share), of two slices (7)
    ONE_LEVEL, TWO_LEVELS, TWO_SLICES = 14, 22, 21

    def without_neighbours(self) -> Linear | None:
        """See Filter."""
        return self.alone(FirstBytes)

    def _across(self, b: Builder, fixed: Value) -> Value:
        """Weights across as 64 signed bytes, negative, so that 128 fits."""
        x = b.bitcast(fixed, u32) & _LAST
        return (byte_everywhere(b, x) ^ byte_pattern(b, [0x80, 0xFF])) + byte_pattern(b, [0, 1])

    def _down(self, b: Builder, fixed: list[Value]) -> Value:
        """The rows' weights as 32 words, negative, too."""
        if self.dims == 1:
            return b.bitcast(b.const(u32x16, 0xFF80), i16x32)
        y = b.bitcast(fixed[1], u32) & _LAST
        return b.bitcast((y - (y << 16)) + (0x10000 - ONE), i16x32)

    def _quads(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        at: Pointer,
        edges: Edges,
    ) -> list[Value]:
        quads = self.texels.quads(b, level.data, self.below(b, level), at)
        if not isinstance(edges, Inside):
            return quads
        border = [
            b.splat((view.border_bytes + n).load(u32, invariant=True), 16) for n in self.used
        ]
        shift, keep = edges
        return [((q << shift) & keep) | (y & ~keep) for q, y in zip(quads, border)]

    def channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        kept: list[Value],
        places: list[Pointer],
        reference: Value | None,
    ) -> list[Value]:
        fixed = self.fixed_of(kept)
        rows = self._down(b, fixed)
        quads = self._quads(b, view, level, places[0], self.edges_of(kept, 0))
        if self.dims < 3:
            return self.summed(b, [Part(quads, fixed[0], rows)], self.ONE_LEVEL)
        z = b.bitcast(fixed[2], u32) & _LAST
        far = b.bitcast(z | (z << 16), i16x32)
        others = self._quads(b, view, level, places[1], self.edges_of(kept, 1))
        near = Part(quads, fixed[0], rows * (ONE - far))
        return self.summed(b, [near, Part(others, fixed[0], rows * far)], self.TWO_SLICES)

    def two_levels(
        self,
        b: Builder,
        view: TextureView,
        levels: list[Level],
        kept: list[list[Value]],
        places: list[list[Pointer]],
        weight: Value,
    ) -> list[Value]:
        """1D and 2D: both levels in one integer sum. `weight`: of the second, 0 to 255 (i32x16)."""
        w = b.bitcast(weight, u32)
        far = b.bitcast(w | (w << 16), i16x32)
        parts = []
        for level, vectors, at, share in zip(levels, kept, places, (256 - far, far)):
            fixed = self.fixed_of(vectors)
            quads = self._quads(b, view, level, at[0], self.edges_of(vectors, 0))
            parts.append(Part(quads, fixed[0], self._down(b, fixed) * share))
        return self.summed(b, parts, self.TWO_LEVELS)

    def summed(self, b: Builder, parts: list[Part], bits: int) -> list[Value]:
        """The used channels of images under their weights."""
        return [self.channel_sum(b, parts, n, bits) for n in range(len(self.used))]

    def channel_sum(self, b: Builder, parts: list[Part], n: int, bits: int) -> Value:
        """The n-th used one."""
        total: Value | None = None
        for part in parts:
            row = multiply_add_bytes(b, part.quads[n], self._across(b, part.across))
            found = multiply_add_words(b, row, part.rows)
            total = found if total is None else total + found
        assert total is not None
        return b.cast(total, f32) * (1.0 / (255 << bits))


class FirstBytes(LinearBytes):
    """LinearBytes where no neighbour has a weight, in rows. The same bits: a byte times all weights
    is exact as a float, and their sum is a power of two."""

    def channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        kept: list[Value],
        places: list[Pointer],
        reference: Value | None,
    ) -> list[Value]:
        """See Filter."""
        (words,) = self.texels.words(b, level.data, places[0])
        numbers = [unsigned(words, 8 * n, 8) for n in self.used]
        return [b.cast(b.bitcast(number, i32), f32) * (1.0 / 255) for number in numbers]


class LinearFloats(Linear):
    """Filtering of decoded texels."""

    ROW_BITS = (32, 64, 128)

    def in_rows(self) -> None:
        """Decoding is what costs here."""

    def without_neighbours(self) -> Linear | None:
        """See Filter."""
        return self.alone(FirstFloats)

    def _corner_channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        at: Pointer,
        edges: Edges,
        reference: Value | None,
    ) -> list[list[Value]]:
        """The channels of the four neighbours, in the order of quads' bytes."""
        words = [*self.texels.pairs(b, level.data, at)]
        if self.dims > 1:
            words += self.texels.pairs(b, self.below(b, level), at)
        corners = [self.shown(b, w, reference) for w in words]
        if self.dims == 1:
            corners += corners
        if not isinstance(edges, Inside):
            return corners
        left, top = (edges.shift & 8) != 0, (edges.shift & 16) != 0
        border = self.border_channels(b, view, reference)
        for test, moves in ((left, ((1, 0), (3, 2))), (top, ((2, 0), (3, 1)))):
            for to, source in moves:
                corners[to] = [b.select(test, x, y) for x, y in zip(corners[source], corners[to])]
        return [
            [b.select((edges.keep & (0xFF << 8 * n)) != 0, x, y) for x, y in zip(corner, border)]
            for n, corner in enumerate(corners)
        ]

    def _mix(self, b: Builder, x: list[Value], y: list[Value], weight: Value) -> list[Value]:
        """x + (y - x) * weight; what has no weight may be infinite."""
        if self.texels.has_floats and not self.key.compare:
            y = [b.select(weight == 0.0, p, q) for p, q in zip(x, y)]
        return [p + (q - p) * weight for p, q in zip(x, y)]

    def _slice(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        at: Pointer,
        edges: Edges,
        fractions: list[Value],
        reference: Value | None,
    ) -> list[Value]:
        c = self._corner_channels(b, view, level, at, edges, reference)
        top = self._mix(b, c[0], c[1], fractions[0])
        if self.dims == 1:
            return top
        return self._mix(b, top, self._mix(b, c[2], c[3], fractions[0]), fractions[1])

    def channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        kept: list[Value],
        places: list[Pointer],
        reference: Value | None,
    ) -> list[Value]:
        fractions = [
            b.cast(b.bitcast(b.bitcast(x, u32) & _LAST, i32), f32) * (1.0 / ONE)
            for x in self.fixed_of(kept)
        ]
        edges = self.edges_of(kept, 0)
        near = self._slice(b, view, level, places[0], edges, fractions, reference)
        if self.dims < 3:
            return near
        edges = self.edges_of(kept, 1)
        far = self._slice(b, view, level, places[1], edges, fractions, reference)
        return self._mix(b, near, far, fractions[2])


class FirstFloats(LinearFloats):
    """LinearFloats where no neighbour has a weight, in rows. The same bits: x + (x - x) * 0, which
    is 0 of -0, and NaN of an infinity."""

    def channels(
        self,
        b: Builder,
        view: TextureView,
        level: Level,
        kept: list[Value],
        places: list[Pointer],
        reference: Value | None,
    ) -> list[Value]:
        """See Filter."""
        found = self.shown(b, self.texels.words(b, level.data, places[0]), reference)
        return [x + (x - x) for x in found] if self.texels.has_floats else found


def mix_levels(
    b: Builder, found: Filter, near: list[Value], far: list[Value], weight: Value
) -> list[Value]:
    """Two levels' channels, `weight` of the second 0 to 255 (i32x16). With weight 0 the first's
    bits: the factor 256 is taken out again exactly."""
    if found.texels.has_floats and not found.key.compare:
        far = [b.select(weight == 0, x, y) for x, y in zip(near, far)]
    w = b.cast(weight, f32)
    return [(x * (256.0 - w) + y * w) * (1.0 / 256) for x, y in zip(near, far)]
