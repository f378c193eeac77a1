# SPDX-License-Identifier: MIT
"""The driver's clock, which is libc's whoever else defines its functions.

People preload clocks that move when they are read or slept on, so that frame n of a program is one
picture on every driver. In a C program our own libpython is kept from these (libgl_shim/clocks.c).
Where the program is Python's its interpreter is the driver's, too, and `time` is the program's: the
thread that makes code better in the background would move the program's clock by what it sleeps.
"""

from __future__ import annotations

import errno
import time
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_ABSOLUTE = 1  # TIMER_ABSTIME


@cache
def _functions() -> tuple[Callable[[int], int], Callable[[int, int], int]]:
    """How libc tells a clock's nanoseconds, and waits for them. ctypes is imported by who asks for
    the time first: much that imports this room never does."""
    import ctypes

    class TimeSpec(ctypes.Structure):
        _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))

    libc = ctypes.CDLL("libc.so.6")  # by this handle its own functions are found, nobody else's
    # who tells the time keeps the interpreter: it may get it back 5 ms later only
    keeping = ctypes.PyDLL("libc.so.6")

    def now_ns(which: int) -> int:
        now = TimeSpec()
        keeping.clock_gettime(which, ctypes.byref(now))
        return now.seconds * 1_000_000_000 + now.nanoseconds

    def wait(which: int, due: int) -> int:
        until = TimeSpec(*divmod(due, 1_000_000_000))
        return int(libc.clock_nanosleep(which, _ABSOLUTE, ctypes.byref(until), None))

    return now_ns, wait


def _now_ns(which: int) -> int:
    return _functions()[0](which)


def monotonic_ns() -> int:
    """Nanoseconds on CLOCK_MONOTONIC."""
    return _now_ns(time.CLOCK_MONOTONIC)


def monotonic() -> float:
    """Seconds on CLOCK_MONOTONIC."""
    return monotonic_ns() / 1e9


def wall() -> float:
    """Seconds since 1970, to compare with the times of files."""
    return _now_ns(time.CLOCK_REALTIME) / 1e9


def sleep_until_ns(due: int) -> None:
    """Return at a time of monotonic_ns; Python handles signals meanwhile."""
    while _functions()[1](time.CLOCK_MONOTONIC, due) == errno.EINTR:
        pass


def sleep(seconds: float) -> None:
    """As time.sleep."""
    sleep_until_ns(monotonic_ns() + int(seconds * 1e9))
