# SPDX-License-Identifier: MIT
"""Python's GL packages side by side in one interpreter, which is the driver's, too.

`one_interpreter.py [PACKAGE ...]` (default: those that are installed, of PARTS) opens a window with
each of them, in turn, twice, draws with a shader of GLSL 1.20 and reads the pixels back. A line for
each: its name, the vendor, and the colours of a pixel that the shader painted and of one that it
did not. Windows stay open, so that contexts of all packages live together.
"""

import ctypes
import importlib.metadata
import importlib.util
import sys

VERTEX = "#version 120\nvoid main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; }"
FRAGMENT = "#version 120\nuniform vec4 tint; void main() { gl_FragColor = gl_Color * tint; }"
SIZE = 64
KEPT = []  # windows


def draw(gl):
    """A triangle over the lower left half: vendor and two pixels. `gl` has the C API's names."""
    plain = not gl.__name__.startswith("OpenGL")  # PyOpenGL's functions take texts
    program = gl.glCreateProgram()
    for kind, text in ((gl.GL_VERTEX_SHADER, VERTEX), (gl.GL_FRAGMENT_SHADER, FRAGMENT)):
        shader = gl.glCreateShader(kind)
        if plain:
            source = ctypes.create_string_buffer(text.encode())
            letters = ctypes.POINTER(ctypes.c_char)
            strings = ctypes.pointer(ctypes.cast(source, letters))
            gl.glShaderSource(shader, 1, strings, None)
        else:
            gl.glShaderSource(shader, text)
        gl.glCompileShader(shader)
        gl.glAttachShader(program, shader)
    gl.glLinkProgram(program)
    gl.glUseProgram(program)
    place = gl.glGetUniformLocation(
        program, ctypes.create_string_buffer(b"tint") if plain else b"tint")
    gl.glViewport(0, 0, SIZE, SIZE)
    gl.glUniform4f(place, 1.0, 0.4, 0.2, 1.0)
    gl.glClearColor(0.0, 0.0, 1.0, 1.0)
    gl.glClear(gl.GL_COLOR_BUFFER_BIT)
    gl.glColor4f(1.0, 1.0, 1.0, 1.0)
    gl.glBegin(gl.GL_TRIANGLES)
    for x, y in ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0)):
        gl.glVertex2f(x, y)
    gl.glEnd()
    gl.glUseProgram(0)
    pixels = (ctypes.c_ubyte * (4 * SIZE * SIZE))()
    gl.glReadPixels(0, 0, SIZE, SIZE, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
    vendor = gl.glGetString(gl.GL_VENDOR)
    vendor = ctypes.cast(vendor, ctypes.c_char_p).value if not isinstance(vendor, bytes) else vendor
    at = [4 * (row * SIZE + column) for row, column in ((8, 8), (SIZE - 8, SIZE - 8))]
    return vendor.decode(), *(bytes(pixels[n : n + 3]).hex() for n in at)


def pygame():
    import pygame as module
    from OpenGL import GL

    module.display.init()
    module.display.set_mode((SIZE, SIZE), module.OPENGL | module.DOUBLEBUF)
    answer = draw(GL)
    module.display.flip()
    return answer


def pyglet():
    import pyglet as module
    from pyglet import gl

    window = module.window.Window(SIZE, SIZE)
    KEPT.append(window)
    window.switch_to()
    answer = draw(gl)
    window.flip()
    return answer


def glfw():
    import glfw as module
    from OpenGL import GL

    module.init()
    window = module.create_window(SIZE, SIZE, "glfw", None, None)
    KEPT.append(window)
    module.make_context_current(window)
    answer = draw(GL)
    module.swap_buffers(window)
    return answer


def vispy():
    import numpy as np
    from vispy import app, gloo

    app.use_app("glfw")
    canvas = app.Canvas(size=(SIZE, SIZE), show=True)
    KEPT.append(canvas)
    canvas.set_current()
    place = "attribute vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }"
    program = gloo.Program(place, "uniform vec4 tint; void main() { gl_FragColor = tint; }")
    program["at"] = np.array([(-1, -1), (1, -1), (-1, 1)], np.float32)
    program["tint"] = (1.0, 0.4, 0.2, 1.0)
    gloo.set_viewport(0, 0, SIZE, SIZE)
    gloo.clear((0.0, 0.0, 1.0, 1.0))
    program.draw("triangles")
    pixels = gloo.read_pixels((0, 0, SIZE, SIZE))[::-1]
    canvas.swap_buffers()
    vendor = gloo.gl.glGetParameter(gloo.gl.GL_VENDOR)
    return vendor, *(bytes(pixels[n, n, :3]).hex() for n in (8, SIZE - 8))


PARTS = {"pygame": pygame, "pyglet": pyglet, "glfw": glfw, "vispy": vispy}


def installed():
    """The packages that are there; pyglet 2 asks for OpenGL 3.3."""
    names = [name for name in PARTS if importlib.util.find_spec(name)]
    if "pyglet" in names and not importlib.metadata.version("pyglet").startswith("1."):
        names.remove("pyglet")
    return names


def main(names):
    for _ in range(2):
        for name in names:
            print(name, *PARTS[name](), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or installed())
