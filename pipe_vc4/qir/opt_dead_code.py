# SPDX-License-Identifier: MIT
"""Instructions whose result nobody reads go (vc4_opt_dead_code.c).

In: a compile. Out: True if something changed. Words of an attribute can be left in the VPM only
from its end on, and one word at least is read.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import drop_destination, use_counts
from pipe_vc4.qir.qir import Cond, QFile, QInst, Vc4Compile


def qir_opt_dead_code(c: Vc4Compile) -> bool:
    """The pass."""
    progress = _overwritten(c)
    used = use_counts(c)
    for block in c.blocks:
        for inst in reversed(tuple(block.instructions)):
            unread = inst.dst.file == QFile.TEMP and not used[inst.dst.index]
            if inst.dst.file != QFile.NULL and not unread or inst.has_side_effects:
                continue
            if inst.sf or _must_read(c, inst):
                if inst.dst.file == QFile.TEMP:
                    drop_destination(c, inst)
                    progress = True
                continue
            for src in inst.src:
                if src.file == QFile.VPM:
                    c.vattr_sizes[src.index // 4] -= 4
                    c.num_inputs -= 1
                elif src.file == QFile.TEMP:
                    used[src.index] -= 1
            c.remove(block, inst)
            progress = True
    return progress


def _overwritten(c: Vc4Compile) -> bool:
    """Writes of a temp that is written again, whole and in all lanes, before it is read."""
    progress = False
    for block in c.blocks:
        gone: set[int] = set()
        for inst in reversed(tuple(block.instructions)):
            if inst.dst.file == QFile.TEMP:
                temp = inst.dst.index
                if temp in gone and not inst.sf and not inst.has_side_effects:
                    if not _must_read(c, inst) and not _takes_words(inst):
                        c.remove(block, inst)
                        progress = True
                        continue
                if inst.cond == Cond.ALWAYS and inst.channels_written == 15:
                    gone.add(temp)
            gone -= {src.index for src in inst.src if src.file == QFile.TEMP}
    return progress


def _takes_words(inst: QInst) -> bool:
    return any(src.file == QFile.VPM for src in inst.src)


def _must_read(c: Vc4Compile, inst: QInst) -> bool:
    for src in inst.src:
        if src.file == QFile.VPM:
            last = c.vattr_sizes[src.index // 4] == src.index % 4 * 4 + 4
            if not last or sum(c.vattr_sizes) == 4:
                return True
        if src.file == QFile.VARY and c.input_slots[src.index].slot < 0:
            return True
    return False
