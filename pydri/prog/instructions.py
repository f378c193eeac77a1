# SPDX-License-Identifier: MIT
"""Instructions, operands and programs of Mesa IR.

In: what a parser or a pass wants to say. Out: `Program`s, which printer, passes, interpreter and
translations read. Operands are values (named tuples), so a pass that changes one makes another;
lists of instructions are changed in place. Counterpart of Mesa's prog_instruction.h, and of the
part of gl_program (mtypes.h) that ARB programs have.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.nir.stages import BY_NAME
from pydri.prog.parameters import ParameterList

#: register files, by the names that listings have
TEMP, INPUT, OUTPUT, STATE, CONST, ADDR, UNDEFINED = (
    "TEMP", "INPUT", "OUTPUT", "STATE", "CONST", "ADDR", "UNDEFINED",
)  # fmt: skip
Swizzle = tuple[int, int, int, int]
#: components of swizzles beyond x, y, z, w
ZERO, ONE = 4, 5
NOOP: Final[Swizzle] = (0, 1, 2, 3)
XYZW: Final = 15


class Src(NamedTuple):
    """An operand: components of a register, each perhaps negated (a bit in `negate`)."""

    file: str
    number: int
    swizzle: Swizzle = NOOP
    negate: int = 0
    relative: bool = False  # the address register is added to `number`


class Dst(NamedTuple):
    """What is written."""

    file: str
    number: int
    mask: int = XYZW


class Instruction(NamedTuple):
    """One instruction; `unit`, `target` and `shadow` are of those that sample."""

    opcode: str
    dst: Dst = Dst(UNDEFINED, 0)
    srcs: tuple[Src, ...] = ()
    saturate: bool = False
    unit: int = 0
    target: str = ""  # 1D, 2D, 3D, CUBE, RECT, 1D_ARRAY, 2D_ARRAY
    shadow: bool = False


class Program:
    """A program of a stage that has a language (languages.py)."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.row = BY_NAME[stage]
        self.text = ""
        self.instructions: list[Instruction] = []
        self.parameters = ParameterList()
        self.inputs_read = 0  # bits of VERT_ATTRIB_* or VARYING_SLOT_*
        self.outputs_written = 0  # bits of VARYING_SLOT_* or FRAG_RESULT_*
        self.temporaries = 0
        self.address_registers = 0
        self.alu_instructions = 0
        self.tex_instructions = 0
        self.indirect_files: set[str] = set()
        #: unit -> target, and whether it compares
        self.textures: dict[int, tuple[str, bool]] = {}
        self.uses_kill = False
        self.position_invariant = False
        self.precision = ""  # "nicest", "fastest"
        self.fog = ""  # "linear", "exp", "exp2"
        self.origin_upper_left = False
        self.pixel_center_integer = False

    def copy(self) -> Program:
        """Another one that says the same."""
        other = Program(self.stage)
        vars(other).update(vars(self))
        other.instructions = list(self.instructions)
        other.parameters = ParameterList()
        other.parameters.items = list(self.parameters.items)
        return other


def dimension(target: str) -> tuple[str, bool]:
    """A texture target as nir says it: the dimension, and whether it is an array."""
    return {"CUBE": "Cube", "RECT": "Rect"}.get(target, target[:2]), "ARRAY" in target


def combine(first: Swizzle, second: Swizzle) -> Swizzle:
    """The swizzle that is `second` of what `first` gives."""
    parts = [part if part in (ZERO, ONE) else first[part] for part in second]
    return parts[0], parts[1], parts[2], parts[3]


__all__ = [
    "ADDR", "CONST", "INPUT", "NOOP", "ONE", "OUTPUT", "STATE", "TEMP", "UNDEFINED", "XYZW", "ZERO",
    "Dst", "Instruction", "Program", "Src", "Swizzle", "combine", "dimension",
]  # fmt: skip
