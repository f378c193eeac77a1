# SPDX-License-Identifier: MIT
"""What a stage says of all its inputs or outputs, and inputs that are arrays over vertices.

In: `layout(...) in;` and `layout(...) out;`, types of inputs.  Out: `layouts` of the shader, and
arrays that have as many elements as the input primitive has vertices. Which names a stage has is
in its row (pydri/nir/stages.py). gl_in is made here, when it is named first.
Sources: GLSL 1.50, 4.3.4, 4.3.8.1, 4.3.8.2 and 7.1. Messages are Mesa's (ast_to_hir.cpp).
"""

from __future__ import annotations

from pydri.glsl.check.base import Meaning
from pydri.glsl.check.layouts import LayoutChecker
from pydri.glsl.language import builtin_variables
from pydri.glsl.source import ast
from pydri.glsl.tree import ERROR, BlockVar, Var
from pydri.nir import types
from pydri.nir.stages import INPUT_PRIMITIVES, VARYINGS
from pydri.nir.types import ArrayType, Type

#: the built-in block, and the instance by which arrays of it are named
BLOCK, INSTANCE = "gl_PerVertex", "gl_in"


class PerVertexChecker(LayoutChecker):
    """Types and layouts, and what belongs to each vertex."""

    #: of the input primitive; 0: it was not said yet
    vertices = 0
    #: the size of the first input array that was declared with one
    explicit_vertices = 0

    # ---- layout(...) in; layout(...) out; -----------------------------------------------------
    def stage_layouts(self, node: ast.Requalify, word: str) -> None:
        """`layout(triangles) in;`, `layout(points, max_vertices = 1) out;`"""
        interface = self.stage.interface(f"shader_{word}")
        what = f"`{word}' of a {self.stage.name} shader"
        found = self.layout_names(node.qualifiers.layout, "stage", what)
        primitives = 0
        for item in node.qualifiers.layout:
            name = item.name
            if name not in found:
                continue
            if name in interface.layout:
                primitives += 1
                if primitives > 1:
                    self.error(item.at, f"layout() names a second primitive, `{name}'")
                self._settle(item.at, word, name)
            elif name not in interface.layout_values:
                self.error(item.at, f"layout qualifier `{name}' cannot be applied to {what}")
            elif not self._beyond_limit(item.at, name, found[name]):
                self._settle(item.at, name, found[name])
        primitive = self.shader.layouts.get("in")
        if word == "in" and isinstance(primitive, str) and not self.vertices:
            self.vertices = INPUT_PRIMITIVES[primitive].vertices
            self._size_inputs(node.at)

    def _beyond_limit(self, at: int, name: str, value: int) -> bool:
        if name != "max_vertices":
            return False
        constant = "gl_MaxGeometryOutputVertices"
        most = builtin_variables.limit(constant, self.language, self.limits) or 0
        if value > most:
            self.error(
                at, f"max_vertices ({value}) exceeds GL_MAX_GEOMETRY_OUTPUT_VERTICES ({most})")
        return value > most

    def _settle(self, at: int, key: str, value: str | int) -> None:
        """Every declaration of a shader says the same."""
        old = self.shader.layouts.setdefault(key, value)
        if old == value:
            return
        if key == "in":
            self.error(at, f"{self.stage.name} shader input layout does not match previous "
                       "declaration")
        elif key == "out":
            self.error(at, f"conflicting output primitives `{old}' and `{value}'")
        else:
            self.error(at, f"{key} layout qualifier does not match previous declaration "
                       f"({old} vs {value})")

    def _size_inputs(self, at: int) -> None:
        """Inputs that were declared before the layout get their size, or contradict it."""
        count = self.vertices
        for var in self.shader.globals:
            if var.mode != "shader_in" or not isinstance(var.type, ArrayType):
                continue
            if var.type.size and var.type.size != count:
                self.error(at, f"this {self.stage.name} shader input layout implies {count} "
                           "vertices per primitive, but a previous input is declared with size "
                           f"{var.type.size}")
            elif var.max_index >= count:
                self.error(at, f"this {self.stage.name} shader input layout implies {count} "
                           f"vertices, but an access to element {var.max_index} of input "
                           f"`{var.name}' already exists")
            else:
                var.type = types.array(var.type.item, count)

    # ---- inputs -------------------------------------------------------------------------------
    def per_vertex_type(self, at: int, type_: Type) -> Type:
        """The type of an input that has an element for each vertex, sized if that is known."""
        stage = self.stage.name
        if not isinstance(type_, ArrayType):
            self.error(at, f"{stage} shader inputs must be arrays")
            return ERROR
        if type_.size == 0:
            return types.array(type_.item, self.vertices)
        if self.vertices and type_.size != self.vertices:
            self.error(at, f"{stage} shader input size contradicts previously declared layout "
                       f"(size is {type_.size}, but layout requires a size of {self.vertices})")
        elif self.explicit_vertices and type_.size != self.explicit_vertices:
            self.error(at, f"{stage} shader input sizes are inconsistent (size is {type_.size}, "
                       f"but a previous declaration has size {self.explicit_vertices})")
        else:
            self.explicit_vertices = type_.size
        return type_

    # ---- gl_PerVertex -------------------------------------------------------------------------
    def builtin(self, name: str) -> Meaning | None:
        if name in self.hidden:
            return None
        if name == INSTANCE and name not in self.builtins and self.has_block("shader_in"):
            return self._inputs()
        return super().builtin(name)

    def has_block(self, mode: str) -> bool:
        """Is there a built-in block of what stages pass on?"""
        interface = self.stage.interface(mode)
        if interface.kind != VARYINGS or interface.interpolated:
            return False
        return bool(builtin_variables.per_vertex(self.language, self.stage.name))

    def builtin_members(self, mode: str) -> list[Var]:
        """The members of the built-in block, as this language has them."""
        found = []
        for row in builtin_variables.per_vertex(self.language, self.stage.name):
            type_ = types.array(row.type, 0) if row.size else row.type
            var = Var(row.name, type_, mode)
            var.slot, var.builtin = row.slot, True
            found.append(var)
        return found

    def _inputs(self) -> Var:
        block = BlockVar(BLOCK, "shader_in", "")
        block.members = self.builtin_members("shader_in")
        return self.declare_inputs(block, types.array(block.type, self.vertices))

    def declare_inputs(self, block: BlockVar, type_: Type) -> Var:
        """gl_in, of a block with these members."""
        block.instance, block.builtin = INSTANCE, True
        for var in block.members:
            var.block = block
        made = Var(INSTANCE, type_, "shader_in", block.at)
        made.builtin, made.block = True, block
        self.builtins[INSTANCE] = made
        self.shader.globals.append(made)
        return made


__all__ = ["BLOCK", "INSTANCE", "PerVertexChecker"]
