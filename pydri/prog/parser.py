# SPDX-License-Identifier: MIT
"""From the text of an assembly program to Mesa IR.

In: a text, the stage it is for, the limits. Out: a `Program`, or ProgramFault with the message and
the position that the peer gives. Parameters are numbered in the end, in the order in which
instructions read them (`layout_parameters`): arrays that are indexed first, each in one piece.
Counterpart of Mesa's program_parse.y, arbprogparse.c and prog_parameter_layout.c.
"""

from __future__ import annotations

from pydri.prog.actions import Actions, Element
from pydri.prog.faults import ProgramFault
from pydri.prog.grammar import tables
from pydri.prog.instructions import CONST, STATE, Instruction, Program, Src, combine
from pydri.prog.lalr import Place, SyntaxFault, run
from pydri.prog.limits import Limits
from pydri.prog.parameters import ParameterList


def parse(text: str, stage: str, limits: Limits) -> Program:
    """The program of a text; raises ProgramFault."""
    actions = Actions(text, stage, limits)
    try:
        run(tables(), actions.lexer.token, actions.action)
    except SyntaxFault as fault:
        raise ProgramFault(str(fault), fault.place) from None
    if actions.failed is not None:
        raise actions.failed
    program = actions.program
    program.text = text
    layout_parameters(program, actions.elements)
    program.instructions.append(Instruction("END"))
    return program


def layout_parameters(program: Program, elements: dict[int, list[Element | None]]) -> None:
    """Number the parameters that instructions read. What two indexed arrays hold, or one of them
    twice, has no place, as with the peer."""
    nowhere = Place(0, 0, 0, 0, len(program.text))
    old, new = program.parameters, ParameterList()
    begins: dict[int, int] = {}
    for row in elements.values():
        for element in row:
            if element is not None and element.first not in begins:
                begins[element.first] = len(new)
                for item in old.items[element.first : element.first + element.length]:
                    if item.state is not None and new.has(item.state):
                        raise ProgramFault("invalid PARAM usage", nowhere)
                    new.append(item)
    out = []
    for number, instruction in enumerate(program.instructions):
        row = elements.get(number, [])
        srcs = [
            _renumbered(src, row[n] if n < len(row) else None, old, new, begins)
            for n, src in enumerate(instruction.srcs)
        ]
        out.append(instruction._replace(srcs=tuple(srcs)))
    program.instructions[:] = out
    program.parameters = new


def _renumbered(
    src: Src, element: Element | None, old: ParameterList, new: ParameterList,
    begins: dict[int, int],
) -> Src:  # fmt: skip
    if src.file not in (CONST, STATE):
        return src
    if element is not None:
        return src._replace(number=src.number + begins[element.first])
    item = old.items[src.number]
    if item.state is not None:
        return src._replace(file=STATE, number=new.add_state(item.state))
    index, swizzle = new.add_constant(item.values[: item.size])
    return src._replace(file=CONST, number=index, swizzle=combine(swizzle, src.swizzle))


__all__ = ["ProgramFault", "layout_parameters", "parse"]
