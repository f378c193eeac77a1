# SPDX-License-Identifier: MIT
"""A cursor over the text of a shader: words, numbers, components, and where it stands.

In: text.  Out: what is asked for, or TextError with line and column.
"""

from __future__ import annotations

import struct

from pydri.tgsi.tokens.enums import COMPONENTS

_BLANKS = " \t\n\r"
_DIGITS = "0123456789"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#: longer texts of digits are no number that a shader can hold
_MOST_DIGITS = 400


class TextError(ValueError):
    """Text that is no shader; `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"{message} [{line} : {column}]")
        self.line, self.column = line, column


class Cursor:
    """Reads from left to right; blanks before everything are skipped."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.upper = "".join(c.upper() if c.isascii() else c for c in text)
        self.at = 0

    def error(self, message: str, at: int | None = None) -> TextError:
        """An error here, or at a place."""
        where = self.place() if at is None else at
        line = self.text.count("\n", 0, where) + 1
        return TextError(message, line, where - (self.text.rfind("\n", 0, where) + 1) + 1)

    def skip(self) -> None:
        """Over blanks."""
        while self.at < len(self.text) and self.text[self.at] in _BLANKS:
            self.at += 1

    def place(self) -> int:
        """Where the next thing begins."""
        self.skip()
        return self.at

    def at_end(self) -> bool:
        """Nothing is left."""
        return self.place() == len(self.text)

    def peek(self) -> str:
        """The next character, nothing at the end."""
        return self.upper[self.place() : self.at + 1]

    def next_is(self, characters: str) -> bool:
        """The next character is one of these."""
        return self.peek() != "" and self.peek() in characters

    def number_next(self) -> bool:
        """A digit comes."""
        return self.next_is(_DIGITS)

    def accept(self, text: str) -> bool:
        """Take this if it comes."""
        if not self.upper.startswith(text, self.place()):
            return False
        self.at += len(text)
        return True

    def expect(self, text: str) -> None:
        """Take this, which must come."""
        if not self.accept(text):
            raise self.error(f"Expected `{text}'")

    def _run(self, characters: str) -> str:
        start = self.at
        while self.at < len(self.upper) and self.upper[self.at] in characters:
            self.at += 1
        return self.upper[start : self.at]

    def peek_word(self) -> str:
        """The next word, which stays; nothing if none comes."""
        at = self.place()
        found = self._run(_LETTERS + _DIGITS)
        self.at = at
        return found

    def word(self, what: str) -> str:
        """The next word, in capitals."""
        found = self.peek_word()
        if not found:
            raise self.error(f"Expected {what}")
        self.at += len(found)
        return found

    def one_of(self, words: tuple[str, ...], what: str) -> int:
        """The number of the word that comes."""
        at = self.place()
        found = self.word(what)
        if found not in words:
            raise self.error(f"Expected {what}, not {found}", at)
        return words.index(found)

    def unsigned(self) -> int:
        """Digits."""
        at = self.place()
        digits = self._run(_DIGITS)
        if not digits or len(digits) > _MOST_DIGITS:
            raise self.error("Expected literal unsigned integer", at)
        return int(digits)

    def signed(self) -> int:
        """Digits with or without a sign."""
        self.skip()
        sign = -1 if self.accept("-") else 1
        if sign == 1:
            self.accept("+")
        return sign * self.unsigned()

    def double(self) -> float:
        """A number as C's strtod reads it (no hexadecimal ones)."""
        start = self.place()
        self._sign()
        if self.upper.startswith(("INF", "NAN"), self.at):
            self.at += 3
            return float(self.upper[start : self.at])
        digits = self._run(_DIGITS)
        if self.at < len(self.upper) and self.upper[self.at] == ".":
            self.at += 1
            digits += self._run(_DIGITS)
        if not digits or len(digits) > _MOST_DIGITS:
            raise self.error("Expected immediate constant", start)
        before = self.at
        if self.upper.startswith("E", self.at):
            self.at += 1
            self._sign()
            if not self._run(_DIGITS):
                self.at = before
        return float(self.upper[start : self.at])

    def _sign(self) -> None:
        if self.at < len(self.upper) and self.upper[self.at] in "+-":
            self.at += 1

    def single(self) -> int:
        """A float's bits: a number, rounded, or 0x and eight digits, which are the bits."""
        at = self.place()
        if self.accept("0X"):
            digits = self._run(_DIGITS + "ABCDEF")
            if len(digits) != 8:
                raise self.error("Expected eight hexadecimal digits", at)
            return int(digits, 16)
        value = self.double()
        try:
            return int.from_bytes(struct.pack("<f", value), "little")
        except OverflowError:
            return 0x7F800000 if value > 0 else 0xFF800000

    def components(self, count: int) -> tuple[int, ...]:
        """So many letters of x, y, z, w."""
        at = self.place()
        found = self.upper[at : at + count].lower()
        if len(found) < count or any(c not in COMPONENTS for c in found):
            raise self.error("Expected register swizzle component `x', `y', `z' or `w'", at)
        self.at += count
        return tuple(COMPONENTS.index(c) for c in found)

    def writemask(self) -> int:
        """Letters in the order x, y, z, w, one at least."""
        self.skip()
        mask = 0
        for n, letter in enumerate(COMPONENTS.upper()):
            if self.upper.startswith(letter, self.at):
                self.at += 1
                mask |= 1 << n
        if not mask:
            raise self.error("Writemask expected")
        return mask
