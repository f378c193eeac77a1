# SPDX-License-Identifier: MIT
"""Raster positions and what is drawn there, on the real driver: values checked by hand or against
a triangle drawn in the same state.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.api.dispatch import ENTRIES, GLError
from pydri.api.gl_table import SLOTS
from pydri.main import entries as main_entries
from pydri.main.buffers.layout import BufferObject
from pydri.pipe.resource import Storage
from tests.unit import python_forms
from tests.unit.st.test_with_llvm import HEIGHT, WIDTH
from tests.unit.st.test_with_llvm import Gl as NativeGl

ENTRY_MODULES = (main_entries,)
python_forms.provide()
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


class WithStencil(Gl):
    """A drawable that has a stencil buffer."""

    zs_format = "Z24_UNORM_S8_UINT"


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


BITS = np.array([0b10100000, 0, 0, 0, 0b01100000, 0, 0, 0], np.uint8)  # two rows of three


def drawn(g: Gl, color: tuple[int, int, int] = (255, 0, 0)) -> set[tuple[int, int]]:
    """(x, y) of the pixels of a colour."""
    rows, columns = np.nonzero((g.pixels()[..., :3] == color).all(axis=-1))
    return set(zip(columns.tolist(), rows.tolist(), strict=True))


def test_bitmap(g: Gl) -> None:
    g.Clear(COLOR_DEPTH)
    g.Color3f(1.0, 0.0, 0.0)
    g.WindowPos3f(10.0, 20.0, 0.5)
    g.Color3f(0.0, 1.0, 0.0)  # too late
    g.Bitmap(3, 2, 1.0, -2.0, 7.5, 1.0, BITS.ctypes.data)
    assert drawn(g) == {(9, 22), (11, 22), (10, 23), (11, 23)}
    assert floats(g, gl.GL_CURRENT_RASTER_POSITION) == [17.5, 21.0, 0.5, 1.0]
    g.Clear(COLOR_DEPTH)
    g.PixelStorei(gl.GL_UNPACK_LSB_FIRST, 1)
    g.PixelStorei(gl.GL_UNPACK_SKIP_PIXELS, 5)
    g.Bitmap(3, 2, 0.0, 0.0, 0.0, 0.0, BITS.ctypes.data)
    assert drawn(g) == {(17, 21), (19, 21), (17, 22), (18, 22)}
    g.Bitmap(-1, 2, 0.0, 0.0, 0.0, 0.0, BITS.ctypes.data)
    assert g.error() == gl.GL_INVALID_VALUE
    g.RasterPos2f(5.0, 0.0)
    g.Bitmap(3, 2, 0.0, 0.0, 1.0, 1.0, BITS.ctypes.data)  # no position: nothing
    assert len(drawn(g)) == 4


def test_bitmap_goes_through_fragment_operations(g: Gl) -> None:
    ones = np.full(8 * 64, 255, np.uint8)
    g.Viewport(3, 4, 5, 6)  # is nothing to pixels
    g.Enable(gl.GL_LIGHTING)  # nor is lighting
    g.CullFace(gl.GL_FRONT_AND_BACK)
    g.Enable(gl.GL_CULL_FACE)
    g.Clear(COLOR_DEPTH)
    g.Color3f(1.0, 0.0, 0.0)
    g.WindowPos3f(10.0, 20.0, 0.25)
    g.Enable(gl.GL_SCISSOR_TEST)
    g.Scissor(12, 22, 40, 40)
    g.Bitmap(8, 8, 0.0, 0.0, 0.0, 0.0, ones.ctypes.data)
    expected = {(x, y) for x in range(12, 18) for y in range(22, 28)}
    assert drawn(g) == expected
    g.Disable(gl.GL_SCISSOR_TEST)
    g.Enable(gl.GL_DEPTH_TEST)
    g.Bitmap(8, 8, 0.0, 0.0, 0.0, 0.0, ones.ctypes.data)
    g.Enable(gl.GL_BLEND)
    g.BlendFunc(gl.GL_ONE, gl.GL_ONE)
    g.Color3f(0.0, 1.0, 0.0)
    g.WindowPos3f(14.0, 20.0, 0.125)
    g.Bitmap(8, 8, 0.0, 0.0, 0.0, 0.0, ones.ctypes.data)
    g.WindowPos3f(10.0, 24.0, 0.5)  # hidden where something is
    g.Bitmap(8, 8, 0.0, 0.0, 0.0, 0.0, ones.ctypes.data)
    assert drawn(g, (255, 255, 0)) == {(x, y) for x in range(14, 18) for y in range(20, 28)}
    assert drawn(g) == {(x, y) for x in range(10, 14) for y in range(20, 28)}
    depths = np.zeros((HEIGHT, WIDTH), np.float32)
    g.ReadPixels(0, 0, WIDTH, HEIGHT, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, depths.ctypes.data)
    assert abs(depths[20, 10] - 0.25) < 1e-7 and abs(depths[21, 14] - 0.125) < 1e-7
    assert abs(depths[30, 11] - 0.5) < 1e-7 and depths[0, 0] == 1.0


def test_state_is_as_before(g: Gl) -> None:
    """What is drawn after pixels is what would have been drawn without them."""
    pictures = []
    for with_bitmap in (False, True):
        g.Clear(COLOR_DEPTH)
        g.Viewport(4, 4, 60, 60)
        g.Enable(gl.GL_LIGHTING)
        g.Enable(gl.GL_LIGHT0)
        g.quad(0.5)
        if with_bitmap:
            g.WindowPos2f(90.0, 70.0)
            g.Bitmap(3, 2, 0.0, 0.0, 0.0, 0.0, BITS.ctypes.data)
        g.Translatef(0.25, 0.25, 0.0)
        g.quad(0.5)
        g.LoadIdentity()
        pictures.append(g.pixels()[:70])
    assert (pictures[0] == pictures[1]).all() and pictures[0].any()


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, shape, np.uint8)


@pytest.mark.parametrize("zoom", [(1.0, 1.0), (2.0, 3.0), (-1.0, 1.0), (0.5, -1.5)])
def test_draw_and_copy_pixels(g: Gl, zoom: tuple[float, float]) -> None:
    image = noise(6, 10, 4)
    expected = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    for y in range(HEIGHT):  # the definition: whose rectangle holds the centre
        for x in range(WIDTH):
            for row, column in [(math.floor((y + 0.5 - 40) / zoom[1]),
                                   math.floor((x + 0.5 - 50.25) / zoom[0]))]:
                if 0 <= row < 6 and 0 <= column < 10:
                    expected[y, x] = image[row, column, :3]
    g.Clear(COLOR_DEPTH)
    g.PixelZoom(*zoom)
    g.WindowPos2f(50.25, 40.0)
    g.DrawPixels(10, 6, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, image.ctypes.data)
    if zoom[1] != -1.5:  # centres on an edge belong to the other side there
        assert (g.pixels()[..., :3] == expected).all()
    g.PixelZoom(1.0, 1.0)
    before = g.pixels()
    g.WindowPos2f(3.0, 2.0)
    g.CopyPixels(44, 36, 20, 12, gl.GL_COLOR)
    after = g.pixels()
    assert (after[2:14, 3:23] == before[36:48, 44:64]).all() and g.error() == 0


@pytest.mark.parametrize(("format", "type_", "dtype", "channels"), [
    (gl.GL_BGR, gl.GL_UNSIGNED_SHORT, np.uint16, "BGR"),
    (gl.GL_LUMINANCE, gl.GL_UNSIGNED_BYTE, np.uint8, "L"),
    (gl.GL_RED, gl.GL_FLOAT, np.float32, "R"),
    (gl.GL_LUMINANCE_ALPHA, gl.GL_UNSIGNED_INT, np.uint32, "LA"),
])
def test_draw_formats(g: Gl, format: int, type_: int, dtype: Any, channels: str) -> None:
    top = 1 if dtype is np.float32 else int(np.iinfo(dtype).max)
    given = noise(4, 8, len(channels))
    image = np.rint(given / 255.0 * top).astype(dtype) if top > 1 else (given / 255).astype(dtype)
    g.PixelStorei(gl.GL_UNPACK_ALIGNMENT, 1)
    g.PixelStorei(gl.GL_UNPACK_ROW_LENGTH, 8)
    g.PixelStorei(gl.GL_UNPACK_SKIP_ROWS, 1)
    g.PixelStorei(gl.GL_UNPACK_SKIP_PIXELS, 2)
    g.Clear(COLOR_DEPTH)
    g.WindowPos2f(0.0, 0.0)
    g.DrawPixels(5, 3, format, type_, image.ctypes.data)
    out = g.pixels()
    for n, letter in enumerate("RGB"):
        at = 0 if channels[0] == "L" else channels.find(letter)
        want = given[1:4, 2:7, at] if at >= 0 else 0
        assert (out[:3, :5, n] == want).all()


def test_transfer_and_maps(g: Gl) -> None:
    image = np.array([[0, 51, 102, 255]], np.uint8)
    g.Clear(COLOR_DEPTH)
    g.WindowPos2f(0.0, 0.0)
    g.PixelTransferf(gl.GL_RED_SCALE, 2.0)
    g.PixelTransferf(gl.GL_GREEN_BIAS, 0.2)
    g.PixelTransferi(gl.GL_MAP_COLOR, 1)
    line, turned = np.linspace(0, 1, 256, dtype=np.float32), np.array([1.0, 0.0], np.float32)
    for which in range(gl.GL_PIXEL_MAP_R_TO_R, gl.GL_PIXEL_MAP_A_TO_A + 1):
        g.PixelMapfv(which, 256, line.ctypes.data)
    g.PixelMapfv(gl.GL_PIXEL_MAP_B_TO_B, 2, turned.ctypes.data)
    g.DrawPixels(4, 1, gl.GL_LUMINANCE, gl.GL_UNSIGNED_BYTE, image.ctypes.data)
    for name, value in ((gl.GL_RED_SCALE, 1.0), (gl.GL_GREEN_BIAS, 0.0), (gl.GL_MAP_COLOR, 0.0)):
        g.PixelTransferf(name, value)  # they hold for reading, too
    assert g.pixels()[0, :4, :3].tolist() == [
        [0, 51, 255], [102, 102, 255], [204, 153, 255], [255, 255, 0]]


def test_depth_pixels(g: Gl) -> None:
    given = np.linspace(0.0, 1.0, 24).astype(np.float32).reshape(4, 6)
    g.Enable(gl.GL_DEPTH_TEST)
    g.DepthFunc(gl.GL_ALWAYS)
    g.Clear(COLOR_DEPTH)
    g.Color3f(1.0, 0.0, 0.0)
    g.WindowPos2f(7.0, 9.0)
    g.DrawPixels(6, 4, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, given.ctypes.data)
    out = np.zeros((4, 6), np.uint32)
    read = (6, 4, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, out.ctypes.data)
    g.ReadPixels(7, 9, *read)
    assert np.abs((out >> 8) / (2.0**24 - 1) - given).max() <= 1 / 2.0**24
    assert len(drawn(g)) == 24
    first = out.copy()
    g.WindowPos2f(30.0, 30.0)
    g.CopyPixels(7, 9, 6, 4, gl.GL_DEPTH)
    g.ReadPixels(30, 30, *read)
    assert (np.abs(out.astype(np.int64) - first) >> 8).max() <= 1
    one = np.zeros(1, np.uint8)
    for format, type_, error in (
        (gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_OPERATION),
        (gl.GL_RGB, gl.GL_UNSIGNED_SHORT_4_4_4_4, gl.GL_INVALID_OPERATION),
        (gl.GL_ZERO, gl.GL_UNSIGNED_BYTE, gl.GL_INVALID_ENUM),
        (gl.GL_RGB, gl.GL_ZERO, gl.GL_INVALID_ENUM),
    ):
        g.DrawPixels(1, 1, format, type_, one.ctypes.data)
        assert g.error() == error
    g.CopyPixels(0, 0, 1, 1, gl.GL_STENCIL)
    assert g.error() == gl.GL_INVALID_OPERATION
    g.CopyPixels(0, 0, 1, 1, gl.GL_RGB)
    assert g.error() == gl.GL_INVALID_ENUM


def test_tokens_and_hits(g: Gl) -> None:
    """GL 2.1, 5.2, 5.3: pixels are tokens in feedback, raster positions hits in selection."""
    out = np.zeros(40, np.float32)
    g.FeedbackBuffer(40, gl.GL_3D_COLOR, out.ctypes.data)
    g.RenderMode(gl.GL_FEEDBACK)
    g.Color4f(0.25, 0.5, 0.75, 1.0)
    g.WindowPos3f(10.0, 20.0, 0.5)
    g.Bitmap(3, 2, 0.0, 0.0, 5.0, 1.0, BITS.ctypes.data)
    g.DrawPixels(1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, BITS.ctypes.data)
    g.CopyPixels(0, 0, 1, 1, gl.GL_COLOR)
    g.RenderMode(gl.GL_RENDER)
    vertices = [[10.0, 20.0, 0.5], [15.0, 21.0, 0.5], [15.0, 21.0, 0.5]]
    tokens = (gl.GL_BITMAP_TOKEN, gl.GL_DRAW_PIXEL_TOKEN, gl.GL_COPY_PIXEL_TOKEN)
    want = [[t, *v, 0.25, 0.5, 0.75, 1.0] for t, v in zip(tokens, vertices, strict=True)]
    assert out[:24].reshape(3, 8).tolist() == want and (out[24:] == 0).all()
    assert not drawn(g, (64, 128, 191))
    names = np.zeros(16, np.uint32)
    g.SelectBuffer(16, names.ctypes.data)
    g.RenderMode(gl.GL_SELECT)
    g.InitNames()
    g.PushName(7)
    g.Bitmap(3, 2, 0.0, 0.0, 0.0, 0.0, BITS.ctypes.data)  # no hit
    g.LoadName(8)
    g.RasterPos2f(0.0, 0.0)
    g.LoadName(9)
    g.RasterPos2f(5.0, 0.0)  # outside
    g.RenderMode(gl.GL_RENDER)
    assert names[0] == 1 and names[3] == 8 and not names[4:].any()
    assert g.error() == 0


def test_wild_sizes(g: Gl) -> None:
    """Numbers that would wrap around, zooms that leave the window: errors or nothing."""
    one = np.zeros(64, np.uint8)
    many = 0x7FFFFFFF
    storage = np.zeros(256, np.uint8)
    buffer, share = BufferObject.ctype()(), g.st.n.shared
    buffer.data, buffer.size = storage.ctypes.data + Storage.size, 128
    Storage.view(storage.ctypes.data).size = 128
    g.WindowPos2f(3.0, 3.0)
    for zoom in (0.0, 1e-30, -1e-30, float("inf"), float("nan"), 1e30):
        g.PixelZoom(zoom, zoom)
        g.DrawPixels(2, 2, gl.GL_RGBA, gl.GL_FLOAT, one.ctypes.data)
        g.CopyPixels(-many, -many, many, many, gl.GL_COLOR)
        g.CopyPixels(0, 0, many, many, gl.GL_COLOR)
    assert g.error() == 0 and share
    g.PixelZoom(1.0, 1.0)
    g.st.n.pixel.unpack_buffer = ctypes.addressof(buffer)
    for store in (0, many):
        for name in (gl.GL_UNPACK_ROW_LENGTH, gl.GL_UNPACK_SKIP_ROWS, gl.GL_UNPACK_SKIP_PIXELS):
            g.PixelStorei(name, store)
        g.DrawPixels(many, many, gl.GL_RGBA, gl.GL_FLOAT, 0)
        assert g.error() == gl.GL_INVALID_OPERATION
        g.Bitmap(many, many, 0.0, 0.0, 0.0, 0.0, 0)
        assert g.error() == gl.GL_INVALID_OPERATION
    g.st.n.pixel.unpack_buffer = 0


def test_a_clear_of_depth_keeps_stencil_pixels() -> None:
    """What stencil value all pixels have is not known any more once stencil pixels were drawn."""
    g = WithStencil()
    values = np.arange(64, dtype=np.uint8)
    out = np.zeros(64, np.uint8)
    g.Clear(gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
    g.WindowPos3f(4.0, 8.0, 0.0)
    g.DrawPixels(8, 8, gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, values.ctypes.data)
    g.Clear(gl.GL_DEPTH_BUFFER_BIT)
    g.ReadPixels(4, 8, 8, 8, gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, out.ctypes.data)
    assert (out == values).all()
    g.WindowPos3f(21.0, 30.0, 0.0)
    g.CopyPixels(4, 8, 8, 8, gl.GL_STENCIL)
    g.PixelZoom(2.0, -1.0)
    g.WindowPos3f(41.0, 60.0, 0.0)
    g.CopyPixels(4, 8, 8, 8, gl.GL_STENCIL)
    g.Clear(gl.GL_DEPTH_BUFFER_BIT)
    g.ReadPixels(21, 30, 8, 8, gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, out.ctypes.data)
    assert (out == values).all()
    wide = np.zeros((8, 16), np.uint8)
    g.ReadPixels(41, 52, 16, 8, gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, wide.ctypes.data)
    assert (wide == values.reshape(8, 8)[::-1].repeat(2, axis=1)).all()
    g.st.destroy()
    g.pipe.destroy()


def test_pixels_of_nothing_want_a_complete_framebuffer(g: Gl) -> None:
    """GL 4.6, 9.4.4: as where there are some."""
    names = (ctypes.c_uint * 1)()
    g.GenFramebuffers(1, ctypes.addressof(names))
    g.BindFramebuffer(gl.GL_FRAMEBUFFER, names[0])
    for name, args in (
        ("DrawPixels", (0, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, 0)),
        ("DrawPixels", (1, 0, gl.GL_GREEN, gl.GL_SHORT, 0)),
        ("Bitmap", (0, 0, 0.0, 0.0, 0.0, 0.0, 0)),
    ):
        getattr(g, name)(*args)
        assert g.error() == gl.GL_INVALID_FRAMEBUFFER_OPERATION, name
