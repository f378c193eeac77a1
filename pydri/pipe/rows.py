# SPDX-License-Identifier: MIT
"""Rows of bytes from one memory to another, as fast as the memory is.

In: addresses, bytes a row, rows, steps. Out: a kernel. What images need beside memcpy: their rows
are neither one block (the skirt lies between them) nor aligned like each other, and libc's memcpy
is at its slowest there: for a few KiB it takes `rep movsb`, which on AMD is slower than vectors by
a tenth to a third, the more so the less the two sides are aligned alike. Vectors of 256 bits are
faster than those of 512 by some percent where a side is not aligned, since fewer of them straddle
two cache lines.
"""

from __future__ import annotations

from typing import Any

from pydri.jit.kernel import kernel
from pydri.jit.types import i64, ptr, u8, u32, u64, void

_VECTOR = u8.vec(32)
_SIZE, _AT_ONCE = 32, 4

#: destination, source, bytes a row, rows, bytes from row to row of both, bytes that each row of the
#: destination repeats behind its end of its beginning
MOVE = (ptr(u8), ptr(u8), u64, u64, i64, i64, u32)


@kernel(void, (ptr(u8), ptr(u8), u64), inline=True, noalias=(0, 1))
def move_bytes(b: Any, dst: Any, src: Any, size: Any) -> None:
    """Copy bytes: vectors whose stores are aligned, the first and the last of which may overlap
    their neighbours."""
    with b.If(size < 2 * _SIZE):
        b.memcpy(dst, src, size)
        b.Return()
    dst.store(src.load(_VECTOR, align=1), align=1)
    at = b.var(u64, _SIZE - (b.ptr_to_int(dst) & (_SIZE - 1)))

    def move(vectors: int) -> None:
        parts = [(src + at.value + n * _SIZE).load(_VECTOR, align=1) for n in range(vectors)]
        for n, part in enumerate(parts):
            (dst + at.value + n * _SIZE).store(part, align=_SIZE)
        at.value = at.value + vectors * _SIZE

    with b.While(lambda: at.value + _AT_ONCE * _SIZE <= size):
        move(_AT_ONCE)
    for vectors in (2, 1):  # no loop: LLVM would make a call of memcpy of it
        with b.If(at.value + vectors * _SIZE <= size):
            move(vectors)
    last = size - _SIZE
    (dst + last).store((src + last).load(_VECTOR, align=1), align=1)


@kernel(void, MOVE, noinline=True, noalias=(0, 1))
def move_rows(b: Any, dst: Any, src: Any, size: Any, rows: Any, dst_step: Any, src_step: Any,
              repeat: Any) -> None:  # fmt: skip
    """Copy rows of `size` bytes; those without gaps on either side are one. `repeat` is for skirts:
    while a row is in the processor's cache they cost nothing."""
    step = b.cast(size, i64)
    with b.If((dst_step == step) & (src_step == step)):
        b.call(move_bytes, dst, src, size * rows)
        b.Return()
    to, come = b.var(ptr(u8), dst), b.var(ptr(u8), src)
    with b.For(b.const(u64, 0), rows):
        b.call(move_bytes, to.value, come.value, size)
        with b.If(repeat == 4):
            end = b.bytes_from(to.value, size, u8)
            end.cast(ptr(u32)).store(to.value.cast(ptr(u32)).load(align=1), align=1)
        with b.Else():
            with b.If(repeat != 0):
                b.memcpy(b.bytes_from(to.value, size, u8), to.value, repeat)
        to.value = b.bytes_from(to.value, dst_step, u8)
        come.value = b.bytes_from(come.value, src_step, u8)


__all__ = ["move_rows"]
