# SPDX-License-Identifier: MIT
"""Two colour buffers drawn to at once: GL_FRONT_AND_BACK, GL_LEFT (GL 2.1, 4.2.1).

In: a context whose draw buffers are two. Out: a PipeNative in the driver's place whose calls draw
twice, the second time to the other colour buffer. That pass has a copy of depth and stencil of its
own, made when the second buffer is chosen: both passes do the same to them, so both copies stay
equal, and the tests of the second are those of the first. Occlusion is counted once. Drivers know
nothing of it, and programs with one draw buffer pay nothing. Mesa's drivers have several render
targets instead.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pydri.jit import Struct, f32, f64, kernel, ptr, u8, u32, u64, void
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import DrawInfo, PipeDynamic, PipeNative, RectInfo, Surface

PIPE = ptr(PipeNative)


class Twin(Struct, align=64):
    """What stands in the driver's place, and where its calls go."""

    pipe = PipeNative
    real = PIPE
    color = ptr(Surface)  # the second colour buffer
    zs = ptr(Surface)  # the copy of depth and stencil; null: there is none
    image_size = u32  # bytes of the last upload


def _twice(b: Any, twin: Any, dyn: Any, draw: Callable[[], None],
           again: Callable[[], None] | None = None) -> None:  # fmt: skip
    """Emit a call for the first framebuffer and for the second (`again`, if that differs)."""
    draw()
    fb = dyn.fb
    color, zs, counter = fb.cbuf, fb.zsbuf, dyn.occlusion_counter
    fb.cbuf, fb.zsbuf = twin.color, twin.zs
    dyn.occlusion_counter = b.const(counter.ty, None)
    (again or draw)()
    fb.cbuf, fb.zsbuf = color, zs
    dyn.occlusion_counter = counter
    _fences(twin)


def _fences(twin: Any) -> None:
    """Who waits looks at this pipe."""
    twin.pipe.submitted, twin.pipe.completed = twin.real.submitted, twin.real.completed


@kernel(void, (PIPE, ptr(void), ptr(PipeDynamic), ptr(DrawInfo)))
def twin_draw_vbo(b: Any, pipe: Any, pipeline: Any, dyn: Any, info: Any) -> None:
    """PipeNative.draw_vbo."""
    twin = pipe.cast(ptr(Twin))
    real = twin.real
    _twice(b, twin, dyn, lambda: b.call(real.draw_vbo, real, pipeline, dyn, info))


@kernel(void, (PIPE, ptr(PipeDynamic), u32, ptr(f32), f64, u32, u32, u32))
def twin_clear(b: Any, pipe: Any, dyn: Any, *args: Any) -> None:
    """PipeNative.clear."""
    twin = pipe.cast(ptr(Twin))
    real = twin.real
    _twice(b, twin, dyn, lambda: b.call(real.clear, real, dyn, *args))


@kernel(ptr(u8), (PIPE, ptr(void), ptr(PipeDynamic), u32))
def twin_upload(b: Any, pipe: Any, pipeline: Any, dyn: Any, size: Any) -> None:
    """PipeNative.upload."""
    twin = pipe.cast(ptr(Twin))
    real = twin.real
    twin.image_size = size
    b.Return(b.call(real.upload, real, pipeline, dyn, size))


@kernel(void, (PIPE, ptr(void), ptr(PipeDynamic), ptr(RectInfo)))
def twin_draw_rect(b: Any, pipe: Any, pipeline: Any, dyn: Any, rect: Any) -> None:
    """PipeNative.draw_rect; the image is copied into the second scene (the first one's memory
    stays until the scene after that)."""
    twin = pipe.cast(ptr(Twin))
    real = twin.real
    image = rect.image

    def draw() -> None:
        b.call(real.draw_rect, real, pipeline, dyn, rect)

    def again() -> None:
        with b.If(image != b.const(image.ty, None)):
            size = twin.image_size
            copy = b.call(real.upload, real, pipeline, dyn, size)
            rect.image = copy
            with b.If(copy != b.const(copy.ty, None)):
                b.memcpy(copy, image, b.cast(size, u64))
                draw()
        with b.Else():
            draw()
        rect.image = image

    _twice(b, twin, dyn, draw, again)


def _forward(name: str) -> Any:
    @kernel(void, (PIPE,), name=f"twin_{name}")
    def call(b: Any, pipe: Any) -> None:
        twin = pipe.cast(ptr(Twin))
        b.call(getattr(twin.real, name), twin.real)
        _fences(twin)

    return call


@kernel(void, (PIPE, ptr(Surface)))
def twin_resolve(b: Any, pipe: Any, surface: Any) -> None:
    """PipeNative.resolve."""
    twin = pipe.cast(ptr(Twin))
    b.call(twin.real.resolve, twin.real, surface)
    _fences(twin)


twin_flush, twin_finish = _forward("flush"), _forward("finish")
CALLS = {
    "draw_vbo": twin_draw_vbo, "clear": twin_clear, "flush": twin_flush, "finish": twin_finish,
    "resolve": twin_resolve, "draw_rect": twin_draw_rect, "upload": twin_upload,
}  # fmt: skip
EXPORTS = tuple(CALLS.values())


class TwinPipe:
    """The Twin of a context and the second pass' depth and stencil. `image`: the core image."""

    def __init__(self, pipe: PipeContext, image: Any) -> None:
        self._pipe = pipe
        size = -(-Twin.size // 64) * 64
        self._memory = ctypes.create_string_buffer(size + Surface.size + 64)
        self.address = (ctypes.addressof(self._memory) + 63) & -64
        self._n: Any = Twin.view(self.address)
        self._copy_address = self.address + size
        self._copy: Any = Surface.view(self._copy_address)
        real: Any = PipeNative.view(pipe.native)
        self._n.real = pipe.native
        self._n.pipe.stats = real.stats
        for name in CALLS:
            if getattr(real, name):
                setattr(self._n.pipe, name, image.address(f"twin_{name}"))

    def begin(self, color: int, zs: int) -> int:
        """Draw to a second colour buffer from now on, beside one whose depth and stencil is `zs`
        (0: none). The address of the pipe that does."""
        self.end()
        n, copy, screen = self._n, self._copy, self._pipe.screen
        n.color, n.zs = color, 0
        if zs and screen is not None:
            self._pipe.resolve(zs)
            source: Any = Surface.view(zs)
            samples = max(source.samples, 1)
            screen.surface_create(copy, source.format, source.width, source.height, samples)
            ctypes.memmove(copy.data, source.data, source.stride * source.rows)
            copy.stencil_known = source.stencil_known
            n.zs = self._copy_address
        return self.address

    def end(self) -> None:
        """Forget the second buffer and free the copy."""
        screen = self._pipe.screen
        if self._copy.data and screen is not None:
            self._pipe.finish()
            screen.surface_destroy(self._copy)
        self._n.color = self._n.zs = 0

    @contextmanager
    def _second(self, dyn: Any) -> Iterator[None]:
        fb = dyn.fb
        first = fb.cbuf, fb.zsbuf, dyn.occlusion_counter
        fb.cbuf, fb.zsbuf, dyn.occlusion_counter = self._n.color, self._n.zs, 0
        yield
        fb.cbuf, fb.zsbuf, dyn.occlusion_counter = first

    def call(self, dyn: Any, draw: Callable[[], None]) -> None:
        """Do something once, or for both framebuffers: drivers without native calls."""
        draw()
        if self._n.color:
            with self._second(dyn):
                draw()


__all__ = ["EXPORTS", "TwinPipe"]
