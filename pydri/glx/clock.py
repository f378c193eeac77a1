# SPDX-License-Identifier: MIT
"""The clock of a display that has no refresh: 60 Hz on CLOCK_MONOTONIC.

Numbers are those of OML_sync_control: MSC counts refreshes, UST is when the last one happened, in
microseconds."""

import time

from pydri.dri.drawable import REFRESH_NS


def msc_now() -> int:
    """The number of refreshes until now."""
    return time.monotonic_ns() // REFRESH_NS


def ust_of(msc: int) -> int:
    """When a refresh happened, in microseconds."""
    return msc * REFRESH_NS // 1000


def next_msc(now: int, target: int, divisor: int, remainder: int) -> int:
    """The MSC that a call with these arguments waits for (OML_sync_control); `now` if for none."""
    if now < target:
        return target
    if not divisor:
        return now
    later = now - now % divisor + remainder
    return later if later > now else later + divisor


def sleep_until(msc: int) -> None:
    """Return at a refresh, or at once if it was."""
    left = msc * REFRESH_NS - time.monotonic_ns()
    while left > 0:
        time.sleep(left / 1e9)
        left = msc * REFRESH_NS - time.monotonic_ns()
