# SPDX-License-Identifier: MIT
"""The whole way below GLX, without a window: GL entry points to pixels, on the real driver."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pipe_llvm.fragment import variants as fs_variants
from pipe_llvm.native import SHARED_USES, LpPlan
from pydri.api import enums as gl
from pydri.api.gl_table import SLOTS
from pydri.main import memory
from pydri.main.layout import PlanEntry
from pydri.pipe.format import number
from pydri.pipe.native import Surface
from pydri.st.context import create_context
from pydri.util import stats
from tests.unit.alone import empty_cache
from tests.unit.st.test_context import Config, NativeDrawable

WIDTH, HEIGHT = 96, 80


class RealDrawable:
    """Surfaces of the driver, as a DriDrawable shows them."""

    def __init__(self, screen: Any, zs_format: str) -> None:
        self.width, self.height = WIDTH, HEIGHT
        self.native = NativeDrawable(1, WIDTH, HEIGHT, 1, 1, 0)
        self.address = ctypes.addressof(self.native)
        self.surfaces: dict[str, int] = {}
        formats = {"back": "B8G8R8X8_UNORM", "front": "B8G8R8X8_UNORM", "zs": zs_format}
        for name, format in formats.items():
            address = self.surfaces[name] = memory.allocate(Surface.size)
            screen.surface_create(Surface.view(address), number(format), WIDTH, HEIGHT)

    def surface_address(self, name: str) -> int:
        return self.surfaces[name]

    draw_surface = surface_address

    def validate(self) -> bool:
        return False

    def prepare_front(self) -> None:
        """No server reads it."""

    check_geometry = validate


class Gl:
    """`g.Clear(mask)` calls the dispatch table: floats as float, the rest as integers."""

    zs_format = "Z24X8_UNORM"

    def __init__(self) -> None:
        from pipe_llvm import create_screen

        self.screen = create_screen(None)
        self.pipe = self.screen.context_create()
        self.st = create_context(self.pipe, Config(), None, None)
        self.drawable = RealDrawable(self.screen, self.zs_format)
        self.st.make_current(self.drawable, self.drawable)

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> None:
            table = (ctypes.c_uint64 * len(SLOTS)).from_address(self.st.n.dispatch)
            kinds = {float: ctypes.c_float, list: ctypes.c_void_p}
            types = [ctypes.c_uint64, *(kinds.get(type(a), ctypes.c_uint64) for a in args)]
            held = [(ctypes.c_float * len(a))(*a) if isinstance(a, list) else a for a in args]
            given = [ctypes.addressof(h) if isinstance(a, list) else a
                     for h, a in zip(held, args, strict=True)]
            ctypes.CFUNCTYPE(None, *types)(table[SLOTS["gl" + name]])(self.st.address, *given)

        return call

    def quad(self, size: float = 2.0, z: float = 0.0) -> None:
        self.Begin(gl.GL_TRIANGLE_FAN)
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            self.Vertex3f(x * size, y * size, z)
        self.End()

    def pixels(self) -> np.ndarray:
        out = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
        self.ReadPixels(0, 0, WIDTH, HEIGHT, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, out.ctypes.data)
        assert self.st.n.error == 0
        return out

    def destroy(self) -> None:
        self.st.destroy()
        self.pipe.destroy()


@pytest.fixture
def g() -> Iterator[Gl]:
    made = Gl()
    yield made
    made.destroy()


@pytest.fixture
def nothing_compiled() -> Iterator[None]:
    """A cache that has no pipelines; ask for it ahead of `g`."""
    Gl().destroy()  # what all share is there
    with empty_cache():
        yield


BOTH = gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT


def test_a_buffer_that_is_front_and_back_is_cleared(g: Gl) -> None:
    """glClearBuffer's draw buffer 0 stands for both (GL 3.0, 4.2.3)."""
    g.Clear(BOTH)
    g.DrawBuffer(gl.GL_FRONT_AND_BACK)
    g.ClearBufferfv(gl.GL_COLOR, 0, [0.0, 1.0, 0.0, 1.0])
    for buffer in (gl.GL_FRONT, gl.GL_BACK):
        g.ReadBuffer(buffer)
        assert (g.pixels() == (0, 255, 0, 255)).all()


def test_clears_and_draws_are_bounded(g: Gl) -> None:
    g.ClearColor(0.0, 0.0, 1.0, 1.0)
    g.Viewport(10, 20, 30, 40)
    g.Clear(BOTH)
    g.Color3f(1.0, 0.0, 0.0)
    g.quad()
    out = g.pixels()
    red = np.zeros((HEIGHT, WIDTH), bool)
    red[20:60, 10:40] = True
    assert ((out == (255, 0, 0, 255)).all(axis=-1) == red).all()
    assert ((out == (0, 0, 255, 255)).all(axis=-1) == ~red).all()
    g.Enable(gl.GL_SCISSOR_TEST)
    g.Scissor(5, 6, 7, 8)
    g.ClearColor(0.0, 1.0, 0.0, 1.0)
    g.Clear(BOTH)
    green = (g.pixels() == (0, 255, 0, 255)).all(axis=-1)
    assert green[6:14, 5:12].all() and green.sum() == 56


def test_lighting_and_two_sides(g: Gl) -> None:
    g.Enable(gl.GL_LIGHTING)
    g.Enable(gl.GL_LIGHT0)
    g.LightModeli(gl.GL_LIGHT_MODEL_TWO_SIDE, 1)
    g.Materialfv(gl.GL_FRONT, gl.GL_DIFFUSE, [0.5, 0.25, 0.0, 1.0])
    g.Materialfv(gl.GL_BACK, gl.GL_DIFFUSE, [0.0, 0.5, 1.0, 1.0])
    g.Normal3f(0.0, 0.0, 1.0)
    ambient = 0.2 * 0.2
    g.quad()
    expect = (np.array([0.5, 0.25, 0.0]) + ambient) * 255
    assert np.abs(g.pixels()[40, 40, :3] - expect).max() <= 1
    g.FrontFace(gl.GL_CW)
    g.Normal3f(0.0, 0.0, -1.0)
    g.quad()
    expect = np.clip(np.array([0.0, 0.5, 1.0]) + ambient, 0, 1) * 255
    assert np.abs(g.pixels()[40, 40, :3] - expect).max() <= 1


def test_fog_and_depth(g: Gl) -> None:
    g.Enable(gl.GL_DEPTH_TEST)
    g.Enable(gl.GL_FOG)
    g.Fogi(gl.GL_FOG_MODE, gl.GL_LINEAR)
    g.Fogf(gl.GL_FOG_START, 0.0)
    g.Fogf(gl.GL_FOG_END, 1.0)
    g.Fogfv(gl.GL_FOG_COLOR, [0.0, 0.0, 1.0, 1.0])
    g.Clear(BOTH)
    g.Color3f(1.0, 1.0, 0.0)
    g.quad(z=-0.25)
    assert np.abs(g.pixels()[9, 9].astype(int) - (191, 191, 64, 255)).max() <= 1
    depth = np.zeros((HEIGHT, WIDTH), np.float32)
    g.ReadPixels(0, 0, WIDTH, HEIGHT, gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, depth.ctypes.data)
    np.testing.assert_allclose(depth, 0.375, atol=1e-6)


def test_the_renderer_is_named(g: Gl) -> None:
    assert g.st.gl.renderer.startswith("pydri llvmpipe (LLVM ")


def test_steady_frames_do_not_enter_python(g: Gl) -> None:
    def frame() -> None:
        g.Clear(BOTH)
        for blend in (0, 1):
            (g.Enable if blend else g.Disable)(gl.GL_BLEND)
            g.BlendFunc(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
            g.MatrixMode(gl.GL_MODELVIEW)
            g.PushMatrix()
            g.Translatef(0.1, 0.2, 0.0)
            g.quad(0.5)
            g.PopMatrix()
        g.Flush()
        g.pixels()

    frame()
    frame()
    entries = stats.ARRAY[stats.INDEX["python_entries"]]
    draws = stats.ARRAY[stats.INDEX["draws"]]
    frame()
    assert stats.ARRAY[stats.INDEX["python_entries"]] == entries
    assert stats.ARRAY[stats.INDEX["draws"]] == draws + 2


def test_many_blendings_share_a_kernel_until_one_is_drawn_often(
    nothing_compiled: None, g: Gl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fragment/variants.py: the shared kernel and its successor draw the same picture."""
    monkeypatch.setenv("PYDRI_TIERS", "best")  # one successor, not two

    def plan() -> Any:
        return LpPlan.view(PlanEntry.view(g.st.n.plan).pipeline)

    def picture() -> np.ndarray:
        g.Clear(BOTH)
        g.quad()
        return g.pixels()

    g.ClearColor(0.3, 0.6, 0.9, 0.5)
    g.Color4f(0.8, 0.4, 0.2, 0.7)
    g.BlendColor(0.1, 0.5, 0.7, 0.3)
    g.Enable(gl.GL_BLEND)
    kernels = []
    for n in range(fs_variants.SHARED_FROM + 4):
        factors = divmod(n + 2, 7)
        g.BlendFunc(gl.GL_SRC_COLOR + factors[1], gl.GL_CONSTANT_COLOR + factors[0])
        before = picture()
        kernels.append(plan().fs)
    assert len(set(kernels)) == fs_variants.SHARED_FROM + 1
    assert len(set(kernels[fs_variants.SHARED_FROM :])) == 1
    assert plan().uses.left
    for _ in range(2 * SHARED_USES):
        assert (picture() == before).all()
    assert not plan().uses.left
    for _ in range(3000):  # a thread makes it
        if plan().fs not in kernels:
            break
        time.sleep(0.02)
    assert plan().fs not in kernels and (picture() == before).all()


def test_many_tests_share_a_kernel(
    nothing_compiled: None, g: Gl, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Functions of tests are data of a kernel behind the first few states, and mean what they are:
    bits of less, equal and greater."""
    monkeypatch.setenv("PYDRI_TIERS", "best")
    g.Enable(gl.GL_DEPTH_TEST)
    g.Enable(gl.GL_ALPHA_TEST)
    g.ClearDepthf(0.25)
    g.Color4f(1.0, 1.0, 1.0, 0.5)
    kernels = []
    for alpha in (gl.GL_GREATER, gl.GL_LESS):
        for func in range(gl.GL_NEVER, gl.GL_ALWAYS + 1):
            g.DepthFunc(func)
            g.AlphaFunc(alpha, 0.2)
            for z, bit in ((-0.75, 1), (-0.5, 2), (0.0, 4)):
                g.Clear(BOTH)
                g.quad(z=z)
                drawn = g.pixels()[HEIGHT // 2, WIDTH // 2, 0] > 128
                assert drawn == (func & bit and alpha == gl.GL_GREATER), (func, z)
            kernels.append(LpPlan.view(PlanEntry.view(g.st.n.plan).pipeline).fs)
    own, shared = kernels[: fs_variants.SHARED_FROM], kernels[fs_variants.SHARED_FROM :]
    assert len(set(own)) == len(own) and len(set(shared)) == 1 and shared[0] not in own
