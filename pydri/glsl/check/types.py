# SPDX-License-Identifier: MIT
"""Types as declarations write them: structs, arrays, and which qualifiers go together.

In: `ast` types and qualifiers.  Out: `pydri.nir.types` and `Storage`.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl.check.base import Meaning, has_open_size, innermost, shape
from pydri.glsl.check.operators import is_integer, is_scalar
from pydri.glsl.check.precision import PrecisionChecker
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR
from pydri.nir import types
from pydri.nir.types import VOID, StructType, Type

STORAGE: Final = ("const", "attribute", "varying", "uniform", "in", "out", "inout", "buffer",
                  "shared")  # fmt: skip
INTERPOLATION: Final = ("flat", "smooth", "noperspective")
AUXILIARY: Final = ("centroid", "sample", "patch")
PRECISION: Final = ("lowp", "mediump", "highp")
_GROUPS: Final = (
    (INTERPOLATION, "interpolation"), (AUXILIARY, "auxiliary"), (PRECISION, "precision"),
)
#: the order in which qualifiers must come (GLSL 4.7 of 1.20); equal numbers may mix
_ORDER: Final = {
    "invariant": 0, "precise": 0, **dict.fromkeys(INTERPOLATION, 1), "layout": 1,
    **dict.fromkeys(AUXILIARY, 2), **dict.fromkeys(STORAGE, 3), **dict.fromkeys(PRECISION, 5),
}  # fmt: skip


class Storage:
    """Qualifiers, sorted by what they are about."""

    __slots__ = ("auxiliary", "constant", "interpolation", "invariant", "layout", "precision",
                 "storage")  # fmt: skip

    def __init__(self) -> None:
        self.storage = ""
        #: `const in`: a parameter's two
        self.constant = False
        self.auxiliary = ""
        self.interpolation = ""
        self.precision = ""
        self.invariant = False
        self.layout: list[ast.Layout] = []


class TypeChecker(PrecisionChecker):
    """Expressions, and types."""

    def qualifiers(self, node: ast.Qualifiers, parameter: bool = False) -> Storage:
        """Sort qualifiers, and report what cannot stand together."""
        found = Storage()
        found.layout = node.layout
        rank = -1
        free = self.language.has("any_qualifier_order")
        for word, at in node.words:
            order = _ORDER.get(word, 4)
            if word in AUXILIARY and self.language.has("mixed_auxiliary"):
                order = _ORDER["flat"]
            if order < rank and not free:
                self.error(at, f"`{word}' must come before the qualifiers in front of it")
            rank = max(rank, order)
            if word == "invariant":
                if found.invariant:
                    self.error(at, "duplicate qualifier `invariant'")
                found.invariant = True
                continue
            if word in STORAGE:
                if word == "const" and parameter and not found.storage and not found.constant:
                    found.constant = True
                elif word == "out" and found.storage == "varying" and self._own_outputs():
                    found.storage = "varying out"
                elif found.storage or found.constant and word != "in":
                    self.error(at, f"`{word}' cannot stand beside another storage qualifier")
                else:
                    found.storage = word
                continue
            for group, field in _GROUPS:
                if word in group:
                    if getattr(found, field):
                        self.error(at, f"`{word}' cannot stand beside another {field} qualifier")
                    setattr(found, field, word)
        return found

    def _own_outputs(self) -> bool:
        """May the shader have results of its own, as EXT_gpu_shader4 writes them?"""
        return "varying out" in self.stage.outputs.words and self.language.has("varying_out")

    # ---- types ----------------------------------------------------------------------------
    def type_of(self, node: ast.TypeName) -> Type:
        """A type as written."""
        if node.struct is not None:
            type_ = self.struct(node.struct)
        else:
            found = self.find(node.name) if node.name else None
            if isinstance(found, StructType):
                type_ = found
            else:
                type_ = self._named(node)
        return self.with_sizes(type_, node.sizes, node.at)

    def _named(self, node: ast.TypeName) -> Type:
        try:
            return types.by_name(node.name)
        except ValueError:
            self.error(node.at, f"invalid type `{node.name}'")
            return ERROR

    def with_sizes(self, type_: Type, sizes: list[ast.Expr | None], at: int) -> Type:
        """An array type, if there are brackets."""
        if type_ is VOID and sizes:
            self.error(at, "arrays of void are not possible")
            return ERROR
        if sizes and isinstance(type_, types.ArrayType):
            self.language.need(at, "array_of_arrays", "array of arrays is")
        for size in reversed(sizes):
            count = 0 if size is None else self.array_size(size)
            type_ = type_ if type_ is ERROR or count < 0 else types.array(type_, count)
        return type_

    def outer_only(self, at: int, type_: Type) -> bool:
        """Only the outermost dimension may have no size; False, reported, if another has none."""
        if not isinstance(type_, types.ArrayType) or not has_open_size(type_.item):
            return True
        self.error(at, "only the outermost array dimension can be unsized")
        return False

    def array_size(self, node: ast.Expr) -> int:
        """An array's size; -1, reported, if it is none."""
        self.sequences_fold = self.language.has("sequence_sizes")
        value = self.expression(node)
        self.sequences_fold = True
        if value.type is ERROR:
            return -1
        if not is_integer(value.type):
            self.error(node.at, "array size must be integer type")
        elif not is_scalar(value.type):
            self.error(node.at, "array size must be scalar type")
        elif value.constant is None:
            self.error(node.at, "array size must be a constant valued expression")
        elif value.constant[0] <= 0:
            self.error(node.at, "array size must be > 0")
        else:
            return int(value.constant[0])
        return -1

    def struct(self, node: ast.StructDef) -> Type:
        """A struct's definition; its name is declared."""
        if node.name:
            self.reserved(node.name, node.at)
            if node.name in self.scopes[-1]:
                self.error(node.at, f"struct `{node.name}' previously defined")
            elif len(self.scopes) == 1 and node.name in self.functions:
                self.error(node.at, f"`{node.name}' is a function already")
        fields: list[tuple[str, Type]] = []
        precisions: list[str] = []
        names: set[str] = set()
        for member in node.members:
            for word, at in member.qualifiers.words:
                if word not in PRECISION:
                    self.error(at, "only precision qualifiers may be applied to structure members")
            if member.type.struct is not None and (
                self.language.has("no_embedded_structs") or not member.declarators
            ):
                self.error(member.at, "embedded structure declarations are not allowed")
            base = self.type_of(member.type)
            for declarator in member.declarators:
                type_, precision = self._member(declarator, member, base)
                precisions.append(precision)
                if declarator.name in names:
                    self.error(declarator.at, f"member `{declarator.name}' twice in a struct")
                names.add(declarator.name)
                fields.append((declarator.name, type_))
        type_ = types.struct(node.name or f"#anon_struct_{node.at}", tuple(fields))
        shape(type_)  # while those of its members are the only ones below it
        self.keep_precisions(type_, precisions)
        if node.name:
            self.scopes[-1][node.name] = type_
        return type_

    def _member(
        self, declarator: ast.Declarator, member: ast.Variables, base: Type
    ) -> tuple[Type, str]:
        """A member's type and precision."""
        self.reserved(declarator.name, declarator.at)
        type_ = self.with_sizes(base, declarator.sizes, declarator.at)
        if innermost(type_) is VOID:
            self.error(declarator.at, f"member `{declarator.name}' cannot be void")
            return ERROR, ""
        if not self.outer_only(declarator.at, type_):
            return ERROR, ""
        if isinstance(type_, types.ArrayType) and type_.size == 0:
            self.error(declarator.at, f"member `{declarator.name}' needs a size")
            return ERROR, ""
        written = [word for word, _ in member.qualifiers.words if word in PRECISION]
        return type_, self.precision_of(declarator.at, type_, written[0] if written else "")

    def same_scope(self, name: str) -> Meaning | None:
        """What the innermost scope has under this name."""
        return self.scopes[-1].get(name)
