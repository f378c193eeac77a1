# SPDX-License-Identifier: MIT
"""TABLE: the opcodes on 64 bits, rows of opcodes.py like all others, which has them added last.

In: the table, and the function that adds a row.  Out: more rows.  What means the same in both
widths is the row of 32 bits again, under its name with 64 behind; numpy's code does not ask how
wide numbers are.  Conversions have the letters of TGSI and of nir in 2016: f and d for singles and
doubles, i and u, i64 and u64.  Types are `float64`, `int64`, `uint64`; `any` is as wide as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydri.nir.flush import div, settled, single
from pydri.util.lazy_numpy import np

Arr = Any  # an ndarray
#: the function that adds a row
Add = Callable[..., None]
_SIGN: Final = 1 << 63
#: rows whose numpy code serves both widths
SAME: Final = (
    "fadd", "fsub", "fmul", "fdiv", "fsqrt", "ffloor", "fceil", "ftrunc", "fround_even", "ffract",
    "fmin", "fmax", "fmod", "flrp", "feq", "fneu", "flt", "fge", "ilt", "ige", "ult", "uge",
    "iadd", "isub", "imul", "ineg", "iabs", "isign", "imin", "imax", "umin", "umax", "udiv", "umod",
)  # fmt: skip


class _Wide:
    """A builder whose opcodes are those of 64 bits: what a row is lowered to with it."""

    def __init__(self, b: Any) -> None:
        self.b = b

    def __getattr__(self, name: str) -> Any:
        return getattr(self.b, f"{name}64")


def _lowered(lower: Callable[..., Any] | None) -> Callable[..., Any] | None:
    return None if lower is None else lambda b, *srcs: lower(_Wide(b), *srcs)


def _type(name: str) -> str:
    return name if name == "bool" else f"{name}64"


# ---- helpers of the numpy code ----------------------------------------------------------------
def _bits(a: Arr) -> Arr:
    return a.view(np.uint64)


def _count(b: Arr) -> Arr:
    return (b & np.uint32(63)).astype(np.uint64)


def _fma(a: Arr, b: Arr, c: Arr) -> Arr:
    """One rounding: libc's function, since numpy has no wider number to compute with."""
    import ctypes

    one = ctypes.CDLL("libm.so.6").fma
    one.restype, one.argtypes = ctypes.c_double, [ctypes.c_double] * 3
    fused = np.frompyfunc(one, 3, 1)
    result = fused(a, b, c).astype(np.float64)
    # where that is tiny, or nearly, all of it is small: 2^200 times as large there are no denormals
    smaller = np.abs(a) < np.abs(b)
    up = fused(*(x * np.where(w, 2.0**200, 1.0) for x, w in ((a, smaller), (b, ~smaller))),
               c * 2.0**200).astype(np.float64)  # fmt: skip
    return settled(result, up, np.full(up.shape, -200))


def _size(a: Arr) -> Arr:
    """|a| without a sign, of the least number, too."""
    return np.where(a < 0, np.uint64(0) - _bits(a), _bits(a))


def _signed(size: Arr, negative: Arr) -> Arr:
    return np.where(negative, np.uint64(0) - size, size).view(np.int64)


def _udiv(a: Arr, b: Arr) -> Arr:
    return np.where(b == 0, np.uint64(0), a // np.where(b == 0, np.uint64(1), b))


def _umod(a: Arr, b: Arr) -> Arr:
    return np.where(b == 0, np.uint64(0), a % np.where(b == 0, np.uint64(1), b))


def _idiv(a: Arr, b: Arr) -> Arr:
    return _signed(_udiv(_size(a), _size(b)), (a < 0) != (b < 0))


def _irem(a: Arr, b: Arr) -> Arr:
    return _signed(_umod(_size(a), _size(b)), a < 0)


def _imod(a: Arr, b: Arr) -> Arr:
    rest = _irem(a, b)
    return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


def _lower_imod(b: Any, x: Any, y: Any) -> Any:
    rest = b.irem64(x, y)
    wrong = b.iand(b.ine(rest, 0), b.ilt64(b.ixor(rest, y), 0))
    return b.bcsel(wrong, b.iadd64(rest, y), rest)


_DIVISIONS: Final = {"udiv": _udiv, "umod": _umod}


def _to(kind: str, low: float, high: float) -> Callable[[Arr], Arr]:
    """To whole numbers of a type: towards zero, saturating; no number is 0."""

    def convert(a: Arr) -> Arr:
        whole = np.trunc(np.nan_to_num(a.astype(np.float64), nan=0.0, posinf=high, neginf=low))
        most = np.array(int(high) - 1, kind)
        inside = np.clip(whole, low, high - high * 2.0**-53)
        return np.where(whole >= high, most, inside.astype(kind))

    return convert


def _ldexp(a: Arr, b: Arr) -> Arr:
    n = np.clip(b, -5000, 5000)
    return settled(np.ldexp(a, n), a, n)


def _pack(a: Arr, b: Arr) -> Arr:
    return a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)


def _low(a: Arr) -> Arr:
    return (a & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def _high(a: Arr) -> Arr:
    return (a >> np.uint64(32)).astype(np.uint32)


def add_rows(table: dict[str, Any], add: Add) -> None:
    """Add all rows of this file to those of 32 bits."""
    for name in SAME:
        row = table[name]
        ins = " ".join(map(_type, row.in_types))
        add(f"{name}64", _type(row.out_type), ins, _DIVISIONS.get(name, row.eval), rule=row.rule,
            comm=row.commutative, assoc=row.associative, lower=_lowered(row.lower))  # fmt: skip
    _arithmetic(table, add)
    _conversions(add)
    _halves(add)


# fmt: off
def _arithmetic(table: dict[str, Any], _op: Add) -> None:
    _op("fneg64", "float64", "float64",
        lambda a: (_bits(a) ^ np.uint64(_SIGN)).view(np.float64), bits=True)
    _op("fabs64", "float64", "float64",
        lambda a: (_bits(a) & np.uint64(_SIGN - 1)).view(np.float64), bits=True)
    _op("fsat64", "float64", "float64", lambda a: np.where(a > 0, np.where(a < 1, a, 1.0), 0.0),
        rule="clamp to [0, 1]; NaN and -0 give +0", lower=_lowered(table["fsat"].lower))
    _op("fsign64", "float64", "float64",
        lambda a: (a > 0).astype(np.float64) - (a < 0).astype(np.float64), rule="as fsign")
    _op("frcp64", "float64", "float64", lambda a: div(np.ones_like(a), a), rule="correctly rounded",
        lower=_lowered(table["frcp"].lower))
    _op("frsq64", "float64", "float64", lambda a: 1.0 / np.sqrt(a), rule="two roundings",
        lower=_lowered(table["frsq"].lower))
    _op("ffma64", "float64", "float64 float64 float64", _fma, rule="x*y + z with one rounding")
    _op("fldexp64", "float64", "float64 int", _ldexp, rule="x * 2^y with one rounding")
    _op("idiv64", "int64", "int64 int64", _idiv,
        rule="towards zero; x/0 is 0, least / -1 is the least")
    _op("irem64", "int64", "int64 int64", _irem, rule="sign of the dividend; x rem 0 is 0")
    _op("imod64", "int64", "int64 int64", _imod, rule="sign of the divisor; x mod 0 is 0",
        lower=_lower_imod)
    _op("ishl64", "int64", "int64 uint", lambda a, b: (_bits(a) << _count(b)).view(np.int64),
        rule="shift counts have 32 bits and are taken modulo 64, here and below")
    _op("ishr64", "int64", "int64 uint", lambda a, b: a >> _count(b).view(np.int64))
    _op("ushr64", "uint64", "uint64 uint", lambda a, b: a >> _count(b))


def _conversions(_op: Add) -> None:
    _I64, _U64 = _to("int64", -(2.0**63), 2.0**63), _to("uint64", 0.0, 2.0**64)
    for _name, _out, _in in (
        ("f2d", "float64", "float"), ("i2d", "float64", "int"), ("u2d", "float64", "uint"),
        ("d2f", "float", "float64"), ("i642f", "float", "int64"), ("u642f", "float", "uint64"),
        ("i642d", "float64", "int64"), ("u642d", "float64", "uint64"),
    ):
        _op(_name, _out, _in,
            single if _name == "d2f" else
            lambda a, d=_out: a.astype(np.float32 if d == "float" else np.float64),
            rule="to nearest even, with one rounding")
    _op("d2i", "int", "float64", _to("int32", -(2.0**31), 2.0**31), rule="as f2i")
    _op("d2u", "uint", "float64", _to("uint32", 0.0, 2.0**32), rule="as f2u")
    _op("f2i64", "int64", "float", _I64, rule="as f2i")
    _op("f2u64", "uint64", "float", _U64, rule="as f2u")
    _op("d2i64", "int64", "float64", _I64, rule="as f2i")
    _op("d2u64", "uint64", "float64", _U64, rule="as f2u")
    _op("i2i64", "int64", "int", lambda a: a.astype(np.int64))
    _op("u2u64", "uint64", "uint", lambda a: a.astype(np.uint64))
    _op("u2u32", "uint", "uint64", _low, rule="the low half",
        lower=lambda b, x: b.unpack_64_2x32_split_x(x))
    _op("b2d", "float64", "bool", lambda a: a.astype(np.float64),
        lower=lambda b, x: b.f2d(b.b2f(x)))
    _op("b2i64", "int64", "bool", lambda a: a.astype(np.int64),
        lower=lambda b, x: b.i2i64(b.b2i(x)))


def _halves(_op: Add) -> None:
    _op("pack_64_2x32_split", "uint64", "uint uint", _pack, rule="(low, high)")
    _op("unpack_64_2x32_split_x", "uint", "uint64", _low, rule="the low half")
    _op("unpack_64_2x32_split_y", "uint", "uint64", _high, rule="the high half")
    _op("pack_64_2x32", "uint64.1", "uint2", lambda a: _pack(a[:1], a[1:]),
        rule="x is the low half",
        lower=lambda b, x: b.pack_64_2x32_split(x[0], x[1]))
    _op("unpack_64_2x32", "uint2", "uint64.1", lambda a: np.concatenate([_low(a), _high(a)]),
        lower=lambda b, x: b.vec(b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x)))
# fmt: on
