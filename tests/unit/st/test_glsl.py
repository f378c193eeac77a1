# SPDX-License-Identifier: MIT
"""GLSL programs from entry points to pixels: what of the state their stages follow."""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

import pydri.main.entries  # noqa: F401 - registers the entries
from pydri.api import enums as gl
from pydri.api.dispatch import ENTRIES, GLError
from pydri.jit.cache import ObjectCache
from pydri.main.shaders import cache, link, objects
from pydri.util import stats
from pydri.util.options import options
from tests.unit import python_forms
from tests.unit.st.test_with_llvm import BOTH, Gl

python_forms.provide()
VERTEX, FRAGMENT = gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER
PASS = "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }"
COLOR = "void main() { gl_FragColor = gl_Color; }"


class Shaded(Gl):
    """A context with programs."""

    def python(self, name: str, *args: Any) -> Any:
        return ENTRIES["gl" + name][0](self.st.gl, *args)

    def call(self, name: str, *args: int) -> int:
        kind = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p, *[ctypes.c_uint32] * len(args))
        return int(kind(self.st.gl.image.address("gl" + name))(self.st.address, *args))

    def shader(self, kind: int, text: str) -> int:
        name = self.call("CreateShader", kind)
        texts = (ctypes.c_char_p * 1)(text.encode())
        self.python("ShaderSource", name, 1, ctypes.addressof(texts), 0)
        self.python("CompileShader", name)
        made = objects.shader_of(self.st.gl, name)
        link.settle(made)
        assert made.compiled, made.log
        return name

    def program(self, vertex: str = "", fragment: str = "", use: bool = True) -> int:
        name = self.call("CreateProgram")
        for kind, text in ((VERTEX, vertex), (FRAGMENT, fragment)):
            if text:
                self.python("AttachShader", name, self.shader(kind, text))
        self.python("LinkProgram", name)
        found = objects.program_of(self.st.gl, name)
        assert found.n.linked, found.log
        if use:
            self.UseProgram(name)
        return name

    def location(self, program: int, name: str) -> int:
        text = ctypes.create_string_buffer(name.encode())
        return int(self.python("GetUniformLocation", program, ctypes.addressof(text)))

    def middle(self) -> tuple[int, ...]:
        return tuple(int(v) for v in self.pixels()[40, 48])


@pytest.fixture
def g() -> Iterator[Shaded]:
    made = Shaded()
    yield made
    made.st.destroy()
    made.pipe.destroy()


def near(found: tuple[int, ...], *wanted: float) -> bool:
    return all(abs(f - 255 * w) <= 1.01 for f, w in zip(found, wanted, strict=False))


def test_both_stages(g: Shaded) -> None:
    g.program(PASS, "void main() { gl_FragColor = gl_Color.bgra * 0.5; }")
    g.Color4f(1.0, 0.5, 0.25, 1.0)
    g.Clear(BOTH)
    g.quad(0.5)
    assert near(g.middle(), 0.125, 0.25, 0.5)
    assert tuple(g.pixels()[2, 2, :3]) == (0, 0, 0)


@pytest.mark.parametrize("vertex", [False, True])
def test_blocks_do_not_change_draws_before(g: Shaded, vertex: bool) -> None:
    """Vertices that are collected from glBegin and glEnd read what a buffer held, and which one was
    bound, when they were given (GL 2.1, 2.1: commands are complete in their order)."""
    block = ("#version 120\n#extension GL_ARB_uniform_buffer_object : require\n"
             "layout(std140) uniform B { vec4 color; };\n")  # fmt: skip
    if vertex:
        g.program(block + PASS.replace("gl_Color", "color"), COLOR)
    else:
        g.program(PASS, block + COLOR.replace("gl_Color", "color"))
    colors = np.array([(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1)], np.float32)
    names = (ctypes.c_uint32 * 2)()
    g.GenBuffers(2, ctypes.addressof(names))
    for name, color in zip(names, (colors[0], colors[2]), strict=True):
        g.BindBuffer(gl.GL_UNIFORM_BUFFER, name)
        g.BufferData(gl.GL_UNIFORM_BUFFER, 16, color.ctypes.data, gl.GL_DYNAMIC_DRAW)
    g.BindBufferBase(gl.GL_UNIFORM_BUFFER, 0, names[0])
    g.Clear(BOTH)

    def strip(left: float) -> None:
        g.Begin(gl.GL_QUADS)
        for x, y in ((0.0, -1.0), (0.5, -1.0), (0.5, 1.0), (0.0, 1.0)):
            g.Vertex3f(left + x, y, 0.0)
        g.End()

    strip(-1.0)
    g.BufferSubData(gl.GL_UNIFORM_BUFFER, 0, 16, colors[1].ctypes.data)
    strip(-0.5)
    g.BindBufferBase(gl.GL_UNIFORM_BUFFER, 0, names[1])
    strip(0.0)
    out = g.pixels()[40, [12, 36, 60], :3]
    assert g.call("GetError") == 0
    assert out.tolist() == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]


def test_uniforms_do_not_change_draws_before(g: Shaded) -> None:
    name = g.program(
        "uniform vec2 shift; void main() { gl_Position = gl_Vertex + vec4(shift, 0.0, 0.0); }",
        "uniform vec4 colors[3]; uniform bool b; void main() { gl_FragColor = colors[1]; "
        "if (b) gl_FragColor = colors[2]; }")
    color, shift, b = (g.location(name, n) for n in ("colors[1]", "shift", "b"))
    g.Clear(BOTH)
    for n in range(4):
        g.Uniform4f(color, n / 3, 0.5, 1.0 - n / 3, 1.0)
        g.Uniform2f(shift, -0.75 + n * 0.5, 0.0)
        g.quad(0.2)
    g.Uniform1i(b, 7)
    g.Uniform4f(color + 1, 1.0, 1.0, 1.0, 1.0)
    g.Uniform2f(shift, 0.0, 0.9)
    g.quad(0.1)
    out = g.pixels()
    for n in range(4):
        at = int(96 * (0.125 + 0.25 * n))
        assert near(tuple(int(v) for v in out[40, at]), n / 3, 0.5, 1 - n / 3)
    assert near(tuple(int(v) for v in out[76, 48]), 1, 1, 1)


def test_the_type_of_a_cube_array(g: Shaded) -> None:
    name = g.program(
        PASS, "#version 120\n#extension GL_ARB_texture_cube_map_array : enable\nuniform "
        "samplerCubeArrayShadow s; void main() { gl_FragColor = vec4(texture(s, vec4(1.0), 0.5)); "
        "}", use=False)
    told = (ctypes.c_uint32 * 3)()
    at = ctypes.addressof(told)
    text = ctypes.create_string_buffer(8)
    g.python("GetActiveUniform", name, 0, 8, at, at + 4, at + 8, ctypes.addressof(text))
    assert (list(told), text.value) == ([1, 1, gl.GL_SAMPLER_CUBE_MAP_ARRAY_SHADOW], b"s")


@pytest.mark.parametrize("stage", ["vertex", "fragment"])
def test_fixed_function_on_the_other_side(g: Shaded, stage: str) -> None:
    g.Color3f(0.5, 0.25, 1.0)
    g.Clear(BOTH)
    if stage == "vertex":
        g.program(vertex="void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color.grba; }")
        g.quad(0.5)
        assert near(g.middle(), 0.25, 0.5, 1.0)
    else:
        g.program(fragment="void main() { gl_FragColor = gl_Color.grba + gl_TexCoord[1]; }")
        g.MultiTexCoord4f(gl.GL_TEXTURE1, 0.25, 0.25, 0.0, 0.0)
        g.quad(0.5)
        assert near(g.middle(), 0.5, 0.75, 1.0)


def test_attributes_and_matrices_of_the_state(g: Shaded) -> None:
    g.program(
        "attribute vec4 own; varying vec4 c; void main() { gl_Position = ftransform(); "
        "c = own + gl_ModelViewMatrix[3] + gl_ModelViewMatrixTranspose[0] * 0.0; }",
        "varying vec4 c; void main() { gl_FragColor = c; }")
    g.Translatef(0.25, 0.0, 0.0)
    g.VertexAttrib4f(1, 0.25, 0.5, 0.75, 1.0)
    g.Clear(BOTH)
    g.quad(0.5)
    assert near(g.middle(), 0.5, 0.5, 0.75)


def test_where_a_fragment_lies(g: Shaded) -> None:
    g.program(PASS, "void main() { gl_FragColor = vec4(gl_FragCoord.xy / vec2(96.0, 80.0), "
                    "dFdy(gl_FragCoord.y), 1.0); }")  # fmt: skip
    g.quad()
    out = g.pixels()
    for x, y in ((3, 5), (90, 70)):
        assert near(tuple(int(v) for v in out[y, x]), (x + 0.5) / 96, (y + 0.5) / 80, 1.0)


def test_steady_frames_with_programs_enter_no_python(g: Shaded) -> None:
    programs = [g.program(PASS, COLOR), g.program(PASS, "uniform float f; void main() { "
                "gl_FragColor = vec4(f); }"), 0]  # fmt: skip

    def frame(number: int) -> None:
        g.Clear(BOTH)
        for n, name in enumerate(programs):
            g.UseProgram(name)
            if n == 1:
                g.Uniform1f(0, (number % 7) / 7)
            g.quad(0.5)
        g.Flush()

    frame(0)
    frame(1)
    entries = stats.ARRAY[stats.INDEX["python_entries"]]
    misses = stats.ARRAY[stats.INDEX["plan_misses"]]
    for number in range(5):
        frame(number)
    assert stats.ARRAY[stats.INDEX["python_entries"]] == entries
    assert stats.ARRAY[stats.INDEX["plan_misses"]] == misses
    assert g.st.n.error == 0


def test_textures_by_sampler(g: Shaded) -> None:
    texels = np.array([[255, 0, 0, 255], [0, 255, 0, 255]], np.uint8)
    names = (ctypes.c_uint32 * 2)()
    for n, unit in enumerate((3, 11)):
        names[n] = n + 1
        g.ActiveTexture(gl.GL_TEXTURE0 + unit)
        g.BindTexture(gl.GL_TEXTURE_2D, n + 1)
        g.TexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        g.TexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 1, 1, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
                     texels[n].ctypes.data)
    name = g.program(
        PASS, "uniform sampler2D t[2]; void main() { gl_FragColor = texture2D(t[0], vec2(0.5)) + "
        "0.5 * texture2D(t[1], vec2(0.5)); }")
    at = g.location(name, "t")
    g.Uniform1i(at, 3)
    g.Uniform1i(at + 1, 11)
    g.quad(0.5)
    assert near(g.middle(), 1.0, 0.5, 0.0)
    g.Uniform1i(at, 11)
    g.quad(0.5)
    assert near(g.middle(), 0.0, 1.0, 0.0)


def test_samplers_of_different_types_on_a_unit(g: Shaded) -> None:
    name = g.program(
        PASS, "uniform sampler2D a; uniform samplerCube b; void main() { gl_FragColor = "
        "texture2D(a, vec2(0.5)) + textureCube(b, vec3(1.0)); }")
    g.quad(0.5)
    assert g.st.n.error == 0 or g.st.n.error == gl.GL_INVALID_OPERATION
    g.st.gl.flush_vertices()
    assert g.st.n.error == gl.GL_INVALID_OPERATION
    g.st.n.error = 0
    g.Uniform1i(g.location(name, "b"), 1)
    g.quad(0.5)
    g.st.gl.flush_vertices()
    assert g.st.n.error == 0


def test_a_shader_of_a_file(
    g: Shaded, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """MESA_SHADER_DUMP_PATH writes what MESA_SHADER_READ_PATH reads, edited by hand."""
    with options(MESA_SHADER_DUMP_PATH=str(tmp_path), MESA_SHADER_CAPTURE_PATH=str(tmp_path)):
        name = g.program(PASS, COLOR)
        g.python("LinkProgram", name)
    assert (tmp_path / f"{name}-1.shader_test").exists()
    captured = (tmp_path / f"{name}.shader_test").read_text()
    assert captured.startswith("[require]\nGLSL >= 1.10\n\n[vertex shader]\n" + PASS)
    (file,) = tmp_path.glob("FS_*.glsl")
    assert file.read_text() == COLOR
    file.write_text("void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }")
    with options(MESA_SHADER_READ_PATH=str(tmp_path), MESA_GLSL="dump"):
        g.program(PASS, COLOR)
    g.quad(0.5)
    assert near(g.middle(), 0.0, 1.0, 0.0)
    assert "vec4(0.0, 1.0, 0.0, 1.0)" in capfd.readouterr().err


def test_user_clip_planes(g: Shaded) -> None:
    """Without a clip vertex it is gl_Position that is compared with the planes (GLSL 1.30, 7.1)."""
    plane = (ctypes.c_double * 4)(1.0, 0.0, 0.0, 0.0)
    g.MatrixMode(gl.GL_PROJECTION)
    g.Translatef(0.25, 0.0, 0.0)
    g.Scalef(0.5, 1.0, 1.0)
    g.ClipPlane(gl.GL_CLIP_PLANE0, ctypes.addressof(plane))
    g.Enable(gl.GL_CLIP_PLANE0)
    texts = ("gl_Position = ftransform();", "gl_Position = ftransform(); gl_ClipVertex = "
             "gl_ModelViewMatrix * gl_Vertex - vec4(0.5, 0.0, 0.0, 0.0);")  # fmt: skip
    for text, edge in zip(texts, (48, 72), strict=True):
        g.program(f"void main() {{ {text} }}", "void main() { gl_FragColor = vec4(1.0); }")
        g.Clear(BOTH)
        g.quad(1.0)
        row = g.pixels()[40, :, 0] > 0
        assert not row[:edge].any() and row[edge:84].all() and not row[84:].any()


def test_colours_of_back_faces(g: Shaded) -> None:
    g.program("void main() { gl_Position = gl_Vertex; gl_FrontColor = vec4(1.0, 0.0, 0.0, 1.0); "
              "gl_BackColor = vec4(0.0, 1.0, 0.0, 1.0); }", COLOR)  # fmt: skip
    for two, front, wanted in ((0, gl.GL_CCW, (1, 0)), (0, gl.GL_CW, (1, 0)),
                               (1, gl.GL_CCW, (1, 0)), (1, gl.GL_CW, (0, 1))):  # fmt: skip
        (g.Enable if two else g.Disable)(gl.GL_VERTEX_PROGRAM_TWO_SIDE)
        g.FrontFace(front)
        g.quad(0.5)
        assert near(g.middle(), *wanted)


def test_points(g: Shaded) -> None:
    g.program("void main() { gl_Position = gl_Vertex; gl_PointSize = 9.0; }",
              "#version 120\nvoid main() { gl_FragColor = vec4(gl_PointCoord, 1.0, 1.0); }")
    g.Enable(gl.GL_POINT_SPRITE)
    sizes = []
    for on in (0, 1):
        (g.Enable if on else g.Disable)(gl.GL_VERTEX_PROGRAM_POINT_SIZE)
        g.Clear(BOTH)
        g.Begin(gl.GL_POINTS)
        g.Vertex3f(1 / 96, 1 / 80, 0.0)
        g.End()
        out = g.pixels()
        sizes.append(int((out[..., 2] == 255).sum()))
    assert sizes == [1, 81]
    assert near(tuple(int(v) for v in out[44, 44]), 0.5 / 9, 0.5 / 9)  # upper left
    assert near(tuple(int(v) for v in out[36, 52]), 8.5 / 9, 8.5 / 9)


@pytest.mark.parametrize("origin", [gl.GL_UPPER_LEFT, gl.GL_LOWER_LEFT])
def test_borders_within_points_are_exact(g: Shaded, origin: int) -> None:
    """Of 64 texels: where a pixel's centre lies on the border of two, the second one is meant."""
    g.program("void main() { gl_Position = gl_Vertex; }",
              "#version 120\nvoid main() { gl_FragColor = "
              "vec4((floor(gl_PointCoord * 64.0) + 1.0) / 255.0, 0.0, 1.0); }")  # fmt: skip
    g.Enable(gl.GL_POINT_SPRITE)
    g.PointParameteri(gl.GL_POINT_SPRITE_COORD_ORIGIN, origin)
    borders = 0
    for doubled in range(4, 120):  # sizes in halves of a pixel, places too
        size, place = Fraction(doubled, 2), Fraction(doubled % 3, 2)
        g.Clear(BOTH)
        g.PointSize(float(size))
        g.Begin(gl.GL_POINTS)
        g.Vertex3f(float(place) / 48, 0.0, 0.0)
        g.End()
        out = g.pixels()
        half = Fraction(1, 2)
        for axis, line, middle in ((0, out[40, :, 0], 48 + place), (1, out[:, 48, 1], 40)):
            parts = [(n + half - middle) / size + half for n in range(len(line))]
            if axis and origin == gl.GL_UPPER_LEFT:
                parts = [1 - part for part in parts]
            covered = [n for n, value in enumerate(line) if value]
            assert len(covered) >= int(size)
            found = [int(line[n]) - 1 for n in covered]
            assert found == [floor(parts[n] * 64) for n in covered], (size, place, axis)
            borders += sum((parts[n] * 64).denominator == 1 for n in covered)
    assert borders > 300


def test_flat_colours_and_pixels(g: Shaded) -> None:
    g.program(PASS, COLOR)
    g.ShadeModel(gl.GL_FLAT)
    g.Begin(gl.GL_TRIANGLES)
    for n, (x, y) in enumerate(((-1, -1), (3, -1), (-1, 3))):
        g.Color3f(float(n == 0), float(n == 1), float(n == 2))
        g.Vertex3f(float(x), float(y), 0.0)
    g.End()
    assert near(g.middle(), 0, 0, 1)
    g.program(fragment="void main() { gl_FragColor = gl_Color.bgra; }")
    pixels = np.full((8, 8, 4), (255, 128, 0, 255), np.uint8)
    g.RasterPos2f(0.0, 0.0)
    g.DrawPixels(8, 8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels.ctypes.data)
    assert near(tuple(int(v) for v in g.pixels()[44, 52]), 0, 0.5, 1)


def test_a_link_changes_what_is_in_use(g: Shaded) -> None:
    """A link that succeeds is taken up at once, one that fails leaves what was there."""
    name = g.program(PASS, "void main() { gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }")
    g.quad(0.5)
    assert near(g.middle(), 1, 0, 0)
    fragment = objects.program_of(g.st.gl, name).shaders[1]
    for text, good, wanted in (
        ("void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }", 1, (0, 1, 0)),
        ("void f(); void main() { f(); }", 0, (0, 1, 0)),
    ):
        texts = (ctypes.c_char_p * 1)(text.encode())
        g.python("ShaderSource", fragment, 1, ctypes.addressof(texts), 0)
        g.python("CompileShader", fragment)
        g.python("LinkProgram", name)
        assert bool(objects.program_of(g.st.gl, name).n.linked) == bool(good)
        g.Clear(BOTH)
        g.quad(0.5)
        assert near(g.middle(), *wanted)


def test_vertices_look_at_textures(g: Shaded) -> None:
    """The samplers of both stages are told apart."""
    texels = np.array([[255, 0, 0, 255], [0, 255, 0, 255]], np.uint8)
    for n in range(2):
        g.ActiveTexture(gl.GL_TEXTURE0 + n)
        g.BindTexture(gl.GL_TEXTURE_2D, n + 1)
        g.TexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
        g.TexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 1, 1, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
                     texels[n].ctypes.data)
    name = g.program(
        "uniform sampler2D v; varying vec4 c; void main() { gl_Position = gl_Vertex; c = "
        "texture2D(v, vec2(0.5)); }",
        "uniform sampler2D f; varying vec4 c; void main() { gl_FragColor = c + 0.5 * "
        "texture2D(f, vec2(0.5)); }")
    g.Uniform1i(g.location(name, "f"), 1)
    g.quad(0.5)
    assert near(g.middle(), 1.0, 0.5, 0.0)


def test_a_program_from_the_cache(
    g: Shaded, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was linked before takes no front end; a file that is none of ours counts for nothing."""
    fragment = "uniform struct { vec4 c[2]; } s; void main() { gl_FragColor = s.c[1]; }"
    folder = tmp_path / "cache"
    kept = ObjectCache(str(folder))
    monkeypatch.setattr(cache, "object_cache", lambda: kept)

    def picture() -> tuple[int, ...]:
        name = g.program(PASS, fragment)
        g.Uniform4f(g.location(name, "s.c[1]"), 0.25, 0.5, 1.0, 1.0)
        g.quad(0.5)
        return g.middle()

    made: list[str] = []
    compile_source = link.compile_source

    def counted(source: Any) -> Any:
        made.append(source.stage)
        return compile_source(source)

    monkeypatch.setattr(link, "compile_source", counted)
    first = picture()
    assert near(first, 0.25, 0.5, 1.0) and made == ["vertex", "fragment"]
    assert picture() == first and len(made) == 2
    for path in folder.iterdir():  # of the right form, with another content
        path.unlink()
    g.program(PASS, fragment, use=False)
    assert len(made) == 4
    key = cache.source_key(cache.Source("vertex", PASS, link.facts_of(g.st.gl)))
    for wrong in (b"", b"\x80\x05K\x01.", b"nothing of ours"):
        kept.put(key, wrong)
        assert picture() == first
    assert len(made) == 7


def test_selection_and_feedback_see_what_the_shader_makes(g: Shaded) -> None:
    """Places, colours and coordinates come from the vertex shader, with its uniforms, attributes
    and textures; what it does not write is the current value (GL 2.1, 5.2 and 5.3).
    """
    texels = (ctypes.c_uint8 * 4)(0, 51, 0, 255)
    g.BindTexture(gl.GL_TEXTURE_2D, 1)
    g.TexParameteri(gl.GL_TEXTURE_2D, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST)
    g.TexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_RGBA, 1, 1, 0, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE,
                 ctypes.addressof(texels))  # fmt: skip
    name = g.program(
        "uniform float shift; uniform sampler2D t; attribute vec2 own; void main() { gl_Position = "
        "gl_Vertex + vec4(shift, texture2D(t, vec2(0.5)).y, own.x, 0.0); "
        "gl_FrontColor = vec4(own, 0.5, 1.0); }", COLOR)
    g.Uniform1f(g.location(name, "shift"), 0.25)
    g.VertexAttrib4f(1, 0.5, 0.125, 0.0, 1.0)
    g.MultiTexCoord4f(gl.GL_TEXTURE0, 3.0, 4.0, 0.0, 1.0)
    values = np.zeros(64, np.float32)
    g.FeedbackBuffer(64, gl.GL_4D_COLOR_TEXTURE, values.ctypes.data)
    g.call("RenderMode", gl.GL_FEEDBACK)
    corners = ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.5, 0.0))
    g.Begin(gl.GL_TRIANGLES)
    for corner in corners:
        g.Vertex4f(*corner, 1.0)
    g.End()
    assert g.call("RenderMode", gl.GL_RENDER) == 2 + 3 * 12
    rows = values[2:38].reshape(3, 12)
    np.testing.assert_allclose(rows[:, 4:], [[0.5, 0.125, 0.5, 1, 3, 4, 0, 1]] * 3, atol=1e-6)
    places = [((x + 1.25) * 48, (y + 1.2) * 40, 0.75, 1.0) for x, y, _ in corners]
    np.testing.assert_allclose(rows[:, :4], places, rtol=1e-5)
    records = np.zeros(16, np.uint32)
    g.SelectBuffer(16, records.ctypes.data)
    g.call("RenderMode", gl.GL_SELECT)
    g.InitNames()
    for left in (0.0, 0.9):  # the second one is moved out of the view volume
        g.LoadName(0) if left else g.PushName(7)
        g.Begin(gl.GL_POINTS)
        g.Vertex4f(left, 0.0, 0.0, 1.0)
        g.End()
    assert g.call("RenderMode", gl.GL_RENDER) == 1
    assert records[:4].tolist() == [1, *[round(0.75 * 0xFFFFFFFF)] * 2, 7]


def test_raster_positions_are_what_the_shader_makes(g: Shaded) -> None:
    """A raster position is a vertex (GL 2.1, 2.13): place, colours, coordinates and distance are
    the shader's, clipped at the view volume and the user's planes; what it does not write is the
    current value. piglit: spec@!opengl 1.0@rasterpos."""
    name = g.program(
        "uniform float shift; void main() { gl_Position = gl_Vertex + vec4(shift, 0.0, 0.0, 1.0); "
        "gl_FrontColor = vec4(shift, 2.0, 0.0, 1.0); gl_FogFragCoord = 3.0; "
        "gl_TexCoord[1] = gl_Vertex; gl_ClipVertex = vec4(gl_Vertex.x, 0.0, 0.0, 1.0); }", COLOR)
    g.Uniform1f(g.location(name, "shift"), 0.25)
    g.MultiTexCoord4f(gl.GL_TEXTURE0, 3.0, 4.0, 0.0, 1.0)
    plane = (ctypes.c_double * 4)(1.0, 0.0, 0.0, 0.0)
    g.ClipPlane(gl.GL_CLIP_PLANE0, ctypes.addressof(plane))

    def floats(pname: int, count: int = 4) -> list[float]:
        out = (ctypes.c_float * count)()
        g.GetFloatv(pname, ctypes.addressof(out))
        return list(out)

    g.RasterPos3f(0.75, 0.0, 0.0)
    assert floats(gl.GL_CURRENT_RASTER_POSITION) == [72.0, 40.0, 0.5, 2.0]
    assert floats(gl.GL_CURRENT_RASTER_COLOR) == [0.25, 1.0, 0.0, 1.0]
    assert floats(gl.GL_CURRENT_RASTER_DISTANCE, 1) == [3.0]
    assert floats(gl.GL_CURRENT_RASTER_TEXTURE_COORDS) == [3.0, 4.0, 0.0, 1.0]
    g.ActiveTexture(gl.GL_TEXTURE1)
    assert floats(gl.GL_CURRENT_RASTER_TEXTURE_COORDS) == [0.75, 0.0, 0.0, 1.0]
    valid = []
    for x, cut in ((0.75, 0), (2.0, 0), (-1.0, 0), (-1.0, 1), (0.75, 1)):
        (g.Enable if cut else g.Disable)(gl.GL_CLIP_PLANE0)
        g.RasterPos2f(x, 0.0)
        valid.append(floats(gl.GL_CURRENT_RASTER_POSITION_VALID, 1)[0])
    assert valid == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_materials_set_inside_begin_count_from_end_on(g: Shaded) -> None:
    """ARB_vertex_program, 2.14.3.7; as the peer, and piglit's gl-2.0-shader-materials, have it."""
    g.program("void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_FrontMaterial.diffuse; }",
              COLOR)  # fmt: skip
    red, green = [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]
    g.Materialfv(gl.GL_FRONT, gl.GL_DIFFUSE, red)
    for wanted in ((1, 0), (0, 1)):
        g.Begin(gl.GL_QUADS)
        g.Materialfv(gl.GL_FRONT, gl.GL_DIFFUSE, green)
        for x, y in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)):
            g.Vertex3f(x, y, 0.0)
        g.End()
        assert near(g.middle(), *wanted)


def test_two_sources_of_blending(g: Shaded) -> None:
    """ARB_blend_func_extended: outputs by index; a draw buffer more has no second source."""
    with options(MESA_GLSL_VERSION_OVERRIDE=130):
        name = g.program(
            "#version 130\nvoid main() { gl_Position = gl_Vertex; }",
            "#version 130\nout vec4 first; out vec4 second; void main() "
            "{ first = vec4(1.0, 0.5, 0.25, 1.0); second = vec4(0.5, 1.0, 0.5, 0.25); }", use=False)
    texts = [ctypes.create_string_buffer(text) for text in (b"second", b"first", b"third")]
    for index, color, error in ((1, 1, gl.GL_INVALID_VALUE), (2, 0, gl.GL_INVALID_VALUE)):
        with pytest.raises(GLError) as found:
            g.python("BindFragDataLocationIndexed", name, color, index, ctypes.addressof(texts[0]))
        assert found.value.enum == error
    g.python("BindFragDataLocationIndexed", name, 0, 1, ctypes.addressof(texts[0]))
    g.python("LinkProgram", name)
    told = [g.python("GetFragDataIndex", name, ctypes.addressof(text)) for text in texts]
    places = [g.python("GetFragDataLocation", name, ctypes.addressof(text)) for text in texts]
    assert told == [1, 0, -1] and places == [0, 0, -1]
    g.UseProgram(name)
    g.ClearColor(0.0, 1.0, 1.0, 1.0)
    g.Clear(BOTH)
    g.Enable(gl.GL_BLEND)
    g.BlendFunc(gl.GL_SRC1_COLOR, gl.GL_ONE_MINUS_SRC1_ALPHA)
    g.quad()
    assert near(g.middle(), 0.5, 1.0, 0.875)
    g.BlendFunci(0, gl.GL_ONE, gl.GL_ZERO)
    g.Begin(gl.GL_POINTS)
    g.End()
    assert g.st.n.error == 0  # one draw buffer
    g.st.n.raw.more_draw_buffers[0] = gl.GL_FRONT
    g.Begin(gl.GL_POINTS)
    assert g.st.n.error == gl.GL_INVALID_OPERATION


def test_a_number_that_is_compared_ignores_the_depth_texture_mode(g: Shaded) -> None:
    """GLSL 1.30, 8.7: texture() gives it, where shadow2D() gives what the mode makes of it."""
    depth = ctypes.c_float(0.5)
    g.BindTexture(gl.GL_TEXTURE_2D, 1)
    for name, value in (
        (gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST), (gl.GL_DEPTH_TEXTURE_MODE, gl.GL_ALPHA),
        (gl.GL_TEXTURE_COMPARE_MODE, gl.GL_COMPARE_REF_TO_TEXTURE),
    ):  # fmt: skip
        g.TexParameteri(gl.GL_TEXTURE_2D, name, value)
    g.TexImage2D(gl.GL_TEXTURE_2D, 0, gl.GL_DEPTH_COMPONENT, 1, 1, 0, gl.GL_DEPTH_COMPONENT,
                 gl.GL_FLOAT, ctypes.addressof(depth))
    with options(MESA_GLSL_VERSION_OVERRIDE=130):
        for lookup, wanted in (
            ("#version 130\nvec4(texture(s, vec3(0.25)), 1.0, 0.0, 1.0)", (1, 1)),
            ("shadow2D(s, vec3(0.25)) + vec4(0.0, 1.0, 0.0, 0.0)", (0, 1)),
        ):
            head, _, value = lookup.rpartition("\n")
            g.program(PASS, f"{head}\nuniform sampler2DShadow s; void main() "
                            f"{{ gl_FragColor = {value}; }}")
            g.quad()
            assert near(g.middle(), *wanted)


def test_attributes_that_are_arrays(g: Shaded) -> None:
    """GLSL 1.50, 4.3.4: one attribute, whose elements have locations, as columns of matrices."""
    with options(MESA_GLSL_VERSION_OVERRIDE=150):
        name = g.program(
            "#version 150 compatibility\nin vec2 a[3]; in mat2 m[2]; in float f; void main() "
            "{ gl_Position = vec4(a[0] + a[2], m[1][1] + m[0][0]) * f; }", COLOR, use=False)
    told = {}
    for index in range(3):
        size, kind, text = ctypes.c_int(), ctypes.c_uint(), ctypes.create_string_buffer(16)
        g.python("GetActiveAttrib", name, index, 16, 0, ctypes.addressof(size),
                 ctypes.addressof(kind), ctypes.addressof(text))
        told[text.value.decode()] = size.value, kind.value
    assert told == {"a": (3, gl.GL_FLOAT_VEC2), "m": (2, gl.GL_FLOAT_MAT2), "f": (1, gl.GL_FLOAT)}

    def location(text: str) -> int:
        found = ctypes.create_string_buffer(text.encode())
        return int(g.python("GetAttribLocation", name, ctypes.addressof(found)))

    for first, element, step in (("a", "a[2]", 2), ("m", "m[1]", 2), ("a", "a[0]", 0)):
        assert location(first) >= 0 and location(element) == location(first) + step
    assert [location(text) for text in ("a[3]", "f[0]", "m[01]", "n")] == [-1] * 4
