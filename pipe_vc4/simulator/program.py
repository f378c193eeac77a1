# SPDX-License-Identifier: MIT
"""A shader's words taken apart, and its uniforms with the buffers' addresses put in."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipe_vc4.qpu import fields
from pipe_vc4.qpu.fields import (
    QPU_GET_FIELD,
    QPU_MUX,
    QPU_R,
    QPU_SIG,
    QPU_SIG_,
    QPU_SMALL_IMM_MUL_ROT,
    QPU_W,
    small_immediate,
)
from pipe_vc4.qpu.validate import qpu_validate
from pipe_vc4.simulator.arrays import Ints, Words
from pipe_vc4.simulator.errors import JobError

#: What stands in a block for the address of the block's own first value.
UNIFORMS_BASE = 0xD0D0D0D0
SWITCHES = (QPU_SIG_.THREAD_SWITCH, QPU_SIG_.LAST_THREAD_SWITCH)


@dataclass(frozen=True)
class Instruction:
    """The fields of one word; which of them mean something, its kind says."""

    sig: int
    unpack: int
    pm: int
    pack: int
    cond_add: int
    cond_mul: int
    sf: int
    ws: int
    waddr_add: int
    waddr_mul: int
    op_add: int
    op_mul: int
    raddr_a: int
    raddr_b: int
    add: tuple[int, int]
    mul: tuple[int, int]
    imm: int
    small: Words | None
    rotate: int | None      # by how many lanes; 0: by r5
    cond_branch: int
    relative: int
    register: int | None

    @property
    def is_alu(self) -> bool:
        """Whether the word computes, and is no load of an immediate and no branch."""
        return self.sig not in (QPU_SIG_.LOAD_IMM, QPU_SIG_.BRANCH)

    @property
    def reads_uniform(self) -> bool:
        """Whether the word takes the next uniform as an operand."""
        return self.is_alu and (self.raddr_a == QPU_R.UNIF or (
            self.sig != QPU_SIG_.SMALL_IMM and self.raddr_b == QPU_R.UNIF))

    @property
    def takes_a(self) -> bool:
        """Whether an operand is file A's."""
        return QPU_MUX.A in self.add or QPU_MUX.A in self.mul

    @property
    def tmu_writes(self) -> tuple[int, ...]:
        """The TMU registers written."""
        return tuple(address for address in (self.waddr_add, self.waddr_mul)
                     if address >= QPU_W.TMU0_S)


@functools.lru_cache(4096)
def decode(word: int) -> Instruction:
    """The fields of `word`."""
    def get(field: fields.Field) -> int:
        return QPU_GET_FIELD(word, field)

    sig = get(QPU_SIG)
    code = get(fields.QPU_SMALL_IMM)
    small: Words | None = None
    rotate = None
    if sig == QPU_SIG_.SMALL_IMM:
        if code < QPU_SMALL_IMM_MUL_ROT:
            value = small_immediate(code)
            kind = np.int32 if isinstance(value, int) else np.float32
            small = np.full((1, 1), value, kind).view(np.uint32)
        else:
            rotate = code - QPU_SMALL_IMM_MUL_ROT
            small = np.zeros((1, 1), np.uint32)
    return Instruction(
        sig, get(fields.QPU_UNPACK), get(fields.QPU_PM), get(fields.QPU_PACK),
        get(fields.QPU_COND_ADD), get(fields.QPU_COND_MUL), get(fields.QPU_SF),
        get(fields.QPU_WS), get(fields.QPU_WADDR_ADD), get(fields.QPU_WADDR_MUL),
        get(fields.QPU_OP_ADD), get(fields.QPU_OP_MUL), get(fields.QPU_RADDR_A),
        get(fields.QPU_RADDR_B), (get(fields.QPU_ADD_A), get(fields.QPU_ADD_B)),
        (get(fields.QPU_MUL_A), get(fields.QPU_MUL_B)), get(fields.QPU_IMM), small, rotate,
        get(fields.QPU_BRANCH_COND), get(fields.QPU_BRANCH_REL),
        get(fields.QPU_BRANCH_RADDR_A) if get(fields.QPU_BRANCH_REG) else None)


@dataclass(frozen=True)
class Program:
    """A shader: its words, their address, and the address of its uniforms."""

    code: tuple[Instruction, ...]
    address: int
    uniforms: int
    source: Code | None = None


def uniform_places(
    code: Sequence[Instruction]
) -> tuple[tuple[int, ...], int, tuple[int, ...]]:
    """Which values of a block take the addresses of buffers, in the order of the handles, how many
    values there are, and which take the block's own address: one buffer a sample or read of memory.

    A sample's first coordinate takes the value with the texture's address; a read of memory (s
    without another coordinate before) has it among its operands. What sets the uniforms' address
    reads the block's own: the value that stands there does not tell, it may be any number's.
    """
    places: list[int] = []
    own: list[int] = []
    at = 0
    begun = [False, False]
    for instruction in code:
        explicit = at
        at += instruction.reads_uniform
        if QPU_W.UNIFORMS_ADDRESS in (instruction.waddr_add, instruction.waddr_mul):
            own += range(explicit, at)
        for address in instruction.tmu_writes:
            unit, coordinate = divmod(address - QPU_W.TMU0_S, 4)
            if not begun[unit]:
                places.append(explicit if coordinate == 0 else at)
            if begun[unit] or coordinate:
                at += 1
            begun[unit] = coordinate != 0
    return tuple(places), at, tuple(own)


@dataclass(frozen=True)
class Code:
    """A shader's words, found good: what is the same wherever they lie."""

    words: tuple[int, ...]
    instructions: tuple[Instruction, ...]
    switches: bool          # whether threads are switched
    places: tuple[int, ...]  # values of the block that take a buffer's address
    values: int             # how many the block has
    own: tuple[int, ...]    # values of the block that take the block's address

    def relocated(self, values: Ints, buffers: list[int], base: int) -> Words:
        """A block's values with the buffers' addresses, and its own (`base`), in. Behind those that
        words name may stand that address once more: a jump back from the end finds it there."""
        behind = values[self.values:]
        too_few = len(values) < self.values or len(self.places) != len(buffers)
        if too_few or (behind != UNIFORMS_BASE).any():
            raise JobError(f"the code reads {self.values} uniforms and {len(self.places)} buffers "
                           "(samples and reads of memory), the block has "
                           f"{len(values)} and {len(buffers)}")
        found = np.array(values)
        found[self.values:] = base
        found[list(self.own)] = base
        for place, address in zip(self.places, buffers, strict=True):
            if place >= len(found):
                raise JobError("the code samples with a uniform that the block has not")
            found[place] += address
        return found.astype(np.uint32)


@functools.lru_cache(1024)
def code_of(data: bytes, fragment: bool) -> Code:
    """The shader of some bytes; QpuError if it breaks a rule of the hardware."""
    words = tuple(np.frombuffer(data, "<u8").tolist())
    qpu_validate(words, fragment=fragment)
    instructions = tuple(decode(word) for word in words)
    switches = any(instruction.sig in SWITCHES for instruction in instructions)
    return Code(words, instructions, switches, *uniform_places(instructions))
