# SPDX-License-Identifier: MIT
"""glXUseXFont: the glyphs of a server-side font become display lists of glBitmap.

In: a font's XID, a range of characters, the first list.  Out: one list a character.  The server
draws each glyph into a bitmap, we read it back and turn it into rows from the bottom up, most
significant bit first, which is what glBitmap takes with an unpack alignment of 1.  GL is called
through the context's own dispatch table, so it does not matter which of the calls are kernels.
Counterpart of Mesa's src/glx/xfont.c.
"""

import ctypes
from typing import Any, NamedTuple

from pydri.api.dispatch import glx_entry
from pydri.api.gl_table import SLOTS
from pydri.glx import enums as e
from pydri.glx.current import current_context
from pydri.main.layout import GLContext
from winsys_x11.xlib import ffi, libs

GL_COMPILE = 0x1300
GL_CLIENT_PIXEL_STORE_BIT = 1
UNPACK = {  # what glBitmap must find: the defaults, but an alignment of 1
    0x0CF0: 0,  # GL_UNPACK_SWAP_BYTES
    0x0CF1: 0,  # GL_UNPACK_LSB_FIRST
    0x0CF2: 0,  # GL_UNPACK_ROW_LENGTH
    0x0CF3: 0,  # GL_UNPACK_SKIP_ROWS
    0x0CF4: 0,  # GL_UNPACK_SKIP_PIXELS
    0x0CF5: 1,  # GL_UNPACK_ALIGNMENT
}
_Z_PIXMAP = 2
_U, _F, _P = ctypes.c_uint32, ctypes.c_float, ctypes.c_void_p
_CALLS: dict[str, tuple[Any, ...]] = {
    "glPushClientAttrib": (_U,),
    "glPopClientAttrib": (),
    "glPixelStorei": (_U, ctypes.c_int32),
    "glNewList": (_U, _U),
    "glEndList": (),
    "glBitmap": (ctypes.c_int32, ctypes.c_int32, _F, _F, _F, _F, _P),
}


class Glyph(NamedTuple):
    """One character as glBitmap wants it."""

    width: int
    height: int
    x_origin: float
    y_origin: float
    advance: float
    bits: bytes


def _gl(address: int, name: str, *args: Any) -> None:
    """Call a GL function in a context."""
    table = GLContext.view(address).dispatch
    function = ctypes.c_void_p.from_address(table + 8 * SLOTS[name]).value
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, *_CALLS[name])(function or 0)(address, *args)


def _metrics(font: Any, code: int) -> Any:
    """Return a character's metrics; those of the default character stand in for missing ones."""
    low, high = font.min_char_or_byte2, font.max_char_or_byte2
    first, last = font.min_byte1, font.max_byte1
    row, column = (code >> 8, code & 255) if last else (0, code)
    if not (first <= row <= last and low <= column <= high):
        code = font.default_char
        row, column = (code >> 8, code & 255) if last else (0, code)
        if not (first <= row <= last and low <= column <= high):
            return None
    if font.per_char == ffi.NULL:
        return font.min_bounds
    return font.per_char[(row - first) * (high - low + 1) + column - low]


def pack_rows(pixels: list[list[int]]) -> bytes:
    """Turn rows of 0 and 1, the top row first, into glBitmap's bytes."""
    out = bytearray()
    for row in reversed(pixels):
        for at in range(0, len(row), 8):
            eight = row[at : at + 8] + [0] * 8
            out.append(sum(bit << (7 - i) for i, bit in enumerate(eight[:8])))
    return bytes(out)


class _Painter:
    """Lets the server draw glyphs into a bitmap."""

    def __init__(self, display: Any, root: int, font: Any) -> None:
        self.x11 = libs().x11
        self.display = display
        bounds = font.max_bounds
        self.left = max(0, -font.min_bounds.lbearing)
        self.width = max(1, self.left + max(bounds.rbearing, bounds.width, 1))
        self.ascent = max(bounds.ascent, 0)
        self.height = max(1, self.ascent + max(bounds.descent, 0))
        self.pixmap = self.x11.XCreatePixmap(display, root, self.width, self.height, 1)
        self.gc = self.x11.XCreateGC(display, self.pixmap, 0, ffi.NULL)
        self.x11.XSetFont(display, self.gc, font.fid)

    def glyph(self, metrics: Any, code: int) -> Glyph:
        """Draw one character and read it."""
        width = max(metrics.rbearing - metrics.lbearing, 0)
        height = max(metrics.ascent + metrics.descent, 0)
        if not width or not height:
            return Glyph(0, 0, 0.0, 0.0, float(metrics.width), b"")
        x11, display = self.x11, self.display
        x11.XSetForeground(display, self.gc, 0)
        x11.XFillRectangle(display, self.pixmap, self.gc, 0, 0, self.width, self.height)
        x11.XSetForeground(display, self.gc, 1)
        text = ffi.new("XChar2b *", {"byte1": code >> 8 & 255, "byte2": code & 255})
        x11.XDrawString16(display, self.pixmap, self.gc, self.left, self.ascent, text, 1)
        x, y = self.left + metrics.lbearing, self.ascent - metrics.ascent
        image = x11.XGetImage(display, self.pixmap, x, y, width, height, 1, _Z_PIXMAP)
        if image == ffi.NULL:
            return Glyph(0, 0, 0.0, 0.0, float(metrics.width), b"")
        rows = [[int(x11.XGetPixel(image, i, j)) & 1 for i in range(width)] for j in range(height)]
        x11.XDestroyImage(image)
        origin = (float(-metrics.lbearing), float(metrics.descent))
        return Glyph(width, height, *origin, float(metrics.width), pack_rows(rows))

    def close(self) -> None:
        """Free what is on the server."""
        self.x11.XFreeGC(self.display, self.gc)
        self.x11.XFreePixmap(self.display, self.pixmap)


@glx_entry
def glXUseXFont(font: int, first: int, count: int, list_base: int) -> None:
    """Make lists list_base, list_base + 1, ... of the characters from `first` on."""
    context = current_context()
    if context is None or count <= 0:
        return
    x11 = libs().x11
    display = context.display.connection.display
    info = x11.XQueryFont(display, font)
    if info == ffi.NULL:
        context.display.error(e.BadFont, font, e.X_GLXUseXFont, core=True)
        return
    painter = _Painter(display, x11.XRootWindow(display, context.screen.number), info)
    address = context.dri.address
    _gl(address, "glPushClientAttrib", GL_CLIENT_PIXEL_STORE_BIT)
    for name, value in UNPACK.items():
        _gl(address, "glPixelStorei", name, value)
    for i in range(count):
        metrics = _metrics(info, first + i)
        _gl(address, "glNewList", list_base + i, GL_COMPILE)
        if metrics is not None:
            glyph = painter.glyph(metrics, first + i)
            w, h, x, y, advance, bits = glyph
            _gl(address, "glBitmap", w, h, x, y, advance, 0.0, bits or None)
        _gl(address, "glEndList")
    _gl(address, "glPopClientAttrib")
    painter.close()
    x11.XFreeFontInfo(ffi.NULL, info, 1)
