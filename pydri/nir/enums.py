# SPDX-License-Identifier: MIT
"""Numbers that shaders and the pipeline agree on: attribute, varying and fragment-result slots.

In: nothing.  Out: integer constants, and tables of the slots' printed names (which of them a stage
has: pydri/nir/stages.py).
The values are Mesa's (src/compiler/shader_enums.h), because every text form and every tool of that
world prints them; the slots that drivers make for themselves lie above all of Mesa's.  They are
plain ints, not enum classes: this module is on the start-up path, and slots are used in arithmetic
(`VERT_ATTRIB_TEX0 + unit`) and in bit masks all day.
"""

from __future__ import annotations

from typing import Final

# ---- vertex shader inputs ---------------------------------------------------------------------
VERT_ATTRIB_POS: Final = 0
VERT_ATTRIB_NORMAL: Final = 1
VERT_ATTRIB_COLOR0: Final = 2
VERT_ATTRIB_COLOR1: Final = 3
VERT_ATTRIB_FOG: Final = 4
VERT_ATTRIB_COLOR_INDEX: Final = 5
VERT_ATTRIB_TEX0: Final = 6
VERT_ATTRIB_POINT_SIZE: Final = 14
VERT_ATTRIB_GENERIC0: Final = 15
VERT_ATTRIB_EDGEFLAG: Final = 31
#: Materials given per vertex live above the real attributes, in MAT_ATTRIB order.
VERT_ATTRIB_MAT0: Final = 32
VERT_ATTRIB_MAX: Final = 44

MAT_ATTRIB_FRONT_AMBIENT: Final = 0
MAT_ATTRIB_BACK_AMBIENT: Final = 1
MAT_ATTRIB_FRONT_DIFFUSE: Final = 2
MAT_ATTRIB_BACK_DIFFUSE: Final = 3
MAT_ATTRIB_FRONT_SPECULAR: Final = 4
MAT_ATTRIB_BACK_SPECULAR: Final = 5
MAT_ATTRIB_FRONT_EMISSION: Final = 6
MAT_ATTRIB_BACK_EMISSION: Final = 7
MAT_ATTRIB_FRONT_SHININESS: Final = 8
MAT_ATTRIB_BACK_SHININESS: Final = 9
MAT_ATTRIB_FRONT_INDEXES: Final = 10
MAT_ATTRIB_BACK_INDEXES: Final = 11
MAT_ATTRIB_MAX: Final = 12

# ---- outputs of the vertex pipeline, inputs of the fragment shader ----------------------------
VARYING_SLOT_POS: Final = 0
VARYING_SLOT_COL0: Final = 1
VARYING_SLOT_COL1: Final = 2
VARYING_SLOT_FOGC: Final = 3
VARYING_SLOT_TEX0: Final = 4
VARYING_SLOT_PSIZ: Final = 12
VARYING_SLOT_BFC0: Final = 13
VARYING_SLOT_BFC1: Final = 14
VARYING_SLOT_EDGE: Final = 15
VARYING_SLOT_CLIP_VERTEX: Final = 16
VARYING_SLOT_CLIP_DIST0: Final = 17
VARYING_SLOT_CLIP_DIST1: Final = 18
VARYING_SLOT_CULL_DIST0: Final = 19
VARYING_SLOT_CULL_DIST1: Final = 20
VARYING_SLOT_PRIMITIVE_ID: Final = 21
VARYING_SLOT_LAYER: Final = 22
VARYING_SLOT_VIEWPORT: Final = 23
VARYING_SLOT_FACE: Final = 24
VARYING_SLOT_PNTC: Final = 25
VARYING_SLOT_TESS_LEVEL_OUTER: Final = 26
VARYING_SLOT_TESS_LEVEL_INNER: Final = 27
VARYING_SLOT_VAR0: Final = 32
VARYING_SLOT_MAX: Final = 64
#: The first of DRIVER_SLOTS slots for what a driver passes to fragment shaders that it has changed.
#: Not Mesa's: its own slots end at 111 (patch outputs and 16-bit varyings lie above MAX).
VARYING_SLOT_DRIVER0: Final = 128
DRIVER_SLOTS: Final = 8

# ---- fragment shader outputs ------------------------------------------------------------------
FRAG_RESULT_DEPTH: Final = 0
FRAG_RESULT_STENCIL: Final = 1
FRAG_RESULT_COLOR: Final = 2
FRAG_RESULT_SAMPLE_MASK: Final = 3
FRAG_RESULT_DATA0: Final = 4
#: of the first colour target: what its second source of blending is (ARB_blend_func_extended)
FRAG_RESULT_DUAL_SRC: Final = 12
FRAG_RESULT_MAX: Final = 13

# ---- interpolation of a fragment input: a property of its variable ----------------------------
#: the API's default: smooth, or flat for colours under glShadeModel(GL_FLAT)
INTERP_NONE: Final = 0
INTERP_SMOOTH: Final = 1  #: perspective correct
INTERP_FLAT: Final = 2
INTERP_NOPERSPECTIVE: Final = 3
INTERP_NAMES: Final = ("NONE", "SMOOTH", "FLAT", "NOPERSPECTIVE")


def _number(prefix: str, base: int, count: int, table: dict[int, str]) -> None:
    for i in range(count):
        table[base + i] = f"{prefix}{i}"


def _names() -> tuple[dict[int, str], dict[int, str], dict[int, str]]:
    """One table of printed names per family, from the constants above."""
    vert: dict[int, str] = {}
    varying: dict[int, str] = {}
    frag: dict[int, str] = {}
    for name, value in globals().items():
        if name.startswith("VERT_ATTRIB_") and not name.endswith("_MAX"):
            vert[value] = name
        elif name.startswith("VARYING_SLOT_") and not name.endswith("_MAX"):
            varying[value] = name
        elif name.startswith("FRAG_RESULT_") and not name.endswith("_MAX"):
            frag[value] = name
    _number("VERT_ATTRIB_TEX", VERT_ATTRIB_TEX0, 8, vert)
    _number("VERT_ATTRIB_GENERIC", VERT_ATTRIB_GENERIC0, 16, vert)
    _number("VERT_ATTRIB_MAT", VERT_ATTRIB_MAT0, MAT_ATTRIB_MAX, vert)
    _number("VARYING_SLOT_TEX", VARYING_SLOT_TEX0, 8, varying)
    _number("VARYING_SLOT_VAR", VARYING_SLOT_VAR0, 32, varying)
    _number("VARYING_SLOT_DRIVER", VARYING_SLOT_DRIVER0, DRIVER_SLOTS, varying)
    _number("FRAG_RESULT_DATA", FRAG_RESULT_DATA0, 8, frag)
    return vert, varying, frag


VERT_ATTRIB_NAMES, VARYING_SLOT_NAMES, FRAG_RESULT_NAMES = _names()
