# SPDX-License-Identifier: MIT
"""Corners that the scenes of tests/pictures avoid because the peer is wrong there: what GL says, in
numbers, on the real driver. docs/avoided.md names each corner and its test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from pydri.api import enums as gl
from tests.unit.st.test_pixels import WithStencil as Gl
from tests.unit.st.test_with_llvm import HEIGHT, WIDTH

EVERYTHING = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT
CORNERS = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
"""A square, counter-clockwise: from column 24 to 72, from row 20 to 60 of the window."""
EIGHTH = 2.0**20
"""Units of polygon offset in an eighth of the depth range: of 24 bits, one is two steps."""
Corners = list[tuple[float, float]]


@pytest.fixture
def g() -> Iterator[Gl]:
    made = Gl()
    made.Clear(EVERYTHING)
    yield made
    made.st.destroy()
    made.pipe.destroy()


def depths(g: Gl) -> np.ndarray:
    """Depth of each pixel, rows from the bottom."""
    out = np.zeros((HEIGHT, WIDTH), np.float32)
    g.ReadPixels(0, 0, WIDTH, HEIGHT, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, out.ctypes.data)
    assert g.error() == 0
    return out


def drawn(g: Gl) -> np.ndarray:
    """Which pixels are not black."""
    return g.pixels()[..., :3].any(axis=-1)


def draw(g: Gl, mode: int, corners: Corners, depth: Callable[[float], float] | float = 0) -> None:
    """One primitive; `depth` is z, or z as a function of x."""
    g.Begin(mode)
    for x, y in corners:
        g.Vertex3f(x, y, depth(x) if callable(depth) else float(depth))
    g.End()


def colour(g: Gl) -> np.ndarray:
    """Red, green, blue in the middle of a square that covers the window, as floats."""
    g.quad()
    return g.pixels()[40, 40, :3] / 255


# -- polygons as edges and corners


@pytest.mark.parametrize("enables", range(8))
@pytest.mark.parametrize("mode", [gl.GL_FILL, gl.GL_LINE, gl.GL_POINT])
def test_each_polygon_mode_has_its_own_offset(g: Gl, mode: int, enables: int) -> None:
    kinds = (gl.GL_POLYGON_OFFSET_FILL, gl.GL_POLYGON_OFFSET_LINE, gl.GL_POLYGON_OFFSET_POINT)
    g.Enable(gl.GL_DEPTH_TEST)
    g.PolygonOffset(0.0, -EIGHTH)
    for n, kind in enumerate(kinds):
        if enables >> n & 1:
            g.Enable(kind)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, mode)
    draw(g, gl.GL_QUADS, CORNERS)
    number = (gl.GL_FILL, gl.GL_LINE, gl.GL_POINT).index(mode)
    expect = 0.375 if enables >> number & 1 else 0.5
    found = depths(g)
    assert found.min() == pytest.approx(expect, abs=1e-6)
    assert (np.abs(found - expect) < 1e-6).sum() + (found == 1).sum() == found.size


@pytest.mark.parametrize("first", [0, 1])
def test_each_face_has_the_offset_of_its_mode(g: Gl, first: int) -> None:
    """Whatever face comes first in a batch (Mesa's draw module lets the first decide for all)."""
    g.Enable(gl.GL_DEPTH_TEST)
    g.PolygonOffset(0.0, -EIGHTH)
    g.Enable(gl.GL_POLYGON_OFFSET_FILL)
    g.PolygonMode(gl.GL_FRONT, gl.GL_LINE)
    g.PolygonMode(gl.GL_BACK, gl.GL_FILL)
    front = [(-0.9, -0.5), (-0.1, -0.5), (-0.5, 0.5)]
    back = [(0.9, -0.5), (0.1, -0.5), (0.5, 0.5)]
    draw(g, gl.GL_TRIANGLES, back + front if first else front + back)
    found = depths(g)
    left, right = found[:, : WIDTH // 2], found[:, WIDTH // 2 :]
    assert left.min() == pytest.approx(0.5, abs=1e-6)
    assert right.min() == pytest.approx(0.375, abs=1e-6)
    assert (right < 1).sum() > 600


@pytest.mark.parametrize("mode", [gl.GL_FILL, gl.GL_LINE])
def test_offset_depths_are_clamped_by_the_fragment(g: Gl, mode: int) -> None:
    g.Enable(gl.GL_DEPTH_TEST)
    g.DepthFunc(gl.GL_ALWAYS)
    g.Enable(gl.GL_POLYGON_OFFSET_FILL)
    g.Enable(gl.GL_POLYGON_OFFSET_LINE)
    g.PolygonOffset(0.0, 2 * EIGHTH)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, mode)
    wide = [(-1.0, -0.51), (1.0, -0.51), (1.0, 0.49), (-1.0, 0.49)]
    draw(g, gl.GL_QUADS, wide, lambda x: x)
    found = depths(g)[19]  # a row of the lower edge
    expect = np.minimum((np.arange(WIDTH) + 0.5) / WIDTH + 0.25, 1)
    if mode == gl.GL_FILL:
        found = depths(g)[30]
    # where an edge's fragments get their depth within the pixel is a pixel's slope at most
    assert np.abs(found - expect)[2:-2].max() <= 1.01 / WIDTH


def test_points_of_polygons_are_not_cut_at_the_viewport(g: Gl) -> None:
    g.Viewport(24, 20, 48, 40)
    g.PointSize(9.0)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_POINT)
    draw(g, gl.GL_QUADS, [(x * 1.98, y * 1.98) for x, y in CORNERS])
    found = drawn(g)
    assert found[20 - 3, 24 - 3] and found[59 + 3, 71 + 3]
    assert found.sum() == 4 * 81


@pytest.mark.parametrize("mode", [gl.GL_LINE, gl.GL_POINT])
def test_edges_have_the_stencil_of_their_face(g: Gl, mode: int) -> None:
    g.Enable(gl.GL_STENCIL_TEST)
    g.StencilFuncSeparate(gl.GL_FRONT, gl.GL_NEVER, 0, 255)
    g.StencilFuncSeparate(gl.GL_BACK, gl.GL_ALWAYS, 0, 255)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, mode)
    draw(g, gl.GL_QUADS, CORNERS)
    assert not drawn(g).any()
    draw(g, gl.GL_QUADS, CORNERS[::-1])
    assert drawn(g).sum() >= 4


@pytest.mark.parametrize("mode", [gl.GL_LINE, gl.GL_POINT])
def test_polygon_stipple_is_for_filled_polygons(g: Gl, mode: int) -> None:
    pattern = np.zeros(128, np.uint8)
    g.PolygonStipple(pattern.ctypes.data)
    g.Enable(gl.GL_POLYGON_STIPPLE)
    draw(g, gl.GL_QUADS, CORNERS)
    assert not drawn(g).any()
    g.PolygonMode(gl.GL_FRONT_AND_BACK, mode)
    draw(g, gl.GL_QUADS, CORNERS)
    with_stipple = drawn(g)
    g.Clear(EVERYTHING)
    g.Disable(gl.GL_POLYGON_STIPPLE)
    draw(g, gl.GL_QUADS, CORNERS)
    assert with_stipple.any() and (with_stipple == drawn(g)).all()


STRIP = [CORNERS[0], CORNERS[1], CORNERS[3], CORNERS[2]]


@pytest.mark.parametrize(
    ("mode", "corners", "counts"),
    [
        (gl.GL_TRIANGLE_STRIP, STRIP, False),
        (gl.GL_TRIANGLE_FAN, CORNERS, False),
        (gl.GL_QUAD_STRIP, STRIP, False),
        (gl.GL_QUADS, CORNERS, True),
        (gl.GL_POLYGON, CORNERS, True),
        (gl.GL_TRIANGLES, CORNERS[:3], True),
    ],
)
def test_edge_flags_count_for_separate_polygons(
    g: Gl, mode: int, corners: Corners, counts: bool
) -> None:
    g.PolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
    draw(g, mode, corners)
    every = drawn(g)
    g.Clear(EVERYTHING)
    g.EdgeFlag(0)
    draw(g, mode, corners)
    assert every.any()
    assert (drawn(g) == (every & (not counts))).all()


def test_a_single_quad_is_cut_as_one_of_many(g: Gl) -> None:
    """Colours show along which diagonal."""

    def quads(count: int) -> np.ndarray:
        g.Clear(EVERYTHING)
        g.Begin(gl.GL_QUADS)
        for n in range(count):
            for (x, y), c in zip(CORNERS, (0.0, 1.0, 0.0, 0.25), strict=True):
                g.Color3f(c, c, 1.0)
                g.Vertex2f(x if n == 0 else x * 0.01 + 0.9, y)
        g.End()
        return g.pixels()[:, : int(WIDTH * 0.8)]

    assert (quads(1) == quads(2)).all()


@pytest.mark.parametrize("length", [0.0, 0.1, 0.5, 1.0, 3.0])
def test_short_smooth_lines_cover_their_area(g: Gl, length: float) -> None:
    """However short: curves of many pieces are as bright as those of few."""
    g.Enable(gl.GL_LINE_SMOOTH)
    g.Enable(gl.GL_BLEND)
    g.BlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE)
    g.LineWidth(4.0)
    g.Color3f(1.0, 0.0, 0.0)
    g.Begin(gl.GL_LINES)
    g.Vertex2f(0.1, 0.1)
    g.Vertex2f(0.1 + 2 * length / WIDTH, 0.1)
    g.End()
    assert g.pixels()[..., 0].sum() / 255 == pytest.approx(4 * length, abs=0.03)


# -- colours


def test_specular_light_of_shininess_zero_is_attenuated_only(g: Gl) -> None:
    """x^0 is 1, even of x = 0."""
    g.Enable(gl.GL_LIGHTING)
    g.Enable(gl.GL_LIGHT0)
    g.LightModelfv(gl.GL_LIGHT_MODEL_AMBIENT, [0.0, 0.0, 0.0, 1.0])
    g.Lightfv(gl.GL_LIGHT0, gl.GL_POSITION, [0.0, 0.0, 1000.0, 1.0])
    g.Lightf(gl.GL_LIGHT0, gl.GL_CONSTANT_ATTENUATION, 2.0)
    g.Materialfv(gl.GL_FRONT, gl.GL_AMBIENT_AND_DIFFUSE, [0.0, 0.0, 0.0, 1.0])
    g.Materialfv(gl.GL_FRONT, gl.GL_SPECULAR, [1.0, 0.5, 0.25, 1.0])
    g.Materialf(gl.GL_FRONT, gl.GL_SHININESS, 0.0)
    g.Normal3f(0.0, 0.0, 1.0)
    np.testing.assert_allclose(colour(g), [0.5, 0.25, 0.125], atol=0.005)
    g.Normal3f(0.999, 0.0, 0.045)
    np.testing.assert_allclose(colour(g), [0.5, 0.25, 0.125], atol=0.005)


def test_fog_is_laid_over_the_clamped_sum_of_colours(g: Gl) -> None:
    g.Enable(gl.GL_COLOR_SUM)
    g.Enable(gl.GL_FOG)
    g.Fogi(gl.GL_FOG_MODE, gl.GL_LINEAR)
    g.Fogi(gl.GL_FOG_COORD_SRC, gl.GL_FOG_COORD)
    g.Fogfv(gl.GL_FOG_COLOR, [0.0, 0.0, 1.0, 1.0])
    g.FogCoordf(0.5)
    g.Color3f(0.75, 0.5, 0.0)
    g.SecondaryColor3f(0.75, 0.25, 0.0)
    np.testing.assert_allclose(colour(g), [0.5, 0.375, 0.5], atol=0.005)


def test_negative_fog_coordinates_are_before_the_fog(g: Gl) -> None:
    g.Enable(gl.GL_FOG)
    g.Fogi(gl.GL_FOG_MODE, gl.GL_LINEAR)
    g.Fogf(gl.GL_FOG_START, -1.0)
    g.Fogi(gl.GL_FOG_COORD_SRC, gl.GL_FOG_COORD)
    g.Fogfv(gl.GL_FOG_COLOR, [0.0, 0.0, 1.0, 1.0])
    g.Color3f(1.0, 0.0, 0.0)
    for coord, factor in ((-0.5, 0.75), (-2.0, 1.0), (0.5, 0.25)):
        g.FogCoordf(coord)
        np.testing.assert_allclose(colour(g), [factor, 0, 1 - factor], atol=0.005)


@pytest.mark.parametrize("face", [gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK])
def test_color_material_of_each_face(g: Gl, face: int) -> None:
    g.Enable(gl.GL_LIGHTING)
    g.LightModelfv(gl.GL_LIGHT_MODEL_AMBIENT, [1.0, 1.0, 1.0, 1.0])
    g.LightModeli(gl.GL_LIGHT_MODEL_TWO_SIDE, 1)
    g.Materialfv(gl.GL_FRONT_AND_BACK, gl.GL_AMBIENT, [0.5, 0.25, 0.75, 1.0])
    g.ColorMaterial(face, gl.GL_AMBIENT)
    g.Enable(gl.GL_COLOR_MATERIAL)
    g.Color3f(0.2, 0.6, 0.4)
    for side, winding in ((gl.GL_FRONT, gl.GL_CCW), (gl.GL_BACK, gl.GL_CW)):
        g.FrontFace(winding)
        follows = face in (side, gl.GL_FRONT_AND_BACK)
        expect = [0.2, 0.6, 0.4] if follows else [0.5, 0.25, 0.75]
        np.testing.assert_allclose(colour(g), expect, atol=0.005)


def test_materials_and_colours_take_effect_at_once(g: Gl) -> None:
    """Behind a glColorMaterial that lets a property follow, behind glPopAttrib, and before the
    first lit draw."""
    g.LightModelfv(gl.GL_LIGHT_MODEL_AMBIENT, [1.0, 1.0, 1.0, 1.0])
    g.Materialfv(gl.GL_FRONT, gl.GL_AMBIENT, [0.5, 0.25, 0.75, 1.0])
    g.Enable(gl.GL_LIGHTING)
    np.testing.assert_allclose(colour(g), [0.5, 0.25, 0.75], atol=0.005)
    g.PushAttrib(gl.GL_ALL_ATTRIB_BITS)
    g.ColorMaterial(gl.GL_FRONT, gl.GL_AMBIENT)
    g.Enable(gl.GL_COLOR_MATERIAL)
    g.Color3f(0.2, 0.6, 0.4)
    g.Disable(gl.GL_COLOR_MATERIAL)
    np.testing.assert_allclose(colour(g), [0.2, 0.6, 0.4], atol=0.005)
    g.Materialfv(gl.GL_FRONT, gl.GL_AMBIENT, [0.1, 0.9, 0.3, 1.0])
    np.testing.assert_allclose(colour(g), [0.1, 0.9, 0.3], atol=0.005)
    g.PopAttrib()
    np.testing.assert_allclose(colour(g), [0.5, 0.25, 0.75], atol=0.005)


@pytest.mark.parametrize("mode", [gl.GL_COMPILE, gl.GL_COMPILE_AND_EXECUTE])
def test_the_last_colour_of_a_listed_loop_stays(g: Gl, mode: int) -> None:
    """GL 2.1, 5.4: a list sets what its commands set."""
    g.NewList(1, mode)
    g.Begin(gl.GL_LINE_LOOP)
    for n, (x, y) in enumerate(CORNERS):
        g.Color3f(0.2 * n, 0.5, 1.0)
        g.Vertex2f(x, y)
    g.End()
    g.EndList()
    if mode == gl.GL_COMPILE:
        g.CallList(1)
    np.testing.assert_allclose(colour(g), [0.6, 0.5, 1.0], atol=0.005)


def test_a_colour_of_three_numbers_is_opaque(g: Gl) -> None:
    g.Enable(gl.GL_BLEND)
    g.BlendFunc(gl.GL_SRC_ALPHA, gl.GL_ZERO)
    g.Color4f(1.0, 1.0, 1.0, 0.25)
    g.Color3f(1.0, 0.5, 0.25)
    np.testing.assert_allclose(colour(g), [1, 0.5, 0.25], atol=0.005)


def test_pop_brings_back_what_fog_follows_and_how_colours_blend(g: Gl) -> None:
    """glPopAttrib of Mesa 22.3 leaves the source of fog coordinates as it is."""
    g.Enable(gl.GL_FOG)
    g.Fogi(gl.GL_FOG_MODE, gl.GL_LINEAR)
    g.Fogfv(gl.GL_FOG_COLOR, [0.0, 0.0, 1.0, 1.0])
    g.Color3f(1.0, 0.0, 0.0)
    g.FogCoordf(1.0)
    g.PushAttrib(gl.GL_ALL_ATTRIB_BITS)
    g.Fogi(gl.GL_FOG_COORD_SRC, gl.GL_FOG_COORD)
    g.BlendEquation(gl.GL_MIN)
    g.Enable(gl.GL_BLEND)
    g.Enable(gl.GL_COLOR_SUM)
    g.PopAttrib()
    g.SecondaryColor3f(0.0, 1.0, 0.0)
    np.testing.assert_allclose(colour(g), [1, 0, 0], atol=0.005)  # the eye's distance is 0
    g.Enable(gl.GL_BLEND)
    np.testing.assert_allclose(colour(g), [1, 0, 0], atol=0.005)


@pytest.mark.parametrize("w", [0.5, 1.0, 2.0])
def test_lights_see_vertices_divided_by_w(g: Gl, w: float) -> None:
    """A positional light's attenuation follows the distance to the vertex in the eye's space."""
    g.Enable(gl.GL_LIGHTING)
    g.Enable(gl.GL_LIGHT0)
    g.LightModelfv(gl.GL_LIGHT_MODEL_AMBIENT, [0.0, 0.0, 0.0, 1.0])
    g.Lightfv(gl.GL_LIGHT0, gl.GL_POSITION, [0.0, 0.0, 1.0, 1.0])
    g.Lightfv(gl.GL_LIGHT0, gl.GL_DIFFUSE, [0.0, 0.0, 0.0, 1.0])
    g.Lightfv(gl.GL_LIGHT0, gl.GL_AMBIENT, [1.0, 1.0, 1.0, 1.0])
    g.Lightf(gl.GL_LIGHT0, gl.GL_LINEAR_ATTENUATION, 1.0)
    g.Materialfv(gl.GL_FRONT, gl.GL_AMBIENT, [1.0, 0.5, 0.25, 1.0])
    g.PointSize(9.0)
    g.Begin(gl.GL_POINTS)
    g.Vertex4f(0.0, 0.0, 0.0, w)
    g.End()
    np.testing.assert_allclose(
        g.pixels()[HEIGHT // 2, WIDTH // 2, :3] / 255, [0.5, 0.25, 0.125], atol=0.005
    )


@pytest.mark.parametrize("func", [gl.GL_LESS, gl.GL_LEQUAL])
def test_offset_lines_show_on_their_polygons(g: Gl, func: int) -> None:
    """GL's own remedy for equal depths: both edges of a fan's triangles, all over the faces."""
    g.Enable(gl.GL_DEPTH_TEST)
    g.DepthFunc(func)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
    g.Color3f(1.0, 0.0, 0.0)
    draw(g, gl.GL_TRIANGLE_FAN, CORNERS, lambda x: 0.9 * x)
    alone = drawn(g)
    g.Clear(EVERYTHING)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_FILL)
    g.Enable(gl.GL_POLYGON_OFFSET_FILL)
    g.PolygonOffset(1.0, 4.0)
    g.Color3f(0.0, 0.0, 1.0)
    draw(g, gl.GL_TRIANGLE_FAN, CORNERS, lambda x: 0.9 * x)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
    g.Color3f(1.0, 0.0, 0.0)
    draw(g, gl.GL_TRIANGLE_FAN, CORNERS, lambda x: 0.9 * x)
    assert alone.sum() > 150
    assert ((g.pixels()[..., 0] == 255) == alone).all()


def test_the_pattern_goes_on_around_a_polygon(g: Gl) -> None:
    """GL 2.1, 3.5.4: an unclipped polygon's edges are stippled as those of a line loop."""
    g.LineStipple(3, 0x00FF)
    g.Enable(gl.GL_LINE_STIPPLE)
    draw(g, gl.GL_LINE_LOOP, CORNERS)
    loop = drawn(g).sum()
    g.Clear(EVERYTHING)
    g.PolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
    draw(g, gl.GL_POLYGON, CORNERS)
    edges = drawn(g)
    assert abs(int(edges.sum()) - int(loop)) <= 4 and 0.4 < edges.sum() / 176 < 0.6


def test_a_stippled_line_has_the_colours_of_the_line(g: Gl) -> None:
    """GL 2.1, 3.4.2: stippling masks fragments of the line; what they are stays, in perspective."""
    pictures = []
    for stippled in (False, True):
        g.Clear(EVERYTHING)
        g.LineStipple(2, 0x5A3C)
        (g.Enable if stippled else g.Disable)(gl.GL_LINE_STIPPLE)
        g.Begin(gl.GL_LINES)
        for x, w, red in ((-0.875, 1.0, 1.0), (0.875, 8.0, 0.25)):
            g.Color3f(red, 1.25 - red, 1.0)
            g.Vertex4f(x * w, 0.3 * x * w, 0.0, w)
        g.End()
        pictures.append(g.pixels().copy())
    whole, some = pictures
    on = some[..., :3].any(axis=-1)
    assert 30 < on.sum() < 60
    assert (some[on] == whole[on]).all()


def test_an_image_covers_the_centres_on_its_lower_and_left_borders(g: Gl) -> None:
    """And not those on its upper and right ones (GL 2.1, 3.6.4, "Conversion to Fragments")."""
    image = np.full((3, 4, 4), 255, np.uint8)
    g.WindowPos2f(10.5, 20.5)
    g.DrawPixels(4, 3, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, image.ctypes.data)
    expect = np.zeros((HEIGHT, WIDTH), bool)
    expect[20:23, 10:14] = True
    assert (drawn(g) == expect).all()
