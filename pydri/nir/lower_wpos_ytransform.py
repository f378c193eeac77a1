# SPDX-License-Identifier: MIT
"""Window coordinates and derivatives as a language counts them, whatever the surface does.

In: a fragment shader that reads the fragment's place or derivatives along y; `offset`: where in
block 0 four floats lie, scale and bias, so that y of the window = y of the surface * scale + bias,
and the same for y counted from the top; `upper`: that is wanted; `integer`: the centre of the first
pixel is 0, 0 (ARB_fragment_coord_conventions). Out: the same in window space. Counterpart of
nir_lower_wpos_ytransform.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.instr import AluInstr, IntrinsicInstr
from pydri.nir.ir import Shader, SSADef

_DERIVATIVES = ("fddy", "fddy_coarse", "fddy_fine")


def run(
    shader: Shader, offset: int = 0, upper: bool = False, integer: bool = False
) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        b = Builder(shader, function)
        for instr in list(function.instrs()):
            if isinstance(instr, IntrinsicInstr) and instr.name == "load_frag_coord":
                b.before(instr)
                new = _place(b, offset + 8 if upper else offset, integer)
            elif isinstance(instr, AluInstr) and instr.op.name in _DERIVATIVES:
                b.before(instr)
                source = b.swizzle(instr.srcs[0].ssa, instr.srcs[0].swizzle)
                raw = b.alu(instr.op.name, source)
                new = b.fmul(raw, b.load_ubo(0, offset, 1))
            else:
                continue
            assert instr.dest is not None
            replace[instr.dest] = new
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress


def _place(b: Builder, offset: int, integer: bool) -> SSADef:
    place, numbers = b.load_frag_coord(), b.load_ubo(0, offset, 2)
    x, y = place.x, place.y * numbers.x + numbers.y
    if integer:
        x, y = x - 0.5, y - 0.5
    return b.vec(x, y, place.z, place.w)
