# SPDX-License-Identifier: MIT
"""pydri/util/deep_stack.py: room for deep recursion, in several threads at a time."""

import sys
import threading

from pydri.util.deep_stack import DeepStack


def dive(frames: int) -> int:
    """So many frames deep, and back."""
    return 0 if frames == 0 else 1 + dive(frames - 1)


def test_there_is_room_and_then_there_is_not() -> None:
    before = sys.getrecursionlimit()
    with DeepStack(3 * before):
        assert dive(2 * before) == 2 * before
        with DeepStack(4 * before):
            assert dive(3 * before) == 3 * before
        assert dive(2 * before) == 2 * before
    assert sys.getrecursionlimit() == before


def test_who_ends_first_leaves_the_other_its_room() -> None:
    before = sys.getrecursionlimit()
    inside, outside = threading.Event(), threading.Event()
    found: list[int] = []

    def other() -> None:
        with DeepStack(3 * before):
            inside.set()
            assert outside.wait(20)
            found.append(dive(2 * before))

    thread = threading.Thread(target=other)
    with DeepStack(4 * before):
        thread.start()
        assert inside.wait(20)
    outside.set()
    thread.join()
    assert found == [2 * before]
    assert sys.getrecursionlimit() == before


def test_a_limit_that_the_program_sets_meanwhile_is_left() -> None:
    before = sys.getrecursionlimit()
    try:
        with DeepStack(3 * before):
            sys.setrecursionlimit(before + 5)
        assert sys.getrecursionlimit() == before + 5
    finally:
        sys.setrecursionlimit(before)
