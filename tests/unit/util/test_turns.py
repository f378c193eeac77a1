# SPDX-License-Identifier: MIT
"""Who is waited for works at once, though a patient thread is in the middle of its own work."""

from __future__ import annotations

import threading

from pydri.util.turns import Turns


def test_the_patient_thread_gives_way_in_the_middle() -> None:
    turns = Turns()
    said: list[str] = []
    begun, ended = threading.Event(), threading.Event()

    def patient() -> None:
        turns.be_patient()
        with turns.tracing(), turns.tracing():  # as one module needs another
            said.append("patient begins")
            begun.set()
            while "other" not in said:  # would never end if it did not let go of the lock
                turns.give_way()
            said.append("patient ends")
        ended.set()

    def other() -> None:
        begun.wait()
        with turns.tracing():
            assert not ended.is_set()
            said.append("other")

    threads = [threading.Thread(target=f, daemon=True) for f in (patient, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert said == ["patient begins", "other", "patient ends"]


def test_it_waits_while_others_are_waited_for() -> None:
    turns = Turns()
    said: list[str] = []
    ready = threading.Event()

    def patient() -> None:
        turns.be_patient()
        ready.wait()
        turns.give_way()
        said.append("patient")

    thread = threading.Thread(target=patient, daemon=True)
    thread.start()
    with turns.waited_for():
        ready.set()
        thread.join(0.1)
        said.append("other")
    thread.join(20)
    assert said == ["other", "patient"]


def test_nobody_else_gives_way() -> None:
    turns = Turns()
    with turns.waited_for(), turns.tracing():
        turns.give_way()  # of itself: nothing to wait for


def test_it_is_not_quiet_while_somebody_waits() -> None:
    turns = Turns()
    before = turns.quiet()
    with turns.waited_for():
        assert turns.quiet() == 0
        with turns.waited_for():
            pass
        assert turns.quiet() == 0, "one of two waits on"
    assert 0 <= turns.quiet() < before, "counted from the boot until somebody has waited"
