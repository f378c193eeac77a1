# SPDX-License-Identifier: MIT
"""A source in pieces: each is a directive and the text behind it, up to the next directive.

In: a text. Out: `Piece`s, and where they start. Large programs compile dozens of shaders that have
a library in common, so most pieces were met before: they are read once, and what their text becomes
(`Expansion`), and what its directive comes to, is kept beside the macros that decide it. Offsets
within a piece count from its start.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from pydri.glsl.source.lexer import scan
from pydri.glsl.source.macros import Macro
from pydri.util.recent import Recent

#: characters of pieces that are kept
_ROOM: Final = 1 << 18
#: what the text, or the condition, of a piece became under this many sets of macros
_EXPANSIONS: Final = 4
_BREAK: Final = re.compile(r"\n(?=[ \t\v\f]*#)")


class Expansion:
    """What a text becomes where `names` mean these macros (None: no macro), and words are those."""

    __slots__ = ("definitions", "kinds", "names", "offsets", "texts", "words")

    def __init__(
        self, words: dict[str, str], names: tuple[str, ...],
        definitions: tuple[Macro | None, ...], kinds: list[str], texts: list[str],
        offsets: list[int],
    ) -> None:  # fmt: skip
        self.words = words
        self.names = names
        self.definitions = definitions
        self.kinds = kinds
        self.texts = texts
        self.offsets = offsets


class Decision(NamedTuple):
    """What an #if or #elif comes to where `names` mean these macros, in OpenGL ES or not."""

    names: tuple[str, ...]
    definitions: tuple[Macro | None, ...]
    es: bool
    value: bool


class Piece:
    """`directive`: its tokens, of which the first is `#`; none: a text without one. `names`: those
    in the text behind it, which begins with the token of this number (`begin`) and has some if
    `has_text`. `open`: where a comment begins that does not end in it, `later`: where a directive
    begins that is not at its start; -1: nowhere. `macro`, `decisions`: what directives came to.
    """

    __slots__ = (
        "begin", "decisions", "directive", "expansions", "has_text", "later", "macro", "names",
        "open",
    )  # fmt: skip

    def __init__(self, text: str) -> None:
        tokens, self.open = scan(text)
        at, count = 0, len(tokens)
        while at < count and tokens[at][0] == "\n":
            at += 1
        start = at
        if at < count and tokens[at][0] == "#":
            while at < count and tokens[at][0] != "\n":
                at += 1
        self.directive = tokens[start:at]
        self.begin = at if self.directive else 0
        self.later = -1
        names: dict[str, None] = {}
        before, self.has_text = "\n", False
        for kind, name, offset in tokens[at:]:
            if kind == "name":
                names[name] = None
            elif kind == "#" and before == "\n":
                self.later = offset
                break
            self.has_text = self.has_text or kind != "\n"
            before = kind
        self.names = tuple(names)
        self.expansions: list[Expansion] = []
        self.decisions: list[Decision] = []
        self.macro: Macro | None = None

    def decide(self, decision: Decision) -> None:
        """Keep what the directive came to; the latest first."""
        self.decisions = [decision, *self.decisions[: _EXPANSIONS - 1]]

    def keep(self, expansion: Expansion) -> None:
        """Keep what the text became; the latest first."""
        self.expansions = [expansion, *self.expansions[: _EXPANSIONS - 1]]


_pieces: Recent[str, Piece] = Recent(_ROOM)


def _piece(text: str) -> Piece:
    found = _pieces.get(text)
    if found is None:
        found = Piece(text)
        _pieces.put(text, found, len(text))
    return found


def split(text: str) -> Iterator[tuple[int, str, Piece]]:
    """The pieces of a text, in order: where each starts, its text, and what was read of it."""
    starts = [0, *(found.end() for found in _BREAK.finditer(text)), len(text)]
    at, end = 0, 1
    while at < len(text):
        part = text[at : starts[end]]
        piece = _piece(part)
        while piece.open >= 0 and end + 1 < len(starts):
            # The comment holds what looks like a directive. To go twice as far each time keeps a
            # text of comments alone from being read again for each of its lines.
            end = min(bisect_right(starts, at + 2 * len(part)), len(starts) - 1)
            part = text[at : starts[end]]
            piece = _piece(part)
        if piece.later > 0:
            part = part[: piece.later]
            piece = _piece(part)
        yield at, part, piece
        at += len(part)
        end = bisect_right(starts, at)


def forget() -> None:
    """Forget all pieces."""
    _pieces.clear()


__all__ = ["Decision", "Expansion", "Piece", "forget", "split"]
