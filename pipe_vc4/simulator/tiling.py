# SPDX-License-Identifier: MIT
"""Where a pixel lies in memory: raster, T and LT ("Texture Memory Formats" of the guide).

A microtile is 64 bytes: 4x4 pixels of 4 bytes, 8x4 of 2, 8x8 of 1, rows inside.
"""
from __future__ import annotations

import numpy as np

from pipe_vc4.simulator.arrays import Ints

RASTER, T, LT = 0, 1, 2
#: The place in memory of a T tile's sub-tile (x, y), by row and column, in even and in odd rows.
_SUB_TILES = np.array([[[0, 3], [1, 2]], [[2, 1], [3, 0]]])


def microtile(cpp: int) -> tuple[int, int]:
    """Width and height in pixels of `cpp` bytes."""
    return {1: (8, 8), 2: (8, 4), 4: (4, 4)}[cpp]


def is_lt(width: int, height: int, cpp: int) -> bool:
    """Whether a texture's level of this size is LT, not T."""
    w, h = microtile(cpp)
    return width <= 4 * w or height <= 4 * h


def _up(value: int, unit: int) -> int:
    return (value + unit - 1) // unit


def size_of(width: int, height: int, cpp: int, tiling: int) -> int:
    """The bytes a level takes."""
    w, h = microtile(cpp)
    if tiling == T:
        return _up(width, 8 * w) * _up(height, 8 * h) * 4096
    if tiling == LT:
        return _up(width, w) * _up(height, h) * 64
    return _up(width, w) * w * cpp * height


def offsets(x: Ints, y: Ints, width: int, cpp: int, tiling: int) -> Ints:
    """The bytes from a level's start to its pixels (x, y)."""
    w, h = microtile(cpp)
    if tiling == RASTER:
        return (y * (_up(width, w) * w) + x) * cpp
    inside = ((y % h) * w + x % w) * cpp
    mx, my = x // w, y // h
    if tiling == LT:
        return (my * _up(width, w) + mx) * 64 + inside
    tiles = _up(width, 8 * w)
    tx, ty = mx // 8, my // 8
    odd = ty % 2
    tx = np.where(odd == 1, tiles - 1 - tx, tx)
    sub = _SUB_TILES[odd, my // 4 % 2, mx // 4 % 2]
    found: Ints = (ty * tiles + tx) * 4096 + sub * 1024 + (my % 4 * 4 + mx % 4) * 64 + inside
    return found
