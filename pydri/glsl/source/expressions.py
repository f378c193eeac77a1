# SPDX-License-Identifier: MIT
"""Recursive descent over expressions, with precedence climbing for binary operators.

In: `Tokens`.  Out: `ast` nodes.  The common ground of the parsers is here too: how tokens are
taken, what a syntax error is, and the limit on nesting, without which a shader of ten thousand
parentheses would exhaust Python's stack (`compiler.py` makes room for MAX_NESTING levels). Chains
(`a + b + c`, `else if`) do not nest.
"""

from __future__ import annotations

from typing import Final, NoReturn

from pydri.glsl.language.builtin_variables import STRUCTS, struct_type
from pydri.glsl.language.versions import Language
from pydri.glsl.log import Log
from pydri.glsl.source import ast
from pydri.glsl.source.preprocess import Tokens

#: levels of parentheses, blocks, prefix operators and the like
MAX_NESTING: Final = 800

PRECEDENCE: Final = {
    "||": 1, "^^": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7,
    "<": 8, ">": 8, "<=": 8, ">=": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip
ASSIGNMENTS: Final = frozenset(
    ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="))
PREFIXES: Final = {"+": "+", "-": "-", "!": "!", "~": "~", "++": "++x", "--": "--x"}
#: how messages call a token whose text alone would not say it
_NAMES: Final = {"name": "identifier", "int": "number", "float": "number", "other": "character"}
#: characters of an identifier in OpenGL ES (GLSL ES 3.00, 3.8)
MAX_IDENTIFIER: Final = 1024


class SyntaxMistake(Exception):
    """The text does not follow the grammar; it has been reported."""


class ExpressionParser:
    """Takes tokens and makes expressions."""

    def __init__(self, tokens: Tokens, log: Log, language: Language) -> None:
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.offsets = tokens.offsets
        self.log = log
        self.language = language
        self.at = 0
        self.kind = self.kinds[0]
        self.depth = 0
        #: names of structs, and for each open scope what names are types there
        self.struct_names: set[str] = set()
        self.scopes: list[dict[str, bool]] = [{}]
        for name in STRUCTS:
            if struct_type(name, language) is not None:
                self.declare(name, True)

    # ---- tokens ---------------------------------------------------------------------------
    def next(self) -> None:
        """Take a token."""
        self.at += 1
        self.kind = self.kinds[self.at]

    def move_to(self, at: int) -> None:
        self.at = at
        self.kind = self.kinds[at]

    @property
    def offset(self) -> int:
        return self.offsets[self.at]

    def fail(self, expecting: str = "") -> NoReturn:
        """Report that the token at hand cannot stand here."""
        text = self.texts[self.at]
        if self.kind in _NAMES:
            text = f"{_NAMES[self.kind]} `{text[:60]}'"
        elif self.kind != "eof":
            text = f"'{text}'"
        tail = f", expecting {expecting}" if expecting else ""
        self.log.error(self.offset, f"syntax error, unexpected {text}{tail}")
        raise SyntaxMistake

    def take(self, kind: str) -> int:
        """Take a token of this kind; its offset."""
        if self.kind != kind:
            self.fail(f"'{kind}'" if kind not in _NAMES else _NAMES[kind])
        offset = self.offsets[self.at]
        self.at += 1
        self.kind = self.kinds[self.at]
        return offset

    def accept(self, kind: str) -> bool:
        """Take a token if it is of this kind."""
        if self.kind != kind:
            return False
        self.next()
        return True

    def take_name(self) -> tuple[str, int]:
        """Take an identifier."""
        text = self.texts[self.at]
        at = self.take("name")
        if len(text) > MAX_IDENTIFIER and self.language.es:
            self.log.error(at, f"identifier `{text[:60]}...' exceeds {MAX_IDENTIFIER} characters")
        return text, at

    def enter(self) -> None:
        """One level deeper."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            self.log.error(self.offset, f"nested deeper than {MAX_NESTING} levels")
            raise SyntaxMistake

    # ---- names of types -------------------------------------------------------------------
    def declare(self, name: str, is_type: bool) -> None:
        """A name means a type, or something else, in the innermost scope."""
        if is_type:
            self.struct_names.add(name)
        if name in self.struct_names:
            self.scopes[-1][name] = is_type

    def is_type(self, name: str) -> bool:
        """Is a name that of a struct, here?"""
        if name not in self.struct_names:
            return False
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return False

    def at_type(self) -> bool:
        """Does a type's name stand here?"""
        return self.kind == "type" or (
            self.kind == "name" and bool(self.struct_names) and self.is_type(self.texts[self.at])
        )

    def simple_type(self) -> str:
        """Take the name of a type."""
        name = self.texts[self.at]
        self.next()
        if name == "unsigned":  # EXT_gpu_shader4 says `unsigned int` for 1.30's uint
            if self.texts[self.at] != "int":
                self.fail("'int'")
            self.next()
            return "uint"
        return name

    # ---- expressions ----------------------------------------------------------------------
    def expression(self) -> ast.Expr:
        """With commas."""
        first = self.assignment()
        if self.kind != ",":
            return first
        parts = [first]
        offset = self.offset
        while self.accept(","):
            parts.append(self.assignment())
        return ast.Sequence(offset, parts)

    def assignment(self) -> ast.Expr:
        """Without commas: an operand chain, then perhaps `?:` or an assignment."""
        left = self.binary(1)
        kind = self.kind
        if kind in ASSIGNMENTS:
            self.next()
            self.enter()
            value = self.assignment()
            self.depth -= 1
            return ast.Assign(left.at, kind, left, value)
        if kind == "?":
            return self._choice(left)
        return left

    def constant(self) -> ast.Expr:
        """A constant_expression of the grammar: neither commas nor assignments."""
        left = self.binary(1)
        return self._choice(left) if self.kind == "?" else left

    def _choice(self, condition: ast.Expr) -> ast.Expr:
        self.take("?")
        self.enter()
        then = self.expression()
        self.take(":")
        otherwise = self.assignment()
        self.depth -= 1
        return ast.Choice(condition.at, condition, then, otherwise)

    def binary(self, least: int) -> ast.Expr:
        """A chain of operators that bind at least this strongly."""
        left = self.unary()
        precedence = PRECEDENCE.get(self.kind, 0)
        while precedence >= least:
            operator = self.kind
            self.next()
            right = self.binary(precedence + 1)
            left = ast.Binary(left.at, operator, left, right)
            precedence = PRECEDENCE.get(self.kind, 0)
        return left

    def unary(self) -> ast.Expr:
        """Prefix operators, then a primary with what follows it."""
        if self.kind not in PREFIXES:
            return self.postfix(self.primary())
        before: list[tuple[str, int]] = []
        while self.kind in PREFIXES:
            before.append((PREFIXES[self.kind], self.offset))
            self.enter()
            self.next()
        operand = self.postfix(self.primary())
        for operator, offset in reversed(before):
            operand = ast.Unary(offset, operator, operand)
            self.depth -= 1
        return operand

    def primary(self) -> ast.Expr:
        """A name, number, call, constructor or parenthesis."""
        kind, offset = self.kind, self.offsets[self.at]
        if kind == "name":
            text = self.texts[self.at]
            if self.struct_names and self.is_type(text):
                return self.constructor()
            self.next()
            if self.kind == "(":
                return ast.Call(offset, text, self.arguments())
            return ast.Name(offset, text)
        if kind == "float" or kind == "int":
            found = self.number()
            self.next()
            return found
        if kind == "type" or kind == "struct":
            return self.constructor()
        if kind == "(":
            self.next()
            self.enter()
            inner = self.expression()
            self.depth -= 1
            self.take(")")
            return inner
        if kind == "true" or kind == "false":
            self.next()
            return ast.Number(offset, "bool", kind == "true")
        self.fail()

    def postfix(self, value: ast.Expr) -> ast.Expr:
        """Indices, fields, methods, ++ and --."""
        extra = 0
        while True:
            kind, offset = self.kind, value.at
            if kind == ".":
                self.next()
                name, _ = self.take_name()
                if self.kind == "(":
                    value = ast.Method(offset, value, name, self.arguments())
                else:
                    value = ast.Field(offset, value, name)
            elif kind == "[":
                self.next()
                self.enter()
                index = self.expression()
                self.depth -= 1
                self.take("]")
                value = ast.Index(offset, value, index)
            elif kind == "++" or kind == "--":
                self.next()
                value = ast.Unary(offset, "x" + kind, value)
            else:
                break
            extra += 1
            self.enter()
        self.depth -= extra
        return value

    def arguments(self) -> list[ast.Expr]:
        """`(a, b)`, `()` or `(void)`."""
        self.take("(")
        if self.accept(")"):
            return []
        if self.kind == "type" and self.texts[self.at] == "void":
            self.next()
            self.take(")")
            return []
        self.enter()
        found = [self.assignment()]
        while self.accept(","):
            found.append(self.assignment())
        self.depth -= 1
        self.take(")")
        return found

    def constructor(self) -> ast.Expr:
        """`vec3(...)`, `S(...)`, `float[](...)`."""
        offset = self.offset
        if self.kind == "struct":
            self.fail()
        name = self.simple_type()
        sizes = self.array_sizes()
        return ast.Construct(offset, ast.TypeName(offset, name, None, sizes), self.arguments())

    def array_sizes(self) -> list[ast.Expr | None]:
        """`[3][]`: the sizes between the brackets, if there are any."""
        sizes: list[ast.Expr | None] = []
        while self.kind == "[":
            offset = self.offset
            self.next()
            if self.kind == "]":
                sizes.append(None)
            else:
                self.enter()
                sizes.append(self.constant())
                self.depth -= 1
            self.take("]")
            if len(sizes) == 2:
                self.language.need(offset, "array_of_arrays", "array of arrays is")
        return sizes

    def number(self) -> ast.Number:
        """The number at hand."""
        text, offset, language = self.texts[self.at], self.offset, self.language
        if self.kind == "float":
            tail = text.lstrip("0123456789.+-eE")
            if tail in ("lf", "LF"):
                language.need(offset, "doubles", "double is")
                return ast.Number(offset, "double", float(text[:-2]))
            if tail and not language.has("float_suffix"):
                if language.es:
                    self.log.error(offset, f"Float suffixes are invalid in {language.text}")
                else:
                    self.log.warning(offset, f"Float suffixes are invalid in {language.text}")
            return ast.Number(offset, "float", float(text.rstrip("fF")))
        kind = "uint" if text[-1] in "uU" else "int"
        if kind == "uint":
            language.need(offset, "unsigned", "an unsigned number is")
        digits = text.rstrip("uU")
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10
        value = int(digits[:400], base)
        # A number above 32 bits is an error since 1.30 only; a decimal one may be 2^31, which a
        # minus sign before it needs.
        if value > 0xFFFFFFFF:
            message = f"literal value `{text[:60]}' out of range"
            if language.has("literal_range"):
                self.log.error(offset, message)
            else:
                self.log.warning(offset, message)
        value &= 0xFFFFFFFF
        if kind == "int" and value > 0x7FFFFFFF:
            value -= 1 << 32
        return ast.Number(offset, kind, value)
