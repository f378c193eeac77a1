# SPDX-License-Identifier: MIT
"""Vector operations of samplers that LLVM has as intrinsics of one register's width alone, and
shuffles of 128-bit parts. All give the same bits at 512, 256 and 128 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.types import Vec, boolean, f32, i8, i16, i32, u8, u16, u32, u64
from pydri.jit.x86 import in_registers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydri.jit import Builder, Value
    from pydri.jit.x86 import Forms

f32x16, i32x16, u32x16, mask16 = f32.vec(16), i32.vec(16), u32.vec(16), boolean.vec(16)
u8x64, i8x64, i16x32, u16x32 = u8.vec(64), i8.vec(64), i16.vec(32), u16.vec(32)
u16x16, u64x8 = u16.vec(16), u64.vec(8)

#: the lane of each quad that stands in its upper left corner, for each lane of a stamp
QUAD = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3]
#: the first lane of each quad
QUAD_FIRST = [0, 2, 8, 10]
#: for each lane the first lane of its quad, that to the right of it, and that below it
FIRST = [QUAD_FIRST[q] for q in QUAD]
RIGHT, BELOW = [n + 1 for n in FIRST], [n + 4 for n in FIRST]


def lanes(v: Value) -> int:
    """How many lanes a vector has."""
    assert isinstance(v.ty, Vec)
    return v.ty.lanes


_MADDUBS: Forms = {
    512: ("llvm.x86.avx512.pmaddubs.w.512", ()),
    256: ("llvm.x86.avx2.pmadd.ub.sw", ()),
    128: ("llvm.x86.ssse3.pmadd.ub.sw.128", ()),
}
_MADDWD: Forms = {
    512: ("llvm.x86.avx512.pmaddw.d.512", ()),
    256: ("llvm.x86.avx2.pmadd.wd", ()),
    128: ("llvm.x86.sse2.pmadd.wd", ()),
}
_MULHRS: Forms = {
    512: ("llvm.x86.avx512.pmul.hr.sw.512", ()),
    256: ("llvm.x86.avx2.pmul.hr.sw", ()),
    128: ("llvm.x86.ssse3.pmul.hr.sw.128", ()),
}


def multiply_add_bytes(b: Builder, x: Value, y: Value) -> Value:
    """Unsigned bytes of x times signed bytes of y, pairs added: 32 words (sums fit)."""
    return in_registers(b, _MADDUBS, i16x32, b.bitcast(x, u8x64), b.bitcast(y, i8x64))


def multiply_add_words(b: Builder, x: Value, y: Value) -> Value:
    """Signed words times signed words, pairs added: 16 dwords."""
    return in_registers(b, _MADDWD, i32x16, b.bitcast(x, i16x32), b.bitcast(y, i16x32))


def multiply_high(b: Builder, x: Value, y: Value) -> Value:
    """Signed words times signed words, divided by 32768 and rounded: 32 words."""
    return in_registers(b, _MULHRS, i16x32, x, y)


def in_lanes(b: Builder, x: Value, y: Value, pattern: Sequence[int]) -> Value:
    """Dwords shuffled within each 128 bits: 0 to 3 of x, 4 to 7 of y."""
    return b.shuffle(
        x, y, [4 * part + (p if p < 4 else 12 + p) for part in range(4) for p in pattern]
    )


def transpose(b: Builder, z: Sequence[Value]) -> list[Value]:
    """z[j] has in its 128-bit part L four dwords of lane 4 L + j. Gives each of the four dwords, of
    lanes in order."""
    a0, a1 = in_lanes(b, z[0], z[1], [0, 4, 1, 5]), in_lanes(b, z[0], z[1], [2, 6, 3, 7])
    c0, c1 = in_lanes(b, z[2], z[3], [0, 4, 1, 5]), in_lanes(b, z[2], z[3], [2, 6, 3, 7])
    return [
        in_lanes(b, a0, c0, [0, 1, 4, 5]),
        in_lanes(b, a0, c0, [2, 3, 6, 7]),
        in_lanes(b, a1, c1, [0, 1, 4, 5]),
        in_lanes(b, a1, c1, [2, 3, 6, 7]),
    ]


def byte_everywhere(b: Builder, x: Value) -> Value:
    """The lowest byte of each dword, in all of its bytes."""
    return b.shuffle(b.bitcast(x, u8x64), None, [n & ~3 for n in range(64)])


def byte_pattern(b: Builder, pattern: Sequence[int]) -> Value:
    """64 bytes that repeat a pattern."""
    return b.const(u8x64, [pattern[n % len(pattern)] for n in range(64)])
