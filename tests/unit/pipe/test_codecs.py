# SPDX-License-Identifier: MIT
"""Compressed formats: kernels decode what numpy decodes, and numpy what the peer does."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import pytest

from pydri.pipe import codec_numpy
from pydri.pipe.codecs import CODECS, flags_of
from pydri.pipe.format import BY_NAME, FORMATS, Format
from tests.unit.jit.harness import BEST, EACH_WIDTH, address, compiled

COMPRESSED = [f for f in FORMATS if f.codec]


@functools.cache
def image(width: int) -> Any:
    return compiled([c.kernel for c in CODECS.values()], width)


def some_blocks(fmt: Format, count: int, seed: int = 3) -> np.ndarray:
    """Random blocks; some whose two ends are equal or in the other order."""
    blocks = np.random.default_rng(seed).integers(0, 256, (count, fmt.bytes), np.uint8)
    if fmt.codec != "fxt1":
        blocks[::7, :2], blocks[::7, -8:-6] = blocks[::7, 2:4], blocks[::7, -6:-4]
        blocks[1::7, :2] = 0
        blocks[2::7, :2] = 255
    return blocks


def tiled(fmt: Format, texels: np.ndarray, across: int, down: int) -> np.ndarray:
    """Blocks side by side as an image: (rows, columns, bytes a texel)."""
    grid = texels.reshape(down, across, fmt.height, fmt.width, -1).transpose(0, 2, 1, 3, 4)
    return grid.reshape(down * fmt.height, across * fmt.width, -1)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("fmt", COMPRESSED, ids=lambda f: f.name)
def test_blocks_are_decoded(fmt: Format, width: int) -> None:
    across, down = 33, 16
    blocks = some_blocks(fmt, across * down)
    size = BY_NAME[fmt.decoded].bytes
    types = [ctypes.c_void_p, ctypes.c_uint64] * 2 + [ctypes.c_uint32] * 3
    call = ctypes.CFUNCTYPE(None, *types)(image(width).address(f"decode_{fmt.codec}"))
    want = tiled(fmt, codec_numpy.decode(fmt, blocks), across, down)
    for cut in range(0, fmt.width, 1 if fmt.width == 4 else 3):
        rows, columns = down * 4 - cut % 4, across * fmt.width - cut
        out = np.full((down * 4 + 1, across * fmt.width + 3, size), 0xA5, np.uint8)
        stride = out.shape[1] * size
        source = across * fmt.bytes
        call(address(out), stride, address(blocks), source, columns, rows, flags_of(fmt))
        assert (out[:rows, :columns] == want[:rows, :columns]).all()
        assert (out[rows:] == 0xA5).all() and (out[:, columns:] == 0xA5).all()


def test_the_codec_fits_the_row() -> None:
    for fmt in COMPRESSED:
        codec = CODECS[fmt.codec]
        assert (codec.bytes, codec.width) == (fmt.bytes, fmt.width)
        assert codec.texel == BY_NAME[fmt.decoded].bytes
    assert BEST in (128, 256, 512)
