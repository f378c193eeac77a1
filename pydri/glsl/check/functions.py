# SPDX-License-Identifier: MIT
"""Functions: prototypes, definitions, recursion (GLSL 1.20, 6.1).

In: `ast.Function`.  Out: `tree.Function`s with checked parameters.
"""

from __future__ import annotations

from pydri.glsl.check.base import has_opaque, has_open_size, innermost
from pydri.glsl.check.blocks import BlockChecker
from pydri.glsl.language.builtin_functions import signatures
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, Function, Var, is_unsized, recursive
from pydri.nir import types
from pydri.nir.types import VOID, ArrayType, Type


class FunctionChecker(BlockChecker):
    """Declarations, blocks, and functions."""

    def prototype(self, node: ast.Function) -> Function:
        """Declare a function, or find the one that is declared again."""
        name, at = node.name, node.at
        result = self._result(node)
        parameters = [p for p in map(self._parameter, node.parameters) if p is not None]
        function = Function(name, result, parameters, at)
        written = node.qualifiers.words[0][0] if node.qualifiers.words else ""
        function.precision = self.precision_of(at, result, written)
        self._check_builtin(function)
        self._check_name(name, at)
        if name == "main":
            if result is not VOID:
                self.error(at, "main() must return void")
            if parameters:
                self.error(at, "main() must not take any parameters")
        other = self.functions.setdefault(name, {}).setdefault(function.types, function)
        return function if other is function else self._again(node, other, function)

    def _again(self, node: ast.Function, old: Function, new: Function) -> Function:
        """A function that was declared before with the same parameters."""
        name, at = node.name, node.at
        if old.result is not new.result or old.precision != new.precision:
            self.error(at, f"function `{name}' return type doesn't match prototype")
        for before, now in zip(old.parameters, new.parameters):
            if before.mode != now.mode:
                self.error(at, f"function `{name}' parameter `{now.name}' qualifiers don't "
                           "match prototype")
        if node.body is None and self.language.has("single_prototypes"):
            # GLSL ES 1.00, 4.2.7: a prototype within a scope once, and once its definition.
            self.error(at, f"function `{name}' redeclared")
        if node.body is not None:
            if old.body is not None:
                self.error(at, f"function `{name}' redefined")
                return new
            old.parameters = new.parameters
            old.at = at
        return old

    def _check_builtin(self, function: Function) -> None:
        """OpenGL ES's built-in functions may be overloaded (in 1.00), and never be redefined."""
        if not self.language.has("redeclared_builtins"):
            found = signatures(function.name, self.language, self.stage.name)
            overloads = self.language.has("overloaded_builtins")
            if any(s.parameters == function.types or not overloads for s in found):
                what = "redefine" if overloads else "redefine or overload"
                self.error(function.at, f"A shader cannot {what} built-in function "
                           f"`{function.name}' in {self.language.text}")

    def _check_name(self, name: str, at: int) -> None:
        self.reserved(name, at)
        taken = self.scopes[0].get(name)
        if taken is not None and (self.one_namespace or not isinstance(taken, Var)):
            self.error(at, f"name `{name}' already taken in the current scope")

    def _result(self, node: ast.Function) -> Type:
        for word, at in node.qualifiers.words:
            if word not in ("lowp", "mediump", "highp"):
                self.error(at, f"function `{node.name}' return type has qualifiers")
                break
        if node.result.struct is not None and node.result.struct.name == "":
            self.error(node.at, f"function `{node.name}' returns a struct without a name")
        result = self.type_of(node.result)
        if has_opaque(result):
            self.error(node.at, f"function `{node.name}' return type can't contain an opaque type")
        if isinstance(result, ArrayType):
            if has_open_size(result):
                self.error(
                    node.at, f"function `{node.name}' return type array must be explicitly sized")
            self.language.need(node.at, "array_return", "functions that return arrays are")
        return result

    def _parameter(self, node: ast.Parameter) -> Var | None:
        storage = self.qualifiers(node.qualifiers, parameter=True)
        type_ = self.with_sizes(self.type_of(node.type), node.sizes, node.at)
        if innermost(type_) is VOID:
            what = f"named parameter `{node.name}'" if node.name else "parameter"
            self.error(node.at, f"{what} cannot have type `void'")
            type_ = ERROR
        if not self.outer_only(node.at, type_):
            type_ = ERROR
        if is_unsized(type_):
            self.error(node.at, "arrays passed as parameters must have a declared size")
            type_ = ERROR
        if storage.layout:
            self.error(node.at, "layout() can only stand at global scope")
        word = storage.storage
        if word not in ("", "in", "out", "inout") or storage.auxiliary or storage.invariant or (
            storage.interpolation
        ):  # fmt: skip
            self.error(node.at, f"`{word or 'this'}' qualifier cannot stand at a parameter")
            word = ""
        if storage.layout:
            self.error(node.at, "layout qualifiers can only be applied at global scope")
        if storage.constant and word in ("out", "inout"):
            self.error(node.at, f"`const' may not be applied to `{word}' function parameters")
        if word in ("out", "inout"):
            if has_opaque(type_):
                self.error(node.at, "out and inout parameters cannot contain opaque variables")
            elif isinstance(type_, ArrayType):  # a struct is an l-value, whatever is in it
                self.language.need(
                    node.at, "array_out_parameters", "arrays as out or inout parameters are")
        mode = "const in" if storage.constant else word or "in"
        if has_opaque(type_):
            mode = "const in"  # a sampler's parameter is never written
        var = Var(node.name, type_, mode, node.at)
        var.precision = self.precision_of(node.at, type_, storage.precision)
        return var

    def enter_function(self, node: ast.Function, function: Function) -> None:
        """Open the scope of parameters, in which the body stands too."""
        scope: dict[str, Var] = {}
        for parameter in function.parameters:
            if not parameter.name:
                self.error(parameter.at, "formal parameter lacks a name")
            elif parameter.name in scope:
                self.error(parameter.at, f"parameter `{parameter.name}' redeclared")
            else:
                self.reserved(parameter.name, parameter.at)
            scope[parameter.name] = parameter
        self.scopes.append(dict(scope))
        self.current = function
        self.returned = False

    @staticmethod
    def settle_size(var: Var) -> None:
        """An array without size has as many elements as were used (GLSL 4.1.9)."""
        if is_unsized(var.type) and var.type.element(0) is not ERROR:
            var.type = types.array(var.type.element(0), max(var.max_index, 0) + 1)

    def leave_scope(self) -> None:
        """The innermost scope ends."""
        scope = self.scopes.pop()
        self.forget_precision()
        for meaning in scope.values():
            if isinstance(meaning, Var):
                self.settle_size(meaning)

    def leave_function(self, node: ast.Function, function: Function) -> None:
        """The body is done."""
        self.leave_scope()
        if function.result not in (VOID, ERROR) and not self.returned:
            self.error(
                node.at, f"function `{function.name}' has non-void return type "
                f"{function.result}, but no return statement")  # fmt: skip
        self.current = None

    def check_recursion(self) -> None:
        """Report functions that call themselves, directly or not (GLSL 6.1)."""
        everything = [f for overloads in self.functions.values() for f in overloads.values()]
        for function in recursive(everything, lambda function: function.calls):
            self.error(function.at, f"function `{function}' has static recursion")
