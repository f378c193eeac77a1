# SPDX-License-Identifier: MIT
"""A C program that treats GLX badly, through the real libraries and the null driver (storm.c)."""

from pathlib import Path

import pytest

from pydri.util import stats
from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)
]  # fmt: skip


@pytest.mark.parametrize("without", [(), ("GLX",), ("MIT-SHM",)])
def test_storm(without: tuple[str, ...], tmp_path: Path) -> None:
    counters = str(tmp_path / "counters")
    with host.XServer("600x500", without=without) as server:
        said = run(compiled("storm"), server.name, GALLIUM_DRIVER="null", PYDRI_STATS=counters)
    stages = dict(line.split() for line in said.splitlines())
    assert list(stages) == ["resizes", "windows", "contexts", "threads", "end"]
    for stage, growth in stages.items():
        assert int(growth) < 4096, f"{stage}: memory grew by {growth} kB"
    total = stats.read_file(counters)["total"]
    assert total["frames"] > 5000
    assert total["python_entries"] < 4000, "frames do not enter Python"
