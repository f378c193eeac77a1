# SPDX-License-Identifier: MIT
"""Arithmetic without denormals, in numpy, whatever the thread's MXCSR says (see opcodes.py).

In: arrays of singles or of doubles, of one type, without denormals.  Out: the same.  A result is
tiny where it is below the least normal number when it is rounded to the type's precision but not to
its exponents: 2^-126 (1 - 2^-25) is 2^-126 then, all below is 0.  IEEE's own denormals cannot tell
that, since they are rounded to fewer bits: `settled` asks the significands.
"""

from __future__ import annotations

from typing import Any, Final

from pydri.util.lazy_numpy import np

Arr = Any  # an ndarray
#: least normal single, and where what is rounded to it begins
_LEAST: Final = 2.0**-126
_TINY: Final = _LEAST * (1 - 2.0**-25)
#: by bytes of a number: the least normal one and its exponent, as frexp gives it
_NORMAL: Final = {4: (2.0**-126, -125), 8: (2.0**-1022, -1021)}


def _no_numbers(a: Arr, gone: Arr) -> Arr:
    return np.where(gone, np.copysign(np.zeros_like(a), a), a)


def flushed(a: Arr) -> Arr:
    """Denormals as zeros of their sign."""
    least, _ = _NORMAL[a.dtype.itemsize]
    return _no_numbers(a, np.abs(a) < a.dtype.type(least))


def settled(a: Arr, significand: Arr, exponent: Arr) -> Arr:
    """A rounded result, zero where it is tiny: it is significand * 2^exponent, and the significand
    is rounded as it was, but is no denormal."""
    least, lowest = _NORMAL[a.dtype.itemsize]
    size = np.abs(a)
    near = size == a.dtype.type(least)
    tiny = near & (np.frexp(significand)[1] + exponent < lowest)
    return _no_numbers(a, tiny | (size < a.dtype.type(least)))


def add(a: Arr, b: Arr) -> Arr:
    """a + b: exact where it is tiny."""
    return flushed(a + b)


def mul(a: Arr, b: Arr) -> Arr:
    """a * b."""
    (x, m), (y, n) = np.frexp(a), np.frexp(b)
    return settled(a * b, x * y, m + n)


def div(a: Arr, b: Arr) -> Arr:
    """a / b."""
    (x, m), (y, n) = np.frexp(a), np.frexp(b)
    return settled(a / b, x / y, m - n)


def single(a: Arr) -> Arr:
    """Doubles rounded to singles."""
    return _no_numbers(a.astype(np.float32), np.abs(a) < _TINY)
