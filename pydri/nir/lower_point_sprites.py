# SPDX-License-Identifier: MIT
"""Point sprites: texture coordinates are the place in the point: s, t, 0, 1 (GL 2.1, 3.3.1).

In: a fragment shader for points, `coords`: bit n says that VARYING_SLOT_TEX0 + n is replaced. Out:
True if it reads one of these. Counterpart of Mesa's nir_lower_texcoord_replace.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.enums import VARYING_SLOT_TEX0
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef


def run(shader: Shader, coords: int = 0) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        b = Builder(shader, function)
        replace: dict[SSADef, SSADef] = {}
        for instr in list(function.instrs()):
            if not isinstance(instr, IntrinsicInstr) or instr.name != "load_input":
                continue
            unit = instr.indices["base"] - VARYING_SLOT_TEX0
            if instr.dest is None or not 0 <= unit < 8 or not coords >> unit & 1:
                continue
            b.before(instr)
            place, first = b.sysval("point_coord"), instr.indices["component"]
            whole = [place.x, place.y, b.imm_float(0.0), b.imm_float(1.0)]
            replace[instr.dest] = b.vec(*whole[first : first + instr.dest.num_components])
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress
