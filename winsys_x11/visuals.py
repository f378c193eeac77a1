# SPDX-License-Identifier: MIT
"""X visuals and the colour formats that fit them.

Stage: winsys.  In: XGetVisualInfo.  Out: `Visual` and, for those that can be drawn to, the names of
their formats in pydri/pipe/format.py.  TrueColor and DirectColor visuals of 16 or 32 bits a pixel
count (what a DirectColor pixel looks like is the colormap's business); the others would need a
palette or a packing that no current server offers.  A visual of depth 24 serves with and without
destination alpha, since the fourth byte is ours anyway; the peer (dri_fill_in_modes, Mesa 22.3)
does the same.
"""

import struct
from typing import Any, NamedTuple

from winsys_x11.connection import XConnection
from winsys_x11.xlib import ffi

TRUE_COLOR = 4
DIRECT_COLOR = 5
VISUAL_SCREEN_MASK = 2
#: of an XVisualInfo: visualid, depth, class, and the three masks
_INFO = struct.Struct("8xL4xii4xLLL8x")


# (depth, bits per pixel, red mask, green mask, blue mask) -> names in pydri/pipe/format.py, the
# usual one first; formats that are not there (yet) or that the driver lacks are passed over
_RGB8 = ("B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "B8G8R8A8_SRGB", "B8G8R8X8_SRGB")
_BGR8 = ("R8G8B8A8_UNORM", "R8G8B8X8_UNORM", "R8G8B8A8_SRGB", "R8G8B8X8_SRGB")
VISUAL_FORMATS: dict[tuple[int, int, int, int, int], tuple[str, ...]] = {
    (24, 32, 0xFF0000, 0xFF00, 0xFF): _RGB8,
    (24, 32, 0xFF, 0xFF00, 0xFF0000): _BGR8,
    (32, 32, 0xFF0000, 0xFF00, 0xFF): _RGB8[::2],
    (32, 32, 0xFF, 0xFF00, 0xFF0000): _BGR8[::2],
    (16, 16, 0xF800, 0x7E0, 0x1F): ("B5G6R5_UNORM",),
    (16, 16, 0x1F, 0x7E0, 0xF800): ("R5G6B5_UNORM",),
    (15, 16, 0x7C00, 0x3E0, 0x1F): ("B5G5R5X1_UNORM",),
    (30, 32, 0x3FF00000, 0xFFC00, 0x3FF): ("B10G10R10A2_UNORM", "B10G10R10X2_UNORM"),
    (30, 32, 0x3FF, 0xFFC00, 0x3FF00000): ("R10G10B10A2_UNORM", "R10G10B10X2_UNORM"),
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

    def formats(self) -> tuple[str, ...]:
        """Return the colour formats that can be presented in such a window, none if there are
        none.
        """
        if self.visual_class not in (TRUE_COLOR, DIRECT_COLOR):
            return ()
        key = (self.depth, self.bits_per_pixel, self.red_mask, self.green_mask, self.blue_mask)
        return VISUAL_FORMATS.get(key, ())


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
    size = ffi.sizeof("XVisualInfo")
    data = ffi.buffer(infos, count[0] * size)[:]
    x11.XFree(infos)
    visuals: list[Visual] = []
    root_depth = 0
    depths = connection.bits_per_pixel
    for number, depth, kind, *masks in _INFO.iter_unpack(data):
        bits = depths.get(depth, 0)
        visuals.append(Visual(number, screen, depth, bits, kind, *masks))
        if number == default_id:
            root_depth = depth
    return sort_visuals(visuals, default_id, root_depth)


def sort_visuals(visuals: list[Visual], default_id: int, root_depth: int) -> list[Visual]:
    """Return the visuals of a screen, those of the root's depth and the default first."""
    return sorted(
        visuals,
        key=lambda v: (v.id != default_id, v.depth != root_depth, v.visual_class != TRUE_COLOR),
    )
