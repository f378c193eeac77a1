# SPDX-License-Identifier: MIT
"""Room on Python's stack for code that recurses as deep as a program's text nests.

In: how many frames.  Out: a `with` block in which so many more are allowed.
Frames of Python functions lie on the heap since 3.11, so that a higher limit costs no stack. The
limit is one for all threads, and those that trace take turns in the middle (turns.py): it is the
highest that a block wants, and goes back to what it was behind the last one.
"""

from __future__ import annotations

import sys
import threading

_lock = threading.Lock()
_wanted: list[int] = []  # by the blocks that are being run
_before = 0  # the first of them
_set = 0  # by us: who finds another limit leaves it


def _depth() -> int:
    """How deep the caller's caller stands. No variable may be left with this frame itself: that
    circle would keep all callers' variables until Python's collector comes by."""
    frame, depth = sys._getframe(1).f_back, 0
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


class DeepStack:
    """Room for `frames` more, however deep the caller stands."""

    __slots__ = ("frames", "wanted")

    def __init__(self, frames: int) -> None:
        self.frames = frames

    def __enter__(self) -> None:
        global _before, _set
        with _lock:
            now = sys.getrecursionlimit()
            if not _wanted:
                _before = now
            self.wanted = max(now, _depth() + self.frames)
            _wanted.append(self.wanted)
            _set = self.wanted
            sys.setrecursionlimit(_set)

    def __exit__(self, *exc: object) -> None:
        global _set
        with _lock:
            _wanted.remove(self.wanted)
            if sys.getrecursionlimit() != _set:  # the host's own, set meanwhile
                return
            _set = max(_wanted, default=_before)
            sys.setrecursionlimit(_set)
