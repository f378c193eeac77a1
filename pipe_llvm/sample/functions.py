# SPDX-License-Identifier: MIT
"""The function of any SamplerKey: (view, stamps, coords, out, how), see TextureView.sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.anisotropic import anisotropic_kernel
from pipe_llvm.sample.fetch import fetch_kernel
from pipe_llvm.sample.gather import gather_kernel
from pipe_llvm.sample.query import lods_kernel
from pipe_llvm.sample.sampler import OUT_FLOATS, plain_kernel, sampler_function
from pipe_llvm.sample.vectors import f32x16
from pydri.jit import Kernel, f32, u32
from pydri.pipe.sampler import GATHER_SHIFT, WAY_FETCH, WAY_GATHER, WAY_LOD

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import SampleCoords, SamplerKey, TextureView


def _no_texture(way: int, name: str) -> Kernel:
    """The function of no texture, whose texels are 0, 0, 0, 1 and whose levels 0."""

    def emit(
        b: Builder,
        view: TextureView,
        stamps: Value,
        coords: SampleCoords,
        out: Pointer,
        how: Value,
    ) -> None:
        zero, one = b.const(f32x16, 0.0), b.const(f32x16, 1.0)
        four = [zero, zero, zero, zero if way == WAY_LOD else one]
        if way == WAY_GATHER:  # one component of four texels
            alpha = b.select(how >> GATHER_SHIFT == 3, b.const(f32, 1.0), b.const(f32, 0.0))
            four = [b.splat(alpha, 16)] * 4
        with b.For(b.const(u32, 0), stamps) as m:
            for n, value in enumerate(four):
                (out + (m * OUT_FLOATS + 16 * n)).store(value, align=64)

    return sampler_function(name, emit)


def sampler_kernel(key: SamplerKey, name: str = "sample") -> Kernel:
    """The function of a key."""
    if not key.texel:
        return _no_texture(key.way, name)
    if key.way == WAY_GATHER:
        return gather_kernel(key, name)
    if key.way == WAY_LOD:
        return lods_kernel(key, name)
    if key.way == WAY_FETCH:
        return fetch_kernel(key, name)
    if key.anisotropic:
        inner = plain_kernel(key._replace(anisotropic=False), name + "_probe")
        return anisotropic_kernel(inner, name)
    return plain_kernel(key, name)
