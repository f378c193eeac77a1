# SPDX-License-Identifier: MIT
"""A choice between a value and what may be anything is the value.

In: a shader.  Out: True if a choice went.  The interpreter takes zero for what may be anything, so
results may change: it is for back ends that let a shader pay for what it never wrote.
Counterpart of nir_opt_undef.c.
"""

from __future__ import annotations

from pydri.nir.ir import AluInstr, AluSrc, Shader, SSADef, Undef


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        for instr in function.instrs():
            if isinstance(instr, AluInstr) and instr.op.name == "bcsel" and not instr.saturate:
                value = _only(instr, replace)
                if value is not None:
                    replace[instr.dest] = value
                    instr.remove()
                    progress = True
        function.rewrite(replace)
    return progress


def _only(instr: AluInstr, replace: dict[SSADef, SSADef]) -> SSADef | None:
    """What a choice comes to if one of its sides may be anything."""
    for mine, other in (instr.srcs[1:], instr.srcs[:0:-1]):
        value = replace.get(mine.ssa, mine.ssa)
        nothing = replace.get(other.ssa, other.ssa)
        if isinstance(nothing.instr, Undef) and _is_whole(mine, instr):
            return value
    return None


def _is_whole(src: AluSrc, instr: AluInstr) -> bool:
    count = instr.dest.num_components
    return src.ssa.num_components == count and tuple(src.swizzle[:count]) == tuple(range(count))
