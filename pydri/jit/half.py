# SPDX-License-Identifier: MIT
"""Conversion of 16-bit floats, with the same bits on every CPU.

f16 is a storage type: it is loaded, stored and converted, never computed with. With vectors of
256 bits and more the CPU has instructions for that (F16C); at 128 bits LLVM would call a function
of compiler-rt that no process has, so the conversion is spelled out in integers here. Rounding is
to nearest even; NaNs stay NaNs with the upper bits of their payload, quieted, as the instruction
does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.types import Type, Vec, element, f16, f32, f64, i32, u16, u32

if TYPE_CHECKING:
    from pydri.jit.emitter import Emitter
    from pydri.jit.values import Value

_HALF_INFINITY = 0x7C00


def convert(b: Emitter, x: Value, to: Type) -> Value:
    """`b.cast` where f16 is on one side; `to` has as many lanes as `x`."""
    target = element(to)
    if target is f16:
        if x.elem is f64:
            raise TypeError(
                "f64 to f16 would have to round once; write b.cast(b.cast(x, f32), f16)"
            )
        # a whole number that float32 cannot hold is beyond the largest f16 anyway
        return _narrow(b, b.cast(x, f32), to)
    wide = _widen(b, x, f32.vec(to.lanes) if isinstance(to, Vec) else f32)
    return b.cast(wide, target)


def _narrow(b: Emitter, x: Value, to: Type) -> Value:
    if b.module.width > 128:
        return b.emit(f"fptrunc {x.ty.ir} {x.ref} to {to.ir}", to)
    word = b.bitcast(x, u32)
    a = word & 0x7FFFFFFF
    normal = (a + (((a >> 13) & 1) + (0xFFF - (112 << 23) & 0xFFFFFFFF))) >> 13
    # adding 1/2 pushes a denormal's bits to where the low end of the sum rounds them
    small = b.bitcast(b.bitcast(a, f32) + 0.5, u32) - 0x3F000000
    out = b.select(a < 0x38800000, small, normal)
    out = b.select(a >= 0x477FF000, _HALF_INFINITY, out)
    out = b.select(a > 0x7F800000, ((a >> 13) & 0x3FF) | 0x7E00, out)
    return b.bitcast(b.cast(out | ((word >> 16) & 0x8000), u16), to)


def _widen(b: Emitter, x: Value, to: Type) -> Value:
    if b.module.width > 128:
        return b.emit(f"fpext {x.ty.ir} {x.ref} to {to.ir}", to)
    half = b.cast(b.bitcast(x, u16), u32)
    a = (half & 0x7FFF) << 13
    # a denormal is a whole number of 2^-24: it is never one of 32 bits, which may count as zero
    small = b.bitcast(b.cast(b.bitcast(half & 0x3FF, i32), f32) * 2.0**-24, u32)
    finite = b.select(a < 1 << 23, small, a + (112 << 23))
    out = b.select(a >= _HALF_INFINITY << 13, a | 0x7F800000, finite)
    out = b.select(a > _HALF_INFINITY << 13, out | 0x400000, out)
    return b.bitcast(out | ((half & 0x8000) << 16), to)
