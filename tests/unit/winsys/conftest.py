# SPDX-License-Identifier: MIT
"""Private X servers, one of each kind for the whole run."""

from collections.abc import Iterator
from typing import Any

import pytest

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
