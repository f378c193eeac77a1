# SPDX-License-Identifier: MIT
"""Constants that fit become small immediates instead of uniforms (vc4_opt_small_immediates.c).

In: a compile. Out: True if something changed. The field is one, and takes the place of a register
of file B.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import SMALL_IMMEDIATES, follow_movs
from pipe_vc4.qir.qir import QFile, QInst, QReg, Vc4Compile

_LOADS = ("LOAD_IMM", "LOAD_IMM_U2", "LOAD_IMM_I2", "ROT_MUL")


def qir_opt_small_immediates(c: Vc4Compile) -> bool:
    """The pass."""
    progress = False
    for block in c.blocks:
        for inst in block.instructions:
            progress |= _one(c, inst)
    return progress


def _one(c: Vc4Compile, inst: QInst) -> bool:
    # The kernel reads the bound of a memory read out of the uniforms.
    if inst.name in ("MIN_NOIMM", "UNIFORMS_RESET", *_LOADS):
        return False
    taken = {src.index for src in inst.src if src.file == QFile.SMALL_IMM}
    progress = False
    for n in range(inst.op.nsrc):
        src = inst.src[n]
        value = c.constant(follow_movs(c, src)) if src.file != QFile.SMALL_IMM else None
        if value in SMALL_IMMEDIATES and (not taken or value in taken):
            inst.src[n] = QReg(QFile.SMALL_IMM, value or 0)
            taken.add(value or 0)
            progress = True
    return progress
