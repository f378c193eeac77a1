# SPDX-License-Identifier: MIT
"""Recursive descent over declarations: types, qualifiers, structs, blocks, variables, prototypes.

In: `Tokens`.  Out: `ast` nodes. What qualifiers may stand where is the checker's business; their
order is kept.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl.source import ast
from pydri.glsl.source.expressions import ExpressionParser

QUALIFIERS: Final = frozenset(
    ("const", "attribute", "varying", "uniform", "in", "out", "inout", "centroid", "invariant",
     "flat", "smooth", "noperspective", "lowp", "mediump", "highp", "layout", "sample", "patch",
     "subroutine", "precise", "buffer", "shared", "coherent", "volatile", "restrict", "readonly",
     "writeonly")
)  # fmt: skip
PRECISIONS: Final = frozenset(("lowp", "mediump", "highp"))


class DeclarationParser(ExpressionParser):
    """Expressions, and declarations on top of them."""

    def qualifiers(self) -> ast.Qualifiers:
        """All qualifiers that stand here, perhaps none."""
        found = ast.Qualifiers(self.offset, [], [], [])
        while self.kind in QUALIFIERS:
            kind, offset = self.kind, self.offset
            found.words.append((kind, offset))
            self.next()
            if kind == "layout":
                self._layout(found)
            elif kind == "subroutine" and self.accept("("):
                while True:
                    found.subroutines.append(self.take_name()[0])
                    if not self.accept(","):
                        break
                self.take(")")
        return found

    def _layout(self, found: ast.Qualifiers) -> None:
        self.take("(")
        while True:
            text, offset = self.texts[self.at], self.offset
            # Some names of layouts are keywords (`shared`), others reserved words.
            if not (text[0].isalpha() or text[0] == "_"):
                self.fail("a name of a layout")
            self.next()
            if not self.language.has("layout_case"):
                text = text.lower()  # GLSL 1.50, 4.3.8
            value = None
            if self.accept("="):
                value = self.constant()
            # They are not case sensitive, but for OpenGL ES's (GLSL 1.50, 4.3.8; ES 3.00, 4.3.8).
            name = text if self.language.es else text.lower()
            found.layout.append(ast.Layout(offset, name, value))
            if not self.accept(","):
                break
        self.take(")")

    def type_name(self) -> ast.TypeName:
        """A type, with brackets behind it."""
        offset, text = self.offset, self.texts[self.at]
        struct = None
        if self.kind == "struct":
            struct = self._struct()
            text = struct.name
        elif self.at_type():
            text = self.simple_type()
        else:
            self.fail("a type")
        sizes = self.array_sizes()
        return ast.TypeName(offset, text, struct, sizes)

    def _struct(self) -> ast.StructDef:
        offset = self.take("struct")
        name = ""
        if self.kind == "name":
            name, offset = self.take_name()
            # The name stands for the type from here on, in the members too (GLSL 4.1.8).
            self.declare(name, True)
        self.take("{")
        self.enter()
        members: list[ast.Variables] = []
        while self.kind != "}":
            members.append(self.member())
        self.depth -= 1
        if not members:
            self.fail("a member")
        self.take("}")
        return ast.StructDef(offset, name, members)

    def member(self) -> ast.Variables:
        """A member of a struct or block."""
        qualifiers = self.qualifiers()
        offset = self.offset
        type_ = self.type_name()
        names: list[ast.Declarator] = []
        while True:
            name, at = self.take_name()
            names.append(ast.Declarator(at, name, self.array_sizes(), None))
            if not self.accept(","):
                break
        self.take(";")
        return ast.Variables(offset, qualifiers, type_, names)

    def declaration(self) -> ast.Stmt:
        """Anything that declares; a function's body is left to the caller."""
        if self.kind == "precision":
            return self._precision()
        qualifiers = self.qualifiers()
        if qualifiers.words:
            if self.kind == ";" and qualifiers.layout:
                self.next()
                return ast.Requalify(qualifiers.at, qualifiers, [])
            if self.kind == "name":
                following = self.kinds[self.at + 1]
                if following == "{":
                    return self._block(qualifiers)
                if following in (",", ";") and not self.at_type():
                    return self._requalify(qualifiers)
        offset = self.offset
        type_ = self.type_name()
        if self.kind == ";":
            self.next()
            return ast.Variables(offset, qualifiers, type_, [])
        # `float, a;`: the grammar lets the first declarator be missing.
        first = not self.accept(",")
        name, at = self.take_name()
        if first and self.kind == "(":
            return self._prototype(qualifiers, type_, name, at)
        return self._declarators(qualifiers, type_, name, at)

    def _declarators(
        self, qualifiers: ast.Qualifiers, type_: ast.TypeName, name: str, at: int
    ) -> ast.Variables:
        start = qualifiers.at if qualifiers.words else type_.at
        found = ast.Variables(start, qualifiers, type_, [])
        while True:
            sizes = self.array_sizes()
            # A variable's name means the variable from behind its initializer on (4.2.2).
            init = self.initializer() if self.accept("=") else None
            self.declare(name, False)
            found.declarators.append(ast.Declarator(at, name, sizes, init))
            if self.kind != ",":
                break
            self.next()
            name, at = self.take_name()
        if self.kind != ";":
            self.fail("',' or ';'")
        self.next()
        return found

    def initializer(self) -> ast.Expr:
        """An expression or a list in braces."""
        if self.kind != "{":
            return self.assignment()
        offset = self.offset
        self.language.need(offset, "initializer_lists", "an initializer list is")
        self.next()
        self.enter()
        parts: list[ast.Expr] = []
        while True:
            parts.append(self.initializer())
            if not self.accept(",") or self.kind == "}":
                break
        self.depth -= 1
        self.take("}")
        return ast.InitList(offset, parts)

    def _precision(self) -> ast.Precision:
        offset = self.take("precision")
        if self.kind not in PRECISIONS:
            self.fail("a precision")
        precision = self.kind
        self.next()
        type_ = self.type_name()
        self.take(";")
        return ast.Precision(offset, precision, type_)

    def _requalify(self, qualifiers: ast.Qualifiers) -> ast.Requalify:
        names = []
        while True:
            names.append(self.take_name())
            if not self.accept(","):
                break
        self.take(";")
        return ast.Requalify(qualifiers.at, qualifiers, names)

    def _block(self, qualifiers: ast.Qualifiers) -> ast.Block:
        name, offset = self.take_name()
        words = {word for word, _ in qualifiers.words}
        if "buffer" in words:
            self.language.need(offset, "buffer_blocks", "buffer blocks are")
        elif "uniform" in words:
            self.language.need(offset, "uniform_blocks", "uniform blocks are")
        else:
            self.language.need(offset, "interface_blocks", "in and out blocks are")
        self.take("{")
        members: list[ast.Variables] = []
        while self.kind != "}":
            members.append(self.member())
        if not members:
            self.fail("a member")
        self.take("}")
        instance = None
        if self.kind == "name":
            text, at = self.take_name()
            self.language.need(at, "block_instances", "an instance name is")
            instance = ast.Declarator(at, text, self.array_sizes(), None)
        self.take(";")
        return ast.Block(offset, qualifiers, name, members, instance)

    def _prototype(
        self, qualifiers: ast.Qualifiers, result: ast.TypeName, name: str, at: int
    ) -> ast.Function:
        """The parameters; the token behind `)` stays."""
        # `subroutine void t();` makes a type, which variables may have (GLSL 4.00, 6.1.2).
        words = [word for word, _ in qualifiers.words]
        self.declare(name, "subroutine" in words and not qualifiers.subroutines)
        self.take("(")
        parameters: list[ast.Parameter] = []
        if self.kind == "type" and self.texts[self.at] == "void" and (
            self.kinds[self.at + 1] == ")"
        ):  # fmt: skip
            self.next()
        elif self.kind != ")":
            while True:
                parameters.append(self._parameter())
                if not self.accept(","):
                    break
        self.take(")")
        return ast.Function(at, qualifiers, result, name, parameters, None)

    def _parameter(self) -> ast.Parameter:
        qualifiers = self.qualifiers()
        offset = self.offset
        if self.kind == "struct":
            self.fail("a type")
        type_ = self.type_name()
        name = ""
        sizes: list[ast.Expr | None] = []
        if self.kind == "name":
            name, offset = self.take_name()
            sizes = self.array_sizes()
        return ast.Parameter(offset, qualifiers, type_, name, sizes)
