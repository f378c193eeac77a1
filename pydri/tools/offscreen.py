# SPDX-License-Identifier: MIT
"""A GL context without a window system, for Python programs: EGL's surfaceless platform, by ctypes.

In: the folder of our libraries, a size, what kind of context. Out: a context that is current on the
calling thread, with a surface that nobody sees; its functions by name; what was drawn, as an Image.
`pydri info` asks one what GL says of itself, and pydri/pytest_plugin.py gives one to tests. Other
libraries (PyOpenGL, moderngl) find it as the current context.
"""

import ctypes
import os
from typing import Any, NamedTuple

from pydri.api import egl_enums as e
from pydri.api import enums as gl
from pydri.tools.png import Image

_HANDLE = ctypes.c_void_p
_POINTERS = ("eglGetPlatformDisplay", "eglCreateContext", "eglCreatePbufferSurface",
             "eglGetProcAddress")  # fmt: skip
#: how rows are packed for `read`, in OpenGL ES 2, what ES 3 has beyond that, and OpenGL beyond ES
_PACKING_OF_ES2 = {gl.GL_PACK_ALIGNMENT: 1}
_PACKING_OF_ES3 = {
    gl.GL_PACK_ROW_LENGTH: 0, gl.GL_PACK_SKIP_ROWS: 0, gl.GL_PACK_SKIP_PIXELS: 0
}  # fmt: skip
_PACKING_OF_GL = {gl.GL_PACK_SWAP_BYTES: 0, gl.GL_PACK_LSB_FIRST: 0}


class Kind(NamedTuple):
    """What kind of context is wanted."""

    #: the least version, (3, 3) or so; None: the highest of the compatibility profile, or ES 2.0
    version: tuple[int, int] | None = None
    core: bool = False
    #: OpenGL ES
    es: bool = False
    #: samples a pixel
    samples: int = 0

    @property
    def words(self) -> str:
        """For messages."""
        name = "OpenGL ES" if self.es else "OpenGL"
        number = " {}.{}".format(*self.version) if self.version else ""
        samples = f" with {self.samples} samples" if self.samples else ""
        return f"{name}{number}{' core' if self.core else ''}{samples}"

    @property
    def renderable(self) -> int:
        """The bit of configs that can have it."""
        if not self.es:
            return e.EGL_OPENGL_BIT
        bits = {1: e.EGL_OPENGL_ES_BIT, 3: e.EGL_OPENGL_ES3_BIT}
        return bits.get((self.version or (2, 0))[0], e.EGL_OPENGL_ES2_BIT)

    @property
    def attributes(self) -> list[int]:
        """For eglCreateContext, without the end."""
        version = self.version or ((2, 0) if self.es else None)
        found = []
        if version:
            found += [e.EGL_CONTEXT_MAJOR_VERSION, version[0], e.EGL_CONTEXT_MINOR_VERSION,
                      version[1]]  # fmt: skip
        if not self.es and version and version >= (3, 2):
            bits = (e.EGL_CONTEXT_OPENGL_COMPATIBILITY_PROFILE_BIT,
                    e.EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT)  # fmt: skip
            found += [e.EGL_CONTEXT_OPENGL_PROFILE_MASK, bits[self.core]]
        return found


def _ints(*values: int) -> "ctypes.Array[ctypes.c_int]":
    """A list of attributes with its end."""
    return (ctypes.c_int * (len(values) + 1))(*values, e.EGL_NONE)


def _library(libdir: str) -> Any:
    """Our libEGL, with the types of what is called here."""
    egl = ctypes.CDLL(os.path.join(libdir, "libEGL.so.1"), mode=ctypes.RTLD_GLOBAL)
    for name in _POINTERS:
        getattr(egl, name).restype = _HANDLE
    egl.eglGetPlatformDisplay.argtypes = [ctypes.c_uint, _HANDLE, _HANDLE]
    egl.eglInitialize.argtypes = [_HANDLE] * 3
    egl.eglChooseConfig.argtypes = [_HANDLE, _HANDLE, _HANDLE, ctypes.c_int, _HANDLE]
    egl.eglCreatePbufferSurface.argtypes = [_HANDLE] * 3
    egl.eglCreateContext.argtypes = egl.eglMakeCurrent.argtypes = [_HANDLE] * 4
    egl.eglDestroyContext.argtypes = egl.eglDestroySurface.argtypes = [_HANDLE] * 2
    return egl


class Offscreen:
    """A context that is current on this thread, until `close`.

    RuntimeError, with what was asked for, where it cannot be had.
    """

    def __init__(
        self, libdir: str, width: int = 256, height: int = 256, kind: Kind | None = None
    ) -> None:
        self.width, self.height = width, height
        self.kind = kind or Kind()
        self._egl = egl = _library(libdir)
        display = egl.eglGetPlatformDisplay(e.EGL_PLATFORM_SURFACELESS_MESA, None, None)
        if not display or not egl.eglInitialize(display, None, None):
            raise RuntimeError("EGL has no display without a window system")
        self._display = display
        config = self._config()
        egl.eglBindAPI(e.EGL_OPENGL_ES_API if self.kind.es else e.EGL_OPENGL_API)
        size = _ints(e.EGL_WIDTH, width, e.EGL_HEIGHT, height)
        self._surface = egl.eglCreatePbufferSurface(display, config, size)
        if not self._surface:
            raise self._refused(f"surface of {width}x{height} pixels")
        self._context = egl.eglCreateContext(display, config, None, _ints(*self.kind.attributes))
        if not self._context:
            problem = self._refused(f"context for {self.kind.words}")
            egl.eglDestroySurface(display, self._surface)
            raise problem
        self.make_current()

    def _config(self) -> int:
        kind, config, count = self.kind, _HANDLE(), ctypes.c_int()
        wanted = _ints(
            e.EGL_SURFACE_TYPE, e.EGL_PBUFFER_BIT, e.EGL_RENDERABLE_TYPE, kind.renderable,
            e.EGL_RED_SIZE, 8, e.EGL_GREEN_SIZE, 8, e.EGL_BLUE_SIZE, 8, e.EGL_ALPHA_SIZE, 8,
            e.EGL_DEPTH_SIZE, 24, e.EGL_STENCIL_SIZE, 8, e.EGL_SAMPLES, kind.samples,
        )  # fmt: skip
        self._egl.eglChooseConfig(
            self._display, wanted, ctypes.byref(config), 1, ctypes.byref(count)
        )
        if not count.value or config.value is None:
            raise RuntimeError(f"EGL has no config for {kind.words}")
        return config.value

    def _refused(self, what: str) -> RuntimeError:
        return RuntimeError(f"EGL gives no {what} ({e.name_of(self._egl.eglGetError())})")

    def make_current(self) -> None:
        """Make it this thread's current context (again)."""
        if not self._egl.eglMakeCurrent(
            self._display, self._surface, self._surface, self._context
        ):
            raise self._refused("leave to make the context current")

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """A function of GL by name, with ctypes' types of its result and arguments."""
        address = self._egl.eglGetProcAddress(name.encode())
        if not address:
            raise RuntimeError(f"{name}: GL has no function of that name")
        return ctypes.CFUNCTYPE(result, *arguments)(address)

    def string(self, name: int) -> str:
        """glGetString."""
        get = self.function("glGetString", ctypes.c_char_p, ctypes.c_uint)
        return (get(name) or b"").decode()

    def integer(self, name: int) -> int:
        """glGetIntegerv of one value."""
        value = ctypes.c_int()
        pointer = ctypes.POINTER(ctypes.c_int)
        self.function("glGetIntegerv", None, ctypes.c_uint, pointer)(name, ctypes.byref(value))
        return value.value

    def _is_es2(self) -> bool:
        """Whether it has neither pixel buffers nor rows of other lengths."""
        return self.kind.es and not self.string(gl.GL_VERSION).startswith("OpenGL ES 3")

    def read(self, width: int = 0, height: int = 0) -> Image:
        """What was drawn into the framebuffer that is bound for reading, from the top row down;
        its size is that of the surface, if nothing else is said. How the program itself reads
        pixels stays as it was. RuntimeError if GL has an error to tell, of this or of before."""
        width, height = width or self.width, height or self.height
        word, number = ctypes.c_uint, ctypes.c_int
        store = self.function("glPixelStorei", None, word, number)
        bind = self.function("glBindBuffer", None, word, word)
        packing = self._packing()
        kept = {name: self.integer(name) for name in packing}
        buffer = 0 if self._is_es2() else self.integer(gl.GL_PIXEL_PACK_BUFFER_BINDING)
        for name, value in packing.items():
            store(name, value)
        if buffer:
            bind(gl.GL_PIXEL_PACK_BUFFER, 0)
        pixels = ctypes.create_string_buffer(4 * width * height)
        read = self.function("glReadPixels", None, *[number] * 4, word, word, _HANDLE)
        read(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
        if buffer:
            bind(gl.GL_PIXEL_PACK_BUFFER, buffer)
        for name, value in kept.items():
            store(name, value)
        if error := self.function("glGetError", word)():
            raise RuntimeError(f"GL has an error to tell: {gl.name_of(error)}")
        import numpy as np

        rows = np.frombuffer(pixels.raw, np.uint8).reshape(height, width, 4)
        return Image(width, height, rows[::-1, :, :3].tobytes())

    def _packing(self) -> dict[int, int]:
        """What decides how rows are packed in this kind of context, as `read` wants it."""
        if self._is_es2():
            return _PACKING_OF_ES2
        return _PACKING_OF_ES2 | _PACKING_OF_ES3 | ({} if self.kind.es else _PACKING_OF_GL)

    def close(self) -> None:
        """Release and destroy it; what was not deleted goes with it."""
        egl = self._egl
        egl.eglMakeCurrent(self._display, None, None, None)
        egl.eglDestroyContext(self._display, self._context)
        egl.eglDestroySurface(self._display, self._surface)
