# SPDX-License-Identifier: MIT
"""TABLE: the opcodes on 64 bits as kernel code, rows of alu.EMIT and EMIT_VECTOR like all others.

In: operands of f64, i64, u64 in as many lanes as those of 32 bits; LLVM makes of each vector as
many as the machine's width asks for.  Out: the result. The names are those of
pydri/nir/opcodes_wide.py, which says what they mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydri.jit.types import f32, f64, i32, i64, u32, u64

if TYPE_CHECKING:
    from pydri.jit import Builder, Value


def _ldexp(b: Builder, x: Value, y: Value) -> Value:
    """x * 2^y in steps of which only the last may round: those towards denormals keep 53 bits."""
    n = b.min(b.max(y, -5000), 5000)
    for _ in range(2):
        up, down = n > 1023, n < -1022
        x = b.select(up, x * 2.0**1023, b.select(down, x * 2.0**-969, x))
        n = b.select(up, n - 1023, b.select(down, n + 969, n))
    n = b.cast(b.min(b.max(n, -1022), 1023) + 1023, u64)
    return x * b.bitcast(n << 52, f64)


def _halves(b: Builder, low: Value, high: Value) -> Value:
    return b.cast(low, u64) | (b.cast(high, u64) << 32)


#: components alone; not here: rows whose code of 32 bits serves 64, too (the end of alu.py)
WIDE: dict[str, Callable[..., Value]] = {
    "fldexp64": _ldexp,
    "ishl64": lambda b, x, y: x << b.cast(y & 63, i64),
    "ishr64": lambda b, x, y: x >> b.cast(y & 63, i64),
    "ushr64": lambda b, x, y: x >> b.cast(y & 63, u64),
    # LLVM would take a single that was made a double as it is, with its denormals
    "d2f": lambda b, x: b.canonical(b.cast(x, f32)),
    "b2d": lambda b, x: b.cast(b.cast(b.cast(x, u32), i32), f64),
    "b2i64": lambda b, x: b.cast(b.cast(x, u64), i64),
    "pack_64_2x32_split": _halves,
    "unpack_64_2x32_split_y": lambda b, x: b.cast(x >> 32, u32),
}
for _name, _type in {
    "f2d": f64, "i2d": f64, "u2d": f64, "i642f": f32, "u642f": f32, "i642d": f64,
    "u642d": f64, "d2i": i32, "d2u": u32, "f2i64": i64, "f2u64": u64, "d2i64": i64, "d2u64": u64,
    "i2i64": i64, "u2u64": u64, "u2u32": u32, "unpack_64_2x32_split_x": u32,
}.items():  # fmt: skip
    WIDE[_name] = lambda b, x, to=_type: b.cast(x, to)
#: lists of components
WIDE_VECTOR: dict[str, Callable[..., list[Value]]] = {
    "pack_64_2x32": lambda b, parts: [_halves(b, parts[0], parts[1])],
    "unpack_64_2x32": lambda b, parts: [b.cast(parts[0], u32), b.cast(parts[0] >> 32, u32)],
}
