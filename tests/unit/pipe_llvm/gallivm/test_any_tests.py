# SPDX-License-Identifier: MIT
"""The kernel for any tests does what kernels for one do, to the last bit."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import numpy as np
import pytest

from pipe_llvm.gallivm import any_tests, depth
from pipe_llvm.gallivm.alpha import passes
from pipe_llvm.native import LpFragState, LpPlan
from pydri.jit import boolean, f32, kernel, ptr, u8, u32, void
from pydri.pipe.format import BY_NAME
from pydri.pipe.state import ANY_FUNC, ANY_SIDE, DepthStencilAlpha, StencilSide
from tests.unit.jit.harness import address, compiled, function

FUNCTIONS = tuple(range(0x200, 0x208))
OPERATIONS = (0x1E00, 0, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508)
POINTERS = [ctypes.c_void_p] * 5
ARGUMENTS = (ptr(u32), ptr(u8), ptr(f32), ptr(f32), ptr(LpFragState))


def kernel_of(name: str, dsa: DepthStencilAlpha, fmt: Any, front: bool) -> Any:
    """out: pixels that pass the alpha test, and depth and stencil."""
    color = BY_NAME["B8G8R8A8_UNORM"]

    @kernel(ret=void, args=ARGUMENTS, name=name)
    def run(b: Any, out: Any, place: Any, z: Any, alpha: Any, state: Any) -> None:
        left = b.const(boolean.vec(16), [n % 5 != 2 for n in range(16)])
        if dsa.alpha_func:
            left = left & passes(b, dsa.alpha_func, color, alpha.load(f32.vec(16), align=4), state)
        side = b.const(boolean, int(front))
        depths = z.load(f32.vec(16), align=4)
        if dsa.depth_func or dsa.stencil_front:
            left = depth.test(b, dsa, fmt, place.cast(ptr(u32)), depths, left, state, side)
        out[0] = b.cast(b.bits_of(left), u32)

    return run


def some_tests(pick: random.Random, stencil: bool) -> DepthStencilAlpha:
    """Tests of a kind, that at least are written down as st writes them (dsa_state)."""

    def side() -> StencilSide:
        return StencilSide(pick.choice(FUNCTIONS), *(pick.choice(OPERATIONS) for _ in range(3)))

    func = pick.choice(FUNCTIONS[not stencil :])
    write = func != 0x200 and (func == 0x207 or pick.random() < 0.7)
    if stencil and pick.random() < 0.2:
        func, write = 0, False
    front, back = (side(), side()) if stencil else (None, None)
    return DepthStencilAlpha(func, write, front, back, pick.choice(FUNCTIONS[:-1]))


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize(
    "name", ["Z16_UNORM", "Z24X8_UNORM", "Z32_UNORM", "Z24_UNORM_S8_UINT"]
)
def test_any_tests_are_each(name: str, front: bool) -> None:
    fmt, pick, numbers = BY_NAME[name], random.Random(name), np.random.default_rng(3)
    stencil = depth.layout_of(fmt).has_stencil
    states = list(dict.fromkeys(some_tests(pick, stencil) for _ in range(30)))
    side = ANY_SIDE if stencil else None
    general = DepthStencilAlpha(ANY_FUNC, True, side, side, ANY_FUNC)
    kernels = [kernel_of(f"one{n}", s, fmt, front) for n, s in enumerate(states)]
    image = compiled([*kernels, kernel_of("any", general, fmt, front)])
    memory = np.zeros(LpFragState.size + LpPlan.size + 128, np.uint8)
    at = -(-address(memory) // 64) * 64
    state, plan = LpFragState.view(at), at + LpFragState.size
    state.plan, state.alpha_ref = plan, 0.5
    state.stencil_ref[:], state.stencil_valuemask[:] = (7, 0xF0), (0xFF, 0x3C)
    state.stencil_writemask[:] = (0xFF, 0x0F)
    levels = numbers.integers(0, 4, (2, 16)) / 3  # so that some are equal
    z, alpha = levels.astype(np.float32)
    z[:2] = np.nan, -0.5
    alpha[:2] = 0.5, np.nan
    there = numbers.integers(0, 1 << 32, 16, np.uint32).view(np.uint8)
    if name != "Z16_UNORM":  # depths that were written so
        bits = depth.layout_of(fmt).depth_bits
        words = there.view(np.uint32)
        exact = (levels[0][::-1] * ((1 << bits) - 1)).round().astype(np.uint64)
        if not stencil and bits == 24:  # nobody looks at the rest
            words &= 0xFFFFFF
        words[::2] = (words[::2] & (0xFF000000 if bits == 24 else 0)) | exact[::2].astype(np.uint32)
    for n, dsa in enumerate(states):
        any_tests.describe(dsa, LpPlan.view(plan).tests)
        found = []
        for kind in (f"one{n}", "any"):
            room = np.zeros(256, np.uint8)
            place = -(-address(room) // 64) * 64 - address(room)
            room[place : place + 64] = there
            out = np.zeros(1, np.uint32)
            given = (address(out), address(room) + place, address(z), address(alpha), at)
            function(image, kind, None, *POINTERS)(*given)
            found.append((int(out[0]), room[place : place + 64].tobytes()))
        assert found[0] == found[1], dsa


def test_gl_functions_are_bits_of_what_passes() -> None:
    memory = np.zeros(LpPlan.size + 64, np.uint8)
    tests = LpPlan.view(-(-address(memory) // 64) * 64).tests
    any_tests.describe(DepthStencilAlpha(0x203, True), tests)  # GL_LEQUAL
    assert (tests.depth.less, tests.depth.equal, tests.depth.greater) == (0xFFFFFFFF,) * 2 + (0,)
    assert tests.write == 0xFFFFFFFF and tests.alpha.greater == 0xFFFFFFFF
