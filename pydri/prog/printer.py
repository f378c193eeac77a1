# SPDX-License-Identifier: MIT
"""Programs as text, in the forms that Mesa has for them: the registers of the IR, or ARB's names.

In: a Program. Out: a listing, as `MESA_GLSL=dump` prints it. tests/golden has one of each form.
Counterpart of Mesa's prog_print.c.
"""

from __future__ import annotations

from pydri.prog.instructions import (
    CONST,
    INPUT,
    NOOP,
    OUTPUT,
    STATE,
    TEMP,
    UNDEFINED,
    XYZW,
    Dst,
    Instruction,
    Program,
    Src,
    Swizzle,
)
from pydri.prog.languages import LANGUAGES
from pydri.prog.opcodes import OPCODES
from pydri.prog.parameters import ParameterList, state_name
from pydri.prog.slots import slot_name

_LETTERS = "xyzw01"


def swizzle_text(swizzle: Swizzle, negate: int, extended: bool = False) -> str:
    """`.xy-z0`, or for SWZ `x,y,-z,0`; nothing for the operand as it is."""
    if not extended and swizzle == NOOP and not negate:
        return ""
    parts = [("-" if negate >> n & 1 else "") + _LETTERS[part] for n, part in enumerate(swizzle)]
    return ",".join(parts) if extended else "." + "".join(parts)


def mask_text(mask: int) -> str:
    """`.xz`; nothing for all four."""
    letters = "".join(letter for n, letter in enumerate("xyzw") if mask >> n & 1)
    return "" if mask == XYZW else "." + letters


class _Printer:
    """The texts of one program's registers and instructions; `arb`: ARB's names."""

    def __init__(self, program: Program, arb: bool) -> None:
        self.program = program
        self.arb = arb

    def register(self, file: str, index: int, relative: bool = False) -> str:
        """A register."""
        address = "ADDR+" if relative else ""
        if not self.arb:
            return f"{file}[{address}{index}]"
        if file == TEMP:
            return f"temp{index}"
        if file in (INPUT, OUTPUT):
            return slot_name(self.program.stage, file, index)
        if file == CONST:
            return f"constant[{address}{index}]"
        if file == STATE:
            state = self.program.parameters.items[index].state if not relative else None
            return state_name(state) if state else f"state[{address}{index}]"
        return f"A{index}"

    def dst(self, dst: Dst) -> str:
        """What is written."""
        if dst.file == UNDEFINED:
            return " ???"
        return self.register(dst.file, dst.number) + mask_text(dst.mask)

    def src(self, src: Src) -> str:
        """An operand."""
        register = self.register(src.file, src.number, src.relative)
        return register + swizzle_text(src.swizzle, src.negate)

    def instruction(self, item: Instruction) -> str:
        """A line."""
        name = item.opcode
        if name in ("END", "NOP"):
            return name if name == "END" else "NOP;"
        saturate = "_SAT" if item.saturate else ""
        srcs = [self.src(src) for src in item.srcs]
        if name == "KIL":
            return f"KIL {srcs[0]};"
        if name == "SWZ":
            src = item.srcs[0]
            srcs = [self.register(src.file, src.number, src.relative),
                    swizzle_text(src.swizzle, src.negate, True)]  # fmt: skip
        if item.target:
            tail = f"texture[{item.unit}], {item.target}{' SHADOW' if item.shadow else ''}"
            return f"{name}{saturate} {self.dst(item.dst)}, {', '.join(srcs)}, {tail};"
        assert OPCODES[name].operands == len(item.srcs)
        return f"{name}{saturate} {', '.join([self.dst(item.dst), *srcs])};"


def print_program(program: Program, number: int = 1, arb: bool = False) -> str:
    """A listing of a program, whose name is `number`; `arb`: as a program string."""
    printer = _Printer(program, arb)
    language = LANGUAGES[program.stage]
    if arb:
        lines = [language.header]
        return "\n".join([*lines, *(printer.instruction(i) for i in program.instructions), ""])
    lines = [f"# {language.title} Program/Shader {number}"]
    lines += [f"{n:3d}: {printer.instruction(i)}" for n, i in enumerate(program.instructions)]
    return "\n".join([*lines, ""])


def print_parameters(parameters: ParameterList) -> str:
    """The parameters, a line each."""
    lines = []
    for n, item in enumerate(parameters.items):
        kind = CONST if item.state is None else STATE
        name = "(null)" if item.state is None else state_name(item.state)
        values = ", ".join(f"{value:.3g}" for value in item.values)
        lines.append(f"param[{n}] sz={item.size} {kind} {name} = {{{values}}}\n")
    return "".join(lines)


__all__ = ["mask_text", "print_parameters", "print_program", "swizzle_text"]
