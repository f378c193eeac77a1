# SPDX-License-Identifier: MIT
"""A Python program whose libGL lives in its own interpreter, so that it can count what stays.

comings.py LIBRARY: for each function of comings.c, a line with its name, the objects that only the
collector would free (they may hold native memory, of which it knows nothing), and the bytes a round
by which the process grows.
"""

import ctypes
import gc
import sys

ROUNDS = 40


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
        before = library.held()
        for _ in range(ROUNDS):
            function()
        grown = (library.held() - before) // ROUNDS
        print(name, gc.collect(), grown, flush=True)
        gc.enable()


main(sys.argv[1])
