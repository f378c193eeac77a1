# SPDX-License-Identifier: MIT
"""The expressions of `#if` and `#elif`: integers, `defined` and C's operators (GLSL 3.3).

In: tokens after macro expansion.  Out: a number, 64 bits wide and signed as Mesa's are.
An operand that `&&` or `||` does not need is read, and not evaluated: there a division by 0 or,
in ES, a name that is no macro is no error.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from pydri.glsl.source.lexer import Token

MAX_NESTING: Final = 400


class ConditionError(Exception):
    """A mistake in a condition, and where."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


def _divide(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


#: operator -> (precedence, function); && and || have no function here
_BINARY: Final[dict[str, tuple[int, Callable[[int, int], int] | None]]] = {
    "||": (1, None), "&&": (2, None),
    "|": (3, operator.or_), "^": (4, operator.xor), "&": (5, operator.and_),
    "==": (6, operator.eq), "!=": (6, operator.ne),
    "<": (7, operator.lt), ">": (7, operator.gt), "<=": (7, operator.le), ">=": (7, operator.ge),
    "<<": (8, lambda a, b: a << (b & 63)), ">>": (8, lambda a, b: a >> (b & 63)),
    "+": (9, operator.add), "-": (9, operator.sub),
    "*": (10, operator.mul), "/": (10, _divide), "%": (10, lambda a, b: a - b * _divide(a, b)),
}  # fmt: skip
_UNARY: Final[dict[str, Callable[[int], int]]] = {
    "+": operator.pos, "-": operator.neg, "~": operator.invert, "!": operator.not_,
}  # fmt: skip
_NO_DIVISOR: Final = {
    "/": "division by 0 in preprocessor directive", "%": "zero modulus in preprocessor directive",
}  # fmt: skip


def number(text: str) -> int:
    """An integer as the language writes it: decimal, octal or hexadecimal, perhaps with a u."""
    text = text.rstrip("uU")
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    return int(text, 8) if text[0] == "0" else int(text[:4000])


def wrap(value: int) -> int:
    """To 64 bits, signed."""
    return (int(value) + (1 << 63)) % (1 << 64) - (1 << 63)


class Condition:
    """One expression."""

    __slots__ = ("at", "depth", "end", "es", "is_macro", "tokens")

    def __init__(
        self, tokens: list[Token], end: int, es: bool, is_macro: Callable[[str], bool]
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self.end = end
        self.es = es
        self.is_macro = is_macro
        self.depth = 0

    def evaluate(self) -> int:
        """The whole expression's value."""
        value = self._binary(1, True)
        if self.at < len(self.tokens):
            raise self._unexpected()
        return value

    def _unexpected(self) -> ConditionError:
        if self.at < len(self.tokens):
            _, text, offset = self.tokens[self.at]
            return ConditionError(offset, f"syntax error, unexpected {text}")
        return ConditionError(self.end, "syntax error, unexpected end of line")

    def _kind(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else "end"

    def _binary(self, least: int, live: bool) -> int:
        left = self._unary(live)
        while True:
            operation = self._kind()
            precedence, function = _BINARY.get(operation, (0, None))
            if precedence < least or not precedence:
                return left
            offset = self.tokens[self.at][2]
            self.at += 1
            needed = live and (operation != "&&" or left != 0) and (operation != "||" or left == 0)
            right = self._binary(precedence + 1, needed)
            if not live:
                continue
            if operation == "&&":
                left = int(left != 0 and right != 0)
            elif operation == "||":
                left = int(left != 0 or right != 0)
            elif operation in _NO_DIVISOR and right == 0:
                raise ConditionError(offset, _NO_DIVISOR[operation])
            else:
                assert function is not None
                left = wrap(function(left, right))

    def _unary(self, live: bool) -> int:
        before: list[Callable[[int], int]] = []
        while self._kind() in _UNARY:
            before.append(_UNARY[self._kind()])
            self.at += 1
        value = self._primary(live)
        for function in reversed(before):
            value = wrap(function(value))
        return value

    def _primary(self, live: bool) -> int:
        kind = self._kind()
        if kind == "int":
            self.at += 1
            return wrap(number(self.tokens[self.at - 1][1]))
        if kind == "(":
            self.at += 1
            self.depth += 1
            if self.depth > MAX_NESTING:
                raise ConditionError(self.tokens[self.at - 1][2], "nested too deeply")
            value = self._binary(1, live)
            self.depth -= 1
            if self._kind() != ")":
                raise self._unexpected()
            self.at += 1
            return value
        if kind not in ("name", "painted"):
            raise self._unexpected()
        _, name, offset = self.tokens[self.at]
        self.at += 1
        if name == "defined":
            return self._defined(offset)
        if self.es and live:
            raise ConditionError(
                offset, f"undefined macro {name} in expression (illegal in GLES)")  # fmt: skip
        return 0

    def _defined(self, offset: int) -> int:
        """A `defined` that a macro brought."""
        parenthesis = self._kind() == "("
        self.at += parenthesis
        if self._kind() not in ("name", "painted"):
            raise ConditionError(offset, '"defined" not followed by an identifier')
        name = self.tokens[self.at][1]
        self.at += 1
        if parenthesis:
            if self._kind() != ")":
                raise ConditionError(offset, '"defined" not followed by an identifier')
            self.at += 1
        return int(self.is_macro(name))
