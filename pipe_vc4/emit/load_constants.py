# SPDX-License-Identifier: MIT
"""Constants that words load, instead of the stream of uniforms bringing them.

In: a scheduled program, its end included.  Out: as many words.  A word that only moves a constant
loads it; a move that shares its word goes into one that does nothing, if there is one near where
it means the same, and loads its constant there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pipe_vc4.emit.entry import FILE_A, THREAD_SIGS, Entry
from pipe_vc4.emit.graph import FILE_DELAY
from pipe_vc4.emit.schedule import Placed
from pipe_vc4.emit.word import (
    A_NOP,
    A_OR,
    COND_NEVER,
    M_NOP,
    M_V8MIN,
    MUX_A,
    MUX_B,
    R_NOP,
    SIG_NONE,
    SIG_SMALL_IMM,
    W_NOP,
    Word,
)
from pipe_vc4.qir.enums import QUniform
from pipe_vc4.qir.qir import Vc4Compile
from pipe_vc4.qpu.fields import (
    QPU_COND,
    QPU_COND_ADD,
    QPU_R,
    QPU_SF,
    QPU_UPDATE_FIELD,
    QPU_W,
    QPU_WADDR_ADD,
    QPU_WS,
)
from pipe_vc4.qpu.words import qpu_load_imm_ui, qpu_ra

#: words of the end, whose signals leave no room for a load
END: Final = 3


class _Move:
    """A move of a constant in a word: which pipe does it, and the load that does the same."""

    def __init__(self, c: Vc4Compile, entry: Entry, word: Word, add: bool) -> None:
        self.entry, self.add = entry, add
        fields = {
            QPU_COND_ADD: word.cond_add if add else word.cond_mul, QPU_SF: Word(entry.word).sf,
            QPU_WS: word.ws if add else 1 - word.ws,
            QPU_WADDR_ADD: word.waddr_add if add else word.waddr_mul}  # fmt: skip
        loads = qpu_load_imm_ui(qpu_ra(QPU_W.NOP), c.uniform_data[entry.uniform])
        for field, value in fields.items():
            loads = QPU_UPDATE_FIELD(loads, value, field)
        self.load = Entry(loads)


def _move_in(c: Vc4Compile, one: Placed) -> _Move | None:
    """The move of a constant that a word holds, whatever else it does."""
    word = one.word
    if not word.is_alu:
        return None
    from_unif = {MUX_A: word.raddr_a == QPU_R.UNIF,
                 MUX_B: word.sig != SIG_SMALL_IMM and word.raddr_b == QPU_R.UNIF}  # fmt: skip
    for entry in one.entries:
        plain = Word(entry.word)
        if not entry.uniform_read or plain.pack or plain.unpack:
            continue
        if c.uniform_contents[entry.uniform] != QUniform.CONSTANT:
            continue
        moves = plain.op_add == A_OR and plain.add_a == plain.add_b or (
            plain.op_mul == M_V8MIN and plain.mul_a == plain.mul_b)
        if not moves:
            continue
        target = (plain.waddr_add, plain.ws) if plain.has_add else (plain.waddr_mul, 1 - plain.ws)
        if word.op_add == A_OR and word.add_a == word.add_b and from_unif.get(word.add_a) and (
                _same_place(target, (word.waddr_add, word.ws))):
            return _Move(c, entry, word, True)
        if word.op_mul == M_V8MIN and word.mul_a == word.mul_b and from_unif.get(word.mul_a) and (
                _same_place(target, (word.waddr_mul, 1 - word.ws))):
            return _Move(c, entry, word, False)
    return None


def _same_place(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """The address and the file (0 is A) of two results are one register."""
    return one[0] == other[0] and (one[0] >= 32 or one[1] == other[1])


def _without(word: Word, add: bool) -> Word:
    """The word without what one of its pipes does."""
    made = word.copy()
    if add:
        made.op_add, made.add_a, made.add_b = A_NOP, 0, 0
        made.cond_add, made.waddr_add = COND_NEVER, W_NOP
    else:
        made.op_mul, made.mul_a, made.mul_b = M_NOP, 0, 0
        made.cond_mul, made.waddr_mul = COND_NEVER, W_NOP
    if made.raddr_a == QPU_R.UNIF and MUX_A not in made.muxes():
        made.raddr_a = R_NOP
    if made.sig != SIG_SMALL_IMM and made.raddr_b == QPU_R.UNIF and MUX_B not in made.muxes():
        made.raddr_b = R_NOP
    return made.encode()


def _touches(one: Placed, register: int) -> bool:
    return any(register in entry.reads or register in entry.writes for entry in one.entries)


def _room(placed: list[Placed], index: int, move: _Move, start: int, end: int) -> int | None:
    """The nearest word that does nothing, in which the move means the same."""
    register, = move.entry.writes
    delay = FILE_DELAY if register >= FILE_A else 1
    last = end - FILE_DELAY if end < len(placed) else len(placed) - END - 1
    for at in range(index + 1, last + 1):
        one = placed[at]
        if _touches(one, register):
            break
        behind = placed[at + 1 : at + delay]
        if not one.entries and one.sig == SIG_NONE and not any(
                _touches(other, register) for other in behind):
            rotated = placed[at + 1].entries if at + 1 < len(placed) else []
            if not any(entry.rotates and register in entry.reads for entry in rotated):
                return at
    fellows = [entry for entry in placed[index].entries if entry is not move.entry]
    if any(register in entry.reads for entry in fellows):
        return None
    for at in range(index - 1, start - 1, -1):
        one = placed[at]
        if _touches(one, register):
            break
        if not one.entries and one.sig == SIG_NONE:
            return at
    return None


def _block(c: Vc4Compile, placed: list[Placed], start: int, end: int, switches: bool) -> None:
    for index in range(start, end):
        one = placed[index]
        move = _move_in(c, one)
        if move is None:
            continue
        if len(one.entries) == 1:
            if one.sig == SIG_NONE:
                one.word, one.entries = Word(move.load.word), [move.load]
            continue
        always = Word(move.load.word).cond_add == QPU_COND.ALWAYS
        to_file = all(register >= FILE_A for register in move.entry.writes)
        if not always or Word(move.entry.word).sf or len(move.entry.writes) != 1 or (
                switches and not to_file):
            continue
        room = _room(placed, index, move, start, end)
        if room is not None:
            sig = one.sig
            one.word = _without(one.word, move.add)
            assert one.sig == sig
            one.entries = [entry for entry in one.entries if entry is not move.entry]
            placed[room].word, placed[room].entries = Word(move.load.word), [move.load]


def load_constants(c: Vc4Compile, placed: list[Placed], starts: Sequence[int]) -> None:
    """The pass; `starts`: the first words of the blocks."""
    switches = any(one.sig in THREAD_SIGS for one in placed)
    for start, end in pairwise([*sorted(starts), len(placed)]):
        _block(c, placed, start, end, switches)
