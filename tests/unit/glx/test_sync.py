# SPDX-License-Identifier: MIT
"""The display's clock (OML_sync_control, SGI_video_sync) and pixmaps as textures (EXT)."""

import ctypes
from typing import Any

import pytest

from pydri.glx import enums as e
from pydri.glx.clock import next_msc, ust_of
from pydri.glx.events import _SwapComplete
from pydri.glx.query import EXTENSIONS
from tests.unit.glx.harness import Errors, Program
from tests.unit.winsys.xserver import Server
from winsys_x11.xlib import ffi, pointer


@pytest.mark.parametrize(
    ("now", "target", "divisor", "remainder", "expected"),
    [
        (100, 0, 0, 0, 100),
        (100, 105, 0, 0, 105),
        (100, 105, 7, 3, 105),
        (100, 90, 0, 0, 100),
        (100, 90, 10, 0, 110),  # msc % divisor == remainder, and it has to come yet
        (100, 90, 10, 3, 103),
        (100, 0, 1, 0, 101),
        (104, 0, 10, 4, 114),
    ],
)
def test_which_refresh(now: int, target: int, divisor: int, remainder: int, expected: int) -> None:
    assert next_msc(now, target, divisor, remainder) == expected


def test_the_time_of_refreshes() -> None:
    assert [ust_of(n, (60, 1)) for n in (0, 1, 60)] == [0, 16666, 1000000]
    assert [ust_of(n, (135_000_000, 1_799_408)) for n in (0, 75)] == [0, 999671]


@pytest.fixture
def window(app: Program, plain: Server) -> int:
    """A window with a context on it."""
    config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    window = plain.window(20, 20)
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    assert app.glXMakeCurrent(plain.display, window, context) == 1
    return int(window)


def values(app: Program, function: str, *arguments: Any) -> list[int] | None:
    """(ust, msc, sbc), or None where the call says no."""
    out = ffi.new("int64_t[3]")
    if not getattr(app, function)(app.display, *arguments, out, out + 1, out + 2):
        return None
    return list(out)


def test_swaps_at_refreshes(app: Program, window: int) -> None:
    before = values(app, "glXGetSyncValuesOML", window)
    assert before is not None and before[2] == 0 and before[0] == ust_of(before[1], (60, 1))
    assert app.glXSwapBuffersMscOML(app.display, window, before[1] + 2, 0, 0) == 1
    after = values(app, "glXWaitForSbcOML", window, 1)
    assert after is not None and after[1] >= before[1] + 2 and after[2] == 1
    assert app.glXSwapBuffersMscOML(app.display, window, 0, 2, 1) == 2
    later = values(app, "glXWaitForMscOML", window, after[1] + 3, 0, 0)
    assert later is not None and later[1] >= after[1] + 3 and later[2] == 2
    app.glXSwapBuffers(app.display, window)
    assert values(app, "glXWaitForSbcOML", window, 0)[2] == 3  # type: ignore[index]
    rate = ffi.new("int32_t[2]")
    assert app.glXGetMscRateOML(app.display, window, rate, rate + 1) == 1
    assert list(rate) == [60, 1]


@pytest.mark.parametrize("bad", [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (0, 3, 3), (0, 2, 5)])
def test_what_makes_no_sense(app: Program, window: int, bad: tuple[int, int, int]) -> None:
    assert app.glXSwapBuffersMscOML(app.display, window, *bad) == -1
    assert values(app, "glXWaitForMscOML", window, *bad) is None
    assert app.glXSwapBuffersMscOML(app.display, 0x7FFFFFF, 0, 0, 0) == -1


def test_video_sync(app: Program, window: int) -> None:
    count = ffi.new("unsigned int[2]")
    assert app.glXGetVideoSyncSGI(count) == 0
    assert app.glXWaitVideoSyncSGI(2, 1, count + 1) == 0
    assert count[1] > count[0]
    assert app.glXWaitVideoSyncSGI(0, 0, count) == e.GLX_BAD_VALUE
    assert app.glXWaitVideoSyncSGI(2, 2, count) == e.GLX_BAD_VALUE
    app.glXMakeCurrent(app.display, 0, 0)
    assert app.glXGetVideoSyncSGI(count) == e.GLX_BAD_CONTEXT


def pixmap_of(app: Program, plain: Server, *attribs: int, alpha: int = 8) -> int:
    config = app.choose(e.GLX_DRAWABLE_TYPE, 7, e.GLX_RED_SIZE, 8, e.GLX_ALPHA_SIZE, alpha)[0]
    root = plain.x11.XRootWindow(plain.display, 0)
    pixmap = plain.x11.XCreatePixmap(plain.display, root, 8, 8, 24)
    return int(app.glXCreatePixmap(plain.display, config, pixmap, app.attribs(*attribs)))


def test_pixmaps_for_textures(app: Program, plain: Server, errors: Errors) -> None:
    rgba, rectangle = e.GLX_TEXTURE_FORMAT_RGBA_EXT, e.GLX_TEXTURE_RECTANGLE_EXT
    named = pixmap_of(
        app, plain, e.GLX_TEXTURE_FORMAT_EXT, rgba, e.GLX_TEXTURE_TARGET_EXT, rectangle
    )
    value = ffi.new("unsigned int *")
    for attribute, expected in (
        (e.GLX_TEXTURE_FORMAT_EXT, rgba),
        (e.GLX_TEXTURE_TARGET_EXT, rectangle),
        (e.GLX_MIPMAP_TEXTURE_EXT, 0),
        (e.GLX_Y_INVERTED_EXT, 1),
        (e.GLX_DRAWABLE_TYPE, e.GLX_PIXMAP_BIT),
    ):
        app.glXQueryDrawable(plain.display, named, attribute, value)
        assert value[0] == expected, hex(attribute)
    app.glXBindTexImageEXT(plain.display, named, e.GLX_FRONT_LEFT_EXT, ffi.NULL)
    app.glXReleaseTexImageEXT(plain.display, named, e.GLX_FRONT_LEFT_EXT)
    assert errors.seen == []
    plainly = pixmap_of(app, plain)
    app.glXBindTexImageEXT(plain.display, plainly, e.GLX_FRONT_LEFT_EXT, ffi.NULL)
    app.glXBindTexImageEXT(plain.display, named, 0x7777, ffi.NULL)
    app.glXBindTexImageEXT(plain.display, 0x7777, e.GLX_FRONT_LEFT_EXT, ffi.NULL)
    assert [seen[0] for seen in errors.seen[:2]] == [e.BadMatch, e.BadValue]
    assert len(errors.seen) == 3
    assert pixmap_of(app, plain, e.GLX_TEXTURE_FORMAT_EXT, 0x7777) == 0
    assert errors.seen[-1][0] == e.BadValue


def test_extensions_are_named_where_they_belong(app: Program, plain: Server) -> None:
    def words(string: Any) -> list[str]:
        return ffi.string(pointer("char *", string)).decode().split()  # type: ignore[union-attr]

    combined = words(app.glXQueryExtensionsString(plain.display, 0))
    client = words(app.glXGetClientString(plain.display, e.GLX_EXTENSIONS))
    server = words(app.glXQueryServerString(plain.display, 0, e.GLX_EXTENSIONS))
    assert combined == sorted((*EXTENSIONS, "GLX_INTEL_swap_event"))
    assert set(client) - set(combined) == {"GLX_EXT_import_context"}
    assert set(server) - set(combined) == {"GLX_EXT_libglvnd"}
    assert words(app.glXQueryServerString(plain.display, 0, e.GLX_VENDOR_NAMES_EXT)) == ["pydri"]


def test_swaps_are_told(app: Program, plain: Server, window: int, errors: Errors) -> None:
    """In order, with their count, through the program's own queue."""
    app.glXSelectEvent(app.display, window, e.GLX_BUFFER_SWAP_COMPLETE_INTEL_MASK)
    mask = ffi.new("unsigned long *")
    app.glXGetSelectedEvent(app.display, window, mask)
    assert mask[0] == e.GLX_BUFFER_SWAP_COMPLETE_INTEL_MASK
    for _ in range(3):
        app.glXSwapBuffers(app.display, window)
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
    x11.XNextEvent.argtypes = x11.XPending.argtypes = [ctypes.c_void_p]
    x11.XNextEvent.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    display = int(ffi.cast("uintptr_t", app.display))
    x11.XSync(display, 0)
    bases = ffi.new("int[2]")
    app.glXQueryExtension(app.display, bases, bases + 1)
    seen = []
    while x11.XPending(display):
        event = (ctypes.c_long * 24)()
        x11.XNextEvent(display, event)
        told = _SwapComplete.from_buffer(event)
        if told.type == bases[1] + 1:
            assert told.drawable == window and told.ust == ust_of(told.msc, (60, 1))
            assert told.event_type == e.GLX_EXCHANGE_COMPLETE_INTEL
            seen.append(told.sbc)
    assert seen == [1, 2, 3] and errors.seen == []
    app.glXSelectEvent(app.display, window, 0)
    app.glXSwapBuffers(app.display, window)
    x11.XSync(display, 0)
    assert not x11.XPending(display)
