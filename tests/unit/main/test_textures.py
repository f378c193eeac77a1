# SPDX-License-Identifier: MIT
"""Texture environment and generation as state: every row, its errors, units, attribute stack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.main.textures.tables import COORDS, ENV, GENERATION, EnvRow, pack
from tests.unit.main.test_state import unchanged


def env(gl: Any, target: int, pname: int, count: int = 1) -> list[float]:
    out = np.zeros(count, np.float32)
    gl.glGetTexEnvfv(target, pname, out)
    return out.tolist()


def gen(gl: Any, coord: int, pname: int, count: int = 4) -> list[float]:
    out = np.zeros(count, np.float64)
    gl.glGetTexGendv(coord, pname, out)
    return out.tolist()


@pytest.mark.parametrize("row", ENV, ids=lambda r: e.name_of(r.pname))
def test_environment(gl: Any, row: EnvRow) -> None:
    allowed = row.values or row.numbers or (0.5, -2.0)
    gl.glActiveTexture(e.GL_TEXTURE3)
    before = env(gl, row.target, row.pname)
    for value in allowed:
        gl.glTexEnvf(row.target, row.pname, float(value))
        assert env(gl, row.target, row.pname) == [value] and gl.error() == 0
        assert gl.ctx.n.raw.texenv[3].packed == pack(gl.ctx.n.raw.texenv[3])
        if value == int(value):
            gl.glTexEnviv(row.target, row.pname, np.array([int(value)], np.int32))
            out = np.zeros(1, np.int32)
            gl.glGetTexEnviv(row.target, row.pname, out)
            assert out[0] == value
    gl.glActiveTexture(e.GL_TEXTURE0)
    assert env(gl, row.target, row.pname) == before
    if row.values or row.numbers:
        error = e.GL_INVALID_ENUM if row.values else e.GL_INVALID_VALUE
        unchanged(gl, error, "glTexEnvf", row.target, row.pname, 3.0)
        unchanged(gl, error, "glTexEnvi", row.target, row.pname, -1)  # is not 0, GL_ZERO
    for target in {r.target for r in ENV} - {row.target} | {77}:
        unchanged(gl, e.GL_INVALID_ENUM, "glTexEnvf", target, row.pname, 1.0)
    gl.glPushAttrib(e.GL_TEXTURE_BIT)
    gl.glTexEnvf(row.target, row.pname, float(allowed[-1]))
    gl.glPopAttrib()
    assert env(gl, row.target, row.pname) == before


def test_the_first_environment(gl: Any) -> None:
    envs = gl.ctx.n.raw.texenv
    assert [env.packed for env in envs] == [pack(env) for env in envs]


def test_environment_color(gl: Any) -> None:
    gl.glTexEnvfv(
        e.GL_TEXTURE_ENV, e.GL_TEXTURE_ENV_COLOR, np.array([0.5, 2, -1, 0.25], np.float32)
    )
    assert env(gl, e.GL_TEXTURE_ENV, e.GL_TEXTURE_ENV_COLOR, 4) == [0.5, 1, 0, 0.25]
    unchanged(gl, e.GL_INVALID_ENUM, "glTexEnvf", e.GL_TEXTURE_ENV, e.GL_RED, 1.0)


def test_generation(gl: Any) -> None:
    gl.glMatrixMode(e.GL_MODELVIEW)
    gl.glTranslatef(0.0, 0.0, 5.0)
    for n, coord in enumerate(COORDS):
        for mode in (e.GL_OBJECT_LINEAR, e.GL_SPHERE_MAP, e.GL_NORMAL_MAP, e.GL_MODULATE):
            if mode in GENERATION[n]:
                gl.glTexGeni(coord, e.GL_TEXTURE_GEN_MODE, mode)
                assert gen(gl, coord, e.GL_TEXTURE_GEN_MODE, 1) == [mode]
            else:
                unchanged(gl, e.GL_INVALID_ENUM, "glTexGeni", coord, e.GL_TEXTURE_GEN_MODE, mode)
        plane = np.array([1, 2, 3, n], np.float64)
        gl.glTexGendv(coord, e.GL_OBJECT_PLANE, plane)
        gl.glTexGenfv(coord, e.GL_EYE_PLANE, plane.astype(np.float32))
        assert gen(gl, coord, e.GL_OBJECT_PLANE) == [1, 2, 3, n]
        assert gen(gl, coord, e.GL_EYE_PLANE) == [1, 2, 3, n - 15]  # p * inverse(modelview)
    unchanged(gl, e.GL_INVALID_ENUM, "glTexGenf", e.GL_Q + 1, e.GL_TEXTURE_GEN_MODE, 0.0)
    unchanged(gl, e.GL_INVALID_ENUM, "glTexGenf", e.GL_S, e.GL_RED, 0.0)
    assert gl.error() == 0
