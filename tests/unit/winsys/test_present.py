# SPDX-License-Identifier: MIT
"""What is put into a displaytarget is what the window shows, on every kind of X server."""

import ctypes
import os

import pytest

from pydri.util.options import options
from tests import host
from tests.unit.winsys.xserver import Server
from winsys_x11 import X11Winsys, create_winsys
from winsys_x11.base import MAX_SIDE, layout
from winsys_x11.null import NullWinsys

RED, BLUE, GREEN = (255, 0, 0), (0, 0, 255), (0, 255, 0)


def winsys(server: Server) -> X11Winsys:
    return create_winsys(server.display)


def test_shm_is_used_where_it_works(server: Server) -> None:
    ws = winsys(server)
    target = ws.displaytarget_create(64, 64, 4)
    assert bool(target.segment.xid) == ("MIT-SHM" not in server.without)
    assert target.map() % 64 == 0
    target.destroy()


@pytest.mark.parametrize("size", [(1, 1), (7, 5), (120, 80), (301, 203)])
def test_round_trip(server: Server, size: tuple[int, int]) -> None:
    ws = winsys(server)
    window = server.window(*size)
    surface = ws.window_surface(window, server.depth, server.cpp)
    target = ws.displaytarget_create(*size, server.cpp)
    ctypes.memset(target.map(), 0x55, target.stride * target.rows)  # padding must not show
    server.fill(target, RED)
    if size[1] > 2:
        server.fill(target, BLUE, range(2))  # row 0 is the top row
    surface.present(target)
    assert surface.settle(target) is False
    assert surface.complaint() is None
    image = server.client.screenshot(window)
    assert (image.width, image.height) == size
    assert image.pixel(0, 0) == (BLUE if size[1] > 2 else RED)
    assert image.pixel(size[0] - 1, size[1] - 1) == RED
    row = bytes(RED) * size[0]
    assert image.rgb[-3 * size[0] :] == row
    surface.destroy()
    target.destroy()
    server.x11.XDestroyWindow(server.display, window)


def test_padding_does_not_show_in_a_larger_window(server: Server) -> None:
    ws = winsys(server)
    window = server.window(200, 100)
    surface = ws.window_surface(window, server.depth, server.cpp)
    target = ws.displaytarget_create(101, 51, server.cpp)
    ctypes.memset(target.map(), 0xFF, target.stride * target.rows)
    server.fill(target, BLUE)
    surface.present(target)
    surface.settle(target)
    image = server.client.screenshot(window)
    assert image.pixel(100, 50) == BLUE
    assert image.pixel(102 if server.depth == 16 else 101, 50) == (0, 0, 0)
    assert image.pixel(100, 51) == (0, 0, 0)
    server.x11.XDestroyWindow(server.display, window)


def test_two_targets_in_turn(server: Server) -> None:
    ws = winsys(server)
    window = server.window(100, 60)
    surface = ws.window_surface(window, server.depth, server.cpp)
    targets = [ws.displaytarget_create(100, 60, server.cpp) for _ in range(2)]
    for frame in range(40):
        target = targets[frame & 1]
        surface.settle(target)
        assert not target.pending
        server.fill(target, (RED, GREEN)[frame & 1])
        surface.present(target)
        assert target.pending
    for target in targets:
        surface.settle(target)
    assert surface.presents == 40
    assert server.client.screenshot(window).pixel(5, 5) == GREEN
    server.x11.XDestroyWindow(server.display, window)


def test_a_box(server: Server) -> None:
    ws = winsys(server)
    window = server.window(100, 60)
    surface = ws.window_surface(window, server.depth, server.cpp)
    target = ws.displaytarget_create(100, 60, server.cpp)
    server.fill(target, RED)
    surface.present(target, (10, 20, 30, 5))
    surface.present(target, (-5, -5, 8, 8))
    surface.present(target, (95, 55, 50, 50))
    surface.present(target, (200, 0, 5, 5))
    surface.settle(target)
    image = server.client.screenshot(window)
    red = {(x, y) for y in range(60) for x in range(100) if image.pixel(x, y) == RED}
    expected = {(x, y) for x in range(10, 40) for y in range(20, 25)}
    expected |= {(x, y) for x in range(3) for y in range(3)}
    expected |= {(x, y) for x in range(95, 100) for y in range(55, 60)}
    assert red == expected
    server.x11.XDestroyWindow(server.display, window)


def test_a_resize_is_noticed_with_the_present(server: Server) -> None:
    ws = winsys(server)
    window = server.window(100, 60)
    surface = ws.window_surface(window, server.depth, server.cpp)
    target = ws.displaytarget_create(100, 60, server.cpp)
    surface.known(100, 60)
    surface.present(target)
    assert surface.settle(target) is False
    server.client.resize(window, 133, 44)
    surface.present(target)
    assert surface.settle(target) is True
    assert surface.size() == (133, 44)
    assert surface.settle(target) is True, "until the drawable has followed"
    surface.known(133, 44)
    assert surface.settle(target) is False
    server.x11.XDestroyWindow(server.display, window)


def test_a_vanished_window_is_not_an_error_of_the_program(server: Server) -> None:
    ws = winsys(server)
    window = server.window(100, 60)
    surface = ws.window_surface(window, server.depth, server.cpp)
    target = ws.displaytarget_create(100, 60, server.cpp)
    surface.present(target)
    server.client.destroy(window)
    surface.present(target)
    surface.settle(target)
    assert surface.gone()
    assert surface.size() == (100, 60)
    assert "was destroyed" in (surface.complaint() or "")
    assert surface.complaint() is None, "said once"
    surface.present(target)  # goes nowhere
    assert not target.pending
    surface.destroy()
    target.destroy()
    server.x11.XSync(server.display, 0)  # Xlib's handler would end the process here
    assert ws.window_surface(window, 24, 4) is None


def test_no_shm_option(plain: Server) -> None:
    with options(PYDRI_NO_SHM=1):
        target = winsys(plain).displaytarget_create(64, 64, 4)
    assert target.segment.xid == 0
    target.destroy()


def test_segments_do_not_outlive_the_process(plain: Server) -> None:
    """The id is removed as soon as both sides are attached."""
    before = host.shm_segments(os.getpid())
    target = winsys(plain).displaytarget_create(640, 480, 4)
    address = target.map()
    made = [row for row in host.shm_segments(os.getpid()) if row not in before]
    assert target.stride * target.rows in [int(row[3]) for row in made]
    assert all(int(row[2], 8) & 0o1000 for row in made), "SHM_DEST is set: goes with the last user"
    target.destroy()
    plain.x11.XSync(plain.display, 0)
    assert address
    assert len(host.shm_segments(os.getpid())) <= len(before)


def test_layout() -> None:
    for width, height, cpp in ((1, 1, 4), (300, 300, 4), (1024, 1024, 4), (65, 64, 2)):
        stride, rows = layout(width, height, cpp)
        assert stride >= width * cpp and stride % (64 * cpp) == 0 and stride % 2048
        assert rows >= height and rows % 64 == 0


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (-1, 5), (MAX_SIDE + 1, 1), (MAX_SIDE, MAX_SIDE)])
def test_absurd_sizes(size: tuple[int, int]) -> None:
    if size == (MAX_SIDE, MAX_SIDE):
        with pytest.raises(MemoryError):
            layout(*size, 8)
        return
    with pytest.raises(MemoryError):
        layout(*size, 4)
    with pytest.raises(MemoryError):
        NullWinsys().displaytarget_create(*size, 4)


def test_null_winsys() -> None:
    ws = NullWinsys()
    window = ws.window_surface(5, 24, 4)
    target = ws.displaytarget_create(256, 256, 4)
    ctypes.memset(target.map(), 7, 16)
    window.present(target)
    assert window.frames == 1 and window.last[:17] == bytes([7] * 16 + [0])
    window.resize(10, 10)
    assert window.settle(target)
    window.vanish()
    assert window.gone() and window.size() == (10, 10)


def test_wide_rows_without_shm(plain: Server) -> None:
    """More than one PutImage request a frame, and rows of an odd number of bytes."""
    with options(PYDRI_NO_SHM=1):
        ws = winsys(plain)
        window = plain.window(499, 397)
        surface = ws.window_surface(window, 24, 4)
        target = ws.displaytarget_create(499, 397, 4)
        for y in range(397):
            plain.fill(target, (y & 255, y >> 1, 9), range(y, y + 1))
        surface.present(target)
        surface.settle(target)
        image = plain.client.screenshot(window)
        assert [image.pixel(498, y) for y in range(397)] == [
            (y & 255, y >> 1, 9) for y in range(397)
        ]
        plain.x11.XDestroyWindow(plain.display, window)
