# SPDX-License-Identifier: MIT
"""How pixels lie in the program's memory, and which surface is drawn to for that.

In: the format of a context and the type that OSMesaMakeCurrent is given. Out: a `Layout`. The table
has what Mesa's osmesa_choose_format has, its freedoms included: of 16 bits and of floats there is
one order of four channels, and no type fits OSMESA_BGR and OSMESA_COLOR_INDEX. A surface of three
channels is drawn to as one of four, the fourth of which is nothing.
"""

from typing import NamedTuple

from pydri.api import enums as gl
from pydri.api import osmesa_table as o


class Layout(NamedTuple):
    """A row of LAYOUTS."""

    surface: str  # the format that is drawn to, a name of pydri/pipe/format.py
    channel: int  # bytes of a channel (of a packed pixel: its bytes)
    order: tuple[int, ...]  # the surface's channels in the order of the program's memory

    @property
    def pixel(self) -> int:
        """Bytes of a pixel in the program's memory."""
        return self.channel * len(self.order)

    @property
    def copied(self) -> bool:
        """Whether a pixel is the same bytes on both sides."""
        return self.order in ((0,), (0, 1, 2, 3))


_SAME = (0, 1, 2, 3)
_THREE = (0, 1, 2)
_FOUR_CHANNELS = (o.OSMESA_RGBA, o.OSMESA_BGRA, o.OSMESA_ARGB)
#: by format and type
LAYOUTS: dict[tuple[int, int], Layout] = {
    (o.OSMESA_RGBA, gl.GL_UNSIGNED_BYTE): Layout("R8G8B8A8_UNORM", 1, _SAME),
    (o.OSMESA_BGRA, gl.GL_UNSIGNED_BYTE): Layout("B8G8R8A8_UNORM", 1, _SAME),
    (o.OSMESA_ARGB, gl.GL_UNSIGNED_BYTE): Layout("R8G8B8A8_UNORM", 1, (3, 0, 1, 2)),
    (o.OSMESA_RGB, gl.GL_UNSIGNED_BYTE): Layout("R8G8B8X8_UNORM", 1, _THREE),
    (o.OSMESA_RGB, gl.GL_UNSIGNED_SHORT): Layout("R16G16B16X16_UNORM", 2, _THREE),
    (o.OSMESA_RGB, gl.GL_FLOAT): Layout("R32G32B32X32_FLOAT", 4, _THREE),
    (o.OSMESA_RGB_565, gl.GL_UNSIGNED_SHORT_5_6_5): Layout("B5G6R5_UNORM", 2, (0,)),
}
for _format in _FOUR_CHANNELS:
    LAYOUTS[_format, gl.GL_UNSIGNED_SHORT] = Layout("R16G16B16A16_UNORM", 2, _SAME)
    LAYOUTS[_format, gl.GL_FLOAT] = Layout("R32G32B32A32_FLOAT", 4, _SAME)

#: formats that a context may be made for
FORMATS = frozenset(
    (*_FOUR_CHANNELS, o.OSMESA_RGB, o.OSMESA_BGR, o.OSMESA_RGB_565, o.OSMESA_COLOR_INDEX)
)
