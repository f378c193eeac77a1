# SPDX-License-Identifier: MIT
"""X servers and the program's view of them."""

from collections.abc import Iterator
from typing import Any

import pytest

from pydri.dri import current as dri_current
from pydri.util.options import options
from tests.unit.glx.harness import Errors, Program, install_fake_st
from tests.unit.winsys.xserver import SERVERS, Server


@pytest.fixture(scope="session", params=list(SERVERS))
def server(request: Any) -> Iterator[Server]:
    """Each kind of X server in turn."""
    with Server(*SERVERS[request.param]) as running:
        yield running


@pytest.fixture(scope="session")
def plain() -> Iterator[Server]:
    """An ordinary X server."""
    with Server(*SERVERS["plain"]) as running:
        yield running


@pytest.fixture
def errors() -> Iterator[Errors]:
    """Notes of all X errors."""
    with Errors() as notes:
        yield notes


@pytest.fixture
def null_driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The null driver under a stand-in for the state tracker."""
    install_fake_st(monkeypatch)
    monkeypatch.delitem(dri_current._LEAVE, "egl", raising=False)  # it asks the shim: there is none
    with options(GALLIUM_DRIVER="null", LIBGL_DRIVERS_PATH=None, vblank_mode=0):
        yield


@pytest.fixture
def program(server: Server, null_driver: None) -> Program:
    """A program on each kind of server."""
    return Program(server.display)


@pytest.fixture
def app(plain: Server, null_driver: None) -> Program:
    """A program on an ordinary server."""
    return Program(plain.display)
