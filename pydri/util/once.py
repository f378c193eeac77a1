# SPDX-License-Identifier: MIT
"""What a process makes once: at the first use, by one thread; others wait until it is whole."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


def once(make: Callable[..., T]) -> Callable[..., T]:
    """`make(*args)` is run once for each row of (hashable) arguments, and its result kept.

    As functools.cache, which lets two threads make the same thing, and forgets nothing; where the
    first thread fails, the next one tries again. `make` may come back to itself with others.
    """
    made: dict[tuple[Hashable, ...], T] = {}
    making = threading.RLock()

    @functools.wraps(make)
    def get(*args: Any) -> T:
        if args not in made:
            with making:
                if args not in made:
                    made[args] = make(*args)
        return made[args]

    return get


__all__ = ["once"]
