# SPDX-License-Identifier: MIT
"""A program: compile shaders with the peer, without a window system.

`python peer.py SOURCES.json ANSWERS.json`: a list of [stage, text] in, a list of [good, log] out.
It opens the system's libEGL, so it needs a process of its own: tests run beside our libraries.
"""

import ctypes
import json
import sys
from collections.abc import Callable
from typing import Any

EGL_OPENGL_API, EGL_NONE, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT = 0x30A2, 0x3038, 0x3040, 8
GL_COMPILE_STATUS = 0x8B81
KINDS = {"vertex": 0x8B31, "fragment": 0x8B30}


def context() -> ctypes.CDLL:
    """Make an OpenGL context of no surface current."""
    egl = ctypes.CDLL("libEGL.so.1")
    for name in ("eglGetDisplay", "eglCreateContext", "eglGetProcAddress"):
        getattr(egl, name).restype = ctypes.c_void_p
    egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    display = ctypes.c_void_p(egl.eglGetDisplay(None))
    assert egl.eglInitialize(display, None, None) and egl.eglBindAPI(EGL_OPENGL_API)
    wanted = (ctypes.c_int * 3)(EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE)
    config, count = ctypes.c_void_p(), ctypes.c_int()
    egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
    made = egl.eglCreateContext(display, config, None, (ctypes.c_int * 1)(EGL_NONE))
    assert made and egl.eglMakeCurrent(display, None, None, ctypes.c_void_p(made))
    return egl


def resolver(egl: ctypes.CDLL) -> Callable[..., Any]:
    """A function that gives those of OpenGL by name, result and parameters."""

    def gl(name: str, result: Any, *parameters: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *parameters)(egl.eglGetProcAddress(name.encode()))

    return gl


def main(sources: str, answers: str) -> None:
    gl = resolver(context())
    uint, pointer = ctypes.c_uint, ctypes.c_void_p
    create = gl("glCreateShader", uint, uint)
    source = gl("glShaderSource", None, uint, ctypes.c_int, pointer, pointer)
    compile_ = gl("glCompileShader", None, uint)
    get = gl("glGetShaderiv", None, uint, uint, pointer)
    get_log = gl("glGetShaderInfoLog", None, uint, ctypes.c_int, pointer, pointer)
    delete = gl("glDeleteShader", None, uint)
    found = []
    with open(sources) as file:
        shaders = json.load(file)
    for stage, text in shaders:
        shader = create(KINDS[stage])
        source(shader, 1, (ctypes.c_char_p * 1)(text.encode("latin-1")), None)
        compile_(shader)
        good, log = ctypes.c_int(), ctypes.create_string_buffer(20000)
        get(shader, GL_COMPILE_STATUS, ctypes.byref(good))
        get_log(shader, len(log), None, log)
        delete(shader)
        found.append([bool(good.value), log.value.decode("latin-1")])
    with open(answers, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
