# SPDX-License-Identifier: MIT
"""The instructions of a stream as a tree: branches, loops, switches, subroutines.

In: a stream that is sane.  Out: `Program`.  Labels are not looked at but those of CAL, which
name subroutines: the structure says all else.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.tgsi.tokens.parse import Instruction, Stream
from pydri.tgsi.tokens.registers import Src

#: Python frames that exec and to_nir may take on structures as deep as a text nests
DEEPEST = 20000


class Branch(NamedTuple):
    """IF or UIF."""

    instr: Instruction
    then: list[Node]
    otherwise: list[Node]


class Cycle(NamedTuple):
    """BGNLOOP."""

    body: list[Node]


class Switch(NamedTuple):
    """SWITCH: each case's operand (None: DEFAULT) and what stands behind it."""

    instr: Instruction
    cases: list[tuple[Src | None, list[Node]]]


Node = Instruction | Branch | Cycle | Switch


class Program(NamedTuple):
    """The main program, and subroutines by the number of their BGNSUB."""

    main: list[Node]
    subs: dict[int, list[Node]]


class StructureError(ValueError):
    """Instructions that do not nest."""


def structure(stream: Stream) -> Program:
    """The tree of a stream."""
    main: list[Node] = []
    subs: dict[int, list[Node]] = {}
    #: lists that are being filled, with what opened them
    open_: list[tuple[Node | None, list[Node]]] = [(None, main)]
    for number, instr in enumerate(stream.instructions):
        name, (opener, into) = instr.op.name, open_[-1]
        if name in ("IF", "UIF"):
            branch = Branch(instr, [], [])
            into.append(branch)
            open_.append((branch, branch.then))
        elif name == "ELSE" and isinstance(opener, Branch):
            open_[-1] = (opener, opener.otherwise)
        elif name == "BGNLOOP":
            cycle = Cycle([])
            into.append(cycle)
            open_.append((cycle, cycle.body))
        elif name == "SWITCH":
            switch = Switch(instr, [])
            into.append(switch)
            open_.append((switch, []))
        elif name in ("CASE", "DEFAULT") and isinstance(opener, Switch):
            body: list[Node] = []
            opener.cases.append((instr.srcs[0] if name == "CASE" else None, body))
            open_[-1] = (opener, body)
        elif name == "BGNSUB":
            subs[number] = []
            open_.append((None, subs[number]))
        elif name in ("ENDIF", "ENDLOOP", "ENDSWITCH", "ENDSUB"):
            if len(open_) == 1:
                raise StructureError(f"{name}: nothing is open (instruction {number})")
            open_.pop()
        else:
            into.append(instr)
    if len(open_) > 1:
        raise StructureError("the last structure is not closed")
    return Program(main, subs)
