# SPDX-License-Identifier: MIT
"""Text to tokens, by one compiled regular expression.

In: the source.  Out: a list of `(kind, text, offset)`.
Kinds: `name`, `int`, `float`, `other` (a character that is no part of the language, or what begins
as a number and is none, such as `1e`), `\n`, and for operators their text. Blanks and comments
leave no token; a comment counts as a blank, also when it holds line ends (GLSL 3.3), which the
offsets still know. Whether a name is a keyword depends on `#version` and `#extension`, so the
preprocessor says that when it lets a name through.
"""

from __future__ import annotations

import re
from typing import Final

#: (kind, text, offset)
Token = tuple[str, str, int]

_SCAN: Final = re.compile(
    r"""
    [ \t\r\v\f]+ | //[^\n]* | /\*(?s:.*?)\*/
    | (?P<name>[A-Za-z_]\w*)
    | (?P<op>[(){};,=\[\]] (?!=))
    | (?P<float>(?:(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)? | \d+[eE][+-]?\d+)(?:lf|LF|[fF])?) (?!\w)
    | (?P<int>(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*(?!\d))[uU]?) (?![A-Za-z_])
    | (?P<line>\n)
    | (?P<open>/\*)
    | (?P<op2><<=|>>=|\+\+|--|<=|>=|==|!=|&&|\|\||\^\^|<<|>>|\+=|-=|\*=|/=|%=|&=|\^=|\|=|\#\#
       | [-+*/%<>!~&|^?:.#=(){};,\[\]])
    | (?P<other>\.?\d\w* | .)
    """,
    re.VERBOSE | re.ASCII,
)


def join_lines(text: str) -> str:
    """Undo line continuations (GLSL 4.20, 3.3; Mesa takes them in every version).

    The line ends that go away come back after the joined line, so that later lines keep their
    numbers. `\r\n` and lone `\r` are line ends too (3.3: "in any combination").
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")
    if "\\\n" not in text:
        return text
    first, *parts = text.split("\\\n")
    out = [first]
    owed = 0
    for part in parts:
        owed += 1
        line, end, rest = part.partition("\n")
        if end:
            out.append(line + "\n" * (owed + 1) + rest)
            owed = 0
        else:
            out.append(line)
    return "".join(out) + "\n" * owed


def scan(text: str) -> tuple[list[Token], int]:
    """All tokens, and the offset of a comment that is never closed (-1 if all are)."""
    tokens: list[Token] = []
    add = tokens.append
    for match in _SCAN.finditer(text):
        kind = match.lastgroup
        if kind is None:
            continue
        found = match.group()
        if kind == "name" or kind == "float" or kind == "int" or kind == "other":
            add((kind, found, match.start()))
        elif kind == "open":
            return tokens, match.start()
        else:
            add((found, found, match.start()))
    return tokens, -1
