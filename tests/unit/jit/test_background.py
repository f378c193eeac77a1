# SPDX-License-Identifier: MIT
"""The thread that makes best images."""

import os
import queue
import threading

import pytest

from pydri.jit import tiers


def test_a_program_that_is_nice_already(monkeypatch: pytest.MonkeyPatch) -> None:
    """`nice -n 15 program`: only root may make a thread less nice than it is."""

    def refused(*args: int) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "getpriority", lambda which, who: 15)
    monkeypatch.setattr(os, "setpriority", refused)
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    thread = tiers._Thread("test", 2)
    thread.put(lambda: done.put(threading.current_thread().name))
    assert done.get(timeout=60) == "test"
