# SPDX-License-Identifier: MIT
"""The common ground of the checker: scopes, built-in names, types, implicit conversions.

In: names and syntax.  Out: variables and types of the typed tree. The checker's layers build on
each other by inheritance, as the parser's do: this, operators, constructors, calls, expressions,
declarations, statements.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydri.glsl import tree
from pydri.glsl.language import builtin_variables, fold
from pydri.glsl.language.versions import Language
from pydri.glsl.log import Log
from pydri.glsl.tree import ERROR, BlockVar, Convert, Function, Value, Var
from pydri.nir import stages, types
from pydri.nir.types import ArrayType, SamplerType, StructType, Type, VectorType

#: what a name in a scope means; a block's means nothing but that it is taken
Meaning = Var | StructType | BlockVar


class Shape:
    """What is asked of structs again and again: a struct that holds another twice, which holds
    another twice, has more members in all than can be counted one by one.
    """

    __slots__ = ("array", "components", "members", "opaque")

    def __init__(self, struct: StructType) -> None:
        #: is a sampler, an array among the members, however deep?
        self.opaque = self.array = False
        #: by name: the member's type, and where its components begin
        self.members: dict[str, tuple[Type, int]] = {}
        at = 0
        for name, type_ in struct.fields:
            self.members[name] = type_, at
            at += component_count(type_)
            self.opaque = self.opaque or has_opaque(type_)
            self.array = self.array or has_array(type_)
        self.components = at


def shape(struct: StructType) -> Shape:
    """A struct's shape. Those of its members are known already: they were defined before."""
    found: Shape | None = struct.derived.get(Shape)
    if found is None:
        found = struct.derived[Shape] = Shape(struct)
    return found


def has_opaque(type_: Type) -> bool:
    """A sampler, or something that holds one?"""
    type_ = innermost(type_)
    return shape(type_).opaque if isinstance(type_, StructType) else isinstance(type_, SamplerType)


def has_array(type_: Type) -> bool:
    """An array, or a struct that holds one?"""
    return shape(type_).array if isinstance(type_, StructType) else isinstance(type_, ArrayType)


def innermost(type_: Type) -> Type:
    """What the elements of an array are, in the end."""
    while isinstance(type_, ArrayType):
        type_ = type_.item
    return type_


def has_open_size(type_: Type) -> bool:
    """Is there a dimension whose size is not known?"""
    while isinstance(type_, ArrayType):
        if type_.size == 0:
            return True
        type_ = type_.item
    return False


def closes(given: Type, type_: Type) -> bool:
    """Is `given` that type, but for sizes that the type leaves open?"""
    while isinstance(type_, ArrayType) and isinstance(given, ArrayType):
        if type_.size not in (0, given.size) or given.size == 0:
            return False
        given, type_ = given.item, type_.item
    return given is type_


def component_count(type_: Type) -> int:
    """How long a constant of this type is."""
    if isinstance(type_, StructType):
        return shape(type_).components
    if isinstance(type_, ArrayType):
        return type_.size * component_count(type_.item)
    return type_.components if isinstance(type_, VectorType) else 0


class CheckerBase:
    """What all layers share."""

    def __init__(
        self, log: Log, language: Language, stage: str, limits: Mapping[str, int]
    ) -> None:
        self.log = log
        self.language = language
        self.stage = stages.BY_NAME[stage]
        self.limits = limits
        self.shader = tree.Shader(stage, language.version, language.es)
        self.scopes: list[dict[str, Meaning]] = [{}]
        #: by name and parameter types
        self.functions: dict[str, dict[tuple[Type, ...], Function]] = {}
        #: by mode and name: an `in' and an `out' block may have the same name
        self.blocks: dict[tuple[str, str], BlockVar] = {}
        self.builtins: dict[str, Var] = {}
        #: of built-in arrays that the shader sizes, by mode and name: how many elements it names
        self.elements: dict[tuple[str, str], int] = {}
        #: was a built-in variable named? Each shader has its own
        self.named_builtin = False
        #: members of a built-in block that was declared again without them
        self.hidden: set[str] = set()
        #: the function whose body is being checked
        self.current: Function | None = None
        self.returned = False
        #: functions that initializers of globals call
        self.initializer_calls: dict[Function, None] = {}
        #: 1.10 keeps functions apart from variables (GLSL 1.10, 4.2.6)
        self.one_namespace = language.has("one_namespace")

    # ---- errors ---------------------------------------------------------------------------
    def error(self, at: int, message: str) -> Value:
        """Report; the value of what is wrong."""
        self.log.error(at, message)
        return Value(at, ERROR)

    # ---- names ----------------------------------------------------------------------------
    def find(self, name: str) -> Meaning | None:
        """What a name means here; functions apart."""
        for scope in reversed(self.scopes):
            found = scope.get(name)
            if found is not None:
                return found
        return self.builtin(name) if name.startswith("gl_") else None

    def builtin(self, name: str) -> Meaning | None:
        """What a built-in name means."""
        known = self.builtins.get(name)
        if known is not None:
            self.named_builtin = self.named_builtin or known.mode != "const"
            return known
        value = builtin_variables.limit(name, self.language, self.limits)
        if value is not None:
            var = Var(name, types.INT, "const")
            var.constant = (value,)
        else:
            struct = builtin_variables.struct_type(name, self.language)
            if struct is not None:
                return struct
            row = builtin_variables.lookup(name, self.language, self.stage.name)
            if row is None:
                return None
            type_, size = row.type, row.size
            if size:
                count = (
                    builtin_variables.limit(size, self.language, self.limits) or 0
                    if isinstance(size, str) else 0
                )  # fmt: skip
                type_ = types.array(type_, count)
            var = Var(name, type_, row.mode)
            var.slot, var.interp = row.slot, row.interp
            self.shader.globals.append(var)
            self.named_builtin = True
        var.builtin = True
        self.builtins[name] = var
        return var

    def reserved(self, name: str, at: int) -> None:
        """Report names that programs may not declare (GLSL 3.6)."""
        if name.startswith("gl_"):
            self.error(at, f"identifier `{name}' uses reserved `gl_' prefix")
        elif "__" in name:
            # Reserved by the letter; every driver lets it pass.
            self.log.warning(at, f"identifier `{name}' uses reserved `__' string")

    # ---- conversions ----------------------------------------------------------------------
    def can_convert(self, source: Type, target: Type) -> bool:
        """Is there an implicit conversion (GLSL 1.20, 4.1.10)?"""
        if source is target:
            return True
        if not (isinstance(source, VectorType) and isinstance(target, VectorType)):
            return False
        if source.rows != target.rows or source.columns != target.columns:
            return False
        if source.columns != 1 or not self.language.has("implicit_conversions"):
            return False
        if target.kind == "float":
            return source.kind in ("int", "uint")
        return target.kind == "uint" and source.kind == "int" and self.language.has("int_to_uint")

    def converted(self, value: Value, target: Type) -> Value | None:
        """The value as another type by an implicit conversion; None if there is none."""
        if value.type is target or value.type is ERROR or target is ERROR:
            return value
        if not self.can_convert(value.type, target):
            return None
        return self.as_kind(value, target.kind)

    @staticmethod
    def as_kind(value: Value, kind: str) -> Value:
        """The same components as numbers of another kind."""
        type_ = value.type
        if type_.kind == kind or type_ is ERROR:
            return value
        assert isinstance(type_, VectorType)
        target = types.matrix(type_.columns, type_.rows) if type_.columns > 1 else (
            types.vector(kind, type_.rows))  # fmt: skip
        constant = value.constant
        if constant is not None:
            constant = fold.convert(constant, type_.kind, kind)
        return Convert(value.at, target, value, constant)
