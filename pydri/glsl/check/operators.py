# SPDX-License-Identifier: MIT
"""Operators: which operands they take, what comes out (GLSL 1.20, 5.7 to 5.9).

In: checked operands.  Out: values of the typed tree, folded where both operands are constant.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl.check.base import CheckerBase, has_array, has_opaque
from pydri.glsl.language import fold
from pydri.glsl.tree import ERROR, Op, Value, is_unsized
from pydri.nir import types
from pydri.nir.types import BOOL, VOID, ArrayType, Type, VectorType

_NUMBERS: Final = ("float", "int", "uint")
_INTEGERS: Final = ("int", "uint")


def is_numeric(type_: Type) -> bool:
    """A scalar, vector or matrix of numbers?"""
    return isinstance(type_, VectorType) and type_.kind in _NUMBERS


def is_integer(type_: Type) -> bool:
    return isinstance(type_, VectorType) and type_.kind in _INTEGERS


def is_scalar(type_: Type) -> bool:
    return isinstance(type_, VectorType) and type_.rows == 1 and type_.columns == 1


class OperatorChecker(CheckerBase):
    """Unary and binary operators."""

    def binary(self, at: int, op: str, a: Value, b: Value) -> Value:
        """Any binary operator."""
        if a.type is ERROR or b.type is ERROR:
            return Value(at, ERROR)
        if op in ("+", "-", "*", "/"):
            return self._arithmetic(at, op, a, b)
        if op in ("&&", "||", "^^"):
            return self._logic(at, op, a, b)
        if op in ("==", "!="):
            return self._equality(at, op, a, b)
        if op in ("<", ">", "<=", ">="):
            return self._relation(at, op, a, b)
        if op in ("<<", ">>"):
            return self._shift(at, op, a, b)
        if op == "%":
            self.language.need(at, "modulus", "operator '%' is reserved,")
        else:
            self.language.need(at, "bit_operations", "bit-wise operations are")
        return self._bits(at, op, a, b)

    @staticmethod
    def _operation(at: int, type_: Type, op: str, a: Value, b: Value) -> Value:
        constant = None
        if a.constant is not None and b.constant is not None:
            constant = fold.binary(op, a.type, a.constant, b.type, b.constant)
        return Op(at, type_, op, [a, b], constant)

    def _same_kind(self, a: Value, b: Value) -> tuple[Value, Value] | None:
        """Both operands as one kind, the one converted to the other's; None if that is none."""
        if a.type.kind == b.type.kind:
            return a, b
        x, y = (types.vector(v.type.kind, 1) for v in (a, b))
        for kind in (x, y):
            if self.can_convert(x, kind) and self.can_convert(y, kind):
                return self.as_kind(a, kind.kind), self.as_kind(b, kind.kind)
        return None

    def _arithmetic(self, at: int, op: str, a: Value, b: Value) -> Value:
        if not (is_numeric(a.type) and is_numeric(b.type)):
            return self.error(at, "operands to arithmetic operators must be numeric")
        both = self._same_kind(a, b)
        if both is None:
            return self.error(at, "could not implicitly convert operands to arithmetic operator")
        a, b = both
        x, y = a.type, b.type
        if is_scalar(x) or x is y and (op != "*" or not x.is_matrix):
            return self._operation(at, y, op, a, b)
        if is_scalar(y):
            return self._operation(at, x, op, a, b)
        if not (x.is_matrix or y.is_matrix):
            return self.error(at, "vector size mismatch for arithmetic operator")
        if op != "*":
            return self.error(at, "type mismatch")
        # The inner dimensions must agree: a vector on the left is a row, on the right a column.
        inner = x.columns if x.is_matrix else x.rows
        if inner != y.rows:
            return self.error(at, "size mismatch for matrix multiplication")
        type_: Type
        if not x.is_matrix:
            type_ = types.vector("float", y.columns)
        elif not y.is_matrix:
            type_ = types.vector("float", x.rows)
        else:
            type_ = types.matrix(y.columns, x.rows)
        return self._operation(at, type_, op, a, b)

    def _bits(self, at: int, op: str, a: Value, b: Value) -> Value:
        for side, value in (("LHS", a), ("RHS", b)):
            if not is_integer(value.type):
                return self.error(at, f"{side} of `{op}' must be an integer")
        both = self._same_kind(a, b)
        if both is None:
            return self.error(at, f"operands of `{op}' must have the same base type")
        a, b = both
        if is_scalar(a.type) or a.type is b.type:
            return self._operation(at, b.type, op, a, b)
        if is_scalar(b.type):
            return self._operation(at, a.type, op, a, b)
        return self.error(at, f"operands of `{op}' cannot be vectors of different sizes")

    def _shift(self, at: int, op: str, a: Value, b: Value) -> Value:
        if not self.language.need(at, "bit_operations", "bit-wise operations are"):
            return Value(at, ERROR)
        for side, value in (("LHS", a), ("RHS", b)):
            if not is_integer(value.type):
                return self.error(
                    at, f"{side} of operator {op} must be an integer or integer vector")
        if is_scalar(a.type) and not is_scalar(b.type):
            return self.error(
                at, f"if the first operand of {op} is scalar, the second must be scalar as well")
        if not is_scalar(b.type) and a.type.rows != b.type.rows:
            return self.error(
                at, f"vector operands to operator {op} must have same number of elements")
        return self._operation(at, a.type, op, a, b)

    def _logic(self, at: int, op: str, a: Value, b: Value) -> Value:
        for side, value in (("LHS", a), ("RHS", b)):
            if value.type is not BOOL:
                return self.error(at, f"{side} of `{op}' must be scalar boolean")
        return self._operation(at, BOOL, op, a, b)

    def _relation(self, at: int, op: str, a: Value, b: Value) -> Value:
        if not all(is_numeric(v.type) and is_scalar(v.type) for v in (a, b)):
            return self.error(at, "operands to relational operators must be scalar and numeric")
        both = self._same_kind(a, b)
        if both is None:
            return self.error(at, "type mismatch between the operands of a relational operator")
        return self._operation(at, BOOL, op, *both)

    def _equality(self, at: int, op: str, a: Value, b: Value) -> Value:
        if VOID in (a.type, b.type):
            return self.error(at, f"`{op}': wrong operand types: void has no values")
        left, right = self.converted(a, b.type), self.converted(b, a.type)
        if right is not None:
            b = right
        elif left is not None:
            a = left
        else:
            return self.error(at, f"operands of `{op}' must have the same type")
        if is_unsized(a.type):
            return self.error(at, f"operands of `{op}' cannot be arrays without a size")
        if isinstance(a.type, ArrayType) or has_array(a.type):
            if not self.language.need(at, "array_comparison", "array comparisons are"):
                return Value(at, ERROR)
        if has_opaque(a.type):
            return self.error(at, f"operands of `{op}' cannot hold samplers")
        return self._operation(at, BOOL, op, a, b)

    def unary(self, at: int, op: str, a: Value) -> Value:
        """+ - ! ~"""
        if a.type is ERROR:
            return a
        if op == "!":
            if a.type is not BOOL:
                return self.error(at, "operand of `!' must be scalar boolean")
        elif op == "~":
            self.language.need(at, "bit_operations", "bit-wise operations are")
            if not is_integer(a.type):
                return self.error(at, "operand of `~' must be an integer")
        elif not is_numeric(a.type):
            return self.error(at, "operands to arithmetic operators must be numeric")
        elif op == "+":
            # Not the variable itself any more: `+x = 1` is no assignment.
            return Op(at, a.type, "+", [a], a.constant)
        else:
            op = "neg"
        constant = None if a.constant is None else fold.unary(op, a.type, a.constant)
        return Op(at, a.type, op, [a], constant)
