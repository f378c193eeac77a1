# SPDX-License-Identifier: MIT
"""TABLE: the opcodes whose result is exact, once more, for single components in plain Python.

In: numbers (floats that are singles, whole numbers, bools).  Out: the same.
`opcodes.py` defines what an opcode means, in numpy for many lanes; numpy takes longer to import
than most shaders to compile, so constants are folded with these. tests/unit/nir/test_scalar.py
holds the two together. Names with a `u` that nir has not (`uadd`) are for folding by type, where
nir has one opcode for signed and unsigned numbers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Final

from pydri.nir.opcodes import OPCODES as _ROWS
from pydri.nir.opcodes import Opcode

Number = int | float | bool

_SINGLE: Final = struct.Struct("<f")
_INF: Final = math.inf
_NAN: Final = math.nan
#: the least normal single, and where what is rounded to it begins (flush.py)
_LEAST: Final = 2.0**-126
_TINY: Final = _LEAST * (1 - 2.0**-25)


def single(value: float) -> float:
    """Round to single precision."""
    try:
        return _SINGLE.unpack(_SINGLE.pack(value))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return _INF if value > 0 else -_INF


def flushed(value: float) -> float:
    """A denormal as the zero of its sign."""
    return math.copysign(0.0, value) if -_LEAST < value < _LEAST else value


def settled(value: float) -> float:
    """An exact result, or one of so many bits that it does not matter, as an operation on singles
    gives it: rounded, and zero where it is tiny (opcodes.py, "Denormals")."""
    return math.copysign(0.0, value) if -_TINY < value < _TINY else single(value)


def wrap_int(value: int) -> int:
    """To 32 bits, signed."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def wrap_uint(value: int) -> int:
    return value & 0xFFFFFFFF


def float_to_int(value: float) -> int:
    """Towards zero, saturating; NaN is 0."""
    if math.isnan(value):
        return 0
    return int(max(-2147483648.0, min(2147483647.0, value)))


def float_to_uint(value: float) -> int:
    """Towards zero, saturating; NaN and negative are 0."""
    if math.isnan(value):
        return 0
    return int(max(0.0, min(4294967295.0, value)))


# ---- one component ----------------------------------------------------------------------------
def _divide(a: float, b: float) -> float:
    if b == 0:
        if a == 0 or math.isnan(a):
            return _NAN
        return math.copysign(_INF, a) * math.copysign(1.0, b)
    return a / b


def _int_divide(a: int, b: int) -> int:
    if b == 0:
        return 0
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


def _guard(function: Callable[..., float], outside: float = _NAN) -> Callable[..., float]:
    """A function of `math` that says NaN instead of raising."""

    def guarded(*args: float) -> float:
        try:
            return function(*args)
        except (ValueError, OverflowError, ZeroDivisionError):
            return outside

    return guarded


def _log2(x: float) -> float:
    return math.log2(x) if x > 0 else (-_INF if x == 0 else _NAN)


def _pow(x: float, y: float) -> float:
    if math.isnan(y):
        return _NAN
    if x < 0 or (x == 0 and y <= 0):
        return 1.0 if y == 0 and x != 0 else (_NAN if x < 0 else (_NAN if y == 0 else _INF))
    try:
        return x**y
    except OverflowError:
        return _INF


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    # A zero has the sign of what it was made of.
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


def _sign(x: float) -> float:
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0


def _fmin(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _fmax(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


_FLOOR: Final = _whole(math.floor)


def _floor_mod(a: float, b: float) -> float:
    quotient = settled(_divide(a, b))
    return a - settled(b * _FLOOR(quotient))


_FLOAT: Final[dict[str, Callable[..., float]]] = {
    "fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b,
    "fdiv": _divide, "fneg": lambda a: -a, "fabs": abs, "fsign": _sign,
    "frcp": lambda a: _divide(1.0, a), "fsqrt": _guard(math.sqrt),
    "frsq": lambda a: _divide(1.0, _guard(math.sqrt)(a)),
    "fexp2": _guard(lambda a: 2.0**a, _INF), "flog2": _log2, "fpow": _pow,
    "fsin": _guard(math.sin), "fcos": _guard(math.cos),
    "ffloor": _FLOOR, "fceil": _whole(math.ceil), "ftrunc": _whole(math.trunc),
    "fround_even": _whole(round),
    "ffract": lambda a: a - math.floor(a) + 0.0 if math.isfinite(a) else _NAN,
    "fmin": _fmin, "fmax": _fmax, "fmod": _floor_mod,
    "fsat": lambda a: min(a, 1.0) if a > 0 else 0.0,
    "b2f": float, "i2f": float, "u2f": float,
}  # fmt: skip
_INT: Final[dict[str, Callable[..., int]]] = {
    "iadd": lambda a, b: a + b, "isub": lambda a, b: a - b, "imul": lambda a, b: a * b,
    "idiv": _int_divide, "irem": lambda a, b: a - b * _int_divide(a, b) if b else 0,
    "ineg": lambda a: -a, "iabs": abs, "isign": lambda a: (a > 0) - (a < 0),
    "imin": min, "imax": max,
    "ishl": lambda a, b: a << (b & 31), "ishr": lambda a, b: a >> (b & 31), "f2i": float_to_int,
    "b2i": int,
}  # fmt: skip
_UINT: Final[dict[str, Callable[..., int]]] = {
    "udiv": lambda a, b: a // b if b else 0, "umod": lambda a, b: a % b if b else 0,
    "ushr": lambda a, b: a >> (b & 31), "umin": min, "umax": max, "f2u": float_to_uint,
    "uadd": lambda a, b: a + b, "usub": lambda a, b: a - b, "umul": lambda a, b: a * b,
    "uneg": lambda a: -a, "ushl": lambda a, b: a << (b & 31),
}  # fmt: skip
_OTHER: Final[dict[str, Callable[..., Number]]] = {
    "flt": lambda a, b: a < b, "fge": lambda a, b: a >= b, "feq": lambda a, b: a == b,
    "fneu": lambda a, b: a != b, "ilt": lambda a, b: a < b, "ige": lambda a, b: a >= b,
    "ult": lambda a, b: a < b, "uge": lambda a, b: a >= b,
    "ieq": lambda a, b: a == b, "ine": lambda a, b: a != b,
    "iand": lambda a, b: a & b, "ior": lambda a, b: a | b, "ixor": lambda a, b: a ^ b,
    "inot": lambda a: not a if isinstance(a, bool) else ~a,
    "bcsel": lambda c, a, b: a if c else b, "mov": lambda a: a,
}  # fmt: skip


def _table() -> dict[str, Callable[..., Number]]:
    """All opcodes, each rounding or wrapping its result; floats are read without denormals."""
    found: dict[str, Callable[..., Number]] = dict(_OTHER)
    for functions, finish in ((_FLOAT, settled), (_INT, wrap_int), (_UINT, wrap_uint)):
        for name, function in functions.items():
            found[name] = lambda *args, _f=function, _end=finish: _end(_f(*args))
    for name in found.keys() & _ROWS.keys():
        if not _ROWS[name].bits and "float" in _ROWS[name].in_types:
            found[name] = lambda *args, _f=found[name]: _f(*map(flushed, args))
    for name in ("fneg", "fabs"):
        found[name] = _FLOAT[name]
    return found


OPCODES: Final = _table()


# ---- on bits ----------------------------------------------------------------------------------
def float_of_bits(bits: int) -> float:
    """The single that has these bits."""
    return _SINGLE.unpack(bits.to_bytes(4, "little"))[0]  # type: ignore[no-any-return]


def bits_of_float(value: float) -> int:
    """The bits of a single."""
    return int.from_bytes(_SINGLE.pack(value), "little")


_READ: Final[dict[str, Callable[[int], Number]]] = {
    "float": float_of_bits, "int": lambda bits: bits - (1 << 32) if bits >> 31 else bits,
    "uint": int, "bool": bool, "any": int,
}  # fmt: skip
#: what is about bits, not numbers: a NaN keeps its sign and its payload
_ON_BITS: Final[dict[str, Callable[..., int]]] = {
    "fneg": lambda a: a ^ 0x80000000, "fabs": lambda a: a & 0x7FFFFFFF,
    "bcsel": lambda c, a, b: a if c else b,
}  # fmt: skip


def foldable(op: Opcode) -> bool:
    """May this opcode be folded here: for components on their own, exactly?"""
    return not op.ulp and op.name in OPCODES and not any(op.in_sizes) and not op.out_size


def on_bits(op: Opcode, bit_size: int, components: tuple[int, ...]) -> int:
    """The bits of a component of a foldable opcode's result, of those of its sources."""
    function = _ON_BITS.get(op.name)
    if function is not None:
        return function(*components)
    numbers = [_READ[kind](bits) for kind, bits in zip(op.in_types, components)]
    result = OPCODES[op.name](*numbers)
    if op.out_type == "float":
        return bits_of_float(result)
    return int(result) & ((1 << bit_size) - 1)
