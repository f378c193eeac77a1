# SPDX-License-Identifier: MIT
"""A program of QIR as QPU words (vc4_generate_code): registers, queues, schedule, end.

In: a `Vc4Compile` that went through all passes.  Out: `QpuCode`, or NoRegister where the registers
do not suffice (the caller compiles for one thread then, or gives the shader up).
Uniforms come in the order in which the words read them, which is the scheduler's; where the address
of the uniforms is set, the constant beside it follows from that order.

There is no best schedule that a list scheduler finds at once, and it is quick: several are made,
over several orders of the QIR and allocations, and the shortest is taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from pipe_vc4.emit.block import Emitter
from pipe_vc4.emit.entry import Entry
from pipe_vc4.emit.finish import finish
from pipe_vc4.emit.keep_uniforms import keep_uniforms
from pipe_vc4.emit.load_constants import load_constants
from pipe_vc4.emit.schedule import Scheduler
from pipe_vc4.emit.word import NO_UNIFORM, SIG
from pipe_vc4.qir.emit_uniform_stream_resets import qir_emit_uniform_stream_resets
from pipe_vc4.qir.enums import QStage, QUniform
from pipe_vc4.qir.qir import QBlock, Vc4Compile
from pipe_vc4.qir.schedule import PRESSURE, qir_schedule_instructions
from pipe_vc4.qpu.fields import (
    QPU_BRANCH_TARGET,
    QPU_IMM,
    QPU_SIG,
    QPU_SIG_,
    QPU_UPDATE_FIELD,
)
from pipe_vc4.qpu.validate import qpu_validate
from pipe_vc4.registers import LiveIntervals, qir_calculate_live_intervals, vc4_register_allocate
from pipe_vc4.spill import allocate_spilling
from pydri.util.registers import NoRegister

#: bytes of a word and of a uniform
WORD_BYTES, UNIFORM_BYTES = 8, 4
#: orders of the QIR (how many temps) and allocations (turns) that are tried; the first four had the
#: shortest of a hundred for nearly all of piglit's programs
TRIES: Final = (
    (8, 1), (4, 10), (PRESSURE, 1), (8, 2), (16, 5), (4, 1), (PRESSURE, 0), (4, 2), (8, 0),
)  # fmt: skip
FEWEST_TRIES: Final = 3
#: instructions of QIR that all tries together may schedule, beyond the fewest
MOST_TRIED: Final = 4000


class QpuCode(NamedTuple):
    """A program for the QPU."""

    words: list[int]
    #: what the driver writes into the stream of uniforms, in order
    uniform_contents: list[QUniform]
    uniform_data: list[int]
    #: 2 when it gives way at texture samples
    threads: int
    #: most temps that live at once
    max_temps: int
    #: words with nothing in them, and words with both an add and a multiplication
    nops: int
    pairs: int




class _Accumulators:
    """Which of R0 to R3 no temp has at an instruction."""

    def __init__(self, temps: list[int], live: LiveIntervals) -> None:
        self._held = [
            (live.temp_start[temp], live.temp_end[temp], reg)
            for temp, reg in enumerate(temps) if 0 <= reg < 4]

    def __call__(self, ip: int) -> list[int]:
        held = {reg for start, end, reg in self._held if start < ip <= end}
        return [reg for reg in range(4) if reg not in held]


class _Queued(NamedTuple):
    """A program in queues."""

    blocks: list[tuple[QBlock, list[Entry]]]
    #: pairs of entries: the load of a constant, and the write of the uniforms' address beside it
    resets: list[tuple[Entry, Entry]]


def _queue(c: Vc4Compile, live: LiveIntervals, temps: list[int]) -> _Queued:
    emitter = Emitter(c, temps, _Accumulators(temps, live))
    blocks = [(block, emitter.block(block)) for block in c.blocks]
    _mark_last_switch(blocks)
    return _Queued(blocks, emitter.resets)


def _mark_last_switch(blocks: list[tuple[QBlock, list[Entry]]]) -> None:
    """The last switch says that it is: the thread that began later waits there until the other has
    ended, else both could wait for the scoreboard for ever."""
    for _, entries in reversed(blocks):
        for index in range(len(entries) - 1, -1, -1):
            if entries[index].sig == SIG.THREAD_SWITCH:
                entries[index] = Entry(QPU_UPDATE_FIELD(
                    entries[index].word, QPU_SIG_.LAST_THREAD_SWITCH, QPU_SIG))
                return


class _Program:
    """One schedule of a program."""

    def __init__(self, c: Vc4Compile, queued: _Queued, max_temps: int) -> None:
        fragment = c.stage == QStage.FRAG
        scheduler = Scheduler(fragment)
        starts: dict[QBlock, int] = {}
        branches: list[tuple[QBlock, int]] = []
        for block, entries in queued.blocks:
            starts[block] = len(scheduler.placed)
            branch = scheduler.block(entries)
            if branch >= 0:
                branches.append((block, branch))
        self.placed = scheduler.placed
        self.max_temps = max_temps
        #: nothing is left to win
        self.shortest = len(self.placed) <= scheduler.fewest
        finish(self.placed, starts[c.exit_block], fragment)
        self._queued, self._starts, self._branches = queued, starts, branches
        self.words: list[int] = []
        self.uniforms: list[int] = []

    def _encode(self, c: Vc4Compile) -> None:
        """The words and the stream of uniforms, of a program that is taken."""
        starts = list(self._starts.values())
        load_constants(c, self.placed, starts)
        keep_uniforms(c, self.placed, starts)
        self.words = [one.word.word for one in self.placed]
        backwards = []
        for block, branch in self._branches:
            target = (self._starts[block.successors[0]] - (branch + 4)) * WORD_BYTES
            if target < 0:
                backwards.append(branch)
            self.words[branch] = QPU_UPDATE_FIELD(
                self.words[branch], target & 0xFFFFFFFF, QPU_BRANCH_TARGET)
        self._number_uniforms(backwards)

    def _number_uniforms(self, backwards: list[int]) -> None:
        where: dict[int, int] = {}  # a reset's entry -> uniforms read up to it
        loads: dict[int, int] = {}  # an entry -> its word
        for index, one in enumerate(self.placed):
            read = next((e.uniform for e in one.entries if e.uniform != NO_UNIFORM), NO_UNIFORM)
            if read != NO_UNIFORM:
                self.uniforms.append(read)
            for entry in one.entries:
                where[id(entry)], loads[id(entry)] = len(self.uniforms), index
        resets = self._queued.resets
        if resets and self._back_from_the_end(backwards):
            self.uniforms.append(resets[0][1].uniform)
        for load, reset in resets:
            index = loads[id(load)]
            self.words[index] = QPU_UPDATE_FIELD(
                self.words[index], where[id(reset)] * UNIFORM_BYTES, QPU_IMM)

    def _back_from_the_end(self, backwards: list[int]) -> bool:
        """A branch goes back when all uniforms are read: it finds the entry behind them next."""
        reads = [index for index, one in enumerate(self.placed)
                 if any(entry.uniform != NO_UNIFORM for entry in one.entries)]
        return any(back > reads[-1] - 4 for back in backwards)

    def code(self, c: Vc4Compile) -> QpuCode:
        """The finished program."""
        self._encode(c)
        pairs = sum(one.word.is_alu and one.word.has_add and one.word.has_mul
                    for one in self.placed)
        return QpuCode(
            self.words, [c.uniform_contents[u] for u in self.uniforms],
            [c.uniform_data[u] for u in self.uniforms], 2 if c.fs_threaded else 1,
            self.max_temps, sum(not one.entries for one in self.placed), pairs)


def _tries(c: Vc4Compile, most: int) -> Iterator[tuple[int, int]]:
    """What is tried, less of it for long programs."""
    length = sum(len(block.instructions) for block in c.blocks)
    return islice(TRIES, min(max(FEWEST_TRIES, MOST_TRIED // max(length, 1)), most))


def _spilled(c: Vc4Compile) -> _Program:
    """A program that computes some values again, since not all have a register."""
    if c.fs_threaded:
        raise NoRegister("two threads have too few registers")
    qir_schedule_instructions(c)
    temps = allocate_spilling(c)
    live = qir_calculate_live_intervals(c)
    return _Program(c, _queue(c, live, temps), live.max_pressure)


def vc4_generate_code(c: Vc4Compile, most_tries: int = len(TRIES)) -> QpuCode:
    """The words of a program; QpuError if they broke a rule of the hardware (a bug here).

    The compile's instructions are in another order after.  NoRegister where registers do not
    suffice.  With fewer tries it is quicker, and some programs are a little longer.
    """
    qir_emit_uniform_stream_resets(c)
    best: _Program | None = None
    written = [list(block.instructions) for block in c.blocks]
    for limit, turn in _tries(c, most_tries):
        for block, insts in zip(c.blocks, written):
            block.instructions[:] = insts
        qir_schedule_instructions(c, limit)
        live = qir_calculate_live_intervals(c)
        try:
            temps = vc4_register_allocate(c, live, turn)
        except NoRegister:
            continue
        program = _Program(c, _queue(c, live, temps), live.max_pressure)
        if best is None or len(program.placed) < len(best.placed):
            best = program
        if program.shortest:
            break
    if best is None:
        for block, insts in zip(c.blocks, written):
            block.instructions[:] = insts
        best = _spilled(c)
    code = best.code(c)
    qpu_validate(code.words, fragment=c.stage == QStage.FRAG)
    return code
