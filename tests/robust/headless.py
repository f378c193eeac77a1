# SPDX-License-Identifier: MIT
"""A context without a window on the libEGL that is found, and its functions by name: what programs
of this folder that are Pythons begin with."""

import ctypes
from typing import Any

EGL_NONE, EGL_RENDERABLE_TYPE = 0x3038, 0x3040
#: an API, and the bit of configs that is asked for
OPENGL, OPENGL_ES, OPENGL_ES1 = (0x30A2, 8), (0x30A0, 4), (0x30A0, 1)
EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION = 0x3098, 0x30FB
EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE = 0x30FD, 0x31B1


class Display:
    """EGL's display without a window system, and a config for contexts of an API (OPENGL and its
    like) that has these attributes."""

    def __init__(self, api: tuple[int, int], *attributes: int) -> None:
        pointer = ctypes.c_void_p
        self.egl = ctypes.CDLL("libEGL.so.1")
        for name in ("GetDisplay", "CreateContext", "CreatePbufferSurface", "GetProcAddress"):
            getattr(self.egl, f"egl{name}").restype = pointer
        self.egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
        self.handle = pointer(self.egl.eglGetDisplay(None))
        assert self.egl.eglInitialize(self.handle, None, None)
        assert self.egl.eglBindAPI(api[0])
        wanted = self.words(*attributes, EGL_RENDERABLE_TYPE, api[1])
        self.config, count = pointer(), ctypes.c_int()  # null, a context without one: there is none
        self.egl.eglChooseConfig(
            self.handle, wanted, ctypes.byref(self.config), 1, ctypes.byref(count)
        )

    @staticmethod
    def words(*words: int) -> Any:
        """A list of attributes, with its end."""
        return (ctypes.c_int * (len(words) + 1))(*words, EGL_NONE)

    def context(self, *version: int, profile: int = 0, forward: bool = False,
                share: Any = None) -> Any:  # fmt: skip
        """A new context of a version (none: any)."""
        names = (EGL_CONTEXT_MAJOR_VERSION, EGL_CONTEXT_MINOR_VERSION)
        words = [word for pair in zip(names, version) for word in pair]
        words += [EGL_CONTEXT_OPENGL_PROFILE_MASK, profile] if profile else []
        words += [EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE, 1] if forward else []
        made = self.egl.eglCreateContext(self.handle, self.config, share, self.words(*words))
        assert made
        return ctypes.c_void_p(made)


class Headless:
    """`self("Clear", bits)` calls glClear in a context of a version (none: any, in compatibility;
    from 3.2 on: core, or of `profile`; `es`: of OpenGL ES), which is current."""

    def __init__(
        self, *version: int, profile: int = 0, forward: bool = False, es: bool = False
    ) -> None:
        display = Display(OPENGL_ES if es else OPENGL)
        self.egl = display.egl
        made = display.context(*version, profile=profile, forward=forward)
        assert self.egl.eglMakeCurrent(display.handle, None, None, made)
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
