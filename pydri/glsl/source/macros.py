# SPDX-License-Identifier: MIT
"""Macros: what `#define` makes, and their expansion.

In: tokens.  Out: tokens.  Expansion is C's (GLSL 3.3): arguments are expanded on their own unless
`##` joins them, the result is read again together with what follows, and a macro that is being
expanded is left alone, for good: its name becomes a `painted` token. Work lies on a stack of our
own, so that only calls within arguments nest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydri.glsl.log import Log
from pydri.glsl.source.lexer import Token, scan

#: tokens that all expansions of one shader may read: a bomb of macros ends with an error
MAX_EXPANDED = 1 << 19
#: calls within arguments within arguments
MAX_NESTING = 400


class Macro:
    """`parameters` is None for an object-like macro. Two are equal that expand to the same."""

    __slots__ = ("_meaning", "body", "name", "parameters", "spaced")

    def __init__(
        self, name: str, parameters: list[str] | None, body: list[Token], spaced: list[bool]
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.body = body
        #: is there a blank before the token? That matters to a second definition alone
        self.spaced = spaced
        self._meaning = parameters, [text for _, text, _ in body]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Macro) and self._meaning == other._meaning

    def same(self, other: Macro) -> bool:
        """May `other` be defined beside this one (GLSL 3.3, as C 6.10.3)?"""
        return self == other and self.spaced[1:] == other.spaced[1:]


class MacroError(Exception):
    """What a call of a macro did wrong."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message


#: gives the tokens after the ones at hand, None at the end: how an argument list goes on over lines
More = Callable[[], Token | None]


def _nothing() -> Token | None:
    return None


class Expander:
    """The macros that are defined, and expansion."""

    __slots__ = ("_depth", "_left", "dynamic", "log", "macros")

    def __init__(self, log: Log) -> None:
        self.log = log
        self.macros: dict[str, Macro] = {}
        #: macros whose text depends on the place: __LINE__ and __FILE__
        self.dynamic: dict[str, Callable[[int], str]] = {}
        self._left = MAX_EXPANDED
        self._depth = 0

    def reached(self, names: Iterable[str]) -> tuple[str, ...] | None:
        """The names that decide what a text in which these names are becomes: they, and those in
        the macros that they mean. None: it depends on its place as well, or on names that `##`
        makes."""
        found = dict.fromkeys(names)
        todo = list(found)
        while todo:
            name = todo.pop()
            macro = self.macros.get(name)
            if macro is None:
                continue
            if name in self.dynamic:
                return None
            for kind, text, _ in macro.body:
                if kind == "##":
                    return None
                if kind == "name" and text not in found:
                    found[text] = None
                    todo.append(text)
        return tuple(found)

    def expand(self, tokens: list[Token], place: int, peek: More = _nothing,
               take: More = _nothing) -> list[Token]:
        """Expand `tokens`; calls may go on in what `peek` shows and `take` takes. `place` is the
        offset for __LINE__ and for messages.
        """
        self._depth += 1
        if self._depth > MAX_NESTING:
            self._depth = 0
            raise MacroError(place, "macro calls are nested too deeply")
        out: list[Token] = []
        active: set[str] = set()
        stack = tokens[::-1]
        while stack:
            token = stack.pop()
            kind, text, _ = token
            if kind == "end":
                active.discard(text)
                continue
            self._left -= 1
            if self._left < 0:
                raise MacroError(place, "macros expand to too many tokens")
            if kind != "name" or text not in self.macros:
                out.append(token)
                continue
            if text in active:
                out.append(("painted", text, place))
                continue
            if text in self.dynamic:
                out.append(("int", self.dynamic[text](place), place))
                continue
            macro = self.macros[text]
            if macro.parameters is None:
                body = self._paste(list(macro.body), place)
            else:
                if not self._opens(stack, active, peek):
                    out.append(token)
                    continue
                arguments = self._arguments(macro, stack, active, take, place)
                body = self._substitute(macro, arguments, place)
            active.add(text)
            stack.append(("end", text, place))
            stack.extend(body[::-1])
        self._depth -= 1
        return out

    @staticmethod
    def _opens(stack: list[Token], active: set[str], peek: More) -> bool:
        """Is `(` next? The ends of expansions on the way to it are passed."""
        at = len(stack) - 1
        while at >= 0 and stack[at][0] == "end":
            at -= 1
        if at >= 0:
            return stack[at][0] == "("
        following = peek()
        if following is None or following[0] != "(":
            return False
        for _, name, _ in stack:
            active.discard(name)
        stack.clear()
        return True

    def _arguments(self, macro: Macro, stack: list[Token], active: set[str], take: More,
                   place: int) -> list[list[Token]]:
        """The arguments of a call, unexpanded."""
        arguments: list[list[Token]] = [[]]
        depth = 0
        while True:
            token = stack.pop() if stack else take()
            if token is None:
                raise MacroError(place, f"Macro {macro.name} call has unbalanced parentheses")
            kind = token[0]
            if kind == "end":
                active.discard(token[1])
                continue
            if kind == "(":
                depth += 1
                if depth == 1:
                    continue
            elif kind == ")":
                depth -= 1
                if depth == 0:
                    break
            elif kind == "," and depth == 1:
                arguments.append([])
                continue
            if kind == "name" and token[1] in active:
                token = ("painted", token[1], token[2])
            arguments[-1].append(token)
        parameters = macro.parameters or []
        if not parameters and arguments == [[]]:
            return []
        if len(arguments) != len(parameters):
            raise MacroError(
                place, f"Error: macro {macro.name} invoked with {len(arguments)} arguments "
                f"(expected {len(parameters)})")  # fmt: skip
        return arguments

    def _substitute(self, macro: Macro, arguments: list[list[Token]], place: int) -> list[Token]:
        """The body with arguments in place of parameters."""
        number = {name: i for i, name in enumerate(macro.parameters or ())}
        expanded: dict[int, list[Token]] = {}
        body = macro.body
        out: list[Token] = []
        joins = False
        for at, token in enumerate(body):
            index = number.get(token[1]) if token[0] == "name" else None
            if index is None:
                joins = joins or token[0] == "##"
                out.append(token)
                continue
            before = at > 0 and body[at - 1][0] == "##"
            after = at + 1 < len(body) and body[at + 1][0] == "##"
            if before or after:
                # An empty argument leaves a mark that joins with anything (C 6.10.3.3).
                out += arguments[index] or [("mark", "", place)]
                continue
            if index not in expanded:
                expanded[index] = self.expand(arguments[index], place)
            out += expanded[index]
        return self._paste(out, place) if joins else out

    def _paste(self, tokens: list[Token], place: int) -> list[Token]:
        """Carry out `##`."""
        if not any(kind == "##" for kind, _, _ in tokens):
            return tokens
        out: list[Token] = []
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token[0] == "##" and out and at + 1 < len(tokens):
                left, right = out.pop(), tokens[at + 1]
                out.append(self._join(left, right, place))
                at += 2
                continue
            if token[0] != "##":
                out.append(token)
            at += 1
        return [token for token in out if token[0] != "mark"]

    @staticmethod
    def _join(left: Token, right: Token, place: int) -> Token:
        text = left[1] + right[1]
        if not text:
            return ("mark", "", place)
        found, open_comment = scan(text)
        if len(found) != 1 or found[0][1] != text or open_comment >= 0:
            raise MacroError(
                place, f'Pasting "{left[1]}" and "{right[1]}" does not give a valid '
                "preprocessing token.")  # fmt: skip
        return (found[0][0], text, place)
