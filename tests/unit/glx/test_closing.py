# SPDX-License-Identifier: MIT
"""Displays that begin in several threads at once, and are closed while in use (closing.c)."""

import pytest

from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]


def test_displays_begin_and_end(display: str) -> None:
    assert run(compiled("closing"), display) == "done\n"
