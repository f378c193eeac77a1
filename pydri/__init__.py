# SPDX-License-Identifier: MIT
"""pydri: an OpenGL driver whose compiler is Python and whose data plane is the machine code it
emits.

Nothing is imported here: the package is on the start-up path of every program that draws. The way
of a call is in docs/contracts.md; `pydri.stats()` are the counters of this process; `pydri.load()`
makes a Python program that draws with PyOpenGL, moderngl or ctypes draw on this driver.
"""

__version__ = "0.1.0"


def stats() -> dict[str, dict[str, int]]:
    """Counters of this process: {"total": {...}, "last_frame": {...}} (see pydri/util/stats.py)."""
    from pydri.util.stats import stats as counters

    return counters()


def load() -> str:
    """Make this process draw on this driver: the libraries are loaded, and who opens `libGL.so.1`
    later gets them. To be called before a GL library is imported; RuntimeError if one is loaded.

    Returns the folder of the libraries.
    """
    from pydri.tools.load import load as load_libraries

    return load_libraries()
