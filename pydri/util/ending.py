# SPDX-License-Identifier: MIT
"""What must happen at the process's end before libraries that were loaded late are torn down.

In: functions. Out: they are called once, ahead of the destructors of all libraries that are loaded
by then. Python's `atexit` comes too late for that in an interpreter of ours: the shim runs it where
the shim itself is torn down, and LLVM, loaded later, goes before. In a host's interpreter `atexit`
is early enough.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable

#: asks for a call of `run` at the end, ahead of what is loaded by now; pydri/boot.py sets it
arm: Callable[[], None] | None = None
_functions: list[Callable[[], None]] = []


def before_destructors(function: Callable[[], None]) -> None:
    """Have a function called at the end of the process."""
    if arm is None:
        atexit.register(function)
        return
    _functions.append(function)
    arm()


def run() -> None:
    """The process ends."""
    while _functions:
        _functions.pop()()


__all__ = ["before_destructors", "run"]
