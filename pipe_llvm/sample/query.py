# SPDX-License-Identifier: MIT
"""The level of detail that a lookup would use (ARB_texture_query_lod, nir's lod): x the level, with
a fraction where two are mixed, 0 where there are no others; y lambda with the view's bias, before
its limits. Both count from the view's first level. Quads' derivatives, as in LOD_IMPLICIT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.anisotropic import Probes
from pipe_llvm.sample.lod import Lods
from pipe_llvm.sample.sampler import OUT_FLOATS, sampler_function
from pipe_llvm.sample.vectors import f32x16, i32x16
from pydri.jit import Kernel, f32, i32, u32
from pydri.pipe.sampler import LOD_EXPLICIT, LOD_IMPLICIT, SampleCoords, SamplerKey

if TYPE_CHECKING:
    from pydri.jit import Pointer, Value


class _Lambdas(Lods):
    """Lambda itself, as bits of floats, in `lods`."""

    def fixed(self, lam: Value) -> Value:
        return self.b.bitcast(self.biased(lam), i32)

    def emit(self, stamps: Value, coords: SampleCoords, out: Pointer, how: Value) -> None:
        """The whole function."""
        b = self.b
        way = LOD_IMPLICIT
        if self.key.anisotropic:  # the level is that of the probes
            Probes(b, self.view, coords).find(stamps, b.const(u32, LOD_IMPLICIT))
            way = LOD_EXPLICIT
        self.find(coords, stamps, b.const(u32, way))
        with b.For(b.const(u32, 0), stamps) as m:
            lam = b.bitcast((self.lods + m * 16).load(i32x16, align=64), f32)
            level = b.cast(self.level(self.limited(lam)), f32) * (1.0 / 256)
            for n, value in enumerate((level, lam, b.const(f32x16, 0.0), b.const(f32x16, 0.0))):
                (out + (m * OUT_FLOATS + 16 * n)).store(value, align=64)


def lods_kernel(key: SamplerKey, name: str) -> Kernel:
    """The function of a key."""
    return sampler_function(name, lambda b, view, *args: _Lambdas(b, key, view).emit(*args))
