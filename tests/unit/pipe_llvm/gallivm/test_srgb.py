# SPDX-License-Identifier: MIT
"""sRGB in registers against numpy in double precision: every encoded number, what lies around every
step, all widths; blending in linear light."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipe_llvm.gallivm import blend
from pipe_llvm.gallivm import format as color
from pydri.jit import f32, kernel, ptr, u32, void
from pydri.pipe.format import BY_NAME, COLOR_FORMATS, DISPLAY, FORMATS, linear, srgb_view
from pydri.pipe.state import RtBlend
from tests.unit.alone import compiled_alone
from tests.unit.jit.harness import EACH_WIDTH

VIEWS = [f.name for f in FORMATS if f.srgb and f.uses & DISPLAY]
V, U = f32.vec(16), u32.vec(16)
OVER = RtBlend(True, 0x8006, 0x0302, 0x0303, 0x8006, 0x0302, 0x0303, 15)  # src alpha, 1 - it


def encoded(x: NDArray[Any]) -> NDArray[Any]:
    """GL 4.6, 17.3.7."""
    x = np.clip(np.nan_to_num(x.astype(np.float64), nan=0.0), 0, 1)
    return np.where(x < 0.0031308, x * 12.92, 1.055 * x ** (1 / 2.4) - 0.055)


def decoded(x: NDArray[Any]) -> NDArray[Any]:
    """GL 4.6, 8.24."""
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def compiled(name: str, emit: Any, width: int) -> Any:
    """A function of addresses, and how many vectors of 16 are there."""
    image = compiled_alone(name, [emit], width)
    return ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_uint32)(image.address(name))


def steps_and_more() -> NDArray[Any]:
    """Numbers on both sides of each step, and many between, some outside of [0, 1]."""
    steps = decoded((np.arange(255) + 0.5) / 255).astype(np.float32).view(np.int32)
    near = [(steps + k).view(np.float32) for k in range(-3, 4)]
    odd = [-1.0, -0.0, np.inf, -np.inf, np.nan, 1.0000001, 2.0, 1e-45, 0.0031308, 0.0031307999]
    all_of = np.concatenate([np.linspace(0, 1, 20000), *near, odd]).astype(np.float32)
    return np.resize(all_of, len(all_of) + -len(all_of) % 16)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("name", VIEWS)
def test_every_number_and_every_step(name: str, width: int) -> None:
    fmt = BY_NAME[name]

    @kernel(void, (ptr(f32), ptr(u32), ptr(f32), u32), name="srgb_both")
    def both(b: Any, values: Any, packed: Any, back: Any, count: Any) -> None:
        with b.For(b.const(u32, 0), count) as i:
            rgba = [(values + i * 64 + n * 16).load(V, align=4) for n in range(4)]
            words = color.pack(b, fmt, rgba)
            (packed + i * 16).store(words[0], align=4)
            for n, channel in enumerate(color.unpack(b, fmt, words)):
                (back + i * 64 + n * 16).store(channel, align=4)

    run = compiled("srgb_both", both, width)
    x = steps_and_more()
    count = len(x) // 16
    values = np.repeat(x.reshape(count, 1, 16), 4, axis=1).copy()
    packed, back = np.zeros((count, 16), np.uint32), np.zeros((count, 4, 16), np.float32)
    run(values.ctypes.data, packed.ctypes.data, back.ctypes.data, count)
    exact = encoded(x).reshape(count, 16) * 255
    wanted = np.floor(exact + 0.5)
    plain = np.rint(np.clip(np.nan_to_num(x, nan=0.0), 0, 1) * np.float32(255))
    for n, place in enumerate(fmt.swizzle):
        if place == "o":
            assert (packed >> 24 == 255).all() and (back[:, 3] == 1).all()
            continue
        got = packed >> 8 * int(place) & 255
        if n == 3:
            assert np.array_equal(got, plain.reshape(count, 16))
            assert np.abs(back[:, n] - got / 255.0).max() < 1e-7
            continue
        assert np.abs(got - exact).max() < 0.503
        assert np.abs(back[:, n] - decoded(got / 255.0)).max() < 4e-5
        assert np.abs(encoded(back[:, n]) * 255 - got).max() < 0.004  # the same number again
    assert set(np.unique(wanted)) == set(range(256))


@pytest.mark.parametrize("width", EACH_WIDTH)
def test_blending_is_done_in_linear_light(width: int) -> None:
    fmt = BY_NAME["B8G8R8A8_SRGB"]

    @kernel(void, (ptr(f32), ptr(u32), ptr(f32), u32), name="srgb_over")
    def over(b: Any, source: Any, words: Any, _: Any, count: Any) -> None:
        with b.For(b.const(u32, 0), count) as i:
            rgba = [(source + i * 64 + n * 16).load(V, align=4) for n in range(4)]
            place = words + i * 16
            there = place.load(U, align=4)
            done = blend.blend_stamp(b, OVER, fmt, rgba, [there], lambda n: b.const(f32, 0.0))
            place.store(done[0], align=4)

    rng = np.random.default_rng(7)
    source = rng.random((64, 4, 16)).astype(np.float32)
    words = rng.integers(0, 1 << 32, (64, 16), np.uint32)
    before = words.copy()
    compiled("srgb_over", over, width)(source.ctypes.data, words.ctypes.data, 0, 64)
    alpha = source[:, 3].astype(np.float64)
    for n, shift in enumerate((16, 8, 0)):
        old = decoded((before >> shift & 255) / 255.0)
        exact = encoded(source[:, n] * alpha + old * (1 - alpha)) * 255
        assert np.abs((words >> shift & 255) - exact).max() < 0.508
    old = (before >> 24) / 255.0
    assert np.abs((words >> 24) - (alpha * alpha + old * (1 - alpha)) * 255).max() < 0.501


def test_views_name_the_same_bytes() -> None:
    assert len(VIEWS) == 4
    for name in VIEWS:
        view = BY_NAME[name]
        stored = linear(view)
        assert stored.name == name.replace("SRGB", "UNORM") and srgb_view(stored) is view
        assert (stored.channels, stored.swizzle) == (view.channels, view.swizzle)
        assert stored in COLOR_FORMATS and view not in COLOR_FORMATS
    assert linear(BY_NAME["B5G6R5_UNORM"]).name == "B5G6R5_UNORM"
    assert srgb_view(BY_NAME["B5G6R5_UNORM"]) is None
