# SPDX-License-Identifier: MIT
"""What programs name of the state, of attributes and of results (ARB_vertex_program 2.14.3,
ARB_fragment_program 3.11.3 and 3.11.4): half of the actions of the grammar.

In: values and places of a phrase's parts. Out: references to state (tuples, parameters.py), one a
parameter, and slots of attributes and results. Checks and messages are the peer's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pydri.nir import enums
from pydri.prog.faults import ProgramFault
from pydri.prog.instructions import Program
from pydri.prog.lalr import Place
from pydri.prog.lexer import Lexer
from pydri.prog.limits import Limits
from pydri.prog.parameters import State

Values = list[Any]
Places = list[Place]
#: numbers that must be below a limit: action -> (limit, what is said)
_BOUNDS: Final = {
    "attribute_number": ("attributes", "invalid vertex attribute reference"),
    "light_number": ("lights", "invalid light selector"),
    "clip_plane_number": ("clip_planes", "invalid clip plane selector"),
    "program_matrix_number": ("matrices", "invalid program matrix selector"),
    "env_number": ("env_parameters", "invalid environment parameter reference"),
    "local_number": ("local_parameters", "invalid local parameter reference"),
    "coord_unit": ("coord_units", "invalid texture coordinate unit selector"),
    "image_unit_number": ("image_units", "invalid texture image unit selector"),
    "legacy_unit": ("units", "invalid texture unit selector"),
}
_VERTEX_RESULTS: Final = {
    "position": enums.VARYING_SLOT_POS, "fogcoord": enums.VARYING_SLOT_FOGC,
    "pointsize": enums.VARYING_SLOT_PSIZ,
}  # fmt: skip
#: phrases that are one of their parts, and those that are a number
_PARTS: Final = {"second": 1, "third": 2, "word": 0}
_NUMBERS: Final = {"zero": 0, "one": 1, "plus": 0, "minus": 1}
_WORDS: Final = {
    "front": "front", "back": "back", "no_modifier": "", "word_size": "size",
    "coord_s": "s", "coord_t": "t", "coord_r": "r", "coord_q": "q", "spot": "spot.direction",
}  # fmt: skip


class Bindings:
    """Actions by name: `action(name)(values, places)`."""

    def __init__(self, text: str, stage: str, limits: Limits) -> None:
        self.program = Program(stage)
        self.limits = limits
        self.lexer = Lexer(text, self.declared)
        self.inputs_bound = 0
        self.draw_buffers = False

    def declared(self, name: str) -> bool:
        """Whether a name is in use."""
        raise NotImplementedError

    def action(self, name: str) -> Callable[[Values, Places], Any]:
        """What is done with a phrase."""
        if name in _PARTS:
            at = _PARTS[name]
            return lambda values, places: values[at]
        if name in _NUMBERS or name in _WORDS:
            value = _NUMBERS[name] if name in _NUMBERS else _WORDS[name]
            return lambda values, places: value
        if name in _BOUNDS:
            return lambda values, places: self._bounded(name, values[0], places[0])
        made: Callable[[Values, Places], Any] = getattr(self, "on_" + name)
        return made

    def _bounded(self, name: str, number: int, place: Place) -> int:
        limit, message = _BOUNDS[name]
        if not 0 <= number < getattr(self.limits, limit):
            raise ProgramFault(message, place)
        return number

    @property
    def of_vertices(self) -> bool:
        """The program is written in the language of vertex programs."""
        return self.lexer.language == "v"

    # -- attributes --------------------------------------------------------------------------------

    def on_vertex_position(self, values: Values, places: Places) -> int:
        return enums.VERT_ATTRIB_POS

    def on_vertex_normal(self, values: Values, places: Places) -> int:
        return enums.VERT_ATTRIB_NORMAL

    def on_vertex_color(self, values: Values, places: Places) -> int:
        return enums.VERT_ATTRIB_COLOR0 + int(values[1])

    def on_vertex_fogcoord(self, values: Values, places: Places) -> int:
        return enums.VERT_ATTRIB_FOG

    def on_vertex_texcoord(self, values: Values, places: Places) -> int:
        return enums.VERT_ATTRIB_TEX0 + int(values[1])

    def on_generic(self, values: Values, places: Places) -> int:
        return enums.VERT_ATTRIB_GENERIC0 + int(values[2])

    def on_no_palette(self, values: Values, places: Places) -> int:
        raise ProgramFault("GL_ARB_matrix_palette not supported", places[0])

    def on_fragment_position(self, values: Values, places: Places) -> int:
        return enums.VARYING_SLOT_POS

    def on_fragment_color(self, values: Values, places: Places) -> int:
        return enums.VARYING_SLOT_COL0 + int(values[1])

    def on_fragment_fogcoord(self, values: Values, places: Places) -> int:
        return enums.VARYING_SLOT_FOGC

    def on_fragment_texcoord(self, values: Values, places: Places) -> int:
        return enums.VARYING_SLOT_TEX0 + int(values[1])

    def check_inputs(self, place: Place) -> None:
        """An attribute may be read by its number or by its name, not by both (ARB_vertex_program,
        2.14.3.1)."""
        inputs = self.program.inputs_read | self.inputs_bound
        named = inputs >> enums.VERT_ATTRIB_TEX0 & 0xFF
        taken = named << 8
        pairs = (
            (enums.VERT_ATTRIB_POS, 0), (enums.VERT_ATTRIB_NORMAL, 2),
            (enums.VERT_ATTRIB_COLOR0, 3), (enums.VERT_ATTRIB_COLOR1, 4),
            (enums.VERT_ATTRIB_FOG, 5),
        )  # fmt: skip
        for slot, number in pairs:
            taken |= (inputs >> slot & 1) << number
        if taken & inputs >> enums.VERT_ATTRIB_GENERIC0:
            raise ProgramFault("illegal use of generic attribute and name attribute", place)

    # -- results -----------------------------------------------------------------------------------

    def _no_result(self, place: Place) -> ProgramFault:
        return ProgramFault("invalid program result name", place)

    def _vertex_result(self, name: str, place: Place) -> int:
        if not self.of_vertices:
            raise self._no_result(place)
        return _VERTEX_RESULTS[name]

    def on_result_position(self, values: Values, places: Places) -> int:
        return self._vertex_result("position", places[1])

    def on_result_fogcoord(self, values: Values, places: Places) -> int:
        return self._vertex_result("fogcoord", places[1])

    def on_result_pointsize(self, values: Values, places: Places) -> int:
        return self._vertex_result("pointsize", places[1])

    def on_result_texcoord(self, values: Values, places: Places) -> int:
        if not self.of_vertices:
            raise self._no_result(places[1])
        return enums.VARYING_SLOT_TEX0 + int(values[2])

    def on_result_depth(self, values: Values, places: Places) -> int:
        if self.of_vertices:
            raise self._no_result(places[1])
        return enums.FRAG_RESULT_DEPTH

    def on_result_color(self, values: Values, places: Places) -> int:
        return int(values[1] + values[2])

    def on_result_no_face(self, values: Values, places: Places) -> int:
        if self.of_vertices:
            return enums.VARYING_SLOT_COL0
        return enums.FRAG_RESULT_DATA0 if self.draw_buffers else enums.FRAG_RESULT_COLOR

    def on_result_number(self, values: Values, places: Places) -> int:
        if self.of_vertices:
            raise self._no_result(places[0])
        if not self.draw_buffers:
            said = "result.color[] used without `OPTION ARB_draw_buffers' or "
            raise ProgramFault(said + "`OPTION ATI_draw_buffers'", places[0])
        if not 0 <= values[1] < self.limits.draw_buffers:
            raise ProgramFault("result.color[] exceeds MAX_DRAW_BUFFERS_ARB", places[0])
        return enums.FRAG_RESULT_DATA0 + int(values[1])

    def _side(self, slot: int, place: Place) -> int:
        if not self.of_vertices:
            raise self._no_result(place)
        return slot

    def on_result_front(self, values: Values, places: Places) -> int:
        return self._side(enums.VARYING_SLOT_COL0, places[0])

    def on_result_back(self, values: Values, places: Places) -> int:
        return self._side(enums.VARYING_SLOT_BFC0, places[0])

    def on_result_primary(self, values: Values, places: Places) -> int:
        return self._side(0, places[0])

    def on_result_secondary(self, values: Values, places: Places) -> int:
        return self._side(1, places[0])

    # -- state -------------------------------------------------------------------------------------

    def on_material(self, values: Values, places: Places) -> list[State]:
        return [("material", values[1], values[2])]

    def on_light(self, values: Values, places: Places) -> list[State]:
        return [("light", values[2], values[4])]

    def on_light_model_ambient(self, values: Values, places: Places) -> list[State]:
        return [("lightmodel", "ambient")]

    def on_scene_color(self, values: Values, places: Places) -> list[State]:
        return [("lightmodel", values[0], "scenecolor")]

    def on_light_product(self, values: Values, places: Places) -> list[State]:
        return [("lightprod", values[2], values[4], values[5])]

    def on_texenv(self, values: Values, places: Places) -> list[State]:
        return [("texenv", values[1], "color")]

    def on_texgen(self, values: Values, places: Places) -> list[State]:
        return [("texgen", values[1], values[2], values[3])]

    def on_fog(self, values: Values, places: Places) -> list[State]:
        return [("fog", values[1])]

    def on_clip_plane(self, values: Values, places: Places) -> list[State]:
        return [("clip", values[2])]

    def on_point(self, values: Values, places: Places) -> list[State]:
        return [("point", values[1])]

    def on_depth_range(self, values: Values, places: Places) -> list[State]:
        return [("depth", "range")]

    def on_matrix(self, values: Values, places: Places) -> State:
        return ("matrix", *values[1], values[2])

    def on_matrix_plain(self, values: Values, places: Places) -> State:
        return (values[0], 0)

    def on_matrix_named(self, values: Values, places: Places) -> State:
        return (values[0], values[1])

    def on_matrix_of_program(self, values: Values, places: Places) -> State:
        return ("program", values[2])

    def on_modelview_number(self, values: Values, places: Places) -> int:
        if values[0] != 0:
            raise ProgramFault("invalid modelview matrix index", places[0])
        return 0

    def on_row_number(self, values: Values, places: Places) -> int:
        number = int(values[0])
        if not 0 <= number <= 3:
            raise ProgramFault("invalid matrix row reference", places[0])
        return number

    def on_matrix_row(self, values: Values, places: Places) -> list[State]:
        return [(*values[0], values[3])]

    def on_all_rows(self, values: Values, places: Places) -> tuple[int, int]:
        return 0, 3

    def on_row_range(self, values: Values, places: Places) -> tuple[int, int]:
        if values[2] > values[4]:
            raise ProgramFault("invalid matrix row range", places[2])
        return values[2], values[4]

    def on_matrix_rows(self, values: Values, places: Places) -> list[State]:
        first, last = values[1]
        return [(*values[0], row) for row in range(first, last + 1)]

    def on_one_number(self, values: Values, places: Places) -> tuple[int, int]:
        return values[0], values[0]

    def on_number_range(self, values: Values, places: Places) -> tuple[int, int]:
        return values[0], values[2]

    def _numbered(self, kind: str, given: Any) -> list[State]:
        first, last = given if isinstance(given, tuple) else (given, given)
        return [(kind, n) for n in range(first, last + 1)]

    def on_env(self, values: Values, places: Places) -> list[State]:
        return self._numbered("env", values[3])

    def on_local(self, values: Values, places: Places) -> list[State]:
        return self._numbered("local", values[3])


__all__ = ["Bindings", "Places", "Values"]
