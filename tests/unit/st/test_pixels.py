# SPDX-License-Identifier: MIT
"""Raster positions and what is drawn there, on the real driver: values checked by hand or against
a triangle drawn in the same state.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.api.dispatch import ENTRIES, GLError
from pydri.api.gl_table import SLOTS
from pydri.main import entries as main_entries
from pydri.st import entries as st_entries
from tests.unit.st.test_with_llvm import HEIGHT, WIDTH
from tests.unit.st.test_with_llvm import Gl as NativeGl

ENTRY_MODULES = (main_entries, st_entries)
COLOR_DEPTH = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT


class Gl(NativeGl):
    """Python entries, too: without the shim their slots are empty."""

    def __getattr__(self, name: str) -> Any:
        table = (ctypes.c_uint64 * len(SLOTS)).from_address(self.st.n.dispatch)
        if table[SLOTS["gl" + name]]:
            return super().__getattr__(name)

        def call(*args: Any) -> None:
            self.st.gl.flush_vertices()
            try:
                ENTRIES["gl" + name][0](self.st.gl, *args)
            except GLError as mistake:
                self.st.gl.record_error(mistake.enum, str(mistake))

        return call

    def error(self) -> int:
        found = int(self.st.n.error)
        self.st.n.error = 0
        return found


@pytest.fixture
def g() -> Iterator[Gl]:
    made = Gl()
    yield made
    made.st.destroy()
    made.pipe.destroy()


def floats(g: Gl, pname: int, count: int = 4) -> list[float]:
    out = (ctypes.c_float * count)()
    g.GetFloatv(pname, ctypes.addressof(out))
    return list(out)


def test_raster_position_is_a_vertex(g: Gl) -> None:
    g.Viewport(8, 4, 40, 20)
    g.MatrixMode(gl.GL_PROJECTION)
    g.LoadMatrixf([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2.0])
    g.MatrixMode(gl.GL_MODELVIEW)
    g.Translatef(0.5, 0.0, -0.5)
    g.Color4f(0.25, 2.0, 0.5, -1.0)
    g.RasterPos3f(0.5, -1.0, 0.5)
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION) == [38.0, 9.0, 0.5, 2.0]
    assert floats(g, gl.GL_CURRENT_RASTER_COLOR) == [0.25, 1.0, 0.5, 0.0]
    assert floats(g, gl.GL_CURRENT_RASTER_DISTANCE, 1) == [0.0]
    g.RasterPos2f(0.0, 0.0)
    assert floats(g, gl.GL_CURRENT_RASTER_DISTANCE, 1) == [0.5]
    shorts = np.array([1, -2], np.int16)
    g.RasterPos2sv(shorts.ctypes.data)
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION)[:2] == [43.0, 4.0]
    g.RasterPos2f(2.0, 0.0)
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION_VALID, 1) == [0.0]
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION)[:2] == [43.0, 4.0]  # as it was


def test_window_position(g: Gl) -> None:
    g.WindowPos3f(-5.0, 7.5, 2.0)
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION) == [-5.0, 7.5, 1.0, 1.0]
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION_VALID, 1) == [1.0]


@pytest.mark.parametrize("w", [0.0, 1.0])
def test_raster_color_is_a_lit_vertex(g: Gl, w: float) -> None:
    g.Enable(gl.GL_LIGHTING)
    g.Enable(gl.GL_LIGHT0)
    g.Enable(gl.GL_NORMALIZE)
    g.Lightfv(gl.GL_LIGHT0, gl.GL_POSITION, [0.5, 0.25, 1.0, w])
    g.Lightf(gl.GL_LIGHT0, gl.GL_LINEAR_ATTENUATION, 0.5)
    g.Lightf(gl.GL_LIGHT0, gl.GL_SPOT_CUTOFF, 80.0)
    g.Lightf(gl.GL_LIGHT0, gl.GL_SPOT_EXPONENT, 2.0)
    g.Materialfv(gl.GL_FRONT, gl.GL_DIFFUSE, [0.75, 0.25, 0.5, 0.5])
    g.Materialfv(gl.GL_FRONT, gl.GL_SPECULAR, [0.25, 0.5, 0.5, 1.0])
    g.Materialf(gl.GL_FRONT, gl.GL_SHININESS, 6.0)
    g.Normal3f(0.5, 0.5, 2.0)
    g.Begin(gl.GL_POINTS)
    g.Vertex2f(1.0 / WIDTH, 1.0 / HEIGHT)
    g.End()
    drawn = g.pixels()[HEIGHT // 2, WIDTH // 2, :3] / 255
    g.RasterPos2f(1.0 / WIDTH, 1.0 / HEIGHT)
    found = floats(g, gl.GL_CURRENT_RASTER_COLOR)
    assert np.abs(drawn - found[:3]).max() < 0.003 and found[3] == 0.5
    assert drawn.max() > 0.1




def test_transfer_parameters_and_maps(g: Gl) -> None:
    g.PushAttrib(gl.GL_PIXEL_MODE_BIT)
    g.PixelTransferf(gl.GL_GREEN_SCALE, 0.5)
    g.PixelTransferf(gl.GL_DEPTH_BIAS, -0.25)
    g.PixelTransferi(gl.GL_MAP_COLOR, 7)
    g.PixelTransferi(gl.GL_INDEX_SHIFT, -3)
    g.PixelZoom(-2.0, 0.5)
    names = (gl.GL_GREEN_SCALE, gl.GL_DEPTH_BIAS, gl.GL_MAP_COLOR, gl.GL_INDEX_SHIFT, gl.GL_ZOOM_X)
    assert [floats(g, n, 1)[0] for n in names] == [0.5, -0.25, 1.0, -3.0, -2.0]
    g.PopAttrib()
    assert [floats(g, n, 1)[0] for n in names] == [1.0, 0.0, 0.0, 0.0, 1.0]
    shorts = np.array([0, 65535, 13107], np.uint16)
    g.PixelMapusv(gl.GL_PIXEL_MAP_R_TO_R, 3, shorts.ctypes.data)
    assert floats(g, gl.GL_PIXEL_MAP_R_TO_R_SIZE, 1) == [3.0]
    out = np.zeros(3, np.float32)
    g.GetPixelMapfv(gl.GL_PIXEL_MAP_R_TO_R, out.ctypes.data)
    np.testing.assert_allclose(out, [0.0, 1.0, 0.2])
    g.GetPixelMapusv(gl.GL_PIXEL_MAP_R_TO_R, shorts.ctypes.data)
    assert shorts.tolist() == [0, 65535, 13107]
    assert g.error() == 0
    for call in (
        lambda: g.PixelMapusv(gl.GL_PIXEL_MAP_I_TO_R, 3, shorts.ctypes.data),
        lambda: g.PixelMapusv(gl.GL_PIXEL_MAP_R_TO_R, 257, shorts.ctypes.data),
    ):
        call()
        assert g.error() == gl.GL_INVALID_VALUE
    g.PixelTransferf(gl.GL_ZOOM_X, 1.0)
    assert g.error() == gl.GL_INVALID_ENUM
