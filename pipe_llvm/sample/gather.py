# SPDX-License-Identifier: MIT
"""Four texels at once (ARB_texture_gather, nir's tg4): one component of those that a linear filter
of the first level would mix, at left below, right below, right above and left above.

A filter may look at any texel that has no weight; here each counts. So wrap modes are applied to
texels' numbers, as OpenGL 4.6 (8.14.2, table 8.20) has them, not to coordinates: where a mirror is
looked into, the left one is the one with the greater number. Numbers are those of linear filters
(25.7 fixed point). Which of the texture's channels is the component is told by the swizzle, so all
are found, and one of what the swizzle makes of them is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.sample.coords import HALF, ONE, Coords, Level, level_rows, place
from pipe_llvm.sample.filters import Beyond, Filter, LinearFloats
from pipe_llvm.sample.sampler import OUT_FLOATS, SamplerBuilder, finish, sampler_function
from pipe_llvm.sample.seamless import Seamless, SeamlessBytes, SeamlessFloats, seamless_filter
from pipe_llvm.sample.vectors import f32x16, i32x16
from pydri.jit import Kernel, f32, i32, u32
from pydri.pipe.format_emit import fraction
from pydri.pipe.sampler import (
    GATHER_SHIFT,
    MIRROR_REPEAT,
    SAMPLE_STAMPS,
    SUBTEXEL_BITS,
    SampleCoords,
    SamplerKey,
    TextureView,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

#: neighbours in the order of the result; bit 0: the right one, bit 1: the one in the next row
ORDER = (2, 3, 1, 0)
_BEYOND = float(ONE + HALF)  # how far a coordinate may go so that both its texels are outside


class _Neighbour(NamedTuple):
    """One coordinate of a texel that is inside, and whether the border stands there instead (None:
    never)."""

    texel: Value
    outside: Value | None


class _Gather(SamplerBuilder):
    """Emits the function."""

    def __init__(self, b: Builder, key: SamplerKey, view: TextureView) -> None:
        super().__init__(b, key, view)
        self.filter: Filter = seamless_filter(key) if key.seamless else LinearFloats(key)
        self.numbers = b.array(u32, 16, align=64)

    def _repeated(self, s: Value, level: Level, n: int) -> list[_Neighbour]:
        b, size = self.b, self.b.splat(level.sizes[n], 16)
        unit = b.min(s - b.floor(s), 1.0)
        fixed = b.round_to_int(unit * b.splat(level.scale[n] * float(ONE), 16)) - HALF
        first = fixed >> SUBTEXEL_BITS
        second = first + 1
        first = b.select(first < 0, first + size, first)
        second = b.select(second >= size, second - size, second)
        return [_Neighbour(first, None), _Neighbour(second, None)]

    def _clamped(self, s: Value, level: Level, n: int) -> list[_Neighbour]:
        """With mirrors, if there are some: of MIRROR_REPEAT every second period, else all that is
        below zero."""
        b, view = self.b, self.view
        size, zero = b.splat(level.sizes[n], 16), b.const(i32x16, 0)
        how = (view.addr("mirror") + n).load(u32, invariant=True)
        margin = (view.addr("margin") + n).load(f32, invariant=True)
        repeats = how == MIRROR_REPEAT
        s = b.select(repeats, s - b.floor(s * 0.5) * 2.0, s)
        wide = b.cast(level.sizes[n], f32) * float(ONE)
        half = margin == float(HALF)  # GL_CLAMP: the coordinate itself ends at 0 and 1
        far = wide + b.select(half, b.const(f32, 0.0), _BEYOND)
        near = b.select(half, b.const(f32, 0.0), -_BEYOND)
        near = b.select(how != 0, -far, near)
        near = b.select(repeats, b.const(f32, -_BEYOND), near)
        far = b.select(repeats, wide * 2.0 + _BEYOND, far)
        at = s * b.splat(level.scale[n] * float(ONE), 16)
        fixed = b.round_to_int(b.clamp(at, b.splat(near, 16), b.splat(far, 16))) - HALF
        first = fixed >> SUBTEXEL_BITS
        found = []
        for texel in (first, first + 1):
            folded = b.select(texel < 0, -1 - texel, texel)
            again = b.select(folded >= size, size * 2 - 1 - folded, folded)
            folded = b.select(repeats, again, folded)
            texel = b.select(how != 0, folded, texel)
            inside = b.min(b.max(texel, zero), size - 1)
            outside = (texel != inside) & b.splat(margin > 0.0, 16) if self.key.border else None
            found.append(_Neighbour(inside, outside))
        return found

    def _corners(self, coords: SampleCoords, m: Value, level: Level) -> list[list[Value]]:
        """The channels of the four neighbours, in the order of the result."""
        b = self.b
        where = self.coords_of(coords, m, level)
        if isinstance(self.filter, Seamless):
            return self._seamless(self.filter, level, where.axes, where.image)
        pairs = [
            self._clamped(s, level, n) if self.key.clamp >> n & 1 else self._repeated(s, level, n)
            for n, s in enumerate(where.axes)
        ]
        out = []
        for corner in ORDER:
            x, y = pairs[0][corner & 1], pairs[1][corner >> 1]
            self.numbers.store(place(b, level, [x.texel, y.texel], where.image), align=64)
            words = self.filter.texels.words(b, level.data, self.numbers)
            channels = self.filter.shown(b, words, None)
            border = self.filter.border_channels(b, self.view, None) if self.key.border else []
            for outside in (x.outside, y.outside):
                if outside is not None:
                    channels = [b.select(outside, p, q) for p, q in zip(border, channels)]
            out.append(channels)
        return out

    def _seamless(
        self, found: Seamless, level: Level, axes: list[Value], image: Value | None
    ) -> list[list[Value]]:
        """Of a cube whose faces are neighbours; beyond a corner is the mean of the other three."""
        b = self.b
        assert image is not None
        at = [axis.linear(b, self.view, level, s) for axis, s in zip(found.axes, axes)]
        four = found.looked_up(b, level, Beyond(at[0].texel, at[1].texel, image))
        if isinstance(found, SeamlessBytes):
            quads = found.assembled(b, four)
            return [[fraction(b, b.bitcast(quad >> 8 * n & 255, i32), 8) for quad in quads]
                    for n in ORDER]  # fmt: skip
        assert isinstance(found, SeamlessFloats)
        shown = found.corners(b, four, None)
        return [shown[n] for n in ORDER]

    def coords_of(self, coords: SampleCoords, m: Value, level: Level) -> Coords:
        """Mirrors are for `_clamped`."""
        names = "st"
        axes = [(coords.addr(name) + m * 16).load(f32x16, align=64) for name in names]
        moved = [s + self.b.splat(move / level.scale[n], 16)
                 for n, (s, move) in enumerate(zip(axes, self.moves))]  # fmt: skip
        return Coords(moved, self.image_of(m))

    def emit(self, stamps: Value, coords: SampleCoords, out: Pointer, how: Value) -> None:
        """The whole function."""
        b = self.b
        self.find_moves(how)
        self.prepare(coords, stamps)
        level = Level(b, self.view, level_rows(self.view))
        four = [b.array(f32, OUT_FLOATS * SAMPLE_STAMPS, align=64) for _ in ORDER]
        with b.For(b.const(u32, 0), stamps) as m:
            for texels, channels in zip(four, self._corners(coords, m, level)):
                self.put(texels, m, channels)
        component = (how >> GATHER_SHIFT) * 16
        for n, texels in enumerate(four):
            finish(b, self.view, stamps, texels, b.const(u32, 0))
            with b.For(b.const(u32, 0), stamps) as m:
                value = (texels + (m * OUT_FLOATS + component)).load(f32x16, align=64)
                (out + (m * OUT_FLOATS + 16 * n)).store(value, align=64)


def gather_kernel(key: SamplerKey, name: str) -> Kernel:
    """The function of a key."""
    return sampler_function(name, lambda b, view, *args: _Gather(b, key, view).emit(*args))
