# SPDX-License-Identifier: MIT
"""How often Python looks for objects in circles, in an interpreter of ours.

In: nothing. Out: the thresholds of Python's collector: objects made since the last collection, then
collections of the younger generation. Its own 700 would walk all there is some dozen times while
our modules are imported, so the first ones come late. Who compiles leaves circles behind (IR of
shaders), and what a late collection finds of them stops a frame for 20 ms: from then on it comes
often enough to be short, and what is there by then, mostly modules, is not walked any more. Best of
all is `tidy`, called by a thread of ours while LLVM works for the thread that waits: a collection
is then over before that one is back in Python. A host's interpreter keeps what the host has set.
"""

import gc

_STARTING, _COMPILING = (50_000, 10, 20), (40_000, 2, 50)
_WORTH = 4_000  # new objects
_WHOLE = 100  # every so many times all there is is looked at
_times = 0


def starting() -> None:
    """The interpreter is ours, and about to import what it needs."""
    gc.set_threshold(*_STARTING)


def compiling() -> None:
    """Something is about to be compiled."""
    if gc.get_threshold() == _STARTING:
        gc.freeze()
        gc.set_threshold(*_COMPILING)


def tidy() -> None:
    """A good time to look at what was made since the last one."""
    global _times
    if gc.get_threshold() == _COMPILING and gc.get_count()[0] > _WORTH:
        _times += 1
        gc.collect(1 if _times % _WHOLE else 2)


__all__ = ["compiling", "starting", "tidy"]
