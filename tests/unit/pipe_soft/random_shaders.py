# SPDX-License-Identifier: MIT
"""Random programs for both drivers: what a GLSL program may do that fixed function never does.

Vertex shaders read generic attributes, uniform blocks and textures, loop and branch, and write
varyings of all interpolations, back colours, clip vertices and point sizes. Fragment shaders have
loops, discards, derivatives, lookups within control flow, the window place, the face, the place in
a point, depth and several colours (tests/unit/nir/lanegen.py makes the code)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DEPTH,
    INTERP_FLAT,
    INTERP_NOPERSPECTIVE,
    INTERP_SMOOTH,
    VARYING_SLOT_BFC0,
    VARYING_SLOT_CLIP_VERTEX,
    VARYING_SLOT_COL0,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_PNTC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
    VARYING_SLOT_VAR0,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_POS,
)
from pydri.nir.ir import Deref, Shader, SSADef
from pydri.pipe.format import number
from pydri.pipe.state import ShaderInput, ShaderRef, VertexElement
from tests.unit.nir.lanegen import BLOCKS, LaneGenerator
from tests.unit.pipe_llvm.sample_rig import View
from tests.unit.pipe_soft.random_textures import lookup

GENERIC = tuple(range(VERT_ATTRIB_GENERIC0 + 1, VERT_ATTRIB_GENERIC0 + 4))
ELEMENTS = tuple(
    VertexElement(slot, number("R32G32B32A32_FLOAT"))
    for slot in (VERT_ATTRIB_POS, *GENERIC, VERT_ATTRIB_EDGEFLAG)
)
_KINDS = (
    ("smooth", INTERP_SMOOTH), ("noperspective", INTERP_NOPERSPECTIVE), ("smooth", INTERP_SMOOTH),
    ("flat", INTERP_FLAT),
)  # fmt: skip
VARYINGS = tuple(
    ShaderInput(VARYING_SLOT_VAR0 + n, 4, kind) for n, (kind, _) in enumerate(_KINDS)
)
TARGETS = 3
NAME = "random"  # which the keys of shaders begin with


class StageGenerator(LaneGenerator):
    """What both stages have: lookups, and inputs of their own."""

    def __init__(self, seed: int, stage: str, views: Sequence[View]) -> None:
        super().__init__(seed)
        self.b = Builder(Shader(stage))
        self.array = self.b.local("array", types.array(types.VEC2, 3))
        self.table = self.b.local("table", types.array(types.FLOAT, 40))
        self.views = views
        self.place: SSADef

    def begin(self, place: SSADef, others: list[SSADef]) -> None:
        """Values to begin with, and variables."""
        b = self.b
        self.place = place
        self.pool += [place, *others, b.load_ubo(0, 16, 4), b.load_ubo(1, 32, 2, kind="int")]
        self.pool += [b.imm_float(1.0), b.imm_int(3), b.imm_uint(8), b.imm_bool(True)]
        self.pool += [b.f2i(place * 4.0), b.flt(place.x, 0.3)]
        for i, type_ in enumerate((types.VEC4, types.VEC3, types.INT, types.BOOL)):
            var = b.local(f"v{i}", type_)
            b.store_var(var, 0 if type_.kind != "bool" else False)
            self.vars.append(var)

    def derivative(self) -> None:
        """A derivative, or a lookup; those that look at neighbours where these are there."""
        kind = self.random.choice(["slope", "txl", "txd", "tex", "txb", "projected", "sizes"])
        together = self.together and self.b.shader.stage == "fragment"
        if kind == "slope":
            if together:
                super().derivative()
            return
        if not together and kind in ("txb", "tex", "projected", "sizes"):
            kind = "txl"
        if self.views:
            n = self.random.randrange(len(self.views))
            found = lookup(self.b, self.views[n], n, kind, self.place)
            self.pool.append(found)

    def number(self) -> SSADef:
        """Four numbers near 0 to 1, whatever was computed."""
        b = self.b
        value = b.load_var(self.vars[0]) + b.vec(*[b.load_var(Deref(self.table, (5,)))] * 4)
        return b.fsat(value * 0.125 + self.place)


class VertexGenerator(StageGenerator):
    """A vertex shader."""

    def __init__(self, seed: int, views: Sequence[View]) -> None:
        super().__init__(seed, "vertex", views)
        self.together = False

    def agreed(self) -> tuple[SSADef, bool]:
        return (self.condition(), False) if self.random.random() < 0.5 else super().agreed()

    def quad_value(self) -> SSADef:
        return self.place.x

    def make(self) -> Shader:
        b = self.b
        position = b.load_input(VERT_ATTRIB_POS, 4)
        generic = [b.load_input(slot, 4) for slot in GENERIC]
        self.begin(generic[0], generic[1:])
        self.statements(6)
        made = self.number()
        b.store_output(position, VARYING_SLOT_POS)
        for n, value in enumerate((generic[0], generic[1], made, b.load_var(self.vars[0]))):
            b.store_output(value, VARYING_SLOT_VAR0 + n)
        b.store_output(made, VARYING_SLOT_COL0)
        b.store_output(generic[1], VARYING_SLOT_BFC0)
        b.store_output(position + generic[2] * 0.25, VARYING_SLOT_CLIP_VERTEX)
        b.store_output(generic[2].x * 8.0 + 1.0, VARYING_SLOT_PSIZ)
        b.store_output(b.load_input(VERT_ATTRIB_EDGEFLAG, 1), VARYING_SLOT_EDGE)
        return b.shader


class FragmentGenerator(StageGenerator):
    """A fragment shader."""

    def __init__(self, seed: int, views: Sequence[View], depth: bool, point: bool) -> None:
        super().__init__(seed, "fragment", views)
        self.depth_written, self.point = depth, point

    def quad_value(self) -> SSADef:
        return self.b.load_input(VARYING_SLOT_VAR0 + 3, 1, interp=INTERP_FLAT)

    def make(self) -> Shader:
        b = self.b
        varying = [
            b.load_input(item.slot, 4, interp=kind) for item, (_, kind) in zip(VARYINGS, _KINDS)
        ]
        where = b.load_frag_coord()
        face = b.load_front_face()
        others = [*varying[1:], b.load_input(VARYING_SLOT_COL0, 4), face, b.b2f(face)]
        others += [b.vec(where.x * 0.03, where.y * 0.03, where.z, where.w)]
        if self.point:
            others.append(b.sysval("point_coord"))
        self.begin(varying[0], others)
        self.statements(12)
        made = self.number()
        for n in range(TARGETS):
            value = b.load_var(self.vars[0]) if n == 2 else made * varying[n] + others[-1].x * 0.1
            b.store_output(value, FRAG_RESULT_DATA0 + n)
        if self.depth_written:
            b.store_output(made.x, FRAG_RESULT_DEPTH)
        return b.shader


def vertex_shader(seed: int, views: Sequence[View]) -> ShaderRef:
    """The vertex shader of a seed."""
    slots = tuple(element.slot for element in ELEMENTS)
    outputs = (
        VARYING_SLOT_POS, VARYING_SLOT_COL0, VARYING_SLOT_BFC0, VARYING_SLOT_PSIZ,
        VARYING_SLOT_CLIP_VERTEX, VARYING_SLOT_EDGE, *(item.slot for item in VARYINGS),
    )  # fmt: skip
    return ShaderRef(
        f"{NAME} vertex {seed} {len(views)}".encode(),
        lambda: VertexGenerator(seed, views).make(), slots, outputs,
        textures=len(views),
    )  # fmt: skip


def fragment_shader(seed: int, views: Sequence[View], depth: bool, point: bool) -> ShaderRef:
    """The fragment shader of a seed."""
    inputs = (*VARYINGS, ShaderInput(VARYING_SLOT_COL0, 4, "color"))
    if point:
        inputs += (ShaderInput(VARYING_SLOT_PNTC, 2, "noperspective"),)
    outputs = tuple(range(FRAG_RESULT_DATA0, FRAG_RESULT_DATA0 + TARGETS))
    return ShaderRef(
        f"{NAME} fragment {seed} {len(views)} {depth} {point}".encode(),
        lambda: FragmentGenerator(seed, views, depth, point).make(), inputs, outputs,
        (0, BLOCKS[0]), True, depth, True, len(views), (0, BLOCKS[1]),
    )  # fmt: skip


def blocks(r: random.Random) -> dict[int, np.ndarray]:
    """What the uniform blocks hold."""
    rng = np.random.default_rng(r.randrange(1 << 30))
    out: dict[int, Any] = {}
    for block, size in BLOCKS.items():
        words = rng.integers(-3, 6, size // 4).astype(np.int32)
        words[4:8] = rng.normal(size=4).astype(np.float32).view(np.int32)
        out[block] = words
    return out
