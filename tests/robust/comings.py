# SPDX-License-Identifier: MIT
"""A Python program whose libGL lives in its own interpreter, so that it can count what stays.

comings.py LIBRARY: for each function of comings.c, a line with its name, the objects that only the
collector would free (they may hold native memory, of which it knows nothing), and the bytes a round
by which the process grows: a leak does so in each of some windows, what is used for the first time
(threads' arenas, a larger buffer) in one of them.
"""

import ctypes
import gc
import sys

ROUNDS = 40
WINDOWS, LITTLE = 4, 2048  # of them, until one grows by so few bytes a round


def main(path: str) -> None:
    """Print a line a function."""
    library = ctypes.CDLL(path)
    library.held.restype = ctypes.c_long
    library.begin()
    for name in ("displays", "contexts", "drawables", "egl_displays"):
        function = library[name]
        for _ in range(ROUNDS):
            function()
        gc.collect()
        gc.disable()
        grown = [_window(library, function)]
        circles = gc.collect()
        while grown[-1] > LITTLE and len(grown) < WINDOWS:
            grown.append(_window(library, function))
        print(name, circles, min(grown), flush=True)
        gc.enable()


def _window(library: ctypes.CDLL, function: "ctypes._NamedFuncPointer") -> int:
    """Bytes a round by which the process grows."""
    before = library.held()
    for _ in range(ROUNDS):
        function()
    return int(library.held() - before) // ROUNDS


main(sys.argv[1])
