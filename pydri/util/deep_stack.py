# SPDX-License-Identifier: MIT
"""Room on Python's stack for code that recurses as deep as a program's text nests.

In: how many frames.  Out: a `with` block in which so many more are allowed.
Frames of Python functions lie on the heap since 3.11, so that a higher limit costs no stack.
"""

from __future__ import annotations

import sys


def _depth() -> int:
    """How deep the caller's caller stands. No variable may be left with this frame itself: that
    circle would keep all callers' variables until Python's collector comes by."""
    frame, depth = sys._getframe(1).f_back, 0
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


class DeepStack:
    """Room for `frames` more, however deep the caller stands."""

    __slots__ = ("before", "frames", "wanted")

    def __init__(self, frames: int) -> None:
        self.frames = frames

    def __enter__(self) -> None:
        self.before = sys.getrecursionlimit()
        self.wanted = max(self.before, _depth() + self.frames)
        sys.setrecursionlimit(self.wanted)

    def __exit__(self, *exc: object) -> None:
        # Another thread may have set its own meanwhile.
        if sys.getrecursionlimit() == self.wanted:
            sys.setrecursionlimit(self.before)
