# SPDX-License-Identifier: MIT
"""What must happen at the process's end before libraries that were loaded late are torn down.

In: functions. Out: they are called once, ahead of the destructors of all libraries that are loaded
by then, or later in `loading`. Python's `atexit` comes too late for that in an interpreter of ours:
the shim runs it where the shim itself is torn down, and LLVM, loaded later, goes before. In a
host's interpreter `atexit` is early enough.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: of the shim, where the interpreter is ours (pydri/boot.py sets them): asks for a call of `run` at
#: the end, ahead of what is loaded by now; has exit() wait, or says that it has begun; lets it go
arm: Callable[[], None] | None = None
begin_loading: Callable[[], int] | None = None
end_loading: Callable[[], None] | None = None
_functions: list[Callable[[], None]] = []
_run = False


def before_destructors(function: Callable[[], None]) -> None:
    """Have a function called at the end of the process."""
    _functions.append(function)
    if arm is not None:
        arm()
    elif len(_functions) == 1:
        atexit.register(run)


def begun() -> bool:
    """Whether the process is ending."""
    if _run or begin_loading is None or end_loading is None:
        return _run
    if not begin_loading():
        return True
    end_loading()
    return False


@contextmanager
def loading() -> Iterator[bool]:
    """A library is loaded in it, whose destructors are to come after the functions; while it is,
    exit() waits. Gives False if the process ends already: nobody may load a library any more whom
    no thread of the program waits for."""
    if arm is None or begin_loading is None or end_loading is None:
        yield True
        return
    held = bool(begin_loading())
    try:
        yield held
        arm()
    finally:
        if held:
            end_loading()


def run() -> None:
    """The process ends."""
    global _run
    _run = True
    while _functions:
        _functions.pop()()


__all__ = ["before_destructors", "begun", "loading", "run"]
