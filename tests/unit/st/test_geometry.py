# SPDX-License-Identifier: MIT
"""Programs with a geometry shader, from entry points to pixels, on both drivers."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pipe_llvm
import pipe_soft
from pydri.api import enums as gl
from pydri.api.dispatch import GLError
from pydri.main.shaders import objects
from pydri.main.shaders.primitives import TAKEN
from pydri.st.context import create_context
from pydri.util.options import options
from tests.unit.st.test_context import Config
from tests.unit.st.test_glsl import FRAGMENT, VERTEX, Shaded
from tests.unit.st.test_with_llvm import BOTH, HEIGHT, WIDTH, RealDrawable

DRIVERS = {"soft": pipe_soft.create_screen, "llvm": pipe_llvm.create_screen}
HEAD = "#version 150 compatibility\n"
PASS = HEAD + "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }"
COLOR = HEAD + "out vec4 color; void main() { color = gl_Color; }"
#: a rectangle in the middle of each point, half as large as its number is
SPRITE = HEAD + """layout(points) in; layout(triangle_strip, max_vertices = 4) out;
void main() { for (int i = 0; i < 4; i++) { gl_FrontColor = gl_in[0].gl_FrontColor;
gl_Position = gl_in[0].gl_Position + vec4(vec2(i & 1, i >> 1) * 0.5 - 0.25, 0.0, 0.0);
EmitVertex(); } }"""


class Versioned(Shaded):
    """A context of OpenGL 3.2 in the compatibility profile."""

    def __init__(self, driver: str) -> None:
        self.screen = DRIVERS[driver](None)
        self.pipe = self.screen.context_create()
        self.st = create_context(self.pipe, Config(), None, None)
        self.drawable = RealDrawable(self.screen, self.zs_format)
        self.st.make_current(self.drawable, self.drawable)

    def linked(self, *stages: tuple[int, str], captures: tuple[str, ...] = ()) -> int:
        """A program; it becomes the current one."""
        name = self.call("CreateProgram")
        for kind, text in stages:
            self.python("AttachShader", name, self.shader(kind, text))
        names = (ctypes.c_char_p * len(captures))(*(text.encode() for text in captures))
        if captures:
            self.python("TransformFeedbackVaryings", name, len(captures),
                        ctypes.addressof(names), gl.GL_INTERLEAVED_ATTRIBS)  # fmt: skip
        self.python("LinkProgram", name)
        found = objects.program_of(self.st.gl, name)
        assert found.n.linked, found.log
        self.UseProgram(name)
        return name

    def geometry(self, text: str, **more: Any) -> int:
        return self.linked((VERTEX, PASS), (gl.GL_GEOMETRY_SHADER, text), (FRAGMENT, COLOR), **more)

    def error(self) -> int:
        found = int(self.st.n.error)
        self.st.n.error = 0
        return found

    def vertices(self, mode: int, places: Any) -> None:
        self.Begin(mode)
        for place in places:
            self.Vertex4f(*map(float, place))
        self.End()

    def number(self, program: int, what: int) -> int:
        """glGetProgramiv; an error instead, if there is one."""
        out = ctypes.c_int32(-7)
        try:
            self.python("GetProgramiv", program, what, ctypes.addressof(out))
        except GLError as error:
            return error.enum
        return out.value


@pytest.fixture(params=list(DRIVERS))
def g(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Versioned]:
    monkeypatch.setattr(options, "MESA_GL_VERSION_OVERRIDE", "3.2COMPAT")
    made = Versioned(request.param)
    yield made
    made.destroy()


def box(pixels: Any) -> Any:
    """Which pixels are not black."""
    return pixels[..., :3].any(axis=-1)


def test_points_become_rectangles(g: Versioned) -> None:
    g.geometry(SPRITE)
    g.Clear(BOTH)
    g.Color3f(1.0, 0.5, 0.0)
    g.vertices(gl.GL_POINTS, [(-0.5, -0.5, 0, 1), (0.5, 0.5, 0, 1)])
    wanted = np.zeros((HEIGHT, WIDTH), bool)
    for n in (1, 5):
        rows, columns = (slice(n * size // 8, (n + 2) * size // 8) for size in (HEIGHT, WIDTH))
        wanted[rows, columns] = True
    found = g.pixels()
    assert (box(found) == wanted).all()
    assert (found[wanted] == (255, 128, 0, 255)).all()


def test_what_is_taken_and_made(g: Versioned) -> None:
    """OpenGL 3.2, 6.1.10; a mode that the shader does not take is GL_INVALID_OPERATION (2.12.1)."""
    program = g.geometry(SPRITE)
    assert g.number(program, gl.GL_GEOMETRY_VERTICES_OUT) == 4
    assert g.number(program, gl.GL_GEOMETRY_INPUT_TYPE) == gl.GL_POINTS
    assert g.number(program, gl.GL_GEOMETRY_OUTPUT_TYPE) == gl.GL_TRIANGLE_STRIP
    for mode in range(14):
        g.Begin(mode)
        g.End()
        g.DrawArrays(mode, 0, 0)
        assert g.error() == (0 if mode in TAKEN[gl.GL_POINTS] else gl.GL_INVALID_OPERATION)
    plain = g.linked((VERTEX, PASS), (FRAGMENT, COLOR))
    g.DrawArrays(gl.GL_TRIANGLES_ADJACENCY, 0, 0)
    assert g.error() == 0
    assert g.number(plain, gl.GL_GEOMETRY_INPUT_TYPE) == gl.GL_INVALID_OPERATION


def test_restarts_number_primitives_on(g: Versioned) -> None:
    """gl_PrimitiveIDIn counts the primitives of a command (OpenGL 3.2, 2.12.4)."""
    text = SPRITE.replace("gl_in[0].gl_FrontColor", "vec4(gl_PrimitiveIDIn + 1) / 8.0")
    g.geometry(text)
    places = np.float32([(x, 0.0, 0.0, 1.0) for x in (-0.75, -0.25, 0.25, 0.75)])
    indices = np.uint16([0, 0xFFFF, 1, 2, 0xFFFF, 0xFFFF, 3])
    g.EnableClientState(gl.GL_VERTEX_ARRAY)
    g.VertexPointer(4, gl.GL_FLOAT, 0, places.ctypes.data)
    g.Enable(gl.GL_PRIMITIVE_RESTART)
    g.PrimitiveRestartIndex(0xFFFF)
    for _ in range(2):
        g.Clear(BOTH)
        g.DrawElements(gl.GL_POINTS, len(indices), gl.GL_UNSIGNED_SHORT, indices.ctypes.data)
        row = g.pixels()[HEIGHT // 2, :: WIDTH // 4, 0]
        assert [round(int(v) / 255 * 8) for v in row] == [1, 2, 3, 4]


def test_the_line_that_closes_a_loop_is_counted(g: Versioned) -> None:
    """gl_PrimitiveID goes on behind it."""
    program = g.linked((VERTEX, PASS), (FRAGMENT, f"{HEAD}void main() {{ gl_FragColor = "
                                                  "vec4(gl_PrimitiveID + 1) / 8.0; }"))  # fmt: skip
    g.UseProgram(program)
    corners = ((-0.5, -0.5), (0.5, -0.5), (0.0, 0.5))
    places = np.float32([(x * size, y * size, 0.0, 1.0) for size in (0.5, 1.5) for x, y in corners])
    indices = np.uint16([0, 1, 2, 0xFFFF, 3, 4, 5])
    g.EnableClientState(gl.GL_VERTEX_ARRAY)
    g.VertexPointer(4, gl.GL_FLOAT, 0, places.ctypes.data)
    g.Enable(gl.GL_PRIMITIVE_RESTART)
    g.PrimitiveRestartIndex(0xFFFF)
    g.Clear(BOTH)
    g.DrawElements(gl.GL_LINE_LOOP, len(indices), gl.GL_UNSIGNED_SHORT, indices.ctypes.data)
    assert sorted({round(int(v) / 255 * 8) for v in g.pixels()[..., 0].ravel()}) == [*range(7)]


def test_contexts_without(g: Versioned, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "MESA_GL_VERSION_OVERRIDE", "2.1")
    older = Versioned("soft")
    assert older.call("CreateShader", gl.GL_GEOMETRY_SHADER) == 0
    assert older.error() == gl.GL_INVALID_ENUM
    older.Begin(gl.GL_LINES_ADJACENCY)
    assert older.error() == gl.GL_INVALID_ENUM
    program = older.linked((VERTEX, PASS.replace(HEAD, "")))
    assert older.number(program, gl.GL_GEOMETRY_VERTICES_OUT) == gl.GL_INVALID_ENUM
    older.destroy()


def test_transform_feedback_counts_what_is_made(g: Versioned) -> None:
    """The mode is that of what the geometry shader makes (OpenGL 3.2, 2.16)."""
    program = g.geometry(SPRITE, captures=("gl_Position",))
    name = (ctypes.c_uint32 * 1)()
    g.GenBuffers(1, ctypes.addressof(name))
    g.BindBuffer(gl.GL_TRANSFORM_FEEDBACK_BUFFER, name[0])
    g.BufferData(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 4096, 0, gl.GL_DYNAMIC_READ)
    g.BindBufferBase(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, name[0])
    for mode in (gl.GL_POINTS, gl.GL_LINES, gl.GL_TRIANGLES):
        g.BeginTransformFeedback(mode)
        g.vertices(gl.GL_POINTS, [(0.5, 0.25, 0, 1)])
        assert g.error() == (0 if mode == gl.GL_TRIANGLES else gl.GL_INVALID_OPERATION)
        g.EndTransformFeedback()
        g.error()
    found = np.zeros((6, 4), np.float32)
    g.GetBufferSubData(gl.GL_TRANSFORM_FEEDBACK_BUFFER, 0, found.nbytes, found.ctypes.data)
    corners = [(0.25, 0.0), (0.75, 0.0), (0.25, 0.5), (0.75, 0.5)]
    np.testing.assert_array_equal(found[:, :2], [corners[n] for n in (0, 1, 2, 2, 1, 3)])
    assert program


#: a triangle that covers all, in each of the layers; red says which one it is
EACH_LAYER = HEAD + """layout(points) in; layout(triangle_strip, max_vertices = 30) out;
void main() { for (int layer = 0; layer < 6; layer++) { for (int i = 0; i < 3; i++) {
gl_Layer = layer; gl_FrontColor = vec4(float(layer + 1) / 51.0, 0.0, 0.0, 1.0);
gl_Position = vec4(vec2(i & 1, i >> 1) * 4.0 - 1.0, 0.0, 1.0); EmitVertex(); } EndPrimitive(); } }
"""
SIDE = 16
#: target: how its level is given, with six layers where it has as many
LAYERED = {
    gl.GL_TEXTURE_1D_ARRAY: (SIDE, 6), gl.GL_TEXTURE_2D_ARRAY: (SIDE, SIDE, 6),
    gl.GL_TEXTURE_3D: (SIDE, SIDE, 6), gl.GL_TEXTURE_CUBE_MAP: (SIDE, SIDE),
    gl.GL_TEXTURE_CUBE_MAP_ARRAY: (SIDE, SIDE, 6),
}  # fmt: skip
FACES = [gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + n for n in range(6)]


def framebuffer(g: Versioned) -> None:
    name = (ctypes.c_uint32 * 1)()
    g.GenFramebuffers(1, ctypes.addressof(name))
    g.BindFramebuffer(gl.GL_FRAMEBUFFER, name[0])


def image(g: Versioned, target: int, size: tuple[int, ...], inner: int = gl.GL_RGBA8) -> None:
    """Level 0 of the texture that is bound, of zeros; of cubes the face `target`."""
    given = gl.GL_DEPTH_COMPONENT if inner == gl.GL_DEPTH_COMPONENT24 else gl.GL_RGBA
    kind = gl.GL_FLOAT if inner == gl.GL_DEPTH_COMPONENT24 else gl.GL_UNSIGNED_BYTE
    getattr(g, f"TexImage{len(size)}D")(target, 0, inner, *size, 0, given, kind, 0)


def texture(g: Versioned, target: int, name: int, *size: int, inner: int = gl.GL_RGBA8) -> int:
    g.BindTexture(target, name)
    g.TexParameteri(target, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    for part in FACES if target == gl.GL_TEXTURE_CUBE_MAP else [target]:
        image(g, part, size, inner)
    return name


def texels(g: Versioned, target: int) -> Any:
    """Of the texture that is bound, (layers, texels, 4)."""
    out = []
    for part in FACES if target == gl.GL_TEXTURE_CUBE_MAP else [target]:
        found = np.zeros((6 * SIDE * SIDE, 4), np.uint8)
        g.GetTexImage(part, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, found.ctypes.data)
        out.append(found[: SIDE * SIDE] if target == gl.GL_TEXTURE_CUBE_MAP else found)
    whole = np.concatenate(out)
    return (whole[: 6 * SIDE] if target == gl.GL_TEXTURE_1D_ARRAY else whole).reshape(6, -1, 4)


@pytest.mark.parametrize("target", LAYERED)
def test_layers_are_drawn_to(g: Versioned, target: int) -> None:
    """OpenGL 3.2, 4.4.7: cleared all at once, drawn to as gl_Layer says, read from layer 0."""
    g.geometry(EACH_LAYER)
    framebuffer(g)
    name = texture(g, target, 5, *LAYERED[target])
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, name, 0)
    assert g.call("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == gl.GL_FRAMEBUFFER_COMPLETE
    g.ClearColor(0.0, 1.0, 0.0, 1.0)
    g.Clear(gl.GL_COLOR_BUFFER_BIT)
    assert (texels(g, target) == (0, 255, 0, 255)).all()
    rows = 1 if target == gl.GL_TEXTURE_1D_ARRAY else SIDE
    g.Viewport(0, 0, SIDE, rows)
    g.vertices(gl.GL_POINTS, [(0, 0, 0, 1)])
    wanted = np.zeros((6, 1, 4), np.uint8)
    wanted[:, 0, 0], wanted[..., 3] = np.arange(5, 35, 5), 255
    assert (texels(g, target) == wanted).all()
    first = np.zeros((rows, SIDE, 4), np.uint8)
    g.ReadPixels(0, 0, SIDE, rows, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, first.ctypes.data)
    assert (first == wanted[0, 0]).all() and g.error() == 0


def test_a_clear_is_of_all_layers_of_each_attachment(g: Versioned) -> None:
    """GL 4.6, 9.8: also where another one has fewer. (The peer leaves layers beyond those alone.)
    """
    framebuffer(g)
    target = gl.GL_TEXTURE_2D_ARRAY
    fewer = texture(g, target, 6, SIDE, SIDE, 2)
    whole = texture(g, target, 5, SIDE, SIDE, 6)
    for place, name in enumerate((whole, fewer)):
        g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0 + place, name, 0)
    buffers = np.array([gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT1], np.uint32)
    g.DrawBuffers(2, buffers.ctypes.data)
    g.ClearColor(0.0, 1.0, 0.0, 1.0)
    g.Clear(gl.GL_COLOR_BUFFER_BIT)
    assert (texels(g, target) == (0, 255, 0, 255)).all() and g.error() == 0


def test_what_layered_attachments_may_be(g: Versioned) -> None:
    """OpenGL 3.2, 4.4.2 and 4.4.4: all are layered or none is, colours are of one target, a cube
    is complete; the number of layers may differ."""
    framebuffer(g)
    status = gl.GL_FRAMEBUFFER_COMPLETE
    wrong = gl.GL_FRAMEBUFFER_INCOMPLETE_LAYER_TARGETS
    array = texture(g, gl.GL_TEXTURE_2D_ARRAY, 5, SIDE, SIDE, 4)
    more = texture(g, gl.GL_TEXTURE_2D_ARRAY, 6, SIDE, SIDE, 2)
    volume = texture(g, gl.GL_TEXTURE_3D, 7, SIDE, SIDE, 4)
    flat = texture(g, gl.GL_TEXTURE_2D, 8, SIDE, SIDE)
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, array, 0)
    for other, found in ((more, status), (volume, wrong), (flat, wrong), (0, status)):
        g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT1, other, 0)
        assert g.call("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == found
    g.FramebufferTextureLayer(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT1, more, 0, 1)
    assert g.call("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == wrong
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT1, 0, 0)
    cube = texture(g, gl.GL_TEXTURE_CUBE_MAP, 9, SIDE, SIDE)
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, cube, 0)
    assert g.call("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == status
    image(g, FACES[3], (8, 8))
    incomplete = gl.GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT
    assert g.call("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == incomplete
    image(g, FACES[3], (SIDE, SIDE))
    assert g.call("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) == status
    layered = ctypes.c_int32()
    g.python("GetFramebufferAttachmentParameteriv", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0,
             gl.GL_FRAMEBUFFER_ATTACHMENT_LAYERED, ctypes.addressof(layered))  # fmt: skip
    assert layered.value == 1 and g.error() == 0


def test_a_buffer_texture_is_no_attachment(g: Versioned) -> None:
    framebuffer(g)
    g.BindTexture(gl.GL_TEXTURE_BUFFER, 5)
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, 5, 0)
    assert g.error() == gl.GL_INVALID_OPERATION


def test_depth_of_each_layer(g: Versioned) -> None:
    """Layers have depths of their own; the clear of a part leaves the rest of all of them."""
    g.geometry(EACH_LAYER.replace("0.0, 1.0); E", "float(layer) / 4.0 - 0.5, 1.0); E"))
    framebuffer(g)
    target = gl.GL_TEXTURE_2D_ARRAY
    depth = texture(g, target, 6, SIDE, SIDE, 6, inner=gl.GL_DEPTH_COMPONENT24)
    color = texture(g, target, 5, SIDE, SIDE, 6)
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, color, 0)
    g.FramebufferTexture(gl.GL_FRAMEBUFFER, gl.GL_DEPTH_ATTACHMENT, depth, 0)
    g.Viewport(0, 0, SIDE, SIDE)
    g.Enable(gl.GL_DEPTH_TEST)
    g.Clear(BOTH)
    g.Enable(gl.GL_SCISSOR_TEST)
    g.Scissor(0, 0, SIDE // 2, SIDE)
    g.ClearDepthf(0.5)
    g.Clear(gl.GL_DEPTH_BUFFER_BIT)
    g.Disable(gl.GL_SCISSOR_TEST)
    g.vertices(gl.GL_POINTS, [(0, 0, 0, 1)])
    found = texels(g, target).reshape(6, SIDE, SIDE, 4)[..., 0]
    wanted = np.repeat(np.arange(5, 35, 5), SIDE * SIDE).reshape(6, SIDE, SIDE)
    wanted[2:, :, : SIDE // 2] = 0  # not nearer than 0.5
    assert (found == wanted).all()


def test_feedback_and_selection_see_what_is_made(g: Versioned) -> None:
    """Of a point the two triangles of the sprite, with the last vertex' colour where shading is
    flat; of selection their depths (OpenGL 3.2 compatibility, 5.2 and 5.3)."""
    g.geometry(SPRITE.replace("gl_FrontColor = gl_in", "gl_FrontColor = float(i) * gl_in"))
    values = np.zeros(128, np.float32)
    g.FeedbackBuffer(128, gl.GL_3D_COLOR, values.ctypes.data)
    g.ShadeModel(gl.GL_FLAT)
    g.ClampColor(gl.GL_CLAMP_VERTEX_COLOR, gl.GL_FALSE)
    g.call("RenderMode", gl.GL_FEEDBACK)
    g.Color4f(1.0, 0.5, 0.25, 1.0)
    g.vertices(gl.GL_POINTS, [(0.0, 0.0, 0.5, 1), (4.0, 0.0, 0.0, 1)])
    size = 2 + 3 * 7
    assert g.call("RenderMode", gl.GL_RENDER) == 2 * size  # the other one lies outside
    corners = [(x * 0.5 - 0.25, y * 0.5 - 0.25) for y in (0, 1) for x in (0, 1)]
    for n, order in enumerate(((0, 1, 2), (2, 1, 3))):
        token = values[n * size : (n + 1) * size]
        assert token[:2].tolist() == [gl.GL_POLYGON_TOKEN, 3]
        rows = token[2:].reshape(3, 7)
        places = (np.array([corners[k] for k in order]) + 1) * (WIDTH / 2, HEIGHT / 2)
        np.testing.assert_allclose(rows[:, :2], places, rtol=1e-5)
        np.testing.assert_allclose(rows[:, 2], [0.75] * 3, rtol=1e-6)
        np.testing.assert_allclose(rows[:, 3:6], [np.array((1, 0.5, 0.25)) * (n + 2)] * 3)
    records = np.zeros(16, np.uint32)
    g.SelectBuffer(16, records.ctypes.data)
    g.call("RenderMode", gl.GL_SELECT)
    g.InitNames()
    g.PushName(7)
    g.vertices(gl.GL_POINTS, [(-1.2, 0.0, 0.5, 1)])  # a part of its sprite is seen
    assert g.call("RenderMode", gl.GL_RENDER) == 1
    assert records[:4].tolist() == [1, *[round(0.75 * 0xFFFFFFFF)] * 2, 7]
