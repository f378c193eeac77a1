# SPDX-License-Identifier: MIT
"""One thread has one current context, whichever window system made it so.

In: each front (pydri.glx, pydri.egl, pydri.osmesa) says once how it lets the calling thread's
context go. Out: `leave_others`, which a front calls before it makes a context of its own current. A
program that mixes fronts in one thread is rare, but it must not leave two contexts on one drawable.
"""

from collections.abc import Callable

_LEAVE: dict[str, Callable[[], None]] = {}
_END: dict[str, Callable[[], None]] = {}


def register_front(
    name: str, leave: Callable[[], None], end: Callable[[], None] | None = None
) -> None:
    """`leave()` makes nothing of that front current in the calling thread; `end()` the same where
    the thread ends."""
    _LEAVE[name] = leave
    _END[name] = end or leave


def leave_all() -> None:
    """The calling thread ends: nothing stays current in it, and what waited for that is freed."""
    for end in _END.values():
        end()


def leave_others(name: str) -> None:
    """Let go what another front than `name` has made current in the calling thread."""
    for other, leave in _LEAVE.items():
        if other != name:
            leave()
