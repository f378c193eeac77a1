# SPDX-License-Identifier: MIT
"""What stands in layout(): locations, and built-in variables that are declared again.

In: the names of a declaration's layout qualifiers.  Out: `Layouts`, and fields of `Var`s.
A name is a row of `NAMES`: what gives it to the language, and what it may be said of. Sources:
ARB_explicit_attrib_location, ARB_fragment_coord_conventions, AMD_ and ARB_conservative_depth.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.glsl import ast
from pydri.glsl.check_types import Storage, TypeChecker
from pydri.glsl.tree import Var
from pydri.nir import enums


class Name(NamedTuple):
    """A name. `stage`, `mode`: of what it may stand; `variable`: of this built-in one alone."""

    feature: str
    value: bool
    stage: str
    mode: str
    variable: str = ""


_COORD: Final = Name("coord_layouts", False, "fragment", "shader_in", "gl_FragCoord")
_DEPTH: Final = Name("depth_layouts", False, "fragment", "shader_out", "gl_FragDepth")
NAMES: Final[dict[str, Name]] = {
    "origin_upper_left": _COORD, "pixel_center_integer": _COORD,
    "depth_any": _DEPTH, "depth_greater": _DEPTH, "depth_less": _DEPTH, "depth_unchanged": _DEPTH,
    "location": Name("explicit_locations", True, "", ""),
    "index": Name("explicit_locations", True, "fragment", "shader_out"),
}  # fmt: skip
#: variables that may be declared again, and what allows it
REDECLARED: Final = {row.variable: row.feature for row in NAMES.values() if row.variable}


class LayoutChecker(TypeChecker):
    """Types, and layouts."""

    def layouts(self, storage: Storage, mode: str, name: str) -> dict[str, int]:
        """The layout qualifiers of a variable, by name; without a value they have 0."""
        found: dict[str, int] = {}
        for item in storage.layout:
            row = NAMES.get(item.name)
            if row is None or not self.language.has(row.feature):
                self.error(item.at, f"unrecognized layout identifier `{item.name}'")
            elif row.variable and row.variable != name:
                self.error(item.at, f"layout qualifier `{item.name}' can only be applied to "
                           f"fragment shader {row.mode[7:]} `{row.variable}'")
            elif row.mode and (self.stage.name, mode) != (row.stage, row.mode) or (
                not row.variable and not self._located(storage, mode)
            ):  # fmt: skip
                self.error(item.at, f"{self.stage.name} shader {name}: no explicit {item.name} is "
                           "possible for it")
            elif row.value != (item.value is not None):
                self.error(item.at, f"`{item.name}' {'needs a' if row.value else 'has no'} value")
            else:
                found[item.name] = self._value(item)
        if "index" in found and "location" not in found:
            self.error(storage.layout[0].at, "explicit index requires explicit location")
        elif found.get("index", 0) > 1:
            self.error(storage.layout[0].at, "explicit index may only be 0 or 1")
        return found

    def _located(self, storage: Storage, mode: str) -> bool:
        """Whether the program may say where a variable is; older qualifiers have no such word."""
        older = storage.storage in ("attribute", "varying")
        return self.stage.interface(mode).located and not older

    def _value(self, item: ast.Layout) -> int:
        """A literal; expressions are of later versions."""
        if item.value is None:
            return 0
        if not isinstance(item.value, ast.Number) or item.value.kind not in ("int", "uint"):
            self.error(item.at, f"{item.name} must be a literal whole number")
            return 0
        return int(item.value.value)

    def redeclare(self, at: int, var: Var, found: dict[str, int]) -> None:
        """A built-in variable for the second time, before it is used: what layout() says of it, or
        nothing. A promise of gl_FragDepth is not made use of: depths are tested as written.
        """
        if var.used or var.assigned:
            self.error(at, f"the first redeclaration of {var.name} must appear before any use of "
                       f"{var.name}")
        layout = tuple(sorted(found))
        if var.slot == enums.FRAG_RESULT_DEPTH and len(layout) > 1:
            self.error(at, "at most one depth layout qualifier can be applied to gl_FragDepth")
        if var.layout is not None and var.layout != layout:
            self.error(at, f"{var.name} redeclared with different layout qualifiers")
        var.layout = layout


__all__ = ["REDECLARED", "LayoutChecker"]
