# SPDX-License-Identifier: MIT
"""Switches, simple setters, lighting, fog: values, errors, and what is marked dirty."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import COMPAT, CORE
from pydri.api.where import In, where_of
from pydri.main import layout as la
from pydri.main.arrays.tables import CLIENT_ARRAYS
from pydri.main.context import GLContext as Context
from pydri.main.framebuffers.tables import BUFFERS
from pydri.main.layout import GLContext
from pydri.main.pixels.kernels import PIXEL_STORE
from pydri.main.state.enable_tables import CAPS, Cap
from pydri.main.state.kernels import HINTS, SIMPLE
from pydri.main.version import GLVersion
from tests.unit.main.conftest import VISUAL, Caller, having

FLUSH = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def snapshot(gl: Any) -> bytes:
    """All state of the context but the error."""
    gl.ctx.has(In(0, 0))  # which extensions there are is looked up once, and is no state
    n = gl.n
    error, slot = n.error, n.raw.error_slot
    n.error = n.raw.error_slot = 0
    data = ctypes.string_at(gl.ctx.address, GLContext.size)
    n.error, n.raw.error_slot = error, slot
    return data


def unchanged(gl: Any, error: int, name: str, *args: Any) -> None:
    """The call fails with `error` and nothing else happens."""
    before = snapshot(gl)
    getattr(gl, name)(*args)
    assert gl.n.error == error, f"{name}{args}: {gl.n.error:#x}"
    gl.n.error = 0
    assert snapshot(gl) == before, f"{name}{args} changed state"


@pytest.fixture
def newer(cap: Cap) -> Iterator[Caller]:
    """In a context that has the capability."""
    with having(cap.enum, cap.where) as caller:
        yield caller


@pytest.mark.parametrize("cap", CAPS, ids=lambda c: hex(c.enum))
def test_every_capability(newer: Any, cap: Any) -> None:
    gl = newer
    on_off = (gl.glDisable, gl.glEnable)
    if cap.client:
        unchanged(gl, e.GL_INVALID_ENUM, "glEnable", cap.enum)
        on_off = (gl.glDisableClientState, gl.glEnableClientState)
    if cap.per_unit:
        gl.glActiveTexture(e.GL_TEXTURE3)
    start = gl.glIsEnabled(cap.enum)
    assert start == (cap.enum in (e.GL_DITHER, e.GL_MULTISAMPLE))
    for on in (1 - start, start):
        gl.clean()
        on_off[on](cap.enum)
        assert gl.glIsEnabled(cap.enum) == on
        assert gl.ints(cap.enum, 1) == [on]
        gl.python("glGetIntegerv", cap.enum, out := np.zeros(1, np.int32))
        assert out[0] == on
        assert (gl.n.key_dirty, gl.n.dirty) == (int(cap.in_key), cap.dirty)
        gl.clean()
        on_off[on](cap.enum)
        assert (gl.n.key_dirty, gl.n.dirty) == (0, 0), "a redundant call dirties nothing"
    others = [c for c in CAPS if (c.path, c.mask) != (cap.path, cap.mask)]
    for other in others:
        if not gl.ctx.has(where_of(other.enum, other.where)):
            continue
        assert gl.glIsEnabled(other.enum) == (other.enum in (e.GL_DITHER, e.GL_MULTISAMPLE))
    if cap.per_unit:
        gl.glEnable(cap.enum)
        gl.glActiveTexture(e.GL_TEXTURE0)
        assert gl.glIsEnabled(cap.enum) == 0
    assert gl.error() == 0


def test_client_arrays(gl: Any) -> None:
    gl.glClientActiveTexture(e.GL_TEXTURE2)
    for enum, row in CLIENT_ARRAYS.items():
        if not gl.ctx.has(where_of(enum, row.where)):
            unchanged(gl, e.GL_INVALID_ENUM, "glEnableClientState", enum)
            continue
        slot = row.slot + (2 if row.slot == 6 else 0)
        gl.clean()
        gl.glEnableClientState(enum)
        assert gl.ctx.vao.stale
        assert gl.glIsEnabled(enum) == 1
        assert gl.ctx.vao.enabled == 1 << slot and gl.ctx.vao.attribs[slot].enabled == 1
        gl.glDisableClientState(enum)
        assert gl.glIsEnabled(enum) == 0 and gl.ctx.vao.enabled == 0
    for name in (
        "glEnableClientState",
        "glDisableClientState",
        "glEnable",
        "glDisable",
        "glIsEnabled",
    ):
        unchanged(gl, e.GL_INVALID_ENUM, name, 0x1234)
    unchanged(gl, e.GL_INVALID_ENUM, "glClientActiveTexture", e.GL_TEXTURE0 + 8)


def test_pending_vertices_are_flushed_before_a_change_only(gl: Any) -> None:
    seen = []

    def flush(_ctx: int) -> None:
        seen.append(gl.n.key.blend)
        gl.n.vbo.count = 0

    hook = FLUSH(flush)
    gl.n.flush_vertices = ctypes.cast(hook, ctypes.c_void_p).value
    gl.n.vbo.count = 3
    gl.glDisable(e.GL_BLEND)
    gl.glBlendFunc(e.GL_ONE, e.GL_ZERO)
    gl.glLoadIdentity()
    gl.glViewport(0, 0, 0, 0)
    gl.glClearColor(1, 1, 1, 1)
    gl.glEnable(0x1234)
    assert seen == []
    gl.glEnable(e.GL_BLEND)
    assert seen == [0], "flushed once, before the write"
    for call in (
        lambda: gl.glBlendFunc(e.GL_ZERO, e.GL_ONE),
        lambda: gl.glTranslatef(1, 0, 0),
        lambda: gl.glViewport(0, 0, 3, 4),
        lambda: gl.glPopMatrix(),
        lambda: gl.glGetFloatv(e.GL_CURRENT_COLOR, np.zeros(4, np.float32)),
        lambda: gl.glFogf(e.GL_FOG_START, 3.0),
        lambda: gl.glMaterialf(e.GL_FRONT, e.GL_SHININESS, 3.0),
    ):
        gl.glPushMatrix()
        gl.n.vbo.count = 1
        before = len(seen)
        if call is not None:
            call()
    assert len(seen) >= 7 and before >= 6
    gl.n.vbo.count = 0


@pytest.mark.parametrize("row", SIMPLE, ids=lambda r: r.name)
def test_simple_setters(gl: Any, row: Any) -> None:
    call = getattr(gl, row.name)
    sets = [[each if isinstance(each, int) else each[0] for each in s] for s, _ in row.args]
    firsts = [allowed[0] for allowed in sets]

    def read(path: str) -> int:
        here = gl.n
        for part in path.split("."):
            here = getattr(here, part)
        return int(here)

    for k, (allowed, (_, fields)) in enumerate(zip(sets, row.args, strict=True)):
        for value in allowed:
            args = [*firsts[:k], value, *firsts[k + 1 :]]
            call(*args)
            assert gl.error() == 0
            for other, (_, other_fields) in enumerate(row.args):
                assert all(read(f) == args[other] for f in other_fields)
        for bad in (0x7777, 0xFFFFFFFF, max(allowed) + 1 if max(allowed) + 1 not in allowed else 2):
            unchanged(gl, e.GL_INVALID_ENUM, row.name, *firsts[:k], bad, *firsts[k + 1 :])
        assert fields


def test_fragment_state(gl: Any) -> None:
    gl.glAlphaFunc(e.GL_GREATER, 1.5)
    assert gl.ints(e.GL_ALPHA_TEST_FUNC, 1) == [e.GL_GREATER]
    assert gl.floats(e.GL_ALPHA_TEST_REF, 1)[0] == 1.0
    unchanged(gl, e.GL_INVALID_ENUM, "glAlphaFunc", e.GL_BLEND, 0.5)
    gl.glBlendColor(-1, 0.25, 0.5, 7)
    assert gl.floats(e.GL_BLEND_COLOR, 4).tolist() == [0, 0.25, 0.5, 1]
    gl.glColorMask(1, 0, 5, 0)
    assert gl.n.key.color_mask == 0x55555555
    assert gl.ints(e.GL_COLOR_WRITEMASK) == [1, 0, 1, 0]
    gl.glDepthMask(0)
    assert gl.ints(e.GL_DEPTH_WRITEMASK, 1) == [0]
    gl.glDepthRange(2.0, 0.25)
    assert gl.floats(e.GL_DEPTH_RANGE, 2).tolist() == [1.0, 0.25]
    gl.glIndexMask(0xF0F0)
    assert gl.ints(e.GL_INDEX_WRITEMASK, 1) == [0xF0F0]
    gl.glSampleCoverage(0.5, 1)
    assert gl.floats(e.GL_SAMPLE_COVERAGE_VALUE, 1)[0] == 0.5 and gl.ints(
        e.GL_SAMPLE_COVERAGE_INVERT, 1
    ) == [1]


def test_stencil(gl: Any) -> None:
    n = gl.n
    gl.glStencilFunc(e.GL_EQUAL, 3, 0xFF)
    gl.glStencilOp(e.GL_INCR, e.GL_DECR_WRAP, e.GL_INVERT)
    gl.glStencilMask(0x0F)
    assert [s.func for s in n.key.stencil] == [e.GL_EQUAL, e.GL_EQUAL, e.GL_ALWAYS]
    assert [s.zfail for s in n.key.stencil] == [e.GL_DECR_WRAP, e.GL_DECR_WRAP, e.GL_KEEP]
    assert list(n.raw.stencil_writemask) == [0x0F, 0x0F, 0xFF]
    gl.glStencilFuncSeparate(e.GL_BACK, e.GL_LESS, 900, 1)
    gl.glStencilOpSeparate(e.GL_FRONT, e.GL_ZERO, e.GL_ZERO, e.GL_ZERO)
    gl.glStencilMaskSeparate(e.GL_FRONT_AND_BACK, 7)
    assert [s.func for s in n.key.stencil][:2] == [e.GL_EQUAL, e.GL_LESS]
    assert [s.fail for s in n.key.stencil][:2] == [e.GL_ZERO, e.GL_INCR]
    assert list(n.raw.stencil_writemask)[:2] == [7, 7]
    assert gl.ints(e.GL_STENCIL_REF, 1) == [3] and gl.ints(e.GL_STENCIL_BACK_REF, 1) == [255], (
        "clamped to 8 bits"
    )
    gl.glActiveStencilFaceEXT(e.GL_BACK)
    gl.glStencilFunc(e.GL_NEVER, 9, 2)
    assert [s.func for s in n.key.stencil] == [e.GL_EQUAL, e.GL_LESS, e.GL_NEVER]
    assert gl.ints(e.GL_STENCIL_FUNC, 1) == [e.GL_NEVER]
    assert gl.ints(e.GL_ACTIVE_STENCIL_FACE_EXT, 1) == [e.GL_BACK]
    for name, args in (
        ("glStencilFunc", (1, 0, 0)),
        ("glStencilOp", (e.GL_KEEP, 1, e.GL_KEEP)),
        ("glActiveStencilFaceEXT", (1,)),
        ("glStencilFuncSeparate", (e.GL_LEFT, e.GL_LESS, 0, 0)),
        ("glStencilMaskSeparate", (0, 0)),
        ("glStencilOpSeparate", (e.GL_FRONT, e.GL_KEEP, e.GL_KEEP, 0x900)),
    ):
        unchanged(gl, e.GL_INVALID_ENUM, name, *args)


def test_raster_state(gl: Any) -> None:
    gl.glPolygonMode(e.GL_FRONT, e.GL_LINE)
    gl.glPolygonMode(e.GL_BACK, e.GL_POINT)
    assert gl.ints(e.GL_POLYGON_MODE, 2) == [e.GL_LINE, e.GL_POINT]
    unchanged(gl, e.GL_INVALID_ENUM, "glPolygonMode", e.GL_LEFT, e.GL_FILL)
    unchanged(gl, e.GL_INVALID_ENUM, "glPolygonMode", e.GL_FRONT, e.GL_LINES)
    gl.glPolygonOffset(2.0, -3.0)
    assert (
        gl.floats(e.GL_POLYGON_OFFSET_FACTOR, 1)[0] == 2
        and gl.floats(e.GL_POLYGON_OFFSET_UNITS, 1)[0] == -3
    )
    for name, get in (("glLineWidth", e.GL_LINE_WIDTH), ("glPointSize", e.GL_POINT_SIZE)):
        getattr(gl, name)(2.5)
        assert gl.floats(get, 1)[0] == 2.5
        for bad in (0.0, -1.0, float("nan")):
            unchanged(gl, e.GL_INVALID_VALUE, name, bad)
    gl.glLineStipple(1000, 0xABCD)
    assert gl.ints(e.GL_LINE_STIPPLE_REPEAT, 1) == [256] and gl.ints(
        e.GL_LINE_STIPPLE_PATTERN, 1
    ) == [0xABCD]
    gl.glPointParameterfv(e.GL_POINT_DISTANCE_ATTENUATION, np.array([0, 1, 2], np.float32))
    assert gl.n.key.point_attenuated == 1
    assert gl.floats(e.GL_POINT_DISTANCE_ATTENUATION, 3).tolist() == [0, 1, 2]
    gl.glPointParameteri(e.GL_POINT_SIZE_MIN, 3)
    assert gl.floats(e.GL_POINT_SIZE_MIN, 1)[0] == 3
    unchanged(gl, e.GL_INVALID_VALUE, "glPointParameterf", e.GL_POINT_SIZE_MAX, -1.0)
    gl.glPointParameterf(e.GL_POINT_DISTANCE_ATTENUATION, 1.0)  # the rest is 0, as with Mesa
    assert gl.floats(e.GL_POINT_DISTANCE_ATTENUATION, 3).tolist() == [1, 0, 0]


def test_window_state(gl: Any) -> None:
    gl.ctx.first_bind(300, 200)
    gl.ctx.first_bind(9, 9)
    assert gl.ints(e.GL_VIEWPORT) == [0, 0, 300, 200] == gl.ints(e.GL_SCISSOR_BOX)
    gl.glViewport(-5, 6, 70000, 8)
    assert gl.ints(e.GL_VIEWPORT) == [-5, 6, 16384, 8]
    gl.glScissor(-1, 2, 3, 4)
    assert gl.ints(e.GL_SCISSOR_BOX) == [-1, 2, 3, 4]
    for name in ("glViewport", "glScissor"):
        unchanged(gl, e.GL_INVALID_VALUE, name, 0, 0, -1, 1)
        unchanged(gl, e.GL_INVALID_VALUE, name, 0, 0, 1, -1)


def test_clear_values(gl: Any) -> None:
    gl.glClearColor(-0.5, 0.25, 2.0, 0.5)
    gl.glClearDepth(3.0)
    gl.glClearStencil(-7)
    gl.glClearIndex(4.0)
    gl.glClearAccum(-3, -0.5, 0.5, 9)
    assert gl.floats(e.GL_COLOR_CLEAR_VALUE, 4).tolist() == [0, 0.25, 1, 0.5]
    assert gl.floats(e.GL_DEPTH_CLEAR_VALUE, 1)[0] == 1 and gl.ints(e.GL_DEPTH_CLEAR_VALUE, 1) == [
        0x7FFFFFFF
    ]
    assert (
        gl.ints(e.GL_STENCIL_CLEAR_VALUE, 1) == [-7]
        and gl.floats(e.GL_INDEX_CLEAR_VALUE, 1)[0] == 4
    )
    assert gl.floats(e.GL_ACCUM_CLEAR_VALUE, 4).tolist() == [-1, -0.5, 0.5, 1]


def test_buffers(gl: Any) -> None:
    assert gl.ints(e.GL_DRAW_BUFFER, 1) == [e.GL_BACK] == gl.ints(e.GL_READ_BUFFER, 1)
    for enum, needs, _ in BUFFERS:
        gl.glDrawBuffer(e.GL_NONE)
        if needs:
            unchanged(gl, e.GL_INVALID_OPERATION, "glDrawBuffer", enum)
        else:
            gl.glDrawBuffer(enum)
            assert gl.ints(e.GL_DRAW_BUFFER, 1) == [enum]
    gl.n.framebuffers.window_visual.double_buffer = 0
    gl.glDrawBuffer(e.GL_BACK)  # as with Mesa: the one buffer there is
    gl.glReadBuffer(e.GL_BACK_LEFT)
    assert gl.ints(e.GL_DRAW_BUFFER, 1) == [e.GL_BACK]
    assert gl.ints(e.GL_READ_BUFFER, 1) == [e.GL_BACK_LEFT]
    unchanged(gl, e.GL_INVALID_OPERATION, "glDrawBuffer", e.GL_BACK_RIGHT)
    gl.glReadBuffer(e.GL_FRONT_AND_BACK)  # as with Mesa: the front buffer
    assert gl.ints(e.GL_READ_BUFFER, 1) == [e.GL_FRONT_AND_BACK]
    unchanged(gl, e.GL_INVALID_ENUM, "glDrawBuffer", e.GL_RED)
    gl.clean()
    gl.glReadBuffer(e.GL_FRONT)
    assert gl.n.dirty == la.DIRTY_FB and gl.ints(e.GL_READ_BUFFER, 1) == [e.GL_FRONT]


def test_client_arrays_are_capabilities(gl: Any) -> None:
    gl.glEnable(e.GL_COLOR_ARRAY)  # as with Mesa
    assert gl.glIsEnabled(e.GL_COLOR_ARRAY) == 1
    gl.glDisable(e.GL_COLOR_ARRAY)
    assert gl.glIsEnabled(e.GL_COLOR_ARRAY) == 0


def test_restart_is_client_state(gl: Any) -> None:
    gl.glPushClientAttrib(e.GL_CLIENT_VERTEX_ARRAY_BIT)
    gl.glPushAttrib(e.GL_ENABLE_BIT)
    gl.glEnable(e.GL_PRIMITIVE_RESTART)
    gl.n.raw.restart_index = 7  # (glPrimitiveRestartIndex is vbo's)
    assert gl.glIsEnabled(e.GL_PRIMITIVE_RESTART_NV) == 1
    assert gl.ints(e.GL_PRIMITIVE_RESTART_INDEX_NV, 1) == [7]
    gl.glPopAttrib()
    assert gl.glIsEnabled(e.GL_PRIMITIVE_RESTART) == 1
    gl.glPopClientAttrib()
    assert gl.glIsEnabled(e.GL_PRIMITIVE_RESTART) == 0


def test_hints_and_pixel_store(gl: Any) -> None:
    for k, hint in enumerate(HINTS):
        gl.glHint(hint, e.GL_NICEST)
        assert gl.n.raw.hints[k] == e.GL_NICEST and gl.ints(hint, 1) == [e.GL_NICEST]
    unchanged(gl, e.GL_INVALID_ENUM, "glHint", 1, e.GL_NICEST)
    unchanged(gl, e.GL_INVALID_ENUM, "glHint", HINTS[0], 1)
    for row in PIXEL_STORE:
        aligned = row.enum in (e.GL_PACK_ALIGNMENT, e.GL_UNPACK_ALIGNMENT)
        value = 8 if aligned else 5
        gl.glPixelStorei(row.enum, value)
        assert gl.ints(row.enum, 1) == [1 if row.flag else value]
        gl.glPixelStoref(row.enum, 0.4 if row.flag else 2.0)
        assert gl.ints(row.enum, 1) == [1 if row.flag else 2]
        if not row.flag:
            unchanged(gl, e.GL_INVALID_VALUE, "glPixelStorei", row.enum, -1)
        if aligned:
            unchanged(gl, e.GL_INVALID_VALUE, "glPixelStorei", row.enum, 3)
    unchanged(gl, e.GL_INVALID_ENUM, "glPixelStorei", 77, 1)
    assert gl.n.raw.unpack[0] == 2 and gl.n.raw.pack[7] == 1


def test_first_error_stays(gl: Any) -> None:
    gl.glLineWidth(0)
    gl.glEnable(0x1234)
    assert gl.error() == e.GL_INVALID_VALUE
    assert gl.error() == 0
    gl.n.no_error = 1
    gl.glEnable(0x1234)
    assert gl.error() == 0


def test_clip_control(gl: Any) -> None:
    """ARB_clip_control: both enums are checked before one of them is set; a transform's state."""
    assert gl.ints(e.GL_CLIP_ORIGIN, 1) == [e.GL_LOWER_LEFT]
    gl.glPushAttrib(e.GL_TRANSFORM_BIT)
    gl.glClipControl(e.GL_UPPER_LEFT, e.GL_ZERO_TO_ONE)
    assert gl.ints(e.GL_CLIP_ORIGIN, 1) == [e.GL_UPPER_LEFT]
    assert gl.ints(e.GL_CLIP_DEPTH_MODE, 1) == [e.GL_ZERO_TO_ONE]
    for wrong in ((e.GL_LOWER_LEFT, 99), (99, e.GL_NEGATIVE_ONE_TO_ONE)):
        gl.glClipControl(*wrong)
        assert gl.error() == e.GL_INVALID_ENUM
    # the view volume begins at z = 0 now, and y grows downwards
    gl.n.raw.viewport[:] = (0, 0, 100, 100)
    gl.glRasterPos3f(0.5, 0.5, -0.25)
    assert gl.n.raw.raster_valid == 0
    gl.glRasterPos3f(0.5, 0.5, 0.25)
    assert list(gl.n.raw.raster_position)[:3] == [75.0, 25.0, 0.25]
    gl.glPopAttrib()
    assert gl.ints(e.GL_CLIP_DEPTH_MODE, 1) == [e.GL_NEGATIVE_ONE_TO_ONE]


def test_unclipped_raster_position(gl: Any) -> None:
    """IBM_rasterpos_clip: the sides of the view volume do not count, its depth does."""
    gl.n.raw.viewport[:] = (0, 0, 100, 100)
    gl.glEnable(e.GL_RASTER_POSITION_UNCLIPPED_IBM)
    gl.glRasterPos2f(-1.5, 2.0)
    assert gl.n.raw.raster_valid and list(gl.n.raw.raster_position)[:2] == [-25.0, 150.0]
    gl.glRasterPos3f(0.0, 0.0, 1.5)
    assert not gl.n.raw.raster_valid
    gl.glDisable(e.GL_RASTER_POSITION_UNCLIPPED_IBM)
    gl.glRasterPos2f(-1.5, 0.0)
    assert not gl.n.raw.raster_valid


@pytest.mark.parametrize(
    ("api", "version", "error"),
    [(COMPAT, (2, 1), 0), (COMPAT, (3, 1), e.GL_INVALID_ENUM), (CORE, (3, 3), e.GL_INVALID_ENUM),
     (CORE, (4, 0), 0)],
)  # fmt: skip
def test_back_is_no_draw_buffer_of_a_list(api: int, version: tuple[int, int], error: int) -> None:
    """OpenGL 3.1, 4.2.1: it may stand for two; 4.0 takes it as the only one."""
    ctx = Context(VISUAL, version=GLVersion(api, *version))
    gl = Caller(ctx)
    for buffers, wanted in (([e.GL_BACK_LEFT], 0), ([e.GL_BACK], error)):
        gl.glDrawBuffers(1, np.array(buffers, np.uint32))
        assert gl.error() == wanted
    ctx.destroy()
