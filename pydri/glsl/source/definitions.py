# SPDX-License-Identifier: MIT
"""The part of the preprocessor that defines macros: `#define` and `#undef` (GLSL 3.3).

In: the tokens of a directive. Out: macros of the `Expander`, or messages. What a `#define` makes is
kept with its piece of the source: shaders that have a library in common define hundreds of macros
each, and the same ones. The tokens of such a macro are counted from the start of the piece; where
they stand matters to messages alone, and a shader with errors is read again without what is known
(`exact`, compiler.py).
"""

from __future__ import annotations

from pydri.glsl.language.versions import Language
from pydri.glsl.log import Log, Source
from pydri.glsl.source.lexer import Token
from pydri.glsl.source.macros import Expander, Macro
from pydri.glsl.source.pieces import Piece


class Definitions:
    """What the preprocessor stands on."""

    def __init__(self, source: Source, log: Log, language: Language, exact: bool = False) -> None:
        self.source = source
        self.log = log
        self.language = language
        self.expander = Expander(log)
        #: nothing that is known may be used
        self.exact = exact
        #: the place of some token is not known
        self.displaced = False

    def _line_end(self, offset: int) -> int:
        end = self.source.text.find("\n", offset)
        return len(self.source.text) if end < 0 else end

    def _no_more(self, rest: list[Token]) -> None:
        if rest:
            self.log.preprocessor_error(rest[0][2], "extra tokens at end of directive")

    def _define(self, name: str, text: str) -> None:
        """A macro of the language's own."""
        self.expander.macros[name] = Macro(name, None, [("int", text, 0)], [False])

    def _macro_name(self, offset: int, directive: str, rest: list[Token]) -> str:
        if not rest:
            self.log.preprocessor_error(offset, f"#{directive} without macro name")
            return ""
        kind, name, at = rest[0]
        if kind != "name":
            self.log.preprocessor_error(at, f"#{directive} followed by a non-identifier: {name}")
            return ""
        if name == "defined":
            self.log.preprocessor_error(at, '"defined" cannot be used as a macro name')
            return ""
        if name.startswith("GL_"):
            self.log.preprocessor_error(
                at, 'Macro names starting with "GL_" are reserved.' if directive == "define" else
                "Built-in (pre-defined) names beginning with GL_ cannot be undefined.")  # fmt: skip
            return ""
        if "__" in name:
            if name in ("__LINE__", "__FILE__", "__VERSION__") and self.language.es:
                self.log.preprocessor_error(
                    at, "Built-in (pre-defined) macro names cannot be redefined or undefined.")
                return ""
            self.log.preprocessor_warning(
                at, 'Macro names containing "__" are reserved for use by the implementation.')
        return name

    def _define_directive(self, offset: int, rest: list[Token]) -> None:
        name = self._macro_name(offset, "define", rest)
        if not name:
            return
        parameters: list[str] | None = None
        after = rest[0][2] + len(name)
        at = 1
        # Only a parenthesis right behind the name opens parameters (C 6.10.3).
        if len(rest) > 1 and rest[1][0] == "(" and rest[1][2] == after:
            found = self._parameters(offset, rest)
            if found is None:
                return
            parameters, at = found
        body = rest[at:]
        spaced = []
        joins = False
        end = rest[at - 1][2] + len(rest[at - 1][1])
        for kind, text, where in body:
            if kind == "#":
                self.log.preprocessor_error(body[0][2], "syntax error, unexpected #")
                return
            joins = joins or kind == "##"
            spaced.append(where != end)
            end = where + len(text)
        if joins and not self.language.has("paste"):
            self.log.preprocessor_error(offset, "Token pasting (##) is illegal in GLES")
            return
        macro = Macro(name, parameters, body, spaced)
        old = self.expander.macros.get(name)
        if old is not None and not old.same(macro):
            self.log.preprocessor_error(rest[0][2], f"Redefinition of macro {name}")
        self.expander.macros[name] = macro
        self.expander.dynamic.pop(name, None)

    def _parameters(self, offset: int, rest: list[Token]) -> tuple[list[str], int] | None:
        """The parameters of a function-like macro, and where its body begins."""
        names: list[str] = []
        at = 2
        if at < len(rest) and rest[at][0] == ")":
            return names, at + 1
        while at + 1 < len(rest) and rest[at][0] == "name" and rest[at + 1][0] in (",", ")"):
            name = rest[at][1]
            if name in names:
                self.log.preprocessor_error(rest[at][2], f'Duplicate macro parameter "{name}"')
                return None
            names.append(name)
            if rest[at + 1][0] == ")":
                return names, at + 2
            at += 2
        bad = min(at + (at < len(rest) and rest[at][0] == "name"), len(rest))
        where = rest[bad][2] if bad < len(rest) else self._line_end(offset)
        text = rest[bad][1] if bad < len(rest) else "end of line"
        self.log.preprocessor_error(where, f"syntax error, unexpected {text}")
        return None

    def _undef(self, offset: int, rest: list[Token]) -> None:
        name = self._macro_name(offset, "undef", rest)
        if name:
            self._no_more(rest[1:])
            self.expander.macros.pop(name, None)
            self.expander.dynamic.pop(name, None)

    # ---- what is known --------------------------------------------------------------------
    def _define_known(self, piece: Piece) -> bool:
        """Take the macro of a `#define` from its piece; whether that may be done."""
        macro, macros = piece.macro, self.expander.macros
        if macro is None or self.exact or macros.get(macro.name, macro) is not macro:
            return False
        macros[macro.name] = macro
        self.displaced = self.displaced or bool(macro.body)
        return True

    def _define_first(self, offset: int, rest: list[Token], piece: Piece, start: int) -> None:
        """A `#define` that is not known. What has something to say, or joins tokens, which not all
        languages do, says so each time."""
        lines = len(self.log.lines)
        self._define_directive(offset, rest)
        if self.exact or len(self.log.lines) > lines:
            return
        made = self.expander.macros[rest[0][1]]
        if not any(kind == "##" for kind, _, _ in made.body):
            body = [(kind, text, at - start) for kind, text, at in made.body]
            known = piece.macro or Macro(made.name, made.parameters, body, made.spaced)
            piece.macro = self.expander.macros[made.name] = known
            self.displaced = self.displaced or bool(body)


__all__ = ["Definitions"]
