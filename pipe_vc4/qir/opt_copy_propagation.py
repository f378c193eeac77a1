# SPDX-License-Identifier: MIT
"""Sources are read where they were copied from (vc4_opt_copy_propagation.c).

In: a compile. Out: True if something changed. A copy of what is written once may be read through
anywhere; others within their block, until one side is written again.
"""

from __future__ import annotations

from pipe_vc4.qir.qir import Cond, QFile, QInst, Vc4Compile

_MOVES = ("MOV", "FMOV", "MMOV")


def qir_opt_copy_propagation(c: Vc4Compile) -> bool:
    """The pass."""
    progress = False
    for block in c.blocks:
        here: dict[int, QInst] = {}
        for inst in block.instructions:
            progress |= _propagate(c, inst, here)
            if inst.dst.file == QFile.TEMP:
                _kill(here, inst.dst.index)
                if _is_copy(inst):
                    here[inst.dst.index] = inst
    return progress


def _is_copy(inst: QInst | None) -> bool:
    return (
        inst is not None
        and inst.name in _MOVES
        and inst.dst.file == QFile.TEMP
        and inst.src[0].file in (QFile.TEMP, QFile.UNIF)
        and not inst.dst.pack
        and inst.cond == Cond.ALWAYS
        and inst.src[0][:2] != inst.dst[:2]
    )


def _kill(here: dict[int, QInst], temp: int) -> None:
    for copied, inst in list(here.items()):
        if copied == temp or inst.src[0][:2] == (QFile.TEMP, temp):
            del here[copied]


def _propagate(c: Vc4Compile, inst: QInst, here: dict[int, QInst]) -> bool:
    progress = False
    for n, src in enumerate(inst.src):
        if src.file != QFile.TEMP:
            continue
        move = here.get(src.index)
        if move is None:
            move = c.defs[src.index]
            if move is None or not _is_copy(move):
                continue
            source = move.src[0]
            if source.file == QFile.TEMP and c.defs[source.index] is None:
                continue
        source = move.src[0]
        if inst.name == "ROT_MUL" and (source.file != QFile.TEMP or source.pack):
            continue  # what is rotated comes from an accumulator
        if source.pack and not _may_unpack(inst, move, src.pack):
            continue
        if not source.pack:
            source = source._replace(pack=src.pack)
        if src.pack and source.file != QFile.TEMP:
            continue  # only registers are unpacked
        inst.src[n] = source
        progress = True
    return progress


def _may_unpack(inst: QInst, move: QInst, pack: int) -> bool:
    """One unpack mode fits into an instruction, and has the meaning that the operation gives it;
    a pack mode beside it would want another bit to be set.
    """
    if pack or inst.dst.pack or inst.is_float_input != move.is_float_input:
        return False
    if inst.op.pipe in ("other", "sfu") or inst.op.writes_r4:
        return False
    return not any(other.pack for other in inst.src)
