# SPDX-License-Identifier: MIT
"""The clock of a display, on CLOCK_MONOTONIC: at the rate that the display names, else at 60 Hz.

Numbers are those of OML_sync_control: MSC counts refreshes, UST is when the last one happened, in
microseconds. A rate is refreshes a second as a fraction (DriDrawable.clock_rate)."""

from pydri.dri.base import NS
from pydri.util import clock

Rate = tuple[int, int]


def msc_now(rate: Rate) -> int:
    """The number of refreshes until now."""
    return clock.monotonic_ns() * rate[0] // (rate[1] * NS)


def _ns_of(msc: int, rate: Rate) -> int:
    """When a refresh happens: the first nanosecond at which msc_now gives this number."""
    return -(-msc * rate[1] * NS // rate[0])


def ust_of(msc: int, rate: Rate) -> int:
    """When a refresh happened, in microseconds."""
    return _ns_of(msc, rate) // 1000


def next_msc(now: int, target: int, divisor: int, remainder: int) -> int:
    """The MSC that a call with these arguments waits for (OML_sync_control); `now` if for none."""
    if now < target:
        return target
    if not divisor:
        return now
    later = now - now % divisor + remainder
    return later if later > now else later + divisor


def sleep_until(msc: int, rate: Rate) -> None:
    """Return at a refresh, or at once if it was."""
    clock.sleep_until_ns(_ns_of(msc, rate))
