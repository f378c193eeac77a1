# SPDX-License-Identifier: MIT
"""glAccum, against the definition in numpy (GL 2.1, 4.2.4)."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main import memory
from pydri.pipe.native import Surface
from pydri.st.pixels import load as pixels
from pydri.st.targets.accum import CLEAR
from tests.unit.st.st_fake import FakeContext, FakeSurface

WIDTH, HEIGHT = 37, 11
ACCUM = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_float)
LOAD = ctypes.CFUNCTYPE(None, ctypes.c_uint64)
ORDERS = {"R8G8B8A8_UNORM": (0, 1, 2, 3), "B8G8R8A8_UNORM": (2, 1, 0, 3)}


class Accumulator:
    """A context that draws to and reads from one surface, with an accumulation buffer."""

    def __init__(self, format: str) -> None:
        self.ctx = FakeContext(WIDTH, HEIGHT)
        self.n = self.ctx.n
        self.color = FakeSurface(format, WIDTH, HEIGHT, 5)
        self.surface = memory.allocate(Surface.size)
        self.accum: Any = Surface.view(self.surface)
        self.accum.width, self.accum.height, self.accum.stride = WIDTH, HEIGHT, 64 * 8
        self.accum.rows = 64
        for fb in (self.n.dyn.fb, self.n.read):
            fb.cbuf, fb.accum = self.color.address, self.surface
        self.n.key.color_mask = 15
        pixels.load(self.n)
        self.kernel = ACCUM(self.n.pixel.accum)
        self.asked = 0
        self.n.pixel.hook_accum = self.ctx.hook(LOAD, self.create)

    def create(self, _: int) -> None:
        self.asked += 1
        self.accum.data = memory.allocate(64 * 64 * 8)

    def do(self, op: int, value: float = 0.0) -> int:
        self.kernel(self.ctx.address, op, value)
        error, self.n.error = int(self.n.error), 0
        return error

    def numbers(self) -> np.ndarray:
        """The accumulation buffer, the top row first."""
        data = (ctypes.c_int16 * (64 * 4 * HEIGHT)).from_address(self.accum.data)
        return np.array(data).reshape(HEIGHT, 64, 4)[:, :WIDTH]

    def words(self) -> np.ndarray:
        """What the colour surface holds now."""
        size = self.color.format.bytes
        raw = ctypes.string_at(self.color.memory, self.color.columns * HEIGHT * size)
        words = np.frombuffer(raw, f"<u{size}").reshape(HEIGHT, self.color.columns)
        return words[:, :WIDTH]


def rgba(words: np.ndarray, format: str) -> np.ndarray:
    if format in ORDERS:
        return np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 4)[
            ..., list(ORDERS[format])
        ] / np.float32(255)
    w = words.astype(int)
    parts = [(w >> 11) / 31, (w >> 5 & 63) / 63, (w & 31) / 31, np.ones_like(w)]
    return np.stack(parts, axis=-1).astype(np.float32)


@pytest.mark.parametrize("format", [*ORDERS, "B5G6R5_UNORM"])
def test_operations(format: str) -> None:
    a = Accumulator(format)
    given = rgba(a.color.words, format).astype(np.float64)
    assert a.do(gl.GL_LOAD, 0.5) == 0 and a.asked == 1
    expect = np.trunc(given * 16383.5)
    assert np.abs(a.numbers() - expect).max() <= 1
    a.do(gl.GL_ACCUM, 0.25)
    expect = expect + np.trunc(given * 8191.75)
    assert np.abs(a.numbers() - expect).max() <= 2
    now = a.numbers().astype(np.float64)
    a.do(gl.GL_ADD, -0.125)
    now = now - 4095
    assert (a.numbers() == now).all()
    a.do(gl.GL_MULT, 0.75)
    now = np.trunc(now * 0.75)
    assert (a.numbers() == now).all()
    a.do(gl.GL_RETURN, 1.5)
    back = np.clip(now * 1.5 / 32767, 0, 1)
    step = 1 / 31 if format == "B5G6R5_UNORM" else 1 / 255
    found = rgba(a.words(), format)
    assert np.abs(found - back)[..., :3].max() <= step / 2 + 1e-4


def test_sums_saturate() -> None:
    a = Accumulator("R8G8B8A8_UNORM")
    a.do(gl.GL_LOAD, 1.0)
    for _ in range(3):
        a.do(gl.GL_ADD, 1.0)
    assert (a.numbers() == 32767).all()
    a.do(gl.GL_MULT, -2.0)
    assert (a.numbers() == -32768).all()


def test_scissor_and_clear_value() -> None:
    a = Accumulator("B8G8R8A8_UNORM")
    a.n.raw.clear_accum[:] = (0.5, -1.0, 1.0, 0.0)
    a.n.raw.scissor_enabled = 1
    a.n.raw.scissor[:] = (3, 2, 5, 4)
    a.do(CLEAR)
    inside = np.zeros((HEIGHT, WIDTH), bool)
    inside[HEIGHT - 6 : HEIGHT - 2, 3:8] = True
    assert (a.numbers()[inside] == (16383, -32767, 32767, 0)).all()
    assert (a.numbers()[~inside] == 0).all()


@pytest.mark.parametrize("format", list(ORDERS))
@pytest.mark.parametrize("mask", [1, 2, 12, 0])
def test_colors_return_under_the_mask(format: str, mask: int) -> None:
    a = Accumulator(format)
    before = rgba(a.color.words, format)
    a.n.key.color_mask = mask
    a.n.raw.clear_accum[:] = (1.0, 0.0, 1.0, 1.0)
    a.do(CLEAR)
    a.do(gl.GL_RETURN, 1.0)
    after = rgba(a.words(), format)
    for c, value in enumerate((1, 0, 1, 1)):
        expect = np.full_like(before[..., c], value) if mask >> c & 1 else before[..., c]
        assert (after[..., c] == expect).all()


def test_errors() -> None:
    a = Accumulator("R8G8B8A8_UNORM")
    assert a.do(gl.GL_RGBA, 1.0) == gl.GL_INVALID_ENUM
    a.n.read.accum = 0
    assert a.do(gl.GL_LOAD, 1.0) == gl.GL_INVALID_OPERATION  # another drawable is read
    a.n.dyn.fb.accum = 0
    assert a.do(gl.GL_LOAD, 1.0) == gl.GL_INVALID_OPERATION and a.do(CLEAR) == 0
    assert a.asked == 0
