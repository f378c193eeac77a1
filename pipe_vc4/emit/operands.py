# SPDX-License-Identifier: MIT
"""Operands of QIR as registers of the QPU, and what to do when a word cannot hold two of them.

In: sources of an instruction and the registers of the temps.  Out: `Operand`s.  A word has one port
into each file, one mode of unpacking; an immediate takes file B's port.  What does not fit is moved
into a scratch register first: an accumulator that is free there, else register 14 of the other
file, which nothing else uses (fixup_raddr_conflict).
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pipe_vc4.qir.qir import QFile, QirError, QReg
from pipe_vc4.qpu.fields import QPU_MUX, QPU_R, QPU_W
from pipe_vc4.qpu.words import (
    qpu_encode_small_immediate,
    qpu_ra,
    qpu_rb,
    qpu_reg,
    qpu_rn,
    qpu_tlbc,
    qpu_tlbc_ms,
    qpu_unif,
    qpu_vary,
)
from pipe_vc4.registers import NOP_REG, VC4_REGS

#: read addresses that both files offer (a read through both ports of a word is one read)
SHARED_READS: Final = (QPU_R.UNIF, QPU_R.VARY, QPU_R.VPM)
_SOURCES: Final = {
    QFile.NULL: qpu_rn(0), QFile.LOAD_IMM: qpu_rn(0), QFile.UNIF: qpu_unif(),
    QFile.VARY: qpu_vary(), QFile.VPM: qpu_ra(QPU_R.VPM),
    QFile.FRAG_X: qpu_ra(QPU_R.XY_PIXEL_COORD), QFile.FRAG_Y: qpu_rb(QPU_R.XY_PIXEL_COORD),
    QFile.FRAG_REV_FLAG: qpu_rb(QPU_R.MS_REV_FLAGS), QFile.QPU_ELEMENT: qpu_ra(QPU_R.ELEM_QPU),
}  # fmt: skip
_DESTINATIONS: Final = {
    QFile.NULL: qpu_ra(QPU_W.NOP), QFile.VPM: qpu_ra(QPU_W.VPM),
    QFile.TLB_COLOR_WRITE: qpu_tlbc(), QFile.TLB_COLOR_WRITE_MS: qpu_tlbc_ms(),
    QFile.TLB_Z_WRITE: qpu_ra(QPU_W.TLB_Z),
    QFile.TLB_STENCIL_SETUP: qpu_ra(QPU_W.TLB_STENCIL_SETUP),
    QFile.TEX_S_DIRECT: qpu_rb(QPU_W.TMU0_S), QFile.TEX_S: qpu_rb(QPU_W.TMU0_S),
    QFile.TEX_T: qpu_rb(QPU_W.TMU0_T), QFile.TEX_R: qpu_rb(QPU_W.TMU0_R),
    QFile.TEX_B: qpu_rb(QPU_W.TMU0_B),
}  # fmt: skip
#: what comes in an order: two reads of one word are the same read
_STREAMS: Final = (QFile.UNIF, QFile.VARY, QFile.VPM)


class Operand(NamedTuple):
    """A source: where it is read, how it is unpacked, which immediate or number in a stream."""

    reg: qpu_reg
    unpack: int = 0
    #: the code of a small immediate, or -1
    imm: int = -1
    #: (file, number) of what comes in an order
    stream: tuple[QFile, int] | None = None

    @property
    def port(self) -> tuple[int, int] | None:
        """The file whose port it takes and the address there; None: an accumulator."""
        if self.imm >= 0:
            return int(QPU_MUX.B), 64 + self.imm
        return (int(self.reg.mux), self.reg.addr) if self.reg.mux >= QPU_MUX.A else None

    @property
    def in_r4(self) -> bool:
        """It is R4, which has a mode of unpacking of its own."""
        return self.imm < 0 and self.reg.mux == QPU_MUX.R4

    @property
    def swapped(self) -> Operand | None:
        """The same through the other file's port."""
        if self.imm >= 0 or self.unpack or self.reg.mux < QPU_MUX.A:
            return None
        if self.reg.addr not in SHARED_READS:
            return None
        other = QPU_MUX.A if self.reg.mux == QPU_MUX.B else QPU_MUX.B
        return self._replace(reg=qpu_reg(other, self.reg.addr))


def register(index: int) -> qpu_reg:
    """The register of an index into VC4_REGS."""
    file, number = VC4_REGS[index]
    if file == "R":
        return qpu_rn(number)
    return qpu_ra(number) if file == "A" else qpu_rb(number)


def source(reg: QReg, temps: list[int]) -> Operand:
    """An operand of QIR; `temps`: the registers."""
    if reg.file == QFile.TEMP:
        # What nobody wrote has no value: any register will do.
        index = temps[reg.index]
        return Operand(qpu_rn(0) if index == NOP_REG else register(index),
                       0 if index == NOP_REG else reg.pack)
    if reg.file == QFile.SMALL_IMM:
        code = qpu_encode_small_immediate(reg.index)
        if code is None:
            raise QirError(f"{reg.index:#x} is no small immediate")
        return Operand(qpu_reg(QPU_MUX.B), imm=code)
    found = _SOURCES.get(reg.file)
    if found is None:
        raise QirError(f"{reg.file.name} cannot be read")
    return Operand(found, reg.pack, stream=(
        (reg.file, reg.index) if reg.file in _STREAMS else None))


def destination(reg: QReg, temps: list[int]) -> qpu_reg:
    """Where a result goes."""
    if reg.file == QFile.TEMP:
        index = temps[reg.index]
        return qpu_ra(QPU_W.NOP) if index == NOP_REG else register(index)
    found = _DESTINATIONS.get(reg.file)
    if found is None:
        raise QirError(f"{reg.file.name} cannot be written")
    return found


def fits(one: Operand, other: Operand, packs: str) -> bool:
    """Both in one word, whose result is packed on its way into file A ("A"), by the multiplier
    ("M") or not at all ("")."""
    if one.stream and other.stream and one.stream[0] == other.stream[0] and (
            one.stream != other.stream):
        return False
    if one.port and other.port and one.port[0] == other.port[0] and one.port != other.port:
        return False
    for mine, its in ((one, other), (other, one)):
        if not mine.unpack:
            continue
        if (packs == "A" and mine.in_r4) or (packs == "M" and not mine.in_r4):
            return False  # one bit says where both, packing and unpacking, are done
        same = its.unpack == mine.unpack and its.in_r4 == mine.in_r4
        caught = its.in_r4 if mine.in_r4 else its.imm < 0 and its.reg.mux == QPU_MUX.A
        if (caught or its.unpack) and not same:
            return False
    return True
