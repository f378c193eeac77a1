# SPDX-License-Identifier: MIT
"""Expressions: syntax to values of the typed tree.

In: `ast` expressions.  Out: `tree.Value`s; one that is wrong has the type ERROR, and what is made
of it too, so that one mistake gives one message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydri.glsl import tree
from pydri.glsl.check.base import component_count, has_opaque, innermost, shape
from pydri.glsl.check.calls import CallChecker
from pydri.glsl.check.operators import is_integer, is_numeric, is_scalar
from pydri.glsl.language import fold
from pydri.glsl.language.builtin_variables import MOST_ELEMENTS, SHARING, limit
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, Value, Var, VarRef, is_unsized
from pydri.nir import types
from pydri.nir.types import (
    BOOL,
    FLOAT,
    INT,
    UINT,
    VOID,
    ArrayType,
    SamplerType,
    StructType,
    Type,
    VectorType,
)

#: the three alphabets of swizzles
_SWIZZLES: Final = {
    c: (alphabet, i) for alphabet in ("xyzw", "rgba", "stpq") for i, c in enumerate(alphabet)
}
_NUMBER_TYPES: Final = {"int": INT, "uint": UINT, "float": FLOAT, "bool": BOOL}


def _is_array_of_blocks(value: Value) -> bool:
    """Is it an array of uniform blocks, or of such arrays?"""
    base, _ = tree.indexed(value)
    return isinstance(base, VarRef) and base.var.mode == "uniform" and (
        base.var.block is not None and bool(base.var.block.sizes))


class ExpressionChecker(CallChecker):
    """All expressions."""

    #: may a comma stand in a constant expression? Not in an array's size, where the peer refuses it
    sequences_fold = True

    def expression(self, node: ast.Expr) -> Value:
        """Any expression."""
        return _EXPRESSIONS[type(node)](self, node)

    def type_of(self, node: ast.TypeName) -> Type:
        """A type as written; `check/declarations.py` has it."""
        raise NotImplementedError

    def _number(self, node: ast.Number) -> Value:
        value = fold.single(node.value) if node.kind == "float" else node.value
        return Value(node.at, _NUMBER_TYPES.get(node.kind, FLOAT), (value,))

    def _name(self, node: ast.Name) -> Value:
        found = self.find(node.name)
        if not isinstance(found, Var):
            return self.error(node.at, f"`{node.name}' undeclared")
        found.used = True
        return VarRef(node.at, found)

    def _unary(self, node: ast.Unary) -> Value:
        operand = self.expression(node.operand)
        if "x" not in node.op:
            return self.unary(node.at, node.op, operand)
        if operand.type is ERROR:
            return operand
        if not is_numeric(operand.type):
            return self.error(node.at, "operands to arithmetic operators must be numeric")
        self.assignable(operand, "assignment to {}")
        return tree.Step(node.at, operand, 1 if "+" in node.op else -1, node.op[0] == "x")

    def _binary(self, node: ast.Binary) -> Value:
        # A chain of operators is as deep on the left as it is long.
        chain = [node]
        left: ast.Expr = node.left
        while isinstance(left, ast.Binary):
            chain.append(left)
            left = left.left
        value = self.expression(left)
        for link in reversed(chain):
            value = self.binary(link.at, link.op, value, self.expression(link.right))
        return value

    def _sequence(self, node: ast.Sequence) -> Value:
        found = tree.Sequence(node.at, [self.expression(part) for part in node.parts])
        if not self.sequences_fold or not self.language.has("constant_sequences"):
            found.constant = None
        return found

    def _choice(self, node: ast.Choice) -> Value:
        # `a ? b : c ? d : e` is as deep on the right as it is long.
        chain: list[tuple[int, Value, Value]] = []
        last: ast.Expr = node
        while isinstance(last, ast.Choice):
            chain.append((last.at, self.expression(last.condition), self.expression(last.then)))
            last = last.otherwise
        value = self.expression(last)
        for at, condition, then in reversed(chain):
            value = self._choose(at, condition, then, value)
        return value

    def _choose(self, at: int, condition: Value, then: Value, otherwise: Value) -> Value:
        if ERROR in (condition.type, then.type, otherwise.type):
            return Value(at, ERROR)
        if condition.type is not BOOL:
            return self.error(at, "condition of `?:' must be scalar boolean")
        right, left = self.converted(otherwise, then.type), self.converted(then, otherwise.type)
        if right is not None:
            otherwise = right
        elif left is not None:
            then = left
        else:
            return self.error(
                at, "second and third operands of ?: operator must have matching types")
        if isinstance(then.type, ArrayType) and not self.language.need(
            at, "array_choice", "arrays in the second and third operand of ?: are"
        ):
            return Value(at, ERROR)
        if has_opaque(then.type):
            return self.error(at, "samplers cannot be operands of ?:")
        constant = None
        if condition.constant is not None and None not in (then.constant, otherwise.constant):
            constant = (then if condition.constant[0] else otherwise).constant
        return tree.Choice(at, condition, then, otherwise, constant)

    # ---- assignment -----------------------------------------------------------------------
    def _assign(self, node: ast.Assign) -> Value:
        target = self.expression(node.target)
        value = self.expression(node.value)
        if target.type is ERROR or value.type is ERROR:
            return Value(node.at, ERROR)
        op = node.op[:-1]
        if op:
            result = self.binary(node.at, op, target, value)
            if result.type is ERROR:
                return result
            if result.type is not target.type:
                return self.error(
                    node.at, f"could not implicitly convert {result.type} to {target.type}")
            # The second operand as the operator wants it: of the target's kind, but for shifts.
            if isinstance(result, tree.Op):
                value = result.args[1]
        else:
            found = self._assigned(node.at, target.type, value, "value", "assigned")
            if found is None:
                return Value(node.at, ERROR)
            value = found
        if not self.assignable(target, "assignment to {}"):
            return Value(node.at, ERROR)
        return tree.Assign(node.at, op, target, value)

    def _assigned(self, at: int, target: Type, value: Value, what: str, verb: str) -> Value | None:
        """`value` as it goes into a place of type `target`; None, reported, if it cannot."""
        found = self.converted(value, target)
        if found is None or target is VOID:
            self.error(
                at, f"{what} of type {value.type} cannot be {verb} to variable of type {target}")
            return None
        if is_unsized(target):
            self.error(at, "implicitly sized arrays cannot be assigned")
            return None
        if isinstance(target, ArrayType) and what == "value" and not self.language.need(
            at, "array_values", "whole array assignment"
        ):
            return None
        if has_opaque(target):
            self.error(at, "samplers cannot be assigned")
            return None
        return found

    # ---- parts ----------------------------------------------------------------------------
    def _index(self, node: ast.Index) -> Value:
        base = self.expression(node.base)
        index = self.expression(node.index)
        if base.type is ERROR or index.type is ERROR:
            return Value(node.at, ERROR)
        type_ = base.type
        if not isinstance(type_, ArrayType) and not (
            isinstance(type_, VectorType) and not is_scalar(type_)
        ):
            return self.error(node.at, "cannot dereference non-array / non-matrix / non-vector")
        if not is_integer(index.type):
            return self.error(node.at, "array index must be integer type")
        if not is_scalar(index.type):
            return self.error(node.at, "array index must be scalar")
        if index.constant is not None:
            if not self._constant_index(node.at, base, int(index.constant[0])):
                return Value(node.at, ERROR)
        elif is_unsized(type_):
            return self.error(node.at, "unsized array index must be constant")
        elif isinstance(innermost(type_), SamplerType) and self.language.has(
            "sampler_constant_index"
        ):  # structs that hold samplers are not meant, as with the peer: pyrender's lights are some
            self.error(node.at, "arrays of samplers need a constant index")
        elif _is_array_of_blocks(base) and not self.language.has("block_index"):
            return self.error(node.at, "arrays of blocks need a constant index")
        element = type_.element(0)
        constant = None
        if base.constant is not None and index.constant is not None:
            size = component_count(element)
            start = size * int(index.constant[0])
            constant = base.constant[start : start + size]
        return tree.Element(node.at, element, base, index, constant)

    def _constant_index(self, at: int, base: Value, index: int) -> bool:
        """Check a constant index, and note it for arrays that it sizes."""
        type_ = base.type
        if index < 0:
            self.error(at, "array index must be >= 0")
            return False
        array = isinstance(type_, ArrayType)
        what = "array" if array else "matrix" if type_.is_matrix else "vector"
        if is_unsized(type_):
            var = base.var if isinstance(base, VarRef) else tree.member_of_block(base)
            if var is None:
                return True
            var.max_index = max(var.max_index, index)
            return self.check_implicit_size(at, var, index + 1)
        if index >= type_.length:
            self.error(at, f"{what} index must be < {type_.length}")
            return False
        return True

    def check_implicit_size(self, at: int, var: Var, size: int) -> bool:
        """May a built-in array have that many elements (GLSL 7.6), together with one that shares
        its places?"""
        bound = MOST_ELEMENTS.get(var.name) if var.builtin else None
        if bound is None:
            return True
        most = limit(bound, self.language, self.limits) or 0
        size = max(size, self.elements.get((var.mode, var.name), 0))
        self.elements[var.mode, var.name] = size
        size += self.elements.get((var.mode, SHARING.get(var.name, "")), 0)
        if size > most:
            self.error(
                at, f"`{var.name}' array size cannot be larger than {bound} ({most})")
        return size <= most

    def _field(self, node: ast.Field) -> Value:
        base = self.expression(node.base)
        type_, name = base.type, node.name
        if type_ is ERROR:
            return base
        if isinstance(type_, StructType):
            found = shape(type_).members.get(name)
            if found is None:
                return self.error(node.at, f"cannot access field `{name}' of structure")
            member, start = found
            constant = base.constant
            if constant is not None:
                constant = constant[start : start + component_count(member)]
            return tree.Member(node.at, member, base, name, constant)
        if isinstance(type_, VectorType) and not type_.is_matrix:
            if type_.rows > 1 or self.language.has("scalar_swizzle"):
                return self._swizzle(node, base)
        return self.error(
            node.at, f"cannot access field `{name}' of non-structure / non-vector")

    def _swizzle(self, node: ast.Field, base: Value) -> Value:
        name = node.name
        found = [_SWIZZLES.get(c, ("", 4)) for c in name]
        alphabets = {alphabet for alphabet, _ in found}
        rows = base.type.rows
        if len(name) > 4 or len(alphabets) != 1 or any(i >= rows for _, i in found):
            return self.error(node.at, f"invalid swizzle / mask `{name}'")
        picks = tuple(i for _, i in found)
        type_ = types.vector(base.type.kind, len(picks))
        constant = base.constant
        if constant is not None:
            constant = tuple(constant[i] for i in picks)
        return tree.Swizzle(node.at, type_, base, picks, constant)

    def _method(self, node: ast.Method) -> Value:
        base = self.expression(node.base)
        if base.type is ERROR:
            return base
        if not self.language.need(node.at, "methods", "methods are"):
            return Value(node.at, ERROR)
        if node.name != "length":
            return self.error(node.at, f"unknown method `{node.name}'")
        if node.args:
            return self.error(node.at, "length method takes no arguments")
        type_ = base.type
        if isinstance(type_, ArrayType):
            if type_.size:
                return Value(node.at, INT, (type_.size,))
            if self.language.need(
                node.at, "unsized_length", "length called on an array without a size is"
            ):
                return tree.Length(node.at, INT, base)
            return Value(node.at, ERROR)
        if isinstance(type_, VectorType) and not is_scalar(type_):
            if self.language.need(node.at, "vector_length", "length() of a vector is"):
                return Value(node.at, INT, (type_.length,))
            return Value(node.at, ERROR)
        return self.error(node.at, "length called on scalar")

    # ---- calls ----------------------------------------------------------------------------
    def _call(self, node: ast.Call) -> Value:
        return self.call(node.at, node.name, [self.expression(a) for a in node.args])

    def _construct(self, node: ast.Construct) -> Value:
        type_ = self.type_of(node.type)
        return self.construct(node.at, type_, [self.expression(a) for a in node.args])

    def _init_list(self, node: ast.InitList) -> Value:
        return self.error(node.at, "an initializer list may only be an initializer")

    # ---- conditions -----------------------------------------------------------------------
    def condition(self, node: ast.Expr, what: str) -> Value:
        """A condition of if or a loop: a scalar bool."""
        value = self.expression(node)
        if value.type not in (BOOL, ERROR):
            self.error(node.at, f"{what} condition must be scalar boolean")
        return value


_EXPRESSIONS: Final[dict[type, Callable[..., Value]]] = {
    ast.Number: ExpressionChecker._number, ast.Name: ExpressionChecker._name,
    ast.Unary: ExpressionChecker._unary, ast.Binary: ExpressionChecker._binary,
    ast.Sequence: ExpressionChecker._sequence, ast.Choice: ExpressionChecker._choice,
    ast.Assign: ExpressionChecker._assign, ast.Index: ExpressionChecker._index,
    ast.Field: ExpressionChecker._field, ast.Method: ExpressionChecker._method,
    ast.Call: ExpressionChecker._call, ast.Construct: ExpressionChecker._construct,
    ast.InitList: ExpressionChecker._init_list,
}  # fmt: skip
