# SPDX-License-Identifier: MIT
"""glPixelTransfer, glPolygonStipple, and what is asked of lights, planes and arrays."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.main.layout import DIRTY_VIEWPORT

INVALID_ENUM = 0x0500


def test_transfer_parameters(gl: Any) -> None:
    out = np.zeros(1, np.float32)
    for name, given, wanted in (
        (e.GL_RED_SCALE, 2.5, 2.5),
        (e.GL_DEPTH_BIAS, -0.25, -0.25),
        (e.GL_MAP_COLOR, 0.5, 1.0),
        (e.GL_MAP_STENCIL, 0.0, 0.0),
        (e.GL_INDEX_SHIFT, -3.9, -3.0),
        (e.GL_INDEX_OFFSET, 1e20, 2.0**31 - 1),
        (e.GL_INDEX_OFFSET, float("nan"), 0.0),
    ):
        gl.glPixelTransferf(name, given)
        gl.glGetFloatv(name, out)
        assert out[0] == np.float32(wanted)
    gl.glPixelTransferi(e.GL_INDEX_SHIFT, 16777217)
    assert gl.n.raw.index_shift == 16777217
    gl.glPixelTransferi(e.GL_ALPHA_SCALE, 3)
    assert gl.n.raw.pixel_scale[3] == 3.0 and gl.error() == 0
    gl.glPixelTransferf(e.GL_ZOOM_X, 3.0)
    assert gl.error() == INVALID_ENUM


@pytest.mark.parametrize("seed", range(20))
def test_stipple_as_python_reads_it(gl: Any, seed: int) -> None:
    """Any pixel store state, in memory that ends where the pattern does."""
    rng = random.Random(seed)
    state = {
        e.GL_UNPACK_ALIGNMENT: rng.choice((1, 2, 4, 8)),
        e.GL_UNPACK_ROW_LENGTH: rng.choice((0, 32, 40, 77)),
        e.GL_UNPACK_SKIP_ROWS: rng.choice((0, 3)),
        e.GL_UNPACK_SKIP_PIXELS: rng.choice((0, 0, 3, 8, 13)),
        e.GL_UNPACK_LSB_FIRST: rng.randrange(2),
    }
    for name, value in state.items():
        gl.glPixelStorei(name, value)
    pattern = np.frombuffer(random.Random(seed + 100).randbytes(2000), np.uint8)
    gl.python("glPolygonStipple", pattern)
    wanted = list(gl.n.raw.polygon_stipple)
    gl.n.raw.polygon_stipple[:] = [0] * 32
    gl.clean()
    gl.glPolygonStipple(pattern)
    assert list(gl.n.raw.polygon_stipple) == wanted
    assert gl.n.dirty == DIRTY_VIEWPORT
    gl.clean()
    gl.glPolygonStipple(pattern)
    gl.glPolygonStipple(0)
    assert gl.n.dirty == 0 and gl.error() == 0


def test_integers_of_lights_and_materials(gl: Any) -> None:
    out = np.zeros(4, np.int32)
    gl.glLightfv(e.GL_LIGHT1, e.GL_DIFFUSE, np.array([1, -2, 0.5, 0], np.float32))
    gl.glGetLightiv(e.GL_LIGHT1, e.GL_DIFFUSE, out)
    assert out.tolist() == [2**31 - 1, 1 - 2**31, (2**31 - 1) // 2, 0]
    gl.glLightf(e.GL_LIGHT1, e.GL_SPOT_CUTOFF, 45.5)
    gl.glGetLightiv(e.GL_LIGHT1, e.GL_SPOT_CUTOFF, out)
    assert out[0] == 46
    gl.glMaterialf(e.GL_BACK, e.GL_SHININESS, 7.0)
    gl.glGetMaterialiv(e.GL_BACK, e.GL_SHININESS, out)
    assert out[0] == 7 and gl.error() == 0
    gl.glGetMaterialiv(e.GL_FRONT_AND_BACK, e.GL_SHININESS, out)
    assert gl.error() == INVALID_ENUM
    gl.glGetLightiv(e.GL_LIGHT0 + 8, e.GL_SPOT_CUTOFF, out)
    assert gl.error() == INVALID_ENUM


def test_clip_planes(gl: Any) -> None:
    out = np.zeros(4)
    gl.glClipPlane(e.GL_CLIP_PLANE2, np.array([1.0, 2.0, 3.0, 4.0]))
    gl.glGetClipPlane(e.GL_CLIP_PLANE2, out)
    assert out.tolist() == [1, 2, 3, 4]
    gl.glGetClipPlane(e.GL_CLIP_PLANE0 + 8, out)
    assert gl.error() == INVALID_ENUM


def test_names_of_selection_do_nothing_while_drawing(gl: Any) -> None:
    gl.glInitNames()
    gl.glLoadName(1)
    gl.glPopName()
    gl.glPassThrough(2.0)
    assert gl.glRenderMode(e.GL_RENDER) == 0 and gl.error() == 0
    gl.glRenderMode(3)
    assert gl.error() == INVALID_ENUM
    names = np.zeros(64, np.uint32)
    gl.glSelectBuffer(64, names)
    assert gl.glRenderMode(e.GL_SELECT) == 0
    gl.glLoadName(1)
    assert gl.error() == 0x0502  # the stack is empty
    gl.glPushName(4)
    assert gl.glRenderMode(e.GL_RENDER) == 0 and gl.error() == 0
