# SPDX-License-Identifier: MIT
"""Statements, and the shader as a whole (GLSL 1.20, chapter 6).

In: an `ast.Unit`.  Out: a `tree.Shader`, if the log has no error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydri.glsl import tree
from pydri.glsl.check.functions import FunctionChecker
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, Body, Jump, Statement, Value, Var, is_unsized
from pydri.nir import types
from pydri.nir.stages import RESULTS
from pydri.nir.types import VOID


class Checker(FunctionChecker):
    """Everything."""

    #: loops that are open in the function at hand; those, and switches
    loops = 0
    breakable = 0

    def unit(self, node: ast.Unit) -> tree.Shader:
        """The whole shader."""
        for declaration in node.body:
            self.external(declaration)
        return self.finish()

    def external(self, declaration: ast.Stmt) -> None:
        """What stands outside of functions."""
        if isinstance(declaration, ast.Function):
            self._function(declaration)
        elif isinstance(declaration, ast.Variables):
            self.variables(declaration)
        elif isinstance(declaration, ast.Requalify):
            if declaration.names:
                self.requalify(declaration)
            else:
                self.block_defaults(declaration)
        elif isinstance(declaration, ast.Precision):
            self._precision(declaration)
        elif isinstance(declaration, ast.Block):
            self.block(declaration)

    def finish(self) -> tree.Shader:
        """All declarations are known."""
        self.check_recursion()
        for var in self.shader.globals:
            self.settle_size(var)
            if var.block is not None and var.block.instance and var.mode != "uniform":
                for member in var.block.members:
                    self.settle_size(member)
        self._check_outputs()
        for overloads in self.functions.values():
            self.shader.functions += overloads.values()
        return self.shader

    def _check_outputs(self) -> None:
        """Of gl_FragColor, gl_FragData and a shader's own outputs one kind may be written."""
        if self.stage.outputs.kind != RESULTS:
            return
        found = [self.builtins.get(n) for n in ("gl_FragColor", "gl_FragData")]
        found += [v for v in self.shader.globals if v.mode == "shader_out" and not v.builtin][:1]
        written = [var for var in found if var is not None and var.assigned]
        if len(written) > 1:
            self.error(written[0].at, f"{self.stage.name} shader writes to both "
                       f"`{written[0].name}' and `{written[1].name}'")

    @staticmethod
    def settle_size(var: Var) -> None:
        """An array without size has as many elements as were used (GLSL 4.1.9)."""
        if is_unsized(var.type) and var.type.element(0) is not ERROR:
            var.type = types.array(var.type.element(0), max(var.max_index, 0) + 1)
            var.implicit = True

    def _function(self, node: ast.Function) -> None:
        function = self.prototype(node)
        if node.body is None:
            return
        self.enter_function(node, function)
        self.loops = self.breakable = 0
        # A body that is being checked counts as defined.
        function.body = Body([])
        self._statements(node.body.body, function.body.statements)
        self.leave_function(node, function)

    def _precision(self, node: ast.Precision) -> None:
        self.state_precision(node, self.type_of(node.type))

    # ---- switch (GLSL 1.30, 6.2) ------------------------------------------------------------
    def _switch(self, node: ast.Switch) -> Statement:
        value = self.expression(node.value)
        if value.type not in (types.INT, types.UINT, ERROR):
            self.error(node.at, "switch-statement expression must be scalar integer")
            value = Value(node.at, ERROR)
        sections: list[tree.Section] = []
        seen: set[tree.Number | None] = set()
        self.scopes.append({})
        self.breakable += 1
        labelled = False
        for part in node.body.body:
            if isinstance(part, ast.Case):
                if not labelled:
                    sections.append(tree.Section())
                labelled = True
                value = self._label(part, value, sections, seen)
            elif not sections:
                self.error(part.at, "no statement may stand in a switch before its first label")
                break
            else:
                labelled = False
                self._statements([part], sections[-1].body)
        if labelled:
            self.error(node.body.end, "the last label of a switch must be followed by a statement")
        self.breakable -= 1
        self.leave_scope()
        return tree.Switch(value, sections)

    def _label(
        self, node: ast.Case, value: Value, sections: list[tree.Section],
        seen: set[tree.Number | None],
    ) -> Value:  # fmt: skip
        """`case` and `default`; what the switch's value is from here on: an int among labels that
        are unsigned becomes so too, where the language converts it."""
        section = sections[-1]
        if node.value is None:
            if None in seen:
                self.error(node.at, "multiple default labels in one switch")
            seen.add(None)
            section.default = True
            return value
        label = self.expression(node.value)
        if ERROR in (label.type, value.type):
            return value
        if label.type not in (types.INT, types.UINT):
            self.error(node.at, "case label must be scalar integer")
            return value
        same = self.converted(label, value.type)
        if same is None:
            wider = self.converted(value, label.type)
            if wider is None:
                self.error(node.at, "type mismatch with switch init-expression and case label "
                           f"({value.type} != {label.type})")
                return value
            value, same = wider, label
            for earlier in sections:
                earlier.labels = [self.as_kind(old, "uint") for old in earlier.labels]
        if same.constant is None:
            self.error(node.at, "switch statement case label must be a constant expression")
            return value
        number = int(same.constant[0]) & 0xFFFFFFFF
        if number in seen:
            self.error(node.at, "duplicate case value")
        seen.add(number)
        section.labels.append(same)
        return value

    # ---- statements -----------------------------------------------------------------------
    def _statements(self, nodes: list[ast.Stmt], into: list[Statement]) -> None:
        for node in nodes:
            if isinstance(node, ast.Variables):
                into += self.variables(node)
            else:
                found = self.statement(node)
                if found is not None:
                    into.append(found)

    def statement(self, node: ast.Stmt) -> Statement | None:
        """Any statement."""
        return _STATEMENTS[type(node)](self, node)

    def _scoped(self, node: ast.Stmt) -> Statement:
        """A statement in a scope of its own."""
        self.scopes.append({})
        body: list[Statement] = []
        if isinstance(node, ast.Compound):
            self._statements(node.body, body)
        else:
            self._statements([node], body)
        self.leave_scope()
        return Body(body)

    def _compound(self, node: ast.Compound) -> Statement:
        return self._scoped(node)

    def _variables(self, node: ast.Variables) -> Statement:
        return Body(self.variables(node))

    def _local_function(self, node: ast.Function) -> None:
        self.prototype(node)

    def _requalify(self, node: ast.Requalify) -> None:
        self.requalify(node)

    def _block(self, node: ast.Block) -> None:
        self.error(node.at, "blocks must be declared at global scope")

    def _evaluate(self, node: ast.Evaluate) -> Statement | None:
        if node.value is None:
            return None
        return tree.Evaluate(self.expression(node.value))

    def _if(self, node: ast.If) -> Statement:
        arms = []
        for condition, body in node.arms:
            value = self.condition(condition, "if-statement")
            arms.append((value, self._scoped(body)))
        otherwise = None if node.otherwise is None else self._scoped(node.otherwise)
        return tree.If(arms, otherwise)

    def _loop_condition(
        self, node: ast.Expr | ast.Variables | None
    ) -> tuple[Statement | None, Value | None]:
        """A loop's condition, and the statement that declares its variable."""
        if node is None:
            return None, None
        if isinstance(node, ast.Expr):
            return None, self.condition(node, "loop")
        prelude = Body(self.variables(node))
        name = ast.Name(node.at, node.declarators[0].name)
        return prelude, self.condition(name, "loop")

    def _loop_body(self, node: ast.Stmt) -> Statement:
        """Of while and for: its scope is that of the loop's head (GLSL 6.4)."""
        self.loops += 1
        self.breakable += 1
        body: list[Statement] = []
        self._statements(node.body if isinstance(node, ast.Compound) else [node], body)
        self.loops -= 1
        self.breakable -= 1
        return Body(body)

    def _while(self, node: ast.While) -> Statement:
        self.scopes.append({})
        prelude, condition = self._loop_condition(node.condition)
        body = self._loop_body(node.body)
        self.leave_scope()
        return tree.Loop(None, prelude, condition, None, body)

    def _do(self, node: ast.DoWhile) -> Statement:
        self.loops += 1
        self.breakable += 1
        body = self._scoped(node.body)
        self.loops -= 1
        self.breakable -= 1
        condition = self.condition(node.condition, "loop")
        return tree.Loop(None, None, condition, None, body, test_last=True)

    def _for(self, node: ast.For) -> Statement:
        self.scopes.append({})
        init: list[Statement] = []
        self._statements([node.init], init)
        prelude, condition = self._loop_condition(node.condition)
        step = None if node.step is None else self.expression(node.step)
        body = self._loop_body(node.body)
        self.leave_scope()
        return tree.Loop(Body(init), prelude, condition, step, body)

    def _jump(self, node: ast.Jump) -> Statement:
        kind, at = node.kind, node.at
        if kind == "return":
            return self._return(node)
        if kind == "discard":
            if not self.stage.discards:
                self.error(at, "`discard' may only appear in a fragment shader")
        elif kind == "continue" and self.loops == 0:
            self.error(at, "continue may only appear in a loop")
        elif self.breakable == 0:
            self.error(at, "break may only appear in a loop or a switch")
        return Jump(kind)

    def _return(self, node: ast.Jump) -> Statement:
        self.returned = True
        assert self.current is not None
        name, result = self.current.name, self.current.result
        if node.value is None:
            if result not in (VOID, ERROR):
                self.error(
                    node.at, f"`return' with no value, in function {name} returning non-void")
            return Jump("return")
        value = self.expression(node.value)
        if ERROR in (value.type, result):
            return Jump("return", value)
        if result is VOID:
            if value.type is VOID:
                self.error(
                    node.at, "void functions can only use `return' without a return argument")
            else:
                self.error(node.at, f"`return' with wrong type {value.type}, in function `{name}' "
                           "returning void")
        else:
            found = value if value.type is result else None
            if found is None and self.language.has("return_conversions"):
                found = self.converted(value, result)
            if found is None:
                self.error(node.at, f"`return' with wrong type {value.type}, in function `{name}' "
                           f"returning {result}")
            else:
                value = found
        return Jump("return", value)

    def _stray_label(self, node: ast.Case) -> None:
        word = "default" if node.value is None else "case"
        self.error(node.at, f"`{word}' may only stand in a switch, outside of other statements")


_STATEMENTS: Final[dict[type, Callable[..., Statement | None]]] = {
    ast.Compound: Checker._compound, ast.Variables: Checker._variables,
    ast.Function: Checker._local_function, ast.Requalify: Checker._requalify,
    ast.Precision: Checker._precision, ast.Block: Checker._block,
    ast.Evaluate: Checker._evaluate, ast.If: Checker._if, ast.While: Checker._while,
    ast.DoWhile: Checker._do, ast.For: Checker._for, ast.Jump: Checker._jump,
    ast.Switch: Checker._switch, ast.Case: Checker._stray_label,
}  # fmt: skip
