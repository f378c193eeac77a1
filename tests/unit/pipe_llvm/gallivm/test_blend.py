# SPDX-License-Identifier: MIT
"""The kernel for any blending does what kernels for one do, to the last bit."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import numpy as np
import pytest

from pipe_llvm.gallivm import blend
from pipe_llvm.native_any import LpBlend
from pydri.jit import f32, kernel, ptr, u32, void
from pydri.pipe.format import BY_NAME
from pydri.pipe.state import ANY_BLEND, RtBlend
from tests.unit.jit.harness import address, compiled, function

FACTORS = (0, 1, *range(0x300, 0x309), *range(0x8001, 0x8005))
EQUATIONS = (0x8006, 0x8007, 0x8008, 0x800A, 0x800B)
ARGUMENTS = (ptr(u32), ptr(f32), ptr(u32), ptr(f32), ptr(LpBlend))


def blend_kernel(name: str, state: RtBlend, fmt: Any) -> Any:
    @kernel(ret=void, args=ARGUMENTS, name=name)
    def run(b: Any, out: Any, colors: Any, old: Any, constant: Any, chosen: Any) -> None:
        rgba = [(colors + 16 * n).load(f32.vec(16), align=4) for n in range(4)]
        there = old.load(u32.vec(16), align=4)
        new = blend.blend_stamp(b, state, fmt, rgba, [there], lambda n: constant[n], lambda: chosen)
        out.store(new[0], align=4)

    return run


def some_blend(pick: random.Random) -> RtBlend:
    """A blending, a logic operation or a colour mask, with all their forms."""
    mask = pick.choice((15, 15, pick.randrange(1, 16)))
    if pick.random() < 0.3:
        return RtBlend(colormask=mask, logicop=pick.choice((0, pick.randrange(0x1500, 0x1510))))
    parts = [pick.choice(v) for v in (EQUATIONS, FACTORS, FACTORS) * 2]
    return RtBlend(True, *parts, mask)


@pytest.mark.parametrize(
    "name", ["B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "B5G6R5_UNORM", "B8G8R8A8_SRGB"]
)
def test_any_blending_is_each_blending(name: str) -> None:
    fmt = BY_NAME[name]
    pick = random.Random(name)
    states = list(dict.fromkeys(some_blend(pick) for _ in range(60)))
    if fmt.srgb:  # logic operations do not apply
        states = [s._replace(logicop=0) for s in states]
    kernels = [blend_kernel(f"one{n}", s, fmt) for n, s in enumerate(states)]
    image = compiled([*kernels, blend_kernel("any", ANY_BLEND, fmt)])
    pointers = [ctypes.c_void_p] * 5
    numbers = np.random.default_rng(5)
    colors = numbers.uniform(-0.2, 1.2, (4, 16)).astype(np.float32)
    colors[:, :3] = [0.0, 1.0, np.nan]
    old = numbers.integers(0, 1 << fmt.bits, 16, np.uint32)
    constant = np.array([0.25, 1.5, -1.0, 0.7], np.float32)
    memory = np.zeros(LpBlend.size + 64, np.uint8)
    at = -(-address(memory) // 64) * 64
    for n, state in enumerate(states):
        want, got = np.zeros(16, np.uint32), np.ones(16, np.uint32)
        blend.describe(state, fmt, LpBlend.view(at))
        given = (address(colors), address(old), address(constant), at)
        function(image, f"one{n}", None, *pointers)(address(want), *given)
        function(image, "any", None, *pointers)(address(got), *given)
        assert not ((got ^ want) & ((1 << fmt.bits) - 1)).any(), state
