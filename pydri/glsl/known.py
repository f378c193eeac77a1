# SPDX-License-Identifier: MIT
"""Declarations that were checked before: what a shader has in common with others is read once.

In: the tokens of a shader. Out: its typed tree, in which functions and global variables that other
shaders declared in the same words, where all names in them meant the same, are the very ones of
those. Large programs put a library of functions in front of each of their shaders, and use a few.
Nothing is left out by this: a declaration is known only if it had neither errors nor warnings, and
by the objects that its names mean, so what it calls was known before it. Whatever is unusual
(mistakes, since messages have an order and places; what changes a variable that is declared
already) makes the shader be compiled as if nothing were known. So whoever lets a declaration depend
on something that it does not name adds that to `_meanings`; and whoever changes a global variable
once it is declared sees to it that it is not shared (`_changes_others`, `_keep`).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, islice
from typing import Final, NamedTuple

from pydri.glsl.check.base import Meaning, has_open_size
from pydri.glsl.check.checker import Checker
from pydri.glsl.language.versions import Language
from pydri.glsl.log import Log, TooManyErrors
from pydri.glsl.source import ast
from pydri.glsl.source.expressions import SyntaxMistake
from pydri.glsl.source.parser import Parser
from pydri.glsl.source.preprocess import Tokens
from pydri.glsl.tree import BlockVar, Function, Shader, Var
from pydri.nir import stages
from pydri.nir.types import StructType
from pydri.util.recent import Recent

#: tokens of declarations that are kept
_ROOM: Final = 1 << 15
#: what one declaration became where its names meant something else
_MEANINGS: Final = 4
_MARKS: Final = frozenset(";{}")
#: of shaders of how many kinds (stages, versions, sets of extensions) declarations are kept
_KINDS: Final = 64


class Known(NamedTuple):
    """What a declaration in which `names` meant this has added to the shader."""

    names: tuple[str, ...]
    meanings: tuple[object, ...]
    scope: tuple[tuple[str, Meaning], ...]
    globals: tuple[Var, ...]
    blocks: tuple[BlockVar, ...]
    functions: tuple[Function, ...]


#: by the kind of shader, and the words of the declaration
_known: Recent[tuple[int, tuple[str, ...]], tuple[Known, ...]] = Recent(_ROOM)
_kinds: dict[tuple[object, ...], int] = {}
_numbers = count()


def _kind(language: Language, stage: str, limits: Mapping[str, int]) -> int:
    """A number for all that decides what words mean before anything is declared."""
    key = (
        stage, language.version, language.es, language.profile, language.supported,
        frozenset(language.behaviors.items()), tuple(sorted(limits.items())),
    )  # fmt: skip
    number = _kinds.get(key)
    if number is None:
        if len(_kinds) >= _KINDS:
            _kinds.clear()  # numbers are not given twice
        number = _kinds[key] = next(_numbers)
    return number


def may_share(language: Language, stage: str) -> bool:
    """May declarations of such a shader be those of others? In OpenGL ES precisions, which other
    declarations decide, are part of what is linked; inputs of a geometry shader get their size from
    a layout behind them; GLSL 1.10 declares functions within functions."""
    interface = stages.BY_NAME[stage].interface("shader_in")
    return not (language.es or interface.per_vertex or language.has("local_prototypes"))


class _Reader:
    """One shader."""

    def __init__(
        self, tokens: Tokens, log: Log, language: Language, stage: str, limits: Mapping[str, int]
    ) -> None:
        self.kinds, self.texts = tokens.kinds, tokens.texts
        self.log = log
        self.parser = Parser(tokens, log, language)
        self.checker = Checker(log, language, stage, limits)
        self.kind = _kind(language, stage, limits)
        #: where a declaration may end, or what is in it begin; the first one that lies ahead
        self.marks = [at for at, kind in enumerate(tokens.kinds) if kind in _MARKS]
        self.mark = 0
        #: what the parser said, which stands in front of what the checker says
        self.said: list[str] = []

    def unit(self) -> Shader | None:
        """The whole shader; None: it is not one whose declarations can be shared."""
        parser, log, first = self.parser, self.log, len(self.log.lines)
        if parser.kind == "eof":
            return None
        while parser.kind != "eof":
            if parser.kind == ";" or parser.kind == "#pragma":
                parser.next()
            elif not self._remembered() and not self._read():
                return None
        shader = self.checker.finish()
        log.lines[first:first] = self.said
        return None if log.errors else shader

    # ---- what is known ------------------------------------------------------------------------
    def _end(self) -> int:
        """Behind the declaration at hand: its `;`, or the end of its body; 0: there is none."""
        kinds, marks, start = self.kinds, self.marks, self.parser.at
        while self.mark < len(marks) and marks[self.mark] < start:
            self.mark += 1
        depth, function = 0, False
        for n in range(self.mark, len(marks)):
            at = marks[n]
            kind = kinds[at]
            if kind == "{":
                function = function or depth == 0 and kinds[at - 1] == ")"
                depth += 1
            elif kind == "}":
                depth -= 1
                if depth == 0 and function:
                    return at + 1
            elif depth == 0:
                return at + 1
        return 0

    def _meanings(self, names: tuple[str, ...]) -> tuple[object, ...]:
        """What the names mean, with what else a declaration may depend on."""
        checker = self.checker
        functions = checker.functions
        return (
            checker.packing, checker.by_rows, *map(checker.scopes[0].get, names),
            *[f for name in names if name in functions for f in functions[name].values()],
        )  # fmt: skip

    def _remembered(self) -> bool:
        """Take the declaration at hand from what is known."""
        end = self._end()
        found = _known.get((self.kind, tuple(self.texts[self.parser.at : end]))) if end else None
        for known in found or ():
            if self._meanings(known.names) == known.meanings:
                self._declare(known)
                self.parser.move_to(end)
                return True
        return False

    def _declare(self, known: Known) -> None:
        checker, parser = self.checker, self.parser
        for name, meaning in known.scope:
            checker.scopes[0][name] = meaning
            parser.declare(name, isinstance(meaning, StructType))
        checker.shader.globals += known.globals
        checker.shader.blocks += known.blocks
        for block in known.blocks:
            checker.blocks[block.storage, block.name] = block
        for function in known.functions:
            checker.functions.setdefault(function.name, {})[function.types] = function
            parser.declare(function.name, False)

    # ---- what is not --------------------------------------------------------------------------
    def _read(self) -> bool:
        """Parse and check the declaration at hand; False if others could see that."""
        checker, log, start = self.checker, self.log, self.parser.at
        scope, shader, functions = checker.scopes[0], checker.shader, checker.functions
        counts = len(scope), len(shader.globals), len(shader.blocks), len(log.lines)
        try:
            node = self.parser.external()
            self.said += log.lines[counts[3] :]
            silent = len(log.lines) == counts[3]
            del log.lines[counts[3] :]
            if log.errors or _changes_others(node):
                return False
            names = self._names(start, node)
            meanings = self._meanings(names)
            overloads = len(functions.get(node.name, ())) if isinstance(node, ast.Function) else 0
            checker.named_builtin = False
            checker.external(node)
        except SyntaxMistake:
            return False
        if log.errors:
            return False
        if not silent or len(log.lines) > counts[3] or checker.named_builtin:
            return True
        added: tuple[Function, ...] = ()
        if isinstance(node, ast.Function):
            made = functions[node.name]
            if node.body is None or len(made) == overloads:
                return True
            added = (list(made.values())[-1],)
        self._keep(start, Known(
            names, meanings, tuple(islice(scope.items(), counts[0], None)),
            tuple(shader.globals[counts[1] :]), tuple(shader.blocks[counts[2] :]), added))
        return True

    def _names(self, start: int, node: ast.Stmt) -> tuple[str, ...]:
        """The names in a declaration that may mean something outside of it."""
        kinds, texts = self.kinds, self.texts
        names = dict.fromkeys(
            texts[at] for at in range(start, self.parser.at)
            if kinds[at] == "name" and (kinds[at - 1] != "." or at == start))
        if isinstance(node, ast.Function):
            # A parameter's name means the parameter in the body; in front of it the type of another
            # parameter may have the same name, or its size may be that constant.
            head = texts[start : kinds.index("{", start)] if node.body is not None else texts
            for parameter in node.parameters:
                if head.count(parameter.name) == 1:
                    names.pop(parameter.name, None)
        return tuple(names)

    def _keep(self, start: int, known: Known) -> None:
        """Keep a declaration, if another shader may have it."""
        words = tuple(self.texts[start : self.parser.at])
        members = [var for block in known.blocks for var in block.members]
        anonymous = any(a == "struct" and b == "{" for a, b in zip(words, words[1:]))
        if anonymous or any(
            var.builtin or has_open_size(var.type) for var in (*known.globals, *members)
        ):  # the name of such a struct is its place; sizes are settled later
            return
        key = self.kind, words
        others = _known.get(key) or ()
        _known.put(key, (known, *others[: _MEANINGS - 1]), len(words))


def _changes_others(node: ast.Stmt) -> bool:
    """Does it change what a variable of the shader's own is that was declared before?"""
    return isinstance(node, ast.Requalify) and any(
        not name.startswith("gl_") for name, _ in node.names)


def read(
    tokens: Tokens, log: Log, language: Language, stage: str, limits: Mapping[str, int]
) -> Shader | None:
    """The tree of a shader; None: compile it as if nothing were known. The log is then as it was.
    """
    lines = len(log.lines)
    try:
        shader = _Reader(tokens, log, language, stage, limits).unit()
    except TooManyErrors:
        shader = None
    if shader is None:
        del log.lines[lines:]
        log.errors = 0
    return shader


def forget() -> None:
    """Forget all declarations."""
    _known.clear()


__all__ = ["forget", "may_share", "read"]
