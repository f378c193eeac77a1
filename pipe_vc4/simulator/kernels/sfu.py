# SPDX-License-Identifier: MIT
"""The special functions of ../sfu.py, in lanes: the same sums and products in the same order."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pipe_vc4.simulator.sfu import EXP2, LN2
from pydri.jit.types import f32, f64, i32, i64

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value


def recip(b: Builder, x: Value) -> Value:
    """1/x."""
    return b.cast(1.0 / b.cast(x, f64), f32)


def rsqrt(b: Builder, x: Value) -> Value:
    """1/sqrt(|x|)."""
    return b.cast(1.0 / b.sqrt(b.abs(b.cast(x, f64))), f32)


def exp2(b: Builder, x: Value) -> Value:
    """2^x."""
    wide = b.cast(x, f64)
    wide = b.select(wide < -160.0, -160.0, wide)
    wide = b.select(wide > 160.0, 160.0, wide)
    whole = b.round_even(wide)
    rest = wide - whole
    total = b.const(wide.ty, 0.0)
    for factor in reversed(EXP2):
        total = total * rest + factor
    total = b.select(wide != wide, math.nan, total)
    power = b.cast_fast(b.select(whole != whole, b.const(wide.ty, 0.0), whole), i32)
    scale = b.bitcast((b.cast(power, i64) + 1023) << 52, f64)
    return b.cast(total * scale, f32)


def log2(b: Builder, x: Value) -> Value:
    """log2(|x|)."""
    size = b.abs(b.cast(x, f64))
    bits = b.bitcast(size, i64)
    exponent = b.cast((bits >> 52) & 0x7FF, i32) - 1022
    mantissa = b.bitcast((bits & ((1 << 52) - 1)) | (1022 << 52), f64)
    low = mantissa < math.sqrt(0.5)
    mantissa = b.select(low, mantissa * 2.0, mantissa)
    exponent = b.select(low, exponent - 1, exponent)
    t = (mantissa - 1.0) / (mantissa + 1.0)
    total = b.const(t.ty, 0.0)
    for k in range(21, 0, -2):
        total = total * t * t + 1.0 / k
    result = b.cast(exponent, f64) + total * t * (2 / LN2)
    result = b.select(size == math.inf, math.inf, result)
    result = b.select(size == 0.0, -math.inf, result)
    return b.cast(b.select(size != size, size, result), f32)


__all__ = ["exp2", "log2", "recip", "rsqrt"]
