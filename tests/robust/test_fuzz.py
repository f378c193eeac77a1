# SPDX-License-Identifier: MIT
"""Random well-typed calls (fuzz.py): no crash, no hang, no failure of ours behind a GL call."""

import pathlib
import struct
import subprocess
import sys

import pytest

from tests.robust import fuzz
from tests.robust.conftest import NEEDS, Program, run

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]


def test_calls_depend_on_the_seed_alone() -> None:
    assert fuzz.show(5, 300) == fuzz.show(5, 300)
    assert fuzz.show(5, 300) != fuzz.show(6, 300)


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("seed", ["1", "12"])
def test_random_glx_calls(
    seed: str, threads: str, program: Program, ours: dict[str, str]
) -> None:
    """Drawables destroyed while they are read from (seed 1), errors in several threads (12)."""
    done = run(program("glx_calls"), seed, "3000", threads, env=ours, seconds=120)
    assert done.returncode == 0 and done.stdout.startswith("ok"), done.stdout + done.stderr[-2000:]


@pytest.mark.parametrize("threads", ["1", "4"])
@pytest.mark.parametrize("seed", ["2", "7"])
def test_random_egl_calls(
    seed: str, threads: str, program: Program, ours: dict[str, str]
) -> None:
    """A call fails if and only if it has an error; the displays of players come to an end."""
    path = program("egl_calls", "-lEGL")
    done = run(path, seed, "3000", threads, env=ours, seconds=120)
    assert done.returncode == 0 and done.stdout.startswith("ok"), done.stdout + done.stderr[-2000:]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(1, 9))
def test_random_calls(
    seed: int, threads: int, ours: dict[str, str], tmp_path: pathlib.Path
) -> None:
    """Two threads have a context each and share lists and buffers."""
    notes = tmp_path / "notes"
    env = {**ours, "LP_NUM_THREADS": str(seed % 3)}
    try:
        command = (sys.executable, fuzz.__file__, str(seed), "4000", str(notes), str(threads))
        done = run(*command, env=env, seconds=90)
        status, text, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        status, text, errors = -1, "hangs", ""
    last = struct.unpack("<QQ", notes.read_bytes())
    told = "\n\n".join(fuzz.show(seed + 1000 * n, last[n]) for n in range(threads))
    assert (status, text) == (0, "ok\n"), (
        f"LP_NUM_THREADS={seed % 3}, status {status}, {errors[-1500:]}\n{told}"
    )
    assert "libGL error" not in errors, errors[:3000]
