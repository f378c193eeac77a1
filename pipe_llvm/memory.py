# SPDX-License-Identifier: MIT
"""Native memory that Python owns: anonymous mappings, aligned to pages, freed when dropped.

Big blocks (surfaces, arenas, vertex streams) come from here rather than from malloc: fresh pages
are zero and cost nothing until they are touched."""

from __future__ import annotations

import ctypes
import mmap
import os

LIMIT = 1 << 34  # one request above 16 GiB is refused: no framebuffer or draw call needs it


#: of what a scene records: as much as pays for going through a surface's tiles once more, and where
#: a larger cache gains nothing
_LEAST_RECORDED, _MOST_RECORDED = 3 << 17, 3 << 19


def scene_bytes() -> int:
    """After how many bytes a scene is handed over: what is recorded is written and soon read again,
    and should still be in the second level of the cache then, beside a tile's pixels."""
    try:
        cache = os.sysconf("SC_LEVEL2_CACHE_SIZE")
    except (OSError, ValueError):  # a C library that does not tell
        cache = 0
    if cache <= 0:
        return _MOST_RECORDED
    return min(max(cache * 3 // 4, _LEAST_RECORDED), _MOST_RECORDED)


class Block:
    """`size` bytes at `address`, page-aligned and zero. Raises MemoryError where the system
    refuses.
    """

    __slots__ = ("_map", "_view", "address", "size")

    def __init__(self, size: int) -> None:
        if not 0 < size <= LIMIT:
            raise MemoryError(f"{size} bytes of native memory")
        try:
            self._map = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, ValueError, OverflowError) as error:
            raise MemoryError(f"{size} bytes of native memory: {error}") from None
        self._view = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._view)
        self.size = size

    def free(self) -> None:
        """Give the memory back; nothing may point into it any more."""
        if self.address:
            self.address = 0
            del self._view
            self._map.close()
