# SPDX-License-Identifier: MIT
"""Constructors of QPU words: qpu_<INSTR>, and what sets a signal, a condition, a pack on one.

A word is an int of 64 bits. `qpu_a_<OP>(dst, src0, src1)` and `qpu_m_<OP>`: one an operation.
Each raises ValueError when its operands do not fit into one word (two registers of one file, an
accumulator that cannot be written).
"""
from __future__ import annotations

import struct
from typing import NamedTuple, Protocol

from pipe_vc4.qpu.fields import (
    QPU_A,
    QPU_ADD_A,
    QPU_ADD_B,
    QPU_BRANCH_COND,
    QPU_BRANCH_RADDR_A,
    QPU_BRANCH_REG,
    QPU_BRANCH_REL,
    QPU_BRANCH_TARGET,
    QPU_COND,
    QPU_COND_ADD,
    QPU_COND_MUL,
    QPU_GET_FIELD,
    QPU_IMM,
    QPU_LOAD_IMM_MODE,
    QPU_LOAD_IMM_MODE_,
    QPU_M,
    QPU_MUL_A,
    QPU_MUL_B,
    QPU_MUX,
    QPU_OP_ADD,
    QPU_OP_MUL,
    QPU_PACK,
    QPU_PM,
    QPU_R,
    QPU_RADDR_A,
    QPU_RADDR_B,
    QPU_SEMA,
    QPU_SEMA_DOWN,
    QPU_SET_FIELD,
    QPU_SF,
    QPU_SIG,
    QPU_SIG_,
    QPU_SMALL_IMM,
    QPU_SMALL_IMM_MUL_ROT,
    QPU_UNPACK,
    QPU_UPDATE_FIELD,
    QPU_W,
    QPU_WADDR_ADD,
    QPU_WADDR_MUL,
    QPU_WS,
    Field,
    small_immediate,
)


class qpu_reg(NamedTuple):
    """A register: an accumulator (mux R0 to R5), or an address of file A or B."""

    mux: QPU_MUX
    addr: int = 0


def qpu_rn(n: int) -> qpu_reg:
    """Accumulator `n`, 0 to 5."""
    if not 0 <= n <= 5:
        raise ValueError(f"there is no accumulator r{n}")
    return qpu_reg(QPU_MUX(n))


def qpu_ra(addr: int) -> qpu_reg:
    """Address `addr` (0 to 63) of register file A."""
    return qpu_reg(QPU_MUX.A, addr)


def qpu_rb(addr: int) -> qpu_reg:
    """Address `addr` (0 to 63) of register file B."""
    return qpu_reg(QPU_MUX.B, addr)


def qpu_r0() -> qpu_reg:
    """Accumulator 0."""
    return qpu_rn(0)


def qpu_r1() -> qpu_reg:
    """Accumulator 1."""
    return qpu_rn(1)


def qpu_r2() -> qpu_reg:
    """Accumulator 2."""
    return qpu_rn(2)


def qpu_r3() -> qpu_reg:
    """Accumulator 3."""
    return qpu_rn(3)


def qpu_r4() -> qpu_reg:
    """Accumulator 4: what the SFU, the TMUs and the tile buffer gave; it is only read."""
    return qpu_rn(4)


def qpu_r5() -> qpu_reg:
    """Accumulator 5: a varying's constant term, or a value given to many lanes."""
    return qpu_rn(5)


def qpu_vary() -> qpu_reg:
    """The next varying, without its constant term."""
    return qpu_ra(QPU_R.VARY)


def qpu_unif() -> qpu_reg:
    """The next uniform."""
    return qpu_ra(QPU_R.UNIF)


def qpu_vrsetup() -> qpu_reg:
    """The set-up of reads from the VPM."""
    return qpu_ra(QPU_W.VPMVCD_SETUP)


def qpu_vwsetup() -> qpu_reg:
    """The set-up of writes to the VPM."""
    return qpu_rb(QPU_W.VPMVCD_SETUP)


def qpu_tlbc() -> qpu_reg:
    """The tile buffer's colour, all samples of a pixel."""
    return qpu_ra(QPU_W.TLB_COLOR_ALL)


def qpu_tlbc_ms() -> qpu_reg:
    """The tile buffer's colour, one sample after the other."""
    return qpu_ra(QPU_W.TLB_COLOR_MS)


class Alu1(Protocol):
    """A constructor of one operand."""

    def __call__(self, dst: qpu_reg, src0: qpu_reg) -> int: ...


class Alu2(Protocol):
    """A constructor of two operands."""

    def __call__(self, dst: qpu_reg, src0: qpu_reg, src1: qpu_reg) -> int: ...


def qpu_NOP() -> int:
    """The word that does nothing: both operations NOP, nothing read, nothing written."""
    return (QPU_SET_FIELD(QPU_SIG_.NONE, QPU_SIG)
            | QPU_SET_FIELD(QPU_A.NOP, QPU_OP_ADD)
            | QPU_SET_FIELD(QPU_M.NOP, QPU_OP_MUL)
            | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_ADD)
            | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_MUL)
            | QPU_SET_FIELD(QPU_R.NOP, QPU_RADDR_A)
            | QPU_SET_FIELD(QPU_R.NOP, QPU_RADDR_B))


def _dst(word: int, dst: qpu_reg, waddr: Field) -> int:
    """`word` with `dst` in the add or multiply pipe's write address, and WS as its file asks."""
    if dst.mux == QPU_MUX.R4:
        raise ValueError("r4 cannot be written")
    if dst.mux < QPU_MUX.A:
        return QPU_UPDATE_FIELD(word, QPU_W.ACC0 + dst.mux, waddr)
    crosses = (dst.mux == QPU_MUX.B) == (waddr is QPU_WADDR_ADD)
    return QPU_UPDATE_FIELD(QPU_UPDATE_FIELD(word, dst.addr, waddr), crosses, QPU_WS)


def qpu_a_dst(word: int, dst: qpu_reg) -> int:
    """`word` with `dst` as what the add pipe writes."""
    return _dst(word, dst, QPU_WADDR_ADD)


def qpu_m_dst(word: int, dst: qpu_reg) -> int:
    """`word` with `dst` as what the multiply pipe writes."""
    return _dst(word, dst, QPU_WADDR_MUL)


def _src(word: int, src: qpu_reg, mux: Field) -> int:
    """`word` with `src` as an operand; ValueError when its file's address is taken."""
    word = QPU_UPDATE_FIELD(word, src.mux, mux)
    if src.mux < QPU_MUX.A:
        return word
    raddr = QPU_RADDR_A if src.mux == QPU_MUX.A else QPU_RADDR_B
    held = QPU_GET_FIELD(word, raddr)
    if held not in (QPU_R.NOP, src.addr):
        raise ValueError(f"two addresses of one file, {held} and {src.addr}, in one word")
    return QPU_UPDATE_FIELD(word, src.addr, raddr)


def qpu_a_alu2(op: QPU_A, dst: qpu_reg, src0: qpu_reg, src1: qpu_reg) -> int:
    """A word whose add pipe does `op`, always, and whose multiply pipe does nothing."""
    word = qpu_set_cond_add(QPU_UPDATE_FIELD(qpu_NOP(), op, QPU_OP_ADD), QPU_COND.ALWAYS)
    return _src(_src(qpu_a_dst(word, dst), src0, QPU_ADD_A), src1, QPU_ADD_B)


def qpu_m_alu2(op: QPU_M, dst: qpu_reg, src0: qpu_reg, src1: qpu_reg) -> int:
    """A word whose multiply pipe does `op`, always, and whose add pipe does nothing."""
    word = qpu_set_cond_mul(QPU_UPDATE_FIELD(qpu_NOP(), op, QPU_OP_MUL), QPU_COND.ALWAYS)
    return _src(_src(qpu_m_dst(word, dst), src0, QPU_MUL_A), src1, QPU_MUL_B)


def qpu_a_MOV(dst: qpu_reg, src: qpu_reg) -> int:
    """A move by the add pipe: an OR of the operand with itself."""
    return qpu_a_alu2(QPU_A.OR, dst, src, src)


def qpu_m_MOV(dst: qpu_reg, src: qpu_reg) -> int:
    """A move by the multiply pipe: the bytes' minimum of the operand with itself."""
    return qpu_m_alu2(QPU_M.V8MIN, dst, src, src)


def qpu_m_rot(dst: qpu_reg, src: qpu_reg, rotate: int) -> int:
    """A move by the multiply pipe, its lanes rotated up by `rotate` (1 to 15), or by r5 (0)."""
    if src.mux > QPU_MUX.R3 or not 0 <= rotate <= 15:
        raise ValueError("a rotation takes r0 to r3, by 1 to 15 or (0) by r5")
    word = qpu_set_sig(qpu_m_MOV(dst, src), QPU_SIG_.SMALL_IMM)
    return QPU_UPDATE_FIELD(word, QPU_SMALL_IMM_MUL_ROT + rotate, QPU_SMALL_IMM)


def _a_op2(op: QPU_A) -> Alu2:
    def alu2(dst: qpu_reg, src0: qpu_reg, src1: qpu_reg) -> int:
        return qpu_a_alu2(op, dst, src0, src1)

    return alu2


def _a_op1(op: QPU_A) -> Alu1:
    def alu1(dst: qpu_reg, src0: qpu_reg) -> int:
        return qpu_a_alu2(op, dst, src0, src0)

    return alu1


def _m_op(op: QPU_M) -> Alu2:
    def alu2(dst: qpu_reg, src0: qpu_reg, src1: qpu_reg) -> int:
        return qpu_m_alu2(op, dst, src0, src1)

    return alu2


# A function an operation, named here so that tools that read the source see them.
qpu_a_FADD = _a_op2(QPU_A.FADD)
qpu_a_FSUB = _a_op2(QPU_A.FSUB)
qpu_a_FMIN = _a_op2(QPU_A.FMIN)
qpu_a_FMAX = _a_op2(QPU_A.FMAX)
qpu_a_FMINABS = _a_op2(QPU_A.FMINABS)
qpu_a_FMAXABS = _a_op2(QPU_A.FMAXABS)
qpu_a_FTOI = _a_op1(QPU_A.FTOI)
qpu_a_ITOF = _a_op1(QPU_A.ITOF)
qpu_a_ADD = _a_op2(QPU_A.ADD)
qpu_a_SUB = _a_op2(QPU_A.SUB)
qpu_a_SHR = _a_op2(QPU_A.SHR)
qpu_a_ASR = _a_op2(QPU_A.ASR)
qpu_a_ROR = _a_op2(QPU_A.ROR)
qpu_a_SHL = _a_op2(QPU_A.SHL)
qpu_a_MIN = _a_op2(QPU_A.MIN)
qpu_a_MAX = _a_op2(QPU_A.MAX)
qpu_a_AND = _a_op2(QPU_A.AND)
qpu_a_OR = _a_op2(QPU_A.OR)
qpu_a_XOR = _a_op2(QPU_A.XOR)
qpu_a_NOT = _a_op1(QPU_A.NOT)
qpu_a_CLZ = _a_op1(QPU_A.CLZ)
qpu_a_V8ADDS = _a_op2(QPU_A.V8ADDS)
qpu_a_V8SUBS = _a_op2(QPU_A.V8SUBS)
qpu_m_FMUL = _m_op(QPU_M.FMUL)
qpu_m_MUL24 = _m_op(QPU_M.MUL24)
qpu_m_V8MULD = _m_op(QPU_M.V8MULD)
qpu_m_V8MIN = _m_op(QPU_M.V8MIN)
qpu_m_V8MAX = _m_op(QPU_M.V8MAX)
qpu_m_V8ADDS = _m_op(QPU_M.V8ADDS)
qpu_m_V8SUBS = _m_op(QPU_M.V8SUBS)


def _load_imm(dst: qpu_reg, value: int, mode: QPU_LOAD_IMM_MODE_) -> int:
    word = (QPU_SET_FIELD(QPU_SIG_.LOAD_IMM, QPU_SIG)
            | QPU_SET_FIELD(mode, QPU_LOAD_IMM_MODE)
            | QPU_SET_FIELD(QPU_COND.ALWAYS, QPU_COND_ADD)
            | QPU_SET_FIELD(QPU_COND.ALWAYS, QPU_COND_MUL)
            | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_MUL)
            | QPU_SET_FIELD(value, QPU_IMM))
    return qpu_a_dst(word, dst)


def qpu_load_imm_ui(dst: qpu_reg, value: int) -> int:
    """A load of 32 bits into all lanes."""
    return _load_imm(dst, value, QPU_LOAD_IMM_MODE_.U32)


def qpu_load_imm_f(dst: qpu_reg, value: float) -> int:
    """A load of a float into all lanes."""
    return qpu_load_imm_ui(dst, struct.unpack("<I", struct.pack("<f", value))[0])


def qpu_load_imm_u2(dst: qpu_reg, value: int) -> int:
    """A load of 0 to 3 a lane: bit n of `value` is lane n's low bit, bit 16 + n its high bit."""
    return _load_imm(dst, value, QPU_LOAD_IMM_MODE_.U2)


def qpu_load_imm_i2(dst: qpu_reg, value: int) -> int:
    """A load of -2 to 1 a lane: bit n of `value` is lane n's low bit, bit 16 + n its sign."""
    return _load_imm(dst, value, QPU_LOAD_IMM_MODE_.I2)


def qpu_semaphore(number: int, down: bool) -> int:
    """Semaphore `number` (0 to 15) up by one, or down, waiting while it is 0."""
    word = _load_imm(qpu_ra(QPU_W.NOP), 0, QPU_LOAD_IMM_MODE_.SEMA)
    return word | QPU_SET_FIELD(down, QPU_SEMA_DOWN) | QPU_SET_FIELD(number, QPU_SEMA)


def qpu_branch(cond: int, target: int) -> int:
    """A branch of `target` bytes (signed), from the word after its three delay slots."""
    return (QPU_SET_FIELD(QPU_SIG_.BRANCH, QPU_SIG)
            | QPU_SET_FIELD(cond, QPU_BRANCH_COND)
            | QPU_SET_FIELD(1, QPU_BRANCH_REL)
            | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_ADD)
            | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_MUL)
            | QPU_SET_FIELD(target & 0xFFFFFFFF, QPU_BRANCH_TARGET))


def qpu_branch_register(cond: int, addr: int, target: int = 0) -> int:
    """A branch to the address in register `addr` (0 to 31) of file A, lane 0, plus `target`."""
    word = QPU_UPDATE_FIELD(qpu_branch(cond, target), 0, QPU_BRANCH_REL)
    return QPU_UPDATE_FIELD(QPU_UPDATE_FIELD(word, 1, QPU_BRANCH_REG), addr, QPU_BRANCH_RADDR_A)


def qpu_set_sig(word: int, sig: int) -> int:
    """`word` with signal `sig`; ValueError when it has another already."""
    held = QPU_GET_FIELD(word, QPU_SIG)
    if held not in (QPU_SIG_.NONE, sig):
        raise ValueError(f"the word has signal {QPU_SIG_(held).name}")
    return QPU_UPDATE_FIELD(word, sig, QPU_SIG)


def qpu_set_cond_add(word: int, cond: int) -> int:
    """`word` whose add pipe writes where `cond` holds."""
    return QPU_UPDATE_FIELD(word, cond, QPU_COND_ADD)


def qpu_set_cond_mul(word: int, cond: int) -> int:
    """`word` whose multiply pipe writes where `cond` holds."""
    return QPU_UPDATE_FIELD(word, cond, QPU_COND_MUL)


def qpu_set_sf(word: int) -> int:
    """`word` that sets the flags: from the add pipe or, where that is NOP, from the other."""
    return QPU_UPDATE_FIELD(word, 1, QPU_SF)


def qpu_set_pack(word: int, pack: int, pm: int) -> int:
    """`word` with `pack`: into file A (pm 0), or by the multiply pipe (pm 1)."""
    return QPU_UPDATE_FIELD(QPU_UPDATE_FIELD(word, pack, QPU_PACK), pm, QPU_PM)


def qpu_set_unpack(word: int, unpack: int, pm: int) -> int:
    """`word` with `unpack`: of file A's operand (pm 0), or of r4 (pm 1)."""
    return QPU_UPDATE_FIELD(QPU_UPDATE_FIELD(word, unpack, QPU_UNPACK), pm, QPU_PM)


def qpu_cond_complement(cond: int) -> QPU_COND:
    """The condition that holds where `cond` does not."""
    return QPU_COND(cond ^ 1)


_SMALL = {struct.pack("<i" if code < 32 else "<f", small_immediate(code)): code
          for code in range(QPU_SMALL_IMM_MUL_ROT - 1, -1, -1)}


def qpu_encode_small_immediate(value: int) -> int | None:
    """The small immediate's code of 32 bits `value`, or None where there is none."""
    return _SMALL.get(struct.pack("<I", value & 0xFFFFFFFF))
