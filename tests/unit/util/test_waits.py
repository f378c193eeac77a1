# SPDX-License-Identifier: MIT
"""Who waits long is told, once; who does not wait, or wants no messages, is not."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from pydri.util import log, place, waits
from pydri.util.options import options
from pydri.util.turns import TURNS


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Waits for something as a program does, with some patience; gives what was said."""
    said: list[str] = []
    monkeypatch.setattr(place, "libdir", lambda: "/driver")
    monkeypatch.setattr(log, "_emit", said.append)
    monkeypatch.setattr(waits, "_GAP", 1e-9)  # the next wait is another one

    def wait(what: str, patience: str, longer: bool = True) -> list[str]:
        said.clear()
        before = set(threading.enumerate())
        with options(PYDRI_PATIENCE=patience), TURNS.waited_for():
            waits.watch(what)
            watching = [t for t in set(threading.enumerate()) - before if t.name == "pydri-waits"]
            if longer:
                for thread in watching:
                    thread.join()
        for thread in watching:
            thread.join()
        return list(said)

    return wait


def test_a_long_wait_is_told_once(told: Callable[..., list[str]]) -> None:
    assert told("compiling one", "1") == ["libGL: compiling one"]
    assert told("compiling one", "1") == []
    assert told("compiling another", "1") == ["libGL: compiling another"]


def test_quiet_and_never(told: Callable[..., list[str]]) -> None:
    assert told("compiling", "0") == []
    with options(LIBGL_DEBUG="quiet"):
        assert told("compiling", "1") == []


def test_a_wait_that_is_over_is_not_told(told: Callable[..., list[str]]) -> None:
    assert told("compiling", "1000000", longer=False) == []


def test_the_same_wait_has_one_thread(told: Callable[..., list[str]]) -> None:
    """A second one found nothing to tell: an exception in a thread."""

    def looking() -> int:
        return sum(thread.name == "pydri-waits" for thread in threading.enumerate())

    with options(PYDRI_PATIENCE="200"), TURNS.waited_for():
        before = looking()
        for _ in range(2):
            waits.watch("compiling twice")
        assert looking() == before + 1
    for thread in threading.enumerate():
        if thread.name == "pydri-waits":
            thread.join()


def test_what_nobody_waits_for(told: Callable[..., list[str]]) -> None:
    """The thread that makes code better, in its own time."""
    before = TURNS._patient
    TURNS.be_patient()
    try:
        assert told("compiling", "1") == []
    finally:
        TURNS._patient = before
