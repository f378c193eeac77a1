# SPDX-License-Identifier: MIT
"""How often a display shows a new picture, as RandR names it.

Stage: winsys.  In: a connection and a window.  Out: refreshes a second as a fraction, None where
the server names none, as Xvfb: then there is nothing that a swap could wait for.  The requests are
those of the protocol (randrproto, 1.3), whose replies are a few fixed fields; a window of several
CRTCs follows the fastest.  Counterpart of what Mesa's loader asks Present for (loader_dri3_helper).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winsys_x11.connection import XConnection

RR_QUERY_VERSION, RR_GET_CRTC_INFO, RR_GET_SCREEN_RESOURCES_CURRENT = 0, 20, 25
_RESOURCES = struct.Struct("<8xIIHHHH8x")  # time of the configuration, counts of four lists
#: number, dot clock, totals of a row and of a column, flags
_MODE = struct.Struct("<I4xI4xHxxxxxxHxxI")
_CRTC = struct.Struct("<20xI")  # its mode
_INTERLACE, _DOUBLE_SCAN = 0x10, 0x20


def _asked(connection: XConnection, opcode: int, minor: int, *words: int) -> bytes | None:
    """The reply to a request of 32-bit words."""
    request = struct.pack(f"<BBH{len(words)}I", opcode, minor, 1 + len(words), *words)
    return connection.request_reply(request)


def refresh_rate(connection: XConnection, window: int) -> tuple[int, int] | None:
    """Refreshes a second (numerator, denominator) of the screen that a window is on."""
    found = connection.query_extension("RANDR")
    if found is None:
        return None
    version = _asked(connection, found[0], RR_QUERY_VERSION, 1, 3)
    if version is None or struct.unpack_from("<II", version, 8) < (1, 3):
        return None
    listed = _asked(connection, found[0], RR_GET_SCREEN_RESOURCES_CURRENT, window)
    if listed is None:
        return None
    _, when, crtcs, outputs, modes, _ = _RESOURCES.unpack_from(listed)
    rates = dict(_rates(listed, 32 + 4 * (crtcs + outputs), modes))
    best: tuple[int, int] | None = None
    for crtc in struct.unpack_from(f"<{crtcs}I", listed, 32):
        info = _asked(connection, found[0], RR_GET_CRTC_INFO, crtc, when)
        rate = rates.get(_CRTC.unpack_from(info)[0]) if info is not None else None
        if rate and (best is None or rate[0] * best[1] > best[0] * rate[1]):
            best = rate
    return best


def _rates(listed: bytes, at: int, count: int) -> list[tuple[int, tuple[int, int]]]:
    """(mode, its refreshes a second), of the modes that have some."""
    found = []
    for n in range(count):
        mode, clock, across, down, flags = _MODE.unpack_from(listed, at + n * _MODE.size)
        fields = 2 if flags & _INTERLACE else 1
        rows = down * (2 if flags & _DOUBLE_SCAN else 1)
        if clock and across and rows:
            found.append((mode, (clock * fields, across * rows)))
    return found
