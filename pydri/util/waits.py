# SPDX-License-Identifier: MIT
"""A word for who waits: what keeps a program for longer than two seconds says so, in one line.

In: `watch(what)` by who begins to compile something that a program waits for. Out: a line on
stderr, if the program still waits after PYDRI_PATIENCE, once for each `what`; LIBGL_DEBUG=quiet
leaves it out. Waits that follow one another closely are one: forty modules of half a second each
are twenty seconds for who sits there. A thread looks at whose turn it is (turns.py), ten times a
second; it begins with something that takes longer than it costs, and ends with the wait.
"""

from __future__ import annotations

import signal
import threading
from typing import Final

from pydri.util import clock, log, place
from pydri.util.options import first_time, options
from pydri.util.turns import TURNS

#: seconds: how often the thread looks; after how long without a wait the next one is another
_LOOK, _GAP = 0.1, 0.5

_lock: Final = threading.Lock()
_watched: list[str] = []  # what the program waits for; empty: nobody watches


def watch(what: str) -> None:
    """Something begins that a program waits for, in this thread."""
    if not options.PYDRI_PATIENCE or not place.libdir() or TURNS.is_patient():
        return
    with _lock:
        if what in _watched:
            return  # its thread looks already
        _watched.append(what)
        if len(_watched) > 1:
            return
        # the program's signals are the program's: none is ever delivered here
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            threading.Thread(target=_look, name="pydri-waits", daemon=True).start()
        except RuntimeError:  # there is no room for a further thread: nobody is told
            _watched.clear()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _look() -> None:
    """The thread: until the wait is over, or has been told."""
    patience = options.PYDRI_PATIENCE / 1000
    until = clock.monotonic() + patience
    while TURNS.quiet() < _GAP and clock.monotonic() < until:
        clock.sleep(min(_LOOK, patience))
    with _lock:
        told, waits = _watched[0], TURNS.quiet() < _GAP
        _watched.clear()
    if waits and first_time(told):
        log.notice(told)


__all__ = ["watch"]
