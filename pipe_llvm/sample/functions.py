# SPDX-License-Identifier: MIT
"""The function of any SamplerKey: (view, stamps, coords, out, how), see TextureView.sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.anisotropic import anisotropic_kernel
from pipe_llvm.sample.fetch import fetch_kernel
from pipe_llvm.sample.gather import gather_kernel, no_gather_kernel
from pipe_llvm.sample.query import lods_kernel, no_lods_kernel
from pipe_llvm.sample.sampler import ARGS, OUT_FLOATS, plain_kernel
from pipe_llvm.sample.vectors import f32x16
from pydri.jit import Kernel, kernel, u32, void
from pydri.pipe.sampler import WAY_FETCH, WAY_GATHER, WAY_LOD

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.pipe.sampler import SampleCoords, SamplerKey, TextureView


def _constant(name: str) -> Kernel:
    """The sampler of no texture: 0, 0, 0, 1."""

    @kernel(void, ARGS, name=name, noalias=(3,))
    def sample(
        b: Builder,
        view: TextureView,
        stamps: Value,
        coords: SampleCoords,
        out: Pointer,
        how: Value,
    ) -> None:
        with b.For(b.const(u32, 0), stamps) as m:
            for n in range(4):
                value = b.const(f32x16, 1.0 if n == 3 else 0.0)
                (out + (m * OUT_FLOATS + 16 * n)).store(value, align=64)

    return sample


def sampler_kernel(key: SamplerKey, name: str = "sample") -> Kernel:
    """The function of a key."""
    if key.way == WAY_GATHER:
        return gather_kernel(key, name) if key.texel else no_gather_kernel(name)
    if key.way == WAY_LOD:
        return lods_kernel(key, name) if key.texel else no_lods_kernel(name)
    if not key.texel:
        return _constant(name)
    if key.way == WAY_FETCH:
        return fetch_kernel(key, name)
    if key.anisotropic:
        inner = plain_kernel(key._replace(anisotropic=False), name + "_probe")
        return anisotropic_kernel(inner, name)
    return plain_kernel(key, name)
