# SPDX-License-Identifier: MIT
"""Two images of a variant's code: one that is made in a hurry, and the best one, made later.

In: modules that a pipeline needs, and functions to call with their images. Out: images. A program
waits for the first image alone, which LLVM makes without its dear parts; several modules of a
pipeline are made side by side, since LLVM runs beside Python. Who draws again with such code asks
for the best image (`improve`), which a thread of low priority makes: it traces the module once more
(Python, in short turns) and lets LLVM work without the interpreter's lock. Both images have the
same bits (no pass may change a float, and nothing is fused), so they may be exchanged between any
two draws; tests/pictures and tests/unit/pipe_llvm/test_tiers.py hold that. PYDRI_TIERS has either
kind alone.

Nothing is improved before a program has drawn for half a second: most that end sooner are scripts,
which are started again and again.

The end of a program waits for what LLVM is doing at that time: its globals are destroyed then. What
has not got so far is given up.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from pydri.jit import cache
from pydri.util import clock, ending, garbage, log
from pydri.util.options import options
from pydri.util.turns import TURNS

if TYPE_CHECKING:
    from queue import SimpleQueue

    from pydri.jit.image import Image
    from pydri.jit.kernel import Module

#: steps below the program's own; more would starve it beside rasterisers that take all processors
_NICENESS = 2
#: seconds: the best images wait until no program has waited for a compiler for so long, but not
#: longer than so long, since both would take turns at the interpreter, and share a processor's core
_QUIET, _PATIENCE = 0.05, 2.0
#: seconds since the first one was asked for: a program that draws a few pictures and ends would pay
#: for LLVM, at each of its starts, and have nothing of it
_YOUNG = 0.5


class Work:
    """Bytes that a thread is to make; who waits makes them itself if nobody has begun."""

    __slots__ = ("_begun", "_done", "_error", "_make", "_made")

    def __init__(self, make: Callable[[], bytes]) -> None:
        self._make = make
        self._begun = threading.Lock()  # taken by who makes them, and never given back
        self._done = threading.Lock()
        self._done.acquire()  # released when they are made
        self._made: bytes = b""
        self._error: BaseException | None = None

    def run(self, waited_for: bool = False) -> None:
        """Make them, unless somebody is at it."""
        if not self._begun.acquire(blocking=False):
            return
        if waited_for:  # Python has time meanwhile
            _helper.put(garbage.tidy)
        try:
            self._made = self._make()
        except BaseException as error:  # whoever waits raises it
            self._error = error
        finally:
            self._done.release()

    def result(self) -> bytes:
        """The bytes."""
        self.run(waited_for=True)
        with self._done:
            if self._error is not None:
                raise self._error
            return self._made


_asked = 0.0  # when the first best image was asked for


def _await_a_good_time() -> None:
    """Until the program has drawn for a while, and does not wait for a compiler."""
    young = _asked + _YOUNG - clock.monotonic()
    if young > 0:
        clock.sleep(young)
    until = clock.monotonic() + _PATIENCE
    while TURNS.quiet() < _QUIET and clock.monotonic() < until and not ending.begun():
        clock.sleep(_QUIET / 5)


class _Thread:
    """A thread of ours that takes work in order, begun when the first comes."""

    def __init__(
        self, name: str, niceness: int, before: Callable[[], None] = lambda: None
    ) -> None:
        self._name, self._niceness = name, niceness
        self._before = before  # waits until something may be done; nobody waits for that
        self._queue: SimpleQueue[Callable[[], None]] | None = None
        self._lock = threading.Lock()
        self._begun = False
        self._busy = threading.Lock()

    def put(self, work: Callable[[], None]) -> None:
        """Have something done."""
        from queue import SimpleQueue  # most starts have nothing to do for a thread

        with self._lock:
            if self._queue is None:
                self._queue = SimpleQueue()
            self._queue.put(work)
            if self._begun:
                return
            self._begun = True
        # the program's signals are the program's: none is ever delivered here
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            threading.Thread(target=self._run, name=self._name, daemon=True).start()
            ending.before_destructors(self.stop)
        except RuntimeError:  # no memory for a thread: who has more to be done tries again
            self._begun = False
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _run(self) -> None:
        if self._niceness:
            me = threading.get_native_id()
            program = os.getpriority(os.PRIO_PROCESS, me)
            os.setpriority(os.PRIO_PROCESS, me, program + self._niceness)
        queue = self._queue
        assert queue is not None
        while True:
            work = queue.get()
            if self._niceness:
                TURNS.be_patient()  # anew: after a fork this is another thread
            self._before()
            with self._busy:
                work()

    def stop(self) -> None:
        """Nothing further is begun; what is being done is awaited."""
        self._busy.acquire(timeout=20)


_helper = _Thread("pydri-compile", 0)
_background = _Thread("pydri-optimise", _NICENESS, _await_a_good_time)
cache.helper = _helper.put  # which writes its files behind what it compiles


def beside(make: Callable[[], bytes]) -> Work:
    """Have bytes made by the helper thread."""
    work = Work(make)
    _helper.put(work.run)
    return work


def first_wanted() -> bool:
    """Whether first images are made at all."""
    return "best" not in options.PYDRI_TIERS


class Pending(NamedTuple):
    """A module that is being compiled; `image()` waits for it."""

    image: Callable[[], Image]


def begin(module: Module) -> Pending:
    """Have the image of a module made that a program waits for."""
    from pydri.jit.compiler import begin_module

    finish = begin_module(module, first_wanted(), beside)

    def image() -> Image:
        with TURNS.waited_for():
            return finish()

    return Pending(image)


def _best(module: Module) -> Image | None:
    """The best image of a module; None if the process ends meanwhile."""
    from pydri.jit.compiler import begin_fresh, load_llvm

    image = module.load()
    if image is not None:  # of another process, in the cache
        return image
    finish = begin_fresh(module)
    if ending.begun() or not load_llvm(waited_for=False) or ending.begun():
        return None
    return finish()


def improve(module: Module, done: Callable[[Image], None]) -> None:
    """Have the best image made, some time; `done` gets it, in a thread of ours."""
    global _asked
    if "first" in options.PYDRI_TIERS:
        return
    _asked = _asked or clock.monotonic()

    def work() -> None:
        try:
            image = _best(module)
            if image is not None:
                done(image)
        except Exception as error:  # the first image goes on serving
            log.error(f"{module.name}: {error!r}; it stays as it is", once=True)

    _background.put(work)


__all__ = ["Pending", "Work", "begin", "beside", "first_wanted", "improve"]
