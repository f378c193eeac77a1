# SPDX-License-Identifier: MIT
"""Fixed-function programs, run by the nir interpreter, against GL 2.1 written down in numpy.

The state is random; the reference reads it as the program would have set it (never the derived
values), in double precision.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main import layout as la
from pydri.main.light.layout import LIGHT_ATTENUATED, LIGHT_ENABLED, LIGHT_POSITIONAL, LIGHT_SPOT
from pydri.main.matrix.layout import MAX_TEXTURE_STACK
from pydri.main.textures.layout import UNIT_MATRIX
from pydri.main.textures.tables import TARGETS
from pydri.nir import enums as ne
from pydri.nir.interp import run
from pydri.nir.validate import validate
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.st.draw.pipeline_state import pipeline_state
from tests.unit.st.st_fake import FakeContext, call

LANES = 40
F = np.float32
TRACKED = {
    gl.GL_AMBIENT: ("ambient",), gl.GL_DIFFUSE: ("diffuse",), gl.GL_SPECULAR: ("specular",),
    gl.GL_EMISSION: ("emission",), gl.GL_AMBIENT_AND_DIFFUSE: ("ambient", "diffuse"),
}  # fmt: skip
PROPERTIES = ("ambient", "diffuse", "specular", "emission", "shininess")


class Case:
    """A context in a random state, and random vertices."""

    def __init__(self, seed: int, lit: bool = True) -> None:
        self.rng = np.random.default_rng(seed)
        self.ctx = FakeContext()
        n = self.n = self.ctx.n
        self.key, self.val = n.key, n.val
        self.key.color_format, self.key.zs_format = number("B8G8R8A8_UNORM"), number("Z24X8_UNORM")
        self.key.prim = 2
        self.inputs: dict[int, np.ndarray] = {}
        modelview = np.eye(4) + self.rng.normal(0, 0.3, (4, 4))
        modelview[3] = (0, 0, 0, 1)
        modelview[2, 3] -= 4.0
        n.matrix.modelview[:16] = modelview.T.ravel().astype(F).tolist()
        n.matrix.projection[:16] = self.rng.normal(size=16).astype(F).tolist()
        self.vary(ne.VERT_ATTRIB_POS, self.rng.normal(size=(LANES, 3)), "R32G32B32_FLOAT")
        if lit:
            self.light_state()

    def flip(self, chance: float = 0.5) -> bool:
        return bool(self.rng.random() < chance)

    def vary(self, slot: int, values: np.ndarray, format: str = "R32G32B32A32_FLOAT") -> None:
        """Make an attribute vary per vertex."""
        self.inputs[slot] = np.asarray(values, F)
        self.key.attrib_format[slot] = number(format)

    def light_state(self) -> None:
        rng, key, val = self.rng, self.key.light, self.val
        key.lighting = 1
        key.two_side, key.local_viewer = self.flip(), self.flip()
        key.separate_specular, key.normalize = self.flip(), self.flip()
        key.rescale_normal = self.flip()
        self.n.raw.light_model_color_control = 0
        val.light_model_ambient[:] = rng.random(4).tolist()
        for i in range(8):
            light = val.lights[i]
            for name in ("ambient", "diffuse", "specular"):
                getattr(light, name)[:] = (rng.random(4) * 0.6).tolist()
            if not self.flip(0.4):
                continue
            flags = LIGHT_ENABLED
            w = 0.0 if self.flip() else float(rng.uniform(0.5, 2))
            light.position[:] = [*rng.normal(0, 3, 3).tolist(), w]
            flags |= LIGHT_POSITIONAL if w else 0
            light.spot_direction[:] = [*rng.normal(size=3).tolist(), 0.0]
            if self.flip():
                flags |= LIGHT_SPOT
                light.spot_cutoff = float(rng.uniform(20, 90))
                light.spot_exponent = float(rng.choice([0.0, 1.0, 17.5]))
                light.spot_cos_cutoff = float(np.cos(np.radians(light.spot_cutoff)))
            if self.flip():
                flags |= LIGHT_ATTENUATED
                light.constant_attenuation = float(rng.uniform(0.3, 2))
                light.linear_attenuation = float(rng.uniform(0, 0.5))
                light.quadratic_attenuation = float(rng.uniform(0, 0.2))
            key.flags[i] = flags
        for face in (0, 1):
            for name in PROPERTIES[:4]:
                value = np.zeros(4) if self.flip(0.2) else rng.random(4)
                getattr(val.materials[face], name)[:] = value.tolist()
            val.materials[face].shininess[0] = float(rng.choice([0.0, 5.0, 60.0]))
            black = not any(val.materials[face].specular[:3])
            key.specular |= 0 if black else 1 << face
        if self.flip(0.8):
            # Short ones: without GL_NORMALIZE a long normal's power exceeds single precision.
            normals = unit(rng.normal(size=(LANES, 3))) * rng.uniform(0.3, 0.6)
            self.vary(ne.VERT_ATTRIB_NORMAL, normals, "R32G32B32_FLOAT")
        if self.flip(0.4):
            key.color_material = 1
            key.color_material_mode = int(rng.choice(list(TRACKED)))
            faces = [gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK]
            key.color_material_face = int(rng.choice(faces))
        if self.flip():
            self.vary(ne.VERT_ATTRIB_COLOR0, rng.random((LANES, 4)))
        val.current[ne.VERT_ATTRIB_COLOR0][:] = rng.random(4).tolist()
        for attrib in range(10):
            if self.flip(0.1):
                values = rng.random((LANES, 4)) * (20 if attrib >= 8 else 1)
                self.vary(ne.VERT_ATTRIB_MAT0 + attrib, values)

    def run(self) -> tuple[Any, dict[int, np.ndarray]]:
        """The vertex program's outputs."""
        self.n.dirty = la.DIRTY_ALL & ~(la.DIRTY_FB | la.DIRTY_TARGET)
        call("st_refresh", self.ctx.address)
        state = pipeline_state(self.key)
        assert {e.slot for e in state.elements} <= set(self.inputs)
        vs = state.shader(SHADER_VERTEX)
        shader = vs.build()
        validate(shader)
        used = {slot: v for slot, v in self.inputs.items() if slot in vs.inputs}
        result = run(shader, LANES, inputs=used, ubos={0: bytes(self.val)})
        outputs = {s: v.view(F).T.copy() for s, v in result.outputs.items()}
        assert sorted(outputs) == list(state.shader(SHADER_VERTEX).outputs)
        return state, outputs

    # -- the reference
    def attribute(self, slot: int) -> np.ndarray:
        values = self.inputs.get(slot)
        if values is None:
            return np.tile(np.array(self.val.current[slot][:], float), (LANES, 1))
        full = np.tile([0.0, 0.0, 0.0, 1.0], (LANES, 1))
        full[:, : values.shape[1]] = values
        return full

    def modelview(self) -> np.ndarray:
        return np.array(self.n.matrix.modelview[:16]).reshape(4, 4).T

    def eye(self) -> np.ndarray:
        return self.attribute(ne.VERT_ATTRIB_POS) @ self.modelview().T

    def material(self, name: str, face: int) -> np.ndarray:
        key = self.key.light
        attrib = 2 * PROPERTIES.index(name) + face
        faces = {gl.GL_FRONT: (0,), gl.GL_BACK: (1,), gl.GL_FRONT_AND_BACK: (0, 1)}
        tracked = key.color_material and name in TRACKED[key.color_material_mode]
        if tracked and face in faces[key.color_material_face]:
            return self.attribute(ne.VERT_ATTRIB_COLOR0)
        if ne.VERT_ATTRIB_MAT0 + attrib in self.inputs:
            return self.inputs[ne.VERT_ATTRIB_MAT0 + attrib].astype(float)
        return np.tile(np.array(getattr(self.val.materials[face], name)[:], float), (LANES, 1))

    def normal(self) -> np.ndarray:
        inverse = np.linalg.inv(self.modelview()[:3, :3])
        n = self.attribute(ne.VERT_ATTRIB_NORMAL)[:, :3] @ inverse
        if self.key.light.normalize:
            return unit(n)
        return n / np.linalg.norm(inverse[2]) if self.key.light.rescale_normal else n

    def lighting(self, face: int) -> tuple[np.ndarray, np.ndarray]:
        """Primary and secondary colour of a face: equations 2.4 and 2.5 of GL 2.1, 2.14.1."""
        key, val = self.key.light, self.val
        n = self.normal() * (-1 if face else 1)
        v = self.eye()[:, :3] / self.eye()[:, 3:]
        a, d, s, e = (self.material(name, face) for name in PROPERTIES[:4])
        shininess = self.material("shininess", face)[:, :1]
        primary = e + a * np.array(val.light_model_ambient[:])
        secondary = np.zeros((LANES, 4))
        for i in range(8):
            flags, light = key.flags[i], val.lights[i]
            if not flags & LIGHT_ENABLED:
                continue
            p = np.array(light.position[:])
            factor = np.ones((LANES, 1))
            if p[3]:
                way = p[:3] / p[3] - v
                distance = np.linalg.norm(way, axis=1, keepdims=True)
                vp = way / distance
                if flags & LIGHT_ATTENUATED:
                    factor /= (light.constant_attenuation + light.linear_attenuation * distance
                               + light.quadratic_attenuation * distance**2)
            else:
                vp = np.tile(unit(p[:3]), (LANES, 1))
            if flags & LIGHT_SPOT:
                cosine = -(vp @ unit(np.array(light.spot_direction[:3])))[:, None]
                spot = np.maximum(cosine, 0) ** light.spot_exponent
                factor *= np.where(cosine >= light.spot_cos_cutoff, spot, 0)
            view = unit(-v) if key.local_viewer else np.array([0.0, 0.0, 1.0])
            h = unit(vp + view)
            facing = (n * vp).sum(axis=1, keepdims=True)
            half = np.maximum((n * h).sum(axis=1, keepdims=True), 0)
            shine = np.where(facing > 0, half**shininess, 0)
            primary = primary + factor * a * np.array(light.ambient[:])
            primary = primary + factor * np.maximum(facing, 0) * d * np.array(light.diffuse[:])
            secondary = secondary + factor * shine * s * np.array(light.specular[:])
        if not key.separate_specular:
            primary, secondary = primary + secondary, secondary * 0
        primary[:, 3], secondary[:, 3] = d[:, 3], 0
        return np.clip(primary, 0, 1), np.clip(secondary, 0, 1)


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@pytest.mark.parametrize("seed", range(60))
def test_lighting(seed: int) -> None:
    case = Case(seed)
    state, out = case.run()
    assert state.rast.twoside == bool(case.key.light.two_side)
    for face, (first, second) in enumerate(
        ((ne.VARYING_SLOT_COL0, ne.VARYING_SLOT_COL1), (ne.VARYING_SLOT_BFC0, ne.VARYING_SLOT_BFC1))
    ):
        if face and not case.key.light.two_side:
            assert first not in out
            continue
        primary, secondary = case.lighting(face)
        # A cone's edge may fall on either side in single precision: one vertex of 40 is forgiven.
        wrong = np.abs(out[first] - primary).max(axis=1) > 2e-3
        assert wrong.sum() <= 1, (out[first][wrong], primary[wrong])
        if second in out:
            np.testing.assert_allclose(out[second][:, :3], secondary[:, :3], atol=2e-3)
        else:
            assert not secondary.any()  # left out only where it is black


def test_position_has_one_order_of_operations() -> None:
    """Lit and unlit programs give the same bits (invariance)."""
    lit, plain = Case(3), Case(3, lit=False)
    a, b = lit.run()[1][0], plain.run()[1][0]
    assert a.tobytes() == b.tobytes()
    mvp = np.array(plain.val.mvp[:], F).reshape(4, 4)
    p = plain.attribute(0).astype(F)
    expect = mvp[0] * p[:, :1] + mvp[1] * p[:, 1:2] + mvp[2] * p[:, 2:3] + mvp[3]
    assert b.tobytes() == expect.tobytes()


@pytest.mark.parametrize("size", [2, 3, 4])
def test_position_sizes(size: int) -> None:
    case = Case(5, lit=False)
    names = {2: "R32G32_FLOAT", 3: "R32G32B32_FLOAT", 4: "R32G32B32A32_FLOAT"}
    case.vary(0, case.rng.normal(size=(LANES, size)), names[size])
    clip = case.eye() @ np.array(case.n.matrix.projection[:16]).reshape(4, 4)
    np.testing.assert_allclose(case.run()[1][0], clip, rtol=1e-4, atol=1e-4)


def test_unlit_colours_are_clamped_and_only_what_is_read_is_written() -> None:
    case = Case(7, lit=False)
    case.val.current[ne.VERT_ATTRIB_COLOR0][:] = (-1.0, 0.5, 2.0, 1.0)
    state, out = case.run()
    vs = state.shader(SHADER_VERTEX)
    assert vs.inputs == (0,) and vs.outputs == (0, ne.VARYING_SLOT_COL0)
    np.testing.assert_array_equal(out[ne.VARYING_SLOT_COL0][0], F([0, 0.5, 1, 1]))
    case.key.color_sum = 1
    case.vary(ne.VERT_ATTRIB_COLOR1, case.rng.random((LANES, 3)) * 2, "R32G32B32_FLOAT")
    state, out = case.run()
    expect = np.clip(case.inputs[ne.VERT_ATTRIB_COLOR1], 0, 1)
    np.testing.assert_array_equal(out[ne.VARYING_SLOT_COL1][:, :3], expect)
    case.key.color_mask = 0
    assert case.run()[0].shader(SHADER_VERTEX).outputs == (0,)  # depth only


@pytest.mark.parametrize("planes", [0b1, 0b10110, 0b11000000])
def test_clip_distances(planes: int) -> None:
    case = Case(11, lit=False)
    case.key.clip_planes = planes
    for i in range(8):
        case.val.clip_planes[i][:] = case.rng.normal(size=4).tolist()
    out = case.run()[1]
    for i in range(8):
        slot = ne.VARYING_SLOT_CLIP_DIST0 + i // 4
        if planes >> i & 1:
            distance = case.eye() @ np.array(case.val.clip_planes[i][:])
            np.testing.assert_allclose(out[slot][:, i % 4], distance, rtol=1e-4, atol=1e-4)


def test_point_attenuation() -> None:
    case = Case(13, lit=False)
    case.key.prim, case.key.point_attenuated = 0, 1
    case.val.point_size, case.val.point_size_min, case.val.point_size_max = 9.0, 2.0, 6.0
    case.val.point_attenuation[:3] = (0.5, 0.2, 0.1)
    state, out = case.run()
    d = np.abs(case.eye()[:, 2])  # of the eye's plane, as the peer has it
    expect = np.clip(9 * np.sqrt(1 / (0.5 + 0.2 * d + 0.1 * d * d)), 2, 6)
    np.testing.assert_allclose(out[ne.VARYING_SLOT_PSIZ][:, 0], expect, rtol=1e-4)
    assert state.rast.point_size_per_vertex
    case.key.prim = 2
    assert ne.VARYING_SLOT_PSIZ not in case.run()[1]


def test_texture_coordinates_pass() -> None:
    case = Case(17, lit=False)
    case.key.tex[1].target = TARGETS.index(gl.GL_TEXTURE_2D) + 1
    case.vary(ne.VERT_ATTRIB_TEX0 + 1, case.rng.normal(size=(LANES, 2)), "R32G32_FLOAT")
    coord = case.attribute(ne.VERT_ATTRIB_TEX0 + 1)
    np.testing.assert_array_equal(case.run()[1][ne.VARYING_SLOT_TEX0 + 1], coord.astype(F))
    case.key.tex[1].flags = UNIT_MATRIX
    base = 16 * MAX_TEXTURE_STACK
    m = case.rng.normal(size=16).astype(F)
    case.n.matrix.texture[base : base + 16] = m.tolist()
    np.testing.assert_allclose(
        case.run()[1][ne.VARYING_SLOT_TEX0 + 1], coord @ m.reshape(4, 4), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("mode", [gl.GL_LINEAR, gl.GL_EXP, gl.GL_EXP2])
@pytest.mark.parametrize("secondary", [0, 1])
@pytest.mark.parametrize("coord", [0, 1])
def test_fog_and_colour_sum(mode: int, secondary: int, coord: int) -> None:
    case = Case(19, lit=False)
    rng, frag = case.rng, case.val.frag
    case.key.fog, case.key.fog_mode, case.key.color_sum = 1, mode, secondary
    frag.fog_color[:] = rng.random(4).tolist()
    frag.fog_density, frag.fog_start, frag.fog_end = 0.3, 1.0, 6.0
    if coord:
        case.key.fog_coord_src = gl.GL_FOG_COORD
        case.vary(ne.VERT_ATTRIB_FOG, rng.uniform(0, 9, (LANES, 1)), "R32_FLOAT")
    state, out = case.run()
    c = out[ne.VARYING_SLOT_FOGC][:, 0].astype(float)
    expect = case.inputs[ne.VERT_ATTRIB_FOG][:, 0] if coord else np.abs(case.eye()[:, 2])
    np.testing.assert_allclose(c, expect, rtol=1e-4)
    color, extra = rng.random((LANES, 4)), rng.random((LANES, 3)) * secondary
    shader = state.shader(SHADER_FRAGMENT).build()
    validate(shader)
    inputs = {ne.VARYING_SLOT_COL0: color, ne.VARYING_SLOT_COL1: extra,
              ne.VARYING_SLOT_FOGC: c[:, None]}
    fs = state.shader(SHADER_FRAGMENT)
    assert {i.slot for i in fs.inputs} == {s for s in inputs if s != 2 or secondary}
    low, high = state.shader(SHADER_FRAGMENT).const_range
    constants = bytearray(ctypes.sizeof(case.val))
    constants[low:high] = bytes(case.val)[low:high]  # it reads nothing else
    result = run(shader, LANES, inputs=inputs, ubos={0: bytes(constants)})
    got = result.outputs[ne.FRAG_RESULT_COLOR].view(F).T
    factor = {
        gl.GL_LINEAR: (6 - c) / 5,
        gl.GL_EXP: np.exp(-0.3 * c),
        gl.GL_EXP2: np.exp(-((0.3 * c) ** 2)),
    }[mode]
    factor = np.clip(factor, 0, 1)[:, None]
    rgb = np.clip(color[:, :3] + extra, 0, 1)
    rgb = rgb * factor + np.array(frag.fog_color[:3]) * (1 - factor)
    np.testing.assert_allclose(got[:, :3], rgb, atol=1e-5)
    np.testing.assert_allclose(got[:, 3], color[:, 3], rtol=1e-6)
