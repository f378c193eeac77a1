# SPDX-License-Identifier: MIT
"""What the phrases of an assembly program mean (ARB_vertex_program 2.14.2 to 2.14.5,
ARB_fragment_program 3.11.2 to 3.11.5).

In: values and places of the parts of a phrase, by the name of the rule's action (grammar.py). Out:
the phrase's value; in the end `program` and, of operands that are elements of indexed arrays,
`elements`. A mistake is a ProgramFault with the peer's words. One mistake does not end the parsing:
a header of the other language (`failed`). Names, declarations and instructions are here, bindings
of state, attributes and results in bindings.py. Counterpart of the actions of Mesa's
program_parse.y and of program_parse_extra.c.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pydri.nir.enums import VARYING_SLOT_POS
from pydri.prog.bindings import Bindings, Places, Values
from pydri.prog.faults import ProgramFault
from pydri.prog.instructions import (
    ADDR,
    CONST,
    INPUT,
    NOOP,
    ONE,
    OUTPUT,
    STATE,
    TEMP,
    XYZW,
    ZERO,
    Dst,
    Instruction,
    Src,
    Swizzle,
    combine,
)
from pydri.prog.lalr import Place
from pydri.prog.languages import LANGUAGES
from pydri.prog.limits import Limits
from pydri.prog.options import fragment_option, vertex_option
from pydri.prog.parameters import Parameter, State

_TARGETS: Final = {
    "ARRAY1D": "1D_ARRAY", "ARRAY2D": "2D_ARRAY", "ARRAYSHADOW1D": "1D_ARRAY",
    "ARRAYSHADOW2D": "2D_ARRAY", "SHADOW1D": "1D", "SHADOW2D": "2D", "SHADOWRECT": "RECT",
}  # fmt: skip
_LETTERS: Final = "xyzw", "rgba"


class Symbol(NamedTuple):
    """A name: "temp", "address", "attrib", "output" or "param", with what it means."""

    kind: str
    first: int = 0  # register, or number of the first parameter
    length: int = 1  # parameters
    is_array: bool = False
    file: str = STATE
    swizzle: Swizzle = NOOP


class Element(NamedTuple):
    """The parameters of an array that is indexed."""

    first: int
    length: int


class Operand(NamedTuple):
    """An operand and, if it is an element of an indexed array, the array."""

    src: Src
    element: Element | None = None

    def swizzled(self, swizzle: Swizzle) -> Operand:
        return self._replace(src=self.src._replace(swizzle=combine(self.src.swizzle, swizzle)))

    def signed(self, negative: int) -> Operand:
        negate = self.src.negate ^ (XYZW if negative else 0)
        return self._replace(src=self.src._replace(negate=negate))


class Actions(Bindings):
    """The actions of one program."""

    def __init__(self, text: str, stage: str, limits: Limits) -> None:
        super().__init__(text, stage, limits)
        self.symbols: dict[str, Symbol] = {}
        self.elements: dict[int, list[Element | None]] = {}
        self.failed: ProgramFault | None = None
        self._declaring = ""

    def declared(self, name: str) -> bool:
        return name in self.symbols

    # -- program, options, names -------------------------------------------------------------------

    def _header(self, stage: str, place: Place) -> None:
        language, wanted = LANGUAGES[stage], self.program.stage
        self.lexer.language = language.letter
        if wanted != stage:
            self.failed = ProgramFault(f"invalid {wanted} program header", place)
        if language.textures:
            self.lexer.options.add("rect")

    def on_vertex_header(self, values: Values, places: Places) -> None:
        self._header("vertex", places[0])

    def on_fragment_header(self, values: Values, places: Places) -> None:
        self._header("fragment", places[0])

    def on_option(self, values: Values, places: Places) -> None:
        if self.of_vertices:
            if not vertex_option(self, values[1]):
                raise ProgramFault("invalid ARB vertex program option", places[1])
        elif not fragment_option(self, values[1]):
            raise ProgramFault("invalid ARB fragment program option", places[1])

    def declare(self, name: str, symbol: Symbol, place: Place) -> None:
        """A name from now on means this."""
        if name in self.symbols:
            raise ProgramFault("redeclared identifier", place)
        program = self.program
        if symbol.kind == "temp":
            if program.temporaries >= self.limits.temporaries:
                raise ProgramFault("too many temporaries declared", place)
            symbol = symbol._replace(first=program.temporaries)
            program.temporaries += 1
        elif symbol.kind == "address":
            if program.address_registers >= self.limits.address_registers:
                raise ProgramFault("too many address registers declared", place)
            program.address_registers += 1
        self.symbols[name] = symbol

    def on_of_temps(self, values: Values, places: Places) -> None:
        self._declaring = "temp"

    def on_of_addresses(self, values: Values, places: Places) -> None:
        self._declaring = "address"

    def on_declare_last(self, values: Values, places: Places) -> None:
        self.declare(values[-1], Symbol(self._declaring), places[-1])

    def on_declare_attribute(self, values: Values, places: Places) -> None:
        self.declare(values[1], Symbol("attrib", values[3]), places[1])
        self.inputs_bound |= 1 << values[3]
        self.check_inputs(places[3])

    def on_declare_output(self, values: Values, places: Places) -> None:
        self.declare(values[1], Symbol("output", values[3]), places[1])

    def on_declare_single(self, values: Values, places: Places) -> None:
        self.declare(values[1], values[2], places[1])

    def on_array_size(self, values: Values, places: Places) -> int:
        size, most = int(values[0]), self.limits.parameters
        if not 1 <= size <= most:
            said = f"invalid parameter array size (size={size} max={most})"
            raise ProgramFault(said, places[0])
        return size

    def on_declare_array(self, values: Values, places: Places) -> None:
        size, symbol = values[3], values[5]
        if size not in (0, symbol.length):
            said = "parameter array size and number of bindings must match"
            raise ProgramFault(said, places[3])
        self.declare(values[1], symbol._replace(is_array=True, swizzle=NOOP), places[1])

    def on_alias(self, values: Values, places: Places) -> None:
        if values[1] in self.symbols:
            raise ProgramFault(f"redeclared identifier: {values[1]}", places[1])
        if values[3] not in self.symbols:
            raise ProgramFault("undefined variable binding in ALIAS statement", places[3])
        self.symbols[values[1]] = self.symbols[values[3]]

    # -- parameters --------------------------------------------------------------------------------

    def on_bind_states(self, values: Values, places: Places) -> Symbol:
        states: list[State] = values[0]
        first = len(self.program.parameters)
        for state in states:
            self.program.parameters.append(Parameter(state))
        return Symbol("param", first, len(states))

    def on_bind_const(self, values: Values, places: Places) -> Symbol:
        first, swizzle = self.program.parameters.add_constant(values[0])
        return Symbol("param", first, file=CONST, swizzle=swizzle)

    def on_bind_element(self, values: Values, places: Places) -> Symbol:
        first, _ = self.program.parameters.add_constant(values[0], swizzled=False)
        return Symbol("param", first, file=CONST)

    def on_concatenated(self, values: Values, places: Places) -> Symbol:
        first: Symbol = values[0]
        return first._replace(length=first.length + values[2].length)

    def on_signed_number(self, values: Values, places: Places) -> float:
        number = float(values[1])
        return -number if values[0] else number

    def on_scalar_declared(self, values: Values, places: Places) -> tuple[float, ...]:
        return (values[0],) * 4

    def on_scalar_used(self, values: Values, places: Places) -> tuple[float, ...]:
        return (float(values[0]),)

    def on_vector_of(self, values: Values, places: Places) -> tuple[float, ...]:
        given = tuple(values[1::2])
        return given + (0.0, 0.0, 0.0, 1.0)[len(given) :]

    # -- operands ----------------------------------------------------------------------------------

    def _symbol(self, name: str, place: Place) -> Symbol:
        found = self.symbols.get(name)
        if found is None:
            raise ProgramFault("invalid operand variable", place)
        return found

    def on_operand_name(self, values: Values, places: Places) -> Operand:
        found = self._symbol(values[0], places[0])
        if found.kind == "temp":
            return Operand(Src(TEMP, found.first))
        if found.kind == "attrib":
            return self._read(found.first, places[0])
        if found.kind != "param":
            raise ProgramFault("invalid operand variable", places[0])
        if found.is_array:
            raise ProgramFault("non-array access to array PARAM", places[0])
        return Operand(Src(found.file, found.first, found.swizzle))

    def _read(self, slot: int, place: Place) -> Operand:
        self.program.inputs_read |= 1 << slot
        self.check_inputs(place)
        return Operand(Src(INPUT, slot))

    def on_operand_attribute(self, values: Values, places: Places) -> Operand:
        return self._read(values[0], places[0])

    def on_operand_parameter(self, values: Values, places: Places) -> Operand:
        found: Symbol = values[0]
        return Operand(Src(found.file, found.first, found.swizzle))

    def on_array(self, values: Values, places: Places) -> Symbol:
        found = self._symbol(values[0], places[0])
        if found.kind != "param" or not found.is_array:
            raise ProgramFault("array access to non-PARAM variable", places[0])
        return found

    def on_operand_element(self, values: Values, places: Places) -> Operand:
        array: Symbol = values[0]
        relative, index = values[2]
        if relative:
            self.program.indirect_files.add(array.file)
            whole = Element(array.first, array.length)
            return Operand(Src(array.file, index, relative=True), whole)
        if not 0 <= index < array.length:
            raise ProgramFault("out of bounds array access", places[2])
        return Operand(Src(array.file, array.first + index))

    def on_array_absolute(self, values: Values, places: Places) -> tuple[bool, int]:
        return False, values[0]

    def on_array_relative(self, values: Values, places: Places) -> tuple[bool, int]:
        return True, values[2]

    def _offset(self, number: int, most: int, place: Place) -> int:
        if not 0 <= number <= most:
            raise ProgramFault(f"relative address offset too large ({number})", place)
        return number

    def on_offset_up(self, values: Values, places: Places) -> int:
        return self._offset(values[0], self.limits.address_offset - 1, places[0])

    def on_offset_down(self, values: Values, places: Places) -> int:
        return self._offset(values[0], self.limits.address_offset, places[0])

    def on_negated(self, values: Values, places: Places) -> int:
        return -int(values[1])

    def on_address_register(self, values: Values, places: Places) -> Symbol:
        found = self.symbols.get(values[0])
        if found is None:
            raise ProgramFault("invalid array member", places[0])
        if found.kind != "address":
            raise ProgramFault("invalid variable for indexed array access", places[0])
        return found

    def _only_x(self, mask: int, message: str, place: Place) -> None:
        if mask != 1:
            raise ProgramFault(message, place)

    def on_address_component(self, values: Values, places: Places) -> None:
        self._only_x(values[0][1], "invalid address component selector", places[0])

    def on_address_mask(self, values: Values, places: Places) -> None:
        self._only_x(values[0][1], 'address register write mask must be ".x"', places[0])

    def on_address_target(self, values: Values, places: Places) -> Dst:
        return Dst(ADDR, 0, 1)

    def on_whole(self, values: Values, places: Places) -> tuple[Swizzle, int]:
        return NOOP, XYZW

    def on_signed(self, values: Values, places: Places) -> Operand:
        operand: Operand = values[1]
        return operand.signed(values[0])

    def on_swizzled(self, values: Values, places: Places) -> Operand:
        operand: Operand = values[0]
        return operand.swizzled(values[1][0])

    def on_signed_swizzled(self, values: Values, places: Places) -> Operand:
        operand: Operand = values[1]
        return operand.signed(values[0]).swizzled(values[2][0])

    def on_register_result(self, values: Values, places: Places) -> Dst:
        return Dst(OUTPUT, values[0])

    def on_register_name(self, values: Values, places: Places) -> Dst:
        found = self._symbol(values[0], places[0])
        if found.kind not in ("output", "temp"):
            raise ProgramFault("invalid operand variable", places[0])
        return Dst(OUTPUT if found.kind == "output" else TEMP, found.first)

    def on_target(self, values: Values, places: Places) -> Dst:
        dst: Dst = values[0]._replace(mask=values[1][1])
        if dst.file == OUTPUT:
            if self.program.position_invariant and dst.number == VARYING_SLOT_POS:
                said = "position-invariant programs cannot write position"
                raise ProgramFault(said, places[0])
            self.program.outputs_written |= 1 << dst.number
        return dst

    # -- swizzles of SWZ ---------------------------------------------------------------------------

    def on_selection_number(self, values: Values, places: Places) -> tuple[int, int]:
        if values[0] not in (0, 1):
            raise ProgramFault("invalid extended swizzle selector", places[0])
        return (ONE if values[0] else ZERO), 3

    def on_selection_name(self, values: Values, places: Places) -> tuple[int, int]:
        """The component, and whose letter it is: 1 xyzw's, 2 rgba's."""
        for n, letters in enumerate(_LETTERS, 1):
            if len(values[0]) == 1 and values[0] in letters:
                return letters.index(values[0]), n
        raise ProgramFault("invalid extended swizzle selector", places[0])

    def on_selector(self, values: Values, places: Places) -> tuple[int, int, int]:
        return values[0], *values[1]

    def on_extended_swizzle(self, values: Values, places: Places) -> tuple[Swizzle, int]:
        given = values[::2]
        if not given[0][2] & given[1][2] & given[2][2] & given[3][2]:
            said = "cannot combine RGBA and XYZW swizzle components"
            raise ProgramFault(said, places[0])
        x, y, z, w = (item[1] for item in given)
        return (x, y, z, w), sum(item[0] << n for n, item in enumerate(given))

    # -- instructions ------------------------------------------------------------------------------

    def _made(self, opcode: str, dst: Dst, operands: list[Operand], **more: Any) -> Any:
        """An instruction with the arrays of its operands."""
        made = Instruction(opcode, dst, tuple(operand.src for operand in operands), **more)
        return made, [operand.element for operand in operands]

    def on_instruction(self, values: Values, places: Places) -> Any:
        opcode, saturate = values[0]
        return self._made(opcode, values[1], values[3::2], saturate=saturate)

    def on_arl(self, values: Values, places: Places) -> Any:
        return self._made("ARL", values[1], [values[3]])

    def on_kill(self, values: Values, places: Places) -> Any:
        self.program.uses_kill = True
        return self._made("KIL", Instruction("KIL").dst, [values[1]])

    def on_swz(self, values: Values, places: Places) -> Any:
        opcode, saturate = values[0]
        operand, (swizzle, negate) = values[3], values[5]
        operand = operand.swizzled(swizzle)
        operand = operand._replace(src=operand.src._replace(negate=negate))
        return self._made(opcode, values[1], [operand], saturate=saturate)

    def on_sample(self, values: Values, places: Places) -> Any:
        opcode, saturate = values[0]
        unit, word = values[-3], values[-1]
        target: str = _TARGETS.get(str(word), str(word))
        shadow = "SHADOW" in word
        if self.program.textures.setdefault(unit, (target, shadow)) != (target, shadow):
            said = "multiple targets used on one texture image unit"
            raise ProgramFault(said, places[-1])
        more = {"saturate": saturate, "unit": unit, "target": target, "shadow": shadow}
        return self._made(opcode, values[1], values[3:-4:2], **more)

    def on_count_alu(self, values: Values, places: Places) -> Any:
        self.program.alu_instructions += 1
        return values[0]

    def on_count_tex(self, values: Values, places: Places) -> Any:
        self.program.tex_instructions += 1
        return values[0]

    def on_append(self, values: Values, places: Places) -> None:
        instruction, elements = values[0]
        if any(elements):
            self.elements[len(self.program.instructions)] = elements
        self.program.instructions.append(instruction)


__all__ = ["Actions", "Element", "ProgramFault"]
