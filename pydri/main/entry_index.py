# SPDX-License-Identifier: MIT
"""Which module each Python entry point is in, from the cache, so that only those are imported that
are called.

In: names of modules whose imports bring in all entries of some rooms. Out: rows in
`dispatch.ENTRY_MODULES`. Importing all takes 15 ms, which a program of few calls would pay for
nothing. The cache's names change with our sources, so an index is never old.
"""

from __future__ import annotations

from pydri.api import dispatch
from pydri.jit.cache import object_cache


def _rows(data: bytes) -> dict[str, str]:
    """Modules by entry points; nothing if a file of ours from elsewhere holds something else."""
    try:
        rows = dict(line.split(" ") for line in data.decode().splitlines())
    except ValueError:  # UnicodeDecodeError is one
        return {}
    return rows if all(module.startswith("pydri.") for module in rows.values()) else {}


def know_entries(*rooms: str) -> None:
    """Have the entries of rooms found."""
    key = b"entries\0" + " ".join(rooms).encode()
    rows = _rows(object_cache().get(key) or b"")
    if not rows:
        for room in rooms:
            __import__(room)
        lines = [f"{name} {module}" for name, module in dispatch.ORIGINS.items()]
        object_cache().put(key, "\n".join(lines).encode())
        return
    dispatch.ENTRY_MODULES.update(rows)


__all__ = ["know_entries"]
