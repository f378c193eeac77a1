# SPDX-License-Identifier: MIT
"""The level of detail that a lookup would use (ARB_texture_query_lod, nir's lod): x the level, with
a fraction where two are mixed, 0 where there are no others; y lambda with the view's bias, before
its limits. Both count from the view's first level. Quads' derivatives, as in LOD_IMPLICIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.anisotropic import Probes
from pipe_llvm.sample.lod import Lods
from pipe_llvm.sample.sampler import ARGS, OUT_FLOATS
from pipe_llvm.sample.vectors import f32x16, i32x16
from pydri.jit import Kernel, f32, i32, kernel, u32, void
from pydri.pipe.sampler import LOD_EXPLICIT, LOD_IMPLICIT, SampleCoords, SamplerKey, TextureView

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value


class _Lambdas(Lods):
    """Lambda itself, as bits of floats, in `lods`."""

    def fixed(self, lam: Value) -> Value:
        return self.b.bitcast(self.biased(lam), i32)


def lods_kernel(key: SamplerKey, name: str) -> Kernel:
    """The function of a key."""

    @kernel(void, ARGS, name=name, noalias=(3,))
    def lods(
        b: Builder,
        view: TextureView,
        stamps: Value,
        coords: SampleCoords,
        out: Pointer,
        how: Value,
    ) -> None:
        found = _Lambdas(b, key, view)
        way = LOD_IMPLICIT
        if key.anisotropic:  # the level is that of the probes
            Probes(b, view, coords).find(stamps, b.const(u32, LOD_IMPLICIT))
            way = LOD_EXPLICIT
        found.find(coords, stamps, b.const(u32, way))
        with b.For(b.const(u32, 0), stamps) as m:
            lam = b.bitcast((found.lods + m * 16).load(i32x16, align=64), f32)
            level = b.cast(found.level(found.limited(lam)), f32) * (1.0 / 256)
            for n, value in enumerate((level, lam, b.const(f32x16, 0.0), b.const(f32x16, 0.0))):
                (out + (m * OUT_FLOATS + 16 * n)).store(value, align=64)

    return lods


def no_lods_kernel(name: str) -> Kernel:
    """That of no texture: zeros."""

    @kernel(void, ARGS, name=name, noalias=(3,))
    def lods(
        b: Builder,
        view: TextureView,
        stamps: Value,
        coords: SampleCoords,
        out: Pointer,
        how: Value,
    ) -> None:
        with b.For(b.const(u32, 0), stamps * 4) as n:
            (out + n * 16).store(b.const(f32x16, 0.0), align=64)

    return lods
