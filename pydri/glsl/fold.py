# SPDX-License-Identifier: MIT
"""Arithmetic on constants, as the machine does it: singles, 32-bit integers that wrap.

In: flat tuples of components.  Out: the same. `Folder` stands in for nir's Builder: it has methods
of the same names, so that one description of a built-in function (a row of
`builtin_functions.py`) emits instructions with the one and folds constants with the other. Pure
Python, because numpy takes longer to import than most shaders to compile.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any, Final

from pydri.nir.types import Type

Number = int | float | bool
Vector = tuple[Number, ...]

_SINGLE: Final = struct.Struct("<f")
_INF: Final = math.inf
_NAN: Final = math.nan


def single(value: float) -> float:
    """Round to single precision."""
    try:
        return _SINGLE.unpack(_SINGLE.pack(value))[0]  # type: ignore[no-any-return]
    except OverflowError:
        return _INF if value > 0 else -_INF


def wrap_int(value: int) -> int:
    """To 32 bits, signed."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def wrap_uint(value: int) -> int:
    return value & 0xFFFFFFFF


def _float_to_int(value: float) -> int:
    if math.isnan(value):
        return 0
    return int(max(-2147483648.0, min(2147483647.0, value)))


def _float_to_uint(value: float) -> int:
    if math.isnan(value):
        return 0
    return int(max(0.0, min(4294967295.0, value)))


_CONVERT: Final[dict[str, Callable[[str, Number], Number]]] = {
    "float": lambda kind, x: single(float(x)),
    "int": lambda kind, x: _float_to_int(x) if kind == "float" else wrap_int(int(x)),
    "uint": lambda kind, x: _float_to_uint(x) if kind == "float" else wrap_uint(int(x)),
    "bool": lambda kind, x: x != 0,
    "double": lambda kind, x: float(x),
}


def convert(values: Vector, source: str, target: str) -> Vector:
    """Numbers of one kind as numbers of another."""
    if source == target:
        return values
    function = _CONVERT[target]
    return tuple(function(source, x) for x in values)


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
    if x < 0 or (x == 0 and y <= 0):
        return 1.0 if y == 0 and x != 0 else (_NAN if x < 0 else (_NAN if y == 0 else _INF))
    try:
        return x**y
    except OverflowError:
        return _INF


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: float(function(x)) if math.isfinite(x) else x


def _sign(x: float) -> float:
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0


def _fmin(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else min(a, b)


def _fmax(a: float, b: float) -> float:
    return b if math.isnan(a) else a if math.isnan(b) else max(a, b)


def _floor_mod(a: float, b: float) -> float:
    quotient = single(_divide(a, b))
    return a - b * math.floor(quotient) if math.isfinite(quotient) else _NAN


_FLOAT: Final[dict[str, Callable[..., float]]] = {
    "fadd": lambda a, b: a + b, "fsub": lambda a, b: a - b, "fmul": lambda a, b: a * b,
    "fdiv": _divide, "fneg": lambda a: -a, "fabs": abs, "fsign": _sign,
    "frcp": lambda a: _divide(1.0, a), "fsqrt": _guard(math.sqrt),
    "frsq": lambda a: _divide(1.0, _guard(math.sqrt)(a)),
    "fexp2": _guard(lambda a: 2.0**a, _INF), "flog2": _log2, "fpow": _pow,
    "fsin": _guard(math.sin), "fcos": _guard(math.cos),
    "ffloor": _whole(math.floor), "fceil": _whole(math.ceil), "ftrunc": _whole(math.trunc),
    "fround_even": _whole(round),
    "ffract": lambda a: a - math.floor(a) if math.isfinite(a) else _NAN,
    "fmin": _fmin, "fmax": _fmax, "fmod": _floor_mod,
    "fsat": lambda a: min(a, 1.0) if a > 0 else 0.0,
    "b2f": float, "i2f": float, "u2f": float,
}  # fmt: skip
_INT: Final[dict[str, Callable[..., int]]] = {
    "iadd": lambda a, b: a + b, "isub": lambda a, b: a - b, "imul": lambda a, b: a * b,
    "idiv": _int_divide, "irem": lambda a, b: a - b * _int_divide(a, b) if b else 0,
    "ineg": lambda a: -a, "iabs": abs, "isign": lambda a: (a > 0) - (a < 0),
    "imin": min, "imax": max,
    "ishl": lambda a, b: a << (b & 31), "ishr": lambda a, b: a >> (b & 31), "f2i": _float_to_int,
    "b2i": int,
}  # fmt: skip
_UINT: Final[dict[str, Callable[..., int]]] = {
    "udiv": lambda a, b: a // b if b else 0, "umod": lambda a, b: a % b if b else 0,
    "ushr": lambda a, b: a >> (b & 31), "umin": min, "umax": max, "f2u": _float_to_uint,
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
    """All opcodes, each rounding or wrapping its result."""
    found: dict[str, Callable[..., Number]] = dict(_OTHER)
    for functions, finish in ((_FLOAT, single), (_INT, wrap_int), (_UINT, wrap_uint)):
        for name, function in functions.items():
            found[name] = lambda *args, _f=function, _end=finish: _end(_f(*args))
    return found


OPCODES: Final = _table()


class Folder:
    """nir's Builder for constants."""

    def alu(self, name: str, *operands: Any) -> Vector:
        """One opcode, component by component; a scalar counts for all components."""
        function = OPCODES[name]
        vectors = [o if isinstance(o, tuple) else (o,) for o in operands]
        width = max(map(len, vectors))
        if width == 1:
            return (function(*(v[0] for v in vectors)),)
        wide = [v if len(v) == width else v * width for v in vectors]
        return tuple(function(*parts) for parts in zip(*wide))

    def __getattr__(self, name: str) -> Callable[..., Vector]:
        if name not in OPCODES:
            raise AttributeError(name)
        return lambda *operands: self.alu(name, *operands)

    @staticmethod
    def swizzle(value: Vector, picks: tuple[int, ...]) -> Vector:
        return tuple(value[i] for i in picks)

    @staticmethod
    def vec(*parts: Any) -> Vector:
        found: list[Number] = []
        for part in parts:
            found += part if isinstance(part, tuple) else (part,)
        return tuple(found)

    def dot(self, x: Vector, y: Vector) -> Vector:
        """As nir's: products summed from the first on."""
        products = self.alu("fmul", x, y)
        total = products[0]
        for product in products[1:]:
            total = single(total + product)
        return (total,)

    @staticmethod
    def any_true(x: Vector) -> Vector:
        return (any(x),)

    @staticmethod
    def all_true(x: Vector) -> Vector:
        return (all(x),)


FOLDER: Final = Folder()

_BY_KIND: Final = {
    "float": {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv", "<": "flt", ">=": "fge"},
    "int": {"+": "iadd", "-": "isub", "*": "imul", "/": "idiv", "%": "irem", "<": "ilt",
            ">=": "ige", "<<": "ishl", ">>": "ishr", "&": "iand", "|": "ior", "^": "ixor"},
    "uint": {"+": "uadd", "-": "usub", "*": "umul", "/": "udiv", "%": "umod", "<": "ult",
             ">=": "uge", "<<": "ushl", ">>": "ushr", "&": "iand", "|": "ior", "^": "ixor"},
}  # fmt: skip


def _multiply_matrices(a_type: Type, a: Vector, b_type: Type, b: Vector) -> Vector:
    """Linear algebra's product; a vector is a row on the left and a column on the right."""
    inner = a_type.columns if a_type.is_matrix else a_type.rows
    rows = a_type.rows if a_type.is_matrix else 1
    columns = b_type.columns if b_type.is_matrix else 1
    out: list[Number] = []
    for column in range(columns):
        right = b[column * inner : (column + 1) * inner]
        for row in range(rows):
            left = tuple(a[k * rows + row] for k in range(inner))
            out += FOLDER.dot(left, right)
    return tuple(out)


def binary(op: str, a_type: Type, a: Vector, b_type: Type, b: Vector) -> Vector:
    """An operator of the language; both operands are of one kind (shifts apart)."""
    if op == "==":
        return (all(map(operator.eq, a, b)),)
    if op == "!=":
        return (not all(map(operator.eq, a, b)),)
    if op in ("&&", "||", "^^"):
        x, y = bool(a[0]), bool(b[0])
        return ((x and y) if op == "&&" else (x or y) if op == "||" else x != y,)
    if op == "*" and (a_type.is_matrix or b_type.is_matrix) and len(a) > 1 and len(b) > 1:
        return _multiply_matrices(a_type, a, b_type, b)
    if op in (">", "<="):
        op = "<" if op == ">" else ">="
        a, b = b, a
    return FOLDER.alu(_BY_KIND[a_type.kind][op], a, b)


def unary(op: str, type_: Type, a: Vector) -> Vector:
    """neg, ! or ~."""
    if op == "neg":
        return FOLDER.alu({"float": "fneg", "int": "ineg", "uint": "uneg"}[type_.kind], a)
    finish = wrap_uint if type_.kind == "uint" else wrap_int
    return FOLDER.alu("inot", a) if op == "!" else tuple(finish(~int(x)) for x in a)
