# SPDX-License-Identifier: MIT
"""The thread that makes best images."""

import os
import queue
import threading

import pytest

from pydri.jit import tiers


def test_it_stands_back_behind_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two steps, whatever the program's own niceness: a thread of nice 2 would never run beside
    rasterisers of nice -10, and one that is nice already may not become less so."""
    asked: list[int] = []
    monkeypatch.setattr(os, "getpriority", lambda which, who: -10)
    monkeypatch.setattr(os, "setpriority", lambda which, who, nice: asked.append(nice))
    done: queue.SimpleQueue[str] = queue.SimpleQueue()
    thread = tiers._Thread("test", 2)
    thread.put(lambda: done.put(threading.current_thread().name))
    assert done.get(timeout=60) == "test" and asked == [-8]
