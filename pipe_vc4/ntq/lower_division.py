# SPDX-License-Identifier: MIT
"""Divisions become products with reciprocals, of which those of one number are one.

In: nir.  Out: True if there was a division.  It is done here and not where QIR is made, since a
reciprocal takes five instructions, and nir finds what is computed twice.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import AluInstr, Shader, SSADef


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        b = Builder(shader, function)
        replace: dict[SSADef, SSADef] = {}
        for instr in function.instrs():
            if isinstance(instr, AluInstr) and instr.op.name == "fdiv":
                for src in instr.srcs:
                    src.ssa = replace.get(src.ssa, src.ssa)
                b.before(instr)
                a, c = (b.swizzle(src.ssa, src.swizzle) for src in instr.srcs)
                result = b.fmul(a, b.frcp(c))
                replace[instr.dest] = b.fsat(result) if instr.saturate else result
                instr.remove()
        function.rewrite(replace)
        progress |= bool(replace)
    return progress
