# SPDX-License-Identifier: MIT
"""The info log of one compilation, and where things stand in the source.

In: offsets into the text that the lexer read.  Out: lines as Mesa writes them, `0:12(8): error:
...`: source string, line, column, all as `#line` has set them. A token carries its offset alone;
line and column are looked up when a message is written, which is rare.
"""

from __future__ import annotations

from bisect import bisect_right

#: The log of a megabyte of garbage stays readable.
MAX_ERRORS = 200


class TooManyErrors(Exception):
    """Ends a compilation: MAX_ERRORS errors have been written."""


class Source:
    """The text, its lines, and the renumberings of `#line`."""

    __slots__ = ("_starts", "renumbered_at", "renumberings", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] = []
        #: offsets from which a renumbering holds, and (number to add to the line, source string)
        self.renumbered_at: list[int] = [0]
        self.renumberings: list[tuple[int, int]] = [(0, 0)]

    @property
    def line_starts(self) -> list[int]:
        """The offset of each line; most shaders have nothing to say of any."""
        starts = self._starts
        if not starts:
            starts.append(0)
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
        return starts

    def physical_line(self, offset: int) -> int:
        """The line of the text itself, from 1."""
        return bisect_right(self.line_starts, offset)

    def renumber(self, offset: int, line: int, string: int) -> None:
        """The line that starts at `offset` bears this number from now on."""
        self.renumbered_at.append(offset)
        self.renumberings.append((line - self.physical_line(offset), string))

    def place(self, offset: int) -> tuple[int, int, int]:
        """(source string, line, column) of an offset."""
        line = self.physical_line(offset)
        add, string = self.renumberings[bisect_right(self.renumbered_at, offset) - 1]
        return string, line + add, offset - self.line_starts[line - 1] + 1


class Log:
    """Messages in the order in which they were found."""

    __slots__ = ("errors", "lines", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines: list[str] = []
        self.errors = 0

    def _add(self, offset: int, what: str, message: str) -> None:
        string, line, column = self.source.place(offset)
        self.lines.append(f"{string}:{line}({column}): {what}: {message}\n")

    def error(self, offset: int, message: str) -> None:
        """An error of the language."""
        self._add(offset, "error", message)
        self._count()

    def error_line(self, offset: int, message: str) -> None:
        """One more line of the error before."""
        self._add(offset, "error", message)

    def preprocessor_error(self, offset: int, message: str) -> None:
        """An error of a directive or macro."""
        self._add(offset, "preprocessor error", message)
        self._count()

    def warning(self, offset: int, message: str) -> None:
        """Something that compiles, and that the author wants to know."""
        self._add(offset, "warning", message)

    def preprocessor_warning(self, offset: int, message: str) -> None:
        self._add(offset, "preprocessor warning", message)

    def _count(self) -> None:
        self.errors += 1
        if self.errors >= MAX_ERRORS:
            self.lines.append("too many errors, the rest of the shader was not looked at\n")
            raise TooManyErrors

    @property
    def text(self) -> str:
        """What glGetShaderInfoLog gives."""
        return "".join(self.lines)
