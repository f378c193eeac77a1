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
from pipe_llvm.sample.texel import Texels
from pipe_llvm.sample.vectors import f32x16, i32x16, u32x16
from pydri.jit import Kernel, boolean, i32, ptr, u8, u16, u32
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

    def at(self, m: Value, level: Value, numbers: Pointer) -> tuple[Pointer, Value]:
        """Where the texels of a level begin, and which lanes of a stamp ask for one of them (bool);
        the numbers of these go to memory (16 u32)."""
        b = self.b
        kept = b.min(b.max(level, 0), b.bitcast(self.view.max_level, level.ty))
        here = Level(b, self.view, level_rows(self.view) + kept)
        inside = b.splat(kept == level, 16)
        held, within = self.held(m, here)
        image = held[self.flat] if self.layered else None
        numbers.store(place(b, here, held[: self.flat], image), align=64)
        return here.data, inside & within

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

    def first_level(self, m: Value) -> Value:
        """What level the first lane of a stamp asks for (i32)."""
        return self.b.bitcast(self.coords.lod[m * 16], i32)

    def found(self, data: Pointer, numbers: Pointer, inside: Value) -> list[Value]:
        """The channels of 16 texels, 0 for lanes that ask for none."""
        b, zero = self.b, self.b.const(f32x16, 0.0)
        channels = self.texels.decode(b, self.texels.words(b, data, numbers))
        return [b.select(inside, channel, zero) for channel in channels]

    def batch(self, stamps: Value) -> None:
        """All stamps, of the level that their first lanes ask for. Between the two stages texel
        numbers lie in memory: as addresses they are wanted one by one, and lanes of a vector are
        dearer than loads."""
        b = self.b
        numbers = b.array(u32, 16 * SAMPLE_STAMPS, align=64)
        starts, insides = b.array(ptr(u8), SAMPLE_STAMPS), b.array(u16, SAMPLE_STAMPS)
        with b.For(b.const(u32, 0), stamps) as m:
            starts[m], inside = self.at(m, self.first_level(m), numbers + m * 16)
            insides[m] = b.bits_of(inside)
        with b.For(b.const(u32, 0), stamps) as m:
            found = self.found((starts + m).load(ptr(u8)), numbers + m * 16, b.mask_of(insides[m]))
            self.store(m, found)
            self.others(m)

    def store(self, m: Value, found: list[Value]) -> None:
        """A stamp's channels, to where they are wanted."""
        for where, channel in zip(self.places, found):
            (self.out + (m * OUT_FLOATS + where)).store(channel, align=64)

    def others(self, m: Value) -> None:
        """The lanes of a stamp that ask for another level than the first one, level by level."""
        b = self.b
        lods = self._whole("lod", m)
        left = b.var(u16, b.bits_of(lods != b.splat(self.first_level(m), 16)))
        with b.While(lambda: left.value != 0):
            lane = b.ctz(b.cast(left.value, u32))
            asked = b.bitcast(self.coords.lod[m * 16 + lane], i32)
            mine = b.bits_of(lods == b.splat(asked, 16))
            data, inside = self.at(m, asked, self.numbers)
            mask = b.mask_of(mine)
            for where, channel in zip(self.places, self.found(data, self.numbers, inside)):
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
            super().batch(stamps)

    def at(self, m: Value, level: Value, numbers: Pointer) -> tuple[Pointer, Value]:
        """See _Fetch."""
        b = self.b
        here = Level(b, self.view, level_rows(self.view))
        at = b.bitcast(self._whole("s", m), u32)
        inside = at < b.splat(b.bitcast(here.sizes[0], u32), 16)
        numbers.store(b.select(inside, at, b.const(u32x16, 0)), align=64)
        return here.data, inside

    def first_level(self, m: Value) -> Value:
        """See _Fetch."""
        return self.b.const(i32, 0)

    def others(self, m: Value) -> None:
        """See _Fetch."""


class _SampleFetch(_Fetch):
    """Of textures with several samples, whose texels lie in stamps (pydri/pipe/native.py), and
    which have no levels."""

    def at(self, m: Value, level: Value, numbers: Pointer) -> tuple[Pointer, Value]:
        """See _Fetch."""
        b = self.b
        here = Level(b, self.view, level_rows(self.view))
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
        numbers.store(number, align=64)
        return here.data, inside

    def first_level(self, m: Value) -> Value:
        """See _Fetch."""
        return self.b.const(i32, 0)

    def others(self, m: Value) -> None:
        """See _Fetch."""


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
        finish(b, view, stamps, out)

    return sampler_function(name, emit)


__all__ = ["fetch_kernel"]
