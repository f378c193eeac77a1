# SPDX-License-Identifier: MIT
"""How many CPUs a process may use: those of its set, as many as quotas pay for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipe_llvm import screen
from pydri.util import cpus
from pydri.util.options import options
from tests import host


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One of 64 CPUs, whose control groups are below a folder."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)))
    monkeypatch.setattr(cpus, "GROUPS", str(tmp_path / "cgroup"))
    monkeypatch.setattr(cpus, "TOP", str(tmp_path))
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_no_groups_at_all(machine: Path) -> None:
    assert cpus.available() == 64


@pytest.mark.parametrize(
    ("limits", "count"),
    [
        ({"": "200000 100000"}, 2),  # a container shows its own group at the top
        ({"": "max 100000"}, 64),
        ({"job": "250000 100000"}, 3),  # of a batch system, above the process's own group
        ({"job": "400000 100000", "job/step": "150000 100000"}, 2),
        ({"job": "150000 100000", "job/step": "400000 100000"}, 2),
        ({"job/step": "5000 100000"}, 1),
        ({"job/step": "99999999 100000"}, 64),
        ({"job/step": "nonsense"}, 64),
        ({"job/step": "0 0"}, 64),
        ({"another": "100000 100000"}, 64),
    ],
)
def test_groups_of_version_2(machine: Path, limits: dict[str, str], count: int) -> None:
    write(machine / "cgroup", "0::/job/step\n")
    for folder, text in limits.items():
        write(machine / folder / "cpu.max", text + "\n")
    assert cpus.available() == count


@pytest.mark.parametrize(("quota", "count"), [("300000", 3), ("-1", 64)])
def test_groups_of_version_1(machine: Path, quota: str, count: int) -> None:
    write(machine / "cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n2:cpuset:/\n0::/\n")
    given = {"cpu,cpuacct/job": quota, "cpuset": "100000", "memory/job": "100000"}
    for folder, number in given.items():
        write(machine / folder / "cpu.cfs_quota_us", number + "\n")
        write(machine / folder / "cpu.cfs_period_us", "100000\n")
    assert cpus.available() == count


def test_a_group_outside_of_what_is_shown(machine: Path) -> None:
    """Its path begins with `..` where the process was moved into a container's namespace."""
    write(machine / "cgroup", "0::/../../job\n")
    write(machine / "cpu.max", "100000 100000\n")
    write(machine.parent / "job" / "cpu.max", "500000 100000\n")
    assert cpus.available() == 1


def test_threads_of_the_driver(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One less than the CPUs, since who waits draws, too; LP_NUM_THREADS comes first."""
    write(machine / "cgroup", "0::/\n")
    write(machine / "cpu.max", "400000 100000\n")
    assert screen.num_threads() == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {7})
    assert screen.num_threads() == 0
    with options(LP_NUM_THREADS=5):
        assert screen.num_threads() == 5


def test_a_process_on_one_cpu() -> None:
    """The set is that of the process, however it came to it."""
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    code += "from pydri.util import cpus; print(cpus.available())"
    order = [sys.executable, "-c", code]
    done = subprocess.run(order, cwd=host.ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "1\n"
