# SPDX-License-Identifier: MIT
"""Sleeping on a word of memory, and waking who sleeps there (futex(2), within the process)."""

from __future__ import annotations

from typing import Any

from pydri.jit import extern_c, i64

FUTEX = 202  # SYS_futex on x86-64
FUTEX_WAIT, FUTEX_WAKE = 128, 129  # private
EVERYBODY = 0x7FFFFFFF
syscall = extern_c("syscall", i64, i64, varargs=True)


def _futex(b: Any, place: Any, operation: int, value: Any) -> None:
    none = b.const(i64, 0)
    b.call(syscall, FUTEX, place, b.const(i64, operation), value, none, none, none)


def futex_wait(b: Any, place: Any, value: Any) -> None:
    """Emit: sleep while *place == value (wakes spuriously)."""
    _futex(b, place, FUTEX_WAIT, value)


def futex_wake(b: Any, place: Any, number: Any = EVERYBODY) -> None:
    """Emit: wake so many of those who sleep on the word."""
    _futex(b, place, FUTEX_WAKE, b.cast(number, i64) if number is not EVERYBODY
           else b.const(i64, number))  # fmt: skip


__all__ = ["EVERYBODY", "futex_wait", "futex_wake"]
