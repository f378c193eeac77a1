# SPDX-License-Identifier: MIT
"""The driver's sampler functions by key: a native table that all contexts of the process share, and
what fills it.

A function is compiled when the first view asks for it, unless the cache on disk has it; the common
ones (`common_keys`) are compiled with the driver, by LLVM's standard pipeline; the others have a
variant's passes, which take a third of the time (their code is up to 4 % slower, or faster), and no
first image: one draw takes up to millions of texels. Nothing is ever taken out: keys are few."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from pydri.jit.image import function_address
from pydri.jit.kernel import Module
from pydri.pipe.format import number
from pydri.pipe.resource import TARGET_2D, TARGET_CUBE
from pydri.pipe.sampler import (
    MIP_LINEAR,
    MIP_NEAREST,
    MIP_NONE,
    SAMPLER_SLOTS,
    TEXEL_CLASSES,
    TEXEL_OF_FORMAT,
    SamplerKey,
    SamplerTable,
    sampler_slot,
    unpack_key,
)
from pydri.pipe.state import key_bytes
from pydri.util import log
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit.image import Image
    from pydri.jit.kernel import Kernel



def sampler_module(key: SamplerKey) -> Module:
    """The module of a key's function, `sample`."""

    def kernels() -> list[Kernel]:
        from pipe_llvm.sample.functions import sampler_kernel

        return [sampler_kernel(key)]

    # numbers of texel classes depend on the formats that there are
    content = key._replace(texel=0), TEXEL_CLASSES[key.texel]
    # no doors: only kernels that compute pictures call it
    return Module("lp_sample", kernels, key_bytes(*content), variant=True)


#: formats that programs draw to, and then sample at their own size
_OF_PASSES = (
    "R16G16B16A16_FLOAT", "R16G16_FLOAT", "R32G32B32A32_FLOAT", "R32_FLOAT", "R8_UNORM",
)  # fmt: skip
_OF_CUBES = ("R8G8B8A8_UNORM", "R16G16B16A16_FLOAT", "R16G16B16X16_FLOAT")


def common_keys() -> list[SamplerKey]:
    """What most programs sample with, to be compiled in advance: images of bytes, the pictures of
    passes over a framebuffer, surroundings as cubes."""
    base = SamplerKey(TEXEL_OF_FORMAT[number("R8G8B8A8_UNORM")], TARGET_2D)
    filters = (
        (False, False, MIP_NONE),
        (True, True, MIP_NONE),
        (False, True, MIP_NONE),
        (True, True, MIP_NEAREST),
        (True, True, MIP_LINEAR),
    )
    keys = [SamplerKey()]
    for clamp in (0, 3):
        for low, high, mip in filters:
            keys.append(base._replace(clamp=clamp, min_linear=low, mag_linear=high, mip=mip))
    base = base._replace(clamp=3)
    for name in _OF_PASSES:
        texel = TEXEL_OF_FORMAT[number(name)]
        for linear in (False, True):
            keys.append(base._replace(texel=texel, min_linear=linear, mag_linear=linear))
    cube = base._replace(target=TARGET_CUBE, min_linear=True, mag_linear=True, mip=MIP_LINEAR)
    for name in _OF_CUBES:
        keys.append(cube._replace(texel=TEXEL_OF_FORMAT[number(name)], seamless=True))
    return keys


class Samplers:
    """The table and its hook."""

    def __init__(self) -> None:
        from pipe_llvm.memory import Block

        self._block = Block(SamplerTable.size)
        self.address = self._block.address
        self.table: Any = SamplerTable.view(self.address)
        self._images: dict[int, Image] = {}
        self._lock = threading.Lock()
        self._hook = SamplerTable.prototype("hook")(lambda _table, key: self._miss(key))
        self.table.hook = function_address(self._hook)
        self.function(0)

    def _miss(self, packed: int) -> int:
        """The table's hook. Kernels call what it gives, so it must give something: where a
        function cannot be made (no memory, say), that of no texture."""
        try:
            return self.function(packed)
        except Exception as error:
            log.error(f"no sampler function for {unpack_key(packed)}: {error}", once=True)
            return self.function(0)

    def function(self, packed: int) -> int:
        """The address of a packed key's function, entered into the table while it has room."""
        with self._lock:
            image = self._images.get(packed)
            if image is not None:
                return int(image.address("sample"))
            module = sampler_module(unpack_key(packed))
            image = self._images[packed] = module.compile()
            address = int(image.address("sample"))
            if self.table.count < SAMPLER_SLOTS - SAMPLER_SLOTS // 8:
                self._enter(packed, address)
        return address

    def _slot(self, packed: int) -> int:
        """Where a key is in the table, or would be."""
        at = sampler_slot(packed)
        while self.table.keys[at] not in (0, packed + 1):
            at = (at + 1) % SAMPLER_SLOTS
        return at

    def _enter(self, packed: int, address: int) -> None:
        at = self._slot(packed)
        self.table.functions[at] = address
        self.table.keys[at] = packed + 1
        self.table.count += 1


@once
def samplers() -> Samplers:
    """The process's own."""
    return Samplers()
