# SPDX-License-Identifier: MIT
"""Operations on constants become moves of a constant (vc4_opt_constant_folding.c).

In: a compile. Out: True if something changed. What the operation means says the table; 1/x is
folded where it is exact.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import follow_movs
from pipe_vc4.qir.opcodes import SFU
from pipe_vc4.qir.qir import QOPS, QFile, QInst, Vc4Compile
from pydri.util.lazy_numpy import np

_MOVES = ("MOV", "FMOV", "MMOV")


def qir_opt_constant_folding(c: Vc4Compile) -> bool:
    """The pass."""
    progress = False
    for inst in c.instructions():
        progress |= _fold(c, inst)
    return progress


def _fold(c: Vc4Compile, inst: QInst) -> bool:
    count = inst.op.nsrc
    if inst.op.eval is None or not count or inst.name in _MOVES or inst.dst.pack:
        return False
    if inst.dst.file == QFile.TEX_S_DIRECT or inst.sf:
        return False
    values = [c.constant(follow_movs(c, src)) for src in inst.src[:count]]
    if any(value is None for value in values):
        return False
    if inst.op.pipe == SFU and not _exact(inst, values[0] or 0):
        return False
    lanes = [np.array([value], np.uint32) for value in values]
    result = int(inst.op.eval(*lanes)[0])
    inst.src[:count] = [c.uniform_ui(result)]
    inst.op = QOPS["MOV"]
    return True


def _exact(inst: QInst, bits: int) -> bool:
    """A power of two has an exact reciprocal, which the table of the SFU has, too."""
    return inst.name == "RCP" and bits & 0x7FFFFF == 0 and 0 < bits >> 23 & 0xFF < 253
