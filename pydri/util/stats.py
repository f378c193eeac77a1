# SPDX-License-Identifier: MIT
"""Counters that kernels can increment: one native array of u64, `address("draws")` is where a
counter lives.

The array has three rows of `COUNT`: the running totals, the totals at the last swap, the totals at
the swap before. A swap (kernel or Python) copies row 1 to row 2 and row 0 to row 1; so the last
frame is row 1 minus row 2, and no Python is needed to take the snapshot. Increments are not atomic:
they are for people, and two threads that lose one in a million do not matter.

PYDRI_STATS=1 prints at exit. PYDRI_STATS=/a/file maps the array into that file: it survives any end
of the program (glxgears is only ever killed), and `read_file` shows it; `scripts/run --stats` works
that way. The file must be new, empty or one of counters: nothing else is written over.
"""

import ctypes
import os

from pydri.util import log
from pydri.util.options import options

NAMES = (
    "python_entries",
    "draws",
    "vertices",
    "primitives",
    "pipelines_compiled",
    "kernels_compiled",
    "cache_hits",
    "frames",
    "bytes_presented",
    "plan_misses",
)
COUNT = 16  # a row is two cache lines; spare counters are zero
_MAGIC = 0x5354415453495259  # first word of a counter file
_Array = ctypes.c_uint64 * (3 * COUNT + 1)


def _allocate() -> "ctypes.Array[ctypes.c_uint64]":
    path = options.PYDRI_STATS
    if "/" not in path:
        return _Array()
    import mmap

    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        with open(os.open(path, flags, 0o666), "r+b", buffering=0) as file:
            size = ctypes.sizeof(_Array)
            old = file.read(size + 1) or b""
            if old and (len(old) != size or int.from_bytes(old[-8:], "little") != _MAGIC):
                raise OSError(0, "a file, and not one of counters")
            file.seek(0)
            file.write(bytes(size))  # not cut off and grown: another process may have it mapped
            return _Array.from_buffer(mmap.mmap(file.fileno(), ctypes.sizeof(_Array)))
    except OSError as problem:
        log.warning(f"PYDRI_STATS={path}: {problem.strerror}; counters stay in memory")
        return _Array()


ARRAY = _allocate()
ARRAY[3 * COUNT] = _MAGIC
BASE = ctypes.addressof(ARRAY)
_VIEW = memoryview(ARRAY).cast("B")
INDEX = {name: i for i, name in enumerate(NAMES)}


def address(name: str) -> int:
    """Where the running total lives, for a kernel's `ptr(u64)`."""
    return BASE + 8 * INDEX[name]


def add(name: str, amount: int = 1) -> None:
    """Count from Python."""
    ARRAY[INDEX[name]] += amount


def frame() -> None:
    """End of a frame, counted and snapshot: what the swap kernel does natively at `BASE`. Copied by
    Python itself, which holds its lock: ctypes' functions let other threads' frames in between.
    """
    ARRAY[INDEX["frames"]] += 1
    row = 8 * COUNT
    _VIEW[2 * row : 3 * row] = _VIEW[row : 2 * row]
    _VIEW[row : 2 * row] = _VIEW[:row]


def _rows(array: "ctypes.Array[ctypes.c_uint64]") -> dict[str, dict[str, int]]:
    total = {name: int(array[i]) for name, i in INDEX.items()}
    last = {name: int(array[COUNT + i]) - int(array[2 * COUNT + i]) for name, i in INDEX.items()}
    return {"total": total, "last_frame": last}


def stats() -> dict[str, dict[str, int]]:
    """{"total": {...}, "last_frame": {...}}, counter by counter; also `pydri.stats()`."""
    return _rows(ARRAY)


def read_file(path: str) -> dict[str, dict[str, int]]:
    """The counters of a program that ran with PYDRI_STATS=path, also while it runs."""
    with open(path, "rb") as file:
        array = _Array.from_buffer_copy(file.read())
    if array[3 * COUNT] != _MAGIC:
        raise ValueError(f"{path} holds no counters")
    return _rows(array)


def format_stats(counters: dict[str, dict[str, int]]) -> str:
    """The table that PYDRI_STATS=1 prints."""
    lines = [f"pydri stats: {'':<20} {'total':>16} {'last frame':>14}"]
    for name in NAMES:
        total, last = counters["total"][name], counters["last_frame"][name]
        lines.append(f"pydri stats: {name:<20} {total:>16,} {last:>14,}")
    return "\n".join(lines)


def print_at_exit() -> None:
    """Called once when the program ends."""
    text = options.PYDRI_STATS
    if text and text != "0" and "/" not in text:
        log.note(format_stats(stats()))
