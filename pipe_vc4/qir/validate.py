# SPDX-License-Identifier: MIT
"""The rules of QIR (vc4_qir_validate.c).

In: a compile, and the name of what ran before. Out: nothing, or a QirError with the listing's line.
"""

from __future__ import annotations

from pipe_vc4.qir.qir import (
    EFFECT_FILES,
    QBlock,
    QFile,
    QInst,
    QirError,
    QStage,
    Unpack,
    Vc4Compile,
)
from pipe_vc4.qir.text import inst_text

_READ = frozenset({
    QFile.TEMP, QFile.VARY, QFile.UNIF, QFile.VPM, QFile.FRAG_X, QFile.FRAG_Y, QFile.FRAG_REV_FLAG,
    QFile.QPU_ELEMENT, QFile.LOAD_IMM, QFile.SMALL_IMM,
})  # fmt: skip
_WRITTEN = EFFECT_FILES | {QFile.NULL, QFile.TEMP, QFile.VPM}
_MUL_PACKS = frozenset({0, 3, 4, 5, 6, 7})


def qir_validate(c: Vc4Compile, after: str = "", lowered: bool = False) -> None:
    """Check everything. `lowered`: one uniform an instruction, too."""
    known = set(c.blocks)
    for block in c.blocks:
        for follow in block.successors:
            _want(follow in known, f"block {block.index} leads out of the program", after)
            _want(block in follow.predecessors, f"block {follow.index} forgot one", after)
        for place, inst in enumerate(block.instructions):
            last = place == len(block.instructions) - 1
            problem = _problem(c, block, inst, last, lowered)
            _want(not problem, f"{problem}: {inst_text(inst, c)}", after)
    for temp, found in enumerate(c.defs):
        writers = [i for i in c.instructions() if i.dst[:2] == (QFile.TEMP, temp)]
        if found is not None:
            _want(writers == [found], f"t{temp} is not written by its definition alone", after)


def _want(good: bool, problem: str, after: str) -> None:
    if not good:
        raise QirError(f"{after}: {problem}" if after else problem)


def _problem(c: Vc4Compile, block: QBlock, inst: QInst, last: bool, lowered: bool) -> str:
    if inst.name == "BRANCH":
        return "" if last and block.successors else "a branch within a block, or to nowhere"
    if len(inst.src) != inst.op.nsrc + inst.has_implicit_tex_uniform:
        return "a wrong number of sources"
    if inst.dst.file not in _WRITTEN or not inst.op.has_dst and inst.dst.file != QFile.NULL:
        return "a destination that cannot be written"
    if inst.dst.file == QFile.TEMP and inst.dst.index >= c.num_temps:
        return "a temp that there is not"
    if inst.is_mul and inst.dst.pack not in _MUL_PACKS:
        return "a pack mode that the multiplier has not"
    return _sources(c, inst, lowered)


def _sources(c: Vc4Compile, inst: QInst, lowered: bool) -> str:
    for src in inst.src:
        if src.file not in _READ:
            return f"a source that cannot be read ({src.file.name})"
        if src.file == QFile.TEMP and src.index >= c.num_temps:
            return "a temp that there is not"
        if src.file == QFile.UNIF and src.index >= len(c.uniform_contents):
            return "a uniform that there is not"
        if src.file == QFile.VARY and c.stage != QStage.FRAG:
            return "a varying outside of a fragment shader"
        if src.file == QFile.VPM and c.stage == QStage.FRAG:
            return "the VPM in a fragment shader"
        if src.pack and src.file != QFile.TEMP:
            return "something unpacked that is no register"
    if len({src.pack for src in inst.src if src.pack != Unpack.NOP}) > 1:
        return "two unpack modes"
    if len({src.index for src in inst.src if src.file == QFile.SMALL_IMM}) > 1:
        return "two small immediates"
    if inst.has_implicit_tex_uniform and inst.src[-1].file != QFile.UNIF:
        return "no uniform beside a texture coordinate"
    if lowered and len({src.index for src in inst.src if src.file == QFile.UNIF}) > 1:
        return "two uniforms"
    return ""
