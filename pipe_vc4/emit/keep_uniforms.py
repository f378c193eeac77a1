# SPDX-License-Identifier: MIT
"""Uniforms that are read again come from a register that the program has left over.

In: a scheduled program, its end included.  Out: the same words, of which fewer read a uniform: the
stream gets shorter, no word is added.  A word that has a pipe and a port to spare keeps what it, or
nobody, reads as a uniform in a register that no word uses, and words two or more behind it read
that; a word that does nothing loads a constant, so that nobody reads it as a uniform at all.
All within a block: what other ways lead to later words is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from pipe_vc4.emit.entry import Entry
from pipe_vc4.emit.graph import FILE_DELAY, UNIFORMS_DELAY
from pipe_vc4.emit.schedule import Placed
from pipe_vc4.emit.word import MUX_A, MUX_B, NO_UNIFORM, SIG_NONE, SIG_SMALL_IMM, Word, merge
from pipe_vc4.qir.enums import QUniform
from pipe_vc4.qir.qir import Vc4Compile
from pipe_vc4.qpu.fields import QPU_MUX, QPU_R, QPU_W
from pipe_vc4.qpu.words import qpu_a_MOV, qpu_load_imm_ui, qpu_reg, qpu_unif

#: what a register may hold instead: the kernel wants to see addresses, bounds and set-ups of
#: samples where they are used
_KEPT: Final = frozenset(QUniform) - {
    QUniform.TEXTURE_CONFIG_P0, QUniform.TEXTURE_CONFIG_P1, QUniform.TEXTURE_CONFIG_P2,
    QUniform.TEXTURE_MSAA_ADDR, QUniform.UBO0_ADDR, QUniform.UBO1_ADDR, QUniform.UBO0_LAST,
    QUniform.UBO1_LAST, QUniform.TABLES_ADDR, QUniform.TABLES_LAST,
    QUniform.UNIFORMS_ADDRESS}  # fmt: skip
#: registers of a file that anybody may have (14 and 15 have a use of their own); half of them if
#: there are two threads
_REGISTERS: Final = (*range(14), *range(16, 32))
_THREAD: Final = 16
#: words of the end, in which nothing is kept
_END: Final = 3


class _Plan(NamedTuple):
    """A uniform that is kept."""

    saved: int
    host: int
    word: Word
    entry: Entry
    #: (index of a word, the word with the register in the uniform's place)
    readers: list[tuple[int, Word]]


class _Keeper:
    """The words of one program."""

    def __init__(self, c: Vc4Compile, placed: list[Placed]) -> None:
        self.c, self.placed = c, placed
        used: dict[int, set[int]] = {MUX_A: set(), MUX_B: set()}
        for one in placed:
            _note(one.word, used)
        self.free = {
            mux: [reg for reg in _REGISTERS
                  if reg not in taken and (reg < _THREAD or not c.fs_threaded)]
            for mux, taken in used.items()}
        #: (file, register) -> the last word that reads it
        self.busy: dict[tuple[int, int], int] = {}

    def block(self, start: int, end: int) -> None:
        """The words of a block, as long as anything is saved."""
        while True:
            plans = [plan for uniform, reads in self._reads(start, end).items()
                     for plan in self._plans(uniform, reads, start)]
            best = max(plans, key=lambda plan: (plan.saved, plan.host), default=None)
            if best is None or best.saved < 1:
                return
            self._do(best)

    def _reads(self, start: int, end: int) -> dict[tuple[int, int], list[int]]:
        """Contents and data -> the words that read it as an operand."""
        found: dict[tuple[int, int], list[int]] = {}
        for index in range(start, end):
            for entry in self.placed[index].entries:
                if entry.uniform_read and entry.uniform != NO_UNIFORM:
                    contents = self.c.uniform_contents[entry.uniform]
                    if contents in _KEPT:
                        key = int(contents), self.c.uniform_data[entry.uniform]
                        found.setdefault(key, []).append(index)
                    break
        return found

    # ---- what can be done
    def _plans(self, uniform: tuple[int, int], reads: list[int], start: int) -> Iterator[_Plan]:
        """Ways to keep a uniform, for each file the best of each kind."""
        last = min(reads[-1] - FILE_DELAY, len(self.placed) - _END - 1)
        for mux in (MUX_A, MUX_B):
            reg = next((reg for reg in self.free[mux]
                        if self.busy.get((mux, reg), -1) < start), None)
            if reg is None:
                continue
            kept = qpu_reg(QPU_MUX(mux), reg)
            readers = [(index, word) for index in reads
                       if (word := _reading(self.placed[index].word, mux, reg)) is not None]
            if uniform[0] == QUniform.CONSTANT:
                yield from self._loads(kept, uniform[1], readers, start, last)
            yield from self._moves(kept, reads, readers, start, last)

    def _loads(self, reg: qpu_reg, value: int, readers: list[tuple[int, Word]], start: int,
               last: int) -> Iterator[_Plan]:
        """An empty word that loads a constant."""
        for host in range(last, start - 1, -1):
            one = self.placed[host]
            if not one.entries and one.sig == SIG_NONE:
                word = qpu_load_imm_ui(reg, value)
                behind = [reader for reader in readers if reader[0] >= host + FILE_DELAY]
                yield _Plan(len(behind), host, Word(word), Entry(word), behind)
                if len(behind) == len(readers):
                    return  # an earlier one cannot save more

    def _moves(self, reg: qpu_reg, reads: list[int], readers: list[tuple[int, Word]], start: int,
               last: int) -> Iterator[_Plan]:
        """A word that moves the uniform, which is the first that reads it or one before that."""
        uniform = next(entry.uniform for entry in self.placed[reads[0]].entries
                       if entry.uniform != NO_UNIFORM)
        entry = Entry(qpu_a_MOV(reg, qpu_unif()), uniform)
        for host in range(min(last, reads[0]), self._first_read(start, last) - 1, -1):
            one = self.placed[host]
            mine = host == reads[0]
            if not mine and any(other.uniform != NO_UNIFORM for other in one.entries):
                continue
            word = next((joined for form in entry.forms
                         if (joined := merge(one.word, form)) is not None), None)
            if word is None:
                continue
            behind = [reader for reader in readers if reader[0] >= host + FILE_DELAY]
            yield _Plan(len(behind) - (not mine), host, word, entry, behind)
            if len(behind) == len(readers):
                return

    def _first_read(self, start: int, last: int) -> int:
        """From where on the block's own uniforms are read: behind the word that sets the stream's
        address, which stands before every other read."""
        for index in range(start, last + 1):
            word = self.placed[index].word
            if QPU_W.UNIFORMS_ADDRESS in (word.waddr_add, word.waddr_mul):
                return index + UNIFORMS_DELAY
        return start

    def _do(self, plan: _Plan) -> None:
        host = self.placed[plan.host]
        host.word = plan.word
        host.entries.append(plan.entry)
        for index, word in plan.readers:
            one = self.placed[index]
            one.word = word
            for entry in one.entries:
                if entry is not plan.entry:
                    entry.uniform, entry.uniform_read = NO_UNIFORM, False
        register = _written(plan.entry.word)
        self.busy[register] = max(index for index, _ in plan.readers)


def _note(word: Word, used: dict[int, set[int]]) -> None:
    """Registers that a word names, whether it uses them or not."""
    used[MUX_A].add(word.raddr_a)
    if word.sig != SIG_SMALL_IMM:
        used[MUX_B].add(word.raddr_b)
    used[MUX_B if word.ws else MUX_A].add(word.waddr_add)
    used[MUX_A if word.ws else MUX_B].add(word.waddr_mul)


def _written(bits: int) -> tuple[int, int]:
    """The file and register that a move of the add ALU, or a load, writes."""
    word = Word(bits)
    return (MUX_B if word.ws else MUX_A), word.waddr_add


def _reading(word: Word, mux: int, reg: int) -> Word | None:
    """A word that reads a uniform, reading a register of that file instead; None: it cannot."""
    for form in (word, word.with_other_port((QPU_R.UNIF,))):
        if form is None:
            continue
        if mux == MUX_A and form.raddr_a == QPU_R.UNIF and (form.pm or not form.unpack):
            other = form.sig != SIG_SMALL_IMM and form.raddr_b == QPU_R.UNIF
        elif mux == MUX_B and form.sig != SIG_SMALL_IMM and form.raddr_b == QPU_R.UNIF:
            other = form.raddr_a == QPU_R.UNIF
        else:
            continue
        if other:
            continue
        made = form.copy()
        setattr(made, "raddr_a" if mux == MUX_A else "raddr_b", reg)
        return made.encode()
    return None


def keep_uniforms(c: Vc4Compile, placed: list[Placed], starts: Sequence[int]) -> None:
    """The pass; `starts`: the first words of the blocks."""
    keeper = _Keeper(c, placed)
    for start, end in pairwise([*sorted(starts), len(placed)]):
        keeper.block(start, end)
