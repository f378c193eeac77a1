# SPDX-License-Identifier: MIT
"""Rows of pixels from one memory to another, 16 a step, through a conversion of registers.

In: addresses, steps from row to row, a Python function that emits what becomes of 16 pixels. Out:
loops that touch no byte beyond the pixels of either side. Linear rows and rows of surfaces in stamp
order; which conversions there are is read_kernels.py's and pixels/bytes.py's affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import Struct, fn, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.pipe.split import in_parts, rows_a_part
from pydri.st.pixels.rows import LANES

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.pipe.native import PipeNative

U32X16 = u32.vec(LANES)
#: destination, source, pixels a row, rows, bytes from row to row of both, a number
ROWS = (ptr(u8), ptr(u8), i64, i64, i64, i64, u32)
#: destination, surface, columns [x0, x1), first row, rows, bytes a row, pitch, 1 or -1, samples
STAMP_ROWS = (ptr(u8), ptr(u8), i64, i64, i64, i64, i64, i64, i64, i64)


class RowsJob(Struct):
    """Rows that a kernel with the parameters ROWS copies, `part` of them at a time."""

    copy = fn(void, *ROWS)
    dst = ptr(u8)
    src = ptr(u8)
    count = i64
    rows = i64
    dst_step = i64
    src_step = i64
    part = i64
    number = u32


@kernel(void, (ptr(void), u32), noinline=True)
def st_copy_part(b: Builder, argument: Pointer, number: Value) -> None:
    """A part of the rows."""
    job = argument.cast(ptr(RowsJob))
    first = b.cast(number, i64) * job.part
    rows = b.min(job.part, job.rows - first)
    b.call(job.copy, job.dst + first * job.dst_step, job.src + first * job.src_step, job.count,
           rows, job.dst_step, job.src_step, job.number)


def rows_in_parts(b: Builder, pipe: PipeNative, job: RowsJob, size_in: Operand,
                  size_out: Operand) -> None:  # fmt: skip
    """Emit: do a job whose `part` is open, in parts where that pays; bytes a pixel of both sides.
    """
    rows = b.cast(job.rows, u32)
    part = rows_a_part(b, rows, b.cast(job.count * size_in, u64))
    step = b.max(job.dst_step, -job.dst_step)
    part = b.select(job.count * size_out > step, rows, part)  # rows that share bytes have an order
    job.part = b.cast(part, i64)
    in_parts(b, pipe, st_copy_part, job.cast(ptr(void)), (rows + part - 1) // part)


def store_parts(place: Any, value: Any) -> None:
    """One vector, or several that follow each other in memory."""
    for part in value if isinstance(value, list) else [value]:
        place.store(part, align=1)
        place = place.b.bytes_from(place, part.ty.size, u8)


def copy_rows(b: Builder, dst: Any, src: Any, count: Any, rows: Operand, dst_step: Operand,
              src_step: Operand, size_in: int, size_out: int, convert: Any) -> None:  # fmt: skip
    """`rows` rows of `count` pixels: convert(address of 16) gives what store_parts stores; a row's
    rest goes through a buffer, so that neither side is touched beyond its pixels."""
    rest = b.array(u8, LANES * max(size_in, size_out), align=64)
    with b.For(0, rows) as row:
        to = b.bytes_from(dst, row * dst_step, u8)
        source = b.bytes_from(src, row * src_step, u8)
        whole = count & -LANES
        with b.For(0, whole, LANES) as at:
            store_parts(to + at * size_out, convert(source + at * size_in))
        with b.If(whole != count):
            left = count - whole
            b.memcpy(rest, source + whole * size_in, left * size_in)
            store_parts(rest, convert(rest))
            b.memcpy(to + whole * size_out, rest, left * size_out)


def stamp_kernel(name: str, bytes_: int, size_out: int, convert: Any) -> Any:
    """Rows of a depth/stencil surface in stamp order (Surface.layout 1), 16 pixels of `bytes_` a
    step; of several samples the first, as in Mesa. `convert(b, words as u32)` gives what
    store_parts stores, `size_out` bytes a pixel."""
    word = {1: u8, 2: u16, 4: u32}[bytes_]

    @kernel(ret=void, args=STAMP_ROWS, name=name, noinline=True, noalias=(0, 1))
    def copy(b: Builder, dst: Pointer, src: Pointer, x0: Value, x1: Value, y: Value, rows: Value,
             dst_step: Value, pitch: Value, y_step: Value, samples: Value) -> None:  # fmt: skip
        words = b.array(word, LANES, align=64)
        rest = b.array(u8, LANES * size_out, align=64)
        stamp = samples * (16 * bytes_)
        with b.For(0, rows) as n:
            to = b.bytes_from(dst, n * dst_step, u8)
            row = y + n * y_step
            source = b.bytes_from(src, (row >> 2) * 4 * pitch + (row & 3) * (4 * bytes_), u8)

            def four(x: Value, source: Pointer = source) -> Any:
                place = b.bytes_from(source, (x >> 2) * stamp, word)
                return place.load(word.vec(4), align=4 * bytes_)

            with b.For(x0 & -4, x1, LANES) as x:
                with b.If((x >= x0) & (x + LANES <= x1)):
                    low, high = (
                        b.shuffle(four(x + k), four(x + k + 4), list(range(8))) for k in (0, 8)
                    )
                    v = b.cast(b.shuffle(low, high, list(range(16))), u32)
                    store_parts(to + (x - x0) * size_out, convert(b, v))
                with b.Else():  # stamps that the row ends in: only their own pixels
                    end, skip = b.min(x + LANES, x1), b.max(x0 - x, 0)
                    with b.For(x, end, 4) as at:
                        (words + (at - x)).store(four(at))
                    store_parts(rest, convert(b, b.cast(words.load(word.vec(LANES)), u32)))
                    first = x + skip
                    b.memcpy(to + (first - x0) * size_out, rest + skip * size_out,
                             (end - first) * size_out)

    return copy


__all__ = [
    "ROWS", "STAMP_ROWS", "U32X16", "RowsJob", "copy_rows", "rows_in_parts", "stamp_kernel",
    "store_parts",
]  # fmt: skip
