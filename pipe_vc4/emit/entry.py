# SPDX-License-Identifier: MIT
"""One queued operation of a QPU word: what it reads and writes, and which words can say it.

In: a word with one operation (add or multiply, a signal, a load or a branch).  Out: `Entry`, with
the resources that it reads and writes, for the graph, and its forms, for pairing.
A resource is a number: the accumulators, each register of the files, the flags, and the queues of
the hardware whose accesses keep their order.  Source: VideoCore IV 3D Architecture Reference Guide,
"QPU Instruction Set" and "Summary of Instruction Restrictions".
"""

from __future__ import annotations

from typing import Final

from pipe_vc4.emit.word import (
    A_NOP,
    A_OR,
    M_NOP,
    M_V8MIN,
    MUX_A,
    MUX_B,
    NO_UNIFORM,
    R_NOP,
    SIG,
    W,
    Word,
)
from pipe_vc4.qpu.fields import QPU_COND, QPU_R, QPU_SMALL_IMM_MUL_ROT

R0, R4, R5 = 0, 4, 5
FILE_A, FILE_B = 6, 38
FLAGS, VPM_READ, VPM_WRITE, UNIFORMS, TMU, TLB = range(70, 76)
#: resources whose accesses are all writes: they keep their order
QUEUES: Final = frozenset({VPM_READ, VPM_WRITE, TMU, TLB})

SFU_WRITES: Final = frozenset({W.SFU_RECIP, W.SFU_RECIPSQRT, W.SFU_EXP, W.SFU_LOG})
TMU_WRITES: Final = frozenset(range(W.TMU0_S, W.TMU1_B + 1))
TMU_STARTS: Final = frozenset({W.TMU0_S, W.TMU1_S})
TLB_WRITES: Final = frozenset({W.TLB_Z, W.TLB_COLOR_MS, W.TLB_COLOR_ALL})
THREAD_SIGS: Final = frozenset({SIG.THREAD_SWITCH, SIG.LAST_THREAD_SWITCH})
TMU_SIGS: Final = frozenset({SIG.LOAD_TMU0, SIG.LOAD_TMU1})
#: signals that put something into R4
R4_SIGS: Final = TMU_SIGS | {SIG.COLOR_LOAD, SIG.COLOR_LOAD_END, SIG.ALPHA_MASK_LOAD}
_UNCONDITIONAL: Final = (QPU_COND.NEVER, QPU_COND.ALWAYS)
#: of an instruction at most one such access
PERIPHERALS: Final = SFU_WRITES | TMU_WRITES | TLB_WRITES | {W.MUTEX_RELEASE}


class Entry:
    """A queued word (struct queued_qpu_inst) and what the scheduler knows about it."""

    __slots__ = ("add", "forms", "mul", "peripheral", "reads", "rotates", "sig", "sfu", "tag",
                 "tlb", "uniform", "uniform_read", "word", "writes")

    def __init__(self, word: int, uniform: int = NO_UNIFORM, tag: str = "") -> None:
        self.word = word
        #: number of the uniform that it reads, itself or beside a texture coordinate
        self.uniform = uniform
        #: "reset": its constant is where the uniforms go on
        self.tag = tag
        at = Word(word)
        self.sig = at.sig
        alu = at.sig not in (SIG.LOAD_IMM, SIG.BRANCH)
        self.add = alu and at.op_add != A_NOP
        self.mul = alu and at.op_mul != M_NOP
        self.sfu = False
        self.tlb = at.sig in (SIG.COLOR_LOAD, SIG.COLOR_LOAD_END, SIG.WAIT_FOR_SCOREBOARD)
        self.rotates = alu and at.sig == SIG.SMALL_IMM and at.raddr_b >= QPU_SMALL_IMM_MUL_ROT
        self.peripheral = at.sig in R4_SIGS
        self.reads: set[int] = set()
        self.writes: set[int] = set()
        if alu:
            self._operands(at)
        if at.sig != SIG.BRANCH:
            self._results(at)
        self._signal(at)
        #: it names the uniform register (sharing a read of the same uniform is then possible)
        self.uniform_read = alu and QPU_R.UNIF in (
            at.raddr_a, at.raddr_b if at.sig != SIG.SMALL_IMM else R_NOP)
        if uniform != NO_UNIFORM:
            self.reads.add(UNIFORMS)
        self.forms = _forms(at) if alu and not self.rotates else (at,)

    def _operands(self, at: Word) -> None:
        muxes = set()
        if self.add:
            muxes |= {at.add_a, at.add_b}
        if self.mul:
            muxes |= {at.mul_a, at.mul_b}
        self.reads |= {R0 + mux for mux in muxes if mux < MUX_A}
        ports = [(at.raddr_a, FILE_A, MUX_A)]
        if at.sig != SIG.SMALL_IMM:
            ports.append((at.raddr_b, FILE_B, MUX_B))
        for raddr, file, mux in ports:
            if raddr < 32:
                if mux in muxes:
                    self.reads.add(file + raddr)
            elif raddr == QPU_R.VARY:
                self.writes.add(R5)
            elif raddr == QPU_R.VPM:
                self.writes.add(VPM_READ)
            elif raddr == QPU_R.MS_REV_FLAGS:
                self.reads.add(TLB)

    def _results(self, at: Word) -> None:
        for waddr, in_a in ((at.waddr_add, not at.ws), (at.waddr_mul, at.ws)):
            if waddr < 32:
                self.writes.add((FILE_A if in_a else FILE_B) + waddr)
            elif W.ACC0 <= waddr <= W.ACC0 + 3:
                self.writes.add(R0 + waddr - W.ACC0)
            elif waddr == W.ACC5:
                self.writes.add(R5)
            elif waddr in SFU_WRITES:
                self.writes.add(R4)
                self.sfu = True
            elif waddr in TMU_WRITES or waddr == W.TMU_NOSWAP:
                self.writes.add(TMU)
            elif waddr in TLB_WRITES or waddr in (W.TLB_STENCIL_SETUP, W.MS_FLAGS):
                self.writes.add(TLB)
                self.tlb |= waddr in TLB_WRITES
            elif waddr == W.VPM or waddr == W.VPMVCD_SETUP and not in_a:
                self.writes.add(VPM_WRITE)
            elif waddr == W.VPMVCD_SETUP:
                self.writes.add(VPM_READ)
            elif waddr == W.UNIFORMS_ADDRESS:
                self.writes.add(UNIFORMS)
            elif waddr != W.NOP:
                raise ValueError(f"a write to address {waddr} has no rules here")
            self.peripheral |= waddr in PERIPHERALS
        if at.cond_add not in _UNCONDITIONAL or at.cond_mul not in _UNCONDITIONAL:
            self.reads.add(FLAGS)
        if at.sf:
            self.writes.add(FLAGS)

    def _signal(self, at: Word) -> None:
        if at.sig in R4_SIGS:
            self.writes.add(R4)
            self.writes.add(TMU if at.sig in TMU_SIGS else TLB)
        elif at.sig in THREAD_SIGS:
            # What the accumulators and the flags hold is lost; the tile buffer waits for the last.
            self.writes |= {*range(R0, R5 + 1), FLAGS, TMU, TLB}
        elif at.sig == SIG.BRANCH:
            self.reads.add(FLAGS)


def _forms(at: Word) -> tuple[Word, ...]:
    """Words that do the same: moves go through either pipe, and what both files offer (uniforms,
    varyings, the VPM) comes through either port."""
    forms = [at]
    plain = at.unpack == 0 and at.pack == 0 and not at.sf
    if plain and at.op_add == A_OR and at.add_a == at.add_b and at.op_mul == M_NOP:
        forms.append(at.as_mul(M_V8MIN))
    elif plain and at.op_mul == M_V8MIN and at.mul_a == at.mul_b and at.op_add == A_NOP:
        forms.append(at.as_add(A_OR))
    for form in tuple(forms):
        swapped = form.with_other_port((QPU_R.UNIF, QPU_R.VARY, QPU_R.VPM))
        if swapped is not None:
            forms.append(swapped)
    return tuple(forms)

