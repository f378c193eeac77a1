# SPDX-License-Identifier: MIT
"""What passes ask of QIR: where copies come from, how often temps are read, small immediates.

In: a compile. Out: facts, valid until an instruction changes.
"""

from __future__ import annotations

from typing import Final

from pipe_vc4.qir.qir import NULL, QFile, QInst, QReg, Vc4Compile, float_bits

#: bits that fit into the field of a small immediate
SMALL_IMMEDIATES: Final = frozenset(
    [value & 0xFFFFFFFF for value in range(-16, 16)]
    + [float_bits(2.0**power) for power in range(-8, 8)]
)


def follow_movs(c: Vc4Compile, reg: QReg) -> QReg:
    """What a register is a copy of (qir_follow_movs)."""
    pack = reg.pack
    while reg.file == QFile.TEMP:
        found = c.defs[reg.index]
        if found is None or not found.is_raw_mov:
            break
        source = found.src[0]
        if source.file == QFile.TEMP and c.defs[source.index] is None:
            break
        if source.file not in (QFile.TEMP, QFile.UNIF, QFile.SMALL_IMM):
            break
        reg = source
    return reg._replace(pack=pack)


def use_counts(c: Vc4Compile) -> list[int]:
    """How often each temp is read."""
    counts = [0] * c.num_temps
    for block in c.blocks:
        for inst in block.instructions:
            for src in inst.src:
                if src.file == QFile.TEMP:
                    counts[src.index] += 1
    return counts


def writes(inst: QInst, temp: int) -> bool:
    """Whether it writes that temp, or a part of it."""
    return inst.dst.file == QFile.TEMP and inst.dst.index == temp


def reads(inst: QInst, temp: int) -> bool:
    """Whether it reads that temp."""
    return any(src.file == QFile.TEMP and src.index == temp for src in inst.src)


def drop_destination(c: Vc4Compile, inst: QInst) -> None:
    """What it computes is not wanted, but for flags and queues."""
    if c.defs[inst.dst.index] is inst:
        c.defs[inst.dst.index] = None
    inst.dst = NULL
