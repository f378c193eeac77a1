# SPDX-License-Identifier: MIT
"""Random well-typed calls (fuzz.py): no crash, no hang, no failure of ours behind a GL call."""

import pathlib
import random
import struct
import subprocess
import sys

import pytest

from tests.robust import fuzz
from tests.robust.conftest import NEEDS, Program, run
from tests.robust.fuzz_arguments import INDICES32, Arguments
from tests.robust.fuzz_calls import INDEX_BUFFER, Fuzz
from tests.robust.fuzz_registry import REST, registry

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]
SEEDS, CALLS = range(7, 15), 8000  # of a process
LEAST = 10  # calls that each feature group gets from all seeds together


def test_calls_depend_on_the_seed_alone() -> None:
    assert fuzz.show(5, 300) == fuzz.show(5, 300)
    assert fuzz.show(5, 300) != fuzz.show(6, 300)


def test_every_group_is_called() -> None:
    """What the seeds of test_random_calls call: a group's commands come from the registry, so the
    next extension is called as soon as it is advertised."""
    called = fuzz.coverage(SEEDS, CALLS)
    print(fuzz.table(called))
    groups = fuzz.by_group(called)
    assert len(groups) > 60
    assert {group: n for group, n in groups.items() if n < LEAST} == {}
    advertised = [c.name for c in registry().commands.values() if c.group != REST]
    assert len(advertised) > 700
    assert [name for name in advertised if not called[name]] == []


@pytest.mark.parametrize("plain", [False, True])
def test_indices_come_from_a_buffer(plain: bool) -> None:
    """Every command that takes indices takes them from a buffer, too, near its beginning."""
    fuzz_of_one, names = Fuzz(1, plain), []
    for command in registry().commands.values():
        takes = [n for n, param in enumerate(command.params) if param.name == "indices"]
        if command.group == REST or not takes:
            continue
        names.append(command.name)
        near = 0
        for _ in range(40):
            *before, (_, values) = fuzz_of_one.draw(command.name)
            place = values[takes[0]]
            first = place[2][0] if isinstance(place, tuple) and place[0] == "a" else place
            near += ("glBindBuffer", (0x8893, INDEX_BUFFER)) in before and first in (0, 4, 64)
        assert near > 0, command.name
    assert len(names) > 10


@pytest.mark.parametrize("plain", [False, True])
def test_buffers_have_small_words(plain: bool) -> None:
    """What a command writes to a buffer may be an index or a count of a draw afterwards: of others
    than small ones GL leaves open what is drawn, and for how long."""
    arguments = Arguments(random.Random(1), plain)
    names = []
    for command in registry().commands.values():
        writes = [n for n, param in enumerate(command.params) if param.name == "data"]
        if command.group == REST or "Buffer" not in command.name or not writes:
            continue
        if command.name.startswith("glGet"):
            continue
        names.append(command.name)
        for _ in range(100):
            values = arguments.of(command)
            data = values[writes[0]]
            assert data in (None, ("m", INDICES32)) or max(data[2]) < 64, (command.name, values)
            for param, value in zip(command.params, values, strict=True):
                assert "ffset" not in param.name or value < 0 or value % 4 == 0, command.name
    assert len(names) > 10


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
@pytest.mark.parametrize("seed", SEEDS)
def test_random_calls(
    seed: int, threads: int, ours: dict[str, str], tmp_path: pathlib.Path
) -> None:
    """Two threads have a context each and share lists and buffers."""
    notes = tmp_path / "notes"
    env = {**ours, "LP_NUM_THREADS": str(seed % 3)}
    try:
        command = (sys.executable, fuzz.__file__, str(seed), str(CALLS), str(notes), str(threads))
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
