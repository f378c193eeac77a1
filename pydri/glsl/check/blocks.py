# SPDX-License-Identifier: MIT
"""Interface blocks: what may stand in them, and what their layout is.

In: `ast.Block`, and layout() alone before `uniform`, `in` or `out`.  Out: a `BlockVar` each in the
shader, whose members are globals or, where the block has a name of an instance, parts of that.
Sources: ARB_uniform_buffer_object, GLSL 1.40 and 1.50, 4.3.7; of gl_PerVertex 7.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pydri.glsl.check.base import closes, has_opaque, has_open_size, innermost, shape
from pydri.glsl.check.declarations import DeclarationChecker
from pydri.glsl.check.per_vertex import BLOCK, INSTANCE
from pydri.glsl.check.types import PRECISION
from pydri.glsl.language.layouts import has_matrix
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, BlockVar, Var
from pydri.nir import types
from pydri.nir.stages import VARYINGS
from pydri.nir.types import VOID, Type

#: of a block, by the word before it
_MODES: Final = {"uniform": "uniform", "in": "shader_in", "out": "shader_out"}


class BlockChecker(DeclarationChecker):
    """Declarations, and blocks."""

    #: what holds for blocks that say nothing: layout() alone may change it
    packing = "shared"
    by_rows = False

    def block_defaults(self, node: ast.Requalify) -> None:
        """`layout(std140) uniform;`: what holds from here on; `layout(lines) in;`."""
        words = [word for word, _ in node.qualifiers.words if word != "layout"]
        if words in (["in"], ["out"]):
            self.stage_layouts(node, words[0])
            return
        if words != ["uniform"]:
            self.error(node.at, f"layout() cannot stand before `{' '.join(words)}' alone")
            return
        found = self.layout_names(node.qualifiers.layout, "default", "uniform blocks in general")
        self.packing, self.by_rows = _settled(found, self.packing, self.by_rows)

    def block(self, node: ast.Block) -> None:
        """A block."""
        words = {word for word, _ in node.qualifiers.words} - {"layout"}
        self.qualifiers(node.qualifiers)  # what cannot stand together
        mode = _MODES.get(" ".join(words), "")
        if not mode:
            self.error(node.at, f"`{' '.join(sorted(words))}' blocks are not possible")
        elif mode == "uniform":
            self._uniform_block(node)
        elif node.name == BLOCK:
            self._redeclared_block(node, mode)
        elif self.stage.interface(mode).kind != VARYINGS:
            self.error(node.at, f"`{mode[7:]}' interface block is not allowed for a "
                       f"{self.stage.name} shader")
        else:
            self._passed_block(node, mode)

    def _uniform_block(self, node: ast.Block) -> None:
        found = self.layout_names(node.qualifiers.layout, "block", f"block `{node.name}'")
        packing, by_rows = _settled(found, self.packing, self.by_rows)
        block = BlockVar(node.name, "uniform", packing, node.at)
        self._name_block(block)
        for member in node.members:
            self._members(block, member, by_rows)
        self._finish_block(block, node.instance)

    def _name_block(self, block: BlockVar) -> None:
        """A block's name is one among those of its interface, and of no variable."""
        self.reserved(block.name, block.at)
        key = block.storage, block.name
        old = self.scopes[0].get(block.name)
        if key in self.blocks or self._is_taken(block.name) and not isinstance(old, BlockVar):
            self.error(block.at, f"block name `{block.name}' already taken")
        else:
            self.scopes[0][block.name] = self.blocks[key] = block

    def _finish_block(self, block: BlockVar, instance: ast.Declarator | None) -> None:
        """All members are there: they, or the instance, are declared."""
        if any(var.type is ERROR for var in block.members):
            return
        shape(block.type)  # while those of its members are the only ones below it
        self.shader.blocks.append(block)
        if instance is not None:
            self._instance(block, instance)
        elif self.stage.interface(block.storage).per_vertex:
            self.per_vertex_type(block.at, block.type)
        else:
            for var in block.members:
                self._declare_global(var, block)

    def _is_taken(self, name: str) -> bool:
        """Blocks have names in the space of globals (GLSL 1.40, 4.3.7)."""
        return name in self.scopes[0] or self.one_namespace and name in self.functions

    def _declare_global(self, var: Var, block: BlockVar) -> None:
        var.block = block
        if self._is_taken(var.name):
            self.error(var.at, f"`{var.name}' redeclared")
            return
        self.scopes[0][var.name] = var
        self.shader.globals.append(var)

    def _instance(self, block: BlockVar, node: ast.Declarator) -> None:
        """The variable by which a shader names a block, or an array of blocks."""
        self.reserved(node.name, node.at)
        type_ = self.with_sizes(block.type, node.sizes, node.at)
        per_vertex = self.stage.interface(block.storage).per_vertex
        if type_ is not ERROR and per_vertex:
            type_ = self.per_vertex_type(node.at, type_)
        if type_ is ERROR:
            return
        if has_open_size(type_) and not per_vertex:
            self.error(node.at, f"array of blocks `{node.name}' needs a size")
            return
        block.instance, block.sizes = node.name, types.dimensions(type_)
        for var in block.members:
            var.block = block
        self._declare_global(Var(node.name, type_, block.storage, node.at), block)

    # ---- blocks that stages pass on ----------------------------------------------------------
    def _passed_block(self, node: ast.Block, mode: str) -> None:
        """An `in' or `out' block."""
        block = BlockVar(node.name, mode, "", node.at)
        self.layout_names(node.qualifiers.layout, "passed block", f"block `{node.name}'")
        self._name_block(block)
        for member in node.members:
            self._passed_members(block, member)
        self._finish_block(block, node.instance)

    def _passed_members(self, block: BlockVar, node: ast.Variables) -> None:
        word, mode = block.storage[7:], block.storage
        if node.type.struct is not None:
            self.error(node.at, "embedded structure declarations are not allowed in blocks")
        storage = self.qualifiers(node.qualifiers)
        if storage.constant or storage.storage not in ("", word):
            self.error(node.at, f"`{storage.storage or 'const'}' cannot stand in an `{word}' block")
        self.layout_names(node.qualifiers.layout, "passed member", f"members of `{block.name}'")
        base = self.type_of(node.type)
        for declarator in node.declarators:
            at, name = declarator.at, declarator.name
            if not block.builtin:
                self.reserved(name, at)
            if any(var.name == name for var in block.members):
                self.error(at, f"member `{name}' twice in block `{block.name}'")
            var = Var(name, self.with_sizes(base, declarator.sizes, at), mode, at)
            if innermost(var.type) is VOID:
                self.error(at, f"member `{name}' cannot be void")
                var.type = ERROR
            elif var.type is not ERROR and self.outer_only(at, var.type):
                self.check_mode(at, storage, mode, var.type, name)
            var.interp, var.invariant = storage.interpolation, storage.invariant
            var.centroid = storage.auxiliary == "centroid"
            var.precision = self.precision_of(at, var.type, storage.precision)
            block.members.append(var)

    def _redeclared_block(self, node: ast.Block, mode: str) -> None:
        """gl_PerVertex for the second time: what stands in it is all that the shader may use of it
        (GLSL 4.10, 7.1).
        """
        word, instance = mode[7:], node.instance
        if not self.has_block(mode):
            self.error(node.at, f"redeclaration of {BLOCK} {word}put not allowed in the "
                       f"{self.stage.name} shader")
            return
        arrayed = self.stage.interface(mode).per_vertex
        if arrayed and (
            instance is None or instance.name != INSTANCE or len(instance.sizes) != 1
        ):
            self.error(node.at, f"{BLOCK} input must be redeclared as {INSTANCE}[]")
            return
        if instance is not None and not arrayed:
            self.error(node.at, f"redeclaration of {BLOCK} output may not use an instance name")
            return
        known = {var.name: var for var in self.builtin_members(mode)}
        if any(name in self.builtins for name in ([INSTANCE] if arrayed else known)):
            self.error(node.at, f"redeclaration of {BLOCK} must appear once, and before any use of "
                       "its members")
            return
        block = BlockVar(BLOCK, mode, "", node.at)
        block.builtin = True
        for member in node.members:
            self._passed_members(block, member)
        self._fill_builtin(block, known)
        if any(var.type is ERROR for var in block.members):
            return
        shape(block.type)
        self.shader.blocks.append(block)
        if instance is not None:
            type_ = self.with_sizes(block.type, instance.sizes, instance.at)
            type_ = type_ if type_ is ERROR else self.per_vertex_type(instance.at, type_)
            if type_ is not ERROR:
                self.declare_inputs(block, type_)
            return
        self.hidden |= set(known) - {var.name for var in block.members}
        for var in block.members:
            self.builtins[var.name] = var
            var.block = block
            self.shader.globals.append(var)

    def _fill_builtin(self, block: BlockVar, known: dict[str, Var]) -> None:
        """The members that a shader wrote are those of the built-in block, or some of them."""
        for var in block.members:
            row = known.get(var.name)
            fits = row is not None and (var.type is row.type or closes(var.type, row.type))
            if row is None or not fits:
                self.error(var.at, f"redeclaration of {BLOCK} must be a subset of the built-in "
                           f"members of {BLOCK}")
                var.type = ERROR
                continue
            if isinstance(var.type, types.ArrayType):
                self.check_implicit_size(var.at, row, var.type.size)
            var.slot, var.builtin = row.slot, True

    # ---- members --------------------------------------------------------------------------
    def _members(self, block: BlockVar, node: ast.Variables, by_rows: bool) -> None:
        """A declaration of members."""
        if node.type.struct is not None and self.language.has("no_embedded_structs"):
            self.error(node.at, "embedded structure declarations are not allowed in blocks")
        base = self.type_of(node.type)
        precision = ""
        for word, at in node.qualifiers.words:
            if word in PRECISION:
                precision = word
            elif word not in ("uniform", "layout"):
                self.error(at, f"`{word}' cannot stand in a uniform block")
        found = self.layout_names(node.qualifiers.layout, "member", f"members of `{block.name}'")
        _, by_rows = _settled(found, "", by_rows)
        for declarator in node.declarators:
            at, name = declarator.at, declarator.name
            self.reserved(name, at)
            if any(var.name == name for var in block.members):
                self.error(at, f"member `{name}' twice in block `{block.name}'")
            var = Var(name, self._member_type(declarator, base), "uniform", at)
            var.by_rows = by_rows
            var.precision = self.precision_of(at, var.type, precision)
            if found and not has_matrix(var.type):
                self.log.warning(at, f"{next(iter(found))} has no effect on `{name}'")
            block.members.append(var)

    def _member_type(self, declarator: ast.Declarator, base: Type) -> Type:
        at, name = declarator.at, declarator.name
        type_ = self.with_sizes(base, declarator.sizes, at)
        if type_ is ERROR:
            return ERROR
        if innermost(type_) is VOID:
            self.error(at, f"member `{name}' cannot be void")
        elif has_opaque(type_):
            self.error(at, f"uniform in non-default uniform block contains sampler `{name}'")
        elif not self.outer_only(at, type_):
            pass
        elif isinstance(type_, types.ArrayType) and type_.size == 0:
            self.error(at, f"member `{name}' needs a size")
        else:
            return type_
        return ERROR


def _settled(found: Iterable[str], packing: str, by_rows: bool) -> tuple[str, bool]:
    """What of the names of layout() is about: the packing, and how matrices lie."""
    for name in found:
        if name in ("row_major", "column_major"):
            by_rows = name == "row_major"
        else:
            packing = name
    return packing, by_rows


__all__ = ["BlockChecker"]
