# SPDX-License-Identifier: MIT
"""When Python looks for circles: hosts keep their thresholds, ours fall when something compiles."""

import gc

import pytest

from pydri.util import garbage
from pydri.util.turns import TURNS


def test_a_hosts_thresholds_stay() -> None:
    before = gc.get_threshold()
    garbage.drawing()
    garbage.compiling()
    assert gc.get_threshold() == before and not gc.get_freeze_count()


def test_a_host_collects_seldom_while_something_is_compiled() -> None:
    """Of two that compile the last one ends that; what the host sets meanwhile is the host's."""
    before = gc.get_threshold()
    try:
        with TURNS.waited_for():
            with TURNS.tracing():
                held = gc.get_threshold()
            assert held[0] > 10 * before[0] and gc.get_threshold() == held
        assert gc.get_threshold() == before
        with TURNS.waited_for():
            gc.set_threshold(900, 9, 9)
        assert gc.get_threshold() == (900, 9, 9)
        gc.set_threshold(0, 10, 10)
        with TURNS.waited_for():
            assert gc.get_threshold() == (0, 10, 10)  # that one never collects
    finally:
        gc.set_threshold(*before)


def test_a_host_collects_seldom_while_the_driver_starts() -> None:
    """A function that fails lets go, too."""
    before = gc.get_threshold()

    @garbage.held
    def start(fails: bool) -> int:
        """Makes much."""
        if fails:
            raise ValueError
        return gc.get_threshold()[0]

    assert start(fails=False) > 10 * before[0] and gc.get_threshold() == before
    with pytest.raises(ValueError):
        start(True)
    assert gc.get_threshold() == before and start.__doc__ == "Makes much."


def test_what_a_start_makes_is_old_for_a_host() -> None:
    """So the host need not walk over all it has because of it. Circles among it are found, too."""
    gc.collect()

    @garbage.held
    def start() -> list[object]:
        made: list[object] = [[] for _ in range(20_000)]
        circle: list[object] = []
        circle.append(circle)
        return made

    made = start()
    assert gc.get_count()[0] < 1_000 and not gc.get_freeze_count()
    assert any(each is made for each in gc.get_objects(2))
    assert gc.collect() >= 1


def test_ours_are_lower_once_something_compiles() -> None:
    before = gc.get_threshold()
    try:
        garbage.starting()
        starting = gc.get_threshold()
        garbage.compiling()
        compiling = gc.get_threshold()
        assert compiling < starting and gc.get_freeze_count()
        garbage.drawing()
        assert gc.get_threshold() == compiling
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_what_is_there_when_something_is_drawn_is_not_walked() -> None:
    before = gc.get_threshold()
    try:
        garbage.starting()
        garbage.drawing()
        assert not any(map(len, map(gc.get_objects, range(1, 3))))
        assert gc.get_count()[0] < 1_000 and gc.get_freeze_count()
        garbage.compiling()
        assert gc.get_threshold()[0] > garbage._DRAWING[0]
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_tidying_is_for_ours_and_for_enough() -> None:
    """Circles that were made since the last time are gone; a host's collector is left alone."""
    before = gc.get_threshold()
    garbage.tidy()
    try:
        garbage.starting()
        garbage.compiling()
        circles: list[list[object]] = [[] for _ in range(10_000)]
        for circle in circles:
            circle.append(circle)
        assert gc.get_count()[0] > 4_000
        circles.clear()
        garbage.tidy()
        assert gc.get_count()[0] < 4_000
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
