# SPDX-License-Identifier: MIT
"""Texels by their places (EXT_gpu_shader4's texelFetch, nir's txf): no filter, no wrap, no
sampler. What is beyond the image or its levels is 0, which the peer gives, too. A texture's target
and texels select the function; `s`, `t`, `r` and `lod` of the coordinates are whole numbers, the
layer of an array is the one behind the last coordinate. Of textures with several samples `lod` is
the sample's number; there is 0 beyond these, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import Level, dimensions, level_rows, place
from pipe_llvm.sample.sampler import OUT_FLOATS, finish, sampler_function
from pipe_llvm.sample.texel import RowTexels, Texels, apart
from pipe_llvm.sample.vectors import f32x16, i32x16, u32x16
from pydri.jit import Kernel, boolean, i32, ptr, u16, u32
from pydri.pipe.resource import (
    MULTISAMPLE,
    TARGET_1D_ARRAY,
    TARGET_2D_ARRAY,
    TARGET_2D_MS_ARRAY,
    TARGET_3D,
    TARGET_BUFFER,
)
from pydri.pipe.sampler import SAMPLE_STAMPS, TEXEL_CLASSES, SampleCoords, SamplerKey, TextureView

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

_LAYERED = (TARGET_1D_ARRAY, TARGET_2D_ARRAY, TARGET_2D_MS_ARRAY, TARGET_3D)

mask16 = boolean.vec(16)


class _Fetch:
    """Emits the function."""

    def __init__(self, b: Builder, key: SamplerKey, view: TextureView, coords: SampleCoords,
                 out: Pointer) -> None:  # fmt: skip
        self.b, self.view, self.coords, self.out = b, view, coords, out
        self.texels = Texels(TEXEL_CLASSES[key.texel])
        self.flat = min(dimensions(key.target), 2)  # coordinates within an image
        self.layered = key.target in _LAYERED
        self.numbers = b.array(u32, 16, align=64)  # of lanes that differ
        self.places = [(view.place + n).load(u32, invariant=True) for n in self.texels.used]

    def _whole(self, name: str, m: Value) -> Value:
        return self.b.bitcast((self.coords.addr(name) + m * 16).load(f32x16, align=64), i32x16)

    def level(self, number: Value) -> tuple[Level, Value]:
        """A level (i32), or the nearest that there is, and whether it is that (bool)."""
        b = self.b
        kept = b.min(b.max(number, 0), b.bitcast(self.view.max_level, number.ty))
        return Level(b, self.view, level_rows(self.view) + kept), kept == number

    def number(self, m: Value, here: Level) -> tuple[Value, Value]:
        """A stamp's texel numbers (u32x16) in a level, and which lanes ask for one of its texels
        (bool); the others' numbers are inside, too."""
        held, inside = self.held(m, here)
        image = held[self.flat] if self.layered else None
        return place(self.b, here, held[: self.flat], image), inside

    def held(self, m: Value, here: Level) -> tuple[list[Value], Value]:
        """A stamp's coordinates (i32x16), the layer last, made ones of the level; and which lanes'
        they were."""
        b, inside, held = self.b, self.b.const(mask16, 1), []
        for n, name in enumerate("str"[: self.flat + self.layered]):
            size = b.splat(here.sizes[n if n < self.flat else 2], 16)
            at = self._whole(name, m)
            near = b.min(b.max(at, 0), size - 1)
            inside = inside & (near == at)
            held.append(near)
        return held, inside

    def found(
        self, texels: Texels, data: Pointer, numbers: Pointer, inside: Value
    ) -> list[Value]:
        """The channels of 16 texels, 0 for lanes that ask for none."""
        b, zero = self.b, self.b.const(f32x16, 0.0)
        channels = texels.decode(b, texels.words(b, data, numbers))
        return [b.select(inside, channel, zero) for channel in channels]

    def batch(self, stamps: Value) -> None:
        """All stamps: at once where all lanes ask for one level, as nearly always."""
        b = self.b
        first = b.bitcast(self.coords.lod[0], i32)
        others = b.var(i32x16, 0)
        with b.For(b.const(u32, 0), stamps) as m:
            others.value = others.value | (self._whole("lod", m) ^ b.splat(first, 16))
        with b.If(b.any(others.value != 0), likely=False):
            with b.For(b.const(u32, 0), stamps) as m:
                self.by_level(m)
        with b.Else():
            self.of_level(stamps, first)

    def of_level(self, stamps: Value, level: Value) -> None:
        """All stamps, of one level. Between the two stages texel numbers lie in memory: as
        addresses they are wanted one by one, and lanes of a vector are dearer than loads. In passes
        over what was drawn rows of stamps are rows of texels."""
        b = self.b
        numbers = b.array(u32, 16 * SAMPLE_STAMPS, align=64)
        insides = b.array(u16, SAMPLE_STAMPS)
        here, there = self.level(level)
        loose = b.var(u32x16, 0)
        with b.For(b.const(u32, 0), stamps) as m:
            number, inside = self.number(m, here)
            (numbers + m * 16).store(number, align=64)
            insides[m] = b.bits_of(inside & b.splat(there, 16))
            loose.value = loose.value | apart(b, number)

        def fetch(texels: Texels) -> None:
            with b.For(b.const(u32, 0), stamps) as m:
                inside = b.mask_of(insides[m])
                self.store(m, self.found(texels, here.data, numbers + m * 16, inside))

        if self.texels.bits < 32:
            fetch(self.texels)
            return
        with b.If(b.any(loose.value != 0)):
            fetch(self.texels)
        with b.Else():
            fetch(RowTexels(self.texels.kind))

    def store(self, m: Value, found: list[Value]) -> None:
        """A stamp's channels, to where they are wanted."""
        for where, channel in zip(self.places, found):
            (self.out + (m * OUT_FLOATS + where)).store(channel, align=64)

    def by_level(self, m: Value) -> None:
        """A stamp whose lanes may ask for several levels, level by level."""
        b = self.b
        lods = self._whole("lod", m)
        left = b.var(u16, 0xFFFF)
        with b.While(lambda: left.value != 0):
            lane = b.ctz(b.cast(left.value, u32))
            asked = b.bitcast(self.coords.lod[m * 16 + lane], i32)
            mine = b.bits_of(lods == b.splat(asked, 16))
            here, there = self.level(asked)
            number, inside = self.number(m, here)
            self.numbers.store(number, align=64)
            inside = inside & b.splat(there, 16)
            mask = b.mask_of(mine)
            channels = self.found(self.texels, here.data, self.numbers, inside)
            for where, channel in zip(self.places, channels):
                spot = self.out + (m * OUT_FLOATS + where)
                spot.store(b.select(mask, channel, spot.load(f32x16, align=64)), align=64)
            left.value = left.value & ~mine


class _BufferFetch(_Fetch):
    """Of buffer textures, which are one row of texels, without levels."""

    def batch(self, stamps: Value) -> None:
        """See _Fetch. Where all lanes ask for texels that there are, as nearly always, coordinates
        are the numbers; they are looked at before, since what is loaded as a vector would be taken
        apart by lane."""
        b = self.b
        here = Level(b, self.view, level_rows(self.view))
        most = b.var(u32x16, b.const(u32x16, 0))
        with b.For(b.const(u32, 0), stamps) as m:
            most.value = b.max(most.value, b.bitcast(self._whole("s", m), u32))
        fits = most.value < b.splat(b.bitcast(here.sizes[0], u32), 16)
        with b.If(b.all(fits), likely=True):
            with b.For(b.const(u32, 0), stamps) as m:
                asked = (self.coords.addr("s") + m * 16).cast(ptr(u32))
                self.store(m, self.texels.decode(b, self.texels.words(b, here.data, asked)))
        with b.Else():
            self.of_level(stamps, b.const(i32, 0))

    def number(self, m: Value, here: Level) -> tuple[Value, Value]:
        """See _Fetch."""
        b = self.b
        at = b.bitcast(self._whole("s", m), u32)
        inside = at < b.splat(b.bitcast(here.sizes[0], u32), 16)
        return b.select(inside, at, b.const(u32x16, 0)), inside


class _SampleFetch(_Fetch):
    """Of textures with several samples, whose texels lie in stamps (pydri/pipe/native.py), and
    which have no levels."""

    def batch(self, stamps: Value) -> None:
        """See _Fetch."""
        self.of_level(stamps, self.b.const(i32, 0))

    def number(self, m: Value, here: Level) -> tuple[Value, Value]:
        """See _Fetch."""
        b = self.b
        held, inside = self.held(m, here)
        samples = b.splat(self.view.addr("samples").load(u32, invariant=True), 16)
        asked = b.bitcast(self._whole("lod", m), u32)
        inside = inside & (asked < samples)
        sample = b.min(asked, samples - 1)
        x, y, *layer = (b.bitcast(part, u32) for part in held)
        stamp = (x >> 2) * samples + sample
        number = (y >> 2) * b.splat(here.stride * 4, 16) + (stamp << 4)
        number = number + ((y & 3) << 2) + (x & 3)
        if layer:
            number = number + layer[0] * b.splat(here.image_stride, 16)
        return number, inside


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
        kind = _SampleFetch if key.target in MULTISAMPLE else kind
        made = kind(b, key, view, coords, out)
        made.batch(stamps)
        finish(b, view, stamps, out, how)

    return sampler_function(name, emit)


__all__ = ["fetch_kernel"]
