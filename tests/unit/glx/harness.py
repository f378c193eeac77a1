# SPDX-License-Identifier: MIT
"""A program's view of GLX without the shim: calls by name, with a stand-in for the state tracker.

The stand-in has the native GLContext that kernels read and paints the back buffer when it is told
to, so that everything below it (dri, driver `null`, winsys, X server) is the real thing.
"""

import ctypes
import sys
import types
from typing import Any

import pydri.glx.entries  # noqa: F401
from pydri.api.dispatch import GLX
from pydri.main.layout import GLContext
from winsys_x11.xlib import ffi, libs, pointer


class FakeGL:
    """What pydri.st.context.create_context returns."""

    made: "list[FakeGL]" = []

    def __init__(self, pipe: Any, config: Any, share: Any, attribs: Any) -> None:
        self._memory = ctypes.create_string_buffer(GLContext.size + 64)
        self.address = (ctypes.addressof(self._memory) + 63) & ~63
        self.native = GLContext.view(self.address)
        self.native.pipe = pipe.native
        self.config, self.share, self.attribs = config, share, attribs
        self.draw: Any = None
        self.read: Any = None
        self.calls: list[str] = []
        FakeGL.made.append(self)

    def make_current(self, draw: Any, read: Any) -> None:
        self.draw, self.read = draw, read
        self.calls.append("make_current")

    def lose_current(self) -> None:
        self.draw = self.read = None
        self.calls.append("lose_current")

    def flush(self) -> None:
        self.calls.append("flush")

    def destroy(self) -> None:
        self.calls.append("destroy")

    def copy_state(self, source: Any, mask: int) -> None:
        self.calls.append(f"copy {mask:#x}")

    def paint(self, color: tuple[int, int, int]) -> None:
        """Fill the buffer that GL would draw to."""
        native = self.draw.native
        surface = native.back if native.double_buffer else native.front
        line = bytes((color[2], color[1], color[0], 255)) * surface.width
        for y in range(surface.height):
            ctypes.memmove(surface.data + y * surface.stride, line, len(line))


def install_fake_st(monkeypatch: Any) -> None:
    """Stand in for pydri.st.context."""
    module = types.ModuleType("pydri.st.context")
    module.create_context = FakeGL  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pydri.st.context", module)
    FakeGL.made.clear()


class Errors:
    """An X error handler that takes notes."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, int]] = []

        def handler(display: Any, event: Any) -> int:
            self.seen.append((event.error_code, event.request_code, event.minor_code))
            return 0

        self._callback = ffi.callback("int(Display *, XErrorEvent *)", handler)

    def __enter__(self) -> "Errors":
        self._before = libs().x11.XSetErrorHandler(self._callback)
        return self

    def __exit__(self, *exc: object) -> None:
        libs().x11.XSetErrorHandler(self._before)


class Program:
    """glX calls on one display: `p.glXFoo(...)`."""

    def __init__(self, display: Any) -> None:
        self.display = display

    def __getattr__(self, name: str) -> Any:
        found = GLX.entry(name)
        if found is None:
            raise AttributeError(name)
        return found

    def attribs(self, *values: int) -> Any:
        """A C attribute list, ended."""
        return ffi.new("int[]", [*values, 0])

    def choose(self, *values: int) -> list[int]:
        """glXChooseFBConfig as a list of handles."""
        count = ffi.new("int *")
        found = self.glXChooseFBConfig(self.display, 0, self.attribs(*values), count)
        handles = [
            int(ffi.cast("uintptr_t", pointer("void **", found)[i])) for i in range(count[0])
        ]
        libs().c.free(pointer("void *", found))
        return handles

    def get(self, config: int, attribute: int) -> int:
        """glXGetFBConfigAttrib."""
        value = ffi.new("int *")
        result = self.glXGetFBConfigAttrib(self.display, config, attribute, value)
        assert result == 0, f"attribute {attribute:#x}: {result}"
        return int(value[0])

    def visual(self, *values: int) -> Any:
        """glXChooseVisual; None if there is none."""
        info = self.glXChooseVisual(self.display, 0, self.attribs(*values))
        return pointer("XVisualInfo *", info) if info != ffi.NULL else None
