# SPDX-License-Identifier: MIT
"""Flags that nobody reads, or that are there already, are not set again; a move that only sets
flags goes where what it looks at can set them (vc4_opt_peephole_sf.c).

In: a compile. Out: True if something changed. No flag lives beyond its block.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import writes
from pipe_vc4.qir.opcodes import ADD, EITHER, MUL
from pipe_vc4.qir.qir import Cond, QBlock, QFile, QInst, Vc4Compile

_MOVES = ("MOV", "FMOV", "MMOV")


def qir_opt_peephole_sf(c: Vc4Compile) -> bool:
    """The pass."""
    progress = False
    for block in c.blocks:
        progress |= _unread(block)
        progress |= _by_maker(c, block)
    return progress


def _unread(block: QBlock) -> bool:
    """From the end to the beginning: flags that are read, and who sets them last."""
    progress, live = False, False
    last: QInst | None = None
    for inst in reversed(block.instructions):
        if inst.sf:
            # Flags that are set under a condition leave those of the other lanes.
            partial = inst.depends_on_flags
            if not live:
                inst.sf = False
                progress = True
            else:
                if last is not None and _same(last, inst):
                    last.sf = False
                    progress = True
                last = inst
            live = live and partial
        if last is not None and any(
            src.file == QFile.TEMP and writes(inst, src.index) for src in last.src
        ):
            last = None
        if inst.depends_on_flags:
            live = True
    return progress


def _same(a: QInst, b: QInst) -> bool:
    """Both compute one thing."""
    if a.op is not b.op or a.depends_on_flags or b.depends_on_flags or a.src != b.src:
        return False
    return not any(src.file in (QFile.VARY, QFile.VPM) for src in a.src)


def _by_maker(c: Vc4Compile, block: QBlock) -> bool:
    """`mov.sf null, t` behind what makes t."""
    progress = False
    for move in tuple(block.instructions):
        if not (move.sf and move.name in _MOVES and move.dst.file == QFile.NULL):
            continue
        src = move.src[0]
        if src.file != QFile.TEMP or src.pack or move.cond != Cond.ALWAYS:
            continue
        maker = c.defs[src.index]
        if maker is None or not _sets_flags(maker) or maker not in block.instructions:
            continue
        at, here = block.instructions.index(maker), block.instructions.index(move)
        between = block.instructions[at + 1 : here]
        if at < here and not any(i.sf or i.depends_on_flags for i in between):
            if not any(i.name == "THRSW" for i in between):
                maker.sf = True
                block.instructions.remove(move)
                progress = True
    return progress


def _sets_flags(inst: QInst) -> bool:
    return (
        inst.op.pipe in (ADD, MUL, EITHER)
        and inst.cond == Cond.ALWAYS
        and not inst.sf
        and not inst.dst.pack
        and inst.name != "ROT_MUL"
    )
