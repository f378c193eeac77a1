# SPDX-License-Identifier: MIT
"""A shader's words taken apart, and its uniforms with the buffers' addresses put in."""
from __future__ import annotations

import functools
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
from pipe_vc4.simulator.arrays import Words
from pipe_vc4.simulator.errors import JobError

#: What stands in a block for the address of the block's own first value.
UNIFORMS_BASE = 0xD0D0D0D0


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

    code: list[Instruction]
    address: int
    uniforms: int


def relocate(code: list[Instruction], values: list[int], buffers: list[int],
             base: int) -> list[int]:
    """A block's values with the buffers' addresses in: one buffer a sample or read of memory.

    A sample's first coordinate takes the value with the texture's address; a read of memory (s
    without another coordinate before) has it among its operands.
    """
    values = [base if value == UNIFORMS_BASE else value for value in values]
    at = handle = 0
    begun = [False, False]

    def add(index: int) -> None:
        nonlocal handle
        if index >= len(values) or handle >= len(buffers):
            raise JobError("the code reads more uniforms, or samples more, than the block has")
        values[index] = (values[index] + buffers[handle]) & 0xFFFFFFFF
        handle += 1

    for instruction in code:
        explicit = at
        at += instruction.reads_uniform
        for address in instruction.tmu_writes:
            unit, coordinate = divmod(address - QPU_W.TMU0_S, 4)
            if not begun[unit]:
                add(explicit if coordinate == 0 else at)
            if begun[unit] or coordinate:
                at += 1
            begun[unit] = coordinate != 0
    if at != len(values) or handle != len(buffers):
        raise JobError(f"the code reads {at} uniforms and {handle} buffers, the block has "
                       f"{len(values)} and {len(buffers)}")
    return values
