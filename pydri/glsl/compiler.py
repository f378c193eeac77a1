# SPDX-License-Identifier: MIT
"""The door of the room: `compile_shader`.

In: a shader's text, its stage, what the context has.  Out: a `Compiled`: the log, and the typed
tree if there was no error. Nothing is raised for what a program wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pydri.glsl import known
from pydri.glsl.check.checker import Checker
from pydri.glsl.language.versions import Language, supported_versions
from pydri.glsl.log import Log, TooManyErrors
from pydri.glsl.source.expressions import MAX_NESTING
from pydri.glsl.source.parser import parse
from pydri.glsl.source.preprocess import Preprocessor, read_source
from pydri.glsl.tree import Shader
from pydri.util.deep_stack import DeepStack

#: Python frames that a level of nesting takes at most, in the parser with its precedences
_FRAMES = 22


class Compiled(NamedTuple):
    """What came of it. `shader` is None if there were errors."""

    shader: Shader | None
    log: str


class Context(NamedTuple):
    """What the language may use: the highest versions, extensions and the limits by name."""

    version: int = 120
    version_es: int = 0
    extensions: Iterable[str] = ()
    limits: Mapping[str, int] = {}
    es: bool = False


def compile_shader(text: str, stage: str, context: Context) -> Compiled:
    """Compile one shader object; `stage` is the name of one (pydri/nir/stages.py)."""
    attempt = _Attempt(text, stage, context)
    if attempt.log.errors and attempt.preprocessor.displaced:
        attempt = _Attempt(text, stage, context, exact=True)
    log = attempt.log
    return Compiled(None if log.errors else attempt.shader, log.text)


class _Attempt:
    """A shader object, compiled; if it is to be `exact`, by a preprocessor that knows nothing."""

    def __init__(self, text: str, stage: str, context: Context, exact: bool = False) -> None:
        self.log = log = Log(read_source(text))
        versions = supported_versions(context.version, context.version_es)
        language = Language(log, context.extensions, versions, context.es)
        self.preprocessor = Preprocessor(log.source, log, language, stage, exact)
        self.shader: Shader | None = None
        with DeepStack(MAX_NESTING * _FRAMES):
            try:
                self.shader = _compile(self.preprocessor, stage, context.limits)
            except TooManyErrors:
                pass


def _compile(
    preprocessor: Preprocessor, stage: str, limits: Mapping[str, int]
) -> Shader | None:
    log, language = preprocessor.log, preprocessor.language
    tokens = preprocessor.run()
    if log.errors:
        return None
    shader = None
    if known.may_share(language, stage) and not preprocessor.invariant_all:
        shader = known.read(tokens, log, language, stage, limits)
    if shader is None:
        unit = parse(tokens, log, language)
        if log.errors:
            return None
        shader = Checker(log, language, stage, limits).unit(unit)
    shader.invariant_all = preprocessor.invariant_all
    if shader.invariant_all:
        # `#pragma STDGL invariant(all)` (GLSL 1.20, 4.6.1): as if each output were declared so;
        # the peer leaves the built-in ones as they are.
        for var in shader.globals:
            var.invariant |= var.mode == "shader_out" and not var.builtin
    return shader
