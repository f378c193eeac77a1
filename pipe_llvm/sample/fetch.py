# SPDX-License-Identifier: MIT
"""Texels by their places (EXT_gpu_shader4's texelFetch, nir's txf): no filter, no wrap, no
sampler. What is beyond the image or its levels is 0, which the peer gives, too. A texture's target
and texels select the function; `s`, `t`, `r` and `lod` of the coordinates are whole numbers, the
layer of an array is the one behind the last coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import Level, dimensions, level_rows, place
from pipe_llvm.sample.sampler import OUT_FLOATS, finish, sampler_function
from pipe_llvm.sample.texel import Texels
from pipe_llvm.sample.vectors import f32x16, i32x16, u32x16
from pydri.jit import Kernel, u16, u32
from pydri.pipe.resource import TARGET_1D_ARRAY, TARGET_2D_ARRAY, TARGET_3D, TARGET_BUFFER
from pydri.pipe.sampler import TEXEL_CLASSES, SampleCoords, SamplerKey, TextureView

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

_LAYERED = (TARGET_1D_ARRAY, TARGET_2D_ARRAY, TARGET_3D)


class _Fetch:
    """Emits the function."""

    def __init__(self, b: Builder, key: SamplerKey, view: TextureView, coords: SampleCoords,
                 out: Pointer) -> None:  # fmt: skip
        self.b, self.view, self.coords, self.out = b, view, coords, out
        self.texels = Texels(TEXEL_CLASSES[key.texel])
        self.flat = min(dimensions(key.target), 2)  # coordinates within an image
        self.layered = key.target in _LAYERED
        self.numbers = b.array(u32, 16, align=64)
        self.places = [(view.place + n).load(u32, invariant=True) for n in self.texels.used]

    def _whole(self, name: str, m: Value) -> Value:
        return self.b.bitcast((self.coords.addr(name) + m * 16).load(f32x16, align=64), i32x16)

    def of_level(self, m: Value, asked: Value, mine: Value) -> None:
        """The lanes `mine` (u16) of a stamp, all of which ask for one level."""
        b = self.b
        level = b.min(b.max(asked, 0), b.bitcast(self.view.max_level, asked.ty))
        here = Level(b, self.view, level_rows(self.view) + level)
        inside = b.splat(level == asked, 16)
        names = "str"[: self.flat + self.layered]
        held = []
        for n, name in enumerate(names):
            size = b.splat(here.sizes[n if n < self.flat else 2], 16)
            at = self._whole(name, m)
            near = b.min(b.max(at, 0), size - 1)
            inside = inside & (near == at)
            held.append(near)
        image = held[self.flat] if self.layered else None
        self.numbers.store(place(b, here, held[: self.flat], image), align=64)
        channels = self.texels.decode(b, self.texels.words(b, here.data, self.numbers))
        mask, zero = b.mask_of(mine), b.const(f32x16, 0.0)
        for where, channel in zip(self.places, channels):
            spot = self.out + (m * OUT_FLOATS + where)
            found = b.select(inside, channel, zero)
            spot.store(b.select(mask, found, spot.load(f32x16, align=64)), align=64)

    def stamp(self, m: Value) -> None:
        """All lanes of a stamp, level by level."""
        b = self.b
        lods = self._whole("lod", m)
        left = b.var(u16, 0xFFFF)
        with b.While(lambda: left.value != 0):
            lane = b.ctz(b.cast(left.value, u32))
            asked = b.bitcast(self.coords.lod[m * 16 + lane], i32x16.elem)
            mine = b.bits_of(lods == b.splat(asked, 16))
            self.of_level(m, asked, mine)
            left.value = left.value & ~mine


class _BufferFetch(_Fetch):
    """Of buffer textures, which are one row of texels."""

    def stamp(self, m: Value) -> None:
        """See _Fetch."""
        b = self.b
        here = Level(b, self.view, level_rows(self.view))
        at = b.bitcast(self._whole("s", m), u32)
        inside = at < b.splat(b.bitcast(here.sizes[0], u32), 16)
        self.numbers.store(b.select(inside, at, b.const(u32x16, 0)), align=64)
        channels = self.texels.decode(b, self.texels.words(b, here.data, self.numbers))
        for where, channel in zip(self.places, channels):
            found = b.select(inside, channel, b.const(f32x16, 0.0))
            (self.out + (m * OUT_FLOATS + where)).store(found, align=64)


def fetch_kernel(key: SamplerKey, name: str) -> Kernel:
    """The function of a texture's target and texels."""

    def emit(
        b: Builder,
        view: TextureView,
        stamps: Value,
        coords: SampleCoords,
        out: Pointer,
        how: Value,
    ) -> None:
        kind = _BufferFetch if key.target == TARGET_BUFFER else _Fetch
        made = kind(b, key, view, coords, out)
        with b.For(b.const(u32, 0), stamps) as m:
            made.stamp(m)
        finish(b, view, stamps, out)

    return sampler_function(name, emit)


__all__ = ["fetch_kernel"]
