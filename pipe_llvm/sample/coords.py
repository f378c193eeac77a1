# SPDX-License-Identifier: MIT
"""From texture coordinates to texels of one level (lp_bld_sample_soa.c's wrap functions).

Linear filters work in 25.7 fixed point: `lrint(s * size * 128) - 64`, whose integer part is the
left or upper one of two neighbours and whose fraction is the weight of the other. A repeating
coordinate is reduced to [0, 1] first; a clamped one is limited as a float, so that NaN, infinities
and what no integer holds end inside of the image. `margin` (TextureView) lets clamped coordinates
reach texels outside, which the filters replace by the border colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.sample.vectors import u32x16
from pydri.jit import f32, i32, ptr, u8, u32
from pydri.pipe.resource import (
    TARGET_1D,
    TARGET_1D_ARRAY,
    TARGET_3D,
)
from pydri.pipe.sampler import SUBTEXEL_BITS, ViewLevel

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import SamplerKey, TextureView

ONE = 1 << SUBTEXEL_BITS
HALF = ONE >> 1


def level_rows(view: TextureView) -> ViewLevel:
    """A view's table of levels."""
    return view.addr("level").cast(ptr(ViewLevel))


class Level:
    """A level of a view in registers."""

    def __init__(self, b: Builder, view: TextureView, row: ViewLevel) -> None:
        self.row = row

        def load(name: str, n: int = 0) -> Value:
            place = row.addr(name)
            return (place + n).load(invariant=True)

        self.data: Pointer = b.bytes_from(
            view.addr("data").load(ptr(u8), invariant=True), load("offset"), u8
        )
        self.stride = load("stride")  # texels, u32
        self.image_stride = load("image_stride")
        self.sizes = [load(name) for name in ("width", "height", "depth")]  # i32
        self.scale = [load("scale", n) for n in range(3)]  # f32


class Coords(NamedTuple):
    """The coordinates of a stamp: f32x16; `image` i32x16: layer or face, None where there is one
    image."""

    axes: list[Value]  # s, t, r as far as the target has them
    image: Value | None = None


def dimensions(target: int) -> int:
    """How many coordinates are filtered."""
    if target in (TARGET_1D, TARGET_1D_ARRAY):
        return 1
    return 3 if target == TARGET_3D else 2


class Linear(NamedTuple):
    """One coordinate of a linear filter: fixed point, and the first of the two texels (i32x16)."""

    fixed: Value
    texel: Value


class Axis:
    """One coordinate's way to texels. `border`: texels outside may be asked for."""

    def __init__(self, key: SamplerKey, number: int) -> None:
        self.number = number
        self.clamp = bool(key.clamp >> number & 1)
        self.border = key.border and self.clamp

    def _unit(self, b: Builder, s: Value) -> Value:
        """A repeating coordinate in [0, 1]; NaN gives 1."""
        return b.min(s - b.floor(s), 1.0)

    def _margin(self, b: Builder, view: TextureView) -> Value:
        """f32; TextureView.margin."""
        if not self.border:
            return b.const(f32, 0.0)
        return (view.margin + self.number).load(f32, invariant=True)

    def linear(self, b: Builder, view: TextureView, level: Level, s: Value) -> Linear:
        """The two texels and the weight."""
        size, scale = level.sizes[self.number], level.scale[self.number] * float(ONE)
        if not self.clamp:
            fixed = b.round_to_int(self._unit(b, s) * b.splat(scale, 16)) - HALF
            first = b.bitcast(fixed >> SUBTEXEL_BITS, u32)
            wrapped = first + b.bitcast(b.splat(size, 16), u32)
            return Linear(fixed, b.bitcast(b.min(first, wrapped), i32))  # -1 is the last one
        margin = self._margin(b, view)
        low = float(HALF) - margin
        high = b.cast(size, f32) * float(ONE) - float(HALF) + margin
        at = b.clamp(s * b.splat(scale, 16), b.splat(low, 16), b.splat(high, 16))
        fixed = b.round_to_int(at) - HALF
        return Linear(fixed, fixed >> SUBTEXEL_BITS)

    def nearest(self, b: Builder, view: TextureView, level: Level, s: Value) -> Value:
        """The texel (i32x16), -1 or the size where that is the border."""
        size, scale = level.sizes[self.number], level.scale[self.number]
        if not self.clamp:
            texel = b.cast_fast(self._unit(b, s) * b.splat(scale, 16), i32)
            return b.min(texel, b.splat(size - 1, 16))
        last = b.cast(size - 1, f32)
        at = s * b.splat(scale, 16)
        if not self.border:
            return b.cast_fast(b.clamp(at, 0.0, b.splat(last, 16)), i32)
        outside = b.floor(self._margin(b, view) * (1.0 / ONE))  # a margin of a half stays inside
        at = b.clamp(at, b.splat(-outside, 16), b.splat(last + outside, 16))
        return b.cast_fast(b.floor(at), i32)


def place(b: Builder, level: Level, texels: list[Value], image: Value | None) -> Value:
    """Texel numbers (u32x16) from the level's first, of texels that are inside."""
    at = b.bitcast(texels[0], u32)
    if len(texels) > 1:
        at = at + b.bitcast(texels[1], u32) * b.splat(level.stride, 16)
    if image is not None:
        at = at + b.bitcast(image, u32) * b.splat(level.image_stride, 16)
    return at


class Inside(NamedTuple):
    """Which of the four neighbours of a linear filter lie in the image, where some may not:
    `shift`: by how many bits a dword of their bytes must be moved, since they are loaded from the
    nearest texel that is inside; `keep`: the bytes that are texels (u32x16)."""

    shift: Value
    keep: Value


def inside(b: Builder, axes: list[Axis], level: Level, texels: list[Value]) -> Inside:
    """Of the neighbours right of and below `texels` (columns, then rows)."""
    shift, keep = b.const(u32x16, 0), b.const(u32x16, 0xFFFFFFFF)
    masks = ((0x00FF00FF, 0xFF00FF00), (0x0000FFFF, 0xFFFF0000))
    for n, (axis, texel) in enumerate(zip(axes[:2], texels[:2])):
        if not axis.border:
            continue
        size = b.splat(level.sizes[n], 16)
        none = b.const(u32x16, 0)
        shift = shift + b.select(texel < 0, b.const(u32x16, 8 << n), none)
        first = b.select((texel >= 0) & (texel < size), b.const(u32x16, masks[n][0]), none)
        second = b.select(texel < size - 1, b.const(u32x16, masks[n][1]), none)
        keep = keep & (first | second)
    return Inside(shift, keep)


def limited(b: Builder, axis: Axis, level: Level, texel: Value) -> Value:
    """The nearest texel that is inside."""
    if not axis.border:
        return texel
    return b.min(b.max(texel, 0), b.splat(level.sizes[axis.number] - 1, 16))


def layer_of(b: Builder, layer: Value, count: Value) -> Value:
    """The layer (i32x16) that a coordinate names: the nearest there is."""
    last = b.splat(b.cast(count - 1, f32), 16)
    return b.round_to_int(b.clamp(layer, 0.0, last))
