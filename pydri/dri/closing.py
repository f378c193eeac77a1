# SPDX-License-Identifier: MIT
"""How fronts hear that the program has closed a `Display`.

In: a Display.  Out: memory that is not 0 while it is open.  Xlib frees its own list of extension
data with the Display and calls a function of each entry: ours is a kernel that zeroes a word which
lives on here.  So nobody has to read the memory of a Display that may be gone, and another one at
the same address is told apart.  All fronts share one word a Display.  Also their lock: threads that
begin at the same time must find one display, made once.
"""

from _thread import RLock
from typing import Any

from pydri.jit import Struct, i32, kernel, ptr, u64, void
from winsys_x11.xlib import address, ffi, libs

DISPLAY_LOCK = RLock()
_TOKEN = 0x70796472  # "pydr": the number of our entry in a display's extension data
_watched: dict[int, Any] = {}  # by address: what Xlib still knows of


class _ExtData(Struct):
    """XExtData of Xlib.h."""

    number = i32
    next = ptr(void)
    free_private = ptr(void)
    private_data = ptr(u64)


@kernel(i32, (ptr(_ExtData),))
def dri_display_closed(b: Any, entry: Any) -> None:
    """XExtData.free_private: note that the Display is no more."""
    entry.private_data[0] = 0
    b.Return(0)


def watch_display(display: Any, closed: int) -> Any:
    """Return memory (uint64_t *) that is not 0 until Xlib closes the Display; `closed` is the
    address of `dri_display_closed` in an image of the front.
    """
    with DISPLAY_LOCK:
        heads = libs().x11.XEHeadOfExtensionList(display)
        entry = libs().x11.XFindOnExtensionList(heads, _TOKEN)
        if entry != ffi.NULL:
            return _watched[address(entry.private_data)]
        entry = ffi.cast("XExtData *", libs().c.calloc(1, ffi.sizeof("XExtData")))
        alive = ffi.new("uint64_t *", 1)
        for where in [where for where, word in _watched.items() if not word[0]]:
            del _watched[where]  # closed: whoever still asks has the word
        _watched[address(alive)] = alive
        entry.number = _TOKEN
        entry.private_data = alive
        entry.free_private = ffi.cast("int (*)(XExtData *)", closed)
        libs().x11.XAddToExtensionList(heads, entry)
        return alive
