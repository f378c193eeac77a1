# SPDX-License-Identifier: MIT
"""Sampler objects, and texture units without coordinates: state, errors, what forgets them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.where import where_of
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.main.textures.parameters import COLOR, ENUM, FLOAT, PARAMETERS, TRUTH, Parameter
from tests.unit.main.test_state import unchanged


def one(gl: Any) -> int:
    names = np.zeros(1, np.uint32)
    gl.glGenSamplers(1, names)
    return int(names[0])


def asked(gl: Any, name: int, pname: int, count: int = 1) -> list[float]:
    out = np.zeros(count, np.float32)
    gl.glGetSamplerParameterfv(name, pname, out)
    return out.tolist()


def binding(gl: Any) -> int:
    out = np.zeros(1, np.int32)
    gl.glGetIntegerv(e.GL_SAMPLER_BINDING, out)
    return int(out[0])


@pytest.mark.parametrize("row", PARAMETERS, ids=lambda r: e.name_of(r.pname))
def test_parameters(gl: Any, row: Parameter) -> None:
    name = one(gl)
    assert gl.glIsSampler(name)
    if not row.sampler or not gl.ctx.has(where_of(row.pname, row.where)):
        out = np.zeros(4, np.float32)
        unchanged(gl, e.GL_INVALID_ENUM, "glSamplerParameterf", name, row.pname, 1.0)
        unchanged(gl, e.GL_INVALID_ENUM, "glGetSamplerParameterfv", name, row.pname, out)
        return
    if row.kind == COLOR:
        color = np.array([0.25, -3.0, 7.0, 0.5], np.float32)
        gl.glSamplerParameterfv(name, row.pname, color)
        assert asked(gl, name, row.pname, 4) == color.tolist()
        unchanged(gl, e.GL_INVALID_ENUM, "glSamplerParameterf", name, row.pname, 1.0)
        return
    truth = row.kind == TRUTH
    for value in row.values if row.kind == ENUM else (1, 0) if truth else (2.0, 3.5):
        gl.glSamplerParameterf(name, row.pname, float(value))
        assert asked(gl, name, row.pname) == [value] and gl.error() == 0
    if row.kind != FLOAT:
        error = e.GL_INVALID_VALUE if truth else e.GL_INVALID_ENUM
        unchanged(gl, error, "glSamplerParameteri", name, row.pname, 77)
    unchanged(gl, e.GL_INVALID_OPERATION, "glSamplerParameteri", name + 9, row.pname, 1)


def test_binding(gl: Any) -> None:
    first, second = one(gl), one(gl)
    gl.glActiveTexture(e.GL_TEXTURE0 + MAX_IMAGE_UNITS - 1)
    gl.glBindSampler(MAX_IMAGE_UNITS - 1, first)
    assert binding(gl) == first
    unchanged(gl, e.GL_INVALID_VALUE, "glBindSampler", MAX_IMAGE_UNITS, first)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBindSampler", 0, second + 9)
    both = np.array([first, second], np.uint32)
    gl.glBindSamplers(MAX_IMAGE_UNITS - 2, 2, both)
    assert binding(gl) == second
    unchanged(gl, e.GL_INVALID_OPERATION, "glBindSamplers", MAX_IMAGE_UNITS - 1, 2, both)
    unchanged(gl, e.GL_INVALID_OPERATION, "glBindSamplers", 0xFFFFFFFE, 3, both)
    gl.glDeleteSamplers(1, both[1:])
    assert binding(gl) == 0 and not gl.glIsSampler(second) and gl.error() == 0
    gl.glBindSamplers(0, MAX_IMAGE_UNITS, None)
    assert gl.error() == 0


def test_units_without_coordinates(gl: Any) -> None:
    gl.glActiveTexture(e.GL_TEXTURE0 + MAX_TEXTURE_UNITS)
    gl.glEnable(e.GL_TEXTURE_2D)
    assert not gl.glIsEnabled(e.GL_TEXTURE_2D)
    gl.glTexEnvi(e.GL_TEXTURE_ENV, e.GL_TEXTURE_ENV_MODE, 77)  # as the peer: passed over
    gl.glTexEnvf(e.GL_TEXTURE_FILTER_CONTROL, e.GL_TEXTURE_LOD_BIAS, 2.0)
    assert gl.error() == 0
    operation = e.GL_INVALID_OPERATION
    unchanged(gl, operation, "glTexEnvi", e.GL_POINT_SPRITE, e.GL_COORD_REPLACE, 1)
    unchanged(gl, operation, "glTexGeni", e.GL_S, e.GL_TEXTURE_GEN_MODE, e.GL_EYE_LINEAR)
    unchanged(gl, operation, "glGetFloatv", e.GL_TEXTURE_MATRIX, np.zeros(16, np.float32))
    gl.glMatrixMode(e.GL_TEXTURE)
    gl.glTranslatef(1.0, 2.0, 3.0)
    gl.glActiveTexture(e.GL_TEXTURE0)
    matrix = np.zeros(16, np.float32)
    gl.glGetFloatv(e.GL_TEXTURE_MATRIX, matrix)
    assert matrix.tolist() == np.eye(4).ravel().tolist() and gl.error() == 0
    unchanged(gl, e.GL_INVALID_ENUM, "glActiveTexture", e.GL_TEXTURE0 + MAX_IMAGE_UNITS)
