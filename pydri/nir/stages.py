# SPDX-License-Identifier: MIT
"""TABLE: the shader stages, and what differs from one to the next.

In: nothing. Out: `STAGES`, a row for each stage in the order in which work passes through them
(Mesa's gl_shader_stage). A row's place is its number (SHADER_* of pydri/pipe/native.py) in all that
is by stage: key blocks, pipeline states, executables, bindings. Whoever must know what a stage is
like asks a column, never its name. A row says what a stage is, not that a program can have one:
that says glCreateShader, of the kinds in `OFFERED`, where the context has them.
Sources: GL 4.6, chapters 7, 11, 15 and 19; GLSL 4.60, 4.3.4, 4.3.6, 4.4 and 4.7.4; GLSL ES 3.20.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeVar

from pydri.nir.enums import FRAG_RESULT_NAMES, VARYING_SLOT_NAMES, VERT_ATTRIB_NAMES
from pydri.pipe.native import (
    SHADER_COMPUTE,
    SHADER_FRAGMENT,
    SHADER_GEOMETRY,
    SHADER_STAGES,
    SHADER_VERTEX,
)

#: Interface.kind: what a program's vertices have; what stages pass to the next; what fragments
#: become. A stage without an interface has NOTHING.
ATTRIBUTES, VARYINGS, RESULTS, NOTHING = "attributes", "varyings", "results", "nothing"


class Interface(NamedTuple):
    """What `in` or `out` of a stage means."""

    kind: str
    #: the storage qualifiers that declare such a variable
    words: tuple[str, ...] = ()
    #: variables are arrays, an element for each vertex of the primitive or patch
    per_vertex: bool = False
    #: `patch` variables belong to the patch, and are no arrays
    patch: bool = False
    #: values are made of those of a primitive's corners: interpolation has a meaning
    interpolated: bool = False
    #: names in layout(...) of the whole stage, and those that have a value
    layout: tuple[str, ...] = ()
    layout_values: tuple[str, ...] = ()

    @property
    def slots(self) -> dict[int, str]:
        """The printed names of its slots."""
        return _SLOTS[self.kind]

    @property
    def located(self) -> bool:
        """Whether the program chooses locations (glBindAttribLocation, glBindFragDataLocation)."""
        return self.kind in (ATTRIBUTES, RESULTS)


_SLOTS: Final = {
    ATTRIBUTES: VERT_ATTRIB_NAMES, VARYINGS: VARYING_SLOT_NAMES, RESULTS: FRAG_RESULT_NAMES,
    NOTHING: {},
}  # fmt: skip
_NONE: Final = Interface(NOTHING)
_PASSED_ON: Final = Interface(VARYINGS, ("varying", "out"))


class ShaderStage(NamedTuple):
    """A stage."""

    name: str  # as in messages, in nir and in sections of a .shader_test
    word: str  # as in the names of limits: GL_MAX_VERTEX_UNIFORM_COMPONENTS
    short: str  # as in the names of files that Mesa dumps
    suffix: str  # of files with GLSL
    shader_type: int  # what glCreateShader is given (GL's enum)
    inputs: Interface
    outputs: Interface
    #: quads of invocations run together: derivatives, and levels of detail that follow from them
    derivatives: bool = False
    #: an invocation may end without results (`discard`)
    discards: bool = False
    #: it computes and passes nothing on: neither draws nor neighbours
    alone: bool = False
    #: its outputs are passed on wherever it says so (`emit_vertex`), not where it ends
    emits: bool = False
    #: precision before any statement, by type (GLSL ES)
    precisions: dict[str, str] = {}

    @property
    def number(self) -> int:
        """Its place."""
        return NUMBERS[self.name]

    def interface(self, mode: str) -> Interface:
        """Of the variables of a mode (shader_in, shader_out)."""
        return {"shader_in": self.inputs, "shader_out": self.outputs}.get(mode, _NONE)

    def limit(self, name: str) -> str:
        """A limit of the stage by its name in GL: `limit("UNIFORM_VECTORS")`. Of samplers (those
        of fragments came first) it has no word.
        """
        own = name == "TEXTURE_IMAGE_UNITS" and self.outputs.kind == RESULTS
        return f"GL_MAX_{name}" if own else f"GL_MAX_{self.word}_{name}"

    def constant(self, name: str) -> str:
        """The same limit as a shader sees it."""
        words = self.limit(name).removeprefix("GL_").title()
        return f"gl_{words.replace('_', '')}"


class Primitive(NamedTuple):
    """What a geometry shader takes or makes, by the word in layout(): GL's mode, and of what it
    takes how many vertices are one (the length of its input arrays)."""

    mode: int
    vertices: int = 0


INPUT_PRIMITIVES: Final = {
    "points": Primitive(0, 1), "lines": Primitive(1, 2), "lines_adjacency": Primitive(10, 4),
    "triangles": Primitive(4, 3), "triangles_adjacency": Primitive(12, 6),
}  # fmt: skip
OUTPUT_PRIMITIVES: Final = {
    "points": Primitive(0), "line_strip": Primitive(3), "triangle_strip": Primitive(5),
}  # fmt: skip
_SAMPLERS: Final = {"sampler2D": "lowp", "samplerCube": "lowp"}
_PRECISE: Final = {"float": "highp", "int": "highp", **_SAMPLERS}

STAGES: Final = (
    ShaderStage(
        "vertex", "VERTEX", "VS", "vert", 0x8B31,
        Interface(ATTRIBUTES, ("attribute", "in")), _PASSED_ON, precisions=_PRECISE,
    ),
    ShaderStage(
        "tess_ctrl", "TESS_CONTROL", "TCS", "tesc", 0x8E88,
        Interface(VARYINGS, ("in",), per_vertex=True),
        Interface(VARYINGS, ("out",), per_vertex=True, patch=True, layout_values=("vertices",)),
        precisions=_PRECISE,
    ),
    ShaderStage(
        "tess_eval", "TESS_EVALUATION", "TES", "tese", 0x8E87,
        Interface(VARYINGS, ("in",), per_vertex=True, patch=True, layout=(
            "triangles", "quads", "isolines", "equal_spacing", "fractional_even_spacing",
            "fractional_odd_spacing", "cw", "ccw", "point_mode")),
        _PASSED_ON._replace(words=("out",)), precisions=_PRECISE,
    ),
    ShaderStage(
        "geometry", "GEOMETRY", "GS", "geom", 0x8DD9,
        Interface(VARYINGS, ("in",), per_vertex=True, layout=tuple(INPUT_PRIMITIVES),
                  layout_values=("invocations",)),
        _PASSED_ON._replace(layout=tuple(OUTPUT_PRIMITIVES),
                            layout_values=("max_vertices", "stream")),
        emits=True, precisions=_PRECISE,
    ),
    ShaderStage(
        "fragment", "FRAGMENT", "FS", "frag", 0x8B30,
        Interface(VARYINGS, ("varying", "in"), interpolated=True, layout=("early_fragment_tests",)),
        Interface(RESULTS, ("out", "varying out")), derivatives=True, discards=True,
        precisions={"int": "mediump", **_SAMPLERS},
    ),
    ShaderStage(
        "compute", "COMPUTE", "CS", "comp", 0x91B9,
        _NONE._replace(layout_values=("local_size_x", "local_size_y", "local_size_z")), _NONE,
        alone=True, precisions=_PRECISE,
    ),
)  # fmt: skip
BY_NAME: Final = {row.name: row for row in STAGES}
NUMBERS: Final = {row.name: number for number, row in enumerate(STAGES)}
#: the stages of a program that draws, in the order of its work
CHAIN: Final = tuple(row for row in STAGES if not row.alone)
#: those that programs of today may have
OFFERED: Final = (STAGES[SHADER_VERTEX], STAGES[SHADER_GEOMETRY], STAGES[SHADER_FRAGMENT])
#: names of the stages that find levels of detail themselves, and of all others
WITH_DERIVATIVES: Final = tuple(row.name for row in STAGES if row.derivatives)
WITHOUT_DERIVATIVES: Final = tuple(row.name for row in STAGES if not row.derivatives)

assert len(STAGES) == SHADER_STAGES and STAGES[SHADER_COMPUTE].alone

_Item = TypeVar("_Item")


def neighbours(found: Sequence[_Item]) -> Iterator[tuple[_Item | None, _Item | None]]:
    """Each stage of a chain with the next one. Both ends are open: before the first and behind the
    last there is None."""
    ends: list[_Item | None] = [None, *found, None]
    return zip(ends, ends[1:], strict=False)


def slot_names(stage: str, mode: str) -> dict[int, str]:
    """The names of the slots that variables of this stage and mode are assigned to."""
    return BY_NAME[stage].interface(mode).slots


__all__ = [
    "ATTRIBUTES", "BY_NAME", "CHAIN", "INPUT_PRIMITIVES", "Interface", "NOTHING", "NUMBERS",
    "OFFERED", "OUTPUT_PRIMITIVES", "Primitive", "RESULTS", "STAGES", "ShaderStage", "VARYINGS",
    "WITHOUT_DERIVATIVES", "WITH_DERIVATIVES", "neighbours", "slot_names",
]  # fmt: skip
