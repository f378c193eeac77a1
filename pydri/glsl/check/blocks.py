# SPDX-License-Identifier: MIT
"""Interface blocks: what may stand in them, and what their layout is.

In: `ast.Block`, and layout() alone before `uniform`.  Out: a `BlockVar` each in the shader, whose
members are globals or, where the block has a name of an instance, parts of that. Uniform blocks
alone are there. Sources: ARB_uniform_buffer_object, GLSL 1.40 and 1.50, 4.3.7.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydri.glsl.check.base import has_opaque, has_open_size, innermost, shape
from pydri.glsl.check.declarations import DeclarationChecker
from pydri.glsl.check.types import PRECISION
from pydri.glsl.language.layouts import has_matrix
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, BlockVar, Var
from pydri.nir import types
from pydri.nir.types import VOID, Type


class BlockChecker(DeclarationChecker):
    """Declarations, and blocks."""

    #: what holds for blocks that say nothing: layout() alone may change it
    packing = "shared"
    by_rows = False

    def block_defaults(self, node: ast.Requalify) -> None:
        """`layout(std140) uniform;`: what holds from here on."""
        words = [word for word, _ in node.qualifiers.words if word != "layout"]
        if words != ["uniform"]:
            self.error(node.at, f"layout() cannot stand before `{' '.join(words)}' alone")
            return
        found = self.layout_names(node.qualifiers.layout, "default", "uniform blocks in general")
        self.packing, self.by_rows = _settled(found, self.packing, self.by_rows)

    def block(self, node: ast.Block) -> None:
        """A block."""
        words = {word for word, _ in node.qualifiers.words} - {"layout"}
        if words != {"uniform"}:
            self.error(node.at, f"`{' '.join(sorted(words))}' blocks are not possible")
            return
        found = self.layout_names(node.qualifiers.layout, "block", f"block `{node.name}'")
        packing, by_rows = _settled(found, self.packing, self.by_rows)
        block = BlockVar(node.name, "uniform", packing, node.at)
        self.reserved(node.name, node.at)
        if self._is_taken(node.name):
            self.error(node.at, f"block name `{node.name}' already taken")
        else:
            self.scopes[0][node.name] = block
        for member in node.members:
            self._members(block, member, by_rows)
        if any(var.type is ERROR for var in block.members):
            return
        shape(block.type)  # while those of its members are the only ones below it
        self.shader.blocks.append(block)
        if node.instance is None:
            for var in block.members:
                self._declare_global(var, block)
        else:
            self._instance(block, node.instance)

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
        if type_ is ERROR:
            return
        if has_open_size(type_):
            self.error(node.at, f"array of blocks `{node.name}' needs a size")
            return
        block.instance, block.size = node.name, type_.length if node.sizes else 0
        self._declare_global(Var(node.name, type_, "uniform", node.at), block)

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
