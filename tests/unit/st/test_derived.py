# SPDX-License-Identifier: MIT
"""The refresh kernel against numpy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main import layout as la
from pydri.main.light.layout import LIGHT_ENABLED, LIGHT_POSITIONAL, LIGHT_SPOT
from pydri.main.matrix.layout import MAX_TEXTURE_STACK
from pydri.main.matrix.tables import TEXTURE
from tests.unit.st.st_fake import FakeContext, call

F = np.float32


@pytest.fixture
def ctx() -> Iterator[FakeContext]:
    yield FakeContext(100, 80)


def refresh(ctx: FakeContext) -> None:
    ctx.n.dirty = la.DIRTY_ALL & ~(la.DIRTY_FB | la.DIRTY_TARGET)
    call("st_refresh", ctx.address)


def matrix(values: Any) -> np.ndarray:
    """Column-major floats as a matrix."""
    return np.array(values[:16], F).reshape(4, 4).T


@pytest.mark.parametrize("level", [0, 3])
def test_matrices(ctx: FakeContext, level: int) -> None:
    rng = np.random.default_rng(level)
    stacks, val = ctx.n.matrix, ctx.n.val
    m, p, t = (rng.normal(size=16).astype(F) for _ in range(3))
    stacks.depth[0], stacks.depth[1], stacks.depth[TEXTURE.mode + 5] = level, 1, 2
    stacks.modelview[16 * level : 16 * level + 16] = m.tolist()
    stacks.projection[16:32] = p.tolist()
    at = 16 * (5 * MAX_TEXTURE_STACK + 2)
    stacks.texture[at : at + 16] = t.tolist()
    refresh(ctx)
    assert list(val.modelview) == m.tolist() and list(val.projection) == p.tolist()
    assert list(val.texture_matrix[5]) == t.tolist()
    left, right = p.reshape(4, 4), m.reshape(4, 4)  # rows are columns
    expect = np.zeros((4, 4), F)
    for j in range(4):
        total = left[0] * right[j, 0]
        for k in range(1, 4):
            total = total + left[k] * right[j, k]
        expect[j] = total
    assert list(val.mvp) == expect.ravel().tolist()  # the same bits: order and roundings are fixed
    normal = np.array(val.normal_matrix[:12]).reshape(3, 4)
    assert (normal[:, 3] == 0).all()
    inverse = np.linalg.inv(matrix(m.tolist())[:3, :3].astype(float))
    np.testing.assert_allclose(normal[:, :3].T, inverse.T, rtol=2e-4)
    np.testing.assert_allclose(val.rescale_factor, 1 / np.linalg.norm(inverse[2]), rtol=2e-4)


def test_singular_modelview_gives_finite_normals(ctx: FakeContext) -> None:
    ctx.n.matrix.modelview[:16] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    refresh(ctx)
    assert np.isfinite(ctx.n.val.normal_matrix[:]).all()
    assert np.isfinite(ctx.n.val.rescale_factor)


def test_only_what_is_dirty_is_touched(ctx: FakeContext) -> None:
    refresh(ctx)
    ctx.n.matrix.modelview[0] = 7.0
    others = 1 << 31
    ctx.n.dirty = la.DIRTY_FOG | la.DIRTY_TEXTURE | others
    call("st_refresh", ctx.address)
    assert ctx.n.val.modelview[0] == 1.0
    assert ctx.n.dirty == others  # their work stays marked


def test_lights(ctx: FakeContext) -> None:
    key, lights = ctx.n.key.light, ctx.n.val.lights
    key.flags[0] = LIGHT_ENABLED
    key.flags[3] = LIGHT_ENABLED | LIGHT_POSITIONAL | LIGHT_SPOT
    lights[0].position[:] = (3.0, 4.0, 12.0, 0.0)
    lights[3].position[:] = (2.0, -4.0, 6.0, 2.0)
    lights[3].spot_direction[:] = (0.0, 3.0, 4.0, 0.0)
    lights[2].position[:] = (1.0, 1.0, 1.0, 0.0)
    refresh(ctx)
    direction = np.array([3, 4, 12]) / 13
    np.testing.assert_allclose(lights[0].direction[:3], direction, rtol=1e-6)
    half = direction + [0, 0, 1]
    half = [*half / np.linalg.norm(half), 1.0]
    np.testing.assert_allclose(lights[0].half_vector[:], half, rtol=1e-6)
    assert list(lights[3].direction[:3]) == [1.0, -2.0, 3.0]
    np.testing.assert_allclose(lights[3].spot_direction_n[:3], [0, 0.6, 0.8], rtol=1e-6)
    assert list(lights[2].direction) == [0.0] * 4  # not enabled


def test_fog(ctx: FakeContext) -> None:
    frag = ctx.n.val.frag
    frag.fog_start, frag.fog_end = 2.0, 6.0
    refresh(ctx)
    assert frag.fog_scale == 0.25
    frag.fog_end = 2.0
    refresh(ctx)
    assert np.isfinite(frag.fog_scale)


@pytest.mark.parametrize("flip", [0, 1])
def test_viewport_and_scissor(ctx: FakeContext, flip: int) -> None:
    n = ctx.n
    n.key.prim = 2
    n.dyn.fb.flip_y = flip
    n.raw.viewport[:] = (10, 20, 40, 30)
    n.raw.depth_range[:] = (0.25, 0.75)
    refresh(ctx)
    dyn = n.dyn
    assert list(dyn.viewport_scale[:3]) == [20.0, -15.0 if flip else 15.0, 0.25]
    assert list(dyn.viewport_translate[:3]) == [30.0, 45.0 if flip else 35.0, 0.5]
    y = (30, 60) if flip else (20, 50)
    box = (dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1)
    assert box == (10, y[0], 50, y[1])  # no more than the viewport
    for prim in (0, 1):  # but wide points and lines may reach beyond it
        n.key.prim = prim
        refresh(ctx)
        box = (dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1)
        assert box == (0, 0, 100, 80)
    n.key.prim = 2
    n.raw.viewport[:] = (-500, -500, 4000, 4000)
    refresh(ctx)
    box = (dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1)
    assert box == (0, 0, 100, 80)  # and no more than the framebuffer
    n.raw.scissor_enabled = 1
    n.raw.scissor[:] = (-5, 10, 50, 20)
    refresh(ctx)
    y = (50, 70) if flip else (10, 30)
    assert (dyn.scissor_x0, dyn.scissor_x1) == (0, 45)
    assert (dyn.scissor_y0, dyn.scissor_y1) == y


@pytest.mark.parametrize(
    "box",
    [
        (2**31 - 1, 0, 2**31 - 1, 5),
        (0, 2**31 - 9, 9, 2**31 - 1),
        (-(2**31), -(2**31), 5, 5),
        (3, 3, 0, 0),
    ],
)
def test_scissor_extremes_are_empty(ctx: FakeContext, box: tuple[int, ...]) -> None:
    ctx.n.raw.scissor_enabled = 1
    ctx.n.raw.scissor[:] = box
    refresh(ctx)
    dyn = ctx.n.dyn
    assert dyn.scissor_x0 >= dyn.scissor_x1 or dyn.scissor_y0 >= dyn.scissor_y1
    assert 0 <= dyn.scissor_x0 <= 100 and 0 <= dyn.scissor_y1 <= 80


@pytest.mark.parametrize("flip", [0, 1])
@pytest.mark.parametrize("winding", [gl.GL_CW, gl.GL_CCW])
def test_front_face_is_the_sign_of_the_area(ctx: FakeContext, flip: int, winding: int) -> None:
    n = ctx.n
    n.dyn.fb.flip_y, n.raw.front_face = flip, winding
    refresh(ctx)
    points = np.array([[0, 0], [1, 0], [0, 1]], float)  # counter-clockwise with y up
    if winding == gl.GL_CW:
        points = points[::-1]
    x, y = (points * n.dyn.viewport_scale[:2] + n.dyn.viewport_translate[:2]).T
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    assert (area < 0) == bool(n.dyn.front_negative)


@pytest.mark.parametrize(
    ("face", "bits"), [(gl.GL_FRONT, 1), (gl.GL_BACK, 2), (gl.GL_FRONT_AND_BACK, 3)]
)
def test_raster_values(ctx: FakeContext, face: int, bits: int) -> None:
    n = ctx.n
    n.raw.cull_face_mode = face
    n.raw.offset_fill = n.raw.offset_point = 1
    n.raw.offset_units, n.raw.offset_factor, n.raw.line_width = 3.0, -1.5, 2.5
    n.val.point_size, n.val.point_size_max = 90.0, 64.0
    refresh(ctx)
    assert n.dyn.cull == 0
    n.raw.cull_enabled = 1
    refresh(ctx)
    assert n.dyn.cull == bits and n.dyn.offset_flags == 5
    assert (n.dyn.offset_units, n.dyn.offset_factor, n.dyn.line_width) == (3.0, -1.5, 2.5)
    assert n.dyn.point_size == 64.0


def test_stencil(ctx: FakeContext) -> None:
    raw, dyn = ctx.n.raw, ctx.n.dyn
    raw.stencil_ref[:] = (-4, 300, 7)
    raw.stencil_mask[:] = (0xFFFFFF0F, 0x1F0, 3)
    raw.stencil_writemask[:] = (0xFFFFFFFF, 1, 2)
    refresh(ctx)
    assert list(dyn.stencil_ref) == [0, 255]
    assert list(dyn.stencil_valuemask) == [0x0F, 0xF0]
    assert list(dyn.stencil_writemask) == [0xFF, 1]
    ctx.n.key.stencil_two_side = 1
    refresh(ctx)
    assert list(dyn.stencil_ref) == [0, 7] and dyn.stencil_writemask[1] == 2


def test_clip_planes(ctx: FakeContext) -> None:
    for i in range(8):
        ctx.n.val.clip_planes[i][:] = (i, 1, 2, 3)
    refresh(ctx)
    assert [list(p) for p in ctx.n.dyn.clip_planes] == [[i, 1, 2, 3] for i in range(8)]
