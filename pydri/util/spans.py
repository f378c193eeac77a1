# SPDX-License-Identifier: MIT
"""What compiling consists of: milliseconds by part, printed at the end with PYDRI_DEBUG=spans.

In: `with span("name"):` around the parts of the work. Out: a line a part on stderr. A span within
another one counts for itself alone, so that the parts add up; so does each thread's. Switched off
it costs a look at a variable.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Iterator

from pydri.util import clock, log
from pydri.util.options import options

_total: dict[str, list[float]] = {}
_lock = threading.Lock()
_inside = threading.local()
_on: bool | None = None


class _Nothing:
    """A `with` that does nothing."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


_NOTHING = _Nothing()


def span(name: str) -> contextlib.AbstractContextManager[None]:
    """Time of what is done within, under a name."""
    global _on
    if _on is None:
        _on = "spans" in options.PYDRI_DEBUG
        if _on:
            atexit.register(_print)
    return _measured(name) if _on else _NOTHING


@contextlib.contextmanager
def _measured(name: str) -> Iterator[None]:
    outer: list[float] | None = getattr(_inside, "parts", None)
    parts: list[float] = []
    _inside.parts = parts
    begin = clock.monotonic()
    try:
        yield
    finally:
        spent = clock.monotonic() - begin
        _inside.parts = outer
        if outer is not None:
            outer.append(spent)
        beside = threading.current_thread().name.startswith("pydri-")
        where = f"{name} (beside)" if beside else name
        with _lock:
            row = _total.setdefault(where, [0.0, 0])
            row[0] += spent - sum(parts)
            row[1] += 1


def _print() -> None:
    for name, (seconds, count) in sorted(_total.items(), key=lambda item: -item[1][0]):
        log.note(f"span {name}: {1e3 * seconds:.1f} ms, {count:.0f} times")


__all__ = ["span"]
