# SPDX-License-Identifier: MIT
"""Random but well-typed egl calls, seeded: `fuzz.py LIBEGL SEED CALLS`.

Handles are good, ended, of another kind, null or invented; enums and values are likely or wild;
pointers lead somewhere or are null where EGL allows it. What must hold: no crash, an error exactly
where a call fails, GL still drawing at the end.
"""

import ctypes
import os
import random
import sys
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))

from pydri.api import egl_enums as e
from pydri.api.egl_table import TABLE
from pydri.api.rows import C_TYPES

CTYPES = {
    "void": None, "void *": ctypes.c_void_p, "int": ctypes.c_int, "unsigned int": ctypes.c_uint,
    "long": ctypes.c_long, "unsigned long": ctypes.c_ulong,
}  # fmt: skip
# Not called at random: they end everything, wait for ever or call back into a wild address.
LEFT_OUT = {"eglReleaseThread", "eglDebugMessageControlKHR", "eglGetProcAddress", "eglGetError"}
# Null is no mistake that EGL wants answered there: programs must give room for the result.
NUMBERS = sorted({v for n, v in vars(e).items() if n.startswith("EGL_") and 0 <= v < 0x10000})
LIKELY = [
    e.EGL_RED_SIZE, e.EGL_DEPTH_SIZE, e.EGL_SURFACE_TYPE, e.EGL_WIDTH, e.EGL_HEIGHT,
    e.EGL_CONFIG_ID, e.EGL_RENDER_BUFFER, e.EGL_SWAP_BEHAVIOR, e.EGL_BACK_BUFFER, e.EGL_DRAW,
    e.EGL_CONTEXT_MAJOR_VERSION, e.EGL_CONTEXT_MINOR_VERSION, e.EGL_OPENGL_API, e.EGL_EXTENSIONS,
    e.EGL_SYNC_FENCE, e.EGL_SYNC_REUSABLE_KHR, e.EGL_SYNC_STATUS, e.EGL_SIGNALED,
    e.EGL_PLATFORM_SURFACELESS_MESA, e.EGL_PLATFORM_X11_KHR, e.EGL_CORE_NATIVE_ENGINE,
]  # fmt: skip


class Fuzz:
    """The program."""

    def __init__(self, path: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.lib = ctypes.CDLL(path)
        find = self.lib.eglGetProcAddress
        find.restype, find.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        self.calls: dict[str, Any] = {}
        for row in map(TABLE.row, range(len(TABLE))):
            kinds = [CTYPES[C_TYPES[code[0]]] for _, code in row.params]
            prototype = ctypes.CFUNCTYPE(CTYPES[row.c_ret], *kinds)
            self.calls[row.name] = prototype(find(row.name.encode()))
        self.names = [n for n in self.calls if n not in LEFT_OUT]
        self.room = ctypes.create_string_buffer(4096)
        self.handles: list[int] = [ctypes.addressof(self.room) + 512]
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x: int = self.x11.XOpenDisplay(None) or 0
        self.windows = [self.window() for _ in range(4)] if self.x else [7]
        self.errors = 0

    def window(self) -> int:
        """A native window."""
        x11 = self.x11
        x11.XDefaultRootWindow.restype = x11.XCreateSimpleWindow.restype = ctypes.c_ulong
        root = x11.XDefaultRootWindow(ctypes.c_void_p(self.x))
        found = x11.XCreateSimpleWindow(
            ctypes.c_void_p(self.x), ctypes.c_ulong(root), 0, 0, 40, 30, 0, 0, 0
        )
        x11.XSync(ctypes.c_void_p(self.x), 0)
        return int(found)

    def number(self) -> int:
        """A value of an attribute or an enum."""
        pick = self.random.random()
        if pick < 0.4:
            return self.random.choice(LIKELY)
        if pick < 0.6:
            return self.random.choice(NUMBERS)
        if pick < 0.9:
            return self.random.choice((0, 1, 2, 3, 4, 8, 16, 24, 64))
        return self.random.choice((-1, -2, 1 << 30, (1 << 31) - 1, -(1 << 31)))

    def list_of(self, ctype: Any) -> Any:
        """An attribute list, often empty or null."""
        if self.random.random() < 0.4:
            return None
        words = [self.number() for _ in range(2 * self.random.randrange(4))]
        words = [e.EGL_WIDTH if w == e.EGL_NONE else w for w in words]
        # Sizes stay moderate: what is asked for is a storm of calls, not all of memory.
        for i in range(0, len(words), 2):
            if words[i] in (e.EGL_WIDTH, e.EGL_HEIGHT, e.EGL_LARGEST_PBUFFER):
                words[i + 1] = max(-1, min(words[i + 1], 64))
        return (ctype * (len(words) + 1))(*words, e.EGL_NONE)

    def argument(self, name: str, code: str) -> Any:
        """A value for a parameter."""
        if name == "attrib_list":
            return self.list_of(ctypes.c_long if code == "*l" else ctypes.c_int)
        if name in ("native_display", "display_id"):
            return self.random.choice((None, self.x or None))
        if name in ("native_window", "native_pixmap"):
            return (ctypes.c_ulong * 1)(self.random.choice(self.windows))
        if code == "X":
            return self.random.choice([*self.windows, 0, 0x1234567])
        if code == "L":
            return self.random.choice((0, 1, 100_000))  # never for ever: nobody would signal
        if name in ("config_size", "max_devices", "n_rects"):
            return self.random.randrange(-1, 17)
        if name in ("width", "height", "x", "y"):
            return self.random.randrange(-2, 50)
        if name == "interval":
            return 0
        if code[0] == "*" or name in ("configs", "devices"):
            return ctypes.addressof(self.room) if self.random.random() < 0.9 else None
        if C_TYPES[code[0]] == "void *":
            return self.random.choice([None, *self.handles, *self.handles[-8:]])
        return self.number()

    def call(self) -> None:
        """One call, and its error."""
        name = self.random.choice(self.names)
        if name == "eglTerminate" and self.random.random() < 0.95:
            return  # else nothing would ever be there
        row = TABLE.row(name)
        arguments = [self.argument(n, c) for n, c in row.params]
        if name in ("eglQueryString", "eglInitialize") and self.random.random() < 0.3:
            arguments[0] = None
        kinds = [C_TYPES[code[0]] for _, code in row.params]
        wrapped = [
            ctypes.cast(a, ctypes.c_void_p) if k == "void *" and a is not None else a
            for a, k in zip(arguments, kinds)
        ]
        wrapped = [a & 0xFFFFFFFF if k == "unsigned int" else a for a, k in zip(wrapped, kinds)]
        result = self.calls[name](*wrapped)
        error = self.calls["eglGetError"]()
        assert e.EGL_SUCCESS <= error <= e.EGL_CONTEXT_LOST or error == e.EGL_BAD_DEVICE_EXT, name
        self.errors += error != e.EGL_SUCCESS
        quiet = ("eglGetCurrent", "eglQueryAPI", "eglLabelObject")
        if not name.startswith(quiet):
            assert bool(result) == (error == e.EGL_SUCCESS), (name, result, hex(error))
        if result and row.ret in ("p", "Y") and len(self.handles) < 400:
            self.handles.append(int(result))
        if name == "eglChooseConfig" and result and self.random.random() < 0.5:
            self.handles.append(ctypes.c_long.from_buffer(self.room).value or 0)

    def draw(self) -> None:
        """GL still works."""
        get, start = self.calls["eglGetPlatformDisplay"], self.calls["eglInitialize"]
        display = get(e.EGL_PLATFORM_SURFACELESS_MESA, None, None)
        assert start(display, None, None) and self.calls["eglBindAPI"](e.EGL_OPENGL_API)
        wanted = (ctypes.c_int * 3)(e.EGL_SURFACE_TYPE, e.EGL_PBUFFER_BIT, e.EGL_NONE)
        size = (ctypes.c_int * 5)(e.EGL_WIDTH, 8, e.EGL_HEIGHT, 8, e.EGL_NONE)
        config, count = ctypes.c_void_p(), ctypes.c_int()
        as_void = ctypes.c_void_p
        self.calls["eglChooseConfig"](
            display, ctypes.cast(wanted, as_void), ctypes.addressof(config), 1,
            ctypes.addressof(count),
        )  # fmt: skip
        context = self.calls["eglCreateContext"](display, config, None, None)
        surface = self.calls["eglCreatePbufferSurface"](display, config, ctypes.cast(size, as_void))
        assert self.calls["eglMakeCurrent"](display, surface, surface, context)
        pixel = (ctypes.c_ubyte * 4)()
        self.lib.glClearColor(*map(ctypes.c_float, (0, 1, 0, 1)))
        self.lib.glClear(0x4000)
        self.lib.glReadPixels(1, 1, 1, 1, 0x1908, 0x1401, pixel)
        assert tuple(pixel[:3]) == (0, 255, 0), tuple(pixel)


def main() -> None:
    path, seed, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fuzz = Fuzz(path, seed)
    for n in range(calls):
        if fuzz.x and n % 500 == 499:  # a window goes, another one comes
            gone = fuzz.windows.pop(0)
            fuzz.x11.XDestroyWindow(ctypes.c_void_p(fuzz.x), ctypes.c_ulong(gone))
            fuzz.windows.append(fuzz.window())
        fuzz.call()
    fuzz.draw()
    print("ok", fuzz.errors > calls // 4)


if __name__ == "__main__":
    main()
