# SPDX-License-Identifier: MIT
"""StContext over a fake driver and fake drawables: creation, binding, hooks."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.main import memory
from pydri.main.layout import DIRTY_FB, DIRTY_VIEWPORT, GLContext
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import DrawInfo, PipeNative
from pydri.st.context import StContext, create_context
from pydri.util import stats
from pydri.util.options import options
from tests.unit.st.st_fake import FakeSurface


class Layout(NamedTuple):
    red: int = 8
    green: int = 8
    blue: int = 8


class Config(NamedTuple):
    """What st looks at of an FBConfig."""

    layout: Layout = Layout()
    alpha: int = 8
    depth: int = 24
    stencil: int = 8
    double_buffer: bool = True
    samples: int = 0
    accum: int = 0


class PythonPipe(PipeContext):
    """A driver that offers no native call: everything comes through the hooks."""

    def __init__(self) -> None:
        self.native = memory.allocate(PipeNative.size)
        self.calls: list[tuple[Any, ...]] = []

    def create_pipeline(self, state: Any) -> int:
        self.calls.append(("create", state))
        return 0x7000

    def draw_vbo(self, pipeline: int, dyn: int, info: int) -> None:
        self.calls.append(("draw", pipeline, DrawInfo.view(info).count))

    def clear(self, dyn: int, buffers: int, color: int, *rest: Any) -> None:
        self.calls.append(("clear", buffers, *rest))

    def flush(self) -> None:
        self.calls.append(("flush",))

    def finish(self) -> None:
        self.calls.append(("finish",))

    def resolve(self, surface: int) -> None:
        self.calls.append(("resolve", surface))

    def destroy(self) -> None:
        self.calls.append(("destroy",))

    def take(self) -> list[str]:
        out, self.calls = [c[0] for c in self.calls], []
        return out


class NativeDrawable(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint32)
        for name in "stamp width height double_buffer has_zs has_accum front_used".split()
    ]


class Drawable:
    """As much of a DriDrawable as st uses."""

    def __init__(self, width: int = 50, height: int = 40, double: bool = True) -> None:
        self.native = NativeDrawable(1, width, height, int(double), 1, 0)
        self.address = ctypes.addressof(self.native)
        self.surfaces = {
            "back": FakeSurface("B8G8R8X8_UNORM", width, height, 1),
            "front": FakeSurface("B8G8R8X8_UNORM", width, height, 2),
            "zs": FakeSurface("Z24_UNORM_S8_UINT", width, height, 3),
        }
        self.validated = self.shown = self.asked = 0

    @property
    def width(self) -> int:
        return int(self.native.width)

    @property
    def height(self) -> int:
        return int(self.native.height)

    def surface_address(self, name: str) -> int:
        return self.surfaces[name].address

    draw_surface = surface_address

    def validate(self) -> bool:
        self.validated += 1
        return False

    def check_geometry(self) -> bool:
        self.asked += 1
        return False

    def prepare_front(self) -> None:
        self.native.front_used = 1

    def flush_front(self) -> None:
        assert self.native.front_used
        self.shown += 1


@pytest.fixture
def context() -> Iterator[StContext]:
    made = create_context(PythonPipe(), Config(), None, None)
    yield made
    made.destroy()


def draw(ctx: StContext, count: int = 3) -> None:
    info: Any = DrawInfo.ctype()()
    info.mode, info.count = gl.GL_TRIANGLES, count
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)(ctx.n.draw)
    kernel(ctx.address, ctypes.addressof(info))


def call(ctx: StContext, name: str, *args: int) -> None:
    ctx.gl.call(name, *args)


def test_without_a_drawable_nothing_is_drawn(context: StContext) -> None:
    draw(context)
    call(context, "glClear", gl.GL_COLOR_BUFFER_BIT)
    assert context.pipe.take() == []  # type: ignore[attr-defined]


def test_first_drawable_sets_viewport_and_scissor(context: StContext) -> None:
    context.make_current(Drawable(50, 40), None)
    assert list(context.n.raw.viewport) == [0, 0, 50, 40]
    assert list(context.n.raw.scissor) == [0, 0, 50, 40]
    context.make_current(Drawable(90, 20), None)
    assert list(context.n.raw.viewport) == [0, 0, 50, 40]
    assert context.n.dyn.fb.width == 90


def test_mesa_debug_flushes_each_draw_and_makes_debug_contexts() -> None:
    with options(MESA_DEBUG="flush,context"):
        made = create_context(PythonPipe(), Config(), None, None)
    made.make_current(Drawable(), None)
    draw(made)
    draw(made, 6)
    assert made.pipe.take() == ["create", "draw", "flush", "draw", "flush"]  # type: ignore[attr-defined]
    assert made.gl.debug_context and made.n.raw.debug_output
    made.destroy()


def test_python_drivers_draw_clear_and_flush(context: StContext) -> None:
    drawable = Drawable()
    context.make_current(drawable, drawable)
    draw(context)
    draw(context, 6)
    call(context, "glClear", gl.GL_COLOR_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
    call(context, "glFlush")
    call(context, "glFinish")
    pipe: Any = context.pipe
    state = pipe.calls[0][1]
    assert state.color_format == drawable.surfaces["back"].format.number
    assert pipe.calls[1:3] == [("draw", 0x7000, 3), ("draw", 0x7000, 6)]
    assert pipe.calls[3][:2] == ("clear", 0xFF04)
    assert pipe.take()[4:] == ["flush", "finish"]


@pytest.mark.parametrize(
    ("double", "buffer", "surface"),
    [(True, gl.GL_BACK, "back"), (True, gl.GL_FRONT, "front"), (False, gl.GL_BACK, "front"),
     (True, gl.GL_NONE, None)],
)  # fmt: skip
def test_draw_and_read_buffers(double: bool, buffer: int, surface: str | None) -> None:
    ctx = create_context(PythonPipe(), Config(double_buffer=double), None, None)
    drawable, other = Drawable(double=double), Drawable(double=double)
    ctx.n.raw.draw_buffer = ctx.n.raw.read_buffer = buffer
    ctx.make_current(drawable, other)
    expect = [d.surface_address(surface) if surface else 0 for d in (drawable, other)]
    assert [ctx.n.dyn.fb.cbuf, ctx.n.read.cbuf] == expect
    assert ctx.n.dyn.fb.zsbuf == drawable.surface_address("zs")
    assert bool(ctx.n.dyn.fb.front) == (surface == "front")
    assert bool(ctx.n.key.color_format) == bool(surface)
    ctx.destroy()


@pytest.mark.parametrize("buffer", [gl.GL_FRONT_AND_BACK, gl.GL_LEFT])
def test_two_draw_buffers(context: StContext, buffer: int) -> None:
    drawable = Drawable()
    context.n.raw.draw_buffer = context.n.raw.read_buffer = buffer
    context.make_current(drawable, drawable)
    fb = context.n.dyn.fb
    back, front = (drawable.surface_address(name) for name in ("back", "front"))
    assert (fb.cbuf, bool(fb.front), context.n.read.cbuf) == (back, True, front)
    seen: list[int] = []
    pipe: Any = context.pipe
    pipe.draw_vbo = lambda *_: seen.extend([fb.cbuf, fb.others[0]])
    pipe.clear = lambda *_: seen.extend([fb.cbuf, fb.others[0]])
    draw(context)
    call(context, "glClear", gl.GL_COLOR_BUFFER_BIT)
    assert seen == [back, front, back, front]
    assert fb.cbuf == back
    context.n.raw.draw_buffer = gl.GL_BACK
    context.make_current(drawable, drawable)
    draw(context)
    assert seen[4:] == [back, 0]
    assert context.n.pipe == pipe.native


def test_a_front_buffer_is_shown_at_flush(context: StContext) -> None:
    drawable = Drawable()
    context.make_current(drawable, drawable)
    call(context, "glFlush")
    assert drawable.shown == 0
    context.n.raw.draw_buffer = gl.GL_FRONT
    context.n.dirty |= DIRTY_FB
    draw(context)
    call(context, "glFlush")
    call(context, "glFinish")
    context.flush()
    assert drawable.shown == 3


def test_a_new_stamp_is_followed_once(context: StContext) -> None:
    drawable = Drawable()
    context.make_current(drawable, drawable)
    draw(context)
    drawable.native.stamp, drawable.native.width = 7, 33
    draw(context)
    draw(context)
    assert drawable.validated == 1
    assert context.n.dyn.fb.width == context.n.read.width == 33
    assert context.n.dyn.scissor_x1 == 33


def test_a_viewport_of_another_size_asks_the_window_once(context: StContext) -> None:
    drawable = Drawable(50, 40)
    context.make_current(drawable, drawable)
    for box, asked in (
        ((0, 0, 50, 40), 0), ((0, 0, 70, 60), 1), ((0, 0, 50, 40), 1), ((0, 0, 70, 60), 1),
        ((10, 0, 30, 30), 1), ((0, 0, 30, 30), 2),
    ):  # fmt: skip
        context.n.raw.viewport[:] = box
        context.n.dirty |= DIRTY_VIEWPORT
        draw(context)
        draw(context)
        assert drawable.asked == asked, box


def test_state_is_copied_by_groups(context: StContext) -> None:
    other = create_context(PythonPipe(), Config(), context, None)
    other.n.key.fog, other.n.key.depth_test, other.n.val.frag.fog_density = 1, 1, 0.5
    context.copy_state(other, gl.GL_FOG_BIT)
    assert (context.n.key.fog, context.n.key.depth_test) == (1, 0)
    assert context.n.val.frag.fog_density == 0.5 and context.n.key_dirty
    other.destroy()


def test_texture_bindings_are_copied_within_a_share_group(context: StContext) -> None:
    """But those of textures that are deleted: nobody else can name them."""
    other = create_context(PythonPipe(), Config(), context, None)
    stranger = create_context(PythonPipe(), Config(), None, None)
    for made in (other, stranger):
        made.gl.call("glActiveTexture", gl.GL_TEXTURE2)
        made.gl.call("glBindTexture", gl.GL_TEXTURE_3D, 7)
        made.gl.call("glBindTexture", gl.GL_TEXTURE_2D, 8)
        made.gl.call("glActiveTexture", gl.GL_TEXTURE1)
    doomed = ctypes.c_uint32(8)
    kernel = context.gl.image.address("glDeleteTextures")
    delete = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_void_p)(kernel)
    delete(context.address, 1, ctypes.addressof(doomed))
    before = list(context.n.textures.bound)
    context.copy_state(stranger, gl.GL_TEXTURE_BIT)
    assert list(context.n.textures.bound) == before
    context.copy_state(other, gl.GL_TEXTURE_BIT)
    theirs = list(other.n.textures.bound)
    changed = [n for n, texture in enumerate(context.n.textures.bound) if texture != before[n]]
    assert [context.n.textures.bound[n] for n in changed] == [theirs[n] for n in changed]
    assert [n // MAX_TEXTURE_TARGETS for n in changed] == [2] and context.n.raw.active_texture == 1
    stranger.destroy()
    other.destroy()


def test_losing_the_drawable(context: StContext) -> None:
    drawable = Drawable()
    context.make_current(drawable, drawable)
    draw(context)
    context.pipe.take()  # type: ignore[attr-defined]
    context.lose_current()
    draw(context)
    call(context, "glClear", gl.GL_COLOR_BUFFER_BIT)
    assert context.pipe.take() == [] and not context.n.dyn.fb.cbuf  # type: ignore[attr-defined]


def test_hooks_count_and_survive_exceptions(
    context: StContext, capsys: pytest.CaptureFixture[str]
) -> None:
    drawable = Drawable()
    context.make_current(drawable, drawable)

    def fail(state: Any) -> int:
        raise ValueError("no such pipeline")

    context.pipe.create_pipeline = fail  # type: ignore[method-assign]
    before = stats.ARRAY[stats.INDEX["python_entries"]]
    draw(context)
    draw(context)
    assert stats.ARRAY[stats.INDEX["python_entries"]] == before + 2
    text = capsys.readouterr().err
    assert text.count("ValueError: ") == 1 and "hook_plan_miss" in text


def read_pixels(context: StContext, *args: int) -> None:
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_uint64, *[ctypes.c_uint64] * 7)
    kernel(context.gl.image.address("glReadPixels"))(context.address, *args)


def test_read_pixels_of_a_python_driver(context: StContext) -> None:
    drawable = Drawable()
    context.make_current(None, drawable)
    out = np.zeros((40, 50, 4), np.float32)
    read_pixels(context, 0, 0, 50, 40, gl.GL_RGBA, gl.GL_FLOAT, out.ctypes.data)
    words = drawable.surfaces["back"].words[::-1]
    np.testing.assert_allclose(out[..., 2], (words & 255) / 255, rtol=1e-6)
    assert (out[..., 3] == 1).all()
    drawable.native.stamp, drawable.native.height = 3, 30
    read_pixels(context, 0, 0, 1, 1, gl.GL_RGBA, gl.GL_FLOAT, out.ctypes.data)
    assert drawable.validated == 1 and context.n.read.height == 30


def test_the_native_struct_lies_where_the_address_says(context: StContext) -> None:
    assert context.address % 64 == 0
    assert context.n.plans and context.n.draw and context.n.flush_vertices
    assert context.n.dyn.const0 == context.address + GLContext.offset("val")
