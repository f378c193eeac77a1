# SPDX-License-Identifier: MIT
"""Feedback for those who draw in Python (GL 2.1, 5.3).

In: numbers of tokens. Out: the same block that feedback/kernels.py writes. Mesa: main/feedback.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any


def feed_back(n: Any, values: Sequence[float]) -> None:
    """Append numbers to feedback's buffer; those that have no room are only counted."""
    f = n.feedback
    room = min(len(values), f.size - f.count)
    if room > 0 and f.buffer:
        at = f.buffer + f.count * ctypes.sizeof(ctypes.c_float)
        (ctypes.c_float * room).from_address(at)[:] = list(values[:room])
    f.count += len(values)
