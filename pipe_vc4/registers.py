# SPDX-License-Identifier: MIT
"""Registers of a QPU for the temps of a program.

In: a `Vc4Compile`.  Out: a register a temp, as an index into VC4_REGS, or NoRegister.
The machine for pydri/util/registers: accumulators R0 to R4 and the files A and B with 32 registers
each, 16 of each when two threads share a QPU (R0-R5 are then lost wherever threads switch).  R4 is
written only by the special function unit, the texture unit and the tile buffer.  Registers 14 are
kept for the emitter, which needs a place when both operands of an instruction lie in one file.
Counterpart of Mesa's vc4_register_allocate.c and qir_live_variables.c; source for what an operand
may be: VideoCore IV 3D Architecture Reference Guide, "QPU Instruction Encoding".
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from pipe_vc4.qir.qir import Cond, QBlock, QFile, QInst, Vc4Compile
from pydri.util.registers import (
    NoRegister,
    RaClass,
    RaGraph,
    RaRegs,
    bits,
    ra_add_node_interference,
    ra_alloc_contig_reg_class,
    ra_alloc_interference_graph,
    ra_alloc_reg_set,
    ra_allocate,
    ra_class_add_reg,
    ra_get_node_reg,
    ra_set_finalize,
    ra_set_node_class,
    ra_set_node_reg,
    ra_set_select_reg_callback,
)

#: (file, number) of each register, "R" for accumulators; A and B take turns
VC4_REGS: Final = tuple(
    [("R", number) for number in range(5)]
    + [(file, number) for number in range(32) for file in "AB"]
)
ACC_INDEX, R4_INDEX, AB_INDEX = 0, 4, 5
#: of the emitter: where an operand goes that its file has no port for
RESERVED: Final = 14
#: where a fragment shader finds W (file A) and Z (file B) when it starts
PAYLOAD_ZW: Final = 15
#: the register of a temp that nothing reads
NOP_REG: Final = -1

CLASS_BIT_A, CLASS_BIT_B, CLASS_BIT_R4, CLASS_BIT_R0_R3 = 1, 2, 4, 16
CLASS_BITS_ALL: Final = CLASS_BIT_A | CLASS_BIT_B | CLASS_BIT_R4 | CLASS_BIT_R0_R3


class Vc4RegSet(NamedTuple):
    """The registers and, by what their values may be in, the classes: [0] with one thread,
    [1] with two."""

    regs: RaRegs
    reg_class_any: tuple[RaClass, RaClass]
    reg_class_a_or_b: tuple[RaClass, RaClass]
    reg_class_a_or_b_or_acc: tuple[RaClass, RaClass]
    reg_class_r4_or_a: tuple[RaClass, RaClass]
    reg_class_a: tuple[RaClass, RaClass]
    reg_class_r0_r3: tuple[RaClass, RaClass]

    def of(self, class_bits: int, threaded: bool) -> RaClass | None:
        """The class of a temp with these bits; None where there is none."""
        found = {
            CLASS_BITS_ALL: self.reg_class_any,
            CLASS_BIT_A | CLASS_BIT_B: self.reg_class_a_or_b,
            CLASS_BIT_A | CLASS_BIT_B | CLASS_BIT_R0_R3: self.reg_class_a_or_b_or_acc,
            CLASS_BIT_A | CLASS_BIT_R4: self.reg_class_r4_or_a,
            CLASS_BIT_A: self.reg_class_a,
            CLASS_BIT_R0_R3: self.reg_class_r0_r3,
        }.get(class_bits)
        return found[threaded] if found else None


@cache
def vc4_alloc_reg_set() -> Vc4RegSet:
    """The QPU's registers and classes, made once."""
    regs = ra_alloc_reg_set(len(VC4_REGS))

    def both(files: str, accumulators: tuple[int, ...]) -> tuple[RaClass, RaClass]:
        made = []
        for threaded in (False, True):
            one = ra_alloc_contig_reg_class(regs, 1)
            for index, (file, number) in enumerate(VC4_REGS):
                if file == "R":
                    wanted = number in accumulators
                else:
                    wanted = (file in files and number != RESERVED
                              and not (threaded and number >= 16))
                if wanted:
                    ra_class_add_reg(one, index)
            made.append(one)
        return made[0], made[1]

    r0_r3 = (0, 1, 2, 3)
    found = Vc4RegSet(
        regs, both("AB", (*r0_r3, 4)), both("AB", ()), both("AB", r0_r3), both("A", (4,)),
        both("A", ()), both("", r0_r3))
    ra_set_finalize(regs)
    return found


class LiveIntervals(NamedTuple):
    """When a temp's register is its own, in numbers of instructions."""

    temp_start: list[int]
    temp_end: list[int]
    #: most temps that live at once
    max_pressure: int


class _Flow:
    """Temps that live and temps that may have been written, as bits, at the borders of blocks."""

    def __init__(self, c: Vc4Compile) -> None:
        self.use: dict[QBlock, int] = {}
        self.kill: dict[QBlock, int] = {}
        self.live_in: dict[QBlock, int] = dict.fromkeys(c.blocks, 0)
        self.live_out: dict[QBlock, int] = dict.fromkeys(c.blocks, 0)
        #: by the end of a block
        self.written: dict[QBlock, int] = {}
        for block in c.blocks:
            self._local(block)
        self._forwards(c.blocks)
        self._backwards(c.blocks)

    def _local(self, block: QBlock) -> None:
        use = kill = written = 0
        channels: dict[int, int] = {}  # bytes written so far of a temp written in parts
        for inst in block.instructions:
            for src in inst.src:
                if src.file == QFile.TEMP:
                    use |= 1 << src.index & ~kill
            if inst.dst.file != QFile.TEMP:
                continue
            index = inst.dst.index
            written |= 1 << index
            if inst.cond == Cond.ALWAYS:
                channels[index] = channels.get(index, 0) | inst.channels_written
                if channels[index] == 15:
                    kill |= 1 << index
        self.use[block], self.kill[block], self.written[block] = use, kill, written

    def _forwards(self, blocks: list[QBlock]) -> None:
        changed = True
        while changed:
            changed = False
            for block in blocks:
                before = self.written[block]
                for predecessor in block.predecessors:
                    self.written[block] |= self.written[predecessor]
                changed |= before != self.written[block]

    def _backwards(self, blocks: list[QBlock]) -> None:
        changed = True
        while changed:
            changed = False
            for block in reversed(blocks):
                out = 0
                for successor in block.successors:
                    out |= self.live_in[successor]
                # What nobody can have written by then has no value to keep.
                out &= self.written[block]
                into = self.use[block] | out & ~self.kill[block]
                arriving = 0
                for predecessor in block.predecessors:
                    arriving |= self.written[predecessor]
                into &= arriving
                changed |= (into, out) != (self.live_in[block], self.live_out[block])
                self.live_in[block], self.live_out[block] = into, out


def qir_calculate_live_intervals(c: Vc4Compile) -> LiveIntervals:
    """From the first instruction that a temp lives at to the last, over all blocks in order.

    A write under a condition kills nothing, also where the condition is that of the lanes that run:
    the lanes at rest may want the value of before.
    """
    flow = _Flow(c)
    start = [1 << 30] * c.num_temps
    end = [-1] * c.num_temps

    def lives(index: int, ip: int) -> None:
        start[index] = min(start[index], ip)
        end[index] = max(end[index], ip)

    ip = 0
    for block in c.blocks:
        for index in bits(flow.live_in[block]):
            lives(index, ip)
        for inst in block.instructions:
            for src in inst.src:
                if src.file == QFile.TEMP:
                    end[src.index] = max(end[src.index], ip)
            if inst.dst.file == QFile.TEMP:
                # Z and W lie in their registers from the start.
                lives(inst.dst.index, -1 if inst.name in ("FRAG_Z", "FRAG_W") else ip)
            ip += 1
        for index in bits(flow.live_out[block]):
            lives(index, ip)
    # A temp that is read and never written has no value: it lives nowhere.
    for index in range(c.num_temps):
        if start[index] > end[index]:
            start[index] = end[index] = -1
    return LiveIntervals(start, end, _pressure(start, end))


def _pressure(start: list[int], end: list[int]) -> int:
    most = now = 0
    # At an instruction values end before its result begins.
    for _, step in sorted([(at, 1) for at, to in zip(start, end) if to > at]
                          + [(to, -1) for at, to in zip(start, end) if to > at]):
        now += step
        most = max(most, now)
    return most


def _restrict_r4(c: Vc4Compile, inst: QInst, ip: int, live: LiveIntervals,
                 class_bits: list[int]) -> None:
    """R4 holds what its writers bring, and nothing across them."""
    if inst.writes_r4:
        for temp in range(c.num_temps):
            if live.temp_start[temp] < ip < live.temp_end[temp]:
                class_bits[temp] &= ~CLASS_BIT_R4
        if inst.dst.file == QFile.TEMP and (inst.cond != Cond.ALWAYS or inst.dst.pack):
            # R4 is written in all lanes; a move to elsewhere can have a condition.
            class_bits[inst.dst.index] &= ~CLASS_BIT_R4
    elif inst.dst.file == QFile.TEMP:
        class_bits[inst.dst.index] &= ~CLASS_BIT_R4


def _class_bits(c: Vc4Compile, live: LiveIntervals) -> list[int]:
    """What each temp may be in, by all instructions that touch it."""
    class_bits = [CLASS_BITS_ALL] * c.num_temps
    for ip, inst in enumerate(c.instructions()):
        _restrict_r4(c, inst, ip, live, class_bits)
        if inst.name == "ROT_MUL":
            class_bits[inst.src[0].index] &= CLASS_BIT_R0_R3
        elif inst.name == "THRSW":
            for temp in range(c.num_temps):
                if live.temp_start[temp] < ip < live.temp_end[temp]:
                    class_bits[temp] &= ~(CLASS_BIT_R0_R3 | CLASS_BIT_R4)
        if inst.dst.file == QFile.TEMP and inst.dst.pack and not inst.is_mul:
            class_bits[inst.dst.index] &= CLASS_BIT_A
        for src in inst.src:
            if src.file == QFile.TEMP and src.pack:
                # Integers are unpacked from file A only, floats from R4, too.
                class_bits[src.index] &= (
                    CLASS_BIT_A | CLASS_BIT_R4 if inst.is_float_input else CLASS_BIT_A)
    return class_bits


class _Chooser:
    """Which of the registers left a temp gets (vc4_ra_select_callback): R4 first, since nothing
    else can go there; an accumulator, which has no delay between write and read; else the file in
    which its fellow operands are not.  Turns are taken, so that few values wait for a register."""

    def __init__(self, c: Vc4Compile, temps: list[int]) -> None:
        self.temps = temps  # node -> temp
        self.next_acc = 0
        self.next_ab = 0
        self.chosen: dict[int, int] = {}
        #: temp -> temps that an instruction reads together with it, once for each
        self.fellows: dict[int, list[int]] = {}
        #: temp -> how often file B's port is taken by an immediate when it is read
        self.beside_imm: dict[int, int] = {}
        for inst in c.instructions():
            reads = inst.src[: inst.non_sideband_nsrc]
            if len(reads) != 2 or inst.name == "ROT_MUL":
                continue
            for one, other in (reads, reads[::-1]):
                if one.file != QFile.TEMP:
                    continue
                if other.file == QFile.TEMP and other.index != one.index:
                    self.fellows.setdefault(one.index, []).append(other.index)
                elif other.file == QFile.SMALL_IMM:
                    self.beside_imm[one.index] = self.beside_imm.get(one.index, 0) + 1

    def __call__(self, node: int, free: int) -> int:
        temp = self.temps[node]
        reg = self.chosen[temp] = self._choose(temp, free)
        return reg

    def _choose(self, temp: int, free: int) -> int:
        if free >> R4_INDEX & 1:
            return R4_INDEX
        for offset in range(4):
            acc = (self.next_acc + offset) % 4
            if free >> acc & 1:
                self.next_acc = acc + 1
                return acc
        crowd = {"A": 0, "B": self.beside_imm.get(temp, 0)}
        for fellow in self.fellows.get(temp, ()):
            reg = self.chosen.get(fellow)
            if reg is not None and reg >= AB_INDEX:
                crowd[VC4_REGS[reg][0]] += 1
        count = len(VC4_REGS) - AB_INDEX
        best = min(
            (AB_INDEX + (self.next_ab + offset) % count for offset in range(count)
             if free >> (AB_INDEX + (self.next_ab + offset) % count) & 1),
            key=lambda reg: crowd[VC4_REGS[reg][0]])
        self.next_ab = best - AB_INDEX + 1
        return best


def _interferences(live: LiveIntervals, order: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of temps that live at once; `order`: temps by their starts."""
    running: list[int] = []
    for temp in order:
        begins = live.temp_start[temp]
        running = [one for one in running if live.temp_end[one] > begins]
        for one in running:
            yield one, temp
        running.append(temp)


class RegisterGraph(NamedTuple):
    """A program's graph, with what its nodes are."""

    graph: RaGraph
    #: the temp of each node
    temps: list[int]
    live: LiveIntervals


def build_graph(c: Vc4Compile, live: LiveIntervals | None = None, turn: int = 0) -> RegisterGraph:
    """The interference graph; NoRegister where no class has what a temp needs."""
    live = live or qir_calculate_live_intervals(c)
    target = vc4_alloc_reg_set()
    # Short lives first: they have the accumulators, which the long ones would only block.
    rng = random.Random(turn)
    luck = [1.0 + (rng.uniform(-0.4, 0.4) if turn else 0.0) for _ in range(c.num_temps)]
    temps = sorted(range(c.num_temps),
                   key=lambda t: (live.temp_end[t] - live.temp_start[t]) * luck[t])
    node_of = {temp: node for node, temp in enumerate(temps)}
    graph = ra_alloc_interference_graph(target.regs, c.num_temps)
    for temp, class_bits in enumerate(_class_bits(c, live)):
        regs_class = target.of(class_bits, c.fs_threaded)
        if regs_class is None:
            raise NoRegister(f"temp {temp}: nothing is in all of its classes ({class_bits:#x})")
        ra_set_node_class(graph, node_of[temp], regs_class)
    for inst in c.instructions():
        if inst.name in ("FRAG_Z", "FRAG_W"):
            ra_set_node_reg(graph, node_of[inst.dst.index],
                            AB_INDEX + 2 * PAYLOAD_ZW + (inst.name == "FRAG_Z"))
    for one, other in _interferences(
            live, sorted(range(c.num_temps), key=lambda t: live.temp_start[t])):
        ra_add_node_interference(graph, node_of[one], node_of[other])
    ra_set_select_reg_callback(graph, _Chooser(c, temps))
    return RegisterGraph(graph, temps, live)


def take_registers(coloured: RegisterGraph) -> list[int]:
    """The registers of a coloured graph, by temp."""
    found = [NOP_REG] * len(coloured.temps)
    for node, temp in enumerate(coloured.temps):
        if coloured.live.temp_start[temp] != coloured.live.temp_end[temp]:
            found[temp] = ra_get_node_reg(coloured.graph, node)
    return found


def vc4_register_allocate(c: Vc4Compile, live: LiveIntervals | None = None,
                          turn: int = 0) -> list[int]:
    """A register for each temp: an index into VC4_REGS, or NOP_REG where nothing reads the temp.

    Another `turn` gives some temps more right to an accumulator than others by chance: another
    allocation, which may suit the scheduler better.
    NoRegister where there are too few.
    """
    built = build_graph(c, live, turn)
    if not ra_allocate(built.graph):
        raise NoRegister(
            f"no register for {len(built.graph.uncoloured)} of {c.num_temps} temps")
    return take_registers(built)
