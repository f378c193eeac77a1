# SPDX-License-Identifier: MIT
"""docs/one-triangle.md is true: traced again, the stations are called in their order."""

from __future__ import annotations

import pathlib
import re

import pytest

from scripts import one_triangle
from tests import host


@pytest.mark.x11
@pytest.mark.needs(*host.CLIENT)
def test_the_page_is_the_trace() -> None:
    host.libraries()
    seen = one_triangle.trace()
    stations = [s.traced for s in one_triangle.STATIONS if s.traced]
    places = [seen.functions.index(name) for name in stations]
    assert places == sorted(places), list(zip(places, stations))
    assert seen.shown & 0xFFFFFF == 0xFFFFFF
    assert one_triangle.PAGE.read_text() == one_triangle.page(seen)


def test_every_kernel_is_in_its_file() -> None:
    for station in one_triangle.STATIONS:
        text = pathlib.Path(host.ROOT, station.file).read_text()
        if station.kernel:
            assert re.search(rf"def {station.kernel}\b", text), station
