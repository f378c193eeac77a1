# SPDX-License-Identifier: MIT
"""Memory of the program ends where GL says that it is not read or written any more (guard.h): no
kernel reads or writes a byte beyond, neither at once nor after the call. The driver's own blocks
lie between such pages with guard_memory.c preloaded."""

import re
import subprocess
import sys

import pytest

from tests.robust import fuzz
from tests.robust.conftest import NEEDS, Program, run
from tests.robust.test_programs import holds

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]


@pytest.mark.parametrize("group", ["formats", "indices", "interleaved", "instanced"])
def test_client_arrays(program: Program, ours: dict[str, str], group: str) -> None:
    holds(run(program("guard_arrays"), group, env=ours, seconds=180))


@pytest.mark.parametrize("width", ["", "128"])
def test_pixel_rectangles(program: Program, ours: dict[str, str], width: str) -> None:
    env = {**ours, "LP_NATIVE_VECTOR_WIDTH": width}
    holds(run(program("guard_pixels"), "1", "24", env=env, seconds=180))


def test_vectors_answers_and_lists(program: Program, ours: dict[str, str]) -> None:
    holds(run(program("guard_values"), env=ours, seconds=180))


@pytest.fixture(scope="session")
def guarded(program: Program) -> dict[str, str]:
    """What puts the driver's memory between guards; images of windows from malloc, too."""
    library = program("guard_memory", "-shared", "-fPIC")
    return {"LD_PRELOAD": library, "GUARD_MEMORY_COUNT": "1", "PYDRI_NO_SHM": "1"}


def stayed_inside(done: "subprocess.CompletedProcess[str]") -> None:
    """The program is content, nothing was touched that lies beyond a block."""
    assert "guard_memory:" not in done.stderr, done.stderr[:3000]
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1].startswith("ok")
    counted = re.search(r"(\d+) blocks", done.stderr)
    assert counted and int(counted[1]) > 10


@pytest.mark.parametrize("threads", ["0", "2"])
@pytest.mark.parametrize(
    "what",
    [
        "primitives 5 60", "resize_storm 60", "glx_calls 9 600 2", "guard_pixels 3 6",
        "shared 4 1500 4",
    ],
)  # fmt: skip
def test_blocks_of_the_driver(
    what: str, threads: str, program: Program, ours: dict[str, str], guarded: dict[str, str]
) -> None:
    name, *arguments = what.split()
    env = {**ours, **guarded, "LP_NUM_THREADS": threads}
    stayed_inside(run(program(name), *arguments, env=env, seconds=120))


@pytest.mark.parametrize("seed", ["3", "4"])
def test_random_calls(seed: str, ours: dict[str, str], guarded: dict[str, str]) -> None:
    command = (sys.executable, fuzz.__file__, seed, "3000", "", "2")
    stayed_inside(run(*command, env={**ours, **guarded}, seconds=120))
