# SPDX-License-Identifier: MIT
"""Hits and feedback for those who draw in Python (GL 2.1, 5.2 and 5.3).

In: window depths, and numbers of tokens. Out: the same blocks that feedback/kernels.py writes.
Mesa: main/feedback.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any


def hit(n: Any, z: float) -> None:
    """Something at window depth z is within the view volume: select_hit for Python."""
    s = n.select
    near, far = (s.near, s.far) if s.hit else (1.0, 0.0)
    s.hit, s.near, s.far = 1, min(near, z), max(far, z)


def feed_back(n: Any, values: Sequence[float]) -> None:
    """Append numbers to feedback's buffer; those that have no room are only counted."""
    f = n.feedback
    room = min(len(values), f.size - f.count)
    if room > 0 and f.buffer:
        at = f.buffer + f.count * ctypes.sizeof(ctypes.c_float)
        (ctypes.c_float * room).from_address(at)[:] = list(values[:room])
    f.count += len(values)
