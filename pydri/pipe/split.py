# SPDX-License-Identifier: MIT
"""Rows of pixels in parts, for the threads that a driver has idle (`PipeNative.split`).

In: how much there is to do, in bytes of a plain copy that take as long. Out: rows a part, or all of
them in one where waking a thread would cost more than it brings."""

from __future__ import annotations

from typing import Any

from pydri.jit.kernel import Kernel
from pydri.jit.types import u32, u64

PART_BYTES = 128 << 10  # a part: some three microseconds
LEAST_BYTES = 4 * PART_BYTES  # what is worth to be divided


def rows_a_part(b: Any, rows: Any, cost: Any) -> Any:
    """How many of so many rows (u32) make a part, by what each costs (u64)."""
    few = b.cast(PART_BYTES // b.max(cost, b.const(u64, 1)) + 1, u32)
    large = b.cast(rows, u64) * cost >= LEAST_BYTES
    return b.select(large, b.min(few, rows), rows)


def in_parts(b: Any, pipe: Any, work: Kernel, argument: Any, count: Any) -> None:
    """Emit: work(argument, n) for each n below count, in any order; all are done behind this."""
    with b.If(count == 1, likely=True):
        b.call(work, argument, b.const(u32, 0))
    with b.Else():
        split = pipe.split
        with b.If(split != b.const(split.ty, None)):
            b.call(split, pipe, b.address_of(work), argument, count)
        with b.Else(), b.For(b.const(u32, 0), count) as n:
            b.call(work, argument, n)


__all__ = ["in_parts", "rows_a_part"]
