# SPDX-License-Identifier: MIT
"""Lights, materials, colour material, fog: all four forms, transformation, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.main.light.layout import LIGHT_ATTENUATED, LIGHT_ENABLED, LIGHT_POSITIONAL, LIGHT_SPOT
from tests.unit.main.test_state import unchanged

F = np.float32


def vec(*values: float) -> np.ndarray:
    return np.array(values, F)


def light(gl: Any, number: int, pname: int, count: int = 4) -> list[float]:
    out = np.zeros(count, F)
    gl.glGetLightfv(e.GL_LIGHT0 + number, pname, out)
    return out.tolist()


def material(gl: Any, face: int, pname: int, count: int = 4) -> list[float]:
    out = np.zeros(count, F)
    gl.glGetMaterialfv(face, pname, out)
    return out.tolist()


def test_light_defaults(gl: Any) -> None:
    assert light(gl, 0, e.GL_DIFFUSE) == [1, 1, 1, 1] and light(gl, 1, e.GL_DIFFUSE) == [0, 0, 0, 1]
    assert light(gl, 3, e.GL_POSITION) == [0, 0, 1, 0] and light(gl, 3, e.GL_SPOT_DIRECTION, 3) == [
        0,
        0,
        -1,
    ]
    assert light(gl, 0, e.GL_SPOT_CUTOFF, 1) == [180] and light(
        gl, 0, e.GL_CONSTANT_ATTENUATION, 1
    ) == [1]


def test_position_and_direction_are_taken_to_eye_space(gl: Any) -> None:
    m = np.random.default_rng(3).normal(size=(4, 4))
    gl.glLoadMatrixd(np.ascontiguousarray(m.T))
    p = vec(1, -2, 3, 0.5)
    gl.glLightfv(e.GL_LIGHT2, e.GL_POSITION, p)
    assert np.allclose(light(gl, 2, e.GL_POSITION), m @ p, rtol=1e-5)
    gl.glLightfv(e.GL_LIGHT2, e.GL_SPOT_DIRECTION, p[:3].copy())
    assert np.allclose(light(gl, 2, e.GL_SPOT_DIRECTION, 3), m[:3, :3] @ p[:3], rtol=1e-5)
    gl.glLightiv(e.GL_LIGHT2, e.GL_POSITION, np.array([1, 2, 3, 0], np.int32))
    assert np.allclose(light(gl, 2, e.GL_POSITION), m @ [1, 2, 3, 0], rtol=1e-5)


def test_light_flags_follow_the_parameters(gl: Any) -> None:
    flags = gl.n.key.light.flags
    number = e.GL_LIGHT1
    gl.glEnable(number)
    assert flags[1] == LIGHT_ENABLED
    gl.glLightfv(number, e.GL_POSITION, vec(0, 0, 1, 1))
    assert flags[1] == LIGHT_ENABLED | LIGHT_POSITIONAL
    gl.glLightf(number, e.GL_SPOT_CUTOFF, 60.0)
    assert flags[1] == LIGHT_ENABLED | LIGHT_POSITIONAL | LIGHT_SPOT
    assert abs(gl.n.val.lights[1].spot_cos_cutoff - 0.5) < 1e-6
    gl.glLighti(number, e.GL_LINEAR_ATTENUATION, 2)
    gl.glDisable(number)
    assert flags[1] == LIGHT_POSITIONAL | LIGHT_SPOT | LIGHT_ATTENUATED
    gl.glLightf(number, e.GL_LINEAR_ATTENUATION, 0.0)
    gl.glLightf(number, e.GL_SPOT_CUTOFF, 180.0)
    gl.glLightfv(number, e.GL_POSITION, vec(0, 0, 1, 0))
    assert flags[1] == 0


def test_light_colours_in_integers(gl: Any) -> None:
    gl.glLightiv(
        e.GL_LIGHT0, e.GL_AMBIENT, np.array([0x7FFFFFFF, -0x80000000, 0, 0x40000000], np.int32)
    )
    assert np.allclose(light(gl, 0, e.GL_AMBIENT), [1, -1, 0, 0.5], atol=1e-6)
    out = np.zeros(4, np.int32)
    gl.glGetLightiv(e.GL_LIGHT0, e.GL_AMBIENT, out)
    assert out[0] == 0x7FFFFFFF and out[1] == -0x7FFFFFFF


def test_light_errors(gl: Any) -> None:
    for pname, bad in (
        (e.GL_SPOT_EXPONENT, -1),
        (e.GL_SPOT_EXPONENT, 128.5),
        (e.GL_SPOT_CUTOFF, 91),
        (e.GL_SPOT_CUTOFF, -1),
        (e.GL_CONSTANT_ATTENUATION, -1),
        (e.GL_LINEAR_ATTENUATION, -1),
        (e.GL_QUADRATIC_ATTENUATION, -0.1),
    ):
        unchanged(gl, e.GL_INVALID_VALUE, "glLightf", e.GL_LIGHT0, pname, bad)
    for pname in (e.GL_POSITION, e.GL_AMBIENT, e.GL_SPOT_DIRECTION):
        gl.glLightf(e.GL_LIGHT0, pname, 1.0)  # the other components are 0, as with Mesa
        gl.glLighti(e.GL_LIGHT0, pname, 0x7FFFFFFF)
        assert gl.error() == 0
    unchanged(gl, e.GL_INVALID_ENUM, "glLightfv", e.GL_LIGHT0 + 8, e.GL_AMBIENT, vec(0, 0, 0, 0))
    unchanged(gl, e.GL_INVALID_ENUM, "glLightfv", e.GL_LIGHT0, 5, vec(0, 0, 0, 0))
    unchanged(gl, e.GL_INVALID_ENUM, "glGetLightfv", e.GL_LIGHT0, 5, vec(0, 0, 0, 0))


def test_light_model(gl: Any) -> None:
    gl.glLightModelfv(e.GL_LIGHT_MODEL_AMBIENT, vec(0.5, 2, -1, 1))
    assert gl.floats(e.GL_LIGHT_MODEL_AMBIENT, 4).tolist() == [0.5, 2, -1, 1]
    gl.glLightModeli(e.GL_LIGHT_MODEL_TWO_SIDE, 7)
    gl.glLightModelf(e.GL_LIGHT_MODEL_LOCAL_VIEWER, 1.0)
    gl.glLightModeliv(
        e.GL_LIGHT_MODEL_COLOR_CONTROL, np.array([e.GL_SEPARATE_SPECULAR_COLOR], np.int32)
    )
    key = gl.n.key.light
    assert (key.two_side, key.local_viewer, key.separate_specular) == (1, 1, 1)
    assert gl.ints(e.GL_LIGHT_MODEL_COLOR_CONTROL, 1) == [e.GL_SEPARATE_SPECULAR_COLOR]
    gl.glLightModelf(e.GL_LIGHT_MODEL_AMBIENT, 1.0)  # the rest is 0, as with Mesa
    assert gl.floats(e.GL_LIGHT_MODEL_AMBIENT, 4).tolist() == [1, 0, 0, 0]
    unchanged(gl, e.GL_INVALID_ENUM, "glLightModeli", e.GL_LIGHT_MODEL_COLOR_CONTROL, 1)


def test_materials(gl: Any) -> None:
    gl.glMaterialfv(e.GL_FRONT_AND_BACK, e.GL_AMBIENT_AND_DIFFUSE, vec(0.1, 0.2, 0.3, 0.4))
    gl.glMaterialfv(e.GL_BACK, e.GL_SPECULAR, vec(1, 2, 3, 4))
    gl.glMateriali(e.GL_FRONT, e.GL_SHININESS, 20)
    gl.glMaterialiv(e.GL_FRONT, e.GL_COLOR_INDEXES, np.array([4, 5, 6], np.int32))
    for face in (e.GL_FRONT, e.GL_BACK):
        for pname in (e.GL_AMBIENT, e.GL_DIFFUSE):
            assert np.allclose(material(gl, face, pname), [0.1, 0.2, 0.3, 0.4])
    assert material(gl, e.GL_BACK, e.GL_SPECULAR) == [1, 2, 3, 4] and material(
        gl, e.GL_FRONT, e.GL_SPECULAR
    ) == [0, 0, 0, 1]
    assert material(gl, e.GL_FRONT, e.GL_SHININESS, 1) == [20] and material(
        gl, e.GL_BACK, e.GL_SHININESS, 1
    ) == [0]
    assert material(gl, e.GL_FRONT, e.GL_COLOR_INDEXES, 3) == [4, 5, 6]
    gl.clean()
    gl.glMaterialf(e.GL_FRONT, e.GL_SHININESS, 20.0)
    assert gl.n.dirty == 0
    for bad in (-1.0, 128.5, float("nan")):
        unchanged(gl, e.GL_INVALID_VALUE, "glMaterialf", e.GL_FRONT, e.GL_SHININESS, bad)
    gl.glMaterialf(e.GL_FRONT, e.GL_AMBIENT, 1.0)
    assert list(gl.n.val.materials[0].ambient) == [1, 0, 0, 0]
    unchanged(gl, e.GL_INVALID_ENUM, "glMaterialfv", e.GL_LEFT, e.GL_AMBIENT, vec(0, 0, 0, 0))
    unchanged(gl, e.GL_INVALID_ENUM, "glMaterialfv", e.GL_FRONT, e.GL_POSITION, vec(0, 0, 0, 0))
    unchanged(
        gl, e.GL_INVALID_ENUM, "glGetMaterialfv", e.GL_FRONT_AND_BACK, e.GL_AMBIENT, vec(0, 0, 0, 0)
    )


def test_color_material(gl: Any) -> None:
    gl.glColorMaterial(e.GL_FRONT, e.GL_DIFFUSE)
    gl.n.val.current[2][:] = (0.5, 0.25, 0.75, 1.0)
    gl.glEnable(e.GL_COLOR_MATERIAL)
    assert material(gl, e.GL_FRONT, e.GL_DIFFUSE) == [0.5, 0.25, 0.75, 1.0]
    assert np.allclose(material(gl, e.GL_BACK, e.GL_DIFFUSE), [0.8, 0.8, 0.8, 1])
    gl.glMaterialfv(e.GL_FRONT, e.GL_AMBIENT_AND_DIFFUSE, vec(9, 9, 9, 9))
    assert material(gl, e.GL_FRONT, e.GL_AMBIENT) == [9, 9, 9, 9], (
        "the ambient colour is not tracked"
    )
    assert material(gl, e.GL_FRONT, e.GL_DIFFUSE) == [0.5, 0.25, 0.75, 1.0]
    gl.n.val.current[2][:] = (0.1, 0.0, 0.0, 1.0)
    gl.glColorMaterial(
        e.GL_FRONT_AND_BACK, e.GL_SPECULAR
    )  # the diffuse colour keeps what it followed last
    gl.n.val.current[2][:] = (0.0, 1.0, 0.0, 1.0)
    gl.glDisable(e.GL_COLOR_MATERIAL)
    gl.n.val.current[2][:] = (0.0, 0.0, 1.0, 1.0)
    assert np.allclose(material(gl, e.GL_FRONT, e.GL_DIFFUSE), [0.1, 0, 0, 1])
    for face in (e.GL_FRONT, e.GL_BACK):
        assert material(gl, face, e.GL_SPECULAR) == [0, 1, 0, 1]
    unchanged(gl, e.GL_INVALID_ENUM, "glColorMaterial", e.GL_LEFT, e.GL_DIFFUSE)
    unchanged(gl, e.GL_INVALID_ENUM, "glColorMaterial", e.GL_FRONT, e.GL_SHININESS)


@pytest.mark.parametrize(
    "pname, get",
    [(e.GL_FOG_DENSITY, 0.5), (e.GL_FOG_START, -3.0), (e.GL_FOG_END, 7.0), (e.GL_FOG_INDEX, 2.0)],
)
def test_fog_numbers(gl: Any, pname: int, get: float) -> None:
    gl.glFogf(pname, get)
    assert gl.floats(pname, 1)[0] == get
    gl.glFogfv(pname, vec(get + 1))
    assert gl.floats(pname, 1)[0] == get + 1
    gl.glFogi(pname, 3)
    assert gl.floats(pname, 1)[0] == 3


def test_fog(gl: Any) -> None:
    for mode in (e.GL_LINEAR, e.GL_EXP2, e.GL_EXP):
        gl.glFogi(e.GL_FOG_MODE, mode)
        assert gl.ints(e.GL_FOG_MODE, 1) == [mode]
    gl.glFogi(e.GL_FOG_COORD_SRC, e.GL_FOG_COORD)
    assert gl.ints(e.GL_FOG_COORD_SRC, 1) == [e.GL_FOG_COORD]
    assert gl.ints(e.GL_FOG_DISTANCE_MODE_NV, 1) == [e.GL_EYE_PLANE_ABSOLUTE_NV]
    gl.glFogi(e.GL_FOG_DISTANCE_MODE_NV, e.GL_EYE_RADIAL_NV)
    gl.glFogi(e.GL_FOG_DISTANCE_MODE_NV, e.GL_EXP)
    assert gl.glGetError() == e.GL_INVALID_ENUM
    assert gl.ints(e.GL_FOG_DISTANCE_MODE_NV, 1) == [e.GL_EYE_RADIAL_NV]
    gl.glFogfv(e.GL_FOG_COLOR, vec(0.5, -1, 3, 1))
    assert gl.floats(e.GL_FOG_COLOR, 4).tolist() == [0.5, 0, 1, 1]
    unchanged(gl, e.GL_INVALID_VALUE, "glFogf", e.GL_FOG_DENSITY, -0.5)
    gl.glFogf(e.GL_FOG_COLOR, 0.5)
    assert gl.floats(e.GL_FOG_COLOR, 4).tolist() == [0.5, 0, 0, 0]
    unchanged(gl, e.GL_INVALID_ENUM, "glFogi", e.GL_FOG_MODE, e.GL_NEAREST)
    unchanged(gl, e.GL_INVALID_ENUM, "glFogi", 3, 3)
