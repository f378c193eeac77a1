# SPDX-License-Identifier: MIT
"""How often a display shows a new picture: what RandR names, on servers that name something."""

from collections.abc import Iterator

import pytest

from tests.unit.winsys.xserver import Server
from winsys_x11.refresh import refresh_rate
from winsys_x11.xcb import XcbConnection
from winsys_x11.xlib import ffi, libs


@pytest.fixture(params=[(), ("RANDR",)], ids=["randr", "none"])
def own(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server of this test's own, whose mode it may change."""
    with Server(24, request.param) as running:
        yield running


def test_a_mode_says_the_rate(own: Server) -> None:
    xcb = libs().xcb
    connection = xcb.xcb_connect(own.name.encode(), ffi.NULL)
    x = XcbConnection(connection)
    window = own.window()
    assert refresh_rate(x, window) is None
    if "RANDR" not in own.without:
        with own.client.refreshing() as rate:
            found = refresh_rate(x, window)
            assert found is not None and found == rate
            assert refresh_rate(x, own.client.root.id) == found
            assert refresh_rate(x, 0x7FFFFFF) is None  # no window
        assert refresh_rate(x, window) is None
    xcb.xcb_disconnect(connection)
