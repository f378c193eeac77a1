# SPDX-License-Identifier: MIT
"""Tables of what a driver's formats serve for, from the cache.

In: a screen, and the module that finds a table out. Out: the table's bytes. To ask a driver for
hundreds of formats, and to import which internal formats there are at all, was half of what the
first texture of a program takes. Kept is what screens say that bear a name for it
(`PipeScreen.formats_name`): the cache's names change with our sources, so such a table is never
old. Others are asked by each process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.cache import object_cache

if TYPE_CHECKING:
    from pydri.pipe.interface import PipeScreen


def driver_table(screen: PipeScreen | None, finder: str) -> bytes:
    """What `find(screen)` of a module gives (screen None: of a driver that can do everything)."""
    name = screen.formats_name if screen is not None else ""
    key = f"{finder}\0{name}".encode()
    found = object_cache().get(key) if name else None
    if found is None:
        found = bytes(__import__(finder, fromlist=["find"]).find(screen))
        if name:
            object_cache().put(key, found)
    return found


__all__ = ["driver_table"]
