# SPDX-License-Identifier: MIT
"""One uniform an instruction: the others come by moves (vc4_qir_lower_uniforms.c); and uniforms in
the order in which the program reads them (vc4_reorder_uniforms.c).

In: a compile. Out: the same. The uniform that most of these instructions read is moved first, at
the begin of each block that wants it.
"""

from __future__ import annotations

from collections import Counter

from pipe_vc4.qir.qir import QFile, QInst, QUniform, Vc4Compile


def _lowerable(inst: QInst) -> list[int]:
    """Places of uniforms that may come from a temp: not those beside texture coordinates."""
    count = inst.op.nsrc if inst.has_implicit_tex_uniform else len(inst.src)
    return [n for n in range(count) if inst.src[n].file == QFile.UNIF]


def _too_many(inst: QInst) -> bool:
    return len({src.index for src in inst.src if src.file == QFile.UNIF}) > 1 or (
        inst.has_implicit_tex_uniform and bool(_lowerable(inst))
    )


def qir_lower_uniforms(c: Vc4Compile) -> bool:
    """The pass."""
    progress = False
    while True:
        wanted: Counter[int] = Counter()
        for inst in c.instructions():
            if _too_many(inst):
                wanted.update({inst.src[n].index for n in _lowerable(inst)})
        if not wanted:
            return progress
        progress = True
        most = max(wanted.values())
        _lower(c, min(index for index, count in wanted.items() if count == most))


def _lower(c: Vc4Compile, uniform: int) -> None:
    for block in c.blocks:
        made: QInst | None = None
        for inst in tuple(block.instructions):
            places = [n for n in _lowerable(inst) if inst.src[n].index == uniform]
            if not places or not _too_many(inst):
                continue
            if made is None:
                temp = c.get_temp()
                made = c.inst("MOV", temp, inst.src[places[0]]._replace(pack=0))
                c.defs[temp.index] = made
                block.instructions.insert(0, made)
            for n in places:
                inst.src[n] = made.dst._replace(pack=inst.src[n].pack)


def qir_reorder_uniforms(c: Vc4Compile) -> None:
    """Number the uniforms by their reads: one entry of the stream for each."""
    contents: list[QUniform] = []
    data: list[int] = []
    for inst in c.instructions():
        seen: dict[int, int] = {}
        for n, src in enumerate(inst.src):
            if src.file != QFile.UNIF:
                continue
            if src.index not in seen:
                seen[src.index] = len(contents)
                contents.append(c.uniform_contents[src.index])
                data.append(c.uniform_data[src.index])
            inst.src[n] = src._replace(index=seen[src.index])
    c.set_uniforms(contents, data)
