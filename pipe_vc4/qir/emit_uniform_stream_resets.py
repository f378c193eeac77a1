# SPDX-License-Identifier: MIT
"""Where branches meet, the stream of uniforms is set (qir_emit_uniform_stream_resets).

In: a compile after all other passes.  Out: the same.  Words read uniforms from a queue that only
goes on, so after a branch it may be anywhere: each block but the first that reads uniforms begins
by setting its address.  The entry that the address is read from is the next in the queue, wherever
that is: every such block's uniforms begin with one, and the emitter ends the stream with another
where a branch back may come from its end.
"""

from __future__ import annotations

from pipe_vc4.qir.qir import NULL, QBlock, QFile, QReg, QUniform, Vc4Compile


def _reads_uniforms(block: QBlock) -> bool:
    return any(src.file == QFile.UNIF for inst in block.instructions for src in inst.src)


def qir_emit_uniform_stream_resets(c: Vc4Compile) -> None:
    """The pass; it finds nothing to do the second time."""
    for block in c.blocks[1:]:
        if not _reads_uniforms(block) or any(
                inst.name == "UNIFORMS_RESET" for inst in block.instructions):
            continue
        temp = c.get_temp()
        load = c.inst("LOAD_IMM", temp, QReg(QFile.LOAD_IMM, 0))  # the emitter sets the value
        c.defs[temp.index] = load
        block.instructions[:0] = [
            load, c.inst("UNIFORMS_RESET", NULL, temp, c.uniform(QUniform.UNIFORMS_ADDRESS))]
