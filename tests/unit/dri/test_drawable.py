# SPDX-License-Identifier: MIT
"""Drawables without an X server: buffers, sizes, limits, what is carried over and given back."""

import ctypes
from typing import Any

import pytest

from pydri.dri.base import allowed_interval, start_interval
from pydri.dri.config import DriConfig, color_layout
from pydri.dri.context import ContextAttribs, ContextError, DriContext
from pydri.dri.drawable import DriDrawable
from pydri.dri.native import Drawable
from pydri.dri.screen import DriScreen
from pydri.loader import load_driver
from pydri.loader.search import BUILT_IN
from pydri.util.options import options
from tests.unit.glx.harness import install_fake_st
from winsys_x11.null import NullWinsys
from winsys_x11.visuals import Visual

VISUAL = Visual(0x21, 0, 24, 32, 4, 0xFF0000, 0xFF00, 0xFF)


class Setup:
    """A drawable on the null driver and the null winsys."""

    def __init__(
        self, double: bool = True, depth: int = 24, stencil: int = 8, swap_copy: bool = False
    ) -> None:
        self.winsys = NullWinsys()
        self.screen = DriScreen(self.winsys, load_driver("null", BUILT_IN))
        layout = color_layout(VISUAL.formats()[0])
        self.config = DriConfig(layout, double, swap_copy, depth, stencil, 0, 0)
        self.window = self.winsys.window_surface(7, 24, 4)
        self.window.resize(100, 50)
        self.drawable = DriDrawable(self.screen, self.config, self.window, 7)

    def pixel(self, name: str, x: int, y: int, value: int | None = None) -> int:
        """Read, or write, one pixel of a buffer."""
        surface = getattr(self.drawable.native, name)
        cell = ctypes.c_uint32.from_address(surface.data + y * surface.stride + 4 * x)
        if value is not None:
            cell.value = value
        return cell.value


@pytest.fixture
def setup() -> Setup:
    return Setup()


def test_the_first_validate_allocates(setup: Setup) -> None:
    drawable = setup.drawable
    assert (drawable.width, drawable.height) == (0, 0)
    assert drawable.validate() is True
    assert drawable.validate() is False
    native = drawable.native
    assert (drawable.width, drawable.height, drawable.stamp) == (100, 50, 1)
    assert drawable.address % 64 == 0
    for name in ("back", "front", "zs"):
        surface = getattr(native, name)
        assert (surface.width, surface.height) == (100, 50)
        assert surface.data % 64 == 0 and surface.stride % 256 == 0
        assert drawable.surface_address(name) == drawable.address + Drawable.offset(name)
    assert len({native.back.data, native.front.data, native.zs.data}) == 3


def test_no_depth_buffer_where_none_was_asked() -> None:
    setup = Setup(depth=0, stencil=0)
    setup.drawable.validate()
    assert setup.drawable.native.has_zs == 0 and setup.drawable.native.zs.data == 0


def test_single_buffer() -> None:
    setup = Setup(double=False)
    setup.drawable.validate()
    native = setup.drawable.native
    assert native.front.data and not native.back.data
    setup.pixel("front", 1, 1, 0x1234)
    setup.drawable.flush_front()
    assert setup.window.frames == 1
    setup.drawable.swap()
    assert setup.window.frames == 2


def test_addresses_stay_and_pixels_come_along(setup: Setup) -> None:
    drawable = setup.drawable
    drawable.validate()
    setup.pixel("back", 0, 0, 0xAABBCC)
    setup.pixel("back", 99, 49, 0x112233)
    setup.pixel("front", 3, 4, 0x445566)
    address, serial = drawable.address, drawable.native.back.serial
    setup.window.resize(200, 60)
    assert drawable.validate()
    assert drawable.address == address and drawable.native.back.serial != serial
    assert setup.pixel("back", 0, 0) == 0xAABBCC
    assert setup.pixel("back", 99, 49) == 0x112233
    assert setup.pixel("front", 3, 4) == 0x445566
    assert setup.pixel("back", 100, 50) == 0
    setup.window.resize(10, 5)
    assert drawable.validate()
    assert setup.pixel("back", 0, 0) == 0xAABBCC and setup.pixel("front", 3, 4) == 0x445566


def test_swap_exchanges_the_targets(setup: Setup) -> None:
    drawable = setup.drawable
    drawable.swap()
    assert setup.window.frames == 0, "never current: nothing to show"
    drawable.validate()
    data = (drawable.native.back.data, drawable.native.front.data)
    setup.pixel("back", 0, 0, 0x77)
    drawable.swap()
    assert (drawable.native.front.data, drawable.native.back.data) == data
    assert setup.window.last[0] == 0x77
    assert drawable.buffer_age == 0
    drawable.swap()
    assert (drawable.native.back.data, drawable.native.front.data) == data
    assert drawable.buffer_age == 2


def test_a_swap_that_copies() -> None:
    """GLX_SWAP_COPY_OML: the back buffer keeps the frame, in memory that is not being shown."""
    setup = Setup(swap_copy=True)
    drawable = setup.drawable
    drawable.validate()
    shown = drawable.native.back.data
    setup.pixel("back", 99, 49, 0x77)
    drawable.swap()
    assert int.from_bytes(setup.window.last[-4:], "little") == setup.pixel("front", 99, 49) == 0x77
    assert drawable.native.front.data == shown != drawable.native.back.data
    assert setup.pixel("back", 99, 49) == 0x77
    assert drawable.buffer_age == 1


def test_a_resize_is_heard_at_the_swap(setup: Setup) -> None:
    drawable = setup.drawable
    drawable.validate()
    stamp = drawable.stamp
    drawable.swap()
    assert drawable.stamp == stamp
    setup.window.resize(30, 40)
    drawable.swap()
    assert drawable.stamp != stamp
    assert drawable.validate() and (drawable.width, drawable.height) == (30, 40)
    stamp = drawable.stamp
    drawable.swap()
    assert drawable.stamp == stamp


def test_a_vanished_window(setup: Setup) -> None:
    drawable = setup.drawable
    drawable.validate()
    setup.window.vanish()
    assert drawable.check_geometry() is False
    drawable.swap()
    assert (drawable.width, drawable.height) == (100, 50)


@pytest.mark.parametrize("size", [(16384, 1), (1, 16384)])
def test_the_greatest_sides(setup: Setup, size: tuple[int, int]) -> None:
    setup.window.resize(*size)
    assert setup.drawable.validate()
    assert (setup.drawable.width, setup.drawable.height) == size
    assert setup.drawable.native.zs.data


@pytest.mark.parametrize("size", [(20000, 10), (10, 20000), (16385, 1)])
def test_absurd_sizes(setup: Setup, size: tuple[int, int], capsys: Any) -> None:
    drawable = setup.drawable
    setup.window.resize(*size)
    with pytest.raises(MemoryError):
        drawable.validate()
    setup.window.resize(100, 50)
    drawable.validate()
    setup.window.resize(*size)
    assert drawable.validate() is False
    assert (drawable.width, drawable.height) == (100, 50)
    assert drawable.native.zs.data, "the depth buffer is still there"
    stamp = drawable.stamp
    for _ in range(3):
        drawable.swap()
    assert drawable.stamp == stamp, "asked once, not at every frame"


def test_a_failing_allocation_changes_nothing(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawable = setup.drawable
    drawable.validate()
    setup.pixel("back", 1, 1, 0x99)
    create = setup.screen.pipe.surface_create

    def fail(surface: Any, number: int, width: int, height: int, *samples: int) -> None:
        if width == 101:
            raise MemoryError("full")
        create(surface, number, width, height, *samples)

    monkeypatch.setattr(setup.screen.pipe, "surface_create", fail)
    setup.window.resize(101, 50)
    assert drawable.validate() is False
    assert setup.pixel("back", 1, 1) == 0x99
    assert drawable.native.zs.width == 100 and drawable.native.zs.data


def test_everything_is_given_back(setup: Setup) -> None:
    memory: dict[int, Any] = setup.screen.pipe._memory  # type: ignore[attr-defined]
    drawable = setup.drawable
    for n in range(20):
        setup.window.resize(50 + n, 60)
        drawable.validate()
    assert len(memory) == 1, "the depth buffer"
    drawable.destroy()
    assert memory == {}
    assert drawable.native.back.data == 0


def test_contexts(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    install_fake_st(monkeypatch)
    drawable = setup.drawable
    one = DriContext(setup.screen, setup.config, None, ContextAttribs(major=2))
    two = DriContext(setup.screen, setup.config, one)
    assert two.gl.share is one.gl and one.gl.attribs.major == 2
    one.bind(drawable, drawable)
    assert drawable.context is one and drawable.native.context == one.address
    two.bind(drawable, None)
    assert drawable.context is two
    one.unbind()
    assert drawable.context is two, "one has nothing to take away any more"
    drawable.doomed = True
    two.unbind()
    assert drawable.context is None and drawable.native.front.data == 0
    for context in (one, two):
        context.destroy()
        assert context.gl.calls[-1] == "destroy"


def test_a_state_tracker_that_fails(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    module = types.ModuleType("pydri.st.context")

    def create_context(*args: Any) -> None:
        raise ValueError("no kernels today")

    module.create_context = create_context  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pydri.st.context", module)
    with pytest.raises(ContextError, match="ValueError: no kernels today"):
        DriContext(setup.screen, setup.config)


@pytest.mark.parametrize(
    ("mode", "start", "zero", "two"), [(0, 0, 0, 0), (1, 0, 0, 2), (2, 1, 0, 2), (3, 1, 1, 2)]
)
def test_vblank_mode(mode: int, start: int, zero: int, two: int) -> None:
    with options(vblank_mode=mode):
        assert (start_interval(), allowed_interval(0), allowed_interval(2)) == (start, zero, two)
