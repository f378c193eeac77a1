# SPDX-License-Identifier: MIT
"""The generated view of X, and the X client of these tests."""

from pathlib import Path

import pytest

from pydri.dri.config import color_layout
from pydri.pipe.format import BY_NAME
from pydri.tools.png import decode
from tests import host
from tests.unit.winsys.xserver import Server
from winsys_x11 import build_ffi, xlib
from winsys_x11.connection import XConnection
from winsys_x11.visuals import VISUAL_FORMATS, screen_visuals


def test_the_generated_file_is_up_to_date() -> None:
    path = Path(build_ffi.__file__).with_name("_xffi.py")
    assert path.read_text() == build_ffi.generate()


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(xlib._PACKAGES, "libnosuch.so.9", "libnosuch9")
    with pytest.raises(xlib.XLibraryMissing, match=r"libnosuch\.so\.9.*apt-get install libnosuch9"):
        xlib._open("libnosuch.so.9")


def test_the_client_sees_windows(server: Server) -> None:
    client = server.client
    assert client.has_shm == ("MIT-SHM" not in server.without)
    window = client.create_window(40, 30, 5, 6, color=0, name="a window")
    assert client.geometry(window) == (5, 6, 40, 30)
    assert client.find(lambda name: name == "a window") == window
    client.resize(window, 50, 20)
    client.move(window, 7, 8)
    assert client.geometry(window) == (7, 8, 50, 20)
    kinds = [type(event).__name__ for event in client.events(1)]
    assert "ConfigureNotify" in kinds
    client.destroy(window)
    assert client.geometry(window) is None
    assert client.find(lambda name: name == "a window", 0.05) is None


def test_shm_and_socket_screenshots_agree(plain: Server) -> None:
    client = plain.client
    if not client.has_shm:
        host.does_not_apply("no MIT-SHM")
    window = client.create_window(33, 21, 3, 3, color=0x123456)
    version = client.display.shm_query_version()
    assert (version.major_version, version.minor_version) >= (1, 1)
    shared = client.screenshot()
    client.has_shm = False
    try:
        assert client.screenshot() == shared
    finally:
        client.has_shm = True
    assert shared.pixel(10, 10) == (0x12, 0x34, 0x56)
    assert decode(client.png(window)).rgb == bytes((0x12, 0x34, 0x56)) * (33 * 21)
    client.destroy(window)


def test_visuals(server: Server) -> None:
    connection = XConnection(server.display)
    visuals = screen_visuals(connection, 0)
    default = server.x11.XVisualIDFromVisual(server.x11.XDefaultVisual(server.display, 0))
    assert visuals[0].id == default
    assert visuals[0].depth == server.depth
    assert visuals[0].formats()
    assert all(not v.formats() for v in visuals if v.visual_class not in (4, 5))


def test_layouts_fit_their_masks() -> None:
    for (_, bits, red, green, blue), names in VISUAL_FORMATS.items():
        for layout in [color_layout(name) for name in names if name in BY_NAME]:
            assert (layout.red, layout.green, layout.blue) == tuple(
                mask.bit_count() for mask in (red, green, blue)
            )
            assert layout.cpp * 8 == bits
