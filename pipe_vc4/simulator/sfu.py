# SPDX-License-Identifier: MIT
"""The special functions: 1/x, 1/sqrt(x), 2^x, log2(x).

The hardware looks them up in tables whose bits Broadcom has not published; here each is the nearest
float or next to it, by sums and products alone, so that every machine gives the same bits.
"""
from __future__ import annotations

import math

import numpy as np

from pipe_vc4.simulator.arrays import Doubles, Floats

LN2 = 0.6931471805599453
#: the series of 2^x = e^(x ln 2), up to the twelfth power
EXP2 = [LN2 ** k / math.factorial(k) for k in range(13)]


def recip(x: Floats) -> Floats:
    """1/x."""
    found: Floats = (1.0 / x.astype(np.float64)).astype(np.float32)
    return found


def rsqrt(x: Floats) -> Floats:
    """1/sqrt(|x|)."""
    found: Floats = (1.0 / np.sqrt(np.abs(x.astype(np.float64)))).astype(np.float32)
    return found


def exp2(x: Floats) -> Floats:
    """2^x: the whole part scales, a series gives the rest."""
    wide = np.clip(x.astype(np.float64), -160.0, 160.0)
    whole = np.rint(wide)
    rest = wide - whole
    total: Doubles = np.zeros_like(wide)
    for factor in reversed(EXP2):
        total = total * rest + factor
    total = np.where(np.isnan(wide), np.nan, total)
    scale = np.nan_to_num(whole).astype(np.int64)
    found: Floats = np.ldexp(total, scale).astype(np.float32)
    return found


def log2(x: Floats) -> Floats:
    """log2(|x|): the exponent, and 2/ln2 * artanh((m - 1) / (m + 1)) of the mantissa."""
    mantissa, exponent = np.frexp(np.abs(x.astype(np.float64)))
    low = mantissa < math.sqrt(0.5)
    mantissa = np.where(low, mantissa * 2, mantissa)
    exponent = exponent - low
    t = (mantissa - 1) / (mantissa + 1)
    total: Doubles = np.zeros_like(t)
    for k in range(21, 0, -2):
        total = total * t * t + 1.0 / k
    result = exponent + total * t * (2 / LN2)
    found: Floats = np.where(x == 0, -np.inf, np.where(np.isinf(x), np.inf, result)).astype(
        np.float32)
    return found
