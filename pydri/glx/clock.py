# SPDX-License-Identifier: MIT
"""The clock of a display that has no refresh: 60 Hz on CLOCK_MONOTONIC.

Numbers are those of OML_sync_control: MSC counts refreshes, UST is when the last one happened, in
microseconds."""

from pydri.dri.drawable import REFRESH_NS
from pydri.util import clock


def msc_now() -> int:
    """The number of refreshes until now."""
    return clock.monotonic_ns() // REFRESH_NS


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
    clock.sleep_until_ns(msc * REFRESH_NS)
