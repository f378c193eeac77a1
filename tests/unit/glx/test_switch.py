# SPDX-License-Identifier: MIT
"""Real programs that change what is current: other drawables each frame (switch.c: what is drawn
lands where it belongs, and steady frames do not enter Python), threads that end (thread_exit.c).
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


def compiled(name: str, folder: Path) -> Path:
    """A program of this folder."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    out = folder / name
    command = ["cc", "-O1", "-Wall", str(HERE / f"{name}.c"), "-o", str(out)]
    subprocess.run([*command, "-lGL", "-lX11", "-lpthread"], check=True, timeout=60)
    return out


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """switch.c."""
    return compiled("switch", tmp_path_factory.mktemp("switch"))


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


def test_a_thread_that_ends_lets_its_context_go(tmp_path: Path) -> None:
    from libgl_shim import build

    program = compiled("thread_exit", tmp_path)
    with Xvfb((300, 200)) as server:
        environment = dict(
            os.environ, DISPLAY=server.name, LD_LIBRARY_PATH=build.build(say=False)
        )
        done = subprocess.run(
            [str(program)], env=environment, capture_output=True, text=True, timeout=100
        )
    words = done.stdout.split()
    assert words[:5] == ["drawn", "drawn", "drawn", "green", "destroyed"]
    assert words[5] == "error" and len(words) == 7
    assert (done.stderr, done.returncode) == ("", 0)
