# SPDX-License-Identifier: MIT
"""The QPU: words run on all lanes of many groups of 16 at once.

All groups of a machine stand at the same word. Where a branch sends them to different ones the
machine falls apart; the part that is furthest behind runs first, and parts that come to stand at
one word in one state are one machine again. No group sees another.
"""
from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from typing import Protocol, Self

import numpy as np

from pipe_vc4.qpu.fields import (
    QPU_COND,
    QPU_COND_BRANCH,
    QPU_M,
    QPU_MUX,
    QPU_PACK_A,
    QPU_R,
    QPU_SIG_,
    QPU_W,
)
from pipe_vc4.simulator import alu, sfu
from pipe_vc4.simulator.arrays import Bools, Ints, Words
from pipe_vc4.simulator.errors import JobError, TooLong
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.program import SWITCHES, Instruction, Program
from pipe_vc4.simulator.tmu import Tmu

LANES = 16
#: More words than any shader runs: past it a loop is taken to be endless.
LIMIT = 1 << 20
_ELEMENTS = np.arange(LANES, dtype=np.uint32)[None]
_GARBAGE = np.uint32(0xDEADBEEF)
_SFU = {QPU_W.SFU_RECIP: sfu.recip, QPU_W.SFU_RECIPSQRT: sfu.rsqrt, QPU_W.SFU_EXP: sfu.exp2,
        QPU_W.SFU_LOG: sfu.log2}
#: What both files give from one queue: a word that reads it in both takes one value.
_ONCE = (QPU_R.VARY, QPU_R.VPM)


class Unit(Protocol):
    """What stands around a QPU that runs a shader of one kind."""

    def select(self, groups: Ints) -> Self:
        """The same for some of the groups."""

    def join(self, others: Sequence[Self]) -> Self:
        """The same for its groups and then those of others in the same state."""

    def state(self) -> Hashable:
        """What is not the lanes' own."""

    def read(self, file: int, address: int) -> Words:
        """What a special address of file A (0) or B (1) holds."""

    def constant(self) -> Words:
        """The constant term of the varying just read, which goes to r5."""

    def write(self, file: int, address: int, value: Words, mask: Bools | None) -> None:
        """A write to a special address, in the lanes of `mask` (None: all)."""

    def load_color(self) -> Words:
        """The tile buffer's colours."""


class Machine:
    """The state of some groups of lanes at one word."""

    def __init__(self, program: Program, memory: Memory, unit: Unit, groups: int,
                 limit: int = 0) -> None:
        #: words that it may run; 0: LIMIT
        self.limit = limit or LIMIT
        self.program, self.memory, self.unit, self.groups = program, memory, unit, groups
        self.files = (np.zeros((32, groups, LANES), np.uint32),
                      np.zeros((32, groups, LANES), np.uint32))
        self.acc = np.zeros((6, groups, LANES), np.uint32)
        self.zero, self.negative, self.carry = np.zeros((3, groups, LANES), bool)
        self.tmus = (Tmu(memory), Tmu(memory))
        self.at = self.ran = 0
        self.uniforms = program.uniforms
        self.new_r5: Words | None = None
        self.new_uniforms: Ints | None = None
        self.switched = -1

    def select(self, groups: Ints) -> Machine:
        """Some of the groups as a machine of their own."""
        part = Machine.__new__(Machine)
        part.__dict__.update(self.__dict__)
        part.groups = len(groups)
        part.files = (self.files[0][:, groups], self.files[1][:, groups])
        part.acc = self.acc[:, groups]
        part.zero, part.negative = self.zero[groups], self.negative[groups]
        part.carry = self.carry[groups]
        part.tmus = (self.tmus[0].select(groups), self.tmus[1].select(groups))
        part.unit = self.unit.select(groups)
        return part

    def join(self, others: Sequence[Machine]) -> Machine:
        """One machine of this and others in the same state."""
        every = (self, *others)
        whole = Machine.__new__(Machine)
        whole.__dict__.update(self.__dict__)
        whole.groups = sum(machine.groups for machine in every)
        whole.ran = max(machine.ran for machine in every)
        whole.files = (np.concatenate([machine.files[0] for machine in every], axis=1),
                       np.concatenate([machine.files[1] for machine in every], axis=1))
        whole.acc = np.concatenate([machine.acc for machine in every], axis=1)
        whole.zero = np.concatenate([machine.zero for machine in every])
        whole.negative = np.concatenate([machine.negative for machine in every])
        whole.carry = np.concatenate([machine.carry for machine in every])
        whole.tmus = (self.tmus[0].join([machine.tmus[0] for machine in others]),
                      self.tmus[1].join([machine.tmus[1] for machine in others]))
        whole.unit = self.unit.join([machine.unit for machine in others])
        return whole

    def state(self) -> Hashable:
        """What machines that become one must have in common."""
        return (self.at, self.uniforms, self.switched, self.unit.state(), self.tmus[0].state(),
                self.tmus[1].state())

    def uniform(self) -> Words:
        """The next uniform."""
        at = self.uniforms
        self.uniforms += 4
        return self.memory.words(np.array([[at]]), "a uniform is read")

    def run(self, stops: Set[int]) -> list[Machine]:
        """Runs until the program ends (no machines left), the groups part, or a stop is reached."""
        code = self.program.code
        end = len(code)
        while self.at < end:
            if self.at in stops:
                return [self]
            instruction = code[self.at]
            self.at += 1
            self.ran += 1
            if self.ran > self.limit:
                raise TooLong("a shader does not end")
            if instruction.sig == QPU_SIG_.BRANCH:
                parts = self.branch(instruction)
                if parts is not None:
                    return parts
                continue
            self.word(instruction)
            if self.new_uniforms is not None:
                addresses, self.new_uniforms = self.new_uniforms, None
                if len(np.unique(addresses)) > 1:
                    return self.part("uniforms", addresses)
                self.uniforms = int(addresses[0])
            if instruction.sig in (QPU_SIG_.PROG_END, QPU_SIG_.COLOR_LOAD_END):
                end = min(end, self.at + 2)
            if instruction.sig in SWITCHES:
                self.switched = self.at + 2
            if self.at == self.switched:
                # The other thread has used the accumulators meanwhile.
                self.acc[:] = _GARBAGE
        if end == len(code) and code[-3].sig not in (QPU_SIG_.PROG_END, QPU_SIG_.COLOR_LOAD_END):
            raise JobError("a shader runs past its last word")
        return []

    def part(self, name: str, values: Ints) -> list[Machine]:
        """A machine for each of the values that the groups give to an attribute."""
        parts = []
        for value in np.unique(values):
            machine = self.select(np.flatnonzero(values == value))
            setattr(machine, name, int(value))
            parts.append(machine)
        return parts

    def branch(self, branch: Instruction) -> list[Machine] | None:
        """A branch with its delay slots; machines where the groups part."""
        taken = self.taken(branch.cond_branch)
        after = self.at + 3
        base = after * 8 if branch.relative else -self.program.address
        target = np.full(self.groups, base, np.int64) + np.int64(np.int32(np.uint32(branch.imm)))
        if branch.register is not None:
            target = target + self.files[0][branch.register, :, 0]
        link = np.full((1, 1), self.program.address + after * 8, np.uint32)
        for waddr, crosses in ((branch.waddr_add, branch.ws), (branch.waddr_mul, 1 - branch.ws)):
            self.store(crosses, waddr, link, None)
        if (target[taken] % 8).any():
            raise JobError("a branch to half a word")
        for _ in range(3):
            self.word(self.program.code[self.at])
            self.at += 1
        places = np.where(taken, target // 8, after)
        if ((places < 0) | (places >= len(self.program.code))).any():
            raise JobError("a branch out of the shader")
        if (places == places[0]).all():
            self.at = int(places[0])
            return None
        return self.part("at", places)

    def taken(self, cond: int) -> Bools:
        """For each group, whether a branch on `cond` is taken."""
        if cond == QPU_COND_BRANCH.ALWAYS:
            return np.ones(self.groups, bool)
        if cond > QPU_COND_BRANCH.ANY_CC:
            raise JobError(f"branch condition {cond}")
        flag = (self.zero, self.negative, self.carry)[cond // 4]
        lanes = flag ^ bool(cond & 1)
        return np.asarray(lanes.any(axis=1) if cond & 2 else lanes.all(axis=1))

    def mask(self, cond: int) -> Bools | None:
        """The lanes where `cond` holds; None: all."""
        if cond == QPU_COND.ALWAYS:
            return None
        if cond == QPU_COND.NEVER:
            return np.zeros((self.groups, LANES), bool)
        flag = (self.zero, self.negative, self.carry)[(cond - 2) // 2]
        return ~flag if cond & 1 else flag.copy()

    def word(self, word: Instruction) -> None:
        """One word that is no branch."""
        if word.sig == QPU_SIG_.LOAD_IMM:
            self.load_immediate(word)
        else:
            self.compute(word)
        if self.new_r5 is not None:
            self.acc[5] = self.new_r5
            self.new_r5 = None
        if word.sig in (QPU_SIG_.LOAD_TMU0, QPU_SIG_.LOAD_TMU1):
            self.acc[4] = self.tmus[word.sig - QPU_SIG_.LOAD_TMU0].pop()
        elif word.sig in (QPU_SIG_.COLOR_LOAD, QPU_SIG_.COLOR_LOAD_END):
            self.acc[4] = self.unit.load_color()
        elif word.sig in (QPU_SIG_.COVERAGE_LOAD, QPU_SIG_.ALPHA_MASK_LOAD,
                          QPU_SIG_.BREAKPOINT):
            raise JobError(f"signal {QPU_SIG_(word.sig).name} is not simulated")

    def load_immediate(self, word: Instruction) -> None:
        """A load of an immediate into what both pipes write."""
        mode = word.unpack
        if mode & 4:
            raise JobError("semaphores: shaders of a job run one after the other")
        value = np.full((1, 1), word.imm, np.uint32)
        if mode:
            low = (value >> _ELEMENTS) & np.uint32(1)
            high = (value >> (_ELEMENTS + np.uint32(16))) & np.uint32(1)
            sign = np.uint32(2) if mode == 3 else np.uint32(0xFFFFFFFE)
            value = low + high * sign
        masks = self.mask(word.cond_add), self.mask(word.cond_mul)
        if word.sf:
            self.flags(value, np.zeros((1, 1), bool), False, masks[0])
        self.result(word, 0, value, masks[0], False)
        self.result(word, 1, value, masks[1], False)

    def source(self, word: Instruction, file: int, address: int, uniform: Words | None) -> Words:
        """What address `address` of a file gives."""
        if address < 32:
            return self.files[file][address]
        if address == QPU_R.UNIF:
            assert uniform is not None
            return uniform
        if address == QPU_R.ELEM_QPU:
            return _ELEMENTS if file == 0 else np.zeros((1, 1), np.uint32)
        if address == QPU_R.NOP:
            return np.zeros((1, 1), np.uint32)
        value = self.unit.read(file, address)
        if address == QPU_R.VARY:
            self.new_r5 = self.unit.constant()
        return value

    def operands(self, word: Instruction) -> dict[int, Words]:
        """What each mux that the word uses gives, before any unpack."""
        uniform = self.uniform() if word.reads_uniform else None
        muxes = set(word.add if word.op_add else ()) | set(word.mul if word.op_mul else ())
        values: dict[int, Words] = {mux: self.acc[mux] for mux in muxes if mux < QPU_MUX.A}
        if QPU_MUX.A in muxes:
            values[QPU_MUX.A] = self.source(word, 0, word.raddr_a, uniform)
        if QPU_MUX.B in muxes:
            if word.small is not None:
                values[QPU_MUX.B] = word.small
            elif QPU_MUX.A in muxes and word.raddr_a == word.raddr_b and word.raddr_a in _ONCE:
                values[QPU_MUX.B] = values[QPU_MUX.A]
            else:
                values[QPU_MUX.B] = self.source(word, 1, word.raddr_b, uniform)
        return values

    def unpacked(self, word: Instruction, mux: int, value: Words, floats: bool) -> Words:
        """An operand after the word's unpack, for an operation of floats or of integers."""
        if word.unpack and mux == (QPU_MUX.R4 if word.pm else QPU_MUX.A):
            return alu.unpack(value, word.unpack, floats or bool(word.pm))
        return value

    def compute(self, word: Instruction) -> None:
        """Both pipes at once: operands, results, flags, then writes."""
        values = self.operands(word)
        add = mul = None
        carry: Bools = np.zeros((1, 1), bool)
        if word.op_add:
            floats = word.op_add in alu.FLOAT_IN
            a, b = (self.unpacked(word, mux, values[mux], floats) for mux in word.add)
            if word.op_add not in alu.ADD_OPS:
                raise JobError(f"there is no operation {word.op_add} of the add pipe")
            add = alu.ADD_OPS[word.op_add](a, b)
            if word.pack == QPU_PACK_A.S32 and not word.pm:
                add = alu.saturated(word.op_add, a, b, add)
            if word.sf:
                carry = alu.carry(word.op_add, a, b, add)
        if word.op_mul:
            floats = word.op_mul == QPU_M.FMUL
            a, b = (self.unpacked(word, mux, values[mux], floats) for mux in word.mul)
            if word.rotate is not None:
                a, b = self.rotated(a, word.rotate), self.rotated(b, word.rotate)
            elif word.mul[0] == word.mul[1]:
                b = a
            mul = alu.MUL_OPS[word.op_mul](a, b)
        masks = self.mask(word.cond_add), self.mask(word.cond_mul)
        if word.sf:
            if add is not None and word.cond_add != QPU_COND.NEVER:
                self.flags(add, carry, word.op_add in alu.FLOAT_OUT, masks[0])
            elif mul is not None:
                none = np.zeros((1, 1), bool)
                self.flags(mul, none, word.op_mul == QPU_M.FMUL, masks[1])
        if add is not None:
            self.result(word, 0, add, masks[0], word.op_add in alu.FLOAT_OUT)
        if mul is not None:
            self.result(word, 1, mul, masks[1], word.op_mul == QPU_M.FMUL)

    def rotated(self, value: Words, by: int) -> Words:
        """The lanes of each group moved up by `by`, or by r5 of lane 0."""
        value = np.broadcast_to(value, (self.groups, LANES))
        if by:
            return np.roll(value, by, axis=1)
        shift = self.acc[5][:, :1] & np.uint32(15)
        return np.take_along_axis(value, ((_ELEMENTS - shift) & np.uint32(15)).astype(np.intp),
                                  axis=1)

    def flags(self, result: Words, carry: Bools, floats: bool, mask: Bools | None) -> None:
        """Z, N and C of a result, in the lanes that write it."""
        where = True if mask is None else mask
        zero = (result & np.uint32(0x7FFFFFFF)) == 0 if floats else result == 0
        np.copyto(self.zero, zero, where=where)
        np.copyto(self.negative, result >= np.uint32(0x80000000), where=where)
        np.copyto(self.carry, carry, where=where)

    def result(self, word: Instruction, pipe: int, value: Words, mask: Bools | None,
               floats: bool) -> None:
        """A pipe's result to its address, packed."""
        file = word.ws ^ pipe
        address = word.waddr_mul if pipe else word.waddr_add
        if word.pack:
            old = self.old(file, address)
            if word.pm:
                value = alu.pack_mul(old, value, word.pack) if pipe else value
            elif file == 0 and address < 32:
                value = alu.pack_a(old, value, word.pack, floats)
        self.store(file, address, value, mask)

    def old(self, file: int, address: int) -> Words:
        """What a register holds before bytes of it are written; elsewhere zeros."""
        if address < 32:
            return self.files[file][address]
        if address <= QPU_W.ACC3:
            return self.acc[address - QPU_W.ACC0]
        return np.zeros((1, 1), np.uint32)

    def store(self, file: int, address: int, value: Words, mask: Bools | None) -> None:
        """A write, in the lanes of `mask`."""
        where = True if mask is None else mask
        if address < 32:
            np.copyto(self.files[file][address], value, where=where)
        elif address <= QPU_W.ACC3:
            np.copyto(self.acc[address - QPU_W.ACC0], value, where=where)
        elif address == QPU_W.NOP:
            pass
        elif address == QPU_W.ACC5:
            whole = np.broadcast_to(value, (self.groups, LANES))
            spread = np.repeat(whole[:, ::4], 4, axis=1) if file == 0 else whole[:, :1]
            np.copyto(self.acc[5], spread, where=where)
        elif address in _SFU:
            with np.errstate(all="ignore"):
                result = _SFU[QPU_W(address)](alu.as_floats(np.ascontiguousarray(value)))
            np.copyto(self.acc[4], alu.as_words(result), where=where)
        elif address >= QPU_W.TMU0_S:
            unit, coordinate = divmod(address - QPU_W.TMU0_S, 4)
            whole = np.broadcast_to(value, (self.groups, LANES))
            tmu = self.tmus[unit]
            tmu.write(coordinate, whole, self.uniform() if tmu.wants_uniform(coordinate) else None)
        elif address == QPU_W.UNIFORMS_ADDRESS:
            whole = np.broadcast_to(value, (self.groups, LANES))
            self.new_uniforms = whole[:, 0].astype(np.int64)
        elif address in (QPU_W.TMU_NOSWAP, QPU_W.HOST_INT, QPU_W.MUTEX_RELEASE):
            pass
        else:
            self.unit.write(file, address, np.broadcast_to(value, (self.groups, LANES)), mask)


def run(machine: Machine) -> None:
    """Runs a machine, and all that it falls apart into, to the end."""
    waiting = [machine]
    with np.errstate(all="ignore"):
        while waiting:
            if len(waiting) == 1:
                waiting = waiting[0].run(frozenset())
                continue
            state = min(waiting, key=lambda part: part.at).state()
            alike = [part for part in waiting if part.state() == state]
            waiting = [part for part in waiting if part.state() != state]
            whole = alike[0].join(alike[1:]) if len(alike) > 1 else alike[0]
            waiting += whole.run({part.at for part in waiting} - {whole.at})

