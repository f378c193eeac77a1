# SPDX-License-Identifier: MIT
"""Packed pixels of windows' formats: every step, what is out of range, all widths."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pipe_llvm.gallivm import format as color
from pydri.jit import f32, kernel, ptr, u32, void
from pydri.pipe.format import BY_NAME, COLOR_FORMATS
from pydri.pipe.format_emit import sources
from tests.unit.alone import compiled_alone
from tests.unit.jit.harness import EACH_WIDTH, address

ODD = [-1.0, -0.0, -1e-45, np.inf, -np.inf, np.nan, -np.nan, 1.0000001, 2.0, 1e9, -1e9, 3e38, -3e38]


def numbers(bits: int) -> NDArray[np.float32]:
    """What lies around every step of a channel, outside of [0, 1], and between."""
    steps = ((np.arange(1 << bits) + 0.5) / ((1 << bits) - 1)).astype(np.float32)
    near = [(steps.view(np.int32) + k).view(np.float32) for k in range(-2, 3)]
    found = np.concatenate([*near, np.linspace(-0.1, 1.1, 500), ODD]).astype(np.float32)
    return np.resize(found, len(found) + -len(found) % 16)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("name", [f.name for f in COLOR_FORMATS])
def test_every_step_of_every_channel(name: str, clamped: bool, width: int) -> None:
    """`clamped`: the kernel has clamped the colour before, as blending does."""
    fmt = BY_NAME[name]

    @kernel(void, (ptr(u32), ptr(f32), ptr(f32), u32), name="packed")
    def packed(b: Any, words: Any, values: Any, others: Any, count: Any) -> None:
        with b.For(b.const(u32, 0), count) as i:
            x, y = ((p + i * 16).load(f32.vec(16), align=4) for p in (values, others))
            if clamped:
                x, y = b.clamp(x, 0.0, 1.0), b.clamp(y, 0.0, 1.0)
            (words + i * 16).store(color.pack(b, fmt, [x, y, x, y])[0], align=4)

    image = compiled_alone("packed", [packed], width)
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_uint32)(image.address("packed"))
    x = numbers(max(bits for _, bits in fmt.channels))
    y = x[::-1].copy()
    words = np.zeros(len(x), np.uint32)
    run(address(words), address(x), address(y), len(x) // 16)
    wanted, shift = np.zeros(len(x), np.uint32), 0
    for source, (_, bits) in zip(sources(fmt), fmt.channels, strict=True):
        top = (1 << bits) - 1
        part = np.full(len(x), top)
        if source is not None:
            value = np.clip(np.nan_to_num((x, y)[source % 2], nan=0.0), 0, 1)
            part = np.rint(value * np.float32(top)).astype(np.int64)
        wanted |= (part << shift).astype(np.uint32)
        shift += bits
    assert np.array_equal(words, wanted)
