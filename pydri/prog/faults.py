# SPDX-License-Identifier: MIT
"""What is wrong with a program string: GL_PROGRAM_ERROR_STRING_ARB and _POSITION_ARB."""

from __future__ import annotations

from pydri.prog.lalr import Place


class ProgramFault(Exception):
    """A mistake in a program; `text` is the whole message, with line and column."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        line, column = place.first_line, place.first_column
        self.text = f"line {line}, char {column}: error: {message}\n"
        self.position = place.position


__all__ = ["ProgramFault"]
