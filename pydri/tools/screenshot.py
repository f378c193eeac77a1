# SPDX-License-Identifier: MIT
"""A picture of the biggest window of an X screen (or of the whole screen), as PNG.

Tools are X clients of their own (python-xlib): they see what a person would see, whoever drew it.
"""

import sys
from pathlib import Path
from typing import Any

from pydri.tools.png import Image, encode


def open_display(name: str | None) -> Any:
    """A connection of python-xlib's to an X server, with a table of extension events of its own.

    python-xlib keeps that table in a class, so that a second server with other extensions would
    find the codes of the first one in it and fail.
    """
    from Xlib.display import Display
    from Xlib.protocol import display, event

    table = display.Display.event_classes = event.event_class.copy()
    opened = Display(name)
    opened.display.event_classes = table
    return opened


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


def grab(name: str | None, whole: bool = False) -> Image:
    """What display `name` shows: its biggest window, or the whole screen."""
    from Xlib import X

    display = open_display(name)
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
    return Image(width, height, bytes(rgb))


def screenshot(path: str, name: str | None = None, whole: bool = False) -> None:
    """Write what display `name` shows to a PNG file."""
    Path(path).write_bytes(encode(grab(name, whole)))


def something_is_drawn(name: str | None) -> bool:
    """Whether the biggest window shows more than one colour."""
    rgb = grab(name).rgb
    return rgb != rgb[:3] * (len(rgb) // 3)


if __name__ == "__main__":
    screenshot(sys.argv[1])
