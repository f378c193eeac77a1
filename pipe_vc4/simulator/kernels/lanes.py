# SPDX-License-Identifier: MIT
"""Types of sixteen lanes, floats without denormal numbers, and reads of memory that are checked."""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipe_vc4.simulator.kernels.layout import LANES, Vc4Memory
from pydri.jit.fpstate import C, Floats
from pydri.jit.types import Ptr, f32, f64, i32, i64, ptr, u32

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Operand, Pointer, Value

#: denormal numbers are flushed by the code itself, as numpy's does it: MXCSR would round first
PLAIN = Floats(C, False)
U: Final = u32.vec(LANES)
I: Final = i32.vec(LANES)  # noqa: E741
F: Final = f32.vec(LANES)
D: Final = f64.vec(LANES)
L: Final = i64.vec(LANES)
WORD: Ptr[Pointer] = ptr(u32)
SIGNED: Ptr[Pointer] = ptr(i32)
_EXPONENT, _SIGN = 0x7F800000, 0x80000000


def flush(b: Builder, bits: Value) -> Value:
    """Words with denormal numbers replaced by zeros of their signs."""
    return b.select((bits & _EXPONENT) == 0, bits & _SIGN, bits)


def as_floats(b: Builder, bits: Value) -> Value:
    """The numbers that words are, denormal ones as zeros."""
    return b.bitcast(flush(b, bits), f32)


def as_words(b: Builder, numbers: Value) -> Value:
    """The words of numbers, denormal ones as zeros."""
    return flush(b, b.bitcast(numbers, u32))


def uniform(b: Builder, value: Operand) -> Value:
    """A word in all lanes."""
    return b.const(U, value) if isinstance(value, (int, float)) else b.splat(value, LANES)


def nan_to_num(b: Builder, x: Value) -> Value:
    """Doubles: no numbers as 0, infinities as the largest numbers."""
    most = 1.7976931348623157e308
    x = b.select(x != x, b.const(x.ty, 0.0), x)
    return b.select(x > most, most, b.select(x < -most, -most, x))


def allowed(b: Builder, memory: Vc4Memory, addresses: Value) -> Value:
    """In which lanes an address (32 bits) lies in a buffer."""
    page = addresses >> 12
    there = page < memory.pages
    limits = b.gather(memory.limits, b.cast(page, i32), there)
    return (addresses & 4095) < limits


def words_at(b: Builder, memory: Vc4Memory, addresses: Value, mask: Value) -> Value:
    """The 32-bit words around addresses in the lanes of `mask`; the others give 0."""
    return b.gather(memory.bytes.cast(WORD), b.cast(addresses >> 2, i32), mask)


def one_allowed(b: Builder, memory: Vc4Memory, address: Value) -> Value:
    """Whether one address (64 bits) lies in a buffer."""
    page = b.var(u32, 0)
    good = b.cast(address, i64)
    inside = (good >= 0) & (good < b.cast(memory.pages, i64) * 4096)
    with b.If(inside):
        at = memory.limits[b.cast(good >> 12, u32)]
        page.value = b.cast(b.cast(good & 4095, u32) < at, u32)
    return page.value != 0


__all__ = [
    "D", "F", "I", "L", "PLAIN", "SIGNED", "U", "WORD", "allowed", "as_floats", "as_words", "flush",
    "nan_to_num", "one_allowed", "uniform", "words_at",
]  # fmt: skip
