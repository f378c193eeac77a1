# SPDX-License-Identifier: MIT
"""A C program that treats GLX badly, through the real libraries and the null driver (storm.c)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from winsys_x11.xvfb import Xvfb

HERE = Path(__file__).parent
pytestmark = [pytest.mark.embed, pytest.mark.slow]


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    program = tmp_path_factory.mktemp("storm") / "storm"
    subprocess.run(
        ["cc", "-O1", "-Wall", str(HERE / "storm.c"), "-o", str(program)]
        + ["-lGL", "-lX11", "-lpthread"],
        check=True,
        timeout=60,
    )
    return program


@pytest.mark.parametrize("without", [(), ("GLX",), ("MIT-SHM",)])
def test_storm(storm: Path, without: tuple[str, ...], tmp_path: Path) -> None:
    from libgl_shim import build
    from pydri.util import stats

    libraries = build.build(say=False)
    counters = tmp_path / "counters"
    with Xvfb((600, 500), without=without) as server:
        environment = dict(
            os.environ,
            DISPLAY=server.name,
            LD_LIBRARY_PATH=libraries,
            GALLIUM_DRIVER="null",
            PYDRI_STATS=str(counters),
            LIBGL_DEBUG="",
        )
        done = subprocess.run(
            [str(storm)], env=environment, capture_output=True, text=True, timeout=100
        )
    assert done.stderr == ""
    assert done.returncode == 0
    stages = dict(line.split() for line in done.stdout.splitlines())
    assert list(stages) == ["resizes", "windows", "contexts", "threads", "end"]
    for stage, growth in stages.items():
        assert int(growth) < 4096, f"{stage}: memory grew by {growth} kB"
    total = stats.read_file(str(counters))["total"]
    assert total["frames"] > 5000
    assert total["python_entries"] < 4000, "frames do not enter Python"
