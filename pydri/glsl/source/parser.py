# SPDX-License-Identifier: MIT
"""Recursive descent over statements and the whole shader.

In: `Tokens`.  Out: an `ast.Unit`. After a syntax error the parser goes on behind the statement or
declaration, so that one run finds several.
"""

from __future__ import annotations

from pydri.glsl.language.versions import Language
from pydri.glsl.log import Log
from pydri.glsl.source import ast
from pydri.glsl.source.declarations import QUALIFIERS, DeclarationParser
from pydri.glsl.source.expressions import SyntaxMistake
from pydri.glsl.source.preprocess import Tokens


class Parser(DeclarationParser):
    """Statements on top of declarations."""

    def unit(self) -> ast.Unit:
        """A translation unit."""
        body: list[ast.Stmt] = []
        if self.kind == "eof":
            self.log.error(self.offset, "syntax error, unexpected end of file")
        while self.kind != "eof":
            start = self.at
            try:
                if self.kind == ";" or self.kind == "#pragma":
                    self.next()
                    continue
                body.append(self.external())
            except SyntaxMistake:
                self._recover(start, True)
        return ast.Unit(0, body)

    def _recover(self, start: int, outside: bool) -> None:
        """Skip to behind the statement that begins at `start`: a `;`, or a block's end."""
        self.depth = 0 if outside else self.depth
        if outside:
            del self.scopes[1:]
        braces = 0
        at = start
        kinds = self.kinds
        # What was read already counts its braces, what follows ends the statement.
        while kinds[at] != "eof":
            kind = kinds[at]
            if kind == "{":
                braces += 1
            elif kind == "}":
                if braces == 0 and not outside:
                    break
                braces -= 1
                if braces <= 0 and at >= self.at:
                    at += 1
                    break
            elif kind == ";" and braces <= 0 and at >= self.at:
                at += 1
                break
            at += 1
        self.move_to(max(at, self.at))

    def external(self) -> ast.Stmt:
        """What stands outside of functions."""
        found = self.declaration()
        if not isinstance(found, ast.Function):
            return found
        if self.kind == ";":
            self.next()
            return found
        if self.kind != "{":
            self.fail("';' or '{'")
        self.scopes.append({})
        for parameter in found.parameters:
            self.declare(parameter.name, False)
        found.body = self.compound()
        self.scopes.pop()
        return found

    # ---- statements -----------------------------------------------------------------------
    def compound(self) -> ast.Compound:
        """`{ ... }`"""
        offset = self.take("{")
        self.enter()
        self.scopes.append({})
        depth, scopes = self.depth, len(self.scopes)
        body: list[ast.Stmt] = []
        while self.kind != "}":
            if self.kind == "eof":
                self.fail()
            start = self.at
            try:
                body.append(self.statement())
            except SyntaxMistake:
                if self.kind == "eof":
                    raise
                self.depth = depth
                del self.scopes[scopes:]
                self._recover(start, False)
        self.scopes.pop()
        self.depth -= 1
        end = self.take("}")
        return ast.Compound(offset, body, end)

    def scoped(self) -> ast.Stmt:
        """A statement with a scope of its own: a loop's or an if's body."""
        if self.kind == "{":
            return self.compound()
        self.enter()
        self.scopes.append({})
        found = self.statement()
        self.scopes.pop()
        self.depth -= 1
        return found

    def statement(self) -> ast.Stmt:
        """Any statement."""
        kind, offset = self.kind, self.offset
        if kind == "{":
            return self.compound()
        action = _STATEMENTS.get(kind)
        if action is not None:
            return action(self)
        if kind == ";":
            self.next()
            return ast.Evaluate(offset, None)
        if self._at_declaration():
            found = self.declaration()
            if isinstance(found, ast.Function):
                self.language.need(
                    offset, "local_prototypes", f"declaration of function `{found.name}' is")
                if self.kind == "{":
                    self.fail("';'")
                self.take(";")
            return found
        value = self.expression()
        self.take(";")
        return ast.Evaluate(offset, value)

    def _at_declaration(self) -> bool:
        kind = self.kind
        if kind in QUALIFIERS or kind == "struct" or kind == "precision":
            return True
        if not self.at_type():
            return False
        # `vec3(...)` and `float[2](...)` begin expressions.
        at = self.at + 1
        while self.kinds[at] == "[":
            depth = 0
            while self.kinds[at] != "eof":
                depth += (self.kinds[at] == "[") - (self.kinds[at] == "]")
                at += 1
                if depth == 0:
                    break
        return self.kinds[at] != "("

    def _if(self) -> ast.If:
        offset = self.offset
        arms: list[tuple[ast.Expr, ast.Stmt]] = []
        otherwise = None
        while True:
            self.take("if")
            self.take("(")
            condition = self.expression()
            self.take(")")
            arms.append((condition, self.scoped()))
            if not self.accept("else"):
                break
            if self.kind != "if":
                otherwise = self.scoped()
                break
        return ast.If(offset, arms, otherwise)

    def _condition(self) -> ast.Expr | ast.Variables:
        """Of while and for: an expression, or a variable with an initializer."""
        if not self._at_declaration():
            return self.expression()
        qualifiers = self.qualifiers()
        type_ = self.type_name()
        name, at = self.take_name()
        self.take("=")
        init = self.initializer()
        self.declare(name, False)
        return ast.Variables(at, qualifiers, type_, [ast.Declarator(at, name, [], init)])

    def _while(self) -> ast.While:
        offset = self.take("while")
        self.take("(")
        self.scopes.append({})
        condition = self._condition()
        self.take(")")
        body = self.scoped()
        self.scopes.pop()
        return ast.While(offset, condition, body)

    def _do(self) -> ast.DoWhile:
        offset = self.take("do")
        body = self.scoped()
        self.take("while")
        self.take("(")
        condition = self.expression()
        self.take(")")
        self.take(";")
        return ast.DoWhile(offset, body, condition)

    def _for(self) -> ast.For:
        offset = self.take("for")
        self.take("(")
        self.scopes.append({})
        init: ast.Stmt
        if self.kind == ";" or not self._at_declaration():
            at = self.offset
            init = ast.Evaluate(at, None if self.kind == ";" else self.expression())
            self.take(";")
        else:
            init = self.declaration()
            if isinstance(init, ast.Function):
                self.fail("';'")
        condition = None if self.kind == ";" else self._condition()
        self.take(";")
        step = None if self.kind == ")" else self.expression()
        self.take(")")
        body = self.scoped()
        self.scopes.pop()
        return ast.For(offset, init, condition, step, body)

    def _switch(self) -> ast.Switch:
        offset = self.take("switch")
        self.language.need(offset, "switch", "switch is")
        self.take("(")
        value = self.expression()
        self.take(")")
        return ast.Switch(offset, value, self.compound())

    def _case(self) -> ast.Case:
        offset = self.offset
        value = None
        if self.accept("default"):
            pass
        else:
            self.take("case")
            value = self.expression()
        self.take(":")
        return ast.Case(offset, value)

    def _jump(self) -> ast.Jump:
        kind, offset = self.kind, self.offset
        self.next()
        value = self.expression() if kind == "return" and self.kind != ";" else None
        self.take(";")
        return ast.Jump(offset, kind, value)


_STATEMENTS = {
    "if": Parser._if, "while": Parser._while, "do": Parser._do, "for": Parser._for,
    "switch": Parser._switch, "case": Parser._case, "default": Parser._case,
    "break": Parser._jump, "continue": Parser._jump, "return": Parser._jump,
    "discard": Parser._jump,
}  # fmt: skip


def parse(tokens: Tokens, log: Log, language: Language) -> ast.Unit:
    """Tokens to a tree."""
    return Parser(tokens, log, language).unit()
