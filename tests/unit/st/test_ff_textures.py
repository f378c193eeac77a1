# SPDX-License-Identifier: MIT
"""Texture environments and coordinate generation of the fixed-function programs, run by the nir
interpreter, against the tables of GL 2.1 (3.21 to 3.24; 2.11.4) written down in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main.textures.layout import UNIT_MATRIX, UNIT_SHADOW
from pydri.main.textures.tables import (
    BASE_FORMATS,
    ENV,
    ENV_BASE,
    GEN_MODES,
    TARGETS,
    pack,
    unpack,
)
from pydri.nir import enums as ne
from pydri.nir.interp import run
from pydri.nir.validate import validate
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.st.fixed.env import combiner
from tests.unit.st.test_ff_programs import LANES, Case, F

Arr = Any
PLAIN = (gl.GL_MODULATE, gl.GL_BLEND, gl.GL_DECAL, gl.GL_REPLACE, gl.GL_ADD)


def texel_of(base: int, raw: Arr) -> Arr:
    """The texel as a base format's swizzle gives it (GL 2.1, table 3.20)."""
    r, g, b, a = raw.T
    zero, one = np.zeros_like(r), np.ones_like(r)
    rows = {
        gl.GL_RGBA: (r, g, b, a), gl.GL_RGB: (r, g, b, one), gl.GL_ALPHA: (zero, zero, zero, a),
        gl.GL_LUMINANCE: (r, r, r, one), gl.GL_LUMINANCE_ALPHA: (r, r, r, a),
        gl.GL_INTENSITY: (r, r, r, r),
    }  # fmt: skip
    return np.stack(rows[base], axis=1)


def plain(mode: int, base: int, before: Arr, texel: Arr, const: Arr) -> Arr:
    """Tables 3.21 and 3.22."""
    cp, ap, cs, as_ = before[:, :3], before[:, 3:], texel[:, :3], texel[:, 3:]
    cc, ac = const[None, :3], const[None, 3:]
    no_color, no_alpha = base == gl.GL_ALPHA, base in (gl.GL_RGB, gl.GL_LUMINANCE)
    color, alpha = cp * cs, ap * as_
    if mode == gl.GL_REPLACE:
        color, alpha = cs, as_
    elif mode == gl.GL_BLEND:
        color = cp * (1 - cs) + cc * cs
        alpha = ap * (1 - as_) + ac * as_ if base == gl.GL_INTENSITY else ap * as_
    elif mode == gl.GL_ADD:
        color = cp + cs
        alpha = ap + as_ if base == gl.GL_INTENSITY else ap * as_
    elif mode == gl.GL_DECAL:
        color = cs if base == gl.GL_RGB else cp * (1 - as_) + cs * as_
        alpha = ap
    out = np.concatenate([cp if no_color else color, ap if no_alpha else alpha], axis=1)
    return np.clip(out, 0, 1)


def argument(source: int, operand: int, sources: dict[int, Arr], size: int) -> Arr:
    """Table 3.23."""
    value = sources[source]
    from_alpha = operand in (gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
    part = value[:, 3:] if size == 1 or from_alpha else value[:, :3]
    part = np.broadcast_to(part, (LANES, size))
    inverse = operand in (gl.GL_ONE_MINUS_SRC_COLOR, gl.GL_ONE_MINUS_SRC_ALPHA)
    return 1 - part if inverse else part


def function(mode: int, combine: int, a: list[Arr]) -> Arr:
    """Table 3.24 and the extensions, unscaled."""
    four = mode == gl.GL_COMBINE4_NV
    if combine == gl.GL_REPLACE:
        return a[0]
    if combine == gl.GL_MODULATE:
        return a[0] * a[1]
    if combine in (gl.GL_ADD, gl.GL_ADD_SIGNED):
        total = a[0] * a[1] + a[2] * a[3] if four else a[0] + a[1]
        return total - 0.5 if combine == gl.GL_ADD_SIGNED else total
    if combine == gl.GL_INTERPOLATE:
        return a[0] * a[2] + a[1] * (1 - a[2])
    if combine == gl.GL_SUBTRACT:
        return a[0] - a[1]
    if combine == gl.GL_MODULATE_ADD_ATI:
        return a[0] * a[2] + a[1]
    if combine == gl.GL_MODULATE_SIGNED_ADD_ATI:
        return a[0] * a[2] + a[1] - 0.5
    if combine == gl.GL_MODULATE_SUBTRACT_ATI:
        return a[0] * a[2] - a[1]
    return np.repeat(4 * ((a[0] - 0.5) * (a[1] - 0.5)).sum(axis=1, keepdims=True), 3, axis=1)


def combined(env: Any, unit: int, sources: dict[int, Arr]) -> Arr:
    """The result of GL_COMBINE for one unit."""
    local = dict(sources)
    local[gl.GL_TEXTURE] = sources[gl.GL_TEXTURE0 + unit]
    parts = []
    for name, size in (("rgb", 3), ("alpha", 1)):
        pairs = zip(getattr(env, f"source_{name}"), getattr(env, f"operand_{name}"))
        args = [argument(source, operand, local, size) for source, operand in pairs]
        code = getattr(env, f"combine_{name}")
        old = code in (gl.GL_DOT3_RGB_EXT, gl.GL_DOT3_RGBA_EXT)
        parts.append(function(env.mode, code, args) * (1 if old else getattr(env, f"scale_{name}")))
    if env.combine_rgb in (gl.GL_DOT3_RGBA, gl.GL_DOT3_RGBA_EXT):
        pairs = zip(env.source_rgb, env.operand_rgb)
        dot = function(env.mode, gl.GL_DOT3_RGB, [argument(s, o, local, 3) for s, o in pairs])
        old = env.combine_rgb == gl.GL_DOT3_RGBA_EXT
        parts[1] = dot[:, :1] * (1 if old else env.scale_alpha)
    return np.clip(np.concatenate(parts, axis=1), 0, 1)


class Textured(Case):
    """A random primary colour and textures on some units."""

    def __init__(self, seed: int, units: int, targets: tuple[int, ...] = TARGETS) -> None:
        super().__init__(seed, lit=False)
        rng = self.rng
        self.color = rng.random((LANES, 4))
        self.coords, self.bases, self.texels = {}, {}, {}
        for unit in range(units):
            key = self.key.tex[unit]
            self.bases[unit] = BASE_FORMATS[rng.integers(6)]
            key.target = rng.integers(len(targets)) + 1
            self.coords[unit] = rng.uniform(0.5, 2, (LANES, 4))
            self.texels[unit] = texel_of(self.bases[unit], rng.random((LANES, 4)))
            self.val.frag.tex_env_color[unit][:] = rng.random(4).tolist()
            self.vary(ne.VERT_ATTRIB_TEX0 + unit, self.coords[unit])

    def environment(self, unit: int, mode: int) -> None:
        """The unit's environment as the program would have set it, random where it is combined."""
        env, rng = self.n.raw.texenv[unit], self.rng
        for row in ENV:
            if row.values or row.numbers:
                options = row.values or row.numbers
                value = options[rng.integers(len(options))]
                if row.field.startswith(("source", "operand")):
                    getattr(env, row.field)[row.place] = value
                elif row.width:
                    setattr(env, row.field, value)
        env.mode = mode
        base = BASE_FORMATS.index(self.bases[unit])
        self.key.tex[unit].env = pack(env) | base << ENV_BASE

    def texture(self, instr: Any, srcs: dict[str, Arr]) -> Arr:
        """The interpreter's sampler: the unit's texel, if the coordinates are the right ones."""
        unit = instr.texture_index
        assert instr.sampler_index == unit
        want = self.coords[unit]
        got = srcs["coord"].view(F)
        if instr.sampler_dim != "Cube":
            want = want / want[:, 3:]
        np.testing.assert_allclose(got.T, want[:, : got.shape[0]], rtol=1e-6)
        return self.texels[unit].T.astype(F)

    def draw(self) -> tuple[Any, Arr]:
        """The pipeline state, and the colour that its fragment program gives."""
        state = self.run()[0]
        shader = state.shader(SHADER_FRAGMENT).build()
        validate(shader)
        inputs = {ne.VARYING_SLOT_COL0: self.color}
        inputs |= {ne.VARYING_SLOT_TEX0 + u: c for u, c in self.coords.items()}
        low, high = state.shader(SHADER_FRAGMENT).const_range
        block = bytearray(bytes(self.val))
        for at in (*range(low), *range(high, len(block))):
            block[at] = 0xFF  # a NaN: what lies outside of the range may not be read
        result = run(shader, LANES, inputs=inputs, ubos={0: bytes(block)}, texture=self.texture)
        return state, result.output(ne.FRAG_RESULT_COLOR)


@pytest.mark.parametrize("mode", PLAIN)
@pytest.mark.parametrize("base", BASE_FORMATS)
def test_plain_modes(mode: int, base: int) -> None:
    case = Textured(mode * 7 + base, 1)
    case.bases[0] = base
    case.texels[0] = texel_of(base, case.rng.random((LANES, 4)))
    case.environment(0, mode)
    const = np.array(case.val.frag.tex_env_color[0][:])
    color = case.draw()[1]
    if mode == gl.GL_DECAL and base not in (gl.GL_RGB, gl.GL_RGBA):
        expect = case.color  # undefined; the colour stays, and nothing is sampled
    else:
        expect = plain(mode, base, case.color, case.texels[0], const)
    np.testing.assert_allclose(color, expect, atol=2e-6)


@pytest.mark.parametrize("seed", range(60))
def test_random_combinations(seed: int) -> None:
    case = Textured(1000 + seed, 3)
    sources: dict[int, Arr] = {
        gl.GL_PRIMARY_COLOR: case.color,
        gl.GL_ZERO: np.zeros((LANES, 4)), gl.GL_ONE: np.ones((LANES, 4)),
    }  # fmt: skip
    for unit in range(8):
        off = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (LANES, 4))
        sources[gl.GL_TEXTURE0 + unit] = case.texels.get(unit, off)
    color = case.color
    for unit in range(3):
        mode = (*PLAIN, gl.GL_COMBINE, gl.GL_COMBINE, gl.GL_COMBINE4_NV)[case.rng.integers(8)]
        if mode == gl.GL_DECAL and case.bases[unit] not in (gl.GL_RGB, gl.GL_RGBA):
            mode = gl.GL_MODULATE
        case.environment(unit, mode)
        const = np.array(case.val.frag.tex_env_color[unit][:])
        sources[gl.GL_PREVIOUS] = color
        sources[gl.GL_CONSTANT] = np.broadcast_to(const, (LANES, 4))
        if mode in PLAIN:
            color = plain(mode, case.bases[unit], color, case.texels[unit], const)
        else:
            color = combined(case.n.raw.texenv[unit], unit, sources)
    np.testing.assert_allclose(case.draw()[1], color, atol=2e-5)


def test_packed_environments_say_what_the_enums_say() -> None:
    case = Textured(5, 1)
    for _ in range(50):
        case.environment(0, gl.GL_COMBINE)
        env = case.n.raw.texenv[0]
        found = unpack(case.key.tex[0].env, 0)
        for name in ("source_rgb", "source_alpha", "operand_rgb", "operand_alpha"):
            assert found[name] == list(getattr(env, name))
        assert found["combine_rgb"] == [env.combine_rgb]
        assert found["scale_alpha"] == [env.scale_alpha]


def test_equal_meanings_are_one_program() -> None:
    """What a function does not read makes no other program, and GL_COMBINE may say GL_MODULATE."""
    case = Textured(6, 1)
    env = case.n.raw.texenv[0]
    packed = pack(env)
    env.source_rgb[3] = env.source_rgb[2] = gl.GL_ONE
    env.combine_rgb = gl.GL_REPLACE
    assert combiner(0, packed) == combiner(0, pack(env))
    env.mode = env.combine_rgb = env.combine_alpha = gl.GL_COMBINE
    env.combine_rgb = env.combine_alpha = gl.GL_MODULATE
    env.source_rgb[:2] = env.source_alpha[:2] = (gl.GL_PREVIOUS, gl.GL_TEXTURE)
    assert combiner(0, packed) == combiner(0, pack(env))


def test_textures_that_none_reads_are_not_in_the_program() -> None:
    case = Textured(7, 2)
    for unit, mode in ((0, gl.GL_MODULATE), (1, gl.GL_REPLACE)):
        case.bases[unit] = gl.GL_ALPHA
        case.environment(unit, mode)
    case.key.color_mask = 8
    # colour and two sets of coordinates
    assert len(case.draw()[0].shader(SHADER_FRAGMENT).inputs) == 3
    case.environment(1, gl.GL_DECAL)
    assert len(case.draw()[0].shader(SHADER_FRAGMENT).inputs) == 2
    case.key.color_mask = 0
    assert case.run()[0].shader(SHADER_FRAGMENT).inputs == ()


def test_comparison_and_plain_coordinates() -> None:
    """A texture that compares gets r; two coordinates without q are not divided."""
    case = Textured(8, 1)
    case.key.tex[0].target = TARGETS.index(gl.GL_TEXTURE_2D) + 1
    case.environment(0, gl.GL_MODULATE)
    seen: list[tuple[bool, set[str], int]] = []

    def texture(instr: Any, srcs: dict[str, Arr]) -> Arr:
        if "comparator" in srcs:
            want = (case.coords[0] / case.coords[0][:, 3:])[:, 2]
            np.testing.assert_allclose(srcs["comparator"].view(F)[0], want, rtol=1e-6)
        seen.append((instr.is_shadow, set(srcs), srcs["coord"].shape[0]))
        return np.ones((4, LANES), F)

    case.texture = texture  # type: ignore[method-assign]
    case.key.tex[0].flags = UNIT_SHADOW
    case.draw()
    case.key.tex[0].flags = 0
    case.vary(ne.VERT_ATTRIB_TEX0, case.coords[0][:, :2], "R32G32_FLOAT")
    state = case.draw()[0]
    assert seen == [(True, {"coord", "comparator"}, 2), (False, {"coord"}, 2)]
    assert state.shader(SHADER_FRAGMENT).inputs[1].components == 2


@pytest.mark.parametrize("seed", range(12))
def test_generated_coordinates(seed: int) -> None:
    case = Textured(2000 + seed, 2)
    rng = case.rng
    case.vary(ne.VERT_ATTRIB_NORMAL, rng.normal(size=(LANES, 3)), "R32G32B32_FLOAT")
    case.key.light.normalize = seed & 1
    expect = {}
    eye = case.eye()
    way = eye[:, :3] / np.linalg.norm(eye[:, :3], axis=1, keepdims=True)
    matrix = np.array(case.n.matrix.modelview[:16]).reshape(4, 4).T[:3, :3]
    normal = case.inputs[ne.VERT_ATTRIB_NORMAL].astype(float) @ np.linalg.inv(matrix)
    if seed & 1:
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    r = way - 2 * normal * (normal * way).sum(axis=1, keepdims=True)
    m = 2 * np.sqrt(r[:, 0] ** 2 + r[:, 1] ** 2 + (r[:, 2] + 1) ** 2)
    position = np.concatenate(
        [case.inputs[ne.VERT_ATTRIB_POS].astype(float), np.ones((LANES, 1))], axis=1
    )
    allowed = (GEN_MODES, GEN_MODES, [k for k in GEN_MODES if k != gl.GL_SPHERE_MAP],
               (gl.GL_OBJECT_LINEAR, gl.GL_EYE_LINEAR))
    for unit in range(2):
        case.environment(unit, gl.GL_REPLACE)
        coords = case.coords[unit].copy()
        bits = 0
        for k in range(4):
            if rng.random() < 0.2:
                continue
            mode = allowed[k][rng.integers(len(allowed[k]))]
            bits |= (GEN_MODES.index(mode) + 1) << 3 * k
            planes = rng.normal(size=(2, 4)).astype(F)
            for n in range(2):
                at = 2 * unit + n
                case.val.texgen[at][4 * k : 4 * k + 4] = planes[n].tolist()
            coords[:, k] = {
                gl.GL_OBJECT_LINEAR: position @ planes[0],
                gl.GL_EYE_LINEAR: eye @ planes[1],
                gl.GL_SPHERE_MAP: r[:, min(k, 1)] / m + 0.5,
                gl.GL_REFLECTION_MAP: r[:, min(k, 2)],
                gl.GL_NORMAL_MAP: normal[:, min(k, 2)],
            }[mode]
        case.key.tex[unit].texgen = bits
        case.key.tex[unit].env = pack(case.n.raw.texenv[unit])
        expect[unit] = coords
    case.key.tex[1].flags = 0
    out = case.run()[1]
    for unit, coords in expect.items():
        np.testing.assert_allclose(out[ne.VARYING_SLOT_TEX0 + unit], coords, rtol=2e-3, atol=2e-3)
    assert UNIT_MATRIX == 1
