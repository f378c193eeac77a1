# SPDX-License-Identifier: MIT
"""Steady frames enter no Python: what real programs call every frame, group by group.

In: steady.c, an Xvfb of our own, PYDRI_STATS. Out: the python_entries of the last frame, which has
to be 0, and what the program finds wrong with the answers."""

import pathlib
import re
import subprocess
from collections.abc import Iterator

import pytest

from libgl_shim import build as shim_build
from scripts import sides
from tests.pictures import compare

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.slow]

GROUPS = ("queries", "state", "matrices", "drawing", "lists", "selection", "occlusion")
SOURCE = pathlib.Path(__file__).with_name("steady.c")
WANTED = {"cc": "gcc", "Xvfb": "xvfb", "/usr/include/GL/glx.h": "libgl-dev"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[pathlib.Path, str]]:
    """The compiled program and the display of an X server."""
    if problem := sides.install(WANTED):
        pytest.skip(problem)
    shim_build.build(say=False)
    program = tmp_path_factory.mktemp("steady") / "steady"
    command = ["cc", "-O1", str(SOURCE), "-o", str(program), "-lGL", "-lX11"]
    subprocess.run(command, check=True, timeout=60)
    server = compare.private_server()
    server.start()
    yield program, server.name
    server.stop()


@pytest.mark.parametrize("group", GROUPS)
def test_the_last_frame_enters_no_python(client: tuple[pathlib.Path, str], group: str) -> None:
    program, display = client
    env = compare.our_env(display, PYDRI_STATS="1")
    done = subprocess.run(
        [str(program), group], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    found = re.search(r"python_entries +([0-9,]+) +([0-9,]+)", done.stderr)
    assert found is not None, done.stderr
    assert found[2] == "0", f"{group}: {found[2]} entries of Python in the last frame"
