# SPDX-License-Identifier: MIT
"""A native context without a window: fake driver, fake framebuffer, compiled kernels of st."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from pydri.api.apis import COMPAT
from pydri.jit import Module
from pydri.main import defaults, memory
from pydri.main.layout import DIRTY_ALL, GLContext
from pydri.main.names.layout import SharedBlock
from pydri.pipe.format import FORMATS, number
from pydri.pipe.native import DrawInfo, PipeNative, Surface
from pydri.util import stats

U32, U64, F64, I32 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_double, ctypes.c_int32
DRAW = ctypes.CFUNCTYPE(None, U64, U64, U64, U64)
CLEAR = ctypes.CFUNCTYPE(None, U64, U64, U32, U64, F64, U32, U32, U32)
FLUSH = ctypes.CFUNCTYPE(None, U64)
RESOLVE = ctypes.CFUNCTYPE(None, U64, U64)
HOOK = ctypes.CFUNCTYPE(U64, U64)
HOOK2 = ctypes.CFUNCTYPE(None, U64, U64)


@functools.cache
def image() -> Any:
    """The kernels of st, compiled once."""
    from pydri.st.draw import kernels as st

    return Module(
        "test_st",
        [*st.EXPORTS, st.glClear, st.glFlush, st.glFinish, st.glReadPixels],
    ).compile()


def call(name: str, *args: Any) -> None:
    """Call a kernel; ints are passed as 64-bit, which suits every integer parameter here."""
    f = ctypes.CFUNCTYPE(None, *[F64 if isinstance(a, float) else U64 for a in args])
    f(image().address(name))(*args)


class FakeContext:
    """A context, and the list `calls` of what reached its driver and hooks."""

    def __init__(self, width: int = 100, height: int = 80, flip: bool = True) -> None:
        self.address = memory.allocate(GLContext.size)
        self.n: Any = GLContext.view(self.address)
        defaults.initialise(self.n)
        self.n.api = COMPAT
        self.calls: list[tuple[Any, ...]] = []
        self._keep: list[Any] = []
        self.pipe_memory = memory.allocate(PipeNative.size)
        self.pipe: Any = PipeNative.view(self.pipe_memory)
        self.n.pipe = self.pipe_memory
        self.n.stats = stats.BASE
        self.shared_memory = memory.allocate(SharedBlock.size)
        self.n.shared = self.shared_memory
        self.fb_result = 1
        self.stamp = ctypes.c_uint32(1)
        n, fb = self.n, self.n.dyn.fb
        for frame in (fb, n.read):
            frame.width, frame.height, frame.flip_y = width, height, int(flip)
            frame.stamp_source, frame.stamp = ctypes.addressof(self.stamp), 1
        self.pipe.draw_vbo = self.hook(DRAW, lambda *a: self.note("draw", *a))
        self.pipe.clear = self.hook(CLEAR, self.on_clear)
        self.pipe.flush = self.hook(FLUSH, lambda *a: self.note("flush"))
        self.pipe.finish = self.hook(FLUSH, lambda *a: self.note("finish"))
        self.pipe.resolve = self.hook(RESOLVE, lambda p, s: self.note("resolve", s))
        n.hook_fb = self.hook(HOOK, self.on_fb)
        n.raw.viewport[:] = (0, 0, width, height)
        n.dirty = DIRTY_ALL & ~(512 | 2048)
        n.key_dirty = 1

    def hook(self, kind: Any, function: Any) -> int:
        """The address of a callback that lives as long as the context."""
        held = kind(function)
        self._keep.append(held)
        return int(ctypes.cast(held, ctypes.c_void_p).value or 0)

    def note(self, *what: Any) -> None:
        self.calls.append(what)

    def on_clear(self, pipe: int, dyn: int, buffers: int, color: int, *rest: Any) -> None:
        values = tuple((ctypes.c_float * 4).from_address(color))
        self.note("clear", buffers, values, *rest)

    def on_fb(self, address: int) -> int:
        self.note("fb")
        self.n.dyn.fb.stamp = self.n.read.stamp = self.stamp.value
        self.n.dirty |= 512 | 8
        return self.fb_result

    def draw(self, mode: int = 4, count: int = 3) -> None:
        """Draw through st_draw."""
        info: Any = DrawInfo.ctype()()
        info.mode, info.count = mode, count
        self._keep.append(info)
        call("st_draw", self.address, ctypes.addressof(info))

    def take(self) -> list[tuple[Any, ...]]:
        """The calls since the last time."""
        out, self.calls = self.calls, []
        return out


class FakeSurface:
    """A surface of random words; `words` are its pixels, top row first."""

    def __init__(
        self, format: str, width: int, height: int, seed: int = 1, stamps: bool = False
    ) -> None:
        row = FORMATS[number(format)]
        self.format = row
        self.width, self.height = width, height
        columns = -(-width // 64) * 64
        rng = np.random.default_rng(seed)
        self.rows = -(-height // 64) * 64
        self.columns, self.stamps = columns, stamps
        data = rng.integers(0, 256, (height, columns * row.bytes), np.uint8)
        self.memory = memory.allocate(self.rows * columns * row.bytes)
        self.write(data.view(f"<u{row.bytes}")[:, :width])
        self.address = memory.allocate(Surface.size)
        n: Any = Surface.view(self.address)
        n.data, n.stride, n.width, n.height = self.memory, columns * row.bytes, width, height
        n.rows, n.format, n.layout = self.rows, row.number, int(stamps)

    def write(self, words: np.ndarray) -> None:
        """Put pixels into memory, in rows or in 4x4 stamps."""
        self.words = words
        full = np.zeros((self.rows, self.columns), words.dtype)
        full[: self.height, : self.width] = words
        if self.stamps:
            full = full.reshape(self.rows // 4, 4, self.columns // 4, 4).transpose(0, 2, 1, 3)
        full = np.ascontiguousarray(full)
        ctypes.memmove(self.memory, full.ctypes.data, full.nbytes)
