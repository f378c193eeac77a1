# SPDX-License-Identifier: MIT
"""What reads an attribute's word once reads it out of the VPM itself (vc4_opt_vpm.c).

In: a compile. Out: True if something changed. The words come in order, so the reader moves to where
the word was read; its other operands must be there at that place.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import use_counts
from pipe_vc4.qir.qir import QFile, QInst, QStage, Vc4Compile

_MOVES = ("MOV", "FMOV", "MMOV")


def qir_opt_vpm(c: Vc4Compile) -> bool:
    """The pass."""
    if c.stage == QStage.FRAG or len(c.blocks) > 1:
        return False
    counts = use_counts(c)
    progress = False
    for inst in tuple(c.entry_block.instructions):
        if inst.depends_on_flags or inst.sf or inst.has_side_effects or inst.is_tex:
            continue
        if c.has_side_effect_reads(inst) or inst.op.pipe == "other":
            continue
        progress |= _one(c, inst, counts)
    return progress


def _one(c: Vc4Compile, inst: QInst, counts: list[int]) -> bool:
    if inst.dst.file == QFile.TEMP and c.defs[inst.dst.index] is not inst:
        return False
    if sum(src.file == QFile.TEMP for src in inst.src) != 1:
        return False
    for n, src in enumerate(inst.src):
        if src.file != QFile.TEMP or src.pack or counts[src.index] != 1:
            continue
        move = c.defs[src.index]
        if move is None or move.name not in _MOVES or move.src[0].file != QFile.VPM or move.sf:
            continue
        instructions = c.entry_block.instructions
        inst.src[n] = move.src[0]
        instructions.remove(inst)
        instructions[instructions.index(move)] = inst
        c.defs[src.index] = None
        return True
    return False
