# SPDX-License-Identifier: MIT
"""What QPU words do, lane by lane, as far as random_qir uses them: beside QIR's interpreter.

In: a program's words and uniforms, and what `pipe_vc4.qir.interpreter.Machine` takes.  Out: the
same list of what was written.  Delay slots count: a branch is three words late, a thread switch and
the end two; a switch leaves rubbish in the accumulators.  Arithmetic is that of QIR's table of
operations: what is judged is where values lie, when, and how they are packed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from pipe_vc4.emit import QpuCode
from pipe_vc4.emit.word import Word
from pipe_vc4.qir.enums import QFile, QUniform, Unpack
from pipe_vc4.qir.interpreter import LANES, Fetch, Written, packed
from pipe_vc4.qir.opcodes import QOPS
from pipe_vc4.qir.qir import float_bits
from pipe_vc4.qpu.fields import QPU_A, QPU_M, QPU_R, QPU_SIG_, QPU_W, small_immediate

Arr = np.ndarray
#: where the kernel would put the uniforms
UNIFORMS_AT = 0xD0D0D0D0
_OUT = {
    QPU_W.TLB_Z: QFile.TLB_Z_WRITE, QPU_W.TLB_COLOR_ALL: QFile.TLB_COLOR_WRITE,
    QPU_W.TLB_COLOR_MS: QFile.TLB_COLOR_WRITE_MS, QPU_W.VPM: QFile.VPM,
    QPU_W.TLB_STENCIL_SETUP: QFile.TLB_STENCIL_SETUP,
}  # fmt: skip
_TEX = {
    QPU_W.TMU0_S: QFile.TEX_S, QPU_W.TMU0_T: QFile.TEX_T, QPU_W.TMU0_R: QFile.TEX_R,
    QPU_W.TMU0_B: QFile.TEX_B,
}  # fmt: skip
_SFU = {QPU_W.SFU_RECIP: "RCP", QPU_W.SFU_RECIPSQRT: "RSQ", QPU_W.SFU_EXP: "EXP2",
        QPU_W.SFU_LOG: "LOG2"}  # fmt: skip


def _all(value: int) -> Arr:
    return np.full(LANES, value & 0xFFFFFFFF, np.uint32)


def _unpacked(value: Arr, mode: int, floats: bool) -> Arr:
    """A source after an unpack mode."""
    if mode in (Unpack.U16A, Unpack.U16B):
        half = (value >> np.uint32(16 * (mode - Unpack.U16A))).astype(np.uint16)
        if floats:
            return half.view(np.float16).astype(np.float32).view(np.uint32)
        return half.view(np.int16).astype(np.int32).view(np.uint32)
    if mode == Unpack.U8D_REP:
        return (value >> np.uint32(24)) * np.uint32(0x01010101)
    if mode:
        byte = (value >> np.uint32(8 * (mode - Unpack.U8A))) & np.uint32(255)
        return (byte.astype(np.float32) / np.float32(255)).view(np.uint32) if floats else byte
    return value


class WordMachine:
    """A program of words and the state of its lanes."""

    def __init__(self, code: QpuCode, uniform: Callable[[QUniform, int], int],
                 reads: Mapping[tuple[QFile, int], Arr], fetch: Fetch | None = None) -> None:
        self.code, self.uniform, self.given, self.fetch = code, uniform, reads, fetch
        self.files = {"a": [_all(0xA0000000 + n) for n in range(32)],
                      "b": [_all(0xB0000000 + n) for n in range(32)],
                      "r": [_all(0xC0000000 + n) for n in range(6)]}
        self.files["a"][15] = _all(float_bits(1.0))
        self.flags = [np.ones(LANES, bool), np.zeros(LANES, bool)]
        self.next = {QFile.UNIF: 0, QFile.VARY: 0, QFile.VPM: 0}
        self.written: list[Written] = []
        self.results: list[Arr] = []
        self.coordinates: dict[QFile, Arr] = {}
        self.words: list[int] = []
        self.popped: dict[int, Arr] = {}
        self.updates: dict[tuple[str, int], Arr] = {}

    def run(self) -> list[Written]:
        """To the end's second delay slot."""
        at, steps = 0, 0
        jump = switch = end = -1  # words until it happens
        target = 0
        while end != 0:
            word = Word(self.code.words[at])
            if word.sig == QPU_SIG_.BRANCH:
                if self.taken(word.word >> 52 & 15):
                    offset = word.word & 0xFFFFFFFF
                    target = at + 4 + (offset - (offset >> 31 << 32)) // 8
                    jump = 4
            else:
                self.word(word)
            if word.sig in (QPU_SIG_.THREAD_SWITCH, QPU_SIG_.LAST_THREAD_SWITCH):
                switch = 3
            if word.sig == QPU_SIG_.PROG_END:
                end = 3
            jump, switch, end = jump - 1, switch - 1, end - 1
            at = target if jump == 0 else at + 1
            if switch == 0:
                self.files["r"] = [_all(0xD0000000 + n) for n in range(6)]
                self.flags = [np.arange(LANES) % 2 == 0, np.arange(LANES) % 3 == 0]
            steps += 1
            assert steps < 20000, "the program does not end"
        return self.written

    def taken(self, cond: int) -> bool:
        """Whether a branch's condition holds in any or all lanes."""
        if cond == 15:
            return True
        flag = self.flags[cond >> 2] ^ bool(cond & 1)
        return bool(flag.any() if cond & 2 else flag.all())

    def lanes(self, cond: int) -> Arr:
        """The lanes that write."""
        if cond < 2:
            return np.full(LANES, cond == 1)
        return self.flags[(cond - 2) >> 1] ^ bool(cond & 1)

    # ---- operands
    def port(self, file: str, address: int) -> Arr:
        """What comes through a port: a register, or the next of a queue (once a word)."""
        if address < 32:
            return self.files[file][address]
        if address == QPU_R.ELEM_QPU:
            return np.arange(LANES, dtype=np.uint32)
        if address == QPU_R.NOP:
            return _all(0)
        if address not in self.popped:
            stream = {QPU_R.UNIF: QFile.UNIF, QPU_R.VARY: QFile.VARY, QPU_R.VPM: QFile.VPM}[
                QPU_R(address)]
            number = self.next[stream]
            self.next[stream] += 1
            if stream == QFile.UNIF:
                contents = self.code.uniform_contents[number]
                value = (UNIFORMS_AT if contents == QUniform.UNIFORMS_ADDRESS else
                         self.uniform(contents, self.code.uniform_data[number]))
                self.popped[address] = _all(value)
            else:
                self.popped[address] = self.given[stream, number]
            if stream == QFile.VARY:
                self.updates["r", 5] = _all(0x80000000)  # the constant term: -0, nothing added
        return self.popped[address]

    def word(self, word: Word) -> None:
        """One word that is no branch."""
        self.popped, self.updates = {}, {}
        before = list(self.flags)
        add = mul = None
        if word.sig == QPU_SIG_.LOAD_IMM:
            add = mul = _all(word.word)
        else:
            a, b = self.port("a", word.raddr_a), self.immediate(word)
            if word.has_add:
                add = self.operation(word, QPU_A(word.op_add).name, word.add_a, word.add_b, a, b)
            if word.has_mul:
                mul = self.operation(word, QPU_M(word.op_mul).name, word.mul_a, word.mul_b, a, b)
                if word.sig == QPU_SIG_.SMALL_IMM and word.raddr_b >= 48:
                    mul = np.roll(mul, word.raddr_b - 48)
        for value, address, cond, in_a, by_mul in (
                (add, word.waddr_add, word.cond_add, not word.ws, False),
                (mul, word.waddr_mul, word.cond_mul, bool(word.ws), True)):
            if value is not None:
                self.result(word, value, address, self.lanes(cond), in_a, by_mul)
        if word.sf:
            source, cond = (add, word.cond_add) if add is not None else (mul, word.cond_mul)
            assert source is not None
            on = self.lanes(cond)
            self.flags = [np.where(on, source == 0, before[0]),
                          np.where(on, source >> np.uint32(31) != 0, before[1])]
        if word.sig == QPU_SIG_.LOAD_TMU0:
            self.updates["r", 4] = self.results.pop(0)
        if word.sig == QPU_SIG_.COLOR_LOAD:
            self.updates["r", 4] = self.given[QFile.TLB_COLOR_WRITE, 0]
        for (file, number), value in self.updates.items():
            self.files[file][number] = value

    def immediate(self, word: Word) -> Arr:
        """What comes as file B."""
        if word.sig != QPU_SIG_.SMALL_IMM:
            return self.port("b", word.raddr_b)
        if word.raddr_b >= 48:
            return _all(0)
        value = small_immediate(word.raddr_b)
        return _all(float_bits(value) if isinstance(value, float) else value)

    def operation(self, word: Word, name: str, mux_a: int, mux_b: int, a: Arr, b: Arr) -> Arr:
        """What one pipe makes."""
        floats = QOPS[name].float_input

        def source(mux: int) -> Arr:
            if mux == 6:
                return _unpacked(a, 0 if word.pm else word.unpack, floats)
            if mux == 7:
                return b
            value = self.files["r"][mux]
            return _unpacked(value, word.unpack, floats) if mux == 4 and word.pm else value

        if name == "FMAX" and mux_a == mux_b:
            return source(mux_a)  # a move
        sources = [source(mux_a), source(mux_b)][: QOPS[name].nsrc]
        evaluate = QOPS[name].eval
        assert evaluate is not None
        return np.asarray(evaluate(*sources)).astype(np.uint32)

    # ---- results
    def result(self, word: Word, value: Arr, address: int, lanes: Arr, in_a: bool,
               by_mul: bool) -> None:
        """To a register, or out."""
        real = word.sig != QPU_SIG_.LOAD_IMM and (
            QOPS[QPU_M(word.op_mul).name].float_output if by_mul
            else QOPS[QPU_A(word.op_add).name].float_output)
        file, number = ("a" if in_a else "b", address) if address < 32 else (
            "r", address - QPU_W.ACC0)
        if address < 36:
            old = self.files[file][number]
            packs = word.pack and (by_mul if word.pm else in_a and address < 32)
            new = packed(old, value, word.pack if packs else 0, by_mul and bool(word.pm), real)
            self.updates[file, number] = np.where(lanes, new, old)
        elif address in _OUT:
            self.written.append(Written(_OUT[QPU_W(address)], value, lanes))
        elif address in _TEX:
            self.texture(QPU_W(address), value)
        elif address in _SFU:
            evaluate = QOPS[_SFU[QPU_W(address)]].eval
            assert evaluate is not None
            self.updates["r", 4] = np.asarray(evaluate(value)).astype(np.uint32)
        elif address == QPU_W.UNIFORMS_ADDRESS:
            self.next[QFile.UNIF] = (int(value[0]) - UNIFORMS_AT) // 4
        else:
            assert address in (QPU_W.NOP, QPU_W.VPMVCD_SETUP)

    def texture(self, address: QPU_W, value: Arr) -> None:
        """A coordinate; the sample's last one starts it."""
        direct = QPU_R.UNIF in self.popped
        if not direct:
            number = self.next[QFile.UNIF]
            self.next[QFile.UNIF] += 1
            self.words.append(self.code.uniform_data[number])
        self.coordinates[QFile.TEX_S_DIRECT if direct else _TEX[address]] = value
        if address == QPU_W.TMU0_S:
            assert self.fetch is not None
            self.results.append(self.fetch(self.coordinates, self.words))
            self.coordinates, self.words = {}, []
