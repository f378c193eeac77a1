# SPDX-License-Identifier: MIT
"""How often Python looks for objects in circles, in an interpreter of ours.

In: nothing. Out: the thresholds of Python's collector: objects made since the last collection, then
collections of the younger generation. Its own 700 would walk all there is some dozen times while
our modules are imported, so the first ones come late. Once something can be drawn, what is there,
mostly modules, is not walked any more, and what comes later soon: a program that has all it draws
from the cache would else once stop for the walk over everything, 10 ms. Who compiles leaves circles
behind (IR of shaders), and what a late collection finds of them stops a frame for 20 ms: then it
comes often enough to be short. Best of all is `tidy`, called by a thread of ours while LLVM works
for the thread that waits: a collection is then over before that one is back in Python. A host's
interpreter keeps what the host has set, but for as long as something is compiled there (`hold`), or
the driver starts: at Python's own thresholds a fifth of Blender's first frame was walks over what
the compiler had just made, and a start walked dozens of times over what it had just imported. What
a start has made counts as old afterwards: as new objects it would have the host walk over all there
is, 20 ms in a program of PySide6.
"""

import gc
from _thread import allocate_lock as Lock
from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

_STARTING, _DRAWING, _COMPILING = (200_000, 10, 20), (10_000, 10, 20), (40_000, 2, 50)
_HELD = (50_000, 5, 50)
_WORTH = 4_000  # new objects
_WHOLE = 100  # every so many times all there is is looked at
_times = 0
_OURS = (_STARTING, _DRAWING, _COMPILING)
_holding = Lock()
_holders = 0
_hosts: tuple[int, int, int] | None = None  # thresholds, while something is compiled


def starting() -> None:
    """The interpreter is ours, and about to import what it needs."""
    gc.set_threshold(*_STARTING)


def drawing() -> None:
    """A context is current: what is needed for it is imported."""
    if gc.get_threshold() == _STARTING:
        _from_here(_DRAWING)


def compiling() -> None:
    """Something is about to be compiled."""
    if gc.get_threshold() in (_STARTING, _DRAWING):
        _from_here(_COMPILING)


def _from_here(thresholds: tuple[int, int, int]) -> None:
    gc.freeze()
    gc.set_threshold(*thresholds)


def hold() -> None:
    """Something is compiled, or imported, until `release`: a host's interpreter collects seldom."""
    global _holders, _hosts
    with _holding:
        _holders += 1
        found = gc.get_threshold()
        if _holders == 1 and found not in _OURS and 0 < found[0] < _HELD[0]:
            _hosts = found
            gc.set_threshold(*_HELD)


def release() -> None:
    """The end of a `hold`. What the host has set meanwhile stays."""
    global _holders, _hosts
    with _holding:
        _holders -= 1
        if not _holders and _hosts is not None:
            if gc.get_threshold() == _HELD:
                gc.set_threshold(*_hosts)
            _hosts = None


def _settle() -> None:
    """What was made for good, in a host's interpreter, counts as old."""
    if _hosts is not None and gc.get_count()[0] > _WORTH and not gc.get_freeze_count():
        gc.freeze()  # together these make all there is old
        gc.unfreeze()


def held(function: "F") -> "F":
    """A function that runs between `hold` and `release`, and makes what stays."""

    def call(*args: "Any", **named: "Any") -> "Any":
        hold()
        try:
            return function(*args, **named)
        finally:
            _settle()
            release()

    return wraps(function)(call)  # type: ignore[return-value]


def tidy() -> None:
    """A good time to look at what was made since the last one."""
    global _times
    if gc.get_threshold() == _COMPILING and gc.get_count()[0] > _WORTH:
        _times += 1
        gc.collect(1 if _times % _WHOLE else 2)


__all__ = ["compiling", "drawing", "held", "hold", "release", "starting", "tidy"]
