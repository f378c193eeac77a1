# SPDX-License-Identifier: MIT
"""The words of an assembly program (ARB_vertex_program 2.14.2, ARB_fragment_program 3.11.2).

In: a text. Out: `Token`s, one a call. Of all rules that match, the one with the longest match
counts. A word is a keyword, an opcode, or a name, and which of them depends on the language, on the
options given so far, and on whether the name has been declared: so a token is made when the parser
asks for it. Columns, and positions, are the peer's, which also counts what it puts back, and line
ends twice. Counterpart of Mesa's program_lexer.l.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pydri.nir.scalar import single
from pydri.prog.grammar import DOTTED, TOKENS
from pydri.prog.instructions import NOOP, Swizzle
from pydri.prog.lalr import END, INVALID, Place, Token
from pydri.prog.languages import LANGUAGES
from pydri.prog.opcodes import OPCODES

_BLANK: Final = re.compile(r"[ \t\r]+|#[^\n]*")
_WORD: Final = re.compile(r"[_a-zA-Z$][_a-zA-Z0-9$]*")
_NUMBER: Final = re.compile(
    r"[0-9]*\.[0-9]+(?:[Ee][-+]?[0-9]+)?|[0-9]+\.[Ee][-+]?[0-9]+|[0-9]+\.(?=[^.])"
    r"|[0-9]+[Ee][-+]?[0-9]+"
)
_INTEGER: Final = re.compile("[0-9]+")
_TARGET: Final = re.compile("[123]D")
_DOTTED: Final = re.compile(
    r"\.[ \t]*(" + "|".join(sorted(DOTTED, key=len, reverse=True)) + ")"
)
_LETTERS: Final = {"x": 0, "y": 1, "z": 2, "w": 3, "r": 0, "g": 1, "b": 2, "a": 3}


def _masks(letters: str) -> re.Pattern[str]:
    """Four of the letters in any order, or some of them in order."""
    x, y, z, w = list(letters)
    some = [f"{x}{y}{z}", f"{x}{y}{w}", f"{x}{z}{w}", f"{y}{z}{w}", f"{x}[{y}{z}{w}]",
            f"{y}[{z}{w}]", f"{z}{w}", f"[{letters}]"]  # fmt: skip
    return re.compile(rf"\.([{letters}]{{4}}|{'|'.join(some)})")


_XYZW, _RGBA = _masks("xyzw"), _masks("rgba")
#: words of both languages
_WORDS: Final = {
    word: word for word in ("ALIAS", "ATTRIB", "END", "OPTION", "OUTPUT", "PARAM", "TEMP")
} | {"program": "PROGRAM", "state": "STATE", "result": "RESULT"}  # fmt: skip
#: words of a dot that only one language has
_OF_VERTICES: Final = frozenset((
    "clip", "matrixindex", "normal", "point", "pointsize", "size", "texgen", "q", "s", "t",
    "attrib",
))  # fmt: skip
_OF_FRAGMENTS: Final = frozenset(("depth", "range", "texenv"))
#: words for texture targets, and the options that they need
_TARGETS: Final = {
    "1D": ("TEX_1D", ""), "2D": ("TEX_2D", ""), "3D": ("TEX_3D", ""), "CUBE": ("TEX_CUBE", ""),
    "RECT": ("TEX_RECT", "rect"), "SHADOW1D": ("TEX_SHADOW1D", "shadow"),
    "SHADOW2D": ("TEX_SHADOW2D", "shadow"), "SHADOWRECT": ("TEX_SHADOWRECT", "shadow rect"),
    "ARRAY1D": ("TEX_ARRAY1D", "array"), "ARRAY2D": ("TEX_ARRAY2D", "array"),
    "ARRAYSHADOW1D": ("TEX_ARRAYSHADOW1D", "shadow array"),
    "ARRAYSHADOW2D": ("TEX_ARRAYSHADOW2D", "shadow array"),
}  # fmt: skip
_CHARACTERS: Final = frozenset(token[1] for token in TOKENS if token.startswith("'"))


class Lexer:
    """The tokens of a text. `language` ("v" or "f") and `options` change while it is parsed;
    `declared` says whether a name is in use."""

    def __init__(self, text: str, declared: Callable[[str], bool]) -> None:
        self.text = text + "\n"
        self.declared = declared
        self.language = ""
        self.options: set[str] = set()
        self._at = 0
        self._line = self._column = 1
        self._position = 0

    def token(self) -> Token:
        """The next one."""
        self._skip()
        if self._at >= len(self.text):
            return Token(END, None, Place(self._line, self._column, self._line, self._column,
                                          self._position))  # fmt: skip
        kind, value, length, used = self._match()
        first = self._column
        self._advance(length)
        self._at += used
        place = Place(self._line, first, self._line, self._column, self._position)
        return Token(kind, value, place)

    def _advance(self, length: int) -> None:
        """Something was matched."""
        if self._line == 1 and self._column == 1:
            self._position = 1
        else:
            self._position += length
        self._column += length

    def _skip(self) -> None:
        """White space, comments and ends of lines."""
        while self._at < len(self.text):
            if self.text[self._at] == "\n":
                self._advance(1)
                self._at += 1
                self._line, self._column = self._line + 1, 1
                self._position += 1
            elif found := _BLANK.match(self.text, self._at):
                self._advance(len(found[0]))
                self._at = found.end()
            else:
                return

    def _match(self) -> tuple[str, object, int, int]:
        """Kind and value of what is here, the length of what matched, and how much is used."""
        text, at = self.text, self._at
        for word, kind in (("!!ARBvp1.0", "ARBvp_10"), ("!!ARBfp1.0", "ARBfp_10")):
            if text.startswith(word, at):
                return kind, None, len(word), len(word)
        if text[at] == ".":
            return self._dot()
        if found := _WORD.match(text, at):
            return *self._word(found[0]), len(found[0]), len(found[0])
        number, target = _NUMBER.match(text, at), _TARGET.match(text, at)
        integer = _INTEGER.match(text, at)
        if number and (not integer or number.end() > integer.end()):
            return "REAL", _real(number[0]), len(number[0]), len(number[0])
        if target and (not integer or target.end() > integer.end()):
            return *self._word(target[0]), 2, 2
        if integer:
            return "INTEGER", _int(integer[0]), len(integer[0]), len(integer[0])
        character = text[at]
        if character == "\0" or ord(character) > 127:
            return END, None, 1, 1  # the peer's tokens are numbers, and these are none
        return (f"'{character}'" if character in _CHARACTERS else INVALID), None, 1, 1

    def _word(self, word: str) -> tuple[str, object]:
        """A keyword, an opcode or a name."""
        name = ("USED_IDENTIFIER" if self.declared(word) else "IDENTIFIER"), word
        if word in _WORDS:
            return _WORDS[word], word
        base, saturated = (word[:-4], True) if word.endswith("_SAT") else (word, False)
        row = OPCODES.get(base)
        # what both languages have counts before the header, too
        if row and row.token and (self.language or "vf") in row.languages:
            if not saturated or (self.language == "f" and row.saturates):
                return row.token, (base, saturated)
        if word == "ADDRESS":
            return (word, word) if self.language == "v" else name
        if word in LANGUAGES:
            return (word.upper(), word) if self.language == LANGUAGES[word].letter else name
        if self.language == "f":
            if word == "texture":
                return "TEXTURE_UNIT", word
            if word in _TARGETS and set(_TARGETS[word][1].split()) <= self.options:
                return _TARGETS[word][0], word
        return name

    def _dot(self) -> tuple[str, object, int, int]:
        """What begins with a dot. A word of the other language is a dot and a name, though the
        place behind it is counted as if the word were one."""
        text, at = self.text, self._at
        best: tuple[int, str, object, bool] = (1, "DOT", None, True)
        if text.startswith("..", at):
            best = (2, "DOT_DOT", None, True)
        if number := _NUMBER.match(text, at):
            best = (len(number[0]), "REAL", _real(number[0]), True)
        if dotted := _DOTTED.match(text, at):
            word = dotted[1]
            allowed = self.language == "v" if word in _OF_VERTICES else (
                self.language == "f" if word in _OF_FRAGMENTS else True)  # fmt: skip
            best = max(best, (len(dotted[0]), DOTTED[word], word, allowed), key=_length)
        if mask := _XYZW.match(text, at):
            best = max(best, (len(mask[0]), *_mask(mask[1]), True), key=_length)
        if mask := _RGBA.match(text, at):
            if mask[1] == "r" and self.language == "v":
                best = max(best, (2, "TEXGEN_R", "r", True), key=_length)
            else:
                good = self.language == "f" or mask[1] == "r"
                best = max(best, (len(mask[0]), *_mask(mask[1]), good), key=_length)
        length, kind, value, allowed = best
        return (kind, value, length, length) if allowed else ("DOT", None, length, 1)


def _length(found: tuple[int, str, object, bool]) -> int:
    return found[0]


def _mask(letters: str) -> tuple[str, tuple[Swizzle, int]]:
    """Token, swizzle and write mask of `.xyz`: where the letters are no swizzle, it is none."""
    parts = [_LETTERS[letter] for letter in letters]
    if len(parts) == 1:
        return "MASK1", ((parts[0],) * 4, 1 << parts[0])
    mask = sum(1 << part for part in set(parts))
    if len(parts) < 4:
        return f"MASK{len(parts)}", (NOOP, mask)
    swizzle = (parts[0], parts[1], parts[2], parts[3])
    return ("MASK4" if swizzle == NOOP else "SWIZZLE"), (swizzle, mask)


def _int(digits: str) -> int:
    """As strtol's result in an int."""
    value = min(int(digits[:40]), (1 << 63) - 1) & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _real(text: str) -> float:
    """A single: one beyond its range is infinite, as strtof has it."""
    return single(float(text))


__all__ = ["Lexer"]
