# SPDX-License-Identifier: MIT
"""Whose turn it is: a thread that compiles what nobody waits for gives way to those that are waited
for.

In: `with TURNS.waited_for():` around the Python that a program waits for, `with TURNS.tracing():`
around what one thread at a time may do, and `TURNS.give_way()` at places between two steps of long
work. Out: the patient thread, of which there is one, lets go of everything at such a place, until
the others are done. Without that a program would wait for the whole trace of an image that is only
to be better some day, and share the interpreter with it for the rest.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Final

from pydri.util import clock, garbage

#: seconds: how often the patient thread looks, and after how long its patience ends
_LOOK, _PATIENCE = 0.002, 0.5


class _Wait:
    """A program waits for what is done within; any number of threads at a time."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def __enter__(self) -> None:
        turns = self._turns
        with turns._counting:
            turns._waited_for += 1
        garbage.hold()

    def __exit__(self, *problem: object) -> None:
        turns = self._turns
        garbage.release()
        with turns._counting:
            turns._waited_for -= 1
            turns._ended = clock.monotonic()


class Turns:
    """Who may work."""

    def __init__(self) -> None:
        self._wait = _Wait(self)
        self._lock = threading.RLock()  # tracing one module may need another one compiled
        self._counting = threading.Lock()
        self._waited_for = 0
        self._ended = 0.0  # when a program waited last
        self._patient = 0  # the thread's number
        self._held = 0  # how often it holds the lock

    def be_patient(self) -> None:
        """The calling thread gives way from now on."""
        self._patient = threading.get_ident()

    def is_patient(self) -> bool:
        """Whether no program waits for the calling thread."""
        return threading.get_ident() == self._patient

    def waited_for(self) -> _Wait:
        """A program waits for what is done within."""
        return self._wait

    def quiet(self) -> float:
        """For how many seconds no program has waited for anything."""
        return 0.0 if self._waited_for else clock.monotonic() - self._ended

    @contextlib.contextmanager
    def tracing(self) -> Iterator[None]:
        """What one thread at a time does."""
        if threading.get_ident() != self._patient:
            with self.waited_for(), self._lock:
                yield
            return
        with self._lock:
            self._held += 1
            garbage.hold()
            try:
                yield
            finally:
                garbage.release()
                self._held -= 1

    def give_way(self) -> None:
        """A place where others may work: nothing is half done that they could see."""
        if not self._waited_for or threading.get_ident() != self._patient:
            return
        held = self._held
        for _ in range(held):
            self._lock.release()
        until = clock.monotonic() + _PATIENCE
        while self._waited_for and clock.monotonic() < until:
            clock.sleep(_LOOK)
        for _ in range(held):
            self._lock.acquire()


TURNS: Final = Turns()

__all__ = ["TURNS", "Turns"]
