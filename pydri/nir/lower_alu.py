# SPDX-License-Identifier: MIT
"""Opcodes that a back end lacks are rebuilt from simpler ones, as their row's `lower` says.

In: a shader and `ops`, the names to lower.  Out: True if an instruction was replaced.
Lowered forms may contain opcodes that are in `ops` too; the pass repeats until none is left.
Counterpart of the lower_* options of nir_opt_algebraic.py.
"""

from __future__ import annotations

from collections.abc import Collection

from pydri.nir.builder import Builder
from pydri.nir.ir import AluInstr, Shader, SSADef


def run(shader: Shader, ops: Collection[str] = ()) -> bool:
    """The pass."""
    progress = False
    while _once(shader, ops):
        progress = True
    return progress


def _once(shader: Shader, ops: Collection[str]) -> bool:
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        b = Builder(shader, function)

        def now(value: SSADef, replace: dict[SSADef, SSADef] = replace) -> SSADef:
            return replace.get(value, value)

        for instr in function.instrs():
            if not isinstance(instr, AluInstr) or instr.op.name not in ops:
                continue
            if instr.op.lower is None:
                raise ValueError(f"opcode {instr.op.name} has no lowering")
            # What was lowered just before stands in no block any more.
            instr.map_sources(now)
            b.before(instr)
            srcs = [b.swizzle(src.ssa, src.swizzle) for src in instr.srcs]
            result: SSADef = instr.op.lower(b, *srcs)
            replace[instr.dest] = b.fsat(result) if instr.saturate else result
            instr.remove()
        function.rewrite(replace)
        progress |= bool(replace)
    return progress
