# SPDX-License-Identifier: MIT
"""A block of QIR as a queue of words with one operation each (vc4_generate_code_block).

In: a block and the registers of its temps.  Out: `Entry`s in order; the scheduler makes words of
them.  Nearly all is one to one; what the hardware spreads over several words (the special function
unit, texture results, set-up of the VPM) is queued as those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pipe_vc4.emit.entry import Entry
from pipe_vc4.emit.operands import Operand, destination, fits, source
from pipe_vc4.emit.word import NO_UNIFORM
from pipe_vc4.qir.qir import (
    Cond,
    QBlock,
    QFile,
    QInst,
    QirError,
    Vc4Compile,
)
from pipe_vc4.qpu.fields import (
    QPU_A,
    QPU_ADD_A,
    QPU_ADD_B,
    QPU_M,
    QPU_MUL_A,
    QPU_MUL_B,
    QPU_MUX,
    QPU_OP_ADD,
    QPU_OP_MUL,
    QPU_R,
    QPU_RADDR_A,
    QPU_RADDR_B,
    QPU_SIG_,
    QPU_SMALL_IMM,
    QPU_SMALL_IMM_MUL_ROT,
    QPU_UPDATE_FIELD,
    QPU_W,
    QPU_WADDR_MUL,
    Field,
)
from pipe_vc4.qpu.words import (
    qpu_a_dst,
    qpu_a_MOV,
    qpu_branch,
    qpu_load_imm_i2,
    qpu_load_imm_u2,
    qpu_load_imm_ui,
    qpu_m_dst,
    qpu_m_rot,
    qpu_NOP,
    qpu_r4,
    qpu_ra,
    qpu_rb,
    qpu_reg,
    qpu_rn,
    qpu_set_cond_add,
    qpu_set_cond_mul,
    qpu_set_pack,
    qpu_set_sf,
    qpu_set_sig,
    qpu_set_unpack,
    qpu_vrsetup,
    qpu_vwsetup,
)
from pipe_vc4.registers import RESERVED

#: of the VPM's set-up words: whole rows of 32 bits, one after the other
VPM_SETUP: Final = 0x1A00
#: words of a vertex that one set-up can ask for
VPM_AT_ONCE: Final = 16
_MOVES: Final = {"MOV": QPU_A.OR, "FMOV": QPU_A.FMAX}
_SFU: Final = {
    "RCP": QPU_W.SFU_RECIP, "RSQ": QPU_W.SFU_RECIPSQRT, "EXP2": QPU_W.SFU_EXP,
    "LOG2": QPU_W.SFU_LOG,
}  # fmt: skip
_SIGNALS: Final = {
    "TEX_RESULT": QPU_SIG_.LOAD_TMU0, "TLB_COLOR_READ": QPU_SIG_.COLOR_LOAD,
}  # fmt: skip
_LOADS: Final = {
    "LOAD_IMM": qpu_load_imm_ui, "LOAD_IMM_U2": qpu_load_imm_u2, "LOAD_IMM_I2": qpu_load_imm_i2,
}  # fmt: skip
_SPECIAL: Final = {"MMOV": "V8MIN", "MIN_NOIMM": "MIN"}


class Emitter:
    """Queues the blocks of a program."""

    def __init__(self, c: Vc4Compile, temps: list[int],
                 free_accumulators: Callable[[int], list[int]]) -> None:
        self.c = c
        self.temps = temps
        self.free_accumulators = free_accumulators
        self.entries: list[Entry] = []
        self.ip = -1
        #: words of the vertex that are still to be asked for, and that have been
        self.num_inputs_remaining = c.num_inputs
        self.num_inputs_in_fifo = 0
        self.vpm_read_offset = 0
        self._last_vpm_read = -1
        #: temp -> the load that made it, and (load, reset): its constant is set in the end
        self._loads: dict[int, Entry] = {}
        self.resets: list[tuple[Entry, Entry]] = []
        self._turn = 0
        self._writes_set_up = False

    def queue(self, word: int, uniform: int = NO_UNIFORM) -> Entry:
        """Puts a word at the end."""
        entry = Entry(word, uniform)
        self.entries.append(entry)
        return entry

    def block(self, block: QBlock) -> list[Entry]:
        """The queue of a block (vc4_generate_code_block)."""
        self.entries = []
        self._loads = {}
        for inst in block.instructions:
            self.ip += 1
            self._instruction(inst)
        return self.entries

    def _instruction(self, inst: QInst) -> None:
        name = inst.name
        if name in ("FRAG_Z", "FRAG_W"):
            return  # they are in their registers already
        if name == "BRANCH":
            self.queue(qpu_branch(inst.cond, 0))
        elif name == "THRSW":
            self.queue(qpu_set_sig(qpu_NOP(), QPU_SIG_.THREAD_SWITCH))
        elif name in _SIGNALS:
            self.queue(qpu_set_sig(qpu_NOP(), _SIGNALS[name]))
            self._handle_r4_qpu_write(inst)
        elif name in _SFU:
            src = self._source(inst, 0)
            op = QPU_A.FMAX if src.unpack else QPU_A.OR
            self._alu(op, None, qpu_rb(_SFU[name]), src, src, inst)
            self._handle_r4_qpu_write(inst)
        elif name in _LOADS:
            self._load(inst)
        elif name == "ROT_MUL":
            self._rotate(inst)
        elif name == "UNIFORMS_RESET":
            self._uniforms_reset(inst)
        else:
            self._plain(inst)

    # ---- operands
    def _source(self, inst: QInst, number: int) -> Operand:
        reg = inst.src[number]
        if reg.file == QFile.VPM:
            self._setup_for_vpm_read(reg.index)
        return source(reg, self.temps)

    def _setup_for_vpm_read(self, index: int) -> None:
        """Asks for the next words of the vertex when all that were asked for are read: a new
        set-up takes effect at once, so it must not come earlier."""
        if index < self._last_vpm_read:
            raise QirError("reads of the VPM are not in order")
        self._last_vpm_read = index
        if not self.num_inputs_in_fifo:
            count = min(self.num_inputs_remaining, VPM_AT_ONCE)
            if not count:
                raise QirError("more reads of the VPM than inputs")
            word = qpu_load_imm_ui(
                qpu_vrsetup(), self.vpm_read_offset | VPM_SETUP | (count & 15) << 20)
            if self._first_vpm_access() and not self.vpm_read_offset:
                # Writes begin at the same row, and their set-up has no count: one word does both.
                word = QPU_UPDATE_FIELD(word, QPU_W.VPMVCD_SETUP, QPU_WADDR_MUL)
            self.queue(word)
            self.num_inputs_in_fifo = count
            self.num_inputs_remaining -= count
            self.vpm_read_offset += count
        self.num_inputs_in_fifo -= 1

    def _first_vpm_access(self) -> bool:
        """Whether writes still have to be set up; they have been from here on."""
        first, self._writes_set_up = not self._writes_set_up, True
        return first

    def _scratch(self, mover: Operand) -> qpu_reg:
        """A register for an operand in between."""
        free = self.free_accumulators(self.ip)
        if free:
            self._turn += 1
            return qpu_rn(free[self._turn % len(free)])
        port = mover.port
        return qpu_ra(RESERVED) if port and port[0] == QPU_MUX.B else qpu_rb(RESERVED)

    def _moved(self, operand: Operand, inst: QInst) -> Operand:
        """The operand in a scratch register, unpacked."""
        scratch = self._scratch(operand)
        op = QPU_A.FMAX if operand.unpack and inst.is_float_input else QPU_A.OR
        self._alu(op, None, scratch, operand, operand, None)
        return Operand(scratch)

    def _pair(self, one: Operand, other: Operand, inst: QInst, packs: str,
              ) -> tuple[Operand, Operand]:
        """Two operands that a word can hold (fixup_raddr_conflict)."""
        if one == other and fits(one, other, packs):
            return one, other
        if one == other:  # only the packing of the result is in the way
            moved = self._moved(one, inst)
            return moved, moved
        for first in (one, one.swapped):
            for second in (other, other.swapped):
                if first and second and fits(first, second, packs):
                    return first, second
        if one.imm < 0 and fits(Operand(qpu_rn(0)), other, packs):
            return self._moved(one, inst), other
        if other.imm < 0 and fits(one, Operand(qpu_rn(0)), packs):
            return one, self._moved(other, inst)
        # Each alone is too much: both go through accumulators or both files.
        first = self._moved(one, inst)
        second = self._moved(other, inst)
        if first.reg == second.reg:
            raise QirError(f"no scratch registers for both operands of {inst}")
        return first, second

    # ---- words
    def _word(self, fields: tuple[Field, Field], word: int, one: Operand, other: Operand) -> int:
        for operand, mux in zip((one, other), fields):
            if operand.imm >= 0:
                word = qpu_set_sig(word, QPU_SIG_.SMALL_IMM)
                word = QPU_UPDATE_FIELD(word, operand.imm, QPU_SMALL_IMM)
            elif operand.reg.mux == QPU_MUX.A:
                word = QPU_UPDATE_FIELD(word, operand.reg.addr, QPU_RADDR_A)
            elif operand.reg.mux == QPU_MUX.B:
                word = QPU_UPDATE_FIELD(word, operand.reg.addr, QPU_RADDR_B)
            word = QPU_UPDATE_FIELD(word, operand.reg.mux, mux)
        return word

    def _alu(self, add: QPU_A | None, mul: QPU_M | None, dst: qpu_reg, one: Operand,
             other: Operand, inst: QInst | None) -> Entry:
        """Queues an operation; `inst` gives the condition, packing, flags of a plain one."""
        from_add = mul is None
        if from_add:
            word = qpu_a_dst(_A_WORDS[add or QPU_A.NOP], dst)
            word = self._word((QPU_ADD_A, QPU_ADD_B), word, one, other)
        else:
            word = qpu_m_dst(_M_WORDS[mul or QPU_M.NOP], dst)
            word = self._word((QPU_MUL_A, QPU_MUL_B), word, one, other)
        pm = 0
        unpacked = one if one.unpack else other
        if unpacked.unpack:
            pm = int(unpacked.in_r4)
            word = qpu_set_unpack(word, unpacked.unpack, pm)
        plain = inst is not None and inst.op.pipe not in ("sfu", "signal")
        if inst is not None and plain and inst.dst.pack:
            word = qpu_set_pack(word, inst.dst.pack, int(not from_add))
        if inst is not None and plain:
            word = (qpu_set_cond_add if from_add else qpu_set_cond_mul)(word, inst.cond)
            if inst.sf:
                word = qpu_set_sf(word)
        streams = [op.stream[1] for op in (one, other) if op.stream and op.stream[0] == QFile.UNIF]
        uniform = streams[0] if streams else NO_UNIFORM
        if inst is not None and inst.has_implicit_tex_uniform:
            uniform = inst.src[inst.tex_uniform_src].index
        return self.queue(word, uniform)

    def _plain(self, inst: QInst) -> None:
        name = _SPECIAL.get(inst.name, inst.name)
        dst = destination(inst.dst, self.temps)
        if inst.is_raw_mov and not inst.sf and inst.src[0].file == QFile.TEMP and (
                source(inst.src[0], self.temps).reg == dst):
            return  # it is there
        one = self._source(inst, 0)
        if inst.dst.file == QFile.VPM and self._first_vpm_access():
            self.queue(qpu_load_imm_ui(qpu_vwsetup(), VPM_SETUP))
        if name == "MS_MASK":
            other, dst = Operand(qpu_ra(QPU_R.MS_REV_FLAGS)), qpu_ra(QPU_W.MS_FLAGS)
            one, other = self._pair(one, other, inst, "")
            self._alu(QPU_A.AND, None, dst, one, other, inst)
            return
        if name == "VARY_ADD_C":
            other = Operand(qpu_rn(5))
        else:
            other = self._source(inst, 1) if inst.non_sideband_nsrc == 2 else one
        packs = "" if not inst.dst.pack else "M" if inst.is_mul else "A"
        one, other = self._pair(one, other, inst, packs)
        if inst.is_mul:
            self._alu(None, QPU_M[name], dst, one, other, inst)
        elif name == "VARY_ADD_C":
            self._alu(QPU_A.FADD, None, dst, one, other, inst)
        else:
            self._alu(_MOVES.get(name) or QPU_A[name], None, dst, one, other, inst)

    def _handle_r4_qpu_write(self, inst: QInst) -> None:
        """What came in R4 goes where the result belongs, unless it belongs there."""
        dst = destination(inst.dst, self.temps)
        if dst.mux == QPU_MUX.R4:
            if inst.cond != Cond.ALWAYS or inst.dst.pack:
                raise QirError(f"{inst}: R4 is written whole and in all lanes")
            if not inst.sf:
                return
            dst = qpu_ra(QPU_W.NOP)
        elif dst == qpu_ra(QPU_W.NOP) and not inst.sf:
            return
        word = qpu_set_cond_add(qpu_a_MOV(dst, qpu_r4()), inst.cond)
        if inst.dst.pack:
            word = qpu_a_dst(_A_WORDS[QPU_A.FMAX], dst)
            word = self._word((QPU_ADD_A, QPU_ADD_B), word, *[Operand(qpu_r4())] * 2)
            word = qpu_set_pack(qpu_set_cond_add(word, inst.cond), inst.dst.pack, 0)
        self.queue(qpu_set_sf(word) if inst.sf else word)

    def _load(self, inst: QInst) -> None:
        word = _LOADS[inst.name](destination(inst.dst, self.temps), inst.src[0].index)
        word = qpu_set_cond_add(word, inst.cond)
        entry = self.queue(qpu_set_sf(word) if inst.sf else word)
        if inst.dst.file == QFile.TEMP:
            self._loads[inst.dst.index] = entry

    def _rotate(self, inst: QInst) -> None:
        src = self._source(inst, 0)
        lanes = inst.src[1].index
        if lanes >= QPU_SMALL_IMM_MUL_ROT:
            lanes -= QPU_SMALL_IMM_MUL_ROT
        word = qpu_m_rot(destination(inst.dst, self.temps), src.reg, lanes)
        word = qpu_set_cond_mul(word, inst.cond)
        if inst.dst.pack:
            word = qpu_set_pack(word, inst.dst.pack, 1)
        self.queue(qpu_set_sf(word) if inst.sf else word)

    def _uniforms_reset(self, inst: QInst) -> None:
        one, other = self._pair(self._source(inst, 0), self._source(inst, 1), inst, "")
        entry = self._alu(QPU_A.ADD, None, qpu_ra(QPU_W.UNIFORMS_ADDRESS), one, other, inst)
        load = self._loads.get(inst.src[0].index) if inst.src[0].file == QFile.TEMP else None
        if load is not None:
            self.resets.append((load, entry))


def _a_word(op: QPU_A) -> int:
    return qpu_set_cond_add(QPU_UPDATE_FIELD(qpu_NOP(), op, QPU_OP_ADD), Cond.ALWAYS)


def _m_word(op: QPU_M) -> int:
    return qpu_set_cond_mul(QPU_UPDATE_FIELD(qpu_NOP(), op, QPU_OP_MUL), Cond.ALWAYS)


_A_WORDS: Final = {op: _a_word(op) for op in QPU_A}
_M_WORDS: Final = {op: _m_word(op) for op in QPU_M}
