# SPDX-License-Identifier: MIT
"""The preprocessor: directives and macros, on tokens.

In: a source text and a `Language`.  Out: `Tokens`, in which names are sorted into keywords, types
and names, and which hold no directive any more; `#version` and `#extension` have changed the
language, `#line` the source's numbers. GLSL section 3.3; what that leaves open is as in Mesa's
glcpp, whose wording messages keep where programs might look for it.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl.language.keywords import words
from pydri.glsl.language.versions import COMPATIBILITY, Language, version_text
from pydri.glsl.log import Log, Source
from pydri.glsl.source.condition import Condition, ConditionError, number
from pydri.glsl.source.definitions import Definitions
from pydri.glsl.source.lexer import Token, join_lines, scan
from pydri.glsl.source.macros import MacroError
from pydri.glsl.source.pieces import Decision, Expansion, Piece, split
from pydri.nir.stages import BY_NAME, RESULTS


class Tokens:
    """What the parser reads: three lists side by side, ended by an `eof`."""

    __slots__ = ("kinds", "offsets", "texts")

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.offsets: list[int] = []


class _Group:
    """An #if that is open."""

    __slots__ = ("has_else", "live", "offset", "outer", "taken")

    def __init__(self, offset: int, outer: bool, live: bool) -> None:
        self.offset = offset
        #: is what surrounds the #if live?
        self.outer = outer
        self.live = live
        self.taken = live
        self.has_else = False


def _rest(piece: Piece, start: int) -> list[Token]:
    """What stands behind the name of a directive, where the piece starts at `start`."""
    return [(kind, text, start + at) for kind, text, at in piece.directive[2:]]


#: behaviors that `#extension` knows
BEHAVIORS: Final = ("require", "enable", "warn", "disable")
#: the pragmas that the parser sees
_SWITCHES: Final = tuple(
    [name, "(", value, ")"] for name in ("optimize", "debug") for value in ("on", "off"))


class Preprocessor(Definitions):
    """One shader's."""

    def __init__(
        self, source: Source, log: Log, language: Language, stage: str, exact: bool = False
    ) -> None:
        super().__init__(source, log, language, exact)
        self.stage = BY_NAME[stage]
        self.invariant_all = False
        self.out = Tokens()
        self.groups: list[_Group] = []
        #: something stood before that only `#version` may stand before
        self.begun = False
        #: where each piece starts, its text, and what was read of it
        self.pieces: list[tuple[int, str, Piece]] = []
        #: the piece at hand, and of its tokens the next one
        self.number = self.at = 0
        #: all tokens of one piece, by its number
        self.spelled: tuple[int, list[Token]] = (-1, [])
        self.words: dict[str, str] = {}
        self.expander.dynamic = {
            "__LINE__": lambda at: str(source.place(at)[1]),
            "__FILE__": lambda at: str(source.place(at)[0]),
        }
        for name in self.expander.dynamic:
            self._define(name, "0")
        self._language_changed()

    # ---- the stream -----------------------------------------------------------------------
    def run(self) -> Tokens:
        """The whole shader."""
        self.pieces = list(split(self.source.text))
        end = len(self.source.text)
        if self.pieces and self.pieces[-1][2].open >= 0:
            self.log.preprocessor_error(end, "Unterminated comment")
        while self.number < len(self.pieces):
            start, _, piece = self.pieces[self.number]
            if self.at == 0 and piece.directive:
                self._directive(piece, start)
                self.at = piece.begin
            if not self.groups or self.groups[-1].live:
                self._text(start, piece)
            # A call of a macro may have taken what stood in the next ones.
            self.number, self.at = self.number + 1, 0
        for group in self.groups:
            self.log.preprocessor_error(group.offset, "Unterminated #if")
        out = self.out
        out.kinds.append("eof")
        out.texts.append("end of file")
        out.offsets.append(end)
        return out

    def _text(self, start: int, piece: Piece) -> None:
        """Let the text of a piece through."""
        if not piece.has_text:
            return
        self.begun = True
        out, macro = self.out, self.expander.macros.get
        if self.at == piece.begin:
            for known in piece.expansions:
                if known.words is self.words and (
                    tuple(map(macro, known.names)) == known.definitions
                ):
                    out.kinds += known.kinds
                    out.texts += known.texts
                    out.offsets += [start + at for at in known.offsets]
                    return
        number, whole = self.number, self.at == piece.begin
        lines, before = len(self.log.lines), len(out.kinds)
        self._spell()
        names = self.expander.reached(piece.names)
        if whole and self.number == number and len(self.log.lines) == lines and names is not None:
            piece.keep(Expansion(
                self.words, names, tuple(map(macro, names)), out.kinds[before:],
                out.texts[before:], [at - start for at in out.offsets[before:]]))

    def _spell(self) -> None:
        """Let the text of the piece through token by token, and that of others on which a call of
        a macro that begins in it goes on."""
        macros, known = self.expander.macros, self.words
        kinds, texts, offsets = self.out.kinds, self.out.texts, self.out.offsets
        number, at, tokens = self.number, self.at, self._tokens(self.number)
        while at < len(tokens):
            kind, text, offset = tokens[at]
            at += 1
            if kind == "\n":
                continue
            if kind == "name":
                if text in macros:
                    self.at = at
                    self._call(tokens[at - 1])
                    at = self.at
                    if self.number != number:
                        number, tokens = self.number, self._tokens(self.number)
                    continue
                kind = known.get(text, "name")
                if kind == "reserved":
                    self.log.error(offset, f"illegal use of reserved word `{text}'")
            elif kind == "#":
                self.log.preprocessor_error(offset, "syntax error, unexpected #")
            kinds.append(kind)
            texts.append(text)
            offsets.append(offset)
        self.at = at

    def _tokens(self, number: int) -> list[Token]:
        """All tokens of a piece."""
        known, tokens = self.spelled
        if known != number:
            start, text, _ = self.pieces[number]
            tokens = [(kind, word, start + at) for kind, word, at in scan(text)[0]]
            self.spelled = number, tokens
        return tokens

    def _following(self) -> tuple[int, int]:
        """The piece, and the place in it, of the next token that is no line's end."""
        number, at = self.number, self.at
        while number < len(self.pieces):
            tokens = self._tokens(number)
            while at < len(tokens) and tokens[at][0] == "\n":
                at += 1
            if at < len(tokens):
                break
            number, at = number + 1, 0
        return number, at

    def _peek(self) -> Token | None:
        number, at = self._following()
        return self._tokens(number)[at] if number < len(self.pieces) else None

    def _take(self) -> Token | None:
        number, at = self._following()
        if number == len(self.pieces):
            return None
        self.number, self.at = number, at + 1
        return self._tokens(number)[at]

    def _call(self, token: Token) -> None:
        """A macro's name was met in the text."""
        offset = token[2]
        try:
            found = self.expander.expand([token], offset, self._peek, self._take)
        except MacroError as error:
            self.log.preprocessor_error(error.offset, error.message)
            return
        for kind, text, _ in found:
            if kind == "name" or kind == "painted":
                kind = self.words.get(text, "name")
                if kind == "reserved":
                    self.log.error(offset, f"illegal use of reserved word `{text}'")
            elif kind == "#" or kind == "##":
                self.log.preprocessor_error(offset, "syntax error, unexpected #")
            self.out.kinds.append(kind)
            self.out.texts.append(text)
            self.out.offsets.append(offset)

    # ---- directives -----------------------------------------------------------------------
    def _directive(self, piece: Piece, start: int) -> None:
        """The directive of a piece that starts at `start`."""
        line = piece.directive
        if len(line) == 1:
            return
        name, hash_at = line[1][1], start + line[0][2]
        conditional = _CONDITIONALS.get(name)
        if conditional is not None:
            self.begun = True
            conditional(self, hash_at, piece, start)
            return
        if self.groups and not self.groups[-1].live:
            return
        if name != "define":
            action = _ACTIONS.get(name)
            if action is None:
                self.log.preprocessor_error(hash_at, "Illegal non-directive after #")
            else:
                action(self, hash_at, _rest(piece, start))
        elif not self._define_known(piece):
            self._define_first(hash_at, _rest(piece, start), piece, start)
        self.begun = True

    def _condition(self, offset: int, piece: Piece, start: int) -> bool:
        """Evaluate the rest of an #if or #elif; a mistake counts as false. What it comes to is kept
        beside the macros that decide it."""
        macro, es = self.expander.macros.get, self.language.es
        for known in () if self.exact else piece.decisions:
            if known.es == es and tuple(map(macro, known.names)) == known.definitions:
                return known.value
        lines = len(self.log.lines)
        value = self._evaluated(offset, piece.directive[1][1], _rest(piece, start))
        names = self.expander.reached(
            text for kind, text, _ in piece.directive[2:] if kind == "name")  # fmt: skip
        if names is not None and len(self.log.lines) == lines:
            piece.decide(Decision(names, tuple(map(macro, names)), es, value))
        return value

    def _evaluated(self, offset: int, name: str, rest: list[Token]) -> bool:
        if not rest:
            self.log.preprocessor_error(offset, f"#{name} with no expression")
            return False
        try:
            tokens = self.expander.expand(self._resolve_defined(rest), offset)
            condition = Condition(
                tokens, self._line_end(offset), self.language.es, self._is_macro)  # fmt: skip
            return condition.evaluate() != 0
        except (ConditionError, MacroError) as error:
            self.log.preprocessor_error(error.offset, error.message)
            return False

    def _is_macro(self, name: str) -> bool:
        return name in self.expander.macros

    def _resolve_defined(self, line: list[Token]) -> list[Token]:
        """`defined X` to 0 or 1, before X is expanded."""
        out: list[Token] = []
        at = 0
        while at < len(line):
            kind, text, offset = line[at]
            at += 1
            if kind != "name" or text != "defined":
                out.append((kind, text, offset))
                continue
            parenthesis = at < len(line) and line[at][0] == "("
            at += parenthesis
            if at >= len(line) or line[at][0] != "name":
                raise ConditionError(offset, '"defined" not followed by an identifier')
            out.append(("int", str(int(self._is_macro(line[at][1]))), offset))
            at += 1
            if parenthesis:
                if at >= len(line) or line[at][0] != ")":
                    raise ConditionError(offset, '"defined" not followed by an identifier')
                at += 1
        return out

    def _if(self, offset: int, piece: Piece, start: int) -> None:
        outer = not self.groups or self.groups[-1].live
        live = outer and self._condition(offset, piece, start)
        self.groups.append(_Group(offset, outer, live))

    def _ifdef(self, offset: int, piece: Piece, start: int) -> None:
        outer = not self.groups or self.groups[-1].live
        live, line = False, piece.directive
        if outer:
            if len(line) == 2 or line[2][0] != "name":
                self.log.preprocessor_error(offset, f"#{line[1][1]} without macro name")
            else:
                live = self._is_macro(line[2][1]) == (line[1][1] == "ifdef")
                self._no_more(_rest(piece, start)[1:])
        self.groups.append(_Group(offset, outer, live))

    def _open_group(self, offset: int, name: str) -> _Group | None:
        if not self.groups:
            self.log.preprocessor_error(offset, f"#{name} without #if")
            return None
        return self.groups[-1]

    def _elif(self, offset: int, piece: Piece, start: int) -> None:
        group = self._open_group(offset, "elif")
        if group is None:
            return
        if group.has_else:
            self.log.preprocessor_error(offset, "#elif after #else")
            return
        if not group.outer or group.taken:
            group.live = False
            if group.outer and len(piece.directive) == 2:
                self.log.preprocessor_warning(offset, "ignoring illegal #elif without expression")
            return
        group.live = group.taken = self._condition(offset, piece, start)

    def _else(self, offset: int, piece: Piece, start: int) -> None:
        group = self._open_group(offset, "else")
        if group is None:
            return
        if group.has_else:
            self.log.preprocessor_error(offset, "multiple #else")
            return
        if group.outer:
            self._no_more(_rest(piece, start))
        group.has_else = True
        group.live = group.outer and not group.taken
        group.taken = True

    def _endif(self, offset: int, piece: Piece, start: int) -> None:
        group = self._open_group(offset, "endif")
        if group is not None:
            self.groups.pop()
            if not group.outer:
                return
        self._no_more(_rest(piece, start))

    # ---- #error, #pragma, #line -----------------------------------------------------------
    def _error(self, offset: int, rest: list[Token]) -> None:
        end = self._line_end(offset)
        start = self.source.text.find("error", offset) + len("error")
        self.log.preprocessor_error(offset, f"#error{self.source.text[start:end]}")

    def _pragma(self, offset: int, rest: list[Token]) -> None:
        texts = [text for _, text, _ in rest]
        if texts in _SWITCHES:
            # They change nothing here, but may not stand within a function (GLSL 3.3).
            self.out.kinds.append("#pragma")
            self.out.texts.append("#pragma")
            self.out.offsets.append(offset)
        if texts[:1] != ["STDGL"]:
            return  # an unknown pragma is ignored (3.3)
        if texts[1:] == ["invariant", "(", "all", ")"]:
            if not self.language.has("invariant_all"):
                self.log.warning(
                    offset, f"pragma `invariant(all)' not supported in {self.language.text}")
            elif self.stage.outputs.kind == RESULTS and self.language.at_least(0, 300):
                self.log.error(offset, "pragma `invariant(all)' cannot be used in a "
                               f"{self.stage.name} shader")
            else:
                self.invariant_all = True

    def _line_directive(self, offset: int, rest: list[Token]) -> None:
        try:
            tokens = self.expander.expand(rest, offset)
        except MacroError as error:
            self.log.preprocessor_error(error.offset, error.message)
            return
        if not tokens:
            self.log.preprocessor_error(offset, "#line without a number")
            return
        for kind, text, where in tokens[:2]:
            if kind != "int":
                self.log.preprocessor_error(where, f"syntax error, unexpected {text}")
                return
        if len(tokens) > 2:
            self.log.preprocessor_error(
                tokens[2][2], f"syntax error, unexpected {tokens[2][1]}")  # fmt: skip
            return
        line = number(tokens[0][1])
        string = number(tokens[1][1]) if len(tokens) > 1 else self.source.place(offset)[0]
        # Up to 1.50 the number is that of the directive's own line (GLSL 1.50, 3.3).
        following = line if self.language.at_least(330, 100) else line + 1
        self.source.renumber(self._line_end(offset) + 1, following, string)

    # ---- #version, #extension -------------------------------------------------------------
    def _language_changed(self) -> None:
        """Set what depends on version and extensions."""
        language = self.language
        language.changed()
        self.words = words(language)
        self._define("__VERSION__", str(language.version))
        if language.has("precision"):
            self._define("GL_FRAGMENT_PRECISION_HIGH", "1")
        if language.es:
            self._define("GL_ES", "1")
        elif language.version >= 150:
            profile = language.profile or "core"
            self._define(f"GL_{profile}_profile", "1")
        for name in language.supported:
            if name not in self.expander.macros:  # programs can neither change nor undefine them
                self._define(name, "1")

    def _version(self, offset: int, rest: list[Token]) -> None:
        if self.begun:
            self.log.preprocessor_error(offset, "#version must appear on the first line")
            return
        if not rest or rest[0][0] != "int":
            where = rest[0][2] if rest else offset
            self.log.preprocessor_error(where, "syntax error, #version without a number")
            return
        version, where = number(rest[0][1]), rest[0][2]
        profile = rest[1][1] if len(rest) > 1 else ""
        es = version == 100 or profile == "es"
        allowed = ("es",) if version >= 300 and es else ("core", "compatibility")
        if len(rest) > 2 or (profile and (profile not in allowed or (version < 150))):
            self.log.error(where, "illegal text following version number")
            return
        if profile == "compatibility" and COMPATIBILITY not in self.language.supported:
            self.log.error(where, "the compatibility profile is not supported")
            return
        if (version, es) not in self.language.versions:
            names = [version_text(v, e).removeprefix("GLSL ") for v, e in self.language.versions]
            names = [f"{n[3:]} ES" if n.startswith("ES ") else n for n in names]
            self.log.error(
                where, f"{version_text(version, es)} is not supported. "
                f"Supported versions are: {', '.join(names)}")  # fmt: skip
            return
        language = self.language
        language.version, language.es, language.profile = version, es, profile
        if es:
            language.behaviors.clear()
        self._language_changed()

    def _extension(self, offset: int, rest: list[Token]) -> None:
        if self.out.kinds:
            self.log.error(
                offset, "#extension directive is not allowed in the middle of a shader")
            return
        texts = [text for _, text, _ in rest]
        if len(rest) != 3 or rest[0][0] not in ("name", "int") or texts[1] != ":":
            self.log.error(offset, "syntax error, #extension is not `name : behavior'")
            return
        name, behavior = texts[0], texts[2]
        if behavior not in BEHAVIORS:
            self.log.error(rest[2][2], f"unknown extension behavior `{behavior}'")
            return
        self._set_extension(rest[0][2], name, behavior)
        self._language_changed()

    def _set_extension(self, offset: int, name: str, behavior: str) -> None:
        behaviors = self.language.behaviors
        if name == "all":
            if behavior in ("require", "enable"):
                self.log.error(offset, f"cannot {behavior} all extensions")
                return
            for known in self.language.supported:
                if behavior == "warn":
                    behaviors[known] = behavior
                else:
                    behaviors.pop(known, None)
            return
        if name not in self.language.supported:
            message = f"extension `{name}' unsupported in {self.stage.name} shader"
            if behavior == "require":
                self.log.error(offset, message)
            else:
                self.log.warning(offset, message)
        elif behavior == "disable":
            behaviors.pop(name, None)
        else:
            behaviors[name] = behavior


_CONDITIONALS: Final = {
    "if": Preprocessor._if, "ifdef": Preprocessor._ifdef, "ifndef": Preprocessor._ifdef,
    "elif": Preprocessor._elif, "else": Preprocessor._else, "endif": Preprocessor._endif,
}  # fmt: skip
_ACTIONS: Final = {
    "undef": Preprocessor._undef,
    "error": Preprocessor._error, "pragma": Preprocessor._pragma,
    "line": Preprocessor._line_directive, "version": Preprocessor._version,
    "extension": Preprocessor._extension,
}  # fmt: skip


def read_source(text: str) -> Source:
    """A source as the preprocessor wants it."""
    return Source(join_lines(text))
