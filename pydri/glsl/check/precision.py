# SPDX-License-Identifier: MIT
"""Precision of OpenGL ES: defaults by type and scope (GLSL ES 1.00, 4.5).

In: precision statements and qualifiers.  Out: the precision of a variable, a member or a result,
or an error where none is known. Everything is computed as singles and 32-bit integers; precision
decides what compiles and links, and nothing else. In desktop versions it means nothing.
"""

from __future__ import annotations

from pydri.glsl.check.base import innermost
from pydri.glsl.check.expressions import ExpressionChecker
from pydri.glsl.source import ast
from pydri.nir import types
from pydri.nir.types import SamplerType, Type


def _subject(type_: Type) -> str:
    """The name of the type that a precision statement would be about; "" if there is none."""
    inner = innermost(type_)
    if isinstance(inner, SamplerType):
        return inner.name
    return {"float": "float", "int": "int", "uint": "int"}.get(inner.kind, "")


class PrecisionChecker(ExpressionChecker):
    """Expressions, and precision."""

    #: what precision statements said: depth of the scope, type, precision; None: nothing yet
    _stated: list[tuple[int, str, str]] | None = None
    #: by struct: the precisions of its members, as a text; None: nothing yet
    _precisions_within: dict[Type, str] | None = None

    def keep_precisions(self, struct: Type, members: list[str]) -> None:
        """A struct is defined: what has its type has the precisions of its members."""
        if self.language.es:
            self._precisions_within = self._precisions_within or {}
            self._precisions_within[struct] = f"{{{' '.join(members)}}}"

    def state_precision(self, node: ast.Precision, type_: Type) -> None:
        """`precision mediump float;`: for this scope and those within."""
        if type_ not in (types.FLOAT, types.INT) and not isinstance(type_, SamplerType):
            self.error(
                node.at, "default precision statements apply only to float, int, and opaque types")
            return
        self._stated = self._stated or []
        self._stated.append((len(self.scopes), type_.name, node.precision))

    def forget_precision(self) -> None:
        """A scope has ended."""
        while self._stated and self._stated[-1][0] > len(self.scopes):
            self._stated.pop()

    def precision_of(self, at: int, type_: Type, written: str) -> str:
        """The precision of what is declared: as written, else the scope's; "" for what has none."""
        if written and not _subject(type_):
            self.error(at, "precision qualifiers apply only to floating point, integer and opaque "
                       "types")
        if not self.language.es:
            return ""
        subject = _subject(type_)
        if written or not subject:
            return written or (self._precisions_within or {}).get(innermost(type_), "")
        for _, name, precision in reversed(self._stated or []):
            if name == subject:
                return precision
        found = self.stage.precisions.get(subject, "")
        if not found:
            self.error(at, f"no precision specified this scope for type `{subject}'")
        return found


__all__ = ["PrecisionChecker"]
