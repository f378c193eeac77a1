# SPDX-License-Identifier: MIT
"""Frames: what GL paints is what windows show; resizes, vanished windows, pbuffers, pacing,
kernels.
"""

import ctypes
import threading
import time
from typing import Any

import pytest

from pydri.glx import enums as e
from pydri.glx import native
from pydri.util import stats
from pydri.util.options import options
from tests import host
from tests.unit.glx.harness import Errors, FakeGL, Program
from tests.unit.winsys.xserver import Server
from winsys_x11.xlib import ffi

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


class Painter:
    """A context with a window that can be painted."""

    def __init__(self, app: Program, server: Server, *attribs: int, size: Any = (80, 60)) -> None:
        self.app, self.server = app, server
        info = app.visual(e.GLX_RGBA, *(attribs or (e.GLX_DOUBLEBUFFER, e.GLX_DEPTH_SIZE, 1)))
        self.context = app.glXCreateContext(server.display, info, ffi.NULL, 1)
        self.gl = FakeGL.made[-1]
        self.window = server.window(*size)
        assert app.glXMakeCurrent(server.display, self.window, self.context) == 1

    def __enter__(self) -> "Painter":
        return self

    def __exit__(self, *exc: object) -> None:
        self.app.glXMakeCurrent(self.server.display, 0, 0)
        self.app.glXDestroyContext(self.server.display, self.context)

    def frame(self, color: tuple[int, int, int]) -> None:
        self.gl.draw.validate()
        self.gl.paint(color)
        self.app.glXSwapBuffers(self.server.display, self.window)

    def shown(self, x: int = 5, y: int = 5) -> tuple[int, int, int]:
        self.server.x11.XSync(self.server.display, 0)
        return self.server.client.screenshot(self.window).pixel(x, y)


def test_swap(program: Program, server: Server) -> None:
    if server.depth == 16:
        host.does_not_apply("the painter knows 32-bit pixels")
    before = stats.stats()["total"]
    with Painter(program, server) as painter:
        for color in (RED, GREEN, BLUE, RED, GREEN):
            painter.frame(color)
            assert painter.shown() == color
        draw = painter.gl.draw
        assert draw.native.back.data != draw.native.front.data
        front = ctypes.string_at(draw.native.front.data, 4)
        assert front == bytes((0, 255, 0, 255)), "the front buffer is what was shown last"
        value = ffi.new("unsigned int *")
        program.glXQueryDrawable(server.display, painter.window, e.GLX_BACK_BUFFER_AGE_EXT, value)
        assert value[0] == 2
        assert ctypes.string_at(draw.native.back.data, 3) == bytes((0, 0, 255)), "two frames old"
    after = stats.stats()["total"]
    assert after["frames"] - before["frames"] == 5
    assert after["bytes_presented"] - before["bytes_presented"] == 5 * 80 * 60 * 4


def test_resize(app: Program, plain: Server) -> None:
    with Painter(app, plain, size=(80, 60)) as painter:
        draw = painter.gl.draw
        painter.frame(RED)
        for size in ((200, 100), (33, 21), (201, 150), (1, 1), (80, 60)):
            stamp = draw.stamp
            plain.client.resize(painter.window, *size)
            painter.frame(GREEN)  # still the old size: the notice comes with the present's reply
            painter.frame(GREEN)
            assert draw.stamp != stamp
            painter.frame(BLUE)
            painter.frame(BLUE)
            assert (draw.width, draw.height) == size
            assert (draw.native.zs.width, draw.native.zs.height) == size
            assert painter.shown(size[0] - 1, size[1] - 1) == BLUE
        address = draw.address
        plain.client.resize(painter.window, 90, 50)
        assert draw.check_geometry() is True, "glViewport asks at once"
        assert (draw.width, draw.height) == (90, 50)
        assert draw.address == address and draw.check_geometry() is False
        carried = ctypes.string_at(draw.native.back.data, 3)
        assert carried == bytes((255, 0, 0)), "pixels are carried over"


def test_a_vanished_window(
    app: Program, plain: Server, errors: Errors, capsys: pytest.CaptureFixture[str]
) -> None:
    with Painter(app, plain) as painter, options(LIBGL_DEBUG="verbose"):
        painter.frame(RED)
        plain.client.destroy(painter.window)
        stamps = set()
        for n in range(10):
            painter.frame((RED, GREEN, BLUE)[n % 3])
            stamps.add(painter.gl.draw.stamp)
        assert len(stamps) <= 3, "steady again after the report"
        assert capsys.readouterr().err.count("was destroyed") == 1
        assert (painter.gl.draw.width, painter.gl.draw.height) == (80, 60)
        assert painter.gl.draw.check_geometry() is False
        plain.x11.XSync(plain.display, 0)
    assert errors.seen == [], "the program hears nothing of it"


def test_absurd_size(app: Program, plain: Server, capsys: pytest.CaptureFixture[str]) -> None:
    with Painter(app, plain) as painter:
        draw = painter.gl.draw
        draw.surface._struct.width, draw.surface._struct.height = 30000, 30000
        assert draw.validate() is False
        assert (draw.width, draw.height) == (80, 60)
        assert "keeps its size" in capsys.readouterr().err
        painter.frame(GREEN)
        assert painter.shown() == GREEN


def test_single_buffer(app: Program, plain: Server) -> None:
    with Painter(app, plain, e.GLX_DEPTH_SIZE, 16) as painter:
        draw = painter.gl.draw
        assert not draw.native.double_buffer
        painter.gl.paint(BLUE)
        assert painter.shown() == (0, 0, 0)
        draw.flush_front()  # what glFlush does
        assert painter.shown() == BLUE
        painter.gl.paint(RED)
        app.glXWaitGL()
        assert painter.shown() == RED


def test_front_buffer_of_a_double_buffered_window(app: Program, plain: Server) -> None:
    with Painter(app, plain) as painter:
        draw = painter.gl.draw
        painter.frame(RED)
        presents = draw.surface.presents
        draw.flush_front()
        assert draw.surface.presents == presents, "nobody has drawn to the front buffer"
        draw.prepare_front()  # the server has read the last frame: it may be painted over
        front = draw.native.front
        for y in range(10):
            ctypes.memmove(front.data + y * front.stride, bytes((0, 255, 0, 255)) * 10, 40)
        assert painter.shown() == RED
        draw.flush_front()
        assert painter.shown() == GREEN and painter.shown(50, 50) == RED
        assert draw.native.front_used == 0


def test_copy_sub_buffer(app: Program, plain: Server) -> None:
    with Painter(app, plain) as painter:
        painter.frame(RED)
        painter.gl.paint(GREEN)
        app.glXCopySubBufferMESA(plain.display, painter.window, 10, 0, 20, 15)
        assert painter.shown(10, 59) == GREEN and painter.shown(29, 45) == GREEN
        assert painter.shown(9, 59) == RED and painter.shown(10, 44) == RED


def test_pbuffer(app: Program, plain: Server, errors: Errors) -> None:
    config = app.choose(e.GLX_DRAWABLE_TYPE, e.GLX_PBUFFER_BIT, e.GLX_DOUBLEBUFFER, 1)[0]
    attribs = app.attribs(e.GLX_PBUFFER_WIDTH, 70, e.GLX_PBUFFER_HEIGHT, 30)
    pbuffer = app.glXCreatePbuffer(plain.display, config, attribs)
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    assert app.glXMakeCurrent(plain.display, pbuffer, context) == 1
    gl = FakeGL.made[-1]
    assert (gl.draw.width, gl.draw.height) == (70, 30)
    gl.paint(RED)
    app.glXSwapBuffers(plain.display, pbuffer)
    value = ffi.new("unsigned int *")
    for attribute, expected in (
        (e.GLX_WIDTH, 70), (e.GLX_HEIGHT, 30), (e.GLX_PRESERVED_CONTENTS, 1),
        (e.GLX_LARGEST_PBUFFER, 0), (e.GLX_FBCONFIG_ID, app.get(config, e.GLX_FBCONFIG_ID)),
    ):  # fmt: skip
        app.glXQueryDrawable(plain.display, pbuffer, attribute, value)
        assert value[0] == expected
    app.glXDestroyPbuffer(plain.display, pbuffer)
    gl.paint(GREEN)  # it lives while it is current
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyContext(plain.display, context)
    assert errors.seen == []
    app.glXDestroyPbuffer(plain.display, pbuffer)
    assert errors.seen
    huge = app.attribs(e.GLX_PBUFFER_WIDTH, 1 << 20, e.GLX_PBUFFER_HEIGHT, 1)
    assert app.glXCreatePbuffer(plain.display, config, huge) == 0
    assert errors.seen[-1][0] == e.BadAlloc


def test_pixmap(app: Program, plain: Server, errors: Errors) -> None:
    config = app.choose(e.GLX_DRAWABLE_TYPE, 7, e.GLX_DOUBLEBUFFER, 0)[0]
    root = plain.x11.XRootWindow(plain.display, 0)
    pixmap = plain.x11.XCreatePixmap(plain.display, root, 40, 20, 24)
    drawable = app.glXCreatePixmap(plain.display, config, pixmap, ffi.NULL)
    assert drawable not in (0, pixmap)
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    assert app.glXMakeCurrent(plain.display, drawable, context) == 1
    FakeGL.made[-1].paint(GREEN)
    app.glXWaitGL()
    plain.x11.XSync(plain.display, 0)
    source = plain.client.display.create_resource_object("pixmap", pixmap)
    data = source.get_image(0, 0, 40, 20, 2, 0xFFFFFFFF).data
    assert data[:3] == bytes((0, 255, 0))
    second = app.glXCreatePixmap(plain.display, config, pixmap, ffi.NULL)
    assert second not in (0, drawable) and errors.seen == []
    app.glXDestroyPixmap(plain.display, second)
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyPixmap(plain.display, drawable)
    app.glXDestroyContext(plain.display, context)
    assert app.glXCreatePixmap(plain.display, config, 0x7FFFFFF, ffi.NULL) == 0
    assert errors.seen[-1][0] == e.BadPixmap


def test_a_swap_does_nothing_to_a_pixmap(app: Program, plain: Server) -> None:
    config = app.choose(e.GLX_DRAWABLE_TYPE, 7, e.GLX_DOUBLEBUFFER, 1)[0]
    root = plain.x11.XRootWindow(plain.display, 0)
    pixmap = plain.x11.XCreatePixmap(plain.display, root, 40, 20, 24)
    drawable = app.glXCreatePixmap(plain.display, config, pixmap, ffi.NULL)
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    assert app.glXMakeCurrent(plain.display, drawable, context) == 1
    gl = FakeGL.made[-1]
    gl.paint(GREEN)
    back = gl.draw.native.back.data
    app.glXSwapBuffers(plain.display, drawable)
    assert gl.draw.native.back.data == back
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyPixmap(plain.display, drawable)
    app.glXDestroyContext(plain.display, context)


def test_a_glx_window_goes_with_its_window(app: Program, plain: Server, errors: Errors) -> None:
    config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    window = plain.window(60, 50)
    name = app.glXCreateWindow(plain.display, config, window, ffi.NULL)
    plain.x11.XDestroyWindow(plain.display, window)
    app.glXDestroyWindow(plain.display, name)
    assert [seen[2] for seen in errors.seen] == [e.X_GLXDestroyWindow]
    app.glXDestroyWindow(plain.display, name)
    assert len(errors.seen) == 2


def test_glx_window(app: Program, plain: Server, errors: Errors) -> None:
    config = app.choose(e.GLX_DOUBLEBUFFER, 1)[0]
    window = plain.window(60, 50)
    name = app.glXCreateWindow(plain.display, config, window, ffi.NULL)
    assert name and app.glXCreateWindow(plain.display, config, window, ffi.NULL) == 0
    assert errors.seen.pop()[0] == e.BadAlloc
    context = app.glXCreateNewContext(plain.display, config, e.GLX_RGBA_TYPE, 0, 1)
    assert app.glXMakeCurrent(plain.display, name, context) == 1
    FakeGL.made[-1].paint(RED)
    app.glXSwapBuffers(plain.display, name)
    plain.x11.XSync(plain.display, 0)
    assert plain.client.screenshot(window).pixel(3, 3) == RED
    app.glXMakeCurrent(plain.display, 0, 0)
    app.glXDestroyWindow(plain.display, name)
    app.glXDestroyContext(plain.display, context)
    assert errors.seen == []
    app.glXSwapBuffers(plain.display, name)
    assert len(errors.seen) == 1


def test_swap_interval(app: Program, plain: Server, errors: Errors) -> None:
    assert app.glXSwapIntervalSGI(1) == e.GLX_BAD_CONTEXT
    with (
        plain.client.refreshing(), Painter(app, plain) as painter, options(vblank_mode=1)
    ):  # fmt: skip
        assert app.glXSwapIntervalSGI(0) == e.GLX_BAD_VALUE
        assert app.glXSwapIntervalMESA(2) == 0
        assert app.glXGetSwapIntervalMESA() == 2
        native = painter.gl.draw.native
        assert native.interval == 2 and native.period == 1_000_000_000 // 75
        painter.frame(RED)
        for _ in range(4):  # each is shown when the one before has had its two refreshes
            due = native.next_swap
            painter.frame(RED)
            assert time.monotonic_ns() >= due
            # the next one's turn: two refreshes on, or from now on where the frame came too late
            assert native.next_swap == due + 2 * native.period or (
                native.next_swap > due + 3 * native.period
            )
        app.glXSwapIntervalEXT(plain.display, painter.window, 0)
        assert native.interval == 0
        due = native.next_swap = time.monotonic_ns() + (3600 << 30)
        painter.frame(RED)  # nobody waits for an hour
        assert native.next_swap == due
        app.glXSwapIntervalEXT(plain.display, painter.window, -3)  # late swaps tear
        value = ffi.new("unsigned int *")
        for attribute, expected in ((e.GLX_SWAP_INTERVAL_EXT, 3), (e.GLX_LATE_SWAPS_TEAR_EXT, 1)):
            app.glXQueryDrawable(plain.display, painter.window, attribute, value)
            assert value[0] == expected
        assert errors.seen == []
    with Painter(app, plain) as painter, options(vblank_mode=3):
        assert app.glXSwapIntervalMESA(0) == e.GLX_BAD_VALUE


def test_nobody_waits_for_a_display_without_refresh(app: Program, plain: Server) -> None:
    """Xvfb names no refresh rate: a swap interval is kept and told, and holds nobody up."""
    with Painter(app, plain) as painter, options(vblank_mode=3):
        assert app.glXSwapIntervalMESA(100) == 0
        native = painter.gl.draw.native
        assert (native.interval, native.period) == (100, 0)
        painter.frame(RED)
        due = native.next_swap
        painter.frame(RED)
        assert native.next_swap == due
        assert app.glXGetSwapIntervalMESA() == 100


def test_show_fps(app: Program, plain: Server, capsys: pytest.CaptureFixture[str]) -> None:
    with options(LIBGL_SHOW_FPS=1), Painter(app, plain) as painter:
        painter.gl.draw._fps.since -= 2
        painter.frame(RED)
    assert capsys.readouterr().err.startswith("libGL: FPS = ")


def test_the_kernels(app: Program, plain: Server) -> None:
    """Swap and make-current in machine code, with a thread's block of our own."""
    image = native.FRONT.image()
    block = native.ThreadBlock.ctype()()
    fallbacks: list[str] = []
    thread = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(block))
    swap_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64)
    python_swap = swap_type(lambda dpy, xid: fallbacks.append("swap"))
    current_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
    python_current = current_type(lambda *a: fallbacks.append("current") or 7)  # type: ignore[func-returns-value]
    g = native.FRONT.globals
    g.thread = ctypes.cast(thread, ctypes.c_void_p).value
    g.swap = ctypes.cast(python_swap, ctypes.c_void_p).value
    g.make_current = ctypes.cast(python_current, ctypes.c_void_p).value
    swap = swap_type(image.address("glXSwapBuffers"))
    make_current = current_type(image.address("glXMakeCurrent"))
    display = int(ffi.cast("uintptr_t", plain.display))
    with Painter(app, plain) as painter:
        block.ctx = painter.gl.address
        block.dpy, block.draw, block.read = display, painter.window, painter.window
        block.glx_context = painter.context
        before = stats.stats()["total"]
        draw = painter.gl.draw
        for n in range(50):
            painter.gl.paint((RED, BLUE)[n & 1])
            swap(display, painter.window)
        assert fallbacks == []
        assert painter.shown() == BLUE
        assert stats.stats()["total"]["frames"] - before["frames"] == 50
        assert stats.stats()["last_frame"]["bytes_presented"] == 80 * 60 * 4
        assert draw.native.current == 0 and draw.native.frames == 50

        assert make_current(display, painter.window, painter.context) == 1
        assert make_current(display, painter.window + 1, painter.context) == 7
        assert make_current(display, 0, None) == 7
        assert fallbacks == ["current", "current"]
        fallbacks.clear()

        stamp = draw.stamp
        plain.client.resize(painter.window, 99, 44)
        swap(display, painter.window)
        swap(display, painter.window)
        assert draw.stamp != stamp
        assert draw.validate() and (draw.width, draw.height) == (99, 44)
        painter.gl.paint(GREEN)
        swap(display, painter.window)
        assert painter.shown(98, 43) == GREEN

        # paced: two refreshes a frame
        draw.native.interval, draw.native.period = 2, 1_000_000_000 // 60
        swap(display, painter.window)
        start = time.monotonic()
        for _ in range(3):
            swap(display, painter.window)
        assert 3 * 2 / 60 * 0.9 < time.monotonic() - start < 2
        draw.native.interval = 0

        # what is not native's business
        assert fallbacks == []
        swap(display, painter.window + 1)
        block.ctx = 0
        swap(display, painter.window)
        block.ctx = painter.gl.address
        draw.native.front_used = 1
        swap(display, painter.window)
        draw.native.front_used = 0
        assert fallbacks == ["swap"] * 3

        # pending vertices are flushed through the dispatch table's glFlush
        from pydri.api.gl_table import TABLE

        flushed: list[int] = []
        flush = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(flushed.append)
        table = (ctypes.c_void_p * len(TABLE))()
        table[TABLE.slots["glFlush"]] = ctypes.cast(flush, ctypes.c_void_p).value
        painter.gl.native.dispatch = ctypes.addressof(table)
        painter.gl.native.vbo.count = 3
        swap(display, painter.window)
        assert flushed == [painter.gl.address]


def test_many_drawables_in_the_native_table() -> None:
    keys = [(0x1000 * (i % 3 + 1), 0x200000 + i) for i in range(300)]
    try:
        for n, (display, xid) in enumerate(keys):
            native._known[display, xid] = 0x5000 + 64 * n
        native.publish()
        table = (native.SwapEntry.ctype() * native.SLOTS).from_address(native.FRONT.globals.table)
        for n, (display, xid) in enumerate(keys):
            place = native._python_hash(display, xid)
            while (table[place].display, table[place].xid) != (display, xid):
                assert table[place].drawable, "the chain ends before the key"
                place = (place + 1) % native.SLOTS
            assert table[place].drawable == 0x5000 + 64 * n
    finally:
        for key in keys:
            native._known.pop(key, None)
        native.publish()


def test_drawables_come_and_go_in_several_threads() -> None:
    failures: list[BaseException] = []

    def hammer(display: int) -> None:
        try:
            for n in range(150):
                native.add_drawable(display, n, 0x5000 + 64 * n)
                if n >= 20:
                    native.remove_drawable(display, n - 20)
            for n in range(130, 150):
                native.remove_drawable(display, n)
        except BaseException as problem:
            failures.append(problem)

    threads = [threading.Thread(target=hammer, args=(0x7000 + 16 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert not [key for key in native._known if key[0] >> 8 == 0x70]
