# SPDX-License-Identifier: MIT
"""A GL program that makes the calls it is told: the side of a random sequence that knows a driver.

In: whatever libGL.so.1 the environment leads to; an X server; or, for other contexts than those of
compatibility (fuzz_contexts.py), libEGL.so.1 alone. As a program it reads lines of JSON, each a
list of calls [name, arguments] (fuzz_arguments.py says what arguments are), plays each list
in a fresh context, and answers with a line of JSON: for each call [error, result, what stands in
its room for answers, base64 of the bytes up to the last that is not 0]. glGetError is not asked
between glBegin and glEnd, where it is an error itself; where a list keeps these it is none.
"""

import abc
import base64
import ctypes
import json
import os
import random
import resource
import signal
import struct
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from pydri.api.apis import ES1, ES2
from pydri.api.enums import GL_COMPILE
from pydri.api.gl_table import TABLE
from tests.robust import fuzz_arguments as area
from tests.robust import fuzz_contexts, headless

CTYPES: dict[str, Any] = {
    "E": ctypes.c_uint, "M": ctypes.c_uint, "B": ctypes.c_uint, "A": ctypes.c_uint,
    "b": ctypes.c_ubyte, "c": ctypes.c_byte, "C": ctypes.c_ubyte, "s": ctypes.c_short,
    "S": ctypes.c_ushort, "i": ctypes.c_int, "I": ctypes.c_uint, "l": ctypes.c_long,
    "L": ctypes.c_ulong, "f": ctypes.c_float, "d": ctypes.c_double, "*": ctypes.c_void_p,
    "p": ctypes.c_void_p, "v": None, "z": ctypes.c_void_p, "y": ctypes.c_void_p,
    "F": ctypes.c_void_p, "G": ctypes.c_void_p, "X": ctypes.c_ulong, "D": ctypes.c_ulong,
}  # fmt: skip
# RGBA, double-buffered, with alpha, depth, stencil; and accumulation
_WANTED = (4, 5, 11, 8, 12, 16, 13, 1)
_ACCUMULATION = (14, 8, 15, 8, 16, 8, 17, 8)
MOST_ERRORS = 8  # that are asked for after one call
MOST_BYTES = 6 << 30  # of a player's memory
PR_SET_PDEATHSIG = 1  # of prctl(2)


def _half(value: float) -> bytes:
    return struct.pack("<e", value)


class Block:
    """The memory that pointers lead into, the same in every process."""

    def __init__(self) -> None:
        self.memory = (ctypes.c_char * area.ROOM)()
        self.base = ctypes.addressof(self.memory)
        noise = random.Random(1)
        floats = [noise.uniform(-1.5, 1.5) for _ in range(1 << 16)]
        self.fill(area.FLOATS, struct.pack(f"<{len(floats)}f", *floats))
        self.fill(area.DOUBLES, struct.pack(f"<{len(floats)}d", *floats))
        self.fill(area.HALVES, b"".join(map(_half, floats[:8192])) * 16)
        self.fill(area.BYTES, noise.randbytes(1 << 20))
        indices = [i * 7 % 64 for i in range(1 << 15)]
        self.fill(area.INDICES8, bytes(indices) * 4)
        self.fill(area.INDICES16, struct.pack(f"<{len(indices)}H", *indices) * 4)
        for n, text in enumerate((*area.shaders(), *area.CAPTURED)):
            self.fill(area.SOURCES + area.SHADER_ROOM * n, text.encode() + b"\0")
        self.fill(area.INDICES32, struct.pack(f"<{len(indices)}I", *indices) * 4)

    def fill(self, at: int, content: bytes) -> None:
        """Put bytes there."""
        ctypes.memmove(self.base + at, content, len(content))


class Player(abc.ABC):
    """Contexts; calls. How contexts are made is up to who inherits this."""

    address: Callable[[bytes], int | None]  # of an entry point

    def __init__(self, size: int) -> None:
        self.size, self.block = size, Block()
        self.functions: dict[str, Any] = {}
        self.rooms: dict[int, int] = {}  # for answers, by thread
        self.syncs: list[int] = []
        self.windows: list[Any] = []

    @abc.abstractmethod
    def window(self) -> Any:
        """One more window."""

    @abc.abstractmethod
    def context(self, share: Any = None) -> Any:
        """A new context."""

    @abc.abstractmethod
    def current(self, window: Any, context: Any) -> None:
        """Make them the thread's."""

    @abc.abstractmethod
    def destroy(self, context: Any) -> None:
        """End the current context."""

    @abc.abstractmethod
    def swap(self, which: int = 0) -> None:
        """Show a window."""

    def function(self, name: str) -> Any:
        """An entry point with its prototype."""
        found = self.functions.get(name)
        if found is None:
            row = TABLE.row(name)
            address = self.address(name.encode())
            if not address:
                raise SystemExit(f"no {name}")
            types = [CTYPES[code[0]] for _, code in row.params]
            found = ctypes.CFUNCTYPE(CTYPES[row.ret[0]], *types)(address)
            self.functions[name] = found
        return found

    def room(self) -> int:
        """Where the answers of this thread's calls go."""
        place = self.rooms.setdefault(threading.get_ident(), len(self.rooms))
        return self.block.base + area.OUT + place * area.OUT_ROOM

    def pointer(self, value: Any, kept: list[Any]) -> Any:
        """What an argument is in C; what must stay until the call is over goes to `kept`."""
        if not isinstance(value, list | tuple):
            return value
        kind, what = value[0], value[1]
        if kind == "m":
            return self.block.base + what
        if kind == "o":
            ctypes.memset(self.room(), 0, what)
            return self.room()
        if kind == "k":
            return self.syncs[what] if what < len(self.syncs) else 0x1234
        if kind == "s":
            kept.append(ctypes.create_string_buffer(what.encode()))
        elif kind == "P":
            kept.append((ctypes.c_void_p * len(what))(*(self.block.base + each for each in what)))
        else:
            kept.append((CTYPES[what] * len(value[2]))(*value[2]))
        return ctypes.addressof(kept[-1])

    def call(self, name: str, values: Iterable[Any]) -> Any:
        """One call; its result."""
        if name == "swap":
            return self.swap()
        kept: list[Any] = []
        result = self.function(name)(*(self.pointer(value, kept) for value in values))
        if name == "glFenceSync" and result:
            self.syncs.append(result)
        return result

    def answer(self, values: Iterable[Any]) -> str:
        """What a call has put into its room for answers."""
        sizes = [v[1] for v in values if isinstance(v, list | tuple) and v[0] == "o"]
        if not sizes:
            return ""
        content = ctypes.string_at(self.room(), max(sizes)).rstrip(b"\0")
        return base64.b64encode(content).decode()

    def errors(self) -> int:
        """The error since the last call (of several flags the first that is set)."""
        first = 0
        ask = self.function("glGetError")
        for _ in range(MOST_ERRORS):
            error: int = ask()
            first = first or error
            if not error:
                break
        return first

    def play(self, calls: Iterable[Any]) -> list[Any]:
        """A list of calls in a context of its own."""
        context = self.context()
        self.current(self.windows[0], context)
        self.syncs.clear()
        heard, inside, kept = [], False, False
        for name, values in calls:
            result = self.call(name, values)
            if TABLE.row(name).ret[0] in "pz*" and name != "glGetString":
                result = result is not None  # an address says nothing
            elif name == "glGetString":
                result = None
            if name == "glNewList" and not inside:
                kept = kept or values[1] == GL_COMPILE
            elif name == "glEndList":
                kept = False
            inside = name == "glBegin" and values[0] < 10 or inside and name != "glEnd"
            inside = inside and not kept
            heard.append([0 if inside else self.errors(), result, self.answer(values)])
        self.destroy(context)
        return heard

class WindowPlayer(Player):
    """By GLX, in windows of an X server: contexts of compatibility."""

    def __init__(self, size: int, accumulation: bool) -> None:
        super().__init__(size)
        pointer, number = ctypes.c_void_p, ctypes.c_ulong
        self.gl = gl = ctypes.CDLL("libGL.so.1")
        self.x11 = x11 = ctypes.CDLL("libX11.so.6")
        x11.XOpenDisplay.restype = pointer
        x11.XDefaultRootWindow.restype = x11.XCreateSimpleWindow.restype = number
        gl.glXChooseVisual.restype = gl.glXCreateContext.restype = pointer
        gl.glXGetProcAddressARB.restype = pointer
        self.address = gl.glXGetProcAddressARB
        x11.XInitThreads()
        self.display = pointer(x11.XOpenDisplay(None))
        asked = (*_WANTED, *(_ACCUMULATION if accumulation else ()), 0)
        wanted = (ctypes.c_int * len(asked))(*asked)
        self.visual = pointer(gl.glXChooseVisual(self.display, 0, wanted))
        if not self.display or not self.visual:
            raise SystemExit("no display, or no visual")

    def window(self) -> Any:
        """One more window, mapped."""
        number, zero = ctypes.c_ulong, ctypes.c_ulong(0)
        root = number(self.x11.XDefaultRootWindow(self.display))
        at = len(self.windows) * (self.size + 10)
        place = (at, 0, self.size, self.size, 0)
        made = number(self.x11.XCreateSimpleWindow(self.display, root, *place, zero, zero))
        self.x11.XMapRaised(self.display, made)
        self.x11.XSync(self.display, 0)
        self.windows.append(made)
        return made

    def context(self, share: Any = None) -> Any:
        """A new context."""
        made = self.gl.glXCreateContext(self.display, self.visual, share, 1)
        if not made:
            raise SystemExit("no context")
        return ctypes.c_void_p(made)

    def current(self, window: Any, context: Any) -> None:
        """Make them the thread's."""
        if not self.gl.glXMakeCurrent(self.display, window, context):
            raise SystemExit("not made current")

    def destroy(self, context: Any) -> None:
        """End the current context."""
        self.gl.glXMakeCurrent(self.display, ctypes.c_ulong(0), None)
        self.gl.glXDestroyContext(self.display, context)

    def swap(self, which: int = 0) -> None:
        """Show a window."""
        self.gl.glXSwapBuffers(self.display, self.windows[which])


class SurfacelessPlayer(Player):
    """By EGL, in pbuffers."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.kind = fuzz_contexts.kind()
        apis = {ES1: headless.OPENGL_ES1, ES2: headless.OPENGL_ES}
        api = apis.get(self.kind.api, headless.OPENGL)
        # RGBA, depth, stencil, no samples, pbuffers
        self.display = headless.Display(api, 0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8, 0x3025, 24,
                                        0x3026, 8, 0x3031, 0, 0x3033, 1)  # fmt: skip
        if not self.display.config:
            raise SystemExit("no config")
        self.egl, self.profile = self.display.egl, int(api == headless.OPENGL)
        self.address = self.egl.eglGetProcAddress

    def window(self) -> Any:
        """One more pbuffer."""
        display, size = self.display, (0x3057, self.size, 0x3056, self.size)
        made = self.egl.eglCreatePbufferSurface(
            display.handle, display.config, display.words(*size)
        )
        self.windows.append(ctypes.c_void_p(made))
        return self.windows[-1]

    def context(self, share: Any = None) -> Any:
        """A new context of the version that the kind says."""
        version = self.kind.version or ()
        return self.display.context(*version, profile=self.profile, share=share)

    def current(self, window: Any, context: Any) -> None:
        """Make them the thread's."""
        if not self.egl.eglMakeCurrent(self.display.handle, window, window, context):
            raise SystemExit("not made current")

    def destroy(self, context: Any) -> None:
        """End the current context."""
        self.egl.eglMakeCurrent(self.display.handle, None, None, None)
        self.egl.eglDestroyContext(self.display.handle, context)

    def swap(self, which: int = 0) -> None:
        """Of a pbuffer: nothing."""
        self.egl.eglSwapBuffers(self.display.handle, self.windows[which])


def player_of(size: int, accumulation: bool) -> Player:
    """That of the kind of contexts which is played."""
    if fuzz_contexts.used() == "compat":
        return WindowPlayer(size, accumulation)
    return SurfacelessPlayer(size)


def main() -> None:
    """Lines in, lines out."""
    # A driver that loops may take all of the machine's memory (Mesa's did, 14 GB): it ends instead.
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    # One that hangs ends with who asked it, whom it may outlive by hours.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a driver prints is no answer
    fuzz_contexts.use(sys.argv[3])
    player = player_of(int(sys.argv[1]), sys.argv[2] == "1")
    player.window()
    for line in sys.stdin:
        print(json.dumps(player.play(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()
