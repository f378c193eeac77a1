# SPDX-License-Identifier: MIT
"""Alpha of fragments that a smooth point or line covers in part (GL 2.1, 3.12).

In: a lowered fragment shader (after lower_io). Out: the same shader, whose colours have their alpha
multiplied by the fragment's coverage, and which drops fragments outside of a smooth point's disc.
Where a fragment lies comes in two inputs that smooth.py makes, linear in the window:

- LINE_COVERAGE: across the line, half of the widened width less 1, along the line, half of its
  lengthened length, in pixels from the line's middle: coverage falls to 0 within the last pixel,
  and is never more than the length;
- POINT_COVERAGE: x and y in the disc (1: its rim), the square of the radius at which coverage
  begins to fall, 1; of points with several samples a pixel: x and y in the disc, 0, and how much
  of its alpha the point keeps (GL 2.1, 3.13); the samples decide what is covered.

The inputs' default, 0 0 0 1, is full coverage: fragments of other primitives keep their alpha.
Counterpart of Mesa's nir_draw_helpers.c.
"""

from __future__ import annotations

from pipe_llvm.native import VARYING_SLOT_LINE_COVERAGE, VARYING_SLOT_POINT_COVERAGE
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DUAL_SRC,
    INTERP_NOPERSPECTIVE,
)
from pydri.nir.ir import IntrinsicInstr, Shader, SSADef


def run(
    shader: Shader, lines: bool = False, points: bool = False, fade: bool = False, whole: int = 0
) -> bool:
    """The pass, for smooth lines, smooth points or points that fade. Bit n of `whole` is set if
    target n holds whole numbers, whose alpha stays (GL 3.0, 3.12).
    """
    b = Builder(shader)
    b.at_start(next(shader.main.blocks()))
    parts = []
    if points:
        parts.append(_point(b))
    if fade:
        parts.append(b.load_input(VARYING_SLOT_POINT_COVERAGE, 4, interp=INTERP_NOPERSPECTIVE).w)
    if lines:
        parts.append(_line(b))
    if not parts:
        return False
    coverage = parts[0] if len(parts) == 1 else parts[0] * parts[1]
    for instr in list(shader.main.instrs()):
        if isinstance(instr, IntrinsicInstr) and instr.name == "store_output":
            _scale_alpha(b, instr, coverage, whole)
    return True


def _line(b: Builder) -> SSADef:
    """What a line covers: how deep the fragment lies in its sides, times the same for its ends."""
    place = b.load_input(VARYING_SLOT_LINE_COVERAGE, 4, interp=INTERP_NOPERSPECTIVE)
    across = b.fsat(place.y + 1.0 - b.fabs(place.x))
    along = b.fmin(b.fsat(place.w - b.fabs(place.z)), place.w * 2.0 - 1.0)  # at most the length
    return across * along


def _point(b: Builder) -> SSADef:
    """What a disc covers; nothing outside of it is drawn."""
    place = b.load_input(VARYING_SLOT_POINT_COVERAGE, 4, interp=INTERP_NOPERSPECTIVE)
    square = place.x * place.x + place.y * place.y
    b.discard_if(b.flt(1.0, square))
    falling = (1.0 - square) * b.frcp(1.0 - place.z)
    return b.bcsel(b.fge(place.z, square), b.imm_float(1.0), falling)


def _scale_alpha(b: Builder, store: IntrinsicInstr, coverage: SSADef, whole: int) -> None:
    slot = store.indices["base"]
    if slot != FRAG_RESULT_COLOR and slot < FRAG_RESULT_DATA0:
        return
    first = slot in (FRAG_RESULT_COLOR, FRAG_RESULT_DUAL_SRC)
    if whole >> (0 if first else slot - FRAG_RESULT_DATA0) & 1:
        return
    value = store.srcs[0]
    alpha = 3 - store.indices.get("component", 0)
    if not 0 <= alpha < value.num_components or not store.indices["wrmask"] >> alpha & 1:
        return
    b.before(store)
    parts = b.components(value)
    parts[alpha] = b.fmul(parts[alpha], coverage)  # TGSI may have moved bits of whole numbers
    store.srcs[0] = parts[0] if len(parts) == 1 else b.vec(*parts)
