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
    monkeypatch.setattr(options, "MESA_GL_VERSION_OVERRIDE", "")
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
