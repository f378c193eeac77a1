# SPDX-License-Identifier: MIT
"""X visuals and the pixel layouts that fit them.

Stage: winsys.  In: XGetVisualInfo.  Out: `Visual` and, for those that can be drawn to,
`PixelLayout` with the format's name in pydri/pipe/formats.csv.  Only TrueColor visuals of 16 or 32
bits a pixel count: the others would need a palette or a packing that no current server offers.  A
visual of depth 24 serves with and without destination alpha, since the fourth byte is ours anyway;
the peer (dri_fill_in_modes, Mesa 22.3) does the same.
"""

from typing import Any, NamedTuple

from winsys_x11.connection import XConnection
from winsys_x11.xlib import ffi

TRUE_COLOR = 4
VISUAL_SCREEN_MASK = 2


class PixelLayout(NamedTuple):
    """How a pixel of a colour buffer is made up."""

    format: str
    cpp: int
    red: int
    green: int
    blue: int
    alpha: int


# (depth, bits per pixel, red mask, green mask, blue mask) -> layouts, the usual one first
LAYOUTS: dict[tuple[int, int, int, int, int], tuple[PixelLayout, ...]] = {
    (24, 32, 0xFF0000, 0xFF00, 0xFF): (
        PixelLayout("B8G8R8A8_UNORM", 4, 8, 8, 8, 8),
        PixelLayout("B8G8R8X8_UNORM", 4, 8, 8, 8, 0),
    ),
    (24, 32, 0xFF, 0xFF00, 0xFF0000): (
        PixelLayout("R8G8B8A8_UNORM", 4, 8, 8, 8, 8),
        PixelLayout("R8G8B8X8_UNORM", 4, 8, 8, 8, 0),
    ),
    (32, 32, 0xFF0000, 0xFF00, 0xFF): (PixelLayout("B8G8R8A8_UNORM", 4, 8, 8, 8, 8),),
    (32, 32, 0xFF, 0xFF00, 0xFF0000): (PixelLayout("R8G8B8A8_UNORM", 4, 8, 8, 8, 8),),
    (16, 16, 0xF800, 0x7E0, 0x1F): (PixelLayout("B5G6R5_UNORM", 2, 5, 6, 5, 0),),
    (30, 32, 0x3FF00000, 0xFFC00, 0x3FF): (
        PixelLayout("B10G10R10X2_UNORM", 4, 10, 10, 10, 0),
        PixelLayout("B10G10R10A2_UNORM", 4, 10, 10, 10, 2),
    ),
}


class Visual(NamedTuple):
    """An X visual as far as drawing to it goes."""

    id: int
    screen: int
    depth: int
    bits_per_pixel: int
    visual_class: int
    red_mask: int
    green_mask: int
    blue_mask: int

    def layouts(self) -> tuple[PixelLayout, ...]:
        """Return the layouts that can be presented in such a window, none if there are none."""
        if self.visual_class != TRUE_COLOR:
            return ()
        key = (self.depth, self.bits_per_pixel, self.red_mask, self.green_mask, self.blue_mask)
        return LAYOUTS.get(key, ())


def screen_visuals(connection: XConnection, screen: int) -> list[Visual]:
    """Return all visuals of a screen in the server's order, those of the root's depth and the
    default first.
    """
    x11 = connection.libs.x11
    display = connection.display
    template: Any = ffi.new("XVisualInfo *")
    template.screen = screen
    count = ffi.new("int *")
    infos = x11.XGetVisualInfo(display, VISUAL_SCREEN_MASK, template, count)
    if infos == ffi.NULL:
        return []
    default_id = x11.XVisualIDFromVisual(x11.XDefaultVisual(display, screen))
    visuals: list[Visual] = []
    root_depth = 0
    for i in range(count[0]):
        info = infos[i]
        bits = connection.bits_per_pixel.get(info.depth, 0)
        visuals.append(
            Visual(
                info.visualid,
                screen,
                info.depth,
                bits,
                getattr(info, "class"),
                info.red_mask,
                info.green_mask,
                info.blue_mask,
            )
        )
        if info.visualid == default_id:
            root_depth = info.depth
    x11.XFree(infos)
    visuals.sort(key=lambda v: (v.id != default_id, v.depth != root_depth))
    return visuals
