# SPDX-License-Identifier: MIT
"""Canonical key blocks: they mean what the key block means, and forget what has no effect."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest

from pydri.api import enums as gl
from pydri.main import layout as la
from pydri.main.light.layout import LIGHT_ENABLED
from pydri.main.state.layout import BlendKey
from pydri.main.textures.layout import TexEnv
from pydri.main.textures.tables import BASE_FORMATS, ENV_BASE, PACKED, TARGETS, pack
from pydri.pipe.format import COLOR_FORMATS, FORMATS, ZS_FORMATS, number
from pydri.st.draw.pipeline_state import pipeline_state
from pydri.st.draw.plan import key_difference
from tests.unit.st.st_fake import FakeContext, call

FUNCS = list(range(0x200, 0x208))
FACTORS = [0, 1, *range(0x300, 0x309), *range(0x8001, 0x8005)]
EQUATIONS = [gl.GL_FUNC_ADD] * 3 + [gl.GL_MIN, gl.GL_MAX, gl.GL_FUNC_SUBTRACT]
OPERATIONS = [0, 0x1E00, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508]
MODES = [gl.GL_POINT, gl.GL_LINE, gl.GL_FILL, gl.GL_FILL, gl.GL_FILL]
CHOICES: dict[str, list[int]] = {
    "prim": [0, 1, 2, 2, 2, 3, 4, 5, 6], "samples": [0, 0, 1, 4], "blend": [0, 1, 2, 3],
    "clamping": list(range(8)),
    "color_mask": [0x11111111 * 15, 15, 0, 0xF7, 0x19],
    "shade_model": [gl.GL_FLAT, gl.GL_SMOOTH], "polygon_front": MODES, "polygon_back": MODES,
    "clip_planes": [0, 0, 5], "sample_flags": [0, 1, 2, 4, 7, 8, 13], "render_mode": [0, 1],
    "fog_mode": [gl.GL_LINEAR, gl.GL_EXP, gl.GL_EXP2, 7],
    "fog_coord_src": [gl.GL_FOG_COORDINATE, gl.GL_FRAGMENT_DEPTH],
    "fog_distance_mode": [gl.GL_EYE_PLANE, gl.GL_EYE_RADIAL_NV, gl.GL_EYE_PLANE_ABSOLUTE_NV],
    "alpha_func": FUNCS, "depth_func": FUNCS, "blend_eq_rgb": EQUATIONS,
    "blend_eq_alpha": EQUATIONS, "blend_src_rgb": FACTORS, "blend_dst_rgb": FACTORS,
    "blend_src_alpha": FACTORS, "blend_dst_alpha": FACTORS,
    "logic_op": list(range(0x1500, 0x1510)),
    "provoking": [gl.GL_FIRST_VERTEX_CONVENTION, gl.GL_LAST_VERTEX_CONVENTION],
}  # fmt: skip
SWITCHES = (
    "fog alpha_test depth_test depth_mask stencil_test blend_apart color_logic_op color_sum "
    "point_smooth line_smooth polygon_smooth line_stipple polygon_stipple dither depth_clamp "
    "point_attenuated multisample stencil_two_side framebuffer_srgb capturing"
).split()
LIGHT = "lighting two_side local_viewer separate_specular color_material normalize".split()
VIEWS = [f.number for f in FORMATS if f.srgb and f.name[0] in "BR" and f.bits == 32]


def randomise(key: Any, pick: random.Random) -> None:
    """Any state that entry points may write."""
    for name, values in CHOICES.items():
        setattr(key, name, pick.choice(values))
    for name in SWITCHES:
        setattr(key, name, pick.randrange(2))
    key.color_format = pick.choice([0, *VIEWS, *(f.number for f in COLOR_FORMATS[:4])])
    key.zs_format = pick.choice([0, *(f.number for f in ZS_FORMATS)])
    key.other_formats[0] = pick.choice([0, 0, 0, key.color_format])
    for name in BlendKey.fields:
        setattr(key.other_blends[0], name, pick.choice(CHOICES["blend_" + name]))
    vertex = [0, 0, 0, number("R32G32B32A32_FLOAT"), number("R8G8B8A8_UNORM")]
    for slot in range(la.MAX_ATTRIBS):
        key.attrib_format[slot] = pick.choice(vertex)
    divided = [slot for slot in range(32) if key.attrib_format[slot] and pick.random() < 0.2]
    for slot in divided:
        key.attrib_divided[slot >> 3] |= 1 << (slot & 7)
    for name in LIGHT:
        setattr(key.light, name, pick.randrange(2))
    key.light.rescale_normal, key.light.specular = pick.randrange(2), pick.randrange(4)
    key.light.color_material_face = pick.choice([gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK])
    key.light.color_material_mode = pick.choice([gl.GL_AMBIENT, gl.GL_DIFFUSE, gl.GL_SPECULAR])
    for n in range(8):
        key.light.flags[n] = pick.choice([0, 0, 0, pick.randrange(32)])
    for unit in key.tex:
        if pick.random() < 0.3:
            unit.target = pick.randrange(1, len(TARGETS) + 1)
        else:
            unit.target = 0
        unit.env, unit.flags = environment(pick), pick.randrange(8)
        unit.texgen = pick.choice([0, sum(pick.randrange(6) << 3 * n for n in range(4))])
    for side in key.stencil:
        side.func = pick.choice(FUNCS)
        for name in ("fail", "zfail", "zpass"):
            setattr(side, name, pick.choice(OPERATIONS))


def environment(pick: random.Random) -> int:
    """A packed texture environment, with a base format."""
    env: Any = TexEnv.ctype()()
    for row in PACKED:
        value = pick.choice(row.values or row.numbers)
        if row.field.startswith(("source", "operand")):
            getattr(env, row.field)[row.place] = value
        else:
            setattr(env, row.field, value)
    return pack(env) | pick.randrange(len(BASE_FORMATS)) << ENV_BASE


def canonical(ctx: FakeContext) -> bytes:
    """The canonical form of the context's key block."""
    at = ctx.address + la.GLContext.offset("canonical")
    call("st_canonical", ctx.address + la.GLContext.offset("key"), at)
    return ctypes.string_at(at, la.KeyBlock.size)


@pytest.mark.parametrize("seed", range(8))
def test_it_means_the_same(seed: int) -> None:
    ctx = FakeContext()
    pick = random.Random(seed)
    for _ in range(400):
        randomise(ctx.n.key, pick)
        form = canonical(ctx)
        wanted = pipeline_state(ctx.n.key)
        got = pipeline_state(ctx.n.canonical)
        assert got == wanted, key_difference(bytes(ctx.n.key), form)
        ctx.n.key = la.KeyBlock.ctype().from_buffer_copy(form)
        assert canonical(ctx) == form  # its own canonical form


def plain() -> FakeContext:
    ctx = FakeContext()
    key = ctx.n.key
    key.color_format, key.zs_format = number("B8G8R8A8_UNORM"), number("Z24_UNORM_S8_UINT")
    key.prim = 2
    return ctx


#: what is set -> what then has no effect
WITHOUT_EFFECT: list[tuple[dict[str, int], dict[str, int]]] = [
    ({}, {"blend_src_rgb": gl.GL_DST_COLOR, "blend_eq_alpha": gl.GL_MAX, "logic_op": gl.GL_XOR}),
    ({}, {"fog_mode": gl.GL_EXP2, "fog_coord_src": gl.GL_FOG_COORDINATE}),
    ({}, {"depth_func": gl.GL_GREATER, "depth_mask": 0, "alpha_func": gl.GL_LESS}),
    ({}, {"point_smooth": 1, "line_smooth": 1, "line_stipple": 1, "dither": 0, "multisample": 1}),
    ({}, {"provoking": gl.GL_FIRST_VERTEX_CONVENTION, "stencil_two_side": 1, "sample_flags": 4}),
    ({"color_logic_op": 1, "logic_op": gl.GL_XOR}, {"blend": 1, "blend_dst_rgb": gl.GL_ONE}),
    ({"blend": 1, "blend_eq_rgb": gl.GL_MIN}, {"blend_src_rgb": gl.GL_DST_COLOR}),
    ({"blend": 1}, {"blend_apart": 1, "color_mask": 0xFF}),
    ({"color_mask": 0}, {"blend": 1, "blend_dst_rgb": gl.GL_ONE, "fog": 1, "color_sum": 1}),
    ({"zs_format": 0}, {"depth_test": 1, "stencil_test": 1, "stencil_two_side": 1}),
    ({"prim": 0}, {"polygon_front": gl.GL_LINE, "shade_model": gl.GL_FLAT, "polygon_smooth": 1}),
    ({"prim": 3}, {"clip_planes": 3, "depth_clamp": 1, "point_attenuated": 1}),
]


@pytest.mark.parametrize(("given", "change"), WITHOUT_EFFECT)
def test_what_has_no_effect_is_forgotten(given: dict[str, int], change: dict[str, int]) -> None:
    ctx = plain()
    for name, value in given.items():
        setattr(ctx.n.key, name, value)
    before = canonical(ctx)
    for name, value in change.items():
        setattr(ctx.n.key, name, value)
        assert canonical(ctx) == before, name


def test_lights_and_attributes_that_nobody_reads() -> None:
    ctx = plain()
    key = ctx.n.key
    before = canonical(ctx)
    key.light.flags[3], key.light.two_side, key.light.normalize = LIGHT_ENABLED, 1, 1
    for slot in (1, 4, 6, 31, 35):  # normal, fog, texture coordinates, edge flag, a material
        key.attrib_format[slot] = number("R32G32B32_FLOAT")
    key.attrib_divided[0] = 1 << 4
    assert canonical(ctx) == before
    key.light.lighting = 1
    lit = canonical(ctx)
    assert lit != before
    key.attrib_format[1] = 0
    assert canonical(ctx) != lit
