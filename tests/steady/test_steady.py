# SPDX-License-Identifier: MIT
"""Steady frames enter no Python: what real programs call every frame, group by group.

In: steady.c, an Xvfb of our own, PYDRI_STATS. Out: the python_entries of the last frame, which has
to be 0, and what the program finds wrong with the answers."""

import pathlib
import re
import subprocess

import pytest

from tests import host

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)
]  # fmt: skip

GROUPS = (
    "queries", "state", "matrices", "drawing", "lists", "selection", "occlusion", "names", "states",
    "textures", "objects", "targets", "assembly", "blocks",
)  # fmt: skip
SOURCE = pathlib.Path(__file__).with_name("steady.c")
EMBEDDED = SOURCE.with_name("embedded.c")


@pytest.mark.parametrize("group", GROUPS)
def test_the_last_frame_enters_no_python(group: str, display: str) -> None:
    enters_no_python(host.compile_client(SOURCE, "-lGL", "-lX11"), group, display)


def test_the_last_frame_of_es1_enters_no_python(display: str) -> None:
    enters_no_python(host.compile_client(EMBEDDED, "-lGL", "-lX11"), "OpenGL ES 1", display)


def enters_no_python(program: str, group: str, display: str) -> None:
    env = host.side("ours", display, PYDRI_STATS="1")
    done = subprocess.run(
        [program, group], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    found = re.search(r"python_entries +([0-9,]+) +([0-9,]+)", done.stderr)
    assert found is not None, done.stderr
    assert found[2] == "0", f"{group}: {found[2]} entries of Python in the last frame"


@pytest.mark.parametrize("group", ["objects", "targets"])
def test_objects_of_a_frame_leave_no_memory(group: str, display: str) -> None:
    """Many objects a frame for 400 frames; what is kept is bounded, so 300 of them add nothing."""
    program = host.compile_client(SOURCE, "-lGL", "-lX11")
    # LLVM's memory, if code has to be compiled, is taken before the first frame and not beside
    env = host.side("ours", display, PYDRI_TIERS="best")
    done = subprocess.run(
        [program, group, "400"], env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) < 512, done.stdout
