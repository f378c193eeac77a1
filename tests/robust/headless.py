# SPDX-License-Identifier: MIT
"""A context without a window on the libEGL that is found, and its functions by name: what programs
of this folder that are Pythons begin with."""

import ctypes
from typing import Any

EGL_NONE, EGL_RENDERABLE_TYPE = 0x3038, 0x3040
#: an API, and the bit of configs that is asked for
OPENGL, OPENGL_ES = (0x30A2, 8), (0x30A0, 4)
EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION = 0x3098, 0x30FB
EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE = 0x30FD, 0x31B1


class Headless:
    """`self("Clear", bits)` calls glClear in a context of a version (none: any, in compatibility;
    from 3.2 on: core, or of `profile`; `es`: of OpenGL ES), which is current."""

    def __init__(
        self, *version: int, profile: int = 0, forward: bool = False, es: bool = False
    ) -> None:
        api, bit = OPENGL_ES if es else OPENGL
        self.egl = ctypes.CDLL("libEGL.so.1")
        for name in ("eglGetDisplay", "eglCreateContext", "eglGetProcAddress"):
            getattr(self.egl, name).restype = ctypes.c_void_p
        self.egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
        display = ctypes.c_void_p(self.egl.eglGetDisplay(None))
        assert self.egl.eglInitialize(display, None, None)
        assert self.egl.eglBindAPI(api)
        wanted = (ctypes.c_int * 3)(EGL_RENDERABLE_TYPE, bit, EGL_NONE)
        config, count = ctypes.c_void_p(), ctypes.c_int()
        self.egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
        names = (EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION)
        attribs = [word for pair in zip(names, version) for word in pair]
        attribs += [EGL_CONTEXT_OPENGL_PROFILE_MASK, profile] if profile else []
        attribs += [EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, 1] if forward else []
        attribs += [EGL_NONE]
        made = self.egl.eglCreateContext(
            display, config, None, (ctypes.c_int * len(attribs))(*attribs)
        )
        assert self.egl.eglMakeCurrent(display, None, None, ctypes.c_void_p(made))
        self._functions: dict[tuple[Any, ...], Any] = {}

    def __call__(self, name: str, *args: Any) -> int:
        kinds = tuple(ctypes.c_float if isinstance(a, float) else ctypes.c_int if isinstance(a, int)
                      else ctypes.c_void_p for a in args)  # fmt: skip
        key = name, kinds
        found = self._functions.get(key)
        if found is None:
            address = self.egl.eglGetProcAddress(f"gl{name}".encode())
            found = self._functions[key] = ctypes.CFUNCTYPE(ctypes.c_uint, *kinds)(address)
        return int(found(*args))
