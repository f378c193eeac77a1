# SPDX-License-Identifier: MIT
"""Native memory that Python owns: anonymous mappings, aligned to pages, freed when dropped.

Big blocks (surfaces, arenas, vertex streams) come from here rather than from malloc: fresh pages
are zero and cost nothing until they are touched."""

from __future__ import annotations

import ctypes
import mmap

LIMIT = 1 << 34  # one request above 16 GiB is refused: no framebuffer or draw call needs it


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
