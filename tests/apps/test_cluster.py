# SPDX-License-Identifier: MIT
"""The recipes of docs/cluster.md, with workers on this machine: the pictures are the same, whoever
draws them, and however many there are. Engines are used where they are installed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pydri.tools.pictures import difference
from pydri.tools.png import Image, decode
from scripts.host import apps_folder
from tests import host

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

#: pixels of 76,800 that may be others where parts meet: 8 were seen, and 7 of Mesa's own pictures
SEAMS = 20
PAGE = Path(host.ROOT, "docs", "cluster.md")


def recipe(name: str) -> str:
    """A program of the page."""
    [code] = re.findall(rf'```python\n("""{name} .*?)```', PAGE.read_text(), re.S)
    return str(code)


def python_with(*modules: str) -> str:
    """A Python of our version that has modules: ours, or that of the folder of apps, which has a
    pydri of its own."""
    for python in (sys.executable, os.path.join(apps_folder(), "venv", "bin", "python")):
        code = f"import sys, {', '.join(modules)}; print(sys.version_info[:2])"
        if os.path.exists(python):
            order = [python, "-c", code]
            done = subprocess.run(order, capture_output=True, text=True, timeout=120, check=False,
                                  cwd="/")  # fmt: skip
            if done.stdout == f"{sys.version_info[:2]}\n":
                return python
    host.does_not_apply(host.NO_ENGINE, " ".join(modules))


def test_frames_by_dask(tmp_path: Path) -> None:
    """docs/cluster.md's episodes by one process, and by one, two and four workers: as many
    processes draw, and the frames are the same bits."""
    python = python_with("dask.distributed", "moderngl", "pydri")
    (tmp_path / "frames.py").write_text(recipe("frames.py"))
    env = {**host.side("ours"), "LP_NUM_THREADS": "0"}
    del env["LD_LIBRARY_PATH"]
    if python == sys.executable:
        env["PYTHONPATH"] = host.ROOT
    seen = set()
    for workers in (0, 1, 2, 4):
        done = subprocess.run(
            [python, "frames.py", str(workers), "8"], cwd=tmp_path, env=env, text=True,
            capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        digest, told = done.stdout.splitlines()
        seen.add(digest)
        assert told == f"{max(workers, 1)} processes, 400 frames"
    assert len(seen) == 1


def composed(folder: Path, side: str, display: str, ranks: int) -> Image:
    """The picture of so many ranks."""
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(ranks)]
    out = folder / f"{side}{ranks}.png"
    env = {**host.side(side, display), "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
           "HOME": str(folder)}  # fmt: skip
    done = subprocess.run(
        [*mpirun, "pvbatch", "compose.py", str(out)], cwd=folder, env=env, text=True,
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and out.exists(), (done.stdout + done.stderr)[-3000:]
    return decode(out.read_bytes())


@pytest.mark.x11
def test_one_picture_of_many_ranks(tmp_path: Path, display: str) -> None:
    """docs/cluster.md's surfaces, of which each rank has a part: the picture of one, two and four
    ranks is the same but for seams between parts, and Mesa's."""
    if not all(map(shutil.which, ("pvbatch", "mpirun"))):
        host.does_not_apply(host.NO_ENGINE, "pvbatch, mpirun")
    (tmp_path / "compose.py").write_text(recipe("compose.py"))
    one = composed(tmp_path, "ours", display, 1)
    assert len({one.rgb[n : n + 3] for n in range(0, len(one.rgb), 3)}) > 200
    for ranks in (2, 4):
        found = difference(composed(tmp_path, "ours", display, ranks), one, 8)
        assert found.pixels <= SEAMS, found[:3]
    if not host.peer().reason:
        found = difference(one, composed(tmp_path, "peer", display, 1), 8)
        assert found.pixels <= SEAMS, found[:3]
