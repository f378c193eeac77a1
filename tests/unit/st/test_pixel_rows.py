# SPDX-License-Identifier: MIT
"""Conversions of pixels: exact for every number."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.jit import f32, i32, kernel, ptr, u32, void
from pydri.main.pixels.tables import FORMATS, TYPES, error_of
from pydri.pipe.format_emit import fraction, interleave
from pydri.st.pixels.bytes import ORDERS, px_bytes
from tests.unit.jit.harness import address, compiled, function, lane_kernel


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 24])
def test_a_fraction_is_the_quotient(bits: int) -> None:
    numbers = np.arange(1 << bits, dtype=np.int32)
    if bits in (7, 15):  # of signed types
        numbers = np.arange(-(1 << bits), 1 << bits, dtype=np.int32)
    numbers = np.resize(numbers, -(-len(numbers) // 16) * 16)
    out = np.empty(len(numbers), np.float32)
    run = lane_kernel("run", lambda b, v: fraction(b, b.cast(v, i32), bits), [i32], f32)
    image = compiled([run])
    call = function(image, "run", None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)
    call(len(numbers), address(out), address(numbers))
    want = numbers.astype(np.float32) / np.float32((1 << bits) - 1)
    assert np.array_equal(out.view(np.uint32), want.view(np.uint32))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_planes_are_interleave(count: int) -> None:
    @kernel(ret=void, args=(ptr(u32), ptr(u32)), name="run")
    def run(b: Any, out: Any, planes: Any) -> None:
        given = [(planes + 16 * n).load(u32.vec(16), align=4) for n in range(count)]
        for n, part in enumerate(interleave(b, given)):
            (out + 16 * n).store(part, align=4)

    planes = np.arange(16 * count, dtype=np.uint32)
    out = np.empty_like(planes)
    call = function(compiled([run]), "run", None, ctypes.c_void_p, ctypes.c_void_p)
    call(address(out), address(planes))
    assert np.array_equal(out, planes.reshape(count, 16).T.ravel())


def test_bytes_in_every_order_become_rgba() -> None:
    """Vector steps and what is left over agree with the channels' letters."""
    image = compiled([px_bytes])
    pointer, word = ctypes.c_void_p, ctypes.c_uint32
    call = function(image, "px_bytes", None, pointer, pointer, word, word, word)
    count = 37
    seen = 0
    for f, format in enumerate(FORMATS):
        for t, kind in enumerate(TYPES):
            order = ORDERS[f * len(TYPES) + t]
            if not order or error_of(format.enum, kind.enum):
                continue
            seen += 1
            turned = kind.widths and not kind.reverse
            channels = format.channels[::-1] if turned else format.channels
            size = len(channels)
            source = np.random.default_rng(size).integers(0, 256, (count, size), np.uint8)
            out = np.full((count + 1, 4), 7, np.uint8)
            call(address(out), address(source), count, order & 0xFFFF, order >> 16)
            want = np.zeros((count, 4), np.uint8)
            want[:, 3] = 255
            for n, c in enumerate(channels):
                for to in "RGB" if c == "L" else c:
                    want[:, "RGBA".index(to)] = source[:, n]
            assert np.array_equal(out[:count], want), (format, kind)
            assert (out[count] == 7).all()
    assert seen == 12 + 2 * 3
