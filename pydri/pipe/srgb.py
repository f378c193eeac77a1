# SPDX-License-Identifier: MIT
"""sRGB in registers: 8-bit encoded numbers to linear floats and back (GL 4.6, 8.24 and 17.3.7).

The curves' powers are never computed: between the straight pieces at the dark end both are
polynomials, one of the encoded number, the other of the fourth root of the light. They are fitted
(least greatest error, in steps of an encoded number) to 0.004 and 0.002 of a step, so that what is
stored is the nearest integer but for values within that of the middle between two, and what was
decoded is encoded to the same number again. Only additions, products and square roots: the same
bits for every vector width. llvmpipe's polynomials (lp_bld_format_srgb.c) are up to one step off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit import kernel, ptr, void
from pydri.jit.types import f32

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

# Coefficients by rising power.
_DECODE = (
    0.0008751501259672997,
    0.034399748319597856,
    0.4990722515136315,
    0.7680648725842506,
    -0.5337978129011145,
    0.31675554691301344,
    -0.08539926588802525,
)
_ENCODE = (  # in steps
    -15.64173214489865,
    41.31652164109033,
    320.1285022918905,
    -147.25859469553941,
    73.8310704143681,
    -17.37753077494246,
)


def _polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    value = x * coefficients[-1] + coefficients[-2]
    for coefficient in coefficients[-3::-1]:
        value = value * x + coefficient
    return value


def decode(b: Builder, number: Value) -> Value:
    """Linear floats of encoded integers 0 to 255 (i32), both vectors."""
    x = b.cast(number, f32) * (1.0 / 255.0)
    return b.select(x <= 0.04045, x * (1.0 / 12.92), _polynomial(x, _DECODE))


def encode(b: Builder, value: Value) -> Value:
    """Integers 0 to 255 (i32) of linear floats: clamped to [0, 1], encoded, nearest; NaN gives 0.
    Vectors.
    """
    x = b.clamp(value, 0.0, 1.0)
    curve = _polynomial(b.sqrt(b.sqrt(x)), _ENCODE)
    return b.round_to_int(b.select(x < 0.0031308, x * (12.92 * 255.0), curve))


@kernel(void, (ptr(f32), ptr(f32)), noinline=True)
def encode_color(b: Builder, to: Pointer, color: Pointer) -> None:
    """Four floats as a UNORM surface stores them in its sRGB view; alpha as it is."""
    lanes = b.splat(color[0], 4)
    for n in (1, 2):
        lanes = b.insert(lanes, n, color[n])
    encoded = b.cast(encode(b, lanes), f32) / 255.0
    for n in range(3):
        to[n] = b.extract(encoded, n)
    to[3] = color[3]


__all__ = ["decode", "encode", "encode_color"]
