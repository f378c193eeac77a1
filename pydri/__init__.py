# SPDX-License-Identifier: MIT
"""pydri: an OpenGL driver whose compiler is Python and whose data plane is the machine code it
emits.

Nothing is imported here: the package is on the start-up path of every program that draws. The way
of a call is in docs/contracts.md; `pydri.stats()` are the counters of this process.
"""

__version__ = "0.1.0"


def stats() -> dict[str, dict[str, int]]:
    """Counters of this process: {"total": {...}, "last_frame": {...}} (see pydri/util/stats.py)."""
    from pydri.util.stats import stats as counters

    return counters()
