# SPDX-License-Identifier: MIT
"""Arithmetic that both drivers must do alike, to the last bit.

Floats are IEEE singles; nothing is fused. A comparison with NaN is false, and that decides what
minimum and maximum give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Arr = np.ndarray[Any, Any]
F32 = np.float32
I64 = np.int64


def f32(values: Any) -> Arr:
    """Single floats."""
    return np.asarray(values, np.float32)


def least(x: Any, y: Any) -> Arr:
    """The smaller; y where an operand is no number."""
    x, y = f32(x), f32(y)
    return np.where(x < y, x, y)


def most(x: Any, y: Any) -> Arr:
    """The larger; y where an operand is no number."""
    x, y = f32(x), f32(y)
    return np.where(x > y, x, y)


def clamp(x: Any, low: Any, high: Any) -> Arr:
    """x within [low, high]; low where it is no number."""
    return least(most(x, low), high)


def whole(x: Arr) -> Arr:
    """The nearest whole numbers, ties to even, as 64-bit integers; 0 for what has none."""
    return np.rint(np.where(np.abs(x) < 2.0**31, x, 0)).astype(np.int64)


def number_of(group: Arr, y: Arr, x: Arr) -> tuple[Arr, Arr]:
    """Different places in groups, sorted, as group << 32 | y << 16 | x; and the number of each."""
    keys, at = np.unique(group << 32 | y << 16 | x, return_inverse=True)
    return keys, at.reshape(-1)


def spread(sizes: Arr) -> tuple[Arr, Arr]:
    """For each of sum(sizes) items: which group it is of, and which of its group it is."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    first = np.cumsum(sizes) - sizes
    return group, np.arange(len(group)) - first[group]
