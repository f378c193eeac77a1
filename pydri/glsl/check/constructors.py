# SPDX-License-Identifier: MIT
"""Constructors (GLSL 1.20, 5.4).

In: a type and checked arguments.  Out: `Make`, folded where all arguments are constant.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl.check.base import closes, has_opaque, has_open_size
from pydri.glsl.check.operators import OperatorChecker, is_scalar
from pydri.glsl.tree import ERROR, Constant, Make, Value
from pydri.nir import types
from pydri.nir.types import ArrayType, StructType, Type, VectorType

#: components of a constant: structs that hold structs twice grow without bounds
MAX_CONSTANT: Final = 1 << 20


def fold_make(type_: VectorType, args: list[Value]) -> Constant | None:
    """The constant that a scalar, vector or matrix constructor makes; arguments are of its kind."""
    parts = [a.constant for a in args]
    if None in parts:
        return None
    first = args[0].type
    if len(args) == 1 and first.is_matrix and type_.is_matrix:
        source = parts[0] or ()
        out = []
        for column in range(type_.columns):
            for row in range(type_.rows):
                if column < first.columns and row < first.rows:
                    out.append(source[column * first.rows + row])
                else:
                    out.append(1.0 if column == row else 0.0)
        return tuple(out)
    numbers = [x for part in parts for x in part or ()]
    if len(args) == 1 and is_scalar(first):
        if type_.is_matrix:
            return tuple(
                numbers[0] if c == r else 0.0
                for c in range(type_.columns) for r in range(type_.rows)
            )  # fmt: skip
        return (numbers[0],) * type_.rows
    return tuple(numbers[: type_.components])


class ConstructorChecker(OperatorChecker):
    """Operators, and constructors."""

    def construct(self, at: int, type_: Type, args: list[Value]) -> Value:
        """Any constructor."""
        if type_ is ERROR or any(a.type is ERROR for a in args):
            return Value(at, ERROR)
        if isinstance(type_, ArrayType):
            return self._array(at, type_, args)
        if isinstance(type_, StructType):
            return self._struct(at, type_, args)
        if not isinstance(type_, VectorType):
            what = "opaque type" if has_opaque(type_) else "type"
            return self.error(at, f"cannot construct {what} `{type_}'")
        return self._vector(at, type_, args)

    @staticmethod
    def _joined(args: list[Value]) -> Constant | None:
        constants = [a.constant for a in args]
        if None in constants or sum(len(c or ()) for c in constants) > MAX_CONSTANT:
            return None
        return tuple(x for c in constants for x in c or ())

    def _struct(self, at: int, type_: StructType, args: list[Value]) -> Value:
        if len(args) != len(type_.fields):
            many = "too many" if len(args) > len(type_.fields) else "insufficient"
            return self.error(at, f"{many} parameters in constructor for `{type_}'")
        made: list[Value] = []
        for arg, (name, member) in zip(args, type_.fields):
            value = self.converted(arg, member)
            if value is None:
                return self.error(
                    at, f"parameter type mismatch in constructor for `{type_}.{name}' "
                    f"({arg.type} vs {member})")  # fmt: skip
            made.append(value)
        return Make(at, type_, made, self._joined(made))

    def _array(self, at: int, type_: ArrayType, args: list[Value]) -> Value:
        if not self.language.need(at, "array_constructors", "array constructors are"):
            return Value(at, ERROR)
        item = type_.item
        if args and has_open_size(item) and closes(args[0].type, item):
            item = args[0].type  # and all others are as long
        type_ = types.array(item, type_.size or len(args))
        if len(args) != type_.size or not args:
            return self.error(
                at, f"array constructor must have exactly {max(type_.size, 1)} parameters")
        made: list[Value] = []
        for arg in args:
            value = self.converted(arg, type_.item)
            if value is None:
                return self.error(
                    at, f"type error in array constructor: expected: {type_.item}, "
                    f"found {arg.type}")  # fmt: skip
            made.append(value)
        return Make(at, type_, made, self._joined(made))

    def _vector(self, at: int, type_: VectorType, args: list[Value]) -> Value:
        """A scalar, vector or matrix."""
        if not args:
            return self.error(at, f"too few components to construct `{type_}'")
        need, have, matrices = type_.components, 0, 0
        for arg in args:
            if not isinstance(arg.type, VectorType):
                return self.error(at, f"cannot construct `{type_}' from a non-numeric data type")
            if have >= need:
                return self.error(at, f"too many parameters to `{type_}' constructor")
            have += arg.type.components
            matrices += arg.type.is_matrix
        if matrices and type_.is_matrix:
            if not self.language.need(
                at, "matrix_from_matrix", f"constructing `{type_}' from a matrix is"
            ):
                return Value(at, ERROR)
            if len(args) > 1:
                return self.error(
                    at, f"for a matrix, `{type_}' constructor parameter must be only parameter")
        elif have < need and not (len(args) == 1 and is_scalar(args[0].type)):
            return self.error(at, f"too few components to construct `{type_}'")
        made = [self.as_kind(a, type_.kind) for a in args]
        return Make(at, type_, made, fold_make(type_, made))
