# SPDX-License-Identifier: MIT
"""Share groups: what several contexts see. Counterpart of Mesa's main/shared.c.

In: contexts that join and leave. Out: `SharedBlock`, in which kernels find everything by name
(names/layout.py). The storage of buffers waits for its readers (buffers/storage_kernels.py),
objects for those that refer to them. `lock` is for what Python changes.
"""

from __future__ import annotations

from _thread import RLock
from typing import Any

from pydri.main import memory
from pydri.main.names.layout import SharedBlock


class ShareGroup:
    """The contexts of a group, and its native block."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.contexts: set[Any] = set()
        #: shaders and programs by name (main/shaders/objects.py)
        self.programs: dict[int, Any] = {}
        #: what is known of ARB programs, by the addresses of their objects (main/programs)
        self.assembly: dict[Any, Any] = {}
        #: the stages that native code names, by its address (main/shaders/held.py)
        self.codes: dict[int, Any] = {}
        self.address = memory.allocate(SharedBlock.size)
        self.n: Any = SharedBlock.view(self.address)
        self.n.epoch = 1

    def destroy(self) -> None:
        """The last context is gone, and its kernels have freed what the block leads to."""
        self.programs.clear()
        memory.free(self.address)
