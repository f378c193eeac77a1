# SPDX-License-Identifier: MIT
"""Native memory for contexts and buffer objects: 64-byte aligned, from malloc, so that its life is
ours to say.

Vector loads may reach up to 64 bytes beyond the last byte of a buffer: every block has that slack.
"""

import ctypes

ALIGN = 64
SLACK = 64

_libc = ctypes.CDLL(None)
_aligned_alloc = _libc.aligned_alloc
_aligned_alloc.restype = ctypes.c_void_p
_aligned_alloc.argtypes = (ctypes.c_size_t, ctypes.c_size_t)
_free = _libc.free
_free.restype = None
_free.argtypes = (ctypes.c_void_p,)


def allocate(size: int, zero: bool = True) -> int:
    """Address of `size` bytes (and the slack); MemoryError if the system has none."""
    total = (size + SLACK + ALIGN - 1) // ALIGN * ALIGN
    address = _aligned_alloc(ALIGN, total)
    if not address:
        raise MemoryError(f"{size} bytes")
    if zero:
        ctypes.memset(address, 0, total)
    return int(address)


def free(address: int) -> None:
    """Give a block back; 0 is ignored."""
    if address:
        _free(address)
