# SPDX-License-Identifier: MIT
"""What the hardware forbids in a program of QPU words ("Summary of Instruction Restrictions").

`qpu_rules(words, ...)` lists every offence as (index of the word, what is wrong); `qpu_validate`
raises for them. Source: "VideoCore IV 3D Architecture Reference Guide", section 3.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipe_vc4.qpu.fields import (
    QPU_ADD_A,
    QPU_ADD_B,
    QPU_BRANCH_RADDR_A,
    QPU_BRANCH_REG,
    QPU_GET_FIELD,
    QPU_LOAD_IMM_MODE,
    QPU_LOAD_IMM_MODE_,
    QPU_MUL_A,
    QPU_MUL_B,
    QPU_MUX,
    QPU_OP_ADD,
    QPU_OP_MUL,
    QPU_R,
    QPU_RADDR_A,
    QPU_RADDR_B,
    QPU_SIG,
    QPU_SIG_,
    QPU_SMALL_IMM,
    QPU_SMALL_IMM_MUL_ROT,
    QPU_UNPACK,
    QPU_W,
    QPU_WADDR_ADD,
    QPU_WADDR_MUL,
    QPU_WS,
)
from pipe_vc4.qpu.text import disassemble

Offence = tuple[int, str]

_SFU = frozenset(range(QPU_W.SFU_RECIP, QPU_W.SFU_LOG + 1))
_TMU = frozenset(range(QPU_W.TMU0_S, QPU_W.TMU1_B + 1))
_TLB_WRITE = frozenset(range(QPU_W.TLB_Z, QPU_W.TLB_ALPHA_MASK + 1))
_TLB_READ = frozenset({QPU_SIG_.COVERAGE_LOAD, QPU_SIG_.COLOR_LOAD, QPU_SIG_.COLOR_LOAD_END,
                       QPU_SIG_.ALPHA_MASK_LOAD})
_TMU_READ = frozenset({QPU_SIG_.LOAD_TMU0, QPU_SIG_.LOAD_TMU1})
_SWITCH = frozenset({QPU_SIG_.THREAD_SWITCH, QPU_SIG_.LAST_THREAD_SWITCH})
_END = frozenset({QPU_SIG_.PROG_END, QPU_SIG_.COLOR_LOAD_END})
_VPM_WRITES = frozenset({QPU_W.VPM, QPU_W.VPMVCD_SETUP, QPU_W.VPM_ADDR})
_VPM_READS = frozenset({QPU_R.VPM, QPU_R.VPM_LD_BUSY, QPU_R.VPM_LD_WAIT})


class QpuError(ValueError):
    """A program that the hardware forbids."""


class Uses(NamedTuple):
    """What a word touches; the addresses are those of files A and B."""

    sig: int
    reads_a: int | None     # the address of file A that an operand takes, if any
    reads_b: int | None
    muxes: frozenset[int]   # accumulators read, and A or B
    writes_a: frozenset[int]
    writes_b: frozenset[int]
    sampled: bool = False   # a TMU write that takes a uniform

    @property
    def writes(self) -> frozenset[int]:
        """The addresses written, whichever the file."""
        return self.writes_a | self.writes_b

    def reads(self, address: int) -> bool:
        """Whether an operand is `address`, of either file."""
        return address in (self.reads_a, self.reads_b)


def qpu_uses(word: int) -> Uses:
    """What `word` reads and writes."""
    sig = QPU_GET_FIELD(word, QPU_SIG)
    ws = QPU_GET_FIELD(word, QPU_WS)
    add, mul = QPU_GET_FIELD(word, QPU_WADDR_ADD), QPU_GET_FIELD(word, QPU_WADDR_MUL)
    writes = (frozenset({add}), frozenset({mul}))
    a: int | None = None
    b: int | None = None
    muxes: set[int] = set()
    if sig == QPU_SIG_.BRANCH:
        if QPU_GET_FIELD(word, QPU_BRANCH_REG):
            a = QPU_GET_FIELD(word, QPU_BRANCH_RADDR_A)
    elif sig != QPU_SIG_.LOAD_IMM:
        if QPU_GET_FIELD(word, QPU_OP_ADD):
            muxes |= {QPU_GET_FIELD(word, QPU_ADD_A), QPU_GET_FIELD(word, QPU_ADD_B)}
        if QPU_GET_FIELD(word, QPU_OP_MUL):
            muxes |= {QPU_GET_FIELD(word, QPU_MUL_A), QPU_GET_FIELD(word, QPU_MUL_B)}
        a = QPU_GET_FIELD(word, QPU_RADDR_A) if QPU_MUX.A in muxes else None
        if QPU_MUX.B in muxes and sig != QPU_SIG_.SMALL_IMM:
            b = QPU_GET_FIELD(word, QPU_RADDR_B)
    return Uses(sig, a, b, frozenset(muxes), writes[ws], writes[1 - ws])


def _program_uses(words: Sequence[int]) -> list[Uses]:
    """The uses of each word, with the TMU writes that take a uniform marked.

    A write of s that follows no t, r or b is a read of memory, which takes none.
    """
    begun = [False, False]
    program = []
    for word in words:
        uses = qpu_uses(word)
        sampled = False
        for address in uses.writes & _TMU:
            unit, coordinate = divmod(address - QPU_W.TMU0_S, 4)
            sampled |= coordinate != 0 or begun[unit]
            begun[unit] = coordinate != 0
        program.append(uses._replace(sampled=sampled))
    return program


def qpu_waddr_is_tlb(address: int) -> bool:
    """Whether a write to `address` goes to the tile buffer."""
    return address in _TLB_WRITE


def qpu_inst_is_tlb(word: int) -> bool:
    """Whether `word` reads or writes the tile buffer, and so waits for the scoreboard."""
    uses = qpu_uses(word)
    return uses.sig in _TLB_READ or bool(uses.writes & _TLB_WRITE)


def qpu_num_sf_accesses(word: int) -> int:
    """How many accesses of units beside the QPU (TMU, tile buffer, SFU, mutex, semaphore)."""
    uses = qpu_uses(word)
    units = _SFU | _TMU | _TLB_WRITE
    both = (QPU_GET_FIELD(word, QPU_WADDR_ADD), QPU_GET_FIELD(word, QPU_WADDR_MUL))
    writes = sum(address in units for address in both)
    tlb = bool(uses.writes & _TLB_WRITE) and uses.sig in _TLB_READ
    signal = uses.sig in _TMU_READ | _TLB_READ and not tlb
    sema = (uses.sig == QPU_SIG_.LOAD_IMM
            and QPU_GET_FIELD(word, QPU_LOAD_IMM_MODE) == QPU_LOAD_IMM_MODE_.SEMA)
    return writes + signal + sema + uses.reads(QPU_R.MUTEX_ACQUIRE)


def _follow(uses: Sequence[Uses]) -> Iterator[Offence]:
    """What may not follow at once, or within two words."""
    for i, now in enumerate(uses):
        last = uses[i - 1] if i else None
        if last is not None:
            for read, written, file in ((now.reads_a, last.writes_a, "a"),
                                        (now.reads_b, last.writes_b, "b")):
                if read is not None and read < 32 and read in written:
                    yield i, f"r{file}{read} is read right after it was written"
        for back in range(1, min(i, 2) + 1):
            before = uses[i - back]
            if before.writes & _SFU:
                if QPU_MUX.R4 in now.muxes:
                    yield i, "r4 is read within two words after the SFU was written"
                if now.writes & _SFU or now.sig in _TMU_READ | _TLB_READ:
                    yield i, "r4 is written within two words after the SFU was written"
            if QPU_W.TLB_Z in before.writes and now.reads_a == QPU_R.MS_REV_FLAGS:
                yield i, "the multisample mask is read within two words after a Z write"
            if QPU_W.UNIFORMS_ADDRESS in before.writes and _uniform(now):
                yield i, "a uniform is read within two words after its address was written"
        for back in range(1, min(i, 3) + 1):
            if QPU_W.TMU_NOSWAP in uses[i - back].writes and now.writes & _TMU:
                yield i, "a TMU is written within three words after TMU_NOSWAP"


def _uniform(uses: Uses) -> bool:
    return uses.reads(QPU_R.UNIF) or uses.sampled


def _alone(words: Sequence[int], uses: Sequence[Uses]) -> Iterator[Offence]:
    """What one word may not do."""
    for i, (word, now) in enumerate(zip(words, uses, strict=True)):
        if qpu_num_sf_accesses(word) > 1:
            yield i, "more than one access of TMU, tile buffer, SFU, mutex and semaphore"
        if now.reads(QPU_R.UNIF) and now.sampled:
            yield i, "a TMU write takes a uniform of its own: the word reads another"
        if now.sig == QPU_SIG_.SMALL_IMM:
            yield from _rotation(i, word, now, uses[i - 1] if i else None)
        if now.sig in {QPU_SIG_.LOAD_IMM, QPU_SIG_.BRANCH}:
            continue
        if QPU_GET_FIELD(word, QPU_UNPACK) and now.reads_a is not None and now.reads_a >= 32 \
                and QPU_MUX.R4 not in now.muxes:
            yield i, "an unpack of what is no register of file A"


def _rotation(i: int, word: int, now: Uses, last: Uses | None) -> Iterator[Offence]:
    code = QPU_GET_FIELD(word, QPU_SMALL_IMM)
    if code < QPU_SMALL_IMM_MUL_ROT:
        return
    muxes = {QPU_GET_FIELD(word, QPU_MUL_A), QPU_GET_FIELD(word, QPU_MUL_B)}
    if any(mux > QPU_MUX.R3 for mux in muxes):
        yield i, "a rotation takes r0 to r3 only"
    if last is None:
        return
    if code == QPU_SMALL_IMM_MUL_ROT and QPU_W.ACC5 in last.writes:
        yield i, "a rotation by r5 right after r5 was written"
    if any(QPU_W.ACC0 + mux in last.writes for mux in muxes):
        yield i, "a rotation of what the word before wrote"


def _ends(uses: Sequence[Uses], fragment: bool) -> Iterator[Offence]:
    """The end of the program and its two delay slots; the begin of a fragment shader."""
    ends = [i for i, now in enumerate(uses) if now.sig in _END]
    if not ends:
        yield len(uses) - 1, "the program has no end"
    for end in ends:
        if end + 3 > len(uses):
            yield end, "the end's two delay slots are missing"
        if any(address < 32 for address in uses[end].writes):
            yield end, "the end's word writes a register of a file"
        for i in range(end, min(end + 3, len(uses))):
            now = uses[i]
            if (now.writes & _VPM_WRITES or _uniform(now) or now.reads(QPU_R.VARY)
                    or any(now.reads(address) for address in _VPM_READS)):
                yield i, "varyings, uniforms or the VPM in the last three words"
            if 14 in now.writes or now.reads(14):
                yield i, "address 14 in the last three words"
        if end + 2 < len(uses) and QPU_W.TLB_Z in uses[end + 2].writes:
            yield end + 2, "the last word writes Z"
    if fragment:
        for i, now in enumerate(uses[:2]):
            if (now.sig in _TLB_READ or now.sig == QPU_SIG_.WAIT_FOR_SCOREBOARD
                    or now.writes & _TLB_WRITE):
                yield i, "a wait for the scoreboard in the first two words"


def _threads(uses: Sequence[Uses]) -> Iterator[Offence]:
    """Thread switches: not with the scoreboard locked, not after the last, not in delay slots."""
    if not any(now.sig in _SWITCH for now in uses):
        return
    locked = last = False
    for i, now in enumerate(uses):
        if now.sig in _TLB_READ or now.writes & _TLB_WRITE or now.sig == \
                QPU_SIG_.WAIT_FOR_SCOREBOARD:
            if not last:
                yield i, "the tile buffer is used before the last thread switch"
            locked = True
        if now.sig in _SWITCH:
            if locked:
                yield i, "a thread switch while the scoreboard is locked"
            if last:
                yield i, "a thread switch after the last one"
            last = now.sig == QPU_SIG_.LAST_THREAD_SWITCH
        if any(16 <= address < 32 for address in now.writes) or any(
                read is not None and 16 <= read < 32 for read in (now.reads_a, now.reads_b)):
            yield i, "a register from 16 up in a program of two threads"
    if not last:
        yield len(uses) - 1, "a program with thread switches has no last one"


def _branches(uses: Sequence[Uses]) -> Iterator[Offence]:
    """A branch's three delay slots: they exist, and hold no branch, no switch and no end."""
    for i, now in enumerate(uses):
        if now.sig != QPU_SIG_.BRANCH:
            continue
        if i + 3 >= len(uses):
            yield i, "the branch's three delay slots are missing"
        for j in range(i + 1, min(i + 4, len(uses))):
            if uses[j].sig in _SWITCH | _END or uses[j].sig == QPU_SIG_.BRANCH:
                yield j, "a branch, thread switch or end in a branch's delay slots"


def qpu_rules(words: Sequence[int], *, fragment: bool) -> list[Offence]:
    """Every offence of a program, in the order of the words."""
    uses = _program_uses(words)
    found = [*_alone(words, uses), *_follow(uses), *_ends(uses, fragment), *_threads(uses),
             *_branches(uses)]
    return sorted(found)


def qpu_validate(words: Sequence[int], *, fragment: bool) -> None:
    """Raises QpuError with the first offence of a program, and its word as text."""
    for i, what in qpu_rules(words, fragment=fragment):
        raise QpuError(f"word {i}, {disassemble(words[i])}: {what}")
