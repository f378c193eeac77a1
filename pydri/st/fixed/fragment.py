# SPDX-License-Identifier: MIT
"""The fixed-function fragment program, written as nir from a FragmentKey.

In: interpolated colours, texture and fog coordinates (of a rectangle: its values, and its image's
colour or depth), fog and environment parameters from the value block. Out: the colour
(GL 2.1, 3.8 to 3.10: texturing, colour sum, then fog; the alpha test is the driver's, it stands in
DepthStencilAlpha). The fog factor is computed for each fragment. The constants lie side by side in
FragBlock, so a driver that shades later copies `const_range` at one go.
Counterpart of Mesa's ff_fragment_shader.cpp and st_nir_lower_fog.
"""

from __future__ import annotations

from pydri.main.layout import ValueBlock
from pydri.main.state.layout import FRAGMENT_CLAMPED, FRAGMENT_FREE
from pydri.nir import Builder, Shader, SSADef
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DEPTH,
    INTERP_NONE,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_FOGC,
)
from pydri.st.fixed.key import FragmentKey
from pydri.st.fixed.texture import TextureStages

LINEAR, EXP, EXP2 = 1, 2, 3
LOG2_E = 1.4426950408889634


def _fog_factor(b: Builder, mode: int) -> SSADef:
    """How much of the fragment's own colour remains, in [0, 1]."""
    coord = b.load_input(VARYING_SLOT_FOGC, 1)

    def value(name: str) -> SSADef:
        return b.load_ubo(0, ValueBlock.offset(f"frag.{name}"), 1)

    if mode == LINEAR:
        return b.fsat((value("fog_end") - coord) * value("fog_scale"))
    depth = value("fog_density") * coord
    if mode == EXP2:
        depth = depth * depth
    return b.fsat(b.fexp2(depth * -LOG2_E))


def stipple(b: Builder, faces: int) -> None:
    """Fragments where the polygon's pattern has no bit are dropped (GL 2.1, 3.5.2), of those
    `faces` (1 front, 2 back) that are filled: edges and corners have no pattern (3.5.4)."""
    place = b.load_frag_coord()
    x, y = b.f2i(place.x), b.f2i(place.y)
    row = b.ishl(b.iand(y, 31), 2)
    word = b.load_ubo(0, b.iadd(row, ValueBlock.offset("frag.stipple")), 1, "int")
    gap = b.ige(b.ishl(word, b.iand(x, 31)), 0)
    if faces != 3:
        front = b.load_front_face()
        gap = b.iand(gap, front if faces == 1 else b.inot(front))
    b.discard_if(gap)


def build_fragment(key: FragmentKey) -> Shader:
    """The program of a key."""
    b = Builder(Shader("fragment"))
    if key.stipple:
        stipple(b, key.stipple)
    if key.image == "depth":
        b.store_output(b.sysval("pixel").x, FRAG_RESULT_DEPTH)
    if not key.color:
        return b.shader
    free = bool(key.clamping & FRAGMENT_FREE)

    def last(color: SSADef) -> SSADef:
        """The result: targets of fractions clamp it by themselves."""
        return b.fsat(color) if key.clamping & FRAGMENT_CLAMPED else color

    if key.image == "color":
        color = b.sysval("pixel")
    else:
        color = b.load_input(VARYING_SLOT_COL0, 4, interp=INTERP_NONE)
    if key.combiners:
        color = TextureStages(b, key.units, color, free).run(key.combiners)
    if not key.secondary and not key.fog:
        b.store_output(last(color), FRAG_RESULT_COLOR)
        return b.shader
    rgb = color.xyz
    if key.secondary:
        rgb = rgb + b.load_input(VARYING_SLOT_COL1, 3, interp=INTERP_NONE)
        rgb = rgb if free else b.fsat(rgb)
    if key.fog:
        factor = _fog_factor(b, key.fog)
        fog = b.load_ubo(0, ValueBlock.offset("frag.fog_color"), 3)
        rgb = rgb * factor + fog * (1.0 - factor)
    b.store_output(last(b.vec(rgb, color.w)), FRAG_RESULT_COLOR)
    return b.shader

