# SPDX-License-Identifier: MIT
"""Two-sided colours: a fragment of a back face reads the back colours (GL 2.1, 2.14.1).

In: a fragment shader that reads colours as slots. Out: True if it reads some. Counterpart of
nir_lower_two_sided_color.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
)
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef

#: the slot of the back colour of a front one
BACK = {VARYING_SLOT_COL0: VARYING_SLOT_BFC0, VARYING_SLOT_COL1: VARYING_SLOT_BFC1}


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        b = Builder(shader, function)
        replace: dict[SSADef, SSADef] = {}
        for instr in list(function.instrs()):
            if not isinstance(instr, IntrinsicInstr) or instr.name != "load_input":
                continue
            slot, component = instr.indices["base"], instr.indices["component"]
            if slot not in BACK or instr.dest is None:
                continue
            b.before(instr)
            width, interp = instr.dest.num_components, shader.input_interp(slot)
            sides = [
                b.load_input(one, width, component=component, interp=interp)
                for one in (slot, BACK[slot])
            ]
            replace[instr.dest] = b.bcsel(b.load_front_face(), *sides)
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress
