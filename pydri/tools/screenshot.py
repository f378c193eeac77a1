# SPDX-License-Identifier: MIT
"""A picture of the biggest window of an X screen (or of the whole screen), as PNG.

Tools are X clients of their own (python-xlib): they see what a person would see, whoever drew it.
"""

import struct
import sys
import zlib
from typing import Any


def write_png(path: str, width: int, height: int, rgb: bytes) -> None:
    """8 bits a channel, no alpha."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    row = 3 * width
    lines = b"".join(b"\0" + rgb[y * row : (y + 1) * row] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        file.write(chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b""))


def biggest_window(display: Any) -> tuple[int, int, int, int]:
    """x, y, width, height of the largest visible top-level window; the screen's if there is
    none.
    """
    from Xlib import X
    from Xlib.error import XError

    root = display.screen().root
    whole = root.get_geometry()
    best, area = (0, 0, whole.width, whole.height), 0
    for window in root.query_tree().children:
        try:
            shown = window.get_attributes().map_state == X.IsViewable
            g = window.get_geometry()
        except XError:
            continue  # it went away while we looked
        if shown and g.width * g.height > area:
            border = g.border_width
            left, top = max(g.x + border, 0), max(g.y + border, 0)
            right = min(g.x + border + g.width, whole.width)
            bottom = min(g.y + border + g.height, whole.height)
            if right > left and bottom > top:
                best, area = (left, top, right - left, bottom - top), g.width * g.height
    return best


def grab(name: str | None, whole: bool = False) -> tuple[int, int, bytes]:
    """width, height, RGB bytes of what display `name` shows."""
    from Xlib import X
    from Xlib.display import Display

    display = Display(name)
    try:
        root = display.screen().root
        g = root.get_geometry()
        x, y, width, height = (0, 0, g.width, g.height) if whole else biggest_window(display)
        data = root.get_image(x, y, width, height, X.ZPixmap, 0xFFFFFFFF).data
    finally:
        display.close()
    pixels = data if isinstance(data, bytes) else data.encode("latin-1")
    rgb = bytearray(3 * width * height)
    for channel, place in enumerate((2, 1, 0)):
        rgb[channel::3] = pixels[place::4][: width * height]
    return width, height, bytes(rgb)


def screenshot(path: str, name: str | None = None, whole: bool = False) -> None:
    """Write what display `name` shows to a PNG file."""
    write_png(path, *grab(name, whole))


def something_is_drawn(name: str | None) -> bool:
    """Whether the biggest window shows more than one colour."""
    _, _, rgb = grab(name)
    return rgb != rgb[:3] * (len(rgb) // 3)


if __name__ == "__main__":
    screenshot(sys.argv[1])
