# SPDX-License-Identifier: MIT
"""What stands in layout(): locations, and built-in variables that are declared again.

In: the names of a declaration's layout qualifiers.  Out: those that hold, and fields of `Var`s.
A name is a row of `NAMES`: what gives it to the language, and what it may be said of. Sources:
ARB_explicit_attrib_location, ARB_fragment_coord_conventions, AMD_ and ARB_conservative_depth,
ARB_uniform_buffer_object.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.glsl.check.types import Storage, TypeChecker
from pydri.glsl.source import ast
from pydri.glsl.tree import Var
from pydri.nir import enums
from pydri.nir.stages import INPUT_PRIMITIVES, OUTPUT_PRIMITIVES


class Name(NamedTuple):
    """A name. `targets`: of what it may be said: a variable, a block, a member of a block, or, as
    `default`, all blocks that follow; as `stage`, all inputs or outputs of the shader (which of
    them, says the stage's row). `group`: of the names of one group the last counts. `values`:
    the range of its value, where it has one. Of variables, `stage`, `mode`: of which; `variable`:
    of this built-in one alone.
    """

    feature: str
    targets: tuple[str, ...] = ("variable",)
    group: str = ""
    values: tuple[int, int] | None = None
    stage: str = ""
    mode: str = ""
    variable: str = ""


_COORD: Final = Name(
    "coord_layouts", stage="fragment", mode="shader_in", variable="gl_FragCoord")
_DEPTH: Final = Name(
    "depth_layouts", stage="fragment", mode="shader_out", variable="gl_FragDepth")
_PACKING: Final = Name("uniform_blocks", ("default", "block"), "packing")
_MATRICES: Final = Name("uniform_blocks", ("default", "block", "member"), "matrices")
_MOST: Final = (1 << 31) - 1
NAMES: Final[dict[str, Name]] = {
    "origin_upper_left": _COORD, "pixel_center_integer": _COORD,
    "depth_any": _DEPTH, "depth_greater": _DEPTH, "depth_less": _DEPTH, "depth_unchanged": _DEPTH,
    "location": Name("explicit_locations", values=(0, _MOST)),
    "index": Name("explicit_indices", values=(0, 1), stage="fragment", mode="shader_out"),
    "std140": _PACKING, "shared": _PACKING, "packed": _PACKING,
    "row_major": _MATRICES, "column_major": _MATRICES,
    **dict.fromkeys((*INPUT_PRIMITIVES, *OUTPUT_PRIMITIVES), Name("geometry_layouts", ("stage",))),
    "max_vertices": Name("geometry_layouts", ("stage",), values=(0, _MOST)),
    "invocations": Name("invocations", ("stage",), values=(1, 32)),
}  # fmt: skip
#: variables that may be declared again, and what allows it
REDECLARED: Final = {row.variable: row.feature for row in NAMES.values() if row.variable}


class LayoutChecker(TypeChecker):
    """Types, and layouts."""

    def layout_names(self, items: list[ast.Layout], target: str, what: str) -> dict[str, int]:
        """What layout() says of a target (`what` in messages), by name; without a value they have
        0. Of a group, only the last is there.
        """
        found: dict[str, int] = {}
        again = self.language.has("any_qualifier_order")
        for item in items:
            row = NAMES.get(item.name)
            if row is None or not self.language.has(row.feature):
                self.error(item.at, f"unrecognized layout identifier `{item.name}'")
            elif target not in row.targets:
                self.error(item.at, f"layout qualifier `{item.name}' cannot be applied to {what}")
            elif (row.values is not None) != (item.value is not None):
                needs = "has no" if row.values is None else "needs a"
                self.error(item.at, f"`{item.name}' {needs} value")
            elif item.name in found and "variable" in row.targets and not again:
                self.error(item.at, f"duplicate layout qualifier `{item.name}'")
            else:
                value = self._value(item, row)
                if row.group:
                    found = {n: v for n, v in found.items() if NAMES[n].group != row.group}
                found[item.name] = value
        return found

    def layouts(self, storage: Storage, mode: str, name: str) -> dict[str, int]:
        """The layout qualifiers of a variable."""
        found = self.layout_names(storage.layout, "variable", f"variable `{name}'")
        for item in storage.layout:
            if item.name not in found:
                continue
            row = NAMES[item.name]
            if row.variable and row.variable != name:
                self.error(item.at, f"layout qualifier `{item.name}' can only be applied to "
                           f"fragment shader {row.mode[7:]} `{row.variable}'")
            elif row.mode and (self.stage.name, mode) != (row.stage, row.mode) or (
                not row.variable and not self._located(storage, mode)
            ):  # fmt: skip
                self.error(item.at, f"{self.stage.name} shader {name}: no explicit {item.name} is "
                           "possible for it")
        if "index" in found and "location" not in found:
            self.error(storage.layout[0].at, "explicit index requires explicit location")
        return found

    def _located(self, storage: Storage, mode: str) -> bool:
        """Whether the program may say where a variable is; older qualifiers have no such word."""
        older = storage.storage in ("attribute", "varying")
        return self.stage.interface(mode).located and not older

    def _value(self, item: ast.Layout, row: Name) -> int:
        """A literal; expressions are of later versions."""
        if item.value is None:
            return 0
        if not isinstance(item.value, ast.Number) or item.value.kind not in ("int", "uint"):
            self.error(item.at, f"{item.name} must be a literal whole number")
            return 0
        value = int(item.value.value)
        low, high = row.values or (0, 0)
        if not low <= value <= high:
            self.error(item.at, f"explicit {item.name} may only be {low} to {high}")
            return low
        return value

    def redeclare(self, at: int, var: Var, found: dict[str, int]) -> None:
        """A built-in variable for the second time, before it is used: what layout() says of it, or
        nothing. A promise of gl_FragDepth is not made use of: depths are tested as written.
        """
        if var.layout is None and (var.used or var.assigned):
            self.error(at, f"the first redeclaration of {var.name} must appear before any use of "
                       f"{var.name}")
        layout = tuple(sorted(found))
        if var.slot == enums.FRAG_RESULT_DEPTH and len(layout) > 1:
            self.error(at, "at most one depth layout qualifier can be applied to gl_FragDepth")
        if var.layout is not None and var.layout != layout:
            self.error(at, f"{var.name} redeclared with different layout qualifiers")
        var.layout = layout


__all__ = ["REDECLARED", "LayoutChecker"]
