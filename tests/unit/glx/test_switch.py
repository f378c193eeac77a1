# SPDX-License-Identifier: MIT
"""Other drawables made current each frame, with real programs (switch.c): what is drawn lands where
it belongs, and steady frames do not enter Python.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from winsys_x11.xvfb import Xvfb

HERE = Path(__file__).parent
pytestmark = [pytest.mark.embed]
FRAMES = 200


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    out = tmp_path_factory.mktemp("switch") / "switch"
    command = ["cc", "-O1", "-Wall", str(HERE / "switch.c"), "-o", str(out), "-lGL", "-lX11"]
    subprocess.run(command, check=True, timeout=60)
    return out


@pytest.mark.parametrize("mode", ["windows", "contexts", "shared", "pbuffer"])
def test_switch(program: Path, mode: str, tmp_path: Path) -> None:
    from libgl_shim import build
    from pydri.util import stats

    counters = tmp_path / "counters"
    with Xvfb((600, 400)) as server:
        environment = dict(
            os.environ, DISPLAY=server.name, LD_LIBRARY_PATH=build.build(say=False),
            PYDRI_STATS=str(counters),
        )  # fmt: skip
        done = subprocess.run(
            [str(program), mode, str(FRAMES)], env=environment, capture_output=True, text=True,
            timeout=100,
        )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("0 0\n", "", 0)
    total = stats.read_file(str(counters))["total"]
    assert total["frames"] == 2 * FRAMES
    swaps_in_python = FRAMES if mode == "pbuffer" else 0  # nothing of a pbuffer is presented
    assert total["python_entries"] < swaps_in_python + 30
