# SPDX-License-Identifier: MIT
"""The program's end: the signal, its two delay slots, the scoreboard's release.

The rules are the guide's ("Summary of Instruction Restrictions"): from the word of the end on no
varying, uniform or VPM, no register 14; that word itself writes no register of a file; the last
one does not write Z.  That the end's word and its first delay slot may write the tile buffer
follows from these.  They must not be the first to do so, since that waits for the scoreboard: a
signal in an earlier word waits instead.
"""

from __future__ import annotations

from pipe_vc4.emit.entry import R4_SIGS, THREAD_SIGS
from pipe_vc4.emit.schedule import SWITCH_DELAY, TLB_BEGIN, Placed, nop
from pipe_vc4.emit.word import SIG, SIG_NONE
from pipe_vc4.qpu.fields import QPU_R, QPU_W

_FIXED_READS = frozenset({QPU_R.VARY, QPU_R.UNIF, QPU_R.VPM})
_VPM_WRITES = frozenset({QPU_W.VPM, QPU_W.VPMVCD_SETUP, QPU_W.VPM_ADDR})


def _quiet(one: Placed) -> bool:
    """It may stand in the last three words."""
    word = one.word
    if not word.is_alu or word.sig in R4_SIGS or word.sig in THREAD_SIGS:
        return False
    reads = {word.raddr_a} | (set() if word.sig == SIG.SMALL_IMM else {word.raddr_b})
    writes = {word.waddr_add, word.waddr_mul}
    if any(entry.uniform >= 0 for entry in one.entries):
        return False
    return not (reads & _FIXED_READS or writes & _VPM_WRITES or 14 in reads or 14 in writes)


def _writes_file(one: Placed) -> bool:
    return one.word.waddr_add < 32 or one.word.waddr_mul < 32


def _tlb(one: Placed) -> bool:
    return any(entry.tlb for entry in one.entries)


def _waiting_word(placed: list[Placed], end: int, start: int) -> int | None:
    """The latest word before the end that can wait for the scoreboard; -1: one has already."""
    if any(_tlb(one) for one in placed[:end]):
        return -1
    switches = [index for index, one in enumerate(placed) if one.sig in THREAD_SIGS]
    lowest = max(TLB_BEGIN, start, switches[-1] + SWITCH_DELAY if switches else 0)
    for index in range(end - 1, lowest - 1, -1):
        if placed[index].sig == SIG_NONE and placed[index].word.is_alu:
            return index
    return None


def _may_end(placed: list[Placed], end: int, start: int, fragment: bool) -> int | None:
    """Whether the end may be in word `end`: None, or the word that waits (-1: none needs to)."""
    last = placed[end:]
    if not all(_quiet(one) for one in last):
        return None
    if last and (last[0].sig != SIG_NONE or _writes_file(last[0])):
        return None
    if fragment and len(last) == 3 and (last[2].sig != SIG_NONE or _tlb(last[2])):
        return None
    if not any(_tlb(one) for one in last):
        return -1
    return _waiting_word(placed, end, start)


def finish(placed: list[Placed], start: int, fragment: bool) -> None:
    """Ends the program whose last block begins at word `start`."""
    count = len(placed)
    switches = [index for index, one in enumerate(placed) if one.sig in THREAD_SIGS]
    lowest = max(start, count - 3, switches[-1] + SWITCH_DELAY if switches else 0)
    while len(placed) < lowest:
        placed.append(nop())
    for end in range(lowest, len(placed) + 1):
        waits = _may_end(placed, end, start, fragment)
        if waits is None:
            continue
        if waits >= 0:
            placed[waits].set_sig(SIG.WAIT_FOR_SCOREBOARD)
        while len(placed) < end + 3:
            placed.append(nop())
        placed[end].set_sig(SIG.PROG_END)
        if fragment:
            placed[end + 2].set_sig(SIG.SCOREBOARD_UNLOCK)
        return
    raise AssertionError("a word that does nothing can end any program")
