# SPDX-License-Identifier: MIT
"""What is made once is made by one thread, and is whole when the others get it."""

import threading
import time

import pytest

from pydri.util.once import once


def test_threads_wait_for_the_first() -> None:
    made, whole, seen = [], threading.Event(), []

    @once
    def thing(name: str) -> str:
        made.append(name)
        time.sleep(0.05)
        whole.set()
        return name

    def use() -> None:
        seen.append((thing("a"), whole.is_set()))

    threads = [threading.Thread(target=use) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["a"] and seen == [("a", True)] * 5
    assert thing("b") == "b" and made == ["a", "b"]


def test_a_failure_is_not_kept() -> None:
    tries = []

    @once
    def thing() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("not yet")
        return 7

    with pytest.raises(ValueError, match="not yet"):
        thing()
    assert thing() == thing() == 7 and len(tries) == 2
