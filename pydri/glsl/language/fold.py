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

from pydri.nir.scalar import (
    OPCODES,
    Number,
    bits_of_float,
    float_of_bits,
    float_to_int,
    float_to_uint,
    single,
    wrap_int,
    wrap_uint,
)
from pydri.nir.types import Type

Vector = tuple[Number, ...]

_CONVERT: Final[dict[str, Callable[[str, Number], Number]]] = {
    "float": lambda kind, x: single(float(x)),
    "int": lambda kind, x: float_to_int(x) if kind == "float" else wrap_int(int(x)),
    "uint": lambda kind, x: float_to_uint(x) if kind == "float" else wrap_uint(int(x)),
    "bool": lambda kind, x: x != 0,
    "double": lambda kind, x: float(x),
}


def convert(values: Vector, source: str, target: str) -> Vector:
    """Numbers of one kind as numbers of another."""
    if source == target:
        return values
    function = _CONVERT[target]
    return tuple(function(source, x) for x in values)


def same_bits(number: Number, target: str) -> Number:
    """The number of another kind that has the same bits."""
    if target == "float":
        return float_of_bits(int(number) & 0xFFFFFFFF)
    bits = bits_of_float(float(number))
    return wrap_int(bits) if target == "int" else bits


def _pack(width: int, low: float, scale: float) -> Callable[[Vector], Vector]:
    """Normalised numbers in the bits of one; no number is the least."""
    def pack(values: Vector) -> Vector:
        total = 0
        for n, x in enumerate(values):
            inside = min(max(x, low), 1.0) if x == x else low
            total |= (round(single(inside * scale)) & (1 << width) - 1) << width * n
        return (total,)

    return pack


def _unpack(width: int, low: float, scale: float) -> Callable[[Vector], Vector]:
    def unpack(value: Vector) -> Vector:
        fields = [int(value[0]) >> at & (1 << width) - 1 for at in range(0, 32, width)]
        if low < 0:
            fields = [field - (field >> width - 1 << width) for field in fields]
        return tuple(single(max(field / scale, low)) for field in fields)

    return unpack


def _pack_half(values: Vector) -> Vector:
    """To the nearest half, ties to even; what is too large is infinite."""
    halves = [x if not abs(x) >= 65520.0 else x * math.inf for x in values]
    return (int.from_bytes(struct.pack("<2e", *halves), "little"),)


def _unpack_half(value: Vector) -> Vector:
    return struct.unpack("<2e", int(value[0]).to_bytes(4, "little"))


#: opcodes whose operands are vectors as a whole
PACKING: Final[dict[str, Callable[..., Vector]]] = {
    **{f"{name}_{sign}_{32 // width}x{width}": make(width, low, (1 << width + int(low)) - 1)
       for name, make in (("pack", _pack), ("unpack", _unpack)) for width in (8, 16)
       for sign, low in (("unorm", 0.0), ("snorm", -1.0))},
    "pack_half_2x16": _pack_half,
    "unpack_half_2x16": _unpack_half,
}


class Folder:
    """nir's Builder for constants."""

    def alu(self, name: str, *operands: Any) -> Vector:
        """One opcode, component by component; a scalar counts for all components."""
        whole = PACKING.get(name)
        if whole is not None:
            return whole(*operands)
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
            total = OPCODES["fadd"](total, product)
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
