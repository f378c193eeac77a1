# SPDX-License-Identifier: MIT
"""What is made for one move only is made where the move puts it (vc4_opt_coalesce_ff_writes.c).

In: a compile. Out: True if something changed. The places are those of fixed functions (VPM, tile,
texture coordinates), and registers that several instructions write; a multiplication takes the pack
mode of the move along. The maker moves down to where the move is.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import use_counts, writes
from pipe_vc4.qir.opcodes import ADD, EITHER, MUL, SFU
from pipe_vc4.qir.qir import Cond, QBlock, QFile, QInst, Vc4Compile

_MOVES = ("MOV", "FMOV", "MMOV")
_PLACES = frozenset({
    QFile.TEMP, QFile.VPM, QFile.TLB_COLOR_WRITE, QFile.TLB_COLOR_WRITE_MS, QFile.TEX_S,
    QFile.TEX_T, QFile.TEX_R, QFile.TEX_B,
})  # fmt: skip


def qir_opt_coalesce_ff_writes(c: Vc4Compile) -> bool:
    """The pass."""
    counts = use_counts(c)
    progress = False
    for block in c.blocks:
        for move in tuple(block.instructions):
            progress |= _one(c, block, move, counts)
    return progress


def _one(c: Vc4Compile, block: QBlock, move: QInst, counts: list[int]) -> bool:
    if move.name not in _MOVES or move.sf or move.dst.file not in _PLACES:
        return False
    src = move.src[0]
    if src.file != QFile.TEMP or src.pack or counts[src.index] != 1:
        return False
    if move.dst.file == QFile.TEMP and c.defs[move.dst.index] is move:
        return False  # copies of values written once are the copy propagation's
    maker = c.defs[src.index]
    if maker is None or not _movable(c, maker, move) or maker not in block.instructions:
        return False
    at, here = block.instructions.index(maker), block.instructions.index(move)
    between = block.instructions[at + 1 : here]
    for inst in between:
        if any(s.file == QFile.TEMP and writes(inst, s.index) for s in maker.src):
            return False
    c.defs[src.index] = None
    maker.dst = move.dst
    maker.cond, maker.cond_is_exec_mask = move.cond, move.cond_is_exec_mask
    if move.has_implicit_tex_uniform:
        maker.src.append(move.src[-1])
    block.instructions.remove(maker)
    block.instructions[block.instructions.index(move)] = maker
    return True


def _movable(c: Vc4Compile, maker: QInst, move: QInst) -> bool:
    if maker.sf or maker.cond != Cond.ALWAYS or maker.dst.pack or maker.name == "UNIFORMS_RESET":
        return False
    if maker.has_side_effects or c.has_side_effect_reads(maker):
        return False
    if any(src.file == QFile.VARY for src in maker.src):
        return False
    if maker.op.pipe not in (ADD, MUL, EITHER, SFU):
        return False
    if maker.op.pipe == SFU and (move.cond != Cond.ALWAYS or move.dst.file != QFile.TEMP):
        return False
    if move.is_tex and maker.reads_uniform:
        return False  # two uniforms, of which one would be lowered again
    if move.dst.pack:
        if not maker.is_mul or move.name != "MMOV" or maker.name == "ROT_MUL":
            return False
        return not any(src.pack for src in maker.src)
    return True
