# SPDX-License-Identifier: MIT
"""The generated view of X, PNG files, and the tools' own client."""

from pathlib import Path

import pytest

from pydri.dri.config import color_layout
from pydri.pipe.format import BY_NAME
from tests import host
from tests.unit.winsys.xserver import Server
from winsys_x11 import build_ffi, xlib
from winsys_x11.connection import XConnection
from winsys_x11.png import Image, decode, encode
from winsys_x11.visuals import VISUAL_FORMATS, screen_visuals


def test_the_generated_file_is_up_to_date() -> None:
    path = Path(build_ffi.__file__).with_name("_xffi.py")
    assert path.read_text() == build_ffi.generate()


def test_a_missing_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(xlib._PACKAGES, "libnosuch.so.9", "libnosuch9")
    with pytest.raises(xlib.XLibraryMissing, match=r"libnosuch\.so\.9.*apt-get install libnosuch9"):
        xlib._open("libnosuch.so.9")


def test_png_round_trip() -> None:
    image = Image(5, 3, bytes(range(45)))
    assert decode(encode(image)) == image
    with pytest.raises(ValueError, match="not a PNG"):
        decode(b"GIF89a")


def test_png_filters() -> None:
    """Rows filtered by other writers: left, up, average, Paeth."""
    import struct
    import zlib

    rows = [bytes([10, 20, 30, 40, 50, 60]), bytes([15, 25, 35, 45, 55, 65])]

    def paeth(a: int, b: int, c: int) -> int:
        p = a + b - c
        return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]

    for kind in range(5):
        raw = b""
        for y, row in enumerate(rows):
            above = rows[y - 1] if y else bytes(6)
            out = []
            for i, value in enumerate(row):
                a, b = (row[i - 3] if i >= 3 else 0), above[i]
                c = above[i - 3] if i >= 3 else 0
                out.append((value - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) & 255)
            raw += bytes([kind, *out])
        plain = encode(Image(2, 2, b"".join(rows)))
        at = plain.index(b"IDAT") - 4
        size = struct.unpack_from(">I", plain, at)[0]
        body = zlib.compress(raw)
        chunk = struct.pack(">I", len(body)) + b"IDAT" + body
        chunk += struct.pack(">I", zlib.crc32(b"IDAT" + body))
        assert decode(plain[:at] + chunk + plain[at + size + 12 :]).rgb == b"".join(rows)


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
