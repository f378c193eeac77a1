# SPDX-License-Identifier: MIT
"""Variables: what may be declared where, with which qualifiers and initializers (GLSL 1.20, 4.3).

In: `ast` declarations.  Out: `Var`s in scopes, and `Declare` statements for local ones.
"""

from __future__ import annotations

from pydri.glsl import tree
from pydri.glsl.check.base import closes, has_opaque, has_open_size, innermost
from pydri.glsl.check.layouts import REDECLARED
from pydri.glsl.check.per_vertex import PerVertexChecker
from pydri.glsl.check.types import Storage
from pydri.glsl.language.builtin_variables import COLORS
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, Statement, Value, Var, is_unsized
from pydri.nir.stages import ATTRIBUTES, RESULTS, VARYINGS, ShaderStage
from pydri.nir.types import VOID, ArrayType, StructType, Type, VectorType


def _mode_of(word: str, stage: ShaderStage) -> str | None:
    """What a storage qualifier makes of a global variable; None: it stands in no such shader."""
    if word in stage.inputs.words:
        return "shader_in"
    if word in stage.outputs.words:
        return "shader_out"
    return word if word == "uniform" else None


def _has_integer(type_: Type) -> bool:
    """A whole number, or a struct that holds one?"""
    if isinstance(type_, StructType):
        return any(_has_integer(innermost(field)) for _, field in type_.fields)
    return type_.kind in ("int", "uint")


class DeclarationChecker(PerVertexChecker):
    """Types, layouts, and variables."""

    def variables(self, node: ast.Variables) -> list[Statement]:
        """A declaration of variables, or of a struct alone."""
        storage = self.qualifiers(node.qualifiers)
        base = self.type_of(node.type)
        if not node.declarators:
            if storage.precision and isinstance(base, StructType):
                self.error(node.at, "precision qualifiers can't be applied to structures")
            if has_open_size(base):
                self.language.need(node.at, "unsized_arrays", "an array without a size is")
            return []
        made: list[Statement] = []
        for declarator in node.declarators:
            found = self._variable(node, storage, base, declarator)
            if found is not None and len(self.scopes) > 1:
                made.append(found)
        return made

    def _variable(
        self, node: ast.Variables, storage: Storage, base: Type, declarator: ast.Declarator
    ) -> Statement | None:
        at, name = declarator.at, declarator.name
        type_ = self.with_sizes(base, declarator.sizes, at)
        if innermost(type_) is VOID:
            self.error(at, f"invalid type `void' in declaration of `{name}'")
            type_ = ERROR
        mode = self._mode(node, storage, name)
        if type_ is not ERROR and self.stage.interface(mode).per_vertex:
            type_ = self.per_vertex_type(at, type_)
        if type_ is not ERROR:
            self.check_mode(node.at, storage, mode, type_, name)
        # The initializer does not see the name (GLSL 4.2.2).
        value = None
        if declarator.init is not None:
            value = self._initializer(node.at, declarator, storage, mode, type_)
            if value is not None and has_open_size(type_):
                type_ = value.type
        elif has_open_size(type_) and not self.language.need(
            node.at, "unsized_arrays", "an array without a size is"
        ):
            type_ = ERROR
        elif mode == "const":
            self.error(node.at, f"const declaration of `{name}' must be initialized")
        if declarator.init is None and not self.outer_only(node.at, type_):
            type_ = ERROR
        var = self._declare(at, name, type_, mode, storage)
        if var is None:
            return None
        if mode == "const" and value is not None:
            var.constant = value.constant
        if len(self.scopes) == 1:
            var.initializer = value
        return tree.Declare(var, value)

    def _mode(self, node: ast.Variables, storage: Storage, name: str) -> str:
        """The mode that qualifiers say; errors for what cannot stand here."""
        word = storage.storage
        scope_is_global = len(self.scopes) == 1
        if word in ("in", "out", "inout"):
            if word == "inout" or not self.language.has("in_out_globals"):
                self.error(
                    node.at, f"`{word}' qualifier in declaration of `{name}' only valid for "
                    f"function parameters in {self.language.text}")  # fmt: skip
                return "global"
        if storage.auxiliary and word not in ("varying", "in", "out"):
            self.error(node.at, f"`{storage.auxiliary}' needs `varying' beside it")
        if storage.interpolation and word not in ("varying", "in", "out", "attribute"):
            self.error(node.at, f"interpolation qualifier `{storage.interpolation}' can only be "
                       "applied to shader inputs or outputs.")
        if storage.interpolation and word == "varying":
            self.language.need(node.at, "qualified_varyings",
                               f"`{storage.interpolation}' in front of `varying' is")
        if storage.constant or word == "const":
            return "const"
        if not word:
            return "global" if scope_is_global else "local"
        if not scope_is_global:
            self.error(node.at, f"{word} variable `{name}' must be declared at global scope")
            return "local"
        mode = _mode_of(word, self.stage)
        if mode is None:
            self.error(
                node.at, f"`{word}' variables may not be declared in the {self.stage.name} shader")
            return "global"
        return mode

    def check_mode(
        self, at: int, storage: Storage, mode: str, type_: Type, name: str
    ) -> None:  # fmt: skip
        """Types that a mode does not take."""
        inner = innermost(type_)
        interface = self.stage.interface(mode)
        if has_opaque(type_) and mode != "uniform":
            self.error(at, "image/sampler variables may only be declared as function parameters "
                       "or uniform-qualified global variables")
        if storage.invariant:
            if interface.kind not in (VARYINGS, RESULTS):
                self.error(at, f"`{name}' cannot be marked invariant; interfaces between shader "
                           "stages only")
            elif len(self.scopes) > 1:
                self.error(at, "all uses of `invariant' keyword must be at global scope")
            elif mode == "shader_in":
                self.language.need(at, "invariant_inputs", f"invariant input `{name}' is")
        if interface.kind in (ATTRIBUTES, RESULTS):
            what = f"{self.stage.name} shader {'in' if mode == 'shader_in' else 'out'}puts"
            if storage.interpolation:
                self.error(at, f"interpolation qualifier '{storage.interpolation}' cannot be "
                           f"applied to {what}")
            if storage.auxiliary:
                self.error(at, f"`{storage.auxiliary}' cannot be applied to {what}")
        if interface.kind == ATTRIBUTES:
            self._check_attribute(at, type_, inner)
        elif interface.kind == RESULTS:
            self._check_output(at, type_, inner)
        elif interface.kind == VARYINGS:
            self._check_varying(at, inner)
            self._check_nesting(at, type_)
            whole = interface.interpolated and _has_integer(inner)
            if whole and storage.interpolation != "flat":
                self.error(at, "if a fragment input is (or contains) an integer, then it must be "
                           "qualified with 'flat'")

    def _check_attribute(self, at: int, type_: Type, inner: Type) -> None:
        if isinstance(inner, StructType) or inner.kind == "bool" or (
            inner.kind != "float" and not self.language.has("integer_varyings")
        ):  # fmt: skip
            self.error(at, f"vertex shader input / attribute cannot have type `{type_}'")
        elif isinstance(type_, ArrayType):
            self.language.need(
                at, "attribute_arrays", "vertex shader input / attribute of array type is")

    def _check_output(self, at: int, type_: Type, inner: Type) -> None:
        if isinstance(inner, StructType) or inner.is_matrix:
            self.error(at, "fragment shader output cannot have struct or matrix type")
        if inner is not ERROR and (not isinstance(inner, VectorType) or inner.kind == "bool"):
            self.error(at, f"fragment shader output cannot have type {type_}")

    def _check_nesting(self, at: int, type_: Type) -> None:
        """OpenGL ES passes structs of neither arrays nor structs, and no arrays of structs (GLSL ES
        3.00, 4.3.4 and 4.3.6)."""
        inner = innermost(type_)
        if not isinstance(inner, StructType) or self.language.has("nested_varyings"):
            return
        if inner is not type_:
            self.error(at, "a varying variable cannot be an array of structs")
        elif any(isinstance(field, (ArrayType, StructType)) for _, field in inner.fields):
            self.error(at, "a varying variable cannot be a struct that holds an array or a struct")

    def _check_varying(self, at: int, inner: Type) -> None:
        if isinstance(inner, StructType):
            if self.language.need(at, "struct_varyings", "varying variables of type struct are"):
                for _, member in inner.fields:
                    self._check_varying(at, innermost(member))
        elif not isinstance(inner, VectorType) or inner.kind == "bool":
            self.error(at, "illegal type for a varying variable")
        elif inner.kind != "float" and not self.language.has("integer_varyings"):
            self.error(
                at, f"varying variables must be of base type float in {self.language.text}")

    # ---- initializers ---------------------------------------------------------------------
    def _initializer(
        self, at: int, declarator: ast.Declarator, storage: Storage, mode: str, type_: Type
    ) -> Value | None:
        assert declarator.init is not None
        value = self.expression(declarator.init)
        if mode == "uniform" and not self.language.need(
            at, "uniform_initializers", f"initializing the uniform {declarator.name} is"
        ):
            return None
        if mode in ("shader_in", "shader_out"):
            what = "input" if mode == "shader_in" else "output"
            self.error(at, f"cannot initialize {self.stage.name} shader {what} {declarator.name}")
            return None
        if has_opaque(type_):
            self.error(at, f"cannot initialize {declarator.name}: samplers have no values")
            return None
        if value.type is ERROR or type_ is ERROR:
            return None
        if has_open_size(type_):
            if not closes(value.type, type_):
                self.error(at, f"initializer of type {value.type} cannot be assigned to variable "
                           f"of type {type_}")
                return None
            if not self.language.need(at, "array_values", "initializing an array is"):
                return None
            found: Value | None = value
        else:
            found = self._assigned(at, type_, value, "initializer", "assigned")
        if found is None:
            return None
        needs = mode in ("const", "uniform") or (
            len(self.scopes) == 1 and not self.language.has("nonconst_initializers"))
        if needs and found.constant is None and not (
            mode == "const" and len(self.scopes) > 1 and self.language.has("nonconst_const")
        ):  # fmt: skip
            kind = "global" if mode == "global" else mode
            self.error(
                at, f"initializer of {kind} variable `{declarator.name}' must be a constant "
                "expression")  # fmt: skip
            return None
        return found

    # ---- declaring ------------------------------------------------------------------------
    def _declare(
        self, at: int, name: str, type_: Type, mode: str, storage: Storage
    ) -> Var | None:
        """Put a variable into the innermost scope, or change the one that is declared again."""
        layout = self.layouts(storage, mode, name)
        if name.startswith("gl_"):
            builtin = self.find(name)
            if isinstance(builtin, Var) and len(self.scopes) == 1:
                return self._redeclare(at, builtin, type_, mode, storage, layout)
        old = self.same_scope(name)
        if isinstance(old, Var):
            if len(self.scopes) == 1 or is_unsized(old.type):
                return self._redeclare(at, old, type_, mode, storage, layout)
            self.error(at, f"`{name}' redeclared")
            return None
        if old is not None or (
            self.one_namespace and len(self.scopes) == 1 and name in self.functions
        ):
            self.error(at, f"name `{name}' already taken in the current scope")
            return None
        self.reserved(name, at)
        var = Var(name, type_, mode, at)
        var.interp = storage.interpolation
        var.precision = self.precision_of(at, type_, storage.precision)
        var.centroid = storage.auxiliary == "centroid"
        var.invariant = storage.invariant
        var.location, var.index = layout.get("location", -1), layout.get("index", 0)
        self.scopes[-1][name] = var
        if len(self.scopes) == 1:
            self.shader.globals.append(var)
        return var

    def _redeclare(
        self, at: int, old: Var, type_: Type, mode: str, storage: Storage, layout: dict[str, int]
    ) -> Var | None:
        """A variable for the second time: an array may get its size (GLSL 4.1.9)."""
        if type_ is ERROR or old.type is ERROR:
            return None
        same = old.type is type_
        sized = is_unsized(old.type) and isinstance(type_, ArrayType) and (
            old.type.element(0) is type_.item)  # fmt: skip
        if not same and not sized:
            self.error(at, f"redeclaration of `{old.name}' has incorrect type")
            return None
        if mode != old.mode or old.builtin and old.block is not None:
            self.error(at, f"redeclaration cannot change qualification of `{old.name}'")
            return None
        if sized and not same:
            assert isinstance(type_, ArrayType)
            if type_.size <= old.max_index:
                self.error(at, f"array size must be > {old.max_index} due to previous access")
                return None
            if not self.check_implicit_size(at, old, type_.size):
                return None
            old.type = type_
        elif old.builtin and old.name in REDECLARED and self.language.has(REDECLARED[old.name]):
            self.redeclare(at, old, layout)
        elif old.builtin and old.name in COLORS and self.language.has("qualified_colors"):
            old.interp = storage.interpolation
        elif old.builtin and storage.invariant:
            self.mark_invariant(at, old)
        elif not is_unsized(type_):
            self.error(at, f"`{old.name}' redeclared")
            return None
        return old

    def mark_invariant(self, at: int, var: Var) -> None:
        """`invariant` of a variable that is declared already."""
        if var.mode == "shader_in" and not self.language.need(
            at, "invariant_inputs", f"invariant input `{var.name}' is"
        ):
            return
        if self.stage.interface(var.mode).kind in (VARYINGS, RESULTS):
            if var.used or var.assigned:
                self.error(
                    at, f"variable `{var.name}' may not be redeclared `invariant' after being used")
            var.invariant = True
        else:
            self.error(at, f"`{var.name}' cannot be marked invariant; interfaces between shader "
                       "stages only")

    def requalify(self, node: ast.Requalify) -> None:
        """`invariant a, b;`"""
        storage = self.qualifiers(node.qualifiers)
        words = [word for word, _ in node.qualifiers.words]
        if len(self.scopes) > 1:
            self.error(node.at, f"all uses of `{words[0]}' keyword must be at global scope")
            return
        if words != ["invariant"]:
            self.error(node.at, f"`{' '.join(words)}' without a type")
            return
        for name, at in node.names:
            found = self.find(name)
            if not isinstance(found, Var):
                self.error(at, f"undeclared variable `{name}' cannot be marked invariant")
            elif storage.invariant:
                self.mark_invariant(at, found)
