# SPDX-License-Identifier: MIT
"""Sample positions and masks in a context of OpenGL 3.2 (MESA_GL_VERSION_OVERRIDE): what they are
asked for, and how many of four samples a draw reaches. test_apis.py compares the lines of both
drivers.
"""

import ctypes

from pydri.api import enums as e
from tests.robust.headless import Headless

VERTEX = b"#version 150\nin vec4 a; void main() { gl_Position = a; }"
FRAGMENT = b"#version 150\nout vec4 o; void main() { o = vec4(1.0); }"
CORNERS = (ctypes.c_float * 8)(-1, -1, 1, -1, -1, 1, 1, 1)


def _name(gl: Headless, kind: str) -> int:
    names = (ctypes.c_uint * 1)()
    gl("Gen" + kind, 1, names)
    return int(names[0])


def _framebuffer(gl: Headless, samples: int) -> int:
    """A framebuffer of 16x16 pixels, which is bound."""
    gl("BindRenderbuffer", e.GL_RENDERBUFFER, renderbuffer := _name(gl, "Renderbuffers"))
    gl("RenderbufferStorageMultisample", e.GL_RENDERBUFFER, samples, e.GL_RGBA8, 16, 16)
    gl("BindFramebuffer", e.GL_FRAMEBUFFER, made := _name(gl, "Framebuffers"))
    gl("FramebufferRenderbuffer", e.GL_FRAMEBUFFER, e.GL_COLOR_ATTACHMENT0, e.GL_RENDERBUFFER,
       renderbuffer)  # fmt: skip
    return made


def _vertices(gl: Headless) -> None:
    """A program, and vertices that cover the framebuffer."""
    program = gl("CreateProgram")
    for kind, text in ((e.GL_VERTEX_SHADER, VERTEX), (e.GL_FRAGMENT_SHADER, FRAGMENT)):
        shader = gl("CreateShader", kind)
        gl("ShaderSource", shader, 1, (ctypes.c_char_p * 1)(text), None)
        gl("CompileShader", shader)
        gl("AttachShader", program, shader)
    gl("BindAttribLocation", program, 0, ctypes.create_string_buffer(b"a"))
    gl("LinkProgram", program)
    gl("UseProgram", program)
    gl("BindVertexArray", _name(gl, "VertexArrays"))
    gl("BindBuffer", e.GL_ARRAY_BUFFER, _name(gl, "Buffers"))
    gl("BufferData", e.GL_ARRAY_BUFFER, ctypes.c_void_p(32), CORNERS, e.GL_STATIC_DRAW)
    gl("VertexAttribPointer", 0, 2, e.GL_FLOAT, 0, 0, None)
    gl("EnableVertexAttribArray", 0)
    gl("Viewport", 0, 0, 16, 16)


def main() -> None:
    """Print the lines."""
    gl, out, pixel = Headless(3, 2), (ctypes.c_float * 2)(), (ctypes.c_ubyte * 4)()
    word = (ctypes.c_int * 1)()
    plain, several = _framebuffer(gl, 0), _framebuffer(gl, 4)
    for fbo, index in ((plain, 0), *((several, n) for n in range(5))):
        gl("BindFramebuffer", e.GL_FRAMEBUFFER, fbo)
        gl("GetMultisamplefv", e.GL_SAMPLE_POSITION, index, out)
        print("position", index, list(out), hex(gl("GetError")))
    _vertices(gl)
    steps: tuple[tuple[tuple[str, *tuple[object, ...]], ...], ...] = (
        (), (("SampleMaski", 0, 1),), (("Enable", e.GL_SAMPLE_MASK),), (("SampleMaski", 0, -2),),
        (("SampleMaski", 0, 10),), (("SampleMaski", 1, 1),),
        (("Enable", e.GL_SAMPLE_COVERAGE), ("SampleCoverage", 0.5, 0)),
        (("SampleCoverage", 0.5, 1),), (("Disable", e.GL_SAMPLE_MASK),),
        (("Disable", e.GL_MULTISAMPLE),),
    )  # fmt: skip
    for step in steps:
        for name, *values in step:
            gl(name, *values)
        error = gl("GetError")
        gl("BindFramebuffer", e.GL_FRAMEBUFFER, several)
        gl("ClearColor", 0.0, 0.0, 0.0, 0.0)
        gl("Clear", e.GL_COLOR_BUFFER_BIT)
        gl("DrawArrays", e.GL_TRIANGLE_STRIP, 0, 4)
        gl("BindFramebuffer", e.GL_DRAW_FRAMEBUFFER, plain)
        gl("BlitFramebuffer", 0, 0, 16, 16, 0, 0, 16, 16, e.GL_COLOR_BUFFER_BIT, e.GL_NEAREST)
        gl("BindFramebuffer", e.GL_READ_FRAMEBUFFER, plain)
        gl("ReadPixels", 3, 3, 1, 1, e.GL_RGBA, e.GL_UNSIGNED_BYTE, pixel)
        gl("GetIntegeri_v", e.GL_SAMPLE_MASK_VALUE, 0, word)
        print(step, list(pixel), word[0], hex(error), hex(gl("GetError")))


if __name__ == "__main__":
    main()
