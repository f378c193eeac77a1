# SPDX-License-Identifier: MIT
"""The matrix stacks against numpy, their limits and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.main import layout as la
from pydri.main.matrix.layout import (
    MAX_CLIP_PLANES,
    MAX_MODELVIEW_STACK,
    MAX_PROJECTION_STACK,
    MAX_TEXTURE_STACK,
)
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS

RANDOM = np.random.default_rng(7)


def current(gl: Any, name: int = e.GL_MODELVIEW_MATRIX) -> np.ndarray:
    return gl.floats(name).reshape(4, 4).T


def rotation(angle: float, x: float, y: float, z: float) -> np.ndarray:
    axis = np.array([x, y, z]) / np.linalg.norm([x, y, z])
    a = np.radians(angle)
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    m = np.eye(4)
    m[:3, :3] = np.eye(3) + np.sin(a) * k + (1 - np.cos(a)) * (k @ k)
    return m


def test_load_and_multiply_in_all_forms(gl: Any) -> None:
    a, b = RANDOM.normal(size=(2, 4, 4))
    for suffix, dtype in (("f", np.float32), ("d", np.float64)):
        for transpose in ("", "Transpose"):
            first, second = (np.ascontiguousarray(m if transpose else m.T, dtype) for m in (a, b))
            getattr(gl, f"glLoad{transpose}Matrix{suffix}")(first)
            assert np.allclose(current(gl), a, rtol=1e-6)
            getattr(gl, f"glMult{transpose}Matrix{suffix}")(second)
            assert np.allclose(current(gl), a @ b, rtol=1e-4, atol=1e-5)
    gl.glLoadIdentity()
    assert (current(gl) == np.eye(4)).all()


def test_translate_scale_rotate(gl: Any) -> None:
    want = np.eye(4)
    for _ in range(30):
        x, y, z = RANDOM.normal(size=3)
        angle = RANDOM.uniform(-400, 400)
        m = np.eye(4)
        m[:3, 3] = x, y, z
        gl.glTranslatef(x, y, z)
        want = want @ m
        s = np.diag([1 + 0.1 * x, 1 - 0.1 * y, 1, 1])
        gl.glScaled(1 + 0.1 * x, 1 - 0.1 * y, 1.0)
        gl.glRotatef(angle, x, y, z)
        want = want @ s @ rotation(angle, x, y, z)
    assert np.allclose(current(gl), want, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("quarter", range(-8, 9))
def test_right_angles_are_exact(gl: Any, quarter: int) -> None:
    for axis in np.eye(3):
        gl.glLoadIdentity()
        gl.glRotatef(90.0 * quarter, *axis)
        want = np.round(rotation(90 * quarter, *axis))
        assert (current(gl) == want).all(), (quarter, axis)


def test_rotation_about_nothing_changes_nothing(gl: Any) -> None:
    gl.glTranslatef(1, 2, 3)
    before = current(gl)
    gl.glRotatef(30, 0, 0, 0)
    gl.glRotated(30, float("nan"), 0, 0)
    assert (current(gl) == before).all()


def test_rotation_is_accurate_for_an_axis(gl: Any) -> None:
    for angle in RANDOM.uniform(-720, 720, 50):
        gl.glLoadIdentity()
        gl.glRotatef(np.float32(angle), 0, 0, 5)
        got = current(gl)
        assert np.abs(got - rotation(float(np.float32(angle)), 0, 0, 1)).max() < 1e-6
        assert got[2, 2] == 1.0


def test_projections(gl: Any) -> None:
    gl.glMatrixMode(e.GL_PROJECTION)
    left, right, bottom, top, near, far = -1.0, 2.0, -0.5, 1.0, 5.0, 60.0
    gl.glFrustum(left, right, bottom, top, near, far)
    want = np.array(
        [
            [2 * near / (right - left), 0, (right + left) / (right - left), 0],
            [0, 2 * near / (top - bottom), (top + bottom) / (top - bottom), 0],
            [0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)],
            [0, 0, -1, 0],
        ]
    )
    assert np.allclose(current(gl, e.GL_PROJECTION_MATRIX), want, rtol=1e-6)
    gl.glLoadIdentity()
    gl.glOrtho(left, right, bottom, top, near, far)
    want = np.array(
        [
            [2 / (right - left), 0, 0, -(right + left) / (right - left)],
            [0, 2 / (top - bottom), 0, -(top + bottom) / (top - bottom)],
            [0, 0, -2 / (far - near), -(far + near) / (far - near)],
            [0, 0, 0, 1],
        ]
    )
    assert np.allclose(current(gl, e.GL_PROJECTION_MATRIX), want, rtol=1e-6)
    assert (current(gl) == np.eye(4)).all()
    before = current(gl, e.GL_PROJECTION_MATRIX)
    for args in ((1, 1, 0, 1, 1, 2), (0, 1, 1, 1, 1, 2), (0, 1, 0, 1, 2, 2)):
        gl.glOrtho(*args)
        assert gl.error() == e.GL_INVALID_VALUE
        gl.glFrustum(*args)
        assert gl.error() == e.GL_INVALID_VALUE
    for near, far in ((0.0, 1.0), (-1.0, 1.0), (1.0, -1.0)):
        gl.glFrustum(0, 1, 0, 1, near, far)
        assert gl.error() == e.GL_INVALID_VALUE
    assert (current(gl, e.GL_PROJECTION_MATRIX) == before).all()


@pytest.mark.parametrize(
    "mode, matrix, depth_name, limit, dirty",
    [
        (
            e.GL_MODELVIEW,
            e.GL_MODELVIEW_MATRIX,
            e.GL_MODELVIEW_STACK_DEPTH,
            MAX_MODELVIEW_STACK,
            la.DIRTY_MODELVIEW,
        ),
        (
            e.GL_PROJECTION,
            e.GL_PROJECTION_MATRIX,
            e.GL_PROJECTION_STACK_DEPTH,
            MAX_PROJECTION_STACK,
            la.DIRTY_PROJECTION,
        ),
        (
            e.GL_TEXTURE,
            e.GL_TEXTURE_MATRIX,
            e.GL_TEXTURE_STACK_DEPTH,
            MAX_TEXTURE_STACK,
            la.DIRTY_TEXMAT,
        ),
    ],
)
def test_stack_limits(
    gl: Any, mode: int, matrix: int, depth_name: int, limit: int, dirty: int
) -> None:
    gl.glMatrixMode(mode)
    assert gl.ints(e.GL_MATRIX_MODE, 1) == [mode]
    gl.glPopMatrix()
    assert gl.error() == e.GL_STACK_UNDERFLOW
    for k in range(limit - 1):
        gl.glLoadIdentity()
        gl.glTranslatef(k, 0, 0)
        gl.glPushMatrix()
        gl.python("glGetIntegerv", depth_name, out := np.zeros(1, np.int32))
        assert out[0] == k + 2
    assert gl.error() == 0
    gl.glPushMatrix()
    assert gl.error() == e.GL_STACK_OVERFLOW
    gl.clean()
    gl.glPopMatrix()
    assert gl.n.dirty == 0, "the same matrix: nothing to derive"
    gl.glPopMatrix()
    assert gl.n.dirty == dirty
    for k in range(limit - 3, -1, -1):
        assert current(gl, matrix)[0, 3] == k
        gl.glPopMatrix()
    gl.glPopMatrix()
    assert gl.error() == e.GL_STACK_UNDERFLOW


def test_texture_matrix_follows_the_active_unit(gl: Any) -> None:
    gl.glMatrixMode(e.GL_TEXTURE)
    for unit in range(MAX_TEXTURE_UNITS):
        gl.glActiveTexture(e.GL_TEXTURE0 + unit)
        gl.glPushMatrix()
        gl.glTranslatef(unit, 0, 0)
    for unit in range(MAX_TEXTURE_UNITS):
        gl.glActiveTexture(e.GL_TEXTURE0 + unit)
        assert current(gl, e.GL_TEXTURE_MATRIX)[0, 3] == unit
        out = np.zeros(16, np.float32)
        gl.python("glGetFloatv", e.GL_TEXTURE_MATRIX, out)
        assert out[12] == unit
        gl.python("glGetFloatv", e.GL_TRANSPOSE_TEXTURE_MATRIX, out)
        assert out[3] == unit
    gl.glActiveTexture(e.GL_TEXTURE0 + MAX_IMAGE_UNITS)
    assert gl.error() == e.GL_INVALID_ENUM
    gl.glMatrixMode(e.GL_COLOR)
    assert gl.error() == e.GL_INVALID_ENUM
    assert gl.ints(e.GL_MATRIX_MODE, 1) == [e.GL_TEXTURE]


def test_redundant_loads_dirty_nothing(gl: Any) -> None:
    gl.clean()
    gl.glLoadIdentity()
    gl.glLoadMatrixf(np.eye(4, dtype=np.float32))
    assert gl.n.dirty == 0
    gl.glTranslatef(1, 0, 0)
    assert gl.n.dirty == la.DIRTY_MODELVIEW


def test_clip_plane_goes_through_the_inverse(gl: Any) -> None:
    m = RANDOM.normal(size=(4, 4))
    gl.glLoadMatrixd(np.ascontiguousarray(m.T))
    plane = np.array([1.0, -2.0, 0.5, 3.0])
    gl.clean()
    gl.glClipPlane(e.GL_CLIP_PLANE2, plane)
    assert gl.n.dirty == la.DIRTY_CLIP
    out = np.zeros(4)
    gl.glGetClipPlane(e.GL_CLIP_PLANE2, out)
    assert np.allclose(out, plane @ np.linalg.inv(m), rtol=1e-4, atol=1e-4)
    gl.glClipPlane(e.GL_CLIP_PLANE0 + MAX_CLIP_PLANES, plane)
    assert gl.error() == e.GL_INVALID_ENUM
